//! A sheet under edit: what one look at the part told, and the changes that wait to be written.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::strings::text_of;
use super::styles::StylePatch;
use super::values::NewValue;
use crate::error::PackageError;
use crate::package::Package;
use crate::xlsx::address::{CellRange, CellRef};
use crate::xlsx::formula::CellValue;
use crate::xlsx::formula::{FormulaShape, translate};
use crate::xlsx::sheet::markup::{attr, number_attr, text};
use crate::xlsx::sheet::rows::{self, CellView, Frame, RowView, walk};
use crate::xlsx::sheet::stream::SheetStream;
use crate::xml::{Ns, XmlPart};

/// What is to become of one cell.
#[derive(Debug, Clone, Default)]
pub(super) struct CellEdit {
    /// Its new value; without one the value stays.
    pub(super) value: Option<NewValue>,
    /// Formats to lay over the one it has, in this order.
    pub(super) patches: Vec<Rc<StylePatch>>,
    /// A format to put in the place of the one it has.
    pub(super) format: Option<u32>,
    /// Another `f` element in the place of the one it has.
    pub(super) formula: Option<String>,
    /// Another result beside the formula.
    pub(super) cached: Option<Cached>,
}

/// The result to store beside a formula.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cached {
    /// A value.
    Value(CellValue),
    /// None: what is known no longer holds.
    Unknown,
}

/// A group of cells that share one formula.
#[derive(Debug, Clone, Default)]
pub(super) struct Shared {
    /// The cell that holds the text, with the text.
    pub(super) master: Option<(CellRef, String)>,
    /// All cells of the group as written, the master too.
    pub(super) members: Vec<CellRef>,
}

/// A formula of the part, as the calculation needs it.
#[derive(Debug, Clone)]
pub(super) struct StoredFormula {
    pub(super) at: CellRef,
    /// Its text; empty for a member of a group.
    pub(super) text: Box<str>,
    /// The group whose formula the cell shares.
    pub(super) group: Option<u32>,
    /// Whether a result is stored beside it.
    pub(super) stored: bool,
    pub(super) shape: FormulaShape,
}

/// Where the data of a sheet ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Used {
    /// The last row with a value; 0 when there is none.
    pub(super) row: u32,
    /// The leftmost column with a value among the rows without a gap that end there.
    pub(super) left: u32,
}

/// Runs of row numbers.
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

    /// Whether the sheet has an element for this row.
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
    pub(super) heights: BTreeMap<u32, f64>,
}

impl SheetState {
    /// Looks through a sheet once.
    pub(super) fn load(package: &Package, part: &str) -> Result<Self, PackageError> {
        let decoded = rows::decoded(package, part)?;
        let mut found = Found::default();
        let frame = walk(rows::open(package, part, decoded.as_ref())?, &mut |row| {
            found.row(row);
            Ok(())
        })?;
        // Damage around the rows is found here, before anything is changed.
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
            heights: BTreeMap::new(),
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

    /// Whether anything waits to be written.
    pub(super) fn is_changed(&self) -> bool {
        self.frame_changed || !self.cells.is_empty() || !self.heights.is_empty()
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

    /// The change of a cell, to be filled in.
    pub(super) fn edit(&mut self, cell: CellRef) -> &mut CellEdit {
        self.cells.entry(cell).or_default()
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

    /// The last row with a value, changes that wait included.
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

/// What a formula element says.
pub(super) struct FormulaTag<'a> {
    pub(super) tag: &'a [u8],
    pub(super) text: String,
    /// Whether a result is stored beside it.
    stored: bool,
    /// Whether its cell has the mark of dynamic arrays.
    spills: bool,
}

impl FormulaTag<'_> {
    pub(super) fn of<'a>(cell: &CellView<'a>) -> Option<FormulaTag<'a>> {
        let (tag, inner) = cell.child(b"f")?;
        let stored = match cell.kind() {
            b"inlineStr" => cell.child(b"is").is_some(),
            // A formula may well have given an empty text.
            b"str" => cell.child(b"v").is_some(),
            _ => cell.child(b"v").is_some_and(|(_, value)| !value.trim_ascii().is_empty()),
        };
        Some(FormulaTag { tag, text: text_of(inner), stored, spills: attr(cell.tag(), b"cm").is_some() })
    }

    pub(super) fn kind(&self) -> &[u8] {
        attr(self.tag, b"t").unwrap_or(b"normal")
    }

    pub(super) fn range(&self) -> Option<CellRange> {
        text(attr(self.tag, b"ref")?).parse().ok()
    }

    fn shape(&self) -> FormulaShape {
        match (self.kind(), self.range()) {
            (b"array", Some(range)) if self.spills => FormulaShape::Spill(range),
            (b"array", Some(range)) => FormulaShape::Array(range),
            (b"dataTable", Some(range)) => FormulaShape::DataTable(range),
            _ => FormulaShape::Single,
        }
    }

    /// A data table as a formula that names its input cells.
    fn data_table_text(&self) -> String {
        let inputs = [b"r1".as_slice(), b"r2"].into_iter().filter_map(|name| attr(self.tag, name));
        format!("TABLE({})", inputs.map(|input| text(input).into_owned()).collect::<Vec<_>>().join(","))
    }

    pub(super) fn group(&self) -> Option<u32> {
        number_attr(self.tag, b"si")
    }
}

/// What is gathered on the way through the rows.
#[derive(Default)]
struct Found {
    rows: RowSet,
    used: Used,
    arrays: Vec<(CellRange, CellRef)>,
    shared: HashMap<u32, Shared>,
    formulas: Vec<StoredFormula>,
}

impl Found {
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
        let (Some(at), Some(formula)) = (cell.at, FormulaTag::of(cell)) else { return };
        let group = formula.group().filter(|_| formula.kind() == b"shared");
        if let (b"array" | b"dataTable", Some(range)) = (formula.kind(), formula.range()) {
            self.arrays.push((range, at));
        }
        let (stored, shape) = (formula.stored, formula.shape());
        let text = match group {
            Some(group) => {
                let shared = self.shared.entry(group).or_default();
                shared.members.push(at);
                if !formula.text.is_empty() && shared.master.is_none() {
                    shared.master = Some((at, formula.text));
                }
                String::new()
            }
            None if formula.kind() == b"dataTable" => formula.data_table_text(),
            None => formula.text,
        };
        self.formulas.push(StoredFormula { at, text: text.into(), group, stored, shape });
    }
}

impl Shared {
    /// The formula of a member.
    pub(super) fn formula_at(&self, cell: CellRef) -> Option<String> {
        let (master, text) = self.master.as_ref()?;
        Some(translate(text, *master, cell).text.into_owned())
    }
}
