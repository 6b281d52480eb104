//! What `resources/directory/read` shows.

use super::super::facts::{MAX_ITEMS, Origin, Turn};
use super::super::{Ask, Run, unseen_directory};
use super::Answer;
use super::shown::DIRECTORY;
use crate::conformance::Subject;
use crate::conformance::judge::{broken, directory};
use crate::entry::MAX_FILES;
use crate::finding::Finding;
use crate::protocol::directory::{Child, MAX_TREE_DEPTH, is_within_depth, read_directory};
use crate::protocol::results::has_misspelt_cursor;
use crate::protocol::{Call, METHOD_NOT_FOUND};
use crate::uri::{SKILL_MD as FILE_NAME, SkillUri};
use crate::value::Node;

impl Run {
    pub(super) fn directory(&mut self, id: u64, at: usize, call: &Call, answer: Answer<'_>) {
        const REGISTERED: &str = "directory-read-method-registered";
        let uri = self.facts.directories[at].uri.clone();
        let subject = Subject::directory(&uri);
        let method = Subject::method(call.method());
        let (_, result) = match answer {
            Ok(answer) => answer,
            Err(error) => {
                let error_text = error.to_string();
                if at == 0 || error.code() == Some(METHOD_NOT_FOUND) {
                    self.ledger.found(&method, id, [broken(REGISTERED, &*error_text)]);
                    self.ledger.found(&subject, id, directory::no_result(&error_text));
                }
                let directory = &mut self.facts.directories[at];
                let finding = if directory.walk.pages > 0 {
                    directory::endless(&format!("refuse their own cursor: {error_text}"))
                } else if directory.without_files {
                    directory::not_empty(&error_text)
                } else {
                    directory::refused(&error_text)
                };
                for skill in directory.skills.clone() {
                    self.facts.skills[skill].differed = true;
                }
                self.ledger.found(&subject, id, [finding]);
                let reason = "a directory cannot be read";
                return unseen_directory(&self.facts, &mut self.ledger, at, reason);
            }
        };
        self.ledger.examined(&method, &[REGISTERED, "result-type-complete"]);
        self.ledger.examined(&subject, DIRECTORY);
        let is_array = result.get("resources").and_then(Node::as_array).is_some();
        let page = read_directory(result, &uri);
        let (general, own): (Vec<_>, Vec<_>) =
            page.findings.into_iter().partition(|finding| finding.id == "result-type-complete");
        self.found(&method, id, general);
        let directory = &mut self.facts.directories[at];
        let no_page = if directory.walk.pages > 0 { directory::no_page(&own) } else { None };
        self.ledger.found(&subject, id, own.into_iter().chain(no_page));
        directory.unreadable |= !is_array;
        let brought_new = directory.take(page.children);
        let turn = directory.walk.turn(page.next_cursor, brought_new);
        let full = directory.children.len() >= MAX_ITEMS;
        if has_misspelt_cursor(result) {
            let reason = "a directory gives its cursor under another name, so nobody knows what is behind it";
            self.lacks.cut_short(reason);
            return unseen_directory(&self.facts, &mut self.ledger, at, reason);
        }
        match turn {
            Turn::More if !full => return self.plan_page(Ask::Directory(at)),
            Turn::End => {}
            Turn::Repeated => {
                self.ledger.found(&subject, id, [directory::endless("repeat a cursor")]);
            }
            Turn::Idle => {
                self.ledger.found(
                    &subject,
                    id,
                    [directory::endless("go on and bring nothing new")],
                );
            }
            Turn::More | Turn::TooMany => {
                let reason = "a directory has more pages than are walked";
                self.lacks.cut_short(reason);
                return unseen_directory(&self.facts, &mut self.ledger, at, reason);
            }
        }
        if self.facts.directories[at].unreadable {
            let reason = "the children of a directory cannot be read";
            return unseen_directory(&self.facts, &mut self.ledger, at, reason);
        }
        self.whole_directory(id, at);
    }

