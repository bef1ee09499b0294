//! Interprets a model's reading of a style document. The model answers with structured rules; what is saved is the
//! wording of the document.
//!
//! Each rule of the answer must be backed by a passage of the document. If the passage is a rule by itself (it has a
//! heading, or states what is wanted), it is saved verbatim below its headings, so that no answer can turn a rule into
//! its opposite. The model's wording is used only for rules derived from samples and prose, with the source quoted next
//! to them. Rules of the document that the answer omits are added; other lines are reported.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::answer::{ANSWER_BYTES_MAX, AnswerError};
use super::json;
use super::machine::Checked;
use crate::item::category::Category;
use crate::item::offline::{style_markdown, style_skill};
use crate::item::validate::validate;
use crate::style::{
    Example, Format, HouseStyle, Polarity, RuleSource, Scope, StyleRule, Term, polarity_of_text, read_document,
};

/// The maximum number of rules of a style.
const RULES_MAX: usize = 400;
/// An unused passage longer than this, in characters, is reported instead of added.
const ADDED_CHARS: usize = 600;
/// How many lines a warning lists, and how many characters of each.
const LISTED: usize = 20;
const LISTED_CHARS: usize = 120;
/// The minimum share of a quote's words that a passage must contain to back it.
const BACKED: f64 = 0.8;
/// The share of a passage's words from which on a rule is only a restatement.
const RESTATED: f64 = 0.5;

/// A rule in a model's answer.
struct ModelRule {
    rule: String,
    polarity: Option<Polarity>,
    formats: Vec<Format>,
    heading: String,
    quote: String,
}

/// A term in a model's answer; empty texts are dropped.
struct ModelTerm {
    write: String,
    avoid: String,
    quote: String,
}

/// The files of an answer with warnings, or all errors. `last` means that no retry follows, so that single rules
/// without backing are dropped and reported.
pub(super) fn check(material: &str, answer: &str, last: bool) -> Result<Checked, Vec<String>> {
    let (rules, terms) = read(answer)?;
    let mut reading = Reading::of(material);
    for given in &rules {
        reading.take_rule(given);
    }
    for given in &terms {
        reading.take_term(given);
    }
    if !reading.unbacked.is_empty() && (!last || reading.saved.is_empty()) {
        let wrong = reading.unbacked.iter().map(|what| {
            format!("{what} is not backed by the material: `quote` must repeat words of the material exactly")
        });
        return Err(wrong.collect());
    }
    // Code is an example, never a rule, so it is saved whatever the model says about it.
    let examples = std::mem::take(&mut reading.examples);
    let (rules, mut warnings) = reading.finish();
    let main = Category::DocumentStyle.main_file().to_owned();
    let detail = Category::DocumentStyle.detail_file().unwrap_or_default().to_owned();
    let files = BTreeMap::from([(main, style_skill("")), (detail, style_markdown(&rules, &examples))]);
    let (hard, advice): (Vec<_>, Vec<_>) =
        validate(Category::DocumentStyle, &files).into_iter().partition(|found| found.hard);
    if !hard.is_empty() {
        return Err(hard.into_iter().map(|problem| problem.message).collect());
    }
    warnings.extend(advice.into_iter().map(|problem| problem.message));
    Ok((files, warnings))
}

/// The document as Jig reads it, and what was taken from it.
struct Reading {
    passages: Vec<Passage>,
    /// Code blocks of the document.
    examples: Vec<Example>,
    /// Passages that are saved in their own words.
    saved: BTreeSet<Saved>,
    /// Rules in the model's wording, each with its source passage.
    derived: Vec<(usize, StyleRule)>,
    unbacked: Vec<String>,
    corrected: Vec<String>,
}

/// How a passage was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Saved {
    Verbatim(usize),
    Derived(usize),
}

/// A rule, line or paragraph of the document.
struct Passage {
    rule: StyleRule,
    /// The text, and the text with its headings, as normalised words.
    plain: String,
    with_headings: String,
}

impl Passage {
    /// Whether its own wording, with its headings, can be saved as a rule.
    fn is_rule(&self) -> bool {
        self.rule.polarity != Polarity::Unclear || !self.rule.label().is_empty() || is_row(&self.rule.text)
    }

    fn excerpt(&self) -> String {
        let label = self.rule.label();
        let text = shortened(&self.rule.text);
        if label.is_empty() { format!("“{text}”") } else { format!("“{text}” (under “{label}”)") }
    }
}

