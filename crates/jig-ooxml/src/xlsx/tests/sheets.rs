//! How cells are written in files.

use super::*;

#[test]
fn every_type_of_cell_is_read() {
    let rows = r#"<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c>
      <c r="D1" t="str"><f>"a"&amp;"b"</f><v>ab</v></c><c r="E1" t="b"><v>1</v></c><c r="F1" t="e"><v>#N/A</v></c><c r="G1"><v>1.5E3</v></c>
      <c r="H1" t="d"><v>2024-01-05</v></c><c r="I1" t="n"><v>-7</v></c><c r="J1"><v><![CDATA[12]]></v></c></row>"#;
    let strings = r#"<si><t>a &lt; b</t></si><si><r><t>rich </t></r><r><rPr><b/></rPr><t>text</t></r><rPh sb="0" eb="1"><t>hint</t></rPh></si>"#;
    let answer = Sample::new().strings(strings).rows("S", rows).read("XlsxReadRange", json!({}));
    assert_eq!(
        answer,
        json!({
            "text": "# Sheet: S\na < b\trich text\tinline\tab\tTRUE\t#N/A\t1500\t2024-01-05\t-7\t12",
            "sheet": "S",
            "range": "A1:J1",
        })
    );
}

#[test]
fn places_are_counted_where_they_are_not_written_and_prefixes_do_not_matter() {
    let part = format!(
        r#"<?xml version="1.0"?><!-- > --><x:worksheet xmlns:x="{MAIN}"><x:sheetData><x:row><x:c><x:v>1</x:v></x:c><x:c r='C1' note="a>b"><x:v>3</x:v></x:c><x:c><x:v>4</x:v></x:c></x:row><x:row r="3"><x:c><x:v>5</x:v></x:c></x:row><x:row><x:c/><x:c><x:v>6</x:v></x:c></x:row></x:sheetData></x:worksheet>"#
    );
    let answer = Sample::new().raw_sheet("S", "", &part).read("XlsxReadRange", json!({}));
    assert_eq!(text(&answer), "1\t\t3\t4\n\n5\n\t6");
}

#[test]
fn cells_without_order_and_twice_are_brought_in_order() {
    let rows = r#"<row r="3"><c r="B3"><v>32</v></c><c r="A3"><f>1+1</f><v>31</v></c></row><row r="1"><c r="A1"><v>1</v></c></row><row r="3"><c r="B3"><v>99</v></c></row>"#;
    let workbook = Sample::new().rows("S", rows).open();
    let answer = reply(&workbook, "XlsxReadRange", &json!({"mode": "both"})).unwrap();
    assert_eq!(text(&answer), "1\n\n31 [=1+1]\t99");
    let map = reply(&workbook, "XlsxGetMap", &json!({})).unwrap();
    assert_eq!(map["sheets"][0]["islands"][1]["range"], "A3:B3");
}

#[test]
fn shared_formulas_are_written_out_and_values_that_are_missing_told() {
    let rows = r#"<row r="1"><c r="A1"><v>2</v></c><c r="B1"><f t="shared" ref="B1:B3" si="0">A1*$A$1</f><v>4</v></c></row>
      <row r="2"><c r="B2"><f t="shared" si="0"/><v>5</v></c></row><row r="3"><c r="B3"><f t="shared" si="0"/></c></row>
      <row r="4"><c r="B4" t="str"><f>""</f><v></v></c></row>"#;
    let workbook = Sample::new().rows("S", rows).open();
    let read = |mode: &str| reply(&workbook, "XlsxReadRange", &json!({"mode": mode, "range": "B1:B4"})).unwrap();
    assert_eq!(
        read("formulas"),
        json!({"text": "# Sheet: S\n=A1*$A$1\n=A2*$A$1\n=A3*$A$1\n=\"\"", "sheet": "S", "range": "B1:B4",
               "stale": true, "stale_count": 1, "stale_cells": ["B3"]})
    );
    assert_eq!(text(&read("values")), "4\n5\n=A3*$A$1");
    assert_eq!(text(&read("both")), "4 [=A1*$A$1]\n5 [=A2*$A$1]\n=A3*$A$1\n [=\"\"]");
}

