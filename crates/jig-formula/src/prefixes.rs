//! Functions newer than the file format: people write `XLOOKUP`, files hold `_xlfn.XLOOKUP`; people write `A1#` and
//! `@A1:A9`, files hold `_xlfn.ANCHORARRAY(A1)` and `_xlfn.SINGLE(A1:A9)`.

use std::borrow::Cow;

use crate::functions::{FunctionTable, FunctionTrait};
use crate::{FormulaText, Target, Token, TokenKind};

/// A formula as files hold it: newer functions get their marks, and so do the names that LET and LAMBDA bind.
pub fn add<F: FormulaText + ?Sized>(formula: &F) -> String {
    let all: Vec<Token<'_>> = formula.tokens().collect();
    let bound = bound_names(&all);
    let mut out = String::with_capacity(formula.text().len() + 16);
    // Where brackets that `@` opened must be closed.
    let mut closing: Vec<usize> = Vec::new();
    for (at, token) in all.iter().enumerate() {
        let spilled = matches!(all.get(at + 1).map(|next| next.kind), Some(TokenKind::Spill));
        let mark = match token.kind {
            TokenKind::Function(None) => mark(token.text),
            TokenKind::Name(None) if bound.iter().any(|name| name.eq_ignore_ascii_case(token.text)) => "_xlpm.",
            _ => "",
        };
        match token.kind {
            TokenKind::Reference(_) | TokenKind::Name(_) if spilled => {
                out.push_str("_xlfn.ANCHORARRAY(");
                out.push_str(mark);
                out.push_str(token.text);
            }
            TokenKind::Spill => out.push(')'),
            TokenKind::At => match operand_end(&all, at + 1) {
                Some(end) => {
                    out.push_str("_xlfn.SINGLE(");
                    closing.push(end);
                }
                None => out.push_str(token.text),
            },
            _ => {
                out.push_str(mark);
                out.push_str(token.text);
            }
        }
        while closing.pop_if(|end| *end == at).is_some() {
            out.push(')');
        }
    }
    out
}

/// The last token of the operand that begins at a place: a reference, a name or a call.
fn operand_end(all: &[Token<'_>], from: usize) -> Option<usize> {
    match all.get(from)?.kind {
        TokenKind::Reference(_) | TokenKind::Name(_) | TokenKind::Structured(_) => {
            let spilled = matches!(all.get(from + 1).map(|next| next.kind), Some(TokenKind::Spill));
            Some(if spilled { from + 1 } else { from })
        }
        TokenKind::Function(_) => {
            let mut depth = 0_usize;
            for (at, token) in all.iter().enumerate().skip(from + 1) {
                match token.kind {
                    TokenKind::Open => depth += 1,
                    TokenKind::Close if depth <= 1 => return Some(at),
                    TokenKind::Close => depth -= 1,
                    _ => {}
                }
            }
            None
        }
        _ => None,
    }
}

/// A formula as people write it: without the marks of newer functions.
pub fn remove(formula: &str) -> Cow<'_, str> {
    if !formula.to_ascii_lowercase().contains("_xl") {
        return Cow::Borrowed(formula);
    }
    let all: Vec<Token<'_>> = formula.tokens().collect();
    let mut out = String::with_capacity(formula.len());
    let mut at = 0;
    while let Some(token) = all.get(at) {
        at += 1;
        match token.kind {
            TokenKind::Function(None) => {
                let name = without_marks(token.text);
                match (name.to_ascii_uppercase().as_str(), only_argument(&all, at)) {
                    ("ANCHORARRAY", Some(argument)) => {
                        out.push_str(argument);
                        out.push('#');
                        at += 3;
                    }
                    ("SINGLE", Some(argument)) => {
                        out.push('@');
                        out.push_str(argument);
                        at += 3;
                    }
                    _ => out.push_str(name),
                }
            }
            TokenKind::Name(None) => out.push_str(without_marks(token.text)),
            _ => out.push_str(token.text),
        }
    }
    Cow::Owned(out)
}

/// The argument of a call whose bracket opens at a place, when it is one reference or name.
fn only_argument<'t>(all: &[Token<'t>], open: usize) -> Option<&'t str> {
    let [bracket, argument, close] = all.get(open..open + 3)? else { return None };
    let is_place = matches!(argument.kind, TokenKind::Reference(_) | TokenKind::Name(_) | TokenKind::Structured(_));
    let is_call = bracket.kind == TokenKind::Open && close.kind == TokenKind::Close;
    (is_place && is_call).then(|| without_marks(argument.text))
}

fn without_marks(name: &str) -> &str {
    let mut rest = name;
    for mark in ["_xlfn.", "_xlws.", "_xlpm."] {
        if rest.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark)) {
            rest = rest.get(mark.len()..).unwrap_or(rest);
        }
    }
    rest
}

/// Whether a formula's result may fill more cells than its own, so that it is a dynamic array formula.
pub fn spills<F: FormulaText + ?Sized>(formula: &F) -> bool {
    let mut looks_up = false;
    let mut block = false;
    for token in formula.tokens() {
        match token.kind {
            TokenKind::Spill => return true,
            TokenKind::Function(None) => {
                let name = without_marks(token.text).to_ascii_uppercase();
                if FunctionTable::has(&name, FunctionTrait::Spills) {
                    return true;
                }
                looks_up |= name == "XLOOKUP";
            }
            // A lookup gives a whole row or column of what it looks up in when that is a block.
            TokenKind::Reference(reference) => {
                if let Target::Area(area) = reference.target {
                    block |= area.range().is_some_and(|range| range.rows() > 1 && range.columns() > 1);
                }
            }
            _ => {}
        }
    }
    looks_up && block
}

