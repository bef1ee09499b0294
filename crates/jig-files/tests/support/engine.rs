//! The one place where the tests touch the engine.

use std::collections::BTreeMap;

use jig_files::FileBytes;
use jig_files::engine::{EditOptions, FileError, Reason};
use jig_worker::{FileApi, Method, Verb, apply_reply, copy_reply};
use serde_json::Value;

/// The files of a Draft, by name.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// A refused call, as a worker's caller sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) reason: String,
    pub(crate) message: String,
    pub(crate) suggestions: Vec<String>,
}

/// Runs one method of the worker protocol on the files.
pub(crate) fn call(method: &str, params: &Value, files: &mut Files) -> Result<Value, Refusal> {
    run(method, params, files).map_err(|error| Refusal {
        reason: error.reason.word().to_owned(),
        message: error.message,
        suggestions: error.suggestions,
    })
}

/// A new file of a method's format.
pub(crate) fn blank(method: &str) -> Vec<u8> {
    FileApi::default().engine.blank(Method::find(method).unwrap().format, Some("2024-01-05T10:00:00Z")).unwrap()
}

fn run(method: &str, params: &Value, files: &mut Files) -> Result<Value, FileError> {
    let office = FileApi::default();
    let method = Method::find(method).ok_or_else(|| FileError::invalid(format!("unknown method: {method}")))?;
    let name = |key: &str| params[key].as_str().unwrap_or_default().to_owned();
    let get = |files: &Files, key: &str| files.get(&name(key)).map(|bytes| FileBytes::from(bytes.as_slice()));
    let missing = || FileError::new(Reason::NotFound, "there is no such file");
    match method.verb {
        Verb::Read => office.read(method, get(files, "path").ok_or_else(missing)?, params),
        Verb::Apply => {
            let others = files.clone();
            let find = |path: &str| others.get(path).cloned();
            let options = EditOptions { now: Some("2024-01-05T10:00:00Z"), files: &find, ..EditOptions::default() };
            let source = get(files, if params["copy_from"].is_string() { "copy_from" } else { "path" });
            let edited = office.engine.apply(method.format, source, &params["ops"], &options)?;
            files.insert(name("path"), edited.bytes.clone());
            Ok(apply_reply(&edited).unwrap())
        }
        Verb::Copy => {
            let (source, target) = (get(files, "source_path"), get(files, "target_path"));
            let (source, options) = (source.ok_or_else(missing)?, EditOptions::default());
            let edited = office.engine.copy_assets(method.format, source, target, &params["assets"], &options)?;
            files.insert(name("target_path"), edited.bytes.clone());
            Ok(copy_reply(&edited).unwrap())
        }
        // Other tests compare, revert and copy for rendering.
        Verb::Compare | Verb::Revert | Verb::RenderCopy => Err(FileError::invalid("no case does this")),
    }
}
