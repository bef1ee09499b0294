//! Context: the four items, and the kinds with their entries.

use jig_contract::ops::{
    ContextCategory, ContextDelete, ContextGetArtifact, ContextList, ContextProcess, ContextStatus, ContextSummary,
    EntryInfo, EntryList, EntryListOutput, EntryListProposals, EntryPut, FieldType, KindCategory, KindDefinition,
    KindInfo, KindList,
};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::super::problem::Problem;
use super::super::query::encode;
use super::Answer;
use super::form;
use super::icons::{icon, kind_icon};
use super::layout::{self, Shell, Tab};
use super::parts::{DRAFT_BLOCKS_CONTEXT, act, badge, bar, blocked, blocked_link, head, long_text, note, warnings};
use super::units::{count, grouped, short, when};
use super::visit::{Bench, Visit};

/// How many entries of a kind a card reads.
const LOOKED_AT: u32 = 20;

/// How many bytes of a file are shown on the overview.
const FILE_BYTES: usize = 16 << 10;

/// The display name of an item.
pub(super) const fn title(category: ContextCategory) -> &'static str {
    match category {
        ContextCategory::CompanyContext => "Company-Wide",
        ContextCategory::DepartmentContext => "Department",
        ContextCategory::Situation => "Situation",
        ContextCategory::DocumentStyle => "Document Style",
    }
}

/// The message while an item is processed.
pub(super) const fn processing(category: ContextCategory) -> &'static str {
    match category {
        ContextCategory::CompanyContext => "Processing company context...",
        ContextCategory::DepartmentContext => "Processing department context...",
        ContextCategory::Situation => "Processing situation context...",
        ContextCategory::DocumentStyle => "Processing document style context...",
    }
}

const fn drawing(category: ContextCategory) -> &'static str {
    match category {
        ContextCategory::CompanyContext => "building-2",
        ContextCategory::DepartmentContext => "briefcase",
        ContextCategory::Situation => "flag",
        ContextCategory::DocumentStyle => "type",
    }
}

/// Why items cannot be changed now, if so.
pub(super) fn why_not(visit: &Visit, bench: &Bench) -> Option<String> {
    if bench.draft.is_some() { Some(DRAFT_BLOCKS_CONTEXT.to_owned()) } else { visit.refusal::<ContextProcess>() }
}

/// `GET /w/{id}/context`.
pub(super) async fn show(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let items = visit.on::<ContextList>(json!({})).await?.items;
    let kinds = visit.on::<KindList>(json!({})).await?.kinds;
    let waiting = visit.on::<EntryListProposals>(json!({ "limit": LOOKED_AT })).await?;
    let id = bench.id();
    let add =
        blocked_link(visit.refusal::<EntryPut>().as_deref(), "button", &format!("/w/{id}/roles"), "+ Add role", false);
    let mut cards = Vec::new();
    for item in &items {
        cards.push(item_card(&visit, &bench, item).await?);
    }
    let body = html! {
        (head("Context", html! { "What every prompt of this workbench knows before anybody asks." }, add))
        @if bench.draft.is_some() { (note("warn", html! { (DRAFT_BLOCKS_CONTEXT) })) }
        section aria-labelledby="items-title" {
            h2 id="items-title" { "About the work" }
            p class="muted" { "Each is made once from your text or file by a model, and is then in every call." }
            div class="cards two" { @for card in &cards { (card) } }
        }
        section aria-labelledby="roles-title" {
            h2 id="roles-title" { "Roles" }
            p class="muted" { "Background in fields: a recipe takes exactly the fields it needs." }
            @if !waiting.proposals.is_empty() {
                (note("warn", html! {
                    (count(waiting.proposals.len() as u64, "proposal")) @if waiting.has_more { " or more" } " for entries "
                    @if waiting.proposals.len() == 1 { "waits" } @else { "wait" } " for you. " a href={ "/w/" (id) "/proposals" } { "Look at them" }
                }))
            }
            (role_cards(&visit, &kinds).await?)
        }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Context, "Context"), body))
}

