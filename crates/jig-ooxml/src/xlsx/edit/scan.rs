//! A sheet as a stream: everything around the rows as text, the rows one by one. The sheet is never
//! held whole.

use std::io::Read;
use std::ops::Range;

use memchr::memchr;

use super::markup::{self, attr, is_single, local, markup_end, number_attr, tag_name};
use crate::error::PackageError;
use crate::limits::Limits;
use crate::package::Package;
use crate::xlsx::address::{CellRef, MAX_COLUMN};

const CHUNK: usize = 256 << 10;

/// Bytes of a part with a window that moves over them.
struct Window<R> {
    reader: R,
    part: String,
    buffer: Vec<u8>,
    start: usize,
    /// Bytes that have left the window.
    passed: u64,
    ended: bool,
    limit: u64,
}

impl<R: Read> Window<R> {
    fn new(reader: R, part: &str, limits: &Limits) -> Self {
        let limit = limits.tree_bytes;
        Self { reader, part: part.to_owned(), buffer: Vec::new(), start: 0, passed: 0, ended: false, limit }
    }

    fn bytes(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// Reads more behind the window; false at the end of the part.
    fn fill(&mut self) -> Result<bool, PackageError> {
        if self.ended {
            return Ok(false);
        }
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        let held = self.buffer.len();
        if held as u64 > self.limit {
            let what = format!("a single row of the part {}", self.part);
            return Err(PackageError::TooLarge { what, limit: self.limit });
        }
        // A row larger than the window makes it grow by half, so that growing costs no more than reading.
        let chunk = CHUNK.max(held / 2);
        self.buffer.resize(held + chunk, 0);
        let mut filled = held;
        while filled < held + chunk {
            let free = self.buffer.get_mut(filled..).unwrap_or_default();
            let read = self.reader.read(free).map_err(|error| told(&self.part, &error))?;
            if read == 0 {
                self.ended = true;
                break;
            }
            filled += read;
        }
        self.buffer.truncate(filled);
        Ok(filled > held)
    }

    fn pass(&mut self, count: usize) {
        self.start += count;
        self.passed += count as u64;
    }

    fn damaged(&self, why: &str) -> PackageError {
        PackageError::part(&self.part, usize::try_from(self.passed).unwrap_or(usize::MAX), why)
    }

    /// Where in the window something is, after reading as much as that needs.
    fn seek<T>(&mut self, mut find: impl FnMut(&[u8]) -> Option<T>) -> Result<Option<T>, PackageError> {
        loop {
            if let Some(found) = find(self.bytes()) {
                return Ok(Some(found));
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }
}

fn told(part: &str, error: &std::io::Error) -> PackageError {
    crate::package::PartReader::told(part, error)
}

/// What a sheet is made of besides its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    /// The part without the content of `sheetData`: well-formed, so that it can be read as a tree.
    pub(super) text: String,
    /// The content of `sheetData` in the part. Empty when there is none.
    pub(super) rows: Range<u64>,
}

/// One row as it stands in the part.
pub(super) struct Row<'a> {
    /// Its number, counted on where the part does not say it.
    pub(super) number: u32,
    /// The element.
    pub(super) bytes: &'a [u8],
    /// The start tag.
    pub(super) tag: Range<usize>,
    /// The cells.
    pub(super) inner: Range<usize>,
}

impl<'a> Row<'a> {
    /// The start tag.
    pub(super) fn tag(&self) -> &'a [u8] {
        self.bytes.get(self.tag.clone()).unwrap_or_default()
    }

    /// The cells in the order they are written. Positions count from the start of the row.
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell<'a>> {
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
                col = attr(tag, b"r").and_then(column_of).unwrap_or(col + 1);
                let at = CellRef::new(row, col);
                return Some(Cell { at, bytes, range: found.range, tag: found.tag, inner: found.inner });
            }
        })
    }

    /// Whether anything in the row looks like an element of this name: cheap, and never wrongly no.
    pub(super) fn may_have(&self, name: &[u8]) -> bool {
        let inner = self.bytes.get(self.inner.clone()).unwrap_or_default();
        memchr::memmem::find_iter(inner, name).any(|at| {
            let before = at.checked_sub(1).and_then(|at| inner.get(at));
            let after = inner.get(at + name.len());
            matches!(before, Some(b'<' | b':')) && after.is_none_or(|b| !b.is_ascii_alphanumeric())
        })
    }
}

