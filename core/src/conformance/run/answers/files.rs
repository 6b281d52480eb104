//! What `resources/read` shows.

use super::super::facts::Origin;
use super::super::{Ask, Run};
use super::Answer;
use super::shown::{COMPARED, FILE, SKILL_MD, UNLISTED};
use crate::conformance::Subject;
use crate::conformance::judge::{broken, content, links, metadata};
use crate::contents;
use crate::digest::Digest;
use crate::finding::{Finding, quote};
use crate::protocol::Call;
use crate::uri::SkillUri;
use crate::value::Node;

/// How many links of one skill to unlisted files are tried.
const MAX_LINKED: usize = 5;

impl Run {
    pub(super) fn read(&mut self, id: u64, at: usize, call: &Call, answer: Answer<'_>) {
        let uri = self.facts.files[at].uri.clone();
        let subject = Subject::file(&uri);
        let unconfirmed = self.facts.unconfirmed(&uri);
        let own = self.facts.own_skill(&uri);
        let (message, result) = match answer {
            Ok(answer) => answer,
            Err(_) if unconfirmed => return self.no_such_skill(&uri),
            Err(error) => {
                let finding = broken("content-readable", error.to_string());
                return self.unread(id, at, finding);
            }
        };
        if result.get("resultType").and_then(Node::as_str) == Some("input_required") {
            let reason = "the server asks for input before it answers";
            return self.failed_call(&Ask::Read(at), call, reason);
        }
        let file = match contents::read(&message.document, result, &uri) {
            Ok(file) => file,
            Err(_) if unconfirmed => return self.no_such_skill(&uri),
            Err(error) => return self.unread(id, at, content::no_contents(&uri, &error)),
        };
        if unconfirmed {
            return self.judge_unconfirmed(id, &uri, &file.bytes);
        }
        self.ledger.examined(&subject, &["content-readable", "content-uri-echo", "meta-prefix"]);
        self.ledger.found(&subject, id, file.notes.iter().filter_map(content::tolerated));
        let items = result.get("contents").and_then(Node::as_array).unwrap_or_default();
        self.ledger.found(&subject, id, items.iter().flat_map(metadata::meta_keys));
        let listed = self.facts.resources.get(&uri);
        let listed_type = listed.and_then(|resource| resource.mime_type.clone());
        if let (Some(read), Some(listed)) = (&file.mime_type, &listed_type) {
            self.ledger.examined(&subject, &["resource-metadata-all"]);
            self.ledger.found(&subject, id, metadata::agreement(read, listed));
        }
        let size = listed.and_then(|listed| metadata::size(listed, file.bytes.len() as u64));
        self.ledger.found(&subject, id, size);
        self.judge_bytes(id, at, &file.bytes);
        if let Some(own) = own {
            self.skill_md(id, own, &file.bytes);
            let types = metadata::media_type(file.mime_type.as_deref(), listed_type.as_deref());
            let skill = Subject::skill(&uri);
            self.ledger.examined(&skill, &["skillmd-mimetype"]);
            self.ledger.found(&skill, id, types);
        }
    }

    /// A file that is listed gave no bytes.
    pub(super) fn unread(&mut self, id: u64, at: usize, finding: Finding) {
        const REASON: &str = "the file cannot be read";
        let uri = self.facts.files[at].uri.clone();
        let subject = Subject::file(&uri);
        self.differs(at);
        if self.facts.own_skill(&uri).is_some() {
            let skill = Subject::skill(&uri);
            let required = broken("skillmd-required", finding.message.clone());
            self.ledger.found(&skill, id, [required]);
            self.ledger.untested(&skill, SKILL_MD, REASON);
        }
        self.ledger.found(&subject, id, [finding]);
        self.ledger.untested(&subject, FILE, REASON);
    }

    pub(super) fn no_such_skill(&mut self, uri: &str) {
        self.ledger.not_applicable(
            &Subject::skill(uri),
            UNLISTED,
            "no skill is served where one is named",
        );
    }

    /// A `SKILL.md` that `skills/get` does not know: is it a skill's?
    fn judge_unconfirmed(&mut self, id: u64, uri: &str, bytes: &[u8]) {
        let is_skill = SkillUri::parse(uri).is_ok_and(|skill| content::is_skill(skill, bytes));
        if !is_skill {
            return self.no_such_skill(uri);
        }
        let message =
            format!("{} can be read and is a skill, but skills/get does not know it", quote(uri));
        let finding = broken("get-answers-unlisted", message);
        self.ledger.found(&Subject::skill(uri), id, [finding]);
    }

