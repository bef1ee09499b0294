//! Which formulas are computed after an edit: those that depend on it, and no others.

use jig_formula::{CalcModel, Calculated, DefinedName, TableModel};
use jig_formula::{FormulaEngine, Now};

use super::{after, book, calculate, lines, untrusted};

#[test]
fn only_dependents_are_computed_and_others_keep_their_stored_value() {
    let book = book(&[(
        "Data",
        &[("A1", "10"), ("A2", "20"), ("B1", "=A1*2"), ("C1", "=B1+D1"), ("D1", "=UNKNOWN(1)"), ("E1", "=A2*2")],
    )]);
    assert_eq!(after(&book, &["A1"]), ["Data!B1 = 20", "Data!C1 = 19"]);
    assert_eq!(after(&book, &["A2"]), ["Data!E1 = 40"]);
    assert_eq!(after(&book, &["Z9"]), Vec::<String>::new());
}

#[test]
fn a_changed_formula_is_computed_itself() {
    let book = book(&[("Data", &[("A1", "=1+1"), ("A2", "=A1+1")])]);
    assert_eq!(after(&book, &["A1"]), ["Data!A1 = 2", "Data!A2 = 3"]);
}

#[test]
fn formulas_without_a_stored_value_are_computed_too() {
    let book = book(&[("Data", &[("A1", "1"), ("B1", "?A1+1"), ("C1", "?B1+1"), ("D1", "=A1")])]);
    assert_eq!(after(&book, &[]), Vec::<String>::new());
    assert_eq!(untrusted(&book), ["Data!B1 = 2", "Data!C1 = 3"]);
}

#[test]
fn other_sheets_whole_columns_and_rows() {
    let book = book(&[
        ("In put's", &[("A1", "1"), ("A9", "2"), ("C9", "x")]),
        ("Out", &[("A1", "=SUM('In put''s'!A:A)"), ("A2", "=SUM('in PUT''s'!9:9)"), ("A3", "=SUM('In put''s'!B:B)")]),
    ]);
    assert_eq!(after(&book, &["A9"]), ["Out!A1 = 3", "Out!A2 = 2"]);
}

#[test]
fn whole_columns_are_cut_only_where_empty_cells_do_not_matter() {
    let book = book(&[(
        "Data",
        &[
            ("A1", "1"),
            ("A2", "x"),
            ("B1", "=COUNTIF(A:A,1)"),
            ("B2", "=ROWS(A:A)"),
            ("B3", "=SUMIFS(A:A,A:A,\">0\")"),
            ("B4", "=INDEX(A:A,MATCH(\"x\",A:A,0))"),
            ("B5", "=COUNTIF(A:A,\"<>2\")"),
        ],
    )]);
    assert_eq!(
        after(&book, &["A1"]),
        ["Data!B1 = 1", "Data!B2 = 1048576", "Data!B3 = 1", "Data!B4 = \"x\"", "Data!B5 = 1048576"]
    );
}

#[test]
fn wide_ranges_and_far_columns() {
    let book = book(&[("Data", &[("A5", "1"), ("XFD5", "2"), ("B1", "=SUM(A5:XFD5)"), ("B2", "=SUM(A6:XFD6)")])]);
    assert_eq!(after(&book, &["XFD5"]), ["Data!B1 = 3"]);
}

#[test]
fn names_are_followed() {
    let name = |name: &str, scope, refers_to: &str| DefinedName {
        name: name.to_owned(),
        scope,
        refers_to: refers_to.to_owned(),
    };
    let model = CalcModel {
        names: vec![
            name("Rate", None, "Data!$A$1"),
            name("Double", None, "Rate*2"),
            name("Rate", Some(1), "Data!$A$2"),
            name("LeftOf", None, "Data!XFD1"),
        ],
        ..book(&[
            (
                "Data",
                &[("A1", "5"), ("A2", "7"), ("B1", "=rate+1"), ("B2", "=Double^2"), ("B3", "=LeftOf*1"), ("A3", "4")],
            ),
            ("Local", &[("A1", "=Rate"), ("A2", "=Data!Rate")]),
        ])
    };
    assert_eq!(after(&model, &["A1"]), ["Data!B1 = 6", "Data!B2 = 100", "Local!A2 = 5"]);
    assert_eq!(after(&model, &["A2"]), ["Local!A1 = 7"]);
}

