//! The egress log: a row per model call, written before the call and completed after it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::future::BoxFuture;
use jig_contract::{Code, OpError};
use jig_providers::{Call, Egress, End, Outcome, ProviderError};
use jig_store::{EgressEnd, NewEgress, Store};
use tokio::task::JoinHandle;

/// Records what leaves the machine, without any content.
pub(super) struct EgressLog {
    store: Store,
    /// The rows of active calls, by call id.
    open: Mutex<HashMap<String, String>>,
    /// Completions that are being written.
    ending: Mutex<Vec<JoinHandle<()>>>,
}

impl EgressLog {
    pub(super) fn new(store: Store) -> Self {
        Self { store, open: Mutex::default(), ending: Mutex::default() }
    }

    /// Waits until all pending completions are written.
    pub(super) async fn written(&self) {
        let ending = std::mem::take(&mut *lock(&self.ending));
        for end in ending {
            // Failures to write were already logged.
            let _ = end.await;
        }
    }
}

impl Egress for EgressLog {
    fn begins<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<(), ProviderError>> {
        Box::pin(async move {
            let scope_hash = call.scope.to_string();
            let new = NewEgress { purpose: &call.purpose, model_id: call.model.as_str(), scope_hash: &scope_hash };
            let row = self.store.begin_egress(&call.workbench, &new).await.map_err(|error| {
                let code = OpError::from(error).code();
                ProviderError::new(code, "nothing was sent: the call could not be written into the log of calls")
                    .model(&call.model)
            })?;
            lock(&self.open).insert(call.id.to_string(), row);
            Ok(())
        })
    }

    fn ended(&self, call: &Call, end: &End) {
        let Some(row) = lock(&self.open).remove(&call.id.to_string()) else { return };
        // Without a runtime the program is exiting: the row will be reported as interrupted.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (store, workbench, usage) = (self.store.clone(), call.workbench.clone(), end.usage);
        let outcome = match end.outcome {
            Outcome::Answered(_) => "sent",
            Outcome::Failed(code) => code.as_str(),
            Outcome::Canceled => Code::UserCanceled.as_str(),
        };
        let task = runtime.spawn(async move {
            let end = EgressEnd {
                outcome,
                input_tokens: usage.map(|usage| usage.input),
                output_tokens: usage.map(|usage| usage.output),
            };
            if let Err(error) = store.end_egress(&workbench, &row, end).await {
                tracing::warn!(%workbench, "the end of a model call could not be written: {error}");
            }
        });
        lock(&self.ending).push(task);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
