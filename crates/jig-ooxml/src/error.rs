//! What can go wrong: with the file, or with what was asked.

use crate::edit::EditError;
use crate::xml::Overlap;

/// Why a call on an Office file failed. The file it was given is never changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The file cannot be read as what it should be.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// What was asked for cannot be done.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PackageError {
    /// No zip at all.
    #[error("this is not an Office file: it does not begin as a zip package")]
    NotAPackage,
    /// An OLE container with an encrypted package in it.
    #[error("the file is protected by a password; remove the protection in the Office program and add it again")]
    Encrypted,
    /// A format of before 2007.
    #[error("the file has the old binary format {format}; save it as {instead} and add it again")]
    Legacy {
        /// The old format, such as `.doc`.
        format: &'static str,
        /// What to save it as.
        instead: &'static str,
    },
    /// The end of the zip is missing.
    #[error("the file is cut off: the directory at the end of the zip package is missing")]
    Truncated,
    /// The zip contradicts itself.
    #[error("the zip package is damaged: {why}")]
    Damaged {
        /// What is wrong.
        why: String,
    },
    /// The package is of another kind, for example a docx where a workbook was expected.
    #[error("the file is not {wanted}: {why}")]
    WrongKind {
        /// What was expected, with its article.
        wanted: &'static str,
        /// What was found.
        why: String,
    },
    /// A part that the format needs is not there.
    #[error("the part {part} is missing from the file")]
    MissingPart {
        /// Its name.
        part: String,
    },
    /// A part is not well-formed XML or not what its place demands.
    #[error("the part {part} is damaged at byte {at}: {why}")]
    Part {
        /// Its name.
        part: String,
        /// Where.
        at: usize,
        /// What is wrong.
        why: String,
    },
    /// A fault of this crate, not of the file or the caller.
    #[error("internal error: {0}; the file was not changed")]
    Internal(#[from] InternalError),
    /// More than a bound allows.
    #[error("the file asks for too much: {what} (the limit is {limit})")]
    TooLarge {
        /// What is too large, in words.
        what: String,
        /// The bound.
        limit: u64,
    },
}

/// A fault of this crate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InternalError {
    /// An edit names the same bytes of a part twice.
    #[error("an edit changes the same bytes of the part {part} twice")]
    Overlap {
        /// The name of the part.
        part: String,
        /// Where.
        #[source]
        source: Overlap,
    },
    /// The content of a part could not be compressed.
    #[error("the part {part} could not be compressed")]
    Compression {
        /// The name of the part.
        part: String,
    },
}

impl PackageError {
    /// Damage of the zip, in words.
    pub(crate) fn damaged(why: impl Into<String>) -> Self {
        Self::Damaged { why: why.into() }
    }

    /// Damage of a part, in words.
    pub fn part(part: &str, at: usize, why: impl Into<String>) -> Self {
        Self::Part { part: part.to_owned(), at, why: why.into() }
    }
}
