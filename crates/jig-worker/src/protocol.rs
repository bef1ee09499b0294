//! The names and codes of the worker protocol: which methods there are, and what an error is on the wire and to Jig.

use jig_contract::{Code, OpError};
use jig_files::engine::{FileError, OpHelp, Reason};
use serde_json::{Value, json};

/// The method that every worker answers.
pub(crate) const GET_INFO: &str = "WorkerGetInfo";

/// The protocol's code for a reason.
const fn error_code(reason: Reason) -> &'static str {
    match reason {
        Reason::Invalid | Reason::Stale => "VALIDATION_FAILED",
        Reason::Sandbox => "SANDBOX_VIOLATION",
        Reason::Unwritable => "FILE_WRITE_FAILED",
        Reason::Unavailable => "TOOL_WORKER_UNAVAILABLE",
        Reason::NotFound
        | Reason::Encrypted
        | Reason::Legacy
        | Reason::WrongKind
        | Reason::Damaged
        | Reason::TooLarge
        | Reason::Unreadable => "FILE_READ_FAILED",
    }
}

/// Jig's own code for a reason.
const fn operation_code(reason: Reason) -> Code {
    match reason {
        Reason::Invalid => Code::ValidationFailed,
        Reason::Sandbox => Code::SandboxViolation,
        Reason::NotFound => Code::FileNotFound,
        Reason::Unwritable => Code::FileWriteFailed,
        Reason::Stale => Code::Conflict,
        Reason::Unavailable => Code::ToolWorkerUnavailable,
        Reason::Encrypted
        | Reason::Legacy
        | Reason::WrongKind
        | Reason::Damaged
        | Reason::TooLarge
        | Reason::Unreadable => Code::FileReadFailed,
    }
}

/// The reply to a call that failed.
pub(crate) fn error_reply(id: &Value, error: &FileError) -> Value {
    let mut data = json!({ "error_code": error_code(error.reason), "reason": error.reason.word() });
    if !error.suggestions.is_empty() {
        data["suggestions"] = json!(error.suggestions);
    }
    add_help(&mut data, error.help.as_deref());
    failure_reply(id, -32000, &error.message, data)
}

/// The reply to a request that is not a call, or that failed as `data` says.
pub(crate) fn failure_reply(id: &Value, code: i64, message: &str, data: Value) -> Value {
    let mut error = json!({ "code": code, "message": message });
    if !data.is_null() {
        error["data"] = data;
    }
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

/// The error of a reply, as [`error_reply`] wrote it.
pub(crate) fn parse_error(error: &Value) -> FileError {
    let text = |key: &str| error["data"][key].as_str();
    let suggestions = error["data"]["suggestions"].as_array().into_iter().flatten();
    let help = OpHelp {
        signature: text("signature").map(str::to_owned),
        corrected: error["data"].get("corrected_ops").cloned(),
        unreadable: false,
    };
    FileError {
        reason: text("reason").and_then(Reason::of).unwrap_or(Reason::Invalid),
        message: error["message"].as_str().unwrap_or("the worker gave no reason").to_owned(),
        suggestions: suggestions.filter_map(|one| one.as_str().map(str::to_owned)).collect(),
        help: Some(Box::new(help)),
    }
}

/// The error of a call as that of an operation.
pub fn operation_error(error: FileError) -> OpError {
    let mut detail = json!({ "reason": error.reason.word() });
    add_help(&mut detail, error.help.as_deref());
    let failed = OpError::new(operation_code(error.reason), error.message).detail(detail);
    if error.suggestions.is_empty() { failed } else { failed.suggest(error.suggestions) }
}

fn add_help(data: &mut Value, help: Option<&OpHelp>) {
    let Some(help) = help else { return };
    if let Some(signature) = &help.signature {
        data["signature"] = json!(signature);
    }
    if let Some(corrected) = &help.corrected {
        data["corrected_ops"] = corrected.clone();
    }
}
