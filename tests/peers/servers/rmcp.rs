//! The article's skill from the official Rust SDK, whose catalog makes the entries.
//!
//! `rmcp-server both` speaks both eras, the older one in sessions. `rmcp-server older` knows the
//! older era only, has no sessions and answers in JSON. `PAGE_ORIGIN` names a page that is let in, by
//! the lines which that page tells people to add to such a server.

use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

use axum::Router;
use rmcp::handler::server::skill_catalog::SkillCatalog;
use rmcp::model::{
    GetSkillRequestParams, GetSkillResult, ListSkillsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

const ARTICLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/article");

#[derive(Clone)]
struct Skills {
    catalog: Arc<SkillCatalog>,
    versions: &'static [ProtocolVersion],
}

impl ServerHandler for Skills {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_resources().enable_skills().build())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(self.versions)
    }

    async fn list_skills(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        Ok(self.catalog.list_skills())
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        self.catalog.get_skill(&request.uri)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let file = self.catalog.read_resource(&request.uri);
        file.map(Into::into).ok_or_else(|| ErrorData::resource_not_found(request.uri, None))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (versions, config) = set_up(std::env::args().nth(1).as_deref())?;
    let skills = Skills { catalog: Arc::new(SkillCatalog::from_dir(ARTICLE)?), versions };
    let service = StreamableHttpService::new(
        move || Ok(skills.clone()),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let router = Router::new().nest_service("/mcp", service);
    let router = match std::env::var("PAGE_ORIGIN") {
        Ok(origin) => let_in(router, origin.leak()),
        Err(_) => router,
    };
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/mcp", listener.local_addr()?);
    tokio::select! {
        served = axum::serve(listener, router) => Ok(served?),
        closed = input_closed() => closed,
    }
}

/// What the lines make of a router, with `origin` in place of the text that names one.
#[expect(clippy::let_and_return, reason = "the lines are those that people paste")]
fn let_in(router: Router, origin: &'static str) -> Router {
    include!("rmcp-pasted.rs")
}

fn set_up(
    name: Option<&str>,
) -> Result<(&'static [ProtocolVersion], StreamableHttpServerConfig), String> {
    const BOTH: &[ProtocolVersion] =
        &[ProtocolVersion::V_2026_07_28, ProtocolVersion::V_2025_11_25];
    const OLDER: &[ProtocolVersion] = &[ProtocolVersion::V_2025_06_18];
    let config = StreamableHttpServerConfig::default();
    match name {
        Some("both") => Ok((BOTH, config)),
        Some("older") => {
            Ok((OLDER, config.with_legacy_session_mode(false).with_json_response(true)))
        }
        _ => Err("Usage: rmcp-server both|older".to_owned()),
    }
}

/// Whoever started this server holds its standard input open, and may die without a word.
async fn input_closed() -> Result<(), Box<dyn Error>> {
    tokio::io::stdin().read_to_end(&mut Vec::new()).await?;
    Ok(())
}
