//! Python with packages at exact versions: a venv in the cache folder for the tests, another for the benchmark.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{install, paths, shell};

/// A venv and what has to be in it.
pub(crate) struct Venv {
    name: &'static str,
    /// The list's place in the checkout, and its text.
    list: &'static str,
    text: &'static str,
}

/// What the tests need.
const TESTS: Venv = Venv { name: "venv", list: "xtask/requirements.txt", text: include_str!("../requirements.txt") };

/// The peers of the benchmark: apart, so that their dependencies cannot change what the tests run with.
const PEERS: Venv =
    Venv { name: "bench-venv", list: "bench/requirements.txt", text: include_str!("../../bench/requirements.txt") };

/// Prints the installed versions of the named packages in the form of `requirements.txt`.
const VERSIONS: &str = "\
import sys
from importlib.metadata import version
print('\\n'.join(f'{name}=={version(name)}' for name in sys.argv[1:]))";

/// The Python of the tests.
pub(crate) fn prepare() -> Result<PathBuf, String> {
    TESTS.prepare()
}

/// The Python of the benchmark.
pub(crate) fn prepare_peers() -> Result<PathBuf, String> {
    PEERS.prepare()
}

impl Venv {
    /// The venv's Python, with every required package at its required version.
    fn prepare(&self) -> Result<PathBuf, String> {
        let cache = paths::cache().ok_or("neither XDG_CACHE_HOME nor HOME is set")?;
        let venv = cache.join(self.name);
        let python = venv.join("bin/python");
        if self.is_complete(&python) {
            return Ok(python);
        }
        make(&venv)?;
        shell::run(self.pip_install(&python))?;
        if self.is_complete(&python) {
            return Ok(python);
        }
        Err("the packages were installed, but their versions are not the required ones".to_owned())
    }

    fn is_complete(&self, python: &Path) -> bool {
        let required = required(self.text);
        let names = required.iter().filter_map(|line| line.split("==").next());
        let mut command = shell::command(python);
        command.args(["-c", VERSIONS]).args(names);
        shell::output(command).is_ok_and(|installed| installed.lines().eq(required))
    }

    fn pip_install(&self, python: &Path) -> Command {
        let mut command = shell::command(python);
        command
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"])
            .arg(paths::root().join(self.list));
        command
    }
}

fn required(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

fn make(venv: &Path) -> Result<(), String> {
    // Debian ships Python without the part that fills a venv.
    if shell::output(base_python(&["-c", "import venv, ensurepip"])).is_err() {
        install::debian(&["python3", "python3-venv"])?;
    }
    // Cleared, because a venv whose Python was upgraded or removed cannot be mended in place.
    let mut command = base_python(&["-m", "venv", "--clear"]);
    command.arg(venv);
    shell::run(command)
}

fn base_python(args: &[&str]) -> Command {
    let mut command = shell::command("python3");
    command.args(args);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_empty_lines_are_not_requirements() {
        assert_eq!(required("# why\n\na==1\n  b==2 \n"), ["a==1", "b==2"]);
    }

    #[test]
    fn every_requirement_has_one_exact_version() {
        for line in [TESTS, PEERS].iter().flat_map(|venv| required(venv.text)) {
            assert_eq!(line.split("==").count(), 2, "{line}");
        }
    }

    #[test]
    fn a_python_that_is_not_there_is_not_complete() {
        assert!(!TESTS.is_complete(Path::new("no-such-folder/bin/python")));
    }
}
