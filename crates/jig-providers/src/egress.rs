//! What is told of each call, for the log of everything that leaves the machine. Never its content.

use std::time::Duration;

use futures::future::BoxFuture;
use jig_contract::{BlobHash, Code, Timestamp, WorkbenchId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::ProviderError;
use crate::message::{StopReason, Usage};
use crate::registry::ModelId;

/// One call that is about to leave the machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Ties what is told later to this call.
    pub id: Uuid,
    /// When it began.
    pub started: Timestamp,
    /// Whose material it is.
    pub workbench: WorkbenchId,
    /// Why the model is called.
    pub purpose: String,
    /// The model.
    pub model: ModelId,
    /// The host it goes to.
    pub host: String,
    /// The hash of what consent was given for.
    pub scope: BlobHash,
    /// The length of what is sent.
    pub bytes: u64,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// With what.
    pub outcome: Outcome,
    /// Tokens, when the provider said them.
    pub usage: Option<Usage>,
    /// How many requests were sent; 0 when none left the machine.
    pub attempts: u32,
    /// How long it took, waits included, in milliseconds.
    pub took_ms: i64,
}

/// What a call came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The model answered.
    Answered(StopReason),
    /// It failed.
    Failed(Code),
    /// The caller stopped it, or let go of it.
    Canceled,
}

/// Told of every call. Kept by the caller, who writes the egress log and shows progress.
pub trait Egress: Send + Sync {
    /// Before anything is sent. An error keeps the call from being made: what cannot be logged does not leave.
    fn begins<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<(), ProviderError>>;

    /// Before the provider waits to try again.
    fn waits(&self, _call: &Call, _wait: Wait) {}

    /// After the call, in any case once. May be called while a future is dropped, so it must not block.
    fn ended(&self, call: &Call, end: &End);
}

/// A pause before the next try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// How long.
    pub time: Duration,
    /// Why.
    pub code: Code,
    /// How many requests were sent so far.
    pub attempts: u32,
}
