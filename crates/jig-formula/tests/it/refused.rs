//! What is not computed, with the reason, and that nothing is built on it.

use jig_formula::CalcModel;

use super::{after, book};

#[test]
fn what_cannot_be_computed_takes_its_dependents_along() {
    let book = book(&[(
        "My Data",
        &[
            ("A1", "1"),
            ("B1", "=MYSTERY(A1)"),
            ("C1", "=IFERROR(B1,0)"),
            ("D1", "=SUM(C1:C9)"),
            ("E1", "=A1+1"),
            ("F1", "=WEBSERVICE(A1)"),
            ("G1", "=[1]Sheet1!A1+A1"),
            ("H1", "=cmd|'/c calc'!A1+A1"),
        ],
    )]);
    assert_eq!(
        after(&book, &["A1"]),
        [
            "My Data!E1 = 2",
            "My Data!B1 ? the function MYSTERY is not supported",
            "My Data!C1 ? it depends on 'My Data'!B1, which was not computed",
            "My Data!D1 ? it depends on 'My Data'!C1, which was not computed",
            "My Data!F1 ? it reaches outside the workbook (WEBSERVICE)",
            "My Data!G1 ? it reaches outside the workbook (workbook [1])",
            "My Data!H1 ? it reaches outside the workbook (DDE)",
        ]
    );
}

#[test]
fn time_and_chance_are_not_made_up() {
    let book = book(&[(
        "Data",
        &[
            ("A1", "=TODAY()"),
            ("A2", "=A1+1"),
            ("A3", "=RAND()"),
            ("A4", "1"),
            ("A5", "=A4"),
            ("A6", "=A2+A4"),
            ("A7", "=RAND()+A4"),
        ],
    )]);
    // What an edit does not affect keeps its value; what it affects is not built on the time of another day.
    assert_eq!(
        after(&book, &["A4"]),
        [
            "Data!A5 = 1",
            "Data!A6 ? it depends on Data!A2, which was not computed",
            "Data!A7 ? RAND changes with every calculation",
        ]
    );
}

#[test]
fn cycles_are_named() {
    let book = book(&[(
        "Data",
        &[("A1", "=A2+1"), ("A2", "=A3+1"), ("A3", "=A1+1"), ("B1", "=A1"), ("C1", "=SUM(C1:C2)"), ("D1", "=A9")],
    )]);
    assert_eq!(
        after(&book, &["A3", "C2", "A9"]),
        [
            "Data!D1 = 0",
            "Data!A1 ? it refers to itself",
            "Data!B1 ? it depends on Data!A1, which was not computed",
            "Data!C1 ? it refers to itself",
            "Data!A2 ? it refers to itself",
            "Data!A3 ? it refers to itself",
        ]
    );
}

#[test]
fn a_cycle_through_a_computed_reference_is_found() {
    let book =
        book(&[("Data", &[("A1", "=OFFSET(A3,-1,0)"), ("A2", "=A1+1"), ("A4", "=OFFSET(A9,0,0)"), ("A9", "3")])]);
    assert_eq!(after(&book, &["A9"]), ["Data!A4 = 3"]);
    let lines = after(&book, &["A2"]);
    assert_eq!(lines[..2], ["Data!A1 ? it refers to itself", "Data!A2 ? it refers to itself"]);
}

#[test]
fn nothing_is_guessed_from_what_the_model_does_not_hold() {
    let cells: &[(&str, &str)] = &[
        ("A1", "1"),
        ("A2", "2"),
        ("B1", "=CELL(\"format\",A1)"),
        ("B2", "=ISFORMULA(A1)"),
        ("B3", "=SUBTOTAL(9,A1:A2)"),
        ("B4", "=RANK(A1,Data:Other!A1)"),
        ("B5", "=YEAR(A1)"),
        ("B6", "=INDIRECT(\"Missing\")"),
        ("B7", "=SUM(A1#)"),
        ("B8", "=A1+)"),
        ("B9", "=COUNTIF(A1:A2,\"<>x\")"),
    ];
    let mut model = CalcModel { date_1904: true, ..book(&[("Data", cells), ("Other", &[])]) };
    model.sheets[0].hidden_rows.insert(2);
    assert_eq!(
        after(&model, &["A1"]),
        [
            "Data!B1 ? the function CELL is not supported",
            "Data!B2 ? the function ISFORMULA is not supported",
            "Data!B3 ? SUBTOTAL over hidden rows is not supported",
            "Data!B4 ? a reference across several sheets is not supported",
            "Data!B5 ? YEAR with dates counted from 1904 is not supported",
            "Data!B6 ? a computed reference while other cells were not computed is not supported",
            "Data!B7 ? a spilled range (`A1#`) is not supported",
            "Data!B8 ? the formula cannot be read: a bracket too many",
            "Data!B9 ? a criterion `<>` with text is not supported",
        ]
    );
}

