//! Tables from sheets as other programs leave them, and rows into such sheets.

use std::io::Write as _;
use std::sync::Arc;

use jig_files::engine::EditOptions;
use serde_json::{Value, json};
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::calls::TestTables;

const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/// Puts a workbook of one sheet, S, on the desk. Style 1 is a time of day, 2 a duration. A table has a range and names.
fn put_book(desk: &TestTables, name: &str, rows: &str, table: Option<(&str, [&str; 2])>) {
    put_workbook(desk, name, rows, table, "");
}

/// A workbook that asks for a calculation when it is opened.
fn put_uncalculated_book(desk: &TestTables, name: &str, rows: &str) {
    put_workbook(desk, name, rows, None, r#"<calcPr calcId="124519" fullCalcOnLoad="1"/>"#);
}

fn put_workbook(desk: &TestTables, name: &str, rows: &str, table: Option<(&str, [&str; 2])>, calculation: &str) {
    let sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml";
    let parts = if table.is_some() { r#"<tableParts count="1"><tablePart r:id="rId1"/></tableParts>"# } else { "" };
    let mut files = vec![
        (
            "[Content_Types].xml",
            format!(
                r#"<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="{sheet}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="{sheet}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="{sheet}.styles+xml"/></Types>"#
            ),
        ),
        (
            "_rels/.rels",
            format!(
                r#"<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>"#
            ),
        ),
        (
            "xl/workbook.xml",
            format!(
                r#"<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets>{calculation}</workbook>"#
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                r#"<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" Type="{RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="{RELATIONS}/styles" Target="styles.xml"/></Relationships>"#
            ),
        ),
        (
            "xl/styles.xml",
            format!(
                r#"<styleSheet xmlns="{MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="[h]:mm"/></numFmts><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" xfId="0"/><xf numFmtId="20" xfId="0" applyNumberFormat="1"/><xf numFmtId="164" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>"#
            ),
        ),
        (
            "xl/worksheets/sheet1.xml",
            format!(
                r#"<worksheet xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheetData>{rows}</sheetData>{parts}</worksheet>"#
            ),
        ),
    ];
    if let Some((range, [first, second])) = table {
        files.push((
            "xl/worksheets/_rels/sheet1.xml.rels",
            format!(
                r#"<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" Type="{RELATIONS}/table" Target="../tables/table1.xml"/></Relationships>"#
            ),
        ));
        files.push((
            "xl/tables/table1.xml",
            format!(
                r#"<table xmlns="{MAIN}" id="1" name="Tab" displayName="Tab" ref="{range}"><tableColumns count="2"><tableColumn id="1" name="{first}"/><tableColumn id="2" name="{second}"/></tableColumns></table>"#
            ),
        ));
    }
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (part, text) in files {
        zip.start_file(part, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    std::fs::write(desk.place(name), zip.finish().unwrap().into_inner()).unwrap();
}

/// A row of cells: text where it is not a number.
fn row(number: u32, cells: &[(&str, &str)]) -> String {
    let cell = |(column, value): &(&str, &str)| match value.parse::<f64>() {
        Ok(_) => format!(r#"<c r="{column}{number}"><v>{value}</v></c>"#),
        Err(_) => format!(r#"<c r="{column}{number}" t="str"><v>{value}</v></c>"#),
    };
    format!(r#"<row r="{number}">{}</row>"#, cells.iter().map(cell).collect::<String>())
}

#[test]
fn numbers_of_a_column_of_decimals_stay_numbers() {
    let desk = TestTables::new();
    let thirds = ["share", "0.3333333333333333", "0.25", "0.2857142857142857", "0.3"];
    let rows: String = (1..).zip(thirds).map(|(at, value)| row(at, &[("B", value)])).collect();
    put_book(&desk, "shares.xlsx", &rows, None);
    let ask = json!({ "path": "shares.xlsx", "range": "B1:B5" });
    let wanted = json!([[1.0 / 3.0], [0.25], [2.0 / 7.0], [0.3]]);
    assert_eq!(desk.ok("TabularReadRows", &ask)["rows"], wanted);
    let stats = desk.ok("TabularGetStats", &ask)["columns"][0].clone();
    for number in ["min", "max", "mean", "sum", "stddev"] {
        assert!(stats[number].is_number(), "{number}: {stats}");
    }
    let out = json!({ "path": "shares.xlsx", "source_range": "B1:B5", "target_path": "out.xlsx" });
    assert_eq!(desk.export(&out).unwrap()["warnings"], json!([]));
    assert_eq!(desk.ok("TabularReadRows", &json!({ "path": "out.xlsx" }))["rows"], wanted);
    let put = json!({ "path": "shares.xlsx", "source_range": "B1:B5", "target_path": "put.xlsx", "sheet": "S", "mode": "replace_sheet" });
    assert_eq!(desk.update(&put)["warnings"], json!([]));
    assert_eq!(desk.ok("TabularReadRows", &json!({ "path": "put.xlsx" }))["rows"], wanted);
}

fn is_told(answer: &Value, words: &str) -> bool {
    answer["warnings"].as_array().unwrap().iter().any(|warning| warning == words)
}

/// Seven rows with a number and a formula without a stored value.
fn put_formulas(desk: &TestTables, name: &str, formula: impl Fn(u32) -> String) {
    let row_of = |at: u32| {
        let formula = formula(at);
        format!(r#"<row r="{at}"><c r="A{at}"><v>{at}</v></c><c r="B{at}"><f>{formula}</f></c></row>"#)
    };
    let rows: String = (2..=8).map(row_of).collect();
    put_book(desk, name, &format!("{}{rows}", row(1, &[("A", "a"), ("B", "b")])), None);
}

#[test]
fn formulas_without_a_stored_value_are_computed() {
    let desk = TestTables::new();
    put_formulas(&desk, "computed.xlsx", |at| format!("A{at}*2"));
    let ask = json!({ "path": "computed.xlsx", "query": "SELECT count(b), sum(b) FROM data" });
    assert_eq!(desk.ok("TabularQuery", &ask)["rows"], json!([[7, 70]]));
    let wanted = "7 formulas have no up-to-date stored value and were computed: B2, B3, B4, B5, B6, …";
    for method in ["TabularGetMap", "TabularDescribe", "TabularGetStats", "TabularReadRows", "TabularQuery"] {
        // The second time from the converted table.
        for _ in 0..2 {
            assert!(is_told(&desk.ok(method, &ask), wanted), "{method}");
        }
    }
    let one = desk.ok("TabularReadRows", &json!({ "path": "computed.xlsx", "range": "A1:B2" }));
    assert!(is_told(&one, "1 formula has no up-to-date stored value and was computed: B2"), "{one}");
}

#[test]
fn computed_and_missing_values_are_told_apart() {
    let desk = TestTables::new();
    put_formulas(&desk, "mixed.xlsx", |at| if at % 2 == 0 { format!("A{at}*2") } else { format!("[1]O!A{at}") });
    let ask = json!({ "path": "mixed.xlsx", "query": "SELECT count(b), sum(b) FROM data" });
    let reply = desk.ok("TabularQuery", &ask);
    assert_eq!(reply["rows"], json!([[4, 40]]));
    assert!(is_told(&reply, "3 formulas have no stored value and are read as null: B3, B5, B7"), "{reply}");
    assert!(is_told(&reply, "4 formulas have no up-to-date stored value and were computed: B2, B4, B6, B8"), "{reply}");
}

#[test]
fn stored_values_that_the_file_does_not_vouch_for_are_computed_and_told() {
    // XlsxWriter stores a zero beside every formula and asks for a calculation.
    let desk = TestTables::new();
    let rows: String = (2..=3)
        .map(|at| format!(r#"<row r="{at}"><c r="A{at}"><v>{at}</v></c><c r="B{at}"><f>A{at}*2</f><v>0</v></c></row>"#))
        .collect();
    let rows = format!("{}{rows}", row(1, &[("A", "a"), ("B", "b")]));
    put_book(&desk, "stored.xlsx", &rows, None);
    let ask = |name: &str| json!({ "path": name, "query": "SELECT sum(b) FROM data" });
    let reply = desk.ok("TabularQuery", &ask("stored.xlsx"));
    assert_eq!((&reply["rows"], &reply["warnings"]), (&json!([[0]]), &json!([])));
    put_uncalculated_book(&desk, "zeros.xlsx", &rows);
    let reply = desk.ok("TabularQuery", &ask("zeros.xlsx"));
    assert_eq!(reply["rows"], json!([[10]]));
    assert!(is_told(&reply, "2 formulas have no up-to-date stored value and were computed: B2, B3"), "{reply}");
}

#[test]
fn an_inline_text_counts_and_the_value_beside_it_does_not() {
    let desk = TestTables::new();
    let rows = format!(
        r#"{}<row r="2"><c r="A2" t="inlineStr"><v>1.0</v><is><t>one</t></is></c><c r="B2" t="str"><is><t>in</t></is></c></row>"#,
        row(1, &[("A", "a"), ("B", "b")])
    );
    put_book(&desk, "inline.xlsx", &rows, None);
    let reply = desk.ok("TabularReadRows", &json!({ "path": "inline.xlsx" }));
    assert_eq!(reply["rows"], json!([["one", "in"]]));
}

#[test]
fn formulas_without_a_value_are_told() {
    let desk = TestTables::new();
    put_formulas(&desk, "stale.xlsx", |at| format!("[1]Other!A{at}*2"));
    let wanted = "7 formulas have no stored value and are read as null: B2, B3, B4, B5, B6, …";
    let ask = json!({ "path": "stale.xlsx", "query": "SELECT count(b), sum(a) FROM data" });
    for method in ["TabularGetMap", "TabularDescribe", "TabularGetStats", "TabularReadRows", "TabularQuery"] {
        assert!(is_told(&desk.ok(method, &ask), wanted), "{method}");
    }
    let one = json!({ "path": "stale.xlsx", "range": "A1:B2" });
    let wanted = "1 formula has no stored value and is read as null: B2";
    assert!(is_told(&desk.ok("TabularReadRows", &one), wanted));
}

#[test]
fn what_is_not_read_of_a_sheet_is_told() {
    let desk = TestTables::new();
    let read = |params: Value| desk.ok("TabularReadRows", &params);
    let told = "read B3:F6; A1, H20 also have data: set `range` to read them";
    assert!(is_told(&read(json!({ "path": "book.xlsx" })), told));
    let chosen = read(json!({ "path": "book.xlsx", "range": "B3:F6" }));
    assert!(!chosen["warnings"].to_string().contains("have data"), "{chosen}");
    let rows = [1, 2, 3, 5].map(|at| row(at, &[("A", "1"), ("B", "2")])).concat();
    put_book(&desk, "gap.xlsx", &rows, None);
    let gap = read(json!({ "path": "gap.xlsx", "has_header": false }));
    assert!(is_told(&gap, "read A1:B3; A5:B5 also has data: set `range` to read it"), "{gap}");
}

#[test]
fn times_of_day_go_into_a_sheet_and_come_back() {
    let desk = TestTables::new();
    desk.put("times.csv", "id,t\n1,12:30\n2,00:00\n3,23:59:59.5\n");
    desk.update(&json!({ "path": "times.csv", "target_path": "put.xlsx", "sheet": "S", "mode": "replace_sheet" }));
    assert_eq!(desk.sheet("put.xlsx", "S").lines().nth(2), Some("1 | 12:30:00"));
    desk.export(&json!({ "path": "times.csv", "target_path": "out.xlsx" })).unwrap();
    for name in ["put.xlsx", "out.xlsx"] {
        let back = desk.ok("TabularReadRows", &json!({ "path": name }));
        assert_eq!(back["sql_types"][1], "TIME", "{name}");
        assert_eq!(back["rows"], desk.ok("TabularReadRows", &json!({ "path": "times.csv" }))["rows"], "{name}");
    }
    let cells = |at: u32, part: &str| {
        format!(r#"<row r="{at}"><c r="A{at}" s="1"><v>{part}</v></c><c r="B{at}" s="2"><v>{part}</v></c></row>"#)
    };
    let rows = format!("{}{}{}", row(1, &[("A", "t"), ("B", "long")]), cells(2, "0.5"), cells(3, "0.25"));
    put_book(&desk, "formats.xlsx", &rows, None);
    let rows = desk.ok("TabularReadRows", &json!({ "path": "formats.xlsx" }))["rows"].clone();
    assert_eq!(rows, json!([["12:00:00", 0.5], ["06:00:00", 0.25]]));
}

#[test]
fn a_far_cell_costs_no_more_than_a_near_one() {
    let desk = TestTables::new();
    let far = row(1, &[("A", "id")]) + &row(1_048_576, &[("Z", "stray")]);
    put_book(&desk, "far.xlsx", &far, None);
    let put = json!({ "path": "bank.csv", "target_path": "far.xlsx", "sheet": "S", "mode": "replace_sheet",
                      "query": "SELECT what FROM data ORDER BY day" });
    desk.update(&put);
    assert_eq!(desk.sheet("far.xlsx", "S"), "# Sheet: S\nwhat\nRent\n=Sale\nFood");
    // More ranges than are emptied one by one.
    let scattered: String = (0..60).map(|at| row(at * 200 + 1, &[("A", "x")])).collect();
    put_book(&desk, "many.xlsx", &scattered, None);
    let mut params = put;
    params["target_path"] = json!("many.xlsx");
    desk.update(&params);
    assert_eq!(desk.sheet("many.xlsx", "S"), "# Sheet: S\nwhat\nRent\n=Sale\nFood");
}

#[test]
fn a_sheet_with_a_table_is_replaced_when_its_header_is() {
    let desk = TestTables::new();
    let rows =
        row(1, &[("A", "what"), ("B", "amount")]) + &row(2, &[("A", "old"), ("B", "1")]) + &row(9, &[("D", "far")]);
    put_book(&desk, "tab.xlsx", &rows, Some(("A1:B2", ["what", "amount"])));
    let put = |query: &str| json!({ "path": "bank.csv", "target_path": "tab.xlsx", "sheet": "S", "mode": "replace_sheet", "query": query });
    let before: Arc<[u8]> = std::fs::read(desk.place("tab.xlsx")).unwrap().into();
    let narrow = put("SELECT what FROM data ORDER BY day");
    let refused = desk.engine.update(&narrow, &desk.open(), Some(before), &EditOptions::default()).unwrap_err().message;
    assert!(refused.contains("the header of the table Tab (A1:B1) would be left empty"), "{refused}");
    desk.update(&put("SELECT what, amount FROM data ORDER BY day LIMIT 1"));
    assert_eq!(desk.sheet("tab.xlsx", "S"), "# Sheet: S\nwhat | amount\nRent | -1200.5");
}

#[test]
fn a_table_has_no_fields_that_are_not_known() {
    let desk = TestTables::new();
    let wrong = json!({ "query": "SELECT 1", "tables": { "p": { "path": "book.xlsx", "sheeet": "People" } } });
    let words = desk.fails("TabularQuery", &wrong);
    assert!(words.contains("tables.p.sheeet: unknown; a table has path, sheet, range"), "{words}");
}
