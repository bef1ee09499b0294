//! Tests that catalog, schemas and guides agree, and tests of merging.

use std::collections::BTreeMap;

use jig_contract::Code;
use jig_contract::file_api::ops::docx::DocxOp;
use jig_contract::file_api::ops::pptx::PptxOp;
use jig_contract::file_api::ops::schema::ObjectInfo;
use jig_contract::file_api::ops::xlsx::XlsxOp;
use jig_contract::file_api::{OpSet, Strictness, Warning, parse_ops};
use serde_json::Value;

use super::catalog::{changes_look, render};
use super::fields::{fact, facts};
use super::schema::Schema;
use super::{Format, PARAMETERS_FILE, StyleSkill, bundled, for_call};
use crate::item::{Category, Input, offline};
use crate::skill;

fn item(body: &str, references: &[(&str, &str)]) -> BTreeMap<String, String> {
    let head = "---\nname: document-style\ndescription: House style\n---\n";
    let references = references.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    references.chain([("SKILL.md".to_owned(), format!("{head}\n{body}\n"))]).collect()
}

fn merge(format: Format, files: &BTreeMap<String, String>) -> StyleSkill {
    let styles = for_call(&[format], Some(files));
    assert_eq!(styles.notices, []);
    styles.skills.into_iter().find(|skill| skill.format == Some(format)).expect("merges")
}

/// The complete style part of a prompt for a format: the user's rules for every format, then the merged skill.
fn body(format: Format, files: &BTreeMap<String, String>) -> String {
    let styles = for_call(&[format], Some(files));
    let bodies = styles.skills.iter().map(|skill| skill::read(&skill.files["SKILL.md"]).expect("readable").body);
    bodies.collect::<Vec<_>>().join("\n")
}

/// Every op and nested object with its fields.
fn shapes(format: Format) -> Vec<ObjectInfo> {
    let schema = Schema::of(format);
    schema.ops.into_iter().chain(schema.values).collect()
}

#[test]
fn every_field_of_the_schemas_is_known_and_no_other() {
    for format in Format::ALL {
        let shapes = shapes(format);
        let fields = || shapes.iter().flat_map(|shape| shape.fields.iter().map(move |field| (shape, field)));
        let unknown: Vec<_> =
            fields().filter(|(shape, field)| fact(format, &shape.name, &field.name).is_none()).collect();
        let unknown: Vec<_> = unknown.iter().map(|(shape, field)| format!("{} {}", shape.name, field.name)).collect();
        let is_used = |known| fields().any(|(shape, field)| fact(format, &shape.name, &field.name) == Some(known));
        let unused: Vec<_> =
            facts(format).iter().filter(|known| !is_used(known)).map(|known| (known.0, known.1)).collect();
        assert_eq!((unknown, unused), (Vec::new(), Vec::new()), "{format:?}");
    }
}

#[test]
fn ranges_are_those_of_the_definitions() {
    for format in Format::ALL {
        for shape in shapes(format) {
            for field in &shape.fields {
                let (Some(fact), Some((least, most))) = (fact(format, &shape.name, &field.name), field.range) else {
                    continue;
                };
                let described = !fact.2.is_empty() && !fact.3.starts_with("see ");
                let range = format!("{least} to {most}");
                assert!(!described || fact.3.contains(&range), "{format:?} {} {}: {range}", shape.name, field.name);
            }
        }
    }
}

#[test]
fn the_catalog_has_every_op_and_field_that_changes_the_look() {
    for format in Format::ALL {
        let text = render(format);
        for shape in shapes(format).iter().filter(|shape| changes_look(format, shape)) {
            assert!(text.contains(&format!("`{}", shape.name)), "{format:?} {}", shape.name);
            for field in &shape.fields {
                assert!(text.contains(&field.name), "{format:?} {} {}", shape.name, field.name);
            }
        }
    }
    let xlsx = render(Format::Xlsx);
    assert!(xlsx.contains("- `set_range sheet start values style?`:"), "{xlsx}");
    assert!(xlsx.contains("| `font_size` | number | points, 1 to 409 |"));
    assert!(xlsx.contains("| `type` ? | content | `string`, `number`, `boolean`, `date`, `formula`, `blank` |"));
    assert!(xlsx.contains("`slantDashDot`"));
    assert!(!xlsx.contains("delete_sheet"));
    assert!(render(Format::Pptx).contains("| `highlight_color` |"));
}

fn warnings<T: OpSet>(ops: &Value) -> Vec<Warning> {
    parse_ops::<T>(ops, Strictness::Refuse)
        .map_err(|error| error.to_string())
        .map(|parsed| parsed.warnings)
        .expect("valid ops")
}

