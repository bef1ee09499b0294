//! Style rules: which format each one reaches, and that none is turned into its opposite.

use std::collections::BTreeMap;

use jig_context::item::{Category, Input, offline};
use jig_context::style::{Format, bundled, for_call};
use proptest::prelude::*;

use crate::style_corpus::{Document, Formats, Meaning, first, fourth, second, third};

pub(crate) type Files = BTreeMap<String, String>;

/// An item whose `SKILL.md` is the document itself, as written by a person or a model.
fn direct(text: &str) -> Files {
    BTreeMap::from([(
        "SKILL.md".to_owned(),
        format!("---\nname: document-style\ndescription: House style\n---\n\n{text}\n"),
    )])
}

/// The item that `offline:extract` builds from the document.
fn extracted(text: &str) -> Files {
    offline::build(Category::DocumentStyle, &Input::text(text).unwrap()).files
}

/// The lines of the user's rules in a prompt for this format: those for every format and the format's own.
pub(crate) fn lines(files: &Files, format: Format) -> Vec<String> {
    let styles = for_call(&[format], Some(files));
    assert_eq!(styles.notices, [], "{files:?}");
    let mut lines = Vec::new();
    for skill in &styles.skills {
        let text = &skill.files["SKILL.md"];
        let house = text.split("\n## Principles\n").next().unwrap_or_default();
        let own_examples = text.split_once("\n## Examples\n").map_or("", |(_, examples)| examples);
        let own_examples = own_examples.split("### A table with").next().unwrap_or_default();
        // Rules are list items; the text that Jig adds around them is not.
        let rules = house.lines().filter(|line| line.starts_with("- ") || line.starts_with("  "));
        lines.extend(rules.chain(own_examples.lines()).map(|line| line.replace('\\', "")));
    }
    lines
}

pub(crate) fn check(document: &Document, files: &Files, how: &str) {
    let cues: Vec<&str> = document
        .rules
        .iter()
        .filter_map(|(_, meaning)| match meaning {
            Meaning::Dont(text, cue) if !text.contains(cue) && *cue != "Do:" => Some(*cue),
            _ => None,
        })
        .collect();
    for format in Format::ALL {
        let lines = lines(files, format);
        for (formats, meaning) in document.rules {
            let (Meaning::Do(text) | Meaning::Dont(text, _) | Meaning::DoUnder(text)) = meaning;
            let found: Vec<&String> = lines.iter().filter(|line| line.contains(text)).collect();
            let place = format!("{} ({how}), {}: {text:?} in {lines:#?}", document.name, format.as_str());
            let wanted = match formats {
                Formats::All => true,
                Formats::Only(only) => only.contains(&format.as_str()),
            };
            assert_eq!(!found.is_empty(), wanted, "scope of {place}");
            for line in found {
                match meaning {
                    Meaning::Dont(_, cue) => assert!(line.contains(cue), "lost {cue:?}: {place}"),
                    Meaning::Do(text) => {
                        let rest = line.replace(text, "");
                        assert!(!cues.iter().any(|cue| rest.contains(cue)), "inverted by a heading: {place}");
                    }
                    Meaning::DoUnder(text) => assert!(line.starts_with(&format!("- {text}")), "inverted: {place}"),
                }
            }
        }
    }
}

fn check_all(documents: &[Document]) {
    let changes = |document: &&Document| {
        let checked = std::panic::catch_unwind(|| {
            check(document, &direct(document.text), "direct");
            check(document, &extracted(document.text), "extracted");
        });
        checked.is_err()
    };
    let changed: Vec<&str> = documents.iter().filter(changes).map(|document| document.name).collect();
    assert_eq!(changed, Vec::<&str>::new(), "the reasons are above");
}

#[test]
fn each_rule_keeps_its_polarity_and_formats() {
    check_all(first::DOCUMENTS);
}

#[test]
fn each_rule_of_the_second_half_keeps_its_polarity_and_formats() {
    check_all(second::DOCUMENTS);
}

#[test]
fn each_rule_in_html_and_plain_text_keeps_its_polarity_and_formats() {
    check_all(third::DOCUMENTS);
}

#[test]
fn each_rule_in_further_languages_and_markup_keeps_its_polarity_and_formats() {
    check_all(fourth::DOCUMENTS);
}

#[test]
fn every_principle_and_the_catalog_stay_verbatim_beside_any_style() {
    for document in first::DOCUMENTS.iter().chain(second::DOCUMENTS).chain(third::DOCUMENTS).chain(fourth::DOCUMENTS) {
        for files in [direct(document.text), extracted(document.text)] {
            for skill in for_call(&Format::ALL, Some(&files)).skills {
                let Some(format) = skill.format else { continue };
                let general = bundled(format);
                for (path, text) in &general.files {
                    if path != "SKILL.md" {
                        assert_eq!(&skill.files[path], text);
                        continue;
                    }
                    let body = text.split_once("\n---\n").unwrap().1;
                    for line in body.lines() {
                        assert!(skill.files[path].contains(line), "{}: {format:?} lost {line:?}", document.name);
                    }
                }
            }
        }
    }
}

