//! Builds values from nodes, applying rules that are stricter than YAML's.

use super::parser::{Body, Node};
use super::{Fault, Result, Value};

/// The value of the document.
pub(super) fn value(node: &Node) -> Result<Value> {
    build(node, true)
}

fn build(node: &Node, top: bool) -> Result<Value> {
    match &node.body {
        Body::Scalar { text, plain: true } if matches!(text.as_str(), "=" | "<<") => Ok(Value::Reserved(text.clone())),
        Body::Scalar { text, .. } => Ok(Value::Text(text.clone())),
        Body::List(items) => Ok(Value::List(items.iter().map(|item| build(item, false)).collect::<Result<_>>()?)),
        Body::Map(entries) => map(entries, top),
    }
}

fn map(entries: &[(Node, Node)], top: bool) -> Result<Value> {
    let mut map: Vec<(String, Value)> = Vec::new();
    let mut merged = None;
    let mut indent = None;
    for (key, value) in entries {
        let name = key_text(key)?;
        if is_merge(key) {
            if merged.is_some() {
                return Err(Fault::new(key.line, "the key `<<` is there twice"));
            }
            merged = Some(merge(value)?);
            continue;
        }
        if map.iter().any(|(other, _)| other == name) {
            return Err(Fault::new(key.line, format!("the key `{name}` is there twice")));
        }
        map.push((name.to_owned(), build(value, false)?));
        if matches!(value.body, Body::Map(_)) && *indent.get_or_insert(value.column) != value.column {
            return Err(Fault::new(value.line, "maps beside each other must be indented alike"));
        }
    }
    // At the top level, the reference validator discards merged entries.
    for (key, value) in merged.filter(|_| !top).unwrap_or_default() {
        if map.iter().all(|(other, _)| *other != key) {
            map.push((key, value));
        }
    }
    Ok(Value::Map(map))
}

fn key_text(key: &Node) -> Result<&str> {
    match &key.body {
        Body::Scalar { text, .. } => Ok(text),
        _ => Err(Fault::new(key.line, "a key must be a text")),
    }
}

/// An unquoted `<<` key merges the entries of other maps.
fn is_merge(key: &Node) -> bool {
    matches!(&key.body, Body::Scalar { text, plain: true } if text == "<<")
}

fn merge(value: &Node) -> Result<Vec<(String, Value)>> {
    let sources: Vec<&Node> = match &value.body {
        Body::List(items) => items.iter().collect(),
        _ => vec![value],
    };
    let mut entries = Vec::new();
    for source in sources {
        match build(source, false)? {
            Value::Map(map) => entries.extend(map),
            _ => return Err(Fault::new(source.line, "`<<` needs a map")),
        }
    }
    Ok(entries)
}
