//! Reads the cells of a sheet while its part inflates.

use std::ops::ControlFlow;

use super::cell::{Cell, CellData, CellType, Formula, Origin};
use super::decode;
use super::facts::SheetFacts;
use super::markup::Attr;
use super::stream::{SheetStream, Tag, XmlEvent};
use crate::error::PackageError;
use crate::xlsx::address::CellRef;
use crate::xlsx::shared_strings::{self, SharedStrings};

/// The most bytes of one cell's text or formula; Excel allows 32,767 characters.
const CELL_BYTES: usize = 1 << 20;

/// Receives the cells in the order of the file.
pub(crate) trait CellSink {
    /// Takes a cell that is not empty. `facts` holds what was found so far.
    fn cell(&mut self, cell: Cell<'_>, facts: &mut SheetFacts) -> ControlFlow<()>;
}

/// Whether a formula belongs to a group of cells that share it, by the group's number.
enum Grouped {
    No,
    Group(u32),
}

/// Reads a sheet; stops when the sink has enough.
pub(crate) fn read(
    stream: &mut SheetStream<'_>,
    strings: &SharedStrings,
    facts: &mut SheetFacts,
    sink: &mut impl CellSink,
) -> Result<(), PackageError> {
    loop {
        match stream.next()? {
            XmlEvent::Open(tag) if tag.local() == b"sheetData" && !tag.empty => {
                let flow = Reader::new(strings).cells(stream, facts, sink)?;
                if flow.is_break() {
                    return Ok(());
                }
            }
            // Views of single users have panes and filters of their own.
            XmlEvent::Open(tag) if tag.local() == b"customSheetViews" && !tag.empty => stream.skip()?,
            XmlEvent::Open(tag) => facts.element(tag),
            XmlEvent::End => return Ok(()),
            _ => {}
        }
    }
}

/// Reads rows from the middle of a sheet; stops when the sink has enough.
pub(crate) fn read_rows(
    stream: &mut SheetStream<'_>,
    strings: &SharedStrings,
    facts: &mut SheetFacts,
    sink: &mut impl CellSink,
) -> Result<(), PackageError> {
    Reader::new(strings).cells(stream, facts, sink).map(|_| ())
}

struct Reader<'s> {
    strings: &'s SharedStrings,
    row: u32,
    col: u32,
    value: Vec<u8>,
    formula: Vec<u8>,
    inline: String,
}

/// The attributes of a cell.
#[derive(Clone, Copy)]
struct Head {
    at: Option<CellRef>,
    style: u32,
    kind: CellType,
}

/// The children of a cell; their texts are in the buffers of the reader.
#[derive(Default)]
struct Parts {
    has_value: bool,
    has_inline: bool,
    formula: Option<Grouped>,
}

impl<'s> Reader<'s> {
    fn new(strings: &'s SharedStrings) -> Self {
        let inline = String::new();
        Self { strings, row: 0, col: 0, value: Vec::new(), formula: Vec::new(), inline }
    }

    fn cells(
        &mut self,
        stream: &mut SheetStream<'_>,
        facts: &mut SheetFacts,
        sink: &mut impl CellSink,
    ) -> Result<ControlFlow<()>, PackageError> {
        loop {
            match stream.next()? {
                XmlEvent::Open(tag) => match tag.local() {
                    b"c" => {
                        let (head, empty) = (self.head(tag, facts), tag.empty);
                        if let Some(at) = head.at {
                            facts.style(head.style, at);
                        }
                        if !empty && self.content(stream, head, facts, sink)?.is_break() {
                            return Ok(ControlFlow::Break(()));
                        }
                    }
                    b"row" => self.begin_row(tag, facts),
                    _ => {}
                },
                XmlEvent::Close(b"sheetData") => return Ok(ControlFlow::Continue(())),
                XmlEvent::End => {
                    facts.fault(|| "the sheet ends in the middle of its cells".to_owned());
                    return Ok(ControlFlow::Continue(()));
                }
                _ => {}
            }
        }
    }

    fn begin_row(&mut self, tag: Tag<'_>, facts: &mut SheetFacts) {
        let next = self.row.saturating_add(1);
        self.row = match tag.attr(b"r").map(|raw| (raw, integer(raw))) {
            Some((_, Some(row))) => row,
            Some((raw, None)) => {
                facts.fault(|| format!("row {next}: `{}` is not a row number", decode::attribute(raw)));
                next
            }
            None => next,
        };
        self.col = 0;
        facts.hidden_rows += u32::from(tag.flag(b"hidden"));
    }

    /// The attributes of a cell. Without a valid address it is the cell right of the last one.
    fn head(&mut self, tag: Tag<'_>, facts: &mut SheetFacts) -> Head {
        let mut head = Head { at: None, style: 0, kind: CellType::Number };
        let mut place = None;
        for Attr { name, value, .. } in tag.attributes() {
            match name {
                b"r" => {
                    place = CellRef::from_ascii(value).map(|at| (at.row(), at.col()));
                    if place.is_none() {
                        let row = self.row;
                        facts.fault(|| format!("row {row}: `{}` is not a cell address", decode::attribute(value)));
                    }
                }
                b"s" => head.style = integer(value).unwrap_or(0),
                b"t" => head.kind = CellType::of(value),
                _ => {}
            }
        }
        let (row, col) = place.unwrap_or((self.row.max(1), self.col.saturating_add(1)));
        (self.row, self.col) = (row, col);
        head.at = CellRef::new(row, col);
        if head.at.is_none() {
            facts.fault(|| format!("a cell in row {row}, column {col} is outside the sheet; it is left out"));
        }
        head
    }

