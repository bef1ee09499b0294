//! Google's generateContent: requests.

mod answer;

use serde_json::{Value, json};

use super::assemble::{MADE_ID, set};
use super::schema::{native, system_text};
use super::{max_tokens, temperature};
use crate::registry::{Format, Model};
use crate::request::{Part, Request, Role, Turn};
pub(super) use answer::{Stream, whole};

/// The body of a request. The model and streaming are part of the URL.
pub(super) fn encode(model: &Model, request: &Request) -> Value {
    let mut body = json!({ "contents": request.turns.iter().map(content).collect::<Vec<_>>() });
    if let Some(text) = system_text(model, request) {
        body["systemInstruction"] = json!({ "parts": [{ "text": text }] });
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({ "name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters })
        });
        body["tools"] = json!([{ "functionDeclarations": tools.collect::<Vec<_>>() }]);
    }
    let mut config = json!({});
    set(&mut config, "maxOutputTokens", max_tokens(model, request));
    set(&mut config, "temperature", temperature(model, request));
    if let Some(output) = native(model, request) {
        config["responseMimeType"] = json!("application/json");
        config["responseJsonSchema"] = output.schema.clone();
    }
    if config.as_object().is_some_and(|config| !config.is_empty()) {
        body["generationConfig"] = config;
    }
    body
}

fn content(turn: &Turn) -> Value {
    let role = if turn.role == Role::User { "user" } else { "model" };
    json!({ "role": role, "parts": turn.parts.iter().filter_map(part).collect::<Vec<_>>() })
}

fn part(part: &Part) -> Option<Value> {
    Some(match part {
        Part::Text { text } => json!({ "text": text }),
        Part::Image(image) => json!({ "inlineData": { "mimeType": image.media_type, "data": image.base64 } }),
        Part::ToolCall(call) => {
            let mut value = json!({ "functionCall": { "name": call.name, "args": call.arguments } });
            set(&mut value["functionCall"], "id", own_id(&call.id));
            set(&mut value, "thoughtSignature", call.signature.as_deref());
            value
        }
        Part::ToolResult(result) => {
            let key = if result.failed { "error" } else { "result" };
            let mut value = json!({ "functionResponse": { "name": result.name, "response": { key: result.content } } });
            set(&mut value["functionResponse"], "id", own_id(&result.id));
            value
        }
        Part::Reasoning(reasoning) => {
            reasoning.block.as_ref().filter(|block| block.format == Format::Gemini.name())?.value.clone()
        }
    })
}

/// The server's own id of a call; ids generated here mean nothing to it.
fn own_id(id: &str) -> Option<&str> {
    (!id.starts_with(MADE_ID)).then_some(id)
}
