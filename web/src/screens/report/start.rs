//! Before a run: what is looked at, and what that costs.

use leptos::prelude::*;
use skillglass::conformance::{Options, Plan, Scope};

use super::TITLE;
use crate::elements::{Button, Choices, ServerText, Switch};
use crate::run::{self, OtherEra};
use crate::state::catalog::Item;
use crate::state::server::Server;
use crate::text::{bytes, count};

/// The ways to choose skills.
const WHOLE: usize = 0;

/// What is looked at, and what that costs.
#[component]
pub(super) fn Start(
    /// The server.
    server: Server,
    /// Is told when a run has begun.
    #[prop(into)]
    begun: Callback<()>,
) -> impl IntoView {
    let scope = RwSignal::new(WHOLE);
    let provoke = RwSignal::new(true);
    let twice = RwSignal::new(false);
    let both_eras = RwSignal::new(false);
    let options =
        move || Options { provoke: provoke.get(), twice: twice.get(), ..Options::default() };
    let is_filtered = move || server.filter.with(|filter| !filter.trim().is_empty());
    let chosen = move || (is_filtered() && scope.get() != WHOLE).then(|| filtered(server));
    let plan = move || plan(server, chosen().as_deref(), &options());
    let begin = move || {
        let scope = untrack(chosen).map_or(Scope::Server, Scope::Skills);
        let other_era = if both_eras.get_untracked() { OtherEra::Asked } else { OtherEra::LeftOut };
        run::judge(server, scope, untrack(options), other_era);
        begun.run(());
    };
    view! {
        <p class="place mono"><ServerText text=server.label().to_string()/></p>
        <h1 id=TITLE tabindex="-1">"Does this server conform?"</h1>
        <p class="lead">
            "Every rule of the extension that answers can show is checked: what the server declares and lists, each entry, every file's bytes, directories, and how errors are told. Nothing on the server is changed."
        </p>
        <section class="card report-start" aria-label="What is checked">
            {move || is_filtered().then(|| view! {
                <Choices label="Which skills" names=&["All skills", "Skills in the filtered list"] chosen=scope/>
            })}
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
                {move || {
                    let plan = plan();
                    let least = if plan.is_estimate { "About " } else { "" };
                    format!("{least}{}, {} of files.", count(plan.calls, "request"), bytes(plan.bytes))
                }}
            </p>
            <p>
                <Button class="button primary" press=begin>"Check the server"</Button>
            </p>
        </section>
    }
}

/// The URIs of the skills in the list that the filter lets through.
fn filtered(server: Server) -> Vec<String> {
    server.passing.with(|passing| {
        passing.items.iter().filter_map(Item::key).map(ToString::to_string).collect()
    })
}

fn plan(server: Server, chosen: Option<&[String]>, options: &Options) -> Plan {
    let directories =
        server.read_discovery(|discovery| discovery.directory_read).unwrap_or_default();
    server.listing.with(|listing| {
        let entries = listing.skills.iter().filter_map(|reading| reading.entry.as_ref());
        let entries =
            entries.filter(|entry| chosen.is_none_or(|chosen| chosen.contains(&entry.uri)));
        Plan::of(entries, directories, options)
    })
}
