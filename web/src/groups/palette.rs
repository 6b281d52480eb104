//! The palette: every skill, place and action by a few letters.

use std::rc::Rc;

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use skillglass::conformance::CheckReport;
use skillglass::uri::SkillUri;
use web_sys::KeyboardEvent;

use super::save_wire;
use super::selection::{check_chosen, choose_all, clear};
use crate::browser;
use crate::elements::{Button, ServerText};
use crate::keys::roving;
use crate::navigation;
use crate::route::{Link, Route, Tab};
use crate::run;
use crate::screens::{FORMS, Form, open_demo, save_report};
use crate::state::server::Server;
use crate::state::skill::{Skill, SkillFile};
use crate::state::{App, app};
use crate::text::{LAST_RANK, rank};
use crate::theme::Theme;
use crate::transport::Stop;

/// How many of a kind are shown.
const MOST: usize = 30;

/// How many are shown before anything is typed.
const AT_FIRST: usize = 8;

/// The id of the list.
const LIST: &str = "palette-list";

/// What can be chosen.
#[derive(Clone)]
struct Offer {
    /// What kind it is.
    kind: &'static str,
    /// What it is called.
    title: String,
    /// What tells it apart from others, or where it is.
    detail: String,
    /// Its key, where it has one.
    key: &'static str,
    /// What choosing it does.
    act: Rc<dyn Fn()>,
}

impl Offer {
    fn new(kind: &'static str, title: impl Into<String>, act: impl Fn() + 'static) -> Self {
        let (title, act) = (title.into(), Rc::new(act));
        Self { kind, title, detail: String::new(), key: "", act }
    }

    fn going(kind: &'static str, title: impl Into<String>, route: Route) -> Self {
        Self::new(kind, title, move || navigation::go(&route))
    }

    fn of(self, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..self }
    }

    fn key(self, key: &'static str) -> Self {
        Self { key, ..self }
    }

    /// How well it fits: by the beginning of its title, by its title, by anything; none where it lacks a word.
    fn rank(&self, words: &[&str]) -> Option<usize> {
        rank(&format!("{}\n{} {}", self.title, self.detail, self.kind).to_lowercase(), words)
    }
}

/// What is typed and found, and which of it is pointed at.
#[derive(Clone, Copy)]
struct Finder {
    app: App,
    dialog: NodeRef<html::Dialog>,
    query: RwSignal<String>,
    /// What does not depend on what is typed.
    fixed: StoredValue<Vec<Offer>, LocalStorage>,
    found: RwSignal<Found, LocalStorage>,
    active: RwSignal<usize>,
}

impl Finder {
    fn new(app: App) -> Self {
        let fixed = fixed(app);
        let found = found(app, &fixed, "");
        Self {
            app,
            dialog: NodeRef::new(),
            query: RwSignal::new(String::new()),
            fixed: StoredValue::new_local(fixed),
            found: RwSignal::new_local(found),
            active: RwSignal::new(0),
        }
    }

    fn with_dialog(self, act: impl FnOnce(&web_sys::HtmlDialogElement)) {
        if let Some(dialog) = self.dialog.try_get_untracked().flatten() {
            act(&dialog);
        }
    }

    fn close(self) {
        self.with_dialog(|dialog| dialog.close());
    }

    fn type_in(self, text: String) {
        self.found.set(self.fixed.with_value(|fixed| found(self.app, fixed, &text)));
        self.query.set(text);
        self.active.set(0);
    }

    fn choose(self, at: usize) {
        let act = self
            .found
            .with_untracked(|found| found.offers.get(at).map(|offer| Rc::clone(&offer.act)));
        if let Some(act) = act {
            // The focus is given back before anything moves it.
            self.close();
            act();
        }
    }

    fn on_key(self, event: &KeyboardEvent) {
        match event.key().as_str() {
            "Enter" => {
                event.prevent_default();
                self.choose(self.active.get_untracked());
            }
            "k" if event.ctrl_key() || event.meta_key() => {
                event.prevent_default();
                self.close();
            }
            // In a field these two move the cursor.
            "Home" | "End" | "ArrowLeft" | "ArrowRight" => {}
            key => self.step(key, event),
        }
    }

    /// Arrows point at the option above or below.
    fn step(self, key: &str, event: &KeyboardEvent) {
        let number = self.found.with_untracked(|found| found.offers.len());
        if let Some(next) = roving(key, self.active.get_untracked(), number) {
            event.prevent_default();
            self.active.set(next);
            show(next);
        }
    }

    /// The id of the option that is pointed at.
    fn current(self) -> Option<String> {
        self.found.with(|found| (!found.offers.is_empty()).then(|| id(self.active.get())))
    }
}

