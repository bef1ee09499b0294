//! `.jig` archives: one workbench with its whole history in one file.
//!
//! A zip with `jig.json` (what it is), `journal.jsonl` and `checkpoints.jsonl` (a row to a line), `assets.jsonl` if it
//! has any, `messages.jsonl` if anything was said, `sessions.jsonl` and `session-records.jsonl` if agents were at work, and
//! `blobs/<hash>` for every blob that one of its states, assets or sessions needs, and nothing else.

mod export;
mod import;
mod reader;
mod verify;

use jig_contract::ops::{Checkpoint, JournalEntry};
use jig_contract::{BlobHash, Timestamp, WorkbenchId};
use serde::{Deserialize, Serialize};

pub use export::ExportReport;

/// The form of archives without assets: what could read them before still can.
const FORMAT: u64 = 1;
/// The form of archives with assets.
const FORMAT_ASSETS: u64 = 2;
/// The form of archives with messages.
const FORMAT_MESSAGES: u64 = 3;
/// The form of archives with sessions, and the newest that can be read.
const FORMAT_SESSIONS: u64 = 4;

const ABOUT: &str = "jig.json";
const JOURNAL: &str = "journal.jsonl";
const CHECKPOINTS: &str = "checkpoints.jsonl";
const ASSETS: &str = "assets.jsonl";
const MESSAGES: &str = "messages.jsonl";
const SESSIONS: &str = "sessions.jsonl";
const RECORDS: &str = "session-records.jsonl";
const BLOBS: &str = "blobs/";

/// Pieces in which large blobs are copied.
const PIECE: usize = 1024 * 1024;

/// What an archive says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct About {
    format: u64,
    id: WorkbenchId,
    name: String,
    head: BlobHash,
    seq: u64,
    created_at: Timestamp,
}

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct JournalLine {
    #[serde(flatten)]
    entry: JournalEntry,
    position: u64,
    parent_position: u64,
}

/// A line of the checkpoints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct CheckpointLine {
    #[serde(flatten)]
    checkpoint: Checkpoint,
    made_by: u64,
}
