//! Headers, pages, links, lists and the structure of tables.

use serde_json::json;

use super::support::{body, document, edited, part, refused, run};

const TEXT: &str = "<w:p><w:r><w:t>one two</w:t></w:r></w:p>";

#[test]
fn a_link_to_a_program_or_file_is_refused() {
    for url in [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "\\\\host\\share",
        "data:text/html,x",
        "a b.example",
        "vbscript:x",
        "word",
    ] {
        let message = refused(TEXT, json!([{"op": "set_hyperlink", "search": "two", "url": url}]));
        assert!(message.starts_with("ops[0].url: invalid address"), "{url}: {message}");
    }
    let applied =
        run(&document(TEXT), json!([{"op": "set_hyperlink", "search": "two", "url": "a.example/x"}])).unwrap();
    assert!(
        part(&applied.bytes, "word/_rels/document.xml.rels")
            .contains(r#"Target="https://a.example/x" TargetMode="External""#)
    );
    let again = run(
        &applied.bytes.into(),
        json!([{"op": "set_hyperlink", "search": "two", "url": "mailto:x@a.example"}, {"op": "remove_hyperlink", "search": "two"}]),
    )
    .unwrap();
    assert!(
        !body(&again.bytes).contains("hyperlink") && !body(&again.bytes).contains("rStyle"),
        "{}",
        body(&again.bytes)
    );
}

#[test]
fn a_field_takes_no_other_instruction() {
    let message =
        refused(TEXT, json!([{"op": "insert_field", "field": "ref", "argument": "x\" \\* DDE", "search": "two"}]));
    assert!(message.contains("not possible in a field"), "{message}");
    assert!(
        refused(TEXT, json!([{"op": "insert_field", "field": "ddeauto", "search": "two"}])).contains("expected one of")
    );
    assert!(refused(TEXT, json!([{"op": "insert_field", "field": "ref", "search": "two"}])).contains("missing"));
}

#[test]
fn a_header_without_references_is_removed_with_its_part() {
    let ops = json!([{"op": "set_header", "text": "a"}, {"op": "set_header", "text": "b"}]);
    let applied = run(&document(TEXT), ops).unwrap();
    assert!(part(&applied.bytes, "word/header1.xml").contains("<w:t>b</w:t>"));
    let removed = run(&applied.bytes.into(), json!([{"op": "set_header", "remove": true}])).unwrap();
    let package = crate::package::Package::open(removed.bytes, crate::Limits::default()).unwrap();
    assert!(!package.has("word/header1.xml"));
    let text = |name: &str| String::from_utf8(package.read(name).unwrap()).unwrap();
    assert!(!text("[Content_Types].xml").contains("header1") && !text("word/document.xml").contains("headerReference"));
}

#[test]
fn margins_leave_room_for_text() {
    assert!(refused(TEXT, json!([{"op": "page_setup", "margin": 5}])).contains("no room"));
    assert!(refused(TEXT, json!([{"op": "page_setup", "columns": 40}])).contains("no room"));
    assert!(refused(TEXT, json!([{"op": "page_setup", "size": "a4", "page_section": 3}])).contains("1 page section"));
    assert!(refused(TEXT, json!([{"op": "page_setup"}])).contains("missing"));
}

#[test]
fn a_section_break_copies_the_page_and_changes_the_next_type() {
    let after = run(&document(TEXT), json!([{"op": "insert_break", "kind": "continuous"}])).unwrap();
    let main = part(&after.bytes, "word/document.xml");
    let page = r#"<w:pgSz w:w="11906" w:h="16838"/></w:sectPr>"#;
    assert!(main.contains(&format!("<w:p><w:pPr><w:sectPr>{page}</w:pPr><w:r>")), "{main}");
    assert!(main.contains(&format!(r#"<w:sectPr><w:type w:val="continuous"/>{page}</w:body>"#)), "{main}");
}

#[test]
fn rows_inside_merged_cells_belong_to_them() {
    let cell = |properties: &str| format!("<w:tc><w:tcPr>{properties}</w:tcPr><w:p/></w:tc>");
    let row = |properties: &str| format!("<w:tr>{}{}</w:tr>", cell(properties), cell("<w:noWrap/>"));
    let table = |rows: &[String]| format!("<w:tbl>{}</w:tbl><w:p/>", rows.concat());
    let (start, more) = (row("<w:vMerge w:val=\"restart\"/>"), row("<w:vMerge/>"));
    let source = table(&[start.clone(), more.clone()]);
    let after = edited(&source, json!([{"op": "insert_table_rows", "row": 1}]));
    assert_eq!(after.matches("<w:vMerge/>").count(), 2, "{after}");
    // Without its first row, the merge begins in the next one.
    let after = edited(&source, json!([{"op": "delete_table_rows", "row": 0}]));
    assert_eq!(after, table(&[start]));
    assert!(refused(&source, json!([{"op": "delete_table_rows", "row": 0, "count": 2}])).contains("delete_table"));
    assert!(refused(&source, json!([{"op": "delete_table_columns", "column": 2}])).contains("column 2 not found"));
    assert!(refused(&source, json!([{"op": "merge_table_cells", "row": 0, "col": 0}])).contains("one cell"));
    let _ = more;
}

#[test]
fn a_list_has_its_own_definition_unless_it_continues_another() {
    let ops = json!([{"op": "insert_list", "items": ["a"], "kind": "number", "start": 3}, {"op": "insert_list", "items": ["b"], "continue_index": 1}, {"op": "insert_list", "items": ["c"]}]);
    let applied = run(&document(TEXT), ops).unwrap();
    let main = body(&applied.bytes);
    let lists: Vec<&str> =
        main.split("<w:numId w:val=\"").skip(1).map(|rest| &rest[..rest.find('"').unwrap()]).collect();
    assert!(lists[0] == lists[1] && lists[1] != lists[2], "{lists:?}");
    assert!(part(&applied.bytes, "word/numbering.xml").contains(r#"<w:start w:val="3"/>"#));
    assert!(
        refused(TEXT, json!([{"op": "insert_list", "items": ["a"], "continue_index": 0}])).contains("not in a list")
    );
}
