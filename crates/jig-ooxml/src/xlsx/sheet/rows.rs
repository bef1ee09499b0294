//! Gives a sheet row by row as bytes, and everything around the rows as one text. The sheet is never completely in
//! memory. Cells are decoded on demand, and edits copy the bytes of all others.

use std::ops::Range;

use memchr::memchr;

use super::cell::{CellData, CellType};
use super::decode;
use super::markup::{self, attr, is_single, local, markup_end, number_attr, tag_name, text};
use super::stream::{SheetStream, TextEncoding};
use crate::error::{PackageError, PartFault, Quantity};
use crate::package::Package;
use crate::xlsx::address::{CellRange, CellRef};
use crate::xlsx::formula::FormulaShape;
use crate::xml::{XmlPart, escape_text};

/// Everything of a sheet besides its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The part without the content of `sheetData`: well-formed, so that it can be read as a tree.
    pub(crate) text: String,
    /// The content of `sheetData` in the part. Empty without that element.
    pub(crate) rows: Range<u64>,
}

/// A row by its bytes in the part. Its cells are decoded on demand.
pub struct RowView<'a> {
    /// Its number; one more than that of the last row where the part has none.
    pub(crate) number: u32,
    /// The element.
    pub(crate) bytes: &'a [u8],
    /// The start tag.
    pub(crate) tag: Range<usize>,
    /// The cells.
    pub(crate) inner: Range<usize>,
}

impl<'a> RowView<'a> {
    /// Its number, from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The whole element.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// An attribute as it is written.
    pub fn attr(&self, name: &str) -> Option<&'a [u8]> {
        attr(self.tag(), name.as_bytes())
    }

    /// Its cells in order, with their content. Those outside of the grid are left out.
    pub fn cell_markup(&self) -> impl Iterator<Item = CellMarkup<'a>> {
        self.cells().filter_map(|cell| cell.markup())
    }

    /// The start tag.
    pub(crate) fn tag(&self) -> &'a [u8] {
        self.bytes.get(self.tag.clone()).unwrap_or_default()
    }

    /// The cells in the order they are written. Positions count from the start of the row.
    pub(crate) fn cells(&self) -> impl Iterator<Item = CellView<'a>> {
        let bytes = self.bytes;
        let (mut at, end, row) = (self.inner.start, self.inner.end, self.number);
        let mut col = 0;
        std::iter::from_fn(move || {
            loop {
                let found = markup::next_element(bytes.get(..end)?, at)?;
                at = found.range.end;
                let tag = bytes.get(found.tag.clone())?;
                if local(tag_name(tag)) != b"c" {
                    continue;
                }
                // The number of the row counts, as in the rows that edits write.
                col = attr(tag, b"r").and_then(CellRef::from_ascii).map_or(col + 1, CellRef::col);
                let at = CellRef::new(row, col);
                return Some(CellView { at, bytes, range: found.range, tag: found.tag, inner: found.inner });
            }
        })
    }

    /// Whether the row may have an element of this name. Cheap; false positives are possible.
    pub(crate) fn may_have(&self, name: &[u8]) -> bool {
        let inner = self.bytes.get(self.inner.clone()).unwrap_or_default();
        memchr::memmem::find_iter(inner, name).any(|at| {
            let before = at.checked_sub(1).and_then(|at| inner.get(at));
            let after = inner.get(at + name.len());
            matches!(before, Some(b'<' | b':')) && after.is_none_or(|b| !b.is_ascii_alphanumeric())
        })
    }
}

/// A cell by its bytes in its row.
pub(crate) struct CellView<'a> {
    /// Its address; none outside the grid.
    pub(crate) at: Option<CellRef>,
    bytes: &'a [u8],
    /// The element in its row.
    pub(crate) range: Range<usize>,
    tag: Range<usize>,
    inner: Range<usize>,
}

impl<'a> CellView<'a> {
    /// The cell that an element is, in this place; none for empty bytes.
    pub(crate) fn of(bytes: &'a [u8], at: CellRef) -> Option<Self> {
        let found = markup::next_element(bytes, 0)?;
        Some(Self { at: Some(at), bytes, range: found.range, tag: found.tag, inner: found.inner })
    }

