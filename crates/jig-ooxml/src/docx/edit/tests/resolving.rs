//! Accepting and rejecting tracked changes.

use serde_json::json;

use super::support::{body, document, edited, refused, run};

fn both(source: &str) -> (String, String) {
    (edited(source, json!([{"op": "accept_changes"}])), edited(source, json!([{"op": "reject_changes"}])))
}

const BY: &str = r#"w:id="7" w:author="Ann""#;

fn text(words: &str) -> String {
    format!("<w:r><w:t>{words}</w:t></w:r>")
}

#[test]
fn runs_are_inserted_and_deleted() {
    let deleted = r#"<w:r w:rsidR="1"><w:delText xml:space="preserve">b </w:delText><w:tab/></w:r>"#;
    let source =
        format!("<w:p>{}<w:del {BY}>{deleted}</w:del><w:ins {BY}>{}</w:ins>{}</w:p>", text("a"), text("c"), text("d"));
    let restored = r#"<w:r w:rsidR="1"><w:t xml:space="preserve">b </w:t><w:tab/></w:r>"#;
    let wanted = (
        format!("<w:p>{}{}{}</w:p>", text("a"), text("c"), text("d")),
        format!("<w:p>{}{restored}{}</w:p>", text("a"), text("d")),
    );
    assert_eq!(both(&source), wanted);
    // Inserted by one author and deleted by another: gone either way.
    let source =
        format!("<w:p><w:ins {BY}><w:del {BY}><w:r><w:delText>x</w:delText></w:r></w:del>{}</w:ins></w:p>", text("y"));
    assert_eq!(both(&source), (format!("<w:p>{}</w:p>", text("y")), "<w:p></w:p>".to_owned()));
}

#[test]
fn a_paragraph_whose_end_goes_is_joined_with_the_next_one() {
    let paragraph = |mark: &str, style: &str, words: &str| {
        format!("<w:p><w:pPr><w:pStyle w:val=\"{style}\"/><w:rPr>{mark}</w:rPr></w:pPr>{}</w:p>", text(words))
    };
    let plain =
        |style: &str, words: &str| format!("<w:p><w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr>{}</w:p>", text(words));
    let source = format!("{}{}", paragraph(&format!("<w:del {BY}/>"), "A", "one"), plain("B", "two"));
    let joined = format!("<w:p><w:pPr><w:pStyle w:val=\"B\"/></w:pPr>{}{}</w:p>", text("one"), text("two"));
    assert_eq!(both(&source), (joined.clone(), format!("{}{}", plain("A", "one"), plain("B", "two"))));
    let source = format!("{}{}", paragraph(&format!("<w:ins {BY}/>"), "A", "one"), plain("B", "two"));
    assert_eq!(both(&source).1, joined);
    // An inserted paragraph goes completely.
    let source = format!(
        "<w:p><w:pPr><w:rPr><w:ins {BY}/></w:rPr></w:pPr><w:ins {BY}>{}</w:ins></w:p>{}",
        text("n"),
        plain("B", "two")
    );
    assert_eq!(both(&source).1, plain("B", "two"));
    // The end of a cell cannot go.
    let cell = format!(
        "<w:tc><w:p><w:pPr><w:rPr><w:del {BY}/></w:rPr></w:pPr><w:del {BY}><w:r><w:delText>x</w:delText></w:r></w:del></w:p></w:tc>"
    );
    let source = format!("<w:tbl><w:tr>{cell}</w:tr></w:tbl><w:p/>");
    assert_eq!(both(&source).0, "<w:tbl><w:tr><w:tc><w:p></w:p></w:tc></w:tr></w:tbl><w:p/>");
}

#[test]
fn rows_cells_and_tables_go() {
    let row = |mark: &str, words: &str| {
        format!("<w:tr><w:trPr>{mark}</w:trPr><w:tc><w:p>{}</w:p></w:tc></w:tr>", text(words))
    };
    let plain = format!("<w:tr><w:tc><w:p>{}</w:p></w:tc></w:tr>", text("a"));
    let source = format!("<w:tbl>{plain}{}</w:tbl><w:p/>", row(&format!("<w:del {BY}/>"), "b"));
    assert_eq!(both(&source).0, format!("<w:tbl>{plain}</w:tbl><w:p/>"));
    assert_eq!(
        both(&source).1,
        format!("<w:tbl>{plain}<w:tr><w:tc><w:p>{}</w:p></w:tc></w:tr></w:tbl><w:p/>", text("b"))
    );
    let source = format!("<w:tbl><w:tblPr/><w:tblGrid/>{}</w:tbl><w:p/>", row(&format!("<w:ins {BY}/>"), "b"));
    assert_eq!(both(&source).1, "<w:p/>");
    let cell = |mark: &str| format!("<w:tc><w:tcPr><w:tcW w:w=\"5\"/>{mark}</w:tcPr><w:p/></w:tc>");
    let source = format!("<w:tbl><w:tr>{}{}</w:tr></w:tbl><w:p/>", cell(""), cell(&format!("<w:cellDel {BY}/>")));
    assert_eq!(both(&source).0, format!("<w:tbl><w:tr>{}</w:tr></w:tbl><w:p/>", cell("")));
    let source = format!(
        "<w:tbl><w:tr>{}</w:tr></w:tbl><w:p/>",
        cell(&format!("<w:cellMerge {BY} w:vMerge=\"cont\" w:vMergeOrig=\"rest\"/>"))
    );
    assert_eq!(
        both(&source).0,
        format!("<w:tbl><w:tr>{}</w:tr></w:tbl><w:p/>", cell("<w:vMerge w:val=\"continue\"/>"))
    );
}

