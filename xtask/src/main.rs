//! The commands for working on Jig. `cargo xtask help` lists them.
//!
//! Besides SHA-256 it uses nothing but the standard library, so that it is built in seconds on a fresh machine.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command for developers prints to the terminal")]

mod args;
mod bench;
mod corpus;
mod demo;
mod docs;
/// DuckDB's pinned version, packages and checksums, and their location in the cache.
#[path = "../../crates/jig-tables/duckdb.rs"]
#[allow(unreachable_pub, reason = "shared with the build script of jig-tables")]
mod duckdb;
mod duckdb_library;
mod fidelity;
mod formulas;
mod fuzz;
mod install;
mod libtest;
mod needs;
mod npm_packages;
mod paths;
mod python;
mod shell;
mod soak;
mod summary;
mod targets;
mod test;
mod tools;

use std::process::ExitCode;

use args::Failure;

/// A command of `cargo xtask`.
struct Task {
    name: &'static str,
    summary: &'static str,
    /// Usage, options and details.
    help: &'static str,
    run: fn(&[&str]) -> Result<(), Failure>,
}

const fn task(
    name: &'static str,
    summary: &'static str,
    help: &'static str,
    run: fn(&[&str]) -> Result<(), Failure>,
) -> Task {
    Task { name, summary, help, run }
}

const DIST_HELP: &str = "\
Usage: cargo xtask dist [--out DIR] [--only KIND,...] [--binaries DIR] [--no-test]

Builds Jig with optimizations, packages it (sbom, tarball, deb, wheel, npm, mcpb, oci) into
target/dist, and tests each package in an empty environment.

Options:
      --out DIR           Write the packages to this folder
      --only KIND,...     Build only these kinds
      --binaries DIR      Package the executables `jig` and `jig-sql` in this folder
      --no-test           Do not test the packages
";

/// Packaging needs libraries that no other command does, so it is a program of its own.
fn dist(args: &[&str]) -> Result<(), Failure> {
    let mut command = shell::cargo(["run", "--quiet", "--package", "xtask-dist", "--"]);
    command.args(args);
    Err(Failure::Failed(shell::exec(command)))
}

const TASKS: [(&str, &[Task]); 3] = [
    (
        "Run Jig",
        &[
            task("demo", "Build Jig and run its demo", demo::HELP, demo::run),
            task("web", "Build Jig and serve the web app on a demo workbench", demo::WEB_HELP, demo::web),
            task("install", "Build Jig with optimizations and install it", install::HELP, install::run),
        ],
    ),
    (
        "Check it",
        &[
            task(
                "check",
                "Check format, run clippy and the tests that need no installs",
                test::CHECK_HELP,
                test::check,
            ),
            task("test", "Install what the tests need, then run every check", test::HELP, test::run),
            task("soak", "Kill servers, put load on them and repeat the tests of faults", soak::HELP, soak::run),
            task("fuzz", "Run a fuzz target", fuzz::HELP, fuzz::run),
            task(
                "fidelity",
                "Edit every Office file in a folder and count side effects",
                fidelity::HELP,
                fidelity::run,
            ),
            task(
                "corpus",
                "Edit every workbook in a folder and compare its values with LibreOffice's",
                corpus::HELP,
                corpus::run,
            ),
            task(
                "formulas",
                "Compare computed formulas with recorded results, or record them",
                formulas::HELP,
                formulas::run,
            ),
            task("bench", "Measure Jig and its peers, and write bench/RESULTS.md", bench::HELP, bench::run),
        ],
    ),
    (
        "Build parts of it",
        &[
            task("docs", "Update the generated references in docs/", docs::HELP, docs::run),
            task("duckdb", "Make DuckDB's shared library available", duckdb_library::HELP, duckdb_library::run),
            task("dist", "Build the release packages", DIST_HELP, dist),
        ],
    ),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match dispatch(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Reported) => ExitCode::FAILURE,
        Err(Failure::Failed(message)) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
        Err(Failure::Usage(message)) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn dispatch(args: &[&str]) -> Result<(), Failure> {
    match args {
        [] | ["help" | "--help" | "-h"] => {
            print!("{}", overview());
            Ok(())
        }
        [name, "--help" | "-h"] | ["help", name] => {
            let task = find(name)?;
            print!("{}\n\n{}", task.summary, task.help);
            Ok(())
        }
        [name, rest @ ..] => {
            let task = find(name)?;
            (task.run)(rest).map_err(|failure| with_help_hint(failure, task.name))
        }
    }
}

fn tasks() -> impl Iterator<Item = &'static Task> {
    TASKS.iter().flat_map(|(_, tasks)| tasks.iter())
}