impl Reading {
    fn of(material: &str) -> Self {
        let passage = |rule: StyleRule| {
            let plain = normal(&rule.text);
            let with_headings = normal(&format!("{} {}", rule.source.headings.join(" "), rule.text));
            Passage { rule, plain, with_headings }
        };
        let HouseStyle { rules, examples } = read_document(material);
        Self {
            passages: rules.into_iter().map(passage).collect(),
            examples,
            saved: BTreeSet::new(),
            derived: Vec::new(),
            unbacked: Vec::new(),
            corrected: Vec::new(),
        }
    }

    fn take_rule(&mut self, given: &ModelRule) {
        let mut found = self.backing(&given.quote, &given.heading);
        if found.is_empty() {
            found = self.backing(&given.rule, &given.heading);
        }
        if found.is_empty() {
            self.unbacked.push(format!("the rule “{}”", shortened(&given.rule)));
        }
        for at in found {
            let Some(passage) = self.passages.get(at) else { continue };
            if passage.is_rule() || share_of(&passage.plain, &normal(&given.rule)) >= RESTATED {
                let opposite = opposite(passage.rule.polarity, given);
                let excerpt = passage.excerpt();
                if self.saved.insert(Saved::Verbatim(at)) && opposite {
                    self.corrected.push(excerpt);
                }
                continue;
            }
            let text = format!("{} (from “{}”)", given.rule.trim(), passage.rule.text.trim());
            let scope = if given.formats.is_empty() {
                passage.rule.scope.clone()
            } else {
                Scope::Formats(given.formats.clone())
            };
            // A clear wording takes precedence over the label next to it.
            let polarity = match polarity_of_text(&given.rule) {
                Polarity::Unclear => given.polarity,
                own => Some(own),
            };
            let rule = StyleRule::new(&text, scope, source(polarity));
            self.saved.insert(Saved::Derived(at));
            self.derived.push((at, rule));
            break;
        }
    }

    fn take_term(&mut self, given: &ModelTerm) {
        let names = [&given.write, &given.avoid].map(|name| normal(name));
        let named = |passage: &Passage| names.iter().all(|name| passage.with_headings.contains(name.as_str()));
        let quoted = self.backing(&given.quote, "");
        let found = quoted.into_iter().find(|at| self.passages.get(*at).is_some_and(named));
        let found = found.or_else(|| self.passages.iter().position(named));
        let Some((at, passage)) = found.and_then(|at| Some((at, self.passages.get(at)?))) else {
            let words = [&given.write, &given.avoid].map(|name| shortened(name)).join(" ");
            return self.unbacked.push(format!("the term “{}”", words.trim()));
        };
        if passage.is_rule() {
            let opposite = passage.rule.terms.iter().any(|term| contradicts(term, &names));
            let excerpt = passage.excerpt();
            if self.saved.insert(Saved::Verbatim(at)) && opposite {
                self.corrected.push(excerpt);
            }
            return;
        }
        let (write, avoid) = (given.write.trim(), given.avoid.trim());
        let words = match (write.is_empty(), avoid.is_empty()) {
            (false, false) => format!("Write “{write}”, not “{avoid}”"),
            (true, _) => format!("Do not use the term “{avoid}”"),
            (_, true) => format!("Always use the term “{write}”"),
        };
        let text = format!("{words} (from “{}”)", passage.rule.text.trim());
        let rule = StyleRule::new(&text, passage.rule.scope.clone(), source(None));
        self.saved.insert(Saved::Derived(at));
        self.derived.push((at, rule));
    }

