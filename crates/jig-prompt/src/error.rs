//! Reasons why a prompt could not be assembled.

use jig_contract::{Code, OpError};
use serde_json::json;

use crate::bill::Bill;
use crate::words::grouped;

/// Why a prompt could not be assembled.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AssembleError {
    /// The list of files could not be built. A prompt always includes it.
    #[error("The list of files could not be made, so nothing was sent: {reason}")]
    Manifest {
        /// The reason.
        reason: String,
    },
    /// Mandatory content does not fit the model.
    #[error("{0}")]
    TooLarge(Box<TooLarge>),
    /// The input is inconsistent.
    #[error("The prompt could not be made: {problem}")]
    Invalid {
        /// The problem.
        problem: String,
    },
}

/// Mandatory content and its size.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "What must be in the prompt is {} tokens; {} takes {} and leaves {} for it",
    grouped(self.bill.total), self.bill.model_id, grouped(self.bill.window), grouped(self.limit)
)]
pub struct TooLarge {
    /// The maximum size of a prompt: the window without the answer.
    pub limit: u64,
    /// All mandatory content, by source.
    pub bill: Bill,
}

impl AssembleError {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            Self::Manifest { .. } => Code::FileReadFailed,
            Self::TooLarge(_) => Code::ContextTooLarge,
            Self::Invalid { .. } => Code::ValidationFailed,
        }
    }
}

/// How many sources an error names.
const NAMED: usize = 10;

impl From<AssembleError> for OpError {
    fn from(error: AssembleError) -> Self {
        let op = Self::new(error.code(), error.to_string());
        match error {
            AssembleError::Manifest { .. } => op.hint("Check the workbench's files, then try again."),
            AssembleError::Invalid { .. } => op,
            AssembleError::TooLarge(large) => {
                let mut lines: Vec<_> = large.bill.lines.iter().collect();
                lines.sort_by_key(|line| std::cmp::Reverse(line.tokens));
                let size = |line: &&crate::bill::Line| json!({ "section": line.section.as_str(), "source": line.source.name, "tokens": line.tokens });
                let sizes: Vec<_> = lines.iter().take(NAMED).map(size).collect();
                let largest = lines.iter().take(3).map(|line| line.source.name.as_str()).collect::<Vec<_>>().join(", ");
                op.hint(format!("Shorten or take out the largest: {largest}."))
                    .hint("Or choose a model with a larger window.")
                    .detail(json!({ "needed": large.bill.total, "limit": large.limit, "window": large.bill.window, "sizes": sizes }))
            }
        }
    }
}
