//! `cargo xtask bench`: measures the build that users install, and its peers on the same files, and writes the result to
//! `bench/RESULTS.md`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use crate::args::Failure;
use crate::duckdb_library::DuckDb;
use crate::needs::{self, Consent, Need, Tools};
use crate::{duckdb, install, paths, shell, tools};

pub(crate) const HELP: &str = "\
Usage: cargo xtask bench [--yes] [PART]...

Arguments:
  [PART]...  Measure only these and print the result: starts, worker, office, pdf, tables,
             prompt, recipes, sessions, drafts, http, web

Options:
  --yes      Install missing system packages with apt without asking

Measures the build of `cargo xtask install` and, on the same files, its peers. Without a
PART, everything is measured and bench/RESULTS.md is rewritten.
";

/// Everything that can be measured, in the order of the page.
const PARTS: [&str; 11] =
    ["starts", "worker", "office", "pdf", "tables", "prompt", "recipes", "sessions", "drafts", "http", "web"];

pub(crate) fn run(args: &[&str]) -> Result<(), Failure> {
    let (options, parts): (Vec<&str>, Vec<&str>) = args.iter().partition(|argument| argument.starts_with("--"));
    if let Some(unknown) = options.iter().find(|option| **option != "--yes") {
        return Err(crate::args::unexpected(unknown));
    }
    if let Some(unknown) = parts.iter().find(|part| !PARTS.contains(part)) {
        return Err(Failure::Usage(format!("unknown part `{unknown}`: use {}", PARTS.join(", "))));
    }
    Ok(measure(&parts, Consent::current(!options.is_empty()))?)
}

/// The measuring program prints Markdown; the machine and the build are put above it.
fn measure(parts: &[&str], consent: Consent) -> Result<(), String> {
    let tools = needs::require(&needed(parts), consent)?;
    let duckdb = install::build()?;
    // By a command of its own: built together, its dependencies would turn on features that users do not install.
    shell::run(shell::cargo(["build", "--release", "--package", "jig-testkit", "--example", "bench"]))?;
    let mut measured = String::new();
    shell::run_lines(measuring_program(parts, &tools)?, |line| {
        println!("{line}");
        measured.push_str(line);
        measured.push('\n');
    })?;
    if measured.trim().is_empty() {
        return Err("the benchmark printed nothing; bench/RESULTS.md is unchanged".to_owned());
    }
    if parts.is_empty() {
        write_results(&page(&describe_machine(), &describe_build(&duckdb), &measured))
    } else {
        Ok(())
    }
}

/// The tools of the chosen parts.
fn needed(parts: &[&str]) -> Vec<&'static Need> {
    let mut needs = vec![&tools::PYTHON, &tools::BENCH_PACKAGES];
    if is_chosen(parts, "pdf") {
        needs.push(&tools::PDFTOTEXT);
    }
    if is_chosen(parts, "tables") {
        needs.push(&tools::NEWEST_DUCKDB);
    }
    if is_chosen(parts, "http") {
        needs.extend([&tools::WRK, &tools::POSTGRESQL]);
    }
    if is_chosen(parts, "web") {
        needs.push(&tools::CHROMIUM);
    }
    needs
}

/// The program with its files and peers.
fn measuring_program(parts: &[&str], tools: &Tools) -> Result<Command, String> {
    let python = tools.path(&tools::BENCH_PACKAGES)?;
    let bench = paths::root().join("bench");
    let mut command = shell::command(paths::built("release/examples", "bench"));
    command.arg("--python").arg(python).arg("--peers").arg(bench.join("peers.py"));
    command.arg("--calamine").arg(build_calamine()?);
    for generator in GENERATORS {
        let folder = generator.folder()?;
        if generator.parts.iter().any(|part| is_chosen(parts, part)) {
            let mut generate = shell::command(python);
            generate.arg(bench.join(generator.script)).arg(&folder);
            shell::run(generate)?;
        }
        command.arg(generator.option).arg(folder);
    }
    if is_chosen(parts, "tables") {
        command.arg("--newest-duckdb").arg(tools.path(&tools::NEWEST_DUCKDB)?);
    }
    if is_chosen(parts, "http") {
        command.arg("--wrk").arg(tools.path(&tools::WRK)?);
        command.arg("--postgres").arg(tools.path(&tools::POSTGRESQL)?);
    }
    if is_chosen(parts, "web") {
        command.arg("--paint").arg(bench.join("paint.py")).arg("--chromium").arg(tools.path(&tools::CHROMIUM)?);
    }
    if !parts.is_empty() {
        command.arg("--parts").arg(parts.join(","));
    }
    Ok(command)
}

/// The only peer that has to be built. It is not a member of the workspace.
fn build_calamine() -> Result<PathBuf, String> {
    let target = paths::target().join("peers");
    let mut cargo = shell::cargo(["build", "--release", "--locked"]);
    cargo.current_dir(paths::root().join("bench/calamine")).env("CARGO_TARGET_DIR", &target);
    shell::run(cargo)?;
    Ok(target.join("release").join("bench-calamine").with_extension(std::env::consts::EXE_EXTENSION))
}

/// Whether a part is measured: without a choice, all are.
fn is_chosen(parts: &[&str], part: &str) -> bool {
    parts.is_empty() || parts.contains(&part)
}

/// A script that generates files to measure with.
struct Generator {
    script: &'static str,
    text: &'static str,
    /// The parts that need the files.
    parts: &'static [&'static str],
    /// The option by which the measuring program gets them.
    option: &'static str,
    /// Tables have a folder of their own in the cache: they take more than a gigabyte.
    cache: &'static str,
}

