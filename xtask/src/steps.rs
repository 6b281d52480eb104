//! The steps of `cargo xtask test`, in the order they run.

use std::collections::BTreeMap;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::run;
use crate::tally::{Tally, node_result, rust_result};
use crate::tools::{self, Browser, Need};
use crate::workspace::Workspace;

/// One part of `cargo xtask test`.
pub(crate) struct Step {
    name: &'static str,
    what: &'static str,
    needs: &'static [Need],
    run: fn(&Workspace) -> Result<Tally, String>,
}

/// What building the page needs.
pub(crate) const PAGE_NEEDS: &[Need] =
    &[Need::WasmTarget, Need::WasmBindgen, Need::WasmSplit, Need::Trunk, Need::NodeParts];

/// What looking at the page in Chromium needs.
pub(crate) const BROWSED_PAGE_NEEDS: &[Need] = &[
    Need::WasmTarget,
    Need::WasmBindgen,
    Need::WasmSplit,
    Need::Trunk,
    Need::NodeParts,
    Need::Chromium,
];

/// What building the npm package needs.
pub(crate) const PACKAGE_NEEDS: &[Need] = &[Need::WasmTarget, Need::WasmBindgen, Need::NodeParts];

/// Every step. The quick ones come first, and those that read what others build come last.
pub(crate) const ALL: &[Step] = &[
    Step {
        name: "fmt",
        what: "every Rust file is formatted",
        needs: &[Need::Lints],
        run: |workspace| {
            // Unlike other subcommands, `cargo fmt --quiet` would hide what it found.
            check(workspace.command("cargo").args(["fmt", "--all", "--check"]))
        },
    },
    Step {
        name: "clippy",
        what: "clippy finds nothing, native (compiles every crate when cold)",
        needs: &[Need::Lints],
        run: |workspace| {
            check(
                workspace
                    .cargo("clippy")
                    .args(["--workspace", "--all-targets", "--all-features"])
                    .args(DENY_WARNINGS),
            )
        },
    },
    Step {
        name: "clippy-wasm",
        what: "clippy finds nothing, wasm32 (compiles what runs in a browser when cold)",
        needs: &[Need::Lints, Need::WasmTarget],
        run: |workspace| {
            check(
                workspace
                    .cargo("clippy")
                    .args(["-p", "skillglass", "-p", "skillglass-wasm", "-p", "skillglass-web"])
                    // Benchmarks are native.
                    .args(["--bins", "--tests", "--all-features"])
                    .args(WASM)
                    .args(DENY_WARNINGS),
            )
        },
    },
    Step {
        name: "doc",
        what: "the documentation of the core builds without a warning",
        needs: &[],
        run: |workspace| {
            check(
                workspace
                    .cargo("doc")
                    .args(["-p", "skillglass", "--no-deps", "--all-features"])
                    .env("RUSTDOCFLAGS", "-D warnings"),
            )
        },
    },
    Step {
        name: "native",
        what: "Rust tests, native",
        needs: &[],
        run: |workspace| {
            let mut tests = workspace.cargo("test");
            tests.args(["--workspace", "--all-features"]);
            // They have steps of their own, for what they need beyond Rust.
            tests.args(["--exclude", "skillglass-peers", "--exclude", "skillglass-cli"]);
            cargo_tests(&mut tests)
        },
    },
    Step {
        name: "cli",
        what: "the command line program, run against servers, programs and folders",
        needs: &[Need::NodeParts],
        run: |workspace| cargo_tests(workspace.cargo("test").args(["-p", "skillglass-cli"])),
    },
    Step {
        name: "wasm-node",
        what: "the core's tests as WebAssembly, in Node",
        needs: &[Need::WasmTarget, Need::WasmBindgen, Need::NodeParts],
        run: |workspace| cargo_tests(&mut wasm_tests(workspace)?),
    },
    Step {
        name: "wasm-browser",
        what: "the core's tests as WebAssembly, in Chromium",
        needs: &[Need::WasmTarget, Need::WasmBindgen, Need::Chromium],
        run: |workspace| {
            let browser = browser(workspace)?;
            cargo_tests(
                wasm_tests(workspace)?
                    .env("WASM_BINDGEN_USE_BROWSER", "1")
                    .env("CHROMEDRIVER", &browser.driver)
                    .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", webdriver(workspace, &browser)?)
                    // Limits for a busy machine; a quick one never comes near them.
                    .env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "60")
                    .env("WASM_BINDGEN_TEST_TIMEOUT", "120"),
            )
        },
    },
    Step {
        name: "no-io",
        what: "the core asks its host for nothing: no imports in its WebAssembly",
        needs: &[Need::WasmTarget, Need::NodeParts],
        run: |workspace| node_tests(workspace, "tests/no-io"),
    },
    Step {
        name: "docs",
        what: "the documented schema of the report fits the report",
        needs: &[Need::NodeParts],
        run: |workspace| node_tests(workspace, "tests/docs"),
    },
    Step {
        name: "servers",
        what: "the loopback servers that tests use",
        needs: &[Need::NodeParts],
        run: |workspace| node_tests(workspace, "tests/servers"),
    },
    Step {
        name: "peers",
        what: "client and page against servers made with the official SDKs (some minutes when cold)",
        needs: &[
            Need::WasmTarget,
            Need::WasmBindgen,
            Need::WasmSplit,
            Need::Trunk,
            Need::NodeParts,
            Need::PythonParts,
            Need::Chromium,
            Need::Nginx,
        ],
        run: |workspace| {
            build_page(workspace)?;
            build_program(workspace)?;
            let only = ["--no-fail-fast", "--", "--skip", "faults::"];
            let mut tests = workspace.cargo("test");
            tests.args(["-p", "skillglass-peers"]).args(only);
            tests.env("CHROME_PATH", browser(workspace)?.chrome);
            tests.envs(tools::find_nginx(workspace).map(|nginx| ("NGINX_PATH", nginx)));
            run::counted(&mut tests, rust_result)
        },
    },
    Step {
        name: "faults",
        what: "the conformance run against servers that break one rule each (half a minute)",
        needs: &[Need::NodeParts],
        run: |workspace| {
            build_program(workspace)?;
            cargo_tests(workspace.cargo("test").args(["-p", "skillglass-peers", "faults::"]))
        },
    },
    Step {
        name: "suite",
        what: "the official conformance suite and MCP Inspector against servers of ours and the npm package (about a minute)",
        needs: &[Need::SuiteParts, Need::WasmTarget, Need::WasmBindgen, Need::NodeParts],
        run: official_suite,
    },
    Step {
        name: "package",
        what: "the npm package: built, packed, installed and used (about a minute when cold)",
        needs: &[Need::WasmTarget, Need::WasmBindgen, Need::NodeParts, Need::Chromium],
        run: |workspace| built_then(workspace, build_package, "tests/package"),
    },
    Step {
        name: "runtimes",
        what: "the npm package and its examples in Node 22, Deno, Bun, workerd, built with Vite and webpack; its API reference",
        needs: &[
            Need::WasmTarget,
            Need::WasmBindgen,
            Need::NodeParts,
            Need::SuiteParts,
            Need::RuntimeParts,
            Need::Chromium,
        ],
        run: |workspace| built_then(workspace, build_package, "tests/runtimes"),
    },
    Step {
        name: "page",
        what: "the page: built in release, then used in Chromium (some minutes when cold)",
        needs: BROWSED_PAGE_NEEDS,
        run: |workspace| {
            build_program(workspace)?;
            built_then(workspace, build_page, "tests/e2e")
        },
    },
    Step {
        name: "firefox",
        what: "the main way through the page, in Firefox",
        needs: &[
            Need::WasmTarget,
            Need::WasmBindgen,
            Need::WasmSplit,
            Need::Trunk,
            Need::NodeParts,
            Need::Firefox,
        ],
        run: |workspace| built_then(workspace, build_page, "tests/firefox"),
    },
    Step {
        name: "budget",
        what: "what is downloaded stays small (tests/budget.json)",
        needs: &[Need::NodeParts],
        run: |workspace| check(workspace.command("node").arg("tests/budget.mjs")),
    },
];

