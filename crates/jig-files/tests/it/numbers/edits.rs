//! After an edit: computed from computed precedents, or without a value and reported.

use serde_json::json;

use super::{Book, FULL_CALC, Parts, stale};

/// The example of an openpyxl file: no formula has a stored value.
const INVOICE: &[(&str, &str)] = &[
    ("A1", "1"),
    ("B1", "10"),
    ("C1", "=A1*B1"),
    ("A2", "2"),
    ("B2", "20"),
    ("C2", "=A2*B2"),
    ("A3", "3"),
    ("B3", "30"),
    ("C3", "=SUM(A3:B3)"),
    ("A4", "4"),
    ("B4", "8"),
    ("C4", "=ROUND(B4/A4,2)"),
    ("A5", "5"),
    ("B5", "50"),
    ("C5", "=IF(A5>3,B5,0)"),
    ("C6", "=SUM(C1:C5)"),
    ("C7", "=AVERAGE(C1:C5)"),
];

#[test]
fn precedents_without_a_value_are_computed_first() {
    for rest in ["", FULL_CALC] {
        let book = Book::new(&Parts { sheets: &[("Data", INVOICE)], rest });
        let (edited, reply) = book.set(&[("Data!A1", json!(2))]);
        assert_eq!(edited.stored(1, "C1"), "20");
        assert_eq!(edited.stored(1, "C6"), "145");
        assert_eq!(edited.stored(1, "C7"), "29");
        // Only what the edit affects is written.
        assert_eq!(edited.stored(1, "C2"), "-");
        assert_eq!(stale(&reply), Vec::<String>::new());
    }
}

#[test]
fn stored_zeros_of_an_uncalculated_workbook_are_not_summed() {
    let zeros: Vec<(&str, String)> = INVOICE
        .iter()
        .map(|(cell, content)| {
            (*cell, if content.starts_with('=') { format!("{content}|0") } else { (*content).to_owned() })
        })
        .collect();
    let zeros: Vec<(&str, &str)> = zeros.iter().map(|(cell, content)| (*cell, content.as_str())).collect();
    let book = Book::new(&Parts { sheets: &[("Data", &zeros)], rest: FULL_CALC });
    let (edited, _) = book.set(&[("Data!A1", json!(2))]);
    assert_eq!(["C1", "C6", "C7", "C2"].map(|cell| edited.stored(1, cell)), ["20", "145", "29", "0"]);
    // The zeros that are left in the file are not read as such.
    assert_eq!(edited.cell("Data", 2, 3)["value"], json!(40));
}

#[test]
fn precedents_are_followed_through_sheets_names_and_chains() {
    let book = Book::new(&Parts {
        sheets: &[
            ("In", &[("A1", "1"), ("A2", "2"), ("B1", "=A1*10"), ("B2", "=A2*10")]),
            ("Mid", &[("A1", "=SUM(In!B1:B2)"), ("A2", "=In!B2+A1"), ("A3", "=Rate*A2")]),
            ("Out", &[("A1", "=Mid!A3+In!C9"), ("A2", "=SUMIF(Mid!A1:A3,\">0\")+In!C9")]),
        ],
        rest: r#"<definedNames><definedName name="Rate">In!$B$1</definedName></definedNames>"#,
    });
    let (edited, _) = book.set(&[("In!C9", json!(1))]);
    // B1 10, B2 20, Mid A1 30, A2 50, A3 500.
    assert_eq!([edited.stored(3, "A1"), edited.stored(3, "A2")], ["501", "581"]);
    assert_eq!(edited.stored(2, "A1"), "-");
}

#[test]
fn a_precedent_that_cannot_be_computed_blocks_what_builds_on_it() {
    let book = Book::new(&Parts {
        sheets: &[(
            "Data",
            &[
                ("A1", "1"),
                ("B1", "=MYSTERY(3)"),
                ("C1", "=B1+A1|7"),
                ("D1", "=C1*2|14"),
                ("E1", "=A1+1|2"),
                ("F1", "=B1|3"),
            ],
        )],
        rest: "",
    });
    let (edited, reply) = book.set(&[("Data!A1", json!(5))]);
    assert_eq!(["C1", "D1", "E1", "F1"].map(|cell| edited.stored(1, cell)), ["-", "-", "6", "3"]);
    assert_eq!(stale(&reply), ["Data!C1 was 7.0", "Data!D1 was 14.0"]);
    let warning = reply["warnings"].to_string();
    assert!(warning.contains("was 7") && warning.contains("Data!C1"), "{warning}");
    assert!(edited.part("xl/workbook.xml").contains("fullCalcOnLoad=\"1\""));
    assert_eq!(edited.cell("Data", 1, 3)["stale"], json!(true));
}

