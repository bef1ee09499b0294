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
        json!([{"op": "insert_columns", "sheet": sheet, "column": "B", "count": 2}, {"op": "delete_columns", "sheet": sheet, "column": "A"}]),
        json!([{"op": "format_range", "sheet": sheet, "range": "A1:C3,2:2,D:D", "style": style}, {"op": "clear_range", "sheet": sheet, "range": "B2:B3", "what": "formats"}]),
        json!([{"op": "find_replace", "find": "e", "replace": "E é"}, {"op": "find_replace", "find": "1", "replace": "2", "whole_cell": true}]),
        json!([{"op": "sort_range", "sheet": sheet, "range": "A2:C9", "by": [{"column": "A", "order": "desc"}]}]),
        json!([{"op": "move_range", "sheet": sheet, "range": "A1:B2", "to": "C3", "overwrite": true}]),
        json!([{"op": "copy_range", "sheet": sheet, "range": "A1:B2", "to": "J10"}, {"op": "copy_range", "sheet": sheet, "range": "A1:B2", "to": "J10:M15", "what": "formats"}]),
        json!([{"op": "move_rows", "sheet": sheet, "row": 3, "to": 1}, {"op": "move_columns", "sheet": sheet, "column": "B", "to": "A"}]),
        json!([{"op": "copy_sheet", "sheet": sheet, "new_name": "Copy"}, {"op": "move_sheet", "sheet": "Copy", "position": 1}, {"op": "hide_sheet", "sheet": "Copy"}, {"op": "show_sheet", "sheet": "Copy"}]),
        json!([{"op": "set_tab_color", "sheet": sheet, "color": "#FF8800"}, {"op": "page_setup", "sheet": sheet, "orientation": "landscape", "fit_to_width": 1, "header": "{page}", "repeat_rows": "1:1", "margins": {"left": 0.5}}, {"op": "set_print_area", "sheet": sheet, "range": "A1:C9"}]),
        json!([{"op": "define_name", "name": "Jig_name", "refers_to": "A1:B2", "sheet": sheet}, {"op": "set_cells", "sheet": sheet, "cells": [{"cell": "Z1", "value": "=SUM(Jig_name)"}]}, {"op": "delete_name", "name": "Jig_name"}]),
        json!([{"op": "set_hyperlink", "sheet": sheet, "cell": "Z2", "url": "https://example.org/a b"}, {"op": "set_hyperlink", "sheet": sheet, "cell": "Z3", "place": "A1"}, {"op": "remove_hyperlink", "sheet": sheet, "range": "Z2"}]),
        json!([{"op": "set_note", "sheet": sheet, "cell": "Z4", "text": "a note"}, {"op": "add_comment", "sheet": sheet, "cell": "Z5", "text": "a comment"}, {"op": "reply_comment", "sheet": sheet, "cell": "Z5", "text": "a reply"}, {"op": "resolve_comment", "sheet": sheet, "cell": "Z5"}]),
        json!([{"op": "set_note", "sheet": sheet, "cell": "Z4", "text": "a note"}, {"op": "delete_note", "sheet": sheet, "cell": "Z4"}, {"op": "add_comment", "sheet": sheet, "cell": "Z5", "text": "a comment"}, {"op": "delete_comment", "sheet": sheet, "cell": "Z5"}]),
        json!([{"op": "group_rows", "sheet": sheet, "rows": "2:4", "collapsed": true}, {"op": "group_columns", "sheet": sheet, "columns": "B:C"}, {"op": "ungroup_rows", "sheet": sheet, "rows": 2}]),
        json!([{"op": "hide_rows", "sheet": sheet, "rows": 2}, {"op": "hide_columns", "sheet": sheet, "columns": "B"}, {"op": "autofit_columns", "sheet": sheet}]),
        json!([{"op": "set_auto_filter", "sheet": sheet, "range": "AA1:AB3", "filters": [{"column": "AA", "values": [""]}]}]),
        json!([{"op": "protect_sheet", "sheet": sheet, "allow": ["sort"]}, {"op": "unprotect_sheet", "sheet": sheet}]),
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
        json!([{"op": "add_text_box", "index": 0, "text": "a\nb", "name": "Box", "left": 1, "font_size": 12}, {"op": "set_shape_text", "index": 0, "shape": "Box", "paragraphs": ["c", {"text": "d", "level": 1}]}, {"op": "move_shape", "index": 0, "shape": "Box", "top": 1, "rotation": 30}]),
        json!([{"op": "insert_table", "index": 0, "values": [["a", 1], ["b", null]], "left": 1}, {"op": "insert_table_rows", "index": 0, "row": 1, "values": [["x"]]}, {"op": "insert_table_columns", "index": 0}, {"op": "delete_table_rows", "index": 0, "row": 0}, {"op": "delete_table_columns", "index": 0, "col": 0}]),
        json!([{"op": "insert_table_rows", "index": 0, "count": 2}, {"op": "delete_table_columns", "index": 0, "col": 0}]),
        json!([{"op": "add_slide", "like": 1}, {"op": "set_slide_layout", "index": 0, "layout": 1}, {"op": "hide_slide", "index": 0}, {"op": "set_background", "index": 0, "color": "accent1"}]),
        json!([{"op": "add_section", "name": "New"}, {"op": "move_slide", "from": 0, "section": "New"}, {"op": "rename_section", "section": "New", "name": "Newer"}]),
        json!([{"op": "add_section", "name": "New"}, {"op": "delete_section", "section": "New"}, {"op": "show_slide", "index": 0}]),
        json!([{"op": "add_chart", "index": 0, "type": "column", "values": [["", "a"], ["x", 1]], "left": 1, "name": "New"}, {"op": "edit_chart", "index": 0, "chart": "New", "type": "line", "categories": ["y"]}]),
        json!([{"op": "delete_shape", "index": 0, "shape": 2}]),
        json!([{"op": "edit_chart", "index": 0, "title": "t", "values": [["", "a", "b"], ["x", 1, 2]]}]),
    ]
}