#[test]
fn tables_are_followed() {
    let table = TableModel {
        name: "Sales".to_owned(),
        sheet: 0,
        range: "A1:C4".parse().unwrap(),
        columns: ["Net", "Tax", "Gross"].map(str::to_owned).to_vec(),
        header_rows: 1,
        totals_rows: 1,
    };
    let model = CalcModel {
        tables: vec![table],
        ..book(&[(
            "My Data",
            &[
                ("A1", "Net"),
                ("B1", "Tax"),
                ("C1", "Gross"),
                ("A2", "10"),
                ("A3", "20"),
                ("B2", "1"),
                ("B3", "2"),
                ("C2", "=Sales[[#This Row],[Net]]+[@Tax]"),
                ("C3", "=Sales[[#This Row],[Net]]+[@Tax]"),
                ("C4", "=SUBTOTAL(109,Sales[Gross])"),
                ("E1", "=SUM(Sales[[Net]:[Tax]])"),
                ("E2", "=Sales[[#Headers],[Net]]"),
                ("E3", "=VLOOKUP(20,sales,2,FALSE)"),
                ("E4", "=ROWS(Sales)"),
            ],
        )])
    };
    assert_eq!(
        after(&model, &["A3"]),
        ["My Data!E1 = 33", "My Data!C3 = 22", "My Data!E3 = 2", "My Data!C4 = 21", "My Data!E4 = 2"],
        "C2 keeps its stored -1"
    );
}

#[test]
fn one_cell_of_a_range_is_meant_in_an_ordinary_formula() {
    let book = book(&[("Data", &[("A1", "1"), ("A2", "2"), ("A3", "3"), ("B2", "=A1:A3*10"), ("B9", "=A1:A3")])]);
    assert_eq!(after(&book, &["A2"]), ["Data!B2 = 20", "Data!B9 = #VALUE!"]);
}

#[test]
fn criteria_may_look_at_one_cell() {
    let book = book(&[(
        "Data",
        &[("A2", "a"), ("B2", "3"), ("C2", "=COUNTIF(A2,\"a\")"), ("C3", "=SUMIFS(Data!$B$2,A2,\"a\")")],
    )]);
    assert_eq!(after(&book, &["A2"]), ["Data!C2 = 1", "Data!C3 = 3"]);
}

#[test]
fn array_formulas_fill_their_cells() {
    let book = book(&[(
        "Data",
        &[
            ("A1", "1"),
            ("A2", "2"),
            ("B1", "{B1:B2}A1:A2*10"),
            ("B2", "0"),
            ("C1", "=B2+1"),
            ("D1", "<D1:D2>A1:A2+1"),
            ("D2", "0"),
            ("E1", "{E1}SUM(A1:A2*A1:A2)"),
        ],
    )]);
    assert_eq!(
        after(&book, &["A2"]),
        ["Data!B1 = 10", "Data!C1 = 21", "Data!D1 = 2", "Data!E1 = 5", "Data!B2 = 20", "Data!D2 = 3"]
    );
}

#[test]
fn computed_references_are_followed() {
    let book = book(&[(
        "Data",
        &[
            ("A1", "1"),
            ("A2", "2"),
            ("A3", "=A1+A2"),
            ("B1", "=SUM(OFFSET(A1,0,0,3,1))"),
            ("B2", "=INDIRECT(\"A3\")*2"),
        ],
    )]);
    assert_eq!(after(&book, &["A1"]), ["Data!B1 = 6", "Data!B2 = 6", "Data!A3 = 3"]);
}

#[test]
fn the_time_comes_from_outside() {
    let book = book(&[("Data", &[("A1", "?TODAY()+1"), ("A2", "?NOW()"), ("A3", "?A1*2")])]);
    let engine = FormulaEngine { now: Some(Now(45_000.5)), ..FormulaEngine::default() };
    let found = calculate(&engine, &book, &[], true);
    let found = Calculated { values: found.other_values, ..Calculated::default() };
    assert_eq!(lines(&book, &found), ["Data!A1 = 45001", "Data!A2 = 45000.5", "Data!A3 = 90002"]);
}

