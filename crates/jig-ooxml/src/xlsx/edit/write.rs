//! Writes a sheet: copies its rows in one pass and rebuilds only the changed ones, and in those only the changed cells.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write;

use super::receipt::CellRecords;
use super::sheet::{Cached, CellEdit, FormulaEdit, SheetState};
use super::strings::{Strings, needs_space};
use super::styles::{StylePatch, Styles};
use super::values::{NewValue, number_text};
use crate::error::{Error, InternalError, PackageError, PartFault};
use crate::package::{Package, PartWriter};
use crate::xlsx::address::CellRef;
use crate::xlsx::formula::{CellValue, FormulaText, ParsedFormula, prefixes};
use crate::xlsx::sheet::cell::CellType;
use crate::xlsx::sheet::markup::{self, attr, attrs, is_single, local, number_attr, tag_name, text};
use crate::xlsx::sheet::rows::{CellView, Piece, RowView, walk_rows};
use crate::xml::{Node, Ns, escape_text};

/// The format of dates that come without one.
pub(super) const DATE: &str = "yyyy-mm-dd";
/// The format of dates with a time that come without one.
pub(super) const DATE_TIME: &str = "yyyy-mm-dd hh:mm:ss";

/// Differences between the written sheet and the old one.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// Cells that lost their formula.
    pub(super) formulas_gone: Vec<CellRef>,
    /// Cells that hold a new formula.
    pub(super) formulas_new: Vec<CellRef>,
    /// Changed cells, for the receipt.
    pub(super) cells: CellRecords,
}

/// The state of the workbook that writing a sheet uses.
pub(super) struct Context<'a> {
    pub(super) styles: &'a mut Option<Styles>,
    pub(super) strings: &'a mut Strings,
    /// The `cm` number that marks dynamic array formulas.
    pub(super) spill_mark: Option<u32>,
}

/// Writes a sheet with all recorded changes.
pub(super) fn write_sheet(
    package: &mut Package,
    sheet: &SheetState,
    context: &mut Context<'_>,
) -> Result<Written, Error> {
    let mut output = Output::new(package, sheet, context)?;
    if sheet.decoded().is_some() {
        let mut out = Vec::new();
        output.run(package, &mut out)?;
        let written = output.written;
        let mut content = sheet.decoded().cloned().unwrap_or_else(|| sheet.frame_part());
        content.text = String::from_utf8_lossy(&out).into_owned();
        package.set_xml(&content);
        return Ok(written);
    }
    let mut writer = Buffered::new(package.writer());
    output.run(package, &mut writer)?;
    let written = output.written;
    package.set_written(&sheet.part, writer.finish());
    Ok(written)
}

/// Buffers small writes: compressing row by row would cost more than the compression itself.
pub(super) struct Buffered {
    writer: PartWriter,
    held: Vec<u8>,
}

const HELD: usize = 128 << 10;

impl Buffered {
    pub(super) fn new(writer: PartWriter) -> Self {
        Self { writer, held: Vec::with_capacity(2 * HELD) }
    }

    /// Flushes the buffer and returns the writer. Writing to memory does not fail.
    pub(super) fn finish(mut self) -> PartWriter {
        let _ = self.flush();
        self.writer
    }
}

impl Write for Buffered {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.held.len() >= HELD {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.write_all(&self.held)?;
        self.held.clear();
        Ok(())
    }
}

/// The frame before and after its rows.
pub(super) fn frame_parts(package: &Package, sheet: &SheetState) -> Result<(String, String), Error> {
    let frame = sheet.frame_part();
    let tree = frame.tree(package.limits())?;
    split(tree.root(), &sheet.part)
}

fn split(root: Node<'_>, part: &str) -> Result<(String, String), Error> {
    let text = root.tree().source();
    let piece = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
    match root.child(Ns::S, "sheetData") {
        Some(data) if data.is_single_tag() => {
            let end = data.range().end;
            let close = format!("</{}>{}", data.qualified(), piece(end..text.len()));
            Ok((format!("{}>", piece(0..end - 2)), close))
        }
        Some(data) => {
            let at = data.inner_range().end;
            Ok((piece(0..at).to_owned(), piece(at..text.len()).to_owned()))
        }
        None => Err(PackageError::part(part, 0, PartFault::MissingElement { element: "sheetData" }).into()),
    }
}

