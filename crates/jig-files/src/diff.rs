//! Compares two versions of a file.
//!
//! Text is compared by lines ([`Diff::Text`]), documents and tables by their content ([`Diff::Structured`]),
//! and anything else as bytes, images with their metadata ([`Diff::Binary`]). Every change has an
//! address, and most can be reverted one by one ([`revert`]).

pub(crate) mod align;
pub(crate) mod binary;
pub(crate) mod change;
mod csv;
mod docx;
mod docx_tables;
pub(crate) mod odt;
mod package_parts;
mod pdf;
mod pptx;
pub(crate) mod revert;
pub(crate) mod text;
pub(crate) mod view;
mod words;
mod xlsx;
mod xlsx_cells;
mod xlsx_layout;
mod xlsx_parts;
mod xlsx_styles;

use std::sync::Arc;

use jig_ooxml::{Limits, Package, PackageError};

use crate::engine::FileError;
use crate::kind::FileKind;
use binary::{BinaryDiff, BinarySide};
use change::{StructuredDiff, StructuredFormat};
use text::TextDiff;

pub use change::{Change as StructuredChange, ChangeKind, Detail, Group, select};
pub use words::{Word, WordTag};

/// Delimited text up to this size is compared by rows.
const TABLE_MAX: usize = 32 << 20;

/// The difference between two versions of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Diff {
    /// DiffCache line by line.
    Text(TextDiff),
    /// DiffCache by what it is made of.
    Structured(Box<StructuredDiff>),
    /// DiffCache as bytes only.
    Binary(BinaryDiff),
}

/// Compares two versions of a file. `None` is a file that does not exist; the kind given
/// for it is ignored.
#[must_use]
pub fn diff(kind_old: FileKind, kind_new: FileKind, old: Option<&[u8]>, new: Option<&[u8]>) -> Diff {
    let mut notes = Vec::new();
    if let (Some(old), Some(new)) = (old, new)
        && kind_old == kind_new
    {
        match inside(kind_new, old, new) {
            Some(Ok(found)) => return Diff::Structured(Box::new(found)),
            Some(Err(why)) => notes.push(format!("nothing inside is compared: {}", why.message)),
            None => {}
        }
    }
    let readable = |kind: FileKind| kind.is_text() || kind == FileKind::Empty;
    let as_text = (old.is_none() || readable(kind_old)) && (new.is_none() || readable(kind_new));
    if as_text {
        return Diff::Text(TextDiff::between(old, new));
    }
    let side = |kind, bytes: &[u8]| BinarySide { kind, size: bytes.len() };
    let found = binary::facts((kind_old, old), (kind_new, new));
    notes.extend(found.notes);
    Diff::Binary(BinaryDiff {
        old: old.map(|bytes| side(kind_old, bytes)),
        new: new.map(|bytes| side(kind_new, bytes)),
        same_bytes: old == new,
        notes,
        details: found.details,
    })
}

/// The structured difference; `None` for a kind that has none.
fn inside(kind: FileKind, old: &[u8], new: &[u8]) -> Option<Result<StructuredDiff, FileError>> {
    type Compare = fn(&Package, &Package) -> Result<StructuredDiff, PackageError>;
    let compare: Compare = match StructuredFormat::of(kind)? {
        StructuredFormat::Xlsx => xlsx::compare,
        StructuredFormat::Docx => docx::compare,
        StructuredFormat::Pptx => pptx::compare,
        StructuredFormat::Csv if old.len().max(new.len()) > TABLE_MAX => return None,
        StructuredFormat::Csv => return csv::compare(old, new).map(Ok),
        StructuredFormat::Odt => return Some(odt::compare(old, new)),
        StructuredFormat::Pdf => return Some(pdf::compare(old, new)),
    };
    let open = |bytes: &[u8]| Package::open(Arc::<[u8]>::from(bytes), Limits::default());
    Some(open(old).and_then(|old| compare(&old, &open(new)?)).map_err(FileError::from))
}

/// A one-line summary, such as `12 lines added, 3 removed`.
#[must_use]
pub fn summary(diff: &Diff) -> String {
    match diff {
        Diff::Text(diff) => diff.summary(),
        Diff::Structured(diff) => diff.summary(),
        Diff::Binary(diff) => diff.summary(),
    }
}

/// The address of the change that a reviewer should view first.
#[must_use]
pub fn focus(diff: &Diff) -> Option<String> {
    match diff {
        Diff::Text(text) => text.hunks.first().map(|hunk| {
            let before = hunk.lines.iter().take_while(|line| line.tag == text::LineTag::Context).count();
            format!("line {}", (hunk.new_start + before).max(1))
        }),
        Diff::Structured(diff) => diff.focus(),
        Diff::Binary(_) => None,
    }
}
