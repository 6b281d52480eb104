//! What a host does with the skill, one step at a time, on the server it comes from.

use leptos::prelude::*;
use skillglass::host::{ApprovalRequest, ApprovalState, Duty, End, Kind, Passed, Station, Wait};
use skillglass::protocol::Call;
use web_sys::{KeyboardEvent, SubmitEvent};

use crate::browser;
use crate::elements::{Button, Digest, Fact, Glyph, ServerText, VerdictLine, follow};
use crate::groups::{ExchangeLink, FindingCard};
use crate::keys::roving;
use crate::mark::Mark;
use crate::run::walk;
use crate::state::skill::Skill;
use crate::state::walk::Flow;
use crate::text::{bytes, count};

/// The id of what goes on, which keeps the focus from step to step.
const GO: &str = "walk-go";

/// How much of what a model receives is shown, in bytes.
const MAX_SHOWN: usize = 20_000;

/// The id of the list of files that the model may ask for.
const FILES: &str = "walk-files";

/// A walk through the message flow.
#[component]
pub(super) fn HostWalk(skill: Skill) -> impl IntoView {
    if skill.flow.with_untracked(Option::is_none) {
        walk::begin_walk(skill);
    }
    let is_walked = Memo::new(move |_| skill.flow.with(Option::is_some));
    move || {
        if !is_walked.get() {
            return view! {
                <p class="empty">"A host knows a skill by the URI of its SKILL.md. This entry has none that could be one, so a host has nothing to begin with. Checks says more."</p>
            }
            .into_any();
        }
        let begin = move || {
            walk::begin_walk(skill);
            browser::focus(GO);
        };
        view! {
            <div class="walk-lead">
                <p class="hint">"A host made for this walk talks to the server as a host for a model does. Each message is sent when you say so. It keeps nothing, and your own approvals are left alone."</p>
                <Button press=begin>"Start again"</Button>
            </div>
            <div class="walk">
                <Rail skill=skill/>
                <Shown skill=skill/>
            </div>
        }
        .into_any()
    }
}

/// Something of the walk, followed.
fn watch<T: PartialEq + Send + Sync + 'static>(
    skill: Skill,
    read: impl Fn(&Flow) -> T + Send + Sync + 'static,
) -> Memo<Option<T>> {
    Memo::new(move |_| skill.flow.with(|flow| flow.as_ref().map(&read)))
}

const fn mark(kind: Kind) -> Mark {
    match kind {
        Kind::Usable => Mark::Good,
        Kind::Unpinned => Mark::Warn,
        Kind::Refused => Mark::Bad,
        Kind::Told => Mark::Note,
    }
}

const fn word(mark: Mark) -> &'static str {
    match mark {
        Mark::Good => "passed",
        Mark::Bad => "refused",
        Mark::Warn => "passed, not pinned",
        _ => "told",
    }
}

fn look_at(skill: Skill, station: Station) {
    skill.flow.update(|flow| {
        if let Some(flow) = flow {
            flow.shown = station;
        }
    });
}

/// The stations, and how far the walk is.
#[component]
fn Rail(skill: Skill) -> impl IntoView {
    let shown = watch(skill, |flow| flow.shown);
    let id = |at: usize| format!("walk-station-{at}");
    let on_key = move |event: KeyboardEvent| {
        let current = shown.get_untracked().flatten_at();
        if let Some(next) = roving(&event.key(), current, Station::ALL.len()) {
            event.prevent_default();
            look_at(skill, Station::ALL[next]);
            browser::focus(&id(next));
        }
    };
    let line = move |(at, station): (usize, Station)| {
        let kind =
            watch(skill, move |flow| flow.at(station).last().map(|(passed, _)| mark(passed.kind)));
        let is_shown = move || shown.get() == Some(station);
        let is_here = watch(skill, move |flow| flow.walk.station() == station);
        view! {
            <li>
                <button
                    type="button"
                    id=id(at)
                    class="walk-station"
                    class:here=move || is_here.get() == Some(true)
                    class:passed=move || kind.get().flatten().is_some()
                    aria-current=move || is_shown().then_some("step")
                    tabindex=move || if is_shown() { "0" } else { "-1" }
                    on:click=move |_| look_at(skill, station)
                >
                    {follow(move || match kind.get().flatten() {
                        Some(mark) => view! { <Glyph mark=mark word=word(mark)/> }.into_any(),
                        None => view! { <span class="walk-number">{at + 1}</span> }.into_any(),
                    })}
                    <span>{station.title()}</span>
                </button>
            </li>
        }
    };
    view! {
        <ol class="walk-rail" aria-label="Steps of a host" on:keydown=on_key>
            {Station::ALL.into_iter().enumerate().map(line).collect_view()}
        </ol>
    }
}

