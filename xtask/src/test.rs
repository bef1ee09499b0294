//! `cargo xtask test`: every check in one run. A failing step does not stop the ones after it.

use std::env;
use std::process::{Command, ExitCode};
use std::time::Instant;

use crate::summary::{Outcome, Step, Summary, Tests};
use crate::tools::Tools;
use crate::{paths, shell};

/// What a tool that is neither there nor installable means for the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    Fails,
    Allowed,
}

/// Runs all steps, prints the summary, and fails if anything failed.
pub(crate) fn run(missing: Missing) -> ExitCode {
    let mut tools = Tools::default();
    let mut summary = Summary::default();
    summary.steps.push(step("tools", |_| {
        tools = Tools::prepare();
        judge(missing, is_ci(), tools.missing.len())
    }));
    summary.steps.push(step("format", |_| passed(shell::run(format()))));
    summary.steps.push(step("clippy", |_| passed(shell::run(clippy()))));
    summary.steps.push(step("tests", |tests| passed(run_tests(&tools, tests))));
    summary.steps.push(step("docs", |_| passed(shell::run(docs()))));
    summary.steps.push(step("dependencies", |_| dependencies()));
    summary.missing = tools.missing;
    print!("{summary}");
    match summary.total().failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn step(name: &'static str, work: impl FnOnce(&mut Tests) -> Outcome) -> Step {
    println!("\n== {name}");
    let start = Instant::now();
    let mut tests = Tests::default();
    let outcome = work(&mut tests);
    Step { name, outcome, time: start.elapsed(), tests }
}

fn passed(result: Result<(), String>) -> Outcome {
    result.map_or_else(Outcome::Failed, |()| Outcome::Passed)
}

/// In CI nothing may be missing: a check that did not run must not look like one that passed.
fn judge(missing: Missing, ci: bool, count: usize) -> Outcome {
    match (count, ci, missing) {
        (0, _, _) => Outcome::Passed,
        (_, true, _) => Outcome::Failed(format!("{count} missing, and CI=true allows none")),
        (_, false, Missing::Fails) => Outcome::Failed(format!("{count} missing (`--allow-missing` goes on without)")),
        (_, false, Missing::Allowed) => Outcome::Skipped(format!("{count} missing, as allowed")),
    }
}

fn is_ci() -> bool {
    env::var("CI").is_ok_and(|value| value == "true" || value == "1")
}

fn format() -> Command {
    shell::cargo(["fmt", "--all", "--check"])
}

fn clippy() -> Command {
    shell::cargo(["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"])
}

fn run_tests(tools: &Tools, tests: &mut Tests) -> Result<(), String> {
    let mut command = shell::cargo(["test", "--workspace", "--no-fail-fast"]);
    tools.tell(&mut command);
    shell::run_lines(command, |line| {
        println!("{line}");
        tests.add_line(line);
    })
}

fn docs() -> Command {
    let mut command = shell::cargo(["doc", "--workspace", "--no-deps"]);
    command.env("RUSTDOCFLAGS", "--deny warnings");
    command
}

/// Advisories are left to a run by hand: they change with the day, not with the code.
fn dependencies() -> Outcome {
    if paths::on_path("cargo-deny").is_none() {
        let why = "cargo-deny is not installed; the tidy test has checked licences and sources";
        return Outcome::Skipped(why.to_owned());
    }
    passed(shell::run(shell::cargo(["deny", "check", "licenses", "bans", "sources"])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tool_never_passes_as_good() {
        let fails = |outcome| matches!(outcome, Outcome::Failed(_));
        assert_eq!(judge(Missing::Fails, true, 0), Outcome::Passed);
        assert!(fails(judge(Missing::Fails, false, 1)));
        assert!(fails(judge(Missing::Fails, true, 1)));
        assert!(fails(judge(Missing::Allowed, true, 1)));
        let allowed = Outcome::Skipped("2 missing, as allowed".to_owned());
        assert_eq!(judge(Missing::Allowed, false, 2), allowed);
    }
}
