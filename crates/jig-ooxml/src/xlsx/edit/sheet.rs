//! A sheet under edit: what one scan of its part found, and the recorded changes.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use super::styles::StylePatch;
use super::values::NewValue;
use crate::error::PackageError;
use crate::package::Package;
use crate::xlsx::address::{CellRange, CellRef};
use crate::xlsx::formula::{CellValue, FormulaShape, ParsedFormula, translate};
use crate::xlsx::sheet::cell::CellData;
use crate::xlsx::sheet::markup::attr;
use crate::xlsx::sheet::rows::{self, CellView, FormulaKind, Frame, RowView, walk};
use crate::xlsx::sheet::stream::SheetStream;
use crate::xml::{Ns, XmlPart};

/// The recorded changes of one cell.
#[derive(Debug, Clone, Default)]
pub(super) struct CellEdit {
    /// Its new value; without one the value stays.
    pub(super) value: Option<NewValue>,
    /// Changes of its format, in this order.
    pub(super) patches: Vec<Rc<StylePatch>>,
    /// A format that replaces its own.
    pub(super) format: Option<u32>,
    /// A change of its formula that keeps the stored result.
    pub(super) formula: Option<FormulaEdit>,
    /// Another result beside the formula.
    pub(super) cached: Option<Cached>,
    /// The complete element that takes the cell's place, as it was in another cell; empty to remove the cell. It is
    /// written before anything is calculated.
    pub(super) element: Option<String>,
}

/// The recorded changes of one row.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct RowEdit {
    /// Points.
    pub(super) height: Option<f64>,
    pub(super) hidden: Option<bool>,
    /// The outline level; 0 for none.
    pub(super) level: Option<u8>,
    /// Whether the group that ends before the row is collapsed.
    pub(super) collapsed: Option<bool>,
    /// Changes of the format that new cells of the row get.
    pub(super) patches: Vec<Rc<StylePatch>>,
    /// Removes the format that new cells of the row get.
    pub(super) plain: bool,
    /// Attributes of another row, as they are written.
    pub(super) attributes: Vec<(String, String)>,
}

/// A change of a formula whose stored result stays.
#[derive(Debug, Clone)]
pub(super) enum FormulaEdit {
    /// Another text in the same element.
    Text(String),
    /// Another element.
    Element(String),
}

/// The result to store beside a formula.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cached {
    /// A value.
    Value(CellValue),
    /// None: the stored one is outdated.
    Unknown,
}

/// A group of cells that share one formula.
#[derive(Debug, Clone, Default)]
pub(super) struct Shared {
    /// The cell that holds the text, with the text.
    pub(super) master: Option<(CellRef, String)>,
    parsed: OnceCell<ParsedFormula>,
    /// All cells of the group in the order of the part, the master included.
    pub(super) members: Vec<CellRef>,
}

/// A formula of the part, as the calculation needs it.
#[derive(Debug, Clone)]
pub(super) struct StoredFormula {
    pub(super) at: CellRef,
    /// Its text; empty for a member of a group.
    text: Box<str>,
    parsed: OnceCell<Option<Arc<ParsedFormula>>>,
    /// The group whose formula the cell shares.
    pub(super) group: Option<u32>,
    /// Whether a result is stored beside it.
    pub(super) stored: bool,
    pub(super) shape: FormulaShape,
}

/// The end of a sheet's data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Used {
    /// The last row with a value; 0 for an empty sheet.
    pub(super) row: u32,
    /// The leftmost column with a value among the rows that end there without a gap.
    pub(super) left: u32,
}

/// A set of row numbers, stored as runs.
#[derive(Debug, Clone, Default)]
pub(super) struct RowSet {
    runs: BTreeMap<u32, u32>,
    last: Option<u32>,
}

impl RowSet {
    fn add(&mut self, row: u32) {
        let run = self.last.and_then(|start| self.runs.get_mut(&start)).filter(|end| **end + 1 == row);
        match run {
            Some(end) => *end = row,
            None => {
                let end = self.runs.entry(row).or_insert(row);
                *end = (*end).max(row);
                self.last = Some(row);
            }
        }
    }

    /// Whether the set has a row.
    pub(super) fn contains(&self, row: u32) -> bool {
        self.runs.range(..=row).next_back().is_some_and(|(_, end)| *end >= row)
    }
}

/// A sheet under edit.
#[derive(Debug)]
pub(super) struct SheetState {
    /// Its part.
    pub(super) part: String,
    /// The part's text when it is not UTF-8.
    decoded: Option<XmlPart>,
    /// Everything but the rows; changed in place.
    pub(super) frame: Frame,
    pub(super) frame_changed: bool,
    pub(super) rows: RowSet,
    pub(super) used: Used,
    /// Formulas of several cells: their range and the cell that holds them.
    pub(super) arrays: Vec<(CellRange, CellRef)>,
    pub(super) shared: HashMap<u32, Shared>,
    /// All formulas that the part has, in its order.
    pub(super) formulas: Vec<StoredFormula>,
    pub(super) cells: BTreeMap<CellRef, CellEdit>,
    pub(super) row_edits: BTreeMap<u32, RowEdit>,
}

impl SheetState {
    /// Scans a sheet.
    pub(super) fn load(package: &Package, part: &str) -> Result<Self, PackageError> {
        let decoded = rows::decoded(package, part)?;
        let mut found = SheetScan::default();
        let frame = walk(rows::open(package, part, decoded.as_ref())?, &mut |row| {
            found.row(row);
            Ok(())
        })?;
        // Reports damage around the rows before anything is changed.
        XmlPart::new(part, frame.text.as_str()).tree(package.limits())?;
        Ok(Self {
            part: part.to_owned(),
            decoded,
            frame,
            frame_changed: false,
            rows: found.rows,
            used: found.used,
            arrays: found.arrays,
            shared: found.shared,
            formulas: found.formulas,
            cells: BTreeMap::new(),
            row_edits: BTreeMap::new(),
        })
    }

