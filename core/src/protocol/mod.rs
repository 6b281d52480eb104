//! The client's side of the wire, without I/O: what to send, and what an answer says.
//!
//! A caller does the fetching: it takes an [`HttpRequest`] from a [`Client`], sends it, feeds the
//! answer's bytes to a [`ReplyReader`], and reads the [`Reply`] with the functions of [`results`].
//! Whether to send a call once more says [`Retries`]. Nothing here waits or knows the time.
//!
//! A [`conversation::Conversation`] puts these together.
//!
//! [`diagnosis`] says why a page cannot have an answer, [`log`] keeps what went over the wire, bounded and without secrets.
//!
//! Two eras are spoken: revision `2026-07-28`, which has no handshake, and the ones before it, which
//! have. [`Handshake`] finds out which.

pub mod call;
pub mod client;
pub mod conversation;
pub mod diagnosis;
pub mod directory;
pub mod endpoint;
pub mod handshake;
pub mod http;
pub mod listing;
pub mod log;
pub mod network;
pub mod pipe;
pub mod reply;
pub mod results;
pub mod retry;
pub mod sse;
pub mod wire;

pub use call::{Call, ServerRequest};
pub use client::{Client, RequestError};
pub use endpoint::EndpointError;
pub use handshake::{
    Attempt, Connected, EraChoice, Evidence, Handshake, HandshakeError, HandshakeStep,
};
pub use http::{Header, HttpMethod, HttpReply, HttpRequest};
pub use listing::{ListLimits, Listing, ListingState, StopReason};
pub use reply::{
    Answered, MAX_SILENCES, Message, Progress, Reply, ReplyError, ReplyLimits, ReplyReader,
    RpcError, StreamFlaw,
};
pub use retry::{Again, Patience, Retries};
pub use wire::Wire;

/// The revision of the base protocol this client speaks.
pub const PROTOCOL_VERSION: &str = "2026-07-28";

/// The newest of the older revisions, which the handshake offers.
pub const LEGACY_VERSION: &str = "2025-11-25";

/// The older revisions that a server may settle on.
pub const LEGACY_VERSIONS: [&str; 4] = [LEGACY_VERSION, "2025-06-18", "2025-03-26", "2024-11-05"];

/// The two ways of the base protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// 2026-07-28 and later: every request stands alone.
    Modern,
    /// Before: a handshake, perhaps a session.
    Legacy,
}

impl Era {
    /// The era of a revision. Revisions are named by dates, so the text decides; what is no date
    /// is taken for a draft of the next one.
    ///
    /// ```
    /// use skillglass::protocol::Era;
    /// assert_eq!(Era::of("2026-07-28"), Era::Modern);
    /// assert_eq!(Era::of("2025-11-25"), Era::Legacy);
    /// ```
    #[must_use]
    pub fn of(revision: &str) -> Self {
        if revision < PROTOCOL_VERSION { Self::Legacy } else { Self::Modern }
    }
}

/// The extension's identifier.
pub const SKILLS_EXTENSION: &str = "io.modelcontextprotocol/skills";

/// JSON-RPC: the method does not exist.
pub const METHOD_NOT_FOUND: i64 = -32601;

/// JSON-RPC: parameters are wrong; the extension uses it for unknown skills and files.
pub const INVALID_PARAMS: i64 = -32602;

/// JSON-RPC: a server's own error, whose meaning only its message tells.
pub const SERVER_ERROR: i64 = -32000;

/// MCP before 2026-07-28: the resource does not exist.
pub const LEGACY_NOT_FOUND: i64 = -32002;

/// MCP: a mirrored header is missing or differs from the body.
pub const HEADER_MISMATCH: i64 = -32020;

/// MCP: the client lacks a capability that the server wants.
pub const MISSING_CAPABILITY: i64 = -32021;

/// MCP: the protocol version is not supported.
pub const UNSUPPORTED_VERSION: i64 = -32022;
