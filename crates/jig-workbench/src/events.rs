//! The event stream of this process.

use jig_contract::ops::{ArtifactStatus, ContextCategory, EntryState, JournalEntry};
use jig_contract::{
    ArtifactAction, BlobHash, ContextAction, EntryAction, Event, EventRecord, OpError, Timestamp, WorkbenchId,
};
use tokio::sync::broadcast;

use crate::Workbench;
use crate::entries::ENTRIES_FOLDER;

/// How many events a slow subscriber may lag behind before it has to replay from the journal.
const BACKLOG: usize = 1_024;

/// Broadcasts events. Having no subscribers is not an error.
#[derive(Debug, Clone)]
pub(crate) struct Events(broadcast::Sender<EventRecord>);

impl Events {
    pub(crate) fn new() -> Self {
        Self(broadcast::channel(BACKLOG).0)
    }

    pub(crate) fn listen(&self) -> broadcast::Receiver<EventRecord> {
        self.0.subscribe()
    }

    pub(crate) fn notice(&self, id: &WorkbenchId, seq: u64, at: Timestamp, message: String) {
        self.send(EventRecord { workbench_id: id.clone(), seq, at, event: Event::Notice { message } });
    }

    /// Whether there are subscribers.
    pub(crate) fn is_heard(&self) -> bool {
        self.0.receiver_count() > 0
    }

    pub(crate) fn send(&self, record: EventRecord) {
        // An error only means that there are no subscribers.
        let _ = self.0.send(record);
    }
}

impl Workbench {
    /// Broadcasts a change.
    pub(crate) async fn tell(&self, id: &WorkbenchId, entry: &JournalEntry) {
        let records = self.events_of(id, entry.clone()).await;
        records.into_iter().for_each(|record| self.sender().send(record));
    }

    /// The events of a journal entry, live or replayed: the change itself and the context items it concerns. If a state
    /// can no longer be read, only the latter are missing.
    pub(crate) async fn events_of(&self, id: &WorkbenchId, entry: JournalEntry) -> Vec<EventRecord> {
        let mut also = self.context_changes(&entry).await.unwrap_or_else(|error| {
            tracing::warn!(workbench = %id, "it could not be told which context items changed: {error}");
            Vec::new()
        });
        also.extend(self.entry_changes(&entry).await.unwrap_or_else(|error| {
            tracing::warn!(workbench = %id, "it could not be told which entries changed: {error}");
            Vec::new()
        }));
        also.extend(self.artifact_changes(&entry).await.unwrap_or_else(|error| {
            tracing::warn!(workbench = %id, "it could not be told which artifacts changed: {error}");
            Vec::new()
        }));
        let (seq, at) = (entry.seq, entry.at);
        let all = std::iter::once(Event::Changed { entry }).chain(also);
        all.map(|event| EventRecord { workbench_id: id.clone(), seq, at, event }).collect()
    }

    /// Derived by comparing the two states, so that undo and manual edits of the folder produce events like operations
    /// do.
    async fn context_changes(&self, entry: &JournalEntry) -> Result<Vec<Event>, OpError> {
        const FOLDER: &str = jig_context::item::CONTEXT_FOLDER;
        let (before, after) = (entry.state_before, entry.state_after);
        let store = self.store();
        if before == after || store.lookup(before, FOLDER).await? == store.lookup(after, FOLDER).await? {
            return Ok(Vec::new());
        }
        let mut events = Vec::new();
        for category in ContextCategory::ALL {
            let place = format!("{FOLDER}/{category}");
            let action = match (store.lookup(before, &place).await?, store.lookup(after, &place).await?) {
                (None, Some(_)) => ContextAction::Added,
                (Some(_), None) => ContextAction::Deleted,
                (Some(before), Some(after)) if before != after => ContextAction::Updated,
                _ => continue,
            };
            events.push(Event::ContextChanged { category, action });
        }
        Ok(events)
    }
}

impl Workbench {
    /// The entries that differ between the two states.
    async fn entry_changes(&self, entry: &JournalEntry) -> Result<Vec<Event>, OpError> {
        let folder = async |state| -> Result<Option<BlobHash>, OpError> { self.hash_at(state, ENTRIES_FOLDER).await };
        let (before, after) = (folder(entry.state_before).await?, folder(entry.state_after).await?);
        if before == after {
            return Ok(Vec::new());
        }
        let mut events = Vec::new();
        for change in self.store().diff(before, after).await? {
            let Some((role, file)) = change.path.split_once('/') else { continue };
            let Some(key) = file.strip_suffix(".json") else { continue };
            let action = match (change.before, change.after) {
                (None, _) => EntryAction::Added,
                (Some(_), None) => EntryAction::Deleted,
                (Some(before), Some(after)) => {
                    let (before, after) = (self.entry_of(before.hash).await?, self.entry_of(after.hash).await?);
                    let put_aside =
                        before.entry.state == EntryState::Active && after.entry.state == EntryState::Archived;
                    if put_aside { EntryAction::Archived } else { EntryAction::Updated }
                }
            };
            let entry_key = if key == "_" { String::new() } else { key.to_owned() };
            events.push(Event::EntryChanged { role: role.to_owned(), entry_key, action });
        }
        Ok(events)
    }
}

impl Workbench {
    /// The artifacts that differ between the two states.
    async fn artifact_changes(&self, entry: &JournalEntry) -> Result<Vec<Event>, OpError> {
        const FOLDER: &str = jig_context::artifact::FOLDER;
        let (before, after) =
            (self.hash_at(entry.state_before, FOLDER).await?, self.hash_at(entry.state_after, FOLDER).await?);
        if before == after {
            return Ok(Vec::new());
        }
        let mut events = Vec::new();
        for change in self.store().diff(before, after).await? {
            let Some(slug) = change.path.strip_suffix(".json") else { continue };
            let action = match (change.before, change.after) {
                (None, _) => ArtifactAction::Added,
                (Some(_), None) => ArtifactAction::Deleted,
                (Some(before), Some(after)) => {
                    let before = self.artifact_of(before.hash).await?.artifact.status;
                    let after = self.artifact_of(after.hash).await?.artifact.status;
                    match (before, after) {
                        (ArtifactStatus::Draft, ArtifactStatus::Finalized) => ArtifactAction::Finalized,
                        (ArtifactStatus::Finalized, ArtifactStatus::Draft) => ArtifactAction::Unfinalized,
                        _ => ArtifactAction::Updated,
                    }
                }
            };
            events.push(Event::ArtifactChanged { slug: slug.to_owned(), action });
        }
        Ok(events)
    }
}

/// Reports the progress of a long operation.
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
