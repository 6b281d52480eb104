//! `skillglass check`: the whole conformance run, and its report.

mod text;

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde_json::json;
use skillglass::conformance::{
    self, Binds, CHECKS, CheckReport, Comparison, Options, Received, Report, Run, Scope, Selection,
    Stage, Step, compare,
};
use skillglass::finding::Level;
use skillglass::protocol::results::Discovery;
use skillglass::protocol::{Era, EraChoice};

use self::text::Show;
use crate::arguments::{Check, FailOn, Format, ReportFormat};
use crate::conversation::Conversation;
use crate::failure::Failure;
use crate::output::{self, bytes};
use crate::skills;
use crate::target::Target;
use crate::terminal::Terminal;
use crate::{Outcome, interrupted, or_interrupted};

pub(crate) async fn run(arguments: Check, terminal: &Terminal) -> Result<Outcome, Failure> {
    let (target, rest) = arguments.server.target(&arguments.names)?;
    if !rest.is_empty() {
        return Err(Failure::Usage("Name skills with --skill.".to_owned()));
    }
    let selection = Selection::new(arguments.only.clone(), arguments.skip.clone());
    let selection = selection
        .map_err(|error| Failure::Usage(format!("{error} skillglass checks lists them.")))?;
    if !CHECKS.iter().any(|check| selection.has(check.id)) {
        return Err(Failure::Usage("--only and --skip leave no check.".to_owned()));
    }
    let baseline = arguments.baseline.as_deref().map(read_baseline).transpose()?;
    let (other_era, conversation) = or_interrupted(async {
        let other_era = other_era(&target, &arguments, terminal).await;
        Ok((other_era, Conversation::open(&target, &arguments.server, terminal).await?))
    })
    .await?;
    let report = report(&conversation, other_era, &arguments, terminal).await;
    let declares = conversation.connected.discovery.skills;
    // Nobody waits for a server that does not let go.
    let _ = or_interrupted(async {
        conversation.close().await;
        Ok(())
    })
    .await;
    terminal.clear();
    let secrets = output::withheld();
    let report = selection.of(report?).masked(&secrets);
    let comparison = baseline.map(|former| compare(&former.masked(&secrets), &report));
    let show = Show { declares, all: terminal.is_verbose() };
    write(&report, comparison.as_ref(), show, &arguments, terminal)?;
    if let Some(reason) = report.incomplete {
        return Err(Failure::Incomplete(reason));
    }
    let known = |check: &CheckReport| comparison.as_ref().is_some_and(|it| is_known(check, it));
    let counts = |check: &&CheckReport| fails(check, arguments.fail_on) && !known(check);
    let broken = report.checks.iter().any(|check| counts(&check));
    Ok(if broken { Outcome::Findings } else { Outcome::Clean })
}

fn read_baseline(path: &Path) -> Result<Report, Failure> {
    let text = fs::read_to_string(path).map_err(Failure::file("read", path))?;
    Report::from_json(&text).map_err(|error| {
        let path = path.display();
        Failure::Usage(format!(
            "{path} cannot be compared with: {error}. Write one with --format json."
        ))
    })
}

/// Whether all problems of a check were there before, no milder.
fn is_known(check: &CheckReport, comparison: &Comparison) -> bool {
    let of_check = comparison.changes.iter().filter(|change| change.check == check.id);
    let now = of_check.filter(|change| change.after.is_some());
    now.clone().next().is_some() && now.into_iter().all(|change| change.before >= change.after)
}

/// `skillglass checks`: the table of checks.
pub(crate) fn list(format: Format) -> Result<Outcome, Failure> {
    let observed = CHECKS.iter().filter(|check| check.binds != Binds::Host);
    match format {
        Format::Text => {
            let lines = observed.map(|check| {
                format!("{:45} {:6} {}\n", check.id, check.level.to_string(), check.title)
            });
            output::print(&lines.collect::<String>())
        }
        Format::Json => {
            let rows = observed.map(|check| {
                json!({
                    "id": check.id, "suiteId": check.suite_id(), "level": check.level,
                    "title": check.title, "failure": check.failure, "why": check.why,
                    "repair": check.repair, "section": check.section,
                })
            });
            output::print_json(&rows.collect::<Vec<_>>())
        }
    }
}

fn fails(check: &CheckReport, fail_on: FailOn) -> bool {
    match check.outcome {
        conformance::Outcome::Fail => true,
        conformance::Outcome::Warn => fail_on == FailOn::Should && check.level == Level::Should,
        _ => false,
    }
}

