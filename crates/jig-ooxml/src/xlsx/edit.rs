//! Edits workbooks: a list of ops is applied completely or not at all.
//!
//! Sheets are edited as streams: one scan of a sheet collects what ops must know ([`SheetState`]), changes are recorded
//! beside it, and at the end the sheet is copied once with the changed cells put in.

mod attachments;
mod autofit;
mod calc_chain;
mod cells;
mod charts;
mod comments;
mod conditional_formats;
mod copy_assets;
mod copy_range;
mod copy_sheet;
mod current_cells;
mod drawings;
mod filter;
mod find_replace;
mod format;
mod hyperlinks;
mod images;
mod layout;
mod metadata;
mod move_range;
mod names;
mod new;
mod order;
mod outline;
mod page_setup;
mod pivots;
mod protection;
mod recalculate;
mod receipt;
mod relocate;
mod rewrite_references;
mod rows;
mod sheet;
mod sheets;
mod sort;
mod sparklines;
mod sqref;
mod stale;
mod strings;
mod styles;
mod summarize;
mod table_ops;
mod tables;
mod tabs;
#[cfg(test)]
mod tests;
mod validation;
mod values;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use jig_file_api::OpSet;
use jig_file_api::ops::xlsx::XlsxOp;
use serde_json::Value;

pub(crate) use self::recalculate::untrusted_values;
use self::sheet::SheetState;
use self::sheets::STRICT;
use self::strings::Strings;
pub use self::strings::shared_strings;
use self::styles::{StylePatch, Styles};
use self::tables::Table;
use self::values::{NewValue, Rules};
use self::write::{Context, Written, write_sheet};
use crate::content_types::ContentTypes;
use crate::edit::{
    Applied, ApplyOptions, CellChanges, EditError, OpInput, OpReport, StaleCell, nearest, overlap, read_ops,
    with_signature,
};
use crate::error::{Error, PackageError};
use crate::package::Package;
use crate::relationships::Relationships;
use crate::xlsx::address::{CellRange, CellRef};
use crate::xlsx::formula::prefixes;
use crate::xlsx::trust;
use crate::xlsx::workbook::Workbook;
use crate::xlsx::workbook_part::WorkbookPart;
use crate::xml::{Ns, Splice};

/// Applies a list of ops to a workbook, or without a source to a new one.
pub fn apply(source: Option<Arc<[u8]>>, ops: &Value, options: &ApplyOptions<'_>) -> Result<Applied, Error> {
    let mut warnings = Vec::new();
    let ops = read_ops::<XlsxOp>(ops, options.strictness, &mut warnings)?;
    apply_ops(source, ops, warnings, options)
}

impl Workbook {
    /// Applies ops to the workbook and gives the new file. The workbook itself does not change.
    pub fn apply(&self, ops: Vec<XlsxOp>, options: &ApplyOptions<'_>) -> Result<Applied, Error> {
        let numbered = ops.into_iter().enumerate();
        let ops = numbered.map(|(index, op)| (OpInput { index, name: op.name() }, op)).collect();
        apply_ops(Some(self.bytes().clone()), ops, Vec::new(), options)
    }
}

fn apply_ops(
    source: Option<Arc<[u8]>>,
    ops: Vec<(OpInput, XlsxOp)>,
    mut warnings: Vec<String>,
    options: &ApplyOptions<'_>,
) -> Result<Applied, Error> {
    let mut editor = WorkbookEdit::open(source, *options)?;
    editor.warnings.append(&mut warnings);
    let mut changes = Vec::with_capacity(ops.len());
    for (input, op) in ops {
        changes.push(one(&mut editor, &input, op).map_err(|error| with_signature::<XlsxOp>(error, &input))?);
    }
    editor.finish(changes)
}

/// A new workbook with one empty sheet.
pub fn blank(options: &ApplyOptions<'_>) -> Result<Vec<u8>, Error> {
    Ok(new::workbook(options.limits)?.save()?)
}

/// Copies formats from one workbook into another; each asset becomes a change whose details are the
/// protocol's `copied` entry.
/// Without a target, into a new workbook. Sheets that a target names are created unless they must exist.
pub fn copy_assets(
    source: Arc<[u8]>,
    target: Option<Arc<[u8]>>,
    assets: &Value,
    options: &ApplyOptions<'_>,
) -> Result<Applied, Error> {
    copy_assets::copy(source, target, assets, options)
}