struct Output<'a, 'c> {
    sheet: &'a SheetState,
    context: &'a mut Context<'c>,
    head: String,
    tail: String,
    /// The prefix of the sheet's elements.
    prefix: String,
    /// Formats of whole columns: first, last, format.
    columns: Vec<(u32, u32, u32)>,
    /// Rows to change, with their cells.
    rows: BTreeMap<u32, Vec<CellRef>>,
    written: Written,
}

impl<'a, 'c> Output<'a, 'c> {
    fn new(package: &Package, sheet: &'a SheetState, context: &'a mut Context<'c>) -> Result<Self, Error> {
        let frame = sheet.frame_part();
        let tree = frame.tree(package.limits())?;
        let root = tree.root();
        let prefix = root.prefix().to_owned();
        let (head, tail) = split(root, &sheet.part)?;
        let list = root.child(Ns::S, "cols");
        let nodes = list.into_iter().flat_map(|list| list.children_named(Ns::S, "col"));
        let columns = nodes.filter_map(|node| {
            let number = |name: &str| node.attr(name)?.trim().parse::<u32>().ok();
            Some((number("min")?, number("max")?, number("style").filter(|style| *style > 0)?))
        });
        let columns = columns.collect();
        let mut rows: BTreeMap<u32, Vec<CellRef>> = BTreeMap::new();
        for cell in sheet.cells.keys() {
            rows.entry(cell.row()).or_default().push(*cell);
        }
        for row in sheet.row_edits.keys() {
            rows.entry(*row).or_default();
        }
        Ok(Self { sheet, context, head, tail, prefix, columns, rows, written: Written::default() })
    }

    fn run(&mut self, package: &Package, out: &mut dyn Write) -> Result<(), PackageError> {
        let part = self.sheet.part.clone();
        let put = |out: &mut dyn Write, bytes: &[u8]| {
            out.write_all(bytes).map_err(|_| PackageError::from(InternalError::Compression { part: part.to_owned() }))
        };
        put(out, self.head.as_bytes())?;
        let sheet = self.sheet;
        // Rows without an element are inserted before the first row with a greater number; last one first, for `pop`.
        let mut new: Vec<u32> = self.rows.keys().copied().filter(|row| !sheet.rows.contains(*row)).rev().collect();
        let mut line = Vec::new();
        let mut inserted = false;
        walk_rows(sheet.stream(package)?, &sheet.frame.rows, &mut |piece| {
            let row = match piece {
                Piece::Between(bytes) => return put(out, bytes),
                Piece::Row(row) => row,
            };
            while let Some(number) = new.pop_if(|number| *number < row.number) {
                self.new_row(number, &mut line)?;
                put(out, &line)?;
                inserted = true;
            }
            match self.rows.remove(&row.number) {
                Some(cells) => {
                    self.changed_row(&row, &cells, &mut line)?;
                    put(out, &line)
                }
                // Without a number, a row follows the one before it, which may now be an inserted one.
                None if inserted && attr(row.tag(), b"r").is_none() => {
                    put(out, &numbered_tag(&row))?;
                    put(out, row.bytes.get(row.tag.end..).unwrap_or_default())
                }
                None => put(out, row.bytes),
            }
        })?;
        while let Some(number) = new.pop() {
            self.new_row(number, &mut line)?;
            put(out, &line)?;
        }
        put(out, self.tail.as_bytes())
    }

