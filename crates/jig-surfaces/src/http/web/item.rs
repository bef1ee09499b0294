//! A context item: create, view, edit manually, process again, delete.

use axum::body::Body;
use jig_contract::ops::{
    ContextCategory, ContextDelete, ContextFile, ContextGet, ContextItem, ContextMode, ContextProcess,
    ContextReprocess, ContextStatus, ContextUpdateDirect, ModelList,
};
use jig_contract::{Code, OpError};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::super::problem::Problem;
use super::context::{processing, title, why_not};
use super::form::{self, Form, base as base_tag};
use super::icons::icon;
use super::layout::{self, Shell, Tab};
use super::parts::{Work, act, badge, blocked, blocked_link, head, long_text, model_choice, note, warnings};
use super::units::{bytes, when};
use super::visit::{Bench, Visit};
use super::{Answer, answer};

/// How many bytes of a file are shown.
const SHOWN_BYTES: usize = 256 << 10;

/// The accepted extensions for the file picker. The operation validates on its own.
const ACCEPT: &str = ".md,.txt,.csv,.json,.xml,.yaml,.html,.js,.ts,.py,.java,.go,.rb,.rs,.c,.cpp,.h,.css,.sql,.docx,.odt,.pdf,.pptx,.xlsx";

fn category(visit: &Visit) -> Result<ContextCategory, Problem> {
    let given = visit.part("category");
    ContextCategory::ALL.into_iter().find(|category| category.as_str() == given).ok_or_else(|| {
        let names = ContextCategory::ALL.map(ContextCategory::as_str);
        OpError::new(Code::ValidationFailed, format!("there is no context item `{}`", super::units::short(given, 60)))
            .suggest(names)
            .into()
    })
}

async fn item(visit: &Visit, category: ContextCategory) -> Result<ContextItem, Problem> {
    Ok(visit.on::<ContextGet>(json!({ "category": category })).await?.item)
}

/// `GET /w/{id}/context/{category}`: the files as in prompts; with `edit`, editable.
pub(super) async fn show(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let category = category(&visit)?;
    let item = item(&visit, category).await?;
    if item.summary.status == ContextStatus::Empty {
        return Ok(answer::go(&format!("/w/{}/context/{category}/input", visit.id())));
    }
    let why = why_not(&visit, &bench);
    let edits = visit.query("edit").is_some() && why.is_none();
    let base = format!("/w/{}/context/{category}", bench.id());
    let tag = base_tag(item.summary.etag.as_ref());
    let body = html! {
        p class="crumbs" { a href={ "/w/" (bench.id()) "/context" } { (icon("arrow-left")) "Back to Context" } }
        (head(title(category), html! {
            @match item.summary.status { ContextStatus::Damaged => (badge("bad", "Damaged")), _ => (badge("good", "Active")) }
            @if item.summary.has_direct_edits { " " (badge("warn", "manually edited")) }
            " " (item.summary.summary)
        }, html! {
            @if edits { a class="button" href=(base) { "Stop editing" } }
            @else { (blocked_link(why.as_deref(), "button", &format!("{base}?edit=1"), "Direct Edit", false)) }
            (blocked_link(why.as_deref(), "button", &format!("{base}/input"), "Edit", false))
            (blocked_link(why.as_deref(), "button", &format!("{base}/reprocess"), "Reprocess from source", true))
            @match why.clone().or_else(|| visit.refusal::<ContextDelete>()) {
                Some(why) => (blocked("button", "Delete", &why)),
                None => (act(&format!("{base}/delete"), &[("base_revision", &tag)], html! { button class="button" { (icon("trash-2")) "Delete" } })),
            }
        }))
        (warnings(&item.summary.warnings))
        @if edits { (editor(&base, category, &tag, &item.files)) } @else { (reader(&item.files)) }
        (source(&visit, &item))
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Context, title(category)), body))
}

fn anchor(path: &str) -> String {
    path.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect()
}

fn file_list(files: &[ContextFile]) -> Markup {
    html! {
        nav class="file-list" aria-label="Files of the item" {
            h2 { "Files" }
            ul { @for file in files { li { a href={ "#" (anchor(&file.path)) } { (icon("file-text")) (file.path) } span class="muted" { " " (bytes(file.content.len() as u64)) } } } }
        }
    }
}

fn reader(files: &[ContextFile]) -> Markup {
    html! {
        div class="editor" {
            (file_list(files))
            div class="panes" { @for file in files { section id=(anchor(&file.path)) { h2 { code { (file.path) } } (long_text(&file.content, SHOWN_BYTES)) } } }
        }
    }
}

