//! History: the journal, undo and redo, checkpoints and restoring one.

use axum::body::Body;
use jig_contract::ops::{
    Checkpoint, CheckpointCreate, CheckpointList, CheckpointReason, CheckpointRestore, JournalEntry, JournalList,
    JournalRedo, JournalUndo,
};
use jig_contract::{Code, OpError};
use maud::{Markup, html};
use serde_json::json;

use super::form::Form;
use super::icons::icon;
use super::layout::{self, Shell, Tab};
use super::parts::{act, badge, blocked, button, empty, head, more};
use super::units::{count, when, who};
use super::visit::{Bench, Visit};
use super::{Answer, answer};

/// The number of changes per page.
const PAGE: u32 = 40;

/// How many checkpoints are shown.
const CHECKPOINTS: usize = 30;

/// Why restoring is blocked.
const DRAFT_BLOCKS: &str = "Publish or discard your Draft to restore a checkpoint.";

/// `GET /w/{id}/history`.
pub(super) async fn show(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let before = visit.query("before").and_then(|before| before.parse::<u64>().ok());
    let journal = visit.on::<JournalList>(json!({ "before": before, "limit": PAGE })).await?;
    let checkpoints = visit.on::<CheckpointList>(json!({})).await?.checkpoints;
    let to = format!("/w/{}/history", bench.id());
    let step = |what: &str, drawing: &str, words: &str, why: Option<String>| match why {
        Some(why) => blocked("button", words, &why),
        None => act(&to, &[("act", what)], html! { button class="button" { (icon(drawing)) (words) } }),
    };
    let next = journal.entries.last().filter(|_| journal.has_more).map(|last| format!("{to}?before={}", last.seq));
    let body = html! {
        (head("History", html! { (count(journal.total, "change")) ". Nothing is lost: every one of them can be taken back." }, html! {
            (step("undo", "undo-2", "Undo", visit.refusal::<JournalUndo>()))
            (step("redo", "redo-2", "Redo", visit.refusal::<JournalRedo>()))
        }))
        div class="split" {
            section aria-labelledby="journal-title" {
                h2 id="journal-title" { "Journal" }
                @if journal.entries.is_empty() { (empty("history", "Nothing has happened yet", html! {})) }
                ol class="journal" { @for entry in &journal.entries { (row(&visit, entry)) } }
                (more(next, "Older changes"))
            }
            section aria-labelledby="checkpoints-title" {
                h2 id="checkpoints-title" { "Checkpoints" }
                p class="muted" { "A checkpoint is a name for the present state, to come back to." }
                form class="form card" method="post" action=(to) {
                    div data-failures {}
                    input type="hidden" name="act" value="checkpoint";
                    div class="field" { label for="name" { "Name" } input id="name" name="name" required maxlength="200" autocomplete="off" placeholder="before the rewrite"; }
                    (button(visit.refusal::<CheckpointCreate>().as_deref(), "button", Some("bookmark"), "Make a checkpoint"))
                }
                (checkpoint_list(&visit, &bench, &checkpoints))
            }
        }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::History, "History"), body))
}

fn row(visit: &Visit, entry: &JournalEntry) -> Markup {
    html! {
        li {
            span class="seq" { (entry.seq) }
            div {
                p { (entry.summary) @if let Some(target) = entry.target { " " (badge("", &format!("of change {target}"))) } }
                p class="muted" { (who(&entry.actor)) " · " (when(entry.at, visit.now())) " · " code { (entry.operation) } }
            }
        }
    }
}

fn checkpoint_list(visit: &Visit, bench: &Bench, all: &[Checkpoint]) -> Markup {
    let why_not =
        if bench.draft.is_some() { Some(DRAFT_BLOCKS.to_owned()) } else { visit.refusal::<CheckpointRestore>() };
    html! {
        @if all.is_empty() { p class="muted" { "There is none yet. Publishing makes one by itself." } }
        ul class="journal" {
            @for checkpoint in all.iter().take(CHECKPOINTS) {
                li {
                    div class="grow" {
                        p { strong { (checkpoint.name) } " " (badge("", reason(checkpoint.reason))) }
                        p class="muted" { (when(checkpoint.created_at, visit.now())) " · after change " (checkpoint.seq) }
                    }
                    @match &why_not {
                        Some(why) => (blocked("button small", "Restore", why)),
                        None => (act(&format!("/w/{}/history", bench.id()), &[("act", "restore"), ("checkpoint", &checkpoint.id.to_string())],
                            html! { button class="button small" { (icon("undo-2")) span { "Restore" span class="sr" { " " (checkpoint.name) } } } })),
                    }
                }
            }
        }
        @if all.len() > CHECKPOINTS { p class="muted" { "The newest " (CHECKPOINTS) " of " (all.len()) " are shown; " code { "jig checkpoint list" } " shows all." } }
    }
}

const fn reason(reason: CheckpointReason) -> &'static str {
    match reason {
        CheckpointReason::Manual => "by hand",
        CheckpointReason::Publish => "before a publish",
        CheckpointReason::Restore => "before a restore",
        CheckpointReason::Conflict => "before files of outside were replaced",
    }
}

/// `POST /w/{id}/history`.
pub(super) async fn act_on(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let words = match form.text("act") {
        "undo" => format!("Taken back: {}.", visit.on::<JournalUndo>(json!({})).await?.change.summary),
        "redo" => format!("Made again: {}.", visit.on::<JournalRedo>(json!({})).await?.change.summary),
        "checkpoint" => {
            let made = visit.on::<CheckpointCreate>(json!({ "name": form.text("name").trim() })).await?;
            format!("The checkpoint “{}” is made.", made.name)
        }
        "restore" => {
            visit.on::<CheckpointRestore>(json!({ "checkpoint": form.text("checkpoint") })).await?;
            "The checkpoint's state is back. The one before is kept as a checkpoint too.".to_owned()
        }
        _ => return Err(OpError::new(Code::InvalidRequest, "the form does not say what to do").into()),
    };
    Ok(answer::done(&format!("/w/{}/history", visit.id()), &words))
}