fn one(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: XlsxOp) -> Result<OpReport, Error> {
    match op {
        XlsxOp::EnsureSheet(op) => sheets::ensure(editor, input, op),
        XlsxOp::RenameSheet(op) => sheets::rename(editor, input, op),
        XlsxOp::DeleteSheet(op) => sheets::delete(editor, input, &op),
        XlsxOp::SetCells(op) => cells::set_cells(editor, input, op),
        XlsxOp::SetRange(op) => cells::set_range(editor, input, &op),
        XlsxOp::AppendRows(op) => cells::append_rows(editor, input, &op),
        XlsxOp::SetColumnWidths(op) => layout::set_column_widths(editor, input, op),
        XlsxOp::SetRowHeights(op) => layout::set_row_heights(editor, input, op),
        XlsxOp::FreezePanes(op) => layout::freeze_panes(editor, input, op),
        XlsxOp::MergeCells(op) => layout::merge_cells(editor, input, op),
        XlsxOp::SetNumberFormat(op) => layout::set_number_format(editor, input, op),
        XlsxOp::InsertRows(op) => rows::insert(editor, input, &op),
        XlsxOp::DeleteRows(op) => rows::delete(editor, input, &op),
        XlsxOp::FormatRange(op) => format::format(editor, input, &op),
        XlsxOp::ClearRange(op) => format::clear(editor, input, &op),
        XlsxOp::FindReplace(op) => find_replace::find_replace(editor, input, &op),
        XlsxOp::SortRange(op) => sort::sort_range(editor, input, &op),
        XlsxOp::InsertColumns(op) => rows::insert_columns(editor, input, &op),
        XlsxOp::DeleteColumns(op) => rows::delete_columns(editor, input, &op),
        XlsxOp::CopyRange(op) => copy_range::copy_range(editor, input, &op),
        XlsxOp::MoveRange(op) => move_range::move_range(editor, input, &op),
        XlsxOp::MoveRows(op) => move_range::move_rows(editor, input, &op),
        XlsxOp::MoveColumns(op) => move_range::move_columns(editor, input, &op),
        XlsxOp::CopySheet(op) => copy_sheet::copy_sheet(editor, input, op),
        XlsxOp::MoveSheet(op) => tabs::move_sheet(editor, input, &op),
        XlsxOp::HideSheet(op) => tabs::hide_sheet(editor, input, &op),
        XlsxOp::ShowSheet(op) => tabs::show_sheet(editor, input, &op),
        XlsxOp::ProtectSheet(op) => protection::protect(editor, input, &op),
        XlsxOp::UnprotectSheet(op) => protection::unprotect(editor, input, &op),
        XlsxOp::SetTabColor(op) => tabs::set_tab_color(editor, input, &op),
        XlsxOp::DefineName(op) => names::define(editor, input, &op),
        XlsxOp::DeleteName(op) => names::delete(editor, input, &op),
        XlsxOp::SetHyperlink(op) => hyperlinks::set(editor, input, &op),
        XlsxOp::RemoveHyperlink(op) => hyperlinks::remove(editor, input, &op),
        XlsxOp::SetNote(op) => comments::set_note(editor, input, &op),
        XlsxOp::DeleteNote(op) => comments::delete_note(editor, input, &op),
        XlsxOp::AddComment(op) => comments::add_comment(editor, input, &op),
        XlsxOp::ReplyComment(op) => comments::reply(editor, input, &op),
        XlsxOp::ResolveComment(op) => comments::resolve(editor, input, &op),
        XlsxOp::DeleteComment(op) => comments::delete_comment(editor, input, &op),
        XlsxOp::PageSetup(op) => page_setup::page_setup(editor, input, &op),
        XlsxOp::SetPrintArea(op) => page_setup::set_print_area(editor, input, &op),
        XlsxOp::AutofitColumns(op) => autofit::autofit(editor, input, &op),
        XlsxOp::GroupRows(op) => outline::group_rows(editor, input, &op),
        XlsxOp::GroupColumns(op) => outline::group_columns(editor, input, &op),
        XlsxOp::UngroupRows(op) => outline::ungroup_rows(editor, input, &op),
        XlsxOp::UngroupColumns(op) => outline::ungroup_columns(editor, input, &op),
        XlsxOp::HideRows(op) => outline::hide_rows(editor, input, &op),
        XlsxOp::HideColumns(op) => outline::hide_columns(editor, input, &op),
        XlsxOp::SetAutoFilter(op) => filter::set_auto_filter(editor, input, &op),
        XlsxOp::UnmergeCells(op) => layout::unmerge_cells(editor, input, &op),
        XlsxOp::SummarizeByCategory(op) => summarize::summarize(editor, input, op),
        XlsxOp::AddChart(op) => charts::add(editor, input, op),
        XlsxOp::EditChart(op) => charts::edit(editor, input, op),
        XlsxOp::DeleteChart(op) => charts::delete(editor, input, op),
        XlsxOp::AddConditionalFormat(op) => conditional_formats::add(editor, input, op),
        XlsxOp::ClearConditionalFormats(op) => conditional_formats::clear(editor, input, op),
        XlsxOp::SetDataValidation(op) => validation::set(editor, input, op),
        XlsxOp::ClearDataValidation(op) => validation::clear(editor, input, op),
        XlsxOp::AddTable(op) => table_ops::add(editor, input, op),
        XlsxOp::EditTable(op) => table_ops::edit(editor, input, &op),
        XlsxOp::DeleteTable(op) => table_ops::delete(editor, input, &op),
        XlsxOp::InsertImage(op) => images::insert(editor, input, op),
        XlsxOp::DeleteImage(op) => images::delete(editor, input, op),
        XlsxOp::AddSparklines(op) => sparklines::add(editor, input, op),
        XlsxOp::ClearSparklines(op) => sparklines::clear(editor, input, op),
        XlsxOp::AddPivotTable(op) => pivots::add(editor, input, op),
    }
}

