//! One call on a workbook: everything that answering it needs.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::{Value, json};

use super::cell::Cell;
use super::show::Shower;
use super::store::{SheetData, Workbook};
use crate::error::{Error, PackageError};
use crate::package::Package;
use crate::xlsx::address::RangeRef;
use crate::xlsx::book::{Book, Sheet};
use crate::xlsx::numfmt::DateSystem;

/// How many sheets are read. Excel opens a few hundred at most; a hostile file names one part a million times.
const SHEETS: usize = 1000;

/// One call.
pub(super) struct Call<'w> {
    workbook: &'w Workbook,
    pub(super) book: &'w Book,
    pub(super) package: Package,
    pub(super) shower: Shower,
    warnings: RefCell<Vec<String>>,
}

impl<'w> Call<'w> {
    pub(super) fn new(workbook: &'w Workbook) -> Result<Self, Error> {
        let package = workbook.package()?;
        let strings = workbook.strings(&package)?;
        let styles = workbook.styles(&package);
        let dates = if workbook.book.date1904 { DateSystem::From1904 } else { DateSystem::From1900 };
        let warnings = RefCell::new(styles.fault.clone().into_iter().collect());
        let call =
            Self { workbook, book: &workbook.book, package, shower: Shower { strings, styles, dates }, warnings };
        if call.book.sheets.len() > SHEETS {
            call.note(format!("of {} sheets only the first {SHEETS} are looked at", call.book.sheets.len()));
        }
        Ok(call)
    }

    /// The sheets that are looked at, with their places.
    pub(super) fn sheets(&self) -> impl Iterator<Item = (usize, &'w Sheet)> + use<'w> {
        self.book.sheets.iter().enumerate().take(SHEETS)
    }

    /// A sheet, read when it has not been.
    pub(super) fn sheet(&self, place: usize) -> Result<Arc<SheetData>, PackageError> {
        self.workbook.sheet(&self.package, place)
    }

    /// The cells of a range, row by row.
    pub(super) fn each_cell(
        &self,
        place: usize,
        data: &SheetData,
        range: RangeRef,
        visit: &mut dyn FnMut(Cell<'_>) -> ControlFlow<()>,
    ) -> Result<(), PackageError> {
        self.workbook.each_cell(&self.package, place, data, range, visit)
    }

    /// How many formulas of a sheet were computed here, and how many have no up-to-date value.
    pub(super) fn formula_counts(&self, place: usize, data: &SheetData) -> (u64, u64) {
        match self.workbook.overlay(data) {
            Some(overlay) => overlay.counts(place, data.facts.formulas),
            None => (0, data.facts.stale),
        }
    }

    /// Notes something that a person should know.
    pub(super) fn note(&self, warning: impl Into<String>) {
        self.warnings.borrow_mut().push(warning.into());
    }

    /// Notes the faults of a sheet.
    pub(super) fn note_faults(&self, place: usize, data: &SheetData) {
        let name = self.book.sheets.get(place).map_or("", |sheet| sheet.name.as_str());
        for fault in data.facts.faults() {
            self.note(format!("{name}: {fault}"));
        }
    }

    /// Adds the notes to an answer, if there are any.
    pub(super) fn warn(&self, answer: &mut Value) {
        let warnings = self.warnings.borrow();
        if let (false, Some(fields)) = (warnings.is_empty(), answer.as_object_mut()) {
            fields.insert("warnings".to_owned(), json!(*warnings));
        }
    }
}
