//! Session events in the event stream: they report progress, never the content of files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::code::Code;
use crate::ops::{PermitAnswer, PermitReach, RunMode};

/// What happened in a session. Every record of its log is one; pieces of an answer and waits are told and not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SessionEvent {
    /// The session exists.
    SessionCreated,
    /// What holds for its runs has changed.
    SessionConfigured,
    /// Something became of its agent workspace: the record's name says what.
    Workspace {
        /// `workspace_sync_requested`, `workspace_snapshot_ready`, `workspace_applied`, …
        what: String,
    },
    /// A person said something. The record's number is the message's.
    MessageAdded,
    /// Something that the conversation shows: a publish, a restore.
    NoticeAdded,
    /// Something that a person should know about a prompt that was sent all the same: a damaged context item, a style that
    /// could not be merged, neutralised text, a full window.
    PromptNoticed {
        /// A stable code, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<Code>,
        /// In words.
        message: String,
    },
    /// A run begins.
    RunStarted {
        /// How it works.
        mode: RunMode,
        /// The model.
        model: String,
    },
    /// It stands still, and can go on.
    RunSuspended {
        /// Why.
        code: Code,
        /// The same in words.
        message: String,
    },
    /// It goes on.
    RunResumed,
    /// Somebody wants it to end.
    RunCancelRequested,
    /// It is over.
    RunEnded {
        /// `completed`, `cancelled` or `failed`.
        outcome: String,
        /// Why, when it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<Code>,
        /// The same in words.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        message: String,
    },
    /// A phase begins.
    PhaseStarted {
        /// `direct`, `research`, `plan`, `implement` or `summary`.
        phase: String,
    },
    /// A phase is over.
    PhaseCompleted {
        /// Which one.
        phase: String,
    },
    /// There is a plan.
    PlanMade {
        /// What is to be done, in order.
        items: Vec<String>,
    },
    /// An item of the plan is begun.
    ItemStarted {
        /// Which one, from 1.
        item: u32,
        /// Of how many.
        of: u32,
        /// What is to be done.
        label: String,
        /// Which attempt, from 1.
        attempt: u32,
    },
    /// An item is done.
    ItemCompleted {
        /// Which one, from 1.
        item: u32,
        /// Of how many.
        of: u32,
        /// What was to be done.
        label: String,
    },
    /// An attempt at an item failed.
    ItemFailed {
        /// Which one, from 1.
        item: u32,
        /// Of how many.
        of: u32,
        /// What was to be done.
        label: String,
        /// Whether there is no further attempt.
        last: bool,
        /// Why.
        code: Code,
        /// The same in words.
        reason: String,
    },
    /// A model is about to be asked.
    StepStarted {
        /// The step's number in the session.
        step: u32,
    },
    /// The request is built and leaves.
    ModelRequested {
        /// The tokens that were counted for it.
        tokens: u64,
    },
    /// The model answered: what the run used so far.
    ModelAnswered {
        /// Tokens in.
        input_tokens: u64,
        /// Tokens out.
        output_tokens: u64,
        /// Cost, in millionths of a dollar, as far as prices are known.
        cost_micros: u64,
    },
    /// The model gave no answer.
    ModelFailed {
        /// Why.
        code: Code,
        /// The same in words.
        message: String,
    },
    /// A tool is called.
    ToolStarted {
        /// The call.
        call: String,
        /// The tool.
        tool: String,
        /// The file that it is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// A call has its result.
    ToolFinished {
        /// The call.
        call: String,
        /// The tool.
        tool: String,
        /// What came of it, in one line.
        summary: String,
        /// The code, when it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failed: Option<Code>,
    },
    /// A call is not made.
    ToolRefused {
        /// The call.
        call: String,
        /// The tool.
        tool: String,
        /// Why.
        code: Code,
        /// The same in words.
        message: String,
    },
    /// A person is to say whether a call may pass. The record's number is the question's.
    PermissionAsked {
        /// The tool.
        tool: String,
        /// What it needs.
        capability: String,
    },
    /// They said.
    PermissionAnswered {
        /// The question.
        question: u64,
        /// What.
        answer: PermitAnswer,
    },
    /// A standing permission was revoked; the next call that needs it asks again.
    PermissionRevoked {
        /// The capability that it was for.
        capability: String,
        /// Whether it held for the run or for the session.
        reach: PermitReach,
    },
    /// The program ended while something was under way, and it is not done again by itself.
    EffectInterrupted,
    /// Somebody wants to go back to a message.
    RewindRequested {
        /// The message.
        message: u64,
    },
    /// Conversation and workbench are as they were at that message.
    Rewound {
        /// The message.
        message: u64,
    },
    /// They could not be brought back; nothing has changed.
    RewindFailed {
        /// Why.
        code: Code,
        /// The same in words.
        message: String,
    },
    /// More words of the answer that is being written. Not kept.
    AnswerPiece {
        /// The words.
        text: String,
    },
    /// The model's provider wants us to wait, or did not answer: it is asked again after a pause. Not kept.
    Waiting {
        /// For how long.
        millis: u64,
        /// Why.
        code: Code,
        /// How many requests were sent so far.
        attempts: u32,
    },
}
