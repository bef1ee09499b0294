//! Text tables that align by display width, which differs from the number of characters.

use std::fmt::Write as _;

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::terminal::{FAINT, plain};

/// A cell of a table.
pub(super) struct Cell {
    text: String,
    /// Its display width.
    width: usize,
    style: Style,
    right: bool,
}

impl Cell {
    pub(super) fn styled(mut self, style: Style) -> Self {
        self.style = style;
        self
    }
}

/// A left-aligned cell.
pub(super) fn cell(text: impl AsRef<str>) -> Cell {
    let mut text = plain(text.as_ref());
    if text.contains(['\n', '\t']) {
        text = text.replace(['\n', '\t'], " ");
    }
    Cell { width: text.width(), text, style: Style::new(), right: false }
}

/// A right-aligned cell, for numbers.
pub(super) fn number(text: impl AsRef<str>) -> Cell {
    Cell { right: true, ..cell(text) }
}

/// A table. Without rows the result is empty; a header of empty names is left out.
pub(super) fn table(head: &[&str], rows: Vec<Vec<Cell>>) -> String {
    let titles: Vec<Cell> = head.iter().map(|title| cell(title).styled(FAINT)).collect();
    let with_head = head.iter().any(|title| !title.is_empty()).then_some(titles);
    let mut rows: Vec<Vec<Cell>> = with_head.into_iter().chain(rows).collect();
    let widths: Vec<usize> = (0..head.len())
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|c| c.width).max().unwrap_or(0))
        .collect();
    if let (true, [first, second, ..]) = (head.iter().any(|t| !t.is_empty()), rows.as_mut_slice()) {
        // The title of a right-aligned column is right-aligned too.
        first.iter_mut().zip(second).for_each(|(title, below)| title.right = below.right);
    }
    let mut text = String::new();
    rows.iter().for_each(|row| line(&mut text, row, &widths));
    text
}

fn line(text: &mut String, row: &[Cell], widths: &[usize]) {
    let filled = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |at| at + 1);
    for (at, (cell, width)) in row.iter().take(filled).zip(widths).enumerate() {
        let room = width.saturating_sub(cell.width);
        let (style, last) = (cell.style, at + 1 == filled);
        if cell.right {
            spaces(text, room);
        }
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{style}{}{style:#}", cell.text);
        if !cell.right && !last {
            spaces(text, room);
        }
        if !last {
            spaces(text, 2);
        }
    }
    text.push('\n');
}

fn spaces(text: &mut String, count: usize) {
    text.extend(std::iter::repeat_n(' ', count));
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
