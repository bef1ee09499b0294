//! `cargo xtask install`: the optimized build, and the two programs in the user's `bin` folder.
//!
//! `cargo install` would build each package by itself, and compile what they share twice.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::args::{self, Failure};
use crate::duckdb_library::{DuckDb, Host};
use crate::summary::duration;
use crate::{duckdb, paths, shell};

pub(crate) const HELP: &str = "\
Usage: cargo xtask install [--root DIR]

Options:
  --root DIR  Install into DIR/bin
              [default: $CARGO_INSTALL_ROOT, else $CARGO_HOME, else ~/.cargo]

Builds `jig` and its SQL engine `jig-sql` from source, with optimizations and with DuckDB
linked statically, and copies both into one folder. Needs a C++ compiler.
";

const PROGRAMS: [&str; 2] = ["jig", "jig-sql"];

/// `cargo xtask install`
pub(crate) fn run(args: &[&str]) -> Result<(), Failure> {
    let root = match args {
        [] => default_root(paths::variable).ok_or_else(|| {
            Failure::Failed("cannot find a folder to install into: HOME is not set\nhint: pass `--root DIR`".to_owned())
        })?,
        ["--root", root] => PathBuf::from(root),
        ["--root"] => return Err(Failure::Usage("`--root` needs a value".to_owned())),
        [other, ..] => return Err(args::unexpected(other)),
    };
    let bin = root.join("bin");
    let start = Instant::now();
    eprintln!(
        "Building jig and jig-sql with optimizations, and DuckDB {} from source.\n\
         The first time this takes 30 minutes or more on 2 cores.",
        duckdb::VERSION
    );
    build()?;
    let programs = PROGRAMS.map(|name| paths::built("release", name));
    copy(&programs, &bin).map_err(|error| format!("cannot install into {}: {error}", bin.display()))?;
    println!("Installed jig and jig-sql in {} ({})", bin.display(), duration(start.elapsed()));
    if !is_on_path(&bin, &env::var_os("PATH").unwrap_or_default()) {
        eprintln!("warning: {} is not on your PATH; add it to run `jig`", bin.display());
    }
    Ok(())
}

/// The build that users install. Returns how it gets DuckDB. `cargo xtask bench` measures the same one.
pub(crate) fn build() -> Result<DuckDb, String> {
    let duckdb = Host::current().bundled()?;
    let packages = ["--package", "jig", "--package", "jig-tables", "--bins"];
    let mut cargo = shell::cargo(["build", "--release", "--locked"].into_iter().chain(packages));
    duckdb.configure(&mut cargo);
    shell::run(cargo)?;
    Ok(duckdb)
}

/// As `cargo install` chooses it.
fn default_root(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let home = || variable("HOME").or_else(|| variable("USERPROFILE")).map(|home| PathBuf::from(home).join(".cargo"));
    variable("CARGO_INSTALL_ROOT").or_else(|| variable("CARGO_HOME")).map(PathBuf::from).or_else(home)
}

/// Copies the programs. Each is renamed into place, so that a running one is not disturbed and none is ever incomplete.
/// Both are copied before the first is renamed: a full disk leaves the old pair.
fn copy(programs: &[PathBuf], bin: &Path) -> io::Result<()> {
    fs::create_dir_all(bin)?;
    let names = programs.iter().filter_map(|program| program.file_name());
    let places: Vec<(PathBuf, PathBuf)> =
        names.map(|name| (bin.join(format!(".{}-{}", name.display(), std::process::id())), bin.join(name))).collect();
    let result = programs
        .iter()
        .zip(&places)
        .try_for_each(|(program, (temporary, _))| fs::copy(program, temporary).map(|_| ()))
        .and_then(|()| places.iter().try_for_each(|(temporary, place)| fs::rename(temporary, place)));
    if result.is_err() {
        for (temporary, _) in &places {
            let _ = fs::remove_file(temporary);
        }
    }
    result
}

fn is_on_path(folder: &Path, path: &OsString) -> bool {
    let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    env::split_paths(path).any(|listed| real(&listed) == real(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_chosen_as_cargo_install_chooses_it() {
        let root = |set: &[(&str, &str)]| {
            default_root(|name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value)))
        };
        let home = ("HOME", "/h");
        assert_eq!(root(&[home]), Some(PathBuf::from("/h/.cargo")));
        assert_eq!(root(&[home, ("CARGO_HOME", "/c")]), Some(PathBuf::from("/c")));
        assert_eq!(root(&[home, ("CARGO_HOME", "/c"), ("CARGO_INSTALL_ROOT", "/i")]), Some(PathBuf::from("/i")));
        assert_eq!(root(&[]), None);
    }

    #[test]
    fn both_programs_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let programs = PROGRAMS.map(|name| folder.path().join(name));
        let bin = folder.path().join("new/bin");
        for text in ["old", "new"] {
            programs.iter().for_each(|program| fs::write(program, text).unwrap());
            copy(&programs, &bin).unwrap();
        }
        let mut files: Vec<_> = fs::read_dir(&bin).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        assert_eq!(files, PROGRAMS.map(|name| bin.join(name)));
        assert!(files.iter().all(|file| fs::read_to_string(file).unwrap() == "new"));
    }

    #[test]
    fn a_failed_copy_leaves_the_old_pair() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).unwrap();
        fs::write(bin.join("jig"), "old").unwrap();
        fs::write(folder.path().join("jig"), "new").unwrap();
        let programs = PROGRAMS.map(|name| folder.path().join(name));
        assert!(copy(&programs, &bin).is_err());
        assert_eq!(fs::read_to_string(bin.join("jig")).unwrap(), "old");
        assert_eq!(fs::read_dir(&bin).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_is_on_the_path_by_any_of_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).unwrap();
        let path = env::join_paths([PathBuf::from("/usr/bin"), bin.join("../bin")]).unwrap();
        assert!(is_on_path(&bin, &path));
        assert!(!is_on_path(folder.path(), &path));
    }

    #[test]
    fn wrong_arguments_are_refused_before_anything_is_built() {
        assert_eq!(run(&["--root"]), Err(Failure::Usage("`--root` needs a value".to_owned())));
        assert_eq!(run(&["--force"]), Err(args::unexpected("--force")));
    }
}
