//! Markdown tables.

use crate::docx::tables::is_plausible;

/// The lines of a cell on one line of a table. A bar inside it is written `\|`.
pub(super) fn cell(lines: &[String]) -> String {
    lines.join("\n").trim().replace('|', "\\|").replace(['\n', '\r'], "<br>").replace('\t', " ")
}

/// A table whose first row is its header. Rows that are shorter than the table are filled up, unless
/// nearly all of it would be filling.
pub(super) fn table(rows: &[Vec<String>], columns: usize) -> String {
    let Some((first, rest)) = rows.split_first() else { return String::new() };
    let plausible = is_plausible(rows.len().saturating_mul(columns), rows.iter().map(Vec::len).sum());
    let width = if plausible { columns } else { 0 };
    let mut out = line(first, width);
    out.push('\n');
    out.push('|');
    out.push_str(&" --- |".repeat(first.len().max(width).max(1)));
    for row in rest {
        out.push('\n');
        out.push_str(&line(row, width));
    }
    out
}

fn line(cells: &[String], width: usize) -> String {
    let mut out = String::from("|");
    for at in 0..cells.len().max(width).max(1) {
        let text = cells.get(at).map_or("", String::as_str);
        if !text.is_empty() {
            out.push(' ');
            out.push_str(text);
        }
        out.push_str(" |");
    }
    out
}
