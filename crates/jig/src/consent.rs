//! Asking whether something may leave the machine.

use jig_contract::ops::{ConsentReach, EgressScope};
use jig_contract::{Code, OpError};
use jig_workbench::Workbench;
use serde_json::{Value, json};

use crate::app::{App, person};
use crate::show;

/// Shows what would be sent, and asks. Yes is a consent for this one call; anything else is the refusal itself.
pub(crate) async fn ask(app: &App, workbench: &Workbench, params: &Value, refusal: OpError) -> Result<(), OpError> {
    let scope = refusal.info.detail.as_ref().map(|detail| detail["scope"].clone()).unwrap_or_default();
    let Ok(scope) = serde_json::from_value::<EgressScope>(scope) else { return Err(refusal) };
    app.terminal.say(show::scope(&scope).trim_end());
    let question = format!("Send this to {} once?", scope.model_id);
    let agreed = app.terminal.ask(&question).map_err(|error| {
        OpError::new(Code::UserCanceled, "the question could not be asked, so nothing was sent").because(error)
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