async fn item_card(visit: &Visit, bench: &Bench, item: &ContextSummary) -> Result<Markup, Problem> {
    let (id, category) = (bench.id(), item.category);
    let base = format!("/w/{id}/context/{category}");
    let why = why_not(visit, bench);
    let files = match item.status {
        ContextStatus::Empty => Vec::new(),
        _ => visit
            .on::<ContextGetArtifact>(json!({ "category": category }))
            .await
            .map(|output| output.files)
            .unwrap_or_default(),
    };
    let heading = format!("item-{category}");
    Ok(html! {
        article class="card item" aria-labelledby=(heading) data-item=(category) {
            h3 id=(heading) { (icon(drawing(category))) (title(category)) }
            p class="row" {
                @match item.status {
                    ContextStatus::Active => (badge("good", "Active")),
                    ContextStatus::Empty => (badge("", "Empty")),
                    ContextStatus::Damaged => (badge("bad", "Damaged")),
                }
                @if item.has_direct_edits { (badge("warn", "manually edited")) }
                @if item.tokens > 0 { span class="muted" { (grouped(item.tokens)) " tokens" } }
            }
            @if item.status == ContextStatus::Empty {
                p { (category.purpose()) }
                div class="actions" { (blocked_link(why.as_deref(), "button primary", &format!("{base}/input"), "Add", false)) }
            } @else {
                details class="inspect" {
                    summary { (short(&item.summary, 220)) }
                    @for file in &files { h4 { code { (file.path) } } (long_text(&file.content, FILE_BYTES)) }
                    p { a href=(base) { "Open" } }
                }
                (warnings(&item.warnings))
                @if let Some(at) = item.last_processed_at {
                    p class="muted" { "Processed " (when(at, visit.now())) @if let Some(model) = &item.model_id { " by " (model) }
                        @if let Some(at) = item.last_direct_edit_at { ", edited by hand " (when(at, visit.now())) } }
                }
                div class="actions" {
                    (blocked_link(why.as_deref(), "button", &format!("{base}/input"), "Edit", false))
                    (blocked_link(why.as_deref(), "button", &format!("{base}?edit=1"), "Direct Edit", false))
                    (blocked_link(why.as_deref(), "button", &format!("{base}/reprocess"), "Reprocess from source", true))
                    @match why.clone().or_else(|| visit.refusal::<ContextDelete>()) {
                        Some(why) => (blocked("button", "Delete", &why)),
                        None => (act(&format!("{base}/delete"), &[("base_revision", &form::base(item.etag.as_ref()))], html! { button class="button" { (icon("trash-2")) span { "Delete" span class="sr" { " the " (title(category)) " context" } } } })),
                    }
                }
            }
        }
    })
}

const CATEGORIES: [(KindCategory, &str); 3] =
    [(KindCategory::Foundation, "Foundation"), (KindCategory::Market, "Market"), (KindCategory::Insight, "Insight")];

/// A card for each kind that has entries, and for each foundation kind without entries.
async fn role_cards(visit: &Visit, kinds: &[KindInfo]) -> Result<Markup, Problem> {
    let mut groups = Vec::new();
    for (category, words) in CATEGORIES {
        let mut cards = Vec::new();
        for kind in kinds.iter().filter(|kind| kind.definition.category == category) {
            if kind.entries > 0 {
                cards.push(role_card(visit, kind).await?);
            } else if category == KindCategory::Foundation {
                cards.push(empty_card(visit, &kind.definition));
            }
        }
        if !cards.is_empty() {
            groups.push((words, cards));
        }
    }
    Ok(html! {
        @for (words, cards) in &groups { h3 class="group" { (words) } div class="cards" { @for card in cards { (card) } } }
    })
}

fn empty_card(visit: &Visit, kind: &KindDefinition) -> Markup {
    let to = format!("/w/{}/new/{}", visit.id(), encode(&kind.anchor_role));
    html! {
        article class="card role" aria-label=(kind.display_name) {
            h4 { (kind_icon(kind.icon.as_deref())) (kind.display_name) }
            p class="muted" { (kind.description.as_deref().unwrap_or("Not filled yet.")) }
            (bar("Completeness", 0.0))
            div class="actions" { (blocked_link(visit.refusal::<EntryPut>().as_deref(), "button small", &to, "Add", false)) }
        }
    }
}

