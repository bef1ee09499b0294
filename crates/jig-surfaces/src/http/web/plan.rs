//! An artifact: its sections, suggestions, history and restoring.

use axum::body::Body;
use axum::http::{HeaderValue, Response, header};
use jig_contract::ops::{
    ArtifactApplyOps, ArtifactDelete, ArtifactExport, ArtifactFinalize, ArtifactGet, ArtifactHistory,
    ArtifactHistoryOutput, ArtifactInfo, ArtifactPut, ArtifactRestore, ArtifactSnapshot, ArtifactStatus,
    ArtifactUnfinalize, SectionChange, SectionChangeKind, StageInfo, StageList, SuggestionAccept, SuggestionInfo,
    SuggestionList, SuggestionReject,
};
use jig_contract::{Code, OpError};
use maud::{Markup, html};
use serde_json::json;

use super::super::problem::Problem;
use super::super::query::encode;
use super::form::{self, Form};
use super::icons::icon;
use super::layout::{self, Shell, Tab};
use super::markdown::markdown;
use super::parts::{act as act_form, badge, bar, blocked, button, head, note, warnings};
use super::plan_section::{self, add_form, contents, section_card};
use super::plans::{marks, stage_choice};
use super::suggestions;
use super::units::{count, when, who};
use super::visit::{Bench, Visit};
use super::{Answer, answer};

/// How many revisions and suggestions are listed.
const LISTED: u32 = 20;

/// Why sections of a finalized artifact cannot be changed.
const FINALIZED: &str = "This artifact is finalized. Un-finalize it to change it.";

fn here(visit: &Visit, slug: &str) -> String {
    format!("/w/{}/plans/{}", visit.id(), encode(slug))
}

/// `GET /w/{id}/plans/{slug}`: the current revision; with `revision` an older one; with `edit` the complete Markdown.
pub(super) async fn show(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let slug = visit.part("slug").to_owned();
    let revision = visit.query("revision").and_then(|revision| revision.parse::<u64>().ok());
    let output = visit.on::<ArtifactGet>(json!({ "slug": slug, "revision": revision })).await?;
    let mut artifact = output.artifact;
    // Section texts are only returned for named sections.
    let sections: Vec<&str> = artifact.sections.iter().map(|section| section.slug.as_str()).collect();
    if !sections.is_empty() && visit.query("edit").is_none() {
        let params = json!({ "slug": slug, "revision": revision, "sections": sections });
        artifact.sections = visit.on::<ArtifactGet>(params).await?.artifact.sections;
    }
    let title = artifact.title.clone();
    let old = artifact.newest_revision.is_some_and(|newest| newest != artifact.revision);
    let body = html! {
        p class="crumbs" { a href={ "/w/" (bench.id()) "/plans" } { (icon("arrow-left")) "Plans" } }
        (warnings(&output.warnings))
        @if old { (as_it_was(&visit, &artifact)) }
        @else if visit.query("edit").is_some() { (whole(&visit, &artifact)) }
        @else { (as_it_is(&visit, &bench, &artifact).await?) }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Plans, &title), body))
}

fn about(visit: &Visit, artifact: &ArtifactInfo) -> Markup {
    html! {
        code { "@" (artifact.slug) } " · " (artifact.stage) " · revision " (artifact.revision) ", " (who(&artifact.updated_by)) " " (when(artifact.updated_at, visit.now())) " " (marks(artifact))
    }
}

