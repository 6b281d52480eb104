//! The skills a host knows of, by identity, and names that tell them apart.
//!
//! Source: the extension's *Security Considerations*, names and origins. Nothing is keyed by name
//! or by URI alone, so no skill can take another one's place; names that meet are reported.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;

use serde::Serialize;

use super::approval::ApprovalDiff;
use super::origin::{OriginLabel, SkillId};
use crate::digest::Digest;
use crate::entry::SkillEntry;
use crate::finding::{Finding, MAX_QUOTE, excerpt, quote};
use crate::name::check_name;
use crate::value::Node;

/// An entry, and what the host knows about it.
#[derive(Clone, Debug)]
pub struct KnownSkill {
    /// The entry.
    pub entry: SkillEntry,
    /// The broken MUSTs of its manifest. With one of them it is not loaded, since the manifest
    /// does not say what the complete skill is.
    pub defects: Vec<Finding>,
    /// What a person should see in it before it is loaded: rules that it breaks and may be loaded all
    /// the same, then what is worth a look. See
    /// [`review_unstored_entry`](crate::review::review_unstored_entry).
    pub review: Vec<Finding>,
    /// The time, in milliseconds of the caller's clock, from which it must be asked for again before
    /// it is loaded.
    pub stale_at_ms: u64,
}

/// Two skills with one name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Collision {
    /// The name as it is shown: bounded, hidden characters escaped.
    pub name: String,
    /// The skill that came with a name already in use.
    pub skill: SkillId,
    /// One that had it before.
    pub other: SkillId,
}

/// A skill that is not what was known or approved of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The skill.
    pub skill: SkillId,
    /// How its files differ from those a person approved, where there is an approval that no
    /// longer covers them.
    pub revoked: Option<ApprovalDiff>,
}

/// A name for people and models that no other known skill has.
///
/// As text: the name; behind it, in parentheses, the skill path where two skills of one origin
/// share the name (or the URI, where they share the path too); in front, the origin's label where
/// several origins have the name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct DisplayName {
    /// The origin, where several use the name.
    pub origin: Option<OriginLabel>,
    /// The name, bounded and with hidden characters escaped; in quotes where it is not one that
    /// the Agent Skills format allows.
    pub name: String,
    /// What tells it apart within its origin.
    pub place: Option<String>,
}

impl DisplayName {
    /// The name of a skill that no other is known beside.
    pub(super) fn alone(entry: &SkillEntry) -> Self {
        Self { origin: None, name: shown_name(entry), place: None }
    }
}

impl fmt::Display for DisplayName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = &self.origin {
            write!(f, "{origin}: ")?;
        }
        f.write_str(&self.name)?;
        match &self.place {
            Some(place) => write!(f, " ({place})"),
            None => Ok(()),
        }
    }
}

/// The known skills.
///
/// ```
/// use skillglass::{entry, host::{KnownSkill, OriginLabel, Registry}};
/// let skill = |uri: &str| {
///     let entry = entry::read(&format!(r#"{{"uri":"{uri}","resources":"dynamic",
///       "frontmatter":{{"name":"refunds","description":"b"}}}}"#)).entry.unwrap();
///     KnownSkill { entry, defects: vec![], review: vec![], stale_at_ms: 0 }
/// };
/// let [acme, other] = ["acme", "other"].map(|label| OriginLabel::new(label).unwrap());
/// let mut registry = Registry::default();
/// assert!(registry.insert(&acme, skill("skill://a/refunds/SKILL.md")).is_none());
/// assert!(registry.insert(&acme, skill("skill://b/refunds/SKILL.md")).is_some());
/// assert!(registry.insert(&other, skill("skill://b/refunds/SKILL.md")).is_some());
/// let names: Vec<_> = registry.display_names().map(|(_, name)| name.to_string()).collect();
/// assert_eq!(names, ["acme: refunds (a/refunds)", "acme: refunds (b/refunds)", "other: refunds"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Registry {
    skills: BTreeMap<SkillId, Box<KnownSkill>>,
    by_name: BTreeMap<String, BTreeSet<SkillId>>,
}

