//! Answers as OpenAI responses.

use std::collections::BTreeMap;

use serde_json::Value;

use super::assemble::{Calls, count, ending, parse, text};
use super::{Decode, Decoded, Flow, ServerError, Trouble};
use crate::message::{Delta, Message, StopReason, Usage};
use crate::registry::Format;
use crate::request::{OwnBlock, Part, Reasoning};
use crate::sse::Event;

/// A streamed answer.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// Completed items by index, because some servers omit them in the last event.
    items: BTreeMap<u64, Value>,
    /// The call index for each item index.
    calls: BTreeMap<u64, usize>,
    response: Option<Value>,
}

impl Decode for Stream {
    fn event(&mut self, event: &Event, deltas: &mut Vec<Delta>) -> Decoded<Flow> {
        if event.data.trim() == "[DONE]" {
            return Ok(Flow::Done);
        }
        if event.data.trim().is_empty() {
            return Ok(Flow::More);
        }
        let data = parse(&event.data)?;
        let place = count(&data, "output_index");
        let words = || text(&data, "delta").to_owned();
        match text(&data, "type") {
            "response.output_text.delta" | "response.refusal.delta" => deltas.push(Delta::Text { text: words() }),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                deltas.push(Delta::Reasoning { text: words() });
            }
            "response.output_item.added" if data["item"]["type"] == "function_call" => {
                let index = self.calls.len();
                self.calls.insert(place, index);
                deltas.push(Delta::ToolCall { index, name: text(&data["item"], "name").to_owned() });
            }
            "response.function_call_arguments.delta" => {
                if let Some(&index) = self.calls.get(&place) {
                    deltas.push(Delta::Arguments { index, json: words() });
                }
            }
            "response.output_item.done" => {
                self.items.insert(place, data["item"].clone());
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.response = Some(data["response"].clone());
                return Ok(Flow::Done);
            }
            "error" => return Err(Trouble::Server(ServerError::in_body(&data).unwrap_or_default())),
            _ => {}
        }
        Ok(Flow::More)
    }

    fn finish(self: Box<Self>) -> Decoded<Message> {
        let mut response = self.response.ok_or(Trouble::BrokenOff)?;
        if response["output"].as_array().is_none_or(Vec::is_empty) {
            response["output"] = self.items.into_values().collect();
        }
        message(&response)
    }
}

/// The message in a response.
pub(super) fn message(response: &Value) -> Decoded<Message> {
    if let Some(error) = ServerError::in_body(response) {
        return Err(Trouble::Server(error));
    }
    let Some(output) = response["output"].as_array() else {
        return Err(Trouble::Unreadable("it contains no output"));
    };
    let mut stop = match (text(response, "status"), text(&response["incomplete_details"], "reason")) {
        ("completed" | "", _) => StopReason::EndTurn,
        ("incomplete", "max_output_tokens") => StopReason::MaxTokens,
        ("incomplete", "content_filter") => StopReason::Refusal,
        ("incomplete", _) => StopReason::Other,
        ("failed", _) => return Err(Trouble::Unreadable("the server reported a failure")),
        _ => return Err(Trouble::BrokenOff),
    };
    let mut parts = Vec::new();
    let mut calls = Calls::default();
    for (at, item) in output.iter().enumerate() {
        match text(item, "type") {
            "message" => read_message(item, &mut parts, &mut stop),
            "reasoning" => parts.push(reasoning(item)),
            "function_call" => {
                let index = calls.begin(None, text(item, "call_id"), text(item, "name"), &mut Vec::new());
                calls.arguments(index, &item["arguments"], &mut Vec::new());
                let cut = ending(stop, at + 1 == output.len());
                parts.push(Part::ToolCall(calls.take(index, cut)?));
            }
            _ => {}
        }
    }
    if stop == StopReason::EndTurn && !calls.is_empty() {
        stop = StopReason::ToolUse;
    }
    Ok(Message { parts, stop, usage: usage(&response["usage"]), model: text(response, "model").to_owned() })
}

fn read_message(item: &Value, parts: &mut Vec<Part>, stop: &mut StopReason) {
    for content in item["content"].as_array().into_iter().flatten() {
        let words = match text(content, "type") {
            "output_text" => text(content, "text"),
            "refusal" => {
                *stop = StopReason::Refusal;
                text(content, "refusal")
            }
            _ => "",
        };
        if !words.is_empty() {
            parts.push(Part::Text { text: words.to_owned() });
        }
    }
}

/// Only the fields required for sending it back: a reasoning item is tied to the calls after it.
fn reasoning(item: &Value) -> Part {
    let summary = item["summary"].as_array().into_iter().flatten();
    let words = summary.map(|piece| text(piece, "text")).collect::<Vec<_>>().join("\n\n");
    let mut value = item.clone();
    if let Some(map) = value.as_object_mut() {
        map.retain(|key, _| matches!(key.as_str(), "type" | "id" | "summary" | "encrypted_content"));
    }
    let block = OwnBlock { format: Format::OpenAiResponses.name().to_owned(), value };
    Part::Reasoning(Reasoning { text: words, block: Some(block) })
}

fn usage(usage: &Value) -> Option<Usage> {
    usage["input_tokens"].as_u64()?;
    Some(Usage {
        input: count(usage, "input_tokens"),
        output: count(usage, "output_tokens"),
        cached: count(&usage["input_tokens_details"], "cached_tokens"),
        cache_written: 0,
        reasoning: count(&usage["output_tokens_details"], "reasoning_tokens"),
    })
}
