//! What the tests need beside Rust: found, else installed, else named with the way to get it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{install, mcp, office, paths, python, shell};

/// The programs of a PostgreSQL server that the tests start.
const POSTGRES_PROGRAMS: [&str; 3] = ["initdb", "pg_ctl", "postgres"];

/// The tools of one run.
#[derive(Default)]
pub(crate) struct Tools {
    found: Vec<(&'static str, PathBuf)>,
    /// What is not there, one sentence or two each.
    pub(crate) missing: Vec<String>,
}

impl Tools {
    /// Looks for every tool and installs what is missing.
    pub(crate) fn prepare() -> Self {
        let mut tools = Self::default();
        tools.add("JIG_CXX", || program("c++", "g++"), "C++ compiler", CXX_HOW);
        tools.add("JIG_TEST_CURL", || program("curl", "curl"), "curl", CURL_HOW);
        tools.add("JIG_TEST_CHROMIUM", chromium, "Chromium", CHROMIUM_HOW);
        tools.add("JIG_TEST_MCP_CLIENTS", mcp::clients, "MCP clients", mcp::HOW);
        tools.add("JIG_TEST_POSTGRES_BIN", postgres, "PostgreSQL server", POSTGRES_HOW);
        tools.add("JIG_TEST_PYTHON", python::prepare, "Python with the packages of the tests", PYTHON_HOW);
        tools.add("JIG_TEST_SOFFICE", office::libreoffice, "LibreOffice", office::LIBREOFFICE_HOW);
        tools.add("JIG_TEST_VALIDATOR", office::validator, "Open XML validator", office::VALIDATOR_HOW);
        tools
    }

    /// Tells the tests where the tools are.
    pub(crate) fn tell(&self, command: &mut Command) {
        command.envs(self.found.iter().map(|(name, path)| (name, path)));
    }

    /// A person who sets the variable knows better than any search.
    fn add(
        &mut self,
        variable: &'static str,
        prepare: impl FnOnce() -> Result<PathBuf, String>,
        name: &str,
        how: &str,
    ) {
        let set = env::var_os(variable).filter(|value| !value.is_empty());
        match set.map(PathBuf::from).map_or_else(prepare, Ok) {
            Ok(path) => {
                println!("{name}: {}", path.display());
                self.found.push((variable, path));
            }
            Err(why) => self.missing.push(format!("{name}: {why}\n  {how} Or set {variable}.")),
        }
    }
}

const CXX_HOW: &str = "DuckDB is built with it. Debian: `apt-get install g++` as root.";
const CURL_HOW: &str = "The guide to HTTP is run with it. Debian: `apt-get install curl` as root.";
const CHROMIUM_HOW: &str = "The page is tested in it. Debian: `apt-get install chromium` as root.";
const POSTGRES_HOW: &str = "Debian: `apt-get install postgresql` as root. Elsewhere: a folder with \
                            initdb, pg_ctl and postgres.";
const PYTHON_HOW: &str = "Install Python 3.10 or newer with venv (Debian: `apt-get install \
                          python3-venv` as root) and let it reach a package index.";

/// A program on the path, from this package where it is not there yet.
pub(crate) fn program(name: &str, package: &str) -> Result<PathBuf, String> {
    if let Some(program) = paths::on_path(name) {
        return Ok(program);
    }
    install::debian(&[package])?;
    paths::on_path(name).ok_or_else(|| format!("installed, but `{name}` is not on the path"))
}

/// The browser that the page is tested in.
pub(crate) fn chromium() -> Result<PathBuf, String> {
    program("chromium", "chromium")
}

/// The folder with the programs of a PostgreSQL server.
pub(crate) fn postgres() -> Result<PathBuf, String> {
    if let Some(folder) = find_postgres() {
        return Ok(folder);
    }
    install::debian(&["postgresql"])?;
    find_postgres().ok_or_else(|| "installed, but its programs were not found".to_owned())
}

fn find_postgres() -> Option<PathBuf> {
    newest_debian(Path::new("/usr/lib/postgresql")).or_else(configured).filter(|bin| is_server(bin))
}

/// Debian keeps each major version in a folder of its own: `<versions>/15/bin`.
fn newest_debian(versions: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(versions).ok()?.flatten().map(|entry| entry.path());
    entries
        .filter_map(|folder| Some((major(&folder)?, folder.join("bin"))))
        .filter(|(_, bin)| is_server(bin))
        .max()
        .map(|(_, bin)| bin)
}

fn major(folder: &Path) -> Option<u32> {
    folder.file_name()?.to_str()?.parse().ok()
}

fn configured() -> Option<PathBuf> {
    let mut command = shell::command("pg_config");
    command.arg("--bindir");
    shell::output(command).ok().map(PathBuf::from)
}

fn is_server(bin: &Path) -> bool {
    POSTGRES_PROGRAMS.iter().all(|program| bin.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_newest_complete_version_is_taken() {
        let versions = env::temp_dir().join(format!("xtask-postgres-{}", std::process::id()));
        for (version, programs) in [
            ("9", &POSTGRES_PROGRAMS[..]),
            ("15", &POSTGRES_PROGRAMS[..]),
            ("17", &["psql"][..]),
            ("common", &POSTGRES_PROGRAMS[..]),
        ] {
            let bin = versions.join(version).join("bin");
            fs::create_dir_all(&bin).unwrap();
            for program in programs {
                fs::write(bin.join(program), "").unwrap();
            }
        }
        let newest = newest_debian(&versions);
        fs::remove_dir_all(&versions).unwrap();
        assert_eq!(newest, Some(versions.join("15/bin")));
        assert_eq!(newest_debian(&versions), None);
    }

    #[test]
    fn a_missing_tool_is_named_with_the_way_to_get_it() {
        let mut tools = Tools::default();
        let prepare = || Err("not here.".to_owned());
        tools.add("XTASK_NO_SUCH_VARIABLE", prepare, "Lathe", "Buy one.");
        assert_eq!(tools.missing, ["Lathe: not here.\n  Buy one. Or set XTASK_NO_SUCH_VARIABLE."]);
        assert!(tools.found.is_empty());
    }
}
