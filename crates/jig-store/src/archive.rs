//! `.jig` archives: one workbench with its complete history in a single file.
//!
//! A zip file with `jig.json` (metadata), `journal.jsonl` and `checkpoints.jsonl` (one row per line), `assets.jsonl`,
//! `messages.jsonl`, `sessions.jsonl` and `session-records.jsonl` if the workbench has any, and `blobs/<hash>` for
//! exactly those blobs that its states, assets or sessions need.

mod export;
mod import;
mod reader;
mod verify;

use jig_contract::ops::{Checkpoint, JournalEntry};
use jig_contract::{BlobHash, Timestamp, WorkbenchId};
use serde::{Deserialize, Serialize};

pub use export::ExportReport;

/// The format of archives without assets, which older versions can read.
const FORMAT: u64 = 1;
/// The format of archives with assets.
const FORMAT_ASSETS: u64 = 2;
/// The format of archives with messages.
const FORMAT_MESSAGES: u64 = 3;
/// The format of archives with sessions; the newest that can be read.
const FORMAT_SESSIONS: u64 = 4;

const ABOUT: &str = "jig.json";
const JOURNAL: &str = "journal.jsonl";
const CHECKPOINTS: &str = "checkpoints.jsonl";
const ASSETS: &str = "assets.jsonl";
const MESSAGES: &str = "messages.jsonl";
const SESSIONS: &str = "sessions.jsonl";
const RECORDS: &str = "session-records.jsonl";
const BLOBS: &str = "blobs/";

/// The chunk size for copying large blobs.
const PIECE: usize = 1024 * 1024;

/// The metadata of an archive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct About {
    format: u64,
    id: WorkbenchId,
    name: String,
    head: BlobHash,
    seq: u64,
    created_at: Timestamp,
}

/// A journal entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct JournalLine {
    #[serde(flatten)]
    entry: JournalEntry,
    position: u64,
    parent_position: u64,
}

/// A checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct CheckpointLine {
    #[serde(flatten)]
    checkpoint: Checkpoint,
    made_by: u64,
}