    /// The element.
    pub(crate) fn element(&self) -> &'a [u8] {
        self.bytes.get(self.range.clone()).unwrap_or_default()
    }

    /// The start tag.
    pub(crate) fn tag(&self) -> &'a [u8] {
        self.bytes.get(self.tag.clone()).unwrap_or_default()
    }

    /// The markup between its tags.
    pub(crate) fn inner(&self) -> &'a [u8] {
        self.bytes.get(self.inner.clone()).unwrap_or_default()
    }

    /// The position of its content in the row.
    pub(crate) fn inner_start(&self) -> usize {
        self.inner.start
    }

    /// The first child of a name: its start tag and the markup between its tags.
    pub(crate) fn child(&self, name: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
        let inner = self.inner();
        let found = markup::elements(inner)
            .find(|found| inner.get(found.tag.clone()).is_some_and(|tag| local(tag_name(tag)) == name))?;
        Some((inner.get(found.tag)?, inner.get(found.inner)?))
    }

    /// The number of its format, if it has one.
    pub(crate) fn style(&self) -> Option<u32> {
        number_attr(self.tag(), b"s")
    }

    /// Its type.
    pub(crate) fn kind(&self) -> CellType {
        attr(self.tag(), b"t").map_or(CellType::Number, CellType::of)
    }

    /// Its formula.
    pub(crate) fn formula(&self) -> Option<FormulaMarkup<'a>> {
        self.child(b"f").map(|(tag, inner)| FormulaMarkup::of(tag, inner))
    }

    /// Its stored value.
    pub(crate) fn data(&self) -> CellData<'a> {
        self.markup().map_or(CellData::Empty, |cell| cell.data())
    }

    /// Its content; none outside the grid.
    fn markup(&self) -> Option<CellMarkup<'a>> {
        let inner = self.inner();
        let at = self.at?;
        let mut found = CellMarkup {
            at,
            style: self.style().unwrap_or(0),
            kind: self.kind(),
            value: None,
            inline: None,
            formula: None,
        };
        for child in markup::elements(inner) {
            let (Some(tag), Some(content)) = (inner.get(child.tag), inner.get(child.inner)) else { continue };
            match local(tag_name(tag)) {
                b"v" => found.value = found.value.or(Some(content)),
                b"is" => found.inline = found.inline.or(Some(content)),
                b"f" => found.formula = found.formula.or_else(|| Some(FormulaMarkup::of(tag, content))),
                _ => {}
            }
        }
        Some(found)
    }
}

/// The markup in a cell, decoded on demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellMarkup<'a> {
    /// Its address.
    pub at: CellRef,
    /// The number of its format.
    pub style: u32,
    kind: CellType,
    value: Option<&'a [u8]>,
    inline: Option<&'a [u8]>,
    /// Its formula.
    pub formula: Option<FormulaMarkup<'a>>,
}

impl<'a> CellMarkup<'a> {
    /// Its stored value.
    pub fn data(&self) -> CellData<'a> {
        let inline = self.inline_string().map(|item| decode::string_text(item).into());
        CellData::decode(self.kind, self.value, inline)
    }

    /// The markup of its text, if that is in the cell itself: it can have formats.
    pub fn inline_string(&self) -> Option<&'a [u8]> {
        self.inline.filter(|_| self.kind == CellType::Inline || self.value.is_none())
    }

    /// Whether it has neither a value nor a formula.
    pub fn is_empty(&self) -> bool {
        self.value.is_none() && self.inline.is_none() && self.formula.is_none()
    }
}

/// A formula of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormulaMarkup<'a> {
    /// Its start tag.
    pub(crate) tag: &'a [u8],
    inner: &'a [u8],
    /// Its kind.
    pub kind: FormulaKind,
    /// The cells that an array formula or a data table fills.
    pub range: Option<CellRange>,
}

/// The kinds of formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormulaKind {
    /// For one cell.
    Own,
    /// For all cells of the group with this number.
    Shared(u32),
    /// An array formula, which fills several cells.
    Array,
    /// A what-if data table.
    DataTable,
}

impl<'a> FormulaMarkup<'a> {
    fn of(tag: &'a [u8], inner: &'a [u8]) -> Self {
        let kind = match attr(tag, b"t") {
            Some(b"shared") => number_attr(tag, b"si").map_or(FormulaKind::Own, FormulaKind::Shared),
            Some(b"array") => FormulaKind::Array,
            Some(b"dataTable") => FormulaKind::DataTable,
            _ => FormulaKind::Own,
        };
        Self { tag, inner, kind, range: attr(tag, b"ref").and_then(|range| text(range).parse().ok()) }
    }

