//! The columns of a delimited text, guessed from its first lines. The table methods know more.

use jig_text::is_header;
use serde_json::{Value, json};

/// Rows that the guess looks at.
const ROWS: usize = 20;
/// Columns that are named at most.
const NAMED: usize = 500;
/// What is read of the beginning.
const HEAD_BYTES: usize = 256 << 10;

pub(super) fn columns(text: &str, delimiter: Option<char>) -> Value {
    let end = (0..=text.len().min(HEAD_BYTES)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let head = text.get(..end).unwrap_or_default();
    let delimiter = delimiter.unwrap_or_else(|| guess(head));
    let rows = rows(head, delimiter);
    let Some(first) = rows.first() else { return json!({ "delimiter": delimiter.to_string(), "columns": [] }) };
    let header = is_header(first, rows.get(1..).unwrap_or_default());
    let mut answer = json!({
        "delimiter": delimiter.to_string(),
        "has_header": header,
        "column_count": first.len(),
        "more": "TabularGetMap tells types and rows; the table tools read, filter and query them",
    });
    if header {
        answer["columns"] = first.iter().take(NAMED).map(|name| Value::from(limited(name))).collect();
    }
    answer
}

fn limited(name: &str) -> String {
    name.trim().chars().take(200).collect()
}

/// The delimiter under which most rows have the same number of fields, and more than one.
fn guess(head: &str) -> char {
    let score = |delimiter: &char| {
        let rows = rows(head, *delimiter);
        let width = rows.first().map_or(0, Vec::len);
        let same = rows.iter().filter(|row| row.len() == width).count();
        (width > 1, same * 100 / rows.len().max(1), width)
    };
    // Of equals the last counts, so the usual one comes last.
    ['|', '\t', ';', ','].into_iter().max_by_key(score).unwrap_or(',')
}

/// The first rows: quotes may hold delimiters and line ends.
fn rows(text: &str, delimiter: char) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let (mut row, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' if quoted => quoted = false,
            '"' if field.is_empty() => quoted = true,
            _ if quoted => field.push(c),
            '\r' | '\n' => {
                if c == '\r' {
                    characters.next_if_eq(&'\n');
                }
                if !row.is_empty() || !field.is_empty() {
                    row.push(std::mem::take(&mut field));
                    rows.push(std::mem::take(&mut row));
                }
                if rows.len() >= ROWS {
                    return rows;
                }
            }
            c if c == delimiter => row.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    if !row.is_empty() || !field.is_empty() {
        row.push(field);
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> (String, bool, usize, Vec<String>) {
        let answer = columns(text, None);
        let names = answer["columns"].as_array().cloned().unwrap_or_default();
        (
            answer["delimiter"].as_str().unwrap().to_owned(),
            answer["has_header"].as_bool().unwrap(),
            usize::try_from(answer["column_count"].as_u64().unwrap()).unwrap(),
            names.iter().map(|name| name.as_str().unwrap().to_owned()).collect(),
        )
    }

    #[test]
    fn delimiter_and_header_are_guessed() {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(told("day,amount\n1,20\n"), (",".into(), true, 2, names(&["day", "amount"])));
        assert_eq!(told("day;amount\n1;2,5\n2;3,5\n"), (";".into(), true, 2, names(&["day", "amount"])));
        assert_eq!(told("1,20\n2,30\n"), (",".into(), false, 2, names(&[])));
        assert_eq!(told("a|b|c\r\nx|y|z"), ("|".into(), true, 3, names(&["a", "b", "c"])));
        assert_eq!(told("\"a, b\",\"c\n\"\"d\"\"\"\n1,2\n"), (",".into(), true, 2, names(&["a, b", "c\n\"d\""])));
        assert_eq!(told("one\ntwo\n"), (",".into(), true, 1, names(&["one"])));
    }
}
