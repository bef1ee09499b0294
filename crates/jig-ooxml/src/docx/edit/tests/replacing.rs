//! `replace_text`, untracked: only the found characters change.

use serde_json::json;

use super::support::{W, body, document, edited, main_part, part, refused, run, with_parts};

fn replaced(source: &str, search: &str, replace: &str) -> String {
    edited(source, json!([{"op": "replace_text", "search": search, "replace": replace}]))
}

#[test]
fn text_is_found_across_runs_and_keeps_the_first_runs_look() {
    let source = concat!(
        r#"<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Old na</w:t></w:r><w:hyperlink w:anchor="x"><w:r><w:t>me &amp; co</w:t></w:r></w:hyperlink>"#,
        r#"<w:r><w:drawing/><w:t>tail</w:t></w:r></w:p>"#
    );
    let wanted = concat!(
        r#"<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Old title</w:t></w:r><w:hyperlink w:anchor="x"><w:r><w:t xml:space="preserve"> &amp; co</w:t></w:r></w:hyperlink>"#,
        r#"<w:r><w:drawing/><w:t>tail</w:t></w:r></w:p>"#
    );
    assert_eq!(replaced(source, "NAME", "title"), wanted);
    assert_eq!(
        replaced(source, "cotail", "x"),
        source.replace("co</w:t>", "x</w:t>").replace("<w:t>tail</w:t>", "<w:t></w:t>")
    );
}

#[test]
fn tabs_and_breaks_are_found_and_written() {
    let source =
        r#"<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:br w:type="page"/><w:t>d</w:t></w:r></w:p>"#;
    let wanted = r#"<w:p><w:r><w:t>x</w:t><w:t></w:t><w:br/><w:t>c</w:t><w:br w:type="page"/><w:t>d</w:t></w:r></w:p>"#;
    assert_eq!(replaced(source, "a\tb", "x"), wanted);
    let wanted = concat!(
        r#"<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:t>1</w:t><w:tab/><w:t>2</w:t><w:br/><w:t>3</w:t>"#,
        r#"<w:t></w:t><w:br w:type="page"/><w:t>d</w:t></w:r></w:p>"#
    );
    assert_eq!(replaced(source, "\nc", "1\t2\n3"), wanted);
    let wanted = r#"<w:p><w:r><w:t xml:space="preserve">q</w:t><w:br/><w:t xml:space="preserve">r</w:t></w:r></w:p>"#;
    assert_eq!(replaced("<w:p><w:r><w:t>z</w:t></w:r></w:p>", "z", "q\nr"), wanted);
}

#[test]
fn other_bytes_of_a_touched_text_stay() {
    let source = r#"<w:p><w:r><w:t>&quot;a&#x41;&quot; and a&#65; &apos;</w:t></w:r></w:p>"#;
    assert_eq!(replaced(source, "aa", "<b>"), source.replace("a&#x41;", "&lt;b&gt;").replace("a&#65;", "&lt;b&gt;"));
    let cdata = "<w:p><w:r><w:t><![CDATA[x < y]]></w:t></w:r></w:p>";
    assert_eq!(replaced(cdata, "x", "z"), "<w:p><w:r><w:t>z &lt; y</w:t></w:r></w:p>");
}

#[test]
fn instructions_and_deleted_text_are_left_alone() {
    let source = concat!(
        r#"<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>REF word</w:instrText></w:r>"#,
        r#"<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>word</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>"#,
        r#"<w:del w:id="1" w:author="B"><w:r><w:delText>word</w:delText></w:r></w:del><w:ins w:id="2" w:author="B"><w:r><w:t>word</w:t></w:r></w:ins></w:p>"#
    );
    assert_eq!(replaced(source, "word", "text"), source.replace("<w:t>word", "<w:t>text"));
}

#[test]
fn every_place_is_reached_and_counted_once() {
    let word = "<w:p><w:r><w:t>Acme</w:t></w:r></w:p>";
    let cell =
        format!("<w:tbl><w:tr><w:tc><w:tbl><w:tr><w:tc>{word}</w:tc></w:tr></w:tbl><w:p/></w:tc></w:tr></w:tbl>");
    let boxed = format!(
        r#"<w:p><w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="wps"><w:drawing><w:txbxContent>{word}</w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent>{word}</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"#
    );
    let control = format!("<w:sdt><w:sdtContent>{word}</w:sdtContent></w:sdt>");
    let main = main_part(&format!("{word}{cell}{boxed}{control}"));
    let header = format!(r#"<w:hdr xmlns:w="{W}">{word}</w:hdr>"#);
    let notes = format!(r#"<w:footnotes xmlns:w="{W}"><w:footnote w:id="1">{word}</w:footnote></w:footnotes>"#);
    let rels = concat!(
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">"#,
        r#"<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/header" Target="header1.xml"/>"#,
        r#"<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/header" Target="header2.xml"/>"#,
        r#"<Relationship Id="rId3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes" Target="footnotes.xml"/>"#,
        "</Relationships>"
    );
    let source = with_parts(&[
        ("word/document.xml", &main),
        ("word/_rels/document.xml.rels", rels),
        ("word/header1.xml", &header),
        ("word/header2.xml", &header),
        ("word/footnotes.xml", &notes),
    ]);
    let applied = run(&source, json!([{"op": "replace_text", "find": "acme", "replace": "Apex"}])).unwrap();
    let change = serde_json::to_value(&applied.changes[0]).unwrap();
    let wanted = json!({
        "index": 0, "op": "replace_text", "summary": "Replaced “acme” 7 times (body 2, footnotes 1, headers 2, tables 1, text boxes 1).",
        "replacements": 7, "locations": {"body": 2, "footnotes": 1, "headers": 2, "tables": 1, "text_boxes": 1}
    });
    assert_eq!(change, wanted);
    for name in ["word/document.xml", "word/header1.xml", "word/header2.xml", "word/footnotes.xml"] {
        assert!(!part(&applied.bytes, name).contains("Acme"), "{name}");
    }
}

#[test]
fn nothing_found_is_said_and_changes_nothing() {
    let source = document("<w:p><w:r><w:t>a</w:t></w:r></w:p>");
    let applied =
        run(&source, json!([{"op": "replace_text", "search": "A", "replace": "b", "match_case": true}])).unwrap();
    assert_eq!(applied.bytes, source.to_vec());
    assert_eq!(applied.warnings, ["ops[0].search: “A” does not occur in the document, nothing was replaced"]);
    assert_eq!(applied.changes[0].summary, "Found no “A” to replace.");
    assert_eq!(
        refused("", json!([{"op": "replace_text", "search": "", "replace": "x"}])),
        "ops[0].search: the text to search for is empty"
    );
    assert_eq!(
        refused("", json!([{"op": "replace_text", "search": "x"}])),
        "ops[0].replace: missing: what to put in its place (a text)"
    );
}

#[test]
fn a_list_of_ops_is_applied_whole_or_not_at_all() {
    let ops = json!([{"op": "append_paragraph", "text": "x"}, {"op": "delete_section", "section": 5}]);
    assert!(run(&document(""), ops).is_err());
    let ops = json!([{"op": "append_paragraph", "text": "x"}, {"op": "replace_text", "search": "x", "replace": "y"}]);
    assert_eq!(body(&run(&document(""), ops).unwrap().bytes), "<w:p><w:r><w:t>y</w:t></w:r></w:p>");
}
