//! Rows of a delimited text taken back: the old record, as it was written, in the place of the new one.

use std::ops::Range;

use super::super::change::{Change, Undo};
use super::super::text::decode_alike;
use super::{Versions, alone};
use crate::engine::FileError;

pub(super) fn records(versions: &Versions<'_>, chosen: &[&Change]) -> Result<Vec<u8>, FileError> {
    let (old, new) = decode_alike(versions.old, versions.new);
    let first = chosen.first().map_or("", |change| change.id.as_str());
    if !(old.round_trips() && new.round_trips()) {
        return Err(alone(first, "the file holds bytes that are not text in its encoding"));
    }
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for change in chosen {
        let Undo::Records { old: from, new: to } = &change.undo else { continue };
        edits.push((to.clone(), old.content().get(from.clone()).unwrap_or_default().to_owned()));
    }
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let ending = new.line_ending().characters().unwrap_or("\n");
    let mut out = String::with_capacity(new.content().len());
    let mut at = 0;
    for (range, text) in edits {
        out.push_str(new.content().get(at..range.start).unwrap_or_default());
        // A row is put behind a line that may have been the last one.
        let joins = range.is_empty() && !out.is_empty() && !out.ends_with(['\n', '\r']);
        if joins {
            out.push_str(ending);
        }
        let bare = text.trim_end_matches(['\r', '\n']);
        let whole_line =
            range.is_empty() || new.content().get(range.clone()).is_some_and(|line| line.ends_with(['\n', '\r']));
        out.push_str(bare);
        if whole_line && !text.is_empty() {
            out.push_str(ending);
        }
        at = range.end;
    }
    out.push_str(new.content().get(at..).unwrap_or_default());
    if !old.final_newline() && !new.final_newline() {
        out.truncate(out.trim_end_matches(['\r', '\n']).len());
    }
    new.format().encode(&out).map_err(|error| alone(first, &error.to_string()))
}
