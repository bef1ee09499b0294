//! Formats cell values the way Excel displays them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::sheet::cell::{Cell, CellData};
use super::styles::Styles;
use crate::xlsx::address::{CellRange, CellRef};
use crate::xlsx::number_format::general;
use crate::xlsx::serial_date::{DateSystem, DateTime, serial_of_iso};
use crate::xlsx::shared_strings::SharedStrings;

/// Formats cells: shared strings, number formats and date system of one workbook.
#[derive(Clone)]
pub(super) struct CellFormatter {
    pub(super) strings: Arc<SharedStrings>,
    pub(super) styles: Arc<Styles>,
    pub(super) dates: DateSystem,
}

impl CellFormatter {
    /// The displayed value of a cell, without the padding that a format puts around numbers.
    pub(super) fn value<'s>(&'s self, cell: &'s Cell<'_>) -> Cow<'s, str> {
        match &cell.data {
            CellData::Empty => "".into(),
            CellData::Number(number) => self.number(*number, cell.style).into(),
            CellData::Bool(true) => "TRUE".into(),
            CellData::Bool(false) => "FALSE".into(),
            CellData::Error(text) => text.as_ref().into(),
            CellData::Date(text) => self.date(text, cell.style),
            CellData::Shared(_) | CellData::Text(_) => {
                let text = cell.data.text(&self.strings).unwrap_or_default();
                match self.styles.format(cell.style) {
                    Some(format) => format.text(text).into(),
                    None => text.into(),
                }
            }
        }
    }

    fn number(&self, number: f64, style: u32) -> String {
        let Some(format) = self.styles.format(style) else { return general(number) };
        let shown = format.number(number, self.dates);
        // Excel shows `####` for a serial number outside the calendar; the number itself is more useful.
        if shown.starts_with("####") { general(number) } else { trimmed(shown) }
    }

    fn date<'s>(&self, text: &'s str, style: u32) -> Cow<'s, str> {
        let format = self.styles.format(style).filter(|format| format.is_date());
        match (format, serial_of_iso(text, self.dates)) {
            (Some(format), Some(serial)) => trimmed(format.number(serial, self.dates)).into(),
            _ => text.into(),
        }
    }

    /// A date in ISO form, for numbers that are shown as dates.
    pub(super) fn iso(&self, cell: &Cell<'_>) -> Option<String> {
        let CellData::Number(serial) = &cell.data else { return None };
        self.styles.format(cell.style).filter(|format| format.has_day())?;
        DateTime::of(*serial, self.dates).map(|moment| moment.iso(*serial))
    }
}

impl CellFormatter {
    /// The time of day that a number is displayed as, in ISO form. Durations and values of a day or more stay numbers,
    /// because a time of day would lose their days.
    pub(super) fn time_of_day(&self, number: f64, style: u32) -> Option<String> {
        self.styles.format(style).filter(|format| format.is_time())?;
        let code = self.styles.code(self.styles.format_id(style));
        if !(0.0..1.0).contains(&number) || !code.contains(['h', 'H', 's', 'S']) {
            return None;
        }
        // Excel keeps milliseconds; further digits are rounding errors of its sums.
        let millis = (number * 86_400_000.0).round() as u64;
        let (seconds, millis) = (millis / 1000, millis % 1000);
        if seconds >= 86_400 {
            return None;
        }
        let time = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
        Some(if millis == 0 { time } else { format!("{time}.{millis:03}") })
    }
}

fn trimmed(text: String) -> String {
    if text.starts_with(' ') || text.ends_with(' ') { text.trim_matches(' ').to_owned() } else { text }
}

/// Text of a cell on one line: a tab becomes `\t`, a line break `\n`.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(['\t', '\n', '\r']) {
        return text.into();
    }
    text.replace("\r\n", "\\n").replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t").into()
}

/// Excel's limit of characters in a cell. Longer texts come from hostile files, which repeat them in thousands of cells.
pub(super) const CELL_CHARS: usize = 32_767;
/// The most characters of a cell once a reply has reached its size limit.
pub(super) const FULL_CHARS: usize = 100;

/// The first `most` characters, with `…` if there are more.
pub(super) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()).into(),
        None => text.into(),
    }
}

/// Finds cells hidden by a merged range, which displays only its first cell. Queried row by row.
pub(super) struct MergedCells {
    sorted: Vec<CellRange>,
    next: usize,
    /// Those that have started, by their first column.
    begun: BTreeMap<u32, CellRange>,
}

impl MergedCells {
    pub(super) fn new(merges: &[CellRange]) -> Self {
        let mut sorted: Vec<CellRange> = merges.iter().copied().filter(|range| range.cells() > 1).collect();
        sorted.sort_unstable();
        Self { sorted, next: 0, begun: BTreeMap::new() }
    }

    /// Whether the cell is covered. Rows must not go backwards.
    pub(super) fn covers(&mut self, at: CellRef) -> bool {
        while let Some(range) = self.sorted.get(self.next).filter(|range| range.start().row() <= at.row()) {
            self.begun.insert(range.start().col(), *range);
            self.next += 1;
        }
        while let Some((first, range)) = self.begun.range(..=at.col()).next_back() {
            if range.end().row() >= at.row() {
                return range.contains(at) && range.start() != at;
            }
            let first = *first;
            self.begun.remove(&first);
        }
        false
    }
}
