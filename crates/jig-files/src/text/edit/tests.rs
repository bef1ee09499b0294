//! Ops on small texts.

use serde_json::{Value, json};

use super::*;

fn edit(source: &[u8], ops: &Value) -> Result<Applied, FileError> {
    apply(Some(source), ops)
}

#[track_caller]
fn gives(source: &str, ops: Value, expected: &str) {
    let ops = if ops.is_array() { ops } else { json!([ops]) };
    let applied = edit(source.as_bytes(), &ops).unwrap();
    assert_eq!(String::from_utf8(applied.bytes).unwrap(), expected);
    assert_eq!(applied.warnings, Vec::<String>::new());
}

#[track_caller]
fn refuses(source: &str, op: Value) -> (String, Vec<String>) {
    let error = edit(source.as_bytes(), &Value::Array(vec![op])).unwrap_err();
    assert_eq!(error.reason, Reason::Invalid);
    (error.message, error.suggestions)
}

fn replace(search: &str, replace: &str) -> Value {
    json!({ "op": "replace_text", "search": search, "replace": replace })
}

fn insert(lines: Value, place: (&str, Value)) -> Value {
    let mut op = json!({ "op": "insert_lines" });
    op["lines"] = lines;
    op[place.0] = place.1;
    op
}

#[test]
fn one_place_is_replaced_and_nothing_else() {
    gives("one\ntwo\n", replace("two", "2"), "one\n2\n");
    gives("one\r\ntwo\r\nthree", replace("one\ntwo", "1\n2"), "1\r\n2\r\nthree");
    gives("a\rb\rc", replace("b\nc", "x"), "a\rx");
    gives("a\nb\r\nc\n", replace("b\n", "b1\nb2\n"), "a\nb1\r\nb2\r\nc\n");
    gives("a\nb\nc\n", replace("a\nb\n", ""), "c\n");
    gives("a\nb\nc", replace("\nb", ""), "a\nc");
    gives("ab", replace("b", "b\nc"), "ab\nc");
    gives("only", replace("only", ""), "");
    gives("x\u{feff}y", replace("x", "z"), "z\u{feff}y");
}

#[test]
fn several_places_need_to_be_meant() {
    let source = "red\nRed\nred red\n";
    let (message, _) = refuses(source, replace("red", "blue"));
    assert_eq!(
        message,
        "ops[0].search: the text is in 3 places (lines 1, 3); give more of it, or say `all` or `count`"
    );
    let with = |more: Value| {
        let mut op = replace("red", "blue");
        op.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        op
    };
    gives(source, with(json!({ "all": true })), "blue\nRed\nblue blue\n");
    gives(source, with(json!({ "count": 3 })), "blue\nRed\nblue blue\n");
    gives(source, with(json!({ "all": true, "match_case": false })), "blue\nblue\nblue blue\n");
    let (message, _) = refuses(source, with(json!({ "count": 2 })));
    assert_eq!(message, "ops[0].count: the text is in 3 places (lines 1, 3), not in 2");
    gives("nothing\n", with(json!({ "count": 0 })), "nothing\n");
}

#[test]
fn changes_are_counted() {
    let ops = json!([
        { "op": "replace_text", "search": "a", "replace": "b", "all": true },
        { "op": "insert_lines", "lines": ["x", "y"], "line": 2 },
        { "op": "replace_lines", "line_start": 1, "lines": ["p", "q", "r"] },
        { "op": "delete_lines", "line_start": 4, "line_count": 2 },
    ]);
    let applied = edit(b"a a\na\nc\n", &ops).unwrap();
    assert_eq!(applied.bytes, b"p\nq\nr\nb\nc\n");
    let changes = json!([
        { "index": 0, "op": "replace_text", "summary": "replaced a text in 3 places (lines 1, 2)", "replacements": 3, "lines": [1, 2],
          "old": ["a", "a", "a"], "new": "b" },
        { "index": 1, "op": "insert_lines", "summary": "inserted 2 lines in front of line 2", "line": 2, "lines": 2 },
        { "index": 2, "op": "replace_lines", "summary": "replaced 1 line from line 1 on by 3 lines",
          "line_start": 1, "lines_removed": 1, "lines_added": 3, "old": ["b b"], "new": ["p", "q", "r"] },
        { "index": 3, "op": "delete_lines", "summary": "deleted 2 lines from line 4 on", "line_start": 4, "lines_removed": 2,
          "old": ["x", "y"] },
    ]);
    assert_eq!(json!(applied.changes), changes);
}

