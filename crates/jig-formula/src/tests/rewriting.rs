//! What edits of rows, columns and sheets make of formulas.

use std::borrow::Cow;

use crate::{
    Axis, Edit, EditKind, delete_sheet, quoted_sheet, rename_sheet, shift, shift_range, shift_sqref, translate,
};

fn edit(axis: Axis, kind: EditKind, at: u32, count: u32) -> Edit {
    Edit { sheet: "Data".to_owned(), axis, kind, at, count }
}

fn insert_rows(at: u32, count: u32) -> Edit {
    edit(Axis::Rows, EditKind::Insert, at, count)
}

fn delete_rows(at: u32, count: u32) -> Edit {
    edit(Axis::Rows, EditKind::Delete, at, count)
}

fn delete_columns(at: u32, count: u32) -> Edit {
    edit(Axis::Columns, EditKind::Delete, at, count)
}

#[track_caller]
fn check(formula: &str, edit: &Edit, expected: &str) {
    assert_eq!(shift(formula, "Data", edit).text, expected, "{formula} {edit:?}");
}

#[test]
fn inserted_rows_move_and_grow() {
    check("A5", &insert_rows(5, 2), "A7");
    check("A4", &insert_rows(5, 2), "A4");
    check("SUM(A1:A5)", &insert_rows(3, 2), "SUM(A1:A7)");
    check("SUM(A1:A5)", &insert_rows(6, 2), "SUM(A1:A5)");
    check("SUM(A1:A5)", &insert_rows(1, 2), "SUM(A3:A7)");
    check("SUM($A$5:A$9,x)*2", &insert_rows(1, 1), "SUM($A$6:A$10,x)*2");
    check("A9:B1", &insert_rows(5, 1), "A10:B1");
    check("SUM(A:A)+SUM(2:4)", &insert_rows(3, 1), "SUM(A:A)+SUM(2:5)");
    check("A1:A1048576", &insert_rows(3, 1), "A1:A1048576");
    check("A2:A1048576", &insert_rows(1, 3), "A5:A1048576");
    check("A1048576", &insert_rows(1, 1), "#REF!");
    check("\"A5\"&A5", &insert_rows(1, 1), "\"A5\"&A6");
    check("A5#", &insert_rows(1, 1), "A6#");
}

#[test]
fn deleted_rows_shrink_and_lose() {
    check("A5", &delete_rows(5, 1), "#REF!");
    check("A5", &delete_rows(2, 2), "A3");
    check("SUM(A1:A5)", &delete_rows(3, 1), "SUM(A1:A4)");
    check("SUM(A1:A5)", &delete_rows(1, 2), "SUM(A1:A3)");
    check("SUM(A1:A5)", &delete_rows(4, 9), "SUM(A1:A3)");
    check("SUM(A3:A5)", &delete_rows(1, 4), "SUM(A1:A1)");
    check("SUM(A3:A5)+1", &delete_rows(3, 3), "SUM(#REF!)+1");
    check("Data!A5&data!A9", &delete_rows(5, 1), "Data!#REF!&data!A8");
    check("B2:D4", &delete_columns(3, 1), "B2:C4");
    check("B:D", &delete_columns(2, 3), "#REF!");
    check("3:4", &delete_columns(2, 3), "3:4");
}

#[test]
fn only_the_edited_sheet_is_concerned() {
    let edit = insert_rows(1, 1);
    assert_eq!(shift("A1+Other!A1+DATA!A1+'Data'!A1", "Other", &edit).text, "A1+Other!A1+DATA!A2+'Data'!A2");
    check("[1]Data!A1", &edit, "[1]Data!A1");
    let several = shift("SUM(Data:Last!A1)", "Data", &edit);
    assert_eq!((several.text.as_ref(), several.lost, several.left), ("SUM(Data:Last!A1)", 0, 1));
    check("SUM(Data:Data!A1)", &edit, "SUM(Data:Data!A2)");
    assert!(matches!(shift("B1*2", "Other", &edit).text, Cow::Borrowed("B1*2")));
    let lost = shift("A1+Data!A1:A2", "Data", &delete_rows(1, 2));
    assert_eq!((lost.text.as_ref(), lost.lost), ("#REF!+Data!#REF!", 2));
}

