//! Review: the changes of the Draft by file and change, and publishing or discarding it.

use axum::body::Body;
use jig_contract::ops::{
    ChangeType, DraftCreate, DraftDiscard, DraftPublish, FileChange, ReviewAccept, ReviewComment, ReviewGetChangeSet,
    ReviewGetChangeSetOutput, ReviewGetDiff, ReviewNote, ReviewReject, ReviewState, WorkshopSend,
};
use jig_contract::{Code, OpError};
use maud::{Markup, html};
use serde_json::json;

use super::diff;
use super::files::{drawing, steps};
use super::form::Form;
use super::icons::icon;
use super::layout::{self, Shell, Tab};
use super::markdown::markdown;
use super::parts::{act, badge, blocked, empty, head, note, prose};
use super::units::{bytes, count, when};
use super::visit::{Bench, Visit};
use super::{Answer, answer, workshop};

/// How many changed files are listed.
const LISTED: usize = 200;

/// How many steps of a file are linked.
const LINKED: usize = 8;

/// `GET /w/{id}/review`.
pub(super) async fn show(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let body = match &bench.draft {
        None => no_draft(&visit, &bench),
        Some(_) => {
            let set = visit.on::<ReviewGetChangeSet>(json!({})).await?;
            html! {
                (head("Review", html! { "What the Draft changes, compared with " strong { (set.reference_label) } "." }, html! {}))
                (remarks(&set))
                (in_its_words(&visit, &set))
                @if set.changes.is_empty() {
                    (empty("clipboard-check", "Nothing is changed yet", html! { "The Draft is like what is published. Discard it, or let an agent go on." }))
                } @else { (list(&visit, &set, None)) }
            }
        }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Review, "Review"), body))
}

fn no_draft(visit: &Visit, bench: &Bench) -> Markup {
    let start = match visit.refusal::<DraftCreate>() {
        Some(why) => blocked("button", "Start a Draft", &why),
        None => {
            act(&format!("/w/{}/draft/create", bench.id()), &[], html! { button class="button" { "Start a Draft" } })
        }
    };
    html! {
        (head("Review", html! { "What an agent changes waits here until you have seen it." }, html! {}))
        (empty("clipboard-check", "No Draft waits", html! {
            p { "The first write of an agent starts one. You can also start one yourself." } (start)
        }))
    }
}

fn remarks(set: &ReviewGetChangeSetOutput) -> Markup {
    html! {
        @if let Some(warning) = &set.reference_warning { (note("warn", html! { (prose(warning)) })) }
        @if !set.published_changed.is_empty() {
            (note("warn", html! {
                "Published files were changed outside since the Draft began: "
                (set.published_changed.iter().map(|path| path.as_str()).collect::<Vec<_>>().join(", "))
                ". Publishing asks what to do with them."
            }))
        }
    }
}

/// The agent's own summary of the Draft.
fn in_its_words(visit: &Visit, set: &ReviewGetChangeSetOutput) -> Markup {
    html! {
        @if let Some(summary) = &set.summary {
            section class="card" aria-labelledby="words-title" {
                h2 id="words-title" { (icon("bot")) "What the agent says it did" }
                (markdown(&summary.text))
                p class="fine" { a href={ "/w/" (visit.id()) "/workshop/" (summary.session_id) } { "The conversation" } }
            }
        }
    }
}

/// The agent steps that changed a file, with links to the requests.
fn made_in(visit: &Visit, change: &FileChange) -> Markup {
    html! {
        @if !change.steps.is_empty() {
            p class="fine" {
                "Changed by an agent in "
                @for (n, step) in change.steps.iter().take(LINKED).enumerate() {
                    @if n > 0 { ", " }
                    a href={ "/w/" (visit.id()) "/agent/session/" (step.session_id) "?step=" (step.step) "#step" } { "step " (step.step) }
                }
                @if change.steps.len() > LINKED { " and " (change.steps.len() - LINKED) " more" }
            }
        }
    }
}

/// The changed files.
fn list(visit: &Visit, set: &ReviewGetChangeSetOutput, here: Option<&str>) -> Markup {
    html! {
        ul class="changes" aria-label="Changed files" {
            @for change in set.changes.iter().take(LISTED) { (listed(visit, change, here)) }
        }
        @if set.changes.len() > LISTED { p class="muted" { "The first " (LISTED) " of " (set.changes.len()) " files are listed." } }
    }
}

