//! The zip's central directory, kept record by record so that untouched ones are written back as they were.

use std::ops::Range;

use super::entry::Method;
use crate::error::{PackageError, Quantity, ZipFault};
use crate::limits::Limits;

const END: &[u8] = b"PK\x05\x06";
const END_LEN: usize = 22;
const LOCATOR: &[u8] = b"PK\x06\x07";
const END_64: &[u8] = b"PK\x06\x06";
const RECORD: &[u8] = b"PK\x01\x02";
const RECORD_LEN: usize = 46;
const LOCAL: &[u8] = b"PK\x03\x04";
const LOCAL_LEN: usize = 30;

/// All entries, in the order of the directory.
#[derive(Debug, Clone)]
pub(super) struct Directory {
    pub(super) entries: Vec<Entry>,
    /// Bytes before the zip proper, counted in no offset.
    pub(super) shift: u64,
    /// The comment at the very end.
    pub(super) comment: Vec<u8>,
}

/// One entry.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) name: String,
    /// Its complete directory record.
    pub(super) record: Range<usize>,
    /// From its local header to the next one or the directory: header, data, descriptor.
    pub(super) local: Range<usize>,
    pub(super) method: Method,
    pub(super) crc: u32,
    pub(super) packed: u64,
    pub(super) size: u64,
}

impl Entry {
    /// The range of the compressed bytes in the file.
    pub(super) fn data(&self, bytes: &[u8]) -> Result<Range<usize>, PackageError> {
        let gone = || ZipFault::OutsideFile { entry: self.name.clone() };
        let local = bytes.get(self.local.clone()).ok_or_else(gone)?;
        if !local.starts_with(LOCAL) {
            return Err(ZipFault::NoHeader { entry: self.name.clone() }.into());
        }
        let names = usize::from(u16_at(local, 26).ok_or_else(gone)?) + usize::from(u16_at(local, 28).ok_or_else(gone)?);
        let start = LOCAL_LEN + names;
        let len = usize::try_from(self.packed).map_err(|_| gone())?;
        let end = start.checked_add(len).filter(|end| *end <= local.len()).ok_or_else(gone)?;
        Ok(self.local.start + start..self.local.start + end)
    }
}

impl Directory {
    /// Reads the directory at the end of the file.
    pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<Self, PackageError> {
        let end = End::find(bytes)?;
        if end.entries > limits.entries as u64 {
            let what = Quantity::Entries;
            return Err(PackageError::TooLarge { what, limit: limits.entries as u64 });
        }
        let (start, shift) = end.place(bytes)?;
        let mut raw = Vec::new();
        let mut at = start;
        while bytes.get(at..).is_some_and(|rest| rest.starts_with(RECORD)) && at < end.at {
            if raw.len() >= limits.entries {
                let what = Quantity::Entries;
                return Err(PackageError::TooLarge { what, limit: limits.entries as u64 });
            }
            let record = Raw::read(bytes, at, shift)?;
            at = record.record.end;
            raw.push(record);
        }
        let (found, declared) = (raw.len() as u64, end.entries);
        if found < declared {
            return Err(ZipFault::MissingEntries { found, declared }.into());
        }
        let comment = bytes.get(end.at + END_LEN..).map(|rest| rest.get(..end.comment).unwrap_or(rest));
        let entries = with_ends(raw, start, bytes)?;
        Ok(Self { entries, shift, comment: comment.unwrap_or_default().to_vec() })
    }
}

/// The end record, with the values of its 64-bit sibling where there is one.
struct End {
    at: usize,
    entries: u64,
    size: u64,
    offset: u64,
    comment: usize,
    /// Where the directory ends: before the 64-bit records, if the file has any.
    directory_end: usize,
}

impl End {
    fn find(bytes: &[u8]) -> Result<Self, PackageError> {
        let from = bytes.len().saturating_sub(END_LEN + usize::from(u16::MAX));
        let tail = bytes.get(from..).unwrap_or_default();
        let at = memchr::memmem::rfind(tail, END).map(|at| at + from).ok_or(PackageError::Truncated)?;
        let cut = || PackageError::Truncated;
        let end = bytes.get(at..at + END_LEN).ok_or_else(cut)?;
        let mut found = Self {
            at,
            entries: u64::from(u16_at(end, 10).ok_or_else(cut)?),
            size: u64::from(u32_at(end, 12).ok_or_else(cut)?),
            offset: u64::from(u32_at(end, 16).ok_or_else(cut)?),
            comment: usize::from(u16_at(end, 20).ok_or_else(cut)?),
            directory_end: at,
        };
        found.widen(bytes);
        Ok(found)
    }

    /// Uses the 64-bit values if the file has them.
    fn widen(&mut self, bytes: &[u8]) {
        let Some(locator_at) = self.at.checked_sub(20) else { return };
        let Some(locator) = bytes.get(locator_at..self.at).filter(|bytes| bytes.starts_with(LOCATOR)) else { return };
        let Some(located) = u64_at(locator, 8).and_then(|at| usize::try_from(at).ok()) else { return };
        // With bytes before the zip, the locator points elsewhere, and the record is right before it.
        let places = [Some(located), locator_at.checked_sub(56)];
        for at in places.into_iter().flatten() {
            let Some(record) = bytes.get(at..locator_at).filter(|bytes| bytes.starts_with(END_64)) else { continue };
            if let (Some(entries), Some(size), Some(offset)) =
                (u64_at(record, 32), u64_at(record, 40), u64_at(record, 48))
            {
                (self.entries, self.size, self.offset, self.directory_end) = (entries, size, offset, at);
                return;
            }
        }
    }

