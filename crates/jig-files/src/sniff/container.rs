//! The two containers of Office files, ZIP and OLE: just enough of each to name the document in it.
//!
//! Own code, because sniffing must work on the first kilobytes of a file and on damaged ones: the crates for both (`zip`,
//! `cfb`) and this project's package reader need the end of the file, or refuse a container that is not consistent.
//! Sizes and offsets in a file are hints here: every access is checked, and inflating stops at a cap.

use std::io::Read;

use flate2::read::DeflateDecoder;

use super::{Complete, Format};
use crate::kind::FileKind::*;

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

/// Whether the bytes start like a ZIP archive, an empty one included.
pub(super) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(LOCAL_HEADER) || (bytes.starts_with(END) && bytes.len() >= END_LENGTH)
}

/// One entry, whose data may reach past its end or be cut short.
#[derive(Debug, Clone, Copy)]
pub(super) struct ZipEntry<'a> {
    pub(super) name: &'a [u8],
    flags: u16,
    method: u16,
    data: &'a [u8],
}

impl ZipEntry<'_> {
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

/// The entries in the central directory; `None` if no directory can be found.
pub(super) fn zip_directory(bytes: &[u8]) -> Option<impl Iterator<Item = ZipEntry<'_>>> {
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
pub(super) fn zip_headers(bytes: &[u8]) -> impl Iterator<Item = ZipEntry<'_>> {
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

    fn entry(&self, bytes: &'a [u8]) -> Option<ZipEntry<'a>> {
        let local = LocalHeader::read(bytes, usize::try_from(self.offset).ok()?)?;
        // The directory knows the size even where the local header leaves it open.
        let size = usize::try_from(self.compressed).ok()?;
        Some(ZipEntry { name: self.name, ..local.entry(bytes, size) })
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

    fn entry(&self, bytes: &'a [u8], size: usize) -> ZipEntry<'a> {
        let rest = bytes.get(self.start..).unwrap_or_default();
        ZipEntry { name: self.name, flags: self.flags, method: self.method, data: rest.get(..size).unwrap_or(rest) }
    }

    /// The size of the data, as far as it is known without the directory.
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

/// The entry whose local header is at `at`, and where the next header is, if that is known.
fn local_entry(bytes: &[u8], at: usize) -> Option<(ZipEntry<'_>, Option<usize>)> {
    let header = LocalHeader::read(bytes, at)?;
    let size = header.size(bytes);
    let entry = header.entry(bytes, size.unwrap_or(usize::MAX));
    Some((entry, size.and_then(|size| header.start.checked_add(size))))
}

const OLE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
const OTHER_OLE: Format = Format::new(Binary, "application/x-ole-storage", "an OLE compound file");
const OLE_ENTRY_LENGTH: usize = 128;
/// Sector numbers from here on are marks, such as the end of a chain.
const LAST_SECTOR: u32 = 0xffff_fffa;
/// The header has room for the places of this many sectors of the allocation table. Files with
/// more are over 6.8 MB; their directory is followed as far as these reach.
const TABLE_SECTORS: usize = 109;

/// Whether the bytes start as an OLE compound file does.
pub(super) fn is_ole(bytes: &[u8]) -> bool {
    bytes.starts_with(OLE)
}

/// The document in an OLE compound file, or the file itself.
pub(super) fn ole_document(named: Option<Format>, bytes: &[u8], complete: Complete) -> Format {
    let found = OleFile::open(bytes).and_then(|file| {
        let names: Vec<String> = file.stream_names().collect();
        STREAMS.iter().find(|(stream, _)| names.iter().any(|name| name == stream)).map(|(_, format)| *format)
    });
    found.unwrap_or(match (complete, named) {
        // The directory may well be past the head, and nothing contradicts the name.
        (Complete::Head, Some(format)) if matches!(format.kind, Doc | Xls | Ppt) => format,
        _ => OTHER_OLE,
    })
}

/// The stream that makes a format, the strongest first: a protected file may have others too.
const STREAMS: &[(&str, Format)] = &[
    ("EncryptedPackage", Format::plain(EncryptedOffice, "application/x-ole-storage")),
    ("WordDocument", Format::plain(Doc, "application/msword")),
    ("Workbook", Format::plain(Xls, "application/vnd.ms-excel")),
    ("Book", Format::plain(Xls, "application/vnd.ms-excel")),
    ("PowerPoint Document", Format::plain(Ppt, "application/vnd.ms-powerpoint")),
    ("__properties_version1.0", Format::new(Binary, "application/vnd.ms-outlook", "an Outlook message")),
];

struct OleFile<'a> {
    bytes: &'a [u8],
    sector_length: usize,
    first_directory_sector: u32,
}

impl<'a> OleFile<'a> {
    fn open(bytes: &'a [u8]) -> Option<Self> {
        let shift = u16_at(bytes, 30)?;
        // The format knows sectors of 512 and 4,096 bytes, and no others.
        let sector_length = match shift {
            9 => 512,
            12 => 4096,
            _ => return None,
        };
        Some(Self { bytes, sector_length, first_directory_sector: u32_at(bytes, 48)? })
    }

    fn stream_names(&self) -> impl Iterator<Item = String> {
        self.directory_sectors().flat_map(|sector| sector.chunks_exact(OLE_ENTRY_LENGTH)).filter_map(entry_name)
    }

    /// The sectors of the directory. A chain is never longer than the file, even if it is a ring.
    fn directory_sectors(&self) -> impl Iterator<Item = &'a [u8]> {
        let most = self.bytes.len() / self.sector_length;
        std::iter::successors(Some(self.first_directory_sector), |&at| self.next_sector(at))
            .take(most)
            .map_while(|number| self.sector(number))
    }

    fn sector(&self, number: u32) -> Option<&'a [u8]> {
        let index = usize::try_from(number).ok().filter(|_| number < LAST_SECTOR)?;
        let start = index.checked_add(1)?.checked_mul(self.sector_length)?;
        let rest = self.bytes.get(start..)?;
        Some(rest.get(..self.sector_length).unwrap_or(rest))
    }

    fn next_sector(&self, number: u32) -> Option<u32> {
        let per_sector = self.sector_length / 4;
        let index = usize::try_from(number).ok()?;
        let table = Some(index / per_sector).filter(|&table| table < TABLE_SECTORS)?;
        let place = u32_at(self.bytes, 76 + table * 4)?;
        let next = u32_at(self.sector(place)?, index % per_sector * 4)?;
        (next < LAST_SECTOR).then_some(next)
    }
}

/// The name in a directory entry: UTF-16, with its length in bytes after it, the final NUL counted.
fn entry_name(entry: &[u8]) -> Option<String> {
    let length = u16_at(entry, 64)?;
    let bytes = entry.get(..usize::from(length).checked_sub(2)?.min(64))?;
    let units = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    char::decode_utf16(units).collect::<Result<_, _>>().ok()
}

/// Little-endian numbers at a position that may not exist.
fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let field = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_le_bytes(*field))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let field = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*field))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let field = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*field))
}
