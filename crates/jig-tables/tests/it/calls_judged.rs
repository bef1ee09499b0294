//! Workbooks that table methods write, before the outside judges; and tables from files made to do harm.

use std::io::Write as _;

use jig_files::engine::Reason;
use serde_json::{Value, json};
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::calls::TestTables;

#[path = "../../../jig-files/tests/it/office/judge.rs"]
#[allow(dead_code, clippy::print_stdout, reason = "the tests of the file engine use the rest, and see what is skipped")]
mod judge;

/// Every type, nothing at all, and what a workbook cannot hold as it is.
const TYPES: &str = "n,big,d,t,c,b,s\n\
    1.5,12345678901234567890,2024-02-29,2024-02-29 12:00:00,08:30:00,true,=1+1\n\
    -2,1,1850-01-01,2024-03-01 00:00:00,23:59:59,false,\"<a & \"\"b\"\">\n two lines\"\n\
    ,,,,,,\" led by a space\"\n\
    0.25,2,1999-12-31,1999-12-31 23:59:59,00:00:00,true,\u{1}caf\u{e9} \u{1f600}\n";

/// Comma, quote, UTF-8.
const UTF8_CSV: &str = "csv:Text - txt - csv (StarCalc):44,34,76";

/// Three workbooks: one exported, one that rows were put into, one made for rows.
fn written(desk: &TestTables) -> [(&'static str, Value); 3] {
    desk.put("types.csv", TYPES);
    desk.export(&json!({ "path": "types.csv", "target_path": "new.xlsx", "sheet": "All & <more>" })).unwrap();
    let put = |target: &str, sheet: &str, mode: &str| {
        let params = json!({ "path": "types.csv", "target_path": target, "sheet": sheet, "mode": mode });
        desk.update(&params);
    };
    put("book.xlsx", "People", "append_rows");
    put("book.xlsx", "Types", "replace_sheet");
    put("fresh.xlsx", "Types", "write_range");
    let cell = |sheet: &str, cell: &str, value: Value, kind: &str| json!({ "sheet": sheet, "cell": cell, "value": value, "type": kind });
    let types = |sheet: &str| {
        json!([
            cell(sheet, "A1", json!("n"), "s"),
            cell(sheet, "A2", json!(1.5), "n"),
            cell(sheet, "A3", json!(-2), "n"),
            cell(sheet, "A4", json!(null), "n"),
            cell(sheet, "B2", json!("12345678901234567890"), "s"),
            cell(sheet, "B3", json!(1), "n"),
            cell(sheet, "C2", json!("2024-02-29T00:00:00"), "d"),
            cell(sheet, "C3", json!("1850-01-01"), "s"),
            cell(sheet, "D2", json!("2024-02-29T12:00:00"), "d"),
            cell(sheet, "F2", json!(true), "b"),
            cell(sheet, "G2", json!("=1+1"), "s"),
            cell(sheet, "G3", json!("<a & \"b\">\n two lines"), "s"),
            cell(sheet, "G4", json!(" led by a space"), "s"),
            cell(sheet, "G5", json!("caf\u{e9} \u{1f600}"), "s"),
        ])
    };
    [("new.xlsx", types("All & <more>")), ("book.xlsx", types("Types")), ("fresh.xlsx", types("Types"))]
}

#[test]
fn the_validator_finds_nothing_wrong_with_written_workbooks() {
    let Some(validator) = judge::find("JIG_TEST_VALIDATOR") else { return };
    let desk = TestTables::new();
    let before = judge::validate(&validator, &desk.place("book.xlsx"));
    for (name, _) in written(&desk) {
        let after = judge::validate(&validator, &desk.place(name));
        let known = if name == "book.xlsx" { before.clone() } else { Default::default() };
        assert_eq!(judge::new_complaints(&known, &after), [""; 0], "{name}");
    }
}

#[test]
fn libreoffice_opens_written_workbooks() {
    let Some(soffice) = judge::find("JIG_TEST_SOFFICE") else { return };
    let desk = TestTables::new();
    let names = written(&desk).map(|(name, _)| name.to_owned());
    let folder = judge::folder("tables-converted");
    for name in &names {
        std::fs::copy(desk.place(name), folder.join(name)).unwrap();
    }
    assert_eq!(judge::convert(&soffice, &folder, &names, UTF8_CSV), [""; 0], "LibreOffice made nothing of them");
    let text = std::fs::read_to_string(folder.join("converted/new.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "n,big,d,t,c,b,s");
    assert_eq!(lines[1], "1.5,12345678901234567890,2024-02-29,2024-02-29 12:00:00,8:30:00,TRUE,=1+1");
}

#[test]
fn openpyxl_reads_what_was_written() {
    let Some(python) = judge::find("JIG_TEST_PYTHON") else { return };
    let desk = TestTables::new();
    let questions: Vec<Value> = written(&desk)
        .into_iter()
        .map(|(name, expect)| json!({ "file": desk.place(name), "kind": "xlsx", "expect": expect }))
        .collect();
    let answer = judge::ask_python(&python, &json!(questions));
    assert_eq!(answer, json!([]), "{answer:#}");
}

/// A small file that inflates to four gigabytes.
fn bomb() -> Vec<u8> {
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let parts = [
        (
            "[Content_Types].xml",
            r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>"#,
        ),
        (
            "_rels/.rels",
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#,
        ),
        (
            "xl/workbook.xml",
            r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>"#,
        ),
        (
            "xl/_rels/workbook.xml.rels",
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#,
        ),
    ];
    for (name, text) in parts {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.start_file("xl/worksheets/sheet1.xml", SimpleFileOptions::default().large_file(true)).unwrap();
    zip.write_all(br#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>"#).unwrap();
    let piece = vec![b'a'; 1 << 20];
    for _ in 0..256 {
        zip.write_all(&piece).unwrap();
    }
    zip.write_all(b"</t></is></c></row></sheetData></worksheet>").unwrap();
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_workbook_that_inflates_without_end_is_no_table() {
    let desk = TestTables::new();
    let bytes = bomb();
    assert!(bytes.len() < 1 << 20, "{}", bytes.len());
    std::fs::write(desk.place("bomb.xlsx"), bytes).unwrap();
    let params = json!({ "path": "bomb.xlsx" });
    let error = desk.engine.read("TabularGetMap", &params, &desk.open()).unwrap_err();
    assert_eq!(error.reason, Reason::TooLarge, "{error:?}");
    std::fs::write(desk.place("torn.xlsx"), b"PK\x03\x04 and no more").unwrap();
    assert!(desk.engine.read("TabularGetMap", &json!({ "path": "torn.xlsx" }), &desk.open()).is_err());
}

/// Converted tables of a desk.
fn converted(desk: &TestTables) -> Vec<std::path::PathBuf> {
    std::fs::read_dir(desk.place("cache")).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_damaged_table_in_the_cache_is_made_anew() {
    let desk = TestTables::new();
    let long: String = (0..200_000).fold("id,name\n".to_owned(), |text, n| text + &format!("{n},someone {n}\n"));
    desk.put("long.csv", &long);
    let query = json!({ "path": "long.csv", "query": "SELECT count(*), sum(id), max(name) FROM data" });
    let right = desk.ok("TabularQuery", &query.clone())["rows"].clone();
    assert_eq!(right, json!([[200_000, 19_999_900_000_u64, "someone 99999"]]));
    let [path] = converted(&desk).try_into().unwrap();
    let whole = std::fs::read(&path).unwrap();
    // In its head, which shows when it is opened, and among the values, which shows when they are read.
    for from in [8, whole.len() / 2] {
        let mut torn = whole.clone();
        torn[from..from + 4_000].fill(0xa5);
        std::fs::write(&path, &torn).unwrap();
        assert_eq!(desk.ok("TabularQuery", &query.clone())["rows"], right, "damaged from {from} on");
        assert_eq!(std::fs::read(&path).unwrap().len(), whole.len());
        std::fs::write(&path, &torn).unwrap();
        let out = format!("out{from}.csv");
        let answer = desk.export(&json!({ "path": "long.csv", "target_path": out })).unwrap();
        assert_eq!(answer["row_count"], 200_000);
        assert_eq!(std::fs::read_to_string(desk.place(&out)).unwrap(), long);
    }
    assert_eq!(converted(&desk).len(), 1);
}
