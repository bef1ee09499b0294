//! Operations that render pages as images.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::office::office_read;
use crate::ops::{OfficeAnswer, ReferenceSource, Root, operation};
use crate::path::WorkbenchPath;

office_read! {
    /// Give a page of a PDF file as a picture
    PdfRenderPage, PdfRenderPageParams, r#"{"workbench_id":"board-deck","path":"policy.pdf","page_index":0}"#, {
        /// The page, from 0
        page_index: u64,
        /// How large, from 0.25 to 2
        scale: f64,
        /// Whether a small picture is wanted
        thumbnail: bool,
    }
}
office_read! {
    /// Give a page of a Word document as a picture
    DocxRenderPage, DocxRenderPageParams, r#"{"workbench_id":"board-deck","path":"report.docx","page_index":0}"#, {
        /// The page, from 0
        page_index: u64,
        /// How large, from 0.25 to 2
        scale: f64,
        /// Whether a small picture is wanted
        thumbnail: bool,
    }
}
office_read! {
    /// Give a page of a workbook, as it would be printed, as a picture
    XlsxRenderPage, XlsxRenderPageParams, r#"{"workbench_id":"board-deck","path":"budget.xlsx","page_index":0}"#, {
        /// The page, from 0
        page_index: u64,
        /// How large, from 0.25 to 2
        scale: f64,
        /// Whether a small picture is wanted
        thumbnail: bool,
    }
}
office_read! {
    /// Give a page of an OpenDocument text as a picture
    OdtRenderPage, OdtRenderPageParams, r#"{"workbench_id":"board-deck","path":"minutes.odt","page_index":0}"#, {
        /// The page, from 0
        page_index: u64,
        /// How large, from 0.25 to 2
        scale: f64,
        /// Whether a small picture is wanted
        thumbnail: bool,
    }
}
office_read! {
    /// Give a slide as a picture
    PptxRenderSlide, PptxRenderSlideParams, r#"{"workbench_id":"board-deck","path":"deck.pptx","slide_index":0}"#, {
        /// The slide, from 0
        slide_index: u64,
        /// How large, from 0.25 to 2
        scale: f64,
        /// Whether a small picture is wanted
        thumbnail: bool,
    }
}

/// A page as a picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Picture {
    /// The picture, in base64.
    pub bytes_base64: String,
    /// What it is: `image/png`, or the format of a picture that is given as it is.
    pub mime_type: String,
    /// Which page it shows, from 1.
    pub page: u64,
    /// How many pages there are.
    pub page_count: u64,
    /// How many pixels it is wide.
    pub width: u64,
    /// How many pixels it is high.
    pub height: u64,
    /// Whether it had to be made smaller than was asked for.
    pub scaled_down: bool,
    /// What drew it: `pdf`, `libreoffice`, `image` or `plain`.
    pub renderer: String,
    /// What a person should know of it, such as that the layout is not the file's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// Show a page of a file as a picture
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct FileGetPreviewParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file
    pub path: Given<WorkbenchPath>,
    /// Which copy; the Draft when there is one
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<Root>,
    /// The page, from 1
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u64>,
    /// How large, from 0.25 to 2
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Give a small picture
    #[arg(long)]
    #[serde(default)]
    pub thumbnail: bool,
}
operation!(FileGetPreview, Read, Surfaces::PEOPLE, FileGetPreviewParams => Picture,
    r#"{"workbench_id":"board-deck","path":"report.docx","page":1}"#);

/// Which version of a file a preview shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ReviewSide {
    /// The file at the Draft's start.
    Reference,
    /// The file as it is published now.
    Published,
    /// The file in the Draft.
    Draft,
}

/// Show a page of a changed file as a picture, before or after
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ReviewGetPreviewParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file
    pub path: Given<WorkbenchPath>,
    /// Which version; the one in the Draft when left out
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<ReviewSide>,
    /// The page, from 1
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u64>,
    /// How large, from 0.25 to 2
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
}
/// A page of one version of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewGetPreviewOutput {
    /// The picture.
    #[serde(flatten)]
    pub picture: Picture,
    /// Which version it shows.
    pub side: ReviewSide,
    /// The same for people: “Reference (Draft start)”, “Published (current preview)”, “Draft”.
    pub label: String,
    /// What the reference is, when that is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_source: Option<ReferenceSource>,
    /// Said when the Draft's start could not be read, and what is published is shown in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_warning: Option<String>,
}
operation!(ReviewGetPreview, Read, Surfaces::PEOPLE, ReviewGetPreviewParams => ReviewGetPreviewOutput,
    r#"{"workbench_id":"board-deck","path":"report.docx","side":"reference","page":1}"#);
