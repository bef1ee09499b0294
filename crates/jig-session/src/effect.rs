//! What is to be done outside, as data.

use jig_contract::BlobHash;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::Event;
use crate::log::Record;
use crate::run::Phase;
use crate::state::State;

/// Names an effect: the number of the record that opened it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EffectId(pub u64);

impl std::fmt::Display for EffectId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// One thing to be done outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Effect {
    /// Resolve a workspace once, read and compile what it names.
    SyncWorkspace {
        /// Its id.
        effect: EffectId,
        /// Which workspace.
        reference: String,
        /// The root that is known already.
        known: Option<BlobHash>,
    },
    /// Build the request of a step, and ask the model.
    CallModel {
        /// Its id.
        effect: EffectId,
        /// The run.
        run: u32,
        /// The step.
        step: u32,
        /// The model.
        model: String,
        /// The phase.
        phase: Phase,
        /// What the agent is told.
        snapshot: BlobHash,
        /// The prompt pack; none for Jig's own instructions.
        pack: Option<String>,
        /// The tool catalog; none for no tools.
        catalog: Option<String>,
        /// The tools that are offered.
        tools: Vec<String>,
        /// What was said in this run after this record belongs to the request.
        context_from: u64,
    },
    /// Call what stands behind a tool.
    RunTool {
        /// Its id.
        effect: EffectId,
        /// The run.
        run: u32,
        /// The step.
        step: u32,
        /// The call.
        call: String,
        /// The tool.
        name: String,
        /// What stands behind it.
        target: String,
        /// What it is given.
        input: Value,
    },
    /// Ask a person whether a call may pass.
    AskPerson {
        /// Its id.
        effect: EffectId,
        /// The call.
        call: String,
        /// The tool.
        name: String,
        /// What it needs.
        capability: String,
    },
    /// Bring the workbench back to an earlier state.
    RestoreState {
        /// Its id.
        effect: EffectId,
        /// Which one.
        state: BlobHash,
    },
}

impl Effect {
    /// Its id.
    pub const fn id(&self) -> EffectId {
        match self {
            Self::SyncWorkspace { effect, .. }
            | Self::CallModel { effect, .. }
            | Self::RunTool { effect, .. }
            | Self::AskPerson { effect, .. }
            | Self::RestoreState { effect, .. } => *effect,
        }
    }
}

/// What a record asks to be done outside. The state is that after the record.
pub fn effects(state: &State, record: &Record) -> Vec<Effect> {
    let effect = EffectId(record.seq);
    let run = state.core.run.as_ref();
    let one = match &record.event {
        Event::WorkspaceSyncRequested { reference, known, .. } => {
            Effect::SyncWorkspace { effect, reference: reference.clone(), known: *known }
        }
        Event::StepStarted { run: number, step, phase, snapshot, pack, catalog, tools, context_from, .. } => {
            Effect::CallModel {
                effect,
                run: *number,
                step: *step,
                model: run.map(|run| run.config.model.clone()).unwrap_or_default(),
                phase: *phase,
                snapshot: *snapshot,
                pack: pack.clone(),
                catalog: catalog.clone(),
                tools: tools.clone(),
                context_from: *context_from,
            }
        }
        Event::ToolStarted { run, step, call, name, target, input } => Effect::RunTool {
            effect,
            run: *run,
            step: *step,
            call: call.clone(),
            name: name.clone(),
            target: target.clone(),
            input: input.clone(),
        },
        Event::PermissionAsked { call, name, capability, .. } => {
            Effect::AskPerson { effect, call: call.clone(), name: name.clone(), capability: capability.clone() }
        }
        Event::RewindRequested { state, .. } => Effect::RestoreState { effect, state: *state },
        _ => return Vec::new(),
    };
    vec![one]
}
