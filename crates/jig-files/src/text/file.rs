//! The methods on text files: map, lines, find.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::page::LinePlace;
use super::read::{CHUNK_LINES, LineRange, PastEnd};
use super::{Text, find, map};
use crate::engine::{FileError, Reason};
use crate::params::{file_name, parse, with_warnings};
use crate::sniff::{Complete, sniff};

/// The largest text that is read whole: 256 MiB. Larger tables have methods of their own.
const MOST_BYTES: usize = 256 << 20;

/// A text file, decoded.
pub(crate) struct TextFile {
    bytes: Arc<[u8]>,
    text: Text,
    /// Enough of the content's hash to tell two versions apart.
    version: String,
}

/// Refuses what is no text, saying what it is.
pub(crate) fn check(bytes: &[u8]) -> Result<(), FileError> {
    if bytes.len() > MOST_BYTES {
        let words = format!(
            "the file has {} bytes; as text at most {MOST_BYTES} are read. The table methods read larger csv and tsv files",
            bytes.len()
        );
        return Err(FileError::new(Reason::TooLarge, words));
    }
    let found = sniff("", bytes, Complete::Whole);
    if found.kind.is_text() || bytes.is_empty() {
        return Ok(());
    }
    Err(FileError::new(Reason::WrongKind, format!("this is not a text file: the content is {}", found.kind.words())))
}

#[derive(Deserialize)]
struct NoParams {}

#[derive(Deserialize)]
struct LineParams {
    line_start: Option<usize>,
    line_count: Option<usize>,
    max_tokens: Option<usize>,
    cursor: Option<String>,
}

impl TextFile {
    pub(crate) fn open(bytes: Arc<[u8]>) -> Result<Self, FileError> {
        check(&bytes)?;
        let text = Text::decode(&bytes);
        let version = blake3::hash(&bytes).to_hex().chars().take(8).collect();
        Ok(Self { bytes, text, version })
    }

    pub(crate) fn read(&self, method: &str, params: &Value) -> Result<Value, FileError> {
        let mut warnings = Vec::new();
        let answer = match method {
            "TextGetMap" => {
                let NoParams {} = parse(params, &mut warnings)?;
                let kind = sniff(file_name(params), &self.bytes, Complete::Whole).kind;
                map::map(&self.text, &self.bytes, kind, &mut warnings)
            }
            "TextReadLines" => self.lines(&parse(params, &mut warnings)?, &mut warnings)?,
            "TextFind" => find::find(&self.text, &parse(params, &mut warnings)?)?,
            _ => return Err(FileError::invalid(format!("unknown method: {method}"))),
        };
        if self.text.had_errors() {
            warnings.push(format!("some bytes are not valid {}; they are shown as \u{fffd}", self.text.encoding()));
        }
        Ok(with_warnings(answer, warnings))
    }

    fn lines(&self, params: &LineParams, warnings: &mut Vec<String>) -> Result<Value, FileError> {
        let place = self.place(params)?;
        let most = params.max_tokens.unwrap_or(usize::MAX);
        let page = self.text.page(place, most).map_err(past_end)?.ok_or_else(bad_cursor)?;
        let range = LineRange { start: page.first, count: page.count };
        let info = self.text.lines(range).map_err(past_end)?.chunk_info;
        let cut = page.next.is_some_and(|next| next.end.is_some() || next.byte > 0);
        if cut && params.max_tokens.is_none() {
            warnings.push("an answer has at most 64 KiB of text; `cursor` gives what follows".to_owned());
        }
        let info = json!({
            "chunk_index": info.chunk_index,
            "total_chunks": info.total_chunks,
            "has_more": info.has_more || page.next.is_some(),
            "range": info.range.to_string(),
        });
        let mut answer = json!({ "text": page.text, "chunk_info": info });
        if params.max_tokens.is_some() || params.cursor.is_some() {
            answer["tokens"] = page.tokens.into();
        }
        if let Some(next) = page.next {
            answer["cursor"] = next.text(&self.version).into();
        }
        Ok(answer)
    }

    /// Where to read. Without any wish one chunk is given; with a budget all that follows, in pages.
    fn place(&self, params: &LineParams) -> Result<LinePlace, FileError> {
        for (name, value) in
            [("line_start", params.line_start), ("line_count", params.line_count), ("max_tokens", params.max_tokens)]
        {
            if value == Some(0) {
                return Err(FileError::invalid(format!("{name}: a whole number above 0 is needed")));
            }
        }
        if let Some(cursor) = &params.cursor {
            return LinePlace::parse(cursor, &self.version).ok_or_else(bad_cursor);
        }
        let usual = params.max_tokens.is_none().then_some(CHUNK_LINES);
        Ok(LinePlace::of(params.line_start.unwrap_or(1), params.line_count.or(usual)))
    }
}

fn past_end(error: PastEnd) -> FileError {
    FileError::invalid(format!("line_start: {error}"))
}

fn bad_cursor() -> FileError {
    FileError::invalid(
        "cursor: not one that an earlier answer gave for this file as it is now; leave it out to begin at the start",
    )
}
