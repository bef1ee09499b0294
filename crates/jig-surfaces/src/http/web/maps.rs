//! Renders a file's map: sheets, sections, slides, the outline of a PDF file, columns of a table. Parts without a table
//! of their own are listed generically, so that nothing is hidden.

use jig_contract::ops::FileGetMapOutput;
use maud::{Markup, html};
use serde_json::{Map, Value};

use super::super::query::encode;
use super::units::{count, grouped, short};

/// How many rows of a table are shown.
const ROWS: usize = 200;

/// How many levels of generic values are shown.
const DEPTH: usize = 3;

/// Renders a map. `base` is the URL of the file's screen, where each region can be read.
pub(super) fn draw(output: &FileGetMapOutput, base: &str) -> Markup {
    let list = |key: &str| output.map.get(key).and_then(Value::as_array).filter(|list| !list.is_empty());
    let table = output.map.get("table").and_then(Value::as_object);
    let columns = table.and_then(|table| table.get("columns")).and_then(Value::as_array);
    let drawn = ["sheets", "sections", "slides", "toc", "chunks"];
    html! {
        @if let Some(sheets) = list("sheets") { @for sheet in sheets.iter().take(ROWS) { (sheet_map(sheet, base)) } }
        @if let Some(sections) = list("sections") { (sections_map(sections, base)) }
        @if let Some(slides) = list("slides") { (slides_map(slides, base)) }
        @if let Some(toc) = list("toc") { (outline(toc)) }
        @if let Some(columns) = columns { (columns_map(columns)) }
        @let rest: Vec<(&String, &Value)> = output.map.iter().filter(|(key, value)| {
            let shown = drawn.contains(&key.as_str()) || (key.as_str() == "table" && columns.is_some());
            !shown && !is_nothing(value)
        }).collect();
        @if !rest.is_empty() {
            details class="inspect" open[rest.len() <= 6] {
                summary { "More about it" }
                dl class="facts" { @for (key, value) in rest { dt { (key.replace('_', " ")) } dd { (member(value, DEPTH)) } } }
            }
        }
        @if let Some(chunks) = list("chunks") { p class="muted" { (count(chunks.len() as u64, "piece")) " to read one by one" } }
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => object.is_empty(),
        _ => false,
    }
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or_default()
}

fn sheet_map(sheet: &Value, base: &str) -> Markup {
    let islands = sheet.get("islands").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let empty = Map::new();
    let marks = sheet.as_object().unwrap_or(&empty).iter();
    let marks: Vec<String> = marks
        .filter(|(key, value)| key.starts_with("has_") && **value == Value::Bool(true))
        .map(|(key, _)| key.trim_start_matches("has_").replace('_', " "))
        .collect();
    html! {
        h3 { a href={ (base) "&sheet=" (encode(text(sheet, "name"))) "#text-title" } { (text(sheet, "name")) } }
        p class="muted" {
            (grouped(number(sheet, "row_count"))) " rows, " (grouped(number(sheet, "col_count"))) " columns"
            @if !marks.is_empty() { " · has " (marks.join(", ")) }
        }
        @if !islands.is_empty() {
            div class="table" role="region" aria-label={ "Sheet " (text(sheet, "name")) } tabindex="0" {
                table {
                    thead { tr { th { "Range" } th { "What" } th { "Columns" } } }
                    tbody { @for island in islands.iter().take(ROWS) {
                        @let headers: Vec<&str> = island.get("headers").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
                        tr { td { code { (text(island, "range")) } } td { (text(island, "label")) } td { (short(&headers.join(" · "), 160)) } }
                    } }
                }
            }
        }
    }
}

fn sections_map(sections: &[Value], base: &str) -> Markup {
    html! {
        ol class="outline" start="0" {
            @for (n, section) in sections.iter().enumerate().take(ROWS) {
                @let heading = text(section, "heading");
                @let level = number(section, "level").clamp(1, 6);
                li class={ "level-" (level) } {
                    a href={ (base) "&section=" (n) "#text-title" } { @if heading.is_empty() { em { "before the first heading" } } @else { (short(heading, 120)) } }
                    @if let Some(characters) = section.get("char_count").and_then(Value::as_u64) { " " span class="muted" { (grouped(characters)) " characters" } }
                }
            }
        }
        @if sections.len() > ROWS { p class="muted" { "… and " (sections.len() - ROWS) " more" } }
    }
}

fn slides_map(slides: &[Value], base: &str) -> Markup {
    html! {
        ol class="outline" start="0" {
            @for (n, slide) in slides.iter().enumerate().take(ROWS) {
                @let title = text(slide, "title");
                li { a href={ (base) "&slide=" (n) "#text-title" } { @if title.is_empty() { em { "without a title" } } @else { (short(title, 120)) } } " " span class="muted" { (text(slide, "layout")) } }
            }
        }
        @if slides.len() > ROWS { p class="muted" { "… and " (slides.len() - ROWS) " more" } }
    }
}

fn outline(toc: &[Value]) -> Markup {
    html! {
        ul class="outline" {
            @for one in toc.iter().take(ROWS) {
                @let level = number(one, "level").clamp(1, 6);
                li class={ "level-" (level) } { (short(text(one, "title"), 120)) @if let Some(page) = one.get("page").and_then(Value::as_u64) { " " span class="muted" { "page " (page) } } }
            }
        }
    }
}

fn columns_map(columns: &[Value]) -> Markup {
    html! {
        div class="table" role="region" aria-label="Columns" tabindex="0" {
            table {
                thead { tr { th { "Column" } th { "Type" } } }
                tbody { @for column in columns.iter().take(ROWS) {
                    tr {
                        @if let Some(name) = column.as_str() { td { (name) } td {} }
                        @else { td { (text(column, "name")) } td { (text(column, "type")) (text(column, "inferred_type")) } }
                    }
                } }
            }
        }
    }
}

/// Any value, up to some levels deep.
fn member(value: &Value, depth: usize) -> Markup {
    match value {
        Value::String(text) => html! { (short(text, 300)) },
        Value::Bool(true) => html! { "yes" },
        Value::Bool(false) => html! { "no" },
        Value::Object(object) if depth > 0 => html! {
            dl class="facts" { @for (key, value) in object.iter().take(40) { dt { (key.replace('_', " ")) } dd { (member(value, depth - 1)) } } }
        },
        Value::Array(list) if depth > 0 => {
            let plain = list.iter().all(|one| !one.is_object() && !one.is_array());
            html! {
                @if plain { @for (n, one) in list.iter().take(40).enumerate() { @if n > 0 { ", " } (member(one, 0)) } }
                @else { ul { @for one in list.iter().take(20) { li { (member(one, depth - 1)) } } } }
                @if list.len() > 40 { " … and " (list.len() - 40) " more" }
            }
        }
        other => html! { (short(&other.to_string(), 200)) },
    }
}
