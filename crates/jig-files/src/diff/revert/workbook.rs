//! Changes of workbooks taken back by the engine that makes them: cells, formats, rows, sheets.

use std::collections::BTreeMap;
use std::sync::Arc;

use jig_ooxml::xlsx::address::ColumnName;
use jig_ooxml::xlsx::sheet_rows;
use jig_ooxml::xml::{Node, Splice, Tree, XmlPart};
use jig_ooxml::{Limits, Package};
use serde_json::{Value, json};

use super::super::change::{CellUndo, Change, RowUndo, Undo};
use super::super::xlsx::ORDER;
use super::package::{apply, ops};
use super::{Versions, alone};
use crate::engine::{EditOptions, Engine, FileError, Format};

type Outcome = Result<(Vec<u8>, Vec<String>), FileError>;

/// Takes changes back in an order in which none moves the place of another before it is done.
pub(super) fn revert(engine: &Engine, versions: &Versions<'_>, chosen: &[&Change]) -> Outcome {
    let cells: Vec<&CellUndo> = chosen.iter().flat_map(|change| cells(change)).collect();
    let rows: Vec<&RowUndo> = chosen.iter().filter_map(|change| row(change)).collect();
    let mut bytes = versions.new.to_vec();
    let mut warnings = Vec::new();
    let mut take = |outcome: (Vec<u8>, Vec<String>)| {
        warnings.extend(outcome.1);
        outcome.0
    };
    bytes = take(values(engine, bytes, &cells)?);
    bytes = formats(
        engine,
        versions.old,
        bytes,
        cells.iter().filter(|cell| cell.style).map(|cell| cell_style(cell)).collect(),
    )?;
    bytes = frames(bytes, versions, chosen)?;
    bytes = take(structure(engine, bytes, &rows)?);
    bytes = formats(engine, versions.old, bytes, row_styles(&rows))?;
    bytes = take(ops(engine, Format::Xlsx, bytes, chosen)?);
    warnings.dedup();
    Ok((bytes, warnings))
}

fn cells(change: &Change) -> &[CellUndo] {
    match &change.undo {
        Undo::Cells(undo) => undo,
        _ => &[],
    }
}

fn row(change: &Change) -> Option<&RowUndo> {
    match &change.undo {
        Undo::Row(undo) => Some(undo),
        _ => None,
    }
}

fn values(engine: &Engine, bytes: Vec<u8>, cells: &[&CellUndo]) -> Outcome {
    let mut by_sheet: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for cell in cells {
        if let Some(value) = &cell.cell {
            by_sheet.entry(&cell.sheets.0).or_default().push(value.clone());
        }
    }
    if by_sheet.is_empty() {
        return Ok((bytes, Vec::new()));
    }
    let ops = by_sheet.into_iter().map(|(sheet, cells)| json!({ "op": "set_cells", "sheet": sheet, "cells": cells }));
    apply(engine, Format::Xlsx, bytes, ops.collect())
}

fn cell_style(cell: &CellUndo) -> Value {
    let (row, col) = cell.at;
    style(&cell.sheets, (cell.old_row, col), (row, col))
}

fn style(sheets: &(String, String), from: (u32, u32), to: (u32, u32)) -> Value {
    let address = |(row, col): (u32, u32)| format!("{}{row}", ColumnName(col));
    json!({
        "type": "cell_style", "source_sheet": sheets.1, "source_cell": address(from),
        "target_sheet": sheets.0, "target_cell": address(to),
    })
}

fn formats(engine: &Engine, old: &Arc<[u8]>, bytes: Vec<u8>, styles: Vec<Value>) -> Result<Vec<u8>, FileError> {
    if styles.is_empty() {
        return Ok(bytes);
    }
    let edited = engine.copy_assets(
        Format::Xlsx,
        old.clone().into(),
        Some(bytes.into()),
        &Value::Array(styles),
        &EditOptions::default(),
    )?;
    Ok(edited.bytes)
}

/// Rows put back and taken out, from the bottom up, runs of them at once.
fn structure(engine: &Engine, bytes: Vec<u8>, rows: &[&RowUndo]) -> Outcome {
    if rows.is_empty() {
        return Ok((bytes, Vec::new()));
    }
    let mut ops = Vec::new();
    let mut sorted: Vec<&RowUndo> = rows.to_vec();
    sorted
        .sort_by_key(|row| (row.sheets.0.clone(), std::cmp::Reverse((row.at, row.old.as_ref().map(|(old, _)| *old)))));
    let mut at = 0;
    while let Some(row) = sorted.get(at) {
        let run: Vec<&&RowUndo> = sorted.iter().skip(at).take_while(|other| belongs(row, other, &sorted, at)).collect();
        at += run.len().max(1);
        ops.extend(one_run(row, &run));
    }
    apply(engine, Format::Xlsx, bytes, ops)
}

