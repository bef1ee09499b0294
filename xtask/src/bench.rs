//! `cargo xtask bench`: measures an optimised build and keeps the result in `bench/RESULTS.md`.

use std::fs;

use crate::{machine, paths, shell};

/// The measuring program prints Markdown; the machine it ran on is put above it.
pub(crate) fn run() -> Result<(), String> {
    // Both in one build, so that what they share is built once. The program that is started and timed
    // lies beside the one that measures.
    let build = ["build", "--release", "--package", "jig", "--package", "jig-testkit", "--bins", "--examples"];
    shell::run(shell::cargo(build))?;
    let target = paths::target().unwrap_or_else(|| paths::root().join("target"));
    let bench = shell::command(target.join("release/examples/bench"));
    let mut measured = String::new();
    shell::run_lines(bench, |line| {
        println!("{line}");
        measured.push_str(line);
        measured.push('\n');
    })?;
    if measured.trim().is_empty() {
        return Err("the benchmark printed nothing; bench/RESULTS.md was left as it was".to_owned());
    }
    keep(&page(&machine::describe(), &measured))
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
    fn the_page_names_the_machine_above_the_numbers() {
        let expected = "# Benchmark results\n\nWritten by `cargo xtask bench`.\n\n\
                        - CPU: abacus\n\n## Draft\n1 ms\n";
        assert_eq!(page("- CPU: abacus\n", "\n## Draft\n1 ms\n\n"), expected);
    }
}
