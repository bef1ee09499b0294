//! Other tools, each in its own process.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::jig::Measured;

/// The locations of the other tools.
pub(crate) struct Peers {
    pub(crate) python: PathBuf,
    pub(crate) script: PathBuf,
    pub(crate) calamine: PathBuf,
}

impl Peers {
    /// A Python library or a server.
    pub(crate) fn python(&self, work: &str, file: &Path, rounds: usize) -> Measured {
        let mut command = Command::new(&self.python);
        command.arg(&self.script).arg(work).arg(file).arg(rounds.to_string());
        run(command, rounds)
    }

    /// All values of all sheets, read by calamine.
    pub(crate) fn calamine(&self, file: &Path, rounds: usize) -> Measured {
        let mut command = Command::new(&self.calamine);
        command.arg(file).arg(rounds.to_string());
        run(command, rounds)
    }
}

/// Each tool prints a line per round in milliseconds, then its memory in KiB.
pub(crate) fn run(mut command: Command, rounds: usize) -> Measured {
    let output = command.stderr(Stdio::inherit()).output().expect("a run");
    assert!(output.status.success(), "{command:?} failed");
    let text = String::from_utf8(output.stdout).expect("numbers");
    let mut lines: Vec<f64> = text.lines().map(|line| line.parse().expect("a number")).collect();
    let memory = lines.pop().expect("the memory");
    assert_eq!(lines.len(), rounds, "{command:?}: {text}");
    Measured {
        times: lines.into_iter().map(|time| Duration::from_secs_f64(time / 1_000.0)).collect(),
        memory_kib: memory as u64,
    }
}
