//! Plans: the stages with their progress, their artifacts, and creating new ones.

use axum::body::Body;
use jig_contract::ops::{
    ArtifactCreate, ArtifactImport, ArtifactInfo, ArtifactList, ArtifactStatus, ProjectDescribe, ProjectGet,
    ProjectInfo, StageInfo, StageList, StageSet, SuggestionList,
};
use jig_contract::{Code, OpError};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::super::query::encode;
use super::form::{self, Form, base};
use super::icons::icon;
use super::layout::{self, Shell, Tab};
use super::parts::{act as act_form, badge, bar, blocked, button, head, more, note};
use super::units::{count, when};
use super::visit::{Bench, Visit};
use super::{Answer, answer};

/// How many artifacts are shown.
const PAGE: u32 = 100;

/// The size limit of an imported file; larger ones are not plans.
const IMPORTED: u64 = 16 << 20;

/// `GET /w/{id}/plans`.
pub(super) async fn show(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let project = visit.on::<ProjectGet>(json!({})).await?.project;
    let stages = visit.on::<StageList>(json!({})).await?.stages;
    let found = visit.on::<ArtifactList>(json!({ "limit": PAGE, "cursor": visit.query("cursor") })).await?;
    let waiting = visit.on::<SuggestionList>(json!({ "limit": 20 })).await?;
    let next = found.cursor.as_ref().map(|cursor| format!("/w/{}/plans?cursor={}", bench.id(), encode(cursor)));
    let lead = html! {
        @if project.description.is_empty() { "What the work is about, in sections that people tick off and agents change by small, checked steps." }
        @else { (project.description) }
    };
    let body = html! {
        (head("Plans", lead, html! { a class="button primary" href="#new" { (icon("plus")) "New artifact" } }))
        @if !waiting.suggestions.is_empty() {
            (note("warn", html! {
                (count(waiting.suggestions.len() as u64, "suggestion")) @if waiting.has_more { " or more" }
                @if waiting.suggestions.len() == 1 { " waits" } @else { " wait" } " for you, in "
                @for (n, slug) in slugs(&waiting.suggestions).iter().enumerate() {
                    @if n > 0 { ", " } a href={ "/w/" (bench.id()) "/plans/" (encode(slug)) "#suggestions" } { (slug) }
                }
            }))
        }
        @for stage in &stages { (stage_card(&visit, &bench, stage, &found.artifacts)) }
        (elsewhere(&visit, &bench, &stages, &found.artifacts))
        (more(next, "More artifacts"))
        div class="cards two" id="new" { (new_card(&visit, &bench, &stages)) (import_card(&visit, &bench, &stages)) (about_card(&visit, &bench, &project)) }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Plans, "Plans"), body))
}

fn slugs(all: &[jig_contract::ops::SuggestionInfo]) -> Vec<&str> {
    let mut slugs: Vec<&str> = all.iter().map(|one| one.artifact_slug.as_str()).collect();
    slugs.sort_unstable();
    slugs.dedup();
    slugs
}

fn stage_card(visit: &Visit, bench: &Bench, stage: &StageInfo, all: &[ArtifactInfo]) -> Markup {
    let definition = &stage.definition;
    let name = &definition.stage;
    let own: Vec<&ArtifactInfo> = all.iter().filter(|artifact| artifact.stage == *name).collect();
    let progress = &stage.progress;
    let open: Vec<_> = definition
        .artifacts
        .iter()
        .filter(|template| {
            !own.iter()
                .any(|artifact| artifact.template.as_deref() == Some(&template.slug) || artifact.slug == template.slug)
        })
        .collect();
    let to = format!("/w/{}/plans", bench.id());
    html! {
        section class="card stage" aria-labelledby={ "stage-" (name) } data-stage=(name) {
            div class="row between" {
                h2 id={ "stage-" (name) } { (icon("flag")) (definition.title) }
                @if stage.current { (badge("info", "the work is here")) }
                @else {
                    @match visit.refusal::<StageSet>() {
                        Some(why) => (blocked("button small", "Work in this stage", &why)),
                        None => (act_form(&to, &[("act", "stage"), ("stage", name)], html! { button class="button small" { "Work in this stage" span class="sr" { ": " (definition.title) } } })),
                    }
                }
            }
            @if !definition.description.is_empty() { p class="muted" { (definition.description) } }
            @if progress.artifacts_total > 0 {
                (bar(&format!("Sections of {} that are done", definition.title), progress.progress_pct / 100.0))
                p class="fine" {
                    (progress.sections_complete) " of " (count(progress.sections_total, "section")) " done · "
                    (progress.artifacts_finalized) " of " (count(progress.artifacts_total, "artifact")) " finalized"
                }
            }
            @if !own.is_empty() { ul class="artifacts" { @for artifact in &own { (row(visit, bench, artifact)) } } }
            @if !open.is_empty() {
                div class="row templates" {
                    span class="muted" { "Begin with:" }
                    @for template in &open {
                        @match visit.refusal::<ArtifactCreate>() {
                            Some(why) => (blocked("button small", &template.title, &why)),
                            None => (act_form(&to, &[("act", "create"), ("title", &template.title), ("template", &template.slug), ("stage", name)], html! {
                                button class="button small" title=(template.description) { (icon("plus")) span { (template.title) } }
                            })),
                        }
                    }
                }
            }
        }
    }
}

