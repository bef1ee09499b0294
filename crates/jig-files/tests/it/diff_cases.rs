//! Addresses of changes and rows of tables that are reverted.

use std::path::Path;

use jig_files::FileBytes;
use jig_files::engine::Versions;
use jig_worker::FileApi;
use serde_json::json;

use crate::support::versions::{rendered, versions};

#[test]
fn a_change_that_is_not_there_is_stale_and_suggests_near_ones() {
    let engine = FileApi::default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/diff/xlsx-cells");
    let error = engine.revert(&versions(&folder), &json!({ "changes": ["Budget!B20"] })).unwrap_err();
    assert_eq!(error.reason.word(), "stale");
    assert!(error.suggestions.contains(&"Budget!B2".to_owned()), "{:?}", error.suggestions);
}

fn table(old: &str, new: &str) -> Versions {
    let bytes = |text: &str| Some(FileBytes::from(text.as_bytes()));
    Versions { name: "a.csv".to_owned(), old: bytes(old), new: bytes(new) }
}

/// The new table with one change reverted.
#[track_caller]
fn without(both: &Versions, id: &str) -> String {
    let (reverted, _) = FileApi::default().revert(both, &json!({ "changes": [id] })).unwrap();
    String::from_utf8(reverted.bytes).unwrap()
}

#[test]
fn rows_keep_their_line_ends_beside_line_feeds_in_cells() {
    let old = "id,n\r\n1,\"a\nb\"\r\n2,x\r\n3,y\r\n4,z\r\n";
    let changed = table(old, "id,n\r\n1,\"a\nb\"\r\n2,x\r\n3,yy\r\n4,zz\r\n");
    assert_eq!(without(&changed, "row id=3"), "id,n\r\n1,\"a\nb\"\r\n2,x\r\n3,y\r\n4,zz\r\n");
    let removed = table(old, "id,n\r\n1,\"a\nb\"\r\n2,xx\r\n3,y\r\n");
    assert_eq!(without(&removed, "row id=4 (removed)"), "id,n\r\n1,\"a\nb\"\r\n2,xx\r\n3,y\r\n4,z\r\n");
    // The last row of neither table is ended.
    let bare = table(old.trim_end(), "id,n\r\n1,\"a\nb\"\r\n2,xx\r\n3,y");
    assert_eq!(without(&bare, "row id=4 (removed)"), "id,n\r\n1,\"a\nb\"\r\n2,xx\r\n3,y\r\n4,z");
}

#[test]
fn a_line_feed_in_a_cell_comes_back_as_it_was() {
    let old = "id,n\r\n1,\"a\nb\"\r\n2,x\r\n";
    assert_eq!(without(&table(old, "id,n\r\n1,\"a c\"\r\n2,x\r\n"), "row id=1"), old);
    let both = table(old, "id,n\r\n1,\"a c\"\r\n2,xx\r\n");
    assert_eq!(without(&both, "row id=1"), "id,n\r\n1,\"a\nb\"\r\n2,xx\r\n");
    // A Draft with other line endings throughout keeps them.
    let other = table(old, "id,n\n1,\"a c\"\n2,xx\n");
    assert_eq!(without(&other, "row id=1"), "id,n\n1,\"a\nb\"\n2,xx\n");
}

#[test]
fn another_order_of_rows_is_a_change_and_stays_when_a_row_is_taken_back() {
    let old = "id,n\n3,c\n1,a\n2,b\n";
    let expected = "\
summary: rows in another order
focus: row order
changes: 1
page 1: csv
note: rows are matched by the column id
@ rows
row order [row order moved]; id: 3, 1, 2 → 1, 2, 3; whole file only: it holds for all rows
";
    let sorted = "id,n\n1,a\n2,b\n3,c\n";
    assert_eq!(rendered(&FileApi::default(), &table(old, sorted)), expected);
    let both = table(old, "id,n\n1,a\n2,bb\n3,c\n");
    assert_eq!(without(&both, "row id=2"), sorted);
    let error = FileApi::default().revert(&both, &json!({ "changes": ["row order"] })).unwrap_err();
    assert!(error.message.contains("revert the whole file instead"), "{error}");
}
