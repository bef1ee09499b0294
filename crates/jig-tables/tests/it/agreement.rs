//! Every method reports the same about a delimited file: the text methods, the table methods (by conversion, and in place
//! for the first query of a large file) and the comparison of two versions. `FileGetMap` answers with `TabularGetMap`, and
//! `FileRead` with the lines of `Text`.

mod corpus;
mod exports;
mod sheets;

use std::io::Cursor;

use jig_files::Text;
use jig_files::engine::Versions;
use jig_tables::{Cache, QueryLimits, TableEngine};
use jig_text::csv::{CsvFile, CsvOptions, SampleScope};
use jig_text::{Charset, TextEncoding};
use jig_worker::{FileApi, Method};
use serde_json::{Value, json};

use crate::calls::TestTables;

/// A file and what every method must report about it.
struct Case {
    name: &'static str,
    charset: &'static str,
    bom: bool,
    /// The text. `¶` is not part of it.
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
    let cases: Vec<Case> = corpus::cases().into_iter().chain(exports::cases()).collect();
    // Each method converts each case, and most of the time goes into waiting for the disk.
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = cases
            .chunks(cases.len().div_ceil(8))
            .map(|part| scope.spawn(|| part.iter().filter_map(check).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
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
        ("TabularDescribe", of_columns(&bytes, &expected)),
        ("import of a csv export", of_export(case, &bytes, &expected, "out.csv")),
        ("import of a workbook export", of_export(case, &bytes, &expected, "out.xlsx")),
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
#[expect(clippy::needless_pass_by_value, reason = "callers write the facts in place")]
fn merged(found: Value, expected: &Value) -> Value {
    let mut all = expected.clone();
    all.as_object_mut().unwrap().extend(found.as_object().unwrap().clone());
    all
}

fn read(method: &str, bytes: &[u8], params: &Value) -> Result<Value, String> {
    let read = FileApi::default().read(Method::find(method).unwrap(), bytes, params);
    read.map_err(|error| error.message)
}

fn of_text_map(case: &Case, bytes: &[u8], expected: &Value) -> Value {
    let map = match read("TextGetMap", bytes, &json!({ "path": "a.csv" })) {
        Ok(map) => map,
        Err(message) => return merged(json!({ "encoding": message }), expected),
    };
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

fn desk(bytes: &[u8], directly_from: u64) -> TestTables {
    let mut desk = TestTables::new();
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
    let lines = match read("TextReadLines", bytes, &json!({ "line_start": 1 })) {
        Ok(lines) => lines["text"].clone(),
        Err(message) => message.into(),
    };
    let encoding: TextEncoding = text.encoding();
    if lines != case.whole() {
        return merged(json!({ "text": lines }), expected);
    }
    let found = json!({
        "encoding": encoding.name().to_ascii_lowercase(), "bom": encoding.has_bom(), "text": text.content(),
    });
    merged(found, expected)
}

/// From a version without the last row to the entire file that row is added, with the number it has in the table. Cases
/// whose layout cannot be seen without that row are skipped.
fn of_diff(case: &Case, bytes: &[u8], expected: &Value) -> Value {
    let rows = case.rows.as_array().unwrap().len();
    let Some(old) = without_last_record(&case.whole()).map(|text| case.bytes(&text)).filter(|_| rows > 1) else {
        return expected.clone();
    };
    let layout = layout(bytes);
    let (headed, counted) = layout_and_rows(&old);
    if headed != layout || counted != rows - 1 {
        return expected.clone();
    }
    let versions = Versions { name: "a.csv".to_owned(), old: Some(old.into()), new: Some(bytes.into()) };
    let answer = match FileApi::default().diff(&versions, &json!({})) {
        Ok(answer) => answer,
        Err(error) => return merged(json!({ "rows": error.message }), expected),
    };
    let diff = &answer["diff"];
    // A file with one column is compared as text.
    if diff["type"] == "text" && case.columns.as_array().unwrap().len() == 1 {
        return expected.clone();
    }
    if diff["type"] != "csv" {
        return merged(json!({ "rows": diff["type"] }), expected);
    }
    let groups = diff["groups"].as_array().unwrap();
    let changes: Vec<&Value> = groups.iter().flat_map(|group| group["changes"].as_array().unwrap()).collect();
    // A change is named by the row's number, or by its value in the key column.
    let text = case.whole();
    let last = text.trim_end().rsplit(['\r', '\n']).next().unwrap_or_default();
    let of_last_row = |id: &str| match id.strip_prefix("row ").and_then(|id| id.split_once('=')) {
        Some((_, key)) => last.contains(key),
        None => id == format!("row {rows}"),
    };
    match changes.as_slice() {
        [change] if change["kind"] == "added" && of_last_row(change["id"].as_str().unwrap()) => expected.clone(),
        _ => merged(json!({ "rows": changes, "notes": diff["notes"] }), expected),
    }
}

/// The text up to its last record; none if a quoted line break makes that hard to find.
fn without_last_record(text: &str) -> Option<String> {
    let body = text.trim_end_matches(['\r', '\n']);
    let end = body.rfind(['\r', '\n'])? + 1;
    let (rest, last) = text.split_at_checked(end)?;
    let balanced = |text: &str| text.matches('"').count().is_multiple_of(2);
    (balanced(rest) && balanced(last)).then(|| rest.to_owned())
}

/// What the reader of `jig-text` detects: encoding, dialect, header and names.
fn layout(bytes: &[u8]) -> (String, bool, Vec<String>) {
    layout_and_rows(bytes).0
}

fn layout_and_rows(bytes: &[u8]) -> ((String, bool, Vec<String>), usize) {
    let mut file = CsvFile::open(Cursor::new(bytes), &CsvOptions::default()).unwrap();
    let format = format!("{} {:?}", file.format().encoding.charset, file.format().dialect);
    let schema = file.schema(SampleScope::All).unwrap();
    let mut rows = 0;
    let mut reader = file.records().unwrap();
    while let Some(records) = reader.next_batch().unwrap() {
        rows += schema.layout.rows(&records).count();
    }
    let names = schema.columns.iter().map(|column| column.name.clone()).collect();
    ((format, schema.layout.has_header, names), rows)
}

/// `TabularDescribe` and `TabularGetStats` see the same columns.
fn of_columns(bytes: &[u8], expected: &Value) -> Value {
    let desk = desk(bytes, u64::MAX);
    let described = desk.ok("TabularDescribe", &json!({ "path": "a.csv" }));
    let stats = desk.ok("TabularGetStats", &json!({ "path": "a.csv" }));
    if names(&described["columns"], "sql_type") != names(&stats["columns"], "sql_type") {
        return merged(json!({ "types": "other ones in TabularGetStats" }), expected);
    }
    let found = json!({
        "columns": names(&described["columns"], "name"), "types": names(&described["columns"], "sql_type"),
        "row_count": stats["row_count"],
    });
    merged(found, expected)
}

/// An exported file is the same table when it is read again: delimited, and as a workbook.
fn of_export(case: &Case, bytes: &[u8], expected: &Value, target: &str) -> Value {
    if expected["columns"] == json!([]) {
        return expected.clone();
    }
    let desk = desk(bytes, u64::MAX);
    let export = json!({ "path": "a.csv", "target_path": target, "safe_csv": false });
    if let Err(error) = desk.export(&export) {
        return merged(json!({ "rows": error.message }), expected);
    }
    let rows = desk.ok("TabularReadRows", &json!({ "path": target, "has_header": true }));
    // Delimited text does not say that a column is text or DOUBLE if all its values are written like other numbers, and a
    // workbook stores numbers without the scale of their column, and those with many digits as text.
    let loses_types = target.ends_with(".xlsx") || ["long rows", "exponents"].contains(&case.name);
    let types = if loses_types { &expected["types"] } else { &rows["sql_types"] };
    let values = if loses_types && plain(&rows["rows"]) == plain(&expected["rows"]) { expected } else { &rows };
    let found = json!({
        "columns": rows["columns"], "types": types, "row_count": rows["total_rows"], "rows": values["rows"],
    });
    merged(found, expected)
}

/// Rows with numbers as text.
fn plain(rows: &Value) -> Vec<Vec<String>> {
    let text = |value: &Value| match value.as_str() {
        // Cells have LF as their line break.
        Some(text) => text.replace("\r\n", "\n"),
        None => value.as_f64().map_or_else(|| value.to_string(), |number| number.to_string()),
    };
    rows.as_array().unwrap().iter().map(|row| row.as_array().unwrap().iter().map(text).collect()).collect()
}
