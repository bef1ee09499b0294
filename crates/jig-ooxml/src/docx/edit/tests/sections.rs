//! Replacing and deleting what stands under a heading.

use serde_json::json;

use super::support::{body, document, edited, refused, run};

const HEAD: &str = r#"<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>"#;
const SUB: &str = r#"<w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>"#;
const END: &str = "</w:t></w:r></w:p>";

fn text(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}{END}")
}

fn report() -> String {
    [
        &format!("{HEAD}One{END}"),
        &text("a"),
        &format!("{SUB}Deep{END}"),
        &text("b"),
        &format!("{HEAD}Two{END}"),
        &text("c"),
    ]
    .map(|s| s.as_str())
    .concat()
}

#[test]
fn a_section_is_replaced_and_its_heading_stays() {
    let out = edited(&report(), json!([{"op": "replace_section", "section": "deep", "paragraphs": ["new", "more"]}]));
    let wanted = report().replace(&text("b"), &(text("new") + &text("more")));
    assert_eq!(out, wanted);
}

#[test]
fn a_heading_is_changed_with_its_look_kept() {
    let out =
        edited(&report(), json!([{"op": "replace_section", "section": "Two", "heading": "Last", "paragraphs": []}]));
    // An empty list beside a heading does not mean that the text goes.
    assert_eq!(out, report().replace("Two", "Last"));
}

#[test]
fn a_section_under_another_goes_only_when_asked() {
    let source = document(&report());
    let alone = run(&source, json!([{"op": "delete_section", "section": "One"}])).unwrap();
    assert_eq!(
        alone.warnings,
        ["ops[0].section: 1 section under the deleted heading stay; set include_subsections to delete them too"]
    );
    let wanted =
        [&format!("{SUB}Deep{END}"), &text("b"), &format!("{HEAD}Two{END}"), &text("c")].map(|s| s.as_str()).concat();
    assert_eq!(body(&alone.bytes), wanted);
    let deep = edited(&report(), json!([{"op": "delete_section", "section": 0, "include_subsections": true}]));
    assert_eq!(deep, format!("{HEAD}Two{END}{}", text("c")));
}

#[test]
fn a_section_that_is_not_there_is_refused() {
    let ops = json!([{"op": "delete_section", "section": "Twoo"}]);
    let error = run(&document(&report()), ops).unwrap_err();
    assert_eq!(error.to_string(), "ops[0].section: no section has the heading “Twoo”");
    let crate::error::Error::Edit(error) = error else { panic!("{error}") };
    assert_eq!(error.suggestions, ["Two"]);
    let none = refused(&report(), json!([{"op": "delete_section", "section": 9}]));
    assert_eq!(none, "ops[0].section: section 9 not found; the document has sections 0 to 2");
    assert_eq!(
        refused("", json!([{"op": "delete_section"}])),
        "ops[0].section: missing: its heading, or its index (any value)"
    );
}

#[test]
fn a_heading_that_another_section_has_is_told() {
    let twice = [format!("{HEAD}One{END}"), text("a"), format!("{HEAD}one{END}"), text("b")].concat();
    let cases = [
        (json!({"op": "delete_section", "section": "One"}), "section"),
        (json!({"op": "replace_section", "section": "One", "heading": "New", "paragraphs": ["x"]}), "section"),
        (json!({"op": "insert_paragraphs", "section": "one", "paragraphs": ["x"]}), "section"),
        (json!({"op": "insert_paragraphs", "after_heading": "One", "paragraphs": ["x"]}), "after_heading"),
        (json!({"op": "insert_table", "after_heading": "One", "rows": [["x"]]}), "after_heading"),
    ];
    for (op, field) in cases {
        let applied = run(&document(&twice), json!([op])).unwrap();
        let told = format!("ops[0].{field}: 2 sections have this heading; the first, section 0, is used");
        assert_eq!(applied.warnings, [told], "{op}");
    }
    let by_index = edited(&twice, json!([{"op": "delete_section", "section": 1}]));
    assert_eq!(by_index, format!("{HEAD}One{END}{}", text("a")));
}

#[test]
fn a_section_is_still_meant_when_it_gets_the_heading_of_another() {
    let ops = json!([{"op": "replace_section", "section": "Two", "heading": "One", "paragraphs": ["new"]}]);
    assert_eq!(edited(&report(), ops), report().replace("Two", "One").replace(&text("c"), &text("new")));
}

#[test]
fn ends_of_ranges_breaks_and_fields_that_reach_out_are_kept() {
    let source = document(&[
        &format!("{HEAD}One{END}"),
        concat!(
            r#"<w:p><w:bookmarkStart w:id="1" w:name="out"/><w:bookmarkStart w:id="2" w:name="in"/><w:bookmarkEnd w:id="2"/>"#,
            r#"<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC</w:instrText></w:r></w:p>"#,
            r#"<w:p><w:pPr><w:sectPr><w:cols w:num="2"/></w:sectPr></w:pPr></w:p>"#
        ),
        &format!("{HEAD}Two{END}"),
        r#"<w:p><w:bookmarkEnd w:id="1"/><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>"#,
    ].concat());
    let applied = run(&source, json!([{"op": "delete_section", "section": "One"}])).unwrap();
    let wanted = [
        r#"<w:bookmarkStart w:id="1" w:name="out"/><w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC</w:instrText></w:r></w:p>"#,
        r#"<w:p><w:pPr><w:sectPr><w:cols w:num="2"/></w:sectPr></w:pPr></w:p>"#,
        &format!("{HEAD}Two{END}"),
        r#"<w:p><w:bookmarkEnd w:id="1"/><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>"#,
    ].concat();
    assert_eq!(body(&applied.bytes), wanted);
    assert_eq!(applied.warnings.len(), 2);
}
