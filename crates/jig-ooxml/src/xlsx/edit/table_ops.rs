//! `add_table`, `edit_table`, `delete_table`.

use std::collections::BTreeMap;
use std::sync::Arc;

use jig_file_api::ops::xlsx::{AddTable, DeleteTable, EditTable, TableLook, TableTotal};

use super::current_cells::{Source, current_cells};
use super::drawings::relationship_prefix;
use super::layout::{filled, range_at};
use super::order::{WORKSHEET, insert_in_order};
use super::rewrite_references::{Rewriter, rewrite, uses_table};
use super::sheets::{drop_part, is_used};
use super::stale::Stale;
use super::tables::Table;
use super::values::{NewValue, number_text};
use super::{CellWrite, WorkbookEdit, grid_part, listed};
use crate::content_types::ContentTypes;
use crate::edit::{EditError, OpInput, OpReport, nearest};
use crate::error::Error;
use crate::relationships::Relationships;
use crate::xlsx::address::{CellRange, CellRef, MAX_ROW};
use crate::xlsx::formula::{CellValue, ParsedFormula, same_sheet};
use crate::xml::{Node, Ns, Splice, escape_attribute, strip_illegal};

const TABLE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.table+xml";
/// The style of a new table.
const STYLE: &str = "TableStyleMedium2";
/// Functions of totals: the word of an op, that of the file, and the number for `SUBTOTAL`.
const FUNCTIONS: [(&str, &str, u32); 8] = [
    ("sum", "sum", 109),
    ("average", "average", 101),
    ("count", "count", 103),
    ("count_numbers", "countNums", 102),
    ("max", "max", 104),
    ("min", "min", 105),
    ("std_dev", "stdDev", 107),
    ("var", "var", 110),
];

/// A table of the workbook with its sheet.
struct Located {
    sheet: String,
    part: String,
    place: usize,
    table: Table,
}

/// Turns cells into a table.
pub(super) fn add(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: AddTable) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let range = range_at(&op.range, &input.at("range"))?;
    if range.rows() < 2 || range.rows() == MAX_ROW {
        let why = format!("a table has a row of headers and at least one row of data (got {range})");
        return Err(input.error("range", why).into());
    }
    let all = all_tables(editor)?;
    let name = match op.name.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) => {
            check_name(editor, input, "name", name, &all)?;
            name.to_owned()
        }
        None => {
            let mut names = (all.len() + 1..).map(|number| format!("Table{number}"));
            let free = |name: &String| name_is_free(editor, name, &all);
            names.find(free).unwrap_or_else(|| "Table".to_owned())
        }
    };
    check_place(editor, input, &part, range, None)?;
    let style = style_name(editor, input, op.look.style.as_deref())?.unwrap_or_else(|| STYLE.to_owned());
    let source = Source { place, sheet: op.sheet.clone(), part: part.clone(), range };
    let columns = headers(editor, input, &source, &BTreeMap::new())?;
    editor.flush()?;
    let id = all.iter().filter_map(|found| table_id(editor, &found.table.part)).max().unwrap_or(0).saturating_add(1);
    let target = editor.fresh_part("tables/table{}.xml");
    let text = markup(&name, id, range, &columns, &style, &op.look, editor.namespace()?);
    editor.package.set(&target, text.as_bytes());
    ContentTypes::add(&mut editor.package, &target, TABLE)?;
    let rel_id = Relationships::add(&mut editor.package, &part, "table", &target)?;
    let strict = editor.is_strict()?;
    editor.edit_frame(&part, |root, splice| {
        let (p, id) = (root.prefix(), escape_attribute(&rel_id));
        let list = root.child(Ns::S, "tableParts");
        let (declared, r) = relationship_prefix(list.unwrap_or(root), strict);
        let entry = format!("<{p}tablePart{declared} {r}id=\"{id}\"/>");
        match list {
            Some(list) => {
                splice.append(list, entry);
                let count = list.elements().count() + 1;
                splice.set_attr(list, "count", &count.to_string());
            }
            None => {
                let markup = format!("<{p}tableParts count=\"1\">{entry}</{p}tableParts>");
                insert_in_order(splice, root, "tableParts", &markup, &WORKSHEET);
            }
        }
        Ok(())
    })?;
    editor.forget_tables();
    let mut range = range;
    if let Some(totals) = wanted_totals(&op.look) {
        let located = locate(editor, input, Some(&name), None)?;
        range = set_totals(editor, input, &located, Some(&totals))?;
    }
    let summary = format!("Added the table {name} on {range} of {} ({} columns).", op.sheet, columns.len());
    let report = OpReport::new(input, summary).with("sheet", op.sheet).with("table", name);
    Ok(report.with("range", range.to_string()).with("columns", columns.len()))
}

