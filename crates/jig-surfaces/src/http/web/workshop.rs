//! Workshop: a conversation with an agent, and its run in progress.

use std::time::Duration;

use axum::body::Body;
use jig_contract::ops::{
    ModelList, ModelListOutput, PermitAnswer, PermitReach, SessionEvents, SessionGet, SessionInfo, SessionList,
    SessionMessage, SessionOutput, SessionPermit, SessionRevoke, WorkshopBegin, WorkshopCancel, WorkshopRegenerate,
    WorkshopResume, WorkshopSend, WorkshopUndoToMessage,
};
use jig_contract::{Code, EventRecord, OpError, Operation};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::super::problem::Problem;
use super::form::{self, Form};
use super::icons::icon;
use super::layout::{self, Shell, Tab};
use super::markdown::markdown;
use super::parts::{Work, act as act_form, badge, blocked, button, empty, head, model_choice, more, note};
use super::run_view;
use super::units::{short, when};
use super::visit::{Bench, Visit};
use super::{Answer, answer};

/// How many conversations are listed.
const SESSIONS: u32 = 15;

/// How many messages are shown.
const MESSAGES: usize = 40;

/// How many events of a run are shown.
const EVENTS: usize = 10_000;

/// How often to check whether a run has started.
const LOOK: Duration = Duration::from_millis(60);

/// `GET /w/{id}/workshop`, the newest conversation or a new one; `GET /w/{id}/workshop/{session}`.
pub(super) async fn show(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let list = visit.on::<SessionList>(json!({ "limit": SESSIONS, "cursor": visit.query("cursor") })).await?;
    let models = visit.on::<ModelList>(json!({})).await?;
    let asked = Some(visit.part("session")).filter(|id| !id.is_empty()).map(str::to_owned);
    let newest = list.sessions.first().filter(|_| visit.query("new").is_none() && visit.query("cursor").is_none());
    let session = match asked.or_else(|| newest.map(|session| session.id.to_string())) {
        Some(id) => Some(visit.on::<SessionGet>(json!({ "session_id": id })).await?),
        None => None,
    };
    let title = session.as_ref().map_or_else(|| "Workshop".to_owned(), |session| name(&session.session));
    let next = list
        .cursor
        .as_ref()
        .map(|cursor| format!("/w/{}/workshop?cursor={}", bench.id(), super::super::query::encode(cursor)));
    let new = html! { @if session.is_some() { a class="button" href={ "/w/" (bench.id()) "/workshop?new=1" } { (icon("plus")) "New conversation" } } };
    let body = html! {
        (head("Workshop", html! { "Ask an agent. It works in a Draft, and nothing of yours changes before you publish." }, new))
        div class="workshop" {
            div class="talking" {
                @match &session {
                    Some(session) => (conversation(&visit, &bench, session).await?),
                    None => div id="live" data-part { (empty("messages-square", "What is to be done?", html! { p { "Ask a question about the files, or give a task: the agent researches, makes a plan, works it off item by item, and says what it did." } })) },
                }
                (composer(&visit, session.as_ref(), &models))
            }
            aside class="others" aria-labelledby="others-title" {
                h2 id="others-title" { "Conversations" }
                @if list.sessions.is_empty() { p class="muted" { "There is none yet." } }
                ul class="sessions" { @for one in &list.sessions { (listed(&visit, &bench, one, session.as_ref())) } }
                (more(next, "Older ones"))
            }
        }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Workshop, &title), body))
}

fn name(session: &SessionInfo) -> String {
    if session.title.is_empty() { "A conversation".to_owned() } else { session.title.clone() }
}

/// The status of a session.
pub(super) fn status(session: &SessionInfo) -> Markup {
    match session.status.as_str() {
        "running" => badge("info", "at work"),
        "waiting" => badge("warn", "has a question"),
        "suspended" => badge("warn", "stands still"),
        "idle" => badge("", "idle"),
        other => badge("", other),
    }
}

