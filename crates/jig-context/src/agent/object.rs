//! A reader for JSON objects that collects all errors instead of stopping at the first.

use serde_json::{Map, Value};

use super::problem::Problem;
use crate::document::{nearest, shown};

/// The fields of an object, taken one by one. Fields that are left at the end are unknown.
pub(super) struct Object<'p> {
    file: &'p str,
    pointer: String,
    members: Map<String, Value>,
    known: Vec<&'static str>,
    problems: &'p mut Vec<Problem>,
}

impl<'p> Object<'p> {
    /// Reads the fields of a value that must be an object.
    pub(super) fn of(value: Value, file: &'p str, pointer: &str, problems: &'p mut Vec<Problem>) -> Option<Self> {
        let Value::Object(members) = value else {
            problems.push(Problem::new(file, pointer, "this must be an object"));
            return None;
        };
        Some(Self { file, pointer: pointer.to_owned(), members, known: Vec::new(), problems })
    }

    pub(super) fn at(&self, name: &str) -> String {
        format!("{}/{}", self.pointer, escaped(name))
    }

    /// Records an error at a field; an empty name refers to the entire object.
    pub(super) fn complain(&mut self, name: &str, message: impl Into<String>) {
        let pointer = if name.is_empty() { self.pointer.clone() } else { self.at(name) };
        self.problems.push(Problem::new(self.file, pointer, message));
    }

    /// The list that errors are added to.
    pub(super) fn problems(&mut self) -> &mut Vec<Problem> {
        self.problems
    }

    pub(super) fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.members.shift_remove(name)
    }

    /// A nonblank text of limited length.
    pub(super) fn text(&mut self, name: &'static str, most: usize) -> Option<String> {
        match self.take(name)? {
            Value::String(text) if text.trim().is_empty() => {
                self.complain(name, "it is empty");
                None
            }
            Value::String(text) if text.len() > most => {
                self.complain(name, format!("it has {} bytes; at most {most} are allowed", text.len()));
                None
            }
            Value::String(text) => Some(text),
            _ => {
                self.complain(name, "it must be a text");
                None
            }
        }
    }

    /// Like `text`, for a required field.
    pub(super) fn needed(&mut self, name: &'static str, most: usize) -> Option<String> {
        if !self.members.contains_key(name) {
            self.known.push(name);
            self.complain(name, "it is missing");
            return None;
        }
        self.text(name, most)
    }

    /// One of several keywords.
    pub(super) fn word(&mut self, name: &'static str, words: &[&'static str]) -> Option<&'static str> {
        let text = self.needed(name, 100)?;
        let found = words.iter().find(|word| **word == text).copied();
        if found.is_none() {
            self.complain(name, format!("`{}` is none of {}", shown(&text), words.join(", ")));
        }
        found
    }

    /// A list with at least one and at most `most` values.
    pub(super) fn list(&mut self, name: &'static str, most: usize) -> Option<Vec<Value>> {
        let Some(value) = self.take(name) else {
            self.complain(name, "it is missing");
            return None;
        };
        match value {
            Value::Array(values) if values.is_empty() => self.complain(name, "it is empty"),
            Value::Array(values) if values.len() > most => {
                self.complain(name, format!("it has {} values; at most {most} are allowed", values.len()));
            }
            Value::Array(values) => return Some(values),
            _ => self.complain(name, "it must be a list"),
        }
        None
    }

    /// An object with arbitrary keys; empty if it is missing.
    pub(super) fn map(&mut self, name: &'static str, most: usize) -> Map<String, Value> {
        match self.take(name) {
            None => Map::new(),
            Some(Value::Object(map)) if map.len() <= most => map,
            Some(Value::Object(map)) => {
                self.complain(name, format!("it has {} members; at most {most} are allowed", map.len()));
                Map::new()
            }
            Some(_) => {
                self.complain(name, "it must be an object");
                Map::new()
            }
        }
    }

    /// Reports all remaining fields as unknown.
    pub(super) fn end(self) {
        for name in self.members.keys() {
            let near = nearest(name, self.known.iter().copied());
            let meant = near.first().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            let message = format!("there is no member `{}`{meant}", shown(name));
            self.problems.push(Problem::new(self.file, self.at(name), message));
        }
    }
}

/// Escapes a name for a JSON pointer.
pub(super) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Whether a text is a valid id: 1 to 64 letters, digits, `_` or `-`.
pub(super) fn is_id(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// The rule for ids, for error messages.
pub(super) const ID_RULE: &str = "1 to 64 letters a–z and A–Z, digits, `_` or `-`";
