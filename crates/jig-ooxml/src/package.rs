//! The package: a zip whose untouched entries are copied as they are.

mod ahead;
mod directory;
mod entry;
mod foreign;
mod save;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Read;
use std::sync::Arc;

use self::ahead::Ahead;
use self::directory::Directory;
use self::entry::{Bounded, Inflated, Method, Packed};
use crate::error::{InternalError, PackageError};
use crate::limits::Limits;
use crate::xml::XmlPart;

/// An Office package, opened without reading its parts.
///
/// Names are matched without regard to case, leading slash or backslashes, as Office programs do.
#[derive(Debug, Clone)]
pub struct Package {
    bytes: Arc<[u8]>,
    directory: Directory,
    /// Position in the directory by normalised name; the last of equal names, as zip readers do.
    places: HashMap<String, usize>,
    /// Names that several entries have. Readers disagree on which of them counts, so none is read.
    doubled: HashSet<String>,
    /// Touched parts by position in the directory.
    touched: BTreeMap<usize, Packed>,
    /// New parts in the order of their making.
    added: Vec<(String, Packed)>,
    /// Positions in the directory of removed parts.
    removed: Vec<usize>,
    /// How often a part was set.
    versions: u64,
    limits: Limits,
    /// Bytes inflated so far.
    inflated: Inflated,
}

/// A part that differs from the package as it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartChange {
    /// Its name.
    pub name: String,
    /// As it was; none when it is new.
    pub before: Option<PartDigest>,
    /// As it is; none when it is gone.
    pub after: Option<PartDigest>,
}

/// Enough of a part to tell two versions apart, as the zip itself keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartDigest {
    /// Inflated bytes.
    pub bytes: u64,
    /// The checksum of those.
    pub crc32: u32,
}

impl Package {
    /// Opens a package. Parts are read when they are asked for.
    pub fn open(bytes: impl Into<Arc<[u8]>>, limits: Limits) -> Result<Self, PackageError> {
        let bytes = bytes.into();
        foreign::refuse(&bytes)?;
        let directory = Directory::read(&bytes, &limits)?;
        let mut places = HashMap::with_capacity(directory.entries.len());
        let mut doubled = HashSet::new();
        for (at, entry) in directory.entries.iter().enumerate() {
            let name = normal(&entry.name);
            if places.insert(name.clone(), at).is_some() && !name.ends_with('/') {
                doubled.insert(name);
            }
        }
        Ok(Self {
            bytes,
            directory,
            places,
            doubled,
            touched: BTreeMap::new(),
            added: Vec::new(),
            removed: Vec::new(),
            versions: 0,
            limits,
            inflated: Inflated::default(),
        })
    }

    /// The bounds this package was opened with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The bytes as they were opened.
    pub fn source(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// The names of all parts as they are now, in the order of the zip.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let kept = self.directory.entries.iter().enumerate();
        let kept = kept.filter(|(at, entry)| !self.removed.contains(at) && !entry.name.ends_with('/'));
        kept.map(|(_, entry)| entry.name.as_str()).chain(self.added.iter().map(|(name, _)| name.as_str()))
    }

    /// Whether there is such a part.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The name of a part as the zip spells it.
    pub fn spelled(&self, name: &str) -> Option<&str> {
        match self.find(name)? {
            Place::Old(at) => self.directory.entries.get(at).map(|entry| entry.name.as_str()),
            Place::New(at) => self.added.get(at).map(|(name, _)| name.as_str()),
        }
    }

    /// The size and checksum of a part, as the zip has them.
    pub fn digest(&self, name: &str) -> Option<PartDigest> {
        match self.find(name)? {
            Place::Old(at) => match self.touched.get(&at) {
                Some(packed) => Some(packed.digest()),
                None => self.directory.entries.get(at).map(|e| PartDigest { bytes: e.size, crc32: e.crc }),
            },
            Place::New(at) => self.added.get(at).map(|(_, packed)| packed.digest()),
        }
    }

    /// A number that changes whenever a part is set; 0 for a part as it was opened.
    pub(crate) fn version(&self, name: &str) -> Option<u64> {
        match self.find(name)? {
            Place::Old(at) => Some(self.touched.get(&at).map_or(0, |packed| packed.version)),
            Place::New(at) => self.added.get(at).map(|(_, packed)| packed.version),
        }
    }

