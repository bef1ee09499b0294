//! Tracked changes: accepting gives the new document, rejecting the old one.

use serde_json::{Value, json};

use super::support::{body, by_ada, document, edited, run};
use crate::limits::Limits;
use crate::xml::{Node, Ns, Tree};

const HEAD: &str = r#"<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Costs</w:t></w:r></w:p>"#;

/// The paragraphs of a body as `style|text`, with all changes accepted or rejected.
fn settled(body: &str, accept: bool) -> Vec<String> {
    let text = super::support::main_part(body);
    let tree = Tree::parse("x", &text, &Limits::default()).unwrap();
    let mut lines = Vec::new();
    let mut open = String::new();
    for paragraph in tree.root().descendants().filter(|node| node.is(Ns::W, "p")) {
        let row = paragraph.ancestors().find(|node| node.is(Ns::W, "tr"));
        let gone = if accept { "del" } else { "ins" };
        if row.is_some_and(|row| row.path(Ns::W, &["trPr", gone]).is_some()) {
            continue;
        }
        let texts = paragraph.descendants().filter(|node| node.is(Ns::W, "t") || node.is(Ns::W, "delText"));
        let shown = texts.filter(|node| !node.ancestors().any(|around| around.is(Ns::W, gone)));
        open.push_str(&shown.map(Node::text).collect::<String>());
        let properties = paragraph.child(Ns::W, "pPr");
        if properties.is_some_and(|p| p.path(Ns::W, &["rPr", gone]).is_some()) {
            continue;
        }
        let history = properties.and_then(|p| p.path(Ns::W, &["pPrChange", "pPr"])).filter(|_| !accept);
        let style = history.or(properties).and_then(|p| p.child(Ns::W, "pStyle")).and_then(|s| s.attr("val"));
        lines.push(format!("{}|{open}", style.unwrap_or_default()));
        open.clear();
    }
    if !open.is_empty() {
        lines.push(open);
    }
    lines
}

/// Applies ops once with and once without tracking: accepted, both must read the same; rejected, the
/// tracked one must read as the source.
fn check(source: &str, ops: Value) {
    let tracked = json!({"ops": ops, "track_changes": true});
    let tracked = body(&run(&document(source), tracked).unwrap().bytes);
    let plain = body(&run(&document(source), ops).unwrap().bytes);
    assert_eq!(settled(&tracked, true), settled(&plain, true), "accepted: {tracked}");
    assert_eq!(settled(&tracked, false), settled(source, false), "rejected: {tracked}");
}

