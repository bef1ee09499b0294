//! A recipe: its context and token count, running it, and the outputs of its runs.

use axum::body::Body;
use jig_contract::ops::{
    AssembleReport, JobInfo, JobList, JobState, ModelList, ModelListOutput, OutputList, RecipeAssemble,
    RecipeAssembleOutput, RecipeDelete, RecipeGet, RecipeInfo, RecipeRun, SessionList,
};
use jig_contract::{Code, OpError};
use maud::{Markup, html};
use serde_json::json;

use super::super::problem::Problem;
use super::super::query::encode;
use super::failure::panel;
use super::form::{self, Form};
use super::icons::icon;
use super::layout::{self, Shell, Tab};
use super::parts::{Work, act as act_form, badge, blocked, button, head, long_text, model_choice, note, prose};
use super::proposals;
use super::recipes::title;
use super::units::{grouped, percent, when};
use super::visit::Visit;
use super::{Answer, answer};

/// How many runs and outputs are shown.
const SHOWN: u32 = 10;

/// How many sessions are searched for those of the runs.
const SESSIONS: u32 = 50;

/// How many bytes of the context are shown.
const CONTEXT_BYTES: usize = 64 << 10;

/// `GET /w/{id}/recipes/{recipe}`: the definition immediately; with `context` the context, for which every entry may
/// have to be counted.
pub(super) async fn show(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let name = visit.part("recipe").to_owned();
    let recipe = visit.on::<RecipeGet>(json!({ "recipe": name })).await?;
    let context = match visit.query("context") {
        Some(_) => report(visit.id(), &visit.on::<RecipeAssemble>(json!({ "recipe": name })).await),
        None => to_come(visit.id(), &name),
    };
    let outputs = visit.on::<OutputList>(json!({ "recipe": name, "limit": SHOWN })).await?;
    let jobs = visit.on::<JobList>(json!({ "recipe": name, "limit": SHOWN })).await?;
    let models = visit.on::<ModelList>(json!({})).await?;
    let sessions = visit.on::<SessionList>(json!({ "recipes": true, "limit": SESSIONS })).await?;
    let seen: Vec<&str> = sessions.sessions.iter().map(|session| session.id.as_str()).collect();
    let id = bench.id();
    let mut made = Vec::new();
    for output in &outputs.outputs {
        made.push(proposals::card(&visit, output, &name).await?);
    }
    let tag = form::base(recipe.recipe.etag.as_ref());
    let body = html! {
        p class="crumbs" { a href={ "/w/" (id) "/recipes" } { (icon("arrow-left")) "Recipes" } }
        (head(title(&recipe.recipe), html! { (recipe.recipe.definition.description.as_deref().unwrap_or_default()) }, html! {
            a class="button" href={ "/w/" (id) "/recipes?change=" (encode(&name)) "#define" } { (icon("pencil")) "Change" }
            @if !recipe.recipe.shipped {
                @match visit.refusal::<RecipeDelete>() {
                    Some(why) => (blocked("button", "Delete", &why)),
                    None => (act_form(&format!("/w/{id}/recipes/{}", encode(&name)), &[("act", "delete"), ("base_revision", &tag)], html! { button class="button" { (icon("trash-2")) "Delete" } })),
                }
            }
        }))
        @for problem in &recipe.recipe.problems { (note("bad", html! { (prose(problem)) })) }
        div class="split" {
            (context)
            div { (run_form(&visit, &recipe.recipe, &models)) (runs(&visit, &jobs.jobs, &seen)) }
        }
        section aria-labelledby="outputs-title" {
            h2 id="outputs-title" { "What it made" }
            @if outputs.outputs.is_empty() { p class="muted" { "Nothing yet." } }
            @for card in &made { (card) }
        }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Recipes, title(&recipe.recipe)), body))
}

/// A placeholder that the script fills; without the script, a link.
fn to_come(id: &str, name: &str) -> Markup {
    let from = format!("/w/{id}/recipes/{}?context=1", encode(name));
    html! {
        section class="card" id="report" aria-labelledby="report-title" data-load=(from) {
            h2 id="report-title" { "Its context" }
            p class="muted" role="status" { "Counting what its context holds…" }
            p { a class="button" href=(from) { "Show its context" } }
        }
    }
}

fn report(id: &str, assembled: &Result<RecipeAssembleOutput, Problem>) -> Markup {
    html! {
        section class="card" id="report" aria-labelledby="report-title" {
            h2 id="report-title" { "Its context" }
            @match assembled {
                Err(problem) => (panel(&problem.error.info, Some(id))),
                Ok(output) => {
                    (cost(&output.report))
                    (lacks(id, &output.report))
                    details class="exact" { summary { "The context as a model gets it" } (long_text(&output.context, CONTEXT_BYTES)) }
                    details class="exact" { summary { "The whole prompt" } (long_text(&output.prompt, CONTEXT_BYTES)) }
                },
            }
        }
    }
}

fn cost(report: &AssembleReport) -> Markup {
    let tokens = &report.tokens;
    html! {
        p { strong class="big" { (grouped(tokens.projected)) " tokens" } @if tokens.estimated { " (estimated)" } }
        p class="muted" {
            "With all fields of these entries: " (grouped(tokens.all_fields))
            @if let Some(times) = tokens.times_smaller_than_all_fields { (compared(times)) }
            ". All entries as flat text: " (grouped(tokens.flat_text))
            @if let Some(times) = tokens.times_smaller_than_flat_text { (compared(times)) } "."
        }
    }
}