    /// The passages that back a quote: an equal one, those that contain it or are contained in it, else the one with
    /// the most words in common.
    fn backing(&self, quote: &str, heading: &str) -> Vec<usize> {
        let quote = normal(quote);
        if quote.chars().filter(|c| c.is_alphanumeric()).count() < 2 {
            return Vec::new();
        }
        let heading = normal(heading);
        let all = |is: &dyn Fn(&Passage) -> bool| -> Vec<usize> {
            self.passages.iter().enumerate().filter(|(_, passage)| is(passage)).map(|(at, _)| at).collect()
        };
        let below = |found: Vec<usize>| -> Vec<usize> {
            let is_below = |at: &usize| {
                let headings = self.passages.get(*at).map(|passage| normal(&passage.rule.source.headings.join(" ")));
                !heading.is_empty() && headings.is_some_and(|headings| headings.contains(&heading))
            };
            let narrow: Vec<usize> = found.iter().copied().filter(is_below).collect();
            if narrow.is_empty() { found } else { narrow }
        };
        let same = below(all(&|passage| passage.plain == quote));
        if !same.is_empty() {
            return same;
        }
        let around = below(all(&|passage| passage.plain.contains(&quote) || passage.with_headings.contains(&quote)));
        if let Some(first) = around.first() {
            return vec![*first];
        }
        let inside = all(&|passage| passage.plain.chars().count() >= 4 && quote.contains(&passage.plain));
        if !inside.is_empty() {
            return inside;
        }
        let shares =
            self.passages.iter().enumerate().map(|(at, passage)| (share_of(&quote, &passage.with_headings), at));
        let best = shares.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(share, _)| *share >= BACKED);
        best.map(|(_, at)| at).into_iter().collect()
    }

    /// All rules in document order, with warnings.
    fn finish(self) -> (Vec<StyleRule>, Vec<String>) {
        let Self { passages, saved, derived, unbacked, corrected, .. } = self;
        let mut rules: Vec<(usize, StyleRule)> = derived;
        let (mut added, mut uncovered) = (Vec::new(), Vec::new());
        for (at, passage) in passages.into_iter().enumerate() {
            let is_long = passage.rule.text.chars().count() > ADDED_CHARS;
            match (saved.contains(&Saved::Verbatim(at)), saved.contains(&Saved::Derived(at))) {
                (true, _) => {}
                (false, true) => continue,
                (false, false) if passage.is_rule() && !is_long => added.push(passage.excerpt()),
                (false, false) => {
                    uncovered.push(passage.excerpt());
                    continue;
                }
            }
            rules.push((at, passage.rule));
        }
        rules.sort_by_key(|(at, _)| *at);
        let total = rules.len();
        rules.truncate(RULES_MAX);
        let mut warnings = Vec::new();
        let mut tell = |what: &str, list: &[String]| warnings.extend(warning(what, list));
        tell("not backed by the source, left out", &unbacked);
        tell("read by the model as the opposite; the source's own words are used", &corrected);
        tell("left out by the model; added in the source's own words", &added);
        tell("not covered by any rule", &uncovered);
        if total > RULES_MAX {
            let over = total - RULES_MAX;
            warnings.push(format!(
                "{over} of {total} rules are left out: a style has at most {RULES_MAX}. Give a shorter text"
            ));
        }
        (rules.into_iter().map(|(_, rule)| rule).collect(), warnings)
    }
}

/// The section of a rule in the model's wording, by its polarity.
fn source(polarity: Option<Polarity>) -> RuleSource {
    let heading = match polarity {
        Some(Polarity::Do) => Some("Do"),
        Some(Polarity::Dont) => Some("Don't"),
        Some(Polarity::Prefer) => Some("Prefer"),
        Some(Polarity::Terms | Polarity::Unclear) | None => None,
    };
    RuleSource { file: String::new(), headings: heading.into_iter().map(str::to_owned).collect() }
}

/// Whether a model states the opposite of what the document clearly says.
fn opposite(certain: Polarity, given: &ModelRule) -> bool {
    let claims = [given.polarity, Some(polarity_of_text(&given.rule))];
    match certain {
        Polarity::Do => claims.contains(&Some(Polarity::Dont)),
        // A sentence such as "Do not merge cells" is negative whatever its label is.
        Polarity::Dont => given.polarity == Some(Polarity::Do) && !claims.contains(&Some(Polarity::Dont)),
        Polarity::Prefer | Polarity::Terms | Polarity::Unclear => false,
    }
}

/// Whether the model recommends what the document avoids, or the reverse.
fn contradicts(term: &Term, [write, avoid]: &[String; 2]) -> bool {
    let same = |name: &str, given: &String| !given.is_empty() && normal(name) == *given;
    match term {
        Term::Use(name) => same(name, avoid),
        Term::Avoid(name) => same(name, write),
        Term::Replace { avoid: old, by } => same(old, write) || same(by, avoid),
    }
}

fn warning(what: &str, list: &[String]) -> Option<String> {
    let (first, more) = (list.first()?, list.len().saturating_sub(LISTED));
    let listed = list.iter().skip(1).take(LISTED - 1).fold(first.clone(), |all, one| format!("{all}, {one}"));
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("{what}: {listed}{more}"))
}

fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LISTED_CHARS) {
        None => line,
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
    }
}

/// Whether a text is a row of a table, in which each cell follows the title of its column. Without them a cell could
/// mean the opposite.
fn is_row(text: &str) -> bool {
    let cells = || text.split("; ");
    cells().count() > 1 && cells().all(|cell| cell.split_once(": ").is_some_and(|(title, _)| !title.trim().is_empty()))
}

