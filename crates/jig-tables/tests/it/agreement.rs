//! Every method reports the same about a delimited file: the text methods, the table methods (by conversion, and in place
//! for the first query of a large file) and the comparison of two versions. `FileGetMap` answers with `TabularGetMap`, and
//! `FileRead` with the lines of `Text`.

mod corpus;
mod exports;

use std::sync::Arc;

use jig_files::Text;
use jig_files::engine::{Engine, Method, Versions};
use jig_tables::{Cache, QueryLimits, TableEngine};
use jig_text::{Charset, TextEncoding};
use serde_json::{Value, json};

use crate::calls::Desk;

/// A file and what every method must report about it.
struct Case {
    name: &'static str,
    charset: &'static str,
    bom: bool,
    /// The text. `¶` is not part of it: it ends the first version of the comparison.
    text: String,
    delimiter: char,
    has_header: bool,
    columns: Value,
    types: Value,
    rows: Value,
}

impl Case {
    fn bytes(&self, text: &str) -> Vec<u8> {
        let charset = Charset::named(self.charset).unwrap();
        let mark = if self.bom { charset.encode("\u{feff}").unwrap() } else { Vec::new() };
        [mark, charset.encode(text).unwrap()].concat()
    }

    fn whole(&self) -> String {
        self.text.replace('¶', "")
    }
}

/// A case in UTF-8 with commas and a header.
fn case(name: &'static str, text: &str, columns: Value, types: Value, rows: Value) -> Case {
    let (charset, bom, delimiter, has_header) = ("utf-8", false, ',', true);
    Case { name, charset, bom, text: text.to_owned(), delimiter, has_header, columns, types, rows }
}

impl Case {
    fn with_delimiter(mut self, delimiter: char) -> Self {
        self.delimiter = delimiter;
        self
    }

    fn without_header(mut self) -> Self {
        self.has_header = false;
        self
    }

    fn encoded(mut self, charset: &'static str, bom: bool) -> Self {
        (self.charset, self.bom) = (charset, bom);
        self
    }
}