/// One cell that an op writes.
struct CellWrite {
    at: CellRef,
    /// The value; without one the value stays.
    value: Option<NewValue>,
    /// The format properties to change.
    patch: Option<Rc<StylePatch>>,
    /// The field it comes from, for messages.
    field: String,
}

/// The workbook under edit.
struct WorkbookEdit<'o> {
    package: Package,
    book: WorkbookPart,
    options: ApplyOptions<'o>,
    warnings: Vec<String>,
    /// Scanned sheets, by part.
    sheets: BTreeMap<String, SheetState>,
    tables: BTreeMap<String, Vec<Table>>,
    styles: Option<Styles>,
    strings: Strings,
    /// Cells whose value has changed, by part.
    dirty: BTreeMap<String, BTreeSet<CellRef>>,
    /// The parts of sheets that this edit adds.
    added: BTreeSet<String>,
    /// The part of the empty first sheet of a new workbook, until an op uses it.
    spare: Option<String>,
    /// Whether the workbook must be calculated when it is opened.
    calculate_on_load: bool,
    /// Whether every formula has a computed value now.
    calculated_all: bool,
    /// Whether the values that the file stores beside formulas are up to date.
    trusts_stored: bool,
    /// Cells that lost their value.
    stale: Vec<StaleCell>,
    /// Sheets that ops named and that were created.
    created: Vec<String>,
    /// Cells with a new value, as far as they were written.
    cells: CellChanges,
    /// The parts of charts whose values are written at the end.
    charts: BTreeSet<String>,
}

impl<'o> WorkbookEdit<'o> {
    /// Opens a workbook, or starts a new one.
    fn open(source: Option<Arc<[u8]>>, options: ApplyOptions<'o>) -> Result<Self, Error> {
        let is_new = source.is_none();
        let package = match source {
            Some(bytes) => Package::open(bytes, options.limits)?,
            None => new::workbook(options.limits)?,
        };
        let book = WorkbookPart::read(&package)?;
        let trusts_stored = trust::trusts_stored(&package, &book);
        let spare = if is_new { book.sheets.first().and_then(|sheet| sheet.part.clone()) } else { None };
        let mut warnings = Vec::new();
        if package.is_signed() {
            warnings.push("the file is signed; the signature is no longer valid after this change".to_owned());
        }
        Ok(Self {
            package,
            book,
            options,
            warnings,
            sheets: BTreeMap::new(),
            tables: BTreeMap::new(),
            styles: None,
            strings: Strings::default(),
            dirty: BTreeMap::new(),
            added: BTreeSet::new(),
            spare,
            calculate_on_load: false,
            calculated_all: false,
            trusts_stored,
            stale: Vec::new(),
            created: Vec::new(),
            cells: CellChanges::default(),
            charts: BTreeSet::new(),
        })
    }

