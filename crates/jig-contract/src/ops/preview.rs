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
    /// Render a page of a PDF file as an image
    PdfRenderPage, PdfRenderPageParams, r#"{"workbench_id":"board-deck","path":"policy.pdf","page_index":0}"#, {
        /// The page, from 0
        page_index: u64,
        /// Scale, from 0.25 to 2
        scale: f64,
        /// Whether to return a thumbnail
        thumbnail: bool,
    }
}
office_read! {
    /// Render a page of a Word document as an image
    DocxRenderPage, DocxRenderPageParams, r#"{"workbench_id":"board-deck","path":"report.docx","page_index":0}"#, {
        /// The page, from 0
        page_index: u64,
        /// Scale, from 0.25 to 2
        scale: f64,
        /// Whether to return a thumbnail
        thumbnail: bool,
    }
}
office_read! {
    /// Render a page of a workbook, in its print layout, as an image
    XlsxRenderPage, XlsxRenderPageParams, r#"{"workbench_id":"board-deck","path":"budget.xlsx","page_index":0}"#, {
        /// The page, from 0
        page_index: u64,
        /// Scale, from 0.25 to 2
        scale: f64,
        /// Whether to return a thumbnail
        thumbnail: bool,
    }
}
office_read! {
    /// Render a page of an OpenDocument text as an image
    OdtRenderPage, OdtRenderPageParams, r#"{"workbench_id":"board-deck","path":"minutes.odt","page_index":0}"#, {
        /// The page, from 0
        page_index: u64,
        /// Scale, from 0.25 to 2
        scale: f64,
        /// Whether to return a thumbnail
        thumbnail: bool,
    }
}
office_read! {
    /// Render a slide as an image
    PptxRenderSlide, PptxRenderSlideParams, r#"{"workbench_id":"board-deck","path":"deck.pptx","slide_index":0}"#, {
        /// The slide, from 0
        slide_index: u64,
        /// Scale, from 0.25 to 2
        scale: f64,
        /// Whether to return a thumbnail
        thumbnail: bool,
    }
}

/// A page as an image.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Picture {
    /// The image, in base64.
    pub bytes_base64: String,
    /// Its media type: `image/png`, or the format of an image that is returned unchanged.
    pub mime_type: String,
    /// Which page it shows, from 1.
    pub page: u64,
    /// How many pages there are.
    pub page_count: u64,
    /// The width in pixels.
    pub width: u64,
    /// The height in pixels.
    pub height: u64,
    /// Whether the image is smaller than requested.
    pub scaled_down: bool,
    /// What rendered it: `pdf`, `libreoffice`, `image` or `plain`.
    pub renderer: String,
    /// Notes for the user, such as that the layout is not the file's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// Render a page of a file as an image
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct FileGetPreviewParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file
    pub path: Given<WorkbenchPath>,
    /// Which copy [default: the Draft, if one exists]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<Root>,
    /// The page, from 1
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u64>,
    /// Scale, from 0.25 to 2
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Return a thumbnail
    #[arg(long)]
    #[serde(default)]
    pub thumbnail: bool,
}
operation!(FileGetPreview, Read, Surfaces::all("preview"), FileGetPreviewParams => Picture,
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

/// Render a page of a changed file as an image, before or after the change
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct ReviewGetPreviewParams {
    /// The workbench
    #[arg(id = "workbench_id", short = 'w', long = "workbench", value_name = "ID")]
    pub workbench_id: Given<WorkbenchId>,
    /// The file
    pub path: Given<WorkbenchPath>,
    /// Which version [default: the Draft's]
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<ReviewSide>,
    /// The page, from 1
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u64>,
    /// Scale, from 0.25 to 2
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
}
/// A page of one version of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewGetPreviewOutput {
    /// The image.
    #[serde(flatten)]
    pub picture: Picture,
    /// Which version it shows.
    pub side: ReviewSide,
    /// Its label: “Reference (Draft start)”, “Published (current preview)”, “Draft”.
    pub label: String,
    /// The source of the reference, if it is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_source: Option<ReferenceSource>,
    /// Set if the state at the Draft's start could not be read, so that the published file is shown instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_warning: Option<String>,
}
operation!(ReviewGetPreview, Read, Surfaces::PEOPLE, ReviewGetPreviewParams => ReviewGetPreviewOutput,
    r#"{"workbench_id":"board-deck","path":"report.docx","side":"reference","page":1}"#);