/// Changes a table.
pub(super) fn edit(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &EditTable) -> Result<OpReport, Error> {
    editor.flush()?;
    let mut located = locate(editor, input, op.table.as_deref(), op.sheet.as_deref())?;
    let look = &op.look;
    let mut done: Vec<String> = Vec::new();
    if let Some(new) = op.new_name.as_deref().map(str::trim).filter(|new| *new != located.table.name) {
        let old = located.table.name.clone();
        let others: Vec<Located> =
            all_tables(editor)?.into_iter().filter(|other| other.table.part != located.table.part).collect();
        check_name(editor, input, "new_name", new, &others)?;
        let rewriter = Rewriter::RenameTable { old: &old, new };
        let stale = Stale::new(editor, &rewriter);
        rewrite(editor, &stale)?;
        editor.edit_xml(&located.table.part.clone(), |root, splice| {
            splice.set_attr(root, "name", new);
            splice.set_attr(root, "displayName", new);
            Ok(())
        })?;
        editor.forget_tables();
        done.push(format!("renamed from {old}"));
        located = locate(editor, input, Some(new), None)?;
    }
    if let Some(text) = &op.range {
        let range = range_at(text, &input.at("range"))?;
        if range != located.table.range {
            resize(editor, input, &located, range)?;
            done.push(format!("resized to {range}"));
            located = locate(editor, input, Some(&located.table.name), None)?;
        }
    }
    let totals = wanted_totals(look);
    if totals.is_some() || (look.totals_row == Some(false) && located.table.totals_rows > 0) {
        set_totals(editor, input, &located, totals.as_deref())?;
        done.push(if totals.is_some() { "totals set" } else { "totals removed" }.to_owned());
        located = locate(editor, input, Some(&located.table.name), None)?;
    }
    if restyle(editor, input, look, &located.table.part)? {
        done.push("style changed".to_owned());
    }
    if done.is_empty() {
        let why = "nothing to change: give `new_name`, `range`, `style`, `totals_row` or `totals`";
        return Err(input.error("", why).into());
    }
    let (name, range) = (located.table.name.clone(), located.table.range);
    let summary = format!("Changed the table {name} on {}: {}.", located.sheet, done.join(", "));
    let report = OpReport::new(input, summary).with("sheet", located.sheet).with("table", name);
    Ok(report.with("range", range.to_string()))
}

/// Turns a table into plain cells.
pub(super) fn delete(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &DeleteTable) -> Result<OpReport, Error> {
    editor.flush()?;
    let located = locate(editor, input, op.table.as_deref(), op.sheet.as_deref())?;
    let name = located.table.name.clone();
    let users = users_of(editor, &located)?;
    if !users.is_empty() {
        let why = format!(
            "formulas use the table {name}: {}; change them to cells such as `A2:A9` first",
            listed(users.into_iter(), 8)
        );
        return Err(input.error("table", why).into());
    }
    let relationships = Relationships::read(&editor.package, &located.part)?;
    let entry = relationships.list.iter().find(|found| found.part.as_deref() == Some(located.table.part.as_str()));
    if let Some(id) = entry.map(|found| found.id.clone()) {
        editor.edit_frame(&located.part, |root, splice| {
            let Some(list) = root.child(Ns::S, "tableParts") else { return Ok(()) };
            let entry = list.elements().find(|node| node.attr_ns(Ns::R, "id").as_deref() == Some(id.as_str()));
            match entry {
                Some(_) if list.elements().count() == 1 => splice.remove(list),
                Some(entry) => {
                    splice.remove(entry);
                    if list.attr("count").is_some() {
                        splice.set_attr(list, "count", &(list.elements().count() - 1).to_string());
                    }
                }
                None => {}
            }
            Ok(())
        })?;
        Relationships::remove(&mut editor.package, &located.part, &id)?;
    }
    if !is_used(&editor.package, &located.table.part)? {
        drop_part(editor, &located.table.part)?;
    }
    editor.forget_tables();
    let range = located.table.range;
    let summary = format!("Turned the table {name} on {range} of {} into plain cells.", located.sheet);
    let report = OpReport::new(input, summary).with("sheet", located.sheet).with("table", name);
    Ok(report.with("range", range.to_string()))
}

