//! Writes: from one state of a document to the next, or to an error.

use serde_json::Value;

use super::change::{Change, Place, Write};
use super::error::DocumentError;
use super::kind::{Extra, Kind, Slots};
use super::name::{Key, PartName};
use super::part::{Done, Origin, Part, PartId, Provenance};
use super::resolve::{FoundPart, find_part};
use super::revision::{Revision, RevisionNumber};
use super::{Document, DocumentId};

impl Document {
    /// Creates a document in its first revision.
    pub fn create(kind: &Kind, id: DocumentId, key: Key, title: &str, write: Write) -> Result<Self, DocumentError> {
        check_key(kind, &key)?;
        let revision = Revision {
            number: RevisionNumber::FIRST,
            parent: None,
            author: write.author,
            reason: write.reason,
            at: write.at,
        };
        let mut document = Self {
            id,
            kind: kind.name.clone(),
            key,
            title: title.to_owned(),
            revision,
            changed: RevisionNumber::FIRST,
            parts: Vec::new(),
            next_part: 1,
        };
        document.amend(kind, write.changes)?;
        Ok(document)
    }

    /// The next state of this document. `base` is the revision that the author has seen; if it is no longer the newest,
    /// the write is refused with a conflict that contains the newer revision.
    pub fn write(&self, kind: &Kind, base: RevisionNumber, write: Write) -> Result<Self, DocumentError> {
        self.check_base(base)?;
        let mut next = self.clone();
        next.revision = Revision {
            number: self.revision.number.next(),
            parent: Some(base),
            author: write.author,
            reason: write.reason,
            at: write.at,
        };
        next.amend(kind, write.changes)?;
        Ok(next)
    }

    fn check_base(&self, base: RevisionNumber) -> Result<(), DocumentError> {
        let document = self.address().to_string();
        match base.cmp(&self.revision.number) {
            std::cmp::Ordering::Equal => Ok(()),
            std::cmp::Ordering::Less => {
                Err(DocumentError::Conflict { document, base, newer: Box::new(self.revision.clone()) })
            }
            std::cmp::Ordering::Greater => {
                Err(DocumentError::NoSuchRevision { document, wanted: base, newest: self.revision.number })
            }
        }
    }

    /// Applies further changes within the revision that is being created.
    pub(crate) fn amend(&mut self, kind: &Kind, changes: Vec<Change>) -> Result<(), DocumentError> {
        changes.into_iter().try_for_each(|change| self.apply(kind, change))
    }

    fn apply(&mut self, kind: &Kind, change: Change) -> Result<(), DocumentError> {
        match change {
            Change::Retitle { title } => self.title = title,
            Change::Set { part, value, origin } => self.set(kind, &part, value, origin)?,
            Change::Add { title, name, value, origin, place } => {
                if kind.extra == Extra::Refused {
                    return Err(DocumentError::ClosedKind { document: self.address().to_string() });
                }
                let at = self.index_for(kind, &place)?;
                let name = match name {
                    Some(name) if self.is_taken(&name) => {
                        return Err(DocumentError::PartExists { document: self.address().to_string(), part: name });
                    }
                    Some(name) => name,
                    None => self.free_name(&title, None),
                };
                let part = self.new_part(name, title, value, origin);
                self.parts.insert(at, part);
            }
            Change::Rename { part, title } => {
                let at = self.index(kind, &part)?;
                self.rename(kind, at, title);
            }
            Change::Move { part, place } => {
                let from = self.index(kind, &part)?;
                // Resolved before the part is removed, so that the position may refer to the part itself.
                let to = self.index_for(kind, &place)?;
                let moved = self.parts.remove(from);
                self.parts.insert(if to > from { to - 1 } else { to }, moved);
            }
            Change::Remove { part } => {
                let at = self.index(kind, &part)?;
                self.parts.remove(at);
                self.changed = self.revision.number;
            }
            Change::Reinstate { part } => self.reinstate(kind, *part)?,
            Change::MarkDone { part } => {
                let at = self.index(kind, &part)?;
                let (by, when) = (self.revision.author.clone(), self.revision.at);
                self.parts[at].done = Some(Done { by, at: when, revision: self.revision.number });
            }
            Change::UnmarkDone { part } => {
                let at = self.index(kind, &part)?;
                self.parts[at].done = None;
            }
        }
        Ok(())
    }

