//! Defined names of cells, values and formulas.

use jig_file_api::ops::xlsx::{DefineName, DeleteName};
use serde_json::Value;

use super::order::{WORKBOOK, insert_in_order};
use super::values::{self, NewValue};
use super::{WorkbookEdit, grid_part, listed};
use crate::edit::{EditError, OpInput, OpReport, nearest};
use crate::error::Error;
use crate::xlsx::address::{CellRange, CellRef};
use crate::xlsx::formula::{self, ParsedFormula, prefixes, same_sheet};
use crate::xml::{Node, Ns, escape_attribute, escape_text, is_xml_char};

/// The most characters of a name, as in Excel.
const MOST_CHARS: usize = 255;

/// Defines a name, or gives one another meaning.
pub(super) fn define(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &DefineName) -> Result<OpReport, Error> {
    check_name(&op.name, input)?;
    // The name may refer to the initial sheet, which then must not be renamed for a later one.
    editor.spare = None;
    let scope = scope_of(editor, input, op.scope.as_deref())?;
    let refers_to = formula_of(editor, input, op)?;
    check_tables(editor, input, &op.name)?;
    let comment = op.comment.as_deref().map(|text| crate::xml::strip_illegal(text).0.into_owned());
    let mut old = None;
    editor.edit_book(|root, splice| {
        let prefix = root.prefix();
        let list = root.child(Ns::S, "definedNames");
        let found = list.and_then(|list| find(list, &op.name, scope));
        if let Some(node) = found {
            old = Some(node.text().into_owned());
            splice.set_text(node, &refers_to);
            if let Some(comment) = &comment {
                splice.set_attr(node, "comment", comment);
            }
            return Ok(());
        }
        let name = escape_attribute(&op.name);
        let comment = comment.as_deref().filter(|comment| !comment.is_empty());
        let comment = comment.map(|text| format!(" comment=\"{}\"", escape_attribute(text))).unwrap_or_default();
        let local = scope.map(|scope| format!(" localSheetId=\"{scope}\"")).unwrap_or_default();
        let text = escape_text(&refers_to);
        let markup = format!("<{prefix}definedName name=\"{name}\"{comment}{local}>{text}</{prefix}definedName>");
        match list {
            Some(list) => splice.append(list, markup),
            None => {
                let markup = format!("<{prefix}definedNames>{markup}</{prefix}definedNames>");
                insert_in_order(splice, root, "definedNames", &markup, &WORKBOOK);
            }
        }
        Ok(())
    })?;
    mark_users(editor, &op.name)?;
    let shown = format!("={}", prefixes::remove(&refers_to));
    let summary = match &old {
        None => format!("Defined the name {} as {shown}.", op.name),
        Some(_) => format!("Changed the name {} to {shown}.", op.name),
    };
    let change = OpReport::new(input, summary).with("name", op.name.clone()).with("refers_to", shown);
    let change = match scope.and_then(|scope| editor.book.sheets.get(scope)) {
        Some(sheet) => change.with("scope", sheet.name.clone()),
        None => change,
    };
    Ok(match old {
        Some(old) => change.with("old", format!("={}", prefixes::remove(&old))),
        None => change,
    })
}

/// Deletes a defined name.
pub(super) fn delete(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &DeleteName) -> Result<OpReport, Error> {
    let scope = scope_of(editor, input, op.scope.as_deref())?;
    let names = &editor.book.names;
    let is_named = |name: &&crate::xlsx::workbook_part::DefinedName| same_sheet(&name.name, &op.name);
    let named: Vec<_> = names.iter().filter(is_named).collect();
    // A name that holds on one sheet only needs no scope where there is no other of its name.
    let scope = match (scope, named.as_slice()) {
        (None, [only]) => only.sheet,
        (scope, _) => scope,
    };
    let Some(found) = named.iter().find(|name| name.sheet == scope) else {
        let known: Vec<&str> = names.iter().filter(|name| !name.hidden).map(|name| name.name.as_str()).collect();
        let have = if known.is_empty() {
            "the workbook has none".to_owned()
        } else {
            format!("the workbook has {}", listed(known.iter(), 10))
        };
        let why = format!("unknown name `{}`; {have}", op.name);
        return Err(input.error("name", why).suggest(nearest(&op.name, known.iter().copied())).into());
    };
    let (name, old) = (found.name.clone(), found.formula.clone());
    let users = mark_users(editor, &name)?;
    editor.edit_book(|root, splice| {
        let Some(list) = root.child(Ns::S, "definedNames") else { return Ok(()) };
        if let Some(node) = find(list, &name, scope) {
            let only = list.children_named(Ns::S, "definedName").count() == 1;
            splice.remove(if only { list } else { node });
        }
        Ok(())
    })?;
    if !users.is_empty() {
        let list = listed(users.into_iter(), 8);
        editor.warnings.push(format!("{}: formulas still use {name} and give #NAME?: {list}", input.at("name")));
    }
    let summary = format!("Deleted the name {name}.");
    Ok(OpReport::new(input, summary).with("name", name).with("old", format!("={}", prefixes::remove(&old))))
}

