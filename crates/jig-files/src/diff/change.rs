//! Changes of a file that is compared by its content: one change with its address, all changes of a file in groups
//! and pages ([`StructuredDiff`]), and which changes an address selects ([`select`]).

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use jig_ooxml::xlsx::address::{CellRange, CellRef};
use jig_ooxml::xlsx::formula::quoted_sheet;
use serde::Serialize;
use serde_json::Value;

use super::words::Word;
use crate::kind::FileKind;

/// Texts of a change are cut here, with a remark.
const TEXT_MAX: usize = 16 << 10;
/// Changes of one file that are listed one by one; the rest are counted.
pub(super) const LIST_MAX: usize = 20_000;
/// The one change for all rows of a table whose order differs: its address, and its `what`.
pub(super) const ROW_ORDER: &str = "row order";

/// What happened to a cell, paragraph, slide or other object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It was deleted.
    Removed,
    /// Its content has changed.
    Changed,
    /// It is in another place; its content is the same.
    Moved,
    /// Its content is the same; its format has changed.
    Formatted,
    /// Its name has changed.
    Renamed,
    /// The same formula has another value.
    Recalculated,
}

impl ChangeKind {
    /// The participle for summaries.
    pub(super) const fn verb(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
            Self::Moved => "moved",
            Self::Formatted => "reformatted",
            Self::Renamed => "renamed",
            Self::Recalculated => "recalculated",
        }
    }
}

/// A property before and after.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Detail {
    /// Which property.
    pub name: String,
    /// Before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// After.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

impl Detail {
    pub(super) fn new(name: impl Into<String>, before: impl Into<String>, after: impl Into<String>) -> Self {
        let some = |text: String| (!text.is_empty()).then(|| cut(&text));
        Self { name: name.into(), before: some(before.into()), after: some(after.into()) }
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Its address, unique in its diff: `Budget!B3`, `section 2, paragraph 14`, `slide 3`.
    pub id: String,
    /// What happened.
    pub kind: ChangeKind,
    /// To what: `cell`, `row`, `paragraph`, `slide`.
    pub what: &'static str,
    /// Its content before, as a person reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Its content after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The text with the words that went and came.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<Word>,
    /// Formula, format, place: what else differs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<Detail>,
    /// Why it cannot be reverted by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "fixed")]
    pub not_revertible: Option<String>,
    /// How it is reverted.
    #[serde(skip)]
    pub(super) revert: RevertPlan,
}

/// How a change is reverted in the new file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum RevertPlan {
    /// Not by itself; `not_revertible` says why.
    #[default]
    None,
    /// By other markup in places of the new file.
    Splices(Vec<MarkupSplice>),
    /// By other markup for all children of this name of a sheet.
    Frame { part: String, name: String, markup: String },
    /// By the old bytes of a part.
    Part { name: String },
    /// By ops on the new file, in the order of their rank: the highest goes first.
    Ops { rank: u64, ops: Vec<Value> },
    /// By the values and formats that cells had.
    Cells(Vec<CellRevert>),
    /// By a row put back or taken out.
    Row(Box<RowRevert>),
    /// By a slide put behind another one, or first; its part comes from the old file when it is gone.
    Slide { part: String, behind: Option<String> },
    /// By records in the place of others: ranges of the old text for a range of the new one.
    Records { old: Range<usize>, new: Range<usize> },
    /// With what it follows from.
    Follows,
}

/// Other markup in the place of a range of a part of the new file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MarkupSplice {
    pub(super) part: String,
    pub(super) range: Range<usize>,
    pub(super) markup: String,
}

/// A cell to put back.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CellRevert {
    /// The sheet's name in the new file and in the old one.
    pub(super) sheets: (String, String),
    /// Where it is now, and where it was.
    pub(super) at: (u32, u32),
    pub(super) old_row: u32,
    /// As `set_cells` takes it; none when the content is the same.
    pub(super) cell: Option<Value>,
    /// Whether its format is put back.
    pub(super) style: bool,
}

/// A row to put back, or to take out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RowRevert {
    pub(super) sheets: (String, String),
    /// Its row in the new file, or the row where it is inserted.
    pub(super) at: u32,
    /// The row of the old file; none when the row is to go.
    pub(super) old: Option<(u32, Vec<Value>)>,
}

