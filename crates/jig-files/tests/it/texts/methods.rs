//! `TextGetMap`, `TextReadLines` and `TextFind`.

use std::sync::Arc;

use jig_files::engine::{FileError, Reason};
use jig_worker::{FileApi, Method};
use serde_json::{Value, json};

fn call(method: &str, bytes: &[u8], params: &Value) -> Result<Value, FileError> {
    let bytes: Arc<[u8]> = bytes.into();
    FileApi::default().read(Method::find(method).unwrap(), &bytes, params)
}

fn map(name: &str, bytes: &[u8]) -> Value {
    call("TextGetMap", bytes, &json!({ "path": name })).unwrap()
}

#[test]
fn the_map_tells_size_chunks_and_how_the_text_is_written() {
    let text = "line\r\n".repeat(450);
    let expected = json!({
        "line_count": 450, "char_count": 2700, "encoding": "UTF-8", "bom": false, "line_ending": "crlf",
        "final_newline": true,
        "chunks": [
            { "index": 0, "lines": "1-200" }, { "index": 1, "lines": "201-400" }, { "index": 2, "lines": "401-450" },
        ],
    });
    assert_eq!(map("a.txt", text.as_bytes()), expected);
    let expected = json!({
        "line_count": 0, "char_count": 0, "encoding": "UTF-8", "bom": false, "line_ending": "none",
        "final_newline": false, "chunks": [],
    });
    assert_eq!(map("a.txt", b""), expected);
    let wide = map("a.txt", b"\xff\xfea\0\r\0b\0");
    let told = (&wide["encoding"], &wide["bom"], &wide["line_ending"], &wide["line_count"], &wide["final_newline"]);
    assert_eq!(told, (&json!("UTF-16LE"), &json!(true), &json!("cr"), &json!(2), &json!(false)));
}

#[test]
fn the_map_has_what_the_kind_of_text_offers() {
    assert_eq!(map("a.json", b"{\"a\":[1,2]}")["json"]["keys"][0]["length"], 2);
    assert_eq!(map("a.csv", b"day,amount\n1,2\n")["table"]["columns"], json!(["day", "amount"]));
    assert_eq!(map("a.tsv", b"day, x\tamount\n1\t2\n")["table"]["columns"], json!(["day, x", "amount"]));
    let headings = json!([{ "level": 1, "text": "Top", "line": 1 }, { "level": 2, "text": "Sub", "line": 3 }]);
    assert_eq!(map("a.md", b"# Top\n\n## Sub\n")["headings"], headings);
    let plain = map("a.txt", b"# Top\n");
    assert!(plain.get("headings").is_none() && plain.get("table").is_none());
    let deep = "[".repeat(100_000);
    assert_eq!(map("deep.json", deep.as_bytes())["json"]["valid"], false);
}

#[test]
fn many_chunks_are_listed_in_part() {
    let told = map("a.txt", "\n".repeat(500_000).as_bytes());
    assert_eq!(told["chunks"].as_array().map(Vec::len), Some(2_000));
    assert_eq!(told["chunk_count"], 2_500);
    assert_eq!(told["warnings"], json!(["chunks: the first 2000 of 2500 are listed"]));
}

#[test]
fn lines_come_with_their_place() {
    let text: String = (1..=450).map(|n| format!("{n}\n")).collect();
    let first = call("TextReadLines", text.as_bytes(), &json!({})).unwrap();
    let info = json!({ "chunk_index": 0, "total_chunks": 3, "has_more": true, "range": "1-200" });
    assert_eq!(first["chunk_info"], info);
    assert_eq!(first["text"].as_str().unwrap().lines().count(), 200);
    assert!(first.get("cursor").is_none() && first.get("warnings").is_none());
    let some = call("TextReadLines", text.as_bytes(), &json!({ "line_start": 449, "line_count": 9 })).unwrap();
    let expected = json!({
        "text": "449\n450\n",
        "chunk_info": { "chunk_index": 2, "total_chunks": 3, "has_more": false, "range": "449-450" },
    });
    assert_eq!(some, expected);
    let past = call("TextReadLines", text.as_bytes(), &json!({ "line_start": 451 })).unwrap_err();
    assert_eq!(past.message, "line_start: line 451 is past the end: the text has 450 lines");
    let zero = call("TextReadLines", text.as_bytes(), &json!({ "line_count": 0 })).unwrap();
    assert_eq!(zero["text"], "1\n");
    assert_eq!(zero["warnings"], json!(["line_count: 0 is out of range; read as 1"]));
    let odd = call("TextReadLines", text.as_bytes(), &json!({ "line_start": 450, "verbose": 3 })).unwrap();
    assert_eq!(odd["warnings"], json!(["verbose: unknown field, skipped"]));
}

/// Reads to the end by cursors, and gives the pieces.
fn pages(bytes: &[u8], mut params: Value) -> Vec<String> {
    let mut pages = Vec::new();
    loop {
        let page = call("TextReadLines", bytes, &params).unwrap();
        pages.push(page["text"].as_str().unwrap().to_owned());
        assert!(pages.len() < 10_000);
        match page.get("cursor") {
            Some(cursor) => params["cursor"] = cursor.clone(),
            None => return pages,
        }
    }
}

