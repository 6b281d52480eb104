//! A server as a whole: what it says of itself, what it lists, what is wrong with that.

use leptos::prelude::*;
use skillglass::finding::Finding;
use skillglass::protocol::endpoint::may_hold_secret;
use skillglass::protocol::results::{Discovery, Freshness};
use skillglass::protocol::{Era, ListingState};

use super::TITLE;
use crate::browser;
use crate::elements::{Button, CopyButton, Fact, Field, ServerText, Switch, VerdictLine, follow};
use crate::groups::{Account, FailureCard, FindingCard, Program, Steps};
use crate::label::LOCAL;
use crate::mark::Mark;
use crate::route::{Route, Tab};
use crate::run;
use crate::state::app;
use crate::state::catalog::Catalog;
use crate::state::recents::can_be_kept;
use crate::state::server::{Server, Stage};
use crate::text::{ago, count, duration, thousands};

/// How many findings about a listing are shown.
const MAX_SHOWN: usize = 50;

/// A server as a whole.
#[component]
pub(crate) fn ServerOverview(
    /// The server.
    server: Server,
) -> impl IntoView {
    let endpoint = server.endpoint().to_string();
    view! {
        <div class="screen overview">
            <p class="place mono"><ServerText text=endpoint/></p>
            <h1 id=TITLE tabindex="-1">{follow(move || view! { <ServerText text=server.title()/> })}</h1>
            <Broken server=server/>
            <Next server=server/>
            <Facts server=server/>
            <Account server=server/>
            <Instructions server=server/>
            <Findings server=server/>
            <Program server=server/>
            <Identity server=server/>
            <details class="more">
                <summary>"How it was reached"</summary>
                <Steps server=server/>
            </details>
        </div>
    }
}

/// Why the server could not be connected to again.
#[component]
fn Broken(server: Server) -> impl IntoView {
    move || match server.stage.get() {
        Stage::Failed(failure) => Some(view! {
            <FailureCard failure=failure server=server>
                <p class="acts">
                    <Button class="button primary" press=move || run::reconnect(server)>"Reconnect"</Button>
                    <span class="hint">"What was read of the server before is kept."</span>
                </p>
            </FailureCard>
        }),
        Stage::Connecting | Stage::Ready => None,
    }
}

/// What the user calls the server, and how it stands out among others.
#[component]
fn Identity(server: Server) -> impl IntoView {
    const COLOURS: [&str; 7] = ["None", "Blue", "Teal", "Green", "Amber", "Red", "Violet"];
    Effect::new(move |before: Option<()>| {
        server.name.track();
        server.hue.track();
        server.is_remembered.track();
        if before.is_some() {
            server.app().recents.note(server);
            server.app().remember();
        }
    });
    let endpoint = server.endpoint();
    let swatch = |(hue, name): (usize, &'static str)| {
        let is_chosen = Signal::derive(move || server.hue.get() == hue);
        view! {
            <Button class="choice" pressed=is_chosen press=move || server.hue.set(hue)>
                <span class=format!("swatch hue-{hue}") aria-hidden="true"></span> {name}
            </Button>
        }
    };
    view! {
        <details class="more identity">
            <summary>"Name and colour"</summary>
            <label class="field"><span>"What you call it"</span> <Field label="What you call it" value=server.name example="Staging"/></label>
            <div class="choices" role="group" aria-label="Colour">
                {COLOURS.into_iter().enumerate().map(swatch).collect_view()}
            </div>
            {may_hold_secret(&endpoint).then(|| view! {
                <p class="hint">"The address may hold a secret, so only this page knows it, for as long as it is open, and links do not name it."</p>
            })}
            {can_be_kept(&endpoint).then(|| view! {
                <p><Switch label="Remember this server" hint="Only this browser keeps it. Links name the address." on=server.is_remembered/></p>
            })}
        </details>
    }
}