async fn as_it_is(visit: &Visit, bench: &Bench, artifact: &ArtifactInfo) -> Result<Markup, Problem> {
    let slug = &artifact.slug;
    let waiting = visit.on::<SuggestionList>(json!({ "artifact_slug": slug, "limit": LISTED })).await?;
    let history = visit.on::<ArtifactHistory>(json!({ "slug": slug, "limit": LISTED })).await?;
    let stages = visit.on::<StageList>(json!({})).await?.stages;
    let finalized = artifact.status == ArtifactStatus::Finalized;
    let why = if finalized { Some(FINALIZED.to_owned()) } else { visit.refusal::<ArtifactApplyOps>() };
    let why = why.as_deref();
    Ok(html! {
        (head(&artifact.title, about(visit, artifact), actions(visit, artifact)))
        @if finalized { (note("good", html! { "It is finalized: nobody changes it, and no agent can, until you take that back." })) }
        (bar("Sections that are done", artifact.progress_pct / 100.0))
        p class="fine" { (artifact.sections_complete) " of " (count(artifact.sections_total, "section")) " done" }
        div class="plan" {
            div class="panes" {
                @if let Some(lead) = lead(artifact) { div class="card" { (markdown(lead)) } }
                @for section in &artifact.sections { (section_card(visit, artifact, section, why)) }
                @if artifact.sections.is_empty() { p class="muted" { "It has no section yet." } }
                (add_form(visit, artifact, why))
            }
            div class="aside" {
                (contents(artifact))
                (suggestion_list(visit, artifact, &waiting.suggestions, waiting.has_more))
                (past(visit, artifact, &history))
                (details(visit, bench, artifact, &stages, why))
            }
        }
    })
}

/// The text before the sections, without the title, which the page already shows.
fn lead(artifact: &ArtifactInfo) -> Option<&str> {
    let lead = artifact.lead.as_deref()?.trim();
    let (first, rest) = lead.split_once('\n').unwrap_or((lead, ""));
    let repeated = first.strip_prefix("# ").is_some_and(|title| title.trim() == artifact.title);
    Some(if repeated { rest.trim() } else { lead }).filter(|text| !text.is_empty())
}

fn actions(visit: &Visit, artifact: &ArtifactInfo) -> Markup {
    let to = here(visit, &artifact.slug);
    let lock = |what: &'static str, words: &'static str, drawing: &'static str, why: Option<String>| match why {
        Some(why) => blocked("button", words, &why),
        None => act_form(
            &to,
            &[("act", what), ("base_revision", &artifact.etag)],
            html! { button class="button" { (icon(drawing)) (words) } },
        ),
    };
    html! {
        @if artifact.status == ArtifactStatus::Finalized { (lock("unfinalize", "Un-finalize", "pencil", visit.refusal::<ArtifactUnfinalize>())) }
        @else { (lock("finalize", "Finalize", "lock", visit.refusal::<ArtifactFinalize>())) a class="button" href={ (to) "?edit=1" } { (icon("pencil")) "Edit as Markdown" } }
        a class="button" href={ (to) "/export" } download { (icon("download")) "Markdown" }
        a class="button" href={ (to) "/export?format=tiptap" } download { (icon("download")) "Tiptap" }
    }
}

fn suggestion_list(visit: &Visit, artifact: &ArtifactInfo, all: &[SuggestionInfo], more: bool) -> Markup {
    html! {
        section class="card" aria-labelledby="suggestions" {
            h2 id="suggestions" { (icon("lightbulb")) "Suggestions" }
            @if all.is_empty() { p class="muted" { "None waits. What an agent advises for a section is shown here, and nothing changes before you take it." } }
            @for one in all { (suggestions::card(visit, artifact, one)) }
            @if more { p class="muted" { "The newest " (LISTED) " are shown; decide on some to see the others." } }
        }
    }
}

fn past(visit: &Visit, artifact: &ArtifactInfo, history: &ArtifactHistoryOutput) -> Markup {
    let to = here(visit, &artifact.slug);
    html! {
        section class="card" aria-labelledby="past-title" {
            h2 id="past-title" { (icon("history")) "History" }
            ol class="journal" reversed {
                @for revision in &history.revisions {
                    li {
                        span class="seq" { (revision.revision) }
                        div class="grow" {
                            p { @if revision.reason.is_empty() { "written" } @else { (revision.reason) } @for name in &revision.snapshots { " " (badge("info", name)) } }
                            p class="muted" {
                                (who(&revision.author)) " · " (when(revision.at, visit.now()))
                                @for change in &revision.changes { " · " (changed(change)) }
                                @if revision.lead_changed { " · the text before the sections" }
                            }
                        }
                        @if revision.revision != artifact.revision { a class="button small" href={ (to) "?revision=" (revision.revision) } { "Look" span class="sr" { " at revision " (revision.revision) } } }
                    }
                }
            }
            @if history.has_more { p class="muted" { "Older ones: " code { "jig artifact history " (artifact.slug) } } }
            @if visit.refusal::<ArtifactSnapshot>().is_none() {
                form class="form" method="post" action=(to) {
                    div data-failures {}
                    input type="hidden" name="act" value="snapshot";
                    div class="field" { label for="snapshot" { "A name for this revision" } input id="snapshot" name="name" required maxlength="200" autocomplete="off" placeholder="as agreed"; }
                    button class="button small" { (icon("bookmark")) "Name it" }
                }
            }
        }
    }
}

