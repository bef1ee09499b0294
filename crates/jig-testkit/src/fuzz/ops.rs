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
        json!([{"op": "add_comment", "index": 0, "text": "c"}, {"op": "add_comment", "search": "e", "text": "c"}, {"op": "resolve_comment", "all": true}]),
        json!([{"op": "delete_comment", "all": true}]),
        json!([{"op": "accept_changes"}]),
        json!([{"op": "reject_changes"}]),
        json!([{"op": "set_header", "text": "Page {PAGE}", "pages": "first"}, {"op": "set_footer", "text": "f"}, {"op": "set_header", "remove": true}]),
        json!([{"op": "page_setup", "size": "letter", "orientation": "landscape", "columns": 2}, {"op": "insert_break", "kind": "next_page", "after_index": 0}]),
        json!([{"op": "add_footnote", "index": 0, "text": "n", "track_changes": true}, {"op": "add_endnote", "search": "e", "text": "n"}]),
        json!([{"op": "add_bookmark", "index": 0, "name": "Fuzz"}, {"op": "set_hyperlink", "search": "e", "bookmark": "Fuzz"}]),
        json!([{"op": "set_hyperlink", "search": "e", "url": "https://example.org"}, {"op": "remove_hyperlink", "all": true}]),
        json!([{"op": "insert_table_of_contents", "title": "t"}, {"op": "insert_field", "field": "page", "search": "e"}]),
        json!([{"op": "insert_list", "items": ["a", {"text": "b", "level": 1}], "kind": "number", "track_changes": true}]),
        json!([{"op": "insert_table_rows", "row": 1, "rows": [["a"]]}, {"op": "delete_table_rows", "row": 0}]),
        json!([{"op": "insert_table_columns", "column": 1}, {"op": "delete_table_columns", "column": 0, "track_changes": true}]),
        json!([{"op": "merge_table_cells", "row": 0, "col": 0, "end_row": 1}, {"op": "set_table_style", "borders": "all", "header_rows": 1}]),
        json!([{"op": "delete_table", "table": 0}]),
        json!([{"op": "replace_image", "index": 0, "data_base64": PICTURE}, {"op": "delete_image", "index": 0, "track_changes": true}]),
        json!([{"op": "define_style", "name": "Fuzz", "font_size": 9, "space_after": 3}, {"op": "apply_style", "style": "Fuzz", "index": 0}]),
        json!([{"op": "append_paragraph", "text": "{{#a}}{{.}}{{/a}}"}, {"op": "fill_template", "values": {"a": [1, "<x>"]}}]),
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
