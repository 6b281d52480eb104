//! The authorization of one client at one server, step by step.

use super::answer::{Answer, Fault, Question};
use super::discovery::Discovery;
use super::form::FORM;
use super::tokens::Grant;
use super::{AuthError, Callback, Pending, Plan, Secret, Secrets, Start, Tokens};
use crate::protocol::{Header, HttpMethod, HttpRequest};

/// What comes next.
///
/// Requests carry no cookies (`credentials: "omit"`), follow no redirects, and set no headers but
/// those of [`AuthStep::request`], so that a browser asks no permission for [`AuthStep::Fetch`] and
/// for forms. Its [`Debug`] shows no token, code or verifier.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum AuthStep {
    /// Send a GET, and hand what comes to [`Flow::answered`].
    Fetch {
        /// The address.
        url: String,
    },
    /// Send a POST, and hand what comes to [`Flow::answered`].
    Post {
        /// The address.
        url: String,
        /// The header `Content-Type`.
        content_type: &'static str,
        /// The body. It can hold a code, a verifier or a token.
        body: Secret,
    },
    /// Let the user choose who vouches for them, and call [`Flow::choose`].
    ChooseServer {
        /// The authorization servers that the MCP server trusts.
        issuers: Vec<String>,
    },
    /// Let the user enter a client id that they registered themselves, and call
    /// [`Flow::enter_client_id`].
    AskClientId {
        /// The authorization server where it has to be registered.
        issuer: String,
        /// Why no client id can be had without the user.
        reason: AuthError,
    },
    /// Let the user see what is going to happen, and call [`Flow::confirm`] if they agree, or
    /// [`Flow::enter_client_id`] if they have a client id of their own. Until then nothing was
    /// registered, and only addresses of metadata were asked.
    Confirm(Box<Plan>),
    /// Open the address, in a popup at the user's click or in place of the page, and hand what
    /// the person comes back with to [`Flow::returned`].
    Open {
        /// The address. It holds the `state`, and no other secret.
        url: String,
        /// What to keep in session storage where the page goes away.
        pending: Box<Pending>,
    },
    /// The tokens are here. In case of a refresh they replace the ones before.
    Done(Box<Tokens>),
    /// It ends without tokens.
    Failed(AuthError),
}

impl AuthStep {
    /// The request that [`AuthStep::Fetch`] or [`AuthStep::Post`] sends; none for other steps. The
    /// bodies of a POST and of its answer can hold secrets, so a log may keep neither.
    ///
    /// ```
    /// use skillglass::auth::AuthStep;
    /// let step = AuthStep::Fetch { url: "https://as.example/.well-known/openid-configuration".into() };
    /// let request = step.request().unwrap();
    /// assert_eq!((request.method.as_str(), request.header("accept")), ("GET", Some("application/json")));
    /// ```
    #[must_use]
    pub fn request(&self) -> Option<HttpRequest> {
        let (method, url, content_type, body) = match self {
            Self::Fetch { url } => (HttpMethod::Get, url, None, ""),
            Self::Post { url, content_type, body } => {
                (HttpMethod::Post, url, Some(*content_type), body.expose())
            }
            _ => return None,
        };
        let accept = ("Accept", "application/json");
        let content_type = content_type.map(|content_type| ("Content-Type", content_type));
        let header = |(name, value): (&str, &str)| Header {
            name: name.to_owned(),
            value: value.to_owned(),
            secret: false,
        };
        Some(HttpRequest {
            method,
            url: url.clone(),
            headers: std::iter::once(accept).chain(content_type).map(header).collect(),
            body: body.to_owned(),
            rpc_method: None,
            id: None,
        })
    }
}

/// An authorization in progress. See the [module](super) for how it is driven.
///
/// ```
/// use skillglass::auth::*;
/// # let page = Page { redirect_uri: "https://page.example/cb.html".into(), client_metadata_url: None };
/// # let random = Randomness { verifier: [1; 32], state: [2; 32] };
/// let start = Start::new("https://mcp.example.com/mcp", page.clone(), random.clone());
/// let (mut flow, step) = Flow::begin(start);
/// let url = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp".to_owned();
/// assert_eq!(step, AuthStep::Fetch { url });
/// let step = flow.answered(Answer::Came { status: 404, body: b"" }, 0);
/// assert!(matches!(step, AuthStep::Fetch { .. })); // at the next address
///
/// let start = Start::new("http://mcp.example.com/mcp", page, random);
/// let (_, step) = Flow::begin(start);
/// assert_eq!(step, AuthStep::Failed(AuthError::Endpoint(UrlError::Insecure)));
/// ```
#[derive(Debug)]
pub struct Flow(Phase);

#[derive(Debug)]
enum Phase {
    /// Looking for the request to consent to.
    Discovering(Box<Discovery>),
    /// A person is at the authorization server.
    Away(Box<Pending>),
    /// A code or refresh token was sent in.
    Redeeming(Box<Redeeming>),
    Over,
}

/// A code or a refresh token that was sent to the token endpoint.
#[derive(Debug)]
struct Redeeming {
    grant: Grant,
    /// The refresh token that was sent, and stays in use where no other one comes.
    refresh: Option<Secret>,
    secrets: Secrets,
}

