//! Reading Office files.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NameOrNumber, OfficeAnswer};
use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::{Root, operation};
use crate::path::WorkbenchPath;

/// What to show of a formula cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum CellMode {
    /// Values, as displayed.
    Values,
    /// Formulas, if there are any.
    Formulas,
    /// Both.
    Both,
}

/// How to read tracked changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum RevisionView {
    /// As if all were accepted.
    Final,
    /// As if all were rejected.
    Original,
    /// With insertions and deletions marked.
    Markup,
}

/// How much of a slide's layout to return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum SlideDetail {
    /// Shapes with their positions on the slide.
    Positioned,
    /// Shapes with their text.
    LayoutLite,
}

/// Defines a read of one file: its parameters, always with the workbench, the file and the copy, and its operation.
macro_rules! office_read {
    ($(#[$doc:meta])* $op:ident, $params:ident, $example:literal, { $($(#[$about:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
        #[serde(deny_unknown_fields)]
        pub struct $params {
            /// The workbench
            #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
            pub workbench_id: Given<WorkbenchId>,
            /// The file
            pub path: Given<WorkbenchPath>,
            /// Which copy [default: the Draft, if one exists]
            #[arg(long)]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub root: Option<Root>,
            $(
                $(#[$about])*
                #[arg(long)]
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type>,
            )*
        }
        operation!($op, Read, Surfaces::PEOPLE, $params => OfficeAnswer, $example);
    };
}
pub(in crate::ops) use office_read;

office_read! {
    /// Map a workbook: sheets, used ranges, data blocks, chunks and other content
    XlsxGetMap, XlsxGetMapParams, r#"{"workbench_id":"board-deck","path":"budget.xlsx"}"#, {}
}
office_read! {
    /// List a workbook's sheets with their sizes
    XlsxGetInfo, XlsxGetInfoParams, r#"{"workbench_id":"board-deck","path":"budget.xlsx"}"#, {}
}
office_read! {
    /// Read cells of a sheet as text, as displayed
    XlsxReadRange, XlsxReadRangeParams,
    r#"{"workbench_id":"board-deck","path":"budget.xlsx","sheet":"Budget","range":"A1:E50"}"#, {
        /// The sheet [default: the first]
        sheet: String,
        /// The cells, as `A1:E50`
        range: String,
        /// What to show of formula cells
        mode: CellMode,
        /// Maximum tokens; `cursor` returns the rest
        max_tokens: u64,
        /// Continue from the `cursor` of the previous page
        cursor: String,
    }
}
office_read! {
    /// Read an entire workbook as text, sheet by sheet
    XlsxExtractText, XlsxExtractTextParams, r#"{"workbench_id":"board-deck","path":"budget.xlsx"}"#, {
        /// Whether to include hidden sheets
        include_hidden: bool,
        /// What to show of formula cells
        mode: CellMode,
        /// Maximum tokens; `cursor` returns the rest
        max_tokens: u64,
        /// Continue from the `cursor` of the previous page
        cursor: String,
    }
}
office_read! {
    /// Read a window of a sheet cell by cell, with types and formulas
    XlsxRenderGrid, XlsxRenderGridParams,
    r#"{"workbench_id":"board-deck","path":"budget.xlsx","row_start":0,"row_count":20,"col_start":0,"col_count":10}"#, {
        /// The sheet [default: the first]
        sheet: String,
        /// The first row, from 0
        row_start: u64,
        /// Number of rows, at most 200
        row_count: u64,
        /// The first column, from 0
        col_start: u64,
        /// Number of columns, at most 50
        col_count: u64,
    }
}
office_read! {
    /// List a workbook's styles, number formats, fonts, fills and borders
    XlsxGetStyles, XlsxGetStylesParams, r#"{"workbench_id":"board-deck","path":"budget.xlsx"}"#, {
        /// The sheet whose cell styles are listed too
        sheet: String,
    }
}
office_read! {
    /// Map a document: sections, tables, images and other content
    DocxGetMap, DocxGetMapParams, r#"{"workbench_id":"board-deck","path":"report.docx"}"#, {}
}
office_read! {
    /// Read a document, or one section, as text
    DocxExtractText, DocxExtractTextParams, r#"{"workbench_id":"board-deck","path":"report.docx","section":"0"}"#, {
        /// The section: its heading or its number from 0
        section: NameOrNumber,
        /// Only this chunk of the section or document, from 0
        chunk: u64,
        /// Only these paragraphs, as `4-9`
        paragraphs: String,
        /// How to read tracked changes
        view: RevisionView,
        /// Whether to include deleted text
        include_deleted: bool,
        /// Whether to include headers and footers
        include_headers_footers: bool,
        /// Maximum tokens; `cursor` returns the rest
        max_tokens: u64,
        /// Continue from the `cursor` of the previous page
        cursor: String,
    }
}
office_read! {
    /// Read a section of a document paragraph by paragraph, with runs, tables and images
    DocxGetSectionContent, DocxGetSectionContentParams,
    r#"{"workbench_id":"board-deck","path":"report.docx","section_index":"0"}"#, {
        /// The section, from 0
        #[serde(alias = "section")]
        section_index: NameOrNumber,
        /// The paragraph to continue from
        from_paragraph: u64,
    }
}
office_read! {
    /// List a document's styles and images
    DocxGetStyles, DocxGetStylesParams, r#"{"workbench_id":"board-deck","path":"report.docx"}"#, {}
}
office_read! {
    /// Map a presentation: slides with titles and layouts
    PptxGetMap, PptxGetMapParams, r#"{"workbench_id":"board-deck","path":"deck.pptx"}"#, {}
}
office_read! {
    /// Read a presentation, or one slide, as text
    PptxExtractText, PptxExtractTextParams, r#"{"workbench_id":"board-deck","path":"deck.pptx","slide_index":0}"#, {
        /// The slide, from 0
        slide_index: u64,
        /// Maximum tokens; `cursor` returns the rest
        max_tokens: u64,
        /// Continue from the `cursor` of the previous page
        cursor: String,
    }
}
office_read! {
    /// Read a slide shape by shape
    PptxGetSlideContent, PptxGetSlideContentParams,
    r#"{"workbench_id":"board-deck","path":"deck.pptx","slide_index":0}"#, {
        /// The slide, from 0
        #[serde(alias = "index")]
        slide_index: u64,
        /// How much of the layout to return
        detail: SlideDetail,
    }
}
office_read! {
    /// List a presentation's layouts, fonts, text styles and images
    PptxGetStyles, PptxGetStylesParams, r#"{"workbench_id":"board-deck","path":"deck.pptx"}"#, {}
}
