//! History: the journal, undo and redo, and event replay.

use jig_contract::ops::*;
use jig_contract::{Code, OpError};
use jig_store::JournalQuery;

use crate::{CallContext, Handle, Workbench};

const JOURNAL_DEFAULT: u32 = 50;
const EVENTS_DEFAULT: u32 = 100;
/// The maximum number of rows of an answer.
const ROWS_MAX: u32 = 10_000;

fn limit(wanted: Option<u32>, default: u32) -> Result<u32, OpError> {
    match wanted {
        None => Ok(default),
        Some(n @ 1..=ROWS_MAX) => Ok(n),
        Some(n) => Err(OpError::new(Code::ValidationFailed, format!("a limit of {n} is not possible"))
            .hint(format!("ask for 1 to {ROWS_MAX} at a time"))),
    }
}

impl Handle<JournalList> for Workbench {
    async fn handle(&self, _: &CallContext, params: JournalListParams) -> Result<JournalListOutput, OpError> {
        let limit = limit(params.limit, JOURNAL_DEFAULT)?;
        let session = self.enter(&params.workbench_id.check()?).await?;
        let query = JournalQuery::Before { seq: params.before, limit };
        let entries = self.store().journal(&session.id, query).await?;
        let has_more = entries.last().is_some_and(|entry| entry.seq > 1);
        Ok(JournalListOutput { entries, total: session.head.seq, has_more })
    }
}

impl Handle<JournalUndo> for Workbench {
    async fn handle(&self, context: &CallContext, params: JournalUndoParams) -> Result<JournalUndoOutput, OpError> {
        let mut session = self.enter(&params.workbench_id.check()?).await?;
        let (change, entry) = self.store().undo(&session.id, context.actor.clone()).await?;
        let head = self.store().head(&session.id).await?;
        self.moved(&mut session, head, &entry).await;
        Ok(JournalUndoOutput { change, entry })
    }
}

impl Handle<JournalRedo> for Workbench {
    async fn handle(&self, context: &CallContext, params: JournalRedoParams) -> Result<JournalUndoOutput, OpError> {
        let mut session = self.enter(&params.workbench_id.check()?).await?;
        let (change, entry) = self.store().redo(&session.id, context.actor.clone()).await?;
        let head = self.store().head(&session.id).await?;
        self.moved(&mut session, head, &entry).await;
        Ok(JournalUndoOutput { change, entry })
    }
}

impl Handle<EventList> for Workbench {
    async fn handle(&self, _: &CallContext, params: EventListParams) -> Result<EventListOutput, OpError> {
        let limit = limit(params.limit, EVENTS_DEFAULT)?;
        let session = self.enter(&params.workbench_id.check()?).await?;
        let query = JournalQuery::After { seq: params.after, limit };
        let entries = self.store().journal(&session.id, query).await?;
        let cursor = entries.last().map_or(params.after, |entry| entry.seq);
        let has_more = cursor < session.head.seq;
        let mut events = Vec::with_capacity(entries.len());
        for entry in entries {
            events.extend(self.events_of(&session.id, entry).await);
        }
        Ok(EventListOutput { events, cursor, has_more })
    }
}
