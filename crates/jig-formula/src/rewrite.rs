//! Rewriting a formula token by token: what does not change is copied as it was written.

use std::borrow::Cow;

use super::lexer::{Token, tokens};

/// A formula after a rewrite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten<'a> {
    /// The formula; borrowed when nothing in it changed.
    pub text: Cow<'a, str>,
    /// How many references became `#REF!`.
    pub lost: usize,
    /// How many references across several sheets (`Jan:Dec!A1`) were left as they are, though the edit
    /// is in one of these sheets. Excel leaves them too: the same address on the other sheets did not move.
    pub left: usize,
}

/// What becomes of one token.
pub(super) enum Fate {
    /// It stays as it is.
    Keep,
    /// It is written anew.
    Replace(String),
    /// It is written anew and what it pointed at is gone.
    Lose(String),
    /// It stays though the edit could concern it.
    Leave,
}

pub(super) fn rewrite<'a>(formula: &'a str, mut fate: impl FnMut(&Token<'a>) -> Fate) -> Rewritten<'a> {
    let mut text = String::new();
    let mut copied = 0;
    let (mut lost, mut left) = (0, 0);
    for token in tokens(formula) {
        let new = match fate(&token) {
            Fate::Keep => continue,
            Fate::Leave => {
                left += 1;
                continue;
            }
            Fate::Replace(new) => new,
            Fate::Lose(new) => {
                lost += 1;
                new
            }
        };
        text.push_str(formula.get(copied..token.start).unwrap_or(""));
        text.push_str(&new);
        copied = token.start + token.text.len();
    }
    if copied == 0 {
        return Rewritten { text: Cow::Borrowed(formula), lost, left };
    }
    text.push_str(formula.get(copied..).unwrap_or(""));
    Rewritten { text: Cow::Owned(text), lost, left }
}
