//! JSON-RPC 2.0 messages: parsing and responses.

use jig_contract::{Code, OpError};
use serde_json::{Map, Value, json};

/// The maximum number of calls in a batch: each invalid one of a few bytes gets a response of hundreds.
pub(super) const BATCH_MAX: usize = 1_000;

/// A call, or why it is invalid.
#[derive(Debug)]
pub(super) struct Incoming {
    /// The request id; `None` for a notification.
    pub(super) id: Option<Value>,
    /// The call.
    pub(super) call: Result<Call, OpError>,
}

/// A method and its named parameters.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    pub(super) method: String,
    pub(super) params: Map<String, Value>,
}

/// The content of a line.
#[derive(Debug)]
pub(super) enum Message {
    One(Incoming),
    Batch(Vec<Incoming>),
}

/// Parses a line; `None` if it is blank. An invalid request is returned with the error to respond with.
pub(super) fn parse(line: &[u8]) -> Option<Message> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return None;
    }
    let message = match serde_json::from_slice(line) {
        Err(error) => Message::One(refused(not_json(&error))),
        Ok(Value::Array(calls)) if calls.is_empty() => {
            Message::One(refused(invalid("a batch must hold at least one request")))
        }
        Ok(Value::Array(calls)) if calls.len() > BATCH_MAX => {
            Message::One(refused(invalid(format!("a batch holds at most {BATCH_MAX} requests, not {}", calls.len()))))
        }
        Ok(Value::Array(calls)) => Message::Batch(calls.into_iter().map(incoming).collect()),
        Ok(value) => Message::One(incoming(value)),
    };
    Some(message)
}

/// The response for a line over the limit.
pub(super) fn too_large(limit: usize) -> Incoming {
    let error =
        OpError::new(Code::MessageTooLarge, format!("the message is larger than {limit} bytes and was not read"))
            .hint("send large texts in pieces, or as files; the setting rpc.max_message_bytes raises the limit");
    refused(error)
}

fn refused(error: OpError) -> Incoming {
    Incoming { id: Some(Value::Null), call: Err(error) }
}

fn incoming(value: Value) -> Incoming {
    let Value::Object(mut request) = value else {
        return refused(invalid("a request is a JSON object"));
    };
    let id = match request.remove("id").map(check_id).transpose() {
        Ok(id) => id,
        Err(error) => return refused(error),
    };
    match check_call(request) {
        Ok(call) => Incoming { id, call: Ok(call) },
        // An invalid call cannot be identified as a notification, so the error is always sent.
        Err(error) => Incoming { id: Some(id.unwrap_or(Value::Null)), call: Err(error) },
    }
}

fn check_id(id: Value) -> Result<Value, OpError> {
    /// Larger numbers lose precision, so the response could not repeat the same id.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match &id {
        Value::Null | Value::String(_) => Ok(id),
        Value::Number(n) if n.is_i64() || n.is_u64() => Ok(id),
        Value::Number(n) if n.as_f64().is_some_and(|f| f.abs() < EXACT) => Ok(id),
        Value::Number(_) => Err(invalid("`id` is a number with too many digits to be sent back exactly")),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => Err(invalid("`id` must be a string, a number or null")),
    }
}

fn check_call(mut request: Map<String, Value>) -> Result<Call, OpError> {
    if request.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid("`jsonrpc` must be \"2.0\""));
    }
    let Some(Value::String(method)) = request.remove("method") else {
        return Err(invalid("`method` must be a string"));
    };
    let params = match request.remove("params") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(params)) => params,
        Some(Value::Array(_)) => {
            let error =
                OpError::new(Code::InvalidParams, "parameters are given by name, as an object, not by position");
            return Err(error.hint(format!("`rpc.discover` describes the parameters of {}", short(&method))));
        }
        Some(_) => return Err(invalid("`params` must be an object")),
    };
    Ok(Call { method, params })
}

fn short(method: &str) -> String {
    method.chars().take(80).collect()
}

fn invalid(message: impl Into<String>) -> OpError {
    OpError::new(Code::InvalidRequest, message)
        .hint(r#"for example: {"jsonrpc":"2.0","id":1,"method":"WorkbenchList","params":{}}"#)
}

/// The parser's message contains the position but never the content.
fn not_json(error: &serde_json::Error) -> OpError {
    OpError::new(Code::InvalidRequest, format!("the message is not JSON: {error}"))
        .subphase("parse")
        .hint("one message to a line, as UTF-8, without line breaks inside")
}

/// The response to a call.
pub(super) fn answer(id: &Value, result: Result<Value, OpError>) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => {
            let (code, message) = (number(&error), error.info.message.clone());
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message, "data": error.info } })
        }
    }
}

/// A notification message.
pub(super) fn notification(method: &str, params: &impl serde::Serialize) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

fn number(error: &OpError) -> i64 {
    match error.code() {
        Code::InvalidRequest if error.info.subphase.as_deref() == Some("parse") => -32_700,
        Code::InvalidRequest | Code::MessageTooLarge => -32_600,
        Code::UnknownOperation => -32_601,
        Code::InvalidParams => -32_602,
        Code::Internal => -32_603,
        _ => -32_000,
    }
}
