//! Agent: versions of agent workspaces, and agent sessions.

use axum::body::Body;
use jig_contract::ops::{
    AgentChange, AgentProblem, AgentVersion, AgentWorkspaceCommit, AgentWorkspaceDiff, AgentWorkspaceHistory,
    AgentWorkspaceList, AgentWorkspaceRead, AgentWorkspaceResolve, AgentWorkspaceResolveOutput, AgentWorkspaceUpgrade,
    SessionInfo, SessionList,
};
use jig_contract::{Code, OpError};
use maud::{Markup, html};
use serde_json::json;

use super::super::problem::Problem;
use super::super::query::encode;
use super::failure::panel;
use super::form::{self, Form};
use super::icons::icon;
use super::layout::{self, Shell, Tab};
use super::parts::{act as act_form, badge, blocked, button, empty, head, long_text, more, note, warnings};
use super::units::{bytes, count, grouped, when, who};
use super::visit::{Bench, Visit};
use super::workshop::status;
use super::{Answer, answer};

/// How many sessions and versions are listed.
const LISTED: u32 = 30;

/// How many bytes of a file are shown.
const FILE_BYTES: usize = 256 << 10;

/// `GET /w/{id}/agent`.
pub(super) async fn show(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let workspaces = visit.on::<AgentWorkspaceList>(json!({})).await?.workspaces;
    let sessions =
        visit.on::<SessionList>(json!({ "limit": LISTED, "cursor": visit.query("cursor"), "recipes": true })).await?;
    let id = bench.id();
    let next = sessions.cursor.as_ref().map(|cursor| format!("/w/{id}/agent?cursor={}#sessions", encode(cursor)));
    let own = workspaces.iter().any(|version| version.name == "own");
    let words = if own { "Take over what is new in Jig's" } else { "Begin one of your own" };
    let upgrade = match visit.refusal::<AgentWorkspaceUpgrade>() {
        Some(why) => blocked("button", words, &why),
        None => act_form(
            &format!("/w/{id}/agent"),
            &[("act", "upgrade")],
            html! { button class="button" { (icon("copy")) (words) } },
        ),
    };
    let body = html! {
        (head("Agent", html! { "What agents are told and which tools they see: content, in versions, adopted only when you say so. What they may do is never decided here." }, upgrade))
        section aria-labelledby="workspaces-title" {
            h2 id="workspaces-title" { "Agent workspaces" }
            ul class="cards plain" { @for version in &workspaces { (workspace_card(&visit, &bench, version)) } }
        }
        section aria-labelledby="sessions" {
            h2 id="sessions" { "Sessions" }
            @if sessions.sessions.is_empty() {
                (empty("messages-square", "No agent has worked here yet", html! { p { "Each conversation in the " a href={ "/w/" (id) "/workshop" } { "Workshop" } " is a session: everything that happened in it is kept, step by step." } }))
            } @else { (session_table(&visit, &bench, &sessions.sessions)) }
            (more(next, "Older sessions"))
        }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Agent, "Agent"), body))
}

fn workspace_card(visit: &Visit, bench: &Bench, version: &AgentVersion) -> Markup {
    let about = match version.name.as_str() {
        "own" => "This workbench's own.",
        "jig" => "Comes with Jig.",
        _ => "Shared by all workbenches.",
    };
    html! {
        li class="card link" {
            h2 { a href={ "/w/" (bench.id()) "/agent/workspace/" (encode(&version.name)) } { bdi { (version.name) } } }
            p class="muted" { (about) }
            p class="fine" {
                code { (version.reference) }
                @if !version.message.is_empty() { " · " (version.message) }
                @if let Some(actor) = &version.actor { " · " (who(actor)) }
                @if let Some(at) = version.at { " · " (when(at, visit.now())) }
            }
        }
    }
}

fn session_table(visit: &Visit, bench: &Bench, sessions: &[SessionInfo]) -> Markup {
    html! {
        div class="table" role="region" aria-label="Sessions" tabindex="0" {
            table {
                thead { tr { th { "Session" } th { "State" } th class="number" { "Records" } th { "Changed" } } }
                tbody {
                    @for session in sessions {
                        tr {
                            td class="name" { a href={ "/w/" (bench.id()) "/agent/session/" (session.id) } { bdi { @if session.title.is_empty() { (session.id) } @else { (session.title) } } } }
                            td { (status(session)) }
                            td class="number" { (grouped(session.records)) }
                            td { (when(session.updated_at, visit.now())) }
                        }
                    }
                }
            }
        }
    }
}

