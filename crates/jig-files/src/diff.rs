//! What changed between two versions of a file.
//!
//! Each format adds a variant to [`Diff`]; what has no comparison of its own is [`Diff::Opaque`].

mod align;
pub(crate) mod opaque;
pub(crate) mod page;
pub(crate) mod text;
mod unified;

use crate::kind::FileKind;
use opaque::{OpaqueDiff, OpaqueSide};
use text::TextDiff;

/// The difference between two versions of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Diff {
    /// Compared line by line.
    Text(TextDiff),
    /// Compared as bytes only.
    Opaque(OpaqueDiff),
}

/// Compares two versions of a file. `None` stands for a file that does not exist; the kind given
/// for it has no meaning.
#[must_use]
pub fn diff(kind_old: FileKind, kind_new: FileKind, old: Option<&[u8]>, new: Option<&[u8]>) -> Diff {
    let readable = |kind: FileKind| kind.is_text() || kind == FileKind::Empty;
    let as_text = (old.is_none() || readable(kind_old)) && (new.is_none() || readable(kind_new));
    if as_text {
        return Diff::Text(TextDiff::between(old, new));
    }
    let side = |kind, bytes: &[u8]| OpaqueSide { kind, size: bytes.len() };
    Diff::Opaque(OpaqueDiff {
        old: old.map(|bytes| side(kind_old, bytes)),
        new: new.map(|bytes| side(kind_new, bytes)),
        same_bytes: old == new,
    })
}

/// The difference in one line of words, such as `12 lines added, 3 removed`.
#[must_use]
pub fn summary(diff: &Diff) -> String {
    match diff {
        Diff::Text(diff) => diff.summary(),
        Diff::Opaque(diff) => diff.summary(),
    }
}
