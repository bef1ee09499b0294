//! Taking changes back one by one: the new file with some of its changes undone, and nothing else.
//!
//! What comes out is compared with the old file again. When nothing differs any more it is the old file,
//! byte for byte; when a change is still there, that is an error and no file.

mod package;
mod slides;
mod tables;
mod text;
mod workbook;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::change::{Change, ChangeKind, Undo};
use super::inside::{InsideDiff, InsideFormat};
use super::{Diff, diff, select, view};
use crate::engine::{Engine, FileError, Reason};
use crate::kind::FileKind;

/// A file with changes taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reverted {
    /// The file.
    pub bytes: Vec<u8>,
    /// Whether it is the old file again.
    pub whole: bool,
    /// The changes that were taken back.
    pub changes: Vec<String>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// Two versions of a file, and how they differ.
pub(crate) struct Versions<'v> {
    pub(crate) kinds: (FileKind, FileKind),
    pub(crate) old: &'v Arc<[u8]>,
    pub(crate) new: &'v Arc<[u8]>,
    pub(crate) diff: &'v Diff,
}

/// Takes changes back, named by their ids.
pub(crate) fn revert(engine: &Engine, versions: &Versions<'_>, ids: &[String]) -> Result<Reverted, FileError> {
    if ids.is_empty() {
        return Err(FileError::invalid("changes: at least one is needed"));
    }
    let (ids, stay) = meant(versions.diff, ids)?;
    let ids = ids.as_slice();
    let (mut bytes, mut warnings) = match versions.diff {
        Diff::Opaque(_) => return Err(alone("this format", "nothing inside it is compared")),
        Diff::Text(found) => {
            let hunks = text::chosen(found, ids)?;
            (text::hunks(versions, found, &hunks)?, Vec::new())
        }
        Diff::Inside(found) => {
            let chosen = chosen(found, ids)?;
            let (bytes, warnings) = match found.format {
                InsideFormat::Csv => (tables::records(versions, &chosen)?, Vec::new()),
                InsideFormat::Xlsx => workbook::revert(engine, versions, &chosen)?,
                InsideFormat::Docx | InsideFormat::Pptx => package::revert(engine, versions, &chosen)?,
                // None of their changes is chosen: each says why it cannot go alone.
                InsideFormat::Odt | InsideFormat::Pdf => {
                    return Err(alone("this format", "it is read and not written"));
                }
            };
            (bytes, warnings)
        }
    };
    let compare = |bytes: &[u8]| diff(versions.kinds.0, versions.kinds.1, Some(versions.old), Some(bytes));
    let mut after = compare(&bytes);
    if let Some(better) = frames_too(engine, versions, &bytes, &after)? {
        after = compare(&better);
        bytes = better;
    }
    check(versions.diff, &after, ids)?;
    let whole = is_unchanged(&after);
    warnings.extend(stay);
    let bytes = if whole { versions.old.to_vec() } else { bytes };
    Ok(Reverted { bytes, whole, changes: ids.to_vec(), warnings })
}

/// The changes with these ids, each of which can be taken back by itself.
fn chosen<'d>(diff: &'d InsideDiff, ids: &[String]) -> Result<Vec<&'d Change>, FileError> {
    let mut chosen = Vec::new();
    let by_id: HashMap<&str, &Change> = diff.changes().map(|change| (change.id.as_str(), change)).collect();
    for id in ids {
        let change = *by_id.get(id.as_str()).ok_or_else(|| stale(id, diff))?;
        match (&change.undo, &change.fixed) {
            (Undo::Follows, _) => {}
            (Undo::None, why) => return Err(alone(id, why.as_deref().unwrap_or("it hangs on others"))),
            _ => chosen.push(change),
        }
    }
    if chosen.is_empty() {
        let id = ids.first().map_or("", String::as_str);
        return Err(alone(id, "it follows from other changes; take those back"));
    }
    Ok(chosen)
}

