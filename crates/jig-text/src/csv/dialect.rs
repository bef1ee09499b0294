//! Detects the dialect: each likely one splits a sample, and the one with the most uniform records wins.

use std::collections::BTreeMap;

use super::reader::{split_complete, split_start};
use super::records::{Quoting, Records};
use super::{CsvDefects, CsvDialect, CsvOptions};
use crate::value::looks_typed;

/// How much of a text is split with each dialect.
const SAMPLE_BYTES: usize = 64 << 10;
/// Delimiters, and a penalty for those that also occur in values.
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
/// The score of a single column: above very uneven records, below even ones.
const ONE_COLUMN: f64 = 0.62;

/// The result of [`detect_dialect`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DetectedDialect {
    /// The dialect.
    pub dialect: CsvDialect,
    /// How certain this is, from 0 to 1.
    pub confidence: f64,
}

/// Detects the dialect of a text by its start, of which at most 64 KiB are examined. `complete` states that this is the
/// entire text. What the options specify is not detected; a first line `sep=;` specifies the delimiter too.
///
/// ```
/// use jig_text::csv::{CsvOptions, detect_dialect};
///
/// let text = "day;amount\n2024-01-31;1,50\n2024-02-01;12,00\n";
/// assert_eq!(detect_dialect(text, true, &CsvOptions::default()).dialect.delimiter, b';');
/// ```
#[must_use]
pub fn detect_dialect(text: &str, complete: bool, options: &CsvOptions) -> DetectedDialect {
    let end = text.floor_char_boundary(SAMPLE_BYTES);
    let sample = text.get(..end).unwrap_or(text);
    let complete = complete && end == text.len();
    let known = CsvOptions { delimiter: options.delimiter.or_else(|| sep_line(sample)), ..*options };
    let mut tries: Vec<(f64, f64, CsvDialect)> = Vec::new();
    for dialect in candidates(sample, &known) {
        let (score, evenness) = score(sample, complete, dialect);
        let penalty = DELIMITERS.iter().find(|(delimiter, _)| *delimiter == dialect.delimiter).map_or(0.0, |one| one.1);
        tries.push((score - penalty, evenness, dialect));
    }
    // The first of equals wins: candidates are in the order of how common they are.
    let best = tries.iter().copied().reduce(|best, next| if next.0 > best.0 + 1e-9 { next } else { best });
    let Some((top, evenness, dialect)) = best else {
        let delimiter = known.delimiter.unwrap_or(b',');
        let dialect = CsvDialect { delimiter, quote: None, escape: None, space_before_quote: false };
        return DetectedDialect { dialect, confidence: 0.5 };
    };
    let others = tries.iter().filter(|one| one.2.delimiter != dialect.delimiter).map(|one| one.0);
    let second = others.fold(0.0, f64::max);
    let lead = (top - second).clamp(0.0, 0.5);
    let confidence = if known.delimiter.is_some() { 1.0 } else { (evenness * (0.5 + lead)).clamp(0.0, 1.0) };
    DetectedDialect { dialect, confidence: (confidence * 100.0).round() / 100.0 }
}

/// The delimiter in a first line such as `sep=;`, which Excel writes and reads.
fn sep_line(sample: &str) -> Option<u8> {
    let first = sample.lines().next()?.trim_end_matches('\r');
    let delimiter = first.strip_prefix("sep=").or_else(|| first.strip_prefix("SEP="))?;
    match delimiter.as_bytes() {
        [byte] => Some(*byte),
        _ => None,
    }
}

