//! A JSON Lines file as typed rows: one object per line, its keys are the columns.
//!
//! Numbers keep their digits, because values are taken from the text and not from a parsed number. Objects and arrays are
//! text in JSON. Texts are dates only in ISO form, and are numbers never.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Seek as _};

use jig_text::csv::{MAX_COLUMNS, first_few, quantity, unique_name};
use jig_text::value::{DateOrder, parse_date, split_date_time};
use serde::de::IgnoredAny;

use crate::error::TableError;
use crate::limits::MAX_JSON_LINE_BYTES;
use crate::source::{RowSource, SourceCell};

/// How many bytes are read at a time.
const BUFFER_BYTES: usize = 1 << 20;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The rows of a JSON Lines file.
pub(crate) struct JsonRows {
    lines: JsonLines,
    keys: Keys,
    warnings: Vec<String>,
}

/// The keys of all objects, in the order of their first occurrence.
#[derive(Default)]
struct Keys {
    indices: HashMap<String, usize>,
    names: Vec<String>,
    /// For each key, how many rows have it.
    counts: Vec<u64>,
}

impl JsonRows {
    /// Reads a file once to find its keys, and refuses it if a line is not an object.
    pub(crate) fn open(file: File) -> Result<Self, TableError> {
        let mut lines = JsonLines::new(file)?;
        let mut keys = Keys::default();
        let (mut rows, mut repeated, mut first_repeated) = (0_u64, 0_u64, 0_u64);
        let mut seen = HashSet::new();
        while let Some((number, line)) = lines.next()? {
            rows += 1;
            seen.clear();
            for member in Members::of(line) {
                let index = keys.index(member.key(number)?)?;
                if !seen.insert(index) {
                    repeated += 1;
                    first_repeated = if repeated == 1 { number } else { first_repeated };
                } else if let Some(count) = keys.counts.get_mut(index) {
                    *count += 1;
                }
            }
        }
        let mut warnings = keys.uneven(rows);
        if repeated > 0 {
            let keys = quantity(usize::try_from(repeated).unwrap_or(usize::MAX), "repeated key");
            warnings.push(format!("{keys} in one object (first in line {first_repeated}); the last value counts"));
        }
        Ok(Self { lines, keys, warnings })
    }
}

impl Keys {
    fn index(&mut self, key: String) -> Result<usize, TableError> {
        if let Some(index) = self.indices.get(&key) {
            return Ok(*index);
        }
        let index = self.names.len();
        if index >= MAX_COLUMNS {
            return Err(TableError::TooLarge {
                what: "the JSON Lines file",
                limit: format!("{MAX_COLUMNS} different keys"),
                hint: "its objects may use values as keys; make these values a column",
            });
        }
        self.names.push(key.clone());
        self.counts.push(0);
        self.indices.insert(key, index);
        Ok(index)
    }

    /// The names of the columns: the keys, made unique without regard to case, as SQL compares names.
    fn columns(&self) -> Vec<String> {
        let mut used = HashSet::new();
        let named = self.names.iter().enumerate();
        let name = |index: usize, key: &str| match key.replace('\0', "") {
            empty if empty.trim().is_empty() => format!("column_{}", index + 1),
            name => name,
        };
        named.map(|(index, key)| unique_name(&name(index, key), &mut used)).collect()
    }

    /// The warning about keys that some rows do not have.
    fn uneven(&self, rows: u64) -> Vec<String> {
        let counts = self.names.iter().zip(&self.counts).filter(|(_, count)| **count < rows);
        let uneven: Vec<String> = counts.map(|(name, count)| format!("`{name}` in {count} of {rows} rows")).collect();
        if uneven.is_empty() {
            return Vec::new();
        }
        let keys = quantity(uneven.len(), "key");
        let missing = if uneven.len() == 1 { "is missing" } else { "are missing" };
        vec![format!("{keys} {missing} in some rows and null there: {}", first_few(&uneven))]
    }
}

impl RowSource for JsonRows {
    fn rewind(&mut self) -> Result<(), TableError> {
        self.lines.rewind()
    }

    fn next_row(&mut self, row: &mut Vec<SourceCell>) -> Result<Option<u64>, TableError> {
        row.resize(self.keys.names.len(), SourceCell::Empty);
        let Some((number, line)) = self.lines.next()? else { return Ok(None) };
        for member in Members::of(line) {
            let index = self.keys.indices.get(&member.key(number)?);
            if let Some(cell) = index.and_then(|index| row.get_mut(*index)) {
                *cell = member.cell(number)?;
            }
        }
        Ok(Some(number))
    }

