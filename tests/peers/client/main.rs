//! The core's client against servers made with the official SDKs, each in a process of its own.

mod conversation;
mod faults;
mod http;
mod judged;
mod page;
mod peer;
mod server;
mod table;

use std::sync::OnceLock;

use skillglass::protocol::diagnosis::{self, Place, Remedy};
use skillglass::protocol::{
    Era, EraChoice, HandshakeError, LEGACY_VERSION, PROTOCOL_VERSION, UNSUPPORTED_VERSION,
};
use skillglass::verify::Summary;

use crate::conversation::Conversation;
use crate::peer::{Form, Peer, Sdk, Spoken};
use crate::server::{nginx, node, python, rmcp};

const TYPESCRIPT_2: Sdk = Sdk { language: "TypeScript", package: "@modelcontextprotocol/server" };
const TYPESCRIPT_1: Sdk = Sdk { language: "TypeScript", package: "@modelcontextprotocol/sdk" };
const PYTHON: Sdk = Sdk { language: "Python", package: "mcp" };
const RUST: Sdk = Sdk { language: "Rust", package: "rmcp" };

const MODERN: Spoken<'_> = Spoken {
    era: Era::Modern,
    version: PROTOCOL_VERSION,
    in_session: false,
    form: Form::Json,
    declares_skills: true,
};
const OLDER: Spoken<'_> = Spoken {
    era: Era::Legacy,
    version: LEGACY_VERSION,
    in_session: true,
    form: Form::Stream,
    declares_skills: true,
};

/// Makes a static and a test of each peer, and the list of them all.
macro_rules! peers {
    ($($name:ident: $sdk:expr, $set_up:literal, $start:expr, $made_with:ident, $choice:ident, $speaks:expr, $notes:literal;)*) => {
        mod all {
            use super::*;

            $(#[expect(non_upper_case_globals, reason = "the name is also that of a test")]
            pub(crate) static $name: Peer = Peer {
                sdk: $sdk,
                set_up: $set_up,
                start: || $start,
                choice: EraChoice::$choice,
                speaks: $speaks,
                made_with: diagnosis::Sdk::$made_with,
                notes: $notes,
                found: OnceLock::new(),
                in_page: OnceLock::new(),
            };)*
        }

        mod in_page {
            $(#[test]
            fn $name() {
                super::check_in_page(&super::all::$name);
            })*
        }

        $(#[test]
        fn $name() {
            check(&all::$name);
        })*

        /// In the order of the table.
        fn peers() -> Vec<&'static Peer> {
            vec![$(&all::$name),*]
        }
    };
}

peers! {
    typescript_2_both_auto:
        TYPESCRIPT_2, "both eras, the SDK's default", node("typescript-2.mjs", "both"), Node, Auto,
        MODERN, "";
    typescript_2_both_older:
        TYPESCRIPT_2, "both eras, the SDK's default", node("typescript-2.mjs", "both"), Node, Legacy,
        Spoken { in_session: false, ..OLDER }, "";
    typescript_2_express:
        TYPESCRIPT_2, "both eras, in the SDK's Express application", node("typescript-2.mjs", "express"), Express, Auto,
        MODERN, "";
    typescript_2_nginx:
        TYPESCRIPT_2, "both eras, behind nginx", nginx(), Nginx, Auto,
        MODERN, "";
    typescript_2_modern:
        TYPESCRIPT_2, "2026-07-28 only", node("typescript-2.mjs", "modern"), Node, Auto,
        MODERN, "refuses `initialize` with -32022";
    typescript_2_stream:
        TYPESCRIPT_2, "event streams forced", node("typescript-2.mjs", "stream"), Node, Auto,
        Spoken { form: Form::Stream, ..MODERN }, "";
    typescript_2_sessions:
        TYPESCRIPT_2, "older era, sessions", node("typescript-2.mjs", "sessions"), Node, Auto,
        OLDER, "";
    typescript_1_sessions:
        TYPESCRIPT_1, "sessions", node("typescript-1.mjs", "sessions"), Node, Auto,
        OLDER, "knows no skills: `skills/*` by its fallback handler; asks `ping` on the stream before it lists";
    typescript_1_stateless:
        TYPESCRIPT_1, "no sessions, JSON", node("typescript-1.mjs", "stateless"), Node, Auto,
        Spoken { in_session: false, form: Form::Json, ..OLDER }, "knows no skills: as above";
    python_2_auto:
        PYTHON, "both eras, the SDK's default", python(2, ""), Python, Auto,
        MODERN, "knows no skills: `skills/*` by its interface for extensions";
    python_2_older:
        PYTHON, "both eras, the SDK's default", python(2, ""), Python, Legacy,
        Spoken { declares_skills: false, ..OLDER },
        "sends no `extensions` in this era, so that hosts do not ask; it would answer";
    python_1_sessions:
        PYTHON, "sessions", python(1, "sessions"), Python, Auto,
        OLDER, "knows no skills, and refuses methods that it does not know: `skills/*` by replacing its union of requests";
    python_1_stateless:
        PYTHON, "no sessions, JSON", python(1, "stateless"), Python, Auto,
        Spoken { in_session: false, form: Form::Json, ..OLDER }, "knows no skills: as above";
    rmcp_both_auto:
        RUST, "both eras, the SDK's default", rmcp("both"), Rust, Auto,
        Spoken { form: Form::Stream, ..MODERN }, "";
    rmcp_both_older:
        RUST, "both eras, the SDK's default", rmcp("both"), Rust, Legacy,
        OLDER, "";
    rmcp_older:
        RUST, "2025-06-18 only, no sessions, JSON", rmcp("older"), Rust, Auto,
        Spoken { version: "2025-06-18", in_session: false, form: Form::Json, ..OLDER }, "";
}

