//! `cargo xtask fuzz`: lists the fuzz targets, or runs one, with the seeds in the repository.

use crate::args::{self, Failure};
use crate::{paths, shell};

pub(crate) const HELP: &str = "\
Usage: cargo xtask fuzz [TARGET] [--seconds N]

Arguments:
  [TARGET]     What to fuzz; without it, the targets are listed. fuzz/README.md describes them

Options:
  --seconds N  How long to run [default: 60]

With the nightly toolchain and cargo-fuzz, coverage guides the inputs. Without them, the
repository's own mutator makes inputs from the seeds. Inputs on which a target fails are kept in
target/fuzz.
";

/// A target, and the feature of `jig-testkit` that it needs.
#[derive(Debug, PartialEq, Eq)]
struct Target {
    name: String,
    feature: Option<String>,
}

pub(crate) fn run(args: &[&str]) -> Result<(), Failure> {
    let (target, seconds) = parse(args)?;
    let manifest = paths::root().join("fuzz/Cargo.toml");
    let manifest =
        std::fs::read_to_string(manifest).map_err(|error| format!("cannot read fuzz/Cargo.toml: {error}"))?;
    let targets = targets(&manifest);
    let Some(name) = target else {
        targets.iter().for_each(|target| println!("{}", target.name));
        return Ok(());
    };
    let known = targets.iter().find(|target| target.name == name);
    let target =
        known.ok_or_else(|| Failure::Usage(format!("unknown target `{name}`; `cargo xtask fuzz` lists them")))?;
    if has_cargo_fuzz() { with_coverage(target, seconds) } else { without_coverage(target, seconds) }
}

/// The targets in the manifest of the shims.
fn targets(manifest: &str) -> Vec<Target> {
    let value = |binary: &str, start: &str, end: &str| {
        binary.lines().find_map(|line| Some(line.strip_prefix(start)?.strip_suffix(end)?.to_owned()))
    };
    let binaries = manifest.split("[[bin]]").skip(1);
    let target = |binary: &str| {
        let name = value(binary, "name = \"", "\"")?;
        Some(Target { name, feature: value(binary, "required-features = [\"", "\"]") })
    };
    binaries.filter_map(target).collect()
}

fn has_cargo_fuzz() -> bool {
    let mut version = shell::command("cargo");
    version.args(["+nightly", "fuzz", "--version"]);
    shell::output(version).is_ok()
}

/// The program of the test kit that knows seeds and mutation.
fn own_runner(target: &Target) -> std::process::Command {
    let mut runner = shell::cargo(["run", "--quiet", "--package", "jig-testkit", "--no-default-features"]);
    if let Some(feature) = &target.feature {
        runner.args(["--features", feature]);
    }
    runner.args(["--example", "fuzz", "--"]);
    runner
}

fn with_coverage(target: &Target, seconds: u32) -> Result<(), Failure> {
    let mut seeds = own_runner(target);
    seeds.arg("seeds").arg(paths::root().join("fuzz/corpus"));
    shell::run(seeds)?;
    let mut fuzz = shell::command("cargo");
    fuzz.current_dir(paths::root());
    // The code is safe Rust, so a sanitizer would only slow it down.
    fuzz.args(["+nightly", "fuzz", "run", "--sanitizer", "none"]);
    if let Some(feature) = &target.feature {
        fuzz.args(["--features", feature]);
    }
    let limit = format!("-max_total_time={seconds}");
    fuzz.args([&target.name, "--", &limit, "-timeout=20", "-rss_limit_mb=4096", "-max_len=262144"]);
    Ok(shell::run(fuzz)?)
}

fn without_coverage(target: &Target, seconds: u32) -> Result<(), Failure> {
    eprintln!("note: cargo-fuzz or the nightly toolchain is not installed, so coverage does not guide the inputs");
    let mut runner = own_runner(target);
    runner.args(["run", &target.name, "--seconds", &seconds.to_string(), "--out"]);
    runner.arg(paths::target().join("fuzz"));
    Ok(shell::run(runner)?)
}

fn parse<'a>(args: &[&'a str]) -> Result<(Option<&'a str>, u32), Failure> {
    let (mut target, mut seconds) = (None, 60);
    let mut rest = args.iter().copied();
    while let Some(argument) = rest.next() {
        match argument {
            "--seconds" => seconds = args::number("--seconds", 1, &mut rest)?,
            name if target.is_none() && !name.starts_with('-') => target = Some(name),
            other => return Err(args::unexpected(other)),
        }
    }
    Ok((target, seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_a_minute_by_default() {
        assert_eq!(parse(&[]), Ok((None, 60)));
        assert_eq!(parse(&["csv"]), Ok((Some("csv"), 60)));
        assert_eq!(parse(&["csv", "--seconds", "5"]), Ok((Some("csv"), 5)));
        assert_eq!(parse(&["csv", "--fast"]), Err(args::unexpected("--fast")));
        assert_eq!(parse(&["csv", "text"]), Err(args::unexpected("text")));
    }

    #[test]
    fn targets_come_from_the_manifest_with_their_features() {
        let manifest = std::fs::read_to_string(paths::root().join("fuzz/Cargo.toml")).unwrap();
        let targets = targets(&manifest);
        let feature = |name: &str| targets.iter().find(|target| target.name == name).unwrap().feature.as_deref();
        assert_eq!((feature("xml"), feature("worker")), (None, Some("workbench")));
        assert_eq!((feature("rpc_lines"), feature("csv")), (Some("surfaces"), Some("tables")));
    }
}
