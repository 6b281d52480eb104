//! What the steps need on a machine, and how each is installed when it is missing.

use std::fs::{File, TryLockError, create_dir_all};
use std::path::{Path, PathBuf};

use crate::run;
use crate::workspace::Workspace;

const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// The oldest Node that can `require` an ES module, which the package tests do.
const NODE: (u32, u32) = (20, 19);

/// Something that has to be there before a step can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// rustfmt and clippy.
    Lints,
    /// The standard library for wasm32.
    WasmTarget,
    /// wasm-bindgen and its test runner, in the version the workspace pins.
    WasmBindgen,
    /// What cuts the page's program in two, in the version that fits the macro in Cargo.lock.
    WasmSplit,
    /// Trunk, in the version Trunk.toml asks for.
    Trunk,
    /// Node and the npm packages of `tests/`.
    NodeParts,
    /// The official conformance suite and MCP Inspector, and the Node that they need.
    SuiteParts,
    /// The runtimes and bundlers that the npm package is tried in.
    RuntimeParts,
    /// Python, and an environment for each major version of its MCP SDK.
    PythonParts,
    /// A Chromium and its driver.
    Chromium,
    /// nginx, which is started by tests only.
    Nginx,
    /// A Firefox. It needs no driver: tests speak WebDriver BiDi with it.
    Firefox,
}

impl Need {
    /// Installs what is needed unless it is there. An error is one sentence that names the remedy.
    pub(crate) fn provide(self, workspace: &Workspace) -> Result<(), String> {
        let _alone = alone(workspace)?;
        match self {
            Self::Lints => lints(workspace),
            Self::WasmTarget => wasm_target(workspace),
            Self::WasmBindgen => wasm_bindgen(workspace),
            Self::WasmSplit => wasm_split(workspace),
            Self::Trunk => trunk(workspace),
            Self::NodeParts => node_parts(workspace),
            Self::SuiteParts => suite_parts(workspace),
            Self::RuntimeParts => runtime_parts(workspace),
            Self::PythonParts => python_parts(workspace),
            Self::Chromium => chromium(workspace),
            Self::Nginx => nginx(workspace),
            Self::Firefox => firefox(workspace),
        }
    }
}