/// Cells and names whose formulas name a table, except those of the table's own row of totals.
fn users_of(editor: &mut WorkbookEdit<'_>, located: &Located) -> Result<Vec<String>, Error> {
    let table = &located.table.name;
    let mut users: Vec<String> = editor
        .book
        .names
        .iter()
        .filter(|name| uses_table(&name.formula, table))
        .map(|name| format!("the name {}", name.name))
        .collect();
    for place in 0..editor.book.sheets.len() {
        let Some(part) = grid_part(&editor.book, place).filter(|part| editor.package.has(part)) else { continue };
        let sheet = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
        let state = editor.sheet(&part)?;
        for stored in &state.formulas {
            let inside = place == located.place && located.table.range.contains(stored.at);
            let Some(formula) = state.parsed(stored) else { continue };
            let text = crate::xlsx::formula::FormulaText::text(formula.as_ref());
            // Inside the table, `[@Column]` needs no name.
            if uses_table(text, table) || (inside && text.contains('[')) {
                users.push(format!("{sheet}!{}", stored.at));
            }
        }
    }
    Ok(users)
}

fn all_tables(editor: &mut WorkbookEdit<'_>) -> Result<Vec<Located>, Error> {
    let mut found = Vec::new();
    for place in 0..editor.book.sheets.len() {
        let Some(part) = grid_part(&editor.book, place).filter(|part| editor.package.has(part)) else { continue };
        let sheet = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
        let tables = editor.tables(&part)?.clone();
        found.extend(tables.into_iter().map(|table| Located {
            sheet: sheet.clone(),
            part: part.clone(),
            place,
            table,
        }));
    }
    Ok(found)
}

/// The table that an op names.
fn locate(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    name: Option<&str>,
    sheet: Option<&str>,
) -> Result<Located, Error> {
    let mut all = all_tables(editor)?;
    if let Some(sheet) = sheet {
        let place = editor.place(input, "sheet", sheet)?;
        all.retain(|found| found.place == place);
    }
    let names: Vec<String> = all.iter().map(|found| found.table.name.clone()).collect();
    let have = if names.is_empty() { "none".to_owned() } else { listed(names.iter(), 10) };
    let Some(name) = name else {
        return match (all.len(), all.pop()) {
            (1, Some(one)) => Ok(one),
            _ => Err(input.error("table", format!("missing: the name of the table; tables: {have}")).into()),
        };
    };
    match all.into_iter().find(|found| same_sheet(&found.table.name, name)) {
        Some(found) => Ok(found),
        None => {
            let near = nearest(name, names.iter().map(String::as_str));
            Err(input.error("table", format!("unknown table `{name}`; tables: {have}")).suggest(near).into())
        }
    }
}

fn name_is_free(editor: &WorkbookEdit<'_>, name: &str, tables: &[Located]) -> bool {
    !tables.iter().any(|found| same_sheet(&found.table.name, name))
        && !editor.book.names.iter().any(|known| same_sheet(&known.name, name))
}

