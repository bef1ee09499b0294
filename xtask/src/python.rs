//! Python packages at exact versions, each set in a venv of its own in Jig's cache folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{paths, shell};

/// A venv and the packages in it.
pub(crate) struct Venv {
    name: &'static str,
    /// The file of requirements in the checkout, and its text.
    file: &'static str,
    text: &'static str,
}

pub(crate) const TESTS: Venv =
    Venv { name: "venv", file: "xtask/requirements.txt", text: include_str!("../requirements.txt") };

pub(crate) const PEERS: Venv =
    Venv { name: "bench-venv", file: "bench/requirements.txt", text: include_str!("../../bench/requirements.txt") };

/// Two versions of a package need two venvs.
pub(crate) const NEWEST_DUCKDB: Venv = Venv {
    name: "bench-newest-duckdb",
    file: "bench/newest-duckdb.txt",
    text: include_str!("../../bench/newest-duckdb.txt"),
};

/// Prints the installed versions of the named packages in the format of `requirements.txt`.
const VERSIONS: &str = "\
import sys
from importlib.metadata import version
print('\\n'.join(f'{name}=={version(name)}' for name in sys.argv[1:]))";

/// A Python that can create a venv. Debian's lacks the module for that without `python3-venv`.
pub(crate) fn find_base() -> Option<PathBuf> {
    let python = paths::on_path("python3")?;
    let mut command = shell::command(&python);
    command.args(["-c", "import venv, ensurepip"]);
    shell::output(command).ok().map(|_| python)
}

impl Venv {
    /// The venv's Python, if every package has its required version.
    pub(crate) fn find(&self) -> Option<PathBuf> {
        self.python().ok().filter(|python| self.is_complete(python))
    }

    pub(crate) fn install(&self) -> Result<PathBuf, String> {
        let python = self.python()?;
        // Cleared, because a venv whose Python was upgraded or removed cannot be repaired in place.
        let mut create = shell::command("python3");
        create.args(["-m", "venv", "--clear"]).arg(paths::cache().ok_or(paths::NO_CACHE)?.join(self.name));
        shell::run(create)?;
        shell::run(self.pip_install(&python))?;
        self.find().ok_or_else(|| "the packages are installed, but not at the required versions".to_owned())
    }

    fn python(&self) -> Result<PathBuf, String> {
        Ok(paths::cache().ok_or(paths::NO_CACHE)?.join(self.name).join("bin/python"))
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
            .arg(paths::root().join(self.file));
        command
    }
}

fn required(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
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
        for line in [TESTS, PEERS, NEWEST_DUCKDB].iter().flat_map(|venv| required(venv.text)) {
            assert_eq!(line.split("==").count(), 2, "{line}");
        }
    }

    #[test]
    fn a_missing_python_is_not_complete() {
        assert!(!TESTS.is_complete(Path::new("no-such-folder/bin/python")));
    }
}