const DENY_WARNINGS: [&str; 3] = ["--", "-D", "warnings"];
const WASM: [&str; 2] = ["--target", "wasm32-unknown-unknown"];

/// The steps that a list such as `fmt,clippy` names, in the order of [`ALL`].
pub(crate) fn named(names: &str) -> Result<Vec<&'static Step>, String> {
    let wanted: Vec<&str> = names.split(',').collect();
    if let Some(unknown) = wanted.iter().find(|name| ALL.iter().all(|step| step.name != **name)) {
        let known: Vec<&str> = ALL.iter().map(|step| step.name).collect();
        return Err(format!("There is no step `{unknown}`; the steps are {}.", known.join(", ")));
    }
    Ok(ALL.iter().filter(|step| wanted.contains(&step.name)).collect())
}

/// Prints the name and purpose of every step.
pub(crate) fn list() {
    for step in ALL {
        println!("{:14}{}", step.name, step.what);
    }
}

/// Installs what the steps need, runs every one of them, and ends with the line `N passed, N failed`.
pub(crate) fn test(workspace: &Workspace, steps: &[&Step]) -> ExitCode {
    let provided = provide(workspace, steps);
    let mut rows = Vec::new();
    for step in steps {
        println!("\n== {}: {}", step.name, step.what);
        let start = Instant::now();
        let tally = run_step(workspace, step, &provided);
        rows.push((step.name, tally, start.elapsed()));
    }
    report(&rows)
}

