//! A part as a stream while it inflates: events from a sliding window, so that memory does not grow with the part. It
//! checks no more of the markup than reading needs, and a DTD is refused.
//!
//! [`SheetStream::next`] gives tags and text, for readers that decode cells as they pass. `rows.rs` gives whole rows by
//! the bytes that they have in the part, for edits, which copy all that does not change, and for comparisons.

use std::io::Read;

use encoding_rs::UTF_8;

use super::checkpoints::{Mark, Marking, Resumed};
use super::markup::{Attributes, local};
use crate::error::{PackageError, PartFault, Quantity};
use crate::package::{Package, PartReader};
use crate::xml::XmlPart;
use crate::xml::scan::{Markup, declared_label, encoding_of, tag_end};

/// How much is read at a time.
const STEP: usize = 128 << 10;

/// How far a plain value of a cell is looked for.
const PLAIN_BYTES: usize = 64;

/// The stream.
pub(crate) struct SheetStream<'p> {
    source: Source<'p>,
    part: String,
    window: Vec<u8>,
    /// The range of the window that is still to be read.
    at: usize,
    end: usize,
    /// Where the window begins in the part.
    base: usize,
    finished: bool,
    longest: usize,
    /// The most bytes of an element that is complete in the window.
    element_bytes: u64,
    /// Where the latest tag begins in the part.
    tag_start: usize,
}

/// The source of the bytes: usually the inflating entry; decoded text for parts that are not UTF-8.
enum Source<'p> {
    Part(PartReader<'p>),
    Text(std::io::Cursor<String>),
    Decoded(&'p [u8]),
    Marking(Marking<'p>),
    Resumed(Resumed<'p>),
}

impl Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Part(reader) => reader.read(buffer),
            Self::Text(text) => text.read(buffer),
            Self::Decoded(text) => text.read(buffer),
            Self::Marking(reader) => reader.read(buffer),
            Self::Resumed(reader) => reader.read(buffer),
        }
    }
}

/// The next tag or text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum XmlEvent<'a> {
    /// A start tag, or a tag that is both.
    Open(Tag<'a>),
    /// An end tag: its name without prefix.
    Close(&'a [u8]),
    /// Characters with their references. Long text comes in several pieces.
    Text(&'a [u8]),
    /// Characters as they are.
    Raw(&'a [u8]),
    /// The end of the part.
    End,
}

/// A start tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag<'a> {
    /// Between `<` and `>` or `/>`.
    inside: &'a [u8],
    /// Whether it is its own end tag.
    pub(crate) empty: bool,
}

impl<'a> Tag<'a> {
    /// The name without prefix.
    pub(crate) fn local(self) -> &'a [u8] {
        local(self.inside.get(..self.name_len()).unwrap_or_default())
    }

    fn name_len(self) -> usize {
        self.inside.iter().position(u8::is_ascii_whitespace).unwrap_or(self.inside.len())
    }

    /// The value of an attribute with its references.
    pub(crate) fn attr(self, name: &[u8]) -> Option<&'a [u8]> {
        self.attributes().find(|attr| attr.name == name).map(|attr| attr.value)
    }

    /// Whether an attribute is there and true.
    pub(crate) fn flag(self, name: &[u8]) -> bool {
        self.attr(name).is_some_and(|value| matches!(value, b"1" | b"true" | b"on"))
    }

    /// All attributes as they are written.
    pub(crate) fn attributes(self) -> Attributes<'a> {
        Attributes::new(self.inside, self.name_len())
    }
}

impl<'p> SheetStream<'p> {
    /// Begins at the start of a part, whatever its encoding.
    pub(crate) fn open(package: &'p Package, part: &str) -> Result<Self, PackageError> {
        let mut stream = Self::open_utf8(package, part)?;
        stream.fill()?;
        if TextEncoding::of(stream.rest()) == TextEncoding::Other {
            let text = package.xml(part)?.text;
            let source = Source::Text(std::io::Cursor::new(text));
            stream = Self { source, at: 0, end: 0, base: 0, finished: false, ..stream };
            stream.fill()?;
        }
        if stream.rest().starts_with(b"\xEF\xBB\xBF") {
            stream.at += 3;
        }
        Ok(stream)
    }

