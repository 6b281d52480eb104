//! Signing in to one server: the tokens, how far it is, and who waits for it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;
use skillglass::auth::{
    AuthError, AuthStep, Callback, Challenge, Flow, Pending, Plan, Scopes, Tokens,
};

use crate::browser::{self, Gate};
use crate::failure::Failure;
use crate::transport::Stop;

/// The name under which a tab keeps a server's tokens over a reload, if its user asks for that. The
/// server's address follows.
const TOKENS: &str = "skillglass.tokens ";

/// Why somebody has to sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The server wants to know who asks.
    Asked(Challenge),
    /// The tokens have expired and cannot be renewed.
    Ended(Challenge),
    /// A request needs more scopes than were granted: these in all.
    NeedsMore {
        /// The scopes to ask for.
        scopes: Scopes,
        /// What the server said.
        challenge: Challenge,
    },
}

impl Cause {
    /// What the server said.
    pub(crate) const fn challenge(&self) -> &Challenge {
        match self {
            Self::Asked(challenge) | Self::Ended(challenge) => challenge,
            Self::NeedsMore { challenge, .. } => challenge,
        }
    }
}

/// How far a sign-in is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The server asks for it. Nothing is done before the user says so.
    Wanted,
    /// Somebody is being asked: this host.
    Asking(String),
    /// The user chooses who vouches for them.
    Choosing(Vec<String>),
    /// The user looks for a client id.
    NeedsClientId {
        /// Where it has to be registered.
        issuer: String,
        /// Why none can be had otherwise.
        reason: AuthError,
    },
    /// The user looks at what is going to happen.
    Planned(Box<Plan>),
    /// The user is at the authorization server.
    Away {
        /// The host of the authorization server.
        host: String,
        /// Whether a window could be opened.
        opened: bool,
    },
    /// It came to nothing.
    Failed(AuthError),
}

/// Where the user is sent, and what is to be kept where the page itself goes away for it.
#[derive(Clone)]
pub(crate) struct Opening {
    /// The address.
    pub(crate) url: String,
    /// What is to be kept.
    pub(crate) pending: Box<Pending>,
}

/// What there is to do, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Why a sign-in is wanted.
    pub(crate) cause: Cause,
    /// How far it is.
    pub(crate) phase: Phase,
}

/// Signing in to one server.
#[derive(Clone, Copy)]
pub(crate) struct SignIn {
    /// What there is to do for the user, if anything.
    progress: RwSignal<Option<Progress>>,
    /// The tokens, while there are some.
    tokens: RwSignal<Option<Arc<Tokens>>>,
    search: StoredValue<Rc<Search>, LocalStorage>,
}

/// A search for tokens, and who waits for it.
#[derive(Default)]
struct Search {
    /// The sign-in that waits for the user, and where they are sent.
    flow: RefCell<Option<(Flow, Option<Opening>)>>,
    /// Stops what is under way.
    stop: RefCell<Option<Stop>>,
    /// What requests wait at.
    gate: RefCell<Option<Gate>>,
    /// How many wait there.
    waiting: Cell<usize>,
    /// Why the last one brought no tokens.
    refusal: RefCell<Option<Failure>>,
}

impl SignIn {
    /// Nobody has signed in.
    pub(super) fn new() -> Self {
        Self {
            progress: RwSignal::new(None),
            tokens: RwSignal::new(None),
            search: StoredValue::new_local(Rc::default()),
        }
    }

    /// What there is to do, and follows it.
    pub(crate) fn progress(self) -> Option<Progress> {
        self.progress.get()
    }

    /// Whether there is something to do for the user, and follows it.
    pub(crate) fn is_under_way(self) -> bool {
        self.progress.with(Option::is_some)
    }

    /// The tokens, and follows them.
    pub(crate) fn tokens(self) -> Option<Arc<Tokens>> {
        self.tokens.get()
    }

    /// The tokens as they are now.
    pub(crate) fn tokens_now(self) -> Option<Arc<Tokens>> {
        self.tokens.get_untracked()
    }

    /// Whether others were had since requests went out with `used`.
    fn has_other_than(self, used: Option<&Arc<Tokens>>) -> bool {
        match (self.tokens_now(), used) {
            (Some(now), Some(used)) => !Arc::ptr_eq(&now, used),
            (now, used) => now.is_some() != used.is_some(),
        }
    }

    /// Why a sign-in is wanted, if one is.
    pub(crate) fn cause(self) -> Option<Cause> {
        self.progress.with_untracked(|progress| progress.as_ref().map(|it| it.cause.clone()))
    }

    /// Shows that the user has to sign in.
    pub(crate) fn want(self, cause: Cause) {
        self.progress.set(Some(Progress { cause, phase: Phase::Wanted }));
    }

    /// Shows how far it is, as long as anybody wants it.
    pub(crate) fn advance(self, phase: Phase) {
        self.progress.update(|progress| {
            if let Some(progress) = progress {
                progress.phase = phase;
            }
        });
    }