    /// Size and digest of a file, beside every manifest that lists it.
    pub(super) fn judge_bytes(&mut self, id: u64, at: usize, bytes: &[u8]) {
        let digest = Digest::of(bytes);
        let uri = self.facts.files[at].uri.clone();
        let subject = Subject::file(&uri);
        let skills = self.facts.files[at].skills.clone();
        let mut is_pinned = false;
        let mut findings = Vec::new();
        for skill in &skills {
            for entry in self.facts.entries(*skill) {
                let Some(line) = entry.manifest().and_then(|manifest| manifest.get(&uri)) else {
                    continue;
                };
                is_pinned = true;
                for (check, readable) in [
                    ("content-size-match", line.size.is_some()),
                    ("content-digest-match", line.digest.is_some()),
                ] {
                    if readable {
                        self.ledger.examined(&subject, &[check]);
                    } else {
                        self.ledger.untested(
                            &subject,
                            &[check],
                            "the manifest's line is malformed",
                        );
                    }
                }
                findings.extend(content::file(entry, &uri, bytes, digest));
            }
        }
        if !is_pinned {
            let checks = ["content-size-match", "content-digest-match"];
            self.ledger.not_applicable(&subject, &checks, "no manifest lists it");
        }
        self.facts.files[at].seen = Some(digest);
        if !findings.is_empty() {
            self.differs(at);
        }
        self.ledger.found(&subject, id, findings);
        for skill in skills {
            let skill = &mut self.facts.skills[skill];
            skill.served_files += 1;
            skill.served_bytes = skill.served_bytes.saturating_add(bytes.len() as u64);
        }
    }

    /// Something of the file is not as promised; its skills are looked at again.
    pub(super) fn differs(&mut self, at: usize) {
        self.facts.files[at].differed = true;
        for skill in self.facts.files[at].skills.clone() {
            self.facts.skills[skill].differed = true;
        }
    }

    fn skill_md(&mut self, id: u64, at: usize, bytes: &[u8]) {
        const LABELS: &[&str] = &["skillmd-metadata-name", "skillmd-metadata-description"];
        const LINKS: &[&str] = &["manifest-links-listed"];
        let uri = self.facts.skills[at].uri.clone();
        let subject = Subject::skill(&uri);
        let Ok(skill_uri) = SkillUri::parse(&uri) else { return };
        self.ledger.examined(&subject, &["skillmd-required"]);
        let read = content::skill_md(skill_uri, self.facts.entries(at), bytes);
        let differs = read.findings.iter().any(|finding| COMPARED.contains(&finding.id));
        self.facts.skills[at].differed |= differs;
        self.ledger.found(&subject, id, read.findings);
        let Some(frontmatter) = read.frontmatter else {
            if read.beyond.is_none() {
                self.ledger.examined(&subject, &["skillmd-frontmatter"]);
            }
            if let Some(limit) = &read.beyond {
                self.lacks.cut_short(limit);
            }
            let reason = read.beyond.as_deref().unwrap_or("the frontmatter cannot be read");
            let unknown: Vec<_> = SKILL_MD
                .iter()
                .filter(|check| !matches!(**check, "skillmd-required" | "skillmd-mimetype"))
                .filter(|check| read.beyond.is_some() || **check != "skillmd-frontmatter")
                .copied()
                .collect();
            return self.ledger.untested(&subject, &unknown, reason);
        };
        self.ledger.examined(&subject, &["skillmd-frontmatter", "final-segment-equals-name"]);
        if self.facts.entry(at).is_some() {
            self.ledger.examined(&subject, COMPARED);
        } else {
            self.ledger.untested(&subject, COMPARED, "there is no entry that can be held");
        }
        if let Some(resource) = self.facts.resources.get(&uri) {
            self.ledger.examined(&subject, LABELS);
            self.ledger.found(&subject, id, metadata::labels(resource, &frontmatter.root));
        } else if self.facts.resources.failed.is_none() {
            self.ledger.not_applicable(&subject, LABELS, "resources/list does not name it");
        }
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let mut linked: Vec<String> = Vec::new();
        if let (Some(entry), Some(tree)) = (self.facts.entry(at), &self.facts.skills[at].tree) {
            self.ledger.examined(&subject, LINKS);
            let (unlisted, has_more) = links::unlisted(entry, tree, text, frontmatter.body);
            if has_more {
                let reason = "a SKILL.md has more links than are looked at";
                self.ledger.untested(&subject, LINKS, reason);
                self.lacks.cut_short(reason);
            }
            for link in unlisted {
                self.ledger.found(&subject, id, [link.finding]);
                linked.extend(link.file.filter(|file| !linked.contains(file)));
            }
        }
        for uri in linked.into_iter().take(MAX_LINKED) {
            self.plan_ask(Ask::Linked { skill: at, uri });
        }
        let scheme = format!("{}://", skill_uri.uri().scheme());
        for mentioned in links::skill_uris(text) {
            if mentioned.starts_with(&scheme) {
                self.follow(mentioned, Origin::Mentioned);
            }
        }
    }

    /// A file that can be read below a skill's root belongs into its manifest.
    pub(super) fn linked(&mut self, id: u64, skill: usize, uri: &str, answer: Answer<'_>) {
        let is_served = answer
            .is_ok_and(|(message, result)| contents::read(&message.document, result, uri).is_ok());
        if is_served {
            let subject = Subject::skill(&self.facts.skills[skill].uri);
            self.ledger.found(&subject, id, [links::served(uri)]);
        }
    }

    pub(super) fn read_again(&mut self, at: usize, answer: Answer<'_>) {
        let file = &self.facts.files[at];
        let again = answer.ok().and_then(|(message, result)| {
            let file = contents::read(&message.document, result, &file.uri).ok()?;
            Some(Digest::of(&file.bytes))
        });
        self.facts.files[at].changed = Some(again != self.facts.files[at].seen);
    }
}
