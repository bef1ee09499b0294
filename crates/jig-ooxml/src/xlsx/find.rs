//! `XlsxFind`: where a text occurs, in cells and in comments.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::ops::ControlFlow;

use jig_file_api::read::xlsx::{FindMatch, FindQuery, FindReply, MatchSource};
use memchr::memmem::Finder;

use super::address::CellRef;
use super::cell_formatter::{MergedCells, one_line};
use super::formula::quoted_sheet;
use super::number_format::{NumberFormat, is_short};
use super::shared_strings::SharedStrings;
use super::sheet::cell::{Cell, CellData};
use super::workbook::{ReadCall, Workbook};
use super::workbook_part::{Sheet, SheetState};
use crate::edit::EditError;
use crate::error::{Error, PackageError};
use crate::package::Package;
use crate::relationships::Relationships;
use crate::xml::{Node, Ns};

const RESULTS: u64 = 100;
const MOST_RESULTS: u64 = 10_000;
/// Characters around a hit.
const AROUND: usize = 60;

/// The text to search for.
struct SearchPattern {
    text: String,
    /// The same, prepared for many texts.
    finder: Finder<'static>,
    match_case: bool,
    /// Whether it has letters that no plain number has: then numbers need not be formatted.
    has_letters: bool,
    /// For digits alone, ten to the power of all but one of them.
    scale: Option<f64>,
}

impl SearchPattern {
    fn new(text: &str, match_case: bool) -> Self {
        let has_letters = text.chars().any(|c| c.is_alphabetic() && !c.eq_ignore_ascii_case(&'e'));
        let text = if match_case { text.to_owned() } else { lower(text).into_owned() };
        let finder = Finder::new(&text).into_owned();
        let digits = text.bytes().all(|byte| byte.is_ascii_digit()) && (2..=15).contains(&text.len());
        let scale = digits.then(|| 10_f64.powi(text.len() as i32 - 1));
        Self { text, finder, match_case, has_letters, scale }
    }

    /// Whether a number has too few digits on either side of its point for `General` to show the query, which
    /// is of digits alone. To write all numbers out would take most of the time of a search.
    fn outnumbers(&self, number: f64) -> bool {
        let Some(scale) = self.scale else { return false };
        let size = number.abs();
        let scaled = (size * scale).round();
        // Up to 2⁵³ the quotient is the float nearest to the decimal number: the same float, the same digits.
        size + 1.0 < scale && scaled < 9e15 && scaled / scale == size
    }

    /// Whether a text has it.
    fn is_in(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// Where it begins in a text, in bytes of the text as it is compared.
    fn find<'t>(&self, text: &'t str) -> Option<(usize, Cow<'t, str>)> {
        let compared = if self.match_case { Cow::Borrowed(text) } else { lower(text) };
        let at = self.finder.find(compared.as_bytes())?;
        Some((at, compared))
    }

    /// Which shared strings have it: each is looked at once, however many cells show it.
    fn in_strings(&self, strings: &SharedStrings) -> Vec<bool> {
        let count = u32::try_from(strings.len()).unwrap_or(u32::MAX);
        (0..count).map(|number| strings.get(number).is_some_and(|text| self.is_in(text))).collect()
    }

    /// The text around the hit. Lower case may be longer than the original, so the place is
    /// counted in characters.
    fn snippet(&self, text: &str) -> String {
        let Some((at, compared)) = self.find(text) else { return one_line(text).into_owned() };
        let before = compared.get(..at).unwrap_or_default().chars().count();
        let from = before.saturating_sub(AROUND);
        let length = before - from + self.text.chars().count() + AROUND;
        let piece: String = text.chars().skip(from).take(length).collect();
        let cut = text.chars().nth(from + length).is_some();
        format!("{}{}{}", if from > 0 { "…" } else { "" }, one_line(&piece), if cut { "…" } else { "" })
    }
}

fn lower(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii()) {
        return text.into();
    }
    if text.is_ascii() { text.to_ascii_lowercase().into() } else { text.to_lowercase().into() }
}

