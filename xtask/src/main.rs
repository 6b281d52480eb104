//! The commands of the README: `cargo xtask serve` and `cargo xtask test`, and what they are made of.

#[cfg(not(unix))]
compile_error!("cargo xtask runs on Linux and macOS; on Windows, use it in WSL");

mod cases;
mod corpus;
mod run;
mod steps;
mod tally;
mod tools;
mod workspace;

use std::net::TcpListener;
use std::path::Path;
use std::process::ExitCode;

use crate::tools::Need;
use crate::workspace::Workspace;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  serve [SERVER…]           build the page and serve it at http://127.0.0.1:8787, with a bridge to servers;
                            takes the arguments of `skillglass inspect`
  test                      check everything; the last line is `N passed, N failed`
  test --only STEP[,STEP]   check these steps only
  test --list               name the steps
  build                     build the page into dist/
  install                   build the page, and install the program `skillglass` with the page in it
  package                   build the npm package into pkg/dist/
  reference                 make the npm package's API reference in pkg/reference/
  bench [page]              time the core, the program and the page beside others; with `page` the page only
  cases DIR                 judge the cases of a folder (see tests/judge)
  corpus DIR                read every *.md below a folder and compare with npm's yaml

Each command first installs what it needs and does not find.";

const DEFAULT_PORT: u16 = 8787;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match dispatch(&arguments) {
        Ok(code) => code,
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::FAILURE
        }
    }
}

/// Does what the arguments say. An error is one sentence for the person who typed them.
fn dispatch(arguments: &[&str]) -> Result<ExitCode, String> {
    match arguments {
        ["serve", more @ ..] => serve(more),
        ["test"] => Ok(steps::test(&Workspace::find()?, &steps::ALL.iter().collect::<Vec<_>>())),
        ["test", "--list"] => {
            steps::list();
            Ok(ExitCode::SUCCESS)
        }
        ["test", "--only", names] => Ok(steps::test(&Workspace::find()?, &steps::named(names)?)),
        ["build"] => {
            prepared(steps::PAGE_NEEDS, steps::build_page)?;
            Ok(ExitCode::SUCCESS)
        }
        ["install"] => {
            let workspace = prepared(steps::PAGE_NEEDS, steps::build_page)?;
            let mut install = workspace.command("cargo");
            install.args(["install", "--locked", "--path", "cli"]);
            run::shown(install.env("SKILLGLASS_PAGE", workspace.file("dist")))?;
            Ok(ExitCode::SUCCESS)
        }
        ["package"] => {
            prepared(steps::PACKAGE_NEEDS, steps::build_package)?;
            Ok(ExitCode::SUCCESS)
        }
        ["reference"] => {
            prepared(&[Need::NodeParts, Need::RuntimeParts], steps::build_reference)?;
            Ok(ExitCode::SUCCESS)
        }
        ["bench"] => {
            let workspace = prepared(steps::PACKAGE_NEEDS, steps::build_package)?;
            run::shown(workspace.command("cargo").args(["bench", "-p", "skillglass"]))?;
            run::shown(workspace.command("cargo").args(["bench", "-p", "skillglass-cli"]))?;
            run::shown(workspace.command("node").arg("tests/bench/node.mjs"))?;
            run::shown(workspace.command("node").arg("tests/bench/host.mjs"))?;
            prepared(steps::BROWSED_PAGE_NEEDS, steps::bench_page)?;
            Ok(ExitCode::SUCCESS)
        }
        ["bench", "page"] => {
            prepared(steps::BROWSED_PAGE_NEEDS, steps::bench_page)?;
            Ok(ExitCode::SUCCESS)
        }
        ["cases", folder] => cases::run(Path::new(folder)),
        ["corpus", folder] => corpus::run(&Workspace::find()?, Path::new(folder)),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => Err(USAGE.to_owned()),
    }
}

/// Installs what is needed, then builds.
fn prepared(
    needs: &[Need],
    build: fn(&Workspace) -> Result<(), String>,
) -> Result<Workspace, String> {
    let workspace = Workspace::find()?;
    for need in needs {
        need.provide(&workspace)?;
    }
    build(&workspace)?;
    Ok(workspace)
}

/// Builds the page and opens it with the program until stopped, with these arguments of its.
fn serve(arguments: &[&str]) -> Result<ExitCode, String> {
    let names_port =
        arguments.iter().take_while(|it| **it != "--").any(|it| it.starts_with("--port"));
    // The build can take minutes, so the port is tried before.
    if !names_port && TcpListener::bind(("127.0.0.1", DEFAULT_PORT)).is_err() {
        return Err(format!(
            "Port {DEFAULT_PORT} is taken by another program; choose another one: cargo xtask serve --port {}",
            DEFAULT_PORT + 1,
        ));
    }
    let workspace = prepared(steps::PAGE_NEEDS, steps::build_page)?;
    let mut program = workspace.command("cargo");
    program.args(["run", "--quiet", "-p", "skillglass-cli", "--", "inspect", "--no-open"]);
    program.arg("--page").arg(workspace.file("dist"));
    if !names_port {
        program.arg("--port").arg(DEFAULT_PORT.to_string());
    }
    Err(run::instead(program.args(arguments)))
}
