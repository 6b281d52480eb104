//! What may be read while a skill is acted on.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::*;
use crate::digest::Digest;
use crate::protocol::directory::Child;
use crate::verify::Reason;

#[test]
fn changed_bytes_are_refused_and_the_skill_is_looked_up_again() {
    let mut world = World::new(Policy::default(), [("acme", tidy())]);
    let tidy = id("acme", "acme/tidy");
    world.list("acme");
    world.load(&tidy);
    world.rewrite("acme", "acme/tidy/references/rules.md", "# Obey\n");
    let stop = world.read(&tidy, "references/rules.md").unwrap_err();
    assert!(stop.wants_refresh());
    assert!(matches!(stop, ReadStop::Refused(refusal) if refusal.reason == Reason::Size));
    let changed = |revoked| vec![Change { skill: tidy.clone(), revoked }];
    assert_eq!(world.host.take_changes(), changed(None));

    // The retained entry still rules: the untouched file can be read, the changed one cannot.
    assert!(world.read(&tidy, "scripts/sort.py").is_ok());
    assert!(world.read(&tidy, "references/rules.md").is_err());
    world.host.take_changes();
    let request = asked(world.refresh(&tidy));
    let ApprovalState::Revoked(diff) = &request.state else { panic!("{:?}", request.state) };
    assert_eq!(world.host.take_changes(), changed(Some(diff.clone())));
    assert!(matches!(world.host.read(&tidy, "scripts/sort.py"), Err(ReadStop::NotActing)));
    loaded(world.approve(&request));
    assert_eq!(world.host.take_changes(), []);
    assert_eq!(world.read(&tidy, "references/rules.md").unwrap().bytes, &b"# Obey\n"[..]);
}

#[test]
fn bytes_are_handed_on_as_they_came() {
    let mut world = World::new(Policy::default(), [("acme", tidy())]);
    let tidy = id("acme", "acme/tidy");
    world.load(&tidy);
    let sort = world.read(&tidy, "scripts/sort.py").unwrap();
    let hashed = |bytes| FileAnswer::Hashed(Cow::Borrowed(bytes), Digest::of(bytes));
    let judged = world.host.got_file(&tidy, &sort.uri, hashed(&sort.bytes)).unwrap();
    assert_eq!(judged, sort);
    assert!(std::ptr::eq(&*judged.bytes, &*sort.bytes), "without a copy");
    let changed = world.host.got_file(&tidy, &sort.uri, hashed(b"import os\n"));
    assert!(matches!(changed, Err(ReadStop::Refused(_))));
}

#[test]
fn a_dynamic_skill_is_limited_by_what_is_retrieved() {
    let dynamic = tidy().with_skill("acme/tidy", |skill| skill.dynamic = true);
    let mut world = World::new(Policy::default(), [("acme", dynamic)]);
    let tidy = id("acme", "acme/tidy");
    world.load(&tidy);
    let limit = usize::try_from(Limits::default().bytes()).unwrap();
    let rest = vec![b'x'; limit - TIDY.len()];
    let uri = "skill://acme/tidy/big";
    let _ = world.host.read(&tidy, "big").unwrap();
    for _ in 0..2 {
        let content = world.host.got_file(&tidy, uri, rest.as_slice().into()).unwrap();
        assert_eq!(content.standing, Standing::Unpinned);
        assert_eq!(world.host.cached_at(&tidy, uri), None);
        assert_eq!(CacheRecord::of(&content), None);
    }
    let more = [rest.as_slice(), b"x"].concat();
    let stop = world.host.got_file(&tidy, uri, more.as_slice().into());
    assert!(matches!(stop, Err(ReadStop::OverLimits { .. })));

    for index in 0..510 {
        let _ = world.host.read(&tidy, &format!("f{index}")).unwrap();
    }
    assert!(matches!(world.host.read(&tidy, "f510"), Err(ReadStop::OverLimits { files: 513, .. })));
    assert!(world.host.read(&tidy, "f0").is_ok());
    assert!(matches!(world.host.read(&tidy, "../other/x"), Err(ReadStop::Outside { .. })));
}

#[test]
fn another_server_is_read_by_one_allowed_call_at_a_time() {
    let other = || serve(&[("notes/SKILL.md", OUTER)]);
    let mut world = World::new(Policy::default(), [("acme", tidy()), ("other", other())]);
    let tidy = id("acme", "acme/tidy");
    let uri = "skill://notes/SKILL.md";
    let ask = |world: &mut World, label| world.host.read_at(&tidy, &origin(label), uri);
    assert!(matches!(ask(&mut world, "other"), Err(ReadStop::NotActing)));
    world.load(&tidy);
    assert!(matches!(ask(&mut world, "unknown"), Err(ReadStop::UnknownOrigin(_))));
    assert!(matches!(ask(&mut world, "acme"), Err(ReadStop::Outside { .. })));
    world.sent.clear();
    for _ in 0..2 {
        let Err(ReadStop::CrossOrigin(call)) = ask(&mut world, "other") else { panic!() };
        assert_eq!(
            call.to_string(),
            "the skill \"skill://acme/tidy/SKILL.md\" of acme wants to read \"skill://notes/SKILL.md\" from other"
        );
        assert!(world.sent.is_empty());
        let outgoing = call.allow();
        assert_eq!(outgoing.origin, origin("other"));
    }
    // Its answer is no file of the skill.
    let smuggled = world.host.got_file(&tidy, uri, OUTER.as_bytes().into());
    assert!(matches!(smuggled, Err(ReadStop::NotAsked { .. })));
}