/// What came of installing each need: nothing, or the sentence that says what to do.
type Provided = BTreeMap<Need, Result<(), String>>;

fn provide(workspace: &Workspace, steps: &[&Step]) -> Provided {
    println!("== set-up: finding the tools, installing what is missing");
    let mut provided = Provided::new();
    for need in steps.iter().flat_map(|step| step.needs) {
        provided.entry(*need).or_insert_with(|| need.provide(workspace));
    }
    provided
}

fn run_step(workspace: &Workspace, step: &Step, provided: &Provided) -> Tally {
    let missing = step.needs.iter().find_map(|need| provided.get(need)?.as_ref().err());
    let outcome = match missing {
        Some(sentence) => Err(sentence.clone()),
        None => (step.run)(workspace),
    };
    outcome.unwrap_or_else(|sentence| Tally::of(Err(sentence)))
}

fn report(rows: &[(&str, Tally, Duration)]) -> ExitCode {
    println!();
    for (name, tally, took) in rows {
        let mark = if tally.failed == 0 { ' ' } else { '!' };
        println!("{mark} {name:14}{tally} ({:.1} s)", took.as_secs_f64());
    }
    let total: Tally = rows.iter().map(|(_, tally, _)| *tally).sum();
    println!("{total}");
    if total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Builds the page into `dist/`, once, however many steps want it.
pub(crate) fn build_page(workspace: &Workspace) -> Result<(), String> {
    static BUILT: OnceLock<Result<(), String>> = OnceLock::new();
    BUILT.get_or_init(|| trunk_build(workspace)).clone()
}

fn trunk_build(workspace: &Workspace) -> Result<(), String> {
    println!("-- Building the page in release (minutes when cold, else one)");
    let mut trunk = workspace.command("trunk");
    trunk
        .args(["build", "--release"])
        .env(WASM_FLAGS, without_folders())
        // A backtrace through Trunk would bury the compiler's message.
        .env_remove("RUST_BACKTRACE")
        // Trunk stops at the customary NO_COLOR=1, as it expects a boolean.
        .env_remove("NO_COLOR");
    run::long(&mut trunk)
}

/// The compiler's flags for WebAssembly, in addition to those of the workspace.
const WASM_FLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";

/// Keeps this machine's folders out of what is published: panic messages name the source files of
/// dependencies.
fn without_folders() -> String {
    let cargo_home = std::env::home_dir().unwrap_or_default().join(".cargo");
    let cargo_home = std::env::var_os("CARGO_HOME").map_or(cargo_home, PathBuf::from);
    let sources = std::fs::read_dir(cargo_home.join("registry/src")).into_iter().flatten();
    let flag = |source: DirEntry| format!("--remap-path-prefix={}/=", source.path().display());
    sources.flatten().map(flag).collect::<Vec<_>>().join(" ")
}

/// Builds the program `skillglass` for tests that run it.
fn build_program(workspace: &Workspace) -> Result<(), String> {
    run::shown(workspace.cargo("build").args(["-p", "skillglass-cli"]))
}

/// Builds the npm package into `pkg/dist/`, once, however many steps want it.
pub(crate) fn build_package(workspace: &Workspace) -> Result<(), String> {
    static BUILT: OnceLock<Result<(), String>> = OnceLock::new();
    BUILT.get_or_init(|| package_build(workspace)).clone()
}

fn package_build(workspace: &Workspace) -> Result<(), String> {
    println!("-- Building the npm package in release (a minute when cold, else seconds)");
    let mut node = workspace.command("node");
    run::long(node.arg("pkg/build.mjs").env(WASM_FLAGS, without_folders()))
}

/// Makes the npm package's API reference of its declarations.
pub(crate) fn build_reference(workspace: &Workspace) -> Result<(), String> {
    let typedoc = "tests/runtimes/node_modules/typedoc/bin/typedoc";
    run::shown(workspace.command("node").args([typedoc, "--options", "pkg/typedoc.json"]))
}

/// A build, which counts as one check, and the Node tests of what it built.
fn built_then(
    workspace: &Workspace,
    build: fn(&Workspace) -> Result<(), String>,
    tests: &str,
) -> Result<Tally, String> {
    build(workspace)?;
    Ok(Tally::of(Ok(())) + node_tests(workspace, tests)?)
}

fn check(command: &mut Command) -> Result<Tally, String> {
    Ok(Tally::of(run::shown(command)))
}

fn cargo_tests(command: &mut Command) -> Result<Tally, String> {
    run::counted(command.arg("--no-fail-fast"), rust_result)
}

/// The tests of the core for wasm32, compiled. The examples in its documentation run natively only.
fn wasm_tests(workspace: &Workspace) -> Result<Command, String> {
    let select = |mut command: Command| {
        command.args(["-p", "skillglass", "-p", "skillglass-judge", "--all-features", "--tests"]);
        command.args(WASM);
        command
    };
    run::shown(select(workspace.cargo("test")).arg("--no-run"))?;
    // Not quiet: cargo would pass that on to wasm-bindgen's test runner, which does not know the option.
    let mut tests = workspace.command("cargo");
    tests.arg("test");
    Ok(select(tests))
}

/// Builds the page and measures it in Chromium.
pub(crate) fn bench_page(workspace: &Workspace) -> Result<(), String> {
    build_page(workspace)?;
    let chromium = browser(workspace)?.chrome;
    run::shown(workspace.command("node").arg("tests/bench/page.mjs").env("CHROME_PATH", chromium))
}

fn browser(workspace: &Workspace) -> Result<Browser, String> {
    Browser::find(workspace).ok_or_else(|| "Chromium is gone since the set-up.".to_owned())
}

/// Writes the capabilities that wasm-bindgen's test runner hands to the driver.
fn webdriver(workspace: &Workspace, browser: &Browser) -> Result<PathBuf, String> {
    let file = workspace.cache().join("webdriver.json");
    let arguments = workspace.read("tests/chromium-arguments.json")?;
    let text = format!(
        "{{ \"goog:chromeOptions\": {{ \"binary\": {:?}, \"args\": {arguments} }} }}\n",
        browser.chrome.to_string_lossy(),
    );
    std::fs::create_dir_all(workspace.cache())
        .and_then(|()| std::fs::write(&file, text))
        .map_err(|error| format!("{} cannot be written: {error}.", file.display()))?;
    Ok(file)
}

/// Runs the `*.test.mjs` files of a folder. They find Chromium by `CHROME_PATH` and `CHROMEDRIVER`,
/// Firefox by `FIREFOX_PATH`.
fn node_tests(workspace: &Workspace, folder: &str) -> Result<Tally, String> {
    let mut node = workspace.command("node");
    node.args(["--test", "--test-reporter=spec"]).args(test_files(&workspace.file(folder))?);
    if let Some(browser) = Browser::find(workspace) {
        node.env("CHROME_PATH", browser.chrome).env("CHROMEDRIVER", browser.driver);
    }
    if let Some(firefox) = tools::find_firefox(workspace) {
        node.env("FIREFOX_PATH", firefox);
    }
    run::counted(&mut node, node_result)
}

/// Tests that drive the official suite: with the Node that it needs, against the core's own server among others, and with
/// the npm package for a host.
fn official_suite(workspace: &Workspace) -> Result<Tally, String> {
    build_package(workspace)?;
    run::shown(workspace.cargo("build").args(["-p", "skillglass-peers", "--bin", "demo-server"]))?;
    build_program(workspace)?;
    let mut node = workspace.command(workspace.file("tests/suite/node_modules/node/bin/node"));
    // The suite leaves timers behind that would keep Node waiting.
    node.args(["--test", "--test-reporter=spec", "--test-force-exit"]);
    run::counted(node.args(test_files(&workspace.file("tests/suite"))?), node_result)
}

/// The test files of a folder by name, as Node versions differ in what they make of a folder.
fn test_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let unreadable = |error| format!("{} cannot be read: {error}.", folder.display());
    let mut files = Vec::new();
    for entry in folder.read_dir().map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.to_string_lossy().ends_with(".test.mjs") {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(format!("{} holds no *.test.mjs file.", folder.display()));
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_in_the_order_of_the_steps() {
        let steps = named("doc,fmt").expect("both exist");
        assert_eq!(steps.iter().map(|step| step.name).collect::<Vec<_>>(), ["fmt", "doc"]);
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_ones() {
        let sentence = named("fmt,nonsense").err().expect("there is no such step");
        assert!(sentence.contains("`nonsense`") && sentence.contains("clippy-wasm"), "{sentence}");
    }

    #[test]
    fn a_folder_without_tests_is_an_error() {
        assert!(test_files(Path::new("no/such/folder")).is_err());
        assert!(test_files(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))).is_err());
    }

    #[test]
    fn a_step_fails_with_the_sentence_of_what_it_lacks() {
        fn never(_: &Workspace) -> Result<Tally, String> {
            panic!("must not run");
        }
        let step = Step { name: "x", what: "x", needs: &[Need::WasmSplit], run: never };
        let provided = Provided::from([(Need::WasmSplit, Err("Install it.".to_owned()))]);
        let workspace = Workspace::find().expect("cargo runs this test");
        assert_eq!(run_step(&workspace, &step, &provided), Tally { passed: 0, failed: 1 });
    }
}
