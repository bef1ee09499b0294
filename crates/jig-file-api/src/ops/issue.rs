//! What is wrong with an op, and what was noticed on the way.

use std::fmt;

use serde_json::Value;

/// Something that a caller should know; the op is applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Which field, such as `ops[2].cells[0].style`.
    pub at: String,
    /// What was done about it.
    pub message: String,
}

impl Warning {
    /// A warning at a field.
    pub fn new(at: impl Into<String>, message: impl Into<String>) -> Self {
        Self { at: at.into(), message: message.into() }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at.is_empty() { f.write_str(&self.message) } else { write!(f, "{}: {}", self.at, self.message) }
    }
}

/// Why an op cannot be applied. Nothing has been changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpIssue {
    /// The list is missing or empty.
    NoOps {
        /// All ops of the format.
        known: Vec<&'static str>,
    },
    /// Something else than a list.
    NotAList {
        /// The field.
        at: String,
    },
    /// An op that is not an object.
    NotAnOp {
        /// The op.
        at: String,
    },
    /// An op without `op`.
    NoName {
        /// The missing field.
        at: String,
        /// All ops of the format.
        known: Vec<&'static str>,
    },
    /// No op has this name.
    UnknownOp {
        /// The field with the name.
        at: String,
        /// The name.
        name: String,
        /// Names that are near.
        near: Vec<String>,
        /// All ops of the format.
        known: Vec<&'static str>,
    },
    /// The op has no such field.
    UnknownField {
        /// The field.
        at: String,
        /// Its name.
        field: String,
        /// Fields that are near.
        near: Vec<String>,
        /// All fields that can be there.
        known: Vec<String>,
        /// Where a field of this name belongs, such as `runs[]`.
        belongs: Option<String>,
    },
    /// A field that must be given is not.
    Missing {
        /// The field.
        at: String,
        /// What it holds.
        expected: String,
    },
    /// Two names of one field with different values.
    Conflict {
        /// The object.
        at: String,
        /// The two names.
        fields: [String; 2],
    },
    /// A value of another type that cannot be converted without loss.
    WrongType {
        /// The field.
        at: String,
        /// What is needed.
        expected: String,
        /// What was given.
        found: String,
    },
    /// A value that is not allowed.
    Invalid {
        /// The field.
        at: String,
        /// Why.
        why: String,
        /// Values that are near.
        near: Vec<String>,
    },
    /// The fields belong to another op.
    WrongOp {
        /// The field.
        at: String,
        /// What this op would do.
        why: String,
        /// The op that does what the caller intended.
        right: String,
    },
}

impl OpIssue {
    /// The field that it is about.
    pub fn at(&self) -> &str {
        match self {
            Self::NoOps { .. } => "ops",
            Self::NotAList { at }
            | Self::NotAnOp { at }
            | Self::NoName { at, .. }
            | Self::UnknownOp { at, .. }
            | Self::UnknownField { at, .. }
            | Self::Missing { at, .. }
            | Self::Conflict { at, .. }
            | Self::WrongType { at, .. }
            | Self::Invalid { at, .. }
            | Self::WrongOp { at, .. } => at,
        }
    }

    /// What is wrong, without the place.
    pub fn why(&self) -> String {
        match self {
            Self::NoOps { known } => {
                format!("missing or empty: give a list with at least one op; known ops: {}", known.join(", "))
            }
            Self::NotAList { .. } => "expected a list of ops".to_owned(),
            Self::NotAnOp { .. } => "expected an object with a field `op`".to_owned(),
            Self::NoName { known, .. } => format!("missing: the name of the op, one of {}", known.join(", ")),
            Self::UnknownOp { name, near, known, .. } => match near.first() {
                Some(near) => format!("unknown op `{name}`; did you mean `{near}`? known ops: {}", known.join(", ")),
                None => format!("unknown op `{name}`; known ops: {}", known.join(", ")),
            },
            Self::UnknownField { field, near, known, belongs, .. } => match (belongs, near.first()) {
                (Some(belongs), _) => format!("unknown field `{field}` here; it belongs in `{belongs}`"),
                (None, Some(near)) => format!("unknown field `{field}`; did you mean `{near}`?"),
                (None, None) => format!("unknown field `{field}`; known fields: {}", known.join(", ")),
            },
            Self::Missing { expected, .. } => format!("missing: {expected}"),
            Self::Conflict { fields: [first, second], .. } => {
                format!("`{first}` and `{second}` are the same field and have different values; give one of them")
            }
            Self::WrongType { expected, found, .. } => format!("expected {expected}, got {found}"),
            Self::Invalid { why, .. } => why.clone(),
            Self::WrongOp { why, right, .. } => format!("{why}; use `{right}`"),
        }
    }

    /// Values that would be right, the nearest first.
    pub fn suggestions(&self) -> Vec<String> {
        match self {
            Self::UnknownOp { near, known, .. } if near.is_empty() => owned(known),
            Self::UnknownOp { near, .. } | Self::Invalid { near, .. } => near.clone(),
            Self::UnknownField { near, known, .. } => {
                if near.is_empty() {
                    known.clone()
                } else {
                    near.clone()
                }
            }
            Self::NoOps { known } | Self::NoName { known, .. } => owned(known),
            Self::WrongOp { right, .. } => vec![right.clone()],
            _ => Vec::new(),
        }
    }

    /// Whether a cosmetic value with this issue can be left out: an unknown field could hold data.
    pub(super) fn is_about_value(&self) -> bool {
        matches!(self, Self::WrongType { .. } | Self::Invalid { .. } | Self::Missing { .. })
    }
}

fn owned(known: &[&'static str]) -> Vec<String> {
    known.iter().map(|name| (*name).to_owned()).collect()
}

impl fmt::Display for OpIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at().is_empty() { f.write_str(&self.why()) } else { write!(f, "{}: {}", self.at(), self.why()) }
    }
}

/// An issue of a list of ops, with what helps to correct it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{issue}")]
pub struct OpsError {
    /// What is wrong.
    pub issue: OpIssue,
    /// The fields of the op that has it.
    pub signature: Option<String>,
    /// A list of ops that would be accepted, where it can be known.
    pub corrected: Option<Value>,
}

/// The most characters of a value that a message shows.
const SHOWN: usize = 40;

/// A value for messages: its type, and a short one as it is.
pub(super) fn display_value(value: &Value) -> String {
    let short = |text: &str| match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    };
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => format!("`{flag}`"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text `{}`", short(text)),
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}
