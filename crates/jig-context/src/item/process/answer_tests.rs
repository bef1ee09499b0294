//! Tests of parsing answers: valid ones in every wrapping, and every kind of error.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn answer(files: &[(&str, &str)]) -> String {
    let files: Vec<Value> = files.iter().map(|(path, content)| json!({ "path": path, "content": content })).collect();
    json!({ "files": files }).to_string()
}

fn read(text: &str) -> Result<Vec<(String, String)>, Vec<AnswerError>> {
    read_answer(Category::CompanyContext, text).map(|answer| answer.files.into_iter().collect())
}

fn error(text: &str) -> AnswerError {
    let errors = read(text).unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.into_iter().next().unwrap()
}

fn good() -> (String, Vec<(String, String)>) {
    let text = answer(&[("SKILL.md", "---\n{ [ } ```\n"), ("references/summary.md", "b\n")]);
    let files = [("SKILL.md", "---\n{ [ } ```\n"), ("references/summary.md", "b\n")];
    (text, files.map(|(path, text)| (path.to_owned(), text.to_owned())).to_vec())
}

#[test]
fn an_answer_is_read_in_every_dress() {
    let (plain, files) = good();
    let pretty = serde_json::to_string_pretty(&serde_json::from_str::<Value>(&plain).unwrap()).unwrap();
    let list = plain.strip_prefix("{\"files\":").and_then(|rest| rest.strip_suffix('}')).unwrap().to_owned();
    for text in [
        plain.clone(),
        pretty.clone(),
        list,
        format!("\u{feff}{plain}"),
        format!("```json\n{pretty}\n```"),
        format!("```\n{plain}\n```\n"),
        format!("Here are the files [as {{asked}}]:\n\n```json\n{plain}\n```\n\nTell me if [more] is needed {{:"),
        format!("{{\"thinking\": [1, 2]}}\n{plain}\n{{}}"),
        format!("[{plain}]"),
        format!("{{\"result\": {plain}, \"summary\": \"Acme\"}}"),
        format!("```json\n{{\"data\": [{plain}]}}\n```"),
        Value::from(plain.as_str()).to_string(),
    ] {
        assert_eq!(read(&text), Ok(files.clone()), "{text}");
    }
}

#[test]
fn of_several_answers_the_last_with_the_main_file_counts() {
    let first = answer(&[("SKILL.md", "draft")]);
    let second = answer(&[("SKILL.md", "final")]);
    let example = answer(&[("references/x.md", "example")]);
    let of = |text: &str| read(text).unwrap().into_iter().map(|(_, text)| text).collect::<Vec<_>>();
    assert_eq!(of(&format!("{first}\n{second}")), ["final\n"]);
    assert_eq!(of(&format!("{example}\n{second}\n{example}")), ["final\n"]);
    assert_eq!(of(&example), ["example\n"]);
}

#[test]
fn paths_may_begin_with_the_folder() {
    let text = answer(&[("./company-context/skill.md", "a"), ("company-context/references/b.md", "b")]);
    let paths: Vec<String> = read(&text).unwrap().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["SKILL.md", "references/b.md"]);
}

#[test]
fn nothing_and_garbage_are_told() {
    for empty in ["", " \n\t", "\u{feff}"] {
        assert_eq!(error(empty), AnswerError::Empty);
    }
    for garbage in
        ["I am sorry, I cannot do that.", "--- name: x", "\u{0}\u{1}\u{2}", "{'files': []}", "{files: 1}", "[]", "[1]"]
    {
        assert!(matches!(error(garbage), AnswerError::NoJson { .. }), "{garbage}");
    }
    assert!(error("{'files': []}").to_string().starts_with("the answer holds no JSON object: "));
    for other in ["{}", "[1] {}", r#"{"file":[]}"#, r#"{"files":{"SKILL.md":"a"}}"#, r#"{"files":"a"}"#] {
        assert_eq!(error(other), AnswerError::NoFiles, "{other}");
    }
    assert_eq!(error(r#"{"files":[]}"#), AnswerError::NoneAtAll);
}

#[test]
fn an_answer_that_breaks_off_is_never_taken_in_part() {
    let (text, _) = good();
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).filter(|at| *at > 0).collect();
    for end in ends {
        let cut = &text[..end];
        assert_eq!(error(cut), AnswerError::CutOff, "{cut}");
        assert_eq!(error(&format!("```json\n{cut}")), AnswerError::CutOff, "{cut}");
    }
    let (whole, _) = good();
    let after = format!("{whole}\nOr better:\n{{\"files\":[{{\"path\":\"SKILL.md\",\"content\":\"x");
    assert_eq!(error(&after), AnswerError::CutOff);
}

#[test]
fn huge_answers_are_not_read() {
    let huge = "x".repeat(ANSWER_BYTES_MAX + 1);
    assert_eq!(error(&huge), AnswerError::TooLarge { bytes: huge.len() });
    let long = "x".repeat(FILE_TEXT_MAX + 1);
    let told = error(&answer(&[("SKILL.md", &long)]));
    assert_eq!(told, AnswerError::TooLong { path: "SKILL.md".into(), bytes: long.len() });
    assert!(read(&answer(&[("SKILL.md", &long[1..])])).is_ok());
    let names: Vec<String> = (0..=FILES_MAX).map(|n| format!("references/{n}.md")).collect();
    let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "a")).collect();
    assert_eq!(error(&answer(&many)), AnswerError::TooMany { files: FILES_MAX + 1 });
    assert!(read(&answer(&many[1..])).is_ok());
}

