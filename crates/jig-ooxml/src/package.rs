//! The package: a zip whose untouched entries are copied as they are.

mod directory;
mod entry;
mod prefetch;
mod reject;
mod save;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use self::directory::Directory;
use self::entry::{Bounded, Inflated, Method, Packed};
use self::prefetch::Prefetch;
use crate::error::{InternalError, PackageError, Quantity, ZipFault};
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
    /// Names that several entries with different content have. Programs disagree on which of them counts, so reading such
    /// a part is an error.
    ambiguous: HashSet<String>,
    /// Entries that repeat a later one of the same name byte by byte, with the position of that one. They are copied with
    /// it and left out once it changes, since a program may read either.
    repeated: BTreeMap<usize, usize>,
    /// Touched parts by position in the directory.
    touched: BTreeMap<usize, Packed>,
    /// New parts, in the order in which they were added.
    added: Vec<(String, Packed)>,
    /// Positions in the directory of removed parts.
    removed: Vec<usize>,
    /// How often a part was set.
    versions: u64,
    limits: Limits,
    /// Bytes inflated so far.
    inflated: Inflated,
    warnings: Warnings,
}

/// Defects that were tolerated. Parts are read through shared references, hence the lock.
#[derive(Debug, Default)]
struct Warnings(Mutex<BTreeSet<String>>);

impl Clone for Warnings {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()))
    }
}

/// A part that differs from the package as it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartChange {
    /// Its name.
    pub name: String,
    /// The part as it was opened; none when it is new.
    pub before: Option<PartDigest>,
    /// The part now; none when it was removed.
    pub after: Option<PartDigest>,
}

/// Distinguishes versions of a part by what the zip stores about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartDigest {
    /// Inflated bytes.
    pub bytes: u64,
    /// The checksum of the inflated bytes.
    pub crc32: u32,
}

impl Package {
    /// Opens a package. Parts are read when they are asked for.
    pub fn open(bytes: impl Into<Arc<[u8]>>, limits: Limits) -> Result<Self, PackageError> {
        let bytes = bytes.into();
        reject::other_files(&bytes)?;
        let directory = Directory::read(&bytes, &limits)?;
        let mut package = Self {
            places: HashMap::with_capacity(directory.entries.len()),
            bytes,
            directory,
            ambiguous: HashSet::new(),
            repeated: BTreeMap::new(),
            touched: BTreeMap::new(),
            added: Vec::new(),
            removed: Vec::new(),
            versions: 0,
            limits,
            inflated: Inflated::default(),
            warnings: Warnings::default(),
        };
        package.index_names();
        Ok(package)
    }

    fn index_names(&mut self) {
        for (at, entry) in self.directory.entries.iter().enumerate() {
            let name = normal(&entry.name);
            let Some(before) = self.places.insert(name.clone(), at).filter(|_| !name.ends_with('/')) else { continue };
            // Equal checksums would not do: they are easy to forge.
            let stored = |at: usize| {
                let entry = self.directory.entries.get(at)?;
                Some((entry.method, self.bytes.get(entry.data(&self.bytes).ok()?)?))
            };
            if stored(before).is_some() && stored(before) == stored(at) {
                self.repeated.insert(before, at);
                self.warn(format!("the file contains the part {} more than once, with the same content", entry.name));
            } else {
                self.ambiguous.insert(name);
            }
        }
    }

    /// Defects of the package that lose nothing, such as a part that it contains twice.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Adds a warning, each only once.
    pub(crate) fn warn(&self, warning: String) {
        self.warnings.0.lock().unwrap_or_else(PoisonError::into_inner).insert(warning);
    }

    /// Whether an entry is left out when the package is saved.
    fn is_dropped(&self, at: usize) -> bool {
        let is_removed = |at: &usize| self.removed.contains(at);
        is_removed(&at) || self.repeated_by(at).is_some_and(|by| is_removed(&by) || self.touched.contains_key(&by))
    }

    /// The last of the entries that an entry repeats.
    fn repeated_by(&self, at: usize) -> Option<usize> {
        let mut last = *self.repeated.get(&at)?;
        while let Some(later) = self.repeated.get(&last) {
            last = *later;
        }
        Some(last)
    }

