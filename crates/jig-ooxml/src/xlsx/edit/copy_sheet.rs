//! Copies a sheet with the parts that belong to it: drawings, charts, tables, comments. What they refer to on their own
//! sheet, the copies refer to on theirs.

use std::collections::{BTreeMap, HashMap, HashSet};

use jig_file_api::ops::xlsx::CopySheet;

use super::rewrite_references::formulas_with;
use super::sheet::FormulaEdit;
use super::sheets::{self, check_name};
use super::tabs;
use super::{WorkbookEdit, attachments, calc_chain, listed};
use crate::content_types::ContentTypes;
use crate::edit::{OpInput, OpReport};
use crate::error::Error;
use crate::relationships::{Relationships, rels_name};
use crate::xlsx::formula::{self, FormulaText, ParsedFormula};
use crate::xlsx::sheet::cell::CellType;
use crate::xlsx::sheet::rows::{Piece, walk_rows};
use crate::xlsx::workbook_part::WorkbookPart;
use crate::xml::{Ns, XmlPart, escape_attribute, escape_text};

/// Parts that several parts can share, by the last word of their relationship.
const SHARED: [&str; 12] = [
    "image",
    "hyperlink",
    "pivotCacheDefinition",
    "theme",
    "person",
    "externalLink",
    "customXml",
    "hdphoto",
    "media",
    "video",
    "audio",
    "printerSettings",
];
/// Parts that a copy would need entries in the workbook for.
const REFUSED: [(&str, &str); 3] = [("slicer", "slicers"), ("timeline", "timelines"), ("xmlMaps", "XML maps")];
/// The most parts that one sheet may have.
const MOST_PARTS: usize = 5_000;

/// Copies a sheet.
pub(super) fn copy_sheet(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: CopySheet) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let source = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let name = match op.new_name {
        Some(name) => name,
        None => free_name(&editor.book, &source),
    };
    check_name(&editor.book, &name, None, &input.at("new_name"))?;
    let position = match op.position {
        Some(position) => tabs::place_of(&editor.book, position, true, input)?,
        None => place + 1,
    };
    editor.flush()?;
    for (kind, what) in REFUSED {
        if Relationships::read(&editor.package, &part)?.of_kind(kind).next().is_some() {
            let why = format!("`{source}` has {what}, which cannot be copied with a sheet");
            return Err(input.error("sheet", why).into());
        }
    }
    let mut copier = Copier { done: BTreeMap::new(), tables: Vec::new(), links: HashSet::new() };
    let mut new_part = part.clone();
    copier.copy(editor, &part, &mut new_part)?;
    let tables = copier.tables.clone();
    add_entry(editor, place, &new_part, &name, position)?;
    editor.added.insert(new_part.clone());
    let names = local_names(editor, place, &source, &name, position, &tables)?;
    own_content(editor, &new_part, &source, &name, &tables)?;
    charts(editor, &copier, &source, &name)?;
    calc_chain::remove(&mut editor.package, &editor.book)?;
    editor.book = WorkbookPart::read(&editor.package)?;
    editor.forget_tables();
    tabs::recalculate_spans(editor)?;
    let summary = format!("Copied the sheet {source} to {name}.");
    let mut change = OpReport::new(input, summary).with("sheet", source).with("new_name", name.clone());
    change = change.with("position", position + 1).with("parts", copier.done.len());
    if !tables.is_empty() {
        let renamed: Vec<String> = tables.iter().map(|(old, new)| format!("{old} → {new}")).collect();
        change = change.with("tables", renamed);
    }
    if !names.is_empty() {
        change = change.with("names", listed(names.into_iter(), 10));
    }
    editor.created.push(name);
    Ok(change)
}

/// `NAME (2)`, within the length that Excel allows.
fn free_name(book: &WorkbookPart, source: &str) -> String {
    let base = match source.rsplit_once(" (") {
        Some((base, number)) if number.strip_suffix(')').is_some_and(|n| n.parse::<u32>().is_ok()) => base,
        _ => source,
    };
    let mut number = 2_u64;
    loop {
        let suffix = format!(" ({number})");
        let mut kept = base.to_owned();
        while kept.encode_utf16().count() + suffix.len() > 31 && kept.pop().is_some() {}
        let name = format!("{kept}{suffix}");
        if book.sheet_place(&name).is_none() {
            return name;
        }
        number += 1;
    }
}

