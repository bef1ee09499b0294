//! Operations on the store itself.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::operation;

/// Check everything that is stored, and repair what can be
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
/// What the check found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoreDoctorOutput {
    /// Whether all is well (after repair, where that was asked for).
    pub ok: bool,
    /// How many workbenches were checked.
    pub workbenches: u64,
    /// How many states were checked.
    pub states: u64,
    /// How many blobs were read and compared with their hash.
    pub blobs: u64,
    /// What is wrong.
    pub problems: Vec<Problem>,
}
/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// The workbench it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workbench_id: Option<WorkbenchId>,
    /// What sort of problem.
    pub kind: ProblemKind,
    /// What is wrong and what it means, in words.
    pub message: String,
    /// Whether it was repaired.
    pub repaired: bool,
}
/// What sort of problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ProblemKind {
    /// A blob is gone.
    BlobMissing,
    /// A blob's bytes do not match its hash.
    BlobCorrupt,
    /// The journal's rows do not join up.
    Journal,
    /// A table does not match the states it is made from.
    Projection,
    /// The folder on disk does not match the head.
    View,
    /// Something in the folder is not taken in.
    LeftAlone,
    /// The log of a session, the conversation or a shared agent workspace does not join up.
    Session,
}
operation!(StoreDoctor, Write, Surfaces::PEOPLE, StoreDoctorParams => StoreDoctorOutput, r#"{"repair":false}"#);

/// Find blobs that nothing needs, and remove them when told to
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct StoreCollectParams {
    /// Remove them; without this only say what would be freed
    #[arg(long)]
    #[serde(default)]
    pub yes: bool,
}
/// What was, or would be, freed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoreCollectOutput {
    /// How many blobs are needed.
    pub kept: u64,
    /// How many blobs nothing needs, old enough to go.
    pub unneeded: u64,
    /// How many bytes these have.
    pub bytes: u64,
    /// How many blobs nothing needs but are too new to be sure.
    pub too_new: u64,
    /// How many assets are over their time; their bytes become unneeded.
    #[serde(default)]
    pub expired_assets: u64,
    /// How many folders of earlier Drafts are kept to start the next one fast; they go as well.
    #[serde(default)]
    pub spare_folders: u64,
    /// How many sessions of recipes' runs are over their time and named by no output; their blobs become unneeded.
    #[serde(default)]
    pub recipe_sessions: u64,
    /// Whether they were removed.
    pub removed: bool,
}
operation!(StoreCollect, Destructive, Surfaces::PEOPLE, StoreCollectParams => StoreCollectOutput, r#"{"yes":false}"#);
