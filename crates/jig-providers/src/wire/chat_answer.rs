//! Answers as chat completions, including deviations of compatible servers.

use serde_json::Value;

use super::assemble::{Calls, count, parse, text};
use super::{Decode, Decoded, Flow, ServerError, Trouble};
use crate::message::{Delta, Message, StopReason, Usage};
use crate::request::{Part, Reasoning};
use crate::sse::Event;

/// An answer, streamed or in one piece.
#[derive(Debug, Default)]
pub(super) struct Stream {
    model: String,
    text: String,
    reasoning: String,
    calls: Calls,
    refused: bool,
    stop: Option<String>,
    done: bool,
    usage: Option<Usage>,
}

impl Decode for Stream {
    fn event(&mut self, event: &Event, deltas: &mut Vec<Delta>) -> Decoded<Flow> {
        if event.data.trim() == "[DONE]" {
            self.done = true;
            return Ok(Flow::Done);
        }
        if event.data.trim().is_empty() {
            return Ok(Flow::More);
        }
        let chunk = parse(&event.data)?;
        if let Some(error) = ServerError::in_body(&chunk) {
            return Err(Trouble::Server(error));
        }
        self.frame(&chunk);
        let choice = &chunk["choices"][0];
        let piece = if choice["delta"].is_object() { &choice["delta"] } else { &choice["message"] };
        self.piece(piece, deltas);
        Ok(Flow::More)
    }

    fn finish(self: Box<Self>) -> Decoded<Message> {
        (*self).message()
    }
}

/// An answer in one piece.
pub(super) fn whole(body: &Value) -> Decoded<Message> {
    let mut stream = Stream::default();
    let choice = &body["choices"][0];
    // An empty list of choices is an empty answer; a missing list is not an answer.
    if !body["choices"].is_array() {
        return Err(Trouble::Unreadable("it contains no message"));
    }
    stream.frame(body);
    stream.piece(&choice["message"], &mut Vec::new());
    // Complete JSON is a complete answer, even if the server sends no stop reason.
    stream.done = true;
    stream.message()
}

impl Stream {
    fn frame(&mut self, chunk: &Value) {
        if self.model.is_empty() {
            text(chunk, "model").clone_into(&mut self.model);
        }
        if let Some(stop) = chunk["choices"][0]["finish_reason"].as_str().filter(|stop| !stop.is_empty()) {
            self.stop = Some(stop.to_owned());
        }
        if let Some(usage) = usage(&chunk["usage"]) {
            self.usage = Some(usage);
        }
    }

    fn piece(&mut self, piece: &Value, deltas: &mut Vec<Delta>) {
        for key in ["reasoning_content", "reasoning"] {
            self.think(text(piece, key), deltas);
        }
        self.content(&piece["content"], deltas);
        if !text(piece, "refusal").is_empty() {
            self.refused = true;
            self.say(text(piece, "refusal"), deltas);
        }
        for call in piece["tool_calls"].as_array().into_iter().flatten() {
            self.call(call, deltas);
        }
    }

    /// Text, or a list of parts as sent by Mistral's reasoning models.
    fn content(&mut self, content: &Value, deltas: &mut Vec<Delta>) {
        match content {
            Value::String(words) => self.say(words, deltas),
            Value::Array(pieces) => {
                for piece in pieces {
                    match text(piece, "type") {
                        "text" => self.say(text(piece, "text"), deltas),
                        "thinking" => {
                            for thought in piece["thinking"].as_array().into_iter().flatten() {
                                self.think(text(thought, "text"), deltas);
                            }
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn say(&mut self, words: &str, deltas: &mut Vec<Delta>) {
        if !words.is_empty() {
            self.text.push_str(words);
            deltas.push(Delta::Text { text: words.to_owned() });
        }
    }

    fn think(&mut self, words: &str, deltas: &mut Vec<Delta>) {
        if !words.is_empty() {
            self.reasoning.push_str(words);
            deltas.push(Delta::Reasoning { text: words.to_owned() });
        }
    }

    fn call(&mut self, call: &Value, deltas: &mut Vec<Delta>) {
        let (slot, id) = (call["index"].as_u64(), text(call, "id"));
        let name = text(&call["function"], "name");
        let known = self.calls.place(slot, id).filter(|_| slot.is_some() || name.is_empty());
        let index = known.unwrap_or_else(|| self.calls.begin(slot, id, name, deltas));
        self.calls.arguments(index, &call["function"]["arguments"], deltas);
    }

    fn message(self) -> Decoded<Message> {
        if self.stop.is_none() && !self.done {
            return Err(Trouble::BrokenOff);
        }
        let called = !self.calls.is_empty();
        let stop = match self.stop.as_deref() {
            _ if self.refused => StopReason::Refusal,
            Some("length" | "model_length") => StopReason::MaxTokens,
            Some("content_filter" | "refusal") => StopReason::Refusal,
            Some("error") => return Err(Trouble::Unreadable("the server reported a failure")),
            // Several servers report `stop` although they want tools to be called.
            _ if called => StopReason::ToolUse,
            // A call was announced but is missing: the caller must not treat this as the end.
            Some("tool_calls" | "function_call") => StopReason::ToolUse,
            Some("stop" | "eos") | None => StopReason::EndTurn,
            Some(_) => StopReason::Other,
        };
        let mut parts = Vec::new();
        if !self.reasoning.is_empty() {
            parts.push(Part::Reasoning(Reasoning { text: self.reasoning, block: None }));
        }
        if !self.text.is_empty() {
            parts.push(Part::Text { text: self.text });
        }
        parts.extend(self.calls.finish(stop).into_iter().map(Part::ToolCall));
        Ok(Message { parts, stop, usage: self.usage, model: self.model })
    }
}

fn usage(usage: &Value) -> Option<Usage> {
    usage["prompt_tokens"].as_u64()?;
    Some(Usage {
        input: count(usage, "prompt_tokens"),
        output: count(usage, "completion_tokens"),
        cached: count(&usage["prompt_tokens_details"], "cached_tokens"),
        cache_written: 0,
        reasoning: count(&usage["completion_tokens_details"], "reasoning_tokens"),
    })
}
