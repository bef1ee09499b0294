//! What holds for any text at all.

use proptest::prelude::*;

use crate::{
    Axis, Dependencies, Edit, EditKind, FormulaText, ParsedFormula, StructuredRef, delete_sheet, rename_sheet, shift,
    shift_sqref, tokens, translate,
};
use jig_file_api::address::CellRef;

/// Text made of pieces that formulas are made of, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "A1",
        "$B$2",
        "C:D",
        "3:$4",
        ":",
        "!",
        "'",
        "\"",
        "[",
        "]",
        "[1]",
        "Sheet1",
        "'a b'",
        "#REF!",
        "#",
        "(",
        ")",
        "SUM(",
        "LOG10",
        "{",
        "}",
        ",",
        ";",
        "1.5E+3",
        "E",
        "@",
        "T[",
        "#This Row",
        "é",
        " ",
        "|",
        "<>",
        "$",
        ".",
        "=",
        "XFE1",
        "_xlfn.",
        "''",
        "\"\"",
        "😀",
    ]);
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

fn edits() -> impl Strategy<Value = Edit> {
    let axis = prop_oneof![Just(Axis::Rows), Just(Axis::Columns)];
    let kind = prop_oneof![Just(EditKind::Insert), Just(EditKind::Delete)];
    (axis, kind, 0..12_u32, prop_oneof![0..9_u32, Just(u32::MAX)]).prop_map(|(axis, kind, at, count)| Edit {
        sheet: "Sheet1".to_owned(),
        axis,
        kind,
        at,
        count,
    })
}

#[track_caller]
fn whole(text: &str) {
    let joined: String = tokens(text).map(|token| token.text).collect();
    assert_eq!(joined, text);
    let mut position = 0;
    for token in tokens(text) {
        assert_eq!(token.start, position);
        assert!(!token.text.is_empty());
        position += token.text.len();
    }
    assert!(ParsedFormula::parse(text).tokens().eq(tokens(text)), "a parsed formula has the same tokens");
}

fn everything(text: &str, edit: &Edit) {
    whole(text);
    let _ = (Dependencies::of(text), StructuredRef::parse(text));
    let (near, far) = (CellRef::new(1, 1).unwrap(), CellRef::new(9, 9).unwrap());
    for rewritten in [
        shift(text, "Sheet1", edit),
        rename_sheet(text, "Sheet1", "It's"),
        delete_sheet(text, "Sheet1", &["Sheet1"]),
        translate(text, far, near),
    ] {
        whole(&rewritten.text);
    }
    let _ = shift_sqref(text, edit);
}

proptest! {
    #[test]
    fn tokens_cover_every_byte_and_nothing_panics(text in ".{0,40}", edit in edits()) {
        everything(&text, &edit);
    }

    #[test]
    fn pieces_of_formulas_too(text in pieces(), edit in edits()) {
        everything(&text, &edit);
    }

    #[test]
    fn an_insert_is_undone_by_its_delete(
        rows in (1..400_u32, 1..400_u32), cols in (1..90_u32, 1..90_u32), at in 1..500_u32, count in 1..50_u32,
    ) {
        let cell = |row, col| CellRef::new(row, col).unwrap();
        let formula = format!("SUM({}:${})+Sheet1!{}", cell(rows.0, cols.0), cell(rows.1, cols.1), cell(rows.0, cols.1));
        for axis in [Axis::Rows, Axis::Columns] {
            let insert = Edit { sheet: "Sheet1".to_owned(), axis, kind: EditKind::Insert, at, count };
            let delete = Edit { kind: EditKind::Delete, ..insert.clone() };
            let there = shift(&formula, "Sheet1", &insert).text.into_owned();
            prop_assert_eq!(&shift(&there, "Sheet1", &delete).text, &formula);
        }
    }

    #[test]
    fn a_sheet_renamed_there_and_back_is_the_same(name in "[A-Za-z0-9 '._-]{1,12}") {
        prop_assume!(!name.starts_with('\'') && !name.ends_with('\'') && !name.eq_ignore_ascii_case("Old"));
        let formula = "Old!A1+SUM(Old!B:C)";
        let there = rename_sheet(formula, "Old", &name).text.into_owned();
        prop_assert_eq!(rename_sheet(&there, &name, "Old").text, formula);
    }

    #[test]
    fn moving_a_formula_there_and_back_is_the_same(from in (1..50_u32, 1..50_u32), to in (50..90_u32, 50..90_u32)) {
        let (from, to) = (CellRef::new(from.0, from.1).unwrap(), CellRef::new(to.0, to.1).unwrap());
        let formula = "A1*$B2+SUM(C$3:D4,E:E,5:6)";
        let there = translate(formula, from, to).text.into_owned();
        prop_assert_eq!(translate(&there, to, from).text, formula);
    }
}
