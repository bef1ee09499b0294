//! The single write path for artifacts and suggestions. A write is planned on a head and committed together with
//! messages for the conversation; if another write is faster, it is planned again. The plan itself detects changes of
//! the same section.

use jig_context::artifact::{Artifact, path_of, suggestion_path, suggestion_to_json};
use jig_context::document::{KindName, RevisionNumber};
use jig_contract::ops::{MessageRole, SuggestionInfo};
use jig_contract::{Actor, BlobHash, OpError};
use jig_store::{Change, Head, NewMessage, Plan, TreeEdit};

use crate::engine::{Planned, Session};
use crate::{CallContext, Workbench};

/// The effect of a write on one artifact.
pub(crate) enum ArtifactEdit {
    /// Stores the next, or the first, revision.
    Put(Box<Artifact>),
    /// Deletes the artifact.
    Remove(KindName),
}

/// The effect of a write on a state.
pub(crate) struct ArtifactChange<T> {
    pub(crate) artifacts: Vec<ArtifactEdit>,
    /// New or decided suggestions.
    pub(crate) suggestions: Vec<SuggestionInfo>,
    /// A one-line summary.
    pub(crate) summary: String,
    /// Messages for the conversation.
    pub(crate) messages: Vec<NewMessage>,
    /// The result for the caller.
    pub(crate) output: T,
}

/// A message for the conversation about a change.
pub(crate) fn said(actor: &Actor, operation: &str, artifact: &str, text: String) -> NewMessage {
    let mut message = NewMessage::new(actor.clone(), MessageRole::Tool, Some(artifact.to_owned()), text);
    message.operation = Some(operation.to_owned());
    message
}

/// Plans a write on a head. Called again after each conflict.
pub(crate) type MakeChange<'a, T> = &'a (dyn Fn(Head) -> Making<'a, T> + Send + Sync);

/// The future of a plan.
pub(crate) type Making<'a, T> = futures::future::BoxFuture<'a, Result<ArtifactChange<T>, OpError>>;

impl Workbench {
    /// Writes artifacts and suggestions. Also returns the state before the write.
    pub(crate) async fn write_artifacts<'a, T: Send + 'a>(
        &'a self,
        context: &'a CallContext,
        session: &mut Session,
        operation: &'static str,
        make: MakeChange<'a, T>,
    ) -> Result<(T, BlobHash), OpError> {
        let plan = |head: Head| {
            Box::pin(async move {
                let before = head.state;
                let change = make(head.clone()).await?;
                context.check_cancelled()?;
                let ArtifactChange { artifacts, suggestions, summary, messages, output } = change;
                let mut edits = Vec::with_capacity(artifacts.len() + suggestions.len());
                for edit in artifacts {
                    edits.push(match edit {
                        ArtifactEdit::Put(mut artifact) => {
                            let path = path_of(&artifact.document.kind);
                            self.number_anew(&head, &path, &mut artifact).await?;
                            self.file_edit(path, artifact.to_json()).await?
                        }
                        ArtifactEdit::Remove(slug) => TreeEdit::Remove { path: path_of(&slug) },
                    });
                }
                for suggestion in suggestions {
                    edits.push(self.file_edit(suggestion_path(&suggestion.id), suggestion_to_json(&suggestion)).await?);
                }
                let state = self.store().edit(head.state, &edits).await?;
                if state == head.state {
                    return Ok(Plan::nothing((output, before)));
                }
                let change = Change::new(context.actor.clone(), operation, summary, state).with_messages(messages);
                // No paths are declared as touched, because each plan checks its own conflicts.
                Ok(Plan::change(change, Vec::new(), (output, before)))
            }) as Planned<'_, (T, BlobHash)>
        };
        let seq = session.head.seq;
        let done = self.change(session, plan).await.map_err(|error| error.workbench(&session.id.clone()));
        if session.head.seq == seq {
            session.head = self.store().head(&session.id).await?;
        }
        done
    }

    /// Gives a new revision a number that was never used at its address.
    async fn number_anew(&self, head: &Head, path: &str, artifact: &mut Artifact) -> Result<(), OpError> {
        let spent = self.store().spent_revisions(&head.id, path).await?.highest();
        let present = self.artifact_at(head.state, artifact.slug()).await?.map(|seen| seen.artifact.revision());
        if artifact.revision() <= spent && present.is_none_or(|present| artifact.revision() > present) {
            artifact.renumber(RevisionNumber(spent + 1));
        }
        Ok(())
    }
}
