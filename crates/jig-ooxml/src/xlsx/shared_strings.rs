//! The table of shared strings: decoded once, all characters in one piece of memory.

use super::sheet::decode;
use super::sheet::stream::{SheetStream, XmlEvent};
use crate::error::{PackageError, Quantity};
use crate::package::Package;

/// The shared strings.
#[derive(Debug, Default)]
pub(crate) struct SharedStrings {
    text: String,
    /// Where each string ends.
    ends: Vec<u32>,
}

impl SharedStrings {
    /// Reads the table; rich text becomes plain, phonetic hints are left out.
    pub(super) fn read(package: &Package, part: &str) -> Result<Self, PackageError> {
        let mut stream = SheetStream::open(package, part)?;
        let mut strings = Self::default();
        let most = package.limits().nodes;
        let mut raw = Vec::new();
        loop {
            match stream.next()? {
                XmlEvent::Open(tag) if tag.local() == b"si" => {
                    if !tag.empty {
                        rich_text(&mut stream, &mut raw, &mut strings.text, usize::MAX)?;
                    }
                    strings.close(most)?;
                }
                XmlEvent::End => return Ok(strings),
                _ => {}
            }
        }
    }

    fn close(&mut self, most: usize) -> Result<(), PackageError> {
        let end = u32::try_from(self.text.len()).ok().filter(|_| self.ends.len() < most);
        let too_many = || PackageError::TooLarge { what: Quantity::SharedStrings, limit: most as u64 };
        self.ends.push(end.ok_or_else(too_many)?);
        Ok(())
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// A string by its number.
    pub(super) fn get(&self, number: u32) -> Option<&str> {
        let number = number as usize;
        let end = *self.ends.get(number)? as usize;
        let start = if number == 0 { 0 } else { *self.ends.get(number - 1)? as usize };
        self.text.get(start..end)
    }
}

/// Reads what is in an `si` or `is` element up to its end tag and adds its characters, as long as there
/// are fewer than `most` bytes of them.
pub(super) fn rich_text(
    stream: &mut SheetStream<'_>,
    raw: &mut Vec<u8>,
    out: &mut String,
    most: usize,
) -> Result<(), PackageError> {
    let mut depth = 1_usize;
    let mut in_text = false;
    while depth > 0 {
        match stream.next()? {
            XmlEvent::Open(tag) => match (tag.local(), tag.empty) {
                (_, true) => {}
                (b"rPh", false) => stream.skip()?,
                (name, false) => {
                    in_text = name == b"t";
                    depth += 1;
                }
            },
            XmlEvent::Close(_) => {
                depth -= 1;
                out.push_str(&decode::decoded(raw));
                raw.clear();
                in_text = false;
            }
            XmlEvent::Text(text) if in_text && out.len() + raw.len() < most => raw.extend_from_slice(text),
            XmlEvent::Raw(text) if in_text && out.len() + raw.len() < most => {
                out.push_str(&decode::decoded(raw));
                raw.clear();
                out.push_str(&decode::plain(text));
            }
            XmlEvent::End => return Ok(()),
            XmlEvent::Text(_) | XmlEvent::Raw(_) => {}
        }
    }
    Ok(())
}
