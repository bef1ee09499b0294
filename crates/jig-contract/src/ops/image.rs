//! Reading images.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::office::office_read;
use crate::given::Given;
use crate::id::WorkbenchId;
use crate::operation::Surfaces;
use crate::ops::{OfficeAnswer, Root, operation};
use crate::path::WorkbenchPath;

office_read! {
    /// Show an image's format, size, colours and camera metadata
    ImageGetMetadata, ImageGetMetadataParams, r#"{"workbench_id":"board-deck","path":"logo.png"}"#, {}
}
office_read! {
    /// Return an image as base64, downscaled if it is too large
    ImageRender, ImageRenderParams, r#"{"workbench_id":"board-deck","path":"logo.png","max_px":256}"#, {
        /// The longest side in pixels, 16 to 2,048
        max_px: u64,
    }
}
