//! The tabs of sheets: their order, their colours, and which are shown.

use jig_file_api::ops::xlsx::{HideSheet, MoveSheet, SetTabColor, ShowSheet};

use super::copy_sheet::depends_on_order;
use super::order::{WORKSHEET, insert_in_order};
use super::{WorkbookEdit, grid_part};
use crate::edit::{Color, EditError, OpInput, OpReport};
use crate::error::Error;
use crate::xlsx::workbook_part::{SheetState, WorkbookPart};
use crate::xml::{Node, Ns, Splice};

/// Moves a sheet to another place among the tabs.
pub(super) fn move_sheet(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &MoveSheet) -> Result<OpReport, Error> {
    let from = editor.place(input, "sheet", &op.sheet)?;
    let to = place_of(&editor.book, op.position, false, input)?;
    editor.spare = None;
    let name = editor.book.sheets.get(from).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let report = |summary: String| {
        let change = OpReport::new(input, summary).with("sheet", name.clone());
        change.with("position", to + 1).with("old_position", from + 1)
    };
    if from == to {
        return Ok(report(format!("The sheet {name} is at place {} already.", to + 1)));
    }
    editor.flush()?;
    let count = editor.book.sheets.len();
    let mut sequence: Vec<usize> = (0..count).filter(|place| *place != from).collect();
    sequence.insert(to, from);
    let mut order = vec![0; count];
    for (new, old) in sequence.iter().enumerate() {
        if let Some(slot) = order.get_mut(*old) {
            *slot = new;
        }
    }
    editor.edit_book(|root, splice| {
        let Some(list) = root.child(Ns::S, "sheets") else { return Ok(()) };
        let entries: Vec<Node<'_>> = list.children_named(Ns::S, "sheet").collect();
        if let Some(entry) = entries.get(from) {
            let markup = entry.source().to_owned();
            let rest: Vec<&Node<'_>> = entries.iter().filter(|other| *other != entry).collect();
            splice.remove(*entry);
            match rest.get(to) {
                Some(next) => splice.before(**next, markup),
                None => {
                    if let Some(last) = rest.last() {
                        splice.after(**last, markup);
                    }
                }
            }
        }
        renumber(root, splice, &order);
        Ok(())
    })?;
    recalculate_spans(editor)?;
    Ok(report(format!("Moved the sheet {name} to place {}.", to + 1)))
}

/// The index of a place that counts from 1. `new`: there is one place more, for a sheet that is added.
pub(super) fn place_of(book: &WorkbookPart, position: u32, new: bool, input: &OpInput) -> Result<usize, EditError> {
    let count = book.sheets.len() + usize::from(new);
    let place = usize::try_from(position).ok().and_then(|position| position.checked_sub(1));
    place.filter(|place| *place < count).ok_or_else(|| {
        input.error("position", format!("the workbook has places 1 to {count} for this sheet (got {position})"))
    })
}

/// Gives names and views the new numbers of the sheets, by their old ones.
pub(super) fn renumber(root: Node<'_>, splice: &mut Splice<'_>, order: &[usize]) {
    let renumbered = |node: Node<'_>, name: &str, splice: &mut Splice<'_>| {
        let old = node.attr(name).and_then(|value| value.trim().parse::<usize>().ok());
        if let Some(new) = old.and_then(|old| order.get(old).filter(|new| **new != old)) {
            splice.set_attr(node, name, &new.to_string());
        }
    };
    let names = root.child(Ns::S, "definedNames");
    for node in names.into_iter().flat_map(|list| list.children_named(Ns::S, "definedName")) {
        renumbered(node, "localSheetId", splice);
    }
    let views = root.child(Ns::S, "bookViews");
    for view in views.into_iter().flat_map(|views| views.children_named(Ns::S, "workbookView")) {
        let is_first = view.attr("activeTab").is_none();
        renumbered(view, "activeTab", splice);
        // Without the attribute the first sheet is the active one.
        if is_first && let Some(new) = order.first().filter(|new| **new != 0) {
            splice.set_attr(view, "activeTab", &new.to_string());
        }
        renumbered(view, "firstSheet", splice);
    }
}

/// Marks formulas that read a span of sheets, or list the sheets, for calculation.
pub(super) fn recalculate_spans(editor: &mut WorkbookEdit<'_>) -> Result<(), Error> {
    for place in 0..editor.book.sheets.len() {
        let Some(part) = grid_part(&editor.book, place).filter(|part| editor.package.has(part)) else { continue };
        let state = editor.sheet(&part)?;
        let cells: Vec<_> = state
            .formulas
            .iter()
            .filter(|stored| state.parsed(stored).is_some_and(|formula| depends_on_order(&formula)))
            .map(|stored| stored.at)
            .collect();
        if !cells.is_empty() {
            editor.dirty.entry(part).or_default().extend(cells);
        }
    }
    Ok(())
}

