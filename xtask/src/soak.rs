//! `cargo xtask soak`: kills servers, puts load on them and repeats the tests of faults, until the time is over.
//!
//! Such a check passes most of the time even with a race in the code; only repetition finds it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::args::{self, Failure};
use crate::libtest::TestCount;
use crate::summary::duration;
use crate::{paths, shell, tools};

pub(crate) const HELP: &str = "\
Usage: cargo xtask soak [PART]... [OPTIONS]

Arguments:
  [PART]...       Which checks to run [default: all]
                  kills  Kills a server in the middle of writes and looks for acknowledged
                         writes that are gone. The figures of all runs accumulate
                  load   Puts mixed load on a server and looks for errors, and for memory,
                         descriptors, connections, threads and processes that grow
                  tests  Repeats the tests that kill processes, inject faults and put load
                         on Jig. A run that hangs is killed after 10 minutes

Options:
  --minutes N     How long each part runs [default: 5]
  --until N       End `kills` when N kills have accumulated
  --program PATH  Test this `jig` instead of building one

Keeps the data and the output of failed runs, and ends with a report.
";

/// The parts in the order in which they run.
const PARTS: [&str; 3] = ["kills", "load", "tests"];

/// Tests that run together: modules of one integration test binary.
struct Suite {
    name: &'static str,
    package: &'static str,
    modules: &'static [&'static str],
}

const SUITES: [Suite; 6] = [
    Suite { name: "kill", package: "jig-workbench", modules: &["kill", "session_kill"] },
    Suite { name: "fault", package: "jig-workbench", modules: &["disk_full", "repair", "read_only"] },
    Suite { name: "load", package: "jig-workbench", modules: &["crowd", "jobs"] },
    Suite { name: "provider-fault", package: "jig-providers", modules: &["faults", "retries"] },
    Suite { name: "server", package: "jig-surfaces", modules: &["http_end", "http_load"] },
    Suite { name: "process", package: "jig", modules: &["ask_ends", "pipes", "team"] },
];

/// A run that takes longer than this has hung. The longest takes a minute or two, and several on a busy machine.
const HANG: Duration = Duration::from_secs(10 * 60);

/// What to run.
#[derive(Debug, PartialEq, Eq)]
struct Options<'a> {
    parts: Vec<&'a str>,
    minutes: u32,
    until: Option<u32>,
    program: Option<PathBuf>,
}

pub(crate) fn run(args: &[&str]) -> Result<(), Failure> {
    let options = parse(args)?;
    let folder = paths::target().join("soak");
    fs::create_dir_all(&folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    let mut failed = false;
    for part in &options.parts {
        let is_clean = match *part {
            "tests" => repeat_tests(&options, &folder)?,
            part => run_program(part, &options, &folder)?,
        };
        failed |= !is_clean;
    }
    if failed { Err(Failure::Reported) } else { Ok(()) }
}

fn parse<'a>(args: &[&'a str]) -> Result<Options<'a>, Failure> {
    let mut options = Options { parts: Vec::new(), minutes: 5, until: None, program: None };
    let mut rest = args.iter().copied();
    while let Some(argument) = rest.next() {
        match argument {
            "--minutes" => options.minutes = args::number("--minutes", 1, &mut rest)?,
            "--until" => options.until = Some(args::number("--until", 1, &mut rest)?),
            "--program" => options.program = Some(args::value("--program", &mut rest)?.into()),
            part if PARTS.contains(&part) => options.parts.push(part),
            other => return Err(args::unexpected(other)),
        }
    }
    if options.parts.is_empty() {
        options.parts = PARTS.to_vec();
    }
    Ok(options)
}

/// Runs a part of the program `soak`, which is an example of the test kit.
fn run_program(part: &str, options: &Options<'_>, folder: &Path) -> Result<bool, String> {
    let program = match &options.program {
        Some(program) => program.clone(),
        None => {
            shell::run(shell::cargo(["build", "--package", "jig", "--package", "jig-tables", "--bins"]))?;
            paths::built("debug", "jig")
        }
    };
    shell::run(shell::cargo(["build", "--package", "jig-testkit", "--example", "soak"]))?;
    eprintln!("\n{part}, {} minutes", options.minutes);
    let mut soak = shell::command(paths::built("debug/examples", "soak"));
    soak.arg(part).arg("--program").arg(program).arg("--folder").arg(folder);
    soak.args(["--minutes", &options.minutes.to_string()]);
    if let Some(kills) = options.until {
        soak.args(["--until", &kills.to_string()]);
    }
    let status = soak.status().map_err(|error| format!("cannot run the check: {error}"))?;
    if !status.success() {
        eprintln!("FAILED: {part}; the data is in {}", folder.join(part).display());
    }
    Ok(status.success())
}

