//! Copying styles and images between documents.

use serde_json::{Value, json};

use super::support::{W, document, part, with_parts};
use crate::docx::edit::copy_assets;
use crate::edit::ApplyOptions;

fn source() -> std::sync::Arc<[u8]> {
    let styles = format!(
        concat!(
            r#"<x:styles xmlns:x="{}" xmlns:q="urn:q"><x:style x:type="paragraph" x:default="1" x:styleId="N"><x:name x:val="Normal"/></x:style>"#,
            r#"<x:style x:type="paragraph" x:styleId="B"><x:name x:val="Base"/><x:basedOn x:val="N"/></x:style>"#,
            r#"<x:style x:type="paragraph" x:styleId="C" q:a="1"><x:name x:val="Callout"/><x:basedOn x:val="B"/><x:next x:val="Z"/><x:link x:val="CC"/>"#,
            r#"<x:pPr><x:numPr><x:numId x:val="3"/></x:numPr></x:pPr></x:style>"#,
            r#"<x:style x:type="character" x:styleId="CC"><x:name x:val="Callout Char"/><x:link x:val="C"/></x:style>"#,
            r#"<x:style x:type="paragraph" x:styleId="Z"><x:name x:val="Zed"/></x:style></x:styles>"#
        ),
        W
    );
    let numbering = format!(
        concat!(
            r#"<w:numbering xmlns:w="{}"><w:abstractNum w:abstractNumId="9"><w:lvl w:ilvl="0"><w:pStyle w:val="C"/></w:lvl><w:lvl w:ilvl="1"><w:pStyle w:val="Z"/></w:lvl></w:abstractNum>"#,
            r#"<w:num w:numId="3"><w:abstractNumId w:val="9"/></w:num></w:numbering>"#
        ),
        W
    );
    with_parts(&[("word/styles.xml", &styles), ("word/numbering.xml", &numbering)])
}

#[test]
fn a_style_comes_with_all_it_stands_on() {
    let assets = json!(["paragraph_style:callout"]);
    let applied = copy_assets(source(), Some(document("")), &assets, &ApplyOptions::default()).unwrap();
    let entry = serde_json::to_value(&applied.changes[0]).unwrap();
    let wanted = json!({
        "index": 0, "op": "copy_asset", "summary": "Copied the style Callout and 2 that it needs.", "type": "paragraph_style",
        "selector": "paragraph_style:callout", "name": "Callout", "style_id": "C", "also_copied": ["Callout Char", "Base"]
    });
    let sorted = |mut value: Value| {
        if let Some(list) = value["also_copied"].as_array_mut() {
            list.sort_by_key(ToString::to_string);
        }
        value
    };
    assert_eq!(sorted(entry), sorted(wanted));
    let dropped =
        "the style Callout: 1 setting(s) of newer versions of Word were left out, the target does not know them";
    assert_eq!(applied.warnings, [dropped]);
    let styles = part(&applied.bytes, "word/styles.xml");
    let xmlns = format!(r#"xmlns:x="{W}""#);
    let wanted = format!(
        concat!(
            r#"<x:style {} x:type="paragraph" x:styleId="C"><x:name x:val="Callout"/><x:basedOn x:val="B"/><x:link x:val="CC"/>"#,
            r#"<x:pPr><x:numPr><x:numId x:val="3"/></x:numPr></x:pPr></x:style>"#
        ),
        xmlns
    );
    assert!(styles.contains(&wanted), "{styles}");
    assert!(styles.contains(&format!(r#"<x:style {xmlns} x:type="paragraph" x:styleId="B"><x:name x:val="Base"/><x:basedOn x:val="Normal"/></x:style>"#)));
    let numbering = part(&applied.bytes, "word/numbering.xml");
    assert!(numbering.contains(r#"<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:pStyle w:val="C"/></w:lvl><w:lvl w:ilvl="1"></w:lvl></w:abstractNum>"#), "{numbering}");
    assert!(numbering.ends_with(r#"<w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num></w:numbering>"#));
}

#[test]
fn a_style_of_the_same_name_is_redefined_in_its_place() {
    let assets = json!([{"type": "paragraph_style", "name": "Normal"}]);
    let applied = copy_assets(source(), Some(document("")), &assets, &ApplyOptions::default()).unwrap();
    let styles = part(&applied.bytes, "word/styles.xml");
    let wanted = format!(
        r#"<x:style x:default="1" xmlns:x="{W}" x:type="paragraph" x:styleId="Normal"><x:name x:val="Normal"/></x:style>"#
    );
    assert!(styles.contains(&wanted), "{styles}");
    assert_eq!(styles.matches(r#":val="Normal"/></"#).count(), 1);
}

#[test]
fn assets_that_are_not_there_are_refused() {
    let refused = |assets: Value| {
        copy_assets(source(), Some(document("")), &assets, &ApplyOptions::default()).unwrap_err().to_string()
    };
    assert_eq!(refused(json!(["paragraph_style:Nope"])), "assets[0]: the source has no paragraph style `Nope`");
    assert_eq!(refused(json!(["image:rId99"])), "assets[0]: the source has no image `rId99`");
    assert_eq!(
        refused(json!(["theme:x"])),
        "assets[0]: unknown asset type `theme`; expected one of paragraph_style, character_style, table_style, image"
    );
    assert_eq!(refused(json!(5)), "assets: expected a list of assets");
    for none in [json!([]), Value::Null] {
        assert!(refused(none).starts_with("assets: missing or empty"));
    }
}
