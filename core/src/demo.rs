//! The two demonstration servers, with our own sample skills.
//!
//! `good` serves sound skills of every kind; `broken` serves skills that break one rule each, in
//! their bytes or on the wire. The skills live in `tests/skills`, whose README says what each one
//! is for.

use crate::server::{Fault, File, SkillServer};

/// The names of the servers.
pub const NAMES: [&str; 2] = ["good", "broken"];

/// The server called `name`.
///
/// ```
/// assert_eq!(skillglass::demo::server("good").unwrap().skills().len(), 10);
/// assert!(skillglass::demo::server("other").is_none());
/// ```
#[must_use]
pub fn server(name: &str) -> Option<SkillServer> {
    match name {
        "good" => Some(good()),
        "broken" => Some(broken()),
        _ => None,
    }
}

/// Ten sound skills: flat and prefixed, two of one name, nested, with images, with CRLF line ends,
/// dynamic, unlisted. Listed in pages of four.
fn good() -> SkillServer {
    SkillServer::new("Northwind Atelier", good_files())
        .instructions(
            "Skills of a workshop for bicycles and instruments. Newcomers begin with skill://atelier/internal/onboarding/SKILL.md, which is not listed.",
        )
        .page_size(4)
        .with_skill("daily-briefing", |skill| skill.dynamic = true)
        .with_skill("atelier/internal/onboarding", |skill| skill.listed = false)
}