#[test]
fn paths_that_leave_the_folder_are_refused() {
    for path in [
        "../SKILL.md",
        "references/../../x.md",
        "/etc/passwd",
        "/SKILL.md",
        "references\\x.md",
        "C:\\x.md",
        "C:x.md",
        "references//x.md",
        "references/./x.md",
        "references/\u{0}.md",
        "references/con.md",
        "",
        "company-context/../x.md",
        &"a".repeat(2_000),
    ] {
        let told = error(&answer(&[(path, "a")]));
        assert!(matches!(told, AnswerError::Path(_)), "{path}: {told:?}");
        assert!(told.to_string().len() < 500);
    }
}

#[test]
fn files_without_a_place_are_refused() {
    let other =
        ["source.json", "source_file/a.md", "scripts/run.sh", "references/a/b.md", "references/a.txt", "README.md"];
    for path in
        other.into_iter().chain(["context.md", "references", "references/.md", "meta/context/company-context/SKILL.md"])
    {
        let told = error(&answer(&[(path, "a")]));
        assert!(matches!(told, AnswerError::Unexpected { .. }), "{path}: {told:?}");
    }
    let told = read_answer(Category::Situation, &answer(&[("SKILL.md", "a"), ("references/a.md", "b")])).unwrap_err();
    assert_eq!(told.len(), 2);
    assert_eq!(told[0].to_string(), "`SKILL.md` is not expected; allowed are `context.md` alone");
    assert!(read_answer(Category::Situation, &answer(&[("situation/context.md", "a")])).is_ok());
}

#[test]
fn a_path_occurs_once() {
    for twin in ["SKILL.md", "skill.md", "./SKILL.md", "company-context/SKILL.md"] {
        let told = error(&answer(&[("SKILL.md", "a"), (twin, "b")]));
        assert_eq!(told, AnswerError::Twice { path: "SKILL.md".into() }, "{twin}");
    }
    let told = error(&answer(&[("references/a.md", "a"), ("references/A.md", "b")]));
    assert_eq!(told, AnswerError::Twice { path: "references/A.md".into() });
}

#[test]
fn every_fault_is_told_at_once() {
    let text = json!({ "files": [
        { "path": "../a", "content": "a" },
        { "path": "SKILL.md" },
        { "path": 1, "content": "a" },
        "SKILL.md",
        { "path": "notes.txt", "content": "a" },
        { "path": "SKILL.md", "content": "fine" },
    ]});
    let told = read(&text.to_string()).unwrap_err();
    assert_eq!(told.len(), 5);
    assert_eq!(told[1], AnswerError::NoText { number: 2 });
    assert_eq!(told[3].to_string(), "entry 4 of `files` must have a text `path` and a text `content`");
}

#[test]
fn texts_are_tidied_and_it_is_told_when_something_was_left_out() {
    let text = answer(&[("SKILL.md", "\u{feff}```markdown\r\n---\r\na\u{7}\r\n```")]);
    let answer = read_answer(Category::CompanyContext, &text).unwrap();
    assert_eq!(answer.files["SKILL.md"], "---\na\n");
    assert_eq!(answer.warnings, ["characters that cannot be shown were left out of SKILL.md"]);
}

proptest! {
    #[test]
    fn any_text_gives_files_inside_or_reasons(text in ".{0,200}|[\\[\\]{}\":,a-z./\\\\ ]{0,200}") {
        if let Ok(answer) = read_answer(Category::CompanyContext, &text) {
            prop_assert!(!answer.files.is_empty());
        }
    }

    #[test]
    fn any_paths_end_up_inside_or_are_refused(paths in prop::collection::vec("[a-zA-Z./\\\\]{0,20}|references/[a-z./]{0,8}", 1..5)) {
        let files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "a")).collect();
        match read_answer(Category::DocumentStyle, &answer(&files)) {
            Ok(answer) => for path in answer.files.keys() {
                prop_assert!(path == "SKILL.md" || path.starts_with("references/") && !path.contains(".."));
            },
            Err(errors) => prop_assert!(!errors.is_empty()),
        }
    }
}
