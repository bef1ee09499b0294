//! OLE compound files: the Office formats of 1997 to 2003, and today's behind a password.
//!
//! The file is a small file system. Its directory names the streams, and those name the format.

use super::fields::{u16_at, u32_at};
use super::{Complete, Format};
use crate::kind::FileKind::*;

const MAGIC: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
const OTHER: Format = Format::new(Binary, "application/x-ole-storage", "an OLE compound file");
const ENTRY_LENGTH: usize = 128;
/// Sector numbers from here on are marks, such as the end of a chain.
const LAST_SECTOR: u32 = 0xffff_fffa;
/// The header has room for the places of this many sectors of the allocation table. Files with
/// more are over 6.8 MB; their directory is followed as far as these reach.
const TABLE_SECTORS: usize = 109;

/// Whether the bytes start as an OLE compound file does.
pub(super) fn is_ole(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The document in an OLE compound file, or the file itself.
pub(super) fn document(named: Option<Format>, bytes: &[u8], complete: Complete) -> Format {
    let found = Container::open(bytes).and_then(|container| {
        let names: Vec<String> = container.stream_names().collect();
        STREAMS.iter().find(|(stream, _)| names.iter().any(|name| name == stream)).map(|(_, format)| *format)
    });
    found.unwrap_or(match (complete, named) {
        // The directory may well be past the head, and nothing contradicts the name.
        (Complete::Head, Some(format)) if matches!(format.kind, Doc | Xls | Ppt) => format,
        _ => OTHER,
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

struct Container<'a> {
    bytes: &'a [u8],
    sector_length: usize,
    first_directory_sector: u32,
}

impl<'a> Container<'a> {
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
        self.directory_sectors().flat_map(|sector| sector.chunks_exact(ENTRY_LENGTH)).filter_map(entry_name)
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