/// One cell as it stands in a row.
pub(super) struct Cell<'a> {
    /// Where it is; none when it lies outside the grid.
    pub(super) at: Option<CellRef>,
    bytes: &'a [u8],
    /// The element in its row.
    pub(super) range: Range<usize>,
    tag: Range<usize>,
    inner: Range<usize>,
}

impl<'a> Cell<'a> {
    /// The start tag.
    pub(super) fn tag(&self) -> &'a [u8] {
        self.bytes.get(self.tag.clone()).unwrap_or_default()
    }

    /// What is inside.
    pub(super) fn inner(&self) -> &'a [u8] {
        self.bytes.get(self.inner.clone()).unwrap_or_default()
    }

    /// Where the content begins in the row.
    pub(super) fn inner_start(&self) -> usize {
        self.inner.start
    }

    /// A child element: its start tag and what is inside.
    pub(super) fn child(&self, name: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
        let inner = self.inner();
        let found = markup::elements(inner)
            .find(|found| inner.get(found.tag.clone()).is_some_and(|tag| local(tag_name(tag)) == name))?;
        Some((inner.get(found.tag)?, inner.get(found.inner)?))
    }

    /// The style.
    pub(super) fn style(&self) -> Option<u32> {
        number_attr(self.tag(), b"s")
    }

    /// The type as it is written.
    pub(super) fn kind(&self) -> &'a [u8] {
        attr(self.tag(), b"t").unwrap_or(b"n")
    }
}

/// The column of an address such as `AB12`.
fn column_of(address: &[u8]) -> Option<u32> {
    let mut col = 0_u32;
    for byte in address.iter().take_while(|b| b.is_ascii_alphabetic()) {
        col = col.checked_mul(26)?.checked_add(u32::from(byte.to_ascii_uppercase() - b'A') + 1)?;
    }
    (1..=MAX_COLUMN).contains(&col).then_some(col)
}

/// What stands between the tags of `sheetData`.
pub(super) enum Piece<'a> {
    /// A row.
    Row(Row<'a>),
    /// White space, comments, and what is no row.
    Between(&'a [u8]),
}

/// Where a sheet's bytes come from: the package, or text that had to be decoded first.
pub(super) enum Source<'a> {
    /// A part in UTF-8.
    Part(&'a Package, &'a str),
    /// Decoded text.
    Text(&'a str, &'a [u8]),
}

impl<'a> Source<'a> {
    fn open(&self, limits: &Limits) -> Result<Window<Box<dyn Read + 'a>>, PackageError> {
        Ok(match self {
            Self::Part(package, name) => Window::new(Box::new(package.reader_ahead(name)?), name, limits),
            Self::Text(name, bytes) => Window::new(Box::new(*bytes), name, limits),
        })
    }
}

