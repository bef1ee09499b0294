//! A text file opened for the methods that read it: its map, ranges of its lines, and a search.

use std::sync::Arc;

use jig_file_api::read::text::{LineMatch, LinesQuery, TextFileMap, TextLines, TextMatches};
use jig_file_api::read::{ChunkInfo, FindQuery};

use super::read::{CHUNK_LINES, LinePlace, LineRange, PastEnd};
use super::{Text, map};
use crate::engine::{FileError, Reason};
use crate::kind::FileKind;
use crate::sniff::{Complete, sniff};

/// The largest text that is read: 256 MiB. Larger tables have methods of their own.
const MOST_BYTES: usize = 256 << 20;
/// How many lines a search lists by default, and at most.
const USUAL_MATCHES: usize = 50;
const MOST_MATCHES: usize = 1_000;

/// Why a text file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TextError {
    /// The content is something else.
    #[error("this is not a text file: the content is {}", kind.words())]
    NotText {
        /// What it is.
        kind: FileKind,
    },
    /// More bytes than are read.
    #[error(
        "the file has {bytes} bytes; as text at most {limit} are read. The table methods read larger csv and tsv files"
    )]
    TooLarge {
        /// Bytes of the file.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// An edit would make the text too large.
    #[error("the text would become larger than {limit} bytes")]
    GrowsTooLarge {
        /// The limit.
        limit: usize,
    },
    /// A search that finds too much to edit.
    #[error("{field}: the text is in more than {limit} places")]
    TooManyMatches {
        /// The field with the search text.
        field: String,
        /// The limit.
        limit: usize,
    },
    /// The first line does not exist.
    #[error("line_start: {source}")]
    PastEnd {
        /// Which line, and how many there are.
        source: PastEnd,
    },
    /// A number that must not be 0.
    #[error("{field}: a whole number above 0 is needed")]
    Zero {
        /// The field.
        field: &'static str,
    },
    /// A cursor of another file, of another version of it, or of no file.
    #[error(
        "cursor: not one that an earlier answer gave for this file as it is now; leave it out to begin at the start"
    )]
    Cursor,
    /// Nothing to search for.
    #[error("query: a text to look for is needed")]
    NoQuery,
    /// A character that the encoding of the file lacks.
    #[error("{source}")]
    Encode {
        /// Which one.
        source: jig_text::EncodeError,
    },
    /// The bytes of lines that an edit does not touch would change.
    #[error(
        "the file cannot be written back as it is in {encoding}, so an edit would change other places too; \
         `write_text_file` can rewrite it"
    )]
    NotReversible {
        /// The encoding.
        encoding: String,
    },
}

impl From<TextError> for FileError {
    fn from(error: TextError) -> Self {
        let reason = match error {
            TextError::NotText { .. } => Reason::WrongKind,
            TextError::TooLarge { .. } | TextError::GrowsTooLarge { .. } | TextError::TooManyMatches { .. } => {
                Reason::TooLarge
            }
            TextError::NotReversible { .. } => Reason::Damaged,
            TextError::PastEnd { .. }
            | TextError::Zero { .. }
            | TextError::Cursor
            | TextError::NoQuery
            | TextError::Encode { .. } => Reason::Invalid,
        };
        Self::new(reason, error.to_string())
    }
}

/// Refuses what is not text.
pub(crate) fn check(bytes: &[u8]) -> Result<(), TextError> {
    if bytes.len() > MOST_BYTES {
        return Err(TextError::TooLarge { bytes: bytes.len(), limit: MOST_BYTES });
    }
    let kind = sniff("", bytes, Complete::Whole).kind;
    if kind.is_text() || bytes.is_empty() { Ok(()) } else { Err(TextError::NotText { kind }) }
}

/// A text file, decoded.
#[derive(Debug)]
pub struct TextFile {
    bytes: Arc<[u8]>,
    text: Text,
    /// Enough of the content's hash to tell two versions apart in a cursor.
    version: String,
}

