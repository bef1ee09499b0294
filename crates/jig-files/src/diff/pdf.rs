//! Two PDF files: pages by the lines of their text, and their metadata.
//!
//! Lines are matched over all pages, so that text that only moves to the next page is not reported.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value};
use similar::DiffTag;

use super::align::{Alignment, align, intern};
use super::change::{Change, ChangeKind, StructuredDiff, StructuredFormat};
use crate::engine::FileError;
use crate::pdf::Document;

/// Why no change of a PDF file can be reverted by itself.
const FIXED: &str = "PDF files are read and not written";
/// Remarks of one side that are given.
const REMARKS: usize = 10;

/// A line of text and the page it is on, from 0.
struct Line {
    page: usize,
    /// Its number on the page, from 1.
    number: usize,
    text: String,
}

struct PdfSide {
    lines: Vec<Line>,
    pages: usize,
    info: Value,
    warnings: Vec<String>,
}

impl PdfSide {
    fn read(bytes: &[u8]) -> Result<Self, FileError> {
        let document = Document::open(&Arc::from(bytes))?;
        let (texts, warnings) = document.all_pages();
        let mut lines = Vec::new();
        for (page, text) in texts.iter().enumerate() {
            let said = text.lines().map(str::trim).filter(|line| !line.is_empty());
            lines.extend(said.enumerate().map(|(at, text)| Line { page, number: at + 1, text: text.to_owned() }));
        }
        Ok(Self { lines, pages: document.page_count(), info: document.info(), warnings })
    }

    fn on(&self, page: usize) -> Range<usize> {
        let start = self.lines.partition_point(|line| line.page < page);
        start..self.lines.partition_point(|line| line.page <= page)
    }

    fn text(&self, range: Range<usize>) -> String {
        let lines = self.lines.get(range).unwrap_or_default();
        lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// The page that a place is on, and the address of a range that begins there.
    fn address(&self, range: &Range<usize>) -> (String, String) {
        let Some(first) = self.lines.get(range.start) else { return ("pages".to_owned(), "pages".to_owned()) };
        let page = format!("page {}", first.page + 1);
        let last = self.lines.get(range.end.saturating_sub(1)).filter(|last| last.page == first.page);
        let id = match last {
            Some(last) if last.number > first.number => format!("{page}, lines {}-{}", first.number, last.number),
            _ => format!("{page}, line {}", first.number),
        };
        (page, id)
    }
}

/// Compares two files.
pub(super) fn compare(old: &[u8], new: &[u8]) -> Result<StructuredDiff, FileError> {
    let (before, after) = (PdfSide::read(old)?, PdfSide::read(new)?);
    let mut diff = StructuredDiff::new(StructuredFormat::Pdf);
    pages(&before, &after, &mut diff);
    properties(&before, &after, &mut diff);
    for (word, side) in [("before", &before), ("after", &after)] {
        side.warnings.iter().take(REMARKS).for_each(|warning| diff.note(format!("{word}: {warning}")));
        if let Some(more) = side.warnings.len().checked_sub(REMARKS).filter(|more| *more > 0) {
            diff.note(format!("{word}: {more} more remarks of this kind"));
        }
    }
    if old != new {
        diff.note("images, drawings and fonts are not compared; a preview of both sides shows them");
    }
    Ok(diff.finish())
}

fn pages(before: &PdfSide, after: &PdfSide, diff: &mut StructuredDiff) {
    let text = |side: &'_ PdfSide| side.lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
    let (old_ids, new_ids) = intern(text(before).into_iter(), text(after).into_iter());
    let (ops, alignment) = align(&old_ids, &new_ids);
    if alignment == Alignment::Coarse {
        diff.note("the texts are too different to match line by line; the changed parts are shown as a whole");
    }
    let mut wrapped = 0;
    for op in ops.iter().filter(|op| op.tag() != DiffTag::Equal) {
        let (old, new) = (op.old_range(), op.new_range());
        let (was, is) = (before.text(old.clone()), after.text(new.clone()));
        match (old.is_empty(), new.is_empty()) {
            (false, false) if same_words(&was, &is) => wrapped += 1,
            (false, false) => {
                let (group, id) = after.address(&new);
                let change = Change::new(id, ChangeKind::Changed, "text");
                diff.add(&group, change.texts(Some(&was), Some(&is)).with_words(&was, &is).not_revertible(FIXED));
            }
            (true, _) => one_sided(after, new, ChangeKind::Added, diff),
            (_, true) => one_sided(before, old, ChangeKind::Removed, diff),
        }
    }
    if wrapped > 0 {
        diff.note("some lines wrap at other places; their text is the same");
    }
}

/// Lines that only wrap at other places have the same text.
fn same_words(old: &str, new: &str) -> bool {
    let bare =
        |text: &str| text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '\u{ad}')).collect::<String>();
    bare(old) == bare(new)
}

/// Lines that one side alone has: whole pages as one change each, the rest page by page.
fn one_sided(side: &PdfSide, range: Range<usize>, kind: ChangeKind, diff: &mut StructuredDiff) {
    let mut at = range.start;
    while let Some(line) = side.lines.get(at).filter(|_| at < range.end) {
        let page = side.on(line.page);
        let piece = at..page.end.min(range.end);
        let (group, id) = side.address(&piece);
        let (id, what) = if piece == page { (group.clone(), "page") } else { (id, "text") };
        let text = side.text(piece.clone());
        let change = match kind {
            ChangeKind::Removed => Change::new(format!("{id} (removed)"), kind, what).texts(Some(&text), None),
            _ => Change::new(id, kind, what).texts(None, Some(&text)),
        };
        diff.add(&group, change.not_revertible(FIXED));
        at = piece.end.max(at + 1);
    }
}

/// Compares metadata: number of pages, version, title and the like.
fn properties(before: &PdfSide, after: &PdfSide, diff: &mut StructuredDiff) {
    let said = |side: &PdfSide| -> Map<String, Value> {
        let mut all = Map::from_iter([("pages".to_owned(), side.pages.into())]);
        all.extend(side.info["metadata"].as_object().cloned().unwrap_or_default());
        all.extend(["version", "encrypted"].map(|name| (name.to_owned(), side.info[name].clone())));
        all
    };
    let (old, new) = (said(before), said(after));
    let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
    for name in names.filter(|name| old.get(*name) != new.get(*name)) {
        let kind = match (old.get(name), new.get(name)) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Removed,
            _ => ChangeKind::Changed,
        };
        let word = |side: &Map<String, Value>| {
            side.get(name).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        };
        let (was, is) = (word(&old), word(&new));
        let change = Change::new(name.replace('_', " "), kind, "property").texts(was.as_deref(), is.as_deref());
        diff.add("document", change.not_revertible(FIXED));
    }
}