impl Change {
    pub(super) fn new(id: impl Into<String>, kind: ChangeKind, what: &'static str) -> Self {
        Self {
            id: id.into(),
            kind,
            what,
            before: None,
            after: None,
            words: Vec::new(),
            details: Vec::new(),
            not_revertible: None,
            revert: RevertPlan::None,
        }
    }

    #[must_use]
    pub(super) fn texts(mut self, before: Option<&str>, after: Option<&str>) -> Self {
        self.before = before.map(cut);
        self.after = after.map(cut);
        self
    }

    #[must_use]
    pub(super) fn with_words(mut self, before: &str, after: &str) -> Self {
        self.words = super::words::word_diff(&cut(before), &cut(after));
        self
    }

    #[must_use]
    pub(super) fn detail(mut self, detail: Detail) -> Self {
        // A property that is equal on both sides is not a difference.
        if detail.before != detail.after {
            self.details.push(detail);
        }
        self
    }

    #[must_use]
    pub(super) fn revertible(mut self, revert: RevertPlan) -> Self {
        self.revert = revert;
        self.not_revertible = None;
        self
    }

    /// Can only be reverted with the whole file.
    #[must_use]
    pub(super) fn not_revertible(mut self, why: impl Into<String>) -> Self {
        self.not_revertible = Some(why.into());
        self.revert = RevertPlan::None;
        self
    }

    /// A hash of the serialized change. Stored reviews keep id and mark: the same id with the same mark is the same
    /// change. So every serialized text, the reason in `fixed` included, is part of what a review refers to.
    pub fn mark(&self) -> String {
        let said = serde_json::to_vec(self).unwrap_or_default();
        blake3::hash(&said).to_hex().chars().take(16).collect()
    }

    /// Its place in the list: content first, then recalculated values, then formats and layout, then parts that a
    /// reader does not see as text.
    pub(super) fn rank(&self) -> usize {
        match (self.kind, self.what) {
            (ChangeKind::Recalculated, _) => 1,
            (ChangeKind::Formatted, _) => 2,
            (_, "layout" | "page setup" | "style" | "sheet visibility") => 2,
            (
                _,
                "theme"
                | "slide layout"
                | "list definitions"
                | "styles"
                | "part"
                | "group of parts"
                | "pivot table"
                | "custom data"
                | "drawing"
                | "link to another file"
                | "diagram",
            ) => 3,
            _ => 0,
        }
    }

    /// Its approximate size in a reply, in bytes.
    pub(super) fn weight(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let details = |detail: &Detail| 40 + detail.name.len() + text(&detail.before) + text(&detail.after);
        let words: usize = self.words.iter().map(|word| 30 + word.text.len()).sum();
        120 + text(&self.before) + text(&self.after) + words + self.details.iter().map(details).sum::<usize>()
    }
}

/// Changes that belong together: those of a sheet, a section, a slide.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// What they belong to.
    pub title: String,
    /// In the order of the file.
    pub changes: Vec<Change>,
}

/// A text short enough to show, with a remark on what is left out.
pub(super) fn cut(text: &str) -> String {
    if text.len() <= TEXT_MAX {
        return text.to_owned();
    }
    let end = (0..=TEXT_MAX).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (kept, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    format!("{kept}… ({} more characters)", rest.chars().count())
}

/// A count with its noun.
pub(super) fn count(number: usize, noun: &str) -> String {
    match (number, noun) {
        (1, noun) => format!("1 {noun}"),
        (number, "property") => format!("{number} properties"),
        (number, "group of parts") => format!("{number} groups of parts"),
        (number, noun) if noun.ends_with(" text") => format!("{number} {noun}s"),
        (number, noun) if noun.ends_with('s') => format!("{number} {noun}"),
        (number, noun) => format!("{number} {noun}s"),
    }
}

/// Changes of a page, and about how many bytes they may take.
const PAGE_CHANGES: usize = 200;
const PAGE_BYTES: usize = 96 << 10;

/// The format that a file is compared as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StructuredFormat {
    /// Workbooks: by sheet.
    Xlsx,
    /// Documents: by section.
    Docx,
    /// Presentations: by slide.
    Pptx,
    /// Delimited text: by row.
    Csv,
    /// OpenDocument texts: by section.
    Odt,
    /// PDF files: by page.
    Pdf,
}