    fn set(&mut self, kind: &Kind, name: &str, value: Value, origin: Origin) -> Result<(), DocumentError> {
        let rule = match find_part(kind, self, name)? {
            FoundPart::Part(part) => {
                // Writing an unchanged value preserves its provenance.
                if part.value == value && origin == Origin::default() {
                    return Ok(());
                }
                let id = part.id;
                let (provenance, number) = (self.provenance(origin), self.revision.number);
                if let Some(part) = self.parts.iter_mut().find(|part| part.id == id) {
                    if part.value != value {
                        (part.changed, self.changed) = (number, number);
                    }
                    (part.value, part.provenance) = (value, provenance);
                }
                return Ok(());
            }
            FoundPart::Unwritten(rule) => rule,
            FoundPart::Whole => return Ok(()),
        };
        let part = self.new_part(rule.name.clone(), rule.title.clone(), value, origin);
        self.insert_in_order(kind, part);
        Ok(())
    }

    /// Parts that the kind defines are kept in the kind's order, whenever they are added.
    fn insert_in_order(&mut self, kind: &Kind, part: Part) {
        let place = kind.place(&part.name);
        let later = |other: &Part| kind.place(&other.name).is_none_or(|other| Some(other) > place);
        let at = self.parts.iter().position(later).unwrap_or(self.parts.len());
        self.parts.insert(at, part);
    }

    fn reinstate(&mut self, kind: &Kind, mut part: Part) -> Result<(), DocumentError> {
        if self.is_taken(&part.name) || self.parts.iter().any(|other| other.id == part.id) {
            return Err(DocumentError::PartExists { document: self.address().to_string(), part: part.name });
        }
        (part.changed, self.changed) = (self.revision.number, self.revision.number);
        self.next_part = self.next_part.max(part.id.0.saturating_add(1));
        self.insert_in_order(kind, part);
        Ok(())
    }

    fn rename(&mut self, kind: &Kind, at: usize, title: String) {
        // The name of a part that the kind defines is fixed; only its title changes.
        if kind.place(&self.parts[at].name).is_none() {
            let name = self.free_name(&title, Some(self.parts[at].id));
            let part = &mut self.parts[at];
            if name != part.name {
                let old = std::mem::replace(&mut part.name, name);
                part.aliases.retain(|alias| *alias != old && *alias != part.name);
                part.aliases.push(old);
            }
        }
        self.parts[at].title = title;
    }

    fn new_part(&mut self, name: PartName, title: String, value: Value, origin: Origin) -> Part {
        let id = PartId(self.next_part);
        self.next_part = self.next_part.saturating_add(1);
        self.changed = self.revision.number;
        let provenance = self.provenance(origin);
        Part { id, name, aliases: Vec::new(), title, value, changed: self.revision.number, provenance, done: None }
    }

    fn provenance(&self, origin: Origin) -> Provenance {
        Provenance { by: self.revision.author.clone(), at: self.revision.at, origin }
    }

    fn is_taken(&self, name: &PartName) -> bool {
        self.parts.iter().any(|part| part.name == *name)
    }

    /// A free name for a title, with a number suffix if another part than `own` has or had that name.
    fn free_name(&self, title: &str, own: Option<PartId>) -> PartName {
        let suggested = PartName::suggest(title);
        let others = || self.parts.iter().filter(|part| Some(part.id) != own);
        let free = |name: &PartName| others().all(|part| part.name != *name && !part.aliases.contains(name));
        if free(&suggested) {
            return suggested;
        }
        (2..).map(|number| suggested.numbered(number)).find(free).unwrap_or(suggested)
    }

    fn index(&self, kind: &Kind, name: &str) -> Result<usize, DocumentError> {
        let missing = || DocumentError::NoSuchPart {
            document: self.address().to_string(),
            unknown: vec![super::resolve::unknown(kind, self, name)],
        };
        match find_part(kind, self, name)? {
            FoundPart::Part(found) => self.parts.iter().position(|part| part.id == found.id).ok_or_else(missing),
            FoundPart::Unwritten(_) | FoundPart::Whole => Err(missing()),
        }
    }

    fn index_for(&self, kind: &Kind, place: &Place) -> Result<usize, DocumentError> {
        match place {
            Place::First => Ok(0),
            Place::After(name) => Ok(self.index(kind, name)? + 1),
            Place::Last => Ok(self.parts.len()),
        }
    }
}

fn check_key(kind: &Kind, key: &Key) -> Result<(), DocumentError> {
    let message = match kind.slots {
        Slots::Singleton if !key.is_singleton() => {
            format!("there is only one {}: it has no key, but `{key}` was given", kind.name)
        }
        Slots::Keyed if key.is_singleton() => {
            format!("there can be many of {}: say which one by a key, as in `@{}:acme`", kind.name, kind.name)
        }
        Slots::Singleton | Slots::Keyed => return Ok(()),
    };
    Err(DocumentError::Key { message })
}
