//! Previews of files that only an office program could draw as they look: their text, laid out on pages.

use serde_json::{Value, json};

use super::error::FileError;
use super::shelf::Opened;
use crate::preview::{Kind, Plain};

/// The plain rendering of a file, for the methods that ask for a picture of it.
pub(super) fn plain(opened: &Opened, method: &str, params: &Value) -> Option<Result<Value, FileError>> {
    Some(match method {
        "DocxRenderPage" => flowing(opened, "DocxExtractText", params),
        "XlsxRenderPage" => flowing(opened, "XlsxExtractText", params),
        "OdtRenderPage" => flowing(opened, "OdtExtractText", params),
        "PptxRenderSlide" => slides(opened, params),
        _ => return None,
    })
}

fn flowing(opened: &Opened, read: &str, params: &Value) -> Result<Value, FileError> {
    let answer = opened.read(read, &json!({}))?;
    let text = answer["text"].as_str().unwrap_or_default();
    Ok(Plain::flowing(text, Kind::Page).answer(params)?)
}

fn slides(opened: &Opened, params: &Value) -> Result<Value, FileError> {
    let map = opened.read("PptxGetMap", &json!({}))?;
    let count = map["slide_count"].as_u64().unwrap_or(0);
    let mut texts = Vec::new();
    for index in 0..count {
        let answer = opened.read("PptxExtractText", &json!({ "slide_index": index }))?;
        texts.push(answer["text"].as_str().unwrap_or_default().to_owned());
    }
    let mut answer = Plain::one_each(&texts, Kind::Slide).answer(params)?;
    answer["slide_count"] = answer["page_count"].clone();
    Ok(answer)
}