fn listed(visit: &Visit, change: &FileChange, here: Option<&str>) -> Markup {
    let (id, path) = (visit.id(), change.path.as_str());
    html! {
        li class="change" {
            div class="row" {
                (icon(drawing(&change.kind)))
                a href={ "/w/" (id) "/review/" (steps(path)) } aria-current=[(here == Some(path)).then_some("true")] { bdi { (path) } }
                (kind_badge(change.change)) (state_badge(change))
            }
            p { (change.summary) @if let Some(focus) = &change.focus { span class="muted" { " · look at " (focus) } } }
            @if here.is_none() { (made_in(visit, change)) (whole_file(visit, change)) }
        }
    }
}

fn kind_badge(change: ChangeType) -> Markup {
    match change {
        ChangeType::Added => badge("good", "added"),
        ChangeType::Modified => badge("info", "modified"),
        ChangeType::Deleted => badge("bad", "deleted"),
    }
}

fn state_badge(change: &FileChange) -> Markup {
    match change.review {
        ReviewState::Open => html! {},
        ReviewState::Partly => badge("", &format!("{} of {} accepted", change.accepted, change.changes)),
        ReviewState::Accepted => badge("good", "accepted"),
    }
}

/// The actions for an entire file.
fn whole_file(visit: &Visit, change: &FileChange) -> Markup {
    let to = format!("/w/{}/review", visit.id());
    let path = change.path.as_str();
    let of = html! { span class="sr" { " " (path) } };
    html! {
        div class="actions" {
            @if change.review != ReviewState::Accepted {
                @match visit.refusal::<ReviewAccept>() {
                    Some(why) => (blocked("button small", "Accept file", &why)),
                    None => (act(&to, &[("path", path), ("act", "accept")], html! { button class="button small" { (icon("check")) span { "Accept file" (of) } } })),
                }
            }
            @match visit.refusal::<ReviewReject>() {
                Some(why) => (blocked("button small", "Reject file", &why)),
                None => (act(&to, &[("path", path), ("act", "reject")], html! { button class="button small" { (icon("x")) span { "Reject file" (of) } } })),
            }
        }
    }
}

/// `GET /w/{id}/review/{*path}`.
pub(super) async fn file(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    if bench.draft.is_none() {
        return Ok(answer::go(&format!("/w/{}/review", visit.id())));
    }
    let path = visit.part("path").to_owned();
    let page = visit.query("page").and_then(|page| page.parse::<u32>().ok()).unwrap_or(1).max(1);
    let set = visit.on::<ReviewGetChangeSet>(json!({})).await?;
    if !set.changes.iter().any(|change| change.path.as_str() == path) {
        let said = format!("{path} is as it was at the Draft's start.");
        return Ok(answer::done(&format!("/w/{}/review", visit.id()), &said));
    }
    let output = visit.on::<ReviewGetDiff>(json!({ "path": path, "page": page })).await?;
    let id = bench.id();
    let body = html! {
        p class="crumbs" { a href={ "/w/" (id) "/review" } { (icon("arrow-left")) "All changes" } }
        (head(&path, html! {
            (kind_badge(output.file.change)) " " (state_badge(&output.file)) " " (output.file.summary)
            @if let (Some(before), Some(after)) = (output.file.bytes_before, output.file.bytes_after) { span class="muted" { " · " (bytes(before)) " → " (bytes(after)) } }
        }, html! { (whole_file(&visit, &output.file)) }))
        @if let Some(warning) = &output.reference_warning { (note("warn", html! { (prose(warning)) })) }
        div class="review" {
            div class="grow" {
                p class="sides" { span { (output.reference_label) } (icon("arrow-right")) span { "Draft" } }
                (diff::draw(&visit, &output))
                (diff::pages(&visit, &output))
                (diff::pictures(&visit, &output))
                (comments(&visit, &output.file))
            }
            aside class="others" aria-label="Other changed files" { h2 { (count(set.changes.len() as u64, "changed file")) } (list(&visit, &set, Some(&path))) }
        }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Review, &path), body))
}

fn comments(visit: &Visit, file: &FileChange) -> Markup {
    html! {
        section class="comments" aria-labelledby="comments-title" {
            h2 id="comments-title" { (icon("message-square")) "Comments" }
            @if file.comments.is_empty() { p class="muted" { "Nobody has said anything yet." } }
            @for comment in &file.comments { (said(visit, comment)) }
            (comment_form(visit, file.path.as_str(), None))
        }
    }
}

