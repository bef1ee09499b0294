//! The difference of two texts line by line, in pages, and in the unified format that `diff -u` writes.

use std::fmt::Write;
use std::num::NonZeroUsize;

use jig_text::{Line, LineEnding, TextEncoding};
use similar::{DiffOp, DiffTag, group_diff_ops};

use super::align::{Alignment, align, intern};
use crate::text::Text;

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// The difference of two texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextDiff {
    /// Whether the file existed before and after.
    pub presence: Presence,
    /// Lines that are new.
    pub added: usize,
    /// Lines that are gone.
    pub removed: usize,
    /// The changed places with the lines around them.
    pub hunks: Vec<Hunk>,
    /// The encoding or its byte order mark changed. Never set for a file created or deleted.
    pub encoding_changed: Option<Change<TextEncoding>>,
    /// All lines end differently now. Then lines are compared without their endings, so that the
    /// hunks show what else changed. Where one side mixes endings, each line that ends differently
    /// is in the hunks instead.
    pub line_ending_changed: Option<Change<LineEnding>>,
    /// Bytes differ that are not text in the encoding found, so that the hunks may not show all.
    pub undecodable_changed: bool,
    /// How well equal lines were paired.
    pub alignment: Alignment,
    /// How lines end in the unified format; `Mixed` if their carriage returns are in the hunks.
    pub(super) patch_ending: LineEnding,
}

/// Whether a file existed before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Only the new version exists.
    Created,
    /// Only the old version exists.
    Deleted,
    /// Either both versions exist or none does.
    Kept,
}

/// A property before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change<T> {
    /// Before.
    pub old: T,
    /// After.
    pub new: T,
}

/// A changed place, in the terms of the unified format: lines count from 1, and a side without
/// lines has as its start the line before (0 at the top).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The first old line.
    pub old_start: usize,
    /// Old lines: context and removed.
    pub old_count: usize,
    /// The first new line.
    pub new_start: usize,
    /// New lines: context and added.
    pub new_count: usize,
    /// The lines in order, removed before added.
    pub lines: Vec<DiffLine>,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    /// What happened to the line.
    pub tag: LineTag,
    /// The line without its ending. Only where endings are mixed may it end in a carriage return,
    /// which then is part of the ending.
    pub text: String,
    /// Whether this is a last line without a line ending.
    pub no_newline: bool,
}

/// What happened to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineTag {
    /// It is in both versions.
    Context,
    /// It is in the new version only.
    Added,
    /// It is in the old version only.
    Removed,
}

impl LineTag {
    /// The stable name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::Added => "added",
            Self::Removed => "removed",
        }
    }
}

impl TextDiff {
    /// Compares two texts; `None` is a file that does not exist.
    pub(super) fn between(old: Option<&[u8]>, new: Option<&[u8]>) -> Self {
        let (old_bytes, new_bytes) = (old.unwrap_or_default(), new.unwrap_or_default());
        let (old_text, new_text) = decode_alike(old_bytes, new_bytes);
        let endings = Endings::of(&old_text, &new_text);
        let (old_lines, new_lines) = (endings.keys(&old_text), endings.keys(&new_text));
        let (old_ids, new_ids) = intern(old_lines.iter(), new_lines.iter());
        let (ops, alignment) = align(&old_ids, &new_ids);
        let count = |length: fn(&DiffOp) -> usize| ops.iter().map(length).sum();
        let presence = Presence::of(old, new);
        Self {
            presence,
            added: count(added),
            removed: count(removed),
            encoding_changed: encoding_change(presence, &old_text, &new_text),
            line_ending_changed: endings.change(),
            undecodable_changed: old_bytes != new_bytes && (old_text.had_errors() || new_text.had_errors()),
            alignment,
            patch_ending: endings.in_patch(),
            hunks: group_diff_ops(ops, CONTEXT).iter().map(|group| hunk(group, &old_lines, &new_lines)).collect(),
        }
    }

