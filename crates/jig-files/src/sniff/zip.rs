//! Just enough of the ZIP format to find an entry and read its beginning.
//!
//! Sizes and offsets in the file are hints: every access is checked, and inflating stops at a cap
//! whatever the entry declares.

use std::io::Read;

use flate2::read::DeflateDecoder;

use super::fields::{u16_at, u32_at, u64_at};

/// The most that is inflated of an entry: far above any real content type list.
const MAX_INFLATED: u64 = 1 << 20;

const LOCAL_HEADER: &[u8] = b"PK\x03\x04";
const DIRECTORY_ENTRY: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const END_64: &[u8] = b"PK\x06\x06";
const END_64_LOCATOR: &[u8] = b"PK\x06\x07";

/// The end record without its comment, and the longest comment.
const END_LENGTH: usize = 22;
const MAX_COMMENT: usize = 0xffff;

const ENCRYPTED: u16 = 1;
const SIZES_FOLLOW: u16 = 1 << 3;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// Whether the bytes start as an archive does, an empty one included.
pub(super) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(LOCAL_HEADER) || (bytes.starts_with(END) && bytes.len() >= END_LENGTH)
}

/// One entry, whose data may reach past its end or be cut short.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) name: &'a [u8],
    flags: u16,
    method: u16,
    data: &'a [u8],
}

impl Entry<'_> {
    /// The beginning of the content. Damaged data gives what can be read before the damage.
    pub(super) fn content(&self) -> Vec<u8> {
        let mut content = Vec::new();
        if self.flags & ENCRYPTED != 0 {
            return content;
        }
        // An error leaves in `content` what came before it, which is all this promises.
        let _ = match self.method {
            STORED => self.data.take(MAX_INFLATED).read_to_end(&mut content),
            DEFLATED => DeflateDecoder::new(self.data).take(MAX_INFLATED).read_to_end(&mut content),
            _ => Ok(0),
        };
        content
    }
}

/// The entries in the central directory; `None` if there is none to be found.
pub(super) fn directory(bytes: &[u8]) -> Option<impl Iterator<Item = Entry<'_>>> {
    let mut at = directory_start(bytes)?;
    let starts_well = |at| {
        let rest: &[u8] = bytes.get(at..).unwrap_or_default();
        rest.starts_with(DIRECTORY_ENTRY) || rest.starts_with(END) || rest.starts_with(END_64)
    };
    if !starts_well(at) {
        return None;
    }
    Some(
        std::iter::from_fn(move || {
            let (header, next) = DirectoryHeader::read(bytes, at)?;
            at = next;
            Some(header)
        })
        .filter_map(|header| header.entry(bytes)),
    )
}

/// The entries that the local headers show one after the other, for a file whose end is missing.
pub(super) fn headers(bytes: &[u8]) -> impl Iterator<Item = Entry<'_>> {
    let mut at = Some(0);
    std::iter::from_fn(move || {
        let (entry, next) = local_entry(bytes, at?)?;
        at = next;
        Some(entry)
    })
}

fn directory_start(bytes: &[u8]) -> Option<usize> {
    let from = bytes.len().saturating_sub(END_LENGTH + MAX_COMMENT);
    let tail = bytes.get(from..)?;
    let end = from + tail.windows(END.len()).rposition(|window| window == END)?;
    match u32_at(bytes, end + 16)? {
        u32::MAX => directory_start_64(bytes, end),
        start => usize::try_from(start).ok(),
    }
}

fn directory_start_64(bytes: &[u8], end: usize) -> Option<usize> {
    let locator = end.checked_sub(20)?;
    if !bytes.get(locator..)?.starts_with(END_64_LOCATOR) {
        return None;
    }
    let end_64 = usize::try_from(u64_at(bytes, locator + 8)?).ok()?;
    if !bytes.get(end_64..)?.starts_with(END_64) {
        return None;
    }
    usize::try_from(u64_at(bytes, end_64.checked_add(48)?)?).ok()
}

struct DirectoryHeader<'a> {
    name: &'a [u8],
    compressed: u32,
    offset: u32,
}

impl<'a> DirectoryHeader<'a> {
    /// The header at `at` and where the next one is.
    fn read(bytes: &'a [u8], at: usize) -> Option<(Self, usize)> {
        if !bytes.get(at..)?.starts_with(DIRECTORY_ENTRY) {
            return None;
        }
        let length = |offset| u16_at(bytes, at + offset).map(usize::from);
        let (name, extra, comment) = (length(28)?, length(30)?, length(32)?);
        let header = Self {
            name: bytes.get(at + 46..at + 46 + name)?,
            compressed: u32_at(bytes, at + 20)?,
            offset: u32_at(bytes, at + 42)?,
        };
        Some((header, at + 46 + name + extra + comment))
    }

    fn entry(&self, bytes: &'a [u8]) -> Option<Entry<'a>> {
        let local = LocalHeader::read(bytes, usize::try_from(self.offset).ok()?)?;
        // The directory knows the size even where the local header leaves it open.
        let size = usize::try_from(self.compressed).ok()?;
        Some(Entry { name: self.name, ..local.entry(bytes, size) })
    }
}

struct LocalHeader<'a> {
    name: &'a [u8],
    flags: u16,
    method: u16,
    compressed: u32,
    /// Where the data starts, which may be past the end.
    start: usize,
}

impl<'a> LocalHeader<'a> {
    fn read(bytes: &'a [u8], at: usize) -> Option<Self> {
        if !bytes.get(at..)?.starts_with(LOCAL_HEADER) {
            return None;
        }
        let length = |offset| u16_at(bytes, at + offset).map(usize::from);
        let (name, extra) = (length(26)?, length(28)?);
        Some(Self {
            name: bytes.get(at + 30..at + 30 + name)?,
            flags: u16_at(bytes, at + 6)?,
            method: u16_at(bytes, at + 8)?,
            compressed: u32_at(bytes, at + 18)?,
            start: at + 30 + name + extra,
        })
    }

    fn entry(&self, bytes: &'a [u8], size: usize) -> Entry<'a> {
        let rest = bytes.get(self.start..).unwrap_or_default();
        Entry { name: self.name, flags: self.flags, method: self.method, data: rest.get(..size).unwrap_or(rest) }
    }

    /// The size of the data, as far as it can be told without the directory.
    fn size(&self, bytes: &[u8]) -> Option<usize> {
        if self.flags & SIZES_FOLLOW == 0 {
            return usize::try_from(self.compressed).ok();
        }
        // Stored data may hold whole archives; in deflated data the next header is the next entry.
        let rest = bytes.get(self.start..)?;
        let mut windows = rest.windows(LOCAL_HEADER.len());
        windows.position(|window| window == LOCAL_HEADER).filter(|_| self.method == DEFLATED)
    }
}

/// The entry whose local header is at `at`, and where the next header is, if that can be told.
fn local_entry(bytes: &[u8], at: usize) -> Option<(Entry<'_>, Option<usize>)> {
    let header = LocalHeader::read(bytes, at)?;
    let size = header.size(bytes);
    let entry = header.entry(bytes, size.unwrap_or(usize::MAX));
    Some((entry, size.and_then(|size| header.start.checked_add(size))))
}
