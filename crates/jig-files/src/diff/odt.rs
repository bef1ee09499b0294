//! Two OpenDocument texts: paragraphs and rows of tables by section, notes, headers and footers.

use std::sync::Arc;

use jig_ooxml::Limits;

use super::inside::{InsideDiff, InsideFormat};
use super::reading;
use crate::engine::FileError;
use crate::odt::Document;

/// Compares two texts.
pub(super) fn compare(old: &[u8], new: &[u8]) -> Result<InsideDiff, FileError> {
    let open = |bytes: &[u8]| Document::open(Arc::from(bytes), Limits::default());
    let (before, after) = (open(old)?, open(new)?);
    let mut diff = InsideDiff::new(InsideFormat::Odt);
    reading::compare(&before.pieces(), &after.pieces(), "OpenDocument texts are read and not written", &mut diff);
    for (side, document) in [("before", &before), ("after", &after)] {
        document.warnings().iter().for_each(|warning| diff.note(format!("{side}: {warning}")));
    }
    if diff.is_unchanged() && old != new {
        diff.note("the text is the same; formats, styles and pictures are not compared");
    }
    Ok(diff.finish())
}