#[test]
fn lists_and_ranges_of_the_sheet() {
    let sqref = |list, edit: &Edit| shift_sqref(list, edit).map(Cow::into_owned);
    assert_eq!(sqref("A1:B2 D4", &insert_rows(2, 1)).as_deref(), Some("A1:B3 D5"));
    assert_eq!(sqref("A1:B2 D4", &delete_rows(4, 1)).as_deref(), Some("A1:B2"));
    assert_eq!(sqref("D4", &delete_rows(4, 1)), None);
    assert_eq!(sqref("A1  odd", &insert_rows(4, 1)).as_deref(), Some("A1  odd"));
    assert_eq!(sqref("A5 odd", &insert_rows(4, 1)).as_deref(), Some("A6 odd"));
    let range = |text: &str, edit: &Edit| shift_range(text.parse().unwrap(), edit).map(|range| range.to_string());
    assert_eq!(range("A1:C3", &insert_rows(2, 5)).as_deref(), Some("A1:C8"));
    assert_eq!(range("A1:C3", &delete_columns(1, 2)).as_deref(), Some("A1:A3"));
    assert_eq!(range("A1:C3", &delete_rows(1, 3)), None);
}

#[test]
fn sheets_are_renamed() {
    let renamed = |formula| rename_sheet(formula, "Data", "New Data").text.into_owned();
    assert_eq!(renamed("Data!A1+data!Rate+Other!A1"), "'New Data'!A1+'New Data'!Rate+Other!A1");
    assert_eq!(renamed("SUM(Data:Last!A1)"), "SUM('New Data:Last'!A1)");
    assert_eq!(renamed("[1]Data!A1+\"Data!A1\"+Data"), "[1]Data!A1+\"Data!A1\"+Data");
    assert_eq!(renamed("Data!#REF!"), "'New Data'!#REF!");
    assert_eq!(rename_sheet("'It''s'!A1", "it's", "Plain").text, "Plain!A1");
}

#[test]
fn names_are_quoted_where_needed() {
    for plain in ["Sheet1", "_x", "Q.1", "Total2024x"] {
        assert_eq!(quoted_sheet(plain), plain);
    }
    for odd in ["My Sheet", "2024", "A1", "R1C1", "RC", "r", "c3", "TRUE", "a-b", "Größe", ""] {
        assert_eq!(quoted_sheet(odd), format!("'{odd}'"));
    }
    assert_eq!(quoted_sheet("It's"), "'It''s'");
}

#[test]
fn sheets_are_deleted() {
    let deleted = |formula, sheet| delete_sheet(formula, sheet, &["Jan", "Feb", "Mar"]).text.into_owned();
    assert_eq!(deleted("Jan!A1+Feb!A1+Jan!Rate", "jan"), "#REF!+Feb!A1+#REF!");
    assert_eq!(deleted("SUM(Jan:Mar!A1)", "Mar"), "SUM(Jan:Feb!A1)");
    assert_eq!(deleted("SUM(Jan:Mar!A1)", "Jan"), "SUM(Feb:Mar!A1)");
    assert_eq!(deleted("SUM(Jan:Mar!A1)", "Feb"), "SUM(Jan:Mar!A1)");
    assert_eq!(deleted("SUM(Jan:Feb!A1)", "Feb"), "SUM(Jan!A1)");
    assert_eq!(deleted("SUM(Jan:Jan!A1)", "Jan"), "SUM(#REF!)");
}

#[test]
fn a_shared_formula_reads_in_another_cell() {
    let moved = |formula, from: &str, to: &str| {
        let (from, to) = (from.parse().unwrap(), to.parse().unwrap());
        translate(formula, from, to).text.into_owned()
    };
    assert_eq!(moved("A1*$B$1+B$2+$C3", "D1", "E3"), "B3*$B$1+C$2+$C5");
    assert_eq!(moved("SUM(A:A,1:1,Other!A1:B2)", "D1", "E2"), "SUM(B:B,2:2,Other!B2:C3)");
    assert_eq!(moved("A1", "B2", "A1"), "#REF!");
    assert_eq!(moved("T[@x]&\"A1\"", "B2", "C3"), "T[@x]&\"A1\"");
}