/// Hides a sheet.
pub(super) fn hide_sheet(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &HideSheet) -> Result<OpReport, Error> {
    let place = editor.place(input, "sheet", &op.sheet)?;
    let name = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let visible: Vec<usize> = editor
        .book
        .sheets
        .iter()
        .enumerate()
        .filter(|(at, sheet)| *at != place && sheet.state == SheetState::Visible)
        .map(|(at, _)| at)
        .collect();
    let Some(next) = visible.iter().find(|at| **at > place).or(visible.last()).copied() else {
        let why = format!("`{name}` is the last visible sheet; a workbook needs one");
        return Err(input.error("sheet", why).into());
    };
    let state = if op.very_hidden == Some(true) { SheetState::VeryHidden } else { SheetState::Hidden };
    set_state(editor, place, state)?;
    if editor.book.active == place {
        activate(editor, place, next)?;
    }
    let summary = format!("Hid the sheet {name}.");
    Ok(OpReport::new(input, summary).with("sheet", name).with("state", state.as_str()))
}

/// Shows a hidden sheet.
pub(super) fn show_sheet(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &ShowSheet) -> Result<OpReport, Error> {
    let place = editor.place(input, "sheet", &op.sheet)?;
    let sheet = editor.book.sheets.get(place);
    let (name, old) = sheet.map_or((String::new(), SheetState::Visible), |sheet| (sheet.name.clone(), sheet.state));
    set_state(editor, place, SheetState::Visible)?;
    let summary = match old {
        SheetState::Visible => format!("The sheet {name} was visible already."),
        _ => format!("Showed the sheet {name}."),
    };
    Ok(OpReport::new(input, summary).with("sheet", name).with("state", "visible").with("old_state", old.as_str()))
}

fn set_state(editor: &mut WorkbookEdit<'_>, place: usize, state: SheetState) -> Result<(), Error> {
    editor.spare = None;
    editor.edit_book(|root, splice| {
        let list = root.child(Ns::S, "sheets");
        if let Some(node) = list.and_then(|list| list.children_named(Ns::S, "sheet").nth(place)) {
            match state {
                SheetState::Visible => splice.remove_attr(node, "state"),
                state => splice.set_attr(node, "state", state.as_str()),
            }
        }
        Ok(())
    })
}

/// Makes another sheet the active one.
fn activate(editor: &mut WorkbookEdit<'_>, old: usize, new: usize) -> Result<(), Error> {
    editor.edit_book(|root, splice| {
        let views = root.child(Ns::S, "bookViews");
        for view in views.into_iter().flat_map(|views| views.children_named(Ns::S, "workbookView")) {
            splice.set_attr(view, "activeTab", &new.to_string());
        }
        Ok(())
    })?;
    for (place, selected) in [(old, false), (new, true)] {
        let Some(part) = grid_part(&editor.book, place).filter(|part| editor.package.has(part)) else { continue };
        editor.edit_frame(&part, |root, splice| {
            let views = root.child(Ns::S, "sheetViews");
            for view in views.into_iter().flat_map(|views| views.children_named(Ns::S, "sheetView")) {
                if selected {
                    splice.set_attr(view, "tabSelected", "1");
                } else {
                    splice.remove_attr(view, "tabSelected");
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Children of `sheetPr` in the order of the schema.
const PROPERTIES: [&str; 3] = ["tabColor", "outlinePr", "pageSetUpPr"];

/// Puts an element into the properties of a sheet, in the place of one with its name; empty markup removes it.
pub(super) fn set_property(root: Node<'_>, splice: &mut Splice<'_>, name: &'static str, markup: &str) {
    let prefix = root.prefix();
    match root.child(Ns::S, "sheetPr") {
        Some(properties) => match properties.child(Ns::S, name) {
            Some(old) => splice.replace(old.range(), markup),
            None if markup.is_empty() => {}
            None => insert_in_order(splice, properties, name, markup, &PROPERTIES),
        },
        None if markup.is_empty() => {}
        None => {
            let markup = format!("<{prefix}sheetPr>{markup}</{prefix}sheetPr>");
            insert_in_order(splice, root, "sheetPr", &markup, &WORKSHEET);
        }
    }
}

/// Sets or removes the colour of a sheet's tab.
pub(super) fn set_tab_color(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: &SetTabColor,
) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let wrong = || input.error("color", format!("expected {}", Color::FORM));
    let color = op.color.as_deref().map(|text| Color::parse(text).ok_or_else(wrong)).transpose()?;
    editor.edit_frame(&part, |root, splice| {
        let prefix = root.prefix();
        let markup = color.as_ref().map(|color| format!("<{prefix}tabColor rgb=\"{}\"/>", color.argb()));
        set_property(root, splice, "tabColor", &markup.unwrap_or_default());
        Ok(())
    })?;
    let name = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    Ok(match color {
        Some(color) => OpReport::new(input, format!("Set the tab colour of {name} to {}.", color.hex()))
            .with("sheet", name)
            .with("color", color.hex()),
        None => OpReport::new(input, format!("Removed the tab colour of {name}.")).with("sheet", name),
    })
}
