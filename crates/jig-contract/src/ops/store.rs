//! Operations on the store itself.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::operation;

/// Check all stored data, and repair what can be repaired
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct StoreDoctorParams {
    /// Only this workbench
    #[arg(id = "only", long = "only", value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Given<WorkbenchId>>,
    /// Repair what can be repaired
    #[arg(long)]
    #[serde(default)]
    pub repair: bool,
}
/// The result of a check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoreDoctorOutput {
    /// Whether there are no problems (after the repair, if requested).
    pub ok: bool,
    /// How many workbenches were checked.
    pub workbenches: u64,
    /// How many states were checked.
    pub states: u64,
    /// How many blobs were read and compared with their hash.
    pub blobs: u64,
    /// The problems.
    pub problems: Vec<Problem>,
}
/// One problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// The workbench it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workbench_id: Option<WorkbenchId>,
    /// Its type.
    pub kind: ProblemKind,
    /// What is wrong, and what it means.
    pub message: String,
    /// Whether it was repaired.
    pub repaired: bool,
}
/// The type of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ProblemKind {
    /// A blob is missing.
    BlobMissing,
    /// A blob's bytes do not match its hash.
    BlobCorrupt,
    /// The journal's rows are not consecutive.
    Journal,
    /// An index does not match the states that it is built from.
    Projection,
    /// The folder on disk does not match the head.
    View,
    /// Something in the folder is skipped.
    LeftAlone,
    /// The log of a session, the conversation or a shared agent workspace is inconsistent.
    Session,
}
operation!(StoreDoctor, Write, Surfaces::PEOPLE, StoreDoctorParams => StoreDoctorOutput, r#"{"repair":false}"#);

/// Find unused blobs, and remove them if requested
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct StoreCollectParams {
    /// Remove them; without this, only show what would be freed
    #[arg(long)]
    #[serde(default)]
    pub yes: bool,
}
/// What was, or would be, freed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoreCollectOutput {
    /// How many blobs are in use.
    pub kept: u64,
    /// How many unused blobs are old enough to be deleted.
    pub unneeded: u64,
    /// Their total size in bytes.
    pub bytes: u64,
    /// How many unused blobs are too new to be deleted safely.
    pub too_new: u64,
    /// How many assets have expired; their bytes become unused.
    #[serde(default)]
    pub expired_assets: u64,
    /// How many folders of earlier Drafts are stored to start the next Draft quickly; they are deleted too.
    #[serde(default)]
    pub spare_folders: u64,
    /// How many sessions of recipe runs have expired and are not referenced by an output; their blobs become unused.
    #[serde(default)]
    pub recipe_sessions: u64,
    /// Whether they were removed.
    pub removed: bool,
}
operation!(StoreCollect, Destructive, Surfaces::PEOPLE, StoreCollectParams => StoreCollectOutput, r#"{"yes":false}"#);