    /// Keeps what waits for the user, and where they are sent.
    pub(crate) fn pause(self, flow: Flow, opening: Option<Opening>, phase: Phase) {
        self.search.get_value().flow.replace(Some((flow, opening)));
        self.advance(phase);
    }

    /// Goes on with what waited for the user.
    pub(crate) fn take_flow(self) -> Option<Flow> {
        self.search.get_value().flow.take().map(|(flow, _)| flow)
    }

    /// Hands over what the user may have come back with; none where nothing waits for that.
    pub(crate) fn returned(self, callback: Callback) -> Option<AuthStep> {
        let search = self.search.get_value();
        let mut waiting = search.flow.borrow_mut();
        waiting.as_mut().map(|(flow, _)| flow.returned(callback))
    }

    /// Where the user is sent.
    pub(crate) fn opening(self) -> Option<Opening> {
        self.search.get_value().flow.borrow().as_ref()?.1.clone()
    }

    /// A stop for what begins now.
    pub(crate) fn begin(self) -> Stop {
        let stop = Stop::new();
        self.search.get_value().stop.replace(Some(stop.clone()));
        stop
    }

    /// Waits for other tokens than `used`, which `seek` is to bring about unless others have begun
    /// that already.
    pub(crate) async fn wait(
        self,
        used: Option<&Arc<Tokens>>,
        stop: &Stop,
        seek: impl FnOnce(),
    ) -> Result<(), Failure> {
        if self.has_other_than(used) {
            return Ok(());
        }
        let search = self.search.get_value();
        let under_way = search.gate.borrow().clone();
        let gate = under_way.unwrap_or_else(|| {
            let gate = Gate::new();
            search.gate.replace(Some(gate.clone()));
            search.refusal.take();
            seek();
            gate
        });
        search.waiting.update(|waiting| waiting + 1);
        let opened = stop.or(gate.opened()).await;
        search.waiting.update(|waiting| waiting - 1);
        if opened.is_none() {
            // A renewal that nobody waits for any more goes on: its answer may hold the only token.
            if search.waiting.get() == 0 && self.progress.with_untracked(Option::is_some) {
                self.leave();
            }
            return Err(Failure::Cancelled);
        }
        if self.has_other_than(used) {
            return Ok(());
        }
        let refusal = search.refusal.borrow().clone();
        Err(refusal.unwrap_or(Failure::NotSignedIn))
    }

    /// Takes new tokens; whoever waited for them goes on.
    pub(crate) fn succeed(self, endpoint: &str, tokens: Tokens, keep: bool) {
        if keep {
            store(endpoint, &tokens);
        }
        self.tokens.set(Some(Arc::new(tokens)));
        self.end(None);
    }

    /// Ends without tokens; whoever waited for them is told why.
    pub(crate) fn end(self, refusal: Option<Failure>) {
        let search = self.search.get_value();
        if let Some(stop) = search.stop.take() {
            stop.pull();
        }
        search.flow.take();
        search.refusal.replace(refusal);
        self.progress.set(None);
        if let Some(gate) = search.gate.take() {
            gate.open();
        }
    }

    /// Gives up: with the reason it failed for, if it did.
    pub(crate) fn leave(self) {
        let failed = self.progress.with_untracked(|progress| match progress {
            Some(Progress { phase: Phase::Failed(error), .. }) => {
                Some(Failure::Auth(error.clone()))
            }
            _ => None,
        });
        self.end(failed);
    }

    /// Lets go of the tokens, here and in the tab's storage.
    pub(crate) fn sign_out(self, endpoint: &str) {
        remove(endpoint);
        self.tokens.set(None);
        self.end(None);
    }

    /// Whether the tab has kept tokens.
    pub(crate) fn has_kept(self, endpoint: &str) -> bool {
        let kept = browser::session_storage().map(|storage| storage.get_item(&key(endpoint)));
        matches!(kept, Some(Ok(Some(_))))
    }

    /// Takes the tokens that the tab has kept.
    pub(crate) fn recall(self, endpoint: &str) {
        let kept = browser::session_storage()
            .and_then(|storage| storage.get_item(&key(endpoint)).ok().flatten());
        match kept.as_deref().map(Tokens::read) {
            Some(Ok(tokens)) => self.tokens.set(Some(Arc::new(tokens))),
            Some(Err(_)) => remove(endpoint),
            None => {}
        }
    }

    /// Begins or ceases to keep the tokens over a reload.
    pub(crate) fn keep(self, endpoint: &str, keep: bool) {
        match self.tokens_now() {
            Some(tokens) if keep => store(endpoint, &tokens),
            _ => remove(endpoint),
        }
    }
}

fn key(endpoint: &str) -> String {
    format!("{TOKENS}{endpoint}")
}

fn store(endpoint: &str, tokens: &Tokens) {
    if let Some(storage) = browser::session_storage() {
        let _ = storage.set_item(&key(endpoint), &tokens.to_json());
    }
}

fn remove(endpoint: &str) {
    if let Some(storage) = browser::session_storage() {
        let _ = storage.remove_item(&key(endpoint));
    }
}