impl Registry {
    /// Adds an entry that came from `origin`, or replaces the one it had for the same URI.
    /// Reports a name that another skill has, when the entry brings it.
    pub fn insert(&mut self, origin: &OriginLabel, known: KnownSkill) -> Option<Collision> {
        let id = SkillId::of(origin, &known.entry);
        let name = shown_name(&known.entry);
        let is_new = !self.by_name.get(&name).is_some_and(|ids| ids.contains(&id));
        self.remove(&id);
        let ids = self.by_name.entry(name.clone()).or_default();
        let other = ids.first().filter(|_| is_new).cloned();
        ids.insert(id.clone());
        self.skills.insert(id.clone(), Box::new(known));
        other.map(|other| Collision { name, skill: id, other })
    }

    /// Forgets a skill.
    pub fn remove(&mut self, id: &SkillId) {
        let Some(known) = self.skills.remove(id) else { return };
        let name = shown_name(&known.entry);
        if let Some(ids) = self.by_name.get_mut(&name) {
            ids.remove(id);
            if ids.is_empty() {
                self.by_name.remove(&name);
            }
        }
    }

    /// Forgets every skill of a server.
    pub fn remove_origin(&mut self, origin: &OriginLabel) {
        let of_origin = self.skills.keys().filter(|id| id.origin() == origin);
        for id in of_origin.cloned().collect::<Vec<_>>() {
            self.remove(&id);
        }
    }

    /// Has a skill asked for again before it is loaded next.
    pub(super) fn expire(&mut self, id: &SkillId) {
        if let Some(known) = self.skills.get_mut(id) {
            known.stale_at_ms = 0;
        }
    }

    /// The skill of that identity.
    #[must_use]
    pub fn get(&self, id: &SkillId) -> Option<&KnownSkill> {
        self.skills.get(id).map(Box::as_ref)
    }

    /// All skills, by origin and URI.
    pub fn iter(&self) -> impl Iterator<Item = (&SkillId, &KnownSkill)> {
        self.skills.iter().map(|(id, known)| (id, known.as_ref()))
    }

    /// The name to show for a known skill.
    #[must_use]
    pub fn display_name(&self, id: &SkillId) -> Option<DisplayName> {
        let (name, ids) = self.by_name.get_key_value(&shown_name(&self.skills.get(id)?.entry))?;
        display_group(name, ids).into_iter().find(|(of, _)| *of == id).map(|(_, name)| name)
    }

    /// The names to show for all known skills, in the order of their names. Cost: near linear.
    pub fn display_names(&self) -> impl Iterator<Item = (&SkillId, DisplayName)> {
        self.by_name.iter().flat_map(|(name, ids)| display_group(name, ids))
    }
}

/// The frontmatter's name, as it is shown; the URI's where it has none.
fn shown_name(entry: &SkillEntry) -> String {
    let name = entry.frontmatter.get("name").and_then(Node::as_str);
    let name = name.unwrap_or_else(|| entry.skill_uri().name());
    if check_name(name).is_ok() { name.to_owned() } else { quoted(name) }
}

/// The display names of all skills with one name. Skills of one origin stand together in `ids`.
fn display_group<'i>(name: &str, ids: &'i BTreeSet<SkillId>) -> Vec<(&'i SkillId, DisplayName)> {
    let ids: Vec<&SkillId> = ids.iter().collect();
    let by_origin = || ids.chunk_by(|one, other| one.origin() == other.origin());
    let origins = by_origin().count();
    let named = by_origin().flat_map(|ids| {
        places(ids).into_iter().zip(ids).map(move |(place, id)| {
            let origin = (origins > 1).then(|| id.origin().clone());
            (*id, DisplayName { origin, name: name.to_owned(), place })
        })
    });
    named.collect()
}

/// What tells skills of one origin and one name apart; nothing where there is only one.
fn places(ids: &[&SkillId]) -> Vec<Option<String>> {
    if let [_] = ids {
        return vec![None];
    }
    let readable: [fn(&SkillId) -> String; 2] =
        [|id| plain_or_quoted(skill_path(id)), |id| plain_or_quoted(id.uri())];
    // Where even the bounded URIs look alike, their digests do not.
    let digest = |id: &SkillId| Digest::of(id.uri().as_bytes()).to_string();
    let of_all = |tell: &dyn Fn(&SkillId) -> String| ids.iter().map(|id| tell(id)).collect();
    let places: Vec<String> = readable
        .into_iter()
        .map(|tell| of_all(&tell))
        .find(|places: &Vec<String>| all_differ(places))
        .unwrap_or_else(|| of_all(&digest));
    places.into_iter().map(Some).collect()
}

