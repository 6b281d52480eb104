//! Ways that end without tokens, each with its own reason.

use super::*;
use crate::protocol::{Call, Client};

#[test]
fn what_the_user_entered_is_never_replaced() {
    let challenge = Some("Bearer error=\"insufficient_scope\", scope=\"x\"");
    for status in [401, 403] {
        let refused = Some(Remedy::Stop(AuthError::OwnHeadersRefused { status }));
        assert_eq!(Remedy::of(status, challenge, Sent::OwnAuthorization), refused);
    }
    // Other headers can stand beside a token, if that is what the server asks for.
    let remedy = |status, header| Remedy::of(status, header, Sent::OwnHeaders);
    for status in [401, 403] {
        assert!(matches!(remedy(status, challenge), Some(Remedy::SignIn(_))));
    }
    let refused = AuthError::OwnHeadersRefused { status: 401 };
    assert_eq!(remedy(401, None), Some(Remedy::Stop(refused)));

    let tokens = Run::away("").returns("code=x").ok(TOKENS).tokens();
    let request = |endpoint: &str, own: &[(&str, &str)]| {
        let mut client = Client::new(endpoint).unwrap();
        own.iter().for_each(|(name, value)| client.set_header(name, value).unwrap());
        client.request(&Call::Discover).unwrap()
    };
    let sent = |endpoint: &str, own: &[(&str, &str)]| {
        let mut request = request(endpoint, own);
        let sent = format!("{:?}", Sent::authorize(&mut request, Some(&tokens), false));
        (sent, request.header("authorization").map(str::to_owned))
    };
    let own = sent(ENDPOINT, &[("aUTHORIZATION", "Bearer mine")]);
    assert_eq!(own, ("OwnAuthorization".into(), Some("Bearer mine".into())));
    let (how, header) = sent(ENDPOINT, &[("X-Tenant", "7")]);
    assert!(how.starts_with("Token"));
    assert_eq!(header.as_deref(), Some("Bearer access-token-number-1"));
    // A token never goes to another address.
    let other = "https://mcp.example/team/other";
    assert_eq!(sent(other, &[]), ("Nothing".into(), None));
    assert_eq!(sent(other, &[("X-Tenant", "7")]), ("OwnHeaders".into(), None));
    let mut request = request(ENDPOINT, &[]);
    Sent::authorize(&mut request, Some(&tokens), false);
    assert!(!format!("{request:?}").contains("access-token"));
}

#[test]
fn not_every_refusal_is_a_question_of_signing_in() {
    let remedy = |status, header| Remedy::of(status, header, Sent::Nothing);
    assert_eq!(remedy(401, None), Some(Remedy::SignIn(Challenge::default())));
    assert_eq!(remedy(401, Some("")), Some(Remedy::SignIn(Challenge::default())));
    assert_eq!(remedy(403, None), None);
    let invalid = Some("Bearer error=\"invalid_token\"");
    assert_eq!(remedy(403, invalid), None);
    assert_eq!(Remedy::of(403, invalid, Sent::OwnAuthorization), None);
    let tokens = Run::away("").returns("code=x").ok(TOKENS).tokens();
    let sent = Sent::Token { tokens: &tokens, renewed: false };
    assert_eq!(Remedy::of(403, invalid, sent), Some(Remedy::Stop(AuthError::Forbidden)));
    let schemes = vec!["Basic".to_owned(), "DPoP".to_owned()];
    let other = Some(Remedy::Stop(AuthError::OtherScheme { schemes }));
    assert_eq!(remedy(401, Some("Basic realm=x, DPoP algs=y")), other);
    for status in [200, 400, 404, 500] {
        assert_eq!(remedy(status, invalid), None);
    }
}

#[test]
fn a_fresh_token_that_is_refused_starts_no_circle() {
    let tokens = Run::away("").returns("code=x").ok(TOKENS).tokens();
    let sent = |renewed| Sent::Token { tokens: &tokens, renewed };
    assert_eq!(Remedy::of(401, None, sent(false)), Some(Remedy::Refresh));
    let stop = Some(Remedy::Stop(AuthError::FreshTokenRefused));
    assert_eq!(Remedy::of(401, None, sent(true)), stop);
    let short = r#"{"access_token":"access-token-number-3","token_type":"Bearer"}"#;
    let tokens = Run::away("").returns("code=x").ok(short).tokens();
    let sent = Sent::Token { tokens: &tokens, renewed: false };
    assert!(matches!(Remedy::of(401, None, sent), Some(Remedy::SignIn(_))));
    let (_, step) = Flow::refresh(&tokens);
    assert_eq!(step, AuthStep::Failed(AuthError::NoRefreshToken));
}