fn listed(visit: &Visit, bench: &Bench, one: &SessionInfo, shown: Option<&SessionOutput>) -> Markup {
    let here = shown.is_some_and(|shown| shown.session.id == one.id);
    html! {
        li {
            a href={ "/w/" (bench.id()) "/workshop/" (one.id) } aria-current=[here.then_some("true")] { bdi { (name(one)) } }
            p class="fine" { (status(one)) " " (when(one.updated_at, visit.now())) }
        }
    }
}

async fn conversation(visit: &Visit, bench: &Bench, session: &SessionOutput) -> Result<Markup, Problem> {
    let id = &session.session.id;
    let last = newest_message(session);
    let events = match last {
        Some(seq) => happened(visit, id.as_str(), seq).await?,
        None => Vec::new(),
    };
    let skipped = if visit.query("all").is_some() { 0 } else { session.messages.len().saturating_sub(MESSAGES) };
    let idle = session.run.is_none();
    let (before, after): (Vec<_>, Vec<_>) =
        session.messages.iter().skip(skipped).partition(|message| last.is_none_or(|last| message.seq <= last));
    Ok(html! {
        div id="live" data-part data-session=(id) data-status=(session.session.status) {
            p class="row" { strong { bdi { (name(&session.session)) } } (status(&session.session)) a class="fine" href={ "/w/" (bench.id()) "/agent/session/" (id) } { "What the model saw" } }
            @if skipped > 0 { p { a href="?all=1" { "Show " (skipped) " earlier messages" } } }
            ol class="messages" {
                @for message in &before { (said(visit, session, message, idle)) }
                @if !events.is_empty() { li class="run" { (run_view::draw(bench, session, &events)) } }
                @for message in &after { (said(visit, session, message, idle)) }
            }
            (questions(visit, session))
            (permissions(visit, session))
            (under_way(visit, bench, session))
        }
    })
}

/// The number of the last message from a person.
pub(super) fn newest_message(session: &SessionOutput) -> Option<u64> {
    session.messages.iter().rev().find(|message| message.role == "person").map(|message| message.seq)
}

/// All events since a message, up to a limit.
pub(super) async fn happened(visit: &Visit, id: &str, message: u64) -> Result<Vec<EventRecord>, Problem> {
    let mut events = Vec::new();
    let mut after = message.saturating_sub(1);
    while events.len() < EVENTS {
        let params = json!({ "session_id": id, "after": after, "limit": 1_000 });
        let page = visit.on::<SessionEvents>(params).await?;
        events.extend(page.events);
        if !page.has_more || page.cursor <= after {
            break;
        }
        after = page.cursor;
    }
    Ok(events)
}

fn said(visit: &Visit, session: &SessionOutput, message: &SessionMessage, idle: bool) -> Markup {
    let to = format!("/w/{}/workshop", visit.id());
    let id = session.session.id.to_string();
    let seq = message.seq.to_string();
    let last = newest_message(session) == Some(message.seq);
    let who = match message.role.as_str() {
        "person" => "You",
        "agent" => "Agent",
        _ => "Notice",
    };
    html! {
        li class={ "message " (message.role) } data-message=(seq) {
            p class="by" { @if message.role == "agent" { (icon("bot")) } @else if message.role == "person" { (icon("user")) } @else { (icon("info")) } (who) }
            @if message.role == "agent" { (markdown(&message.text)) } @else { p class="words" dir="auto" { (short_words(&message.text)) } }
            @if message.role == "person" && idle && visit.refusal::<WorkshopUndoToMessage>().is_none() {
                div class="actions" {
                    (act_form(&to, &[("act", "undo"), ("session", &id), ("message", &seq)], html! { button class="button small" title="Draft and conversation as they were when this was said" { (icon("undo-2")) "Undo to here" } }))
                    @if last { (act_form(&to, &[("act", "regenerate"), ("session", &id)], html! { button class="button small" { (icon("refresh-cw")) "Try again" } })) }
                    details class="talk" id={ "drop-" (seq) } {
                        summary { "Drop my edits too" }
                        p class="muted" { "Your own edits in the Draft are kept unless you drop them here." }
                        (act_form(&to, &[("act", "undo"), ("session", &id), ("message", &seq), ("drop", "yes")], html! { button class="button small danger" { "Undo to here and drop edits" } }))
                        @if last { (act_form(&to, &[("act", "regenerate"), ("session", &id), ("drop", "yes")], html! { button class="button small danger" { "Try again and drop edits" } })) }
                    }
                }
            }
        }
    }
}

