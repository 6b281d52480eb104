//! One server: how it was reached, what it says of itself, what it lists.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{LocalBoxFuture, Shared};
use leptos::prelude::*;
use skillglass::entry::Reading;
use skillglass::protocol::log::redact::Secrets;
use skillglass::protocol::results::{Discovery, Freshness, SkillPage};
use skillglass::protocol::{Client, Connected, Era, EraChoice, ListLimits, Listing, Wire};

use super::App;
use super::catalog::{Catalog, Passing, Row, is_called};
use super::judging::Judging;
use super::recents::is_harmless;
use super::selection::{Outcome, Selection};
use super::sign_in::SignIn;
use super::since::Since;
use super::skill::{Held, Skill};
use super::standing::Counts;
use crate::browser;
use crate::failure::Failure;
use crate::mark::Mark;
use crate::route::{Link, Route};
use crate::transport::{Stop, Transport};

/// An address as the user gave it.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint(pub(crate) String);

/// What a server is asked through.
pub(crate) struct Connection {
    /// Makes the requests.
    pub(crate) client: RefCell<Client>,
    /// Sends them.
    pub(crate) transport: Transport,
    /// Which era the user wants to be spoken.
    pub(crate) era: EraChoice,
    /// The handshake that takes the place of a lost session, while it is under way.
    pub(crate) renewal: RefCell<Option<Renewal>>,
}

/// A handshake that several calls wait for.
pub(crate) type Renewal = Shared<LocalBoxFuture<'static, Result<(), Failure>>>;

impl Connection {
    /// A connection over which nothing was asked yet.
    pub(crate) const fn new(client: Client, transport: Transport, era: EraChoice) -> Self {
        Self { client: RefCell::new(client), transport, era, renewal: RefCell::new(None) }
    }
}

/// A step on the way to a server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// The JSON-RPC method that was sent for it.
    pub(crate) method: Option<&'static str>,
    /// What is done, or was.
    pub(crate) text: String,
    /// How it went.
    pub(crate) mark: Mark,
    /// How long it took.
    pub(crate) ms: Option<u64>,
}

/// A busy server is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pause {
    /// The HTTP status that said so.
    pub(crate) status: u16,
    /// When it is asked again, by the page's clock.
    pub(crate) ends_at: u64,
}

/// How far a server is.
#[derive(Clone, Debug)]
pub(crate) enum Stage {
    /// It is being connected to.
    Connecting,
    /// It answers.
    Ready,
    /// It cannot be used.
    Failed(Failure),
}

/// A page of the listing, by what it added and the exchange that brought it.
#[derive(Clone, Copy)]
pub(crate) struct ListedPage {
    exchange: Option<usize>,
    /// How many entries were listed before.
    entries: usize,
    /// How many findings there were about the listing before.
    findings: usize,
}

/// How often a listing that goes on is shown anew, in milliseconds.
const SHOW_EVERY_MS: u64 = 200;

/// How many lines of the list are in the document before it is known how many are in sight.
const FIRST_LINES: usize = 60;