#[test]
fn pages_are_the_whole_text_and_no_more() {
    let text: String = (1..=1_000).map(|n| format!("line number {n}, and some words\r\n")).collect();
    let budget = pages(text.as_bytes(), json!({ "max_tokens": 500 }));
    assert!(budget.len() > 10);
    assert_eq!(budget.concat(), text);
    let part = pages(text.as_bytes(), json!({ "max_tokens": 100, "line_start": 11, "line_count": 50 }));
    let expected: String = text.split_inclusive('\n').skip(10).take(50).collect();
    assert!(part.len() > 3);
    assert_eq!(part.concat(), expected);
    let old_mac = "one two three\rfour five six\rseven".repeat(20);
    assert_eq!(pages(old_mac.as_bytes(), json!({ "max_tokens": 20 })).concat(), old_mac);
}

#[test]
fn one_endless_line_comes_in_bounded_pieces() {
    let text = "schön und gut ".repeat(1_800_000);
    assert!(text.len() > 25 << 20);
    let engine = FileApi::default();
    let bytes: Arc<[u8]> = text.as_bytes().into();
    let read = |params: Value| engine.read(Method::find("TextReadLines").unwrap(), &bytes, &params).unwrap();
    let first = read(json!({}));
    let given = first["text"].as_str().unwrap();
    assert!(given.len() <= 64 << 10 && text.starts_with(given) && !given.is_empty());
    assert_eq!(first["chunk_info"]["has_more"], true);
    assert_eq!(first["warnings"], json!(["an answer has at most 64 KiB of text; `cursor` gives what follows"]));
    let next = read(json!({ "cursor": first["cursor"], "max_tokens": 50 }));
    assert!(text[given.len()..].starts_with(next["text"].as_str().unwrap()));
    assert!(next["tokens"].as_u64().unwrap() <= 50);
}

#[test]
fn a_cursor_holds_for_its_file_only() {
    let page = call("TextReadLines", b"one two\nthree\n", &json!({ "max_tokens": 2 })).unwrap();
    let cursor = page["cursor"].clone();
    let error = call("TextReadLines", b"one two\nthree!\n", &json!({ "cursor": cursor })).unwrap_err();
    assert!(error.message.starts_with("cursor: not one"), "{}", error.message);
    for wrong in ["1.2", "1.0.0.zz", "0.0.0.x", "99999999999999999999.0.0.a"] {
        assert!(call("TextReadLines", b"a\n", &json!({ "cursor": wrong })).is_err());
    }
}

#[test]
fn texts_are_found_by_line() {
    let text = "Revenue\ncosts and REVENUE, revenue\r\nnone";
    let expected = json!({
        "matches": [
            { "line": 1, "column": 1, "count": 1, "snippet": "Revenue" },
            { "line": 2, "column": 11, "count": 2, "snippet": "costs and REVENUE, revenue" },
        ],
        "match_count": 3, "place_count": 2, "truncated": false,
    });
    assert_eq!(call("TextFind", text.as_bytes(), &json!({ "query": "revenue" })).unwrap(), expected);
    let exact = call("TextFind", text.as_bytes(), &json!({ "query": "revenue", "match_case": true })).unwrap();
    assert_eq!((&exact["match_count"], &exact["matches"][0]["column"]), (&json!(1), &json!(20)));
    let one = call("TextFind", text.as_bytes(), &json!({ "query": "revenue", "max_results": 1 })).unwrap();
    assert_eq!((one["matches"].as_array().unwrap().len(), &one["truncated"]), (1, &json!(true)));
    assert!(call("TextFind", text.as_bytes(), &json!({ "query": "" })).is_err());
    let long = format!("{}needle{}", "x".repeat(1_000), "y".repeat(1_000));
    let snippet =
        call("TextFind", long.as_bytes(), &json!({ "query": "needle" })).unwrap()["matches"][0]["snippet"].clone();
    assert_eq!(snippet, json!(format!("…{}needle{}…", "x".repeat(80), "y".repeat(80))));
}

#[test]
fn what_is_no_text_is_refused_by_its_name() {
    for (bytes, words) in
        [(&b"\0\x01\x02\0binary\0"[..], "binary data"), (&b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"[..], "a PDF document")]
    {
        let error = call("TextGetMap", bytes, &json!({})).unwrap_err();
        let expected = format!("this is not a text file: the content is {words}");
        assert_eq!((error.reason, error.message), (Reason::WrongKind, expected));
    }
}

#[test]
fn lone_carriage_returns_and_bad_bytes_are_read() {
    let text = call("TextReadLines", b"a\rb\nc\xff\n", &json!({})).unwrap();
    assert_eq!(text["chunk_info"]["range"], "1-2");
    let old = call("TextReadLines", b"a\rb\rc", &json!({ "line_start": 2, "line_count": 1 })).unwrap();
    assert_eq!(old["text"], "b\r");
}