    fn new_row(&mut self, number: u32, line: &mut Vec<u8>) -> Result<(), PackageError> {
        line.clear();
        let cells = self.rows.remove(&number).unwrap_or_default();
        let mut inner = String::new();
        let row_style = self.row_style(number, None)?;
        for at in cells {
            self.cell(at, None, row_style, &self.prefix.clone(), &mut inner)?;
        }
        let prefix = self.prefix.clone();
        let height = self.sheet.row_edits.get(&number).and_then(|edit| edit.height);
        let height = height.map(|height| format!(" ht=\"{height}\" customHeight=\"1\"")).unwrap_or_default();
        let mut tag = format!("<{prefix}row{height}>").into_bytes();
        let bare = format!("<{prefix}row>").len();
        self.change_row_tag(number, &mut tag)?;
        if inner.is_empty() && tag.len() == bare {
            return Ok(());
        }
        set_attr(&mut tag, "r", &number.to_string());
        if inner.is_empty() {
            tag.pop();
            tag.extend_from_slice(b"/>");
        } else {
            let _ = write!(inner, "</{prefix}row>");
        }
        line.extend_from_slice(&tag);
        line.extend_from_slice(inner.as_bytes());
        Ok(())
    }

    fn changed_row(&mut self, row: &RowView<'_>, cells: &[CellRef], line: &mut Vec<u8>) -> Result<(), PackageError> {
        line.clear();
        let name = tag_name(row.tag());
        let prefix = text(name.get(..name.len() - local(name).len()).unwrap_or_default()).into_owned();
        let row_style = attr(row.tag(), b"customFormat")
            .filter(|value| matches!(*value, b"1" | b"true"))
            .and_then(|_| number_attr(row.tag(), b"s"));
        let row_style = self.row_style(row.number, row_style)?;
        let old: Vec<CellView<'_>> = row.cells().collect();
        let known: BTreeSet<CellRef> = old.iter().filter_map(|cell| cell.at).collect();
        // Cells without an element are inserted before the first cell further right; last one first, for `pop`.
        let mut new: Vec<CellRef> = cells.iter().copied().filter(|at| !known.contains(at)).rev().collect();
        let mut inner: Vec<u8> = Vec::with_capacity(row.inner.len() + 64 * cells.len());
        let mut done = row.inner.start;
        let mut markup = String::new();
        for cell in &old {
            let Some(at) = cell.at else { continue };
            inner.extend_from_slice(row.bytes.get(done..cell.range.start).unwrap_or_default());
            done = cell.range.start;
            while let Some(number) = new.pop_if(|new| *new < at) {
                markup.clear();
                self.cell(number, None, row_style, &prefix, &mut markup)?;
                inner.extend_from_slice(markup.as_bytes());
            }
            if cells.binary_search(&at).is_ok() {
                markup.clear();
                self.cell(at, Some(cell), row_style, &prefix, &mut markup)?;
                inner.extend_from_slice(markup.as_bytes());
                done = cell.range.end;
            } else if attr(cell.tag(), b"r").is_none() {
                // Without an address, a cell follows the one before it, which may now be an inserted one.
                let name = tag_name(cell.tag());
                inner.extend_from_slice(&[b"<", name, format!(" r=\"{at}\"").as_bytes()].concat());
                done = cell.range.start + 1 + name.len();
            }
        }
        // Extensions follow the last cell, so new cells are inserted before them.
        let last = old.last().map_or(row.inner.start, |cell| cell.range.end).max(done);
        inner.extend_from_slice(row.bytes.get(done..last).unwrap_or_default());
        while let Some(number) = new.pop() {
            markup.clear();
            self.cell(number, None, row_style, &prefix, &mut markup)?;
            inner.extend_from_slice(markup.as_bytes());
        }
        inner.extend_from_slice(row.bytes.get(last..row.inner.end).unwrap_or_default());
        let single = is_single(row.tag());
        let tag = self.row_tag(row, cells)?;
        if single && inner.is_empty() {
            line.extend_from_slice(&tag);
        } else if single {
            let open = tag.get(..tag.len() - 2).unwrap_or_default().trim_ascii_end();
            line.extend_from_slice(open);
            line.push(b'>');
            line.extend_from_slice(&inner);
            line.extend_from_slice(&[b"</", name, b">"].concat());
        } else {
            line.extend_from_slice(&tag);
            line.extend_from_slice(&inner);
            line.extend_from_slice(row.bytes.get(row.inner.end..).unwrap_or_default());
        }
        Ok(())
    }

