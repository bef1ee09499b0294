//! Scans characters into tokens.
//!
//! Whether a text is a key is only known when its `:` appears, so tokens stay in a queue until then. A token is
//! identified by its number in the stream; a comment removed from the queue counts as returned.

use std::collections::VecDeque;

use super::cursor::{Cursor, END, is_end, is_gap};
use super::keys::MaybeKey;
use super::token::{Kind, Token};
use super::{Fault, Result};

/// The token queue and the state of the scanner.
pub(super) struct Scanner {
    pub(super) cursor: Cursor,
    pub(super) queue: VecDeque<Token>,
    pub(super) given: usize,
    done: bool,
    pub(super) indent: isize,
    pub(super) indents: Vec<isize>,
    pub(super) key_allowed: bool,
    pub(super) maybe_key: Option<MaybeKey>,
}

impl Scanner {
    /// A scanner at the start of a text.
    pub(super) fn new(cursor: Cursor) -> Self {
        let mut scanner = Self {
            cursor,
            queue: VecDeque::new(),
            given: 0,
            done: false,
            indent: -1,
            indents: Vec::new(),
            key_allowed: true,
            maybe_key: None,
        };
        scanner.push(Kind::Start);
        scanner
    }

    /// The next token, without removing it. The end of the text is a token, so there always is one.
    pub(super) fn peek(&mut self) -> Result<&mut Token> {
        self.fill()?;
        let line = self.cursor.line;
        self.queue.front_mut().ok_or_else(|| Fault::new(line, "the text ends too early"))
    }

    /// Whether the next token has this kind.
    pub(super) fn next_is(&mut self, kind: &Kind) -> Result<bool> {
        Ok(self.peek()?.kind == *kind)
    }

    /// Removes the next token, with the comment after it.
    pub(super) fn next(&mut self) -> Result<Token> {
        self.fill()?;
        if self.comment_follows() {
            self.drop_comment();
            if let Some(token) = self.queue.front_mut() {
                token.add_after();
            }
            self.fetch()?;
            while self.second_is_comment() {
                self.drop_comment();
                self.fetch()?;
            }
        }
        self.given += 1;
        self.queue.pop_front().ok_or_else(|| Fault::new(self.cursor.line, "the text ends too early"))
    }

    fn second_is_comment(&self) -> bool {
        self.queue.get(1).is_some_and(|token| token.kind == Kind::Comment)
    }

    fn comment_follows(&self) -> bool {
        let (Some(first), Some(second)) = (self.queue.front(), self.queue.get(1)) else { return false };
        let takes = match first.kind {
            Kind::Scalar { .. } => true,
            Kind::Value => first.end_line == second.line,
            _ => false,
        };
        takes && second.kind == Kind::Comment
    }

    fn drop_comment(&mut self) {
        self.given += 1;
        self.queue.remove(1);
    }

    /// Scans until the next token is final, and attaches the comments before it.
    fn fill(&mut self) -> Result<()> {
        while self.needs_more()? {
            self.fetch()?;
        }
        let mut comments = 0;
        comments += usize::from(self.shift_comment());
        while self.needs_more()? {
            self.fetch()?;
            comments += usize::from(self.shift_comment());
        }
        if comments > 0
            && let Some(token) = self.queue.front_mut()
            && !token.add_before()
        {
            return self
                .cursor
                .fault("there is a comment where only one can be; move it to a line of its own above the key");
        }
        if !self.done && self.queue.len() < 2 {
            self.fetch()?;
        }
        Ok(())
    }

    fn shift_comment(&mut self) -> bool {
        let first = self.queue.front().is_some_and(|token| token.kind == Kind::Comment);
        if first {
            self.given += 1;
            self.queue.pop_front();
        }
        first
    }

    fn needs_more(&mut self) -> Result<bool> {
        if self.done {
            return Ok(false);
        }
        if self.queue.is_empty() {
            return Ok(true);
        }
        self.drop_stale_key()?;
        Ok(self.maybe_key.as_ref().is_some_and(|key| key.number == self.given))
    }

