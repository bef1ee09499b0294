//! Rewrites formulas wherever a workbook holds them: cells, names, conditional formats, validations, tables, charts,
//! pivots, controls.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;

use super::rows::settle_groups;
use super::sheet::{FormulaEdit, SheetState};
use super::stale::Stale;
use super::{WorkbookEdit, grid_part, listed};
use crate::content_types::ContentTypes;
use crate::edit::overlap;
use crate::error::{Error, InternalError, PackageError};
use crate::package::Package;
use crate::relationships::Relationships;
use crate::xlsx::address::{CellRange, CellRef};
use crate::xlsx::formula::{self, Edit, FormulaShape, FormulaText, MovedCells, Rewritten, TokenKind, same_sheet};
use crate::xlsx::sheet::markup::{self, local, tag_name};
use crate::xlsx::sheet::rows::{CellView, Piece, RowView, walk_rows};
use crate::xml::{Node, Ns, Splice};

/// The change that formulas must follow.
pub(super) enum Rewriter<'a> {
    /// A renamed sheet.
    Rename {
        /// The old name.
        old: &'a str,
        /// The new name.
        new: &'a str,
    },
    /// A deleted sheet.
    Delete {
        /// Its name.
        name: &'a str,
        /// The order of all sheets before.
        order: &'a [&'a str],
    },
    /// Inserted or deleted rows or columns.
    Shift(&'a Edit),
    /// Cells that are moved to another place. Their own formulas are rewritten as they move.
    Move(&'a MovedCells),
    /// Columns of a table that are deleted.
    TableColumns {
        /// The sheet of the table.
        sheet: &'a str,
        /// The table.
        table: &'a str,
        /// The names of the columns.
        columns: &'a [String],
    },
    /// A renamed table.
    RenameTable {
        /// The old name.
        old: &'a str,
        /// The new name.
        new: &'a str,
    },
}

impl Rewriter<'_> {
    /// The rewritten formula.
    pub(super) fn formula<'f, F: FormulaText + ?Sized>(&self, text: &'f F, in_sheet: &str) -> Rewritten<'f> {
        match self {
            Self::Rename { old, new } => formula::rename_sheet(text, old, new),
            Self::Delete { name, order } => formula::delete_sheet(text, name, order),
            Self::Shift(edit) => formula::shift(text, in_sheet, edit),
            Self::Move(moved) => formula::follow_move(text, in_sheet, false, moved),
            Self::TableColumns { table, columns, .. } => formula::delete_table_columns(text, table, columns, false),
            Self::RenameTable { old, new } => rename_table(text.text(), old, new),
        }
    }

    /// Whether a cell's formula is rewritten by other means.
    fn skips(&self, in_sheet: &str, at: CellRef) -> bool {
        matches!(self, Self::Move(moved) if same_sheet(in_sheet, &moved.from_sheet) && moved.from.contains(at))
    }

    /// The edited sheet, by its old name.
    pub(super) fn sheet(&self) -> &str {
        match self {
            Self::Rename { old, .. } => old,
            Self::Delete { name, .. } => name,
            Self::Shift(edit) => &edit.sheet,
            Self::Move(moved) => &moved.from_sheet,
            Self::TableColumns { sheet, .. } => sheet,
            Self::RenameTable { .. } => "",
        }
    }
}

/// A formula after a table got another name.
fn rename_table<'f>(text: &'f str, old: &str, new: &str) -> Rewritten<'f> {
    let keeps = |text: &'f str| Rewritten { text: Cow::Borrowed(text), lost: 0, left: 0 };
    if !uses_table(text, old) {
        return keeps(text);
    }
    let piece = |token: formula::Token<'_>| match table_of(token) {
        Some(name) if same_sheet(name, old) => {
            format!("{new}{}", token.text.get(name.len()..).unwrap_or_default())
        }
        _ => token.text.to_owned(),
    };
    Rewritten { text: Cow::Owned(formula::tokens(text).map(piece).collect()), lost: 0, left: 0 }
}

/// The table that a token names.
fn table_of(token: formula::Token<'_>) -> Option<&str> {
    match token.kind {
        TokenKind::Structured(None) => token.text.split('[').next().filter(|name| !name.is_empty()),
        TokenKind::Name(None) => Some(token.text),
        _ => None,
    }
}

