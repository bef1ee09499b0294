//! What a file is. Content decides; the name only chooses among kinds of text.

mod container;
mod magic;
mod name;
mod office;
mod textual;

use crate::kind::FileKind;

/// How much of a large file is worth reading to sniff it.
///
/// Enough for the first entries of a package, the directory of most OLE files, and a fair judgement
/// on whether something is text.
pub const HEAD_BYTES: usize = 64 * 1024;

/// How much of the file the given bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Complete {
    /// The entire file.
    Whole,
    /// Only its beginning, best [`HEAD_BYTES`] or more.
    ///
    /// Some answers are then less exact: JSON needs its name, macros in a package may go unseen, and
    /// an OLE file whose directory is further back is only known by its name.
    Head,
}

/// What a file was found to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sniffed {
    /// The kind of the content.
    pub kind: FileKind,
    /// The media type of the content, exact to the flavour of a format.
    pub media_type: &'static str,
    /// A sentence, if the name promises something else than the content is.
    pub mismatch: Option<String>,
}

/// Says what a file is from its name and its bytes.
#[must_use]
pub fn sniff(name: &str, bytes: &[u8], complete: Complete) -> Sniffed {
    let claim = name::claim(name);
    let named = claim.as_ref().map(|claim| claim.format);
    let found = recognise(named, bytes, complete);
    Sniffed { kind: found.kind, media_type: found.media_type, mismatch: claim.and_then(|claim| claim.mismatch(found)) }
}

/// The kind that a name promises, if its ending is known.
pub(crate) fn named(name: &str) -> Option<FileKind> {
    name::claim(name).map(|claim| claim.format.kind)
}

/// The kind that a file is opened as. Its content decides, but a file with the ending of an Office format and content
/// that is not readable by itself is a damaged or protected Office file: the engine of that format says how.
pub fn opened_as(name: &str, found: FileKind) -> FileKind {
    use FileKind::{Binary, Doc, Empty, EncryptedOffice, Ppt, Xls, Zip};
    let named = named(name).filter(|kind| kind.is_ooxml());
    match (found, named) {
        (Zip | Empty | Binary | EncryptedOffice | Doc | Xls | Ppt, Some(named)) => named,
        _ => found,
    }
}

/// A format, either found in the content or promised by a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Format {
    kind: FileKind,
    media_type: &'static str,
    /// With the article, to be used inside a sentence.
    words: &'static str,
}

impl Format {
    const EMPTY: Self = Self::plain(FileKind::Empty, "application/x-empty");
    const BINARY: Self = Self::plain(FileKind::Binary, "application/octet-stream");

    const fn new(kind: FileKind, media_type: &'static str, words: &'static str) -> Self {
        Self { kind, media_type, words }
    }

    /// A format that needs no other words than its kind.
    const fn plain(kind: FileKind, media_type: &'static str) -> Self {
        Self::new(kind, media_type, kind.words())
    }
}

fn recognise(named: Option<Format>, bytes: &[u8], complete: Complete) -> Format {
    if bytes.is_empty() {
        return Format::EMPTY;
    }
    if container::is_zip(bytes) {
        return office::package(named, bytes);
    }
    if container::is_ole(bytes) {
        return container::ole_document(named, bytes, complete);
    }
    magic::certain(bytes)
        .or_else(|| magic::pdf_without_header(named, bytes))
        .or_else(|| textual::text(named, bytes, complete))
        .or_else(|| magic::unless_text(bytes))
        .unwrap_or(Format::BINARY)
}
