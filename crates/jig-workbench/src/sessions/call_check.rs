//! Validates the tool calls of an answer against the schemas that the model was given.
//!
//! An invalid call is not executed: its result contains the error, the sent arguments and the schema, so that the model
//! can correct it. A person is never asked about such a call.

use jig_context::agent::check_input;
use jig_prompt::Tool;
use jig_providers::ToolCall;
use serde_json::{Map, Value, json};

/// The maximum size of a schema in a result, in bytes. A longer one is reduced to its properties.
const SCHEMA_MAX: usize = 4_000;
/// The maximum number of characters of the sent arguments in a result.
const SENT_MAX: usize = 1_000;

/// Why a call cannot be executed, if so. The first line is the reason.
pub(super) fn problem(call: &ToolCall, offered: &[Tool]) -> Option<String> {
    // The session itself reports an unknown tool, with a list of the available ones.
    let tool = offered.iter().find(|tool| tool.name == call.name)?;
    let (why, sent) = match &call.malformed {
        Some(malformed) => (malformed.why.clone(), malformed.sent.clone()),
        None => (misfit(&tool.input_schema, &call.arguments)?, call.arguments.to_string()),
    };
    let schema = shown(&tool.input_schema);
    Some(format!("invalid arguments for `{}`: {why}\nsent: {}\nschema: {schema}", tool.name, bounded(&sent)))
}

fn misfit(schema: &Value, arguments: &Value) -> Option<String> {
    let problems = check_input(schema, arguments).err()?;
    let told =
        problems.into_iter().map(|(place, what)| if place.is_empty() { what } else { format!("{place}: {what}") });
    Some(told.collect::<Vec<_>>().join("; "))
}

fn bounded(text: &str) -> String {
    let mut shown: String = text.chars().take(SENT_MAX).collect();
    if text.chars().nth(SENT_MAX).is_some() {
        shown.push('…');
    }
    shown
}

/// The schema, or a summary of its properties if it is long.
fn shown(schema: &Value) -> String {
    let text = schema.to_string();
    if text.len() <= SCHEMA_MAX {
        return text;
    }
    let member = |member: &Value| {
        let kept = ["type", "enum", "items"].into_iter().filter_map(|key| {
            let value = member.get(key)?;
            let value = if key == "items" { json!({ "type": value["type"] }) } else { value.clone() };
            Some((key.to_owned(), value))
        });
        Value::Object(kept.collect())
    };
    let members = schema["properties"].as_object().into_iter().flatten();
    let members: Map<String, Value> = members.map(|(name, value)| (name.clone(), member(value))).collect();
    let short = json!({ "type": "object", "required": schema["required"], "properties": members }).to_string();
    short.chars().take(SCHEMA_MAX).collect()
}

#[cfg(test)]
mod tests {
    use jig_providers::Malformed;

    use super::*;

    fn tools() -> Vec<Tool> {
        let schema = json!({ "type": "object", "required": ["path"], "additionalProperties": false,
            "properties": { "path": { "type": "string" }, "deep": { "type": "object", "description": "x".repeat(9_000) } } });
        vec![Tool { name: "read".to_owned(), description: String::new(), input_schema: schema }]
    }

    #[test]
    fn a_call_that_does_not_fit_is_told_with_the_schema_and_what_was_sent() {
        let told = |arguments| problem(&ToolCall::new("a", "read", arguments), &tools());
        assert_eq!(told(json!({ "path": "a" })), None);
        for (arguments, says) in
            [(json!({}), "path"), (json!({ "path": 7 }), "/path"), (json!({ "path": "a", "paht": 1 }), "paht")]
        {
            let told = told(arguments.clone()).unwrap_or_else(|| panic!("{arguments}"));
            let (reason, rest) = told.split_once('\n').unwrap();
            assert!(reason.starts_with("invalid arguments for `read`: ") && reason.contains(says), "{told}");
            assert!(rest.contains(&arguments.to_string()) && rest.contains("\"required\":[\"path\"]"), "{told}");
            assert!(told.len() < 6_000, "bounded");
        }
        let mut call = ToolCall::new("a", "read", json!({}));
        call.malformed = Some(Malformed { why: "not valid JSON".to_owned(), sent: "{nope".to_owned() });
        assert!(problem(&call, &tools()).unwrap().contains("sent: {nope"));
        assert_eq!(problem(&ToolCall::new("a", "other", json!({})), &tools()), None);
    }
}