fn write(
    report: &Report,
    comparison: Option<&Comparison>,
    show: Show,
    arguments: &Check,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let mut written = match arguments.format {
        ReportFormat::Text => text::of(report, comparison, show),
        ReportFormat::Json => report.to_json(),
        ReportFormat::Markdown => report.markdown(),
        ReportFormat::Junit => report.junit(),
        ReportFormat::Sarif => report.sarif(),
        ReportFormat::Suite => {
            report.suite_checks(&humantime::format_rfc3339_millis(SystemTime::now()).to_string())
        }
    };
    if !written.ends_with('\n') {
        written.push('\n');
    }
    let Some(path) = &arguments.output else { return output::print_masked(&written).map(|_| ()) };
    let plain = anstream::adapter::strip_str(&written).to_string();
    fs::write(path, plain).map_err(Failure::file("written", path))?;
    terminal.note(&report.summary);
    Ok(())
}

/// What the server declares in the era that is not spoken, which ought to be the same; none if it
/// speaks one only, or the command line names one.
async fn other_era(target: &Target, arguments: &Check, terminal: &Terminal) -> Option<Discovery> {
    if arguments.server.era() != EraChoice::Auto
        || matches!(target, Target::Demo(_) | Target::Folder(_))
    {
        return None;
    }
    // Whoever speaks the newer era is spoken to in it.
    let server = &arguments.server;
    let older = Conversation::open_in(EraChoice::Legacy, target, server, terminal).await.ok()?;
    let discovery = older.connected.discovery.clone();
    older.close().await;
    Some(discovery)
}

async fn report(
    conversation: &Conversation,
    other_era: Option<Discovery>,
    arguments: &Check,
    terminal: &Terminal,
) -> Result<Report, Failure> {
    let connected = &conversation.connected;
    let options = Options {
        address: Some(conversation.label.clone()),
        parallel: arguments.server.parallel(),
        provoke: !arguments.no_probes,
        twice: arguments.twice,
        max_calls: arguments.max_requests.unwrap_or(Options::default().max_calls),
        http: !conversation.is_over_pipe(),
        other_era: other_era.filter(|_| connected.era == Era::Modern),
        ..Options::default()
    };
    let scope = or_interrupted(scope(conversation, &arguments.skill, terminal)).await?;
    let mut run = Run::new(connected, scope, options);
    tokio::select! {
        () = drive(&mut run, conversation, terminal) => {}
        () = interrupted() => {}
    }
    // What is known is worth telling, also if that is not all.
    run.stop();
    Ok(run.report())
}

/// Asks what the run wants to know, as much at once as it gives, until it is over.
async fn drive(run: &mut Run, conversation: &Conversation, terminal: &Terminal) {
    let mut open = FuturesUnordered::new();
    loop {
        while let Some(Step { id, call, limits, .. }) = run.next_step() {
            open.push(async move { (id, conversation.ask(&call, limits).await) });
        }
        let Some((id, answer)) = open.next().await else { return };
        let received = match answer {
            Ok(reply) => Received::Answered(Ok(reply)),
            Err(Failure::Reply(error)) => Received::Answered(Err(error)),
            Err(failure) => Received::Failed(failure.to_string()),
        };
        run.receive(id, received);
        terminal.progress(|| {
            let progress = run.progress();
            let about = if progress.plan.is_estimate { "at least " } else { "" };
            let (answered, calls) = (progress.answered, progress.plan.calls);
            let what = match progress.stage {
                Stage::Survey => "Listing",
                Stage::Skills => "Reading entries",
                Stage::Files => "Reading files",
                Stage::Again | Stage::Done => "Looking again",
            };
            format!("{what}: {answered} of {about}{calls} requests, {}", bytes(progress.received))
        });
    }
}

/// The skills that the command line names, by URI, or the whole server.
async fn scope(
    conversation: &Conversation,
    named: &[String],
    terminal: &Terminal,
) -> Result<Scope, Failure> {
    if named.is_empty() {
        return Ok(Scope::Server);
    }
    let mut uris = Vec::new();
    for name in named {
        let chosen = skills::choose(conversation, Some(name), terminal).await?;
        uris.extend(chosen.skills.into_iter().filter_map(|reading| reading.uri));
    }
    Ok(Scope::Skills(uris))
}
