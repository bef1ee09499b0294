//! Answers as OpenAI responses.

use serde_json::{Value, json};

use crate::answer::{Answer, Stop, pieces};
use crate::reply::Habits;

/// The answer in one piece.
pub(crate) fn whole(answer: &Answer, model: &str, habits: &Habits) -> Value {
    let status = if answer.stop == Stop::Natural { "completed" } else { "incomplete" };
    let mut body =
        json!({ "id": "resp_1", "object": "response", "status": status, "model": model, "output": items(answer) });
    body["error"] = Value::Null;
    let reason = match answer.stop {
        Stop::Length => "max_output_tokens",
        Stop::Unknown => "moon_phase",
        Stop::Natural | Stop::Refusal => "content_filter",
    };
    if answer.stop != Stop::Natural {
        body["incomplete_details"] = json!({ "reason": reason });
    }
    if !habits.no_usage {
        body["usage"] = json!({
            "input_tokens": answer.tokens.input,
            "input_tokens_details": { "cached_tokens": answer.tokens.cached },
            "output_tokens": answer.tokens.output,
            "output_tokens_details": { "reasoning_tokens": answer.tokens.reasoning },
        });
    }
    body
}

/// The answer in events, each with its name.
pub(crate) fn events(answer: &Answer, model: &str, habits: &Habits) -> Vec<Value> {
    let mut events =
        vec![json!({ "type": "response.created", "response": { "id": "resp_1", "status": "in_progress" } })];
    for (index, item) in items(answer).into_iter().enumerate() {
        let mut begun = item.clone();
        begun["status"] = json!("in_progress");
        events.push(json!({ "type": "response.output_item.added", "output_index": index, "item": begun }));
        let (kind, text) = match item["type"].as_str() {
            Some("message") => ("response.output_text.delta", answer.text.as_str()),
            Some("reasoning") => ("response.reasoning_summary_text.delta", answer.reasoning.as_str()),
            _ => ("response.function_call_arguments.delta", item["arguments"].as_str().unwrap_or_default()),
        };
        let deltas = pieces(text, 3).into_iter();
        events.extend(deltas.map(|delta| json!({ "type": kind, "output_index": index, "delta": delta })));
        events.push(json!({ "type": "response.output_item.done", "output_index": index, "item": item }));
    }
    let name = if answer.stop == Stop::Natural { "response.completed" } else { "response.incomplete" };
    events.push(json!({ "type": name, "response": whole(answer, model, habits) }));
    events
}

fn items(answer: &Answer) -> Vec<Value> {
    let mut items = Vec::new();
    if !answer.reasoning.is_empty() {
        let summary = json!([{ "type": "summary_text", "text": answer.reasoning }]);
        items.push(json!({ "type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "opaque" }));
    }
    if !answer.text.is_empty() {
        let content = json!([{ "type": "output_text", "text": answer.text, "annotations": [] }]);
        items.push(json!({ "type": "message", "id": "msg_1", "role": "assistant", "content": content }));
    }
    for (n, call) in answer.calls.iter().enumerate() {
        let (id, arguments) = (format!("fc_{n}"), &call.arguments);
        items.push(json!({
            "type": "function_call", "id": id, "call_id": call.id, "name": call.name, "arguments": arguments,
        }));
    }
    items
}
