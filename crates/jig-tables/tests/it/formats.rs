//! JSON Lines and Parquet as sources of tables.

use std::process::Command;

use jig_files::engine::Reason;
use serde_json::{Value, json};

use crate::calls::TestTables;

const EVENTS: &str = concat!(
    "{\"id\":1,\"at\":\"2024-02-29T08:30:00Z\",\"amount\":12.50,\"ok\":true,\"tags\":[\"a\",\"b\"],\"big\":9007199254740993}\n",
    "{\"id\":2,\"at\":\"2024-03-01T00:00:00Z\",\"amount\":3,\"ok\":false,\"tags\":[],\"big\":1,\"note\":\"=1+1\"}\n",
    "{\"id\":3,\"at\":null,\"ok\":true,\"tags\":{\"k\":1},\"big\":2}\n",
);

#[test]
fn json_lines_are_a_typed_table() {
    let desk = TestTables::new();
    desk.put("events.jsonl", EVENTS);
    let map = desk.ok("TabularGetMap", &json!({ "path": "events.jsonl" }));
    assert_eq!((&map["format"], &map["row_count"], &map["has_header"]), (&json!("jsonl"), &json!(3), &json!(true)));
    let types: Vec<(&str, &str)> = columns(&map);
    assert_eq!(
        types,
        [
            ("id", "BIGINT"),
            ("at", "TIMESTAMP"),
            ("amount", "DECIMAL(18,2)"),
            ("ok", "BOOLEAN"),
            ("tags", "VARCHAR"),
            ("big", "BIGINT"),
            ("note", "VARCHAR"),
        ]
    );
    let uneven = "2 keys are missing in some rows and null there: `amount` in 2 of 3 rows, `note` in 1 of 3 rows";
    assert!(map["warnings"].as_array().unwrap().contains(&json!(uneven)), "{}", map["warnings"]);
    let rows = desk.ok("TabularReadRows", &json!({ "path": "events.jsonl" }));
    assert_eq!(
        rows["rows"],
        json!([
            [1, "2024-02-29 08:30:00", 12.5, true, "[\"a\",\"b\"]", "9007199254740993", null],
            [2, "2024-03-01 00:00:00", 3.0, false, "[]", 1, "=1+1"],
            [3, null, null, true, "{\"k\":1}", 2, null],
        ])
    );
    let query = "SELECT tags->>'$[0]' AS tag FROM data WHERE id = 1";
    let answer = desk.ok("TabularQuery", &json!({ "path": "events.jsonl", "query": query }));
    assert_eq!(answer["rows"], json!([["a"]]));
    desk.export(
        &json!({ "path": "events.jsonl", "target_path": "out.csv", "query": "SELECT id, note FROM data ORDER BY id" }),
    )
    .unwrap();
    assert_eq!(std::fs::read_to_string(desk.place("out.csv")).unwrap(), "id,note\n1,\n2,'=1+1\n3,\n");
    // The same bytes under a different name give a different table.
    std::fs::copy(desk.place("events.jsonl"), desk.place("events.txt")).unwrap();
    let text = desk.ok("TabularGetMap", &json!({ "path": "events.txt" }));
    assert_ne!(text["columns"], map["columns"]);
}

#[test]
fn hostile_json_lines_are_refused() {
    let desk = TestTables::new();
    let refused = |text: &str| {
        desk.put("bad.ndjson", text);
        let error = desk.engine.read("TabularGetMap", &json!({ "path": "bad.ndjson" }), &desk.open()).unwrap_err();
        (error.reason, error.message)
    };
    let (reason, message) = refused("{\"a\":1}\n{\"a\":\n");
    assert_eq!(reason, Reason::Damaged);
    assert!(message.starts_with("invalid JSON Lines file: line 2 is not valid JSON"), "{message}");
    assert!(refused("[{\"a\":1}]").1.contains("is not a JSON object"));
    assert_eq!(
        refused("{\"a\":1}\n{\"a\":\"\\ud800\"}").1,
        "invalid JSON Lines file: line 2 has a text with an invalid escape sequence"
    );
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(17 << 20));
    assert!(refused(&long).1.contains("longer than 16 MiB"));
    std::fs::write(desk.place("bad.ndjson"), b"{\"a\":\"\xff\"}").unwrap();
    assert!(desk.fails("TabularGetMap", &json!({ "path": "bad.ndjson" })).contains("is not UTF-8"));
    assert!(
        desk.fails("TabularGetMap", &json!({ "path": "bad.ndjson", "delimiter": "," })).contains("delimited files")
    );
    // Nothing, and objects without keys, are tables without columns.
    desk.put("empty.jsonl", "\n\n");
    assert_eq!(desk.ok("TabularGetMap", &json!({ "path": "empty.jsonl" }))["row_count"], 0);
    desk.put("bare.jsonl", "{}\n{}\n");
    assert_eq!(desk.ok("TabularGetMap", &json!({ "path": "bare.jsonl" }))["column_count"], 0);
}