/// Checks Excel's rules for names of tables.
fn check_name(
    editor: &WorkbookEdit<'_>,
    input: &OpInput,
    field: &str,
    name: &str,
    tables: &[Located],
) -> Result<(), EditError> {
    let first = name.chars().next();
    let starts = first.is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '\\'));
    let fits = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '\\'));
    let reference = name.parse::<CellRef>().is_ok() || matches!(name, "R" | "r" | "C" | "c") || is_r1c1(name);
    if !starts || !fits || reference || name.chars().count() > 255 {
        let plain: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        let suggestion = if reference || !starts { format!("_{plain}") } else { plain };
        let why = format!(
            "invalid table name `{name}`: use letters, digits and `_`, starting with a letter, and no cell address"
        );
        return Err(input.error(field, why).suggest([suggestion]));
    }
    if !name_is_free(editor, name, tables) {
        return Err(input.error(field, format!("the workbook has a table or a name `{name}` already")));
    }
    Ok(())
}

fn is_r1c1(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    upper.strip_prefix('R').and_then(|rest| rest.split_once('C')).is_some_and(|(row, col)| digits(row) && digits(col))
}

/// Refuses a place where a table cannot be.
fn check_place(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    part: &str,
    range: CellRange,
    own: Option<&str>,
) -> Result<(), Error> {
    let hit = editor
        .tables(part)?
        .iter()
        .find(|table| Some(table.part.as_str()) != own && table.range.intersection(range).is_some());
    if let Some(table) = hit {
        let why = format!("{range} overlaps the table {} on {}", table.name, table.range);
        return Err(input.error("range", why).into());
    }
    let state = editor.sheet(part)?;
    let filter = {
        let frame = state.frame_part();
        let limits = *editor.package.limits();
        let tree = frame.tree(&limits)?;
        let node = tree.root().child(Ns::S, "autoFilter");
        node.and_then(|node| node.attr("ref")?.parse::<CellRange>().ok())
    };
    if let Some(filter) = filter.filter(|filter| filter.intersection(range).is_some()) {
        let why = format!("{range} overlaps the filter of the sheet on {filter}; a table has a filter of its own");
        return Err(input.error("range", why).into());
    }
    let merges = match editor.loaded(part) {
        Some(state) => state.merges(&editor.package)?,
        None => Vec::new(),
    };
    if let Some(merge) = merges.iter().find(|merge| merge.intersection(range).is_some()) {
        let why = format!("{range} has merged cells ({merge}); a table cannot have any");
        return Err(input.error("range", why).into());
    }
    Ok(())
}

/// The names of the columns: the texts of the header cells, which are written where they are missing, no texts or not
/// unique. `fixed` has names of columns that are known already, by column.
fn headers(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    source: &Source,
    fixed: &BTreeMap<u32, String>,
) -> Result<Vec<String>, Error> {
    let (row, left, right) = (source.range.start().row(), source.range.start().col(), source.range.end().col());
    let corners = CellRef::new(row, left).zip(CellRef::new(row, right));
    let line = corners.map_or(source.range, |(a, b)| CellRange::new(a, b));
    let cells = current_cells(editor, &source.with(line))?;
    let state = editor.sheet(&source.part)?;
    let formula = state.formulas.iter().find(|formula| line.contains(formula.at)).map(|formula| formula.at);
    if let Some(at) = formula {
        let why = format!("{at} has a formula; headers of a table are texts");
        return Err(input.error("range", why).into());
    }
    let mut names: Vec<String> = Vec::new();
    let (mut writes, mut changed) = (Vec::new(), Vec::new());
    for col in left..=right {
        let Some(at) = CellRef::new(row, col) else { continue };
        let value = cells.get(&at).and_then(|cell| cell.value.as_ref());
        let (text, is_text) = match value {
            Some(CellValue::Text(text)) => (text.clone(), true),
            Some(CellValue::Number(number)) => (number_text(*number), false),
            Some(CellValue::Bool(flag)) => (if *flag { "TRUE" } else { "FALSE" }.to_owned(), false),
            Some(CellValue::Error(error)) => (error.to_string(), false),
            Some(CellValue::Empty) | None => (String::new(), false),
        };
        let text = fixed.get(&col).cloned().unwrap_or(text);
        let plain = if text.trim().is_empty() { format!("Column{}", col - left + 1) } else { text.clone() };
        let taken = |name: &str| {
            names.iter().any(|known| same_sheet(known, name))
                || fixed.iter().any(|(at, known)| *at != col && same_sheet(known, name))
        };
        let mut name = plain.clone();
        let mut number = 2;
        while taken(&name) {
            name = format!("{plain}{number}");
            number += 1;
        }
        if name != text || !is_text {
            changed.push(format!("{at} `{name}`"));
            let value = Some(NewValue::Text(name.clone()));
            writes.push(CellWrite { at, value, patch: None, field: input.at("range") });
        }
        names.push(name);
    }
    if !changed.is_empty() {
        let why = "headers of a table are texts that differ; written";
        editor.warnings.push(format!("{}: {why}: {}", input.at("range"), listed(changed.into_iter(), 8)));
    }
    editor.write_cells(input, &source.part, writes)?;
    Ok(names)
}

