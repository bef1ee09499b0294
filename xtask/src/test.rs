//! `cargo xtask test` and `cargo xtask check`: all checks in one run. A failing step does not stop those after it.

use std::process::Command;

use crate::args::{self, Failure};
use crate::duckdb_library::{DuckDb, Forecast, Host, Unavailable};
use crate::libtest::TestCount;
use crate::needs::{self, Consent, Plan, State, Tools};
use crate::summary::{Outcome, Step, Summary};
use crate::{duckdb, paths, shell, targets, tools};

pub(crate) const HELP: &str = "\
Usage: cargo xtask test [OPTIONS]

Options:
  --yes            Install system packages with apt without asking; implied by CI=true
  --allow-missing  Succeed even if a tool is missing; has no effect with CI=true
  --list           Only list the tools, where they were found and what would be installed

Lists the tools that the tests need and installs the missing ones: system packages with
apt (on Debian as root, after asking), packages from npm and PyPI in Jig's cache folder.
Then checks the format, runs clippy and all tests, checks that the code compiles for the
other platforms whose standard library is installed, builds the documentation, checks
the dependencies and packs the libraries. The summary names every failed test and the
time of each step.
";

pub(crate) const CHECK_HELP: &str = "\
Usage: cargo xtask check

Checks the format, runs clippy and the tests that need no installs, and checks that the code
compiles for the other platforms whose standard library is installed. Only DuckDB's library
is fetched, once (see `cargo xtask duckdb --help`). Without it, the crate `jig-tables` is
left out. `cargo xtask test` runs everything.
";

#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    yes: bool,
    allow_missing: bool,
    list: bool,
}

impl Options {
    fn parse(args: &[&str]) -> Result<Self, Failure> {
        let mut options = Self::default();
        for argument in args {
            match *argument {
                "--yes" => options.yes = true,
                "--allow-missing" => options.allow_missing = true,
                "--list" => options.list = true,
                other => return Err(args::unexpected(other)),
            }
        }
        Ok(options)
    }
}

/// `cargo xtask test`
pub(crate) fn run(args: &[&str]) -> Result<(), Failure> {
    let options = Options::parse(args)?;
    let plan = plan(Consent::current(options.yes));
    if options.list {
        print!("{}", plan.table());
        return Ok(());
    }
    let mut run = Run { duckdb: None, tools: Tools::default(), without_installs: false };
    let mut summary = Summary::default();
    summary.steps.push(Step::run("tools", |_| {
        println!("{}", plan.table());
        run.tools = plan.install(needs::ask);
        // After apt, which may have installed npm.
        match Host::current().prepare() {
            Ok(duckdb) => run.duckdb = Some(duckdb),
            Err(why) => run.tools.add_missing("DuckDB", &why),
        }
        judge(options.allow_missing, needs::is_ci(), run.tools.missing.len())
    }));
    run.check(&mut summary);
    summary.steps.push(Step::run("docs", |_| shell::run(run.docs()).into()));
    summary.steps.push(Step::run("dependencies", |_| dependencies()));
    summary.steps.push(Step::run("packages", |_| shell::run(packages()).into()));
    summary.missing = run.tools.missing;
    report(&summary)
}

/// `cargo xtask check`
pub(crate) fn check(args: &[&str]) -> Result<(), Failure> {
    args::none(args)?;
    let host = Host::current();
    let duckdb = match host.shared() {
        Ok(duckdb) => Some(duckdb),
        Err(Unavailable::Refused(why)) => return Err(Failure::Failed(format!("{why}\n{}", host.ways_out()))),
        Err(why) => {
            eprintln!("warning: {why}\nThe crate jig-tables is not tested; `cargo xtask duckdb --help` explains why.");
            None
        }
    };
    let run = Run { duckdb, tools: Tools::default(), without_installs: true };
    let mut summary = Summary::default();
    run.check(&mut summary);
    println!("\nTests that need other tools were skipped; `cargo xtask test` runs them.");
    report(&summary)
}

fn report(summary: &Summary) -> Result<(), Failure> {
    print!("{summary}");
    match summary.total() {
        (_, 0) => Ok(()),
        _ => Err(Failure::Reported),
    }
}

