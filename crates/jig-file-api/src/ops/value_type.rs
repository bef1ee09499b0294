//! Values with their own vocabulary: colours, alignments, line styles. Each type knows the usual ways to write it and
//! gives the one that the engines take.

use serde_json::Value;

use super::normalize::as_bool;
use super::style::{Color, HIGHLIGHTS, highlight};
use crate::address::{MAX_COLUMN, column_number};
use crate::nearest::squashed;

/// A kind of value, named by `x-type` in a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueType {
    /// The name of a sheet, style or the like: spaces around it do not count.
    Name,
    /// A cell or a range, with or without a sheet in front; gives it without the sheet.
    Address,
    /// A colour; gives `#RRGGBB`.
    Color,
    /// A highlighter of Word; gives its name, or `none`.
    Highlight,
    /// A highlighter of any colour; gives `#RRGGBB`, or `none`.
    HighlightColor,
    /// Underlined or not; gives true or false.
    Underline,
    /// A column as letters or a number from 1; gives the number.
    Column,
    /// One of a list of words.
    Words(&'static WordList),
}

/// Words that a field takes, and others that mean the same.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WordList {
    pub(super) values: &'static [&'static str],
    pub(super) synonyms: &'static [(&'static str, &'static str)],
}

/// A value that was read.
pub(crate) struct Read {
    pub(crate) value: Value,
    /// What the caller should know about it.
    pub(crate) note: Option<String>,
}

static ALIGNMENT: WordList = WordList {
    values: &["left", "center", "right", "justify"],
    synonyms: &[
        ("start", "left"),
        ("centre", "center"),
        ("centered", "center"),
        ("centred", "center"),
        ("middle", "center"),
        ("ctr", "center"),
        ("end", "right"),
        ("justified", "justify"),
        ("both", "justify"),
        ("block", "justify"),
        ("full", "justify"),
        ("l", "left"),
        ("r", "right"),
        ("c", "center"),
    ],
};

static HORIZONTAL: WordList = WordList {
    values: &["left", "center", "right", "justify", "general", "fill", "distributed", "centerContinuous"],
    synonyms: &[
        ("start", "left"),
        ("centre", "center"),
        ("centered", "center"),
        ("centred", "center"),
        ("middle", "center"),
        ("end", "right"),
        ("justified", "justify"),
        ("both", "justify"),
        ("auto", "general"),
        ("default", "general"),
        ("centeracrossselection", "centerContinuous"),
    ],
};

static VERTICAL: WordList = WordList {
    values: &["top", "center", "bottom", "justify", "distributed"],
    synonyms: &[
        ("middle", "center"),
        ("centre", "center"),
        ("centered", "center"),
        ("baseline", "bottom"),
        ("start", "top"),
        ("end", "bottom"),
        ("justified", "justify"),
    ],
};

static BORDER: WordList = WordList {
    values: &[
        "none",
        "thin",
        "medium",
        "thick",
        "dashed",
        "dotted",
        "double",
        "hair",
        "mediumDashed",
        "dashDot",
        "mediumDashDot",
        "dashDotDot",
        "mediumDashDotDot",
        "slantDashDot",
    ],
    synonyms: &[
        ("solid", "thin"),
        ("single", "thin"),
        ("continuous", "thin"),
        ("line", "thin"),
        ("true", "thin"),
        ("dash", "dashed"),
        ("dot", "dotted"),
        ("hairline", "hair"),
        ("heavy", "thick"),
        ("bold", "thick"),
        ("no", "none"),
        ("false", "none"),
    ],
};

static PATTERN: WordList = WordList {
    values: &[
        "none",
        "solid",
        "darkDown",
        "darkGray",
        "darkGrid",
        "darkHorizontal",
        "darkTrellis",
        "darkUp",
        "darkVertical",
        "gray0625",
        "gray125",
        "lightDown",
        "lightGray",
        "lightGrid",
        "lightHorizontal",
        "lightTrellis",
        "lightUp",
        "lightVertical",
        "mediumGray",
    ],
    synonyms: &[("full", "solid"), ("filled", "solid")],
};

static IMAGE_FIT: WordList = WordList {
    values: &["crop", "contain", "stretch"],
    synonyms: &[
        ("cover", "crop"),
        ("fill", "crop"),
        ("fit", "contain"),
        ("inside", "contain"),
        ("none", "stretch"),
        ("distort", "stretch"),
    ],
};

static CELL_TYPE: WordList = WordList {
    values: &["string", "number", "boolean", "date", "formula", "blank"],
    synonyms: &[
        ("text", "string"),
        ("str", "string"),
        ("s", "string"),
        ("numeric", "number"),
        ("n", "number"),
        ("num", "number"),
        ("int", "number"),
        ("integer", "number"),
        ("long", "number"),
        ("float", "number"),
        ("double", "number"),
        ("decimal", "number"),
        ("currency", "number"),
        ("bool", "boolean"),
        ("b", "boolean"),
        ("logical", "boolean"),
        ("datetime", "date"),
        ("timestamp", "date"),
        ("d", "date"),
        ("f", "formula"),
        ("function", "formula"),
        ("empty", "blank"),
        ("null", "blank"),
        ("none", "blank"),
    ],
};

