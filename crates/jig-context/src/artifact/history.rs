//! Locks, named revisions, restoring, and the changes of a write.

use std::collections::BTreeMap;

use jig_contract::ops::{ArtifactSnapshotInfo, ArtifactStatus, SectionChange, SectionChangeKind};

use super::apply::Author;
use super::error::ArtifactError;
use super::whole::check_base;
use super::{Artifact, Finalized, Layout, TITLE_CHARS_MAX, kind_named};
use crate::document::{Document, Part, PartId, Write};

/// Locks an artifact. A locked artifact stays as it is.
pub fn finalize(
    artifact: &Artifact,
    base: Option<u64>,
    author: &Author,
    previous: Option<String>,
) -> Result<Artifact, ArtifactError> {
    check_base(artifact, base)?;
    if artifact.status == ArtifactStatus::Finalized {
        return Ok(artifact.clone());
    }
    let mut next = touched(artifact, author, "finalized", previous)?;
    let revision = next.document.revision.number;
    next.status = ArtifactStatus::Finalized;
    next.finalized = Some(Finalized { by: author.actor.clone(), at: author.at, revision });
    Ok(next)
}

/// Unlocks an artifact.
pub fn unfinalize(
    artifact: &Artifact,
    base: Option<u64>,
    author: &Author,
    previous: Option<String>,
) -> Result<Artifact, ArtifactError> {
    check_base(artifact, base)?;
    if artifact.status == ArtifactStatus::Draft {
        return Ok(artifact.clone());
    }
    let mut next = touched(artifact, author, "no longer finalized", previous)?;
    (next.status, next.finalized) = (ArtifactStatus::Draft, None);
    Ok(next)
}

fn touched(
    artifact: &Artifact,
    author: &Author,
    reason: &str,
    previous: Option<String>,
) -> Result<Artifact, ArtifactError> {
    let kind = kind_named(artifact.document.kind.clone());
    let write = Write { author: author.actor.clone(), reason: reason.to_owned(), at: author.at, changes: Vec::new() };
    let document = artifact.document.write(&kind, artifact.document.revision.number, write)?;
    Ok(Artifact { document, previous, ..artifact.clone() })
}

/// Names the current revision. Permitted on a locked artifact, because nothing else changes.
pub fn snapshot(artifact: &Artifact, name: &str, author: &Author) -> Result<Artifact, ArtifactError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > TITLE_CHARS_MAX || name.chars().any(char::is_control) {
        return Err(ArtifactError::Value("a name is one line of 1 to 200 characters".to_owned()));
    }
    if let Some(taken) = artifact.snapshots.iter().find(|snapshot| snapshot.name == name) {
        if taken.revision == artifact.revision() {
            return Ok(artifact.clone());
        }
        let words = format!("revision {} is called “{name}” already: choose another name", taken.revision);
        return Err(ArtifactError::Value(words));
    }
    let mut next = artifact.clone();
    next.snapshots.push(ArtifactSnapshotInfo {
        name: name.to_owned(),
        revision: artifact.revision(),
        at: author.at,
        by: author.actor.clone(),
    });
    Ok(next)
}

/// Restores an old revision as the newest. Lock, stage and revision names stay.
pub fn restore(
    artifact: &Artifact,
    old: &Artifact,
    base: Option<u64>,
    author: &Author,
    previous: Option<String>,
) -> Result<Artifact, ArtifactError> {
    check_base(artifact, base)?;
    author.check_lock(artifact)?;
    let headings = |artifact: &Artifact| -> Vec<(PartId, String, bool)> {
        let one = |(id, layout): (&PartId, &Layout)| (*id, layout.heading.clone(), layout.is_collapsed);
        artifact.layout.iter().map(one).collect()
    };
    let same = artifact.document.shows_same_as(&old.document) && headings(artifact) == headings(old);
    if same && artifact.lead == old.lead {
        return Ok(artifact.clone());
    }
    let mut document = artifact.document.restored(&old.document, author.actor.clone(), author.at);
    let reason = document.revision.reason.clone();
    document.revision.reason = Author { reason, ..author.clone() }.reason_for(artifact);
    let number = document.revision.number;
    let mut next = Artifact { document, previous, ..artifact.clone() };
    next.layout = old.layout.iter().map(|(id, layout)| (*id, restored(artifact, *id, layout, number))).collect();
    if next.lead != old.lead {
        (next.lead_changed, next.document.changed) = (number, number);
    }
    next.lead.clone_from(&old.lead);
    Ok(next)
}

fn restored(now: &Artifact, id: PartId, old: &Layout, number: crate::document::RevisionNumber) -> Layout {
    let same = now.layout.get(&id).filter(|layout| layout.heading == old.heading);
    Layout { named: same.map_or(number, |layout| layout.named), ..old.clone() }
}

/// The changes of a write, in the order of the sections, with removed sections last.
pub fn changes(before: Option<&Document>, after: &Document) -> Vec<SectionChange> {
    let none = Vec::new();
    let old = before.map_or(&none, |document| &document.parts);
    let mut found = Vec::new();
    let kept = |parts: &[Part], others: &[Part]| -> Vec<PartId> {
        parts.iter().map(|part| part.id).filter(|id| others.iter().any(|other| other.id == *id)).collect()
    };
    let (order_before, order_after) = (kept(old, &after.parts), kept(&after.parts, old));
    let moved = moved(&order_before, &order_after);
    for part in &after.parts {
        let section = part.name.to_string();
        let mut say = |change, from| found.push(SectionChange { section: section.clone(), change, from });
        let Some(was) = old.iter().find(|was| was.id == part.id) else {
            say(SectionChangeKind::Added, None);
            continue;
        };
        if was.name != part.name || was.title != part.title {
            say(SectionChangeKind::Renamed, Some(was.name.to_string()));
        }
        if part.changed == after.revision.number && was.value != part.value {
            say(SectionChangeKind::Changed, None);
        }
        if moved.contains(&part.id) {
            say(SectionChangeKind::Moved, None);
        }
        match (&was.done, &part.done) {
            (Some(_), None) => say(SectionChangeKind::Undone, None),
            (None, Some(_)) => say(SectionChangeKind::Done, None),
            (Some(was), Some(now)) if was != now => say(SectionChangeKind::Done, None),
            _ => {}
        }
    }
    let gone = old.iter().filter(|was| after.parts.iter().all(|part| part.id != was.id));
    found.extend(gone.map(|part| SectionChange {
        section: part.name.to_string(),
        change: SectionChangeKind::Removed,
        from: None,
    }));
    found
}

/// The smallest set of sections whose moves explain the new order: all outside a longest increasing subsequence.
fn moved(before: &[PartId], after: &[PartId]) -> Vec<PartId> {
    let place: BTreeMap<PartId, usize> = before.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    let places: Vec<usize> = after.iter().filter_map(|id| place.get(id).copied()).collect();
    let mut best: Vec<(usize, Option<usize>)> = Vec::with_capacity(places.len());
    for (n, at) in places.iter().enumerate() {
        let longest = (0..n).filter(|m| places[*m] < *at).max_by_key(|m| best[*m].0);
        best.push((longest.map_or(1, |m| best[m].0 + 1), longest));
    }
    let mut kept = vec![false; places.len()];
    let mut at = (0..best.len()).max_by_key(|n| best[*n].0);
    while let Some(n) = at {
        kept[n] = true;
        at = best[n].1;
    }
    after.iter().zip(kept).filter(|(_, kept)| !kept).map(|(id, _)| *id).collect()
}