/// The table of tools: DuckDB, what `tools` lists, and cargo-deny.
fn plan(consent: Consent) -> Plan {
    let mut plan = Plan::new(&tools::TESTS, consent);
    let state = match Host::current().forecast(plan.provides(&tools::NPM)) {
        Forecast::Stored(folder) => State::Found(folder),
        Forecast::Fetched(client) => State::Download(client),
        Forecast::Compiled => State::Compile,
        Forecast::Missing(why) => State::Missing(why),
    };
    plan.add_row(&format!("DuckDB {}", duckdb::VERSION), "the SQL engine jig-sql", state);
    let state = match paths::on_path("cargo-deny") {
        Some(program) => State::Found(program),
        None => State::Optional(format!("not installed; {CARGO_DENY_HINT}")),
    };
    plan.add_row("cargo-deny", "licenses and sources of dependencies", state);
    plan
}

/// In CI nothing may be missing: a check that did not run must not look like one that passed.
fn judge(allow_missing: bool, ci: bool, count: usize) -> Outcome {
    match (count, ci, allow_missing) {
        (0, _, _) => Outcome::Passed,
        (_, true, _) => Outcome::Failed(format!("{count} missing, which CI=true does not allow")),
        (_, false, false) => Outcome::Failed(format!("{count} missing (`--allow-missing` continues without)")),
        (_, false, true) => Outcome::Skipped(format!("{count} missing, as allowed")),
    }
}

/// What the cargo commands of one run have in common.
struct Run {
    /// Without it, everything that links DuckDB is left out.
    duckdb: Option<DuckDb>,
    tools: Tools,
    without_installs: bool,
}

impl Run {
    /// Format, clippy, the tests, and other platforms.
    fn check(&self, summary: &mut Summary) {
        summary.steps.push(Step::run("format", |_| shell::run(shell::cargo(["fmt", "--all", "--check"])).into()));
        summary.steps.push(Step::run("clippy", |_| shell::run(self.clippy()).into()));
        let build = Step::run("build", |_| shell::run(self.cargo_test("--no-run")).into());
        let is_built = build.outcome == Outcome::Passed;
        summary.steps.push(build);
        summary.steps.push(Step::run("tests", |tests| match is_built {
            true => self.run_tests(tests).into(),
            false => Outcome::Skipped("the build failed".to_owned()),
        }));
        summary.steps.push(Step::run("targets", |_| targets::check()));
    }

    /// All crates, also `jig-tables` without DuckDB: nothing is linked.
    ///
    /// It shares build scripts, procedural macros and C code with the build, but checks all other crates itself: cargo
    /// keeps metadata of checks and of builds apart. That is the smaller part, since no code is generated.
    fn clippy(&self) -> Command {
        let mut clippy = shell::cargo(["clippy", "--workspace", "--all-targets"]);
        self.set_environment(&mut clippy);
        clippy.args(["--", "--deny", "warnings"]);
        clippy
    }

    /// Builds or runs the tests. Cargo builds the programs `jig` and `jig-sql` with the integration tests of their
    /// packages. A build of their own before would compile much of them twice: development dependencies of the tests
    /// turn on features of crates that both use.
    fn cargo_test(&self, option: &str) -> Command {
        let mut test = shell::cargo(["test", "--workspace", option]);
        match &self.duckdb {
            Some(duckdb) => duckdb.configure(&mut test),
            None => {
                test.args(["--exclude", "jig-tables"]);
            }
        }
        self.tools.set_variables(&mut test);
        // Where nothing is installed, a test without its tool is skipped, which CI=true forbids.
        if self.without_installs {
            test.env_remove("CI");
        }
        test
    }

    fn run_tests(&self, tests: &mut TestCount) -> Result<(), String> {
        shell::run_all_lines(self.cargo_test("--no-fail-fast"), |line| {
            println!("{line}");
            tests.add_line(line);
        })
    }

    fn docs(&self) -> Command {
        let mut docs = shell::cargo(["doc", "--workspace", "--no-deps"]);
        self.set_environment(&mut docs);
        docs.env("RUSTDOCFLAGS", "--deny warnings");
        docs
    }

    fn set_environment(&self, cargo: &mut Command) {
        if let Some(duckdb) = &self.duckdb {
            duckdb.set_environment(cargo);
        }
    }
}

const CARGO_DENY_HINT: &str = "the tidy test checks licenses and sources";

