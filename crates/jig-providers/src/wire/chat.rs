//! Requests as chat completions: OpenAI's, Mistral's and those of compatible servers.

use serde_json::{Value, json};

use super::assemble::{data_url, set};
use super::schema::{is_strict, native, system_text};
use super::{max_tokens, temperature};
use crate::registry::{Format, Model};
use crate::request::{Part, Request, Role, Streaming, Tool, ToolResult, Turn};

/// The body of a request.
pub(super) fn encode(model: &Model, request: &Request) -> Value {
    let system = system_text(model, request).map(|text| json!({ "role": "system", "content": text }));
    let turns = request.turns.iter().flat_map(|turn| messages(model.format, turn));
    let mut body =
        json!({ "model": model.id.model(), "messages": system.into_iter().chain(turns).collect::<Vec<_>>() });
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    if let Some(output) = native(model, request) {
        let strict = is_strict(&output.schema);
        let schema = json!({ "name": output.name, "schema": output.schema, "strict": strict });
        body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
    }
    let limit = if model.format == Format::OpenAiChat { "max_completion_tokens" } else { "max_tokens" };
    set(&mut body, limit, max_tokens(model, request));
    set(&mut body, "temperature", temperature(model, request));
    body["stream"] = json!(request.streaming == Streaming::On);
    // Mistral reports usage by default and rejects this option.
    if request.streaming == Streaming::On && model.format != Format::Mistral {
        body["stream_options"] = json!({ "include_usage": true });
    }
    body
}

fn tool(tool: &Tool) -> Value {
    let function = json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters });
    json!({ "type": "function", "function": function })
}

/// A turn may become several messages, because each tool result is a message.
fn messages(format: Format, turn: &Turn) -> Vec<Value> {
    match turn.role {
        Role::Assistant => vec![assistant(format, turn)],
        Role::User => {
            let results = turn.parts.iter().filter_map(|part| match part {
                Part::ToolResult(result) => Some(tool_result(format, result)),
                _ => None,
            });
            results.chain(user(turn)).collect()
        }
    }
}

fn tool_result(format: Format, result: &ToolResult) -> Value {
    let content = if result.failed { format!("Error: {}", result.content) } else { result.content.clone() };
    json!({ "role": "tool", "tool_call_id": call_id(format, &result.id), "content": content })
}

fn user(turn: &Turn) -> Option<Value> {
    let texts: Vec<&str> = turn.parts.iter().filter_map(as_text).collect();
    let images: Vec<Value> = turn.parts.iter().filter_map(as_image).collect();
    if texts.is_empty() && images.is_empty() {
        return None;
    }
    if images.is_empty() {
        return Some(json!({ "role": "user", "content": texts.join("\n") }));
    }
    let content = turn.parts.iter().filter_map(|part| {
        as_image(part).or_else(|| as_text(part).map(|text| json!({ "type": "text", "text": text })))
    });
    Some(json!({ "role": "user", "content": content.collect::<Vec<_>>() }))
}

fn assistant(format: Format, turn: &Turn) -> Value {
    let text = turn.text();
    let mut message =
        json!({ "role": "assistant", "content": if text.is_empty() { Value::Null } else { json!(text) } });
    let calls: Vec<Value> = turn
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::ToolCall(call) => Some(json!({
                "id": call_id(format, &call.id),
                "type": "function",
                "function": { "name": call.name, "arguments": call.arguments.to_string() },
            })),
            _ => None,
        })
        .collect();
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    } else if text.is_empty() {
        message["content"] = json!("");
    }
    message
}

/// Mistral only accepts ids of nine letters and digits; other ids are converted deterministically.
fn call_id(format: Format, id: &str) -> String {
    let fits = id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric());
    if format != Format::Mistral || fits {
        return id.to_owned();
    }
    let mut hash = id
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let mut short = String::new();
    for _ in 0..9 {
        short.push(char::from(b"0123456789abcdefghijklmnopqrstuvwxyz"[(hash % 36) as usize]));
        hash /= 36;
    }
    short
}

fn as_text(part: &Part) -> Option<&str> {
    if let Part::Text { text } = part { Some(text) } else { None }
}

fn as_image(part: &Part) -> Option<Value> {
    let Part::Image(image) = part else { return None };
    Some(json!({ "type": "image_url", "image_url": { "url": data_url(image) } }))
}
