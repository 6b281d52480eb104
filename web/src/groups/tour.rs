//! A tour of the two demonstrations: a few stops, each beside the real thing on the real screen.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, KeyboardEvent, ScrollIntoViewOptions, ScrollLogicalPosition};

use crate::browser;
use crate::elements::Button;
use crate::navigation;
use crate::route::{Route, Tab};
use crate::run::{self, Entered};
use crate::screens::TITLE;
use crate::state::server::Stage;
use crate::state::{App, app};

const GOOD: &str = "demo:good";
const BROKEN: &str = "demo:broken";
const REFUNDS: &str = "skill://atelier/billing/refunds/SKILL.md";
const WRONG: &str = "skill://wrong-digest/SKILL.md";

/// The button that goes on, which has the focus at each stop.
const NEXT: &str = "tour-next";

/// The width and the height that the text needs, and the space around it, in CSS pixels.
const WIDTH: i32 = 352;
const HEIGHT: i32 = 210;
const GAP: i32 = 14;

/// Below this width the text stands at the edge of the page.
const NARROW: i32 = 720;

/// A stop.
struct Stop {
    /// The demonstration server.
    demo: &'static str,
    /// The skill, and which side of it; none for the server.
    skill: Option<(&'static str, Tab)>,
    /// Whether it is the server's report that is shown.
    is_report: bool,
    /// Whether the skill's files are verified for it.
    verifies: bool,
    /// What it is about, as a selector.
    target: &'static str,
    title: &'static str,
    text: &'static str,
}

impl Stop {
    fn route(&self) -> Route {
        let label = self.demo.to_owned();
        match &self.skill {
            Some((uri, tab)) => Route::skill(self.demo, uri, tab.clone()),
            None if self.is_report => Route::Report { label, check: None },
            None => Route::Server { label },
        }
    }
}

const PLAIN: Stop = Stop {
    demo: GOOD,
    skill: None,
    is_report: false,
    verifies: false,
    target: "",
    title: "",
    text: "",
};

const STOPS: [Stop; 7] = [
    Stop {
        target: ".catalog-list",
        title: "What the server lists",
        text: "Skills stand under the prefix of their URIs. A mark other than the dashed ring says that something needs a look. Nothing of a skill is read until you ask.",
        ..PLAIN
    },
    Stop {
        skill: Some((REFUNDS, Tab::Instructions)),
        target: ".skill-acts",
        title: "Read one file, or verify all",
        text: "Beside the name stands what is known of the skill: not read yet. Verify all reads every file and holds its size and SHA-256 against the entry. Going on does that.",
        ..PLAIN
    },
    Stop {
        skill: Some((REFUNDS, Tab::Files { open: None })),
        verifies: true,
        target: ".panel table",
        title: "Each file has its own mark",
        text: "A tick means that these are the promised bytes, and nothing more: whether to trust them stays with you. Files open here, and nothing in them runs or loads anything.",
        ..PLAIN
    },
    Stop {
        skill: Some((REFUNDS, Tab::Host)),
        target: ".walk-rail",
        title: "What a host does with it",
        text: "As a host goes through the message flow one message at a time: what is sent, what a host has to check, what it refuses, and what a model would receive.",
        ..PLAIN
    },
    Stop {
        demo: BROKEN,
        skill: Some((WRONG, Tab::Checks)),
        verifies: true,
        target: ".panel .finding",
        title: "What is wrong, and how to mend it",
        text: "The other server breaks one rule in each skill. A finding has both sides, the cause where it can be proved, the repair, the rule, and the exchange it rests on.",
        ..PLAIN
    },
    Stop {
        demo: BROKEN,
        is_report: true,
        target: ".report-start",
        title: "Every rule at once",
        text: "Check conformance asks every question of the specification, and says before what that costs. The report can be saved, printed, linked to, and compared with the next one.",
        ..PLAIN
    },
    Stop {
        demo: BROKEN,
        is_report: true,
        target: ".wire-bar",
        title: "Every message",
        text: "All that went over the wire is here, to be searched, copied and saved. That was the tour. + Server, at the top, is where your own server goes.",
        ..PLAIN
    },
];

/// Where something is on the page, in CSS pixels.
#[derive(Clone, Copy, PartialEq)]
struct Place {
    left: i32,
    top: i32,
    width: i32,
    height: i32,
}

impl Place {
    fn of(element: &Element) -> Option<Self> {
        let place = element.get_bounding_client_rect();
        let [left, top] = [place.left(), place.top()].map(|edge| edge.round() as i32);
        let [width, height] = [place.width(), place.height()].map(|side| side.round() as i32);
        (width > 0 && height > 0).then_some(Self { left, top, width, height })
    }

