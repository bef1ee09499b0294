//! `@kind[:key]#part`: addresses of documents and their parts.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::name::{BadName, Key, KindName, PartName};

/// The address of a document or of one of its parts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Address {
    /// The kind of document.
    pub kind: KindName,
    /// The key of the document; empty if the address does not give one.
    pub key: Key,
    /// The part; `None` for the entire document.
    pub part: Option<PartName>,
}

/// Why a text is not an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    /// It does not start with `@`.
    #[error("an address starts with `@`, for example `@brand#voice` or `@competitor:acme#pricing`")]
    NoAt,
    /// A `:` or `#` is not followed by a name.
    #[error("nothing stands after `{mark}`: leave it out, or name a {what}")]
    NothingAfter {
        /// `:` or `#`.
        mark: char,
        /// What must follow.
        what: &'static str,
    },
    /// One of its names is invalid.
    #[error(transparent)]
    Name(#[from] BadName),
}

impl Address {
    /// Parses an address that is the entire text.
    pub fn parse(text: &str) -> Result<Self, BadAddress> {
        let names = text.strip_prefix('@').ok_or(BadAddress::NoAt)?;
        let (document, part) = split_at_mark(names, '#', "part")?;
        let (kind, key) = split_at_mark(document, ':', "document")?;
        Ok(Self {
            kind: KindName::new(kind)?,
            key: key.map_or_else(|| Ok(Key::singleton()), Key::new)?,
            part: part.map(PartName::new).transpose()?,
        })
    }

    /// Parses an address at the start of a sentence, and returns the rest.
    pub fn parse_leading(text: &str) -> Result<(Self, &str), BadAddress> {
        let text = text.trim_start();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        // Punctuation after an address belongs to the sentence.
        let address = text[..end].trim_end_matches([',', '.', ';', ':', '!', '?', ')']);
        Ok((Self::parse(address)?, text[end..].trim_start()))
    }
}

fn split_at_mark<'a>(text: &'a str, mark: char, what: &'static str) -> Result<(&'a str, Option<&'a str>), BadAddress> {
    match text.split_once(mark) {
        None => Ok((text, None)),
        Some((_, "")) => Err(BadAddress::NothingAfter { mark, what }),
        Some((before, after)) => Ok((before, Some(after))),
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.kind)?;
        if !self.key.is_singleton() {
            write!(f, ":{}", self.key)?;
        }
        match &self.part {
            Some(part) => write!(f, "#{part}"),
            None => Ok(()),
        }
    }
}

impl std::str::FromStr for Address {
    type Err = BadAddress;
    fn from_str(text: &str) -> Result<Self, BadAddress> {
        Self::parse(text)
    }
}

impl From<Address> for String {
    fn from(address: Address) -> Self {
        address.to_string()
    }
}

impl TryFrom<String> for Address {
    type Error = BadAddress;
    fn try_from(text: String) -> Result<Self, BadAddress> {
        Self::parse(&text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pieces(text: &str) -> (String, String, Option<String>) {
        let address = Address::parse(text).unwrap();
        (address.kind.into(), address.key.into(), address.part.map(Into::into))
    }

    #[test]
    fn addresses_are_read() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(pieces("@brand"), ("brand".into(), String::new(), None));
        assert_eq!(pieces("@brand#voice"), ("brand".into(), String::new(), some("voice")));
        assert_eq!(pieces("@competitor:acme#pricing"), ("competitor".into(), "acme".into(), some("pricing")));
        assert_eq!(pieces("@company-context#SKILL.md"), ("company-context".into(), String::new(), some("SKILL.md")));
        assert_eq!(pieces("@Brand:ACME"), ("brand".into(), "acme".into(), None));
    }

    #[test]
    fn what_is_no_address_is_refused_with_the_reason() {
        let refusal = |text: &str| Address::parse(text).unwrap_err().to_string();
        assert!(refusal("brand#voice").starts_with("an address starts with `@`"));
        assert!(refusal("").starts_with("an address starts with `@`"));
        assert_eq!(refusal("@brand#"), "nothing stands after `#`: leave it out, or name a part");
        assert_eq!(refusal("@brand:#voice"), "nothing stands after `:`: leave it out, or name a document");
        assert_eq!(refusal("@#voice"), "`` is not a valid kind name: a name may not be empty");
        let words = "a name has only letters, digits, hyphens, dots and underscores";
        assert_eq!(refusal("@brand#a#b"), format!("`a#b` is not a valid part name: {words}"));
        assert_eq!(refusal("@a:b:c"), format!("`b:c` is not a valid document name: {words}"));
        assert_eq!(refusal("@brand#our voice"), format!("`our voice` is not a valid part name: {words}"));
    }

    #[test]
    fn the_rest_of_a_sentence_is_given_back() {
        let (address, rest) = Address::parse_leading(" @concept#what-is-it  update the definition").unwrap();
        assert_eq!((address.to_string().as_str(), rest), ("@concept#what-is-it", "update the definition"));
        let (address, rest) = Address::parse_leading("@brand#voice, please").unwrap();
        assert_eq!((address.to_string().as_str(), rest), ("@brand#voice", "please"));
        assert!(Address::parse_leading("update @brand").is_err());
    }

    proptest! {
        #[test]
        fn an_address_is_printed_as_it_is_read(text in "@[a-z]{1,5}(:[a-z0-9-]{0,4})?(#[a-zA-Z_./é]{0,6})?") {
            if let Ok(address) = Address::parse(&text) {
                prop_assert_eq!(Address::parse(&address.to_string()), Ok(address));
            }
        }

        #[test]
        fn any_text_gives_an_address_or_a_reason(text in "\\PC{0,40}|@.{0,40}") {
            let _ = Address::parse(&text);
            let _ = Address::parse_leading(&text);
        }
    }
}
