//! `cargo xtask bench`: measures an optimised build and keeps the result in `bench/RESULTS.md`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::{engine, machine, paths, python, shell, tools};

/// Everything that can be measured, in the order of the page.
const PARTS: [&str; 11] =
    ["starts", "worker", "office", "pdf", "tables", "prompt", "recipes", "sessions", "drafts", "http", "web"];

/// The measuring program prints Markdown; the machine it ran on is put above it.
pub(crate) fn run(parts: &[&str]) -> Result<(), String> {
    if let Some(unknown) = parts.iter().find(|part| !PARTS.contains(part)) {
        return Err(format!("there is no part `{unknown}`; there are: {}", PARTS.join(", ")));
    }
    // Both in one build, so that what they share is built once. The program that is started and timed
    // lies beside the one that measures.
    let packages = ["--package", "jig", "--package", "jig-testkit", "--bin", "jig", "--example", "bench"];
    let mut build = shell::cargo(["build", "--profile", "measure"].into_iter().chain(packages));
    let engine = engine::choose(&mut build);
    shell::run(build)?;
    let mut measured = String::new();
    shell::run_lines(measuring(parts)?, |line| {
        println!("{line}");
        measured.push_str(line);
        measured.push('\n');
    })?;
    if measured.trim().is_empty() {
        return Err("the benchmark printed nothing; bench/RESULTS.md was left as it was".to_owned());
    }
    if parts.is_empty() { keep(&page(&machine::describe(&engine), &measured)) } else { Ok(()) }
}

/// The program with its files and peers at hand.
fn measuring(parts: &[&str]) -> Result<Command, String> {
    let target = paths::target().unwrap_or_else(|| paths::root().join("target"));
    let python = python::prepare_peers()?;
    let bench = paths::root().join("bench");
    let mut command = shell::command(target.join("measure/examples/bench"));
    command.arg("--python").arg(&python).arg("--peers").arg(bench.join("peers.py"));
    command.arg("--calamine").arg(calamine()?);
    for maker in MAKERS {
        let folder = maker.folder()?;
        if maker.parts.iter().any(|part| is_asked(parts, part)) {
            let mut make = shell::command(&python);
            make.arg(bench.join(maker.name)).arg(&folder);
            shell::run(make)?;
        }
        command.arg(maker.option).arg(folder);
    }
    if is_asked(parts, "pdf") {
        needed("pdf", "pdftotext", "poppler-utils")?;
    }
    if is_asked(parts, "http") {
        command.arg("--wrk").arg(needed("http", "wrk", "wrk")?).arg("--postgres").arg(tools::postgres()?);
    }
    if is_asked(parts, "web") {
        command.arg("--paint").arg(bench.join("paint.py")).arg("--chromium").arg(tools::chromium()?);
    }
    if !parts.is_empty() {
        command.arg("--parts").arg(parts.join(","));
    }
    Ok(command)
}

/// The one peer that is to be built. It is no member of the workspace.
fn calamine() -> Result<PathBuf, String> {
    let package = paths::root().join("bench/calamine");
    let target = paths::target().unwrap_or_else(|| paths::root().join("target")).join("peers");
    let mut cargo = shell::cargo(["build", "--release", "--locked"]);
    cargo.current_dir(package).env("CARGO_TARGET_DIR", &target);
    shell::run(cargo)?;
    Ok(target.join("release/bench-calamine"))
}

/// A program that a part needs: the load tool, or a peer.
fn needed(part: &str, name: &str, package: &str) -> Result<PathBuf, String> {
    let how = |why| format!("the part `{part}` needs {name}: {why}. Debian: `apt-get install {package}` as root");
    tools::program(name, package).map_err(how)
}

/// Whether a part is measured: without any named, all are.
fn is_asked(parts: &[&str], part: &str) -> bool {
    parts.is_empty() || parts.contains(&part)
}

/// A program that makes files to measure with.
struct Maker {
    name: &'static str,
    text: &'static str,
    /// The parts that need its files.
    parts: &'static [&'static str],
    /// How the measuring program is told of them.
    option: &'static str,
    /// Large tables are kept apart: they are more than a gigabyte.
    cache: &'static str,
}

const MAKERS: [Maker; 3] = [
    Maker {
        name: "make.py",
        text: include_str!("../../bench/make.py"),
        parts: &["worker", "office"],
        option: "--files",
        cache: "bench-files",
    },
    Maker {
        name: "make_pdf.py",
        text: include_str!("../../bench/make_pdf.py"),
        parts: &["pdf"],
        option: "--pdf-files",
        cache: "bench-files",
    },
    Maker {
        name: "make_tables.py",
        text: include_str!("../../bench/make_tables.py"),
        parts: &["tables"],
        option: "--tables",
        cache: "bench-tables",
    },
];

impl Maker {
    /// Files are made once for each version of what makes them.
    fn folder(&self) -> Result<PathBuf, String> {
        let cache = paths::cache().ok_or("neither XDG_CACHE_HOME nor HOME is set")?;
        Ok(cache.join(self.cache).join(version(self.text)))
    }
}

/// A name that is another one for another text.
fn version(text: &str) -> String {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn page(machine: &str, measured: &str) -> String {
    format!("# Benchmark results\n\nWritten by `cargo xtask bench`.\n\n{machine}\n{}\n", measured.trim())
}

fn keep(page: &str) -> Result<(), String> {
    let folder = paths::root().join("bench");
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(folder.join("RESULTS.md"), page))
        .map_err(|error| format!("bench/RESULTS.md could not be written: {error}"))?;
    println!("\nWritten to bench/RESULTS.md");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_part_is_refused_before_anything_is_built() {
        let error = run(&["starts", "lathe"]).unwrap_err();
        assert_eq!(
            error,
            "there is no part `lathe`; there are: starts, worker, office, pdf, tables, prompt, recipes, sessions, drafts, http, web"
        );
    }

    #[test]
    fn without_a_named_part_all_are_asked_for() {
        assert!(is_asked(&[], "tables") && is_asked(&["tables"], "tables") && !is_asked(&["office"], "tables"));
    }

    #[test]
    fn changed_makers_make_anew() {
        assert_eq!(version("one"), version("one"));
        assert_ne!(version("one"), version("two"));
    }

    #[test]
    fn the_page_names_the_machine_above_the_numbers() {
        let expected = "# Benchmark results\n\nWritten by `cargo xtask bench`.\n\n\
                        - CPU: abacus\n\n## Draft\n1 ms\n";
        assert_eq!(page("- CPU: abacus\n", "\n## Draft\n1 ms\n\n"), expected);
    }
}
