//! Workbench: its files, adding and removing them, and searching in them.

use axum::body::Body;
use jig_contract::ops::{FileAdd, FileInfo, FileList, FileListOutput, FileRemove, FileSearch, FileSearchOutput, Root};
use maud::{Markup, html};
use serde_json::json;

use super::super::query::encode;
use super::form::Form;
use super::icons::icon;
use super::layout::{self, Shell, Tab};
use super::parts::{DRAFT_BLOCKS_FILES, act, badge, blocked, empty, head, more, note};
use super::units::{bytes, count, grouped};
use super::visit::{Bench, Visit};
use super::{Answer, answer};

/// The number of files per page.
const PAGE: u32 = 50;

/// How many search results are shown.
const HITS: u32 = 50;

/// The URL of a file's screen.
pub(super) fn link(id: &str, path: &str, root: Option<Root>) -> String {
    let root = root.map(|root| format!("?root={}", root.folder())).unwrap_or_default();
    format!("/w/{id}/file/{}{root}", steps(path))
}

/// A path, encoded for a URL.
pub(super) fn steps(path: &str) -> String {
    path.split('/').map(encode).collect::<Vec<_>>().join("/")
}

/// The root in a URL.
pub(super) fn asked_root(visit: &Visit) -> Option<Root> {
    match visit.query("root") {
        Some("published") => Some(Root::Published),
        Some("draft") => Some(Root::Draft),
        _ => None,
    }
}

/// `GET /w/{id}`.
pub(super) async fn show(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    // A link to a Draft that no longer exists shows the published file.
    let root = asked_root(&visit).filter(|root| *root == Root::Published || bench.draft.is_some());
    let found = match visit.query("q") {
        Some(text) => {
            let params = json!({ "query": text, "root": root, "max_results": HITS });
            Some((text.to_owned(), visit.on::<FileSearch>(params).await?))
        }
        None => None,
    };
    let params = json!({ "root": root, "limit": PAGE, "cursor": visit.query("cursor") });
    let list = visit.on::<FileList>(params).await?;
    let body = html! {
        (head(&bench.info.name, html! { (count(list.total, "file")) ", " (bytes(list.total_bytes)) }, html! {
            a class="button" href={ "/w/" (bench.id()) "/context" } { (icon("layers")) "Add Context" }
        }))
        (adding(&visit, &bench))
        @if list.total > 0 || found.is_some() { (search(&visit)) }
        @match &found {
            Some((text, hits)) => (hits_list(bench.id(), text, hits)),
            None => (listing(&visit, &bench, &list)),
        }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Files, "Files"), body))
}

fn adding(visit: &Visit, bench: &Bench) -> Markup {
    let why_not = if bench.draft.is_some() { Some(DRAFT_BLOCKS_FILES.to_owned()) } else { visit.refusal::<FileAdd>() };
    if let Some(why) = why_not {
        return html! { div class="drop off" { (blocked("button", "Add files", &why)) p class="muted" { (why) } } };
    }
    html! {
        form class="drop" method="post" action={ "/w/" (bench.id()) "/files" } enctype="multipart/form-data" data-drop
            data-busy="Adding files…" {
            div data-failures {}
            (icon("upload"))
            div class="grow" {
                label for="files" { strong { "Drop files here" } ", or choose them:" }
                input id="files" name="files" type="file" multiple required;
                label class="choice" { input type="checkbox" name="replace" value="true"; span { "Replace files that have the same name" } }
            }
            button class="button primary" { "Add files" }
        }
    }
}

fn search(visit: &Visit) -> Markup {
    html! {
        form class="search" method="get" role="search" {
            label for="q" { "Find a text in the files" }
            input id="q" name="q" type="search" value=(visit.query("q").unwrap_or_default());
            @if let Some(root) = asked_root(visit) { input type="hidden" name="root" value=(root.folder()); }
            button class="button" { (icon("search")) "Find" }
        }
    }
}

fn hits_list(id: &str, text: &str, found: &FileSearchOutput) -> Markup {
    html! {
        h2 { "“" (text) "” in the files" }
        p { a href={ "/w/" (id) } { (icon("arrow-left")) "All files" } }
        @if found.hits.is_empty() { (empty("search", "Not found", html! { "No file has this text." })) }
        ul class="hits" {
            @for hit in &found.hits {
                li {
                    a href=(link(id, hit.path.as_str(), None)) { (hit.path.as_str()) }
                    " " span class="muted" { (place(&hit.at)) }
                    p { (hit.snippet) }
                }
            }
        }
        @if found.more { (note("", html! { "There are more hits; the first " (HITS) " are shown." })) }
        @if !found.skipped.is_empty() {
            (note("warn", html! { "Not searched: " @for one in found.skipped.iter().take(20) { (one.path) " (" (one.reason) ") " } }))
        }
    }
}

fn place(at: &serde_json::Map<String, serde_json::Value>) -> String {
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    at.iter().map(|(name, value)| format!("{} {}", name.replace('_', " "), text(value))).collect::<Vec<_>>().join(", ")
}

