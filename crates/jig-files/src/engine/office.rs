//! Word documents and presentations behind the methods of the worker protocol: JSON parameters in, JSON replies out.

use jig_ooxml::{docx, pptx};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::FileError;
use super::unknown;
use crate::params::parse;

/// Parameters that every call may have. Pages are applied to the reply.
const EVERY_CALL: [&str; 4] = ["max_tokens", "cursor", "now", "allow_outside_formulas"];

/// A method without parameters.
#[derive(Deserialize)]
struct NoQuery {}

/// Answers a read method on a document. Unknown parameters become warnings before those of the reply.
pub(super) fn read_document(document: &docx::Document, method: &str, params: &Value) -> Result<Value, FileError> {
    let mut warnings = Vec::new();
    let params = own_parameters(params);
    let reply = match method {
        "DocxGetMap" => {
            let NoQuery {} = parse(&params, &mut warnings)?;
            json(&document.map()?)
        }
        "DocxExtractText" => json(&document.text(&query(&params, &mut warnings)?)?),
        "DocxGetSectionContent" => json(&document.section(&query(&params, &mut warnings)?)?),
        "DocxGetStyles" => {
            let NoQuery {} = parse(&params, &mut warnings)?;
            json(&document.styles()?)
        }
        "DocxFind" => json(&document.find(&query(&params, &mut warnings)?)?),
        _ => Err(unknown(method)),
    };
    reply.map(|reply| prepend_warnings(reply, warnings))
}

/// Answers a read method on a presentation. Unknown parameters become warnings before those of the reply.
pub(super) fn read_deck(deck: &pptx::Deck, method: &str, params: &Value) -> Result<Value, FileError> {
    let mut warnings = Vec::new();
    let params = own_parameters(params);
    let reply = match method {
        "PptxGetMap" => {
            let NoQuery {} = parse(&params, &mut warnings)?;
            json(&deck.map()?)
        }
        "PptxExtractText" => json(&deck.text(&query(&params, &mut warnings)?)?),
        "PptxGetSlideContent" => json(&deck.slide(&query(&params, &mut warnings)?)?),
        "PptxGetStyles" => {
            let NoQuery {} = parse(&params, &mut warnings)?;
            json(&deck.styles()?)
        }
        "PptxFind" => json(&deck.find(&query(&params, &mut warnings)?)?),
        _ => Err(unknown(method)),
    };
    reply.map(|reply| prepend_warnings(reply, warnings))
}

fn query<T: DeserializeOwned>(params: &Value, warnings: &mut Vec<String>) -> Result<T, FileError> {
    parse(params, warnings)
}

fn json(reply: &impl Serialize) -> Result<Value, FileError> {
    // Replies are structs with text keys, which every JSON value can hold.
    serde_json::to_value(reply).map_err(|error| FileError::invalid(format!("internal error: {error}")))
}

/// The parameters of the method alone, without those that every call may have.
fn own_parameters(params: &Value) -> Value {
    let mut params = params.clone();
    if let Some(params) = params.as_object_mut() {
        params.retain(|name, _| !EVERY_CALL.contains(&name.as_str()));
    }
    params
}

fn prepend_warnings(mut reply: Value, warnings: Vec<String>) -> Value {
    if let (Some(reply), false) = (reply.as_object_mut(), warnings.is_empty()) {
        let own = reply.get("warnings").and_then(Value::as_array).cloned().unwrap_or_default();
        let all: Vec<Value> = warnings.into_iter().map(Value::from).chain(own).collect();
        reply.insert("warnings".to_owned(), all.into());
    }
    reply
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_parameters_are_warnings_and_null_is_none() {
        let bytes = docx::blank(&jig_ooxml::edit::ApplyOptions::default()).unwrap();
        let document = docx::Document::open(bytes, jig_ooxml::Limits::default()).unwrap();
        let params = json!({ "path": "a.docx", "root": "draft", "workbench_id": "w", "section": null, "sectoin": 1, "now": "t" });
        let reply = read_document(&document, "DocxExtractText", &params).unwrap();
        assert_eq!(reply, json!({ "text": "", "warnings": ["sectoin: unknown field, skipped"] }));
        let error = read_document(&document, "DocxExtractText", &json!({ "view": "latest" })).unwrap_err();
        assert!(error.message.starts_with("view: unknown variant `latest`"), "{error}");
        assert_eq!(
            read_document(&document, "XlsxGetMap", &json!({})).unwrap_err().message,
            "unknown method: XlsxGetMap"
        );
    }
}
