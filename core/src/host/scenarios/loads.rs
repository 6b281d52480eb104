//! What has to happen before a skill is loaded.

use std::collections::BTreeSet;

use super::*;
use crate::digest::Digest;
use crate::entry;
use crate::protocol::results::GotSkill;
use crate::server::Fault;
use crate::verify::Reason;

#[test]
fn a_listed_skill_is_read_when_it_is_wanted_and_not_before() {
    let mut world = World::new(Policy::default(), [("acme", tidy())]);
    let tidy = id("acme", "acme/tidy");
    world.list("acme");
    let request = asked(world.begin(&tidy));
    assert_eq!(world.sent, ["acme skills/list "]);
    assert_eq!((request.state.clone(), request.inside.clone()), (ApprovalState::None, None));
    assert_eq!(request.files.as_ref().unwrap().len(), 3);

    let loaded = loaded(world.approve(&request));
    assert_eq!(loaded.content.bytes, TIDY.as_bytes());
    assert_eq!(loaded.content.origin, origin("acme"));
    assert!(matches!(loaded.content.standing, Standing::Verified(_)));
    let rules = world.read(&tidy, "references/rules.md").unwrap();
    assert_eq!(&*rules.bytes, b"# Rules\n");
    assert_eq!(
        world.sent[1..],
        [
            "acme resources/read skill://acme/tidy/SKILL.md",
            "acme resources/read skill://acme/tidy/references/rules.md",
        ]
    );
    // Approved once is approved, as long as nothing changes.
    world.host.end(&tidy);
    assert!(matches!(world.begin(&tidy), Step::Loaded(_)));
}

#[test]
fn an_unlisted_skill_is_loaded_by_its_uri() {
    let hidden = tidy().with_skill("acme/tidy", |skill| skill.listed = false);
    let mut world = World::new(Policy::default(), [("acme", hidden)]);
    world.list("acme");
    assert_eq!(world.host.registry().iter().count(), 0);
    world.load(&id("acme", "acme/tidy"));
    assert_eq!(world.sent[1], "acme skills/get skill://acme/tidy/SKILL.md");

    let stop = stopped(world.begin(&id("acme", "acme/none")));
    assert!(matches!(&stop, Stop::LookUp(failure) if failure.is_unknown()), "{stop}");
    assert_eq!(world.sent.len(), 4);
}

#[test]
fn entries_are_used_while_they_are_fresh() {
    let mut world = World::new(Policy::default(), [("acme", tidy())]);
    let tidy = id("acme", "acme/tidy");
    world.list("acme");
    let stale_at_ms = world.host.registry().get(&tidy).unwrap().stale_at_ms;
    assert!(stale_at_ms > world.now_ms);
    world.now_ms = stale_at_ms - 1;
    assert!(matches!(world.host.begin_load(&tidy, world.now_ms).unwrap(), Step::Approve(_)));
    world.host.end(&tidy);
    let step = world.host.begin_load(&tidy, stale_at_ms).unwrap();
    assert!(matches!(step, Step::Send(send) if send.call.method() == "skills/get"));
}

#[test]
fn an_entry_that_is_stale_at_once_is_kept_for_as_long_as_the_policy_says() {
    let server = &tidy();
    let loads_at = |keep_ms, now_ms| {
        let mut host =
            World::new(Policy { keep_ms, ..Policy::default() }, [("acme", server.clone())]).host;
        let entry = entry::read(&server.skills()[0].entry(false));
        host.listed(&origin("acme"), [entry], Freshness::default(), 1_000).unwrap();
        host.begin_load(&id("acme", "acme/tidy"), now_ms).unwrap()
    };
    assert!(matches!(loads_at(500, 1_499), Step::Approve(_)));
    assert!(matches!(loads_at(500, 1_500), Step::Send(_)));
    assert!(matches!(loads_at(0, 1_000), Step::Send(_)));
}

