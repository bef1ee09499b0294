//! Edits the shared strings: one pass over the part finds the texts that an edit writes, another appends the missing
//! ones. The table itself is never in memory.

use std::collections::HashMap;
use std::io::{Read, Write};

use memchr::memmem;

use crate::error::{Error, InternalError, PackageError, PartFault, Quantity};
use crate::package::{Package, PartReader};
use crate::xlsx::sheet::decode;
use crate::xlsx::sheet::markup::{self, local, tag_name};
use crate::xlsx::sheet::stream::TextEncoding;
use crate::xml::escape_text;

/// An empty part.
const EMPTY: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<sst xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" count=\"0\" uniqueCount=\"0\"></sst>";

/// Texts that an edit writes, with their numbers in the table.
#[derive(Debug, Default)]
pub(super) struct Strings {
    numbers: HashMap<String, u32>,
    appended: Vec<String>,
    /// How many strings the table has in the file.
    known: u32,
    /// By how much the number of cells with shared strings changes.
    pub(super) uses: i64,
}

impl Strings {
    /// The number of a text that was looked up before.
    pub(super) fn number(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// Whether the part has to be written.
    pub(super) fn is_changed(&self) -> bool {
        !self.appended.is_empty() || self.uses != 0
    }

    /// Whether there are strings to append, which needs a part.
    pub(super) fn needs_part(&self) -> bool {
        !self.appended.is_empty()
    }

    /// Looks texts up; those that the table lacks get new numbers.
    pub(super) fn resolve(
        &mut self,
        package: &Package,
        part: Option<&str>,
        wanted: impl Iterator<Item = String>,
    ) -> Result<(), PackageError> {
        let mut missing: Vec<String> = Vec::new();
        let mut open: HashMap<String, Option<u32>> = HashMap::new();
        for text in wanted {
            if !self.numbers.contains_key(&text) && open.insert(text.clone(), None).is_none() {
                missing.push(text);
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        if self.appended.is_empty() {
            self.known = 0;
            if let Some(part) = part {
                self.known = each_string(package, part, |number, item| {
                    if let Some(found) = plain_text(item).and_then(|text| open.get_mut(text.as_str()))
                        && found.is_none()
                    {
                        *found = Some(number);
                    }
                })?;
            }
        }
        for text in missing {
            let number = match open.get(&text).copied().flatten() {
                Some(number) => number,
                None => {
                    let next = self.known + u32::try_from(self.appended.len()).unwrap_or(u32::MAX);
                    self.appended.push(text.clone());
                    next
                }
            };
            self.numbers.insert(text, number);
        }
        Ok(())
    }

    /// Writes the part with the new strings. `part` is its name, whether or not it is there.
    pub(super) fn write(&mut self, package: &mut Package, part: &str) -> Result<(), Error> {
        if !self.is_changed() {
            return Ok(());
        }
        if is_utf8(package, part)? {
            let mut writer = package.writer();
            if package.has(part) {
                let mut reader = package.reader(part)?;
                self.copy(&mut reader, part, &mut writer)?;
            } else {
                self.copy(&mut EMPTY.as_bytes(), part, &mut writer)?;
            }
            package.set_written(part, writer);
        } else {
            let mut content = package.xml(part)?;
            let mut out = Vec::new();
            self.copy(&mut content.text.as_bytes(), part, &mut out)?;
            content.text = String::from_utf8_lossy(&out).into_owned();
            package.set_xml(&content);
        }
        *self = Self::default();
        Ok(())
    }

    /// Copies the part: the start tag with its counts changed, the strings as they are, the new ones at
    /// the end.
    fn copy(&self, reader: &mut dyn Read, part: &str, out: &mut dyn Write) -> Result<(), PackageError> {
        let mut copier = Copier { held: Vec::new(), buffer: vec![0; 256 << 10] };
        let damaged = || PackageError::part(part, 0, PartFault::MissingElement { element: "sst" });
        let (tag_start, tag_end) = loop {
            if let Some(found) = root_tag(&copier.held) {
                break found;
            }
            if !copier.more(reader, part)? {
                return Err(damaged());
            }
        };
        let tag = copier.held.get(tag_start..tag_end).unwrap_or_default().to_vec();
        let name = tag_name(&tag).to_vec();
        let write = |out: &mut dyn Write, bytes: &[u8]| {
            out.write_all(bytes).map_err(|_| PackageError::from(InternalError::Compression { part: part.to_owned() }))
        };
        write(out, copier.held.get(..tag_start).unwrap_or_default())?;
        write(out, &self.root(&tag))?;
        let new = self.markup(&name);
        if markup::is_single(&tag) {
            write(out, new.as_bytes())?;
            write(out, &[b"</", name.as_slice(), b">"].concat())?;
            return write(out, copier.held.get(tag_end..).unwrap_or_default());
        }
        copier.held.drain(..tag_end);
        // The end tag is in the last bytes: these are held back until the part has ended.
        while copier.more(reader, part)? {
            let keep = copier.held.len().saturating_sub(64 << 10);
            write(out, copier.held.get(..keep).unwrap_or_default())?;
            copier.held.drain(..keep);
        }
        let close = memmem::rfind(&copier.held, &[b"</", name.as_slice()].concat()).ok_or_else(damaged)?;
        // `extLst` follows all strings.
        let end = ext_list(&copier.held, &name, close).unwrap_or(close);
        write(out, copier.held.get(..end).unwrap_or_default())?;
        write(out, new.as_bytes())?;
        write(out, copier.held.get(end..).unwrap_or_default())
    }

    fn root(&self, tag: &[u8]) -> Vec<u8> {
        let mut out = tag.to_vec();
        let added = i64::try_from(self.appended.len()).unwrap_or(0);
        for (name, by) in [(b"uniqueCount".as_slice(), added), (b"count".as_slice(), self.uses)] {
            let found = markup::attrs(&out).find(|attr| attr.name == name).map(|attr| {
                let old = markup::number(attr.value).map(i64::from);
                (attr.value_range, old)
            });
            if let Some((range, Some(old))) = found {
                let new = (old + by).max(0).to_string();
                out.splice(range, new.into_bytes());
            }
        }
        if markup::is_single(&out) {
            out.truncate(out.len() - 2);
            out.push(b'>');
        }
        out
    }

    fn markup(&self, root: &[u8]) -> String {
        let prefix_len = root.len() - local(root).len();
        let prefix = String::from_utf8_lossy(root.get(..prefix_len).unwrap_or_default()).into_owned();
        let item = |text: &String| {
            let space = if needs_space(text) { " xml:space=\"preserve\"" } else { "" };
            format!("<{prefix}si><{prefix}t{space}>{}</{prefix}t></{prefix}si>", escape_text(&escaped(text)))
        };
        self.appended.iter().map(item).collect()
    }
}

struct Copier {
    held: Vec<u8>,
    buffer: Vec<u8>,
}

impl Copier {
    fn more(&mut self, reader: &mut dyn Read, part: &str) -> Result<bool, PackageError> {
        let read = reader.read(&mut self.buffer).map_err(|error| PartReader::read_error(part, &error))?;
        self.held.extend_from_slice(self.buffer.get(..read).unwrap_or_default());
        Ok(read > 0)
    }
}

/// The start tag of the root element.
fn root_tag(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut at = 0;
    loop {
        let start = at + memchr::memchr(b'<', bytes.get(at..)?)?;
        let end = markup::markup_end(bytes, start)?;
        if !matches!(bytes.get(start + 1)?, b'!' | b'?') {
            return Some((start, end));
        }
        at = end;
    }
}

/// Where an `extLst` directly before the end tag begins.
fn ext_list(bytes: &[u8], root: &[u8], close: usize) -> Option<usize> {
    let prefix = root.get(..root.len() - local(root).len()).unwrap_or_default();
    let before = bytes.get(..close)?.trim_ascii_end();
    before.ends_with(&[b"</", prefix, b"extLst>"].concat()).then_some(())?;
    memmem::rfind(before, &[b"<", prefix, b"extLst"].concat())
}

/// Whether the part is UTF-8, as nearly all are; a new part will be.
fn is_utf8(package: &Package, part: &str) -> Result<bool, PackageError> {
    Ok(TextEncoding::of_part(package, part)? == TextEncoding::Utf8)
}

/// Visits the shared strings of a workbook: the number of each and what is inside its `si`.
pub fn shared_strings(package: &Package, part: &str, each: impl FnMut(u32, &[u8])) -> Result<(), PackageError> {
    each_string(package, part, each).map(|_| ())
}

/// Goes through all strings of the part; gives their number.
pub(super) fn each_string(
    package: &Package,
    part: &str,
    mut visit: impl FnMut(u32, &[u8]),
) -> Result<u32, PackageError> {
    if !package.has(part) {
        return Ok(0);
    }
    let decoded = if is_utf8(package, part)? { None } else { Some(package.xml(part)?.text) };
    let mut reader: Box<dyn Read + '_> = match &decoded {
        Some(text) => Box::new(text.as_bytes()),
        None => Box::new(package.reader_ahead(part)?),
    };
    let mut copier = Copier { held: Vec::new(), buffer: vec![0; 256 << 10] };
    let (mut number, mut at, mut inside) = (0_u32, 0_usize, false);
    loop {
        let taken = take_strings(&copier.held, &mut at, &mut inside, &mut |item| {
            visit(number, item);
            number = number.saturating_add(1);
        });
        if taken.is_none() {
            return Ok(number);
        }
        copier.held.drain(..at);
        at = 0;
        if copier.held.len() as u64 > package.limits().tree_bytes {
            let what = Quantity::String { part: part.to_owned() };
            return Err(PackageError::TooLarge { what, limit: package.limits().tree_bytes });
        }
        if !copier.more(reader.as_mut(), part)? {
            return Ok(number);
        }
    }
}

/// Takes whole strings from the held bytes; None at the end of the list.
fn take_strings(held: &[u8], at: &mut usize, inside: &mut bool, visit: &mut dyn FnMut(&[u8])) -> Option<()> {
    loop {
        let Some(start) = held.get(*at..).and_then(|rest| memchr::memchr(b'<', rest)).map(|found| *at + found) else {
            *at = held.len();
            return Some(());
        };
        *at = start;
        let Some(tag_end) = markup::markup_end(held, start) else { return Some(()) };
        match held.get(start + 1) {
            Some(b'!' | b'?') => *at = tag_end,
            Some(b'/') => return None,
            _ if !*inside => {
                *inside = true;
                *at = tag_end;
                if markup::is_single(held.get(start..tag_end).unwrap_or_default()) {
                    return None;
                }
            }
            _ => {
                let Some(found) = markup::element_at(held, start, tag_end) else { return Some(()) };
                if local(tag_name(held.get(found.tag.clone()).unwrap_or_default())) == b"si" {
                    visit(held.get(found.inner.clone()).unwrap_or_default());
                }
                *at = found.range.end;
            }
        }
    }
}

/// The text of a string without formats of its own; None for one with any.
pub(super) fn plain_text(item: &[u8]) -> Option<String> {
    let mut found = markup::elements(item);
    let only = found.next()?;
    if found.next().is_some() || local(tag_name(item.get(only.tag.clone())?)) != b"t" {
        return None;
    }
    Some(decode::markup_text(item.get(only.inner)?))
}

/// Whether white space would be lost without `xml:space`.
pub(super) fn needs_space(text: &str) -> bool {
    let edge = |c: Option<char>| c.is_some_and(char::is_whitespace);
    edge(text.chars().next())
        || edge(text.chars().next_back())
        || text.contains(['\n', '\t', '\r'])
        || text.contains("  ")
}

/// Escapes texts such as `_x0041_`, which Excel would read as a character.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if c == '_' && decode::escape(text.get(at..).unwrap_or_default()).is_some() {
            out.push_str("_x005F");
        }
        out.push(c);
    }
    out
}