/// The words of a text in lower case, separated by single spaces.
fn normal(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    plain.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The share of the words of one text that occur in another. Words of one or two letters do not count.
fn share_of(words: &str, text: &str) -> f64 {
    let has: BTreeSet<&str> = text.split(' ').collect();
    let (mut all, mut found) = (0_u32, 0_u32);
    for word in words.split(' ').filter(|word| word.chars().count() > 2) {
        all += 1;
        found += u32::from(has.contains(word));
    }
    if all == 0 { 0.0 } else { f64::from(found) / f64::from(all) }
}

type Lists = (Vec<ModelRule>, Vec<ModelTerm>);

/// Parses the rules and terms of an answer, tolerating wrapping and small mistakes of form.
fn read(text: &str) -> Result<Lists, Vec<String>> {
    let no = |error: AnswerError| Err(vec![error.to_string()]);
    if text.len() > ANSWER_BYTES_MAX {
        return no(AnswerError::TooLarge { bytes: text.len() });
    }
    if text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').is_empty() {
        return no(AnswerError::Empty);
    }
    if let Ok(inner) = serde_json::from_str::<String>(text.trim()) {
        return read(&inner);
    }
    let found = json::find(text);
    let object = found.values.iter().rev().find_map(|value| with_lists(value, WRAPPERS));
    if found
        .cut_off
        .is_some_and(|start| object.is_none() || text.get(start..).is_some_and(|rest| rest.contains("\"rule\"")))
    {
        return Err(vec!["the answer breaks off in the middle of its JSON; give fewer rules".to_owned()]);
    }
    let Some(object) = object else {
        let is_object = found.values.iter().any(Value::is_object);
        return match is_object {
            true => Err(vec!["the JSON has no list `rules`".to_owned()]),
            false => no(AnswerError::NoJson { why: found.fault }),
        };
    };
    let list = |name: &str| object.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let (rules, terms) = (list("rules"), list("terms"));
    if rules.is_empty() && terms.is_empty() {
        return Err(vec![
            "the lists `rules` and `terms` are both empty; the material must have at least one rule".to_owned(),
        ]);
    }
    let mut errors = Vec::new();
    let mut read = (Vec::new(), Vec::new());
    for (at, entry) in rules.iter().enumerate() {
        match rule(entry) {
            Some(rule) => read.0.push(rule),
            None => errors.push(format!("entry {} of `rules` must have a text `rule`", at + 1)),
        }
    }
    for (at, entry) in terms.iter().enumerate() {
        match term(entry) {
            Some(term) => read.1.push(term),
            None => errors.push(format!("entry {} of `terms` must have a text `write` or a text `avoid`", at + 1)),
        }
    }
    if errors.is_empty() { Ok(read) } else { Err(errors) }
}

/// The maximum number of wrappers.
const WRAPPERS: usize = 2;

fn with_lists(value: &Value, wrappers: usize) -> Option<&Value> {
    let has = |name: &str| value.get(name).is_some_and(Value::is_array);
    match value {
        Value::Object(_) if has("rules") || has("terms") => Some(value),
        Value::Object(fields) if wrappers > 0 => fields.values().find_map(|value| with_lists(value, wrappers - 1)),
        Value::Array(list) if wrappers > 0 => list.iter().find_map(|value| with_lists(value, wrappers - 1)),
        _ => None,
    }
}

fn text_of(entry: &Value, name: &str) -> String {
    entry.get(name).and_then(Value::as_str).unwrap_or_default().trim().to_owned()
}

fn rule(entry: &Value) -> Option<ModelRule> {
    let own = entry.as_str().map(str::to_owned).unwrap_or_else(|| text_of(entry, "rule"));
    let quote = Some(text_of(entry, "quote")).filter(|quote| !quote.is_empty()).unwrap_or_else(|| own.clone());
    let formats = match entry.get("formats") {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).filter_map(format_of).collect(),
        Some(Value::String(one)) => format_of(one).into_iter().collect(),
        _ => Vec::new(),
    };
    let (polarity, heading) = (polarity(&text_of(entry, "polarity")), text_of(entry, "heading"));
    own.contains(char::is_alphanumeric).then_some(ModelRule { rule: own, polarity, formats, heading, quote })
}

fn term(entry: &Value) -> Option<ModelTerm> {
    let (write, avoid) = (text_of(entry, "write"), text_of(entry, "avoid"));
    let there = |text: &str| text.contains(char::is_alphanumeric);
    (there(&write) || there(&avoid)).then(|| ModelTerm { write, avoid, quote: text_of(entry, "quote") })
}

fn polarity(word: &str) -> Option<Polarity> {
    match normal(word).as_str() {
        "do" | "always" | "must" | "required" => Some(Polarity::Do),
        "dont" | "don t" | "do not" | "never" | "avoid" | "not" => Some(Polarity::Dont),
        "prefer" | "preferred" => Some(Polarity::Prefer),
        _ => None,
    }
}

fn format_of(name: &str) -> Option<Format> {
    Format::ALL.into_iter().find(|format| name.trim().eq_ignore_ascii_case(format.as_str()))
}
