//! What `resources/directory/read` says, and how it compares with a manifest.
//!
//! Source: the extension's *Reading Directories*. A directory result never extends a manifest: a
//! child the manifest lacks means that the skill has changed and needs approval again.

use std::collections::{HashMap, HashSet};

use super::Call;
use super::results::{check_result_type, read_cursor};
use crate::entry::{MAX_SAME_FINDINGS, SkillEntry};
use crate::finding::{Bounded, Finding, Section, excerpt, quote};
use crate::uri::{Uri, UriError};
use crate::value::Node;

/// The media type of a directory.
pub const DIRECTORY: &str = "inode/directory";

/// One page of a directory's direct children.
#[derive(Clone, Debug)]
pub struct DirectoryPage {
    /// The children that have a URI.
    pub children: Vec<Child>,
    /// The cursor of the next page.
    pub next_cursor: Option<String>,
    /// What is wrong with the page: at most [`MAX_SAME_FINDINGS`] of a kind.
    pub findings: Vec<Finding>,
}

/// How many pages one directory may have.
pub const MAX_DIRECTORY_PAGES: usize = 1_000;

/// The walk over the pages of one directory: it ends even where a server's pages do not.
///
/// ```
/// use skillglass::protocol::{Call, directory::{DirectoryPage, DirectoryWalk}};
/// let mut walk = DirectoryWalk::new("skill://a");
/// let page = || DirectoryPage {
///     children: vec![], next_cursor: Some("x".to_owned()), findings: vec![],
/// };
/// walk.receive(page());
/// let cursor = Some("x".to_owned());
/// assert_eq!(walk.next(), Some(Call::ReadDirectory { uri: "skill://a".to_owned(), cursor }));
/// walk.receive(page());
/// assert_eq!(walk.next(), None); // the cursor came twice
/// assert!(!walk.is_complete());
/// ```
#[derive(Clone, Debug)]
pub struct DirectoryWalk {
    uri: String,
    /// The cursor of the next page, in its turn none for the first one.
    next: Option<Option<String>>,
    cursors: HashSet<String>,
    pages: usize,
    complete: bool,
    /// The children so far.
    pub children: Vec<Child>,
}

impl DirectoryWalk {
    /// A walk that has not begun.
    #[must_use]
    pub fn new(uri: &str) -> Self {
        let (children, cursors) = (Vec::new(), HashSet::new());
        Self { uri: uri.to_owned(), next: Some(None), cursors, pages: 0, complete: false, children }
    }

    /// The next question, while there is one.
    #[must_use]
    pub fn next(&self) -> Option<Call> {
        let cursor = self.next.clone()?;
        Some(Call::ReadDirectory { uri: self.uri.clone(), cursor })
    }

    /// Whether the last page has come. A walk also ends at a cursor that was given before, and
    /// after [`MAX_DIRECTORY_PAGES`].
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.complete
    }

    /// Takes the page that was asked for.
    pub fn receive(&mut self, page: DirectoryPage) {
        self.pages += 1;
        self.children.extend(page.children);
        self.complete = page.next_cursor.is_none();
        let goes_on = |cursor: &String| {
            self.cursors.insert(cursor.clone()) && self.pages < MAX_DIRECTORY_PAGES
        };
        self.next = page.next_cursor.filter(goes_on).map(Some);
    }
}

/// A file or directory in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// Its URI, exact.
    pub uri: String,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its media type, if it has one.
    pub mime_type: Option<String>,
}

impl Child {
    /// Whether it is a directory.
    #[must_use]
    pub fn is_directory(&self) -> bool {
        self.mime_type.as_deref() == Some(DIRECTORY)
    }

    /// Whether it is a direct child of this directory. Slashes at the end of either do not count.
    ///
    /// ```
    /// use skillglass::protocol::directory::Child;
    /// let lies_in = |uri: &str| {
    ///     Child { uri: uri.to_owned(), name: None, mime_type: None }.lies_in("skill://a")
    /// };
    /// assert!(lies_in("skill://a/b") && lies_in("skill://a/b/"));
    /// assert!(!lies_in("skill://a/b/c") && !lies_in("skill://a/..") && !lies_in("skill://ab"));
    /// ```
    #[must_use]
    pub fn lies_in(&self, directory: &str) -> bool {
        let uri = self.uri.trim_end_matches('/');
        let below = uri.strip_prefix(directory.trim_end_matches('/'));
        let name = below.and_then(|rest| rest.strip_prefix('/'));
        // A file whose name no URI of a skill can have lies where it lies.
        let leads_elsewhere =
            matches!(Uri::parse(uri), Err(UriError::DotSegment | UriError::QueryOrFragment));
        name.is_some_and(|name| !name.contains('/')) && !leads_elsewhere
    }
}

