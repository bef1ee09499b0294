//! Attributes changes of a Draft to the session steps that made them, using the journal.

use std::collections::BTreeMap;

use jig_contract::ops::{ChangeStep, DraftNote, JournalEntry, Root};
use jig_contract::{Actor, BlobHash, OpError, SessionId, WorkbenchId};
use jig_session::Body;
use jig_store::{Head, JournalQuery};

use super::runner::UNDO_TO_MESSAGE;
use crate::Workbench;
use crate::state::{DraftRecord, View};

/// How many journal entries are read at most. Of a longer Draft, the newest steps are reported.
const LOOK_BACK: usize = 5_000;
const AT_A_TIME: u32 = 200;

/// The agent steps of a Draft.
#[derive(Default)]
pub(crate) struct MadeByAgents {
    /// The steps that changed a file, by path, oldest first.
    pub(crate) steps: BTreeMap<String, Vec<ChangeStep>>,
    /// The last of all steps.
    last: Option<ChangeStep>,
}

/// What is searched for while walking back.
#[derive(PartialEq)]
enum Wanted {
    /// The change that created this state.
    State(BlobHash),
    /// The newest state whose Draft has this hash.
    Draft(Option<BlobHash>),
}

impl Workbench {
    /// The steps since the start of the Draft that led to its current content. The journal is walked back by states,
    /// because it also contains undone changes: an undo and what it undid are skipped up to the change that first
    /// created a state.
    pub(crate) async fn made_by_agents(&self, head: &Head, draft: &DraftRecord) -> Result<MadeByAgents, OpError> {
        let mut made = MadeByAgents::default();
        // The change after this state started the Draft.
        for row in self.journal_since(head, draft.base_state).await? {
            self.credit(&mut made, &row).await?;
        }
        made.steps.values_mut().for_each(|steps| steps.reverse());
        Ok(made)
    }

    /// The changes after a state that led to the current one, newest first.
    pub(super) async fn journal_since(&self, head: &Head, since: BlobHash) -> Result<Vec<JournalEntry>, OpError> {
        let mut changes = Vec::new();
        let mut wanted = Wanted::State(head.state);
        let (mut before, mut seen) = (None, 0);
        'journal: loop {
            let query = JournalQuery::Before { seq: before, limit: AT_A_TIME };
            let rows = self.store().journal(&head.id, query).await?;
            let Some(oldest) = rows.last().map(|row| row.seq) else { break };
            for row in rows {
                seen += 1;
                if wanted == Wanted::State(since) || seen > LOOK_BACK {
                    break 'journal;
                }
                if !self.is_wanted(&wanted, row.state_after).await? {
                    continue;
                }
                wanted = if row.target.is_some() {
                    Wanted::State(row.state_after)
                } else if row.operation == UNDO_TO_MESSAGE {
                    Wanted::Draft(self.draft_of(row.state_after).await?)
                } else {
                    let before = row.state_before;
                    changes.push(row);
                    Wanted::State(before)
                };
            }
            before = Some(oldest);
        }
        Ok(changes)
    }

    async fn is_wanted(&self, wanted: &Wanted, state: BlobHash) -> Result<bool, OpError> {
        Ok(match wanted {
            Wanted::State(wanted) => *wanted == state,
            Wanted::Draft(wanted) => *wanted == self.draft_of(state).await?,
        })
    }

    /// The hash of the Draft in a state, if there is one.
    async fn draft_of(&self, state: BlobHash) -> Result<Option<BlobHash>, OpError> {
        let view = View::at(self.store(), state);
        if view.draft().await?.is_none() {
            return Ok(None);
        }
        view.root_hash(Root::Draft).await
    }

    /// Records what an agent's step changed.
    async fn credit(&self, made: &mut MadeByAgents, row: &JournalEntry) -> Result<(), OpError> {
        let Some(step) = step_of(&row.actor, row.seq) else { return Ok(()) };
        for path in self.changed_in_draft(row.state_before, row.state_after).await? {
            made.steps.entry(path).or_default().push(step.clone());
            made.last.get_or_insert_with(|| step.clone());
        }
        Ok(())
    }

    /// The files of the Draft that differ between two states. A Draft that starts in between started from the published
    /// state.
    pub(super) async fn changed_in_draft(&self, before: BlobHash, after: BlobHash) -> Result<Vec<String>, OpError> {
        let (before, after) = (View::at(self.store(), before), View::at(self.store(), after));
        let root = if before.draft().await?.is_some() { Root::Draft } else { Root::Published };
        let (old, new) = (before.root_hash(root).await?, after.root_hash(Root::Draft).await?);
        if old == new || after.draft().await?.is_none() {
            return Ok(Vec::new());
        }
        Ok(self.store().diff(old, new).await?.into_iter().map(|change| change.path).collect())
    }

    /// The summary of the last run that changed the Draft. Left out if the session cannot be read.
    pub(crate) async fn run_summary(&self, id: &WorkbenchId, made: &MadeByAgents) -> Option<DraftNote> {
        let ChangeStep { session_id, run, .. } = made.last.clone()?;
        let live = self.session(id, &session_id).await.ok()?;
        let text = live.state.history.entries.iter().rev().find_map(|entry| match &entry.body {
            Body::Reply { text } if entry.run == run => Some(text.clone()),
            _ => None,
        })?;
        Some(DraftNote { session_id, run, text })
    }
}

fn step_of(actor: &Actor, journal_seq: u64) -> Option<ChangeStep> {
    let Actor::Agent { session: Some(session), run: Some(run), step: Some(step), .. } = actor else { return None };
    let (session_id, run) = (SessionId::new(session.as_str()).ok()?, run.parse().ok()?);
    Some(ChangeStep { session_id, run, step: *step, journal_seq })
}
