//! Who guards a server, and how that guard is asked.
//!
//! Sources: *Authorization Server Discovery* of the base protocol; RFC 9728, sections 2 and 3; RFC
//! 8414, sections 2 and 3; OpenID Connect Discovery. Fetch all of this with plain GETs, so that a
//! browser asks no permission first.

use std::collections::BTreeSet;

use super::answer::Fault;
use super::record::{MemberError, MemberProblem, Record, needed};
use super::{Scopes, SecureUrl, UrlError, form};
use crate::value::Node;

/// How many authorization servers a resource may name.
const MAX_SERVERS: usize = 32;

/// What a protected resource says of itself, as far as it was checked and counts here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceMetadata {
    /// The resource, exactly as it is to be sent to the authorization server.
    pub resource: String,
    /// The issuers that guard it and can be asked: one at least, in the server's order.
    pub authorization_servers: Vec<String>,
    /// The scopes that suffice for what is basic; none where it names none.
    pub scopes: Option<Scopes>,
}

impl ResourceMetadata {
    /// Where the metadata of the MCP server at `endpoint` may be, best first: where the challenge
    /// says, if that may be asked; at the well-known address with the endpoint's path; at the
    /// origin's.
    ///
    /// ```
    /// use skillglass::auth::{ResourceMetadata, SecureUrl};
    /// let endpoint = SecureUrl::parse("https://a.example/mcp").unwrap();
    /// assert_eq!(ResourceMetadata::addresses(&endpoint, Some("http://10.0.0.1/")), [
    ///     "https://a.example/.well-known/oauth-protected-resource/mcp",
    ///     "https://a.example/.well-known/oauth-protected-resource",
    /// ]);
    /// ```
    #[must_use]
    pub fn addresses(endpoint: &SecureUrl, challenge: Option<&str>) -> Vec<String> {
        const SUFFIX: &str = "oauth-protected-resource";
        let named = challenge.and_then(|url| endpoint.names(url).ok());
        let named = named.map(|url| url.as_str().to_owned());
        let known = [endpoint.well_known(SUFFIX), endpoint.well_known_root(SUFFIX)];
        let mut seen = BTreeSet::new();
        named.into_iter().chain(known).filter(|url| seen.insert(url.clone())).collect()
    }

    /// Reads and checks the metadata of the MCP server at `endpoint`.
    ///
    /// # Errors
    /// A member that is missing, repeated or of another type; a resource that does not cover the
    /// endpoint; no authorization server that can be asked.
    ///
    /// ```
    /// use skillglass::{auth::{Fault, ResourceMetadata, SecureUrl}, json};
    /// let read = |text: &str| {
    ///     let endpoint = SecureUrl::parse("https://a.example/mcp").unwrap();
    ///     ResourceMetadata::read(&json::read(text).unwrap().root, &endpoint)
    /// };
    /// let servers = r#""authorization_servers":["https://as.example"]"#;
    /// assert!(read(&format!(r#"{{"resource":"https://a.example/mcp",{servers}}}"#)).is_ok());
    /// let other = read(&format!(r#"{{"resource":"https://b.example/mcp",{servers}}}"#));
    /// assert!(matches!(other, Err(Fault::OtherResource { .. })));
    /// ```
    pub fn read(root: &Node<'_>, endpoint: &SecureUrl) -> Result<Self, Fault> {
        const SERVERS: &str = "authorization_servers";
        let record = Record::of(root).ok_or(Fault::NotObject)?;
        let resource = record.needed_text("resource")?;
        if !SecureUrl::parse(resource).is_ok_and(|resource| resource.covers(endpoint)) {
            return Err(Fault::OtherResource { resource: resource.to_owned() });
        }
        let named = needed(SERVERS, record.texts(SERVERS)?.filter(|list| !list.is_empty()))?;
        if named.len() > MAX_SERVERS {
            return Err(MemberError { name: SERVERS, problem: MemberProblem::TooLong }.into());
        }
        Ok(Self {
            resource: resource.to_owned(),
            authorization_servers: usable_issuers(&named, endpoint)
                .map_err(|error| MemberError::url(SERVERS, error))?,
            scopes: scopes(&record)?,
        })
    }
}