/// Reads the result for the directory `uri`.
///
/// ```
/// use skillglass::{json, protocol::directory::read_directory};
/// let result = r#"{"resultType":"complete","resources":[
///   {"uri":"skill://a/b","name":"b","mimeType":"inode/directory"}]}"#;
/// let document = json::read(result).unwrap();
/// let page = read_directory(&document.root, "skill://a");
/// assert!(page.children[0].is_directory() && page.findings.is_empty());
/// assert!(!read_directory(&document.root, "skill://z").findings.is_empty());
/// ```
#[must_use]
pub fn read_directory(result: &Node<'_>, uri: &str) -> DirectoryPage {
    let section = Section::Directories;
    let mut findings = Vec::new();
    check_result_type(result, section, &mut findings);
    if uri.ends_with('/') {
        let message = "directories are named without a slash at the end";
        findings.push(Finding::should("directory-uri-no-slash", section, message));
    }
    let children = match result.get("resources").map(|node| (node, node.as_array())) {
        Some((_, Some(items))) => {
            let mut of_children = Bounded::new(MAX_SAME_FINDINGS);
            let child = |item| read_child(item, uri, &mut of_children);
            let children = items.iter().filter_map(child).collect();
            findings.extend(of_children.into_vec());
            children
        }
        other => {
            let is = other.map_or("missing", |(node, _)| node.kind());
            let message = format!("resources is {is}; it must be an array of children");
            let id = "directory-read-result-resources-shape";
            findings.push(Finding::must(id, section, message).pointer("/resources"));
            Vec::new()
        }
    };
    let id = "directory-read-pagination";
    let next_cursor = read_cursor(result, id, section, &mut findings);
    DirectoryPage { children, next_cursor, findings }
}

fn read_child(item: &Node<'_>, directory: &str, findings: &mut Bounded) -> Option<Child> {
    let section = Section::Directories;
    let text = |name: &str| item.get(name).and_then(Node::as_str).map(str::to_owned);
    let Some(uri) = text("uri") else {
        let message = "a child has no uri";
        findings.push(Finding::must("directory-read-result-resources-shape", section, message));
        return None;
    };
    let child = Child { uri, name: text("name"), mime_type: text("mimeType") };
    if child.name.is_none() {
        let message = format!("{} has no name", quote(&child.uri));
        findings.push(Finding::must("directory-child-shape", section, message));
    }
    let is_no_text = |name: &&&str| item.get(name).is_some_and(|node| node.as_str().is_none());
    if let Some(name) = ["title", "description", "mimeType"].iter().find(is_no_text) {
        let message = format!("the {name} of {} is no string", quote(&child.uri));
        findings.push(Finding::must("directory-child-shape", section, message));
    }
    if child.uri.ends_with('/') {
        let message = format!("{} ends in a slash; directories have none", quote(&child.uri));
        findings.push(Finding::must("directory-uri-no-slash", section, message));
    }
    if !child.lies_in(directory) {
        let message =
            format!("{} is not a direct child of {}", quote(&child.uri), quote(directory));
        findings.push(Finding::must("directory-children-exact", section, message));
    }
    Some(child)
}

/// The findings of a complete directory against the held manifest: children that it lacks,
/// files of it that the directory lacks, directories that do not say so.
///
/// Nothing for a dynamic skill, which has no manifest. For many directories of one skill make one
/// [`ManifestTree`].
#[must_use]
pub fn against_manifest(entry: &SkillEntry, directory: &str, children: &[Child]) -> Vec<Finding> {
    ManifestTree::new(entry).map_or_else(Vec::new, |tree| tree.compare(directory, children))
}

/// How many levels below a skill's root are looked at. That a server goes deeper is its right:
/// nothing is said of what lies there.
pub const MAX_TREE_DEPTH: usize = 128;

/// Whether the children of a directory are looked at: it is a skill's root, or lies below it by less
/// than [`MAX_TREE_DEPTH`].
///
/// ```
/// use skillglass::protocol::directory::{MAX_TREE_DEPTH, is_within_depth};
/// let below = |levels| format!("skill://a{}", "/b".repeat(levels));
/// assert!(is_within_depth("skill://a", &below(MAX_TREE_DEPTH - 1)));
/// assert!(!is_within_depth("skill://a", &below(MAX_TREE_DEPTH)));
/// assert!(!is_within_depth("skill://z", &below(1)));
/// ```
#[must_use]
pub fn is_within_depth(root: &str, directory: &str) -> bool {
    let below =
        directory.strip_prefix(root).filter(|below| below.is_empty() || below.starts_with('/'));
    below.is_some_and(|below| below.matches('/').count() < MAX_TREE_DEPTH)
}

