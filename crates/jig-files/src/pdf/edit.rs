//! New PDF files from existing ones: filled forms, and pages that are merged, extracted, deleted, reordered and rotated.
//! The source is never changed.

mod forms;
mod page_tree;

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use jig_file_api::ops::pdf::{Merge, PdfOp, RotatePages};
use jig_file_api::{Strictness, parse_ops};
use lopdf::{Document, LoadOptions, Object, ObjectId};
use serde_json::Value;

use super::error::PdfError;
use page_tree::PageTree;

/// The most pages of a new file.
const MOST_PAGES: usize = 20_000;
/// The most files of one merge.
const MOST_FILES: usize = 100;
/// The most bytes of all files of a merge.
const MOST_BYTES: usize = 512 << 20;
/// The most bytes of an unpacked stream of objects.
const STREAM_BYTES: usize = 256 << 20;

/// Why a PDF file could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PdfEditError {
    /// The file cannot be read, or not be edited.
    #[error("{what}{why}")]
    File {
        /// The other file of a merge, with its colon; empty for the source.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// An op is invalid.
    #[error("{at}: {why}")]
    Op {
        /// The op and its field, such as `ops[0].pages`.
        at: String,
        /// Why.
        why: String,
        /// Valid values that are near.
        suggestions: Vec<String>,
    },
}

/// A new PDF file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfEdit {
    /// The file.
    pub bytes: Vec<u8>,
    /// How many pages it has.
    pub page_count: usize,
    /// What each op did, as a sentence.
    pub summaries: Vec<String>,
    /// What a user should know.
    pub warnings: Vec<String>,
}

/// What ops are applied to.
struct PdfEditor<'a> {
    document: Document,
    files: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    warnings: Vec<String>,
}