/// The entry of a name in a scope.
fn find<'t>(list: Node<'t>, name: &str, scope: Option<usize>) -> Option<Node<'t>> {
    list.children_named(Ns::S, "definedName").find(|node| {
        let local = node.attr("localSheetId").and_then(|id| id.trim().parse::<usize>().ok());
        local == scope && node.attr("name").is_some_and(|known| same_sheet(&known, name))
    })
}

fn scope_of(editor: &WorkbookEdit<'_>, input: &OpInput, scope: Option<&str>) -> Result<Option<usize>, EditError> {
    match scope.map(str::trim) {
        None | Some("") => Ok(None),
        Some(word) if ["workbook", "global"].iter().any(|known| word.eq_ignore_ascii_case(known)) => {
            // A sheet may have that name.
            Ok(editor.book.sheet_place(word))
        }
        Some(name) => editor.place(input, "scope", name).map(Some),
    }
}

/// Checks Excel's rules for names.
fn check_name(name: &str, input: &OpInput) -> Result<(), EditError> {
    let wrong = |why: &str| Err(input.error("name", format!("`{name}` cannot be a name: {why}")));
    if name.is_empty() {
        return wrong("it is empty");
    }
    if name.encode_utf16().count() > MOST_CHARS {
        return wrong("it has more than 255 characters");
    }
    if name.to_lowercase().starts_with("_xl") {
        return wrong("names that begin with `_xl` belong to Excel; print areas and titles have ops of their own");
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '\\' | '?') || !c.is_ascii();
    let starts = name.chars().next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '\\'));
    if !starts || !name.chars().all(|c| is_part(c) && is_xml_char(c) && !c.is_whitespace() && !c.is_control()) {
        let plain: String = name.chars().map(|c| if is_part(c) && !c.is_whitespace() { c } else { '_' }).collect();
        let plain = if plain.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == '?') {
            format!("_{plain}")
        } else {
            plain
        };
        let why = format!(
            "`{name}` cannot be a name: it must begin with a letter or `_`, and have only letters, digits, `_` and `.`"
        );
        return Err(input.error("name", why).suggest([plain]));
    }
    let is_cell = name.parse::<CellRef>().is_ok();
    let upper = name.to_ascii_uppercase();
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_r1c1 = match upper.strip_prefix('R') {
        Some(rest) => rest.split_once('C').map_or_else(|| digits(rest), |(row, col)| digits(row) && digits(col)),
        None => upper.strip_prefix('C').is_some_and(digits),
    };
    if is_cell || is_r1c1 || matches!(upper.as_str(), "TRUE" | "FALSE") {
        let why = format!("`{name}` cannot be a name: it reads as a cell or a value");
        return Err(input.error("name", why).suggest([format!("{name}_"), format!("_{name}")]));
    }
    Ok(())
}

/// A name and a table cannot share a name.
fn check_tables(editor: &mut WorkbookEdit<'_>, input: &OpInput, name: &str) -> Result<(), Error> {
    for place in 0..editor.book.sheets.len() {
        let Some(part) = grid_part(&editor.book, place).filter(|part| editor.package.has(part)) else { continue };
        // A table that cannot be read has no name that could collide.
        let Ok(tables) = editor.tables(&part) else { continue };
        if tables.iter().any(|table| same_sheet(&table.name, name)) {
            return Err(input.error("name", format!("`{name}` is the name of a table")).into());
        }
    }
    Ok(())
}

/// What the name stands for, as files store it: without `=`, with sheets named and references fixed by `$`.
fn formula_of(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &DefineName) -> Result<String, Error> {
    let rules = editor.rules();
    let text = op.refers_to.trim();
    let body = text.strip_prefix('=').unwrap_or(text).trim();
    // A text that is neither a formula nor an address is a constant, and needs quotes.
    let given = Value::from(format!("={body}"));
    let at = input.at("refers_to");
    let NewValue::Formula(parsed) = values::read(Some(&given), Some("formula"), &at, rules, &mut editor.warnings)?
    else {
        return Err(EditError::new(at, "missing or empty: give cells, a value or a formula").into());
    };
    let reads = parsed.dependencies();
    let names_own = reads.ranges.iter().any(|read| matches!(read.scope, formula::SheetScope::Own));
    let sheet = match &op.sheet {
        Some(sheet) => {
            let place = editor.place(input, "sheet", sheet)?;
            editor.book.sheets.get(place).map(|sheet| sheet.name.clone())
        }
        None if editor.book.sheets.len() == 1 => editor.book.sheets.first().map(|sheet| sheet.name.clone()),
        None => None,
    };
    if names_own && sheet.is_none() {
        let why = format!("`{body}` names no sheet; write it like `{}`", example(editor, body));
        return Err(EditError::new(at, why).suggest([example(editor, body)]).into());
    }
    for name in formula::sheets_of(parsed.as_ref()) {
        editor.place(input, "refers_to", &name)?;
    }
    let is_bare_word = reads.ranges.is_empty() && reads.functions.is_empty() && !reads.names.is_empty();
    if is_bare_word {
        let known = |name: &str| {
            editor.book.names.iter().any(|known| same_sheet(&known.name, name)) || same_sheet(name, &op.name)
        };
        if let Some(unknown) = reads.names.iter().find(|used| !known(&used.name)) {
            let why = format!("`{}` is not a cell, a value or a known name; write a text in quotes", unknown.name);
            return Err(EditError::new(at, why).suggest([format!("\"{body}\"")]).into());
        }
    }
    if reads.names.iter().any(|used| same_sheet(&used.name, &op.name)) {
        return Err(EditError::new(at, format!("the name `{}` cannot refer to itself", op.name)).into());
    }
    Ok(formula::fix_references(parsed.as_ref(), sheet.as_deref()).text.into_owned())
}

