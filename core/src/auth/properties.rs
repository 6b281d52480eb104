//! What holds for any input.

use proptest::prelude::*;

use super::*;

fn page() -> Page {
    Page { redirect_uri: "https://page.example/cb".into(), client_metadata_url: None }
}

/// A body in which every kind of answer is hidden, with `echo` in each text that could be shown.
fn body(echo: &str, shape: u8) -> String {
    let echo = match shape % 3 {
        0 => echo.to_owned(),
        1 => form::encode(echo),
        _ => echo.chars().map(|c| format!("\\u{:04x}", c as u32)).collect(),
    };
    match shape / 3 % 6 {
        0 => format!(r#"{{"error":"{echo}","error_description":"It was {echo}."}}"#),
        1 => format!(
            r#"{{"resource":"https://{echo}/","authorization_servers":["https://{echo}"]}}"#
        ),
        2 => format!(
            r#"{{"resource":"https://mcp.example/","authorization_servers":["https://{echo}","https://as.example","http://{echo}"],"scopes_supported":["{echo}"]}}"#
        ),
        3 => format!(r#"{{"issuer":"https://as.example/{echo}"}}"#),
        4 => format!(r#"{{"client_id":"{echo}","token_endpoint_auth_method":"{echo}"}}"#),
        _ => format!(r#"{{"token_type":"{echo}","access_token":1,"scope":"{echo}","{echo}":1}}"#),
    }
}

const RESOURCE: &str =
    r#"{"resource":"https://mcp.example/","authorization_servers":["https://as.example"]}"#;
const SERVER: &str = r#"{"issuer":"https://as.example","authorization_endpoint":"https://as.example/authorize",
    "token_endpoint":"https://as.example/token","code_challenge_methods_supported":["S256"]}"#;

fn came(body: &str, status: u16) -> Answer<'_> {
    Answer::Came { status, body: body.as_bytes() }
}

/// All that could be shown of a step.
fn shown(flow: &Flow, step: &AuthStep) -> String {
    let text = match step {
        AuthStep::Failed(error) | AuthStep::AskClientId { reason: error, .. } => {
            format!("{error} {}", error.advice())
        }
        AuthStep::ChooseServer { issuers } => issuers.join(" "),
        AuthStep::Fetch { url } | AuthStep::Post { url, .. } | AuthStep::Open { url, .. } => {
            url.clone()
        }
        AuthStep::Confirm(_) | AuthStep::Done(_) => String::new(),
    };
    format!("{text} {step:?} {step:#?} {flow:?}")
}

/// A flow that waits for its user, and the state.
fn away(start: Start) -> (Flow, String) {
    let (mut flow, _) = Flow::begin(Start { client_id: Some("client".into()), ..start });
    let _ = flow.answered(came(RESOURCE, 200), 0);
    let _ = flow.answered(came(SERVER, 200), 0);
    let step = flow.confirm();
    let AuthStep::Open { pending, .. } = step else { panic!("{step:?}") };
    (flow, pending.state().expose().to_owned())
}

proptest! {
    #[test]
    fn no_secret_is_ever_shown(
        verifier in any::<[u8; 32]>(),
        code in "[!-~]{16,40}",
        access in "[A-Za-z0-9._~+-]{16,80}",
        refresh in "[ !#-\\[\\]-~]{16,80}",
        shapes in prop::collection::vec(any::<u8>(), 1..4),
        good_status: bool,
    ) {
        let status = if good_status { 200 } else { 400 };
        let random = Randomness { verifier, state: [3; 32] };
        let start = Start::new("https://mcp.example/mcp", page(), random.clone());
        let verifier = random.code_verifier().expose().to_owned();
        let secrets = [&verifier, &code, &access, &refresh];
        let hidden = |text: &str| secrets.iter().all(|secret| {
            !text.contains(secret.as_str()) && !text.contains(&form::encode(secret))
        });
        let check = |flow: &Flow, step: &AuthStep| {
            let text = shown(flow, step);
            prop_assert!(hidden(&text), "{}", text);
            Ok(())
        };

        // Each secret comes back in the answer to the request that gave it away.
        for &shape in &shapes {
            for echo in [&verifier, &code] {
                let (mut flow, state) = away(start.clone());
                let query = format!("state={state}&code={}", form::encode(&code));
                let callback = Callback::read(&query).unwrap();
                let text = format!("{callback:?}");
                prop_assert!(hidden(&text), "{}", text);
                let step = flow.returned(callback);
                check(&flow, &step)?;
                let step = flow.answered(came(&body(&echo.replace(['"', '\\'], "'"), shape), status), 0);
                check(&flow, &step)?;
            }
        }

        let (mut flow, state) = away(start);
        let _ = flow.returned(Callback::read(&format!("state={state}&code=x")).unwrap());
        let answer = format!(
            r#"{{"access_token":"{access}","token_type":"bearer","refresh_token":"{refresh}"}}"#
        );
        let step = flow.answered(came(&answer, 200), 0);
        check(&flow, &step)?;
        let AuthStep::Done(tokens) = step else { panic!("{step:?}") };
        prop_assert_eq!(Tokens::read(&tokens.to_json()), Ok((*tokens).clone()));

        for &shape in &shapes {
            let (mut flow, step) = Flow::refresh(&tokens);
            check(&flow, &step)?;
            let step = flow.answered(came(&body(&refresh, shape), status), 0);
            check(&flow, &step)?;
            // The MCP server has seen the access token, and may be the authorization server's friend.
            for echo in [&access, &refresh] {
                let header = format!("Bearer error=insufficient_scope, scope=\"x {echo}\", resource_metadata=\"https://mcp.example/{echo}\", error_description=\"{echo}\", {echo}=x");
                let sent = Sent::Token { tokens: &tokens, renewed: false };
                for (status, header) in [(401, &header), (403, &header), (401, &format!("S{echo}"))] {
                    let remedy = Remedy::of(status, Some(header), sent);
                    let text = format!("{remedy:?} {sent:?}");
                    prop_assert!(hidden(&text), "{}", text);
                }
                for resource in [&body(echo, shape), RESOURCE] {
                    let again = Start::again(&tokens, page(), random.clone());
                    let (mut flow, _) = Flow::begin(again);
                    let step = flow.answered(came(resource, 200), 0);
                    check(&flow, &step)?;
                    for _ in 0..3 {
                        let step = flow.answered(came(&body(echo, shape), status), 0);
                        check(&flow, &step)?;
                    }
                }
            }
        }
    }

    #[test]
    fn any_answer_leads_on_or_stops(
        bodies in prop::collection::vec(("[{}\\[\\]\",:a-z0-9/\\\\]{0,40}", any::<u8>(), 100..600_u16), 8),
        header in ".{0,60}",
        query in ".{0,60}",
    ) {
        let _ = Remedy::of(401, Some(&header), Sent::Nothing);
        let _ = Callback::read(&query);
        let random = Randomness { verifier: [1; 32], state: [2; 32] };
        let (mut flow, mut step) = Flow::begin(Start::new("https://mcp.example/mcp", page(), random));
        let mut fetches = 0;
        for (text, shape, status) in &bodies {
            let made = body(text, *shape);
            let answer = if shape % 2 == 0 { &made } else { text };
            fetches += usize::from(matches!(step, AuthStep::Fetch { .. }));
            step = flow.answered(came(answer, *status), 0);
        }
        prop_assert!(fetches <= 5, "{} fetches", fetches);
        let over = matches!(step, AuthStep::Failed(_) | AuthStep::ChooseServer { .. });
        prop_assert!(over, "{:?}", step);
    }

    #[test]
    fn damaged_records_are_read_as_they_are_or_not_at_all(
        at in 0..500_usize,
        cut in 0..4_usize,
        text in "[{}\\[\\]\",:a-zA-Z0-9/\\\\]{0,4}",
    ) {
        let random = Randomness { verifier: [1; 32], state: [2; 32] };
        let start = Start::new("https://mcp.example/mcp", page(), random);
        let (mut flow, _) = Flow::begin(Start { client_id: Some("client".into()), ..start });
        let _ = flow.answered(came(RESOURCE, 200), 0);
        let _ = flow.answered(came(SERVER, 200), 0);
        let AuthStep::Open { pending, .. } = flow.confirm() else { panic!() };
        let mut stored = pending.to_json();
        let at = at.min(stored.len());
        stored.replace_range(at..(at + cut).min(stored.len()), &text);
        if let Ok(read) = Pending::read(&stored) {
            prop_assert_eq!(Pending::read(&read.to_json()), Ok(read));
        }
    }
}
