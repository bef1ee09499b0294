//! Views of tracked changes.

use serde_json::json;

use super::sample::{Sample, p};
use super::{call, text};

fn sample() -> Sample {
    let run = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
    let deleted = |text: &str| format!("<w:r><w:delText xml:space=\"preserve\">{text}</w:delText></w:r>");
    let body = format!(
        concat!(
            "<w:p>{a}<w:del w:author=\"Ann\">{b}{b}</w:del><w:ins w:author=\"Bob\">{c}<w:del w:author=\"Ann\">{d}</w:del></w:ins></w:p>",
            "<w:p><w:pPr><w:rPr><w:ins w:author=\"Bob\"/></w:rPr></w:pPr><w:ins w:author=\"Bob\">{e}</w:ins></w:p>",
            "<w:tbl><w:tr><w:tc>{f}</w:tc></w:tr><w:tr><w:trPr><w:del w:author=\"Ann\"/></w:trPr><w:tc>{g}</w:tc></w:tr></w:tbl>",
        ),
        a = run("kept "),
        b = deleted("old "),
        c = run("new "),
        d = deleted("never "),
        e = run("line"),
        f = p("row"),
        g = p("gone"),
    );
    Sample::body(&body)
}

#[test]
fn each_view_shows_its_own() {
    let cases = [
        (json!({}), "kept new \nline\n\n| row |\n| --- |"),
        (json!({ "view": "final" }), "kept new \nline\n\n| row |\n| --- |"),
        (json!({ "view": "original" }), "kept old old \n\n| row |\n| --- |\n| gone |"),
        (
            json!({ "view": "markup" }),
            "kept [-old old -]{Ann}[+new +]{Bob}[-never -]{Ann}\n[+line+]{Bob}\n\n| row |\n| --- |\n| gone |",
        ),
        (
            json!({ "include_deleted": true }),
            "kept [-old old -]{Ann}new [-never -]{Ann}\nline\n\n| row |\n| --- |\n| gone |",
        ),
    ];
    for (params, wanted) in cases {
        assert_eq!(text(&sample(), &params), wanted, "{params}");
    }
}

#[test]
fn a_paragraph_whose_end_is_deleted_goes_on_in_the_next() {
    let end = |change: &str| {
        format!("<w:p><w:pPr><w:rPr><w:{change} w:author=\"Ann\"/></w:rPr></w:pPr><w:r><w:t>{change}</w:t></w:r></w:p>")
    };
    let sample = Sample::body(&[end("del"), end("ins"), p("last")].concat());
    assert_eq!(text(&sample, &json!({})), "delins\nlast");
    assert_eq!(text(&sample, &json!({ "view": "original" })), "del\ninslast");
    assert_eq!(text(&sample, &json!({ "view": "markup" })), "del\nins\nlast");
}

#[test]
fn each_view_has_its_own_headings() {
    let heading = |change: &str, run: &str| {
        format!(
            r#"<w:p><w:pPr><w:pStyle w:val="Heading1"/><w:rPr><w:{change} w:author="Ann"/></w:rPr></w:pPr><w:{change} w:author="Ann"><w:r>{run}</w:r></w:{change}></w:p>"#
        )
    };
    let old = heading("del", "<w:delText>One</w:delText>");
    let sample = Sample::body(&[old, p("a"), heading("ins", "<w:t>Two</w:t>"), p("b")].concat());
    assert_eq!(text(&sample, &json!({})), "a\n\n# Two\nb");
    assert_eq!(text(&sample, &json!({ "view": "original" })), "# One\na\nb");
    assert_eq!(text(&sample, &json!({ "view": "original", "section": "One" })), "# One\na\nb");
    let gone = json!({ "view": "original", "section": "Two" });
    assert!(call(&sample.open(), "DocxExtractText", &gone).is_err());
    assert_eq!(text(&sample, &json!({ "view": "markup", "section": "Two" })), "# [+Two+]{Ann}\nb");
}

#[test]
fn comments_are_part_of_the_markup() {
    let body = "<w:p><w:r><w:t>text</w:t></w:r><w:r><w:commentReference w:id=\"4\"/></w:r></w:p>";
    let mut sample = Sample::body(body);
    let comment =
        format!("<w:comments DECLARED><w:comment w:id=\"4\" w:author=\"Ann\">{}</w:comment></w:comments>", p("why?"));
    sample.part("comments", "comments", &comment);
    assert_eq!(text(&sample, &json!({})), "text");
    assert_eq!(text(&sample, &json!({ "view": "markup" })), "text[comment by Ann: why?]");
}
