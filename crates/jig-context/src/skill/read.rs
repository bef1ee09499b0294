//! Reading a `SKILL.md`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::yaml::{self, Value};

/// A skill as it was read: whoever wrote it may have broken rules that [`super::validate`] tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// What it says about itself.
    pub frontmatter: Frontmatter,
    /// The instructions, without empty lines around them.
    pub body: String,
}

/// What a skill says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frontmatter {
    /// Its name, which is the folder's too.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// Under which terms it may be used.
    pub license: Option<String>,
    /// What it needs around it.
    pub compatibility: Option<String>,
    /// Which tools it may use without asking.
    pub allowed_tools: Option<String>,
    /// Anything else, by name.
    pub metadata: BTreeMap<String, String>,
}

/// A text that cannot be read as a skill.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unreadable {
    /// Why.
    pub message: String,
}

impl Unreadable {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// Reads a `SKILL.md`. It needs frontmatter with a name and a description; anything else is taken as it is.
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

/// The entries of a frontmatter, and the body.
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

/// What stands between the first two `---`, and what comes after. They count wherever they are, even inside a value.
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

/// Without white space around it, by the rules of the reference validator, which has four more such characters.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}'))
}

/// A value as one text. Lists are words, as the format writes several tools in one line.
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
