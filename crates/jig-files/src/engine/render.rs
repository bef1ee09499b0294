//! Previews of files that only an office program could draw as they look: their text, laid out on pages.

use serde_json::{Value, json};

use super::error::FileError;
use crate::file::File;
use crate::preview::{Kind, Plain};

/// The plain rendering of a file, for the methods that ask for a picture of it.
pub(super) fn plain(file: &File, method: &str, params: &Value) -> Option<Result<Value, FileError>> {
    Some(match method {
        "DocxRenderPage" => flowing(file, "DocxExtractText", params),
        "XlsxRenderPage" => flowing(file, "XlsxExtractText", params),
        "OdtRenderPage" => flowing(file, "OdtExtractText", params),
        "PptxRenderSlide" => slides(file, params),
        _ => return None,
    })
}

fn flowing(file: &File, read: &str, params: &Value) -> Result<Value, FileError> {
    let answer = file.read(read, &json!({}))?;
    let text = answer["text"].as_str().unwrap_or_default();
    Ok(Plain::flowing(text, Kind::Page).answer(params)?)
}

fn slides(file: &File, params: &Value) -> Result<Value, FileError> {
    let map = file.read("PptxGetMap", &json!({}))?;
    let count = map["slide_count"].as_u64().unwrap_or(0);
    let mut texts = Vec::new();
    for index in 0..count {
        let answer = file.read("PptxExtractText", &json!({ "slide_index": index }))?;
        texts.push(answer["text"].as_str().unwrap_or_default().to_owned());
    }
    let mut answer = Plain::one_each(&texts, Kind::Slide).answer(params)?;
    answer["slide_count"] = answer["page_count"].clone();
    Ok(answer)
}