    /// The rules for reading values of ops in this workbook.
    fn rules(&self) -> Rules {
        Rules { dates: self.book.dates(), allow_outside: self.options.allow_outside_formulas }
    }

    /// The position of a sheet by its name, or an error that suggests similar names.
    fn place(&self, input: &OpInput, field: &str, name: &str) -> Result<usize, EditError> {
        self.book.sheet_place(name).ok_or_else(|| no_sheet(&self.book, input.at(field), name))
    }

    /// The part of a sheet with cells.
    fn grid(&mut self, input: &OpInput, field: &str, name: &str) -> Result<(usize, String), EditError> {
        let place = self.place(input, field, name)?;
        let part = grid_part(&self.book, place).ok_or_else(|| {
            let sheet = self.book.sheets.get(place);
            let kind = sheet.map_or("sheet without a part", |sheet| sheet.kind.as_str());
            input.error(field, format!("`{name}` is a {kind}; it has no cells"))
        })?;
        if self.spare.as_deref() == Some(part.as_str()) {
            self.spare = None;
        }
        Ok((place, part))
    }

    /// The part of a sheet with cells; creates a missing sheet.
    fn grid_or_new(&mut self, input: &OpInput, name: &str) -> Result<(usize, String), Error> {
        sheets::create_named(self, &input.at("sheet"), name)?;
        Ok(self.grid(input, "sheet", name)?)
    }

    /// The state of a sheet, which is scanned on first use.
    fn sheet(&mut self, part: &str) -> Result<&mut SheetState, Error> {
        if !self.sheets.contains_key(part) {
            let state = SheetState::load(&self.package, part)?;
            self.sheets.insert(part.to_owned(), state);
        }
        self.sheets.get_mut(part).ok_or_else(|| PackageError::MissingPart { part: part.to_owned() }.into())
    }

    /// The state of a sheet that was scanned before.
    fn loaded(&self, part: &str) -> Option<&SheetState> {
        self.sheets.get(part)
    }

    /// Takes the state of a sheet that is then written by other means.
    fn take(&mut self, part: &str) -> Option<SheetState> {
        self.sheets.remove(part)
    }

    /// Drops the state of a sheet whose part was rewritten.
    fn forget_state(&mut self, part: &str) {
        self.sheets.remove(part);
    }

    /// Drops the tables, whose parts were changed by other means.
    fn forget_tables(&mut self) {
        self.tables.clear();
    }

    /// Records that cells no longer use a shared string.
    fn release_strings(&mut self, count: i64) {
        self.strings.uses -= count;
    }

    /// Drops everything about a deleted sheet.
    fn forget(&mut self, part: &str) {
        self.sheets.remove(part);
        self.tables.remove(part);
        self.dirty.remove(part);
    }

    /// The tables of a sheet.
    fn tables(&mut self, part: &str) -> Result<&mut Vec<Table>, Error> {
        if !self.tables.contains_key(part) {
            let tables = Table::of_sheet(&self.package, part)?;
            self.tables.insert(part.to_owned(), tables);
        }
        self.tables.get_mut(part).ok_or_else(|| PackageError::MissingPart { part: part.to_owned() }.into())
    }

    /// The styles, read on first use.
    fn styles(&mut self) -> Result<&mut Styles, Error> {
        if self.styles.is_none() {
            let limits = *self.package.limits();
            let part = self.book.styles().filter(|part| self.package.has(part));
            self.styles = Some(match part {
                Some(part) => Styles::read(self.package.xml(part)?, &limits)?,
                None => Styles::minimal(&self.sibling("styles{}.xml", "styles.xml"), &limits)?,
            });
        }
        self.styles.as_mut().ok_or_else(|| PackageError::MissingPart { part: "styles".to_owned() }.into())
    }

    /// An unused part name in the folder of the workbook part.
    fn sibling(&self, pattern: &str, first: &str) -> String {
        let folder = self.book.part.rsplit_once('/').map_or("", |(folder, _)| folder);
        let name = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let plain = name(first);
        if self.package.has(&plain) { self.package.free_name(&name(pattern)) } else { plain }
    }

