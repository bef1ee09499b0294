//! The ops of documents on lists and on the structure of tables.

use schemars::JsonSchema;
use serde::Deserialize;

use super::docx::{Position, ScalarText, TableCell, TextOr};

/// An item of a list.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ListItem {
    /// Its text.
    #[schemars(extend("x-aliases" = ["value", "content", "item"]))]
    pub text: ScalarText,
    /// Its level, from 0.
    #[schemars(extend("x-aliases" = ["depth", "indent"]), range(min = 0, max = 8))]
    pub level: usize,
}

impl TextOr<ListItem> {
    /// As fields, a plain text too.
    pub fn into_fields(self) -> ListItem {
        match self {
            Self::Text(text) => ListItem { text: ScalarText(text), level: 0 },
            Self::Fields(fields) => fields,
        }
    }
}

/// Insert a list with bullets or numbers
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct InsertList {
    /// Its items.
    #[schemars(extend("x-aliases" = ["paragraphs", "entries", "bullets"]))]
    pub items: Vec<TextOr<ListItem>>,
    /// Bullets or numbers.
    #[schemars(extend("x-aliases" = ["type", "list_type"], "enum" = ["bullet", "number"]))]
    pub kind: Option<String>,
    /// How each level counts, the first level first.
    #[schemars(extend("x-aliases" = ["format", "number_formats"], "items" = {"type": "string", "enum": [
        "bullet", "dash", "decimal", "lower_letter", "upper_letter", "lower_roman", "upper_roman", "legal"
    ]}))]
    pub formats: Option<Vec<String>>,
    /// The first number.
    #[schemars(extend("x-aliases" = ["start_at", "restart"]), range(min = 0, max = 32_767))]
    pub start: Option<u32>,
    /// A paragraph of the list that this one continues, from 0.
    #[schemars(extend("x-aliases" = ["continue", "continue_from"]))]
    pub continue_index: Option<usize>,
    /// Where.
    #[serde(flatten)]
    pub position: Position,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// Insert rows into a table
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct InsertTableRows {
    /// The table, from 0; the first without it.
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["table_index"]))]
    pub table: usize,
    /// The row before which they are inserted, from 0; the number of rows means the end.
    #[schemars(extend("x-aliases" = ["row_index", "before_row", "at"]))]
    pub row: usize,
    /// How many; as many as `rows` without it.
    #[schemars(range(min = 1, max = 10_000))]
    pub count: Option<usize>,
    /// Their cells.
    #[schemars(extend("x-aliases" = ["values", "data"]))]
    pub rows: Option<Vec<Vec<TextOr<TableCell>>>>,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// Delete rows of a table
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteTableRows {
    /// The table, from 0; the first without it.
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["table_index"]))]
    pub table: usize,
    /// The first one, from 0.
    #[schemars(extend("x-aliases" = ["row_index", "index"]))]
    pub row: usize,
    /// How many.
    #[schemars(range(min = 1))]
    pub count: Option<usize>,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// Insert a column into a table
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct InsertTableColumns {
    /// The table, from 0; the first without it.
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["table_index"]))]
    pub table: usize,
    /// The column before which they are inserted, from 0; the number of columns means the end.
    #[schemars(extend("x-aliases" = ["col", "column_index", "col_index", "before_column", "at"]))]
    pub column: usize,
    /// How many.
    #[schemars(range(min = 1, max = 62))]
    pub count: Option<usize>,
    /// The cells of the first new column, from the first row on.
    #[schemars(extend("x-aliases" = ["cells", "data"]))]
    pub values: Option<Vec<TextOr<TableCell>>>,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// Delete columns of a table
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteTableColumns {
    /// The table, from 0; the first without it.
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["table_index"]))]
    pub table: usize,
    /// The first one, from 0.
    #[schemars(extend("x-aliases" = ["col", "column_index", "col_index", "index"]))]
    pub column: usize,
    /// How many.
    #[schemars(range(min = 1))]
    pub count: Option<usize>,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}

/// Merge the cells of a rectangle of a table; their texts are joined
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct MergeTableCells {
    /// The table, from 0; the first without it.
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["table_index"]))]
    pub table: usize,
    /// The first row, from 0.
    #[schemars(extend("x-aliases" = ["start_row", "from_row", "row_index"]))]
    pub row: usize,
    /// The first column, from 0.
    #[schemars(extend("x-aliases" = ["start_col", "start_column", "from_col", "column", "col_index"]))]
    pub col: usize,
    /// The last row; `row` without it.
    #[schemars(extend("x-aliases" = ["to_row", "last_row"]))]
    pub end_row: Option<usize>,
    /// The last column; `col` without it.
    #[schemars(extend("x-aliases" = ["to_col", "end_column", "last_col"]))]
    pub end_col: Option<usize>,
}

/// Set the style, borders, shading, widths and header of a table
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SetTableStyle {
    /// The table, from 0; the first without it.
    #[schemars(extend("x-aliases" = ["table_index"]))]
    pub table: usize,
    /// Name of its style.
    #[schemars(extend("x-aliases" = ["table_style", "style_name"]))]
    pub style: Option<String>,
    /// Which lines it has.
    #[schemars(extend("enum" = ["none", "all", "outer", "inner", "horizontal"]))]
    pub borders: Option<String>,
    /// Colour of the lines.
    #[schemars(extend("x-cosmetic" = true, "x-type" = "color"))]
    pub border_color: Option<String>,
    /// Width of the lines in points.
    #[schemars(extend("x-cosmetic" = true), range(min = 0.25, max = 12))]
    pub border_width: Option<f64>,
    /// Colour behind all cells.
    #[schemars(extend("x-aliases" = ["fill", "fill_color", "background"], "x-cosmetic" = true, "x-type" = "color"))]
    pub shading: Option<String>,
    /// Colour behind the cells of the first row.
    #[schemars(extend("x-aliases" = ["header_fill", "header_color"], "x-cosmetic" = true, "x-type" = "color"))]
    pub header_shading: Option<String>,
    /// Width of each column in inches.
    #[schemars(extend("x-aliases" = ["widths"]))]
    pub column_widths: Option<Vec<f64>>,
    /// How many rows are repeated on each page.
    #[schemars(extend("x-aliases" = ["repeat_header_rows"]), range(min = 0, max = 50))]
    pub header_rows: Option<usize>,
    /// Alignment of the table on the page.
    #[schemars(extend("x-aliases" = ["align"], "x-cosmetic" = true, "x-type" = "alignment"))]
    pub alignment: Option<String>,
}

/// Delete a table
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteTable {
    /// The table, from 0.
    #[schemars(extend("x-aliases" = ["table_index", "index"]))]
    pub table: usize,
    /// Write the change as a tracked one.
    #[schemars(extend("x-aliases" = ["tracked", "track"], "x-hidden" = true))]
    pub track_changes: Option<bool>,
}
