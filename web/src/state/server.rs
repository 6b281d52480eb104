//! One server: how it was reached, what it says of itself, what it lists.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use futures_util::future::{LocalBoxFuture, Shared};
use leptos::prelude::*;
use skillglass::entry::Reading;
use skillglass::protocol::results::Discovery;
use skillglass::protocol::{Client, Connected, Era, EraChoice, ListLimits, Listing, Wire};
use skillglass::uri::SkillUri;

use super::App;
use super::judging::Judging;
use super::sign_in::SignIn;
use super::skill::{Held, Skill};
use super::standing::{Counts, Kind};
use crate::browser;
use crate::failure::Failure;
use crate::mark::Mark;
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

/// A skill in the list.
#[derive(Clone, PartialEq)]
pub(crate) struct Row {
    /// What the skill is called by in addresses.
    pub(crate) key: Arc<str>,
    /// The group it stands in: the part of its path before its name.
    pub(crate) prefix: Arc<str>,
    /// Its name.
    pub(crate) name: Arc<str>,
    /// What the filter looks through, in lower case.
    pub(crate) haystack: Arc<str>,
    /// What it consists of.
    pub(crate) kind: Kind,
    /// The findings about its entry.
    pub(crate) counts: Counts,
    /// The skill, once it was opened.
    pub(crate) skill: RwSignal<Option<Skill>>,
}

/// The skills that share the part of their path before their name.
pub(crate) struct Group {
    /// That part.
    pub(crate) prefix: Arc<str>,
    /// The skills, in the order listed.
    pub(crate) rows: Vec<Row>,
}

/// The skills as the list shows them.
#[derive(Default)]
pub(crate) struct Catalog {
    /// By prefix; skills without one behind those, skills opened by their URI last.
    pub(crate) groups: Vec<Group>,
    names: HashMap<Arc<str>, usize>,
}

impl Catalog {
    fn push(&mut self, row: Row) {
        *self.names.entry(Arc::clone(&row.name)).or_default() += 1;
        let place = self.groups.partition_point(|group| order(&group.prefix) < order(&row.prefix));
        match self.groups.get_mut(place).filter(|group| group.prefix == row.prefix) {
            Some(group) => group.rows.push(row),
            None => {
                let prefix = Arc::clone(&row.prefix);
                self.groups.insert(place, Group { prefix, rows: vec![row] });
            }
        }
    }

    /// Keeps those that no listing shows.
    pub(crate) fn forget_listed(&mut self) {
        let groups = std::mem::take(&mut self.groups);
        self.names.clear();
        let kept = groups.into_iter().filter(|group| *group.prefix == *OPENED_BY_URI);
        for row in kept.flat_map(|group| group.rows) {
            self.push(row);
        }
    }

    /// All skills.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.groups.iter().flat_map(|group| &group.rows)
    }

    /// Whether more than one skill has this name.
    pub(crate) fn is_shared(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|count| *count > 1)
    }
}

/// What groups are sorted by.
fn order(prefix: &str) -> (u8, &str) {
    match prefix {
        OPENED_BY_URI => (2, ""),
        "" => (1, ""),
        prefix => (0, prefix),
    }
}

/// How many rows the list shows at first, and how many more on request. A page with tens of
/// thousands of rows is slow in every browser.
pub(crate) const ROWS_STEP: usize = 500;

/// The group of skills that no listing shows.
pub(crate) const OPENED_BY_URI: &str = "opened by URI";

