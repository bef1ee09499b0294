//! The state of a session.
//!
//! The part that decisions depend on ([`Core`]) stays small, so that [`decide`](crate::decide) can clone it at the same
//! cost however long the session is. The parts that only grow are in [`History`].

use std::collections::{BTreeMap, BTreeSet};

use jig_contract::{SessionId, Timestamp, WorkbenchId};
use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::effect::EffectId;
use crate::history::History;
use crate::policy::{Capability, Policy, Reach, Standing};
use crate::run::{Mode, Run};
use crate::workspace::Workspace;

/// The settings that runs of a session inherit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Defaults {
    /// The display name of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The agent workspace, as `name[@version]`. Applying a sync changes the active snapshot, not this field.
    pub workspace: String,
    /// The prompt pack of the phases that do the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The tool catalog of the phases that do the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
    /// The model; the workbench's default if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The default mode of runs.
    #[serde(default)]
    pub mode: Mode,
    /// The permissions of runs.
    #[serde(default)]
    pub policy: Policy,
    /// The caps of each run.
    #[serde(default)]
    pub budget: Budget,
    /// The recipe, if the session is a recipe run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
}

/// A change to the defaults. Unset fields stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DefaultsPatch {
    /// See [`Defaults`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// See [`Defaults`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// See [`Defaults`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// See [`Defaults`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
    /// See [`Defaults`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// See [`Defaults`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// See [`Defaults`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// See [`Defaults`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// Settings to clear. Clearing happens before setting, so a field in both is set.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub clear: BTreeSet<Setting>,
}

/// A default that can be cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// See [`Defaults`].
    Title,
    /// See [`Defaults`].
    Pack,
    /// See [`Defaults`].
    Catalog,
    /// See [`Defaults`].
    Model,
    /// See [`Defaults`].
    Policy,
    /// The cap on tokens.
    MaxTokens,
    /// The cap on cost.
    MaxCostMicros,
    /// The cap on time.
    MaxSeconds,
}

impl Defaults {
    /// Defaults with only a workspace set.
    pub fn new(workspace: impl Into<String>) -> Self {
        Self {
            title: None,
            workspace: workspace.into(),
            pack: None,
            catalog: None,
            model: None,
            mode: Mode::default(),
            policy: Policy::default(),
            budget: Budget::default(),
            recipe: None,
        }
    }

    /// Applies a patch.
    pub(crate) fn patch(&mut self, patch: &DefaultsPatch) {
        let DefaultsPatch { title, workspace, pack, catalog, model, mode, policy, budget, clear } = patch.clone();
        for setting in clear {
            match setting {
                Setting::Title => self.title = None,
                Setting::Pack => self.pack = None,
                Setting::Catalog => self.catalog = None,
                Setting::Model => self.model = None,
                Setting::Policy => self.policy = Policy::default(),
                Setting::MaxTokens => self.budget.tokens = None,
                Setting::MaxCostMicros => self.budget.micros = None,
                Setting::MaxSeconds => self.budget.millis = None,
            }
        }
        let set = |to: &mut Option<String>, from: Option<String>| {
            if from.is_some() {
                *to = from;
            }
        };
        set(&mut self.title, title);
        set(&mut self.pack, pack);
        set(&mut self.catalog, catalog);
        set(&mut self.model, model);
        self.workspace = workspace.unwrap_or_else(|| self.workspace.clone());
        self.mode = mode.unwrap_or(self.mode);
        self.policy = policy.unwrap_or_else(|| self.policy.clone());
        self.budget = self.budget.patched(budget.unwrap_or_default());
    }
}

/// A running effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Open {
    /// A workspace sync.
    Sync,
    /// A model call.
    Model {
        /// Whether its request is recorded; from then on it may have been sent.
        requested: bool,
    },
    /// A tool call.
    Tool {
        /// The id of the call.
        call: String,
        /// Whether it can be repeated safely after a crash.
        repeatable: bool,
    },
    /// A permission question to a person.
    Ask {
        /// The id of the call.
        call: String,
        /// The capability it needs.
        capability: Capability,
    },
    /// Restoring the workbench for a rewind.
    Restore {
        /// The record number of the message.
        to: u64,
    },
}

/// The identity and defaults of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct About {
    /// Its id.
    pub session: SessionId,
    /// The workbench it works on.
    pub workbench: WorkbenchId,
    /// The settings that its runs inherit.
    pub defaults: Defaults,
}

/// The part of the state that decisions depend on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Core {
    /// The session; `None` before it is created.
    pub about: Option<About>,
    /// The number of the last record.
    pub seq: u64,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// The snapshots of the agent workspace.
    pub workspace: Workspace,
    /// The active run.
    pub run: Option<Run>,
    /// How many runs were started.
    pub runs: u32,
    /// How many steps were started.
    pub steps: u32,
    /// Running effects.
    pub open: BTreeMap<EffectId, Open>,
    /// Standing answers for the entire session.
    pub answered: BTreeMap<Capability, Standing>,
}

impl Core {
    /// Whether the session is blocked until a person answers: every running effect is a question.
    pub fn waits_for_person(&self) -> bool {
        !self.open.is_empty() && self.open.values().all(|open| matches!(open, Open::Ask { .. }))
    }

    /// All standing answers, with their capability and scope.
    pub fn standing(&self) -> Vec<(&str, Reach, &Standing)> {
        let run = self.run.iter().flat_map(|run| &run.answered).map(|(name, one)| (name.as_str(), Reach::Run, one));
        let session = self.answered.iter().map(|(name, one)| (name.as_str(), Reach::Session, one));
        session.chain(run).collect()
    }

    /// Whether the run has a running effect.
    pub(crate) fn run_is_busy(&self) -> bool {
        let of_run = |open: &Open| matches!(open, Open::Model { .. } | Open::Tool { .. } | Open::Ask { .. });
        self.open.values().any(of_run)
    }

    /// Whether the workbench is being restored.
    pub(crate) fn rewinding(&self) -> bool {
        self.open.values().any(|open| matches!(open, Open::Restore { .. }))
    }
}

/// The complete state of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    /// The part that decisions depend on.
    pub core: Core,
    /// The conversation and the steps.
    pub history: History,
}
