//! Starting other programs. They get no standard input, and a failure names the command.

use std::env;
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use crate::paths;

/// A program that reads nothing from the terminal.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null());
    command
}

/// Cargo in the root of the checkout, with the build folder of `paths::target`.
///
/// `cargo run` describes xtask's package in the environment. That is removed: build scripts that watch such a variable
/// would run again for every command.
pub(crate) fn cargo<'a>(args: impl IntoIterator<Item = &'a str>) -> Command {
    let mut cargo = command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(args).current_dir(paths::root());
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(describes_package) {
            cargo.env_remove(&name);
        }
    }
    if let Some(target) = paths::target_setting() {
        cargo.env("CARGO_TARGET_DIR", target);
    }
    cargo
}

fn describes_package(name: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"].iter().any(|prefix| name.starts_with(prefix))
}

/// Runs the command with its output on the terminal.
pub(crate) fn run(mut command: Command) -> Result<(), String> {
    announce(&command);
    let status = command.status().map_err(|error| not_started(&display(&command), &error))?;
    check(&display(&command), status)
}

/// Runs the command, passing on each line of its standard output as it arrives.
pub(crate) fn run_lines(mut command: Command, mut line: impl FnMut(&str)) -> Result<(), String> {
    announce(&command);
    let words = display(&command);
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| not_started(&words, &error))?;
    if let Some(output) = child.stdout.take() {
        for bytes in BufReader::new(output).split(b'\n') {
            let bytes = bytes.map_err(|error| not_started(&words, &error))?;
            line(&String::from_utf8_lossy(&bytes));
        }
    }
    let status = child.wait().map_err(|error| not_started(&words, &error))?;
    check(&words, status)
}

/// Runs the command, passing on each line of both its outputs, in the order in which they were written.
pub(crate) fn run_all_lines(mut command: Command, mut line: impl FnMut(&str)) -> Result<(), String> {
    announce(&command);
    let words = display(&command);
    let failed = |error: io::Error| not_started(&words, &error);
    let (reader, writer) = io::pipe().map_err(failed)?;
    command.stdout(writer.try_clone().map_err(failed)?).stderr(writer);
    let mut child = command.spawn().map_err(failed)?;
    // The command holds the writing ends; only without them does the reader see an end.
    drop(command);
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for bytes in BufReader::new(reader).split(b'\n').map_while(Result::ok) {
            if sender.send(String::from_utf8_lossy(&bytes).into_owned()).is_err() {
                break;
            }
        }
    });
    // A process left behind by a failed test may keep the pipe open, so the end of the command ends the reading too.
    loop {
        match lines.recv_timeout(Duration::from_secs(1)) {
            Ok(text) => line(&text),
            Err(RecvTimeoutError::Timeout) if child.try_wait().map_err(failed)?.is_none() => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    check(&words, child.wait().map_err(failed)?)
}

/// Runs the command without showing it. Returns its standard output, or an error with its standard error.
pub(crate) fn output(mut command: Command) -> Result<String, String> {
    let output = command.output().map_err(|error| not_started(&display(&command), &error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{}` failed: {}", display(&command), stderr.trim()))
}

/// Replaces this process by the program, which gets the terminal, the signals and the exit code. Returns only an error.
#[cfg(unix)]
pub(crate) fn exec(mut command: Command) -> String {
    use std::os::unix::process::CommandExt as _;
    announce(&command);
    let error = command.exec();
    not_started(&display(&command), &error)
}

/// Without `exec`, this process waits for the program and exits with its code.
#[cfg(not(unix))]
pub(crate) fn exec(mut command: Command) -> String {
    announce(&command);
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => not_started(&display(&command), &error),
    }
}

/// The first line of `PROGRAM --version`.
pub(crate) fn version(program: impl AsRef<OsStr>) -> Result<String, String> {
    let mut version = command(program);
    version.arg("--version");
    output(version).map(|text| text.lines().next().unwrap_or_default().to_owned())
}

fn announce(command: &Command) {
    eprintln!("$ {}", display(command));
}

fn check(words: &str, status: ExitStatus) -> Result<(), String> {
    if status.success() {
        return Ok(());
    }
    Err(format!("`{words}` failed with {status}"))
}

fn not_started(words: &str, error: &io::Error) -> String {
    format!("cannot run `{words}`: {error}")
}

/// The command as one would type it, with the program's name in place of its path.
fn display(command: &Command) -> String {
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
        assert_eq!(error, "`sh -c exit 3` failed with exit status: 3");
        let error = output(sh("echo why >&2; exit 1")).unwrap_err();
        assert_eq!(error, "`sh -c echo why >&2; exit 1` failed: why");
        let error = run(command("no-such-program")).unwrap_err();
        assert!(error.starts_with("cannot run `no-such-program`: "), "{error}");
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
    fn both_outputs_arrive_in_the_order_they_were_written() {
        let mut lines = Vec::new();
        let result = run_all_lines(sh("echo one; echo two >&2; echo three; exit 1"), |line| {
            lines.push(line.to_owned());
        });
        assert!(result.is_err());
        assert_eq!(lines, ["one", "two", "three"]);
    }

    #[test]
    fn a_process_that_keeps_the_output_open_does_not_block() {
        let folder = tempfile::tempdir().unwrap();
        let ended = folder.path().join("ended");
        let mut command = sh("(sleep 10; touch \"$0\") & echo done");
        command.arg(&ended);
        run_all_lines(command, |_| {}).unwrap();
        assert!(!ended.exists(), "it waited for the process in the background");
    }

    #[test]
    fn nothing_is_read_from_the_terminal() {
        assert_eq!(output(sh("cat; echo end")), Ok("end".to_owned()));
    }

    #[test]
    fn a_version_is_its_first_line() {
        let version = version(env!("CARGO")).unwrap();
        assert!(version.starts_with("cargo ") && !version.contains('\n'), "{version}");
    }
}
