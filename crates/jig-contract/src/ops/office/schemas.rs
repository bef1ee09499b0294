//! The ops as schemas. An agent pays for them in every conversation, so they are short.

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, json};

/// One op: its name, the fields it needs, and those it may have.
type Op = (&'static str, &'static str, &'static str);

const XLSX: &[Op] = &[
    ("ensure_sheet", "sheet", ""),
    ("set_cells", "sheet cells", ""),
    ("set_range", "sheet start values", "style"),
    ("append_rows", "sheet rows", "style"),
    ("set_number_format", "sheet range format", ""),
    ("set_column_widths", "sheet columns", ""),
    ("set_row_heights", "sheet rows", ""),
    ("freeze_panes", "sheet", "row column"),
    ("merge_cells", "sheet range", "unmerge"),
    ("insert_rows", "sheet row", "count"),
    ("delete_rows", "sheet row", "count"),
    ("rename_sheet", "sheet name", ""),
    ("delete_sheet", "sheet", ""),
    ("summarize_by_category", "sheet source_sheets", "category_col amount_col category_header"),
];

const DOCX: &[Op] = &[
    ("replace_text", "search replace", "match_case"),
    ("append_paragraph", "", "text runs style"),
    ("insert_paragraphs", "paragraphs", "after_heading after_index before_index"),
    ("set_paragraphs", "paragraphs", ""),
    ("replace_section", "section paragraphs", "heading"),
    ("delete_section", "section", ""),
    ("set_table_cells", "table cells", ""),
    ("append_table_rows", "table rows", ""),
    ("insert_table", "rows", "header style after_heading after_index"),
    ("insert_image", "path", "width height alt_text after_heading after_index"),
];

const PPTX: &[Op] = &[
    ("add_slide", "", "layout index title body title_runs body_runs"),
    ("set_slide_text", "index", "title body title_runs body_runs"),
    ("append_bullets", "index bullets", ""),
    ("delete_slide", "index", ""),
    ("move_slide", "index to", ""),
    ("duplicate_slide", "index", ""),
    ("set_notes", "index text", ""),
    ("replace_text", "search replace", "index match_case"),
    ("set_table_cells", "index cells", "table"),
    ("insert_image", "index path", "left top width height alt_text"),
];

const TEXT: &[Op] = &[
    ("replace_text", "search replace", "all count match_case"),
    ("insert_lines", "lines", "line after_text before_text"),
    ("replace_lines", "line_start lines", "line_count"),
    ("delete_lines", "line_start", "line_count"),
];

const XLSX_WORDS: &str = "cells [{cell, value, type? string|number|boolean|date|formula|blank, style?}]; \
    values, rows: lists of lists; columns [{column, width}]; heights: rows [{row, height}]; \
    style {font_name, font_size, font_bold, font_italic, font_color, fill_color, number_format, h_align, v_align, \
    wrap_text, border_top|bottom|left|right {style, color}}";
const DOCX_WORDS: &str = "paragraph: text or {text|runs, style, alignment, space_before, space_after, line_spacing, \
    indent_left}; run {text, bold, italic, underline, font_name, font_size, font_color, highlight_color}; \
    cells [{row, col, text}]; any op: track_changes";
const PPTX_WORDS: &str = "Indexes from 0; runs as in Word; cells [{row, col, text}]; inches";

const TEXT_WORDS: &str = "Lines from 1; `search` must be in one place unless all or count is given";

/// A list of objects whose `op` is one of these; what each takes is said in words, the shortest that models read well.
fn list(ops: &[Op], words: &str) -> Schema {
    let names: Vec<&str> = ops.iter().map(|(name, ..)| *name).collect();
    let calls: Vec<String> = ops.iter().map(call).collect();
    // On the items, since the comment on the member takes the place of the list's own words.
    let item = json!({
        "type": "object",
        "description": format!("{}. {words}", calls.join("; ")),
        "properties": { "op": { "enum": names } },
        "required": ["op"],
    });
    Schema::from(Map::from_iter([("type".to_owned(), json!("array")), ("items".to_owned(), item)]))
}

/// `set_range sheet start values style?`
fn call((name, needed, more): &Op) -> String {
    let needed = needed.split_whitespace().map(str::to_owned);
    let more = more.split_whitespace().map(|field| format!("{field}?"));
    std::iter::once((*name).to_owned()).chain(needed).chain(more).collect::<Vec<_>>().join(" ")
}

/// The ops of workbooks.
pub(super) fn xlsx(_: &mut SchemaGenerator) -> Schema {
    list(XLSX, XLSX_WORDS)
}

/// The ops of documents.
pub(super) fn docx(_: &mut SchemaGenerator) -> Schema {
    list(DOCX, DOCX_WORDS)
}

/// The ops of presentations.
pub(super) fn pptx(_: &mut SchemaGenerator) -> Schema {
    list(PPTX, PPTX_WORDS)
}

/// The ops of text files.
pub(in crate::ops) fn text(_: &mut SchemaGenerator) -> Schema {
    list(TEXT, TEXT_WORDS)
}
