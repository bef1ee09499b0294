//! Reads of text files: what a caller can ask for, and the replies.
//!
//! The order of the fields is that of the JSON. A field that is left out of the JSON when it has no value is marked with
//! `skip_serializing_if`; every other `None` is `null`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ChunkInfo;

/// Which lines are read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct LinesQuery {
    /// The first line, from 1.
    pub line_start: Option<usize>,
    /// How many lines. Without it and without `max_tokens`, one chunk is read.
    pub line_count: Option<usize>,
    /// The most tokens in the reply.
    pub max_tokens: Option<usize>,
    /// Where to continue, from an earlier reply.
    pub cursor: Option<String>,
}

/// The reply of `TextGetMap`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextFileMap {
    /// Lines in the file.
    pub line_count: usize,
    /// Characters in the file, line endings included.
    pub char_count: usize,
    /// The name of the encoding.
    pub encoding: &'static str,
    /// Whether the file begins with a byte order mark.
    pub bom: bool,
    /// `lf`, `crlf`, `cr`, `mixed` or `none`.
    pub line_ending: &'static str,
    /// Whether the last line has a line ending.
    pub final_newline: bool,
    /// Ranges of lines that cover the file; the first ones if there are many.
    pub chunks: Vec<LineChunk>,
    /// How many chunks there are, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_count: Option<usize>,
    /// What a JSON file contains at its first two levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<Value>,
    /// The dialect and the columns of a delimited file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<TextTable>,
    /// The headings of a Markdown file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headings: Option<Vec<TextHeading>>,
    /// What is not listed or could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A range of lines in the map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineChunk {
    /// Its index, from 0.
    pub index: usize,
    /// Its lines, such as `1-200`.
    pub lines: String,
}

/// The table in a delimited text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextTable {
    /// The delimiter.
    pub delimiter: String,
    /// Whether the first record names the columns.
    pub has_header: bool,
    /// How many columns there are.
    pub column_count: usize,
    /// Which methods read more of it.
    pub more: &'static str,
    /// The names of the first columns, if there is a header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
}

/// A heading of a Markdown text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextHeading {
    /// From 1 to 6.
    pub level: usize,
    /// Its source text, without the markers of the heading.
    pub text: String,
    /// The line that it begins in, from 1.
    pub line: usize,
}

/// The reply of `TextReadLines`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextLines {
    /// The lines with their endings.
    pub text: String,
    /// Where they belong.
    pub chunk_info: ChunkInfo,
    /// How many tokens the text has, if the call has a token limit or a cursor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
    /// Where to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// What could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The reply of `TextFind`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextMatches {
    /// Whether there are more lines than are listed.
    pub truncated: bool,
    /// The lines that contain the text.
    pub matches: Vec<LineMatch>,
    /// How often the text occurs.
    pub match_count: usize,
    /// How many lines contain it.
    pub place_count: usize,
    /// What could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A line that contains a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineMatch {
    /// The line, from 1.
    pub line: usize,
    /// The character in it where the first occurrence begins, from 1.
    pub column: usize,
    /// How often the text begins in this line.
    pub count: usize,
    /// The first occurrence with some of what is around it.
    pub snippet: String,
}