/// Repeats the suites until the time is over.
fn repeat_tests(options: &Options<'_>, folder: &Path) -> Result<bool, String> {
    let postgresql = tools::POSTGRESQL.locate();
    if postgresql.is_none() {
        eprintln!("note: PostgreSQL is not installed, so the tests with two servers are skipped");
    }
    let start = Instant::now();
    shell::run(build())?;
    eprintln!("Built the tests in {}", duration(start.elapsed()));
    let mut report = Report::default();
    report.repeat(Duration::from_secs(u64::from(options.minutes) * 60), |suite, round| {
        let log = folder.join(format!("{}-{round}.log", suite.name));
        let mut command = suite.command();
        if let (Some(variable), Some(folder)) = (tools::POSTGRESQL.variable, &postgresql) {
            command.env(variable, folder);
        }
        run_once(command, &log, HANG)
    });
    print!("{}", report.text());
    Ok(report.failures.is_empty())
}

fn build() -> Command {
    let mut build = shell::cargo(["test", "--no-run", "--test", "it"]);
    let mut packages: Vec<&str> = SUITES.iter().map(|suite| suite.package).collect();
    packages.dedup();
    build.args(packages.iter().flat_map(|package| ["--package", package]));
    build
}

impl Suite {
    fn command(&self) -> Command {
        let mut test = shell::cargo(["test", "--package", self.package, "--test", "it", "--"]);
        test.args(self.modules.iter().map(|module| format!("{module}::")));
        // With CI=true, tests fail where a tool is missing. Here they are skipped.
        test.env_remove("CI");
        test
    }
}

/// Runs a suite with its output in a file. The file is deleted unless the run fails.
fn run_once(mut command: Command, log: &Path, limit: Duration) -> Result<(), String> {
    let failed = |error: io::Error| format!("cannot run the tests: {error}");
    let file = File::create(log).map_err(failed)?;
    command.stdout(file.try_clone().map_err(failed)?).stderr(file);
    let mut child = command.spawn().map_err(failed)?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        if start.elapsed() > limit {
            kill_tree(&mut child);
            return Err(format!("no end after {}; see {}", duration(limit), log.display()));
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    let mut tests = TestCount::default();
    String::from_utf8_lossy(&fs::read(log).map_err(failed)?).lines().for_each(|line| tests.add_line(line));
    if !status.success() {
        let names: Vec<String> = tests.failures().iter().map(ToString::to_string).collect();
        let names = if names.is_empty() { status.to_string() } else { names.join(", ") };
        return Err(format!("{names}; see {}", log.display()));
    }
    if tests.passed == 0 {
        return Err(format!("no test ran; see {}", log.display()));
    }
    fs::remove_file(log).map_err(failed)
}

/// Kills a process and all that it started. Killing cargo alone would leave the tests running, and their own children
/// too, some of which never end by themselves.
fn kill_tree(child: &mut Child) {
    let pids: Vec<String> = descendants(child.id()).iter().map(ToString::to_string).collect();
    if !pids.is_empty() {
        let mut kill = shell::command("sh");
        kill.args(["-c", "kill -KILL \"$@\"", "sh"]).args(pids);
        let _ = shell::output(kill);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The processes that a process started, directly or not. Only Linux lists them.
fn descendants(pid: u32) -> Vec<u32> {
    let processes: Vec<(u32, u32)> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            Some((pid, parent(&fs::read_to_string(entry.path().join("stat")).ok()?)?))
        })
        .collect();
    let mut found = vec![pid];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(processes.iter().filter(|(_, of)| *of == parent).map(|(child, _)| *child));
        next += 1;
    }
    found.split_off(1)
}