fn mark(name: &str) -> &'static str {
    FunctionTable::get(&name.to_ascii_uppercase()).map_or("", |known| known.prefix)
}

/// The names that LET and LAMBDA bind: every second argument of LET, and all but the last of LAMBDA.
fn bound_names(all: &[Token<'_>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    // The brackets that are open: whose they are, and how many separators they have seen.
    let mut open: Vec<(Caller, usize)> = Vec::new();
    let mut caller = Caller::Other;
    let mut at_start = false;
    let mut candidate: Option<&str> = None;
    for token in all {
        match token.kind {
            TokenKind::Space => continue,
            TokenKind::Function(_) => caller = Caller::of(token.text),
            TokenKind::Open => {
                open.push((std::mem::replace(&mut caller, Caller::Other), 0));
                at_start = true;
                continue;
            }
            TokenKind::Close => {
                open.pop();
            }
            TokenKind::Separator => {
                names.extend(candidate.take().map(str::to_owned));
                if let Some((_, count)) = open.last_mut() {
                    *count += 1;
                }
                at_start = true;
                continue;
            }
            TokenKind::Name(None) if at_start => {
                candidate = match open.last() {
                    Some((Caller::Let, count)) if count % 2 == 0 => Some(token.text),
                    Some((Caller::Lambda, _)) => Some(token.text),
                    _ => None,
                };
                at_start = false;
                continue;
            }
            _ => {}
        }
        candidate = None;
        at_start = false;
    }
    names
}

#[derive(Clone, Copy)]
enum Caller {
    Let,
    Lambda,
    Other,
}

impl Caller {
    fn of(function: &str) -> Self {
        match function.to_ascii_uppercase().as_str() {
            "LET" | "_XLFN.LET" => Self::Let,
            "LAMBDA" | "_XLFN.LAMBDA" => Self::Lambda,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_functions_get_their_marks() {
        let cases = [
            ("SUM(A1:A3)", "SUM(A1:A3)"),
            ("xlookup(A1,B:B,C:C)", "_xlfn.xlookup(A1,B:B,C:C)"),
            ("SUM(FILTER(A1:A3,B1:B3>1))", "SUM(_xlfn._xlws.FILTER(A1:A3,B1:B3>1))"),
            ("LET(x,A1,x*2)", "_xlfn.LET(_xlpm.x,A1,_xlpm.x*2)"),
            ("LAMBDA(a,b,a+b)(1,2)", "_xlfn.LAMBDA(_xlpm.a,_xlpm.b,_xlpm.a+_xlpm.b)(1,2)"),
            ("_xlfn.CONCAT(A1,B1)", "_xlfn.CONCAT(A1,B1)"),
            ("\"IFS(\"&Rate", "\"IFS(\"&Rate"),
        ];
        for (given, wanted) in cases {
            assert_eq!(add(given), wanted);
        }
    }

    #[test]
    fn what_is_read_is_what_people_write() {
        let cases = [
            ("SUM(A1:A3)", "SUM(A1:A3)"),
            ("_xlfn._xlws.SORT(_xlfn.ANCHORARRAY(B1),,-1)", "SORT(B1#,,-1)"),
            ("_xlfn.SINGLE(A1:A3)+_xlfn.SINGLE(F(A1))", "@A1:A3+SINGLE(F(A1))"),
            ("_xlfn.LET(_xlpm.x,A1,_xlpm.x*2)", "LET(x,A1,x*2)"),
            ("\"_xlfn.X\"&_xlfn.CONCAT(A1)", "\"_xlfn.X\"&CONCAT(A1)"),
        ];
        for (given, wanted) in cases {
            assert_eq!(remove(given), wanted);
        }
        for formula in ["SORT(B1#,,-1)", "@A1:A3*2", "@INDEX(A1:A3,MAX(1,2))&\"#\"", "SUM(Data!B2#,@Names)"] {
            let stored = add(formula);
            assert!(stored.contains("_xlfn.") && !stored.contains('@') && !stored.contains("2#"), "{stored}");
        }
        assert_eq!(add("@INDEX(A1:A3,MAX(1,2))+1"), "_xlfn.SINGLE(INDEX(A1:A3,MAX(1,2)))+1");
    }

    #[test]
    fn formulas_that_spill_are_known() {
        let cases = [
            ("UNIQUE(A1:A9)", true),
            ("SUM(_xlfn._xlws.FILTER(A1:A3,B1:B3>1))", true),
            ("A1#", true),
            ("XLOOKUP(A1,B1:B9,C1:C9)", false),
            ("XLOOKUP(A1,B1:B9,C1:D9)", true),
            ("SUM(A1:B9)", false),
            ("\"UNIQUE(\"", false),
        ];
        for (formula, wanted) in cases {
            assert_eq!(spills(formula), wanted, "{formula}");
        }
    }
}
