//! What is refused, with the place and the reason; nothing changes then.

use serde_json::{Value, json};

use super::Build;

#[test]
fn bad_ops_say_where_and_why() {
    let cell = |cell: Value| json!({"op": "set_cells", "sheet": "Data", "cells": [cell]});
    let cases = [
        (json!({"op": "set_cell", "sheet": "Data"}), "ops[0].op: unknown op `set_cell`; did you mean `set_cells`?"),
        (json!({"op": "delete_sheet", "sheet": "Dta"}), "ops[0].sheet: unknown sheet `Dta`; the workbook has `Data`"),
        (json!({"op": "set_cells", "cells": []}), "ops[0].sheet: missing"),
        (cell(json!({"cell": "A0", "value": 1})), "ops[0].cells[0].cell: `A0`: row 0 does not exist"),
        (cell(json!({"cell": "A1", "value": "x", "type": "number"})), "ops[0].cells[0].value: a number is needed"),
        (
            cell(json!({"cell": "A1", "value": "2024-02-30", "type": "date"})),
            "ops[0].cells[0].value: a date is written",
        ),
        (
            cell(json!({"cell": "A1", "value": "=WEBSERVICE(A1)"})),
            "ops[0].cells[0].value: the formula calls WEBSERVICE",
        ),
        (
            cell(json!({"cell": "A1", "value": "=SUM(A1"})),
            "ops[0].cells[0].value: the formula has a bracket that is not closed",
        ),
        (
            cell(json!({"cell": "A1", "value": "=SUM(A1;B1)"})),
            "ops[0].cells[0].value: `;` separates the rows of an array; arguments are separated by `,`",
        ),
        (
            cell(json!({"cell": "A1", "value": "x".repeat(32_768)})),
            "ops[0].cells[0].value: the text has 32768 characters",
        ),
        (json!({"op": "ensure_sheet", "sheet": "a/b"}), "ops[0].sheet: `a/b` cannot be the name of a sheet"),
        (json!({"op": "ensure_sheet", "sheet": "x".repeat(32)}), "ops[0].sheet: `xxxx"),
        (json!({"op": "ensure_sheet", "sheet": "history"}), "ops[0].sheet: `history` cannot be"),
        (json!({"op": "merge_cells", "sheet": "Data", "range": "A1"}), "ops[0].range: A1 is a single cell"),
        (
            json!({"op": "set_range", "sheet": "Data", "start": "XFD1", "values": [[1, 2]]}),
            "ops[0].values[0][1]: the values reach beyond",
        ),
    ];
    let book = Build::rows("");
    for (op, wanted) in cases {
        let why = book.refused(op);
        assert!(why.starts_with(wanted), "{why}");
    }
}

#[test]
fn what_is_skipped_is_said() {
    let edited = Build::rows("").apply_ok(&json!([{"op": "set_cells", "sheet": "Data", "cells": [
        {"cell": "A1", "value": "a\u{1}b", "style": {"font_bold": true, "font_size": "huge"}},
    ]}]));
    assert_eq!(
        edited.applied.warnings,
        [
            "ops[0].cells[0].style.font_size: skipped: expected a number from 1 to 409, got the text `huge`",
            "ops[0].cells[0]: 1 control character(s) that a file cannot hold were left out",
        ]
    );
}
