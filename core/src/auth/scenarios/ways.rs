//! Ways that lead to tokens.

use super::*;

#[test]
fn from_401_to_tokens_to_refresh_to_more_scopes() {
    let header = format!("Bearer resource_metadata=\"{RESOURCE_ROOT}\", scope=\"read list\"");
    let remedy = Remedy::of(401, Some(&header), Sent::Nothing);
    let Some(Remedy::SignIn(challenge)) = remedy else { panic!("{remedy:?}") };
    let run = Run::begin(Start { challenge, ..start() });
    let run = run.fetches(RESOURCE_ROOT).ok(RESOURCE).fetches(SERVER_URL).ok(&server(
        r#","client_id_metadata_document_supported":true,"scopes_supported":["offline_access"],
            "authorization_response_iss_parameter_supported":true"#,
    ));
    let document = "https://page.example/client.json";
    let plan = Plan {
        issuer: ISSUER.into(),
        authorization_endpoint: SecureUrl::parse("https://as.example/authorize").unwrap(),
        resource: "https://mcp.example/team".into(),
        scopes: Scopes::parse("read list offline_access").unwrap(),
        identity: Identity::Document(document.into()),
    };
    assert_eq!(*run.plan(), plan);
    let run = run.confirms();
    assert!(run.opened().0.starts_with("https://as.example/authorize?response_type=code&"));
    assert_eq!(run.asks("client_id").unwrap(), document);
    assert_eq!(run.asks("scope").unwrap(), "list offline_access read");
    assert_eq!(run.asks("resource").unwrap(), "https://mcp.example/team");

    let run = run.returns("code=c%2B0de&iss=https%3A%2F%2Fas.example");
    let form = run.posts();
    let verifier = random().code_verifier();
    for (name, expected) in [
        ("grant_type", "authorization_code"),
        ("code", "c+0de"),
        ("code_verifier", verifier.expose()),
        ("client_id", "https://page.example/client.json"),
        ("redirect_uri", "https://page.example/callback.html"),
        ("resource", "https://mcp.example/team"),
    ] {
        assert_eq!(value(&form, name), Some(expected));
    }
    let tokens = run.ok(TOKENS).tokens();
    let access = |tokens: &Tokens| tokens.access_token(ENDPOINT).unwrap().expose().to_owned();
    assert_eq!(access(&tokens), "access-token-number-1");
    assert_eq!(tokens.expires_at_ms(), Some(3_601_000));

    // The token expires: it is renewed without the user, and the refresh token rotates.
    let sent = Sent::Token { tokens: &tokens, renewed: false };
    let expired = Some("Bearer error=\"invalid_token\"");
    assert_eq!(Remedy::of(401, expired, sent), Some(Remedy::Refresh));
    let (flow, step) = Flow::refresh(&tokens);
    let run = Run { flow, step };
    let form = run.posts();
    assert_eq!(value(&form, "grant_type"), Some("refresh_token"));
    assert_eq!(value(&form, "refresh_token"), Some("refresh-token-number-1"));
    assert_eq!(value(&form, "client_id"), Some("https://page.example/client.json"));
    assert_eq!(value(&form, "resource"), Some("https://mcp.example/team"));
    let tokens = run.ok(&TOKENS.replace("number-1", "number-2")).tokens();
    assert_eq!(access(&tokens), "access-token-number-2");

    // A request needs more: what was asked for before is asked for again, at the same server.
    let sent = Sent::Token { tokens: &tokens, renewed: false };
    let header = Some("Bearer error=\"insufficient_scope\", scope=\"write\"");
    let remedy = Remedy::of(403, header, sent);
    let Some(Remedy::StepUp { scopes, challenge }) = remedy else { panic!("{remedy:?}") };
    let start = Start::step_up(&tokens, scopes, page(), random());
    let run = Run::at_server(Start { challenge, ..start }, "").confirms();
    assert_eq!(run.asks("scope").unwrap(), "list offline_access read write");
    assert_eq!(run.asks("client_id").unwrap(), "https://page.example/client.json");
    let tokens = run.returns("code=x").ok(TOKENS).tokens();
    assert!(tokens.scopes().contains("write"));
}

