//! Steps in any order: nothing panics, and nothing is read that was not approved.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::entry;
use crate::protocol::results::GotSkill;

/// What a confused caller may do.
#[derive(Clone, Copy, Debug)]
enum Act {
    Begin,
    Refresh,
    End,
    Revoke,
    /// The server's skill becomes the one of this version; so does what it answers.
    Change(u8),
    GotSkill,
    GotError,
    Approve {
        latest: bool,
    },
    Deny {
        latest: bool,
    },
    GotSkillMd,
    Read,
    GotFile,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => Just(Act::Begin),
        1 => Just(Act::Refresh),
        1 => Just(Act::End),
        1 => Just(Act::Revoke),
        1 => (0..2_u8).prop_map(Act::Change),
        4 => Just(Act::GotSkill),
        1 => Just(Act::GotError),
        4 => prop::bool::weighted(0.8).prop_map(|latest| Act::Approve { latest }),
        1 => any::<bool>().prop_map(|latest| Act::Deny { latest }),
        4 => Just(Act::GotSkillMd),
        2 => Just(Act::Read),
        2 => Just(Act::GotFile),
    ]
}

const FILE: &str = "skill://acme/tidy/scripts/sort.py";

/// The skill of a version: its entry, and its script.
fn version(version: u8) -> (String, &'static str) {
    let script = ["print()\n", "input()\n"][usize::from(version)];
    let server = rewritten(&tidy(), "acme/tidy/scripts/sort.py", script);
    (server.skills()[0].entry(false), script)
}

proptest! {
    #[test]
    fn any_order_is_safe(acts in prop::collection::vec(act(), 0..60)) {
        let mut host = World::new(Policy::default(), [("acme", tidy())]).host;
        let skill = id("acme", "acme/tidy");
        let mut requests = Vec::new();
        // Which script a person approved, and which one the skill was loaded with.
        let (mut served, mut approved, mut acting) = (version(0), None, None);
        for act in acts {
            let script = served.1;
            let step = match act {
                Act::Begin => host.begin_load(&skill, 0).ok(),
                Act::Refresh => {
                    acting = None;
                    host.refresh(&skill).ok()
                }
                Act::End | Act::Revoke => {
                    acting = None;
                    match act {
                        Act::End => host.end(&skill),
                        _ => { host.revoke(&skill); approved = None; }
                    }
                    None
                }
                Act::Change(number) => {
                    served = version(number);
                    None
                }
                Act::GotSkill => {
                    let reading = Some(entry::read(&served.0));
                    let freshness = Freshness { ttl_ms: 1, public: false };
                    let got = GotSkill { reading, freshness, findings: Vec::new() };
                    host.got_skill(&skill, Ok(got), 0).ok()
                }
                Act::GotError => {
                    let failure = CallFailure::NoAnswer(String::new());
                    host.got_skill(&skill, Err(failure), 0).ok()
                }
                Act::Approve { latest } => {
                    let request: Option<&(ApprovalRequest, _)> =
                        if latest { requests.last() } else { requests.first() };
                    let step = request.and_then(|(it, _)| host.approve(it, BTreeSet::new()).ok());
                    if step.is_some() {
                        approved = request.map(|(_, digest)| *digest);
                    }
                    step
                }
                Act::Deny { latest } => {
                    let request = if latest { requests.last() } else { requests.first() };
                    request.and_then(|(it, _)| host.deny(it).ok())
                }
                Act::GotSkillMd => host.got_skill_md(&skill, TIDY.as_bytes().into()).ok(),
                Act::Read => {
                    let call = host.read(&skill, "scripts/sort.py");
                    prop_assert_eq!(call.is_ok(), acting.is_some());
                    None
                }
                Act::GotFile => {
                    if let Ok(content) = host.got_file(&skill, FILE, script.as_bytes().into()) {
                        let digest = crate::digest::Digest::of(&content.bytes);
                        prop_assert_eq!(Some(digest), acting);
                    }
                    None
                }
            };
            match step {
                Some(Step::Approve(request)) => {
                    let files = request.files.clone().unwrap();
                    let script = files.iter().find(|file| file.uri == FILE).unwrap();
                    requests.push((request, script.digest.unwrap()));
                }
                // Nothing but the SKILL.md is read by loading, and only of what was approved.
                Some(Step::Send(Outgoing { call: Call::ReadResource { uri }, .. })) => {
                    prop_assert_eq!(&uri, skill.uri());
                    prop_assert!(approved.is_some());
                }
                Some(Step::Loaded(_)) => {
                    prop_assert!(approved.is_some());
                    acting = approved;
                }
                _ => {}
            }
        }
    }
}