#[test]
fn references_stay_inside_of_the_retained_entry() {
    let mut world = World::new(Policy::default(), [("acme", tidy())]);
    let tidy = id("acme", "acme/tidy");
    world.load(&tidy);
    world.sent.clear();
    let mut stop = |reference: &str| match world.host.read(&tidy, reference) {
        Err(ReadStop::NotListed { uri }) => format!("not listed {uri}"),
        Err(ReadStop::Outside { uri }) => format!("outside {}", uri.unwrap_or_default()),
        Err(ReadStop::External { uri }) => format!("external {uri}"),
        Err(ReadStop::Malformed { .. }) => "malformed".to_owned(),
        other => format!("{other:?}"),
    };
    assert_eq!(stop("extra.md"), "not listed skill://acme/tidy/extra.md");
    assert_eq!(stop("SCRIPTS/sort.py"), "not listed skill://acme/tidy/SCRIPTS/sort.py");
    assert_eq!(stop("scripts/s%6Frt.py"), "not listed skill://acme/tidy/scripts/s%6Frt.py");
    assert_eq!(stop("../other/x"), "outside skill://acme/other/x");
    assert_eq!(stop("../../../x"), "outside ");
    assert_eq!(stop("https://example.org/x"), "external https://example.org/x");
    assert_eq!(stop("a?b"), "malformed");
    // What the manifest does not list may be new: before its next load the skill is looked up.
    assert_eq!(world.host.registry().get(&tidy).unwrap().stale_at_ms, 0);
    let mut call = |from: &str, reference: &str| {
        let from = format!("skill://acme/tidy/{from}");
        world.host.read_from(&tidy, &from, reference).map(|it| it.call.subject().map(str::to_owned))
    };
    let sort = Some("skill://acme/tidy/scripts/sort.py".to_owned());
    assert_eq!(call("references/rules.md", "../scripts/sort.py").unwrap(), sort);
    assert_eq!(call("scripts/sort.py", "#top").unwrap(), sort);
    assert!(call("../x", "sort.py").is_err());
    assert!(world.sent.is_empty());
}

#[test]
fn a_directory_never_extends_the_manifest() {
    let mut world = World::new(Policy::default(), [("acme", tidy())]);
    let tidy = id("acme", "acme/tidy");
    let root = "skill://acme/tidy";
    assert!(matches!(world.directory(&tidy, root), Err(ReadStop::NotActing)));
    world.load(&tidy);
    let view = world.directory(&tidy, root).unwrap();
    assert!(!view.has_changed());
    assert!(world.host.registry().get(&tidy).unwrap().stale_at_ms > 0);
    assert_eq!(view.children.len(), 3);
    let by_manifest = world.host.manifest_directory(&tidy, root).unwrap();
    let uris =
        |children: &[Child]| children.iter().map(|it| it.uri.clone()).collect::<BTreeSet<_>>();
    assert_eq!(uris(&by_manifest), uris(&view.children));
    assert_eq!(by_manifest.iter().filter(|child| child.is_directory()).count(), 2);

    world.rewrite("acme", "acme/tidy/scripts/new.py", "x");
    let view = world.directory(&tidy, "skill://acme/tidy/scripts").unwrap();
    assert_eq!(view.unlisted, ["skill://acme/tidy/scripts/new.py"]);
    assert_eq!(world.host.registry().get(&tidy).unwrap().stale_at_ms, 0);
    assert_eq!(
        uris(&view.children),
        BTreeSet::from(["skill://acme/tidy/scripts/sort.py".to_owned()])
    );
    let stop = world.host.read(&tidy, "scripts/new.py").unwrap_err();
    assert!(stop.wants_refresh() && stop.to_string().contains("needs approval again"), "{stop}");
    let ApprovalState::Revoked(diff) = asked(world.refresh(&tidy)).state else { panic!() };
    assert_eq!(diff.added, ["skill://acme/tidy/scripts/new.py"]);
}

#[test]
fn directories_are_asked_for_where_declared_and_inside() {
    let mut world = World::new(Policy::default(), [("acme", tidy().directory_read(false))]);
    let tidy = id("acme", "acme/tidy");
    world.load(&tidy);
    let ask = |uri: &str| world.host.read_directory(&tidy, uri, None);
    assert!(matches!(ask("skill://acme/tidy"), Err(ReadStop::DirectoryReadNotDeclared)));
    for outside in ["skill://acme", "skill://acme/tidy/", "skill://acme/tidying", "x"] {
        assert!(matches!(ask(outside), Err(ReadStop::Outside { .. })), "{outside}");
    }

    let dynamic = self::tidy().with_skill("acme/tidy", |skill| skill.dynamic = true);
    let mut world = World::new(Policy::default(), [("acme", dynamic)]);
    world.load(&tidy);
    let child = |uri: &str| Child { uri: uri.to_owned(), name: None, mime_type: None };
    let children = [child("skill://acme/tidy/x"), child("skill://acme/other/x")];
    let view = world.host.got_directory(&tidy, "skill://acme/tidy", &children).unwrap();
    assert_eq!(view.children, children[..1]);
}

#[test]
fn cached_files_are_checked_and_keep_their_origin() {
    let mut world = World::new(Policy::default(), [("acme", tidy())]);
    let tidy = id("acme", "acme/tidy");
    world.load(&tidy);
    let uri = "skill://acme/tidy/references/rules.md";
    let record = CacheRecord::of(&world.read(&tidy, uri).unwrap()).unwrap();
    assert_eq!(record.skill(), &tidy);
    assert_eq!(world.host.cached_at(&tidy, uri), Some(record.path()));
    let cached = record.open(b"# Rules\n").unwrap();
    assert!(world.host.got_file(&tidy, uri, cached.into()).is_ok());
    assert_eq!(record.open(b"# Rulez\n"), Err(CacheError::Digest));
    assert_eq!(world.host.cached_at(&tidy, "skill://acme/tidy/none"), None);
}
