//! Before a run: what is looked at, and what that costs.

use std::sync::Arc;

use leptos::prelude::*;
use skillglass::conformance::{Options, Plan, Scope};

use super::TITLE;
use crate::elements::{Button, ServerText, Switch, follow};
use crate::run::{self, OtherEra};
use crate::state::catalog::Item;
use crate::state::selection::Chosen;
use crate::state::server::Server;
use crate::text::{bytes, count};

/// Which skills are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    All,
    Filtered,
    Chosen,
}

impl Which {
    /// The keys of the skills; none where it is all of them.
    fn keys(self, server: Server) -> Option<Vec<Arc<str>>> {
        match self {
            Self::All => None,
            Self::Filtered => Some(filtered(server)),
            Self::Chosen => Some(server.chosen().iter().map(|row| row.key.clone()).collect()),
        }
    }
}

/// What is looked at, and what that costs.
#[component]
pub(super) fn Start(
    /// The server.
    server: Server,
) -> impl IntoView {
    let is_filtered = move || server.filter.with(|filter| !filter.trim().is_empty());
    let chosen = Memo::new(move |_| server.chosen().len());
    let wanted = RwSignal::new(if chosen.get_untracked() > 0 { Which::Chosen } else { Which::All });
    // What was wanted may be gone: the filter is cleared, nothing is chosen any more.
    let which = move || match wanted.get() {
        Which::Filtered if !is_filtered() => Which::All,
        Which::Chosen if chosen.get() == 0 => Which::All,
        which => which,
    };
    let provoke = RwSignal::new(true);
    let twice = RwSignal::new(false);
    let both_eras = RwSignal::new(false);
    let options =
        move || Options { provoke: provoke.get(), twice: twice.get(), ..Options::default() };
    let plan = move || plan(server, which().keys(server), &options());
    let begin = move || {
        let uris = |keys: Vec<Arc<str>>| keys.iter().map(ToString::to_string).collect();
        let keys = untrack(|| which().keys(server));
        let scope = keys.map_or(Scope::Server, |keys| Scope::Skills(uris(keys)));
        let other_era = if both_eras.get_untracked() { OtherEra::Asked } else { OtherEra::LeftOut };
        run::judge(server, scope, untrack(options), other_era);
        server.judging.wants_another.set(false);
    };
    let choice = move |of: Which, name: String| {
        let is_wanted = Signal::derive(move || which() == of);
        view! { <Button class="choice" pressed=is_wanted press=move || wanted.set(of)>{name}</Button> }
    };
    let choices = move || {
        let (filtered, number) = (is_filtered(), chosen.get());
        (filtered || number > 0).then(|| view! {
            <div class="choices" role="group" aria-label="Which skills">
                {choice(Which::All, "All skills".to_owned())}
                {filtered.then(|| choice(Which::Filtered, "Skills in the filtered list".to_owned()))}
                {(number > 0).then(|| choice(Which::Chosen, format!("{} chosen", count(number, "skill"))))}
            </div>
        })
    };
    view! {
        <p class="place mono"><ServerText text=server.label().to_string()/></p>
        <h1 id=TITLE tabindex="-1">"Does this server conform?"</h1>
        <p class="lead">
            "Every rule of the extension that answers can show is checked: what the server declares and lists, each entry, every file's bytes, directories, and how errors are told. Nothing on the server is changed."
        </p>
        <section class="card report-start" aria-label="What is checked">
            {follow(choices)}
            <Switch
                label="Provoke errors"
                hint="Asks for skills, files and cursors that do not exist, to see how the server refuses them."
                on=provoke
            />
            <Switch
                label="Read everything twice"
                hint="Finds content that changes although its entry says it does not."
                on=twice
            />
            <Switch
                label="Compare both eras of the protocol"
                hint="Shakes hands in the other era as well, to see whether the server declares the same there."
                on=both_eras
            />
            <p class="report-cost">
                {follow(move || {
                    let plan = plan();
                    let least = if plan.is_estimate { "About " } else { "" };
                    format!("{least}{}, {} of files.", count(plan.calls, "request"), bytes(plan.bytes))
                })}
            </p>
            <p>
                <Button class="button primary" press=begin>"Check the server"</Button>
            </p>
        </section>
    }
}

/// The keys of the skills in the list that the filter lets through.
fn filtered(server: Server) -> Vec<Arc<str>> {
    server.passing.with(|passing| passing.items.iter().filter_map(Item::key).cloned().collect())
}

fn plan(server: Server, keys: Option<Vec<Arc<str>>>, options: &Options) -> Plan {
    let directories =
        server.read_discovery(|discovery| discovery.directory_read).unwrap_or_default();
    let chosen: Option<Chosen> = keys.map(|keys| keys.into_iter().collect());
    server.listing.with(|listing| {
        let entries = listing.skills.iter().filter_map(|reading| reading.entry.as_ref());
        let is_meant = |uri: &str| chosen.as_ref().is_none_or(|chosen| chosen.contains(uri));
        Plan::of(entries.filter(|entry| is_meant(&entry.uri)), directories, options)
    })
}
