//! Ops on sheets: ensure, rename, delete.

use super::receipt::CellRecords;
use super::rewrite_references::{self, Rewriter};
use super::stale::Stale;
use super::{WorkbookEdit, listed};
use super::{calc_chain, new};
use crate::content_types::ContentTypes;
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::Error;
use crate::relationships::{Relationships, rels_name};
use crate::xlsx::formula::same_sheet;
use crate::xlsx::sheet::rows::walk;
use crate::xlsx::workbook_part::{SheetState, WorkbookPart};
use crate::xml::{Node, Ns, Splice, escape_attribute};
use jig_file_api::ops::xlsx::{DeleteSheet, EnsureSheet, RenameSheet};

pub(super) const STRICT: &str = "http://purl.oclc.org/ooxml/spreadsheetml/main";

/// Makes sure that there is a sheet of this name.
pub(super) fn ensure(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: EnsureSheet) -> Result<OpReport, Error> {
    if let Some(place) = editor.book.sheet_place(&op.sheet) {
        // The op names the initial sheet, so it must not be renamed for a later one.
        editor.spare = None;
        let name = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
        let summary = format!("The sheet {name} was there already.");
        return Ok(OpReport::new(input, summary).with("sheet", name).with("created", false));
    }
    create(editor, &input.at("sheet"), &op.sheet)?;
    let summary = format!("Added the sheet {}.", op.sheet);
    Ok(OpReport::new(input, summary).with("sheet", op.sheet).with("created", true))
}

/// Adds a missing sheet that an op names, unless sheets must exist. The receipt reports it with the most similar name,
/// because the name could be misspelt.
pub(super) fn create_named(editor: &mut WorkbookEdit<'_>, at: &str, name: &str) -> Result<(), Error> {
    if editor.book.sheet_place(name).is_some() {
        return Ok(());
    }
    if editor.options.must_exist {
        return Err(super::no_sheet(&editor.book, at.to_owned(), name).into());
    }
    let others: Vec<String> = editor.book.sheets.iter().map(|sheet| sheet.name.clone()).collect();
    let spare = editor.spare.is_some();
    create(editor, at, name)?;
    let near = crate::edit::nearest(name, others.iter().map(String::as_str).filter(|_| !spare));
    let near = near.first().map(|near| format!("; the workbook also has `{near}`")).unwrap_or_default();
    editor.warnings.push(format!("{at}: created the sheet `{name}`{near}"));
    editor.created.push(name.to_owned());
    Ok(())
}

/// Adds a sheet, or renames the unused initial sheet of a new workbook.
pub(super) fn create(editor: &mut WorkbookEdit<'_>, at: &str, name: &str) -> Result<(), Error> {
    check_name(&editor.book, name, None, at)?;
    match editor.spare.take() {
        Some(part) => rename_entry(editor, &part, name),
        None => add(editor, name),
    }
}

/// Checks Excel's rules for sheet names.
pub(super) fn check_name(book: &WorkbookPart, name: &str, own: Option<usize>, at: &str) -> Result<(), EditError> {
    let wrong = |why: &str| Err(EditError::new(at, format!("`{name}` cannot be the name of a sheet: {why}")));
    let length = name.encode_utf16().count();
    if length == 0 || name.trim().is_empty() {
        return wrong("it is empty");
    }
    if length > 31 {
        let short: String = name.chars().take(31).collect();
        let why = format!("`{name}` cannot be the name of a sheet: it has {length} characters, 31 are allowed");
        return Err(EditError::new(at, why).suggest([short.trim_end_matches('\'').trim_end().to_owned()]));
    }
    if name.contains([':', '\\', '/', '?', '*', '[', ']']) {
        let plain = name.replace([':', '\\', '/', '?', '*', '[', ']'], "-");
        let why = format!("`{name}` cannot be the name of a sheet: it contains one of : \\ / ? * [ ]");
        return Err(EditError::new(at, why).suggest([plain]));
    }
    if name.starts_with('\'') || name.ends_with('\'') {
        return wrong("it begins or ends with '");
    }
    if name.chars().any(|c| c.is_control() || !crate::xml::is_xml_char(c)) {
        return wrong("it contains a control character");
    }
    if name.eq_ignore_ascii_case("History") {
        return wrong("Excel keeps that name for itself");
    }
    let taken =
        book.sheets.iter().enumerate().find(|(place, sheet)| Some(*place) != own && same_sheet(&sheet.name, name));
    match taken {
        Some((_, sheet)) => wrong(&format!("the sheet {} has it", sheet.name)),
        None => Ok(()),
    }
}

