//! `add_sparklines`, `clear_sparklines`: small charts in cells, kept in an extension of the sheet.

use jig_file_api::ops::xlsx::{AddSparklines, ClearSparklines};

use super::WorkbookEdit;
use super::cells_of;
use super::current_cells::resolve;
use super::layout::range_at;
use super::order::{WORKSHEET, insert_in_order};
use super::rows::Gone;
use super::sqref::ranges_at;
use crate::edit::{Color, EditError, OpInput, OpReport};
use crate::error::Error;
use crate::xlsx::address::{CellRange, CellRef, SheetRange};
use crate::xml::{Node, Ns, escape_text};

/// The extension of a sheet that holds sparklines.
const EXTENSION: &str = "{05C60535-1F16-4fd2-B633-F4F36F0B64E0}";
/// The most cells that one op draws in.
const MOST: u64 = 10_000;

/// Draws sparklines.
pub(super) fn add(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: AddSparklines) -> Result<OpReport, Error> {
    let (_, part) = editor.grid_or_new(input, &op.sheet)?;
    let range = range_at(&op.range, &input.at("range"))?;
    let data = resolve(editor, input, "data", &op.data, &op.sheet)?;
    let lines = lines(input, range, data.range)?;
    let color = match op.color.as_deref() {
        Some(text) => {
            Color::parse(text).ok_or_else(|| input.error("color", format!("expected {}", Color::FORM)))?.argb()
        }
        None => "FF376092".to_owned(),
    };
    remove(editor, &part, &[range])?;
    let kind = match op.kind.as_deref() {
        Some("column") => " type=\"column\"",
        Some("win_loss") => " type=\"stacked\"",
        _ => "",
    };
    let flag = |on: Option<bool>, text: &'static str| if on == Some(true) { text } else { "" };
    let attributes = format!(
        "{kind} displayEmptyCellsAs=\"gap\"{}{}",
        flag(op.markers, " markers=\"1\""),
        flag(op.high_low, " high=\"1\" low=\"1\"")
    );
    let sheet = data.sheet.clone();
    editor.edit_frame(&part, |root, splice| {
        let groups = root.descendants().find(|node| node.is_element() && node.is(Ns::X14, "sparklineGroups"));
        let x = groups.map_or("x14:", Node::prefix);
        let sparks: String = lines
            .iter()
            .map(|(cell, values)| {
                let formula = SheetRange { sheet: sheet.clone(), range: *values }.to_string();
                format!(
                    "<{x}sparkline><xm:f>{}</xm:f><xm:sqref>{cell}</xm:sqref></{x}sparkline>",
                    escape_text(&formula)
                )
            })
            .collect();
        let colors: String = ["Series", "Negative", "Axis", "Markers", "First", "Last", "High", "Low"]
            .iter()
            .map(|name| {
                let rgb = match *name {
                    "Series" | "Markers" | "First" | "Last" => color.as_str(),
                    "Axis" => "FF000000",
                    _ => "FFD00000",
                };
                format!("<{x}color{name} rgb=\"{rgb}\"/>")
            })
            .collect();
        let group = format!(
            "<{x}sparklineGroup xmlns:xm=\"{}\"{attributes}>{colors}<{x}sparklines>{sparks}</{x}sparklines></{x}sparklineGroup>",
            Ns::Xm.uri()
        );
        if let Some(groups) = groups {
            splice.append(groups, group);
            return Ok(());
        }
        let p = root.prefix();
        let extension = format!(
            "<{p}ext xmlns:x14=\"{}\" uri=\"{EXTENSION}\"><x14:sparklineGroups>{group}</x14:sparklineGroups></{p}ext>",
            Ns::X14.uri()
        );
        match root.child(Ns::S, "extLst") {
            Some(list) => splice.append(list, extension),
            None => {
                let markup = format!("<{p}extLst>{extension}</{p}extLst>");
                insert_in_order(splice, root, "extLst", &markup, &WORKSHEET);
            }
        }
        Ok(())
    })?;
    let count = range.cells();
    let summary = format!("Drew {count} sparklines of {} in {range} of {}.", data.range, op.sheet);
    let report = OpReport::new(input, summary).with("sheet", op.sheet).with("range", range.to_string());
    let data = SheetRange { sheet: data.sheet, range: data.range };
    Ok(report.with("data", data.to_string()).with("sparklines", count))
}

/// The cells with the data of each.
fn lines(input: &OpInput, range: CellRange, data: CellRange) -> Result<Vec<(CellRef, CellRange)>, EditError> {
    let count = range.cells();
    if (range.rows() > 1 && range.columns() > 1) || count > MOST {
        let why = format!("{range} must be one row or one column of at most {MOST} cells");
        return Err(input.error("range", why));
    }
    let (rows, columns) = (u64::from(data.rows()), u64::from(data.columns()));
    let upright = range.rows() > 1;
    let by_row = match (rows == count, columns == count) {
        // One cell takes all of one row or column.
        _ if count == 1 && rows == 1 => true,
        _ if count == 1 && columns == 1 => false,
        (true, true) => upright,
        (true, false) if count > 1 || columns > 1 => true,
        (false, true) if count > 1 || rows > 1 => false,
        _ => {
            let why = format!("{data} has {rows} rows and {columns} columns, but {range} has {count} cells");
            return Err(input.error("data", why));
        }
    };
    let (start, end) = (data.start(), data.end());
    let line = |at: u32| match by_row {
        true => Some(CellRange::new(
            CellRef::new(start.row() + at, start.col())?,
            CellRef::new(start.row() + at, end.col())?,
        )),
        false => Some(CellRange::new(
            CellRef::new(start.row(), start.col() + at)?,
            CellRef::new(end.row(), start.col() + at)?,
        )),
    };
    Ok(cells_of(range).zip(0..).filter_map(|(cell, at)| Some((cell, line(at)?))).collect())
}

/// Removes the sparklines of cells; how many there were.
fn remove(editor: &mut WorkbookEdit<'_>, part: &str, ranges: &[CellRange]) -> Result<usize, Error> {
    let mut count = 0;
    editor.edit_frame(part, |root, splice| {
        let mut gone = Gone::default();
        for node in root.descendants().filter(|node| node.is_element() && node.is(Ns::X14, "sparkline")) {
            let cell = node.child(Ns::Xm, "sqref").and_then(|node| node.text().trim().parse::<CellRange>().ok());
            if cell.is_some_and(|cell| ranges.iter().any(|range| range.intersection(cell).is_some())) {
                gone.add(node);
                count += 1;
            }
        }
        gone.close(root);
        gone.remove(root, splice);
        Ok(())
    })?;
    Ok(count)
}

/// Removes sparklines.
pub(super) fn clear(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: ClearSparklines) -> Result<OpReport, Error> {
    let (_, part) = editor.grid(input, "sheet", &op.sheet)?;
    let ranges = match &op.range {
        Some(text) => ranges_at(input, text, &op.sheet)?,
        None => vec![CellRange::ALL],
    };
    let count = remove(editor, &part, &ranges)?;
    let place = op.range.as_deref().map_or_else(|| op.sheet.clone(), |range| format!("{range} of {}", op.sheet));
    if count == 0 {
        editor.warnings.push(format!("{}: there are no sparklines on {place}", input.at("range")));
    }
    let summary = format!("Removed {count} sparklines of {place}.");
    Ok(OpReport::new(input, summary).with("sheet", op.sheet).with("sparklines", count))
}