    /// Begins at the first byte of a part that is known to be UTF-8.
    pub(crate) fn open_utf8(package: &'p Package, part: &str) -> Result<Self, PackageError> {
        Ok(Self::over(package, part, Source::Part(package.reader_ahead(part)?)))
    }

    /// Begins at the start of a part that was decoded.
    pub(crate) fn open_decoded(package: &Package, part: &'p XmlPart) -> Self {
        Self::over(package, &part.name, Source::Decoded(part.text.as_bytes()))
    }

    /// Begins at the start of a part, noting places from which it can be read again. None when it is not UTF-8.
    pub(crate) fn marking(package: &'p Package, part: &str, source: Marking<'p>) -> Result<Option<Self>, PackageError> {
        let mut stream = Self::over(package, part, Source::Marking(source));
        stream.fill()?;
        Ok((TextEncoding::of(stream.rest()) != TextEncoding::Other).then_some(stream))
    }

    /// Begins so many bytes behind a place of a part.
    pub(crate) fn resumed(
        package: &'p Package,
        part: &str,
        source: Resumed<'p>,
        skip: u64,
    ) -> Result<Self, PackageError> {
        let mut stream = Self::over(package, part, Source::Resumed(source));
        let mut left = usize::try_from(skip).unwrap_or(usize::MAX);
        while left > 0 && (stream.at < stream.end || stream.fill()?) {
            let passed = left.min(stream.end - stream.at);
            stream.at += passed;
            left -= passed;
        }
        Ok(stream)
    }

    fn over(package: &Package, part: &str, source: Source<'p>) -> Self {
        #[cfg(test)]
        scans::note(part);
        let longest = package.limits().tag_bytes.max(4096);
        let (part, element_bytes) = (part.to_owned(), package.limits().tree_bytes);
        let (window, finished) = (Vec::new(), false);
        Self { source, part, window, at: 0, end: 0, base: 0, finished, longest, element_bytes, tag_start: 0 }
    }

    /// Where the latest tag begins in the part.
    pub(crate) fn tag_start(&self) -> u64 {
        self.tag_start as u64
    }

    /// The latest place noted at or before a byte of the part.
    pub(crate) fn take_mark(&mut self, before: u64) -> Option<Mark> {
        match &mut self.source {
            Source::Marking(marking) => marking.take(before),
            _ => None,
        }
    }