const GENERATORS: [Generator; 3] = [
    Generator {
        script: "make.py",
        text: include_str!("../../bench/make.py"),
        parts: &["worker", "office"],
        option: "--files",
        cache: "bench-files",
    },
    Generator {
        script: "make_pdf.py",
        text: include_str!("../../bench/make_pdf.py"),
        parts: &["pdf"],
        option: "--pdf-files",
        cache: "bench-files",
    },
    Generator {
        script: "make_tables.py",
        text: include_str!("../../bench/make_tables.py"),
        parts: &["tables"],
        option: "--tables",
        cache: "bench-tables",
    },
];

impl Generator {
    /// Files are generated once for each version of the script.
    fn folder(&self) -> Result<PathBuf, String> {
        Ok(paths::cache().ok_or(paths::NO_CACHE)?.join(self.cache).join(text_version(self.text)))
    }
}

/// A name that changes with the text.
fn text_version(text: &str) -> String {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn page(machine: &str, build: &str, measured: &str) -> String {
    let measured = measured.trim();
    format!("# Benchmark results\n\nWritten by `cargo xtask bench`.\n\n{machine}{build}\n{measured}\n")
}

fn write_results(page: &str) -> Result<(), String> {
    let file = paths::root().join("bench/RESULTS.md");
    fs::write(&file, page).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    println!("\nWritten to bench/RESULTS.md");
    Ok(())
}

const UNKNOWN: &str = "unknown";

/// A Markdown list: processor, cores, memory, kernel, compiler.
fn describe_machine() -> String {
    let cpu = field(&read("/proc/cpuinfo"), "model name");
    let memory = mebibytes(&field(&read("/proc/meminfo"), "MemTotal"));
    let cores = thread::available_parallelism().map_or(UNKNOWN.to_owned(), |n| n.to_string());
    let kernel = or_unknown(read("/proc/sys/kernel/osrelease").trim());
    let rustc = shell::version("rustc").unwrap_or(UNKNOWN.to_owned());
    format!("- CPU: {cpu}\n- Cores: {cores}\n- Memory: {memory}\n- Kernel: {kernel}\n- Compiler: {rustc}\n")
}

/// One more item of that list.
fn describe_build(duckdb: &DuckDb) -> String {
    let version = duckdb::VERSION;
    let DuckDb::Bundled { compiler, .. } = duckdb else {
        return format!("- Build: release profile, DuckDB {version} as a shared library\n");
    };
    let program = compiler.split_whitespace().next().unwrap_or(compiler);
    let compiler = shell::version(program).unwrap_or_else(|_| compiler.clone());
    format!("- Build: `cargo xtask install` (release profile, DuckDB {version} compiled by {compiler})\n")
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The value of the first `name : value` line.
fn field(text: &str, name: &str) -> String {
    let value = text
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == name)
        .map_or("", |(_, value)| value.trim());
    or_unknown(value)
}

fn mebibytes(kibibytes: &str) -> String {
    let number = kibibytes.split(' ').next().and_then(|number| number.parse::<u64>().ok());
    number.map_or(UNKNOWN.to_owned(), |number| format!("{} MiB", number / 1024))
}

fn or_unknown(value: &str) -> String {
    if value.is_empty() { UNKNOWN.to_owned() } else { value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_part_is_refused_before_anything_is_built() {
        let message = "unknown part `lathe`: use starts, worker, office, pdf, tables, prompt, recipes, sessions, \
                       drafts, http, web";
        assert_eq!(run(&["starts", "lathe"]), Err(Failure::Usage(message.to_owned())));
        assert_eq!(run(&["--fast"]), Err(crate::args::unexpected("--fast")));
    }

    #[test]
    fn the_help_lists_all_parts() {
        let words: Vec<&str> = HELP.split([',', ' ', '\n']).collect();
        assert!(PARTS.iter().all(|part| words.contains(part)));
    }

    #[test]
    fn only_the_tools_of_the_chosen_parts_are_needed() {
        let names = |parts: &[&str]| needed(parts).iter().map(|need| need.name).collect::<Vec<_>>();
        assert_eq!(names(&["tables"]), ["Python", "Python peers", "newest DuckDB"]);
        assert_eq!(names(&["http"]), ["Python", "Python peers", "wrk", "PostgreSQL"]);
        assert_eq!(names(&[]).len(), 7);
    }

    #[test]
    fn changed_scripts_generate_again() {
        assert_eq!(text_version("one"), text_version("one"));
        assert_ne!(text_version("one"), text_version("two"));
    }

    #[test]
    fn the_page_names_machine_and_build_above_the_numbers() {
        let expected = "# Benchmark results\n\nWritten by `cargo xtask bench`.\n\n\
                        - CPU: abacus\n- Build: slow\n\n## Draft\n1 ms\n";
        assert_eq!(page("- CPU: abacus\n", "- Build: slow\n", "\n## Draft\n1 ms\n\n"), expected);
    }

    #[test]
    fn the_build_names_duckdb_and_its_compiler() {
        let build = describe_build(&DuckDb::Bundled { compiler: "no-such-compiler".to_owned(), via_env: false });
        let expected = "- Build: `cargo xtask install` (release profile, DuckDB 1.5.5 compiled by no-such-compiler)\n";
        assert_eq!(build, expected);
    }

    #[test]
    fn a_field_is_found_by_its_full_name() {
        let cpuinfo = "model\t\t: 85\nmodel name\t: Abacus 3000: fast\nmodel name\t: other\n";
        assert_eq!(field(cpuinfo, "model name"), "Abacus 3000: fast");
        assert_eq!(field(cpuinfo, "flags"), UNKNOWN);
    }

    #[test]
    fn memory_is_shown_in_mebibytes() {
        assert_eq!(mebibytes("8131072 kB"), "7940 MiB");
        assert_eq!(mebibytes(UNKNOWN), UNKNOWN);
    }
}
