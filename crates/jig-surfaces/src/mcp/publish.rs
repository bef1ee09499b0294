//! Publishing through MCP: only if the owner permits asking (`mcp.publish = "ask"`), and only with a person's
//! confirmation.
//!
//! A person is asked through the client if it supports that (elicitation), with the names of the files. They confirm
//! the Draft as it was shown: if it changes before publishing, the confirmation is void.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jig_contract::ops::{ChangeType, ReviewGetChangeSetOutput, WorkbenchInfo};
use jig_contract::{Actor, Code, OpError};
use jig_workbench::{CallContext, Workbench};
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    InputRequest, InputRequests, InputRequiredResult, ProtocolVersion,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, model::ClientCapabilities};
use serde_json::{Map, Value, json};

use super::resources::get;

/// The name of the question in the newer protocol.
const QUESTION: &str = "publish";
/// The maximum number of pending questions; the oldest are dropped.
const WAITING_MAX: usize = 16;

/// How many added and modified files a question names.
const SHOWN_MAX: usize = 50;

/// The result of asking.
pub(super) enum Consent {
    /// The person confirmed, with these parameters.
    Given(Map<String, Value>),
    /// The client must ask and call again.
    Ask(Box<InputRequiredResult>),
    /// The client cannot ask, so no one has confirmed.
    CannotAsk,
}

/// Pending questions of the newer protocol.
///
/// The client only gets a random handle; the question is stored here, where no client can change it.
#[derive(Default)]
pub(super) struct Waiting(Mutex<HashMap<String, Question>>);

/// What a person was shown.
#[derive(Debug, Clone, PartialEq)]
struct Question {
    /// The actor who asked; no one else can deliver the answer.
    actor: Actor,
    arguments: Map<String, Value>,
    tag: String,
    deletions: Vec<String>,
    words: String,
}

/// Asks a person, in a way that this client supports.
pub(super) async fn ask(
    workbench: &Workbench,
    waiting: &Waiting,
    request: &CallToolRequestParams,
    arguments: Map<String, Value>,
    context: &RequestContext<RoleServer>,
    call: &CallContext,
    fresh_handle: impl Fn() -> String,
) -> Result<Consent, OpError> {
    if !can_ask(context.client_capabilities().as_ref()) {
        return Ok(Consent::CannotAsk);
    }
    let now = question(workbench, call, arguments.clone()).await?;
    let newer = context.protocol_version().is_some_and(|v| v.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
    let (asked, reply) = if !newer {
        let reply = context.peer.create_elicitation(form(&now.words)?).await;
        let reply = reply.map_err(|e| refused("the client could not ask").because(e))?;
        (now, reply)
    } else if let Some(handle) = &request.request_state {
        let asked =
            waiting.take(handle).ok_or_else(|| refused("this question was never put, or is answered already"))?;
        (asked, answer_of(request)?)
    } else {
        return Ok(Consent::Ask(Box::new(waiting.put(fresh_handle(), now)?)));
    };
    check_reply(&reply)?;
    let after = question(workbench, call, arguments).await?;
    if after != asked {
        return Err(OpError::new(
            Code::Conflict,
            "the Draft or the call changed while the person was asked; nothing was published",
        )
        .hint("call the tool again, so that the person sees the Draft as it is now"));
    }
    Ok(Consent::Given(confirmed(asked)))
}

impl Waiting {
    fn put(&self, handle: String, question: Question) -> Result<InputRequiredResult, OpError> {
        let request = InputRequest::Elicitation(ElicitRequest::new(form(&question.words)?));
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Handles are ordered by time, so the smallest is the oldest.
        while waiting.len() >= WAITING_MAX {
            let Some(oldest) = waiting.keys().min().cloned() else { break };
            waiting.remove(&oldest);
        }
        waiting.insert(handle.clone(), question);
        Ok(InputRequiredResult::new(Some(InputRequests::from([(QUESTION.to_owned(), request)])), Some(handle)))
    }

    fn take(&self, handle: &str) -> Option<Question> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(handle)
    }
}

