//! PDF files: metadata, text in reading order, pages as images, and new files made from them.

mod annotation;
pub mod edit;
mod error;
mod find;
mod form;
mod guard;
mod info;
mod outline;
mod pages;
mod render;
mod text;
mod words;

use std::collections::HashMap;
use std::sync::Arc;

use hayro::hayro_syntax::object::{Dict, ObjectIdentifier};
use hayro::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use serde_json::{Value, json};

pub(crate) use error::PdfError;
pub(crate) use render::Raster;

/// How many pages a chunk of the map has.
const CHUNK_PAGES: usize = 5;

/// An opened PDF file.
pub(crate) struct Document {
    pdf: Pdf,
    encrypted: bool,
    /// What a reader should know about the state of the file.
    warnings: Vec<String>,
}

impl Document {
    /// Opens a file; one that is encrypted opens when its user password is empty.
    pub(crate) fn open(bytes: &Arc<[u8]>) -> Result<Self, PdfError> {
        let seen = guard::look(bytes)?;
        let pdf = Pdf::new(Arc::new(bytes.clone())).map_err(|error| match error {
            LoadPdfError::Decryption(DecryptionError::PasswordProtected) => PdfError::Password,
            LoadPdfError::Decryption(_) => PdfError::Encryption,
            LoadPdfError::Invalid if seen.encrypted => PdfError::Password,
            LoadPdfError::Invalid => PdfError::Damaged,
        })?;
        if pdf.pages().is_empty() {
            return Err(PdfError::NoPages);
        }
        if seen.encrypted {
            guard::objects(&pdf)?;
        }
        Ok(Self { pdf, encrypted: seen.encrypted, warnings: seen.warnings })
    }

    pub(crate) fn page_count(&self) -> usize {
        self.pdf.pages().len()
    }

    /// Answers a method of the protocol; none for one that is not for PDF files.
    pub(crate) fn read(&self, method: &str, params: &Value) -> Option<Result<Value, PdfError>> {
        Some(match method {
            "PdfGetMap" => Ok(self.map()),
            "PdfGetInfo" => Ok(self.info()),
            "PdfExtractText" => self.extract_text(params),
            "PdfFind" => self.find(params),
            "PdfRenderPage" => crate::preview::answer(self, params),
            _ => return None,
        })
    }

    /// The text of every page in reading order, and what could not be read of them.
    pub(crate) fn all_pages(&self) -> (Vec<String>, Vec<String>) {
        let mut reader = text::Reader::new(self);
        let texts = (0..self.page_count()).map(|page| reader.page(page)).collect();
        (texts, self.warnings.iter().chain(reader.warnings()).cloned().collect())
    }

    pub(crate) fn info(&self) -> Value {
        json!({
            "page_count": self.page_count(),
            "metadata": info::metadata(&self.pdf),
            "version": info::version(&self.pdf),
            "encrypted": self.encrypted,
            "warnings": self.warnings,
        })
    }

    fn map(&self) -> Value {
        let mut warnings = self.warnings.clone();
        let places = self.places();
        let toc = outline::read(self, &places, &mut warnings);
        let forms = form::read(self, &places, &mut warnings);
        let annotations = annotation::read(self, &mut warnings);
        let bare = text::pages_without_text(self);
        let mut map = self.info();
        map["has_toc"] = (!toc.is_empty()).into();
        map["toc"] = json!(toc);
        map["has_forms"] = (!forms.is_empty()).into();
        map["forms"] = json!(forms);
        map["has_annotations"] = (!annotations.is_empty()).into();
        map["annotations"] = json!(annotations);
        map["pages_without_text"] = json!(bare);
        map["chunks"] = json!(pages::chunks(self.page_count()));
        map["warnings"] = json!(warnings);
        map
    }

    fn extract_text(&self, params: &Value) -> Result<Value, PdfError> {
        let wanted = pages::selected_pages(params, self.page_count())?;
        let mut reader = text::Reader::new(self);
        let parts: Vec<String> = wanted.iter().map(|page| reader.headed_page(*page)).collect();
        let mut answer = json!({ "text": parts.concat(), "page_count": self.page_count() });
        self.tell(&mut answer, params, &wanted, reader.warnings());
        Ok(answer)
    }

    /// The metadata of a text: the chunk it comes from, and what could not be read.
    fn tell(&self, answer: &mut Value, params: &Value, wanted: &[usize], found: &[String]) {
        if let Some(info) = pages::chunk_info(params, wanted, self.page_count()) {
            answer["chunk_info"] = info;
        }
        let warnings: Vec<&String> = self.warnings.iter().chain(found).collect();
        if !warnings.is_empty() {
            answer["warnings"] = json!(warnings);
        }
    }

    /// The text of one page after another, as a caller that pages through them wants it.
    pub(crate) fn page_texts<T>(
        &self,
        params: &Value,
        read: impl FnOnce(&[usize], &mut dyn FnMut(usize) -> String) -> T,
    ) -> Result<(T, Value), PdfError> {
        let wanted = pages::selected_pages(params, self.page_count())?;
        let mut reader = text::Reader::new(self);
        let given = read(&wanted, &mut |page| reader.headed_page(page));
        let mut beside = json!({ "page_count": self.page_count() });
        self.tell(&mut beside, params, &wanted, reader.warnings());
        Ok((given, beside))
    }

    fn root(&self) -> Dict<'_> {
        let xref = self.pdf.xref();
        xref.get::<Dict<'_>>(xref.root_id()).unwrap_or_default()
    }

    /// On which page, from 1, each page object is.
    fn places(&self) -> HashMap<ObjectIdentifier, usize> {
        let pages = self.pdf.pages().iter().enumerate();
        pages.filter_map(|(index, page)| Some((page.raw().obj_id()?, index + 1))).collect()
    }
}
