//! A session in memory, and appending to its log.

use std::collections::{BTreeMap, BTreeSet};

use jig_contract::{BlobHash, Code, OpError, SessionId, Timestamp, WorkbenchId};
use jig_session::{Command, Decided, Effect, EffectId, LOG_VERSION, Record, State, decide, digest, effects, evolve};
use jig_store::{Head, LogAppend, LogRow, SessionRow};

use super::desk::AtHand;
use super::log::{Logged, record};
use super::progress::Happened;
use crate::Workbench;

/// A loaded session with its running effects.
pub(crate) struct Live {
    pub(crate) row: SessionRow,
    pub(crate) state: State,
    /// The open effects, with their start time.
    pub(crate) open: BTreeMap<EffectId, (Effect, Timestamp)>,
    /// Records added since it was loaded.
    pub(crate) added: Vec<Record>,
    /// Effects that this process requested and has not started, so they cannot have been interrupted.
    pub(crate) fresh: BTreeSet<EffectId>,
    /// The complete error of the last failed model call; the log only has its code and message.
    pub(crate) failed: Option<OpError>,
    /// Files whose edits by others may be dropped by a rewind, as confirmed by the caller.
    pub(crate) confirmed_drop: BTreeSet<String>,
    /// The size of the log that was read.
    pub(super) bytes: usize,
    /// The last record that was applied.
    last: Option<Record>,
    /// Events held back: a session that is created with its first task is stored and announced together with it.
    held_back: Option<Vec<Happened>>,
}

impl Live {
    pub(super) fn new(row: SessionRow) -> Self {
        Self {
            row,
            state: State::default(),
            open: BTreeMap::new(),
            added: Vec::new(),
            fresh: BTreeSet::new(),
            failed: None,
            confirmed_drop: BTreeSet::new(),
            bytes: 0,
            last: None,
            held_back: None,
        }
    }

    /// Resets the per-operation state, as after loading.
    pub(super) fn rested(self) -> Self {
        let (added, fresh, confirmed_drop) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        Self { added, fresh, failed: None, confirmed_drop, ..self }
    }

    /// Holds back all writes until [`Workbench::write_down`].
    pub(crate) fn hold_back(&mut self) {
        self.held_back = Some(Vec::new());
    }

    /// Whether a stored log exists to continue from.
    pub(super) fn is_written(&self) -> bool {
        self.state.core.seq > 0 && self.held_back.is_none()
    }

    /// The message of the active run, and the workbench state when it was sent.
    pub(super) fn asked(&self, head: &Head) -> (BlobHash, String) {
        let message = self.state.core.run.as_ref().and_then(|run| self.state.history.message(run.message));
        message.map_or_else(|| (head.state, String::new()), |(text, state)| (state, text.to_owned()))
    }

    fn take(&mut self, record: &Record, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
        evolve(&mut self.state, record);
        for effect in effects(&self.state, record) {
            self.open.insert(effect.id(), (effect, record.at));
        }
        let still = &self.state.core.open;
        self.open.retain(|id, _| still.contains_key(id));
    }

    /// Applies records that this process decided, and returns their events.
    fn remember(&mut self, records: &[Record], rows: &[LogRow]) -> Vec<Happened> {
        let mut happened = Vec::with_capacity(records.len());
        for (record, row) in records.iter().zip(rows) {
            self.take(record, row.event.len());
            self.fresh.insert(EffectId(record.seq));
            happened.push(Happened::of(&self.state, record));
        }
        self.last = records.last().cloned();
        self.added.extend(records.iter().cloned());
        let still = &self.state.core.open;
        self.fresh.retain(|effect| still.contains_key(effect));
        happened
    }

    /// The status for lists.
    pub(crate) fn status(&self) -> &'static str {
        match &self.state.core.run {
            None => "idle",
            Some(run) if run.suspended.is_some() => "suspended",
            Some(_) if self.state.core.waits_for_person() => "waiting",
            Some(_) => "running",
        }
    }

    pub(super) fn title(&self) -> String {
        let about = self.state.core.about.as_ref();
        about.and_then(|about| about.defaults.title.clone()).unwrap_or_default()
    }
}

