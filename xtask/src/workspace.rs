//! Where things are, and the environment that every program started from here gets.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace and the user's cache for its tools.
pub(crate) struct Workspace {
    root: PathBuf,
    cache: PathBuf,
    path: OsString,
}

impl Workspace {
    /// Finds the workspace that `cargo xtask` was called in.
    pub(crate) fn find() -> Result<Self, String> {
        let root = env::var_os("CARGO_MANIFEST_DIR")
            .and_then(|xtask| Path::new(&xtask).parent().map(Path::to_owned))
            .ok_or("This program is started by cargo: cargo xtask help")?;
        let cache = user_cache()?.join("skillglass");
        let mut folders = vec![cache.join("tools/bin"), root.join("tests/node_modules/.bin")];
        folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
        let path = env::join_paths(folders)
            .map_err(|error| format!("A folder of this workspace cannot be on PATH: {error}."))?;
        Ok(Self { root, cache, path })
    }

    /// A path inside the workspace.
    pub(crate) fn file(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Reads a text file of the workspace.
    pub(crate) fn read(&self, relative: &str) -> Result<String, String> {
        std::fs::read_to_string(self.file(relative))
            .map_err(|error| format!("{relative} cannot be read: {error}."))
    }

    /// The folder in the user's cache that holds what is installed for this project.
    pub(crate) fn cache(&self) -> &Path {
        &self.cache
    }

    /// A program to run at the root, with the project's own tools ahead on `PATH`.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).env("PATH", &self.path);
        command
    }

    /// `cargo` with its progress lines off; warnings and errors still show.
    pub(crate) fn cargo(&self, subcommand: &str) -> Command {
        let mut command = self.command("cargo");
        command.args([subcommand, "--quiet"]);
        command
    }

    /// The first of `names` that is a file in a folder of `PATH`.
    pub(crate) fn which(&self, names: &[&str]) -> Option<PathBuf> {
        names.iter().find_map(|name| {
            env::split_paths(&self.path).map(|folder| folder.join(name)).find(|file| file.is_file())
        })
    }
}

/// `$XDG_CACHE_HOME`, else `~/.cache`.
fn user_cache() -> Result<PathBuf, String> {
    env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute())
        .or_else(|| env::home_dir().map(|home| home.join(".cache")))
        .ok_or_else(|| {
            "Set HOME or XDG_CACHE_HOME, so that tools have a folder to go to.".to_owned()
        })
}
