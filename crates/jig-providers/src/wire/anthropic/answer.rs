//! Anthropic's messages: answers.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::message::{Delta, Message, StopReason, Usage};
use crate::registry::Format;
use crate::request::{OwnBlock, Part, Reasoning, ToolCall};
use crate::sse::Event;
use crate::wire::assemble::{count, parse, text};
use crate::wire::{Decode, Decoded, Flow, ServerError, Trouble};

/// An answer as it comes.
#[derive(Debug, Default)]
pub(in crate::wire) struct Stream {
    message: Value,
    /// The blocks so far, by their place, and the arguments that are still text.
    blocks: BTreeMap<u64, (Value, String)>,
    calls: BTreeMap<u64, usize>,
    ended: bool,
}

impl Decode for Stream {
    fn event(&mut self, event: &Event, deltas: &mut Vec<Delta>) -> Decoded<Flow> {
        if event.data.trim().is_empty() {
            return Ok(Flow::More);
        }
        let data = parse(&event.data)?;
        let place = count(&data, "index");
        match text(&data, "type") {
            "message_start" => self.message = data["message"].clone(),
            "content_block_start" => self.begin(place, &data["content_block"], deltas),
            "content_block_delta" => self.add(place, &data["delta"], deltas)?,
            "message_delta" => self.close(&data),
            "message_stop" => return Ok(Flow::Done),
            "error" => return Err(Trouble::Server(ServerError::in_body(&data).unwrap_or_default())),
            _ => {}
        }
        Ok(Flow::More)
    }

    fn finish(mut self: Box<Self>) -> Decoded<Message> {
        if !self.ended {
            return Err(Trouble::BrokenOff);
        }
        let stop = stop(&self.message);
        let mut content = Vec::new();
        for (mut block, arguments) in std::mem::take(&mut self.blocks).into_values() {
            if block["type"] == "tool_use" && !arguments.trim().is_empty() {
                block["input"] = serde_json::from_str(&arguments).map_err(|_| match stop {
                    StopReason::MaxTokens => Trouble::CallCut,
                    _ => Trouble::Unreadable("the arguments of a tool call are no JSON object"),
                })?;
            }
            content.push(block);
        }
        self.message["content"] = json!(content);
        whole(&self.message)
    }
}

impl Stream {
    fn begin(&mut self, place: u64, block: &Value, deltas: &mut Vec<Delta>) {
        if block["type"] == "tool_use" {
            let index = self.calls.len();
            self.calls.insert(place, index);
            deltas.push(Delta::ToolCall { index, name: text(block, "name").to_owned() });
        } else if !text(block, "text").is_empty() {
            deltas.push(Delta::Text { text: text(block, "text").to_owned() });
        }
        self.blocks.insert(place, (block.clone(), String::new()));
    }

    fn add(&mut self, place: u64, delta: &Value, deltas: &mut Vec<Delta>) -> Decoded<()> {
        let unknown = Trouble::Unreadable("a piece of it belongs to no block");
        let (block, arguments) = self.blocks.get_mut(&place).ok_or(unknown)?;
        match text(delta, "type") {
            "text_delta" => {
                append(block, "text", text(delta, "text"));
                deltas.push(Delta::Text { text: text(delta, "text").to_owned() });
            }
            "thinking_delta" => {
                append(block, "thinking", text(delta, "thinking"));
                deltas.push(Delta::Reasoning { text: text(delta, "thinking").to_owned() });
            }
            "signature_delta" => append(block, "signature", text(delta, "signature")),
            "input_json_delta" => {
                let json = text(delta, "partial_json").to_owned();
                arguments.push_str(&json);
                if let Some(&index) = self.calls.get(&place).filter(|_| !json.is_empty()) {
                    deltas.push(Delta::Arguments { index, json });
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The reason and the counts so far come last; counts that are missing keep what the beginning said.
    fn close(&mut self, data: &Value) {
        if let Some(reason) = data["delta"]["stop_reason"].as_str() {
            self.ended = true;
            self.message["stop_reason"] = json!(reason);
        }
        for (key, value) in data["usage"].as_object().into_iter().flatten() {
            if !value.is_null() {
                self.message["usage"][key.as_str()] = value.clone();
            }
        }
    }
}

fn append(block: &mut Value, key: &str, words: &str) {
    let joined = format!("{}{words}", text(block, key));
    block[key] = json!(joined);
}

/// An answer in one piece.
pub(in crate::wire) fn whole(message: &Value) -> Decoded<Message> {
    let Some(content) = message["content"].as_array() else {
        return Err(Trouble::Unreadable("there is no content in it"));
    };
    if message["stop_reason"].is_null() {
        return Err(Trouble::BrokenOff);
    }
    let parts: Vec<Part> = content.iter().filter_map(|block| part(block).transpose()).collect::<Decoded<_>>()?;
    let model = text(message, "model").to_owned();
    Ok(Message { parts, stop: stop(message), usage: usage(&message["usage"]), model })
}

fn part(block: &Value) -> Decoded<Option<Part>> {
    Ok(match text(block, "type") {
        "text" if text(block, "text").is_empty() => None,
        "text" => Some(Part::Text { text: text(block, "text").to_owned() }),
        "thinking" | "redacted_thinking" => Some(Part::Reasoning(Reasoning {
            text: text(block, "thinking").to_owned(),
            block: Some(OwnBlock { format: Format::Anthropic.name().to_owned(), value: block.clone() }),
        })),
        "tool_use" => {
            let arguments = match &block["input"] {
                Value::Null => json!({}),
                input @ Value::Object(_) => input.clone(),
                _ => return Err(Trouble::Unreadable("the arguments of a tool call are no JSON object")),
            };
            let (id, name) = (text(block, "id").to_owned(), text(block, "name").to_owned());
            Some(Part::ToolCall(ToolCall { id, name, arguments, signature: None }))
        }
        _ => None,
    })
}

fn stop(message: &Value) -> StopReason {
    match text(message, "stop_reason") {
        "end_turn" | "stop_sequence" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" => StopReason::MaxTokens,
        "model_context_window_exceeded" => StopReason::WindowFull,
        "refusal" => StopReason::Refusal,
        _ => StopReason::Other,
    }
}

/// The provider counts what came from the cache, or went into it, apart from the rest.
fn usage(usage: &Value) -> Option<Usage> {
    usage["input_tokens"].as_u64()?;
    let (cached, written) = (count(usage, "cache_read_input_tokens"), count(usage, "cache_creation_input_tokens"));
    Some(Usage {
        input: count(usage, "input_tokens") + cached + written,
        output: count(usage, "output_tokens"),
        cached,
        cache_written: written,
        reasoning: count(&usage["output_tokens_details"], "thinking_tokens"),
    })
}
