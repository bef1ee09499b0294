//! Labels of lists.

use serde_json::json;

use super::sample::{Sample, styled};
use super::{call, text};
use crate::docx::Document;

fn level(at: usize, start: i64, format: &str, pattern: &str, more: &str) -> String {
    format!(
        r#"<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{format}"/>{more}<w:lvlText w:val="{pattern}"/></w:lvl>"#
    )
}

fn item(num: i64, level: usize, text: &str) -> String {
    format!(
        r#"<w:p><w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{num}"/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#
    )
}

#[test]
fn levels_restarts_and_lists_that_share_a_definition() {
    let numbering = [
        r#"<w:abstractNum w:abstractNumId="0">"#,
        &level(0, 1, "decimal", "%1.", ""),
        &level(1, 1, "lowerLetter", "%1.%2)", ""),
        &level(2, 4, "upperRoman", "%3/%1", r#"<w:lvlRestart w:val="0"/>"#),
        r#"</w:abstractNum><w:abstractNum w:abstractNumId="1">"#,
        &level(0, 1, "bullet", "\u{F0B7}", ""),
        r#"</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>"#,
        r#"<w:num w:numId="2"><w:abstractNumId w:val="0"/></w:num>"#,
        r#"<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="9"/></w:lvlOverride></w:num>"#,
        r#"<w:num w:numId="4"><w:abstractNumId w:val="1"/></w:num>"#,
    ]
    .concat();
    let items = [
        (1, 0, "1. a"),
        (1, 1, "  1.a) b"),
        (1, 1, "  1.b) c"),
        (1, 2, "    IV/1 d"),
        (1, 0, "2. e"),
        (1, 1, "  2.a) f"),
        (1, 2, "    V/2 g"),
        (2, 0, "3. h"),
        (3, 0, "9. i"),
        (3, 0, "10. j"),
        (4, 0, "- k"),
        (0, 0, "l"),
        (77, 0, "m"),
    ];
    let body: String =
        items.iter().map(|(num, level, line)| item(*num, *level, line.rsplit(' ').next().unwrap())).collect();
    let wanted: Vec<&str> = items.iter().map(|(_, _, line)| *line).collect();
    assert_eq!(text(&Sample::body(&body).numbering(&numbering), &json!({})), wanted.join("\n"));
}

#[test]
fn styles_bring_numbers_to_headings() {
    let numbering = [
        r#"<w:abstractNum w:abstractNumId="0">"#,
        &level(0, 1, "upperRoman", "%1", ""),
        &level(1, 1, "decimal", "%1.%2", r#"<w:pStyle w:val="H2"/><w:isLgl/>"#),
        r#"</w:abstractNum><w:num w:numId="5"><w:abstractNumId w:val="0"/></w:num>"#,
    ]
    .concat();
    let styles = concat!(
        r#"<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="5"/></w:numPr></w:pPr></w:style>"#,
        r#"<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/><w:basedOn w:val="H1"/></w:style>"#,
    );
    let body: String = ["H1", "H1", "H2"].map(|style| super::sample::styled(style, "x")).concat();
    let sample = Sample::body(&body).numbering(&numbering).styles(styles);
    assert_eq!(text(&sample, &json!({})), "# I x\n\n# II x\n\n## 2.1 x");
}

/// Sections are read in any order and from any paragraph: their labels are those of the complete text.
#[test]
fn labels_do_not_depend_on_which_sections_were_read_before() {
    let numbering = [
        r#"<w:abstractNum w:abstractNumId="0">"#,
        &level(0, 1, "decimal", "%1.", ""),
        &level(1, 1, "lowerLetter", "%1%2)", ""),
        r#"</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>"#,
        r#"<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="500"/></w:lvlOverride></w:num>"#,
    ]
    .concat();
    let mut body = String::new();
    for section in 0..40 {
        body.push_str(&styled("H", &format!("Section {section}")));
        for at in 0..7 {
            body.push_str(&item(if at == 5 { 2 } else { 1 }, usize::from(at % 3 == 2), &format!("{section}-{at}")));
        }
        let cell = item(1, 0, "cell");
        body.push_str(&format!("<w:tbl><w:tr><w:tc>{cell}</w:tc></w:tr></w:tbl>"));
    }
    let heading = r#"<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 1"/></w:style>"#;
    let sample = Sample::body(&body).styles(heading).numbering(&numbering);
    let all = text(&sample, &json!({}));
    let labels = |document: &Document, section: usize, from: usize| -> Vec<String> {
        let query = json!({ "section_index": section, "from_paragraph": from });
        let reply = call(document, "DocxGetSectionContent", &query).unwrap();
        let paragraphs = reply["section"]["paragraphs"].as_array().unwrap().iter();
        let lists = paragraphs.filter(|paragraph| !paragraph["list"].is_null());
        lists
            .map(|one| format!("{} {}", one["list"]["label"].as_str().unwrap(), one["text"].as_str().unwrap()))
            .collect()
    };
    let orders: [Vec<usize>; 3] =
        [(0..40).collect(), (0..40).rev().collect(), (0..40).map(|at| at * 17 % 40).collect()];
    for order in orders {
        let document = sample.open();
        for section in order {
            let found = labels(&document, section, 0);
            assert_eq!(found.len(), 7, "section {section}");
            for line in &found {
                assert!(all.contains(line.as_str()), "{line} is not in the text");
            }
            // Eight paragraphs outside tables precede each section.
            assert_eq!(labels(&document, section, section * 8 + 4), found[3..], "section {section}");
        }
    }
}
