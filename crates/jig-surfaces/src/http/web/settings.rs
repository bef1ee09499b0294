//! Settings: models, consents, the egress log, jobs; and the tokens of the server.

use axum::body::Body;
use axum::http::StatusCode;
use jig_contract::ops::{
    Consent, ConsentGrant, ConsentList, ConsentReach, ConsentRevoke, EgressList, EgressListOutput, JobCancel, JobList,
    ModelInfo, ModelList, ModelListOutput, ModelSetDefault, RecipeList, TokenCreate, TokenInfo, TokenKind, TokenList,
    TokenRevoke, TokenRole, WorkbenchClone, WorkbenchDelete, WorkbenchRename,
};
use jig_contract::{Code, OpError};
use maud::{Markup, html};
use serde_json::json;

use super::form::Form;
use super::icons::icon;
use super::layout::{self, Shell, Tab};
use super::parts::{act as act_form, badge, blocked, button, empty, head, prose};
use super::recipe::job_row;
use super::units::{grouped, when};
use super::upkeep;
use super::visit::{Bench, Visit};
use super::{Answer, answer};

/// How many model calls and jobs are listed.
const LISTED: u32 = 20;

/// `GET /w/{id}/settings`.
pub(super) async fn workbench(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let models = visit.on::<ModelList>(json!({})).await?;
    let consents = visit.on::<ConsentList>(json!({})).await?.consents;
    let sent = visit.on::<EgressList>(json!({ "limit": LISTED })).await?;
    let jobs = visit.on::<JobList>(json!({ "limit": LISTED })).await?.jobs;
    let recipes = visit.on::<RecipeList>(json!({})).await?.recipes;
    let scheduled: Vec<_> = recipes.iter().filter(|recipe| recipe.definition.schedule.is_some()).collect();
    let body = html! {
        (head("Settings", html! { "Of this workbench. Those of the server are under " a href="/settings" { "Settings of the server" } "." }, html! {}))
        (default_model(&visit, &bench, &models))
        (consent_section(&visit, &bench, &consents))
        (sent_section(&visit, &sent))
        section class="card" aria-labelledby="jobs-title" {
            h2 id="jobs-title" { (icon("clock")) "Jobs and schedules" }
            @if jobs.is_empty() { p class="muted" { "No job has run yet." } }
            ul class="journal" { @for job in &jobs { (job_row(&visit, job, false)) } }
            @if !scheduled.is_empty() {
                h3 { "Recipes that run by themselves" }
                ul { @for recipe in &scheduled { li {
                    a href={ "/w/" (bench.id()) "/recipes/" (super::super::query::encode(&recipe.definition.recipe)) } { (super::recipes::title(recipe)) }
                    " " code { (recipe.definition.schedule.as_deref().unwrap_or_default()) }
                    @if let Some(at) = recipe.next_run_at { span class="muted" { " next at " time datetime=(at) { (at.to_string().chars().take(16).collect::<String>().replace('T', " ")) } " UTC" } }
                } } }
            }
        }
        (upkeep::assets(&visit).await?)
        (upkeep::counts(&visit).await?)
        (itself(&visit, &bench))
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Settings, "Settings"), body))
}

fn default_model(visit: &Visit, bench: &Bench, models: &ModelListOutput) -> Markup {
    html! {
        section class="card" aria-labelledby="model-title" {
            h2 id="model-title" { (icon("cpu")) "Model" }
            p { @match &models.default { Some(model) => { "Calls that name no model use " strong { (model) } "." }, None => "No model is chosen: calls must name one." } }
            form class="form" method="post" action={ "/w/" (bench.id()) "/settings" } {
                div data-failures {}
                input type="hidden" name="act" value="model";
                div class="field" {
                    label for="model" { "Default model of this workbench" }
                    select id="model" name="model" {
                        option value="" { "The one in the settings of the server" }
                        @for model in models.models.iter().filter(|model| model.configured) { option value=(model.id) selected[models.default.as_deref() == Some(model.id.as_str())] { (model.id) } }
                    }
                }
                (button(visit.refusal::<ModelSetDefault>().as_deref(), "button", None, "Use this model"))
            }
        }
    }
}

