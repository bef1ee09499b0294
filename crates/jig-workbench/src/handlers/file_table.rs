//! Delimited files in the general verbs: maps describe the table, and files too large for text are read by row.

use jig_contract::ops::*;
use jig_contract::{Code, OpError};
use jig_files::count_tokens;
use serde_json::{Map, Value, json};

use super::file_read::{Chosen, MAX_TOKENS, bad_cursor, short};
use crate::{CallContext, Workbench};
use jig_worker::TableInput;

/// How many rows are requested at a time; more do not fit into a typical answer.
const ROWS: u64 = 500;
/// Advice for agents.
const MORE: &str = "run SQL on it with `table_query`, as table `data`";

impl Workbench {
    /// The map of a delimited text: lines and chunks as for any text, and `table` with columns, types and rows.
    pub(super) async fn table_map(
        &self,
        context: &CallContext,
        chosen: &Chosen,
    ) -> Result<Map<String, Value>, OpError> {
        let table = self.table_answer(context, "TabularGetMap", chosen, json!({})).await;
        let text = if self.is_long(chosen) {
            None
        } else {
            Some(self.office_answer(context, "TextGetMap", &chosen.path, chosen.node, json!({})).await)
        };
        // One half is better than nothing, as long as the other half is reported as missing.
        let (mut map, missing) = match (text, table) {
            (Some(Ok(map)), Ok(table)) => return Ok(with_table(map, table)),
            (Some(Ok(map)), Err(error)) if error.code() != Code::UserCanceled => {
                (map, format!("the table's columns and rows are not told: {error}"))
            }
            (Some(Err(error)), Ok(table)) => (with_table(Map::new(), table), format!("lines are not told: {error}")),
            (None, Ok(table)) => {
                let words = format!("the file has {} bytes; its lines are not counted", chosen.node.bytes);
                (with_table(Map::new(), table), words)
            }
            (_, Err(error)) => return Err(error),
        };
        if let Some(warnings) = map.entry("warnings").or_insert_with(|| json!([])).as_array_mut() {
            warnings.push(missing.into());
        }
        Ok(map)
    }

    /// Whether a file is too large to be read as text.
    pub(super) fn is_long(&self, chosen: &Chosen) -> bool {
        chosen.node.bytes > self.text_bytes()
    }

    /// Rows of a delimited file that is too large for text, within the budget. Line parameters refer to rows.
    pub(super) async fn read_rows(
        &self,
        context: &CallContext,
        chosen: &Chosen,
        params: &FileReadParams,
    ) -> Result<FileReadOutput, OpError> {
        let hash = short(&chosen.info);
        let (start, left) = match &params.cursor {
            Some(cursor) => place(cursor, &hash).ok_or_else(bad_cursor)?,
            None => (params.line_start.unwrap_or(1), params.line_count),
        };
        let question = json!({ "row_start": start, "row_count": left.unwrap_or(ROWS).min(ROWS) });
        let answer = self.table_answer(context, "TabularReadRows", chosen, question).await?;
        let headers: Vec<String> = strings(&answer, "columns");
        let rows = answer.get("rows").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let most = usize::try_from(params.max_tokens.unwrap_or(MAX_TOKENS)).unwrap_or(usize::MAX);
        let (text, given) = lines(&headers, rows, most);
        let total = answer.get("total_rows").and_then(Value::as_u64).unwrap_or(0);
        if start > total {
            let words = format!("row {start} is beyond the last one, {total}");
            return Err(OpError::new(Code::ValidationFailed, words).hint("ask for rows that exist, counted from 1"));
        }
        let (next, left) = (start + given, left.map(|left| left.saturating_sub(given)));
        let cursor = (next <= total && left != Some(0)).then(|| cursor(next, left, &hash));
        let mut warnings = vec![format!(
            "the file has {} bytes and is read by rows, not by lines: these are rows {start} to {} of {total}, in columns \
             parted by tabs; `line_start` and `line_count` count rows; {MORE}",
            chosen.node.bytes,
            next - 1
        )];
        warnings.extend(strings(&answer, "warnings"));
        let tokens = count_tokens(&text) as u64;
        Ok(FileReadOutput {
            text,
            tokens,
            chunk_info: Some(Map::from_iter([
                ("has_more".to_owned(), cursor.is_some().into()),
                ("range".to_owned(), format!("{start}-{}", next - 1).into()),
                ("total_rows".to_owned(), total.into()),
            ])),
            cursor,
            hash: chosen.info.hash,
            lines: None,
            headers: Some(headers),
            warnings,
        })
    }

