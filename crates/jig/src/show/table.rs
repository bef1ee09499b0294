//! Tables whose columns stand straight, whatever letters are in them.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::terminal::{FAINT, plain};

/// One cell.
pub(super) struct Cell {
    text: String,
    style: Style,
    right: bool,
}

impl Cell {
    pub(super) fn styled(mut self, style: Style) -> Self {
        self.style = style;
        self
    }
}

/// A cell that starts at the left.
pub(super) fn cell(text: impl AsRef<str>) -> Cell {
    Cell { text: plain(text.as_ref()).replace(['\n', '\t'], " "), style: Style::new(), right: false }
}

/// A cell for numbers, which end at the right.
pub(super) fn number(text: impl AsRef<str>) -> Cell {
    Cell { right: true, ..cell(text) }
}

/// A table. Without rows it is empty; a head of empty names is left out.
pub(super) fn table(head: &[&str], rows: Vec<Vec<Cell>>) -> String {
    let titles: Vec<Cell> = head.iter().map(|title| cell(title).styled(FAINT)).collect();
    let with_head = head.iter().any(|title| !title.is_empty()).then_some(titles);
    let mut rows: Vec<Vec<Cell>> = with_head.into_iter().chain(rows).collect();
    let widths: Vec<usize> = (0..head.len())
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|c| c.text.width()).max().unwrap_or(0))
        .collect();
    if let (true, [first, second, ..]) = (head.iter().any(|t| !t.is_empty()), rows.as_mut_slice()) {
        // A number's title stands over the number.
        first.iter_mut().zip(second).for_each(|(title, below)| title.right = below.right);
    }
    rows.iter().map(|row| line(row, &widths)).collect()
}

fn line(row: &[Cell], widths: &[usize]) -> String {
    let mut line = String::new();
    let filled = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |at| at + 1);
    let row = &row[..filled];
    for (at, (cell, width)) in row.iter().zip(widths).enumerate() {
        let room = " ".repeat(width.saturating_sub(cell.text.width()));
        let style = cell.style;
        let text = format!("{style}{}{style:#}", cell.text);
        let last = at + 1 == row.len();
        match (cell.right, last) {
            (true, _) => line.push_str(&format!("{room}{text}")),
            (false, true) => line.push_str(&text),
            (false, false) => line.push_str(&format!("{text}{room}")),
        }
        if !last {
            line.push_str("  ");
        }
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_straight_under_wide_letters() {
        let rows = vec![vec![cell("a"), number("1"), cell("x\u{1b}[2J")], vec![cell("日本"), number("1000"), cell("")]];
        let plain: String = anstream::adapter::strip_str(&table(&["name", "n", "note"], rows)).to_string();
        assert_eq!(plain, "name     n  note\na        1  x\\u{1b}[2J\n日本  1000\n");
    }
}