#[test]
fn numbers_are_shown_by_their_formats() {
    let styles = r#"<numFmts><numFmt numFmtId="164" formatCode="[h]:mm"/><numFmt numFmtId="0" formatCode=""/></numFmts>
      <cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="4"/><xf numFmtId="9"/><xf numFmtId="164"/><xf numFmtId="44"/></cellXfs>"#;
    let cells: String = [(0, "0.1"), (1, "45296"), (2, "-1234.5"), (3, "0.25"), (4, "1.5"), (5, "99"), (77, "3")]
        .iter()
        .map(|(style, value)| format!(r#"<c s="{style}"><v>{value}</v></c>"#))
        .collect();
    let mut sample = Sample::new().styles(styles).rows("S", &format!("<row>{cells}</row>"));
    assert_eq!(text(&sample_read(&sample)), "0.1\t2024-01-05\t-1,234.50\t25%\t36:00\t$99.00\t3");
    sample.properties = r#"<workbookPr date1904="true"/>"#.to_owned();
    assert_eq!(text(&sample_read(&sample)), "0.1\t2028-01-06\t-1,234.50\t25%\t36:00\t$99.00\t3");
}

fn sample_read(sample: &Sample) -> Value {
    let again = Sample {
        package: sample.package.clone(),
        sheets: sample.sheets.clone(),
        properties: sample.properties.clone(),
        tail: sample.tail.clone(),
    };
    again.read("XlsxReadRange", json!({}))
}

#[test]
fn merged_cells_are_shown_once_and_inner_line_breaks_escaped() {
    let inside = r#"<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c><c r="C1"><v>3</v></c></row><row r="2"><c r="A2"><v>4</v></c><c r="C2" t="str"><v>a&#9;b&#10;c</v></c></row></sheetData><mergeCells><mergeCell ref="A1:B2"/></mergeCells>"#;
    let answer = Sample::new().sheet("S", inside).read("XlsxReadRange", json!({}));
    assert_eq!(text(&answer), "1\t\t3\n\t\ta\\tb\\nc");
}

#[test]
fn a_part_in_another_encoding_is_read() {
    let part = format!(
        r#"<?xml version="1.0" encoding="UTF-16"?><worksheet xmlns="{MAIN}"><sheetData><row><c t="str"><v>é</v></c></row></sheetData></worksheet>"#
    );
    let wide: Vec<u8> = [0xFF, 0xFE].into_iter().chain(part.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let mut sample = Sample::new().rows("S", "");
    sample.package.set("xl/worksheets/sheet1.xml", &wide);
    assert_eq!(text(&sample.read("XlsxReadRange", json!({}))), "é");
}

#[test]
fn a_sheet_larger_than_the_window_of_the_scanner_is_read_whole() {
    let long = "x".repeat(30_000);
    let rows: String = (1..=3000)
        .map(|n| format!(r#"<row r="{n}"><c r="A{n}"><v>{n}</v></c><c r="B{n}" t="str"><v>text {n}</v></c></row>"#))
        .collect();
    let rows = format!(r#"{rows}<row r="3001"><c r="A3001" t="inlineStr"><is><t>{long}</t></is></c></row>"#);
    let workbook = Sample::new().rows("S", &rows).open();
    let read = |range: &str| reply(&workbook, "XlsxReadRange", &json!({"range": range})).unwrap();
    assert_eq!(text(&read("A2998:B3000")), "2998\ttext 2998\n2999\ttext 2999\n3000\ttext 3000");
    assert_eq!(text(&read("A3001")).len(), 30_000);
}

#[test]
fn a_sheet_too_large_for_an_index_gives_the_same_answers() {
    let row = |n: u32| {
        format!(
            r#"<row r="{n}"><c r="A{n}" t="str"><v>name {n}</v></c><c r="C{n}"><f t="shared" ref="C1:C200" si="1">{}</f><v>{n}</v></c></row>"#,
            if n == 1 { "A1+1" } else { "" }
        )
    };
    let rows: String = (1..=200).filter(|n| n % 20 != 0).map(row).collect();
    let indexed = Sample::new().rows("S", &rows).open();
    let mut streamed = Sample::new().rows("S", &rows).open();
    streamed.index_bytes = 0;
    let calls = [
        ("XlsxGetMap", json!({})),
        ("XlsxReadRange", json!({"range": "A33:C77", "mode": "both"})),
        ("XlsxExtractText", json!({"mode": "formulas"})),
        ("XlsxRenderGrid", json!({"row_start": 120, "row_count": 9})),
        ("XlsxFind", json!({"query": "name 7"})),
    ];
    for (method, params) in calls {
        let answer = reply(&indexed, method, &params).unwrap();
        assert_eq!(reply(&streamed, method, &params).unwrap(), answer, "{method}");
    }
}

#[test]
fn deep_windows_of_a_sheet_without_an_index_begin_near_them() {
    let row = |n: u32| format!(r#"<row r="{n}"><c r="A{n}" t="str"><v>name {n} {}</v></c></row>"#, n * 7919 % 1009);
    let rows: String = (1..=30_000).map(row).collect();
    let indexed = Sample::new().rows("S", &rows).open();
    let mut streamed = Sample::new().rows("S", &rows).open();
    (streamed.index_bytes, streamed.apart) = (0, 300_000);
    for start in [1, 2_001, 9_000, 17_777, 29_990] {
        let params = json!({"range": format!("A{start}:A{}", start + 20)});
        let answer = |workbook: &Workbook| reply(workbook, "XlsxReadRange", &params).unwrap();
        assert_eq!(text(&answer(&streamed)), text(&answer(&indexed)), "{start}");
    }
    let package = streamed.package().unwrap();
    let data = streamed.sheet_data(&package, 0).unwrap();
    let places = streamed.checkpoints(&package, "xl/worksheets/sheet1.xml", &data).unwrap().len();
    assert!((4..=12).contains(&places), "{places}");
}

#[test]
fn a_sheet_that_does_not_number_its_rows_is_read_from_its_top() {
    let rows: String = (1..=12_000).map(|n| format!("<row><c><v>{n}</v></c></row>")).collect();
    let mut streamed = Sample::new().rows("S", &rows).open();
    (streamed.index_bytes, streamed.apart) = (0, 100_000);
    let answer = reply(&streamed, "XlsxReadRange", &json!({"range": "A11998:A12000"})).unwrap();
    assert_eq!(text(&answer), "11998\n11999\n12000");
}
