//! Why a PDF file could not be read.

use crate::engine::{FileError, Reason};

/// A failure on a PDF file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PdfError {
    /// No header.
    #[error("this is not a PDF file")]
    NotPdf,
    /// A password is needed.
    #[error("the PDF file is protected by a password; a copy without one can be read")]
    Password,
    /// Protected in a way that is not known.
    #[error("the PDF file is encrypted in a way that is not supported")]
    Encryption,
    /// The file cannot be read.
    #[error("the PDF file is damaged: its objects cannot be found")]
    Damaged,
    /// There is a document but no page.
    #[error("the PDF file has no pages that can be read; it is damaged or cut off")]
    NoPages,
    /// A bound was reached.
    #[error("the PDF file is too large to work on: {what}")]
    TooLarge {
        /// Which bound.
        what: String,
    },
    /// A page that is not there.
    #[error("page {page} does not exist: the file has {count} page{}", if *.count == 1 { "" } else { "s" })]
    NoPage {
        /// What was asked for, from 1.
        page: u64,
        /// How many there are.
        count: usize,
    },
    /// The call is wrong.
    #[error("{0}")]
    Invalid(String),
}

impl From<PdfError> for FileError {
    fn from(error: PdfError) -> Self {
        let reason = match error {
            PdfError::NotPdf => Reason::WrongKind,
            PdfError::Password | PdfError::Encryption => Reason::Encrypted,
            PdfError::Damaged | PdfError::NoPages => Reason::Damaged,
            PdfError::TooLarge { .. } => Reason::TooLarge,
            PdfError::NoPage { .. } | PdfError::Invalid(_) => Reason::Invalid,
        };
        Self::new(reason, error.to_string())
    }
}
