//! `TextApplyOps`: targeted edits that leave every other byte of a text file as it is.

mod encode;
mod lines;
mod ops;
mod place;

use jig_file_api::Strictness;
use jig_file_api::ops::text::TextOp;
use jig_ooxml::edit::{Applied, CellChanges, EditError, OpHelp, OpInput, OpReport, read_ops};
use serde_json::Value;

use self::encode::Source;
use self::lines::Lines;
use super::Text;
use crate::engine::{FileError, Reason};

/// The largest text that an edit may make: 256 MiB.
const MOST_BYTES: usize = 256 << 20;

/// Carries out a list of ops, on a file or on a new, empty one.
pub(crate) fn apply(source: Option<&[u8]>, ops: &Value) -> Result<Applied, FileError> {
    let mut warnings = Vec::new();
    // The original client has no ops for text, so none of its calls depends on a field that is ignored.
    let ops = read_ops::<TextOp>(ops, Strictness::Refuse, &mut warnings)?;
    let bytes = source.unwrap_or_default();
    super::file::check(bytes)?;
    let text = Text::decode(bytes);
    let mut session = Session { source: Source::new(&text, bytes), lines: Lines::of(&text), warnings };
    let mut changes = Vec::new();
    for (input, op) in ops {
        changes.push(session.apply_op(&input, op).map_err(|error| with_signature(error, &input))?);
    }
    let bytes = session.source.encode(&session.lines, &mut session.warnings)?;
    let (created_sheets, stale) = (Vec::new(), Vec::new());
    let cells = CellChanges::default();
    Ok(Applied { bytes, changes, warnings: session.warnings, parts: Vec::new(), created_sheets, stale, cells })
}

/// The error of an op with the fields that it takes.
fn with_signature(mut error: FileError, input: &OpInput) -> FileError {
    if error.reason == Reason::Invalid {
        let signature = || jig_file_api::ops::schema::op_signature::<TextOp>(input.name);
        error.help.get_or_insert_with(|| Box::new(OpHelp { signature: signature(), ..OpHelp::default() }));
    }
    error
}

/// A text in the middle of its ops.
struct Session<'a> {
    source: Source<'a>,
    lines: Lines<'a>,
    warnings: Vec<String>,
}

impl Session<'_> {
    fn apply_op(&mut self, input: &OpInput, op: TextOp) -> Result<OpReport, FileError> {
        match op {
            TextOp::ReplaceText(op) => self.replace_text(input, &op),
            TextOp::InsertLines(op) => self.insert_lines(input, &op),
            TextOp::ReplaceLines(op) => self.replace_lines(input, &op),
            TextOp::DeleteLines(op) => self.delete_lines(input, &op),
        }
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