impl TextFile {
    pub(crate) fn open(bytes: Arc<[u8]>, hash: &[u8; 32]) -> Result<Self, TextError> {
        check(&bytes)?;
        let text = Text::decode(&bytes);
        let version = blake3::Hash::from_bytes(*hash).to_hex().chars().take(8).collect();
        Ok(Self { bytes, text, version })
    }

    /// The size of the text, its chunks, and what its kind says at a glance. The name chooses among kinds of text.
    pub fn map(&self, name: &str) -> TextFileMap {
        let kind = sniff(name, &self.bytes, Complete::Whole).kind;
        let mut map = map::map(&self.text, &self.bytes, kind);
        map.warnings.extend(self.undecodable());
        map
    }

    /// Lines, as many as were asked for and fit. Without a number of lines or tokens, one chunk.
    pub fn lines(&self, query: &LinesQuery) -> Result<TextLines, FileError> {
        let place = self.place(query)?;
        let most = query.max_tokens.unwrap_or(usize::MAX);
        let past_end = |source| TextError::PastEnd { source };
        let page = self.text.page(place, most).map_err(past_end)?.ok_or(TextError::Cursor)?;
        let info = self.text.lines(LineRange { start: page.first, count: page.count }).map_err(past_end)?.chunk_info;
        let mut warnings = Vec::new();
        // Without a token limit a reply ends between lines, unless it reaches the limit in bytes.
        let cut = page.next.is_some_and(|next| next.end.is_some() || next.byte > 0);
        if cut && query.max_tokens.is_none() {
            warnings.push("an answer has at most 64 KiB of text; `cursor` gives what follows".to_owned());
        }
        warnings.extend(self.undecodable());
        let counted = query.max_tokens.is_some() || query.cursor.is_some();
        Ok(TextLines {
            text: page.text.to_owned(),
            chunk_info: ChunkInfo {
                chunk_index: info.chunk_index,
                total_chunks: info.total_chunks,
                has_more: info.has_more || page.next.is_some(),
                range: info.range.to_string(),
            },
            tokens: counted.then_some(page.tokens),
            cursor: page.next.map(|next| next.text(&self.version)),
            warnings,
        })
    }

    /// The lines that contain a text.
    pub fn find(&self, query: &FindQuery) -> Result<TextMatches, FileError> {
        let text = query.query.as_deref().filter(|text| !text.is_empty()).ok_or(TextError::NoQuery)?;
        let hits = self.text.find(text, query.match_case);
        let most = query.max_results.unwrap_or(USUAL_MATCHES).min(MOST_MATCHES);
        let (place_count, match_count) = (hits.len(), hits.iter().map(|hit| hit.count).sum());
        let matches: Vec<LineMatch> = hits.into_iter().take(most).collect();
        let warnings = self.undecodable().into_iter().collect();
        Ok(TextMatches { truncated: matches.len() < place_count, matches, match_count, place_count, warnings })
    }

    fn undecodable(&self) -> Option<String> {
        let encoding = self.text.encoding();
        self.text.had_errors().then(|| format!("some bytes are not valid {encoding}; they are shown as \u{fffd}"))
    }

    /// Where to read. With a token limit and no number of lines, all that follows is read, in pages.
    fn place(&self, query: &LinesQuery) -> Result<LinePlace, TextError> {
        for (field, value) in
            [("line_start", query.line_start), ("line_count", query.line_count), ("max_tokens", query.max_tokens)]
        {
            if value == Some(0) {
                return Err(TextError::Zero { field });
            }
        }
        if let Some(cursor) = &query.cursor {
            return LinePlace::parse(cursor, &self.version).ok_or(TextError::Cursor);
        }
        let usual = query.max_tokens.is_none().then_some(CHUNK_LINES);
        Ok(LinePlace::of(query.line_start.unwrap_or(1), query.line_count.or(usual)))
    }
}
