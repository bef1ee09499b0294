//! Large files with few changes: the answer is the few changes.

use jig_files::FileBytes;
use jig_files::engine::Versions;
use jig_worker::FileApi;
use serde_json::json;
use std::io::Write as _;

use crate::support::versions::ids;

/// A workbook with one sheet of rows; `change` may put another number into a cell.
fn workbook(rows: u32, change: impl Fn(u32, u32) -> Option<u32>) -> FileBytes {
    let mut sheet = String::from(
        r#"<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>"#,
    );
    for row in 1..=rows {
        sheet.push_str(&format!("<row r=\"{row}\">"));
        for (column, letter) in ["A", "B", "C", "D", "E"].iter().enumerate() {
            let column = u32::try_from(column).unwrap();
            let value = change(row, column).unwrap_or(row * 10 + column);
            sheet.push_str(&format!("<c r=\"{letter}{row}\"><v>{value}</v></c>"));
        }
        sheet.push_str("</row>");
    }
    sheet.push_str("</sheetData></worksheet>");
    let types = r#"<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>"#;
    let root = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
    let book = r#"<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
    let rels = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#;
    zip(&[
        ("[Content_Types].xml", types),
        ("_rels/.rels", root),
        ("xl/workbook.xml", book),
        ("xl/_rels/workbook.xml.rels", rels),
        ("xl/worksheets/sheet1.xml", &sheet),
    ])
}

/// A document of sections with paragraphs.
fn document(paragraphs: usize, word: &str) -> FileBytes {
    let mut body = String::new();
    for number in 0..paragraphs {
        if number % 20 == 0 {
            body.push_str(&format!(
                r#"<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>Chapter {}</w:t></w:r></w:p>"#,
                number / 20
            ));
        }
        let said = if number == paragraphs / 2 { word } else { "plain" };
        body.push_str(&format!(
            "<w:p><w:r><w:t>Paragraph number {number} has so many {said} words that a page is soon full of them.</w:t></w:r></w:p>"
        ));
    }
    let document = format!(
        r#"<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>"#
    );
    let types = r#"<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#;
    let root = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>"#;
    zip(&[("[Content_Types].xml", types), ("_rels/.rels", root), ("word/document.xml", &document)])
}

/// A zip of deflated parts.
fn zip(parts: &[(&str, &str)]) -> FileBytes {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in parts {
        let mut packed = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(content.as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        let mut crc = flate2::Crc::new();
        crc.update(content.as_bytes());
        let mut head: Vec<u8> = Vec::new();
        for short in [20_u16, 0, 8, 0, 33] {
            head.extend(short.to_le_bytes());
        }
        for long in [crc.sum(), u32::try_from(packed.len()).unwrap(), u32::try_from(content.len()).unwrap()] {
            head.extend(long.to_le_bytes());
        }
        head.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        head.extend(0_u16.to_le_bytes());
        let offset = u32::try_from(out.len()).unwrap();
        out.extend(b"PK\x03\x04");
        out.extend(&head);
        out.extend(name.as_bytes());
        out.extend(&packed);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&head);
        directory.extend([0_u8; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, size) = (u32::try_from(out.len()).unwrap(), u32::try_from(directory.len()).unwrap());
    let count = u16::try_from(parts.len()).unwrap();
    out.extend(directory);
    out.extend(b"PK\x05\x06\x00\x00\x00\x00");
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0, 0]);
    out.into()
}

#[test]
fn ten_changed_cells_of_a_hundred_thousand_rows_are_ten_changes() {
    let changed = |row: u32, column: u32| (row % 10_000 == 7 && column == 2).then_some(1);
    let versions = Versions {
        name: "a.xlsx".to_owned(),
        old: Some(workbook(100_000, |_, _| None)),
        new: Some(workbook(100_000, changed)),
    };
    let engine = FileApi::default();
    let expected: Vec<(String, bool)> = (0..10).map(|n| (format!("Data!C{}", n * 10_000 + 7), true)).collect();
    assert_eq!(ids(&engine, &versions), expected);
    let said = engine.diff(&versions, &json!({ "overview": true })).unwrap();
    assert_eq!(said["summary"], "10 cells changed on Data");
}

#[test]
fn an_inserted_row_is_one_change_whatever_follows_it() {
    let versions = Versions {
        name: "a.xlsx".to_owned(),
        old: Some(workbook(2_000, |_, _| None)),
        new: Some(workbook(2_001, |row, column| {
            (row >= 500).then(|| if row == 500 { 9 } else { row * 10 - 10 + column })
        })),
    };
    assert_eq!(ids(&FileApi::default(), &versions), [("Data!500:500".to_owned(), true)]);
}

#[test]
fn a_changed_word_of_a_long_document_is_shown_in_its_section() {
    let versions = Versions {
        name: "a.docx".to_owned(),
        old: Some(document(6_000, "simple")),
        new: Some(document(6_000, "difficult")),
    };
    let engine = FileApi::default();
    let answer = engine.diff(&versions, &json!({})).unwrap();
    assert_eq!(answer["focus"], "section 150 “Chapter 150”");
    let change = &answer["diff"]["groups"][0]["changes"][0];
    let words: Vec<(&str, &str)> = change["words"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|word| word["tag"] != "same")
        .map(|word| (word["tag"].as_str().unwrap(), word["text"].as_str().unwrap()))
        .collect();
    assert_eq!(words, [("removed", "simple"), ("added", "difficult")]);
    assert_eq!((change["id"].as_str(), answer["changes"].as_u64()), (Some("section 150, paragraph 3151"), Some(1)));
}

#[test]
fn too_many_changes_are_counted_whole_and_listed_in_pages() {
    let versions = Versions {
        name: "a.xlsx".to_owned(),
        old: Some(workbook(6_000, |_, _| None)),
        new: Some(workbook(6_000, |row, column| Some(row * 7 + column + 1_000_000))),
    };
    let engine = FileApi::default();
    let answer = engine.diff(&versions, &json!({})).unwrap();
    assert_eq!(answer["changes"], 30_000);
    assert_eq!(answer["diff"]["notes"], json!(["10000 more changes are counted and not listed one by one"]));
    assert_eq!(ids(&engine, &versions).len(), 20_000);
    assert_eq!(engine.diff(&versions, &json!({ "page": 101 })).unwrap_err().reason.word(), "invalid");
}
