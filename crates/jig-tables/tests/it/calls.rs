//! The `Tabular` methods over files.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jig_files::engine::{EditOptions, FileError, Reason};
use jig_tables::{Cache, QueryLimits, TableEngine, TableFile};
use jig_worker::{FileApi, Method};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder of files with an engine over them.
pub(crate) struct TestTables {
    folder: TempDir,
    pub(crate) engine: TableEngine,
}

impl TestTables {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = TableEngine::new(Cache::new(folder.path().join("cache")), QueryLimits::default());
        let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/book.xlsx");
        std::fs::copy(book, folder.path().join("book.xlsx")).unwrap();
        let desk = Self { folder, engine };
        desk.put(
            "bank.csv",
            "day;what;amount\n2024-01-05;Rent;-1.200,50\n2024-01-06;=Sale;99,00\n2024-01-07;Food;-12,25\n",
        );
        desk
    }

    pub(crate) fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn put(&self, name: &str, text: &str) {
        std::fs::write(self.place(name), text).unwrap();
    }

    pub(crate) fn open(&self) -> impl Fn(&str) -> Result<TableFile, FileError> {
        |path: &str| {
            let missing = |_| FileError::new(Reason::NotFound, format!("file not found: {path}"));
            let bytes = std::fs::read(self.place(path)).map_err(missing)?;
            let hash = blake3::hash(&bytes).to_hex().to_string();
            Ok(TableFile {
                file: File::open(self.place(path)).map_err(missing)?,
                hash: Box::new(move || Ok(hash.clone())),
            })
        }
    }

    #[track_caller]
    pub(crate) fn ok(&self, method: &str, params: &Value) -> Value {
        self.engine.read(method, params, &self.open()).unwrap()
    }

    #[track_caller]
    pub(crate) fn fails(&self, method: &str, params: &Value) -> String {
        self.engine.read(method, params, &self.open()).unwrap_err().message
    }

    pub(crate) fn export(&self, params: &Value) -> Result<Value, FileError> {
        let target = self.place(params["target_path"].as_str().unwrap());
        self.engine.export(params, &self.open(), &File::create(target).unwrap())
    }

    #[track_caller]
    pub(crate) fn update(&self, params: &Value) -> Value {
        let target = self.place(params["target_path"].as_str().unwrap());
        let before: Option<Arc<[u8]>> = std::fs::read(&target).ok().map(Into::into);
        let (answer, bytes) = self.engine.update(params, &self.open(), before, &EditOptions::default()).unwrap();
        std::fs::write(target, bytes).unwrap();
        answer
    }

    /// A sheet as text.
    pub(crate) fn sheet(&self, name: &str, sheet: &str) -> String {
        let bytes: Arc<[u8]> = std::fs::read(self.place(name)).unwrap().into();
        let method = Method::find("XlsxReadRange").unwrap();
        let answer = FileApi::default().read(method, &bytes, &json!({ "sheet": sheet, "mode": "both" })).unwrap();
        answer["text"].as_str().unwrap().replace('\t', " | ")
    }
}

