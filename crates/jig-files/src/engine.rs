//! Files behind the methods of the worker protocol: bytes and parameters in, JSON and bytes out.

mod compare;
mod error;
mod method;
mod office;
mod page;
mod receipt;
mod render;
mod workbook;

use std::sync::Arc;

use jig_file_api::ops::docx::DocxOp;
use jig_file_api::ops::pptx::PptxOp;
use jig_file_api::ops::text::TextOp;
use jig_file_api::ops::xlsx::XlsxOp;
use jig_file_api::{OpIssue, OpSet, Strictness, Warning};
use jig_ooxml::edit::{Applied, ApplyOptions};
use jig_ooxml::xlsx::formula::FormulaEngine;
use jig_ooxml::{Error, Limits, docx, pptx, xlsx};
use serde_json::{Map, Value, json};

pub use compare::Versions;
pub use error::{FileError, Reason};
pub use jig_ooxml::edit::OpHelp;
pub use method::{Format, Method, Verb};
pub use receipt::Edited;

use crate::file::{File, FileBytes, FileCache};

/// The file engine with what it remembers of files it has read.
#[derive(Debug)]
pub struct Engine {
    limits: Limits,
    files: FileCache,
    diffs: compare::DiffCache,
}

/// What an edit may use besides the files. See [`ApplyOptions`] for the parts of the engine's own.
#[derive(Clone, Copy)]
pub struct EditOptions<'a> {
    /// Whose name tracked changes carry.
    pub author: &'a str,
    /// The time they carry, RFC 3339 in UTC.
    pub now: Option<&'a str>,
    /// Whether formulas that the edit does not affect get a computed value too, where the file has none to trust.
    pub recalculate_workbook: bool,
    /// Whether new formulas may reach outside the workbook.
    pub allow_outside_formulas: bool,
    /// The bytes of another file of the workbench.
    pub files: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// What happens to fields that an op does not have.
    pub strictness: Strictness,
    /// Whether sheets that ops name must be there; else they are created.
    pub must_exist: bool,
    /// Whether texts that look like numbers are meant as texts, so that no warning is needed.
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

impl Default for Engine {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl Engine {
    /// An engine with these bounds.
    pub fn new(limits: Limits) -> Self {
        Self { limits, files: FileCache::default(), diffs: compare::DiffCache::default() }
    }

    /// Answers a read method. With `max_tokens` or `cursor` among the parameters, text comes in pages.
    pub fn read(&self, method: Method, bytes: impl Into<FileBytes>, params: &Value) -> Result<Value, FileError> {
        let bytes = bytes.into();
        let (params, warnings) = jig_file_api::read_params(method.name, params).map_err(invalid_params)?;
        let file = self.open(method.format, &bytes)?;
        let mut answer = match page::PageWindow::of(&params)? {
            Some(window) if method.gives_text() => page::read(&file, method, &params, &window, bytes.hash()),
            _ => file.read(method.name, &params),
        }
        .map_err(|error| error.of_file(method.format, Some(&bytes)))?;
        add_warnings(&mut answer, &warnings);
        Ok(answer)
    }

    /// Carries out a list of ops, on a file or on a new one.
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
        let told = |error: Error| FileError::from(error).of_file(format, before.map(|file| &**file));
        let source = before.map(|source| source.shared().clone());
        let applied = match format {
            Format::Xlsx => xlsx::apply(source, ops, &engine).map_err(told)?,
            Format::Docx => docx::apply(source, ops, &engine).map_err(told)?,
            Format::Pptx => pptx::apply(source, ops, &engine).map_err(told)?,
            Format::Text => crate::text::edit::apply(source.as_deref(), ops)?,
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
        // A file that cannot be opened is reported before anything is copied, so that it is known which of the two it is.
        self.open(format, &source)?;
        if let Some(target) = &target {
            self.open(format, target)?;
        }
        let (source, into) = (source.shared().clone(), target.as_ref().map(|target| target.shared().clone()));
        let told = |error: Error| FileError::from(error).of_file(format, None);
        let applied: Applied = match format {
            Format::Xlsx => xlsx::copy_assets(source, into, assets, &engine).map_err(told)?,
            Format::Docx => docx::copy_assets(source, into, assets, &engine).map_err(told)?,
            Format::Pptx => pptx::copy_assets(source, into, assets, &engine).map_err(told)?,
            Format::Pdf | Format::Odt | Format::Image | Format::Text => return Err(read_only(format)),
        };
        Ok(Edited::new(target.as_ref(), applied))
    }

