//! Runs the reference validator on the recorded folders and on every skill that Jig ships or creates.
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

/// Sample inputs: plain, structured, hostile to YAML, in other scripts, long, almost empty.
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

/// The items created from a text by rules, exported as skill folders.
fn by_rules(text: &str) -> impl Iterator<Item = (Category, Texts)> {
    let input = Input::text(text).unwrap();
    Category::ALL.into_iter().map(move |category| {
        let item =
            offline::build(category, &input).into_item(&input, None, offline::MODEL_ID, Timestamp::from_millis(0));
        (category, skill_folder::export(&item).unwrap().files)
    })
}

/// An item as created by a model and accepted by Jig.
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

/// A new folder for a list of skills.
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
        // Jig itself writes a document style, from the rules that a model returns.
        let written = |category: &Category| category.is_skill() && *category != Category::DocumentStyle;
        for category in Category::ALL.into_iter().filter(written) {
            lists.push(vec![(category.as_str().to_owned(), processed(category, description))]);
        }
    }
    lists.extend(imported().map(|skill| vec![skill]));
    let folders: Vec<PathBuf> = (0..lists.len()).map(|number| folder(&number.to_string())).collect();
    for (folder, list) in folders.iter().zip(&lists) {
        list.iter().for_each(|(name, files)| write(folder, name, files));
    }
    let mut arguments = vec!["--judge"];
    arguments.extend(folders.iter().map(|folder| folder.to_str().unwrap()));
    let output = record(&python, &arguments);
    let verdicts = String::from_utf8(output.stdout).unwrap();
    let skills: usize = lists.iter().map(Vec::len).sum();
    assert_eq!(verdicts.lines().count(), skills, "{}", String::from_utf8_lossy(&output.stderr));
    assert!(skills >= 140, "{skills}");
    for verdict in verdicts.lines() {
        assert!(verdict.ends_with("\tvalid"), "{verdict}");
    }
}

/// Every recorded skill that fits an item, imported and exported again.
fn imported() -> impl Iterator<Item = (String, Texts)> {
    let (at, cases) = (Timestamp::from_millis(0), fs::read_dir(crate::skills::folder()).unwrap());
    let folders = cases.map(|case| case.unwrap().path()).filter(|case| case.is_dir());
    let skills = folders.flat_map(|case| Category::ALL.map(|category| (category, case.clone())));
    skills.filter_map(move |(category, case)| {
        let (name, files) = crate::skills::case(case.file_name()?.to_str()?);
        let files = files.into_iter().map(|(path, text)| (path, text.into_bytes())).collect();
        let taken = skill_folder::import(category, &name, &files, None, at).ok()?;
        Some((category.as_str().to_owned(), skill_folder::export(&taken.item).unwrap().files))
    })
}
