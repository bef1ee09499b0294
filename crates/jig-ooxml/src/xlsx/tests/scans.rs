//! How often a sheet is scanned: once, however much is read of it.

use super::*;
use crate::xlsx::address::CellRange;
use crate::xlsx::sheet::stream::scans;

const CALLS: [&str; 5] = ["XlsxReadRange", "XlsxExtractText", "XlsxRenderGrid", "XlsxGetStyles", "XlsxFind"];

fn two_sheets() -> Sample {
    let rows = r#"<row r="1"><c r="A1" t="str"><v>name</v></c><c r="B1" t="str"><v>sum</v></c></row><row r="2"><c r="A2" t="str"><v>a</v></c><c r="B2"><f>1+1</f><v>2</v></c></row>"#;
    Sample::new().rows("A", rows).rows("B", rows)
}

#[test]
fn a_map_scans_a_sheet_once_and_later_reads_do_not() {
    let workbook = two_sheets().open();
    let (_, scanned) = scans::of_sheets(|| workbook.map().unwrap());
    assert_eq!(scanned, [1, 2]);
    let (_, scanned) = scans::of_sheets(|| {
        for method in CALLS {
            reply(&workbook, method, &json!({"sheet": "B", "query": "a"})).unwrap();
        }
        workbook.rows("A", CellRange::ALL).unwrap();
        workbook.extents().unwrap();
        workbook.filled_ranges("B", CellRange::ALL).unwrap();
    });
    assert_eq!(scanned, [0_u32; 0]);
}

#[test]
fn a_read_scans_only_its_sheet() {
    let workbook = two_sheets().open();
    let (_, scanned) = scans::of_sheets(|| workbook.rows("B", CellRange::ALL).unwrap());
    assert_eq!(scanned, [2]);
}

#[test]
fn a_map_without_an_index_reads_a_sheet_again_only_for_headers() {
    let mut workbook = two_sheets().open();
    workbook.index_bytes = 0;
    let (_, scanned) = scans::of_sheets(|| workbook.map().unwrap());
    assert_eq!(scanned, [1, 1, 2, 2]);
}

#[test]
fn a_map_without_an_index_finds_the_same_data_blocks() {
    // Rows out of order, two blocks and a gap in columns.
    let rows = [5, 6, 7, 1, 2]
        .map(|n| format!(r#"<row r="{n}"><c r="A{n}" t="str"><v>x{n}</v></c><c r="D{n}"><v>{n}</v></c></row>"#));
    let ordered: String = [&rows[3], &rows[4], &rows[0], &rows[1], &rows[2]].map(String::as_str).concat();
    let blocks = |rows: &str, index_bytes: usize| {
        let mut workbook = Sample::new().rows("S", rows).open();
        workbook.index_bytes = index_bytes;
        let map = json!(workbook.map().unwrap());
        let list = map["sheets"][0]["islands"].as_array().unwrap();
        list.iter().map(|block| block["range"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let wanted = ["A1:A2", "D1:D2", "A5:A7", "D5:D7"];
    assert_eq!(blocks(&ordered, 64 << 20), wanted);
    assert_eq!(blocks(&ordered, 0), wanted);
    assert_eq!(blocks(&rows.concat(), 64 << 20), wanted);
    // Too many cells to be sorted: rows that come too late are left out.
    assert_eq!(blocks(&rows.concat(), 0), ["A5:A7", "D5:D7"]);
}
