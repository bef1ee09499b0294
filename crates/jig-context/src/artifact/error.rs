//! What can go wrong with an artifact, in the words of the seed where it has some.

use jig_contract::ops::SectionInfo;
use jig_contract::{Code, OpError};
use serde_json::json;

use super::{Artifact, Finalized};
use crate::document::{DocumentError, Part, nearest, shown};

/// How many names are suggested when none is near.
const SUGGESTED: usize = 5;

/// Why an artifact was not read or changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ArtifactError {
    /// There is no such section.
    #[error("Section '{section}' not found in artifact '{artifact}'")]
    NoSection {
        /// The artifact.
        artifact: String,
        /// What was asked for.
        section: String,
        /// What there is.
        suggestions: Vec<String>,
    },
    /// Several sections are meant as well as each other.
    #[error("'{section}' can mean {} in artifact '{artifact}'; say which", choices.join(" or "))]
    Ambiguous {
        /// The artifact.
        artifact: String,
        /// What was asked for.
        section: String,
        /// The sections that are meant.
        choices: Vec<String>,
    },
    /// It is locked.
    #[error("Cannot modify finalized artifact '{artifact}'")]
    Finalized {
        /// The artifact.
        artifact: String,
        /// Its revision.
        revision: u64,
        /// Who locked it.
        by: Option<Box<Finalized>>,
    },
    /// Somebody changed the section since the caller saw it.
    #[error("section '{}' of artifact '{artifact}' was changed since revision {base}", newer.slug)]
    Moved {
        /// The artifact.
        artifact: String,
        /// The revision that the change was made on.
        base: u64,
        /// The newest one.
        newest: u64,
        /// The section as it is now, with its text.
        newer: Box<SectionInfo>,
    },
    /// Somebody changed the artifact since the caller saw it.
    #[error("artifact '{artifact}' was changed since revision {base}: revision {newest} is newer")]
    Outdated {
        /// The artifact.
        artifact: String,
        /// The revision that the change was made on.
        base: u64,
        /// The newest one.
        newest: u64,
        /// The whole Markdown as it is now.
        content: String,
    },
    /// The text of a section holds what it may not.
    #[error("{problem}")]
    Content {
        /// What, in words.
        problem: String,
        /// What to do.
        hint: String,
    },
    /// Two values of a call contradict each other, or one is none.
    #[error("{0}")]
    Value(String),
    /// What documents refuse.
    #[error(transparent)]
    Document(#[from] DocumentError),
}

impl ArtifactError {
    /// The error for a section that is not there.
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

    /// The error for a section that somebody else changed.
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

/// The error for an artifact that is not there, with those that are.
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
