//! The lines that let a page read a server, for what the server is made with.
//!
//! `tests/peers` pastes them into servers and proves that the page can read those.

use super::Place;
use crate::protocol::log::quoted;
use crate::protocol::network::{Network, authority_of, host_of};

/// What a server has to allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// The page's origin, its headers, and reading of the answer's headers.
    Cors,
    /// The name under which the server is called.
    Host,
}

/// What a server is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sdk {
    /// The TypeScript SDK with Express.
    Express,
    /// The TypeScript SDK on `node:http`.
    Node,
    /// The Python SDK.
    Python,
    /// The Rust SDK with axum.
    Rust,
    /// Anything, behind nginx.
    Nginx,
}

impl Sdk {
    /// All of them, in the order of how often they are met.
    pub const ALL: [Self; 5] = [Self::Express, Self::Node, Self::Python, Self::Rust, Self::Nginx];

    /// Their names, in the same order.
    pub const NAMES: [&str; 5] = ["TypeScript", "node:http", "Python", "Rust", "nginx"];
}

impl Remedy {
    /// The lines to paste into a server made with `sdk`, with the page's origin and the server's
    /// name filled in. An `endpoint` that is not known yet stands for this machine.
    ///
    /// ```
    /// use skillglass::protocol::diagnosis::{Place, Remedy, Sdk};
    /// let place = Place { endpoint: "https://mcp.example/mcp", origin: "https://page.example" };
    /// for sdk in Sdk::ALL {
    ///     assert!(Remedy::Cors.lines(sdk, place).contains("https://page.example"));
    ///     assert!(Remedy::Host.lines(sdk, place).contains("mcp.example"));
    /// }
    /// ```
    #[must_use]
    pub fn lines(self, sdk: Sdk, place: Place<'_>) -> String {
        let Place { endpoint, origin } = place;
        let is_here = endpoint.is_empty() || Network::of(endpoint) == Network::Loopback;
        let (host, authority) = (host_of(endpoint), authority_of(endpoint));
        let (names, authorities) = if is_here {
            (r#""localhost", "127.0.0.1""#.to_owned(), r#""localhost:*", "127.0.0.1:*""#.to_owned())
        } else {
            (format!("{host:?}"), format!("{authority:?}"))
        };
        self.template(sdk)
            .replace("{ORIGIN}", origin)
            .replace("{ORIGIN_HOST}", host_of(origin))
            .replace("{HOSTS}", &names)
            .replace("{AUTHORITIES}", &authorities)
            .replace("{HOST}", if is_here { "localhost" } else { host })
    }

    const fn template(self, sdk: Sdk) -> &'static str {
        match (self, sdk) {
            (Self::Cors, Sdk::Express) => EXPRESS_CORS,
            (Self::Cors, Sdk::Node) => NODE_CORS,
            (Self::Cors, Sdk::Python) => PYTHON_CORS,
            (Self::Cors, Sdk::Rust) => RUST_CORS,
            (Self::Cors, Sdk::Nginx) => NGINX_CORS,
            (Self::Host, Sdk::Express) => {
                "const app = createMcpExpressApp({ allowedHosts: [{HOSTS}] });"
            }
            (Self::Host, Sdk::Node) => NODE_HOST,
            (Self::Host, Sdk::Python) => PYTHON_HOST,
            (Self::Host, Sdk::Rust) => {
                "let config = StreamableHttpServerConfig::default().with_allowed_hosts([{HOSTS}]);"
            }
            (Self::Host, Sdk::Nginx) => "proxy_set_header Host {HOST};",
        }
    }
}

/// The command that looks at a server from outside of browsers, where nobody has to let a page in.
///
/// ```
/// use skillglass::protocol::diagnosis::around;
/// assert_eq!(around("http://a.example/mcp?b&c"), "skillglass inspect 'http://a.example/mcp?b&c'");
/// ```
#[must_use]
pub fn around(endpoint: &str) -> String {
    format!("skillglass inspect {}", quoted(endpoint))
}

const EXPRESS_CORS: &str = r#"import cors from "cors";

// createMcpExpressApp checks origins itself; it takes host names.
const app = createMcpExpressApp({ allowedOrigins: ["{ORIGIN_HOST}"] });
// In front of everything else, so that errors can be read as well.
app.use(cors({
  origin: "{ORIGIN}",
  exposedHeaders: ["Mcp-Session-Id", "WWW-Authenticate", "Retry-After"],
}));"#;

const NODE_CORS: &str = r#"import cors from "cors";

