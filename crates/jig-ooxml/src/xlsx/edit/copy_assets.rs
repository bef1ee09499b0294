//! Copying from one workbook into another: named styles, the format of a cell, number formats, charts, images.

mod objects;
mod selector;

use std::sync::Arc;

use serde_json::{Map, Value};

use self::selector::{Asset, Selector};
use super::styles::{Element, StylePatch, Styles};
use super::{WorkbookEdit, cells_of, grid_part, no_sheet};
use crate::edit::{Applied, ApplyOptions, EditError, OpReport, asset_list, nearest};
use crate::error::Error;
use crate::xlsx::address::{CellRange, CellRef, SheetRange};
use crate::xlsx::sheet::markup::{attr, number_attr};
use crate::xlsx::sheet::rows::{Piece, walk_rows};
use crate::xml::Ns;

/// The most cells that one asset is applied to.
const MOST_CELLS: u64 = 200_000;

/// Copies assets; every one of them or none.
pub(super) fn copy(
    source: Arc<[u8]>,
    target: Option<Arc<[u8]>>,
    assets: &Value,
    options: &ApplyOptions<'_>,
) -> Result<Applied, Error> {
    let list = asset_list(assets)?;
    let mut source = WorkbookEdit::open(Some(source), *options)?;
    let mut target = WorkbookEdit::open(target, *options)?;
    let mut changes = Vec::with_capacity(list.len());
    for (index, asset) in list.iter().enumerate() {
        let at = format!("assets[{index}]");
        let selector = Selector::read(asset, &at, &mut target.warnings)?;
        let (summary, details) = one(&mut source, &mut target, &selector, &at)?;
        changes.push(OpReport { index, op: selector.asset.kind().to_owned(), summary, details });
    }
    target.finish(changes)
}

type Copied = (String, Map<String, Value>);

fn one(
    source: &mut WorkbookEdit<'_>,
    target: &mut WorkbookEdit<'_>,
    selector: &Selector,
    at: &str,
) -> Result<Copied, Error> {
    let mut details = Map::new();
    details.insert("type".to_owned(), selector.asset.kind().into());
    details.insert("selector".to_owned(), selector.text.clone().into());
    let summary = match &selector.asset {
        Asset::NamedStyle(name) => {
            details.insert("name".to_owned(), name.as_str().into());
            named_style(source, target, name, at)?
        }
        Asset::CellStyle { from, to } => {
            let format = cell_format(source, from, at)?;
            let xf = carry(source.styles()?, target.styles()?, format)?;
            let (range, count) = lay(target, to, at, |edit| edit.format = Some(xf))?;
            details.insert("source".to_owned(), from.to_string().into());
            details.insert("target".to_owned(), format!("{}!{range}", to.sheet).into());
            details.insert("cells".to_owned(), count.into());
            format!("Copied the format of {from} to {}!{range}.", to.sheet)
        }
        Asset::NumberFormat { code, to } => {
            target.styles()?;
            let patch = std::rc::Rc::new(StylePatch::number_format(code.as_str()));
            let (range, count) = lay(target, to, at, |edit| edit.patches.push(std::rc::Rc::clone(&patch)))?;
            details.insert("name".to_owned(), code.as_str().into());
            details.insert("target".to_owned(), format!("{}!{range}", to.sheet).into());
            details.insert("cells".to_owned(), count.into());
            format!("Set the number format {code} on {}!{range}.", to.sheet)
        }
        Asset::Chart(copy) | Asset::Image(copy) => {
            let is_chart = matches!(selector.asset, Asset::Chart(_));
            let (name, range) = objects::copy(source, target, copy, is_chart, at)?;
            let place = format!("{}!{range}", copy.to.sheet);
            let summary = format!("Copied the {} {name} to {place}.", selector.asset.kind());
            details.insert("name".to_owned(), name.into());
            details.insert("source".to_owned(), format!("{}!{}", copy.sheet, copy.name).into());
            details.insert("target".to_owned(), place.into());
            summary
        }
    };
    Ok((summary, details))
}

/// Applies a format to every cell of a range in the target.
fn lay(
    target: &mut WorkbookEdit<'_>,
    to: &SheetRange,
    at: &str,
    mut change: impl FnMut(&mut super::sheet::CellEdit),
) -> Result<(CellRange, u64), Error> {
    let range = to.range;
    if range.cells() > MOST_CELLS {
        let why = format!("{range} has {} cells; a format is copied to {MOST_CELLS} at most", range.cells());
        return Err(EditError::new(at, why).into());
    }
    super::sheets::create_named(target, at, &to.sheet)?;
    let part = grid_of(target, &to.sheet, at)?;
    if target.spare.as_deref() == Some(part.as_str()) {
        target.spare = None;
    }
    let sheet = target.sheet(&part)?;
    for cell in cells_of(range) {
        change(sheet.edit(cell));
    }
    Ok((range, range.cells()))
}

