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
    let mut edits: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for change in chosen {
        let Undo::Records { old: from, new: to } = &change.undo else { continue };
        edits.push((to.clone(), from.clone()));
    }
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(new.content().len());
    let mut at = 0;
    for (range, from) in edits {
        let text = old.content().get(from.clone()).unwrap_or_default();
        out.push_str(new.content().get(at..range.start).unwrap_or_default());
        let replaced = new.content().get(range.clone()).unwrap_or_default();
        // Line feeds inside quotes make a text look mixed: then a record has its own line end, or its neighbour's.
        let before = old.content().get(..from.start).unwrap_or_default();
        let near = [text, replaced, out.as_str(), before].map(line_end).into_iter().find(|end| !end.is_empty());
        let ending = new.line_ending().characters().or(near).unwrap_or("\n");
        // A row is put behind a line that may have been the last one.
        let joins = range.is_empty() && !out.is_empty() && !out.ends_with(['\n', '\r']);
        if joins {
            out.push_str(ending);
        }
        let whole_line = range.is_empty() || !line_end(replaced).is_empty();
        out.push_str(text.trim_end_matches(['\r', '\n']));
        if whole_line && !text.is_empty() {
            out.push_str(ending);
        }
        at = range.end;
    }
    out.push_str(new.content().get(at..).unwrap_or_default());
    if !old.final_newline() && !new.final_newline() {
        out.truncate(out.trim_end_matches(['\r', '\n']).len());
    }
    // Not as a text whose lines all end alike: what stands inside quotes is a value.
    new.encoding().encode(&out).map_err(|error| alone(first, &error.to_string()))
}

/// The characters that end a record; none when it is the last one and not ended.
fn line_end(record: &str) -> &'static str {
    ["\r\n", "\n", "\r"].into_iter().find(|end| record.ends_with(*end)).unwrap_or_default()
}
