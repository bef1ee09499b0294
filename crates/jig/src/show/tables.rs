//! Text output of tables and queries.

use jig_contract::ops::{Receipt, TabularExtractOutput};
use serde_json::{Map, Value};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::table::{Cell, cell, number, table};
use super::{TextOutput, generic, units};
use crate::terminal::{FAINT, GOOD, STRONG, plain};

/// The maximum width of a cell on a terminal.
const WIDE: usize = 48;
/// Marks a truncated cell.
const CUT: char = '…';

/// Where a table is printed. A terminal has limited width; a pipe gets complete values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    Terminal,
    Pipe,
}

/// Rows of a table or a query.
pub(super) fn rows(output: &Value, room: Room) -> TextOutput {
    let list = |key: &str| output[key].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut cut = 0;
    let names: Vec<String> =
        list("columns").iter().filter_map(Value::as_str).map(|name| fit(name, room, &mut cut)).collect();
    let numbers: Vec<bool> = list("column_types").iter().map(|kind| kind == "integer" || kind == "float").collect();
    let mut lines = Vec::new();
    for row in list("rows") {
        let values = row.as_array().into_iter().flatten().enumerate();
        let one = |(column, value)| value_cell(value, numbers.get(column) == Some(&true), room, &mut cut);
        lines.push(values.map(one).collect());
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut text = table(&names, lines);
    if list("rows").is_empty() {
        text.push_str("no rows\n");
    }
    let mut notes = notes(output);
    if cut > 0 {
        let cells = units::count(cut, "cell");
        notes.push(format!(
            "{cells} truncated to {WIDE} characters, marked {CUT}; use `--json` or `--csv` for complete values"
        ));
    }
    notes.extend(extent(output));
    TextOutput { text, notes }
}

fn value_cell(value: &Value, is_number: bool, room: Room, cut: &mut u64) -> Cell {
    let align = |text: &str| if is_number { number(text) } else { cell(text) };
    match value {
        Value::Null => align("null").styled(FAINT),
        Value::String(text) => align(&fit(text, room, cut)),
        other => align(&other.to_string()),
    }
}

/// A text on one line, truncated to fit.
fn fit(text: &str, room: Room, cut: &mut u64) -> String {
    let text = plain(text).replace(['\n', '\t'], " ");
    if room == Room::Pipe || text.width() <= WIDE {
        return text;
    }
    *cut += 1;
    let mut width = 1;
    let fits = |c: &char| {
        width += c.width().unwrap_or(0);
        width <= WIDE
    };
    text.chars().take_while(fits).chain([CUT]).collect()
}

/// How many rows are shown, and how to get the others.
fn extent(output: &Value) -> Option<String> {
    let given = output["row_count"].as_u64()?;
    let total = output["total_rows"].as_u64().or_else(|| output["total_row_count"].as_u64());
    if output["has_more"] != true {
        return Some(units::count(given, "row"));
    }
    let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
    let more = match (output["row_start"].as_u64(), output["window_offset"].as_u64()) {
        (Some(start), _) => format!("`--row-start {}` shows more", start + given),
        (None, Some(offset)) => {
            format!("`--window-offset {}` shows more, `--window-rows` sets the page size", offset + given)
        }
        (None, None) => return Some(format!("{given}{of} rows")),
    };
    Some(format!("{given}{of} rows; {more}"))
}

/// Statistics of each column and of the table.
pub(super) fn columns(output: &Value) -> TextOutput {
    let columns: Vec<&Map<String, Value>> =
        output["columns"].as_array().into_iter().flatten().filter_map(Value::as_object).collect();
    let hidden = ["index", "most_common", "examples", "inferred_type", "type"];
    let mut keys: Vec<&str> = Vec::new();
    for key in columns.iter().flat_map(|column| column.keys()) {
        if !hidden.contains(&key.as_str()) && !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    let member = |value: Option<&Value>| match value {
        Some(Value::Number(value)) => number(value.to_string()),
        value => cell(value.map(text).unwrap_or_default()),
    };
    let lines = columns.iter().map(|column| keys.iter().map(|key| member(column.get(*key))).collect());
    let mut shown = table(&keys, lines.collect());
    shown.push_str(&generic::members(&without(output.as_object(), &["columns", "chunks", "warnings"])));
    TextOutput { text: shown, notes: notes(output) }
}

/// The table part of a file's map: its properties and its columns with their types.
pub(super) fn map(map: &Map<String, Value>) -> String {
    let of = |key: &str| map.get(key).map(text).unwrap_or_default();
    let count = |key: &str, one: &str| units::count(map.get(key).and_then(Value::as_u64).unwrap_or(0), one);
    let header = if map.get("has_header") == Some(&Value::Bool(true)) { "a header" } else { "no header" };
    let mark = match of("delimiter").as_str() {
        "\t" => "tab".to_owned(),
        mark => format!("`{mark}`"),
    };
    let mut shown = format!(
        "{STRONG}table{STRONG:#}  {FAINT}{}, {}, {header}, delimiter {mark}, {}{FAINT:#}\n",
        count("row_count", "row"),
        count("column_count", "column"),
        of("encoding_detected"),
    );
    let columns = map.get("columns").and_then(Value::as_array).into_iter().flatten();
    let lines = columns.map(|column| {
        let examples = column["examples"].as_array().into_iter().flatten().map(text).collect::<Vec<_>>().join(" · ");
        let examples = fit(&examples, Room::Terminal, &mut 0);
        let sql_type = text(&column["sql_type"]);
        vec![
            cell("  "),
            cell(text(&column["name"])),
            cell(sql_type),
            cell(text(&column["format"])),
            cell(examples).styled(FAINT),
        ]
    });
    shown.push_str(&table(&["", "column", "type", "format", "for example"], lines.collect()));
    let warnings = map.get("warnings").and_then(Value::as_array).into_iter().flatten().map(text);
    warnings.for_each(|warning| shown.push_str(&format!("  {FAINT}! {warning}{FAINT:#}\n")));
    shown
}

/// Rows exported to a file of the Draft.
pub(super) fn exported(output: &Value) -> Option<TextOutput> {
    let receipt: Receipt = serde_json::from_value(output["receipt"].clone()).ok()?;
    let (rows, columns) = (output["row_count"].as_u64()?, output["column_count"].as_u64()?);
    let place = match output["written_range"].as_str() {
        Some(range) => format!("{} {range} of ", text(&output["sheet"])),
        None => String::new(),
    };
    let how = match (output["dry_run"] == true, receipt.hash_before == Some(receipt.hash_after)) {
        (true, _) => "nothing written: this was a dry run",
        (false, true) => "nothing to write: the file is unchanged",
        (false, false) => "written to the Draft",
    };
    let size = format!("{}, {}", units::count(rows, "row"), units::count(columns, "column"));
    let line = format!("{size}: {place}{}\n{GOOD}{how}{GOOD:#}\n", text(&output["target_path"]));
    Some(TextOutput { text: line, notes: notes(output) })
}

/// Rows exported to a file of this machine.
pub(super) fn extracted(output: &TabularExtractOutput) -> TextOutput {
    let TabularExtractOutput { to, row_count, column_count, bytes, .. } = output;
    let size = format!("{}, {}", units::count(*row_count, "row"), units::count(*column_count, "column"));
    let text = format!("{size}, {}: {}\n", units::bytes(*bytes), plain(to));
    TextOutput { text, notes: output.warnings.iter().map(|words| plain(words)).collect() }
}

fn without(members: Option<&Map<String, Value>>, keys: &[&str]) -> Value {
    let members = members.into_iter().flatten().filter(|(key, _)| !keys.contains(&key.as_str()));
    members.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>().into()
}

fn notes(output: &Value) -> Vec<String> {
    let warnings = output["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    warnings.map(plain).collect()
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => plain(text),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer() -> Value {
        json!({
            "columns": ["name", "n"], "column_types": ["string", "integer"],
            "rows": [["Ann", 5], [null, null], ["日".repeat(30), "12345678901234567890"]],
            "row_count": 3, "total_row_count": 9, "window_rows": 3, "window_offset": 3, "has_more": true, "warnings": ["odd"],
        })
    }

    #[test]
    fn numbers_stand_right_and_wide_cells_are_cut_and_said() {
        let shown = rows(&answer(), Room::Terminal);
        let text = anstream::adapter::strip_str(&shown.text).to_string();
        let wide = format!("{}…", "日".repeat(23));
        let lines = [
            format!("name{}n", " ".repeat(43 + 2 + 19)),
            format!("Ann{}5", " ".repeat(44 + 2 + 19)),
            format!("null{}null", " ".repeat(43 + 2 + 16)),
            format!("{wide}  12345678901234567890"),
        ];
        assert_eq!(text, lines.map(|line| line + "\n").concat());
        assert!(shown.text.contains(&format!("{FAINT}null{FAINT:#}")), "{:?}", shown.text);
        assert_eq!(
            shown.notes,
            [
                "odd",
                "1 cell truncated to 48 characters, marked …; use `--json` or `--csv` for complete values",
                "3 of 9 rows; `--window-offset 6` shows more, `--window-rows` sets the page size",
            ]
        );
    }

    #[test]
    fn a_pipe_gets_everything() {
        let shown = rows(&answer(), Room::Pipe);
        assert!(shown.text.contains(&"日".repeat(30)), "{}", shown.text);
        assert_eq!(shown.notes.len(), 2);
    }
}