/// Keeps other runs from installing, too, as long as the file is open: they would put their files in the same place.
fn alone(workspace: &Workspace) -> Result<File, String> {
    let path = workspace.cache().join("installing");
    let locked = || {
        create_dir_all(workspace.cache())?;
        let file = File::create(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                println!("-- Waiting for another run that installs tools");
                file.lock()?;
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        Ok(file)
    };
    locked().map_err(|error| format!("{}: {error}", path.display()))
}

fn lints(workspace: &Workspace) -> Result<(), String> {
    let present = ["fmt", "clippy"]
        .iter()
        .all(|tool| run::answer(workspace.command("cargo").args([tool, "--version"])).is_some());
    if present {
        return Ok(());
    }
    rustup(workspace, &["component", "add", "rustfmt", "clippy"])
}

fn wasm_target(workspace: &Workspace) -> Result<(), String> {
    let query = ["--print", "target-libdir", "--target", WASM_TARGET];
    let folder = run::answer(workspace.command("rustc").args(query));
    if folder.is_some_and(|folder| PathBuf::from(folder).is_dir()) {
        return Ok(());
    }
    rustup(workspace, &["target", "add", WASM_TARGET])
}

fn rustup(workspace: &Workspace, arguments: &[&str]) -> Result<(), String> {
    let request = arguments.join(" ");
    say(&format!("Adding to the Rust toolchain: rustup {request} (some seconds)"));
    run::quiet(workspace.command("rustup").args(arguments)).map_err(|error| {
        format!("{error} This Rust toolchain cannot be completed; install rustup, or the same with your system's tools: {request}.")
    })
}

fn wasm_bindgen(workspace: &Workspace) -> Result<(), String> {
    let lock = workspace.read("Cargo.lock")?;
    let version = locked_version(&lock, "wasm-bindgen")
        .ok_or("Cargo.lock does not name wasm-bindgen; run: cargo generate-lockfile")?;
    let present = ["wasm-bindgen", "wasm-bindgen-test-runner"]
        .iter()
        .all(|program| has_version(workspace, program, version));
    if present {
        return Ok(());
    }
    say(&format!(
        "Building wasm-bindgen {version} from source, once (about a minute and a half on two cores)"
    ));
    // Its own lock file does not build with current compilers.
    cargo_install(workspace, "wasm-bindgen-cli", version, &[])
}

fn wasm_split(workspace: &Workspace) -> Result<(), String> {
    let lock = workspace.read("Cargo.lock")?;
    let version = locked_version(&lock, "wasm_split_helpers")
        .ok_or("Cargo.lock does not name wasm_split_helpers; run: cargo generate-lockfile")?;
    // The program does not tell its version.
    let installed = workspace.cache().join("tools/wasm-split.txt");
    let is_current = std::fs::read_to_string(&installed).is_ok_and(|text| text == version);
    if is_current && workspace.which(&["wasm-split-cli"]).is_some() {
        return Ok(());
    }
    say(&format!("Building wasm-split {version} from source, once (about a minute on two cores)"));
    let options = ["--locked", "--features", "build-binary"];
    cargo_install(workspace, "wasm_split_cli_support", version, &options)?;
    std::fs::write(&installed, version)
        .map_err(|error| format!("{} cannot be written: {error}.", installed.display()))
}

fn trunk(workspace: &Workspace) -> Result<(), String> {
    let settings = workspace.read("Trunk.toml")?;
    let version =
        trunk_version(&settings).ok_or("Trunk.toml should say: trunk-version = \"=X.Y.Z\"")?;
    if has_version(workspace, "trunk", version) {
        return Ok(());
    }
    say(&format!("Building Trunk {version} from source, once (about four minutes on two cores)"));
    cargo_install(workspace, "trunk", version, &["--locked", "--no-default-features"])
}

/// Builds a command line tool into the cache, with a profile that favours the time to build it.
fn cargo_install(
    workspace: &Workspace,
    name: &str,
    version: &str,
    options: &[&str],
) -> Result<(), String> {
    let target = workspace.cache().join("tools/build");
    let mut install = workspace.command("cargo");
    install
        .args(["install", name, "--version", version, "--force", "--root"])
        .arg(workspace.cache().join("tools"))
        .args(options)
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
    let outcome = run::long(&mut install);
    // More than a gigabyte that nothing needs again.
    let _ = std::fs::remove_dir_all(target);
    outcome
        .map_err(|error| format!("{error} Install {name} {version} yourself and put it on PATH."))
}

fn node_parts(workspace: &Workspace) -> Result<(), String> {
    let found = run::answer(workspace.command("node").arg("--version"));
    let (major, minor) = NODE;
    if found.as_deref().and_then(node_version).is_none_or(|version| version < NODE) {
        let found = found.unwrap_or_else(|| "none".to_owned());
        return Err(format!(
            "Node {major}.{minor} or later is needed (found: {found}); install it from your system's packages or https://nodejs.org."
        ));
    }
    npm_parts(
        workspace,
        "tests",
        "the npm packages of tests/ (about 240 MB unpacked, less than a minute)",
    )
}

fn suite_parts(workspace: &Workspace) -> Result<(), String> {
    let what = "the official conformance suite, MCP Inspector and Node 22 for them (about 330 MB unpacked, less than a minute)";
    npm_parts(workspace, "tests/suite", what)
}

fn runtime_parts(workspace: &Workspace) -> Result<(), String> {
    let what = "Deno, Bun, workerd, Vite, webpack, vitest and typedoc (about 500 MB unpacked, less than a minute)";
    npm_parts(workspace, "tests/runtimes", what)
}

/// Installs what the lock file of a folder names, unless it is there.
fn npm_parts(workspace: &Workspace, folder: &str, what: &str) -> Result<(), String> {
    let lock = workspace.read(&format!("{folder}/package-lock.json"))?;
    let installed = workspace.file(&format!("{folder}/node_modules/.installed-lock.json"));
    if std::fs::read_to_string(&installed).is_ok_and(|text| text == lock) {
        return Ok(());
    }
    say(&format!("Installing {what}"));
    run::quiet(workspace.command("npm").args(["ci", "--prefix", folder])).map_err(|error| {
        format!("{error} npm is needed, and the npm registry must be reachable.")
    })?;
    std::fs::write(&installed, lock)
        .map_err(|error| format!("{} cannot be written: {error}.", installed.display()))
}

fn python_parts(workspace: &Workspace) -> Result<(), String> {
    ["1", "2"].iter().try_for_each(|sdk| python_environment(workspace, sdk))
}

/// The environment that `tests/peers` finds by its name, with what its requirements file pins.
fn python_environment(workspace: &Workspace, sdk: &str) -> Result<(), String> {
    let requirements = format!("tests/peers/servers/requirements-{sdk}.txt");
    let wanted = workspace.read(&requirements)?;
    let environment = workspace.cache().join(format!("python-mcp-{sdk}"));
    let python = environment.join("bin/python");
    let installed = environment.join("installed.txt");
    let is_current = std::fs::read_to_string(&installed).is_ok_and(|text| text == wanted);
    // The system's Python, which the environment points to, may have gone.
    if is_current && is_fit(workspace, &python) {
        return Ok(());
    }
    system_python(workspace)?;
    say(&format!("Installing version {sdk} of Python's MCP SDK (about 75 MB, less than a minute)"));
    let venv = ["-m", "venv", "--clear"];
    run::quiet(workspace.command("python3").args(venv).arg(&environment))?;
    let mut pip = workspace.command(&python);
    pip.args(["-m", "pip", "install", "--disable-pip-version-check", "--requirement"]);
    run::quiet(pip.arg(requirements))
        .map_err(|error| format!("{error} The Python package index must be reachable."))?;
    std::fs::write(&installed, wanted)
        .map_err(|error| format!("{} cannot be written: {error}.", installed.display()))
}

fn system_python(workspace: &Workspace) -> Result<(), String> {
    if is_fit(workspace, Path::new("python3")) {
        return Ok(());
    }
    let remedy =
        "Install Python 3.11 or later with venv (Debian: apt-get install python3 python3-venv).";
    apt_get(workspace, &["python3", "python3-venv"], "Python with apt-get (about 40 MB)", remedy)?;
    if is_fit(workspace, Path::new("python3")) { Ok(()) } else { Err(remedy.to_owned()) }
}

/// Whether a Python can make environments and is as recent as the packages want it.
fn is_fit(workspace: &Workspace, python: &Path) -> bool {
    let check = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))";
    run::answer(workspace.command(python).args(["-c", check])).is_some()
}