/// A Parquet file with every kind of value, as DuckDB writes it.
fn put_parquet(desk: &TestTables, name: &str, select: &str) {
    let path = desk.place(name);
    let connection = duckdb::Connection::open_in_memory().unwrap();
    connection.execute_batch(&format!("COPY ({select}) TO '{}' (FORMAT parquet)", path.display())).unwrap();
}

const VALUES: &str = "SELECT * FROM (VALUES \
    (1, 'a', 12.50::DECIMAL(9,2), 0.5::DOUBLE, true, DATE '2024-02-29', TIMESTAMP '2024-02-29 08:30:00', \
     TIMESTAMPTZ '2024-02-29 08:30:00+02', [1, 2], {'k': 'v'}, 9007199254740993::BIGINT, 'x'::BLOB), \
    (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2::BIGINT, NULL)) \
    AS t(id, s, d, f, b, day, \"at\", zoned, \"list\", \"struct\", big, bytes)";

#[test]
fn a_parquet_file_is_a_table_with_its_own_types() {
    let desk = TestTables::new();

    put_parquet(&desk, "values.parquet", VALUES);
    let map = desk.ok("TabularGetMap", &json!({ "path": "values.parquet" }));
    assert_eq!((&map["format"], &map["row_count"]), (&json!("parquet"), &json!(2)));
    let types = columns(&map);
    assert_eq!(
        types,
        [
            ("id", "INTEGER"),
            ("s", "VARCHAR"),
            ("d", "DECIMAL(9,2)"),
            ("f", "DOUBLE"),
            ("b", "BOOLEAN"),
            ("day", "DATE"),
            ("at", "TIMESTAMP"),
            ("zoned", "TIMESTAMP"),
            ("list", "INTEGER[]"),
            ("struct", "STRUCT(k VARCHAR)"),
            ("big", "BIGINT"),
            ("bytes", "BLOB"),
        ]
    );
    assert_eq!(map["warnings"], json!(["column `zoned`: times are converted to UTC"]));
    let rows = desk.ok("TabularReadRows", &json!({ "path": "values.parquet" }));
    assert_eq!(
        rows["rows"][0],
        json!([
            1,
            "a",
            12.5,
            0.5,
            true,
            "2024-02-29",
            "2024-02-29 08:30:00",
            "2024-02-29 06:30:00",
            "[1, 2]",
            "{'k': v}",
            "9007199254740993",
            "x",
        ])
    );
    for method in ["TabularDescribe", "TabularGetStats"] {
        let columns = desk.ok(method, &json!({ "path": "values.parquet" }));
        assert_eq!(columns["columns"].as_array().unwrap().len(), 12, "{method}");
    }
    let query = "SELECT sum(len(\"list\")), max(\"struct\".k), min(zoned) FROM data";
    let answer = desk.ok("TabularQuery", &json!({ "path": "values.parquet", "query": query }));
    assert_eq!(answer["rows"], json!([[2, "v", "2024-02-29 06:30:00"]]));
    let target = json!({ "path": "values.parquet", "target_path": "out.xlsx" });
    assert_eq!(desk.export(&target).unwrap()["row_count"], 2);
    // Joined with other formats.
    desk.put("more.jsonl", "{\"id\":1,\"name\":\"one\"}\n");
    let join = json!({
        "path": "values.parquet", "tables": { "m": "more.jsonl" },
        "query": "SELECT m.name, data.s FROM data JOIN m USING (id)",
    });
    assert_eq!(desk.ok("TabularQuery", &join)["rows"], json!([["one", "a"]]));
}

#[test]
fn rows_of_a_long_parquet_file_keep_their_order() {
    let desk = TestTables::new();
    put_parquet(&desk, "long.parquet", "SELECT range AS n FROM range(500000)");
    let query = "SELECT count(*), count(*) FILTER (n <> rowid) FROM data";
    let answer = desk.ok("TabularQuery", &json!({ "path": "long.parquet", "query": query }));
    assert_eq!(answer["rows"], json!([[500_000, 0]]));
}