/// Copies parts with their relationships.
struct Copier {
    /// Old and new names of parts.
    done: BTreeMap<String, String>,
    /// Old and new names of tables.
    tables: Vec<(String, String)>,
    /// Tables that were linked to a query.
    links: HashSet<String>,
}

impl Copier {
    /// Copies a part and those that belong to it. `new` gets the name of the copy.
    fn copy(&mut self, editor: &mut WorkbookEdit<'_>, part: &str, new: &mut String) -> Result<(), Error> {
        let mut waiting = vec![part.to_owned()];
        while let Some(old) = waiting.pop() {
            if self.done.contains_key(&old) || self.done.len() > MOST_PARTS {
                continue;
            }
            let copy = free_part(editor, &old);
            let bytes = editor.package.read(&old)?;
            editor.package.set(&copy, &bytes);
            let types = ContentTypes::read(&editor.package)?;
            if let Some(kind) = types.of(&old).map(str::to_owned) {
                ContentTypes::add(&mut editor.package, &copy, &kind)?;
            }
            self.done.insert(old.clone(), copy);
            for found in Relationships::read(&editor.package, &old)?.list {
                let Some(target) = found.part.filter(|target| editor.package.has(target)) else { continue };
                if !SHARED.contains(&found.kind.as_str()) && found.kind != "queryTable" {
                    waiting.push(target);
                }
            }
        }
        for (old, copy) in self.done.clone() {
            self.relations(editor, &old, &copy)?;
        }
        self.finish_tables(editor)?;
        if let Some(copy) = self.done.get(part) {
            new.clone_from(copy);
        }
        Ok(())
    }

    /// Copies the relationships of a part, with the ids that it uses, to the copies of their targets.
    fn relations(&mut self, editor: &mut WorkbookEdit<'_>, old: &str, copy: &str) -> Result<(), Error> {
        let name = rels_name(old);
        if !editor.package.has(&name) {
            return Ok(());
        }
        let list = Relationships::read(&editor.package, old)?.list;
        let mut markup = String::new();
        for found in list {
            if found.kind == "queryTable" {
                self.links.insert(copy.to_owned());
                continue;
            }
            let inside = found.part.as_ref().filter(|part| editor.package.has(part));
            let target = match inside {
                Some(part) => {
                    let part = self.done.get(part.as_str()).unwrap_or(part);
                    crate::relationships::relative(copy, part)
                }
                None => found.target.clone(),
            };
            let mode = if found.part.is_none() { " TargetMode=\"External\"" } else { "" };
            markup.push_str(&format!(
                "<Relationship Id=\"{}\" Type=\"{}\" Target=\"{}\"{mode}/>",
                escape_attribute(&found.id),
                escape_attribute(&found.type_uri),
                escape_attribute(&target)
            ));
        }
        let text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<Relationships xmlns=\"{}\">{markup}</Relationships>",
            Ns::Rels.uri()
        );
        editor.package.set_xml(&XmlPart::new(rels_name(copy), text));
        Ok(())
    }

    /// Gives the copies of tables ids and names of their own.
    fn finish_tables(&mut self, editor: &mut WorkbookEdit<'_>) -> Result<(), Error> {
        let types = ContentTypes::read(&editor.package)?;
        let is_table = |part: &str| types.of(part).is_some_and(|kind| kind.ends_with("spreadsheetml.table+xml"));
        let parts: Vec<String> = editor.package.names().filter(|part| is_table(part)).map(str::to_owned).collect();
        let copies: Vec<(String, String)> =
            self.done.iter().filter(|(_, copy)| is_table(copy)).map(|(a, b)| (a.clone(), b.clone())).collect();
        let (mut taken, mut last) = (HashSet::new(), 0);
        for part in parts.iter().filter(|part| !copies.iter().any(|(_, copy)| copy == *part)) {
            let content = editor.package.xml(part)?;
            let tree = content.tree(editor.package.limits())?;
            for name in ["name", "displayName"] {
                taken.extend(tree.root().attr(name).map(|name| name.to_lowercase()));
            }
            last = last.max(tree.root().attr("id").and_then(|id| id.trim().parse::<u32>().ok()).unwrap_or(0));
        }
        taken.extend(editor.book.names.iter().map(|name| name.name.to_lowercase()));
        for (_, copy) in copies {
            last += 1;
            let id = last;
            let linked = self.links.contains(&copy);
            let (mut old_name, mut new_name) = (String::new(), String::new());
            attachments::edit_part(editor, &copy, |root, splice| {
                let old = root.attr("displayName").or_else(|| root.attr("name")).unwrap_or_default().into_owned();
                let base = old.trim_end_matches(|c: char| c.is_ascii_digit());
                let base = if base.is_empty() { "Table" } else { base };
                let free = (2_u64..).map(|number| format!("{base}{number}"));
                let mut free = free.filter(|name| !taken.contains(&name.to_lowercase()));
                let new = free.next().unwrap_or_default();
                taken.insert(new.to_lowercase());
                splice.set_attr(root, "id", &id.to_string());
                splice.set_attr(root, "name", &new);
                splice.set_attr(root, "displayName", &new);
                if linked {
                    splice.remove_attr(root, "tableType");
                    splice.remove_attr(root, "connectionId");
                    for column in root.descendants().filter(|node| node.is(Ns::S, "tableColumn")) {
                        splice.remove_attr(column, "queryTableFieldId");
                    }
                }
                (old_name, new_name) = (old, new);
            })?;
            if linked {
                editor.warnings.push(format!("the copy of the table {old_name} is not linked to its query"));
            }
            self.tables.push((old_name, new_name));
        }
        Ok(())
    }
}

