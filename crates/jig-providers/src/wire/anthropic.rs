//! Anthropic's messages: requests.

mod answer;

use serde_json::{Value, json};

use super::assemble::set;
use super::schema::{instruction, native};
use super::{max_tokens, temperature};
use crate::registry::{Format, Model};
use crate::request::{Cache, Part, Request, Role, Streaming, Turn};
pub(super) use answer::{Stream, whole};

/// The version of the format that is spoken.
pub(crate) const VERSION: &str = "2023-06-01";

/// How many breakpoints a request may have. The last ones count: each covers all that comes before it.
const BREAKPOINTS: usize = 4;

/// The body of a request. The limit on the answer must be given: it is what the model can do, unless asked for less.
pub(super) fn encode(model: &Model, request: &Request) -> Value {
    let mut marks = Marks::new(request);
    let limit = max_tokens(model, request).unwrap_or(model.max_output);
    let mut body = json!({ "model": model.id.model(), "max_tokens": limit });
    // In the order in which the provider's cache sees them: tools, system, messages.
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

/// Counts breakpoints, so that the first of too many are left out.
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
    // Results of tools come first, as the format demands.
    parts.sort_by_key(|part| !matches!(part, Part::ToolResult(_)));
    let mut content: Vec<Value> = parts.into_iter().filter_map(block).collect();
    match content.pop() {
        Some(last) => content.push(marks.set(turn.cache, last)),
        // An empty turn is refused by the server; the mark must still be counted.
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