fn editor(base: &str, category: ContextCategory, tag: &str, files: &[ContextFile]) -> Markup {
    html! {
        (note("", html! { "What you save here is kept as it is, without a model. The item is then marked as manually edited." }))
        form class="editor" method="post" action={ (base) "/direct" } enctype="multipart/form-data" data-guard {
            input type="hidden" name="base_revision" value=(tag);
            (file_list(files))
            div class="panes" {
                div data-failures {}
                @for file in files {
                    @let at = anchor(&file.path);
                    section class="field" id=(at) {
                        label for={ "text-" (at) } { code { (file.path) } }
                        textarea class="code" id={ "text-" (at) } name={ "file:" (file.path) } rows="16" spellcheck="false" { "\n" (file.content) }
                        @if files.len() > 1 && file.path != "SKILL.md" { label class="choice" { input type="checkbox" name="remove" value=(file.path); span { "Remove this file" } } }
                    }
                }
                @if category != ContextCategory::Situation {
                    details { summary { (icon("plus")) "Add a file" }
                        div class="field" { label for="new-path" { "Path" } input id="new-path" name="new-path" placeholder="references/terms.md" autocomplete="off" spellcheck="false"; }
                        div class="field" { label for="new-text" { "Text" } textarea class="code" id="new-text" name="new-text" rows="8" spellcheck="false" {} }
                    }
                }
                div class="actions sticky" { button class="button primary" { "Save" } a class="button" href=(base) { "Cancel" } }
            }
        }
    }
}

fn source(visit: &Visit, item: &ContextItem) -> Markup {
    let Some(source) = &item.source else { return html! {} };
    html! {
        details class="inspect source" {
            summary { "What it was made from" }
            p class="muted" {
                @match source.mode { ContextMode::Text => "A text.", ContextMode::File => { "The file " (source.original_filename.as_deref().unwrap_or_default()) "." } }
                @if let Some(at) = item.summary.created_at { " Added " (when(at, visit.now())) "." }
                @if let Some(model) = &item.summary.model_id { " Processed by " (model) "." }
                " It is kept for reference and is in no prompt."
            }
            @if let Some(note) = &source.note { p { "Note: " (note) } }
            @if let Some(text) = &source.text { (long_text(text, SHOWN_BYTES)) }
        }
    }
}

/// `GET /w/{id}/context/{category}/input`: the form to add or replace the input.
pub(super) async fn input(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let category = category(&visit)?;
    let item = item(&visit, category).await?;
    let models = visit.on::<ModelList>(json!({})).await?;
    let exists = item.summary.status != ContextStatus::Empty;
    let why = why_not(&visit, &bench);
    let base = format!("/w/{}/context/{category}", bench.id());
    let back = format!("/w/{}/context", bench.id());
    let was_file = item.source.as_ref().is_some_and(|source| source.mode == ContextMode::File);
    let text = item.source.as_ref().and_then(|source| source.text.clone()).unwrap_or_default();
    let verb = if exists { "Reprocess" } else { "Process" };
    let body = html! {
        p class="crumbs" { a href=(back) { (icon("arrow-left")) "Back to Context" } }
        (head(&format!("{} {}", if exists { "Edit" } else { "Add" }, title(category)), html! { (category.purpose()) }, html! {}))
        @if bench.draft.is_some() { (note("warn", html! { (super::parts::DRAFT_BLOCKS_CONTEXT) })) }
        @if item.summary.has_direct_edits { (note("warn", html! { (OVERWRITES) })) }
        form class="card form modes" method="post" action={ (base) "/process" } enctype="multipart/form-data"
            data-busy=(processing(category)) data-retry=(back) data-guard {
            div data-failures {}
            input type="hidden" name="base_revision" value=(base_tag(item.summary.etag.as_ref()));
            fieldset {
                legend { "How do you give it?" }
                label class="choice" { input type="radio" name="mode" value="text" id="mode-text" checked[!was_file]; span { "Write text" } }
                label class="choice" { input type="radio" name="mode" value="file" id="mode-file" checked[was_file]; span { "Upload file" } }
            }
            div class="field mode-text" {
                label for="text" { "Text" }
                textarea id="text" name="text" rows="12" placeholder=(example(category)) { "\n" (text) }
            }
            div class="mode-file" {
                div class="field" {
                    label for="file" { "File" }
                    input id="file" name="file" type="file" accept=(ACCEPT) aria-describedby="file-help";
                    p class="help" id="file-help" { "Text, code, Word, OpenDocument, PDF, PowerPoint or Excel. Pictures cannot be used." }
                }
                div class="field" {
                    label for="note" { "Note (optional)" }
                    input id="note" name="note" autocomplete="off" placeholder="focus on the executive communications section"
                        value=(item.source.as_ref().and_then(|source| source.note.clone()).unwrap_or_default());
                }
            }
            (model_choice(&models, Work::Texts, "model"))
            div class="actions" {
                @match &why { Some(why) => (blocked("button primary", verb, why)), None => button class="button primary" { (verb) } }
                a class="button" href=(back) { "Cancel" }
            }
        }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Context, title(category)), body))
}

/// The warning before manual changes are lost, as the specification words it.
const OVERWRITES: &str = "This context item was manually edited. Reprocessing will overwrite your manual changes.";

