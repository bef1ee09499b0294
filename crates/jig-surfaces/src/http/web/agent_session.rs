//! A session: the agent's current and available instructions, and every step exactly as the model saw it.

use axum::body::Body;
use jig_contract::ops::{
    PromptBill, SessionApply, SessionGet, SessionOutput, SessionReplay, SessionShow, SessionShowOutput, SessionSync,
    SnapshotInfo,
};
use jig_contract::{Code, OpError};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::super::problem::Problem;
use super::super::query::encode;
use super::agent::{difference, short_hash};
use super::failure::panel;
use super::form::Form;
use super::icons::icon;
use super::layout::{self, Shell, Tab};
use super::markdown::markdown;
use super::parts::{badge, blocked, button, head, long_text, note, warnings};
use super::prompt::picture;
use super::units::{count, grouped, when};
use super::visit::{Bench, Visit};
use super::workshop::{happened, newest_message, status};
use super::{Answer, answer, run_view};

/// How many bytes of a request, answer or result are shown.
const TEXT_BYTES: usize = 256 << 10;

fn here(visit: &Visit, id: &str) -> String {
    format!("/w/{}/agent/session/{id}", visit.id())
}

/// `GET /w/{id}/agent/session/{session}`: with `step` a single step, with `replay` the result of a replay.
pub(super) async fn show(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let session = visit.on::<SessionGet>(json!({ "session_id": visit.part("session") })).await?;
    let info = &session.session;
    let title = if info.title.is_empty() { "A session".to_owned() } else { info.title.clone() };
    let id = info.id.to_string();
    let body = html! {
        p class="crumbs" { a href={ "/w/" (bench.id()) "/agent" } { (icon("arrow-left")) "Agent" } }
        (live(&visit, &bench, &session, &title).await?)
        @if visit.query("replay").is_some() { (replay(&visit, &id).await) }
        (told(&visit, &session).await)
        (steps(&visit, &bench, &session).await?)
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Agent, &title), body))
}

/// The state of the session. The script replaces it on each event of the session, like every part below with
/// `data-part`; ids let it restore focus and expanded elements.
async fn live(visit: &Visit, bench: &Bench, session: &SessionOutput, title: &str) -> Result<Markup, Problem> {
    let info = &session.session;
    let (id, to) = (info.id.to_string(), here(visit, info.id.as_str()));
    let events = match (&session.run, newest_message(session)) {
        (Some(_), Some(message)) => happened(visit, &id, message).await?,
        _ => Vec::new(),
    };
    Ok(html! {
        div id="live" data-part data-session=(id) data-status=(info.status) {
            (head(title, html! { (status(info)) " " (count(info.records, "record")) " · " (count(u64::from(session.steps), "step")) " · begun " (when(info.created_at, visit.now())) " · " code { (id) } }, html! {
                @if let Some(recipe) = &info.recipe { a class="button" id="to-recipe" href={ "/w/" (bench.id()) "/recipes/" (encode(recipe)) } { (icon("scroll-text")) "Recipe" } }
                a class="button" id="to-conversation" href={ "/w/" (bench.id()) "/workshop/" (id) } { (icon("messages-square")) "Conversation" }
                a class="button" id="to-replay" href={ (to) "?replay=1#replay" } { (icon("refresh-cw")) "Replay" }
            }))
            @if !events.is_empty() { (run_view::draw(bench, session, &events)) }
        }
    })
}

async fn replay(visit: &Visit, id: &str) -> Markup {
    let found = visit.on::<SessionReplay>(json!({ "session_id": id })).await;
    html! {
        section id="replay" aria-labelledby="replay-title" {
            h2 id="replay-title" { "Replay" }
            @match &found {
                Err(problem) => (panel(&problem.error.info, Some(visit.id()))),
                Ok(found) => {
                    @let counted = format!("{}, {}, {}", count(found.records, "record"), count(found.effects, "effect"), count(found.requests, "model request"));
                    @match &found.difference {
                        None => (note("good", html! { strong { "The same, byte for byte: " } (counted) "." })),
                        Some(difference) => (note("bad", html! {
                            p { strong { "Not the same from " @if difference.step > 0 { "step " (difference.step) ", " } "record " (difference.record) " on: " } (difference.what) }
                            dl class="facts" { dt { "Recorded" } dd { code { (difference.recorded) } } dt { "Computed" } dd { code { (difference.computed) } } }
                            @if !difference.diff.is_empty() { pre class="text" tabindex="0" { (difference.diff) } }
                            p { (counted) " before it are the same." }
                        })),
                    }
                },
            }
        }
    }
}