fn find(name: &str) -> Result<&'static Task, Failure> {
    tasks().find(|task| task.name == name).ok_or_else(|| {
        let hint = match args::nearest(name, tasks().map(|task| task.name)) {
            Some(nearest) => format!("hint: did you mean `cargo xtask {nearest}`?"),
            None => "hint: `cargo xtask help` lists the commands".to_owned(),
        };
        Failure::Usage(format!("unknown command `{name}`\n{hint}"))
    })
}

fn with_help_hint(failure: Failure, name: &str) -> Failure {
    match failure {
        Failure::Usage(message) => {
            Failure::Usage(format!("{message}\nhint: `cargo xtask {name} --help` shows the arguments"))
        }
        other => other,
    }
}

fn overview() -> String {
    let mut text = "Commands for working on Jig\n\nUsage: cargo xtask <COMMAND> [ARGS]\n".to_owned();
    for (group, tasks) in &TASKS {
        text.push_str(&format!("\n{group}:\n"));
        for Task { name, summary, .. } in *tasks {
            text.push_str(&format!("  {name:<9} {summary}\n"));
        }
    }
    text.push_str(
        "\n`cargo xtask COMMAND --help` shows the arguments of a command.\n\
         Exit codes: 0 success, 1 failure, 2 wrong arguments.\n\
         The build folder is $CARGO_TARGET_DIR if set, else jig/target in the user's cache\n\
         folder if that exists, else cargo's own.\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(args: &[&str]) -> String {
        match dispatch(args) {
            Err(Failure::Usage(message)) => message,
            other => panic!("{args:?}: {other:?}"),
        }
    }

    #[test]
    fn an_unknown_command_suggests_the_nearest() {
        assert_eq!(usage(&["tests"]), "unknown command `tests`\nhint: did you mean `cargo xtask test`?");
        assert_eq!(usage(&["help", "instal"]), "unknown command `instal`\nhint: did you mean `cargo xtask install`?");
        let message = "unknown command `frobnicate`\nhint: `cargo xtask help` lists the commands";
        assert_eq!(usage(&["frobnicate"]), message);
    }

    #[test]
    fn wrong_arguments_name_the_help_of_the_command() {
        let hint = "\nhint: `cargo xtask docs --help` shows the arguments";
        assert_eq!(usage(&["docs", "--fast"]), format!("unexpected argument `--fast`{hint}"));
    }

    #[test]
    fn every_command_is_listed_once_with_its_help() {
        let overview = overview();
        let names: Vec<&str> = tasks().map(|task| task.name).collect();
        for task in tasks() {
            assert_eq!(names.iter().filter(|name| **name == task.name).count(), 1, "{}", task.name);
            assert!(overview.contains(&format!("\n  {:<9} {}\n", task.name, task.summary)), "{}", task.name);
            assert!(task.help.starts_with(&format!("Usage: cargo xtask {}", task.name)), "{}", task.name);
            assert!(task.help.ends_with('\n') && task.help.lines().all(|line| line.len() <= 100), "{}", task.name);
            assert_eq!(dispatch(&[task.name, "--help"]), Ok(()));
        }
    }
}
