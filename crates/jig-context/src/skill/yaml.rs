//! The small YAML that frontmatter may use, read as the reference validator of Agent Skills reads it.
//!
//! That validator is strict in some places (no flow style, no tags, no anchors, no key twice) and has habits of its own
//! in others (comments between a key and its value, tabs after an empty line). A skill must be judged the same here and
//! there, so the habits are kept too. What it cannot digest is a fault here.
//!
//! Four steps: [`cursor`] walks over characters, [`scanner`] makes tokens, [`parser`] makes nodes, and [`build`] makes
//! values.

mod build;
mod cursor;
mod keys;
mod parser;
mod quoted;
mod scalars;
mod scanner;
mod token;

/// Deeper nesting than this is refused, as the reference validator runs out of stack there.
const DEPTH_MAX: usize = 240;

/// A value of the frontmatter. Everything that is not a list or a map is text: YAML's other types are not known here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// Text.
    Text(String),
    /// A lone `=` or `<<` without quotes, which YAML keeps for itself. It is no text.
    Reserved(String),
    /// A list.
    List(Vec<Value>),
    /// A map; no key is there twice.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// The text, if it is one.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Why a text is not YAML as it is allowed here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The line, from 1, counted from the start of the text.
    pub(crate) line: usize,
    /// What is wrong with it.
    pub(crate) what: String,
}

impl Fault {
    fn new(line: usize, what: impl Into<String>) -> Self {
        Self { line: line + 1, what: what.into() }
    }
}

type Result<T> = std::result::Result<T, Fault>;

/// Reads one document. Nothing at all, or one bare text, is `None`: only a list or a map is a document here.
pub(crate) fn load(text: &str) -> Result<Option<Value>> {
    let cursor = cursor::Cursor::new(text)?;
    let Some(node) = parser::Parser::new(scanner::Scanner::new(cursor)).document()? else { return Ok(None) };
    match build::value(&node)? {
        Value::Text(_) | Value::Reserved(_) => Ok(None),
        value => Ok(Some(value)),
    }
}

#[cfg(test)]
mod tests;