    fn names(&self) -> Option<Vec<String>> {
        Some(self.keys.columns())
    }

    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }
}

/// The lines of a file that contain objects. Empty lines are skipped.
struct JsonLines {
    reader: BufReader<File>,
    line: Vec<u8>,
    /// The number of the last line, from 1.
    number: u64,
}

impl JsonLines {
    fn new(file: File) -> Result<Self, TableError> {
        let mut lines = Self { reader: BufReader::with_capacity(BUFFER_BYTES, file), line: Vec::new(), number: 0 };
        lines.rewind()?;
        Ok(lines)
    }

    fn rewind(&mut self) -> Result<(), TableError> {
        self.number = 0;
        self.reader.rewind().map_err(TableError::io("the file could not be read"))
    }

    /// The number of the next line with an object and its text, which is valid JSON; `None` at the end.
    fn next(&mut self) -> Result<Option<(u64, &str)>, TableError> {
        loop {
            self.line.clear();
            let limit = MAX_JSON_LINE_BYTES as u64 + 1;
            let read = (&mut self.reader).take(limit).read_until(b'\n', &mut self.line);
            if read.map_err(TableError::io("the file could not be read"))? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if self.line.len() > MAX_JSON_LINE_BYTES {
                return Err(self.invalid(&format!("is longer than {} MiB", MAX_JSON_LINE_BYTES >> 20)));
            }
            if self.number == 1 && self.line.starts_with(BYTE_ORDER_MARK) {
                self.line.drain(..BYTE_ORDER_MARK.len());
            }
            if !self.line.trim_ascii().is_empty() {
                break;
            }
        }
        let Ok(text) = std::str::from_utf8(&self.line) else {
            return Err(self.invalid("is not UTF-8, the only encoding of JSON Lines"));
        };
        let text = text.trim();
        // Checks the syntax of the entire line without recursion, so that its parts can be found by simple means.
        if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
            return Err(self.invalid(&format!("is not valid JSON (column {})", error.column())));
        }
        if !text.starts_with('{') {
            return Err(self.invalid("is not a JSON object"));
        }
        Ok(Some((self.number, text)))
    }

    fn invalid(&self, why: &str) -> TableError {
        TableError::JsonLine { line: self.number, why: why.to_owned() }
    }
}

/// A key and its value as they are in the text of an object.
struct Member<'a> {
    key: &'a str,
    value: &'a str,
}

impl Member<'_> {
    fn key(&self, line: u64) -> Result<String, TableError> {
        string(self.key, line)
    }

    fn cell(&self, line: u64) -> Result<SourceCell, TableError> {
        Ok(match self.value.as_bytes().first() {
            None | Some(b'n') => SourceCell::Empty,
            Some(b't') => SourceCell::Boolean(true),
            Some(b'f') => SourceCell::Boolean(false),
            Some(b'"') => match string(self.value, line)? {
                text if is_iso_date(&text) => SourceCell::DateTime(text),
                text => SourceCell::Text(text),
            },
            Some(b'{' | b'[') => SourceCell::Text(self.value.to_owned()),
            Some(_) => SourceCell::Number(self.value.to_owned()),
        })
    }
}

/// The text of a JSON string. The check of the line does not decode strings, so an escape may still be invalid.
fn string(json: &str, line: u64) -> Result<String, TableError> {
    let why = || "has a text with an invalid escape sequence".to_owned();
    serde_json::from_str(json).map_err(|_| TableError::JsonLine { line, why: why() })
}

/// Whether a text is a date, or a date with a time, in ISO form.
fn is_iso_date(text: &str) -> bool {
    let is_date = |date: &str| {
        let dashes = date.as_bytes().get(4) == Some(&b'-') && date.as_bytes().get(7) == Some(&b'-');
        date.len() == 10 && dashes && parse_date(date, DateOrder::YearFirst).is_some()
    };
    match text.split_at_checked(10) {
        Some((date, "")) => is_date(date),
        Some((date, time)) => time.starts_with(['T', ' ']) && is_date(date) && split_date_time(text).is_some(),
        None => false,
    }
}

