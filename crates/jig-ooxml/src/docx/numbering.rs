//! Lists and the labels of their paragraphs.

mod format;

use std::collections::{HashMap, HashSet};

use super::word;
use crate::error::PackageError;
use crate::limits::Limits;
use crate::xml::{Node, Ns, XmlPart};

pub use format::Format;

/// Word's lists have nine levels.
pub const LEVELS: usize = 9;

/// Longer patterns are truncated.
const LONGEST_PATTERN: usize = 80;

/// Longer labels are truncated.
const LONGEST_LABEL: usize = 120;

/// One level of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// The first number.
    pub start: i64,
    /// How numbers are written.
    pub format: Format,
    /// The label, with `%1` to `%9` for the numbers of the levels.
    pub pattern: String,
    /// The level after which this one restarts; 0 for never, none for any higher level.
    pub restart: Option<i64>,
    /// Whether numbers of other levels are written as decimals.
    pub legal: bool,
    /// The paragraph style of the level.
    pub style_id: Option<String>,
}

/// A definition that lists share.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Abstract {
    levels: [Option<Level>; LEVELS],
    /// The list style that it defines.
    style_link: Option<String>,
    /// The list style whose definition replaces this one.
    defined_by: Option<String>,
}

/// A list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Num {
    abstract_id: i64,
    starts: [Option<i64>; LEVELS],
    levels: [Option<Level>; LEVELS],
}

/// All lists of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Numbering {
    nums: HashMap<i64, Num>,
    abstracts: HashMap<i64, Abstract>,
    /// Definitions by the list style they belong to.
    by_style: HashMap<String, i64>,
}

impl Numbering {
    /// Reads the numbering part.
    pub fn read(part: Option<&XmlPart>, limits: &Limits) -> Result<Self, PackageError> {
        let Some(part) = part else { return Ok(Self::default()) };
        let tree = part.tree(limits)?;
        let mut numbering = Self::default();
        for node in tree.root().elements().filter(|node| node.ns() == Ns::W) {
            match node.local() {
                "abstractNum" => numbering.add_abstract(node),
                "num" => numbering.add_num(node),
                _ => {}
            }
        }
        Ok(numbering)
    }

    fn add_abstract(&mut self, node: Node<'_>) {
        let Some(id) = word::number(node, "abstractNumId") else { return };
        let mut found = Abstract {
            style_link: word::child_val(node, "styleLink").map(Into::into),
            defined_by: word::child_val(node, "numStyleLink").map(Into::into),
            ..Abstract::default()
        };
        for level in node.children_named(Ns::W, "lvl") {
            put(&mut found.levels, word::number(level, "ilvl"), read_level(level));
        }
        if let Some(style) = &found.style_link {
            self.by_style.entry(style.clone()).or_insert(id);
        }
        self.abstracts.entry(id).or_insert(found);
    }

    fn add_num(&mut self, node: Node<'_>) {
        let Some(id) = word::number(node, "numId") else { return };
        let mut num = Num { abstract_id: word::child_number(node, "abstractNumId").unwrap_or(-1), ..Num::default() };
        for change in node.children_named(Ns::W, "lvlOverride") {
            let level = word::number(change, "ilvl");
            if let Some(start) = word::child_number(change, "startOverride") {
                put(&mut num.starts, level, start);
            }
            if let Some(own) = change.child(Ns::W, "lvl") {
                put(&mut num.levels, level, read_level(own));
            }
        }
        self.nums.entry(id).or_insert(num);
    }

    /// Whether there is such a list.
    pub fn has(&self, num_id: i64) -> bool {
        self.nums.contains_key(&num_id)
    }

    /// A level of a list.
    pub fn level(&self, num_id: i64, level: usize) -> Option<&Level> {
        let num = self.nums.get(&num_id)?;
        let own = num.levels.get(level)?.as_ref();
        own.or_else(|| self.abstracts.get(&self.definition(num))?.levels.get(level)?.as_ref())
    }

    /// The level of a list with a paragraph style.
    pub fn level_of_style(&self, num_id: i64, style_id: &str) -> Option<usize> {
        (0..LEVELS).find(|level| {
            let found = self.level(num_id, *level).and_then(|level| level.style_id.as_deref());
            found == Some(style_id)
        })
    }

    /// The id of the effective definition of a list.
    fn definition(&self, num: &Num) -> i64 {
        let own = self.abstracts.get(&num.abstract_id);
        let style = own.and_then(|own| own.defined_by.as_deref());
        style.and_then(|style| self.by_style.get(style)).copied().unwrap_or(num.abstract_id)
    }
}

fn read_level(node: Node<'_>) -> Level {
    let format = number_format(node);
    let pattern = word::child_val(node, "lvlText").unwrap_or_default();
    Level {
        start: word::child_number(node, "start").unwrap_or(0),
        format,
        pattern: pattern.chars().take(LONGEST_PATTERN).collect(),
        restart: word::child_number(node, "lvlRestart"),
        legal: word::switch(node, "isLgl").unwrap_or(false),
        style_id: word::child_val(node, "pStyle").map(Into::into),
    }
}

