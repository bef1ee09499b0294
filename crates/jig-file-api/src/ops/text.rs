//! The ops of text files.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::ops;

ops! {
    format "text", usual ["replace_text", "insert_lines", "replace_lines", "delete_lines"];

    /// An op on a text file.
    pub enum TextOp {
        /// Replaces text that is in one place, or in all.
        ReplaceText(ReplaceText) = "replace_text",
        /// Inserts lines.
        InsertLines(InsertLines) = "insert_lines",
        /// Replaces lines.
        ReplaceLines(ReplaceLines) = "replace_lines",
        /// Deletes lines.
        DeleteLines(DeleteLines) = "delete_lines",
    }
}

/// Lines as they are given: a list, or one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLines(pub Vec<String>);

impl<'de> Deserialize<'de> for NewLines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wrong = || <D::Error as serde::de::Error>::custom("lines are a list of texts, or one text");
        let texts = match Value::deserialize(deserializer)? {
            Value::String(text) => {
                // One end at the end closes the last line and does not begin another.
                let text = text.strip_suffix('\n').map(|text| text.strip_suffix('\r').unwrap_or(text)).unwrap_or(&text);
                vec![text.to_owned()]
            }
            Value::Array(lines) => {
                let texts = lines.into_iter().map(|line| line.as_str().map(str::to_owned).ok_or_else(wrong));
                texts.collect::<Result<_, _>>()?
            }
            _ => return Err(wrong()),
        };
        let split = |text: String| text.replace("\r\n", "\n").split('\n').map(str::to_owned).collect::<Vec<_>>();
        Ok(Self(texts.into_iter().flat_map(split).collect()))
    }
}

impl JsonSchema for NewLines {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "NewLines".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "array"], "items": { "type": "string" } })
    }
}

const fn yes() -> bool {
    true
}

const fn one() -> usize {
    1
}

/// Replace text that is in one place, or in all
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ReplaceText {
    /// What to look for.
    #[schemars(extend("x-aliases" = ["find", "old", "old_text", "old_string", "old_str", "search_text"]))]
    pub search: String,
    /// What to put in its place.
    #[schemars(extend("x-aliases" = ["replacement", "replace_with", "new", "new_text", "new_string", "new_str", "with", "replacement_text", "replace_text"]))]
    pub replace: String,
    /// Whether upper and lower case differ.
    #[serde(default = "yes")]
    #[schemars(extend("x-aliases" = ["case_sensitive"]))]
    pub match_case: bool,
    /// Replace all occurrences.
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["replace_all"]))]
    pub all: bool,
    /// How many occurrences there must be.
    pub count: Option<usize>,
}

/// Insert lines
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct InsertLines {
    /// The lines.
    #[schemars(extend("x-aliases" = ["text", "content"]))]
    pub lines: NewLines,
    /// In front of this line, from 1.
    #[schemars(extend("x-aliases" = ["before_line"]))]
    pub line: Option<usize>,
    /// Behind the line with this text.
    pub after_text: Option<String>,
    /// In front of the line with this text.
    pub before_text: Option<String>,
    /// Whether upper and lower case differ.
    #[serde(default = "yes")]
    #[schemars(extend("x-aliases" = ["case_sensitive"]))]
    pub match_case: bool,
}

/// Replace lines
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct ReplaceLines {
    /// The first line, from 1.
    #[schemars(extend("x-aliases" = ["start_line", "line"]))]
    pub line_start: usize,
    /// How many.
    #[serde(default = "one")]
    #[schemars(extend("x-aliases" = ["count"]))]
    pub line_count: usize,
    /// The new lines.
    #[schemars(extend("x-aliases" = ["text", "content"]))]
    pub lines: NewLines,
}

/// Delete lines
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteLines {
    /// The first line, from 1.
    #[schemars(extend("x-aliases" = ["start_line", "line"]))]
    pub line_start: usize,
    /// How many.
    #[serde(default = "one")]
    #[schemars(extend("x-aliases" = ["count"]))]
    pub line_count: usize,
}
