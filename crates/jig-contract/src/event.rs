//! The event stream, shared by all interfaces.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::env::Timestamp;
use crate::id::{JobId, SessionId, WorkbenchId};
use crate::ops::{ContextCategory, JobState, JournalEntry};
use crate::session_event::SessionEvent;

/// One event of a workbench.
///
/// `seq` is the journal's number: pass it as `after` to continue from here. Progress events carry the number of the
/// last change and are not stored; changes are the journal itself and can be replayed from any number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventRecord {
    /// The workbench.
    pub workbench_id: WorkbenchId,
    /// The journal's number at this point.
    pub seq: u64,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub event: Event,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A change was made; it is in the journal.
    Changed {
        /// The journal entry.
        entry: JournalEntry,
    },
    /// A context item was added, updated or deleted. Sent with the change of the same number, whatever made it: an
    /// operation, an undo, or an edit in the folder.
    ContextChanged {
        /// Which item.
        category: ContextCategory,
        /// What happened to it.
        action: ContextAction,
    },
    /// An entry was added, updated, archived or deleted. Sent with the change of the same number, whatever made it.
    EntryChanged {
        /// Its kind.
        role: String,
        /// Its key within its kind; empty for a singleton.
        entry_key: String,
        /// What happened to it.
        action: EntryAction,
    },
    /// An artifact was added, updated, locked, unlocked or deleted. Sent with the change of the same number, whatever
    /// made it.
    ArtifactChanged {
        /// The artifact's slug.
        slug: String,
        /// What happened to it.
        action: ArtifactAction,
    },
    /// A message was added to the conversation. Private notes are not reported.
    ConversationAdded {
        /// The message's number.
        message_seq: u64,
        /// The artifact that the message is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        artifact: Option<String>,
    },
    /// A job changed its state. Not stored: the list of jobs shows the current states.
    JobChanged {
        /// The job.
        job_id: JobId,
        /// Its new state.
        state: JobState,
    },
    /// Something happened in an agent's session. `SessionEvents` replays these from any record.
    Session {
        /// The session.
        session_id: SessionId,
        /// The record's number in the session's log; none for events that are not stored.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        record: Option<u64>,
        /// The run that it belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<u32>,
        /// What happened.
        what: SessionEvent,
    },
    /// A long operation reached a phase.
    Progress {
        /// The operation's name.
        operation: String,
        /// The current phase.
        phase: String,
        /// The amount done, if it can be counted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        done: Option<u64>,
        /// The total amount.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        total: Option<u64>,
    },
    /// Information for the user that is not an error.
    Notice {
        /// The message.
        message: String,
    },
}

/// What happened to a context item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ContextAction {
    /// It was created.
    Added,
    /// It was replaced.
    Updated,
    /// It was deleted.
    Deleted,
}

/// What happened to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum EntryAction {
    /// It was created.
    Added,
    /// It was changed.
    Updated,
    /// It was archived: stored, but not in use.
    Archived,
    /// It was deleted.
    Deleted,
}

/// What happened to an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ArtifactAction {
    /// It was created.
    Added,
    /// It was changed.
    Updated,
    /// It was locked.
    Finalized,
    /// It was unlocked.
    Unfinalized,
    /// It was deleted.
    Deleted,
}
