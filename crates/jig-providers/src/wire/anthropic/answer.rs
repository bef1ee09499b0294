//! Anthropic's messages: answers.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::message::{Delta, Message, StopReason, Usage};
use crate::registry::Format;
use crate::request::{OwnBlock, Part, Reasoning, ToolCall};
use crate::sse::Event;
use crate::wire::arguments::{Arguments, Ending};
use crate::wire::assemble::{count, ending, parse, text};
use crate::wire::{Decode, Decoded, Flow, ServerError, Trouble};

/// A streamed answer.
#[derive(Debug, Default)]
pub(in crate::wire) struct Stream {
    message: Value,
    /// The blocks so far by index, with arguments that are still text.
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
        let blocks: Vec<(Value, String)> = std::mem::take(&mut self.blocks).into_values().collect();
        let (stop, last) = (stop(&self.message), blocks.len().saturating_sub(1));
        let parts = blocks.iter().enumerate().filter_map(|(at, (block, streamed))| {
            let streamed = Some(streamed.as_str()).filter(|text| !text.trim().is_empty());
            part(block, streamed, ending(stop, at == last))
        });
        Ok(message(&self.message, parts.collect()))
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
        let unknown = Trouble::Unreadable("a part belongs to no block");
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

    /// The stop reason and final counts come last; missing counts keep their initial values.
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
pub(in crate::wire) fn whole(body: &Value) -> Decoded<Message> {
    let Some(content) = body["content"].as_array() else {
        return Err(Trouble::Unreadable("it contains no content"));
    };
    if body["stop_reason"].is_null() {
        return Err(Trouble::BrokenOff);
    }
    let (stop, last) = (stop(body), content.len().saturating_sub(1));
    let parts = content.iter().enumerate().filter_map(|(at, block)| part(block, None, ending(stop, at == last)));
    Ok(message(body, parts.collect()))
}

fn message(body: &Value, parts: Vec<Part>) -> Message {
    Message { parts, stop: stop(body), usage: usage(&body["usage"]), model: text(body, "model").to_owned() }
}

/// A block of the answer. Streamed arguments are still text.
fn part(block: &Value, streamed: Option<&str>, ending: Ending) -> Option<Part> {
    match text(block, "type") {
        "text" if text(block, "text").is_empty() => None,
        "text" => Some(Part::Text { text: text(block, "text").to_owned() }),
        "thinking" | "redacted_thinking" => Some(Part::Reasoning(Reasoning {
            text: text(block, "thinking").to_owned(),
            block: Some(OwnBlock { format: Format::Anthropic.name().to_owned(), value: block.clone() }),
        })),
        "tool_use" => {
            let nothing = matches!(&block["input"], Value::Null)
                || block["input"].as_object().is_some_and(serde_json::Map::is_empty);
            let read = match streamed {
                Some(json) => Arguments::of_text(json, ending),
                // The server sends an empty object before the first fragment, and for tools without arguments.
                None if nothing => Arguments::of_text("", ending),
                None => Arguments::of_value(&block["input"], ending),
            };
            let Arguments { value, corrected, malformed } = read;
            let call = ToolCall::new(text(block, "id"), text(block, "name"), value);
            Some(Part::ToolCall(ToolCall { corrected, malformed, ..call }))
        }
        _ => None,
    }
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

/// The provider counts cached input separately from other input.
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
