//! A workbook as it stands in its parts: rows and strings one by one, for comparing two workbooks
//! without holding either.

use std::io::Read;

use super::markup::{attr, number_attr, text};
use super::scan::{self, Row, Source};
use super::sheet::looks_utf8;
use super::strings;
use crate::error::PackageError;
use crate::package::{Package, PartReader};
use crate::xlsx::address::{CellRange, CellRef};

/// A row as it stands in its sheet.
pub struct RawRow<'a>(&'a Row<'a>);

/// A cell as it stands in its row. Texts are markup: see [`raw_text`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawCell<'a> {
    /// Where it is.
    pub at: CellRef,
    /// The number of its format.
    pub style: u32,
    /// Its type as it is written; `n` without one.
    pub kind: &'a [u8],
    /// What is inside `v`.
    pub value: Option<&'a [u8]>,
    /// What is inside `is`.
    pub inline: Option<&'a [u8]>,
    /// Its formula.
    pub formula: Option<RawFormula<'a>>,
}

/// A formula as it stands in its cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawFormula<'a> {
    /// Its text; empty for the later cells of a group.
    pub text: &'a [u8],
    /// What it is.
    pub kind: RawFormulaKind,
    /// The cells that an array formula or a data table fills.
    pub range: Option<CellRange>,
}

/// What a formula is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawFormulaKind {
    /// The cell's own.
    Own,
    /// That of a group of cells with this number.
    Shared(u32),
    /// One formula that fills several cells, or a data table.
    Array,
}

impl<'a> RawRow<'a> {
    /// Its number, from 1.
    pub fn number(&self) -> u32 {
        self.0.number
    }

    /// The whole element.
    pub fn bytes(&self) -> &'a [u8] {
        self.0.bytes
    }

    /// An attribute of the row as it is written.
    pub fn attr(&self, name: &str) -> Option<&'a [u8]> {
        attr(self.0.tag(), name.as_bytes())
    }

    /// Its cells in order. Those outside of the grid are left out.
    pub fn cells(&self) -> impl Iterator<Item = RawCell<'a>> {
        self.0.cells().filter_map(|cell| {
            let inside = |name: &[u8]| cell.child(name).map(|(_, inner)| inner);
            let (empty, at) = (cell.inner().is_empty(), cell.at?);
            let (value, inline) = if empty { (None, None) } else { (inside(b"v"), inside(b"is")) };
            let formula = if empty { None } else { cell.child(b"f") };
            Some(RawCell {
                at,
                style: cell.style().unwrap_or(0),
                kind: cell.kind(),
                value,
                inline,
                formula: formula.map(|(tag, inner)| formula_of(tag, inner)),
            })
        })
    }
}

fn formula_of<'a>(tag: &'a [u8], inner: &'a [u8]) -> RawFormula<'a> {
    let kind = match attr(tag, b"t") {
        Some(b"shared") => number_attr(tag, b"si").map_or(RawFormulaKind::Own, RawFormulaKind::Shared),
        Some(b"array" | b"dataTable") => RawFormulaKind::Array,
        _ => RawFormulaKind::Own,
    };
    RawFormula { text: inner, kind, range: attr(tag, b"ref").and_then(|range| text(range).parse().ok()) }
}

/// Goes through the rows of a sheet; gives the sheet without them, which is well-formed.
pub fn raw_rows(
    package: &Package,
    part: &str,
    each: &mut dyn FnMut(&RawRow<'_>) -> Result<(), PackageError>,
) -> Result<String, PackageError> {
    let mut head = Vec::new();
    package.reader(part)?.take(256).read_to_end(&mut head).map_err(|error| PartReader::told(part, &error))?;
    let decoded = if looks_utf8(&head) { None } else { Some(package.xml(part)?) };
    let source = match &decoded {
        Some(content) => Source::Text(part, content.text.as_bytes()),
        None => Source::Part(package, part),
    };
    let frame = scan::walk(&source, package.limits(), &mut |row| each(&RawRow(row)))?;
    Ok(frame.text)
}

/// Goes through the shared strings of a workbook: the number of each and what is inside its `si`.
pub fn raw_strings(package: &Package, part: &str, each: impl FnMut(u32, &[u8])) -> Result<(), PackageError> {
    strings::each_string(package, part, each).map(|_| ())
}

/// The characters of an element that holds only text.
pub fn raw_text(inner: &[u8]) -> String {
    strings::text_of(inner)
}

/// The characters of a string, shared or inline, without the formats in it.
pub fn raw_string(item: &[u8]) -> String {
    strings::full_text(item)
}
