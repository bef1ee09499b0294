//! Answers as Google's generateContent.

use serde_json::{Value, json};

use crate::answer::{Answer, Stop, pieces};
use crate::reply::Habits;

/// The answer in one piece.
pub(crate) fn whole(answer: &Answer, model: &str, habits: &Habits) -> Value {
    let parts: Vec<Value> =
        thoughts(answer, 1).into_iter().chain(texts(answer, 1)).chain(calls(answer, habits)).collect();
    chunk(answer, model, &parts, Some(stop(answer)), habits)
}

/// The answer in events: each is a small answer, and the last has the stop reason.
pub(crate) fn events(answer: &Answer, model: &str, habits: &Habits) -> Vec<Value> {
    let parts = thoughts(answer, 2).into_iter().chain(texts(answer, 4)).chain(calls(answer, habits));
    let mut events: Vec<Value> = parts.map(|part| chunk(answer, model, &[part], None, habits)).collect();
    events.push(chunk(answer, model, &[json!({ "text": "" })], Some(stop(answer)), habits));
    events
}

fn chunk(answer: &Answer, model: &str, parts: &[Value], stop: Option<&str>, habits: &Habits) -> Value {
    let mut candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
    if let Some(stop) = stop {
        candidate["finishReason"] = json!(stop);
    }
    let mut body = json!({ "candidates": [candidate], "modelVersion": model });
    if !habits.no_usage {
        let tokens = answer.tokens;
        body["usageMetadata"] = json!({
            "promptTokenCount": tokens.input,
            "candidatesTokenCount": tokens.output - tokens.reasoning,
            "thoughtsTokenCount": tokens.reasoning,
            "cachedContentTokenCount": tokens.cached,
            "totalTokenCount": tokens.input + tokens.output,
        });
    }
    body
}

fn thoughts(answer: &Answer, count: usize) -> Vec<Value> {
    pieces(&answer.reasoning, count).iter().map(|piece| json!({ "text": piece, "thought": true })).collect()
}

fn texts(answer: &Answer, count: usize) -> Vec<Value> {
    pieces(&answer.text, count).iter().map(|piece| json!({ "text": piece })).collect()
}

fn calls(answer: &Answer, habits: &Habits) -> Vec<Value> {
    let call = |call| {
        let mut value = json!({ "functionCall": call_body(call, habits) });
        value["thoughtSignature"] = json!("signed");
        value
    };
    answer.calls.iter().map(call).collect()
}

fn call_body(call: &crate::answer::Call, habits: &Habits) -> Value {
    let mut value = json!({ "name": call.name, "args": Answer::arguments(call) });
    if !habits.bare_calls {
        value["id"] = json!(call.id);
    }
    value
}

fn stop(answer: &Answer) -> &'static str {
    match answer.stop {
        Stop::Natural => "STOP",
        Stop::Length => "MAX_TOKENS",
        Stop::Refusal => "SAFETY",
        Stop::Unknown => "MOON_PHASE",
    }
}