    /// Whether anything differs at all, existence included.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.presence == Presence::Kept
            && self.hunks.is_empty()
            && self.encoding_changed.is_none()
            && self.line_ending_changed.is_none()
            && !self.undecodable_changed
    }

    /// A one-line summary.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut words = Vec::new();
        match self.presence {
            Presence::Created => words.push("file created".to_owned()),
            Presence::Deleted => words.push("file deleted".to_owned()),
            Presence::Kept => {}
        }
        words.extend(line_words(self.added, self.removed));
        if let Some(Change { old, new }) = self.encoding_changed {
            words.push(format!("encoding changed from {old} to {new}"));
        }
        if let Some(Change { old, new }) = self.line_ending_changed {
            let (old, new) = (old.words(), new.words());
            words.push(format!("line endings changed from {old} to {new}"));
        }
        if self.undecodable_changed {
            words.push("some bytes that are not text may differ".to_owned());
        }
        if words.is_empty() {
            return "no changes".to_owned();
        }
        words.join(", ")
    }
}

fn line_words(added: usize, removed: usize) -> Option<String> {
    let lines = |count| match count {
        1 => "1 line".to_owned(),
        count => format!("{count} lines"),
    };
    match (added, removed) {
        (0, 0) => None,
        (added, 0) => Some(format!("{} added", lines(added))),
        (0, removed) => Some(format!("{} removed", lines(removed))),
        (added, removed) => Some(format!("{} added, {removed} removed", lines(added))),
    }
}

impl Presence {
    fn of(old: Option<&[u8]>, new: Option<&[u8]>) -> Self {
        match (old, new) {
            (None, Some(_)) => Self::Created,
            (Some(_), None) => Self::Deleted,
            _ => Self::Kept,
        }
    }
}

/// Decodes both versions. Where legacy encodings are guessed differently, one guess serves both:
/// a small edit must not look like a change of encoding.
pub(super) fn decode_alike(old: &[u8], new: &[u8]) -> (Text, Text) {
    let (old_text, new_text) = (Text::decode(old), Text::decode(new));
    let (before, after) = (old_text.encoding(), new_text.encoding());
    if before == after || !before.is_legacy() || !after.is_legacy() {
        return (old_text, new_text);
    }
    // The longer text is the better ground for a guess.
    if old.len() >= new.len() {
        let again = Text::decode_as(new, before);
        let alike = !again.had_errors();
        return (old_text, if alike { again } else { new_text });
    }
    let again = Text::decode_as(old, after);
    let alike = !again.had_errors();
    (if alike { again } else { old_text }, new_text)
}

fn encoding_change(presence: Presence, old: &Text, new: &Text) -> Option<Change<TextEncoding>> {
    let change = Change { old: old.encoding(), new: new.encoding() };
    (presence == Presence::Kept && change.old != change.new).then_some(change)
}

/// How line endings take part in the comparison.
enum Endings {
    /// Each side is uniform: lines are compared without their endings.
    Uniform(Change<LineEnding>),
    /// A side is mixed: each line is compared with its ending.
    Mixed,
}

impl Endings {
    fn of(old: &Text, new: &Text) -> Self {
        match (old.line_ending(), new.line_ending()) {
            (LineEnding::Mixed, _) | (_, LineEnding::Mixed) => Self::Mixed,
            (old, new) => Self::Uniform(Change { old, new }),
        }
    }

    /// The change from one ending to another, both in use.
    fn change(&self) -> Option<Change<LineEnding>> {
        match *self {
            Self::Uniform(change) => {
                let used = |ending: LineEnding| ending != LineEnding::None;
                let changed = change.old != change.new && used(change.old) && used(change.new);
                changed.then_some(change)
            }
            Self::Mixed => None,
        }
    }

    /// The ending that the unified format puts after each line.
    fn in_patch(&self) -> LineEnding {
        match *self {
            Self::Uniform(Change { old: LineEnding::None, new }) => new,
            Self::Uniform(Change { old, .. }) => old,
            Self::Mixed => LineEnding::Mixed,
        }
    }

