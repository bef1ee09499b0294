//! Counting while the document is read from its start.

use std::collections::{HashMap, HashSet};

use super::{Format, LEVELS, LONGEST_LABEL, Level, Numbering};

/// What stands before a paragraph of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The number with what is around it; `-` for bullets of any look, empty when nothing is shown.
    pub text: String,
    /// The level, from 0.
    pub level: usize,
    /// Whether it is a bullet.
    pub bullet: bool,
}

/// How far the lists of a document have counted. Lists that share a definition count on together.
#[derive(Debug, Clone)]
pub struct Counters<'n> {
    numbering: &'n Numbering,
    counts: HashMap<i64, [Option<i64>; LEVELS]>,
    /// Lists and levels whose own first number has been used.
    started: HashSet<(i64, usize)>,
}

impl<'n> Counters<'n> {
    /// Before the first paragraph.
    pub fn new(numbering: &'n Numbering) -> Self {
        Self { numbering, counts: HashMap::new(), started: HashSet::new() }
    }

    /// Counts a paragraph of a list and gives its label. None when the document has no such list.
    pub fn next(&mut self, num_id: i64, level: usize) -> Option<Label> {
        let num = self.numbering.nums.get(&num_id)?;
        let level = level.min(LEVELS - 1);
        let counts = self.counts.entry(self.numbering.definition(num)).or_default();
        let definition = self.numbering.level(num_id, level);
        let own_start = num.starts.get(level).copied().flatten();
        let start = own_start.or(definition.map(|level| level.start)).unwrap_or(1);
        let first = own_start.is_some() && self.started.insert((num_id, level));
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

    /// The pattern with its numbers put in.
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
        // A level that has not been counted yet shows its first number, as Word does.
        let count = counts.get(level).copied().flatten().or(definition.map(|level| level.start)).unwrap_or(1);
        match definition {
            Some(definition) if !shown.legal => definition.format.write(count),
            _ => Format::Decimal.write(count),
        }
    }
}

/// A paragraph of a level lets the levels below it start again, unless they say otherwise.
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