/// The type that a schema names.
pub(crate) fn value_type(name: &str) -> Option<ValueType> {
    Some(match name {
        "name" => ValueType::Name,
        "address" => ValueType::Address,
        "color" => ValueType::Color,
        "highlight" => ValueType::Highlight,
        "highlight_color" => ValueType::HighlightColor,
        "underline" => ValueType::Underline,
        "column" => ValueType::Column,
        "alignment" => ValueType::Words(&ALIGNMENT),
        "horizontal" => ValueType::Words(&HORIZONTAL),
        "vertical" => ValueType::Words(&VERTICAL),
        "border" => ValueType::Words(&BORDER),
        "pattern" => ValueType::Words(&PATTERN),
        "image_fit" => ValueType::Words(&IMAGE_FIT),
        "cell_type" => ValueType::Words(&CELL_TYPE),
        other => return super::object_words::words(other).map(ValueType::Words),
    })
}

impl ValueType {
    /// Reads a scalar; values that are near when it cannot be read.
    pub(crate) fn read(self, value: &Value) -> Result<Read, Vec<String>> {
        let text = match value {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            _ => return Err(Vec::new()),
        };
        let plain = |value: Value| Ok(Read { value, note: None });
        match self {
            Self::Name | Self::Address if text.is_empty() => Err(Vec::new()),
            Self::Address => plain(text.into()),
            Self::Name => {
                let note = (!value.is_string()).then(|| "read as a text".to_owned());
                Ok(Read { value: text.into(), note })
            }
            Self::Color => match Color::parse(&text) {
                Some(color) => plain(color.hex().into()),
                None => Err(Color::nearest_names(&text)),
            },
            Self::Highlight => match highlight(&text) {
                Some(_) => plain(text.into()),
                None => Err(crate::nearest(&text, HIGHLIGHTS.iter().map(|(name, ..)| *name))),
            },
            Self::HighlightColor => match (highlight(&text), Color::parse(&text)) {
                (Some((_, rgb)), _) => plain(if rgb.is_empty() { "none".into() } else { format!("#{rgb}").into() }),
                (None, Some(color)) => plain(color.hex().into()),
                (None, None) => Err(crate::nearest(&text, HIGHLIGHTS.iter().map(|(name, ..)| *name))),
            },
            Self::Underline => underline(value, &text),
            Self::Column => column(&text).map_or_else(|| Err(Vec::new()), |column| plain(column.into())),
            Self::Words(list) => match list.find(&text) {
                Some(word) => plain(word.into()),
                None => Err(crate::nearest(&text, list.values.iter().copied())),
            },
        }
    }

    /// The words of a type that has a list of them.
    pub(crate) fn values(self) -> Vec<&'static str> {
        match self {
            Self::Name | Self::Address | Self::Color | Self::Underline | Self::Column => Vec::new(),
            Self::Highlight | Self::HighlightColor => offered_highlights().collect(),
            Self::Words(list) => list.values.to_vec(),
        }
    }

    /// What the type takes, in words.
    pub(crate) fn expected(self) -> String {
        match self {
            Self::Name => "a name".to_owned(),
            Self::Address => "an address such as `B2` or `A1:C3`".to_owned(),
            Self::Color => Color::FORM.to_owned(),
            Self::Highlight | Self::HighlightColor => {
                format!("a highlight colour: {}", offered_highlights().collect::<Vec<_>>().join(", "))
            }
            Self::Underline => "true or false".to_owned(),
            Self::Column => format!("a column, `A` to `XFD` or 1 to {MAX_COLUMN}"),
            Self::Words(list) => format!("one of {}", list.values.join(", ")),
        }
    }
}

/// The highlight colours without their synonyms.
fn offered_highlights() -> impl Iterator<Item = &'static str> {
    HIGHLIGHTS.iter().map(|(name, ..)| *name).take(17)
}

impl WordList {
    fn find(&self, text: &str) -> Option<&'static str> {
        let plain = squashed(text);
        let value = self.values.iter().find(|value| squashed(value) == plain).copied();
        // Signs such as `>=` have no letters to compare.
        let same = |synonym: &str| if plain.is_empty() { synonym == text.trim() } else { synonym == plain };
        value.or_else(|| self.synonyms.iter().find(|(synonym, _)| same(synonym)).map(|(_, value)| *value))
    }
}

/// Underlines are on or off here; others become a single line.
fn underline(value: &Value, text: &str) -> Result<Read, Vec<String>> {
    if let Some(flag) = as_bool(value) {
        return Ok(Read { value: flag.into(), note: None });
    }
    match squashed(text).as_str() {
        "single" | "sng" | "underline" | "underlined" => Ok(Read { value: true.into(), note: None }),
        "none" => Ok(Read { value: false.into(), note: None }),
        "double" | "dbl" | "thick" | "heavy" | "dotted" | "dash" | "dashed" | "wave" | "wavy" | "words"
        | "singleaccounting" | "doubleaccounting" => {
            let note = format!("`{text}` written as a single underline");
            Ok(Read { value: true.into(), note: Some(note) })
        }
        _ => Err(vec!["true".to_owned(), "false".to_owned()]),
    }
}

fn column(text: &str) -> Option<u32> {
    match text.parse::<f64>() {
        Ok(number) => {
            let is_column = number.fract() == 0.0 && (1.0..=f64::from(MAX_COLUMN)).contains(&number);
            is_column.then_some(number as u32)
        }
        Err(_) => column_number(text),
    }
}
