//! The fields of the ops as they come in.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor, value::MapAccessDeserializer};

/// A run: text with its own format.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct RunFields {
    pub(super) text: String,
    pub(super) font_name: Option<String>,
    pub(super) font_size: Option<f64>,
    pub(super) bold: Option<bool>,
    pub(super) italic: Option<bool>,
    pub(super) underline: Option<bool>,
    pub(super) font_color: Option<String>,
    pub(super) highlight_color: Option<String>,
}

/// A paragraph. Also the whole of `append_paragraph`, hence `track_changes`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct ParagraphFields {
    pub(super) text: Option<String>,
    pub(super) runs: Option<Vec<OneOf<RunFields>>>,
    pub(super) style: Option<String>,
    pub(super) alignment: Option<String>,
    pub(super) space_before: Option<f64>,
    pub(super) space_after: Option<f64>,
    pub(super) line_spacing: Option<f64>,
    pub(super) indent_left: Option<f64>,
    pub(super) indent_right: Option<f64>,
    pub(super) indent_first_line: Option<f64>,
    pub(super) track_changes: Option<bool>,
}

/// A cell of a table: its place and what it holds.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct CellFields {
    pub(super) row: Option<usize>,
    pub(super) col: Option<usize>,
    /// Another word for `col`.
    pub(super) column: Option<usize>,
    pub(super) text: Option<Scalar>,
    /// Another word for `text`.
    pub(super) value: Option<Scalar>,
    pub(super) runs: Option<Vec<OneOf<RunFields>>>,
    pub(super) paragraphs: Option<Vec<OneOf<ParagraphFields>>>,
    pub(super) style: Option<String>,
    pub(super) alignment: Option<String>,
}

/// A plain text, or an object with more to say.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum OneOf<T> {
    /// Only the text.
    Text(String),
    /// All fields.
    Fields(T),
}

/// A text, number or switch as a cell may hold it; nothing for null.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Scalar(pub(super) String);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOf<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOfVisitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOfVisitor<T> {
            type Value = OneOf<T>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a text or an object")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(OneOf::Text(text.to_owned()))
            }
            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Self::Value, E> {
                Ok(OneOf::Text(number.to_string()))
            }
            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Self::Value, E> {
                Ok(OneOf::Text(number.to_string()))
            }
            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Self::Value, E> {
                Ok(OneOf::Text(number.to_string()))
            }
            fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Self::Value, E> {
                Ok(OneOf::Text(value.to_string()))
            }
            fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
                Ok(OneOf::Text(String::new()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(OneOf::Fields)
            }
        }
        deserializer.deserialize_any(OneOfVisitor(std::marker::PhantomData))
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Nothing;
        impl<'de> Deserialize<'de> for Nothing {
            fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
                Err(serde::de::Error::custom("a text, a number or true/false is needed"))
            }
        }
        match OneOf::<Nothing>::deserialize(deserializer)? {
            OneOf::Text(text) => Ok(Self(text)),
            OneOf::Fields(_) => Ok(Self::default()),
        }
    }
}

impl OneOf<ParagraphFields> {
    /// As fields, a plain text too.
    pub(super) fn into_fields(self) -> ParagraphFields {
        match self {
            Self::Text(text) => ParagraphFields { text: Some(text), ..ParagraphFields::default() },
            Self::Fields(fields) => fields,
        }
    }
}

impl OneOf<RunFields> {
    /// As fields, a plain text too.
    pub(super) fn into_fields(self) -> RunFields {
        match self {
            Self::Text(text) => RunFields { text, ..RunFields::default() },
            Self::Fields(fields) => fields,
        }
    }
}

impl OneOf<CellFields> {
    /// As fields, a plain text too.
    pub(super) fn into_fields(self) -> CellFields {
        match self {
            Self::Text(text) => CellFields { text: Some(Scalar(text)), ..CellFields::default() },
            Self::Fields(fields) => fields,
        }
    }
}
