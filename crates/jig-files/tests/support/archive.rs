//! Zip archives at the level of bytes: read to compare entries raw, written to be wrong on purpose.
//!
//! Not the `zip` crate: a judge that shares code with what it judges shares its faults, and no
//! library writes damaged archives.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const DEFLATED: u16 = 8;

/// One entry with all that must not change while its content does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) time: u32,
    pub(crate) crc: u32,
    /// The declared size of the content.
    pub(crate) size: u32,
    pub(crate) attributes: u32,
    pub(crate) compressed: Vec<u8>,
}

impl Entry {
    /// A deflated entry without flags or date.
    pub(crate) fn new(name: &str, content: &[u8]) -> Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(content).unwrap();
        let compressed = encoder.finish().unwrap();
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let (name, crc, size) = (name.to_owned(), crc.sum(), u32::try_from(content.len()).unwrap());
        Self { name, flags: 0, method: DEFLATED, time: 0x0021_0000, crc, size, attributes: 0, compressed }
    }

    pub(crate) fn content(&self) -> Vec<u8> {
        match self.method {
            0 => self.compressed.clone(),
            DEFLATED => {
                let mut content = Vec::new();
                DeflateDecoder::new(self.compressed.as_slice()).read_to_end(&mut content).unwrap();
                content
            }
            other => panic!("{}: compression method {other}", self.name),
        }
    }
}

/// The entries in the order of the central directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Archive(pub(crate) Vec<Entry>);

impl Archive {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).rposition(|window| window == END).expect("a zip archive");
        let (count, mut at) = (u16_at(bytes, end + 10), u32_at(bytes, end + 16) as usize);
        let mut entries = Vec::new();
        for _ in 0..count {
            assert_eq!(&bytes[at..at + 4], CENTRAL);
            let lengths: Vec<usize> = [28, 30, 32].iter().map(|offset| u16_at(bytes, at + offset).into()).collect();
            entries.push(entry(bytes, at, lengths[0]));
            at += 46 + lengths.iter().sum::<usize>();
        }
        Self(entries)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.name == name)
    }

    /// Replaces the content of an entry, or appends one.
    pub(crate) fn put(&mut self, name: &str, content: &[u8]) {
        let new = Entry::new(name, content);
        match self.0.iter_mut().find(|entry| entry.name == name) {
            Some(entry) => *entry = new,
            None => self.0.push(new),
        }
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.0.retain(|entry| entry.name != name);
    }

    /// Writes what the entries say, true or not.
    pub(crate) fn write(&self) -> Vec<u8> {
        let (mut out, mut directory) = (Vec::new(), Vec::new());
        for entry in &self.0 {
            let start = u32::try_from(out.len()).unwrap();
            let head = header(entry);
            out.extend(
                [LOCAL, &20_u16.to_le_bytes(), &head, &[0, 0], entry.name.as_bytes(), &entry.compressed].concat(),
            );
            let version = [20_u16.to_le_bytes(), 20_u16.to_le_bytes()].concat();
            let tail = [&entry.attributes.to_le_bytes()[..], &start.to_le_bytes(), entry.name.as_bytes()].concat();
            directory.extend([CENTRAL, &version, &head, &[0; 8], &tail].concat());
        }
        let (start, length) = (u32::try_from(out.len()).unwrap(), u32::try_from(directory.len()).unwrap());
        let count = u16::try_from(self.0.len()).unwrap().to_le_bytes();
        out.extend(directory);
        out.extend([END, &[0; 4], &count, &count, &length.to_le_bytes(), &start.to_le_bytes(), &[0; 2]].concat());
        out
    }
}

/// The fields that local and central headers share, from the flags to the length of the name.
fn header(entry: &Entry) -> Vec<u8> {
    let compressed = u32::try_from(entry.compressed.len()).unwrap();
    let mut out = [entry.flags.to_le_bytes(), entry.method.to_le_bytes()].concat();
    // The sizes do not come after the data here, so the marker for that is removed.
    out[0] &= !8;
    for number in [entry.time, entry.crc, compressed, entry.size] {
        out.extend(number.to_le_bytes());
    }
    out.extend(u16::try_from(entry.name.len()).unwrap().to_le_bytes());
    out
}

fn entry(bytes: &[u8], at: usize, name_length: usize) -> Entry {
    let local = u32_at(bytes, at + 42) as usize;
    assert_eq!(&bytes[local..local + 4], LOCAL);
    let data = local + 30 + usize::from(u16_at(bytes, local + 26)) + usize::from(u16_at(bytes, local + 28));
    let compressed = bytes[data..data + u32_at(bytes, at + 20) as usize].to_vec();
    Entry {
        name: String::from_utf8(bytes[at + 46..at + 46 + name_length].to_vec()).unwrap(),
        flags: u16_at(bytes, at + 8),
        method: u16_at(bytes, at + 10),
        time: u32_at(bytes, at + 12),
        crc: u32_at(bytes, at + 16),
        size: u32_at(bytes, at + 24),
        attributes: u32_at(bytes, at + 38),
        compressed,
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap())
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

#[test]
fn what_is_written_reads_the_same() {
    let mut archive = Archive(vec![Entry::new("a.xml", b"<a/>"), Entry::new("b/c.bin", &[7; 5000])]);
    archive.put("a.xml", b"<b/>");
    archive.put("d", b"");
    archive.remove("none");
    assert_eq!(Archive::read(&archive.write()), archive);
    assert_eq!(archive.get("a.xml").unwrap().content(), b"<b/>");
}
