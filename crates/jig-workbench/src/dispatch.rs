//! Dispatches operations to their handlers.

use std::pin::Pin;

use jig_contract::ops::*;
use jig_contract::{Code, Effect, OpError, Operation, find, for_each_operation, params_from_json};
use jig_store::StoreError;
use serde_json::Value;

use crate::{CallContext, Workbench, call_scope};

/// Handles one operation.
///
/// Every operation in the contract's list must be handled, or this crate does not compile:
///
/// ```compile_fail,E0277
/// use jig_contract::ops::WorkbenchList;
/// struct Forgetful;
/// fn listed<H: jig_workbench::Handle<WorkbenchList>>() {}
/// listed::<Forgetful>();
/// ```
#[diagnostic::on_unimplemented(
    message = "operation `{O}` is listed in `jig-contract` but the workbench does not handle it",
    label = "add `impl Handle<{O}> for Workbench`"
)]
pub trait Handle<O: Operation> {
    /// Executes the operation for this caller.
    fn handle(
        &self,
        context: &CallContext,
        params: O::Params,
    ) -> impl Future<Output = Result<O::Output, OpError>> + Send;
}

type Answer = Pin<Box<dyn Future<Output = Result<Value, OpError>> + Send>>;
type Call = fn(Workbench, CallContext, Value) -> Answer;

macro_rules! call_table {
    ($($name:ident),* $(,)?) => {
        static CALLS: &[(&str, Call)] = &[$((<$name as Operation>::NAME, call_one::<$name>)),*];
    };
}
for_each_operation!(call_table);

fn call_one<O: Operation>(workbench: Workbench, context: CallContext, params: Value) -> Answer
where
    Workbench: Handle<O>,
{
    Box::pin(async move {
        let owner = params.get("workbench_id").and_then(Value::as_str).map(str::to_owned);
        let params = params_from_json::<O>(params).map_err(|e| e.phase(O::NAME))?;
        // Runs in its own task: a started operation completes even if its interface drops the call, so a folder lock is
        // never released in the middle of a write. A panic is contained here.
        let work = tokio::spawn(async move {
            // Boxed, because moving the large futures of runs through wrappers would overflow the stack.
            let running = Box::pin(workbench.run::<O>(&context, params));
            match owner {
                Some(owner) => jig_worker::for_workbench(&owner, running).await,
                None => running.await,
            }
        });
        let output = work.await.map_err(|e| broken(O::NAME, e))??;
        serde_json::to_value(output).map_err(|e| {
            OpError::new(Code::Internal, format!("the answer of {} cannot be written", O::NAME))
                .because(e)
                .phase(O::NAME)
        })
    })
}

impl Workbench {
    /// Calls an operation by name, with JSON parameters and result. The entry point of every interface.
    pub async fn call(&self, name: &str, context: CallContext, params: Value) -> Result<Value, OpError> {
        let Some((_, call)) = CALLS.iter().find(|(known, _)| *known == name) else {
            return Err(OpError::new(Code::UnknownOperation, format!("there is no operation `{}`", shorten(name)))
                .hint("`jig help` lists the commands; docs/reference/operations.md lists the operations"));
        };
        call(self.clone(), context, params).await
    }

    /// Refuses changes to a read-only store before anything is attempted.
    fn check_writable(&self, effect: Effect) -> Result<(), OpError> {
        if effect != Effect::Read && self.store().is_read_only() {
            return Err(StoreError::ReadOnly.into());
        }
        Ok(())
    }

    /// Calls an operation with typed parameters and result.
    pub async fn run<O: Operation>(&self, context: &CallContext, params: O::Params) -> Result<O::Output, OpError>
    where
        Self: Handle<O>,
    {
        // The workbench only matters for callers that are limited to one.
        let named = context.access.workbench.as_ref().and_then(|_| named_workbench::<O>(&params));
        let permitted = find(O::NAME).map_or(Ok(()), |op| context.check_permitted(op, named.as_deref()));
        let permitted =
            permitted.and_then(|()| context.check_cancelled()).and_then(|()| self.check_writable(O::EFFECT));
        let answer = match permitted {
            Ok(()) => call_scope::run(O::EFFECT, context.cancel.clone(), Box::pin(self.handle(context, params))).await,
            Err(refusal) => Err(refusal),
        };
        answer.map_err(|e| context.access.veil(e).phase(O::NAME))
    }
}

/// The workbench in the parameters.
fn named_workbench<O: Operation>(params: &O::Params) -> Option<String> {
    let params = serde_json::to_value(params).ok()?;
    params.get("workbench_id").and_then(Value::as_str).map(str::to_owned)
}

fn broken(name: &'static str, error: tokio::task::JoinError) -> OpError {
    OpError::new(Code::Internal, format!("{name} broke off through a fault in Jig"))
        .hint("please report this; what was stored before is safe")
        .phase(name)
        .because(error)
}

fn shorten(name: &str) -> String {
    name.chars().take(80).collect()
}