    /// Where the text goes beside it: right of it, below it, above it, or in the corner.
    fn beside(self, page: (i32, i32)) -> (i32, i32) {
        let (right, bottom) = (self.left + self.width, self.top + self.height);
        let within = |at: i32, most: i32| at.clamp(GAP, (most - GAP).max(GAP));
        let (most_left, most_top) = (page.0 - WIDTH, page.1 - HEIGHT);
        if right + GAP <= most_left {
            (right + GAP, within(self.top, most_top))
        } else if bottom + GAP <= most_top {
            (within(self.left, most_left), bottom + GAP)
        } else if self.top - GAP - HEIGHT > 0 {
            (within(self.left, most_left), self.top - GAP - HEIGHT)
        } else if self.left - GAP - WIDTH > 0 {
            (self.left - GAP - WIDTH, within(self.top, most_top))
        } else {
            (most_left - GAP, most_top - GAP)
        }
    }
}

/// How far a stop is.
#[derive(Clone, Copy, Default)]
struct Arrival {
    is_verified: bool,
    is_found: bool,
}

/// The tour, as long as it goes on.
#[component]
pub(crate) fn Tour() -> impl IntoView {
    let app = app();
    let place = RwSignal::new(None::<Place>);
    let arrival = StoredValue::new(Arrival::default());
    let at = Memo::new(move |_| app.tour.get().unwrap_or_default().min(STOPS.len() - 1));
    Effect::new(move |_| {
        arrival.set_value(Arrival::default());
        place.set(None);
        enter(app, &STOPS[at.get()]);
    });
    watch(app, place, arrival);
    let escape = window_event_listener(ev::keydown, move |event| {
        if event.key() == "Escape" && !is_in_dialog(&event) && !event.default_prevented() {
            leave(app);
        }
    });
    on_cleanup(move || escape.remove());
    let text_place =
        move || place.get().filter(|_| page().0 >= NARROW).map(|place| place.beside(page()));
    // On a narrow page the text stands where the target does not.
    let is_above =
        move || place.get().is_some_and(|place| place.top + place.height / 2 > page().1 / 2);
    view! {
        {move || place.get().map(ring)}
        <section
            class="tour"
            class:above=is_above
            role="dialog"
            aria-labelledby="tour-title"
            aria-describedby="tour-text"
            style:left=move || text_place().map(|(left, _)| pixels(left))
            style:top=move || text_place().map(|(_, top)| pixels(top))
        >
            <h2 id="tour-title">{move || STOPS[at.get()].title}</h2>
            <p id="tour-text">{move || STOPS[at.get()].text}</p>
            <Acts at=at/>
        </section>
    }
}

/// The ring around what a stop is about.
fn ring(place: Place) -> impl IntoView {
    view! {
        <div
            class="tour-ring"
            aria-hidden="true"
            style:left=pixels(place.left - 4)
            style:top=pixels(place.top - 4)
            style:width=pixels(place.width + 8)
            style:height=pixels(place.height + 8)
        ></div>
    }
}

fn pixels(at: i32) -> String {
    format!("{at}px")
}

/// The ways from a stop: on, back, and out.
#[component]
fn Acts(at: Memo<usize>) -> impl IntoView {
    let app = app();
    let go = move |to: usize| app.tour.set(Some(to));
    let next = move || match at.get_untracked() + 1 {
        next if next < STOPS.len() => go(next),
        _ => leave(app),
    };
    view! {
        <div class="tour-acts">
            <span class="hint">{move || at.get() + 1} " of " {STOPS.len()}</span>
            <Button class="link" press=move || leave(app)>"Leave the tour"</Button>
            {move || (at.get() > 0).then(|| view! { <Button press=move || go(at.get_untracked() - 1)>"Back"</Button> })}
            <button type="button" id=NEXT class="button primary" on:click=move |_| next()>
                {move || if at.get() + 1 < STOPS.len() { "Next" } else { "Done" }}
            </button>
        </div>
    }
}

/// Ends the tour where it is.
fn leave(app: App) {
    app.tour.set(None);
    browser::focus(TITLE);
}

fn is_in_dialog(event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| target.closest("dialog").ok().flatten().is_some())
}