#[test]
fn unsafe_addresses_are_no_beginning() {
    let endpoint = |text: &str| Run::begin(Start { endpoint: text.into(), ..start() }).error();
    assert_eq!(endpoint("http://mcp.example/mcp"), AuthError::Endpoint(UrlError::Insecure));
    assert!(matches!(endpoint("javascript:alert(1)"), AuthError::Endpoint(UrlError::Address(_))));
    let mut start = start();
    start.page.redirect_uri = "http://192.168.0.7/callback.html".into();
    assert_eq!(Run::begin(start).error(), AuthError::PageAddress(UrlError::Insecure));
}

#[test]
fn metadata_of_another_resource_is_not_used() {
    let other = RESOURCE.replace("mcp.example/team", "mcp.example/teams");
    let run = Run::begin(start()).ok(&other).fetches(RESOURCE_ROOT).status(404, "");
    let (question, url, fault) = run.fault();
    assert_eq!((question, url.as_str()), (Question::ResourceMetadata, RESOURCE_URL));
    assert_eq!(fault, Fault::OtherResource { resource: "https://mcp.example/teams".into() });
}

#[test]
fn metadata_of_another_issuer_is_not_used() {
    let other = server(WITH_DOCUMENTS).replacen("as.example", "AS.example", 1);
    let run = Run::begin(start()).ok(RESOURCE).ok(&other).fetches(SERVER_OPENID).status(500, "");
    let (question, url, fault) = run.fault();
    assert_eq!((question, url.as_str()), (Question::ServerMetadata, SERVER_URL));
    assert_eq!(fault, Fault::OtherIssuer { issuer: "https://AS.example".into() });
}

#[test]
fn a_server_without_s256_is_refused() {
    for methods in ["[\"plain\"]", "[]", "null"] {
        let weak = server(WITH_DOCUMENTS).replace("[\"S256\"]", methods);
        let run = Run::begin(start()).ok(RESOURCE).ok(&weak).answer(Answer::Opaque);
        assert_eq!(run.fault().2, Fault::NoPkce, "{methods}");
        assert!(run.error().advice().contains("code_challenge_methods_supported"));
    }
}

#[test]
fn silence_is_explained_wherever_it_occurs() {
    let silent = |run: Run, question| {
        let (asked, _, fault) = run.fault();
        assert_eq!((asked, fault), (question, Fault::Opaque));
        assert!(run.error().to_string().contains("cross-origin"));
        assert!(run.error().advice().contains("Access-Control-Allow-Origin"));
        assert!(run.error().advice().contains("Enter a token"));
    };
    let opaque = |run: Run, times| (0..times).fold(run, |run, _| run.answer(Answer::Opaque));
    silent(opaque(Run::begin(start()), 4), Question::ResourceMetadata);
    silent(opaque(Run::begin(start()).ok(RESOURCE), 2), Question::ServerMetadata);
    silent(Run::away("").returns("code=x").answer(Answer::Opaque), Question::Token);
    let run = Run::begin(start()).ok(RESOURCE).status(404, "").answer(Answer::TimedOut);
    assert_eq!(run.fault().2, Fault::TimedOut);
}

#[test]
fn a_return_with_another_state_changes_nothing() {
    let run = Run::away("");
    let state = run.opened().1.state().expose().to_owned();
    let forged = run.returns_as("forged", "code=x&iss=https%3A%2F%2Fas.example");
    assert_eq!(forged.error(), AuthError::UnknownReturn);
    let run = forged.returns_as(&state, "code=x");
    assert_eq!(value(&run.posts(), "code"), Some("x"));
    // The state serves once.
    let run = run.returns_as(&state, "code=x");
    assert_eq!(run.error(), AuthError::UnknownReturn);
    assert!(run.ok(TOKENS).tokens().can_refresh());
}

#[test]
fn the_issuer_is_compared_before_anything_counts() {
    const PROMISED: &str = r#","authorization_response_iss_parameter_supported":true"#;
    let other = AuthError::OtherIssuer { issuer: ISSUER.into() };
    for more in ["", PROMISED] {
        for iss in ["https%3A%2F%2Fevil.example", "https://as.example/", "HTTPS://as.example", ""] {
            for rest in ["code=x", "error=access_denied&error_description=Call+0900"] {
                let run = Run::away(more).returns(&format!("iss={iss}&{rest}"));
                assert_eq!(run.error(), other);
                assert!(!format!("{}{:?}", run.error(), run.flow).contains("0900"));
            }
        }
        let run = Run::away(more).returns("iss=https%3A%2F%2Fas.example&code=x");
        assert_eq!(value(&run.posts(), "code"), Some("x"));
    }
    let missing = AuthError::MissingIssuer { issuer: ISSUER.into() };
    assert_eq!(Run::away(PROMISED).returns("code=x").error(), missing);
    assert_eq!(Run::away(PROMISED).returns("error=access_denied").error(), missing);
}

