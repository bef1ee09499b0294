//! The names in an address. They are validated on construction, so that each address has one meaning.

use std::fmt;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The maximum length of a name, in bytes.
pub const NAME_MAX: usize = 200;

/// Why a text is not a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{shown}` is not a valid {what} name: {rule}")]
pub struct BadName {
    /// The text, truncated and without control characters.
    pub shown: String,
    /// What the text should name.
    pub what: &'static str,
    /// The rule that it violates.
    pub rule: &'static str,
}

macro_rules! name_type {
    ($(#[doc = $doc:literal])+ $name:ident, $what:literal, $check:path, $bring:path) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Validates and normalises a text.
            pub fn new(text: impl AsRef<str>) -> Result<Self, BadName> {
                let text = text.as_ref();
                let refused = |rule| BadName { shown: shown(text), what: $what, rule };
                // Checked before normalisation, so that a text of several megabytes is refused cheaply.
                if text.len() > NAME_MAX {
                    return Err(refused("a name has at most 200 bytes"));
                }
                let name = $bring(text);
                match $check(&name) {
                    None => Ok(Self(name)),
                    Some(rule) => Err(refused(rule)),
                }
            }

            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = BadName;
            fn try_from(text: String) -> Result<Self, BadName> {
                Self::new(text)
            }
        }

        impl std::str::FromStr for $name {
            type Err = BadName;
            fn from_str(text: &str) -> Result<Self, BadName> {
                Self::new(text)
            }
        }
    };
}

name_type! {
    /// The name of a kind: `brand`, `company-context`. Always lower case.
    KindName, "kind", check_word, lower
}
name_type! {
    /// The key of a document within its kind: `acme`. Always lower case; empty for a singleton kind.
    Key, "document", check_key, lower
}
name_type! {
    /// The name of a part: `voice`, `what-is-it`, `references/summary.md`. Case is preserved.
    PartName, "part", check_part, composed
}

impl KindName {
    /// A name that is known to be valid.
    pub(crate) fn known(name: &'static str) -> Self {
        Self(name.to_owned())
    }
}

impl Key {
    /// The key of the only document of a singleton kind.
    pub fn singleton() -> Self {
        Self(String::new())
    }

    /// Whether this is that key.
    pub fn is_singleton(&self) -> bool {
        self.0.is_empty()
    }
}

impl PartName {
    /// The name that a title suggests: `What Is It?` → `what-is-it`; `part` when nothing is left.
    pub fn suggest(title: &str) -> Self {
        let mut slug = String::new();
        for c in title.nfc().flat_map(char::to_lowercase) {
            if slug.len() + c.len_utf8() > 80 {
                break;
            }
            if c.is_alphanumeric() || c == '_' || (is_combining_mark(c) && !slug.is_empty() && !slug.ends_with('-')) {
                slug.push(c);
            } else if !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
        }
        Self::new(slug.trim_end_matches('-')).unwrap_or_else(|_| Self("part".to_owned()))
    }

    /// This name with a number suffix, for when it is taken.
    pub fn numbered(&self, number: u32) -> Self {
        let tail = format!("-{number}");
        let mut keep = self.0.len().min(NAME_MAX - tail.len());
        while !self.0.is_char_boundary(keep) {
            keep -= 1;
        }
        Self(format!("{}{tail}", &self.0[..keep]))
    }
}

fn lower(text: &str) -> String {
    text.nfc().flat_map(char::to_lowercase).nfc().collect()
}

fn composed(text: &str) -> String {
    text.nfc().collect()
}

fn check_key(name: &str) -> Option<&'static str> {
    if name.is_empty() { None } else { check_word(name) }
}

fn check_part(name: &str) -> Option<&'static str> {
    if name.split('/').any(|piece| matches!(piece, "." | "..")) {
        return Some("`.` and `..` are not names");
    }
    name.split('/').find_map(check_word)
}

fn check_word(name: &str) -> Option<&'static str> {
    let first = name.chars().next();
    if first.is_none() {
        return Some("a name may not be empty");
    }
    if !first.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return Some("a name starts with a letter or a digit");
    }
    let fits = |c: char| c.is_alphanumeric() || is_combining_mark(c) || matches!(c, '-' | '_' | '.');
    (!name.chars().all(fits)).then_some("a name has only letters, digits, hyphens, dots and underscores")
}

/// A text for use in messages: truncated and without control characters.
pub(crate) fn shown(text: &str) -> String {
    const SHOWN: usize = 60;
    let mut out: String = text.chars().take(SHOWN).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words() {
        for good in ["brand", "company-context", "pain_points", "日本語", "हिन्दी", "v1.0", "_x", "1st"]
        {
            assert_eq!(PartName::new(good).map(String::from), Ok(composed(good)), "{good}");
            assert!(KindName::new(good).is_ok(), "{good}");
        }
        for bad in ["", "-a", ".a", "a b", "a#b", "a@b", "a:b", "a\n", "a\u{202e}b", "..", &"a".repeat(201)] {
            assert!(PartName::new(bad).is_err(), "{bad:?}");
            assert!(KindName::new(bad).is_err(), "{bad:?}");
        }
        assert_eq!(KindName::new("Brand").map(String::from), Ok("brand".to_owned()));
        assert_eq!(PartName::new("SKILL.md").map(String::from), Ok("SKILL.md".to_owned()));
        assert!(PartName::new("references/summary.md").is_ok() && KindName::new("a/b").is_err());
        assert!(PartName::new("references/../x").is_err() && PartName::new("a//b").is_err());
        assert!(Key::new("").is_ok_and(|key| key.is_singleton()) && Key::new("acme").is_ok_and(|k| !k.is_singleton()));
    }

    #[test]
    fn a_refusal_is_short_and_on_one_line() {
        let error = KindName::new("x\n".repeat(500_000)).unwrap_err().to_string();
        assert!(error.len() < 400 && !error.contains('\n'), "{error}");
    }

    #[test]
    fn names_are_suggested_from_titles() {
        let suggested = |title: &str| PartName::suggest(title).to_string();
        assert_eq!(suggested("What Is It?"), "what-is-it");
        assert_eq!(suggested("In Scope (v1.0)"), "in-scope-v1-0");
        assert_eq!(suggested("日本語"), "日本語");
        assert_eq!(suggested("Café au lait"), suggested("Cafe\u{301} au lait"));
        assert_eq!(suggested("—!?"), "part");
        assert_eq!(PartName::suggest("a").numbered(2).as_str(), "a-2");
        assert_eq!(PartName::new("é".repeat(100)).unwrap().numbered(10).as_str().len(), 199);
    }
}