/// A server.
#[derive(Clone, Copy)]
pub(crate) struct Server {
    app: App,
    id: u32,
    label: StoredValue<Arc<str>>,
    endpoint: StoredValue<Arc<str>>,
    /// What the user calls it; empty where they call it nothing.
    pub(crate) name: RwSignal<String>,
    /// The place of the colour the user gave it, `0` for none.
    pub(crate) hue: RwSignal<usize>,
    /// Whether this browser may remember it.
    pub(crate) is_remembered: RwSignal<bool>,
    connection: StoredValue<Rc<Connection>, LocalStorage>,
    /// How far it is.
    pub(crate) stage: RwSignal<Stage>,
    /// Whether it is left alone for a while. Told anew each second.
    pub(crate) pause: RwSignal<Option<Pause>>,
    /// How it was reached.
    pub(crate) steps: RwSignal<Vec<Step>>,
    /// What it speaks, and what it says of itself.
    pub(crate) connected: RwSignal<Option<Arc<Connected>>>,
    /// What it lists.
    pub(crate) listing: RwSignal<Listing>,
    /// Whether its pages are being asked for.
    pub(crate) is_listing: RwSignal<bool>,
    /// The number of the last exchange of the handshake.
    pub(crate) greeted_in: StoredValue<Option<usize>>,
    /// Where the pages of the listing begin.
    pages: StoredValue<Vec<ListedPage>>,
    /// When its first page came, in milliseconds since 1970.
    pub(crate) listed_at: RwSignal<u64>,
    /// When the user signed out, in milliseconds since 1970.
    pub(crate) signed_out_at: RwSignal<u64>,
    /// Why it could not be had anew; what came before is kept then.
    pub(crate) not_refreshed: RwSignal<Option<String>>,
    /// The same as the list shows it.
    pub(crate) catalog: RwSignal<Catalog>,
    /// The text in the filter.
    pub(crate) filter: RwSignal<String>,
    /// What passes it.
    pub(crate) passing: Memo<Arc<Passing>>,
    /// Which lines of that are in the document.
    pub(crate) window: RwSignal<Range<usize>>,
    /// The row that had the focus when it went out of the document.
    pub(crate) left_row: StoredValue<Option<Arc<str>>>,
    is_pending: StoredValue<bool>,
    /// Those of its skills that the user has chosen.
    pub(crate) selection: Selection,
    /// The skills that were opened.
    pub(crate) skills: RwSignal<HashMap<Arc<str>, Skill>>,
    /// Who the user is there.
    pub(crate) sign_in: SignIn,
    /// How it conforms.
    pub(crate) judging: Judging,
    /// Stops connecting.
    pub(crate) stop: StoredValue<Stop, LocalStorage>,
    /// Stops listing.
    pub(crate) list_stop: StoredValue<Stop, LocalStorage>,
}

impl PartialEq for Server {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Server {
    pub(super) fn new(
        app: App,
        id: u32,
        label: &str,
        endpoint: Endpoint,
        connection: Connection,
    ) -> Self {
        let (catalog, filter) = (RwSignal::new(Catalog::default()), RwSignal::new(String::new()));
        let passing = move |_: Option<&Arc<Passing>>| {
            Arc::new(catalog.with(|catalog| filter.with(|filter| catalog.passing(filter))))
        };
        let known = app.recents.get(&endpoint.0);
        let (name, hue) = known.map(|known| (known.name, known.hue)).unwrap_or_default();
        Self {
            app,
            id,
            label: StoredValue::new(label.into()),
            name: RwSignal::new(name),
            hue: RwSignal::new(hue),
            is_remembered: RwSignal::new(true),
            endpoint: StoredValue::new(endpoint.0.into()),
            connection: StoredValue::new_local(Rc::new(connection)),
            stage: RwSignal::new(Stage::Connecting),
            pause: RwSignal::new(None),
            steps: RwSignal::new(Vec::new()),
            connected: RwSignal::new(None),
            listing: RwSignal::new(Listing::new(ListLimits::default())),
            is_listing: RwSignal::new(false),
            greeted_in: StoredValue::new(None),
            pages: StoredValue::new(Vec::new()),
            listed_at: RwSignal::new(0),
            signed_out_at: RwSignal::new(0),
            not_refreshed: RwSignal::new(None),
            catalog,
            filter,
            passing: Memo::new_with_compare(passing, |_, _| true),
            window: RwSignal::new(0..FIRST_LINES),
            left_row: StoredValue::new(None),
            is_pending: StoredValue::new(false),
            selection: Selection::new(),
            skills: RwSignal::new(HashMap::new()),
            sign_in: SignIn::new(),
            judging: Judging::new(),
            stop: StoredValue::new_local(Stop::new()),
            list_stop: StoredValue::new_local(Stop::new()),
        }
    }

    /// The page it belongs to.
    pub(crate) const fn app(&self) -> App {
        self.app
    }

    /// What this page calls it.
    pub(crate) fn label(&self) -> Arc<str> {
        self.label.get_value()
    }

    /// What people read for it: the user's name for it, else its label.
    pub(crate) fn title(&self) -> String {
        let name = self.name.get();
        if name.trim().is_empty() { self.label().to_string() } else { name }
    }

    /// The part of an address from `#` on that leads others here too. An address that could hold a secret is not named.
    pub(crate) fn link(&self, route: &Route, line: Option<usize>) -> String {
        let endpoint = self.endpoint().to_string();
        let at = is_harmless(&endpoint).then_some(endpoint);
        Link { route: route.clone(), at, line }.hash()
    }

