//! From shown characters to text: words, then blocks of words that belong together, then lines.
//!
//! Distances are in units of the font size. Those used here are what page layouts have in common: a word's
//! letters stand closer than a tenth, columns are further apart than two words of a line. Cells of a table that
//! are in one line are kept in it.

use std::collections::{HashMap, HashSet};

use super::bidi;
use super::glyph::{Glyph, Way};
use super::order::{self, Area};
use super::table;

/// A wider gap ends a word.
const WORD_GAP: f32 = 0.1;
/// Letters that go back further than this begin a new word.
const BACK: f32 = 0.3;
/// Words that overlap by more than this are not one word.
const OVER: f32 = 0.75;
/// Between words whose base lines differ, such as a bullet and its text, a narrower gap is a space.
const RAISED_GAP: f32 = 0.03;
/// A letter that is drawn again nearer than this is the same letter, made bold.
const AGAIN: f32 = 0.1;
/// Letters of a word stand on one base line.
const SAME_BASE: f32 = 0.03;
/// A wider gap in a line may be one between columns.
pub(super) const COLUMN_GAP: f32 = 0.75;
/// Base lines nearer than this are one line.
pub(super) const SAME_LINE: f32 = 0.5;
/// The same for words of one size.
const EQUAL_LINE: f32 = 0.35;
/// Base lines further apart than this belong to different blocks.
const NEXT_LINE: f32 = 1.55;
/// Lines of one block have nearly the same size.
const SIZES: f32 = 1.08;

/// How often words of one page are compared. Beyond it the page is not readable text, and its words are given line by line.
const LOOKS: usize = 50_000_000;

/// The text of a page in reading order: lines, with an empty line between blocks.
pub(super) fn text(glyphs: &[Glyph]) -> String {
    let mut order: Vec<(f32, Block)> = read(glyphs, Way::Right);
    // Text that is turned is read where it begins, seen from above, and stays together.
    for way in [Way::Down, Way::Left, Way::Up] {
        let turned = read(glyphs, way);
        let top = turned.iter().map(|(top, _)| *top).fold(f32::MAX, f32::min);
        let at = order.iter().position(|(other, _)| *other > top).unwrap_or(order.len());
        order.splice(at..at, turned);
    }
    let texts: Vec<String> = order.iter().map(|(_, block)| block.text()).collect();
    texts.join("\n\n")
}

/// The blocks that run one way in the order they are read, each with its upper edge on the page.
fn read(glyphs: &[Glyph], way: Way) -> Vec<(f32, Block)> {
    let blocks = blocks(join_words(glyphs.iter().filter(|glyph| glyph.way == way)));
    let top = |area: Area| match way {
        Way::Right => area.y0,
        Way::Down => area.x0,
        Way::Left => -area.y1,
        Way::Up => -area.x1,
    };
    order::reading(blocks).into_iter().map(|block| (top(block.area()), block)).collect()
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Word {
    text: String,
    pub(super) x0: f32,
    pub(super) x1: f32,
    pub(super) base: f32,
    pub(super) size: f32,
    /// Whether a space is shown after it.
    spaced: bool,
}

/// Joins characters to words, in the order they are shown.
fn join_words<'g>(glyphs: impl Iterator<Item = &'g Glyph>) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut open = false;
    let mut last: Option<&Glyph> = None;
    for glyph in glyphs {
        if last.is_some_and(|last| is_again(last, glyph)) {
            continue;
        }
        last = Some(glyph);
        if glyph.text.is_space() {
            if let Some(word) = words.last_mut().filter(|word| open && (word.base - glyph.base).abs() < word.size) {
                word.spaced = true;
            }
            open = false;
            continue;
        }
        match words.last_mut().filter(|word| open && goes_on(word, glyph)) {
            Some(word) => {
                glyph.text.push_to(&mut word.text);
                word.x1 = word.x1.max(glyph.x1);
            }
            None => {
                let mut text = String::new();
                glyph.text.push_to(&mut text);
                let Glyph { x0, x1, base, size, .. } = *glyph;
                words.push(Word { text, x0, x1, base, size, spaced: false });
            }
        }
        open = true;
    }
    without_doubles(words)
}