impl Workbench {
    /// A session of a workbench, with its complete log applied.
    pub(crate) async fn session(&self, workbench: &WorkbenchId, id: &SessionId) -> Result<AtHand<'_>, OpError> {
        // Also fails if the workbench does not exist.
        self.enter_lightly(workbench).await?;
        let row = self.store().session(id).await?.filter(|row| row.workbench_id == *workbench);
        let row = row.ok_or_else(|| {
            OpError::new(Code::SessionNotFound, format!("there is no session `{id}` in this workbench"))
                .workbench(workbench)
                .hint("`jig session list` shows the sessions and their ids")
        })?;
        let live = match self.session_desk().take(id) {
            Some(live) if self.still_there(&live, &row).await? => Live { row, ..live },
            _ => Live::new(row),
        };
        let mut live = self.session_desk().lend(live);
        self.catch_up(&mut live).await?;
        live.added.clear();
        Ok(live)
    }

    /// Whether the stored log still starts with the applied records: an archive may have replaced a session with the
    /// same id.
    async fn still_there(&self, live: &Live, row: &SessionRow) -> Result<bool, OpError> {
        let seq = live.state.core.seq;
        if row.seq < seq || row.workbench_id != live.row.workbench_id {
            return Ok(false);
        }
        let rows = self.store().session_log(&row.id, seq.saturating_sub(1), 1).await?;
        let last = rows.into_iter().next().map(record).transpose()?;
        Ok(last.is_some() && last == live.last)
    }

    /// Applies records that others appended to the log.
    pub(crate) async fn catch_up(&self, live: &mut Live) -> Result<(), OpError> {
        let mut log = self.log(&live.row.id, live.state.core.seq);
        while let Some(Logged { record, bytes }) = log.next().await? {
            live.take(&record, bytes);
            live.added.push(record);
        }
        if let Some(last) = live.added.last() {
            live.last = Some(last.clone());
        }
        Ok(())
    }

    /// Decides a command, stores the resulting records, and only then applies them. If another process appended first,
    /// its records are applied and the command is decided again.
    pub(crate) async fn command(&self, live: &mut Live, command: &Command) -> Result<Vec<Record>, OpError> {
        loop {
            // A single timestamp for all records, because derived events must follow from the recorded times.
            let at = self.env().now();
            let decided = decide(&live.state, command, at)?;
            let (records, next) = written(&live.state, decided, at);
            if records.is_empty() {
                return Ok(records);
            }
            let rows: Vec<LogRow> = records.iter().map(row).collect::<Result<_, _>>()?;
            if live.held_back.is_some() {
                let happened = live.remember(&records, &rows);
                live.held_back.get_or_insert_default().extend(happened);
                return Ok(records);
            }
            let ahead = Live { state: next, ..Live::new(live.row.clone()) };
            if self.append(&ahead, live.state.core.seq, &records, &rows).await? {
                let happened = live.remember(&records, &rows);
                self.keep_notes(live, &records).await;
                self.tell_session(live, happened).await;
                return Ok(records);
            }
            self.catch_up(live).await?;
        }
    }

    /// Stores a session that was held back, all or nothing.
    pub(crate) async fn write_down(&self, live: &mut Live) -> Result<(), OpError> {
        let records = live.added.clone();
        let rows: Vec<LogRow> = records.iter().map(row).collect::<Result<_, _>>()?;
        self.append(live, 0, &records, &rows).await?;
        let happened = live.held_back.take().unwrap_or_default();
        self.keep_notes(live, &records).await;
        self.tell_session(live, happened).await;
        Ok(())
    }

    async fn append(&self, live: &Live, after: u64, records: &[Record], rows: &[LogRow]) -> Result<bool, OpError> {
        let blobs: Vec<BlobHash> = records.iter().flat_map(|record| record.event.blobs()).collect();
        let (title, status) = (live.title(), live.status());
        let append = LogAppend { after, rows, blobs: &blobs, title: &title, status };
        if after == 0 {
            self.store().create_session(&live.row.id, &live.row.workbench_id, &append).await?;
            return Ok(true);
        }
        Ok(self.store().append_session(&live.row.id, &append).await?)
    }

    /// A new session.
    pub(crate) fn new_session(&self, workbench: &WorkbenchId) -> Result<AtHand<'_>, OpError> {
        let id = SessionId::new(self.env().fresh_id().to_string())
            .map_err(|e| OpError::new(Code::Internal, "a fresh id is none").because(e))?;
        Ok(self.session_as(id, workbench))
    }

    /// A new session with a given id.
    pub(crate) fn session_as(&self, id: SessionId, workbench: &WorkbenchId) -> AtHand<'_> {
        let now = self.env().now();
        let row = SessionRow {
            id,
            workbench_id: workbench.clone(),
            created_at: now,
            updated_at: now,
            seq: 0,
            title: String::new(),
            status: String::new(),
            first: String::new(),
        };
        self.session_desk().lend(Live::new(row))
    }
}

/// Converts decided events into records, and returns the state after them.
fn written(state: &State, decided: Vec<Decided>, at: Timestamp) -> (Vec<Record>, State) {
    let at = state.core.at.map_or(at, |last| last.max(at));
    let mut next = State { core: state.core.clone(), ..State::default() };
    let mut records = Vec::with_capacity(decided.len());
    for Decided { event, derived } in decided {
        let mut record = Record { seq: next.core.seq.saturating_add(1), at, derived, effects: None, event };
        evolve(&mut next, &record);
        record.effects = digest(&effects(&next, &record));
        records.push(record);
    }
    (records, next)
}

fn row(record: &Record) -> Result<LogRow, OpError> {
    let event = serde_json::to_string(&record.event)
        .map_err(|e| OpError::new(Code::Internal, "an event cannot be written").because(e))?;
    let Record { seq, at, derived, effects, .. } = record;
    Ok(LogRow { seq: *seq, at: *at, version: LOG_VERSION, derived: *derived, effects: *effects, event })
}
