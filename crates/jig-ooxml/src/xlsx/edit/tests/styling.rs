//! Formats of cells: found or appended, laid over what is there.

use serde_json::json;

use super::{Build, S};

fn styled() -> Build {
    let styles = format!(
        "<styleSheet xmlns=\"{S}\"><fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/><scheme val=\"minor\"/></font><font><name val=\"Calibri\"/><b/><sz val=\"11\"/><scheme val=\"minor\"/></font></fonts><fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/></fill></fills><borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count=\"1\"><xf/></cellStyleXfs><cellXfs count=\"2\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/><xf numFmtId=\"9\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/></cellXfs></styleSheet>"
    );
    Build::rows(r#"<row r="1"><c r="A1" s="1"><v>1</v></c></row>"#).part("xl/styles.xml", "styles", &styles)
}

#[test]
fn a_format_is_laid_over_and_parts_are_reused() {
    let edited = styled().apply_ok(&json!([{"op": "set_cells", "sheet": "Data", "cells": [
        {"cell": "A1", "style": {"font_bold": true}},
        {"cell": "B1", "value": 1, "style": {"font_bold": true}},
        {"cell": "C1", "value": 1, "style": {"font_bold": true}},
    ]}]));
    assert_eq!(
        edited.rows(1),
        r#"<row r="1"><c r="A1" s="2"><v>1</v></c><c r="B1" s="3"><v>1</v></c><c r="C1" s="3"><v>1</v></c></row>"#
    );
    let styles = edited.part("xl/styles.xml");
    assert!(styles.contains("<fonts count=\"2\">"), "the bold font is there already");
    let new = concat!(
        r#"<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="9" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>"#,
        r#"<xf numFmtId="9" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs>"#,
    );
    assert!(styles.contains(new), "{styles}");
}

#[test]
fn every_field_of_a_style_is_written() {
    let style = json!({
        "font_name": "Arial", "font_size": 14, "font_bold": true, "font_italic": true, "font_color": "#ff0000",
        "fill_color": "80FFEE00", "number_format": "#,##0.0", "h_align": "CENTER", "v_align": "top", "wrap_text": true,
        "border_top": {"style": "thin", "color": "#0000FF"}, "border_left": {"style": "Double"},
    });
    let edited = styled()
        .apply_ok(&json!([{"op": "set_range", "sheet": "Data", "start": "B1", "values": [[1]], "style": style}]));
    let styles = edited.part("xl/styles.xml");
    let wanted = [
        r##"<numFmts count="1"><numFmt numFmtId="164" formatCode="#,##0.0"/></numFmts><fonts"##,
        r#"<font><b/><i/><sz val="14"/><color rgb="FFFF0000"/><name val="Arial"/></font></fonts>"#,
        r#"<fill><patternFill patternType="solid"><fgColor rgb="FFFFEE00"/><bgColor indexed="64"/></patternFill></fill></fills>"#,
        r#"<border><left style="double"><color auto="1"/></left><right/><top style="thin"><color rgb="FF0000FF"/></top><bottom/><diagonal/></border></borders>"#,
        r#"<xf numFmtId="164" fontId="2" fillId="2" borderId="1" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1"><alignment horizontal="center" vertical="top" wrapText="1"/></xf></cellXfs>"#,
    ];
    for piece in wanted {
        assert!(styles.contains(piece), "{piece}\n{styles}");
    }
}

#[test]
fn new_cells_take_the_format_of_their_row_or_column() {
    let content = r#"<cols><col min="2" max="2" width="9" style="1"/></cols><sheetData><row r="2" s="1" customFormat="1"/></sheetData>"#;
    let edited = Build::sheet("Data", content)
        .apply_ok(&json!([{"op": "set_range", "sheet": "Data", "start": "A1", "values": [[1, 2], [3]]}]));
    assert_eq!(
        edited.rows(1),
        r#"<row r="1"><c r="A1"><v>1</v></c><c r="B1" s="1"><v>2</v></c></row><row r="2" s="1" customFormat="1"><c r="A2" s="1"><v>3</v></c></row>"#
    );
}
