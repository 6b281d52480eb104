//! Conformance runs over the servers made with the official SDKs, in this process and by the program.

use skillglass::conformance::Outcome;
use skillglass::protocol::EraChoice;
use skillglass::protocol::diagnosis::Sdk;

use crate::faults::program;
use crate::{all, peers};

/// Version 1.30 of the Python SDK refuses a method that it does not know as a malformed request, with
/// -32602, where the base protocol wants -32601.
const OF_PYTHON_1: &[&str] = &["method-not-found-404", "directory-undeclared-method-not-found"];

#[test]
fn servers_made_with_the_official_sdks_fail_where_they_break_a_rule_and_nowhere_else() {
    // A server behind a gateway is judged like the one without it.
    for peer in peers().into_iter().filter(|peer| peer.made_with != Sdk::Nginx) {
        let is_python_1 = [&all::python_1_sessions, &all::python_1_stateless]
            .into_iter()
            .any(|known| std::ptr::eq(peer, known));
        let server = peer.start().unwrap();
        let report = peer.greet(&server).unwrap().judge();
        let failed = report.checks.iter().filter(|check| check.outcome == Outcome::Fail);
        let failed: Vec<_> = failed.map(|check| &*check.id).collect();
        let wanted = if is_python_1 { OF_PYTHON_1 } else { &[] };
        let about = format!("{} ({}): {}", peer.sdk.package, peer.set_up, report.summary);
        assert!(wanted.len() == failed.len(), "{about} {failed:?}");
        assert!(wanted.iter().all(|id| failed.contains(id)), "{about} {failed:?}");
        // Where skills are declared, they were looked at.
        let declared = peer.speaks.declares_skills;
        let least = if declared { 65 } else { 4 };
        assert!(report.counts.pass >= least && report.incomplete.is_none() == declared, "{about}");
        if peer.choice == EraChoice::Auto {
            assert_eq!(program::differs(&server.url, "auto", &report), None, "{about}");
        }
    }
}