/// Applies a list of ops to a PDF file and gives a new one. `files` gives the bytes of other files for `merge`.
pub fn apply(
    source: &Arc<[u8]>,
    ops: &Value,
    files: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Result<PdfEdit, PdfEditError> {
    let parsed = parse_ops::<PdfOp>(ops, Strictness::Refuse).map_err(|error| PdfEditError::Op {
        at: error.issue.at().to_owned(),
        why: error.issue.why(),
        suggestions: error.issue.suggestions(),
    })?;
    let mut editor = PdfEditor { document: load(source, "")?, files, warnings: Vec::new() };
    editor.warnings.extend(parsed.warnings.iter().map(ToString::to_string));
    if forms::is_signed(&editor.document) {
        editor.warnings.push("the file carries a digital signature, which is not valid for the new file".to_owned());
    }
    let mut summaries = Vec::new();
    for op in parsed.list {
        summaries.push(editor.op(op.index, op.op)?);
    }
    editor.finish(summaries)
}

/// Reads a file that can be edited.
fn load(bytes: &Arc<[u8]>, what: &str) -> Result<Document, PdfEditError> {
    let file = |error: PdfError| PdfEditError::File { what: what.to_owned(), why: error.to_string() };
    // The reader's checks come first: they bound what unpacking can cost.
    let read = super::Document::open(bytes).map_err(file)?;
    if read.encrypted {
        let why = "the PDF file is encrypted; save a copy without a password, and edit that".to_owned();
        return Err(PdfEditError::File { what: what.to_owned(), why });
    }
    let options = LoadOptions { max_decompressed_size: Some(STREAM_BYTES), ..LoadOptions::default() };
    let document = Document::load_mem_with_options(bytes, options).map_err(|_| file(PdfError::Damaged))?;
    let found = document.get_pages().len();
    if found != read.page_count() || found == 0 {
        return Err(file(PdfError::Damaged));
    }
    check_count(found)?;
    Ok(document)
}

fn check_count(count: usize) -> Result<(), PdfEditError> {
    if count > MOST_PAGES {
        let why = format!("the file would have {count} pages; the limit is {MOST_PAGES}");
        return Err(PdfEditError::File { what: String::new(), why });
    }
    Ok(())
}

impl PdfEditor<'_> {
    fn op(&mut self, index: usize, op: PdfOp) -> Result<String, PdfEditError> {
        match op {
            PdfOp::FillForm(op) => self.fill_form(index, &op),
            PdfOp::Merge(op) => self.merge(index, &op),
            PdfOp::ExtractPages(op) => {
                let pages = self.pages(&format!("ops[{index}].pages"), &op.pages)?;
                let count = pages.len();
                self.keep(&pages);
                Ok(format!("Extracted {}.", counted(count)))
            }
            PdfOp::DeletePages(op) => {
                let at = format!("ops[{index}].pages");
                let gone: BTreeSet<usize> = self.pages(&at, &op.pages)?.into_iter().collect();
                let all = self.page_count();
                if gone.len() == all {
                    return Err(op_error(at, "all pages would be deleted; a PDF file needs at least one".to_owned()));
                }
                let left: Vec<usize> = (0..all).filter(|page| !gone.contains(page)).collect();
                self.keep(&left);
                Ok(format!("Deleted {}.", counted(gone.len())))
            }
            PdfOp::ReorderPages(op) => {
                let at = format!("ops[{index}].order");
                let order = self.pages(&at, &op.order)?;
                let all = self.page_count();
                if order.len() != all {
                    let why = format!("{} of {all} pages are named; name every page once", order.len());
                    return Err(op_error(at, why));
                }
                self.keep(&order);
                Ok(format!("Reordered {}.", counted(all)))
            }
            PdfOp::RotatePages(op) => self.rotate(index, &op),
        }
    }

    fn page_count(&self) -> usize {
        self.document.get_pages().len()
    }

    /// Pages as an op names them, from 0.
    fn pages(&self, at: &str, given: &Value) -> Result<Vec<usize>, PdfEditError> {
        let count = self.page_count();
        let mut pages = Vec::new();
        read_pages(at, given, count, &mut pages)?;
        if pages.is_empty() {
            return Err(op_error(at.to_owned(), "missing: the pages, such as `1-3, 7`".to_owned()));
        }
        let mut seen = HashSet::new();
        match pages.iter().find(|page| !seen.insert(**page)) {
            Some(twice) => Err(op_error(at.to_owned(), format!("page {} is named twice", twice + 1))),
            None => Ok(pages),
        }
    }

    fn keep(&mut self, pages: &[usize]) {
        PageTree::read(&self.document).keep(&mut self.document, pages);
    }

    fn rotate(&mut self, index: usize, op: &RotatePages) -> Result<String, PdfEditError> {
        if op.degrees % 90 != 0 {
            let why = format!("expected a multiple of 90, but found {}", op.degrees);
            return Err(op_error(format!("ops[{index}].degrees"), why));
        }
        let pages = match &op.pages {
            Some(pages) => self.pages(&format!("ops[{index}].pages"), pages)?,
            None => (0..self.page_count()).collect(),
        };
        let tree = PageTree::read(&self.document);
        for page in &pages {
            tree.rotate(&mut self.document, *page, op.degrees);
        }
        Ok(format!("Rotated {} by {} degrees.", counted(pages.len()), op.degrees))
    }

    fn merge(&mut self, index: usize, op: &Merge) -> Result<String, PdfEditError> {
        let at = |field: &str| format!("ops[{index}].{field}");
        if op.files.is_empty() || op.files.len() > MOST_FILES {
            return Err(op_error(
                at("files"),
                format!("expected 1 to {MOST_FILES} files, but found {}", op.files.len()),
            ));
        }
        let own = self.page_count();
        let before = match op.at {
            None => own,
            Some(page) => {
                let place = usize::try_from(page).ok().and_then(|page| page.checked_sub(1));
                let place = place.filter(|place| *place <= own);
                let why =
                    || format!("page {page} does not exist: the file has {own}, so 1 to {} can be given", own + 1);
                place.ok_or_else(|| op_error(at("at"), why()))?
            }
        };
        let (mut bytes, mut added, mut total) = (0_usize, Vec::new(), own);
        for (number, path) in op.files.iter().enumerate() {
            let missing =
                || op_error(at(&format!("files[{number}]")), format!("file `{path}` not found in the workbench"));
            let content = (self.files)(path).ok_or_else(missing)?;
            bytes = bytes.saturating_add(content.len());
            if bytes > MOST_BYTES {
                let why = format!("the files have more than {} MiB together", MOST_BYTES >> 20);
                return Err(op_error(at("files"), why));
            }
            let mut other = load(&Arc::from(content), &format!("{path}: "))?;
            total += other.get_pages().len();
            check_count(total)?;
            other.renumber_objects_with(self.document.max_id + 1);
            if other.catalog().is_ok_and(|catalog| catalog.has(b"Outlines")) {
                self.warnings.push(format!("{path}: its bookmarks are not in the new file"));
            }
            let pages = PageTree::read(&other).flattened(&mut other);
            forms::join(&mut self.document, &other, path, &mut self.warnings);
            self.document.max_id = other.max_id.max(self.document.max_id);
            self.document.objects.extend(other.objects);
            added.extend(pages);
        }
        PageTree::read(&self.document).insert(&mut self.document, before, &added);
        Ok(format!("Merged {} from {} files.", counted(added.len()), op.files.len()))
    }

    fn finish(mut self, summaries: Vec<String>) -> Result<PdfEdit, PdfEditError> {
        let page_count = self.page_count();
        self.document.prune_objects();
        let mut bytes = Vec::new();
        let broken = || PdfEditError::File {
            what: String::new(),
            why: "the PDF file is damaged in a way that prevents editing".to_owned(),
        };
        self.document.save_to(&mut bytes).map_err(|_| broken())?;
        // What cannot be read again with the same pages is not given out.
        let shared: Arc<[u8]> = Arc::from(bytes.clone());
        let read = super::Document::open(&shared).map_err(|_| broken())?;
        if read.page_count() != page_count {
            return Err(broken());
        }
        Ok(PdfEdit { bytes, page_count, summaries, warnings: self.warnings })
    }
}