/// Advisories are not checked: they change with the day, not with the code.
fn dependencies() -> Outcome {
    if paths::on_path("cargo-deny").is_none() {
        return Outcome::Skipped(format!("cargo-deny is not installed; {CARGO_DENY_HINT}"));
    }
    shell::run(shell::cargo(["deny", "check", "licenses", "bans", "sources"])).into()
}

/// Packs the libraries that others can use, as `cargo publish` would. The packages are not compiled: the tests have done
/// that with the same sources.
fn packages() -> Command {
    const LIBRARIES: [&str; 4] = ["jig-file-api", "jig-text", "jig-formula", "jig-ooxml"];
    let libraries = LIBRARIES.into_iter().flat_map(|name| ["--package", name]);
    shell::cargo(["package", "--quiet", "--no-verify", "--allow-dirty"].into_iter().chain(libraries))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn a_missing_tool_never_counts_as_passed() {
        let fails = |outcome| matches!(outcome, Outcome::Failed(_));
        assert_eq!(judge(false, true, 0), Outcome::Passed);
        assert!(fails(judge(false, false, 1)));
        assert!(fails(judge(false, true, 1)));
        assert!(fails(judge(true, true, 1)));
        assert_eq!(judge(true, false, 2), Outcome::Skipped("2 missing, as allowed".to_owned()));
    }

    #[test]
    fn options_can_be_combined_and_others_are_refused() {
        let expected = Options { yes: true, allow_missing: true, list: false };
        assert_eq!(Options::parse(&["--allow-missing", "--yes"]), Ok(expected));
        assert_eq!(Options::parse(&[]), Ok(Options::default()));
        assert_eq!(Options::parse(&["--fast"]), Err(args::unexpected("--fast")));
    }

    fn arguments(command: &Command) -> String {
        command.get_args().map(|argument| argument.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    fn value(command: &Command, name: &str) -> Option<Option<String>> {
        let found = command.get_envs().find(|(key, _)| *key == name)?;
        Some(found.1.map(|value| value.to_str().unwrap().to_owned()))
    }

    fn run_with(duckdb: Option<DuckDb>) -> Run {
        Run { duckdb, tools: Tools::default(), without_installs: false }
    }

    /// Otherwise `cargo test` would not build them.
    #[test]
    fn both_programs_have_integration_tests() {
        for package in ["jig", "jig-tables"] {
            assert!(paths::root().join("crates").join(package).join("tests/it/main.rs").is_file(), "{package}");
        }
    }

    #[test]
    fn without_duckdb_only_its_crate_is_left_out() {
        let run = run_with(None);
        assert_eq!(arguments(&run.cargo_test("--no-run")), "test --workspace --no-run --exclude jig-tables");
        assert_eq!(arguments(&run.clippy()), "clippy --workspace --all-targets -- --deny warnings");
    }

    #[test]
    fn every_command_gets_the_same_library() {
        let folder = PathBuf::from("/lib/duckdb");
        let run = run_with(Some(DuckDb::Shared { folder, via_env: true }));
        for command in [run.clippy(), run.docs(), run.cargo_test("--no-run"), run.cargo_test("--no-fail-fast")] {
            assert_eq!(value(&command, "DUCKDB_LIB_DIR"), Some(Some("/lib/duckdb".to_owned())), "{command:?}");
        }
        assert_eq!(arguments(&run.cargo_test("--no-fail-fast")), "test --workspace --no-fail-fast");
    }

    #[test]
    fn only_what_links_is_built_with_the_bundled_library() {
        let run = run_with(Some(DuckDb::Bundled { compiler: "c++".to_owned(), via_env: false }));
        let test = arguments(&run.cargo_test("--no-run"));
        assert_eq!(test, "test --workspace --no-run --features jig-tables/bundled");
        assert!(!arguments(&run.clippy()).contains("bundled") && !arguments(&run.docs()).contains("bundled"));
    }

    #[test]
    fn a_check_without_installs_may_skip_tests() {
        let run = Run { without_installs: true, ..run_with(None) };
        assert_eq!(value(&run.cargo_test("--no-run"), "CI"), Some(None));
        assert_eq!(value(&run_with(None).cargo_test("--no-run"), "CI"), None);
    }
}
