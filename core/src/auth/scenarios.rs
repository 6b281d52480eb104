//! Whole authorizations, and each way in which one goes wrong.

use super::*;

mod ends;
mod ways;

const ENDPOINT: &str = "https://mcp.example/team/mcp";
const RESOURCE_URL: &str = "https://mcp.example/.well-known/oauth-protected-resource/team/mcp";
const RESOURCE_ROOT: &str = "https://mcp.example/.well-known/oauth-protected-resource";
const SERVER_URL: &str = "https://as.example/.well-known/oauth-authorization-server";
const SERVER_OPENID: &str = "https://as.example/.well-known/openid-configuration";
const TOKEN_URL: &str = "https://as.example/token";
const ISSUER: &str = "https://as.example";

const RESOURCE: &str = r#"{"resource":"https://mcp.example/team",
    "authorization_servers":["https://as.example"],"scopes_supported":["read"]}"#;
const TOKENS: &str = r#"{"access_token":"access-token-number-1","token_type":"Bearer",
    "refresh_token":"refresh-token-number-1","expires_in":3600}"#;

fn page() -> Page {
    Page {
        redirect_uri: "https://page.example/callback.html".into(),
        client_metadata_url: Some("https://page.example/client.json".into()),
    }
}

fn random() -> Randomness {
    Randomness { verifier: [1; 32], state: [2; 32] }
}

fn start() -> Start {
    Start::new(ENDPOINT, page(), random())
}

/// The metadata of an authorization server, with these members besides those it needs.
fn server(more: &str) -> String {
    format!(
        r#"{{"issuer":"https://as.example","authorization_endpoint":"https://as.example/authorize",
            "token_endpoint":"https://as.example/token",
            "code_challenge_methods_supported":["S256"]{more}}}"#
    )
}

const WITH_DOCUMENTS: &str = r#","client_id_metadata_document_supported":true"#;
const WITH_REGISTRATION: &str = r#","registration_endpoint":"https://as.example/register""#;

/// A flow, and the step it waits on.
struct Run {
    flow: Flow,
    step: AuthStep,
}

impl Run {
    fn begin(start: Start) -> Self {
        let (flow, step) = Flow::begin(start);
        Self { flow, step }
    }

    /// One that has found the authorization server, whose metadata has these members.
    fn at_server(start: Start, more: &str) -> Self {
        let run = Self::begin(start).fetches(RESOURCE_URL).ok(RESOURCE);
        run.fetches(SERVER_URL).ok(&server(more))
    }

    /// One whose user is away at an authorization server with these members.
    fn away(more: &str) -> Self {
        Self::at_server(start(), &format!("{WITH_DOCUMENTS}{more}")).confirms()
    }

    /// What the user sees before anything happens.
    fn plan(&self) -> &Plan {
        let AuthStep::Confirm(plan) = &self.step else { panic!("{:?}", self.step) };
        plan
    }

    /// Goes on as planned.
    fn confirms(mut self) -> Self {
        self.plan();
        self.step = self.flow.confirm();
        self
    }

    fn fetches(self, expected: &str) -> Self {
        assert_eq!(self.step, AuthStep::Fetch { url: expected.to_owned() });
        self
    }

    /// The parameters of the form that is sent to the token endpoint.
    fn posts(&self) -> Vec<(String, String)> {
        let AuthStep::Post { url, content_type, body } = &self.step else {
            panic!("{:?}", self.step)
        };
        assert_eq!((url.as_str(), *content_type), (TOKEN_URL, form::FORM));
        let request = self.step.request().unwrap();
        assert_eq!(request.header("content-type"), Some(form::FORM));
        assert_eq!(request.body, body.expose());
        form::read(body.expose()).collect()
    }

    fn answer(mut self, answer: Answer<'_>) -> Self {
        self.step = self.flow.answered(answer, 1_000);
        self
    }

    fn ok(self, body: &str) -> Self {
        self.answer(Answer::Came { status: 200, body: body.as_bytes() })
    }

    fn status(self, status: u16, body: &str) -> Self {
        self.answer(Answer::Came { status, body: body.as_bytes() })
    }

    fn opened(&self) -> (&str, &Pending) {
        let AuthStep::Open { url, pending } = &self.step else { panic!("{:?}", self.step) };
        (url, pending)
    }

    /// The value of a parameter of the address that is opened.
    fn asks(&self, name: &str) -> Option<String> {
        let (_, query) = self.opened().0.split_once('?').unwrap();
        form::read(query).find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Comes back with the right state and these parameters.
    fn returns(self, more: &str) -> Self {
        let state = self.opened().1.state().expose().to_owned();
        self.returns_as(&state, more)
    }

    fn returns_as(mut self, state: &str, more: &str) -> Self {
        let callback = Callback::read(&format!("?state={state}&{more}")).unwrap();
        self.step = self.flow.returned(callback);
        self
    }

    fn tokens(self) -> Tokens {
        let AuthStep::Done(tokens) = self.step else { panic!("{:?}", self.step) };
        *tokens
    }

    fn error(&self) -> AuthError {
        let AuthStep::Failed(error) = &self.step else { panic!("{:?}", self.step) };
        assert!(error.to_string().ends_with('.') && error.advice().ends_with('.'), "{error}");
        error.clone()
    }

    /// What is wrong with which answer.
    fn fault(&self) -> (Question, String, Fault) {
        match self.error() {
            AuthError::Answer { question, url, fault } => (question, url, fault),
            other => panic!("{other:?}"),
        }
    }
}

fn value<'p>(pairs: &'p [(String, String)], name: &str) -> Option<&'p str> {
    pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