#[test]
fn the_guides_use_ops_and_fields_that_there_are() {
    for format in Format::ALL {
        let schema = Schema::of(format);
        let text = &bundled(format).files["SKILL.md"];
        let blocks: Vec<&str> = text.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        assert!(blocks.len() >= 2, "{format:?}");
        for block in blocks {
            let list: Value = serde_json::from_str(block).expect(block);
            let warnings = match format {
                Format::Xlsx => warnings::<XlsxOp>(&list),
                Format::Docx => warnings::<DocxOp>(&list),
                Format::Pptx => warnings::<PptxOp>(&list),
            };
            assert!(warnings.is_empty(), "{format:?} {warnings:?}");
            for call in list.as_array().expect("a list") {
                let name = call["op"].as_str().expect("an op");
                let op = schema.ops.iter().find(|op| op.name == name).expect(name);
                for field in call.as_object().expect("an object").keys().filter(|key| *key != "op") {
                    assert!(op.fields.iter().any(|known| known.name == *field), "{name} {field}");
                }
            }
        }
    }
}

#[test]
fn bundled_skills_are_valid_and_short() {
    for format in Format::ALL {
        let skill = bundled(format);
        assert_eq!(skill::validate(&skill.name, &skill.files), [], "{format:?}");
        assert!(skill.files["SKILL.md"].matches("\n- **").count() >= 10);
        assert_eq!(skill, bundled(format));
    }
}

#[test]
fn sections_for_other_formats_are_left_out() {
    let files = item(
        "## Excel\n\n- Hide gridlines\n\n## PowerPoint slides\n\n- No animations\n\n## Word choice\n\n- Say client",
        &[],
    );
    let text = body(Format::Xlsx, &files);
    assert!(
        text.contains("Hide gridlines") && text.contains("Say client") && !text.contains("No animations"),
        "{text}"
    );
    assert!(body(Format::Pptx, &files).contains("No animations"));
}

/// The formats whose skills have a rule below these headings.
fn formats_with_a_rule_below(headings: &str) -> Vec<Format> {
    let files = item(&format!("{headings}\n\n- Say marmot"), &[]);
    Format::ALL.into_iter().filter(|format| body(*format, &files).contains("Say marmot")).collect()
}

#[test]
fn a_heading_may_name_several_formats() {
    let cases: &[(&str, &[Format])] = &[
        ("# Formatting rules for documents, spreadsheets and presentations", &Format::ALL),
        ("# Documents and slides", &[Format::Docx, Format::Pptx]),
        ("# Document/presentation style", &[Format::Docx, Format::Pptx]),
        ("# Docs, sheets", &[Format::Xlsx, Format::Docx]),
        ("# Excel, Word", &[Format::Xlsx, Format::Docx]),
        ("# Word documents and decks", &[Format::Docx, Format::Pptx]),
        ("# Excel and presentation rules", &[Format::Xlsx, Format::Pptx]),
        ("# Excel documents", &[Format::Xlsx]),
        ("# Excel, documents", &[Format::Xlsx, Format::Docx]),
        ("# Word", &[Format::Docx]),
        ("# Presentation", &[Format::Pptx]),
        ("# Presentations", &[Format::Pptx]),
    ];
    for (heading, formats) in cases {
        assert_eq!(formats_with_a_rule_below(heading), *formats, "{heading}");
    }
}

#[test]
fn a_heading_that_means_no_format_restricts_nothing() {
    for heading in [
        "# Data presentation",
        "# Presentation of numbers",
        "# Document style",
        "# Style sheet for documents",
        "# Words to avoid",
        "# Word choice in documents",
        "# Rules for Excel and other files",
        "# Slides and other formats",
        "# All files, Excel too",
        "# Every format",
    ] {
        assert_eq!(formats_with_a_rule_below(heading), Format::ALL, "{heading}");
    }
    assert_eq!(formats_with_a_rule_below("# Data presentation in Excel"), [Format::Xlsx]);
    assert_eq!(formats_with_a_rule_below("# Word limits on slides"), [Format::Pptx]);
}

#[test]
fn the_innermost_heading_that_names_a_format_decides() {
    assert_eq!(formats_with_a_rule_below("# House style for Excel\n\n## Slides"), [Format::Pptx]);
    assert_eq!(formats_with_a_rule_below("# Slides\n\n## Colours\n\n### Accents"), [Format::Pptx]);
    assert_eq!(formats_with_a_rule_below("# Excel\n\n## Dates and other formats"), [Format::Xlsx]);
    assert_eq!(formats_with_a_rule_below("# House style for Excel\n\n## All files"), Format::ALL);
}

