//! The sections of an artifact: read, mark as done, write, rename, move, delete, add.
#![expect(clippy::needless_pass_by_value, reason = "markup is made where it is handed over, and used up by it")]

use jig_contract::ops::{ArtifactInfo, SectionInfo};
use jig_contract::{Code, OpError};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::super::query::encode;
use super::form::{self, Form};
use super::icons::icon;
use super::markdown::markdown;
use super::parts::{badge, blocked, button};
use super::units::{count, when, who};
use super::visit::Visit;

/// The sections as a table of contents.
pub(super) fn contents(artifact: &ArtifactInfo) -> Markup {
    html! {
        @if artifact.sections.len() > 1 {
            nav class="card contents" aria-labelledby="contents-title" {
                h2 id="contents-title" { (icon("list-checks")) "Sections" }
                ol {
                    @for section in &artifact.sections {
                        li { a href={ "#s-" (encode(&section.slug)) } { (section.title) } @if section.is_done { " ✓" span class="sr" { " done" } } @if section.changed_since_done { " " (badge("warn", "changed")) } }
                    }
                }
            }
        }
    }
}

/// A section. `why` is the reason if it cannot be changed.
pub(super) fn section_card(visit: &Visit, artifact: &ArtifactInfo, section: &SectionInfo, why: Option<&str>) -> Markup {
    let content = section.content.as_deref().unwrap_or_default();
    let mark = encode(&section.slug);
    html! {
        article class="card section" id={ "s-" (mark) } aria-labelledby={ "t-" (section.id) } data-section=(section.slug) {
            div class="row between" {
                h2 id={ "t-" (section.id) } { (section.title) }
                (tick(visit, artifact, section, why))
            }
            @if section.changed_since_done { p { (badge("warn", "changed since done")) } }
            @if content.trim().is_empty() { p class="muted" { "Nothing is written yet." } }
            @else {
                details class="fold" open[!section.is_collapsed] {
                    summary { "Text" span class="sr" { " of " (section.title) } }
                    (markdown(content))
                }
            }
            p class="fine" {
                code { "#" (section.slug) } " · " (who(&section.by)) " " (when(section.at, visit.now()))
                @if let Some(done) = &section.done { " · done by " (who(&done.by)) " " (when(done.at, visit.now())) }
                @if !section.aliases.is_empty() { " · also reached as " (section.aliases.join(", ")) }
            }
            @match why {
                Some(why) => div class="actions" { (blocked("button small", "Edit", why)) },
                None => (tools(visit, artifact, section, content)),
            }
        }
    }
}

/// The common fields of each form of a section.
fn named(visit: &Visit, artifact: &ArtifactInfo, section: &SectionInfo, what: &str, inner: Markup) -> Markup {
    html! {
        form class="form" method="post" action={ "/w/" (visit.id()) "/plans/" (encode(&artifact.slug)) } {
            div data-failures {}
            input type="hidden" name="act" value=(what);
            input type="hidden" name="section" value=(section.slug);
            input type="hidden" name="base_revision" value=(artifact.etag);
            (inner)
        }
    }
}

fn tick(visit: &Visit, artifact: &ArtifactInfo, section: &SectionInfo, why: Option<&str>) -> Markup {
    let words = if section.is_done { "Done" } else { "Mark done" };
    if let Some(why) = why {
        return blocked("button small", words, why);
    }
    // A section that has changed since is marked as done again; otherwise the mark is cleared.
    let again = section.is_done && section.changed_since_done;
    let what = if section.is_done && !again { "undone" } else { "done" };
    html! {
        div class="actions" {
            (named(visit, artifact, section, what, html! {
                button class="button small" id={ "done-" (section.id) } aria-pressed=(section.is_done && !again) {
                    (icon("check")) span { @if again { "Still done" } @else { (words) } span class="sr" { " " (section.title) } }
                }
            }))
            @if again { (named(visit, artifact, section, "undone", html! { button class="button small" { span { "Not done" span class="sr" { " " (section.title) } } } })) }
        }
    }
}

