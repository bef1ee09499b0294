//! Suggestions: pending ones, and decisions on them.

use jig_context::artifact::{Batch, Wish, accept_suggestion, apply, decided, reject_suggestion};
use jig_contract::ops::*;
use jig_contract::{Actor, Code, OpError, SuggestionId};
use jig_store::Head;

use super::artifact::Lock;
use crate::artifacts::{ArtifactChange, ArtifactEdit, Making, SuggestionQuery, no_suggestion, said};
use crate::engine::Session;
use crate::entries::{bad_cursor, page_limit};
use crate::{CallContext, Handle, Workbench};

impl Handle<SuggestionList> for Workbench {
    async fn handle(&self, _: &CallContext, params: SuggestionListParams) -> Result<SuggestionListOutput, OpError> {
        let limit = page_limit(params.limit)? as usize;
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let state = session.head.state;
        let mut query = SuggestionQuery {
            state: Some(params.state.unwrap_or(ProposalState::Pending)),
            ..SuggestionQuery::default()
        };
        match (&params.artifact_slug, &params.section_slug) {
            (Some(slug), section) => {
                let seen = self.needed_artifact(state, slug).await?;
                query.artifact_id = Some(seen.artifact.document.id.0.to_string());
                if let Some(section) = section {
                    let shown =
                        jig_context::artifact::info(&seen.artifact, std::slice::from_ref(section), Wish::Outline)?;
                    query.section_id = shown.sections.first().map(|section| section.id);
                }
            }
            (None, Some(_)) => {
                return Err(OpError::new(Code::ValidationFailed, "a section is one of an artifact: name that too"));
            }
            (None, None) => {}
        }
        let mut found = self.suggestions_at(state, &query).await?;
        if let Some(after) = &params.cursor {
            let at = found.iter().position(|suggestion| suggestion.id.as_str() == after).ok_or_else(bad_cursor)?;
            found.drain(..=at);
        }
        let has_more = found.len() > limit;
        found.truncate(limit);
        let mut suggestions = Vec::with_capacity(found.len());
        for suggestion in &found {
            suggestions.push(self.beside_section(state, suggestion).await?);
        }
        let cursor = suggestions.last().map(|last| last.id.to_string()).filter(|_| has_more);
        Ok(SuggestionListOutput { suggestions, cursor, has_more })
    }
}

impl Handle<SuggestionAccept> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: SuggestionAcceptParams,
    ) -> Result<SuggestionAcceptOutput, OpError> {
        check_decider(context)?;
        let id = params.suggestion_id.check()?;
        let author = self.author(context, params.reason.clone(), Lock::of(params.override_lock))?;
        let mut session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let (id, author, params) = (&id, &author, &params);
        let make = move |head: Head| {
            Box::pin(async move {
                let suggestion = self.suggestion_at(head.state, id).await?.ok_or_else(|| no_suggestion(id))?;
                let seen = self.needed_artifact(head.state, &suggestion.artifact_slug).await?;
                let base = self.artifact_base(&head.id, Some(&seen), params.base_revision.as_ref()).await?;
                let (section, content) = accept_suggestion(&suggestion, &seen.artifact, params.content.clone(), base)?;
                let slug = seen.artifact.slug().to_owned();
                let mut artifacts = Vec::new();
                if let Some(content) = content {
                    let op = ArtifactOp::UpdateSection {
                        artifact_slug: slug.clone(),
                        section_slug: section.clone(),
                        content,
                        reason: Some(format!("accepted suggestion {id}: {}", suggestion.suggestion)),
                        split: false,
                        base_revision: None,
                    };
                    let work = Batch {
                        ops: vec![(0, &op)],
                        base_revision: None,
                        author: author.clone(),
                        previous: seen.previous(),
                    };
                    let done = apply(&seen.artifact, work)
                        .map_err(|(index, error)| Self::artifact_error(index, false, error))?;
                    artifacts.extend(done.artifact.map(|artifact| ArtifactEdit::Put(Box::new(artifact))));
                }
                let after = decided(
                    &suggestion,
                    ProposalState::Accepted,
                    context.actor.clone(),
                    author.at,
                    params.reason.clone(),
                );
                let summary = format!("accepted a suggestion for @{slug}#{section}");
                Ok(ArtifactChange {
                    output: (slug.clone(), !artifacts.is_empty()),
                    artifacts,
                    suggestions: vec![after],
                    messages: vec![said(&context.actor, "SuggestionAccept", &slug, summary.clone())],
                    summary,
                })
            }) as Making<'_, (String, bool)>
        };
        let ((slug, changed), _) = self.write_artifacts(context, &mut session, "SuggestionAccept", &make).await?;
        let state = session.head.state;
        let seen = self.needed_artifact(state, &slug).await?;
        let artifact = self.shown_artifact(state, &seen, &[], Wish::Outline).await?;
        Ok(SuggestionAcceptOutput { suggestion: self.suggestion_now(&session, id).await?, artifact, changed })
    }
}

impl Handle<SuggestionReject> for Workbench {
    async fn handle(&self, context: &CallContext, params: SuggestionRejectParams) -> Result<SuggestionOutput, OpError> {
        check_decider(context)?;
        let id = params.suggestion_id.check()?;
        let at = self.env().now();
        let mut session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let (id, params) = (&id, &params);
        let make = move |head: Head| {
            Box::pin(async move {
                let suggestion = self.suggestion_at(head.state, id).await?.ok_or_else(|| no_suggestion(id))?;
                let after = reject_suggestion(&suggestion, context.actor.clone(), at, params.reason.clone())?;
                let slug = suggestion.artifact_slug.clone();
                let summary = format!("rejected a suggestion for @{slug}#{}", suggestion.section_slug);
                Ok(ArtifactChange {
                    artifacts: Vec::new(),
                    suggestions: vec![after],
                    messages: vec![said(&context.actor, "SuggestionReject", &slug, summary.clone())],
                    summary,
                    output: (),
                })
            }) as Making<'_, ()>
        };
        self.write_artifacts(context, &mut session, "SuggestionReject", &make).await?;
        Ok(SuggestionOutput { suggestion: self.suggestion_now(&session, id).await? })
    }
}

impl Workbench {
    async fn suggestion_now(&self, session: &Session, id: &SuggestionId) -> Result<SuggestionInfo, OpError> {
        let state = session.head.state;
        let suggestion = self.suggestion_at(state, id).await?.ok_or_else(|| no_suggestion(id))?;
        self.beside_section(state, &suggestion).await
    }
}

fn check_decider(context: &CallContext) -> Result<(), OpError> {
    if matches!(context.actor, Actor::Agent { .. }) {
        return Err(OpError::new(Code::NotPermitted, "an agent does not decide on suggestions")
            .hint("a person looks at them with `jig suggestion list`"));
    }
    Ok(())
}
