//! The rows of a delimited text as ranges of it.

use std::ops::Range;

/// A table: each record with its line end.
pub(super) struct Table<'t> {
    pub(super) text: &'t str,
    delimiter: u8,
    pub(super) records: Vec<Range<usize>>,
}

/// The delimiter that cuts the first records into the same number of fields, two at least.
pub(super) fn delimiter(text: &str) -> Option<u8> {
    let width = |delimiter: u8| {
        let table = Table::head(text, delimiter, 20)?;
        let widths: Vec<usize> = (0..table.records.len()).map(|at| table.fields(at).len()).collect();
        let first = *widths.first()?;
        (first > 1 && widths.iter().filter(|width| **width == first).count() * 10 >= widths.len() * 9).then_some(first)
    };
    let found = [b',', b';', b'\t', b'|'].into_iter().filter_map(|delimiter| Some((width(delimiter)?, delimiter)));
    found.max_by_key(|(width, delimiter)| (*width, *delimiter == b',')).map(|(_, delimiter)| delimiter)
}

impl<'t> Table<'t> {
    /// Reads all records; none when a quote is never closed.
    pub(super) fn parse(text: &'t str, delimiter: u8) -> Option<Self> {
        Self::head(text, delimiter, usize::MAX)
    }

    fn head(text: &'t str, delimiter: u8, most: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let (mut records, mut start, mut quoted, mut begins) = (Vec::new(), 0, false, true);
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' if quoted && bytes.get(at + 1) == Some(&b'"') => at += 1,
                b'"' if quoted => quoted = false,
                b'"' if begins => quoted = true,
                b'\n' | b'\r' if !quoted => {
                    if *byte == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
                        at += 1;
                    }
                    records.push(start..at + 1);
                    start = at + 1;
                    if records.len() >= most {
                        return Some(Self { text, delimiter, records });
                    }
                }
                _ => {}
            }
            let ends = |byte: &u8| matches!(byte, b'\n' | b'\r') || *byte == delimiter;
            begins = !quoted && bytes.get(at).is_some_and(ends);
            at += 1;
        }
        if quoted {
            return None;
        }
        if start < bytes.len() {
            records.push(start..bytes.len());
        }
        // Empty lines at the end are no rows.
        while records.last().is_some_and(|range| text.get(range.clone()).is_some_and(|line| line.trim().is_empty())) {
            records.pop();
        }
        Some(Self { text, delimiter, records })
    }

    /// Where a record is, its line end included.
    pub(super) fn range(&self, at: usize) -> Range<usize> {
        self.records.get(at).cloned().unwrap_or(0..0)
    }

    /// A record as it is written, without its line end.
    pub(super) fn line(&self, at: usize) -> &'t str {
        self.text.get(self.range(at)).unwrap_or_default().trim_end_matches(['\r', '\n'])
    }

    /// Where the fields of a record are in the text.
    pub(super) fn fields(&self, at: usize) -> Vec<Range<usize>> {
        let base = self.range(at).start;
        let line = self.line(at).as_bytes();
        let (mut fields, mut start, mut quoted, mut begins) = (Vec::new(), 0, false, true);
        let mut place = 0;
        while let Some(byte) = line.get(place) {
            begins = match byte {
                b'"' if quoted && line.get(place + 1) == Some(&b'"') => {
                    place += 1;
                    false
                }
                b'"' if quoted || begins => {
                    quoted = !quoted;
                    false
                }
                byte if *byte == self.delimiter && !quoted => {
                    fields.push(base + start..base + place);
                    start = place + 1;
                    true
                }
                _ => false,
            };
            place += 1;
        }
        fields.push(base + start..base + line.len());
        fields
    }

    /// The values of a record.
    pub(super) fn values(&self, at: usize) -> Vec<String> {
        let value = |range: &Range<usize>| unquoted(self.text.get(range.clone()).unwrap_or_default());
        self.fields(at).iter().map(value).collect()
    }

    /// One value.
    pub(super) fn field(&self, at: usize, column: usize) -> String {
        self.values(at).into_iter().nth(column).unwrap_or_default()
    }

    /// Whether the first record names columns: all of it text, each once.
    pub(super) fn has_header(&self) -> bool {
        if self.records.is_empty() {
            return false;
        }
        let names = self.values(0);
        let named = |name: &String| !name.trim().is_empty() && name.trim().parse::<f64>().is_err();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        names.iter().all(named) && sorted.len() == names.len()
    }
}

fn unquoted(raw: &str) -> String {
    match raw.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inside) => inside.replace("\"\"", "\""),
        None => raw.to_owned(),
    }
}
