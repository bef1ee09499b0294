//! Answers about a table.

use jig_tables::{CacheKey, QueryLimits, ReadOptions, Reader, RowSource, Source, SourceCell, TableError};
use serde_json::{Value, json};

use crate::support::TestTables;

const SALES: &str =
    "id,day,amount,paid,note\n1,2024-01-05,10.50,true,a\n2,2024-01-06,0.10,false,\n3,2024-01-07,0.20,true,b\n4,,,,a\n";

fn answer(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}

#[test]
fn a_map_has_the_fields_of_the_protocol() {
    let desk = TestTables::new();
    let map = answer(&desk.open(SALES).map("csv").unwrap());
    assert_eq!(
        map,
        json!({
            "format": "csv", "delimiter": ",", "quote_char": "", "escape_char": "", "confidence": map["confidence"],
            "encoding_detected": "utf-8", "encoding_confidence": 1.0, "byte_order_mark": false, "newline": "lf",
            "first_line": 1, "has_header": true, "header_confidence": 0.95, "row_count": 4, "column_count": 5,
            "columns": [
                {"name": "id", "index": 0, "inferred_type": "integer", "sql_type": "BIGINT", "examples": ["1", "2", "3"]},
                {"name": "day", "index": 1, "inferred_type": "date", "sql_type": "DATE",
                 "examples": ["2024-01-05", "2024-01-06", "2024-01-07"]},
                {"name": "amount", "index": 2, "inferred_type": "float", "sql_type": "DECIMAL(18,2)",
                 "examples": ["10.50", "0.10", "0.20"]},
                {"name": "paid", "index": 3, "inferred_type": "boolean", "sql_type": "BOOLEAN", "format": "true/false",
                 "examples": ["true", "false"]},
                {"name": "note", "index": 4, "inferred_type": "string", "sql_type": "VARCHAR", "examples": ["a", "b"]},
            ],
            "chunks": [{"index": 0, "rows": "1-4"}], "chunk_count": 1, "chunk_rows": 100, "warnings": [],
        })
    );
    assert!(map["confidence"].as_f64().unwrap() > 0.5);
}

#[test]
fn a_long_table_gives_a_short_map() {
    let desk = TestTables::new();
    let text: String = std::iter::once("n\n".to_owned()).chain((0..50_000).map(|n| format!("{n}\n"))).collect();
    let map = desk.open(&text).map("csv").unwrap();
    assert_eq!((map.row_count, map.chunk_count, map.chunks.len()), (50_000, 500, 20));
    assert_eq!(map.chunks.last().unwrap().rows, "1901-2000");
    assert_eq!(map.warnings, ["the first 20 of 500 chunks are listed"]);
    assert!(answer(&map).to_string().len() < 2_500);
}

#[test]
fn a_description_counts_values() {
    let desk = TestTables::new();
    let description = answer(&desk.open(SALES).describe().unwrap());
    let counts: Vec<Value> = description["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| {
            json!([column["name"], column["nullable"], column["non_null_count"], column["distinct_estimate"]])
        })
        .collect();
    assert_eq!((&description["row_count"], &description["column_count"]), (&json!(4), &json!(5)));
    assert_eq!(
        json!(counts),
        json!([
            ["id", false, 4, 4],
            ["day", true, 3, 3],
            ["amount", true, 3, 3],
            ["paid", true, 3, 2],
            ["note", true, 3, 2]
        ])
    );
}

#[test]
fn stats_fit_each_type_and_sums_are_exact() {
    let desk = TestTables::new();
    let reader = desk.open(SALES);
    let stats = answer(&reader.stats(None).unwrap());
    assert_eq!(
        stats["columns"][2],
        json!({
            "name": "amount", "type": "float", "sql_type": "DECIMAL(18,2)", "non_null_count": 3, "distinct_estimate": 3,
            "min": 0.1, "max": 10.5, "mean": 3.6, "sum": 10.8, "stddev": stats["columns"][2]["stddev"],
        })
    );
    assert_eq!(
        stats["columns"][1],
        json!({"name": "day", "type": "date", "sql_type": "DATE", "non_null_count": 3, "distinct_estimate": 3,
               "min": "2024-01-05", "max": "2024-01-07"})
    );
    assert_eq!(
        stats["columns"][3],
        json!({"name": "paid", "type": "boolean", "sql_type": "BOOLEAN", "non_null_count": 3, "distinct_estimate": 2,
               "true_count": 2, "false_count": 1})
    );
    assert_eq!(
        stats["columns"][4],
        json!({"name": "note", "type": "string", "sql_type": "VARCHAR", "non_null_count": 3, "distinct_estimate": 2,
               "min_length": 1, "max_length": 1,
               "most_common": [{"value": "a", "count": 2}, {"value": "b", "count": 1}]})
    );
    let one = reader.stats(Some(&["ID".to_owned()])).unwrap();
    assert_eq!(one.columns.len(), 1);
    let error = reader.stats(Some(&["idd".to_owned()])).unwrap_err().to_string();
    assert!(error.contains("unknown column `idd`; the columns are `id`, `day`"), "{error}");
}