#[test]
fn more_scopes_are_asked_for_a_few_times_only() {
    let mut tokens = Run::away("").returns("code=x").ok(TOKENS).tokens();
    let refused = |tokens: &Tokens, scope: &str| {
        let header = format!("Bearer error=insufficient_scope, scope=\"{scope}\"");
        let needed = Scopes::parse(scope).unwrap();
        let remedy = Remedy::of(403, Some(&header), Sent::Token { tokens, renewed: false });
        assert_eq!(remedy, Some(Remedy::Stop(AuthError::MoreScopesUseless { needed })));
    };
    refused(&tokens, "read"); // granted
    refused(&tokens, ""); // nobody knows which
    for step_up in 0..MAX_STEP_UPS {
        let header = format!("Bearer error=insufficient_scope, scope=\"more-{step_up}\"");
        let sent = Sent::Token { tokens: &tokens, renewed: false };
        let Some(Remedy::StepUp { scopes, .. }) = Remedy::of(403, Some(&header), sent) else {
            panic!("{step_up}")
        };
        let start = Start::step_up(&tokens, scopes, page(), random());
        tokens = Run::at_server(start, "").confirms().returns("code=x").ok(TOKENS).tokens();
        tokens = Tokens::read(&tokens.to_json()).unwrap();
    }
    refused(&tokens, "yet-more"); // too often
}

#[test]
fn the_page_may_be_loaded_anew_while_the_user_is_away() {
    let run = Run::away("");
    let kept = run.opened().1.to_json();
    let state = run.opened().1.state().expose().to_owned();
    let flow = Flow::resume(Pending::read(&kept).unwrap());
    let run = Run { flow, step: AuthStep::Failed(AuthError::OutOfTurn) };
    let run = run.returns_as(&state, "code=x");
    let verifier = random().code_verifier();
    assert_eq!(value(&run.posts(), "code_verifier"), Some(verifier.expose()));
    assert!(run.ok(TOKENS).tokens().can_refresh());
}

#[test]
fn metadata_is_looked_for_in_order() {
    let mut start = start();
    start.challenge.resource_metadata = Some("https://mcp.example/meta".into());
    let run = Run::begin(start).fetches("https://mcp.example/meta").status(404, "");
    let run = run.fetches(RESOURCE_URL).answer(Answer::Opaque).fetches(RESOURCE_ROOT).ok(RESOURCE);
    let run = run.fetches(SERVER_URL).ok("<!doctype html>").fetches(SERVER_OPENID);
    run.ok(&server(WITH_DOCUMENTS)).plan();
}

#[test]
fn an_unsafe_metadata_address_is_not_asked() {
    for address in ["http://mcp.example/x", "http://localhost/x", "data:,{}", "https://a@b/"] {
        let mut start = start();
        start.challenge.resource_metadata = Some(address.into());
        Run::begin(start).fetches(RESOURCE_URL);
    }
}