#[test]
fn a_skill_that_is_listed_wrongly_is_looked_up() {
    let mut world = World::new(Policy::default(), [("acme", tidy())]);
    world.list("acme");
    world.change("acme", "acme/tidy", |skill| skill.faults.push(Fault::NoResources));
    world.list("acme");
    world.change("acme", "acme/tidy", |skill| skill.faults.clear());
    asked(world.begin(&id("acme", "acme/tidy")));
    assert_eq!(world.sent[2..], ["acme skills/get skill://acme/tidy/SKILL.md"]);
}

#[test]
fn one_uri_on_two_servers_is_two_skills() {
    let mut world = World::new(Policy::default(), [("one", tidy()), ("two", tidy())]);
    let (one, two) = (id("one", "acme/tidy"), id("two", "acme/tidy"));
    world.list("one");
    world.list("two");
    let collisions = world.host.take_collisions();
    assert_eq!(collisions.len(), 1);
    assert_eq!((&collisions[0].skill, &collisions[0].other), (&two, &one));
    assert!(world.host.take_collisions().is_empty());

    world.load(&one);
    assert!(matches!(world.host.read(&two, "scripts/sort.py"), Err(ReadStop::NotActing)));
    let request = asked(world.begin(&two));
    assert_eq!(request.state, ApprovalState::None);
    assert_eq!(request.name.to_string(), "two: tidy");
    loaded(world.approve(&request));
    assert_eq!(world.sent.last().unwrap(), "two resources/read skill://acme/tidy/SKILL.md");

    world.host.remove_origin(&origin("one"));
    assert!(matches!(world.host.read(&one, "scripts/sort.py"), Err(ReadStop::NotActing)));
    let kept: Vec<_> = world.host.approvals().map(Approval::skill).collect();
    assert_eq!(kept, [&two]);
    assert!(matches!(world.host.begin_load(&one, 0), Err(Misuse::UnknownOrigin(_))));
}

#[test]
fn a_changed_manifest_revokes_the_approval_and_says_how() {
    let mut world = World::new(Policy::default(), [("acme", tidy())]);
    let tidy = id("acme", "acme/tidy");
    world.load(&tidy);
    world.host.end(&tidy);
    let kept = world.host.to_json();

    // The host restarts; meanwhile a script changes.
    world.rewrite("acme", "acme/tidy/scripts/sort.py", "import os\n");
    world.host =
        World::new(Policy { ask: false, ..Policy::default() }, [("acme", self::tidy())]).host;
    let broken = kept.replacen("sha256:", "sha512:", 1);
    assert_eq!(world.host.restore_all(&broken), Err(StoredError::Member("files")));
    let newer = kept.replacen("\"version\":1", "\"version\":2", 1);
    assert_eq!(world.host.restore_all(&newer), Err(StoredError::Member("version")));
    assert_eq!(world.host.approvals().count(), 0);
    world.host.restore_all(&kept).unwrap();
    let request = asked(world.begin(&tidy));
    let ApprovalState::Revoked(diff) = &request.state else { panic!("{:?}", request.state) };
    assert_eq!(diff.to_string(), "changed: \"skill://acme/tidy/scripts/sort.py\"");
    assert_eq!(world.host.approval_state(&tidy), Some(request.state.clone()));
    let change = Change { skill: tidy.clone(), revoked: Some(diff.clone()) };
    assert_eq!(world.host.take_changes(), [change]);

    // To say no changes nothing: it is asked again.
    assert!(matches!(world.host.deny(&request).unwrap(), Step::Stopped(Stop::Denied)));
    let again = asked(world.begin(&tidy));
    loaded(world.approve(&again));
    assert_eq!(world.host.approval_state(&tidy), Some(ApprovalState::Covers));
}