fn candidates(sample: &str, known: &CsvOptions) -> Vec<CsvDialect> {
    let delimiters: Vec<u8> = match known.delimiter {
        Some(delimiter) => vec![delimiter],
        None => {
            DELIMITERS.iter().map(|one| one.0).filter(|one| *one == b',' || sample.as_bytes().contains(one)).collect()
        }
    };
    let quotes: Vec<Option<u8>> = match known.quote {
        Some(quote) => vec![quote],
        None => {
            let used = [b'"', b'\''].into_iter().filter(|quote| starts_fields(sample, *quote, &delimiters));
            used.map(Some).chain([None]).collect()
        }
    };
    let mut all = Vec::new();
    for delimiter in delimiters {
        for quote in &quotes {
            let plain = CsvDialect { delimiter, quote: *quote, escape: None, space_before_quote: false };
            let Some(quote) = quote.map(char::from) else {
                all.push(plain);
                continue;
            };
            let space_before_quote = sample.contains(&format!("{} {quote}", char::from(delimiter)));
            all.push(CsvDialect { space_before_quote, ..plain });
            if sample.contains(&format!("\\{quote}")) {
                all.push(CsvDialect { space_before_quote, escape: Some(b'\\'), ..plain });
            }
        }
    }
    all
}

/// Whether a quote is at a place where a field may start.
fn starts_fields(sample: &str, quote: u8, delimiters: &[u8]) -> bool {
    let bytes = sample.as_bytes();
    memchr::memchr_iter(quote, bytes).any(|at| match at.checked_sub(1).and_then(|before| bytes.get(before)) {
        None | Some(b'\n' | b'\r' | b' ') => true,
        Some(before) => delimiters.contains(before),
    })
}

fn split_sample(sample: &str, complete: bool, dialect: CsvDialect) -> (Records, CsvDefects) {
    let split = if complete { split_complete } else { split_start };
    split(sample.to_owned(), dialect)
}

/// The score of a dialect, and the share of records with the most frequent number of fields.
fn score(sample: &str, complete: bool, dialect: CsvDialect) -> (f64, f64) {
    let (records, defects) = split_sample(sample, complete, dialect);
    let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
    let mut count = 0usize;
    for row in (0..records.len()).filter(|row| !records.is_blank(*row)) {
        *widths.entry(records.width(row)).or_default() += 1;
        count += 1;
    }
    let Some((width, even)) = widths.into_iter().max_by_key(|(width, count)| (*count, *width)) else {
        return (0.0, 0.0);
    };
    let evenness = even as f64 / count.max(1) as f64;
    let bad_quotes = defects.undoubled_quotes.count + defects.unclosed_quotes.count;
    let penalty = if bad_quotes > 0 { 0.1 + 0.3 * (bad_quotes as f64 / count as f64).min(1.0) } else { 0.0 };
    let penalty = penalty + unused_quotes(&records, dialect);
    if width == 1 {
        return (ONE_COLUMN - penalty, 0.5);
    }
    let typed = typed_share(&records, width);
    (evenness + 0.3 * typed + 0.01 * width.min(10) as f64 - penalty, evenness)
}

/// The penalty for fields that still have quotes at both ends.
fn unused_quotes(records: &Records, dialect: CsvDialect) -> f64 {
    let has_quotes = |quote: char, text: &str| text.len() > 1 && text.starts_with(quote) && text.ends_with(quote);
    let mut plain = 0usize;
    let mut wrapped = 0usize;
    for field in records.fields.iter().take(2_000).filter(|field| field.quoting == Quoting::Plain) {
        let text = records.text.get(field.start as usize..field.end as usize).unwrap_or_default().trim();
        plain += 1;
        wrapped += usize::from(has_quotes('"', text) || (dialect.quote.is_none() && has_quotes('\'', text)));
    }
    if wrapped == 0 { 0.0 } else { 0.05 + wrapped as f64 / plain as f64 }
}

/// The share of fields that are empty, numbers, dates, times or booleans.
fn typed_share(records: &Records, width: usize) -> f64 {
    let (mut all, mut typed) = (0usize, 0usize);
    for row in (0..records.len()).filter(|row| records.width(*row) == width).take(200) {
        for column in 0..width.min(50) {
            let Some(cell) = records.cell(row, column) else { continue };
            all += 1;
            typed += usize::from(cell.text.trim().is_empty() || looks_typed(&cell.text));
        }
    }
    typed as f64 / all.max(1) as f64
}
