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
    /// Map an OpenDocument text: sections, tables, images, what else there is
    OdtGetMap, OdtGetMapParams, r#"{"workbench_id":"board-deck","path":"minutes.odt"}"#, {}
}
office_read! {
    /// Read an OpenDocument text, or one section, as text
    OdtExtractText, OdtExtractTextParams, r#"{"workbench_id":"board-deck","path":"minutes.odt","section":"0"}"#, {
        /// The section: its heading or its number from 0
        section: NameOrNumber,
        /// Whether headers and footers are given too
        include_headers_footers: bool,
        /// At most this many tokens, with a cursor to the rest
        max_tokens: u64,
        /// Go on where an earlier answer's `cursor` says
        cursor: String,
    }
}