/// The page's width and height.
fn page() -> (i32, i32) {
    let side = |side: Result<wasm_bindgen::JsValue, _>| {
        side.ok().and_then(|it| it.as_f64()).unwrap_or_default() as i32
    };
    (side(window().inner_width()), side(window().inner_height()))
}

/// Goes where a stop is.
fn enter(app: App, stop: &Stop) {
    navigation::go(&stop.route());
    // The browser tells of it later; a server that is connected to by then would lead to itself.
    navigation::arrive(app);
    let is_known = untrack(|| app.server(stop.demo)).is_some();
    let is_coming = app.attempt.get_untracked().is_some_and(|server| {
        *server.endpoint() == *stop.demo
            && !server.stage.with_untracked(|stage| matches!(stage, Stage::Failed(_)))
    });
    if !is_known && !is_coming {
        // The names of the demo servers are right by construction.
        let _ = run::connect(app, stop.demo, &Entered::default());
    }
}

/// Looks in each frame where the target is: screens come and go, scroll and grow.
fn watch(app: App, place: RwSignal<Option<Place>>, arrival: StoredValue<Arrival>) {
    request_animation_frame(move || {
        let Some(at) = app.tour.get_untracked() else { return };
        let Some(mut state) = arrival.try_get_value() else { return };
        let stop = &STOPS[at.min(STOPS.len() - 1)];
        if stop.verifies && !state.is_verified {
            state.is_verified = verify(app, stop);
        }
        let target = document().query_selector(stop.target).ok().flatten();
        let now = target.as_ref().and_then(Place::of);
        if let (Some(target), Some(_), false) = (&target, now, state.is_found) {
            state.is_found = true;
            let options = ScrollIntoViewOptions::new();
            options.set_block(ScrollLogicalPosition::Nearest);
            target.scroll_into_view_with_scroll_into_view_options(&options);
            // Behind the screen's own title, which takes the focus first.
            request_animation_frame(|| request_animation_frame(|| browser::focus(NEXT)));
        }
        if place.try_get_untracked().is_some_and(|before| before != now) {
            place.set(now);
        }
        arrival.set_value(state);
        watch(app, place, arrival);
    });
}

/// Verifies the skill of a stop, unless that was done; whether the skill was there.
fn verify(app: App, stop: &Stop) -> bool {
    let Some((uri, _)) = &stop.skill else { return true };
    let skill = untrack(|| app.server(stop.demo).and_then(|server| server.skill(uri)));
    let Some(skill) = skill else { return false };
    if skill.summary.with_untracked(Option::is_none) {
        run::verify_all(skill);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_stands_beside_and_within_the_page() {
        let beside =
            |left, top, width, height| Place { left, top, width, height }.beside((1440, 900));
        assert_eq!(beside(0, 48, 288, 700), (302, 48));
        assert_eq!(beside(1000, 80, 400, 40), (1000, 134));
        assert_eq!(beside(0, 860, 1440, 40), (14, 636));
        assert_eq!(beside(400, 60, 1000, 800), (34, 60));
        assert_eq!(beside(0, 0, 1440, 900), (1074, 676));
    }
}
