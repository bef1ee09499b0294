//! Proposals: pending values, accepted or rejected by field. Recipe outputs are shown in the same way.

use axum::body::Body;
use jig_contract::ops::{
    EntryAcceptProposal, EntryGet, EntryListProposals, EntryRejectProposal, EntrySource, OutputPromote, OutputReject,
    ProposalInfo, ProposalOrigin, ProposalState, ProposedField,
};
use jig_contract::{Code, OpError};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::super::problem::Problem;
use super::super::query::encode;
use super::form::Form;
use super::icons::icon;
use super::layout::{self, Shell, Tab};
use super::parts::{badge, button, empty, head, more, proposal_state, warnings};
use super::units::{percent, short, when, who};
use super::visit::Visit;
use super::{Answer, answer};

/// The number of proposals per page.
const PAGE: u32 = 20;

/// `GET /w/{id}/proposals`.
pub(super) async fn list(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let params = json!({ "limit": PAGE, "cursor": visit.query("cursor") });
    let found = visit.on::<EntryListProposals>(params).await?;
    let mut cards = Vec::new();
    for proposal in &found.proposals {
        cards.push(card(&visit, proposal, "").await?);
    }
    let next = found.cursor.as_ref().map(|cursor| format!("/w/{}/proposals?cursor={}", bench.id(), encode(cursor)));
    let body = html! {
        p class="crumbs" { a href={ "/w/" (bench.id()) "/context" } { (icon("arrow-left")) "Back to Context" } }
        (head("Proposals", html! { "Values for entries that wait for you. Take all, some, or none." }, html! {}))
        @if found.proposals.is_empty() { (empty("sparkles", "Nothing waits", html! { "What an agent may not write itself, and what is found in texts, waits here." })) }
        @for card in &cards { (card) }
        (more(next, "More"))
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Context, "Proposals"), body))
}

/// A proposal. `recipe` names the recipe screen to return to.
pub(super) async fn card(visit: &Visit, proposal: &ProposalInfo, recipe: &str) -> Result<Markup, Problem> {
    let id = proposal.id.to_string();
    let open = proposal.state == ProposalState::Pending;
    let address = if proposal.entry_key.is_empty() {
        proposal.role.clone()
    } else {
        format!("{} · {}", proposal.role, proposal.entry_key)
    };
    // Replacing changed values refers to the revision shown here, not to the one when the form is submitted.
    let seen = if open && proposal.conflict { Some(newest(visit, proposal).await?) } else { None };
    let sent = proposal.sent.as_ref();
    let asked = sent.and_then(|sent| Some((sent.session_id.as_ref()?, sent.step.unwrap_or(1))));
    Ok(html! {
        article class="card proposal" aria-labelledby={ "p-" (id) } {
            h2 id={ "p-" (id) } { (address) " " (proposal_state(proposal.state)) }
            p class="muted" {
                (origin(proposal.origin)) " · " (who(&proposal.created_by)) " · " (when(proposal.created_at, visit.now()))
                @if let Some(model) = &proposal.model_id { " · " (model) }
                @for source in &proposal.sources { " · from " (source_words(source)) }
                @if let Some((session, step)) = asked { " · " a href={ "/w/" (visit.id()) "/agent/session/" (session) "?step=" (step) "#step" } { "What the model saw" } }
            }
            @if let Some(reason) = &proposal.reason { p { (reason) } }
            (warnings(&proposal.warnings))
            form class="form" method="post" action={ "/w/" (visit.id()) "/proposals" } {
                div data-failures {}
                input type="hidden" name="proposal" value=(id);
                input type="hidden" name="origin" value=(if proposal.origin == ProposalOrigin::RecipeRun { "run" } else { "entry" });
                input type="hidden" name="recipe" value=(recipe);
                ul class="proposed" { @for field in &proposal.fields { (proposed(field, &id, open)) } }
                @if open {
                    @if let Some(seen) = &seen { input type="hidden" name="base_revision" value=(seen); label class="choice" { input type="checkbox" name="replace" value="true"; span { "Also replace what was changed since" } } }
                    div class="actions" {
                        (accept(visit, proposal))
                        button class="button" name="act" value="reject" formnovalidate { (icon("x")) "Reject" }
                    }
                } @else if let Some(reason) = &proposal.decision_reason { p { "Rejected: " (reason) } }
            }
        }
    })
}

