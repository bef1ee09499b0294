//! Whatever the markup and the call, there is a result or an error.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::sample::Sample;
use super::{METHODS, call};

/// Markup of Word elements in any order and depth.
fn markup() -> impl Strategy<Value = String> {
    let names = prop::sample::select(vec![
        "p",
        "r",
        "t",
        "tbl",
        "tr",
        "tc",
        "tcPr",
        "trPr",
        "pPr",
        "rPr",
        "ins",
        "del",
        "sdt",
        "sdtContent",
        "fldChar",
        "instrText",
        "gridSpan",
        "vMerge",
        "numPr",
        "numId",
        "ilvl",
        "pStyle",
        "outlineLvl",
        "footnoteReference",
        "sym",
        "br",
        "ruby",
        "rt",
        "rubyBase",
        "drawing",
        "txbxContent",
        "pict",
        "hyperlink",
        "delText",
        "moveTo",
        "commentReference",
        "sectPr",
    ]);
    let value = prop::sample::select(vec![
        "",
        "0",
        "1",
        "-9",
        "99999999999999999999",
        "2147483647",
        "begin",
        "end",
        "separate",
        "restart",
        "H",
    ]);
    let leaf = "[a-z é]{0,6}".prop_map(|text| text).boxed();
    leaf.prop_recursive(6, 60, 5, move |inner| {
        (names.clone(), value.clone(), prop::collection::vec(inner, 0..5)).prop_map(|(name, value, inner)| {
            format!("<w:{name} w:val=\"{value}\" w:id=\"{value}\" w:fldCharType=\"{value}\" w:char=\"{value}\">{}</w:{name}>", inner.concat())
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_body_is_read(parts in prop::collection::vec(markup(), 0..6), section in -1_i64..4, chunk in 0_usize..3) {
        let styles = r#"<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 1"/><w:basedOn w:val="H"/></w:style>"#;
        let numbering = concat!(
            r#"<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="-9223372036854775808"/><w:numFmt w:val="lowerLetter"/>"#,
            r#"<w:lvlText w:val="%1%9%"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>"#,
        );
        let document = Sample::body(&parts.concat()).styles(styles).numbering(numbering).open();
        let calls = [json!({}), json!({ "query": "a", "section": section }), json!({ "chunk": chunk, "view": "markup" }), Value::Null, json!([])];
        for method in METHODS {
            for params in &calls {
                // Whatever the parameters mean, the same call gives the same reply.
                let reply = call(&document, method, params);
                prop_assert_eq!(&call(&document, method, params), &reply);
            }
        }
        // A body that is well-formed is always read, and all reads agree on its sections.
        let map = call(&document, "DocxGetMap", &json!({})).unwrap();
        let sections = map["sections"].as_array().unwrap();
        prop_assert!(!sections.is_empty());
        for (at, section) in sections.iter().enumerate() {
            let content = call(&document, "DocxGetSectionContent", &json!({ "section_index": at })).unwrap();
            prop_assert_eq!(content["section_count"].as_u64(), Some(sections.len() as u64));
            prop_assert_eq!(&content["section"]["heading"], &section["heading"]);
            prop_assert_eq!(&content["section"]["level"], &section["level"]);
        }
    }

    #[test]
    fn any_bytes_are_opened_or_refused(at in 0_usize..2_000, byte in any::<u8>()) {
        let mut bytes = Sample::body("<w:p><w:r><w:t>a</w:t></w:r></w:p>").styles("").bytes();
        let len = bytes.len();
        bytes[at % len] ^= byte;
        // Checksums protect what is in the parts: a changed byte is an error, or it changes nothing that is read.
        if let Ok(reply) = crate::docx::Document::open(bytes, crate::Limits::default())
            .and_then(|document| call(&document, "DocxExtractText", &json!({})))
        {
            prop_assert_eq!(&reply["text"], "a");
        }
    }
}
