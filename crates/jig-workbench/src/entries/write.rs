//! The single write path for entries and proposals: planned on a head, committed, and planned again if another write
//! was faster.

use std::sync::Arc;

use bytes::Bytes;
use jig_context::document::RevisionNumber;
use jig_context::entry::{Entry, path_of, proposal_path, proposal_to_json};
use jig_contract::ops::{KindDefinition, ProposalInfo};
use jig_contract::{BlobHash, Code, OpError, RevisionTag};
use jig_store::{Change, Head, Plan, SpentRevisions, TreeEdit};
use serde_json::json;

use super::{Named, Seen, Wish};
use crate::engine::{Planned, Session};
use crate::{CallContext, Workbench};

/// The effect on the entry.
pub(crate) enum EntryEdit {
    /// It stays unchanged, or missing.
    Keep,
    /// Stores the next revision, which replaces the one that was read.
    Put(Box<Entry>),
    /// Stores the next revision, derived from whatever is there: after a conflict it is derived again.
    Merge(Box<Entry>),
    /// Deletes the entry.
    Remove,
}

/// The effect of a write on a state.
pub(crate) struct Edit<T> {
    pub(crate) entry: EntryEdit,
    /// A new or decided proposal.
    pub(crate) proposal: Option<ProposalInfo>,
    /// A one-line summary.
    pub(crate) summary: String,
    /// The result for the caller.
    pub(crate) output: T,
}

/// The input of a write: what the state contains.
pub(crate) struct Target<'a> {
    pub(crate) named: &'a Named,
    pub(crate) kind: &'a KindDefinition,
    pub(crate) seen: Option<&'a Seen>,
    /// Revision numbers that were already used at this address and must not be reused.
    pub(crate) spent: SpentRevisions,
    /// The proposal that the write is about.
    pub(crate) proposal: Option<&'a ProposalInfo>,
}

impl Target<'_> {
    /// The number of the base revision.
    pub(crate) fn base(&self, base: Option<&RevisionTag>) -> Result<Option<u64>, OpError> {
        Seen::base(self.seen, base, self.spent)
    }
}