#[test]
fn values_that_the_edit_does_not_affect_stay() {
    let cells: &[(&str, &str)] = &[
        ("A1", "1"),
        ("A2", "2"),
        ("B1", "=MAX(Data:More!Z1)|3"),
        ("B2", "=INDIRECT(\"A9\")|4"),
        ("B3", "=ISFORMULA(A9)|5"),
        ("B4", "=AND(A9:A10)|6"),
        ("B5", "=B2+B4|10"),
        ("B6", "=OFFSET(A8,1,0)|7"),
        ("B7", "=TODAY()|45000"),
        ("B8", "=INDIRECT(C1&C2)|8"),
        ("B9", "=MYSTERY(A9)+B5|9"),
        ("B10", "=SUM(A9:INDEX(A9:A20,3))|11"),
        ("C1", "A"),
        ("C2", "9"),
        ("D1", "=A1*2|2"),
    ];
    let book = Book::new(&Parts { sheets: &[("Data", cells), ("More", &[("Z1", "3")])], rest: "" });
    let (edited, reply) = book.set(&[("Data!A1", json!(21))]);
    let rest = ["B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8", "B9", "B10", "D1"].map(|cell| edited.stored(1, cell));
    assert_eq!(rest, ["3", "4", "5", "6", "10", "7", "45000", "8", "9", "11", "42"]);
    assert_eq!(reply["warnings"], json!([]));
}

#[test]
fn computed_references_follow_their_target_and_their_arguments() {
    let cells: &[(&str, &str)] = &[
        ("A1", "1"),
        ("A2", "2"),
        ("B1", "=INDIRECT(\"A1\")*10|10"),
        ("B2", "=OFFSET(A1,1,0)*10|20"),
        ("B3", "=SUM(OFFSET(A1,0,0,2,1))|3"),
        ("B4", "=INDIRECT(\"Data!A\"&C1)|1"),
        ("C1", "1"),
    ];
    let book = Book::new(&Parts { sheets: &[("Data", cells)], rest: "" });
    let values = |book: &Book| ["B1", "B2", "B3", "B4"].map(|cell| book.stored(1, cell));
    assert_eq!(values(&book.set(&[("Data!A1", json!(5))]).0), ["50", "20", "7", "5"]);
    assert_eq!(values(&book.set(&[("Data!A2", json!(5))]).0), ["10", "50", "6", "1"]);
    assert_eq!(values(&book.set(&[("Data!C1", json!(2))]).0), ["10", "20", "3", "2"]);
}

#[test]
fn data_tables_are_computed_and_what_reads_them_is_right_or_marked() {
    let rows = concat!(
        r#"<row r="1"><c r="A1"><v>3</v></c></row><row r="2"><c r="A2"><v>1</v></c></row>"#,
        r#"<row r="4"><c r="E4"><v>1</v></c><c r="F4"><v>2</v></c></row>"#,
        r#"<row r="5"><c r="D5"><f>A1*10</f><v>30</v></c><c r="E5"><f t="dataTable" ref="E5:F5" dt2D="0" dtr="1" r1="A1"/><v>10</v></c><c r="F5"><v>20</v></c><c r="H5"><f>F5+1</f><v>21</v></c></row>"#,
    );
    let book = Book::of_rows(&[("Data", rows.to_owned())], "");
    for (cell, expected, hit) in [
        ("Data!A1", ["10", "20"], true),
        ("Data!E4", ["90", "20"], true),
        ("Data!A2", ["10", "20"], false),
        ("Data!Z9", ["10", "20"], false),
    ] {
        let (edited, reply) = book.set(&[(cell, json!(9))]);
        assert_eq!(["E5", "F5"].map(|cell| edited.stored(1, cell)), expected, "{cell}");
        let reader = edited.stored(1, "H5");
        assert!(reader == "21" || (hit && reader == "-"), "{cell}: {reader}");
        let marked = stale(&reply).iter().any(|line| line.starts_with("Data!H5"));
        assert_eq!(marked, reader == "-", "{cell}");
    }
}