#[test]
fn the_same_cells_of_several_sheets_are_so_many_arguments() {
    let book = book(&[
        ("Jan", &[("A1", "1"), ("B1", "=SUM(Jan:Mar!A1)"), ("B2", "=AVERAGE('Jan:Feb 2'!A1:A2,Mar!A1)")]),
        ("Feb 2", &[("A1", "2"), ("A2", "x")]),
        ("Mar", &[("A1", "3")]),
    ]);
    assert_eq!(after(&book, &["A1"]), ["Jan!B1 = 6", "Jan!B2 = 2"]);
}

#[test]
fn a_reference_that_only_names_a_place_may_be_the_cell_of_the_formula() {
    let book = book(&[(
        "Data",
        &[
            ("A1", "2"),
            ("B1", "=OFFSET(B1,MATCH(A1,C1:C3,0),0)"),
            ("B2", "10"),
            ("B3", "20"),
            ("B5", "=ROW(B5)+A1"),
            ("C1", "1"),
            ("C2", "2"),
            ("C3", "3"),
        ],
    )]);
    assert_eq!(after(&book, &["A1"]), ["Data!B1 = 20", "Data!B5 = 7"]);
}

#[test]
fn a_computed_reference_minds_only_what_is_not_known_on_its_sheets() {
    let cells: &[(&str, &str)] = &[("A1", "1"), ("B1", "=SUM(OFFSET(A1,0,0,SUM(A1),1))")];
    let other: &[(&str, &str)] = &[("A1", "=INFO(Data!A1)")];
    assert_eq!(
        after(&book(&[("Data", cells), ("Other", other)]), &["A1"]),
        ["Data!B1 = 1", "Other!A1 ? the function INFO is not supported"]
    );
}

#[test]
fn a_whole_sheet_can_be_indexed() {
    let cells: &[(&str, &str)] =
        &[("A1", "1"), ("B2", "7"), ("D1", "=INDEX(Other!$1:$1048576,2,MATCH(\"x\",Other!$1:$1,0)+A1)")];
    let other: &[(&str, &str)] = &[("A1", "x"), ("B2", "42")];
    assert_eq!(after(&book(&[("Data", cells), ("Other", other)]), &["A1"]), ["Data!D1 = 42"]);
}

#[test]
fn a_spilled_range_is_the_cells_that_the_array_fills() {
    let with = |cells: &str| {
        let (array, sum) = (format!("<C1:C3>TRANSPOSE({cells})"), "=SUM(_xlfn.ANCHORARRAY(C1))");
        let values = [("A5", "10"), ("B5", "11"), ("C5", "12"), ("D5", "13")];
        let formulas = [("C1", array.as_str()), ("C2", "0"), ("C3", "0"), ("E1", sum)];
        book(&[("Data", &[values, formulas].concat())])
    };
    assert_eq!(after(&with("A5:C5"), &["A5"]), ["Data!C1 = 10", "Data!E1 = 33", "Data!C2 = 11", "Data!C3 = 12"]);
    // The array would grow over other cells.
    assert_eq!(
        after(&with("A5:D5"), &["A5"]),
        [
            "Data!C1 ? an array that changes its size is not supported",
            "Data!E1 ? it depends on Data!C1, which was not computed",
            "Data!C2 ? an array that changes its size is not supported",
            "Data!C3 ? an array that changes its size is not supported",
        ]
    );
}

#[test]
fn ranges_side_by_side_mean_the_cells_that_they_share() {
    let book = book(&[
        (
            "Data",
            &[
                ("A1", "1"),
                ("B2", "7"),
                ("D1", "=A1+(A2:C2 B1:B3)"),
                ("D2", "=A1+SUM(Other!A:B Other!1:2)"),
                ("D3", "=A1:A2 B1:B2+A1"),
            ],
        ),
        ("Other", &[("A1", "1"), ("B2", "2"), ("C1", "4"), ("A3", "8")]),
    ]);
    assert_eq!(after(&book, &["A1"]), ["Data!D1 = 8", "Data!D2 = 4", "Data!D3 = #NULL!"]);
}