    /// Where the directory begins, and how many bytes precede the zip, which no offset counts.
    fn place(&self, bytes: &[u8]) -> Result<(usize, u64), PackageError> {
        let begins = |at: u64| {
            let at = usize::try_from(at).ok()?;
            let empty = self.entries == 0 && at <= bytes.len();
            (empty || bytes.get(at..)?.starts_with(RECORD)).then_some(at)
        };
        if let Some(at) = begins(self.offset) {
            return Ok((at, 0));
        }
        let counted = (self.directory_end as u64).checked_sub(self.size);
        let found = counted.and_then(|at| Some((begins(at)?, at.checked_sub(self.offset)?)));
        Ok(found.ok_or(ZipFault::NoDirectory)?)
    }
}

/// A directory record.
struct Raw {
    name: String,
    record: Range<usize>,
    local: usize,
    method: Method,
    flags: u16,
    crc: u32,
    packed: u64,
    size: u64,
}

impl Raw {
    fn read(bytes: &[u8], at: usize, shift: u64) -> Result<Self, PackageError> {
        let cut = || ZipFault::IncompleteRecord;
        let head = bytes.get(at..at + RECORD_LEN).ok_or_else(cut)?;
        let short = |at| u16_at(head, at).ok_or_else(cut);
        let long = |at| u32_at(head, at).ok_or_else(cut);
        let (name_len, extra_len, comment_len) = (short(28)?, short(30)?, short(32)?);
        let name_at = at + RECORD_LEN;
        let extra_at = name_at + usize::from(name_len);
        let end = extra_at + usize::from(extra_len) + usize::from(comment_len);
        let name = bytes.get(name_at..extra_at).ok_or_else(cut)?;
        let extra = bytes.get(extra_at..extra_at + usize::from(extra_len)).ok_or_else(cut)?;
        if bytes.len() < end {
            return Err(cut().into());
        }
        let name = String::from_utf8(name.to_vec())
            .unwrap_or_else(|error| error.into_bytes().iter().map(|byte| char::from(*byte)).collect());
        let wide = Wide::of(extra, long(24)?, long(20)?, long(42)?);
        let local = wide.offset.checked_add(shift).and_then(|at| usize::try_from(at).ok()).ok_or_else(cut)?;
        let (method, flags) = (Method::of(short(10)?), short(8)?);
        Ok(Self { name, record: at..end, local, method, flags, crc: long(16)?, packed: wide.packed, size: wide.size })
    }
}

/// Sizes and offset, from the 64-bit field where the 32-bit ones are full.
struct Wide {
    size: u64,
    packed: u64,
    offset: u64,
}

impl Wide {
    fn of(extra: &[u8], size: u32, packed: u32, offset: u32) -> Self {
        let mut wide = Self { size: size.into(), packed: packed.into(), offset: offset.into() };
        let Some(field) = extra_field(extra, 1) else { return wide };
        let mut at = 0;
        for (short, value) in [(size, &mut wide.size), (packed, &mut wide.packed), (offset, &mut wide.offset)] {
            if short == u32::MAX {
                let Some(long) = u64_at(field, at) else { break };
                *value = long;
                at += 8;
            }
        }
        wide
    }
}

/// The data of an extra field by its number.
fn extra_field(mut extra: &[u8], wanted: u16) -> Option<&[u8]> {
    loop {
        let (id, len) = (u16_at(extra, 0)?, usize::from(u16_at(extra, 2)?));
        let data = extra.get(4..4 + len)?;
        if id == wanted {
            return Some(data);
        }
        extra = extra.get(4 + len..)?;
    }
}

/// Finds where each entry's bytes end: at the next entry, or at the directory.
fn with_ends(raw: Vec<Raw>, directory: usize, bytes: &[u8]) -> Result<Vec<Entry>, PackageError> {
    let mut starts: Vec<usize> = raw.iter().map(|entry| entry.local).collect();
    starts.push(directory);
    starts.sort_unstable();
    // Entries that share their bytes would be copied once for each, so that a small file becomes a large one.
    if starts.windows(2).any(|pair| pair.first() == pair.last()) {
        return Err(ZipFault::OverlappingEntries.into());
    }
    let mut entries = Vec::with_capacity(raw.len());
    for Raw { name, record, local, method, flags, crc, packed, size } in raw {
        if flags & 1 != 0 {
            return Err(PackageError::Encrypted);
        }
        let next = starts.get(starts.partition_point(|start| *start <= local)).copied().unwrap_or(directory);
        if local >= bytes.len() || next <= local {
            return Err(ZipFault::OutsideFile { entry: name }.into());
        }
        entries.push(Entry { name, record, local: local..next, method, crc, packed, size });
    }
    Ok(entries)
}

/// Two bytes, the lower first.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}
