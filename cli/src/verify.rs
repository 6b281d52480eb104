//! `skillglass verify`: every file of the skills, read and checked.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::pin::pin;

use futures_util::StreamExt as _;
use serde::Serialize;
use skillglass::digest::Digest;
use skillglass::entry::{Reading, SkillEntry};
use skillglass::finding::{Finding, Level};
use skillglass::frontmatter::{Difference, Side};
use skillglass::protocol::Era;
use skillglass::verify::{FileRow, Reason, Refusal, SkillVerdict, Summary, Verdict};

use crate::Outcome;
use crate::arguments::{Format, Verify};
use crate::conversation::Conversation;
use crate::failure::Failure;
use crate::output::{self, BAD, DOUBTFUL, GOOD, QUIET, bytes, count, shown};
use crate::skills::{self, Chosen};
use crate::terminal::Terminal;

/// How many differences of one frontmatter are shown.
const MAX_DIFFERENCES: usize = 10;

/// What came of it all.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    server: String,
    era: &'static str,
    version: String,
    /// Why the listing ended before its last page, if it did.
    listing_stopped: Option<String>,
    listing_findings: Vec<Finding>,
    counts: Counts,
    skills: Vec<SkillReport>,
}

/// How many skills came to what.
#[derive(Clone, Copy, Serialize)]
struct Counts {
    verified: usize,
    unpinned: usize,
    untested: usize,
    incomplete: usize,
    refused: usize,
    /// How many that are not refused have an entry that breaks a MUST.
    breaking: usize,
}

/// What came of one skill.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SkillReport {
    uri: Option<String>,
    name: Option<String>,
    summary: Summary,
    /// What is wrong with the entry, or odd about it.
    findings: Vec<Finding>,
    files: Vec<FileRow>,
    /// Why files could not be read, by their URIs.
    unread: HashMap<String, String>,
    /// How many bytes came.
    bytes: u64,
}

pub(crate) async fn run(arguments: Verify, terminal: &Terminal) -> Result<Outcome, Failure> {
    let Verify { names, server, format } = arguments;
    let (target, rest) = server.target(&names)?;
    let skill = at_most_one(rest)?;
    let conversation = Conversation::with_skills(&target, &server, terminal).await?;
    let report = report(&conversation, skill, server.parallel(), terminal).await;
    conversation.close().await;
    terminal.clear();
    let report = report?;
    match format {
        Format::Text => output::print(&report.text())?,
        Format::Json => output::print_json(&report)?,
    };
    let Counts { refused, breaking, .. } = report.counts;
    // What is wrong stays wrong, whatever else could not be had.
    if refused + breaking > 0 {
        return Ok(Outcome::Findings);
    }
    report.lack().map_or(Ok(Outcome::Clean), |lack| Err(Failure::Incomplete(lack)))
}

fn at_most_one(names: &[String]) -> Result<Option<&str>, Failure> {
    match names {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        _ => Err(Failure::Usage("Name one skill at most.".to_owned())),
    }
}

async fn report(
    conversation: &Conversation,
    skill: Option<&str>,
    parallel: usize,
    terminal: &Terminal,
) -> Result<Report, Failure> {
    let Chosen { skills, findings, stopped } =
        skills::choose(conversation, skill, terminal).await?;
    let connected = conversation.connected.clone();
    let mut reports = Vec::new();
    for reading in skills {
        reports.push(SkillReport::of(conversation, reading, parallel, terminal).await);
    }
    Ok(Report {
        server: conversation.label.clone(),
        era: match connected.era {
            Era::Modern => "modern",
            Era::Legacy => "legacy",
        },
        version: connected.version,
        listing_stopped: stopped,
        listing_findings: findings,
        counts: Counts::of(&reports),
        skills: reports,
    })
}