    /// The row's start tag with its height, and with spans that cover the new cells.
    fn row_tag(&mut self, row: &RowView<'_>, cells: &[CellRef]) -> Result<Vec<u8>, PackageError> {
        let mut tag = numbered_tag(row);
        let reach = cells.first().map(|cell| cell.col()).zip(cells.last().map(|cell| cell.col()));
        let spans = attrs(&tag).find(|attr| attr.name == b"spans");
        let spans = spans.map(|attr| (attr.whole.clone(), attr.value_range.clone(), text(attr.value).into_owned()));
        if let (Some((left, right)), Some((whole, range, value))) = (reach, spans) {
            match wider_span(&value, left, right) {
                Span::Fits => {}
                Span::Wider(wider) => {
                    tag.splice(range, wider.into_bytes());
                }
                // `spans` is an optional hint; removing a complex one is safer than extending it.
                Span::Unclear => {
                    tag.drain(whole);
                }
            }
        }
        self.change_row_tag(row.number, &mut tag)?;
        Ok(tag)
    }

    /// The format that new cells of a row get, recorded changes included.
    fn row_style(&mut self, number: u32, old: Option<u32>) -> Result<Option<u32>, PackageError> {
        let Some(edit) = self.sheet.row_edits.get(&number) else { return Ok(old) };
        let mut style = old.filter(|_| !edit.plain);
        if let Some(styles) = self.context.styles.as_mut() {
            for patch in &edit.patches {
                style = Some(styles.apply(style.unwrap_or(0), patch)?);
            }
        }
        Ok(style)
    }

    /// Puts the recorded changes of a row into its start tag.
    fn change_row_tag(&mut self, number: u32, tag: &mut Vec<u8>) -> Result<(), PackageError> {
        let Some(edit) = self.sheet.row_edits.get(&number) else { return Ok(()) };
        for (name, value) in &edit.attributes {
            set_attr(tag, name, value);
        }
        if let Some(height) = edit.height {
            set_attr(tag, "ht", &height.to_string());
            set_attr(tag, "customHeight", "1");
        }
        let mut flag = |name: &str, on: Option<bool>| match on {
            Some(true) => set_attr(tag, name, "1"),
            Some(false) => remove_bytes_attr(tag, name),
            None => {}
        };
        flag("collapsed", edit.collapsed);
        flag("hidden", edit.hidden);
        match edit.level {
            Some(0) => remove_bytes_attr(tag, "outlineLevel"),
            Some(level) => set_attr(tag, "outlineLevel", &level.to_string()),
            None => {}
        }
        if edit.plain {
            remove_bytes_attr(tag, "s");
            remove_bytes_attr(tag, "customFormat");
        }
        if !edit.patches.is_empty()
            && let Some(style) = self.row_style(number, number_attr(tag, b"s"))?
        {
            set_attr(tag, "customFormat", "1");
            set_attr(tag, "s", &style.to_string());
        }
        Ok(())
    }

    fn column_style(&self, col: u32) -> Option<u32> {
        self.columns.iter().find(|(first, last, _)| (*first..=*last).contains(&col)).map(|(_, _, style)| *style)
    }

