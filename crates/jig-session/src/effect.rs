//! Effects: work for the outside world, as data.

use jig_contract::BlobHash;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::Event;
use crate::log::Record;
use crate::run::Phase;
use crate::state::State;

/// The identity of an effect: the number of the record that started it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EffectId(pub u64);

impl std::fmt::Display for EffectId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Work to be executed outside the state machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Effect {
    /// Resolve a workspace once, then read and compile it.
    SyncWorkspace {
        /// Its id.
        effect: EffectId,
        /// The workspace.
        reference: String,
        /// The root that the session already has.
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
        /// The workspace snapshot with the agent's instructions and tools.
        snapshot: BlobHash,
        /// The prompt pack; `None` means Jig's built-in instructions.
        pack: Option<String>,
        /// The tool catalog; `None` means no tools.
        catalog: Option<String>,
        /// The names of the tools that are offered.
        tools: Vec<String>,
        /// The record where the context of the request starts; earlier turns of this run are left out.
        context_from: u64,
    },
    /// Call the implementation behind a tool.
    RunTool {
        /// Its id.
        effect: EffectId,
        /// The run.
        run: u32,
        /// The step.
        step: u32,
        /// The id of the call.
        call: String,
        /// The tool.
        name: String,
        /// The operation or MCP tool that implements it.
        target: String,
        /// The arguments.
        input: Value,
    },
    /// Ask a person to permit a tool call.
    AskPerson {
        /// Its id.
        effect: EffectId,
        /// The id of the call.
        call: String,
        /// The tool.
        name: String,
        /// The capability it needs.
        capability: String,
    },
    /// Restore the workbench to an earlier state.
    RestoreState {
        /// Its id.
        effect: EffectId,
        /// The state.
        state: BlobHash,
    },
}

impl Effect {
    /// The id, whatever the kind of effect.
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

/// The effects that a record starts. `state` is the state after the record.
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
