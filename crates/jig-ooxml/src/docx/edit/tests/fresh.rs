//! New documents.

use serde_json::json;

use super::support::{body, options, part};
use crate::docx::edit::apply;
use crate::docx::styles::{StyleKind, Styles};
use crate::limits::Limits;
use crate::xml::XmlPart;

#[test]
fn a_new_document_starts_from_our_template() {
    let ops = json!([{"op": "append_paragraph", "text": "Hello", "style": "List Bullet"}]);
    let applied = apply(None, &ops, &options()).unwrap();
    assert_eq!(applied.warnings, Vec::<String>::new());
    assert_eq!(
        body(&applied.bytes),
        r#"<w:p><w:pPr><w:pStyle w:val="ListBullet"/></w:pPr><w:r><w:t>Hello</w:t></w:r></w:p>"#
    );
    let parts: Vec<&str> = applied.parts.iter().map(|part| part.name.as_str()).collect();
    let wanted = [
        "[Content_Types].xml",
        "_rels/.rels",
        "word/document.xml",
        "word/_rels/document.xml.rels",
        "word/styles.xml",
        "word/numbering.xml",
        "word/settings.xml",
        "word/fontTable.xml",
        "word/theme/theme1.xml",
        "docProps/core.xml",
        "docProps/app.xml",
    ];
    assert_eq!(parts, wanted);
    assert!(part(&applied.bytes, "docProps/core.xml").contains("2026-01-02T03:04:05Z"));
}

#[test]
fn the_template_has_the_usual_styles() {
    let applied = apply(None, &json!([{"op": "append_paragraph", "text": "x"}]), &options()).unwrap();
    let styles = XmlPart::new("s", part(&applied.bytes, "word/styles.xml"));
    let styles = Styles::read(Some(&styles), None, &Limits::default()).unwrap();
    let paragraph = ["Normal", "Title", "Subtitle", "List Bullet", "List Number", "header", "footer", "Quote"];
    for name in paragraph.into_iter().map(str::to_owned).chain((1..=9).map(|n| format!("heading {n}"))) {
        assert!(styles.find(StyleKind::Paragraph, &name).is_some(), "{name}");
    }
    assert!(styles.find(StyleKind::Table, "Table Grid").is_some());
    assert!(styles.find(StyleKind::Character, "Hyperlink").is_some());
    assert_eq!(styles.heading_level(Some("Heading3")), 3);
}
