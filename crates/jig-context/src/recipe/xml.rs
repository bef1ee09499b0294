//! Contexts as XML. No value can escape its own element.

use jig_contract::ops::ResolvedAsset;
use serde_json::Value;

/// Escapes a text for an element or an attribute. Characters that XML cannot represent are shown by their code.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' | '\t' => out.push(c),
            '\r' => {}
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Escapes element content. Quotation marks need no escaping there.
fn content(text: &str) -> String {
    escape(text).replace("&quot;", "\"")
}

/// A valid element name. Names of kinds and fields are valid as they are; other names are adapted.
pub fn element_name(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let fitted: String = name.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    if fitted.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { fitted } else { format!("_{fitted}") }
}

/// An element with an optional attribute around indented lines.
pub(super) fn element(name: &str, attribute: Option<(&str, &str)>, inside: &[String]) -> String {
    let name = element_name(name);
    let attribute = attribute.map(|(key, value)| format!(" {key}=\"{}\"", escape(value))).unwrap_or_default();
    let inside: String = inside.iter().map(|line| format!("    {line}\n")).collect();
    format!("  <{name}{attribute}>\n{inside}  </{name}>")
}

/// An element that contains a text.
pub(super) fn leaf(name: &str, attribute: Option<(&str, &str)>, text: &str) -> String {
    let name = element_name(name);
    let attribute = attribute.map(|(key, value)| format!(" {key}=\"{}\"", escape(value))).unwrap_or_default();
    format!("<{name}{attribute}>{}</{name}>", content(text))
}

/// A value as text: lists as JSON, strings unquoted.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            format!("[{}]", values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// A file as text: its name, type and URI.
pub(super) fn text_of_asset(uri: &str, asset: Option<&ResolvedAsset>) -> String {
    let Some(asset) = asset else { return uri.to_owned() };
    let expired = if asset.expired { ", expired" } else { "" };
    format!("{} ({}{expired}) {uri}", asset.name, asset.mime_type)
}

/// The complete context.
pub(super) fn context(pieces: &[&str]) -> String {
    if pieces.is_empty() {
        return "<context>\n</context>".to_owned();
    }
    format!("<context>\n{}\n</context>", pieces.join("\n"))
}
