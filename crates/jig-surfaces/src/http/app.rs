//! What all requests share, and how one of them becomes a call.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use jig_contract::{Code, Effect, OpError, OpSpec};
use jig_workbench::{CallContext, Workbench};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::HttpOptions;
use super::host::Hosts;
use super::metrics::Metrics;
use super::problem::Problem;
use super::rate::Rates;

/// How long a call waits for its turn.
const TURN: Duration = Duration::from_secs(10);

/// Operations that can wait minutes for a model. They have turns of their own: however many are under way, reads, other
/// changes and `WorkshopCancel` get theirs.
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

/// So many calls may wait for a model for each call that may run at once. Waiting costs little.
const MODEL_TURNS: usize = 8;

/// Parameters that name files of the machine an operation runs on: its callers are elsewhere.
const HOST_FILES: &[(&str, &str)] = &[
    ("AgentWorkspaceCommit", "folder"),
    ("KindPut", "source_path"),
    ("EntryExtract", "source_path"),
    ("AssetUpload", "source_path"),
    ("RecipePut", "source_path"),
    ("ArtifactImport", "source_path"),
    ("StagePut", "source_path"),
];

/// What all requests share. Cheap to clone.
#[derive(Clone)]
pub(super) struct App(Arc<Inner>);

pub(super) struct Inner {
    pub(super) workbench: Workbench,
    pub(super) options: HttpOptions,
    pub(super) hosts: Hosts,
    pub(super) rates: Rates,
    pub(super) metrics: Metrics,
    /// Changes under way, which are finished before the server ends.
    pub(super) tasks: TaskTracker,
    /// Ends streams when the server is to end.
    pub(super) ending: CancellationToken,
    running: Arc<Semaphore>,
    asking: Arc<Semaphore>,
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
            metrics: Metrics::default(),
            tasks: TaskTracker::new(),
            ending: CancellationToken::new(),
            running: Arc::new(Semaphore::new(options.at_once.max(1))),
            asking: Arc::new(Semaphore::new(options.at_once.max(1).saturating_mul(MODEL_TURNS))),
            workbench,
            options,
        }))
    }

    /// Carries out an operation. One that changes something is finished whatever becomes of the client.
    pub(super) async fn call(&self, op: &OpSpec, context: CallContext, params: Value) -> Result<Value, Problem> {
        self.call_keeping(op, context, params, ()).await
    }

    /// The same, with something that is needed until the operation is over, whatever becomes of the client.
    pub(super) async fn call_keeping<K: Send + 'static>(
        &self,
        op: &OpSpec,
        context: CallContext,
        params: Value,
        kept: K,
    ) -> Result<Value, Problem> {
        let mut of_host = HOST_FILES.iter().filter(|(of, _)| *of == op.name).map(|(_, name)| *name);
        if let Some(name) = of_host.find(|name| params.get(name).is_some_and(|value| !value.is_null())) {
            let message = format!("`{name}` names a file of the server's machine, which is not for callers over HTTP");
            let error = OpError::new(Code::NotPermitted, message).phase(op.name);
            return Err(error.hint("send the content itself").into());
        }
        let turn = self.turn(op).await?;
        if op.effect == Effect::Read {
            let _stop = context.cancel.clone().drop_guard();
            return Ok(self.workbench.call(op.name, context, params).await?);
        }
        let (workbench, name) = (self.workbench.clone(), op.name);
        let work = self.tasks.spawn(async move {
            let answer = workbench.call(name, context, params).await;
            drop((turn, kept));
            answer
        });
        let broken = |e| OpError::new(Code::Internal, "the call broke off through a fault in Jig").because(e);
        Ok(work.await.map_err(broken)??)
    }

    /// What limits how many operations run at once, for a door that carries them out itself.
    pub(super) fn turns(&self) -> Arc<Semaphore> {
        Arc::clone(&self.running)
    }

    async fn turn(&self, op: &OpSpec) -> Result<OwnedSemaphorePermit, Problem> {
        let turns = if ASK_A_MODEL.contains(&op.name) { &self.asking } else { &self.running };
        let turn = tokio::time::timeout(TURN, Arc::clone(turns).acquire_owned()).await;
        turn.ok().and_then(Result::ok).ok_or_else(|| {
            let error = OpError::new(Code::RateLimited, "too much is going on; come back in a few seconds");
            let problem = Problem::new(error).status(StatusCode::SERVICE_UNAVAILABLE);
            problem.header(header::RETRY_AFTER, HeaderValue::from_static("5"))
        })
    }
}

/// Whether a parameter is offered at this door.
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