/// A Chromium and the driver that belongs to it.
pub(crate) struct Browser {
    pub(crate) chrome: PathBuf,
    pub(crate) driver: PathBuf,
}

impl Browser {
    /// Looks at `$CHROME` and `$CHROMEDRIVER`, then on `PATH`.
    pub(crate) fn find(workspace: &Workspace) -> Option<Self> {
        let chrome = from_environment("CHROME")
            .or_else(|| workspace.which(&["chromium", "chromium-browser", "google-chrome"]))?;
        let driver =
            from_environment("CHROMEDRIVER").or_else(|| workspace.which(&["chromedriver"]))?;
        Some(Self { chrome, driver })
    }
}

fn from_environment(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|file| file.is_file())
}

fn chromium(workspace: &Workspace) -> Result<(), String> {
    if Browser::find(workspace).is_some() {
        return Ok(());
    }
    let remedy = "Install Chromium and its driver (Debian: apt-get install chromium chromium-driver), or set CHROME and CHROMEDRIVER to their paths.";
    let what = "Chromium with apt-get (about 100 MB, a minute or two)";
    apt_get(workspace, &["chromium", "chromium-driver"], what, remedy)?;
    Browser::find(workspace).map(|_| ()).ok_or_else(|| remedy.to_owned())
}

/// Looks at `$FIREFOX`, then on `PATH`.
pub(crate) fn find_firefox(workspace: &Workspace) -> Option<PathBuf> {
    from_environment("FIREFOX").or_else(|| workspace.which(&["firefox-esr", "firefox"]))
}

fn firefox(workspace: &Workspace) -> Result<(), String> {
    if find_firefox(workspace).is_some() {
        return Ok(());
    }
    let remedy =
        "Install Firefox (Debian: apt-get install firefox-esr), or set FIREFOX to its path.";
    let what = "Firefox with apt-get (about 80 MB, less than a minute)";
    apt_get(workspace, &["firefox-esr"], what, remedy)?;
    find_firefox(workspace).map(|_| ()).ok_or_else(|| remedy.to_owned())
}

