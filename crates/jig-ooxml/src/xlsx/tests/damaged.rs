//! Wrong calls and damaged files: an answer with warnings, or an error in words.

use super::*;

#[test]
fn wrong_parameters_are_told_with_their_place() {
    let workbook = Sample::new().rows("Budget", "").rows("It's", "<row><c><v>1</v></c></row>").open();
    let cases = [
        ("XlsxReadRange", json!({"sheet": "Budgte"}), "sheet: unknown sheet `Budgte`; there are Budget, It's"),
        ("XlsxReadRange", json!({"range": "A0"}), "range: `A0`: row 0 does not exist; rows go from 1 to 1048576"),
        ("XlsxReadRange", json!({"range": "Nope!A1"}), "range: unknown sheet `Nope`; there are Budget, It's"),
        (
            "XlsxReadRange",
            json!({"sheet": "Budget", "range": "'It''s'!A1"}),
            "range: `'It''s'!A1` is on another sheet than `sheet` says",
        ),
        ("XlsxFind", json!({}), "query: missing: the text to search for"),
    ];
    for (method, params, wanted) in cases {
        assert_eq!(error(&workbook, method, &params), wanted);
    }
    assert_eq!(suggestions(&workbook, "XlsxReadRange", &json!({"sheet": "Budgte"})), ["Budget"]);
    let quoted = reply(&workbook, "XlsxReadRange", &json!({"range": "'It''s'!A1", "sheet": null})).unwrap();
    assert_eq!(text(&quoted), "1");
}

