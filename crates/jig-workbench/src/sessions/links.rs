//! Which steps of which sessions changed the files of a Draft, told from the journal.

use std::collections::BTreeMap;

use jig_contract::ops::{ChangeStep, DraftNote, JournalEntry, Root};
use jig_contract::{Actor, BlobHash, OpError, SessionId, WorkbenchId};
use jig_session::Body;
use jig_store::{Head, JournalQuery};

use super::runner::UNDO_TO_MESSAGE;
use crate::Workbench;
use crate::state::{DraftRecord, View};

/// How many changes are looked back over at most. A Draft with more of them names its newest steps.
const LOOK_BACK: usize = 5_000;
const AT_A_TIME: u32 = 200;

/// What agents made in a Draft.
#[derive(Default)]
pub(crate) struct MadeByAgents {
    /// The steps that changed a file, by its path, the oldest first.
    pub(crate) steps: BTreeMap<String, Vec<ChangeStep>>,
    /// The last one of all.
    last: Option<ChangeStep>,
}

/// What is looked for on the way back.
#[derive(PartialEq)]
enum Wanted {
    /// The change that made this state.
    State(BlobHash),
    /// The newest state with these files in its Draft.
    Draft(Option<BlobHash>),
}

impl Workbench {
    /// The steps since the Draft began that made what it is now. The journal is walked back by states, since what was
    /// taken back is in it too: an undo, and what it undid, are passed over up to the change that first made a state.
    pub(crate) async fn made_by_agents(&self, head: &Head, draft: &DraftRecord) -> Result<MadeByAgents, OpError> {
        let mut made = MadeByAgents::default();
        // The Draft began with the change after this state.
        for row in self.journal_since(head, draft.base_state).await? {
            self.credit(&mut made, &row).await?;
        }
        made.steps.values_mut().for_each(|steps| steps.reverse());
        Ok(made)
    }

    /// The changes after a state that made the workbench what it is now, the newest first.
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

    /// The files of the Draft in a state; none when it has no Draft.
    async fn draft_of(&self, state: BlobHash) -> Result<Option<BlobHash>, OpError> {
        let view = View::at(self.store(), state);
        if view.draft().await?.is_none() {
            return Ok(None);
        }
        view.root_hash(Root::Draft).await
    }

    /// Notes what an agent's step changed.
    async fn credit(&self, made: &mut MadeByAgents, row: &JournalEntry) -> Result<(), OpError> {
        let Some(step) = step_of(&row.actor, row.seq) else { return Ok(()) };
        for path in self.changed_in_draft(row.state_before, row.state_after).await? {
            made.steps.entry(path).or_default().push(step.clone());
            made.last.get_or_insert_with(|| step.clone());
        }
        Ok(())
    }

    /// The files of the Draft that differ between two states. One that begins in between began as what is published.
    pub(super) async fn changed_in_draft(&self, before: BlobHash, after: BlobHash) -> Result<Vec<String>, OpError> {
        let (before, after) = (View::at(self.store(), before), View::at(self.store(), after));
        let root = if before.draft().await?.is_some() { Root::Draft } else { Root::Published };
        let (old, new) = (before.root_hash(root).await?, after.root_hash(Root::Draft).await?);
        if old == new || after.draft().await?.is_none() {
            return Ok(Vec::new());
        }
        Ok(self.store().diff(old, new).await?.into_iter().map(|change| change.path).collect())
    }

    /// What the run that worked on the Draft last says of it. A session that cannot be read takes only that away.
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