fn row(visit: &Visit, bench: &Bench, artifact: &ArtifactInfo) -> Markup {
    html! {
        li {
            div class="grow" {
                p { a href={ "/w/" (bench.id()) "/plans/" (encode(&artifact.slug)) } { bdi { (artifact.title) } } " " (marks(artifact)) }
                p class="fine" { code { "@" (artifact.slug) } " · " (artifact.sections_complete) " of " (count(artifact.sections_total, "section")) " done · " (when(artifact.updated_at, visit.now())) }
            }
            (bar(&format!("Sections of {} that are done", artifact.title), artifact.progress_pct / 100.0))
        }
    }
}

/// The most important properties of an artifact.
pub(super) fn marks(artifact: &ArtifactInfo) -> Markup {
    html! {
        @if artifact.status == ArtifactStatus::Finalized { (badge("good", "finalized")) " " }
        @if artifact.changed_since_done > 0 { (badge("warn", &format!("{} changed since done", artifact.changed_since_done))) " " }
        @if artifact.suggestions > 0 { (badge("info", &count(artifact.suggestions, "suggestion"))) }
    }
}

/// Artifacts of deleted stages.
fn elsewhere(visit: &Visit, bench: &Bench, stages: &[StageInfo], all: &[ArtifactInfo]) -> Markup {
    let known = |artifact: &&ArtifactInfo| !stages.iter().any(|stage| stage.definition.stage == artifact.stage);
    let others: Vec<&ArtifactInfo> = all.iter().filter(known).collect();
    html! {
        @if !others.is_empty() {
            section class="card stage" aria-labelledby="other-stages" {
                h2 id="other-stages" { "In other stages" }
                ul class="artifacts" { @for artifact in &others { (row(visit, bench, artifact)) } }
            }
        }
    }
}

/// A selection of stages.
pub(super) fn stage_choice(stages: &[StageInfo], id: &str, chosen: Option<&str>) -> Markup {
    html! {
        div class="field" {
            label for=(id) { "Stage" }
            select id=(id) name="stage" {
                @for stage in stages {
                    @let here = chosen.map_or(stage.current, |chosen| chosen == stage.definition.stage);
                    option value=(stage.definition.stage) selected[here] { (stage.definition.title) }
                }
            }
        }
    }
}

fn new_card(visit: &Visit, bench: &Bench, stages: &[StageInfo]) -> Markup {
    html! {
        section class="card" aria-labelledby="new-title" {
            h2 id="new-title" { (icon("plus")) "New artifact" }
            p class="muted" { "A title is enough. A template of that name fills it." }
            form class="form" method="post" action={ "/w/" (bench.id()) "/plans" } {
                div data-failures {}
                input type="hidden" name="act" value="create";
                div class="field" { label for="title" { "Title" } input id="title" name="title" required maxlength="200" autocomplete="off" placeholder="Concept"; }
                (stage_choice(stages, "new-stage", None))
                (button(visit.refusal::<ArtifactCreate>().as_deref(), "button primary", None, "Create artifact"))
            }
        }
    }
}

