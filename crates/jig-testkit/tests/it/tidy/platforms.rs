//! Platform-specific code is limited to a few small modules, each with a fallback.

use super::{File, assert_tidy, files};

/// The platform modules, and why each calls the system itself.
const MODULES: [(&str, &str); 11] = [
    ("crates/jig-providers/src/secret/mode.rs", "refuses a file of keys that others may read"),
    ("crates/jig-store/src/platform.rs", "reads and writes at an offset"),
    ("crates/jig-store/src/platform/unix.rs", "opens no link, and identifies a file by device and inode"),
    ("crates/jig-store/src/view/folder/unix.rs", "holds folders of the view open and follows no link"),
    ("crates/jig-store/src/view/watch/inotify.rs", "receives notifications of edits in the view (Linux)"),
    ("crates/jig-tables/src/parquet/fd_path.rs", "names an open file, for a parser that opens files by path"),
    ("crates/jig-workbench/src/preview/process_group/unix.rs", "limits and kills LibreOffice with its children"),
    ("crates/jig-worker/src/workspace/unix.rs", "holds folders of a worker open and follows no link"),
    ("crates/jig-worker/src/sandbox/linux.rs", "Landlock, seccomp and large pages (Linux)"),
    ("crates/jig-worker/src/sandbox/rlimit.rs", "limits memory and processor time"),
    ("crates/jig/src/platform/unix.rs", "receives signals, and replaces the process"),
];

/// Names that not every system has: modules and crates as entire words, and a folder.
const PLATFORM_NAMES: [&str; 9] =
    ["os::unix", "os::linux", "os::macos", "os::fd", "signal::unix", "libc", "landlock", "seccompiler", "rustix"];
const PROCESS_FOLDER: &str = "/proc/";

#[test]
fn platform_code_is_only_in_platform_modules() {
    let sources: Vec<File> = files().into_iter().filter(is_program_source).collect();
    assert!(sources.len() > 100, "only {} sources found", sources.len());
    assert_tidy(&check(&sources));
}

/// Tests may be platform-specific, because a check for another system skips them.
fn is_program_source(file: &File) -> bool {
    let in_crate = file.path.strip_prefix("crates/").and_then(|path| path.split_once('/'));
    let program = in_crate.is_some_and(|(_, path)| path.starts_with("src/"));
    let test = file.path.ends_with("/tests.rs") || file.path.contains("/tests/");
    program && !test && file.is_rust()
}

/// Platform-specific code elsewhere, and listed modules without any.
fn check(sources: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in sources.iter().filter(|file| !is_listed(file)) {
        for (number, name) in uses(&file.text) {
            let advice = "move it to a platform module with a fallback, or list its module with a reason";
            complaints.push(format!("{}:{number}: {name}: {advice}", file.path));
        }
    }
    for (path, reason) in MODULES {
        if !sources.iter().any(|file| file.path == path && !uses(&file.text).is_empty()) {
            complaints.push(format!("{path}: listed ({reason}), but has no platform code"));
        }
    }
    complaints
}

fn is_listed(file: &File) -> bool {
    MODULES.iter().any(|(path, _)| file.path == *path)
}

/// Lines with platform-specific code, ignoring comments and the tests at the end of a file.
fn uses(text: &str) -> Vec<(usize, &'static str)> {
    let lines = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    let code = lines.map(|line| line.split("//").next().unwrap_or_default());
    (1..).zip(code).filter_map(|(number, line)| Some((number, platform_name(line)?))).collect()
}

fn platform_name(line: &str) -> Option<&'static str> {
    let named = PLATFORM_NAMES.into_iter().find(|name| has_word(line, name));
    named.or_else(|| line.contains(PROCESS_FOLDER).then_some(PROCESS_FOLDER))
}

fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word)
        .any(|(at, _)| !is_part(line[..at].chars().next_back()) && !is_part(line[at + word.len()..].chars().next()))
}

/// The listed modules, each with platform-specific code.
fn listed() -> Vec<File> {
    MODULES.iter().map(|(path, _)| File::new(path, "use rustix::fs;\n")).collect()
}

#[test]
fn platform_code_elsewhere_is_caught() {
    for line in [
        "use std::os::unix::fs::MetadataExt as _;",
        "use std::{io, os::fd::OwnedFd};",
        "    let id = libc::getpid();",
        "use landlock::Ruleset;",
        "tokio::signal::unix::signal(kind)",
        "std::fs::read(\"/proc/self/status\")",
    ] {
        let mut sources = listed();
        sources.push(File::new("crates/a/src/b.rs", &format!("//! b\n{line}\n")));
        let complaints = check(&sources);
        assert_eq!(complaints.len(), 1, "{line}: {complaints:?}");
        assert!(complaints[0].starts_with("crates/a/src/b.rs:2: "), "{complaints:?}");
    }
}

#[test]
fn comments_tests_and_other_words_are_fine() {
    let fine = "// rustix has no such call\nlet mylibc = landlocked();\n#[cfg(test)]\nmod tests { use libc; }\n";
    let mut sources = listed();
    sources.push(File::new("crates/a/src/b.rs", fine));
    assert_eq!(check(&sources), Vec::<String>::new());
    assert!(!is_program_source(&File::new("crates/a/tests/it/main.rs", "")));
    assert!(!is_program_source(&File::new("crates/a/src/b/tests.rs", "")));
    assert!(is_program_source(&File::new("crates/a/src/b.rs", "")));
}

#[test]
fn a_listed_module_without_platform_code_is_caught() {
    let mut sources = listed();
    sources[0].text = "//! portable by now\n".to_owned();
    sources.pop();
    assert_eq!(check(&sources).len(), 2);
}