impl Workbook {
    /// Where a text occurs, in the values of cells, in comments and, if asked for, in formulas.
    pub fn find(&self, query: &FindQuery) -> Result<FindReply, Error> {
        let call = ReadCall::new(self)?;
        if query.text.is_empty() {
            return Err(EditError::new("query", "missing: the text to search for").into());
        }
        let only = query.sheet.as_deref().map(|name| self.sheet_index(Some(name))).transpose()?;
        let most = query.max_results.unwrap_or(RESULTS).min(MOST_RESULTS);
        let pattern = SearchPattern::new(&query.text, query.match_case);
        let shared = pattern.in_strings(&call.formatter.strings);
        let mut found = Matches { most, count: 0, list: Vec::new() };
        let mut snippets = Snippets::default();
        let mut plain = String::new();
        for (place, sheet) in call.sheets() {
            if only.is_some_and(|only| only != place) {
                continue;
            }
            let data = call.sheet(place)?;
            call.note_faults(place, &data);
            if let Some(used) = data.facts.used {
                let mut merged = MergedCells::new(&data.facts.merges);
                call.each_cell(place, &data, used, &mut |cell| {
                    let hit = hit(&call, &pattern, &shared, &cell, &mut plain)
                        .or_else(|| in_formula(&pattern, query.formulas, &cell));
                    let hit = hit.filter(|_| !merged.covers(cell.at));
                    if let Some(hit) = hit {
                        let found_in = if hit == Hit::Formula { MatchSource::Formula } else { MatchSource::Value };
                        found.add(sheet, cell.at, found_in, || snippets.around(&call, &pattern, &cell, hit));
                    }
                    ControlFlow::Continue(())
                })?;
            }
            in_comments(&call, sheet, &pattern, &mut found);
        }
        let Matches { count, list, .. } = found;
        Ok(FindReply {
            query: query.text.clone(),
            match_count: count,
            truncated: count > most,
            matches: list,
            warnings: call.into_warnings(),
        })
    }
}

fn in_comments(call: &ReadCall<'_>, sheet: &Sheet, pattern: &SearchPattern, found: &mut Matches) {
    match comments_of(&call.package, sheet) {
        Ok(comments) => {
            for comment in comments.iter().filter(|comment| pattern.find(&comment.text).is_some()) {
                found.add(sheet, comment.at, MatchSource::Comment, || pattern.snippet(&comment.text));
            }
        }
        Err(error) => call.note(format!("{}: its comments cannot be read: {error}", sheet.name)),
    }
}

/// Matches: all are counted, the first ones listed.
struct Matches {
    most: u64,
    count: u64,
    list: Vec<FindMatch>,
}

impl Matches {
    fn add(&mut self, sheet: &Sheet, at: CellRef, found_in: MatchSource, snippet: impl FnOnce() -> String) {
        self.count += 1;
        if self.count <= self.most {
            self.list.push(FindMatch {
                sheet: sheet.name.clone(),
                cell: at.to_string(),
                address: format!("{}!{at}", quoted_sheet(&sheet.name)),
                found_in,
                snippet: snippet(),
                hidden: sheet.state != SheetState::Visible,
            });
        }
    }
}

/// Where in a cell the query is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hit {
    /// In the displayed value.
    Shown,
    /// In the number that is displayed in another form.
    Number,
    Formula,
}

/// Searches the displayed value of a cell. `plain` is a reused buffer for numbers, of which there are many.
fn hit(
    call: &ReadCall<'_>,
    pattern: &SearchPattern,
    shared: &[bool],
    cell: &Cell<'_>,
    plain: &mut String,
) -> Option<Hit> {
    let shown = match &cell.data {
        CellData::Empty => false,
        // Formats of text only add to it; what they add is not looked for.
        CellData::Shared(number) => shared.get(*number as usize).copied().unwrap_or(false),
        CellData::Text(text) => pattern.is_in(text),
        CellData::Number(number) => return number_hit(call, pattern, cell, *number, plain),
        _ => pattern.is_in(&call.formatter.value(cell)),
    };
    shown.then_some(Hit::Shown)
}

fn number_hit(
    call: &ReadCall<'_>,
    pattern: &SearchPattern,
    cell: &Cell<'_>,
    number: f64,
    plain: &mut String,
) -> Option<Hit> {
    let format = call.formatter.styles.format(cell.style);
    if pattern.has_letters && !format.is_some_and(NumberFormat::shows_letters) {
        return None;
    }
    if format.is_none() && pattern.outnumbers(number) {
        return None;
    }
    plain.clear();
    let _ = write!(plain, "{number}");
    let is_plain = pattern.is_in(plain);
    let shown = if format.is_none() && is_short(plain) { is_plain } else { pattern.is_in(&call.formatter.value(cell)) };
    if shown {
        return Some(Hit::Shown);
    }
    // A search for 1234.5 also finds the cell that displays 1,234.50.
    is_plain.then_some(Hit::Number)
}

fn in_formula(pattern: &SearchPattern, in_formulas: bool, cell: &Cell<'_>) -> Option<Hit> {
    let formula = cell.formula.as_ref().filter(|_| in_formulas)?.text(cell.at);
    pattern.find(&formula).map(|_| Hit::Formula)
}