    /// Adds at least one token to the queue.
    fn fetch(&mut self) -> Result<()> {
        if let Some((line, column)) = self.skip_gap() {
            let end_line = self.cursor.line;
            self.queue.push_back(Token { kind: Kind::Comment, line, column, end_line, notes: None });
            return Ok(());
        }
        self.drop_stale_key()?;
        self.unwind(self.cursor.column);
        let (c, after) = (self.cursor.peek(), self.cursor.ahead(1));
        match c {
            END => self.fetch_end(),
            '.' if self.cursor.column == 0 && self.cursor.at_dots() => self.fetch_dots(),
            '-' if is_gap(after) => self.fetch_entry(),
            '?' if is_gap(after) => self.fetch_key(),
            ':' if is_gap(after) => self.fetch_value(),
            '|' | '>' => self.fetch_block(),
            '\'' | '"' => self.fetch_inline(Self::quoted),
            '[' | ']' | '{' | '}' | ',' => self
                .cursor
                .fault("lists and maps in brackets are not allowed; quote the text or write one item on each line"),
            '!' => self.cursor.fault("tags (`!…`) are not allowed; quote the text"),
            '&' | '*' => self.cursor.fault("anchors and aliases (`&…`, `*…`) are not allowed; quote the text"),
            '%' | '@' | '`' => self.cursor.fault(format!("a value cannot begin with `{c}`; quote the text")),
            '\t' => self.cursor.fault("there is a tab where only spaces may be"),
            _ => self.fetch_inline(Self::plain),
        }
    }

    pub(super) fn push(&mut self, kind: Kind) {
        let (line, column) = (self.cursor.line, self.cursor.column);
        self.queue.push_back(Token { kind, line, column, end_line: line, notes: None });
    }

    fn push_sign(&mut self, kind: Kind, width: usize) {
        self.push(kind);
        self.cursor.take(width);
    }

    fn fetch_end(&mut self) -> Result<()> {
        self.unwind(-1);
        self.forget_key()?;
        self.key_allowed = false;
        self.push(Kind::End);
        self.done = true;
        Ok(())
    }

    fn fetch_dots(&mut self) -> Result<()> {
        self.unwind(-1);
        self.forget_key()?;
        self.key_allowed = false;
        self.push_sign(Kind::DocumentEnd, 3);
        Ok(())
    }

    fn fetch_entry(&mut self) -> Result<()> {
        if !self.key_allowed {
            return self.cursor.fault("a list cannot begin here");
        }
        if self.deepen(self.cursor.column) {
            self.push(Kind::ListStart);
        }
        self.forget_key()?;
        self.push_sign(Kind::Entry, 1);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<()> {
        if !self.key_allowed {
            return self.cursor.fault("a key cannot begin here");
        }
        if self.deepen(self.cursor.column) {
            self.push(Kind::MapStart);
        }
        self.forget_key()?;
        self.push_sign(Kind::Key, 1);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<()> {
        if let Some(key) = self.maybe_key.take() {
            let at = self.place(key.number);
            let token = |kind| Token { kind, line: key.line, column: key.column, end_line: key.line, notes: None };
            self.queue.insert(at, token(Kind::Key));
            if self.deepen(key.column) {
                let at = self.place(key.number);
                self.queue.insert(at, token(Kind::MapStart));
            }
            self.key_allowed = false;
        } else {
            if !self.key_allowed {
                return self.cursor.fault("`: ` cannot be here; quote the text if it is part of it");
            }
            if self.deepen(self.cursor.column) {
                self.push(Kind::MapStart);
            }
        }
        self.push_sign(Kind::Value, 1);
        Ok(())
    }

    fn fetch_block(&mut self) -> Result<()> {
        self.key_allowed = true;
        self.forget_key()?;
        let token = self.block()?;
        self.queue.push_back(token);
        Ok(())
    }

    fn fetch_inline(&mut self, scan: fn(&mut Self) -> Result<Token>) -> Result<()> {
        self.save_key()?;
        self.key_allowed = false;
        let token = scan(self)?;
        self.queue.push_back(token);
        Ok(())
    }

    /// Skips spaces, comments and line breaks. Returns the position of a comment; an empty line counts as one.
    pub(super) fn skip_gap(&mut self) -> Option<(usize, isize)> {
        let cursor = &mut self.cursor;
        if cursor.index == 0 && cursor.peek() == '\u{feff}' {
            cursor.step();
        }
        loop {
            cursor.take_while(|c| c == ' ');
            if cursor.peek() == '#' {
                let place = (cursor.line, cursor.column);
                cursor.take_while(|c| !is_end(c));
                while cursor.line_break().is_some() {}
                self.key_allowed = true;
                return Some(place);
            }
            cursor.line_break()?;
            self.key_allowed = true;
            if cursor.peek() == '\n' {
                let place = (cursor.line, cursor.column);
                while cursor.line_break().is_some() || !cursor.take_while(|c| matches!(c, ' ' | '\t')).is_empty() {}
                return Some(place);
            }
        }
    }
}