    /// The lines as they are compared and shown.
    fn keys<'a>(&self, text: &'a Text) -> Vec<Key<'a>> {
        text.iter_lines().map(|line| self.key(line)).collect()
    }

    fn key<'a>(&self, line: Line<'a>) -> Key<'a> {
        let carriage_return = match self {
            Self::Uniform(_) => false,
            Self::Mixed => line.ending.starts_with('\r'),
        };
        Key { text: line.text, carriage_return, ended: line.is_ended() }
    }
}

/// What makes two lines equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key<'a> {
    text: &'a str,
    carriage_return: bool,
    ended: bool,
}

impl Key<'_> {
    fn line(self, tag: LineTag) -> DiffLine {
        let ending = if self.carriage_return { "\r" } else { "" };
        DiffLine { tag, text: format!("{}{ending}", self.text), no_newline: !self.ended }
    }
}

fn added(op: &DiffOp) -> usize {
    if op.tag() == DiffTag::Equal { 0 } else { op.new_range().len() }
}

fn removed(op: &DiffOp) -> usize {
    if op.tag() == DiffTag::Equal { 0 } else { op.old_range().len() }
}

fn hunk(group: &[DiffOp], old: &[Key<'_>], new: &[Key<'_>]) -> Hunk {
    let (mut hunk, mut starts) = (Hunk::EMPTY, None);
    for op in group {
        starts = starts.or(Some((op.old_range().start, op.new_range().start)));
        let old_lines = old.get(op.old_range()).unwrap_or_default();
        let new_lines = new.get(op.new_range()).unwrap_or_default();
        if op.tag() == DiffTag::Equal {
            hunk.push(old_lines, LineTag::Context);
        } else {
            hunk.push(old_lines, LineTag::Removed);
            hunk.push(new_lines, LineTag::Added);
        }
    }
    let (old_start, new_start) = starts.unwrap_or_default();
    hunk.place(old_start, new_start);
    hunk
}

impl Hunk {
    pub(super) const EMPTY: Self = Self { old_start: 0, old_count: 0, new_start: 0, new_count: 0, lines: Vec::new() };

    fn push(&mut self, lines: &[Key<'_>], tag: LineTag) {
        self.lines.extend(lines.iter().map(|key| key.line(tag)));
    }

    /// Sets starts and counts from the number of lines before on each side.
    pub(super) fn place(&mut self, old_before: usize, new_before: usize) {
        let without = |tag| self.lines.iter().filter(|line| line.tag != tag).count();
        self.old_count = without(LineTag::Added);
        self.new_count = without(LineTag::Removed);
        self.old_start = old_before + usize::from(self.old_count > 0);
        self.new_start = new_before + usize::from(self.new_count > 0);
    }
}

impl TextDiff {
    /// The difference in the unified format, under the file's path.
    ///
    /// Lines keep the endings of the old version, so that `patch` applies the result to it. What the
    /// format cannot say (another encoding, other line endings throughout) is written in lines before
    /// the header, where such programs ignore it. The text is UTF-8 whatever the file's encoding,
    /// and a file with carriage returns alone is beyond such programs.
    #[must_use]
    pub fn to_unified(&self, path: &str) -> String {
        let mut out = String::new();
        self.write_remarks(&mut out);
        if self.hunks.is_empty() {
            return out;
        }
        let name = header_name(path);
        let (old, new) = match self.presence {
            Presence::Created => ("/dev/null", name.as_str()),
            Presence::Deleted => (name.as_str(), "/dev/null"),
            Presence::Kept => (name.as_str(), name.as_str()),
        };
        let _ = writeln!(out, "--- {old}\n+++ {new}");
        let ending = match self.patch_ending {
            LineEnding::Crlf => "\r\n",
            // Where endings are mixed, the carriage returns are in the lines.
            LineEnding::None | LineEnding::Lf | LineEnding::Cr | LineEnding::Mixed => "\n",
        };
        for hunk in &self.hunks {
            hunk.write(&mut out, ending);
        }
        out
    }

