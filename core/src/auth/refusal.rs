//! What a 401 or 403 of the MCP server calls for.
//!
//! Sources: RFC 6750, section 3.1; *Error Handling* of the base protocol. What the user entered
//! comes first: it is sent as it is, and no sign-in ever takes its place.

use super::tokens::MAX_STEP_UPS;
use super::{AuthError, Challenge, Challenges, Scopes, Secrets, Tokens};
use crate::protocol::{Header, HttpRequest};

/// How a request is authorized.
#[derive(Clone, Copy, Debug)]
pub enum Sent<'a> {
    /// It carries nothing.
    Nothing,
    /// It carries an `Authorization` that the user entered.
    OwnAuthorization,
    /// It carries other headers that the user entered. They may be what authorizes it.
    OwnHeaders,
    /// It carries an access token.
    Token {
        /// The tokens it is from.
        tokens: &'a Tokens,
        /// Whether they were obtained because this very request had been refused before.
        renewed: bool,
    },
}

impl<'a> Sent<'a> {
    /// Puts the access token on a request, as a header whose value is never shown. Where the user
    /// entered an `Authorization`, or the tokens are for another address, the request stays as it
    /// is. `renewed` is as in [`Sent::Token`].
    ///
    /// ```
    /// use skillglass::auth::Sent;
    /// use skillglass::protocol::{Call, Client};
    /// let mut client = Client::new("https://mcp.example/mcp").unwrap();
    /// client.set_bearer_token("mine").unwrap();
    /// let mut request = client.request(&Call::Discover).unwrap();
    /// # let tokens = None;
    /// let sent = Sent::authorize(&mut request, tokens, false);
    /// assert!(matches!(sent, Sent::OwnAuthorization));
    /// assert_eq!(request.header("Authorization"), Some("Bearer mine"));
    /// ```
    pub fn authorize(request: &mut HttpRequest, tokens: Option<&'a Tokens>, renewed: bool) -> Self {
        if request.header(AUTHORIZATION).is_some() {
            return Self::OwnAuthorization;
        }
        let token = tokens.and_then(|tokens| Some((tokens, tokens.access_token(&request.url)?)));
        if let Some((tokens, access)) = token {
            request.headers.push(Header {
                name: AUTHORIZATION.to_owned(),
                value: format!("Bearer {}", access.expose()),
                secret: true,
            });
            return Self::Token { tokens, renewed };
        }
        let has_own = request.headers.iter().any(|header| header.secret);
        if has_own { Self::OwnHeaders } else { Self::Nothing }
    }
}

const AUTHORIZATION: &str = "Authorization";

/// What to do about a refused request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Let the user sign in: [`Start::new`](super::Start::new), or
    /// [`Start::again`](super::Start::again) where there are tokens.
    SignIn(Challenge),
    /// Renew the tokens with [`Flow::refresh`](super::Flow::refresh), once for all requests that
    /// were refused at the same time, and send them again.
    Refresh,
    /// Let the user grant more, with [`Start::step_up`](super::Start::step_up).
    StepUp {
        /// All scopes to ask for: the ones asked for before, and the ones needed now.
        scopes: Scopes,
        /// What the server said.
        challenge: Challenge,
    },
    /// Nothing helps but what the error's advice says.
    Stop(AuthError),
}

impl Remedy {
    /// What a status calls for; none where it is no question of authorization: where it is neither
    /// 401 nor 403, or 403 without an access token and without a challenge that asks for scopes,
    /// which is a matter of policy or of the page's origin. `www_authenticate` is the header of that
    /// name, where it may be read.
    ///
    /// ```
    /// use skillglass::auth::{AuthError, Remedy, Sent};
    /// let challenge = Some("Bearer scope=\"files\"");
    /// let remedy = Remedy::of(401, challenge, Sent::Nothing);
    /// assert!(matches!(remedy, Some(Remedy::SignIn(_))));
    /// let remedy = Remedy::of(401, challenge, Sent::OwnAuthorization);
    /// assert_eq!(remedy, Some(Remedy::Stop(AuthError::OwnHeadersRefused { status: 401 })));
    /// assert_eq!(Remedy::of(404, None, Sent::Nothing), None);
    /// ```
    #[must_use]
    pub fn of(status: u16, www_authenticate: Option<&str>, sent: Sent<'_>) -> Option<Self> {
        let secrets = match sent {
            Sent::Token { tokens, .. } => tokens.secrets(),
            _ => Secrets::default(),
        };
        let header = www_authenticate.filter(|header| !header.trim().is_empty());
        let challenges = header.map(|header| Challenges::read_hiding(header, &secrets));
        match status {
            401 => Some(unauthorized(challenges.unwrap_or_default(), sent)),
            403 => forbidden(challenges.unwrap_or_default(), sent),
            _ => None,
        }
    }
}

fn unauthorized(challenges: Challenges, sent: Sent<'_>) -> Remedy {
    let refused = match sent {
        Sent::OwnAuthorization => true,
        // A server that names what it wants wants that beside what came.
        Sent::OwnHeaders => challenges.schemes.is_empty(),
        Sent::Nothing | Sent::Token { .. } => false,
    };
    if refused {
        return Remedy::Stop(AuthError::OwnHeadersRefused { status: 401 });
    }
    if challenges.bearer.is_none() && !challenges.schemes.is_empty() {
        return Remedy::Stop(AuthError::OtherScheme { schemes: challenges.schemes });
    }
    match sent {
        Sent::Token { renewed: true, .. } => Remedy::Stop(AuthError::FreshTokenRefused),
        Sent::Token { tokens, .. } if tokens.can_refresh() => Remedy::Refresh,
        _ => Remedy::SignIn(challenges.bearer.unwrap_or_default()),
    }
}

fn forbidden(challenges: Challenges, sent: Sent<'_>) -> Option<Remedy> {
    let challenge = challenges.bearer.unwrap_or_default();
    let lacks_scope = challenge.error.as_deref() == Some("insufficient_scope");
    match sent {
        Sent::Token { tokens, .. } if lacks_scope => Some(step_up(challenge, tokens)),
        Sent::Token { .. } => Some(Remedy::Stop(AuthError::Forbidden)),
        _ if !lacks_scope => None,
        Sent::OwnAuthorization => Some(Remedy::Stop(AuthError::OwnHeadersRefused { status: 403 })),
        Sent::OwnHeaders | Sent::Nothing => Some(Remedy::SignIn(challenge)),
    }
}

fn step_up(challenge: Challenge, tokens: &Tokens) -> Remedy {
    let needed = challenge.scopes.clone();
    let useless = tokens.scopes().contains_all(&needed) || tokens.grant.step_ups >= MAX_STEP_UPS;
    match tokens.grant.scopes.union(&needed) {
        Some(scopes) if !useless => Remedy::StepUp { scopes, challenge },
        _ => Remedy::Stop(AuthError::MoreScopesUseless { needed }),
    }
}
