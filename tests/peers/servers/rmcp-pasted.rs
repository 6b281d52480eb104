{
// tower-http = { version = "0.6", features = ["cors"] }
use axum::http::{HeaderName, HeaderValue, Method, header};
use tower_http::cors::{AllowHeaders, CorsLayer};

let cors = CorsLayer::new()
    .allow_origin(HeaderValue::from_static(origin))
    .allow_methods([Method::GET, Method::POST, Method::DELETE])
    .allow_headers(AllowHeaders::mirror_request())
    .expose_headers([
        HeaderName::from_static("mcp-session-id"),
        header::WWW_AUTHENTICATE,
        header::RETRY_AFTER,
    ]);
let app = router.layer(cors);
app
}
