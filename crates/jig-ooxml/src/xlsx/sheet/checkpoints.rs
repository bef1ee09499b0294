//! Checkpoints in the compressed data of a sheet from which reading can start, for sheets too large for an index.
//!
//! A checkpoint is the state of the decompressor (about 43 KB) every few megabytes of markup, so that reading any window
//! of the sheet inflates a few megabytes instead of everything above it.

use std::io::{self, Read};

use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZFlush, MZStatus};

use super::stream::{SheetStream, XmlEvent};
use crate::error::PackageError;
use crate::package::Package;

/// The bytes of markup between two checkpoints.
pub(crate) const APART: u64 = 4 << 20;

/// The checkpoints of one sheet, by row.
#[derive(Default)]
pub(crate) struct Checkpoints(Vec<Checkpoint>);

struct Checkpoint {
    /// The first row that begins after it.
    row: u32,
    /// The bytes of markup between it and that row.
    skip: u64,
    inflater: Inflater,
}

impl Checkpoints {
    /// Scans a part once. Empty if it is not compressed, not UTF-8 or does not number its rows in order.
    pub(crate) fn read(package: &Package, part: &str, apart: u64) -> Result<Self, PackageError> {
        let Some(data) = package.deflated(part) else { return Ok(Self::default()) };
        let marking = Marking { data, inflater: Inflater::new(), out: 0, apart, marks: Vec::new() };
        let Some(mut stream) = SheetStream::marking(package, part, marking)? else { return Ok(Self::default()) };
        let mut places = Vec::new();
        loop {
            let row = match stream.next()? {
                XmlEvent::Open(tag) if tag.local() == b"row" => match tag.attr(b"r").map(row_number) {
                    Some(Some(row)) => row,
                    _ => return Ok(Self::default()),
                },
                XmlEvent::Close(b"sheetData") | XmlEvent::End => return Ok(Self(places)),
                _ => continue,
            };
            let start = stream.tag_start();
            if places.last().is_some_and(|last: &Checkpoint| last.row >= row) {
                return Ok(Self::default());
            }
            if let Some(Mark { out, inflater }) = stream.take_mark(start) {
                places.push(Checkpoint { row, skip: start - out, inflater });
            }
        }
    }

    /// A stream that starts at the last checkpoint at or above a row; none if that is the top.
    pub(crate) fn open<'p>(
        &self,
        package: &'p Package,
        part: &str,
        row: u32,
    ) -> Result<Option<SheetStream<'p>>, PackageError> {
        let place = self.0.partition_point(|place| place.row <= row).checked_sub(1).and_then(|at| self.0.get(at));
        let (Some(place), Some(data)) = (place, package.deflated(part)) else { return Ok(None) };
        let resumed = Resumed { data, inflater: place.inflater.clone() };
        SheetStream::resumed(package, part, resumed, place.skip).map(Some)
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

fn row_number(raw: &[u8]) -> Option<u32> {
    std::str::from_utf8(raw).ok()?.parse().ok()
}

/// A decompressor and the number of bytes it has consumed.
#[derive(Clone)]
struct Inflater {
    state: Box<InflateState>,
    taken: usize,
    done: bool,
}

impl Inflater {
    fn new() -> Self {
        Self { state: InflateState::new_boxed(DataFormat::Raw), taken: 0, done: false }
    }

    fn read(&mut self, data: &[u8], buffer: &mut [u8]) -> io::Result<usize> {
        if self.done || buffer.is_empty() {
            return Ok(0);
        }
        let rest = data.get(self.taken..).unwrap_or_default();
        let result = inflate(&mut self.state, rest, buffer, MZFlush::None);
        self.taken += result.bytes_consumed;
        match result.status {
            Ok(status) => self.done = status == MZStatus::StreamEnd,
            Err(_) => return Err(io::Error::from(io::ErrorKind::InvalidData)),
        }
        Ok(result.bytes_written)
    }
}

/// Reads a part from its start and records checkpoints on the way.
pub(crate) struct Marking<'p> {
    data: &'p [u8],
    inflater: Inflater,
    out: u64,
    apart: u64,
    /// Those that no row has used yet.
    marks: Vec<Mark>,
}

/// A checkpoint without its row.
pub(crate) struct Mark {
    out: u64,
    inflater: Inflater,
}

impl Marking<'_> {
    /// The latest mark at or before a byte of the markup; earlier ones are dropped.
    pub(crate) fn take(&mut self, before: u64) -> Option<Mark> {
        let count = self.marks.iter().take_while(|mark| mark.out <= before).count();
        self.marks.drain(..count).next_back()
    }
}

impl Read for Marking<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let from = self.out / self.apart.max(1);
        let read = self.inflater.read(self.data, buffer)?;
        self.out += read as u64;
        if self.out / self.apart.max(1) > from {
            self.marks.push(Mark { out: self.out, inflater: self.inflater.clone() });
        }
        Ok(read)
    }
}

/// Reads a part from a checkpoint.
pub(crate) struct Resumed<'p> {
    data: &'p [u8],
    inflater: Inflater,
}

impl Read for Resumed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inflater.read(self.data, buffer)
    }
}