const fn reach(reach: ConsentReach) -> &'static str {
    match reach {
        ConsentReach::Once => "once",
        ConsentReach::Kept => "while the files, items, entries and artifacts stay the same",
        ConsentReach::All => "always",
        ConsentReach::Secret => "one likely key",
    }
}

fn consent_section(visit: &Visit, bench: &Bench, consents: &[Consent]) -> Markup {
    let why = visit.refusal::<ConsentRevoke>();
    html! {
        section class="card" aria-labelledby="consent-title" {
            h2 id="consent-title" { (icon("shield")) "Consents" }
            p class="muted" { "Nothing of this workbench goes to a model unless somebody agreed. The question comes when it is needed." }
            @if consents.is_empty() { p { "Nobody has agreed to anything." } }
            ul class="journal" {
                @for consent in consents {
                    li {
                        div class="grow" {
                            p { strong { (consent.model_id) } " " (badge("", reach(consent.reach))) }
                            p class="muted" { (consent.host) " · by " (consent.granted_by) " · " (when(consent.granted_at, visit.now())) }
                        }
                        @match &why {
                            Some(why) => (blocked("button small", "Take back", why)),
                            None => (act_form(&format!("/w/{}/settings", bench.id()), &[("act", "revoke"), ("consent", &consent.id)], html! { button class="button small" { "Take back" span class="sr" { " for " (consent.model_id) } } })),
                        }
                    }
                }
            }
        }
    }
}

fn sent_section(visit: &Visit, sent: &EgressListOutput) -> Markup {
    html! {
        section class="card" aria-labelledby="sent-title" {
            h2 id="sent-title" { (icon("send")) "What was sent to models" }
            @if sent.events.is_empty() { p class="muted" { "Nothing has left this machine." } } @else {
                div class="table" role="region" aria-label="Calls to models" tabindex="0" {
                    table {
                        thead { tr { th { "When" } th { "What for" } th { "Model" } th class="number" { "Tokens in" } th class="number" { "Tokens out" } th { "Outcome" } } }
                        tbody { @for event in &sent.events { tr {
                            td { (when(event.at, visit.now())) } td { (event.purpose) } td { (event.model_id) }
                            td class="number" { (event.input_tokens.map(grouped).unwrap_or_default()) } td class="number" { (event.output_tokens.map(grouped).unwrap_or_default()) }
                            td { @if event.outcome == "sent" { (badge("good", "sent")) } @else { (badge("bad", &event.outcome)) } }
                        } } }
                    }
                }
                @if sent.total > sent.events.len() as u64 { p class="muted" { "The newest " (sent.events.len()) " of " (grouped(sent.total)) "." } }
            }
        }
    }
}

fn itself(visit: &Visit, bench: &Bench) -> Markup {
    let to = format!("/w/{}/settings", bench.id());
    html! {
        section class="card" aria-labelledby="itself-title" {
            h2 id="itself-title" { "The workbench itself" }
            form class="form" method="post" action=(to) {
                div data-failures {}
                input type="hidden" name="act" value="rename";
                div class="field" { label for="name" { "Name" } input id="name" name="name" required value=(bench.info.name) autocomplete="off"; }
                (button(visit.refusal::<WorkbenchRename>().as_deref(), "button", None, "Rename"))
            }
            form class="form" method="post" action=(to) data-busy="Copying…" {
                div data-failures {}
                input type="hidden" name="act" value="clone";
                div class="field" { label for="copy" { "Name of a copy, with all its history" } input id="copy" name="name" required placeholder={ (bench.info.name) ", a try" } autocomplete="off"; }
                (button(visit.refusal::<WorkbenchClone>().as_deref(), "button", Some("copy"), "Make a copy"))
            }
            details class="danger-zone" {
                summary { "Delete this workbench" }
                form class="form" method="post" action=(to) {
                    div data-failures {}
                    input type="hidden" name="act" value="delete";
                    p { "Its files, its background and its whole history go, and nothing brings them back." }
                    div class="field" { label for="confirm" { "Its id, to confirm: " code { (bench.id()) } } input id="confirm" name="confirm" required autocomplete="off" spellcheck="false"; }
                    (button(visit.refusal::<WorkbenchDelete>().as_deref(), "button danger", Some("trash-2"), "Delete for good"))
                }
            }
        }
    }
}

