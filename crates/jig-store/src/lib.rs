//! Blobs, trees, states, journal and SQL projections of a workbench.
//!
//! A workbench is one immutable value, its *state*: a tree of folders over blobs. The head is a row that names the
//! current state. A change first stores new blobs and then moves the head in one transaction, together with its journal
//! entry. See `store` for this single write path.

mod agents;
mod archive;
mod assets;
mod blob;
mod check;
mod checkpoints;
mod collect;
mod commit;
mod db;
mod documents;
mod egress;
mod error;
mod identity;
mod jobs;
mod journal;
mod kinds;
mod messages;
mod op_error;
pub mod platform;
mod projections;
mod reach;
mod sessions;
mod store;
mod temporary;
mod tokens;
mod tree;
mod trees;
mod view;
mod workbenches;

pub use agents::AgentVersion;
pub use archive::ExportReport;
pub use assets::{
    ASSET_TTL_MS, Asset, AssetClass, AssetCursor, AssetLife, AssetPage, AssetPatch, AssetQuery, AssetSource, AssetUse,
    NewAsset, Permanence, SweptAsset,
};
pub use blob::{BlobInfo, Blobs, GC_GRACE_MS, hash_of};
pub use check::{CheckReport, Repair};
pub use collect::Collect;
pub use commit::{Change, CheckpointOf, Commit, NewCheckpoint, Plan};
pub use db::Database;
pub use documents::{
    DocumentCount, DocumentCursor, DocumentPage, DocumentQuery, DocumentRow, DocumentState, Fields, KindFields,
    Projection, States, TableFile,
};
pub use egress::{EGRESS_INTERRUPTED, EgressEnd, NewEgress};
pub use error::StoreError;
pub use jobs::{
    Backoff, Claim, ClaimQuery, Enqueued, Heartbeat, Job, JobCursor, JobEnd, JobPage, JobQuery, JobState, JobsOf,
    NewJob, Schedule,
};
pub use journal::JournalQuery;
pub use kinds::{BlobKind, KindKey};
pub use messages::{MessageQuery, MessagesFrom, NewMessage, Reader};
pub use projections::SpentRevisions;
pub use sessions::{LogAppend, LogRow, SessionRow};
pub use store::{Store, StoreConfig};
pub use temporary::TemporaryFolder;
pub use tokens::{NewToken, Token, TokenKind, TokenRole, fresh_secret};
pub use tree::{FileNode, Node, Tree};
pub use trees::{TreeChange, TreeEdit};
pub use view::{OutsideChange, OutsideKind, Scan, View, ViewLimits, ViewLock, ViewProblem, ViewReport};
pub use workbenches::Head;
