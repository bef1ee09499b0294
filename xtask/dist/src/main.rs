//! `cargo xtask dist`: packages one optimised build for every way to install it, and tests each package in an empty
//! environment.
//!
//! `packaging/README.md` describes the packages for those who use them; this module and its folder make them.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command for developers prints to the terminal")]

#[path = "../../../crates/jig-tables/duckdb.rs"]
#[allow(unreachable_pub, dead_code, reason = "shared with xtask and the build script of jig-tables")]
mod duckdb;
#[path = "../../src/paths.rs"]
#[allow(dead_code, reason = "shared with xtask")]
mod paths;
#[path = "../../src/shell.rs"]
#[allow(dead_code, reason = "shared with xtask")]
mod shell;

mod archive;
mod deb;
mod elf;
mod mcpb;
mod notices;
mod npm;
mod oci;
mod release;
mod root;
mod sbom;
mod smoke;
mod tarball;
#[cfg(test)]
mod tests;
mod wheel;

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs};

use release::{Release, Workspace};

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let options = match Options::parse(&args) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("error: {message}\nhint: `cargo xtask dist --help` shows the options");
            return ExitCode::from(2);
        }
    };
    match run(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Builds the executables, makes the chosen packages one after the other, and prints a table. A package that fails
/// does not stop the others.
fn run(options: Options) -> Result<(), String> {
    let workspace = Workspace::read()?;
    let binaries = match &options.binaries {
        Some(folder) => folder.clone(),
        None => build(&workspace)?,
    };
    let release = Release::collect(&workspace, &binaries)?;
    if options.binaries.is_none() {
        check_linked_statically(&release)?;
    }
    let out = options.out.unwrap_or_else(|| workspace.build_folder.join("dist"));
    fs::create_dir_all(&out).map_err(|error| format!("could not create {}: {error}", out.display()))?;
    let rows: Vec<Row> = options.kinds.iter().map(|kind| package(*kind, &release, &out, options.test)).collect();
    write_checksums(&out, &rows)?;
    print!("{}", table(&rows));
    println!("\nwrote {} with SHA256SUMS", out.display());
    match rows.iter().filter(|row| matches!(row.outcome, Outcome::Failed(_))).count() {
        0 => Ok(()),
        failed => Err(format!("{failed} of {} packages failed", rows.len())),
    }
}

/// The kinds of packages, in the order in which they are made.
const KINDS: [(&str, Kind); 7] = [
    ("sbom", Kind::Sbom),
    ("tarball", Kind::Tarball),
    ("deb", Kind::Deb),
    ("wheel", Kind::Wheel),
    ("npm", Kind::Npm),
    ("mcpb", Kind::Mcpb),
    ("oci", Kind::Oci),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sbom,
    Tarball,
    Deb,
    Wheel,
    Npm,
    Mcpb,
    Oci,
}

#[derive(Debug, PartialEq, Eq)]
struct Options {
    out: Option<PathBuf>,
    kinds: Vec<Kind>,
    binaries: Option<PathBuf>,
    test: Test,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Test {
    Run,
    Skip,
}

impl Options {
    fn parse(args: &[&str]) -> Result<Self, String> {
        let mut options =
            Self { out: None, kinds: KINDS.map(|(_, kind)| kind).to_vec(), binaries: None, test: Test::Run };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
            match *arg {
                "--out" => options.out = Some(absolute(value()?)?),
                "--only" => options.kinds = kinds(value()?)?,
                "--binaries" => options.binaries = Some(absolute(value()?)?),
                "--no-test" => options.test = Test::Skip,
                other => return Err(format!("unknown option `{other}` of cargo xtask dist")),
            }
        }
        Ok(options)
    }
}

/// The named kinds in the usual order.
fn kinds(list: &str) -> Result<Vec<Kind>, String> {
    let names: Vec<&str> = list.split(',').collect();
    if let Some(unknown) = names.iter().find(|name| !KINDS.iter().any(|(known, _)| known == *name)) {
        let known = KINDS.map(|(name, _)| name).join(", ");
        return Err(format!("unknown package `{unknown}`: expected one of {known}"));
    }
    Ok(KINDS.iter().filter(|(name, _)| names.contains(name)).map(|(_, kind)| *kind).collect())
}

/// Programs that are started in other folders get the path too.
fn absolute(path: &str) -> Result<PathBuf, String> {
    std::path::absolute(path).map_err(|error| format!("invalid path `{path}`: {error}"))
}

/// The one optimised build that every package is made from.
fn build(workspace: &Workspace) -> Result<PathBuf, String> {
    let args = "build --release --locked --package jig --package jig-tables --bins --features jig-tables/bundled";
    shell::run(shell::cargo(args.split(' ')))?;
    Ok(workspace.build_folder.join("release"))
}

/// Packages must not depend on a DuckDB library or on a folder of the build machine.
fn check_linked_statically(release: &Release) -> Result<(), String> {
    let needs = &release.needs;
    if needs.libraries.iter().any(|library| library.starts_with("libduckdb")) || !needs.run_paths.is_empty() {
        return Err("jig-sql is linked against DuckDB's shared library; packages need the static build".to_owned());
    }
    Ok(())
}

/// A finished package.
struct Artifact {
    name: String,
    bytes: Vec<u8>,
}

/// One row of the closing table.
struct Row {
    name: String,
    /// Bytes, where the package could be made.
    size: Option<usize>,
    sha256: Option<String>,
    outcome: Outcome,
    time: Duration,
}

enum Outcome {
    /// Passed, and how it was installed for the test.
    Passed(String),
    NotTested,
    Failed(String),
}

fn package(kind: Kind, release: &Release, out: &Path, test: Test) -> Row {
    let name = KINDS.iter().find(|(_, known)| *known == kind).map_or("", |(name, _)| name);
    println!("\n== {name}");
    let start = Instant::now();
    let made = make(kind, release).and_then(|artifact| {
        let file = out.join(&artifact.name);
        let written = fs::write(&file, &artifact.bytes);
        written.map_err(|error| format!("could not write {}: {error}", file.display())).map(|()| (artifact, file))
    });
    let row = match made {
        Err(why) => Row {
            name: name.to_owned(),
            size: None,
            sha256: None,
            outcome: Outcome::Failed(why),
            time: start.elapsed(),
        },
        Ok((artifact, file)) => {
            let outcome = match test {
                Test::Skip => Outcome::NotTested,
                Test::Run => {
                    install_and_check(kind, release, &artifact, &file).map_or_else(Outcome::Failed, Outcome::Passed)
                }
            };
            Row {
                size: Some(artifact.bytes.len()),
                sha256: Some(archive::sha256(&artifact.bytes)),
                name: artifact.name,
                outcome,
                time: start.elapsed(),
            }
        }
    };
    println!("{}: {} ({:.1} s)", row.name, row.result(), row.time.as_secs_f64());
    row
}

fn make(kind: Kind, release: &Release) -> Result<Artifact, String> {
    match kind {
        Kind::Sbom => sbom::make(release),
        Kind::Tarball => tarball::make(release),
        Kind::Deb => deb::make(release),
        Kind::Wheel => wheel::make(release),
        Kind::Npm => npm::make(release),
        Kind::Mcpb => mcpb::make(release),
        Kind::Oci => oci::make(release),
    }
}

/// Returns how the package was installed for its test.
fn install_and_check(kind: Kind, release: &Release, artifact: &Artifact, file: &Path) -> Result<String, String> {
    match kind {
        Kind::Sbom => sbom::test(&artifact.bytes),
        Kind::Tarball => tarball::test(release, file),
        Kind::Deb => deb::test(release, file),
        Kind::Wheel => wheel::test(release, file),
        Kind::Npm => npm::test(release, file),
        Kind::Mcpb => mcpb::test(release, file),
        Kind::Oci => oci::test(release, file),
    }
}

/// Writes `SHA256SUMS`. Packages of an earlier run stay listed as long as their files exist.
fn write_checksums(out: &Path, rows: &[Row]) -> Result<(), String> {
    let file = out.join("SHA256SUMS");
    let earlier = fs::read_to_string(&file).unwrap_or_default();
    let mut sums: std::collections::BTreeMap<&str, &str> = earlier
        .lines()
        .filter_map(|line| line.split_once("  "))
        .filter(|(_, name)| out.join(name).is_file())
        .map(|(sum, name)| (name, sum))
        .collect();
    sums.extend(rows.iter().filter_map(|row| Some((row.name.as_str(), row.sha256.as_deref()?))));
    let text: String = sums.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect();
    fs::write(&file, text).map_err(|error| format!("could not write {}: {error}", file.display()))
}

impl Row {
    fn result(&self) -> String {
        match &self.outcome {
            Outcome::Passed(how) => format!("passed ({how})"),
            Outcome::NotTested => "not tested (--no-test)".to_owned(),
            Outcome::Failed(why) => format!("FAILED: {why}"),
        }
    }
}

fn table(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0).max("package".len());
    let mut text = format!("\n{:<width$} {:>10} {:>8}  test\n", "package", "size", "seconds");
    for row in rows {
        let size = row.size.map_or_else(|| "-".to_owned(), human_size);
        let seconds = row.time.as_secs_f64();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{:<width$} {size:>10} {seconds:>8.1}  {}", row.name, row.result());
    }
    text
}