fn listing(visit: &Visit, bench: &Bench, list: &FileListOutput) -> Markup {
    let id = bench.id();
    if list.total == 0 {
        return empty(
            "folder-open",
            "No files yet",
            html! {
                p { "Word, Excel, PowerPoint, PDF, csv, text and pictures are read part by part; anything else is kept as it is." }
                p { "Agents read these files and write to a Draft, never to the files themselves." }
            },
        );
    }
    let why_not =
        if bench.draft.is_some() { Some(DRAFT_BLOCKS_FILES.to_owned()) } else { visit.refusal::<FileRemove>() };
    html! {
        @if bench.draft.is_some() { (roots(id, list.root)) }
        div class="table" role="region" aria-label="Files" tabindex="0" {
            table {
                thead { tr { th { "Name" } th { "Kind" } th class="number" { "Size" } th { span class="sr" { "Actions" } } } }
                tbody { @for file in &list.files { (row(id, list.root, file, why_not.as_deref())) } }
            }
        }
        @if !list.left_alone.is_empty() {
            (note("warn", html! {
                "In the folder and not taken in: "
                @for one in list.left_alone.iter().take(20) { br; (one.path) ": " (one.reason) }
            }))
        }
        @let next = list.cursor.as_ref().map(|cursor| format!("/w/{id}?root={}&cursor={}", list.root.folder(), encode(cursor)));
        @if next.is_some() { p class="muted" { (list.files.len()) " of " (grouped(list.total)) " files" } }
        (more(next, "More files"))
    }
}

fn roots(id: &str, here: Root) -> Markup {
    html! {
        nav class="switch" aria-label="Which files" {
            @for (root, words) in [(Root::Draft, "In the Draft"), (Root::Published, "Published")] {
                a href={ "/w/" (id) "?root=" (root.folder()) } aria-current=[(root == here).then_some("true")] { (words) }
            }
        }
    }
}

fn row(id: &str, root: Root, file: &FileInfo, why_not: Option<&str>) -> Markup {
    let (path, hash) = (file.path.as_str(), file.hash.to_string());
    html! {
        tr {
            td class="name" {
                (icon(drawing(&file.kind))) a href=(link(id, path, Some(root))) { bdi { (path) } }
                @if let Some(mismatch) = &file.mismatch { " " span title=(mismatch) { (badge("warn", "name and content differ")) } }
            }
            td { (file.kind) }
            td class="number" { (bytes(file.bytes)) }
            td class="end" {
                @if root == Root::Published {
                    @match why_not {
                        Some(why) => (blocked("button small icon-only", "Remove", why)),
                        None => (act(&format!("/w/{id}/files/remove"), &[("path", path), ("base_hash", &hash)], html! {
                            button class="button small" { (icon("trash-2")) span { "Remove" span class="sr" { " " (path) } } }
                        })),
                    }
                }
            }
        }
    }
}

/// The icon for a kind of file.
pub(super) fn drawing(kind: &str) -> &'static str {
    match kind {
        "xlsx" | "csv" | "tsv" => "file-spreadsheet",
        "docx" | "odt" | "text" | "markdown" => "file-text",
        "pptx" => "presentation",
        "pdf" => "file-type",
        "png" | "jpeg" | "gif" | "webp" | "svg" | "image" => "image",
        _ => "file",
    }
}

/// `POST /w/{id}/files`.
pub(super) async fn add(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let params = json!({ "paths": form.files.tops("files"), "replace": form.text("replace") == "true" });
    let added = visit.on::<FileAdd>(params).await?;
    let parts =
        [(added.added.len(), "added"), (added.replaced.len(), "replaced"), (added.unchanged.len(), "there already")];
    let parts: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{} {word}", count(*n as u64, "file"))).collect();
    let mut words = format!("{}.", parts.join(", "));
    let skipped = added.skipped.iter().map(|one| format!("{} ({})", one.count, one.reason)).collect::<Vec<_>>();
    if !skipped.is_empty() {
        words += &format!(" Skipped {}.", skipped.join(", "));
    }
    let secrets = added.secrets.iter().map(|one| match &one.place {
        Some(place) => format!("{} in {}, {place}", one.kind, one.source),
        None => format!("{} in {}, line {}", one.kind, one.source, one.line),
    });
    let secrets: Vec<String> = secrets.take(5).collect();
    if !secrets.is_empty() {
        words += &format!(" Likely keys found: {}. Requests with them are not sent.", secrets.join("; "));
    }
    let unsearched = added.unsearched.iter().map(|one| format!("{} ({})", one.count, one.reason)).collect::<Vec<_>>();
    if !unsearched.is_empty() {
        words += &format!(" Not searched for keys: {}.", unsearched.join(", "));
    }
    Ok(answer::done(&format!("/w/{}", visit.id()), &words))
}

/// `POST /w/{id}/files/remove`.
pub(super) async fn remove(visit: Visit, body: Body) -> Answer {
    let form = Form::read(&visit, body).await?;
    let path = form.text("path").to_owned();
    visit.on::<FileRemove>(json!({ "paths": [path], "base_hash": form.given("base_hash") })).await?;
    Ok(answer::done(
        &format!("/w/{}", visit.id()),
        &format!("{path} is removed. History keeps it: undo brings it back."),
    ))
}