fn changed(change: &SectionChange) -> String {
    let word = match change.change {
        SectionChangeKind::Added => "added",
        SectionChangeKind::Changed => "changed",
        SectionChangeKind::Renamed => "renamed",
        SectionChangeKind::Moved => "moved",
        SectionChangeKind::Done => "done",
        SectionChangeKind::Undone => "no longer done",
        SectionChangeKind::Removed => "removed",
    };
    format!("{} {word}", change.section)
}

fn details(visit: &Visit, bench: &Bench, artifact: &ArtifactInfo, stages: &[StageInfo], why: Option<&str>) -> Markup {
    let to = here(visit, &artifact.slug);
    let refused = why.map(str::to_owned).or_else(|| visit.refusal::<ArtifactDelete>());
    html! {
        section class="card" aria-labelledby="details-title" {
            h2 id="details-title" { (icon("settings")) "Title and stage" }
            form class="form" method="post" action=(to) {
                div data-failures {}
                input type="hidden" name="act" value="details";
                input type="hidden" name="base_revision" value=(artifact.etag);
                div class="field" { label for="title" { "Title" } input id="title" name="title" required maxlength="200" autocomplete="off" value=(artifact.title); }
                (stage_choice(stages, "stage", Some(&artifact.stage)))
                (button(why, "button", None, "Save"))
            }
            div class="danger-zone" {
                @match refused.as_deref() {
                    Some(why) => (blocked("button", "Delete artifact", why)),
                    None => (act_form(&to, &[("act", "delete"), ("base_revision", &artifact.etag)], html! { button class="button danger" { (icon("trash-2")) "Delete artifact" } })),
                }
                p class="fine" { "Undo brings it back: " a href={ "/w/" (bench.id()) "/history" } { "History" } }
            }
        }
    }
}

fn as_it_was(visit: &Visit, artifact: &ArtifactInfo) -> Markup {
    let to = here(visit, &artifact.slug);
    let newest = artifact.newest_revision.unwrap_or_default();
    let restore = match visit.refusal::<ArtifactRestore>() {
        Some(why) => blocked("button primary", "Restore", &why),
        None => act_form(
            &to,
            &[("act", "restore"), ("revision", &artifact.revision.to_string()), ("base_revision", &newest.to_string())],
            html! { button class="button primary" { (icon("undo-2")) "Restore this revision" } },
        ),
    };
    html! {
        (head(&artifact.title, about(visit, artifact), html! { (restore) a class="button" href=(to) { "Back to the newest" } }))
        (note("", html! { "This is revision " (artifact.revision) "; the newest is " (newest) ". Restoring makes it the newest, and what came between stays in the history." }))
        div class="card" {
            @if let Some(lead) = &artifact.lead { (markdown(lead)) }
            @for section in &artifact.sections {
                h2 { (section.title) @if section.is_done { " " (badge("good", "done")) } }
                @if let Some(content) = &section.content { (markdown(content)) }
            }
        }
    }
}

fn whole(visit: &Visit, artifact: &ArtifactInfo) -> Markup {
    let to = here(visit, &artifact.slug);
    let why = if artifact.status == ArtifactStatus::Finalized {
        Some(FINALIZED.to_owned())
    } else {
        visit.refusal::<ArtifactPut>()
    };
    html! {
        (head(&artifact.title, html! { "The whole text. Level-2 headings are the sections; they keep their marks where they stay recognisable." }, html! {}))
        form class="card form" method="post" action=(to) data-guard {
            div data-failures {}
            input type="hidden" name="act" value="put";
            input type="hidden" name="base_revision" value=(artifact.etag);
            div class="field wide" { label for="content" { "Markdown" } textarea class="code" id="content" name="content" rows="28" spellcheck="false" { "\n" (artifact.content.as_deref().unwrap_or_default()) } }
            div class="field" { label for="reason" { "Why (optional)" } input id="reason" name="reason" maxlength="500" autocomplete="off"; }
            div class="actions sticky" { a class="button" href=(to) { "Cancel" } (button(why.as_deref(), "button primary", None, "Save")) }
        }
    }
}

