//! How the table engine is compiled when its speed counts.

use std::env;
use std::process::Command;

use crate::{paths, shell, tools};

const CLANG: &str = "clang++-19";
/// What compiles it, and what puts the patches of `tools/duckdb` in, by their packages.
const PROGRAMS: [(&str, &str); 2] = [(CLANG, "clang-19"), ("patch", "patch")];
const FLAGS: &str = "CXXFLAGS_x86_64_unknown_linux_gnu";

/// Has an optimised build compile DuckDB as its own package is compiled, and says in words what compiles it.
///
/// Who names a compiler knows better than any search.
pub(crate) fn choose(build: &mut Command) -> String {
    if let Some(compiler) = env::var("JIG_CXX").ok().filter(|compiler| !compiler.is_empty()) {
        let flags = env::var(FLAGS).unwrap_or_default();
        return format!("{compiler} {flags}").trim().to_owned();
    }
    match clang() {
        Ok(clang) => {
            let flags = flags(has_avx2());
            build.env("JIG_CXX", CLANG).env(FLAGS, &flags);
            keep_linked(build);
            format!("{clang}, {flags}")
        }
        Err(why) => {
            println!("DuckDB is compiled by `c++`, and large tables take longer for it: {why}.");
            "c++".to_owned()
        }
    }
}

/// Functions of other source files are built into their callers when the program is linked; the linker that comes with Rust
/// can do that.
fn flags(avx2: bool) -> String {
    if avx2 { "-flto=thin -march=x86-64-v3" } else { "-flto=thin" }.to_owned()
}

/// Has the linker keep what it makes of the engine: see `tools/link/cc`.
fn keep_linked(build: &mut Command) {
    let Some(target) = paths::target() else { return };
    let mut folders = vec![paths::root().join("tools/link")];
    folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    if let Ok(path) = env::join_paths(folders) {
        build.env("PATH", path).env("JIG_LINKED", target.join("duckdb-objects/linked"));
    }
}

/// The compiler in its own words.
fn clang() -> Result<String, String> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Err(format!("{CLANG} is only asked for on Linux and x86-64"));
    }
    for (name, package) in PROGRAMS {
        let how = |why| format!("{why}; Debian: `apt-get install {package}` as root");
        tools::program(name, package).map_err(how)?;
    }
    let mut version = shell::command(CLANG);
    version.arg("--version");
    let words = shell::output(version)?;
    Ok(words.lines().next().unwrap_or(CLANG).to_owned())
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    // What the level names.
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("movbe")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_processor_gets_code_that_it_can_run() {
        assert_eq!((flags(true).as_str(), flags(false).as_str()), ("-flto=thin -march=x86-64-v3", "-flto=thin"));
    }
}
