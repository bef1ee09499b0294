//! Text inside everything that Word wraps around it: it is read, replaced in place, and replaced as a tracked change.

use std::sync::Arc;

use jig_file_api::read::docx::{TextQuery, View};
use serde_json::{Value, json};

use super::support::{SECTION, part, run, with_parts};
use crate::docx::Document;
use crate::limits::Limits;

const TRANSITIONAL: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const STRICT: &str = "http://purl.oclc.org/ooxml/wordprocessingml/main";

/// A body in which `@` is replaced text, counted `visible` times, and `#` is text that stays: deleted by a tracked change.
struct Case {
    name: &'static str,
    body: &'static str,
    visible: usize,
}

const fn case(name: &'static str, visible: usize, body: &'static str) -> Case {
    Case { name, body, visible }
}

const CASES: &[Case] = &[
    case("plain", 2, "<w:p><w:r><w:t>@ and @</w:t></w:r></w:p>"),
    case("hyperlink", 1, "<w:p><w:hyperlink w:anchor='x'><w:r><w:t>@</w:t></w:r></w:hyperlink></w:p>"),
    case("simple field", 1, "<w:p><w:fldSimple w:instr='TITLE'><w:r><w:t>@</w:t></w:r></w:fldSimple></w:p>"),
    case("smart tag", 1, "<w:p><w:smartTag w:element='x'><w:r><w:t>@</w:t></w:r></w:smartTag></w:p>"),
    case("custom XML in a paragraph", 1, "<w:p><w:customXml w:element='x'><w:r><w:t>@</w:t></w:r></w:customXml></w:p>"),
    case(
        "custom XML around a paragraph",
        1,
        "<w:customXml w:element='x'><w:p><w:r><w:t>@</w:t></w:r></w:p></w:customXml>",
    ),
    case(
        "right to left",
        1,
        "<w:p><w:dir w:val='rtl'><w:bdo w:val='rtl'><w:r><w:t>@</w:t></w:r></w:bdo></w:dir></w:p>",
    ),
    // Content controls.
    case("control in a paragraph", 1, "<w:p><w:sdt><w:sdtContent><w:r><w:t>@</w:t></w:r></w:sdtContent></w:sdt></w:p>"),
    case(
        "control around a paragraph",
        1,
        "<w:sdt><w:sdtPr/><w:sdtContent><w:p><w:r><w:t>@</w:t></w:r></w:p></w:sdtContent></w:sdt>",
    ),
    case(
        "control in a control",
        2,
        "<w:sdt><w:sdtContent><w:sdt><w:sdtContent><w:p><w:r><w:t>@</w:t></w:r></w:p></w:sdtContent></w:sdt>\
         <w:p><w:r><w:t>@</w:t></w:r></w:p></w:sdtContent></w:sdt>",
    ),
    case(
        "control around a row",
        1,
        "<w:tbl><w:sdt><w:sdtContent><w:tr><w:tc><w:p><w:r><w:t>@</w:t></w:r></w:p></w:tc></w:tr></w:sdtContent></w:sdt></w:tbl><w:p/>",
    ),
    case(
        "control around a cell",
        1,
        "<w:tbl><w:tr><w:sdt><w:sdtContent><w:tc><w:p><w:r><w:t>@</w:t></w:r></w:p></w:tc></w:sdtContent></w:sdt></w:tr></w:tbl><w:p/>",
    ),
    // Tables.
    case("table", 1, "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>@</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/>"),
    case(
        "table in a cell",
        2,
        "<w:tbl><w:tr><w:tc><w:tbl><w:tr><w:tc><w:p><w:r><w:t>@</w:t></w:r></w:p></w:tc></w:tr></w:tbl>\
         <w:p><w:r><w:t>@</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/>",
    ),
    case(
        "table in a table in a table",
        1,
        "<w:tbl><w:tr><w:tc><w:tbl><w:tr><w:tc><w:tbl><w:tr><w:tc><w:p><w:r><w:t>@</w:t></w:r></w:p></w:tc></w:tr></w:tbl>\
         <w:p/></w:tc></w:tr></w:tbl><w:p/></w:tc></w:tr></w:tbl><w:p/>",
    ),
    case(
        "table in a control in a cell",
        1,
        "<w:tbl><w:tr><w:tc><w:sdt><w:sdtContent><w:tbl><w:tr><w:tc><w:p><w:r><w:t>@</w:t></w:r></w:p></w:tc></w:tr></w:tbl>\
         </w:sdtContent></w:sdt><w:p/></w:tc></w:tr></w:tbl><w:p/>",
    ),
    // Alternate content: the first choice is read, all branches are changed.
    case(
        "alternatives in a paragraph",
        1,
        "<w:p><mc:AlternateContent><mc:Choice Requires='wps'><w:r><w:t>@</w:t></w:r></mc:Choice>\
         <mc:Fallback><w:r><w:t>@</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>",
    ),
    case(
        "alternatives around paragraphs",
        1,
        "<mc:AlternateContent><mc:Choice Requires='wps'><w:p><w:r><w:t>@</w:t></w:r></w:p></mc:Choice>\
         <mc:Fallback><w:p><w:r><w:t>@</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent><w:p/>",
    ),
    case(
        "a choice without a fallback",
        1,
        "<w:p><mc:AlternateContent><mc:Choice Requires='wps'><w:r><w:t>@</w:t></w:r></mc:Choice></mc:AlternateContent></w:p>",
    ),
    case(
        "a fallback without a choice",
        1,
        "<w:p><mc:AlternateContent><mc:Fallback><w:r><w:t>@</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>",
    ),
    // Text boxes.
    case(
        "text box with a fallback",
        1,
        "<w:p><w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wp:inline><a:graphic><a:graphicData><wps:wsp><wps:txbx>\
         <w:txbxContent><w:p><w:r><w:t>@</w:t></w:r></w:p></w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic>\
         </wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent><w:p><w:r><w:t>@</w:t></w:r></w:p>\
         </w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>",
    ),
    case(
        "text box of older files",
        2,
        "<w:p><w:r><w:t>@</w:t></w:r><w:r><w:pict><v:shape><v:textbox><w:txbxContent><w:p><w:r><w:t>@</w:t></w:r></w:p></w:txbxContent>\
         </v:textbox></v:shape></w:pict></w:r></w:p>",
    ),
    case(
        "text box in a cell",
        1,
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:pict><v:shape><v:textbox><w:txbxContent><w:p><w:r><w:t>@</w:t></w:r></w:p></w:txbxContent>\
         </v:textbox></v:shape></w:pict></w:r></w:p></w:tc></w:tr></w:tbl><w:p/>",
    ),
    // Tracked changes.
    case("insertion", 1, "<w:p><w:ins w:id='1' w:author='Bob'><w:r><w:t>@</w:t></w:r></w:ins></w:p>"),
    case(
        "deletion",
        1,
        "<w:p><w:r><w:t>@</w:t></w:r><w:del w:id='1' w:author='Bob'><w:r><w:delText>#</w:delText></w:r></w:del></w:p>",
    ),
    case(
        "move in a paragraph",
        1,
        "<w:p><w:moveFrom w:id='1' w:author='Bob'><w:r><w:t>#</w:t></w:r></w:moveFrom><w:r><w:t xml:space='preserve'> to </w:t></w:r>\
         <w:moveTo w:id='2' w:author='Bob'><w:r><w:t>@</w:t></w:r></w:moveTo></w:p>",
    ),
    case(
        "move of a paragraph",
        1,
        "<w:moveFrom w:id='1' w:author='Bob'><w:p><w:r><w:t>#</w:t></w:r></w:p></w:moveFrom>\
         <w:moveTo w:id='2' w:author='Bob'><w:p><w:r><w:t>@</w:t></w:r></w:p></w:moveTo><w:p/>",
    ),
    case(
        "deletion of a paragraph",
        1,
        "<w:del w:id='1' w:author='Bob'><w:p><w:r><w:delText>#</w:delText></w:r></w:p></w:del><w:p><w:r><w:t>@</w:t></w:r></w:p>",
    ),
    case(
        "move of a table",
        1,
        "<w:moveFrom w:id='1' w:author='Bob'><w:tbl><w:tr><w:tc><w:p><w:r><w:t>#</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:moveFrom>\
         <w:moveTo w:id='2' w:author='Bob'><w:tbl><w:tr><w:tc><w:p><w:r><w:t>@</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:moveTo><w:p/>",
    ),
    case(
        "move between cells",
        1,
        "<w:tbl><w:tr><w:tc><w:p><w:moveFrom w:id='1' w:author='Bob'><w:r><w:t>#</w:t></w:r></w:moveFrom></w:p></w:tc>\
         <w:tc><w:p><w:moveTo w:id='2' w:author='Bob'><w:r><w:t>@</w:t></w:r></w:moveTo></w:p></w:tc></w:tr></w:tbl><w:p/>",
    ),
];

