//! A folder of skills on disk, read whole into the core's server.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use skillglass::finding::quote;
use skillglass::server::{File, SkillServer};
use skillglass::uri::{SKILL_MD, Uri, encode_segment};

use crate::failure::Failure;
use crate::output::{bytes, count};
use crate::terminal::Terminal;

/// How many bytes the skills of a folder may have together, as all of them are kept in memory.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;

/// How many files and folders are looked at.
const MAX_LOOKED_AT: usize = 1_000_000;

/// What version control, package managers, desktops and this program leave behind, and no skill
/// consists of.
const NOT_OF_SKILLS: [&str; 6] =
    [".git", ".hg", ".svn", ".skillglass", ".DS_Store", "node_modules"];

/// A server for the skills below `root`, as the folder is now.
pub(crate) fn serve(root: &Path, terminal: &Terminal) -> Result<SkillServer, Failure> {
    Ok(SkillServer::new(&name(root)?, read(root, "", terminal)?))
}

/// The name of a folder, for people.
pub(crate) fn name(root: &Path) -> Result<String, Failure> {
    let root = root.canonicalize().map_err(Failure::file("opened", root))?;
    Ok(root.file_name().unwrap_or_default().to_string_lossy().into_owned())
}

/// The files of the skills below `root`, with `prefix` in front of each skill path.
pub(crate) fn read(root: &Path, prefix: &str, terminal: &Terminal) -> Result<Vec<File>, Failure> {
    let found = Found::below(root)?;
    found.say_what_is_left_out(terminal);
    let mut before = path_before(prefix)?;
    // A root that is a skill itself has its name from its own folder.
    if found.has_skill_at("") {
        before.extend([encode_segment(&name(root)?).as_str(), "/"]);
    }
    let mut files = Vec::new();
    let mut left = MAX_BYTES;
    for file in found.of_skills() {
        let content = read_within(&file.path, left)
            .map_err(Failure::file("read", &file.path))?
            .ok_or_else(|| too_much(root))?;
        left -= content.len() as u64;
        files.push(File::new(&format!("{before}{}", file.uri_path), content));
    }
    if files.is_empty() {
        let root = root.display();
        return Err(Failure::Skill(format!("{root} holds no folder with a {SKILL_MD}.")));
    }
    Ok(files)
}

/// What stands in front of a skill path: the prefix with a slash behind each segment.
fn path_before(prefix: &str) -> Result<String, Failure> {
    let segments = prefix.split('/').filter(|segment| !segment.is_empty());
    let before: String = segments.map(|segment| format!("{}/", encode_segment(segment))).collect();
    let uri = format!("skill://{before}name/{SKILL_MD}");
    let problem = match Uri::parse(&uri) {
        Ok(uri) => uri.notes().first().map(ToString::to_string),
        Err(error) => Some(error.to_string()),
    };
    problem.map_or(Ok(before), |problem| {
        Err(Failure::Usage(format!(
            "No skill can be served below {}: in {}, {problem}. A prefix is a path such as acme or acme/billing.",
            quote(prefix),
            quote(&uri),
        )))
    })
}

/// The bytes of a file; none where there are more than `limit`, of which nothing is read if the file
/// says so itself.
fn read_within(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let file = fs::File::open(path)?;
    if file.metadata()?.len() > limit {
        return Ok(None);
    }
    let mut content = Vec::new();
    // It may grow meanwhile.
    file.take(limit.saturating_add(1)).read_to_end(&mut content)?;
    Ok((content.len() as u64 <= limit).then_some(content))
}

fn too_much(root: &Path) -> Failure {
    let (root, most) = (root.display(), bytes(MAX_BYTES));
    Failure::Skill(format!("The skills below {root} have more than {most} together."))
}

/// What a folder holds.
#[derive(Default)]
struct Found {
    files: Vec<FoundFile>,
    /// The paths of folders with a `SKILL.md`, `""` for the root.
    skills: std::collections::HashSet<String>,
    links: Vec<PathBuf>,
    unnameable: Vec<PathBuf>,
}