    /// Changes the frame of a sheet by splicing.
    fn edit_frame(
        &mut self,
        part: &str,
        change: impl FnOnce(crate::xml::Node<'_>, &mut Splice<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let limits = *self.package.limits();
        let state = self.sheet(part)?;
        let frame = state.frame_part();
        let tree = frame.tree(&limits)?;
        let mut splice = Splice::new(&frame.text);
        change(tree.root(), &mut splice)?;
        if !splice.is_empty() {
            let text = splice.finish().map_err(|e| overlap(part, &e))?;
            state.set_frame(text);
        }
        Ok(())
    }

    /// Records the cells that one op writes, and returns them. A merged area is written once, at its first cell; part of
    /// an array formula is refused.
    fn write_cells(&mut self, input: &OpInput, part: &str, writes: Vec<CellWrite>) -> Result<Vec<CellRef>, Error> {
        let writes = self.through_merges(input, part, writes)?;
        self.check_arrays(part, &writes)?;
        tables::check_headers(self, part, &writes)?;
        let needs_styles =
            writes.iter().any(|write| write.patch.is_some() || matches!(write.value, Some(NewValue::Date { .. })));
        if needs_styles {
            self.styles()?;
        }
        let mut written = Vec::with_capacity(writes.len());
        for write in writes {
            written.push(write.at);
            if write.value.is_some() {
                self.dirty.entry(part.to_owned()).or_default().insert(write.at);
            }
            let edit = self.sheet(part)?.edit(write.at);
            if let Some(value) = write.value {
                edit.value = Some(value);
                edit.cached = None;
                edit.formula = None;
            }
            edit.patches.extend(write.patch);
        }
        Ok(written)
    }

    fn through_merges(&mut self, input: &OpInput, part: &str, writes: Vec<CellWrite>) -> Result<Vec<CellWrite>, Error> {
        self.sheet(part)?;
        let merges = match self.loaded(part) {
            Some(state) => state.merges(&self.package)?,
            None => Vec::new(),
        };
        let Some(reach) = reach(writes.iter().map(|write| write.at)) else { return Ok(writes) };
        let merges: Vec<CellRange> = merges.into_iter().filter(|merge| merge.intersection(reach).is_some()).collect();
        if merges.is_empty() {
            return Ok(writes);
        }
        let mut anchored: BTreeSet<CellRef> = BTreeSet::new();
        let mut kept = Vec::with_capacity(writes.len());
        let (mut moved, mut left): (Vec<String>, usize) = (Vec::new(), 0);
        for mut write in writes {
            let Some(merge) = merges.iter().find(|merge| merge.contains(write.at)) else {
                kept.push(write);
                continue;
            };
            if write.value.is_none() {
                kept.push(write);
                continue;
            }
            if !anchored.insert(merge.start()) {
                // A block of values has blanks for the other cells of a merged area; only real values are reported.
                left += usize::from(write.value != Some(NewValue::Blank));
                continue;
            }
            if write.at != merge.start() {
                moved.push(format!("{} to {}", write.at, merge.start()));
                write.at = merge.start();
            }
            kept.push(write);
        }
        if !moved.is_empty() {
            let listed = listed(moved.into_iter(), 5);
            self.warnings.push(format!("{}: written to the first cell of the merged area: {listed}", input.at("")));
        }
        if left > 0 {
            let why = format!("{left} value(s) fall into merged areas that were written already, skipped");
            self.warnings.push(format!("{}: {why}", input.at("")));
        }
        Ok(kept)
    }

    fn check_arrays(&mut self, part: &str, writes: &[CellWrite]) -> Result<(), Error> {
        let state = self.sheet(part)?;
        if state.arrays.is_empty() {
            return Ok(());
        }
        let written: BTreeMap<CellRef, &str> =
            writes.iter().filter(|write| write.value.is_some()).map(|write| (write.at, write.field.as_str())).collect();
        let mut gone = Vec::new();
        for (place, (range, anchor)) in state.arrays.iter().enumerate() {
            let hit = written.range(range.start()..=range.end()).find(|(cell, _)| range.contains(**cell));
            let Some((cell, field)) = hit else { continue };
            if !written.contains_key(anchor) {
                let why = format!(
                    "{cell} is part of the formula of {anchor}, which fills {range}; write to {anchor} to replace it whole"
                );
                return Err(EditError::new(*field, why).suggest([anchor.to_string()]).into());
            }
            if range.cells() > 1 << 20 {
                let why = format!("{anchor} holds a formula that fills {range}, which is too large to be replaced");
                return Err(EditError::new(*field, why).into());
            }
            gone.push(place);
        }
        for place in gone.into_iter().rev() {
            let (range, _) = state.arrays.remove(place);
            for cell in cells_of(range).filter(|cell| !written.contains_key(cell)) {
                state.edit(cell).value = Some(NewValue::Blank);
            }
        }
        Ok(())
    }

    /// Writes all recorded changes into the parts.
    fn flush(&mut self) -> Result<(), Error> {
        let changed: Vec<String> =
            self.sheets.iter().filter(|(_, sheet)| sheet.is_changed()).map(|(part, _)| part.clone()).collect();
        for part in &changed {
            if let Some(sheet) = self.sheets.get_mut(part) {
                cells::settle_shared(sheet);
                layout::update_dimension(sheet, &self.options.limits)?;
            }
        }
        let texts = changed.iter().filter_map(|part| self.sheets.get(part)).flat_map(|sheet| sheet.cells.values());
        let texts = texts.filter_map(|edit| match &edit.value {
            Some(NewValue::Text(text)) => Some(text.clone()),
            _ => None,
        });
        self.strings.resolve(&self.package, self.book.shared_strings(), texts)?;
        let spill_mark = self.spill_mark(&changed)?;
        let mut chain = calc_chain::Edits::default();
        for part in &changed {
            let Some(sheet) = self.sheets.remove(part) else { continue };
            let mut context = Context { styles: &mut self.styles, strings: &mut self.strings, spill_mark };
            let Written { formulas_gone, formulas_new, cells } = write_sheet(&mut self.package, &sheet, &mut context)?;
            let entry = self.book.sheets.iter().find(|sheet| sheet.part.as_deref() == Some(part));
            let strings = self.book.shared_strings().filter(|part| self.package.has(part));
            let name = entry.map_or("", |sheet| sheet.name.as_str());
            cells.report(name, &self.package, strings, &mut self.cells)?;
            chain.add(entry.map_or(0, |sheet| sheet.sheet_id), formulas_gone, formulas_new);
        }
        chain.write(&mut self.package, &self.book)?;
        tables::write_all(&mut self.package, &mut self.tables)?;
        self.write_strings()?;
        self.write_styles()
    }

    fn write_strings(&mut self) -> Result<(), Error> {
        if !self.strings.is_changed() {
            return Ok(());
        }
        let part = match self.book.shared_strings().filter(|part| self.package.has(part)) {
            Some(part) => part.to_owned(),
            None if self.strings.needs_part() => {
                let part = self.sibling("sharedStrings{}.xml", "sharedStrings.xml");
                self.link("sharedStrings", &part, "sharedStrings")?;
                part
            }
            None => return Ok(()),
        };
        self.strings.write(&mut self.package, &part)
    }

    fn write_styles(&mut self) -> Result<(), Error> {
        let Some(styles) = self.styles.take().filter(Styles::is_changed) else { return Ok(()) };
        let part = styles.write(self.package.limits())?;
        self.package.set_xml(&part);
        if styles.is_new() {
            self.link("styles", &part.name, "styles")?;
        }
        Ok(())
    }

    /// Adds the content type and the relationship of a new part of the workbook.
    fn link(&mut self, kind: &str, part: &str, word: &str) -> Result<String, Error> {
        let content = format!("application/vnd.openxmlformats-officedocument.spreadsheetml.{word}+xml");
        ContentTypes::add(&mut self.package, part, &content)?;
        let id = Relationships::add(&mut self.package, &self.book.part, kind, part)?;
        self.book = WorkbookPart::read(&self.package)?;
        Ok(id)
    }

    /// The namespace of the workbook's own elements, which new parts share.
    fn namespace(&self) -> Result<&'static str, Error> {
        let content = self.package.xml(&self.book.part)?;
        Ok(if content.text.contains(STRICT) { STRICT } else { Ns::S.uri() })
    }

