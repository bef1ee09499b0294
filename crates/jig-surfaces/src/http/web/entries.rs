//! Kinds: listing them, adding one, and the entries of one.

use axum::body::Body;
use jig_contract::ops::{EntryList, EntryPut, KindDelete, KindGet, KindInfo, KindList, KindPut};
use maud::{Markup, html};
use serde_json::json;

use super::super::query::encode;
use super::context::summary;
use super::form::{self, Form, base};
use super::icons::{icon, kind_icon};
use super::layout::{self, Shell, Tab};
use super::parts::{act, badge, bar, blocked_link, button, empty, head, more};
use super::units::{count, grouped, when};
use super::visit::Visit;
use super::{Answer, answer};

/// The number of entries per page.
const PAGE: u32 = 50;

/// A sample kind to start from.
const SAMPLE: &str = "anchor_role: partner
display_name: Partner
description: Who we work with
icon: handshake
category: market
is_singleton: false
field_schema:
  fields:
    - key: name
      type: text
      label: Name
      required: true
    - key: website
      type: url
      label: Website
";

/// `GET /w/{id}/roles`: the kinds that can be added.
pub(super) async fn roles(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let kinds = visit.on::<KindList>(json!({})).await?.kinds;
    let (definition, tag, changes) = match visit.query("change") {
        Some(role) => {
            let known = visit.on::<KindGet>(json!({ "role": role })).await?;
            (known.yaml, base(known.kind.etag.as_ref()), Some(role))
        }
        None => (SAMPLE.to_owned(), base(None), None),
    };
    let id = bench.id();
    let body = html! {
        p class="crumbs" { a href={ "/w/" (id) "/context" } { (icon("arrow-left")) "Back to Context" } }
        (head("Add role", html! { "A role says which fields an entry has. Choose one, or define your own." }, html! {}))
        ul class="cards plain" { @for kind in &kinds { (kind_card(&visit, kind)) } }
        section class="card" aria-labelledby="define-title" id="define" {
            h2 id="define-title" { @if let Some(role) = changes { "Change the role " (role) } @else { "Define your own role" } }
            p class="muted" { "As YAML. Entries that exist are checked against a changed role, and nothing is dropped." }
            form class="form" method="post" action={ "/w/" (id) "/roles" } data-guard {
                div data-failures {}
                input type="hidden" name="base_revision" value=(tag);
                div class="field" { label for="definition" { "Definition" } textarea class="code" id="definition" name="definition" rows="18" spellcheck="false" { "\n" (definition) } }
                (button(visit.refusal::<KindPut>().as_deref(), "button primary", None, "Save role"))
            }
        }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Context, "Add role"), body))
}

fn kind_card(visit: &Visit, kind: &KindInfo) -> Markup {
    let definition = &kind.definition;
    let (id, role) = (visit.id(), encode(&definition.anchor_role));
    let full = definition.is_singleton && kind.entries > 0;
    html! {
        li class="card role" {
            h2 { (kind_icon(definition.icon.as_deref())) (definition.display_name) }
            p { (definition.description.as_deref().unwrap_or_default()) }
            p class="muted" {
                (count(definition.field_schema.fields.len() as u64, "field")) " · "
                @if definition.is_singleton { "one" } @else { "many" } " · version " (definition.version)
                @if !kind.shipped { " " (badge("", "yours")) }
            }
            div class="actions" {
                @if full { a class="button small" href={ "/w/" (id) "/entry/" (role) "/_" } { "Open" } }
                @else { (blocked_link(visit.refusal::<EntryPut>().as_deref(), "button small primary", &format!("/w/{id}/new/{role}"), "Add", false)) }
                @if !definition.is_singleton && kind.entries > 0 { a class="button small" href={ "/w/" (id) "/entries/" (role) } { (grouped(kind.entries)) " there" } }
                @if !kind.shipped && kind.entries == 0 && visit.refusal::<KindDelete>().is_none() {
                    (act(&format!("/w/{id}/roles"), &[("delete", &definition.anchor_role), ("base_revision", &base(kind.etag.as_ref()))], html! { button class="button small" { "Delete" span class="sr" { " the role " (definition.display_name) } } }))
                }
                a class="button small" href={ "/w/" (id) "/roles?change=" (role) "#define" } { "Change fields" span class="sr" { " of " (definition.display_name) } }
            }
        }
    }
}

