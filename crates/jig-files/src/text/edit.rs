//! `TextApplyOps`: targeted edits that leave every other byte of a text file as it is.

mod encode;
mod lines;
mod ops;
mod place;

use jig_ooxml::edit::{Applied, Change, EditError, OpInput, op_inputs};
use serde_json::Value;

use self::encode::Source;
use self::lines::Lines;
use super::Text;
use crate::engine::{FileError, Reason};

/// The ops that text files know.
pub(crate) const OPS: &[&str] = &["replace_text", "insert_lines", "replace_lines", "delete_lines"];

/// The largest text that an edit may make: 256 MiB.
const MOST_BYTES: usize = 256 << 20;

/// Carries out a list of ops, on a file or on a new, empty one.
pub(crate) fn apply(source: Option<&[u8]>, ops: &Value) -> Result<Applied, FileError> {
    let bytes = source.unwrap_or_default();
    super::file::check(bytes)?;
    let text = Text::decode(bytes);
    let mut session = Session { source: Source::new(&text, bytes), lines: Lines::of(&text), warnings: Vec::new() };
    let mut changes = Vec::new();
    for input in op_inputs(ops, OPS)? {
        changes.push(session.carry_out(&input)?);
    }
    let bytes = session.source.encode(&session.lines, &mut session.warnings)?;
    Ok(Applied { bytes, changes, warnings: session.warnings, parts: Vec::new(), stale: Vec::new() })
}

/// A text in the middle of its ops.
struct Session<'a> {
    source: Source<'a>,
    lines: Lines<'a>,
    warnings: Vec<String>,
}

impl Session<'_> {
    fn carry_out(&mut self, input: &OpInput) -> Result<Change, FileError> {
        let change = match input.name.as_str() {
            "replace_text" => self.replace_text(input)?,
            "insert_lines" => self.insert_lines(input)?,
            "replace_lines" => self.replace_lines(input)?,
            _ => self.delete_lines(input)?,
        };
        Ok(change)
    }

    /// Refuses text that the file cannot hold.
    fn check_new(&self, input: &OpInput, field: &str, text: &str) -> Result<(), EditError> {
        if text.contains('\0') {
            return Err(input.error(field, "a text file cannot hold the character NUL"));
        }
        let missing = self.source.missing(text);
        if missing.is_empty() {
            return Ok(());
        }
        let shown: Vec<String> = missing.iter().map(|c| format!("{c:?} (U+{:04X})", u32::from(*c))).collect();
        let why = format!(
            "the file is in the encoding {}, which does not have {}; `write_text_file` can write it anew in UTF-8",
            self.source.encoding(),
            shown.join(", ")
        );
        Err(input.error(field, why))
    }

    /// Refuses to grow beyond all bounds.
    fn check_growth(&self, more: usize) -> Result<(), FileError> {
        if self.lines.bytes().saturating_add(more) <= MOST_BYTES {
            return Ok(());
        }
        Err(FileError::new(Reason::TooLarge, format!("the text would become larger than {MOST_BYTES} bytes")))
    }
}

#[cfg(test)]
mod tests;
