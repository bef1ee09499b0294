//! The difference of a file that is compared inside: changes in groups, counts, notes.

use std::collections::BTreeMap;
use std::collections::HashSet;

use super::change::{Change, ChangeKind, Group, LIST_MAX, ROW_ORDER, Undo, count};

/// Changes of a page, and about how many bytes they may take.
const PAGE_CHANGES: usize = 200;
const PAGE_BYTES: usize = 96 << 10;

/// Which format a file is compared as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsideFormat {
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

impl InsideFormat {
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

/// The difference of a file that is compared inside.
#[derive(Debug, Clone, PartialEq)]
pub struct InsideDiff {
    /// As what.
    pub format: InsideFormat,
    /// The changes.
    pub groups: Vec<Group>,
    /// What changes do not show.
    pub notes: Vec<String>,
    /// How many there are of each sort, those that are not listed too.
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

impl InsideDiff {
    pub(super) fn new(format: InsideFormat) -> Self {
        Self { format, groups: Vec::new(), notes: Vec::new(), counts: BTreeMap::new(), listed: 0 }
    }

    /// Takes a change into the group of this title. Beyond the bound it is only counted.
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

    /// How many changes there are, those that are not listed too.
    pub fn total(&self) -> usize {
        self.counts.values().map(|counted| counted.number).sum()
    }

    /// All changes that are listed, in order.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        self.groups.iter().flat_map(|group| &group.changes)
    }

    /// Closes the list: ids are made unique, and what is not listed is said.
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
            if change.undo == Undo::None && change.fixed.is_none() {
                change.fixed = Some("it cannot be taken back by itself".to_owned());
            }
        }
        self.sort();
        self
    }

    /// Puts what changed in content before what only looks different. Groups stay together as long as all of it fits
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

    /// The difference in one line of words.
    pub fn summary(&self) -> String {
        let inside = match self.format {
            InsideFormat::Xlsx | InsideFormat::Pdf => "on",
            InsideFormat::Docx | InsideFormat::Odt | InsideFormat::Pptx | InsideFormat::Csv => "in",
        };
        let one = |((_, what, _), counted): (&(usize, &'static str, usize), &Counted)| {
            if *what == ROW_ORDER {
                return "rows in another order".to_owned();
            }
            let words = format!("{} {}", count(counted.number, what), counted.kind.word());
            let named = ["cell", "row", "paragraph", "table row", "text"].contains(what);
            match &counted.group {
                Some(group) if named && self.format != InsideFormat::Csv => format!("{words} {inside} {group}"),
                _ => words,
            }
        };
        let words: Vec<String> = self.counts.iter().map(one).collect();
        if words.is_empty() { "no changes inside".to_owned() } else { words.join(", ") }
    }

    /// Where to look first.
    pub fn focus(&self) -> Option<String> {
        let tells = |change: &&Change| !matches!(change.kind, ChangeKind::Recalculated | ChangeKind::Formatted);
        let group = |group: &Group| group.changes.iter().any(|change| tells(&change));
        let first = self.groups.iter().find(|one| group(one)).or(self.groups.first())?;
        let change = first.changes.iter().find(tells).or(first.changes.first())?;
        Some(match self.format {
            InsideFormat::Docx | InsideFormat::Odt if first.title.starts_with("section") => first.title.clone(),
            InsideFormat::Pptx if first.title.starts_with("slide") => {
                first.title.split(" “").next().unwrap_or(&first.title).to_owned()
            }
            InsideFormat::Pdf if first.title.starts_with("page") => first.title.clone(),
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
