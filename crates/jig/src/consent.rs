//! Asks whether data may leave the machine.

use jig_contract::ops::{ConsentReach, EgressScope};
use jig_contract::{Code, OpError};
use jig_workbench::Workbench;
use serde_json::{Value, json};

use crate::app::{App, person};
use crate::show;

/// Shows what would be sent and asks. "Yes" grants consent for this one call; otherwise the call fails as refused.
pub(crate) async fn ask(app: &App, workbench: &Workbench, params: &Value, refusal: OpError) -> Result<(), OpError> {
    granted(app, workbench, params, refusal, "once").await
}

/// Asks once for an agent task, which may make any number of model calls.
pub(crate) async fn ask_for_task(
    app: &App,
    workbench: &Workbench,
    params: &Value,
    refusal: OpError,
) -> Result<(), OpError> {
    granted(app, workbench, params, refusal, "for this task").await
}

async fn granted(
    app: &App,
    workbench: &Workbench,
    params: &Value,
    refusal: OpError,
    reach: &str,
) -> Result<(), OpError> {
    let scope = refusal.info.detail.as_ref().map(|detail| detail["scope"].clone()).unwrap_or_default();
    let Ok(scope) = serde_json::from_value::<EgressScope>(scope) else { return Err(refusal) };
    app.terminal.say(show::scope(&scope).trim_end());
    let question = format!("Send this to {} {reach}?", scope.model_id);
    let terminal = app.terminal;
    let agreed = interruptible(move || terminal.ask(&question)).await.map_err(|error| {
        OpError::new(Code::UserCanceled, "could not ask for consent, so nothing was sent").because(error)
    })?;
    if !agreed {
        let words = "nothing was sent, and nothing was saved";
        return Err(OpError::new(Code::UserCanceled, words).hint("`--model offline:extract` sends nothing"));
    }
    let grant = json!({
        "workbench_id": params["workbench_id"], "model": scope.model_id, "reach": ConsentReach::Once,
        "scope_hash": scope.hash,
    });
    workbench.call("ConsentGrant", person(), grant).await.map(drop)
}

/// Asks a person while also listening for Ctrl-C. The run's own handler has replaced the default one, which would have
/// ended the question.
pub(crate) async fn interruptible<T: Send + 'static>(
    ask: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> std::io::Result<T> {
    tokio::select! {
        answer = tokio::task::spawn_blocking(ask) => answer.map_err(std::io::Error::other)?,
        _ = tokio::signal::ctrl_c() => Err(std::io::ErrorKind::Interrupted.into()),
    }
}