/// The parent in a line of `/proc/<pid>/stat`. The name before it may contain anything.
fn parent(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// What happened.
#[derive(Default)]
struct Report {
    rounds: u32,
    time: Duration,
    /// By suite: runs, failed runs, and the longest.
    suites: [(u32, u32, Duration); SUITES.len()],
    failures: Vec<String>,
}

impl Report {
    /// Runs all suites again and again. Every suite runs at least once; none starts after the time is over.
    fn repeat(&mut self, time: Duration, run: impl Fn(&Suite, u32) -> Result<(), String>) {
        let start = Instant::now();
        let is_over = || start.elapsed() >= time;
        while self.rounds == 0 || !is_over() {
            let round = self.rounds + 1;
            for (suite, (runs, failed, longest)) in SUITES.iter().zip(&mut self.suites) {
                if round > 1 && is_over() {
                    break;
                }
                let begin = Instant::now();
                let result = run(suite, round);
                *runs += 1;
                *longest = begin.elapsed().max(*longest);
                if let Err(why) = result {
                    *failed += 1;
                    let failure = format!("round {round}, {}: {why}", suite.name);
                    eprintln!("FAILED: {failure}");
                    self.failures.push(failure);
                }
            }
            self.rounds = round;
            eprintln!("Round {round} ended after {}, {} failed", duration(start.elapsed()), self.failures.len());
        }
        self.time = start.elapsed();
    }

    fn text(&self) -> String {
        let mut text = format!("\n{:<15} {:>6} {:>7} {:>12}\n", "suite", "runs", "failed", "longest");
        for (suite, (runs, failed, longest)) in SUITES.iter().zip(&self.suites) {
            text.push_str(&format!("{:<15} {runs:>6} {failed:>7} {:>12}\n", suite.name, duration(*longest)));
        }
        if !self.failures.is_empty() {
            text.push_str("\nFailed runs:\n");
        }
        for failure in &self.failures {
            text.push_str(&format!("- {failure}\n"));
        }
        let (rounds, failed) = (self.rounds, self.failures.len());
        text.push_str(&format!("\n{rounds} rounds in {}, {failed} failed runs\n", duration(self.time)));
        text
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = shell::command("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn every_suite_has_its_modules() {
        for suite in &SUITES {
            for module in suite.modules {
                let file: std::path::PathBuf =
                    ["crates", suite.package, "tests/it", &format!("{module}.rs")].iter().collect();
                assert!(paths::root().join(&file).is_file(), "{} does not exist", file.display());
            }
        }
    }

    #[test]
    fn all_parts_for_five_minutes_are_the_default() {
        let default = Options { parts: PARTS.to_vec(), minutes: 5, until: None, program: None };
        assert_eq!(parse(&[]), Ok(default));
        let chosen = Options { parts: vec!["kills"], minutes: 2, until: Some(10_000), program: Some("jig".into()) };
        let args = ["kills", "--minutes", "2", "--until", "10000", "--program", "jig"];
        assert_eq!(parse(&args), Ok(chosen));
        assert_eq!(parse(&["--minutes"]), Err(Failure::Usage("`--minutes` needs a value".to_owned())));
        assert_eq!(parse(&["--minutes", "2", "x"]), Err(args::unexpected("x")));
        assert_eq!(parse(&["--hours", "2"]), Err(args::unexpected("--hours")));
    }

    #[test]
    fn only_the_output_of_a_failed_run_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("run.log");
        let run = |script: &str| run_once(sh(script), &log, HANG);
        assert_eq!(run("echo 'test result: ok. 2 passed; 0 failed'"), Ok(()));
        assert!(!log.exists());
        let error = run("echo 'test a::b ... FAILED'; echo 'test result: FAILED. 0 passed; 1 failed'
                         echo 'error: test failed, to rerun pass `-p jig --test it`' >&2; exit 101");
        assert_eq!(error, Err(format!("a::b (-p jig --test it); see {}", log.display())));
        assert!(log.exists());
        // A renamed module must not pass as a good run.
        let error = run("echo 'test result: ok. 0 passed; 0 failed; 9 filtered out'");
        assert_eq!(error, Err(format!("no test ran; see {}", log.display())));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_run_that_hangs_is_killed_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let (log, pid) = (folder.path().join("run.log"), folder.path().join("pid"));
        let mut command = sh("sleep 600 & echo $! >\"$0\"; wait");
        command.arg(&pid);
        let error = run_once(command, &log, Duration::from_millis(500)).unwrap_err();
        assert_eq!(error, format!("no end after 0.5 s; see {}", log.display()));
        let stat = format!("/proc/{}/stat", fs::read_to_string(pid).unwrap().trim());
        // Killed, though its new parent may not have noticed yet.
        let is_running = || fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
        for _ in 0..100 {
            if is_running() {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        assert!(!is_running());
    }

    #[test]
    fn every_suite_runs_at_least_once_and_failures_are_counted() {
        let mut report = Report::default();
        report.repeat(Duration::ZERO, |suite, round| match suite.name {
            "load" => Err(format!("broke in round {round}")),
            _ => Ok(()),
        });
        assert_eq!(report.rounds, 1);
        assert!(report.suites.iter().all(|(runs, _, _)| *runs == 1));
        assert_eq!(report.failures, ["round 1, load: broke in round 1"]);
        let text = report.text();
        assert!(text.contains("\nload                 1       1        0.0 s\n"), "{text}");
        assert!(text.ends_with("\n1 rounds in 0.0 s, 1 failed runs\n"), "{text}");
    }

    #[test]
    fn the_parent_is_found_after_any_name() {
        assert_eq!(parent("12 (a) b) c) S 7 12 12 0"), Some(7));
        assert_eq!(parent("12"), None);
    }
}
