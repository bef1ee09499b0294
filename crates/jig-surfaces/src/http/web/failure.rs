//! Renders errors in their own words, with possible actions.

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Response, StatusCode};
use jig_contract::ops::{EgressScope, LikelySecret};
use jig_contract::{Code, ErrorInfo};
use maud::{Markup, html};
use serde_json::Value;

use super::super::problem::Problem;
use super::icons::icon;
use super::layout::{self, Shell};
use super::parts::{long_text, prose};
use super::units::count;
use super::{answer, sign_in, wants_page};

/// How many bytes of a newer version are shown.
const NEWER_BYTES: usize = 16 << 10;

/// A request refused by the gate, for a browser: the sign-in form or the reason.
pub(in super::super) fn refused(parts: &Parts, problem: Problem) -> Response<Body> {
    let reads = matches!(parts.method.as_str(), "GET" | "HEAD");
    if problem.status == StatusCode::UNAUTHORIZED && reads {
        let address = parts.uri.path_and_query().map_or("/", |address| address.as_str());
        return sign_in::ask(address);
    }
    page(parts, problem)
}

/// An error as a page of its own. The script only uses the panel.
pub(super) fn page(parts: &Parts, problem: Problem) -> Response<Body> {
    if !wants_page(&parts.headers) {
        return axum::response::IntoResponse::into_response(problem);
    }
    let info = &problem.error.info;
    let back = back(&parts.headers);
    let id = info.workbench_id.as_ref().map(|id| id.as_str().to_owned()).or_else(|| named(parts.uri.path()));
    let body = html! {
        div class="narrow" {
            (panel(info, id.as_deref()))
            p { a class="button" href=(back) { (icon("arrow-left")) "Back" } }
        }
    };
    let shell = Shell::plain(if problem.status == StatusCode::NOT_FOUND { "Not found" } else { "That did not work" });
    let mut response = answer::html(problem.status, layout::bare(&parts.headers, &shell, body));
    for (name, value) in &problem.headers {
        response.headers_mut().append(name.clone(), value.clone());
    }
    response
}

/// The page that the visitor comes from, if it belongs to the web app.
fn back(headers: &HeaderMap) -> String {
    let referer = headers.get("referer").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let path = referer.split_once("://").and_then(|(_, rest)| rest.find('/').map(|at| &rest[at..])).unwrap_or("/");
    answer::own(path).to_owned()
}

/// The workbench in a path.
fn named(path: &str) -> Option<String> {
    let id = path.strip_prefix("/w/")?.split('/').next()?;
    jig_contract::WorkbenchId::new(id).ok().map(|id| id.as_str().to_owned())
}

/// The error and what to do about it.
pub(super) fn panel(info: &ErrorInfo, id: Option<&str>) -> Markup {
    if info.error_code == Code::EgressConsentRequired
        && let (Some(id), Some(scope)) = (id, scope(info))
    {
        return consent(id, &scope, info);
    }
    if info.error_code == Code::SecretDetected
        && let (Some(id), Some((receiver, secrets))) = (id, secrets(info))
    {
        return allow_secret(id, &receiver, &secrets, info);
    }
    html! {
        section class="failure" id="failure" role="alert" tabindex="-1" data-code=(info.error_code.as_str()) {
            (icon("circle-alert"))
            div {
                h2 { (prose(&sentence(&info.message))) }
                @let fields = fields(info.detail.as_ref());
                @if !fields.is_empty() {
                    ul { @for (field, message) in &fields { li data-field=(field) { strong { (field) } ": " (message) } } }
                }
                @if !info.hints.is_empty() {
                    ul class="hints" { @for hint in &info.hints { li { (prose(&sentence(hint))) } } }
                }
                @if !info.suggestions.is_empty() { p { "Did you mean: " (info.suggestions.join(", ")) } }
                (newer(info.detail.as_ref()))
                (actions(info, id))
                p class="fine" {
                    code { (info.error_code.as_str()) }
                    @if info.retryable { " · trying again may help" }
                    @if let Some(model) = &info.model_id { " · " (model) }
                }
            }
        }
    }
}

/// Links for the possible actions.
fn actions(info: &ErrorInfo, id: Option<&str>) -> Markup {
    let Some(id) = id else { return html! {} };
    let mut links: Vec<(String, &str)> = Vec::new();
    for action in &info.actions {
        match action.as_str() {
            "review" => links.push((format!("/w/{id}/review"), "Review the Draft")),
            "discard" => links.push((format!("/w/{id}/discard"), "Discard the Draft")),
            "publish" => links.push((format!("/w/{id}/publish"), "Publish the Draft")),
            _ => {}
        }
    }
    let provider =
        matches!(info.error_code, Code::ProviderNotConfigured | Code::ProviderAuthFailed | Code::EgressBlockedByPolicy);
    if provider {
        links.push((format!("/w/{id}/settings"), "Go to Settings"));
    }
    html! {
        @if !links.is_empty() {
            p class="actions" { @for (to, words) in &links { a class="button small" href=(to) { (words) } } }
        }
    }
}

fn scope(info: &ErrorInfo) -> Option<EgressScope> {
    serde_json::from_value(info.detail.as_ref()?.get("scope")?.clone()).ok()
}

/// The likely keys that stopped a call, and its receiver.
fn secrets(info: &ErrorInfo) -> Option<(String, Vec<LikelySecret>)> {
    let detail = info.detail.as_ref()?;
    let secrets: Vec<LikelySecret> = serde_json::from_value(detail.get("secrets")?.clone()).ok()?;
    let receiver = detail.get("receiver")?.as_str()?.to_owned();
    (!secrets.is_empty()).then_some((receiver, secrets))
}

