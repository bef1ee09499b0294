//! Writing the package: every untouched entry and its directory record are copied as they are.

use std::ops::Range;

use super::Package;
use super::directory::{Entry, u16_at};
use super::entry::Packed;
use crate::error::{InternalError, PackageError, Quantity, ZipFault};

/// 1 January 1980, the first date a zip knows: no clock is read here, and equal edits give equal bytes.
const DATE: u16 = 0x21;
const DEFLATED: u16 = 8;
const UTF8: u16 = 1 << 11;

pub(super) fn save(package: &Package) -> Result<Vec<u8>, PackageError> {
    let mut out = Writer::new(package);
    // Entries are written in the order of their positions in the file, which may differ from the directory's.
    let mut order: Vec<usize> = (0..package.directory.entries.len()).collect();
    order.sort_by_key(|at| package.directory.entries.get(*at).map(|entry| entry.local.start));
    let mut records = vec![None; order.len()];
    for at in order {
        let Some(entry) = package.directory.entries.get(at).filter(|_| !package.is_dropped(at)) else {
            continue;
        };
        let record = match package.touched.get(&at) {
            Some(packed) => out.touched(entry, packed)?,
            None => out.raw(entry)?,
        };
        if let Some(slot) = records.get_mut(at) {
            *slot = Some(record);
        }
    }
    let added = package.added.iter().map(|(name, packed)| out.added(name, packed)).collect::<Result<Vec<_>, _>>()?;
    let records: Vec<Vec<u8>> = records.into_iter().flatten().chain(added).collect();
    out.finish(&records)
}

struct Writer<'a> {
    package: &'a Package,
    out: Vec<u8>,
}

impl<'a> Writer<'a> {
    fn new(package: &'a Package) -> Self {
        let prefix = usize::try_from(package.directory.shift).unwrap_or(0);
        let mut out = Vec::with_capacity(package.bytes.len() + package.bytes.len() / 8);
        out.extend_from_slice(package.bytes.get(..prefix).unwrap_or_default());
        Self { package, out }
    }

    /// Copies an entry; returns its record with the new position.
    fn raw(&mut self, entry: &Entry) -> Result<Vec<u8>, PackageError> {
        let at = self.offset()?;
        self.out.extend_from_slice(slice(&self.package.bytes, entry, &entry.local)?);
        let mut record = slice(&self.package.bytes, entry, &entry.record)?.to_vec();
        put_offset(&mut record, at);
        Ok(record)
    }

    /// Writes the new content of an entry, with its old name, times and attributes.
    fn touched(&mut self, entry: &Entry, packed: &Packed) -> Result<Vec<u8>, PackageError> {
        let old = slice(&self.package.bytes, entry, &entry.record)?;
        let short = |at| u16_at(old, at).unwrap_or(0);
        let name_len = usize::from(short(28));
        let name = old.get(46..46 + name_len).unwrap_or_default().to_vec();
        let comment_at = 46 + name_len + usize::from(short(30));
        let comment = old.get(comment_at..).unwrap_or_default().to_vec();
        let head = Head { flags: short(8) & UTF8, time: short(12), date: short(14), name: &name };
        let attributes = old.get(34..42).unwrap_or(&[0; 8]).to_vec();
        let made_by = short(4);
        self.write(&head, packed, made_by, &attributes, &comment)
    }

    fn added(&mut self, name: &str, packed: &Packed) -> Result<Vec<u8>, PackageError> {
        let flags = if name.is_ascii() { 0 } else { UTF8 };
        self.write(&Head { flags, time: 0, date: DATE, name: name.as_bytes() }, packed, 20, &[0; 8], &[])
    }

    fn write(
        &mut self,
        head: &Head<'_>,
        packed: &Packed,
        made_by: u16,
        attributes: &[u8],
        comment: &[u8],
    ) -> Result<Vec<u8>, PackageError> {
        let at = self.offset()?;
        let Some((data, ..)) = packed.parts() else {
            let part = String::from_utf8_lossy(head.name).into_owned();
            return Err(InternalError::Compression { part }.into());
        };
        let common = head.common(packed, data.len())?;
        self.out.extend_from_slice(b"PK\x03\x04");
        self.out.extend_from_slice(&common);
        self.out.extend_from_slice(&0_u16.to_le_bytes());
        self.out.extend_from_slice(head.name);
        self.out.extend_from_slice(data);
        let mut record = b"PK\x01\x02".to_vec();
        record.extend_from_slice(&made_by.to_le_bytes());
        record.extend_from_slice(&common);
        record.extend_from_slice(&0_u16.to_le_bytes());
        record.extend_from_slice(&u16::try_from(comment.len()).unwrap_or(0).to_le_bytes());
        record.extend_from_slice(attributes);
        record.extend_from_slice(&at.to_le_bytes());
        record.extend_from_slice(head.name);
        record.extend_from_slice(comment);
        Ok(record)
    }