#[test]
fn the_users_rules_come_first_and_are_said_to_win() {
    let files = direct("- Be brief\n\n## Excel\n\n- Freeze the header row\n");
    let styles = for_call(&[Format::Xlsx], Some(&files));
    let xlsx = styles.skills.iter().find(|skill| skill.format == Some(Format::Xlsx)).unwrap();
    let text = &xlsx.files["SKILL.md"];
    let (rule, principles) = (text.find("Freeze the header row").unwrap(), text.find("## Principles").unwrap());
    let wins = text.find("follow the house rule").unwrap();
    assert!(wins < rule && rule < principles, "{text}");
    assert!(!text.contains("Be brief"), "a rule for every format is given once: {text}");
}

#[test]
fn rules_for_every_format_are_given_once() {
    let files = direct("- Be brief\n\n## Excel\n\n- Freeze the header row\n");
    let styles = for_call(&Format::ALL, Some(&files));
    let all: String = styles.skills.iter().map(|skill| skill.files["SKILL.md"].as_str()).collect();
    assert_eq!(all.matches("Be brief").count(), 1, "{all}");
    assert_eq!(all.matches("Freeze the header row").count(), 1, "{all}");
    assert_eq!(styles.skills[0].format, None);
    assert!(styles.skills[0].files["SKILL.md"].contains("Be brief"));
}

#[test]
fn rules_in_other_files_keep_what_stands_above_the_link() {
    let file = |body: &str, files: &[(&str, &str)]| {
        let mut all = direct(body);
        all.extend(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
        lines(&all, Format::Docx)
    };
    let has = |lines: &[String], text: &str, cue: &str| {
        let found: Vec<&String> = lines.iter().filter(|line| line.contains(text)).collect();
        !found.is_empty() && found.iter().all(|line| line.contains(cue))
    };
    let below =
        file("## Never do this\n\nSee [the list](references/list.md).", &[("references/list.md", "- Red text")]);
    assert!(has(&below, "Red text", "Never do this"), "{below:#?}");
    let named = file("Words: [here](references/words-to-avoid.md)", &[("references/words-to-avoid.md", "- synergy")]);
    assert!(has(&named, "synergy", "words to avoid"), "{named:#?}");
    let said = file("Do not use the words in [this list](references/w.md).", &[("references/w.md", "- synergy")]);
    assert!(has(&said, "synergy", "Do not use the words in this list"), "{said:#?}");
    let other =
        file("## Excel\n\nSee [rules](references/style-rules.md).", &[("references/style-rules.md", "- Freeze it")]);
    assert!(!other.iter().any(|line| line.contains("Freeze it")), "{other:#?}");
}

const NEGATIVE: &[&str] = &[
    "Don'ts",
    "Don’t",
    "DON'T",
    "Never",
    "Do not",
    "Words to avoid",
    "Avoid",
    "Forbidden",
    "No-gos",
    "What we don't do",
    "Things that get you fired",
    "Verboten",
    "Nicht verwenden",
    "À proscrire",
    "Ne pas faire",
    "Prohibido",
    "Evitar",
    "Vietato",
    "Запрещено",
    "禁止",
    "금지",
    "ห้าม",
    "Kerülendő",
    "Yasak",
    "Undvik",
    "❌",
    "👎",
    "Out",
    "Anti-patterns",
];

fn word() -> impl Strategy<Value = String> {
    "[a-zäß]{3,9}"
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    /// Whatever the heading and the layout, no line contains a rule without the headings above it.
    #[test]
    fn no_line_states_a_forbidden_thing_without_its_heading(
        heading in prop::sample::select(NEGATIVE),
        rules in prop::collection::vec(prop::collection::vec(word(), 1..5), 1..6),
        layout in 0_usize..7,
        above in prop::option::of("[A-Z][a-z]{3,8}"),
    ) {
        let rules: Vec<String> = rules.into_iter().map(|words| format!("zq{}", words.join(" "))).collect();
        let list = |mark: &str| rules.iter().map(|rule| format!("{mark}{rule}\n")).collect::<String>();
        let body = match layout {
            0 => format!("## {heading}\n\n{}", list("- ")),
            1 => format!("**{heading}**\n\n{}", list("* ")),
            2 => format!("{heading}:\n{}", list("1. ")),
            3 => format!("{heading}:\n\n{}", list("• ")),
            4 => format!("- {heading}\n{}", list("  - ")),
            5 => format!("| {heading} |\n|---|\n{}", rules.iter().map(|rule| format!("| {rule} |\n")).collect::<String>()),
            _ => rules.iter().map(|rule| format!("{heading}: {rule}\n")).collect(),
        };
        let text = format!("{}{body}", above.map(|above| format!("# {above}\n\n")).unwrap_or_default());
        for files in [direct(&text), extracted(&text)] {
            for format in Format::ALL {
                let lines = lines(&files, format);
                for rule in &rules {
                    let found: Vec<&String> = lines.iter().filter(|line| line.contains(rule.as_str())).collect();
                    prop_assert!(!found.is_empty(), "{rule:?} is lost: {lines:#?} of {text}");
                    for line in found {
                        prop_assert!(line.contains(heading), "{line:?} of {text}");
                    }
                }
            }
        }
    }

    /// No text breaks merging, and no words are lost.
    #[test]
    fn any_text_merges_or_says_why(text in "([#>*\\-|`~ \\n:]|[a-zA-Z.]{1,8}|❌|•|\\[x\\]\\(y\\.md\\)|<b>){0,60}") {
        let files = direct(&text);
        let styles = for_call(&Format::ALL, Some(&files));
        prop_assert_eq!(&styles, &for_call(&Format::ALL, Some(&files)));
    }
}
