//! Session events in the event stream: they report progress, never the content of files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::code::Code;
use crate::ops::{PermitAnswer, PermitReach, RunMode};

/// What happened in a session. Every record of its log is such an event; answer pieces and waits are reported but not
/// stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SessionEvent {
    /// The session was created.
    SessionCreated,
    /// The settings for its runs changed.
    SessionConfigured,
    /// Its agent workspace changed: the record's name says how.
    Workspace {
        /// `workspace_sync_requested`, `workspace_snapshot_ready`, `workspace_applied`, …
        what: String,
    },
    /// A person sent a message. The record's number is the message's.
    MessageAdded,
    /// A notice in the conversation: a publish, a restore.
    NoticeAdded,
    /// A notice for the user about a prompt that was sent nevertheless: a damaged context item, a style that could not
    /// be merged, neutralised text, a full window.
    PromptNoticed {
        /// A stable code, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<Code>,
        /// The notice.
        message: String,
    },
    /// A run started.
    RunStarted {
        /// How tasks are worked on.
        mode: RunMode,
        /// The model.
        model: String,
    },
    /// The run was paused and can be resumed.
    RunSuspended {
        /// Why.
        code: Code,
        /// The reason, as a sentence.
        message: String,
    },
    /// The run was resumed.
    RunResumed,
    /// A user requested that the run be cancelled.
    RunCancelRequested,
    /// The run ended.
    RunEnded {
        /// `completed`, `cancelled` or `failed`.
        outcome: String,
        /// Why, if it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<Code>,
        /// The reason, as a sentence.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        message: String,
    },
    /// A phase started.
    PhaseStarted {
        /// `direct`, `research`, `plan`, `implement` or `summary`.
        phase: String,
    },
    /// A phase ended.
    PhaseCompleted {
        /// The phase.
        phase: String,
    },
    /// The agent made a plan.
    PlanMade {
        /// The tasks, in order.
        items: Vec<String>,
    },
    /// Work on an item of the plan started.
    ItemStarted {
        /// The item's number, from 1.
        item: u32,
        /// The number of items.
        of: u32,
        /// The item's task.
        label: String,
        /// The attempt's number, from 1.
        attempt: u32,
    },
    /// An item was completed.
    ItemCompleted {
        /// The item's number, from 1.
        item: u32,
        /// The number of items.
        of: u32,
        /// The item's task.
        label: String,
    },
    /// An attempt at an item failed.
    ItemFailed {
        /// The item's number, from 1.
        item: u32,
        /// The number of items.
        of: u32,
        /// The item's task.
        label: String,
        /// Whether this was the last attempt.
        last: bool,
        /// Why.
        code: Code,
        /// The reason, as a sentence.
        reason: String,
    },
    /// A step started: the next request to the model.
    StepStarted {
        /// The step's number in the session.
        step: u32,
    },
    /// A request to the model was built and is being sent.
    ModelRequested {
        /// Its number of tokens.
        tokens: u64,
    },
    /// The model answered. The numbers are the run's totals so far.
    ModelAnswered {
        /// Input tokens.
        input_tokens: u64,
        /// Output tokens.
        output_tokens: u64,
        /// Cost, in millionths of a dollar, as far as prices are known.
        cost_micros: u64,
    },
    /// The model did not answer.
    ModelFailed {
        /// Why.
        code: Code,
        /// The reason, as a sentence.
        message: String,
    },
    /// A tool call started.
    ToolStarted {
        /// The call.
        call: String,
        /// The tool.
        tool: String,
        /// The file that the call is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// A tool call finished.
    ToolFinished {
        /// The call.
        call: String,
        /// The tool.
        tool: String,
        /// The result in one line.
        summary: String,
        /// The error code, if it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failed: Option<Code>,
    },
    /// A tool call was refused.
    ToolRefused {
        /// The call.
        call: String,
        /// The tool.
        tool: String,
        /// Why.
        code: Code,
        /// The reason, as a sentence.
        message: String,
    },
    /// A person has to decide whether a call is allowed. The record's number is the question's.
    PermissionAsked {
        /// The tool.
        tool: String,
        /// The capability that it needs.
        capability: String,
    },
    /// A person answered the question.
    PermissionAnswered {
        /// The question.
        question: u64,
        /// The answer.
        answer: PermitAnswer,
    },
    /// A standing permission was revoked; the next call that needs it asks again.
    PermissionRevoked {
        /// The capability that it was for.
        capability: String,
        /// Whether it applied to the run or to the session.
        reach: PermitReach,
    },
    /// The program ended during a call, which is not repeated automatically.
    EffectInterrupted,
    /// A user asked to go back to a message.
    RewindRequested {
        /// The message.
        message: u64,
    },
    /// Conversation and workbench were restored to their state at that message.
    Rewound {
        /// The message.
        message: u64,
    },
    /// They could not be restored; nothing changed.
    RewindFailed {
        /// Why.
        code: Code,
        /// The reason, as a sentence.
        message: String,
    },
    /// More text of the answer that is being written. Not stored.
    AnswerPiece {
        /// The text.
        text: String,
    },
    /// The model's provider asked to wait or did not respond; the request is repeated after a pause. Not stored.
    Waiting {
        /// The pause.
        millis: u64,
        /// Why.
        code: Code,
        /// How many requests have been sent.
        attempts: u32,
    },
}
