//! The answers of each method, whole.

use super::*;

fn budget() -> Sample {
    let inside = r#"<dimension ref="A1:Z1000"/><sheetViews><sheetView><pane ySplit="1" state="frozen"/></sheetView></sheetViews>
      <cols><col min="5" max="6" hidden="1"/></cols>
      <sheetData><row r="1"><c r="A1" t="str"><v>Item</v></c><c r="B1" t="str"><v>Cost</v></c></row>
      <row r="2" hidden="1"><c r="A2" t="str"><v>Rent</v></c><c r="B2" s="1"><v>1200</v></c></row>
      <row r="3"><c r="A3" t="str"><v>Sum</v></c><c r="B3" s="1"><f>SUM(B2:B2)</f><v>1200</v></c><c r="D3"><v>1</v></c></row>
      <row r="9"><c r="Z9" s="2"/></row><row r="1000"><c r="Z1000" s="1"/></row></sheetData>
      <conditionalFormatting sqref="B2"/><dataValidations><dataValidation sqref="A2"/></dataValidations><drawing r:id="d"/><tableParts><tablePart r:id="t"/></tableParts>"#;
    let styles = r#"<numFmts><numFmt numFmtId="170" formatCode="0.0&quot; kg&quot;"/></numFmts>
      <fonts><font><b/><sz val="11"/><color theme="1"/><name val="Calibri"/></font></fonts>
      <fills><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFFF0000"/><bgColor indexed="64"/></patternFill></fill></fills>
      <borders><border><left style="thin"><color auto="1"/></left><right/></border></borders>
      <cellStyleXfs><xf/></cellStyleXfs><cellXfs><xf numFmtId="0" xfId="0"/><xf numFmtId="3" xfId="0"/><xf numFmtId="170" xfId="1"/></cellXfs>
      <cellStyles><cellStyle name="Normal" xfId="0" builtinId="0"/><cellStyle name="Mine" xfId="1"/></cellStyles>"#;
    let table = format!(
        r#"<table xmlns="{MAIN}" name="T" displayName="Costs" ref="A1:B2"><tableColumns><tableColumn name="Item"/><tableColumn name="Cost"/></tableColumns></table>"#
    );
    let mut sample = Sample::new()
        .styles(styles)
        .sheet("Budget", inside)
        .raw_sheet("Secret", r#"state="veryHidden""#, &format!(r#"<worksheet xmlns="{MAIN}"><sheetData><row><c t="str"><v>budget</v></c></row></sheetData></worksheet>"#))
        .part("xl/tables/table1.xml", &table)
        .rels("xl/worksheets/_rels/sheet1.xml.rels", &[("d", "drawing", "../drawings/drawing1.xml"), ("t", "table", "/xl/tables/table1.xml"), ("c", "comments", "../comments1.xml")])
        .part("xl/drawings/drawing1.xml", "<d/>")
        .rels("xl/drawings/_rels/drawing1.xml.rels", &[("a", "chart", "../charts/chart1.xml")]);
    sample.tail = r#"<definedNames><definedName name="Rent">Budget!$B$2</definedName><definedName name="Hid" hidden="1">1</definedName></definedNames>"#.to_owned();
    sample
}

#[test]
fn the_map_says_what_is_where() {
    let map = budget().read("XlsxGetMap", json!({}));
    let wanted = json!({
        "sheets": [
            {
                "name": "Budget",
                "used_range": {"min_row": 1, "max_row": 3, "min_col": 1, "max_col": 4},
                "row_count": 3,
                "col_count": 4,
                "islands": [
                    {"range": "A1:B3", "label": "header", "row_count": 3, "col_count": 2, "headers": ["Item", "Cost"],
                     "header_range": "A1:B1", "data_range": "A2:B3"},
                    {"range": "D3", "label": "data", "row_count": 1, "col_count": 1, "headers": null},
                ],
                "chunks": [{"index": 0, "range": "A1:D3", "rows": 3, "header": "A1:B1", "headers": ["Item", "Cost"]}],
                "chunk_count": 1,
                "chunk_rows": 50,
                "has_charts": true,
                "has_merged_cells": false,
                "has_conditional_formatting": true,
                "has_formulas": true,
                "has_images": false,
                "has_pivot": false,
                "has_comments": true,
                "has_data_validation": true,
                "has_slicers": false,
                "has_hyperlinks": false,
                "protected": false,
                "cell_count": 7,
                "formula_count": 1,
                "tables": [{"name": "Costs", "range": "A1:B2", "columns": ["Item", "Cost"], "header_row": true, "totals_row": false}],
                "auto_filter": null,
                "frozen": {"rows": 1, "columns": 0},
                "hidden_rows": 1,
                "hidden_columns": ["E:F"],
                "dimension_declared": "A1:Z1000",
                "kind": "worksheet",
                "state": "visible",
                "hidden": false,
            },
            map["sheets"][1].clone(),
        ],
        "sheet_count": 2,
        "active_sheet": "Budget",
        "defined_names": [{"name": "Rent", "refers_to": "Budget!$B$2", "sheet": null}],
        "date1904": false,
    });
    assert_eq!(map, wanted);
    assert_eq!((&map["sheets"][1]["state"], &map["sheets"][1]["hidden"]), (&json!("veryHidden"), &json!(true)));
}

#[test]
fn info_lists_the_sheets_with_their_sizes() {
    assert_eq!(
        budget().read("XlsxGetInfo", json!({})),
        json!({
            "sheets": [
                {"name": "Budget", "row_count": 3, "col_count": 4, "kind": "worksheet", "state": "visible", "hidden": false},
                {"name": "Secret", "row_count": 1, "col_count": 1, "kind": "worksheet", "state": "veryHidden", "hidden": true},
            ],
            "sheet_count": 2,
            "active_sheet": "Budget",
        })
    );
}

#[test]
fn extracting_text_leaves_hidden_sheets_out_and_says_so() {
    assert_eq!(
        budget().read("XlsxExtractText", json!({})),
        json!({
            "text": "# Sheet: Budget\nItem\tCost\nRent\t1,200\nSum\t1,200\t\t1",
            "skipped_sheets": [{"name": "Secret", "state": "veryHidden"}],
            "warnings": ["1 hidden sheets are left out; `include_hidden` adds them"],
        })
    );
    let all = budget().read("XlsxExtractText", json!({"include_hidden": true}));
    assert_eq!(
        all,
        json!({"text": "# Sheet: Budget\nItem\tCost\nRent\t1,200\nSum\t1,200\t\t1\n\n# Sheet: Secret\nbudget"})
    );
}

#[test]
fn the_grid_has_values_types_and_formulas() {
    let blank = json!({"value": null, "type": "blank", "formula": null});
    assert_eq!(
        budget().read("XlsxRenderGrid", json!({"row_start": 1, "row_count": 2, "col_start": 0, "col_count": 3})),
        json!({
            "sheets": ["Budget", "Secret"],
            "row_count": 3,
            "col_count": 4,
            "cells": [
                [{"value": "Rent", "type": "string", "formula": null, "display": "Rent"},
                 {"value": 1200, "type": "number", "formula": null, "display": "1,200", "number_format": "#,##0"}, blank],
                [{"value": "Sum", "type": "string", "formula": null, "display": "Sum"},
                 {"value": 1200, "type": "number", "formula": "=SUM(B2:B2)", "display": "1,200", "number_format": "#,##0"}, blank],
            ],
            "sheet": "Budget",
            "row_start": 1,
            "col_start": 0,
            "range": "A2:C3",
        })
    );
    let far = budget().read("XlsxRenderGrid", json!({"row_start": 2_000_000, "row_count": 500, "col_count": 5}));
    assert_eq!(
        (&far["cells"], &far["range"], &far["warnings"]),
        (&json!([]), &Value::Null, &json!(["row_count is cut to 200"]))
    );
}

#[test]
fn styles_are_told_with_ids_for_copying() {
    let answer = budget().read("XlsxGetStyles", json!({"sheet": "budget"}));
    let named = json!([
        {"asset_id": "named_style:Normal", "type": "named_style", "name": "Normal", "builtin": true},
        {"asset_id": "named_style:Mine", "type": "named_style", "name": "Mine", "builtin": false},
    ]);
    let format = |index: u32, code: &str| json!({"asset_id": format!("number_format:{code}"), "type": "number_format", "index": index, "code": code});
    let formats = json!([format(0, "General"), format(3, "#,##0"), format(170, "0.0\" kg\"")]);
    let cell = |cell: &str, style: u32, named: &str, code: &str, count: u32| {
        json!({"asset_id": format!("cell_style:Budget!{cell}"), "type": "cell_style", "sheet": "Budget", "cell": cell,
               "style_id": style, "named_style": named, "number_format": code, "cell_count": count})
    };
    let cells = json!([
        cell("A1", 0, "Normal", "General", 5),
        cell("B2", 1, "Normal", "#,##0", 3),
        cell("Z9", 2, "Mine", "0.0\" kg\"", 1)
    ]);
    let mut assets = Vec::new();
    for list in [&named, &formats, &cells] {
        assets.extend(list.as_array().unwrap().clone());
    }
    assert_eq!(
        answer,
        json!({
            "format": "xlsx",
            "sheet_count": 2,
            "sheets": ["Budget", "Secret"],
            "style_count": 3,
            "named_styles": named,
            "number_formats": formats,
            "fonts": [{"index": 0, "name": "Calibri", "size": 11.0, "bold": true, "italic": false, "underline": null, "strike": false, "color": "theme:1"}],
            "fills": [{"index": 0, "pattern": "none", "fg_color": null, "bg_color": null}, {"index": 1, "pattern": "solid", "fg_color": "#FF0000", "bg_color": "auto"}],
            "borders": [{"index": 0, "left": {"style": "thin", "color": "auto"}, "right": null, "top": null, "bottom": null}],
            "sheet": "Budget",
            "cell_style_assets": cells,
            "named_ranges": [{"name": "Rent", "refers_to": "Budget!$B$2", "sheet": null}],
            "assets": assets,
            "supported_copy_asset_types": ["named_style", "cell_style", "number_format", "chart", "image"],
        })
    );
}

#[test]
fn a_text_is_found_in_all_sheets() {
    let hit = |sheet: &str, cell: &str, inside: &str, snippet: &str, hidden: bool| json!({"sheet": sheet, "cell": cell, "address": format!("{sheet}!{cell}"), "in": inside, "snippet": snippet, "hidden": hidden});
    let find = |params: Value| budget().read("XlsxFind", params);
    assert_eq!(
        find(json!({"query": "RENT"})),
        json!({"query": "RENT", "match_count": 1, "truncated": false, "matches": [hit("Budget", "A2", "value", "Rent", false)]})
    );
    assert_eq!(find(json!({"query": "RENT", "match_case": true}))["match_count"], 0);
    assert_eq!(find(json!({"query": "budget"}))["matches"], json!([hit("Secret", "A1", "value", "budget", true)]));
    assert_eq!(
        find(json!({"query": "1200", "max_results": 1})),
        json!({"query": "1200", "match_count": 2, "truncated": true, "matches": [hit("Budget", "B2", "value", "1,200 (1200)", false)]})
    );
    assert_eq!(
        find(json!({"query": "sum(", "formulas": true}))["matches"],
        json!([hit("Budget", "B3", "formula", "=SUM(B2:B2)", false)])
    );
}

#[test]
fn a_text_is_found_in_comments_old_and_threaded() {
    let notes = format!(
        r#"<comments xmlns="{MAIN}"><commentList><comment ref="B7" authorId="0"><text><r><t>old no</t></r><r><rPr/><t>te</t></r><rPh sb="0" eb="1"><t>note</t></rPh></text></comment><comment ref="A1" authorId="0"><text><t>[Threaded comment] first note</t></text></comment><comment ref="C7" authorId="0"><text><t>plain note</t></text></comment></commentList></comments>"#
    );
    let threads = r#"<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"><threadedComment ref="A1" id="1"><text>first note</text></threadedComment><threadedComment ref="A1" id="2" parentId="1"><text>second Note &amp; more</text></threadedComment></ThreadedComments>"#;
    let sample = |notes: &str| {
        Sample::new()
            .sheet("Empty", "<sheetData/>")
            .part("xl/comments1.xml", notes)
            .part("xl/threaded1.xml", threads)
            .rels(
                "xl/worksheets/_rels/sheet1.xml.rels",
                &[("c", "comments", "../comments1.xml"), ("t", "threadedComment", "../threaded1.xml")],
            )
    };
    let hit = |cell: &str, snippet: &str| json!({"sheet": "Empty", "cell": cell, "address": format!("Empty!{cell}"), "in": "comment", "snippet": snippet, "hidden": false});
    assert_eq!(
        sample(&notes).read("XlsxFind", json!({"query": "note"})),
        json!({"query": "note", "match_count": 4, "truncated": false, "matches": [hit("A1", "first note"), hit("A1", "second Note & more"), hit("B7", "old note"), hit("C7", "plain note")]})
    );
    let broken = sample("<comments>").read("XlsxFind", json!({"query": "note"}));
    assert_eq!((&broken["match_count"], broken["warnings"].as_array().map(Vec::len)), (&json!(0), Some(1)));
}

#[test]
fn a_large_sheet_is_read_piece_by_piece() {
    let row = |n: u32| {
        let cells: String = (1..=60).map(|c| format!("<c><v>{}</v></c>", n * 100 + c)).collect();
        format!(r#"<row r="{n}">{cells}</row>"#)
    };
    let rows: String = (1..=430).map(row).collect();
    let workbook = Sample::new().rows("S", &rows).open();
    let read = |params: Value| reply(&workbook, "XlsxReadRange", &params).unwrap();
    let whole = read(json!({}));
    let lines: Vec<&str> = text(&whole).lines().collect();
    assert_eq!(lines.len(), 202);
    assert_eq!(lines[199].split('\t').count(), 50);
    assert_eq!(lines[200..], ["... (truncated at 200 rows)", "... (truncated at 50 columns)"]);
    assert_eq!(
        whole["chunk_info"],
        json!({"chunk_index": 0, "total_chunks": 3, "has_more": true, "range": "A1:AX200", "next_range": "A201:AX400", "next_columns": "AY1:BH200"})
    );
    let middle = read(json!({"range": "A51:B100"}));
    assert_eq!(text(&middle).lines().count(), 50);
    assert_eq!(
        middle["chunk_info"],
        json!({"chunk_index": 1, "total_chunks": 9, "has_more": true, "range": "A51:B100", "next_range": "A101:B150"})
    );
    let last = read(json!({"range": "S!A430:BZ999"}));
    assert_eq!(
        last["chunk_info"],
        json!({"chunk_index": 8, "total_chunks": 9, "has_more": false, "range": "A430:BH430"})
    );
    let columns = read(json!({"range": "BH:BH"}));
    assert_eq!((columns["range"].as_str(), text(&columns).lines().count()), (Some("BH1:BH430"), 430));
    assert_eq!(read(json!({"range": "5:6"}))["range"], "A5:BH6");
    assert_eq!(read(json!({"range": "A1:BH430", "max_bytes": 5000}))["chunk_info"]["next_range"], "A20:BH38");
    let map = reply(&workbook, "XlsxGetMap", &json!({})).unwrap();
    assert_eq!(map["sheets"][0]["chunks"][8], json!({"index": 8, "range": "A401:BH430", "rows": 30}));
}

#[test]
fn reading_further_down_repeats_the_headers() {
    let row = |n: u32| {
        let cell = |c: &str| {
            if n == 3 {
                format!(r#"<c r="{c}3" t="str"><v>Head {c}</v></c>"#)
            } else {
                format!(r#"<c r="{c}{n}"><v>{n}</v></c>"#)
            }
        };
        format!(r#"<row r="{n}">{}</row>"#, ["B", "C", "D"].map(cell).concat())
    };
    let title = r#"<row r="2"><c r="B2" t="str"><v>A title</v></c></row>"#;
    let rows: String = (3..=120).map(row).collect();
    let workbook = Sample::new().rows("S", &format!("{title}{rows}")).open();
    let read = |range: &str| reply(&workbook, "XlsxReadRange", &json!({"range": range})).unwrap();
    assert_eq!(
        read("C60:D61"),
        json!({
            "text": "# Sheet: S\n60\t60\n61\t61",
            "sheet": "S",
            "range": "C60:D61",
            "chunk_info": {"chunk_index": 1, "total_chunks": 3, "has_more": true, "range": "C60:D61", "next_range": "C62:D63"},
            "headers": ["Head C", "Head D"],
            "header_range": "B3:D3",
        })
    );
    assert_eq!(read("B3:D60")["headers"], Value::Null);
    let map = reply(&workbook, "XlsxGetMap", &json!({})).unwrap();
    let island = &map["sheets"][0]["islands"][0];
    assert_eq!((&island["header_range"], &island["data_range"]), (&json!("B3:D3"), &json!("B4:D120")));
}
