//! The form of a new formula. Excel calls a file damaged that holds what can be no formula, and takes it out.

use crate::{Token, TokenKind, tokens};

/// Refuses what can be no formula, whatever its names mean.
pub fn validate(formula: &str) -> Result<(), String> {
    let mut form = Form { before: None, open: Vec::new(), array: None };
    for token in tokens(formula).filter(|token| token.kind != TokenKind::Space) {
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
    fn next(&mut self, token: &Token<'a>) -> Result<(), String> {
        if let Some((width, row_before)) = self.array {
            return self.in_array(token, width, row_before);
        }
        match token.kind {
            TokenKind::Unknown => return Err(unknown(token)),
            TokenKind::OpenArray => self.array = Some((1, None)),
            TokenKind::CloseArray => return Err(not_open()),
            TokenKind::Open => self.open.push(self.is_called()),
            TokenKind::Close => self.close()?,
            TokenKind::Separator if token.text == ";" => {
                return Err("`;` parts the rows of an array; arguments are parted by `,`".to_owned());
            }
            TokenKind::Separator => self.nothing_waits()?,
            TokenKind::Operator if !is_sign(token) && self.waits() => {
                return Err(format!("`{}` at character {} has nothing before it", token.text, token.start + 1));
            }
            _ => {}
        }
        self.before = Some(*token);
        Ok(())
    }

    fn in_array(&mut self, token: &Token<'a>, width: usize, row_before: Option<usize>) -> Result<(), String> {
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
                return Err("the rows of an array must have as many values each".to_owned());
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether a bracket that opens here belongs to a call: of a function, or of what a call gave.
    fn is_called(&self) -> bool {
        self.before.is_some_and(|before| matches!(before.kind, TokenKind::Function(_) | TokenKind::Close))
    }

    fn close(&mut self) -> Result<(), String> {
        let called = self.open.pop().ok_or_else(not_open)?;
        // Only a call may have nothing in its brackets.
        if !called && self.before.is_some_and(|before| before.kind == TokenKind::Open) {
            return Err("a pair of brackets has nothing in it".to_owned());
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
    fn nothing_waits(&self) -> Result<(), String> {
        match self.before {
            Some(before) if before.kind == TokenKind::Operator && before.text != "%" => {
                Err(format!("`{}` at character {} has nothing behind it", before.text, before.start + 1))
            }
            _ => Ok(()),
        }
    }

    fn end(&self) -> Result<(), String> {
        if !self.open.is_empty() || self.array.is_some() {
            return Err("the formula has a bracket that is not closed".to_owned());
        }
        self.nothing_waits()
    }
}

fn is_sign(token: &Token<'_>) -> bool {
    matches!(token.text, "+" | "-")
}

fn unknown(token: &Token<'_>) -> String {
    format!("`{}` at character {} belongs to no formula", token.text, token.start + 1)
}

fn not_open() -> String {
    "the formula closes a bracket that it did not open".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(body: &str) -> Option<String> {
        validate(body).err()
    }

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
            assert_eq!(told(body), None, "{body}");
        }
    }

    #[test]
    fn what_can_be_no_formula_is_refused_with_the_place() {
        for (body, why) in [
            ("SUM(B2;B3)", "arguments are parted by `,`"),
            ("1+", "`+` at character 2 has nothing behind it"),
            ("A2&&B2", "`&` at character 4 has nothing before it"),
            ("=A2", "`=` at character 1 has nothing before it"),
            ("A2+*3", "`*` at character 4 has nothing before it"),
            ("SUM(A1+)", "`+` at character 7 has nothing behind it"),
            ("SUM(A1*,2)", "`*` at character 7 has nothing behind it"),
            ("()", "a pair of brackets has nothing in it"),
            ("1+()", "a pair of brackets has nothing in it"),
            ("{1,2;3}", "as many values each"),
            ("{1;2,3}", "as many values each"),
            ("SUM(A1", "not closed"),
            ("{1,2", "not closed"),
            ("A1)", "did not open"),
            ("1}", "did not open"),
            ("%5", "`%` at character 1 has nothing before it"),
        ] {
            assert!(told(body).is_some_and(|told| told.contains(why)), "{body}: {:?}", told(body));
        }
    }
}
