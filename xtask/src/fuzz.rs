//! `cargo xtask fuzz TARGET`: gives a fuzz target to `cargo fuzz`, with the seeds of the repository.

use crate::{paths, shell};

/// The target that needs more of Jig than the file engines.
const WHOLE: &str = "worker";

pub(crate) fn run(target: &str, options: &[&str]) -> Result<(), String> {
    let seconds = seconds(options)?;
    let corpus = paths::root().join("fuzz/corpus");
    let seeds = ["run", "--quiet", "--package", "jig-testkit", "--no-default-features", "--example", "fuzz", "--"];
    let mut seeds = shell::cargo(seeds);
    seeds.arg("seeds").arg(&corpus);
    shell::run(seeds)?;
    let mut fuzz = shell::command("cargo");
    fuzz.current_dir(paths::root());
    // The code is safe Rust, so a sanitizer would only make it slow.
    fuzz.args(["+nightly", "fuzz", "run", "--sanitizer", "none"]);
    if target == WHOLE {
        fuzz.args(["--features", "workbench"]);
    }
    let limit = format!("-max_total_time={seconds}");
    fuzz.args([target, "--", &limit, "-timeout=20", "-rss_limit_mb=4096", "-max_len=262144"]);
    shell::run(fuzz)
}

fn seconds(options: &[&str]) -> Result<u64, String> {
    match options {
        [] => Ok(60),
        ["--seconds", number] => number.parse().map_err(|_| format!("--seconds: {number} is no number of seconds")),
        other => Err(format!("no such option: {}", other.join(" "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_a_minute_unless_said() {
        assert_eq!(seconds(&[]), Ok(60));
        assert_eq!(seconds(&["--seconds", "5"]), Ok(5));
        assert_eq!(seconds(&["--seconds", "x"]), Err("--seconds: x is no number of seconds".to_owned()));
        assert_eq!(seconds(&["--fast"]), Err("no such option: --fast".to_owned()));
    }
}