/// The place of what is shown among all stations.
trait Place {
    fn flatten_at(self) -> usize;
}

impl Place for Option<Station> {
    fn flatten_at(self) -> usize {
        self.and_then(|station| Station::ALL.iter().position(|it| *it == station))
            .unwrap_or_default()
    }
}

/// The station that is looked at.
#[component]
fn Shown(skill: Skill) -> impl IntoView {
    let shown = watch(skill, |flow| flow.shown);
    let passed = watch(skill, |flow| flow.at(flow.shown).count());
    let steps = move || {
        // Steps are added only.
        let number = passed.get().unwrap_or_default();
        let step = |(passed, exchange): (&Passed, Option<usize>)| {
            view! { <StepView skill=skill passed=passed.clone() exchange=exchange/> }
        };
        skill.flow.with_untracked(|flow| {
            let flow = flow.as_ref()?;
            Some(flow.at(flow.shown).take(number).map(step).collect_view())
        })
    };
    move || {
        let station = shown.get()?;
        let number = Some(station).flatten_at() + 1;
        Some(view! {
            <section class="walk-step" aria-label=station.title()>
                <h2><span class="walk-number">{number}</span> {station.title()}</h2>
                <p class="walk-about">{station.about()}</p>
                {follow(steps)}
                <Act skill=skill station=station/>
                <Duties station=station/>
            </section>
        })
    }
}

/// What a host has to do there.
#[component]
fn Duties(station: Station) -> impl IntoView {
    let duty = |Duty { level, text, section }: Duty| {
        view! {
            <li>
                <span class="level">{level.to_string()}</span>
                <span>
                    {text} " "
                    <a href=section.url() target="_blank" rel="noopener noreferrer">
                        {section.title()} <span aria-hidden="true">" ↗"</span>
                        <span class="visually-hidden">" (opens the specification in another tab)"</span>
                    </a>
                </span>
            </li>
        }
    };
    view! {
        <h3 class="walk-duties">"What a host has to do here"</h3>
        <ul class="duties">{station.duties().map(duty).collect_view()}</ul>
    }
}

/// What was sent, what came of it, and what the model receives.
#[component]
fn StepView(skill: Skill, passed: Passed, exchange: Option<usize>) -> impl IntoView {
    let Passed { sent, kind, text, findings, model, is_played, station } = passed;
    let sent = (sent.is_some() || exchange.is_some()).then(|| {
        view! {
            <p class="walk-sent">
                {sent.map(|call| view! { <CallLine call=call/> })}
                {exchange.map(|number| view! { <ExchangeLink number=number/> })}
            </p>
        }
    });
    let cards = findings
        .into_iter()
        .map(|finding| view! { <FindingCard finding=finding exchange=exchange/> });
    let is_about_content = matches!(
        station,
        Station::List | Station::Load | Station::Read | Station::Refuse | Station::LoadAgain
    );
    let received = match model {
        Some(text) => view! {
            <figure class="walk-model">
                <figcaption>"What the model receives, marked as coming from " <strong>{follow(move || view! { <ServerText text=skill.server.title()/> })}</strong></figcaption>
                <pre tabindex="0" aria-label="What the model receives"><ServerText text=text limit=MAX_SHOWN/></pre>
            </figure>
        }
        .into_any(),
        None if is_about_content && kind == Kind::Refused => view! {
            <p class="walk-model none">"The model receives nothing of it."</p>
        }
        .into_any(),
        None => ().into_any(),
    };
    view! {
        <article class="walk-passed">
            {is_played.then(|| view! {
                <p class="walk-played"><Glyph mark=Mark::Warn/> "Played in: Skillglass altered what came after it had come. This says nothing about the server."</p>
            })}
            {sent}
            <VerdictLine mark=mark(kind) text=text/>
            {cards.collect_view()}
            {received}
        </article>
    }
}

#[component]
fn CallLine(call: Call) -> impl IntoView {
    let subject =
        call.subject().map(|subject| view! { <code><ServerText text=subject limit=300/></code> });
    view! { <code class="walk-method">{call.method()}</code> " " {subject} }
}

/// What the walk waits for, without what belongs to it.
#[derive(Clone, PartialEq)]
enum Next {
    Step,
    Answer(Call),
    Asking,
    Person,
    File,
    Change,
    Over(End),
}

impl Next {
    fn of(flow: &Flow) -> Self {
        match flow.walk.wait() {
            _ if flow.is_asking => Self::Asking,
            Wait::Step => Self::Step,
            Wait::Answer(outgoing) => Self::Answer(outgoing.call.clone()),
            Wait::Person(_) => Self::Person,
            Wait::File => Self::File,
            Wait::Change => Self::Change,
            Wait::Over(end) => Self::Over(*end),
        }
    }
}