fn import_card(visit: &Visit, bench: &Bench, stages: &[StageInfo]) -> Markup {
    html! {
        section class="card" aria-labelledby="import-title" {
            h2 id="import-title" { (icon("upload")) "Import" }
            p class="muted" { "Markdown, or the JSON of a Tiptap editor. Sections of an artifact that exists keep their marks." }
            form class="form" method="post" action={ "/w/" (bench.id()) "/plans" } enctype="multipart/form-data" {
                div data-failures {}
                input type="hidden" name="act" value="import";
                div class="field" { label for="import-file" { "File" } input id="import-file" name="file" type="file" accept=".md,.markdown,.txt,.json"; }
                div class="field" { label for="import-text" { "or its text" } textarea class="code" id="import-text" name="text" rows="3" spellcheck="false" {} }
                div class="field" { label for="import-slug" { "Artifact (left empty: by its title)" } input id="import-slug" name="slug" autocomplete="off" spellcheck="false" placeholder="concept"; }
                (stage_choice(stages, "import-stage", None))
                (button(visit.refusal::<ArtifactImport>().as_deref(), "button", None, "Import artifact"))
            }
        }
    }
}

fn about_card(visit: &Visit, bench: &Bench, project: &ProjectInfo) -> Markup {
    html! {
        section class="card" aria-labelledby="about-title" {
            h2 id="about-title" { (icon("info")) "What the work is about" }
            form class="form" method="post" action={ "/w/" (bench.id()) "/plans" } {
                div data-failures {}
                input type="hidden" name="act" value="describe";
                input type="hidden" name="base_revision" value=(base(project.etag.as_ref()));
                div class="field" { label for="description" { "In a few words" } textarea id="description" name="description" rows="3" maxlength="2000" { "\n" (project.description) } }
                (button(visit.refusal::<ProjectDescribe>().as_deref(), "button", None, "Save words"))
            }
        }
    }
}

/// `POST /w/{id}/plans`.
pub(super) async fn act(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let all = format!("/w/{}/plans", visit.id());
    let one = |slug: &str| format!("{all}/{}", encode(slug));
    match form.text("act") {
        "create" => {
            let params = json!({ "title": form.text("title").trim(), "stage": form.given("stage"), "template": form.given("template") });
            let output = visit.on::<ArtifactCreate>(params).await?;
            Ok(answer::done(&one(&output.artifact.slug), &format!("“{}” is made.", output.artifact.title)))
        }
        "import" => {
            let content = imported(&form).await?;
            let params = json!({ "content": content, "slug": form.given("slug"), "stage": form.given("stage") });
            let output = visit.on::<ArtifactImport>(params).await?;
            let mut words =
                format!("“{}” is {}.", output.artifact.title, if output.created { "made" } else { "written anew" });
            output.warnings.iter().for_each(|warning| words.push_str(&format!(" {warning}")));
            Ok(answer::done(&one(&output.artifact.slug), &words))
        }
        "stage" => {
            visit.on::<StageSet>(json!({ "stage": form.text("stage") })).await?;
            Ok(answer::done(&all, "The work is in this stage now."))
        }
        "describe" => {
            let (description, base) = (form::lines(form.text("description").trim()), form.given("base_revision"));
            visit.on::<ProjectDescribe>(json!({ "description": description, "base_revision": base })).await?;
            Ok(answer::done(&all, "Saved."))
        }
        _ => Err(OpError::new(Code::InvalidRequest, "the form does not say what to do").into()),
    }
}

/// The content to import from a form: a file or a text.
async fn imported(form: &Form) -> Result<Value, OpError> {
    let Some(file) = form.files.first("file") else {
        let text = form::lines(form.text("text"));
        if text.trim().is_empty() {
            return Err(OpError::new(Code::ValidationFailed, "there is nothing to import")
                .hint("choose a file, or write its text"));
        }
        return Ok(json!(text));
    };
    let unread =
        |e: std::io::Error| OpError::new(Code::FileReadFailed, format!("the file cannot be read: {}", e.kind()));
    let size = tokio::fs::metadata(&file.place).await.map_err(unread)?.len();
    if size > IMPORTED {
        let words = format!(
            "{} is {}; an artifact has at most {}",
            file.name,
            super::units::bytes(size),
            super::units::bytes(IMPORTED)
        );
        return Err(OpError::new(Code::LimitExceeded, words).hint("add it as a file of the workbench instead"));
    }
    let bytes = tokio::fs::read(&file.place).await.map_err(unread)?;
    let text = String::from_utf8(bytes).map_err(|_| {
        OpError::new(Code::ValidationFailed, format!("{} is not a text file", file.name))
            .hint("Markdown or Tiptap JSON, in UTF-8")
    })?;
    Ok(json!(text))
}
