//! Parses `SKILL.md`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::yaml::{self, Value};

/// A parsed skill. It may violate rules that [`super::validate`] reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// The frontmatter.
    pub frontmatter: Frontmatter,
    /// The instructions, without surrounding blank lines.
    pub body: String,
}

/// The frontmatter of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frontmatter {
    /// The name, which must equal the folder name.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// The licence.
    pub license: Option<String>,
    /// Environment requirements.
    pub compatibility: Option<String>,
    /// The tools that it may use without asking.
    pub allowed_tools: Option<String>,
    /// Other fields, by name.
    pub metadata: BTreeMap<String, String>,
}

/// Why a text could not be parsed as a skill.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unreadable {
    /// The error.
    pub message: String,
}

impl Unreadable {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// Parses a `SKILL.md`. Requires frontmatter with a name and a description; other content is not validated.
pub fn read(text: &str) -> Result<Skill, Unreadable> {
    let (entries, body) = parse(text)?;
    let find = |key: &str| entries.iter().find(|(name, _)| name == key).map(|(_, value)| value);
    let needed = |key: &str| {
        let text = find(key).and_then(Value::as_text).map(trim).filter(|text| !text.is_empty());
        text.map(str::to_owned)
            .ok_or_else(|| Unreadable::new(format!("`{key}` is missing or empty in the frontmatter")))
    };
    let frontmatter = Frontmatter {
        name: needed("name")?,
        description: needed("description")?,
        license: find("license").map(flat),
        compatibility: find("compatibility").map(flat),
        allowed_tools: find("allowed-tools").map(flat),
        metadata: match find("metadata") {
            Some(Value::Map(map)) => map.iter().map(|(key, value)| (key.clone(), flat(value))).collect(),
            _ => BTreeMap::new(),
        },
    };
    Ok(Skill { frontmatter, body })
}

/// The entries of the frontmatter, and the body.
pub(super) fn parse(text: &str) -> Result<(Vec<(String, Value)>, String), Unreadable> {
    let text = line_ends(text);
    let (frontmatter, body) = split(&text)?;
    match yaml::load(frontmatter) {
        Ok(Some(Value::Map(entries))) => Ok((entries, trim(body).to_owned())),
        Ok(_) => Err(Unreadable::new("the frontmatter must be a list of `key: value` lines")),
        Err(fault) => {
            Err(Unreadable::new(format!("the frontmatter is not valid, line {}: {}", fault.line, fault.what)))
        }
    }
}

/// The text between the first two `---`, and the rest. They delimit wherever they occur, even inside a value, as in the
/// reference
/// validator.
fn split(text: &str) -> Result<(&str, &str), Unreadable> {
    let Some(rest) = text.strip_prefix("---") else {
        return Err(Unreadable::new(if text.starts_with('\u{feff}') {
            "SKILL.md begins with a byte order mark; `---` must be the very first characters"
        } else {
            "SKILL.md must begin with frontmatter: `---` must be the very first characters"
        }));
    };
    rest.split_once("---").ok_or_else(|| Unreadable::new("the frontmatter is not closed with `---`"))
}

fn line_ends(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { Cow::Borrowed(text) }
}

/// Trims whitespace like the reference validator, for which four more characters count.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}'))
}

/// A value as text. Lists are joined with spaces, the format's notation for several tools.
fn flat(value: &Value) -> String {
    match value {
        Value::Text(text) | Value::Reserved(text) => text.clone(),
        Value::List(items) => items.iter().map(flat).collect::<Vec<_>>().join(" "),
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{key}: {}", flat(value)));
            entries.collect::<Vec<_>>().join("; ")
        }
    }
}
