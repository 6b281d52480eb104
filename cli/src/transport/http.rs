//! HTTP: one POST for each message, answered with JSON or an event stream.

use std::error::Error as _;
use std::io;
use std::time::Duration;

use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Method, Response};
use skillglass::finding::{excerpt, quote};
use skillglass::protocol::conversation::AnswerHead;
use skillglass::protocol::network::is_loopback;
use skillglass::protocol::{HttpMethod, HttpRequest, MAX_SILENCES, Progress};

use super::{Hearer, NoAnswer};

/// How long it may take to reach a server at all.
const CONNECT: Duration = Duration::from_secs(15);

/// The way to one endpoint.
pub(crate) struct Http {
    http: reqwest::Client,
    silence: Duration,
}

/// What sends to `endpoint`, for answers that may pause for `silence`. It has no cookies, follows no
/// redirect, as what answers is another endpoint than the one that was named, and names no page it
/// came from.
pub(crate) fn http_client(endpoint: &str, silence: Duration) -> Result<reqwest::Client, String> {
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("skillglass/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::none())
        .referer(false)
        // Who names no coding is said to take any, and none is decoded here.
        .default_headers(HeaderMap::from_iter([(
            ACCEPT_ENCODING,
            HeaderValue::from_static("identity"),
        )]))
        .connect_timeout(CONNECT.min(silence))
        .read_timeout(silence);
    if is_loopback(endpoint) {
        // A proxy has its own loopback.
        builder = builder.no_proxy();
        if endpoint.starts_with("http:") {
            // Nobody has to be trusted, and reading whom the system trusts takes longer than most
            // conversations with this machine.
            builder = builder.tls_certs_only([]);
        }
    }
    builder.build().map_err(|error| innermost(&error))
}

impl Http {
    /// A way to `endpoint`, for answers that may pause for `silence`.
    pub(crate) fn new(endpoint: &str, silence: Duration) -> Result<Self, String> {
        Ok(Self { http: http_client(endpoint, silence)?, silence })
    }

    pub(super) async fn send(
        &self,
        request: &HttpRequest,
        hearer: &mut impl Hearer,
    ) -> Result<(), NoAnswer> {
        let whole = self.silence * MAX_SILENCES;
        let exchange = self.exchange(request, hearer);
        tokio::time::timeout(whole, exchange).await.unwrap_or(Err(NoAnswer::TooSlow(whole)))
    }

    async fn exchange(
        &self,
        request: &HttpRequest,
        hearer: &mut impl Hearer,
    ) -> Result<(), NoAnswer> {
        let mut response = self.call(request).await?;
        if let Some(reason) = NoAnswer::beside(&response) {
            return Err(reason);
        }
        let header = |name| text(response.headers(), name);
        hearer.begin(AnswerHead {
            status: response.status().as_u16(),
            content_type: header("content-type"),
            session: header("mcp-session-id"),
            challenge: header("www-authenticate"),
            retry_after: header("retry-after"),
            noise: None,
        });
        loop {
            let piece = response.chunk().await;
            match piece.map_err(|error| NoAnswer::of(&error, self.silence))? {
                Some(piece) if hearer.push(&piece) == Progress::More => {}
                _ => return Ok(()),
            }
        }
    }

    async fn call(&self, request: &HttpRequest) -> Result<Response, NoAnswer> {
        let method = match request.method {
            HttpMethod::Get => Method::GET,
            HttpMethod::Post => Method::POST,
            HttpMethod::Delete => Method::DELETE,
        };
        let mut builder = self.http.request(method, &request.url);
        for header in &request.headers {
            let value = HeaderValue::from_str(&header.value).map(|mut value| {
                value.set_sensitive(header.secret);
                value
            });
            // The core lets no other values through; a request without its header is not sent.
            let value = value.map_err(|error| NoAnswer::Unreachable(error.to_string()))?;
            builder = builder.header(&header.name, value);
        }
        let sent = builder.body(request.body.clone()).send().await;
        sent.map_err(|error| NoAnswer::of(&error, self.silence))
    }
}

impl NoAnswer {
    /// Why a request of [`http_client`] failed that allows `silence`.
    pub(crate) fn of(error: &reqwest::Error, silence: Duration) -> Self {
        if error.is_timeout() && !error.is_connect() {
            Self::TimedOut(silence)
        } else {
            Self::Unreachable(innermost(error))
        }
    }

    /// Why what came is no answer, though something came.
    pub(crate) fn beside(response: &Response) -> Option<Self> {
        let header = |name| text(response.headers(), name);
        if let Some(address) = header("location").filter(|_| response.status().is_redirection()) {
            let address = response.url().join(&address).map_or(address, String::from);
            // What follows a `?` may be a secret.
            let address = match address.split_once('?') {
                Some((address, _)) => format!("{address}?…"),
                None => address,
            };
            return Some(Self::Elsewhere(quote(&address)));
        }
        let coding = header("content-encoding");
        let coding = coding.filter(|coding| !coding.trim().eq_ignore_ascii_case("identity"));
        coding.map(|coding| Self::Encoded(excerpt(&coding, 40)))
    }
}

/// The reason at the bottom of an error, where the system speaks. It names no address.
fn innermost(error: &reqwest::Error) -> String {
    let mut reason = error.source();
    while let Some(deeper) = reason.and_then(std::error::Error::source) {
        reason = Some(deeper);
    }
    let Some(reason) = reason else { return "the request failed".to_owned() };
    let told = excerpt(&reason.to_string(), 300);
    if is_about_trust(reason) {
        return format!(
            "{told}; who trusts this server adds the certificate of its authority to those of the system, or names a file with it in SSL_CERT_FILE"
        );
    }
    told
}

/// Whether TLS objects to the server's certificate, however often that was wrapped.
fn is_about_trust(mut reason: &(dyn std::error::Error + 'static)) -> bool {
    while let Some(within) = reason.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        reason = within;
    }
    matches!(reason.downcast_ref(), Some(rustls::Error::InvalidCertificate(_)))
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}
