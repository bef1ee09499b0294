//! Tests of the wire formats: exact requests, and answers with the deviations of many servers.

use serde_json::json;

use super::*;
use crate::message::{StopReason, Usage};
use crate::registry::Registry;
use crate::request::{Block, Cache, Image, Output, Role, Tool, ToolCall, ToolResult, Turn};

fn model(id: &str) -> Model {
    Registry::built_in().unwrap().model(&id.parse().unwrap()).unwrap()
}

fn request() -> Request {
    let parameters = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    let tool = Tool { name: "read".into(), description: "Reads.".into(), parameters, cache: Cache::Breakpoint };
    let call = ToolCall::new("call_1", "read", json!({ "path": "a" }));
    let result = ToolResult { id: "call_1".into(), name: "read".into(), content: "text".into(), failed: true };
    let mut request = Request::new("test", "first");
    request.system = vec![Block::cached("Rules."), Block::new("Files.")];
    request.tools = vec![tool];
    request.turns.push(Turn { role: Role::Assistant, parts: vec![Part::ToolCall(call)], cache: Cache::None });
    let mut answer = Turn::results([result]);
    let image = Image { media_type: "image/png".into(), base64: "QUJD".into() };
    answer.parts.insert(0, Part::Text { text: "look".into() });
    answer.parts.push(Part::Image(image));
    answer.cache = Cache::Breakpoint;
    request.turns.push(answer);
    request.max_tokens = Some(500);
    request.temperature = Some(0.5);
    request
}

fn body(id: &str, request: &Request) -> Value {
    serde_json::from_slice(&encode(&model(id), request).unwrap()).unwrap()
}

#[test]
fn chat_completions_are_written_as_openai_takes_them() {
    let body = body("openai:gpt-4.1", &request());
    assert_eq!(
        body,
        json!({
            "model": "gpt-4.1",
            "messages": [
                { "role": "system", "content": "Rules.\n\nFiles." },
                { "role": "user", "content": "first" },
                { "role": "assistant", "content": null, "tool_calls": [
                    { "id": "call_1", "type": "function", "function": { "name": "read", "arguments": "{\"path\":\"a\"}" } }] },
                { "role": "tool", "tool_call_id": "call_1", "content": "Error: text" },
                { "role": "user", "content": [
                    { "type": "text", "text": "look" },
                    { "type": "image_url", "image_url": { "url": "data:image/png;base64,QUJD" } }] },
            ],
            "tools": [{ "type": "function", "function": { "name": "read", "description": "Reads.",
                "parameters": { "type": "object", "properties": { "path": { "type": "string" } } } } }],
            "max_completion_tokens": 500,
            "temperature": 0.5,
            "stream": true,
            "stream_options": { "include_usage": true },
        })
    );
}

#[test]
fn mistral_gets_short_ids_and_its_own_names() {
    let body = body("mistral:mistral-large-2512", &request());
    let call = body["messages"][2]["tool_calls"][0]["id"].as_str().unwrap();
    assert!(call.len() == 9 && call.chars().all(|c| c.is_ascii_alphanumeric()), "{call}");
    assert_eq!(body["messages"][3]["tool_call_id"], call);
    assert_eq!((&body["max_tokens"], body.get("stream_options")), (&json!(500), None));
}

#[test]
fn responses_are_written_whole_and_nothing_is_stored() {
    let body = body("openai:gpt-5.2", &request());
    assert_eq!(body["instructions"], "Rules.\n\nFiles.");
    assert_eq!((&body["store"], &body["max_output_tokens"]), (&json!(false), &json!(500)));
    assert_eq!(body.get("temperature"), None, "the model does not take one");
    assert_eq!(
        body["input"],
        json!([
            { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "first" }] },
            { "type": "function_call", "call_id": "call_1", "name": "read", "arguments": "{\"path\":\"a\"}" },
            { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "look" }] },
            { "type": "function_call_output", "call_id": "call_1", "output": "Error: text" },
            { "type": "message", "role": "user", "content": [
                { "type": "input_image", "image_url": "data:image/png;base64,QUJD" }] },
        ])
    );
}

