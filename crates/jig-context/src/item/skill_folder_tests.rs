//! Tests of skill folders: every item exports to a valid skill and can be imported again.

use proptest::prelude::*;

use super::super::offline;
use super::*;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn item(category: Category, text: &str) -> Item {
    let input = Input::file("secret.txt", b"secret".to_vec(), text.to_owned(), None).unwrap();
    offline::build(category, &input).into_item(&input, None, offline::MODEL_ID, at(1))
}

fn situation(text: &str) -> Item {
    let files = BTreeMap::from([("context.md".to_owned(), text.to_owned())]);
    Item { files, ..item(Category::Situation, "x") }
}

fn bytes(files: &BTreeMap<String, String>) -> BTreeMap<String, Vec<u8>> {
    files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect()
}

fn foreign(name: &str, body: &str) -> BTreeMap<String, Vec<u8>> {
    let text = format!("---\nname: {name}\ndescription: >\n  Rules of\n  the house.\nlicense: MIT\n---\n{body}\n");
    BTreeMap::from([("SKILL.md".to_owned(), text.into_bytes()), ("references/a.md".to_owned(), b"- ropes\n".to_vec())])
}

#[test]
fn every_item_goes_out_as_a_valid_skill_without_its_source() {
    for category in Category::ALL {
        let folder = export(&item(category, "Company: Acme\n- ropes\n")).unwrap();
        assert_eq!(folder.name, category.as_str());
        assert_eq!(skill::validate(&folder.name, &folder.files), []);
        let all: String = folder.files.iter().flat_map(|(path, text)| [path.as_str(), text.as_str()]).collect();
        assert!(!all.contains("secret") && !folder.files.contains_key("source.json"), "{all}");
    }
}

#[test]
fn a_situation_gets_frontmatter_that_sums_it_up() {
    let folder = export(&situation("## Now\n\n- **Deadline**: Friday\n")).unwrap();
    let read = skill::read(&folder.files["SKILL.md"]).unwrap();
    assert_eq!(read.frontmatter.name, "situation");
    assert_eq!(read.frontmatter.description, "The current situation, to be kept in mind in all work: Deadline: Friday");
    assert_eq!(read.body, "## Now\n\n- **Deadline**: Friday");
}

#[test]
fn a_situation_that_points_at_files_is_exported_with_their_names() {
    let folder = export(&situation("- See [budget](../../budget.xlsx) and `references/none.md`\n")).unwrap();
    assert_eq!(skill::validate(&folder.name, &folder.files), []);
    assert!(folder.files["SKILL.md"].contains("budget.xlsx"));
}

#[test]
fn an_item_that_was_edited_into_no_skill_is_not_exported() {
    let good = item(Category::DocumentStyle, "- Use Title Case\n");
    let edited = good.edit(&[("SKILL.md".into(), "# No frontmatter".into())], at(2)).unwrap().item;
    let told = OpError::from(export(&edited).unwrap_err());
    assert_eq!(told.code(), Code::ValidationFailed);
    assert!(
        told.info.message.starts_with("the Document Style context is not a valid skill: "),
        "{}",
        told.info.message
    );
    assert!(!told.info.detail.unwrap()["errors"].as_array().unwrap().is_empty());
}

#[test]
fn a_skill_comes_in_under_the_name_of_its_category() {
    let files = foreign("house-rules", "Always do this. See [more](references/a.md).");
    let imported = import(Category::DocumentStyle, "house-rules", &files, None, at(5)).unwrap();
    let read = skill::read(&imported.item.files["SKILL.md"]).unwrap();
    assert_eq!((read.frontmatter.name.as_str(), read.frontmatter.license.as_deref()), ("document-style", Some("MIT")));
    assert_eq!(read.frontmatter.description, "Rules of the house.");
    assert_eq!(read.frontmatter.metadata["imported_from"], "house-rules");
    assert_eq!(imported.item.files["references/a.md"], "- ropes\n");
    assert_eq!(imported.item.source.model_id, "import:skill-folder");
    assert_eq!((imported.item.source.created_at, imported.item.source.has_direct_edits), (at(5), false));
    assert_eq!(imported.warnings, ["references/style-rules.md is missing; details belong there"]);
}

