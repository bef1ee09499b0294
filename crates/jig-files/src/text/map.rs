//! `TextGetMap`: the size of a text, its chunks, and what its kind says at a glance.

use std::io::Cursor;

use jig_text::csv::{CsvError, CsvFile, CsvOptions, TableLayout, has_extra_fields};
use serde_json::{Map, Value, json};

use super::Text;
use super::{headings, json as shape};
use crate::kind::FileKind;

/// Chunks and headings that are listed at most; how many there are is said beside.
const MOST: usize = 2_000;
/// Columns that are named at most.
const MOST_COLUMNS: usize = 500;

pub(super) fn map(text: &Text, bytes: &[u8], kind: FileKind, warnings: &mut Vec<String>) -> Value {
    let map = text.map();
    let chunks = map.chunks.iter().take(MOST);
    let chunks: Vec<Value> =
        chunks.map(|chunk| json!({ "index": chunk.index, "lines": chunk.lines.to_string() })).collect();
    let mut answer = Map::from_iter([
        ("line_count".to_owned(), json!(map.line_count)),
        ("char_count".to_owned(), json!(map.char_count)),
        ("encoding".to_owned(), json!(text.encoding().name())),
        ("bom".to_owned(), json!(text.encoding().has_bom())),
        ("line_ending".to_owned(), json!(text.line_ending().as_str())),
        ("final_newline".to_owned(), json!(text.final_newline())),
        ("chunks".to_owned(), json!(chunks)),
    ]);
    let mut put = |key: &str, value: Value| answer.insert(key.to_owned(), value);
    if map.chunks.len() > MOST {
        put("chunk_count", map.chunks.len().into());
        warnings.push(format!("chunks: the first {MOST} of {} are listed", map.chunks.len()));
    }
    match kind {
        FileKind::Json => {
            put("json", shape::shape(text.content()));
        }
        FileKind::Csv | FileKind::Tsv => match table(text, bytes) {
            Ok(table) => {
                put("table", table);
            }
            Err(error) => warnings.push(format!("table: {error}")),
        },
        FileKind::Markdown => {
            let found = headings::headings(text);
            if found.len() > MOST {
                warnings.push(format!("headings: the first {MOST} of {} are listed", found.len()));
            }
            let found = found.into_iter().take(MOST);
            put(
                "headings",
                found.map(|one| json!({ "level": one.level, "text": one.text, "line": one.line })).collect(),
            );
        }
        _ => {}
    }
    Value::Object(answer)
}

/// The columns of a delimited text, as the table methods read them.
fn table(text: &Text, bytes: &[u8]) -> Result<Value, CsvError> {
    let options = CsvOptions { charset: Some(text.encoding().charset()), ..CsvOptions::default() };
    let mut file = CsvFile::open(Cursor::new(bytes), &options)?;
    let delimiter = char::from(file.format().dialect.delimiter).to_string();
    let mut reader = file.records()?;
    let mut records = reader.next_batch()?.unwrap_or_default();
    let layout = TableLayout::detect(&records, None);
    let width = layout.names.len();
    // A record with more fields than there are names adds a column, wherever in the file it is.
    let mut extra = false;
    loop {
        extra = extra || layout.rows(&records).any(|row| has_extra_fields(&records, row, width));
        if extra || !reader.read_batch(&mut records)? {
            break;
        }
    }
    let mut answer = json!({
        "delimiter": delimiter,
        "has_header": layout.has_header,
        "column_count": width + usize::from(extra),
        "more": "TabularGetMap tells types and rows; the table tools read, filter and query them",
    });
    if layout.has_header {
        answer["columns"] = layout.names.iter().take(MOST_COLUMNS).map(String::as_str).collect();
    }
    Ok(answer)
}