#[test]
fn anthropic_gets_results_first_and_cache_breakpoints() {
    let body = body("anthropic:claude-haiku-4-5", &request());
    let mark = json!({ "type": "ephemeral" });
    assert_eq!(body["tools"][0]["cache_control"], mark);
    assert_eq!(
        body["system"],
        json!([
        { "type": "text", "text": "Rules.", "cache_control": mark }, { "type": "text", "text": "Files." }])
    );
    assert_eq!(
        body["messages"][2]["content"],
        json!([
            { "type": "tool_result", "tool_use_id": "call_1", "content": "text", "is_error": true },
            { "type": "text", "text": "look" },
            { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "QUJD" },
              "cache_control": mark },
        ])
    );
    assert_eq!((&body["max_tokens"], &body["temperature"]), (&json!(500), &json!(0.5)));
}

#[test]
fn anthropic_gets_the_models_own_limit_and_at_most_four_breakpoints() {
    let mut request = Request::new("test", "x");
    request.system = (0..6).map(|n| Block::cached(format!("block {n}"))).collect();
    let body = body("anthropic:claude-opus-5-5", &request);
    assert_eq!(body["max_tokens"], 128_000);
    let marked: Vec<bool> =
        body["system"].as_array().unwrap().iter().map(|block| block.get("cache_control").is_some()).collect();
    assert_eq!(marked, [false, false, true, true, true, true]);
}

#[test]
fn gemini_gets_its_own_words() {
    let body = body("google:gemini-2.5-pro", &request());
    assert_eq!(body["systemInstruction"], json!({ "parts": [{ "text": "Rules.\n\nFiles." }] }));
    assert_eq!(body["generationConfig"], json!({ "maxOutputTokens": 500, "temperature": 0.5 }));
    assert_eq!(
        body["contents"][1],
        json!({ "role": "model", "parts": [
        { "functionCall": { "name": "read", "args": { "path": "a" }, "id": "call_1" } }] })
    );
    assert_eq!(
        body["contents"][2]["parts"],
        json!([
            { "text": "look" },
            { "functionResponse": { "name": "read", "response": { "error": "text" }, "id": "call_1" } },
            { "inlineData": { "mimeType": "image/png", "data": "QUJD" } },
        ])
    );
}

#[test]
fn structured_output_is_native_where_it_can_be_and_an_instruction_elsewhere() {
    let strict = json!({ "type": "object", "additionalProperties": false, "required": ["a"],
        "properties": { "a": { "type": "string" } } });
    let open = json!({ "type": "object", "properties": { "a": {} } });
    let with = |schema: &Value| {
        let mut request = Request::new("test", "x");
        request.output = Some(Output { name: "form".into(), schema: schema.clone() });
        request
    };
    let chat = body("openai:gpt-4.1", &with(&open));
    assert_eq!(chat["response_format"]["json_schema"], json!({ "name": "form", "schema": open, "strict": false }));
    let responses = body("openai:gpt-5.2", &with(&strict));
    assert_eq!(responses["text"]["format"]["strict"], true);
    let anthropic = body("anthropic:claude-opus-5-5", &with(&strict));
    assert_eq!(anthropic["output_config"]["format"], json!({ "type": "json_schema", "schema": strict }));
    let gemini = body("google:gemini-2.5-pro", &with(&open));
    assert_eq!(gemini["generationConfig"]["responseJsonSchema"], open);
    for by_words in [body("anthropic:claude-opus-5-5", &with(&open)), body("ollama:qwen3", &with(&open))] {
        assert!(by_words.get("output_config").is_none() && by_words.get("response_format").is_none());
        assert!(by_words.to_string().contains("one JSON value that fits"), "{by_words}");
    }
}

#[test]
fn what_a_model_cannot_do_is_refused_before_anything_is_sent() {
    let mut request = Request::new("test", "x");
    let image = Image { media_type: "image/png".into(), base64: "QUJD".into() };
    request.turns[0].parts.push(Part::Image(image));
    let error = encode(&model("ollama:qwen3"), &request).unwrap_err();
    assert_eq!(error.code(), Code::ValidationFailed);
    request.turns.clear();
    assert!(encode(&model("openai:gpt-5.2"), &request).is_err());
}

#[test]
fn the_same_request_gives_the_same_bytes() {
    for id in ["openai:gpt-5.2", "openai:gpt-4.1", "anthropic:claude-opus-5-5", "google:gemini-2.5-pro"] {
        assert_eq!(encode(&model(id), &request()).unwrap(), encode(&model(id), &request()).unwrap(), "{id}");
    }
}

