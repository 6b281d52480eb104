//! From a server's address to the request a person is asked to consent to.

use super::answer::{Answer, Fault, Question};
use super::flow::AuthStep;
use super::registration::{self, Identity};
use super::search::Search;
use super::tokens::Grant;
use super::{
    AuthError, Pending, Plan, ResourceMetadata, Scopes, Secret, SecureUrl, ServerMetadata, Start,
};

/// The part of a flow that ends with [`AuthStep::Open`].
#[derive(Debug)]
pub(super) struct Discovery {
    start: Start,
    endpoint: SecureUrl,
    redirect: SecureUrl,
    /// None where the server has no metadata.
    resource: Option<ResourceMetadata>,
    /// Why there is none, where its origin is asked instead.
    without_resource: Option<AuthError>,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    /// The protected resource metadata was asked for.
    Resource(Search),
    /// The user chooses among the resource's authorization servers.
    Choosing,
    /// The metadata of an authorization server was asked for; it goes by one of these issuers.
    Server(Search, Vec<SecureUrl>),
    /// The user looks for a client id.
    Asking(Box<ServerMetadata>),
    /// The user looks at what is going to happen.
    Confirming(Box<ServerMetadata>, Identity),
    /// The client is being registered.
    Registering(Box<ServerMetadata>),
}

impl Discovery {
    pub(super) fn begin(start: Start) -> Result<(Self, AuthStep), AuthError> {
        let endpoint = SecureUrl::parse(&start.endpoint).map_err(AuthError::Endpoint)?;
        let redirect =
            SecureUrl::parse(&start.page.redirect_uri).map_err(AuthError::PageAddress)?;
        let named = start.challenge.resource_metadata.as_deref();
        let addresses = ResourceMetadata::addresses(&endpoint, named);
        let mut discovery = Self {
            start,
            endpoint,
            redirect,
            resource: None,
            without_resource: None,
            phase: Phase::Resource(Search::new(Question::ResourceMetadata, addresses)),
        };
        let step = discovery.search_on()?;
        Ok((discovery, step))
    }

    pub(super) fn answered(&mut self, answer: Answer<'_>) -> Result<AuthStep, AuthError> {
        match &self.phase {
            Phase::Resource(_) => self.got_resource(answer),
            Phase::Server(..) => self.got_server(answer),
            Phase::Registering(_) => self.got_registration(answer),
            Phase::Choosing | Phase::Asking(_) | Phase::Confirming(..) => Err(AuthError::OutOfTurn),
        }
    }

    pub(super) fn choose(&mut self, issuer: &str) -> Result<AuthStep, AuthError> {
        let offered = self.resource.iter().flat_map(|it| &it.authorization_servers);
        if !matches!(self.phase, Phase::Choosing) || !offered.into_iter().any(|it| it == issuer) {
            return Err(AuthError::OutOfTurn);
        }
        self.ask_server(&[issuer])
    }

    pub(super) fn enter_client_id(&mut self, id: &str) -> Result<AuthStep, AuthError> {
        let (Phase::Asking(server) | Phase::Confirming(server, _)) = &self.phase else {
            return Err(AuthError::OutOfTurn);
        };
        let server = server.clone();
        self.start.client_id = Some(id.to_owned());
        Ok(self.identify(server))
    }

    pub(super) fn confirm(&mut self) -> Result<AuthStep, AuthError> {
        let Phase::Confirming(server, identity) = &self.phase else {
            return Err(AuthError::OutOfTurn);
        };
        let (server, identity) = (server.clone(), identity.clone());
        match identity {
            Identity::Entered(id) | Identity::Registered(id) | Identity::Document(id) => {
                Ok(self.open(&server, id))
            }
            Identity::Unregistered(endpoint) => {
                self.phase = Phase::Registering(server);
                Ok(AuthStep::Post {
                    url: endpoint.as_str().to_owned(),
                    content_type: "application/json",
                    body: Secret::new(registration::body(&self.redirect)),
                })
            }
        }
    }

    /// Asks at the next address. Where all were asked, a document that was nowhere to be had can
    /// be done without, or its lack has a deeper cause.
    fn search_on(&mut self) -> Result<AuthStep, AuthError> {
        let (Phase::Resource(search) | Phase::Server(search, _)) = &self.phase else {
            return Err(AuthError::OutOfTurn);
        };
        if let Some(url) = search.address() {
            return Ok(AuthStep::Fetch { url: url.to_owned() });
        }
        let error = search.error().unwrap_or(AuthError::OutOfTurn);
        match &self.phase {
            Phase::Resource(search) if search.found_nothing() => self.without_resource(error),
            Phase::Server(search, _) if search.found_nothing() => {
                Err(self.without_resource.take().unwrap_or(error))
            }
            _ => Err(error),
        }
    }

    fn got_resource(&mut self, answer: Answer<'_>) -> Result<AuthStep, AuthError> {
        let document = answer.read_public(&self.start.secrets);
        let read = document.and_then(|it| ResourceMetadata::read(&it.root, &self.endpoint));
        match read {
            Ok(resource) => self.pick_server(resource),
            Err(fault) => self.not_here(fault),
        }
    }

    fn not_here(&mut self, fault: Fault) -> Result<AuthStep, AuthError> {
        if let Phase::Resource(search) | Phase::Server(search, _) = &mut self.phase {
            search.failed(fault);
        }
        self.search_on()
    }

    fn pick_server(&mut self, resource: ResourceMetadata) -> Result<AuthStep, AuthError> {
        let servers = resource.authorization_servers.clone();
        self.resource = Some(resource);
        let known = self.start.issuer.clone().filter(|known| servers.contains(known));
        match (known, servers.as_slice()) {
            (Some(one), _) => self.ask_server(&[&one]),
            (None, [one]) => self.ask_server(&[one]),
            (None, _) => {
                self.phase = Phase::Choosing;
                Ok(AuthStep::ChooseServer { issuers: servers })
            }
        }
    }

