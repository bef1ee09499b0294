//! A file's bytes, the file opened by the reader of its format, and the files that were opened recently.
//!
//! [`File`] is matched by its callers: the formats have too little in common for a trait. The readers of PDF and
//! OpenDocument files still take the parameters of a call as JSON, so they are wrapped here.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use jig_ooxml::xlsx::formula::FormulaEngine;
use jig_ooxml::{Limits, docx, pptx, xlsx};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde_json::Value;

use crate::error::FileError;
use crate::image::ImageFile;
use crate::kind::Format;
use crate::preview::{Kind, Plain};
use crate::text::file::TextFile;
use crate::{odt, pdf};

/// The BLAKE3 hash of a file's content.
pub type ContentHash = [u8; 32];

/// A file's content with its hash, which is computed once however often the content is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileBytes {
    bytes: Arc<[u8]>,
    hash: ContentHash,
}

impl FileBytes {
    /// For a caller that knows the hash of the content.
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

/// An opened file.
pub enum File {
    /// An Excel workbook.
    Xlsx(Arc<xlsx::Workbook>),
    /// A Word document.
    Docx(Box<docx::Document>),
    /// A PowerPoint presentation.
    Pptx(Box<pptx::Deck>),
    /// A PDF file.
    Pdf(PdfFile),
    /// An OpenDocument text.
    Odt(OdtFile),
    /// An image.
    Image(Box<ImageFile>),
    /// Text or code.
    Text(TextFile),
}

impl File {
    /// Opens a file with the reader of a format. An error is in the words of this format.
    pub fn open(format: Format, file: &FileBytes, limits: Limits) -> Result<Self, FileError> {
        let bytes = file.bytes.clone();
        let open = || {
            Ok::<_, FileError>(match format {
                Format::Xlsx => {
                    let book = xlsx::Workbook::open(bytes, limits)?.with_formulas(FormulaEngine::default());
                    Self::Xlsx(Arc::new(book))
                }
                Format::Docx => Self::Docx(Box::new(docx::Document::open(bytes, limits)?)),
                Format::Pptx => Self::Pptx(Box::new(pptx::Deck::open(bytes, limits)?)),
                Format::Odt => Self::Odt(OdtFile(odt::Document::open(bytes, limits)?)),
                Format::Image => Self::Image(Box::new(ImageFile::open(bytes)?)),
                Format::Text => Self::Text(TextFile::open(bytes, &file.hash)?),
                Format::Pdf => Self::Pdf(PdfFile(Box::new(pdf::Document::open(&bytes)?))),
            })
        };
        open().map_err(|error| error.of_file(format, Some(file)))
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Xlsx(_) => "Xlsx",
            Self::Docx(_) => "Docx",
            Self::Pptx(_) => "Pptx",
            Self::Pdf(_) => "Pdf",
            Self::Odt(_) => "Odt",
            Self::Image(_) => "Image",
            Self::Text(_) => "Text",
        })
    }
}

/// An opened PDF file.
pub struct PdfFile(Box<pdf::Document>);

impl PdfFile {
    /// Answers a read method; none for a method that PDF files do not have.
    pub fn read(&self, method: &str, params: &Value) -> Option<Result<Value, FileError>> {
        Some(self.0.read(method, params)?.map_err(FileError::from))
    }

    /// The selected pages and their texts, one at a time as the caller asks for them, and what belongs beside a text.
    pub fn page_texts<T>(
        &self,
        params: &Value,
        read: impl FnOnce(&[usize], &mut dyn FnMut(usize) -> String) -> T,
    ) -> Result<(T, Value), FileError> {
        Ok(self.0.page_texts(params, read)?)
    }
}

/// An opened OpenDocument text.
pub struct OdtFile(odt::Document);

impl OdtFile {
    /// Answers a read method.
    pub fn read(&self, method: &str, params: &Value) -> Result<Value, FileError> {
        self.0.read(method, params)
    }
}

/// A page of a text, laid out plainly, for files that only an office program can draw.
pub fn render_text(text: &str, params: &Value) -> Result<Value, FileError> {
    Ok(Plain::flowing(text, Kind::Page).answer(params)?)
}

/// The same for the texts of slides, each on a page of its own.
pub fn render_slides(texts: &[String], params: &Value) -> Result<Value, FileError> {
    Ok(Plain::one_each(texts, Kind::Slide).answer(params)?)
}

/// The most files that stay open. Packages are small compared with what they unfold to.
const MOST_FILES: u64 = 8;
/// The most bytes of all files that stay open, as they are stored.
const MOST_BYTES: u64 = 48 << 20;

/// Files that were opened recently, by format and content: the next read of one parses nothing.
pub(crate) struct FileCache(Cache<(Format, ContentHash), (u64, Arc<File>), FileWeight>);

/// A file counts at least as an eighth of the whole. One that is larger than the whole still fits by itself, as opening
/// it again is what costs most.
#[derive(Clone)]
struct FileWeight;

impl Weighter<(Format, ContentHash), (u64, Arc<File>)> for FileWeight {
    fn weight(&self, _: &(Format, ContentHash), (bytes, _): &(u64, Arc<File>)) -> u64 {
        // The cache does not admit an entry that outweighs its protected part, which is a little over nine tenths.
        (*bytes).clamp(MOST_BYTES / MOST_FILES, MOST_BYTES / 10 * 9)
    }
}

impl Default for FileCache {
    fn default() -> Self {
        Self(Cache::with_weighter(MOST_FILES as usize, MOST_BYTES, FileWeight))
    }
}

impl fmt::Debug for FileCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileCache").field("files", &self.0.len()).finish()
    }
}

impl FileCache {
    /// The file of this content, opened. Two calls on the same file at the same time open it once.
    pub(crate) fn open(&self, format: Format, file: &FileBytes, limits: Limits) -> Result<Arc<File>, FileError> {
        let size = file.len() as u64;
        let open = || Ok::<_, FileError>((size, Arc::new(File::open(format, file, limits)?)));
        Ok(self.0.get_or_insert_with(&(format, file.hash), open)?.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(cache: &FileCache, bytes: &[u8]) -> Arc<File> {
        cache.open(Format::Text, &bytes.into(), Limits::default()).unwrap()
    }

    #[test]
    fn a_file_is_opened_once_while_it_is_among_the_last() {
        let cache = FileCache::default();
        let first = open(&cache, b"one");
        assert!(Arc::ptr_eq(&first, &open(&cache, b"one")));
        for number in 0..100_u32 {
            open(&cache, number.to_string().as_bytes());
        }
        assert!(cache.0.len() <= 8);
    }

    #[test]
    fn a_file_larger_than_the_cache_stays_open_too() {
        let cache = FileCache::default();
        let large = vec![b'x'; MOST_BYTES as usize + 1];
        assert!(Arc::ptr_eq(&open(&cache, &large), &open(&cache, &large)));
    }

    #[test]
    fn a_file_that_cannot_be_opened_is_not_remembered() {
        let cache = FileCache::default();
        let file = FileBytes::from(&b"\x89PNG\r\n\x1a\n"[..]);
        for _ in 0..2 {
            assert!(cache.open(Format::Text, &file, Limits::default()).is_err());
        }
        assert_eq!(cache.0.len(), 0);
    }
}
