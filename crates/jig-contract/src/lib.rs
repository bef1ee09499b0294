//! The vocabulary shared by all interfaces: ids, paths, operations with parameters and outputs, events, error codes.
//!
//! Pure: no I/O; time and ids come from [`Env`]. Nothing here knows how an operation is executed.

mod actor;
mod code;
mod env;
mod error;
mod event;
mod given;
mod hash;
mod id;
mod operation;
pub mod ops;
mod path;
mod session_event;
mod slim;
mod tag;

pub use actor::Actor;
pub use code::{Code, Kind};
pub use env::{BadTimestamp, Env, Timestamp};
pub use error::{ErrorInfo, OpError};
pub use event::{ArtifactAction, ContextAction, EntryAction, Event, EventRecord};
pub use given::{Checked, Given, check_name};
pub use hash::{BadHash, BadHashPrefix, BlobHash, HASH_PREFIX_MIN, HashPrefix};
pub use id::{
    AssetId, BadId, CheckpointId, DraftId, JobId, ProposalId, SessionId, SuggestionId, TokenId, WORKBENCH_ID_MAX,
    WorkbenchId,
};
/// The edit operations inside files, which `*_apply_ops` accept.
pub use jig_file_api as file_api;
pub use operation::{Effect, OpSpec, Operation, Surfaces, params_from_json};
pub use ops::{OPERATIONS, find};
pub use path::{BadPath, PATH_MAX, SEGMENT_MAX, WorkbenchPath, fold_case};
pub use session_event::SessionEvent;
pub use slim::slim;
pub use tag::RevisionTag;
