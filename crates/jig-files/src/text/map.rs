//! `TextGetMap`: the size of a text, its chunks, and what its kind says at a glance.

use serde_json::{Map, Value, json};

use super::Text;
use super::{delimited, headings, json as shape};
use crate::kind::FileKind;

/// Chunks and headings that are listed at most; how many there are is said beside.
const MOST: usize = 2_000;

pub(super) fn map(text: &Text, kind: FileKind, warnings: &mut Vec<String>) -> Value {
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
        FileKind::Csv => {
            put("table", delimited::columns(text.content(), None));
        }
        FileKind::Tsv => {
            put("table", delimited::columns(text.content(), Some('\t')));
        }
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