/// `GET /w/{id}/agent/workspace/{name}`: with `at` an older version, with `from` a diff, with `file` a single file.
pub(super) async fn workspace(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let name = visit.part("name").to_owned();
    let reference = match visit.query("at") {
        Some(version) => format!("{name}@{version}"),
        None => name.clone(),
    };
    let resolved = visit.on::<AgentWorkspaceResolve>(json!({ "reference": reference })).await?;
    let versions = visit.on::<AgentWorkspaceHistory>(json!({ "name": name, "limit": LISTED })).await?.versions;
    let body = html! {
        p class="crumbs" { a href={ "/w/" (bench.id()) "/agent" } { (icon("arrow-left")) "Agent" } }
        (head(&resolved.version.reference, html! {
            (count(resolved.files.len() as u64, "file")) " · " code { (short_hash(&resolved.version.root)) }
            @if !resolved.version.message.is_empty() { " · " (resolved.version.message) }
        }, html! {}))
        (problems(&resolved.problems))
        (warnings(&resolved.warnings))
        @if let Some(from) = visit.query("from") { (difference(&visit, from, &reference).await) }
        @if let Some(path) = visit.query("file") { (one_file(&visit, &resolved, path, &versions).await?) }
        div class="split" {
            (holds(&resolved))
            div {
                (files(&visit, &bench, &resolved))
                (history(&visit, &bench, &name, &resolved, &versions))
            }
        }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Agent, &reference), body))
}

/// A prefix of a hash that is long enough to identify it.
pub(super) fn short_hash(hash: &impl ToString) -> String {
    hash.to_string().chars().take(12).collect()
}

/// The errors that a sync would report.
pub(super) fn problems(all: &[AgentProblem]) -> Markup {
    html! {
        @if !all.is_empty() {
            (note("bad", html! {
                p { "A sync refuses it until this is mended; sessions go on with what they have." }
                ul { @for problem in all { li { code { (problem.file) @if !problem.pointer.is_empty() { " " (problem.pointer) } } " " (problem.message) } } }
            }))
        }
    }
}

fn holds(resolved: &AgentWorkspaceResolveOutput) -> Markup {
    html! {
        section class="card" aria-labelledby="packs-title" {
            h2 id="packs-title" { (icon("package")) "Prompt packs" }
            @if resolved.packs.is_empty() { p class="muted" { "None." } }
            ul { @for pack in &resolved.packs { li { code { (pack) } } } }
            h2 { (icon("list-checks")) "Tool catalogs" }
            @if resolved.catalogs.is_empty() { p class="muted" { "None." } }
            @for catalog in &resolved.catalogs {
                h3 { (catalog.id) " " span class="muted" { (count(catalog.tools.len() as u64, "tool")) } }
                ul class="tools" { @for tool in &catalog.tools { li { code { (tool) } @if resolved.unbound.contains(tool) { " " (badge("warn", "nothing stands behind it")) } } } }
            }
        }
    }
}

fn files(visit: &Visit, bench: &Bench, resolved: &AgentWorkspaceResolveOutput) -> Markup {
    let version = &resolved.version;
    let base = format!("/w/{}/agent/workspace/{}", bench.id(), encode(&version.name));
    html! {
        section class="card" aria-labelledby="files-title" {
            h2 id="files-title" { (icon("folder-open")) "Files" }
            ul class="tools" {
                @for file in &resolved.files {
                    li { a href={ (base) "?at=" (version.version) "&file=" (encode(&file.path)) "#file" } aria-current=[(visit.query("file") == Some(&file.path)).then_some("true")] { bdi { (file.path) } } " " span class="muted" { (bytes(file.bytes)) } }
                }
            }
            @if version.name != "jig" { (write_form(visit, resolved, "", "")) } @else { p class="fine" { "It comes with Jig and is not changed. Begin one of your own to change it." } }
        }
    }
}

/// The form for a new or existing file of a workspace.
fn write_form(visit: &Visit, resolved: &AgentWorkspaceResolveOutput, path: &str, text: &str) -> Markup {
    let version = &resolved.version;
    let (mark, rows) = if path.is_empty() { ("new", 4) } else { ("file", 20) };
    let inner = html! {
        form class="form" method="post" action={ "/w/" (visit.id()) "/agent" } {
            div data-failures {}
            input type="hidden" name="act" value="write";
            input type="hidden" name="name" value=(version.name);
            input type="hidden" name="head" value=(version.root);
            div class="field" { label for={ (mark) "-path" } { "Path" } input id={ (mark) "-path" } name="path" required autocomplete="off" spellcheck="false" value=(path) readonly[!path.is_empty()] placeholder="context/docs/rules.md"; }
            div class="field wide" { label for={ (mark) "-text" } { "Text" } textarea class="code" id={ (mark) "-text" } name="text" rows=(rows) spellcheck="false" { "\n" (text) } }
            div class="field" { label for={ (mark) "-message" } { "What it is for (optional)" } input id={ (mark) "-message" } name="message" maxlength="500" autocomplete="off"; }
            (button(visit.refusal::<AgentWorkspaceCommit>().as_deref(), "button", None, "Save as a new version"))
        }
    };
    html! { @if path.is_empty() { details class="talk" { summary { (icon("plus")) "Add a file" } (inner) } } @else { (inner) } }
}

async fn one_file(
    visit: &Visit,
    resolved: &AgentWorkspaceResolveOutput,
    path: &str,
    versions: &[AgentVersion],
) -> Result<Markup, Problem> {
    let version = &resolved.version;
    let reference = format!("{}/{path}", version.reference);
    let read = visit.on::<AgentWorkspaceRead>(json!({ "reference": reference })).await?;
    let newest = versions.first().is_none_or(|newest| newest.root == version.root);
    Ok(html! {
        section class="card" id="file" aria-labelledby="file-title" {
            h2 id="file-title" { (icon("file-text")) bdi { (path) } }
            @match &read.file.text {
                Some(text) if version.name != "jig" && newest && text.len() <= FILE_BYTES => (write_form(visit, resolved, path, text)),
                Some(text) => (long_text(text, FILE_BYTES)),
                None => p class="muted" { "This file is not text." },
            }
        }
    })
}

