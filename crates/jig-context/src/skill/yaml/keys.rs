//! Tracks possible keys and indentation.

use super::scanner::Scanner;
use super::token::Kind;
use super::{Fault, Result};

/// A text that becomes a key if `:` follows on its line.
pub(super) struct MaybeKey {
    pub(super) number: usize,
    required: bool,
    index: usize,
    pub(super) line: usize,
    pub(super) column: isize,
}

impl Scanner {
    pub(super) fn save_key(&mut self) -> Result<()> {
        let required = self.indent == self.cursor.column;
        if self.key_allowed {
            self.forget_key()?;
            self.maybe_key = Some(MaybeKey {
                number: self.given + self.queue.len(),
                required,
                index: self.cursor.index,
                line: self.cursor.line,
                column: self.cursor.column,
            });
        }
        Ok(())
    }

    /// A simple key is on one line and at most 1,024 characters long.
    pub(super) fn drop_stale_key(&mut self) -> Result<()> {
        let (line, index) = (self.cursor.line, self.cursor.index);
        if self.maybe_key.as_ref().is_some_and(|key| key.line != line || index - key.index > 1024) {
            return self.forget_key();
        }
        Ok(())
    }

    pub(super) fn forget_key(&mut self) -> Result<()> {
        match self.maybe_key.take() {
            Some(key) if key.required => Err(Fault::new(key.line, "a key and `:` are expected here")),
            _ => Ok(()),
        }
    }

    pub(super) fn unwind(&mut self, column: isize) {
        while self.indent > column {
            self.indent = self.indents.pop().unwrap_or(-1);
            self.push(Kind::BlockEnd);
        }
    }

    pub(super) fn deepen(&mut self, column: isize) -> bool {
        let deeper = self.indent < column;
        if deeper {
            self.indents.push(self.indent);
            self.indent = column;
        }
        deeper
    }

    /// The position of a token in the queue. If comments were removed, it may have moved to the end.
    pub(super) fn place(&self, number: usize) -> usize {
        let length = self.queue.len();
        match number.checked_sub(self.given) {
            Some(at) => at.min(length),
            None => length.saturating_sub(self.given - number),
        }
    }
}
