//! Values that are read in the place of those that a file stores beside its formulas: computed ones, and the mark of
//! those that could not be computed. Nothing that is known to be outdated is shown as a value.

use std::collections::HashMap;

use super::cell::{Cell, Content, Origin};
use crate::xlsx::address::CellRef;
use crate::xlsx::formula::recalculate::{Calculated, CellValue};

/// The values of formulas without a trusted stored value.
pub(super) struct Overlay {
    /// None for a cell that could not be computed.
    values: HashMap<(usize, CellRef), Option<CellValue>>,
    /// Nothing was computed, so that no formula has a value.
    nothing_known: bool,
}

impl Overlay {
    pub(super) fn of(found: Calculated) -> Self {
        let place = |key: crate::xlsx::formula::recalculate::CellKey| (key.sheet, key.cell);
        let computed = found.other_values.into_iter().map(|(key, value)| (place(key), Some(value)));
        let stale = found.other_not_computed.into_iter().map(|(key, _)| (place(key), None));
        Self { values: computed.chain(stale).collect(), nothing_known: false }
    }

    /// For a workbook with more formulas than can be followed.
    pub(super) fn nothing_known() -> Self {
        Self { values: HashMap::new(), nothing_known: true }
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
                Some(_) => Cell { content: Content::Empty, origin: Origin::Stale, ..cell },
                None => cell,
            };
        }
        match self.values.get(&(sheet, cell.at)) {
            None => cell,
            Some(None) => Cell { content: Content::Empty, origin: Origin::Stale, ..cell },
            Some(Some(value)) => {
                let content = match value {
                    // Formulas show an empty cell as 0.
                    CellValue::Empty => Content::Number(0.0),
                    CellValue::Number(number) => Content::Number(*number),
                    CellValue::Text(text) => Content::Text(text.clone().into()),
                    CellValue::Bool(flag) => Content::Bool(*flag),
                    CellValue::Error(error) => Content::Error(error.as_str().into()),
                };
                Cell { content, origin: Origin::Computed, ..cell }
            }
        }
    }
}
