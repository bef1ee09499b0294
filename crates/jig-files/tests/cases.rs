//! The cases in the folders under `tests/cases`, each a test of its own: `cargo test -p jig-files --test cases --
//! xlsx/set-cells` runs those whose name contains this, `UPDATE=1` rewrites their `expected.txt`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

mod support;

use std::fs;
use std::path::Path;

use jig_worker::FileApi;
use libtest_mimic::{Arguments, Failed, Trial};
use support::archive::Archive;
use support::case::{Case, Outcome, sample};
use support::describe::{self, Parts};
use support::versions;

fn main() -> std::process::ExitCode {
    let arguments = Arguments::from_args();
    let mut tests: Vec<Trial> = Vec::new();
    for case in Case::all() {
        tests.push(Trial::test(case.name.clone(), move || check_case(&case).map_err(Failed::from)));
    }
    for folder in versions::folders() {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        tests.push(Trial::test(format!("diff/{name}"), move || check_versions(&folder).map_err(Failed::from)));
    }
    libtest_mimic::run(&arguments, tests).exit_code()
}

/// A call on an Office file.
fn check_case(case: &Case) -> Result<(), String> {
    check_folder(case);
    support::compare(&case.folder.join("expected.txt"), &outcome(case))
}

/// What an edit changed, as facts: which parts and what in them, and what the file reads as afterwards.
fn outcome(case: &Case) -> String {
    match case.run() {
        Outcome::Refused(refusal) => describe::refusal(&refusal),
        Outcome::Read(result) => describe::result(&result),
        Outcome::Edited { result, before, after } => {
            let text = case.read_back(&after);
            let (before, after) = (Archive::read(&before), Archive::read(&after));
            Parts::compare(&before, &after).assert_raw(&case.name);
            format!("{}\n== text\n{}\n", describe::edit(&result, &before, &after), text.trim_end())
        }
    }
}

/// The files of a case are those that its runner reads.
fn check_folder(case: &Case) {
    if let Some(input) = &case.input {
        assert!(!sample(input).is_empty());
    }
    assert!(case.expectations().is_none_or(|list| list.is_array()), "readback.json is a list");
    for entry in fs::read_dir(&case.folder).unwrap() {
        let name = entry.unwrap().file_name();
        let known = ["input.txt", "ops.json", "expected.txt", "readback.json"];
        assert!(known.iter().any(|known| name == *known), "unknown file {name:?}");
    }
}

/// Two versions of a file: how they differ, and that every change can be reverted.
fn check_versions(folder: &Path) -> Result<(), String> {
    let engine = FileApi::default();
    let both = versions::versions(folder);
    support::compare(&folder.join("expected.txt"), &versions::rendered(&engine, &both))?;
    let wrong = versions::revert_each(&engine, &both, "change");
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}
