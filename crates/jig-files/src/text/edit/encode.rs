//! From the edited lines back to bytes: what was not touched keeps the bytes it had.

use jig_text::TextEncoding;

use super::lines::Lines;
use crate::engine::{FileError, Reason};
use crate::text::Text;

/// The file that is edited.
pub(super) struct Source<'a> {
    text: &'a Text,
    bytes: &'a [u8],
}

/// The most characters that an error names.
const NAMED: usize = 10;

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a Text, bytes: &'a [u8]) -> Self {
        Self { text, bytes }
    }

    pub(super) fn encoding(&self) -> TextEncoding {
        self.text.encoding()
    }

    /// Characters of a text that the file's encoding cannot hold and give back.
    pub(super) fn missing(&self, text: &str) -> Vec<char> {
        let encoding = self.encoding();
        if encoding.holds(text) {
            return Vec::new();
        }
        let mut missing = Vec::new();
        for c in text.chars() {
            if missing.len() < NAMED && !missing.contains(&c) && !encoding.holds(c.encode_utf8(&mut [0; 4])) {
                missing.push(c);
            }
        }
        missing
    }

    /// The first of these lines (from zero) whose bytes would change by being written anew.
    pub(super) fn fragile(&self, lines: &[usize]) -> Option<usize> {
        if self.text.round_trips() {
            return None;
        }
        let old = self.lines_in_bytes();
        let safe = |line: &usize| {
            let written = self.encoding().encode_part(self.text.raw_lines(*line, *line + 1));
            old.as_ref().is_some_and(|old| old.get(*line).is_some_and(|old| written.as_deref() == Some(*old)))
        };
        lines.iter().copied().find(|line| !safe(line))
    }

    /// The edited file.
    pub(super) fn encode(&self, lines: &Lines<'_>, warnings: &mut Vec<String>) -> Result<Vec<u8>, FileError> {
        let content = lines.text();
        let bytes = if self.text.round_trips() {
            let encoded = self.encoding().encode(&content);
            encoded.map_err(|error| FileError::invalid(error.to_string()))?
        } else {
            self.by_lines(lines)?
        };
        // Both ways must lead to a file that reads as what was meant.
        if Text::decode_as(&bytes, self.encoding()).content() != content {
            return Err(self.refused());
        }
        let guessed = TextEncoding::detect(&bytes);
        if guessed != self.encoding() && Text::decode_as(&bytes, guessed).content() != content {
            let words =
                format!("the file stays in {}, but programs that guess may now take it for {guessed}", self.encoding());
            warnings.push(words);
        }
        Ok(bytes)
    }

    /// Untouched lines as they lie in the file, the others encoded.
    fn by_lines(&self, lines: &Lines<'_>) -> Result<Vec<u8>, FileError> {
        let old = self.lines_in_bytes().ok_or_else(|| self.refused())?;
        let mark = self.bytes.len() - self.body().len();
        let mut out = self.bytes.get(..mark).unwrap_or_default().to_vec();
        for line in &lines.lines {
            let kept = line.origin.and_then(|at| old.get(at).copied());
            match kept {
                Some(bytes) => out.extend_from_slice(bytes),
                None => out.extend(self.encoding().encode_part(&line.text).ok_or_else(|| self.refused())?),
            }
        }
        Ok(out)
    }

    /// The file's lines as bytes, where the encoding lets them be told apart without decoding.
    fn lines_in_bytes(&self) -> Option<Vec<&'a [u8]>> {
        if !self.encoding().is_ascii_compatible() {
            return None;
        }
        let separator = self.text.line_ending().separator();
        let lines: Vec<&[u8]> = self.body().split_inclusive(|byte| *byte == separator).collect();
        (lines.len() == self.text.line_count()).then_some(lines)
    }

    /// Without the byte order mark.
    fn body(&self) -> &'a [u8] {
        self.bytes.get(self.encoding().bom_len()..).unwrap_or_default()
    }

    fn refused(&self) -> FileError {
        let words = format!(
            "the file cannot be written back as it is in {}, so an edit would change other places too; `write_text_file` \
             can write it anew",
            self.encoding()
        );
        FileError::new(Reason::Damaged, words)
    }
}
