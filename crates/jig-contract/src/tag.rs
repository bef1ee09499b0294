//! Concurrency tags: the `etag` of a result, the `ETag` header and the base of a write are the same value.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::hash::BlobHash;

/// How many hex digits of a hash are in a tag: 128 bits, so that no two revisions share one.
const HASH_DIGITS: usize = 32;

/// Identifies one content revision: the one that a write is based on.
///
/// A tag is derived from the hash of the revision, which covers its id, number, author, time and content. So it is
/// never reused: not after delete and re-create, undo, restore, import or clone. Clients of earlier versions send only
/// the number. Numbers are not reused at one address either, but two workbenches that had the same id may share them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RevisionTag {
    /// A revision by its number; 0 means that nothing may exist yet.
    Number(u64),
    /// A revision by its tag: `7-3f9a…`.
    Content(String),
}

impl RevisionTag {
    /// The tag of a revision with this number and this hash.
    pub fn of(number: u64, hash: &BlobHash) -> Self {
        let hash = hash.to_string();
        Self::Content(format!("{number}-{}", hash.get(..HASH_DIGITS).unwrap_or(&hash)))
    }

    /// The tag of something without revision numbers. The hash covers all its bytes, including times.
    pub fn of_content(hash: &BlobHash) -> Self {
        let hash = hash.to_string();
        Self::Content(format!("c-{}", hash.get(..HASH_DIGITS).unwrap_or(&hash)))
    }

    /// The revision number at the start of a tag. Only for messages: the number alone does not identify content.
    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Content(text) => text.split('-').next()?.parse().ok(),
        }
    }

    /// Whether this requires that nothing exists yet.
    pub const fn is_nothing(&self) -> bool {
        matches!(self, Self::Number(0))
    }
}

impl From<u64> for RevisionTag {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl fmt::Display for RevisionTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Content(text) => f.write_str(text),
        }
    }
}

impl FromStr for RevisionTag {
    type Err = Infallible;

    /// Accepts a plain tag, and a quoted one as in the header. Any other text is a tag that no revision has, so the
    /// write is refused instead of ignoring its base.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        let text = text.trim();
        let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
        Ok(match text.parse() {
            Ok(number) if text.bytes().all(|byte| byte.is_ascii_digit()) => Self::Number(number),
            _ => Self::Content(text.to_owned()),
        })
    }
}

impl Serialize for RevisionTag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_u64(*number),
            Self::Content(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for RevisionTag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = RevisionTag;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an etag or a revision number")
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<RevisionTag, E> {
                Ok(RevisionTag::Number(number))
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<RevisionTag, E> {
                u64::try_from(number)
                    .map(RevisionTag::Number)
                    .map_err(|_| E::invalid_value(serde::de::Unexpected::Signed(number), &self))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<RevisionTag, E> {
                text.parse().map_err(|never: Infallible| match never {})
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for RevisionTag {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RevisionTag".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "integer"], "minimum": 0 })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tags_are_read_as_they_are_written() {
        let tag = RevisionTag::of(7, &"ab".repeat(32).parse().unwrap());
        assert_eq!(tag.to_string(), format!("7-{}", "ab".repeat(16)));
        for (given, read) in [
            (json!(7), RevisionTag::Number(7)),
            (json!("7"), RevisionTag::Number(7)),
            (json!("0"), RevisionTag::Number(0)),
            (json!(tag.to_string()), tag.clone()),
            (json!(format!("\"{tag}\"")), tag.clone()),
            (json!("+7"), RevisionTag::Content("+7".to_owned())),
            (json!("99999999999999999999999"), RevisionTag::Content("99999999999999999999999".to_owned())),
            (json!(""), RevisionTag::Content(String::new())),
        ] {
            assert_eq!(serde_json::from_value::<RevisionTag>(given.clone()).unwrap(), read, "{given}");
        }
        assert_eq!(json!(tag), json!(tag.to_string()));
        assert_eq!((tag.number(), RevisionTag::Content("x".to_owned()).number()), (Some(7), None));
        let tag = RevisionTag::of_content(&"12".repeat(32).parse().unwrap());
        assert_eq!(
            serde_json::from_value::<RevisionTag>(json!(tag.to_string())).unwrap(),
            tag,
            "digits are not a number"
        );
        for wrong in [json!(-1), json!(1.5), json!(null), json!([1]), json!(true)] {
            assert!(serde_json::from_value::<RevisionTag>(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