impl SkillReport {
    async fn of(
        conversation: &Conversation,
        reading: Reading,
        parallel: usize,
        terminal: &Terminal,
    ) -> Self {
        let Reading { uri, name, findings, entry, .. } = reading;
        let mut report = Self {
            uri,
            name,
            summary: Summary::Refused,
            findings,
            files: Vec::new(),
            unread: HashMap::new(),
            bytes: 0,
        };
        let Some(entry) = entry else { return report };
        let uris = readable(&entry);
        let (all, mut read) = (count(uris.len(), "file"), 0);
        let mut verdicts = Vec::new();
        let mut files = pin!(skills::read_files(conversation, &entry, uris, parallel));
        while let Some((uri, file)) = files.next().await {
            read += 1;
            report.bytes += file.bytes.len() as u64;
            match file.verdict {
                Ok(verdict) => verdicts.push(verdict),
                Err(failure) => {
                    report.unread.insert(uri.to_owned(), failure.to_string());
                }
            }
            terminal.progress(|| {
                format!("{}: {read} of {all}, {}", shown(&entry.uri), bytes(report.bytes))
            });
        }
        let judged = SkillVerdict::of(&entry, &report.findings, verdicts);
        Self { summary: judged.summary, files: judged.files, ..report }
    }
}

/// The files to read: those of the manifest, of a dynamic skill its `SKILL.md` alone.
fn readable(entry: &SkillEntry) -> Vec<&str> {
    match entry.manifest() {
        Some(manifest) => manifest.files.iter().map(|file| file.uri.as_str()).collect(),
        None => vec![&entry.uri],
    }
}

impl Counts {
    fn of(skills: &[SkillReport]) -> Self {
        let come_to = |summary| skills.iter().filter(|skill| skill.summary == summary).count();
        Self {
            verified: come_to(Summary::Verified),
            unpinned: come_to(Summary::Unpinned),
            untested: come_to(Summary::Untested),
            incomplete: come_to(Summary::Incomplete),
            refused: come_to(Summary::Refused),
            breaking: skills.iter().filter(|skill| skill.breaks_rules()).count(),
        }
    }
}

impl Report {
    /// Each number that is not zero, with its word, and how many of these skills break rules.
    fn words(&self) -> String {
        let Counts { verified, unpinned, untested, incomplete, refused, .. } = self.counts;
        let all = [
            (verified, "verified", Summary::Verified),
            (unpinned, "dynamic", Summary::Unpinned),
            (untested, "untested", Summary::Untested),
            (incomplete, "incomplete", Summary::Incomplete),
            (refused, "refused", Summary::Refused),
        ];
        let words = all.into_iter().filter(|(number, ..)| *number > 0);
        let words = words.map(|(number, word, summary)| {
            let come_to = self.skills.iter().filter(|skill| skill.summary == summary);
            match come_to.filter(|skill| skill.breaks_rules()).count() {
                0 => format!("{number} {word}"),
                1 => format!("{number} {word} (1 breaks rules)"),
                breaking => format!("{number} {word} ({breaking} break rules)"),
            }
        });
        words.collect::<Vec<_>>().join(", ")
    }

    /// What could not be judged, if anything.
    fn lack(&self) -> Option<String> {
        let Counts { untested, incomplete, .. } = self.counts;
        let mut lacks = Vec::new();
        if self.listing_stopped.is_some() {
            lacks.push("the listing ended early".to_owned());
        }
        if untested + incomplete > 0 {
            let skills = count(untested + incomplete, "skill");
            lacks.push(format!("{skills} could not be judged as a whole"));
        }
        (!lacks.is_empty()).then(|| format!("{}, as told above", lacks.join(" and ")))
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let skills = count(self.skills.len(), "skill");
        // Writing to a string never fails.
        let _ = writeln!(text, "{QUIET}{} speaks {}{QUIET:#}", self.server, self.version);
        self.skills.iter().for_each(|skill| skill.write(&mut text));
        if let Some(reason) = &self.listing_stopped {
            let _ = writeln!(text, "{BAD}listing     {BAD:#}ended early: {reason}");
        }
        let words = self.words();
        let separator = if words.is_empty() { "" } else { ": " };
        let _ = writeln!(text, "{skills}{separator}{words}.");
        text
    }
}