/// A comment.
pub(super) fn said(visit: &Visit, comment: &ReviewNote) -> Markup {
    html! {
        div class="comment" {
            p class="muted" { strong { (comment.author) } " " (when(comment.at, visit.now())) @if let Some(change) = &comment.change { " on " code { (change) } } }
            p { (comment.text) }
        }
    }
}

/// The form for a comment on a change or on the file.
pub(super) fn comment_form(visit: &Visit, path: &str, change: Option<(&str, &str)>) -> Markup {
    if let Some(why) = visit.refusal::<ReviewComment>() {
        return html! { p class="muted" { (why) } };
    }
    let mark = change.map_or("file", |(_, mark)| mark);
    html! {
        form class="form" method="post" action={ "/w/" (visit.id()) "/review" } {
            div data-failures {}
            input type="hidden" name="path" value=(path);
            @if let Some((change, _)) = change { input type="hidden" name="change" value=(change); }
            div class="field" {
                label for={ "say-" (mark) } { @if change.is_some() { "Comment on this change" } @else { "Comment on the file" } }
                textarea id={ "say-" (mark) } name="text" rows="2" required {}
            }
            div class="actions" {
                button class="button small" name="act" value="comment" { (icon("message-square")) "Comment" }
                @if visit.refusal::<WorkshopSend>().is_none() { button class="button small" name="act" value="send" title="Your words become the agent's next task" { (icon("bot")) "Send to the agent" } }
            }
        }
    }
}

/// `POST /w/{id}/review`: accept, reject or comment.
pub(super) async fn decide(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let path = form.text("path");
    let changes: Vec<&str> = form.all("change").collect();
    // A form without a change refers to the entire file.
    let chosen = (!changes.is_empty()).then_some(&changes);
    let hash = form.given("base_hash");
    let words = match form.text("act") {
        "accept" => {
            let params = json!({ "path": path, "changes": chosen, "base_hash": hash });
            visit.on::<ReviewAccept>(params).await?;
            format!("Accepted {}.", named(&changes, path))
        }
        "reject" => {
            let output =
                visit.on::<ReviewReject>(json!({ "path": path, "changes": chosen, "base_hash": hash })).await?;
            let mut words = output.summary;
            output.warnings.iter().for_each(|warning| words.push_str(&format!(" {warning}")));
            words
        }
        "comment" => {
            let params = json!({ "path": path, "change": changes.first(), "text": form.text("text").trim() });
            visit.on::<ReviewComment>(params).await?;
            "Your comment is kept with the Draft.".to_owned()
        }
        "send" => {
            let text = form.text("text").trim();
            if text.is_empty() {
                return Err(OpError::new(Code::ValidationFailed, "the comment is empty")
                    .hint("say what should be different")
                    .into());
            }
            let place = changes.first().map_or_else(|| format!("`{path}`"), |change| format!("{change} in `{path}`"));
            let session = workshop::tell(&visit, &format!("About your change of {place} in the Draft: {text}")).await?;
            // Stored with the change only after it was sent successfully.
            visit.on::<ReviewComment>(json!({ "path": path, "change": changes.first(), "text": text })).await?;
            let said = "The agent has your comment as its next task.";
            return Ok(answer::done(&format!("/w/{}/workshop/{session}", visit.id()), said));
        }
        _ => return Err(OpError::new(Code::InvalidRequest, "the form does not say what to do").into()),
    };
    let whole = changes.is_empty() && form.text("act") != "comment";
    let to = format!("/w/{}/review", visit.id());
    Ok(answer::done(&if whole { to } else { format!("{to}/{}", steps(path)) }, &words))
}

fn named(changes: &[&str], path: &str) -> String {
    if changes.is_empty() { path.to_owned() } else { format!("{} of {path}", changes.join(", ")) }
}

/// `POST /w/{id}/draft/create`.
pub(super) async fn create(visit: Visit, _: Body) -> Answer {
    visit.on::<DraftCreate>(json!({})).await?;
    Ok(answer::done(&format!("/w/{}/review", visit.id()), "A Draft is started."))
}

