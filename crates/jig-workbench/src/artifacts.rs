//! Reading artifacts, stages and suggestions of a workbench's state, and writing them together with the conversation in
//! one commit.
//!
//! As with entries, no call waits for the folder on disk, and parsed files are cached by their hash.

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

/// The size of the cache for artifacts, suggestions and stages, in approximate bytes of their files.
const KEPT: usize = 32 << 20;

/// An in-memory cache. Everything in it can be read again.
pub(crate) struct ArtifactShelf {
    artifacts: Shelf<BlobHash, Artifact>,
    suggestions: Shelf<BlobHash, SuggestionInfo>,
    stages: Shelf<Option<BlobHash>, Vec<StageDefinition>>,
    /// Indexes of the names that messages can refer to.
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

/// An artifact and the hash of its file, which the next revision records.
#[derive(Clone)]
pub(crate) struct SeenArtifact {
    pub(crate) hash: BlobHash,
    pub(crate) artifact: Arc<Artifact>,
}

impl SeenArtifact {
    /// The file hash in the form that the next revision records.
    pub(crate) fn previous(&self) -> Option<String> {
        Some(self.hash.to_string())
    }
}

impl Workbench {
    /// An artifact of a state.
    pub(crate) async fn artifact_at(&self, state: BlobHash, slug: &str) -> Result<Option<SeenArtifact>, OpError> {
        let Ok(name) = KindName::new(slug) else { return Ok(None) };
        match self.store().lookup(state, &path_of(&name)).await? {
            Some(Node::File { hash, .. }) => Ok(Some(self.artifact_of(hash).await?)),
            _ => Ok(None),
        }
    }

    /// Parses the artifact file with this hash.
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