/// The palette, over everything else. It closes itself.
#[component]
pub(crate) fn Palette() -> impl IntoView {
    let app = app();
    let finder = Finder::new(app);
    request_animation_frame(move || {
        finder.with_dialog(|dialog| {
            let _ = dialog.show_modal();
        });
    });
    let choose = move |at: usize| finder.choose(at);
    view! {
        <dialog class="dialog palette" aria-label="Find" node_ref=finder.dialog on:close=move |_| app.palette_open.set(false)>
            <div class="palette-head">
                <input
                    type="text"
                    role="combobox"
                    aria-label="Find a skill, a place or an action"
                    aria-expanded="true"
                    aria-autocomplete="list"
                    aria-controls=LIST
                    aria-activedescendant=move || finder.current()
                    placeholder="Find a skill, a place or an action"
                    spellcheck="false"
                    autocapitalize="none"
                    autocomplete="off"
                    prop:value=finder.query
                    on:input:target=move |event| finder.type_in(event.target().value())
                    on:keydown=move |event| finder.on_key(&event)
                />
                <Button class="link" press=move || finder.close()>"Close"</Button>
            </div>
            <div id=LIST class="palette-list" role="listbox" aria-label="Found">
                {move || finder.found.with(|found| groups(&found.offers, finder.active, choose))}
            </div>
            <p class="hint palette-foot" role="status">{move || finder.found.with(Found::line)}</p>
        </dialog>
    }
}

fn id(at: usize) -> String {
    format!("palette-{at}")
}

/// Brings an option into sight.
fn show(at: usize) {
    request_animation_frame(move || {
        if let Some(option) = document().get_element_by_id(&id(at)) {
            let options = web_sys::ScrollIntoViewOptions::new();
            options.set_block(web_sys::ScrollLogicalPosition::Nearest);
            option.scroll_into_view_with_scroll_into_view_options(&options);
        }
    });
}

/// The options, those of a kind together.
fn groups(
    offers: &[Offer],
    active: RwSignal<usize>,
    choose: impl Fn(usize) + Copy + Send + Sync + 'static,
) -> AnyView {
    let mut at = 0;
    let group = |offers: &[Offer]| {
        let kind = offers[0].kind;
        let options = offers.iter().map(|offer| {
            let place = at;
            at += 1;
            option(offer, place, active, choose)
        });
        let options = options.collect_view();
        view! {
            <div role="group" aria-label=kind>
                <p class="palette-kind" aria-hidden="true">{kind}</p>
                {options}
            </div>
        }
    };
    offers.chunk_by(|a, b| a.kind == b.kind).map(group).collect_view().into_any()
}

fn option(
    offer: &Offer,
    at: usize,
    active: RwSignal<usize>,
    choose: impl Fn(usize) + Copy + Send + Sync + 'static,
) -> AnyView {
    let Offer { title, detail, key, .. } = offer.clone();
    view! {
        <div
            role="option"
            id=id(at)
            class="palette-option"
            aria-selected=move || (active.get() == at).to_string()
            on:click=move |_| choose(at)
        >
            <span class="palette-title"><ServerText text=title limit=200/></span>
            <span class="palette-detail"><ServerText text=detail limit=300/></span>
            {(!key.is_empty()).then(|| view! { <kbd aria-hidden="true">{key}</kbd> })}
        </div>
    }
    .into_any()
}

/// What was found.
struct Found {
    /// The best of each kind.
    offers: Vec<Offer>,
    /// How many there are in all.
    number: usize,
}

impl Found {
    fn line(&self) -> String {
        match self.number - self.offers.len() {
            _ if self.offers.is_empty() => {
                "Nothing has all of these words. A URI of a SKILL.md opens a skill that no listing shows.".to_owned()
            }
            0 => format!("{} found", self.number),
            more => format!("{} found, {more} more not shown", self.number),
        }
    }
}

/// What fits best to what is typed.
fn found(app: App, fixed: &[Offer], query: &str) -> Found {
    let query = query.trim();
    let lower = query.to_lowercase();
    let words: Vec<_> = lower.split_whitespace().collect();
    let mut offers = by_uri(app, query);
    if words.is_empty() {
        offers.extend(fixed.iter().cloned());
        let mut shown = offers;
        shown.extend(skills(app, &[""], AT_FIRST).0);
        return Found { number: shown.len(), offers: shown };
    }
    let (skills, of_skills) = skills(app, &words, MOST);
    let others = fixed.iter().filter_map(|offer| Some((offer.rank(&words)?, offer.clone())));
    let others: Vec<_> = others.collect();
    let number = offers.len() + of_skills + others.len();
    let skills = skills.into_iter().map(|offer| (offer.rank(&words).unwrap_or(LAST_RANK), offer));
    let ranked: Vec<_> = skills.chain(others).collect();
    // What fits best comes first, together with the others of its kind.
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for (rank, offer) in &ranked {
        match kinds.iter_mut().find(|(kind, _)| *kind == offer.kind) {
            Some((_, best)) => *best = (*best).min(*rank),
            None => kinds.push((offer.kind, *rank)),
        }
    }
    kinds.sort_by_key(|(_, best)| *best);
    for (kind, _) in kinds {
        let mut of_kind: Vec<_> = ranked.iter().filter(|(_, offer)| offer.kind == kind).collect();
        of_kind.sort_by_key(|(rank, _)| *rank);
        offers.extend(of_kind.into_iter().take(MOST).map(|(_, offer)| offer.clone()));
    }
    Found { offers, number }
}

