//! Pictures: what their headers say, and the picture itself at a size that fits.
//!
//! Metadata comes from headers alone, nothing is decoded for it. Of EXIF only a summary is given: that a position was
//! recorded is said, the position itself is not.

mod bytes;
mod draw;
mod exif;
mod gif;
mod header;
mod jpeg;
mod png;
mod render;
mod svg;
mod webp;

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use self::exif::Exif;
use self::header::Header;
use crate::engine::FileError;
use crate::params::{parse, with_warnings};

/// A picture whose header has been read.
pub(crate) struct ImageFile {
    bytes: Arc<[u8]>,
    header: Header,
    exif: Option<Exif>,
}

#[derive(Deserialize)]
struct NoParams {}

impl ImageFile {
    pub(crate) fn open(bytes: Arc<[u8]>) -> Result<Self, FileError> {
        let header = Header::read(&bytes)?;
        let exif = Exif::read(&bytes);
        Ok(Self { bytes, header, exif })
    }

    pub(crate) fn read(&self, method: &str, params: &Value) -> Result<Value, FileError> {
        let mut warnings = Vec::new();
        let answer = match method {
            "ImageGetMetadata" => {
                let NoParams {} = parse(params, &mut warnings)?;
                warnings.extend(self.header.warnings.iter().cloned());
                self.metadata()
            }
            "ImageRender" => render::render(self, &parse(params, &mut warnings)?, &mut warnings)?,
            _ => return Err(FileError::invalid(format!("unknown method: {method}"))),
        };
        Ok(with_warnings(answer, warnings))
    }

    /// How the picture must be turned to stand upright: 1 to 8 as EXIF counts, 1 for not at all.
    fn orientation(&self) -> u8 {
        self.exif.as_ref().and_then(|exif| exif.orientation).unwrap_or(1)
    }

    /// What the picture says of itself, in words, for a comparison with another version.
    pub(crate) fn facts(&self) -> Vec<(&'static str, String)> {
        let Header { format, width, height, bits, alpha, frames, .. } = &self.header;
        let mut facts = vec![("format", (*format).to_owned()), ("pixels", format!("{width} × {height}"))];
        let mut put = |name, value: Option<String>| facts.extend(value.map(|value| (name, value)));
        put("bits a pixel", bits.map(|bits| bits.to_string()));
        put("transparency", alpha.map(|alpha| if alpha { "yes" } else { "no" }.to_owned()));
        put("frames", frames.map(|frames| frames.to_string()));
        put("turned by EXIF", Some(self.orientation()).filter(|turn| *turn != 1).map(|turn| turn.to_string()));
        facts
    }

    fn metadata(&self) -> Value {
        let Header { format, width, height, bits, alpha, frames, dpi, .. } = &self.header;
        let mut answer = Map::from_iter([
            ("format".to_owned(), json!(format)),
            ("width".to_owned(), json!(width)),
            ("height".to_owned(), json!(height)),
            ("size_bytes".to_owned(), json!(self.bytes.len())),
            ("color_depth".to_owned(), json!(bits)),
            ("orientation".to_owned(), json!(self.orientation())),
        ]);
        let mut put = |key: &str, value: Value| answer.insert(key.to_owned(), value);
        if self.orientation() >= 5 {
            // Turned by a quarter: what is shown is as wide as what is stored is high.
            put("shown_width", json!(height));
            put("shown_height", json!(width));
        }
        if let Some(alpha) = alpha {
            put("has_alpha", json!(alpha));
        }
        if let Some(frames) = frames {
            put("frames", json!(frames));
        }
        let dpi = dpi.or_else(|| self.exif.as_ref().and_then(|exif| exif.dpi));
        if let Some((x, y)) = dpi {
            put("dpi", json!({ "x": tenths(x), "y": tenths(y) }));
        }
        if let Some(exif) = &self.exif {
            put("exif", exif.summary());
        }
        Value::Object(answer)
    }
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}
