//! Artifacts, stages and suggestions in a workbench's state: reading them, and writing them in one commit together with
//! what the conversation is told.
//!
//! As with entries, nobody waits for the folder on disk, and what was read of a file is kept by its hash.

mod find;
mod stages;
mod suggestions;
mod write;

use std::sync::Arc;

use jig_context::artifact::{Artifact, BadArtifact, FOLDER, path_of};
use jig_context::document::KindName;
use jig_context::target::Catalog;
use jig_contract::ops::{StageDefinition, SuggestionInfo};
use jig_contract::{BlobHash, Code, OpError};
use jig_store::Node;

pub(crate) use find::plain_slug;
pub(crate) use stages::Stages;
pub(crate) use suggestions::{SuggestionQuery, no_suggestion};
pub(crate) use write::{ArtifactChange, ArtifactEdit, Making, said};

use crate::Workbench;
use crate::shelf::Shelf;
use crate::targets::CatalogKey;

/// How much is kept of artifacts, suggestions and stages, in bytes of their files or near that.
const KEPT: usize = 32 << 20;

/// What is kept in memory. Everything in it can be read again.
pub(crate) struct ArtifactShelf {
    artifacts: Shelf<BlobHash, Artifact>,
    suggestions: Shelf<BlobHash, SuggestionInfo>,
    stages: Shelf<Option<BlobHash>, Vec<StageDefinition>>,
    /// What messages can name, indexed.
    pub(crate) catalogs: Shelf<CatalogKey, Catalog>,
}

impl ArtifactShelf {
    pub(crate) fn new() -> Self {
        Self {
            artifacts: Shelf::new(KEPT),
            suggestions: Shelf::new(KEPT / 4),
            stages: Shelf::new(KEPT / 8),
            catalogs: Shelf::new(KEPT),
        }
    }
}

/// An artifact with the hash of its file, which the next revision names.
#[derive(Clone)]
pub(crate) struct SeenArtifact {
    pub(crate) hash: BlobHash,
    pub(crate) artifact: Arc<Artifact>,
}

impl SeenArtifact {
    /// What the next revision says of this one.
    pub(crate) fn previous(&self) -> Option<String> {
        Some(self.hash.to_string())
    }
}

impl Workbench {
    /// An artifact of a state; none when there is none.
    pub(crate) async fn artifact_at(&self, state: BlobHash, slug: &str) -> Result<Option<SeenArtifact>, OpError> {
        let Ok(name) = KindName::new(slug) else { return Ok(None) };
        match self.store().lookup(state, &path_of(&name)).await? {
            Some(Node::File { hash, .. }) => Ok(Some(self.artifact_of(hash).await?)),
            _ => Ok(None),
        }
    }

    /// The artifact in this file.
    pub(crate) async fn artifact_of(&self, hash: BlobHash) -> Result<SeenArtifact, OpError> {
        let shelf = &self.artifact_shelf().artifacts;
        if let Some(artifact) = shelf.get(&hash) {
            return Ok(SeenArtifact { hash, artifact });
        }
        let bytes = self.store().blobs().get(&hash).await?;
        let artifact = Artifact::from_json(&bytes).map_err(|e| unreadable(&e))?;
        Ok(SeenArtifact { hash, artifact: shelf.keep(hash, artifact, bytes.len()) })
    }

    /// All artifacts of a state, by slug.
    pub(crate) async fn artifacts_at(&self, state: BlobHash) -> Result<Vec<SeenArtifact>, OpError> {
        let mut found = Vec::new();
        for (_, node) in self.store().files(state, FOLDER).await? {
            found.push(self.artifact_of(node.hash).await?);
        }
        found.sort_by(|a, b| a.artifact.slug().cmp(b.artifact.slug()));
        Ok(found)
    }
}

fn unreadable(error: &BadArtifact) -> OpError {
    OpError::new(Code::BlobCorrupt, error.to_string())
        .hint("`jig undo` goes back to before it was changed; `jig doctor` says what else is wrong")
}