#[test]
fn what_every_item_made_without_a_model_says_overrides_no_principle() {
    let input = Input::text("- Be kind").expect("an input");
    let files = offline::build(Category::DocumentStyle, &input).files;
    for format in Format::ALL {
        let (general, text) = (bundled(format), body(format, &files));
        assert!(text.contains("- Be kind"), "{text}");
        for principle in general.files["SKILL.md"].lines().filter(|line| line.starts_with("- **")) {
            assert!(text.contains(principle), "{format:?} lost {principle}");
        }
    }
}

#[test]
fn user_examples_come_first_and_the_parameters_stay() {
    let files = item("Be brief.\n\n## Word\n\n### A good title\n\n```\n# Q3 ``` Results\n```", &[]);
    let merged = merge(Format::Docx, &files);
    let text = &merged.files["SKILL.md"];
    let examples = text.split_once("## Examples").expect("examples").1;
    assert!(examples.trim().starts_with("### A good title\n\n````\n# Q3 ``` Results\n````"), "{examples}");
    assert!(examples.contains("### A table with a header"));
    assert_eq!(merged.files[PARAMETERS_FILE], bundled(Format::Docx).files[PARAMETERS_FILE]);
    assert_eq!(merged.name, "docx-style-custom");
}

#[test]
fn what_the_item_refers_to_is_taken_in_and_links_become_text() {
    let rules = "- Use [our palette](colours.md) and `references/colours.md` for accents in every single one of the \
                 many charts and diagrams that we ever make for the outside world\n";
    let files = item(
        "See [the rules](references/style-rules.md).\n\n- Be brief",
        &[("references/style-rules.md", rules), ("references/colours.md", "- Navy is #001F3F")],
    );
    for skill in for_call(&Format::ALL, Some(&files)).skills {
        assert_eq!(skill::validate(&skill.name, &skill.files), []);
    }
    let text = body(Format::Pptx, &files);
    assert!(text.contains("our palette and references/colours.md for accents"), "{text}");
    assert!(text.contains("Navy is #001F3F"));
    assert!(!text.contains("the rules"), "{text}");
}

#[test]
fn lists_stay_with_the_words_before_them() {
    let text = body(Format::Pptx, &item("Say it this way:\n\n1. client, not customer\n2. team, not staff", &[]));
    assert!(text.contains("- client, not customer (listed under “Say it this way”)"), "{text}");
    let long = "Whoever writes to a client, a partner or the press says each of these things in exactly this way.";
    let text = body(Format::Pptx, &item(&format!("{long}\n\n1. client\n2. team"), &[]));
    assert!(text.contains(&format!("- {long}\n  \n  1. client\n  2. team")), "{text}");
}

#[test]
fn markup_that_reaches_too_far_is_taken_as_text() {
    let files = item("- See [x]\n\n- More\n\n  [x]: references/gone.md\n", &[]);
    for skill in for_call(&[Format::Docx], Some(&files)).skills {
        assert!(skill::validate(&skill.name, &skill.files).iter().all(|problem| !problem.hard));
    }
    let files = item("<!-- a comment that never ends\n\n- Be brief", &[]);
    assert!(body(Format::Docx, &files).contains("### A table with a header"));
}

#[test]
fn a_failed_merge_gives_the_bundled_skill_and_a_notice() {
    let broken = BTreeMap::from([("SKILL.md".to_owned(), "no frontmatter".to_owned())]);
    let styles = for_call(&[Format::Pptx, Format::Xlsx], Some(&broken));
    assert_eq!(styles.skills, [bundled(Format::Xlsx), bundled(Format::Pptx)]);
    assert!(styles.replaces_document_style);
    let codes: Vec<Code> = styles.notices.iter().map(|notice| notice.code).collect();
    assert_eq!(codes, [Code::StyleMergeFailed, Code::StyleMergeFailed]);
    assert!(
        styles.notices[0].message.contains("`---` must be the very first characters"),
        "{}",
        styles.notices[0].message
    );
    let styles = for_call(&[Format::Xlsx], Some(&item("---\n***", &[])));
    assert!(styles.notices[0].message.contains("the item has no rules"), "{:?}", styles.notices);
}

#[test]
fn without_formats_or_without_an_item_nothing_is_merged() {
    let files = item("- Be brief", &[]);
    assert_eq!(for_call(&[], Some(&files)), super::Styles::default());
    let styles = for_call(&[Format::Docx], None);
    assert_eq!(styles.skills, [bundled(Format::Docx)]);
    assert!(!styles.replaces_document_style);
    let styles = for_call(&[Format::Docx], Some(&files));
    let names: Vec<&str> = styles.skills.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!((names, styles.notices.len()), (vec!["all-formats-style-custom", "docx-style-custom"], 0));
    assert!(styles.replaces_document_style);
}