    /// Its address as the user gave it.
    pub(crate) fn endpoint(&self) -> Arc<str> {
        self.endpoint.get_value()
    }

    /// What it is asked through.
    pub(crate) fn connection(&self) -> Rc<Connection> {
        self.connection.get_value()
    }

    /// What it is sent and nobody else may read, to be masked where the server repeats it.
    pub(crate) fn secrets(&self) -> Secrets {
        self.connection().client.borrow().secrets()
    }

    /// What it says of itself, if anything.
    pub(crate) fn read_discovery<T>(&self, read: impl FnOnce(&Discovery) -> T) -> Option<T> {
        self.connected.with(|connected| connected.as_ref().map(|it| read(&it.discovery)))
    }

    /// Whether it declares the extension.
    pub(crate) fn declares_skills(&self) -> bool {
        self.read_discovery(|discovery| discovery.skills).unwrap_or(false)
    }

    /// The era that is spoken with it.
    pub(crate) fn era(&self) -> Era {
        self.connection().client.borrow().wire().era()
    }

    /// Whether what came at a time may still be used without asking again. What was for one user
    /// is not for the next; the older revisions name no time.
    pub(crate) fn is_fresh(&self, at: u64, freshness: Freshness, now: u64) -> bool {
        let is_anybodys = freshness.public || at >= self.signed_out_at.get();
        self.era() == Era::Legacy || (is_anybodys && freshness.is_fresh(at, now))
    }

    /// What it speaks: the revision, the way in, and whether there is a session.
    pub(crate) fn speaks(&self) -> Option<String> {
        let (era, version) = self
            .connected
            .with(|connected| connected.as_ref().map(|it| (it.era, it.version.clone())))?;
        Some(match era {
            Era::Modern => version,
            Era::Legacy => {
                let in_session = matches!(
                    self.connection().client.borrow().wire(),
                    Wire::Legacy { session: Some(_), .. }
                );
                let session = if in_session { "in a session" } else { "without a session" };
                format!("{version}, with the older handshake, {session}")
            }
        })
    }

    /// Takes a page of the listing that goes on, or of one that takes its place.
    pub(crate) fn take_page(&self, page: SkillPage, exchange: Option<usize>, is_first: bool) {
        self.listing.update_untracked(|listing| {
            if is_first {
                *listing = Listing::new(ListLimits::default());
                self.pages.set_value(Vec::new());
            }
            let (entries, findings) = (listing.skills.len(), listing.findings.len());
            self.pages.update_value(|pages| pages.push(ListedPage { exchange, entries, findings }));
            let before = entries;
            listing.receive(page);
            self.catalog.update_untracked(|catalog| {
                if is_first {
                    catalog.forget_listed();
                }
                for (index, reading) in listing.skills.iter().enumerate().skip(before) {
                    catalog.list(Row::new(reading, index));
                }
            });
        });
        if is_first {
            self.listed_at.try_set(browser::now());
            self.not_refreshed.try_set(None);
            self.show_listing();
        } else {
            self.show_soon();
        }
    }

    /// Shows what was listed. Each change costs the browser a look at the whole list.
    pub(crate) fn show_listing(&self) {
        self.listing.notify();
        self.catalog.notify();
    }

    fn show_soon(self) {
        if self.is_pending.get_value() {
            return;
        }
        self.is_pending.set_value(true);
        let show = move || {
            self.is_pending.set_value(false);
            self.show_listing();
        };
        set_timeout(show, Duration::from_millis(SHOW_EVERY_MS));
    }

    /// The name of the skill called `key`, if there is one.
    pub(crate) fn name_of(&self, key: &str) -> Option<Arc<str>> {
        self.catalog.with(|catalog| catalog.get(key).map(|row| Arc::clone(&row.name)))
    }

    /// The skill called `key`, opened now if it is listed.
    pub(crate) fn skill(&self, key: &str) -> Option<Skill> {
        if let Some(skill) = self.skills.with(|skills| skills.get(key).copied()) {
            return Some(skill);
        }
        let held = self.listing.with(|listing| {
            let mut entries = listing.skills.iter().enumerate();
            let (index, reading) =
                entries.find(|(index, reading)| is_called(reading, *index, key))?;
            let at = self.listed_at.get_untracked();
            let exchange = self.entry_exchange(index);
            Some(Held::new(reading.clone(), at, listing.freshness, "skills/list", exchange))
        })?;
        Some(self.open(key, held))
    }