    /// Its text without `=`; empty for all cells of a group but the first, and for data tables.
    pub fn text(&self) -> String {
        decode::markup_text(self.inner)
    }

    /// Whether it fills more cells than its own.
    pub fn fills_range(&self) -> bool {
        matches!(self.kind, FormulaKind::Array | FormulaKind::DataTable)
    }

    /// The group whose cells share it.
    pub(crate) fn group(&self) -> Option<u32> {
        match self.kind {
            FormulaKind::Shared(group) => Some(group),
            _ => None,
        }
    }

    /// The cells that it fills. `spills`: the cell is marked as a dynamic array formula.
    pub(crate) fn shape(&self, spills: bool) -> FormulaShape {
        match (self.kind, self.range) {
            (FormulaKind::Array, Some(range)) if spills => FormulaShape::Spill(range),
            (FormulaKind::Array, Some(range)) => FormulaShape::Array(range),
            (FormulaKind::DataTable, Some(range)) => FormulaShape::DataTable(range),
            _ => FormulaShape::Single,
        }
    }

    /// A data table as Excel shows it: `TABLE(row input cell,column input cell)`.
    pub(crate) fn data_table_text(&self) -> String {
        let is_set = |name: &[u8]| matches!(attr(self.tag, name), Some(b"1" | b"true"));
        let input = |name: &[u8], deleted: &[u8]| match attr(self.tag, name) {
            Some(cell) if !is_set(deleted) => text(cell).into_owned(),
            _ => "#REF!".to_owned(),
        };
        let (first, second) = (input(b"r1", b"del1"), input(b"r2", b"del2"));
        match (is_set(b"dt2D"), is_set(b"dtr")) {
            (true, _) => format!("TABLE({first},{second})"),
            (false, true) => format!("TABLE({first},)"),
            (false, false) => format!("TABLE(,{first})"),
        }
    }

    /// The same element with another text; its attributes stay.
    pub(crate) fn with_text(&self, text: &str) -> String {
        element_with_text(self.tag, text)
    }
}

/// An element with the attributes of a start tag and a text.
pub(crate) fn element_with_text(tag: &[u8], content: &str) -> String {
    let open = text(tag);
    let open = open.trim_end_matches('>').trim_end_matches('/').trim_end();
    format!("{open}>{}</{}>", escape_text(content), text(tag_name(tag)))
}

/// Visits the rows of a sheet, and returns the sheet without them, which is well-formed.
pub fn sheet_rows(
    package: &Package,
    part: &str,
    each: &mut dyn FnMut(&RowView<'_>) -> Result<(), PackageError>,
) -> Result<String, PackageError> {
    let decoded = decoded(package, part)?;
    Ok(walk(open(package, part, decoded.as_ref())?, each)?.text)
}

/// The decoded part; none if it is UTF-8 and can be streamed.
pub(crate) fn decoded(package: &Package, part: &str) -> Result<Option<XmlPart>, PackageError> {
    match TextEncoding::of_part(package, part)? {
        TextEncoding::Utf8 => Ok(None),
        TextEncoding::Ascii | TextEncoding::Other => package.xml(part).map(Some),
    }
}

/// A stream of a part that is UTF-8 or was decoded.
pub(crate) fn open<'p>(
    package: &'p Package,
    part: &str,
    decoded: Option<&'p XmlPart>,
) -> Result<SheetStream<'p>, PackageError> {
    match decoded {
        Some(content) => Ok(SheetStream::open_decoded(package, content)),
        None => SheetStream::open_utf8(package, part),
    }
}