/// The ids of the changes that addresses mean, each once. A range or a section means all in it that can go by
/// itself; what stays is said.
fn meant(diff: &Diff, ids: &[String]) -> Result<(Vec<String>, Vec<String>), FileError> {
    let Diff::Inside(inside) = diff else { return Ok((ids.to_vec(), Vec::new())) };
    let changes: Vec<&Change> = inside.changes().collect();
    let known: Vec<&str> = changes.iter().map(|change| change.id.as_str()).collect();
    let present: HashSet<&str> = known.iter().copied().collect();
    let (mut out, mut stay, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
    for id in ids {
        if present.contains(id.as_str()) {
            out.extend(seen.insert(id.as_str()).then(|| id.clone()));
            continue;
        }
        let found: Vec<&Change> = select(&known, id).into_iter().filter_map(|at| changes.get(at).copied()).collect();
        let why = found.first().ok_or_else(|| stale(id, inside))?.fixed.as_deref();
        if found.iter().all(|change| change.fixed.is_some()) {
            return Err(alone(id, why.unwrap_or_default()));
        }
        for change in found.into_iter().filter(|change| seen.insert(&change.id)) {
            match &change.fixed {
                None => out.push(change.id.clone()),
                Some(why) => stay.push(format!("{} stays: {why}", change.id)),
            }
        }
    }
    Ok((out, stay))
}

fn stale(id: &str, diff: &InsideDiff) -> FileError {
    let near: Vec<&str> = diff.changes().map(|change| change.id.as_str()).take(2_000).collect();
    no_change(id, jig_ooxml::edit::nearest(id, near))
}

/// An address that this difference does not have.
fn no_change(id: &str, suggestions: Vec<String>) -> FileError {
    let message = format!("there is no change `{id}` between the reference and the Draft as they are now");
    FileError { reason: Reason::Stale, message, suggestions, help: None }
}

/// A change that only goes with the whole file.
fn alone(id: &str, why: &str) -> FileError {
    FileError::invalid(format!("{id} cannot be taken back by itself: {why}; take back the whole file instead"))
}

fn is_unchanged(diff: &Diff) -> bool {
    match diff {
        Diff::Text(text) => text.is_unchanged(),
        Diff::Inside(inside) => inside.is_unchanged(),
        Diff::Opaque(opaque) => opaque.same_bytes,
    }
}

/// A row put back at the edge of a range does not make the range longer again. Where what is around the rows differs
/// only since rows were put back, it goes back too; the file with that, or none when there is no such thing.
fn frames_too(
    engine: &Engine,
    versions: &Versions<'_>,
    bytes: &[u8],
    after: &Diff,
) -> Result<Option<Vec<u8>>, FileError> {
    let (Diff::Inside(before), Diff::Inside(now)) = (versions.diff, after) else { return Ok(None) };
    let known: HashSet<&str> = before.changes().map(|change| change.id.as_str()).collect();
    let is_frame = |change: &&Change| matches!(change.undo, Undo::Frame { .. });
    let fresh: Vec<&Change> = now.changes().filter(is_frame).filter(|change| !known.contains(&*change.id)).collect();
    if fresh.is_empty() || before.format != InsideFormat::Xlsx {
        return Ok(None);
    }
    let new: Arc<[u8]> = bytes.into();
    let again = Versions { kinds: versions.kinds, old: versions.old, new: &new, diff: after };
    Ok(Some(workbook::revert(engine, &again, &fresh)?.0))
}

/// At least as many changes must be gone as were taken back.
fn check(before: &Diff, after: &Diff, ids: &[String]) -> Result<(), FileError> {
    let count = |diff: &Diff| match diff {
        Diff::Text(text) => text.hunks.len(),
        Diff::Inside(inside) => inside.changes().filter(|change| change.kind != ChangeKind::Recalculated).count(),
        Diff::Opaque(_) => usize::MAX,
    };
    let follows = |id: &&String| match before {
        Diff::Inside(inside) => {
            inside.changes().any(|change| change.id == **id && change.kind == ChangeKind::Recalculated)
        }
        _ => false,
    };
    let taken = ids.len() - ids.iter().filter(follows).count();
    if count(after).saturating_add(taken) > count(before) && !matches!(before, Diff::Text(_)) {
        let left = ids.first().map_or("the change", String::as_str);
        return Err(alone(left, "other changes hang on it"));
    }
    Ok(())
}

/// The ids of all changes of a difference.
pub(crate) fn all_ids(diff: &Diff) -> Vec<String> {
    match diff {
        Diff::Text(text) => (0..text.hunks.len()).map(view::hunk_id).collect(),
        Diff::Inside(inside) => inside.changes().map(|change| change.id.clone()).collect(),
        Diff::Opaque(_) => Vec::new(),
    }
}