impl SkillReport {
    fn write(&self, text: &mut String) {
        let (style, word) = match self.summary {
            Summary::Verified => (GOOD, "verified"),
            Summary::Unpinned => (DOUBTFUL, "dynamic"),
            Summary::Untested => (DOUBTFUL, "untested"),
            Summary::Incomplete => (BAD, "incomplete"),
            Summary::Refused => (BAD, "refused"),
        };
        let uri = self.uri.as_deref().map_or("an entry without a URI".to_owned(), shown);
        let (files, bytes) = (count(self.files.len(), "file"), bytes(self.bytes));
        let _ = writeln!(text, "{style}{word:12}{style:#}{uri}  {QUIET}{files}, {bytes}{QUIET:#}");
        self.broken().for_each(|finding| write_finding(text, finding));
        for file in &self.files {
            let path = self.path_of(&file.uri);
            match (&file.verdict, self.unread.get(&file.uri)) {
                (Some(Verdict::Refused(refusal)), _) => write_refusal(text, &path, refusal),
                (Some(Verdict::Untested(untested)), _) => {
                    let _ = writeln!(text, "  {path}: not judged: {}", untested.problem.message);
                }
                (None, Some(reason)) => {
                    let _ = writeln!(text, "  {path}: not read: {}", shown(reason));
                }
                _ => {}
            }
        }
    }

    /// Whether it is not refused, and its entry breaks rules all the same.
    fn breaks_rules(&self) -> bool {
        self.summary != Summary::Refused && self.broken().next().is_some()
    }

    /// Which rules the entry breaks.
    fn broken(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.level == Level::Must)
    }

    /// A file's path in the skill; its whole URI where it lies elsewhere.
    fn path_of(&self, uri: &str) -> String {
        let root = self.uri.as_deref().and_then(|uri| uri.strip_suffix("SKILL.md"));
        shown(root.and_then(|root| uri.strip_prefix(root)).unwrap_or(uri))
    }
}

fn write_finding(text: &mut String, finding: &Finding) {
    let _ = writeln!(text, "  {} {QUIET}({}){QUIET:#}", finding.message, finding.id);
    let lines = [
        ("expected", &finding.expected),
        ("came", &finding.actual),
        ("why", &finding.cause),
        ("mend", &finding.repair),
    ];
    for (word, line) in lines {
        write_line(text, word, line.as_deref());
    }
}

fn write_refusal(text: &mut String, path: &str, refusal: &Refusal) {
    let place = match &refusal.reason {
        Reason::Frontmatter(problem) => {
            problem.position.map(|at| format!(":{}:{}", at.line, at.column))
        }
        _ => None,
    };
    let _ = writeln!(text, "  {path}{}: {refusal}", place.unwrap_or_default());
    match &refusal.reason {
        Reason::Size | Reason::Digest => write_amounts(text, refusal),
        Reason::Frontmatter(problem) => write_line(text, "mend", problem.repair),
        Reason::FrontmatterDiffers(comparison) => comparison
            .differing()
            .flat_map(|field| &field.differences)
            .take(MAX_DIFFERENCES)
            .for_each(|difference| write_difference(text, difference)),
        _ => {}
    }
    if let Some(cause) = &refusal.cause {
        write_line(text, "why", Some(&cause.to_string()));
        write_line(text, "mend", Some(cause.repair()));
    }
}

/// What was promised and what came, in digest and size.
fn write_amounts(text: &mut String, refusal: &Refusal) {
    let amount =
        |digest: Option<Digest>, size: Option<u64>| Some(format!("{}, {} bytes", digest?, size?));
    let promised = refusal.expected.as_ref().and_then(|line| amount(line.digest, line.size));
    write_line(text, "expected", promised.as_deref());
    write_line(text, "came", amount(refusal.digest, refusal.size).as_deref());
}

fn write_difference(text: &mut String, difference: &Difference) {
    let side =
        |side: &Option<Side>| side.as_ref().map_or("nothing".to_owned(), |side| shown(&side.json));
    write_line(text, "at", Some(&shown(&difference.pointer)));
    write_line(text, "file", Some(&side(&difference.file)));
    write_line(text, "entry", Some(&side(&difference.entry)));
    write_line(text, "why", difference.explanation.map(|why| why.to_string()).as_deref());
}

fn write_line(text: &mut String, word: &str, line: Option<&str>) {
    if let Some(line) = line {
        let _ = writeln!(text, "    {QUIET}{word:9}{QUIET:#}{line}");
    }
}
