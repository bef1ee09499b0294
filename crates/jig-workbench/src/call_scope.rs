//! What every step of a running operation can ask about the call it belongs to, without each function passing it on.

use jig_contract::{Code, Effect, OpError};
use tokio_util::sync::CancellationToken;

tokio::task_local! {
    static CALL: CallScope;
}

/// One call of an operation.
#[derive(Clone)]
struct CallScope {
    effect: Effect,
    cancel: CancellationToken,
}

/// Runs an operation's handler as part of this call.
pub(crate) async fn run<T>(effect: Effect, cancel: CancellationToken, work: impl Future<Output = T>) -> T {
    CALL.scope(CallScope { effect, cancel }, work).await
}

/// Whether the operation only reads. Work outside of any call may write.
pub(crate) fn only_reads() -> bool {
    CALL.try_with(|call| call.effect == Effect::Read).unwrap_or(false)
}

/// Ends when the caller cancels; never outside of a call.
pub(crate) async fn cancelled() {
    match CALL.try_with(|call| call.cancel.clone()) {
        Ok(cancel) => cancel.cancelled_owned().await,
        Err(_) => std::future::pending().await,
    }
}

/// The error of a call that was cancelled before it changed anything.
pub(crate) fn cancelled_error() -> OpError {
    OpError::new(Code::UserCanceled, "the call was cancelled; nothing was changed")
}
