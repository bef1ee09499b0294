//! Documents that lack parts: what needs them is left out, and the rest is read.

use serde_json::json;

use super::sample::{Sample, p, styled};
use super::{METHODS, call, read};

/// A document with every supporting part.
fn complete() -> Sample {
    let mut sample = Sample::body("");
    let header = sample.part("header", "header1", "<w:hdr DECLARED><w:p><w:r><w:t>top</w:t></w:r></w:p></w:hdr>");
    let image = sample.file("image", "media/image1.png", b"not read");
    for (kind, markup) in [
        (
            "styles",
            r#"<w:styles DECLARED><w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 1"/></w:style></w:styles>"#,
        ),
        ("numbering", "<w:numbering DECLARED/>"),
        ("settings", "<w:settings DECLARED/>"),
        ("theme", r#"<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"/>"#),
        (
            "footnotes",
            r#"<w:footnotes DECLARED><w:footnote w:id="2"><w:p><w:r><w:t>foot</w:t></w:r></w:p></w:footnote></w:footnotes>"#,
        ),
        (
            "endnotes",
            r#"<w:endnotes DECLARED><w:endnote w:id="2"><w:p><w:r><w:t>end</w:t></w:r></w:p></w:endnote></w:endnotes>"#,
        ),
        (
            "comments",
            r#"<w:comments DECLARED><w:comment w:id="0" w:author="Bob"><w:p><w:r><w:t>why</w:t></w:r></w:p></w:comment></w:comments>"#,
        ),
    ] {
        sample.part(kind, kind, markup);
    }
    let list = r#"<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>item</w:t></w:r></w:p>"#;
    let notes = r#"<w:p><w:r><w:t>noted</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:endnoteReference w:id="2"/></w:r><w:r><w:commentReference w:id="0"/></w:r></w:p>"#;
    let picture = format!(
        r#"<w:p><w:r><w:drawing><wp:inline><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="{image}"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"#
    );
    let section = format!(r#"<w:sectPr><w:headerReference w:type="default" r:id="{header}"/></w:sectPr>"#);
    sample.set_body(&format!("{}{}{list}{notes}{picture}{section}", styled("H", "Title"), p("plain")));
    sample
}

#[test]
fn each_part_but_the_main_one_can_be_missing() {
    let whole = complete();
    assert_eq!(
        read(&whole, "DocxExtractText", &json!({}))["text"],
        "# Title\nplain\nitem\nnoted[^1][^e1]\n[image]\n\n[^1]: foot\n[^e1]: end\n\n---\n[Header] top"
    );
    for name in whole.part_names() {
        let sample = complete().without(&name);
        let document = sample.open();
        for method in METHODS {
            let params = if method == "DocxFind" { json!({"query": "plain"}) } else { json!({}) };
            let reply = call(&document, method, &params);
            assert!(reply.is_ok(), "{method} without {name}: {:?}", reply.err());
        }
        let text = read(&sample, "DocxExtractText", &json!({}));
        let text = text["text"].as_str().unwrap();
        for kept in ["Title", "plain", "item", "noted"] {
            assert!(text.contains(kept), "without {name}, {kept} is missing from {text}");
        }
        let lost = match name.as_str() {
            "footnotes.xml" => "foot",
            "endnotes.xml" => "end",
            "header1.xml" => "top",
            "styles.xml" => "# ",
            _ => continue,
        };
        assert!(!text.contains(lost), "without {name}: {text}");
    }
}
