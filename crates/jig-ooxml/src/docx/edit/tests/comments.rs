//! Comments on texts, replies, and the parts that belong to them.

use serde_json::json;

use super::support::{W, bare, body, document, edited, part, refused, run};
use crate::package::Package;

#[test]
fn a_run_is_split_only_where_the_text_begins_and_ends() {
    let source = r#"<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>one two</w:t><w:tab/><w:t>three</w:t></w:r></w:p>"#;
    let ops = json!([{"op": "add_comment", "search": "two\tth", "text": "x"}]);
    let reference = r#"<w:r><w:commentReference w:id="0"/></w:r>"#;
    let run = |inner: &str| format!("<w:r><w:rPr><w:b/></w:rPr>{inner}</w:r>");
    let wanted = format!(
        r#"<w:p>{}<w:commentRangeStart w:id="0"/>{}<w:commentRangeEnd w:id="0"/>{reference}{}</w:p>"#,
        run(r#"<w:t xml:space="preserve">one </w:t>"#),
        run(r#"<w:t xml:space="preserve">two</w:t><w:tab/><w:t xml:space="preserve">th</w:t>"#),
        run(r#"<w:t xml:space="preserve">ree</w:t>"#),
    );
    assert_eq!(edited(source, ops), wanted);
    let ops = json!([{"op": "add_comment", "search": "one two\tthree", "text": "x"}]);
    let whole = r#"<w:p><w:commentRangeStart w:id="0"/><w:r><w:rPr><w:b/></w:rPr><w:t>one two</w:t><w:tab/><w:t>three</w:t></w:r><w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r></w:p>"#;
    assert_eq!(edited(source, ops), whole);
}

#[test]
fn a_text_is_searched_in_its_own_case_first_and_by_occurrence() {
    let source = "<w:p><w:r><w:t>Budget budget</w:t></w:r></w:p>";
    let at = |ops: serde_json::Value| {
        let applied = run(&document(source), ops).unwrap();
        let text = body(&applied.bytes);
        (text[..text.find("commentRangeStart").unwrap()].contains("Budget"), applied.warnings.len())
    };
    assert_eq!(at(json!([{"op": "add_comment", "search": "budget", "text": "x"}])), (true, 0));
    assert_eq!(at(json!([{"op": "add_comment", "search": "BUDGET", "text": "x"}])), (false, 1));
    assert_eq!(at(json!([{"op": "add_comment", "search": "BUDGET", "occurrence": 2, "text": "x"}])), (true, 0));
    let message = refused(source, json!([{"op": "add_comment", "search": "BUDGET", "occurrence": 3, "text": "x"}]));
    assert_eq!(message, "ops[0].occurrence: occurrence 3 not found; the text occurs 2 times");
    let message = refused(source, json!([{"op": "add_comment", "search": "BUDGET", "match_case": true, "text": "x"}]));
    assert!(message.contains("does not occur"), "{message}");
    assert!(refused(source, json!([{"op": "add_comment", "text": "x"}])).contains("missing"));
    assert!(refused(source, json!([{"op": "add_comment", "index": 0, "text": " "}])).contains("no text"));
}

#[test]
fn deleted_text_and_the_text_of_boxes_are_not_commented() {
    let source = r#"<w:p><w:del w:id="1" w:author="A"><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textbox><w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>"#;
    assert!(refused(source, json!([{"op": "add_comment", "search": "gone", "text": "x"}])).contains("does not occur"));
    assert!(refused(source, json!([{"op": "add_comment", "search": "boxed", "text": "x"}])).contains("text boxes"));
}

#[test]
fn a_document_without_other_parts_gets_those_of_comments_once() {
    for strict in [false, true] {
        let uri = if strict { "http://purl.oclc.org/ooxml/wordprocessingml/main" } else { W };
        let main = format!(r#"<x:document xmlns:x="{uri}"><x:body><x:p/></x:body></x:document>"#);
        let ops = json!([
            {"op": "add_comment", "index": 0, "text": "a"},
            {"op": "reply_comment", "comment": "0", "text": "b"},
            {"op": "reply_comment", "comment": "1", "text": "c"},
            {"op": "resolve_comment", "comment": 0},
        ]);
        let applied = run(&bare(&main, strict), ops).unwrap();
        let comments = part(&applied.bytes, "word/comments.xml");
        assert!(comments.contains(&format!("xmlns:w=\"{uri}\"")));
        assert_eq!(comments.matches("<w:comment ").count(), 3);
        let extended = part(&applied.bytes, "word/commentsExtended.xml");
        // Both replies belong to the first comment.
        assert_eq!(extended.matches("w15:paraIdParent=\"5C000001\"").count(), 2);
        assert_eq!(extended.matches("w15:done=\"1\"").count(), 1);
        assert_eq!(part(&applied.bytes, "word/people.xml").matches("<w15:person ").count(), 1);
        let main = part(&applied.bytes, "word/document.xml");
        assert!(
            main.contains(
                r#"<x:p><x:commentRangeStart x:id="0"/><x:commentRangeStart x:id="1"/><x:commentRangeStart x:id="2"/>"#
            ),
            "{main}"
        );
        let again = run(&applied.bytes.into(), json!([{"op": "delete_comment", "comment": "0"}])).unwrap();
        assert!(!part(&again.bytes, "word/document.xml").contains("comment"));
        assert!(!part(&again.bytes, "word/comments.xml").contains("<w:comment "));
        assert!(Package::open(again.bytes, crate::Limits::default()).is_ok());
    }
}

#[test]
fn the_comments_of_an_author_are_deleted_and_others_stay() {
    let source = document("<w:p><w:r><w:t>a</w:t></w:r></w:p>");
    let applied = run(
        &source,
        json!([{"op": "add_comment", "index": 0, "text": "a", "author": "Bob"}, {"op": "add_comment", "index": 0, "text": "b"}]),
    )
    .unwrap();
    let bytes = applied.bytes.into();
    let after = run(&bytes, json!([{"op": "delete_comment", "author": "bob"}])).unwrap();
    assert_eq!(part(&after.bytes, "word/comments.xml").matches("<w:comment ").count(), 1);
    let error = run(&bytes, json!([{"op": "delete_comment", "author": "Eve"}])).unwrap_err().to_string();
    assert_eq!(error, "ops[0].author: the document has no comments by `Eve`");
    let error = run(&bytes, json!([{"op": "delete_comment"}])).unwrap_err().to_string();
    assert!(error.contains("missing"), "{error}");
}