/// What to do next.
#[component]
fn Next(server: Server) -> impl IntoView {
    let declares = move || server.declares_skills();
    let is_connecting =
        Signal::derive(move || server.stage.with(|stage| matches!(stage, Stage::Connecting)));
    let is_listed = move || server.listing.with(|listing| listing.pages() > 0);
    move || {
        if declares() {
            // What is on this machine, no link leads others to.
            let is_own = server.endpoint().starts_with(LOCAL);
            let link = Route::Server { label: server.label().to_string() };
            let link = browser::address_of(&server.link(&link, None));
            return view! {
                <p class="lead">"Choose a skill from the list. Nothing of it is read until you ask."</p>
                <p class="acts">
                    <a class="button primary" href=Route::Report { label: server.label().to_string(), check: None }.hash()>
                        {follow(move || if server.judging.progress.with(Option::is_some) { "See the report" } else { "Check conformance" })}
                    </a>
                    <WalkLink server=server/>
                    <Button disabled=is_connecting press=move || run::reconnect(server)>"Reconnect"</Button>
                    {(!is_own).then(|| view! { <CopyButton text=link label="Copy link"/> })}
                </p>
            }
            .into_any();
        }
        view! {
            <section class="card notice">
                <VerdictLine
                    mark=Mark::Warn
                    text="This server does not declare the extension io.modelcontextprotocol/skills. A host takes that as: it serves no skills."
                />
                {(!is_listed()).then(|| view! {
                    <p>
                        <Button press=move || run::list_again(server)>
                            "Ask for a listing all the same"
                        </Button>
                    </p>
                })}
            </section>
        }
        .into_any()
    }
}

/// The way to what a host does, with the first skill that one could load.
#[component]
fn WalkLink(server: Server) -> impl IntoView {
    let uri = Memo::new(move |_| {
        server.listing.with(|listing| {
            let mut entries = listing.skills.iter().filter_map(|reading| reading.entry.as_ref());
            entries.next().map(|entry| entry.uri.clone())
        })
    });
    move || {
        let href = Route::skill(&server.label(), &uri.get()?, Tab::Host).hash();
        Some(view! { <a class="button" href=href>"Walk through as a host"</a> })
    }
}

#[component]
fn Facts(server: Server) -> impl IntoView {
    let app = app();
    let own_words =
        move |read: fn(&Discovery) -> Option<String>| server.read_discovery(read).flatten();
    let name = move || {
        own_words(|discovery| {
            let name = discovery.name.as_deref()?;
            let version = discovery.version.as_deref().unwrap_or_default();
            Some(format!("\u{201c}{}\u{201d} {version}", name.trim()))
        })
    };
    let declares = move || {
        own_words(|discovery| {
            Some(match (discovery.skills, discovery.directory_read) {
                (false, _) => "no skills".to_owned(),
                (true, false) => "skills".to_owned(),
                (true, true) => "skills, with directory reads".to_owned(),
            })
        })
    };
    let listing = move || {
        server.listing.with(|listing| {
            let listed = format!(
                "{} in {}",
                count(listing.skills.len(), "skill"),
                count(listing.pages(), "page")
            );
            match listing.state() {
                ListingState::Complete => format!("{listed}, complete"),
                ListingState::More(_) if listing.pages() == 0 => "not asked for".to_owned(),
                ListingState::More(_) => format!("{listed}, going on"),
                ListingState::Stopped(why) => format!("{listed}, stopped: {why}"),
            }
        })
    };
    let unreadable = move || server.catalog.with(Catalog::unreadable);
    let freshness = move || {
        let at = server.listed_at.get();
        (at > 0).then(|| {
            let now = app.now.get();
            let freshness = server.listing.with(|listing| listing.freshness);
            let holds = for_how_long(server, at, freshness, now);
            format!("{}, {holds}", ago(now.saturating_sub(at)))
        })
    };
    view! {
        <dl class="facts">
            {follow(move || name().map(|name| view! {
                <Fact term="Calls itself"><span class="quoted"><ServerText text=name/></span></Fact>
            }))}
            <Fact term="Speaks">{follow(move || server.speaks())}</Fact>
            <Fact term="Declares">{follow(declares)}</Fact>
            <Fact term="Listing">{follow(listing)}</Fact>
            {follow(move || match unreadable() {
                0 => None,
                number => Some(view! {
                    <Fact term="Unreadable entries"><span class="bad-text">{number}</span></Fact>
                }),
            })}
            <Fact term="Listed">{follow(freshness)}</Fact>
        </dl>
    }
}

