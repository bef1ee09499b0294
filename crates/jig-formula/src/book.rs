//! The workbook with its sheets, names and tables found by name.

use std::cell::OnceCell;
use std::collections::HashMap;

use crate::model::{CalcModel, CellContent, CellKey, DefinedName, FormulaCell, TableModel};
use jig_file_api::address::CellRange;

use crate::limits::Now;

pub(crate) struct Book<'a> {
    pub(crate) model: &'a CalcModel,
    pub(crate) now: Option<Now>,
    sheets: HashMap<String, usize>,
    names: HashMap<(Option<usize>, String), &'a DefinedName>,
    tables: HashMap<String, &'a TableModel>,
    used: OnceCell<Vec<Option<CellRange>>>,
}

impl<'a> Book<'a> {
    pub(crate) fn new(model: &'a CalcModel, now: Option<Now>) -> Self {
        Self {
            model,
            now,
            sheets: model.sheets.iter().enumerate().map(|(at, sheet)| (sheet.name.to_lowercase(), at)).collect(),
            names: model.names.iter().map(|name| ((name.scope, name.name.to_lowercase()), name)).collect(),
            tables: model.tables.iter().map(|table| (table.name.to_lowercase(), table)).collect(),
            used: OnceCell::new(),
        }
    }

    pub(crate) fn sheet(&self, name: &str) -> Option<usize> {
        self.sheets.get(&name.to_lowercase()).copied()
    }

    pub(crate) fn sheet_name(&self, sheet: usize) -> &'a str {
        self.model.sheets.get(sheet).map_or("", |sheet| sheet.name.as_str())
    }

    /// The rectangle around all cells of a sheet that are not empty. Looked for once: formulas ask for it very often.
    pub(crate) fn used(&self, sheet: usize) -> Option<CellRange> {
        self.all_used().get(sheet).copied().flatten()
    }

    /// The last row and column in use on any sheet.
    pub(crate) fn used_end(&self) -> (u32, u32) {
        let ends = self.all_used().iter().flatten().map(|used| used.end());
        ends.fold((1, 1), |(row, col), end| (row.max(end.row()), col.max(end.col())))
    }

    fn all_used(&self) -> &[Option<CellRange>] {
        self.used.get_or_init(|| self.model.sheets.iter().map(|sheet| sheet.used()).collect())
    }

    /// A name as seen from a sheet: its own comes before the workbook's.
    pub(crate) fn name(&self, sheet: usize, name: &str) -> Option<&'a DefinedName> {
        let name = name.to_lowercase();
        let own = self.names.get(&(Some(sheet), name.clone()));
        own.or_else(|| self.names.get(&(None, name))).copied()
    }

    pub(crate) fn table(&self, name: &str) -> Option<&'a TableModel> {
        self.tables.get(&name.to_lowercase()).copied()
    }

    /// The table that contains a cell.
    pub(crate) fn table_at(&self, key: CellKey) -> Option<&'a TableModel> {
        self.model.tables.iter().find(|table| table.sheet == key.sheet && table.range.contains(key.cell))
    }

    pub(crate) fn formula(&self, key: CellKey) -> Option<&'a FormulaCell> {
        match self.model.sheets.get(key.sheet)?.get(key.cell)? {
            CellContent::Formula(formula) => Some(formula),
            CellContent::Value(_) => None,
        }
    }
}
