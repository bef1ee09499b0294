//! The form of source files: a module doc at the top, a readable length, the common lints.

use super::{File, assert_tidy, files};

/// The maximum number of lines of a file.
const MAX_LINES: usize = 800;

#[test]
fn every_source_file_says_what_it_is_for() {
    assert_tidy(&collect(module_doc));
}

#[test]
fn no_source_file_is_too_long() {
    assert_tidy(&collect(length));
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    let manifests: Vec<File> = files().into_iter().filter(is_member_manifest).collect();
    assert!(manifests.len() > 10, "only {} manifests found", manifests.len());
    assert_tidy(&manifests.iter().filter_map(lints).collect::<Vec<_>>());
}

fn collect(check: fn(&File) -> Option<String>) -> Vec<String> {
    let sources: Vec<File> = files().into_iter().filter(is_source).collect();
    assert!(sources.len() > 20, "only {} sources found", sources.len());
    sources.iter().filter_map(check).collect()
}

/// Rust files that are test inputs are not restricted.
fn is_source(file: &File) -> bool {
    let ours = file.path.starts_with("crates/") || file.path.starts_with("xtask/");
    let data = file.path.contains("/tests/data/") || file.path.contains("/tests/cases/");
    ours && !data && file.is_rust()
}

fn is_member_manifest(file: &File) -> bool {
    file.path.ends_with("/Cargo.toml") && !file.path.contains("/tests/")
}

fn module_doc(file: &File) -> Option<String> {
    let first = file.text.lines().next().unwrap_or_default();
    let says_something = first.strip_prefix("//!").is_some_and(|doc| !doc.trim().is_empty());
    (!says_something).then(|| format!("{}: begin with a `//!` line that says what it is for", file.path))
}

fn length(file: &File) -> Option<String> {
    let lines = file.text.lines().count();
    (lines > MAX_LINES).then(|| format!("{}: {lines} lines; split it before {MAX_LINES}", file.path))
}

fn lints(manifest: &File) -> Option<String> {
    let mut lines = manifest.text.lines().map(str::trim);
    let taken = lines.any(|line| line == "[lints]") && lines.next() == Some("workspace = true");
    (!taken).then(|| format!("{}: add `[lints]` with `workspace = true`", manifest.path))
}

#[test]
fn a_missing_module_doc_is_caught() {
    let complaint = |text| module_doc(&File::new("crates/a/src/b.rs", text));
    assert_eq!(complaint("//! Hammers.\nfn a() {}\n"), None);
    for text in ["", "//!\n", "// Hammers.\n", "/// Hammers.\n", "use a;\n//! Hammers.\n"] {
        assert!(complaint(text).is_some(), "{text:?}");
    }
}

#[test]
fn a_long_file_is_caught() {
    let complaint = |lines| length(&File::new("a.rs", &"x\n".repeat(lines)));
    assert_eq!(complaint(MAX_LINES), None);
    assert_eq!(complaint(801), Some("a.rs: 801 lines; split it before 800".to_owned()));
}

#[test]
fn missing_lints_are_caught() {
    let complaint = |text| lints(&File::new("crates/a/Cargo.toml", text));
    assert_eq!(complaint("[package]\n\n[lints]\nworkspace = true\n"), None);
    assert!(complaint("[package]\nworkspace = true\n").is_some());
    assert!(complaint("[lints]\n[dependencies]\nworkspace = true\n").is_some());
}

#[test]
fn test_data_is_no_source() {
    let source = |path| is_source(&File::new(path, ""));
    assert!(source("crates/a/tests/it/main.rs") && source("xtask/src/main.rs"));
    assert!(!source("crates/a/tests/data/x.rs") && !source("demo/x.rs") && !source("crates/a.md"));
}
