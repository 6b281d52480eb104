//! The matrix in the documentation, written from what the conversations came to.

use skillglass::protocol::EraChoice;
use skillglass::verify::Summary;

use crate::peer::{Form, Found, Peer, Skills, Spoken};

pub(crate) const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/peers.md");

const INTRODUCTION: &str = "\
# Servers that Skillglass is tested with

Each row is a conversation that the core's client held with a server made with an official SDK, in a process of its own,
serving the skill of two files in `tests/fixtures/article`. The servers are in `tests/peers/servers`.

This page is written by its test: `UPDATE_DOCS=1 cargo xtask test --only peers`.

- **Asked for**: *auto* asks `server/discover` first and speaks what the server speaks; *older* begins with `initialize`.
- **Session**: whether there is one, and with which status its DELETE was answered.
- **Get**: whether `skills/get` gives the entry that `skills/list` gave.
- **Page**: the page in Chromium, at the same servers. As they are set up none of them lets a page in, and the page says so in
  the sentence of that number below. Then the lines that it shows are pasted into the server, and the page lists, gets, reads
  and verifies the skill.

";

const COLUMNS: [&str; 14] = [
    "SDK",
    "Set up",
    "Asked for",
    "Speaks",
    "Session",
    "Answers",
    "Declares skills",
    "List",
    "Get",
    "Read",
    "Verify",
    "Page, as set up",
    "Page, with its lines",
    "Notes",
];

/// The page's text.
pub(crate) fn page(peers: &[&Peer]) -> Result<String, String> {
    let mut lines = vec![line(&COLUMNS), line(&["---"; COLUMNS.len()])];
    let mut sentences = Vec::new();
    for peer in peers {
        let in_page = peer.in_page()?;
        let known = sentences.iter().position(|sentence| *sentence == &in_page.refused);
        let number = known.unwrap_or_else(|| {
            sentences.push(&in_page.refused);
            sentences.len() - 1
        });
        lines.push(line(&row(peer, peer.found()?, number + 1)));
    }
    lines.push(String::new());
    lines.extend(
        sentences.iter().zip(1..).map(|(sentence, number)| format!("{number}. {sentence}")),
    );
    Ok(format!("{INTRODUCTION}{}\n", lines.join("\n")))
}

fn row(peer: &Peer, found: &Found, refused: usize) -> [String; COLUMNS.len()] {
    let Spoken { version, form, declares_skills, .. } = found.spoken();
    let Skills { listed, complete, got_the_same, files, summary, .. } = found.skills;
    let sdk = found.connected.discovery.version.as_deref().unwrap_or("?");
    [
        format!("{} `{}` {sdk}", peer.sdk.language, peer.sdk.package),
        peer.set_up.to_owned(),
        if peer.choice == EraChoice::Auto { "auto" } else { "older" }.to_owned(),
        version.to_owned(),
        match &found.session {
            Some(ended) => format!("yes, {}", ended.status),
            None => "no".to_owned(),
        },
        match form {
            Form::Json => "JSON",
            Form::Stream => "stream",
            Form::Mixed => "both",
        }
        .to_owned(),
        word(declares_skills),
        format!("{listed}{}", if complete { "" } else { ", incomplete" }),
        if got_the_same { "same" } else { "differs" }.to_owned(),
        format!("{files} files"),
        if summary == Summary::Verified { "verified" } else { "not verified" }.to_owned(),
        format!("refused ({refused})"),
        format!("verified, with those for {}", peer.lines_for()),
        peer.notes.to_owned(),
    ]
}

fn word(yes: bool) -> String {
    if yes { "yes" } else { "no" }.to_owned()
}

fn line(cells: &[impl AsRef<str>]) -> String {
    cells.iter().fold("|".to_owned(), |line, cell| format!("{line} {} |", cell.as_ref()))
}
