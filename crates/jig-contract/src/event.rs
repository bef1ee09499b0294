//! The event stream, shared by all interfaces.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::env::Timestamp;
use crate::id::{JobId, SessionId, WorkbenchId};
use crate::ops::{ContextCategory, JobState, JournalEntry};
use crate::session_event::SessionEvent;

/// One event of a workbench.
///
/// `seq` is the journal's number: pass it as `after` to go on from here. Progress carries the number
/// of the last change and is not kept; changes are the journal itself and can be replayed from any number.
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
        /// The journal's row.
        entry: JournalEntry,
    },
    /// A context item came, changed or went. It goes with the change of the same number, whatever made it: an
    /// operation, an undo, or a hand in the folder.
    ContextChanged {
        /// Which item.
        category: ContextCategory,
        /// What became of it.
        action: ContextAction,
    },
    /// An entry came, changed or went. It goes with the change of the same number, whatever made it.
    EntryChanged {
        /// Its kind.
        role: String,
        /// Which one of its kind; empty for a singleton.
        entry_key: String,
        /// What became of it.
        action: EntryAction,
    },
    /// An artifact came, changed or went. It goes with the change of the same number, whatever made it.
    ArtifactChanged {
        /// Which one.
        slug: String,
        /// What became of it.
        action: ArtifactAction,
    },
    /// Somebody said something in the conversation. Private notes are not told of.
    ConversationAdded {
        /// The message's number.
        message_seq: u64,
        /// The artifact that it is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        artifact: Option<String>,
    },
    /// A job has reached a state. It is not kept: the list of jobs shows where each stands.
    JobChanged {
        /// Which job.
        job_id: JobId,
        /// Where it stands.
        state: JobState,
    },
    /// Something happened in an agent's session. `SessionEvents` replays these from any record.
    Session {
        /// Which session.
        session_id: SessionId,
        /// The record's number in the session's log; none for what is not kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        record: Option<u64>,
        /// The run that it belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<u32>,
        /// What.
        what: SessionEvent,
    },
    /// A long operation has reached a phase.
    Progress {
        /// The operation's name.
        operation: String,
        /// The phase it is in now.
        phase: String,
        /// How much is done, where that can be counted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        done: Option<u64>,
        /// Of how much.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        total: Option<u64>,
    },
    /// Something a person should know that is not an error.
    Notice {
        /// What, in words.
        message: String,
    },
}

/// What became of a context item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ContextAction {
    /// There was none before.
    Added,
    /// There was another one before.
    Updated,
    /// There is none any more.
    Deleted,
}

/// What became of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum EntryAction {
    /// There was none before.
    Added,
    /// There was another one before.
    Updated,
    /// It is kept, and no longer in use.
    Archived,
    /// There is none any more.
    Deleted,
}

/// What became of an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ArtifactAction {
    /// There was none before.
    Added,
    /// There was another one before.
    Updated,
    /// It is locked.
    Finalized,
    /// It is no longer locked.
    Unfinalized,
    /// There is none any more.
    Deleted,
}
