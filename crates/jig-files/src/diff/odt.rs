//! Compares two OpenDocument texts: paragraphs and rows of tables by section, notes, headers and footers. The files are
//! read and not written, so they are compared by the text that a reader gets.

use std::collections::HashMap;
use std::sync::Arc;

use jig_ooxml::Limits;
use similar::DiffTag;

use super::align::{Step, align, intern, pair};
use super::change::{Change, ChangeKind, Detail, StructuredDiff, StructuredFormat};
use super::words::likeness;
use crate::engine::FileError;
use crate::odt::Document;

/// Compares two texts.
pub(super) fn compare(old: &[u8], new: &[u8]) -> Result<StructuredDiff, FileError> {
    let open = |bytes: &[u8]| Document::open(Arc::from(bytes), Limits::default());
    let (before, after) = (open(old)?, open(new)?);
    let mut diff = StructuredDiff::new(StructuredFormat::Odt);
    compare_units(&before.pieces(), &after.pieces(), "OpenDocument texts are read and not written", &mut diff);
    for (side, document) in [("before", &before), ("after", &after)] {
        document.warnings().iter().for_each(|warning| diff.note(format!("{side}: {warning}")));
    }
    if diff.is_unchanged() && old != new {
        diff.note("the text is the same; formats, styles and images are not compared");
    }
    Ok(diff.finish())
}

/// Shorter texts occur too often to conclude that one moved: they are reported as removed and added.
const MOVES_FROM: usize = 12;

/// A paragraph, a row, a note: what is compared as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextUnit {
    /// The title of its group.
    pub(crate) group: String,
    /// Its address.
    pub(crate) id: String,
    /// Its noun: `paragraph`, `table row`, `footnote`.
    pub(crate) what: &'static str,
    /// Its text.
    pub(crate) text: String,
}

/// What happened to a unit, by its indexes on both sides.
#[derive(Debug, Clone, Copy)]
enum BlockMatch {
    Both(usize, usize),
    Added(usize),
    Removed(usize),
    Moved(usize, usize),
}

/// Compares two lists of units. `not_revertible` is the reason that each change gets.
fn compare_units(old: &[TextUnit], new: &[TextUnit], not_revertible: &str, diff: &mut StructuredDiff) {
    let (old_ids, new_ids) = intern(old.iter().map(key), new.iter().map(key));
    let mut matches = Vec::new();
    for op in align(&old_ids, &new_ids).0 {
        if op.tag() == DiffTag::Equal {
            continue;
        }
        let (a, b) = (op.old_range(), op.new_range());
        let alike = |i: usize, j: usize| match (old.get(a.start + i), new.get(b.start + j)) {
            (Some(old), Some(new)) if old.what == new.what => likeness(&old.text, &new.text),
            _ => 0.0,
        };
        // One unit in place of one other is a change, however little they have in common.
        let steps = match (a.len(), b.len()) {
            (1, 1) if key_kind(old, a.start) == key_kind(new, b.start) => vec![Step::Both(0, 0)],
            (olds, news) => pair(olds, news, alike),
        };
        matches.extend(steps.into_iter().map(|step| match step {
            Step::Both(i, j) => BlockMatch::Both(a.start + i, b.start + j),
            Step::Old(i) => BlockMatch::Removed(a.start + i),
            Step::New(j) => BlockMatch::Added(b.start + j),
        }));
    }
    for matched in moved(matches, old, new) {
        if let Some((group, change)) = change_of(matched, old, new) {
            diff.add(&group, change.not_revertible(not_revertible));
        }
    }
}

fn key(piece: &TextUnit) -> (&'static str, &str) {
    (piece.what, piece.text.as_str())
}

fn key_kind(pieces: &[TextUnit], at: usize) -> Option<&'static str> {
    pieces.get(at).map(|piece| piece.what)
}

/// A text that was removed in one place and added in another has moved.
fn moved(matches: Vec<BlockMatch>, old: &[TextUnit], new: &[TextUnit]) -> Vec<BlockMatch> {
    let long = |pieces: &'_ [TextUnit], at: usize| {
        pieces
            .get(at)
            .filter(|piece| piece.text.trim().len() >= MOVES_FROM)
            .map(|piece| (piece.what, piece.text.clone()))
    };
    let mut gone: HashMap<(&str, String), usize> = HashMap::new();
    for matched in &matches {
        if let BlockMatch::Removed(at) = matched
            && let Some(said) = long(old, *at)
        {
            gone.entry(said).or_insert(*at);
        }
    }
    let mut used = std::collections::HashSet::new();
    let mut out = Vec::with_capacity(matches.len());
    for matched in matches {
        let from = match matched {
            BlockMatch::Added(at) => long(new, at).and_then(|said| gone.remove(&said)).map(|from| (from, at)),
            _ => None,
        };
        out.push(from.map_or(matched, |(from, at)| {
            used.insert(from);
            BlockMatch::Moved(from, at)
        }));
    }
    out.retain(|matched| !matches!(matched, BlockMatch::Removed(at) if used.contains(at)));
    out
}

/// A matched as a change, with the group it belongs to.
fn change_of(matched: BlockMatch, old: &[TextUnit], new: &[TextUnit]) -> Option<(String, Change)> {
    Some(match matched {
        BlockMatch::Both(a, b) => {
            let (was, is) = (old.get(a)?, new.get(b)?);
            let change = Change::new(&is.id, ChangeKind::Changed, is.what);
            (is.group.clone(), change.texts(Some(&was.text), Some(&is.text)).with_words(&was.text, &is.text))
        }
        BlockMatch::Added(b) => {
            let is = new.get(b)?;
            (is.group.clone(), Change::new(&is.id, ChangeKind::Added, is.what).texts(None, Some(&is.text)))
        }
        BlockMatch::Removed(a) => {
            let was = old.get(a)?;
            let change = Change::new(format!("{} (removed)", was.id), ChangeKind::Removed, was.what);
            (was.group.clone(), change.texts(Some(&was.text), None))
        }
        BlockMatch::Moved(a, b) => {
            let (was, is) = (old.get(a)?, new.get(b)?);
            let change = Change::new(&is.id, ChangeKind::Moved, is.what).texts(None, Some(&is.text));
            (is.group.clone(), change.detail(Detail::new("place", &was.id, &is.id)))
        }
    })
}
