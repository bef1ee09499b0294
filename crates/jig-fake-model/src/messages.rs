//! Answers as Anthropic's messages.

use serde_json::{Value, json};

use crate::answer::{Answer, Stop, pieces};
use crate::reply::Habits;

/// The answer in one piece.
pub(crate) fn whole(answer: &Answer, model: &str, habits: &Habits) -> Value {
    let mut body = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": model,
        "content": blocks(answer), "stop_reason": stop(answer), "stop_sequence": null,
    });
    if !habits.no_usage {
        body["usage"] = usage(answer);
    }
    body
}

/// The answer in events, each with its name.
pub(crate) fn events(answer: &Answer, model: &str, habits: &Habits) -> Vec<Value> {
    let mut start = whole(answer, model, habits);
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    if !habits.no_usage {
        start["usage"]["output_tokens"] = json!(1);
    }
    let mut events = vec![json!({ "type": "message_start", "message": start }), json!({ "type": "ping" })];
    for (index, block) in blocks(answer).iter().enumerate() {
        let (empty, deltas) = in_pieces(answer, block);
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": empty }));
        let deltas = deltas.into_iter();
        events.extend(deltas.map(|delta| json!({ "type": "content_block_delta", "index": index, "delta": delta })));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let mut end = json!({ "type": "message_delta", "delta": { "stop_reason": stop(answer), "stop_sequence": null } });
    if !habits.no_usage {
        end["usage"] = json!({ "output_tokens": answer.tokens.output });
    }
    events.push(end);
    events.push(json!({ "type": "message_stop" }));
    events
}

/// The start of a block, and the events after it.
fn in_pieces(answer: &Answer, block: &Value) -> (Value, Vec<Value>) {
    let mut empty = block.clone();
    let deltas = match block["type"].as_str() {
        Some("text") => {
            empty["text"] = json!("");
            pieces(&answer.text, 4).iter().map(|text| json!({ "type": "text_delta", "text": text })).collect()
        }
        Some("thinking") => {
            empty["thinking"] = json!("");
            empty["signature"] = json!("");
            let thoughts = pieces(&answer.reasoning, 2);
            let thoughts = thoughts.iter().map(|text| json!({ "type": "thinking_delta", "thinking": text }));
            thoughts.chain([json!({ "type": "signature_delta", "signature": "signed" })]).collect()
        }
        _ => {
            empty["input"] = json!({});
            let id = block["id"].as_str().unwrap_or_default();
            let call = answer.calls.iter().find(|call| call.id == id);
            let arguments = call.map(|call| pieces(&call.arguments, 3)).unwrap_or_default();
            arguments.iter().map(|json| json!({ "type": "input_json_delta", "partial_json": json })).collect()
        }
    };
    (empty, deltas)
}

fn blocks(answer: &Answer) -> Vec<Value> {
    let mut blocks = Vec::new();
    if !answer.reasoning.is_empty() {
        blocks.push(json!({ "type": "thinking", "thinking": answer.reasoning, "signature": "signed" }));
    }
    if !answer.text.is_empty() {
        blocks.push(json!({ "type": "text", "text": answer.text }));
    }
    blocks.extend(
        answer.calls.iter().map(
            |call| json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": Answer::arguments(call) }),
        ),
    );
    blocks
}

fn stop(answer: &Answer) -> &'static str {
    match answer.stop {
        Stop::Natural if answer.calls.is_empty() => "end_turn",
        Stop::Natural => "tool_use",
        Stop::Length => "max_tokens",
        Stop::Refusal => "refusal",
        Stop::Unknown => "moon_phase",
    }
}

/// Cached input is not part of `input_tokens`.
fn usage(answer: &Answer) -> Value {
    json!({
        "input_tokens": answer.tokens.input - answer.tokens.cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": answer.tokens.cached,
        "output_tokens": answer.tokens.output,
        "output_tokens_details": { "thinking_tokens": answer.tokens.reasoning },
    })
}
