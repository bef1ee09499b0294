//! A release: the executables and the files that every package carries with them.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::Value;

use super::elf::Needs;
use super::{Scratch, notices, sbom, smoke};
use crate::{paths, shell};

/// `jig` looks for `jig-sql` in its own folder, so packages keep the two together.
pub(super) const PROGRAMS: [&str; 2] = ["jig", "jig-sql"];

/// Who answers for the packages, in the form of Debian's `Maintainer` field.
pub(super) const MAINTAINER: &str = "Jig maintainers <maintainers@jig.example>";
pub(super) const AUTHOR: &str = "Jig maintainers";
pub(super) const SUMMARY: &str = "The context workbench for AI agents";
pub(super) const LICENSE: &str = "Apache-2.0";

pub(super) struct Release {
    pub(super) version: String,
    pub(super) target: Target,
    /// The time of every file in every package.
    pub(super) time: Timestamp,
    pub(super) programs: Vec<Program>,
    pub(super) needs: Needs,
    /// Manual pages of section 1 by file name.
    pub(super) manuals: Vec<(String, Vec<u8>)>,
    pub(super) completions: Completions,
    pub(super) sbom: String,
    /// The license texts of the crates in the executables.
    pub(super) notices: String,
    pub(super) documents: Documents,
}

/// An executable, or a shared library that is installed next to it.
pub(super) struct Program {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) path: PathBuf,
}

pub(super) struct Completions {
    pub(super) bash: String,
    pub(super) zsh: String,
    pub(super) fish: String,
}

/// Files from the root of the checkout.
pub(super) struct Documents {
    pub(super) license: String,
    pub(super) readme: String,
    pub(super) changelog: String,
}

impl Release {
    /// Reads the version and target from cargo, then collects the executables and asks `jig` for its manual pages and
    /// completions.
    pub(super) fn collect(workspace: &Workspace, binaries: &Path) -> Result<Self, String> {
        let programs = programs(binaries)?;
        let mut needs = Needs::default();
        for program in &programs {
            needs.add(&program.path, &program.bytes)?;
        }
        let scratch = Scratch::new("release")?;
        let jig = smoke::Installed::new([&programs[0].path], scratch.path())?;
        let completion = |shell| jig.run(&["completions", shell]);
        Ok(Self {
            version: workspace.version.clone(),
            target: workspace.target.clone(),
            time: workspace.time,
            needs,
            manuals: manuals(&jig, &scratch.path().join("man"), &workspace.version)?,
            completions: Completions { bash: completion("bash")?, zsh: completion("zsh")?, fish: completion("fish")? },
            sbom: sbom::document(workspace)?,
            notices: notices::document(workspace, &read(&paths::root().join("NOTICE"))?)?,
            documents: Documents {
                license: read(&paths::root().join("LICENSE"))?,
                readme: read(&paths::root().join("README.md"))?,
                changelog: read(&paths::root().join("CHANGELOG.md"))?,
            },
            programs,
        })
    }

    /// The executables and libraries as archive entries in `folder`.
    pub(super) fn add_programs<'a>(&'a self, tree: &mut super::archive::Tree<'a>, folder: &str) {
        for program in &self.programs {
            tree.program(format!("{folder}/{}", program.name), program.bytes.as_slice());
        }
    }
}

/// Both executables, and DuckDB's shared library where the executables were linked against it.
fn programs(folder: &Path) -> Result<Vec<Program>, String> {
    let mut names: Vec<String> = PROGRAMS.iter().map(|name| (*name).to_owned()).collect();
    let entries = fs::read_dir(folder).map_err(|error| format!("could not read {}: {error}", folder.display()))?;
    let mut libraries: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.starts_with("libduckdb.") && ["so", "dylib"].iter().any(|end| name.ends_with(end)))
        .collect();
    libraries.sort();
    names.append(&mut libraries);
    let program = |name: String| {
        let path = folder.join(&name);
        let bytes = fs::read(&path).map_err(|error| format!("could not read {}: {error}", path.display()))?;
        Ok(Program { name, bytes, path })
    };
    names.into_iter().map(program).collect()
}

/// The pages that `jig` writes about itself, and the one of `jig-sql`, which has no commands to describe.
fn manuals(jig: &smoke::Installed, folder: &Path, version: &str) -> Result<Vec<(String, Vec<u8>)>, String> {
    let cannot = |error| format!("could not read the manual pages in {}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(cannot)?;
    jig.run(&["man-pages", &folder.to_string_lossy()])?;
    let sql = super::fill(include_str!("../../../packaging/man/jig-sql.1"), &[("VERSION", version)])?;
    let mut pages = vec![("jig-sql.1".to_owned(), sql.into_bytes())];
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        pages.push((name, fs::read(entry.path()).map_err(cannot)?));
    }
    if !pages.iter().any(|(name, _)| name == "jig.1") {
        return Err("`jig man-pages` did not write jig.1".to_owned());
    }
    pages.sort();
    Ok(pages)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("could not read {}: {error}", path.display()))
}

/// What cargo and git know about the checkout.
pub(super) struct Workspace {
    pub(super) version: String,
    pub(super) target: Target,
    pub(super) time: Timestamp,
    pub(super) metadata: Value,
    /// The text of `Cargo.lock`, for checksums.
    pub(super) lock: String,
    /// The version of the bundled DuckDB.
    pub(super) duckdb: String,
    /// Cargo's build folder.
    pub(super) build_folder: PathBuf,
}

