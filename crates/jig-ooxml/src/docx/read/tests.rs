//! Reading small documents written by hand.

mod any;
mod content;
mod lists;
mod map;
mod sample;
mod text;
mod tracked;

use serde_json::{Value, json};

use self::sample::Sample;
use super::*;
use crate::error::PackageError;

#[test]
fn a_method_of_another_format_is_none() {
    let document = Sample::body("<w:p/>").open();
    assert!(document.read("XlsxGetMap", &json!({})).is_none());
    assert!(METHODS.iter().all(|method| document.read(method, &json!({ "query": "a" })).is_some()));
}

#[test]
fn a_document_can_be_read_from_any_thread() {
    fn needs<T: Send + Sync>(_: &T) {}
    needs(&Sample::body("").open());
}

#[test]
fn unknown_and_null_fields() {
    let document = Sample::body("<w:p><w:r><w:t>a</w:t></w:r></w:p>").open();
    let params = json!({ "path": "a.docx", "root": "draft", "workbench_id": "w", "section": null, "sectoin": 1 });
    let result = document.read("DocxExtractText", &params).unwrap().unwrap();
    assert_eq!(result, json!({ "text": "a", "warnings": ["sectoin: unknown field, skipped"] }));
    let error = document.read("DocxExtractText", &json!({ "view": "latest" })).unwrap().unwrap_err();
    assert!(error.to_string().starts_with("view: unknown variant `latest`"), "{error}");
}

#[test]
fn damage_of_what_can_be_spared_is_said() {
    let mut sample = Sample::body(r#"<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>a</w:t></w:r></w:p>"#);
    sample.part("styles", "styles", "<w:styles");
    let result = sample.open().read("DocxExtractText", &json!({})).unwrap().unwrap();
    assert_eq!(result["text"], "# a");
    let warnings = result["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].as_str().unwrap().starts_with("left out: the part word/styles.xml is damaged at byte"));
}

#[test]
fn a_document_without_a_body_is_refused() {
    let refused = |main: &str| Sample::document(main).open().read("DocxGetMap", &json!({})).unwrap().unwrap_err();
    let why = "its main part word/document.xml begins with the element w:document".to_owned();
    let wrong = PackageError::WrongKind { wanted: "a Word document", why };
    assert_eq!(refused("<w:document xmlns:w='urn:other'/>"), Error::Package(wrong));
    let empty = format!("<w:document xmlns:w='{}'/>", crate::xml::Ns::W.uri());
    assert_eq!(refused(&empty), Error::Package(PackageError::part("word/document.xml", 0, "it has no body")));
}

/// The result of a method, which must not fail.
fn read(sample: &Sample, method: &str, params: &Value) -> Value {
    sample.open().read(method, params).unwrap().unwrap()
}

/// The text of a document or of a part of it.
fn text(sample: &Sample, params: &Value) -> String {
    read(sample, "DocxExtractText", params)["text"].as_str().unwrap().to_owned()
}