fn add(editor: &mut WorkbookEdit<'_>, name: &str) -> Result<(), Error> {
    let namespace = editor.namespace()?;
    let strict = namespace == STRICT;
    let part = editor.sibling("worksheets/sheet{}.xml", "worksheets/sheet1.xml");
    let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
    editor.package.set(&part, format!("{declaration}{}", new::sheet(namespace)).as_bytes());
    let relationship = editor.link("worksheet", &part, "worksheet")?;
    editor.added.insert(part);
    let id = editor.book.sheets.iter().map(|sheet| sheet.sheet_id).max().unwrap_or(0).saturating_add(1);
    editor.edit_book(|root, splice| {
        let prefix = root.prefix();
        let list = root.child(Ns::S, "sheets");
        let around = list.unwrap_or(root);
        let (declared, r) = match around.attr_prefix_for(Ns::R) {
            Some(r) => (String::new(), r),
            None => {
                let uri = if strict { "http://purl.oclc.org/ooxml/officeDocument/relationships" } else { Ns::R.uri() };
                (format!(" xmlns:r=\"{uri}\""), "r:".to_owned())
            }
        };
        let name = escape_attribute(name);
        let markup = format!("<{prefix}sheet{declared} name=\"{name}\" sheetId=\"{id}\" {r}id=\"{relationship}\"/>");
        match list {
            Some(list) => splice.append(list, markup),
            None => {
                let markup = format!("<{prefix}sheets>{markup}</{prefix}sheets>");
                super::order::insert_in_order(splice, root, "sheets", &markup, &super::order::WORKBOOK);
            }
        }
        Ok(())
    })
}

/// Changes the name in the list of sheets only.
fn rename_entry(editor: &mut WorkbookEdit<'_>, part: &str, name: &str) -> Result<(), Error> {
    let place = editor.book.sheets.iter().position(|sheet| sheet.part.as_deref() == Some(part)).unwrap_or(0);
    rename_at(editor, place, name)
}

fn rename_at(editor: &mut WorkbookEdit<'_>, place: usize, name: &str) -> Result<(), Error> {
    editor.edit_book(|root, splice| {
        if let Some(node) = entry(root, place) {
            splice.set_attr(node, "name", name);
        }
        Ok(())
    })
}

fn entry(root: Node<'_>, place: usize) -> Option<Node<'_>> {
    root.child(Ns::S, "sheets")?.children_named(Ns::S, "sheet").nth(place)
}

/// Gives a sheet another name, in formulas too.
pub(super) fn rename(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: RenameSheet) -> Result<OpReport, Error> {
    let place = editor.place(input, "sheet", &op.sheet)?;
    check_name(&editor.book, &op.new_name, Some(place), &input.at("new_name"))?;
    let old = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    if editor.spare.is_some() && editor.book.sheets.get(place).and_then(|s| s.part.clone()) == editor.spare {
        editor.spare = None;
    }
    if old != op.new_name {
        editor.flush()?;
        let rewriter = Rewriter::Rename { old: &old, new: &op.new_name };
        let stale = Stale::new(editor, &rewriter);
        rewrite_references::rewrite(editor, &stale)?;
        rename_at(editor, place, &op.new_name)?;
    }
    let summary = format!("Renamed the sheet {old} to {}.", op.new_name);
    Ok(OpReport::new(input, summary).with("sheet", op.new_name).with("old_name", old))
}

/// Deletes a sheet and everything only it uses.
pub(super) fn delete(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &DeleteSheet) -> Result<OpReport, Error> {
    let place = editor.place(input, "sheet", &op.sheet)?;
    let Some(sheet) = editor.book.sheets.get(place).cloned() else {
        return Err(input.error("sheet", "there is no such sheet").into());
    };
    let others = editor.book.sheets.iter().enumerate();
    let visible = others.filter(|(at, other)| *at != place && other.state == SheetState::Visible).count();
    if visible == 0 {
        let why = format!("`{}` is the last visible sheet; a workbook needs one", sheet.name);
        return Err(input.error("sheet", why).into());
    }
    editor.flush()?;
    editor.spare = None;
    let deleted = match &sheet.part {
        Some(part) if sheet.kind.has_cells() && editor.package.has(part) => cells_of_sheet(editor, part),
        _ => CellRecords::default(),
    };
    let order: Vec<String> = editor.book.sheets.iter().map(|sheet| sheet.name.clone()).collect();
    let order: Vec<&str> = order.iter().map(String::as_str).collect();
    let rewriter = Rewriter::Delete { name: &sheet.name, order: &order };
    let stale = Stale::new(editor, &rewriter);
    if let Some(part) = &sheet.part {
        editor.forget(part);
    }
    let removed = take_out(editor, place)?;
    if let Some(part) = &sheet.part
        && !is_used(&editor.package, part)?
    {
        drop_part(editor, part)?;
    }
    calc_chain::remove(&mut editor.package, &editor.book)?;
    editor.book = WorkbookPart::read(&editor.package)?;
    rewrite_references::rewrite(editor, &stale)?;
    if !removed.is_empty() {
        let list = listed(removed.into_iter(), 5);
        editor.warnings.push(format!("{}: names of the deleted sheet are gone too: {list}", input.at("sheet")));
    }
    let summary = format!("Deleted the sheet {}.", sheet.name);
    let change = OpReport::new(input, summary).with("sheet", sheet.name);
    let strings = editor.book.shared_strings().filter(|part| editor.package.has(part));
    Ok(deleted.report_deleted(change, &editor.package, strings)?)
}

/// The cells that a sheet holds.
fn cells_of_sheet(editor: &mut WorkbookEdit<'_>, part: &str) -> CellRecords {
    let mut records = CellRecords::default();
    if editor.sheet(part).is_ok()
        && let Some(state) = editor.loaded(part)
    {
        // A damaged sheet can be deleted too; what could be read of it is reported.
        let _ = state.stream(&editor.package).and_then(|stream| {
            walk(stream, &mut |row| {
                row.cells().for_each(|cell| records.note_deleted(state, &cell));
                Ok(())
            })
        });
    }
    records
}

/// Removes the sheet from the workbook part: its entry, its names, and shifts every sheet index.
fn take_out(editor: &mut WorkbookEdit<'_>, place: usize) -> Result<Vec<String>, Error> {
    let mut removed = Vec::new();
    let relationship = editor.book.sheets.get(place).map(|sheet| sheet.rel_id.clone()).unwrap_or_default();
    let states: Vec<SheetState> = editor.book.sheets.iter().map(|sheet| sheet.state).collect();
    editor.edit_book(|root, splice| {
        if let Some(node) = entry(root, place) {
            splice.remove(node);
        }
        take_out_names(root, splice, place, &mut removed);
        let views = root.child(Ns::S, "bookViews");
        for view in views.into_iter().flat_map(|views| views.children_named(Ns::S, "workbookView")) {
            for name in ["activeTab", "firstSheet"] {
                let Some(old) = view.attr(name).and_then(|value| value.trim().parse::<usize>().ok()) else { continue };
                let new = shown_after(old, place, &states);
                if new != old {
                    splice.set_attr(view, name, &new.to_string());
                }
            }
        }
        Ok(())
    })?;
    let part = editor.book.part.clone();
    // Damaged workbooks have several sheets with one relationship: the others keep it.
    let mut others = editor.book.sheets.iter().enumerate().filter(|(at, _)| *at != place);
    if !others.any(|(_, other)| other.rel_id == relationship) {
        Relationships::remove(&mut editor.package, &part, &relationship)?;
    }
    editor.book = WorkbookPart::read(&editor.package)?;
    Ok(removed)
}

/// The index of a visible sheet to show after a deletion.
fn shown_after(old: usize, gone: usize, states: &[SheetState]) -> usize {
    let left: Vec<SheetState> = states.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, s)| *s).collect();
    let moved = if old > gone { old - 1 } else { old };
    let moved = moved.min(left.len().saturating_sub(1));
    if left.get(moved) == Some(&SheetState::Visible) {
        return moved;
    }
    left.iter().position(|state| *state == SheetState::Visible).unwrap_or(0)
}

