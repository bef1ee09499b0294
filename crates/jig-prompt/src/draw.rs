//! The token breakdown as bars for a terminal: rows for callers that add colours, and a plain rendering.

use jig_contract::ops::{BillLine, PromptBill};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::bill::Bill;
use crate::lookalike::is_hidden;
use crate::piece::SourceKind;
use crate::words::grouped;

/// A row of the chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// 0 for a section, 1 for its sources.
    pub depth: usize,
    /// The name of the section or source, without invisible characters.
    pub label: String,
    /// Its tokens.
    pub tokens: u64,
    /// Its share of the prompt, in thousandths.
    pub per_mille: u64,
}

/// The characters for bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bars {
    /// Block elements, with a resolution of an eighth of a column.
    Blocks,
    /// `#`, for terminals with limited character sets.
    Ascii,
}

/// A row per section, followed by one per source, the largest first. The tags around sources form one row.
pub fn rows(bill: &Bill) -> Vec<Row> {
    bill_rows(&bill.into())
}

fn bill_rows(bill: &PromptBill) -> Vec<Row> {
    let mut rows = Vec::new();
    for section in sections(bill) {
        let lines = || bill.lines.iter().filter(move |line| line.section == section);
        let tokens = lines().map(|line| line.tokens).sum();
        if tokens == 0 {
            continue;
        }
        rows.push(row(0, section, tokens, bill.total));
        let is_frame = |line: &&BillLine| line.kind == SourceKind::Frame.as_str();
        let mut sources: Vec<Row> = lines()
            .filter(|line| !is_frame(line) && line.tokens > 0)
            .map(|line| row(1, &label(line), line.tokens, bill.total))
            .collect();
        sources.sort_by(|a, b| b.tokens.cmp(&a.tokens).then_with(|| a.label.cmp(&b.label)));
        rows.extend(sources);
        let tags = lines().filter(is_frame).map(|line| line.tokens).sum();
        if tags > 0 {
            rows.push(row(1, "(tags)", tags, bill.total));
        }
    }
    rows
}

/// The sections that occur, in prompt order.
fn sections(bill: &PromptBill) -> Vec<&str> {
    let mut sections: Vec<&str> = Vec::new();
    for line in &bill.lines {
        if !sections.contains(&line.section.as_str()) {
            sections.push(&line.section);
        }
    }
    sections
}

fn label(line: &BillLine) -> String {
    if line.kind == SourceKind::Guide.as_str() { format!("(guide: {})", line.source) } else { line.source.clone() }
}

/// How many sources of a section are shown; the rest is one row.
const DRAWN: usize = 8;

/// Combines the small sources of each section into one row.
fn folded(rows: Vec<Row>, total: u64) -> Vec<Row> {
    let mut out: Vec<Row> = Vec::new();
    let mut rows = rows.into_iter().peekable();
    while let Some(section) = rows.next() {
        out.push(section);
        let mut sources = Vec::new();
        while let Some(source) = rows.next_if(|row| row.depth > 0) {
            sources.push(source);
        }
        let rest = if sources.len() > DRAWN + 1 { sources.split_off(DRAWN) } else { Vec::new() };
        out.extend(sources);
        if !rest.is_empty() {
            let tokens = rest.iter().map(|row| row.tokens).sum();
            out.push(row(1, &format!("({} more)", rest.len()), tokens, total));
        }
    }
    out
}

/// Renders a token breakdown in at most this many columns (at least 40).
pub fn draw(bill: &Bill, width: usize, bars: Bars) -> String {
    draw_bill(&bill.into(), width, bars)
}

/// Renders a token breakdown in wire form.
pub fn draw_bill(bill: &PromptBill, width: usize, bars: Bars) -> String {
    let rows = folded(bill_rows(bill), bill.total);
    let width = width.max(40);
    let label = rows.iter().map(|row| row.label.width() + 2 * row.depth).max().unwrap_or(0).min(width * 2 / 5);
    let number = grouped(bill.total).len();
    let bar = width.saturating_sub(label + number + 4);
    let mut out = format!("{}\n", headline(bill));
    for row in &rows {
        let indent = 2 * row.depth;
        let name = format!("{}{}", " ".repeat(indent), fitted(&row.label, label.saturating_sub(indent)));
        let line = format!("{name}  {:>number$}  {}", grouped(row.tokens), bar_of(row.per_mille, bar, bars));
        out.push_str(line.trim_end());
        out.push('\n');
    }
    for warning in &bill.warnings {
        out.push_str(&format!("! {warning}\n"));
    }
    out
}

fn headline(bill: &PromptBill) -> String {
    let about = if bill.estimated { "about " } else { "" };
    let per_mille = part(bill.total, bill.window);
    let (total, window) = (grouped(bill.total), grouped(bill.window));
    let share = format!("{}.{} %", per_mille / 10, per_mille % 10);
    format!("{about}{total} of {window} tokens ({share}), {}", bill.level)
}

fn row(depth: usize, label: &str, tokens: u64, total: u64) -> Row {
    let label = label.chars().map(|c| if is_hidden(c) || c.is_control() { '\u{FFFD}' } else { c }).collect();
    Row { depth, label, tokens, per_mille: part(tokens, total) }
}

fn part(tokens: u64, of: u64) -> u64 {
    u64::try_from(u128::from(tokens) * 1_000 / u128::from(of.max(1))).unwrap_or(u64::MAX)
}

/// A label in exactly this many columns: padded, or truncated in the middle, because both ends of a path are
/// informative.
fn fitted(label: &str, columns: usize) -> String {
    let width = label.width();
    if width <= columns {
        return format!("{label}{}", " ".repeat(columns - width));
    }
    let start: String = label.chars().take_while(within(columns / 3)).collect();
    let rest = columns.saturating_sub(start.width() + 1);
    let end: Vec<char> = label.chars().rev().take_while(within(rest)).collect();
    let cut: String = start.chars().chain(['…']).chain(end.into_iter().rev()).collect();
    let missing = columns.saturating_sub(cut.width());
    format!("{cut}{}", " ".repeat(missing))
}

/// Whether a character still fits, called for each in turn.
fn within(columns: usize) -> impl FnMut(&char) -> bool {
    let mut used = 0;
    move |c| {
        used += c.width().unwrap_or(0);
        used <= columns
    }
}

fn bar_of(per_mille: u64, columns: usize, bars: Bars) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = usize::try_from(per_mille.min(1_000)).unwrap_or(0) * columns * 8 / 1_000;
    match bars {
        Bars::Ascii => "#".repeat(eighths.div_ceil(8)),
        Bars::Blocks => {
            let rest = EIGHTHS.get(eighths % 8).copied().unwrap_or_default();
            let bar = format!("{}{rest}", "█".repeat(eighths / 8));
            if bar.is_empty() && per_mille > 0 { "▏".to_owned() } else { bar }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fitted;

    #[test]
    fn a_long_label_keeps_its_two_ends() {
        assert_eq!(fitted("short", 8), "short   ");
        assert_eq!(fitted("xlsx-style-custom/references/parameters.md", 30), "xlsx-style…ences/parameters.md");
        assert_eq!(fitted("日本語日本語日本語", 10), "日…日本語 ");
    }
}
