//! How far a document is, as three numbers that are never merged into one.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Document;
use super::kind::{Kind, Need};

/// How far a document is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// Parts with content.
    pub filled: usize,
    /// Parts in all: those the document has, and those its kind knows of.
    pub parts: usize,
    /// Required parts with content, as a share of the required ones; 1 when none is required.
    pub completeness: f64,
    /// Nothing is required, so that `completeness` says nothing.
    pub no_requirements: bool,
    /// Parts that a person said are done.
    pub done: usize,
    /// Parts that only an agent said are done.
    pub done_suggested: usize,
    /// Parts that were changed after they were said to be done.
    pub changed_since_done: usize,
}

/// Counts. Nothing of it is stored anywhere: it always fits the document.
pub fn measure(kind: &Kind, document: &Document) -> Measure {
    let count = |fits: &dyn Fn(&super::Part) -> bool| document.parts.iter().filter(|part| fits(part)).count();
    let has = |name: &str| document.part(name).is_some_and(|part| is_filled(&part.value));
    let required: Vec<bool> =
        kind.parts.iter().filter(|rule| rule.need == Need::Required).map(|rule| has(rule.name.as_str())).collect();
    let unwritten = kind.parts.iter().filter(|rule| document.part(rule.name.as_str()).is_none()).count();
    Measure {
        filled: count(&|part| is_filled(&part.value)),
        parts: document.parts.len() + unwritten,
        completeness: share(required.iter().filter(|filled| **filled).count(), required.len()),
        no_requirements: required.is_empty(),
        done: count(&|part| part.is_done()),
        done_suggested: count(&|part| part.done.is_some() && !part.is_done()),
        changed_since_done: count(&|part| part.changed_since_done()),
    }
}

/// Whether a content says anything: blank text does not, nor does a list of blanks. A number and a `false` do.
pub fn is_filled(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => text.chars().any(says_something),
        Value::Array(values) => values.iter().any(is_filled),
        Value::Object(fields) => fields.values().any(is_filled),
    }
}

/// Neither a space nor a character that nobody can see.
fn says_something(c: char) -> bool {
    let unseen = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    !(unseen || c.is_whitespace() || c.is_control())
}

fn share(of: usize, all: usize) -> f64 {
    if all == 0 {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of parts are small")]
    let share = of as f64 / all as f64;
    share
}