/// The skills that fit, and how many there are.
fn skills(app: App, words: &[&str], most: usize) -> (Vec<Offer>, usize) {
    let (mut offers, mut number) = (Vec::new(), 0);
    let servers = app.servers.get_untracked();
    let current = untrack(|| app.route.with_untracked(|route| app.server_of(route)));
    let others = servers.iter().copied().filter(|server| Some(*server) != current);
    for server in current.into_iter().chain(others) {
        let label = server.label();
        let (rows, found) =
            server.catalog.with_untracked(|catalog| catalog.best(words, most - offers.len()));
        number += found;
        offers.extend(rows.into_iter().map(|row| {
            let route = Route::skill(&label, &row.key, Tab::Instructions);
            let detail = match servers.len() {
                1 => row.key.to_string(),
                _ => format!("{label}, {}", row.key),
            };
            Offer::going("Skills", &*row.name, route).of(detail)
        }));
    }
    (offers, number)
}

/// A skill that need not be listed, where its URI was typed.
fn by_uri(app: App, query: &str) -> Vec<Offer> {
    if SkillUri::parse(query).is_err() {
        return Vec::new();
    }
    let offer = |server: Server| {
        let uri = query.to_owned();
        let open = move || {
            let uri = uri.clone();
            spawn_local(async move {
                match run::open_by_uri(server, &uri, &Stop::new()).await {
                    Ok(skill) => {
                        navigation::go(&Route::skill(
                            &server.label(),
                            &skill.key(),
                            Tab::Instructions,
                        ));
                    }
                    Err(failure) => app.say(format!(
                        "{uri} could not be opened. {}",
                        run::words(server, &failure)
                    )),
                }
            });
        };
        Offer::new("Open by URI", query, open).of(server.label().to_string())
    };
    app.servers.get_untracked().into_iter().map(offer).collect()
}

/// What does not depend on what is typed: actions, places, servers, files, checks.
fn fixed(app: App) -> Vec<Offer> {
    let route = app.route.get_untracked();
    let server = untrack(|| app.server_of(&route));
    let skill = server.and_then(|server| match &route {
        Route::Skill { key, .. } => untrack(|| server.skill(key)),
        _ => None,
    });
    let mut offers = Vec::new();
    if let Some(skill) = skill {
        offers.extend(skill_actions(app, skill));
    }
    if let Some(server) = server {
        offers.extend(server_actions(app, server, &route));
    }
    offers.extend(actions(app));
    if let Some(skill) = skill {
        offers.extend(sides(skill));
    }
    offers.extend(places(app, server));
    if let Some(skill) = skill {
        offers.extend(files(skill));
    }
    if let Some(server) = server {
        offers.extend(checks(server));
    }
    offers
}

const ACTION: &str = "Actions";
const PLACE: &str = "Places";

fn skill_actions(app: App, skill: Skill) -> Vec<Offer> {
    let name = skill.server.name_of(&skill.key()).unwrap_or_else(|| skill.key()).to_string();
    vec![
        Offer::new(ACTION, "Verify all files, or stop that", move || run::verify_shown(app))
            .of(&*name)
            .key("v"),
        Offer::new(ACTION, "Fetch with skills/get", move || run::get(skill)).of(name),
    ]
}

fn server_actions(app: App, server: Server, route: &Route) -> Vec<Offer> {
    let label = server.label().to_string();
    let report = Route::Report { label: label.clone(), check: None };
    let link = browser::address_of(&untrack(|| server.link(route, app.line.get_untracked())));
    let mut offers = vec![
        Offer::going(ACTION, "Check conformance", report),
        Offer::new(ACTION, "Copy a link to this place", move || copy(app, link.clone())),
        Offer::new(ACTION, "Choose every skill in the list", move || choose_all(server)),
        Offer::new(ACTION, "Refresh the list", move || run::list_again(server)),
        Offer::new(ACTION, "Reconnect", move || run::reconnect(server)),
        Offer::new(ACTION, "Disconnect", move || {
            run::disconnect(server);
            navigation::go(&Route::START);
        }),
    ];
    if server.selection.chosen.with_untracked(|chosen| !chosen.is_empty()) {
        offers.extend([
            Offer::new(ACTION, "Verify the chosen skills", move || run::verify_chosen(server)),
            Offer::new(ACTION, "Check the chosen skills", move || check_chosen(server)),
            Offer::new(ACTION, "Choose nothing", move || clear(server)),
        ]);
    }
    if server.judging.report.with_untracked(Option::is_some) {
        let save = |form: Form| {
            let title = format!("Save the report as {}", form.0);
            Offer::new(ACTION, title, move || save_report(server, form))
        };
        offers.extend(FORMS.into_iter().map(save));
    }
    offers.into_iter().map(|offer| offer.of(&*label)).collect()
}