    /// Writes one cell.
    fn cell(
        &mut self,
        at: CellRef,
        old: Option<&CellView<'_>>,
        row_style: Option<u32>,
        prefix: &str,
        out: &mut String,
    ) -> Result<(), PackageError> {
        let sheet = self.sheet;
        let Some(edit) = sheet.cells.get(&at) else { return Ok(()) };
        if let Some(element) = &edit.element {
            self.replace(at, old, element, out);
            return Ok(());
        }
        let base = match old {
            Some(cell) => cell.style(),
            None => row_style.or_else(|| self.column_style(at.col())),
        };
        let style = self.style(base, edit)?;
        let Some(value) = &edit.value else {
            if let Some(cached) = &edit.cached {
                self.written.cells.note_result(at, old, cached);
            }
            self.keep_value(at, old, style, edit, prefix, out);
            return Ok(());
        };
        let string = if let NewValue::Text(text) = value { self.context.strings.number(text) } else { None };
        self.written.cells.note_written(sheet, at, old, value, string);
        if let Some(cell) = old {
            self.gone(at, cell);
        }
        let mut tag = match old {
            Some(cell) => kept_tag(cell.tag(), at),
            None => format!("<{prefix}c r=\"{at}\""),
        };
        if style != base.filter(|_| old.is_some()) {
            set_style(&mut tag, style);
        }
        let (kind, inner) = self.content(at, value, edit, prefix);
        if let NewValue::Formula(formula) = value {
            self.written.formulas_new.push(at);
            if let Some(mark) = self.spill_mark(formula.as_ref()) {
                let _ = write!(tag, " cm=\"{mark}\"");
            }
        }
        if inner.is_empty() && !tag.contains(" s=") {
            return Ok(());
        }
        if let Some(kind) = kind {
            let _ = write!(tag, " t=\"{kind}\"");
        }
        let rest = old.map(extensions).unwrap_or_default();
        finish(out, &tag, &format!("{inner}{rest}"));
        Ok(())
    }

    /// Puts the element of another cell in the place of a cell.
    fn replace(&mut self, at: CellRef, old: Option<&CellView<'_>>, element: &str, out: &mut String) {
        let new = CellView::of(element.as_bytes(), at);
        self.written.cells.note_replaced(self.sheet, at, old, new.as_ref());
        if let Some(cell) = old {
            self.gone(at, cell);
        }
        if let Some(new) = new {
            if new.kind() == CellType::Shared {
                self.context.strings.uses += 1;
            }
            if new.child(b"f").is_some() {
                self.written.formulas_new.push(at);
            }
        }
        out.push_str(element);
    }

    fn style(&mut self, base: Option<u32>, edit: &CellEdit) -> Result<Option<u32>, PackageError> {
        let mut style = edit.format.or(base);
        if let Some(styles) = self.context.styles.as_mut() {
            for patch in &edit.patches {
                style = Some(styles.apply(style.unwrap_or(0), patch)?);
            }
            if let Some(NewValue::Date { time, .. }) = &edit.value
                && !styles.shows_date(style.unwrap_or(0))
            {
                let code = if *time { DATE_TIME } else { DATE };
                let asked = edit.patches.iter().any(|patch| patch.number_format.is_some());
                if !asked {
                    style = Some(styles.apply(style.unwrap_or(0), &StylePatch::number_format(code))?);
                }
            }
        }
        Ok(style)
    }

    /// Writes a cell that keeps its value: with another format, formula text or result.
    fn keep_value(
        &mut self,
        at: CellRef,
        old: Option<&CellView<'_>>,
        style: Option<u32>,
        edit: &CellEdit,
        prefix: &str,
        out: &mut String,
    ) {
        let Some(cell) = old else {
            if let Some(Cached::Value(_)) = &edit.cached {
                let mut tag = format!("<{prefix}c r=\"{at}\"");
                set_style(&mut tag, style);
                let (kind, value) =
                    edit.cached.as_ref().map(|cached| cached_markup(cached, prefix)).unwrap_or_default();
                if let Some(kind) = kind {
                    let _ = write!(tag, " t=\"{kind}\"");
                }
                finish(out, &tag, &value);
                return;
            }
            if let Some(style) = style.filter(|style| *style > 0) {
                let _ = write!(out, "<{prefix}c r=\"{at}\" s=\"{style}\"/>");
            }
            return;
        };
        let mut tag = open_tag(cell.tag(), at);
        if style != cell.style() {
            set_style(&mut tag, style);
        }
        if edit.formula.is_none() && edit.cached.is_none() {
            finish(out, &tag, &text(cell.inner()));
            return;
        }
        let whole_formula = || {
            let inner = cell.inner();
            let found = markup::elements(inner)
                .find(|found| inner.get(found.tag.clone()).is_some_and(|tag| local(tag_name(tag)) == b"f"));
            found.and_then(|found| inner.get(found.range)).map(|bytes| text(bytes).into_owned()).unwrap_or_default()
        };
        let formula = match &edit.formula {
            Some(FormulaEdit::Text(text)) => cell.formula().map(|old| old.with_text(text)).unwrap_or_default(),
            Some(FormulaEdit::Element(element)) => element.clone(),
            None => whole_formula(),
        };
        let Some(cached) = &edit.cached else {
            let rest = without_formula(cell);
            finish(out, &tag, &format!("{formula}{rest}"));
            return;
        };
        // The new result can have another type; `vm` belongs to the old rich value.
        if cell.kind() == CellType::Shared {
            self.context.strings.uses -= 1;
        }
        remove_attr(&mut tag, "t");
        remove_attr(&mut tag, "vm");
        let (kind, value) = cached_markup(cached, prefix);
        if let Some(kind) = kind {
            let _ = write!(tag, " t=\"{kind}\"");
        }
        finish(out, &tag, &format!("{formula}{value}{}", extensions(cell)));
    }