    async fn table_answer(
        &self,
        context: &CallContext,
        method: &'static str,
        chosen: &Chosen,
        mut question: Value,
    ) -> Result<Map<String, Value>, OpError> {
        question["path"] = chosen.path.as_str().into();
        let input = TableInput { path: chosen.path.to_string(), file: chosen.node };
        let job = self.table_job(method, question, vec![input], None);
        let done = self.table_work().run(self.store().blobs(), job, &context.cancel).await?;
        match done.result {
            Value::Object(answer) => Ok(answer),
            _ => Err(OpError::new(Code::Internal, format!("{method} gave no object"))),
        }
    }
}

fn with_table(mut map: Map<String, Value>, mut table: Map<String, Value>) -> Map<String, Value> {
    table.insert("more".to_owned(), MORE.into());
    map.insert("table".to_owned(), table.into());
    map
}

/// Rows as lines below the header, as many as fit; at least one, so that reading makes progress.
fn lines(headers: &[String], rows: &[Value], most: usize) -> (String, u64) {
    let mut text = format!("{}\n", headers.iter().map(|name| bare(name)).collect::<Vec<_>>().join("\t"));
    let (mut tokens, mut given) = (count_tokens(&text), 0);
    for row in rows {
        let cells = row.as_array().into_iter().flatten().map(|cell| match cell {
            Value::Null => String::new(),
            Value::String(text) => bare(text),
            other => other.to_string(),
        });
        let line = format!("{}\n", cells.collect::<Vec<_>>().join("\t"));
        tokens += count_tokens(&line);
        if tokens > most && given > 0 {
            break;
        }
        text.push_str(&line);
        given += 1;
    }
    (text, given)
}

/// A value on one line and in one column.
fn bare(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ")
}

fn strings(answer: &Map<String, Value>, key: &str) -> Vec<String> {
    let list = answer.get(key).and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|one| one.as_str().map(str::to_owned)).collect()
}

/// The cursor: the next row, how many rows are left, and the content hash.
fn cursor(row: u64, left: Option<u64>, hash: &str) -> String {
    let left = left.map(|left| left.to_string()).unwrap_or_default();
    format!("r{row}:{left}:{hash}")
}

fn place(cursor: &str, hash: &str) -> Option<(u64, Option<u64>)> {
    let mut parts = cursor.strip_prefix('r')?.split(':');
    let (row, left, of) = (parts.next()?, parts.next()?, parts.next()?);
    let left = if left.is_empty() { None } else { Some(left.parse().ok().filter(|left| *left > 0)?) };
    let row = row.parse().ok().filter(|row| *row > 0)?;
    (of == hash && parts.next().is_none()).then_some((row, left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_holds_for_its_content_alone() {
        assert_eq!(place(&cursor(7, Some(3), "abcd"), "abcd"), Some((7, Some(3))));
        assert_eq!(place(&cursor(7, None, "abcd"), "abcd"), Some((7, None)));
        for wrong in ["r7:3:abce", "r0::abcd", "r7:0:abcd", "7:3:abcd", "r7:3:abcd:", "r7"] {
            assert_eq!(place(wrong, "abcd"), None, "{wrong}");
        }
    }

    #[test]
    fn a_budget_cuts_between_rows() {
        let rows = [json!(["a\tb", null]), json!([1, "x\ny"])];
        let names = ["n".to_owned(), "t".to_owned()];
        assert_eq!(lines(&names, &rows, 1_000), ("n\tt\na b\t\n1\tx y\n".to_owned(), 2));
        assert_eq!(lines(&names, &rows, 1), ("n\tt\na b\t\n".to_owned(), 1));
    }
}