#[test]
fn formats_become_the_previous_ones() {
    let source = format!(
        "<w:p><w:pPr><w:jc w:val=\"center\"/><w:rPr><w:b/></w:rPr><w:pPrChange {BY}><w:pPr><w:jc w:val=\"left\"/></w:pPr></w:pPrChange></w:pPr><w:r><w:rPr><w:b/><w:rPrChange {BY}><w:rPr><w:i/></w:rPr></w:rPrChange></w:rPr><w:t>a</w:t></w:r></w:p>"
    );
    let paragraph = |align: &str, run: &str| {
        format!(
            "<w:p><w:pPr><w:jc w:val=\"{align}\"/><w:rPr><w:b/></w:rPr></w:pPr><w:r><w:rPr><w:{run}/></w:rPr><w:t>a</w:t></w:r></w:p>"
        )
    };
    assert_eq!(both(&source), (paragraph("center", "b"), paragraph("left", "i")));
}

#[test]
fn moves_are_resolved_at_both_ends() {
    let source = format!(
        "<w:p><w:moveFromRangeStart w:id=\"1\" w:author=\"Ann\" w:name=\"m\"/><w:moveFrom w:id=\"2\" w:author=\"Ann\">{a}</w:moveFrom><w:moveFromRangeEnd w:id=\"1\"/></w:p><w:p><w:moveToRangeStart w:id=\"3\" w:author=\"Ann\" w:name=\"m\"/><w:moveTo w:id=\"4\" w:author=\"Ann\">{a}</w:moveTo><w:moveToRangeEnd w:id=\"3\"/></w:p>",
        a = text("a")
    );
    let (there, here) =
        (format!("<w:p></w:p><w:p>{}</w:p>", text("a")), format!("<w:p>{}</w:p><w:p></w:p>", text("a")));
    assert_eq!(both(&source), (there.clone(), here));
    assert_eq!(edited(&source, json!([{"op": "accept_changes", "ids": [2]}])), there);
}

#[test]
fn an_author_or_an_id_selects() {
    let change = |id: u32, author: &str| format!("<w:ins w:id=\"{id}\" w:author=\"{author}\">{}</w:ins>", text(author));
    let source = format!("<w:p>{}{}</w:p>", change(1, "Ann"), change(2, "Bob"));
    let wanted = format!("<w:p>{}{}</w:p>", text("Ann"), change(2, "Bob"));
    assert_eq!(edited(&source, json!([{"op": "accept_changes", "author": "ann"}])), wanted);
    assert_eq!(edited(&source, json!([{"op": "accept_changes", "ids": [1]}])), wanted);
    assert_eq!(
        edited(&source, json!([{"op": "reject_changes", "ids": ["2"]}])),
        format!("<w:p>{}</w:p>", change(1, "Ann"))
    );
    assert!(
        refused(&source, json!([{"op": "accept_changes", "author": "Eve"}])).contains("no tracked changes by `Eve`")
    );
    assert!(refused(&source, json!([{"op": "accept_changes", "ids": [9]}])).contains("tracked change 9 not found"));
    let none = run(&document("<w:p/>"), json!([{"op": "accept_changes"}])).unwrap();
    assert_eq!((body(&none.bytes).as_str(), none.warnings.len()), ("<w:p/>", 1));
}

#[test]
fn ranges_that_end_elsewhere_stay() {
    let source = format!(
        "<w:p><w:del {BY}><w:r><w:delText>x</w:delText></w:r><w:bookmarkStart w:id=\"0\" w:name=\"b\"/></w:del>{}<w:bookmarkEnd w:id=\"0\"/></w:p>",
        text("a")
    );
    assert_eq!(
        both(&source).0,
        format!("<w:p><w:bookmarkStart w:id=\"0\" w:name=\"b\"/>{}<w:bookmarkEnd w:id=\"0\"/></w:p>", text("a"))
    );
}

#[test]
fn our_own_changes_are_reverted_completely() {
    let source = "<w:p><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:t>two</w:t></w:r></w:p>";
    for op in [
        json!({"op": "replace_text", "search": "one", "replace": "1"}),
        json!({"op": "append_paragraph", "text": "three"}),
        json!({"op": "insert_paragraphs", "before_index": 1, "paragraphs": ["x", "y"]}),
        json!({"op": "delete_paragraphs", "index": 0}),
        json!({"op": "insert_table", "rows": [["a"]], "after_index": 0}),
    ] {
        let tracked = json!({"track_changes": true, "ops": [op.clone(), {"op": "reject_changes"}]});
        let after = run(&document(source), tracked).unwrap();
        let words: Vec<String> = body(&after.bytes)
            .split("<w:t")
            .skip(1)
            .map(|t| t[t.find('>').unwrap() + 1..t.find('<').unwrap()].to_owned())
            .collect();
        assert_eq!(words, ["one", "two"], "{op}");
        let paragraphs = body(&after.bytes);
        assert_eq!(paragraphs.matches("<w:p>").count() + paragraphs.matches("<w:p ").count(), 2, "{op}: {paragraphs}");
        assert!(!paragraphs.contains("w:ins") && !paragraphs.contains("Change"), "{op}");
    }
}