fn text(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

#[test]
fn a_replacement_takes_the_run_apart() {
    let source = r#"<w:p><w:r w:rsidR="1"><w:rPr><w:b/></w:rPr><w:t>one two three</w:t><w:tab/></w:r></w:p>"#;
    let ops = json!([{"op": "replace_text", "search": "two", "replace": "2", "track_changes": true}]);
    let run = |text: &str, element: &str| {
        format!(r#"<w:r w:rsidR="1"><w:rPr><w:b/></w:rPr><w:{element} xml:space="preserve">{text}</w:{element}></w:r>"#)
    };
    let wanted = format!(
        r#"<w:p>{}<w:del {}>{}</w:del><w:ins {}><w:r><w:rPr><w:b/></w:rPr><w:t>2</w:t></w:r></w:ins>{}</w:p>"#,
        run("one ", "t"),
        by_ada(1),
        run("two", "delText"),
        by_ada(2),
        run(" three", "t").replace("</w:r>", "<w:tab/></w:r>")
    );
    assert_eq!(edited(source, ops), wanted);
}

#[test]
fn a_replacement_in_someones_insertion_stands_beside_it() {
    let source = r#"<w:p><w:ins w:id="7" w:author="Bob"><w:r><w:t>abc</w:t></w:r></w:ins></w:p>"#;
    let ops = json!([{"op": "replace_text", "search": "b", "replace": "x", "track_changes": true}]);
    let wanted = format!(
        concat!(
            r#"<w:p><w:ins w:id="7" w:author="Bob"><w:r><w:t xml:space="preserve">a</w:t></w:r><w:del {}><w:r><w:delText xml:space="preserve">b</w:delText></w:r></w:del>"#,
            r#"</w:ins><w:ins {}><w:r><w:t>x</w:t></w:r></w:ins><w:ins w:id="10" w:author="Bob"><w:r><w:t xml:space="preserve">c</w:t></w:r></w:ins></w:p>"#
        ),
        by_ada(8),
        by_ada(9)
    );
    assert_eq!(edited(source, ops), wanted);
}

#[test]
fn replacements_can_be_taken_back() {
    let source = [
        r#"<w:p><w:r><w:t>He</w:t></w:r><w:hyperlink w:anchor="a"><w:r><w:t>llo wor</w:t></w:r></w:hyperlink><w:r><w:t>ld hello</w:t></w:r></w:p>"#,
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>hello</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
    ];
    check(&source.concat(), json!([{"op": "replace_text", "search": "hello", "replace": "bye"}]));
    check(&source.concat(), json!([{"op": "replace_text", "search": "o", "replace": ""}]));
    check(&source.concat(), json!([{"op": "replace_text", "search": "o world", "replace": "p"}]));
}

#[test]
fn added_paragraphs_can_be_taken_back() {
    let source = format!("{}{HEAD}{}", text("start"), text("end"));
    let styled = json!({"text": "styled", "style": "Title"});
    check(&source, json!([{"op": "append_paragraph", "text": "x", "style": "Heading 1"}]));
    check(
        &source,
        json!([{"op": "append_paragraph", "text": "x"}, {"op": "append_paragraph", "text": "y", "style": "Title"}]),
    );
    check(&source, json!([{"op": "insert_paragraphs", "after_heading": "Costs", "paragraphs": ["x", styled]}]));
    check(&source, json!([{"op": "insert_paragraphs", "paragraphs": [styled, "y"]}]));
    check(&source, json!([{"op": "insert_paragraphs", "before_index": 0, "paragraphs": ["x"]}]));
}

#[test]
fn replaced_and_deleted_sections_can_be_taken_back() {
    let table = "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>";
    let source =
        format!("{}{HEAD}{}{table}{}{}", text("start"), text("old"), text("older"), HEAD.replace("Costs", "End"));
    let source = format!("{source}{}{}", text("last"), text("very last"));
    let new = json!(["n1", {"text": "n2", "style": "Title"}]);
    check(&source, json!([{"op": "replace_section", "section": "Costs", "paragraphs": new}]));
    check(&source, json!([{"op": "replace_section", "section": "End", "paragraphs": new}]));
    check(&source, json!([{"op": "replace_section", "section": "End", "heading": "The end", "paragraphs": ["one"]}]));
    check(&source, json!([{"op": "delete_section", "section": "Costs"}]));
    check(&source, json!([{"op": "set_paragraphs", "paragraphs": new}]));
}

#[test]
fn table_ops_can_be_taken_back() {
    let table = "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>";
    let source = format!("{table}{}", text("end"));
    check(
        &source,
        json!([{"op": "set_table_cells", "table": 0, "cells": [{"row": 0, "col": 0, "text": "b"}, {"row": 0, "col": 1, "text": "c"}]}]),
    );
    check(&source, json!([{"op": "append_table_rows", "table": 0, "rows": [["x", "y"]]}]));
    check(&source, json!([{"op": "insert_table", "before_index": 0, "rows": [["x"]]}]));
}

#[test]
fn tables_and_pictures_at_the_end_can_be_taken_back() {
    let dot = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR42mOQL98CRAwQCgAh0gUprKFznQAAAABJRU5ErkJggg==";
    let table = json!({"op": "insert_table", "rows": [["x"]]});
    let picture = json!({"op": "insert_image", "data_base64": dot, "style": "Title"});
    let paragraph = json!({"op": "append_paragraph", "text": "more"});
    for source in [format!("{}{HEAD}", text("start")), text("only"), "<w:p/>".to_owned()] {
        check(&source, json!([table]));
        check(&source, json!([picture]));
        check(&source, json!([table, paragraph]));
        check(&source, json!([picture, table, picture]));
        check(&source, json!([paragraph, table, table]));
    }
}

#[test]
fn a_deleted_paragraph_is_struck_with_its_end() {
    let source = format!(
        "{HEAD}<w:p><w:pPr><w:keepNext/></w:pPr><w:r><w:t>a</w:t></w:r><w:r><w:instrText>X</w:instrText></w:r></w:p>{}",
        HEAD.replace("Costs", "B")
    );
    let ops = json!([{"op": "replace_section", "section": 0, "paragraphs": ["n"], "track_changes": true}]);
    let wanted = format!(
        concat!(
            r#"{}<w:p><w:pPr><w:keepNext/><w:rPr><w:del {}/></w:rPr></w:pPr><w:del {}><w:r><w:delText>a</w:delText></w:r><w:r><w:delInstrText>X</w:delInstrText></w:r></w:del></w:p>"#,
            r#"<w:p><w:pPr><w:rPr><w:ins {}/></w:rPr></w:pPr><w:ins {}><w:r><w:t>n</w:t></w:r></w:ins></w:p>{}"#
        ),
        HEAD,
        by_ada(1),
        by_ada(2),
        by_ada(3),
        by_ada(4),
        HEAD.replace("Costs", "B")
    );
    assert_eq!(edited(&source, ops), wanted);
}
