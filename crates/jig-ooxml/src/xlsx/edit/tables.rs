//! Table objects of a sheet: their column names must match the header cells, and they grow with rows appended below.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::values::NewValue;
use super::{CellWrite, WorkbookEdit, listed};
use crate::edit::{EditError, OpInput, overlap};
use crate::error::Error;
use crate::package::Package;
use crate::relationships::Relationships;
use crate::xlsx::address::{CellRange, CellRef};
use crate::xlsx::formula::ParsedFormula;
use crate::xml::{Ns, Splice};

/// A table, read from its part.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) part: String,
    pub(super) name: String,
    pub(super) range: CellRange,
    pub(super) header_rows: u32,
    pub(super) totals_rows: u32,
    /// The columns with the formula that fills them, if any.
    pub(super) columns: Vec<(String, Option<String>)>,
    /// Changes that are not in the part yet.
    grown: bool,
    renamed: BTreeMap<usize, String>,
}

impl Table {
    /// The tables of a sheet.
    pub(super) fn of_sheet(package: &Package, sheet: &str) -> Result<Vec<Self>, Error> {
        let relationships = Relationships::read(package, sheet)?;
        let parts = relationships.of_kind("table").filter_map(|found| found.part.as_deref());
        let parts = parts.filter(|part| package.has(part));
        Ok(parts.map(|part| Self::read(package, part)).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    fn read(package: &Package, part: &str) -> Result<Option<Self>, Error> {
        let content = package.xml(part)?;
        let tree = content.tree(package.limits())?;
        let root = tree.root();
        let Some(range) = root.attr("ref").and_then(|text| text.parse().ok()) else { return Ok(None) };
        let number = |name: &str| root.attr(name).and_then(|value| value.trim().parse::<u32>().ok());
        let columns = root.child(Ns::S, "tableColumns");
        let columns = columns.into_iter().flat_map(|list| list.children_named(Ns::S, "tableColumn")).map(|node| {
            let formula = node.child(Ns::S, "calculatedColumnFormula").filter(|f| f.attr("array").is_none());
            (node.attr("name").unwrap_or_default().into_owned(), formula.map(|f| f.text().into_owned()))
        });
        let name = root.attr("displayName").or_else(|| root.attr("name")).unwrap_or_default().into_owned();
        Ok(Some(Self {
            part: part.to_owned(),
            name,
            range,
            header_rows: number("headerRowCount").unwrap_or(1),
            totals_rows: number("totalsRowCount").unwrap_or(0),
            columns: columns.collect(),
            grown: false,
            renamed: BTreeMap::new(),
        }))
    }

    /// The column of a header cell.
    fn header_column(&self, cell: CellRef) -> Option<usize> {
        let hit = self.header_rows > 0 && self.range.contains(cell) && cell.row() == self.range.start().row();
        hit.then(|| (cell.col() - self.range.start().col()) as usize)
    }

    fn write(&mut self, package: &mut Package) -> Result<(), Error> {
        if !self.grown && self.renamed.is_empty() {
            return Ok(());
        }
        let mut content = package.xml(&self.part)?;
        let text = {
            let tree = content.tree(package.limits())?;
            let root = tree.root();
            let mut splice = Splice::new(&content.text);
            if self.grown {
                splice.set_attr(root, "ref", &self.range.to_string());
                if let Some(filter) = root.child(Ns::S, "autoFilter")
                    && let Some(old) = filter.attr("ref").and_then(|text| text.parse::<CellRange>().ok())
                    && let Some(end) = CellRef::new(self.range.end().row(), old.end().col())
                {
                    splice.set_attr(filter, "ref", &CellRange::new(old.start(), end).to_string());
                }
            }
            let columns = root.child(Ns::S, "tableColumns");
            let columns = columns.into_iter().flat_map(|list| list.children_named(Ns::S, "tableColumn"));
            for (place, column) in columns.enumerate() {
                if let Some(name) = self.renamed.get(&place) {
                    splice.set_attr(column, "name", &name.replace("\r\n", "\n").replace('\n', "_x000a_"));
                }
            }
            splice.finish().map_err(|e| overlap(&self.part, &e))?
        };
        content.text = text;
        package.set_xml(&content);
        self.grown = false;
        self.renamed.clear();
        Ok(())
    }
}

/// Writes all changed tables.
pub(super) fn write_all(package: &mut Package, tables: &mut BTreeMap<String, Vec<Table>>) -> Result<(), Error> {
    tables.values_mut().flatten().try_for_each(|table| table.write(package))
}

/// A value in a table's header is the name of its column: it must be a text that no other column has.
pub(super) fn check_headers(editor: &mut WorkbookEdit<'_>, part: &str, writes: &[CellWrite]) -> Result<(), Error> {
    let has_formulas = !editor.sheet(part)?.formulas.is_empty();
    let mut renamed: Vec<String> = Vec::new();
    for table in editor.tables(part)? {
        for write in writes {
            let (Some(column), Some(value)) = (table.header_column(write.at), &write.value) else { continue };
            let NewValue::Text(text) = value else {
                let why = format!("{} is a header of the table {}; a header is a text", write.at, table.name);
                return Err(EditError::new(&write.field, why).into());
            };
            let Some((old, _)) = table.columns.get(column) else { continue };
            if old == text {
                continue;
            }
            if text.is_empty() {
                let why = format!("{} is a header of the table {}; it cannot be empty", write.at, table.name);
                return Err(EditError::new(&write.field, why).into());
            }
            renamed.push(format!("{old} of {}", table.name));
            if let Some(slot) = table.columns.get_mut(column) {
                slot.0.clone_from(text);
            }
            table.renamed.insert(column, text.clone());
        }
        let mut names: Vec<String> = table.columns.iter().map(|(name, _)| name.to_lowercase()).collect();
        names.sort();
        let double = names.windows(2).any(|pair| pair.first() == pair.last());
        if double && !table.renamed.is_empty() {
            let why = format!("the table {} would have two columns of the same name", table.name);
            let field = writes.iter().find(|write| table.header_column(write.at).is_some());
            let field = field.map(|write| write.field.clone()).unwrap_or_default();
            return Err(EditError::new(field, why).into());
        }
    }
    if !renamed.is_empty() && has_formulas {
        let renamed = listed(renamed.into_iter(), 5);
        editor.warnings.push(format!(
            "table columns got other names ({renamed}); formulas that use the old names must be changed"
        ));
    }
    Ok(())
}

/// A table that the data of a sheet ends in.
#[derive(Debug, Clone)]
pub(super) struct Ending {
    place: usize,
    pub(super) left: u32,
}

/// The table whose last row is the last row with a value.
pub(super) fn ending_at(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    part: &str,
    row: u32,
    column: Option<u32>,
) -> Result<Option<Ending>, Error> {
    let tables = editor.tables(part)?;
    let ends = |table: &Table| {
        table.range.end().row() == row || (row < table.range.end().row() && row >= table.range.start().row())
    };
    let fits = |table: &Table| column.is_none_or(|column| column == table.range.start().col());
    let Some(place) = tables.iter().position(|table| ends(table) && fits(table)) else { return Ok(None) };
    let Some(table) = tables.get(place) else { return Ok(None) };
    if table.totals_rows > 0 {
        let why = format!(
            "the data ends in the table {} with a row of totals; use insert_rows above row {} and set_range",
            table.name,
            table.range.end().row()
        );
        return Err(input.error("rows", why).into());
    }
    // Rows of the table that are still empty are filled first; it grows only past its end.
    Ok(Some(Ending { place, left: table.range.start().col() }))
}

/// Lets a table reach down over appended rows, and fills its calculated columns there.
pub(super) fn grow(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    part: &str,
    ending: &Ending,
    rows: &[Vec<Value>],
    top: u32,
) -> Result<(String, String), Error> {
    let bottom = top + u32::try_from(rows.len()).unwrap_or(0).saturating_sub(1);
    let tables = editor.tables(part)?;
    let Some(table) = tables.get_mut(ending.place) else { return Ok(Default::default()) };
    if let Some(end) = CellRef::new(table.range.end().row().max(bottom), table.range.end().col()) {
        let range = CellRange::new(table.range.start(), end);
        table.grown |= range != table.range;
        table.range = range;
    }
    let (name, range) = (table.name.clone(), table.range);
    let width = range.columns() as usize;
    let columns = table.columns.iter().enumerate();
    let parsed = columns.filter_map(|(at, (_, text))| Some((at, Arc::new(ParsedFormula::parse(text.as_deref()?)))));
    let calculated: Vec<(usize, Arc<ParsedFormula>)> = parsed.collect();
    let beyond = rows.iter().filter(|row| row.len() > width).count();
    if beyond > 0 {
        let why = format!(
            "{beyond} row(s) have more values than the table {name} has columns; the rest is written next to it"
        );
        editor.warnings.push(format!("{}: {why}", input.at("rows")));
    }
    let mut writes = Vec::new();
    for (down, row) in rows.iter().enumerate() {
        for (column, formula) in &calculated {
            if row.get(*column).is_some_and(|value| !value.is_null()) {
                continue;
            }
            let at =
                CellRef::new(top + u32::try_from(down).unwrap_or(0), ending.left + u32::try_from(*column).unwrap_or(0));
            if let Some(at) = at {
                let value = Some(NewValue::Formula(Arc::clone(formula)));
                writes.push(CellWrite { at, value, patch: None, field: input.at("rows") });
            }
        }
    }
    editor.write_cells(input, part, writes)?;
    Ok((name, range.to_string()))
}
