//! Anthropic's messages: requests.

mod answer;

use serde_json::{Value, json};

use super::assemble::set;
use super::schema::{instruction, native};
use super::{max_tokens, temperature};
use crate::registry::{Format, Model};
use crate::request::{Cache, Part, Request, Role, Streaming, Turn};
pub(super) use answer::{Stream, whole};

/// The version of the format.
pub(crate) const VERSION: &str = "2023-06-01";

/// The maximum number of breakpoints per request. The last ones are kept, because each covers everything before it.
const BREAKPOINTS: usize = 4;

/// The body of a request. The format requires an output limit: that of the model, unless the request has a lower one.
pub(super) fn encode(model: &Model, request: &Request) -> Value {
    let mut marks = Marks::new(request);
    let limit = max_tokens(model, request).unwrap_or(model.max_output);
    let mut body = json!({ "model": model.id.model(), "max_tokens": limit });
    // In the order of the provider's cache: tools, system, messages.
    let tools: Vec<Value> = request
        .tools
        .iter()
        .map(|tool| {
            let value = json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters });
            marks.set(tool.cache, value)
        })
        .collect();
    let mut system: Vec<Value> = request
        .system
        .iter()
        .filter(|block| !block.text.is_empty())
        .map(|block| marks.set(block.cache, text(&block.text)))
        .collect();
    system.extend(instruction(model, request).map(|words| text(&words)));
    let turns: Vec<Value> = request.turns.iter().map(|turn| message(turn, &mut marks)).collect();
    set(&mut body, "system", (!system.is_empty()).then_some(system));
    set(&mut body, "tools", (!tools.is_empty()).then_some(tools));
    body["messages"] = json!(turns);
    if let Some(output) = native(model, request) {
        body["output_config"] = json!({ "format": { "type": "json_schema", "schema": output.schema } });
    }
    set(&mut body, "temperature", temperature(model, request));
    body["stream"] = json!(request.streaming == Streaming::On);
    body
}

/// Counts breakpoints, so that excess ones at the start are dropped.
struct Marks {
    skip: usize,
}

impl Marks {
    fn new(request: &Request) -> Self {
        let tools = request.tools.iter().map(|tool| tool.cache);
        let system = request.system.iter().filter(|block| !block.text.is_empty()).map(|block| block.cache);
        let turns = request.turns.iter().map(|turn| turn.cache);
        let all = tools.chain(system).chain(turns).filter(|cache| *cache == Cache::Breakpoint).count();
        Self { skip: all.saturating_sub(BREAKPOINTS) }
    }

    fn set(&mut self, cache: Cache, mut value: Value) -> Value {
        if cache == Cache::None {
            return value;
        }
        if self.skip > 0 {
            self.skip -= 1;
        } else {
            value["cache_control"] = json!({ "type": "ephemeral" });
        }
        value
    }
}

fn text(words: &str) -> Value {
    json!({ "type": "text", "text": words })
}

fn message(turn: &Turn, marks: &mut Marks) -> Value {
    let mut parts: Vec<&Part> = turn.parts.iter().collect();
    // The format requires tool results first.
    parts.sort_by_key(|part| !matches!(part, Part::ToolResult(_)));
    let mut content: Vec<Value> = parts.into_iter().filter_map(block).collect();
    match content.pop() {
        Some(last) => content.push(marks.set(turn.cache, last)),
        // The server refuses an empty turn, but its breakpoint must still be counted.
        None => drop(marks.set(turn.cache, Value::Null)),
    }
    let role = if turn.role == Role::User { "user" } else { "assistant" };
    json!({ "role": role, "content": content })
}

fn block(part: &Part) -> Option<Value> {
    Some(match part {
        Part::Text { text: words } if words.is_empty() => return None,
        Part::Text { text: words } => text(words),
        Part::Image(image) => {
            let source = json!({ "type": "base64", "media_type": image.media_type, "data": image.base64 });
            json!({ "type": "image", "source": source })
        }
        Part::ToolCall(call) => {
            json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments })
        }
        Part::ToolResult(result) => {
            let mut value = json!({ "type": "tool_result", "tool_use_id": result.id, "content": result.content });
            set(&mut value, "is_error", result.failed.then_some(true));
            value
        }
        Part::Reasoning(reasoning) => {
            let own = reasoning.block.as_ref().filter(|block| block.format == Format::Anthropic.name())?;
            own.value.clone()
        }
    })
}