    /// Reads a cell up to its end tag and passes it to the sink unless it is empty.
    fn content(
        &mut self,
        stream: &mut SheetStream<'_>,
        head: Head,
        facts: &mut SheetFacts,
        sink: &mut impl CellSink,
    ) -> Result<ControlFlow<()>, PackageError> {
        self.value.clear();
        self.formula.clear();
        self.inline.clear();
        let mut parts = match stream.plain_value() {
            Some(value) => {
                self.value.extend_from_slice(value);
                Parts { has_value: true, ..Parts::default() }
            }
            None => self.parts(stream)?,
        };
        let Some(at) = head.at else { return Ok(ControlFlow::Continue(())) };
        let formula = parts.formula.take();
        let data = self.data(head, at, &parts, facts);
        let formula = formula.map(|group| (group, decode::decoded(&self.formula)));
        let formula = formula.map(|(group, text)| match group {
            Grouped::No => Formula::Own(text),
            Grouped::Group(number) => {
                if !text.is_empty() {
                    facts.share(number, at, &text);
                }
                if text.is_empty() { Formula::Group(number) } else { Formula::Own(text) }
            }
        });
        if data.is_blank() && formula.is_none() {
            return Ok(ControlFlow::Continue(()));
        }
        facts.extend_used(at);
        facts.cells += 1;
        facts.formulas += u64::from(formula.is_some());
        facts.stale += u64::from(formula.is_some() && data == CellData::Empty);
        Ok(sink.cell(Cell { at, style: head.style, data, formula, origin: Origin::Stored }, facts))
    }

    /// Reads what is in a cell, up to its end tag.
    fn parts(&mut self, stream: &mut SheetStream<'_>) -> Result<Parts, PackageError> {
        let mut parts = Parts::default();
        loop {
            match stream.next()? {
                XmlEvent::Open(tag) => match tag.local() {
                    b"v" => {
                        parts.has_value = true;
                        if !tag.empty {
                            text(stream, &mut self.value)?;
                        }
                    }
                    b"f" => {
                        parts.formula = Some(formula_head(tag, &mut self.formula));
                        if !tag.empty {
                            text(stream, &mut self.formula)?;
                        }
                    }
                    b"is" => {
                        parts.has_inline = true;
                        if !tag.empty {
                            // Not into the value: a cell may have both, and only one counts.
                            shared_strings::rich_text(stream, &mut Vec::new(), &mut self.inline, CELL_BYTES)?;
                        }
                    }
                    _ if !tag.empty => stream.skip()?,
                    _ => {}
                },
                XmlEvent::Close(_) | XmlEvent::End => return Ok(parts),
                _ => {}
            }
        }
    }

    /// The value of a cell. What cannot be read as its type says is reported.
    fn data(&self, head: Head, at: CellRef, parts: &Parts, facts: &mut SheetFacts) -> CellData<'_> {
        let value = parts.has_value.then_some(self.value.as_slice());
        let inline = parts.has_inline.then(|| self.inline.as_str().into());
        let data = CellData::decode(head.kind, value, inline);
        match (&data, head.kind, value) {
            (CellData::Text(text), CellType::Number, Some(_)) => {
                facts.fault(|| format!("{at}: `{}` is not a number; it is read as text", short(text)));
            }
            (CellData::Shared(number), ..) => match self.strings.get(*number) {
                Some("") => return CellData::Text("".into()),
                Some(_) => {}
                None => return self.missing_string(at, facts),
            },
            (CellData::Empty, CellType::Shared, Some(value)) if !value.is_empty() => {
                return self.missing_string(at, facts);
            }
            _ => {}
        }
        data
    }

    fn missing_string(&self, at: CellRef, facts: &mut SheetFacts) -> CellData<'static> {
        let text = decode::decoded(&self.value);
        facts.fault(|| format!("{at}: unknown shared string {}; the cell is read as empty", short(&text)));
        CellData::Empty
    }
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Whether a formula is shared. A data table has no formula text, so it gets one.
fn formula_head(tag: Tag<'_>, text: &mut Vec<u8>) -> Grouped {
    match tag.attr(b"t") {
        Some(b"shared") => tag.attr(b"si").and_then(integer).map_or(Grouped::No, Grouped::Group),
        Some(b"dataTable") => {
            let inputs = [b"r1".as_slice(), b"r2"].map(|name| tag.attr(name).unwrap_or_default());
            text.extend_from_slice(b"TABLE(");
            text.extend_from_slice(&inputs.join(b",".as_slice()));
            text.push(b')');
            Grouped::No
        }
        _ => Grouped::No,
    }
}

/// Collects the text of an element up to its end tag, as markup.
fn text(stream: &mut SheetStream<'_>, out: &mut Vec<u8>) -> Result<(), PackageError> {
    loop {
        match stream.next()? {
            XmlEvent::Text(text) => out.extend_from_slice(text.get(..room(out, text)).unwrap_or_default()),
            XmlEvent::Raw(text) => {
                // Back into markup, so that the whole is decoded in one way.
                let plain = String::from_utf8_lossy(text.get(..room(out, text)).unwrap_or_default());
                out.extend_from_slice(crate::xml::escape_text(&plain).as_bytes());
            }
            XmlEvent::Open(tag) if !tag.empty => stream.skip()?,
            XmlEvent::Open(_) => {}
            XmlEvent::Close(_) | XmlEvent::End => return Ok(()),
        }
    }
}

fn room(out: &[u8], text: &[u8]) -> usize {
    text.len().min(CELL_BYTES.saturating_sub(out.len()))
}

fn integer(raw: &[u8]) -> Option<u32> {
    if raw.is_empty() || raw.len() > 9 || !raw.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(raw.iter().fold(0, |sum, byte| sum * 10 + u32::from(byte - b'0')))
}