/// Walks a whole sheet: gives its frame, and each row to `row` on the way.
pub(super) fn walk(
    source: &Source<'_>,
    limits: &Limits,
    row: &mut dyn FnMut(&Row<'_>) -> Result<(), PackageError>,
) -> Result<Frame, PackageError> {
    let mut window = source.open(limits)?;
    let mut text: Vec<u8> = Vec::new();
    let Some(open) = head(&mut window, &mut text)? else {
        return Ok(Frame { text: whole(&window, text)?, rows: 0..0 });
    };
    let start = window.passed;
    if !is_single(&open) {
        pieces(&mut window, None, &mut |piece| match piece {
            Piece::Row(found) => row(&found),
            Piece::Between(_) => Ok(()),
        })?;
    }
    let end = window.passed;
    loop {
        let bytes = window.bytes().len();
        text.extend_from_slice(window.bytes());
        window.pass(bytes);
        if text.len() as u64 > limits.tree_bytes {
            let what = format!("the part {} besides its rows", window.part);
            return Err(PackageError::TooLarge { what, limit: limits.tree_bytes });
        }
        if !window.fill()? {
            return Ok(Frame { text: whole(&window, text)?, rows: start..end });
        }
    }
}

/// Walks the content of `sheetData` only, in the place that [`walk`] found.
pub(super) fn walk_rows(
    source: &Source<'_>,
    limits: &Limits,
    rows: &Range<u64>,
    piece: &mut dyn FnMut(Piece<'_>) -> Result<(), PackageError>,
) -> Result<(), PackageError> {
    let mut window = source.open(limits)?;
    while window.passed < rows.start {
        let here = usize::try_from(rows.start - window.passed).unwrap_or(usize::MAX).min(window.bytes().len());
        window.pass(here);
        if here == 0 && !window.fill()? {
            return Err(window.damaged("it ends before its rows"));
        }
    }
    if rows.start < rows.end { pieces(&mut window, Some(rows.end), piece) } else { Ok(()) }
}

/// Copies up to and with the start tag of `sheetData`, which it gives; none when there is none.
fn head<R: Read>(window: &mut Window<R>, text: &mut Vec<u8>) -> Result<Option<Vec<u8>>, PackageError> {
    loop {
        let found = window.seek(|bytes| {
            let start = memchr(b'<', bytes)?;
            Some((start, markup_end(bytes, start)?))
        })?;
        let Some((start, end)) = found else {
            let rest = window.bytes().len();
            text.extend_from_slice(window.bytes());
            window.pass(rest);
            return Ok(None);
        };
        let tag = window.bytes().get(start..end).unwrap_or_default();
        let is_data = !matches!(tag.get(1), Some(b'/' | b'!' | b'?')) && local(tag_name(tag)) == b"sheetData";
        let tag = is_data.then(|| tag.to_vec());
        text.extend_from_slice(window.bytes().get(..end).unwrap_or_default());
        window.pass(end);
        if tag.is_some() {
            return Ok(tag);
        }
    }
}

fn pieces<R: Read>(
    window: &mut Window<R>,
    end: Option<u64>,
    piece: &mut dyn FnMut(Piece<'_>) -> Result<(), PackageError>,
) -> Result<(), PackageError> {
    let mut number = 0;
    loop {
        if end.is_some_and(|end| window.passed >= end) {
            return Ok(());
        }
        let next = window.seek(|bytes| {
            let start = memchr(b'<', bytes)?;
            Some((start, markup_end(bytes, start)?))
        })?;
        let Some((start, tag_end)) = next else {
            return Err(window.damaged("it ends inside its rows"));
        };
        if start > 0 {
            piece(Piece::Between(window.bytes().get(..start).unwrap_or_default()))?;
            window.pass(start);
            continue;
        }
        match window.bytes().get(1) {
            Some(b'/') => return Ok(()),
            Some(b'!' | b'?') => {
                piece(Piece::Between(window.bytes().get(..tag_end).unwrap_or_default()))?;
                window.pass(tag_end);
                continue;
            }
            _ => {}
        }
        let Some(found) = window.seek(|bytes| markup::element_at(bytes, 0, tag_end))? else {
            return Err(window.damaged("it ends inside a row"));
        };
        let bytes = window.bytes().get(found.range.clone()).unwrap_or_default();
        let tag = bytes.get(found.tag.clone()).unwrap_or_default();
        if local(tag_name(tag)) == b"row" {
            number = number_attr(tag, b"r").unwrap_or(number + 1);
            piece(Piece::Row(Row { number, bytes, tag: found.tag, inner: found.inner }))?;
        } else {
            piece(Piece::Between(bytes))?;
        }
        window.pass(found.range.end);
    }
}

fn whole<R: Read>(window: &Window<R>, text: Vec<u8>) -> Result<String, PackageError> {
    String::from_utf8(text)
        .map_err(|error| PackageError::part(&window.part, error.utf8_error().valid_up_to(), "it is not UTF-8 text"))
}