fn is_again(last: &Glyph, glyph: &Glyph) -> bool {
    let near = AGAIN * glyph.size.min(2.0 * (glyph.x1 - glyph.x0));
    (last.x0 - glyph.x0).abs() < near && (last.base - glyph.base).abs() < near && last.text == glyph.text
}

fn goes_on(word: &Word, glyph: &Glyph) -> bool {
    let gap = glyph.x0 - word.x1;
    let size = word.size.min(glyph.size);
    if glyph.text.is_mark() && (glyph.base - word.base).abs() < size && gap.abs() < size {
        return true;
    }
    (glyph.base - word.base).abs() < size * SAME_BASE && gap < WORD_GAP * size && gap > -BACK * size
}

/// Text that is shown twice at nearly the same place, to look bold or to cast a shadow, counts once.
fn without_doubles(words: Vec<Word>) -> Vec<Word> {
    let mut seen: HashMap<String, Vec<(f32, f32)>> = HashMap::new();
    let mut kept = Vec::with_capacity(words.len());
    for word in words {
        let places = seen.entry(word.text.clone()).or_default();
        // The next word of the same text is further away than half of its own width.
        let near = |(x, base): &(f32, f32)| {
            (x - word.x0).abs() < 0.4 * (word.x1 - word.x0) && (base - word.base).abs() < 0.3 * word.size
        };
        if places.iter().rev().take(64).any(near) {
            continue;
        }
        places.push((word.x0, word.base));
        kept.push(word);
    }
    kept
}

/// Words that belong together.
#[derive(Debug)]
pub(super) struct Block {
    words: Vec<Word>,
    /// Whether it has rows of a table.
    tabular: bool,
}

impl Block {
    pub(super) fn area(&self) -> Area {
        let fold = |value: fn(&Word) -> f32, pick: fn(f32, f32) -> f32, start: f32| {
            self.words.iter().map(value).fold(start, pick)
        };
        Area {
            x0: fold(|word| word.x0, f32::min, f32::MAX),
            x1: fold(|word| word.x1, f32::max, f32::MIN),
            y0: fold(|word| word.base - 0.8 * word.size, f32::min, f32::MAX),
            y1: fold(|word| word.base + 0.2 * word.size, f32::max, f32::MIN),
            one_line: match (self.words.first(), self.words.last()) {
                (Some(first), Some(last)) => same_line(first, last),
                _ => true,
            },
        }
    }

    fn text(&self) -> String {
        let mut lines = Vec::new();
        let mut line: Vec<&Word> = Vec::new();
        for word in &self.words {
            // Words come sorted by base line; raised and lowered ones belong to the line of their neighbours.
            if !line.last().is_none_or(|last| same_line(last, word)) {
                lines.push(line_text(&mut line, self.tabular));
                line.clear();
            }
            line.push(word);
        }
        lines.push(line_text(&mut line, self.tabular));
        joined(&lines)
    }
}

/// Lines below each other; a word that is parted by a hyphen at the end of a line is put together.
fn joined(lines: &[String]) -> String {
    let mut text = String::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
    for line in lines {
        if !text.is_empty() {
            match text.strip_suffix('-').filter(|start| is_parted(start, line)) {
                Some(start) => text.truncate(start.len()),
                None => text.push('\n'),
            }
        }
        text.push_str(line);
    }
    text
}

/// Whether a hyphen between these splits a word: letters before, a lowercase letter after.
fn is_parted(before: &str, after: &str) -> bool {
    let mut letters = before.chars().rev();
    let two = [letters.next(), letters.next()];
    two.into_iter().all(|char| char.is_some_and(char::is_alphabetic))
        && after.chars().next().is_some_and(char::is_lowercase)
}