    /// Records that the old value and formula of a cell are removed.
    fn gone(&mut self, at: CellRef, cell: &CellView<'_>) {
        if cell.kind() == CellType::Shared {
            self.context.strings.uses -= 1;
        }
        if cell.child(b"f").is_some() {
            self.written.formulas_gone.push(at);
        }
    }

    /// The `cm` number for a formula whose result may spill.
    fn spill_mark(&self, formula: &ParsedFormula) -> Option<u32> {
        self.context.spill_mark.filter(|_| prefixes::spills(formula))
    }

    /// The type and the content of a new value.
    fn content(
        &mut self,
        at: CellRef,
        value: &NewValue,
        edit: &CellEdit,
        prefix: &str,
    ) -> (Option<&'static str>, String) {
        match value {
            NewValue::Blank => (None, String::new()),
            NewValue::Number(number) | NewValue::Date { serial: number, .. } => {
                (None, format!("<{prefix}v>{}</{prefix}v>", number_text(*number)))
            }
            NewValue::Bool(flag) => (Some("b"), format!("<{prefix}v>{}</{prefix}v>", u8::from(*flag))),
            NewValue::Text(value) => match self.context.strings.number(value) {
                Some(number) => {
                    self.context.strings.uses += 1;
                    (Some("s"), format!("<{prefix}v>{number}</{prefix}v>"))
                }
                // Every text was looked up before; a missing one can still be written inline.
                None => {
                    let space = if needs_space(value) { " xml:space=\"preserve\"" } else { "" };
                    let value = escape_text(value);
                    (Some("inlineStr"), format!("<{prefix}is><{prefix}t{space}>{value}</{prefix}t></{prefix}is>"))
                }
            },
            NewValue::Formula(formula) => {
                let (kind, value) = match &edit.cached {
                    Some(cached) => cached_markup(cached, prefix),
                    None => (None, String::new()),
                };
                let text = formula.text();
                let space = if needs_space(text) { " xml:space=\"preserve\"" } else { "" };
                // Excel determines the spilled range when it calculates.
                let array =
                    self.spill_mark(formula.as_ref()).map(|_| format!(" t=\"array\" ref=\"{at}\"")).unwrap_or_default();
                (kind, format!("<{prefix}f{array}{space}>{}</{prefix}f>{value}", escape_text(text)))
            }
        }
    }
}

enum Span {
    Fits,
    Wider(String),
    Unclear,
}

fn wider_span(value: &str, left: u32, right: u32) -> Span {
    let ends = value.trim().split_once(':').and_then(|(a, b)| Some((a.parse::<u32>().ok()?, b.parse::<u32>().ok()?)));
    match ends {
        Some((from, to)) if from <= left && right <= to => Span::Fits,
        Some((from, to)) => Span::Wider(format!("{}:{}", from.min(left), to.max(right))),
        None => Span::Unclear,
    }
}