fn human_size(bytes: usize) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1_024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

/// Replaces every `@NAME@` of a template. A name without a value is an error, so that no placeholder is shipped.
fn fill(template: &str, values: &[(&str, &str)]) -> Result<String, String> {
    let mut text = template.to_owned();
    for (name, value) in values {
        text = text.replace(&format!("@{name}@"), value);
    }
    let is_name = |word: &&str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    // Between two signs: every second piece, counted from either.
    match text.split('@').skip(1).find(is_name) {
        Some(name) => Err(format!("placeholder @{name}@ of a packaging template has no value")),
        None => Ok(text),
    }
}

/// A program on the path. At a terminal, root on Debian is asked whether to install it.
fn need(program: &str, package: &str) -> Result<PathBuf, String> {
    if let Some(found) = paths::on_path(program) {
        return Ok(found);
    }
    let install = format!("apt-get install --yes --no-install-recommends {package}");
    let missing = format!("{program} is not installed; Debian: `apt-get install {package}` as root");
    let can_ask = std::io::stdin().is_terminal() && paths::on_path("apt-get").is_some();
    if !can_ask || !confirm(&format!("{program} is needed. Run `{install}`?")) {
        return Err(missing);
    }
    let mut words = install.split(' ');
    let mut command = shell::command(words.next().unwrap_or_default());
    command.args(words).env("DEBIAN_FRONTEND", "noninteractive");
    shell::run(command)?;
    paths::on_path(program).ok_or(missing)
}

fn confirm(question: &str) -> bool {
    print!("{question} [y/N] ");
    let mut answer = String::new();
    std::io::stdout().flush().is_ok()
        && std::io::stdin().read_line(&mut answer).is_ok()
        && matches!(answer.trim(), "y" | "Y" | "yes")
}

/// A folder for temporary files, deleted at the end.
struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    fn new(name: &str) -> Result<Self, String> {
        // Tests run in parallel in one process.
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("jig-dist-{}-{number}-{name}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|error| format!("could not create {}: {error}", folder.display()))?;
        Ok(Self { folder })
    }

    fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
