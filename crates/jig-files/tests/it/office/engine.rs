//! The one place where the tests touch the engine.

use std::collections::BTreeMap;

use serde_json::Value;

/// Whether [`call`] reaches an engine. Tests that need one say so and stop when it does not.
pub(crate) const WIRED: bool = false;

/// The files of a Draft, by name.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// A refused call, as a worker's caller sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: String,
    pub(crate) message: String,
}

/// Carries out one method of the worker protocol on the files.
pub(crate) fn call(method: &str, params: &Value, files: &mut Files) -> Result<Value, Refusal> {
    let message = format!("no engine answers {method} with {params} on {} files", files.len());
    Err(Refusal { code: "TOOL_WORKER_UNAVAILABLE".to_owned(), message })
}

/// True, with a word on the terminal, where there is no engine to test.
pub(crate) fn is_absent() -> bool {
    if !WIRED {
        println!("skipped: the Office engine is not wired to its tests");
    }
    !WIRED
}
