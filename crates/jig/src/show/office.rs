//! Text output of file maps, edits and search results.

use jig_contract::ops::{
    ApplyOpsOutput, CopyAssetsOutput, FileGetInfoOutput, FileGetMapOutput, FileSearchOutput, Receipt,
};
use serde_json::{Map, Value};

use super::table::{cell, number, table};
use super::{TextOutput, generic, listing, tables};
use crate::terminal::{BAD, FAINT, GOOD, STRONG, plain};

pub(super) fn info(output: &FileGetInfoOutput) -> String {
    let mut text = listing::file(&output.file);
    let mut line = |words: String| text.push_str(&format!("{words}\n"));
    for sheet in output.sheets.iter().flatten() {
        let of = |key: &str| sheet.get(key).map(ToString::to_string).unwrap_or_default();
        line(format!("sheet {}: {} rows, {} columns", plain(text_of(sheet, "name")), of("row_count"), of("col_count")));
    }
    let counted = [
        (output.slide_count, "slides"),
        (output.section_count, "sections"),
        (output.page_count, "pages"),
        (output.line_count, "lines"),
    ];
    for (count, what) in counted {
        if let Some(count) = count {
            line(format!("{count} {what}"));
        }
    }
    if let (Some(width), Some(height)) = (output.width, output.height) {
        line(format!("{width} × {height} pixels"));
    }
    if let Some(problem) = &output.problem {
        line(format!("{BAD}{}{BAD:#}", plain(problem)));
    }
    text
}

pub(super) fn map(output: &FileGetMapOutput) -> String {
    let mut text = listing::file(&output.file);
    text.push('\n');
    let list = |key: &str| output.map.get(key).and_then(Value::as_array);
    if let Some(sheets) = list("sheets") {
        sheets.iter().filter_map(Value::as_object).for_each(|sheet| text.push_str(&sheet_map(sheet)));
    } else if let Some(sections) = list("sections") {
        text.push_str(&sections_map(sections));
    } else if let Some(slides) = list("slides") {
        text.push_str(&slides_map(slides));
    } else if let Some(toc) = list("toc").filter(|toc| !toc.is_empty()) {
        text.push_str(&outline(toc));
    } else if let Some(found) = table_of(output) {
        text.push_str(&tables::map(found));
    }
    // Parts of a map without a table of their own are shown generically, so that nothing is hidden.
    let shown = ["sheets", "sections", "slides", "toc"];
    let is_shown = |key: &str| shown.contains(&key) || (key == "table" && table_of(output).is_some());
    let rest: Map<String, Value> =
        output.map.iter().filter(|(key, _)| !is_shown(key)).map(|(k, v)| (k.clone(), v.clone())).collect();
    text.push_str(&generic::members(&Value::Object(rest)));
    text
}

/// The table of a map, if its column types are known.
fn table_of(output: &FileGetMapOutput) -> Option<&Map<String, Value>> {
    let table = output.map.get("table")?.as_object()?;
    table.get("columns")?.as_array().filter(|columns| columns.iter().all(Value::is_object)).map(|_| table)
}

fn sheet_map(sheet: &Map<String, Value>) -> String {
    let mut text = format!("{STRONG}{}{STRONG:#}", plain(text_of(sheet, "name")));
    let count = |key: &str| sheet.get(key).and_then(Value::as_u64).unwrap_or(0);
    text.push_str(&format!("  {FAINT}{} rows, {} columns{FAINT:#}\n", count("row_count"), count("col_count")));
    let islands = sheet.get("islands").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    let rows = islands.map(|island| {
        let headers = island.get("headers").and_then(Value::as_array).into_iter().flatten();
        let headers: Vec<&str> = headers.filter_map(Value::as_str).collect();
        vec![cell("  "), cell(text_of(island, "range")), cell(text_of(island, "label")), cell(headers.join(" | "))]
    });
    text.push_str(&table(&["", "", "", ""], rows.collect()));
    let marks = sheet.iter().filter(|(key, value)| key.starts_with("has_") && **value == Value::Bool(true));
    let marks: Vec<String> = marks.map(|(key, _)| key.trim_start_matches("has_").replace('_', " ")).collect();
    if !marks.is_empty() {
        text.push_str(&format!("  {FAINT}has {}{FAINT:#}\n", marks.join(", ")));
    }
    text
}

