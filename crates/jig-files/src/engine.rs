//! Files opened, edited, created, compared and reverted, in all formats: bytes in, values and bytes out.
//!
//! Reads are methods of the opened [`File`] and its formats. Ops and assets come in as JSON, because each is
//! parsed against its definition where it is applied, and the reply about a comparison goes out as JSON.

use std::fmt;
use std::sync::Arc;

use jig_file_api::ops::docx::DocxOp;
use jig_file_api::ops::pptx::PptxOp;
use jig_file_api::ops::text::TextOp;
use jig_file_api::ops::xlsx::XlsxOp;
use jig_file_api::{OpSet, Strictness};
use jig_ooxml::edit::{Applied, ApplyOptions, CellChanges, OpReport, StaleCell};
use jig_ooxml::xlsx::formula::FormulaEngine;
use jig_ooxml::{Error, Limits, PartChange, docx, pptx, xlsx};
use quick_cache::sync::Cache;
use serde_json::Value;

pub use crate::error::{FileError, Reason};
pub use crate::kind::Format;
pub use jig_ooxml::edit::OpHelp;

use crate::diff::revert::{self, Reverted};
use crate::diff::{Diff, diff, view};
use crate::file::{ContentHash, File, FileBytes, FileCache};
use crate::kind::FileKind;
use crate::sniff::{Complete, sniff};

/// The file engine, with the files and comparisons that it has opened recently.
#[derive(Debug)]
pub struct Engine {
    limits: Limits,
    files: FileCache,
    diffs: DiffCache,
}

impl Default for Engine {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl Engine {
    /// An engine that refuses files beyond these limits.
    pub fn new(limits: Limits) -> Self {
        Self { limits, files: FileCache::default(), diffs: DiffCache::default() }
    }

    /// A file, opened. An error is in the words of the format.
    pub fn open(&self, format: Format, file: &FileBytes) -> Result<Arc<File>, FileError> {
        self.files.open(format, file, self.limits)
    }

    /// A workbook, opened.
    pub fn workbook(&self, file: impl Into<FileBytes>) -> Result<Arc<xlsx::Workbook>, FileError> {
        match &*self.open(Format::Xlsx, &file.into())? {
            File::Xlsx(book) => Ok(book.clone()),
            _ => Err(FileError::new(Reason::Internal, "internal error: a workbook was opened as another format")),
        }
    }

    /// Reads something of a workbook.
    pub fn read_workbook<T>(
        &self,
        file: impl Into<FileBytes>,
        read: impl FnOnce(&xlsx::Workbook) -> Result<T, Error>,
    ) -> Result<T, FileError> {
        let file = file.into();
        let book = self.workbook(&file)?;
        read(&book).map_err(|error| FileError::from(error).of_file(Format::Xlsx, Some(&file)))
    }

    /// Applies a list of ops to a file, or to a new one. All of them are applied, or none.
    #[expect(clippy::needless_pass_by_value, reason = "callers have no other use for the bytes")]
    pub fn apply(
        &self,
        format: Format,
        source: Option<FileBytes>,
        ops: &Value,
        options: &EditOptions<'_>,
    ) -> Result<Edited, FileError> {
        let formulas = FormulaEngine::default();
        let engine = ApplyOptions {
            limits: self.limits,
            author: options.author,
            now: options.now,
            formulas: Some(&formulas),
            recalculate_workbook: options.recalculate_workbook,
            allow_outside_formulas: options.allow_outside_formulas,
            files: options.files,
            strictness: options.strictness,
            must_exist: options.must_exist,
            texts_are_meant: options.texts_are_meant,
        };
        let before = source.as_ref();
        let bytes = before.map(|source| source.shared().clone());
        let of_file = |error: Error| FileError::from(error).of_file(format, before.map(|file| &**file));
        let applied = match format {
            Format::Xlsx => xlsx::apply(bytes, ops, &engine).map_err(of_file)?,
            Format::Docx => docx::apply(bytes, ops, &engine).map_err(of_file)?,
            Format::Pptx => pptx::apply(bytes, ops, &engine).map_err(of_file)?,
            Format::Text => crate::text::edit::apply(bytes.as_deref(), ops)?,
            Format::Pdf | Format::Odt | Format::Image => return Err(read_only(format)),
        };
        Ok(Edited::new(before, applied))
    }