#[test]
fn what_is_not_there_is_told_with_what_is_near() {
    let source = "fn main() {\n    let total = 1;\n}\nprintln!(\"done\");\n";
    let (message, near) = refuses(source, replace("let  total=1;", "x"));
    let words = "ops[0].search: the text is not in the file as it is given: line 2 has it with other white space or case, or continues otherwise";
    assert_eq!((message.as_str(), near), (words, vec!["line 2: let total = 1;".to_owned()]));
    let (message, near) = refuses(source, replace("println!(\"dune\");", "x"));
    assert_eq!(message, "ops[0].search: the text is not in the file; near to it are the lines below");
    assert_eq!(near, ["line 4: println!(\"done\");"]);
    let (message, near) = refuses(source, replace("qqqqqqqq", "x"));
    assert_eq!((message.as_str(), near), ("ops[0].search: the text is not in the file", Vec::new()));
    assert_eq!(refuses(source, replace("", "x")).0, "ops[0].search: a text to look for is needed");
}

#[test]
fn lines_go_where_they_are_sent() {
    gives("a\nb\n", insert(json!(["x"]), ("line", json!(1))), "x\na\nb\n");
    gives("a\nb\n", insert(json!(["x"]), ("line", json!(3))), "a\nb\nx\n");
    gives("a\nb", insert(json!("x\ny\n"), ("line", json!(3))), "a\nb\nx\ny");
    gives("a\r\nb", insert(json!(["x"]), ("lines", json!(["x"]))), "a\r\nb\r\nx");
    gives("", insert(json!(["x", "y"]), ("lines", json!(["x", "y"]))), "x\ny\n");
    gives("a\nb\nc\n", insert(json!(["x"]), ("after_text", json!("a\nb"))), "a\nb\nx\nc\n");
    gives("a\nb\nc\n", insert(json!(["x"]), ("before_text", json!("b"))), "a\nx\nb\nc\n");
    gives("a\nb\r\nc\n", insert(json!(["x"]), ("line", json!(2))), "a\nx\r\nb\r\nc\n");
    gives("a\n", insert(json!(["", "x"]), ("line", json!(1))), "\nx\na\n");
    let (message, _) = refuses("a\nb\n", insert(json!(["x"]), ("line", json!(4))));
    assert_eq!(message, "ops[0].line: lines go in front of a line from 1 to 3 (3 is the end)");
    let (message, _) = refuses("a\na\n", insert(json!(["x"]), ("after_text", json!("a"))));
    assert_eq!(message, "ops[0].after_text: the text is in 2 places (lines 1, 2); give more of it, or use `line`");
    let two = json!({ "op": "insert_lines", "lines": "x", "line": 1, "after_text": "a" });
    assert!(refuses("a\n", two).0.contains("one place is enough"));
    gives("A\nb\n", json!({ "op": "insert_lines", "lines": "x", "after_text": "a", "match_case": false }), "A\nx\nb\n");
    let (message, _) = refuses("a\n", json!({ "op": "insert_lines", "lines": {} }));
    assert!(message.starts_with("ops[0].lines: expected a text or a list of texts, got an object"), "{message}");
}

#[test]
fn ranges_of_lines_are_replaced_and_deleted() {
    gives("a\nb\nc\n", json!({ "op": "replace_lines", "line_start": 2, "lines": "B\nBB" }), "a\nB\nBB\nc\n");
    gives("a\nb\nc", json!({ "op": "replace_lines", "line_start": 2, "line_count": 2, "lines": ["z"] }), "a\nz");
    gives("a\nb\nc", json!({ "op": "delete_lines", "line_start": 3 }), "a\nb");
    gives("a\nb\nc\n", json!({ "op": "delete_lines", "line_start": 1, "line_count": 3 }), "");
    let (message, _) = refuses("a\nb\n", json!({ "op": "delete_lines", "line_start": 3 }));
    assert_eq!(message, "ops[0].line_start: there is no line 3; the text has lines 1 to 2");
    let (message, _) = refuses("a\nb\n", json!({ "op": "delete_lines", "line_start": 2, "line_count": 2 }));
    assert_eq!(message, "ops[0].line_count: from line 2 on there are 1 to 1 lines, not 2");
}

#[test]
fn a_failing_op_names_its_place_and_an_unknown_field_is_told() {
    let error = edit(b"a\n", &json!([replace("a", "b"), { "op": "replace_txt" }])).unwrap_err();
    assert!(error.message.starts_with("ops[1].op: unknown op `replace_txt`"), "{}", error.message);
    assert_eq!(error.suggestions.first().map(String::as_str), Some("replace_text"));
    let error =
        edit(b"a\n", &json!([{ "op": "replace_text", "search": "a", "replace": "b", "regex": true }])).unwrap_err();
    assert!(error.message.starts_with("ops[0].regex: unknown field `regex`"), "{}", error.message);
    let same = edit(b"a\n", &json!([replace("a", "a")])).unwrap();
    assert_eq!(same.warnings, ["ops[0].replace: the new text is the same as the old; nothing changes"]);
    assert_eq!(same.bytes, b"a\n");
}

