//! The syntax of new formulas. Excel reports a file as damaged if it has a formula that it cannot parse, and removes it.

use crate::{FormulaText, Token, TokenKind};

/// Why a text is not a formula. Characters count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormulaError {
    /// Text that is not part of any formula.
    #[error("unexpected `{text}` at character {position}")]
    Unexpected {
        /// The text.
        text: String,
        /// Where it starts.
        position: usize,
    },
    /// `;` between the arguments of a function.
    #[error("`;` separates the rows of an array; arguments are separated by `,`")]
    SemicolonBetweenArguments,
    /// An operator without a value before it.
    #[error("`{operator}` at character {position} has no value before it")]
    NoValueBefore {
        /// The operator.
        operator: String,
        /// Where it is.
        position: usize,
    },
    /// An operator without a value after it.
    #[error("`{operator}` at character {position} has no value after it")]
    NoValueAfter {
        /// The operator.
        operator: String,
        /// Where it is.
        position: usize,
    },
    /// `()` outside a call.
    #[error("a pair of brackets is empty")]
    EmptyBrackets,
    /// An array whose rows differ in length.
    #[error("the rows of an array must have the same number of values")]
    UnevenArray,
    /// A bracket that is closed but was not opened.
    #[error("the formula closes a bracket that it did not open")]
    NotOpened,
    /// A bracket that is opened but not closed.
    #[error("the formula has a bracket that is not closed")]
    NotClosed,
}

/// Rejects text that cannot be a formula, whatever its names mean.
pub fn validate<F: FormulaText + ?Sized>(formula: &F) -> Result<(), FormulaError> {
    let mut form = Form { before: None, open: Vec::new(), array: None };
    for token in formula.tokens().filter(|token| token.kind != TokenKind::Space) {
        form.next(&token)?;
    }
    form.end()
}

struct Form<'a> {
    before: Option<Token<'a>>,
    /// The round brackets that are open, and whether each belongs to a call.
    open: Vec<bool>,
    /// Elements of the row of the array that is read, and of the row before.
    array: Option<(usize, Option<usize>)>,
}

impl<'a> Form<'a> {
    fn next(&mut self, token: &Token<'a>) -> Result<(), FormulaError> {
        if let Some((width, row_before)) = self.array {
            return self.in_array(token, width, row_before);
        }
        match token.kind {
            TokenKind::Unknown => return Err(unknown(token)),
            TokenKind::OpenArray => self.array = Some((1, None)),
            TokenKind::CloseArray => return Err(FormulaError::NotOpened),
            TokenKind::Open => self.open.push(self.is_called()),
            TokenKind::Close => self.close()?,
            TokenKind::Separator if token.text == ";" => {
                return Err(FormulaError::SemicolonBetweenArguments);
            }
            TokenKind::Separator => self.nothing_waits()?,
            TokenKind::Operator if !is_sign(token) && self.waits() => {
                return Err(FormulaError::NoValueBefore { operator: token.text.to_owned(), position: token.start + 1 });
            }
            _ => {}
        }
        self.before = Some(*token);
        Ok(())
    }

    fn in_array(&mut self, token: &Token<'a>, width: usize, row_before: Option<usize>) -> Result<(), FormulaError> {
        let even = row_before.is_none_or(|before| before == width);
        match token.kind {
            TokenKind::Unknown => return Err(unknown(token)),
            TokenKind::CloseArray if even => {
                self.array = None;
                self.before = Some(*token);
            }
            TokenKind::Separator if token.text != ";" => self.array = Some((width + 1, row_before)),
            TokenKind::Separator if even => self.array = Some((1, Some(width))),
            TokenKind::CloseArray | TokenKind::Separator => {
                return Err(FormulaError::UnevenArray);
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether a bracket that opens here belongs to a call: of a function, or of what a call gave.
    fn is_called(&self) -> bool {
        self.before.is_some_and(|before| matches!(before.kind, TokenKind::Function(_) | TokenKind::Close))
    }

    fn close(&mut self) -> Result<(), FormulaError> {
        let called = self.open.pop().ok_or(FormulaError::NotOpened)?;
        // Only a call may have nothing in its brackets.
        if !called && self.before.is_some_and(|before| before.kind == TokenKind::Open) {
            return Err(FormulaError::EmptyBrackets);
        }
        self.nothing_waits()
    }

    /// Whether a value must come next.
    fn waits(&self) -> bool {
        self.before.is_none_or(|before| match before.kind {
            TokenKind::Open | TokenKind::Separator | TokenKind::At => true,
            TokenKind::Operator => before.text != "%",
            _ => false,
        })
    }

    /// An operator must have a value behind it.
    fn nothing_waits(&self) -> Result<(), FormulaError> {
        match self.before {
            Some(before) if before.kind == TokenKind::Operator && before.text != "%" => {
                Err(FormulaError::NoValueAfter { operator: before.text.to_owned(), position: before.start + 1 })
            }
            _ => Ok(()),
        }
    }

    fn end(&self) -> Result<(), FormulaError> {
        if !self.open.is_empty() || self.array.is_some() {
            return Err(FormulaError::NotClosed);
        }
        self.nothing_waits()
    }
}

fn is_sign(token: &Token<'_>) -> bool {
    matches!(token.text, "+" | "-")
}

fn unknown(token: &Token<'_>) -> FormulaError {
    FormulaError::Unexpected { text: token.text.to_owned(), position: token.start + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_a_formula_passes() {
        for body in [
            "1",
            "-A1",
            "--A1:A3",
            "+1",
            "50%",
            "10%*-2",
            "A1%^2",
            "SUM(A1:A3,,B2)",
            "IF(A1,,2)",
            "IF(A1>=2,\"a;b\",)",
            "NOW()",
            "(A1+2)*3",
            "A1 B2",
            "{1,2;3,4}",
            "SUM({1,2;-3,TRUE})",
            "A1:INDEX(B1:B9,3)",
            "@A1:A3",
            "A1#",
            "LAMBDA(x,x+1)(2)",
            "LET(x,1,x*2)",
            "Sales[[#This Row],[Net; or so]]*2",
            "'a;b'!A1+1",
            "#REF!+1",
            "A1<>B1",
            "(A1,B1)",
        ] {
            assert_eq!(validate(body), Ok(()), "{body}");
        }
    }

    #[test]
    fn what_can_be_no_formula_is_refused_with_the_place() {
        let before = |operator: &str, position| FormulaError::NoValueBefore { operator: operator.to_owned(), position };
        let after = |operator: &str, position| FormulaError::NoValueAfter { operator: operator.to_owned(), position };
        for (body, error) in [
            ("SUM(B2;B3)", FormulaError::SemicolonBetweenArguments),
            ("1+", after("+", 2)),
            ("A2&&B2", before("&", 4)),
            ("=A2", before("=", 1)),
            ("A2+*3", before("*", 4)),
            ("SUM(A1+)", after("+", 7)),
            ("SUM(A1*,2)", after("*", 7)),
            ("()", FormulaError::EmptyBrackets),
            ("1+()", FormulaError::EmptyBrackets),
            ("{1,2;3}", FormulaError::UnevenArray),
            ("{1;2,3}", FormulaError::UnevenArray),
            ("SUM(A1", FormulaError::NotClosed),
            ("{1,2", FormulaError::NotClosed),
            ("A1)", FormulaError::NotOpened),
            ("1}", FormulaError::NotOpened),
            ("%5", before("%", 1)),
            ("1+~", FormulaError::Unexpected { text: "~".to_owned(), position: 3 }),
        ] {
            assert_eq!(validate(body), Err(error), "{body}");
        }
    }
}