/// A file on disk.
struct FoundFile {
    path: PathBuf,
    /// The path from the root as it stands in URIs.
    uri_path: String,
}

impl Found {
    fn below(root: &Path) -> Result<Self, Failure> {
        let mut found = Self::default();
        let mut looked_at = 0;
        let mut folders = vec![(root.to_owned(), String::new())];
        while let Some((folder, uri_path)) = folders.pop() {
            for entry in folder.read_dir().map_err(Failure::file("read", &folder))? {
                let entry = entry.map_err(Failure::file("read", &folder))?;
                looked_at += 1;
                if looked_at > MAX_LOOKED_AT {
                    let sentence = format!("{} holds too many files.", root.display());
                    return Err(Failure::Skill(sentence));
                }
                let path = entry.path();
                let kind = entry.file_type().map_err(Failure::file("read", &path))?;
                let Ok(name) = entry.file_name().into_string() else {
                    found.unnameable.push(path);
                    continue;
                };
                if NOT_OF_SKILLS.contains(&name.as_str()) {
                    continue;
                }
                if name == SKILL_MD && kind.is_file() {
                    found.skills.insert(uri_path.clone());
                }
                let name = encode_segment(&name);
                let separator = if uri_path.is_empty() { "" } else { "/" };
                let below = format!("{uri_path}{separator}{name}");
                if kind.is_dir() {
                    folders.push((path, below));
                } else if kind.is_file() {
                    found.files.push(FoundFile { path, uri_path: below });
                } else {
                    found.links.push(path);
                }
            }
        }
        Ok(found)
    }

    fn has_skill_at(&self, path: &str) -> bool {
        self.skills.contains(path)
    }

    /// The files that belong to a skill: those below a folder with a `SKILL.md`.
    fn of_skills(&self) -> impl Iterator<Item = &FoundFile> {
        self.files.iter().filter(|file| {
            let mut folder = file.uri_path.as_str();
            loop {
                folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
                if self.has_skill_at(folder) || folder.is_empty() {
                    return self.has_skill_at(folder);
                }
            }
        })
    }

    fn say_what_is_left_out(&self, terminal: &Terminal) {
        for (paths, what, why) in [
            (
                &self.links,
                "special file",
                "links and devices are not followed, as they may lead anywhere",
            ),
            (&self.unnameable, "file", "their names are no text, so no URI can name them"),
        ] {
            if let Some(first) = paths.first() {
                let first = quote(&first.to_string_lossy());
                let count = count(paths.len(), what);
                terminal.note(format!("{count} left out, such as {first}: {why}."));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(files: &[&str]) -> Result<SkillServer, Failure> {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join("root").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "---\nname: a\ndescription: b\n---\n").unwrap();
        }
        serve(&folder.path().join("root"), &Terminal::new(false))
    }

    fn uris(files: &[&str]) -> Vec<String> {
        let server = server(files).unwrap();
        server.files().iter().map(|file| file.path().to_owned()).collect()
    }

    #[test]
    fn only_what_is_in_skills_is_served() {
        let files = ["a/SKILL.md", "a/x/100% é.md", "a/.git/config", "README.md", "b/notes.md"];
        assert_eq!(uris(&files), ["a/SKILL.md", "a/x/100%25%20%C3%A9.md"]);
        assert!(server(&["a/skill.md"]).is_err());
    }

    #[test]
    fn a_root_that_is_a_skill_has_its_folders_name() {
        assert_eq!(uris(&["SKILL.md", "x/y.md"]), ["root/SKILL.md", "root/x/y.md"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/SKILL.md"), "").unwrap();
        std::os::unix::fs::symlink("/etc/hostname", folder.path().join("a/link.md")).unwrap();
        let server = serve(folder.path(), &Terminal::new(false)).unwrap();
        assert_eq!(server.files().len(), 1);
    }

    #[test]
    fn a_file_beyond_the_limit_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read_within(&path, 5).unwrap(), Some(b"12345".to_vec()));
        assert_eq!(read_within(&path, 4).unwrap(), None);
    }
}
