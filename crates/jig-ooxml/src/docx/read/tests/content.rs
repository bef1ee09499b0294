//! `DocxGetSectionContent`.

use serde_json::json;

use super::read;
use super::sample::{Sample, p, styled};

#[test]
fn runs_have_the_look_they_come_to() {
    let styles = concat!(
        r#"<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:asciiTheme="minorHAnsi"/><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>"#,
        r#"<w:style w:type="paragraph" w:styleId="B"><w:name w:val="Base"/><w:rPr><w:b/><w:color w:val="ff0000"/></w:rPr></w:style>"#,
        r#"<w:style w:type="paragraph" w:styleId="Q"><w:name w:val="Quote"/><w:basedOn w:val="B"/><w:rPr><w:i/></w:rPr></w:style>"#,
        r#"<w:style w:type="character" w:styleId="S"><w:name w:val="Strong"/><w:rPr><w:b/></w:rPr></w:style>"#,
    );
    let body = concat!(
        r#"<w:p><w:pPr><w:pStyle w:val="Q"/></w:pPr><w:r><w:t>a</w:t><w:tab/></w:r>"#,
        r#"<w:r><w:rPr><w:rStyle w:val="S"/><w:rFonts w:ascii="Arial"/><w:u w:val="single"/><w:sz w:val="25"/></w:rPr><w:t>b</w:t></w:r>"#,
        "<w:del><w:r><w:delText>c</w:delText></w:r></w:del></w:p>",
    );
    let mut sample = Sample::body(body).styles(styles);
    let theme = concat!(
        r#"<a:theme DECLARED><a:themeElements><a:fontScheme><a:minorFont><a:latin typeface="Aptos"/></a:minorFont>"#,
        "</a:fontScheme></a:themeElements></a:theme>"
    );
    sample.part("theme", "theme1", theme);
    let wanted = json!({
        "section_index": 0,
        "section_count": 1,
        "section": {
            "heading": "",
            "level": 0,
            "paragraphs": [{
                "index": 0,
                "text": "a\tb",
                "style": "Quote",
                "runs": [
                    { "index": 0, "text": "a\t", "bold": true, "italic": true, "underline": null, "size_pt": 11.0, "font_name": "Aptos", "color": "#FF0000" },
                    { "index": 1, "text": "b", "bold": false, "italic": true, "underline": true, "size_pt": 12.5, "font_name": "Arial", "color": "#FF0000" },
                ],
            }],
            "tables": [],
            "images": [],
        },
        "tracked_changes": [{ "id": "", "kind": "deletion", "author": "", "text": "c", "paragraph": 0 }],
    });
    assert_eq!(read(&sample, "DocxGetSectionContent", &json!({})), wanted);
}

#[test]
fn indexes_are_those_of_the_whole_document() {
    let table = |text: &str| format!("<w:tbl><w:tr><w:tc>{}{}</w:tc></w:tr></w:tbl>", p(text), p("2"));
    let body = format!("{}{}{}{}{}", p("a"), table("t"), styled("Heading1", "Next"), table("u"), p("b"));
    let sample = Sample::body(&body);
    for params in [json!({ "section": 1 }), json!({ "section_index": 1 }), json!({ "section": "NEXT" })] {
        let content = read(&sample, "DocxGetSectionContent", &params);
        let section = &content["section"];
        let indexes: Vec<_> =
            section["paragraphs"].as_array().unwrap().iter().map(|entry| entry["index"].clone()).collect();
        assert_eq!(indexes, [json!(1), json!(2)]);
        assert_eq!(section["tables"], json!([{ "index": 1, "row_count": 1, "col_count": 1, "rows": [["u\n2"]] }]));
    }
}

#[test]
fn a_section_that_is_too_long_goes_on() {
    let sample = Sample::body(&format!("{}<w:tbl/>{}", "<w:p/>".repeat(20_001), p("last")));
    let first = read(&sample, "DocxGetSectionContent", &json!({}));
    assert_eq!(first["section"]["paragraphs"].as_array().unwrap().len(), 20_000);
    assert_eq!(first["next_paragraph"], 20_000);
    assert_eq!(first["warnings"], json!(["the section continues: call again with from_paragraph 20000"]));
    let second = read(&sample, "DocxGetSectionContent", &json!({ "from_paragraph": 20_000 }));
    let texts: Vec<_> =
        second["section"]["paragraphs"].as_array().unwrap().iter().map(|entry| entry["text"].clone()).collect();
    assert_eq!(texts, ["", "last"]);
    assert_eq!(second["section"]["tables"], json!([{ "index": 0, "row_count": 0, "col_count": 0, "rows": [] }]));
    assert_eq!(second.get("next_paragraph"), None);
}
