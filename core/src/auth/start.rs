//! What an authorization begins with.

use super::tokens::Grant;
use super::{Challenge, Randomness, Registration, Scopes, Secrets, Tokens};

/// The page's own addresses, as authorization servers see them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Where people are sent back to: a real file of the page, without a `#`. It has to be
    /// registered at the authorization server exactly as it stands here.
    pub redirect_uri: String,
    /// Where the page's client metadata document lies, if it is hosted with one: JSON with
    /// `client_id` (this very address), `client_name`, `redirect_uris`, `grant_types`,
    /// `response_types` and `token_endpoint_auth_method: "none"`. Used only if it is https with a
    /// path, and not on this machine.
    pub client_metadata_url: Option<String>,
}

/// What an authorization begins with. Fields that are left as they are stand for what nobody
/// knows yet.
///
/// ```
/// use skillglass::auth::{Challenges, Page, Randomness, Start};
/// # let bytes = [0; 32]; // from the platform's cryptographic source
/// let page = Page {
///     redirect_uri: "https://page.example/oauth/callback.html".into(),
///     client_metadata_url: None,
/// };
/// let random = Randomness { verifier: bytes, state: bytes };
/// let mut start = Start::new("https://mcp.example.com/mcp", page, random);
/// start.challenge = Challenges::read("Bearer scope=\"files:read\"").bearer.unwrap_or_default();
/// start.client_id = Some("registered-by-hand".into());
/// ```
#[derive(Clone, Debug)]
pub struct Start {
    /// The MCP server's address, exactly as requests use it.
    pub endpoint: String,
    /// The page.
    pub page: Page,
    /// Random bytes for this authorization alone.
    pub randomness: Randomness,
    /// What the server's 401 or 403 said.
    pub challenge: Challenge,
    /// The issuer that the user chose or entered before.
    pub issuer: Option<String>,
    /// The client id that the user entered.
    pub client_id: Option<String>,
    /// Client ids that are known from before. Each is used with its own issuer only.
    pub registrations: Vec<Registration>,
    /// The scopes to ask for besides those of the challenge.
    pub(super) scopes: Scopes,
    pub(super) step_ups: u64,
    /// What the servers have seen already.
    pub(super) secrets: Secrets,
}

impl Start {
    /// The beginning of a first authorization for the MCP server at `endpoint`.
    #[must_use]
    pub fn new(endpoint: impl Into<String>, page: Page, randomness: Randomness) -> Self {
        Self {
            endpoint: endpoint.into(),
            page,
            randomness,
            challenge: Challenge::default(),
            issuer: None,
            client_id: None,
            registrations: Vec::new(),
            scopes: Scopes::default(),
            step_ups: 0,
            secrets: Secrets::default(),
        }
    }

    /// The beginning of another authorization with the same server, client and scopes: where
    /// tokens have expired and cannot be renewed.
    #[must_use]
    pub fn again(tokens: &Tokens, page: Page, randomness: Randomness) -> Self {
        let Grant { endpoint, issuer, scopes, step_ups, .. } = tokens.grant.clone();
        Self {
            issuer: Some(issuer),
            registrations: vec![tokens.registration()],
            scopes,
            step_ups,
            secrets: tokens.secrets(),
            ..Self::new(endpoint, page, randomness)
        }
    }

    /// The beginning of an authorization for more: `scopes` are those of
    /// [`Remedy::StepUp`](super::Remedy::StepUp).
    #[must_use]
    pub fn step_up(tokens: &Tokens, scopes: Scopes, page: Page, randomness: Randomness) -> Self {
        let again = Self::again(tokens, page, randomness);
        Self { scopes, step_ups: again.step_ups + 1, ..again }
    }
}
