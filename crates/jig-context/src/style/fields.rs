//! Facts about fields that the operation definitions lack: type, unit, and whether the field affects the appearance.
//!
//! Field names and keywords come from the definitions. A field that is missing here is still listed; a test fails until
//! it is added, and also for an entry that no operation has.

use super::Format;

/// The operation or object that has the field (`*` for any), the field, its type, and its unit and range. Content
/// fields, which do not affect the appearance, have no type.
pub(super) type Fact = (&'static str, &'static str, &'static str, &'static str);

const BOOL: &str = "true or false";
const COLOUR: &str = "colour";
const RGB: &str = "`#RRGGBB`";
const EDGE: &str = "see `border`; a colour alone means `thin`";
const PARAGRAPH: &str = "see `paragraph`";
const SIDE: &str = "inches; with one side given the proportions stay";
const SIDE_0_01_TO_100: &str = "inches, 0.01 to 100; with one side given the proportions stay";
const TABLE_POSITION: &str = "from 0; required in `set_table_cells`";
const WHOLE_DOCUMENT: &str = "replaces all content of the document; see `paragraph`";
const ALT_TEXT: &str = "what the image shows";

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
    ("merge_cells", "unmerge", BOOL, "true splits the merged cells of the range"),
    ("columns", "column", "letters or number", "as `A`, or from 1"),
    ("columns", "width", "number", "characters, 0 to 255"),
    ("rows", "row", "whole number", "1 to 1048576"),
    ("rows", "height", "number", "points, 0 to 409"),
    ("style", "font_name", "text", "at most 31 characters"),
    ("style", "font_size", "number", "points, 1 to 409"),
    ("style", "font_bold", BOOL, ""),
    ("style", "font_italic", BOOL, ""),
    ("style", "font_underline", BOOL, ""),
    ("style", "font_color", COLOUR, RGB),
    ("style", "fill_color", COLOUR, RGB),
    ("style", "fill_pattern", "word", ""),
    ("style", "number_format", "number format", "a code, as `0.0%` or `yyyy-mm-dd`"),
    ("style", "h_align", "word", ""),
    ("style", "v_align", "word", ""),
    ("style", "wrap_text", BOOL, ""),
    ("style", "border", "border", "all four edges; see `border`"),
    ("style", "border_top", "border", EDGE),
    ("style", "border_bottom", "border", EDGE),
    ("style", "border_left", "border", EDGE),
    ("style", "border_right", "border", EDGE),
    ("border", "style", "word", ""),
    ("border", "color", COLOUR, RGB),
    ("cells", "style", "style", "see `style`"),
    ("cells", "cell", "", "as `B2`"),
    ("cells", "value", "", "null clears the cell"),
    ("cells", "formula", "", "as `=SUM(A1:A3)`"),
    ("cells", "type", "", ""),
    ("cells", "clear", "", "true removes the value"),
    ("*", "sheet", "", ""),
    ("*", "start", "", ""),
    ("*", "values", "", ""),
    ("append_rows", "rows", "", ""),
    ("append_rows", "start_column", "", ""),
    ("*", "count", "", ""),
    ("rename_sheet", "new_name", "", ""),
    ("insert_rows", "row", "", ""),
    ("delete_rows", "row", "", ""),
    ("format_range", "range", "cells", "as `A1:D1`, `B:B`, `1:1` or `A1:B2,D4`"),
    ("set_tab_color", "color", COLOUR, RGB),
    ("page_setup", "orientation", "word", "`portrait` or `landscape`"),
    ("page_setup", "paper", "word", "`letter`, `legal`, `A4`, `A3`, `A5`, `tabloid`, `executive`, `B4` or `B5`"),
    ("page_setup", "margins", "margins", "see `margins`"),
    ("page_setup", "center_horizontally", BOOL, ""),
    ("page_setup", "center_vertically", BOOL, ""),
    ("page_setup", "gridlines", BOOL, ""),
    ("page_setup", "fit_to_width", "whole number", "pages, 0 to 32767; 0 for as many as needed"),
    ("page_setup", "fit_to_height", "whole number", "pages, 0 to 32767; 0 for as many as needed"),
    ("page_setup", "scale", "whole number", "percent, 10 to 400"),
    ("autofit_columns", "max_width", "number", "characters, 1 to 255"),
    ("margins", "left", "number", "inches, 0 to 49"),
    ("margins", "right", "number", "inches, 0 to 49"),
    ("margins", "top", "number", "inches, 0 to 49"),
    ("margins", "bottom", "number", "inches, 0 to 49"),
    ("margins", "header", "number", "inches, 0 to 49"),
    ("margins", "footer", "number", "inches, 0 to 49"),
    ("*", "center", "", ""),
    ("*", "columns", "", ""),
    ("*", "footer", "", ""),
    ("*", "header", "", ""),
    ("*", "left", "", ""),
    ("*", "repeat_columns", "", ""),
    ("*", "repeat_rows", "", ""),
    ("*", "right", "", ""),
];

