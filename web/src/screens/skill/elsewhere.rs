//! The same skill on other servers: whether it is the same there.

use leptos::prelude::*;
use skillglass::entry::SkillEntry;
use skillglass::entry::diff::EntryDiff;

use crate::elements::{Button, VerdictLine, follow};
use crate::groups::EntryChanges;
use crate::mark::Mark;
use crate::state::app;
use crate::state::server::Server;
use crate::state::skill::Skill;

/// Compares a skill with those of its name on other servers. Nothing where there are none.
#[component]
pub(super) fn Elsewhere(skill: Skill) -> impl IntoView {
    let chosen = RwSignal::new(None::<(Server, String)>);
    let others = Memo::new(move |_| others(skill));
    let choice = move |(server, uri): (Server, String)| {
        let title = format!("Compare with {}", untrack(|| server.title()));
        let pair = (server, uri);
        view! { <Button class="link" press=move || chosen.set(Some(pair.clone()))>{title}</Button> }
    };
    let comparison = move || {
        let (server, uri) = chosen.get()?;
        let held = skill.held.get();
        let (other, here) = (entry_at(server, &uri)?, held.entry()?);
        Some(compared(&server.title(), &other, here))
    };
    move || {
        let others = others.get();
        (!others.is_empty()).then(|| {
            view! {
                <section class="elsewhere" aria-label="The same skill elsewhere">
                    <p class="acts">{others.into_iter().map(choice).collect_view()}</p>
                    {follow(comparison)}
                </section>
            }
        })
    }
}

/// The skills of this one's name on other servers.
fn others(skill: Skill) -> Vec<(Server, String)> {
    let Some(name) = skill.held.with(|held| held.reading.name.clone()) else { return Vec::new() };
    let servers = app().servers.get().into_iter().filter(|server| *server != skill.server);
    let named = |server: Server| {
        let uris = server.catalog.with(|catalog| catalog.called(&name));
        uris.into_iter().map(move |uri| (server, uri.to_string()))
    };
    servers.flat_map(named).collect()
}

fn entry_at(server: Server, uri: &str) -> Option<SkillEntry> {
    let skill = untrack(|| server.skill(uri))?;
    skill.held.with(|held| held.entry().cloned())
}

fn compared(title: &str, other: &SkillEntry, here: &SkillEntry) -> AnyView {
    let diff = EntryDiff::between(other, here);
    let (mark, line) = if diff.is_empty() {
        (
            Mark::Good,
            format!("The entry of {title} says the same: every field, every file, every digest."),
        )
    } else {
        (Mark::Warn, format!("Since the entry of {title}: {}.", diff.summary()))
    };
    view! {
        <section class="card notice" role="status" aria-label=format!("Comparison with {title}")>
            <VerdictLine mark=mark text=line/>
            <EntryChanges before=other after=here/>
        </section>
    }
    .into_any()
}