/// The agent's instructions: active, pending and earlier ones.
async fn told(visit: &Visit, session: &SessionOutput) -> Markup {
    let workspace = &session.workspace;
    let to = here(visit, session.session.id.as_str());
    let pending = match (&workspace.active, &workspace.pending) {
        (Some(active), Some(pending)) => difference(visit, &active.reference, &pending.reference).await,
        _ => html! {},
    };
    let sync = match visit.refusal::<SessionSync>() {
        Some(why) => blocked("button", "Sync", &why),
        None => html! {
            form class="form inline-fields" method="post" action=(to) {
                div data-failures {}
                input type="hidden" name="act" value="sync";
                div class="field grow" { label for="reference" { "Workspace or version (left empty: the session's)" } input id="reference" name="reference" autocomplete="off" spellcheck="false" placeholder="own@12"; }
                button class="button" { (icon("refresh-cw")) "Sync" }
            }
        },
    };
    html! {
        section aria-labelledby="told-title" {
            h2 id="told-title" { "What the agent is told" }
            p class="muted" { "A sync looks at the workspace and makes a snapshot; an apply adopts it. Nothing changes without both." }
            div class="cards two" id="snapshots" data-part {
                (snapshot_card("In use", "good", workspace.active.as_ref(), &html! {}))
                @if workspace.staged.is_some() { (snapshot_card("To be adopted", "info", workspace.staged.as_ref(), &html! {})) }
                @if let Some(pending) = &workspace.pending { (snapshot_card("Pending", "warn", Some(pending), &apply_form(visit, &to, pending, "Apply"))) }
            }
            (sync)
            (pending)
            @if !workspace.earlier.is_empty() {
                details class="talk" {
                    summary { (icon("history")) "In use before (" (workspace.earlier.len()) ")" }
                    div class="cards two" { @for one in &workspace.earlier { (snapshot_card("Before", "", Some(one), &apply_form(visit, &to, one, "Go back to it"))) } }
                }
            }
        }
    }
}

fn snapshot_card(title: &str, tone: &str, snapshot: Option<&SnapshotInfo>, actions: &Markup) -> Markup {
    html! {
        article class="card" aria-label=(title) {
            @match snapshot {
                None => { h3 { (title) } p class="muted" { "None." } },
                Some(snapshot) => {
                    h3 { (snapshot.reference) " " (badge(tone, title)) }
                    p class="fine" { code { (short_hash(&snapshot.snapshot)) } }
                    p { "Packs: " (snapshot.packs.join(", ")) }
                    p { "Catalogs: " (snapshot.catalogs.join(", ")) }
                    (coverage(snapshot))
                    (warnings(&snapshot.warnings))
                    (actions)
                },
            }
        }
    }
}

/// Which tools can be called.
fn coverage(snapshot: &SnapshotInfo) -> Markup {
    html! {
        dl class="facts" {
            dt { "Bound" } dd { (snapshot.bound.len()) @if !snapshot.bound.is_empty() { span class="muted" { ": " (snapshot.bound.join(", ")) } } }
            dt { "Unbound" } dd { @if snapshot.unbound.is_empty() { "none" } @else { (badge("warn", &snapshot.unbound.join(", "))) } }
            dt { "Not permitted" } dd { @if snapshot.not_permitted.is_empty() { "none" } @else { (badge("warn", &snapshot.not_permitted.join(", "))) } }
        }
    }
}

