//! What-if data tables.

use super::{after, book};

#[test]
fn a_table_over_one_column_of_values() {
    let book = book(&[(
        "Data",
        &[
            ("A1", "10"),
            ("A2", "=A1*2"),
            ("D1", "=A2+1"),
            ("C2", "1"),
            ("C3", "2"),
            ("D2", "|D2:D3|TABLE(,A1)"),
            ("F1", "5"),
        ],
    )]);
    assert_eq!(after(&book, &["A1"]), ["Data!D1 = 21", "Data!A2 = 20", "Data!D2 = 3", "Data!D3 = 5"]);
    // Another value beside the table changes the table alone.
    assert_eq!(after(&book, &["C3"]), ["Data!D2 = 3", "Data!D3 = 5"]);
    assert_eq!(after(&book, &["F1"]), [] as [&str; 0]);
}

#[test]
fn a_table_over_one_row_of_values() {
    let book =
        book(&[("Data", &[("A1", "10"), ("A5", "=A1^2"), ("B4", "3"), ("C4", "4"), ("B5", "|B5:C5|TABLE(A1,)")])]);
    assert_eq!(after(&book, &["A1"]), ["Data!A5 = 100", "Data!B5 = 9", "Data!C5 = 16"]);
}

#[test]
fn a_table_over_two_inputs() {
    let book = book(&[
        (
            "Data",
            &[
                ("A1", "10"),
                ("A2", "1"),
                ("C1", "=Other!A1"),
                ("D1", "1"),
                ("E1", "2"),
                ("C2", "30"),
                ("C3", "40"),
                ("D2", "|D2:E3|TABLE(A1,A2)"),
            ],
        ),
        ("Other", &[("A1", "=Data!A1*100+Data!A2")]),
    ]);
    assert_eq!(
        after(&book, &["A2"]),
        ["Data!C1 = 1001", "Data!D2 = 130", "Data!E2 = 230", "Data!D3 = 140", "Data!E3 = 240", "Other!A1 = 1001"]
    );
}

#[test]
fn a_table_whose_formulas_cannot_be_computed_is_refused_with_their_reason() {
    let book = book(&[(
        "Data",
        &[("A1", "10"), ("B1", "=INFO(A1)"), ("A2", "1"), ("B2", "|B2:B2|TABLE(,A1)"), ("D1", "=B2+1")],
    )]);
    assert_eq!(
        after(&book, &["A2"]),
        ["Data!D1 ? it depends on Data!B2, which was not computed", "Data!B2 ? the function INFO is not supported"]
    );
}

#[test]
fn a_table_of_too_much_work_is_refused() {
    let mut cells: Vec<(String, String)> = vec![("A1".to_owned(), "1".to_owned())];
    for row in 2..=500 {
        cells.push((format!("A{row}"), format!("=A{}+1", row - 1)));
        cells.push((format!("D{row}"), row.to_string()));
    }
    cells.push(("E1".to_owned(), "=A500".to_owned()));
    cells.push(("E2".to_owned(), "|E2:E500|TABLE(,A1)".to_owned()));
    let cells: Vec<(&str, &str)> = cells.iter().map(|(cell, text)| (cell.as_str(), text.as_str())).collect();
    let lines = after(&book(&[("Data", &cells)]), &["D2"]);
    assert_eq!(
        lines.first().map(String::as_str),
        Some("Data!E2 ? it exceeds the limit of 200000 formulas for a data table")
    );
}
