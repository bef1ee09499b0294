//! Lists: which label stands before a paragraph.

mod counters;
mod format;

use std::collections::HashMap;

use super::word;
use crate::error::PackageError;
use crate::limits::Limits;
use crate::xml::{Node, Ns, XmlPart};

pub use counters::{Counters, Label};
pub use format::Format;

/// Word's lists have nine levels.
pub const LEVELS: usize = 9;

/// Longer patterns for a label are no label; they are cut.
const LONGEST_PATTERN: usize = 80;

/// Longer labels are cut.
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
    /// Above which level this one starts again; 0 for never, none for any.
    pub restart: Option<i64>,
    /// Whether numbers of other levels are written as decimals.
    pub legal: bool,
    /// The paragraph style that goes with the level.
    pub style_id: Option<String>,
}

/// A definition that lists share.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Abstract {
    levels: [Option<Level>; LEVELS],
    /// The list style that this is the definition of.
    style_link: Option<String>,
    /// The list style whose definition counts instead of this one.
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

    /// The level of a list that goes with a paragraph style.
    pub fn level_of_style(&self, num_id: i64, style_id: &str) -> Option<usize> {
        (0..LEVELS).find(|level| {
            let found = self.level(num_id, *level).and_then(|level| level.style_id.as_deref());
            found == Some(style_id)
        })
    }

    /// The id of the definition that counts for a list.
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

/// How a level's numbers are written. Newer ways stand in an alternative.
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

/// Puts a value at a level, if there is such a level.
fn put<T>(levels: &mut [Option<T>; LEVELS], level: Option<i64>, value: T) {
    let place = level.and_then(|level| usize::try_from(level).ok()).and_then(|level| levels.get_mut(level));
    if let Some(place) = place {
        *place = Some(value);
    }
}

#[cfg(test)]
mod tests;
