//! Tests of parsed values. Validity is covered by the recorded folders in `tests/skills`.

use super::{Value, load};

fn text(yaml: &str) -> String {
    match load(&format!("k: {yaml}\n")) {
        Ok(Some(Value::Map(entries))) => entries[0].1.as_text().expect("a text").to_owned(),
        other => panic!("{yaml}: {other:?}"),
    }
}

fn fault(yaml: &str) -> (usize, String) {
    let fault = load(yaml).expect_err(yaml);
    (fault.line, fault.what)
}

#[test]
fn texts_of_all_styles() {
    assert_eq!(text("two words # comment"), "two words");
    assert_eq!(text("one\n  two\n\n  three"), "one two\nthree");
    assert_eq!(text("'it''s \\ \"so\"'"), "it's \\ \"so\"");
    assert_eq!(
        text(
            r#""a\tb\x41\u00e9\U0001F600\
        c""#
        ),
        "a\tbAé😀c"
    );
    assert_eq!(text("|\n  a\n   b\n\n  c\n"), "a\n b\n\nc\n");
    assert_eq!(text(">\n  a\n  b\n\n  c\n   d\n  e\n"), "a b\nc\n d\ne\n");
    assert_eq!(text(">-\n  a\n  b\n"), "a b");
    assert_eq!(text("|+\n  a\n\n"), "a\n\n\n");
    assert_eq!(text("|1\n  a\n"), " a\n");
    assert_eq!(text("3.10"), "3.10");
    assert_eq!(text("no"), "no");
    assert_eq!(text(""), "");
}

#[test]
fn lists_and_maps() {
    let value = load("a:\n- x\n- y: 1\n  z:\nb:\n  <<:\n    c: d\n    e: f\n  e: g\n").expect("valid");
    let list = Value::List(vec![
        Value::Text("x".into()),
        Value::Map(vec![("y".into(), Value::Text("1".into())), ("z".into(), Value::Text(String::new()))]),
    ]);
    let map = Value::Map(vec![("e".into(), Value::Text("g".into())), ("c".into(), Value::Text("d".into()))]);
    assert_eq!(value, Some(Value::Map(vec![("a".into(), list), ("b".into(), map)])));
}

#[test]
fn no_document_without_a_list_or_a_map() {
    assert_eq!(load(""), Ok(None));
    assert_eq!(load("\n# only a comment\n"), Ok(None));
    assert_eq!(load("just text"), Ok(None));
}

#[test]
fn faults_say_where_and_what() {
    assert_eq!(
        fault("a: b\nc: [d]\n"),
        (2, "lists and maps in brackets are not allowed; quote the text or write one item on each line".into())
    );
    assert_eq!(fault("a: b\na: c\n"), (2, "the key `a` is there twice".into()));
    assert_eq!(fault("a: b: c\n"), (1, "`: ` cannot be here; quote the text if it is part of it".into()));
    assert_eq!(fault("a: 'b\n\n"), (3, "a quote is not closed".into()));
    assert_eq!(fault("a:\n  b: c\nd:\n   e: f\n").1, "maps beside each other must be indented alike");
}

#[test]
fn deep_nesting_is_a_fault_and_not_a_crash() {
    assert!(load(&format!("a:\n {}x", "- ".repeat(200))).is_ok());
    assert_eq!(fault(&format!("a:\n {}x", "- ".repeat(100_000))).1, "the nesting is too deep");
}
