//! Tiptap import and export: the mapping of each node, warnings, and stability under round trips.

use serde_json::{Value, json};

use super::super::tiptap::{from_markdown, to_markdown};

fn text(words: &str) -> Value {
    json!({ "type": "text", "text": words })
}

#[expect(clippy::needless_pass_by_value, reason = "tests write the value where they call")]
fn doc(content: Value) -> Value {
    json!({ "type": "doc", "content": content })
}

fn written(content: Value) -> String {
    let made = to_markdown(&doc(content)).unwrap();
    assert_eq!(made.warnings, Vec::<String>::new());
    made.document
}

#[test]
fn every_node_becomes_markdown_and_comes_back() {
    let marked = |words: &str, mark: &str| json!({ "type": "text", "text": words, "marks": [{ "type": mark }] });
    let paragraph = |content: Value| json!({ "type": "paragraph", "content": content });
    let item = |words: &str| json!({ "type": "listItem", "content": [paragraph(json!([text(words)]))] });
    let task = |words: &str, checked: bool| json!({ "type": "taskItem", "attrs": { "checked": checked }, "content": [paragraph(json!([text(words)]))] });
    let cell = |kind: &str, words: &str| json!({ "type": kind, "attrs": { "colspan": 1, "rowspan": 1 }, "content": [paragraph(json!([text(words)]))] });
    let document = doc(json!([
        { "type": "heading", "attrs": { "level": 2 }, "content": [text("Head")] },
        paragraph(json!([text("a "), marked("b", "bold"), text(" "), marked("i", "italic"), text(" "), marked("s", "strike"),
            text(" "), marked("c", "code"), text(" "),
            { "type": "text", "text": "link", "marks": [{ "type": "link", "attrs": { "href": "https://x.y/(z)", "title": "T" } }] },
            { "type": "hardBreak" }, text("next")])),
        { "type": "bulletList", "content": [item("one"), { "type": "listItem", "content": [paragraph(json!([text("two")])),
            { "type": "orderedList", "attrs": { "start": 3 }, "content": [item("three")] }] }] },
        { "type": "taskList", "content": [task("open", false), task("done", true)] },
        { "type": "blockquote", "content": [paragraph(json!([text("quoted")]))] },
        { "type": "codeBlock", "attrs": { "language": "rust" }, "content": [text("fn main() {\n    // ``` inside\n}")] },
        { "type": "image", "attrs": { "src": "a.png", "alt": "A picture", "title": null } },
        { "type": "table", "content": [
            { "type": "tableRow", "content": [cell("tableHeader", "H|1"), cell("tableHeader", "H2")] },
            { "type": "tableRow", "content": [cell("tableCell", "1"), cell("tableCell", "2")] }] },
        { "type": "horizontalRule" },
        { "type": "htmlBlock", "content": [text("<!-- guidance -->")] },
    ]));
    let made = to_markdown(&document).unwrap();
    assert_eq!(made.warnings, Vec::<String>::new());
    let expected = "## Head\n\na **b** *i* ~~s~~ `c` [link](<https://x.y/(z)> \"T\")\\\nnext\n\n- one\n\n- two\n\n  3. three\n\n* [ ] open\n* [x] done\n\n> quoted\n\n````rust\nfn main() {\n    // ``` inside\n}\n````\n\n![A picture](a.png)\n\n| H\\|1 | H2 |\n| --- | --- |\n| 1 | 2 |\n\n___\n\n<!-- guidance -->\n";
    assert_eq!(made.document, expected);
    assert_eq!(from_markdown(&made.document).document, document);
}