impl StructuredFormat {
    /// The format that files of a kind are compared as; `None` for text and for kinds that are compared as bytes.
    pub(super) const fn of(kind: FileKind) -> Option<Self> {
        match kind {
            FileKind::Xlsx => Some(Self::Xlsx),
            FileKind::Docx => Some(Self::Docx),
            FileKind::Pptx => Some(Self::Pptx),
            FileKind::Csv | FileKind::Tsv => Some(Self::Csv),
            FileKind::Odt => Some(Self::Odt),
            FileKind::Pdf => Some(Self::Pdf),
            FileKind::Text
            | FileKind::Markdown
            | FileKind::Json
            | FileKind::Xml
            | FileKind::Html
            | FileKind::Yaml
            | FileKind::Code
            | FileKind::Png
            | FileKind::Jpeg
            | FileKind::Gif
            | FileKind::Webp
            | FileKind::Svg
            | FileKind::Image
            | FileKind::Doc
            | FileKind::Xls
            | FileKind::Ppt
            | FileKind::EncryptedOffice
            | FileKind::Zip
            | FileKind::Binary
            | FileKind::Empty => None,
        }
    }

    /// The stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Xlsx => "xlsx",
            Self::Docx => "docx",
            Self::Pptx => "pptx",
            Self::Csv => "csv",
            Self::Odt => "odt",
            Self::Pdf => "pdf",
        }
    }
}

/// The difference of two files that are compared by their content.
#[derive(Debug, Clone, PartialEq)]
pub struct StructuredDiff {
    /// The format of both versions.
    pub format: StructuredFormat,
    /// The changes.
    pub groups: Vec<Group>,
    /// Remarks that belong to no change.
    pub notes: Vec<String>,
    /// Counts by kind, including changes that are not listed.
    counts: BTreeMap<(usize, &'static str, usize), Counted>,
    listed: usize,
}

#[derive(Debug, Clone, PartialEq)]
struct Counted {
    kind: ChangeKind,
    number: usize,
    /// The only group they are in.
    group: Option<String>,
}

impl StructuredDiff {
    pub(super) fn new(format: StructuredFormat) -> Self {
        Self { format, groups: Vec::new(), notes: Vec::new(), counts: BTreeMap::new(), listed: 0 }
    }

    /// Adds a change to the group of this title. Beyond [`LIST_MAX`] it is only counted.
    pub(super) fn add(&mut self, group: &str, change: Change) {
        self.counted(group, change.kind, change.what, 1);
        if self.listed >= LIST_MAX {
            return;
        }
        self.listed += 1;
        match self.groups.last_mut().filter(|last| last.title == group) {
            Some(last) => last.changes.push(change),
            None => match self.groups.iter_mut().find(|known| known.title == group) {
                Some(known) => known.changes.push(change),
                None => self.groups.push(Group { title: group.to_owned(), changes: vec![change] }),
            },
        }
    }

    /// Counts changes that are not listed.
    pub(super) fn counted(&mut self, group: &str, kind: ChangeKind, what: &'static str, number: usize) {
        let order = self.counts.values().len();
        let known = self.counts.iter().find(|((_, name, _), counted)| *name == what && counted.kind == kind);
        let key = known.map_or((order, what, kind as usize), |(key, _)| *key);
        let counted = self.counts.entry(key).or_insert(Counted { kind, number: 0, group: Some(group.to_owned()) });
        counted.number += number;
        if counted.group.as_deref() != Some(group) {
            counted.group = None;
        }
    }

    pub(super) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Whether nothing differs that is compared.
    pub fn is_unchanged(&self) -> bool {
        self.counts.is_empty()
    }

    /// How many changes there are, including those that are not listed.
    pub fn total(&self) -> usize {
        self.counts.values().map(|counted| counted.number).sum()
    }

    /// All changes that are listed, in order.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        self.groups.iter().flat_map(|group| &group.changes)
    }