/// A part name beside the old one that no part has.
fn free_part(editor: &WorkbookEdit<'_>, old: &str) -> String {
    let (stem, extension) = old.rsplit_once('.').unwrap_or((old, "xml"));
    let base = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    editor.package.free_name(&format!("{base}{{}}.{extension}"))
}

/// Adds the copy to the list of sheets.
fn add_entry(
    editor: &mut WorkbookEdit<'_>,
    source: usize,
    part: &str,
    name: &str,
    position: usize,
) -> Result<(), Error> {
    let kind = editor.book.sheets.get(source).map(|sheet| sheet.rel_id.clone()).unwrap_or_default();
    let kind =
        editor.book.relationships.by_id(&kind).map_or_else(|| "worksheet".to_owned(), |found| found.kind.clone());
    let book_part = editor.book.part.clone();
    let relationship = Relationships::add(&mut editor.package, &book_part, &kind, part)?;
    let id = editor.book.sheets.iter().map(|sheet| sheet.sheet_id).max().unwrap_or(0).saturating_add(1);
    let count = editor.book.sheets.len();
    editor.edit_book(|root, splice| {
        let prefix = root.prefix();
        let Some(list) = root.child(Ns::S, "sheets") else { return Ok(()) };
        let entries: Vec<_> = list.children_named(Ns::S, "sheet").collect();
        // The prefix that the other entries use for their relationship is declared here too.
        let r = list.attr_prefix_for(Ns::R);
        let (declared, r) = match r {
            Some(r) => (String::new(), r),
            None => {
                let strict = root.declared_namespace().is_some_and(|uri| uri == sheets::STRICT);
                let uri = if strict { "http://purl.oclc.org/ooxml/officeDocument/relationships" } else { Ns::R.uri() };
                (format!(" xmlns:r=\"{uri}\""), "r:".to_owned())
            }
        };
        let name = escape_attribute(name);
        let markup = format!("<{prefix}sheet{declared} name=\"{name}\" sheetId=\"{id}\" {r}id=\"{relationship}\"/>");
        match entries.get(position) {
            Some(next) => splice.before(*next, markup),
            None => splice.append(list, markup),
        }
        let order: Vec<usize> = (0..count).map(|old| if old >= position { old + 1 } else { old }).collect();
        tabs::renumber(root, splice, &order);
        Ok(())
    })?;
    editor.book = WorkbookPart::read(&editor.package)?;
    Ok(())
}

/// Copies the names that hold on the sheet only. Returns them.
fn local_names(
    editor: &mut WorkbookEdit<'_>,
    source: usize,
    old: &str,
    new: &str,
    position: usize,
    tables: &[(String, String)],
) -> Result<Vec<String>, Error> {
    let source = if source >= position { source + 1 } else { source };
    let mut names = Vec::new();
    editor.edit_book(|root, splice| {
        let Some(list) = root.child(Ns::S, "definedNames") else { return Ok(()) };
        for node in list.children_named(Ns::S, "definedName") {
            let local = node.attr("localSheetId").and_then(|id| id.trim().parse::<usize>().ok());
            if local != Some(source) {
                continue;
            }
            let text = copied_formula(&node.text(), old, new, tables);
            let open = node.tree().source().get(node.open_range()).unwrap_or_default();
            let open = open.trim_end_matches('>').trim_end_matches('/').trim_end();
            let range = node.attr_value_range("localSheetId");
            let start = node.range().start;
            let Some(range) = range else { continue };
            let mut tag = open.to_owned();
            tag.replace_range(range.start - start..range.end - start, &position.to_string());
            splice.append(list, format!("{tag}>{}</{}>", escape_text(&text), node.qualified()));
            names.push(node.attr("name").unwrap_or_default().into_owned());
        }
        Ok(())
    })?;
    Ok(names)
}

