//! A text while it is edited: lines that know whether they are still as they were in the file.

use std::borrow::Cow;
use std::ops::Range;

use jig_text::LineEnding;

use crate::text::Text;

/// The lines of a text, each with its end.
#[derive(Debug, Clone)]
pub(super) struct Lines<'a> {
    pub(super) lines: Vec<Line<'a>>,
    ending: LineEnding,
}

/// One line with its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) text: Cow<'a, str>,
    /// Its place in the file, as long as nothing of it has changed.
    pub(super) origin: Option<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a Text) -> Self {
        let line = |at: usize| Line { text: Cow::Borrowed(text.raw_lines(at, at + 1)), origin: Some(at) };
        Self { lines: (0..text.line_count()).map(line).collect(), ending: text.line_ending() }
    }

    pub(super) fn count(&self) -> usize {
        self.lines.len()
    }

    /// The whole text.
    pub(super) fn text(&self) -> String {
        self.lines.iter().map(|line| &*line.text).collect()
    }

    pub(super) fn bytes(&self) -> usize {
        self.lines.iter().map(|line| line.text.len()).sum()
    }

    /// How lines end, for searching.
    pub(super) fn ending(&self) -> LineEnding {
        self.ending
    }

    /// A line without its end.
    pub(super) fn bare(&self, at: usize) -> &str {
        self.lines.get(at).map_or("", |line| self.without_end(&line.text))
    }

    /// The line at each of these places of the whole text, which must be in order.
    pub(super) fn lines_at(&self, places: impl Iterator<Item = usize>) -> Vec<usize> {
        let (mut line, mut end) = (0, self.lines.first().map_or(0, |line| line.text.len()));
        let find = |place: usize| {
            while place >= end && line + 1 < self.lines.len() {
                line += 1;
                end += self.lines.get(line).map_or(0, |line| line.text.len());
            }
            line
        };
        places.map(find).collect()
    }

    /// New text with its line ends as lines around this one have them.
    pub(super) fn fitted(&self, text: &str, near: usize) -> String {
        let plain = text.replace("\r\n", "\n");
        let plain = if self.ending == LineEnding::Cr { plain.replace('\r', "\n") } else { plain };
        match self.end_near(near) {
            "\n" => plain,
            end => plain.replace('\n', end),
        }
    }

    /// How lines end at a place: as in the whole text, or where that differs as in the line itself or its neighbours.
    fn end_near(&self, at: usize) -> &str {
        if let Some(end) = self.ending.characters() {
            return end;
        }
        let end = |at: usize| self.lines.get(at).map(|line| self.end_of(&line.text)).filter(|end| !end.is_empty());
        let before = || (0..at.min(self.count())).rev().find_map(end);
        end(at).or_else(before).unwrap_or("\n")
    }

    fn without_end<'t>(&self, line: &'t str) -> &'t str {
        jig_text::Line::split(line, self.ending).text
    }

    fn end_of<'t>(&self, line: &'t str) -> &'t str {
        jig_text::Line::split(line, self.ending).ending
    }

    /// Puts lines (without ends) in the place of others. The end of the text stays ended or not, as it was.
    pub(super) fn splice(&mut self, range: Range<usize>, new: &[String]) {
        let end = self.end_near(range.start).to_owned();
        let was_ended = self.lines.last().is_none_or(|line| !self.end_of(&line.text).is_empty());
        let line = |text: &String| Line { text: Cow::Owned(format!("{text}{end}")), origin: None };
        let range = range.start.min(self.count())..range.end.min(self.count());
        // A last line without an end gets one when lines follow it.
        if range.start == self.count() && !new.is_empty() && !was_ended {
            self.end_last(&end);
        }
        self.lines.splice(range, new.iter().map(line));
        if !was_ended {
            self.open_last();
        }
    }

    fn end_last(&mut self, end: &str) {
        if let Some(last) = self.lines.last_mut() {
            last.text.to_mut().push_str(end);
            last.origin = None;
        }
    }

    /// Takes the end off the last line.
    fn open_last(&mut self) {
        let Some(last) = self.lines.last() else { return };
        let bare = self.without_end(&last.text).len();
        // A line that is only its end would vanish with it.
        if bare == last.text.len() || bare == 0 {
            return;
        }
        if let Some(last) = self.lines.last_mut() {
            last.text.to_mut().truncate(bare);
            last.origin = None;
        }
    }

    /// Puts texts in the place of ranges of the whole text, which are in order and do not overlap. Gives the places
    /// in the file of the lines that were touched.
    pub(super) fn exchange(&mut self, edits: &[Exchange]) -> Vec<usize> {
        let starts = self.starts();
        let groups = self.groups(edits, &starts);
        let mut made = Vec::with_capacity(self.lines.len());
        let mut touched = Vec::new();
        let mut rest = std::mem::take(&mut self.lines).into_iter();
        let mut at = 0;
        for Group { lines, edits } in groups {
            made.extend(rest.by_ref().take(lines.start.saturating_sub(at)));
            let old: Vec<Line<'_>> = rest.by_ref().take(lines.len()).collect();
            touched.extend(old.iter().filter_map(|line| line.origin));
            let text: String = old.iter().map(|line| &*line.text).collect();
            let start = starts.get(lines.start).copied().unwrap_or(0);
            made.extend(self.split(&changed(&text, start, edits)));
            at = lines.end;
        }
        made.extend(rest);
        self.lines = made;
        touched
    }

    /// Where each line begins, and where the last one ends.
    fn starts(&self) -> Vec<usize> {
        let ends = self.lines.iter().scan(0, |end, line| {
            *end += line.text.len();
            Some(*end)
        });
        std::iter::once(0).chain(ends).collect()
    }

    /// Lines that edits touch, with those edits. Lines that an edit joins are one group.
    fn groups<'e>(&self, edits: &'e [Exchange], starts: &[usize]) -> Vec<Group<'e>> {
        let line_of = |place: usize| starts.partition_point(|start| *start <= place).saturating_sub(1);
        let mut groups: Vec<Group<'e>> = Vec::new();
        let mut from = 0;
        for (at, (range, new)) in edits.iter().enumerate() {
            let first = line_of(range.start);
            let mut end = line_of(range.end.saturating_sub(1).max(range.start)) + 1;
            // A line that loses its end runs on into the next one, unless nothing is left of it.
            let loses_end = starts.get(end) == Some(&range.end) && self.end_of(new).is_empty();
            let vanishes = new.is_empty() && starts.get(first) == Some(&range.start);
            end = (end + usize::from(loses_end && !vanishes)).min(self.lines.len());
            match groups.last_mut().filter(|group| group.lines.end > first) {
                Some(group) => {
                    group.lines.end = group.lines.end.max(end);
                    group.edits = edits.get(from..=at).unwrap_or_default();
                }
                None => {
                    from = at;
                    groups.push(Group { lines: first..end, edits: edits.get(from..=at).unwrap_or_default() });
                }
            }
        }
        groups
    }

    fn split(&self, text: &str) -> Vec<Line<'a>> {
        let separator = char::from(self.ending.separator());
        let pieces = text.split_inclusive(separator);
        pieces.map(|piece| Line { text: Cow::Owned(piece.to_owned()), origin: None }).collect()
    }
}

/// A range of the whole text and what comes in its place.
pub(super) type Exchange = (Range<usize>, String);

struct Group<'e> {
    lines: Range<usize>,
    edits: &'e [Exchange],
}

/// A text that begins at `start` of the whole, with its edits made.
fn changed(text: &str, start: usize, edits: &[Exchange]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, new) in edits {
        out.push_str(text.get(at..range.start - start).unwrap_or_default());
        out.push_str(new);
        at = range.end - start;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
