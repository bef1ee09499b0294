//! The ops of text files: targeted edits that leave every other byte of a file as it is.
//!
//! An op works on [`Lines`], which know whether they are still as they were in the file. At the end, the bytes of
//! untouched lines are copied and only the others are encoded, and the result is decoded again to prove it.

mod lines;

use jig_file_api::Strictness;
use jig_file_api::ops::text::{DeleteLines, InsertLines, NewLines, ReplaceLines, ReplaceText, TextOp};
use jig_ooxml::edit::{Applied, CellChanges, EditError, OpHelp, OpInput, OpReport, excerpt, nearest, read_ops};
use jig_text::TextEncoding;
use serde_json::Value;

use self::lines::{Exchange, Lines};
use super::Text;
use super::file::TextError;
use super::search::{Case, Haystack, MOST_HITS};
use crate::engine::{FileError, Reason};

/// The largest text that an edit may make: 256 MiB.
const MOST_BYTES: usize = 256 << 20;

/// Applies a list of ops to a file, or to a new, empty one.
pub(crate) fn apply(source: Option<&[u8]>, ops: &Value) -> Result<Applied, FileError> {
    let mut warnings = Vec::new();
    // The original client has no ops for text, so none of its calls depends on a field that is ignored.
    let ops = read_ops::<TextOp>(ops, Strictness::Refuse, &mut warnings)?;
    let bytes = source.unwrap_or_default();
    super::file::check(bytes)?;
    let text = Text::decode(bytes);
    let mut session = Session { source: Source::new(&text, bytes), lines: Lines::of(&text), warnings };
    let mut changes = Vec::new();
    for (input, op) in ops {
        changes.push(session.apply_op(&input, op).map_err(|error| with_signature(error, &input))?);
    }
    let bytes = session.source.encode(&session.lines, &mut session.warnings)?;
    let (created_sheets, stale) = (Vec::new(), Vec::new());
    let cells = CellChanges::default();
    Ok(Applied { bytes, changes, warnings: session.warnings, parts: Vec::new(), created_sheets, stale, cells })
}

/// The error of an op with the fields that it takes.
fn with_signature(mut error: FileError, input: &OpInput) -> FileError {
    if error.reason == Reason::Invalid {
        let signature = || jig_file_api::ops::schema::op_signature::<TextOp>(input.name);
        error.help.get_or_insert_with(|| Box::new(OpHelp { signature: signature(), ..OpHelp::default() }));
    }
    error
}

/// A text in the middle of its ops.
struct Session<'a> {
    source: Source<'a>,
    lines: Lines<'a>,
    warnings: Vec<String>,
}

impl Session<'_> {
    fn apply_op(&mut self, input: &OpInput, op: TextOp) -> Result<OpReport, FileError> {
        match op {
            TextOp::ReplaceText(op) => self.replace_text(input, &op),
            TextOp::InsertLines(op) => self.insert_lines(input, &op),
            TextOp::ReplaceLines(op) => self.replace_lines(input, &op),
            TextOp::DeleteLines(op) => self.delete_lines(input, &op),
        }
    }

    /// Refuses text that the file cannot hold.
    fn check_new(&self, input: &OpInput, field: &str, text: &str) -> Result<(), EditError> {
        if text.contains('\0') {
            return Err(input.error(field, "a text file cannot hold the character NUL"));
        }
        let missing = self.source.missing(text);
        if missing.is_empty() {
            return Ok(());
        }
        let shown: Vec<String> = missing.iter().map(|c| format!("{c:?} (U+{:04X})", u32::from(*c))).collect();
        let why = format!(
            "the file is in the encoding {}, which does not have {}; `write_text_file` can rewrite it in UTF-8",
            self.source.encoding(),
            shown.join(", ")
        );
        Err(input.error(field, why))
    }

    /// Refuses to grow beyond all bounds.
    fn check_growth(&self, more: usize) -> Result<(), FileError> {
        if self.lines.bytes().saturating_add(more) <= MOST_BYTES {
            return Ok(());
        }
        Err(TextError::GrowsTooLarge { limit: MOST_BYTES }.into())
    }
}

