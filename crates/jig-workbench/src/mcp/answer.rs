//! Results of external tools, as a model sees them.

use jig_contract::{Code, OpError};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::{Map, Value, json};

use super::connection::short;

/// Concatenates text content. Other content is named with its size, so that nothing is dropped silently.
pub(super) fn answer(server: &str, tool: &str, most: u64, result: CallToolResult) -> Result<Value, OpError> {
    let (mut texts, mut left_out, mut links) = (Vec::new(), Vec::new(), Vec::new());
    for block in result.content {
        match block {
            ContentBlock::Text(text) => texts.push(text.text),
            ContentBlock::Image(image) => left_out.push(sized("image", &image.mime_type, &image.data)),
            ContentBlock::Audio(audio) => left_out.push(sized("audio", &audio.mime_type, &audio.data)),
            ContentBlock::ResourceLink(link) => links.push(link.uri),
            ContentBlock::Resource(resource) => match resource.resource {
                ResourceContents::TextResourceContents { text, .. } => texts.push(text),
                ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                    left_out.push(sized(&uri, mime_type.as_deref().unwrap_or("unknown type"), &blob));
                }
                _ => left_out.push("a resource of an unknown form".to_owned()),
            },
            _ => left_out.push("content of an unknown form".to_owned()),
        }
    }
    let text = texts.join("\n\n");
    if result.is_error == Some(true) {
        let words = if text.trim().is_empty() { "it does not say why".to_owned() } else { short(&text) };
        return Err(OpError::new(
            Code::McpToolFailed,
            format!("`{tool}` of the MCP server `{server}` failed: {words}"),
        ));
    }
    let mut value = Map::new();
    // Most servers repeat structured content as text.
    let told = serde_json::from_str::<Value>(&text).ok();
    if result.structured_content.is_none() || told != result.structured_content {
        value.insert("text".to_owned(), Value::String(text));
    }
    if let Some(structured) = result.structured_content {
        value.insert("structured".to_owned(), structured);
    }
    for (name, list) in [("links", links), ("left_out", left_out)] {
        if !list.is_empty() {
            value.insert(name.to_owned(), json!(list));
        }
    }
    let value = Value::Object(value);
    let size = value.to_string().len() as u64;
    if size > most {
        let words = format!("the MCP server `{server}` gave {size} bytes; a result may have {most}");
        return Err(OpError::new(Code::LimitExceeded, words)
            .hint("ask for less")
            .hint(format!("`mcp_servers.{server}.result_bytes` is the setting")));
    }
    Ok(value)
}

fn sized(what: &str, media_type: &str, base64: &str) -> String {
    format!("{}, {}, {} bytes", short(what), short(media_type), base64.len() / 4 * 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(value: Value) -> CallToolResult {
        serde_json::from_value(value).unwrap()
    }

    fn shown(value: Value) -> Result<Value, OpError> {
        answer("s", "t", 200, result(value))
    }

    #[test]
    fn texts_and_structure_come_and_the_rest_is_named() {
        let given = json!({ "content": [
            { "type": "text", "text": "one" },
            { "type": "image", "mimeType": "image/png", "data": "AAAA" },
            { "type": "resource", "resource": { "uri": "file:///a", "text": "two" } },
            { "type": "resource_link", "uri": "file:///b", "name": "b" },
        ], "structuredContent": { "n": 1 } });
        let expected = json!({ "text": "one\n\ntwo", "structured": { "n": 1 }, "links": ["file:///b"],
            "left_out": ["image, image/png, 3 bytes"] });
        assert_eq!(shown(given).unwrap(), expected);
    }

    #[test]
    fn what_is_said_twice_is_shown_once() {
        let given = json!({ "content": [{ "type": "text", "text": "{\"n\":1}" }], "structuredContent": { "n": 1 } });
        assert_eq!(shown(given).unwrap(), json!({ "structured": { "n": 1 } }));
    }

    #[test]
    fn failures_and_what_is_too_large_are_errors() {
        let failed = shown(json!({ "content": [{ "type": "text", "text": "no\u{1b}[2J disk" }], "isError": true }));
        let error = failed.unwrap_err();
        assert_eq!(error.code(), Code::McpToolFailed);
        assert!(error.to_string().contains("no [2J disk"), "{error}");
        let large = shown(json!({ "content": [{ "type": "text", "text": "x".repeat(300) }] }));
        assert_eq!(large.unwrap_err().code(), Code::LimitExceeded);
    }
}
