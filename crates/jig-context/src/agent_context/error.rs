//! Why there is no view.

use jig_contract::{Code, OpError};
use serde_json::json;

use super::Component;

/// The size of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionSize {
    /// Its address.
    pub address: String,
    /// The tokens of its text.
    pub tokens: u64,
}

/// Why there is no view.
#[derive(Debug, Clone, PartialEq)]
pub enum ContextError {
    /// There is no such artifact, or none at all.
    NoArtifact {
        /// What was asked for; none when nothing was.
        wanted: Option<String>,
        /// What there is.
        there: Vec<String>,
    },
    /// What must be in it does not fit.
    TooLarge {
        /// Which component.
        component: Component,
        /// What it would take.
        tokens: u64,
        /// What it may take.
        limit: u64,
        /// The model's window.
        window: u64,
        /// The sections, the largest first.
        sizes: Vec<SectionSize>,
    },
}

impl From<ContextError> for OpError {
    fn from(error: ContextError) -> Self {
        match error {
            ContextError::NoArtifact { wanted, there } => no_artifact(wanted.as_deref(), &there),
            ContextError::TooLarge { component, tokens, limit, window, sizes } => {
                let fitting: Vec<String> =
                    sizes.iter().filter(|size| size.tokens <= limit).map(|size| size.address.clone()).collect();
                let listed: Vec<_> =
                    sizes.iter().map(|size| json!({ "section": size.address, "tokens": size.tokens })).collect();
                Self::new(Code::ContextTooLarge, "Artifact content exceeds token limit")
                    .action("Summarizing content or requesting specific sections")
                    .suggest(fitting)
                    .hint("ask at level `full`, which gives summaries in place of content, or name one of the sections")
                    .hint("or choose a model with a larger window")
                    .detail(json!({
                        "component": component.as_str(),
                        "tokens": tokens,
                        "limit": limit,
                        "window": window,
                        "sizes": listed,
                    }))
            }
        }
    }
}

fn no_artifact(wanted: Option<&str>, there: &[String]) -> OpError {
    match wanted {
        Some(wanted) => crate::artifact::no_artifact(wanted, there.iter().map(String::as_str)),
        None => OpError::new(Code::ArtifactNotFound, "the workbench has no artifact yet")
            .hint("`jig artifact create TITLE` makes one"),
    }
}
