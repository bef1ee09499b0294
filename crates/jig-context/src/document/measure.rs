//! The progress of a document, as three separate numbers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Document;
use super::kind::{Kind, Need};

/// The progress of a document.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// Parts with content.
    pub filled: usize,
    /// All parts: those of the document and those its kind defines.
    pub parts: usize,
    /// The share of required parts with content; 1 if none is required.
    pub completeness: f64,
    /// Whether no part is required, so that `completeness` carries no information.
    pub no_requirements: bool,
    /// Parts marked as done by a person.
    pub done: usize,
    /// Parts marked as done only by an agent.
    pub done_suggested: usize,
    /// Parts that changed after they were marked as done.
    pub changed_since_done: usize,
}

/// Computes the numbers. They are never stored, so they always match the document.
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

/// Whether a content counts as filled: blank text and lists of blanks do not; numbers and `false` do.
pub fn is_filled(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => text.chars().any(says_something),
        Value::Array(values) => values.iter().any(is_filled),
        Value::Object(fields) => fields.values().any(is_filled),
    }
}

/// Neither whitespace nor an invisible character.
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