#[test]
fn rows_are_read_by_number() {
    let desk = TestTables::new();
    let text: String = std::iter::once("n,s\n".to_owned()).chain((1..=30_000).map(|n| format!("{n},x{n}\n"))).collect();
    let reader = desk.open(&text);
    let rows = answer(&reader.read_rows(29_999, 5, Some(&["s".to_owned(), "n".to_owned()])).unwrap());
    assert_eq!(
        rows,
        json!({"columns": ["s", "n"], "column_types": ["string", "integer"], "sql_types": ["VARCHAR", "BIGINT"],
               "rows": [["x29999", 29999], ["x30000", 30000]], "row_start": 29999, "row_count": 2, "total_rows": 30000,
               "has_more": false, "warnings": []})
    );
    assert!(reader.read_rows(1, 10, None).unwrap().has_more);
    let beyond = reader.read_rows(40_000, 10, None).unwrap();
    assert_eq!((beyond.rows.len(), beyond.has_more, beyond.warnings.len()), (0, false, 1));
    assert!(reader.read_rows(0, 10, None).is_err());
    assert!(reader.read_rows(1, 0, None).is_err());
}

#[test]
fn windows_know_the_whole() {
    let desk = TestTables::new();
    let reader = desk.open("n\n1\n2\n3\n4\n5\n");
    let window = |rows, offset| {
        let answer = reader.query("SELECT n FROM data ORDER BY n DESC", rows, offset).unwrap();
        (json!(answer.rows), answer.row_count, answer.total_row_count, answer.has_more)
    };
    assert_eq!(window(2, 0), (json!([[5], [4]]), 2, Some(5), true));
    assert_eq!(window(2, 4), (json!([[1]]), 1, Some(5), false));
    assert_eq!(window(5, 0), (json!([[5], [4], [3], [2], [1]]), 5, Some(5), false));
    assert_eq!(window(2, 9), (json!([]), 0, Some(5), false));
}

#[test]
fn values_keep_all_their_digits() {
    let desk = TestTables::new();
    let reader =
        desk.open("id,big,dec\n9007199254740993,123456789012345678901234567890,12345678901234567.89\n1,2,0.01\n");
    let answer = reader
        .query("SELECT id, big, dec, sum(dec) OVER () AS s, id * 10 AS m FROM data ORDER BY id DESC", 10, 0)
        .unwrap();
    assert_eq!(answer.sql_types, ["BIGINT", "DECIMAL(38,0)", "DECIMAL(38,2)", "DECIMAL(38,2)", "BIGINT"]);
    assert_eq!(
        json!(answer.rows),
        json!([
            [
                "9007199254740993",
                "123456789012345678901234567890",
                "12345678901234567.89",
                "12345678901234567.90",
                "90071992547409930"
            ],
            [1, 2, 0.01, "12345678901234567.90", 10],
        ])
    );
}

#[test]
fn other_types_are_text_as_the_engine_writes_them() {
    let desk = TestTables::new();
    let reader = desk.open("n\n1\n");
    let answer = reader
        .query("SELECT DATE '2024-02-29' AS d, TIMESTAMP '2024-02-29 12:30:00' AS t, [1, 2] AS l, {'a': 1} AS s, n AS n, n AS n FROM data", 10, 0)
        .unwrap();
    assert_eq!(answer.columns, ["d", "t", "l", "s", "n", "n"]);
    assert_eq!(json!(answer.rows), json!([["2024-02-29", "2024-02-29 12:30:00", "[1, 2]", "{'a': 1}", 1, 1]]));
    assert_eq!(json!(answer.column_types), json!(["date", "date", "string", "string", "integer", "integer"]));
}

#[test]
fn files_are_joined_by_their_names() {
    let desk = TestTables::new();
    let options = ReadOptions::default();
    let people = desk.convert(b"id,name\n1,Ann\n2,Ben\n", &options).unwrap();
    let sales = desk.convert(b"person;amount\n1;1,5\n1;2,5\n2;9,0\n", &options).unwrap();
    let reader = Reader::open(&[("people", &people), ("sales", &sales)], QueryLimits::default()).unwrap();
    let answer = reader
        .query(
            "SELECT name, sum(amount) AS total FROM people JOIN sales ON id = person GROUP BY name ORDER BY name",
            10,
            0,
        )
        .unwrap();
    assert_eq!(json!(answer.rows), json!([["Ann", 4.0], ["Ben", 9.0]]));
    assert!(Reader::open(&[("a", &people), ("A", &sales)], QueryLimits::default()).is_err());
    assert!(Reader::open(&[("a b", &people)], QueryLimits::default()).is_err());
}

