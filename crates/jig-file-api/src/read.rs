//! The parameters of the methods that read, defined once, and what callers may write instead.
//!
//! A read cannot lose anything, so it is lenient: `"12"` for 12, an empty text or list for "not given", a
//! word of a list in any case, a count out of range as the nearest one. What was changed comes back as a warning. Names of
//! sheets, sections and columns are left as they are: only the engine can tell whether spaces belong to them.

#![expect(dead_code, reason = "the fields are read through the schemas of their structs")]

pub mod docx;
pub mod image;
pub mod pptx;
pub mod text;
pub mod xlsx;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ops::{OpIssue, ParamShape, Strictness, Warning};

/// A search in a Word document or a presentation.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct FindQuery {
    /// The text to find. None or an empty one is an error.
    #[serde(alias = "search", alias = "find")]
    pub query: Option<String>,
    /// Whether upper and lower case differ.
    pub match_case: bool,
    /// The most matches in the reply.
    pub max_results: Option<usize>,
}

/// Where a part of a text belongs among all parts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChunkInfo {
    /// Its index, from 0.
    pub chunk_index: usize,
    /// How many there are.
    pub total_chunks: usize,
    /// Whether another one follows.
    pub has_more: bool,
    /// What it covers, such as paragraphs `4-9`, a heading or `slide 3`.
    pub range: String,
}

/// Which file a method reads, and what Jig adds to every call.
#[derive(JsonSchema, Deserialize)]
pub(crate) struct Address {
    workbench_id: Option<String>,
    path: Option<String>,
    #[schemars(extend("x-aliases" = ["source_root"]))]
    root: Option<String>,
    now: Option<String>,
    allow_outside_formulas: Option<bool>,
}

/// How much text is given at once, and from where.
#[derive(JsonSchema)]
struct Page {
    #[schemars(extend("x-clamp" = true), range(min = 1))]
    max_tokens: Option<u64>,
    cursor: Option<String>,
}

/// A method without parameters of its own.
#[derive(JsonSchema)]
struct PathOnly {
    #[schemars(flatten)]
    address: Address,
}

#[derive(JsonSchema)]
struct WorkbookText {
    include_hidden: Option<bool>,
    #[schemars(extend("enum" = ["values", "formulas", "both"]))]
    mode: Option<String>,
    #[schemars(flatten)]
    page: Page,
    #[schemars(flatten)]
    address: Address,
}

#[derive(JsonSchema)]
struct Find {
    #[schemars(extend("x-aliases" = ["search", "find"], "x-empty" = true))]
    query: Option<String>,
    match_case: Option<bool>,
    #[schemars(extend("x-aliases" = ["limit"], "x-clamp" = true), range(min = 1, max = 1000))]
    max_results: Option<u64>,
    formulas: Option<bool>,
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"]))]
    sheet: Option<String>,
    #[schemars(flatten)]
    address: Address,
}

#[derive(JsonSchema)]
struct XlsxRange {
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"]))]
    sheet: Option<String>,
    #[schemars(extend("x-aliases" = ["cells", "cell_range"]))]
    range: Option<String>,
    #[schemars(extend("enum" = ["values", "formulas", "both"]))]
    mode: Option<String>,
    #[schemars(extend("x-clamp" = true), range(min = 1))]
    max_bytes: Option<u64>,
    #[schemars(flatten)]
    page: Page,
    #[schemars(flatten)]
    address: Address,
}

#[derive(JsonSchema)]
struct XlsxGrid {
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"]))]
    sheet: Option<String>,
    #[schemars(extend("x-clamp" = true), range(min = 0, max = 1_048_575))]
    row_start: Option<u64>,
    #[schemars(extend("x-clamp" = true), range(min = 1, max = 200))]
    row_count: Option<u64>,
    #[schemars(extend("x-aliases" = ["column_start"], "x-clamp" = true), range(min = 0, max = 16_383))]
    col_start: Option<u64>,
    #[schemars(extend("x-aliases" = ["column_count"], "x-clamp" = true), range(min = 1, max = 50))]
    col_count: Option<u64>,
    #[schemars(flatten)]
    address: Address,
}

#[derive(JsonSchema)]
struct XlsxStyles {
    #[schemars(extend("x-aliases" = ["sheet_name", "worksheet"]))]
    sheet: Option<String>,
    #[schemars(flatten)]
    address: Address,
}

#[derive(JsonSchema)]
struct DocxText {
    #[schemars(extend("x-aliases" = ["section_index", "heading"]))]
    section: Option<Value>,
    #[schemars(extend("x-aliases" = ["chunk_index"]))]
    chunk: Option<usize>,
    paragraphs: Option<String>,
    #[schemars(extend("enum" = ["final", "original", "markup"]))]
    view: Option<String>,
    include_deleted: Option<bool>,
    include_headers_footers: Option<bool>,
    #[schemars(flatten)]
    page: Page,
    #[schemars(flatten)]
    address: Address,
}