#[test]
fn an_empty_sheet_is_an_answer() {
    let workbook = Sample::new()
        .sheet("S", r#"<sheetData><row r="5"><c r="A5" s="1"/><c r="B5" t="s"><v>0</v></c></row></sheetData>"#)
        .strings("<si><t/></si>")
        .open();
    let read = |method: &str| reply(&workbook, method, &json!({})).unwrap();
    assert_eq!(read("XlsxReadRange"), json!({"text": "# Sheet: S", "sheet": "S", "range": null}));
    assert_eq!(read("XlsxExtractText"), json!({"text": "# Sheet: S"}));
    let map = read("XlsxGetMap");
    let sheet = &map["sheets"][0];
    assert_eq!((&sheet["used_range"], &sheet["islands"], &sheet["chunks"]), (&Value::Null, &json!([]), &json!([])));
    assert_eq!(read("XlsxRenderGrid")["cells"], json!([]));
}

#[test]
fn faults_of_cells_become_warnings() {
    let rows = r#"<row r="x"><c r="A1"><v>abc</v></c><c r="1A"><v>2</v></c><c r="C1" t="s"><v>9</v></c><c r="XFE1"><v>4</v></c></row><row r="9999999"><c><v>1</v></c></row>"#;
    let answer = Sample::new().rows("S", rows).read("XlsxReadRange", json!({}));
    assert_eq!(text(&answer), "abc\t2\t\t4");
    assert_eq!(
        answer["warnings"],
        json!([
            "S: row 1: `x` is not a row number",
            "S: A1: `abc` is not a number; it is read as text",
            "S: row 1: `1A` is not a cell address",
            "S: C1: unknown shared string 9; the cell is read as empty",
            "S: row 1: `XFE1` is not a cell address",
            "S: a cell in row 9999999, column 1 is outside the sheet; it is left out",
        ])
    );
}

#[test]
fn the_last_cell_of_the_grid_costs_nothing() {
    let rows = r#"<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>"#;
    let workbook =
        Sample::new().sheet("S", &format!(r#"<dimension ref="A1:XFD1048576"/><sheetData>{rows}</sheetData>"#)).open();
    let map = reply(&workbook, "XlsxGetMap", &json!({})).unwrap();
    let sheet = &map["sheets"][0];
    assert_eq!(sheet["islands"][1]["range"], "XFD1048576");
    assert_eq!((&sheet["chunk_count"], &sheet["chunks_truncated"]), (&json!(20972), &json!(true)));
    assert_eq!(sheet["chunks"].as_array().unwrap().len(), 2000);
    let all = reply(&workbook, "XlsxReadRange", &json!({"range": "XFD:XFD"})).unwrap();
    assert_eq!(text(&all), "\n... (rows 2-1048575 are blank)\n2");
}

#[test]
fn a_sheet_that_ends_early_gives_what_there_is() {
    let cut = format!(r#"<worksheet xmlns="{MAIN}"><sheetData><row r="1"><c r="A1"><v>1</v></c>"#);
    let answer = Sample::new().raw_sheet("S", "", &cut).read("XlsxReadRange", json!({}));
    assert_eq!((text(&answer), &answer["warnings"]), ("1", &json!(["S: the sheet ends in the middle of its cells"])));
    let in_tag = Sample::new().raw_sheet("S", "", &format!("{cut}<c r=")).open();
    let told = error(&in_tag, "XlsxReadRange", &json!({}));
    assert!(told.starts_with("the part xl/worksheets/sheet1.xml is damaged at byte "), "{told}");
}

#[test]
fn a_document_type_is_refused() {
    let workbook = Sample::new().raw_sheet("S", "", "<!DOCTYPE a [<!ENTITY b \"c\">]><worksheet/>").open();
    assert!(error(&workbook, "XlsxGetMap", &json!({})).contains("document type"));
}

#[test]
fn styles_that_cannot_be_read_leave_the_values() {
    let answer = Sample::new()
        .part("xl/styles.xml", "<styleSheet>")
        .rows("S", "<row><c s=\"1\"><v>1</v></c></row>")
        .read("XlsxReadRange", json!({}));
    assert_eq!(text(&answer), "1");
    assert!(answer["warnings"][0].as_str().unwrap().starts_with("number formats are left out: "));
}

proptest::proptest! {
    // Each case writes a whole package.
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn any_sheet_gives_an_answer_or_an_error(part in r#"(<(row|c|v|f|is|t|sheetData|/c|/row|/v|mergeCell|!--|!\[CDATA\[|\?)( r="[A-Z0-9]{0,4}"| t="(s|b|d|str)"| ref="A1:B2")?/?>?|[0-9&;#]{0,3}|-->|\]\]>){0,30}"#, range in "[A-C0-9:!$]{0,6}") {
        let part = format!("<worksheet><sheetData>{part}</sheetData></worksheet>");
        let workbook = Sample::new().raw_sheet("S", "", &part).open();
        for method in ["XlsxGetMap", "XlsxExtractText", "XlsxRenderGrid", "XlsxGetStyles"] {
            let _ = reply(&workbook, method, &json!({"sheet": "S"}));
        }
        let _ = reply(&workbook, "XlsxReadRange", &json!({"range": range, "mode": "both"}));
    }
}

#[test]
fn a_long_text_in_many_cells_stays_within_bounds() {
    let long = "x".repeat(400_000);
    let row: String = (1..=50).map(|_| r#"<c t="s"><v>0</v></c>"#).collect();
    let rows: String = (1..=40).map(|n| format!(r#"<row r="{n}">{row}</row>"#)).collect();
    let workbook = Sample::new().strings(&format!("<si><t>{long}</t></si>")).rows("S", &rows).open();
    let read = |method: &str, params: Value| reply(&workbook, method, &params).unwrap();
    let range = read("XlsxReadRange", json!({}));
    assert!(range["text"].as_str().unwrap().len() < 2 << 20);
    assert_eq!(range["warnings"], json!(["50 cells are too long to be shown whole; they end with `…`"]));
    assert_eq!(range["chunk_info"]["next_range"], "A2:AX2");
    assert!(read("XlsxRenderGrid", json!({})).to_string().len() < 8 << 20);
    assert_eq!(read("XlsxFind", json!({"query": "x"}))["match_count"], 2000);
}