#[test]
fn the_whole_workbook_is_computed_on_request() {
    let cells: &[(&str, &str)] =
        &[("A1", "1"), ("B1", "=A1+1"), ("C1", "=B1*2|0"), ("D1", "=MYSTERY(1)|0"), ("E1", "=D1|0"), ("F1", "=7|0")];
    let book = Book::new(&Parts { sheets: &[("Data", cells)], rest: FULL_CALC });
    let ops = super::set_cells(&[("Data!Z1", json!(1))]);
    let (edited, reply) = book.edit(&ops, true);
    assert_eq!(["B1", "C1", "D1", "E1", "F1"].map(|cell| edited.stored(1, cell)), ["2", "4", "-", "-", "7"]);
    assert!(reply["warnings"].to_string().contains("2 formulas remain uncomputed"), "{}", reply["warnings"]);
    let (plain, _) = book.edit(&ops, false);
    assert_eq!(["B1", "C1", "D1", "F1"].map(|cell| plain.stored(1, cell)), ["-", "0", "0", "0"]);
}

#[test]
fn cells_that_no_formula_reads_leave_the_file_alone() {
    let cells: &[(&str, &str)] = &[("A1", "1"), ("B1", "=A1*2|2"), ("C1", "=SUM(B:B)|2"), ("D1", "=9+9|18")];
    let book = Book::new(&Parts { sheets: &[("Data", cells)], rest: "" });
    let (edited, reply) = book.set(&[("Data!F9", json!(5))]);
    assert_eq!(reply["warnings"], json!([]));
    let parts = reply["receipt"]["parts"].as_array().cloned().unwrap_or_default();
    assert_eq!(parts.iter().map(|part| part["name"].clone()).collect::<Vec<_>>(), ["xl/worksheets/sheet1.xml"]);
    assert_eq!(["B1", "C1", "D1"].map(|cell| edited.stored(1, cell)), ["2", "2", "18"]);
}

#[test]
fn a_new_sheet_affects_only_references_to_it() {
    let cells: &[(&str, &str)] =
        &[("A1", "=INDIRECT(\"B1\")|5"), ("B1", "=OFFSET(D1,1,0)|7"), ("C1", "=IFERROR(INDIRECT(\"New!A1\"),0)|0")];
    let book = Book::new(&Parts { sheets: &[("Data", cells)], rest: "" });
    let ops = json!([
        {"op": "ensure_sheet", "sheet": "New"},
        {"op": "set_cells", "sheet": "New", "cells": [{"cell": "A1", "value": 3}]},
    ]);
    let (edited, _) = book.edit(&ops, false);
    assert_eq!(["A1", "B1", "C1"].map(|cell| edited.stored(1, cell)), ["5", "7", "3"]);
}

#[test]
fn totals_by_category_use_computed_values() {
    for (stored, rest) in [("|0", FULL_CALC), ("", "")] {
        let amounts = [format!("=D2*2{stored}"), format!("=D3*2{stored}"), format!("=MYSTERY(1){stored}")];
        let cells: &[(&str, &str)] = &[
            ("A1", "Category"),
            ("A2", "Food"),
            ("A3", "Food"),
            ("A4", "Rent"),
            ("C2", &amounts[0]),
            ("C3", &amounts[1]),
            ("C4", &amounts[2]),
            ("D2", "5"),
            ("D3", "6"),
        ];
        let book = Book::new(&Parts { sheets: &[("Data", cells)], rest });
        let (edited, reply) = book.edit(
            &json!([{"op": "summarize_by_category", "sheet": "Sum", "source_sheets": ["Data"], "category_col": "A"}]),
            false,
        );
        assert!(edited.part("xl/worksheets/sheet2.xml").contains("<v>22</v>"), "{reply}");
        assert!(reply["warnings"].to_string().contains("C4"), "{}", reply["warnings"]);
    }
}

#[test]
fn arrays_that_fill_more_cells_than_they_have_are_right_or_marked() {
    let array = |area: &str, formula: &str| {
        format!(
            r#"<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row><row r="2"><c r="A2"><v>3</v></c><c r="B2"><v>4</v></c></row><row r="5"><c r="D5"><f t="array" ref="{area}">{formula}</f><v>7</v></c><c r="E5"><v>7</v></c></row><row r="6"><c r="D6"><v>7</v></c><c r="E6"><v>7</v></c></row>"#
        )
    };
    // What Excel stores in D5, E5, D6, E6 after A1 = 5.
    for (formula, right) in [
        ("A1:B1*10", ["50", "20", "50", "20"]),
        ("A1:A2*10", ["50", "50", "30", "30"]),
        ("A1:B2*10", ["50", "20", "30", "40"]),
        ("SUM(A1:B2)", ["14", "14", "14", "14"]),
        ("{1,2}*A1", ["5", "10", "5", "10"]),
    ] {
        let book = Book::of_rows(&[("Data", array("D5:E6", formula))], "");
        let (edited, reply) = book.set(&[("Data!A1", json!(5))]);
        let values = ["D5", "E5", "D6", "E6"].map(|cell| edited.stored(1, cell));
        let marked = stale(&reply).len();
        assert!(values == right || (values == ["-"; 4] && marked == 4), "{formula}: {values:?} {reply}");
    }
}

