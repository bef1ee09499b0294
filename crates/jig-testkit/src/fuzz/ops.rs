//! Inputs of operation targets: a line of JSON and a file, and operation lists that suit any file of a format.

use jig_files::engine::Format;
use serde_json::{Value, json};

/// The first line and the rest.
pub(super) fn split(input: &[u8]) -> (&[u8], &[u8]) {
    let at = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    (input.get(..at).unwrap_or_default(), input.get(at + 1..).unwrap_or_default())
}

/// Joins both into one input.
pub(super) fn join(line: &[u8], file: &[u8]) -> Vec<u8> {
    [line, file].join(&b'\n')
}

/// An image of 1 × 2 pixels.
const PICTURE: &str = "R0lGODlhAQACAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAIAAAICBAoAOw==";

/// One of the lists for a format. `sheet` names an existing sheet.
pub(super) fn list(format: Format, sheet: &str, number: usize) -> Value {
    let lists = match format {
        Format::Xlsx => xlsx(sheet),
        Format::Docx => docx(),
        Format::Pptx => pptx(),
        // Formats without suitable operations: an empty list.
        Format::Pdf | Format::Odt | Format::Image | Format::Text => vec![Value::Array(Vec::new())],
    };
    Value::Array(lists.get(number % lists.len()).and_then(Value::as_array).cloned().unwrap_or_default())
}

fn xlsx(sheet: &str) -> Vec<Value> {
    let style =
        json!({"font_bold": true, "fill_color": "#12AB34", "number_format": "0.00", "border_top": {"style": "thin"}});
    vec![
        json!([{"op": "set_cells", "sheet": sheet, "cells": [{"cell": "B2", "value": "t", "style": style}, {"cell": "A1", "value": "=SUM(B1:B9)"}]}]),
        json!([{"op": "insert_rows", "sheet": sheet, "row": 2, "count": 3}, {"op": "delete_rows", "sheet": sheet, "row": 1, "count": 1}]),
        json!([{"op": "rename_sheet", "sheet": sheet, "name": "It's"}, {"op": "ensure_sheet", "sheet": "New"}]),
        json!([{"op": "ensure_sheet", "sheet": "New"}, {"op": "delete_sheet", "sheet": sheet}]),
        json!([{"op": "append_rows", "sheet": sheet, "rows": [["a", 1, null, true]]}, {"op": "set_number_format", "sheet": sheet, "range": "A1:B3", "format": "yyyy-mm-dd"}]),
        json!([{"op": "set_column_widths", "sheet": sheet, "columns": [{"column": "B", "width": 20}]}, {"op": "set_row_heights", "sheet": sheet, "rows": [{"row": 2, "height": 30}]}]),
        json!([{"op": "freeze_panes", "sheet": sheet, "row": 1, "column": 1}, {"op": "merge_cells", "sheet": sheet, "range": "G20:H21"}]),
        json!([{"op": "set_range", "sheet": sheet, "start": "B3", "values": [[1, "x"], ["=B3*2", null]]}]),
        json!([{"op": "add_chart", "sheet": sheet, "type": "combo", "series": ["B2:B9", {"values": "C2:C9", "secondary_axis": true}], "title": "t", "anchor": "H2"}, {"op": "insert_rows", "sheet": sheet, "row": 3}]),
        json!([{"op": "set_range", "sheet": "Pie", "start": "A1", "values": [["a", 1], ["b", 2]]}, {"op": "add_chart", "sheet": "Pie", "type": "pie", "range": "A1:B2"}, {"op": "edit_chart", "sheet": "Pie", "type": "line", "title": "t"}, {"op": "delete_chart", "sheet": "Pie"}]),
        json!([{"op": "add_conditional_format", "sheet": sheet, "range": "A1:C9", "type": "greater_than", "value": 5}, {"op": "add_conditional_format", "sheet": sheet, "range": "B2:B9", "type": "data_bar"}, {"op": "clear_conditional_formats", "sheet": sheet, "range": "B3:C4"}]),
        json!([{"op": "set_data_validation", "sheet": sheet, "range": "B2:B9", "type": "list", "values": ["a", "b"]}, {"op": "clear_data_validation", "sheet": sheet, "range": "B3"}]),
        json!([{"op": "set_range", "sheet": "Objects", "start": "A1", "values": [["n", "v"], ["a", 1], ["b", 2]]}, {"op": "add_table", "sheet": "Objects", "range": "A1:B3", "name": "Fresh_1", "totals_row": true}, {"op": "edit_table", "table": "Fresh_1", "new_name": "Fresh_2", "totals_row": false}]),
        json!([{"op": "set_range", "sheet": "Objects", "start": "A1", "values": [["n", "v"], ["a", 1], ["b", 2]]}, {"op": "add_pivot_table", "sheet": "Fresh pivot", "source": "Objects!A1:B3", "rows": ["n"], "values": ["v"]}]),
        json!([{"op": "insert_image", "sheet": sheet, "data_base64": PICTURE, "anchor": "C3"}, {"op": "add_sparklines", "sheet": sheet, "range": "H2:H4", "data": "A2:C4"}, {"op": "clear_sparklines", "sheet": sheet, "range": "H3"}]),
        json!([{"op": "ensure_sheet", "sheet": "Sum"}, {"op": "summarize_by_category", "sheet": "Sum", "source_sheets": [sheet]}]),
    ]
}

fn docx() -> Vec<Value> {
    vec![
        json!([{"op": "append_paragraph", "runs": [{"text": "a", "bold": true, "font_color": "#FF0000"}], "style": "Heading 1", "alignment": "center"}]),
        json!([{"op": "replace_text", "search": "e", "replace": "E é"}]),
        json!([{"op": "replace_text", "search": "e", "replace": "", "track_changes": true}]),
        json!([{"op": "set_paragraphs", "paragraphs": ["one", {"text": "two", "style": "Title"}]}]),
        json!([{"op": "insert_paragraphs", "after_index": 0, "paragraphs": ["new"], "track_changes": true}]),
        json!([{"op": "replace_section", "section": 1, "paragraphs": ["new"]}, {"op": "delete_section", "section": 0}]),
        json!([{"op": "delete_section", "section": 0, "track_changes": true}]),
        json!([{"op": "set_table_cells", "table": 0, "cells": [{"row": 0, "col": 0, "text": "new"}]}, {"op": "append_table_rows", "table": 0, "rows": [["a", "b"]]}]),
        json!([{"op": "insert_table", "after_index": 0, "rows": [["a", "b"], ["c"]]}, {"op": "insert_image", "data_base64": PICTURE}]),
    ]
}

fn pptx() -> Vec<Value> {
    vec![
        json!([{"op": "add_slide", "title": "t", "body": "b", "index": 0}]),
        json!([{"op": "set_slide_text", "index": 0, "title": "t"}]),
        json!([{"op": "append_bullets", "index": 0, "bullets": ["a", {"text": "b", "level": 1}]}]),
        json!([{"op": "duplicate_slide", "index": 0}, {"op": "move_slide", "index": 1, "to": 0}]),
        json!([{"op": "delete_slide", "index": 0}]),
        json!([{"op": "set_notes", "index": 0, "text": "note"}]),
        json!([{"op": "replace_text", "search": "e", "replace": "E é"}]),
        json!([{"op": "set_table_cells", "index": 0, "cells": [{"row": 0, "col": 0, "text": "t"}]}]),
        json!([{"op": "insert_image", "index": 0, "data_base64": PICTURE}]),
    ]
}