/// The main part of a case with a text for `@`.
fn main_part(case: &Case, word_namespace: &str, text: &str) -> String {
    let body = case.body.replace('@', text).replace('#', "old");
    format!(
        "<w:document xmlns:w='{word_namespace}' xmlns:mc='http://schemas.openxmlformats.org/markup-compatibility/2006' \
         xmlns:wp='http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing' \
         xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main' xmlns:v='urn:schemas-microsoft-com:vml' \
         xmlns:wps='http://schemas.microsoft.com/office/word/2010/wordprocessingShape'><w:body>{body}{SECTION}</w:body></w:document>"
    )
}

fn cases() -> impl Iterator<Item = (String, &'static Case, &'static str)> {
    let with_form = |case: &'static Case| {
        [("transitional", TRANSITIONAL), ("strict", STRICT)]
            .map(|(form, ns)| (format!("{}, {form}", case.name), case, ns))
    };
    CASES.iter().flat_map(with_form)
}

fn replaced(case: &Case, ns: &str, track: bool) -> (Arc<[u8]>, Value) {
    let source = with_parts(&[("word/document.xml", &main_part(case, ns, "old"))]);
    let ops = json!([{"op": "replace_text", "search": "old", "replace": "new", "track_changes": track}]);
    let applied = run(&source, ops).unwrap();
    let count = applied.changes[0].details["replacements"].clone();
    (applied.bytes.into(), count)
}