    /// The next tag or text. Comments and processing instructions are passed over.
    pub(crate) fn next(&mut self) -> Result<XmlEvent<'_>, PackageError> {
        loop {
            if self.at == self.end && !self.fill()? {
                return Ok(XmlEvent::End);
            }
            if self.rest().first() != Some(&b'<') {
                let range = self.text()?;
                return Ok(XmlEvent::Text(self.window.get(range).unwrap_or_default()));
            }
            while self.rest().len() < 9 && self.fill()? {}
            let markup = Markup::of(self.rest());
            match (markup, markup.delimiters()) {
                (Markup::Cdata, _) => {
                    let range = self.cdata()?;
                    return Ok(XmlEvent::Raw(self.window.get(range).unwrap_or_default()));
                }
                (_, Some((opening, mark))) => {
                    self.pass(opening);
                    self.pass_mark(mark)?;
                }
                (Markup::Declaration, None) => return Err(self.damaged(PartFault::DocumentType)),
                (_, None) => {
                    let inside = self.tag()?;
                    return Ok(piece(self.window.get(inside).unwrap_or_default()));
                }
            }
        }
    }

    /// The value of a cell whose tag was just read, where there is nothing else in the cell and all of it is in the window,
    /// as in nearly every cell of nearly every sheet. The stream then continues after the cell.
    pub(crate) fn plain_value(&mut self) -> Option<&[u8]> {
        let value = self.rest().strip_prefix(b"<v>")?;
        let value = value.get(..value.len().min(PLAIN_BYTES))?;
        let len = value.iter().position(|byte| *byte == b'<')?;
        if !value.get(len..)?.starts_with(b"</v></c>") {
            return None;
        }
        let range = self.take(b"<v>".len() + len + b"</v></c>".len());
        self.window.get(range.start + b"<v>".len()..range.end - b"</v></c>".len())
    }

    /// Passes over everything up to the end tag of the element just opened.
    pub(crate) fn skip(&mut self) -> Result<(), PackageError> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.next()? {
                XmlEvent::Open(tag) if !tag.empty => depth += 1,
                XmlEvent::Close(_) => depth -= 1,
                XmlEvent::End => return Ok(()),
                _ => {}
            }
        }
        Ok(())
    }

    /// An error at the place of the stream.
    pub(crate) fn damaged(&self, fault: PartFault) -> PackageError {
        PackageError::part(&self.part, self.base + self.at, fault)
    }

    /// The bytes in the window, from the position of the stream.
    pub(crate) fn rest(&self) -> &[u8] {
        self.window.get(self.at..self.end).unwrap_or_default()
    }

    /// How many bytes of the part are before the position of the stream.
    pub(crate) fn position(&self) -> u64 {
        (self.base + self.at) as u64
    }

    /// Skips some of the bytes in the window.
    pub(crate) fn pass(&mut self, count: usize) {
        self.at = (self.at + count).min(self.end);
    }

    /// Where in the window something is, after reading as much as that needs; none at the end of the part.
    pub(crate) fn seek<T>(&mut self, mut find: impl FnMut(&[u8]) -> Option<T>) -> Result<Option<T>, PackageError> {
        loop {
            if let Some(found) = find(self.rest()) {
                return Ok(Some(found));
            }
            if !self.fill_more()? {
                return Ok(None);
            }
        }
    }

    /// Reads more behind what is left, in steps that grow with it: an element larger than the window is searched from
    /// its start after each step, which must not cost more than reading it.
    pub(crate) fn fill_more(&mut self) -> Result<bool, PackageError> {
        let held = self.rest().len();
        if held as u64 > self.element_bytes {
            let what = Quantity::Row { part: self.part.clone() };
            return Err(PackageError::TooLarge { what, limit: self.element_bytes });
        }
        let wanted = held + STEP.max(held / 2);
        while self.rest().len() < wanted && self.fill()? {}
        Ok(self.rest().len() > held)
    }

    /// The most bytes of an element that is complete in the window.
    pub(crate) fn element_bytes(&self) -> u64 {
        self.element_bytes
    }

    /// The name of the part.
    pub(crate) fn part(&self) -> &str {
        &self.part
    }

    /// Up to the next tag, or as much as the window may hold.
    fn text(&mut self) -> Result<std::ops::Range<usize>, PackageError> {
        let mut seen = 0;
        loop {
            let rest = self.rest();
            if let Some(found) = memchr::memchr(b'<', rest.get(seen..).unwrap_or_default()) {
                return Ok(self.take(seen + found));
            }
            seen = rest.len();
            if seen >= self.longest || !self.fill()? {
                return Ok(self.take(seen));
            }
        }
    }

    /// What is between the brackets of a tag.
    fn tag(&mut self) -> Result<std::ops::Range<usize>, PackageError> {
        self.tag_start = self.base + self.at;
        loop {
            if let Some(close) = tag_end(self.rest()) {
                let range = self.take(close + 1);
                return Ok(range.start + 1..range.end - 1);
            }
            if self.rest().len() > self.longest {
                return Err(self.damaged(PartFault::TooLong { what: "a tag" }));
            }
            if !self.fill()? {
                return Err(self.damaged(PartFault::NotClosed { what: "a tag" }));
            }
        }
    }

    fn cdata(&mut self) -> Result<std::ops::Range<usize>, PackageError> {
        loop {
            if let Some(close) = memchr::memmem::find(self.rest(), b"]]>") {
                let range = self.take(close + 3);
                return Ok(range.start + 9..range.end - 3);
            }
            if self.rest().len() > self.longest {
                return Err(self.damaged(PartFault::TooLong { what: "character data" }));
            }
            if !self.fill()? {
                return Err(self.damaged(PartFault::NotClosed { what: "character data" }));
            }
        }
    }

    /// Skips to the end of a delimiter, holding no more than its length.
    fn pass_mark(&mut self, mark: &[u8]) -> Result<(), PackageError> {
        loop {
            if let Some(found) = memchr::memmem::find(self.rest(), mark) {
                self.at += found + mark.len();
                return Ok(());
            }
            self.at = self.at.max(self.end.saturating_sub(mark.len()));
            if !self.fill()? {
                return Err(self.damaged(PartFault::NotClosed { what: "a comment" }));
            }
        }
    }

    fn take(&mut self, len: usize) -> std::ops::Range<usize> {
        let start = self.at;
        self.at += len;
        start..self.at
    }

    /// Reads more behind what is left. False at the end of the part.
    fn fill(&mut self) -> Result<bool, PackageError> {
        if self.finished {
            return Ok(false);
        }
        if self.at > 0 {
            self.window.copy_within(self.at..self.end, 0);
            self.base += self.at;
            self.end -= self.at;
            self.at = 0;
        }
        if self.window.len() < self.end + STEP {
            self.window.resize(self.end + STEP, 0);
        }
        let free = self.window.get_mut(self.end..).unwrap_or_default();
        let read = self.source.read(free).map_err(|error| PartReader::read_error(&self.part, &error))?;
        self.end += read;
        self.finished = read == 0;
        Ok(read > 0)
    }
}