fn compared(times: f64) -> String {
    if times >= 1.05 { format!(", {times:.1} times as much") } else { String::new() }
}

fn lacks(id: &str, report: &AssembleReport) -> Markup {
    html! {
        @if !report.missing.is_empty() {
            h3 { "Missing" }
            ul { @for one in &report.missing {
                li {
                    a href={ "/w/" (id) "/new/" (encode(&one.role)) } title=(one.how) { (one.role) } @if !one.fields.is_empty() { ": " (one.fields.join(", ")) }
                    " " @if one.required { (badge("bad", "required")) } @else { (badge("", "optional")) }
                }
            } }
        }
        @if !report.incomplete.is_empty() { h3 { "Incomplete" } ul { @for one in &report.incomplete { li { (one.address) ": " (percent(one.completeness)) "%, without " (one.missing.join(", ")) } } } }
        @if !report.stale.is_empty() { h3 { "Old" } ul { @for one in &report.stale { li { (one.address) @if one.staleness.expired.is_some() { " expired" } @if !one.staleness.newer_sources.is_empty() { " made from older sources" } } } } }
        @if !report.left_out.is_empty() { h3 { "Left out" } ul { @for one in &report.left_out { li { (one.source) ", " (grouped(one.tokens)) " tokens: " (prose(&one.why)) } } } }
        @if !report.used.is_empty() { h3 { "Used" } p class="muted" { @for (n, used) in report.used.iter().enumerate() { @if n > 0 { ", " } code { (used.address) } " (revision " (used.revision) ")" } } }
    }
}

fn run_form(visit: &Visit, recipe: &RecipeInfo, models: &ModelListOutput) -> Markup {
    html! {
        section class="card" aria-labelledby="run-title" {
            h2 id="run-title" { "Run it" }
            form class="form" method="post" action=(format!("/w/{}/recipes/{}", visit.id(), encode(&recipe.definition.recipe))) data-busy={ "Running " (title(recipe)) "…" } data-retry="" {
                div data-failures {}
                input type="hidden" name="act" value="run";
                div class="field" { label for="input" { "What you add (optional)" } textarea id="input" name="input" rows="3" {} }
                (model_choice(models, Work::Texts, "run-model"))
                (button(visit.refusal::<RecipeRun>().as_deref(), "button primary", Some("play"), "Run"))
            }
        }
    }
}

/// The runs; `seen` has the existing sessions, whose ids are those of their runs.
fn runs(visit: &Visit, jobs: &[JobInfo], seen: &[&str]) -> Markup {
    html! {
        @if !jobs.is_empty() {
            section class="card" aria-labelledby="runs-title" {
                h2 id="runs-title" { "Runs" }
                ul class="journal" { @for job in jobs { (job_row(visit, job, seen.contains(&job.id.as_str()))) } }
            }
        }
    }
}

/// A job in a list, with a link to its session if it exists.
pub(super) fn job_row(visit: &Visit, job: &JobInfo, has_session: bool) -> Markup {
    let (tone, word) = match job.state {
        JobState::Queued => ("", "waits"),
        JobState::Running => ("info", "at work"),
        JobState::Done => ("good", "done"),
        JobState::Failed => ("bad", "failed"),
        JobState::Cancelled => ("", "stopped"),
    };
    let open = matches!(job.state, JobState::Queued | JobState::Running);
    let named = job.result.as_ref().is_some_and(|result| result["sent"]["session_id"].is_string());
    let has_session = has_session || named;
    html! {
        li {
            div class="grow" {
                p { (badge(tone, word)) " " (job.kind.replace('_', " ")) @if let Some(recipe) = &job.recipe { " " code { (recipe) } } }
                p class="muted" { (when(job.created_at, visit.now())) @if job.attempts > 1 { " · try " (job.attempts) " of " (job.max_attempts) }
                    @if has_session { " · " a href={ "/w/" (visit.id()) "/agent/session/" (job.id) } { @if open { "Watch it" } @else { "What the model saw" } } }
                }
                @if let Some(error) = &job.error { p { (prose(&error.message)) } }
            }
            @if open { (act_form(&format!("/w/{}/settings", visit.id()), &[("act", "cancel-job"), ("job", &job.id.to_string())], html! { button class="button small" { "Stop" } })) }
        }
    }
}

/// `POST /w/{id}/recipes/{recipe}`.
pub(super) async fn act(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let name = visit.part("recipe").to_owned();
    let here = format!("/w/{}/recipes/{}", visit.id(), encode(&name));
    match form.text("act") {
        "run" => {
            let params = json!({ "recipe": name, "input": form.given("input"), "model": form.given("model") });
            let output = visit.on::<RecipeRun>(params).await?;
            let words = match (&output.output, &output.answer, &output.entry) {
                (_, _, Some(_)) => "It ran, and its output is in the entry.".to_owned(),
                (Some(_), _, _) => "It ran. What it made waits for you below.".to_owned(),
                (_, Some(answer), _) => format!("It ran: {}", super::units::short(answer, 900)),
                _ => "It is on its way.".to_owned(),
            };
            Ok(answer::done(&here, &words))
        }
        "delete" => {
            let output = visit
                .on::<RecipeDelete>(json!({ "recipe": name, "base_revision": form.given("base_revision") }))
                .await?;
            let words = if output.shipped_again {
                format!("{name} is again as it came with Jig.")
            } else {
                format!("{name} is deleted.")
            };
            Ok(answer::done(&format!("/w/{}/recipes", visit.id()), &words))
        }
        _ => Err(OpError::new(Code::InvalidRequest, "the form does not say what to do").into()),
    }
}
