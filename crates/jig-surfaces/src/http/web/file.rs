//! A file: its properties, map, rendered pages and text.

use jig_contract::ops::{FileGetInfo, FileGetInfoOutput, FileGetMap, FileRead, FileReadOutput, Root};
use maud::{Markup, html};
use serde_json::json;

use super::super::problem::Problem;
use super::super::query::encode;
use super::Answer;
use super::failure::panel;
use super::files::{asked_root, drawing, link, steps};
use super::icons::icon;
use super::layout::{self, Shell, Tab};
use super::maps;
use super::parts::{badge, head, long_text, note, warnings};
use super::tables;
use super::units::{bytes, count};
use super::visit::{Bench, Visit};

/// A larger file is only mapped on request, because that may take a while.
const MAPPED_BYTES: u64 = 4 << 20;

/// How many tokens of a text are shown at once.
const TOKENS: u64 = 3_000;

/// How many bytes of a part are shown.
const DRAWN_BYTES: usize = 64 << 10;

/// `GET /w/{id}/file/{*path}`.
pub(super) async fn show(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let path = visit.part("path").to_owned();
    let root = asked_root(&visit).filter(|root| *root == Root::Published || bench.draft.is_some());
    let info = visit.on::<FileGetInfo>(json!({ "path": path, "root": root })).await?;
    let here = root.unwrap_or(if bench.draft.is_some() { Root::Draft } else { Root::Published });
    let map = if info.file.bytes <= MAPPED_BYTES || visit.query("map").is_some() {
        Some(visit.on::<FileGetMap>(json!({ "path": path, "root": root })).await)
    } else {
        None
    };
    let id = bench.id();
    let name = path.rsplit('/').next().unwrap_or_default();
    let body = html! {
        p class="crumbs" { a href={ "/w/" (id) "?root=" (here.folder()) } { (icon("arrow-left")) "Files" } }
        (head(name, facts(&info), html! {
            a class="button" href={ "/api/workbenches/" (id) "/files/" (steps(&path)) "?root=" (here.folder()) } download { (icon("download")) "Download" }
        }))
        @if let Some(mismatch) = &info.file.mismatch { (note("warn", html! { (mismatch) })) }
        @if let Some(problem) = &info.problem { (note("bad", html! { (problem) })) }
        div class="split" {
            section aria-labelledby="map-title" {
                h2 id="map-title" { "Map" }
                @match &map {
                    Some(Ok(map)) => (maps::draw(map, &link(id, &path, Some(here)))),
                    Some(Err(problem)) => (panel(&problem.error.info, Some(id))),
                    None => p { "This file is large: its map may take a moment. " a href={ (link(id, &path, Some(here))) "&map=1" } { "Show the map" } },
                }
            }
            (preview(&visit, &bench, &info, here))
        }
        (tables::section(&visit, &info.file, here).await)
        (text(&visit, &path, root, here).await)
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Files, name), body))
}

fn facts(info: &FileGetInfoOutput) -> Markup {
    let counted = [
        (info.sheets.as_ref().map(|sheets| sheets.len() as u64), "sheet"),
        (info.slide_count, "slide"),
        (info.page_count, "page"),
        (info.section_count, "section"),
        (info.line_count, "line"),
    ];
    html! {
        (icon(drawing(&info.file.kind))) (info.file.kind) " · " (bytes(info.file.bytes))
        @for (number, one) in counted { @if let Some(number) = number { " · " (count(number, one)) } }
        @if let (Some(width), Some(height)) = (info.width, info.height) { " · " (width) " × " (height) " pixels" }
    }
}

/// The URL of a rendered page.
pub(super) fn picture(id: &str, path: &str, root: Root, page: u64, hash: &str) -> String {
    let mark: String = hash.chars().take(16).collect();
    format!("/w/{id}/picture/{}?root={}&page={page}&v={}", steps(path), root.folder(), encode(&mark))
}

fn preview(visit: &Visit, bench: &Bench, info: &FileGetInfoOutput, root: Root) -> Markup {
    let pictured = matches!(
        info.file.kind.as_str(),
        "pdf" | "docx" | "xlsx" | "pptx" | "odt" | "png" | "jpeg" | "gif" | "webp" | "svg" | "image" | "bmp" | "tiff"
    );
    if !pictured {
        return html! {};
    }
    let page = visit.query("page").and_then(|page| page.parse::<u64>().ok()).unwrap_or(1).max(1);
    let (id, path) = (bench.id(), info.file.path.as_str());
    let pages = info.page_count.or(info.slide_count);
    let base = link(id, path, Some(root));
    html! {
        section aria-labelledby="preview-title" {
            h2 id="preview-title" { "Preview " @if root == Root::Published { (badge("", "Published")) } @else { (badge("warn", "Draft")) } }
            figure class="sheet" {
                img src=(picture(id, path, root, page, &info.file.hash.to_string())) alt={ "Page " (page) " of " (path) } loading="lazy" data-picture;
                figcaption { "Page " (page) @if let Some(pages) = pages { " of " (pages) } }
            }
            nav class="actions" aria-label="Pages" {
                @if page > 1 { a class="button small" href={ (base) "&page=" (page - 1) } { (icon("chevron-left")) "Page before" } }
                @if pages.is_none_or(|pages| page < pages) && !matches!(info.file.kind.as_str(), "png" | "jpeg" | "gif" | "webp" | "svg" | "image") {
                    a class="button small" href={ (base) "&page=" (page + 1) } { "Next page" (icon("chevron-right")) }
                }
            }
        }
    }
}

async fn text(visit: &Visit, path: &str, root: Option<Root>, here: Root) -> Markup {
    let number = |name: &str| visit.query(name).and_then(|number| number.parse::<u64>().ok());
    let params = json!({
        "path": path, "root": root, "max_tokens": TOKENS, "cursor": visit.query("cursor"), "sheet": visit.query("sheet"),
        "section": number("section"), "slide_index": number("slide"),
    });
    let read: Result<FileReadOutput, Problem> = visit.on::<FileRead>(params).await;
    let base = link(visit.id(), path, Some(here));
    let region = visit.query("sheet").map(|sheet| format!("sheet {sheet}"));
    let region = region.or_else(|| number("section").map(|section| format!("section {section}")));
    let region = region.or_else(|| number("slide").map(|slide| format!("slide {slide}")));
    // The next page refers to the same region.
    let same =
        ["sheet", "section", "slide"].iter().filter_map(|name| Some(format!("&{name}={}", encode(visit.query(name)?))));
    let same: String = same.collect();
    html! {
        section aria-labelledby="text-title" {
            h2 id="text-title" { "Text" @if let Some(region) = &region { span class="muted" { " of " (region) } } }
            @if region.is_some() { p { a href={ (base) "#text-title" } { "Show the whole" } } }
            @match &read {
                Ok(read) => {
                    (warnings(&read.warnings))
                    @if let Some(lines) = &read.lines {
                        p class="muted" { "Lines " (lines.first) " to " (lines.first + lines.count.saturating_sub(1)) " of " (lines.total) ", " (lines.encoding) }
                    }
                    @if read.text.is_empty() { p class="muted" { "There is no text here." } } @else { (long_text(&read.text, DRAWN_BYTES)) }
                    @if let Some(cursor) = &read.cursor {
                        p class="more" { a class="button" href={ (base) (same) "&cursor=" (encode(cursor)) "#text-title" } { "Read on" (icon("chevron-right")) } }
                    }
                },
                Err(problem) => p class="muted" { (super::parts::prose(&problem.error.info.message)) },
            }
        }
    }
}
