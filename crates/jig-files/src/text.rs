//! Text in any encoding: decoded once, read by lines, edited and written back without changing other bytes.

pub(crate) mod edit;
pub(crate) mod file;
pub(crate) mod find;
mod json;
mod map;
pub(crate) mod read;
pub(crate) mod search;

use jig_text::{EncodeError, Line, LineEnding, TextEncoding};

/// A decoded text file, together with all that is needed to write it back the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    content: String,
    format: TextFormat,
    had_errors: bool,
    round_trips: bool,
    /// The byte offset in `content` at which each line starts.
    line_starts: Vec<usize>,
}

/// The properties of a text file that are not its characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextFormat {
    /// How characters are written as bytes.
    pub encoding: TextEncoding,
    /// How lines end.
    pub line_ending: LineEnding,
}

impl Text {
    /// Decodes a complete file. Never fails: bytes that cannot be decoded become U+FFFD, and then
    /// [`had_errors`](Self::had_errors) is true.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Self {
        Self::decode_as(bytes, TextEncoding::detect(bytes))
    }

    /// Decodes with a known encoding, for two versions of a file that must be read alike.
    pub(crate) fn decode_as(bytes: &[u8], encoding: TextEncoding) -> Self {
        let (content, had_errors) = encoding.decode(bytes);
        let round_trips = !had_errors && encoding.writes_back(&content, bytes);
        let content = content.into_owned();
        let line_ending = LineEnding::of(&content);
        let line_starts = jig_text::line_starts(&content, line_ending);
        Self { content, format: TextFormat { encoding, line_ending }, had_errors, round_trips, line_starts }
    }

    /// The characters of the file, line endings as they were, without a byte order mark.
    #[must_use]
    pub fn content(&self) -> &str {
        &self.content
    }

    /// The characters of the file, as [`content`](Self::content).
    pub(crate) fn into_content(self) -> String {
        self.content
    }

    /// Encoding and line ending, to write another version of the file alike.
    #[must_use]
    pub fn format(&self) -> TextFormat {
        self.format
    }

    /// The encoding the file was read with.
    #[must_use]
    pub fn encoding(&self) -> TextEncoding {
        self.format.encoding
    }

    /// How the lines end.
    #[must_use]
    pub fn line_ending(&self) -> LineEnding {
        self.format.line_ending
    }

    /// Whether the last line is ended too. An empty file has no line to end.
    #[must_use]
    pub fn final_newline(&self) -> bool {
        self.iter_lines().next_back().is_some_and(|line| line.is_ended())
    }

    /// Whether some bytes could not be decoded.
    #[must_use]
    pub fn had_errors(&self) -> bool {
        self.had_errors
    }

    /// Whether writing the content back in its format gives the same bytes.
    ///
    /// If not, an edit would also change places that it does not touch. Besides undecodable bytes this
    /// happens in legacy encodings that have several byte sequences for one character.
    #[must_use]
    pub fn round_trips(&self) -> bool {
        self.round_trips
    }

    /// The number of lines. A final line ending does not start another line.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// All lines with their endings split off.
    pub(crate) fn iter_lines(&self) -> impl DoubleEndedIterator<Item = Line<'_>> {
        let ending = self.format.line_ending;
        (0..self.line_count()).map(move |at| Line::split(self.raw_lines(at, at + 1), ending))
    }

    /// Where a line begins, counted from zero; for a line past the end, the end.
    pub(crate) fn start_of(&self, line: usize) -> usize {
        self.line_starts.get(line).copied().unwrap_or(self.content.len())
    }

    /// The line that a place is in, counted from zero; for the end of an ended text, the number of lines.
    pub(crate) fn line_at(&self, offset: usize) -> usize {
        if offset >= self.content.len() && self.final_newline() {
            return self.line_count();
        }
        self.line_starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// The characters from line `first` up to line `end`, counted from zero; clamped to the file.
    fn raw_lines(&self, first: usize, end: usize) -> &str {
        self.content.get(self.start_of(first)..self.start_of(end)).unwrap_or_default()
    }
}

impl TextFormat {
    /// Writes `text` in this format.
    ///
    /// Line endings are made uniform where the format has one; `None` and `Mixed` leave them as
    /// they are in `text`. The end of the text is never touched.
    ///
    /// # Errors
    /// A character that the encoding cannot hold.
    pub fn encode(&self, text: &str) -> Result<Vec<u8>, EncodeError> {
        self.encoding.encode(&self.line_ending.normalize(text))
    }
}
