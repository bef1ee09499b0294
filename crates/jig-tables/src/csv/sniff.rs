//! Which marks a file uses: each likely set is tried on the beginning, and the one with the most even records wins.

use std::collections::BTreeMap;
use std::io::Cursor;

use jig_text::Charset;

use super::Marks;
use super::encoding::Text;
use super::rows::{How, Rows};
use super::scan::{Oddities, Scanner};
use crate::infer::looks_typed;

/// Delimiters, and what speaks against each from the start.
const DELIMITERS: [(u8, f64); 9] = [
    (b',', 0.0),
    (b'\t', 0.0),
    (b';', 0.01),
    (b'|', 0.02),
    (0x1f, 0.02),
    (0x01, 0.02),
    (b'^', 0.1),
    (b'~', 0.1),
    (b':', 0.3),
];
/// What a file of one column is worth: more than very uneven records, less than even ones.
const ONE_COLUMN: f64 = 0.62;

/// What the caller knows already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) delimiter: Option<u8>,
    /// The inner none is for "nothing is quoted".
    pub(crate) quote: Option<Option<u8>>,
}

/// The marks of a text and how sure they are, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sniffed {
    pub(crate) marks: Marks,
    pub(crate) confidence: f64,
}

/// Tells the marks of a text by its beginning. `whole` says that there is no more of it.
pub(crate) fn sniff(sample: &str, whole: bool, known: Known) -> Sniffed {
    let mut tries: Vec<(f64, f64, Marks)> = Vec::new();
    for marks in candidates(sample, known) {
        let (score, evenness) = score(sample, whole, marks);
        let against = DELIMITERS.iter().find(|(delimiter, _)| *delimiter == marks.delimiter).map_or(0.0, |one| one.1);
        tries.push((score - against, evenness, marks));
    }
    // The first of equals wins: the candidates are in the order of how common they are.
    let best = tries.iter().copied().reduce(|best, next| if next.0 > best.0 + 1e-9 { next } else { best });
    let Some((top, evenness, marks)) = best else {
        let marks = Marks { delimiter: known.delimiter.unwrap_or(b','), quote: None, escape: None, spaced: false };
        return Sniffed { marks, confidence: 0.5 };
    };
    let others = tries.iter().filter(|one| one.2.delimiter != marks.delimiter).map(|one| one.0);
    let second = others.fold(0.0, f64::max);
    let lead = (top - second).clamp(0.0, 0.5);
    let confidence = if known.delimiter.is_some() { 1.0 } else { (evenness * (0.5 + lead)).clamp(0.0, 1.0) };
    Sniffed { marks, confidence: (confidence * 100.0).round() / 100.0 }
}

fn candidates(sample: &str, known: Known) -> Vec<Marks> {
    let delimiters: Vec<u8> = match known.delimiter {
        Some(delimiter) => vec![delimiter],
        None => {
            DELIMITERS.iter().map(|one| one.0).filter(|one| *one == b',' || sample.as_bytes().contains(one)).collect()
        }
    };
    let quotes: Vec<Option<u8>> = match known.quote {
        Some(quote) => vec![quote],
        None => {
            let used = [b'"', b'\''].into_iter().filter(|quote| begins_fields(sample, *quote, &delimiters));
            used.map(Some).chain([None]).collect()
        }
    };
    let mut all = Vec::new();
    for delimiter in delimiters {
        for quote in &quotes {
            let plain = Marks { delimiter, quote: *quote, escape: None, spaced: false };
            let Some(quote) = quote.map(char::from) else {
                all.push(plain);
                continue;
            };
            let spaced = sample.contains(&format!("{} {quote}", char::from(delimiter)));
            all.push(Marks { spaced, ..plain });
            if sample.contains(&format!("\\{quote}")) {
                all.push(Marks { spaced, escape: Some(b'\\'), ..plain });
            }
        }
    }
    all
}

/// Whether a quote stands where a field may begin.
fn begins_fields(sample: &str, quote: u8, delimiters: &[u8]) -> bool {
    let bytes = sample.as_bytes();
    memchr::memchr_iter(quote, bytes).any(|at| match at.checked_sub(1).and_then(|before| bytes.get(before)) {
        None | Some(b'\n' | b'\r' | b' ') => true,
        Some(before) => delimiters.contains(before),
    })
}

/// Reads a sample. The last record is left out when the sample cuts it.
fn sample_rows(sample: &str, whole: bool, marks: Marks) -> (Rows, Oddities) {
    let text = Text::new(Cursor::new(sample.as_bytes()), Charset::UTF_8);
    if !whole {
        return Scanner::sample(sample, marks, text);
    }
    let mut scanner = Scanner::new(text, marks);
    let mut all = Rows { marks: Some(marks), ..Rows::default() };
    // A sample is smaller than a run, so one is all there is.
    if let Ok(Some(rows)) = scanner.next_rows() {
        all = rows;
    }
    (all, scanner.oddities)
}

fn score(sample: &str, whole: bool, marks: Marks) -> (f64, f64) {
    let (rows, oddities) = sample_rows(sample, whole, marks);
    let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
    let mut count = 0usize;
    for row in (0..rows.len()).filter(|row| !rows.is_blank(*row)) {
        *widths.entry(rows.width(row)).or_default() += 1;
        count += 1;
    }
    let Some((width, even)) = widths.into_iter().max_by_key(|(width, count)| (*count, *width)) else {
        return (0.0, 0.0);
    };
    let evenness = even as f64 / count.max(1) as f64;
    let strays = oddities.stray_quotes.0 + oddities.open_quotes.0;
    let against = if strays > 0 { 0.1 + 0.3 * (strays as f64 / count as f64).min(1.0) } else { 0.0 };
    let against = against + loose_quotes(&rows, marks);
    if width == 1 {
        return (ONE_COLUMN - against, 0.5);
    }
    let typed = typed_share(&rows, width);
    (evenness + 0.3 * typed + 0.01 * width.min(10) as f64 - against, evenness)
}

/// Quotes that these marks leave standing at both ends of fields speak against them.
fn loose_quotes(rows: &Rows, marks: Marks) -> f64 {
    let loose = |quote: char, text: &str| text.len() > 1 && text.starts_with(quote) && text.ends_with(quote);
    let mut plain = 0usize;
    let mut wrapped = 0usize;
    for field in rows.fields.iter().take(2_000).filter(|field| field.how == How::Plain) {
        let text = rows.text.get(field.start as usize..field.end as usize).unwrap_or_default().trim();
        plain += 1;
        wrapped += usize::from(loose('"', text) || (marks.quote.is_none() && loose('\'', text)));
    }
    if wrapped == 0 { 0.0 } else { 0.05 + wrapped as f64 / plain as f64 }
}

/// The share of fields that are numbers, dates and the like.
fn typed_share(rows: &Rows, width: usize) -> f64 {
    let (mut all, mut typed) = (0usize, 0usize);
    for row in (0..rows.len()).filter(|row| rows.width(*row) == width).take(200) {
        for column in 0..width.min(50) {
            let Some(cell) = rows.cell(row, column) else { continue };
            all += 1;
            typed += usize::from(cell.text.trim().is_empty() || looks_typed(&cell.text));
        }
    }
    typed as f64 / all.max(1) as f64
}
