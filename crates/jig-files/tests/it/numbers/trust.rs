//! Which stored values are trusted, and that a second edit keeps what the first one kept.

use serde_json::json;

use super::{Book, FULL_CALC, Parts, stale};

/// A workbook as Excel saves it: every formula has a value.
const SAVED: &[(&str, &str)] = &[
    ("A1", "1"),
    ("A2", "2"),
    ("B1", "=MYSTERY(A1)|5"),
    ("B2", "=MYSTERY(A2)|6"),
    ("C1", "=B1+1|6"),
    ("C2", "=B2+A2|8"),
    ("D1", "=C2*2|16"),
    ("E1", "=MYSTERY(7)|70"),
    ("E2", "=E1+A2|72"),
];

#[test]
fn the_second_edit_removes_no_value_that_the_first_kept() {
    let book = Book::new(&Parts { sheets: &[("Data", SAVED)], rest: "" });
    let (first, reply) = book.set(&[("Data!A1", json!(9))]);
    assert_eq!(stale(&reply), ["Data!B1 was 5.0", "Data!C1 was 6.0"]);
    assert!(first.part("xl/workbook.xml").contains("fullCalcOnLoad=\"1\""));
    let (second, reply) = first.set(&[("Data!F1", json!("=E2+1"))]);
    assert_eq!(stale(&reply), Vec::<String>::new());
    let values = ["B2", "C2", "D1", "E1", "E2", "F1"].map(|cell| second.stored(1, cell));
    assert_eq!(values, ["6", "8", "16", "70", "72", "73"]);
    // E1 is still trusted, though the workbook asks for a calculation by now.
    let (third, reply) = second.set(&[("Data!A2", json!(3))]);
    assert_eq!(stale(&reply), ["Data!D1 was 16.0", "Data!B2 was 6.0", "Data!C2 was 8.0"]);
    assert_eq!(["E1", "E2", "F1"].map(|cell| third.stored(1, cell)), ["70", "73", "74"]);
    assert_eq!(third.cell("Data", 1, 5)["value"], json!(70));
}

#[test]
fn a_change_by_another_program_breaks_the_seal() {
    let book = Book::new(&Parts { sheets: &[("Data", SAVED)], rest: "" });
    let (first, _) = book.set(&[("Data!A1", json!(9))]);
    let rows = first.part("xl/worksheets/sheet1.xml").replace("<v>2</v>", "<v>200</v>");
    let (_, rows) = rows.split_once("<sheetData>").unwrap();
    let (rows, _) = rows.split_once("</sheetData>").unwrap();
    let rest = first.part("xl/workbook.xml");
    let (_, rest) = rest.split_once("</sheets>").unwrap();
    let (rest, _) = rest.split_once("</workbook>").unwrap();
    let foreign = Book::of_rows(&[("Data", rows.to_owned())], rest);
    // E1 could be computed from what the other program wrote: nothing in the file vouches for its value.
    let (edited, reply) = foreign.set(&[("Data!A2", json!(3))]);
    assert_eq!(edited.stored(1, "E2"), "-");
    assert!(stale(&reply).contains(&"Data!E2 was 72.0".to_owned()));
}

#[test]
fn files_that_ask_for_a_calculation_are_not_trusted() {
    let flags = [
        FULL_CALC,
        r#"<calcPr fullCalcOnLoad="true"/>"#,
        r#"<calcPr calcCompleted="0"/>"#,
        r#"<calcPr calcMode="manual" calcOnSave="0"/>"#,
    ];
    let cells: &[(&str, &str)] =
        &[("A1", "1"), ("A2", "4"), ("B1", "=A2*2|0"), ("C1", "=B1+A1|0"), ("D1", "=MYSTERY(1)|0")];
    for rest in flags {
        let book = Book::new(&Parts { sheets: &[("Data", cells)], rest });
        let (edited, _) = book.set(&[("Data!A1", json!(2))]);
        assert_eq!(edited.stored(1, "C1"), "10", "{rest}");
        assert_eq!(book.cell("Data", 1, 3)["value"], json!(9), "{rest}");
        assert_eq!(book.cell("Data", 1, 4)["stale"], json!(true), "{rest}");
    }
    for rest in ["", r#"<calcPr calcId="191029"/>"#, r#"<calcPr calcMode="manual"/>"#] {
        let book = Book::new(&Parts { sheets: &[("Data", cells)], rest });
        assert_eq!(book.set(&[("Data!A1", json!(2))]).0.stored(1, "C1"), "2", "{rest}");
    }
}

#[test]
fn a_workbook_that_was_computed_in_full_is_trusted_from_then_on() {
    let cells: &[(&str, &str)] = &[("A1", "1"), ("B1", "=A1+1|0"), ("C1", "=B1*2|0")];
    let book = Book::new(&Parts { sheets: &[("Data", cells)], rest: FULL_CALC });
    let (all, reply) = book.edit(&super::set_cells(&[("Data!A1", json!(2))]), true);
    assert!(reply["warnings"].to_string().contains("every formula has a stored value"));
    let cell = all.cell("Data", 1, 3);
    assert_eq!((&cell["value"], &cell["computed"]), (&json!(6), &json!(null)));
}
