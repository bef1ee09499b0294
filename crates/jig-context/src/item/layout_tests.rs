//! Tests of the layout: round trips, and the error for damaged items.

use jig_contract::Timestamp;

use super::super::input::Input;
use super::*;

fn item(category: Category) -> Item {
    let input = Input::file("notes.txt", b"raw \xff".to_vec(), "raw".into(), Some("all of it".into())).unwrap();
    let mut files = BTreeMap::from([(category.main_file().to_owned(), "# Acme\n".to_owned())]);
    if let Some(detail) = category.detail_file() {
        files.insert(detail.to_owned(), "- ropes\n".to_owned());
    }
    let source = Source::processed(&input, None, "m", Timestamp::from_millis(0));
    Item { category, files, source, source_file: input.source_file().cloned() }
}

fn state() -> BTreeMap<WorkbenchPath, Vec<u8>> {
    let mut all = BTreeMap::new();
    for category in Category::ALL {
        all.extend(item(category).into_files().unwrap());
    }
    all.insert(WorkbenchPath::new("published/a.docx").unwrap(), vec![0xff]);
    all
}

#[test]
fn the_files_lie_where_they_should() {
    let paths: Vec<String> = state().into_keys().map(String::from).collect();
    assert_eq!(
        paths,
        [
            "meta/context/company-context/SKILL.md",
            "meta/context/company-context/references/summary.md",
            "meta/context/company-context/source.json",
            "meta/context/company-context/source_file/notes.txt",
            "meta/context/department-context/SKILL.md",
            "meta/context/department-context/references/summary.md",
            "meta/context/department-context/source.json",
            "meta/context/department-context/source_file/notes.txt",
            "meta/context/document-style/SKILL.md",
            "meta/context/document-style/references/style-rules.md",
            "meta/context/document-style/source.json",
            "meta/context/document-style/source_file/notes.txt",
            "meta/context/situation/context.md",
            "meta/context/situation/source.json",
            "meta/context/situation/source_file/notes.txt",
            "published/a.docx",
        ]
    );
}

#[test]
fn an_item_is_read_back_as_it_was_written() {
    for category in Category::ALL {
        assert_eq!(Item::read(category, &state()), Ok(Some(item(category))));
        assert_eq!(Item::read(category, &BTreeMap::new()), Ok(None));
    }
}

#[test]
fn a_name_that_only_begins_alike_is_another_folder() {
    let other = BTreeMap::from([(WorkbenchPath::new("meta/context/situation-old/context.md").unwrap(), vec![b'a'])]);
    assert_eq!(Item::read(Category::Situation, &other), Ok(None));
}

fn damage(category: Category, inside: &str, bytes: Option<&[u8]>) -> Damaged {
    let mut state = state();
    let path = category.path_of(inside).unwrap();
    match bytes {
        Some(bytes) => state.insert(path, bytes.to_vec()),
        None => state.remove(&path),
    };
    Item::read(category, &state).unwrap_err()
}

#[test]
fn damage_is_told_with_the_known_sentence_and_the_cause_is_kept_for_the_log() {
    let told = damage(Category::CompanyContext, "SKILL.md", None);
    assert_eq!(told.to_string(), "Company-Wide context could not be loaded. You may need to re-add it.");
    assert_eq!(told.why, "SKILL.md is missing");
    let told = damage(Category::Situation, "context.md", Some(b" \n"));
    assert_eq!(told.to_string(), "Situation context could not be loaded. You may need to re-add it.");
    assert_eq!(told.why, "context.md is empty");
    assert_eq!(damage(Category::DocumentStyle, "references/a.md", Some(b"\xff")).why, "references/a.md is not UTF-8");
    assert_eq!(damage(Category::DepartmentContext, "source.json", None).why, "source.json is missing");
    assert!(
        damage(Category::DepartmentContext, "source.json", Some(b"{")).why.starts_with("source.json cannot be read")
    );
}

#[test]
fn prompts_do_without_what_the_item_was_made_from() {
    let mut state = state();
    state.retain(|path, _| !path.as_str().contains("source"));
    for category in Category::ALL {
        let files = artifact(category, &state).unwrap().unwrap();
        assert_eq!(files, item(category).files);
        assert!(Item::read(category, &state).is_err());
    }
}

#[test]
fn a_source_file_that_is_gone_does_not_damage_the_item() {
    let mut state = state();
    state.remove(&Category::Situation.path_of("source_file/notes.txt").unwrap());
    assert_eq!(Item::read(Category::Situation, &state).unwrap().unwrap().source_file, None);
}

#[test]
fn texts_are_editable_and_sources_are_not() {
    let editable = |path: &str| is_editable(&WorkbenchPath::new(path).unwrap());
    for path in ["SKILL.md", "context.md", "references/summary.md", "references/source.json", "source.jsonl"] {
        assert!(editable(path), "{path}");
    }
    for path in ["source.json", "Source.JSON", "source_file/a.txt", "SOURCE_FILE/a.txt", "source_file", "ſource.json"]
    {
        assert!(!editable(path), "{path}");
    }
}
