//! PDF files through the engine's methods.

mod hostile;
mod map;
mod render;
mod text;

use std::sync::Arc;

use jig_files::engine::FileError;
use jig_worker::{FileApi, Method};
use serde_json::Value;

use crate::sample;

fn pdf(name: &str) -> Arc<[u8]> {
    sample(&format!("pdf/{name}")).into()
}

fn call(method: &str, bytes: &Arc<[u8]>, params: &Value) -> Result<Value, FileError> {
    FileApi::default().read(Method::find(method).unwrap(), bytes, params)
}

fn read(method: &str, name: &str, params: &Value) -> Value {
    call(method, &pdf(name), params).unwrap_or_else(|error| panic!("{name}: {method}: {error}"))
}

fn text_of(name: &str, params: &Value) -> String {
    read("PdfExtractText", name, params)["text"].as_str().unwrap().to_owned()
}
