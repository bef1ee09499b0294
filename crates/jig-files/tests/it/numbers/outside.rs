//! Formulas that reach outside the workbook are refused in any spelling.

use jig_files::engine::{EditOptions, Engine, Format};
use serde_json::json;

use super::{Book, Parts};

const SPELLINGS: &[&str] = &[
    "=WEBSERVICE(\"http://x\")",
    "=_xlfn.WEBSERVICE (\"http://x\")",
    "=webservice\n(\"http://x\")",
    "=WebService\t \r\n(\"http://x\")",
    "=1+_XLFN.webservice(\"http://x\")",
    "=_xlfn._xlws.WEBSERVICE(\"http://x\")",
    "=\u{ff37}\u{ff25}\u{ff22}\u{ff33}\u{ff25}\u{ff32}\u{ff36}\u{ff29}\u{ff23}\u{ff25}(\"http://x\")",
    "=WEBSERVICE\u{a0}(\"http://x\")",
    "=WEBSERVICE\u{200b}(\"http://x\")",
    "=WEB\u{ad}SERVICE(\"http://x\")",
    "=WEBSERVICE\u{ff08}\"http://x\"\u{ff09}",
    "=IF(TRUE,@WEBSERVICE(\"http://x\"),1)",
    "=LET(f,WEBSERVICE,f(\"http://x\"))",
    "=MAP(A1:A2,_xlfn.WEBSERVICE)",
    "=BYROW(A1:A2, webservice )",
    "=RTD (\"prog\",,\"x\")",
    "=IMAGE (\"http://x/y.png\")",
    "=_xll.Anything (1)",
    "=CUBEVALUE (\"a\",\"b\")",
    "=DDE (\"soffice\",\"x\",\"y\")",
    "=cmd|'/c calc'!A0",
    "=cmd|' /C calc'!'A0'",
    "=cmd\u{ff5c}'/c calc'!A0",
    "=[book.xlsx]Sheet1!A1",
    "='[book.xlsx]Sheet1'!A1",
    "='C:\\folder\\[book.xlsx]Sheet1'!A1",
    "='https://x/[book.xlsx]Sheet 1'!A1",
    "=[1]!Name",
    "=SUM( [2]Sheet1!A1:A9 )",
    "=IMPORTDATA (\"http://x\")",
    "=CALL (\"kernel32\",\"WinExec\",\"J\",1)",
    "=REGISTER.ID (\"a\",\"b\")",
];

#[test]
fn new_formulas_that_reach_outside_are_refused() {
    let book = Book::new(&Parts { sheets: &[("Data", &[("A1", "1")])], rest: "" });
    for formula in SPELLINGS {
        let ops = json!([{"op": "set_cells", "sheet": "Data", "cells": [{"cell": "B1", "value": formula}]}]);
        let found = Engine::default().apply(Format::Xlsx, Some((&book.bytes).into()), &ops, &EditOptions::default());
        let message = found.err().map(|error| error.message).unwrap_or_default();
        assert!(message.contains("outside the workbook"), "{formula:?}: {message:?}");
    }
}

#[test]
fn existing_formulas_that_reach_outside_are_not_computed() {
    for formula in SPELLINGS {
        let content = format!("{formula}&A1|old");
        let book = Book::new(&Parts { sheets: &[("Data", &[("A1", "1"), ("B1", &content)])], rest: "" });
        let (edited, _) = book.set(&[("Data!A1", json!(2))]);
        assert_eq!(edited.stored(1, "B1"), "-", "{formula:?}");
    }
}

#[test]
fn names_that_only_look_alike_are_allowed() {
    let names = r#"<definedNames><definedName name="Call">Data!$A$1</definedName><definedName name="Request">Data!$A$1</definedName></definedNames>"#;
    let book = Book::new(&Parts { sheets: &[("Data", &[("A1", "3")])], rest: names });
    for formula in ["=Call*2", "=SUM(Request,3)", "=\"WEBSERVICE(\"&A1", "=IF(A1=3,\"cmd|x\",1)"] {
        let (edited, _) = book.set(&[("Data!B1", json!(formula))]);
        assert_ne!(edited.stored(1, "B1"), "-", "{formula}");
    }
}
