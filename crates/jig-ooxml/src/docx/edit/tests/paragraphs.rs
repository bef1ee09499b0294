//! Writing, adding and inserting paragraphs, with all their fields.

use serde_json::json;

use super::support::{bare, body, document, edited, part, refused, run, with_parts};

#[test]
fn a_paragraph_is_added_before_the_last_sections_properties() {
    let wanted = "<w:p><w:r><w:t>Old</w:t></w:r></w:p><w:p><w:r><w:t>New</w:t></w:r></w:p>";
    let ops = json!([{"op": "append_paragraph", "text": "New", "style": "Normal"}]);
    assert_eq!(edited("<w:p><w:r><w:t>Old</w:t></w:r></w:p>", ops), wanted);
}

#[test]
fn all_fields_are_written_in_the_order_of_the_schema() {
    let ops = json!([{
        "op": "append_paragraph", "style": "Heading1", "alignment": "justify", "space_before": 6, "space_after": 12.5,
        "line_spacing": 1.15, "indent_left": 0.5, "indent_right": 0.25, "indent_first_line": -0.25,
        "runs": [
            {"text": "A\tb\nc ", "font_name": "Arial", "font_size": 10.5, "bold": true, "italic": false, "underline": true,
             "font_color": "#2e7d32", "highlight_color": "Bright Green"},
            "<plain>"
        ]
    }]);
    let wanted = concat!(
        r#"<w:p><w:pPr><w:pStyle w:val="Heading1"/><w:spacing w:before="120" w:after="250" w:line="276" w:lineRule="auto"/>"#,
        r#"<w:ind w:left="720" w:right="360" w:hanging="360"/><w:jc w:val="both"/></w:pPr>"#,
        r#"<w:r><w:rPr><w:rFonts w:ascii="Arial" w:hAnsi="Arial" w:eastAsia="Arial" w:cs="Arial"/><w:b/><w:bCs/>"#,
        r#"<w:i w:val="0"/><w:iCs w:val="0"/><w:color w:val="2E7D32"/><w:sz w:val="21"/><w:szCs w:val="21"/>"#,
        r#"<w:highlight w:val="green"/><w:u w:val="single"/></w:rPr>"#,
        r#"<w:t>A</w:t><w:tab/><w:t>b</w:t><w:br/><w:t xml:space="preserve">c </w:t></w:r>"#,
        r#"<w:r><w:t>&lt;plain&gt;</w:t></w:r></w:p>"#
    );
    assert_eq!(edited("", ops), wanted);
}

#[test]
fn setting_paragraphs_keeps_headers_sections_and_all_other_parts() {
    let source = document("<w:p/><w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl><w:p/>");
    let applied =
        run(&source, json!([{"op": "set_paragraphs", "paragraphs": ["One", {"text": "Two", "style": "Title"}]}]))
            .unwrap();
    let wanted = r#"<w:p><w:r><w:t>One</w:t></w:r></w:p><w:p><w:pPr><w:pStyle w:val="Title"/></w:pPr><w:r><w:t>Two</w:t></w:r></w:p>"#;
    assert_eq!(body(&applied.bytes), wanted);
    let parts: Vec<&str> = applied.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(parts, ["word/document.xml"]);
    assert!(part(&applied.bytes, "word/document.xml").contains("</w:p><w:sectPr>"));
}

