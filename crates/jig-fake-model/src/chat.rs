//! Answers as chat completions.

use serde_json::{Value, json};

use crate::answer::{Answer, Call, Stop, pieces};
use crate::reply::Habits;

/// The answer in one piece.
pub(crate) fn whole(answer: &Answer, model: &str, habits: &Habits) -> Value {
    let mut message = json!({ "role": "assistant", "content": content(answer) });
    if !answer.reasoning.is_empty() {
        message["reasoning_content"] = json!(answer.reasoning);
    }
    if !answer.calls.is_empty() {
        message["tool_calls"] = answer.calls.iter().map(|one| call(one, None, habits)).collect();
    }
    let choice = json!({ "index": 0, "message": message, "finish_reason": stop(answer) });
    let mut body = json!({ "id": "c1", "object": "chat.completion", "model": model, "choices": [choice] });
    if !habits.no_usage {
        body["usage"] = usage(answer);
    }
    body
}

/// The answer in events.
pub(crate) fn events(answer: &Answer, model: &str, habits: &Habits) -> Vec<Value> {
    let mut deltas = vec![json!({ "role": "assistant", "content": "" })];
    deltas.extend(pieces(&answer.reasoning, 2).iter().map(|piece| json!({ "reasoning_content": piece })));
    deltas.extend(pieces(&answer.text, 4).iter().map(|piece| json!({ "content": piece })));
    for (index, one) in answer.calls.iter().enumerate() {
        deltas.extend(call_deltas(one, index, habits));
    }
    let chunk =
        |choices: Value| json!({ "id": "c1", "object": "chat.completion.chunk", "model": model, "choices": choices });
    let mut events: Vec<Value> =
        deltas.into_iter().map(|delta| chunk(json!([{ "index": 0, "delta": delta, "finish_reason": null }]))).collect();
    events.push(chunk(json!([{ "index": 0, "delta": {}, "finish_reason": stop(answer) }])));
    if !habits.no_usage {
        let mut last = chunk(json!([]));
        last["usage"] = usage(answer);
        events.push(last);
    }
    events
}

/// Servers with unfragmented arguments, or without indexes, send a call in one piece.
fn call_deltas(one: &Call, index: usize, habits: &Habits) -> Vec<Value> {
    if habits.object_arguments || habits.bare_calls {
        return vec![json!({ "tool_calls": [call(one, Some(index), habits)] })];
    }
    let head =
        json!({ "index": index, "id": one.id, "type": "function", "function": { "name": one.name, "arguments": "" } });
    let rest = pieces(&one.arguments, 3).into_iter();
    let rest = rest.map(|piece| json!({ "index": index, "function": { "arguments": piece } }));
    std::iter::once(head).chain(rest).map(|call| json!({ "tool_calls": [call] })).collect()
}

fn call(one: &Call, index: Option<usize>, habits: &Habits) -> Value {
    let arguments = if habits.object_arguments { Answer::arguments(one) } else { json!(one.arguments) };
    let mut value = json!({ "type": "function", "function": { "name": one.name, "arguments": arguments } });
    if !habits.bare_calls {
        value["id"] = json!(one.id);
        if let Some(index) = index {
            value["index"] = json!(index);
        }
    }
    value
}

fn content(answer: &Answer) -> Value {
    if answer.text.is_empty() { Value::Null } else { json!(answer.text) }
}

fn stop(answer: &Answer) -> &'static str {
    match answer.stop {
        Stop::Natural if answer.calls.is_empty() => "stop",
        Stop::Natural => "tool_calls",
        Stop::Length => "length",
        Stop::Refusal => "content_filter",
        Stop::Unknown => "moon_phase",
    }
}

fn usage(answer: &Answer) -> Value {
    let tokens = answer.tokens;
    json!({
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "prompt_tokens_details": { "cached_tokens": tokens.cached },
        "completion_tokens_details": { "reasoning_tokens": tokens.reasoning },
    })
}
