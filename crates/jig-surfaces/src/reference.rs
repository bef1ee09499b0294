//! Reference pages generated from the list of operations and the table of error codes.

use std::fmt::Write;

use jig_contract::{Code, OPERATIONS, OpSpec, Surfaces};
use serde_json::Value;

const GENERATED: &str = "<!-- Generated from the code by `cargo xtask docs`; a test compares them. -->";

/// All operations with their interfaces, parameters and an example, as Markdown.
pub fn operations_markdown() -> String {
    let mut text = format!("{GENERATED}\n# Operations\n\nThe same on every door that offers them.\n\n");
    text.push_str("| operation | effect | doors | what it does |\n| --- | --- | --- | --- |\n");
    for op in OPERATIONS {
        let (name, doors) = (op.name, doors(op.surfaces));
        let anchor = name.to_lowercase();
        add(&mut text, format_args!("| [{name}](#{anchor}) | {} | {doors} | {} |\n", effect(op), op.summary()));
    }
    OPERATIONS.iter().for_each(|op| section(&mut text, op));
    text
}

fn section(text: &mut String, op: &OpSpec) {
    let (noun, verb) = op.noun_and_verb();
    add(text, format_args!("\n## {}\n\n{}.\n\n", op.name, op.summary()));
    let tool = match (op.surfaces.tool, op.surfaces.action) {
        (Some(tool), Some(action)) => format!(" · MCP tool `{tool}`, action `{action}`"),
        (Some(tool), None) => format!(" · MCP tool `{tool}`"),
        _ => String::new(),
    };
    add(text, format_args!("Command `jig {noun} {verb}`{tool}\n\n"));
    let schema = (op.params_schema)().to_value();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    if let Some(members) = schema["properties"].as_object().filter(|members| !members.is_empty()) {
        text.push_str("| parameter | type | |\n| --- | --- | --- |\n");
        for (name, member) in members {
            let needed = if required.iter().any(|r| r == name) { "" } else { " (optional)" };
            let words = member["description"].as_str().unwrap_or_default();
            add(text, format_args!("| `{name}` | {}{needed} | {words} |\n", type_of(member)));
        }
        text.push('\n');
    }
    add(text, format_args!("```json\n{}\n```\n", op.example));
}

fn type_of(schema: &Value) -> String {
    if let Some(choices) = choices(schema) {
        return choices.join(", ");
    }
    match &schema["type"] {
        Value::String(word) if word == "array" => format!("list of {}", type_of(&schema["items"])),
        Value::String(word) => word.clone(),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).filter(|w| *w != "null").collect();
            words.join(" or ")
        }
        _ => schema["anyOf"]
            .as_array()
            .and_then(|options| options.iter().find(|o| o["type"] != "null"))
            .map_or_else(|| "any".to_owned(), type_of),
    }
}

fn choices(schema: &Value) -> Option<Vec<String>> {
    let quoted = |v: &Value| v.as_str().map(|s| format!("`{s}`"));
    if let Some(values) = schema["enum"].as_array() {
        return Some(values.iter().filter_map(quoted).collect());
    }
    let options = schema["oneOf"].as_array()?;
    Some(options.iter().filter_map(|o| quoted(&o["const"])).collect())
}

fn doors(surfaces: Surfaces) -> String {
    let mut doors = Vec::new();
    for (offered, door) in [
        (surfaces.cli, "command line"),
        (surfaces.rpc, "JSON-RPC"),
        (surfaces.http, "HTTP"),
        (surfaces.tool.is_some(), "MCP"),
    ] {
        if offered {
            doors.push(door);
        }
    }
    doors.join(", ")
}

fn effect(op: &OpSpec) -> &'static str {
    match op.effect {
        jig_contract::Effect::Read => "reads",
        jig_contract::Effect::Draft => "changes the Draft",
        jig_contract::Effect::Write => "changes",
        jig_contract::Effect::Destructive => "takes away",
    }
}

/// All error codes with their meaning and their form in each interface, as Markdown.
pub fn error_codes_markdown() -> String {
    let mut text = format!("{GENERATED}\n# Error codes\n\nCodes are stable: one that was ever shipped stays.\n\n");
    text.push_str("| code | meaning | kind | exit code | HTTP | try again |\n| --- | --- | --- | --- | --- | --- |\n");
    for code in Code::ALL {
        let kind = code.kind();
        let again = if code.retryable() { "yes" } else { "" };
        let (word, exit) = (kind.word(), kind.exit());
        let (http, words) = (code.http(), code.doc());
        add(&mut text, format_args!("| `{code}` | {words} | {word} | {exit} | {http} | {again} |\n"));
    }
    text.push_str(
        "\nJSON-RPC: `INVALID_REQUEST` and `MESSAGE_TOO_LARGE` are -32600 (-32700 when the message is not JSON), \
         `UNKNOWN_OPERATION` is -32601, `INVALID_PARAMS` -32602, `INTERNAL` -32603, all others -32000; \
         `data` holds the whole error. HTTP: a problem (RFC 9457) with the members of the error; what is wrong with the \
         request itself has the status of HTTP (405, 408, 412, 415, 421) with the nearest code. MCP: `isError` with the \
         error as structured content.\n",
    );
    text
}

fn add(text: &mut String, piece: std::fmt::Arguments<'_>) {
    // Writing to a `String` cannot fail.
    let _ = text.write_fmt(piece);
}