/// Plans a write. Called again after each conflict.
pub(crate) type Make<'a, T> = &'a (dyn Fn(Target<'_>) -> Result<Edit<T>, OpError> + Send + Sync);

/// The entry and proposal that a write is about.
pub(crate) struct About<'a> {
    pub(crate) operation: &'static str,
    pub(crate) role: &'a str,
    pub(crate) entry_key: Option<&'a str>,
    pub(crate) proposal: Option<&'a jig_contract::ProposalId>,
}

impl Workbench {
    /// Writes an entry, a proposal, or both.
    pub(crate) async fn write_entry<T: Send>(
        &self,
        context: &CallContext,
        session: &mut Session,
        about: About<'_>,
        make: Make<'_, T>,
    ) -> Result<T, OpError> {
        let about = &about;
        let plan = |head: Head| {
            Box::pin(async move {
                let kinds = self.kinds_at(head.state).await?;
                let named = Named::of(Arc::clone(&kinds), about.role, about.entry_key)?;
                let seen = self.entry_at(head.state, &named.kind, &named.key).await?;
                let proposal = match about.proposal {
                    Some(id) => self.proposal_at(head.state, id).await?,
                    None => None,
                };
                let spent = self.store().spent_revisions(&head.id, &path_of(&named.kind, &named.key)).await?;
                let present = seen.as_ref().map(|seen| seen.entry.revision());
                let target = Target {
                    named: &named,
                    spent,
                    kind: named.definition()?,
                    seen: seen.as_ref(),
                    proposal: proposal.as_deref(),
                };
                let mut edit = make(target)?;
                if let EntryEdit::Put(entry) | EntryEdit::Merge(entry) = &mut edit.entry {
                    // Only a revision that this write creates is renumbered.
                    if present.is_none_or(|present| entry.revision() > present) && entry.revision() <= spent.highest() {
                        entry.document.renumber(RevisionNumber(spent.highest() + 1));
                    }
                }
                context.check_cancelled()?;
                self.plan_edit(context, &head, about.operation, &named, edit).await
            }) as Planned<'_, T>
        };
        let before = session.head.seq;
        let done = self.change(session, plan).await;
        if session.head.seq == before {
            // The write has no effect, possibly because another one did the same: the result reflects the current head.
            session.head = self.store().head(&session.id).await?;
        }
        match done {
            Err(error) if error.code() == Code::Conflict => {
                Err(self.with_newer(session, about.role, about.entry_key, error).await)
            }
            done => done,
        }
    }

    async fn plan_edit<T>(
        &self,
        context: &CallContext,
        head: &Head,
        operation: &'static str,
        named: &Named,
        edit: Edit<T>,
    ) -> Result<Plan<T>, OpError> {
        let Edit { entry, proposal, summary, output } = edit;
        let path = path_of(&named.kind, &named.key);
        let (mut edits, mut touches) = (Vec::new(), Vec::new());
        match entry {
            EntryEdit::Keep => {}
            EntryEdit::Merge(entry) => edits.push(self.file_edit(path, entry.to_json(named.definition()?)).await?),
            EntryEdit::Put(entry) => {
                edits.push(self.file_edit(path.clone(), entry.to_json(named.definition()?)).await?);
                touches.push(path);
            }
            EntryEdit::Remove => {
                edits.push(TreeEdit::Remove { path: path.clone() });
                touches.push(path);
            }
        }
        if let Some(proposal) = proposal {
            let path = proposal_path(&proposal.id);
            edits.push(self.file_edit(path.clone(), proposal_to_json(&proposal)).await?);
            touches.push(path);
        }
        let state = self.store().edit(head.state, &edits).await?;
        if state == head.state {
            return Ok(Plan::nothing(output));
        }
        Ok(Plan::change(Change::new(context.actor.clone(), operation, summary, state), touches, output))
    }

    /// Stores bytes and returns the edit that puts them at a path.
    pub(crate) async fn file_edit(&self, path: String, bytes: Vec<u8>) -> Result<TreeEdit, OpError> {
        let size = bytes.len() as u64;
        let hash = self.store().blobs().put(Bytes::from(bytes)).await?;
        Ok(TreeEdit::File { path, hash, bytes: size })
    }

    /// Adds the newer revision and its values to a conflict, so that a caller can compare and retry.
    async fn with_newer(&self, session: &Session, role: &str, entry_key: Option<&str>, mut error: OpError) -> OpError {
        let newer = async {
            let head = self.store().head(&session.id).await?;
            let kinds = self.kinds_at(head.state).await?;
            let named = Named::of(kinds, role, entry_key)?;
            let Some(seen) = self.entry_at(head.state, &named.kind, &named.key).await? else { return Ok(None) };
            self.shown_entry(&session.id, head.state, named.definition()?, &seen, Wish::default()).await.map(Some)
        };
        let newer: Result<_, OpError> = newer.await;
        let mut detail = error.info.detail.take().unwrap_or_else(|| json!({}));
        if let (Ok(newer), Some(members)) = (newer, detail.as_object_mut()) {
            members.entry("newest").or_insert_with(|| json!(newer.as_ref().map(|entry| entry.revision)));
            members.entry("etag").or_insert_with(|| json!(newer.as_ref().map(|entry| &entry.etag)));
            members.insert("entry".to_owned(), json!(newer));
        }
        error.info.detail = Some(detail);
        error.workbench(&session.id)
    }

    /// The entry at the newest head.
    pub(crate) async fn entry_now(
        &self,
        session: &Session,
        role: &str,
        entry_key: Option<&str>,
    ) -> Result<jig_contract::ops::EntryInfo, OpError> {
        let state = session.head.state;
        let named = Named::of(self.kinds_at(state).await?, role, entry_key)?;
        let seen = self.needed_entry(&session.id, state, &named).await?;
        self.shown_entry(&session.id, state, named.definition()?, &seen, Wish::default()).await
    }

    /// All entries of one kind, by key.
    pub(crate) async fn entries_of_kind(&self, state: BlobHash, role: &str) -> Result<Vec<(String, Seen)>, OpError> {
        let folder = format!("{}/{role}", super::ENTRIES_FOLDER);
        let mut found = Vec::new();
        for (name, node) in self.store().files(state, &folder).await? {
            found.push((format!("{folder}/{name}"), self.entry_of(node.hash).await?));
        }
        Ok(found)
    }
}