/// The members of an object whose syntax is known to be valid.
struct Members<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Members<'a> {
    fn of(text: &'a str) -> Self {
        // After the opening brace.
        Self { text, position: 1 }
    }

    /// Skips white space and these separators.
    fn skip(&mut self, separators: &[u8]) {
        let rest = self.text.as_bytes().get(self.position..).unwrap_or_default();
        self.position += rest.iter().take_while(|b| b.is_ascii_whitespace() || separators.contains(b)).count();
    }

    /// Takes one value: to the end of a string, to the matching bracket, or to the next separator.
    fn take(&mut self) -> Option<&'a str> {
        let start = self.position;
        let bytes = self.text.as_bytes();
        let (mut depth, mut in_string) = (0_usize, false);
        while let Some(byte) = bytes.get(self.position) {
            match byte {
                b'\\' if in_string => self.position += 1,
                b'"' => in_string = !in_string,
                _ if in_string => {}
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth == 0 => break,
                b'}' | b']' => depth -= 1,
                b',' | b':' if depth == 0 => break,
                _ => {}
            }
            self.position += 1;
        }
        let value = self.text.get(start..self.position)?.trim_end();
        (!value.is_empty()).then_some(value)
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    fn next(&mut self) -> Option<Member<'a>> {
        self.skip(b",");
        let key = self.take()?;
        self.skip(b":");
        Some(Member { key, value: self.take()? })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// Names, rows and warnings.
    type Read = (Vec<String>, Vec<Vec<SourceCell>>, Vec<String>);

    fn rows(text: &str) -> Result<Read, String> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let mut source = JsonRows::open(file).map_err(|error| error.to_string())?;
        source.rewind().unwrap();
        let (mut all, mut row) = (Vec::new(), Vec::new());
        while source.next_row(&mut row).unwrap().is_some() {
            all.push(std::mem::take(&mut row));
        }
        Ok((source.names().unwrap(), all, source.warnings()))
    }

    #[test]
    fn values_keep_their_types_and_digits() {
        let line =
            r#" { "a" : 12.50, "b":"x, \"y\": {1}" ,"c":[1, {"d":"]"}],"e":null,"f":true,"g":"2024-02-29","h":"007"}"#;
        let (names, rows, warnings) = rows(line).unwrap();
        assert_eq!(names, ["a", "b", "c", "e", "f", "g", "h"]);
        let text = |text: &str| SourceCell::Text(text.to_owned());
        assert_eq!(
            rows,
            [[
                SourceCell::Number("12.50".to_owned()),
                text("x, \"y\": {1}"),
                text(r#"[1, {"d":"]"}]"#),
                SourceCell::Empty,
                SourceCell::Boolean(true),
                SourceCell::DateTime("2024-02-29".to_owned()),
                text("007"),
            ]]
        );
        assert_eq!(warnings, Vec::<String>::new());
    }

    #[test]
    fn uneven_and_repeated_keys_are_reported() {
        let (names, rows, warnings) = rows("\u{feff}{\"a\":1,\"A\":2}\n\n{\"a\":3,\"a\":4,\"b\":5}\n{}\n").unwrap();
        assert_eq!(names, ["a", "A_2", "b"]);
        assert_eq!(rows.len(), 3);
        assert_eq!(rows[1][0], SourceCell::Number("4".to_owned()));
        assert_eq!(
            warnings,
            [
                "3 keys are missing in some rows and null there: `a` in 2 of 3 rows, `A` in 1 of 3 rows, `b` in 1 of 3 rows",
                "1 repeated key in one object (first in line 3); the last value counts",
            ]
        );
    }

    #[test]
    fn a_line_that_is_not_an_object_is_refused() {
        let refused = |text: &str| rows(text).unwrap_err();
        assert_eq!(refused("{\"a\":1}\n[1]\n"), "invalid JSON Lines file: line 2 is not a JSON object");
        assert_eq!(refused("{\"a\":1,}"), "invalid JSON Lines file: line 1 is not valid JSON (column 8)");
        assert!(refused("{\"a\":1} {\"a\":2}").contains("not valid JSON"));
        assert!(refused(&"[".repeat(100_000)).contains("not valid JSON"));
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(rows(&deep).unwrap().1.len(), 1);
        let keys: String = (0..5_000).map(|key| format!("{{\"k{key}\":1}}\n")).collect();
        assert!(refused(&keys).contains("4096 different keys"));
    }
}