/// Whether a row stands in one run with the first of it.
fn belongs(first: &RowUndo, other: &RowUndo, sorted: &[&RowUndo], start: usize) -> bool {
    let place = sorted.iter().position(|row| std::ptr::eq(*row, other)).unwrap_or(start);
    let step = u32::try_from(place - start).unwrap_or(u32::MAX);
    let same_sheet = first.sheets == other.sheets;
    match (&first.old, &other.old) {
        (None, None) => same_sheet && first.at.checked_sub(step) == Some(other.at),
        (Some((a, _)), Some((b, _))) => same_sheet && first.at == other.at && a.checked_sub(step) == Some(*b),
        _ => false,
    }
}

fn one_run(first: &RowUndo, run: &[&&RowUndo]) -> Vec<Value> {
    let (sheet, count) = (&first.sheets.0, run.len());
    if first.old.is_none() {
        let top = run.iter().map(|row| row.at).min().unwrap_or(first.at);
        return vec![json!({ "op": "delete_rows", "sheet": sheet, "row": top, "count": count })];
    }
    let mut ops = vec![json!({ "op": "insert_rows", "sheet": sheet, "row": first.at, "count": count })];
    let lowest = run.iter().filter_map(|row| row.old.as_ref().map(|(old, _)| *old)).min().unwrap_or(0);
    let mut cells = Vec::new();
    for (old, values) in run.iter().filter_map(|row| row.old.as_ref()) {
        let number = first.at + (old - lowest);
        for value in values {
            let mut value = value.clone();
            let column = value["column"].as_str().unwrap_or_default().to_owned();
            value["cell"] = format!("{column}{number}").into();
            if let Some(object) = value.as_object_mut() {
                object.remove("column");
            }
            if value["type"] != "blank" {
                cells.push(value);
            }
        }
    }
    if !cells.is_empty() {
        ops.push(json!({ "op": "set_cells", "sheet": sheet, "cells": cells }));
    }
    ops
}

/// The formats of rows that were put back, at the places they have in the end.
fn row_styles(rows: &[&RowUndo]) -> Vec<Value> {
    let mut styles = Vec::new();
    for row in rows {
        let Some((old, values)) = &row.old else { continue };
        let same = |other: &&&RowUndo| other.sheets == row.sheets;
        // What was put back or taken out above moves the row.
        let above = rows.iter().filter(same).filter(|other| match &other.old {
            Some((number, _)) => number < old,
            None => false,
        });
        let gone = rows.iter().filter(same).filter(|other| other.old.is_none() && other.at < row.at).count();
        let number = i64::from(row.at) + above.count() as i64 - gone as i64;
        let Ok(number) = u32::try_from(number) else { continue };
        for value in values {
            let column = value["column"].as_str().and_then(jig_ooxml::xlsx::address::column_number);
            if let Some(column) = column {
                styles.push(style(&row.sheets, (*old, column), (number, column)));
            }
        }
    }
    styles
}

/// Parts put back, and what is around the rows: all children of a name for those that were there.
fn frames(bytes: Vec<u8>, versions: &Versions<'_>, chosen: &[&Change]) -> Result<Vec<u8>, FileError> {
    let concerns = |change: &&&Change| matches!(change.undo, Undo::Frame { .. } | Undo::Part { .. });
    if !chosen.iter().any(|change| concerns(&change)) {
        return Ok(bytes);
    }
    let mut package = Package::open(Arc::<[u8]>::from(bytes), Limits::default())?;
    for change in chosen {
        match &change.undo {
            Undo::Part { name } => {
                let old = Package::open(versions.old.clone(), Limits::default())?;
                package.set(name, &old.read(name)?);
            }
            Undo::Frame { part, name, markup } => {
                let content = frame(&package, part, name, markup);
                package.set_xml(&content.map_err(|error| alone(&change.id, &error.message))?);
            }
            _ => {}
        }
    }
    Ok(package.save()?)
}

fn frame(package: &Package, part: &str, name: &str, markup: &str) -> Result<XmlPart, FileError> {
    let text = sheet_rows(package, part, &mut |_| Ok(()))?;
    let mut content = package.xml(part)?;
    let tree = Tree::parse(part, &text, package.limits())?;
    let root = tree.root();
    let rows = root.elements().find(|node| node.local() == "sheetData");
    let behind = rows.map_or(usize::MAX, |rows| rows.range().end);
    // Behind the rows, places in the part are as much later as the rows are long.
    let longer = content.text.len() - text.len();
    let real = |at: usize| if at >= behind { at + longer } else { at };
    let mut splice = Splice::new(&content.text);
    let own: Vec<Node<'_>> = root.elements().filter(|node| node.local() == name).collect();
    for node in &own {
        splice.delete(real(node.range().start)..real(node.range().end));
    }
    let order = |name: &str| ORDER.iter().position(|(known, _)| *known == name).unwrap_or(ORDER.len());
    let later = root.elements().find(|node| order(node.local()) > order(name));
    let place = match (own.first(), later) {
        (Some(node), _) => real(node.range().start),
        (None, Some(node)) => real(node.range().start),
        (None, None) => real(root.inner_range().end),
    };
    splice.insert(place, markup);
    let out = splice.finish().map_err(|error| FileError::invalid(error.to_string()))?;
    content.text = out;
    Ok(content)
}
