//! Tables of a workbench through the general verbs, and files written on the local machine.

use jig_contract::Code;
use jig_testkit::{ID, TestHome};
use serde_json::{Value, json};

/// Parameters for a file of the workbench.
fn file(path: &str, mut more: Value) -> Value {
    more["workbench_id"] = ID.into();
    more["path"] = path.into();
    more
}

const BANK: &str = "day;what;amount\n2024-01-05;Rent;-1.200,50\n2024-01-06;\"two\nlines\";99,00\n2024-01-07;;-12,25\n";

/// A workbench with a text limit of a few bytes, so that any table counts as large.
async fn small() -> TestHome {
    let home = TestHome::with(|config| config.text_bytes = 20).await;
    home.ok("WorkbenchCreate", json!({ "name": "Deck", "id": ID })).await;
    home
}

#[tokio::test]
async fn the_map_of_a_delimited_file_tells_of_its_table() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let home = TestHome::with_workbench().await;
    home.add("bank.csv", BANK).await;
    let map = home.ok("FileGetMap", file("bank.csv", json!({}))).await["map"].clone();
    assert_eq!((&map["line_count"], &map["chunks"]), (&json!(5), &json!([{ "index": 0, "lines": "1-5" }])));
    let mut table = map["table"].clone();
    assert!(table["more"].as_str().unwrap().contains("`table_query`"), "{table}");
    table.as_object_mut().unwrap().remove("more");
    assert_eq!(table, home.ok("TabularGetMap", file("bank.csv", json!({}))).await);
    assert_eq!((&table["row_count"], &table["columns"][2]["sql_type"]), (&json!(3), &json!("DECIMAL(18,2)")));
}

/// A server in a container has the same process id at every start, so leftovers of a killed one have a known name.
#[tokio::test]
async fn what_a_dead_process_left_in_a_scratch_folder_harms_no_blob() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let home = TestHome::with_workbench().await;
    home.add("bank.csv", BANK).await;
    let listed = home.ok("FileList", json!({ "workbench_id": ID })).await;
    let hash = listed["files"][0]["hash"].as_str().unwrap().to_owned();
    let blob = find(&home.home().join("blobs"), &hash).expect("the blob's file");
    for number in 0..200 {
        let folder = home.home().join(format!("scratch/tables/{}-{number}/w", std::process::id()));
        std::fs::create_dir_all(folder.join("published")).unwrap();
        std::fs::create_dir_all(folder.join("draft")).unwrap();
        std::fs::hard_link(&blob, folder.join("published").join(format!("{hash}.csv"))).unwrap();
        std::os::unix::fs::symlink(&blob, folder.join("draft/output.csv")).unwrap();
    }
    let rows = home.ok("TabularQuery", file("bank.csv", json!({ "query": "SELECT count(*) FROM data" }))).await;
    assert_eq!(rows["rows"], json!([[3]]));
    assert_eq!(std::fs::read_to_string(blob).unwrap(), BANK);
}

fn find(folder: &std::path::Path, name: &str) -> Option<std::path::PathBuf> {
    std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).find_map(|path| {
        let whole = path.to_string_lossy().replace('/', "");
        if path.is_dir() { find(&path, name) } else { whole.contains(name).then_some(path) }
    })
}

#[tokio::test]
async fn a_map_without_its_table_says_so() {
    let home = TestHome::with_workbench().await;
    // A CSV file by content, with a name that table methods do not accept.
    home.add("bank.csv", "a,b\n1,2\n").await;
    home.ok("FileGetMap", file("bank.csv", json!({}))).await;
    home.add("wide.csv", format!("a,b\n{}\n", "x".repeat(70 << 20))).await;
    let map = home.ok("FileGetMap", file("wide.csv", json!({}))).await["map"].clone();
    assert_eq!(map["line_count"], 2);
    let told = map["table"]["row_count"] == 1 || map["warnings"].to_string().contains("columns and rows are not told");
    assert!(told, "{}", map["warnings"]);
}