#[test]
fn hostile_parquet_files_are_refused() {
    let desk = TestTables::new();
    put_parquet(&desk, "good.parquet", "SELECT range AS n, md5(range::VARCHAR) AS s FROM range(20000)");
    let good = std::fs::read(desk.place("good.parquet")).unwrap();
    let read = |bytes: &[u8]| {
        std::fs::write(desk.place("bad.parquet"), bytes).unwrap();
        let ask = json!({ "path": "bad.parquet", "query": "SELECT count(*), max(s) FROM data" });
        desk.engine.read("TabularQuery", &ask, &desk.open())
    };
    let refused = |bytes: &[u8]| {
        let error = read(bytes).unwrap_err();
        (error.reason, error.message)
    };
    assert!(refused(b"").1.contains("does not start with PAR1"));
    assert!(refused(b"id,name\n1,a\n2,b\n3,c\n").1.contains("does not start with PAR1"));
    assert_eq!(
        refused(&good[..good.len() / 2]),
        (Reason::Damaged, "invalid Parquet file: its end is missing".to_owned())
    );
    let footer = good.len() - 60;
    for (from, to) in [(4, 200), (footer, footer + 40), (good.len() - 8, good.len() - 4)] {
        let mut torn = good.clone();
        torn[from..to].fill(0xa5);
        let (reason, message) = match read(&torn) {
            // Damaged values without a checksum may still decode.
            Ok(_) if from == 4 => continue,
            Ok(answer) => panic!("{from}: {answer}"),
            Err(error) => (error.reason, error.message),
        };
        assert!(matches!(reason, Reason::Damaged | Reason::TooLarge), "{from}: {message}");
        assert!(!message.contains("/dev/fd") && !message.contains("/tmp"), "{message}");
    }
    // A file of another kind is not asked for: nothing but Parquet is read by name.
    let other = desk.engine.read("TabularGetMap", &json!({ "path": "data.duckdb" }), &desk.open()).unwrap_err();
    assert_eq!(other.reason, Reason::WrongKind);
}

/// No query reaches the Parquet file itself, or any other.
#[test]
fn queries_on_parquet_reach_no_file() {
    let desk = TestTables::new();
    put_parquet(&desk, "a.parquet", "SELECT 1 AS n");
    let path = desk.place("a.parquet").display().to_string();
    for query in [
        format!("SELECT * FROM '{path}'"),
        format!("SELECT * FROM read_parquet('{path}')"),
        format!("SELECT * FROM parquet_metadata('{path}')"),
        format!("SELECT * FROM parquet_schema('{path}')"),
        "SELECT * FROM read_parquet('/dev/fd/3')".to_owned(),
        "SELECT * FROM read_json('/dev/fd/3')".to_owned(),
    ] {
        let words = desk.fails("TabularQuery", &json!({ "path": "a.parquet", "query": query }));
        assert!(words.contains("not allowed") || words.contains("unknown table"), "{query}: {words}");
    }
}

fn columns(map: &Value) -> Vec<(&str, &str)> {
    let columns = map["columns"].as_array().unwrap();
    columns.iter().map(|column| (column["name"].as_str().unwrap(), column["sql_type"].as_str().unwrap())).collect()
}

/// Files of other programs, where `pyarrow` is installed.
#[test]
fn parquet_files_of_pyarrow_are_read() {
    let desk = TestTables::new();
    let script = "import sys, pyarrow as pa, pyarrow.parquet as pq, datetime as d\n\
        t = pa.table({'n': [1, 2, None], 's': ['a', 'ü', None], 'd': [d.date(2024, 2, 29), None, None],\n\
        'm': pa.array([{'k': 1}, None, {'k': 2}]), 'z': pa.array([1, 2, 3], pa.timestamp('us', tz='Europe/Berlin'))})\n\
        pq.write_table(t, sys.argv[1], compression='zstd')";
    let path = desk.place("py.parquet");
    let ran = Command::new("python3").args(["-c", script]).arg(&path).output();
    if !ran.is_ok_and(|output| output.status.success()) {
        return;
    }
    let rows = desk.ok("TabularReadRows", &json!({ "path": "py.parquet" }));
    assert_eq!(rows["total_rows"], 3);
    assert_eq!(rows["rows"][1][1], "ü");
}
