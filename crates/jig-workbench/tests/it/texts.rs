//! Text files, OpenDocument texts and images as an agent uses them.

use jig_contract::Code;
use jig_testkit::{ID, TestHome};
use serde_json::{Value, json};

/// Parameters for a file of the workbench.
fn file(path: &str, mut more: Value) -> Value {
    more["workbench_id"] = ID.into();
    more["path"] = path.into();
    more
}

const FLAT: &str = r#"<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"/>"#;

fn sample(name: &str) -> Vec<u8> {
    let path = format!("{}/../jig-files/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).unwrap()
}

#[tokio::test]
async fn a_place_of_a_text_is_edited_in_the_draft() {
    let home = TestHome::with_workbench().await;
    home.add("latin.txt", b"caf\xe9 cr\xe8me br\xfbl\xe9e\r\nlast").await;
    let before = home.ok("FileRead", file("latin.txt", json!({}))).await["hash"].clone();
    let ops = json!([
        { "op": "replace_text", "search": "crème", "replace": "thé" },
        { "op": "insert_lines", "lines": ["new"], "after_text": "café" },
    ]);
    let dry = home.ok("TextApplyOps", file("latin.txt", json!({ "ops": ops, "dry_run": true }))).await;
    assert_eq!((&dry["dry_run"], &dry["file"], &dry["draft_created"]), (&json!(true), &Value::Null, &json!(false)));
    assert_eq!(home.plain("DraftGetState").await["exists"], false);
    let done = home.ok("TextApplyOps", file("latin.txt", json!({ "ops": ops, "base_hash": before }))).await;
    assert_eq!(std::fs::read(home.view("draft/latin.txt")).unwrap(), b"caf\xe9 th\xe9 br\xfbl\xe9e\r\nnew\r\nlast");
    let expected = json!({
        "ok": true,
        "changes": [
            { "index": 0, "op": "replace_text", "summary": "replaced a text in 1 place (line 1)", "replacements": 1, "lines": [1],
              "old": ["crème"], "new": "thé" },
            { "index": 1, "op": "insert_lines", "summary": "inserted 1 line in front of line 2", "line": 2, "lines": 1 },
        ],
        "warnings": [],
        "receipt": { "hash_before": before, "hash_after": done["file"]["hash"], "parts": [] },
        "file": done["file"],
        "draft_created": true,
        "dry_run": false,
    });
    assert_eq!(done, expected);
    assert_eq!(std::fs::read(home.view("published/latin.txt")).unwrap(), b"caf\xe9 cr\xe8me br\xfbl\xe9e\r\nlast");
    home.fails_with(Code::Conflict, "TextApplyOps", file("latin.txt", json!({ "ops": ops, "base_hash": before })))
        .await;
}

#[tokio::test]
async fn what_cannot_be_edited_is_said_and_nothing_is_written() {
    let home = TestHome::with_workbench().await;
    home.add("notes.txt", "alpha\nbeta\n").await;
    home.add("logo.png", sample("images/alpha.png")).await;
    home.add("fake.txt", sample("images/alpha.png")).await;
    let replace = |search: &str| json!({ "ops": [{ "op": "replace_text", "search": search, "replace": "x" }] });
    let error = home.fails_with(Code::ValidationFailed, "TextApplyOps", file("notes.txt", replace("bta"))).await;
    assert_eq!(error.info.suggestions, ["line 2: beta"]);
    let error = home.fails_with(Code::ValidationFailed, "TextApplyOps", file("logo.png", replace("a"))).await;
    assert_eq!(error.info.message, "`logo.png` is not a text file by its name");
    let error = home.fails_with(Code::FileReadFailed, "TextApplyOps", file("fake.txt", replace("a"))).await;
    assert!(error.info.message.contains("a PNG image"), "{error}");
    let mut must_exist = replace("a");
    must_exist["must_exist"] = true.into();
    home.fails_with(Code::FileNotFound, "TextApplyOps", file("none.txt", must_exist)).await;
    let lines = json!({ "ops": [{ "op": "insert_lines", "lines": "x" }], "create_new": true });
    home.fails_with(Code::ValidationFailed, "TextApplyOps", file("new.xlsx", lines.clone())).await;
    assert_eq!(home.plain("DraftGetState").await["exists"], false);
    let made = home.ok("TextApplyOps", file("sub/Makefile", lines.clone())).await;
    assert_eq!((&made["draft_created"], &made["receipt"]["hash_before"]), (&json!(true), &Value::Null));
    assert_eq!(std::fs::read(home.view("draft/sub/Makefile")).unwrap(), b"x\n");
    let again = home.ok("TextApplyOps", file("sub/Makefile", lines)).await;
    assert_eq!(again["warnings"], json!(["replaced `sub/Makefile`, which existed, in the Draft"]));
}

#[tokio::test]
async fn maps_tell_what_each_kind_of_text_holds() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let home = TestHome::with_workbench().await;
    home.add("a.json", r#"{"rows":[1,2,3]}"#).await;
    home.add("b.csv", "day;amount\n1;2,5\n").await;
    home.add("c.md", "# Top\r\n\r\ntext\r\n").await;
    let map = async |name: &str| home.ok("FileGetMap", file(name, json!({}))).await["map"].clone();
    assert_eq!(
        map("a.json").await["json"]["keys"],
        json!([{ "name": "rows", "type": "array", "length": 3, "element_types": { "number": 3 } }])
    );
    let columns = map("b.csv").await["table"]["columns"].clone();
    assert_eq!((&columns[0]["name"], &columns[1]["inferred_type"]), (&json!("day"), &json!("float")));
    let markdown = map("c.md").await;
    assert_eq!(markdown["headings"], json!([{ "level": 1, "text": "Top", "line": 1 }]));
    assert_eq!((&markdown["line_ending"], &markdown["final_newline"]), (&json!("crlf"), &json!(true)));
    assert_eq!(home.ok("TextGetMap", file("c.md", json!({}))).await, markdown);
}

#[tokio::test]
async fn a_cursor_stops_where_the_question_ends() {
    let home = TestHome::with_workbench().await;
    let lines: String = (1..=100).map(|n| format!("line {n}\n")).collect();
    home.add("long.txt", lines).await;
    let question = json!({ "line_start": 11, "line_count": 10, "max_tokens": 20 });
    let (mut text, mut cursor) = (String::new(), Value::Null);
    loop {
        let mut question = question.clone();
        question["cursor"] = cursor;
        let page = home.ok("FileRead", file("long.txt", question)).await;
        text.push_str(page["text"].as_str().unwrap());
        cursor = page["cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    let expected: String = (11..=20).map(|n| format!("line {n}\n")).collect();
    assert_eq!(text, expected);
}

#[tokio::test]
async fn open_documents_are_mapped_read_and_searched() {
    let home = TestHome::with_workbench().await;
    home.add("page.odt", sample("odt/page.odt")).await;
    home.add("locked.odt", sample("odt/encrypted.odt")).await;
    home.add("page.fodt", FLAT).await;
    let info = home.ok("FileGetInfo", file("page.odt", json!({}))).await;
    assert_eq!((&info["kind"], &info["section_count"]), (&json!("odt"), &json!(4)));
    let map = home.ok("FileGetMap", file("page.odt", json!({}))).await["map"].clone();
    assert_eq!(map, home.ok("OdtGetMap", file("page.odt", json!({}))).await);
    let read = home.ok("FileRead", file("page.odt", json!({ "section": 2 }))).await;
    assert!(read["text"].as_str().unwrap().starts_with("## Budget\n"), "{read}");
    let found = home.ok("FileSearch", json!({ "workbench_id": ID, "query": "bread", "path": "page.odt" })).await;
    assert_eq!((&found["hits"][0]["at"]["section"], &found["hits"][0]["snippet"]), (&json!("Plan"), &json!("- Bread")));
    let again =
        home.ok("FileRead", file("page.odt", json!({ "section": found["hits"][0]["at"]["section_index"] }))).await;
    assert!(again["text"].as_str().unwrap().contains("- Bread"));
    home.fails_with(Code::ValidationFailed, "FileRead", file("page.odt", json!({ "view": "final" }))).await;
    let locked = home.ok("FileGetInfo", file("locked.odt", json!({}))).await;
    assert!(locked["problem"].as_str().unwrap().contains("password"), "{locked}");
    home.fails_with(Code::FileReadFailed, "FileRead", file("locked.odt", json!({}))).await;
}

#[tokio::test]
async fn pictures_are_described_and_shown_but_not_read() {
    let home = TestHome::with_workbench().await;
    home.add("photo.jpg", sample("images/photo.jpg")).await;
    home.add("sign.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='7' height='5'><!-- note --></svg>").await;
    let info = home.ok("FileGetInfo", file("photo.jpg", json!({}))).await;
    assert_eq!((&info["width"], &info["height"], &info["line_count"]), (&json!(60), &json!(40), &Value::Null));
    let drawing = home.ok("FileGetInfo", file("sign.svg", json!({}))).await;
    assert_eq!((&drawing["width"], &drawing["height"], &drawing["line_count"]), (&json!(7), &json!(5), &json!(1)));
    let map = home.ok("FileGetMap", file("photo.jpg", json!({}))).await["map"].clone();
    assert_eq!(map["exif"]["has_gps"], true);
    assert_eq!(map, home.ok("ImageGetMetadata", file("photo.jpg", json!({}))).await);
    let shown = home.ok("ImageRender", file("photo.jpg", json!({ "max_px": 16 }))).await;
    assert_eq!((&shown["width"], &shown["height"], &shown["scaled_down"]), (&json!(11), &json!(16), &json!(true)));
    let error = home.fails_with(Code::ValidationFailed, "FileRead", file("photo.jpg", json!({}))).await;
    assert!(error.to_string().contains("a JPEG image"), "{error}");
    assert!(format!("{:?}", error.info).contains("ImageRender"), "{:?}", error.info);
    let found = home.ok("FileSearch", json!({ "workbench_id": ID, "query": "note" })).await;
    assert_eq!((&found["hits"][0]["path"], &found["skipped"][0]["path"]), (&json!("sign.svg"), &json!("photo.jpg")));
}