fn history(
    visit: &Visit,
    bench: &Bench,
    name: &str,
    resolved: &AgentWorkspaceResolveOutput,
    versions: &[AgentVersion],
) -> Markup {
    let base = format!("/w/{}/agent/workspace/{}", bench.id(), encode(name));
    html! {
        section class="card" aria-labelledby="versions-title" {
            h2 id="versions-title" { (icon("history")) "Versions" }
            ol class="journal" reversed {
                @for version in versions {
                    li {
                        div class="grow" {
                            p { a href={ (base) "?at=" (version.version) } { (version.reference) } " " @if version.root == resolved.version.root { (badge("info", "shown")) } }
                            p class="muted" {
                                @if version.message.is_empty() { "saved" } @else { (version.message) }
                                @if let Some(actor) = &version.actor { " · " (who(actor)) }
                                @if let Some(at) = version.at { " · " (when(at, visit.now())) }
                            }
                        }
                        @if version.root != resolved.version.root { a class="button small" href={ (base) "?at=" (resolved.version.version) "&from=" (encode(&version.reference)) "#diff" } { "Compare" span class="sr" { " with " (version.reference) } } }
                    }
                }
            }
            @if name != "jig" { p { a href={ (base) "?from=jig#diff" } { "Compare with the one that comes with Jig" } } }
        }
    }
}

/// The diff of two versions, or the error if they cannot be compared.
pub(super) async fn difference(visit: &Visit, from: &str, to: &str) -> Markup {
    let found = visit.on::<AgentWorkspaceDiff>(json!({ "from": from, "to": to })).await;
    html! {
        section class="card" id="diff" aria-labelledby="diff-title" {
            h2 id="diff-title" { "From " code { (from) } " to " code { (to) } }
            @match &found {
                Err(problem) => (panel(&problem.error.info, Some(visit.id()))),
                Ok(found) if found.changes.is_empty() => p class="muted" { "They hold the same." },
                Ok(found) => (changes(&found.changes)),
            }
        }
    }
}

/// The changed files.
fn changes(all: &[AgentChange]) -> Markup {
    const LINES: usize = 300;
    html! {
        @for change in all {
            article class="diff" aria-label=(change.path) {
                header { span { bdi { (change.path) } " " @match change.kind.as_str() { "added" => (badge("good", "added")), "removed" => (badge("bad", "removed")), "conflict" => (badge("bad", "conflict")), other => (badge("info", other)) } } }
                @if let Some(diff) = &change.diff {
                    div class="lines" role="region" aria-label={ "Lines of " (change.path) } tabindex="0" {
                        @for line in diff.lines().filter(|line| !line.starts_with("@@")).take(LINES) {
                            @let (class, sign) = match line.as_bytes().first() { Some(b'+') => ("ins", "+"), Some(b'-') => ("del", "−"), _ => ("same", " ") };
                            div class={ "line " (class) } { span class="sign" { (sign) } bdi class="content" { (line.get(1..).unwrap_or_default()) } }
                        }
                        @if diff.lines().count() > LINES { div class="line same" { span class="muted" { "… and more" } } }
                    }
                }
            }
        }
    }
}

/// `POST /w/{id}/agent`.
pub(super) async fn act(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let base = format!("/w/{}/agent/workspace", visit.id());
    match form.text("act") {
        "upgrade" => {
            let output = visit.on::<AgentWorkspaceUpgrade>(json!({})).await?;
            let conflicts = output.changes.iter().filter(|change| change.kind == "conflict").count() as u64;
            let words = match (output.saved, conflicts) {
                (false, 0) => "Nothing is new.".to_owned(),
                (_, 0) => format!(
                    "{} taken over. Sessions go on as they are until a sync and an apply.",
                    count(output.changes.len() as u64, "file")
                ),
                (_, _) => format!("{} both changed by you and new in Jig: yours stay.", count(conflicts, "file")),
            };
            Ok(answer::done(&format!("{base}/own"), &words))
        }
        "write" => {
            let name = form.text("name");
            let params = json!({
                "name": name, "files": [{ "path": form.text("path").trim(), "text": form::lines(form.text("text")) }],
                "expected_head": form.given("head"), "message": form.given("message"),
            });
            let output = visit.on::<AgentWorkspaceCommit>(params).await?;
            let words = match (&output.version, output.saved) {
                (Some(version), true) => format!(
                    "{} is the newest version now. Sessions go on as they are until a sync and an apply.",
                    version.reference
                ),
                _ => "Nothing is different.".to_owned(),
            };
            Ok(answer::done(&format!("{base}/{}", encode(name)), &words))
        }
        _ => Err(OpError::new(Code::InvalidRequest, "the form does not say what to do").into()),
    }
}