fn table_id(editor: &WorkbookEdit<'_>, part: &str) -> Option<u32> {
    let content = editor.package.xml(part).ok()?;
    let tree = content.tree(editor.package.limits()).ok()?;
    tree.root().attr("id")?.trim().parse().ok()
}

/// The name of a column as the part of a table has it.
fn column_name(name: &str) -> String {
    escape_attribute(&name.replace("\r\n", "\n").replace('\n', "_x000a_")).into_owned()
}

fn markup(
    name: &str,
    id: u32,
    range: CellRange,
    columns: &[String],
    style: &str,
    look: &TableLook,
    namespace: &str,
) -> String {
    let list: String = columns
        .iter()
        .enumerate()
        .map(|(at, name)| format!("<tableColumn id=\"{}\" name=\"{}\"/>", at + 1, column_name(name)))
        .collect();
    let flag = |on: Option<bool>, usual: bool| u8::from(on.unwrap_or(usual));
    let style = if style.is_empty() { String::new() } else { format!(" name=\"{}\"", escape_attribute(style)) };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
         <table xmlns=\"{namespace}\" id=\"{id}\" name=\"{name}\" displayName=\"{name}\" ref=\"{range}\" totalsRowShown=\"0\">\
         <autoFilter ref=\"{range}\"/><tableColumns count=\"{}\">{list}</tableColumns>\
         <tableStyleInfo{style} showFirstColumn=\"{}\" showLastColumn=\"{}\" showRowStripes=\"{}\" showColumnStripes=\"{}\"/></table>",
        columns.len(),
        flag(look.first_column, false),
        flag(look.last_column, false),
        flag(look.banded_rows, true),
        flag(look.banded_columns, false),
    )
}

/// The name of a style as files write it; empty for none.
fn style_name(editor: &mut WorkbookEdit<'_>, input: &OpInput, given: Option<&str>) -> Result<Option<String>, Error> {
    let Some(given) = given.map(str::trim).filter(|given| !given.is_empty()) else { return Ok(None) };
    if given.eq_ignore_ascii_case("none") {
        return Ok(Some(String::new()));
    }
    let plain: String = given.chars().filter(|c| c.is_ascii_alphanumeric()).collect::<String>().to_lowercase();
    let plain = plain.strip_prefix("tablestyle").unwrap_or(&plain);
    for (word, spelled, most) in [("light", "Light", 21), ("medium", "Medium", 28), ("dark", "Dark", 11)] {
        let number = plain.strip_prefix(word).and_then(|rest| rest.parse::<u32>().ok());
        if let Some(number) = number.filter(|number| (1..=most).contains(number)) {
            return Ok(Some(format!("TableStyle{spelled}{number}")));
        }
    }
    let own = match editor.book.styles().filter(|part| editor.package.has(part)) {
        Some(part) => {
            let content = editor.package.xml(part)?;
            let tree = content.tree(editor.package.limits())?;
            let list = tree.root().child(Ns::S, "tableStyles");
            let styles = list.into_iter().flat_map(|list| list.children_named(Ns::S, "tableStyle"));
            styles.filter_map(|node| Some(node.attr("name")?.into_owned())).collect()
        }
        None => Vec::new(),
    };
    if own.iter().any(|name| name == given) {
        return Ok(Some(given.to_owned()));
    }
    let usual = ["TableStyleLight1", STYLE, "TableStyleMedium9", "TableStyleDark1"].map(str::to_owned);
    let near = nearest(given, own.iter().chain(&usual).map(String::as_str));
    let why = format!(
        "unknown table style `{given}`: use TableStyleLight1 to 21, TableStyleMedium1 to 28, TableStyleDark1 to 11 or `none`"
    );
    Err(input.error("style", why).suggest(if near.is_empty() { vec![STYLE.to_owned()] } else { near }).into())
}