async fn role_card(visit: &Visit, kind: &KindInfo) -> Result<Markup, Problem> {
    let definition = &kind.definition;
    let role = &definition.anchor_role;
    let limit = if definition.is_singleton { 1 } else { LOOKED_AT };
    let found = visit.on::<EntryList>(json!({ "role": role, "limit": limit })).await?;
    Ok(match found.entries.first() {
        Some(entry) if definition.is_singleton => single(visit, definition, entry),
        _ => several(visit, definition, &found),
    })
}

fn single(visit: &Visit, kind: &KindDefinition, entry: &EntryInfo) -> Markup {
    let to = format!("/w/{}/entry/{}/_", visit.id(), encode(&kind.anchor_role));
    let rest = kind.field_schema.fields.iter().skip(1).take(5);
    html! {
        article class="card role link" aria-label=(kind.display_name) {
            h4 { (kind_icon(kind.icon.as_deref())) a href=(to) { (kind.display_name) } }
            p class="summary" { (summary(kind, entry)) }
            ul class="ticks" {
                @for field in rest {
                    @let filled = entry.data.get(&field.key).is_some_and(is_filled);
                    li class={ @if filled { "yes" } @else { "no" } } { (field.label) ": " @if filled { "✓" span class="sr" { "filled" } } @else { "–" span class="sr" { "empty" } } }
                }
            }
            (bar("Completeness", entry.completeness))
            (age(entry))
        }
    }
}

fn several(visit: &Visit, kind: &KindDefinition, found: &EntryListOutput) -> Markup {
    let id = visit.id();
    let role = encode(&kind.anchor_role);
    #[expect(clippy::cast_precision_loss, reason = "a share to be drawn")]
    let mean = found.entries.iter().map(|entry| entry.completeness).sum::<f64>() / found.entries.len().max(1) as f64;
    html! {
        article class="card role" aria-label=(kind.display_name) {
            h4 { (kind_icon(kind.icon.as_deref())) a href={ "/w/" (id) "/entries/" (role) } { (kind.display_name) } }
            p class="summary" { (grouped(found.total)) @if found.total == 1 { " entry" } @else { " entries" } }
            ul class="names" { @for entry in found.entries.iter().take(3) { li { a href={ "/w/" (id) "/entry/" (role) "/" (encode(&entry.entry_key)) } { bdi { (entry.display_name) } } } } @if found.total > 3 { li { "…" } } }
            (bar(if found.has_more { "Completeness of the first ones" } else { "Completeness" }, mean))
            div class="actions" { (blocked_link(visit.refusal::<EntryPut>().as_deref(), "button small", &format!("/w/{id}/new/{role}"), "+ Add", false)) }
        }
    }
}

/// The first nonblank text.
pub(super) fn summary(kind: &KindDefinition, entry: &EntryInfo) -> String {
    let texts = kind
        .field_schema
        .fields
        .iter()
        .filter(|field| matches!(field.field_type, FieldType::Text | FieldType::Longtext));
    let first = texts.filter_map(|field| entry.data.get(&field.key)?.as_str()).find(|text| !text.trim().is_empty());
    first.map_or_else(|| "Nothing is filled in yet.".to_owned(), |text| short(text, 140))
}

/// Whether a value is nonblank.
pub(super) fn is_filled(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(list) => list.iter().any(is_filled),
        _ => true,
    }
}

/// The staleness of an entry.
pub(super) fn age(entry: &EntryInfo) -> Markup {
    html! {
        @if let Some(expired) = &entry.staleness.expired { p { (badge("warn", "expired")) span class="muted" { " good for " (expired.ttl_hours) " hours, " (expired.hours_over) " over" } } }
        @if !entry.staleness.newer_sources.is_empty() { p { (badge("warn", "made from older sources")) } }
    }
}