impl Flow {
    /// Begins an authorization.
    pub fn begin(start: Start) -> (Self, AuthStep) {
        match Discovery::begin(start) {
            Ok((discovery, step)) => (Self(Phase::Discovering(Box::new(discovery))), step),
            Err(error) => (Self(Phase::Over), AuthStep::Failed(error)),
        }
    }

    /// Takes up an authorization after the page was gone. Remove the record from storage first.
    #[must_use]
    pub fn resume(pending: Pending) -> Self {
        Self(Phase::Away(Box::new(pending)))
    }

    /// Renews tokens. [`AuthError::Ended`] means that the user has to sign in again; any other
    /// failure leaves the tokens as they are.
    pub fn refresh(tokens: &Tokens) -> (Self, AuthStep) {
        let Some(refresh) = &tokens.refresh else {
            return (Self(Phase::Over), AuthStep::Failed(AuthError::NoRefreshToken));
        };
        let step = token_request(&tokens.grant, tokens.refresh_form(refresh));
        let redeeming = Redeeming {
            grant: tokens.grant.clone(),
            refresh: Some(refresh.clone()),
            secrets: tokens.secrets(),
        };
        (Self(Phase::Redeeming(Box::new(redeeming))), step)
    }

    /// Takes the answer to a [`AuthStep::Fetch`] or [`AuthStep::Post`]. `now_ms` is the time in
    /// milliseconds of the clock that [`Tokens::expires_at_ms`] is to be read by.
    pub fn answered(&mut self, answer: Answer<'_>, now_ms: u64) -> AuthStep {
        if let Phase::Redeeming(redeeming) = &self.0 {
            let step = redeeming.answered(answer, now_ms);
            self.0 = Phase::Over;
            return step.unwrap_or_else(AuthStep::Failed);
        }
        self.discover(|discovery| discovery.answered(answer))
    }

    /// Takes the user's choice: one of the issuers that were offered.
    pub fn choose(&mut self, issuer: &str) -> AuthStep {
        self.discover(|discovery| discovery.choose(issuer))
    }

    /// Goes on as the user saw it in the [`Plan`].
    pub fn confirm(&mut self) -> AuthStep {
        self.discover(Discovery::confirm)
    }

    /// Takes the client id that the user entered. One that cannot be any is asked for again.
    pub fn enter_client_id(&mut self, id: &str) -> AuthStep {
        self.discover(|discovery| discovery.enter_client_id(id))
    }

    /// Takes what a person came back with. An answer with another `state` is not this flow's: it
    /// is refused and changes nothing. The first one with the right `state` is the last one that
    /// is heard.
    pub fn returned(&mut self, callback: Callback) -> AuthStep {
        let Phase::Away(pending) = &self.0 else {
            return AuthStep::Failed(AuthError::UnknownReturn);
        };
        if callback.state() != pending.state() {
            return AuthStep::Failed(AuthError::UnknownReturn);
        }
        let redeemed = callback.code_for(pending).map(|code| {
            let step = token_request(&pending.grant, pending.token_form(&code));
            let secrets = Secrets::new([&code, &pending.verifier, &pending.state]);
            let redeeming = Redeeming { grant: pending.grant.clone(), refresh: None, secrets };
            (step, Phase::Redeeming(Box::new(redeeming)))
        });
        let (step, phase) = redeemed.unwrap_or_else(|error| (AuthStep::Failed(error), Phase::Over));
        self.0 = phase;
        step
    }

    fn discover(
        &mut self,
        act: impl FnOnce(&mut Discovery) -> Result<AuthStep, AuthError>,
    ) -> AuthStep {
        let Phase::Discovering(discovery) = &mut self.0 else {
            return AuthStep::Failed(AuthError::OutOfTurn);
        };
        match act(discovery) {
            Ok(step) => {
                if let AuthStep::Open { pending, .. } = &step {
                    self.0 = Phase::Away(pending.clone());
                }
                step
            }
            Err(AuthError::OutOfTurn) => AuthStep::Failed(AuthError::OutOfTurn),
            Err(error) => {
                self.0 = Phase::Over;
                AuthStep::Failed(error)
            }
        }
    }
}

fn token_request(grant: &Grant, body: Secret) -> AuthStep {
    AuthStep::Post { url: grant.token_endpoint.clone(), content_type: FORM, body }
}

impl Redeeming {
    fn answered(&self, answer: Answer<'_>, now_ms: u64) -> Result<AuthStep, AuthError> {
        let tokens = answer.read(&self.secrets).and_then(|document| {
            Tokens::from_answer(&document.root, self.grant.clone(), self.refresh.clone(), now_ms)
        });
        match tokens {
            Ok(tokens) => Ok(AuthStep::Done(Box::new(tokens))),
            Err(Fault::Refused(objection))
                if self.refresh.is_some() && objection.error == "invalid_grant" =>
            {
                Err(AuthError::Ended)
            }
            Err(fault) => Err(Question::Token.failed(&self.grant.token_endpoint, fault)),
        }
    }
}
