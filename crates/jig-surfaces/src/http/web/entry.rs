//! An entry: its form, actions, history, and extracting values from a text.

use axum::body::Body;
use jig_contract::ops::{
    EntryArchive, EntryDelete, EntryExtract, EntryGet, EntryHistory, EntryHistoryOutput, EntryInfo, EntryMarkDone,
    EntryPut, EntryRestore, EntryState, FieldChangeKind, KindDefinition, KindGet, ModelList, ModelListOutput,
};
use jig_contract::{Code, OpError};
use maud::{Markup, html};
use serde_json::json;

use super::super::problem::Problem;
use super::super::query::encode;
use super::context::age;
use super::entry_form;
use super::form::{self, Form};
use super::icons::{icon, kind_icon};
use super::layout::{self, Shell, Tab};
use super::parts::{Work, act as act_form, badge, bar, blocked, button, head, model_choice, note};
use super::units::{count, when, who};
use super::visit::{Bench, Visit};
use super::{Answer, answer};

/// How many revisions are listed.
const REVISIONS: u32 = 20;

async fn kind(visit: &Visit) -> Result<KindDefinition, Problem> {
    Ok(visit.on::<KindGet>(json!({ "role": visit.part("role") })).await?.kind.definition)
}

/// The key in a URL or a form; `None` for a singleton kind.
fn key_of(text: &str) -> Option<&str> {
    Some(text).filter(|key| !key.is_empty() && *key != "_")
}

fn address(visit: &Visit, role: &str, key: &str) -> String {
    let key = if key.is_empty() { "_".to_owned() } else { encode(key) };
    format!("/w/{}/entry/{}/{key}", visit.id(), encode(role))
}

/// `GET /w/{id}/new/{role}`.
pub(super) async fn new(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let kind = kind(&visit).await?;
    let body = html! {
        (crumbs(&bench))
        (head(&kind.display_name, html! { (kind_icon(kind.icon.as_deref())) (kind.description.as_deref().unwrap_or_default()) }, html! {}))
        (editor(&visit, &kind, None))
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Context, &kind.display_name), body))
}

fn crumbs(bench: &Bench) -> Markup {
    html! { p class="crumbs" { a href={ "/w/" (bench.id()) "/context" } { (icon("arrow-left")) "Back to Context" } } }
}

fn editor(visit: &Visit, kind: &KindDefinition, entry: Option<&EntryInfo>) -> Markup {
    let back = format!("/w/{}/context", visit.id());
    html! {
        form class="card form" method="post" action={ "/w/" (visit.id()) "/entry/" (encode(&kind.anchor_role)) } enctype="multipart/form-data" data-guard data-busy-quiet {
            div data-failures {}
            @match entry {
                Some(entry) => {
                    input type="hidden" name="key" value=(entry.entry_key);
                    input type="hidden" name="base_revision" value=(entry.etag);
                },
                None => {
                    input type="hidden" name="base_revision" value="0";
                    @if !kind.is_singleton {
                        div class="field" {
                            label for="key" { "Key" }
                            input id="key" name="key" autocomplete="off" spellcheck="false" placeholder="globex" aria-describedby="key-help";
                            p class="help" id="key-help" { "A short name by which this one is known. Left empty, it is made from the first field." }
                        }
                    }
                },
            }
            (entry_form::draw(visit, kind, entry))
            @if let Some(entry) = entry { div class="field" { span class="label" { "Completeness" } (bar("Completeness", entry.completeness)) } }
            div class="actions sticky" { a class="button" href=(back) { "Cancel" } (button(visit.refusal::<EntryPut>().as_deref(), "button primary", None, "Save")) }
        }
    }
}

/// `GET /w/{id}/entry/{role}/{key}`.
pub(super) async fn show(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let kind = kind(&visit).await?;
    let key = key_of(visit.part("key"));
    let params = json!({ "role": kind.anchor_role, "entry_key": key, "resolve_assets": true });
    let entry = visit.on::<EntryGet>(params).await?.entry;
    let history =
        visit.on::<EntryHistory>(json!({ "role": kind.anchor_role, "entry_key": key, "limit": REVISIONS })).await?;
    let models = visit.on::<ModelList>(json!({})).await?;
    let body = html! {
        (crumbs(&bench))
        (head(&entry.display_name, html! {
            (kind_icon(kind.icon.as_deref())) (kind.display_name) " · revision " (entry.revision) ", " (who(&entry.updated_by)) " " (when(entry.updated_at, visit.now()))
            @if entry.state == EntryState::Archived { " " (badge("", "archived")) }
        }, html! {}))
        (state(&entry))
        div class="entry" {
            (editor(&visit, &kind, Some(&entry)))
            div {
                (done_ticks(&visit, &kind, &entry))
                (extraction(&visit, &entry, &models))
                (past(&visit, &entry, &history))
                (ends(&visit, &entry))
            }
        }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Context, &entry.display_name), body))
}

