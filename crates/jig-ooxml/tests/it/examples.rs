//! The examples work on new files, and what they write can be edited again.

use jig_file_api::read::docx::TextQuery;
use jig_ooxml::Limits;
use jig_ooxml::docx::Document;
use serde_json::Value;

#[expect(dead_code, reason = "`main` is run by people")]
#[path = "../../examples/add_slide.rs"]
mod add_slide;
#[expect(dead_code, reason = "`main` is run by people")]
#[path = "../../examples/edit_workbook.rs"]
mod edit_workbook;
#[expect(dead_code, reason = "`main` is run by people")]
#[path = "../../examples/redline_document.rs"]
mod redline_document;

#[test]
fn a_document_is_redlined() {
    let (bytes, text) = redline_document::redline(redline_document::new_document().unwrap()).unwrap();
    assert_eq!(text, "Payment is due within [-30 days-]{Ada}[+14 days+]{Ada}.");
    let text = Document::open(bytes, Limits::default()).unwrap().text(&TextQuery::default()).unwrap().text;
    assert_eq!(text, "Payment is due within 14 days.");
}

#[test]
fn a_workbook_is_edited_and_computed() {
    let edited = edit_workbook::edit(edit_workbook::new_workbook().unwrap()).unwrap();
    let summaries: Vec<&str> = edited.changes.iter().map(|change| change.op.as_str()).collect();
    assert_eq!(summaries, ["ensure_sheet", "set_range", "set_cells"]);
    assert_eq!(edited.warnings, Vec::<String>::new());
    let total = edited.cells.written.iter().find(|change| change.cell == "Budget!B4").unwrap();
    assert_eq!((&total.old, &total.new), (&Value::Null, &Value::from("=SUM(B2:B3)")));
    assert_eq!(edited.stale, [], "the formula is computed");
    // The same edit again changes no value.
    assert_eq!(edit_workbook::edit(edited.bytes).unwrap().cells.written_count, 0);
}

#[test]
fn a_slide_is_added() {
    let (bytes, text) = add_slide::add_slide(add_slide::new_presentation().unwrap()).unwrap();
    assert!(text.contains("Next steps") && text.contains("Start on Monday"), "{text}");
    let (_, twice) = add_slide::add_slide(bytes).unwrap();
    assert_eq!(twice.matches("Next steps").count(), 2);
}
