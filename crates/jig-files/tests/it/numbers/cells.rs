//! What a cell holds when its markup says two things or something odd: every reader and every formula sees the same.

use serde_json::{Value, json};

use super::Book;

/// A cell's markup without its address, and the value that counts; null for an empty cell.
fn cases() -> Vec<(&'static str, Value)> {
    vec![
        // An inline text: `v` does not count.
        (r#"t="inlineStr"><v>1.0</v><is><t>1.</t></is>"#, json!("1.")),
        (r#"t="inlineStr"><is><t>1.</t></is><v>1.0</v>"#, json!("1.")),
        (r#"t="inlineStr"><v>7</v><is><r><t>a</t></r><r><t>b</t></r></is>"#, json!("ab")),
        (r#"t="inlineStr"><v>7</v>"#, json!("7")),
        (r#"t="inlineStr"><is><t xml:space="preserve"> x </t></is>"#, json!(" x ")),
        (r#"t="inlineStr"><is><t>x<!-- y -->z</t></is>"#, json!("xz")),
        (r#"t="inlineStr"><is><t><![CDATA[a<b]]></t></is>"#, json!("a<b")),
        (r#"t="inlineStr"><is><t>x</t><rPh sb="0" eb="1"><t>sound</t></rPh></is>"#, json!("x")),
        // Another type beside an inline text: `v` counts where there is one.
        (r#"t="str"><is><t>in</t></is><v>out</v>"#, json!("out")),
        (r#"t="str"><is><t>in</t></is>"#, json!("in")),
        (r#"t="n"><is><t>in</t></is>"#, json!("in")),
        (r#"><v>3</v><is><t>in</t></is>"#, json!(3)),
        (r#"t="str"><v> a </v>"#, json!(" a ")),
        (r#"t="str"><v>_x0041_b</v>"#, json!("Ab")),
        // Shared strings: 0 is `one`, 1 is empty.
        (r#"t="s"><v>0</v>"#, json!("one")),
        (r#"t="s"><v> 0 </v>"#, json!("one")),
        (r#"t="s"><v>99</v>"#, Value::Null),
        (r#"t="s"><v>-1</v>"#, Value::Null),
        (r#"t="s"><v>x</v>"#, Value::Null),
        (r#"t="s"><v></v>"#, Value::Null),
        // Truth values.
        (r#"t="b"><v>1</v>"#, json!(true)),
        (r#"t="b"><v>true</v>"#, json!(true)),
        (r#"t="b"><v>TRUE</v>"#, json!(true)),
        (r#"t="b"><v> 1 </v>"#, json!(true)),
        (r#"t="b"><v>0</v>"#, json!(false)),
        (r#"t="b"><v>false</v>"#, json!(false)),
        // Numbers.
        (r#"><v>12</v>"#, json!(12)),
        (r#"><v> 12.5 </v>"#, json!(12.5)),
        (r#"><v>1.25E2</v>"#, json!(125)),
        (r#"t="odd"><v>4</v>"#, json!(4)),
        (r#"><v></v>"#, Value::Null),
        (r#"><v/>"#, Value::Null),
        (r#"><v>twelve</v>"#, json!("twelve")),
        (r#"><v>NaN</v>"#, json!("NaN")),
        (r#"><v>inf</v>"#, json!("inf")),
        (r#"><v>1e999</v>"#, json!("1e999")),
    ]
}

const STRINGS: &str = r#"<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>one</t></si><si><t></t></si></sst>"#;

/// The cells of column A, one per row, each with two formulas beside it that read it.
fn book() -> Book {
    let rows: String = (1..)
        .zip(cases())
        .map(|(row, (cell, _))| {
            format!(
                r#"<row r="{row}"><c r="A{row}" {cell}</c><c r="B{row}"><f>A{row}&amp;"|"&amp;Z1</f></c><c r="C{row}"><f>COUNT(A{row})+Z1</f></c></row>"#
            )
        })
        .collect();
    Book::of_rows(&[("Data", rows)], "").with_strings(STRINGS)
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(flag) => flag.to_string().to_uppercase(),
        number => number.to_string(),
    }
}

#[test]
fn every_reader_sees_the_same_value() {
    let book = book();
    let count = u32::try_from(cases().len()).unwrap();
    let grid = |row: u32| book.cell("Data", row, 1)["value"].clone();
    let text = book.read("XlsxReadRange", &json!({"sheet": "Data", "range": format!("A1:A{count}")})).to_string();
    for (row, (cell, wanted)) in (1..).zip(cases()) {
        assert_eq!(grid(row), wanted, "{cell}");
        let shown = text_of(&wanted);
        assert!(text.contains(shown.trim()), "{cell} in {text}");
        if let Value::String(text) = &wanted {
            let found = book.read("XlsxFind", &json!({"query": text})).to_string();
            assert!(found.contains(&format!("A{row}\"")), "{cell}: {found}");
        }
    }
    // A number that is ignored is not found either.
    assert!(!book.read("XlsxFind", &json!({"query": "1.01."})).to_string().contains("A1\""));
}

#[test]
fn formulas_see_the_value_that_readers_see() {
    let book = book();
    let (edited, reply) = book.set(&[("Data!Z1", json!(1))]);
    let stale = reply["receipt"]["stale"].to_string();
    for (row, (cell, wanted)) in (1..).zip(cases()) {
        // Programs differ in what a truth value is as a text and as a number, so these formulas are not computed.
        let is_computed = !wanted.is_boolean();
        for column in ["B", "C"] {
            assert_eq!(!stale.contains(&format!("Data!{column}{row}\"")), is_computed, "{column}{row} {cell}: {stale}");
        }
        if !is_computed {
            continue;
        }
        let joined = format!("{}|1", text_of(&wanted));
        assert_eq!(edited.cell("Data", row, 2)["value"], json!(joined), "{cell}");
        let numbers = 1 + i32::from(wanted.is_number());
        assert_eq!(edited.stored(1, &format!("C{row}")), numbers.to_string(), "{cell}");
    }
}

#[test]
fn the_map_counts_what_the_grid_shows() {
    let map = book().read("XlsxGetMap", &json!({}));
    let sheet = &map["sheets"][0];
    let count = cases().len();
    assert_eq!(sheet["used_range"], json!({"min_row": 1, "max_row": count, "min_col": 1, "max_col": 3}), "{sheet}");
    let filled = cases().iter().filter(|(_, value)| !value.is_null()).count();
    assert_eq!(sheet["cell_count"], json!(filled + 2 * count), "{sheet}");
}