fn state(entry: &EntryInfo) -> Markup {
    html! {
        (age(entry))
        @if !entry.missing.is_empty() { (note("", html! { "Still to be filled: " (entry.missing.join(", ")) })) }
        @if !entry.kept_aside.is_empty() {
            (note("warn", html! { "Values of fields that the role no longer has are kept aside: " (entry.kept_aside.keys().cloned().collect::<Vec<_>>().join(", ")) }))
        }
    }
}

fn done_ticks(visit: &Visit, kind: &KindDefinition, entry: &EntryInfo) -> Markup {
    let why = visit.refusal::<EntryMarkDone>();
    let to = format!("/w/{}/entry/{}/act", visit.id(), encode(&entry.role));
    html! {
        section class="card" aria-labelledby="done-title" {
            h2 id="done-title" { (icon("list-checks")) "Done" }
            p class="muted" { (entry.done) " of " (entry.parts) " fields are done, by your word. " (entry.filled) " have content." }
            ul class="done" {
                @for field in kind.field_schema.fields.iter().filter(|field| entry.fields.iter().any(|info| info.key == field.key)) {
                    @let info = entry.fields.iter().find(|info| info.key == field.key);
                    @let done = info.and_then(|info| info.done.as_ref());
                    li {
                        span { (field.label) @if done.is_some_and(|done| done.changed_since) { " " (badge("warn", "changed since")) } }
                        @match &why {
                            Some(why) => (blocked("button small", if done.is_some() { "Not done" } else { "Done" }, why)),
                            None => (act_form(&to, &[("key", &entry.entry_key), ("act", if done.is_some() { "undone" } else { "done" }), ("field", &field.key)], html! {
                                button class="button small" id={ "done-" (field.key) } aria-pressed=(done.is_some()) { (icon("check")) span { @if done.is_some() { "Done" } @else { "Mark done" } span class="sr" { " " (field.label) } } }
                            })),
                        }
                    }
                }
            }
        }
    }
}

fn extraction(visit: &Visit, entry: &EntryInfo, models: &ModelListOutput) -> Markup {
    html! {
        section class="card" aria-labelledby="extract-title" {
            h2 id="extract-title" { (icon("sparkles")) "Find values in a text" }
            p class="muted" { "Nothing is overwritten: what is found becomes a proposal that you accept field by field." }
            form class="form" method="post" action={ "/w/" (visit.id()) "/entry/" (encode(&entry.role)) "/extract" } data-busy="Looking for values…" data-retry="" {
                div data-failures {}
                input type="hidden" name="key" value=(entry.entry_key);
                div class="field" { label for="extract-text" { "Text" } textarea id="extract-text" name="text" rows="4" {} }
                div class="field" { label for="extract-path" { "or a file of the workbench" } input id="extract-path" name="path" placeholder="report.docx" autocomplete="off"; }
                (model_choice(models, Work::Texts, "extract-model"))
                (button(visit.refusal::<EntryExtract>().as_deref(), "button", None, "Find values"))
            }
        }
    }
}

fn past(visit: &Visit, entry: &EntryInfo, history: &EntryHistoryOutput) -> Markup {
    let to = format!("/w/{}/entry/{}/act", visit.id(), encode(&entry.role));
    let word = |kind| match kind {
        FieldChangeKind::Added => "added",
        FieldChangeKind::Changed => "changed",
        FieldChangeKind::Removed => "removed",
    };
    html! {
        section class="card" aria-labelledby="past-title" {
            h2 id="past-title" { (icon("history")) "History" }
            ol class="journal" reversed {
                @for revision in &history.revisions {
                    li {
                        span class="seq" { (revision.revision) }
                        div class="grow" {
                            p { @if revision.reason.is_empty() { "written" } @else { (revision.reason) } }
                            p class="muted" { (who(&revision.author)) " · " (when(revision.at, visit.now())) @for change in &revision.changes { " · " (change.field) " " (word(change.change)) } }
                        }
                        @if revision.revision != entry.revision && visit.refusal::<EntryRestore>().is_none() {
                            (act_form(&to, &[("key", &entry.entry_key), ("act", "restore"), ("revision", &revision.revision.to_string())], html! { button class="button small" { "Restore" span class="sr" { " revision " (revision.revision) } } }))
                        }
                    }
                }
            }
            @if history.has_more { p class="muted" { "Older ones: " code { "jig entry history" } } }
        }
    }
}

