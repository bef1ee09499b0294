//! A difference as a reply: one page of changes, with the summary and the counts of all pages.

use std::num::NonZeroUsize;

use serde_json::{Value, json};

use super::align::Alignment;
use super::binary::BinaryDiff;
use super::change::StructuredDiff;
use super::text::{DiffLine, Hunk, LineTag, TextDiff};
use super::words::{WordTag, likeness, word_diff};
use super::{Diff, focus, summary};

/// How many lines of hunks a page has.
const PAGE_LINES: NonZeroUsize = NonZeroUsize::new(1_000).unwrap();
/// Two lines less alike than this are not compared word by word.
const ALIKE: f64 = 0.4;

/// A page of a difference, from 1. An error tells how many pages there are.
pub(crate) fn answer(diff: &Diff, page: u32) -> Result<Value, u32> {
    let index = (page as usize).checked_sub(1);
    let (view, pages) = match diff {
        Diff::Binary(opaque) => {
            let mut notes = vec![opaque.summary()];
            notes.extend(opaque.notes.iter().cloned());
            (index.filter(|index| *index == 0).map(|_| binary_view(opaque, &notes)), 1)
        }
        Diff::Structured(inside) => structured_view(inside, index),
        Diff::Text(text) => text_view(text, index),
    };
    let pages = u32::try_from(pages).unwrap_or(u32::MAX);
    let view = view.ok_or(pages)?;
    Ok(json!({
        "summary": summary(diff), "focus": focus(diff), "changes": changes(diff), "page": page, "pages": pages, "diff": view,
    }))
}

/// Summary, focus and count, without any page.
pub(crate) fn overview(diff: &Diff) -> Value {
    json!({ "summary": summary(diff), "focus": focus(diff), "changes": changes(diff) })
}

/// The id and the mark of every change.
pub(crate) fn marks(diff: &Diff) -> Value {
    match diff {
        Diff::Text(text) => {
            text.hunks.iter().enumerate().map(|(at, hunk)| json!([hunk_id(at), hunk_mark(hunk)])).collect()
        }
        Diff::Structured(inside) => inside.changes().map(|change| json!([change.id, change.mark()])).collect(),
        Diff::Binary(_) => Value::Array(Vec::new()),
    }
}

/// How many changes there are that have an id.
fn changes(diff: &Diff) -> usize {
    match diff {
        Diff::Text(text) => text.hunks.len(),
        Diff::Structured(inside) => inside.total(),
        Diff::Binary(_) => 0,
    }
}

fn binary_view(opaque: &BinaryDiff, notes: &[String]) -> Value {
    let mut view = json!({ "type": "opaque", "notes": notes });
    if !opaque.details.is_empty() {
        view["details"] = json!(opaque.details);
    }
    view
}

fn structured_view(diff: &StructuredDiff, index: Option<usize>) -> (Option<Value>, usize) {
    let (groups, pages) = diff.page(index.unwrap_or(usize::MAX));
    let view = groups.map(|groups| {
        let groups: Vec<Value> = groups
            .iter()
            .map(|group| {
                let changes: Vec<Value> = group
                    .changes
                    .iter()
                    .map(|change| {
                        let mut said = serde_json::to_value(change).unwrap_or_default();
                        said["mark"] = change.mark().into();
                        said
                    })
                    .collect();
                json!({ "title": group.title, "changes": changes })
            })
            .collect();
        json!({ "type": diff.format.as_str(), "groups": groups, "notes": diff.notes })
    });
    (view, pages)
}

fn text_view(text: &TextDiff, index: Option<usize>) -> (Option<Value>, usize) {
    let pages = text.page(0, PAGE_LINES).map_or(1, |first| first.total_pages);
    let view = index.and_then(|index| text.page(index, PAGE_LINES)).map(|page| {
        let mut hunks = Vec::new();
        for shown in &page.hunks {
            // A page may hold a part of a hunk: it has the number of the whole.
            let at = text.hunks.iter().position(|whole| holds(whole, shown)).unwrap_or(0);
            let mark = text.hunks.get(at).map(hunk_mark);
            hunks.push(json!({
                "id": hunk_id(at), "mark": mark, "old_start": shown.old_start, "old_count": shown.old_count,
                "new_start": shown.new_start, "new_count": shown.new_count, "lines": lines(&shown.lines),
            }));
        }
        json!({ "type": "text", "added": text.added, "removed": text.removed, "hunks": hunks, "notes": notes(text) })
    });
    (view, pages)
}

/// The address of a hunk, by its place from 0.
pub(super) fn hunk_id(at: usize) -> String {
    format!("hunk {}", at + 1)
}

fn hunk_mark(hunk: &Hunk) -> String {
    let mut hasher = blake3::Hasher::new();
    for line in &hunk.lines {
        hasher.update(line.tag.as_str().as_bytes()).update(line.text.as_bytes()).update(b"\n");
    }
    hasher.finalize().to_hex().chars().take(16).collect()
}

fn holds(whole: &Hunk, part: &Hunk) -> bool {
    let old = whole.old_start..=whole.old_start + whole.old_count;
    let new = whole.new_start..=whole.new_start + whole.new_count;
    old.contains(&part.old_start) && new.contains(&part.new_start)
}

/// The lines of a hunk. A line that was changed carries its words.
fn lines(lines: &[DiffLine]) -> Vec<Value> {
    let mut out: Vec<Value> = lines.iter().map(line).collect();
    let mut at = 0;
    while at < lines.len() {
        let run = |from: usize, tag: LineTag| lines.iter().skip(from).take_while(|line| line.tag == tag).count();
        let removed = run(at, LineTag::Removed);
        let added = run(at + removed, LineTag::Added);
        if removed > 0 && removed == added {
            for step in 0..removed {
                let (old, new) = (at + step, at + removed + step);
                if let (Some(a), Some(b)) = (lines.get(old), lines.get(new)) {
                    inline(&mut out, (old, &a.text), (new, &b.text));
                }
            }
        }
        at += (removed + added).max(1);
    }
    out
}

fn inline(out: &mut [Value], old: (usize, &str), new: (usize, &str)) {
    if old.1.len() + new.1.len() > 20_000 || likeness(old.1, new.1) < ALIKE {
        return;
    }
    let all = word_diff(old.1, new.1);
    for (place, gone) in [(old.0, WordTag::Added), (new.0, WordTag::Removed)] {
        let side: Vec<_> = all.iter().filter(|word| word.tag != gone).collect();
        if let Some(line) = out.get_mut(place) {
            line["words"] = json!(side);
        }
    }
}

fn line(line: &DiffLine) -> Value {
    let mut said = json!({ "tag": line.tag.as_str(), "text": line.text });
    if line.no_newline {
        said["no_newline"] = true.into();
    }
    said
}

/// What the lines themselves do not show.
fn notes(text: &TextDiff) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(change) = &text.encoding_changed {
        notes.push(format!("encoding changed from {} to {}", change.old, change.new));
    }
    if let Some(change) = &text.line_ending_changed {
        notes.push(format!("line endings changed from {} to {}", change.old.words(), change.new.words()));
    }
    if text.undecodable_changed {
        notes.push("some bytes that are not text may differ".to_owned());
    }
    if text.alignment == Alignment::Coarse {
        let words = "the texts are too different to match line by line; the changed part is shown as a whole";
        notes.push(words.to_owned());
    }
    notes
}
