//! Compares two OpenDocument texts: paragraphs and rows of tables by section, notes, headers and footers. The files are
//! read and not written, so they are compared by the text that a reader gets.

use std::collections::HashMap;
use std::sync::Arc;

use jig_ooxml::Limits;
use similar::DiffTag;

use super::align::{Step, align, intern, pair};
use super::change::{Change, ChangeKind, Detail, InsideDiff, InsideFormat};
use super::words::likeness;
use crate::engine::FileError;
use crate::odt::Document;

/// Compares two texts.
pub(super) fn compare(old: &[u8], new: &[u8]) -> Result<InsideDiff, FileError> {
    let open = |bytes: &[u8]| Document::open(Arc::from(bytes), Limits::default());
    let (before, after) = (open(old)?, open(new)?);
    let mut diff = InsideDiff::new(InsideFormat::Odt);
    compare_units(&before.pieces(), &after.pieces(), "OpenDocument texts are read and not written", &mut diff);
    for (side, document) in [("before", &before), ("after", &after)] {
        document.warnings().iter().for_each(|warning| diff.note(format!("{side}: {warning}")));
    }
    if diff.is_unchanged() && old != new {
        diff.note("the text is the same; formats, styles and pictures are not compared");
    }
    Ok(diff.finish())
}

/// A text shorter than this that stands elsewhere went and came; it did not move.
const MOVES_FROM: usize = 12;

/// A paragraph, a row, a note: what is compared as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    /// What it belongs to.
    pub(crate) group: String,
    /// Its address.
    pub(crate) id: String,
    /// What it is.
    pub(crate) what: &'static str,
    /// What it says.
    pub(crate) text: String,
}

/// What became of a piece, by its places on both sides.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Both(usize, usize),
    Came(usize),
    Gone(usize),
    Moved(usize, usize),
}

/// Compares two lists of pieces. `fixed` says why nothing can be taken back by itself.
fn compare_units(old: &[Piece], new: &[Piece], fixed: &str, diff: &mut InsideDiff) {
    let (old_ids, new_ids) = intern(old.iter().map(key), new.iter().map(key));
    let mut fates = Vec::new();
    for op in align(&old_ids, &new_ids).0 {
        if op.tag() == DiffTag::Equal {
            continue;
        }
        let (a, b) = (op.old_range(), op.new_range());
        let alike = |i: usize, j: usize| match (old.get(a.start + i), new.get(b.start + j)) {
            (Some(old), Some(new)) if old.what == new.what => likeness(&old.text, &new.text),
            _ => 0.0,
        };
        // A single one for a single other one is a change, however much of it is new.
        let steps = match (a.len(), b.len()) {
            (1, 1) if key_kind(old, a.start) == key_kind(new, b.start) => vec![Step::Both(0, 0)],
            (olds, news) => pair(olds, news, alike),
        };
        fates.extend(steps.into_iter().map(|step| match step {
            Step::Both(i, j) => Fate::Both(a.start + i, b.start + j),
            Step::Old(i) => Fate::Gone(a.start + i),
            Step::New(j) => Fate::Came(b.start + j),
        }));
    }
    for fate in moved(fates, old, new) {
        if let Some((group, change)) = told(fate, old, new) {
            diff.add(&group, change.fixed(fixed));
        }
    }
}

fn key(piece: &Piece) -> (&'static str, &str) {
    (piece.what, piece.text.as_str())
}

fn key_kind(pieces: &[Piece], at: usize) -> Option<&'static str> {
    pieces.get(at).map(|piece| piece.what)
}

/// What went at one place and came at another has moved.
fn moved(fates: Vec<Fate>, old: &[Piece], new: &[Piece]) -> Vec<Fate> {
    let long = |pieces: &'_ [Piece], at: usize| {
        pieces
            .get(at)
            .filter(|piece| piece.text.trim().len() >= MOVES_FROM)
            .map(|piece| (piece.what, piece.text.clone()))
    };
    let mut gone: HashMap<(&str, String), usize> = HashMap::new();
    for fate in &fates {
        if let Fate::Gone(at) = fate
            && let Some(said) = long(old, *at)
        {
            gone.entry(said).or_insert(*at);
        }
    }
    let mut used = std::collections::HashSet::new();
    let mut out = Vec::with_capacity(fates.len());
    for fate in fates {
        let from = match fate {
            Fate::Came(at) => long(new, at).and_then(|said| gone.remove(&said)).map(|from| (from, at)),
            _ => None,
        };
        out.push(from.map_or(fate, |(from, at)| {
            used.insert(from);
            Fate::Moved(from, at)
        }));
    }
    out.retain(|fate| !matches!(fate, Fate::Gone(at) if used.contains(at)));
    out
}

/// A fate as a change, with the group it belongs to.
fn told(fate: Fate, old: &[Piece], new: &[Piece]) -> Option<(String, Change)> {
    Some(match fate {
        Fate::Both(a, b) => {
            let (was, is) = (old.get(a)?, new.get(b)?);
            let change = Change::new(&is.id, ChangeKind::Changed, is.what);
            (is.group.clone(), change.texts(Some(&was.text), Some(&is.text)).words(&was.text, &is.text))
        }
        Fate::Came(b) => {
            let is = new.get(b)?;
            (is.group.clone(), Change::new(&is.id, ChangeKind::Added, is.what).texts(None, Some(&is.text)))
        }
        Fate::Gone(a) => {
            let was = old.get(a)?;
            let change = Change::new(format!("{} (removed)", was.id), ChangeKind::Removed, was.what);
            (was.group.clone(), change.texts(Some(&was.text), None))
        }
        Fate::Moved(a, b) => {
            let (was, is) = (old.get(a)?, new.get(b)?);
            let change = Change::new(&is.id, ChangeKind::Moved, is.what).texts(None, Some(&is.text));
            (is.group.clone(), change.detail(Detail::new("place", &was.id, &is.id)))
        }
    })
}