fn tools(visit: &Visit, artifact: &ArtifactInfo, section: &SectionInfo, content: &str) -> Markup {
    let last = artifact.sections.len() as u64;
    let order = u64::from(section.order);
    let id = section.id;
    let step = |to: u64, drawing: &str, words: &str| {
        named(
            visit,
            artifact,
            section,
            "move",
            html! {
                input type="hidden" name="order" value=(to);
                button class="button small" { (icon(drawing)) span { (words) span class="sr" { " " (section.title) } } }
            },
        )
    };
    html! {
        details class="talk" {
            summary { (icon("pencil")) "Edit" span class="sr" { " " (section.title) } }
            (named(visit, artifact, section, "update", html! {
                div class="field wide" {
                    label for={ "text-" (id) } { "Text" span class="sr" { " of " (section.title) } }
                    textarea class="code" id={ "text-" (id) } name="content" rows=(rows(content)) { "\n" (content) }
                }
                label class="choice" { input type="checkbox" name="split" value="true"; span { "Level-2 headings in it become sections of their own" } }
                div class="field" { label for={ "why-" (id) } { "Why (optional)" } input id={ "why-" (id) } name="reason" maxlength="500" autocomplete="off"; }
                button class="button primary" { "Save section" }
            }))
            div class="section-tools" {
                (named(visit, artifact, section, "rename", html! {
                    div class="field" { label for={ "name-" (id) } { "Heading" } input id={ "name-" (id) } name="title" required maxlength="300" autocomplete="off" value=(section.title); }
                    button class="button small" { "Rename" }
                }))
                div class="actions" {
                    @if order > 1 { (step(order - 1, "chevron-down", "Move up")) }
                    @if order < last { (step(order + 1, "chevron-down", "Move down")) }
                    (named(visit, artifact, section, if section.is_collapsed { "unfold" } else { "fold" }, html! { button class="button small" { @if section.is_collapsed { "Show unfolded" } @else { "Show folded" } } }))
                    (named(visit, artifact, section, "delete-section", html! { button class="button small danger" { (icon("trash-2")) span { "Delete section" span class="sr" { " " (section.title) } } } }))
                }
            }
        }
    }
}

/// The number of rows for a text, within limits.
fn rows(text: &str) -> usize {
    text.lines().map(|line| 1 + line.len() / 90).sum::<usize>().clamp(5, 30)
}

/// The form for a new section.
pub(super) fn add_form(visit: &Visit, artifact: &ArtifactInfo, why: Option<&str>) -> Markup {
    html! {
        section class="card" aria-labelledby="add-title" {
            h2 id="add-title" { (icon("plus")) "Add a section" }
            form class="form" method="post" action={ "/w/" (visit.id()) "/plans/" (encode(&artifact.slug)) } {
                div data-failures {}
                input type="hidden" name="act" value="add";
                input type="hidden" name="base_revision" value=(artifact.etag);
                div class="field" { label for="add-heading" { "Heading" } input id="add-heading" name="title" required maxlength="300" autocomplete="off"; }
                div class="field wide" { label for="add-text" { "Text" } textarea class="code" id="add-text" name="content" rows="4" {} }
                @if !artifact.sections.is_empty() {
                    div class="field" {
                        label for="add-after" { "Place" }
                        select id="add-after" name="order" {
                            option value="1" { "First" }
                            @for (n, section) in artifact.sections.iter().enumerate() {
                                option value=(n + 2) selected[n + 1 == artifact.sections.len()] { "After " (section.title) }
                            }
                        }
                    }
                }
                (button(why, "button", Some("plus"), "Add section"))
            }
            p class="fine" { (count(artifact.sections.len() as u64, "section")) " so far" }
        }
    }
}

/// The operation of a section form, and the message when it is done.
pub(super) fn operation(form: &Form, slug: &str) -> Result<(Value, String), OpError> {
    let section = form.text("section");
    let op = |name: &str, more: Value| {
        let mut op = json!({ "operation": name, "artifact_slug": slug });
        if name != "create_section" {
            op["section_slug"] = json!(section);
        }
        if let (Some(op), Some(more)) = (op.as_object_mut(), more.as_object()) {
            op.extend(
                more.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.clone(), value.clone())),
            );
        }
        op
    };
    let text = || form::lines(form.text("content"));
    Ok(match form.text("act") {
        "done" => (op("mark_section_done", json!({ "is_done": true })), "Marked as done.".to_owned()),
        "undone" => (op("mark_section_done", json!({ "is_done": false })), "No longer marked as done.".to_owned()),
        "update" => {
            let more =
                json!({ "content": text(), "split": form.text("split") == "true", "reason": form.given("reason") });
            (op("update_section", more), "The section is written.".to_owned())
        }
        "rename" => {
            let words = "Renamed. What led to the old name still does.".to_owned();
            (op("rename_section", json!({ "title": form.text("title").trim() })), words)
        }
        "move" => (op("move_section", json!({ "order": form.number("order") })), "Moved.".to_owned()),
        "fold" => (op("collapse_section", json!({ "is_collapsed": true })), "It is shown folded.".to_owned()),
        "unfold" => (op("collapse_section", json!({ "is_collapsed": false })), "It is shown unfolded.".to_owned()),
        "delete-section" => (op("delete_section", json!({})), "The section is gone. Undo brings it back.".to_owned()),
        "add" => {
            let more = json!({ "title": form.text("title").trim(), "content": text(), "order": form.number("order") });
            (op("create_section", more), "The section is added.".to_owned())
        }
        _ => return Err(OpError::new(Code::InvalidRequest, "the form does not say what to do")),
    })
}
