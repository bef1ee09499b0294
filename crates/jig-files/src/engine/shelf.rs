//! Files that were read lately, kept open by their content: the next read of one costs no parsing.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use jig_ooxml::xlsx::formula::FormulaEngine;
use jig_ooxml::{Limits, docx, pptx, xlsx};

use super::error::FileError;
use super::method::Format;
use crate::image::ImageFile;
use crate::odt;
use crate::pdf;
use crate::text::file::TextFile;

/// An opened file.
pub(super) enum Opened {
    Xlsx(Arc<xlsx::Workbook>),
    Docx(Box<docx::Document>),
    Pptx(pptx::Deck),
    Odt(odt::Document),
    Image(ImageFile),
    Text(TextFile),
    Pdf(Box<pdf::Document>),
}

impl Opened {
    fn open(format: Format, bytes: Arc<[u8]>, limits: Limits) -> Result<Self, FileError> {
        Ok(match format {
            Format::Xlsx => {
                let book = xlsx::Workbook::open(bytes, limits)?.with_formulas(FormulaEngine::default());
                Self::Xlsx(Arc::new(book))
            }
            Format::Docx => Self::Docx(Box::new(docx::Document::open(bytes, limits)?)),
            Format::Pptx => Self::Pptx(pptx::Deck::open(bytes, limits)?),
            Format::Odt => Self::Odt(odt::Document::open(bytes, limits)?),
            Format::Image => Self::Image(ImageFile::open(bytes)?),
            Format::Text => Self::Text(TextFile::open(bytes)?),
            Format::Pdf => Self::Pdf(Box::new(pdf::Document::open(&bytes)?)),
        })
    }
}

/// A file's content as a key.
pub(super) type Hash = [u8; 32];

struct Kept {
    key: (Format, Hash),
    bytes: usize,
    opened: Arc<Opened>,
}

/// The newest first, within bounds.
#[derive(Default)]
pub(super) struct Shelf {
    kept: Mutex<VecDeque<Kept>>,
}

impl std::fmt::Debug for Shelf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).len();
        f.debug_struct("Shelf").field("kept", &kept).finish()
    }
}

/// Packages are small beside what they unfold to, so few are kept.
const MOST: usize = 8;
const MOST_BYTES: usize = 48 << 20;

impl Shelf {
    /// The file of this content, opened.
    pub(super) fn open(
        &self,
        format: Format,
        bytes: &Arc<[u8]>,
        limits: Limits,
    ) -> Result<(Hash, Arc<Opened>), FileError> {
        let hash = *blake3::hash(bytes).as_bytes();
        let key = (format, hash);
        if let Some(opened) = self.take(&key) {
            return Ok((hash, opened));
        }
        let opened = Arc::new(Opened::open(format, bytes.clone(), limits)?);
        self.put(Kept { key, bytes: bytes.len(), opened: opened.clone() });
        Ok((hash, opened))
    }

    fn take(&self, key: &(Format, Hash)) -> Option<Arc<Opened>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|one| one.key == *key)?;
        let one = kept.remove(at)?;
        let opened = one.opened.clone();
        kept.push_front(one);
        Some(opened)
    }

    fn put(&self, one: Kept) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_front(one);
        while kept.len() > MOST || (kept.len() > 1 && kept.iter().map(|one| one.bytes).sum::<usize>() > MOST_BYTES) {
            kept.pop_back();
        }
    }
}
