//! Reading small documents written by hand.

mod any;
mod content;
mod lists;
mod map;
mod missing;
mod sample;
mod text;
mod tracked;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use self::sample::Sample;
use super::*;
use crate::docx::Document;
use crate::edit::EditError;
use crate::error::{ActualKind, Error, OfficeKind, PackageError, PartFault};

const METHODS: [&str; 5] = ["DocxGetMap", "DocxExtractText", "DocxGetSectionContent", "DocxGetStyles", "DocxFind"];

/// Calls a method of the worker protocol.
fn call(document: &Document, method: &str, params: &Value) -> Result<Value, Error> {
    fn query<T: DeserializeOwned>(params: &Value) -> Result<T, EditError> {
        serde_json::from_value(params.clone()).map_err(|error| EditError::new("params", error.to_string()))
    }
    fn reply(reply: impl Serialize) -> Value {
        serde_json::to_value(reply).unwrap()
    }
    match method {
        "DocxGetMap" => document.map().map(reply),
        "DocxExtractText" => document.text(&query(params)?).map(reply),
        "DocxGetSectionContent" => document.section(&query(params)?).map(reply),
        "DocxGetStyles" => document.styles().map(reply),
        "DocxFind" => document.find(&query(params)?).map(reply),
        other => unreachable!("{other}"),
    }
}

#[test]
fn a_document_can_be_read_from_any_thread() {
    fn needs<T: Send + Sync>(_: &T) {}
    needs(&Sample::body("").open());
}

#[test]
fn damage_of_a_supporting_part_is_reported() {
    let mut sample = Sample::body(r#"<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>a</w:t></w:r></w:p>"#);
    sample.part("styles", "styles", "<w:styles");
    let result = read(&sample, "DocxExtractText", &json!({}));
    assert_eq!(result["text"], "# a");
    let warnings = result["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].as_str().unwrap().starts_with("left out: the part word/styles.xml is damaged at byte"));
}

#[test]
fn a_document_without_a_body_is_refused() {
    let refused = |main: &str| Sample::document(main).open().map().unwrap_err();
    let wrong = |found| Error::Package(PackageError::WrongKind { expected: OfficeKind::Document, found });
    let other = ActualKind::OtherNamespace { namespace: "urn:other".to_owned() };
    assert_eq!(refused("<w:document xmlns:w='urn:other'/>"), wrong(other));
    assert_eq!(
        refused("<w:glossary xmlns:w='urn:x'/>"),
        wrong(ActualKind::MainElement { element: "w:glossary".to_owned() })
    );
    let empty = format!("<w:document xmlns:w='{}'/>", crate::xml::Ns::W.uri());
    assert_eq!(
        refused(&empty),
        Error::Package(PackageError::part("word/document.xml", 0, PartFault::MissingElement { element: "body" }))
    );
}

/// The result of a method, which must not fail.
fn read(sample: &Sample, method: &str, params: &Value) -> Value {
    call(&sample.open(), method, params).unwrap()
}

/// The text of a document or of a part of it.
fn text(sample: &Sample, params: &Value) -> String {
    read(sample, "DocxExtractText", params)["text"].as_str().unwrap().to_owned()
}

#[test]
fn what_a_list_leaves_out_is_reported() {
    let mut warnings = Vec::new();
    assert_eq!(listed(0..3, "things", &mut warnings), [0, 1, 2]);
    assert!(warnings.is_empty());
    assert_eq!(listed(0..MOST_LISTED + 2, "things", &mut warnings).len(), MOST_LISTED);
    assert_eq!(warnings, ["2 more things are not listed; the first 10000 are"]);
}
