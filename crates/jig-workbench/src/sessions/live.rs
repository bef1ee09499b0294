//! A session in memory, as its log has it; and how its log grows.

use std::collections::{BTreeMap, BTreeSet};

use jig_contract::{BlobHash, Code, OpError, SessionId, Timestamp, WorkbenchId};
use jig_session::{Command, Decided, Effect, EffectId, LOG_VERSION, Record, State, decide, digest, effects, evolve};
use jig_store::{Head, LogAppend, LogRow, SessionRow};

use super::desk::AtHand;
use super::log::{Logged, record};
use super::progress::Happened;
use crate::Workbench;

/// A session with what is under way in it.
pub(crate) struct Live {
    pub(crate) row: SessionRow,
    pub(crate) state: State,
    /// What is to be done outside, and since when.
    pub(crate) open: BTreeMap<EffectId, (Effect, Timestamp)>,
    /// What was added since it was loaded.
    pub(crate) added: Vec<Record>,
    /// What this process itself asked for and has not begun: nothing of it can have been broken off.
    pub(crate) fresh: BTreeSet<EffectId>,
    /// The error behind the last failed call of a model, with all that it says: the log keeps its code and its words.
    pub(crate) failed: Option<OpError>,
    /// Files whose edits by others may be dropped when the Draft is brought back, as the caller confirmed it.
    pub(crate) confirmed_drop: BTreeSet<String>,
    /// How much of the log was taken in.
    pub(super) bytes: usize,
    /// The last record that was taken in.
    last: Option<Record>,
    /// What happened and is only remembered: a session that is made with its first task is written down, and told of, with it.
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

    /// The same as if it had just been loaded.
    pub(super) fn rested(self) -> Self {
        let (added, fresh, confirmed_drop) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        Self { added, fresh, failed: None, confirmed_drop, ..self }
    }

    /// Nothing is written down from now on before [`Workbench::write_down`].
    pub(crate) fn hold_back(&mut self) {
        self.held_back = Some(Vec::new());
    }

    /// Whether there is a log that can be read on from here.
    pub(super) fn is_written(&self) -> bool {
        self.state.core.seq > 0 && self.held_back.is_none()
    }

    /// The workbench's state when the run at hand was asked for, and the message.
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

    /// Takes in what this process itself decided, and gives what happened with it.
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

    /// A word for lists.
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
    /// A session of a workbench, with its whole log taken in.
    pub(crate) async fn session(&self, workbench: &WorkbenchId, id: &SessionId) -> Result<AtHand<'_>, OpError> {
        // Also says when there is no such workbench.
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

    /// Whether a log still begins with what was taken in of it: under the same id another one may have come from an archive.
    async fn still_there(&self, live: &Live, row: &SessionRow) -> Result<bool, OpError> {
        let seq = live.state.core.seq;
        if row.seq < seq || row.workbench_id != live.row.workbench_id {
            return Ok(false);
        }
        let rows = self.store().session_log(&row.id, seq.saturating_sub(1), 1).await?;
        let last = rows.into_iter().next().map(record).transpose()?;
        Ok(last.is_some() && last == live.last)
    }

    /// Takes in what others added to the log.
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

    /// Decides a command, writes down what it means, and only then takes it into the state. Somebody else's records come
    /// first, and the command is decided again on them.
    pub(crate) async fn command(&self, live: &mut Live, command: &Command) -> Result<Vec<Record>, OpError> {
        loop {
            // One moment for all: what follows from a cap on time must follow from the records' own times.
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

    /// Writes down a session that was held back, all of it or nothing.
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

    /// A session that is being made.
    pub(crate) fn new_session(&self, workbench: &WorkbenchId) -> Result<AtHand<'_>, OpError> {
        let id = SessionId::new(self.env().fresh_id().to_string())
            .map_err(|e| OpError::new(Code::Internal, "a fresh id is none").because(e))?;
        Ok(self.session_as(id, workbench))
    }

    /// The same, under an id that was chosen.
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

/// Decided events as records, with the state after them.
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