fn text(bytes: &Arc<[u8]>, view: View) -> String {
    let document = Document::open(Arc::clone(bytes), Limits::default()).unwrap();
    document.text(&TextQuery { view, ..TextQuery::default() }).unwrap().text
}

#[test]
fn text_is_read_and_replaced_in_every_structure() {
    for (name, case, ns) in cases() {
        let source = with_parts(&[("word/document.xml", &main_part(case, ns, "old"))]);
        assert_eq!(text(&source, View::Final).matches("old").count(), case.visible, "{name}: read");
        let (bytes, count) = replaced(case, ns, false);
        assert_eq!(count, json!(case.visible), "{name}: counted");
        assert_eq!(part(&bytes, "word/document.xml"), main_part(case, ns, "new"), "{name}: replaced");
    }
}

#[test]
fn a_tracked_replacement_changes_the_final_view_and_not_the_original_one() {
    for (name, case, ns) in cases() {
        let source = with_parts(&[("word/document.xml", &main_part(case, ns, "old"))]);
        let (bytes, count) = replaced(case, ns, true);
        assert_eq!(count, json!(case.visible), "{name}: counted");
        let now = text(&bytes, View::Final);
        assert_eq!((now.matches("new").count(), now.matches("old").count()), (case.visible, 0), "{name}: final");
        assert_eq!(text(&bytes, View::Original), text(&source, View::Original), "{name}: original");
    }
}