/// Raised and lowered letters are smaller than those beside them; of equal ones the base lines are nearer.
fn same_line(word: &Word, other: &Word) -> bool {
    let (small, large) = (word.size.min(other.size), word.size.max(other.size));
    let near = if large < small * SIZES { EQUAL_LINE } else { SAME_LINE };
    (word.base - other.base).abs() < near * large
}

/// Groups words: along a line while gaps are narrow, and over consecutive lines.
fn blocks(mut words: Vec<Word>) -> Vec<Block> {
    words.sort_by(|a, b| a.base.total_cmp(&b.base).then(a.x0.total_cmp(&b.x0)));
    let mut groups = Groups::new(words.len());
    let mut left = LOOKS;
    for (at, word) in words.iter().enumerate() {
        let below = words.get(at + 1..).unwrap_or_default().iter();
        for (step, other) in below.take_while(|other| other.base - word.base <= NEXT_LINE * word.size).enumerate() {
            left = left.saturating_sub(1);
            if belong_together(word, other) {
                groups.join(at, at + 1 + step);
            }
        }
        if left == 0 {
            break;
        }
    }
    let rows = table::rows_together(&words);
    for pair in &rows {
        groups.join(pair.0, pair.1);
    }
    let tabular: HashSet<usize> = rows.iter().map(|pair| groups.find(pair.0)).collect();
    let mut blocks: Vec<Block> = Vec::new();
    let mut places: HashMap<usize, usize> = HashMap::new();
    for (at, word) in words.into_iter().enumerate() {
        let group = groups.find(at);
        let place = *places.entry(group).or_insert_with(|| {
            blocks.push(Block { words: Vec::new(), tabular: tabular.contains(&group) });
            blocks.len() - 1
        });
        if let Some(block) = blocks.get_mut(place) {
            block.words.push(word);
        }
    }
    blocks
}

/// `below` has the same base line or a lower one.
fn belong_together(word: &Word, below: &Word) -> bool {
    let (small, large) = (word.size.min(below.size), word.size.max(below.size));
    let down = below.base - word.base;
    if same_line(word, below) {
        let gap = (below.x0 - word.x1).max(word.x0 - below.x1);
        return gap < COLUMN_GAP * large && large < small * 2.5;
    }
    let overlap = word.x1.min(below.x1) - word.x0.max(below.x0);
    overlap > 0.0 && large <= small * SIZES && down <= NEXT_LINE * small
}

/// Sets of indexes that grow together.
struct Groups(Vec<usize>);

impl Groups {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn find(&mut self, mut at: usize) -> usize {
        while let Some(&up) = self.0.get(at).filter(|up| **up != at) {
            let top = self.0.get(up).copied().unwrap_or(up);
            if let Some(slot) = self.0.get_mut(at) {
                *slot = top;
            }
            at = up;
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        if let Some(slot) = self.0.get_mut(a.max(b)) {
            *slot = a.min(b);
        }
    }
}

/// One line, its words in the order they are read.
fn line_text(words: &mut [&Word], tabular: bool) -> String {
    words.sort_by(|a, b| a.x0.total_cmp(&b.x0));
    let cell_gap = if tabular { COLUMN_GAP } else { 2.0 * COLUMN_GAP };
    let mut text = String::new();
    let mut last: Option<&Word> = None;
    for word in words.iter() {
        if let Some(last) = last {
            text.extend(between(last, word, cell_gap));
        }
        text.push_str(&word.text);
        last = Some(word);
    }
    bidi::as_read(text)
}

/// What stands between a word of a line and the one to its right: a tab between cells, a space, or nothing.
fn between(last: &Word, word: &Word, cell_gap: f32) -> Option<char> {
    let (small, large) = (last.size.min(word.size), last.size.max(word.size));
    let gap = (word.x0 - last.x1).max(last.x0 - word.x1);
    if gap > cell_gap * large {
        return Some('\t');
    }
    let raised = (last.base - word.base).abs() > SAME_BASE * small && large < small * SIZES;
    let wide = if raised { RAISED_GAP } else { WORD_GAP };
    (last.spaced || gap > wide * small || gap < -OVER * small).then_some(' ')
}
