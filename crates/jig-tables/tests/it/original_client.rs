//! Calls on tables as the original client sends them, and slips in their parameters.

use jig_file_api::Strictness;
use jig_tables::{Cache, QueryLimits, TableEngine, TableSession};
use jig_worker::{Profile, WorkerOptions, serve};
use serde_json::{Value, json};

use crate::calls::TestTables;

fn warnings(answer: &Value) -> String {
    answer["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

#[test]
fn rows_have_numbers_and_tables_a_schema() {
    let desk = TestTables::new();
    let rows = |query: &str| desk.ok("TabularQuery", &json!({ "path": "bank.csv", "query": query }))["rows"].clone();
    assert_eq!(rows("SELECT what FROM main.data ORDER BY what LIMIT 1"), json!([["=Sale"]]));
    assert_eq!(rows("SELECT what FROM data WHERE rowid = 2"), json!([["Food"]]));
    assert_eq!(rows("SELECT rowid, what FROM data ORDER BY rowid"), json!([[0, "Rent"], [1, "=Sale"], [2, "Food"]]));
    assert_eq!(rows("select max(ROWID) from main.data d where d.rowid < 2"), json!([[1]]));
    // Queries that do not ask for numbers do not see them, before and after one that does.
    let columns =
        desk.ok("TabularQuery", &json!({ "path": "bank.csv", "query": "SELECT * FROM data" }))["columns"].clone();
    assert_eq!(columns, json!(["day", "what", "amount"]));
    desk.put("own.csv", "rowid,name\n7,a\n8,b\n");
    let own = desk.ok("TabularQuery", &json!({ "path": "own.csv", "query": "SELECT * FROM data WHERE rowid = 8" }));
    assert_eq!((&own["columns"], &own["rows"]), (&json!(["rowid", "name"]), &json!([[8, "b"]])));
    // The schema leads nowhere else.
    for query in [
        "SELECT * FROM main.meta",
        "SELECT * FROM db0.main.data",
        "SELECT * FROM memory.main.data",
        "SELECT * FROM temp.data",
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM main.duckdb_tables",
        "DELETE FROM main.data WHERE rowid = 1",
        "SELECT main.read_csv('x') FROM data",
    ] {
        let words = desk.fails("TabularQuery", &json!({ "path": "bank.csv", "query": query }));
        assert!(!words.is_empty(), "{query}");
    }
}

#[test]
fn a_query_that_takes_too_long_says_that_it_timed_out() {
    let desk = TestTables::new();
    let limits = QueryLimits { timeout_ms: 100, ..QueryLimits::default() };
    let engine = TableEngine::new(Cache::new(desk.place("slow")), limits);
    let query = "SELECT count(*) FROM range(100000000) a, range(100000) b";
    let error = engine.read("TabularQuery", &json!({ "path": "bank.csv", "query": query }), &desk.open()).unwrap_err();
    assert!(error.message.contains("timed out"), "{}", error.message);
}

#[test]
fn parameters_are_understood_in_every_lossless_form() {
    let desk = TestTables::new();
    let same = |method: &str, plain: Value, given: Value| {
        let (mut wanted, mut found) = (desk.ok(method, &plain), desk.ok(method, &given));
        let told = warnings(&found);
        for answer in [&mut wanted, &mut found] {
            for key in ["warnings", "query_elapsed_ms"] {
                answer.as_object_mut().unwrap().shift_remove(key);
            }
        }
        assert_eq!(found, wanted, "{method} {given}");
        told
    };
    let rows = json!({ "path": "bank.csv", "row_start": 2, "row_count": 1, "columns": ["what"] });
    for given in [
        json!({ "path": "bank.csv", "row_start": "2", "row_count": 1.0, "columns": "what" }),
        json!({ "path": " bank.csv ", "rowStart": 2, "row_count": "1", "columns": [" What "], "sheet": "", "query": null }),
        json!({ "path": "bank.csv", "row_start": 2, "row_count": 1, "columns": "[\"what\"]", "root": "" }),
    ] {
        same("TabularReadRows", rows.clone(), given);
    }
    let told = same(
        "TabularReadRows",
        json!({ "path": "bank.csv", "row_start": 1, "row_count": 1 }),
        json!({ "path": "bank.csv", "row_start": -3, "row_count": 0 }),
    );
    assert!(told.contains("row_start") && told.contains("row_count"), "{told}");
    same("TabularGetStats", json!({ "path": "bank.csv" }), json!({ "path": "bank.csv", "columns": [] }));
    let query = "SELECT what FROM data ORDER BY what";
    let told = same(
        "TabularQuery",
        json!({ "path": "bank.csv", "query": query, "window_rows": 10_000, "window_offset": 0 }),
        json!({ "path": "bank.csv", "sql": query, "window_rows": 999_999, "window_offset": "-1" }),
    );
    assert!(told.contains("window_rows") && told.contains("window_offset"), "{told}");
    let told = same(
        "TabularGetMap",
        json!({ "path": "bank.csv" }),
        json!({ "path": "bank.csv", "delimeter": ";", "trace": 1 }),
    );
    assert!(told.contains("`delimiter`") && told.contains("trace"), "{told}");
    let words = desk.fails("TabularReadRows", &json!({ "path": "bank.csv", "row_count": "many" }));
    assert!(words.contains("row_count"), "{words}");
}

#[test]
fn exports_take_words_in_any_case_and_refuse_unknown_parameters() {
    let desk = TestTables::new();
    let params =
        json!({ "path": "bank.csv", "target_path": "out.csv", "format": "CSV", "query": "", "safe_csv": "false" });
    assert_eq!(desk.export(&params).unwrap()["row_count"], 3);
    let params = json!({
        "path": "bank.csv", "target_path": "new.xlsx", "sheet": "Data", "mode": "Replace_Sheet", "include_header": "true",
    });
    assert_eq!(desk.update(&params)["mode"], "replace_sheet");
    let before = std::fs::read(desk.place("new.xlsx")).unwrap();
    // A misspelt target could overwrite something else.
    let params = json!({ "path": "bank.csv", "target_path": "new.xlsx", "sheet": "Data", "mode": "write_range", "start_cel": "F1" });
    let opened: Option<std::sync::Arc<[u8]>> = Some(before.into());
    let error = desk.engine.update(&params, &desk.open(), opened.clone(), &Default::default()).unwrap_err();
    assert!(error.message.contains("start_cel") && error.message.contains("`start_cell`"), "{}", error.message);
    // The original client's own fields are skipped with a warning.
    let compat =
        TableEngine::new(Cache::new(desk.place("compat")), QueryLimits::default()).reading_params(Strictness::Warn);
    let params = json!({ "path": "bank.csv", "target_path": "new.xlsx", "sheet": "Data", "mode": "append_rows", "trace_id": "t" });
    let (answer, _) = compat.update(&params, &desk.open(), opened, &Default::default()).unwrap();
    assert!(warnings(&answer).contains("trace_id"), "{answer}");
}

#[test]
fn an_export_over_a_file_that_exists_is_reported_and_a_dry_run_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let draft = folder.path().join("wb/draft");
    std::fs::create_dir_all(&draft).unwrap();
    std::fs::write(draft.join("bank.csv"), "what,amount\nRent,120\n").unwrap();
    let export = |profile: Profile, target: &str, format: &str, extra: Value| {
        let mut params = json!({ "workbench_id": "wb", "path": "bank.csv", "target_path": target, "format": format });
        params.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "TabularExport", "params": params });
        let options = WorkerOptions { profile, ..WorkerOptions::new(folder.path(), || None) };
        let mut output = Vec::new();
        serve(&options, &TableSession::default(), format!("{request}\n").as_bytes(), &mut output).unwrap();
        serde_json::from_slice::<Value>(&output).unwrap()
    };
    for profile in [Profile::Jig, Profile::Compat] {
        for (target, format) in [("out.csv", "csv"), ("out.xlsx", "xlsx"), ("notes.txt", "csv")] {
            for extra in [json!({ "dry_run": true }), json!({ "dry_run": "true" }), json!({ "dry_runn": 1 })] {
                let answer = export(profile, target, format, extra.clone());
                assert!(answer.get("error").is_some(), "{extra}: {answer}");
                assert!(!draft.join(target).exists(), "{extra}");
            }
            let said = |answer: &Value| warnings(&answer["result"]).contains("which existed");
            let first = export(profile, target, format, json!({}));
            assert!(draft.join(target).exists() && !said(&first), "{first}");
            let second = export(profile, target, format, json!({}));
            assert!(said(&second), "{second}");
            std::fs::remove_file(draft.join(target)).unwrap();
        }
    }
}