fn grid_of(editor: &WorkbookEdit<'_>, sheet: &str, at: &str) -> Result<String, EditError> {
    let place = editor.book.sheet_place(sheet).ok_or_else(|| no_sheet(&editor.book, at.to_owned(), sheet))?;
    grid_part(&editor.book, place).ok_or_else(|| EditError::new(at, format!("`{sheet}` has no cells")))
}

/// The number of the format that a cell shows: its own, its row's or its column's.
fn cell_format(source: &mut WorkbookEdit<'_>, from: &SheetRange, at: &str) -> Result<u32, Error> {
    let part = grid_of(source, &from.sheet, at)?;
    source.sheet(&part)?;
    let Some(state) = source.loaded(&part) else { return Ok(0) };
    let cell: CellRef = from.range.start();
    let mut own = None;
    walk_rows(state.stream(&source.package)?, &state.frame.rows, &mut |piece| {
        if let Piece::Row(row) = piece
            && row.number == cell.row()
        {
            let found = row.cells().find(|found| found.at == Some(cell));
            let custom = attr(row.tag(), b"customFormat").is_some_and(|value| matches!(value, b"1" | b"true"));
            let of_row = if custom { number_attr(row.tag(), b"s") } else { None };
            own = found.map(|found| found.style().unwrap_or(0)).or(of_row);
        }
        Ok(())
    })?;
    if let Some(own) = own {
        return Ok(own);
    }
    let frame = state.frame_part();
    let tree = frame.tree(source.package.limits())?;
    let columns = tree.root().child(Ns::S, "cols");
    let columns = columns.into_iter().flat_map(|list| list.children_named(Ns::S, "col"));
    let mut found = columns.filter_map(|node| {
        let number = |name: &str| node.attr(name)?.trim().parse::<u32>().ok();
        (number("min")?..=number("max")?).contains(&cell.col()).then(|| number("style"))?
    });
    Ok(found.next().unwrap_or(0))
}

/// Carries a cell format over: what it refers to is found or appended in the target.
fn carry(source: &Styles, target: &mut Styles, format: u32) -> Result<u32, Error> {
    let Some(xf) = source.xfs.get(format) else { return Ok(0) };
    let parent = xf.number("xfId").and_then(|id| source.style_name(id)).and_then(|name| target.style_xf(name));
    let mut carried = carried(source, target, xf);
    if target.has_style_xfs() {
        carried.set("xfId", parent.unwrap_or(0).to_string());
    } else {
        carried.unset("xfId");
    }
    Ok(target.add_xf(carried)?)
}

fn carried(source: &Styles, target: &mut Styles, xf: &Element) -> Element {
    let prefix = target.prefix().to_owned();
    let mut new = xf.reprefixed(&prefix);
    let id = |name: &str| xf.number(name).unwrap_or(0);
    let font = source.fonts.get(id("fontId")).map(|item| item.reprefixed(&prefix));
    let fill = source.fills.get(id("fillId")).map(|item| item.reprefixed(&prefix));
    let border = source.borders.get(id("borderId")).map(|item| item.reprefixed(&prefix));
    if let Some(item) = font {
        new.set("fontId", target.fonts.find_or_add(item).to_string());
    }
    if let Some(item) = fill {
        new.set("fillId", target.fills.find_or_add(item).to_string());
    }
    if let Some(item) = border {
        new.set("borderId", target.borders.find_or_add(item).to_string());
    }
    if let Some((_, code)) = source.formats.iter().find(|(known, _)| *known == id("numFmtId")) {
        new.set("numFmtId", target.number_format(code).to_string());
    }
    new
}

fn named_style(
    source: &mut WorkbookEdit<'_>,
    target: &mut WorkbookEdit<'_>,
    name: &str,
    at: &str,
) -> Result<String, Error> {
    let from = source.styles()?;
    let Some(entry) = from.named(name).cloned() else {
        let known = from.style_names();
        let near = nearest(name, known.iter().map(String::as_str));
        let near = if near.is_empty() { known.into_iter().take(5).collect() } else { near };
        let why = format!("the source has no named style `{name}`");
        return Err(EditError::new(at, why).suggest(near).into());
    };
    let to = target.styles()?;
    if to.named(name).is_some() {
        target.warnings.push(format!("{at}: the target has the named style `{name}` already; it was left as it is"));
        return Ok(format!("The named style {name} was there already."));
    }
    let xf = from.style_xfs.get(entry.number("xfId").unwrap_or(0)).cloned();
    let xf = xf.unwrap_or_else(|| Element::new("xf"));
    let carried = carried(from, to, &xf);
    to.add_named(&entry, carried);
    Ok(format!("Copied the named style {name}."))
}