#[test]
fn what_markdown_would_take_for_its_own_means_itself() {
    let paragraph = |words: &str| written(json!([{ "type": "paragraph", "content": [text(words)] }]));
    for words in [
        "# no heading",
        "## x",
        "- no item",
        "+ x",
        "1. no",
        "12) no",
        "> no quote",
        "---",
        "===",
        "***",
        "___",
        "a*b*c _d_ `e`",
        "[x](y) ![z](w) <b> &amp; \\ ~~no~~",
        "| a | b |",
        ":---|---:",
        "~~~",
        "    four spaces",
        "a_b_c",
        "-",
        "1.",
    ] {
        let made = paragraph(words);
        let back = from_markdown(&made).document;
        assert_eq!(back["content"].as_array().unwrap().len(), 1, "{words}: {made}");
        assert_eq!(back["content"][0]["type"], "paragraph", "{words}: {made}");
        assert_eq!(back["content"][0]["content"], json!([text(words.trim())]), "{words}: {made}");
    }
    assert_eq!(paragraph("snake_case stays"), "snake_case stays\n");
}

#[test]
fn unknown_nodes_and_marks_are_kept_as_text_and_reported() {
    let made = to_markdown(&doc(json!([
        { "type": "callout", "content": [{ "type": "paragraph", "content": [text("inside")] }] },
        { "type": "paragraph", "content": [text("hi "), { "type": "mention", "attrs": { "id": "7", "label": "Ada" } },
            { "type": "text", "text": "!", "marks": [{ "type": "highlight" }] }] },
        { "type": "video", "attrs": { "title": "Demo" } },
        { "type": "video" },
        { "type": "bullet_list", "content": [{ "type": "list_item", "content": [{ "type": "paragraph", "content": [
            { "type": "text", "text": "x", "marks": [{ "type": "strong" }, { "type": "em" }] }] }] }] },
    ])))
    .unwrap();
    assert_eq!(made.document, "inside\n\nhi Ada!\n\nDemo\n\n- ***x***\n");
    assert_eq!(
        made.warnings,
        [
            "the node `callout` was kept as its text",
            "the node `mention` was kept as its text",
            "the node `video` was kept as its text (2 times)",
            "the mark `highlight` was left out"
        ]
    );
    assert!(to_markdown(&json!({ "type": "paragraph" })).unwrap_err().contains("`paragraph`"));
    assert!(to_markdown(&json!(3)).unwrap_err().contains("no `type`"));
    let mut deep = text("x");
    for _ in 0..200 {
        deep = json!({ "type": "blockquote", "content": [deep] });
    }
    assert!(to_markdown(&doc(json!([deep]))).unwrap_err().contains("deep"));
}

#[test]
fn front_matter_metadata_comments_and_mixed_lists_come_back() {
    let text =
        "---\na: 1\n---\n\n# T\n\n---\nstatus: \"Draft\"\n---\n\n<!-- one\ntwo -->\n\n- plain\n- [x] task\n\nx<br>y\n";
    let document = from_markdown(text).document;
    let kinds: Vec<&str> =
        document["content"].as_array().unwrap().iter().map(|node| node["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["frontMatter", "heading", "metadataBlock", "htmlBlock", "bulletList", "taskList", "paragraph"]);
    let again = to_markdown(&document).unwrap().document;
    assert_eq!(from_markdown(&again).document, document);
    assert_eq!(super::super::outline(&again).sections, []);
    assert_eq!(from_markdown(text).warnings.len(), 1, "editors may not know HTML");
    let open =
        to_markdown(&doc(json!([{ "type": "htmlBlock", "content": [{ "type": "text", "text": "<!-- open" }] }])))
            .unwrap();
    assert_eq!((open.document.as_str(), open.warnings.len()), ("```html\n<!-- open\n```\n", 1));
}

#[test]
fn deep_markdown_does_not_break_anything() {
    let deep = format!("{} x", ">".repeat(5_000));
    assert!(from_markdown(&deep).document.to_string().contains('x'));
    let lists: String = (0..200).map(|n| format!("{}- x\n", "  ".repeat(n))).collect();
    let made = to_markdown(&from_markdown(&lists).document).unwrap();
    assert!(made.document.contains('x'));
}
