//! Requests as OpenAI responses.

use serde_json::{Value, json};

use super::assemble::{data_url, set};
use super::schema::{is_strict, native, system_text};
use super::{max_tokens, temperature};
use crate::registry::{Ability, Format, Model};
use crate::request::{Part, Request, Role, Streaming, Tool, Turn};

/// The body of a request. The provider stores nothing: each request contains the complete conversation.
pub(super) fn encode(model: &Model, request: &Request) -> Value {
    let mut body = json!({ "model": model.id.model() });
    set(&mut body, "instructions", system_text(model, request));
    body["input"] = request.turns.iter().flat_map(items).collect();
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    if let Some(output) = native(model, request) {
        let strict = is_strict(&output.schema);
        body["text"] = json!({ "format": {
            "type": "json_schema", "name": output.name, "schema": output.schema, "strict": strict,
        } });
    }
    set(&mut body, "max_output_tokens", max_tokens(model, request));
    set(&mut body, "temperature", temperature(model, request));
    body["store"] = json!(false);
    if model.can(Ability::Reasoning) {
        body["include"] = json!(["reasoning.encrypted_content"]);
    }
    body["stream"] = json!(request.streaming == Streaming::On);
    body
}

fn tool(tool: &Tool) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": false,
    })
}

/// A turn as items. Adjacent user text and images form one item.
fn items(turn: &Turn) -> Vec<Value> {
    let mut items: Vec<Value> = Vec::new();
    let mut said: Vec<Value> = Vec::new();
    for part in &turn.parts {
        match part {
            Part::Text { text } if turn.role == Role::User => said.push(json!({ "type": "input_text", "text": text })),
            Part::Text { text } => said.push(json!({ "type": "output_text", "text": text })),
            Part::Image(image) => said.push(json!({ "type": "input_image", "image_url": data_url(image) })),
            other => {
                flush(turn.role, &mut said, &mut items);
                items.extend(item(other));
            }
        }
    }
    flush(turn.role, &mut said, &mut items);
    items
}

fn flush(role: Role, said: &mut Vec<Value>, items: &mut Vec<Value>) {
    if said.is_empty() {
        return;
    }
    let content = std::mem::take(said);
    let role = if role == Role::User { "user" } else { "assistant" };
    items.push(json!({ "type": "message", "role": role, "content": content }));
}

fn item(part: &Part) -> Option<Value> {
    match part {
        Part::ToolCall(call) => Some(json!({
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": call.arguments.to_string(),
        })),
        Part::ToolResult(result) => {
            let output = if result.failed { format!("Error: {}", result.content) } else { result.content.clone() };
            Some(json!({ "type": "function_call_output", "call_id": result.id, "output": output }))
        }
        Part::Reasoning(reasoning) => {
            let block = reasoning.block.as_ref().filter(|block| block.format == Format::OpenAiResponses.name())?;
            Some(block.value.clone())
        }
        Part::Text { .. } | Part::Image(_) => None,
    }
}