/// What is around a hit. A shared string may be long and in many cells: it is cut once.
#[derive(Default)]
struct Snippets {
    shared: HashMap<u32, String>,
}

impl Snippets {
    fn around(&mut self, call: &ReadCall<'_>, pattern: &SearchPattern, cell: &Cell<'_>, hit: Hit) -> String {
        match (hit, &cell.data) {
            (Hit::Formula, _) => pattern.snippet(&cell.formula.as_ref().map(|f| f.text(cell.at)).unwrap_or_default()),
            (Hit::Number, CellData::Number(number)) => format!("{} ({number})", call.formatter.value(cell)),
            (_, CellData::Shared(number)) => {
                let text = || pattern.snippet(call.formatter.strings.get(*number).unwrap_or_default());
                self.shared.entry(*number).or_insert_with(text).clone()
            }
            (_, CellData::Text(text)) => pattern.snippet(text),
            _ => pattern.snippet(&call.formatter.value(cell)),
        }
    }
}

/// A comment at a cell; each answer in a thread is one of its own.
#[derive(Debug, PartialEq, Eq)]
struct Comment {
    at: CellRef,
    text: String,
}

/// The comments of a sheet by row and column. Where there is a thread, the note that replaces it in older
/// programs is left out: it repeats the thread.
fn comments_of(package: &Package, sheet: &Sheet) -> Result<Vec<Comment>, PackageError> {
    let Some(part) = &sheet.part else { return Ok(Vec::new()) };
    let (mut notes, mut threads) = (Vec::new(), Vec::new());
    for relationship in Relationships::read(package, part)?.list {
        let part = relationship.part.as_ref().filter(|part| package.has(part));
        match (relationship.kind.as_str(), part) {
            ("comments", Some(part)) => notes.append(&mut read_comments(package, part, "comment")?),
            ("threadedComment", Some(part)) => threads.append(&mut read_comments(package, part, "threadedComment")?),
            _ => {}
        }
    }
    let threaded: HashSet<CellRef> = threads.iter().map(|comment: &Comment| comment.at).collect();
    notes.retain(|note: &Comment| !threaded.contains(&note.at));
    notes.append(&mut threads);
    // The sort keeps the answers of a thread in their order.
    notes.sort_by_key(|comment| (comment.at.row(), comment.at.col()));
    Ok(notes)
}

fn read_comments(package: &Package, part: &str, element: &str) -> Result<Vec<Comment>, PackageError> {
    let content = package.xml(part)?;
    let tree = content.tree(package.limits())?;
    let nodes = tree.root().descendants().filter(|node| node.local() == element);
    Ok(nodes
        .filter_map(|node| Some(Comment { at: node.attr("ref")?.parse().ok()?, text: comment_text(node) }))
        .collect())
}

/// A note holds runs of rich text (with phonetic hints, which are no text), a thread's comment plain text.
fn comment_text(comment: Node<'_>) -> String {
    let Some(text) = comment.elements().find(|node| node.local() == "text") else { return String::new() };
    if text.ns() != Ns::S {
        return text.text().to_string();
    }
    let mut out = String::new();
    for piece in text.elements() {
        match piece.local() {
            "t" => out.push_str(&piece.text()),
            "r" => piece.children_named(Ns::S, "t").for_each(|run| out.push_str(&run.text())),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xlsx::number_format::general;

    #[test]
    fn numbers_that_are_passed_over_do_not_show_the_query() {
        let numbers = [
            0.0,
            1.0,
            -7.25,
            0.1,
            0.1 + 0.2,
            12.34,
            99.99,
            999.999,
            1234.56,
            99_999.999_99,
            123_456.0,
            999_999.999_999,
            1e-5,
            1.5e-7,
            1.0 / 3.0,
            1e15,
            123_456_789_012.0,
            1e300,
            45_292.5,
            8_191.03,
        ];
        let queries =
            ["12", "99", "34", "05", "123", "9999", "1000000", "99999", "123456", "3333333333", "30000000000000"];
        let mut passed_over = 0;
        for (number, query) in numbers.iter().flat_map(|number| queries.map(|query| (*number, query))) {
            if SearchPattern::new(query, false).outnumbers(number) {
                passed_over += 1;
                assert!(!general(number).contains(query) && !number.to_string().contains(query), "{query} in {number}");
            }
        }
        assert!(passed_over > 60, "only {passed_over}");
        assert!(!SearchPattern::new("1.5", false).outnumbers(1.0), "not of digits alone");
    }
}
