//! Asks for confirmation before a Draft is published or manual edits are overwritten.

use jig_contract::ops::{ChangeType, ReviewGetChangeSetOutput};
use jig_contract::{Code, OpError};
use jig_workbench::Workbench;
use serde_json::{Value, json};

use crate::app::{App, person};
use crate::show;
use crate::stop::Stop;
use crate::terminal::{BAD, STRONG, plain};

/// Whether the person has confirmed in advance, with `--yes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sure {
    Yes,
    Ask,
}

/// Whether an error asks if manual edits may be overwritten.
pub(crate) fn is_question(refusal: &OpError) -> bool {
    refusal.info.actions.iter().any(|action| action == "proceed")
}

/// Asks that question. "Yes" sets the parameter that overwrites the edits; anything else keeps them.
pub(crate) fn overwrite(app: &App, params: &mut Value, refusal: OpError) -> Result<(), OpError> {
    let question = format!("{} Proceed?", refusal.info.message);
    match app.terminal.ask(&question) {
        Ok(true) => {
            params["overwrite_direct_edits"] = true.into();
            Ok(())
        }
        Ok(false) => Err(OpError::new(Code::UserCanceled, "nothing was sent, and your changes are kept")),
        Err(_) => Err(refusal),
    }
}

/// At a terminal, asks whether to publish and names the files that would be deleted. Without a terminal `--yes` is
/// required, so that a script or an agent that calls this by mistake publishes nothing.
pub(crate) async fn publish(app: &App, workbench: &Workbench, mut params: Value, sure: Sure) -> Result<Value, Stop> {
    let can_ask = app.terminal.can_ask();
    if !can_ask && sure == Sure::Yes {
        return Ok(params);
    }
    let id = json!({ "workbench_id": params["workbench_id"] });
    let output = workbench.call("ReviewGetChangeSet", person(), id).await?;
    let set: ReviewGetChangeSetOutput = serde_json::from_value(output)
        .map_err(|e| OpError::new(Code::Internal, "unexpected change set format").because(e))?;
    if !can_ask {
        return Err(no_terminal().into());
    }
    let confirmed = params["confirm_deletions"].as_array().cloned().unwrap_or_default();
    let deleted: Vec<_> = set.changes.iter().filter(|change| change.change == ChangeType::Deleted).collect();
    let unconfirmed: Vec<_> = deleted.iter().filter(|change| !confirmed.contains(&json!(change.path))).collect();
    if unconfirmed.is_empty() && sure == Sure::Yes {
        return Ok(params);
    }
    for change in &unconfirmed {
        app.terminal.say(&format!("  {BAD}deletes{BAD:#} {STRONG}{}{STRONG:#}", plain(change.path.as_str())));
    }
    let files = show::count(u64::try_from(set.changes.len()).unwrap_or_default(), "changed file");
    let question = if unconfirmed.is_empty() {
        format!("Publish {files}?")
    } else {
        format!("Publish {files}, with the deletions named above?")
    };
    if !app.terminal.ask(&question)? {
        return Err(OpError::new(Code::UserCanceled, "nothing was published").into());
    }
    params["confirm_deletions"] = json!(deleted.iter().map(|change| &change.path).collect::<Vec<_>>());
    // Binds the call to the change set that was shown: if the Draft has changed since, the publish fails.
    params["reviewed"] = set.tag.into();
    Ok(params)
}

fn no_terminal() -> OpError {
    let message = "the Draft was not published: publishing needs confirmation, and there is no terminal for the prompt";
    OpError::new(Code::NotPermitted, message).action("confirm").hint("confirm with `jig publish --yes`")
}
