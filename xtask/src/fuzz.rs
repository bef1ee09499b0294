//! `cargo xtask fuzz TARGET`: runs `cargo fuzz` on a target, with the seeds in the repository.

use crate::args::{self, Failure};
use crate::{paths, shell};

pub(crate) const HELP: &str = "\
Usage: cargo xtask fuzz TARGET [--seconds N]

Arguments:
  TARGET       A target; fuzz/README.md lists them

Options:
  --seconds N  How long to run [default: 60]

Needs the nightly toolchain and cargo-fuzz.
";

/// Targets that need more of Jig than the file engines.
const WORKBENCH_TARGETS: [&str; 4] = ["worker", "jig_archive", "session_log", "provider_answer"];

pub(crate) fn run(args: &[&str]) -> Result<(), Failure> {
    let (target, seconds) = parse(args)?;
    let corpus = paths::root().join("fuzz/corpus");
    let seeds = ["run", "--quiet", "--package", "jig-testkit", "--no-default-features", "--example", "fuzz", "--"];
    let mut seeds = shell::cargo(seeds);
    seeds.arg("seeds").arg(&corpus);
    shell::run(seeds)?;
    let mut fuzz = shell::command("cargo");
    fuzz.current_dir(paths::root());
    // The code is safe Rust, so a sanitizer would only slow it down.
    fuzz.args(["+nightly", "fuzz", "run", "--sanitizer", "none"]);
    if WORKBENCH_TARGETS.contains(&target) {
        fuzz.args(["--features", "workbench"]);
    }
    let limit = format!("-max_total_time={seconds}");
    fuzz.args([target, "--", &limit, "-timeout=20", "-rss_limit_mb=4096", "-max_len=262144"]);
    Ok(shell::run(fuzz)?)
}

fn parse<'a>(args: &[&'a str]) -> Result<(&'a str, u32), Failure> {
    let mut rest = args.iter().copied();
    let target = rest.next().filter(|target| !target.starts_with('-'));
    let target = target.ok_or_else(|| Failure::Usage("TARGET is missing".to_owned()))?;
    let mut seconds = 60;
    while let Some(argument) = rest.next() {
        match argument {
            "--seconds" => seconds = args::number("--seconds", 1, &mut rest)?,
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
        assert_eq!(parse(&["csv"]), Ok(("csv", 60)));
        assert_eq!(parse(&["csv", "--seconds", "5"]), Ok(("csv", 5)));
        assert_eq!(parse(&["csv", "--fast"]), Err(args::unexpected("--fast")));
        assert_eq!(parse(&["--seconds", "5"]), Err(Failure::Usage("TARGET is missing".to_owned())));
    }
}