/// What can be done at a station: what the walk waits for, if that is here, else the way there.
#[component]
fn Act(skill: Skill, station: Station) -> impl IntoView {
    let next = watch(skill, |flow| {
        let is_end = flow.is_latest() && matches!(flow.walk.wait(), Wait::Over(_));
        let at = if is_end { flow.shown } else { flow.following() };
        (at, Next::of(flow), flow.walk.passed().len())
    });
    move || {
        let (at, next, _) = next.get()?;
        request_animation_frame(keep_focus);
        if at != station {
            let label = format!("Next: {}", at.title());
            return Some(
                view! {
                    <p class="walk-act">
                        <GoOn label=label press=move || look_at(skill, at)/>
                    </p>
                }
                .into_any(),
            );
        }
        Some(match next {
            Next::Over(end) => over(end),
            Next::Asking => view! {
                <p class="walk-act" role="status">
                    <VerdictLine mark=Mark::Busy text="The server is asked…"/>
                    <button type="button" id=GO class="button" on:click=move |_| walk::stop_walk(skill)>"Stop"</button>
                </p>
            }
            .into_any(),
            Next::Step => step(skill, station),
            Next::Answer(call) => view! {
                <div class="walk-act">
                    <p class="walk-sent">"Goes to " {follow(move || view! { <ServerText text=skill.server.title()/> })} ": " <CallLine call=call.clone()/></p>
                    <GoOn label=format!("Send {}", call.method()) press=move || walk::send(skill)/>
                </div>
            }
            .into_any(),
            Next::Person => view! { <Person skill=skill/> }.into_any(),
            Next::File => view! { <AskForFile skill=skill/> }.into_any(),
            Next::Change => view! { <Change skill=skill/> }.into_any(),
        })
    }
}

/// What was pressed has made way for what comes next.
fn keep_focus() {
    let active = document().active_element();
    let is_lost = active.is_none_or(|active| active.tag_name().eq_ignore_ascii_case("body"));
    if is_lost {
        browser::focus(GO);
    }
}

#[component]
fn GoOn(#[prop(into)] label: String, #[prop(into)] press: Callback<()>) -> impl IntoView {
    view! { <button type="button" id=GO class="button primary" on:click=move |_| press.run(())>{label}</button> }
}

fn over(end: End) -> AnyView {
    let mark = match end {
        End::Done => Mark::Good,
        End::Unpinned => Mark::Warn,
        End::Denied | End::Stopped => Mark::Bad,
    };
    view! { <div class="card notice walk-over" id=GO tabindex="-1"><VerdictLine mark=mark text=end.about()/></div> }.into_any()
}

/// A step that sends nothing, or that names what is sent next.
fn step(skill: Skill, station: Station) -> AnyView {
    let go_on = move || walk::step(skill, |walk| walk.go_on(browser::now()));
    let label = match station {
        Station::List => "Take the entry",
        Station::Get => "Use the entry if it is fresh",
        _ => "Look the skill up again",
    };
    let anew = (station == Station::Get).then(|| view! {
        <Button press=move || walk::step(skill, |walk| walk.look_up())>"Ask skills/get all the same"</Button>
    });
    view! { <p class="walk-act"><GoOn label=label press=go_on/> {anew}</p> }.into_any()
}

/// What a person is asked.
#[component]
fn Person(skill: Skill) -> impl IntoView {
    let request = skill.flow.with_untracked(|flow| match flow.as_ref()?.walk.wait() {
        Wait::Person(request) => Some(request.clone()),
        _ => None,
    });
    request.map(|request| {
        let name = request.name.to_string();
        let origin = request.skill.origin().to_string();
        let description = request.description.clone().unwrap_or_default();
        view! {
            <div class="card walk-person" role="group" aria-label="A person is asked">
                <h3>"May " <ServerText text=name/> " of " {origin} " be loaded?"</h3>
                <p><ServerText text=description limit=1_200/></p>
                <dl class="facts">{asked(*request)}</dl>
                <p class="walk-act">
                    <GoOn label="Approve" press=move || walk::step(skill, |walk| walk.approve())/>
                    <Button press=move || walk::step(skill, |walk| walk.deny())>"Deny"</Button>
                    <span class="hint">"Approving grants nothing that the skill asks to do."</span>
                </p>
            </div>
        }
    })
}