    fn write_remarks(&self, out: &mut String) {
        // Writing to a string cannot fail.
        if let Some(Change { old, new }) = self.encoding_changed {
            let _ = writeln!(out, "Encoding changed from {old} to {new}.");
        }
        if let Some(Change { old, new }) = self.line_ending_changed {
            let (old, new) = (old.words(), new.words());
            let _ = writeln!(out, "Line endings changed from {old} to {new}.");
        }
        if self.undecodable_changed {
            out.push_str("Some bytes that are not text may differ.\n");
        }
    }
}

/// The path as the header takes it: a tab after a name with spaces tells where it ends, and control
/// characters are quoted.
fn header_name(path: &str) -> String {
    if path.chars().any(|c| c.is_control() || c == '"') {
        return format!("{path:?}");
    }
    if path.contains(' ') {
        return format!("{path}\t");
    }
    path.to_owned()
}

impl Hunk {
    fn write(&self, out: &mut String, ending: &str) {
        let old = range(self.old_start, self.old_count);
        let new = range(self.new_start, self.new_count);
        let _ = writeln!(out, "@@ -{old} +{new} @@");
        for line in &self.lines {
            out.push(match line.tag {
                LineTag::Context => ' ',
                LineTag::Added => '+',
                LineTag::Removed => '-',
            });
            out.push_str(&line.text);
            out.push_str(if line.no_newline { "\n\\ No newline at end of file\n" } else { ending });
        }
    }
}

fn range(start: usize, count: usize) -> String {
    match count {
        1 => start.to_string(),
        count => format!("{start},{count}"),
    }
}

/// One page of a difference. All pages together hold every line of every hunk once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffPage {
    /// This page, counted from zero.
    pub page: usize,
    /// Pages in all; at least one.
    pub total_pages: usize,
    /// Whether another page follows.
    pub has_more: bool,
    /// Whether the first hunk continues from the previous page.
    pub continued: bool,
    /// The hunks, those at the edges possibly cut, with starts and counts of what is here.
    pub hunks: Vec<Hunk>,
}

impl TextDiff {
    /// A page of at most `page_size` hunk lines; `None` past the last page.
    ///
    /// A page counts lines and not hunks, because a single hunk can be as long as the file.
    #[must_use]
    pub fn page(&self, page: usize, page_size: NonZeroUsize) -> Option<DiffPage> {
        let total_lines: usize = self.hunks.iter().map(|hunk| hunk.lines.len()).sum();
        let total_pages = total_lines.div_ceil(page_size.get()).max(1);
        if page >= total_pages {
            return None;
        }
        let start = page * page_size.get();
        let end = start.saturating_add(page_size.get());
        let mut result =
            DiffPage { page, total_pages, has_more: page + 1 < total_pages, continued: false, hunks: Vec::new() };
        let mut before = 0;
        for hunk in &self.hunks {
            let from = start.saturating_sub(before).min(hunk.lines.len());
            let to = end.saturating_sub(before).min(hunk.lines.len());
            if from < to {
                result.continued |= from > 0;
                result.hunks.push(hunk.part(from, to));
            }
            before += hunk.lines.len();
        }
        Some(result)
    }
}

impl Hunk {
    /// The lines from `from` up to `to` as a hunk of their own.
    fn part(&self, from: usize, to: usize) -> Self {
        let skipped = self.lines.get(..from).unwrap_or_default();
        let without = |tag| skipped.iter().filter(|line| line.tag != tag).count();
        let (old_skipped, new_skipped) = (without(LineTag::Added), without(LineTag::Removed));
        let lines: &[DiffLine] = self.lines.get(from..to).unwrap_or_default();
        let mut part = Self { lines: lines.to_vec(), ..Self::EMPTY };
        let old_before = self.old_start - usize::from(self.old_count > 0);
        let new_before = self.new_start - usize::from(self.new_count > 0);
        part.place(old_before + old_skipped, new_before + new_skipped);
        part
    }
}