    /// The limits that the package was opened with.
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
        let kept = kept.filter(|(at, entry)| {
            !self.removed.contains(at) && !self.repeated.contains_key(at) && !entry.name.ends_with('/')
        });
        kept.map(|(_, entry)| entry.name.as_str()).chain(self.added.iter().map(|(name, _)| name.as_str()))
    }

    /// Whether the package has a part.
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

    /// The inflated size that the zip declares. It may be wrong.
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
        self.reader(name)?.read_to_end(&mut bytes).map_err(|error| entry::read_error(name, &error))?;
        Ok(bytes)
    }

    /// A part as a stream; the limits are applied while it is read.
    pub fn reader(&self, name: &str) -> Result<PartReader<'_>, PackageError> {
        self.stream(name, false)
    }

    /// A part as a stream that will be read to its end: a large one is inflated by another thread meanwhile.
    pub(crate) fn reader_ahead(&self, name: &str) -> Result<PartReader<'_>, PackageError> {
        self.stream(name, true)
    }

    fn stream(&self, name: &str, ahead: bool) -> Result<PartReader<'_>, PackageError> {
        let missing = || PackageError::MissingPart { part: name.to_owned() };
        let uncompressed = || InternalError::Compression { part: name.to_owned() };
        let mut prefetch = None;
        let (data, method, crc, size) = match self.find(name).ok_or_else(missing)? {
            Place::Old(at) => match self.touched.get(&at) {
                Some(packed) => packed.parts().ok_or_else(uncompressed)?,
                None if self.ambiguous.contains(&normal(name)) => {
                    return Err(ZipFault::DuplicatePart { part: name.to_owned() }.into());
                }
                None => {
                    let entry = self.directory.entries.get(at).ok_or_else(missing)?;
                    let range = entry.data(&self.bytes)?;
                    if ahead && entry.method == Method::Deflated && range.len() >= prefetch::MIN_BYTES {
                        prefetch = Prefetch::start(&self.bytes, range.clone());
                    }
                    (self.bytes.get(range).unwrap_or_default(), entry.method, entry.crc, entry.size)
                }
            },
            Place::New(at) => self.added.get(at).ok_or_else(missing)?.1.parts().ok_or_else(uncompressed)?,
        };
        let mut inner = Bounded::new(data, method, crc, size, &self.limits, &self.inflated, name)?;
        if let Some(prefetch) = prefetch {
            inner.read_from(prefetch);
        }
        Ok(PartReader { inner })
    }

    /// The compressed bytes of a part as they are in the file; none for one that was touched or is not deflated.
    /// No bound is applied and no checksum compared: read the part through [`reader`](Self::reader) once before.
    pub(crate) fn deflated(&self, name: &str) -> Option<&[u8]> {
        let Place::Old(at) = self.find(name)? else { return None };
        let entry = self.directory.entries.get(at).filter(|entry| entry.method == entry::Method::Deflated)?;
        if self.touched.contains_key(&at) || self.ambiguous.contains(&normal(name)) {
            return None;
        }
        self.bytes.get(entry.data(&self.bytes).ok()?)
    }

    /// A part as XML text.
    pub fn xml(&self, name: &str) -> Result<XmlPart, PackageError> {
        if self.declared_bytes(name).is_some_and(|bytes| bytes > self.limits.tree_bytes) {
            let what = Quantity::Part { part: name.to_owned() };
            return Err(PackageError::TooLarge { what, limit: self.limits.tree_bytes });
        }
        XmlPart::decode(self.spelled(name).unwrap_or(name), self.read(name)?)
    }

    /// Sets the bytes of a part, or adds it. The caller maintains content types and relationships.
    pub fn set(&mut self, name: &str, bytes: &[u8]) {
        self.set_packed(name, Packed::pack(bytes));
    }

    /// Sets an edited XML part, in the encoding it had.
    pub fn set_xml(&mut self, part: &XmlPart) {
        self.set(&part.name, &part.encode());
    }

    /// A writer for a part that is written as a stream: only its compressed bytes are kept in memory.
    pub fn writer(&self) -> PartWriter {
        PartWriter(entry::Packer::new())
    }

    /// Sets a part to what was written to a [`writer`](Self::writer).
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

    /// Removes a part. The caller maintains content types and relationships.
    pub fn remove(&mut self, name: &str) {
        match self.find(name) {
            Some(Place::Old(_)) => {
                // All entries of that name: otherwise readers would find an earlier one.
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

    /// Takes back what was set to the bytes that a part had when the package was opened, so that it is saved as it was.
    pub(crate) fn forget_unchanged(&mut self) -> Result<(), PackageError> {
        let same_digest = |(at, packed): (&usize, &Packed)| {
            let entry = self.directory.entries.get(*at)?;
            let old = PartDigest { bytes: entry.size, crc32: entry.crc };
            (packed.digest() == old && !self.ambiguous.contains(&normal(&entry.name)))
                .then(|| (*at, entry.name.clone()))
        };
        let likely: Vec<(usize, String)> = self.touched.iter().filter_map(same_digest).collect();
        for (at, name) in likely {
            let new = self.read(&name)?;
            let Some(packed) = self.touched.remove(&at) else { continue };
            // Equal checksums alone would not do: they are easy to forge.
            if !self.read(&name).is_ok_and(|old| old == new) {
                self.touched.insert(at, packed);
            }
        }
        Ok(())
    }

    /// Whether anything was set, added or removed.
    pub fn is_touched(&self) -> bool {
        !(self.touched.is_empty() && self.added.is_empty() && self.removed.is_empty())
    }

    /// What differs from the package as it was opened.
    pub fn changes(&self) -> Vec<PartChange> {
        let mut changes = Vec::new();
        for (at, entry) in self.directory.entries.iter().enumerate().filter(|(at, _)| !self.repeated.contains_key(at)) {
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

    /// The package as bytes: untouched entries as they are, in their order; new ones at the end.
    /// Without changes, exactly the bytes that were opened.
    pub fn save(&self) -> Result<Vec<u8>, PackageError> {
        if !self.is_touched() {
            return Ok(self.bytes.to_vec());
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

/// The position of a part: in the directory, or among the added parts.
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
    /// The error after a failed read of a part.
    pub fn read_error(name: &str, error: &std::io::Error) -> PackageError {
        entry::read_error(name, error)
    }
}

/// A part that is being written.
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

/// A name in the form in which names are compared.
fn normal(name: &str) -> String {
    let name: Cow<'_, str> = if name.contains('\\') { name.replace('\\', "/").into() } else { name.into() };
    name.trim_start_matches('/').to_ascii_lowercase()
}

#[cfg(test)]
mod tests;
