//! What an agent is told, as the session knows it: snapshots by their hash. A snapshot is a value and is never edited.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jig_contract::BlobHash;
use serde::{Deserialize, Serialize};

use crate::effect::EffectId;
use crate::run::Phase;

/// When a snapshot is adopted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApplyMode {
    /// With the next run.
    #[default]
    NextRun,
    /// When the next model request is built.
    NextStepBoundary,
    /// At once, if no run is under way.
    ImmediateIfIdle,
}

/// Why a snapshot is not adopted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum ApplyRefusal {
    /// No sync of this session gave it.
    NotPending,
    /// A later sync came before it was ever adopted.
    Superseded {
        /// The one that is pending now.
        by: BlobHash,
    },
    /// It is the one in use.
    AlreadyActive,
    /// A run is under way.
    RunActive {
        /// Which one.
        run: u32,
    },
    /// Another apply took its place before it was due.
    Replaced {
        /// The one that is to be adopted instead.
        by: BlobHash,
    },
    /// The run under way needs what it does not have.
    Lacks {
        /// What: `the prompt pack …`, `the tool catalog …`.
        what: String,
    },
}

/// What a session knows of a snapshot. The whole of it is a blob under this hash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SnapshotSummary {
    /// The snapshot's own hash.
    pub snapshot: BlobHash,
    /// The root of the files that it was made from.
    pub root: BlobHash,
    /// What was asked for, with the version that it meant: `house@4`.
    pub reference: String,
    /// The prompt packs.
    pub packs: BTreeSet<String>,
    /// The tool catalogs, each with the names of its tools.
    pub catalogs: BTreeMap<String, BTreeSet<String>>,
    /// What its index chooses.
    pub defaults: SnapshotDefaults,
    /// What stands behind its tools.
    pub coverage: Coverage,
    /// What a person should know: an old form, a tool that nothing stands behind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Blobs that it names and does not hold: pictures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blobs: Vec<BlobHash>,
}

/// What an index chooses where nobody else does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotDefaults {
    /// The prompt pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The tool catalog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
    /// Those of single phases.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<Phase, crate::run::PhaseChoice>,
}

/// Which visible tools can be called at all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Something in the program stands behind them, and the policy lets it pass or asks.
    pub bound: BTreeSet<String>,
    /// Nothing stands behind them.
    pub unbound: BTreeSet<String>,
    /// The policy denies them.
    pub not_permitted: BTreeSet<String>,
}

/// One thing that is wrong with the files of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncProblem {
    /// The file.
    pub file: String,
    /// Where in it, as a JSON pointer; empty for the whole file.
    pub pointer: String,
    /// What, in words.
    pub message: String,
}

/// A snapshot that is to be adopted, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Staged {
    /// Which one. A later sync does not change it.
    pub snapshot: BlobHash,
    /// When.
    pub mode: ApplyMode,
}

/// The session's view of its workspace.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Workspace {
    /// In use.
    pub active: Option<BlobHash>,
    /// The newest that a sync gave and nobody adopted.
    pub pending: Option<BlobHash>,
    /// To be adopted.
    pub staged: Option<Staged>,
    /// A sync under way.
    pub syncing: Option<EffectId>,
    /// Whether that sync is for one run only.
    pub aside: bool,
    /// All that were ever adopted: a way back.
    pub adopted: Arc<BTreeSet<BlobHash>>,
    /// All that syncs gave.
    pub known: Arc<BTreeMap<BlobHash, Arc<SnapshotSummary>>>,
}

impl Workspace {
    /// What is known of a snapshot.
    pub fn summary(&self, snapshot: &BlobHash) -> Option<&Arc<SnapshotSummary>> {
        self.known.get(snapshot)
    }

    /// Whether it may be adopted, whenever.
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
                // It was pending until a sync found what is active already.
                self.active.map_or(Err(ApplyRefusal::NotPending), |by| Err(ApplyRefusal::Superseded { by }))
            }
            _ => Err(ApplyRefusal::NotPending),
        }
    }
}