/// The directories that a manifest's files lie in.
///
/// ```
/// use skillglass::{entry, protocol::directory::ManifestTree};
/// let text = r#"{"uri":"skill://a/SKILL.md","frontmatter":{"name":"a","description":"b"},
///   "resources":[{"uri":"skill://a/SKILL.md"},{"uri":"skill://a/b/c/d.md"}]}"#;
/// let tree = ManifestTree::new(&entry::read(text).entry.unwrap()).unwrap();
/// assert_eq!(tree.directories().collect::<Vec<_>>(), ["skill://a", "skill://a/b", "skill://a/b/c"]);
/// assert!(tree.holds_directories("skill://a/b") && !tree.holds_directories("skill://a/b/c"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestTree {
    /// The root first.
    places: Vec<Place>,
    by_uri: HashMap<String, usize>,
    /// The files that are listed and have no place in it: their lines break rules.
    unusable: HashSet<String>,
}

/// A file or directory of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    uri: String,
    is_directory: bool,
    children: Vec<usize>,
}

impl ManifestTree {
    /// The tree of an entry's manifest, down to [`MAX_TREE_DEPTH`]; none for a dynamic skill. Cost:
    /// the files times their depth.
    #[must_use]
    pub fn new(entry: &SkillEntry) -> Option<Self> {
        let root = entry.skill_uri().root();
        let (usable, unusable): (Vec<_>, Vec<_>) =
            entry.manifest()?.files.iter().partition(|file| file.usable);
        let unusable = unusable.into_iter().map(|file| file.uri.clone()).collect();
        let mut tree = Self { places: Vec::new(), by_uri: HashMap::new(), unusable };
        tree.place(root, None, true);
        for file in usable {
            let below = file.uri.strip_prefix(root).unwrap_or_default();
            let slashes = below.match_indices('/').skip(1).map(|(at, _)| root.len() + at);
            let mut parent = 0;
            for end in slashes.chain([file.uri.len()]).take(MAX_TREE_DEPTH) {
                let is_directory = end < file.uri.len();
                parent = tree.place(&file.uri[..end], Some(parent), is_directory);
            }
        }
        Some(tree)
    }

    fn place(&mut self, uri: &str, parent: Option<usize>, is_directory: bool) -> usize {
        if let Some(&at) = self.by_uri.get(uri) {
            self.places[at].is_directory |= is_directory;
            return at;
        }
        let at = self.places.len();
        self.by_uri.insert(uri.to_owned(), at);
        self.places.push(Place { uri: uri.to_owned(), is_directory, children: Vec::new() });
        if let Some(parent) = parent {
            self.places[parent].children.push(at);
        }
        at
    }

    /// The directories, the root first.
    pub fn directories(&self) -> impl Iterator<Item = &str> {
        let directories = self.places.iter().filter(|place| place.is_directory);
        directories.map(|place| place.uri.as_str())
    }

    /// Whether it knows the children of this directory: see [`is_within_depth`].
    #[must_use]
    pub fn reaches(&self, directory: &str) -> bool {
        is_within_depth(&self.places[0].uri, directory.trim_end_matches('/'))
    }

    /// Whether a file of the manifest lies in this directory, at any depth.
    #[must_use]
    pub fn holds(&self, directory: &str) -> bool {
        self.children(directory).next().is_some()
    }

    /// Whether the directory has directories in it.
    #[must_use]
    pub fn holds_directories(&self, directory: &str) -> bool {
        self.children(directory).any(|child| child.is_directory)
    }

    fn children(&self, directory: &str) -> impl Iterator<Item = &Place> {
        let place = self.by_uri.get(directory.trim_end_matches('/')).map(|at| &self.places[*at]);
        let children = place.map_or(&[][..], |place| &place.children);
        children.iter().map(|at| &self.places[*at])
    }

    /// Whether the manifest lists this file.
    #[must_use]
    pub fn is_file(&self, uri: &str) -> bool {
        self.by_uri.get(uri).is_some_and(|at| !self.places[*at].is_directory)
    }

    /// The place at `uri`, if it is a direct child of the directory.
    fn child(&self, directory: &str, uri: &str) -> Option<&Place> {
        let name = uri.strip_prefix(directory.trim_end_matches('/'))?.strip_prefix('/')?;
        let at = self.by_uri.get(uri).filter(|_| !name.contains('/'))?;
        Some(&self.places[*at])
    }