/// The type and the `v` element of a result.
fn cached_markup(cached: &Cached, prefix: &str) -> (Option<&'static str>, String) {
    let v = |value: &str| format!("<{prefix}v>{value}</{prefix}v>");
    match cached {
        Cached::Unknown => (None, String::new()),
        // Formulas show an empty cell as 0.
        Cached::Value(CellValue::Empty) => (None, v("0")),
        Cached::Value(CellValue::Number(number)) if number.is_finite() => (None, v(&number_text(*number))),
        Cached::Value(CellValue::Number(_)) => (Some("e"), v("#NUM!")),
        Cached::Value(CellValue::Text(value)) => (Some("str"), v(&escape_text(value))),
        Cached::Value(CellValue::Bool(flag)) => (Some("b"), v(if *flag { "1" } else { "0" })),
        Cached::Value(CellValue::Error(error)) => (Some("e"), v(error.as_str())),
    }
}

/// The start tag without its end and without the attributes of the old value.
fn kept_tag(tag: &[u8], at: CellRef) -> String {
    let mut kept = open_tag(tag, at);
    for name in ["t", "vm", "cm"] {
        remove_attr(&mut kept, name);
    }
    kept
}

/// The start tag without its end, with an address.
fn open_tag(tag: &[u8], at: CellRef) -> String {
    let mut open = text(tag).into_owned();
    open.truncate(open.trim_end_matches('>').trim_end_matches('/').trim_end().len());
    if attr(tag, b"r").is_none() {
        open.insert_str(1 + tag_name(tag).len(), &format!(" r=\"{at}\""));
    }
    open
}

/// The start tag of a row, with a number.
fn numbered_tag(row: &RowView<'_>) -> Vec<u8> {
    let mut tag = row.tag().to_vec();
    if attr(&tag, b"r").is_none() {
        set_attr(&mut tag, "r", &row.number.to_string());
    }
    tag
}

fn remove_attr(tag: &mut String, name: &str) {
    let found = attrs(tag.as_bytes()).find(|attr| attr.name == name.as_bytes()).map(|attr| attr.whole);
    if let Some(range) = found {
        tag.replace_range(range, "");
    }
}

fn remove_bytes_attr(tag: &mut Vec<u8>, name: &str) {
    let found = attrs(tag).find(|attr| attr.name == name.as_bytes()).map(|attr| attr.whole);
    if let Some(range) = found {
        tag.drain(range);
    }
}

fn set_style(tag: &mut String, style: Option<u32>) {
    remove_attr(tag, "s");
    if let Some(style) = style.filter(|style| *style > 0) {
        let _ = write!(tag, " s=\"{style}\"");
    }
}

fn set_attr(tag: &mut Vec<u8>, name: &str, value: &str) {
    let found = attrs(tag).find(|attr| attr.name == name.as_bytes()).map(|attr| attr.value_range);
    match found {
        Some(range) => {
            tag.splice(range, value.bytes());
        }
        None => {
            let at = 1 + tag_name(tag).len();
            tag.splice(at..at, format!(" {name}=\"{value}\"").into_bytes());
        }
    }
}

/// The children of a cell besides its formula and value.
fn extensions(cell: &CellView<'_>) -> String {
    pick(cell, |name| !matches!(name, b"f" | b"v" | b"is"))
}

fn without_formula(cell: &CellView<'_>) -> String {
    pick(cell, |name| name != b"f")
}

fn pick(cell: &CellView<'_>, wanted: impl Fn(&[u8]) -> bool) -> String {
    let inner = cell.inner();
    let mut out = String::new();
    for found in markup::elements(inner) {
        let tag = inner.get(found.tag.clone()).unwrap_or_default();
        if wanted(local(tag_name(tag))) {
            out.push_str(&text(inner.get(found.range).unwrap_or_default()));
        }
    }
    out
}

/// Completes a cell from its start tag and its content.
fn finish(out: &mut String, tag: &str, inner: &str) {
    out.push_str(tag);
    if inner.is_empty() {
        out.push_str("/>");
        return;
    }
    let name = text(tag_name(tag.as_bytes())).into_owned();
    let _ = write!(out, ">{inner}</{name}>");
}
