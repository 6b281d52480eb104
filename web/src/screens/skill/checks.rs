//! What is wrong with a skill, as far as it was read.

use leptos::prelude::*;
use skillglass::conformance::{Options, Scope};
use skillglass::finding::{Finding, Level};
use skillglass::review::is_review;

use crate::elements::{Button, Keyed, VerdictLine, follow, list};
use crate::groups::FindingCard;
use crate::mark::Mark;
use crate::navigation;
use crate::route::{Route, Tab};
use crate::run::{self, OtherEra};
use crate::state::skill::{Got, Skill};
use crate::state::standing::{Counts, Kind};
use crate::text::count;

/// How many findings of a level are shown.
const MAX_SHOWN: usize = 200;

/// What is wrong with a skill.
#[component]
pub(super) fn Checks(skill: Skill) -> impl IntoView {
    view! {
        <Outlook skill=skill/>
        <Judged skill=skill/>
        <EveryCheck skill=skill/>
        <Section skill=skill group=Group::Level(Level::Must) title="Broken MUSTs"/>
        <Section skill=skill group=Group::Level(Level::Should) title="Broken SHOULDs"/>
        <Section skill=skill group=Group::Level(Level::Note) title="Notes"/>
        <Section skill=skill group=Group::Review title="Look at this before a model does"/>
    }
}

/// What is shown together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    /// What is wrong or odd, of one level.
    Level(Level),
    /// What a person should see in the content.
    Review,
}

impl Group {
    fn of(finding: &Finding) -> Self {
        if is_review(finding) { Self::Review } else { Self::Level(finding.level) }
    }

    const fn count(self, counts: Counts) -> usize {
        match self {
            Self::Level(Level::Must) => counts.must,
            Self::Level(Level::Should) => counts.should,
            Self::Level(Level::Note) => counts.note,
            Self::Review => counts.review,
        }
    }
}

/// The findings of one group as cards, each with a key of its own.
fn cards(skill: Skill, group: Group) -> Vec<Keyed> {
    let mut cards = Vec::new();
    let mut add = |key: String, finding: &Finding, exchange, file: Option<String>| {
        if Group::of(finding) != group || cards.len() == MAX_SHOWN {
            return;
        }
        let finding = finding.clone();
        let card = move || view! { <FindingCard finding=finding exchange=exchange file=file/> };
        cards.push(Keyed::new(key, card));
    };
    skill.held.with(|held| {
        for (number, finding) in held.reading.findings.iter().enumerate() {
            add(format!("entry {} {number}", held.at), finding, held.exchange, None);
        }
        for (number, finding) in held.review.iter().enumerate() {
            add(format!("review {} {number}", held.at), finding, held.exchange, None);
        }
    });
    skill.got.with(|got| {
        if let Got::Answer(answer) = got {
            for (number, finding) in answer.findings().iter().enumerate() {
                add(format!("get {number}"), finding, answer.exchange, None);
            }
        }
    });
    skill.found.with(|found| {
        for file in found {
            let tab = Tab::Files { open: Some(file.uri.to_string()) };
            let href = Route::skill(&skill.server.label(), &skill.key(), tab).hash();
            add(format!("file {}", file.number), &file.finding, file.exchange, Some(href));
        }
    });
    cards
}

/// One line on what is known and what is not.
#[component]
fn Outlook(skill: Skill) -> impl IntoView {
    let line = move || {
        let counts = skill.counts();
        let tally = skill.tally.get();
        let kind = skill.held.with(|held| Kind::of(&held.reading));
        let unread = match kind {
            Kind::Files(total) => {
                let seen = tally.usable + tally.refused + tally.untested + tally.failed;
                total.saturating_sub(seen)
            }
            Kind::Dynamic => {
                usize::from(tally.usable + tally.refused + tally.untested + tally.failed == 0)
            }
            Kind::Unreadable => 0,
        };
        let rest = match (kind, unread) {
            (Kind::Unreadable, _) => "The entry may not be loaded, so no file was read.".to_owned(),
            (_, 0) => String::new(),
            (_, 1) => "One file is not read yet.".to_owned(),
            (_, number) => format!("{} are not read yet.", count(number, "file")),
        };
        let (mark, found) = if counts.must > 0 {
            (Mark::Bad, format!("{} broken.", count(counts.must, "MUST")))
        } else if judged_bad(skill).is_some() {
            (Mark::Bad, "The conformance run found it broken.".to_owned())
        } else if counts.should > 0 {
            (
                Mark::Warn,
                format!("No MUST is broken so far; {} broken.", count(counts.should, "SHOULD")),
            )
        } else if kind == Kind::Dynamic {
            (
                Mark::Warn,
                "Nothing is wrong so far. The skill is dynamic, so nothing pins its bytes."
                    .to_owned(),
            )
        } else if unread > 0 {
            (Mark::Unknown, "Nothing is wrong so far.".to_owned())
        } else {
            (Mark::Good, "Nothing is wrong with what was checked.".to_owned())
        };
        view! { <VerdictLine mark=mark text=format!("{found} {rest}")/> }
    };
    view! { <div role="status">{follow(line)}</div> }
}

/// How many checks of the server's report failed on the skill, and the first of them.
fn judged_bad(skill: Skill) -> Option<(usize, String)> {
    skill.held.with(|held| skill.server.judging.failures_of(&held.reading))
}

/// What the server's report holds against the skill, and the way there.
#[component]
fn Judged(skill: Skill) -> impl IntoView {
    let line = move || {
        let (failed, first) = judged_bad(skill)?;
        let label = skill.server.label().to_string();
        let report = Route::Report { label, check: Some(first) }.hash();
        Some(view! {
            <p>
                "In the conformance report, " {count(failed, "check")} " failed on this skill. "
                <a href=report>"See the first"</a>
            </p>
        })
    };
    view! { <div role="status">{follow(line)}</div> }
}

/// The way to a conformance run over this skill alone.
#[component]
fn EveryCheck(skill: Skill) -> impl IntoView {
    let server = skill.server;
    let uri = move || skill.held.with(|held| held.entry().map(|entry| entry.uri.clone()));
    let judge = move || {
        let Some(uri) = untrack(uri) else { return };
        run::judge(server, Scope::Skills(vec![uri]), Options::default(), OtherEra::LeftOut);
        navigation::go(&Route::Report { label: server.label().to_string(), check: None });
    };
    let is_off = move || uri().is_none() || server.judging.is_going.get();
    view! {
        <p class="acts every-check">
            <Button disabled=Signal::derive(is_off) press=judge>"Run every check on this skill"</Button>
            <span class="hint">"Reads all of its files, asks for its entry and its directories, and makes a report."</span>
        </p>
    }
}

#[component]
fn Section(skill: Skill, group: Group, title: &'static str) -> impl IntoView {
    let number = move || group.count(skill.counts());
    view! {
        <section class="findings" aria-label=title hidden=move || number() == 0>
            <h2>{title} <span class="tab-count">{follow(number)}</span></h2>
            {list(move || cards(skill, group))}
            {follow(move || (number() > MAX_SHOWN).then(|| view! {
                <p class="cut-note">"The first " {MAX_SHOWN} " are shown."</p>
            }))}
        </section>
    }
}
