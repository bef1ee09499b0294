//! What the schemas do not say of a field: its type, unit and values, and whether it changes the look.
//!
//! The catalog takes its list of fields from the schemas. A field that is not here is listed all the same; a test fails
//! until it is, and fails too for one that is here and in no schema.

use super::Format;

/// The op or value that has the field (`*` for any), the field, its type, and unit, range or values.
/// Fields of content, which do not change the look, have no type.
pub(super) type Fact = (&'static str, &'static str, &'static str, &'static str);

const BOOL: &str = "true or false";
const COLOUR: &str = "colour";
const RGB: &str = "`#RRGGBB`";
const EDGE: &str = "`{style, color}`; a colour alone means `thin`";
const ALIGN: &str = "`left`, `center`, `right`, `justify`";
const INCHES: &str = "inches; with one side given the proportions stay";
const HIGHLIGHT: &str = "`yellow`, `bright_green`, `turquoise`, `pink`, `blue`, `red`, `dark_blue`, `teal`, \
    `green`, `violet`, `dark_red`, `dark_yellow`, `gray_50`, `gray_25`, `black`, `white`";

const XLSX: &[Fact] = &[
    ("*", "cells", "list of cells", "a cell with `style` alone keeps its content"),
    ("*", "style", "style", "what it names is changed, the rest of the look stays"),
    ("set_number_format", "range", "cells", "as `B2:B40`, or whole columns as `B:B`"),
    ("set_number_format", "format", "number format", "a code of 1 to 255 characters, as `#,##0.00`"),
    ("set_column_widths", "columns", "list of columns", ""),
    ("set_row_heights", "rows", "list of rows", ""),
    ("freeze_panes", "row", "whole number", "how many rows stay in view; 0 when left out"),
    ("freeze_panes", "column", "whole number", "how many columns stay in view; 0 when left out"),
    ("merge_cells", "range", "cells", "as `A1:C1`; the first cell's content is kept"),
    ("merge_cells", "unmerge", BOOL, "takes merged cells apart"),
    ("columns", "column", "letters", "as `A`"),
    ("columns", "width", "number", "characters, 0 to 255"),
    ("rows", "row", "whole number", "from 1"),
    ("rows", "height", "number", "points, 0 to 409"),
    ("style", "font_name", "text", "at most 31 characters"),
    ("style", "font_size", "number", "points, 1 to 409"),
    ("style", "font_bold", BOOL, ""),
    ("style", "font_italic", BOOL, ""),
    ("style", "font_color", COLOUR, RGB),
    ("style", "fill_color", COLOUR, RGB),
    ("style", "number_format", "number format", "a code, as `0.0%` or `yyyy-mm-dd`"),
    (
        "style",
        "h_align",
        "word",
        "`left`, `center`, `right`, `justify`, `general`, `fill`, `distributed`, `centerContinuous`",
    ),
    ("style", "v_align", "word", "`top`, `center`, `bottom`, `justify`, `distributed`"),
    ("style", "wrap_text", BOOL, ""),
    ("style", "border_top", "border", EDGE),
    ("style", "border_bottom", "border", EDGE),
    ("style", "border_left", "border", EDGE),
    ("style", "border_right", "border", EDGE),
    (
        "border",
        "style",
        "word",
        "`none`, `thin`, `medium`, `thick`, `dashed`, `dotted`, `double`, `hair`, `mediumDashed`, `dashDot`, \
         `mediumDashDot`, `dashDotDot`, `mediumDashDotDot`, `slantDashDot`",
    ),
    ("border", "color", COLOUR, RGB),
    ("cells", "style", "style", "see `style`"),
    ("cells", "cell", "", "as `B2`"),
    ("cells", "value", "", ""),
    ("cells", "type", "", ""),
    ("*", "sheet", "", ""),
    ("*", "start", "", ""),
    ("*", "values", "", ""),
    ("append_rows", "rows", "", ""),
    ("*", "count", "", ""),
    ("*", "name", "", ""),
    ("insert_rows", "row", "", ""),
    ("delete_rows", "row", "", ""),
    ("*", "source_sheets", "", ""),
    ("*", "category_col", "", ""),
    ("*", "amount_col", "", ""),
    ("*", "category_header", "", ""),
];