    /// A new, empty file of a format that has ops.
    pub fn blank(&self, format: Format, now: Option<&str>) -> Result<Vec<u8>, FileError> {
        let options = ApplyOptions { limits: self.limits, now, ..ApplyOptions::default() };
        Ok(match format {
            Format::Xlsx => xlsx::blank(&options)?,
            Format::Docx => docx::blank(&options)?,
            Format::Pptx => pptx::blank(&options)?,
            Format::Text => Vec::new(),
            Format::Pdf | Format::Odt | Format::Image => return Err(read_only(format)),
        })
    }

    /// Copies styles, images and the like from one file into another, or into a new one.
    #[expect(clippy::needless_pass_by_value, reason = "callers have no other use for the bytes")]
    pub fn copy_assets(
        &self,
        format: Format,
        source: FileBytes,
        target: Option<FileBytes>,
        assets: &Value,
        options: &EditOptions<'_>,
    ) -> Result<Edited, FileError> {
        let engine = ApplyOptions {
            limits: self.limits,
            now: options.now,
            must_exist: options.must_exist,
            strictness: options.strictness,
            ..ApplyOptions::default()
        };
        // Both are opened first, so that an error about a damaged file is about the right one.
        self.open(format, &source)?;
        if let Some(target) = &target {
            self.open(format, target)?;
        }
        let (from, into) = (source.shared().clone(), target.as_ref().map(|target| target.shared().clone()));
        let of_file = |error: Error| FileError::from(error).of_file(format, None);
        let applied = match format {
            Format::Xlsx => xlsx::copy_assets(from, into, assets, &engine).map_err(of_file)?,
            Format::Docx => docx::copy_assets(from, into, assets, &engine).map_err(of_file)?,
            Format::Pptx => pptx::copy_assets(from, into, assets, &engine).map_err(of_file)?,
            Format::Pdf | Format::Odt | Format::Image | Format::Text => return Err(read_only(format)),
        };
        Ok(Edited::new(target.as_ref(), applied))
    }

    /// A copy of a file for LibreOffice to render, without any reference to the outside. A file that this engine refuses
    /// to read is refused here too.
    pub fn render_copy(&self, format: Format, file: impl Into<FileBytes>) -> Result<Vec<u8>, FileError> {
        let file = file.into();
        self.open(format, &file)?;
        crate::render_copy::copy_for_rendering(format, file.shared(), self.limits)
    }

    /// How two versions differ. The next page of a comparison compares nothing.
    pub fn compare(&self, versions: &Versions) -> Result<Arc<Diff>, FileError> {
        let hash = |side: &Option<FileBytes>| side.as_ref().map(|file| *file.hash());
        let kinds = versions.kinds();
        let key = DiffKey { kinds, old: hash(&versions.old), new: hash(&versions.new) };
        let compare = || Ok(Arc::new(diff(kinds.0, kinds.1, versions.old.as_deref(), versions.new.as_deref())));
        self.diffs.0.get_or_insert_with(&key, compare)
    }

    /// The reply about a comparison.
    pub fn diff(&self, versions: &Versions, query: DiffQuery) -> Result<Value, FileError> {
        let diff = self.compare(versions)?;
        let page = query.page;
        let mut reply = if query.overview {
            view::overview(&diff)
        } else {
            let none = |pages| FileError::invalid(format!("there is no page {page}; the diff has pages 1 to {pages}"));
            view::answer(&diff, page).map_err(none)?
        };
        if query.marks {
            reply["marks"] = view::marks(&diff);
        }
        Ok(reply)
    }

    /// The new version with some of its changes reverted.
    pub fn revert(&self, versions: &Versions, changes: &RevertSelection) -> Result<Reverted, FileError> {
        let missing = || FileError::new(Reason::NotFound, "both versions of the file are needed");
        let old = versions.old.as_ref().ok_or_else(missing)?;
        let new = versions.new.as_ref().ok_or_else(missing)?;
        let diff = self.compare(versions)?;
        let ids = match changes {
            RevertSelection::All => &revert::all_ids(&diff),
            RevertSelection::Ids(ids) => ids,
        };
        let both = revert::Versions { kinds: versions.kinds(), old: old.shared(), new: new.shared(), diff: &diff };
        revert::revert(self, &both, ids)
    }

    /// The names of the ops of a format.
    pub fn ops(format: Format) -> Vec<&'static str> {
        match format {
            Format::Xlsx => XlsxOp::names(),
            Format::Docx => DocxOp::names(),
            Format::Pptx => PptxOp::names(),
            Format::Text => TextOp::names(),
            Format::Pdf | Format::Odt | Format::Image => Vec::new(),
        }
    }
}