/// Whether a formula names a table.
pub(super) fn uses_table(text: &str, table: &str) -> bool {
    formula::tokens(text).any(|token| table_of(token).is_some_and(|name| same_sheet(name, table)))
}

/// References that could not be rewritten.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// Where references became `#REF!`.
    pub(super) lost: Vec<String>,
    /// Where references over several sheets were left.
    pub(super) left: Vec<String>,
    /// Parts that could not be read.
    pub(super) unread: Vec<String>,
}

impl Report {
    /// Records a rewritten formula; returns its text if it changed.
    pub(super) fn take(&mut self, rewritten: Rewritten<'_>, place: impl FnOnce() -> String) -> Option<String> {
        if rewritten.lost > 0 || rewritten.left > 0 {
            let place = place();
            if rewritten.left > 0 {
                self.left.push(place.clone());
            }
            if rewritten.lost > 0 {
                self.lost.push(place);
            }
        }
        match rewritten.text {
            Cow::Owned(text) => Some(text),
            Cow::Borrowed(_) => None,
        }
    }

    /// Adds warnings for everything recorded.
    pub(super) fn warn(self, warnings: &mut Vec<String>) {
        if !self.lost.is_empty() {
            warnings.push(format!("references are lost (#REF!) in {}", listed(self.lost.into_iter(), 8)));
        }
        if !self.left.is_empty() {
            let list = listed(self.left.into_iter(), 8);
            warnings.push(format!("references over several sheets were left as they are in {list}"));
        }
        if !self.unread.is_empty() {
            let list = listed(self.unread.into_iter(), 8);
            warnings.push(format!("not looked through for references, since they cannot be read: {list}"));
        }
    }
}

/// Rewrites all formulas of a workbook. All recorded changes must be written before.
pub(super) fn rewrite(editor: &mut WorkbookEdit<'_>, stale: &Stale<'_>) -> Result<(), Error> {
    let mut report = Report::default();
    for place in 0..editor.book.sheets.len() {
        sheet(editor, place, stale, &mut report)?;
    }
    around(editor, stale.rewriter, &mut report)?;
    report.warn(&mut editor.warnings);
    Ok(())
}

/// Rewrites everything but the sheets themselves.
pub(super) fn around(editor: &mut WorkbookEdit<'_>, rewriter: &Rewriter<'_>, report: &mut Report) -> Result<(), Error> {
    names(editor, rewriter, report)?;
    for place in 0..editor.book.sheets.len() {
        let Some(sheet) = editor.book.sheets.get(place) else { continue };
        let (name, part) = (sheet.name.clone(), sheet.part.clone());
        let relationships = match &part {
            Some(part) => Relationships::read(&editor.package, part)?,
            None => Relationships::default(),
        };
        for found in &relationships.list {
            let Some(part) = found.part.as_deref().filter(|part| editor.package.has(part)) else { continue };
            if matches!(found.kind.as_str(), "table" | "ctrlProp") {
                own_part(&mut editor.package, part, &name, rewriter, report)?;
            }
        }
    }
    let types = ContentTypes::read(&editor.package)?;
    let parts: Vec<String> = editor
        .package
        .names()
        .filter(|name| {
            let kind = types.of(name).unwrap_or_default();
            kind.contains("drawingml.chart+xml") || kind.contains("chartex") || kind.contains("pivotCacheDefinition")
        })
        .map(str::to_owned)
        .collect();
    for part in parts {
        own_part(&mut editor.package, &part, "", rewriter, report)?;
    }
    Ok(())
}

fn names(editor: &mut WorkbookEdit<'_>, rewriter: &Rewriter<'_>, report: &mut Report) -> Result<(), Error> {
    editor.edit_book(|root, splice| {
        let list = root.child(Ns::S, "definedNames");
        for node in list.into_iter().flat_map(|list| list.children_named(Ns::S, "definedName")) {
            let text = node.text();
            let name = || format!("the name {}", node.attr("name").unwrap_or_default());
            if let Some(new) = report.take(rewriter.formula(&text, ""), name) {
                splice.set_text(node, &new);
            }
        }
        Ok(())
    })
}