fn apply_form(visit: &Visit, to: &str, snapshot: &SnapshotInfo, words: &str) -> Markup {
    let mark = short_hash(&snapshot.snapshot);
    html! {
        form class="form" method="post" action=(to) {
            div data-failures {}
            input type="hidden" name="act" value="apply";
            input type="hidden" name="snapshot" value=(snapshot.snapshot);
            div class="field" {
                label for={ "when-" (mark) } { "When" }
                select id={ "when-" (mark) } name="mode" {
                    option value="next_run" { "With the next run" }
                    option value="next_step_boundary" { "When the next model request is built" }
                    option value="immediate_if_idle" { "At once, if no run is under way" }
                }
            }
            (button(visit.refusal::<SessionApply>().as_deref(), "button primary", Some("check"), words))
        }
    }
}

/// A step, and links to the others.
async fn steps(visit: &Visit, bench: &Bench, session: &SessionOutput) -> Result<Markup, Problem> {
    let to = here(visit, session.session.id.as_str());
    if session.steps == 0 {
        return Ok(
            html! { section id="step" data-part aria-labelledby="steps-title" { h2 id="steps-title" { "Steps" } p class="muted" { "No model was asked yet. " a href={ "/w/" (bench.id()) "/workshop/" (session.session.id) } { "Say something" } } } },
        );
    }
    // Without a number it is the newest step at the time.
    let asked = visit.query("step").and_then(|step| step.parse::<u32>().ok());
    let number = asked.unwrap_or(session.steps);
    let shown = visit.on::<SessionShow>(json!({ "session_id": session.session.id, "step": number })).await;
    Ok(html! {
        section id="step" aria-labelledby="steps-title" {
            h2 id="steps-title" { "What the model saw" }
            nav class="actions" aria-label="Steps" id="step-ways" data-part {
                @if number > 1 { a class="button small" id="step-before" href={ (to) "?step=" (number - 1) "#step" } { (icon("chevron-left")) "Step before" } }
                span class="muted" { "Step " (number) " of " (session.steps) }
                @if number < session.steps { a class="button small" id="step-next" href={ (to) "?step=" (number + 1) "#step" } { "Next step" (icon("chevron-right")) } }
                @if number > 1 { a class="button small" id="step-first" href={ (to) "?step=1#step" } { "First" } }
                @if asked.is_some() && number < session.steps { a class="button small" id="step-newest" href={ (to) "#step" } { "Newest" } }
            }
            div id="step-shown" data-part {
                @match &shown {
                    Err(problem) => (panel(&problem.error.info, Some(visit.id()))),
                    Ok(step) => (one_step(step)),
                }
            }
        }
    })
}

fn one_step(step: &SessionShowOutput) -> Markup {
    html! {
        p class="row" {
            strong { "Run " (step.run) ", " (step.phase) }
            span class="fine" { "snapshot " code { (short_hash(&step.snapshot)) } @if let Some(hash) = &step.request_hash { " · request " code { (short_hash(hash)) } } }
            (usage(step.answer.as_ref()))
        }
        @if let Some(bill) = &step.bill { (cost(bill)) }
        @match &step.request {
            Some(request) => details class="exact" id="step-request" open { summary { "The request, as it was sent" } (request_view(request)) details class="exact" id="step-json" { summary { "Its exact JSON" } (long_text(&format!("{request:#}"), TEXT_BYTES)) } },
            None => p class="muted" { "The request was not built yet." },
        }
        @if let Some(answer) = &step.answer { details class="exact" id="step-answer" open { summary { "What it answered" } (answer_view(answer)) } }
        @if !step.results.is_empty() {
            details class="exact" id="step-results" open { summary { "What the tools gave (" (step.results.len()) ")" }
                @for result in &step.results { h3 { code { (result["tool"].as_str().unwrap_or("?")) } @if result["result"]["failed"].is_string() || result["result"]["code"].is_string() { " " (badge("bad", "failed")) } }
                    (long_text(result["result"]["text"].as_str().map_or_else(|| format!("{:#}", result["result"]), str::to_owned).as_str(), TEXT_BYTES)) }
            }
        }
    }
}

fn usage(answer: Option<&Value>) -> Markup {
    let number = |name: &str| answer.and_then(|answer| answer["usage"][name].as_u64()).unwrap_or_default();
    let (input, output, micros) = (number("input"), number("output"), number("micros"));
    html! { @if input + output > 0 { span { (grouped(input)) " tokens in, " (grouped(output)) " out" @if micros > 0 { " · $" (format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)) } } } }
}