#[test]
fn a_skill_becomes_a_situation_with_all_it_refers_to() {
    let files = foreign("now", "# Now\n\nSee [more](references/a.md).");
    let imported = import(Category::Situation, "now", &files, None, at(5)).unwrap();
    let expected = "# Now\n\nSee [more](references/a.md).\n\n## references/a.md\n\n- ropes\n";
    assert_eq!(imported.item.files, BTreeMap::from([("context.md".to_owned(), expected.to_owned())]));
}

#[test]
fn what_is_no_skill_does_not_come_in() {
    let refused = |folder: &str, files: &BTreeMap<String, Vec<u8>>| {
        let error = import(Category::CompanyContext, folder, files, None, at(5)).unwrap_err();
        OpError::from(error).code()
    };
    assert_eq!(refused("other-name", &foreign("house-rules", "Body.")), Code::ValidationFailed);
    assert_eq!(refused("house-rules", &BTreeMap::new()), Code::ValidationFailed);
    assert_eq!(refused("house-rules", &foreign("house-rules", "")), Code::ValidationFailed);
    assert_eq!(refused("house-rules", &foreign("house-rules", "[x](../y)")), Code::ValidationFailed);
    let mut outside = foreign("house-rules", "Body.");
    outside.insert("../x.md".into(), b"a".to_vec());
    assert_eq!(refused("house-rules", &outside), Code::SandboxViolation);
}

#[test]
fn files_that_are_no_texts_stay_behind_and_it_is_told() {
    let mut files = foreign("house-rules", "Body.");
    files.insert("assets/logo.png".into(), vec![0xff, 0xd8]);
    files.insert("source.json".into(), b"{}".to_vec());
    files.insert("scripts/a.py".into(), b"print()".to_vec());
    let imported = import(Category::CompanyContext, "house-rules", &files, None, at(5)).unwrap();
    let paths: Vec<&str> = imported.item.files.keys().map(String::as_str).collect();
    assert_eq!(paths, ["SKILL.md", "references/a.md", "scripts/a.py"]);
    assert_eq!(
        imported.warnings[..2],
        [
            "assets/logo.png was left out: an item holds texts only",
            "source.json was left out: an item keeps its own source under that name",
        ]
    );
}

#[test]
fn a_lower_case_skill_file_is_taken_and_a_birth_is_kept() {
    let mut files = foreign("house-rules", "Body.");
    let text = files.remove("SKILL.md").unwrap();
    files.insert("skill.md".into(), text);
    let before = Source::processed(&Input::text("a").unwrap(), None, "m", at(1));
    let imported = import(Category::CompanyContext, "house-rules", &files, Some(&before), at(5)).unwrap();
    assert!(imported.item.files.contains_key("SKILL.md") && !imported.item.files.contains_key("skill.md"));
    assert_eq!((imported.item.source.created_at, imported.item.source.last_processed_at), (at(1), at(5)));
}

#[test]
fn what_goes_out_comes_in_again() {
    for category in Category::ALL {
        let folder = export(&item(category, "Company: Acme\n- ropes\n")).unwrap();
        let imported = import(category, &folder.name, &bytes(&folder.files), None, at(5)).unwrap();
        assert_eq!(imported.warnings, Vec::<String>::new());
        assert_eq!(imported.item.files, item(category, "Company: Acme\n- ropes\n").files, "{category}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn any_situation_with_words_is_exported(text in "(word|[ \\n#*`\\[\\]()<>.:/\\\\-]|\\PC){0,40}") {
        let text = format!("{text}\nword");
        let folder = export(&situation(&text)).unwrap();
        prop_assert_eq!(skill::validate(&folder.name, &folder.files), vec![]);
    }
}
