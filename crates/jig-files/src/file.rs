//! A file's bytes, the file opened by its format's reader, and the files that were opened recently.

use std::ops::Deref;
use std::sync::Arc;

use jig_ooxml::xlsx::formula::FormulaEngine;
use jig_ooxml::{Limits, docx, pptx, xlsx};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::engine::{FileError, Format};
use crate::image::ImageFile;
use crate::odt;
use crate::pdf;
use crate::text::file::TextFile;

/// The BLAKE3 hash of a file's content.
pub type ContentHash = [u8; 32];

/// A file's content with its hash, which is computed once however often the content is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileBytes {
    bytes: Arc<[u8]>,
    hash: ContentHash,
}

impl FileBytes {
    /// For a caller that has hashed the content already.
    pub fn with_hash(bytes: Arc<[u8]>, hash: ContentHash) -> Self {
        Self { bytes, hash }
    }

    /// The content, shared.
    pub fn shared(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// The hash of the content.
    pub const fn hash(&self) -> &ContentHash {
        &self.hash
    }

    /// The hash as receipts have it: lower-case hexadecimal digits.
    pub(crate) fn hash_text(&self) -> String {
        blake3::Hash::from_bytes(self.hash).to_hex().to_string()
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl From<Arc<[u8]>> for FileBytes {
    fn from(bytes: Arc<[u8]>) -> Self {
        let hash = *blake3::hash(&bytes).as_bytes();
        Self { bytes, hash }
    }
}

impl From<&Arc<[u8]>> for FileBytes {
    fn from(bytes: &Arc<[u8]>) -> Self {
        bytes.clone().into()
    }
}

impl From<&[u8]> for FileBytes {
    fn from(bytes: &[u8]) -> Self {
        Arc::<[u8]>::from(bytes).into()
    }
}

impl From<Vec<u8>> for FileBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Arc::<[u8]>::from(bytes).into()
    }
}

impl From<&Self> for FileBytes {
    fn from(file: &Self) -> Self {
        file.clone()
    }
}

/// An opened file. Formats differ too much for a common trait: callers match.
pub(crate) enum File {
    Xlsx(Arc<xlsx::Workbook>),
    Docx(Box<docx::Document>),
    Pptx(pptx::Deck),
    Odt(odt::Document),
    Image(ImageFile),
    Text(TextFile),
    Pdf(Box<pdf::Document>),
}

impl File {
    /// Opens a file with the reader of a format. The error is in the words of this format.
    pub(crate) fn open(format: Format, file: &FileBytes, limits: Limits) -> Result<Self, FileError> {
        Self::open_shared(format, file.bytes.clone(), limits).map_err(|error| error.of_file(format, Some(file)))
    }

    fn open_shared(format: Format, bytes: Arc<[u8]>, limits: Limits) -> Result<Self, FileError> {
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

/// The most files that stay open. Packages are small compared with what they unfold to.
const MOST_FILES: u64 = 8;
/// The most bytes of all files that stay open, as they are stored.
const MOST_BYTES: u64 = 48 << 20;

/// Files that were opened recently, by format and content: the next read of one parses nothing.
pub(crate) struct FileCache(Cache<(Format, ContentHash), (u64, Arc<File>), FileWeight>);

/// A file counts at least as an eighth of the whole. One that is larger than the whole still fits by itself, as reading
/// it again is what costs most.
#[derive(Clone)]
struct FileWeight;

impl Weighter<(Format, ContentHash), (u64, Arc<File>)> for FileWeight {
    fn weight(&self, _: &(Format, ContentHash), (bytes, _): &(u64, Arc<File>)) -> u64 {
        // The library refuses what is larger than nine tenths and a little more.
        (*bytes).clamp(MOST_BYTES / MOST_FILES, MOST_BYTES / 10 * 9)
    }
}

impl Default for FileCache {
    fn default() -> Self {
        Self(Cache::with_weighter(MOST_FILES as usize, MOST_BYTES, FileWeight))
    }
}

impl std::fmt::Debug for FileCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileCache").field("files", &self.0.len()).finish()
    }
}

impl FileCache {
    /// The file of this content, opened.
    pub(crate) fn open(&self, format: Format, file: &FileBytes, limits: Limits) -> Result<Arc<File>, FileError> {
        let size = file.len() as u64;
        let open = || Ok::<_, FileError>((size, Arc::new(File::open(format, file, limits)?)));
        Ok(self.0.get_or_insert_with(&(format, file.hash), open)?.1)
    }
}
