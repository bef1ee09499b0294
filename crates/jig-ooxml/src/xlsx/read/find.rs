//! `XlsxFind`: where a text occurs.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;

use memchr::memmem::Finder;
use serde_json::{Value, json};

use super::call::Call;
use super::cell::{Cell, Content};
use super::comments;
use super::params::Params;
use super::show::{Merges, one_line};
use super::strings::Strings;
use crate::edit::EditError;
use crate::error::Error;
use crate::xlsx::address::CellRef;
use crate::xlsx::book::{Sheet, SheetState};
use crate::xlsx::formula::quoted_sheet;
use crate::xlsx::numfmt::{NumberFormat, is_short};

const RESULTS: u64 = 100;
const MOST_RESULTS: u64 = 10_000;
/// Characters around a hit.
const AROUND: usize = 60;

/// What is looked for.
struct Query {
    text: String,
    /// The same, prepared for many texts.
    finder: Finder<'static>,
    match_case: bool,
    /// Whether it has letters that no plain number has: then numbers need not be put into words.
    has_letters: bool,
    /// For digits alone, ten to the power of all but one of them.
    scale: Option<f64>,
}

impl Query {
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
    fn in_strings(&self, strings: &Strings) -> Vec<bool> {
        let count = u32::try_from(strings.len()).unwrap_or(u32::MAX);
        (0..count).map(|number| strings.get(number).is_some_and(|text| self.is_in(text))).collect()
    }

    /// The text around the hit. Lower case may be longer than what it stands for, so the place is
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

/// The answer to `XlsxFind`.
pub(super) fn find(call: &Call<'_>, params: Params<'_>) -> Result<Value, Error> {
    let text = params.text("query")?.filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| EditError::new("query", "missing: the text to look for"))?;
    let match_case = params.flag("match_case")?;
    let in_formulas = params.flag("formulas")?;
    let most = params.number("max_results")?.unwrap_or(RESULTS).min(MOST_RESULTS);
    let only = params.sheet(call.book)?;
    let query = Query::new(text, match_case);
    let shared = query.in_strings(&call.shower.strings);
    let mut found = Found { most, count: 0, matches: Vec::new() };
    let mut snippets = Snippets::default();
    let mut plain = String::new();
    for (place, sheet) in call.sheets() {
        if only.is_some_and(|only| only != place) {
            continue;
        }
        let data = call.sheet(place)?;
        call.note_faults(place, &data);
        if let Some(used) = data.facts.used {
            let mut merges = Merges::new(&data.facts.merges);
            call.each_cell(place, &data, used, &mut |cell| {
                let hit =
                    hit(call, &query, &shared, &cell, &mut plain).or_else(|| in_formula(&query, in_formulas, &cell));
                let hit = hit.filter(|_| !merges.covers(cell.at));
                if let Some(hit) = hit {
                    let inside = if hit == Hit::Formula { "formula" } else { "value" };
                    found.add(sheet, cell.at, inside, || snippets.around(call, &query, &cell, hit));
                }
                ControlFlow::Continue(())
            })?;
        }
        in_comments(call, sheet, &query, &mut found);
    }
    let Found { count, matches, .. } = found;
    let mut answer = json!({"query": text, "match_count": count, "truncated": count > most, "matches": matches});
    call.warn(&mut answer);
    Ok(answer)
}

fn in_comments(call: &Call<'_>, sheet: &Sheet, query: &Query, found: &mut Found) {
    match comments::of_sheet(&call.package, sheet) {
        Ok(comments) => {
            for comment in comments.iter().filter(|comment| query.find(&comment.text).is_some()) {
                found.add(sheet, comment.at, "comment", || query.snippet(&comment.text));
            }
        }
        Err(error) => call.note(format!("{}: its comments cannot be read: {error}", sheet.name)),
    }
}

/// What was found: all are counted, the first ones listed.
struct Found {
    most: u64,
    count: u64,
    matches: Vec<Value>,
}

impl Found {
    fn add(&mut self, sheet: &Sheet, at: CellRef, inside: &str, snippet: impl FnOnce() -> String) {
        self.count += 1;
        if self.count <= self.most {
            self.matches.push(json!({
                "sheet": sheet.name,
                "cell": at.to_string(),
                "address": format!("{}!{at}", quoted_sheet(&sheet.name)),
                "in": inside,
                "snippet": snippet(),
                "hidden": sheet.state != SheetState::Visible,
            }));
        }
    }
}

/// Where in a cell the query is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hit {
    /// In what it shows.
    Shown,
    /// In the number behind what it shows.
    Number,
    Formula,
}

/// Looks at what a cell shows. `plain` is room for numbers, of which there are many.
fn hit(call: &Call<'_>, query: &Query, shared: &[bool], cell: &Cell<'_>, plain: &mut String) -> Option<Hit> {
    let shown = match &cell.content {
        Content::Empty => false,
        // Formats of text only add to it; what they add is not looked for.
        Content::Shared(number) => shared.get(*number as usize).copied().unwrap_or(false),
        Content::Text(text) => query.is_in(text),
        Content::Number(number) => return number_hit(call, query, cell, *number, plain),
        _ => query.is_in(&call.shower.value(cell)),
    };
    shown.then_some(Hit::Shown)
}

fn number_hit(call: &Call<'_>, query: &Query, cell: &Cell<'_>, number: f64, plain: &mut String) -> Option<Hit> {
    let format = call.shower.styles.format(cell.style);
    if query.has_letters && !format.is_some_and(NumberFormat::shows_letters) {
        return None;
    }
    if format.is_none() && query.outnumbers(number) {
        return None;
    }
    plain.clear();
    let _ = write!(plain, "{number}");
    let is_plain = query.is_in(plain);
    let shown = if format.is_none() && is_short(plain) { is_plain } else { query.is_in(&call.shower.value(cell)) };
    if shown {
        return Some(Hit::Shown);
    }
    // Someone who looks for 1234.5 means the cell that shows 1,234.50 too.
    is_plain.then_some(Hit::Number)
}

fn in_formula(query: &Query, in_formulas: bool, cell: &Cell<'_>) -> Option<Hit> {
    let formula = cell.formula.as_ref().filter(|_| in_formulas)?.text(cell.at);
    query.find(&formula).map(|_| Hit::Formula)
}

/// What is around a hit. A shared string may be long and in many cells: it is cut once.
#[derive(Default)]
struct Snippets {
    shared: HashMap<u32, String>,
}

impl Snippets {
    fn around(&mut self, call: &Call<'_>, query: &Query, cell: &Cell<'_>, hit: Hit) -> String {
        match (hit, &cell.content) {
            (Hit::Formula, _) => query.snippet(&cell.formula.as_ref().map(|f| f.text(cell.at)).unwrap_or_default()),
            (Hit::Number, Content::Number(number)) => format!("{} ({number})", call.shower.value(cell)),
            (_, Content::Shared(number)) => {
                let text = || query.snippet(call.shower.strings.get(*number).unwrap_or_default());
                self.shared.entry(*number).or_insert_with(text).clone()
            }
            (_, Content::Text(text)) => query.snippet(text),
            _ => query.snippet(&call.shower.value(cell)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xlsx::numfmt::general;

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
            if Query::new(query, false).outnumbers(number) {
                passed_over += 1;
                assert!(!general(number).contains(query) && !number.to_string().contains(query), "{query} in {number}");
            }
        }
        assert!(passed_over > 60, "only {passed_over}");
        assert!(!Query::new("1.5", false).outnumbers(1.0), "not of digits alone");
    }
}
