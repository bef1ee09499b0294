//! Pure crates do no I/O and read neither the clock nor the environment.

use super::{File, assert_tidy, files};

const PURE: [&str; 9] = [
    "jig-contract",
    "jig-file-api",
    "jig-files",
    "jig-formula",
    "jig-ooxml",
    "jig-text",
    "jig-context",
    "jig-session",
    "jig-prompt",
];

/// Modules of `std` with side effects.
const MODULES: [&str; 3] = ["fs", "net", "env"];

const CLOCKS: [&str; 2] = ["SystemTime::now", "Instant::now"];

/// The only file that reads the clock, so that everything else receives the time as a parameter.
const CLOCK_FILE: &str = "crates/jig-contract/src/env.rs";

#[test]
fn pure_crates_reach_for_nothing_outside() {
    let files: Vec<File> = files().into_iter().filter(is_pure_source).collect();
    for name in PURE {
        let folder = format!("crates/{name}/src/");
        assert!(files.iter().any(|file| file.path.starts_with(&folder)), "{folder} was not read");
    }
    assert_tidy(&files.iter().flat_map(check).collect::<Vec<_>>());
}

/// Tables are too large for memory, so they are read from open files and converted into a cache.
const ON_FILES: &str = "crates/jig-files/src/tables";

/// Test files next to the code are not restricted.
fn is_pure_source(file: &File) -> bool {
    let pure = PURE.iter().any(|name| file.path.starts_with(&format!("crates/{name}/src/")));
    let pure = pure && !file.path.starts_with(ON_FILES);
    let test = file.path.ends_with("/tests.rs") || file.path.contains("/tests/");
    pure && !test && file.is_rust()
}

fn check(file: &File) -> Vec<String> {
    let code = code(&file.text);
    let mut found: Vec<String> =
        MODULES.iter().filter(|module| uses_module(&code, module)).map(|module| format!("std::{module}")).collect();
    found.extend(
        CLOCKS.iter().filter(|clock| code.contains(*clock) && file.path != CLOCK_FILE).map(|clock| (*clock).to_owned()),
    );
    found.iter().map(|what| format!("{}: {what} in a pure crate", file.path)).collect()
}

/// The text without comments and without the tests at its end.
fn code(text: &str) -> String {
    let lines = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    lines.map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Detects both `std::fs` and `std::{io, fs::File}`.
fn uses_module(code: &str, module: &str) -> bool {
    code.match_indices("std::").any(|(at, start)| {
        let rest = &code[at + start.len()..];
        let group = rest.strip_prefix('{').map(|rest| rest.split(';').next().unwrap_or(rest));
        match group {
            Some(names) => words(names).any(|word| word == module),
            None => words(rest).next() == Some(module),
        }
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

#[test]
fn reaching_outside_is_caught() {
    let complaints = |text| check(&File::new("a.rs", text));
    assert_eq!(complaints("use std::fs;"), ["a.rs: std::fs in a pure crate"]);
    assert_eq!(complaints("use std::{\n  io,\n  net::{IpAddr},\n};"), ["a.rs: std::net in a pure crate"]);
    assert_eq!(complaints("let a = std::env::args();"), ["a.rs: std::env in a pure crate"]);
    let clock = "let t = std::time::SystemTime::now();";
    assert_eq!(complaints(clock), ["a.rs: SystemTime::now in a pure crate"]);
    assert_eq!(check(&File::new(CLOCK_FILE, clock)), Vec::<String>::new());
}

#[test]
fn comments_tests_and_other_words_are_fine() {
    let fine = "// std::fs is not for us\nuse std::{io, fmt};\nfn fs() {}\n\
                #[cfg(test)]\nmod tests { use std::fs; }\n";
    assert_eq!(check(&File::new("a.rs", fine)), Vec::<String>::new());
}
