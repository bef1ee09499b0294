//! Charts on slides, with their workbooks.

use super::*;
use crate::xlsx::Workbook;

fn deck() -> Vec<u8> {
    run(None, json!([{"op": "add_slide", "title": "t"}])).unwrap().bytes
}

#[expect(clippy::needless_pass_by_value, reason = "callers write the fields in place")]
fn add(fields: Value) -> Vec<u8> {
    let mut op = json!({"op": "add_chart", "slide": 1, "type": "column"});
    op.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    run(Some(deck()), json!([op])).unwrap().bytes
}

fn chart(bytes: &[u8]) -> String {
    part(bytes, "ppt/charts/chart1.xml")
}

/// The sheet with the data inside the presentation, as markup.
fn cells(bytes: &[u8], workbook: &str) -> String {
    let package = Package::open(bytes.to_vec(), Limits::default()).unwrap();
    let book = package.read(workbook).unwrap();
    Workbook::open(book.clone().into(), Limits::default()).unwrap();
    let book = Package::open(book, Limits::default()).unwrap();
    let text = |name: &str| book.read(name).map(|bytes| String::from_utf8(bytes).unwrap()).unwrap_or_default();
    format!("{}{}", text("xl/worksheets/sheet1.xml"), text("xl/sharedStrings.xml"))
}

