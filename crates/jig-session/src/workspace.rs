//! The session's view of its agent workspace: immutable snapshots, identified by hash.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jig_contract::BlobHash;
use serde::{Deserialize, Serialize};

use crate::effect::EffectId;
use crate::run::Phase;

/// When a snapshot takes effect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApplyMode {
    /// When the next run starts.
    #[default]
    NextRun,
    /// Before the next model request is built.
    NextStepBoundary,
    /// Immediately, if no run is active.
    ImmediateIfIdle,
}

/// Why a snapshot was not adopted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum ApplyRefusal {
    /// It does not come from a sync of this session.
    NotPending,
    /// A later sync replaced it before it was adopted.
    Superseded {
        /// The snapshot that is pending now.
        by: BlobHash,
    },
    /// It is already active.
    AlreadyActive,
    /// A run is active.
    RunActive {
        /// Which one.
        run: u32,
    },
    /// Another apply replaced it before it was due.
    Replaced {
        /// The snapshot that replaced it.
        by: BlobHash,
    },
    /// It lacks something that the active run needs.
    Lacks {
        /// What it lacks: `the prompt pack …` or `the tool catalog …`.
        what: String,
    },
}

/// Metadata of a snapshot. Its complete content is the blob with this hash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SnapshotSummary {
    /// The hash of the snapshot.
    pub snapshot: BlobHash,
    /// The root hash of the files it was compiled from.
    pub root: BlobHash,
    /// The requested reference with its resolved version: `house@4`.
    pub reference: String,
    /// The names of its prompt packs.
    pub packs: BTreeSet<String>,
    /// The names of its tool catalogs, each with the names of its tools.
    pub catalogs: BTreeMap<String, BTreeSet<String>>,
    /// The defaults of its index.
    pub defaults: SnapshotDefaults,
    /// Which of its tools can be called.
    pub coverage: Coverage,
    /// Warnings for people, such as a deprecated format or a tool without an implementation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Blobs that it refers to but does not contain, such as images.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blobs: Vec<BlobHash>,
}

/// The choices of an index where neither the run nor the session makes one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotDefaults {
    /// The prompt pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The tool catalog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
    /// The choices for single phases.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<Phase, crate::run::PhaseChoice>,
}

/// Which visible tools can be called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// They have an implementation, and the policy permits them or asks.
    pub bound: BTreeSet<String>,
    /// They have no implementation.
    pub unbound: BTreeSet<String>,
    /// The policy denies them.
    pub not_permitted: BTreeSet<String>,
}

/// An error in a workspace file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncProblem {
    /// The file.
    pub file: String,
    /// The JSON pointer of the location; empty for the entire file.
    pub pointer: String,
    /// The error, for people.
    pub message: String,
}

/// A snapshot to be adopted later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Staged {
    /// The snapshot. A later sync does not change it.
    pub snapshot: BlobHash,
    /// When it takes effect.
    pub mode: ApplyMode,
}

/// The session's view of its workspace.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Workspace {
    /// The snapshot in use.
    pub active: Option<BlobHash>,
    /// The newest snapshot that was synced but not adopted.
    pub pending: Option<BlobHash>,
    /// The snapshot to be adopted.
    pub staged: Option<Staged>,
    /// The running sync.
    pub syncing: Option<EffectId>,
    /// Whether the running sync is for one run only.
    pub aside: bool,
    /// All snapshots that were ever adopted; any of them can be adopted again.
    pub adopted: Arc<BTreeSet<BlobHash>>,
    /// All snapshots from syncs of this session.
    pub known: Arc<BTreeMap<BlobHash, Arc<SnapshotSummary>>>,
}

impl Workspace {
    /// The metadata of a snapshot.
    pub fn summary(&self, snapshot: &BlobHash) -> Option<&Arc<SnapshotSummary>> {
        self.known.get(snapshot)
    }

    /// Checks whether a snapshot may be adopted at all, whatever the time.
    pub(crate) fn may_apply(&self, snapshot: BlobHash) -> Result<(), ApplyRefusal> {
        if self.active == Some(snapshot) && self.staged.is_none() {
            return Err(ApplyRefusal::AlreadyActive);
        }
        if self.pending == Some(snapshot) || self.adopted.contains(&snapshot) {
            return Ok(());
        }
        match self.pending {
            Some(by) if self.known.contains_key(&snapshot) => Err(ApplyRefusal::Superseded { by }),
            _ if self.known.contains_key(&snapshot) => {
                // It was pending until a sync found that the workspace matches the active snapshot.
                self.active.map_or(Err(ApplyRefusal::NotPending), |by| Err(ApplyRefusal::Superseded { by }))
            }
            _ => Err(ApplyRefusal::NotPending),
        }
    }
}
