//! Creates artifacts.

use std::collections::BTreeMap;

use jig_contract::ops::ArtifactStatus;
use serde_json::Map;

use super::apply::Author;
use super::error::ArtifactError;
use super::markdown::outline;
use super::{Artifact, kind_named};
use crate::document::{Document, DocumentId, Key, KindName, RevisionNumber, Write};

/// The properties of a new artifact.
#[derive(Debug, Clone, PartialEq)]
pub struct New {
    /// Its id.
    pub id: DocumentId,
    /// The name in addresses.
    pub slug: KindName,
    /// The display title.
    pub title: String,
    /// Its stage.
    pub stage: String,
    /// The template it is created from.
    pub template: Option<String>,
    /// The complete Markdown.
    pub content: String,
}

/// Creates the artifact in its first revision.
pub fn create(new: New, author: Author) -> Result<Artifact, ArtifactError> {
    let kind = kind_named(new.slug);
    let write = Write { author: author.actor, reason: author.reason, at: author.at, changes: Vec::new() };
    let document = Document::create(&kind, new.id, Key::singleton(), &new.title, write)?;
    let mut artifact = Artifact {
        document,
        stage: new.stage,
        status: ArtifactStatus::Draft,
        finalized: None,
        template: new.template,
        lead: String::new(),
        lead_changed: RevisionNumber::FIRST,
        layout: BTreeMap::new(),
        snapshots: Vec::new(),
        created_at: author.at,
        previous: None,
        other: Map::new(),
    };
    super::whole::rewrite(&mut artifact, &kind, &new.content)?;
    Ok(artifact)
}

/// The title in the text: its first level-1 heading before any section.
pub fn title_in(text: &str) -> Option<String> {
    outline(text).title.map(|(_, title)| title).filter(|title| !title.is_empty())
}