#[test]
fn all_methods_agree() {
    let wrong: Vec<String> = corpus::cases().iter().chain(&exports::cases()).filter_map(check).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What differs, by the method that reports it.
fn check(case: &Case) -> Option<String> {
    let bytes = case.bytes(&case.whole());
    let expected = facts(case);
    let found = [
        ("TextGetMap", of_text_map(case, &bytes, &expected)),
        ("TabularGetMap", of_table_map(&bytes)),
        ("TabularReadRows", of_rows(&bytes, &expected)),
        ("TabularQuery", of_query(&bytes, &expected, u64::MAX)),
        ("TabularQuery in place", of_query(&bytes, &expected, 1)),
        ("FileRead", of_lines(case, &bytes, &expected)),
        ("diff", of_diff(case, &bytes, &expected)),
    ];
    let differs = |(method, found): &(&str, Value)| {
        let fields = expected.as_object()?.keys().filter(|key| found.get(*key) != expected.get(*key));
        let fields: Vec<String> =
            fields.map(|key| format!("  {method}: {key} is {}, not {}", found[key], expected[key])).collect();
        (!fields.is_empty()).then(|| fields.join("\n"))
    };
    let all: Vec<String> = found.iter().filter_map(differs).collect();
    (!all.is_empty()).then(|| format!("{} {:?}\n{}", case.name, case.whole(), all.join("\n")))
}

fn facts(case: &Case) -> Value {
    json!({
        "encoding": Charset::named(case.charset).unwrap().name().to_ascii_lowercase(),
        "bom": case.bom,
        "delimiter": case.delimiter,
        "has_header": case.has_header,
        "columns": case.columns,
        "types": case.types,
        "row_count": case.rows.as_array().unwrap().len(),
        "rows": case.rows,
        "text": case.whole(),
    })
}

/// The facts of a method, with the expected value for those that it does not report.
fn merged(found: Value, expected: &Value) -> Value {
    let mut all = expected.clone();
    all.as_object_mut().unwrap().extend(found.as_object().unwrap().clone());
    all
}

fn read(method: &str, bytes: &[u8], params: &Value) -> Value {
    Engine::default().read(Method::find(method).unwrap(), &bytes.into(), params).unwrap()
}

fn of_text_map(case: &Case, bytes: &[u8], expected: &Value) -> Value {
    let map = read("TextGetMap", bytes, &json!({ "path": "a.csv" }));
    let table = &map["table"];
    let mut found = json!({
        "encoding": map["encoding"].as_str().unwrap().to_ascii_lowercase(), "bom": map["bom"],
        "delimiter": table["delimiter"], "has_header": table["has_header"],
    });
    // The names are listed if the file has them, without the column for fields that have none.
    if case.has_header {
        let mut names = table["columns"].as_array().unwrap().clone();
        if table["column_count"] == names.len() + 1 {
            names.push("extra".into());
        }
        found["columns"] = names.into();
    }
    if table["column_count"] != case.columns.as_array().unwrap().len() {
        found["columns"] = json!(format!("{} columns", table["column_count"]));
    }
    merged(found, expected)
}

fn desk(bytes: &[u8], directly_from: u64) -> Desk {
    let mut desk = Desk::new();
    std::fs::write(desk.place("a.csv"), bytes).unwrap();
    let cache = Cache::new(desk.place("cache"));
    desk.engine = TableEngine::new(cache, QueryLimits::default()).querying_directly_from(directly_from);
    desk
}

fn names(columns: &Value, key: &str) -> Value {
    columns.as_array().unwrap().iter().map(|column| column[key].clone()).collect()
}

fn of_table_map(bytes: &[u8]) -> Value {
    let desk = desk(bytes, u64::MAX);
    let map = desk.ok("TabularGetMap", &json!({ "path": "a.csv" }));
    let rows = desk.ok("TabularReadRows", &json!({ "path": "a.csv" }));
    json!({
        "encoding": map["encoding_detected"], "bom": map["byte_order_mark"], "delimiter": map["delimiter"],
        "has_header": map["has_header"], "columns": names(&map["columns"], "name"),
        "types": names(&map["columns"], "sql_type"), "row_count": map["row_count"], "rows": rows["rows"],
        "text": Text::decode(bytes).content(),
    })
}

fn of_rows(bytes: &[u8], expected: &Value) -> Value {
    let rows = desk(bytes, u64::MAX).ok("TabularReadRows", &json!({ "path": "a.csv" }));
    let found = json!({
        "columns": rows["columns"], "types": rows["sql_types"], "row_count": rows["total_rows"], "rows": rows["rows"],
    });
    merged(found, expected)
}

fn of_query(bytes: &[u8], expected: &Value, directly_from: u64) -> Value {
    // A table without columns cannot be queried.
    if expected["columns"] == json!([]) {
        return expected.clone();
    }
    let query = json!({ "path": "a.csv", "query": "SELECT * FROM data" });
    let answer = desk(bytes, directly_from).ok("TabularQuery", &query);
    let found = json!({
        "columns": answer["columns"], "types": answer["sql_types"], "row_count": answer["total_row_count"],
        "rows": answer["rows"],
    });
    merged(found, expected)
}

fn of_lines(case: &Case, bytes: &[u8], expected: &Value) -> Value {
    let text = Text::decode(bytes);
    let lines = read("TextReadLines", bytes, &json!({ "line_start": 1 }));
    let encoding: TextEncoding = text.encoding();
    assert_eq!(lines["text"], case.whole(), "{}", case.name);
    let found = json!({
        "encoding": encoding.name().to_ascii_lowercase(), "bom": encoding.has_bom(), "text": text.content(),
    });
    merged(found, expected)
}

/// From the version up to `¶` to the entire file every other row is added, with the number it has in the table.
fn of_diff(case: &Case, bytes: &[u8], expected: &Value) -> Value {
    let Some((start, _)) = case.text.split_once('¶') else { return expected.clone() };
    let versions =
        Versions { name: "a.csv".to_owned(), old: Some(case.bytes(start).into()), new: Some(Arc::<[u8]>::from(bytes)) };
    let answer = Engine::default().diff(&versions, &json!({})).unwrap();
    let diff = &answer["diff"];
    if diff["type"] != "csv" {
        return merged(json!({ "rows": diff["type"] }), expected);
    }
    let groups = diff["groups"].as_array().unwrap();
    let changes: Vec<&Value> = groups.iter().flat_map(|group| group["changes"].as_array().unwrap()).collect();
    let ids: Vec<String> = changes.iter().map(|change| format!("{} {}", change["id"], change["kind"])).collect();
    let first = if case.has_header { 1 } else { 2 };
    let rows = case.rows.as_array().unwrap().len();
    let wanted: Vec<String> = (first..=rows).map(|row| format!("\"row {row}\" \"added\"")).collect();
    if ids == wanted { expected.clone() } else { merged(json!({ "rows": ids, "notes": diff["notes"] }), expected) }
}