#[tokio::test]
async fn a_file_too_large_for_a_text_is_mapped_and_read_by_rows() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let home = small().await;
    home.add("bank.csv", BANK).await;
    let map = home.ok("FileGetMap", file("bank.csv", json!({}))).await["map"].clone();
    assert_eq!(map["warnings"], json!([format!("the file has {} bytes; its lines are not counted", BANK.len())]));
    assert_eq!((&map["line_count"], &map["table"]["row_count"]), (&Value::Null, &json!(3)));

    let read = async |more: Value| home.ok("FileRead", file("bank.csv", more)).await;
    let all = read(json!({})).await;
    let text = "day\twhat\tamount\n2024-01-05\tRent\t-1200.5\n2024-01-06\ttwo lines\t99.0\n2024-01-07\t\t-12.25\n";
    assert_eq!((&all["text"], &all["cursor"]), (&json!(text), &Value::Null));
    assert_eq!(all["headers"], json!(["day", "what", "amount"]));
    let words = all["warnings"][0].as_str().unwrap();
    assert!(words.contains("rows 1 to 3 of 3") && words.contains("`line_start`"), "{words}");

    let first = read(json!({ "line_start": 2, "line_count": 2, "max_tokens": 1 })).await;
    assert_eq!(first["text"], "day\twhat\tamount\n2024-01-06\ttwo lines\t99.0\n");
    let next = read(json!({ "cursor": first["cursor"], "max_tokens": 1 })).await;
    assert_eq!((&next["text"], &next["cursor"]), (&json!("day\twhat\tamount\n2024-01-07\t\t-12.25\n"), &Value::Null));
    for wrong in [json!({ "cursor": "r1::0" }), json!({ "line_start": 4 })] {
        home.fails_with(Code::ValidationFailed, "FileRead", file("bank.csv", wrong)).await;
    }
    home.add("notes.txt", "more than twenty bytes of text").await;
    let error = home.fails_with(Code::FileReadFailed, "FileRead", file("notes.txt", json!({}))).await;
    assert!(error.info.message.contains("at most 20"), "{error}");
}

#[tokio::test]
async fn a_table_beyond_the_limit_is_refused_by_its_setting() {
    let home = TestHome::with(|config| config.limits.table_bytes = 10).await;
    home.ok("WorkbenchCreate", json!({ "name": "Deck", "id": ID })).await;
    let big = home.outside("big.csv", BANK);
    let error = home.fails("FileAdd", json!({ "workbench_id": ID, "paths": [big] })).await;
    assert!(error.info.message.contains("the limit is 10"), "{error}");
    assert!(format!("{:?}", error.info).contains("limits.table_bytes"), "{:?}", error.info);
}

#[tokio::test]
async fn rows_of_a_query_are_written_on_this_machine() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let home = TestHome::with_workbench().await;
    home.add("bank.csv", BANK).await;
    let out = home.path().join("out/rows.csv");
    let query = "SELECT what, amount FROM data WHERE what IS NOT NULL ORDER BY amount";
    let extract = |more: Value| {
        let mut params = file("bank.csv", json!({ "to": out, "query": query }));
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let answer = home.ok("TabularExtract", extract(json!({}))).await;
    let text = "what,amount\nRent,-1200.50\n\"two\nlines\",99.00\n";
    let expected =
        json!({ "to": out, "format": "csv", "row_count": 2, "column_count": 2, "bytes": text.len(), "warnings": [] });
    assert_eq!(answer, expected);
    assert_eq!(std::fs::read_to_string(&out).unwrap(), text);
    home.fails_with(Code::FileExists, "TabularExtract", extract(json!({}))).await;
    let again = extract(json!({ "overwrite": true, "query": "SELECT '=1' AS f FROM data LIMIT 1", "safe_csv": true }));
    home.ok("TabularExtract", again).await;
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "f\n'=1\n");
    let read = json!({ "overwrite": true, "query": "SELECT * FROM data LIMIT 1", "delimiter": "|", "has_header": false, "quote": "", "encoding": "utf-8" });
    home.ok("TabularExtract", extract(read)).await;
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "column_1\nday;what;amount\n");
    assert_eq!(home.plain("DraftGetState").await["exists"], false);
    home.fails_with(Code::ValidationFailed, "TabularExtract", extract(json!({ "overwrite": true, "to": "x.pdf" })))
        .await;
}
