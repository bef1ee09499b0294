//! Why an op or a read is refused.

use jig_file_api::OpsError;
use serde_json::Value;

use super::{DeckIssue, DocumentIssue};

/// Why an op or a read is refused. The message names the op and the field.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{at}: {why}")]
pub struct EditError {
    /// The op and its field, such as `ops[2].cells[0].cell`.
    pub at: String,
    /// The reason.
    #[source]
    pub why: EditIssue,
    /// Valid values, the nearest first.
    pub suggestions: Vec<String>,
    /// What helps to correct the op.
    pub help: Option<Box<OpHelp>>,
}

/// The reason of an [`EditError`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EditIssue {
    /// A request about a document.
    #[error(transparent)]
    Document(#[from] DocumentIssue),
    /// A request about a presentation.
    #[error(transparent)]
    Deck(#[from] DeckIssue),
    /// A copy without anything to copy.
    #[error("missing or empty: give a list with at least one asset to copy")]
    NoAssets,
    /// The assets of a copy are neither a list nor one asset.
    #[error("expected a list of assets")]
    InvalidAssets,
    /// Any other reason, as a message: those of workbooks, texts and of parsing ops.
    #[error("{0}")]
    Message(String),
}

impl From<String> for EditIssue {
    fn from(message: String) -> Self {
        Self::Message(message)
    }
}

impl From<&str> for EditIssue {
    fn from(message: &str) -> Self {
        Self::Message(message.to_owned())
    }
}

/// What helps to correct an op.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpHelp {
    /// The fields of the op.
    pub signature: Option<String>,
    /// A list of ops that would be accepted, where one can be derived.
    pub corrected: Option<Value>,
    /// Whether the op could not be parsed, so that its signature belongs in the message.
    pub unreadable: bool,
}

impl EditError {
    /// An error at a field.
    pub fn new(at: impl Into<String>, why: impl Into<EditIssue>) -> Self {
        Self { at: at.into(), why: why.into(), suggestions: Vec::new(), help: None }
    }

    /// Adds valid values.
    #[must_use]
    pub fn suggest(mut self, suggestions: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.suggestions = suggestions.into_iter().map(Into::into).collect();
        self
    }
}

impl From<Box<OpsError>> for EditError {
    fn from(error: Box<OpsError>) -> Self {
        Self {
            at: error.issue.at().to_owned(),
            why: error.issue.why().into(),
            suggestions: error.issue.suggestions(),
            help: Some(Box::new(OpHelp { signature: error.signature, corrected: error.corrected, unreadable: true })),
        }
    }
}
