//! Every case folder comes to what it expects.

use std::fs;

use super::archive::Archive;
use super::case::{Case, Outcome, sample};
use super::describe::{self, Parts};

#[test]
fn every_case_comes_to_what_it_expects() {
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    let mut wrong = Vec::new();
    for case in Case::all() {
        let actual = outcome(&case);
        let file = case.folder.join("expected.txt");
        if update {
            fs::write(&file, &actual).unwrap();
        } else if fs::read_to_string(&file).unwrap_or_default() != actual {
            wrong.push(format!("{}\n{}", case.name, difference(&file, &actual)));
        }
    }
    assert!(wrong.is_empty(), "{} cases differ; UPDATE=1 accepts them:\n{}", wrong.len(), wrong.join("\n"));
}

/// Runs a case and checks what holds for all of them.
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

fn difference(file: &std::path::Path, actual: &str) -> String {
    let expected = fs::read_to_string(file).unwrap_or_default();
    similar::TextDiff::from_lines(&expected, actual).unified_diff().context_radius(2).to_string()
}

#[test]
fn every_case_is_well_formed() {
    let cases = Case::all();
    assert!(!cases.is_empty());
    for case in cases {
        assert!(!case.method().is_empty());
        if let Some(input) = &case.input {
            assert!(!sample(input).is_empty(), "{}", case.name);
        }
        let _ = case.files();
        assert!(case.expectations().is_none_or(|list| list.is_array()), "{}: readback.json is a list", case.name);
        for entry in fs::read_dir(&case.folder).unwrap() {
            let name = entry.unwrap().file_name();
            let known = ["input.txt", "ops.json", "expected.txt", "readback.json"];
            assert!(known.iter().any(|known| name == *known), "{}: what is {name:?}?", case.name);
        }
    }
}
