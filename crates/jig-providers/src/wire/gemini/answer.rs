//! Google's generateContent: answers.

use serde_json::{Value, json};

use crate::message::{Delta, Message, StopReason, Usage};
use crate::registry::Format;
use crate::request::{OwnBlock, Part, Reasoning};
use crate::sse::Event;
use crate::wire::arguments::{Ending, IN_A_STRING};
use crate::wire::assemble::{Calls, count, parse, text};
use crate::wire::{Decode, Decoded, Flow, ServerError, Trouble};

/// A streamed answer. Each event is a small answer of its own.
#[derive(Debug, Default)]
pub(in crate::wire) struct Stream {
    model: String,
    parts: Vec<Part>,
    calls: Calls,
    stop: Option<String>,
    blocked: bool,
    usage: Option<Usage>,
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
        if let Some(error) = ServerError::in_body(&data) {
            return Err(Trouble::Server(error));
        }
        self.take(&data, deltas)?;
        Ok(Flow::More)
    }

    fn finish(self: Box<Self>) -> Decoded<Message> {
        (*self).message()
    }
}

/// An answer in one piece.
pub(in crate::wire) fn whole(body: &Value) -> Decoded<Message> {
    let mut stream = Stream::default();
    stream.take(body, &mut Vec::new())?;
    stream.message()
}

impl Stream {
    fn take(&mut self, data: &Value, deltas: &mut Vec<Delta>) -> Decoded<()> {
        let candidate = &data["candidates"][0];
        if self.model.is_empty() {
            text(data, "modelVersion").clone_into(&mut self.model);
        }
        self.blocked |= data["promptFeedback"]["blockReason"].is_string();
        if let Some(stop) = candidate["finishReason"].as_str() {
            self.stop = Some(stop.to_owned());
        }
        self.usage = usage(&data["usageMetadata"]).or(self.usage);
        for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
            self.part(part, deltas)?;
        }
        Ok(())
    }

    fn part(&mut self, part: &Value, deltas: &mut Vec<Delta>) -> Decoded<()> {
        let signature = part["thoughtSignature"].as_str();
        if let Some(call) = part.get("functionCall") {
            let index = self.calls.begin(None, text(call, "id"), text(call, "name"), deltas);
            self.calls.arguments(index, &call["args"], deltas);
            self.calls.sign(index, signature);
            let mut read = self.calls.take(index, Ending::Complete)?;
            if call["args"].is_string() && read.malformed.is_none() {
                read.corrected.get_or_insert_with(|| IN_A_STRING.to_owned());
            }
            self.parts.push(Part::ToolCall(read));
            return Ok(());
        }
        let words = text(part, "text").to_owned();
        if part["thought"] == true {
            self.think(words, deltas);
        } else if !words.is_empty() {
            self.say(words, deltas);
        }
        if let Some(signature) = signature {
            let value = json!({ "text": "", "thoughtSignature": signature });
            let block = Some(OwnBlock { format: Format::Gemini.name().to_owned(), value });
            self.parts.push(Part::Reasoning(Reasoning { text: String::new(), block }));
        }
        Ok(())
    }

    fn say(&mut self, words: String, deltas: &mut Vec<Delta>) {
        match self.parts.last_mut() {
            Some(Part::Text { text }) => text.push_str(&words),
            _ => self.parts.push(Part::Text { text: words.clone() }),
        }
        deltas.push(Delta::Text { text: words });
    }

    fn think(&mut self, words: String, deltas: &mut Vec<Delta>) {
        match self.parts.last_mut() {
            Some(Part::Reasoning(Reasoning { text, block: None })) => text.push_str(&words),
            _ => self.parts.push(Part::Reasoning(Reasoning { text: words.clone(), block: None })),
        }
        deltas.push(Delta::Reasoning { text: words });
    }

    fn message(self) -> Decoded<Message> {
        let called = !self.calls.is_empty();
        let stop = match self.stop.as_deref() {
            None if self.blocked => StopReason::Refusal,
            None => return Err(Trouble::BrokenOff),
            Some("STOP") if called => StopReason::ToolUse,
            Some("STOP") => StopReason::EndTurn,
            Some("MAX_TOKENS") => StopReason::MaxTokens,
            Some("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE") => {
                StopReason::Refusal
            }
            Some("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS") => {
                StopReason::MalformedCall
            }
            Some(_) => StopReason::Other,
        };
        Ok(Message { parts: self.parts, stop, usage: self.usage, model: self.model })
    }
}

fn usage(usage: &Value) -> Option<Usage> {
    usage["promptTokenCount"].as_u64()?;
    let reasoning = count(usage, "thoughtsTokenCount");
    Some(Usage {
        input: count(usage, "promptTokenCount") + count(usage, "toolUsePromptTokenCount"),
        output: count(usage, "candidatesTokenCount") + reasoning,
        cached: count(usage, "cachedContentTokenCount"),
        cache_written: 0,
        reasoning,
    })
}