    /// Closes the list: makes ids unique, notes how many changes are not listed, and sorts.
    pub(super) fn finish(mut self) -> Self {
        let total = self.total();
        if total > self.listed {
            let more = total - self.listed;
            self.notes.push(format!("{more} more changes are counted and not listed one by one"));
        }
        let mut seen = HashSet::new();
        for change in self.groups.iter_mut().flat_map(|group| &mut group.changes) {
            let plain = change.id.clone();
            let mut number = 2;
            while !seen.insert(change.id.clone()) {
                change.id = format!("{plain} ({number})");
                number += 1;
            }
            if change.revert == RevertPlan::None && change.not_revertible.is_none() {
                change.not_revertible = Some("it cannot be taken back by itself".to_owned());
            }
        }
        self.sort();
        self
    }

    /// Sorts changes of content before changes of format. Groups stay together as long as all of it fits
    /// on one page; beyond, the changes of content of all groups come first.
    fn sort(&mut self) {
        let mut split: Vec<(usize, Group)> = Vec::new();
        let together = self.listed <= PAGE_CHANGES;
        for mut group in std::mem::take(&mut self.groups) {
            group.changes.sort_by_key(Change::rank);
            if together {
                let first = group.changes.first().map_or(usize::MAX, Change::rank);
                split.push((first, group));
                continue;
            }
            for change in group.changes {
                let rank = change.rank();
                match split.last_mut().filter(|(known, last)| *known == rank && last.title == group.title) {
                    Some((_, last)) => last.changes.push(change),
                    None => split.push((rank, Group { title: group.title.clone(), changes: vec![change] })),
                }
            }
        }
        split.sort_by_key(|(rank, _)| *rank);
        self.groups = split.into_iter().map(|(_, group)| group).collect();
    }

    /// A one-line summary.
    pub fn summary(&self) -> String {
        let inside = match self.format {
            StructuredFormat::Xlsx | StructuredFormat::Pdf => "on",
            StructuredFormat::Docx | StructuredFormat::Odt | StructuredFormat::Pptx | StructuredFormat::Csv => "in",
        };
        let one = |((_, what, _), counted): (&(usize, &'static str, usize), &Counted)| {
            if *what == ROW_ORDER {
                return "rows in another order".to_owned();
            }
            let words = format!("{} {}", count(counted.number, what), counted.kind.verb());
            let named = ["cell", "row", "paragraph", "table row", "text"].contains(what);
            match &counted.group {
                Some(group) if named && self.format != StructuredFormat::Csv => format!("{words} {inside} {group}"),
                _ => words,
            }
        };
        let words: Vec<String> = self.counts.iter().map(one).collect();
        if words.is_empty() { "no changes inside".to_owned() } else { words.join(", ") }
    }

    /// The address of the change that a reviewer should view first.
    pub fn focus(&self) -> Option<String> {
        let is_content = |change: &&Change| !matches!(change.kind, ChangeKind::Recalculated | ChangeKind::Formatted);
        let group = |group: &Group| group.changes.iter().any(|change| is_content(&change));
        let first = self.groups.iter().find(|one| group(one)).or(self.groups.first())?;
        let change = first.changes.iter().find(is_content).or(first.changes.first())?;
        Some(match self.format {
            StructuredFormat::Docx | StructuredFormat::Odt if first.title.starts_with("section") => first.title.clone(),
            StructuredFormat::Pptx if first.title.starts_with("slide") => {
                first.title.split(" “").next().unwrap_or(&first.title).to_owned()
            }
            StructuredFormat::Pdf if first.title.starts_with("page") => first.title.clone(),
            _ => change.id.clone(),
        })
    }

    /// The groups of a page, from 0; none past the last one. With it, how many pages there are.
    pub fn page(&self, page: usize) -> (Option<Vec<Group>>, usize) {
        let (mut number, mut changes, mut bytes) = (0, 0, 0);
        let mut found: Vec<Group> = Vec::new();
        for group in &self.groups {
            for change in &group.changes {
                let weight = change.weight();
                if changes > 0 && (changes >= PAGE_CHANGES || bytes + weight > PAGE_BYTES) {
                    (number, changes, bytes) = (number + 1, 0, 0);
                }
                (changes, bytes) = (changes + 1, bytes + weight);
                if number != page {
                    continue;
                }
                match found.last_mut().filter(|last| last.title == group.title) {
                    Some(last) => last.changes.push(change.clone()),
                    None => found.push(Group { title: group.title.clone(), changes: vec![change.clone()] }),
                }
            }
        }
        let pages = number + 1;
        ((page < pages).then_some(found), pages)
    }
}

/// The indexes in `known` of the changes that the address `wanted` selects.
#[must_use]
pub fn select<S: AsRef<str>>(known: &[S], wanted: &str) -> Vec<usize> {
    let places = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
        known.iter().enumerate().filter(|(_, id)| fits(id.as_ref())).map(|(at, _)| at).collect()
    };
    let exact = places(&|id| id == wanted);
    if !exact.is_empty() {
        return exact;
    }
    let area = Area::of(wanted);
    let (part, sheet) = (format!("{wanted}, "), format!("{}!", quoted_sheet(wanted)));
    let of_sheet = format!("sheet {}", quoted_sheet(wanted));
    places(&|id| {
        id.starts_with(&part)
            || id.starts_with(&sheet)
            || id == of_sheet
            || area.as_ref().is_some_and(|area| area.holds(id))
    })
}

