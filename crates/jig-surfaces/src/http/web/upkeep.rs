//! Maintenance: assets, usage counters, and the store.

use axum::body::Body;
use jig_contract::ops::{AssetCleanup, AssetList, StatsGet, StoreCollect, StoreDoctor};
use jig_contract::{Code, OpError};
use maud::{Markup, html};
use serde_json::json;

use super::super::problem::Problem;
use super::super::query::encode;
use super::form::Form;
use super::icons::icon;
use super::parts::{act, badge, blocked, button};
use super::units::{bytes, count, grouped, when};
use super::visit::Visit;
use super::{Answer, answer};

/// How many assets are listed.
const LISTED: u32 = 20;

/// Assets in use, and those that expire.
pub(super) async fn assets(visit: &Visit) -> Result<Markup, Problem> {
    let found = visit.on::<AssetList>(json!({ "limit": LISTED })).await?;
    let to = format!("/w/{}/settings", visit.id());
    Ok(html! {
        section class="card" aria-labelledby="assets-title" {
            h2 id="assets-title" { (icon("package")) "Files of fields" }
            p class="muted" { "What a field of an entry names is kept; anything else expires." }
            @if found.assets.is_empty() { p { "There is none." } }
            ul class="journal" {
                @for asset in &found.assets {
                    li {
                        div class="grow" {
                            p {
                                @if asset.removed { bdi { (asset.name) } } @else { a href={ "/api/workbenches/" (visit.id()) "/assets/" (encode(&asset.asset_id.to_string())) "/content" } download { bdi { (asset.name) } } }
                                " " @if asset.removed { (badge("", "gone")) } @else if asset.expired { (badge("warn", "expired")) } @else if asset.expires_at.is_some() { (badge("", "expires")) } @else { (badge("good", "kept")) }
                            }
                            p class="muted" { (asset.mime_type) ", " (bytes(asset.size)) " · " (when(asset.created_at, visit.now())) @for one in &asset.uses { " · " (one.role) " " (one.entry_key) " " (one.field) } }
                        }
                    }
                }
            }
            @if found.has_more { p class="muted" { "The newest " (LISTED) " are shown." } }
            @match visit.refusal::<AssetCleanup>() {
                Some(why) => (blocked("button", "Remove what has expired", &why)),
                None => (act(&to, &[("act", "sweep")], html! { button class="button" { (icon("trash-2")) "Remove what has expired" } })),
            }
        }
    })
}

/// Removes the bytes of assets that have expired.
pub(super) async fn sweep(visit: &Visit) -> Result<String, Problem> {
    let output = visit.on::<AssetCleanup>(json!({})).await?;
    Ok(format!("{} removed, {}.", count(output.assets.len() as u64, "file"), bytes(output.bytes)))
}

/// The usage counters of this machine.
pub(super) async fn counts(visit: &Visit) -> Result<Markup, Problem> {
    let counts = visit.on::<StatsGet>(json!({})).await?.counts;
    Ok(html! {
        section class="card" aria-labelledby="counts-title" {
            h2 id="counts-title" { (icon("chart-column")) "Counted here" }
            p class="muted" { "Nothing of it leaves this machine." }
            @if counts.is_empty() { p { "Nothing has been counted yet." } } @else {
                div class="table" role="region" aria-label="Counts" tabindex="0" {
                    table {
                        thead { tr { th { "What" } th { "Item" } th { "Model" } th class="number" { "How often" } th class="number" { "Tokens, mean" } } }
                        tbody { @for one in &counts { tr {
                            td { (one.name) } td { (one.category.as_deref().unwrap_or_default()) } td { (one.model_id.as_deref().unwrap_or_default()) }
                            td class="number" { (grouped(one.count)) } td class="number" { (one.mean_tokens.map(|mean| format!("{mean:.0}")).unwrap_or_default()) }
                        } } }
                    }
                }
            }
        }
    })
}

/// The forms for checking and cleaning up the store.
pub(super) fn store(visit: &Visit) -> Markup {
    html! {
        section class="card" aria-labelledby="store-title" {
            h2 id="store-title" { (icon("shield")) "What is stored" }
            p class="muted" { "Everything is kept under a hash of its content: it can be checked, and what nothing needs any more can be removed." }
            div class="actions" {
                form method="post" action="/settings/store" data-busy="Checking what is stored…" {
                    div data-failures {}
                    input type="hidden" name="act" value="check";
                    (button(visit.refusal::<StoreDoctor>().as_deref(), "button", Some("check"), "Check all of it"))
                }
                form method="post" action="/settings/store" data-busy="Looking for what nothing needs…" {
                    div data-failures {}
                    input type="hidden" name="act" value="collect";
                    (button(visit.refusal::<StoreCollect>().as_deref(), "button", Some("trash-2"), "Remove what nothing needs"))
                }
            }
        }
    }
}

/// `POST /settings/store`.
pub(super) async fn tend(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let words = match form.text("act") {
        "check" => {
            let found = visit.call::<StoreDoctor>(json!({})).await?;
            if !found.ok {
                let hints = found.problems.iter().take(10).map(|problem| problem.message.clone());
                let message = format!("{} found in what is stored", count(found.problems.len() as u64, "problem"));
                let error = OpError::new(Code::BlobCorrupt, message).hint("`jig doctor --repair` repairs what can be");
                return Err(hints.fold(error, OpError::hint).into());
            }
            let (blobs, states) = (grouped(found.blobs), grouped(found.states));
            format!("All is well: {blobs} blobs and {states} states were compared with their hashes.")
        }
        "collect" => {
            let found = visit.call::<StoreCollect>(json!({ "yes": true })).await?;
            let sessions = match found.recipe_sessions {
                0 => String::new(),
                n => format!(" {} of recipes' runs that no output names went first.", count(n, "session")),
            };
            format!(
                "{} removed, {}. {} are needed.{sessions}",
                count(found.unneeded, "blob"),
                bytes(found.bytes),
                grouped(found.kept)
            )
        }
        _ => return Err(OpError::new(Code::InvalidRequest, "the form does not say what to do").into()),
    };
    Ok(answer::done("/settings", &words))
}