impl Workspace {
    pub(super) fn read() -> Result<Self, String> {
        let target = Target::parse(&host()?)?;
        let metadata = metadata(&target.triple)?;
        let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
        let jig = packages.iter().find(|package| package["name"] == "jig" && package["source"].is_null());
        let version = jig.and_then(|jig| jig["version"].as_str()).ok_or("cargo metadata has no package `jig`")?;
        let folder = metadata["target_directory"].as_str().ok_or("cargo metadata has no target_directory")?;
        Ok(Self {
            version: version.to_owned(),
            target,
            time: source_time()?,
            lock: read(&paths::root().join("Cargo.lock"))?,
            duckdb: duckdb_version(&read(&paths::root().join("crates/jig-tables/duckdb.rs"))?)?,
            build_folder: PathBuf::from(folder),
            metadata,
        })
    }
}

fn host() -> Result<String, String> {
    let text = shell::output(shell::cargo(["-vV"]))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "cargo -vV does not name its host".to_owned())
}

/// Offline where possible: after a build every crate is there.
fn metadata(target: &str) -> Result<Value, String> {
    let args = ["metadata", "--format-version", "1", "--locked", "--filter-platform", target];
    let mut offline = shell::cargo(args);
    offline.arg("--offline");
    let text = shell::output(offline).or_else(|_| shell::output(shell::cargo(args)))?;
    serde_json::from_str(&text).map_err(|error| format!("could not read the output of cargo metadata: {error}"))
}

/// `SOURCE_DATE_EPOCH` if set, else the time of the last commit, else the start of zip's calendar.
fn source_time() -> Result<Timestamp, String> {
    const START_OF_1980: i64 = 315_532_800;
    let seconds = match paths::variable("SOURCE_DATE_EPOCH")
        .and_then(|value| value.into_string().ok())
        .filter(|value| !value.is_empty())
    {
        Some(text) => text.parse().map_err(|_| format!("invalid SOURCE_DATE_EPOCH `{text}`: expected seconds"))?,
        None => {
            let mut git = shell::command("git");
            git.args(["log", "-1", "--format=%ct"]).current_dir(paths::root());
            shell::output(git).ok().and_then(|text| text.parse().ok()).unwrap_or(START_OF_1980)
        }
    };
    Timestamp::from_second(seconds).map_err(|error| format!("invalid SOURCE_DATE_EPOCH `{seconds}`: {error}"))
}

/// Reads `pub const VERSION: &str = "1.5.5";`.
fn duckdb_version(source: &str) -> Result<String, String> {
    let line = source.lines().find_map(|line| line.strip_prefix("pub const VERSION: &str = \""));
    let version = line.and_then(|rest| rest.strip_suffix("\";"));
    version.map(str::to_owned).ok_or_else(|| "crates/jig-tables/duckdb.rs has no `VERSION`".to_owned())
}

/// The platform of the executables, in the words of each kind of package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) triple: String,
    pub(super) arch: Arch,
    pub(super) system: System,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arch {
    X86_64,
    Aarch64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum System {
    Linux,
    MacOs,
}

impl Target {
    fn parse(triple: &str) -> Result<Self, String> {
        let arch = match triple.split('-').next() {
            Some("x86_64") => Arch::X86_64,
            Some("aarch64") => Arch::Aarch64,
            _ => return Err(format!("cannot make packages for {triple}: unsupported processor")),
        };
        let system = match triple {
            _ if triple.ends_with("-linux-gnu") => System::Linux,
            _ if triple.ends_with("-apple-darwin") => System::MacOs,
            _ => return Err(format!("cannot make packages for {triple}: unsupported system")),
        };
        Ok(Self { triple: triple.to_owned(), arch, system })
    }

    /// As Debian and OCI name it.
    pub(super) const fn debian_arch(&self) -> &'static str {
        match self.arch {
            Arch::X86_64 => "amd64",
            Arch::Aarch64 => "arm64",
        }
    }

    /// As Python's platform tags name it.
    pub(super) const fn python_arch(&self) -> &'static str {
        match self.arch {
            Arch::X86_64 => "x86_64",
            Arch::Aarch64 => "aarch64",
        }
    }

    /// As Node's `process.arch` names it.
    pub(super) const fn node_arch(&self) -> &'static str {
        match self.arch {
            Arch::X86_64 => "x64",
            Arch::Aarch64 => "arm64",
        }
    }

    /// As Node's `process.platform` names it.
    pub(super) const fn node_platform(&self) -> &'static str {
        match self.system {
            System::Linux => "linux",
            System::MacOs => "darwin",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_has_a_name_for_each_kind_of_package() {
        let target = Target::parse("x86_64-unknown-linux-gnu").unwrap();
        assert_eq!((target.debian_arch(), target.python_arch(), target.node_arch()), ("amd64", "x86_64", "x64"));
        let target = Target::parse("aarch64-apple-darwin").unwrap();
        assert_eq!((target.debian_arch(), target.node_arch(), target.node_platform()), ("arm64", "arm64", "darwin"));
        for other in ["riscv64gc-unknown-linux-gnu", "x86_64-pc-windows-msvc", "x86_64-unknown-linux-musl"] {
            assert!(Target::parse(other).is_err(), "{other}");
        }
    }

    #[test]
    fn the_duckdb_version_is_read_from_its_source() {
        let source = "/// DuckDB's version.\npub const VERSION: &str = \"1.5.5\";\n";
        assert_eq!(duckdb_version(source).unwrap(), "1.5.5");
        assert!(duckdb_version("const OTHER: u8 = 1;").is_err());
        assert!(duckdb_version(&read(&paths::root().join("crates/jig-tables/duckdb.rs")).unwrap()).is_ok());
    }
}
