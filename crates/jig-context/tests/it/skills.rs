//! Skills: agreement with the recorded results of the reference validator, and round trips of arbitrary text.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use jig_context::skill::{self, Frontmatter, Problem};
use jig_context::style::{self, Format, StyleSkill};
use proptest::prelude::*;

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/skills")
}

/// The texts below a folder, by path.
fn texts(root: &Path, at: &Path, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(at).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            files.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
}

/// The skill of a test case: its folder name and files.
pub(crate) fn case(name: &str) -> (String, BTreeMap<String, String>) {
    let mut inside = fs::read_dir(folder().join(name)).unwrap();
    let root = inside.next().unwrap().unwrap().path();
    assert!(inside.next().is_none(), "{name} has more than one folder");
    let mut files = BTreeMap::new();
    texts(&root, &root, &mut files);
    (root.file_name().unwrap().to_str().unwrap().to_owned(), files)
}

#[test]
fn every_recorded_folder_is_judged_as_the_reference_validator_does() {
    let recorded = fs::read_to_string(folder().join("recorded.txt")).unwrap();
    let (mut valid, mut invalid, mut wrong) = (0, 0, Vec::new());
    for line in recorded.lines() {
        let mut fields = line.split('\t');
        let (name, verdict) = (fields.next().unwrap(), fields.next().unwrap());
        let (folder, files) = case(name);
        let problems = skill::validate_format(&folder, &files);
        match verdict {
            "valid" => valid += 1,
            "invalid" => invalid += 1,
            other => panic!("{name}: {other}"),
        }
        if problems.is_empty() != (verdict == "valid") {
            wrong.push(format!("{line} — here: {problems:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(valid >= 40 && invalid >= 60, "{valid} valid, {invalid} invalid");
    let folders = fs::read_dir(folder()).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir()).count();
    assert_eq!(folders, valid + invalid, "run record.py");
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let text = "---\nname: My_Skill--\nversion: 2\ncompatibility:\n- x\n---\n";
    let files = BTreeMap::from([("SKILL.md".to_owned(), text.to_owned())]);
    let messages: Vec<String> = skill::validate("other", &files).into_iter().map(|problem| problem.message).collect();
    assert_eq!(
        messages,
        [
            "`version` is not a field of the frontmatter; \
             there are allowed-tools, compatibility, description, license, metadata, name",
            "the name `My_Skill--` must be in lower case",
            "the name must not begin or end with a hyphen",
            "the name must not have two hyphens in a row",
            "the name `My_Skill--` may hold letters, digits and hyphens only",
            "the name `My_Skill--` must be the same as the folder's name, which is `other`",
            "`description` is missing in the frontmatter",
            "`compatibility` must be a text",
            "the body of SKILL.md is empty; write the instructions below the frontmatter",
        ]
    );
}

#[test]
fn the_upper_case_file_wins() {
    let good = "---\nname: a\ndescription: d\n---\nbody\n".to_owned();
    let bad = "nothing".to_owned();
    let both = |upper: &String, lower: &String| {
        BTreeMap::from([("SKILL.md".to_owned(), upper.clone()), ("skill.md".to_owned(), lower.clone())])
    };
    assert_eq!(skill::validate_format("a", &both(&good, &bad)), []);
    assert_eq!(skill::validate_format("a", &both(&bad, &good)).len(), 1);
}

fn with_body(body: &str, more: &[&str]) -> Vec<Problem> {
    let mut files: BTreeMap<String, String> = more.iter().map(|path| ((*path).to_owned(), "text".to_owned())).collect();
    files.insert("SKILL.md".to_owned(), format!("---\nname: a\ndescription: d\n---\n{body}\n"));
    skill::validate("a", &files)
}

fn hard(message: &str) -> Vec<Problem> {
    vec![Problem { message: message.to_owned(), hard: true }]
}

#[test]
fn references_must_be_there_and_inside() {
    let files = ["references/my rules.md", "assets/logo.svg"];
    let good = "See [rules](references/my%20rules.md#top), ![logo](./assets/logo.svg), [web](https://example.org/x), \
                [mail](mailto:a@b.c), <a@b.c>, [part](#part), `assets/logo.svg`, `references/*.md` \
                and `references/`.\n\n    [code](gone.md)\n";
    assert_eq!(with_body(good, &files), []);
    assert_eq!(with_body("[x](gone.md)", &[]), hard("SKILL.md refers to `gone.md`, which is not there"));
    assert_eq!(
        with_body("Read `references/gone.md`.", &[]),
        hard("SKILL.md refers to `references/gone.md`, which is not there")
    );
    assert_eq!(with_body("[x][y]\n\n[y]: gone.md", &[]), hard("SKILL.md refers to `gone.md`, which is not there"));
    for outside in ["../x.md", "references/../../x.md", "a/%2e%2e/../../x"] {
        let message = format!("SKILL.md refers to `{outside}`, which is outside of the skill's folder");
        assert_eq!(with_body(&format!("[x]({outside})"), &[]), hard(&message));
    }
    for absolute in ["/etc/passwd", "file:///etc/passwd", "~/x.md"] {
        let message = format!("SKILL.md refers to `{absolute}`; references must be relative to the skill's folder");
        assert_eq!(with_body(&format!("[x]({absolute})"), &[]), hard(&message));
    }
}

#[test]
fn references_of_references_count_too() {
    let mut files = BTreeMap::from([
        (
            "SKILL.md".to_owned(),
            "---\nname: a\ndescription: d\n---\n[one](references/one.md), [two](references/two.md)\n".to_owned(),
        ),
        ("references/one.md".to_owned(), "See [three](three.md) and [back](../SKILL.md).".to_owned()),
        ("references/two.md".to_owned(), "Two".to_owned()),
        ("references/three.md".to_owned(), "Three, then [one](references/one.md)".to_owned()),
        ("references/other.md".to_owned(), "Nobody refers to it".to_owned()),
    ]);
    assert_eq!(skill::validate("a", &files), []);
    let paths: Vec<String> = skill::references(&files).into_iter().map(|reference| reference.path).collect();
    assert_eq!(paths, ["references/one.md", "references/two.md", "references/three.md"]);
    files.remove("references/three.md");
    assert_eq!(skill::validate("a", &files), hard("references/one.md refers to `three.md`, which is not there"));
}

#[test]
fn a_folder_and_a_plain_path_are_references_too() {
    let paths = |body: &str| {
        let mut files: BTreeMap<String, String> = ["references/a.md", "references/b.md", "assets/c.svg"]
            .map(|path| (path.to_owned(), path.to_owned()))
            .into();
        files.insert("SKILL.md".to_owned(), format!("---\nname: a\ndescription: references/b.md\n---\n{body}\n"));
        assert_eq!(skill::validate("a", &files), []);
        skill::references(&files).into_iter().map(|reference| reference.path).collect::<Vec<_>>()
    };
    assert_eq!(paths("See [all](references/)."), ["references/a.md", "references/b.md"]);
    assert_eq!(paths("All of it is in references/a.md, really."), ["references/a.md"]);
    assert_eq!(paths("Nothing."), [""; 0], "frontmatter holds no references");
}

#[test]
fn an_empty_body_is_a_problem_and_size_is_advice() {
    assert_eq!(
        with_body("\n***\n", &[]),
        hard("the body of SKILL.md is empty; write the instructions below the frontmatter")
    );
    let long = with_body(&"one two\n".repeat(600), &[]);
    assert_eq!(long.len(), 1);
    assert!(!long[0].hard && long[0].message.starts_with("SKILL.md has 604 lines; 500 are enough"), "{long:?}");
    let files = BTreeMap::from([("SKILL.md".to_owned(), "---\nname: a\ndescription: d\n---\nbody\n".to_owned())]);
    assert_eq!(skill::validate_with("a", &files, |_| 5000), []);
    let heavy = skill::validate_with("a", &files, |_| 5001);
    assert!(
        !heavy[0].hard && heavy[0].message.starts_with("SKILL.md has about 5001 tokens; 5000 are enough"),
        "{heavy:?}"
    );
}

#[test]
fn a_skill_is_read_with_all_its_fields() {
    let (_, files) = case("valid-all-fields");
    let read = skill::read(&files["SKILL.md"]).unwrap();
    let expected = Frontmatter {
        name: "a-skill".to_owned(),
        description: "Does one thing. Use it when asked.".to_owned(),
        license: Some("Apache-2.0".to_owned()),
        compatibility: Some("Needs git".to_owned()),
        allowed_tools: Some("Read Grep".to_owned()),
        metadata: BTreeMap::from([("author".to_owned(), "someone".to_owned()), ("version".to_owned(), "1".to_owned())]),
    };
    assert_eq!(read.frontmatter, expected);
    assert_eq!(read.body, "# A skill\n\nDo the thing.");
    let (_, files) = case("valid-tools-list");
    assert_eq!(skill::read(&files["SKILL.md"]).unwrap().frontmatter.allowed_tools.as_deref(), Some("Read Bash(git:*)"));
    let (_, files) = case("valid-hyphens-in-value-cut-it");
    assert_eq!(skill::read(&files["SKILL.md"]).unwrap().frontmatter.description, "one");
}

/// Text that is difficult for YAML and Markdown parsers.
const TRAPS: &[&str] = &[
    "---",
    "--",
    "-",
    ": ",
    " #",
    "#",
    "'",
    "\"",
    "\\",
    "\n",
    "\r\n",
    "\t",
    "[x](gone.md)",
    "![y](../up.png)",
    "<a@b.c>",
    "`references/z.md`",
    "{}",
    "[",
    "]",
    "&a",
    "*b",
    "!c",
    "%",
    "@",
    "`",
    "```",
    "~~~",
    "|",
    "> ",
    "...",
    "<!--",
    "<b>",
    "- ",
    "1. ",
    "## ",
    "\u{feff}",
    "\u{2028}",
    "\u{85}",
    "[x]: gone.md\n",
    "[x]",
    "| a | b |\n|---|---|\n",
    "example",
    "Excel",
    "font",
    "colour",
    ":",
    "</workbench-skill>",
    "=",
    "<<",
    "\u{0}",
];

/// Random text with difficult parts.
fn hard_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => "[a-zA-Z ]{1,8}",
        2 => any::<char>().prop_map(String::from),
        2 => prop::sample::select(TRAPS).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn no_hard_problem(skill: &StyleSkill) -> Result<(), TestCaseError> {
    let problems: Vec<Problem> =
        skill::validate(&skill.name, &skill.files).into_iter().filter(|problem| problem.hard).collect();
    prop_assert_eq!(problems, vec![]);
    Ok(())
}

proptest! {
    #[test]
    fn any_text_survives_writing_and_reading(
        description in hard_text(), license in hard_text(), tools in hard_text(), body in "[a-z\n -]{0,40}",
        metadata in prop::collection::btree_map(hard_text(), hard_text(), 0..4), long in 0usize..1200,
    ) {
        let mut frontmatter = Frontmatter {
            name: "a-skill".to_owned(),
            description: format!("x{description}x"),
            license: Some(license),
            compatibility: None,
            allowed_tools: Some(tools),
            metadata,
        };
        frontmatter.metadata.insert("k-".repeat(long), "v".to_owned());
        let text = skill::write(&frontmatter, &body);
        let read = skill::read(&text).unwrap();
        prop_assert_eq!(&read.frontmatter, &frontmatter);
        prop_assert_eq!(read.body, body.trim());
        let files = BTreeMap::from([("SKILL.md".to_owned(), text)]);
        let short = frontmatter.description.chars().count() <= 1024;
        prop_assert_eq!(skill::validate_format("a-skill", &files).is_empty(), short);
    }

    #[test]
    fn every_style_skill_is_valid_whatever_the_user_wrote(
        body in hard_text(), rules in hard_text(), more in hard_text(),
    ) {
        let head = "---\nname: document-style\ndescription: d\n---\n";
        let links = "See [rules](references/style-rules.md) and [data](references/x.json).";
        let files = BTreeMap::from([
            ("SKILL.md".to_owned(), format!("{head}\n{body}\n\n- {rules}\n\n{links}\n")),
            ("references/style-rules.md".to_owned(), more.clone()),
            ("references/x.json".to_owned(), more),
        ]);
        let styles = style::for_call(&Format::ALL, Some(&files));
        prop_assert_eq!(styles.skills.iter().filter(|skill| skill.format.is_some()).count(), 3);
        prop_assert_eq!(&styles, &style::for_call(&Format::ALL, Some(&files)));
        for skill in &styles.skills {
            no_hard_problem(skill)?;
            let Some(format) = skill.format else { continue };
            let general = style::bundled(format);
            prop_assert_eq!(&skill.files[style::PARAMETERS_FILE], &general.files[style::PARAMETERS_FILE]);
        }
    }

    #[test]
    fn reading_never_fails_badly(text in hard_text()) {
        let files = BTreeMap::from([("SKILL.md".to_owned(), format!("---{text}---{text}"))]);
        let valid = skill::validate_format("a", &files).is_empty();
        prop_assert!(!valid || skill::read(&files["SKILL.md"]).is_ok());
    }
}
