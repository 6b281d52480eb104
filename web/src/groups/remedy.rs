//! The lines that let this page read a server, for the three official SDKs.

use leptos::prelude::*;

use crate::elements::{Choices, CopyButton};

/// The SDKs' languages.
const SDKS: [&str; 3] = ["TypeScript", "Python", "Rust"];

/// The lines for each, in the same order.
const LINES: [&str; 3] = [TYPESCRIPT, PYTHON, RUST];

fn lines(sdk: usize, origin: &str) -> String {
    let host = origin.split_once("://").map_or(origin, |(_, rest)| rest);
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
    let lines = LINES.get(sdk).copied().unwrap_or_default();
    lines.replace("{ORIGIN}", origin).replace("{HOST}", host)
}

const TYPESCRIPT: &str = r#"import cors from "cors";

// createMcpExpressApp checks origins itself; it takes host names.
const app = createMcpExpressApp({ allowedOrigins: ["{HOST}"] });
// In front of everything else, so that errors can be read as well.
app.use(cors({
  origin: "{ORIGIN}",
  allowedHeaders: [
    "Authorization", "Content-Type",
    "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name",
  ],
  exposedHeaders: ["WWW-Authenticate"],
}));"#;

const PYTHON: &str = r#"from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware.cors import CORSMiddleware

app = mcp.streamable_http_app(
    transport_security=TransportSecuritySettings(
        allowed_hosts=["127.0.0.1:*", "localhost:*"],
        allowed_origins=["{ORIGIN}"],
    )
)
app.add_middleware(
    CORSMiddleware,
    allow_origins=["{ORIGIN}"],
    allow_methods=["POST"],
    allow_headers=[
        "Authorization", "Content-Type",
        "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name",
    ],
    expose_headers=["WWW-Authenticate"],
)"#;

const RUST: &str = r#"// tower-http = { version = "0.6", features = ["cors"] }
use http::{HeaderName, HeaderValue, Method, header};
use tower_http::cors::CorsLayer;

let cors = CorsLayer::new()
    .allow_origin(HeaderValue::from_static("{ORIGIN}"))
    .allow_methods([Method::POST])
    .allow_headers([
        header::AUTHORIZATION,
        header::CONTENT_TYPE,
        HeaderName::from_static("mcp-protocol-version"),
        HeaderName::from_static("mcp-method"),
        HeaderName::from_static("mcp-name"),
    ])
    .expose_headers([header::WWW_AUTHENTICATE]);
let app = router.layer(cors);"#;

/// The lines to paste, with this page's origin filled in.
#[component]
pub(crate) fn Remedy(
    /// This page's origin.
    origin: String,
) -> impl IntoView {
    let sdk = RwSignal::new(0);
    let lines = Signal::derive(move || lines(sdk.get(), &origin));
    view! {
        <div class="remedy">
            <div class="remedy-bar">
                <Choices label="SDK of the server" names=&SDKS chosen=sdk/>
                <CopyButton text=lines label="Copy"/>
            </div>
            <pre tabindex="0" aria-label="Lines to paste">{lines}</pre>
        </div>
    }
}
