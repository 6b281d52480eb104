//! Signing in to an MCP server from a place that can keep no secret, without I/O.
//!
//! Sources: *Authorization* of the base protocol at 2026-07-28, with OAuth 2.1, RFC 6750, 7591,
//! 7636, 8414, 8707, 9207 and 9728. Time and random bytes are arguments; nothing here fetches,
//! stores or opens anything.
//!
//! What the user entered comes first and is never replaced. [`Remedy::of`] says what a refused
//! request calls for. Where that is a sign-in, a [`Flow`] says step by step what to do:
//!
//! | the flow says | the caller goes on with |
//! |---|---|
//! | [`AuthStep::Fetch`], [`AuthStep::Post`] | [`Flow::answered`] |
//! | [`AuthStep::ChooseServer`] | [`Flow::choose`] |
//! | [`AuthStep::AskClientId`] | [`Flow::enter_client_id`] |
//! | [`AuthStep::Confirm`] | [`Flow::confirm`], or [`Flow::enter_client_id`] |
//! | [`AuthStep::Open`] | [`Flow::returned`], in another page after [`Flow::resume`] |
//! | [`AuthStep::Done`] | [`Sent::authorize`], for every request |
//! | [`AuthStep::Failed`] | nothing: the [`AuthError`] says why, and what can be done |
//!
//! # What is kept secret
//!
//! Tokens, codes and verifiers are [`Secret`]s: no `Debug` and no message shows them, even where a
//! server repeats them in what it says. Only [`Pending::to_json`] and [`Tokens::to_json`] write
//! them, for the session storage of one tab. Tokens name the one address they may be sent to.
//!
//! # What servers cannot do
//!
//! Every address is https, or http on this machine, and only this machine may name itself. Answers
//! are read up to [`MAX_ANSWER`], members strictly, and what is quoted is bounded and escaped. No
//! server can have the caller fetch without end: each step leads on or stops.
//!
//! # Example
//!
//! ```
//! use skillglass::auth::*;
//! # let bytes = [7; 32]; // from the platform's cryptographic source
//! # let page = Page { redirect_uri: "https://page.example/cb.html".into(), client_metadata_url: None };
//! let Some(Remedy::SignIn(challenge)) = Remedy::of(401, Some("Bearer"), Sent::Nothing) else { panic!() };
//! let mut start = Start::new("https://mcp.example/mcp", page, Randomness { verifier: bytes, state: bytes });
//! start.challenge = challenge;
//! start.client_id = Some("my-client".into());
//! let (mut flow, _fetch) = Flow::begin(start);
//!
//! let resource = br#"{"resource":"https://mcp.example/mcp","authorization_servers":["https://as.example"]}"#;
//! let _fetch = flow.answered(Answer::Came { status: 200, body: resource }, 0);
//! let server = br#"{"issuer":"https://as.example","authorization_endpoint":"https://as.example/authorize",
//!   "token_endpoint":"https://as.example/token","code_challenge_methods_supported":["S256"]}"#;
//! let step = flow.answered(Answer::Came { status: 200, body: server }, 0);
//! let AuthStep::Confirm(plan) = step else { panic!() };
//! assert_eq!(plan.identity, Identity::Entered("my-client".into()));
//! let AuthStep::Open { url, pending } = flow.confirm() else { panic!() };
//! assert!(url.contains("&resource=https%3A%2F%2Fmcp.example%2Fmcp"));
//!
//! // The person consents and comes back, perhaps to a page that was loaded anew.
//! let pending = Pending::read(&pending.to_json()).unwrap();
//! let query = format!("?code=c0de&state={}", pending.state().expose());
//! let mut flow = Flow::resume(pending);
//! let forged = flow.returned(Callback::read("?code=x&state=forged").unwrap());
//! assert_eq!(forged, AuthStep::Failed(AuthError::UnknownReturn));
//! let _post = flow.returned(Callback::read(&query).unwrap());
//! let answer = br#"{"access_token":"t0ken","token_type":"Bearer","expires_in":60}"#;
//! let AuthStep::Done(tokens) = flow.answered(Answer::Came { status: 200, body: answer }, 1_000) else { panic!() };
//! assert_eq!(tokens.access_token("https://mcp.example/mcp").unwrap().expose(), "t0ken");
//! assert_eq!(tokens.access_token("https://other.example/mcp"), None);
//! assert_eq!(tokens.expires_at_ms(), Some(61_000));
//! ```

mod address;
mod answer;
mod callback;
mod challenge;
mod discovery;
mod error;
mod flow;
mod form;
mod metadata;
mod pending;
mod pkce;
mod plan;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties;
mod record;
mod refusal;
mod registration;
#[cfg(test)]
mod scenarios;
mod scopes;
mod search;
mod secret;
mod start;
mod tokens;

pub use address::{MAX_URL, SecureUrl, UrlError};
pub use answer::{Answer, Fault, MAX_ANSWER, Objection, Question};
pub use callback::Callback;
pub use challenge::{Challenge, Challenges};
pub use error::AuthError;
pub use flow::{AuthStep, Flow};
pub use metadata::{ResourceMetadata, ServerMetadata};
pub use pending::Pending;
pub use pkce::{Randomness, code_challenge};
pub use plan::Plan;
pub use record::{MemberError, MemberProblem};
pub use refusal::{Remedy, Sent};
pub use registration::{Identity, Registration};
pub use scopes::{MAX_SCOPES, Scopes};
pub use secret::Secret;
use secret::Secrets;
pub use start::{Page, Start};
pub use tokens::{MAX_STEP_UPS, Tokens};
