//! Reasons why a context cannot be built.

use jig_contract::{Code, OpError};
use serde_json::json;

use super::Component;

/// The size of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionSize {
    /// The address of the section.
    pub address: String,
    /// The token count of its text.
    pub tokens: u64,
}

/// Why a context cannot be built.
#[derive(Debug, Clone, PartialEq)]
pub enum ContextError {
    /// The artifact does not exist, or there are no artifacts.
    NoArtifact {
        /// The requested slug, if any.
        wanted: Option<String>,
        /// The existing slugs.
        there: Vec<String>,
    },
    /// The minimum content does not fit.
    TooLarge {
        /// The component.
        component: Component,
        /// The tokens it needs.
        tokens: u64,
        /// Its budget.
        limit: u64,
        /// The model's context window.
        window: u64,
        /// The sections, largest first.
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