/// `POST /w/{id}/settings`.
pub(super) async fn act(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let mut to = format!("/w/{}/settings", visit.id());
    let words = match form.text("act") {
        "model" => match visit.on::<ModelSetDefault>(json!({ "model": form.given("model") })).await?.default {
            Some(model) => format!("Calls that name no model use {model}."),
            None => "No model is chosen any more.".to_owned(),
        },
        "revoke" => {
            visit.on::<ConsentRevoke>(json!({ "consent": form.text("consent") })).await?;
            "The consent is taken back.".to_owned()
        }
        "cancel-job" => {
            visit.on::<JobCancel>(json!({ "job_id": form.text("job") })).await?;
            "The job is stopped.".to_owned()
        }
        "sweep" => upkeep::sweep(&visit).await?,
        "rename" => format!(
            "It is called “{}” now.",
            visit.on::<WorkbenchRename>(json!({ "name": form.text("name").trim() })).await?.name
        ),
        "clone" => {
            let copy = visit.on::<WorkbenchClone>(json!({ "name": form.text("name").trim() })).await?;
            to = format!("/w/{}", copy.id);
            format!("“{}” is a copy with all its history. The two go separate ways from here.", copy.name)
        }
        "delete" => {
            let deleted = visit.on::<WorkbenchDelete>(json!({ "confirm": form.text("confirm").trim() })).await?;
            "/".clone_into(&mut to);
            format!("{} is deleted.", deleted.deleted)
        }
        _ => return Err(OpError::new(Code::InvalidRequest, "the form does not say what to do").into()),
    };
    Ok(answer::done(&to, &words))
}

/// `POST /w/{id}/consent`: the answer to a consent question.
pub(super) async fn consent(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let params =
        json!({ "model": form.text("model"), "reach": form.text("reach"), "scope_hash": form.given("scope_hash") });
    let model = visit.on::<ConsentGrant>(params).await?.consent.model_id;
    Ok(answer::done(&format!("/w/{}/settings", visit.id()), &format!("Consent given for {model}. Try again now.")))
}

/// `GET /settings`.
pub(super) async fn server(visit: Visit) -> Answer {
    let body = server_body(&visit, None).await?;
    Ok(layout::page(&visit, Shell::at("/settings", "Settings"), body))
}

async fn server_body(visit: &Visit, fresh: Option<&str>) -> Result<Markup, super::super::problem::Problem> {
    let models = visit.call::<ModelList>(json!({})).await?;
    let tokens = match visit.refusal::<TokenList>() {
        None => Ok(visit.call::<TokenList>(json!({})).await?.tokens),
        Some(why) => Err(why),
    };
    Ok(html! {
        (head("Settings", html! { "Of this server: its models, and who may come in." }, html! {}))
        @if let Some(secret) = fresh {
            section class="card fresh" aria-labelledby="fresh-title" {
                h2 id="fresh-title" { (icon("key-round")) "The new token" }
                p { "It is shown this once. Copy it now; only its hash is kept." }
                div class="field" { label for="fresh" { "Token" } input id="fresh" readonly value=(secret) data-select; }
            }
        }
        (model_table(&models))
        @match &tokens {
            Ok(tokens) => (token_section(visit, tokens)),
            Err(why) => section class="card" { h2 { "Tokens" } p class="muted" { (why) } },
        }
        (upkeep::store(visit))
    })
}

fn model_table(models: &ModelListOutput) -> Markup {
    let price =
        |model: &ModelInfo, what: &str| model.price.get(what).map(|price| format!("{price} $")).unwrap_or_default();
    html! {
        section class="card" aria-labelledby="models-title" {
            h2 id="models-title" { (icon("cpu")) "Models" }
            p class="muted" { "Keys come from the environment or " code { "jig.toml" } ", never from this page. Prices are in US dollars for a million tokens." }
            div class="table" role="region" aria-label="Models" tabindex="0" {
                table {
                    thead { tr { th { "Model" } th { "State" } th class="number" { "Window" } th class="number" { "In" } th class="number" { "Out" } } }
                    tbody { @for model in &models.models { tr {
                        td class="name" { (model.id) @if models.default.as_deref() == Some(model.id.as_str()) { " " (badge("info", "default")) } }
                        td { @if model.configured { (badge("good", "ready")) } @else { (badge("", "not set up")) @if let Some(missing) = &model.missing { " " span class="muted" { (prose(missing)) } } } }
                        td class="number" { (grouped(model.window)) } td class="number" { (price(model, "input")) } td class="number" { (price(model, "output")) }
                    } } }
                }
            }
        }
    }
}