fn take_out_names(root: Node<'_>, splice: &mut Splice<'_>, place: usize, removed: &mut Vec<String>) {
    let Some(list) = root.child(Ns::S, "definedNames") else { return };
    let nodes: Vec<Node<'_>> = list.children_named(Ns::S, "definedName").collect();
    let own = |node: &Node<'_>| node.attr("localSheetId").and_then(|value| value.trim().parse::<usize>().ok());
    if !nodes.is_empty() && nodes.iter().all(|node| own(node) == Some(place)) {
        removed.extend(nodes.iter().filter_map(|node| node.attr("name")).map(std::borrow::Cow::into_owned));
        splice.remove(list);
        return;
    }
    for node in nodes {
        match own(&node) {
            Some(sheet) if sheet == place => {
                removed.extend(node.attr("name").map(std::borrow::Cow::into_owned));
                splice.remove(node);
            }
            Some(sheet) if sheet > place => splice.set_attr(node, "localSheetId", &(sheet - 1).to_string()),
            _ => {}
        }
    }
}

/// Removes a part with its relationships, and the parts that nothing else uses.
pub(super) fn drop_part(editor: &mut WorkbookEdit<'_>, part: &str) -> Result<(), Error> {
    let package = &mut editor.package;
    let mut waiting = vec![part.to_owned()];
    let mut gone: Vec<String> = Vec::new();
    while let Some(part) = waiting.pop() {
        let targets: Vec<String> =
            Relationships::read(package, &part)?.list.into_iter().filter_map(|found| found.part).collect();
        package.remove(&rels_name(&part));
        package.remove(&part);
        ContentTypes::remove(package, &part)?;
        gone.push(part);
        for target in targets {
            let known = gone.contains(&target) || waiting.contains(&target);
            if !known && package.has(&target) && !is_used(package, &target)? {
                waiting.push(target);
            }
        }
    }
    Ok(())
}

/// Whether any part that is left refers to a part.
pub(super) fn is_used(package: &crate::package::Package, target: &str) -> Result<bool, Error> {
    let owners: Vec<String> = package
        .names()
        .filter_map(|name| {
            let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
            let owner = file.strip_suffix(".rels")?;
            let folder = folder.strip_suffix("_rels")?;
            Some(format!("{folder}{owner}"))
        })
        .collect();
    for owner in owners {
        // What cannot be read (droppings of an archiver, say) uses nothing.
        let list = Relationships::read(package, &owner).unwrap_or_default().list;
        if list.iter().any(|found| found.part.as_deref().is_some_and(|part| part.eq_ignore_ascii_case(target))) {
            return Ok(true);
        }
    }
    Ok(false)
}
