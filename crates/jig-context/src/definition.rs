//! Definitions that people write as YAML or JSON: parsing, and reporting all errors at once.

mod json;
mod members;
mod yaml;

pub use json::to_json;
pub(crate) use members::Members;
pub use yaml::{DEFINITION_BYTES_MAX, read, to_yaml};

use jig_contract::{Code, OpError};
use serde_json::json;

/// An error in a definition or in values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The location: `field_schema.fields[2].type`, or the name of a field.
    pub place: String,
    /// The error, for people.
    pub message: String,
    /// Similar valid values.
    pub suggestions: Vec<String>,
}

impl Problem {
    /// A problem at `place`, without suggestions.
    pub fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into(), suggestions: Vec::new() }
    }

    /// Adds similar valid values.
    #[must_use]
    pub fn suggest(mut self, suggestions: Vec<String>) -> Self {
        if let Some(first) = suggestions.first() {
            self.message = format!("{}; did you mean `{first}`?", self.message);
        }
        self.suggestions = suggestions;
        self
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.place.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "`{}`: {}", self.place, self.message)
    }
}

/// The definition to save over the current one, with an increased version. `None` if nothing changed.
pub(crate) fn next_version<D: Clone + PartialEq>(
    present: Option<&D>,
    mut given: D,
    version: impl Fn(&mut D) -> &mut u32,
) -> Option<D> {
    let Some(present) = present else {
        *version(&mut given) = 1;
        return Some(given);
    };
    let saved = *version(&mut present.clone());
    *version(&mut given) = saved;
    if given == *present {
        return None;
    }
    *version(&mut given) = saved.saturating_add(1);
    Some(given)
}

/// The error that lists all problems by field, so that a form can show each next to its field.
pub fn refused(what: &str, problems: &[Problem]) -> OpError {
    let all = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let fields: Vec<_> = problems
        .iter()
        .map(
            |problem| json!({ "field": problem.place, "message": problem.message, "suggestions": problem.suggestions }),
        )
        .collect();
    OpError::new(Code::ValidationFailed, format!("{what}: {all}"))
        .suggest(problems.iter().flat_map(|problem| problem.suggestions.clone()))
        .detail(json!({ "fields": fields }))
        .hint("nothing was saved; correct what the message names and try again")
}