    /// The part as it is now in the package.
    pub(super) fn stream<'a>(&'a self, package: &'a Package) -> Result<SheetStream<'a>, PackageError> {
        rows::open(package, &self.part, self.decoded.as_ref())
    }

    /// The decoded part, for sheets that are not UTF-8.
    pub(super) fn decoded(&self) -> Option<&XmlPart> {
        self.decoded.as_ref()
    }

    /// Whether it has changes to write.
    pub(super) fn is_changed(&self) -> bool {
        self.frame_changed || !self.cells.is_empty() || !self.row_edits.is_empty()
    }

    /// The frame as a part.
    pub(super) fn frame_part(&self) -> XmlPart {
        XmlPart::new(self.part.as_str(), self.frame.text.as_str())
    }

    /// Takes a changed frame.
    pub(super) fn set_frame(&mut self, text: String) {
        if self.frame.text != text {
            self.frame.text = text;
            self.frame_changed = true;
        }
    }

    /// The recorded changes of a row.
    pub(super) fn row_edit(&mut self, row: u32) -> &mut RowEdit {
        self.row_edits.entry(row).or_default()
    }

    /// The recorded changes of a cell.
    pub(super) fn edit(&mut self, cell: CellRef) -> &mut CellEdit {
        self.cells.entry(cell).or_default()
    }

    /// A formula of the part with its tokens, made on first use and shared by all that work on it. None without a text:
    /// for a member of a group without a master.
    pub(super) fn parsed(&self, formula: &StoredFormula) -> Option<Arc<ParsedFormula>> {
        let parse = || {
            let text: Box<str> = match formula.group {
                Some(group) => self.shared.get(&group)?.formula_at(formula.at)?.into(),
                None => formula.text.clone(),
            };
            (!text.is_empty()).then(|| Arc::new(ParsedFormula::parse(text)))
        };
        formula.parsed.get_or_init(parse).clone()
    }

    /// The merged ranges.
    pub(super) fn merges(&self, package: &Package) -> Result<Vec<CellRange>, PackageError> {
        if !self.frame.text.contains("mergeCell") {
            return Ok(Vec::new());
        }
        let part = self.frame_part();
        let tree = part.tree(package.limits())?;
        let list = tree.root().child(Ns::S, "mergeCells");
        let nodes = list.into_iter().flat_map(|list| list.children_named(Ns::S, "mergeCell"));
        Ok(nodes.filter_map(|node| node.attr("ref")?.parse().ok()).collect())
    }

    /// The end of the data, recorded changes included.
    pub(super) fn used_with_edits(&self) -> Used {
        let mut used = self.used;
        for (cell, edit) in &self.cells {
            if matches!(edit.value, None | Some(NewValue::Blank)) {
                continue;
            }
            if cell.row() > used.row + 1 || used.row == 0 {
                used = Used { row: cell.row(), left: cell.col() };
            } else {
                used = Used { row: used.row.max(cell.row()), left: used.left.min(cell.col()) };
            }
        }
        used
    }
}

/// Collects what ops need to know while the rows pass.
#[derive(Default)]
struct SheetScan {
    rows: RowSet,
    used: Used,
    arrays: Vec<(CellRange, CellRef)>,
    shared: HashMap<u32, Shared>,
    formulas: Vec<StoredFormula>,
}

impl SheetScan {
    fn row(&mut self, row: &RowView<'_>) {
        self.rows.add(row.number);
        let formulas = row.may_have(b"f");
        if !(formulas || row.may_have(b"v") || row.may_have(b"is")) {
            return;
        }
        let first = row.cells().find(|cell| !cell.inner().is_empty()).and_then(|cell| cell.at);
        if let Some(first) = first {
            if first.row() > self.used.row + 1 || self.used.row == 0 {
                self.used = Used { row: first.row(), left: first.col() };
            } else {
                self.used = Used { row: self.used.row.max(first.row()), left: self.used.left.min(first.col()) };
            }
        }
        if formulas {
            row.cells().for_each(|cell| self.formula(&cell));
        }
    }

    fn formula(&mut self, cell: &CellView<'_>) {
        let (Some(at), Some(formula)) = (cell.at, cell.formula()) else { return };
        if let Some(range) = formula.range.filter(|_| formula.fills_range()) {
            self.arrays.push((range, at));
        }
        let stored = cell.data() != CellData::Empty;
        let shape = formula.shape(attr(cell.tag(), b"cm").is_some());
        let group = formula.group();
        let text = match group {
            Some(group) => {
                let shared = self.shared.entry(group).or_default();
                shared.members.push(at);
                let text = formula.text();
                if !text.is_empty() && shared.master.is_none() {
                    shared.master = Some((at, text));
                }
                String::new()
            }
            None if formula.kind == FormulaKind::DataTable => formula.data_table_text(),
            None => formula.text(),
        };
        self.formulas.push(StoredFormula { at, text: text.into(), parsed: OnceCell::new(), group, stored, shape });
    }
}

impl Shared {
    /// The formula of a member.
    pub(super) fn formula_at(&self, cell: CellRef) -> Option<String> {
        let (master, text) = self.master.as_ref()?;
        let parsed = self.parsed.get_or_init(|| ParsedFormula::parse(text.as_str()));
        Some(translate(parsed, *master, cell).text.into_owned())
    }
}
