//! The step `targets`: `cargo check` for every other platform whose standard library is installed.

use std::path::Path;

use crate::shell;
use crate::summary::Outcome;

/// Platforms for which Jig must compile, besides the one it is built on.
const TARGETS: [&str; 5] = [
    "aarch64-unknown-linux-gnu",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "x86_64-pc-windows-gnu",
];

/// Checks the workspace for each platform. Nothing is linked, but build scripts compile C code: they need a C compiler
/// for the platform, which the variable `CC_<target>` names.
pub(crate) fn check() -> Outcome {
    let host = match host() {
        Ok(host) => host,
        Err(error) => return Outcome::Failed(error),
    };
    let targets = installed(&host, |target| {
        let mut rustc = shell::command("rustc");
        rustc.args(["--print", "target-libdir", "--target", target]);
        shell::output(rustc).is_ok_and(|folder| Path::new(&folder).is_dir())
    });
    if targets.is_empty() {
        return Outcome::Skipped(missing(&host));
    }
    let mut failed = Vec::new();
    for target in targets {
        if shell::run(shell::cargo(["check", "--workspace", "--target", target])).is_err() {
            failed.push(target);
        }
    }
    match failed.is_empty() {
        true => Outcome::Passed,
        false => Outcome::Failed(format!("does not compile for {}", failed.join(", "))),
    }
}

/// The platform that this toolchain builds for.
fn host() -> Result<String, String> {
    let mut rustc = shell::command("rustc");
    rustc.arg("-vV");
    let version = shell::output(rustc)?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "`rustc -vV` names no host".to_owned())
}

/// The platforms to check: those with a standard library, without the host, which the other steps build for.
fn installed(host: &str, has_library: impl Fn(&str) -> bool) -> Vec<&'static str> {
    TARGETS.into_iter().filter(|target| *target != host && has_library(target)).collect()
}

fn missing(host: &str) -> String {
    let targets: Vec<&str> = TARGETS.into_iter().filter(|target| *target != host).collect();
    format!("no other platform's standard library is installed; `rustup target add {}` adds them", targets.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINUX: &str = "x86_64-unknown-linux-gnu";

    #[test]
    fn only_installed_targets_other_than_the_host_are_checked() {
        assert_eq!(installed(LINUX, |_| false), Vec::<&str>::new());
        assert_eq!(
            installed(LINUX, |target| target.contains("apple")),
            ["x86_64-apple-darwin", "aarch64-apple-darwin"]
        );
        assert_eq!(installed("aarch64-apple-darwin", |target| target.contains("apple")), ["x86_64-apple-darwin"]);
        assert_eq!(installed(LINUX, |_| true), TARGETS);
    }

    #[test]
    fn without_any_the_command_that_adds_them_is_given() {
        let why = missing("aarch64-apple-darwin");
        assert!(why.contains("`rustup target add aarch64-unknown-linux-gnu x86_64-apple-darwin"), "{why}");
        assert!(!why.contains("aarch64-apple-darwin"), "{why}");
    }

    #[test]
    fn the_host_is_known() {
        assert!(host().unwrap().contains('-'));
    }
}