    /// A copy of a file for LibreOffice to draw, without anything that leads out of it. A file that this engine refuses
    /// to read is refused here too.
    pub fn render_copy(&self, format: Format, bytes: impl Into<FileBytes>) -> Result<Vec<u8>, FileError> {
        let bytes = bytes.into();
        self.open(format, &bytes)?;
        crate::render_copy::copy_for_rendering(format, bytes.shared(), self.limits)
    }

    /// A workbook, opened, for typed reads.
    pub fn workbook(&self, bytes: impl Into<FileBytes>) -> Result<Arc<xlsx::Workbook>, FileError> {
        match &*self.open(Format::Xlsx, &bytes.into())? {
            File::Xlsx(book) => Ok(book.clone()),
            _ => Err(unknown("XlsxGetMap")),
        }
    }

    /// Reads something of a workbook.
    pub fn read_workbook<T>(
        &self,
        bytes: impl Into<FileBytes>,
        read: impl FnOnce(&xlsx::Workbook) -> Result<T, Error>,
    ) -> Result<T, FileError> {
        let bytes = bytes.into();
        let book = self.workbook(&bytes)?;
        read(&book).map_err(|error| FileError::from(error).of_file(Format::Xlsx, Some(&bytes)))
    }

    fn open(&self, format: Format, bytes: &FileBytes) -> Result<Arc<File>, FileError> {
        self.files.open(format, bytes, self.limits)
    }

    /// The names of the ops that a format knows.
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

impl File {
    fn read(&self, method: &str, params: &Value) -> Result<Value, FileError> {
        if let Some(answer) = render::plain(self, method, params) {
            return answer;
        }
        match self {
            Self::Xlsx(book) => workbook::read(book, method, params),
            Self::Docx(document) => office::read_document(document, method, params),
            Self::Pptx(deck) => office::read_deck(deck, method, params),
            Self::Pdf(document) => Ok(document.read(method, params).ok_or_else(|| unknown(method))??),
            Self::Odt(document) => document.read(method, params),
            Self::Image(image) => image.read(method, params),
            Self::Text(text) => text.read(method, params),
        }
    }
}

/// An issue of the parameters of a call.
#[expect(clippy::needless_pass_by_value, reason = "a function for `map_err`")]
pub fn invalid_params(issue: OpIssue) -> FileError {
    FileError { suggestions: issue.suggestions(), ..FileError::invalid(issue.to_string()) }
}

/// Puts what was understood in another way than it was written before the other warnings of an answer.
pub fn add_warnings(answer: &mut Value, warnings: &[Warning]) {
    let (Some(answer), false) = (answer.as_object_mut(), warnings.is_empty()) else { return };
    let own = answer.get("warnings").and_then(Value::as_array).cloned().unwrap_or_default();
    let all: Vec<Value> = warnings.iter().map(|warning| warning.to_string().into()).chain(own).collect();
    answer.insert("warnings".to_owned(), all.into());
}

fn unknown(method: &str) -> FileError {
    FileError::invalid(format!("unknown method: {method}"))
}

/// No method leads here; a caller who finds another way gets an error.
fn read_only(format: Format) -> FileError {
    FileError::invalid(format!("{} files have no such edits", format.prefix()))
}

/// The answer of a method that copies, in the protocol's words.
pub fn copied(edited: &Edited) -> Value {
    let copied: Vec<Value> = edited.changes.iter().map(|change| Value::Object(change.details.clone())).collect();
    let mut answer = Map::from_iter([
        ("ok".to_owned(), Value::Bool(true)),
        ("copied_count".to_owned(), json!(copied.len())),
        ("copied".to_owned(), Value::Array(copied)),
    ]);
    answer.extend(edited.common());
    Value::Object(answer)
}

/// The answer of a method that applies ops.
pub fn applied(edited: &Edited) -> Value {
    let mut answer =
        Map::from_iter([("ok".to_owned(), Value::Bool(true)), ("changes".to_owned(), json!(edited.changes))]);
    answer.extend(edited.common());
    Value::Object(answer)
}