    /// The rows of the skills that are chosen, in the order of the list.
    pub(crate) fn chosen(&self) -> Vec<Arc<Row>> {
        self.selection.chosen.with(|chosen| {
            self.catalog.with(|catalog| {
                let rows = catalog.rows().filter(|row| chosen.contains(&row.key));
                rows.cloned().collect()
            })
        })
    }

    /// What the chosen skills come to, as far as they were read.
    pub(crate) fn outcome_of_chosen(&self) -> Outcome {
        let mut outcome = Outcome::default();
        for row in self.chosen() {
            let skill = self.skills.with(|skills| skills.get(&row.key).copied());
            let Some(skill) = skill else {
                outcome.unknown += 1;
                continue;
            };
            let is_shared = self.catalog.with(|catalog| catalog.is_shared(&row.name));
            outcome.add(skill.standing(is_shared).mark);
            let changed = |since: &Option<Arc<Since>>| since.as_ref().map(|it| it.changed.len());
            outcome.changed += skill.since.with(changed).unwrap_or_default();
        }
        outcome
    }

    /// The exchange that brought the last page that begins so.
    fn page_exchange(&self, begins: impl Fn(&ListedPage) -> bool) -> Option<usize> {
        self.pages.with_value(|pages| pages.iter().rev().find(|page| begins(page))?.exchange)
    }

    /// The exchange that brought the entry at this place of the listing.
    pub(crate) fn entry_exchange(&self, index: usize) -> Option<usize> {
        self.page_exchange(|page| page.entries <= index)
    }

    /// The exchange that a finding about the listing rests on.
    pub(crate) fn finding_exchange(&self, index: usize) -> Option<usize> {
        self.page_exchange(|page| page.findings <= index)
    }

    /// The entries of a page of the listing: names, keys and findings of those that have any.
    pub(crate) fn flawed_entries(&self, exchange: usize) -> Vec<(Arc<str>, Arc<str>, Counts)> {
        let pages = self.pages.get_value();
        let Some(at) = pages.iter().position(|page| page.exchange == Some(exchange)) else {
            return Vec::new();
        };
        let first = pages[at].entries;
        self.listing.with_untracked(|listing| {
            let end = pages.get(at + 1).map_or(listing.skills.len(), |next| next.entries);
            let entries = listing.skills.iter().enumerate().take(end).skip(first);
            let flawed = |(index, reading): (usize, &Reading)| {
                let counts = Counts::of(&reading.findings);
                (counts != Counts::default()).then(|| {
                    let Row { name, key, .. } = Row::new(reading, index);
                    (name, key, counts)
                })
            };
            entries.filter_map(flawed).collect()
        })
    }

    /// Opens a skill by an entry that `skills/get` gave.
    pub(crate) fn open_by_uri(&self, uri: &str, held: Held) -> Skill {
        if let Some(skill) = untrack(|| self.skill(uri)) {
            return skill;
        }
        self.catalog.update(|catalog| catalog.open_by_uri(Row::new(&held.reading, 0)));
        self.open(uri, held)
    }

    fn open(&self, key: &str, held: Held) -> Skill {
        let skill = self.app.keep(|| Skill::new(*self, key, held));
        self.skills.update(|skills| {
            skills.insert(key.into(), skill);
        });
        skill
    }

    /// Stops what is under way and lets go of everything that was read.
    pub(super) fn forget(&self) {
        self.stop.with_value(Stop::pull);
        self.list_stop.with_value(Stop::pull);
        self.selection.stop.with_value(Stop::pull);
        self.judging.forget();
        self.sign_in.sign_out(&self.endpoint());
        let skills = self.skills.try_update(std::mem::take).unwrap_or_default();
        for skill in skills.into_values() {
            skill.stop.with_value(Stop::pull);
            skill.get_stop.with_value(Stop::pull);
            skill.files.set(Default::default());
        }
        self.listing.set(Listing::new(ListLimits::default()));
        self.pages.set_value(Vec::new());
        self.catalog.set(Catalog::default());
    }
}
