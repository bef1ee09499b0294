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
        let params = params_from_json::<O>(params).map_err(|e| e.phase(O::NAME))?;
        let output = workbench.run::<O>(&context, params).await?;
        serde_json::to_value(output).map_err(|e| {
            OpError::new(Code::Internal, format!("the answer of {} cannot be written", O::NAME))
                .because(e)
                .phase(O::NAME)
        })
    })
}

/// Runs a call as a task of its own: an operation that has started is finished even if the interface that asked for it
/// is gone, so a folder's lock is never released in the middle of work. A panic ends here.
///
/// It takes a boxed future, so that this is compiled once and not once per operation. Boxed also because wrappers would
/// move the largest futures, those of runs, across the stack.
async fn in_own_task(name: &'static str, owner: Option<String>, call: Answer) -> Result<Value, OpError> {
    let work = tokio::spawn(async move {
        match owner {
            Some(owner) => jig_worker::for_workbench(&owner, call).await,
            None => call.await,
        }
    });
    work.await.map_err(|e| broken(name, e))?
}

impl Workbench {
    /// Calls an operation by name, with JSON parameters and result. The entry point of every interface.
    pub async fn call(&self, name: &str, context: CallContext, params: Value) -> Result<Value, OpError> {
        let Some((name, call)) = CALLS.iter().find(|(known, _)| *known == name) else {
            return Err(OpError::new(Code::UnknownOperation, format!("there is no operation `{}`", shorten(name)))
                .hint("`jig help` lists the commands; docs/reference/operations.md lists the operations"));
        };
        let owner = params.get("workbench_id").and_then(Value::as_str).map(str::to_owned);
        in_own_task(name, owner, call(self.clone(), context, params)).await
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
            Ok(()) => self.handle_in_scope::<O>(context, params).await,
            Err(refusal) => Err(refusal),
        };
        answer.map_err(|e| context.access.veil(e).phase(O::NAME))
    }

    async fn handle_in_scope<O: Operation>(
        &self,
        context: &CallContext,
        params: O::Params,
    ) -> Result<O::Output, OpError>
    where
        Self: Handle<O>,
    {
        let mut answer = None;
        // The scope gets a future without the operation's types, so that it is compiled once for all operations.
        let work: Pin<Box<dyn Future<Output = ()> + Send + '_>> =
            Box::pin(async { answer = Some(self.handle(context, params).await) });
        call_scope::run(O::EFFECT, context.cancel.clone(), work).await;
        answer.unwrap_or_else(|| Err(OpError::new(Code::Internal, "the operation ended without an answer")))
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
