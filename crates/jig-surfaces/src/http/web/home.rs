//! Home: the workbenches, the Drafts ready for review, and first steps.

use axum::body::Body;
use jig_contract::ops::{WorkbenchCreate, WorkbenchInfo, WorkbenchList};
use jig_contract::{Code, OpError};
use maud::{Markup, html};
use serde_json::json;

use super::form::Form;
use super::icons::icon;
use super::layout::{self, Shell};
use super::parts::{badge, blocked, button, head};
use super::units::{bytes, count, when};
use super::visit::Visit;
use super::{Answer, answer};

/// How many workbenches are shown.
const SHOWN: usize = 60;

/// `GET /`.
pub(super) async fn show(visit: Visit) -> Answer {
    let all = visit.call::<WorkbenchList>(json!({})).await?.workbenches;
    let body = if all.is_empty() { welcome(&visit) } else { listed(&visit, all) };
    Ok(layout::page(&visit, Shell::at("/", "Workbenches"), body))
}

/// The screen for first use.
fn welcome(visit: &Visit) -> Markup {
    let why_not = visit.refusal::<WorkbenchCreate>();
    html! {
        (head("Welcome to Jig", html! { "A jig holds the work in place and guides the tool. Jig does that for AI agents: it holds the files, \
            the background and the plans, and an agent only ever touches a Draft that you review." }, html! {}))
        div class="cards wide" {
            @if visit.app.options.demo.is_some() {
                section class="card" aria-labelledby="demo-title" {
                    h2 id="demo-title" { (icon("eye")) "Look around first" }
                    p { "The demo workbench has a budget, a report, a deck, a bank export, a policy, background in texts and in fields, two plans, and \
                        an agent that has worked on a task: its Draft waits for you. Everything stays on this machine." }
                    @match why_not.as_deref() {
                        Some(why) => (blocked("button primary", "Open the demo workbench", why)),
                        None => form method="post" action="/demo" data-busy="Making the demo workbench…" {
                            button class="button primary" { "Open the demo workbench" }
                        },
                    }
                }
            }
            (create_card(visit))
        }
        (next_steps(None))
    }
}

fn create_card(visit: &Visit) -> Markup {
    let why_not = visit.refusal::<WorkbenchCreate>();
    html! {
        section class="card" aria-labelledby="create-title" {
            h2 id="create-title" { (icon("plus")) "Create a workbench" }
            p { "One for each piece of work: its files, its background, its history." }
            form class="form" method="post" action="/w" {
                div data-failures {}
                div class="field" {
                    label for="name" { "Name" }
                    input id="name" name="name" required maxlength="200" autocomplete="off" placeholder="Board deck";
                }
                div class="actions" { (button(why_not.as_deref(), "button primary", Some("plus"), "Create workbench")) }
            }
        }
    }
}

fn listed(visit: &Visit, mut all: Vec<WorkbenchInfo>) -> Markup {
    let wanted = visit.query("q").unwrap_or_default().to_lowercase();
    let total = all.len();
    let only = (total == 1).then(|| all[0].id.as_str().to_owned());
    all.sort_by_key(|info| (info.draft.is_none(), std::cmp::Reverse(info.updated_at)));
    all.retain(|info| {
        wanted.is_empty() || info.name.to_lowercase().contains(&wanted) || info.id.as_str().contains(&wanted)
    });
    let drafts = all.iter().filter(|info| info.draft.is_some()).count() as u64;
    let about = if drafts == 0 { "No Draft waits.".to_owned() } else { format!("{} for you.", waits(drafts)) };
    html! {
        (head("Workbenches", html! { @if total == 1 { "1 workbench" } @else { (total) " workbenches" } ". " (about) }, html! {}))
        @if total > 8 {
            form class="search" method="get" action="/" role="search" {
                label for="q" { "Find a workbench" }
                input id="q" name="q" type="search" value=(visit.query("q").unwrap_or_default());
                button class="button" { (icon("search")) "Find" }
            }
        }
        @if all.is_empty() { p { "No workbench has “" (wanted) "” in its name. " a href="/" { "Show all" } } }
        ul class="cards plain" {
            @for info in all.iter().take(SHOWN) {
                li class="card link" {
                    h2 { a href={ "/w/" (info.id.as_str()) } { (info.name) } }
                    p class="muted" {
                        (count(info.files, "file")) " · " (bytes(info.bytes)) " · changed " (when(info.updated_at, visit.now()))
                    }
                    p class="row" {
                        @if info.draft.is_some() {
                            (badge("warn", "Draft waits"))
                            a class="button small" href={ "/w/" (info.id.as_str()) "/review" } { "Review" span class="sr" { " the Draft of " (info.name) } }
                        } @else { (badge("", "no Draft")) }
                    }
                }
            }
        }
        @if all.len() > SHOWN { p class="muted" { "The " (SHOWN) " that changed last are shown. Find others by their name." } }
        div class="cards wide" { (create_card(visit)) }
        @if total == 1 { (next_steps(only.as_deref())) }
    }
}

fn waits(drafts: u64) -> String {
    if drafts == 1 { "1 Draft waits".to_owned() } else { format!("{drafts} Drafts wait") }
}

/// First steps, for a user with at most one workbench.
fn next_steps(only: Option<&str>) -> Markup {
    let link = |step: &str, words: &str| match only {
        Some(id) => html! { a href={ "/w/" (id) (step) } { (words) } },
        None => html! { (words) },
    };
    html! {
        section class="steps" aria-labelledby="next" {
            h2 id="next" { "What to do next" }
            ol {
                li { (link("", "Add your files")) ": drop them on the workbench, or add them with a button." }
                li { (link("/context", "Say once who you are")) ": company, department, situation, and how documents look." }
                li { (link("/plans", "Plan the work")) ": artifacts in sections that you tick off, and that agents change only by small, checked steps." }
                li { (link("/workshop", "Ask an agent")) ", and watch it work in a Draft. Or connect your own: " code { "jig mcp --install claude" } " (or codex, cursor, vscode)." }
                li { (link("/review", "Review what it changed")) ", keep what is right, and publish." }
                li { (link("/prompt", "See what a prompt costs")) ", source by source." }
            }
        }
    }
}

/// `POST /w`.
pub(super) async fn create(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let info = visit.call::<WorkbenchCreate>(json!({ "name": form.text("name").trim() })).await?;
    Ok(answer::done(&format!("/w/{}", info.id), &format!("“{}” is made. Add files, or say who you are.", info.name)))
}

/// `POST /demo`.
pub(super) async fn demo(visit: Visit, _: Body) -> Answer {
    if let Some(why) = visit.refusal::<WorkbenchCreate>() {
        return Err(OpError::new(Code::NotPermitted, why).into());
    }
    let Some(demo) = visit.app.options.demo.clone() else {
        return Err(OpError::new(Code::UnknownOperation, "this server carries no demo").into());
    };
    let id = demo.make(visit.app.workbench.clone()).await?;
    Ok(answer::done(
        &format!("/w/{id}"),
        "This is the demo workbench. An agent has worked in it: review its Draft, or see in the Workshop how it went.",
    ))
}
