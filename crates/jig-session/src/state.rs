//! Where a session stands.
//!
//! What decisions are made from ([`Core`]) is small, so that trying out what follows costs the same however long the
//! session is. What only grows is beside it ([`History`]).

use std::collections::{BTreeMap, BTreeSet};

use jig_contract::{SessionId, Timestamp, WorkbenchId};
use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::effect::EffectId;
use crate::history::History;
use crate::policy::{Capability, Policy, Reach, Standing};
use crate::run::{Mode, Run};
use crate::workspace::Workspace;

/// What holds for the runs of a session unless they say otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Defaults {
    /// What people call the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The agent workspace it is bound to: `name[@version]`. A sync that is applied changes what is in use, not this.
    pub workspace: String,
    /// The prompt pack of the phases that do the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The tool catalog of the phases that do the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
    /// The model; the workbench's own when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How tasks are worked on.
    #[serde(default)]
    pub mode: Mode,
    /// What runs may do.
    #[serde(default)]
    pub policy: Policy,
    /// What each run may cost.
    #[serde(default)]
    pub budget: Budget,
    /// The recipe whose run the session is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
}

/// A change of the defaults: only what is named.
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
    /// What has no value from now on. Clearing comes before setting.
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
    /// Nothing but a workspace.
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

    /// Takes over what a patch names.
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

/// Something under way outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Open {
    /// A sync.
    Sync,
    /// A model call.
    Model {
        /// Whether its request is written down: from then on it may have been sent.
        requested: bool,
    },
    /// A tool.
    Tool {
        /// The call.
        call: String,
        /// Whether it can be done again.
        repeatable: bool,
    },
    /// A question to a person.
    Ask {
        /// The call.
        call: String,
        /// What it needs.
        capability: Capability,
    },
    /// Bringing the workbench back.
    Restore {
        /// The message.
        to: u64,
    },
}

/// A session that exists.
#[derive(Debug, Clone, PartialEq)]
pub struct About {
    /// Its id.
    pub session: SessionId,
    /// The workbench it works on.
    pub workbench: WorkbenchId,
    /// What holds for its runs.
    pub defaults: Defaults,
}

/// What decisions are made from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Core {
    /// The session; none before it is made.
    pub about: Option<About>,
    /// The last record.
    pub seq: u64,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// What the agent is told.
    pub workspace: Workspace,
    /// The run under way.
    pub run: Option<Run>,
    /// How many runs there were.
    pub runs: u32,
    /// How many steps there were.
    pub steps: u32,
    /// What is under way outside.
    pub open: BTreeMap<EffectId, Open>,
    /// What people have answered for the whole session.
    pub answered: BTreeMap<Capability, Standing>,
}

impl Core {
    /// Whether somebody has to answer before anything goes on.
    pub fn waits_for_person(&self) -> bool {
        !self.open.is_empty() && self.open.values().all(|open| matches!(open, Open::Ask { .. }))
    }

    /// Every standing answer: the capability, how far the answer goes, and the answer.
    pub fn standing(&self) -> Vec<(&str, Reach, &Standing)> {
        let run = self.run.iter().flat_map(|run| &run.answered).map(|(name, one)| (name.as_str(), Reach::Run, one));
        let session = self.answered.iter().map(|(name, one)| (name.as_str(), Reach::Session, one));
        session.chain(run).collect()
    }

    /// Whether the run has something under way.
    pub(crate) fn run_is_busy(&self) -> bool {
        let of_run = |open: &Open| matches!(open, Open::Model { .. } | Open::Tool { .. } | Open::Ask { .. });
        self.open.values().any(of_run)
    }

    /// Whether the workbench is being brought back.
    pub(crate) fn rewinding(&self) -> bool {
        self.open.values().any(|open| matches!(open, Open::Restore { .. }))
    }
}

/// A session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    /// What decisions are made from.
    pub core: Core,
    /// What was said and done.
    pub history: History,
}
