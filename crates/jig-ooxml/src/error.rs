//! Why a call fails: because of the file ([`PackageError`]), because of the request ([`EditError`]), or because of this
//! crate ([`InternalError`]).
//!
//! Nothing here depends on another module of the crate, so that all of them can.

mod deck;
mod document;
mod edit;
mod package;

pub use deck::DeckIssue;
pub use document::DocumentIssue;
pub use edit::{EditError, EditIssue, OpHelp};
pub use package::{ActualKind, InternalError, OfficeKind, Overlap, PackageError, PartFault, Quantity, ZipFault};

/// Why a call on an Office file failed. The file it was given is never changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The file cannot be read, or not as what was expected.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// The request is invalid for this file.
    #[error(transparent)]
    Edit(#[from] EditError),
}

impl From<InternalError> for Error {
    fn from(error: InternalError) -> Self {
        Self::Package(error.into())
    }
}

/// A count with its noun in the singular or plural.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