    /// Writes the directory and the end.
    fn finish(mut self, records: &[Vec<u8>]) -> Result<Vec<u8>, PackageError> {
        let start = self.offset()?;
        for record in records {
            self.out.extend_from_slice(record);
        }
        let size = self.offset()? - start;
        let count = u16::try_from(records.len()).map_err(|_| too_large())?;
        self.out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        self.out.extend_from_slice(&count.to_le_bytes());
        self.out.extend_from_slice(&count.to_le_bytes());
        self.out.extend_from_slice(&size.to_le_bytes());
        self.out.extend_from_slice(&start.to_le_bytes());
        let comment = &self.package.directory.comment;
        self.out.extend_from_slice(&u16::try_from(comment.len()).unwrap_or(0).to_le_bytes());
        self.out.extend_from_slice(comment);
        Ok(self.out)
    }

    /// The place of the next byte, as offsets are counted.
    fn offset(&self) -> Result<u32, PackageError> {
        let at = self.out.len() as u64 - self.package.directory.shift;
        u32::try_from(at).map_err(|_| too_large())
    }
}

/// The fields that the local header and the directory record share.
struct Head<'a> {
    flags: u16,
    time: u16,
    date: u16,
    name: &'a [u8],
}

impl Head<'_> {
    /// From the version needed to the length of the name.
    fn common(&self, packed: &Packed, packed_bytes: usize) -> Result<Vec<u8>, PackageError> {
        let narrow = |size: u64| u32::try_from(size).map_err(|_| too_large());
        let mut bytes = Vec::with_capacity(24);
        for short in [20, self.flags, DEFLATED, self.time, self.date] {
            bytes.extend_from_slice(&short.to_le_bytes());
        }
        for long in [packed.crc, narrow(packed_bytes as u64)?, narrow(packed.size)?] {
            bytes.extend_from_slice(&long.to_le_bytes());
        }
        bytes.extend_from_slice(&u16::try_from(self.name.len()).map_err(|_| too_large())?.to_le_bytes());
        Ok(bytes)
    }
}

/// Sets the position of an entry in its record: in the 64-bit field if the record has one.
fn put_offset(record: &mut [u8], at: u32) {
    let wide = record.get(42..46) == Some(&[0xFF; 4]);
    let place = if wide { wide_offset(record) } else { None };
    match place {
        Some(place) => put(record, place, &u64::from(at).to_le_bytes()),
        None => put(record, 42, &at.to_le_bytes()),
    }
}

/// Where the 64-bit field has the offset: after the sizes, if it has those.
fn wide_offset(record: &[u8]) -> Option<usize> {
    let mut at = 46 + usize::from(u16_at(record, 28)?);
    let end = at + usize::from(u16_at(record, 30)?);
    while at + 4 <= end {
        let (id, len) = (u16_at(record, at)?, usize::from(u16_at(record, at + 2)?));
        if id == 1 {
            let full = |at: usize| record.get(at..at + 4) == Some(&[0xFF; 4]);
            let before = usize::from(full(24)) + usize::from(full(20));
            return (len >= 8 * (before + 1)).then_some(at + 4 + 8 * before);
        }
        at += 4 + len;
    }
    None
}

fn put(record: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = record.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

fn slice<'a>(bytes: &'a [u8], entry: &Entry, range: &Range<usize>) -> Result<&'a [u8], PackageError> {
    let outside = || ZipFault::OutsideFile { entry: entry.name.clone() };
    Ok(bytes.get(range.clone()).ok_or_else(outside)?)
}

fn too_large() -> PackageError {
    PackageError::TooLarge { what: Quantity::EditedPackage, limit: u32::MAX.into() }
}