#[test]
fn each_encoding_and_its_mark_stay() {
    let cases: [(&[u8], &[u8]); 5] = [
        (b"\xef\xbb\xbfK\xc3\xa4se\r\n", b"\xef\xbb\xbfBr\xc3\xb6t\r\n"),
        (b"\xff\xfeK\0\xe4\0s\0e\0\n\0", b"\xff\xfeB\0r\0\xf6\0t\0\n\0"),
        (b"\xfe\xff\0K\0\xe4\0s\0e\0\n", b"\xfe\xff\0B\0r\0\xf6\0t\0\n"),
        (b"K\0\xe4\0s\0e\0\n\0a\0b\0c\0", b"B\0r\0\xf6\0t\0\n\0a\0b\0c\0"),
        ("Käse".as_bytes(), "Bröt".as_bytes()),
    ];
    for (source, expected) in cases {
        assert_eq!(edit(source, &json!([replace("Käse", "Bröt")])).unwrap().bytes, expected);
    }
}

#[test]
fn legacy_encodings_stay_and_what_they_lack_is_named() {
    let cases = [
        (encoding_rs::WINDOWS_1252, "Käse für Jürgen, Straße, naïve façade\r\n", "Käse", "Öl"),
        (encoding_rs::SHIFT_JIS, "これは日本語の文章です。漢字とかなが混ざっています。\n", "漢字", "仮名"),
        (encoding_rs::GBK, "这是一个用中文写的句子，里面有很多汉字。\n", "汉字", "文字"),
        (encoding_rs::WINDOWS_1251, "Привет, как дела? Сегодня хорошая погода.\n", "Привет", "Пока"),
    ];
    for (encoding, text, search, new) in cases {
        let (bytes, _, _) = encoding.encode(text);
        let expected = text.replacen(search, new, 1);
        assert_eq!(edit(&bytes, &json!([replace(search, new)])).unwrap().bytes, *encoding.encode(&expected).0);
        let error = edit(&bytes, &json!([replace(search, "a😀b😀c🦀")])).unwrap_err();
        let named = format!(
            "ops[0].replace: the file is in the encoding {}, which does not have '😀' (U+1F600), '🦀' (U+1F980); \
             `write_text_file` can rewrite it in UTF-8",
            encoding.name()
        );
        assert_eq!((error.reason, error.message), (Reason::Invalid, named));
    }
}

#[test]
fn lines_that_could_be_written_otherwise_keep_their_bytes() {
    let japanese = |text: &str| encoding_rs::SHIFT_JIS.encode(text).0.into_owned();
    // This sign exists twice in the encoding, and would be written as the other one.
    let twice = b"\x87\x90 = 1\n";
    let file = |first: &str, last: &str| [japanese(first), twice.to_vec(), japanese(last)].concat();
    let first = "これは日本語の文章です。漢字とかなが混ざっています。\n";
    let source = file(first, "最後の行です。\n");
    let ops = json!([replace("漢字", "仮名"), insert(json!(["新しい行"]), ("line", json!(4)))]);
    let expected = file(&first.replace("漢字", "仮名"), "最後の行です。\n新しい行\n");
    assert_eq!(edit(&source, &ops).unwrap().bytes, expected);
    let error = edit(&source, &json!([replace("= 1", "= 2")])).unwrap_err();
    assert!(error.message.starts_with("ops[0].search: line 2 of the file has characters"), "{}", error.message);
    let whole = json!([{ "op": "replace_lines", "line_start": 2, "lines": "x" }]);
    assert_eq!(
        edit(&source, &whole).unwrap().bytes,
        [japanese(first), b"x\n".to_vec(), japanese("最後の行です。\n")].concat()
    );
}

#[test]
fn texts_do_not_grow_beyond_all_bounds_and_hold_no_nul() {
    let source = "a".repeat(1 << 20);
    let mut op = replace("a", &"b".repeat(1 << 10));
    op["all"] = json!(true);
    let error = edit(source.as_bytes(), &json!([op])).unwrap_err();
    assert_eq!(error.reason, Reason::TooLarge);
    assert!(refuses("a", replace("a", "\0")).0.contains("NUL"));
    let binary = edit(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", &json!([replace("a", "b")])).unwrap_err();
    assert_eq!(
        (binary.reason, binary.message.as_str()),
        (Reason::WrongKind, "this is not a text file: the content is a PNG image")
    );
}

#[test]
fn a_new_file_is_made_from_nothing() {
    let ops = json!([{ "op": "insert_lines", "lines": ["# Title", "", "Text"] }]);
    let applied = apply(None, &ops).unwrap();
    assert_eq!(applied.bytes, b"# Title\n\nText\n");
}