fn read(format: Format, events: &[&str]) -> (Vec<Delta>, Decoded<Message>) {
    let mut decoder = decoder(format);
    let mut deltas = Vec::new();
    for data in events {
        let event = Event { name: String::new(), data: (*data).to_owned() };
        match decoder.event(&event, &mut deltas) {
            Ok(Flow::More) => {}
            Ok(Flow::Done) => break,
            Err(trouble) => return (deltas, Err(trouble)),
        }
    }
    (deltas, decoder.finish())
}

#[test]
fn calls_with_the_same_place_but_other_ids_are_different_calls() {
    let (_, message) = read(
        Format::Compatible,
        &[
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"y","arguments":{"n":1}}}]}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
        ],
    );
    let message = message.unwrap();
    let calls: Vec<(&str, &str, Value)> =
        message.tool_calls().map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.clone())).collect();
    assert_eq!(calls, [("a", "x", json!({})), ("b", "y", json!({ "n": 1 }))]);
    assert_eq!((message.stop, message.usage), (StopReason::ToolUse, None));
}

#[test]
fn mistrals_thinking_comes_as_a_list_of_pieces() {
    let (deltas, message) = read(
        Format::Mistral,
        &[
            r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}}]}"#,
            r#"{"choices":[{"delta":{"content":[{"type":"text","text":"yes"}]},"finish_reason":"stop"}],
                "usage":{"prompt_tokens":3,"completion_tokens":2}}"#,
        ],
    );
    let message = message.unwrap();
    assert_eq!(deltas, [Delta::Reasoning { text: "hm".into() }, Delta::Text { text: "yes".into() }]);
    assert_eq!(message.usage, Some(Usage { input: 3, output: 2, ..Usage::default() }));
}

#[test]
fn an_answer_without_its_end_is_broken_off() {
    let starts = [
        (Format::OpenAiChat, r#"{"choices":[{"delta":{"content":"half"}}]}"#),
        (Format::OpenAiResponses, r#"{"type":"response.output_text.delta","delta":"half"}"#),
        (Format::Anthropic, r#"{"type":"message_start","message":{"content":[]}}"#),
        (Format::Gemini, r#"{"candidates":[{"content":{"parts":[{"text":"half"}]}}]}"#),
    ];
    for (format, start) in starts {
        assert!(matches!(read(format, &[start]).1, Err(Trouble::BrokenOff)), "{format:?}");
        assert!(matches!(read(format, &["{\"x\":"]).1, Err(Trouble::Unreadable(_))), "{format:?}");
        assert!(whole(format, &json!({})).is_err(), "{format:?}");
    }
}

#[test]
fn reasoning_goes_back_to_its_own_format_only() {
    let answer = json!({ "content": [
        { "type": "thinking", "thinking": "hm", "signature": "s" }, { "type": "redacted_thinking", "data": "x" },
        { "type": "text", "text": "yes" }], "stop_reason": "end_turn" });
    let turn = whole(Format::Anthropic, &answer).unwrap().into_turn();
    let mut request = Request::new("test", "x");
    request.turns.extend([turn, Turn::user("on")]);
    let own = body("anthropic:claude-opus-5-5", &request);
    assert_eq!(own["messages"][1]["content"], answer["content"]);
    let other = body("openai:gpt-5.2", &request);
    assert_eq!(other["input"][1]["content"], json!([{ "type": "output_text", "text": "yes" }]));
}

#[test]
fn refusals_and_blocked_prompts_are_a_reason_to_stop() {
    let stops = [
        (Format::OpenAiChat, json!({ "choices": [{ "message": { "refusal": "No." }, "finish_reason": "stop" }] })),
        (
            Format::OpenAiResponses,
            json!({ "status": "completed", "output": [
            { "type": "message", "content": [{ "type": "refusal", "refusal": "No." }] }] }),
        ),
        (Format::Anthropic, json!({ "content": [], "stop_reason": "refusal" })),
        (Format::Gemini, json!({ "promptFeedback": { "blockReason": "SAFETY" } })),
    ];
    for (format, answer) in stops {
        assert_eq!(whole(format, &answer).unwrap().stop, StopReason::Refusal, "{format:?}");
    }
    let full = json!({ "content": [], "stop_reason": "model_context_window_exceeded" });
    assert_eq!(whole(Format::Anthropic, &full).unwrap().stop, StopReason::WindowFull);
}
