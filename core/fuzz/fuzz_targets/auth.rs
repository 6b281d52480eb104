//! Signing in: answers of any kind never panic, and what the server was told in secret is not shown.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillglass::auth::{
    Answer, AuthStep, Callback, Challenges, Flow, Page, Pending, Randomness, Remedy, Sent, Start,
    Tokens,
};

fuzz_target!(|input: (&str, Vec<(u16, &[u8])>, &str)| {
    let (header, answers, query) = input;
    let _ = Challenges::read(header);
    let _ = Remedy::of(answers.first().map_or(401, |(status, _)| *status), Some(header), Sent::Nothing);
    let _ = (Pending::read(query), Tokens::read(query));

    let page = Page { redirect_uri: "https://page.example/cb".into(), client_metadata_url: None };
    let random = Randomness { verifier: [7; 32], state: [9; 32] };
    let verifier = random.code_verifier().expose().to_owned();
    let mut start = Start::new("https://mcp.example/mcp", page, random);
    start.challenge = Challenges::read(header).bearer.unwrap_or_default();
    let (mut flow, mut step) = Flow::begin(start);
    for (status, body) in &answers {
        step = match &step {
            AuthStep::ChooseServer { issuers } => flow.choose(&issuers[0]),
            AuthStep::AskClientId { .. } => flow.enter_client_id("client"),
            AuthStep::Open { .. } => match Callback::read(query) {
                Ok(callback) => flow.returned(callback),
                Err(_) => break,
            },
            AuthStep::Done(_) | AuthStep::Failed(_) => break,
            _ => flow.answered(Answer::Came { status: *status, body }, 0),
        };
        if let AuthStep::Failed(error) | AuthStep::AskClientId { reason: error, .. } = &step {
            assert!(!format!("{error} {} {step:?} {flow:?}", error.advice()).contains(&verifier));
        }
    }
});
