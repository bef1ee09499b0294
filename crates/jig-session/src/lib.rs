//! The agent session as a deterministic state machine: workspace snapshots, runs, phases, steps, tool calls, replay.
//!
//! A command comes in; [`decide`] returns the events it causes, or why it is refused; [`evolve`] applies an event to
//! the state; [`effects`] lists the work that a record starts outside. Derived events are decided in one place,
//! [`next`]. [`check`](fn@check) replays a log and finds the first record that no longer follows.
//!
//! Invariants:
//! - pure and total: no input makes it panic; time, ids and randomness come in with commands;
//! - an outside call is in the log before it starts, and its result enters only as an event keyed by its effect;
//! - messages and effects are identified by the number of their record, never by their content;
//! - every tool call gets exactly one result; a refusal is a result;
//! - only a sync followed by an apply that names the snapshot changes an agent's instructions and tools.
//!
//! May use `jig-contract`.

mod budget;
mod command;
mod decide;
mod defect;
mod effect;
mod event;
mod evolve;
mod history;
mod log;
mod next;
mod plan;
mod policy;
mod recover;
mod rejection;
mod replay;
mod run;
mod state;
mod tool;
mod transcript;
mod workspace;

pub use budget::{Budget, Cap, CapKind, Spent};
pub use command::{Command, Start, SyncOutcome};
pub use decide::decide;
pub use defect::Defect;
pub use effect::{Effect, EffectId, effects};
pub use event::{Event, Suspension};
pub use evolve::evolve;
pub use history::{Body, Entry, History, Notes, StepRecord};
pub use log::{BadRecord, Decided, LOG_VERSION, Record, digest, read_event};
pub use next::next;
pub use plan::{ItemState, Plan, PlanItem};
pub use policy::{Answer as PermissionAnswer, Capability, Decision, Policy, Reach, Rule, Standing};
pub use recover::{Recovery, recover};
pub use rejection::Rejection;
pub use replay::{Difference, Replayed, check};
pub use run::{
    CallStage, FailedCall, FailedCalls, Mode, OpenCall, Outcome, Phase, PhaseChoice, Rules, Run, RunConfig,
    RunOverrides, Step, StepStage, Task, TurnLimits,
};
pub use state::{About, Core, Defaults, DefaultsPatch, Open, Setting, State};
pub use tool::{Answer, AnswerPart, Binding, Failure, ToolCall, ToolOutcome, Touch, Usage};
pub use transcript::{EARLIER_MAX, Transcript, TranscriptTurn, transcript};
pub use workspace::{
    ApplyMode, ApplyRefusal, Coverage, SnapshotDefaults, SnapshotSummary, Staged, SyncProblem, Workspace,
};