const allow = cors({
  origin: "{ORIGIN}",
  exposedHeaders: ["Mcp-Session-Id", "WWW-Authenticate", "Retry-After"],
});
// `handler` is what answers requests so far.
const server = createServer((request, response) =>
  allow(request, response, () => handler(request, response)));"#;

const NODE_HOST: &str = r#"import { hostHeaderValidation } from "@modelcontextprotocol/node";

const isAllowed = hostHeaderValidation([{HOSTS}]);
// It answers what it refuses. `handler` is what answers requests so far.
const server = createServer((request, response) =>
  isAllowed(request, response) && handler(request, response));"#;

const PYTHON_CORS: &str = r#"from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware.cors import CORSMiddleware

# With version 1 of the SDK: FastMCP(..., transport_security=...).
app = mcp.streamable_http_app(
    transport_security=TransportSecuritySettings(
        allowed_hosts=[{AUTHORITIES}],
        allowed_origins=["{ORIGIN}"],
    )
)
app.add_middleware(
    CORSMiddleware,
    allow_origins=["{ORIGIN}"],
    allow_methods=["GET", "POST", "DELETE"],
    allow_headers=["*"],
    expose_headers=["Mcp-Session-Id", "WWW-Authenticate", "Retry-After"],
)"#;

const PYTHON_HOST: &str = r#"from mcp.server.transport_security import TransportSecuritySettings

# With version 1 of the SDK: FastMCP(..., transport_security=...).
app = mcp.streamable_http_app(
    transport_security=TransportSecuritySettings(
        allowed_hosts=[{AUTHORITIES}],
        allowed_origins=["{ORIGIN}"],
    )
)"#;

const RUST_CORS: &str = r#"// tower-http = { version = "0.6", features = ["cors"] }
use axum::http::{HeaderName, HeaderValue, Method, header};
use tower_http::cors::{AllowHeaders, CorsLayer};

let cors = CorsLayer::new()
    .allow_origin(HeaderValue::from_static("{ORIGIN}"))
    .allow_methods([Method::GET, Method::POST, Method::DELETE])
    .allow_headers(AllowHeaders::mirror_request())
    .expose_headers([
        HeaderName::from_static("mcp-session-id"),
        header::WWW_AUTHENTICATE,
        header::RETRY_AFTER,
    ]);
let app = router.layer(cors);"#;

const NGINX_CORS: &str = r#"location /mcp {
    add_header Access-Control-Allow-Origin "{ORIGIN}" always;
    add_header Access-Control-Expose-Headers "Mcp-Session-Id, WWW-Authenticate, Retry-After" always;
    add_header Vary Origin always;
    if ($request_method = OPTIONS) {
        add_header Access-Control-Allow-Origin "{ORIGIN}" always;
        add_header Access-Control-Allow-Methods "GET, POST, DELETE" always;
        add_header Access-Control-Allow-Headers $http_access_control_request_headers always;
        add_header Vary "Origin, Access-Control-Request-Headers" always;
        return 204;
    }
    proxy_pass http://127.0.0.1:3000;
    proxy_buffering off;
    # What the server behind sends of its own would be there twice.
    proxy_hide_header Access-Control-Allow-Origin;
    proxy_hide_header Access-Control-Expose-Headers;
    # A server behind that checks origins itself has to allow this one, too.
}"#;

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Place<'_> =
        Place { endpoint: "http://127.0.0.1:3000/mcp", origin: "http://localhost:8787" };

    #[test]
    fn nothing_is_left_to_fill_in() {
        for sdk in Sdk::ALL {
            for remedy in [Remedy::Cors, Remedy::Host] {
                for place in [HERE, Place { endpoint: "", ..HERE }] {
                    let lines = remedy.lines(sdk, place);
                    assert!(!lines.contains("{ORIGIN") && !lines.contains("{HOST"), "{lines}");
                    assert!(!lines.contains("{AUTH"), "{lines}");
                }
            }
        }
    }

    #[test]
    fn a_server_keeps_the_name_it_is_called_by() {
        let place = Place { endpoint: "https://mcp.example:8443/mcp", ..HERE };
        assert!(Remedy::Cors.lines(Sdk::Python, place).contains(r#"["mcp.example:8443"]"#));
        assert!(Remedy::Host.lines(Sdk::Express, place).contains(r#"["mcp.example"]"#));
        let here = Remedy::Cors.lines(Sdk::Python, HERE);
        assert!(here.contains(r#"["localhost:*", "127.0.0.1:*"]"#));
        assert!(
            Remedy::Cors.lines(Sdk::Express, HERE).contains(r#"allowedOrigins: ["localhost"]"#)
        );
    }
}
