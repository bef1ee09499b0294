//! Quoted scalars.

use super::Result;
use super::cursor::{END, is_break, is_gap};
use super::scalars::fold;
use super::scanner::Scanner;
use super::token::{Kind, Token};

impl Scanner {
    /// A single- or double-quoted scalar, possibly on several lines.
    pub(super) fn quoted(&mut self) -> Result<Token> {
        let (line, column) = (self.cursor.line, self.cursor.column);
        let quote = self.cursor.peek();
        self.cursor.step();
        let mut text = String::new();
        self.quoted_words(quote, &mut text)?;
        while self.cursor.peek() != quote {
            self.quoted_gap(&mut text)?;
            self.quoted_words(quote, &mut text)?;
        }
        self.cursor.step();
        Ok(Token { kind: Kind::Scalar { text, plain: false }, line, column, end_line: self.cursor.line, notes: None })
    }

    fn quoted_words(&mut self, quote: char, text: &mut String) -> Result<()> {
        loop {
            text.push_str(&self.cursor.take_while(|c| !is_gap(c) && !matches!(c, '\'' | '"' | '\\')));
            match (quote, self.cursor.peek()) {
                ('\'', '\'') if self.cursor.ahead(1) == '\'' => {
                    self.cursor.take(2);
                    text.push('\'');
                }
                ('"', '\'') | ('\'', '"' | '\\') => text.push_str(&self.cursor.take(1)),
                ('"', '\\') => self.escape(text)?,
                _ => return Ok(()),
            }
        }
    }

    fn escape(&mut self, text: &mut String) -> Result<()> {
        self.cursor.step();
        let c = self.cursor.peek();
        if is_break(c) {
            self.cursor.line_break();
            text.push_str(&self.quoted_breaks()?);
            return Ok(());
        }
        if let Some(plain) = simple_escape(c) {
            self.cursor.step();
            text.push(plain);
            return Ok(());
        }
        let length = match c {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => return self.cursor.fault(format!("`\\{c}` is not a valid escape; write `\\\\` for a backslash")),
        };
        self.cursor.step();
        if !(0..length).all(|i| self.cursor.ahead(i).is_ascii_hexdigit()) {
            return self.cursor.fault(format!("after `\\{c}` come {length} hexadecimal digits"));
        }
        match u32::from_str_radix(&self.cursor.take(length), 16) {
            // The reference validator accepts lone surrogates; here they become the replacement character.
            Ok(code @ 0..=0x10_ffff) => text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)),
            _ => return self.cursor.fault("there is no character with this number"),
        }
        Ok(())
    }

    fn quoted_gap(&mut self, text: &mut String) -> Result<()> {
        let spaces = self.cursor.take_while(|c| matches!(c, ' ' | '\t'));
        if self.cursor.peek() == END {
            return self.cursor.fault("a quote is not closed");
        }
        match self.cursor.line_break() {
            None => text.push_str(&spaces),
            Some(first) => text.push_str(&fold(first, self.quoted_breaks()?)),
        }
        Ok(())
    }

    fn quoted_breaks(&mut self) -> Result<String> {
        let mut breaks = String::new();
        loop {
            if self.cursor.at_dots() {
                return self.cursor.fault("`...` at the start of a line ends the text inside a quote");
            }
            self.cursor.take_while(|c| matches!(c, ' ' | '\t'));
            match self.cursor.line_break() {
                Some(c) => breaks.push(c),
                None => return Ok(breaks),
            }
        }
    }
}

fn simple_escape(c: char) -> Option<char> {
    Some(match c {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        ' ' | '"' | '/' | '\\' => c,
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    })
}
