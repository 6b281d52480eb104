//! The client's side of the wire, without I/O: what to send, and what an answer says.
//!
//! A caller does the fetching: it takes an [`HttpRequest`] from a [`Client`], sends it, feeds the
//! answer's bytes to a [`ReplyReader`], and reads the [`Reply`] with the functions of [`results`].
//! Nothing here waits, retries or knows the time.
//!
//! Spoken so far: revision `2026-07-28`.

pub mod directory;
pub mod listing;
pub mod reply;
pub mod request;
pub mod results;
pub mod sse;

pub use listing::{ListLimits, Listing, ListingState, StopReason};
pub use reply::{Message, Progress, Reply, ReplyError, ReplyLimits, ReplyReader, RpcError};
pub use request::{Call, Client, EndpointError, Header, HttpReply, HttpRequest, RequestError};

/// The revision of the base protocol this client speaks.
pub const PROTOCOL_VERSION: &str = "2026-07-28";

/// The extension's identifier.
pub const SKILLS_EXTENSION: &str = "io.modelcontextprotocol/skills";

/// JSON-RPC: the method does not exist.
pub const METHOD_NOT_FOUND: i64 = -32601;

/// JSON-RPC: parameters are wrong; the extension uses it for unknown skills and files.
pub const INVALID_PARAMS: i64 = -32602;

/// MCP before 2026-07-28: the resource does not exist.
pub const LEGACY_NOT_FOUND: i64 = -32002;

/// MCP: a mirrored header is missing or differs from the body.
pub const HEADER_MISMATCH: i64 = -32020;

/// MCP: the protocol version is not supported.
pub const UNSUPPORTED_VERSION: i64 = -32022;
