//! The tools that tests and benchmarks use besides Rust, and how each is found.

use std::path::{Path, PathBuf};

use crate::needs::{Need, Source};
use crate::{npm_packages, paths, python, shell};

/// Everything that the tests need, in the order of the table. A client is listed before what it downloads.
pub(crate) const TESTS: [&Need; 9] =
    [&NPM, &PYTHON, &CURL, &CHROMIUM, &LIBREOFFICE, &POSTGRESQL, &PYTHON_PACKAGES, &OFFICE_VALIDATOR, &MCP_CLIENTS];

pub(crate) static NPM: Need = Need {
    name: "npm",
    purpose: "DuckDB, Open XML validator, MCP clients",
    variable: None,
    source: Source::Apt(&["npm"]),
    find: || paths::on_path("npm"),
};

pub(crate) static PYTHON: Need = Need {
    name: "Python",
    purpose: "Python packages",
    variable: None,
    source: Source::Apt(&["python3", "python3-venv"]),
    find: python::find_base,
};

static CURL: Need = Need {
    name: "curl",
    purpose: "the examples of the HTTP guide",
    variable: None,
    source: Source::Apt(&["curl"]),
    find: || paths::on_path("curl"),
};

pub(crate) static CHROMIUM: Need = Need {
    name: "Chromium",
    purpose: "end-to-end tests of the web app",
    variable: Some("JIG_TEST_CHROMIUM"),
    source: Source::Apt(&["chromium"]),
    find: || paths::on_path("chromium"),
};

/// The variant without a desktop: the tests only convert files.
pub(crate) static LIBREOFFICE: Need = Need {
    name: "LibreOffice",
    purpose: "opening edited Office files",
    variable: Some("JIG_TEST_SOFFICE"),
    source: Source::Apt(&["libreoffice-writer-nogui", "libreoffice-calc-nogui", "libreoffice-impress-nogui"]),
    find: find_libreoffice,
};

pub(crate) static POSTGRESQL: Need = Need {
    name: "PostgreSQL",
    purpose: "store and team server tests",
    variable: Some("JIG_TEST_POSTGRES_BIN"),
    source: Source::Apt(&["postgresql"]),
    find: find_postgresql,
};

pub(crate) static PYTHON_PACKAGES: Need = Need {
    name: "Python packages",
    purpose: "Playwright, Office readers, MCP client",
    variable: Some("JIG_TEST_PYTHON"),
    source: Source::Cache { installer: "pip", client: &PYTHON, fetch: || python::TESTS.install() },
    find: || python::TESTS.find(),
};

/// The peers of the benchmark are in a venv of their own: their dependencies must not change what the tests run with.
pub(crate) static BENCH_PACKAGES: Need = Need {
    name: "Python peers",
    purpose: "the libraries that Jig is compared with",
    variable: None,
    source: Source::Cache { installer: "pip", client: &PYTHON, fetch: || python::PEERS.install() },
    find: || python::PEERS.find(),
};

pub(crate) static NEWEST_DUCKDB: Need = Need {
    name: "newest DuckDB",
    purpose: "a peer for SQL, beside the version that Jig contains",
    variable: None,
    source: Source::Cache { installer: "pip", client: &PYTHON, fetch: || python::NEWEST_DUCKDB.install() },
    find: || python::NEWEST_DUCKDB.find(),
};

pub(crate) static OFFICE_VALIDATOR: Need = Need {
    name: "Open XML validator",
    purpose: "validity of edited Office files",
    variable: Some("JIG_TEST_VALIDATOR"),
    source: Source::Cache { installer: "npm", client: &NPM, fetch: npm_packages::install_validator },
    find: npm_packages::find_validator,
};

static MCP_CLIENTS: Need = Need {
    name: "MCP clients",
    purpose: "MCP conformance tests",
    variable: Some("JIG_TEST_MCP_CLIENTS"),
    source: Source::Cache { installer: "npm", client: &NPM, fetch: npm_packages::install_mcp_clients },
    find: npm_packages::find_mcp_clients,
};

pub(crate) static WRK: Need = Need {
    name: "wrk",
    purpose: "HTTP load of the benchmark",
    variable: None,
    source: Source::Apt(&["wrk"]),
    find: || paths::on_path("wrk"),
};

pub(crate) static PDFTOTEXT: Need = Need {
    name: "pdftotext",
    purpose: "a peer for text from PDF files",
    variable: None,
    source: Source::Apt(&["poppler-utils"]),
    find: || paths::on_path("pdftotext"),
};

/// On the path, the program is a link into the folder that has each application as a library.
fn find_libreoffice() -> Option<PathBuf> {
    let program = paths::on_path("soffice").or_else(|| paths::on_path("libreoffice"))?;
    let real = program.canonicalize().ok()?;
    has_applications(real.parent()?).then_some(program)
}

/// Writer, Calc and Impress.
fn has_applications(folder: &Path) -> bool {
    ["libswlo.so", "libsclo.so", "libsdlo.so"].iter().all(|library| folder.join(library).is_file())
}

/// The programs of a PostgreSQL server that the tests start.
const POSTGRESQL_PROGRAMS: [&str; 3] = ["initdb", "pg_ctl", "postgres"];

/// The folder with the programs of a PostgreSQL server.
fn find_postgresql() -> Option<PathBuf> {
    let configured = || {
        let mut command = shell::command("pg_config");
        command.arg("--bindir");
        shell::output(command).ok().map(PathBuf::from)
    };
    newest_postgresql(Path::new("/usr/lib/postgresql")).or_else(configured).filter(|bin| is_server(bin))
}

/// Debian has each major version in a folder of its own: `<versions>/15/bin`.
fn newest_postgresql(versions: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(versions).ok()?.flatten().map(|entry| entry.path());
    entries
        .filter_map(|folder| Some((major_version(&folder)?, folder.join("bin"))))
        .filter(|(_, bin)| is_server(bin))
        .max()
        .map(|(_, bin)| bin)
}

fn major_version(folder: &Path) -> Option<u32> {
    folder.file_name()?.to_str()?.parse().ok()
}

fn is_server(bin: &Path) -> bool {
    POSTGRESQL_PROGRAMS.iter().all(|program| bin.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_newest_complete_version_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let versions = folder.path();
        for (version, programs) in [
            ("9", &POSTGRESQL_PROGRAMS[..]),
            ("15", &POSTGRESQL_PROGRAMS[..]),
            ("17", &["psql"][..]),
            ("common", &POSTGRESQL_PROGRAMS[..]),
        ] {
            let bin = versions.join(version).join("bin");
            fs::create_dir_all(&bin).unwrap();
            for program in programs {
                fs::write(bin.join(program), "").unwrap();
            }
        }
        assert_eq!(newest_postgresql(versions), Some(versions.join("15/bin")));
        assert_eq!(newest_postgresql(&versions.join("17")), None);
    }

    #[test]
    fn libreoffice_needs_all_three_applications() {
        let folder = tempfile::tempdir().unwrap();
        for library in ["libswlo.so", "libsclo.so"] {
            fs::write(folder.path().join(library), "").unwrap();
        }
        assert!(!has_applications(folder.path()));
        fs::write(folder.path().join("libsdlo.so"), "").unwrap();
        assert!(has_applications(folder.path()));
    }

    #[test]
    fn clients_are_listed_before_what_they_download() {
        for (index, need) in TESTS.iter().enumerate() {
            if let Source::Cache { client, .. } = need.source {
                let position = TESTS.iter().position(|other| other.name == client.name);
                assert!(position.is_some_and(|position| position < index), "{}", need.name);
            }
        }
    }
}