fn skill_path(id: &SkillId) -> &str {
    let path = id.uri().split_once("://").map_or(id.uri(), |(_, path)| path);
    path.rsplit_once('/').map_or(path, |(path, _)| path)
}

/// Text that cannot be taken for a label, a name and parentheses.
fn plain_or_quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/%:".contains(c);
    if text.chars().all(plain) { excerpt(text, MAX_QUOTE) } else { quoted(text) }
}

/// As [`quote`], but a quote inside cannot be taken for the end. Texts that come to look alike
/// count as alike.
fn quoted(text: &str) -> String {
    quote(&text.replace('"', "\u{201d}"))
}

fn all_differ(places: &[String]) -> bool {
    places.iter().collect::<HashSet<_>>().len() == places.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry;
    use crate::value::json_string;

    fn skill(uri: &str, name: &str) -> KnownSkill {
        let text = format!(
            r#"{{"uri":{},"resources":"dynamic","frontmatter":{{"name":{},"description":"b"}}}}"#,
            json_string(uri),
            json_string(name)
        );
        let entry = entry::read(&text).entry.unwrap();
        KnownSkill { entry, defects: Vec::new(), review: Vec::new(), stale_at_ms: 0 }
    }

    fn label(text: &str) -> OriginLabel {
        OriginLabel::new(text).unwrap()
    }

    fn registry(skills: &[(&str, &str, &str)]) -> Registry {
        let mut registry = Registry::default();
        for (origin, uri, name) in skills {
            let _ = registry.insert(&label(origin), skill(uri, name));
        }
        registry
    }

    fn names(registry: &Registry) -> Vec<String> {
        registry.display_names().map(|(_, name)| name.to_string()).collect()
    }

    #[test]
    fn one_uri_on_two_servers_is_two_skills() {
        let uri = "skill://refunds/SKILL.md";
        let mut both = registry(&[("a", uri, "refunds"), ("b", uri, "refunds")]);
        assert_eq!(names(&both), ["a: refunds", "b: refunds"]);
        both.remove_origin(&label("a"));
        assert_eq!(names(&both), ["refunds"]);
    }

    #[test]
    fn collisions_are_reported_once() {
        let mut registry = registry(&[("a", "skill://x/one/SKILL.md", "one")]);
        let mut add = |uri: &str, name: &str| {
            registry.insert(&label("a"), skill(uri, name)).map(|it| it.other)
        };
        let one = SkillId::new(&label("a"), "skill://x/one/SKILL.md").unwrap();
        assert_eq!(add("skill://x/one/SKILL.md", "one"), None);
        assert_eq!(add("skill://y/one/SKILL.md", "two"), None);
        assert_eq!(add("skill://y/one/SKILL.md", "one"), Some(one));
        assert_eq!(add("skill://y/one/SKILL.md", "one"), None);
    }

    #[test]
    fn names_that_lie_are_told_apart() {
        let long = "x".repeat(400);
        let same_path =
            [("a", "skill://p/one/SKILL.md", "same"), ("a", "file://p/one/SKILL.md", "same")];
        assert_eq!(
            names(&registry(&same_path)),
            ["same (file://p/one/SKILL.md)", "same (skill://p/one/SKILL.md)"]
        );
        let forged = registry(&[("a", "skill://p/one/SKILL.md", "b: one\u{202e} (c)")]);
        assert_eq!(names(&forged), ["\"b: one\\u{202e} (c)\""]);
        let [one, two] = ["1", "2"].map(|end| format!("skill://{long}{end}/n/SKILL.md"));
        let alike = names(&registry(&[("a", &one, "n"), ("a", &two, "n")]));
        assert!(alike[0].starts_with("n (sha256:") && alike[0] != alike[1], "{alike:?}");
    }

    #[test]
    fn forgetting_leaves_nothing_behind() {
        let mut registry = registry(&[("a", "skill://x/one/SKILL.md", "one")]);
        let id = SkillId::new(&label("a"), "skill://x/one/SKILL.md").unwrap();
        registry.remove(&id);
        registry.remove(&id);
        assert_eq!(registry.display_name(&id), None);
        assert_eq!((registry.iter().count(), registry.by_name.len()), (0, 0));
    }
}