#[test]
fn cells_that_an_array_fills_are_read_as_the_array_is() {
    // openpyxl writes only the first cell of an array formula.
    let rows = concat!(
        r#"<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="array" ref="B1:B3">A1:A3*10</f></c><c r="D1"><f t="array" ref="D1:D3">MYSTERY(A1:A3)</f></c></row>"#,
        r#"<row r="2"><c r="A2"><v>2</v></c></row><row r="3"><c r="A3"><v>3</v></c><c r="D3" s="0"/><c r="E3"><f>SUM(B1:B3)</f></c></row>"#,
    );
    let book = Book::of_rows(&[("Data", rows.to_owned())], "");
    let column = |book: &Book, col: u32, field: &str| [1, 2, 3].map(|row| book.cell("Data", row, col)[field].clone());
    assert_eq!(column(&book, 2, "value"), [json!(10), json!(20), json!(30)]);
    assert_eq!(column(&book, 2, "computed"), [json!(true), json!(true), json!(true)]);
    assert_eq!(column(&book, 4, "stale"), [json!(true), json!(true), json!(true)]);
    assert_eq!(book.cell("Data", 3, 5)["value"], json!(60));
    // The cell without a formula in between is a cell like any other.
    assert_eq!(book.cell("Data", 2, 3)["type"], json!("blank"));
    let text = book.read("XlsxReadRange", &json!({"sheet": "Data", "range": "B2:B2"}))["text"].to_string();
    assert!(text.contains("20"), "{text}");
    // After an edit that affects both arrays, all their cells are up to date or marked.
    let (edited, reply) = book.set(&[("Data!A2", json!(5))]);
    assert_eq!(column(&edited, 2, "value"), [json!(10), json!(50), json!(30)]);
    assert_eq!(stale(&reply), ["Data!D1 was null", "Data!D2 was null", "Data!D3 was null"]);
    assert_eq!(column(&edited, 4, "stale"), [json!(true), json!(true), json!(true)]);
}

#[test]
fn the_workbook_itself_as_a_prefix_is_followed() {
    let book = Book::new(&Parts {
        sheets: &[
            ("Data", &[("A1", "2"), ("B1", "=[0]!Rate*10|20"), ("B2", "=[0]Data!A1+1|3"), ("B3", "=[1]!Rate|9")]),
            ("Own", &[("A1", "=[0]!Rate|2"), ("A2", "=Rate|7"), ("B1", "7")]),
        ],
        rest: r#"<definedNames><definedName name="Rate">Data!$A$1</definedName><definedName name="Rate" localSheetId="1">Own!$B$1</definedName></definedNames>"#,
    });
    let (edited, _) = book.set(&[("Data!A1", json!(4))]);
    assert_eq!(["B1", "B2", "B3"].map(|cell| edited.stored(1, cell)), ["40", "5", "9"]);
    assert_eq!(["A1", "A2"].map(|cell| edited.stored(2, cell)), ["4", "7"]);
}

#[test]
fn columns_of_tables_are_found_whatever_their_header_holds() {
    let cells: &[(&str, &str)] = &[
        ("A1", "Unit\nprice"),
        ("B1", "Q'ty #"),
        ("C1", "A & B"),
        ("A2", "2"),
        ("B2", "3"),
        ("C2", "4"),
        ("A3", "5"),
        ("B3", "7"),
        ("C3", "9"),
        ("E1", "=SUM(Sales[Unit\nprice])|7"),
        ("E2", "=SUM(Sales[Q''ty '#])|10"),
        ("E3", "=SUM(Sales[A & B])|13"),
        ("E4", "=SUM(Sales[])|30"),
    ];
    let book = Book::new(&Parts { sheets: &[("Data", cells)], rest: "" });
    let book = book.with_table("Sales", "A1:C3", &["Unit_x000a_price", "Q'ty #", "A &amp; B"]);
    for (cell, wanted) in [
        ("Data!A2", ["10", "10", "13", "33"]),
        ("Data!B2", ["7", "12", "13", "32"]),
        ("Data!C2", ["7", "10", "14", "31"]),
        ("Data!G9", ["7", "10", "13", "30"]),
    ] {
        let (edited, reply) = book.set(&[(cell, json!(5))]);
        assert_eq!(["E1", "E2", "E3", "E4"].map(|at| edited.stored(1, at)), wanted, "{cell} {reply}");
    }
}