/// `POST /w/{id}/roles`.
pub(super) async fn put_kind(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    if let Some(role) = form.given("delete") {
        let output =
            visit.on::<KindDelete>(json!({ "role": role, "base_revision": form.given("base_revision") })).await?;
        let words = if output.shipped_again {
            format!("{role} is again as it came with Jig.")
        } else {
            format!("The role {role} is deleted.")
        };
        return Ok(answer::done(&format!("/w/{}/roles", visit.id()), &words));
    }
    let (definition, base) = (form::lines(form.text("definition")), form.given("base_revision"));
    let output = visit.on::<KindPut>(json!({ "definition": definition, "base_revision": base })).await?;
    let name = &output.kind.definition.display_name;
    let misfits = output.report.misfits.len() as u64;
    let words = match (output.saved, misfits) {
        (false, _) => format!("{name} is as it was: nothing is different."),
        (true, 0) => format!("{name} is saved."),
        (true, _) => format!(
            "{name} is saved. {} of existing entries no longer fit, and stay as they are.",
            count(misfits, "value")
        ),
    };
    Ok(answer::done(&format!("/w/{}/roles", visit.id()), &words))
}

/// `GET /w/{id}/entries/{role}`.
pub(super) async fn list(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let role = visit.part("role").to_owned();
    let kind = visit.on::<KindGet>(json!({ "role": role })).await?.kind.definition;
    let archived = visit.query("state") == Some("archived");
    let state = if archived { "archived" } else { "active" };
    let params = json!({ "role": role, "limit": PAGE, "cursor": visit.query("cursor"), "state": state });
    let found = visit.on::<EntryList>(params).await?;
    let (id, step) = (bench.id(), encode(&role));
    let next =
        found.cursor.as_ref().map(|cursor| format!("/w/{id}/entries/{step}?state={state}&cursor={}", encode(cursor)));
    let body = html! {
        p class="crumbs" { a href={ "/w/" (id) "/context" } { (icon("arrow-left")) "Back to Context" } }
        (head(&kind.display_name, html! { (grouped(found.total)) @if found.total == 1 { " entry" } @else { " entries" } @if archived { ", archived" } }, html! {
            (blocked_link(visit.refusal::<EntryPut>().as_deref(), "button primary", &format!("/w/{id}/new/{step}"), "+ Add", false))
        }))
        nav class="switch" aria-label="Which entries" {
            a href={ "/w/" (id) "/entries/" (step) } aria-current=[(!archived).then_some("true")] { "In use" }
            a href={ "/w/" (id) "/entries/" (step) "?state=archived" } aria-current=[archived.then_some("true")] { "Archived" }
        }
        @if found.entries.is_empty() { (empty("layers", "None here", html! { (kind.description.as_deref().unwrap_or_default()) })) }
        @else {
            div class="table" role="region" aria-label=(kind.display_name) tabindex="0" {
                table {
                    thead { tr { th { "Name" } th { "Says" } th { "Complete" } th { "Changed" } } }
                    tbody { @for entry in &found.entries {
                        tr {
                            td class="name" { a href={ "/w/" (id) "/entry/" (step) "/" (encode(&entry.entry_key)) } { bdi { (entry.display_name) } } }
                            td { (summary(&kind, entry)) }
                            td { (bar("Completeness", entry.completeness)) }
                            td { (when(entry.updated_at, visit.now())) }
                        }
                    } }
                }
            }
        }
        (more(next, "More"))
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Context, &kind.display_name), body))
}
