//! The suggestions of a state, compared with the current sections.

use std::sync::Arc;

use jig_context::artifact::{SUGGESTIONS_FOLDER, as_seen, suggestion_from_json, suggestion_path};
use jig_contract::ops::{ProposalState, SuggestionInfo};
use jig_contract::{BlobHash, Code, OpError, SuggestionId};
use jig_store::Node;

use crate::Workbench;

/// A filter for suggestions.
#[derive(Debug, Clone, Default)]
pub(crate) struct SuggestionQuery {
    pub(crate) artifact_id: Option<String>,
    pub(crate) section_id: Option<u32>,
    pub(crate) state: Option<ProposalState>,
}

impl SuggestionQuery {
    fn fits(&self, suggestion: &SuggestionInfo) -> bool {
        self.artifact_id.as_ref().is_none_or(|id| *id == suggestion.artifact_id)
            && self.section_id.is_none_or(|id| id == suggestion.section_id)
            && self.state.is_none_or(|state| state == suggestion.state)
    }
}

impl Workbench {
    /// A suggestion of a state.
    pub(crate) async fn suggestion_at(
        &self,
        state: BlobHash,
        id: &SuggestionId,
    ) -> Result<Option<Arc<SuggestionInfo>>, OpError> {
        match self.store().lookup(state, &suggestion_path(id)).await? {
            Some(Node::File { hash, .. }) => self.suggestion_of(hash).await.map(Some),
            _ => Ok(None),
        }
    }

    async fn suggestion_of(&self, hash: BlobHash) -> Result<Arc<SuggestionInfo>, OpError> {
        let shelf = &self.artifact_shelf().suggestions;
        if let Some(suggestion) = shelf.get(&hash) {
            return Ok(suggestion);
        }
        let bytes = self.store().blobs().get(&hash).await?;
        let suggestion = suggestion_from_json(&bytes).map_err(|e| super::unreadable(&e))?;
        Ok(shelf.keep(hash, suggestion, bytes.len()))
    }

    /// The matching suggestions, newest first.
    pub(crate) async fn suggestions_at(
        &self,
        state: BlobHash,
        query: &SuggestionQuery,
    ) -> Result<Vec<Arc<SuggestionInfo>>, OpError> {
        let mut found = Vec::new();
        for (_, node) in self.store().files(state, SUGGESTIONS_FOLDER).await? {
            let suggestion = self.suggestion_of(node.hash).await?;
            if query.fits(&suggestion) {
                found.push(suggestion);
            }
        }
        found.sort_by_key(|suggestion| std::cmp::Reverse((suggestion.created_at, suggestion.id.to_string())));
        Ok(found)
    }

    /// A suggestion compared with its section in this state.
    pub(crate) async fn beside_section(
        &self,
        state: BlobHash,
        suggestion: &SuggestionInfo,
    ) -> Result<SuggestionInfo, OpError> {
        let seen = self.artifact_at(state, &suggestion.artifact_slug).await?;
        Ok(as_seen(suggestion, seen.as_ref().map(|seen| seen.artifact.as_ref())))
    }
}

/// The error for an unknown suggestion.
pub(crate) fn no_suggestion(id: &SuggestionId) -> OpError {
    OpError::new(Code::SuggestionNotFound, format!("there is no suggestion `{id}`"))
        .hint("`jig suggestion list` shows those that wait")
}