const fn example(category: ContextCategory) -> &'static str {
    match category {
        ContextCategory::CompanyContext => "We make climbing ropes for gyms in Europe. Our customers …",
        ContextCategory::DepartmentContext => "Finance: monthly close by day five, reports to the board …",
        ContextCategory::Situation => "Board meeting on Friday. The deck needs the new forecast …",
        ContextCategory::DocumentStyle => "Headings in sentence case. No Oxford commas. Amounts in thousands …",
    }
}

fn back_to(visit: &Visit) -> String {
    format!("/w/{}/context", visit.id())
}

/// `POST …/process`.
pub(super) async fn process(visit: Visit, body: Body) -> Answer {
    let category = category(&visit)?;
    let form = Form::read(&visit, body).await?;
    let input = if form.text("mode") == "file" {
        let Some(file) = form.files.first("file") else {
            let error = OpError::new(Code::ValidationFailed, "no file was chosen");
            return Err(error.hint("choose one, or write a text instead").into());
        };
        json!({ "mode": "file", "source_path": file.place, "note": form.given("note") })
    } else {
        json!({ "mode": "text", "text": form::lines(form.text("text")) })
    };
    let params = json!({ "category": category, "input": input, "model": form.given("model"), "base_revision": form.given("base_revision") });
    visit.on::<ContextProcess>(params).await?;
    Ok(answer::done(
        &back_to(&visit),
        &format!("The {} context is active: it is in every call from now on.", title(category)),
    ))
}

/// `GET …/reprocess`: confirmation before an item is processed again.
pub(super) async fn ask_reprocess(visit: Visit) -> Answer {
    let bench: Bench = visit.bench().await?;
    let category = category(&visit)?;
    let item = item(&visit, category).await?;
    let models = visit.on::<ModelList>(json!({})).await?;
    let base = format!("/w/{}/context/{category}", bench.id());
    let edited = item.summary.has_direct_edits;
    let body = html! {
        section class="question" aria-labelledby="ask-title" {
            h1 id="ask-title" { "Reprocess " (title(category)) " from source?" }
            @if edited { (note("warn", html! { (OVERWRITES) })) }
            @else { p { "A model makes the item again from what it was made from." } }
            form class="form" method="post" action={ (base) "/reprocess" } data-busy=(processing(category)) data-retry=(back_to(&visit)) {
                div data-failures {}
                input type="hidden" name="base_revision" value=(base_tag(item.summary.etag.as_ref()));
                @if edited { input type="hidden" name="overwrite" value="true"; }
                (model_choice(&models, Work::Texts, "again-model"))
                div class="actions" { button class="button primary" { "Proceed" } a class="button" href=(back_to(&visit)) data-close { "Cancel" } }
            }
        }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Context, "Reprocess"), body))
}

/// `POST …/reprocess`.
pub(super) async fn reprocess(visit: Visit, body: Body) -> Answer {
    let category = category(&visit)?;
    let form = Form::read(&visit, body).await?;
    let overwrite = form.text("overwrite") == "true";
    let params = json!({
        "category": category, "overwrite_direct_edits": overwrite, "model": form.given("model"),
        "base_revision": form.given("base_revision"),
    });
    visit.on::<ContextReprocess>(params).await?;
    Ok(answer::done(&back_to(&visit), &format!("The {} context was made again from its source.", title(category))))
}

/// `POST …/direct`.
pub(super) async fn direct(visit: Visit, body: Body) -> Answer {
    let category = category(&visit)?;
    let form = Form::read(&visit, body).await?;
    let removed: Vec<&str> = form.all("remove").collect();
    // Browsers change line endings: a text that is otherwise equal keeps its own.
    let before = item(&visit, category).await?.files;
    let as_stored = |path: &str, text: String| {
        let stored = before.iter().find(|file| file.path == path && form::lines(&file.content) == text);
        stored.map_or(text, |file| file.content.clone())
    };
    let mut files: Vec<Value> = Vec::new();
    for (name, text) in &form.fields {
        if let Some(path) = name.strip_prefix("file:").filter(|path| !removed.contains(path)) {
            files.push(json!({ "path": path, "content": as_stored(path, form::lines(text)) }));
        }
    }
    if let Some(path) = form.given("new-path") {
        files.push(json!({ "path": path, "content": form::lines(form.text("new-text")) }));
    }
    let params = json!({ "category": category, "files": files, "base_revision": form.given("base_revision") });
    let item = visit.on::<ContextUpdateDirect>(params).await?.item;
    let words = if item.summary.warnings.is_empty() {
        "Saved as it is."
    } else {
        "Saved as it is. The validator has something to say about it."
    };
    Ok(answer::done(&format!("{}/{category}", back_to(&visit)), words))
}

/// `POST …/delete`: without confirmation, because the item can be added again at any time.
pub(super) async fn delete(visit: Visit, body: Body) -> Answer {
    let category = category(&visit)?;
    let form = Form::read(&visit, body).await?;
    visit.on::<ContextDelete>(json!({ "category": category, "base_revision": form.given("base_revision") })).await?;
    Ok(answer::done(&back_to(&visit), &format!("The {} context is deleted. Undo brings it back.", title(category))))
}
