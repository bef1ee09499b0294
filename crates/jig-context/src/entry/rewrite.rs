//! Writes that do not change values: archiving, done marks, restoring.

use jig_contract::ops::{EntryState, KindDefinition};
use jig_contract::{Actor, Timestamp};

use super::Entry;
use super::error::EntryError;
use super::kind::as_document_kind;
use super::refit::fit_parts;
use crate::definition::Problem;
use crate::document::{Change, DocumentError, FoundPart, Kind, RevisionNumber, Write, find_part};

/// The author, time and base of a write.
#[derive(Debug, Clone, PartialEq)]
pub struct Writer {
    /// The author.
    pub author: Actor,
    /// When.
    pub at: Timestamp,
    /// The base revision; `None` skips the check.
    pub base_revision: Option<u64>,
    /// The hash of the current revision's file.
    pub previous: Option<String>,
}

impl Writer {
    fn base(&self, entry: &Entry) -> RevisionNumber {
        self.base_revision.map_or(entry.document.revision.number, RevisionNumber)
    }

    fn write(&self, kind: &Kind, entry: &Entry, reason: &str, changes: Vec<Change>) -> Result<Entry, EntryError> {
        let write = Write { author: self.author.clone(), reason: reason.to_owned(), at: self.at, changes };
        let document = entry.document.write(kind, self.base(entry), write)?;
        Ok(Entry { document, previous: self.previous.clone(), ..entry.clone() })
    }
}

/// Archives or activates an entry. Without a change of state, the revision stays the same.
pub fn archive(kind: &KindDefinition, entry: &Entry, state: EntryState, writer: &Writer) -> Result<Entry, EntryError> {
    let reason = match state {
        EntryState::Active => "taken back into use",
        EntryState::Archived => "archived",
    };
    let written = writer.write(&document_kind(kind)?, entry, reason, Vec::new())?;
    Ok(if entry.state == state { entry.clone() } else { Entry { state, ..written } })
}

/// A change of a field's done mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoneMark {
    /// Set it.
    Done,
    /// Clear it.
    NotDone,
}

/// Sets or clears the done mark of a field. A mark by an agent is only a suggestion.
pub fn mark_done(
    kind: &KindDefinition,
    entry: &Entry,
    field: &str,
    mark: DoneMark,
    writer: &Writer,
) -> Result<Entry, EntryError> {
    let document_kind = document_kind(kind)?;
    if let FoundPart::Unwritten(_) = find_part(&document_kind, &entry.document, field)? {
        let problems = vec![Problem::new(field, "it has no value that could be done")];
        return Err(EntryError::Values { address: entry.document.address().to_string(), problems });
    }
    // The mark is already in place: a new time or revision would add no information.
    let present = entry.document.part(field);
    let same = match mark {
        DoneMark::Done => present.is_some_and(|part| {
            part.done.as_ref().is_some_and(|done| done.by == writer.author && part.changed <= done.revision)
        }),
        DoneMark::NotDone => present.is_some_and(|part| part.done.is_none()),
    };
    if same {
        writer.write(&document_kind, entry, "", Vec::new())?;
        return Ok(entry.clone());
    }
    let part = field.to_owned();
    let (reason, change) = match mark {
        DoneMark::Done => (format!("{field} is done"), Change::MarkDone { part }),
        DoneMark::NotDone => (format!("{field} is no longer done"), Change::UnmarkDone { part }),
    };
    writer.write(&document_kind, entry, &reason, vec![change])
}

/// Restores an old revision as the newest, fitted to the current kind. The state of the entry does not change.
pub fn restore(kind: &KindDefinition, entry: &Entry, old: &Entry, writer: &Writer) -> Result<Entry, EntryError> {
    let document_kind = document_kind(kind)?;
    // Written only to check that the base is the newest revision; the result is discarded.
    writer.write(&document_kind, entry, "", Vec::new())?;
    if entry.document.shows_same_as(&old.document) && entry.kind_version == kind.version {
        return Ok(entry.clone());
    }
    let mut restored = Entry {
        document: entry.document.restored(&old.document, writer.author.clone(), writer.at),
        previous: writer.previous.clone(),
        kind_version: kind.version,
        ..entry.clone()
    };
    fit_parts(&document_kind, &mut restored)?;
    Ok(restored)
}

fn document_kind(kind: &KindDefinition) -> Result<Kind, EntryError> {
    Ok(as_document_kind(kind).map_err(DocumentError::from)?)
}
