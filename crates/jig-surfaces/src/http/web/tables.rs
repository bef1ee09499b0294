//! SQL queries on a table or sheet, on the file's screen.

use jig_contract::ops::{FileInfo, Root, TabularQuery};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::failure::panel;
use super::icons::icon;
use super::parts::{note, prose};
use super::units::{grouped, short};
use super::visit::Visit;

/// How many rows are shown.
const ROWS: u64 = 100;

/// The query form and its result.
pub(super) async fn section(visit: &Visit, file: &FileInfo, root: Root) -> Markup {
    if !matches!(file.kind.as_str(), "csv" | "tsv" | "xlsx") {
        return html! {};
    }
    let asked = visit.query("sql");
    let answer = match asked {
        Some(sql) => {
            let params = json!({ "path": file.path, "root": root, "query": sql, "window_rows": ROWS, "sheet": visit.query("sheet") });
            Some(visit.on::<TabularQuery>(params).await)
        }
        None => None,
    };
    html! {
        section aria-labelledby="sql-title" id="sql" {
            h2 id="sql-title" { (icon("table")) "Ask with SQL" }
            form class="form" method="get" action="#sql" {
                input type="hidden" name="root" value=(root.folder());
                @if let Some(sheet) = visit.query("sheet") { input type="hidden" name="sheet" value=(sheet); }
                div class="field" {
                    label for="sql-text" { "One SELECT over " code { "data" } }
                    textarea class="code" id="sql-text" name="sql" rows="3" spellcheck="false" required { "\n" (asked.unwrap_or("SELECT * FROM data LIMIT 20")) }
                }
                button class="button" { "Ask" }
            }
            @match &answer {
                None => {},
                Some(Err(problem)) => (panel(&problem.error.info, Some(visit.id()))),
                Some(Ok(found)) => (rows(&Value::Object(members(found)))),
            }
        }
    }
}

fn members(found: &impl serde::Serialize) -> Map<String, Value> {
    match serde_json::to_value(found) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

fn rows(found: &Value) -> Markup {
    let list = |key: &str| found[key].as_array().map(Vec::as_slice).unwrap_or_default();
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let numbers: Vec<bool> =
        list("column_types").iter().map(|kind| matches!(word(kind).as_str(), "integer" | "float")).collect();
    let is_number = |n: usize| numbers.get(n).copied().unwrap_or_default();
    html! {
        @for warning in list("warnings") { (note("warn", html! { (prose(&word(warning))) })) }
        p class="muted" { (grouped(found["total_row_count"].as_u64().unwrap_or_default())) " rows" @if found["has_more"] == true { ", the first " (ROWS) " are shown" } }
        div class="table" role="region" aria-label="Answer" tabindex="0" {
            table {
                thead { tr { @for (n, column) in list("columns").iter().enumerate() { th class=[is_number(n).then_some("number")] { (word(column)) } } } }
                tbody { @for row in list("rows") { tr {
                    @for (n, cell) in row.as_array().map(Vec::as_slice).unwrap_or_default().iter().enumerate() {
                        td class=[is_number(n).then_some("number")] { @match cell { Value::Null => span class="muted" { "–" }, Value::String(text) => (short(text, 300)), other => (other.to_string()) } }
                    }
                } } }
            }
        }
    }
}
