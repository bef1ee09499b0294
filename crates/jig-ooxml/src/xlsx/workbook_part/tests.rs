//! The workbook part, whole and odd.

use super::*;
use crate::limits::Limits;

const TYPES: &str = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"#;
const RELS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

fn package(workbook: &str, targets: &[(&str, &str, &str)]) -> Package {
    let empty = [b"PK\x05\x06".as_slice(), &[0; 18]].concat();
    let mut package = Package::open(empty, Limits::default()).unwrap();
    package.set("[Content_Types].xml", TYPES.as_bytes());
    let rels = |list: &[(&str, &str, &str)]| {
        let list = list
            .iter()
            .map(|(id, kind, target)| format!(r#"<Relationship Id="{id}" Type="{RELS}/{kind}" Target="{target}"/>"#));
        let list: String = list.collect();
        format!(
            r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{list}</Relationships>"#
        )
    };
    package.set("_rels/.rels", rels(&[("rId1", "officeDocument", "/xl/workbook.xml")]).as_bytes());
    package.set("xl/workbook.xml", workbook.as_bytes());
    package.set("xl/_rels/workbook.xml.rels", rels(targets).as_bytes());
    package.set("xl/worksheets/Sheet1.xml", b"<worksheet/>");
    package.set("xl/chartsheets/sheet1.xml", b"<chartsheet/>");
    package
}

#[test]
fn sheets_names_and_settings_are_read_whatever_the_prefix() {
    let workbook = r#"<x:workbook xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:rel="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><x:workbookPr date1904="1"/><x:bookViews><x:workbookView activeTab="1"/></x:bookViews><x:sheets><x:sheet name="A &amp; B" sheetId="7" rel:id="a"/><x:sheet name="Chart" sheetId="2" state="veryHidden" rel:id="b"/><x:sheet name="Gone" sheetId="3" state="hidden" rel:id="zz"/></x:sheets><x:definedNames><x:definedName name="Rate">'A &amp; B'!$A$1</x:definedName><x:definedName name="_xlnm.Print_Area" localSheetId="0" hidden="1">A1</x:definedName></x:definedNames><x:calcPr calcMode="manual" fullCalcOnLoad="1"/></x:workbook>"#;
    let package = package(
        workbook,
        &[
            ("a", "worksheet", "/xl/worksheets/sheet1.xml"),
            ("b", "chartsheet", "chartsheets/sheet1.xml"),
            ("c", "styles", "styles.xml"),
        ],
    );
    let book = WorkbookPart::read(&package).unwrap();
    let sheet = |name: &str, part: Option<&str>, rel_id: &str, sheet_id, state, kind| Sheet {
        name: name.to_owned(),
        part: part.map(str::to_owned),
        rel_id: rel_id.to_owned(),
        sheet_id,
        state,
        kind,
    };
    let (styles, strings) = (book.styles().map(str::to_owned), book.shared_strings());
    assert_eq!((styles.as_deref(), strings), (Some("xl/styles.xml"), None));
    assert_eq!((book.sheet_place("a & b"), book.sheet_place("nope")), (Some(0), None));
    assert_eq!(
        book,
        WorkbookPart {
            part: "xl/workbook.xml".to_owned(),
            sheets: vec![
                sheet("A & B", Some("xl/worksheets/Sheet1.xml"), "a", 7, SheetState::Visible, SheetKind::Worksheet),
                sheet(
                    "Chart",
                    Some("xl/chartsheets/sheet1.xml"),
                    "b",
                    2,
                    SheetState::VeryHidden,
                    SheetKind::Chartsheet
                ),
                sheet("Gone", None, "zz", 3, SheetState::Hidden, SheetKind::Worksheet),
            ],
            names: vec![
                DefinedName { name: "Rate".to_owned(), formula: "'A & B'!$A$1".to_owned(), sheet: None, hidden: false },
                DefinedName {
                    name: "_xlnm.Print_Area".to_owned(),
                    formula: "A1".to_owned(),
                    sheet: Some(0),
                    hidden: true
                },
            ],
            date1904: true,
            calculation: Calculation { manual: true, full_on_load: true, ..Calculation::default() },
            active: 1,
            relationships: book.relationships.clone(),
        }
    );
    assert!(book.names[1].is_builtin() && !book.names[0].is_builtin());
}

#[test]
fn another_kind_of_package_is_named() {
    let mut package = package("<workbook/>", &[]);
    let message = |package: &Package| WorkbookPart::read(package).unwrap_err().to_string();
    assert_eq!(
        message(&package),
        "the file is not an Excel workbook: its main part has no namespace; open it in an Office program and save it again"
    );
    package.set("xl/workbook.xml", b"<document/>");
    assert_eq!(message(&package), "the file is not an Excel workbook: its main part is <document>");
    package.set("[Content_Types].xml", TYPES.replace("spreadsheetml.sheet", "wordprocessingml.document").as_bytes());
    assert_eq!(message(&package), "the file is not an Excel workbook: it is a Word document");
    package.set("[Content_Types].xml", TYPES.replace("sheet.main+xml", "sheet.binary.macroEnabled.main").as_bytes());
    assert_eq!(
        message(&package),
        "the file is not an Excel workbook: it has the binary format .xlsb; save it as .xlsx"
    );
}