/// The reference with the first sheet in front.
fn example(editor: &WorkbookEdit<'_>, body: &str) -> String {
    let sheet = editor.book.sheets.first().map(|sheet| sheet.name.as_str()).unwrap_or_default();
    formula::fix_references(body, Some(sheet)).text.into_owned()
}

/// Marks the formulas that use a name for calculation, also by way of other names. Returns their cells.
pub(super) fn mark_users(editor: &mut WorkbookEdit<'_>, name: &str) -> Result<Vec<String>, Error> {
    let mut affected: Vec<String> = vec![name.to_lowercase()];
    let defined: Vec<(String, ParsedFormula)> = editor
        .book
        .names
        .iter()
        .map(|defined| (defined.name.to_lowercase(), ParsedFormula::parse(defined.formula.as_str())))
        .collect();
    loop {
        let uses = |formula: &ParsedFormula| {
            formula.dependencies().names.iter().any(|used| affected.contains(&used.name.to_lowercase()))
        };
        let more: Vec<String> = defined
            .iter()
            .filter(|(name, formula)| !affected.contains(name) && uses(formula))
            .map(|(name, _)| name.clone())
            .collect();
        if more.is_empty() {
            break;
        }
        affected.extend(more);
    }
    let mut users = Vec::new();
    for place in 0..editor.book.sheets.len() {
        let Some(part) = grid_part(&editor.book, place).filter(|part| editor.package.has(part)) else { continue };
        let sheet = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
        let state = editor.sheet(&part)?;
        let mut cells: Vec<CellRef> = Vec::new();
        let uses = |formula: &ParsedFormula| {
            let reads = formula.dependencies();
            reads.names.iter().any(|used| affected.contains(&used.name.to_lowercase()))
        };
        for stored in &state.formulas {
            if state.parsed(stored).is_some_and(|formula| uses(&formula)) {
                cells.push(stored.at);
            }
        }
        for (at, edit) in &state.cells {
            if matches!(&edit.value, Some(NewValue::Formula(formula)) if uses(formula)) {
                cells.push(*at);
            }
        }
        users.extend(cells.iter().map(|cell| format!("{sheet}!{cell}")));
        if !cells.is_empty() {
            editor.dirty.entry(part).or_default().extend(cells);
        }
    }
    Ok(users)
}

/// Sets a name that belongs to Excel and holds on one sheet, such as its print area; none removes it. Returns its old
/// formula.
pub(super) fn set_builtin(
    editor: &mut WorkbookEdit<'_>,
    place: usize,
    name: &str,
    refers_to: Option<&str>,
    hidden: bool,
) -> Result<Option<String>, Error> {
    let mut old = None;
    editor.edit_book(|root, splice| {
        let prefix = root.prefix();
        let list = root.child(Ns::S, "definedNames");
        let found = list.and_then(|list| find(list, name, Some(place)));
        old = found.map(|node| node.text().into_owned());
        match (found, refers_to) {
            (Some(node), Some(text)) => splice.set_text(node, text),
            (Some(node), None) => {
                let list = list.filter(|list| list.children_named(Ns::S, "definedName").count() == 1);
                splice.remove(list.unwrap_or(node));
            }
            (None, None) => {}
            (None, Some(text)) => {
                let hidden = if hidden { " hidden=\"1\"" } else { "" };
                let text = escape_text(text);
                let markup = format!(
                    "<{prefix}definedName name=\"{name}\" localSheetId=\"{place}\"{hidden}>{text}</{prefix}definedName>"
                );
                match list {
                    Some(list) => splice.append(list, markup),
                    None => {
                        let markup = format!("<{prefix}definedNames>{markup}</{prefix}definedNames>");
                        insert_in_order(splice, root, "definedNames", &markup, &WORKBOOK);
                    }
                }
            }
        }
        Ok(())
    })?;
    Ok(old)
}

/// A range of a sheet as names hold it: `Budget!$A$1:$B$9`.
pub(super) fn fixed_range(sheet: &str, range: CellRange) -> String {
    formula::fix_references(range.to_string().as_str(), Some(sheet)).text.into_owned()
}