#[test]
fn places_are_found_by_heading_and_index() {
    let source = concat!(
        r#"<w:p><w:r><w:t>zero</w:t></w:r></w:p>"#,
        r#"<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Costs</w:t></w:r></w:p>"#,
        r#"<w:sdt><w:sdtContent><w:p><w:r><w:t>two</w:t></w:r></w:p></w:sdtContent></w:sdt>"#
    );
    let new = "<w:p><w:r><w:t>new</w:t></w:r></w:p>";
    let at = |field: &str, value: serde_json::Value| {
        let out = edited(source, json!([{"op": "insert_paragraphs", "paragraphs": ["new"], field: value}]));
        let at = out.find(new).unwrap();
        let (before, behind) = (&out[..at], &out[at + new.len()..]);
        assert_eq!(format!("{before}{behind}"), source);
        before.to_owned()
    };
    let heading_end = source.find("<w:sdt>").unwrap();
    assert_eq!(at("after_heading", json!("costs")).len(), heading_end);
    assert_eq!(at("after_index", json!(1)).len(), heading_end);
    assert_eq!(at("before_index", json!(0)).len(), 0);
    // What wraps the last paragraph is left.
    assert_eq!(at("after_index", json!(2)).len(), source.len());
    assert_eq!(at("before_index", json!(2)).len(), heading_end);
    assert_eq!(at("section", json!(0)).len(), source.find("<w:p><w:pPr>").unwrap());
    assert_eq!(at("section", json!("Costs")).len(), source.len());
}

#[test]
fn wrong_places_and_values_are_refused_with_their_place() {
    let one = "<w:p><w:r><w:t>only</w:t></w:r></w:p>";
    let insert = |field: &str, value: serde_json::Value| {
        refused(one, json!([{"op": "insert_paragraphs", "paragraphs": ["x"], field: value}]))
    };
    assert_eq!(
        insert("after_index", json!(7)),
        "ops[0].after_index: paragraph 7 not found; the document has paragraphs 0 to 0"
    );
    assert_eq!(insert("after_heading", json!(0)), "ops[0].after_heading: the section has no heading");
    let both = json!([{"op": "insert_paragraphs", "paragraphs": ["x"], "after_index": 0, "section": 0}]);
    assert_eq!(refused(one, both), "ops[0].section: conflicts with `after_index`: give only one position");
    let wrong = |field: &str, value: serde_json::Value| {
        refused(one, json!([{"op": "append_paragraph", "text": "x", field: value}]))
    };
    assert_eq!(wrong("text", json!([1])), "ops[0].text: expected a text, got a list of 1");
    assert_eq!(
        wrong("runs", json!([["a"]])),
        "ops[0].runs[0]: expected a text, a number, true or false or an object, got a list of 1"
    );
}

#[test]
fn what_is_skipped_is_said() {
    let source = document("");
    let ops = json!([
        {"op": "append_paragraph", "text": "a\u{1}b\u{2}", "style": "Hedding 9x", "alignment": "slanted"},
        {"op": "append_paragraph", "text": "lost", "runs": [{"text": "kept"}]}
    ]);
    let applied = run(&source, ops).unwrap();
    let warnings = [
        "ops[0].alignment: skipped: expected one of left, center, right, justify, got the text `slanted`",
        "ops[0].style: unknown style `Hedding 9x`, so the default style was used; near are heading 9, heading 1, heading 2",
        "ops[0].text: 2 control characters were left out, a Word file cannot hold them",
        "ops[1].text: skipped, since `runs` is given too",
    ];
    assert_eq!(applied.warnings, warnings);
    assert_eq!(body(&applied.bytes), "<w:p><w:r><w:t>ab</w:t></w:r></w:p><w:p><w:r><w:t>kept</w:t></w:r></w:p>");
}

