//! The long-running checks of `cargo xtask soak`, with the built program over HTTP.
//!
//! `soak kills` kills a server during writes and searches for lost acknowledged writes. `soak load` puts mixed load on
//! a server and checks for errors and growing resources. Both print a report and exit with 1 if they found something.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "a program for developers")]

mod client;
mod kills;
mod load;
mod server;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// The options of a check.
struct Options {
    /// The `jig` executable.
    program: PathBuf,
    /// The folder for data and totals between runs.
    folder: PathBuf,
    time: Duration,
    /// `kills` stops when this many kills have accumulated.
    until: Option<u64>,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let part = arguments.next().expect("kills or load");
    let rest: Vec<String> = arguments.collect();
    let value = |name: &str| {
        let at = rest.iter().position(|argument| argument == name)?;
        rest.get(at + 1).cloned()
    };
    let required = |name: &str| value(name).unwrap_or_else(|| panic!("{name} is missing"));
    let minutes: u64 = required("--minutes").parse().expect("a number of minutes");
    let options = Options {
        program: required("--program").into(),
        folder: required("--folder").into(),
        time: Duration::from_secs(60 * minutes),
        until: value("--until").map(|kills| kills.parse().expect("a number of kills")),
    };
    let is_clean = match part.as_str() {
        "kills" => kills::run(&options),
        "load" => load::run(&options),
        other => panic!("there is no part `{other}`"),
    };
    if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