/// A server.
#[derive(Clone, Copy)]
pub(crate) struct Server {
    app: App,
    id: u32,
    label: StoredValue<Arc<str>>,
    endpoint: StoredValue<Arc<str>>,
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
    pub(crate) pages: StoredValue<Vec<ListedPage>>,
    /// When the last page came, in milliseconds since 1970.
    pub(crate) listed_at: RwSignal<u64>,
    /// The same as the list shows it.
    pub(crate) catalog: RwSignal<Catalog>,
    /// The text in the filter.
    pub(crate) filter: RwSignal<String>,
    /// How many rows the list shows at most.
    pub(crate) most_rows: RwSignal<usize>,
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
        Self {
            app,
            id,
            label: StoredValue::new(label.into()),
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
            catalog: RwSignal::new(Catalog::default()),
            filter: RwSignal::new(String::new()),
            most_rows: RwSignal::new(ROWS_STEP),
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

    /// Its address as the user gave it.
    pub(crate) fn endpoint(&self) -> Arc<str> {
        self.endpoint.get_value()
    }

    /// What it is asked through.
    pub(crate) fn connection(&self) -> Rc<Connection> {
        self.connection.get_value()
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

    /// Puts the entries from the listing's `from`-th on into the list.
    pub(crate) fn extend_catalog(&self, from: usize) {
        let rows: Vec<Row> = self.listing.with_untracked(|listing| {
            let new = listing.skills.iter().enumerate().skip(from);
            self.app.keep(|| new.map(|(index, reading)| row(reading, index)).collect())
        });
        self.skills.with_untracked(|skills| {
            for row in rows.iter() {
                if let Some(skill) = skills.get(&row.key) {
                    row.skill.set(Some(*skill));
                }
            }
        });
        self.listed_at.try_set(browser::now());
        self.catalog.try_update(|catalog| rows.into_iter().for_each(|row| catalog.push(row)));
    }

    /// The name of the skill called `key`, if there is one.
    pub(crate) fn name_of(&self, key: &str) -> Option<Arc<str>> {
        self.catalog.with(|catalog| {
            catalog.rows().find(|row| *row.key == *key).map(|row| Arc::clone(&row.name))
        })
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
            let exchange = self.page_exchange(|page| page.entries <= index);
            Some(Held::new(reading.clone(), at, listing.freshness, "skills/list", exchange))
        })?;
        Some(self.open(key, held))
    }

    /// Notes that what the listing takes next came in this exchange.
    pub(crate) fn note_page(&self, exchange: Option<usize>) {
        let (entries, findings) =
            self.listing.with_untracked(|listing| (listing.skills.len(), listing.findings.len()));
        self.pages.update_value(|pages| pages.push(ListedPage { exchange, entries, findings }));
    }

    /// The exchange that brought the last page that begins so.
    fn page_exchange(&self, begins: impl Fn(&ListedPage) -> bool) -> Option<usize> {
        self.pages.with_value(|pages| pages.iter().rev().find(|page| begins(page))?.exchange)
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
                    let Row { name, key, .. } = row(reading, index);
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
        let row = self.app.keep(|| row(&held.reading, 0));
        let row = Row { prefix: OPENED_BY_URI.into(), ..row };
        self.catalog.update(|catalog| catalog.push(row));
        self.open(uri, held)
    }

    fn open(&self, key: &str, held: Held) -> Skill {
        let skill = self.app.keep(|| Skill::new(*self, key, held));
        let row = self.catalog.with_untracked(|catalog| {
            catalog.rows().find(|row| *row.key == *key).map(|row| row.skill)
        });
        if let Some(row) = row {
            row.set(Some(skill));
        }
        self.skills.update(|skills| {
            skills.insert(key.into(), skill);
        });
        skill
    }

    /// Stops what is under way and lets go of everything that was read.
    pub(super) fn forget(&self) {
        self.stop.with_value(Stop::pull);
        self.list_stop.with_value(Stop::pull);
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

/// What an entry is called by in addresses: its URI, or its place where it has none. Nothing that
/// a server sends as `uri` can pass for a place.
fn key_of(reading: &Reading, index: usize) -> Arc<str> {
    match uri_of(reading) {
        Some(uri) => uri.into(),
        None => place_of(index).into(),
    }
}

fn is_called(reading: &Reading, index: usize, key: &str) -> bool {
    match uri_of(reading) {
        Some(uri) => uri == key,
        None => place_of(index) == key,
    }
}

fn uri_of(reading: &Reading) -> Option<&str> {
    reading.uri.as_deref().filter(|uri| uri.contains("://"))
}

fn place_of(index: usize) -> String {
    format!("entry {}", index + 1)
}

fn row(reading: &Reading, index: usize) -> Row {
    let key = key_of(reading, index);
    let uri = reading.uri.as_deref().and_then(|uri| SkillUri::parse(uri).ok());
    let name = reading.name.as_deref().filter(|name| !name.is_empty());
    let name = name.or(uri.map(|uri| uri.name())).unwrap_or(&key);
    let name: Arc<str> = crate::text::head(name, 200).0.into();
    let description = crate::text::head(reading.description.as_deref().unwrap_or_default(), 2000).0;
    Row {
        prefix: uri.map_or("", |uri| uri.prefix()).into(),
        haystack: format!("{name}\n{key}\n{description}").to_lowercase().into(),
        name,
        kind: Kind::of(reading),
        counts: Counts::of(&reading.findings),
        skill: RwSignal::new(None),
        key,
    }
}