fn accept(visit: &Visit, proposal: &ProposalInfo) -> Markup {
    match visit.refusal::<EntryAcceptProposal>() {
        Some(why) => button(Some(&why), "button primary", None, "Accept what is ticked"),
        None => {
            html! { button class="button primary" name="act" value="accept" { (icon("check")) "Accept what is ticked" span class="sr" { " for " (proposal.role) } } }
        }
    }
}

fn proposed(field: &ProposedField, id: &str, open: bool) -> Markup {
    let waits = open && field.state == ProposalState::Pending;
    let at = format!("{id}-{}", field.field);
    html! {
        li {
            @if waits { input type="checkbox" id=(at) name="field" value=(field.field) checked[!field.conflict]; } @else { (proposal_state(field.state)) }
            div class="grow" {
                label for=[waits.then_some(&at)] { strong { (field.field) } }
                p { @match &field.current { Some(current) => { ins { (value(&field.value)) } " instead of " del { (value(current)) } }, None => (value(&field.value)) } }
                p class="fine" {
                    @if let Some(quote) = &field.quote { "“" (short(quote, 300)) "” " @if field.quote_found == Some(false) { (badge("warn", "not in the source")) " " } }
                    @if let Some(confidence) = field.confidence { (percent(confidence)) "% sure " }
                    @if field.conflict { (badge("warn", "changed since")) }
                }
            }
        }
    }
}

fn value(value: &Value) -> Markup {
    match value {
        Value::Null => html! { em { "nothing" } },
        Value::String(text) => html! { (short(text, 600)) },
        Value::Array(list) => {
            html! { @for (n, one) in list.iter().enumerate() { @if n > 0 { ", " } @match one { Value::String(text) => (short(text, 200)), other => (other.to_string()) } } }
        }
        other => html! { (other.to_string()) },
    }
}

const fn origin(origin: ProposalOrigin) -> &'static str {
    match origin {
        ProposalOrigin::Extraction => "found in a text",
        ProposalOrigin::AgentWrite => "proposed by an agent",
        ProposalOrigin::RecipeRun => "made by a recipe",
    }
}

fn source_words(source: &EntrySource) -> String {
    match source {
        EntrySource::Text => "a text".to_owned(),
        EntrySource::File { name } => name.clone(),
        EntrySource::Document { address, revision } => format!("{address} (revision {revision})"),
    }
}

/// `POST /w/{id}/proposals`.
pub(super) async fn decide(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let run = form.text("origin") == "run";
    let name = if run { "output_id" } else { "proposal_id" };
    let words = match form.text("act") {
        "accept" => {
            let fields: Vec<&str> = form.all("field").collect();
            if fields.is_empty() {
                let error = OpError::new(Code::ValidationFailed, "no field is ticked");
                return Err(error.hint("tick what is right, or reject it").into());
            }
            let base = form.given("base_revision").filter(|_| form.text("replace") == "true");
            let mut params = json!({ "fields": fields, "base_revision": base });
            params[name] = json!(form.text("proposal"));
            let number = fields.len() as u64;
            if run {
                visit.on::<OutputPromote>(params).await?;
            } else {
                visit.on::<EntryAcceptProposal>(params).await?;
            }
            format!("{} taken into the entry.", super::units::count(number, "value"))
        }
        "reject" => {
            let mut params = json!({});
            params[name] = json!(form.text("proposal"));
            if run {
                visit.on::<OutputReject>(params).await?;
            } else {
                visit.on::<EntryRejectProposal>(params).await?;
            }
            "Rejected. Nothing of the entry changed.".to_owned()
        }
        _ => return Err(OpError::new(Code::InvalidRequest, "the form does not say what to do").into()),
    };
    let to = match form.given("recipe") {
        Some(recipe) => format!("/w/{}/recipes/{}", visit.id(), encode(recipe)),
        None => format!("/w/{}/proposals", visit.id()),
    };
    Ok(answer::done(&to, &words))
}

/// The tag of the entry of a proposal; 0 if it was deleted.
async fn newest(visit: &Visit, proposal: &ProposalInfo) -> Result<String, Problem> {
    let params = json!({ "role": proposal.role, "entry_key": proposal.entry_key });
    match visit.on::<EntryGet>(params).await {
        Ok(found) => Ok(found.entry.etag),
        Err(problem) if problem.error.code() == Code::EntryNotFound => Ok("0".to_owned()),
        Err(problem) => Err(problem),
    }
}
