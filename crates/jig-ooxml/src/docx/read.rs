//! Reading a Word document: map, text, sections, styles, search.

mod capped;
mod chunks;
mod content;
mod counts;
mod find;
mod map;
mod markdown;
mod marked;
mod notes;
mod outside;
mod params;
mod render;
mod runs;
mod source;
mod styles;
mod text;

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use self::render::{Options, Rendered};
use self::source::Source;
use crate::error::Error;
use crate::limits::Limits;

/// A Word document opened for reading.
///
/// The text is put together once, at the first call that needs it.
#[derive(Debug)]
pub struct Document {
    source: Source,
    /// The text with all tracked changes accepted.
    rendered: OnceLock<Arc<Rendered>>,
}

/// The methods that [`Document::read`] answers.
pub const METHODS: &[&str] = &["DocxGetMap", "DocxExtractText", "DocxGetSectionContent", "DocxGetStyles", "DocxFind"];

impl Document {
    /// Opens a document. Parts that are damaged but not needed for the text are left out; results say so.
    pub fn open(bytes: Arc<[u8]>, limits: Limits) -> Result<Self, Error> {
        Ok(Self { source: Source::open(bytes, limits)?, rendered: OnceLock::new() })
    }

    /// Answers a method of the worker protocol; none when there is no such method.
    ///
    /// Fields that a method does not know are named in the result's `warnings`, as are parts that could
    /// not be read; without any there is no such field.
    pub fn read(&self, method: &str, params: &Value) -> Option<Result<Value, Error>> {
        let mut warnings = Vec::new();
        let result = match method {
            "DocxGetMap" => map::map(self, params, &mut warnings),
            "DocxExtractText" => text::extract(self, params, &mut warnings),
            "DocxGetSectionContent" => content::section(self, params, &mut warnings),
            "DocxGetStyles" => styles::styles(self, params, &mut warnings),
            "DocxFind" => find::find(self, params, &mut warnings),
            _ => return None,
        };
        Some(result.map(|mut value| {
            warnings.splice(0..0, self.source.beside().warnings.iter().cloned());
            if let (Some(object), false) = (value.as_object_mut(), warnings.is_empty()) {
                object.insert("warnings".to_owned(), warnings.into());
            }
            value
        }))
    }

    /// The text as one view shows it.
    fn rendered(&self, options: Options) -> Result<Arc<Rendered>, Error> {
        if options != Options::default() {
            return Ok(Arc::new(render::render(&self.source, options)?));
        }
        if let Some(rendered) = self.rendered.get() {
            return Ok(Arc::clone(rendered));
        }
        let rendered = Arc::new(render::render(&self.source, options)?);
        Ok(Arc::clone(self.rendered.get_or_init(|| rendered)))
    }
}

#[cfg(test)]
mod tests;