fn cost(bill: &PromptBill) -> Markup {
    html! { details class="exact" id="step-cost" { summary { "What each source of it costs: " (grouped(bill.total)) " tokens" } (picture(bill)) } }
}

/// The messages of a request in any format: every text with the name of its position.
fn request_view(request: &Value) -> Markup {
    let mut pieces = Vec::new();
    for name in ["system", "instructions", "systemInstruction", "messages", "input", "contents"] {
        match &request[name] {
            Value::Null => {}
            Value::Array(all) => {
                for one in all {
                    let role = one["role"].as_str().or(one["type"].as_str()).unwrap_or(name);
                    pieces.push((role.to_owned(), texts(one)));
                }
            }
            other => pieces.push((name.to_owned(), texts(other))),
        }
    }
    html! {
        @for (role, text) in &pieces { h3 { (role) } (long_text(text, TEXT_BYTES)) }
        @if let Some(tools) = request["tools"].as_array().filter(|tools| !tools.is_empty()) { p class="fine" { "Tools offered: " (tools.len()) } }
    }
}

/// The texts inside a message in order; other content as JSON.
fn texts(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(texts).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => ["text", "content", "parts", "output"]
            .iter()
            .find_map(|name| members.get(*name).filter(|value| !value.is_null()).map(texts))
            .map_or_else(
                || value.to_string(),
                |text| match members.get("tool_calls") {
                    Some(calls) if !calls.is_null() => format!("{text}\n{calls:#}"),
                    _ => text,
                },
            ),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn answer_view(answer: &Value) -> Markup {
    html! {
        @for part in answer["parts"].as_array().into_iter().flatten() {
            @match part["type"].as_str() {
                Some("text") => (markdown(part["text"].as_str().unwrap_or_default())),
                Some("call") => { p { "calls " code { (part["name"].as_str().unwrap_or("?")) } } (long_text(&format!("{:#}", part["input"]), TEXT_BYTES)) },
                _ => p class="muted" { "something that only its provider reads" },
            }
        }
        @if let Some(stop) = answer["stop"].as_str() { p class="fine" { "ended: " (stop) } }
    }
}

/// `POST /w/{id}/agent/session/{session}`.
pub(super) async fn act(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let id = visit.part("session").to_owned();
    let words = match form.text("act") {
        "sync" => {
            let output =
                visit.on::<SessionSync>(json!({ "session_id": id, "reference": form.given("reference") })).await?;
            synced(&output)?
        }
        "apply" => {
            let params = json!({ "session_id": id, "snapshot": form.text("snapshot"), "mode": form.given("mode") });
            let output = visit.on::<SessionApply>(params).await?;
            if output.workspace.staged.is_some() {
                "It is adopted when that is due.".to_owned()
            } else {
                "It is in use.".to_owned()
            }
        }
        _ => return Err(OpError::new(Code::InvalidRequest, "the form does not say what to do").into()),
    };
    Ok(answer::done(&here(&visit, &id), &words))
}

/// The result of a sync, or all of its errors.
fn synced(output: &SessionOutput) -> Result<String, OpError> {
    let problems: Vec<&Value> =
        output.events.iter().filter_map(|record| record["event"]["problems"].as_array()).flatten().collect();
    if !problems.is_empty() {
        let text = |problem: &Value, name: &str| problem[name].as_str().unwrap_or_default().to_owned();
        let fields: Vec<Value> = problems
            .iter()
            .map(|one| json!({ "field": format!("{} {}", text(one, "file"), text(one, "pointer")).trim(), "message": text(one, "message") }))
            .collect();
        let error = OpError::new(Code::AgentWorkspaceInvalid, "the workspace is not right, and nothing has changed");
        return Err(error.detail(json!({ "fields": fields })).hint("mend its files and sync again"));
    }
    Ok(if output.workspace.pending.is_some() {
        "A snapshot is ready. Nothing is adopted before you apply it.".to_owned()
    } else {
        "It holds what is in use already.".to_owned()
    })
}