    /// The inflated size a part says it has. Not to be relied on.
    pub fn declared_bytes(&self, name: &str) -> Option<u64> {
        match self.find(name)? {
            Place::Old(at) => match self.touched.get(&at) {
                Some(packed) => Some(packed.size),
                None => self.directory.entries.get(at).map(|entry| entry.size),
            },
            Place::New(at) => self.added.get(at).map(|(_, packed)| packed.size),
        }
    }

    /// A part's bytes.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, PackageError> {
        let mut bytes = Vec::new();
        let size = self.declared_bytes(name).unwrap_or(0);
        bytes.reserve(usize::try_from(size.min(16 << 20)).unwrap_or(0));
        self.reader(name)?.read_to_end(&mut bytes).map_err(|error| entry::told(name, &error))?;
        Ok(bytes)
    }

    /// A part as a stream, with the bounds applied as it is read.
    pub fn reader(&self, name: &str) -> Result<PartReader<'_>, PackageError> {
        self.stream(name, false)
    }

    /// The same for a part that will be read to its end: a large one is inflated by a thread of its own meanwhile.
    pub(crate) fn reader_ahead(&self, name: &str) -> Result<PartReader<'_>, PackageError> {
        self.stream(name, true)
    }

    fn stream(&self, name: &str, ahead: bool) -> Result<PartReader<'_>, PackageError> {
        let missing = || PackageError::MissingPart { part: name.to_owned() };
        let mut inflating = None;
        let (data, method, crc, size) = match self.find(name).ok_or_else(missing)? {
            Place::Old(at) => match self.touched.get(&at) {
                Some(packed) => packed.parts(),
                None if self.doubled.contains(&normal(name)) => {
                    return Err(PackageError::damaged(format!("the part {name} is in it more than once")));
                }
                None => {
                    let entry = self.directory.entries.get(at).ok_or_else(missing)?;
                    let range = entry.data(&self.bytes)?;
                    if ahead && entry.method == Method::Deflated && range.len() >= ahead::FROM {
                        inflating = Ahead::begin(&self.bytes, range.clone());
                    }
                    (self.bytes.get(range).unwrap_or_default(), entry.method, entry.crc, entry.size)
                }
            },
            Place::New(at) => self.added.get(at).ok_or_else(missing)?.1.parts(),
        };
        let mut inner = Bounded::new(data, method, crc, size, &self.limits, &self.inflated, name)?;
        if let Some(inflating) = inflating {
            inner.take_from(inflating);
        }
        Ok(PartReader { inner })
    }

    /// The compressed bytes of a part as they are in the file; none for one that was touched or is not deflated.
    /// No bound is applied and no checksum compared: read the part through [`reader`](Self::reader) once before.
    pub(crate) fn deflated(&self, name: &str) -> Option<&[u8]> {
        let Place::Old(at) = self.find(name)? else { return None };
        let entry = self.directory.entries.get(at).filter(|entry| entry.method == entry::Method::Deflated)?;
        if self.touched.contains_key(&at) || self.doubled.contains(&normal(name)) {
            return None;
        }
        self.bytes.get(entry.data(&self.bytes).ok()?)
    }

    /// A part as XML text.
    pub fn xml(&self, name: &str) -> Result<XmlPart, PackageError> {
        if self.declared_bytes(name).is_some_and(|bytes| bytes > self.limits.tree_bytes) {
            let what = format!("the part {name} is too large to be edited");
            return Err(PackageError::TooLarge { what, limit: self.limits.tree_bytes });
        }
        XmlPart::decode(self.spelled(name).unwrap_or(name), self.read(name)?)
    }

    /// Puts new bytes into a part, or adds it. Content types and relationships are the caller's matter.
    pub fn set(&mut self, name: &str, bytes: &[u8]) {
        self.set_packed(name, Packed::pack(bytes));
    }

    /// Puts an edited XML part back, in the encoding it had.
    pub fn set_xml(&mut self, part: &XmlPart) {
        self.set(&part.name, &part.encode());
    }

    /// A sink for a part that is written as a stream: only its compressed bytes are held.
    pub fn writer(&self) -> PartWriter {
        PartWriter(entry::Packer::new())
    }

    /// Puts what was written to a [`writer`](Self::writer) into a part.
    pub fn set_written(&mut self, name: &str, writer: PartWriter) {
        self.set_packed(name, writer.0.finish());
    }

    fn set_packed(&mut self, name: &str, mut packed: Packed) {
        self.versions += 1;
        packed.version = self.versions;
        match self.find(name) {
            Some(Place::Old(at)) => {
                self.touched.insert(at, packed);
            }
            Some(Place::New(at)) => {
                if let Some((_, old)) = self.added.get_mut(at) {
                    *old = packed;
                }
            }
            None => self.added.push((name.trim_start_matches('/').to_owned(), packed)),
        }
    }

    /// Takes a part out. Content types and relationships are the caller's matter.
    pub fn remove(&mut self, name: &str) {
        match self.find(name) {
            Some(Place::Old(_)) => {
                // Every entry of that name: the one behind it would come to light else.
                let name = normal(name);
                let all = self.directory.entries.iter().enumerate();
                let gone: Vec<usize> = all.filter(|(_, e)| normal(&e.name) == name).map(|(at, _)| at).collect();
                self.places.remove(&name);
                for at in gone {
                    self.touched.remove(&at);
                    self.removed.push(at);
                }
            }
            Some(Place::New(at)) => {
                self.added.remove(at);
            }
            None => {}
        }
    }

    /// Whether anything was set, added or removed.
    pub fn is_touched(&self) -> bool {
        !(self.touched.is_empty() && self.added.is_empty() && self.removed.is_empty())
    }

    /// What differs from the package as it was opened.
    pub fn changes(&self) -> Vec<PartChange> {
        let mut changes = Vec::new();
        for (at, entry) in self.directory.entries.iter().enumerate() {
            let after = self.touched.get(&at).map(Packed::digest);
            if after.is_some() || self.removed.contains(&at) {
                let before = Some(PartDigest { bytes: entry.size, crc32: entry.crc });
                changes.push(PartChange { name: entry.name.clone(), before, after });
            }
        }
        let added = self.added.iter();
        changes.extend(added.map(|(name, p)| PartChange { name: name.clone(), before: None, after: Some(p.digest()) }));
        changes
    }

    /// The package as bytes: untouched entries raw, in their order; new ones at the end.
    /// Without any change, exactly the bytes that were opened.
    pub fn save(&self) -> Result<Vec<u8>, PackageError> {
        if !self.is_touched() {
            return Ok(self.bytes.to_vec());
        }
        let old = self.touched.iter().filter_map(|(at, packed)| Some((&self.directory.entries.get(*at)?.name, packed)));
        let mut written = old.chain(self.added.iter().map(|(name, packed)| (name, packed)));
        if let Some((part, _)) = written.find(|(_, packed)| packed.data.is_none()) {
            return Err(InternalError::Compression { part: part.clone() }.into());
        }
        save::save(self)
    }

    /// A part name that no part has, made from a pattern with `{}` for a number.
    pub fn free_name(&self, pattern: &str) -> String {
        let mut number = 1_u64;
        loop {
            let name = pattern.replace("{}", &number.to_string());
            if !self.has(&name) {
                return name;
            }
            number += 1;
        }
    }

    /// Whether the package carries a digital signature, which any edit makes invalid.
    pub fn is_signed(&self) -> bool {
        self.names().any(|name| normal(name).starts_with("_xmlsignatures/"))
    }

    fn find(&self, name: &str) -> Option<Place> {
        let name = normal(name);
        if let Some(at) = self.places.get(name.as_str()) {
            return Some(Place::Old(*at));
        }
        self.added.iter().position(|(added, _)| normal(added) == name).map(Place::New)
    }
}

/// Where a part is.
enum Place {
    Old(usize),
    New(usize),
}

/// A part as a stream.
pub struct PartReader<'a> {
    inner: Bounded<'a>,
}

impl Read for PartReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.inner.read(buffer)
    }
}

impl PartReader<'_> {
    /// The error behind a failed read of this part.
    pub fn told(name: &str, error: &std::io::Error) -> PackageError {
        entry::told(name, error)
    }
}

/// A part in the making.
pub struct PartWriter(entry::Packer);

impl std::io::Write for PartWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// How names are compared.
fn normal(name: &str) -> String {
    let name: Cow<'_, str> = if name.contains('\\') { name.replace('\\', "/").into() } else { name.into() };
    name.trim_start_matches('/').to_ascii_lowercase()
}

#[cfg(test)]
mod tests;