const DOCX: &[Fact] = &[
    ("*", "paragraphs", "list of paragraphs", "see `paragraph`"),
    ("*", "runs", "list of runs", "instead of `text`; see `run`"),
    ("append_paragraph", "style", "name of a style", "as in `paragraph`"),
    ("insert_table", "style", "name of a table style", "`Table Grid` when left out"),
    ("insert_table", "header", "true or a list of texts", "true when the first of `rows` is the header"),
    ("insert_image", "width", "number", INCHES),
    ("insert_image", "height", "number", INCHES),
    ("insert_image", "alt_text", "text", "what is to be seen"),
    (
        "paragraph",
        "style",
        "name of a style",
        "Word's own, as `Title`, `Heading 1` to `Heading 9`, `Body Text`, `List Bullet`, `List Number`, \
         `Quote`, `Caption`, or one of the document",
    ),
    ("paragraph", "alignment", "word", ALIGN),
    ("paragraph", "space_before", "number", "points, 0 to 1584"),
    ("paragraph", "space_after", "number", "points, 0 to 1584"),
    ("paragraph", "line_spacing", "number", "times a single line, 0.05 to 132"),
    ("paragraph", "indent_left", "number", "inches, -22 to 22"),
    ("run", "bold", BOOL, ""),
    ("run", "italic", BOOL, ""),
    ("run", "underline", BOOL, ""),
    ("run", "font_name", "text", "a font's name"),
    ("run", "font_size", "number", "points in halves, 1 to 1638"),
    ("run", "font_color", COLOUR, RGB),
    ("run", "highlight_color", "word", HIGHLIGHT),
    ("*", "text", "", ""),
    ("*", "search", "", ""),
    ("*", "replace", "", ""),
    ("*", "match_case", "", ""),
    ("*", "after_heading", "", ""),
    ("*", "after_index", "", ""),
    ("*", "before_index", "", ""),
    ("*", "section", "", ""),
    ("*", "heading", "", ""),
    ("*", "table", "", ""),
    ("*", "cells", "", ""),
    ("*", "rows", "", ""),
    ("*", "path", "", ""),
    ("cells", "row", "", ""),
    ("cells", "col", "", ""),
];

const PPTX: &[Fact] = &[
    (
        "*",
        "layout",
        "name of a layout",
        "one of the deck, or `title_slide`, `title_and_content`, `section_header`, `two_content`, `comparison`, \
         `title_only`, `blank`, `content_with_caption`, `picture_with_caption`",
    ),
    ("*", "title_runs", "list of runs", "instead of `title`; see `run`"),
    ("*", "body_runs", "list of runs", "instead of `body`; see `run`"),
    ("insert_image", "left", "number", "inches from the slide's left edge"),
    ("insert_image", "top", "number", "inches from the slide's upper edge"),
    ("insert_image", "width", "number", INCHES),
    ("insert_image", "height", "number", INCHES),
    ("insert_image", "alt_text", "text", "what is to be seen"),
    ("run", "bold", BOOL, ""),
    ("run", "italic", BOOL, ""),
    ("run", "underline", BOOL, ""),
    ("run", "font_name", "text", "a font's name"),
    ("run", "font_size", "number", "points, 1 to 4000"),
    ("run", "font_color", COLOUR, RGB),
    ("run", "highlight_color", "word or colour", HIGHLIGHT),
    ("*", "index", "", ""),
    ("*", "to", "", ""),
    ("*", "title", "", ""),
    ("*", "body", "", ""),
    ("*", "bullets", "", ""),
    ("*", "text", "", ""),
    ("*", "search", "", ""),
    ("*", "replace", "", ""),
    ("*", "match_case", "", ""),
    ("*", "table", "", ""),
    ("*", "cells", "", ""),
    ("*", "path", "", ""),
    ("cells", "row", "", ""),
    ("cells", "col", "", ""),
];

/// Everything known of a format's fields.
pub(super) fn facts(format: Format) -> &'static [Fact] {
    match format {
        Format::Xlsx => XLSX,
        Format::Docx => DOCX,
        Format::Pptx => PPTX,
    }
}

/// What is known of a field of this op or value.
pub(super) fn fact(format: Format, owner: &str, field: &str) -> Option<&'static Fact> {
    let find = |owner: &str| facts(format).iter().find(|fact| fact.0 == owner && fact.1 == field);
    find(owner).or_else(|| find("*"))
}