#[test]
fn an_acting_window_outlasts_a_restart() {
    let mut world = World::new(Policy::default(), [("acme", tidy())]);
    let tidy = id("acme", "acme/tidy");
    let request = asked(world.begin(&tidy));
    let granted = PermissionRequest::run("skill://acme/tidy/scripts/sort.py");
    loaded(world.approve_with(&request, [granted.clone()]));
    world.read(&tidy, "scripts/sort.py").unwrap();
    let kept = world.host.to_json();

    // The host restarts; meanwhile the server has another file, and an entry that fits it.
    world.rewrite("acme", "acme/tidy/scripts/sort.py", "import os\n");
    world.host = World::new(Policy::default(), [("acme", self::tidy())]).host;
    for (from, to, member) in [
        ("\"asked\":{", "\"asked\":{\"x\":-1,", "asked"),
        ("\"entry\":\"", "\"entry\":\"?", "entry"),
        ("\"asked\":{", "\"asked\":{\"skill://acme/tidy/more.md\":0,", "asked"),
        ("sort.py\"}],\"asked\"", "more.md\"}],\"asked\"", "granted"),
        ("\"acting\":[", "\"acting\":[{},", "skill"),
        ("\"acting\":", "\"other\":", "acting"),
    ] {
        assert!(kept.contains(from), "{from}");
        let broken = kept.replacen(from, to, 1);
        assert_eq!(world.host.restore_all(&broken), Err(StoredError::Member(member)));
    }
    assert_eq!((world.host.acting().count(), world.host.approvals().count()), (0, 0));
    world.host.restore_all(&kept).unwrap();
    assert_eq!(world.host.acting().collect::<Vec<_>>(), [&tidy]);
    assert_eq!(world.host.to_json(), kept);

    assert!(world.host.is_granted(&tidy, &granted));
    assert!(matches!(world.host.begin_load(&tidy, 0), Err(Misuse::OutOfOrder("is loaded"))));
    assert!(matches!(world.read(&tidy, "scripts/sort.py"), Err(ReadStop::Refused(_))));
    assert!(matches!(world.host.read(&tidy, "more.md"), Err(ReadStop::NotListed { .. })));
    world.host.end(&tidy);
    assert_eq!(world.host.acting().count(), 0);
}