/// A formula of the copied sheet.
fn copied_formula(text: &str, old: &str, new: &str, tables: &[(String, String)]) -> String {
    let mut text = formula::copy_sheet(text, old, new).text.into_owned();
    for (table, copy) in tables {
        text = formula::rename_table(text.as_str(), table, copy).text.into_owned();
    }
    text
}

/// Rewrites the formulas of the copy, and takes out what only one sheet can have.
fn own_content(
    editor: &mut WorkbookEdit<'_>,
    part: &str,
    old: &str,
    new: &str,
    tables: &[(String, String)],
) -> Result<(), Error> {
    let rewrite = |text: &str| copied_formula(text, old, new, tables);
    editor.edit_frame(part, |root, splice| {
        formulas_with(root, splice, &rewrite);
        for node in root.descendants().filter(|node| node.is_element()) {
            match node.local() {
                "sheetPr" => splice.remove_attr(node, "codeName"),
                "sheetView" => splice.remove_attr(node, "tabSelected"),
                _ => {}
            }
        }
        Ok(())
    })?;
    let state = editor.sheet(part)?;
    let mut edits: HashMap<_, _> = HashMap::new();
    let mut touched = Vec::new();
    for group in state.shared.values() {
        if let Some((master, text)) = &group.master
            && rewrite(text) != *text
        {
            touched.push(crate::xlsx::address::CellRange::from(*master));
        }
    }
    super::relocate::unshare(editor, part, &touched)?;
    let state = editor.sheet(part)?;
    for stored in state.formulas.iter().filter(|stored| stored.group.is_none()) {
        let Some(parsed) = state.parsed(stored) else { continue };
        if matches!(stored.shape, formula::FormulaShape::DataTable(_)) {
            continue;
        }
        let text = rewrite(parsed.text());
        if text != parsed.text() {
            edits.insert(stored.at, text);
        }
    }
    for (at, text) in edits {
        state.edit(at).formula = Some(FormulaEdit::Text(text));
    }
    // The copy uses the shared strings once more.
    let mut uses = 0_i64;
    if let Some(state) = editor.loaded(part) {
        walk_rows(state.stream(&editor.package)?, &state.frame.rows, &mut |piece| {
            if let Piece::Row(row) = piece {
                uses += i64::try_from(row.cells().filter(|cell| cell.kind() == CellType::Shared).count()).unwrap_or(0);
            }
            Ok(())
        })?;
    }
    editor.release_strings(-uses);
    editor.flush()
}

/// Rewrites the formulas of the parts that were copied with the sheet: charts, controls, tables.
fn charts(editor: &mut WorkbookEdit<'_>, copier: &Copier, old: &str, new: &str) -> Result<(), Error> {
    let types = ContentTypes::read(&editor.package)?;
    let is_xml = |part: &str| types.of(part).is_some_and(|kind| kind.ends_with("+xml"));
    let holds = |part: &str| {
        let kind = types.of(part).unwrap_or_default();
        ["drawingml.chart", "chartex", "spreadsheetml.table", "controlproperties"]
            .iter()
            .any(|word| kind.contains(word))
    };
    let parts: Vec<String> = copier.done.values().filter(|part| is_xml(part) && holds(part)).cloned().collect();
    for part in parts {
        attachments::edit_part(editor, &part, |root, splice| {
            formulas_with(root, splice, &|text| copied_formula(text, old, new, &copier.tables));
        })?;
    }
    Ok(())
}

/// Whether a formula depends on which sheets there are, or on their order.
pub(super) fn depends_on_order(formula: &ParsedFormula) -> bool {
    let reads = formula.dependencies();
    reads.dynamic
        || reads.calls(formula::FunctionTrait::SheetList)
        || reads.ranges.iter().any(|read| matches!(read.scope, formula::SheetScope::Sheets(..)))
}