/// Rewrites a part that belongs to a sheet or to the workbook.
fn own_part(
    package: &mut Package,
    part: &str,
    sheet: &str,
    rewriter: &Rewriter<'_>,
    report: &mut Report,
) -> Result<(), Error> {
    let read = package.xml(part);
    let Ok(mut content) = read else {
        report.unread.push(part.to_owned());
        return Ok(());
    };
    let text = {
        let Ok(tree) = content.tree(package.limits()) else {
            report.unread.push(part.to_owned());
            return Ok(());
        };
        let mut splice = Splice::new(&content.text);
        formulas_in(tree.root(), &mut splice, part, sheet, rewriter, report, &|_| false);
        if splice.is_empty() {
            return Ok(());
        }
        splice.finish().map_err(|e| overlap(part, &e))?
    };
    content.text = text;
    package.set_xml(&content);
    Ok(())
}

/// Whether an element's text is a formula.
fn holds_formula(node: Node<'_>) -> bool {
    match node.ns() {
        Ns::S => {
            matches!(node.local(), "formula" | "formula1" | "formula2" | "calculatedColumnFormula" | "totalsRowFormula")
        }
        Ns::C | Ns::Cx | Ns::Xm => node.local() == "f",
        _ => false,
    }
}

/// Rewrites all formulas in a tree: texts of elements, and attributes that hold references. Nodes to
/// `skip` are left alone.
pub(super) fn formulas_in(
    root: Node<'_>,
    splice: &mut Splice<'_>,
    part: &str,
    sheet: &str,
    rewriter: &Rewriter<'_>,
    report: &mut Report,
    skip: &dyn Fn(Node<'_>) -> bool,
) {
    for node in std::iter::once(root).chain(root.descendants().filter(|node| node.is_element())) {
        if skip(node) {
            continue;
        }
        if holds_formula(node) {
            let text = node.text();
            let place = || if sheet.is_empty() { part.to_owned() } else { format!("{} on {sheet}", node.local()) };
            if let Some(new) = report.take(rewriter.formula(&text, sheet), place) {
                splice.set_text(node, &new);
            }
            continue;
        }
        let names: &[&str] = match (node.ns(), node.local()) {
            (Ns::S, "hyperlink") => &["location"],
            (Ns::S, "controlPr") => &["linkedCell", "listFillRange", "macro"],
            (Ns::X14, "formControlPr") => &["fmlaLink", "fmlaRange", "fmlaTxbx", "fmlaGroup"],
            (Ns::S, "worksheetSource") => {
                source(node, splice, rewriter, report, part);
                &[]
            }
            _ => &[],
        };
        for name in names {
            let Some(old) = node.attr(name) else { continue };
            let (hash, text) = match old.strip_prefix('#') {
                Some(rest) => ("#", rest),
                None => ("", old.as_ref()),
            };
            let place = || format!("{} of {}", name, node.local());
            if let Some(new) = report.take(rewriter.formula(text, sheet), place) {
                splice.set_attr(node, name, &format!("{hash}{new}"));
            }
        }
    }
}

/// Rewrites all formulas in a tree by a function: texts of elements, and places that links name.
pub(super) fn formulas_with(root: Node<'_>, splice: &mut Splice<'_>, rewrite: &dyn Fn(&str) -> String) {
    for node in std::iter::once(root).chain(root.descendants().filter(|node| node.is_element())) {
        if holds_formula(node) {
            let text = node.text();
            let new = rewrite(&text);
            if new != text {
                splice.set_text(node, &new);
            }
        } else if node.is(Ns::S, "hyperlink")
            && let Some(old) = node.attr("location")
        {
            let new = rewrite(&old);
            if new != old {
                splice.set_attr(node, "location", &new);
            }
        }
    }
}

/// The source of a pivot: a sheet and a range in two attributes.
fn source(node: Node<'_>, splice: &mut Splice<'_>, rewriter: &Rewriter<'_>, report: &mut Report, part: &str) {
    let Some(sheet) = node.attr("sheet") else { return };
    match rewriter {
        Rewriter::Rename { old, new } if same_sheet(&sheet, old) => splice.set_attr(node, "sheet", new),
        Rewriter::Delete { name, .. } if same_sheet(&sheet, name) => {
            report.lost.push(format!("the pivot's source ({part})"));
        }
        Rewriter::Shift(edit) if same_sheet(&sheet, &edit.sheet) => {
            let Some(old) = node.attr("ref") else { return };
            match formula::shift_sqref(&old, edit) {
                Some(new) if new != old => splice.set_attr(node, "ref", &new),
                Some(_) => {}
                None => report.lost.push(format!("the pivot's source ({part})")),
            }
        }
        Rewriter::Move(moved) if same_sheet(&sheet, &moved.from_sheet) => {
            let range = node.attr("ref").and_then(|text| text.parse::<CellRange>().ok());
            if let Some(new) = range.and_then(|range| moved.joined(range).or_else(|| moved.range_of(range))) {
                splice.set_attr(node, "ref", &new.to_string());
                if !same_sheet(&sheet, &moved.to_sheet) {
                    splice.set_attr(node, "sheet", &moved.to_sheet);
                }
            }
        }
        _ => {}
    }
}

/// Rewrites the formulas of a sheet: those of its frame and those of its cells.
pub(super) fn sheet(
    editor: &mut WorkbookEdit<'_>,
    place: usize,
    stale: &Stale<'_>,
    report: &mut Report,
) -> Result<(), Error> {
    let rewriter = stale.rewriter;
    let Some(part) = grid_part(&editor.book, place).filter(|part| editor.package.has(part)) else { return Ok(()) };
    let name = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    editor.edit_frame(&part, |root, splice| {
        formulas_in(root, splice, &part, &name, rewriter, report, &|_| false);
        Ok(())
    })?;
    let state = editor.sheet(&part)?;
    let mut cells = HashMap::new();
    let mut dirty = Vec::new();
    for stored in &state.formulas {
        let at = stored.at;
        // A data table names its input cells in attributes, which only change with the rows of its own sheet.
        let is_formula = !matches!(stored.shape, FormulaShape::DataTable(_));
        if rewriter.skips(&name, at) {
            continue;
        }
        let Some(formula) = state.parsed(stored).filter(|_| is_formula) else { continue };
        if stale.changes(&formula, &name, at) {
            dirty.push(at);
        }
        if stored.group.is_none()
            && let Some(text) = report.take(rewriter.formula(formula.as_ref(), &name), || format!("{name}!{at}"))
        {
            cells.insert(at, FormulaEdit::Text(text));
        }
    }
    let mut shared = HashMap::new();
    settle_groups(state, &name, rewriter, &Some, report, &mut shared);
    cells.extend(shared.into_iter().map(|(at, element)| (at, FormulaEdit::Element(element))));
    if !dirty.is_empty() {
        editor.dirty.entry(part.clone()).or_default().extend(dirty);
    }
    let state = editor.sheet(&part)?;
    for (at, formula) in cells {
        state.edit(at).formula = Some(formula);
    }
    editor.flush()
}

/// Rewrites a row.
pub(super) type RowChange<'a> = dyn FnMut(&RowView<'_>, &mut Vec<u8>) -> Result<(), PackageError> + 'a;

