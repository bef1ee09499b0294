//! Recipes: listing them, stale ones, and adding one.

use axum::body::Body;
use jig_contract::ops::{RecipeGet, RecipeInfo, RecipeList, RecipeListStale, RecipePut, StaleReason, StaleRecipe};
use maud::{Markup, html};
use serde_json::json;

use super::super::query::encode;
use super::form::{self, Form, base};
use super::icons::icon;
use super::layout::{self, Shell, Tab};
use super::parts::{badge, button, head, note, prose};
use super::units::when;
use super::visit::Visit;
use super::{Answer, answer};

/// A sample recipe to start from.
const SAMPLE: &str = "recipe: one-liner
display_name: One line about us
context_requirements:
  entries:
    - role: brand
      fields: [name, voice]
      required: true
prompt: |
  {{context}}

  Say in one line who we are. {{input}}
";

/// `GET /w/{id}/recipes`.
pub(super) async fn list(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let recipes = visit.on::<RecipeList>(json!({})).await?.recipes;
    let stale = visit.on::<RecipeListStale>(json!({})).await?;
    let (definition, tag, changes) = match visit.query("change") {
        Some(recipe) => {
            let known = visit.on::<RecipeGet>(json!({ "recipe": recipe })).await?;
            (known.yaml, base(known.recipe.etag.as_ref()), Some(recipe))
        }
        None => (SAMPLE.to_owned(), base(None), None),
    };
    let id = bench.id();
    let body = html! {
        (head("Recipes", html! { "A recipe takes exactly the fields it needs, asks a model, and what comes back waits for you." }, html! {}))
        @for cycle in &stale.cycles { (note("warn", html! { "These recipes need each other's outputs, so none is made anew by itself: " (cycle.join(" → ")) })) }
        ul class="cards plain" { @for recipe in &recipes { (recipe_card(&visit, recipe, stale.stale.iter().find(|one| one.recipe == recipe.definition.recipe))) } }
        section class="card" aria-labelledby="define-title" id="define" {
            h2 id="define-title" { @if let Some(recipe) = changes { "Change " (recipe) } @else { "Write your own recipe" } }
            p class="muted" { "As YAML. A role or field that it names must exist." }
            form class="form" method="post" action={ "/w/" (id) "/recipes" } data-guard {
                div data-failures {}
                input type="hidden" name="base_revision" value=(tag);
                div class="field" { label for="definition" { "Definition" } textarea class="code" id="definition" name="definition" rows="16" spellcheck="false" { "\n" (definition) } }
                (button(visit.refusal::<RecipePut>().as_deref(), "button primary", None, "Save recipe"))
            }
        }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Recipes, "Recipes"), body))
}

/// The display name of a recipe.
pub(super) fn title(recipe: &RecipeInfo) -> &str {
    recipe.definition.display_name.as_deref().unwrap_or(&recipe.definition.recipe)
}

fn recipe_card(visit: &Visit, recipe: &RecipeInfo, stale: Option<&StaleRecipe>) -> Markup {
    let to = format!("/w/{}/recipes/{}", visit.id(), encode(&recipe.definition.recipe));
    html! {
        li class="card link" {
            h2 { (icon("scroll-text")) a href=(to) { (title(recipe)) } }
            p { (recipe.definition.description.as_deref().unwrap_or_default()) }
            @for problem in &recipe.problems { (note("bad", html! { (prose(problem)) })) }
            p class="row" {
                @if let Some(outputs) = &recipe.definition.context_outputs { span class="muted" { "makes " code { (outputs.role) } } }
                @if let Some(schedule) = &recipe.definition.schedule { (badge("", &format!("runs by itself: {schedule}"))) }
                @if let Some(at) = recipe.next_run_at { span class="muted" { "next " (when(at, visit.now())) } }
                @if let Some(stale) = stale { (staleness(stale)) }
            }
        }
    }
}

/// Why an output is stale.
pub(super) fn staleness(stale: &StaleRecipe) -> Markup {
    html! {
        @for reason in &stale.reasons {
            @match reason {
                StaleReason::NeverRun => (badge("", "never run")),
                StaleReason::Expired { expired } => (badge("warn", &format!("expired, {} hours over", expired.hours_over))),
                StaleReason::SourceNewer { changes } => (badge("warn", &format!("{} changed since", changes.iter().map(|change| change.address.clone()).collect::<Vec<_>>().join(", ")))),
            }
        }
        @if let Some(blocked) = &stale.blocked { span class="muted" { (prose(blocked)) } }
    }
}

/// `POST /w/{id}/recipes`.
pub(super) async fn put(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let (definition, base) = (form::lines(form.text("definition")), form.given("base_revision"));
    let output = visit.on::<RecipePut>(json!({ "definition": definition, "base_revision": base })).await?;
    let name = title(&output.recipe);
    let words =
        if output.saved { format!("{name} is saved.") } else { format!("{name} is as it was: nothing is different.") };
    Ok(answer::done(&format!("/w/{}/recipes/{}", visit.id(), encode(&output.recipe.definition.recipe)), &words))
}