const DOCX: &[Fact] = &[
    ("*", "paragraphs", "list of paragraphs", PARAGRAPH),
    ("set_paragraphs", "paragraphs", "list of paragraphs", WHOLE_DOCUMENT),
    ("replace_document", "paragraphs", "list of paragraphs", WHOLE_DOCUMENT),
    ("*", "runs", "list of runs", "instead of `text`; see `run`"),
    ("*", "style", "name of a style", PARAGRAPH),
    ("*", "alignment", "word", ""),
    ("*", "space_before", "number", PARAGRAPH),
    ("*", "space_after", "number", PARAGRAPH),
    ("*", "line_spacing", "number", PARAGRAPH),
    ("*", "indent_left", "number", PARAGRAPH),
    ("*", "indent_right", "number", PARAGRAPH),
    ("*", "indent_first_line", "number", PARAGRAPH),
    ("*", "cells", "list of cells", "see `cells`"),
    ("*", "rows", "list of rows", "each a list of cells: texts, or objects as in `cells`"),
    ("insert_table", "style", "name of a table style", "`Table Grid` when left out"),
    ("insert_table", "header", "true or a list of texts", "true when the first of `rows` is the header"),
    ("insert_image", "width", "number", SIDE_0_01_TO_100),
    ("insert_image", "height", "number", SIDE_0_01_TO_100),
    ("insert_image", "alt_text", "text", ALT_TEXT),
    (
        "paragraph",
        "style",
        "name of a style",
        "Word's own, as `Title`, `Heading 1` to `Heading 9`, `Body Text`, `List Bullet`, `List Number`, \
         `Quote`, `Caption`, or one of the document",
    ),
    ("paragraph", "space_before", "number", "points, 0 to 1584"),
    ("paragraph", "space_after", "number", "points, 0 to 1584"),
    ("paragraph", "line_spacing", "number", "times a single line, 0.05 to 132"),
    ("paragraph", "indent_left", "number", "inches, -22 to 22"),
    ("paragraph", "indent_right", "number", "inches, -22 to 22"),
    ("paragraph", "indent_first_line", "number", "inches, -22 to 22; negative for a hanging indent"),
    ("run", "bold", BOOL, ""),
    ("run", "italic", BOOL, ""),
    ("run", "underline", BOOL, ""),
    ("run", "font_name", "text", "a font's name"),
    ("run", "font_size", "number", "points in halves, 1 to 1638"),
    ("run", "font_color", COLOUR, RGB),
    ("run", "highlight_color", "word", ""),
    ("*", "text", "", ""),
    ("*", "search", "", ""),
    ("*", "replace", "", ""),
    ("*", "match_case", "", ""),
    ("*", "paragraph", "", ""),
    ("*", "count", "", ""),
    ("*", "after_heading", "", ""),
    ("*", "after_paragraph", "", ""),
    ("*", "before_paragraph", "", ""),
    ("*", "section", "", ""),
    ("*", "heading", "", ""),
    ("*", "include_subsections", "", ""),
    ("*", "table", "", ""),
    ("*", "path", "", ""),
    ("*", "data_base64", "", ""),
    ("cells", "row", "", TABLE_POSITION),
    ("cells", "col", "", TABLE_POSITION),
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
    ("*", "runs", "list of runs", "instead of `text`; see `run`"),
    ("*", "bullets", "list of bullets", "texts, or objects as in `bullets`"),
    ("*", "cells", "list of cells", "see `cells`"),
    ("bullets", "level", "whole number", "0 to 8; 0 is the outermost level"),
    ("insert_image", "left", "number", "inches from the slide's left edge"),
    ("insert_image", "top", "number", "inches from the slide's upper edge"),
    ("insert_image", "width", "number", SIDE),
    ("insert_image", "height", "number", SIDE),
    ("insert_image", "alt_text", "text", ALT_TEXT),
    ("run", "bold", BOOL, ""),
    ("run", "italic", BOOL, ""),
    ("run", "underline", BOOL, ""),
    ("run", "font_name", "text", "a font's name"),
    ("run", "font_size", "number", "points, 1 to 4000"),
    ("run", "font_color", COLOUR, RGB),
    ("run", "highlight_color", "word or colour", "or `#RRGGBB`"),
    ("*", "slide", "", ""),
    ("*", "to_slide", "", ""),
    ("*", "title", "", ""),
    ("*", "body", "", ""),
    ("*", "text", "", ""),
    ("*", "search", "", ""),
    ("*", "replace", "", ""),
    ("*", "match_case", "", ""),
    ("*", "placeholder", "", ""),
    ("*", "table", "", ""),
    ("*", "path", "", ""),
    ("*", "data_base64", "", ""),
    ("insert_image", "name", "", ""),
    ("cells", "row", "", "from 0"),
    ("cells", "col", "", "from 0"),
    ("*", "master", "", ""),
    ("*", "like", "", ""),
    ("*", "section", "", ""),
    ("*", "layouts", "", ""),
    ("*", "replaces", "", ""),
];

/// All facts about a format's fields.
pub(super) fn facts(format: Format) -> &'static [Fact] {
    match format {
        Format::Xlsx => XLSX,
        Format::Docx => DOCX,
        Format::Pptx => PPTX,
    }
}

/// The fact about a field of this operation or object.
pub(super) fn fact(format: Format, owner: &str, field: &str) -> Option<&'static Fact> {
    let find = |owner: &str| facts(format).iter().find(|fact| fact.0 == owner && fact.1 == field);
    find(owner).or_else(|| find("*"))
}