#[test]
fn a_kept_skill_is_not_acted_on_where_it_would_not_be_loaded() {
    let dynamic = || tidy().with_skill("acme/tidy", |skill| skill.dynamic = true);
    let mut world = World::new(Policy::default(), [("acme", dynamic())]);
    world.load(&id("acme", "acme/tidy"));
    let kept = world.host.to_json();
    let acting = |policy: Policy, text: &str| {
        let mut host = Host::new(policy);
        host.restore_all(text).unwrap();
        host.acting().count()
    };
    assert_eq!(acting(Policy::default(), &kept), 1);
    assert_eq!(acting(Policy { dynamic: false, ..Policy::default() }, &kept), 0);

    let mut world = World::new(Policy::default(), [("acme", tidy())]);
    world.load(&id("acme", "acme/tidy"));
    let kept = world.host.to_json();
    let line = r#"{\"uri\":\"skill://acme/tidy/scripts/sort.py\""#;
    assert!(kept.contains(line), "{kept}");
    let elsewhere = kept.replacen(line, r#"{\"uri\":\"skill://acme/other/sort.py\""#, 1);
    assert_eq!((acting(Policy::default(), &kept), acting(Policy::default(), &elsewhere)), (1, 0));
}

#[test]
fn what_was_counted_before_a_restart_may_be_any_number() {
    let dynamic = tidy().with_skill("acme/tidy", |skill| skill.dynamic = true);
    let mut world = World::new(Policy::default(), [("acme", dynamic)]);
    let tidy = id("acme", "acme/tidy");
    world.load(&tidy);
    let most = (1_u64 << 53) - 1;
    let counts: String =
        (0..2_100).map(|file| format!("\"skill://acme/tidy/{file}\":{most},")).collect();
    let asked = format!("\"asked\":{{{counts}");
    let kept = world.host.to_json().replacen("\"asked\":{", &asked, 1);
    world.host.restore_all(&kept).unwrap();
    let uri = "skill://acme/tidy/0";
    let stop = world.host.got_file(&tidy, uri, FileAnswer::from(&b"more"[..])).unwrap_err();
    assert!(matches!(stop, ReadStop::OverLimits { bytes: u64::MAX, .. }), "{stop}");
}

#[test]
fn a_skill_that_becomes_dynamic_is_asked_about_whatever_the_policy() {
    let mut world = World::new(Policy { ask: false, ..Policy::default() }, [("acme", tidy())]);
    let tidy = id("acme", "acme/tidy");
    let entry = entry::read(&world.servers[&origin("acme")].skills()[0].entry(true)).entry.unwrap();
    world.host.restore(Approval::new(&origin("acme"), &entry, BTreeSet::new()).unwrap());
    loaded(world.begin(&tidy));
    world.change("acme", "acme/tidy", |skill| skill.dynamic = true);
    assert_eq!(asked(world.refresh(&tidy)).state, ApprovalState::NotBindable);
    world.host.revoke(&tidy);
    loaded(world.begin(&tidy));
}

#[test]
fn a_refused_skill_md_is_not_loaded_and_is_looked_up_next_time() {
    let replaced = Fault::Replaced {
        path: "acme/tidy/SKILL.md".into(),
        from: "# Tidy".into(),
        to: "# Obey".into(),
    };
    let server = tidy().with_skill("acme/tidy", |skill| skill.faults.push(replaced));
    let mut world = World::new(Policy::default(), [("acme", server)]);
    let tidy = id("acme", "acme/tidy");
    world.list("acme");
    let request = asked(world.begin(&tidy));
    let stop = stopped(world.approve(&request));
    assert!(stop.wants_refresh(), "{stop}");
    assert!(matches!(world.host.read(&tidy, "scripts/sort.py"), Err(ReadStop::NotActing)));

    // The fault is gone, the set is the one that was approved.
    world.change("acme", "acme/tidy", |skill| skill.faults.clear());
    world.sent.clear();
    assert!(matches!(world.begin(&tidy), Step::Loaded(_)));
    assert_eq!(world.sent[0], "acme skills/get skill://acme/tidy/SKILL.md");
}

#[test]
fn frontmatter_that_is_not_the_files_is_refused() {
    let mut world = World::new(Policy::default(), [("acme", tidy())]);
    let tidy = id("acme", "acme/tidy");
    world.load(&tidy);
    world.host.end(&tidy);
    // Same files, same digests: the approval holds, but the entry now claims something else.
    world.change("acme", "acme/tidy", |skill| {
        skill.frontmatter = skill.frontmatter.replace("Tidies up.", "Does everything.");
    });
    let stop = stopped(world.refresh(&tidy));
    let Stop::SkillMd(ReadStop::Refused(refusal)) = stop else { panic!("{stop}") };
    assert!(matches!(refusal.reason, Reason::FrontmatterDiffers(_)));
}

#[test]
fn a_grant_is_a_persons_and_holds_for_what_was_asked() {
    let tool = |text: &str| PermissionRequest { kind: RequestKind::Tool, text: text.to_owned() };
    let run = PermissionRequest::run("skill://acme/tidy/scripts/sort.py");
    let mut world = World::new(Policy::default(), [("acme", tidy())]);
    let tidy = id("acme", "acme/tidy");
    let request = asked(world.begin(&tidy));
    assert_eq!(request.requests, BTreeSet::from([tool("Bash(rm *)"), tool("Read")]));
    let unasked = world.host.approve(&request, BTreeSet::from([tool("Write")]));
    assert_eq!(unasked.unwrap_err(), Misuse::NotRequested(tool("Write")));

    let loaded = loaded(world.approve_with(&request, [tool("Read")]));
    assert_eq!(loaded.granted, BTreeSet::from([tool("Read")]));
    assert!(world.host.is_granted(&tidy, &tool("Read")));
    assert!(!world.host.is_granted(&tidy, &tool("Bash(rm *)")));
    assert!(!world.host.is_granted(&tidy, &run));
    world.host.grant(&tidy, &run).unwrap();
    assert!(world.host.is_granted(&tidy, &run));
    let elsewhere = PermissionRequest::run("skill://acme/other/x.py");
    assert!(world.host.grant(&tidy, &elsewhere).is_err());

    // What was granted is kept with the approval, and given to nobody outside of a load.
    let kept = world.host.approvals().next().unwrap().clone();
    assert_eq!(kept.granted(), &BTreeSet::from([tool("Read"), run.clone()]));
    world.host.end(&tidy);
    assert!(!world.host.is_granted(&tidy, &run));
    let again = self::loaded(world.begin(&tidy));
    assert_eq!(&again.granted, kept.granted());

    // A store that was tampered with grants nothing that is not asked for.
    world.host.end(&tidy);
    world.host.restore(Approval::read(&kept.to_json().replace("Read", "Write")).unwrap());
    assert_eq!(self::loaded(world.begin(&tidy)).granted, BTreeSet::from([run.clone()]));

    // An approval of other files is not the one that was acted on.
    let of_others = kept.to_json().replace("sort.py", "other.py").replace("Read", "Bash(rm *)");
    world.host.restore(Approval::read(&of_others).unwrap());
    world.host.grant(&tidy, &tool("Read")).unwrap();
    assert!(!world.host.approvals().next().unwrap().granted().contains(&tool("Read")));
    world.host.revoke(&tidy);
    assert!(!world.host.is_granted(&tidy, &run));
    asked(world.begin(&tidy));
}

#[test]
fn a_dynamic_skill_is_asked_about_each_time() {
    let dynamic = || tidy().with_skill("acme/tidy", |skill| skill.dynamic = true);
    let mut world = World::new(Policy::default(), [("acme", dynamic())]);
    let tidy = id("acme", "acme/tidy");
    for _ in 0..2 {
        let request = asked(world.begin(&tidy));
        assert_eq!(request.state, ApprovalState::NotBindable);
        assert_eq!((request.key, request.files.clone()), (None, None));
        assert_eq!(loaded(world.approve(&request)).content.standing, Standing::Unpinned);
        world.host.end(&tidy);
    }
    assert_eq!(world.host.approvals().count(), 0);
    let changed = World::new(Policy { dynamic: false, ..Policy::default() }, [("acme", dynamic())])
        .begin(&tidy);
    assert!(matches!(changed, Step::Stopped(Stop::DynamicDeclined)));

    // Its frontmatter is compared all the same.
    world.change("acme", "acme/tidy", |skill| {
        skill.frontmatter = skill.frontmatter.replace("Read", "Write");
    });
    let request = asked(world.refresh(&tidy));
    assert!(matches!(stopped(world.approve(&request)), Stop::SkillMd(ReadStop::Refused(_))));
}

#[test]
fn a_nested_skill_needs_consent_of_its_own() {
    let server = || serve(&[("outer/SKILL.md", OUTER), ("outer/steps/inner/SKILL.md", INNER)]);
    let mut world = World::new(Policy::default(), [("acme", server())]);
    let (outer, inner) = (id("acme", "outer"), id("acme", "outer/steps/inner"));
    world.load(&outer);

    // Read as a supporting file it is plain text, and nothing of it is active.
    let text = world.read(&outer, "steps/inner/SKILL.md").unwrap();
    assert_eq!((&*text.bytes, &text.skill), (INNER.as_bytes(), &outer));
    let bash = PermissionRequest { kind: RequestKind::Tool, text: "Bash".to_owned() };
    assert!(!world.host.is_granted(&outer, &bash) && !world.host.is_granted(&inner, &bash));
    assert!(matches!(world.host.read(&inner, "SKILL.md"), Err(ReadStop::NotActing)));

    // An approval from before does not speak for now.
    for state in [ApprovalState::None, ApprovalState::Covers] {
        let request = asked(world.begin(&inner));
        assert_eq!((&request.state, &request.inside), (&state, &Some(outer.clone())));
        loaded(world.approve(&request));
        world.host.end(&inner);
    }

    // Nor does a policy that asks about nothing else.
    let mut bold = World::new(Policy { ask: false, ..Policy::default() }, [("acme", server())]);
    loaded(bold.begin(&outer));
    assert_eq!(asked(bold.begin(&inner)).inside, Some(outer));
}

#[test]
fn entries_that_break_the_rules_are_not_loaded() {
    let broken = |fault| tidy().with_skill("acme/tidy", |skill| skill.faults.push(fault));
    let tidy = id("acme", "acme/tidy");
    let faults =
        [Fault::NoResources, Fault::UpperCaseDigest("acme/tidy/scripts/sort.py".to_owned())];
    for fault in faults {
        let mut world = World::new(Policy::default(), [("acme", broken(fault))]);
        world.list("acme");
        let stop = stopped(world.begin(&tidy));
        assert!(matches!(&stop, Stop::InvalidEntry(findings) if !findings.is_empty()), "{stop}");
        assert!(world.sent.iter().all(|sent| !sent.contains("resources/read")));
    }
}

#[test]
fn size_limits_are_inclusive_and_explained() {
    let lines = |count: usize| {
        let line = |path: &str| {
            let digest = Digest::of(b"");
            format!(r#"{{"uri":"skill://a/{path}","digest":"{digest}","size":0}}"#)
        };
        let files = (1..count).map(|index| line(&format!("f{index}")));
        std::iter::once(line("SKILL.md")).chain(files).collect::<Vec<_>>().join(",")
    };
    let entry = |count| {
        entry::read(&format!(
            r#"{{"uri":"skill://a/SKILL.md","frontmatter":{{"name":"a","description":"b"}},"resources":[{}]}}"#,
            lines(count)
        ))
    };
    let begin = |limits, count| {
        let policy = Policy { limits, ..Policy::default() };
        let mut world = World::new(policy, [("acme", tidy())]);
        let fresh = Freshness { ttl_ms: 1, public: false };
        world.host.listed(&origin("acme"), [entry(count)], fresh, 0).unwrap();
        world.host.begin_load(&id("acme", "a"), 0).unwrap()
    };
    assert!(matches!(begin(Limits::default(), 512), Step::Approve(_)));
    let stop = stopped(begin(Limits::default(), 513));
    assert!(stop.to_string().starts_with("the skill is too large: 513 files"), "{stop}");
    assert!(matches!(begin(Limits::new(513, 0), 513), Step::Approve(_)));
}

#[test]
fn servers_without_the_extension_are_not_asked() {
    let mut world = World::new(Policy::default(), [("acme", tidy())]);
    let tidy = id("acme", "acme/tidy");
    world.load(&tidy);
    world.sent.clear();
    let nothing = read_discovery(&crate::json::read("{}").unwrap().root);
    world.host.add_origin(&origin("acme"), &nothing);
    assert!(matches!(world.refresh(&tidy), Step::Stopped(Stop::NotDeclared)));
    assert!(matches!(world.host.read(&tidy, "scripts/sort.py"), Err(ReadStop::NotActing)));
    assert!(matches!(world.begin(&tidy), Step::Stopped(Stop::NotDeclared)));
    assert!(world.sent.is_empty());
}

#[test]
fn an_answer_for_another_skill_is_no_entry() {
    let mut world = World::new(Policy::default(), [("acme", tidy())]);
    let other = id("acme", "acme/other");
    let _ = world.host.begin_load(&other, 0).unwrap();
    let tidy = entry::read(&world.servers[&origin("acme")].skills()[0].entry(false));
    let got = GotSkill {
        reading: Some(tidy),
        freshness: Freshness { ttl_ms: 1, public: false },
        findings: Vec::new(),
    };
    let step = world.host.got_skill(&other, Ok(got), 0).unwrap();
    assert!(matches!(step, Step::Stopped(Stop::InvalidEntry(_))));
    assert_eq!(world.host.registry().iter().count(), 0);
}

#[test]
fn broken_rules_are_told_before_a_skill_is_loaded_and_with_it() {
    let mut host = Host::new(Policy::default());
    let acme = origin("acme");
    let declared =
        r#"{"capabilities":{"extensions":{"io.modelcontextprotocol/skills":{}}},"resources":{}}"#;
    host.add_origin(&acme, &read_discovery(&crate::json::read(declared).unwrap().root));
    let file = "---\nname: other-name\ndescription:\nhomepage: x\n---\n";
    let entry = format!(
        r#"{{"uri":"skill://bad-one/SKILL.md","frontmatter":{{"name":"other-name","description":null,"homepage":"x"}},
          "resources":[{{"uri":"skill://bad-one/SKILL.md","digest":"{}","size":{}}}]}}"#,
        Digest::of(file.as_bytes()),
        file.len()
    );
    let skill = id("acme", "bad-one");
    host.listed(&acme, [entry::read(&entry)], Freshness::default(), 0).unwrap();
    let known = host.registry().get(&skill).unwrap().clone();
    assert_eq!(known.defects, []);
    let musts: Vec<_> = known.review.iter().map(|finding| (finding.id, finding.level)).collect();
    let broken = ["entry-frontmatter-required", "entry-uri-matches-frontmatter-name"]
        .map(|id| (id, Level::Must));
    assert_eq!(BTreeSet::from_iter(musts), BTreeSet::from(broken));
    let request = asked(host.begin_load(&skill, 0).unwrap());
    assert_eq!(request.review, known.review);
    let _ = host.approve(&request, BTreeSet::new()).unwrap();
    let step = host.got_skill_md(&skill, file.as_bytes().into()).unwrap();
    assert_eq!(loaded(step).review, known.review);
}

