//! Functions newer than the file format: people write `XLOOKUP`, files hold `_xlfn.XLOOKUP`.

use crate::xlsx::formula::{TokenKind, tokens};

/// Functions that files mark with `_xlfn._xlws.`.
const WORKSHEET: [&str; 3] = ["FILTER", "SORT", "PY"];

/// Functions that files mark with `_xlfn.`.
const FUTURE: &[&str] = &[
    "ACOT",
    "ACOTH",
    "ARABIC",
    "ARRAYTOTEXT",
    "BASE",
    "BETA.DIST",
    "BETA.INV",
    "BINOM.DIST",
    "BINOM.DIST.RANGE",
    "BINOM.INV",
    "BITAND",
    "BITLSHIFT",
    "BITOR",
    "BITRSHIFT",
    "BITXOR",
    "BYCOL",
    "BYROW",
    "CEILING.MATH",
    "CEILING.PRECISE",
    "CHISQ.DIST",
    "CHISQ.DIST.RT",
    "CHISQ.INV",
    "CHISQ.INV.RT",
    "CHISQ.TEST",
    "CHOOSECOLS",
    "CHOOSEROWS",
    "COMBINA",
    "CONCAT",
    "CONFIDENCE.NORM",
    "CONFIDENCE.T",
    "COT",
    "COTH",
    "COVARIANCE.P",
    "COVARIANCE.S",
    "CSC",
    "CSCH",
    "DAYS",
    "DECIMAL",
    "DROP",
    "ERF.PRECISE",
    "ERFC.PRECISE",
    "EXPAND",
    "EXPON.DIST",
    "F.DIST",
    "F.DIST.RT",
    "F.INV",
    "F.INV.RT",
    "F.TEST",
    "FIELDVALUE",
    "FILTERXML",
    "FLOOR.MATH",
    "FLOOR.PRECISE",
    "FORECAST.ETS",
    "FORECAST.ETS.CONFINT",
    "FORECAST.ETS.SEASONALITY",
    "FORECAST.ETS.STAT",
    "FORECAST.LINEAR",
    "FORMULATEXT",
    "GAMMA",
    "GAMMA.DIST",
    "GAMMA.INV",
    "GAMMALN.PRECISE",
    "GAUSS",
    "GROUPBY",
    "HSTACK",
    "HYPGEOM.DIST",
    "IFNA",
    "IFS",
    "IMAGE",
    "IMCOSH",
    "IMCOT",
    "IMCSC",
    "IMCSCH",
    "IMSEC",
    "IMSECH",
    "IMSINH",
    "IMTAN",
    "ISFORMULA",
    "ISOMITTED",
    "ISOWEEKNUM",
    "LAMBDA",
    "LET",
    "LOGNORM.DIST",
    "LOGNORM.INV",
    "MAKEARRAY",
    "MAP",
    "MAXIFS",
    "MINIFS",
    "MODE.MULT",
    "MODE.SNGL",
    "MUNIT",
    "NEGBINOM.DIST",
    "NORM.DIST",
    "NORM.INV",
    "NORM.S.DIST",
    "NORM.S.INV",
    "NUMBERVALUE",
    "PDURATION",
    "PERCENTILE.EXC",
    "PERCENTILE.INC",
    "PERCENTOF",
    "PERCENTRANK.EXC",
    "PERCENTRANK.INC",
    "PERMUTATIONA",
    "PHI",
    "PIVOTBY",
    "POISSON.DIST",
    "QUARTILE.EXC",
    "QUARTILE.INC",
    "RANDARRAY",
    "RANK.AVG",
    "RANK.EQ",
    "REDUCE",
    "REGEXEXTRACT",
    "REGEXREPLACE",
    "REGEXTEST",
    "RRI",
    "SCAN",
    "SEC",
    "SECH",
    "SEQUENCE",
    "SHEET",
    "SHEETS",
    "SKEW.P",
    "SORTBY",
    "STDEV.P",
    "STDEV.S",
    "STOCKHISTORY",
    "SWITCH",
    "T.DIST",
    "T.DIST.2T",
    "T.DIST.RT",
    "T.INV",
    "T.INV.2T",
    "T.TEST",
    "TAKE",
    "TEXTAFTER",
    "TEXTBEFORE",
    "TEXTJOIN",
    "TEXTSPLIT",
    "TOCOL",
    "TOROW",
    "TRANSLATE",
    "TRIMRANGE",
    "UNICHAR",
    "UNICODE",
    "UNIQUE",
    "VALUETOTEXT",
    "VAR.P",
    "VAR.S",
    "VSTACK",
    "WEBSERVICE",
    "WEIBULL.DIST",
    "WRAPCOLS",
    "WRAPROWS",
    "XLOOKUP",
    "XMATCH",
    "XOR",
    "Z.TEST",
];

/// A formula as files hold it: newer functions get their marks, and so do the names that LET and LAMBDA bind.
pub(super) fn stored(formula: &str) -> String {
    let bound = bound_names(formula);
    let mut out = String::with_capacity(formula.len() + 16);
    for token in tokens(formula) {
        let mark = match token.kind {
            TokenKind::Function(None) => mark(token.text),
            TokenKind::Name(None) if bound.iter().any(|name| name.eq_ignore_ascii_case(token.text)) => "_xlpm.",
            _ => "",
        };
        out.push_str(mark);
        out.push_str(token.text);
    }
    out
}

fn mark(name: &str) -> &'static str {
    let name = name.to_ascii_uppercase();
    if WORKSHEET.contains(&name.as_str()) {
        "_xlfn._xlws."
    } else if FUTURE.contains(&name.as_str()) {
        "_xlfn."
    } else {
        ""
    }
}

/// The names that LET and LAMBDA bind: every second argument of LET, and all but the last of LAMBDA.
fn bound_names(formula: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    // The brackets that are open: whose they are, and how many separators they have seen.
    let mut open: Vec<(Caller, usize)> = Vec::new();
    let mut caller = Caller::Other;
    let mut at_start = false;
    let mut candidate: Option<&str> = None;
    for token in tokens(formula) {
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
            assert_eq!(stored(given), wanted);
        }
    }
}
