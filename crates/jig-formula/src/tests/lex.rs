//! Which piece of a formula is which.

use crate::{Target, TokenKind, tokens};

/// Each token as `kind:text`, white space left out.
fn pieces(formula: &str) -> Vec<String> {
    tokens(formula).filter(|t| t.kind != TokenKind::Space).map(|t| format!("{}:{}", word(t.kind), t.text)).collect()
}

fn word(kind: TokenKind<'_>) -> &'static str {
    match kind {
        TokenKind::Space => "space",
        TokenKind::Number => "number",
        TokenKind::Text => "text",
        TokenKind::Bool => "bool",
        TokenKind::Error => "error",
        TokenKind::Operator => "op",
        TokenKind::Separator => "sep",
        TokenKind::Open => "open",
        TokenKind::Close => "close",
        TokenKind::OpenArray => "array",
        TokenKind::CloseArray => "endarray",
        TokenKind::Function(_) => "function",
        TokenKind::Reference(reference) if reference.target == Target::Lost => "lost",
        TokenKind::Reference(_) => "ref",
        TokenKind::Name(_) => "name",
        TokenKind::Structured(_) => "table",
        TokenKind::Spill => "spill",
        TokenKind::At => "at",
        TokenKind::Unknown => "unknown",
    }
}

#[track_caller]
fn check(formula: &str, expected: &[&str]) {
    assert_eq!(pieces(formula), expected, "{formula}");
}

#[test]
fn references_of_every_form() {
    check("A1", &["ref:A1"]);
    check("$B$2+b$3", &["ref:$B$2", "op:+", "ref:b$3"]);
    check("A1:C3", &["ref:A1:C3"]);
    check("A:$C", &["ref:A:$C"]);
    check("$1:3", &["ref:$1:3"]);
    check("Sheet1!A1", &["ref:Sheet1!A1"]);
    check("'It''s a sheet'!A1:B2", &["ref:'It''s a sheet'!A1:B2"]);
    check("Jan:Dec!A1", &["ref:Jan:Dec!A1"]);
    check("'Jan 1:Dec 31'!A1", &["ref:'Jan 1:Dec 31'!A1"]);
    check("[1]Sheet!A1", &["ref:[1]Sheet!A1"]);
    check("'C:\\x\\[b 1.xlsx]S'!$A$1", &["ref:'C:\\x\\[b 1.xlsx]S'!$A$1"]);
    check("Größe!A1", &["ref:Größe!A1"]);
    check("Sheet2!#REF!", &["lost:Sheet2!#REF!"]);
    check("Sheet1!A:A Sheet1!3:3", &["ref:Sheet1!A:A", "ref:Sheet1!3:3"]);
    check("A1:Sheet1!B2", &["ref:A1", "op::", "ref:Sheet1!B2"]);
    check(
        "A1:INDEX(B:B,3)",
        &["ref:A1", "op::", "function:INDEX", "open:(", "ref:B:B", "sep:,", "number:3", "close:)"],
    );
    check("A1:B2:C3", &["ref:A1:B2", "op::", "ref:C3"]);
    check("A1#", &["ref:A1", "spill:#"]);
    check("@A1:A9", &["at:@", "ref:A1:A9"]);
}

#[test]
fn what_only_looks_like_a_cell() {
    check("XFD1048576", &["ref:XFD1048576"]);
    check("XFE1", &["name:XFE1"]);
    check("A1048577", &["name:A1048577"]);
    check("A0", &["name:A0"]);
    check("A01", &["name:A01"]);
    check("R1C1", &["name:R1C1"]);
    check("A1.x", &["name:A1.x"]);
    check("A1_x", &["name:A1_x"]);
    check("LOG10(1)", &["function:LOG10", "open:(", "number:1", "close:)"]);
    check("A1!B2", &["ref:A1!B2"]);
    check("ABCD:EFGH", &["name:ABCD", "op::", "name:EFGH"]);
    check("DEC2BIN(A1)", &["function:DEC2BIN", "open:(", "ref:A1", "close:)"]);
}

#[test]
fn names_functions_and_tables() {
    check(
        "_xlfn._xlws.FILTER(x,y)",
        &["function:_xlfn._xlws.FILTER", "open:(", "name:x", "sep:,", "name:y", "close:)"],
    );
    check("Sheet1!Rate*[1]!Other", &["name:Sheet1!Rate", "op:*", "name:[1]!Other"]);
    check("Table1[[#This Row],[Col]]", &["table:Table1[[#This Row],[Col]]"]);
    check("SUM(T[a'[b']c])", &["function:SUM", "open:(", "table:T[a'[b']c]", "close:)"]);
    check("[@Net]*2", &["table:[@Net]", "op:*", "number:2"]);
    check(
        "LET(_xlpm.x,1,_xlpm.x)",
        &["function:LET", "open:(", "name:_xlpm.x", "sep:,", "number:1", "sep:,", "name:_xlpm.x", "close:)"],
    );
}

#[test]
fn constants_and_operators() {
    check("1.5E-10+.5+2.%", &["number:1.5E-10", "op:+", "number:.5", "op:+", "number:2.", "op:%"]);
    check("\"a\"\"b!A1\"&\"\"", &["text:\"a\"\"b!A1\"", "op:&", "text:\"\""]);
    check(
        "{1,2;#N/A,TRUE}",
        &["array:{", "number:1", "sep:,", "number:2", "sep:;", "error:#N/A", "sep:,", "bool:TRUE", "endarray:}"],
    );
    check(
        "A1<>B1<=C1>=-1^2",
        &["ref:A1", "op:<>", "ref:B1", "op:<=", "ref:C1", "op:>=", "op:-", "number:1", "op:^", "number:2"],
    );
    check("cmd|'/c calc'!A0", &["name:cmd", "op:|", "name:'/c calc'!A0"]);
}

#[test]
fn broken_text_is_unknown() {
    check("\"open", &["unknown:\"open"]);
    check("'open", &["unknown:'open"]);
    check("T[open", &["unknown:T[open"]);
    check("~", &["unknown:~"]);
    check("$", &["unknown:$"]);
    check("!", &["unknown:!"]);
    check(".", &["unknown:."]);
}

#[test]
fn sheet_parts_are_taken_apart() {
    let sheets = |formula: &str| {
        let first = tokens(formula).next().map(|token| token.kind);
        let Some(TokenKind::Reference(reference)) = first else { return (None, String::new(), None) };
        let sheets = reference.prefix.unwrap().sheets();
        (sheets.book, sheets.first, sheets.last)
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(sheets("'It''s'!A1"), (None, "It's".to_owned(), None));
    assert_eq!(sheets("Jan:Dec!A1"), (None, "Jan".to_owned(), some("Dec")));
    assert_eq!(sheets("[1]S!A1"), (some("1"), "S".to_owned(), None));
    assert_eq!(sheets("'C:\\x\\[b.xlsx]A:B'!A1"), (some("C:\\x\\b.xlsx"), "A".to_owned(), some("B")));
}
