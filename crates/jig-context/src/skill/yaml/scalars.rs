//! Plain scalars and block scalars (`|` and `>`).

use super::Result;
use super::cursor::{is_break, is_end, is_gap};
use super::scanner::Scanner;
use super::token::{Kind, Notes, Token};

/// The treatment of trailing line breaks of a block scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomp {
    Clip,
    Strip,
    Keep,
}

impl Scanner {
    /// A plain scalar, including continuation lines that are indented deeper.
    pub(super) fn plain(&mut self) -> Result<Token> {
        let (line, column) = (self.cursor.line, self.cursor.column);
        let mut end_line = line;
        let indent = self.indent + 1;
        let mut text = String::new();
        let mut gap: Option<String> = None;
        let mut empty_lines = false;
        while self.cursor.peek() != '#' {
            let length = self.plain_length();
            if length == 0 {
                break;
            }
            self.key_allowed = false;
            text.push_str(&gap.take().unwrap_or_default());
            text.push_str(&self.cursor.take(length));
            end_line = self.cursor.line;
            gap = self.plain_gap();
            empty_lines = gap.as_deref().is_some_and(|gap| gap.starts_with('\n'));
            if gap.is_none() || self.cursor.peek() == '#' || self.cursor.column < indent {
                break;
            }
        }
        let notes = empty_lines.then_some(Notes { after: true, before: false });
        Ok(Token { kind: Kind::Scalar { text, plain: true }, line, column, end_line, notes })
    }

    fn plain_length(&self) -> usize {
        let mut length = 0;
        loop {
            let c = self.cursor.ahead(length);
            if is_gap(c) || c == ':' && is_gap(self.cursor.ahead(length + 1)) {
                return length;
            }
            length += 1;
        }
    }

    /// The whitespace between two words; `None` if the scalar ends here. A tab ends it.
    fn plain_gap(&mut self) -> Option<String> {
        let spaces = self.cursor.take_while(|c| c == ' ');
        let Some(first) = self.cursor.line_break() else { return (!spaces.is_empty()).then_some(spaces) };
        self.key_allowed = true;
        if self.cursor.at_dots() {
            return None;
        }
        let mut breaks = String::new();
        while self.cursor.peek() == ' ' || is_break(self.cursor.peek()) {
            match self.cursor.line_break() {
                None => self.cursor.step(),
                Some(c) => {
                    breaks.push(c);
                    if self.cursor.at_dots() {
                        return None;
                    }
                }
            }
        }
        Some(fold(first, breaks))
    }

    /// A block scalar.
    pub(super) fn block(&mut self) -> Result<Token> {
        let (line, column) = (self.cursor.line, self.cursor.column);
        let folded = self.cursor.peek() == '>';
        self.cursor.step();
        let (chomp, increment) = self.block_signs()?;
        let comment = self.block_rest_of_line()?;
        let least = self.indent + 1;
        let (indent, mut breaks) = match increment {
            None => {
                let (deepest, breaks) = self.block_indentation();
                (least.max(deepest), breaks)
            }
            Some(increment) => {
                let indent = least.max(1) + increment - 1;
                (indent, self.block_breaks(indent))
            }
        };
        let (text, last) = self.block_lines(indent, folded, &mut breaks);
        let mut text = text;
        if chomp != Chomp::Strip {
            text.extend(last);
        }
        if chomp == Chomp::Keep {
            text.push_str(&breaks);
        }
        let end_line = self.cursor.line;
        let mut token = Token { kind: Kind::Scalar { text, plain: false }, line, column, end_line, notes: None };
        if comment {
            token.add_before();
        }
        if chomp != Chomp::Keep && !breaks.is_empty() {
            while self.skip_gap().is_some() {}
            token.add_after();
        }
        Ok(token)
    }

    /// The lines of a block scalar, and the line break after the last one. Further line breaks are left in `breaks`.
    fn block_lines(&mut self, indent: isize, folded: bool, breaks: &mut String) -> (String, Option<char>) {
        let mut text = String::new();
        let mut last = None;
        while self.in_block(indent) {
            text.push_str(breaks);
            let flush = !matches!(self.cursor.peek(), ' ' | '\t');
            text.push_str(&self.cursor.take_while(|c| !is_end(c)));
            last = self.cursor.line_break();
            *breaks = self.block_breaks(indent);
            if !self.in_block(indent) {
                break;
            }
            if folded && last == Some('\n') && flush && !matches!(self.cursor.peek(), ' ' | '\t') {
                text.push_str(if breaks.is_empty() { " " } else { "" });
            } else {
                text.extend(last);
            }
        }
        (text, last)
    }

    fn in_block(&self, indent: isize) -> bool {
        self.cursor.column == indent && self.cursor.peek() != super::cursor::END
    }

    fn block_signs(&mut self) -> Result<(Chomp, Option<isize>)> {
        let mut chomp = self.block_chomp();
        let increment = self.block_digit()?;
        if chomp.is_none() && increment.is_some() {
            chomp = self.block_chomp();
        }
        let c = self.cursor.peek();
        if c == '\t' || !is_gap(c) {
            return self.cursor.fault("after `|` or `>` only `+`, `-`, a digit or a comment may follow on the line");
        }
        Ok((chomp.unwrap_or(Chomp::Clip), increment))
    }

    fn block_chomp(&mut self) -> Option<Chomp> {
        let chomp = match self.cursor.peek() {
            '+' => Chomp::Keep,
            '-' => Chomp::Strip,
            _ => return None,
        };
        self.cursor.step();
        Some(chomp)
    }

    fn block_digit(&mut self) -> Result<Option<isize>> {
        match self.cursor.peek() {
            '0' => self.cursor.fault("the digit after `|` or `>` is 1 to 9"),
            c @ '1'..='9' => {
                self.cursor.step();
                Ok(c.to_digit(10).and_then(|digit| isize::try_from(digit).ok()))
            }
            _ => Ok(None),
        }
    }

    /// Skips the rest of the header line of a block scalar. Returns whether it has a comment.
    fn block_rest_of_line(&mut self) -> Result<bool> {
        self.cursor.take_while(|c| c == ' ');
        let comment = self.cursor.peek() == '#';
        if comment {
            self.cursor.take_while(|c| !is_end(c));
        }
        if !is_end(self.cursor.peek()) {
            return self.cursor.fault("after `|` or `>` the text begins on the next line");
        }
        self.cursor.line_break();
        Ok(comment)
    }

    fn block_indentation(&mut self) -> (isize, String) {
        let (mut deepest, mut breaks) = (0, String::new());
        while self.cursor.peek() == ' ' || is_break(self.cursor.peek()) {
            match self.cursor.line_break() {
                Some(c) => breaks.push(c),
                None => {
                    self.cursor.step();
                    deepest = deepest.max(self.cursor.column);
                }
            }
        }
        (deepest, breaks)
    }

    fn block_breaks(&mut self, indent: isize) -> String {
        let mut breaks = String::new();
        loop {
            while self.cursor.column < indent && self.cursor.peek() == ' ' {
                self.cursor.step();
            }
            match self.cursor.line_break() {
                Some(c) => breaks.push(c),
                None => return breaks,
            }
        }
    }
}

/// Folds line breaks: a single one becomes a space, several lose one.
pub(super) fn fold(first: char, breaks: String) -> String {
    match first {
        '\n' if breaks.is_empty() => " ".to_owned(),
        '\n' => breaks,
        other => format!("{other}{breaks}"),
    }
}