/// The number format of a level. Newer formats are in alternative content.
fn number_format(level: Node<'_>) -> Format {
    let newer = || word::branch(level.child(Ns::Mc, "AlternateContent")?)?.child(Ns::W, "numFmt");
    let Some(format) = level.child(Ns::W, "numFmt").or_else(newer) else { return Format::Decimal };
    let name = word::val(format).unwrap_or_default();
    match word::attr(format, "format") {
        // Such as `001, 002, 003, ...`.
        Some(sample) if name == "custom" => {
            Format::Padded(sample.bytes().take_while(u8::is_ascii_digit).take(9).count())
        }
        _ => Format::named(&name),
    }
}

/// Sets the value of a level, if the level exists.
fn put<T>(levels: &mut [Option<T>; LEVELS], level: Option<i64>, value: T) {
    let place = level.and_then(|level| usize::try_from(level).ok()).and_then(|level| levels.get_mut(level));
    if let Some(place) = place {
        *place = Some(value);
    }
}

/// The label of a list paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The number with its pattern; `-` for any bullet, empty if none is shown.
    pub text: String,
    /// The level, from 0.
    pub level: usize,
    /// Whether it is a bullet.
    pub bullet: bool,
}

/// Counts the paragraphs of the lists of a document, in order. Lists that share a definition continue each other.
#[derive(Debug, Clone)]
pub struct Counters<'n> {
    numbering: &'n Numbering,
    state: ListState,
}

/// How far the lists of a document have been counted.
#[derive(Debug, Clone, Default)]
pub(super) struct ListState {
    counts: HashMap<i64, [Option<i64>; LEVELS]>,
    /// Lists and levels whose own first number has been used.
    started: HashSet<(i64, usize)>,
}

impl<'n> Counters<'n> {
    /// The state before the first paragraph.
    pub fn new(numbering: &'n Numbering) -> Self {
        Self { numbering, state: ListState::default() }
    }

    pub(super) fn state(&self) -> &ListState {
        &self.state
    }

    pub(super) fn set_state(&mut self, state: ListState) {
        self.state = state;
    }

    /// Counts a paragraph of a list; returns its label. None when the document has no such list.
    pub fn next(&mut self, num_id: i64, level: usize) -> Option<Label> {
        let num = self.numbering.nums.get(&num_id)?;
        let level = level.min(LEVELS - 1);
        let counts = self.state.counts.entry(self.numbering.definition(num)).or_default();
        let definition = self.numbering.level(num_id, level);
        let own_start = num.starts.get(level).copied().flatten();
        let start = own_start.or(definition.map(|level| level.start)).unwrap_or(1);
        let first = own_start.is_some() && self.state.started.insert((num_id, level));
        let place = counts.get_mut(level)?;
        *place = match *place {
            Some(count) if !first => Some(count.saturating_add(1)),
            _ => Some(start),
        };
        restart_below(counts, level, |below| self.numbering.level(num_id, below));
        let counts = *counts;
        Some(self.label(num_id, level, &counts))
    }

    fn label(&self, num_id: i64, level: usize, counts: &[Option<i64>; LEVELS]) -> Label {
        let Some(definition) = self.numbering.level(num_id, level) else {
            return Label { text: String::new(), level, bullet: false };
        };
        let bullet = definition.format == Format::Bullet;
        let text = if bullet { "-".to_owned() } else { self.numbers(num_id, definition, counts) };
        Label { text, level, bullet }
    }

    /// The pattern with its numbers.
    fn numbers(&self, num_id: i64, definition: &Level, counts: &[Option<i64>; LEVELS]) -> String {
        let mut out = String::new();
        let mut pattern = definition.pattern.chars().peekable();
        while let Some(c) = pattern.next() {
            let digit = if c == '%' { pattern.peek().and_then(|digit| digit.to_digit(10)) } else { None };
            match digit {
                Some(digit @ 1..=9) => {
                    pattern.next();
                    out.push_str(&self.number(num_id, definition, digit as usize - 1, counts));
                }
                _ => out.push(c),
            }
        }
        out.trim().chars().take(LONGEST_LABEL).collect()
    }

    fn number(&self, num_id: i64, shown: &Level, level: usize, counts: &[Option<i64>; LEVELS]) -> String {
        let definition = self.numbering.level(num_id, level);
        // A level that has not been counted yet shows its first number, as in Word.
        let count = counts.get(level).copied().flatten().or(definition.map(|level| level.start)).unwrap_or(1);
        match definition {
            Some(definition) if !shown.legal => definition.format.write(count),
            _ => Format::Decimal.write(count),
        }
    }
}

/// A paragraph of a level restarts the levels below it, unless they specify otherwise.
fn restart_below<'l>(
    counts: &mut [Option<i64>; LEVELS],
    level: usize,
    definition: impl Fn(usize) -> Option<&'l Level>,
) {
    for (below, count) in counts.iter_mut().enumerate().skip(level + 1) {
        // `lvlRestart` counts levels from 1: after a paragraph of that level or a higher one.
        let restarts = match definition(below).and_then(|level| level.restart) {
            Some(after) => level < usize::try_from(after).unwrap_or(0),
            None => true,
        };
        if restarts {
            *count = None;
        }
    }
}

#[cfg(test)]
mod tests;
