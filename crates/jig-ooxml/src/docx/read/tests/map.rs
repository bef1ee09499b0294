//! `DocxGetMap` and `DocxGetStyles`.

use serde_json::json;

use super::read;
use super::sample::{Sample, p, styled};

const PICTURE: &str = concat!(
    r#"<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="p" descr="Revenue"/><a:graphic><a:graphicData><pic:pic>"#,
    r#"<pic:blipFill><a:blip r:embed="rId1"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"#,
);

#[test]
fn a_map_says_what_is_where() {
    let long = "x".repeat(2_500);
    let body = format!(
        "{}{}{}{}<w:tbl><w:tr><w:tc>{}</w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl><w:sdt><w:sdtContent>{PICTURE}</w:sdtContent></w:sdt><w:p><w:ins w:author=\"Bob\"><w:r><w:t>n</w:t></w:r></w:ins></w:p>",
        p("intro"),
        styled("Heading2", "Data"),
        p(&long),
        p(&long),
        p("c"),
    );
    let mut sample = Sample::body(&body);
    sample.file("image", "media/image1.png", b"abc");
    let wanted = json!({
        "sections": [
            { "index": 0, "heading": "", "level": 0, "char_count": 5, "has_tables": false, "has_images": false, "paragraphs": "0" },
            {
                "index": 1, "heading": "Data", "level": 2, "char_count": 5052, "has_tables": true, "has_images": true, "paragraphs": "1-5",
                "chunks": [
                    { "index": 0, "paragraphs": "1-2", "tables": null, "char_count": 2508 },
                    { "index": 1, "paragraphs": "3-5", "tables": "0", "char_count": 2543 },
                ],
            },
        ],
        "tables": [{ "index": 0, "section": "Data", "section_index": 1, "rows": 1, "cols": 2 }],
        "images": [{
            "index": 0, "section": "Data", "section_index": 1, "alt_text": "Revenue", "rel_id": "rId1", "target": "media/image1.png",
        }],
        "has_headers_footers": false,
        "headers_footers": [],
        "total_char_count": 5057,
        "paragraph_count": 6,
        "comments": 0,
        "footnotes": 0,
        "endnotes": 0,
        "fields": 0,
        "content_controls": 1,
        "text_boxes": 0,
        "equations": 0,
        "charts": 0,
        "tracked_changes": { "insertions": 1, "deletions": 0, "moves": 0, "formatting": 0, "authors": ["Bob"] },
        "has_tracked_changes": true,
    });
    assert_eq!(read(&sample, "DocxGetMap", &json!({})), wanted);
}

#[test]
fn an_empty_document_has_one_section() {
    let map = read(&Sample::body(""), "DocxGetMap", &json!({}));
    let section = json!({
        "index": 0, "heading": "", "level": 0, "char_count": 0, "has_tables": false, "has_images": false, "paragraphs": null,
    });
    assert_eq!(map["sections"], json!([section]));
    let empty = super::text(&Sample::body(""), &json!({}));
    assert_eq!(empty, "");
}

#[test]
fn styles_and_images_as_assets() {
    let styles = concat!(
        r#"<w:style w:type="paragraph" w:default="1" w:styleId="a"><w:name w:val="Normal"/></w:style>"#,
        r#"<w:style w:type="character" w:customStyle="1" w:styleId="b"><w:name w:val="Loud"/><w:basedOn w:val="c"/></w:style>"#,
        r#"<w:style w:type="character" w:styleId="c"><w:name w:val="Strong"/></w:style>"#,
    );
    let mut sample = Sample::body("").styles(styles);
    sample.file("image", "media/image1.png", b"abc");
    let style = |kind: &str, name: &str, id: &str, builtin: bool, base: Option<&str>, default: bool| {
        json!({
            "asset_id": format!("{kind}:{name}"), "name": name, "style_id": id, "type": kind, "builtin": builtin,
            "base_style": base, "default": default, "heading_level": 0,
        })
    };
    let paragraph = json!([style("paragraph_style", "Normal", "a", true, None, true)]);
    let character = json!([
        style("character_style", "Loud", "b", false, Some("Strong"), false),
        style("character_style", "Strong", "c", true, None, false),
    ]);
    let image = json!({
        "asset_id": "image:rId2", "type": "image", "rel_id": "rId2", "filename": "image1.png", "content_type": "image/png",
        "size_bytes": 3, "sha1": "a9993e364706816aba3e25717850c26c9cd0d89d",
    });
    let result = read(&sample, "DocxGetStyles", &json!({}));
    assert_eq!(result["style_count"], 3);
    assert_eq!(result["paragraph_styles"], paragraph);
    assert_eq!(result["character_styles"], character);
    assert_eq!(result["image_assets"], json!([image]));
    assert_eq!(result["assets"], json!([paragraph[0], character[0], character[1], image]));
}