#[test]
fn a_built_in_style_that_is_missing_is_added_once() {
    let styles = r#"<x:styles xmlns:x="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><x:style x:type="paragraph" x:default="1" x:styleId="Std"><x:name x:val="Normal"/></x:style></x:styles>"#;
    let numbering = r#"<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:abstractNum w:abstractNumId="4"/><w:num w:numId="7"><w:abstractNumId w:val="4"/></w:num></w:numbering>"#;
    let source = with_parts(&[("word/styles.xml", styles), ("word/numbering.xml", numbering)]);
    let ops = json!([
        {"op": "append_paragraph", "text": "a", "style": "Überschrift 2"},
        {"op": "append_paragraph", "text": "b", "style": "heading 2"},
        {"op": "append_paragraph", "text": "c", "style": "List Bullet"},
        {"op": "append_paragraph", "text": "d", "style": "normal"}
    ]);
    let applied = run(&source, ops).unwrap();
    let styles = part(&applied.bytes, "word/styles.xml");
    assert_eq!(styles.matches("<x:style ").count(), 3);
    assert!(styles.contains(r#"x:styleId="Heading2"><x:name x:val="heading 2"/><x:basedOn x:val="Std"/>"#));
    assert!(styles.contains(r#"<x:numId x:val="8"/>"#));
    let numbering = part(&applied.bytes, "word/numbering.xml");
    assert!(numbering.contains(r#"<w:abstractNum w:abstractNumId="4"/><w:abstractNum w:abstractNumId="5">"#));
    assert!(numbering.ends_with(r#"<w:num w:numId="8"><w:abstractNumId w:val="5"/></w:num></w:numbering>"#));
    assert_eq!(body(&applied.bytes).matches("<w:pStyle").count(), 3);
}

#[test]
fn a_file_with_another_prefix_keeps_it() {
    let main =
        r#"<x:document xmlns:x="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><x:body/></x:document>"#;
    let applied = run(
        &with_parts(&[("word/document.xml", main)]),
        json!([{"op": "append_paragraph", "text": "a", "alignment": "center"}]),
    )
    .unwrap();
    let wanted = r#"<x:body><x:p><x:pPr><x:jc x:val="center"/></x:pPr><x:r><x:t>a</x:t></x:r></x:p></x:body>"#;
    assert!(part(&applied.bytes, "word/document.xml").contains(wanted));
}

#[test]
fn a_file_with_no_prefix_at_all_gets_one_where_it_is_needed() {
    let main = r#"<document xmlns="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><body><p/></body></document>"#;
    let applied =
        run(&with_parts(&[("word/document.xml", main)]), json!([{"op": "append_paragraph", "text": "a"}])).unwrap();
    let wanted = r#"<p/><w:p xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:r><w:t>a</w:t></w:r></w:p></body>"#;
    assert!(part(&applied.bytes, "word/document.xml").contains(wanted));
}

#[test]
fn parts_that_a_bare_document_lacks_are_added_when_they_are_needed() {
    let main = super::support::main_part("");
    let plain = run(&bare(&main, false), json!([{"op": "append_paragraph", "text": "a", "style": "Normal"}])).unwrap();
    assert_eq!(names(&plain.parts), ["word/document.xml"]);
    let listed =
        run(&bare(&main, false), json!([{"op": "append_paragraph", "text": "a", "style": "List Number"}])).unwrap();
    let wanted = ["word/document.xml", "word/numbering.xml", "word/_rels/document.xml.rels", "word/styles.xml"];
    assert_eq!(names(&listed.parts), wanted);
    let styles = part(&listed.bytes, "word/styles.xml");
    assert!(
        styles.contains(
            r#"<w:style w:type="paragraph" w:styleId="ListNumber"><w:name w:val="List Number"/><w:uiPriority"#
        ),
        "{styles}"
    );
}

#[test]
fn a_strict_document_stays_strict() {
    let strict = "http://purl.oclc.org/ooxml/wordprocessingml/main";
    let main = format!(r#"<w:document xmlns:w="{strict}"><w:body><w:sectPr/></w:body></w:document>"#);
    let ops =
        json!([{"op": "append_paragraph", "text": "a", "style": "Heading 1", "alignment": "right", "indent_left": 1}]);
    let applied = run(&bare(&main, true), ops).unwrap();
    let wanted = r#"<w:p><w:pPr><w:pStyle w:val="Heading1"/><w:ind w:start="1440"/><w:jc w:val="end"/></w:pPr><w:r><w:t>a</w:t></w:r></w:p>"#;
    assert_eq!(body(&applied.bytes), wanted);
    assert!(part(&applied.bytes, "word/styles.xml").contains(strict));
    let rels = part(&applied.bytes, "word/_rels/document.xml.rels");
    assert!(rels.contains(r#"Type="http://purl.oclc.org/ooxml/officeDocument/relationships/styles""#), "{rels}");
}

fn names(parts: &[crate::package::PartChange]) -> Vec<&str> {
    parts.iter().map(|part| part.name.as_str()).collect()
}