/// The locations of likely keys, and the question whether the first may be sent anyway.
fn allow_secret(id: &str, receiver: &str, secrets: &[LikelySecret], info: &ErrorInfo) -> Markup {
    html! {
        section class="question" id="failure" data-consent data-code=(info.error_code.as_str()) tabindex="-1" {
            h2 { "Likely key found. Nothing was sent" }
            ul { @for one in secrets.iter().take(20) { li { strong { (one.kind) } " in " (one.source) ", line " (one.line) } } }
            p { "Remove the key or replace it with a placeholder. Revoke a key that was shared." }
            @if let Some(first) = secrets.first() {
                form method="post" action={ "/w/" (id) "/consent" } data-then-again {
                    input type="hidden" name="model" value=(receiver);
                    input type="hidden" name="scope_hash" value=(first.fingerprint);
                    input type="hidden" name="reach" value="secret";
                    div class="actions" {
                        button class="button primary" type="button" data-close { "Do not send" }
                        button class="button" { "Send " (first.kind) " to " (receiver) " anyway" }
                    }
                }
            }
        }
    }
}

/// The question whether content may be sent to a model. The script shows it as a dialog and then resubmits the form.
fn consent(id: &str, scope: &EgressScope, info: &ErrorInfo) -> Markup {
    let list = |title: &str, names: &[String]| {
        let shown: Vec<&String> = names.iter().take(20).collect();
        html! {
            @if !names.is_empty() {
                dt { (title) " (" (names.len()) ")" }
                dd { ul { @for name in &shown { li { (name) } } @if names.len() > shown.len() { li { "… and " (names.len() - shown.len()) " more" } } } }
            }
        }
    };
    html! {
        section class="question" id="failure" data-consent data-code=(info.error_code.as_str()) tabindex="-1" {
            h2 { "May this be sent to " (scope.model_id) "?" }
            p { "It goes to " strong { (scope.host) } ". Nothing has been sent yet." }
            dl class="scope" {
                @if let Some(input) = &scope.input { dt { "Your input" } dd { (input) } }
                (list("Files", &scope.files))
                (list("Context items", &scope.items))
                (list("Entries", &scope.entries))
                (list("Artifacts", &scope.artifacts))
                (list("Agent documents", &scope.documents))
                (list("Images", &scope.images))
                (list("Also part of the request", &scope.sources))
                @if let Some(readable) = &scope.readable {
                    dt { "What the agent can read while it works" }
                    dd { (count(readable.files.len() as u64, "file")) ", and all entries and artifacts" }
                }
            }
            form method="post" action={ "/w/" (id) "/consent" } data-then-again {
                input type="hidden" name="model" value=(scope.model_id);
                input type="hidden" name="scope_hash" value=(scope.hash);
                fieldset {
                    legend { "How far does this go?" }
                    label class="choice" { input type="radio" name="reach" value="once" checked; span { "Only this once" } }
                    label class="choice" { input type="radio" name="reach" value="kept"; span { "While the files, items, entries and artifacts stay the same" } }
                    label class="choice" { input type="radio" name="reach" value="all"; span { "Always, whatever is added later" } }
                }
                div class="actions" {
                    button class="button primary" { "Agree and send" }
                    button class="button" type="button" data-close { "Cancel" }
                }
            }
        }
    }
}

/// What another user saved in the meantime, to compare with the input.
fn newer(detail: Option<&Value>) -> Markup {
    let Some(detail) = detail else { return html! {} };
    let mut texts: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, value: &Value| match value {
        Value::Null => {}
        Value::String(text) => texts.push((name.to_owned(), text.clone())),
        other => texts.push((name.to_owned(), format!("{other:#}"))),
    };
    match detail.get("newer") {
        Some(Value::Array(files)) => {
            files.iter().for_each(|file| add(file["path"].as_str().unwrap_or_default(), &file["content"]));
        }
        Some(Value::Object(members)) => members.iter().for_each(|(name, value)| add(name, value)),
        _ if detail.get("base_revision").is_some() => {
            detail.get("content").into_iter().for_each(|text| add("content", text));
            detail.pointer("/newer_revision/data").into_iter().for_each(|data| add("fields", data));
        }
        _ => {}
    }
    html! {
        @if !texts.is_empty() {
            details open { summary { "Newer version" } @for (name, text) in &texts { h3 { code { (name) } } (long_text(text, NEWER_BYTES)) } }
        }
    }
}

/// Errors of single fields.
fn fields(detail: Option<&Value>) -> Vec<(String, String)> {
    let Some(detail) = detail else { return Vec::new() };
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match detail.get("fields").or_else(|| detail.get("errors")) {
        Some(Value::Object(fields)) => fields.iter().map(|(field, said)| (field.clone(), text(said))).collect(),
        Some(Value::Array(all)) => all
            .iter()
            .map(|one| match (one.get("field"), one.get("message")) {
                (Some(field), Some(message)) => (text(field), text(message)),
                _ => ("·".to_owned(), text(one)),
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// A message as a sentence, with an initial capital and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return String::new() };
    // A backtick span at the start keeps its case.
    let mut sentence: String = first.to_uppercase().chain(letters).collect();
    if !sentence.ends_with(['.', '!', '?', ':', '…', '”', '`', ')']) {
        sentence.push('.');
    }
    sentence
}