fn token_section(visit: &Visit, tokens: &[TokenInfo]) -> Markup {
    let is_owner = |token: &TokenInfo| {
        token.role == TokenRole::Owner && token.kind == TokenKind::Person && token.workbench_id.is_none()
    };
    let has_owner = tokens.iter().any(is_owner);
    let role = |role| match role {
        TokenRole::Reader => "reader",
        TokenRole::Writer => "writer",
        TokenRole::Owner => "owner",
    };
    html! {
        section class="card" aria-labelledby="tokens-title" {
            h2 id="tokens-title" { (icon("key-round")) "Tokens" }
            @if tokens.is_empty() {
                (empty("key-round", "No tokens", html! { "The first token is your own, with the role owner. Then create tokens for other people and for programs. You stay signed in here." }))
            }
            ul class="journal" {
                @for token in tokens {
                    li {
                        div class="grow" {
                            p { strong { (token.name) } " " (badge("", role(token.role))) @if token.kind == TokenKind::Agent { " " (badge("", "agent")) } @if let Some(id) = &token.workbench_id { " " (badge("", id.as_str())) } }
                            p class="muted" { "made " (when(token.created_at, visit.now())) @if let Some(at) = token.last_used_at { " · last used " (when(at, visit.now())) } }
                        }
                        (act_form("/settings/tokens/revoke", &[("token", &token.id.to_string())], html! { button class="button small" { "Take back" span class="sr" { " the token of " (token.name) } } }))
                    }
                }
            }
            h3 { "Make a token" }
            form class="form" method="post" action="/settings/tokens" {
                div data-failures {}
                div class="field" { label for="token-name" { "Name" } input id="token-name" name="name" required autocomplete="off" placeholder="Ada"; }
                div class="field" {
                    label for="token-role" { "Role" }
                    select id="token-role" name="role" {
                        @if has_owner {
                            option value="reader" { "Reader: can view" }
                            option value="writer" { "Writer: can also change what can be undone" }
                        }
                        option value="owner" { "Owner: can do everything" }
                    }
                }
                @if has_owner {
                    div class="field" {
                        label for="token-kind" { "For" }
                        select id="token-kind" name="kind" {
                            option value="person" { "A person" }
                            option value="agent" { "An agent: proposes, never publishes" }
                        }
                    }
                }
                div class="field" { label for="token-only" { "Only this workbench (optional)" } input id="token-only" name="workbench_id" placeholder="board-deck" autocomplete="off" spellcheck="false"; }
                (button(visit.refusal::<TokenCreate>().as_deref(), "button", Some("key-round"), "Make token"))
            }
        }
    }
}

/// `POST /settings/tokens`: shows the secret in the response, because URLs and cookies must not contain it.
pub(super) async fn make_token(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let params = json!({
        "name": form.text("name").trim(), "role": form.text("role"), "kind": form.given("kind"),
        "workbench_id": form.given("workbench_id"),
    });
    let output = visit.call::<TokenCreate>(params).await?;
    // A user without a token or start token is signed in with their first one.
    let body = server_body(&visit, Some(&output.token)).await?;
    let mut response = layout::page(&visit, Shell::at("/settings", "Settings"), body);
    *response.status_mut() = StatusCode::CREATED;
    let own = output.info.role == TokenRole::Owner && output.info.workbench_id.is_none();
    let open = visit.app.options.open_loopback;
    if open && visit.name().is_none() && own && output.info.kind == TokenKind::Person {
        super::sign_in::keep(&visit, &mut response, &output.token);
    }
    Ok(response)
}

/// `POST /settings/tokens/revoke`.
pub(super) async fn revoke_token(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let info = visit.call::<TokenRevoke>(json!({ "token_id": form.text("token") })).await?.info;
    Ok(answer::done("/settings", &format!("The token of {} is taken back.", info.name)))
}