/// Counts scans, so that tests notice when a part is read more often than it should be.
#[cfg(test)]
pub(crate) mod scans {
    use std::cell::RefCell;

    thread_local! {
        static PARTS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    }

    pub(super) fn note(part: &str) {
        PARTS.with_borrow_mut(|parts| parts.push(part.to_owned()));
    }

    /// The numbers of the sheets that are scanned or copied while a closure runs, in order.
    pub(crate) fn of_sheets<T>(run: impl FnOnce() -> T) -> (T, Vec<u32>) {
        PARTS.with_borrow_mut(Vec::clear);
        let result = run();
        let parts = PARTS.with_borrow_mut(std::mem::take);
        let number = |part: &String| part.strip_prefix("xl/worksheets/sheet")?.strip_suffix(".xml")?.parse().ok();
        (result, parts.iter().filter_map(number).collect())
    }
}

/// The encoding of a part, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextEncoding {
    /// As nearly all parts.
    Utf8,
    /// Can be read as UTF-8; text in other characters cannot be written into it.
    Ascii,
    /// Must be decoded as a whole.
    Other,
}

impl TextEncoding {
    /// A byte order mark decides, then the declaration.
    pub(crate) fn of(head: &[u8]) -> Self {
        let names_ascii = || declared_label(head).is_some_and(|label| label.to_ascii_lowercase().ends_with(b"ascii"));
        match encoding_of(head) == UTF_8 {
            true => Self::Utf8,
            // As an encoding, ASCII is a name of windows-1252.
            false if names_ascii() => Self::Ascii,
            false => Self::Other,
        }
    }

    /// The encoding of a part; UTF-8 for one that is not there yet.
    pub(crate) fn of_part(package: &Package, part: &str) -> Result<Self, PackageError> {
        if !package.has(part) {
            return Ok(Self::Utf8);
        }
        let mut head = Vec::new();
        package.reader(part)?.take(256).read_to_end(&mut head).map_err(|error| PartReader::read_error(part, &error))?;
        Ok(Self::of(&head))
    }
}

fn piece(inside: &[u8]) -> XmlEvent<'_> {
    match inside {
        [b'/', name @ ..] => XmlEvent::Close(local(name.trim_ascii_end())),
        [name @ .., b'/'] => XmlEvent::Open(Tag { inside: name, empty: true }),
        name => XmlEvent::Open(Tag { inside: name, empty: false }),
    }
}
