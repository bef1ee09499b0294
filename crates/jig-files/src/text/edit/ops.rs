//! The four ops.

use jig_file_api::ops::text::{DeleteLines, InsertLines, NewLines, ReplaceLines, ReplaceText};
use jig_ooxml::edit::{EditError, OpInput, OpReport, excerpt};

use super::Session;
use super::lines::Exchange;
use super::place::{at_lines, not_found};
use crate::engine::{FileError, Reason};
use crate::text::search::{Case, Haystack, MOST_HITS};

/// The most lines that one change lists as old or new; its counts cover all.
const MOST_LISTED: usize = 20;

impl Session<'_> {
    pub(super) fn replace_text(&mut self, input: &OpInput, op: &ReplaceText) -> Result<OpReport, FileError> {
        if op.search.is_empty() {
            return Err(input.error("search", "a text to look for is needed").into());
        }
        self.check_new(input, "replace", &op.replace)?;
        let whole = self.lines.text();
        let found = Haystack::new(&whole, self.lines.ending(), Case::of(op.match_case)).find_all(&op.search);
        let lines = self.lines.lines_at(found.iter().map(|hit| hit.start));
        check_count(op, input, found.len(), &lines)?;
        if found.len() > MOST_HITS {
            let words = format!("{}: the text is in more than {MOST_HITS} places", input.at("search"));
            return Err(FileError::new(Reason::TooLarge, words));
        }
        if found.is_empty() && op.count != Some(0) {
            return Err(not_found(&self.lines, input, "search", &op.search).into());
        }
        self.check_growth(found.len().saturating_mul(op.replace.len().saturating_mul(2)))?;
        let replaced = found.iter().take(MOST_LISTED).filter_map(|hit| whole.get(hit.clone())).map(excerpt);
        let replaced: Vec<String> = replaced.collect();
        let edits: Vec<Exchange> =
            found.iter().zip(&lines).map(|(hit, line)| (hit.clone(), self.lines.fitted(&op.replace, *line))).collect();
        let same = edits.iter().all(|(hit, new)| whole.get(hit.clone()) == Some(new.as_str()));
        if same && !edits.is_empty() {
            self.warnings
                .push(format!("{}: the new text is the same as the old; nothing changes", input.at("replace")));
        } else {
            let touched = self.lines.exchange(&edits);
            self.check_fragile(input, &touched)?;
        }
        let mut lines: Vec<usize> = lines.into_iter().map(|line| line + 1).collect();
        lines.dedup();
        let summary = match found.len() {
            0 => "the text is nowhere, as expected".to_owned(),
            1 => format!("replaced a text in 1 place ({})", at_lines(&lines)),
            count => format!("replaced a text in {count} places ({})", at_lines(&lines)),
        };
        let change = OpReport::new(input, summary);
        let change = change.with("replacements", found.len()).with("lines", shown(&lines));
        Ok(change.with("old", replaced).with("new", excerpt(&op.replace)))
    }

    /// A line whose bytes cannot be written back as they are must not be rewritten for the sake of another place in it.
    fn check_fragile(&self, input: &OpInput, touched: &[usize]) -> Result<(), EditError> {
        let Some(line) = self.source.fragile(touched) else { return Ok(()) };
        let why = format!(
            "line {} of the file has characters that {} can write in several ways, and they would not stay as they are; \
             replace the whole line instead",
            line + 1,
            self.source.encoding()
        );
        Err(input.error("search", why))
    }

    pub(super) fn insert_lines(&mut self, input: &OpInput, op: &InsertLines) -> Result<OpReport, FileError> {
        let NewLines(new) = &op.lines;
        if new.is_empty() {
            return Err(input.error("lines", "missing or empty: give at least one line").into());
        }
        self.check_lines(input, new)?;
        let at = self.insert_at(input, op)?;
        self.lines.splice(at..at, new);
        let change =
            OpReport::new(input, format!("inserted {} in front of line {}", lines_in_words(new.len()), at + 1));
        Ok(change.with("line", at + 1).with("lines", new.len()))
    }

    /// Where lines go, counted from zero.
    fn insert_at(&self, input: &OpInput, op: &InsertLines) -> Result<usize, EditError> {
        let count = self.lines.count();
        let given = [op.line.is_some(), op.after_text.is_some(), op.before_text.is_some()];
        if given.into_iter().filter(|given| *given).count() > 1 {
            return Err(input.error("line", "one place is enough: `line`, `after_text` or `before_text`"));
        }
        if let Some(line) = op.line {
            let at = line.checked_sub(1).filter(|at| *at <= count);
            let why = || format!("lines go in front of a line from 1 to {} ({} is the end)", count + 1, count + 1);
            return at.ok_or_else(|| input.error("line", why()));
        }
        match (&op.after_text, &op.before_text) {
            (Some(text), _) => Ok(self.line_of(input, "after_text", text, op.match_case)?.1 + 1),
            (_, Some(text)) => Ok(self.line_of(input, "before_text", text, op.match_case)?.0),
            _ => Ok(count),
        }
    }

    /// The first and last line of the only place that has a text.
    fn line_of(&self, input: &OpInput, field: &str, text: &str, match_case: bool) -> Result<(usize, usize), EditError> {
        if text.is_empty() {
            return Err(input.error(field, "a text to look for is needed"));
        }
        let whole = self.lines.text();
        let found = Haystack::new(&whole, self.lines.ending(), Case::of(match_case)).find_all(text);
        let ends = found.iter().flat_map(|hit| [hit.start, hit.end.saturating_sub(1)]);
        let lines = self.lines.lines_at(ends);
        match lines.as_slice() {
            [] => Err(not_found(&self.lines, input, field, text)),
            [first, last] => Ok((*first, *last)),
            _ => {
                let starts: Vec<usize> = lines.iter().step_by(2).map(|line| line + 1).collect();
                let why = format!(
                    "the text is in {} places ({}); give more of it, or use `line`",
                    found.len(),
                    at_lines(&starts)
                );
                Err(input.error(field, why))
            }
        }
    }

    pub(super) fn replace_lines(&mut self, input: &OpInput, op: &ReplaceLines) -> Result<OpReport, FileError> {
        let NewLines(new) = &op.lines;
        if new.is_empty() {
            let why = "empty: this would delete the lines; use `delete_lines` for that";
            return Err(input.error("lines", why).suggest(["delete_lines"]).into());
        }
        self.check_lines(input, new)?;
        let range = self.range(input, op.line_start, op.line_count)?;
        let old = range.len();
        let (gone, added) = (self.listed(range.clone()), new.iter().take(MOST_LISTED).map(|line| excerpt(line)));
        let added: Vec<String> = added.collect();
        self.lines.splice(range, new);
        let summary =
            format!("replaced {} from line {} on by {}", lines_in_words(old), op.line_start, lines_in_words(new.len()));
        let change = OpReport::new(input, summary).with("line_start", op.line_start);
        let change = change.with("lines_removed", old).with("lines_added", new.len());
        Ok(change.with("old", gone).with("new", added))
    }

    pub(super) fn delete_lines(&mut self, input: &OpInput, op: &DeleteLines) -> Result<OpReport, FileError> {
        let range = self.range(input, op.line_start, op.line_count)?;
        let (old, gone) = (range.len(), self.listed(range.clone()));
        self.lines.splice(range, &[]);
        let summary = format!("deleted {} from line {} on", lines_in_words(old), op.line_start);
        let change = OpReport::new(input, summary).with("line_start", op.line_start);
        Ok(change.with("lines_removed", old).with("old", gone))
    }

    /// The first of some lines, for receipts.
    fn listed(&self, range: std::ops::Range<usize>) -> Vec<String> {
        let end = range.end.min(range.start.saturating_add(MOST_LISTED));
        (range.start..end).map(|line| excerpt(self.lines.bare(line))).collect()
    }

    fn check_lines(&self, input: &OpInput, new: &[String]) -> Result<(), FileError> {
        for line in new {
            self.check_new(input, "lines", line)?;
        }
        self.check_growth(new.iter().map(|line| line.len() + 2).sum())
    }

    /// Lines that exist, counted from zero.
    fn range(&self, input: &OpInput, start: usize, count: usize) -> Result<std::ops::Range<usize>, EditError> {
        let total = self.lines.count();
        if start == 0 || start > total {
            return Err(input.error("line_start", format!("there is no line {start}; the text has lines 1 to {total}")));
        }
        let end = (start - 1).saturating_add(count);
        if count == 0 || end > total {
            let left = total + 1 - start;
            return Err(
                input.error("line_count", format!("from line {start} on there are 1 to {left} lines, not {count}"))
            );
        }
        Ok(start - 1..end)
    }
}

/// A text that must be in one place, unless the caller says otherwise.
fn check_count(op: &ReplaceText, input: &OpInput, found: usize, lines: &[usize]) -> Result<(), EditError> {
    let lines: Vec<usize> = lines.iter().map(|line| line + 1).collect();
    match op.count {
        Some(count) if count != found && found > 0 => {
            let why = format!("the text is in {found} places ({}), not in {count}", at_lines(&lines));
            Err(input.error("count", why))
        }
        None if found > 1 && !op.all => {
            let why = format!(
                "the text is in {found} places ({}); give more of it, or say `all` or `count`",
                at_lines(&lines)
            );
            Err(input.error("search", why))
        }
        _ => Ok(()),
    }
}

/// The first line numbers of a list, which may be long.
fn shown(lines: &[usize]) -> Vec<usize> {
    lines.iter().copied().take(50).collect()
}

fn lines_in_words(count: usize) -> String {
    if count == 1 { "1 line".to_owned() } else { format!("{count} lines") }
}
