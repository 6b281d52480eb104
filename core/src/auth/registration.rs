//! How a page without a secret gets a client id.
//!
//! Source: *Client Registration* of the base protocol; RFC 7591. The order is: what the user
//! entered, what is known for this very issuer, the page's own metadata document, dynamic
//! registration, the user.

use super::answer::Fault;
use super::record::Record;
use super::{AuthError, SecureUrl, ServerMetadata, Start};
use crate::value::{Node, json_string};

/// The longest client id, in bytes.
const MAX_CLIENT_ID: usize = 2 * 1024;

/// A client id, and the only issuer it is good for. To be kept by issuer; it is no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// The issuer.
    pub issuer: String,
    /// The client id.
    pub client_id: String,
}

/// What an authorization server knows this client by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The client id that the user entered.
    Entered(String),
    /// A client id that was registered before.
    Registered(String),
    /// The page's own metadata document: its address is the client id.
    Document(String),
    /// Nothing yet: the page is going to register itself at this address.
    Unregistered(SecureUrl),
}

/// What `server` is going to know this client by.
///
/// # Errors
/// Why no client id can be had without the user.
pub(super) fn identity(start: &Start, server: &ServerMetadata) -> Result<Identity, AuthError> {
    if let Some(entered) = &start.client_id {
        let checked = client_id(entered).ok_or(AuthError::ClientId)?;
        return Ok(Identity::Entered(checked.to_owned()));
    }
    let mut known = start.registrations.iter();
    if let Some(known) = known.find(|known| known.issuer == server.issuer) {
        return Ok(Identity::Registered(known.client_id.clone()));
    }
    let issuer = server.issuer.clone();
    if server.public_clients == Some(false) {
        return Err(AuthError::Confidential { issuer });
    }
    let document = start.page.client_metadata_url.as_ref().filter(|url| is_document_url(url));
    match (document, &server.registration_endpoint) {
        (Some(url), _) if server.takes_metadata_documents => Ok(Identity::Document(url.clone())),
        (_, Some(endpoint)) => Ok(Identity::Unregistered(endpoint.clone())),
        (_, None) => Err(AuthError::NoRegistration { issuer }),
    }
}

/// Whether a client id may be this address: https with a path, where the authorization server can
/// fetch it.
fn is_document_url(url: &str) -> bool {
    let fit = |url: SecureUrl| url.is_https() && !url.is_loopback() && !url.path().is_empty();
    SecureUrl::parse(url).is_ok_and(fit)
}

/// A client id without blanks around it, if it can be one.
pub(super) fn client_id(text: &str) -> Option<&str> {
    let id = text.trim();
    let sendable = id.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    (sendable && !id.is_empty() && id.len() <= MAX_CLIENT_ID).then_some(id)
}

/// The body of a dynamic registration (RFC 7591, section 3.1).
pub(super) fn body(redirect: &SecureUrl) -> String {
    let application_type = if redirect.is_loopback() { "native" } else { "web" };
    format!(
        r#"{{"client_name":"Skillglass","redirect_uris":[{}],"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none","application_type":"{application_type}"}}"#,
        json_string(redirect.as_str()),
    )
}

/// The client id that a registration gave; none where it is a client with a secret.
pub(super) fn read(root: &Node<'_>) -> Result<Option<String>, Fault> {
    const CLIENT_ID: &str = "client_id";
    let record = Record::of(root).ok_or(Fault::NotObject)?;
    let text = record.needed_text(CLIENT_ID)?;
    let id = client_id(text).filter(|id| *id == text);
    let id = id.ok_or(super::record::MemberError::expected(CLIENT_ID, "a client id"))?;
    let method = record.text("token_endpoint_auth_method")?;
    Ok(matches!(method, None | Some("none")).then(|| id.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::super::{Page, Randomness};
    use super::*;
    use crate::json;

    fn url(text: &str) -> SecureUrl {
        SecureUrl::parse(text).unwrap()
    }

    fn server() -> ServerMetadata {
        ServerMetadata {
            issuer: "https://as.example".into(),
            authorization_endpoint: url("https://as.example/authorize"),
            token_endpoint: url("https://as.example/token"),
            registration_endpoint: Some(url("https://as.example/register")),
            names_issuer: true,
            takes_metadata_documents: true,
            public_clients: Some(true),
            offline_access: false,
        }
    }

    fn start() -> Start {
        let page = Page {
            redirect_uri: "https://page.example/callback.html".into(),
            client_metadata_url: Some("https://page.example/client.json".into()),
        };
        let randomness = Randomness { verifier: [1; 32], state: [2; 32] };
        Start::new("https://a.example/mcp", page, randomness)
    }

    #[test]
    fn the_order_is_the_protocols() {
        let registered = |issuer: &str| Registration {
            issuer: issuer.into(),
            client_id: format!("registered at {issuer}"),
        };
        let (mut start, mut server) = (start(), server());
        start.client_id = Some(" entered ".into());
        start.registrations = vec![registered("https://as.example/"), registered(&server.issuer)];
        assert_eq!(identity(&start, &server), Ok(Identity::Entered("entered".into())));
        start.client_id = None;
        let known = "registered at https://as.example";
        assert_eq!(identity(&start, &server), Ok(Identity::Registered(known.into())));
        start.registrations.pop();
        let document = "https://page.example/client.json";
        assert_eq!(identity(&start, &server), Ok(Identity::Document(document.into())));
        server.takes_metadata_documents = false;
        let unregistered = Identity::Unregistered(url("https://as.example/register"));
        assert_eq!(identity(&start, &server), Ok(unregistered.clone()));
        server.takes_metadata_documents = true;
        for unfit in
            ["http://localhost/x.json", "https://localhost/x.json", "https://page.example/"]
        {
            start.page.client_metadata_url = Some(unfit.into());
            assert_eq!(identity(&start, &server), Ok(unregistered.clone()), "{unfit}");
        }
        server.registration_endpoint = None;
        let issuer = server.issuer.clone();
        let reason = AuthError::NoRegistration { issuer: issuer.clone() };
        assert_eq!(identity(&start, &server), Err(reason));
        server.public_clients = Some(false);
        assert_eq!(identity(&start, &server), Err(AuthError::Confidential { issuer }));
        start.client_id = Some("public".into());
        assert_eq!(identity(&start, &server), Ok(Identity::Entered("public".into())));
        start.client_id = Some("  ".into());
        assert_eq!(identity(&start, &server), Err(AuthError::ClientId));
    }

    #[test]
    fn the_registration_is_a_public_clients() {
        let body =
            |redirect: &str| serde_json::from_str::<serde_json::Value>(&body(&url(redirect)));
        let web = body("https://page.example/callback.html").unwrap();
        assert_eq!(web["redirect_uris"][0], "https://page.example/callback.html");
        assert_eq!(web["token_endpoint_auth_method"], "none");
        assert_eq!(web["application_type"], "web");
        assert_eq!(body("http://localhost:8080/cb").unwrap()["application_type"], "native");
    }

    #[test]
    fn only_a_public_clients_id_is_taken() {
        let read = |text: &str| read(&json::read(text).unwrap().root);
        assert_eq!(read(r#"{"client_id":"x","client_secret":"y"}"#), Ok(Some("x".into())));
        let method =
            |method| format!(r#"{{"client_id":"x","token_endpoint_auth_method":{method}}}"#);
        assert_eq!(read(&method("\"none\"")), Ok(Some("x".into())));
        assert_eq!(read(&method("\"client_secret_post\"")), Ok(None));
        for wrong in ["[]", "{}", r#"{"client_id":""}"#, r#"{"client_id":"é"}"#, &method("1")] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