/// `GET /w/{id}/plans/{slug}/export`.
pub(super) async fn export(visit: Visit) -> Answer {
    let params = json!({ "slug": visit.part("slug"), "format": visit.query("format") });
    let output = visit.on::<ArtifactExport>(params).await?;
    let text = match &output.content.0 {
        serde_json::Value::String(text) => text.clone(),
        document => format!("{document:#}\n"),
    };
    let mut response = Response::new(Body::from(text));
    let headers = response.headers_mut();
    let strange = |e| OpError::new(Code::Internal, "an artifact's media type is none").because(e);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_str(&output.media_type).map_err(strange)?);
    let name = format!("attachment; filename*=UTF-8''{}", encode(&output.name));
    let name = HeaderValue::from_str(&name).unwrap_or(HeaderValue::from_static("attachment"));
    headers.insert(header::CONTENT_DISPOSITION, name);
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'"));
    Ok(response)
}

/// `POST /w/{id}/plans/{slug}`.
pub(super) async fn act(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let slug = visit.part("slug").to_owned();
    let base = form.given("base_revision");
    let to = here(&visit, &slug);
    let words = match form.text("act") {
        "finalize" => {
            visit.on::<ArtifactFinalize>(json!({ "slug": slug, "base_revision": base })).await?;
            "Finalized. Nobody changes it until that is taken back.".to_owned()
        }
        "unfinalize" => {
            visit.on::<ArtifactUnfinalize>(json!({ "slug": slug, "base_revision": base })).await?;
            "It can be changed again.".to_owned()
        }
        "snapshot" => {
            let name = form.text("name").trim();
            visit.on::<ArtifactSnapshot>(json!({ "slug": slug, "name": name })).await?;
            format!("This revision is called “{name}”.")
        }
        "restore" => {
            let params = json!({ "slug": slug, "revision": form.number("revision"), "base_revision": base });
            visit.on::<ArtifactRestore>(params).await?;
            format!("Revision {} is the newest again.", form.number("revision").unwrap_or_default())
        }
        "put" => {
            let params = json!({ "slug": slug, "content": form::lines(form.text("content")), "base_revision": base, "reason": form.given("reason") });
            visit.on::<ArtifactPut>(params).await?;
            "Saved.".to_owned()
        }
        "details" => {
            let params = json!({ "slug": slug, "title": form.text("title").trim(), "stage": form.given("stage"), "base_revision": base });
            visit.on::<ArtifactPut>(params).await?;
            "Saved.".to_owned()
        }
        "delete" => {
            visit.on::<ArtifactDelete>(json!({ "slug": slug, "base_revision": base })).await?;
            return Ok(answer::done(&format!("/w/{}/plans", visit.id()), "Deleted. Undo brings it back."));
        }
        "accept" => {
            let newest = (form.text("replace") == "true").then_some(base).flatten();
            let params = json!({ "suggestion_id": form.text("suggestion"), "base_revision": newest });
            let output = visit.on::<SuggestionAccept>(params).await?;
            let words = if output.changed {
                "Taken: the section has the suggested text."
            } else {
                "Noted as taken. The section is as it was: no text was suggested."
            };
            words.to_owned()
        }
        "reject" => {
            visit
                .on::<SuggestionReject>(
                    json!({ "suggestion_id": form.text("suggestion"), "reason": form.given("reason") }),
                )
                .await?;
            "Turned down. Nothing of the artifact changed.".to_owned()
        }
        _ => {
            let (op, words) = plan_section::operation(&form, &slug)?;
            let output = visit.on::<ArtifactApplyOps>(json!({ "ops": [op], "base_revision": base })).await?;
            let mark = output.applied.first().map(|one| format!("#s-{}", encode(&one.section_slug)));
            return Ok(answer::done(
                &format!("{to}{}", mark.filter(|_| form.text("act") != "delete-section").unwrap_or_default()),
                &words,
            ));
        }
    };
    Ok(answer::done(&to, &words))
}