/// A message, truncated to a readable length.
fn short_words(text: &str) -> String {
    const DRAWN: usize = 20_000;
    match text.char_indices().nth(DRAWN) {
        Some((end, _)) => format!("{}… ({} more bytes)", &text[..end], text.len() - end),
        None => text.to_owned(),
    }
}

/// Calls that need a person's permission.
fn questions(visit: &Visit, session: &SessionOutput) -> Markup {
    let to = format!("/w/{}/workshop", visit.id());
    let id = session.session.id.to_string();
    let why = visit.refusal::<SessionPermit>();
    html! {
        @for question in &session.questions {
            section class="card ask" role="group" aria-labelledby={ "q-" (question.question) } {
                h3 id={ "q-" (question.question) } { (icon("shield")) "May the agent call " code { (question.tool) } "?" }
                p { "It needs " code { (question.capability) } "." }
                details id={ "given-" (question.question) } { summary { "What the tool is given" } pre class="text" tabindex="0" { (short(&format!("{:#}", question.input), 8_000)) } }
                form class="form" method="post" action=(to) {
                    div data-failures {}
                    input type="hidden" name="act" value="permit";
                    input type="hidden" name="session" value=(id);
                    input type="hidden" name="question" value=(question.question);
                    div class="actions" {
                        @match why.as_deref() {
                            Some(why) => (blocked("button primary", "Allow", why)),
                            None => {
                                button class="button primary" name="answer" value="once" { "Allow once" }
                                button class="button" name="answer" value="run" { "Allow in this run" }
                                button class="button" name="answer" value="session" { "Always in this conversation" }
                                button class="button danger" name="answer" value="deny" { "Deny" }
                            },
                        }
                    }
                }
            }
        }
    }
}