fn sections_map(sections: &[Value]) -> String {
    let rows = sections.iter().enumerate().filter_map(|(at, section)| {
        let section = section.as_object()?;
        let level = section.get("level").and_then(Value::as_u64).unwrap_or(0).min(9);
        let heading = text_of(section, "heading");
        let heading = if heading.is_empty() { "(before the first heading)" } else { heading };
        let indent = "  ".repeat(usize::try_from(level.saturating_sub(1)).unwrap_or(0));
        let characters = section.get("char_count").map(ToString::to_string).unwrap_or_default();
        Some(vec![number(at.to_string()), cell(format!("{indent}{heading}")), number(characters)])
    });
    table(&["section", "heading", "characters"], rows.collect())
}

fn slides_map(slides: &[Value]) -> String {
    let rows = slides.iter().filter_map(|slide| {
        let slide = slide.as_object()?;
        let index = slide.get("index").map(ToString::to_string).unwrap_or_default();
        Some(vec![number(index), cell(text_of(slide, "title")), cell(text_of(slide, "layout"))])
    });
    table(&["slide", "title", "layout"], rows.collect())
}

fn outline(toc: &[Value]) -> String {
    let rows = toc.iter().filter_map(|entry| {
        let entry = entry.as_object()?;
        let level = entry.get("level").and_then(Value::as_u64).unwrap_or(1).clamp(1, 9);
        let indent = "  ".repeat(usize::try_from(level - 1).unwrap_or(0));
        let page = entry.get("page").filter(|page| !page.is_null()).map(ToString::to_string).unwrap_or_default();
        Some(vec![number(page), cell(format!("{indent}{}", text_of(entry, "title")))])
    });
    table(&["page", "outline"], rows.collect())
}

fn text_of<'a>(object: &'a Map<String, Value>, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn applied(output: ApplyOpsOutput) -> TextOutput {
    let lines = output.changes.iter().map(|change| text_of(change, "summary"));
    edited(lines, &output.receipt, output.dry_run, output.warnings)
}

pub(super) fn copied(output: CopyAssetsOutput) -> TextOutput {
    let lines: Vec<String> = output
        .copied
        .iter()
        .map(|one| format!("copied {} {}", text_of(one, "type").replace('_', " "), text_of(one, "name")))
        .collect();
    edited(lines.iter().map(String::as_str), &output.receipt, output.dry_run, output.warnings)
}

fn edited<'a>(
    lines: impl Iterator<Item = &'a str>,
    receipt: &Receipt,
    dry_run: bool,
    notes: Vec<String>,
) -> TextOutput {
    let mut text: String = lines.map(|line| format!("{}\n", plain(line))).collect();
    for line in receipt.cell_lines() {
        text.push_str(&format!("  {}\n", plain(&line)));
    }
    let touched = match receipt.parts.len() {
        // A text file has no parts.
        0 => String::new(),
        1 => "1 part of the file differs".to_owned(),
        count => format!("{count} parts of the file differ"),
    };
    let mark = match (receipt.hash_before == Some(receipt.hash_after), dry_run) {
        (true, _) => "nothing to write: the file is unchanged",
        (false, true) => "nothing written: this was a dry run",
        (false, false) => "written to the Draft",
    };
    text.push_str(&format!("{GOOD}{mark}{GOOD:#}  {FAINT}{touched}{FAINT:#}\n"));
    TextOutput { text, notes }
}

pub(super) fn hits(output: &FileSearchOutput) -> TextOutput {
    let rows = output.hits.iter().map(|hit| {
        let at: Vec<String> = hit.at.iter().map(|(key, value)| format!("{key} {}", bare(value))).collect();
        vec![cell(hit.path.as_str()).styled(STRONG), cell(at.join(", ")), cell(&hit.snippet)]
    });
    let mut text = table(&["", "", ""], rows.collect());
    if output.hits.is_empty() {
        text.push_str("no results\n");
    }
    let mut notes: Vec<String> =
        output.skipped.iter().map(|file| format!("{} was not searched: {}", file.path, file.reason)).collect();
    if output.more {
        notes.push("there are more; increase `--max-results`".to_owned());
    }
    TextOutput { text, notes }
}

fn bare(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
