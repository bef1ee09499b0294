//! Finds artifacts by name, and free names for new ones.

use jig_context::artifact::{self, Wish, info, no_artifact};
use jig_context::document::{DocumentError, KindName, PartName, RevisionNumber};
use jig_contract::ops::{ArtifactInfo, ContextCategory, ProposalState};
use jig_contract::{BlobHash, Code, OpError, WorkbenchId};

use super::{SeenArtifact, SuggestionQuery};
use crate::Workbench;

impl Workbench {
    /// An artifact that must exist, by its slug, with or without `.md`, ignoring case.
    pub(crate) async fn needed_artifact(&self, state: BlobHash, slug: &str) -> Result<SeenArtifact, OpError> {
        let wanted = plain_slug(slug);
        if let Some(seen) = self.artifact_at(state, wanted).await? {
            return Ok(seen);
        }
        let all = self.artifacts_at(state).await?;
        let slugs: Vec<&str> = all.iter().map(|seen| seen.artifact.slug()).collect();
        Err(no_artifact(slug, slugs))
    }

    /// An old revision of an artifact, found by following the chain of file hashes.
    pub(crate) async fn artifact_revision(
        &self,
        newest: &SeenArtifact,
        revision: u64,
    ) -> Result<SeenArtifact, OpError> {
        let mut at = newest.clone();
        loop {
            if at.artifact.revision() == revision {
                return Ok(at);
            }
            at = match self.artifact_before(&at).await? {
                Some(before) if at.artifact.revision() > revision => before,
                _ => return Err(no_revision(newest, revision)),
            };
        }
    }

    /// The previous revision; `None` for the first.
    pub(crate) async fn artifact_before(&self, seen: &SeenArtifact) -> Result<Option<SeenArtifact>, OpError> {
        let Some(previous) = &seen.artifact.previous else { return Ok(None) };
        let hash = previous.parse().map_err(|e| {
            OpError::new(Code::BlobCorrupt, "an artifact does not say where its revision before is").because(e)
        })?;
        self.artifact_of(hash).await.map(Some)
    }

    /// The wire form of an artifact.
    pub(crate) async fn shown_artifact(
        &self,
        state: BlobHash,
        seen: &SeenArtifact,
        sections: &[String],
        wish: Wish,
    ) -> Result<ArtifactInfo, OpError> {
        let mut shown = info(&seen.artifact, sections, wish)?;
        shown.etag = seen.tag().to_string();
        let query = SuggestionQuery {
            artifact_id: Some(shown.id.clone()),
            section_id: None,
            state: Some(ProposalState::Pending),
        };
        shown.suggestions = self.suggestions_at(state, &query).await?.len() as u64;
        Ok(shown)
    }

    /// The name of a new artifact: the requested one, which must be free, or one derived from the title. A name is free
    /// if nothing else has that address.
    pub(crate) async fn free_slug(
        &self,
        state: BlobHash,
        wished: Option<&str>,
        title: &str,
    ) -> Result<KindName, OpError> {
        let kinds = self.kinds_at(state).await?;
        let artifacts = self.artifacts_at(state).await?;
        let owner = |name: &KindName| match name.as_str() {
            name if artifacts.iter().any(|seen| seen.artifact.slug() == name) => Some("an artifact"),
            name if kinds.get(name).is_some() => Some("a kind of entries"),
            name if ContextCategory::ALL.iter().any(|item| item.to_string() == name) => Some("a context item"),
            _ => None,
        };
        if let Some(wished) = wished {
            let name = KindName::new(plain_slug(wished)).map_err(|e| {
                OpError::new(Code::ValidationFailed, e.to_string()).hint("a slug looks like `data-model`")
            })?;
            return match owner(&name) {
                None => Ok(name),
                Some(what) => Err(taken(&name, what)),
            };
        }
        let suggested = PartName::suggest(title);
        let names = std::iter::once(suggested.clone()).chain((2..=1_000).map(|number| suggested.numbered(number)));
        let mut names = names.filter_map(|name| KindName::new(name.as_str()).ok());
        names
            .find(|name| owner(name).is_none())
            .ok_or_else(|| OpError::new(Code::ArtifactExists, "every name for this title is taken").hint("give a slug"))
    }

    /// Refuses an entry kind with the name of an artifact, because each address has one meaning.
    pub(crate) async fn refuse_artifact_name(&self, state: BlobHash, role: &str) -> Result<(), OpError> {
        if self.artifact_at(state, role).await?.is_none() {
            return Ok(());
        }
        Err(OpError::new(Code::ArtifactExists, format!("an artifact is called `{role}` already"))
            .hint("choose another name, so that `@` addresses mean one thing"))
    }

    /// The slug of an artifact that a message or filter names.
    pub(crate) async fn known_slug(&self, id: &WorkbenchId, state: BlobHash, slug: &str) -> Result<String, OpError> {
        let seen = self.needed_artifact(state, slug).await.map_err(|error| error.workbench(id))?;
        Ok(seen.artifact.slug().to_owned())
    }
}

/// Strips `.md` from `concept.md`.
pub(crate) fn plain_slug(slug: &str) -> &str {
    let slug = slug.trim().trim_start_matches('@');
    slug.strip_suffix(".md").unwrap_or(slug)
}

fn taken(name: &KindName, what: &str) -> OpError {
    OpError::new(Code::ArtifactExists, format!("{what} is called `{name}` already"))
        .hint("choose another slug, so that `@` addresses mean one thing")
}

fn no_revision(newest: &SeenArtifact, wanted: u64) -> OpError {
    let document = newest.artifact.document.address().to_string();
    let (wanted, newest) = (RevisionNumber(wanted), newest.artifact.document.revision.number);
    artifact::ArtifactError::from(DocumentError::NoSuchRevision { document, wanted, newest }).into()
}