fn can_ask(client: Option<&ClientCapabilities>) -> bool {
    // A client that specifies no method supports forms.
    let elicitation = client.and_then(|client| client.elicitation.as_ref());
    elicitation.is_some_and(|e| e.form.is_some() || e.url.is_none())
}

async fn question(
    workbench: &Workbench,
    call: &CallContext,
    arguments: Map<String, Value>,
) -> Result<Question, OpError> {
    let id = json!({ "workbench_id": arguments.get("workbench_id") });
    let changes: ReviewGetChangeSetOutput = get(workbench, "ReviewGetChangeSet", call, id.clone()).await?;
    let info: WorkbenchInfo = get(workbench, "WorkbenchGet", call, id).await?;
    let of = |wanted: ChangeType| changes.changes.iter().filter(move |c| c.change == wanted);
    let deletions: Vec<String> = of(ChangeType::Deleted).map(|c| c.path.to_string()).collect();
    let (added, modified) = (of(ChangeType::Added).count(), of(ChangeType::Modified).count());
    let mut words = format!(
        "Publish the Draft of “{}”? {added} added, {modified} modified, {} deleted.",
        info.name,
        deletions.len()
    );
    for (title, kind) in [("Added", ChangeType::Added), ("Modified", ChangeType::Modified)] {
        let paths: Vec<&str> = of(kind).map(|change| change.path.as_str()).collect();
        let more = paths.len().saturating_sub(SHOWN_MAX);
        if !paths.is_empty() {
            let shown: Vec<&str> = paths.into_iter().take(SHOWN_MAX).collect();
            words.push_str(&format!("\n{title}: {}", shown.join(", ")));
        }
        if more > 0 {
            words.push_str(&format!(" and {more} more"));
        }
    }
    // Deleted files are always named.
    if !deletions.is_empty() {
        words.push_str(&format!("\nThese files will be deleted: {}", deletions.join(", ")));
    }
    match arguments.get("on_conflict").and_then(Value::as_str) {
        Some("take_outside") => words.push_str("\nWhere published files were changed outside, that version is taken."),
        Some("keep_draft") => {
            words.push_str("\nWhere published files were changed outside, the Draft's version is kept.");
        }
        _ => {}
    }
    Ok(Question { actor: call.actor.clone(), arguments, tag: changes.tag.clone(), deletions, words })
}

fn form(words: &str) -> Result<ElicitRequestParams, OpError> {
    let schema = ElicitationSchema::builder()
        .required_bool_with("publish", |b| b.title("Publish").description("Make the Draft's files the published ones"));
    let requested_schema =
        schema.build().map_err(|e| OpError::new(Code::Internal, format!("the question has no valid form: {e}")))?;
    Ok(ElicitRequestParams::FormElicitationParams { meta: None, message: words.to_owned(), requested_schema })
}

fn answer_of(request: &CallToolRequestParams) -> Result<ElicitResult, OpError> {
    let answer = request.input_responses.as_ref().and_then(|all| all.get(QUESTION)).cloned();
    answer
        .and_then(|answer| serde_json::from_value(answer).ok())
        .ok_or_else(|| refused("the call came back without the person's answer"))
}

fn check_reply(reply: &ElicitResult) -> Result<(), OpError> {
    let yes = reply.content.as_ref().and_then(|content| content.get("publish")) == Some(&Value::Bool(true));
    match reply.action {
        ElicitationAction::Accept if yes => Ok(()),
        _ => Err(refused("the person did not agree")),
    }
}

fn refused(why: &str) -> OpError {
    OpError::new(Code::NotPermitted, format!("the Draft was not published: {why}"))
        .action("review")
        .hint("a person reviews and publishes the Draft in the web app, or with `jig review` and `jig publish`")
}

/// The person saw the names of deleted files and thereby confirmed them.
fn confirmed(question: Question) -> Map<String, Value> {
    let mut arguments = question.arguments;
    arguments.insert("confirm_deletions".to_owned(), json!(question.deletions));
    // Checked again in the commit, so that nothing changes in between.
    arguments.insert("reviewed".to_owned(), json!(question.tag));
    arguments
}
