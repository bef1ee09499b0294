//! Values that replace those stored beside formulas when the stored ones are missing or not trusted: computed values,
//! and a stale marker for formulas that could not be computed. A value known to be outdated is never returned.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::sheet::cell::{Cell, CellData, Origin};
use crate::error::PackageError;
use crate::xlsx::address::{CellRange, CellRef};
use crate::xlsx::formula::{Calculated, CellValue};

/// The values of formulas without a trusted stored value.
pub(super) struct Overlay {
    /// None for a cell that could not be computed.
    values: BTreeMap<(usize, CellRef), Option<CellValue>>,
    /// Nothing was computed: every formula is stale.
    nothing_known: bool,
}

impl Overlay {
    pub(super) fn of(found: Calculated) -> Self {
        let place = |key: crate::xlsx::formula::CellKey| (key.sheet, key.cell);
        let computed = found.other_values.into_iter().map(|(key, value)| (place(key), Some(value)));
        let stale = found.other_not_computed.into_iter().map(|(key, _)| (place(key), None));
        Self { values: computed.chain(stale).collect(), nothing_known: false }
    }

    /// For a workbook with more formulas than can be followed.
    pub(super) fn nothing_known() -> Self {
        Self { values: BTreeMap::new(), nothing_known: true }
    }

    /// How many formula cells of a sheet were computed, and how many could not be.
    pub(super) fn counts(&self, sheet: usize, formulas: u64) -> (u64, u64) {
        if self.nothing_known {
            return (0, formulas);
        }
        let on_sheet = self.values.iter().filter(|((place, _), _)| *place == sheet);
        on_sheet.fold((0, 0), |(computed, stale), (_, value)| match value {
            Some(_) => (computed + 1, stale),
            None => (computed, stale + 1),
        })
    }

    /// The cell with the value that counts.
    pub(super) fn over<'c>(&self, sheet: usize, cell: Cell<'c>) -> Cell<'c> {
        if self.nothing_known {
            return match cell.formula {
                Some(_) => Cell { data: CellData::Empty, origin: Origin::Stale, ..cell },
                None => cell,
            };
        }
        match self.values.get(&(sheet, cell.at)) {
            None => cell,
            Some(value) => covered(cell, value.as_ref()),
        }
    }

    /// Visits the cells of a range in order: those that `each` gives, and between them those that a formula fills
    /// without an element of their own in the file.
    pub(super) fn each_over(
        &self,
        sheet: usize,
        range: CellRange,
        each: impl FnOnce(&mut dyn FnMut(Cell<'_>) -> ControlFlow<()>) -> Result<(), PackageError>,
        visit: &mut dyn FnMut(Cell<'_>) -> ControlFlow<()>,
    ) -> Result<(), PackageError> {
        let all = self.values.range((sheet, range.start())..=(sheet, range.end()));
        let mut own = all.filter(|((_, at), _)| range.contains(*at)).peekable();
        let mut ended = false;
        each(&mut |cell| {
            while let Some(((_, at), value)) = own.next_if(|((_, at), _)| *at < cell.at) {
                if visit(covered(bare(*at), value.as_ref())).is_break() {
                    ended = true;
                    return ControlFlow::Break(());
                }
            }
            own.next_if(|((_, at), _)| *at == cell.at);
            let flow = visit(self.over(sheet, cell));
            ended |= flow.is_break();
            flow
        })?;
        for ((_, at), value) in own {
            if ended || visit(covered(bare(*at), value.as_ref())).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// A cell without an element of its own in the file.
fn bare<'c>(at: CellRef) -> Cell<'c> {
    Cell { at, style: 0, data: CellData::Empty, formula: None, origin: Origin::Stored }
}

/// The cell with a computed value, or marked as stale.
fn covered<'c>(cell: Cell<'c>, value: Option<&CellValue>) -> Cell<'c> {
    let data = match value {
        None => return Cell { data: CellData::Empty, origin: Origin::Stale, ..cell },
        // Formulas show an empty cell as 0.
        Some(CellValue::Empty) => CellData::Number(0.0),
        Some(CellValue::Number(number)) => CellData::Number(*number),
        Some(CellValue::Text(text)) => CellData::Text(text.clone().into()),
        Some(CellValue::Bool(flag)) => CellData::Bool(*flag),
        Some(CellValue::Error(error)) => CellData::Error(error.as_str().into()),
    };
    Cell { data, origin: Origin::Computed, ..cell }
}