/// The most lines that one change lists as old or new; its counts cover all.
const MOST_LISTED: usize = 20;

impl Session<'_> {
    fn replace_text(&mut self, input: &OpInput, op: &ReplaceText) -> Result<OpReport, FileError> {
        if op.search.is_empty() {
            return Err(input.error("search", "a text to look for is needed").into());
        }
        self.check_new(input, "replace", &op.replace)?;
        let whole = self.lines.text();
        let found = Haystack::new(&whole, self.lines.ending(), Case::of(op.match_case)).find_all(&op.search);
        let lines = self.lines.lines_at(found.iter().map(|hit| hit.start));
        check_count(op, input, found.len(), &lines)?;
        if found.len() > MOST_HITS {
            return Err(TextError::TooManyMatches { field: input.at("search"), limit: MOST_HITS }.into());
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
        let change = change.with("replacements", found.len()).with("lines", first_lines(&lines));
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

    fn insert_lines(&mut self, input: &OpInput, op: &InsertLines) -> Result<OpReport, FileError> {
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

    fn replace_lines(&mut self, input: &OpInput, op: &ReplaceLines) -> Result<OpReport, FileError> {
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

    fn delete_lines(&mut self, input: &OpInput, op: &DeleteLines) -> Result<OpReport, FileError> {
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
fn first_lines(lines: &[usize]) -> Vec<usize> {
    lines.iter().copied().take(50).collect()
}

fn lines_in_words(count: usize) -> String {
    if count == 1 { "1 line".to_owned() } else { format!("{count} lines") }
}

/// How many lines are compared with a text that was not found.
const COMPARED: usize = 20_000;
/// Longer lines are not compared.
const COMPARED_BYTES: usize = 400;

/// `line 3`, `lines 3, 7, 9 and 12 more`.
fn at_lines(lines: &[usize]) -> String {
    let mut lines = lines.to_vec();
    lines.dedup();
    let word = if lines.len() == 1 { "line" } else { "lines" };
    let shown: Vec<String> = lines.iter().take(10).map(ToString::to_string).collect();
    match lines.len().saturating_sub(shown.len()) {
        0 => format!("{word} {}", shown.join(", ")),
        more => format!("{word} {} and {more} more", shown.join(", ")),
    }
}

/// A text is nowhere: the error says what is most like it.
fn not_found(lines: &Lines<'_>, input: &OpInput, field: &str, text: &str) -> EditError {
    let same = |one: &str, other: &str| squeezed(one) == squeezed(other);
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or(text);
    let candidates = || (0..lines.count().min(COMPARED)).map(move |at| (at, lines.bare(at)));
    if let Some((at, _)) = candidates().find(|(_, line)| contains_squeezed(line, first)) {
        let rest = if text.trim().lines().count() > 1 { "; its first line is there" } else { "" };
        let why = format!(
            "the text is not in the file as it is given{rest}: line {} has it with other white space or case, or continues otherwise",
            at + 1
        );
        return input.error(field, why).suggest([numbered(at, lines.bare(at))]);
    }
    let short = || candidates().map(|(at, line)| (at, line.trim())).filter(|(_, line)| line.len() <= COMPARED_BYTES);
    let near = nearest(&limited(first), short().map(|(_, line)| line));
    let near: Vec<String> = near
        .iter()
        .filter_map(|line| short().find(|(_, other)| same(other, line)).map(|(at, line)| numbered(at, line)))
        .collect();
    let why = match near.is_empty() {
        true => "the text is not in the file",
        false => "the text is not in the file; near to it are the lines below",
    };
    input.error(field, why).suggest(near)
}

fn numbered(at: usize, line: &str) -> String {
    format!("line {}: {}", at + 1, limited(line.trim()))
}

fn limited(text: &str) -> String {
    text.chars().take(200).collect()
}

/// Without regard to white space and case.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<String>().to_lowercase()
}

fn contains_squeezed(line: &str, text: &str) -> bool {
    let wanted = squeezed(text);
    !wanted.is_empty() && line.len() <= 100 * COMPARED_BYTES && squeezed(line).contains(&wanted)
}

/// The file that is edited.
struct Source<'a> {
    text: &'a Text,
    bytes: &'a [u8],
}

/// The most characters that an error names.
const NAMED: usize = 10;

impl<'a> Source<'a> {
    fn new(text: &'a Text, bytes: &'a [u8]) -> Self {
        Self { text, bytes }
    }

    fn encoding(&self) -> TextEncoding {
        self.text.encoding()
    }

    /// Characters of a text that the file's encoding cannot hold and give back.
    fn missing(&self, text: &str) -> Vec<char> {
        let encoding = self.encoding();
        if encoding.holds(text) {
            return Vec::new();
        }
        let mut missing = Vec::new();
        for c in text.chars() {
            if missing.len() < NAMED && !missing.contains(&c) && !encoding.holds(c.encode_utf8(&mut [0; 4])) {
                missing.push(c);
            }
        }
        missing
    }

    /// The first of these lines (from zero) whose bytes would change if it were encoded again.
    fn fragile(&self, lines: &[usize]) -> Option<usize> {
        if self.text.round_trips() {
            return None;
        }
        let old = self.lines_in_bytes();
        let safe = |line: &usize| {
            let written = self.encoding().encode_part(self.text.raw_lines(*line, *line + 1));
            old.as_ref().is_some_and(|old| old.get(*line).is_some_and(|old| written.as_deref() == Some(*old)))
        };
        lines.iter().copied().find(|line| !safe(line))
    }

    /// The edited file.
    fn encode(&self, lines: &Lines<'_>, warnings: &mut Vec<String>) -> Result<Vec<u8>, TextError> {
        let content = lines.text();
        let bytes = if self.text.round_trips() {
            self.encoding().encode(&content).map_err(|source| TextError::Encode { source })?
        } else {
            self.by_lines(lines)?
        };
        // Whichever way it was encoded, the file must decode to the intended text.
        if Text::decode_as(&bytes, self.encoding()).content() != content {
            return Err(self.refused());
        }
        let guessed = TextEncoding::detect(&bytes);
        if guessed != self.encoding() && Text::decode_as(&bytes, guessed).content() != content {
            let words =
                format!("the file stays in {}, but programs that guess may now take it for {guessed}", self.encoding());
            warnings.push(words);
        }
        Ok(bytes)
    }

    /// The bytes of untouched lines copied, the other lines encoded.
    fn by_lines(&self, lines: &Lines<'_>) -> Result<Vec<u8>, TextError> {
        let old = self.lines_in_bytes().ok_or_else(|| self.refused())?;
        let mark = self.bytes.len() - self.body().len();
        let mut out = self.bytes.get(..mark).unwrap_or_default().to_vec();
        for line in &lines.lines {
            let kept = line.origin.and_then(|at| old.get(at).copied());
            match kept {
                Some(bytes) => out.extend_from_slice(bytes),
                None => out.extend(self.encoding().encode_part(&line.text).ok_or_else(|| self.refused())?),
            }
        }
        Ok(out)
    }

    /// The file's lines as bytes, if the encoding allows to split lines without decoding.
    fn lines_in_bytes(&self) -> Option<Vec<&'a [u8]>> {
        if !self.encoding().is_ascii_compatible() {
            return None;
        }
        let separator = self.text.line_ending().separator();
        let lines: Vec<&[u8]> = self.body().split_inclusive(|byte| *byte == separator).collect();
        (lines.len() == self.text.line_count()).then_some(lines)
    }

    /// Without the byte order mark.
    fn body(&self) -> &'a [u8] {
        self.bytes.get(self.encoding().bom_len()..).unwrap_or_default()
    }

    fn refused(&self) -> TextError {
        TextError::NotReversible { encoding: self.encoding().to_string() }
    }
}

#[cfg(test)]
mod tests;