fn check(peer: &Peer) {
    let found = peer.found().unwrap();
    assert_eq!(found.spoken(), peer.speaks);
    assert_eq!(found.connected.discovery.name.as_deref(), Some(peer.sdk.package));
    let skills = &found.skills;
    assert_eq!((skills.listed, skills.complete, skills.got_the_same), (1, true, true));
    assert_eq!((skills.files, skills.summary), (2, Summary::Verified));
    assert!(skills.broken.is_empty(), "{:?}", skills.broken);
    if let Some(ended) = &found.session {
        assert!((200..300).contains(&ended.status) && ended.forgotten, "{}", ended.status);
    }
}

fn check_in_page(peer: &Peer) {
    let in_page = peer.in_page().unwrap();
    assert_eq!(
        in_page.refused,
        "A server answers there, but does not let pages from ORIGIN read it (CORS)."
    );
    let Spoken { era, version, in_session, .. } = peer.speaks;
    let speaks = match (era, in_session) {
        (Era::Modern, _) => version.to_owned(),
        (Era::Legacy, true) => format!("{version}, with the older handshake, in a session"),
        (Era::Legacy, false) => format!("{version}, with the older handshake, without a session"),
    };
    assert_eq!(in_page.speaks, speaks);
}

#[test]
fn questions_on_a_stream_are_answered() {
    assert_eq!(all::typescript_1_sessions.found().unwrap().questions, 1);
}

#[test]
fn a_server_of_the_modern_era_refuses_the_older_handshake() {
    let server = all::typescript_2_modern.start().unwrap();
    let refused = Conversation::open(&server.url, EraChoice::Legacy).err();
    let Some(HandshakeError::OtherEra { wanted: Era::Legacy, message }) = refused else {
        panic!("{refused:?}")
    };
    assert!(message.contains(&UNSUPPORTED_VERSION.to_string()), "{message}");
}

#[test]
fn a_server_that_was_started_again_is_greeted_again_once() {
    for peer in [
        &all::typescript_2_sessions,
        &all::typescript_1_sessions,
        &all::python_1_sessions,
        &all::rmcp_both_older,
    ] {
        let first = peer.start().unwrap();
        let mut conversation = peer.greet(&first).unwrap();
        drop(first);
        let second = peer.start().unwrap();
        conversation.move_to(&second.url);
        assert_eq!(conversation.list().unwrap().skills.len(), 1, "{}", peer.set_up);
        assert_eq!(conversation.list().unwrap().skills.len(), 1, "{}", peer.set_up);
        assert_eq!(conversation.handshakes, 2, "{}", peer.set_up);
    }
}

/// `let_in` of `servers/rmcp.rs` is made of them.
#[test]
fn the_rust_server_has_the_lines_that_people_are_told_to_paste() {
    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/servers/rmcp-pasted.rs");
    let place = Place { endpoint: "", origin: "ORIGIN" };
    let lines = Remedy::Cors.lines(diagnosis::Sdk::Rust, place);
    up_to_date(FILE, &format!("{{\n{}\napp\n}}\n", lines.replace("\"ORIGIN\"", "origin")));
}

#[test]
fn the_table_in_the_documentation_is_up_to_date() {
    up_to_date(table::FILE, &table::page(&peers()).unwrap());
}

/// Whether a file that tests write is as they would write it now.
fn up_to_date(file: &str, text: &str) {
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(file, text).unwrap();
    }
    let committed = std::fs::read_to_string(file).unwrap_or_default();
    assert!(committed == text, "run: UPDATE_DOCS=1 cargo xtask test --only peers\n\n{text}");
}
