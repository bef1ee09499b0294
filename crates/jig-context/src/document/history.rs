//! Document history: all states, the changes between them, and restoring.

use jig_contract::{Actor, Timestamp};

use super::Document;
use super::error::DocumentError;
use super::name::PartName;
use super::part::Part;
use super::revision::{Revision, RevisionNumber};

/// The states of one document. Append-only.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    older: Vec<Document>,
    head: Document,
}

/// An entry of a history.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryLine {
    /// The write.
    pub revision: Revision,
    /// What it changed.
    pub changes: Vec<PartDiff>,
}

/// How a part differs between two states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartDiff {
    /// It was added.
    Added(PartName),
    /// Its content changed.
    Changed(PartName),
    /// It was renamed.
    Renamed {
        /// The former name.
        from: PartName,
        /// The new name.
        to: PartName,
    },
    /// It was removed.
    Removed(PartName),
}

impl History {
    /// A history with one state.
    pub const fn new(first: Document) -> Self {
        Self { older: Vec::new(), head: first }
    }

    /// Appends the next state, which must be based on the newest.
    pub fn push(&mut self, next: Document) -> Result<(), DocumentError> {
        if next.revision.parent == Some(self.head.revision.number) && next.id == self.head.id {
            self.older.push(std::mem::replace(&mut self.head, next));
            return Ok(());
        }
        Err(DocumentError::Conflict {
            document: self.head.address().to_string(),
            base: next.revision.parent.unwrap_or(next.revision.number),
            newer: Box::new(self.head.revision.clone()),
        })
    }

    /// The newest state.
    pub const fn head(&self) -> &Document {
        &self.head
    }

    /// The state at a revision.
    pub fn at(&self, number: RevisionNumber) -> Option<&Document> {
        self.states().find(|state| state.revision.number == number)
    }

    /// The changes of each write, newest first.
    pub fn lines(&self) -> Vec<HistoryLine> {
        let before = std::iter::once(None).chain(self.states().map(Some));
        let line = |(old, new): (Option<&Document>, &Document)| HistoryLine {
            revision: new.revision.clone(),
            changes: diff(old.map_or(&[], |old| &old.parts), &new.parts),
        };
        let mut lines: Vec<HistoryLine> = before.zip(self.states()).map(line).collect();
        lines.reverse();
        lines
    }

    /// Restores an old revision as a new one. Later revisions stay in the history.
    pub fn restore(&self, to: RevisionNumber, author: Actor, at: Timestamp) -> Result<Document, DocumentError> {
        let newest = self.head.revision.number;
        let document = || self.head.address().to_string();
        let no_such = || DocumentError::NoSuchRevision { document: document(), wanted: to, newest };
        Ok(self.head.restored(self.at(to).ok_or_else(no_such)?, author, at))
    }

    fn states(&self) -> impl Iterator<Item = &Document> {
        self.older.iter().chain(std::iter::once(&self.head))
    }
}

impl Document {
    /// Whether restoring an old state would change nothing visible: the parts have the same order, names, content and
    /// done marks.
    pub fn shows_same_as(&self, old: &Self) -> bool {
        let seen = |part: &Part| {
            let done = part.done.as_ref().map(|done| done.by.clone());
            (part.id, part.name.clone(), part.title.clone(), part.value.clone(), done)
        };
        self.title == old.title && self.parts.iter().map(seen).eq(old.parts.iter().map(seen))
    }

    /// This document with the content of an old state, as a new revision.
    #[must_use]
    pub fn restored(&self, old: &Self, author: Actor, at: Timestamp) -> Self {
        let (newest, number) = (self.revision.number, self.revision.number.next());
        let mut state = old.clone();
        for part in &mut state.parts {
            let now = self.parts.iter().find(|now| now.id == part.id);
            // Restored content counts as a change, for clients that saw the newest state.
            part.changed = now.filter(|now| now.value == part.value).map_or(number, |now| now.changed);
        }
        let content = |change: &PartDiff| !matches!(change, PartDiff::Renamed { .. });
        let differs = diff(&self.parts, &state.parts).iter().any(content);
        state.changed = if differs { number } else { self.changed };
        state.next_part = self.next_part;
        let reason = format!("restored revision {}", old.revision.number);
        state.revision = Revision { number, parent: Some(newest), author, reason, at };
        state
    }
}

/// The differences, in the order of the new parts, with removed parts last.
pub fn diff(old: &[Part], new: &[Part]) -> Vec<PartDiff> {
    let mut changes = Vec::new();
    for part in new {
        let Some(before) = old.iter().find(|before| before.id == part.id) else {
            changes.push(PartDiff::Added(part.name.clone()));
            continue;
        };
        if before.name != part.name {
            changes.push(PartDiff::Renamed { from: before.name.clone(), to: part.name.clone() });
        }
        if before.value != part.value {
            changes.push(PartDiff::Changed(part.name.clone()));
        }
    }
    let gone = old.iter().filter(|before| new.iter().all(|part| part.id != before.id));
    changes.extend(gone.map(|part| PartDiff::Removed(part.name.clone())));
    changes
}