/// How long something that came at a time is still fresh, and who may share it.
pub(crate) fn for_how_long(server: Server, at: u64, freshness: Freshness, now: u64) -> String {
    let lasts = freshness.lasts_ms();
    if server.era() == Era::Legacy {
        "for how long it holds, older revisions do not say".to_owned()
    } else if lasts == 0 {
        "not to be kept".to_owned()
    } else if server.is_fresh(at, freshness, now) {
        let share = if freshness.public { "public" } else { "private" };
        format!("fresh for {} ({share})", duration(at.saturating_add(lasts).saturating_sub(now)))
    } else {
        "no longer fresh".to_owned()
    }
}

#[component]
fn Instructions(server: Server) -> impl IntoView {
    move || {
        let text = server.read_discovery(|discovery| discovery.instructions.clone()).flatten()?;
        Some(view! {
            <section class="framed">
                <h2>"What it tells models, in its own words"</h2>
                <p class="preserve"><ServerText text=text/></p>
            </section>
        })
    }
}

#[component]
fn Findings(server: Server) -> impl IntoView {
    let findings = move || {
        let declared =
            server.read_discovery(|discovery| discovery.findings.clone()).unwrap_or_default();
        let greeted_in = server.greeted_in.get_value();
        let mut findings: Vec<(Finding, Option<usize>)> =
            declared.into_iter().map(|finding| (finding, greeted_in)).collect();
        server.listing.with(|listing| {
            let listed = listing.findings.iter().take(MAX_SHOWN).enumerate();
            findings
                .extend(listed.map(|(at, finding)| (finding.clone(), server.finding_exchange(at))));
        });
        findings
    };
    let findings = Memo::new(move |_| findings());
    let left_out = move || {
        server
            .listing
            .with(|listing| listing.left_out() + listing.findings.len().saturating_sub(MAX_SHOWN))
    };
    move || {
        let findings = findings.get();
        if findings.is_empty() {
            return view! { <p class="hint">{no_findings(server)}</p> }.into_any();
        }
        let cards = findings.into_iter().map(|(finding, exchange)| {
            view! { <FindingCard finding=finding exchange=exchange/> }
        });
        view! {
            <section class="findings" aria-label="Findings about the server">
                <h2>"About the server and its listing"</h2>
                {cards.collect_view()}
                {follow(move || match left_out() {
                    0 => None,
                    number => Some(view! {
                        <p class="cut-note">{thousands(number as u64)} " more are not shown."</p>
                    }),
                })}
            </section>
        }
        .into_any()
    }
}

/// What it means that nothing was found: only what has come can be right.
fn no_findings(server: Server) -> &'static str {
    server.listing.with(|listing| match listing.state() {
        ListingState::Stopped(_) => {
            "Its listing did not come whole, so how it lists could not be judged. The list can be asked for again."
        }
        ListingState::More(_) if listing.pages() == 0 => {
            "It has not listed anything, so how it lists could not be judged."
        }
        ListingState::More(_) | ListingState::Complete
            if server.catalog.with(Catalog::unreadable) > 0 =>
        {
            "Nothing else is wrong so far with what it declares and how it lists. Entries that cannot be loaded say why under Checks."
        }
        ListingState::More(_) | ListingState::Complete => {
            "Nothing is wrong so far with what it declares and how it lists. Each skill has checks of its own."
        }
    })
}
