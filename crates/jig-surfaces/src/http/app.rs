//! State shared by all requests, and executing calls.

use std::sync::Arc;

use jig_contract::{Code, Effect, OpError, OpSpec};
use jig_workbench::{CallContext, Workbench};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::HttpOptions;
use super::body::BodyMemory;
use super::connections::CallerLimits;
use super::host::Hosts;
use super::metrics::Metrics;
use super::problem::Problem;
use super::rate::Rates;
use super::staging::Staging;
use crate::slots::Slots;

/// The rate limit of sign-in attempts per address; bursts may be twice as large.
const SIGN_INS_PER_SECOND: u32 = 5;

/// Operations that may wait minutes for a model. They have separate slots, so that reads, other changes and
/// `WorkshopCancel` get theirs however many of these are running.
const ASK_A_MODEL: &[&str] = &[
    "WorkshopBegin",
    "WorkshopSend",
    "WorkshopRegenerate",
    "WorkshopResume",
    "SessionPermit",
    "ContextProcess",
    "ContextReprocess",
    "EntryExtract",
    "RecipeRun",
    "AssetUpload",
];

/// How many model calls may be pending per concurrent call. Waiting costs little.
const MODEL_SLOTS: usize = 8;

/// Parameters that name files of the host, which remote callers may not access.
const HOST_FILES: &[(&str, &str)] = &[
    ("AgentWorkspaceCommit", "folder"),
    ("KindPut", "source_path"),
    ("EntryExtract", "source_path"),
    ("AssetUpload", "source_path"),
    ("RecipePut", "source_path"),
    ("ArtifactImport", "source_path"),
    ("StagePut", "source_path"),
];

/// State shared by all requests. Cheap to clone.
#[derive(Clone)]
pub(super) struct App(Arc<Inner>);

pub(super) struct Inner {
    pub(super) workbench: Workbench,
    pub(super) options: HttpOptions,
    pub(super) hosts: Hosts,
    pub(super) rates: Rates,
    /// Sign-in attempts per origin.
    pub(super) sign_ins: Rates,
    pub(super) metrics: Metrics,
    /// Active changes, which are completed before the server stops.
    pub(super) tasks: TaskTracker,
    /// Cancelled when the server stops, to end streams.
    pub(super) ending: CancellationToken,
    /// Limits the number of concurrent operations.
    pub(super) slots: Slots,
    /// Limits the number of concurrent operations that wait for a model.
    model_slots: Slots,
    pub(super) caller_limits: CallerLimits,
    /// The memory budget for request bodies that are not stored on disk.
    pub(super) memory: BodyMemory,
    /// The folder for uploads until an operation has read them.
    pub(super) staging: Staging,
}

impl std::ops::Deref for App {
    type Target = Inner;
    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl App {
    pub(super) fn new(workbench: Workbench, options: HttpOptions) -> Self {
        Self(Arc::new(Inner {
            hosts: Hosts::new(options.bind, &options.hosts),
            rates: Rates::new(options.calls_per_second),
            sign_ins: Rates::new(Some(SIGN_INS_PER_SECOND)),
            metrics: Metrics::default(),
            tasks: TaskTracker::new(),
            ending: CancellationToken::new(),
            slots: Slots::new(options.at_once),
            model_slots: Slots::new(options.at_once.saturating_mul(MODEL_SLOTS)),
            caller_limits: CallerLimits::new(options.max_connections),
            memory: BodyMemory::new(options.max_body_bytes),
            staging: Staging::new(workbench.uploads_folder(), &options.env),
            workbench,
            options,
        }))
    }

    /// Executes an operation. One that changes something completes even if the client disconnects.
    pub(super) async fn call(&self, op: &OpSpec, context: CallContext, params: Value) -> Result<Value, Problem> {
        check_host_files(op, &params)?;
        self.call_keeping(op, context, params, ()).await
    }

    /// Like `call`, and keeps a value alive until the operation completes, even if the client disconnects. Parameters
    /// may name files of the host here, so parameters from clients must pass [`check_host_files`] first.
    pub(super) async fn call_keeping<K: Send + 'static>(
        &self,
        op: &OpSpec,
        context: CallContext,
        params: Value,
        kept: K,
    ) -> Result<Value, Problem> {
        let slot = if ASK_A_MODEL.contains(&op.name) {
            // Waiting for a model does not slow down other workbenches, so there are no shares.
            self.model_slots.acquire(None).await?
        } else {
            self.slots.acquire(params.get("workbench_id").and_then(Value::as_str)).await?
        };
        // Dropped with the request: a read-only operation may be cancelled if the client disconnects.
        let _stop = (op.effect == Effect::Read).then(|| context.cancel.clone().drop_guard());
        let (workbench, name) = (self.workbench.clone(), op.name);
        let work = self.tasks.spawn(async move {
            let answer = workbench.call(name, context, params).await;
            drop((slot, kept));
            answer
        });
        let broken = |e| OpError::new(Code::Internal, "internal error: the call was interrupted").because(e);
        Ok(work.await.map_err(broken)??)
    }
}

/// Refuses parameters from a client that name files of the host.
pub(super) fn check_host_files(op: &OpSpec, params: &Value) -> Result<(), Problem> {
    let mut of_host = HOST_FILES.iter().filter(|(of, _)| *of == op.name).map(|(_, name)| *name);
    match of_host.find(|name| params.get(name).is_some_and(|value| !value.is_null())) {
        None => Ok(()),
        Some(name) => {
            let message = format!("`{name}` names a file of the server's machine, which is not for callers over HTTP");
            let error = OpError::new(Code::NotPermitted, message).phase(op.name);
            Err(error.hint("send the content itself").into())
        }
    }
}

/// Whether a parameter is available over HTTP.
pub(super) fn is_offered(op: &OpSpec, name: &str) -> bool {
    !HOST_FILES.contains(&(op.name, name))
}

#[cfg(test)]
mod tests {
    use jig_contract::OPERATIONS;

    use super::*;

    #[test]
    fn no_other_parameter_names_a_file_of_the_host() {
        for op in OPERATIONS.iter().filter(|op| op.surfaces.http) {
            let schema = (op.params_schema)().to_value();
            for (name, member) in schema["properties"].as_object().into_iter().flatten() {
                let words = member["description"].as_str().unwrap_or_default();
                assert!(!words.contains("on this machine") || !is_offered(op, name), "{}: {name}", op.name);
            }
        }
    }
}