    /// Judges a directory whose pages have all come.
    fn whole_directory(&mut self, id: u64, at: usize) {
        let directory = &mut self.facts.directories[at];
        let (uri, skills) = (directory.uri.clone(), directory.skills.clone());
        let mut children = std::mem::take(&mut directory.children);
        for child in &mut children {
            // That it ends in a slash was told; what it is does not depend on it.
            child.uri.truncate(child.uri.trim_end_matches('/').len());
        }
        let (pages, without_files) = (directory.walk.pages, directory.without_files);
        let subject = Subject::directory(&uri);
        let resources = &self.facts.resources;
        let differs = |child: &Child| directory::differs(child, resources.get(&child.uri)?);
        self.ledger.found(&subject, id, children.iter().filter_map(differs));
        let repeated = directory::repeated(&children);
        if pages > 1 {
            self.ledger.examined(&subject, &["directory-pagination-complete"]);
            self.ledger.found(&subject, id, repeated);
        } else {
            let once = |finding: Finding| broken("directory-children-exact", finding.message);
            self.ledger.found(&subject, id, repeated.into_iter().map(once));
        }
        if without_files {
            self.ledger.examined(&subject, &["directory-empty-array"]);
        }
        let mut has_directories = children.iter().any(|child| child.is_directory());
        for skill in &skills {
            let Some(tree) = &self.facts.skills[*skill].tree else { continue };
            let owner = Subject::skill(&self.facts.skills[*skill].uri);
            if !tree.reaches(&uri) {
                let check = ["manifest-complete-vs-directory"];
                self.ledger.untested(&owner, &check, &too_deep());
                self.lacks.cut_short(&too_deep());
                continue;
            }
            has_directories |= tree.holds_directories(&uri);
            let (own, incomplete) = directory::beside_manifest(tree, &uri, &children);
            let differs = !own.is_empty() || !incomplete.is_empty();
            self.ledger.examined(&owner, &["manifest-complete-vs-directory"]);
            self.ledger.found(&owner, id, incomplete);
            self.ledger.found(&subject, id, own);
            self.facts.skills[*skill].differed |= differs;
        }
        if has_directories {
            self.ledger.examined(&subject, &["directory-read-subdir-mimetype"]);
        }
        let Some(innermost) = skills.first().copied() else { return };
        let is_dynamic =
            self.facts.entry(innermost).is_some_and(|entry| entry.manifest().is_none());
        for child in children.iter().filter(|child| child.lies_in(&uri)) {
            if child.is_directory() && !self.is_followed(&skills, &child.uri) {
                self.ledger.untested(&Subject::directory(&child.uri), DIRECTORY, &too_deep());
                self.lacks.cut_short(&too_deep());
                continue;
            }
            if child.is_directory() {
                let trees = || skills.iter().filter_map(|at| self.facts.skills[*at].tree.as_ref());
                if trees().any(|tree| tree.is_file(&child.uri)) {
                    continue;
                }
                let listed = trees().any(|tree| tree.holds(&child.uri));
                let without_files = !is_dynamic && !listed;
                let new = self.facts.add_directory(&child.uri, without_files);
                new.into_iter().for_each(|at| self.plan_ask(Ask::Directory(at)));
                continue;
            }
            if SkillUri::parse(&child.uri).is_ok() && child.uri.ends_with(FILE_NAME) {
                self.follow(&child.uri, Origin::Nested);
            }
            // Of a dynamic skill one more file than allowed is enough to see that.
            if is_dynamic && self.facts.skills[innermost].found_files <= MAX_FILES {
                self.facts.skills[innermost].found_files += 1;
                let new = self.facts.add_file(&child.uri, innermost, None);
                new.into_iter().for_each(|at| self.plan_ask(Ask::Read(at)));
            }
        }
    }

    /// Whether a directory is near enough to the root of one of these skills to be read.
    fn is_followed(&self, skills: &[usize], directory: &str) -> bool {
        skills.iter().any(|at| {
            let skill = SkillUri::parse(&self.facts.skills[*at].uri);
            skill.is_ok_and(|skill| is_within_depth(skill.root(), directory))
        })
    }
}

/// Why nothing is said of a directory far below a skill's root.
fn too_deep() -> String {
    format!("it lies deeper than the {MAX_TREE_DEPTH} directories that are followed below a skill")
}