fn op_error(at: String, why: String) -> PdfEditError {
    PdfEditError::Op { at, why, suggestions: Vec::new() }
}

fn counted(pages: usize) -> String {
    if pages == 1 { "1 page".to_owned() } else { format!("{pages} pages") }
}

/// Pages from 1, as numbers, ranges or lists of these.
fn read_pages(at: &str, given: &Value, count: usize, pages: &mut Vec<usize>) -> Result<(), PdfEditError> {
    let page = |number: u64| {
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        place.filter(|place| *place < count).ok_or_else(|| {
            let why = format!("page {number} does not exist: the file has {}", counted(count));
            op_error(at.to_owned(), why)
        })
    };
    let unreadable =
        |text: &str| op_error(at.to_owned(), format!("expected pages such as `1-3, 7`, but found `{text}`"));
    match given {
        Value::Number(number) => {
            pages.push(page(number.as_u64().ok_or_else(|| unreadable(&number.to_string()))?)?);
        }
        Value::String(text) => {
            for piece in text.split([',', ';']).map(str::trim).filter(|piece| !piece.is_empty()) {
                let (first, last) = piece.split_once(['-', '–']).unwrap_or((piece, piece));
                let end = |text: &str, open: u64| match text.trim() {
                    "" if piece.len() > 1 => Ok(open),
                    text => text.parse().map_err(|_| unreadable(piece)),
                };
                let (first, last) = (page(end(first, 1)?)?, page(end(last, count as u64)?)?);
                // A range that runs backwards gives the pages backwards.
                if first <= last {
                    pages.extend(first..=last);
                } else {
                    pages.extend((last..=first).rev());
                }
            }
        }
        Value::Array(list) if list.iter().all(|one| !one.is_array()) => {
            for one in list {
                read_pages(at, one, count, pages)?;
            }
        }
        other => return Err(unreadable(&other.to_string())),
    }
    Ok(())
}

/// The object that a value is or leads to.
fn resolved<'d>(document: &'d Document, value: &'d Object) -> &'d Object {
    document.dereference(value).map_or(value, |(_, object)| object)
}

/// The references in a list, which may itself be behind a reference.
fn references(document: &Document, value: &Object) -> Vec<ObjectId> {
    let list = resolved(document, value).as_array();
    list.map(|list| list.iter().filter_map(|one| one.as_reference().ok()).collect()).unwrap_or_default()
}
