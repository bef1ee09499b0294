//! What happened while a table was filled.

use jig_text::csv::CsvDefects;

/// Lines that are named in a warning.
const LINES: usize = 5;

/// How many records something happened to, and where first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    pub(crate) count: u64,
    first: Vec<u64>,
}

impl Lines {
    pub(super) fn add(&mut self, line: u64) {
        self.count += 1;
        if self.first.len() < LINES {
            self.first.push(line);
        }
    }

    fn follow(&mut self, later: &Self) {
        self.count += later.count;
        let room = LINES - self.first.len();
        self.first.extend(later.first.iter().take(room));
    }

    /// "3 rows (lines 4, 9, 12)", or none.
    pub(crate) fn words(&self, what: &str) -> Option<String> {
        let lines = self.first.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let more = if self.count as usize > self.first.len() { ", …" } else { "" };
        match self.count {
            0 => None,
            1 => Some(format!("1 {what} (line {lines})")),
            count => Some(format!("{count} {what}s (lines {lines}{more})")),
        }
    }
}

/// All that is told of a fill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ConversionReport {
    pub(crate) rows: u64,
    pub(crate) short: Lines,
    pub(crate) long: Lines,
    pub(crate) blank: Lines,
    pub(crate) undecoded: Lines,
    /// By column: words for "no value", and values with zero bytes.
    pub(crate) nothing: Vec<u64>,
    pub(crate) nul: Vec<u64>,
    pub(crate) defects: CsvDefects,
    pub(crate) replaced: u64,
    /// What the source of the rows says of them.
    pub(crate) said: Vec<String>,
}

impl ConversionReport {
    /// Nothing yet, for so many columns.
    pub(crate) fn of(columns: usize) -> Self {
        Self { nothing: vec![0; columns], nul: vec![0; columns], ..Self::default() }
    }

    /// Adds what happened to later records. What was odd about the text is told at the end of all.
    pub(crate) fn follow(&mut self, later: &Self) {
        self.rows += later.rows;
        self.short.follow(&later.short);
        self.long.follow(&later.long);
        self.blank.follow(&later.blank);
        self.undecoded.follow(&later.undecoded);
        self.nothing.iter_mut().zip(&later.nothing).for_each(|(all, more)| *all += more);
        self.nul.iter_mut().zip(&later.nul).for_each(|(all, more)| *all += more);
    }
}