#[derive(JsonSchema)]
struct DocxSection {
    #[schemars(extend("x-aliases" = ["section", "heading"]))]
    section_index: Option<Value>,
    from_paragraph: Option<usize>,
    #[schemars(flatten)]
    address: Address,
}

#[derive(JsonSchema)]
struct PptxText {
    #[schemars(extend("x-aliases" = ["index"], "x-one-based" = ["slide", "slide_number"]))]
    slide_index: Option<usize>,
    #[schemars(flatten)]
    page: Page,
    #[schemars(flatten)]
    address: Address,
}

#[derive(JsonSchema)]
struct PptxSlide {
    #[schemars(extend("x-aliases" = ["index"], "x-one-based" = ["slide", "slide_number"]))]
    slide_index: Option<usize>,
    #[schemars(extend("enum" = ["positioned", "layout-lite"]))]
    detail: Option<String>,
    #[schemars(flatten)]
    address: Address,
}

#[derive(JsonSchema)]
struct PdfText {
    pages: Option<Value>,
    #[schemars(flatten)]
    page: Page,
    #[schemars(flatten)]
    address: Address,
}

#[derive(JsonSchema)]
struct RenderPage {
    #[schemars(extend(
        "x-aliases" = ["slide_index", "index"],
        "x-one-based" = ["page", "page_number", "slide", "slide_number"],
        "x-clamp" = true
    ))]
    page_index: Option<usize>,
    #[schemars(extend("x-aliases" = ["zoom"], "x-clamp" = true), range(min = 0.25, max = 2.0))]
    scale: Option<f64>,
    thumbnail: Option<bool>,
    #[schemars(flatten)]
    address: Address,
}

#[derive(JsonSchema)]
struct ImagePixels {
    #[schemars(extend("x-aliases" = ["max_pixels"], "x-clamp" = true), range(min = 16, max = 2_048))]
    max_px: Option<u32>,
    #[schemars(flatten)]
    address: Address,
}

#[derive(JsonSchema)]
struct TextLines {
    #[schemars(extend("x-aliases" = ["start_line", "line", "offset"], "x-clamp" = true), range(min = 1))]
    line_start: Option<usize>,
    #[schemars(extend("x-aliases" = ["lines", "limit"], "x-clamp" = true), range(min = 1))]
    line_count: Option<usize>,
    #[schemars(flatten)]
    page: Page,
    #[schemars(flatten)]
    address: Address,
}

/// The shapes of all methods by name, read from the schemas once.
fn shapes() -> &'static BTreeMap<&'static str, ParamShape> {
    static SHAPES: OnceLock<BTreeMap<&'static str, ParamShape>> = OnceLock::new();
    SHAPES.get_or_init(|| {
        let mut shapes = BTreeMap::new();
        let mut add = |names: &[&'static str], shape: fn() -> ParamShape| {
            shapes.extend(names.iter().map(|name| (*name, shape())));
        };
        add(
            &[
                "XlsxGetMap",
                "XlsxGetInfo",
                "DocxGetMap",
                "DocxGetStyles",
                "PptxGetMap",
                "PptxGetStyles",
                "PdfGetMap",
                "PdfGetInfo",
                "OdtGetMap",
                "ImageGetMetadata",
                "TextGetMap",
            ],
            ParamShape::of::<PathOnly>,
        );
        add(&["XlsxFind", "DocxFind", "PptxFind", "PdfFind", "OdtFind", "TextFind"], ParamShape::of::<Find>);
        add(&["XlsxReadRange"], ParamShape::of::<XlsxRange>);
        add(&["XlsxExtractText"], ParamShape::of::<WorkbookText>);
        add(&["XlsxRenderGrid"], ParamShape::of::<XlsxGrid>);
        add(&["XlsxGetStyles"], ParamShape::of::<XlsxStyles>);
        add(&["DocxExtractText", "OdtExtractText"], ParamShape::of::<DocxText>);
        add(&["DocxGetSectionContent"], ParamShape::of::<DocxSection>);
        add(&["PptxExtractText"], ParamShape::of::<PptxText>);
        add(&["PptxGetSlideContent"], ParamShape::of::<PptxSlide>);
        add(&["PdfExtractText"], ParamShape::of::<PdfText>);
        add(
            &["XlsxRenderPage", "DocxRenderPage", "PptxRenderSlide", "PdfRenderPage", "OdtRenderPage"],
            ParamShape::of::<RenderPage>,
        );
        add(&["ImageRender"], ParamShape::of::<ImagePixels>);
        add(&["TextReadLines"], ParamShape::of::<TextLines>);
        shapes
    })
}

/// The parameters of a method that reads, in the form that its engine takes. Methods that are not listed get theirs as
/// they are.
pub fn read_params(method: &str, params: &Value) -> Result<(Value, Vec<Warning>), OpIssue> {
    match shapes().get(method) {
        Some(shape) if params.is_object() => shape.normalize_read(params.clone(), Strictness::Warn),
        _ => Ok((params.clone(), Vec::new())),
    }
}