/// `GET /w/{id}/publish`: confirmation before publishing.
pub(super) async fn ask_publish(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let Some(draft) = &bench.draft else { return Ok(answer::go(&format!("/w/{}/review", visit.id()))) };
    let set = visit.on::<ReviewGetChangeSet>(json!({})).await?;
    let deleted: Vec<&FileChange> = set.changes.iter().filter(|change| change.change == ChangeType::Deleted).collect();
    let open = set.changes.iter().filter(|change| change.review != ReviewState::Accepted).count() as u64;
    let body = html! {
        section class="question" aria-labelledby="ask-title" {
            h1 id="ask-title" { "Publish the Draft?" }
            p { (count(draft.added, "file")) " added, " (draft.modified) " changed, " (draft.deleted) " deleted, in one step. The state before is kept as a checkpoint." }
            @if open > 0 { p class="muted" { (count(open, "changed file")) " not marked as accepted." } }
            form class="form" method="post" action={ "/w/" (bench.id()) "/draft/publish" } data-busy="Publishing…" {
                div data-failures {}
                input type="hidden" name="reviewed" value=(set.tag);
                ul class="files" { @for change in set.changes.iter().filter(|change| change.change != ChangeType::Deleted) { li { (change.path.as_str()) } } }
                @if !deleted.is_empty() {
                    fieldset {
                        legend { "These files will be deleted. Confirm each:" }
                        @for change in &deleted { label class="choice" { input type="checkbox" name="confirm" value=(change.path.as_str()) required; span { (change.path.as_str()) } } }
                    }
                }
                @if !set.published_changed.is_empty() {
                    fieldset {
                        legend { "Published files were changed outside meanwhile: " (set.published_changed.iter().map(|path| path.as_str()).collect::<Vec<_>>().join(", ")) }
                        label class="choice" { input type="radio" name="on_conflict" value="take_outside" required; span { "Take the outside version of those files" } }
                        label class="choice" { input type="radio" name="on_conflict" value="keep_draft"; span { "Keep the Draft's version; the outside one is kept as a checkpoint" } }
                    }
                }
                @if draft.working_session.is_some() { (note("warn", html! { (layout::RUN_WORKS) })) }
                div class="actions" {
                    @if draft.working_session.is_some() { (blocked("button primary", "Publish", layout::RUN_WORKS)) } @else { button class="button primary" { "Publish" } }
                    a class="button" href={ "/w/" (bench.id()) "/review" } data-close { "Cancel" }
                }
            }
        }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Review, "Publish"), body))
}

/// `POST /w/{id}/draft/publish`.
pub(super) async fn publish(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let confirmed: Vec<&str> = form.all("confirm").collect();
    let mut params = json!({ "confirm_deletions": confirmed, "reviewed": form.given("reviewed") });
    if let Some(choice) = form.given("on_conflict") {
        params["on_conflict"] = json!(choice);
    }
    let output = visit.on::<DraftPublish>(params).await?;
    let number = (output.added.len() + output.modified.len() + output.deleted.len()) as u64;
    let mut words = format!("Published {}.", count(number, "changed file"));
    if !output.taken_from_outside.is_empty() {
        words.push_str(&format!(
            " Of {} the outside version was taken.",
            count(output.taken_from_outside.len() as u64, "file")
        ));
    }
    Ok(answer::done(&format!("/w/{}", visit.id()), &words))
}

/// `GET /w/{id}/discard`: confirmation before discarding.
pub(super) async fn ask_discard(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let Some(draft) = &bench.draft else { return Ok(answer::go(&format!("/w/{}/review", visit.id()))) };
    let body = html! {
        section class="question" aria-labelledby="ask-title" {
            h1 id="ask-title" { "Discard the Draft?" }
            p { "Its changes to " (count(draft.added + draft.modified + draft.deleted, "file")) " go. Undo brings them back." }
            form class="form" method="post" action={ "/w/" (bench.id()) "/draft/discard" } {
                div data-failures {}
                div class="actions" { button class="button danger" { "Discard" } a class="button" href={ "/w/" (bench.id()) "/review" } data-close { "Cancel" } }
            }
        }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Review, "Discard"), body))
}

/// `POST /w/{id}/draft/discard`.
pub(super) async fn discard(visit: Visit, _: Body) -> Answer {
    let output = visit.on::<DraftDiscard>(json!({})).await?;
    let words =
        format!("The Draft is discarded, with changes to {}. Undo brings it back.", count(output.files, "file"));
    Ok(answer::done(&format!("/w/{}", visit.id()), &words))
}