/// Changes style and stripes; whether anything was given.
fn restyle(editor: &mut WorkbookEdit<'_>, input: &OpInput, look: &TableLook, part: &str) -> Result<bool, Error> {
    let style = style_name(editor, input, look.style.as_deref())?;
    let flags = [
        ("showFirstColumn", look.first_column),
        ("showLastColumn", look.last_column),
        ("showRowStripes", look.banded_rows),
        ("showColumnStripes", look.banded_columns),
    ];
    if style.is_none() && flags.iter().all(|(_, flag)| flag.is_none()) {
        return Ok(false);
    }
    editor.edit_xml(part, |root, splice| {
        match root.child(Ns::S, "tableStyleInfo") {
            Some(node) => {
                match style.as_deref() {
                    Some("") => splice.remove_attr(node, "name"),
                    Some(style) => splice.set_attr(node, "name", style),
                    None => {}
                }
                for (name, flag) in flags {
                    if let Some(flag) = flag {
                        splice.set_attr(node, name, if flag { "1" } else { "0" });
                    }
                }
            }
            None => {
                let p = root.prefix();
                let style = style.as_deref().filter(|style| !style.is_empty());
                let mut attributes =
                    style.map(|style| format!(" name=\"{}\"", escape_attribute(style))).unwrap_or_default();
                for (name, flag) in flags {
                    attributes.push_str(&format!(" {name}=\"{}\"", u8::from(flag == Some(true))));
                }
                let markup = format!("<{p}tableStyleInfo{attributes}/>");
                insert_in_order(splice, root, "tableStyleInfo", &markup, &ORDER);
            }
        }
        Ok(())
    })?;
    Ok(true)
}

/// Children of `table` in the order of the schema.
const ORDER: [&str; 5] = ["autoFilter", "sortState", "tableColumns", "tableStyleInfo", "extLst"];

/// Lets a table cover other cells.
fn resize(editor: &mut WorkbookEdit<'_>, input: &OpInput, located: &Located, range: CellRange) -> Result<(), Error> {
    let table = &located.table;
    let refused = |why: String| -> Error { input.error("range", why).into() };
    if table.totals_rows > 0 {
        let why = format!("the table {} has a row of totals; remove it with `totals_row: false` first", table.name);
        return Err(refused(why));
    }
    if range.start().row() != table.range.start().row() {
        let row = table.range.start().row();
        return Err(refused(format!("the headers of the table {} stay in row {row} (got {range})", table.name)));
    }
    if range.intersection(table.range).is_none() || range.rows() <= table.header_rows || range.rows() == MAX_ROW {
        let why = format!("{range} must overlap {} and have at least one row of data", table.range);
        return Err(refused(why));
    }
    check_place(editor, input, &located.part, range, Some(&table.part))?;
    let old_left = table.range.start().col();
    let kept: BTreeMap<u32, String> = table
        .columns
        .iter()
        .enumerate()
        .filter_map(|(at, (name, _))| Some((old_left + u32::try_from(at).ok()?, name.clone())))
        .filter(|(col, _)| (range.start().col()..=range.end().col()).contains(col))
        .collect();
    let source = Source { place: located.place, sheet: located.sheet.clone(), part: located.part.clone(), range };
    let names = if table.header_rows > 0 {
        headers(editor, input, &source, &kept)?
    } else {
        let name =
            |col: u32| kept.get(&col).cloned().unwrap_or_else(|| format!("Column{}", col - range.start().col() + 1));
        (range.start().col()..=range.end().col()).map(name).collect()
    };
    editor.flush()?;
    editor.edit_xml(&table.part, |root, splice| {
        splice.set_attr(root, "ref", &range.to_string());
        if let Some(filter) = root.child(Ns::S, "autoFilter") {
            splice.set_attr(filter, "ref", &range.to_string());
            // Filters count columns from the left.
            if range.start().col() != old_left || range.end().col() < table.range.end().col() {
                filter.elements().for_each(|node| splice.remove(node));
            }
        }
        if let Some(list) = root.child(Ns::S, "tableColumns") {
            set_columns(list, splice, range, old_left, &names);
        }
        Ok(())
    })?;
    editor.forget_tables();
    mark_changed(editor, &located.part, table.range);
    mark_changed(editor, &located.part, range);
    Ok(())
}

