//! Tests of complete conversations, with realistic model answers.

use super::*;

const SKILL: &str = "---\nname: \"company-context\"\ndescription: \"Consider this background.\"\n---\n\n# Acme\n\n\
                     See [facts](references/summary.md).\n";

fn answer(files: &[(&str, &str)]) -> String {
    let files: Vec<Value> = files.iter().map(|(path, content)| json!({ "path": path, "content": content })).collect();
    json!({ "files": files }).to_string()
}

fn good() -> String {
    answer(&[("SKILL.md", SKILL), ("references/summary.md", "- ropes\n")])
}

fn start() -> Processing {
    Processing::start(Category::CompanyContext, &Input::text("Acme sells ropes.").unwrap())
}

fn done(processing: Processing) -> Processed {
    match processing {
        Processing::Done(processed) => processed,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_good_answer_is_taken_at_once() {
    let first = start();
    let request = first.request().unwrap();
    assert_eq!((request.messages.len(), request.timeout_seconds), (1, 120));
    assert_eq!(request.messages[0].role, Role::User);
    let processed = done(first.answered(&good()));
    assert_eq!((processed.repaired, processed.warnings.len(), processed.files["SKILL.md"].as_str()), (false, 0, SKILL));
}

#[test]
fn a_bad_answer_is_repaired_once_with_every_error() {
    let bad = answer(&[("SKILL.md", &SKILL.replace("company-context", "Acme")), ("references/other.md", " ")]);
    let second = start().answered(&bad);
    let request = second.request().unwrap();
    let roles: Vec<Role> = request.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::User]);
    assert_eq!(request.messages[1].text, bad);
    // A wrong name is not an error, because Jig writes the frontmatter itself.
    for part in ["references/summary.md", "references/other.md is empty"] {
        assert!(request.messages[2].text.contains(part), "{part} not in {}", request.messages[2].text);
    }
    let processed = done(second.answered(&good()));
    assert!(processed.repaired);
}

#[test]
fn a_second_bad_answer_is_the_end_and_nothing_is_to_be_saved() {
    let failed = start().answered("Sorry.").answered("Sorry again.");
    assert_eq!(failed.request(), None);
    let Processing::Failed(failure) = failed.clone() else { panic!("{failed:?}") };
    assert_eq!(failure.errors, ["the answer holds no JSON object"]);
    let told = OpError::from(failure);
    assert_eq!(told.code(), Code::ValidationFailed);
    assert_eq!(told.info.actions, ["retry", "cancel"]);
    assert_eq!(told.info.detail.unwrap()["errors"], json!(["the answer holds no JSON object"]));
    assert!(told.info.message.ends_with("Nothing was saved."));
    assert_eq!(failed.clone().answered(&good()), failed, "there is no third question");
}

#[test]
fn hostile_answers_never_become_an_item() {
    let with = |path: &str| answer(&[("SKILL.md", SKILL), ("references/summary.md", "a"), (path, "x")]);
    let leading = |target: &str| SKILL.replace("references/summary.md", target);
    let mut cases = vec![
        String::new(),
        "garbage".into(),
        good()[..good().len() - 3].to_owned(),
        "x".repeat(5 << 20),
        with("../../etc/passwd"),
        with("/etc/passwd"),
        with("source.json"),
        with("SKILL.md"),
        answer(&[("references/summary.md", "a")]),
        answer(&[("SKILL.md", ""), ("references/summary.md", "a")]),
        answer(&[("SKILL.md", SKILL.split("# Acme").next().unwrap())]),
    ];
    for target in ["../secret.md", "/etc/passwd", "references/missing.md"] {
        cases.push(answer(&[("SKILL.md", &leading(target)), ("references/summary.md", "a")]));
    }
    for case in cases {
        let shown: String = case.chars().take(80).collect();
        let second = start().answered(&case);
        let request = second.request().unwrap_or_else(|| panic!("taken: {shown}"));
        assert!(request.messages.iter().all(|message| !message.text.is_empty() && message.text.len() < 80_000));
        assert!(matches!(second.answered(&case), Processing::Failed(_)), "{shown}");
    }
}

#[test]
fn a_model_that_says_nothing_is_asked_again_in_one_message() {
    let second = start().answered(" \n");
    let request = second.request().unwrap();
    assert_eq!(request.messages.len(), 1);
    assert!(
        request.messages[0].text.contains("Acme sells ropes.")
            && request.messages[0].text.contains("- the answer is empty")
    );
}

#[test]
fn advice_is_passed_on_and_keeps_nothing_from_being_saved() {
    let long = format!("{SKILL}{}", "- line\n".repeat(600));
    let processed = done(start().answered(&answer(&[("SKILL.md", &long), ("references/summary.md", "a")])));
    assert_eq!(processed.warnings.len(), 1);
    assert!(processed.warnings[0].contains("lines"), "{:?}", processed.warnings);
}

#[test]
fn the_item_has_the_files_the_source_and_the_file_it_came_from() {
    let input =
        Input::file("deck.pptx", b"PK\x03".to_vec(), "Acme sells ropes.".into(), Some("page 2".into())).unwrap();
    let processed = done(Processing::start(Category::CompanyContext, &input).answered(&good()));
    let before = Source::processed(&input, None, "old", Timestamp::from_millis(1)).edited(Timestamp::from_millis(2));
    let item = processed.into_item(&input, Some(&before), "openai:gpt-5.2", Timestamp::from_millis(3));
    assert_eq!(item.source_file.as_ref().unwrap().bytes, b"PK\x03");
    assert_eq!(
        (item.source.created_at, item.source.last_processed_at),
        (Timestamp::from_millis(1), Timestamp::from_millis(3))
    );
    assert_eq!((item.source.model_id.as_str(), item.source.has_direct_edits), ("openai:gpt-5.2", false));
    let state = item.clone().into_files().unwrap();
    assert_eq!(Item::read(Category::CompanyContext, &state), Ok(Some(item)));
}

#[test]
fn a_situation_is_processed_alike() {
    let input = Input::text("Board meeting on Friday.").unwrap();
    let first = Processing::start(Category::Situation, &input);
    let second = first.clone().answered(&answer(&[("context.md", "## \n")]));
    let repair = &second.request().unwrap().messages[2].text;
    assert!(repair.contains("- context.md is empty; write what is going on\n"), "{repair}");
    let processed = done(second.answered(&answer(&[("context.md", "- **Deadline**: Friday")])));
    assert_eq!(processed.files["context.md"], "- **Deadline**: Friday\n");
}
