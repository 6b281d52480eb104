//! What a 401 or 403 of the MCP server calls for.
//!
//! Sources: RFC 6750, section 3.1; *Error Handling* of the base protocol. What the user entered
//! comes first: it is sent as it is, and no sign-in ever takes its place.

use super::tokens::MAX_STEP_UPS;
use super::{AuthError, Challenge, Challenges, Scopes, Secrets, Tokens};

/// How a refused request was authorized.
#[derive(Clone, Copy, Debug)]
pub enum Sent<'a> {
    /// It carried nothing.
    Nothing,
    /// It carried headers that the user entered.
    OwnHeaders,
    /// It carried an access token.
    Token {
        /// The tokens it is from.
        tokens: &'a Tokens,
        /// Whether they were obtained because this very request had been refused before.
        renewed: bool,
    },
}

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
    /// What a status calls for; none where it is neither 401 nor 403. `www_authenticate` is the
    /// header of that name, where it may be read.
    ///
    /// ```
    /// use skillglass::auth::{AuthError, Remedy, Sent};
    /// let challenge = Some("Bearer scope=\"files\"");
    /// let remedy = Remedy::of(401, challenge, Sent::Nothing);
    /// assert!(matches!(remedy, Some(Remedy::SignIn(_))));
    /// let remedy = Remedy::of(401, challenge, Sent::OwnHeaders);
    /// assert_eq!(remedy, Some(Remedy::Stop(AuthError::OwnHeadersRefused { status: 401 })));
    /// assert_eq!(Remedy::of(404, None, Sent::Nothing), None);
    /// ```
    #[must_use]
    pub fn of(status: u16, www_authenticate: Option<&str>, sent: Sent<'_>) -> Option<Self> {
        let secrets = match sent {
            Sent::Token { tokens, .. } => tokens.secrets(),
            Sent::Nothing | Sent::OwnHeaders => Secrets::default(),
        };
        let header = www_authenticate.filter(|header| !header.trim().is_empty());
        let challenges = header.map(|header| Challenges::read_hiding(header, &secrets));
        match status {
            401 => Some(unauthorized(challenges.unwrap_or_default(), sent)),
            403 => Some(forbidden(challenges.unwrap_or_default(), sent)),
            _ => None,
        }
    }
}

fn unauthorized(challenges: Challenges, sent: Sent<'_>) -> Remedy {
    if matches!(sent, Sent::OwnHeaders) {
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

fn forbidden(challenges: Challenges, sent: Sent<'_>) -> Remedy {
    let challenge = challenges.bearer.unwrap_or_default();
    let lacks_scope = challenge.error.as_deref() == Some("insufficient_scope");
    match sent {
        _ if !lacks_scope => Remedy::Stop(AuthError::Forbidden),
        Sent::OwnHeaders => Remedy::Stop(AuthError::OwnHeadersRefused { status: 403 }),
        Sent::Nothing => Remedy::SignIn(challenge),
        Sent::Token { tokens, .. } => step_up(challenge, tokens),
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