#[test]
fn without_metadata_the_servers_own_origin_is_asked() {
    let run = || Run::begin(start()).status(404, "").status(404, "");
    let root = "https://mcp.example/.well-known/oauth-authorization-server";
    let own = server(&format!(r#"{WITH_DOCUMENTS},"scopes_supported":["offline_access"]"#));
    for issuer in ["https://mcp.example", "https://mcp.example/"] {
        let own = own.replacen("https://as.example", issuer, 1);
        let run = run().fetches(root).ok(&own).confirms();
        assert_eq!(run.opened().1.issuer(), issuer);
        assert_eq!(run.asks("resource").unwrap(), ENDPOINT);
        assert_eq!(run.asks("scope"), None);
    }
    // An issuer the user named goes before that.
    let named = Start { issuer: Some(ISSUER.into()), ..start() };
    Run::begin(named).status(404, "").status(404, "").fetches(SERVER_URL).ok(&own).plan();
    // If there is none either, the lack of the server's metadata is what has to be mended.
    let (question, url, fault) = run().status(404, "").answer(Answer::Opaque).fault();
    assert_eq!((question, fault), (Question::ResourceMetadata, Fault::Status(404)));
    assert_eq!(url, RESOURCE_URL);
    // A page for people in place of metadata is none; metadata that is there and wrong is told.
    let weak =
        own.replacen("https://as.example", "https://mcp.example", 1).replace("S256", "plain");
    let run = Run::begin(start()).ok("<html>").ok("<html>").fetches(root).ok(&weak);
    assert_eq!(run.status(404, "").fault().2, Fault::NoPkce);
}

#[test]
fn the_user_chooses_among_servers_once() {
    let two = RESOURCE.replace("[\"https://as", "[\"https://other.example/x\",\"https://as");
    let mut run = Run::begin(start()).ok(&two);
    let issuers = vec!["https://other.example/x".to_owned(), ISSUER.to_owned()];
    assert_eq!(run.step, AuthStep::ChooseServer { issuers });
    assert_eq!(run.flow.choose("https://evil.example"), AuthStep::Failed(AuthError::OutOfTurn));
    run.step = run.flow.choose(ISSUER);
    run.fetches(SERVER_URL);
    Run::begin(Start { issuer: Some(ISSUER.into()), ..start() }).ok(&two).fetches(SERVER_URL);
    let gone = Start { issuer: Some("https://gone.example".into()), ..start() };
    assert!(matches!(Run::begin(gone).ok(&two).step, AuthStep::ChooseServer { .. }));
}

#[test]
fn a_page_can_register_itself() {
    let run = Run::at_server(start(), WITH_REGISTRATION);
    let endpoint = SecureUrl::parse("https://as.example/register").unwrap();
    assert_eq!(run.plan().identity, Identity::Unregistered(endpoint));
    let run = run.confirms();
    let AuthStep::Post { url, content_type, body } = &run.step else { panic!("{:?}", run.step) };
    assert_eq!((url.as_str(), *content_type), ("https://as.example/register", "application/json"));
    assert!(body.expose().contains("https://page.example/callback.html"));
    let run = run.status(201, r#"{"client_id":"new-client"}"#);
    assert_eq!(run.asks("client_id").unwrap(), "new-client");
    let tokens = run.returns("code=x").ok(TOKENS).tokens();
    let known = Registration { issuer: ISSUER.into(), client_id: "new-client".into() };
    assert_eq!(tokens.registration(), known);
    // It is not registered a second time, unless another server is asked.
    let again = Start::again(&tokens, page(), random());
    let run = Run::at_server(again.clone(), WITH_REGISTRATION).confirms();
    assert_eq!(run.asks("client_id").unwrap(), "new-client");
    let other = server(WITH_REGISTRATION).replacen("as.example", "b.example", 1);
    let moved = RESOURCE.replace("as.example", "b.example");
    let run = Run::begin(again).ok(&moved).ok(&other).confirms();
    assert!(matches!(run.step, AuthStep::Post { .. }), "{:?}", run.step);
}

#[test]
fn the_user_can_help_where_a_page_cannot_register_itself() {
    let asked = |run: &Run| match &run.step {
        AuthStep::AskClientId { issuer, reason } => {
            assert_eq!(issuer, ISSUER);
            reason.clone()
        }
        other => panic!("{other:?}"),
    };
    let confidential = AuthError::Confidential { issuer: ISSUER.into() };
    let run = Run::at_server(start(), "");
    assert_eq!(asked(&run), AuthError::NoRegistration { issuer: ISSUER.into() });
    let secret = r#","token_endpoint_auth_methods_supported":["client_secret_basic"]"#;
    let run = Run::at_server(start(), &format!("{secret}{WITH_REGISTRATION}"));
    assert_eq!(asked(&run), confidential);

    let registering = || Run::at_server(start(), WITH_REGISTRATION).confirms();
    let run = registering().ok(
        r#"{"client_id":"x","client_secret":"y","token_endpoint_auth_method":"client_secret_post"}"#,
    );
    assert_eq!(asked(&run), confidential);
    let run = registering().answer(Answer::Opaque);
    let opaque = Question::Registration.failed("https://as.example/register", Fault::Opaque);
    assert_eq!(asked(&run), opaque);
    assert!(opaque.advice().contains("Access-Control-Allow-Origin"));

    let refused = r#"{"error":"invalid_redirect_uri","error_description":"no <b>\u202e"}"#;
    let mut run = registering().status(400, refused);
    let reason = asked(&run);
    assert!(reason.to_string().contains("invalid_redirect_uri (no <b>\\u{202e})"), "{reason}");
    assert!(reason.advice().contains("enter the client id"));
    run.step = run.flow.enter_client_id("\n");
    assert_eq!(asked(&run), AuthError::ClientId);
    run.step = run.flow.enter_client_id(" by-hand ");
    assert_eq!(run.confirms().asks("client_id").unwrap(), "by-hand");

    // A client id of one's own goes before every other way.
    let mut run = Run::at_server(start(), WITH_REGISTRATION);
    run.step = run.flow.enter_client_id("mine");
    assert_eq!(run.plan().identity, Identity::Entered("mine".into()));
    assert_eq!(run.confirms().asks("client_id").unwrap(), "mine");
}

#[test]
fn a_local_server_may_be_http_and_so_may_its_authorization_server() {
    let local = |text: &str| text.replace("https://mcp.example", "http://127.0.0.1:1");
    let mut start = Start { endpoint: local(ENDPOINT), ..start() };
    start.page = Page {
        redirect_uri: "http://localhost:8080/callback.html".into(),
        client_metadata_url: None,
    };
    let local_as = |text: &str| text.replace("https://as.example", "http://localhost:2");
    let run = Run::begin(start).fetches(&local(RESOURCE_URL)).ok(&local_as(&local(RESOURCE)));
    let run = run.fetches(&local_as(SERVER_URL)).ok(&local_as(&server(WITH_REGISTRATION)));
    let run = run.confirms();
    let AuthStep::Post { body, .. } = &run.step else { panic!("{:?}", run.step) };
    assert!(body.expose().contains(r#""application_type":"native""#));
}