/// Nineteen skills, each broken in one way.
fn broken() -> SkillServer {
    let wire_faults = [
        ("wrong-digest", Fault::WrongDigest("wrong-digest/references/torque.csv".into())),
        ("wrong-size", Fault::SizeInCharacters("wrong-size/references/crates.md".into())),
        (
            "changed-after-listing",
            Fault::Replaced {
                path: "changed-after-listing/SKILL.md".into(),
                from: "18 €".into(),
                to: "81 €".into(),
            },
        ),
        ("crlf-conversion", Fault::CrlfServed("crlf-conversion/SKILL.md".into())),
        ("crlf-conversion", Fault::CrlfServed("crlf-conversion/templates/label.txt".into())),
        ("missing-file", Fault::Unreadable("missing-file/references/bearings.md".into())),
        ("unlisted-link", Fault::Unlisted("unlisted-link/references/extra.md".into())),
        ("get-differs", Fault::GetDiffers("get-differs/references/couriers.md".into())),
        ("no-resources", Fault::NoResources),
        (
            "upper-case-digest",
            Fault::UpperCaseDigest("upper-case-digest/references/cracks.md".into()),
        ),
    ];
    let mut server = SkillServer::new("Northwind Atelier, on a bad day", broken_files());
    for (path, fault) in wire_faults {
        server = server.with_skill(path, |skill| skill.faults.push(fault));
    }
    let entry_frontmatter = [
        ("frontmatter-drift", r#""description":""#, r#""description":"Now also for harps. "#),
        ("yaml-1-1-dates", r#""2026-01-15""#, r#""2026-01-15T00:00:00.000Z""#),
        ("yaml-1-1-dates", r#""draft":"no""#, r#""draft":false"#),
        ("big-number", "9007199254740993", "9007199254740992"),
    ];
    for (path, from, to) in entry_frontmatter {
        // The entry is what differs; the file stays as it is on disk.
        server = server
            .with_skill(path, |skill| skill.frontmatter = skill.frontmatter.replacen(from, to, 1));
    }
    server
}

/// Files below one folder of `tests/skills`.
macro_rules! tree {
    [$root:literal: $($path:literal,)*] => {
        [$(File::new($path, include_bytes!(concat!("../../tests/skills/", $root, "/", $path)).as_slice()),)*]
    };
}

fn good_files() -> impl IntoIterator<Item = File> {
    tree!["good":
        "atelier/billing/refunds/SKILL.md",
        "atelier/billing/refunds/references/LIMITS.csv",
        "atelier/billing/refunds/references/POLICY.md",
        "atelier/billing/refunds/scripts/check_order.py",
        "atelier/billing/refunds/templates/approve.md",
        "atelier/billing/refunds/templates/decline.md",
        "atelier/freight/packing-list/SKILL.md",
        "atelier/freight/packing-list/references/carriers.csv",
        "atelier/freight/packing-list/templates/label.txt",
        "atelier/freight/refunds/SKILL.md",
        "atelier/freight/refunds/templates/claim.md",
        "atelier/internal/onboarding/SKILL.md",
        "atelier/internal/onboarding/references/people.md",
        "atelier/release/SKILL.md",
        "atelier/release/steps/changelog/SKILL.md",
        "atelier/release/steps/changelog/references/voice.md",
        "atelier/workshop/instrument-intake/SKILL.md",
        "atelier/workshop/instrument-intake/references/condition.md",
        "atelier/workshop/wheel-truing/SKILL.md",
        "atelier/workshop/wheel-truing/assets/diagram.svg",
        "atelier/workshop/wheel-truing/assets/logo.png",
        "code-review/SKILL.md",
        "code-review/references/checklist.md",
        "daily-briefing/SKILL.md",
        "daily-briefing/today/bench.md",
        "daily-briefing/today/dispatch.md",
    ]
}

fn broken_files() -> impl IntoIterator<Item = File> {
    tree!["broken":
        "big-number/SKILL.md",
        "blank-description/SKILL.md",
        "changed-after-listing/SKILL.md",
        "colon-in-value/SKILL.md",
        "crlf-conversion/SKILL.md",
        "crlf-conversion/templates/label.txt",
        "duplicate-key/SKILL.md",
        "frontmatter-drift/SKILL.md",
        "get-differs/SKILL.md",
        "get-differs/references/couriers.md",
        "hidden-characters/SKILL.md",
        "hidden-characters/scripts/measure.py",
        "missing-file/SKILL.md",
        "missing-file/references/bearings.md",
        "name-mismatch/SKILL.md",
        "no-resources/SKILL.md",
        "tab-indent/SKILL.md",
        "unclosed-fence/SKILL.md",
        "unlisted-link/SKILL.md",
        "unlisted-link/references/extra.md",
        "upper-case-digest/SKILL.md",
        "upper-case-digest/references/cracks.md",
        "wrong-digest/SKILL.md",
        "wrong-digest/references/torque.csv",
        "wrong-size/SKILL.md",
        "wrong-size/references/crates.md",
        "yaml-1-1-dates/SKILL.md",
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contents;
    use crate::entry::SkillEntry;
    use crate::entry::diff::EntryDiff;
    use crate::protocol::results::{read_discovery, read_got_skill, read_skill_page};
    use crate::protocol::{
        Call, Client, ListLimits, Listing, ListingState, Reply, ReplyLimits, ReplyReader,
    };
    use crate::verify::{Reason, Verdict, refuse_contents, verify_file};

    fn ask(server: &SkillServer, call: &Call) -> Reply {
        let request = Client::new("http://localhost/").unwrap().request(call).unwrap();
        let answer = server.answer(&request);
        let limits = ReplyLimits::default();
        let kind = answer.content_type.as_deref();
        let mut reader = ReplyReader::new(request.id, answer.status, kind, limits);
        reader.push(&answer.body).unwrap();
        reader.finish().unwrap()
    }

    fn list(server: &SkillServer) -> Listing {
        let mut listing = Listing::new(ListLimits::default());
        while let Some(call) = listing.next() {
            let reply = ask(server, &call);
            let message = reply.message().unwrap();
            listing.receive(read_skill_page(&message, message.outcome().unwrap()));
        }
        listing
    }

    fn get(server: &SkillServer, uri: &str) -> SkillEntry {
        let reply = ask(server, &Call::GetSkill { uri: uri.to_owned() });
        let message = reply.message().unwrap();
        let got = read_got_skill(&message, message.outcome().unwrap(), uri);
        got.reading.unwrap().entry.unwrap()
    }

    fn verify(server: &SkillServer, entry: &SkillEntry, uri: &str) -> Verdict {
        let reply = ask(server, &Call::ReadResource { uri: uri.to_owned() });
        let message = reply.message().unwrap();
        let result = message.outcome().unwrap();
        match contents::read(&message.document, result, uri) {
            Ok(contents) => verify_file(entry, uri, &contents.bytes),
            Err(error) => refuse_contents(entry, uri, error),
        }
    }

    #[test]
    fn the_good_server_is_sound_to_the_last_byte() {
        let server = good();
        let reply = ask(&server, &Call::Discover);
        let message = reply.message().unwrap();
        let discovery = read_discovery(message.outcome().unwrap());
        assert!(discovery.skills && discovery.directory_read && discovery.findings.is_empty());
        let listing = list(&server);
        assert_eq!((listing.state(), listing.pages()), (&ListingState::Complete, 3));
        assert_eq!(listing.skills.len(), 9);
        assert!(listing.findings.is_empty());
        let mut entries: Vec<_> =
            listing.skills.iter().map(|reading| reading.entry.clone().unwrap()).collect();
        entries.push(get(&server, "skill://atelier/internal/onboarding/SKILL.md"));
        for entry in &entries {
            assert!(EntryDiff::between(entry, &get(&server, &entry.uri)).is_empty());
            let Some(manifest) = entry.manifest() else {
                assert!(matches!(verify(&server, entry, &entry.uri), Verdict::Unpinned(_)));
                continue;
            };
            for file in &manifest.files {
                let verdict = verify(&server, entry, &file.uri);
                assert!(matches!(verdict, Verdict::Verified(_)), "{}: {verdict:?}", file.uri);
            }
        }
    }

    #[test]
    fn each_broken_skill_breaks_its_own_rule() {
        let server = broken();
        let listing = list(&server);
        assert_eq!(listing.skills.len(), 19);
        let reason = |name: &str, path: &str| {
            let uri = format!("skill://{name}/SKILL.md");
            let reading = listing.skills.iter().find(|reading| reading.uri.as_ref() == Some(&uri));
            let entry = reading.unwrap().entry.clone().unwrap();
            match verify(&server, &entry, &format!("skill://{name}/{path}")) {
                Verdict::Refused(refusal) => {
                    let cause =
                        refusal.cause.map_or_else(String::new, |cause| format!("{cause:?}"));
                    format!("{} {cause}", refusal.reason).trim().to_owned()
                }
                other => panic!("{name}: {other:?}"),
            }
        };
        let unreadable = |name| {
            let text = reason(name, "SKILL.md");
            text.strip_prefix("the frontmatter cannot be read: ").unwrap().to_owned()
        };
        assert!(unreadable("unclosed-fence").starts_with("no line \"---\" closes"));
        assert!(unreadable("colon-in-value").contains("a colon and a blank"));
        assert!(unreadable("tab-indent").contains("a tab"));
        assert!(unreadable("duplicate-key").contains("occurs twice"));
        let differs = |name, field: &str| {
            let expected = format!("the frontmatter differs from the entry in {field}");
            assert_eq!(reason(name, "SKILL.md"), expected);
        };
        differs("frontmatter-drift", "\"description\"");
        differs("yaml-1-1-dates", "\"created\", \"draft\"");
        differs("big-number", "\"build\"");
        assert_eq!(reason("wrong-digest", "references/torque.csv"), Reason::Digest.to_string());
        assert!(reason("wrong-size", "references/crates.md").ends_with("SizeInCharacters"));
        assert_eq!(reason("changed-after-listing", "SKILL.md"), Reason::Digest.to_string());
        assert!(reason("crlf-conversion", "SKILL.md").ends_with("LfToCrlf"));
        assert_eq!(reason("unlisted-link", "references/extra.md"), Reason::NotListed.to_string());
        assert_eq!(
            reason("upper-case-digest", "references/cracks.md"),
            Reason::UnusableLine.to_string()
        );
        let findings = |name: &str| {
            let uri = format!("skill://{name}/SKILL.md");
            let reading = listing.skills.iter().find(|reading| reading.uri.as_ref() == Some(&uri));
            reading.unwrap().findings.iter().map(|finding| finding.id).collect::<Vec<_>>()
        };
        assert_eq!(findings("name-mismatch"), ["entry-uri-matches-frontmatter-name"]);
        assert_eq!(findings("blank-description"), ["skillformat-description-length"]);
        assert_eq!(findings("no-resources"), ["entry-resources-required"]);
        let listed =
            listing.skills.iter().find(|r| r.name.as_deref() == Some("get-differs")).unwrap();
        let listed = listed.entry.as_ref().unwrap();
        let diff = EntryDiff::between(listed, &get(&server, &listed.uri));
        assert_eq!(diff.removed, ["skill://get-differs/references/couriers.md"]);
        let missing =
            Call::ReadResource { uri: "skill://missing-file/references/bearings.md".into() };
        let reply = ask(&server, &missing);
        let error = reply.message().unwrap().outcome().unwrap_err();
        assert_eq!(error.code, Some(crate::protocol::INVALID_PARAMS));
    }

    #[test]
    #[cfg(not(target_arch = "wasm32"))]
    #[expect(clippy::disallowed_methods, reason = "compares the embedded table with the folder")]
    fn every_sample_file_is_embedded() {
        fn count(folder: std::path::PathBuf) -> usize {
            let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            entries.map(|path| if path.is_dir() { count(path) } else { 1 }).sum()
        }
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/skills");
        assert_eq!(count(folder.join("good")), good_files().into_iter().count());
        assert_eq!(count(folder.join("broken")), broken_files().into_iter().count());
    }
}