/// Puts a text on the clipboard and says whether that went well.
fn copy(app: App, text: String) {
    spawn_local(async move {
        let copied = browser::copy(&text).await.is_ok();
        app.say(if copied { "Copied." } else { "The browser does not allow copying." });
    });
}

fn actions(app: App) -> Vec<Offer> {
    let theme = |title, theme| Offer::new(ACTION, title, move || app.theme.set(theme)).of("theme");
    vec![
        Offer::going(ACTION, "Connect to a server", Route::START),
        Offer::new(ACTION, "Connect to demo:good", move || open_demo(app, "demo:good")),
        Offer::new(ACTION, "Connect to demo:broken", move || open_demo(app, "demo:broken")),
        Offer::new(ACTION, "Show or hide the wire", move || {
            app.wire.open.update(|open| *open = !*open);
        })
        .key("`"),
        Offer::new(ACTION, "Save the wire as HAR", move || save_wire(app.wire)),
        Offer::new(ACTION, "Print", browser::print),
        theme("Light colours", Theme::Light),
        theme("Dark colours", Theme::Dark),
        theme("Colours of the system", Theme::Auto),
        Offer::new(ACTION, "Take the tour", move || app.tour.set(Some(0))),
        Offer::new(ACTION, "Keys and marks", move || app.help_open.set(true)).of("help").key("?"),
    ]
}

fn sides(skill: Skill) -> impl Iterator<Item = Offer> {
    let sides = [
        ("Instructions", Tab::Instructions),
        ("Files", Tab::Files { open: None }),
        ("Frontmatter", Tab::Frontmatter),
        ("Checks", Tab::Checks),
        ("Raw", Tab::Raw),
        ("As a host: walk through the message flow", Tab::Host),
    ];
    let (label, key) = (skill.server.label(), skill.key());
    let name = skill.server.name_of(&key).unwrap_or_else(|| skill.key()).to_string();
    sides.into_iter().map(move |(title, tab)| {
        Offer::going(PLACE, title, Route::skill(&label, &key, tab)).of(&*name)
    })
}

fn places(app: App, current: Option<Server>) -> Vec<Offer> {
    let servers = app.servers.get_untracked().into_iter().map(|server| {
        let (title, route) =
            (untrack(|| server.title()), Route::Server { label: server.label().to_string() });
        Offer::going(PLACE, title, route).of(format!("server at {}", server.endpoint()))
    });
    let report = current.map(|server| {
        let label = server.label().to_string();
        Offer::going(PLACE, "Conformance", Route::Report { label: label.clone(), check: None })
            .of(label)
    });
    let connected = app.servers.get_untracked();
    let is_absent = |endpoint: &str| connected.iter().all(|server| *server.endpoint() != *endpoint);
    let earlier =
        app.recents.all().into_iter().filter(|recent| is_absent(&recent.endpoint)).map(|recent| {
            let title = if recent.name.is_empty() { recent.endpoint.clone() } else { recent.name };
            let form =
                Link { route: Route::Connect { url: Some(recent.endpoint) }, at: None, line: None };
            Offer::going(PLACE, title, form.route).of("earlier server")
        });
    servers.chain(report).chain(earlier).collect()
}

fn files(skill: Skill) -> Vec<Offer> {
    let files = skill.files.with_untracked(|files| files.order.clone());
    let offer = |file: SkillFile| {
        let route = Link::read(&file.href(skill)).route;
        let path = file.path.to_string();
        let open = move || {
            navigation::go(&route);
            file.open(skill);
        };
        Offer::new("Files of this skill", path, open)
    };
    files.into_iter().map(offer).collect()
}

fn checks(server: Server) -> Vec<Offer> {
    let label = server.label().to_string();
    server.judging.report.with_untracked(|report| {
        let checks = report.as_ref().map_or(&[][..], |report| &report.checks);
        let offer = |check: &CheckReport| {
            let route = Route::Report { label: label.clone(), check: Some(check.id.to_string()) };
            Offer::going("Checks", check.title.to_string(), route).of(&*check.id)
        };
        checks.iter().map(offer).collect()
    })
}
