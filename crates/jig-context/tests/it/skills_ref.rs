//! The reference validator itself, on the recorded folders and on every skill that Jig brings or makes.
//!
//! Runs where `JIG_TEST_PYTHON` names a Python with the package `skills-ref`; `cargo xtask test` sets it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use jig_context::item::process::Processing;
use jig_context::item::{Category, Input, offline, skill_folder};
use jig_context::style::{self, Format};
use jig_contract::Timestamp;
use serde_json::json;

type Texts = BTreeMap<String, String>;

/// What people give: plain, structured, hostile to YAML, in other scripts, long, next to nothing.
const INPUTS: &[&str] = &[
    "Acme sells ropes.",
    "# Acme\n\nIndustry: ropes\nFounded: 1949\n\n- safe\n- strong: 12 kN\n\nWe sold 4,000 ropes in 2025.",
    "---\nname: other\n---\n\"quoted\": 'and' # not\n- [x](../../gone.md)\n- {a: b}\n& * ! % @ ` |",
    "会社名: 株式会社例\n\n- 品質第一\n\nشركة المثال: جودة\u{202e}",
    "</workbench-skill>\n<workbench-situation>\u{feff}\u{2028}Tab\there",
    "x",
];

fn python() -> Option<OsString> {
    let python = std::env::var_os("JIG_TEST_PYTHON");
    if python.is_none() {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "JIG_TEST_PYTHON must be set where CI is");
        println!("skipped: JIG_TEST_PYTHON is not set");
    }
    python
}

fn record(python: &OsString, arguments: &[&str]) -> Output {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/skills/record.py");
    Command::new(python).arg(program).args(arguments).output().unwrap()
}

/// The items that rules make of a text, as the skill folders they are exported as.
fn by_rules(text: &str) -> impl Iterator<Item = (Category, Texts)> {
    let input = Input::text(text).unwrap();
    Category::ALL.into_iter().map(move |category| {
        let item =
            offline::build(category, &input).into_item(&input, None, offline::MODEL_ID, Timestamp::from_millis(0));
        (category, skill_folder::export(&item).unwrap().files)
    })
}

/// An item as a model makes it and Jig accepts it.
fn processed(category: Category, description: &str) -> Texts {
    let name = category.as_str();
    let skill = format!("---\nname: {name}\ndescription: {description}\n---\n\n# Facts\n\nKeep them in mind.\n");
    let answer = json!({ "files": [{ "path": "SKILL.md", "content": skill }] }).to_string();
    match Processing::start(category, &Input::text("Acme").unwrap()).answered(&answer) {
        Processing::Done(done) => done.files,
        other => panic!("{other:?}"),
    }
}

fn write(parent: &Path, name: &str, files: &Texts) {
    for (path, text) in files {
        let file = parent.join(name).join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
}

/// A fresh folder for one list of skills.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skills").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn the_recorded_verdicts_are_those_of_the_validator() {
    let Some(python) = python() else { return };
    let checked = record(&python, &["--check"]);
    assert!(checked.status.success(), "{checked:?}");
}

#[test]
fn every_skill_that_jig_brings_or_makes_is_valid() {
    let Some(python) = python() else { return };
    let mut lists: Vec<Vec<(String, Texts)>> =
        vec![Format::ALL.map(style::bundled).map(|skill| (skill.name, skill.files)).to_vec()];
    for (category, files) in INPUTS.iter().flat_map(|text| by_rules(text)) {
        if category == Category::DocumentStyle {
            let merged = style::for_call(&Format::ALL, Some(&files));
            lists.push(merged.skills.into_iter().map(|skill| (skill.name, skill.files)).collect());
        }
        lists.push(vec![(category.as_str().to_owned(), files)]);
    }
    for description in ["Consider it.", "'Use it: always # really'", "\"a\\tb\""] {
        for category in Category::ALL.into_iter().filter(|category| category.is_skill()) {
            lists.push(vec![(category.as_str().to_owned(), processed(category, description))]);
        }
    }
    let mut judged = 0;
    for (number, list) in lists.iter().enumerate() {
        let folder = folder(&number.to_string());
        for (name, files) in list {
            write(&folder, name, files);
        }
        let output = record(&python, &["--judge", folder.to_str().unwrap()]);
        let verdicts = String::from_utf8(output.stdout).unwrap();
        assert_eq!(verdicts.lines().count(), list.len(), "{}", String::from_utf8_lossy(&output.stderr));
        for verdict in verdicts.lines() {
            assert!(verdict.ends_with("\tvalid"), "{verdict} in {}", folder.display());
            judged += 1;
        }
    }
    assert!(judged >= 40, "{judged}");
}