#[test]
fn what_the_caller_knows_wins() {
    let desk = TestTables::new();
    let open = |text: &[u8], options: ReadOptions| desk.open_bytes(text, &options).map("csv").unwrap();
    let map = open(b"a,b;c\n1,2;3\n", ReadOptions { delimiter: Some(';'), ..Default::default() });
    assert_eq!(map.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["a,b", "c"]);
    let map = open(b"a,b\n1,2\n", ReadOptions { has_header: Some(false), ..Default::default() });
    assert_eq!((map.has_header, map.row_count), (false, 2));
    let map = open(b"a,b\n\"1\",2\n", ReadOptions { quote: Some(String::new()), ..Default::default() });
    assert_eq!(map.columns[0].examples, ["\"1\""]);
    let map = open(b"n,s\n1,\xe4\n", ReadOptions { encoding: Some("koi8-r".to_owned()), ..Default::default() });
    assert_eq!(map.columns[1].examples, ["Д"]);
    let wrong = |options: ReadOptions| desk.convert(b"a\n", &options).unwrap_err().to_string();
    assert!(wrong(ReadOptions { encoding: Some("klingon".to_owned()), ..Default::default() }).contains("klingon"));
    assert!(wrong(ReadOptions { delimiter: Some('é'), ..Default::default() }).contains("ASCII"));
    assert!(wrong(ReadOptions { quote: Some("ab".to_owned()), ..Default::default() }).contains("one character"));
}

/// Rows as a sheet gives them.
struct Sheet {
    rows: Vec<Vec<SourceCell>>,
    next: usize,
}

impl RowSource for Sheet {
    fn rewind(&mut self) -> Result<(), TableError> {
        self.next = 0;
        Ok(())
    }

    fn next_row(&mut self, row: &mut Vec<SourceCell>) -> Result<Option<u64>, TableError> {
        let Some(found) = self.rows.get(self.next) else { return Ok(None) };
        row.extend(found.iter().cloned());
        self.next += 1;
        Ok(Some(self.next as u64))
    }
}

#[test]
fn sheets_keep_the_types_of_their_cells() {
    let text = |text: &str| SourceCell::Text(text.to_owned());
    let number = |text: &str| SourceCell::Number(text.to_owned());
    let moment = |text: &str| SourceCell::DateTime(text.to_owned());
    let mut sheet = Sheet {
        rows: vec![
            vec![text("code"), text("n"), text("day"), text("ok")],
            vec![text("123"), number("1.5"), moment("2024-01-05"), SourceCell::Boolean(true)],
            vec![text("456"), number("2"), SourceCell::Empty, SourceCell::Boolean(false)],
        ],
        next: 0,
    };
    let desk = TestTables::new();
    let options = ReadOptions::default();
    let key = CacheKey::new("abc", &options, "sheet");
    let path = desk.cache().get(&key, &mut Source::Rows(&mut sheet), &options).unwrap();
    let reader = Reader::open(&[("data", &path)], QueryLimits::default()).unwrap();
    let rows = reader.read_rows(1, 10, None).unwrap();
    assert_eq!(rows.columns, ["code", "n", "day", "ok"]);
    assert_eq!(rows.sql_types, ["VARCHAR", "DECIMAL(18,1)", "DATE", "BOOLEAN"]);
    assert_eq!(json!(rows.rows), json!([["123", 1.5, "2024-01-05", true], ["456", 2.0, null, false]]));
}

#[test]
fn the_cache_is_by_content_and_options() {
    let desk = TestTables::new();
    let options = ReadOptions::default();
    let first = desk.convert(b"a\n1\n", &options).unwrap();
    let written = std::fs::metadata(&first).unwrap().modified().unwrap();
    assert_eq!(desk.convert(b"a\n1\n", &options).unwrap(), first);
    assert_eq!(std::fs::metadata(&first).unwrap().modified().unwrap(), written, "it was converted again");
    desk.convert(b"a\n2\n", &options).unwrap();
    desk.convert(b"a\n1\n", &ReadOptions { has_header: Some(false), ..options }).unwrap();
    let cache = desk.cache();
    let all = cache.tables().list();
    assert_eq!(all.len(), 3);
    assert!(all.iter().all(|table| table.bytes > 0));
    let kept = all[0].key.content().to_owned();
    let keeps = all.iter().filter(|table| table.key.content() == kept).count();
    let (dropped, bytes) = cache.tables().drop_unused(|content| content == kept);
    assert_eq!((dropped as usize, cache.tables().list().len()), (3 - keeps, keeps));
    assert!(bytes > 0);
}

#[test]
fn that_a_file_was_asked_is_noted_until_its_table_is_there_or_the_file_is_gone() {
    let desk = TestTables::new();
    let cache = desk.cache();
    let table = desk.convert(b"a\n1\n", &ReadOptions::default()).unwrap();
    let here = table.file_name().unwrap().to_str().unwrap().to_owned();
    let (absent, gone) = (here.replacen(|c: char| c.is_ascii_alphanumeric(), "0", 8), "aa.bb.duckdb");
    let noted = || [here.as_str(), &absent, gone].map(|table| cache.tables().was_queried(table));
    assert_eq!(noted(), [false; 3]);
    [here.as_str(), &absent, gone].iter().for_each(|table| cache.tables().note_queried(table));
    assert_eq!(noted(), [true; 3]);
    [here.as_str(), &absent].iter().for_each(|table| cache.tables().settle_queried(table));
    assert_eq!(noted(), [false, true, true]);
    cache.tables().drop_unused(|content| content != "aa");
    assert_eq!((noted(), cache.tables().list().len()), ([false, true, false], 1));
}
