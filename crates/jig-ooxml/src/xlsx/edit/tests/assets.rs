//! Formats copied between workbooks.

use serde_json::{Value, json};

use super::{Build, Edited, S};
use crate::edit::ApplyOptions;

fn source() -> Build {
    let styles = format!(
        "<styleSheet xmlns=\"{S}\"><numFmts count=\"1\"><numFmt numFmtId=\"170\" formatCode=\"0.000\"/></numFmts><fonts count=\"2\"><font/><font><b/></font></fonts><fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/></fill></fills><borders count=\"1\"><border/></borders><cellStyleXfs count=\"2\"><xf/><xf fontId=\"1\"/></cellStyleXfs><cellXfs count=\"2\"><xf/><xf numFmtId=\"170\" fontId=\"1\" fillId=\"0\" borderId=\"0\" xfId=\"1\"/></cellXfs><cellStyles count=\"2\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/><cellStyle name=\"Strong\" xfId=\"1\"/></cellStyles></styleSheet>"
    );
    Build::rows(r#"<row r="1"><c r="A1" s="1"><v>1</v></c></row>"#).part("xl/styles.xml", "styles", &styles)
}

fn copy(assets: &Value) -> Result<Edited, String> {
    let target = Build::rows(r#"<row r="1"><c r="B1"><v>1</v></c></row>"#);
    let applied = super::super::copy_assets(source().bytes(), Some(target.bytes()), assets, &ApplyOptions::default());
    applied.map(Edited::of).map_err(|error| error.to_string())
}

#[test]
fn a_cell_format_comes_with_all_it_refers_to() {
    let forms = [
        json!(["cell_style:Data!A1->Data!B1:C1"]),
        json!([{"type": "cell_style", "source_sheet": "Data", "source_cell": "A1", "target_sheet": "Data", "target_range": "B1:C1"}]),
        json!([{"asset_id": "cell_style:Data!A1", "target": "Data!B1:C1"}]),
    ];
    for form in forms {
        let edited = copy(&form).unwrap();
        assert_eq!(edited.rows(1), r#"<row r="1"><c r="B1" s="1"><v>1</v></c><c r="C1" s="1"/></row>"#);
        let styles = edited.part("xl/styles.xml");
        assert!(styles.contains(r#"<numFmt numFmtId="164" formatCode="0.000"/>"#), "{styles}");
        assert!(
            styles.contains(r#"<xf numFmtId="164" fontId="1" fillId="0" borderId="1" xfId="0"/></cellXfs>"#),
            "{styles}"
        );
        assert_eq!(edited.applied.changes[0].details["cells"], 2);
    }
}

#[test]
fn named_styles_and_number_formats_are_copied() {
    let edited = copy(&json!(["named_style:Strong", "number_format:0.0->Data!B1"])).unwrap();
    let styles = edited.part("xl/styles.xml");
    assert!(styles.contains(r#"<cellStyle name="Strong" xfId="1"/></cellStyles>"#), "{styles}");
    assert_eq!(edited.rows(1), r#"<row r="1"><c r="B1" s="1"><v>1</v></c></row>"#);
    assert_eq!(copy(&json!(["named_style:Strng"])).err().unwrap(), "assets[0]: the source has no named style `Strng`");
    let why = copy(&json!(["number_format:0.0"])).err().unwrap();
    assert!(why.starts_with("assets[0]: missing: the cells to copy to"), "{why}");
}