#[test]
fn no_consent_is_told_in_the_servers_words() {
    let run = Run::away("").returns("error=access_denied&error_description=Not+today%E2%80%AE");
    let AuthError::NotGranted(objection) = run.error() else { panic!("{:?}", run.step) };
    assert_eq!(objection.to_string(), "access_denied (Not today\\u{202e})");
    let long = format!("error={}", "x".repeat(10_000));
    assert!(Run::away("").returns(&long).error().to_string().len() < 300);
}

#[test]
fn a_return_without_one_code_is_none() {
    for query in ["", "code=", "code=x&error=y"] {
        assert_eq!(Run::away("").returns(query).error(), AuthError::NoCode, "{query}");
    }
    let read = |query: &str| Callback::read(query).unwrap_err();
    assert_eq!(read("state=x&code=a&code=b"), AuthError::NoCode);
    assert_eq!(read("state=x&iss=a&iss=b"), AuthError::NoCode);
    assert_eq!(read("state=x&state=x&code=a"), AuthError::UnknownReturn);
    assert_eq!(read(&format!("state=x&code={}", "x".repeat(20_000))), AuthError::NoCode);
}

#[test]
fn the_token_endpoints_refusal_is_told() {
    let redeem = |status, body: &str| Run::away("").returns("code=x").status(status, body);
    let refused = r#"{"error":"invalid_grant","error_description":"code was used"}"#;
    for status in [400, 200] {
        let run = redeem(status, refused);
        assert!(run.error().to_string().contains("invalid_grant (code was used)"));
    }
    assert_eq!(redeem(503, "busy").fault().2, Fault::Status(503));
    assert!(matches!(redeem(200, "access_token=x").fault().2, Fault::Json(_)));
    assert_eq!(redeem(200, "[]").fault().2, Fault::NotObject);
    let huge = format!("\"{}\"", "x".repeat(MAX_ANSWER));
    assert_eq!(redeem(200, &huge).fault().2, Fault::TooLong);
    let deep = "[".repeat(100_000);
    assert!(matches!(redeem(200, &deep).fault().2, Fault::Json(_)));
    let mac = TOKENS.replace("Bearer", "mac");
    assert!(matches!(redeem(200, &mac).fault().2, Fault::Member(_)));
}

#[test]
fn a_refresh_ends_the_sign_in_only_when_the_server_says_so() {
    let tokens = Run::away("").returns("code=x").ok(TOKENS).tokens();
    let refresh = || {
        let (flow, step) = Flow::refresh(&tokens);
        Run { flow, step }
    };
    assert_eq!(refresh().status(400, r#"{"error":"invalid_grant"}"#).error(), AuthError::Ended);
    let run = refresh().status(400, r#"{"error":"invalid_client"}"#);
    assert!(matches!(run.fault().2, Fault::Refused(_)));
    assert_eq!(refresh().answer(Answer::Opaque).fault().2, Fault::Opaque);
}

#[test]
fn nothing_is_taken_out_of_turn() {
    let out = AuthStep::Failed(AuthError::OutOfTurn);
    let mut run = Run::begin(start());
    assert_eq!(run.flow.choose(ISSUER), out);
    assert_eq!(run.flow.enter_client_id("x"), out);
    assert_eq!(run.flow.confirm(), out);
    let mut run = run.returns_as("x", "code=y");
    assert_eq!(run.error(), AuthError::UnknownReturn);
    run.step = AuthStep::Fetch { url: RESOURCE_URL.into() };
    let mut run = run.fetches(RESOURCE_URL).ok(RESOURCE).ok(&server(WITH_DOCUMENTS));
    assert_eq!(run.flow.answered(Answer::Opaque, 0), out);
    let mut run = run.confirms();
    run.opened();
    assert_eq!(run.flow.answered(Answer::Opaque, 0), out);
    assert_eq!(run.flow.confirm(), out);
    let mut run = run.returns("code=x").status(500, "");
    assert_eq!(run.flow.answered(Answer::Opaque, 0), out);
}