#[test]
fn steps_out_of_order_are_errors_and_change_nothing() {
    let mut world = World::new(Policy::default(), [("acme", tidy())]);
    let tidy = id("acme", "acme/tidy");
    let failed = || Err(CallFailure::NoAnswer("cut off".to_owned()));
    let out_of_order = |result: Result<Step, Misuse>| match result {
        Err(Misuse::OutOfOrder(words)) => words,
        other => panic!("{other:?}"),
    };
    let host = &mut world.host;
    assert_eq!(out_of_order(host.got_skill(&tidy, failed(), 0)), "is not being loaded");
    assert_eq!(out_of_order(host.got_skill_md(&tidy, b""[..].into())), "is not being loaded");
    let _ = host.begin_load(&tidy, 0).unwrap();
    assert_eq!(out_of_order(host.begin_load(&tidy, 0)), "is being looked up");
    assert_eq!(out_of_order(host.got_skill_md(&tidy, b""[..].into())), "is being looked up");
    let stop = host.got_skill(&tidy, failed(), 0).unwrap();
    assert!(matches!(stop, Step::Stopped(Stop::LookUp(_))));

    let old = asked(world.begin(&tidy));
    let host = &mut world.host;
    assert_eq!(out_of_order(host.got_skill(&tidy, failed(), 0)), "waits for a person's answer");
    host.end(&tidy);
    assert_eq!(host.approve(&old, BTreeSet::new()).unwrap_err(), Misuse::OldRequest);
    let new = asked(world.begin(&tidy));
    let host = &mut world.host;
    assert_eq!(host.approve(&old, BTreeSet::new()).unwrap_err(), Misuse::OldRequest);
    assert_eq!(host.deny(&old).unwrap_err(), Misuse::OldRequest);
    let _ = host.approve(&new, BTreeSet::new()).unwrap();
    assert_eq!(out_of_order(host.begin_load(&tidy, 0)), "waits for its SKILL.md");
    assert!(matches!(host.read(&tidy, "scripts/sort.py"), Err(ReadStop::NotActing)));
    loaded(host.got_skill_md(&tidy, TIDY.as_bytes().into()).unwrap());
    assert_eq!(out_of_order(host.begin_load(&tidy, 0)), "is loaded");
    let uri = "skill://acme/tidy/scripts/sort.py";
    let early = host.got_file(&tidy, uri, b"print()\n"[..].into());
    assert!(matches!(early, Err(ReadStop::NotAsked { .. })));
}