    /// The files below a directory that came as its children and that the manifest lacks. That
    /// some of them lie deeper, or elsewhere, is the directory's fault and not the manifest's.
    pub fn unlisted<'c>(
        &self,
        directory: &str,
        children: &'c [Child],
    ) -> impl Iterator<Item = &'c Child> {
        let below = format!("{}/", directory.trim_end_matches('/'));
        children.iter().filter(move |child| {
            !child.is_directory()
                && child.uri.starts_with(&below)
                && self.reaches(child.uri.rsplit_once('/').map_or("", |(parent, _)| parent))
                && !self.by_uri.contains_key(&child.uri)
                && !self.unusable.contains(&child.uri)
        })
    }

    /// As [`against_manifest`]; nothing for a directory that it does not [reach](Self::reaches).
    /// Cost: the directory's children.
    #[must_use]
    pub fn compare(&self, directory: &str, children: &[Child]) -> Vec<Finding> {
        let section = Section::Directories;
        let mut findings = Bounded::new(MAX_SAME_FINDINGS);
        if !self.reaches(directory) {
            return Vec::new();
        }
        for child in children.iter().filter(|child| !child.is_directory()) {
            if self.child(directory, &child.uri).is_some_and(|place| place.is_directory) {
                let found = child.mime_type.as_deref().unwrap_or("none");
                let message = format!("{} is a directory", quote(&child.uri));
                findings.push(
                    Finding::must("directory-read-subdir-mimetype", section, message)
                        .sides(DIRECTORY, excerpt(found, 80)),
                );
            }
        }
        if self.is_file(directory) {
            let message =
                format!("{} is a file; it must be answered with -32602", quote(directory));
            findings.push(Finding::must("directory-read-invalid-params", section, message));
        }
        for child in children.iter().filter(|child| child.is_directory()) {
            if self.is_file(&child.uri) {
                let message =
                    format!("{} is a file and says that it is a directory", quote(&child.uri));
                findings.push(Finding::must("directory-child-shape", section, message));
            }
        }
        findings.extend(self.unlisted(directory, children).map(|child| {
            let message = format!(
                "{} is not in the manifest: the skill has changed and needs approval again",
                quote(&child.uri)
            );
            Finding::should("manifest-complete-vs-directory", section, message)
                .repair("list every file in the manifest; a host refreshes with skills/get")
        }));
        let came: HashSet<&str> = children.iter().map(|child| child.uri.as_str()).collect();
        for missing in self.children(directory).filter(|place| !came.contains(&*place.uri)) {
            let uri = quote(&missing.uri);
            let message = format!("{uri} is in the manifest, but not in its directory");
            findings.push(Finding::must("directory-children-exact", section, message));
        }
        findings.into_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry;
    use crate::json;

    fn skill() -> SkillEntry {
        let line = |path: &str| {
            let digest = crate::digest::Digest::of(b"");
            format!(r#"{{"uri":"skill://a/{path}","digest":"{digest}","size":0}}"#)
        };
        let lines = ["SKILL.md", "r/x.md", "r/y.md"].map(line).join(",");
        let text = format!(
            r#"{{"uri":"skill://a/SKILL.md","frontmatter":{{"name":"a","description":"b"}},"resources":[{lines}]}}"#
        );
        entry::read(&text).entry.unwrap()
    }

    fn ids(directory: &str, children: &str) -> Vec<&'static str> {
        let text = format!(r#"{{"resultType":"complete","resources":[{children}]}}"#);
        let document = json::read(&text).unwrap();
        let mut page = read_directory(&document.root, directory);
        page.findings.extend(against_manifest(&skill(), directory, &page.children));
        page.findings.iter().map(|finding| finding.id).collect()
    }

    fn child(path: &str, kind: &str) -> String {
        format!(r#"{{"uri":"skill://a/{path}","name":"n","mimeType":"{kind}"}}"#)
    }

    #[test]
    fn findings_do_not_grow_with_the_page() {
        let children = vec!["{}"; 10_000].join(",");
        let text = format!(r#"{{"resultType":"complete","resources":[{children}]}}"#);
        let page = read_directory(&json::read(&text).unwrap().root, "skill://a");
        assert_eq!(page.findings.len(), MAX_SAME_FINDINGS);
        let child = |at| Child { uri: format!("skill://a/{at}"), name: None, mime_type: None };
        let children: Vec<_> = (0..10_000).map(child).collect();
        let found = against_manifest(&skill(), "skill://a", &children);
        assert!(found.len() < MAX_SAME_FINDINGS + 10);
    }

    #[test]
    fn honest_directories_have_no_findings() {
        let root = [child("SKILL.md", "text/markdown"), child("r", DIRECTORY)].join(",");
        assert_eq!(ids("skill://a", &root), Vec::<&str>::new());
        let empty_below = [root, child("empty", DIRECTORY)].join(",");
        assert_eq!(ids("skill://a", &empty_below), Vec::<&str>::new());
    }

    #[test]
    fn a_file_that_no_uri_can_name_is_the_manifests_fault() {
        let line = |path: &str| format!(r#"{{"uri":"skill://a/{path}"}}"#);
        let lines = ["SKILL.md", "b%01.md", "c%07/d.md"].map(line).join(",");
        let entry = entry::read(&format!(
            r#"{{"uri":"skill://a/SKILL.md","frontmatter":{{"name":"a","description":"b"}},"resources":[{lines}]}}"#
        ));
        let entry = entry.entry.unwrap();
        let found = |directory: &str, children: &[String]| {
            let text =
                format!(r#"{{"resultType":"complete","resources":[{}]}}"#, children.join(","));
            let mut page = read_directory(&json::read(&text).unwrap().root, directory);
            page.findings.extend(against_manifest(&entry, directory, &page.children));
            page.findings
        };
        let [skill_md, b] = ["SKILL.md", "b%01.md"].map(|path| child(path, "text/markdown"));
        assert_eq!(found("skill://a", &[skill_md, b, child("c%07", DIRECTORY)]), []);
        assert_eq!(found("skill://a/c%07", &[child("c%07/d.md", "text/markdown")]), []);
    }

    #[test]
    fn what_lies_deeper_than_is_looked_at_is_held_against_nobody() {
        let deep = |levels| format!("skill://a{}", "/d".repeat(levels));
        let line = |uri: String| format!(r#"{{"uri":"{uri}"}}"#);
        let lines = [line("skill://a/SKILL.md".into()), line(deep(200) + "/x.md")].join(",");
        let entry = entry::read(&format!(
            r#"{{"uri":"skill://a/SKILL.md","frontmatter":{{"name":"a","description":"b"}},"resources":[{lines}]}}"#
        ));
        let entry = entry.entry.unwrap();
        let child =
            |uri: String, kind: &str| Child { uri, name: None, mime_type: Some(kind.into()) };
        for levels in 1..210 {
            let below = child(deep(levels + 1), DIRECTORY);
            let x = child(deep(levels) + "/x.md", "text/markdown");
            let children = if levels == 200 { [x].to_vec() } else { [below].to_vec() };
            assert_eq!(against_manifest(&entry, &deep(levels), &children), [], "{levels}");
        }
        assert!(!against_manifest(&entry, &deep(100), &[]).is_empty());
    }

    #[test]
    fn each_rule_has_its_finding() {
        let skill_md = child("SKILL.md", "text/markdown");
        let with = |more: &str| ids("skill://a", &format!("{skill_md},{more}"));
        assert_eq!(with(&child("r", "text/plain")), ["directory-read-subdir-mimetype"]);
        let extra = format!("{},{}", child("r", DIRECTORY), child("new.md", "text/markdown"));
        assert_eq!(with(&extra), ["manifest-complete-vs-directory"]);
        let deep = format!("{},{}", child("r", DIRECTORY), child("r/x.md", "text/markdown"));
        assert_eq!(with(&deep), ["directory-children-exact"]);
        let foreign = format!("{},{}", child("r", DIRECTORY), child("../b/x.md", "text/markdown"));
        assert_eq!(with(&foreign.replace("a/../", "")), ["directory-children-exact"]);
        assert_eq!(ids("skill://a", &skill_md), ["directory-children-exact"]);
        let slash = ids("skill://a/", &format!("{skill_md},{}", child("r", DIRECTORY)));
        assert_eq!(slash, ["directory-uri-no-slash"]);
        assert_eq!(with("{}")[0], "directory-read-result-resources-shape");
        let r = child("r", DIRECTORY).replace(r#""name""#, r#""title":null,"name""#);
        assert_eq!(with(&r), ["directory-child-shape"]);
        assert_eq!(ids("skill://a/SKILL.md", ""), ["directory-read-invalid-params"]);
        let file = child("SKILL.md", DIRECTORY);
        assert_eq!(
            ids("skill://a", &format!("{file},{}", child("r", DIRECTORY))),
            ["directory-child-shape"]
        );
        assert_eq!(
            with(&format!("{},{}", child("r", DIRECTORY), child("..", DIRECTORY))),
            ["directory-children-exact"]
        );
    }
}