fn ends(visit: &Visit, entry: &EntryInfo) -> Markup {
    let to = format!("/w/{}/entry/{}/act", visit.id(), encode(&entry.role));
    let archived = entry.state == EntryState::Archived;
    html! {
        div class="actions" {
            @match visit.refusal::<EntryArchive>() {
                Some(why) => (blocked("button", "Archive", &why)),
                None => (act_form(&to, &[("key", &entry.entry_key), ("act", if archived { "unarchive" } else { "archive" }), ("base_revision", &entry.etag)], html! { button class="button" { (icon("archive")) @if archived { "Take back into use" } @else { "Archive" } } })),
            }
            @match visit.refusal::<EntryDelete>() {
                Some(why) => (blocked("button", "Delete", &why)),
                None => (act_form(&to, &[("key", &entry.entry_key), ("act", "delete"), ("base_revision", &entry.etag)], html! { button class="button danger" { (icon("trash-2")) "Delete" } })),
            }
        }
    }
}

/// `POST /w/{id}/entry/{role}`: creates or updates it.
pub(super) async fn save(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let kind = kind(&visit).await?;
    let mut data = entry_form::read(&visit, &kind, &form).await?;
    let given = form.given("key").map(str::to_owned);
    let first =
        kind.field_schema.fields.first().and_then(|field| data.get(&field.key)).and_then(|value| value.as_str());
    let key = given.or_else(|| first.map(slug)).filter(|_| !kind.is_singleton);
    let base = form.given("base_revision");
    if base.is_some_and(|base| base != "0") {
        let stored = visit.on::<EntryGet>(json!({ "role": kind.anchor_role, "entry_key": key })).await?;
        entry_form::without_unchanged(&kind, &stored.entry, &mut data);
    }
    let params = json!({ "role": kind.anchor_role, "entry_key": key, "data": data, "base_revision": base });
    let output = visit.on::<EntryPut>(params).await?;
    let words = match (&output.proposal, &output.why) {
        (Some(_), Some(why)) => format!("It became a proposal: {why}"),
        (Some(_), None) => "It became a proposal.".to_owned(),
        _ => "Saved.".to_owned(),
    };
    let to = match &output.entry {
        Some(entry) => address(&visit, &entry.role, &entry.entry_key),
        None => format!("/w/{}/proposals", visit.id()),
    };
    Ok(answer::done(&to, &words))
}

/// A key derived from a name.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.trim().to_lowercase().chars().take(60) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// `POST /w/{id}/entry/{role}/act`.
pub(super) async fn act(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let role = visit.part("role").to_owned();
    let key = key_of(form.text("key"));
    let base = form.given("base_revision");
    let here = address(&visit, &role, key.unwrap_or_default());
    let named = json!({ "role": role, "entry_key": key, "base_revision": base });
    let with = |name: &str, value: serde_json::Value| {
        let mut params = named.clone();
        params[name] = value;
        params
    };
    let (to, words) = match form.text("act") {
        "delete" => {
            visit.on::<EntryDelete>(named.clone()).await?;
            (format!("/w/{}/context", visit.id()), "Deleted. Undo brings it back.".to_owned())
        }
        "archive" => {
            visit.on::<EntryArchive>(with("archived", json!(true))).await?;
            (here, "Archived: it is kept, and goes into no prompt.".to_owned())
        }
        "unarchive" => {
            visit.on::<EntryArchive>(with("archived", json!(false))).await?;
            (here, "It is in use again.".to_owned())
        }
        "restore" => {
            let revision = form.number("revision");
            visit.on::<EntryRestore>(with("revision", json!(revision))).await?;
            (here, format!("Revision {} is the newest again.", revision.unwrap_or_default()))
        }
        what @ ("done" | "undone") => {
            let mut params = with("field", json!(form.text("field")));
            params["done"] = json!(what == "done");
            visit.on::<EntryMarkDone>(params).await?;
            (here, if what == "done" { "Marked as done.".to_owned() } else { "No longer marked as done.".to_owned() })
        }
        _ => return Err(OpError::new(Code::InvalidRequest, "the form does not say what to do").into()),
    };
    Ok(answer::done(&to, &words))
}

/// `POST /w/{id}/entry/{role}/extract`.
pub(super) async fn extract(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let text = form.given("text").map(form::lines);
    let params = json!({
        "role": visit.part("role"), "entry_key": key_of(form.text("key")), "text": text, "path": form.given("path"),
        "model": form.given("model"),
    });
    let proposal = visit.on::<EntryExtract>(params).await?.proposal;
    let words = format!("{} found. Take what is right.", count(proposal.fields.len() as u64, "value"));
    Ok(answer::done(&format!("/w/{}/proposals", visit.id()), &words))
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn keys_come_from_names() {
        for (name, key) in [("Globex Corp.", "globex-corp"), ("  Ünder & Söhne ", "ünder-söhne"), ("!!!", "")] {
            assert_eq!(slug(name), key);
        }
    }
}