/// The issuers that can be asked, each once; why the first one cannot, where none can.
fn usable_issuers(named: &[&str], endpoint: &SecureUrl) -> Result<Vec<String>, UrlError> {
    let mut usable = Vec::new();
    let mut first_error = None;
    for text in named {
        match endpoint.names(text) {
            Ok(_) if usable.iter().any(|known| known == text) => {}
            Ok(_) => usable.push((*text).to_owned()),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    match first_error {
        Some(error) if usable.is_empty() => Err(error),
        _ => Ok(usable),
    }
}

fn scopes(record: &Record<'_>) -> Result<Option<Scopes>, MemberError> {
    const SCOPES: &str = "scopes_supported";
    let Some(texts) = record.texts(SCOPES)? else { return Ok(None) };
    let scopes = Scopes::of(texts);
    scopes.map(Some).ok_or(MemberError::expected(SCOPES, "a list of scopes of sensible length"))
}

/// What an authorization server says of itself, as far as it was checked and counts here. It
/// offers `S256`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerMetadata {
    /// The issuer, character for character the one that was asked.
    pub issuer: String,
    /// Where a person consents.
    pub authorization_endpoint: SecureUrl,
    /// Where codes and refresh tokens are redeemed.
    pub token_endpoint: SecureUrl,
    /// Where clients register themselves.
    pub registration_endpoint: Option<SecureUrl>,
    /// Whether the answers to an authorization request name the issuer (RFC 9207).
    pub names_issuer: bool,
    /// Whether a client id may be the address of the client's metadata.
    pub takes_metadata_documents: bool,
    /// Whether clients without a secret are served; none where it does not say.
    pub public_clients: Option<bool>,
    /// Whether the scope `offline_access` exists, which asks for a refresh token.
    pub offline_access: bool,
}

impl ServerMetadata {
    /// Where the metadata of `issuer` may be, in the order of the base protocol.
    ///
    /// ```
    /// use skillglass::auth::{SecureUrl, ServerMetadata};
    /// let issuer = SecureUrl::parse("https://as.example/t").unwrap();
    /// assert_eq!(ServerMetadata::addresses(&issuer), [
    ///     "https://as.example/.well-known/oauth-authorization-server/t",
    ///     "https://as.example/.well-known/openid-configuration/t",
    ///     "https://as.example/t/.well-known/openid-configuration",
    /// ]);
    /// ```
    #[must_use]
    pub fn addresses(issuer: &SecureUrl) -> Vec<String> {
        const OPENID: &str = "openid-configuration";
        let base = issuer.base();
        let path = issuer.path().trim_end_matches('/');
        let mut addresses = vec![
            format!("{base}/.well-known/oauth-authorization-server{path}"),
            format!("{base}/.well-known/{OPENID}{path}"),
        ];
        if !path.is_empty() {
            addresses.push(format!("{base}{path}/.well-known/{OPENID}"));
        }
        addresses
    }

    /// Reads and checks the metadata of `issuer`.
    ///
    /// # Errors
    /// Another issuer's metadata; a member that is missing, repeated, of another type or an address
    /// that cannot be used; no `S256`.
    ///
    /// ```
    /// use skillglass::{auth::{Fault, SecureUrl, ServerMetadata}, json};
    /// let read = |methods: &str| {
    ///     let text = format!(r#"{{"issuer":"https://as.example",
    ///       "authorization_endpoint":"https://as.example/authorize",
    ///       "token_endpoint":"https://as.example/token",
    ///       "code_challenge_methods_supported":{methods}}}"#);
    ///     let issuer = SecureUrl::parse("https://as.example").unwrap();
    ///     ServerMetadata::read(&json::read(&text).unwrap().root, &issuer)
    /// };
    /// assert!(read(r#"["plain","S256"]"#).is_ok());
    /// assert_eq!(read(r#"["plain"]"#), Err(Fault::NoPkce));
    /// ```
    pub fn read(root: &Node<'_>, issuer: &SecureUrl) -> Result<Self, Fault> {
        let record = Record::of(root).ok_or(Fault::NotObject)?;
        let named = record.needed_text("issuer")?;
        if named != issuer.as_str() {
            return Err(Fault::OtherIssuer { issuer: named.to_owned() });
        }
        let lists =
            |name, value| record.texts(name).map(|list| list.map(|texts| texts.contains(&value)));
        if lists("code_challenge_methods_supported", "S256")? != Some(true) {
            return Err(Fault::NoPkce);
        }
        Ok(Self {
            issuer: named.to_owned(),
            authorization_endpoint: authorization_endpoint(&record, issuer)?,
            token_endpoint: needed(TOKEN_ENDPOINT, address(&record, TOKEN_ENDPOINT, issuer)?)?,
            registration_endpoint: address(&record, "registration_endpoint", issuer)?,
            names_issuer: record.flag("authorization_response_iss_parameter_supported")?,
            takes_metadata_documents: record.flag("client_id_metadata_document_supported")?,
            public_clients: lists("token_endpoint_auth_methods_supported", "none")?,
            offline_access: lists("scopes_supported", "offline_access")? == Some(true),
        })
    }
}

const TOKEN_ENDPOINT: &str = "token_endpoint";

fn address(
    record: &Record<'_>,
    name: &'static str,
    issuer: &SecureUrl,
) -> Result<Option<SecureUrl>, MemberError> {
    let Some(text) = record.text(name)? else { return Ok(None) };
    issuer.names(text).map(Some).map_err(|error| MemberError::url(name, error))
}

/// The parameters of an authorization request, none of which may occur twice.
pub(super) const REQUEST_PARAMETERS: [&str; 8] = [
    "response_type",
    "client_id",
    "redirect_uri",
    "code_challenge",
    "code_challenge_method",
    "state",
    "scope",
    "resource",
];

fn authorization_endpoint(
    record: &Record<'_>,
    issuer: &SecureUrl,
) -> Result<SecureUrl, MemberError> {
    const NAME: &str = "authorization_endpoint";
    let url = needed(NAME, address(record, NAME, issuer)?)?;
    let query = url.query().trim_start_matches('?');
    if form::read(query).any(|(name, _)| REQUEST_PARAMETERS.contains(&name.as_str())) {
        return Err(MemberError::expected(NAME, "free of the parameters of a request"));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn resource(text: &str) -> Result<ResourceMetadata, Fault> {
        let endpoint = SecureUrl::parse("https://a.example/mcp").unwrap();
        ResourceMetadata::read(&json::read(text).unwrap().root, &endpoint)
    }

    fn server(changes: &[(&str, &str)]) -> Result<ServerMetadata, Fault> {
        let issuer = SecureUrl::parse("https://as.example").unwrap();
        let mut members = vec![
            ("issuer", r#""https://as.example""#),
            ("authorization_endpoint", r#""https://as.example/authorize?tenant=1""#),
            ("token_endpoint", r#""https://as.example/token""#),
            ("code_challenge_methods_supported", r#"["S256"]"#),
        ];
        members.retain(|(name, _)| changes.iter().all(|(changed, _)| changed != name));
        members.extend(changes.iter().filter(|(_, value)| !value.is_empty()));
        let members: Vec<_> =
            members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        let text = format!("{{{}}}", members.join(","));
        ServerMetadata::read(&json::read(&text).unwrap().root, &issuer)
    }

    fn problem<T>(result: Result<T, Fault>) -> (&'static str, MemberProblem) {
        match result.err() {
            Some(Fault::Member(error)) => (error.name, error.problem),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn resource_metadata_is_for_this_server() {
        let read = resource(
            r#"{"resource":"https://a.example","scopes_supported":["b","a"],
                "authorization_servers":["https://as.example","http://x.example","https://as.example"]}"#,
        );
        let read = read.unwrap();
        assert_eq!(read.resource, "https://a.example");
        assert_eq!(read.authorization_servers, ["https://as.example"]);
        assert_eq!(read.scopes.unwrap().to_string(), "a b");
        for other in ["https://b.example/mcp", "https://a.example/mc", "http://a.example/mcp", ""] {
            let text = format!(
                r#"{{"resource":"{other}","authorization_servers":["https://as.example"]}}"#
            );
            assert_eq!(resource(&text), Err(Fault::OtherResource { resource: other.into() }));
        }
    }

    #[test]
    fn hostile_resource_metadata_is_refused() {
        let with =
            |more: &str| problem(resource(&format!(r#"{{"resource":"https://a.example"{more}}}"#)));
        let servers = "authorization_servers";
        assert_eq!(with(""), (servers, MemberProblem::Missing));
        assert_eq!(with(r#","authorization_servers":null"#), (servers, MemberProblem::Missing));
        assert_eq!(with(r#","authorization_servers":[]"#), (servers, MemberProblem::Missing));
        let list = MemberProblem::Type("an array of strings");
        assert_eq!(with(r#","authorization_servers":"https://as.example""#), (servers, list));
        assert_eq!(with(r#","authorization_servers":[1]"#), (servers, list));
        let insecure = MemberProblem::Url(UrlError::Insecure);
        assert_eq!(with(r#","authorization_servers":["http://as.example"]"#), (servers, insecure));
        let local = MemberProblem::Url(UrlError::Loopback);
        assert_eq!(with(r#","authorization_servers":["http://localhost"]"#), (servers, local));
        let many = format!(r#","authorization_servers":[{}""]"#, "\"\",".repeat(MAX_SERVERS));
        assert_eq!(with(&many), (servers, MemberProblem::TooLong));
        assert_eq!(with(r#","resource":"x""#), ("resource", MemberProblem::Repeated));
        let long = format!(r#"{{"resource":"{}"}}"#, "x".repeat(10_000));
        assert_eq!(problem(resource(&long)), ("resource", MemberProblem::TooLong));
        assert_eq!(resource("[]"), Err(Fault::NotObject));
        let (name, _) =
            with(r#","authorization_servers":["https://b.example"],"scopes_supported":["a b"]"#);
        assert_eq!(name, "scopes_supported");
        let many = format!(
            r#"{{"resource":"https://a.example","authorization_servers":["https://b.example"],"scopes_supported":[{}"a"]}}"#,
            "\"a\",".repeat(1_000)
        );
        assert_eq!(problem(resource(&many)), ("scopes_supported", MemberProblem::TooLong));
    }

    #[test]
    fn server_metadata_is_the_issuers_own() {
        let read = server(&[
            ("authorization_response_iss_parameter_supported", "true"),
            ("client_id_metadata_document_supported", "true"),
            ("registration_endpoint", r#""https://register.example/""#),
            ("token_endpoint_auth_methods_supported", r#"["client_secret_basic"]"#),
            ("scopes_supported", r#"["openid","offline_access"]"#),
        ]);
        let read = read.unwrap();
        assert!(read.names_issuer && read.takes_metadata_documents && read.offline_access);
        assert_eq!(read.public_clients, Some(false));
        let plain = server(&[]).unwrap();
        assert!(!plain.names_issuer && !plain.takes_metadata_documents && !plain.offline_access);
        assert_eq!((plain.public_clients, plain.registration_endpoint), (None, None));
        for other in ["https://as.example/", "https://AS.example", "https://as.example:443", ""] {
            let fault = server(&[("issuer", &format!("\"{other}\""))]).unwrap_err();
            assert_eq!(fault, Fault::OtherIssuer { issuer: other.into() });
        }
    }

    #[test]
    fn hostile_server_metadata_is_refused() {
        for methods in ["", "[]", r#"["plain"]"#, r#"["s256"]"#, "null"] {
            let read = server(&[("code_challenge_methods_supported", methods)]);
            assert_eq!(read, Err(Fault::NoPkce), "{methods}");
        }
        let wrong = |name, value| problem(server(&[(name, value)]));
        for name in ["authorization_endpoint", "token_endpoint", "registration_endpoint"] {
            let url = |value| wrong(name, value).1;
            assert_eq!(url(r#""http://as.example/""#), MemberProblem::Url(UrlError::Insecure));
            assert_eq!(url(r#""http://127.0.0.1/""#), MemberProblem::Url(UrlError::Loopback));
            assert!(matches!(url(r#""javascript:alert(1)""#), MemberProblem::Url(_)));
            assert_eq!(url("{}"), MemberProblem::Type("a string"));
        }
        assert_eq!(wrong("token_endpoint", "").1, MemberProblem::Missing);
        let (name, _) = wrong("authorization_endpoint", r#""https://as.example/?sta%74e=x""#);
        assert_eq!(name, "authorization_endpoint");
        let flag = "authorization_response_iss_parameter_supported";
        assert_eq!(wrong(flag, "\"true\"").1, MemberProblem::Type("true or false"));
        assert_eq!(
            wrong("code_challenge_methods_supported", "\"S256\"").0,
            "code_challenge_methods_supported"
        );
    }

    #[test]
    fn addresses_follow_the_issuers_path() {
        let addresses = |text: &str| ServerMetadata::addresses(&SecureUrl::parse(text).unwrap());
        let plain = addresses("https://as.example/");
        assert_eq!(plain, addresses("https://as.example"));
        assert_eq!(plain[1], "https://as.example/.well-known/openid-configuration");
        assert_eq!(addresses("https://as.example/t/"), addresses("https://as.example/t"));
        let root = SecureUrl::parse("https://a.example/").unwrap();
        let named = "https://meta.example/x";
        let found = ResourceMetadata::addresses(&root, Some(named));
        assert_eq!(found, [named, "https://a.example/.well-known/oauth-protected-resource"]);
    }
}