/// No method leads here; a caller that finds another way gets an error.
fn read_only(format: Format) -> FileError {
    FileError::invalid(format!("{} files have no such edits", format.prefix()))
}

/// The options of an edit, besides its files.
#[derive(Clone, Copy)]
pub struct EditOptions<'a> {
    /// The author of tracked changes.
    pub author: &'a str,
    /// The time of tracked changes, RFC 3339 in UTC.
    pub now: Option<&'a str>,
    /// Whether formulas that the edit does not affect are computed too, where the file has no value to trust.
    pub recalculate_workbook: bool,
    /// Whether new formulas may refer to data outside the workbook.
    pub allow_outside_formulas: bool,
    /// The bytes of another file of the workbench.
    pub files: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// What happens to fields that an op does not have.
    pub strictness: Strictness,
    /// Whether sheets that ops name must exist; else they are created.
    pub must_exist: bool,
    /// Whether texts that look like numbers are intended, so that no warning is needed.
    pub texts_are_meant: bool,
}

impl Default for EditOptions<'_> {
    fn default() -> Self {
        Self {
            author: "Jig",
            now: None,
            recalculate_workbook: false,
            allow_outside_formulas: false,
            files: &|_| None,
            strictness: Strictness::default(),
            must_exist: false,
            texts_are_meant: false,
        }
    }
}

/// The outcome of an edit.
#[derive(Debug, Clone)]
pub struct Edited {
    /// The new file.
    pub bytes: Vec<u8>,
    /// What each op changed.
    pub changes: Vec<OpReport>,
    /// What was skipped, and what a user should know.
    pub warnings: Vec<String>,
    /// Formula cells without an up-to-date value.
    pub stale: Vec<StaleCell>,
    /// Whether the file did not exist before.
    pub created_file: bool,
    /// Sheets that ops named and that were created.
    pub created_sheets: Vec<String>,
    /// Cells of a workbook with another value than before.
    pub cells: CellChanges,
    /// The parts of a package that differ.
    pub parts: Vec<PartChange>,
    /// The hash of the old content, in hexadecimal digits; none for a new file.
    pub hash_before: Option<String>,
    /// The hash of the new content.
    pub hash_after: String,
}

impl Edited {
    fn new(source: Option<&FileBytes>, applied: Applied) -> Self {
        let Applied { bytes, changes, warnings, parts, created_sheets, stale, cells } = applied;
        let hash_before = source.map(FileBytes::hash_text);
        let hash_after = blake3::hash(&bytes).to_hex().to_string();
        let created_file = false;
        Self { bytes, changes, warnings, stale, created_file, created_sheets, cells, parts, hash_before, hash_after }
    }
}

/// Two versions of a file. Without bytes, the file does not exist on that side.
#[derive(Debug, Clone, Default)]
pub struct Versions {
    /// A name with the file's ending, which chooses among kinds of text.
    pub name: String,
    /// Before.
    pub old: Option<FileBytes>,
    /// After.
    pub new: Option<FileBytes>,
}

impl Versions {
    fn kinds(&self) -> (FileKind, FileKind) {
        let kind = |bytes: &Option<FileBytes>| {
            let bytes = bytes.as_deref().unwrap_or_default();
            sniff(&self.name, bytes, Complete::Whole).kind
        };
        (kind(&self.old), kind(&self.new))
    }
}

/// What is reported of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffQuery {
    /// The page, from 1.
    pub page: u32,
    /// Only the summary, without any page.
    pub overview: bool,
    /// The id and the mark of every change too.
    pub marks: bool,
}

impl Default for DiffQuery {
    fn default() -> Self {
        Self { page: 1, overview: false, marks: false }
    }
}

/// Which changes are reverted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RevertSelection {
    /// Every change that can be reverted by itself.
    All,
    /// The changes with these ids.
    Ids(Vec<String>),
}

/// Comparisons that were made recently.
struct DiffCache(Cache<DiffKey, Arc<Diff>>);

/// The content of both sides, and what it was read as: the name of a file also decides whether it is a table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct DiffKey {
    kinds: (FileKind, FileKind),
    old: Option<ContentHash>,
    new: Option<ContentHash>,
}

/// How many comparisons are remembered.
const MOST_DIFFS: usize = 4;

impl Default for DiffCache {
    fn default() -> Self {
        Self(Cache::new(MOST_DIFFS))
    }
}

impl fmt::Debug for DiffCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DiffCache").field("diffs", &self.0.len()).finish()
    }
}
