//! What a sign-in is going to do.

use super::{Identity, Scopes, SecureUrl};

/// What a sign-in is going to do, for the user to see before anything of it happens. The texts are
/// the servers'.
///
/// ```
/// use skillglass::auth::*;
/// # let page = Page { redirect_uri: "https://page.example/cb.html".into(), client_metadata_url: None };
/// # let start = Start::new("https://a.example/mcp", page, Randomness { verifier: [1; 32], state: [2; 32] });
/// let (mut flow, _fetch) = Flow::begin(start);
/// let resource = br#"{"resource":"https://a.example/mcp","authorization_servers":["https://as.example"],"scopes_supported":["read"]}"#;
/// let _fetch = flow.answered(Answer::Came { status: 200, body: resource }, 0);
/// let server = br#"{"issuer":"https://as.example","authorization_endpoint":"https://as.example/authorize",
///   "token_endpoint":"https://as.example/token","registration_endpoint":"https://as.example/register",
///   "code_challenge_methods_supported":["S256"]}"#;
/// let AuthStep::Confirm(plan) = flow.answered(Answer::Came { status: 200, body: server }, 0) else { panic!() };
/// assert_eq!(plan.issuer, "https://as.example");
/// assert_eq!(plan.scopes.to_string(), "read");
/// assert!(matches!(plan.identity, Identity::Unregistered(at) if at.as_str() == "https://as.example/register"));
/// assert!(matches!(flow.confirm(), AuthStep::Post { .. })); // the registration
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The authorization server, which is to vouch for the user.
    pub issuer: String,
    /// Where the user is going to be sent.
    pub authorization_endpoint: SecureUrl,
    /// What the tokens are going to be for: the MCP server, or a path above it.
    pub resource: String,
    /// The scopes that are going to be asked for; empty where nobody names any.
    pub scopes: Scopes,
    /// What the authorization server is going to know this page by.
    pub identity: Identity,
}