/// What is asked for, fact by fact.
fn asked(request: ApprovalRequest) -> impl IntoView {
    let ApprovalRequest { skill: id, key, state, inside, requests, files, .. } = request;
    let consists = match &files {
        Some(files) => {
            let size = files.iter().filter_map(|file| file.size).fold(0, u64::saturating_add);
            format!("{}, {}", count(files.len(), "file"), bytes(size))
        }
        None => "dynamic: whatever the server sends".to_owned(),
    };
    let changed = match state {
        ApprovalState::Revoked(diff) => Some(diff.to_string()),
        _ => None,
    };
    let asks: Vec<_> = requests.iter().map(ToString::to_string).collect();
    view! {
        <Fact term="Skill"><code><ServerText text=id.uri().to_owned()/></code></Fact>
        <Fact term="Consists of">{consists}</Fact>
        {changed.map(|lines| view! {
            <Fact term="Since you approved"><span class="preserve bad-text">{lines}</span></Fact>
        })}
        {(!asks.is_empty()).then(|| view! { <Fact term="Asks to"><ServerText text=asks.join("; ")/></Fact> })}
        {inside.map(|outer| view! {
            <Fact term="Lies inside of"><ServerText text=outer.uri().to_owned()/> ", whose approval does not count here"</Fact>
        })}
        {key.map(|key| view! { <Fact term="Bound together by"><Digest digest=key.digest()/></Fact> })}
    }
}

/// The file that a model asks for.
fn wanted(skill: Skill) -> RwSignal<String> {
    let first = skill.flow.with_untracked(|flow| {
        let walk = &flow.as_ref()?.walk;
        let files = walk.files();
        let last = walk.last_file().or(files.iter().find(|path| **path != "SKILL.md").copied());
        last.map(str::to_owned)
    });
    RwSignal::new(first.unwrap_or_else(|| "SKILL.md".to_owned()))
}

#[component]
fn FileField(skill: Skill, value: RwSignal<String>) -> impl IntoView {
    let files = skill.flow.with_untracked(|flow| {
        let files = flow.as_ref().map(|flow| flow.walk.files()).unwrap_or_default();
        files
            .into_iter()
            .map(|path| view! { <option value=path.to_owned()></option> })
            .collect_view()
    });
    view! {
        <label class="field walk-file">
            <span>"The model asks for"</span>
            <input type="text" list=FILES spellcheck="false" autocomplete="off" prop:value=value on:input:target=move |event| value.set(event.target().value())/>
        </label>
        <datalist id=FILES>{files}</datalist>
    }
}

#[component]
fn AskForFile(skill: Skill) -> impl IntoView {
    let file = wanted(skill);
    let is_read = skill.flow.with_untracked(|flow| {
        flow.as_ref().is_some_and(|flow| flow.at(Station::Read).next().is_some())
    });
    let ask = move |event: SubmitEvent| {
        event.prevent_default();
        let file = file.get_untracked();
        walk::step(skill, |walk| walk.read(file.trim()));
    };
    let go_on = move || walk::step(skill, |walk| walk.go_on(browser::now()));
    // What one most likely does next comes first in weight, not in place.
    let (read, next) =
        if is_read { ("button", "button primary") } else { ("button primary", "button") };
    let (read_id, next_id) = if is_read { (None, Some(GO)) } else { (Some(GO), None) };
    view! {
        <form class="walk-act" on:submit=ask>
            <FileField skill=skill value=file/>
            <button type="submit" id=read_id class=read>"Read it"</button>
            <button type="button" id=next_id class=next on:click=move |_| go_on()>"Next: The server changes"</button>
        </form>
        <p class="hint">"Any reference the instructions could have, also one that leads elsewhere: nothing is sent for what is no file of the skill."</p>
    }
}

/// Waits for a change: a real one, or one that is played in.
#[component]
fn Change(skill: Skill) -> impl IntoView {
    let file = wanted(skill);
    let again = move |played: bool| {
        let file = file.get_untracked();
        walk::step(skill, |walk| walk.read_again(file.trim(), played));
    };
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        again(false);
    };
    let change = move || {
        walk::change_demo(skill, file.get_untracked().trim());
        again(false);
    };
    let how = if walk::is_demo(skill) {
        view! {
            <p class="hint">"This demonstration server lives in the page, so it can really be changed: the file gets another line there."</p>
        }
        .into_any()
    } else {
        view! {
            <p class="hint">"Change the file on the server, then read it again. Where you cannot, have a change played in: Skillglass then alters the bytes after they came, says so at each step, and claims nothing of the server."</p>
        }
        .into_any()
    };
    let first = if walk::is_demo(skill) {
        view! { <GoOn label="Change it on the server" press=change/> }.into_any()
    } else {
        view! { <GoOn label="Play a change in" press=move || again(true)/> }.into_any()
    };
    view! {
        {how}
        <form class="walk-act" on:submit=submit>
            <FileField skill=skill value=file/>
            <button type="submit" class="button">"Read it again"</button>
            {first}
        </form>
    }
}
