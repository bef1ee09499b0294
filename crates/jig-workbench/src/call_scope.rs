//! Task-local information about the running call, available to every step without passing it through each function.

use jig_contract::{Code, Effect, OpError};
use tokio_util::sync::CancellationToken;

tokio::task_local! {
    static CALL: CallScope;
}

/// A call of an operation.
#[derive(Clone)]
struct CallScope {
    effect: Effect,
    cancel: CancellationToken,
}

/// Runs an operation's handler within this scope.
pub(crate) async fn run<T>(effect: Effect, cancel: CancellationToken, work: impl Future<Output = T>) -> T {
    CALL.scope(CallScope { effect, cancel }, work).await
}

/// Whether the operation is read-only. Work outside of a call may write.
pub(crate) fn only_reads() -> bool {
    CALL.try_with(|call| call.effect == Effect::Read).unwrap_or(false)
}

/// Completes when the caller cancels. Never completes outside of a call.
pub(crate) async fn cancelled() {
    match CALL.try_with(|call| call.cancel.clone()) {
        Ok(cancel) => cancel.cancelled_owned().await,
        Err(_) => std::future::pending().await,
    }
}

/// The error for a call that was cancelled before it changed anything.
pub(crate) fn cancelled_error() -> OpError {
    OpError::new(Code::UserCanceled, "the call was cancelled; nothing was changed")
}
