//! The stream of events, inside this process.

use jig_contract::ops::JournalEntry;
use jig_contract::{Event, EventRecord, Timestamp, WorkbenchId};
use tokio::sync::broadcast;

/// How many events a slow listener may be behind before it must replay from the journal.
const BACKLOG: usize = 1_024;

/// Sends events to whoever listens. Nobody listening is fine.
#[derive(Debug, Clone)]
pub(crate) struct Events(broadcast::Sender<EventRecord>);

impl Events {
    pub(crate) fn new() -> Self {
        Self(broadcast::channel(BACKLOG).0)
    }

    pub(crate) fn listen(&self) -> broadcast::Receiver<EventRecord> {
        self.0.subscribe()
    }

    pub(crate) fn changed(&self, id: &WorkbenchId, entry: &JournalEntry) {
        self.send(changed(id, entry.clone()));
    }

    pub(crate) fn notice(&self, id: &WorkbenchId, seq: u64, at: Timestamp, message: String) {
        self.send(EventRecord { workbench_id: id.clone(), seq, at, event: Event::Notice { message } });
    }

    pub(crate) fn send(&self, record: EventRecord) {
        // An error only says that nobody listens.
        let _ = self.0.send(record);
    }
}

/// The event of a journal row, live or replayed.
pub(crate) fn changed(id: &WorkbenchId, entry: JournalEntry) -> EventRecord {
    EventRecord { workbench_id: id.clone(), seq: entry.seq, at: entry.at, event: Event::Changed { entry } }
}

/// Reports the phases of one long operation.
pub(crate) struct Progress<'a> {
    pub(crate) events: &'a Events,
    pub(crate) id: &'a WorkbenchId,
    pub(crate) seq: u64,
    pub(crate) operation: &'static str,
    pub(crate) now: &'a (dyn Fn() -> Timestamp + Send + Sync),
}

impl Progress<'_> {
    pub(crate) fn phase(&self, phase: &str) {
        self.step(phase, None);
    }

    pub(crate) fn step(&self, phase: &str, count: Option<(u64, u64)>) {
        let event = Event::Progress {
            operation: self.operation.to_owned(),
            phase: phase.to_owned(),
            done: count.map(|c| c.0),
            total: count.map(|c| c.1),
        };
        self.events.send(EventRecord { workbench_id: self.id.clone(), seq: self.seq, at: (self.now)(), event });
    }
}