/// A part of a sheet.
#[derive(Debug, PartialEq, Eq)]
struct Area<'a> {
    sheet: &'a str,
    place: Place,
}

#[derive(Debug, PartialEq, Eq)]
enum Place {
    Cells(CellRange),
    Rows(u32, u32),
}

impl<'a> Area<'a> {
    fn of(address: &'a str) -> Option<Self> {
        let (sheet, place) = address.rsplit_once('!')?;
        let place = match place.parse::<CellRange>() {
            Ok(range) => Place::Cells(range),
            Err(_) => {
                let (first, last) = place.split_once(':')?;
                let (first, last) = (first.parse().ok()?, last.parse().ok()?);
                Place::Rows(u32::min(first, last), u32::max(first, last))
            }
        };
        Some(Self { sheet, place })
    }

    /// Whether a changed cell or row is inside. A whole row is never inside a range of cells.
    fn holds(&self, id: &str) -> bool {
        let Some(other) = Area::of(id).filter(|other| other.sheet == self.sheet) else { return false };
        match (&self.place, other.place) {
            (Place::Cells(range), Place::Cells(cells)) => range.contains(cells.start()) && range.contains(cells.end()),
            (Place::Rows(first, last), Place::Rows(from, to)) => *first <= from && to <= *last,
            (Place::Rows(first, last), Place::Cells(cells)) => {
                let inside = |cell: CellRef| (*first..=*last).contains(&cell.row());
                inside(cells.start()) && inside(cells.end())
            }
            (Place::Cells(_), Place::Rows(..)) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 9] = [
        "Budget!B3",
        "Budget!C9",
        "Budget!7:7",
        "Budget!columns",
        "'My sheet'!B3",
        "section 2, paragraph 14",
        "section 21, paragraph 1",
        "slide 3",
        "slide 3, notes",
    ];

    fn ids(wanted: &str) -> Vec<&'static str> {
        select(&KNOWN, wanted).into_iter().map(|at| KNOWN[at]).collect()
    }

    #[test]
    fn an_address_is_the_change_that_has_it() {
        assert_eq!(ids("Budget!B3"), ["Budget!B3"]);
        assert_eq!(ids("slide 3"), ["slide 3"], "the change with this address, not those inside it");
        assert_eq!(ids("Budget!Z1"), Vec::<&str>::new());
        assert_eq!(ids(""), Vec::<&str>::new());
    }

    #[test]
    fn ranges_rows_and_sheets_are_what_lies_in_them() {
        assert_eq!(ids("Budget!A1:C8"), ["Budget!B3"]);
        assert_eq!(ids("Budget!A1:C9"), ["Budget!B3", "Budget!C9"]);
        assert_eq!(ids("Budget!5:9"), ["Budget!C9", "Budget!7:7"]);
        assert_eq!(ids("Budget"), ["Budget!B3", "Budget!C9", "Budget!7:7", "Budget!columns"]);
        assert_eq!(ids("My sheet"), ["'My sheet'!B3"]);
    }

    #[test]
    fn a_section_is_what_changed_in_it_and_in_no_other() {
        assert_eq!(ids("section 2"), ["section 2, paragraph 14"]);
        assert_eq!(ids("section 2, paragraph"), Vec::<&str>::new());
    }
}
