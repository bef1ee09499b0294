//! Full-text edits: sections that match keep their ids, names and done marks.

use serde_json::Value;

use super::apply::Author;
use super::error::ArtifactError;
use super::markdown::{Outline, outline};
use super::matching::{Fresh, matched};
use super::{Artifact, Layout, kind_named};
use crate::document::{Change, Kind, Origin, PartId, Place, RevisionNumber, Write};

/// A full-text write. Fields that are `None` stay unchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct Put {
    /// The complete Markdown.
    pub content: Option<String>,
    /// The title. If only the content is given, the title comes from its first heading.
    pub title: Option<String>,
    /// The stage.
    pub stage: Option<String>,
    /// The base revision; `None` skips the check.
    pub base_revision: Option<u64>,
}

/// Applies a full-text write. A write without changes returns the artifact in the same revision.
pub fn put(artifact: &Artifact, put: Put, author: Author, previous: Option<String>) -> Result<Artifact, ArtifactError> {
    check_base(artifact, put.base_revision)?;
    let mut text = put.content.unwrap_or_else(|| artifact.markdown());
    if let Some(title) = &put.title {
        text = retitled(&text, title);
    }
    let title = put.title.or_else(|| super::title_in(&text).filter(|_| text != artifact.markdown()));
    let stage = put.stage.unwrap_or_else(|| artifact.stage.clone());
    let same = text == artifact.markdown()
        && stage == artifact.stage
        && title.as_ref().is_none_or(|title| *title == artifact.document.title);
    if same {
        return Ok(artifact.clone());
    }
    author.check_lock(artifact)?;
    let kind = kind_named(artifact.document.kind.clone());
    let changes = title.map(|title| Change::Retitle { title }).into_iter().collect();
    let reason = author.reason_for(artifact);
    let write = Write { author: author.actor, reason, at: author.at, changes };
    let document = artifact.document.write(&kind, artifact.document.revision.number, write)?;
    let mut next = Artifact { document, stage, previous, ..artifact.clone() };
    rewrite(&mut next, &kind, &text)?;
    Ok(next)
}

/// Checks that the base is the newest revision.
pub(super) fn check_base(artifact: &Artifact, base: Option<u64>) -> Result<(), ArtifactError> {
    let newest = artifact.revision();
    match base {
        None => Ok(()),
        Some(base) if base == newest => Ok(()),
        Some(base) if base < newest => Err(ArtifactError::Outdated {
            artifact: artifact.slug().to_owned(),
            base,
            newest,
            content: artifact.markdown(),
        }),
        Some(base) => Err(no_revision(artifact, base)),
    }
}

pub(super) fn no_revision(artifact: &Artifact, wanted: u64) -> ArtifactError {
    let document = artifact.document.address().to_string();
    let (wanted, newest) = (RevisionNumber(wanted), artifact.document.revision.number);
    crate::document::DocumentError::NoSuchRevision { document, wanted, newest }.into()
}

/// The text with its first level-1 heading replaced, if it has one.
fn retitled(text: &str, title: &str) -> String {
    let Some((range, old)) = outline(text).title else { return text.to_owned() };
    if old == title {
        return text.to_owned();
    }
    let end = if text[range.clone()].ends_with('\n') { super::markdown::line_end(text) } else { "" };
    format!("{}# {title}{end}{}", &text[..range.start], &text[range.end..])
}

/// Sets the text of an artifact whose revision was just created.
pub(super) fn rewrite(artifact: &mut Artifact, kind: &Kind, text: &str) -> Result<(), ArtifactError> {
    if text.contains('\0') {
        return Err(ArtifactError::content("the text has a NUL character", "take it out"));
    }
    let found = outline(text);
    let number = artifact.document.revision.number;
    if artifact.lead != text[found.lead.clone()] {
        text[found.lead.clone()].clone_into(&mut artifact.lead);
        (artifact.lead_changed, artifact.document.changed) = (number, number);
    }
    let ids = settle(artifact, kind, text, &found)?;
    for (id, span) in ids.iter().zip(&found.sections) {
        let heading = &text[span.heading.clone()];
        if artifact.heading(*id) != heading {
            let same_words = artifact.layout.contains_key(id)
                && artifact.document.parts.iter().any(|part| part.id == *id && part.title == span.title);
            let named = artifact.layout.get(id).filter(|_| same_words).map_or(number, |layout| layout.named);
            let is_collapsed = artifact.layout.get(id).is_some_and(|layout| layout.is_collapsed);
            artifact.layout.insert(*id, Layout { heading: heading.to_owned(), is_collapsed, named });
        }
    }
    artifact.layout.retain(|id, _| ids.contains(id));
    artifact.check_text()
}

/// Updates the parts to match the text, and returns their ids in text order.
fn settle(artifact: &mut Artifact, kind: &Kind, text: &str, found: &Outline) -> Result<Vec<PartId>, ArtifactError> {
    let document = &mut artifact.document;
    let fresh: Vec<Fresh<'_>> =
        found.sections.iter().map(|span| Fresh { title: &span.title, body: &text[span.body.clone()] }).collect();
    let pairs = matched(&document.parts, &fresh);
    let kept: Vec<Option<PartId>> = pairs.iter().map(|pair| pair.map(|old| document.parts[old].id)).collect();
    let gone: Vec<String> =
        document.parts.iter().filter(|part| !kept.contains(&Some(part.id))).map(|part| part.name.to_string()).collect();
    document.amend(kind, gone.into_iter().map(|part| Change::Remove { part }).collect())?;
    let mut ids = Vec::with_capacity(fresh.len());
    for (section, id) in fresh.iter().zip(kept) {
        match id {
            Some(id) => {
                keep(document, kind, id, section)?;
                ids.push(id);
            }
            None => {
                let id = PartId(document.next_part);
                document.amend(kind, vec![added(section)])?;
                ids.push(id);
            }
        }
    }
    document.parts.sort_by_key(|part| ids.iter().position(|id| *id == part.id));
    Ok(ids)
}

fn keep(
    document: &mut crate::document::Document,
    kind: &Kind,
    id: PartId,
    section: &Fresh<'_>,
) -> Result<(), ArtifactError> {
    let Some(part) = document.parts.iter_mut().find(|part| part.id == id) else { return Ok(()) };
    let (name, title) = (part.name.to_string(), part.title.clone());
    let old = part.text().unwrap_or_default().to_owned();
    if old != section.body && super::trimmed(&old) == super::trimmed(section.body) {
        // Only surrounding blank lines differ.
        part.value = Value::String(section.body.to_owned());
    } else if old != section.body {
        let value = Value::String(section.body.to_owned());
        document.amend(kind, vec![Change::Set { part: name.clone(), value, origin: Origin::default() }])?;
    }
    if title != section.title {
        document.amend(kind, vec![Change::Rename { part: name, title: section.title.to_owned() }])?;
    }
    Ok(())
}

fn added(section: &Fresh<'_>) -> Change {
    Change::Add {
        title: section.title.to_owned(),
        name: None,
        value: Value::String(section.body.to_owned()),
        origin: Origin::default(),
        place: Place::Last,
    }
}
