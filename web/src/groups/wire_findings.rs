//! What rests on an exchange: the way back from the wire to findings.

use std::collections::HashMap;
use std::sync::Arc;

use leptos::prelude::*;

use crate::route::{Route, Tab};
use crate::state::server::Server;
use crate::state::skill::{Got, Skill};
use crate::state::standing::Counts;
use crate::state::{App, app};
use crate::text::count;

/// How many places are named.
const MAX_NAMED: usize = 20;

/// What has findings that rest on an exchange.
struct Flawed {
    name: String,
    href: String,
    findings: usize,
}

/// Links to the findings that rest on an exchange.
#[component]
pub(super) fn Resting(
    /// The exchange's number.
    number: usize,
) -> impl IntoView {
    let app = app();
    move || {
        let flawed = flawed(app, number);
        let more = flawed.len().saturating_sub(MAX_NAMED);
        if flawed.is_empty() {
            return ().into_any();
        }
        let links = flawed.into_iter().take(MAX_NAMED).map(|Flawed { name, href, findings }| {
            view! { <li><a href=href>{name}": " {count(findings, "finding")}</a></li> }
        });
        view! {
            <ul class="resting" aria-label="Findings that rest on this exchange">
                {links.collect_view()}
                {(more > 0).then(|| view! { <li class="hint">"and " {more} " more"</li> })}
            </ul>
        }
        .into_any()
    }
}

fn flawed(app: App, number: usize) -> Vec<Flawed> {
    app.servers
        .with(|servers| servers.iter().flat_map(|server| of_server(*server, number)).collect())
}

fn of_server(server: Server, number: usize) -> Vec<Flawed> {
    let label = server.label();
    let about_itself = own_findings(server, number);
    let mut flawed = Vec::new();
    if about_itself > 0 {
        let href = Route::Server { label: label.to_string() }.hash();
        flawed.push(Flawed { name: label.to_string(), href, findings: about_itself });
    }
    let mut by_key: HashMap<Arc<str>, (Arc<str>, usize)> = HashMap::new();
    for (name, key, counts) in server.flawed_entries(number) {
        by_key.entry(key).or_insert((name, 0)).1 += sum(counts);
    }
    for (key, skill) in server.skills.get() {
        let found = of_skill(skill, number);
        if found > 0 {
            let name = server.name_of(&key).unwrap_or_else(|| Arc::clone(&key));
            by_key.entry(key).or_insert((name, 0)).1 += found;
        }
    }
    let skill = |(key, (name, findings)): (Arc<str>, (Arc<str>, usize))| {
        let href = Route::skill(&label, &key, Tab::Checks).hash();
        Flawed { name: name.to_string(), href, findings }
    };
    let mut skills: Vec<_> = by_key.into_iter().map(skill).collect();
    skills.sort_by(|a, b| a.name.cmp(&b.name));
    flawed.extend(skills);
    flawed
}

/// The findings about the server's declaration and its listing.
fn own_findings(server: Server, number: usize) -> usize {
    let declared = server.read_discovery(|discovery| discovery.findings.len()).unwrap_or(0);
    let greeted_here = server.greeted_in.get_value() == Some(number);
    let listed = server.listing.with(|listing| {
        let at = 0..listing.findings.len();
        at.filter(|at| server.finding_exchange(*at) == Some(number)).count()
    });
    if greeted_here { declared + listed } else { listed }
}

/// The findings about files that were read, and about the answer of `skills/get`.
fn of_skill(skill: Skill, number: usize) -> usize {
    let files = skill
        .found
        .with(|found| found.iter().filter(|finding| finding.exchange == Some(number)).count());
    let answer = skill.got.with(|got| match got {
        Got::Answer(answer) if answer.exchange == Some(number) => answer.findings().len(),
        _ => 0,
    });
    files + answer
}

const fn sum(counts: Counts) -> usize {
    counts.must + counts.should + counts.note
}
