//! Wire formats: requests to bytes, answers to messages. Pure.

mod anthropic;
mod arguments;
mod assemble;
mod chat;
mod chat_answer;
mod gemini;
mod responses;
mod responses_answer;
mod schema;
mod trouble;

use jig_contract::Code;
use serde_json::Value;

use crate::error::ProviderError;
use crate::message::{Delta, Message};
use crate::registry::{Ability, Format, Model};
use crate::request::{Part, Request, Streaming};
use crate::sse::Event;
pub(crate) use anthropic::VERSION;
pub(crate) use trouble::{ServerError, Trouble};

/// The result of parsing an answer.
pub(crate) type Decoded<T> = Result<T, Trouble>;

/// Whether an answer continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    More,
    Done,
}

/// Parses a streamed answer.
pub(crate) trait Decode: Send {
    /// Processes an event and appends its content to `deltas`.
    fn event(&mut self, event: &Event, deltas: &mut Vec<Delta>) -> Decoded<Flow>;

    /// The complete message, after the last event.
    fn finish(self: Box<Self>) -> Decoded<Message>;
}

/// The body of a request.
pub(crate) fn encode(model: &Model, request: &Request) -> Result<Vec<u8>, ProviderError> {
    check(model, request)?;
    let body = match model.format {
        Format::OpenAiChat | Format::Mistral | Format::Compatible => chat::encode(model, request),
        Format::OpenAiResponses => responses::encode(model, request),
        Format::Anthropic => anthropic::encode(model, request),
        Format::Gemini => gemini::encode(model, request),
        Format::None => {
            return Err(ProviderError::new(Code::Internal, "this model has no wire format").model(&model.id));
        }
    };
    serde_json::to_vec(&body)
        .map_err(|_| ProviderError::new(Code::Internal, "the request cannot be written").model(&model.id))
}

/// The path of a request below the provider's address.
pub(crate) fn path(model: &Model, streaming: Streaming) -> String {
    match (model.format, streaming) {
        (Format::OpenAiChat | Format::Mistral | Format::Compatible | Format::None, _) => "/chat/completions".to_owned(),
        (Format::OpenAiResponses, _) => "/responses".to_owned(),
        (Format::Anthropic, _) => "/messages".to_owned(),
        (Format::Gemini, Streaming::Off) => format!("/models/{}:generateContent", model.id.model()),
        (Format::Gemini, Streaming::On) => format!("/models/{}:streamGenerateContent?alt=sse", model.id.model()),
    }
}

/// The parser for a streamed answer.
pub(crate) fn decoder(format: Format) -> Box<dyn Decode> {
    match format {
        Format::OpenAiResponses => Box::new(responses_answer::Stream::default()),
        Format::Anthropic => Box::new(anthropic::Stream::default()),
        Format::Gemini => Box::new(gemini::Stream::default()),
        _ => Box::new(chat_answer::Stream::default()),
    }
}

/// Parses an answer in one piece.
pub(crate) fn whole(format: Format, value: &Value) -> Decoded<Message> {
    if let Some(error) = ServerError::in_body(value) {
        return Err(Trouble::Server(error));
    }
    match format {
        Format::OpenAiResponses => responses_answer::message(value),
        Format::Anthropic => anthropic::whole(value),
        Format::Gemini => gemini::whole(value),
        _ => chat_answer::whole(value),
    }
}

/// The deltas of an answer in one piece.
pub(crate) fn deltas(message: &Message) -> Vec<Delta> {
    let mut deltas = Vec::new();
    let mut index = 0;
    for part in &message.parts {
        match part {
            Part::Text { text } => deltas.push(Delta::Text { text: text.clone() }),
            Part::Reasoning(reasoning) if !reasoning.text.is_empty() => {
                deltas.push(Delta::Reasoning { text: reasoning.text.clone() });
            }
            Part::ToolCall(call) => {
                deltas.push(Delta::ToolCall { index, name: call.name.clone() });
                deltas.push(Delta::Arguments { index, json: call.arguments.to_string() });
                index += 1;
            }
            _ => {}
        }
    }
    deltas
}

/// Refuses what the model does not support, instead of dropping it.
fn check(model: &Model, request: &Request) -> Result<(), ProviderError> {
    let refuse = |what: &str| {
        let message = format!("{} {what}", model.id);
        let error = ProviderError::new(Code::ValidationFailed, message).model(&model.id);
        Err(error.hint("choose another model, or correct its capabilities in your `models.toml`"))
    };
    let image = request.turns.iter().flat_map(|turn| &turn.parts).any(|part| matches!(part, Part::Image(_)));
    if image && !model.can(Ability::Images) {
        return refuse("does not accept images");
    }
    if !request.tools.is_empty() && !model.can(Ability::Tools) {
        return refuse("does not support tool calls");
    }
    if request.turns.is_empty() {
        return Err(ProviderError::new(Code::ValidationFailed, "a request needs at least one turn").model(&model.id));
    }
    Ok(())
}

/// The temperature, if the model supports one.
fn temperature(model: &Model, request: &Request) -> Option<f64> {
    request.temperature.filter(|_| model.can(Ability::Temperature))
}

/// The output limit, bounded by that of the model.
fn max_tokens(model: &Model, request: &Request) -> Option<u32> {
    request.max_tokens.map(|limit| limit.min(model.max_output))
}

#[cfg(test)]
mod tests;