/// Looks at `$NGINX`, then on `PATH`, then where the system and [`nginx`] put it.
pub(crate) fn find_nginx(workspace: &Workspace) -> Option<PathBuf> {
    let places = ["/usr/sbin/nginx".into(), workspace.cache().join("nginx/usr/sbin/nginx")];
    from_environment("NGINX")
        .or_else(|| workspace.which(&["nginx"]))
        .or_else(|| places.into_iter().find(|place: &PathBuf| place.is_file()))
}

/// Unpacks the system's package into the cache: to install it would start a server on this machine.
fn nginx(workspace: &Workspace) -> Result<(), String> {
    if find_nginx(workspace).is_some() {
        return Ok(());
    }
    let remedy = "Install nginx (Debian: apt-get install nginx-light), or set NGINX to its path.";
    let folder = workspace.cache().join("nginx");
    say("Fetching nginx with apt-get (500 kB)");
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("{} cannot be made: {error}.", folder.display()))?;
    let fetch = "(test \"$(id -u)\" != 0 || apt-get update) && apt-get download nginx && dpkg-deb -x nginx_*.deb . && rm nginx_*.deb";
    run::quiet(workspace.command("sh").args(["-c", fetch]).current_dir(folder))
        .map_err(|error| format!("{error} {remedy}"))?;
    find_nginx(workspace).map(|_| ()).ok_or_else(|| remedy.to_owned())
}

/// Installs packages of the system, where this user may and there is `apt-get`.
fn apt_get(
    workspace: &Workspace,
    packages: &[&str],
    what: &str,
    remedy: &str,
) -> Result<(), String> {
    let root = run::answer(workspace.command("id").arg("-u")).is_some_and(|id| id == "0");
    if !root || workspace.which(&["apt-get"]).is_none() {
        return Err(remedy.to_owned());
    }
    say(&format!("Installing {what}"));
    for arguments in [&["update"][..], &[&["install", "--yes"], packages].concat()] {
        run::quiet(
            workspace.command("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive"),
        )
        .map_err(|error| format!("{error} {remedy}"))?;
    }
    Ok(())
}

fn say(sentence: &str) {
    println!("-- {sentence}");
}

fn has_version(workspace: &Workspace, program: &str, wanted: &str) -> bool {
    run::answer(workspace.command(program).arg("--version"))
        .is_some_and(|answer| answered_version(&answer) == Some(wanted))
}

/// The version in an answer such as `wasm-bindgen 0.2.130`.
fn answered_version(answer: &str) -> Option<&str> {
    answer.split_whitespace().nth(1)
}

/// Major and minor of an answer such as `v20.19.4`.
fn node_version(answer: &str) -> Option<(u32, u32)> {
    let mut numbers = answer.strip_prefix('v')?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// The version of a package in the text of Cargo.lock.
fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"')
}

/// The exact version that the text of Trunk.toml requires.
fn trunk_version(settings: &str) -> Option<&str> {
    settings
        .lines()
        .find_map(|line| line.strip_prefix("trunk-version = \"="))
        .and_then(|rest| rest.strip_suffix('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_versions_from_answers() {
        assert_eq!(answered_version("node 0.21.14"), Some("0.21.14"));
        assert_eq!(answered_version("wasm-bindgen 0.2.130 (1a2b3c)\n"), Some("0.2.130"));
        assert_eq!(answered_version("node"), None);
    }

    #[test]
    fn reads_node_versions() {
        assert_eq!(node_version("v20.19.4"), Some((20, 19)));
        assert_eq!(node_version("v8.1.0"), Some((8, 1)));
        assert_eq!(node_version("20"), None);
        assert!(node_version("v20.9.0") < Some(NODE), "minors are numbers, not text");
    }

    #[test]
    fn reads_the_locked_version_of_exactly_that_package() {
        let lock = "[[package]]\nname = \"wasm-bindgen-macro\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\nsource = \"x\"\n";
        assert_eq!(locked_version(lock, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(locked_version(lock, "wasm"), None);
    }

    #[test]
    fn reads_the_required_version_of_trunk() {
        assert_eq!(trunk_version("# x\ntrunk-version = \"=0.21.14\"\n[build]"), Some("0.21.14"));
        assert_eq!(trunk_version("trunk-version = \"^0.21.14\""), None);
    }
}