#[test]
fn a_chart_has_its_data_in_itself_and_in_a_workbook() {
    let bytes = add(json!({
        "categories": ["Q1", "Q2", "=1+1"], "title": "Sales & more", "legend": "bottom",
        "series": [{"name": "North", "values": [1, null, 2.5], "color": "navy"}, {"name": "South", "values": [4, 5, 6]}],
    }));
    let text = chart(&bytes);
    for wanted in [
        "<c:f>Sheet1!$A$2:$A$4</c:f>",
        "<c:f>Sheet1!$B$1</c:f>",
        "<c:f>Sheet1!$C$2:$C$4</c:f>",
        "<c:v>2.5</c:v>",
        "Sales &amp; more",
        r#"<c:legendPos val="b"/>"#,
        r#"</c:txPr><c:externalData r:id="rId1">"#,
        r#"<a:srgbClr val="000080"/>"#,
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let cells = cells(&bytes, "ppt/embeddings/Microsoft_Excel_Sheet1.xlsx");
    assert!(cells.contains("=1+1") && !cells.contains("<f>"), "{cells}");
    let slide = part(&bytes, "ppt/slides/slide1.xml");
    // It takes the place of the empty placeholder.
    assert!(
        slide.contains(r#"<p:ph idx="1"/></p:nvPr></p:nvGraphicFramePr><p:xfrm><a:off x="838200" y="1825625"/>"#),
        "{slide}"
    );
    assert!(slide.contains(r#"descr="Sales &amp; more""#));
    let content = read(&bytes, "PptxGetSlideContent", json!({}));
    assert_eq!(content["slide"]["shapes"][1]["shape_type"], "chart");
    assert_eq!(content["slide"]["shapes"][1]["chart"]["title"], "Sales & more");
}

#[test]
fn data_comes_as_rows_too_and_every_kind_is_drawn() {
    let rows = json!([["", "A", "B"], ["x", 1, 2], ["y", "3", null]]);
    for (kind, element) in [
        ("column", "<c:barDir val=\"col\"/>"),
        ("bar", "<c:barDir val=\"bar\"/>"),
        ("line", "<c:lineChart>"),
        ("area", "<c:areaChart>"),
        ("doughnut", "<c:doughnutChart>"),
        ("combo", "</c:barChart><c:lineChart>"),
    ] {
        let text = chart(&add(json!({"type": kind, "values": rows, "left": 1, "top": 1, "width": 4, "height": 3})));
        assert!(text.contains(element), "{kind}: {text}");
        assert!(text.contains("<c:f>Sheet1!$C$2:$C$3</c:f>"));
    }
    let text = chart(&add(json!({"type": "pie", "values": [["", "A"], ["x", 1]]})));
    assert!(text.contains("<c:pieChart>") && text.contains("<c:legend>"));
    let series =
        json!([{"name": "a", "x_values": [1, 2], "values": [3, 4]}, {"name": "b", "x_values": [5], "values": [6]}]);
    let text = chart(&add(json!({"type": "scatter", "series": series})));
    assert!(text.contains("<c:f>Sheet1!$B$2:$B$3</c:f>") && text.contains("<c:f>Sheet1!$E$2:$E$2</c:f>"), "{text}");
}

#[test]
fn data_that_no_chart_can_show_is_refused() {
    let cases = [
        (json!({}), "ops[0].series: missing: the series of the chart, or `values`"),
        (json!({"series": [{"name": "a"}]}), "ops[0].series[0].values: missing: the values"),
        (
            json!({"values": [["", "a"]]}),
            "ops[0].values: expected a row with the names of series, and after it a row for each category",
        ),
        (json!({"values": [["", "a"], ["x", "much"]]}), "ops[0].values[1][1]: expected a number, or null for a gap"),
        (
            json!({"type": "pie", "values": [["", "a", "b"], ["x", 1, 2]]}),
            "ops[0].series: a pie chart shows one series, but 2 are given; use `doughnut` or `column`",
        ),
        (
            json!({"type": "scatter", "values": [["", "a"], ["x", 1]]}),
            "ops[0].categories: a scatter chart needs numbers as x values: give numeric `categories`, or `x_values` in each series",
        ),
        (
            json!({"categories": ["a"], "series": [{"values": [1, 2]}]}),
            "ops[0].series: a series has 2 values, but there are 1",
        ),
        (
            json!({"series": [{"values": [1], "type": "pie"}]}),
            "ops[0].series[0].type: a pie series cannot be combined with the others; column, line and area can",
        ),
        (
            json!({"values": [["", "a"], ["x", 1]], "y_min": 5, "y_max": 1}),
            "ops[0].y_max: expected more than `y_min`, which is 5, but found 1",
        ),
    ];
    for (fields, wanted) in cases {
        let mut op = json!({"op": "add_chart", "slide": 1, "type": "column"});
        op.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        assert_eq!(refused(&deck(), json!([op])).to_string(), wanted);
    }
}

#[test]
fn a_chart_is_changed_in_its_part_and_its_workbook() {
    let bytes = add(json!({"values": [["", "A", "B"], ["x", 1, 2], ["y", 3, 4]], "title": "Old"}));
    let applied = run(
        Some(bytes.clone()),
        json!([{"op": "edit_chart", "slide": 1, "title": "New", "series": [{"name": "Only", "values": [7, 8]}]}]),
    )
    .unwrap();
    let text = chart(&applied.bytes);
    assert!(text.contains("New") && text.contains("<c:v>8</c:v>") && !text.contains("$C$2"), "{text}");
    let parts = changed(&applied);
    assert!(parts.contains(&"ppt/embeddings/Microsoft_Excel_Sheet1.xlsx".to_owned()), "{parts:?}");
    let sheet = cells(&applied.bytes, "ppt/embeddings/Microsoft_Excel_Sheet1.xlsx");
    assert!(sheet.contains("Only") && !sheet.contains(r#"r="C3""#), "{sheet}");
    // Only the look: the workbook stays as it is.
    let applied = run(Some(bytes.clone()), json!([{"op": "edit_chart", "slide": 1, "legend": "none"}])).unwrap();
    assert_eq!(changed(&applied), ["ppt/charts/chart1.xml"]);
    // Another kind keeps the data; other categories keep the values.
    let applied =
        run(Some(bytes.clone()), json!([{"op": "edit_chart", "slide": 1, "type": "line", "categories": ["k", "l"]}]))
            .unwrap();
    let text = chart(&applied.bytes);
    assert!(text.contains("<c:lineChart>") && text.contains("<c:v>l</c:v>") && text.contains("<c:v>4</c:v>"), "{text}");
    assert_eq!(applied.warnings.len(), 1);
    let error = refused(&bytes, json!([{"op": "edit_chart", "slide": 1}]));
    assert_eq!(error.to_string(), "ops[0]: nothing to change: give a field such as `title`, `type` or `series`");
    let error = refused(&bytes, json!([{"op": "edit_chart", "slide": 1, "chart": "Title 1", "title": "t"}]));
    assert_eq!(error.to_string(), "ops[0].chart: the shape Title 1 is a placeholder, not a chart");
    let error = refused(&deck(), json!([{"op": "edit_chart", "slide": 1, "title": "t"}]));
    assert_eq!(error.to_string(), "ops[0].chart: slide 1 has no charts");
}

#[test]
fn a_chart_is_deleted_with_its_workbook_and_copied_with_one_of_its_own() {
    let bytes = add(json!({"values": [["", "A"], ["x", 1]]}));
    let applied = run(Some(bytes.clone()), json!([{"op": "delete_chart", "slide": 1}])).unwrap();
    let parts = changed(&applied);
    assert!(parts.contains(&"-ppt/charts/chart1.xml".to_owned()), "{parts:?}");
    assert!(parts.contains(&"-ppt/embeddings/Microsoft_Excel_Sheet1.xlsx".to_owned()), "{parts:?}");
    let ops = json!([{"op": "duplicate_slide", "slide": 1}, {"op": "edit_chart", "slide": 2, "values": [["", "A"], ["x", 99]]}]);
    let applied = run(Some(bytes.clone()), ops).unwrap();
    assert!(chart(&applied.bytes) == chart(&bytes));
    assert!(part(&applied.bytes, "ppt/charts/chart2.xml").contains("<c:v>99</c:v>"));
    assert!(cells(&applied.bytes, "ppt/embeddings/Microsoft_Excel_Sheet2.xlsx").contains("99"));
    assert!(!cells(&applied.bytes, "ppt/embeddings/Microsoft_Excel_Sheet1.xlsx").contains("99"));
}
