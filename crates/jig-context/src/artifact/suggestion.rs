//! Suggestions for sections, shown next to the current text until a person decides.

use jig_contract::ops::{ProposalState, SuggestedLine, SuggestedLineTag, SuggestionInfo};
use jig_contract::{Actor, OpError, SuggestionId, Timestamp};
use similar::{ChangeTag, TextDiff};

use super::apply::NewSuggestion;
use super::error::ArtifactError;
use super::{Artifact, BadArtifact};
use crate::definition::to_json;
use crate::document::{Part, PartId};

/// The folder of suggestions in a workbench.
pub const SUGGESTIONS_FOLDER: &str = "meta/suggestions";

/// The number of context lines around a change.
const AROUND: usize = 2;

/// A suggestion as stored, without the fields that depend on the current section.
pub type Stored = SuggestionInfo;

/// The path of a suggestion in a workbench.
pub fn suggestion_path(id: &SuggestionId) -> String {
    format!("{SUGGESTIONS_FOLDER}/{id}.json")
}

/// Serialises a suggestion.
pub fn suggestion_to_json(suggestion: &SuggestionInfo) -> Vec<u8> {
    to_json(&SuggestionInfo { conflict: false, diff: Vec::new(), ..suggestion.clone() })
}

/// Parses a suggestion file.
pub fn suggestion_from_json(bytes: &[u8]) -> Result<SuggestionInfo, BadArtifact> {
    serde_json::from_slice(bytes).map_err(|error| BadArtifact(error.to_string()))
}

impl NewSuggestion {
    /// Creates a suggestion for a section of this artifact.
    pub fn suggestion(
        self,
        artifact: &Artifact,
        section: (PartId, String),
        id: SuggestionId,
        by: Actor,
        at: Timestamp,
    ) -> SuggestionInfo {
        let (section_id, section_slug) = section;
        SuggestionInfo {
            id,
            artifact_slug: artifact.slug().to_owned(),
            artifact_id: artifact.document.id.0.to_string(),
            section_slug,
            section_id: section_id.0,
            section_title: self.section_title,
            suggestion: self.suggestion,
            rationale: self.rationale,
            content: self.content,
            state: ProposalState::Pending,
            base_revision: self.base_revision,
            conflict: false,
            diff: Vec::new(),
            created_at: at,
            created_by: by,
            decided_at: None,
            decided_by: None,
            decision_reason: None,
        }
    }
}

/// The section of a suggestion; `None` if it or its artifact no longer exists.
fn section<'a>(suggestion: &SuggestionInfo, artifact: Option<&'a Artifact>) -> Option<&'a Part> {
    let same = |artifact: &&Artifact| artifact.document.id.0.to_string() == suggestion.artifact_id;
    let parts = &artifact.filter(same)?.document.parts;
    parts.iter().find(|part| part.id.0 == suggestion.section_id)
}

/// The suggestion relative to the current artifact: its diff, and whether the section has changed since.
pub fn as_seen(suggestion: &SuggestionInfo, artifact: Option<&Artifact>) -> SuggestionInfo {
    let mut seen = suggestion.clone();
    let part = section(suggestion, artifact);
    let waits = suggestion.state == ProposalState::Pending;
    seen.conflict = waits && part.is_none_or(|part| part.changed.0 > suggestion.base_revision);
    if let (Some(artifact), Some(part)) = (artifact, part) {
        (seen.section_slug, seen.section_title) = (part.name.to_string(), part.title.clone());
        artifact.slug().clone_into(&mut seen.artifact_slug);
        if let (true, Some(content)) = (waits, &suggestion.content) {
            seen.diff = lines(artifact.content(part), content);
        }
    }
    seen
}

/// The line diff of two texts.
fn lines(old: &str, new: &str) -> Vec<SuggestedLine> {
    let whole = |text: &str| if text.is_empty() { String::new() } else { format!("{text}\n") };
    let (old, new) = (whole(old), whole(new));
    let diff = TextDiff::from_lines(&old, &new);
    let mut shown = Vec::new();
    for (n, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        if n > 0 {
            shown.push(SuggestedLine { tag: SuggestedLineTag::Context, text: "…".to_owned() });
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let tag = match change.tag() {
                ChangeTag::Equal => SuggestedLineTag::Context,
                ChangeTag::Insert => SuggestedLineTag::Added,
                ChangeTag::Delete => SuggestedLineTag::Removed,
            };
            shown.push(SuggestedLine { tag, text: change.value().trim_end_matches(['\n', '\r']).to_owned() });
        }
    }
    shown
}

/// The effect of accepting a suggestion: the section and its new text, if the suggestion has one.
pub fn accept_suggestion(
    suggestion: &SuggestionInfo,
    artifact: &Artifact,
    content: Option<String>,
    base_revision: Option<u64>,
) -> Result<(String, Option<String>), OpError> {
    check_waiting(suggestion)?;
    let Some(part) = section(suggestion, Some(artifact)) else {
        return Err(ArtifactError::no_section(artifact, &suggestion.section_slug).into());
    };
    super::whole::check_base(artifact, base_revision)?;
    if part.changed.0 > suggestion.base_revision && base_revision.is_none() {
        let error: OpError = ArtifactError::moved(artifact, part, suggestion.base_revision).into();
        let words = format!(
            "look at both texts; to take the suggestion all the same, pass base_revision {}",
            artifact.revision()
        );
        return Err(error.hint(words));
    }
    Ok((part.name.to_string(), content.or_else(|| suggestion.content.clone())))
}

/// The suggestion after it was rejected.
pub fn reject_suggestion(
    suggestion: &SuggestionInfo,
    by: Actor,
    at: Timestamp,
    reason: Option<String>,
) -> Result<SuggestionInfo, OpError> {
    check_waiting(suggestion)?;
    Ok(decided(suggestion, ProposalState::Rejected, by, at, reason))
}

/// The suggestion with a decision.
pub fn decided(
    suggestion: &SuggestionInfo,
    state: ProposalState,
    by: Actor,
    at: Timestamp,
    reason: Option<String>,
) -> SuggestionInfo {
    let (decided_at, decided_by) = (Some(at), Some(by));
    SuggestionInfo { state, decided_at, decided_by, decision_reason: reason, ..suggestion.clone() }
}

fn check_waiting(suggestion: &SuggestionInfo) -> Result<(), OpError> {
    let state = match suggestion.state {
        ProposalState::Pending => return Ok(()),
        ProposalState::Accepted => "accepted",
        ProposalState::Rejected => "rejected",
    };
    Err(OpError::new(jig_contract::Code::Conflict, format!("the suggestion was {state} already")))
}
