//! Starting other programs: always without standard input, always with the failure in words.

use std::env;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitStatus, Stdio};

use crate::paths;

/// A program that reads nothing from the terminal.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null());
    command
}

/// Cargo in the checkout's root, with the shared build folder.
///
/// What `cargo run` told this program about its own package is taken away again: it would reach
/// build scripts and make them run anew.
pub(crate) fn cargo<'a>(args: impl IntoIterator<Item = &'a str>) -> Command {
    let mut cargo = command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(args).current_dir(paths::root());
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(is_about_this_package) {
            cargo.env_remove(&name);
        }
    }
    if let Some(target) = paths::target() {
        cargo.env("CARGO_TARGET_DIR", target);
    }
    cargo
}

fn is_about_this_package(name: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"].iter().any(|prefix| name.starts_with(prefix))
}

/// Runs the command with its output on the terminal.
pub(crate) fn run(mut command: Command) -> Result<(), String> {
    announce(&command);
    let status = command.status().map_err(|error| not_started(&command, &error))?;
    check(&command, status)
}

/// Runs the command, handing over each line of its standard output as it comes.
pub(crate) fn run_lines(mut command: Command, mut line: impl FnMut(&str)) -> Result<(), String> {
    announce(&command);
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| not_started(&command, &error))?;
    if let Some(output) = child.stdout.take() {
        for bytes in BufReader::new(output).split(b'\n') {
            let bytes = bytes.map_err(|error| not_started(&command, &error))?;
            line(&String::from_utf8_lossy(&bytes));
        }
    }
    let status = child.wait().map_err(|error| not_started(&command, &error))?;
    check(&command, status)
}

/// Runs the command quietly; its standard output, or on failure what it said on standard error.
pub(crate) fn output(mut command: Command) -> Result<String, String> {
    let output = command.output().map_err(|error| not_started(&command, &error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{}: {}", in_words(&command), said.trim()))
}

fn announce(command: &Command) {
    eprintln!("$ {}", in_words(command));
}

fn check(command: &Command, status: ExitStatus) -> Result<(), String> {
    if status.success() {
        return Ok(());
    }
    Err(format!("{} ended with {status}", in_words(command)))
}

fn not_started(command: &Command, error: &std::io::Error) -> String {
    format!("{} could not be run: {error}", in_words(command))
}

/// The command as one would type it; the program by its name, without its folder.
fn in_words(command: &Command) -> String {
    let program = command.get_program();
    let name = std::path::Path::new(program).file_name().unwrap_or(program);
    let mut words = name.to_string_lossy().into_owned();
    for argument in command.get_args() {
        words.push(' ');
        words.push_str(&argument.to_string_lossy());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = command("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_failing_program_is_an_error_that_names_it() {
        let error = run(sh("exit 3")).unwrap_err();
        assert_eq!(error, "sh -c exit 3 ended with exit status: 3");
        let error = output(sh("echo why >&2; exit 1")).unwrap_err();
        assert_eq!(error, "sh -c echo why >&2; exit 1: why");
        assert!(run(command("no-such-program-of-any-kind")).is_err());
    }

    #[test]
    fn lines_arrive_even_when_the_program_fails() {
        let mut lines = Vec::new();
        let result = run_lines(sh("echo one; echo two; exit 1"), |line| {
            lines.push(line.to_owned());
        });
        assert!(result.is_err());
        assert_eq!(lines, ["one", "two"]);
    }

    #[test]
    fn nothing_is_read_from_the_terminal() {
        assert_eq!(output(sh("cat; echo end")), Ok("end".to_owned()));
    }
}