/// Standing answers, each with a button to revoke it.
fn permissions(visit: &Visit, session: &SessionOutput) -> Markup {
    let to = format!("/w/{}/workshop", visit.id());
    let id = session.session.id.to_string();
    let why = visit.refusal::<SessionRevoke>();
    html! {
        @if !session.permissions.is_empty() {
            details class="talk" id="permissions" {
                summary { (icon("shield")) "Permissions (" (session.permissions.len()) ")" }
                ul class="permissions" {
                    @for (n, one) in session.permissions.iter().enumerate() {
                        @let (reach, scope) = if one.reach == PermitReach::Run { ("run", "in this run") } else { ("session", "in this conversation") };
                        li class="row" {
                            code { (one.capability) } " "
                            @if one.answer == PermitAnswer::Allow { (badge("good", "allowed")) } @else { (badge("bad", "denied")) }
                            span class="muted" { (scope) " · " (when(one.at, visit.now())) }
                            @match why.as_deref() {
                                Some(why) => (blocked("button small", "Revoke", why)),
                                None => (act_form(&to, &[("act", "revoke"), ("session", &id), ("capability", &one.capability), ("reach", reach)], html! { button class="button small" id={ "revoke-" (n) } { "Revoke" } })),
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The controls of the active run, and why it is paused.
fn under_way(visit: &Visit, bench: &Bench, session: &SessionOutput) -> Markup {
    let to = format!("/w/{}/workshop", visit.id());
    let id = session.session.id.to_string();
    let changed = bench.draft.as_ref().map_or(0, |draft| draft.added + draft.modified + draft.deleted);
    html! {
        @if let Some(run) = &session.run {
            @if let Some(why) = &run.suspended { (stands_still(visit, &id, why)) }
            div class="actions" {
                @match visit.refusal::<WorkshopCancel>() {
                    Some(why) => (blocked("button", "Cancel the run", &why)),
                    None => (act_form(&to, &[("act", "cancel"), ("session", &id)], html! { button class="button danger" id="cancel-run" { (icon("x")) "Cancel the run" } })),
                }
                span class="muted" { "The Draft keeps what was finished." }
            }
        } @else if changed > 0 {
            (note("good", html! { "The Draft waits for you. " a class="button small" href={ "/w/" (bench.id()) "/review" } { (icon("clipboard-check")) "Review " (super::units::count(changed, "changed file")) } }))
        }
    }
}

fn stands_still(visit: &Visit, id: &str, why: &Value) -> Markup {
    let text = |name: &str| why[name].as_str().unwrap_or_default().to_owned();
    let capped = text("why") == "budget";
    let words = match text("why").as_str() {
        "budget" => "A cap is reached. Raise it, or go on with the caps that are set.".to_owned(),
        "interrupted" => {
            "The program ended while a model was asked. It is asked again only when you say so.".to_owned()
        }
        _ => text("message"),
    };
    html! {
        section class="failure" role="alert" {
            (icon("circle-alert"))
            div {
                h2 { "Paused" }
                p { (words) }
                p class="fine" { @if let Some(code) = why["code"].as_str() { code { (code) } } @else if capped { code { (Code::BudgetCapReached.as_str()) } @if let Some(cap) = why["cap"].as_str() { " " (cap) } } }
                form class="form" method="post" action={ "/w/" (visit.id()) "/workshop" } {
                    div data-failures {}
                    input type="hidden" name="act" value="resume";
                    input type="hidden" name="session" value=(id);
                    @if capped { (caps("resume")) }
                    div class="actions" {
                        @if text("code").starts_with("PROVIDER_") { a class="button" href={ "/w/" (visit.id()) "/settings" } { "Go to Settings" } }
                        (button(visit.refusal::<WorkshopResume>().as_deref(), "button primary", Some("play"), "Resume"))
                        @if text("why") == "tool_held" && visit.refusal::<WorkshopResume>().is_none() {
                            button class="button" name="decline" value="true" { "Continue without this call" }
                        }
                    }
                }
            }
        }
    }
}

/// The caps of a run.
fn caps(mark: &str) -> Markup {
    html! {
        div class="inline-fields form" {
            div class="field" { label for={ (mark) "-tokens" } { "Most tokens" } input id={ (mark) "-tokens" } name="max_tokens" type="number" min="1" step="1" inputmode="numeric"; }
            div class="field" { label for={ (mark) "-cost" } { "Most dollars" } input id={ (mark) "-cost" } name="max_dollars" type="number" min="0" step="0.01" inputmode="decimal"; }
            div class="field" { label for={ (mark) "-minutes" } { "Most minutes" } input id={ (mark) "-minutes" } name="max_minutes" type="number" min="1" step="1" inputmode="numeric"; }
        }
    }
}

/// Modes: wire name, display name and description.
const MODES: [(&str, &str, &str); 3] = [
    ("auto", "Work on it", "research, plan, item by item, summary"),
    ("ask", "Only answer", "reads, changes nothing"),
    ("direct", "Directly", "one loop without phases"),
];

fn composer(visit: &Visit, session: Option<&SessionOutput>, models: &ModelListOutput) -> Markup {
    let busy = session.is_some_and(|session| session.run.is_some());
    let usual = session.and_then(|session| session.defaults["mode"].as_str()).unwrap_or("auto");
    let why = if busy {
        Some("A run is under way: wait for it, or cancel it.".to_owned())
    } else {
        visit.refusal::<WorkshopSend>()
    };
    html! {
        form class="card form composer" method="post" action={ "/w/" (visit.id()) "/workshop" } data-retry="" {
            div data-failures {}
            input type="hidden" name="act" value="send";
            @if let Some(session) = session { input type="hidden" name="session" value=(session.session.id); }
            div class="field wide" {
                label for="message" { "What is to be done?" }
                textarea id="message" name="message" rows="3" required data-send placeholder="Summarise the bank export by category into a new sheet" {}
            }
            fieldset class="choices" {
                legend { "How" }
                @for (value, words, about) in MODES {
                    label class="choice" { input type="radio" name="mode" value=(value) checked[value == usual]; span { (words) span class="muted" { " · " (about) } } }
                }
            }
            (model_choice(models, Work::Tasks, "model"))
            details class="talk" { summary { "Caps" } (caps("send")) }
            div class="actions" id="send" data-part { (button(why.as_deref(), "button primary", Some("send"), "Send")) span class="muted" { "Ctrl and Enter send too." } }
        }
    }
}

/// `POST /w/{id}/workshop`.
pub(super) async fn act(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let given = form.given("session").map(str::to_owned);
    let what = form.text("act");
    if what == "send" {
        let message = form::lines(form.text("message").trim());
        if message.is_empty() {
            return Err(OpError::new(Code::ValidationFailed, "there is nothing to send")
                .hint("say what is to be done")
                .into());
        }
        let session = match given {
            Some(session) => {
                let params = json!({ "session_id": session, "message": message, "options": options(&form) });
                begin::<WorkshopSend>(&visit, &session, params).await?;
                session
            }
            None => begin_anew(&visit, &message, options(&form)).await?,
        };
        return Ok(answer::go(&format!("/w/{}/workshop/{session}", visit.id())));
    }
    let Some(session) = given else {
        return Err(OpError::new(Code::InvalidRequest, "the form does not say which conversation it is about").into());
    };
    let to = format!("/w/{}/workshop/{session}", visit.id());
    let named = json!({ "session_id": session });
    match what {
        "regenerate" => {
            let params = json!({ "session_id": session, "options": {} });
            let first = begin::<WorkshopRegenerate>(&visit, &session, params.clone()).await;
            if let Some(params) = dropping(&form, params, first)? {
                begin::<WorkshopRegenerate>(&visit, &session, params).await?;
            }
        }
        "resume" => {
            let mut params = options(&form);
            params["session_id"] = json!(session);
            if let Some(params) = params.as_object_mut() {
                params.retain(|name, _| name == "session_id" || name.starts_with("max_"));
            }
            params["decline"] = json!(form.text("decline") == "true");
            begin::<WorkshopResume>(&visit, &session, params).await?;
        }
        "permit" => {
            let (answer, reach) = match form.text("answer") {
                "deny" => ("deny", "once"),
                reach @ ("once" | "run" | "session") => ("allow", reach),
                _ => return Err(OpError::new(Code::InvalidRequest, "the form does not say yes or no").into()),
            };
            let params =
                json!({ "session_id": session, "question": form.number("question"), "answer": answer, "reach": reach });
            begin::<SessionPermit>(&visit, &session, params).await?;
        }
        "revoke" => {
            let params =
                json!({ "session_id": session, "capability": form.text("capability"), "reach": form.given("reach") });
            visit.on::<SessionRevoke>(params).await?;
            return Ok(answer::done(&to, "Permission revoked. The agent asks again when it needs it."));
        }
        "cancel" => {
            visit.on::<WorkshopCancel>(named).await?;
            return Ok(answer::done(&to, "The run ends. The Draft keeps what was finished."));
        }
        "undo" => {
            let params = json!({ "session_id": session, "message": form.number("message") });
            let first = visit.on::<WorkshopUndoToMessage>(params.clone()).await.map(|_| ());
            if let Some(params) = dropping(&form, params, first)? {
                visit.on::<WorkshopUndoToMessage>(params).await?;
            }
            return Ok(answer::done(&to, "Draft and conversation are as they were at that message."));
        }
        _ => return Err(OpError::new(Code::InvalidRequest, "the form does not say what to do").into()),
    }
    Ok(answer::go(&to))
}

/// The same call with the dropped edits confirmed, if the person agreed; `None` if it is done. Otherwise returns the
/// refusal, which lists the edits.
fn dropping(form: &Form, mut params: Value, first: Result<(), Problem>) -> Result<Option<Value>, Problem> {
    let Err(problem) = first else { return Ok(None) };
    if problem.error.code() != Code::DraftEditsNotConfirmed || form.given("drop").is_none() {
        return Err(problem);
    }
    let edits = problem.error.info.detail.as_ref().and_then(|detail| detail["edits"].as_array());
    params["confirm_drop"] = edits.into_iter().flatten().map(|edit| edit["path"].clone()).collect();
    Ok(Some(params))
}

/// Sends a task to the newest conversation, or starts the first one. Returns the conversation's id.
pub(super) async fn tell(visit: &Visit, message: &str) -> Result<String, Problem> {
    let newest = visit.on::<SessionList>(json!({ "limit": 1 })).await?.sessions.into_iter().next();
    let Some(newest) = newest else { return begin_anew(visit, message, json!({})).await };
    let session = newest.id.to_string();
    begin::<WorkshopSend>(visit, &session, json!({ "session_id": session, "message": message, "options": {} })).await?;
    Ok(session)
}

/// Starts a conversation; a refused one leaves nothing behind. Returns its id, which is chosen here so that the run can
/// be observed while it is in progress.
async fn begin_anew(visit: &Visit, message: &str, options: Value) -> Result<String, Problem> {
    let session = visit.app.options.env.fresh_id().to_string();
    let params = json!({ "session_id": session, "message": message, "keep": true, "options": options });
    begin::<WorkshopBegin>(visit, &session, params).await?;
    Ok(session)
}

fn options(form: &Form) -> Value {
    let scaled = |name: &str, times: f64| {
        form.given(name)
            .and_then(|text| text.parse::<f64>().ok())
            .filter(|n| n.is_finite() && *n > 0.0)
            .map(|n| (n * times).round())
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and no cap is that high")]
    let whole = |name: &str, times: f64| scaled(name, times).map(|n| n as u64);
    let all = json!({
        "mode": form.given("mode"), "model": form.given("model"), "max_tokens": form.number("max_tokens"),
        "max_cost_micros": whole("max_dollars", 1_000_000.0), "max_seconds": whole("max_minutes", 60.0),
    });
    let members = all.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    Value::Object(members.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// Starts an agent run that continues after the response. A refusal is returned; once the run is in the session's log,
/// the page shows the rest as events.
async fn begin<O: Operation>(visit: &Visit, session: &str, params: Value) -> Result<(), Problem> {
    let records = records(visit, session).await?;
    let work = visit.on::<O>(params);
    tokio::pin!(work);
    loop {
        tokio::select! {
            biased;
            done = &mut work => return done.map(|_| ()),
            () = tokio::time::sleep(LOOK) => {
                if self::records(visit, session).await? > records {
                    return Ok(());
                }
            }
        }
    }
}

/// The length of a session's log; 0 if the session does not exist yet.
async fn records(visit: &Visit, session: &str) -> Result<u64, Problem> {
    match visit.on::<SessionGet>(json!({ "session_id": session })).await {
        Ok(found) => Ok(found.session.records),
        Err(problem) if problem.error.code() == Code::SessionNotFound => Ok(0),
        Err(problem) => Err(problem),
    }
}
