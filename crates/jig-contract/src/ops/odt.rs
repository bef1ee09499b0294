//! Reading OpenDocument texts.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::office::office_read;
use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::{NameOrNumber, OfficeAnswer, Root, operation};
use crate::path::WorkbenchPath;

office_read! {
    /// Map an OpenDocument text: sections, tables, images and other content
    OdtGetMap, OdtGetMapParams, r#"{"workbench_id":"board-deck","path":"minutes.odt"}"#, {}
}
office_read! {
    /// Read an OpenDocument text, or one section, as text
    OdtExtractText, OdtExtractTextParams, r#"{"workbench_id":"board-deck","path":"minutes.odt","section":"0"}"#, {
        /// The section: its heading or its number from 0
        section: NameOrNumber,
        /// Whether to include headers and footers
        include_headers_footers: bool,
        /// Maximum tokens; `cursor` returns the rest
        max_tokens: u64,
        /// Continue from the `cursor` of the previous page
        cursor: String,
    }
}