/// Writes a sheet and passes each row through a function.
pub(super) fn transform(package: &mut Package, state: &SheetState, row: &mut RowChange<'_>) -> Result<(), Error> {
    let (head, tail) = super::write::frame_parts(package, state)?;
    let part = state.part.clone();
    let mut run = |out: &mut dyn Write| -> Result<(), PackageError> {
        let put = |out: &mut dyn Write, bytes: &[u8]| {
            out.write_all(bytes).map_err(|_| PackageError::from(InternalError::Compression { part: part.to_owned() }))
        };
        put(out, head.as_bytes())?;
        let mut line = Vec::new();
        walk_rows(state.stream(package)?, &state.frame.rows, &mut |piece| match piece {
            Piece::Between(bytes) => put(out, bytes),
            Piece::Row(found) => {
                line.clear();
                row(&found, &mut line)?;
                put(out, &line)
            }
        })?;
        put(out, tail.as_bytes())
    };
    if let Some(decoded) = state.decoded() {
        let mut out = Vec::new();
        run(&mut out)?;
        let mut content = decoded.clone();
        content.text = String::from_utf8_lossy(&out).into_owned();
        package.set_xml(&content);
        return Ok(());
    }
    let mut writer = super::write::Buffered::new(package.writer());
    run(&mut writer)?;
    package.set_written(&part, writer.finish());
    Ok(())
}

/// The range in its row of the `f` element of a cell.
pub(super) fn formula_range(cell: &CellView<'_>) -> Option<std::ops::Range<usize>> {
    let inner = cell.inner();
    let found = markup::elements(inner)
        .find(|found| inner.get(found.tag.clone()).is_some_and(|tag| local(tag_name(tag)) == b"f"))?;
    let start = cell.inner_start();
    Some(start + found.range.start..start + found.range.end)
}
