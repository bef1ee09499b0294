//! An edit as facts that a reviewer can read: which parts changed, and what in them.

use std::fmt::Write as _;

use serde_json::Value;
use similar::TextDiff;

use super::archive::Archive;
use super::engine::Refusal;

/// Two packages compared part by part.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) changed: Vec<String>,
    pub(crate) added: Vec<String>,
    pub(crate) removed: Vec<String>,
    /// Parts whose content is the same, but whose entry is not: each one breaks a promise.
    pub(crate) rewritten: Vec<String>,
    /// Whether the entries that both have come in the same order.
    pub(crate) in_order: bool,
}

impl Parts {
    pub(crate) fn compare(before: &Archive, after: &Archive) -> Self {
        let mut parts = Self { in_order: common(before, after) == common(after, before), ..Self::default() };
        for old in &before.0 {
            match after.get(&old.name) {
                None => parts.removed.push(old.name.clone()),
                Some(new) if new == old => {}
                Some(new) if new.content() == old.content() => parts.rewritten.push(old.name.clone()),
                Some(_) => parts.changed.push(old.name.clone()),
            }
        }
        let is_new = |name: &String| before.get(name).is_none();
        parts.added = after.0.iter().map(|entry| entry.name.clone()).filter(is_new).collect();
        parts
    }

    /// Stops the test unless every entry whose content did not change was copied raw and in order.
    pub(crate) fn assert_raw(&self, what: &str) {
        assert_eq!(self.rewritten, [""; 0], "{what}: rewritten without a change");
        assert!(self.in_order, "{what}: the order of the entries changed");
    }
}

/// The names in `one` that `other` has too.
fn common<'a>(one: &'a Archive, other: &Archive) -> Vec<&'a str> {
    one.0.iter().map(|entry| entry.name.as_str()).filter(|name| other.get(name).is_some()).collect()
}

/// An edit: result, parts, the changes in each part.
pub(crate) fn edit(result: &Value, before: &Archive, after: &Archive) -> String {
    let parts = Parts::compare(before, after);
    let mut out = self::result(result);
    out.push_str("\n== parts\n");
    for (word, names) in [("changed", &parts.changed), ("added", &parts.added), ("removed", &parts.removed)] {
        for name in names {
            let _ = writeln!(out, "{word} {name}");
        }
    }
    for name in parts.changed.iter().chain(&parts.added) {
        let content = |archive: &Archive| archive.get(name).map(super::archive::Entry::content).unwrap_or_default();
        let _ = write!(out, "\n== {name}\n{}", difference(&content(before), &content(after)));
    }
    out
}

/// A result as text. Hashes are left out: they say nothing to a reader and change with every byte.
pub(crate) fn result(result: &Value) -> String {
    format!("== result\n{}\n", serde_json::to_string_pretty(&facts(result.clone())).unwrap())
}

/// The reason of a refusal, where in the call the fault is, and what would be right.
pub(crate) fn refusal(refusal: &Refusal) -> String {
    let mut out = format!("== refused\n{}\nat {}\n", refusal.reason, place(&refusal.message));
    for suggestion in &refusal.suggestions {
        let _ = writeln!(out, "suggestion {suggestion}");
    }
    out
}

/// Without hashes and without sentences: of a warning, only the place stays that it is about.
fn facts(value: Value) -> Value {
    match value {
        Value::String(text) if is_hash(&text) => Value::from("<hash>"),
        Value::Array(values) => values.into_iter().map(facts).collect(),
        Value::Object(mut fields) => {
            if fields.contains_key("op") {
                fields.shift_remove("summary");
            }
            if fields.contains_key("cell") && fields.contains_key("old") {
                fields.shift_remove("reason");
            }
            let field = |(name, value): (String, Value)| match (&*name, value) {
                ("warnings", Value::Array(list)) => {
                    (name, list.iter().map(|warning| place(warning.as_str().unwrap_or_default())).collect())
                }
                (_, value) => (name, facts(value)),
            };
            fields.into_iter().map(field).collect()
        }
        other => other,
    }
}

/// `ops[0].cells[0].cell` of ``ops[0].cells[0].cell: `1A` is not a cell``.
fn place(message: &str) -> &str {
    match message.split_once(": ") {
        Some((place, _)) if !place.contains(' ') => place,
        _ => "the call",
    }
}

fn is_hash(text: &str) -> bool {
    text.len() >= 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Only the changed places, one element a line.
fn difference(before: &[u8], after: &[u8]) -> String {
    let (Some(before), Some(after)) = (xml_lines(before), xml_lines(after)) else {
        return format!("binary, {} bytes\n", after.len());
    };
    let diff = TextDiff::from_lines(&before, &after);
    let mut out = String::new();
    for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
        out.push_str("@@\n");
        for change in hunk.iter_changes() {
            let _ = writeln!(out, "{}{}", change.tag(), change.value().trim_end_matches('\n'));
        }
    }
    out
}

fn xml_lines(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.is_empty() || text.starts_with(['<', '\u{feff}']))?;
    Some(text.replace("><", ">\n<") + "\n")
}
