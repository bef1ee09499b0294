//! Section operations: validated first, applied all or nothing, in one revision.

use jig_contract::ops::{ArtifactOp, ArtifactStatus};
use jig_contract::{Actor, RevisionTag, Timestamp};
use serde_json::Value;

use super::check::{Headings, Piece, checked, heading};
use super::error::ArtifactError;
use super::{Artifact, kind_named};
use crate::document::{
    Change, DocumentError, FoundPart, Kind, Origin, Part, PartId, PartName, Place, Write, find_part,
};

/// The author of a write, and whether it may override a lock.
#[derive(Debug, Clone, PartialEq)]
pub struct Author {
    /// Who writes.
    pub actor: Actor,
    /// When.
    pub at: Timestamp,
    /// The reason, in the author's words.
    pub reason: String,
    /// Whether the write overrides a lock.
    pub overrides: bool,
}

impl Author {
    /// Refuses to change a locked artifact, unless the author overrides the lock.
    pub(super) fn check_lock(&self, artifact: &Artifact) -> Result<(), ArtifactError> {
        if artifact.status == ArtifactStatus::Draft || self.overrides {
            return Ok(());
        }
        Err(ArtifactError::Finalized {
            artifact: artifact.slug().to_owned(),
            revision: artifact.revision(),
            by: artifact.finalized.clone().map(Box::new),
        })
    }

    /// The reason, with a note if a lock was overridden.
    pub(super) fn reason_for(&self, artifact: &Artifact) -> String {
        let locked = artifact.status == ArtifactStatus::Finalized && self.overrides;
        match (locked, self.reason.is_empty()) {
            (false, _) => self.reason.clone(),
            (true, true) => "changed although finalized".to_owned(),
            (true, false) => format!("changed although finalized: {}", self.reason),
        }
    }
}

/// The operations on one artifact.
#[derive(Debug, Clone)]
pub struct Batch<'a> {
    /// The operations, each with its index in the complete list.
    pub ops: Vec<(usize, &'a ArtifactOp)>,
    /// The default base revision; `None` skips the check.
    pub base_revision: Option<u64>,
    /// The author.
    pub author: Author,
    /// The hash of the current revision's file.
    pub previous: Option<String>,
}

/// The result of the operations.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// The new artifact; `None` if the operations only add suggestions.
    pub artifact: Option<Artifact>,
    /// The result of each operation.
    pub edits: Vec<SectionEdit>,
}

/// The result of one operation.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionEdit {
    /// Its index in the complete list.
    pub index: usize,
    /// Its name.
    pub operation: &'static str,
    /// The section's slug after all operations.
    pub section_slug: String,
    /// The section's id.
    pub section_id: PartId,
    /// A summary for people.
    pub summary: String,
    /// The slugs of sections that were split off.
    pub split_into: Vec<String>,
    /// The suggestion that it adds.
    pub suggestion: Option<NewSuggestion>,
}

/// A suggestion for a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSuggestion {
    /// What to change.
    pub suggestion: String,
    /// The reason.
    pub rationale: Option<String>,
    /// The proposed text of the section.
    pub content: Option<String>,
    /// The section's heading.
    pub section_title: String,
    /// The revision it refers to.
    pub base_revision: u64,
}

/// Applies operations to one artifact. The error includes the index of the operation that failed.
pub fn apply(artifact: &Artifact, batch: Batch<'_>) -> Result<Applied, (usize, ArtifactError)> {
    let kind = kind_named(artifact.document.kind.clone());
    let changes = |op: &ArtifactOp| !matches!(op, ArtifactOp::SuggestEdit { .. });
    let locked = |op: &ArtifactOp| changes(op) && !matches!(op, ArtifactOp::CollapseSection { .. });
    if let Some((index, _)) = batch.ops.iter().find(|(_, op)| locked(op)) {
        batch.author.check_lock(artifact).map_err(|error| (*index, error))?;
    }
    let first = batch.ops.first().map_or(0, |(index, _)| *index);
    let author = &batch.author;
    let write = Write { author: author.actor.clone(), reason: String::new(), at: author.at, changes: Vec::new() };
    let base = artifact.document.revision.number;
    let document = artifact.document.write(&kind, base, write).map_err(|error| (first, error.into()))?;
    let next = Artifact { document, previous: batch.previous, ..artifact.clone() };
    let mut work = Work { before: artifact, next, kind: &kind, base: batch.base_revision };
    let mut edits = Vec::with_capacity(batch.ops.len());
    for (index, op) in &batch.ops {
        edits.push(work.one(*index, op).map_err(|error| (*index, error))?);
    }
    let mut next = work.next;
    for edit in &mut edits {
        if let Some(part) = next.document.parts.iter().find(|part| part.id == edit.section_id) {
            edit.section_slug = part.name.to_string();
        }
    }
    let content = |one: &Artifact| (one.document.parts.clone(), one.layout.clone(), one.lead.clone());
    if !batch.ops.iter().any(|(_, op)| changes(op)) || content(&next) == content(artifact) {
        return Ok(Applied { artifact: None, edits });
    }
    next.check_text().map_err(|error| (first, error))?;
    let reasons: Vec<&str> = batch.ops.iter().filter_map(|(_, op)| op.reason()).collect();
    let said = if reasons.is_empty() {
        edits.iter().map(|edit| edit.summary.as_str()).collect::<Vec<_>>().join("; ")
    } else {
        reasons.join("; ")
    };
    let touches_lock = batch.ops.iter().any(|(_, op)| locked(op));
    let author = Author { reason: said, overrides: author.overrides && touches_lock, ..author.clone() };
    next.document.revision.reason = author.reason_for(artifact);
    Ok(Applied { artifact: Some(next), edits })
}

