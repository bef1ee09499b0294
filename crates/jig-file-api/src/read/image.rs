//! Reads of images: what a caller can ask for, and the replies.
//!
//! The order of the fields is that of the JSON. A field that is left out of the JSON when it has no value is marked with
//! `skip_serializing_if`; every other `None` is `null`.

use serde::{Deserialize, Serialize};

/// How an image is rendered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RenderQuery {
    /// The longest side, in pixels.
    pub max_px: Option<u32>,
}

/// The reply of `ImageGetMetadata`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImageMetadata {
    /// Such as `png`.
    pub format: &'static str,
    /// Pixels, as stored.
    pub width: u32,
    /// Pixels, as stored.
    pub height: u32,
    /// Bytes of the file.
    pub size_bytes: usize,
    /// Bits per pixel, all channels together.
    pub color_depth: Option<u32>,
    /// How the image must be turned to stand upright: 1 to 8, as EXIF counts.
    pub orientation: u8,
    /// The width after turning, if it is not the stored one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown_width: Option<u32>,
    /// The height after turning, if it is not the stored one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown_height: Option<u32>,
    /// Whether pixels can be transparent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_alpha: Option<bool>,
    /// How many frames there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<usize>,
    /// Pixels per inch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dpi: Option<Resolution>,
    /// What the camera recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exif: Option<ExifSummary>,
    /// What is wrong with the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Pixels per inch, to one decimal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Resolution {
    /// Horizontally.
    pub x: f64,
    /// Vertically.
    pub y: f64,
}

/// What is passed on of an image's EXIF. A recorded position is only mentioned: it may be a home.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ExifSummary {
    /// Maker and model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera: Option<String>,
    /// The lens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lens: Option<String>,
    /// When the image was taken, with the offset if the camera knew it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_at: Option<String>,
    /// The program that wrote the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub software: Option<String>,
    /// Whether a position was recorded.
    pub has_gps: bool,
}

/// The reply of `ImageRender`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RenderedImage {
    /// The image.
    pub bytes_base64: String,
    /// Its media type.
    pub mime_type: &'static str,
    /// Whether it has fewer pixels than the file.
    pub scaled_down: bool,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Pixels in the file.
    pub original_width: u32,
    /// Pixels in the file.
    pub original_height: u32,
    /// What the image does not show, or shows beyond its pixels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