fn set_columns(list: Node<'_>, splice: &mut Splice<'_>, range: CellRange, old_left: u32, names: &[String]) {
    let nodes: Vec<Node<'_>> = list.children_named(Ns::S, "tableColumn").collect();
    let ids = nodes.iter().filter_map(|node| node.attr("id")?.trim().parse::<u32>().ok());
    let mut next = ids.max().unwrap_or(0).saturating_add(1);
    let p = list.prefix();
    let mut inner = String::new();
    for (col, name) in (range.start().col()..).zip(names) {
        let known = col.checked_sub(old_left).and_then(|at| nodes.get(at as usize));
        match known {
            Some(node) => inner.push_str(node.source()),
            None => {
                inner.push_str(&format!("<{p}tableColumn id=\"{next}\" name=\"{}\"/>", column_name(name)));
                next = next.saturating_add(1);
            }
        }
    }
    splice.set_inner(list, inner);
    splice.set_attr(list, "count", &names.len().to_string());
}

/// Marks cells of a table as changed, so that formulas that read it by its name are calculated.
fn mark_changed(editor: &mut WorkbookEdit<'_>, part: &str, range: CellRange) {
    let dirty = editor.dirty.entry(part.to_owned()).or_default();
    let rows = [range.start().row(), range.start().row() + 1, range.end().row()];
    for col in range.start().col()..=range.end().col() {
        dirty.extend(rows.into_iter().filter_map(|row| CellRef::new(row, col)));
    }
}

/// The totals that an op asks for; empty for the usual ones.
fn wanted_totals(look: &TableLook) -> Option<Vec<TableTotal>> {
    match (look.totals_row, &look.totals) {
        (Some(false), _) => None,
        (_, Some(list)) if !list.is_empty() => Some(list.clone()),
        (Some(true), _) => Some(Vec::new()),
        _ => None,
    }
}

/// A column's name inside a structured reference.
fn reference_name(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if matches!(c, '[' | ']' | '#' | '\'' | '@') {
            out.push('\'');
        }
        out.push(c);
    }
    out
}

