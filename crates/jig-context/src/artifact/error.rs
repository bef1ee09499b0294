//! Errors of artifacts. Some messages are fixed by the specification.

use jig_contract::ops::SectionInfo;
use jig_contract::{Code, OpError};
use serde_json::json;

use super::{Artifact, Finalized};
use crate::document::{DocumentError, Part, nearest, shown};

/// How many names are suggested if none is similar.
const SUGGESTED: usize = 5;

/// Why an artifact could not be read or changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ArtifactError {
    /// The section does not exist.
    #[error("Section '{section}' not found in artifact '{artifact}'")]
    NoSection {
        /// The artifact.
        artifact: String,
        /// The requested name.
        section: String,
        /// Existing names.
        suggestions: Vec<String>,
    },
    /// The name matches several sections equally well.
    #[error("'{section}' can mean {} in artifact '{artifact}'; say which", choices.join(" or "))]
    Ambiguous {
        /// The artifact.
        artifact: String,
        /// The requested name.
        section: String,
        /// The matching sections.
        choices: Vec<String>,
    },
    /// The artifact is locked.
    #[error("Cannot modify finalized artifact '{artifact}'")]
    Finalized {
        /// The artifact.
        artifact: String,
        /// Its revision.
        revision: u64,
        /// Who locked it, and when.
        by: Option<Box<Finalized>>,
    },
    /// The section has changed since the base revision.
    #[error("section '{}' of artifact '{artifact}' was changed since revision {base}", newer.slug)]
    Moved {
        /// The artifact.
        artifact: String,
        /// The base revision.
        base: u64,
        /// The newest revision.
        newest: u64,
        /// The current section with its text.
        newer: Box<SectionInfo>,
    },
    /// The artifact has changed since the base revision.
    #[error("artifact '{artifact}' was changed since revision {base}: revision {newest} is newer")]
    Outdated {
        /// The artifact.
        artifact: String,
        /// The base revision.
        base: u64,
        /// The newest revision.
        newest: u64,
        /// The current Markdown.
        content: String,
    },
    /// The text is not valid as section content.
    #[error("{problem}")]
    Content {
        /// What is wrong with it.
        problem: String,
        /// The next action.
        hint: String,
    },
    /// A parameter is invalid, or two contradict each other.
    #[error("{0}")]
    Value(String),
    /// An error of the document layer.
    #[error(transparent)]
    Document(#[from] DocumentError),
}

impl ArtifactError {
    /// The error for a missing section, with suggestions.
    pub fn no_section(artifact: &Artifact, wanted: &str) -> Self {
        let parts = || artifact.document.parts.iter();
        let by_name = nearest(wanted, parts().map(|part| part.name.as_str()));
        let by_title = nearest(wanted, parts().map(|part| part.title.as_str()));
        let named = |title: &String| parts().find(|part| part.title == *title).map(|part| part.name.to_string());
        let mut suggestions = by_name;
        suggestions.extend(by_title.iter().filter_map(named));
        if suggestions.is_empty() {
            suggestions = parts().take(SUGGESTED).map(|part| part.name.to_string()).collect();
        }
        let mut seen = std::collections::HashSet::new();
        suggestions.retain(|name| seen.insert(name.clone()));
        Self::NoSection { artifact: artifact.slug().to_owned(), section: shown(wanted), suggestions }
    }

    /// The error for a section that has changed.
    pub(super) fn moved(artifact: &Artifact, part: &Part, base: u64) -> Self {
        let order = artifact.document.parts.iter().position(|other| other.id == part.id).unwrap_or_default();
        let newer = super::section_info(artifact, part, order, super::Wish::Content);
        let (artifact, newest) = (artifact.slug().to_owned(), artifact.revision());
        Self::Moved { artifact, base, newest, newer: Box::new(newer) }
    }

    pub(super) fn content(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Content { problem: problem.into(), hint: hint.into() }
    }
}

impl From<ArtifactError> for OpError {
    fn from(error: ArtifactError) -> Self {
        let message = error.to_string();
        match error {
            ArtifactError::NoSection { artifact, section, suggestions } => Self::new(Code::SectionNotFound, message)
                .suggest(suggestions)
                .detail(json!({ "artifact": artifact, "section": section }))
                .hint(format!("`jig artifact get {artifact} --outline` shows its sections")),
            ArtifactError::Ambiguous { choices, .. } => {
                Self::new(Code::ValidationFailed, message).suggest(choices).hint("name the section by its slug")
            }
            ArtifactError::Finalized { artifact, revision, by } => Self::new(Code::ArtifactFinalized, message)
                .action("Ask user to un-finalize or create snapshot")
                .hint(format!(
                    "a person can take the lock away with `jig artifact unfinalize {artifact}`, or pass `override`"
                ))
                .detail(json!({
                    "artifact": artifact, "status": "finalized", "base_revision": revision, "finalized": by,
                })),
            ArtifactError::Moved { artifact, base, newest, newer } => Self::new(Code::Conflict, message)
                .action("reload")
                .hint("the newer text is in the detail: make the change on it, and write again with its revision")
                .detail(json!({
                    "artifact": artifact, "section": newer.slug, "base_revision": base, "newest": newest,
                    "content": newer.content, "newer": newer,
                })),
            ArtifactError::Outdated { artifact, base, newest, content } => Self::new(Code::Conflict, message)
                .action("reload")
                .hint("read the newer revision, make the change on it, and write again")
                .detail(json!({
                    "artifact": artifact, "base_revision": base, "newest": newest, "content": content,
                })),
            ArtifactError::Content { hint, .. } => Self::new(Code::ValidationFailed, message).hint(hint),
            ArtifactError::Value(_) => Self::new(Code::ValidationFailed, message),
            ArtifactError::Document(DocumentError::NoSuchRevision { wanted, newest, .. }) => {
                Self::new(Code::RevisionNotFound, message)
                    .detail(json!({ "revision": wanted, "newest": newest }))
                    .hint("`jig artifact history` lists the revisions")
            }
            ArtifactError::Document(other) => other.into(),
        }
    }
}

/// The error for a missing artifact, with suggestions.
pub fn no_artifact<'a>(wanted: &str, slugs: impl IntoIterator<Item = &'a str> + Clone) -> OpError {
    let wanted = shown(wanted);
    let mut near = nearest(wanted.trim_end_matches(".md"), slugs.clone());
    if near.is_empty() {
        near = slugs.into_iter().take(SUGGESTED).map(str::to_owned).collect();
    }
    OpError::new(Code::ArtifactNotFound, format!("Artifact '{wanted}' not found"))
        .suggest(near)
        .detail(json!({ "artifact": wanted }))
        .hint("`jig artifact list` shows the artifacts; `jig artifact create TITLE` makes one")
}
