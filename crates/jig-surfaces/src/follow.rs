//! A workbench's events in order, without gaps or duplicates: first the stored ones, then new ones as they happen.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use jig_contract::ops::{EventListOutput, SessionListOutput, WorkbenchInfo};
use jig_contract::{Code, Event, EventRecord, OpError, SessionId, WorkbenchId};
use jig_workbench::{CallContext, Workbench};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, Interval};

/// How often to check for changes made by other processes. Those of this process arrive immediately.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// Follows one workbench. The journal is authoritative; the live stream only signals when to read it.
pub struct Follow {
    workbench: Workbench,
    context: CallContext,
    id: WorkbenchId,
    last: u64,
    /// The last change received from the live stream. Its accompanying events come from there too; those of other
    /// changes come from the replay.
    came_live: Option<u64>,
    live: Receiver<EventRecord>,
    ready: VecDeque<EventRecord>,
    more_kept: bool,
    /// The last delivered record of each session; `None` if the caller may not see sessions.
    sessions: Option<BTreeMap<SessionId, u64>>,
    more_in_sessions: bool,
    look: Interval,
}

/// Starts after the change `after`, or now. Fails if the workbench does not exist.
pub async fn start(
    workbench: &Workbench,
    context: CallContext,
    id: &str,
    after: Option<u64>,
) -> Result<Follow, OpError> {
    // Subscribed before reading the journal, so that no event is missed in between.
    let live = workbench.events();
    let info = workbench.call("WorkbenchGet", context.clone(), json!({ "workbench_id": id })).await?;
    let info: WorkbenchInfo = read(info)?;
    let last = after.unwrap_or(info.seq);
    let sessions = records(workbench, &context, &info.id).await.ok();
    let follow = Follow {
        workbench: workbench.clone(),
        context,
        id: info.id,
        last,
        came_live: None,
        live,
        ready: VecDeque::new(),
        more_kept: last < info.seq,
        sessions,
        more_in_sessions: false,
        look: tokio::time::interval_at(Instant::now() + LOOK_AGAIN, LOOK_AGAIN),
    };
    Ok(follow)
}

impl Follow {
    /// The number after which events are delivered.
    pub fn cursor(&self) -> u64 {
        self.last
    }

    /// The next event; waits for one. `None` if no more can arrive.
    pub async fn next(&mut self) -> Result<Option<EventRecord>, OpError> {
        loop {
            if let Some(record) = self.ready.pop_front() {
                return Ok(Some(record));
            }
            if self.more_kept {
                self.replay().await?;
                continue;
            }
            if self.more_in_sessions {
                self.replay_sessions().await?;
                continue;
            }
            tokio::select! {
                live = self.live.recv() => match live {
                    Ok(record) => self.take(record),
                    Err(RecvError::Lagged(_)) => self.look_again(),
                    Err(RecvError::Closed) => return Ok(None),
                },
                _ = self.look.tick() => self.look_again(),
            }
        }
    }

    fn look_again(&mut self) {
        self.more_kept = true;
        self.more_in_sessions = self.sessions.is_some();
    }

    /// Delivers records of a session in order and once, whichever process wrote them.
    fn take_session(&mut self, id: &SessionId, number: Option<u64>, mut record: EventRecord) {
        // A client that resumes from this number must not miss an undelivered change.
        record.seq = record.seq.min(self.last);
        let Some(sessions) = &mut self.sessions else { return };
        let Some(number) = number else { return self.ready.push_back(record) };
        let last = sessions.entry(id.clone()).or_insert(0);
        if number == *last + 1 {
            *last = number;
            self.ready.push_back(record);
        } else if number > *last {
            self.more_in_sessions = true;
        }
    }

    fn take(&mut self, record: EventRecord) {
        if record.workbench_id != self.id {
            return;
        }
        match &record.event {
            Event::Session { session_id, record: number, .. } => {
                let (id, number) = (session_id.clone(), *number);
                self.take_session(&id, number, record);
            }
            Event::Changed { .. } if record.seq <= self.last => {}
            Event::Changed { .. } if record.seq == self.last + 1 => {
                self.last = record.seq;
                self.came_live = Some(record.seq);
                self.ready.push_back(record);
            }
            // There is a change of another process in between.
            Event::Changed { .. } => self.more_kept = true,
            // Already delivered together with its replayed change.
            Event::ContextChanged { .. } | Event::EntryChanged { .. } | Event::ArtifactChanged { .. }
                if self.came_live != Some(record.seq) => {}
            Event::ContextChanged { .. }
            | Event::EntryChanged { .. }
            | Event::ArtifactChanged { .. }
            | Event::ConversationAdded { .. }
            | Event::JobChanged { .. }
            | Event::Progress { .. }
            | Event::Notice { .. } => {
                self.ready.push_back(record);
            }
        }
    }

    async fn replay(&mut self) -> Result<(), OpError> {
        let params = json!({ "workbench_id": self.id, "after": self.last });
        let page: EventListOutput = read(self.workbench.call("EventList", self.context.clone(), params).await?)?;
        self.more_kept = page.has_more;
        // A number that was delivered is never delivered again, whatever the page contains.
        let given = self.last;
        for record in page.events.into_iter().filter(|record| record.seq > given) {
            self.last = record.seq;
            self.ready.push_back(record);
        }
        Ok(())
    }
}

impl Follow {
    /// Delivers session records that are not delivered yet, of this process or another.
    async fn replay_sessions(&mut self) -> Result<(), OpError> {
        self.more_in_sessions = false;
        let Some(given) = self.sessions.clone() else { return Ok(()) };
        for (session, records) in records(&self.workbench, &self.context, &self.id).await? {
            let mut after = given.get(&session).copied().unwrap_or(0);
            while after < records {
                let params = json!({ "workbench_id": self.id, "session_id": session, "after": after, "limit": 1_000 });
                let page = self.workbench.call("SessionEvents", self.context.clone(), params).await?;
                let page: EventListOutput = read(page)?;
                if page.cursor <= after {
                    break;
                }
                after = page.cursor;
                let last = self.last;
                self.ready
                    .extend(page.events.into_iter().map(|record| EventRecord { seq: record.seq.min(last), ..record }));
            }
            self.sessions.get_or_insert_default().insert(session, after);
        }
        Ok(())
    }
}

/// The number of records of each session.
async fn records(
    workbench: &Workbench,
    context: &CallContext,
    id: &WorkbenchId,
) -> Result<BTreeMap<SessionId, u64>, OpError> {
    let params = json!({ "workbench_id": id, "limit": 1_000, "recipes": true });
    let list: SessionListOutput = read(workbench.call("SessionList", context.clone(), params).await?)?;
    Ok(list.sessions.into_iter().map(|session| (session.id, session.records)).collect())
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, OpError> {
    serde_json::from_value(value)
        .map_err(|e| OpError::new(Code::Internal, "an operation's answer does not have its own shape").because(e))
}