/// What a cell of the row of totals has.
enum Total {
    Function(&'static str, u32),
    Label(String),
    Nothing,
}

/// Adds or changes the row of totals, or removes it; returns the cells that the table covers then.
fn set_totals(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    located: &Located,
    totals: Option<&[TableTotal]>,
) -> Result<CellRange, Error> {
    let table = &located.table;
    let had = table.totals_rows > 0;
    let cell = |row: u32, at: usize| CellRef::new(row, table.range.start().col() + u32::try_from(at).unwrap_or(0));
    let Some(totals) = totals else {
        let row = table.range.end().row();
        let end = CellRef::new(row.saturating_sub(1), table.range.end().col()).unwrap_or(table.range.end());
        let range = CellRange::new(table.range.start(), end);
        let blank = |at| CellWrite { at, value: Some(NewValue::Blank), patch: None, field: input.at("totals_row") };
        let writes = (0..table.columns.len()).filter_map(|at| cell(row, at)).map(blank).collect();
        editor.write_cells(input, &located.part, writes)?;
        editor.flush()?;
        editor.edit_xml(&table.part, |root, splice| {
            splice.set_attr(root, "ref", &range.to_string());
            splice.remove_attr(root, "totalsRowCount");
            splice.set_attr(root, "totalsRowShown", "0");
            let list = root.child(Ns::S, "tableColumns");
            for node in list.into_iter().flat_map(|list| list.children_named(Ns::S, "tableColumn")) {
                clear_total(node, splice);
            }
            Ok(())
        })?;
        editor.forget_tables();
        return Ok(range);
    };
    let row = if had { table.range.end().row() } else { table.range.end().row() + 1 };
    let Some(end) = CellRef::new(row, table.range.end().col()) else {
        return Err(input.error("totals_row", "there is no row below the table").into());
    };
    let range = CellRange::new(table.range.start(), end);
    if !had {
        let line = cell(row, 0).map_or(CellRange::from(end), |start| CellRange::new(start, end));
        let taken = filled(editor, &located.part, line)?;
        if !taken.is_empty() {
            let why = format!("{} below the table have values; insert a row first", listed(taken.iter(), 5));
            return Err(input.error("totals_row", why).into());
        }
        check_place(editor, input, &located.part, range, Some(&table.part))?;
    }
    let names: Vec<&str> = table.columns.iter().map(|(name, _)| name.as_str()).collect();
    let mut wanted: BTreeMap<usize, Total> = BTreeMap::new();
    for (index, total) in totals.iter().enumerate() {
        let Some(at) = names.iter().position(|name| same_sheet(name, total.column.trim())) else {
            let near = nearest(&total.column, names.iter().copied());
            let why = format!("the table {} has no column `{}`; it has {}", table.name, total.column, names.join(", "));
            return Err(input.error(&format!("totals[{index}].column"), why).suggest(near).into());
        };
        let function = total.function.as_deref().and_then(|word| FUNCTIONS.iter().find(|(name, ..)| *name == word));
        let total = match (function, total.label.as_deref()) {
            (Some((_, name, number)), _) => Total::Function(name, *number),
            (None, Some(label)) => Total::Label(strip_illegal(label).0.into_owned()),
            (None, None) => Total::Nothing,
        };
        wanted.insert(at, total);
    }
    if !had {
        wanted.entry(0).or_insert_with(|| Total::Label("Total".to_owned()));
        if totals.is_empty() && names.len() > 1 {
            wanted.entry(names.len() - 1).or_insert(Total::Function("sum", 109));
        }
    }
    editor.flush()?;
    editor.edit_xml(&table.part, |root, splice| {
        splice.set_attr(root, "ref", &range.to_string());
        splice.set_attr(root, "totalsRowCount", "1");
        splice.remove_attr(root, "totalsRowShown");
        let list = root.child(Ns::S, "tableColumns");
        let nodes = list.into_iter().flat_map(|list| list.children_named(Ns::S, "tableColumn"));
        for (at, node) in nodes.enumerate() {
            let Some(total) = wanted.get(&at) else { continue };
            clear_total(node, splice);
            match total {
                Total::Function(name, _) => {
                    splice.insert(node.attr_insert_at(), format!(" totalsRowFunction=\"{name}\""));
                }
                Total::Label(text) => {
                    splice.insert(node.attr_insert_at(), format!(" totalsRowLabel=\"{}\"", escape_attribute(text)));
                }
                Total::Nothing => {}
            }
        }
        Ok(())
    })?;
    editor.forget_tables();
    let writes = wanted.iter().filter_map(|(at, total)| {
        let value = match total {
            Total::Function(_, number) => {
                let name = names.get(*at)?;
                let text = format!("SUBTOTAL({number},{}[{}])", table.name, reference_name(name));
                NewValue::Formula(Arc::new(ParsedFormula::parse(text)))
            }
            Total::Label(text) => NewValue::Text(text.clone()),
            Total::Nothing => NewValue::Blank,
        };
        Some(CellWrite { at: cell(row, *at)?, value: Some(value), patch: None, field: input.at("totals") })
    });
    let writes = writes.collect();
    editor.write_cells(input, &located.part, writes)?;
    Ok(range)
}

fn clear_total(node: Node<'_>, splice: &mut Splice<'_>) {
    splice.remove_attr(node, "totalsRowFunction");
    splice.remove_attr(node, "totalsRowLabel");
    if let Some(formula) = node.child(Ns::S, "totalsRowFormula") {
        splice.remove(formula);
    }
}
