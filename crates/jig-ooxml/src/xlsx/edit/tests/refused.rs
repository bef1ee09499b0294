//! What is refused, with the place and the reason; nothing changes then.

use serde_json::{Value, json};

use super::Build;

#[test]
fn bad_ops_say_where_and_why() {
    let cell = |cell: Value| json!({"op": "set_cells", "sheet": "Data", "cells": [cell]});
    let cases = [
        (json!({"op": "set_cell", "sheet": "Data"}), "ops[0].op: there is no op `set_cell`"),
        (
            json!({"op": "set_cells", "sheet": "Dta", "cells": []}),
            "ops[0].sheet: there is no sheet `Dta`; the workbook has `Data`",
        ),
        (json!({"op": "set_cells", "cells": []}), "ops[0]: missing field `sheet`"),
        (cell(json!({"cell": "A0", "value": 1})), "ops[0].cells[0].cell: `A0`: row 0 does not exist"),
        (cell(json!({"cell": "A1", "value": "x", "type": "number"})), "ops[0].cells[0].value: a number is needed"),
        (cell(json!({"cell": "A1", "value": "x", "type": "money"})), "ops[0].cells[0].type: `money` is none of"),
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
            "ops[0].cells[0].value: `;` parts the rows of an array; arguments are parted by `,`",
        ),
        (
            cell(json!({"cell": "A1", "value": "x".repeat(32_768)})),
            "ops[0].cells[0].value: the text has 32768 characters",
        ),
        (
            cell(json!({"cell": "A1", "style": {"font_color": "red"}})),
            "ops[0].cells[0].style.font_color: a colour is written",
        ),
        (
            cell(json!({"cell": "A1", "style": {"h_align": "middle"}})),
            "ops[0].cells[0].style.h_align: `middle` is none of",
        ),
        (json!({"op": "ensure_sheet", "sheet": "a/b"}), "ops[0].sheet: `a/b` cannot be the name of a sheet"),
        (json!({"op": "ensure_sheet", "sheet": "x".repeat(32)}), "ops[0].sheet: `xxxx"),
        (json!({"op": "ensure_sheet", "sheet": "history"}), "ops[0].sheet: `history` cannot be"),
        (
            json!({"op": "set_column_widths", "sheet": "Data", "columns": [{"column": "A", "width": 256}]}),
            "ops[0].columns[0].width: a width",
        ),
        (
            json!({"op": "set_row_heights", "sheet": "Data", "rows": [{"row": 0, "height": 1}]}),
            "ops[0].rows[0].row: a row is",
        ),
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
    let edited = Build::rows("").apply_ok(&json!([{"op": "set_cells", "sheet": "Data", "note": 1, "cells": [
        {"cell": "A1", "value": "a\u{1}b", "style": {"font_bold": true, "glow": 1}},
    ]}]));
    assert_eq!(
        edited.applied.warnings,
        [
            "ops[0].cells[0].style.glow: unknown field, skipped",
            "ops[0].note: unknown field, skipped",
            "ops[0].cells[0]: 1 control character(s) that a file cannot hold were left out",
        ]
    );
}