#[test]
fn the_largest_island_of_the_first_sheet_is_the_table() {
    let desk = TestTables::new();
    let map = desk.ok("TabularGetMap", &json!({ "path": "book.xlsx" }));
    let columns: Vec<(&str, &str)> = map["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| (column["name"].as_str().unwrap(), column["sql_type"].as_str().unwrap()))
        .collect();
    assert_eq!(map["format"], "xlsx");
    assert_eq!(
        columns,
        [("Code", "VARCHAR"), ("Day", "DATE"), ("Amount", "DECIMAL(18,1)"), ("Paid", "BOOLEAN"), ("Note", "VARCHAR")]
    );
    let rows = desk.ok("TabularReadRows", &json!({ "path": "book.xlsx" }));
    assert_eq!(
        rows["rows"],
        json!([
            ["007", "2024-01-05", 12.5, true, "x"],
            ["008", "2024-01-06", 0.1, false, null],
            ["009", null, 0.2, true, "=not a formula"],
        ])
    );
}

#[test]
fn sheets_and_ranges_can_be_chosen() {
    let desk = TestTables::new();
    let rows = desk.ok("TabularReadRows", &json!({ "path": "book.xlsx", "sheet": "people" }));
    assert_eq!((&rows["columns"], &rows["rows"]), (&json!(["id", "name"]), &json!([[1, "Ann"], [2, "Ben"]])));
    let rows = desk.ok("TabularReadRows", &json!({ "path": "book.xlsx", "range": "D3:E5" }));
    assert_eq!((&rows["columns"], &rows["rows"]), (&json!(["Amount", "Paid"]), &json!([[12.5, true], [0.1, false]])));
    let rows = desk.ok("TabularReadRows", &json!({ "path": "book.xlsx", "range": "D4:E5", "has_header": false }));
    assert_eq!(rows["columns"], json!(["column_1", "column_2"]));
    assert!(
        desk.fails("TabularGetMap", &json!({ "path": "book.xlsx", "sheet": "Nope" })).contains("unknown sheet `Nope`")
    );
    assert!(desk.fails("TabularGetMap", &json!({ "path": "book.xlsx", "delimiter": ";" })).contains("delimited files"));
    assert!(desk.fails("TabularGetMap", &json!({ "path": "bank.csv", "range": "A1" })).contains("workbooks"));
}

#[test]
fn files_of_both_kinds_are_joined() {
    let desk = TestTables::new();
    desk.put("pay.csv", "person,amount\n1,5\n2,7\n1,6\n");
    let query = "SELECT name, sum(amount) AS total FROM data JOIN p ON person = p.id GROUP BY 1 ORDER BY 1";
    let answer = desk.ok(
        "TabularQuery",
        &json!({ "path": "pay.csv", "query": query, "tables": { "p": { "path": "book.xlsx", "sheet": "People" } } }),
    );
    assert_eq!(answer["rows"], json!([["Ann", 11], ["Ben", 7]]));
    let only = json!({ "query": "SELECT count(*) FROM p", "tables": { "p": "pay.csv" } });
    assert_eq!(desk.ok("TabularQuery", &only)["rows"], json!([[3]]));
    assert!(desk.fails("TabularQuery", &json!({ "query": "SELECT 1" })).contains("path: missing"));
    assert!(desk.fails("TabularQuery", &json!({ "path": "pay.csv" })).contains("query: missing"));
    assert!(desk.fails("TabularGetMap", &json!({ "path": "book.docx" })).contains("cannot be read as a table"));
    assert!(desk.fails("TabularGetMap", &json!({ "path": "none.csv" })).contains("file not found"));
}

/// Whoever opens an export in a spreadsheet runs no formula of someone else.
#[test]
fn csv_is_safe_for_spreadsheets_unless_asked_otherwise() {
    let desk = TestTables::new();
    let texts = ["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A1", "-2+3", "-", "+49 30 1234", "-5 %", "plain", "a=b"];
    let rows: Vec<String> =
        texts.iter().map(|text| format!("SELECT '{}' AS t, -5 AS n", text.replace('\'', "''"))).collect();
    let query = rows.join(" UNION ALL ");
    let exported = |more: Value| {
        let mut params = json!({ "path": "bank.csv", "target_path": "out.csv", "query": query });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        desk.export(&params).unwrap();
        std::fs::read_to_string(desk.place("out.csv")).unwrap()
    };
    let safe = "t,n\n'=1+1,-5\n'@SUM(A1),-5\n'+cmd|' /C calc'!A1,-5\n'-2+3,-5\n-,-5\n+49 30 1234,-5\n-5 %,-5\nplain,-5\na=b,-5\n";
    assert_eq!(exported(json!({})), safe);
    assert_eq!(exported(json!({ "safe_csv": true })), safe);
    let plain = exported(json!({ "safe_csv": false }));
    assert!(plain.starts_with("t,n\n=1+1,-5\n@SUM(A1),-5\n"), "{plain}");
}

#[test]
fn csv_is_exported_as_asked() {
    let desk = TestTables::new();
    let params = json!({
        "path": "bank.csv", "target_path": "out.csv", "query": "SELECT what, amount FROM data ORDER BY day", "safe_csv": true,
        "target_delimiter": ";", "byte_order_mark": true, "newline": "crlf",
    });
    let answer = desk.export(&params).unwrap();
    assert_eq!(
        answer,
        json!({ "target_path": "out.csv", "format": "csv", "row_count": 3, "column_count": 2, "warnings": [] })
    );
    let text = std::fs::read_to_string(desk.place("out.csv")).unwrap();
    assert_eq!(text, "\u{feff}what;amount\r\nRent;-1200.50\r\n'=Sale;99.00\r\nFood;-12.25\r\n");
    let wrong = |more: Value| {
        let mut params = json!({ "path": "bank.csv", "target_path": "x.csv" });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        desk.export(&params).unwrap_err().message
    };
    let format = wrong(json!({ "format": "pdf" }));
    assert!(format.contains("csv") && format.contains("xlsx"), "{format}");
    assert!(wrong(json!({ "format": "xlsx" })).contains("ending .csv"));
    let newline = wrong(json!({ "newline": "cr" }));
    assert!(newline.contains("crlf"), "{newline}");
    assert!(wrong(json!({ "target_delimiter": "\"" })).contains("target_delimiter"));
    let answer = desk.export(&json!({ "path": "bank.csv", "target_path": "x.csv", "sheet": "S" })).unwrap();
    assert_eq!(answer["warnings"], json!(["sheet: has no effect on a csv file"]));
    let answer =
        desk.export(&json!({ "path": "bank.csv", "target_path": "x.xlsx", "safe_csv": true, "newline": "lf" }));
    assert_eq!(
        answer.unwrap()["warnings"],
        json!(["safe_csv: has no effect on a workbook", "newline: has no effect on a workbook"])
    );
}

#[test]
fn a_workbook_is_exported_with_real_types() {
    let desk = TestTables::new();
    desk.put("types.csv", "n,big,d,t,b,s\n1.5,12345678901234567890,2024-02-29,2024-02-29 12:00:00,true,=1+1\n2,1,1850-01-01,2024-03-01 00:00:00,false,\"<a & b>\"\n");
    let answer = desk.export(&json!({ "path": "types.csv", "target_path": "out.xlsx", "sheet": "All of it" })).unwrap();
    assert_eq!(
        answer,
        json!({
            "target_path": "out.xlsx", "format": "xlsx", "row_count": 2, "column_count": 6, "sheet": "All of it",
            "warnings": [
                "1 number has more digits than a cell can hold and was written as text",
                "1 date is before 1900-03-01 and was written as text",
            ],
        })
    );
    assert_eq!(
        desk.sheet("out.xlsx", "All of it"),
        "# Sheet: All of it\nn | big | d | t | b | s\n1.5 | 12345678901234567890 | 2024-02-29 | 2024-02-29 12:00:00 | TRUE | =1+1\n2 | 1 | 1850-01-01 | 2024-03-01 00:00:00 | FALSE | <a & b>"
    );
    // What was written reads back as a table of the same types.
    let map = desk.ok("TabularGetMap", &json!({ "path": "out.xlsx" }));
    let types: Vec<&str> =
        map["columns"].as_array().unwrap().iter().map(|column| column["sql_type"].as_str().unwrap()).collect();
    assert_eq!(types, ["DECIMAL(18,1)", "VARCHAR", "VARCHAR", "TIMESTAMP", "BOOLEAN", "VARCHAR"]);
    assert!(desk.export(&json!({ "path": "types.csv", "target_path": "out.xlsx", "sheet": "a/b" })).is_err());
}

#[test]
fn rows_are_put_into_a_workbook() {
    let desk = TestTables::new();
    let base = json!({ "path": "bank.csv", "target_path": "book.xlsx", "query": "SELECT day, what, amount FROM data ORDER BY day" });
    let with = |more: Value| {
        let mut params = base.clone();
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let answer = desk.update(&with(json!({ "sheet": "Bank", "mode": "replace_sheet" })));
    let (rows, range, warnings) = (&answer["row_count"], &answer["written_range"], &answer["warnings"]);
    assert_eq!((rows, range, warnings), (&json!(3), &json!("A1:C4"), &json!([])));
    let bank = "# Sheet: Bank\nday | what | amount\n2024-01-05 | Rent | -1200.5\n2024-01-06 | =Sale | 99\n2024-01-07 | Food | -12.25";
    assert_eq!(desk.sheet("book.xlsx", "Bank"), bank);
    let answer = desk.update(&with(json!({ "sheet": "Bank", "mode": "append_rows" })));
    assert_eq!(answer["written_range"], "A5:C7");
    assert_eq!(answer["warnings"], json!(["header_skipped_on_append; sheet already has data"]));
    let lines: Vec<String> = desk.sheet("book.xlsx", "Bank").lines().map(str::to_owned).collect();
    assert_eq!((lines.len(), lines[5].as_str()), (8, "2024-01-05 | Rent | -1200.5"));
    let one = json!({ "query": "SELECT what FROM data ORDER BY day LIMIT 1", "sheet": "Bank", "mode": "write_range",
                      "start_cell": "B2", "include_header": false, "clear_target_range": true });
    assert_eq!(desk.update(&with(one))["written_range"], "B2:B2");
    // Only the rectangle that is written: what is below stays.
    assert_eq!(desk.sheet("book.xlsx", "Bank").lines().nth(3), Some("2024-01-06 | =Sale | 99"));
    for mode in ["replace_sheet", "append_rows"] {
        let wrong = with(json!({ "sheet": "Bank", "mode": mode, "clear_target_range": "true" }));
        let before = std::fs::read(desk.place("book.xlsx")).unwrap();
        let refused =
            desk.engine.update(&wrong, &desk.open(), Some(before.into()), &EditOptions::default()).unwrap_err();
        assert!(refused.message.contains("clear_target_range"), "{}", refused.message);
    }
    assert!(desk.sheet("book.xlsx", "People").contains("Ann"), "other sheets are left alone");
}

#[test]
fn a_replaced_sheet_keeps_nothing_of_the_old_values() {
    let desk = TestTables::new();
    let params = json!({ "path": "bank.csv", "target_path": "book.xlsx", "sheet": "Sales", "mode": "replace_sheet",
                         "query": "SELECT 1 AS one", "include_header": true });
    let answer = desk.update(&params);
    assert_eq!(answer["warnings"], json!(["query_has_no_order_by; output order may vary"]));
    assert_eq!(desk.sheet("book.xlsx", "Sales"), "# Sheet: Sales\none\n1");
}

#[test]
fn what_is_not_to_be_made_is_not_made() {
    let desk = TestTables::new();
    let update = |params: Value, before: Option<&str>| {
        let before: Option<Arc<[u8]>> = before.map(|name| std::fs::read(desk.place(name)).unwrap().into());
        desk.engine.update(&params, &desk.open(), before, &EditOptions::default()).unwrap_err()
    };
    let base = json!({ "path": "bank.csv", "target_path": "new.xlsx", "sheet": "S", "mode": "append_rows" });
    let with = |key: &str, value: Value| {
        let mut params = base.clone();
        params[key] = value;
        params
    };
    assert_eq!(update(with("create_workbook_if_missing", json!(false)), None).reason, Reason::NotFound);
    assert_eq!(update(with("create_sheet_if_missing", json!(false)), Some("book.xlsx")).reason, Reason::Invalid);
    assert!(update(with("mode", json!("guess")), None).message.contains("replace_sheet"));
    assert!(update(with("target_path", json!("new.csv")), None).message.contains("not a .xlsx file"));
    let mut params = with("mode", json!("write_range"));
    params["start_cell"] = json!("B0");
    assert!(update(params, None).message.contains("start_cell"));
}

#[test]
fn the_first_query_of_a_large_file_reads_it_where_it_lies_and_the_second_converts_it() {
    let mut desk = TestTables::new();
    desk.engine = TableEngine::new(Cache::new(desk.place("cache")), QueryLimits::default()).querying_directly_from(10);
    let cached = |desk: &TestTables| std::fs::read_dir(desk.place("cache")).map_or(0, Iterator::count);
    let ask = json!({ "path": "bank.csv", "query": "SELECT sum(amount) AS total FROM data" });
    let mut first = desk.ok("TabularQuery", &ask);
    assert_eq!((first["read_directly"].take(), cached(&desk)), (json!(true), 0));
    let mut second = desk.ok("TabularQuery", &ask);
    assert_eq!((second.get("read_directly"), cached(&desk)), (None, 1));
    first.as_object_mut().unwrap().shift_remove("read_directly");
    for answer in [&mut first, &mut second] {
        answer["query_elapsed_ms"].take();
    }
    assert_eq!((first, &second["rows"]), (second.clone(), &json!([[-1113.75]])));
    // A call can ask for the conversion; and a refused query is refused before any conversion.
    desk.put("other.csv", "a,b\n1,2\n3,4\n");
    let ask = |query: &str| json!({ "path": "other.csv", "query": query, "convert": true });
    assert_eq!(desk.ok("TabularQuery", &ask("SELECT a FROM data")).get("read_directly"), None);
    desk.put("third.csv", "a,b\n3,4\n5,6\n");
    let refused = json!({ "path": "third.csv", "query": "DELETE FROM data" });
    desk.fails("TabularQuery", &refused);
    assert_eq!(cached(&desk), 2);
    // Nor does it count as the file's first.
    desk.fails("TabularQuery", &json!({ "path": "third.csv", "query": "SELECT nowhere FROM data" }));
    let third = json!({ "path": "third.csv", "query": "SELECT a FROM data" });
    assert_eq!((&desk.ok("TabularQuery", &third)["read_directly"], cached(&desk)), (&json!(true), 2));
}

#[test]
fn a_file_whose_values_change_their_type_is_converted_for_its_first_query() {
    let mut desk = TestTables::new();
    desk.engine = TableEngine::new(Cache::new(desk.place("cache")), QueryLimits::default()).querying_directly_from(10);
    let rows: String = (0..30_000).map(|n| format!("{n},{}\n", if n == 29_000 { "late" } else { "7" })).collect();
    desk.put("late.csv", &format!("id,n\n{rows}"));
    let answer = desk.ok("TabularQuery", &json!({ "path": "late.csv", "query": "SELECT max(n) FROM data" }));
    assert_eq!((answer.get("read_directly"), &answer["rows"]), (None, &json!([["late"]])));
}

#[test]
fn a_table_that_stays_open_is_opened_anew_when_its_file_is_another() {
    let desk = TestTables::new();
    let ask = |desk: &TestTables, path: &str| {
        desk.ok("TabularQuery", &json!({ "path": path, "query": "SELECT count(*), min(what) FROM data" }))["rows"]
            .clone()
    };
    assert_eq!(ask(&desk, "bank.csv"), json!([[3, "=Sale"]]));
    desk.put("bank.csv", "day;what;amount\n2024-01-05;Rent;1\n");
    assert_eq!(ask(&desk, "bank.csv"), json!([[1, "Rent"]]));
    desk.put("other.csv", "day;what;amount\n2024-01-05;Zoo;1\n2024-01-05;Zoo;1\n");
    assert_eq!((ask(&desk, "other.csv"), ask(&desk, "bank.csv")), (json!([[2, "Zoo"]]), json!([[1, "Rent"]])));
    // The same query again, on the table that is open.
    assert_eq!(ask(&desk, "bank.csv"), json!([[1, "Rent"]]));
}
