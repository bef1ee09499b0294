//! Zip archives for the mutator and for checking results: lenient reading, simple writing.
//!
//! Independent code: sharing code with the package reader would share its bugs.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

const DEFLATED: u16 = 8;
/// The maximum inflated size of a mutated entry.
const MOST: u64 = 4 << 20;

/// An entry, with everything that must not change unless it is edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name as raw bytes.
    pub name: Vec<u8>,
    /// Its compression method.
    pub method: u16,
    /// Its time and date.
    pub time: u32,
    /// Its declared checksum.
    pub crc: u32,
    /// Its declared inflated size.
    pub size: u32,
    /// Its compressed bytes.
    pub packed: Vec<u8>,
}

impl Entry {
    /// A deflated entry.
    pub fn new(name: &[u8], content: &[u8]) -> Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        let packed = encoder.write_all(content).and_then(|()| encoder.finish()).unwrap_or_default();
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let size = u32::try_from(content.len()).unwrap_or(u32::MAX);
        Self { name: name.to_vec(), method: DEFLATED, time: 0x0021_0000, crc: crc.sum(), size, packed }
    }

    /// Its content, as far as it can be read.
    pub fn content(&self) -> Vec<u8> {
        let mut content = Vec::new();
        if self.method == DEFLATED {
            let _ = DeflateDecoder::new(self.packed.as_slice()).take(MOST).read_to_end(&mut content);
        } else {
            content.clone_from(&self.packed);
        }
        content
    }

    /// Whether it is markup, according to its name.
    pub fn is_xml(&self) -> bool {
        [&b".xml"[..], b".rels", b".vml"].iter().any(|end| self.name.ends_with(end))
    }
}

/// The entries in directory order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archive(pub Vec<Entry>);

impl Archive {
    /// Reads an archive without zip64 records; `None` if it is invalid or uses other features.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).rposition(|window| window == b"PK\x05\x06")?;
        let (count, mut at) = (u16_at(bytes, end + 10)?, u32_at(bytes, end + 16)? as usize);
        let mut entries = Vec::new();
        for _ in 0..count {
            let (entry, next) = entry(bytes, at)?;
            entries.push(entry);
            at = next;
        }
        Some(Self(entries))
    }

    /// The first entry with this name.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.name == name.as_bytes())
    }

    /// Replaces the content of an entry, or appends one.
    pub fn put(&mut self, name: &str, content: &[u8]) {
        let new = Entry::new(name.as_bytes(), content);
        match self.0.iter_mut().find(|entry| entry.name == name.as_bytes()) {
            Some(entry) => *entry = new,
            None => self.0.push(new),
        }
    }

    /// The archive as bytes.
    pub fn write(&self) -> Vec<u8> {
        let (mut out, mut directory) = (Vec::new(), Vec::new());
        for entry in &self.0 {
            let start = long(out.len());
            let head = header(entry);
            out.extend([&b"PK\x03\x04\x14\0"[..], &head, &[0, 0], &entry.name, &entry.packed].concat());
            let record = [&b"PK\x01\x02\x14\0\x14\0"[..], &head, &[0; 12], &start, &entry.name].concat();
            directory.extend(record);
        }
        let (start, length) = (long(out.len()), long(directory.len()));
        let count = short(self.0.len());
        out.extend(directory);
        out.extend([&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &length, &start, &[0, 0]].concat());
        out
    }
}

/// The fields shared by both headers, from the flags to the length of the name.
fn header(entry: &Entry) -> Vec<u8> {
    let mut out = [[0, 0], entry.method.to_le_bytes()].concat();
    for number in
        [entry.time.to_le_bytes(), entry.crc.to_le_bytes(), long(entry.packed.len()), entry.size.to_le_bytes()]
    {
        out.extend(number);
    }
    out.extend(short(entry.name.len()));
    out
}

fn entry(bytes: &[u8], at: usize) -> Option<(Entry, usize)> {
    bytes.get(at..)?.starts_with(b"PK\x01\x02").then_some(())?;
    let long = |offset| u32_at(bytes, at + offset);
    let short = |offset| u16_at(bytes, at + offset).map(usize::from);
    let names = at + 46;
    let name = bytes.get(names..names + short(28)?)?.to_vec();
    let local = long(42)? as usize;
    bytes.get(local..)?.starts_with(b"PK\x03\x04").then_some(())?;
    let skip = usize::from(u16_at(bytes, local + 26)?) + usize::from(u16_at(bytes, local + 28)?);
    let data = local + 30 + skip;
    let packed = bytes.get(data..data.checked_add(long(20)? as usize)?)?.to_vec();
    let entry =
        Entry { name, method: u16_at(bytes, at + 10)?, time: long(12)?, crc: long(16)?, size: long(24)?, packed };
    Some((entry, names + short(28)? + short(30)? + short(32)?))
}

fn short(number: usize) -> [u8; 2] {
    u16::try_from(number).unwrap_or(u16::MAX).to_le_bytes()
}

fn long(number: usize) -> [u8; 4] {
    u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}