    /// Goes on without protected resource metadata: with the issuer the user named, else as
    /// revision 2025-03-26 has it, where the server's own origin is the authorization server. Both
    /// spellings of an origin lead to the same addresses, so either may be its issuer.
    fn without_resource(&mut self, error: AuthError) -> Result<AuthStep, AuthError> {
        if let Some(issuer) = self.start.issuer.clone() {
            return self.ask_server(&[&issuer]);
        }
        self.without_resource = Some(error);
        let origin = self.endpoint.base().to_owned();
        self.ask_server(&[&origin, &format!("{origin}/")])
    }

    fn ask_server(&mut self, issuers: &[&str]) -> Result<AuthStep, AuthError> {
        let parse = |issuer: &&str| {
            let named = self.endpoint.names(issuer);
            named.map_err(|error| Question::ServerMetadata.failed(issuer, Fault::Url(error)))
        };
        let issuers = issuers.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let addresses = issuers.first().map(ServerMetadata::addresses).unwrap_or_default();
        self.phase = Phase::Server(Search::new(Question::ServerMetadata, addresses), issuers);
        self.search_on()
    }

    fn got_server(&mut self, answer: Answer<'_>) -> Result<AuthStep, AuthError> {
        let Phase::Server(_, issuers) = &self.phase else { return Err(AuthError::OutOfTurn) };
        let read = answer.read_public(&self.start.secrets).and_then(|document| {
            let readings = issuers.iter().map(|it| ServerMetadata::read(&document.root, it));
            let own = |read: &_| !matches!(read, Err(Fault::OtherIssuer { .. }));
            let reading = readings.reduce(|first, next| if own(&first) { first } else { next });
            reading.unwrap_or(Err(Fault::NotObject))
        });
        match read {
            Ok(server) => Ok(self.identify(Box::new(server))),
            Err(fault) => self.not_here(fault),
        }
    }

    /// Finds out what `server` is going to know this client by, and lets the user see it. Nobody
    /// is registered or sent anywhere before that.
    fn identify(&mut self, server: Box<ServerMetadata>) -> AuthStep {
        let identity = match registration::identity(&self.start, &server) {
            Ok(identity) => identity,
            Err(reason) => return self.ask_client_id(server, reason),
        };
        let plan = Plan {
            issuer: server.issuer.clone(),
            authorization_endpoint: server.authorization_endpoint.clone(),
            resource: self.resource_name().to_owned(),
            scopes: self.scopes(&server),
            identity: identity.clone(),
        };
        self.phase = Phase::Confirming(server, identity);
        AuthStep::Confirm(Box::new(plan))
    }

    fn got_registration(&mut self, answer: Answer<'_>) -> Result<AuthStep, AuthError> {
        let Phase::Registering(server) = &self.phase else { return Err(AuthError::OutOfTurn) };
        let server = server.clone();
        let document = answer.read_public(&self.start.secrets);
        match document.and_then(|document| registration::read(&document.root)) {
            Ok(Some(client_id)) => Ok(self.open(&server, client_id)),
            Ok(None) => {
                let issuer = server.issuer.clone();
                Ok(self.ask_client_id(server, AuthError::Confidential { issuer }))
            }
            Err(fault) => {
                let endpoint = server.registration_endpoint.as_ref();
                let url = endpoint.map(SecureUrl::as_str).unwrap_or_default();
                let reason = Question::Registration.failed(url, fault);
                Ok(self.ask_client_id(server, reason))
            }
        }
    }

    fn ask_client_id(&mut self, server: Box<ServerMetadata>, reason: AuthError) -> AuthStep {
        let issuer = server.issuer.clone();
        self.phase = Phase::Asking(server);
        AuthStep::AskClientId { issuer, reason }
    }

    /// The resource as authorization servers know it: by its metadata, else by its address.
    fn resource_name(&self) -> &str {
        self.resource.as_ref().map_or(&self.start.endpoint, |resource| &resource.resource)
    }

    fn open(&self, server: &ServerMetadata, client_id: String) -> AuthStep {
        let pending = Pending {
            grant: Grant {
                endpoint: self.start.endpoint.clone(),
                resource: self.resource_name().to_owned(),
                issuer: server.issuer.clone(),
                token_endpoint: server.token_endpoint.as_str().to_owned(),
                client_id,
                scopes: self.scopes(server),
                step_ups: self.start.step_ups,
            },
            state: self.start.randomness.state(),
            verifier: self.start.randomness.code_verifier(),
            redirect_uri: self.redirect.as_str().to_owned(),
            names_issuer: server.names_issuer,
        };
        let url = pending.authorization_url(&server.authorization_endpoint);
        AuthStep::Open { url, pending: Box::new(pending) }
    }

    /// The scopes to ask for: those of before with those of the challenge, else the resource's.
    /// With any of them goes the one that asks for a refresh token, where it exists.
    fn scopes(&self, server: &ServerMetadata) -> Scopes {
        let named = &self.start.challenge.scopes;
        let mut scopes = self.start.scopes.union(named).unwrap_or_else(|| named.clone());
        if scopes.is_empty() {
            let resource = self.resource.as_ref().and_then(|resource| resource.scopes.clone());
            scopes = resource.unwrap_or_default();
        }
        let offline = Scopes::parse("offline_access");
        let offline = offline.filter(|_| server.offline_access && !scopes.is_empty());
        offline.and_then(|offline| scopes.union(&offline)).unwrap_or(scopes)
    }
}