/// The content of `sheetData`, piece by piece.
pub(crate) enum Piece<'a> {
    /// A row.
    Row(RowView<'a>),
    /// White space, comments and other elements.
    Between(&'a [u8]),
}

/// Scans a sheet: passes each row to `row`, and returns the frame.
pub(crate) fn walk(
    mut stream: SheetStream<'_>,
    row: &mut dyn FnMut(&RowView<'_>) -> Result<(), PackageError>,
) -> Result<Frame, PackageError> {
    let mut text: Vec<u8> = Vec::new();
    let Some(open) = head(&mut stream, &mut text)? else {
        return Ok(Frame { text: whole(&stream, text)?, rows: 0..0 });
    };
    let start = stream.position();
    if !is_single(&open) {
        pieces(&mut stream, None, &mut |piece| match piece {
            Piece::Row(found) => row(&found),
            Piece::Between(_) => Ok(()),
        })?;
    }
    let end = stream.position();
    loop {
        let bytes = stream.rest().len();
        text.extend_from_slice(stream.rest());
        stream.pass(bytes);
        if text.len() as u64 > stream.element_bytes() {
            let what = Quantity::Frame { part: stream.part().to_owned() };
            return Err(PackageError::TooLarge { what, limit: stream.element_bytes() });
        }
        if !stream.fill_more()? {
            return Ok(Frame { text: whole(&stream, text)?, rows: start..end });
        }
    }
}

/// Scans only the content of `sheetData`, at the position that [`walk`] found.
pub(crate) fn walk_rows(
    mut stream: SheetStream<'_>,
    rows: &Range<u64>,
    piece: &mut dyn FnMut(Piece<'_>) -> Result<(), PackageError>,
) -> Result<(), PackageError> {
    while stream.position() < rows.start {
        let left = usize::try_from(rows.start - stream.position()).unwrap_or(usize::MAX);
        let here = left.min(stream.rest().len());
        stream.pass(here);
        if here == 0 && !stream.fill_more()? {
            return Err(stream.damaged(PartFault::MissingElement { element: "sheetData" }));
        }
    }
    if rows.start < rows.end { pieces(&mut stream, Some(rows.end), piece) } else { Ok(()) }
}

/// Copies everything up to the start tag of `sheetData`, and returns that tag, if there is one.
fn head(stream: &mut SheetStream<'_>, text: &mut Vec<u8>) -> Result<Option<Vec<u8>>, PackageError> {
    loop {
        let found = stream.seek(|bytes| {
            let start = memchr(b'<', bytes)?;
            Some((start, markup_end(bytes, start)?))
        })?;
        let Some((start, end)) = found else {
            let rest = stream.rest().len();
            text.extend_from_slice(stream.rest());
            stream.pass(rest);
            return Ok(None);
        };
        let tag = stream.rest().get(start..end).unwrap_or_default();
        let is_data = !matches!(tag.get(1), Some(b'/' | b'!' | b'?')) && local(tag_name(tag)) == b"sheetData";
        let tag = is_data.then(|| tag.to_vec());
        text.extend_from_slice(stream.rest().get(..end).unwrap_or_default());
        stream.pass(end);
        if tag.is_some() {
            return Ok(tag);
        }
    }
}

fn pieces(
    stream: &mut SheetStream<'_>,
    end: Option<u64>,
    piece: &mut dyn FnMut(Piece<'_>) -> Result<(), PackageError>,
) -> Result<(), PackageError> {
    let mut number = 0;
    loop {
        if end.is_some_and(|end| stream.position() >= end) {
            return Ok(());
        }
        let next = stream.seek(|bytes| {
            let start = memchr(b'<', bytes)?;
            Some((start, markup_end(bytes, start)?))
        })?;
        let Some((start, tag_end)) = next else {
            return Err(stream.damaged(PartFault::NotClosed { what: "the list of rows" }));
        };
        if start > 0 {
            piece(Piece::Between(stream.rest().get(..start).unwrap_or_default()))?;
            stream.pass(start);
            continue;
        }
        match stream.rest().get(1) {
            Some(b'/') => return Ok(()),
            Some(b'!' | b'?') => {
                piece(Piece::Between(stream.rest().get(..tag_end).unwrap_or_default()))?;
                stream.pass(tag_end);
                continue;
            }
            _ => {}
        }
        let Some(found) = stream.seek(|bytes| markup::element_at(bytes, 0, tag_end))? else {
            return Err(stream.damaged(PartFault::NotClosed { what: "a row" }));
        };
        let bytes = stream.rest().get(found.range.clone()).unwrap_or_default();
        let tag = bytes.get(found.tag.clone()).unwrap_or_default();
        if local(tag_name(tag)) == b"row" {
            number = number_attr(tag, b"r").unwrap_or(number + 1);
            piece(Piece::Row(RowView { number, bytes, tag: found.tag, inner: found.inner }))?;
        } else {
            piece(Piece::Between(bytes))?;
        }
        stream.pass(found.range.end);
    }
}

fn whole(stream: &SheetStream<'_>, text: Vec<u8>) -> Result<String, PackageError> {
    String::from_utf8(text).map_err(|error| {
        PackageError::part(stream.part(), error.utf8_error().valid_up_to(), PartFault::Encoding { encoding: "UTF-8" })
    })
}