struct Work<'a> {
    /// The artifact before the list of operations; base revisions are compared with it.
    before: &'a Artifact,
    next: Artifact,
    kind: &'a Kind,
    base: Option<u64>,
}

/// The effect of an operation, before slugs are final.
struct Did {
    id: PartId,
    slug: String,
    summary: String,
    split_into: Vec<String>,
}

impl Work<'_> {
    fn one(&mut self, index: usize, op: &ArtifactOp) -> Result<SectionEdit, ArtifactError> {
        // Tags are resolved to revision numbers earlier. An unresolved tag matches no revision and is refused as a
        // conflict.
        let own = op.base_revision().map(|tag| match tag {
            RevisionTag::Number(number) => *number,
            RevisionTag::Content(_) => u64::MAX,
        });
        let base = own.or(self.base);
        self.check_known(base)?;
        let mut suggestion = None;
        let did = match op {
            ArtifactOp::UpdateSection { section_slug, content, split, .. } => {
                let at = self.find(section_slug)?;
                self.check_base(at, base)?;
                self.update(at, content, headings(*split))?
            }
            ArtifactOp::MarkSectionDone { section_slug, is_done, .. } => {
                let at = self.find(section_slug)?;
                self.check_base(at, base)?;
                self.mark(at, *is_done)?
            }
            ArtifactOp::CreateSection { after_section, title, content, order, split, .. } => {
                let place = self.place(after_section.as_deref(), *order, None)?.unwrap_or(self.len());
                self.create(place, title, content, headings(*split))?
            }
            ArtifactOp::SuggestEdit { section_slug, suggestion: words, rationale, content, .. } => {
                let at = self.find(section_slug)?;
                let advice = self.advise(at, words, rationale.as_ref(), content.as_deref(), base)?;
                suggestion = Some(advice);
                self.did(at, format!("suggested an edit of {}", self.name(at)))
            }
            ArtifactOp::RenameSection { section_slug, title, .. } => {
                let at = self.find(section_slug)?;
                self.check_base(at, base)?;
                self.check_named(at, base)?;
                self.rename(at, title)?
            }
            ArtifactOp::MoveSection { section_slug, after_section, order, .. } => {
                let at = self.find(section_slug)?;
                let place = self.place(after_section.as_deref(), *order, Some(at))?;
                let none = || ArtifactError::Value("say where: `after_section` or `order`".to_owned());
                self.move_to(at, place.ok_or_else(none)?)?
            }
            ArtifactOp::DeleteSection { section_slug, .. } => {
                let at = self.find(section_slug)?;
                self.check_base(at, base)?;
                self.delete(at)?
            }
            ArtifactOp::CollapseSection { section_slug, is_collapsed, .. } => {
                let at = self.find(section_slug)?;
                self.collapse(at, *is_collapsed)
            }
        };
        let Did { id, slug, summary, split_into } = did;
        let operation = op.name();
        Ok(SectionEdit { index, operation, section_slug: slug, section_id: id, summary, split_into, suggestion })
    }

    fn update(&mut self, at: usize, content: &str, headings: Headings) -> Result<Did, ArtifactError> {
        let (own, pieces) = checked(content, headings)?;
        let name = self.name(at);
        let body = self.next.body_of(self.next.document.parts[at].text().unwrap_or_default(), &own);
        self.set(&name, body)?;
        let split_into = self.split_off(at, pieces)?;
        self.next.part_pieces([at + 1]);
        Ok(Did { split_into, ..self.did(at, format!("updated {name}")) })
    }

    fn create(&mut self, at: usize, title: &str, content: &str, headings: Headings) -> Result<Did, ArtifactError> {
        let (line, plain) = heading(title, self.next.line_end())?;
        let (own, pieces) = checked(content, headings)?;
        self.add(at, plain, line, &own)?;
        let split_into = self.split_off(at, pieces)?;
        let name = self.name(at);
        Ok(Did { split_into, ..self.did(at, format!("created {name}")) })
    }

    /// Adds a section at an index.
    fn add(&mut self, at: usize, title: String, heading: String, content: &str) -> Result<(), ArtifactError> {
        let place = at.checked_sub(1).map_or(Place::First, |before| Place::After(self.name(before)));
        let id = PartId(self.next.document.next_part);
        let value = Value::String(self.next.body_of("", content));
        let change = Change::Add { title, name: None, value, origin: Origin::default(), place };
        self.next.document.amend(self.kind, vec![change])?;
        self.next.set_heading(id, heading);
        self.next.part_pieces([at, at + 1]);
        Ok(())
    }

    /// Inserts the sections that a text contained after the section it was written to.
    fn split_off(&mut self, at: usize, pieces: Vec<Piece>) -> Result<Vec<String>, ArtifactError> {
        let mut names = Vec::with_capacity(pieces.len());
        for (n, piece) in pieces.into_iter().enumerate() {
            let line = super::layout::with_line_end(&piece.heading, self.next.line_end());
            self.add(at + 1 + n, piece.title, line, &piece.body)?;
            names.push(self.name(at + 1 + n));
        }
        Ok(names)
    }

    fn mark(&mut self, at: usize, is_done: bool) -> Result<Did, ArtifactError> {
        let part = self.name(at);
        let summary = format!("marked {part} {}", if is_done { "done" } else { "not done" });
        let change = if is_done { Change::MarkDone { part } } else { Change::UnmarkDone { part } };
        self.next.document.amend(self.kind, vec![change])?;
        Ok(self.did(at, summary))
    }

    fn advise(
        &self,
        at: usize,
        words: &str,
        rationale: Option<&String>,
        content: Option<&str>,
        base: Option<u64>,
    ) -> Result<NewSuggestion, ArtifactError> {
        if words.trim().is_empty() {
            return Err(ArtifactError::Value("the suggestion says nothing".to_owned()));
        }
        let content = content.map(|content| checked(content, Headings::Refused)).transpose()?;
        Ok(NewSuggestion {
            suggestion: words.trim().to_owned(),
            rationale: rationale.cloned(),
            content: content.map(|(own, _)| own),
            section_title: self.next.document.parts[at].title.clone(),
            base_revision: base.unwrap_or_else(|| self.before.revision()),
        })
    }

    fn rename(&mut self, at: usize, title: &str) -> Result<Did, ArtifactError> {
        let (line, plain) = heading(title, self.next.line_end())?;
        let (part, id) = (self.name(at), self.next.document.parts[at].id);
        self.next.document.amend(self.kind, vec![Change::Rename { part: part.clone(), title: plain }])?;
        self.next.set_heading(id, line);
        let summary = format!("renamed {part} to {}", self.name(at));
        Ok(self.did(at, summary))
    }

    fn move_to(&mut self, from: usize, to: usize) -> Result<Did, ArtifactError> {
        let part = self.name(from);
        let others: Vec<String> = (0..self.len()).filter(|at| *at != from).map(|at| self.name(at)).collect();
        let place = to.checked_sub(1).map_or(Place::First, |before| Place::After(others[before].clone()));
        self.next.document.amend(self.kind, vec![Change::Move { part: part.clone(), place }])?;
        if from != to {
            self.next.part_pieces([from, from + 1, to, to + 1]);
        }
        Ok(self.did(to, format!("moved {part} to place {}", to + 1)))
    }

    fn delete(&mut self, at: usize) -> Result<Did, ArtifactError> {
        let did = self.did(at, format!("deleted {}", self.name(at)));
        self.next.document.amend(self.kind, vec![Change::Remove { part: did.slug.clone() }])?;
        self.next.layout.remove(&did.id);
        self.next.part_pieces([at]);
        Ok(did)
    }

    fn collapse(&mut self, at: usize, is_collapsed: bool) -> Did {
        let id = self.next.document.parts[at].id;
        if let Some(layout) = self.next.layout.get_mut(&id) {
            layout.is_collapsed = is_collapsed;
        }
        self.did(at, format!("{} {}", if is_collapsed { "folded" } else { "unfolded" }, self.name(at)))
    }

    fn set(&mut self, name: &str, body: String) -> Result<(), ArtifactError> {
        let change = Change::Set { part: name.to_owned(), value: Value::String(body), origin: Origin::default() };
        Ok(self.next.document.amend(self.kind, vec![change])?)
    }

    fn did(&self, at: usize, summary: String) -> Did {
        Did { id: self.next.document.parts[at].id, slug: self.name(at), summary, split_into: Vec::new() }
    }

    fn name(&self, at: usize) -> String {
        self.next.document.parts[at].name.to_string()
    }

    const fn len(&self) -> usize {
        self.next.document.parts.len()
    }

    fn find(&self, name: &str) -> Result<usize, ArtifactError> {
        let part = find(self.kind, &self.next, name)?;
        let at = self.next.document.parts.iter().position(|other| other.id == part.id);
        at.ok_or_else(|| ArtifactError::no_section(&self.next, name))
    }

    /// The requested position; `None` if the call does not give one. `own` is the section that moves, if any.
    fn place(
        &self,
        after: Option<&str>,
        order: Option<u32>,
        own: Option<usize>,
    ) -> Result<Option<usize>, ArtifactError> {
        let most = self.len() + usize::from(own.is_none());
        let after = match after {
            None => None,
            Some(name) => {
                let at = self.find(name)?;
                if Some(at) == own {
                    return Err(ArtifactError::Value(format!("`{name}` cannot follow itself")));
                }
                Some(if own.is_some_and(|own| own < at) { at } else { at + 1 })
            }
        };
        let order = match order {
            None => None,
            Some(order) if order == 0 || order as usize > most => {
                let words = format!("there is no place {order}: places are 1 to {most}");
                return Err(ArtifactError::Value(words));
            }
            Some(order) => Some(order as usize - 1),
        };
        match (after, order) {
            (Some(after), Some(order)) if after != order => Err(ArtifactError::Value(format!(
                "`after_section` means place {}, and `order` says {}: give one of them, or the same place",
                after + 1,
                order + 1
            ))),
            (after, order) => Ok(after.or(order)),
        }
    }

    fn check_known(&self, base: Option<u64>) -> Result<(), ArtifactError> {
        match base {
            Some(base) if base > self.before.revision() => Err(super::whole::no_revision(self.before, base)),
            _ => Ok(()),
        }
    }

    /// A change of the section after the base is a conflict, unless an operation of this list made it.
    fn check_base(&self, at: usize, base: Option<u64>) -> Result<(), ArtifactError> {
        let Some((base, part)) = base.zip(self.known(at)) else { return Ok(()) };
        if part.changed.0 > base { Err(ArtifactError::moved(self.before, part, base)) } else { Ok(()) }
    }

    fn check_named(&self, at: usize, base: Option<u64>) -> Result<(), ArtifactError> {
        let Some((base, part)) = base.zip(self.known(at)) else { return Ok(()) };
        let renamed = self.before.layout.get(&part.id).is_some_and(|layout| layout.named.0 > base);
        if renamed { Err(ArtifactError::moved(self.before, part, base)) } else { Ok(()) }
    }

    /// The section as it was before the list.
    fn known(&self, at: usize) -> Option<&Part> {
        let id = self.next.document.parts[at].id;
        self.before.document.parts.iter().find(|part| part.id == id)
    }
}

const fn headings(split: bool) -> Headings {
    if split { Headings::Split } else { Headings::Refused }
}

/// Finds a section by its slug, a former slug, or its heading.
pub(crate) fn find<'a>(kind: &'a Kind, artifact: &'a Artifact, name: &str) -> Result<&'a Part, ArtifactError> {
    let look = |name: &str| match find_part(kind, &artifact.document, name) {
        Ok(FoundPart::Part(part)) => Ok(Some(part)),
        Err(DocumentError::Ambiguous { choices, .. }) => Err(ArtifactError::Ambiguous {
            artifact: artifact.slug().to_owned(),
            section: crate::document::shown(name),
            choices,
        }),
        _ => Ok(None),
    };
    if let Some(part) = look(name)? {
        return Ok(part);
    }
    let titled = Some(PartName::suggest(name)).filter(|_| name.chars().any(char::is_alphanumeric));
    let found = titled.map(|slug| look(slug.as_str())).transpose()?.flatten();
    found.ok_or_else(|| ArtifactError::no_section(artifact, name))
}
