//! Information about each call for the egress log, without content.

use std::time::Duration;

use futures::future::BoxFuture;
use jig_contract::{BlobHash, Code, Timestamp, WorkbenchId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::ProviderError;
use crate::message::{StopReason, Usage};
use crate::registry::ModelId;

/// A call that is about to leave the machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Identifies the call in later reports.
    pub id: Uuid,
    /// When it started.
    pub started: Timestamp,
    /// The workbench whose content is sent.
    pub workbench: WorkbenchId,
    /// The purpose of the call.
    pub purpose: String,
    /// The model.
    pub model: ModelId,
    /// The host it is sent to.
    pub host: String,
    /// The hash of the scope that consent was given for.
    pub scope: BlobHash,
    /// The size of the request.
    pub bytes: u64,
}

/// The end of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// The outcome.
    pub outcome: Outcome,
    /// Token usage, if the provider reported it.
    pub usage: Option<Usage>,
    /// The number of requests sent; 0 if none left the machine.
    pub attempts: u32,
    /// The duration in milliseconds, including pauses.
    pub took_ms: i64,
}

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The model answered.
    Answered(StopReason),
    /// It failed.
    Failed(Code),
    /// Cancelled or dropped by the caller.
    Canceled,
}

/// Receives reports on every call. Implemented by the caller, who writes the egress log and shows progress.
pub trait Egress: Send + Sync {
    /// Called before anything is sent. An error prevents the call: what cannot be logged does not leave the machine.
    fn begins<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<(), ProviderError>>;

    /// Called before a pause.
    fn waits(&self, _call: &Call, _wait: Wait) {}

    /// Called exactly once after the call. May be called during a drop, so it must not block.
    fn ended(&self, call: &Call, end: &End);
}

/// A pause before the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// Its duration.
    pub time: Duration,
    /// The error that caused it.
    pub code: Code,
    /// The number of requests sent so far.
    pub attempts: u32,
}
