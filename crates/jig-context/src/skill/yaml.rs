//! A parser for the YAML subset of frontmatter that behaves like the reference validator of Agent Skills.
//!
//! That validator is strict in some respects (no flow style, tags, anchors or duplicate keys) and has quirks in others
//! (comments between a key and its value, tabs after an empty line). A skill must get the same verdict here, so the
//! quirks are reproduced. Input that makes it crash is an error here.
//!
//! There are four stages: [`cursor`] iterates over characters, [`scanner`] produces tokens, [`parser`] nodes, and
//! [`build`] values.

mod build;
mod cursor;
mod keys;
mod parser;
mod quoted;
mod scalars;
mod scanner;
mod token;

/// The maximum nesting depth. The reference validator overflows its stack beyond this.
const DEPTH_MAX: usize = 240;

/// A value of the frontmatter. Scalars are always text; other YAML types are not supported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// Text.
    Text(String),
    /// An unquoted `=` or `<<`, which YAML reserves. Not a text.
    Reserved(String),
    /// A list.
    List(Vec<Value>),
    /// A map without duplicate keys.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// The text, if the value is one.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Why a text is not valid in this subset of YAML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The line, counted from 1 at the start of the text.
    pub(crate) line: usize,
    /// The error.
    pub(crate) what: String,
}

impl Fault {
    fn new(line: usize, what: impl Into<String>) -> Self {
        Self { line: line + 1, what: what.into() }
    }
}

type Result<T> = std::result::Result<T, Fault>;

/// Parses one document. Empty input and a bare scalar give `None`: only a list or a map counts as a document.
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
