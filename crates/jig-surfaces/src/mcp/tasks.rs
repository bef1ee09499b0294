//! The tasks extension (`io.modelcontextprotocol/tasks`): a call that takes long becomes a task that the client polls, so
//! that neither a timeout of the client nor a lost connection ends the work.
//!
//! Only calls that take longer than a few seconds become tasks. A task for every call would cost clients a second
//! request for each.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jig_contract::Actor;
use jig_workbench::Access;
use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, CreateTaskResult, DetailedTask};
use rmcp::task_manager::{TaskExit, TaskManager, TaskOptions};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::caller::Caller;

/// How long a result is kept for its client, in milliseconds.
const KEPT_MS: u64 = 600_000;
/// The most tasks of which owners are remembered. The manager itself drops tasks that are over their time.
const MOST: usize = 10_000;

/// The tasks of a server.
#[derive(Default)]
pub(super) struct Tasks {
    manager: TaskManager,
    /// Who started each task: no other caller may see it.
    owners: Mutex<HashMap<String, (Actor, Access)>>,
}

/// A call that runs on its own.
pub(super) struct Running {
    /// The call.
    pub(super) work: JoinHandle<Result<CallToolResponse, ErrorData>>,
    /// Cancels it.
    pub(super) cancel: CancellationToken,
}

impl Tasks {
    /// The result of a call, or a task if it takes longer than `patience`.
    pub(super) async fn result(
        self: &Arc<Self>,
        caller: Caller,
        mut running: Running,
        patience: Duration,
        request_cancelled: CancellationToken,
    ) -> Result<CallToolResponse, ErrorData> {
        tokio::select! {
            done = &mut running.work => finished(done),
            () = request_cancelled.cancelled() => {
                running.cancel.cancel();
                finished(running.work.await)
            }
            () = tokio::time::sleep(patience) => Ok(CallToolResponse::Task(self.adopt(caller, running))),
        }
    }

    /// Makes a running call a task.
    fn adopt(&self, caller: Caller, running: Running) -> CreateTaskResult {
        let Running { mut work, cancel } = running;
        let options = TaskOptions::new().with_ttl_ms(KEPT_MS);
        let task = self.manager.spawn(options, move |task| {
            Box::pin(async move {
                let done = tokio::select! {
                    done = &mut work => done,
                    () = task.cancelled() => {
                        cancel.cancel();
                        // What has been written stays whole; a read stops.
                        let _ = work.await;
                        return Err(TaskExit::Cancelled);
                    }
                };
                match finished(done) {
                    Ok(CallToolResponse::Complete(result)) => Ok(result),
                    Ok(_) => Err(TaskExit::Error(ErrorData::internal_error("the call asks for input", None))),
                    Err(error) => Err(TaskExit::Error(error)),
                }
            })
        });
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if owners.len() >= MOST {
            owners.retain(|id, _| self.manager.get_task(id).is_ok());
        }
        owners.insert(task.task_id.clone(), (caller.context.actor, caller.context.access));
        CreateTaskResult::new(task)
    }

    /// The state of a task, for its owner.
    pub(super) fn get(&self, caller: &Caller, id: &str) -> Result<DetailedTask, ErrorData> {
        self.check_owner(caller, id)?;
        self.manager.get_task(id)
    }

    /// Cancels a task, for its owner.
    pub(super) fn cancel(&self, caller: &Caller, id: &str) -> Result<(), ErrorData> {
        self.check_owner(caller, id)?;
        self.manager.cancel_task(id)
    }

    /// Tasks of others do not exist.
    pub(super) fn check_owner(&self, caller: &Caller, id: &str) -> Result<(), ErrorData> {
        let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        match owners.get(id) {
            Some((actor, access)) if *actor == caller.context.actor && *access == caller.context.access => Ok(()),
            _ => {
                let shown: String = id.chars().take(80).collect();
                Err(ErrorData::invalid_params(format!("unknown task `{shown}`"), None))
            }
        }
    }
}

fn finished(
    done: Result<Result<CallToolResponse, ErrorData>, tokio::task::JoinError>,
) -> Result<CallToolResponse, ErrorData> {
    done.unwrap_or_else(|error| {
        Err(ErrorData::internal_error(format!("the call ended without a result: {error}"), None))
    })
}