#[test]
fn an_array_that_grows_is_not_written_over_its_neighbours() {
    let book =
        book(&[("Data", &[("A1", "1"), ("A2", "2"), ("A3", "x"), ("C1", "<C1:C2>_xlfn.UNIQUE(A1:A3)"), ("C2", "0")])]);
    assert_eq!(
        after(&book, &["A3"]),
        ["Data!C1 ? the function UNIQUE is not supported", "Data!C2 ? the function UNIQUE is not supported",]
    );
}

#[test]
fn functions_of_one_value_are_not_computed_for_one_of_many() {
    let book = book(&[(
        "Data",
        &[
            ("A2", "a"),
            ("A3", "b"),
            ("B2", "1.5"),
            ("B3", "2.4"),
            ("C1", "=SUMPRODUCT(--ISNUMBER(SEARCH(\"a\",A2:A3)))"),
            ("C2", "=SUMPRODUCT(ROUND(B2:B3,0))"),
            ("C3", "=SUM(COUNTIF(A2:A3,{\"a\",\"b\"}))"),
            ("C4", "=SUMPRODUCT(1/COUNTIF(A2:A3,A2:A3))"),
            ("C5", "=SUMPRODUCT(MOD(ROW(B2:B3),2)*B2:B3)"),
            ("C6", "{C6}SUM(ROUND(B2:B3,0))"),
            ("C7", "{C7}SUM(--ISNUMBER(LEN(A2:A3)))"),
            ("C8", "=ROUND(B2:B3*2,0)"),
            ("C9", "=SUM(IF(B2>1,B2:B3,0))"),
            ("D1", "=SUMPRODUCT((A2:A3=\"a\")*B2:B3)"),
            ("D2", "=SUMPRODUCT(--(B2:B3>2))"),
            ("D3", "{D3}SUM(LEN(A2:A3))"),
            ("D4", "=SUMPRODUCT(B2:B3,B2:B3)"),
        ],
    )]);
    let many = |cell: &str, name: &str| format!("Data!{cell} ? {name} with many values at once is not supported");
    let mut expected: Vec<String> =
        ["Data!D1 = 1.5", "Data!D2 = 1", "Data!D3 = 2", "Data!D4 = 8.01"].map(str::to_owned).to_vec();
    expected.extend([
        many("C1", "SEARCH"),
        many("C2", "ROUND"),
        many("C3", "COUNTIF"),
        many("C4", "COUNTIF"),
        many("C5", "MOD"),
        many("C6", "ROUND"),
        many("C7", "ISNUMBER"),
        many("C8", "ROUND"),
        many("C9", "IF"),
    ]);
    assert_eq!(after(&book, &["A2", "A3", "B2", "B3"]), expected);
}

#[test]
fn a_formula_is_computed_whole_or_not_at_all() {
    let formulas = ["=1 2+A2", "=1.2.3+A2", "=A2,B2", "=A2\u{2013}1", "=A2}", "=A2%5"];
    for formula in formulas {
        let book = book(&[("Data", &[("A2", "1"), ("B2", "2"), ("C1", formula)])]);
        let lines = after(&book, &["A2", "B2", "C1"]);
        assert!(lines.len() == 1 && lines[0].starts_with("Data!C1 ? "), "{formula}: {lines:?}");
    }
}

#[test]
fn ranges_of_different_sizes_are_not_guessed() {
    let book = book(&[("Data", &[("A1", "1"), ("A2", "1"), ("B1", "5"), ("C1", "=SUMIF(A1:A2,1,B1)")])]);
    assert_eq!(after(&book, &["A1"]), ["Data!C1 ? SUMIF with ranges of different sizes is not supported"]);
}