    /// The `cm` number for dynamic array formulas, if one is about to be written.
    fn spill_mark(&mut self, changed: &[String]) -> Result<Option<u32>, Error> {
        let edits = changed.iter().filter_map(|part| self.sheets.get(part)).flat_map(|sheet| sheet.cells.values());
        let mut values = edits.filter_map(|edit| edit.value.as_ref());
        let spills =
            values.any(|value| matches!(value, NewValue::Formula(formula) if prefixes::spills(formula.as_ref())));
        if spills { metadata::dynamic_array(self).map(Some) } else { Ok(None) }
    }

    /// Changes the workbook part by splicing.
    fn edit_book(
        &mut self,
        change: impl FnOnce(crate::xml::Node<'_>, &mut Splice<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut content = self.package.xml(&self.book.part)?;
        let text = {
            let tree = content.tree(self.package.limits())?;
            let mut splice = Splice::new(&content.text);
            change(tree.root(), &mut splice)?;
            if splice.is_empty() {
                return Ok(());
            }
            splice.finish().map_err(|e| overlap(&self.book.part, &e))?
        };
        content.text = text;
        self.package.set_xml(&content);
        self.book = WorkbookPart::read(&self.package)?;
        Ok(())
    }

    /// Recalculates, writes all changes and returns the new file.
    fn finish(mut self, changes: Vec<OpReport>) -> Result<Applied, Error> {
        recalculate::recalculate(&mut self)?;
        self.flush()?;
        charts::fill(&mut self)?;
        self.mark_calculation()?;
        self.package.forget_unchanged()?;
        let bytes = self.package.save()?;
        let parts = self.package.changes();
        let (created_sheets, stale, cells) = (self.created, self.stale, self.cells);
        Ok(Applied { bytes, changes, warnings: self.warnings, parts, created_sheets, stale, cells })
    }

    /// Requests a calculation on load where values are missing, and seals the stored values if they are up to date.
    fn mark_calculation(&mut self) -> Result<(), Error> {
        let on_load = self.calculate_on_load && !self.book.calculation.full_on_load;
        let asks = self.calculate_on_load || self.book.calculation.full_on_load || self.book.calculation.incomplete;
        let known = self.trusts_stored || self.calculated_all;
        let seal = (asks && known).then(|| trust::seal(&self.package, &self.book));
        self.edit_book(|root, splice| {
            match root.child(Ns::S, "calcPr").filter(|_| on_load) {
                Some(node) => splice.set_attr(node, "fullCalcOnLoad", "1"),
                None if on_load => {
                    let markup = format!("<{}calcPr fullCalcOnLoad=\"1\"/>", root.prefix());
                    order::insert_in_order(splice, root, "calcPr", &markup, &order::WORKBOOK);
                }
                None => {}
            }
            if let Some(seal) = &seal {
                trust::write_seal(root, splice, seal);
            }
            Ok(())
        })
    }
}

/// The part of a sheet that has cells.
fn grid_part(book: &WorkbookPart, place: usize) -> Option<String> {
    let sheet = book.sheets.get(place).filter(|sheet| sheet.kind.has_cells())?;
    sheet.part.clone()
}

/// The error for an unknown sheet.
fn no_sheet(book: &WorkbookPart, at: String, name: &str) -> EditError {
    let names: Vec<&str> = book.sheets.iter().map(|sheet| sheet.name.as_str()).collect();
    let near = nearest(name, names.iter().copied());
    let near = if near.is_empty() { names.iter().take(5).map(|name| (*name).to_owned()).collect() } else { near };
    let have = listed(names.iter().map(|name| format!("`{name}`")), 10);
    let why = format!("unknown sheet `{name}`; the workbook has {have}; the op `ensure_sheet` adds one");
    EditError::new(at, why).suggest(near)
}

/// The rectangle around cells.
fn reach(cells: impl Iterator<Item = CellRef>) -> Option<CellRange> {
    cells.map(CellRange::from).reduce(|a, b| {
        let top = CellRange::new(a.start(), b.start()).start();
        let bottom = CellRange::new(a.end(), b.end()).end();
        CellRange::new(top, bottom)
    })
}

/// The cells of a range, row by row.
fn cells_of(range: CellRange) -> impl Iterator<Item = CellRef> {
    let (start, end) = (range.start(), range.end());
    (start.row()..=end.row())
        .flat_map(move |row| (start.col()..=end.col()).filter_map(move |col| CellRef::new(row, col)))
}

/// The first `most` items, with the number of the others.
fn listed(items: impl Iterator<Item = impl ToString>, most: usize) -> String {
    let all: Vec<String> = items.map(|item| item.to_string()).collect();
    let shown = all.iter().take(most).cloned().collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
