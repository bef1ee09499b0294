//! A position in a text, with line and column.

use super::{Fault, Result};

/// The sentinel after the last character.
pub(super) const END: char = '\0';

/// Whether a character ends a line, including the end of the text.
pub(super) fn is_end(c: char) -> bool {
    matches!(c, '\n' | END | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a character ends a word.
pub(super) fn is_gap(c: char) -> bool {
    is_end(c) || matches!(c, ' ' | '\t')
}

/// Whether a character is a line break; unlike [`is_end`], not the end of the text.
pub(super) fn is_break(c: char) -> bool {
    c != END && is_end(c)
}

/// A position in a text.
pub(super) struct Cursor {
    chars: Vec<char>,
    /// The number of characters before it.
    pub(super) index: usize,
    /// The line, counted from 0.
    pub(super) line: usize,
    /// The column, counted from 0. Signed, like the indentations it is compared with.
    pub(super) column: isize,
}

impl Cursor {
    /// The start of a text. Texts with unprintable characters are rejected.
    pub(super) fn new(text: &str) -> Result<Self> {
        if let Some(at) = text.find(|c| !printable(c)) {
            let line = text[..at].matches('\n').count();
            return Err(Fault::new(line, "there is a control character; write it as an escape in double quotes"));
        }
        let chars = text.chars().chain([END]).collect();
        Ok(Self { chars, index: 0, line: 0, column: 0 })
    }

    pub(super) fn peek(&self) -> char {
        self.ahead(0)
    }

    /// The character `count` positions ahead.
    pub(super) fn ahead(&self, count: usize) -> char {
        self.chars.get(self.index + count).copied().unwrap_or(END)
    }

    /// Advances by one character.
    pub(super) fn step(&mut self) {
        match self.peek() {
            '\n' => {
                self.line += 1;
                self.column = 0;
            }
            '\u{feff}' => {}
            _ => self.column += 1,
        }
        self.index += 1;
    }

    /// Advances by `count` characters and returns them.
    pub(super) fn take(&mut self, count: usize) -> String {
        let from = self.index;
        (0..count).for_each(|_| self.step());
        self.chars[from.min(self.chars.len())..self.index.min(self.chars.len())].iter().collect()
    }

    /// Advances while `wanted` holds, and returns the characters.
    pub(super) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let mut count = 0;
        while self.ahead(count) != END && wanted(self.ahead(count)) {
            count += 1;
        }
        self.take(count)
    }

    /// Consumes a line break and returns it; legacy line breaks are normalised to `\n`.
    pub(super) fn line_break(&mut self) -> Option<char> {
        let c = self.peek();
        if !is_break(c) {
            return None;
        }
        self.step();
        Some(if matches!(c, '\u{2028}' | '\u{2029}') { c } else { '\n' })
    }

    /// Whether `...`, which ends a document, starts here. `---` cannot occur: it ends the frontmatter.
    pub(super) fn at_dots(&self) -> bool {
        (0..3).all(|i| self.ahead(i) == '.') && is_gap(self.ahead(3))
    }

    /// An error at this position.
    pub(super) fn fault<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(Fault::new(self.line, what))
    }
}

fn printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}
