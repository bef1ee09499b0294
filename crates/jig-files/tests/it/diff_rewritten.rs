//! A file saved by another program shows what a person changed, and nothing of how that program writes files.
//!
//! Two ways to have a file rewritten: here, part by part, with every freedom that XML gives (attribute order, prefixes,
//! white space, references, split elements), and by other libraries where `JIG_TEST_PYTHON` names a Python with them.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use jig_files::engine::Versions;
use jig_ooxml::{Limits, Package};
use jig_worker::FileApi;
use serde_json::{Value, json};

use crate::office::judge;
use crate::support::versions::rendered;

/// A tag with its attributes in the reverse order, wider spaces, a reference for a letter, and another prefix for those
/// of the main formats.
fn rewritten_tag(tag: &str) -> String {
    let (inner, single) = tag.strip_suffix('/').map_or((tag, false), |inner| (inner, true));
    let end = inner.find(|c: char| c.is_whitespace()).unwrap_or(inner.len());
    let (name, mut rest) = inner.split_at(end);
    let mut attributes: Vec<String> = Vec::new();
    while let Some((key, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let quote = after.chars().next().unwrap();
        let (value, left) = after[1..].split_once(quote).unwrap();
        let mut value = value.to_owned();
        // The same letter, written as a reference.
        if key.trim().ends_with(":val") && value.starts_with('c') {
            value = format!("&#99;{}", &value[1..]);
        }
        attributes.push(format!("{}={quote}{value}{quote}", prefixed(key.trim())));
        rest = left;
    }
    attributes.reverse();
    let name = prefixed(name);
    let mut out = format!("<{name}");
    attributes.iter().for_each(|one| write!(out, "\n  {one}").unwrap());
    out.push_str(if single { "></" } else { "" });
    if single {
        out.push_str(&name);
    }
    out.push('>');
    out
}

/// The prefixes of the main formats get another letter; declarations go with them.
fn prefixed(name: &str) -> String {
    for main in ["w", "a", "p"] {
        if name == format!("xmlns:{main}") {
            return format!("xmlns:{main}q");
        }
        for begin in [format!("{main}:"), format!("/{main}:")] {
            if let Some(local) = name.strip_prefix(&begin) {
                return format!("{}q:{local}", begin.trim_end_matches(':'));
            }
        }
    }
    name.to_owned()
}

fn rewritten_part(text: &str) -> String {
    let mut out =
        String::from("<?xml version='1.0' encoding='utf-8' standalone='yes'?>\n<!-- saved by another program -->");
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let skipped =
            ["?", "!--", "![CDATA["].iter().zip(["?>", "-->", "]]>"]).find(|(start, _)| after.starts_with(**start));
        if let Some((start, end)) = skipped {
            let length = after.find(end).unwrap() + end.len();
            if *start == "![CDATA[" {
                write!(out, "<{}", &after[..length]).unwrap();
            }
            rest = &after[length..];
            continue;
        }
        let end = after.find('>').unwrap();
        out.push_str(&rewritten_tag(&after[..end]));
        rest = &after[end + 1..];
    }
    out.push_str(rest);
    out
}

/// A file with all its XML parts rewritten.
fn rewritten(bytes: &[u8]) -> Vec<u8> {
    let mut package = Package::open(Arc::<[u8]>::from(bytes), Limits::default()).unwrap();
    let names: Vec<String> = package.names().filter(|name| name.ends_with(".xml")).map(str::to_owned).collect();
    for name in names.iter().filter(|name| *name != "[Content_Types].xml") {
        let part = package.xml(name).unwrap();
        // A tag may hold `>` in an attribute only in files that are not among these.
        package.set(name, rewritten_part(&part.text).as_bytes());
    }
    package.save().unwrap()
}

fn versions(name: &str, old: &[u8], new: &[u8]) -> Versions {
    Versions { name: name.to_owned(), old: Some(old.into()), new: Some(new.into()) }
}

#[test]
fn a_file_that_is_only_written_differently_has_no_changes() {
    let mut wrong = Vec::new();
    for name in [
        "report.docx",
        "review.docx",
        "languages.docx",
        "fields.docx",
        "drawings.docx",
        "libreoffice.docx",
        "strict.docx",
    ]
    .into_iter()
    .chain(["deck.pptx", "layouts.pptx", "review.pptx", "languages.pptx", "libreoffice.pptx"])
    .chain([
        "everything.xlsx",
        "openpyxl.xlsx",
        "libreoffice.xlsx",
        "formulas.xlsx",
        "islands.xlsx",
        "google-like.xlsx",
    ]) {
        let old = crate::sample(&format!("office/{name}"));
        let new = rewritten(&old);
        assert_ne!(old, new, "{name}");
        let told = rendered(&FileApi::default(), &versions(name, &old, &new));
        if !told.contains("changes: 0\n") {
            wrong.push(format!("{name}:\n{told}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A small workbook whose styles part and sheet part are given.
fn workbook(styles: &str, sheet: &str) -> Vec<u8> {
    let main = r#"xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main""#;
    let relations = r#"xmlns="http://schemas.openxmlformats.org/package/2006/relationships""#;
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let mut package =
        Package::open(Arc::<[u8]>::from(crate::sample("office/minimal.docx")), Limits::default()).unwrap();
    let names: Vec<String> = package.names().map(str::to_owned).collect();
    names.iter().for_each(|name| package.remove(name));
    let types = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"#;
    package.set("[Content_Types].xml", types.as_bytes());
    let part = |package: &mut Package, name: &str, text: String| package.set(name, text.as_bytes());
    part(
        &mut package,
        "_rels/.rels",
        format!(
            r#"<Relationships {relations}><Relationship Id="rId1" Type="{kind}/officeDocument" Target="xl/workbook.xml"/></Relationships>"#
        ),
    );
    part(
        &mut package,
        "xl/workbook.xml",
        format!(
            r#"<workbook {main} xmlns:r="{kind}"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>"#
        ),
    );
    part(
        &mut package,
        "xl/_rels/workbook.xml.rels",
        format!(
            r#"<Relationships {relations}><Relationship Id="rId1" Type="{kind}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="{kind}/styles" Target="styles.xml"/></Relationships>"#
        ),
    );
    part(&mut package, "xl/styles.xml", format!("<styleSheet {main}>{styles}</styleSheet>"));
    part(&mut package, "xl/worksheets/sheet1.xml", format!("<worksheet {main}>{sheet}</worksheet>"));
    package.save().unwrap()
}

#[test]
fn formats_compare_by_what_they_come_to() {
    // Fonts in another order of elements, defaults written out, formats renumbered, heights and widths rounded.
    let old = workbook(
        r#"<fonts><font><sz val="11"/><color theme="1"/><name val="Calibri"/><family val="2"/><scheme val="minor"/></font><font><b/><sz val="12"/><color rgb="FFC00000"/><name val="Arial"/></font></fonts>
           <fills><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor indexed="13"/><bgColor indexed="64"/></patternFill></fill></fills>
           <borders><border><left/><right/><top/><bottom/><diagonal/></border></borders>
           <cellXfs><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/><xf numFmtId="4" fontId="1" fillId="2" borderId="0" applyFont="1"/></cellXfs>"#,
        r#"<sheetViews><sheetView workbookViewId="0" tabSelected="1"/></sheetViews><cols><col min="1" max="2" width="12.7109375" customWidth="1"/></cols><sheetData><row r="1" ht="30" customHeight="1"><c r="A1" s="1"><v>1234.5</v></c><c r="B1"><v>7</v></c></row><row r="2" ht="15.75"><c r="A2"><f>SUM( a1:B1 )</f><v>8</v></c></row></sheetData><pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/>"#,
    );
    let new = workbook(
        r##"<numFmts count="1"><numFmt numFmtId="164" formatCode="#,##0.00"/></numFmts>
           <fonts count="3"><font><name val="Calibri"/><family val="2"/><color rgb="FF000000"/><sz val="11.0"/></font><font><name val="Times"/></font><font><name val="Arial"/><b val="true"/><color rgb="00C00000"/><sz val="12"/><u val="none"/></font></fonts>
           <fills><fill><patternFill/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFFFFF00"/><bgColor rgb="FFFFFF00"/></patternFill></fill></fills>
           <borders><border><left style="none"/><right/><top/><bottom/></border></borders>
           <cellXfs><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" pivotButton="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0"/><xf numFmtId="164" fontId="2" fillId="2" borderId="0"><alignment horizontal="general" vertical="bottom" wrapText="0"/><protection locked="1" hidden="0"/></xf></cellXfs>"##,
        r#"<sheetPr><outlinePr summaryBelow="1" summaryRight="1"/><pageSetUpPr/></sheetPr><sheetViews><sheetView showGridLines="true" workbookViewId="0"/></sheetViews><cols><col min="1" max="1" width="12.71" customWidth="1"/><col min="2" max="2" width="12.71" customWidth="1" bestFit="1"/></cols><sheetData><row r="1" ht="30.0" customHeight="true"><c r="A1" s="2"><v>1234.5</v></c><c r="B1" s="0" t="n"><v>7.0</v></c></row><row r="2" ht="15.2"><c r="A2"><f>sum(A1:B1)</f></c></row></sheetData>"#,
    );
    let told = rendered(&FileApi::default(), &versions("book.xlsx", &old, &new));
    assert!(told.contains("changes: 0\n"), "{told}");
}

#[test]
fn one_format_over_a_range_is_one_change_and_values_come_first() {
    let styles = |fill: &str| {
        format!(
            r#"<fonts><font><sz val="11"/><name val="Calibri"/></font></fonts><fills><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="{fill}"/></patternFill></fill></fills><borders><border/></borders><cellXfs><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/><xf numFmtId="0" fontId="0" fillId="2" borderId="0"/></cellXfs>"#
        )
    };
    let sheet = |styled: &str, last: &str| {
        let row = |row: u32| {
            let cell = |column: &str| format!(r#"<c r="{column}{row}"{styled}><v>{}</v></c>"#, 950 + row);
            format!(r#"<row r="{row}">{}</row>"#, ["A", "B", "C", "D"].map(cell).concat())
        };
        let rows: String = (1..=9).map(row).collect();
        format!(r#"<sheetData>{rows}<row r="20"><c r="B20"><v>{last}</v></c></row></sheetData>"#)
    };
    let old = workbook(&styles("FFFFCC00"), &sheet("", "1"));
    let new = workbook(&styles("FFFFCC00"), &sheet(r#" s="1""#, "2"));
    let expected = "\
summary: 1 cell changed on Data, 1 range reformatted
focus: Data!B20
changes: 2
page 1: xlsx
@ Data
Data!B20 [cell changed] 1 → 2
Data!A1:D9 [range formatted]; fill: none → solid #FFCC00
";
    let both = versions("book.xlsx", &old, &new);
    let engine = FileApi::default();
    assert_eq!(rendered(&engine, &both), expected);
    let (reverted, _) = engine.revert(&both, &json!({ "changes": ["Data!A1:D9"] })).unwrap();
    let left = rendered(&engine, &versions("book.xlsx", &old, &reverted.bytes));
    assert!(left.contains("changes: 1\n") && left.contains("Data!B20"), "{left}");
    // A colour that changed says both colours; nothing repeats a value that is the same.
    let recolored = workbook(&styles("FF00B050"), &sheet(r#" s="1""#, "2"));
    let told = rendered(&engine, &versions("book.xlsx", &new, &recolored));
    assert!(told.contains("Data!A1:D9 [range formatted]; fill: solid #FFCC00 → solid #00B050\n"), "{told}");
}

#[test]
fn of_a_merged_range_only_what_is_visible_counts() {
    let line = |name: &str, on: bool| {
        if on { format!(r#"<{name} style="thin"/>"#) } else { format!("<{name}/>") }
    };
    let border = |[left, right, top, bottom]: [bool; 4]| {
        let lines = [line("left", left), line("right", right), line("top", top), line("bottom", bottom)];
        format!("<border>{}</border>", lines.concat())
    };
    // Format 1 is filled with lines all around. The others have no fill and the lines on the outline of a range of two by
    // two: that is what remains when a library saves the file.
    let styles = |outline: [bool; 4]| {
        let [left, right, top, bottom] = outline;
        let borders = [
            border([false; 4]),
            border([true; 4]),
            border([left, false, top, false]),
            border([false, right, top, false]),
            border([left, false, false, bottom]),
            border([false, right, false, bottom]),
        ];
        let formats: String = (0..6)
            .map(|at| {
                let fill = if at == 1 || at == 2 { 2 } else { 0 };
                format!(r#"<xf numFmtId="0" fontId="0" fillId="{fill}" borderId="{at}"/>"#)
            })
            .collect();
        format!(
            r#"<fonts><font><sz val="11"/><name val="Calibri"/></font></fonts><fills><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFFFCC00"/></patternFill></fill></fills><borders>{}</borders><cellXfs>{formats}</cellXfs>"#,
            borders.concat()
        )
    };
    let sheet = |[a, b, c, d]: [u32; 4]| {
        format!(
            r#"<sheetData><row r="1"><c r="A1" s="{a}"><v>7</v></c><c r="B1" s="{b}"/></row><row r="2"><c r="A2" s="{c}"/><c r="B2" s="{d}"/></row></sheetData><mergeCells><mergeCell ref="A1:B2"/></mergeCells>"#
        )
    };
    let old = workbook(&styles([true; 4]), &sheet([1, 1, 1, 1]));
    let engine = FileApi::default();
    let same = rendered(&engine, &versions("book.xlsx", &old, &workbook(&styles([true; 4]), &sheet([2, 3, 4, 5]))));
    assert!(same.contains("changes: 0\n"), "{same}");
    let without_right = workbook(&styles([true, false, true, true]), &sheet([2, 3, 4, 5]));
    let told = rendered(&engine, &versions("book.xlsx", &old, &without_right));
    assert!(told.contains("Data!B1 [cell formatted]") && told.contains("changes: 2\n"), "{told}");
}

#[test]
fn parts_that_a_program_does_not_keep_are_one_change() {
    let styles = r#"<fonts><font/></fonts><fills><fill/></fills><borders><border/></borders><cellXfs><xf/></cellXfs>"#;
    let sheet = |value: u32| {
        let header = if value == 1 { "&amp;12Page" } else { "&amp;12 Page" };
        format!(
            r#"<sheetData><row r="1"><c r="A1"><v>{value}</v></c></row></sheetData><headerFooter><oddHeader>{header}</oddHeader></headerFooter>"#
        )
    };
    let (old, new) = (workbook(styles, &sheet(1)), workbook(styles, &sheet(2)));
    let mut package = Package::open(Arc::<[u8]>::from(old.as_slice()), Limits::default()).unwrap();
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    for (at, name) in ["xl/metadata.xml", "xl/xmlMaps.xml", "customXml/item1.xml"].into_iter().enumerate() {
        package.set(name, b"<x/>");
        let rels = package.xml("xl/_rels/workbook.xml.rels").unwrap().text;
        let one = format!(r#"<Relationship Id="x{at}" Type="{kind}/other" Target="/{name}"/></Relationships>"#);
        package.set("xl/_rels/workbook.xml.rels", rels.replace("</Relationships>", &one).as_bytes());
    }
    let told = rendered(&FileApi::default(), &versions("book.xlsx", &package.save().unwrap(), &new));
    assert!(told.contains("changes: 2\n"), "{told}");
    let (cell, parts) = (told.find("Data!A1 [cell changed] 1 → 2").unwrap(), told.find("parts (removed)").unwrap());
    assert!(cell < parts && told.contains("customXml/item1.xml"), "{told}");
}

/// Files that a library made with much in them, each with the same file after one change and another save.
const ROUND_TRIPS: &str = r##"
import io, json, sys, base64
folder = sys.argv[1]
cases = []

def save(name, make, change):
    first = make()
    path = f"{folder}/old-{name}"
    first.save(path)
    again = change(path)
    again.save(f"{folder}/new-{name}")
    cases.append(name)

import openpyxl
from openpyxl.styles import Font, PatternFill, Border, Side, Alignment, Protection
from openpyxl.comments import Comment
from openpyxl.formatting.rule import CellIsRule, ColorScaleRule
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table, TableStyleInfo
from openpyxl.workbook.defined_name import DefinedName

def book():
    wb = openpyxl.Workbook()
    ws = wb.active
    ws.title = "Budget 2026"
    ws.append(["Item", "Price", "Count", "Total"])
    for row in range(2, 40):
        ws.append([f"thing {row}", row * 1.1, row, f"=B{row}*C{row}"])
        ws.cell(row, 2).number_format = "#,##0.00"
        ws.cell(row, 1).font = Font(name="Arial", size=9, italic=row % 2 == 0, color="FF3366AA")
        if row % 3 == 0:
            ws.cell(row, 3).fill = PatternFill("solid", fgColor="FFEE00")
            ws.cell(row, 3).border = Border(bottom=Side(style="thin", color="FF0000"))
    ws["A1"].font = Font(bold=True)
    ws["A1"].alignment = Alignment(horizontal="center", wrap_text=True)
    ws["B1"].protection = Protection(locked=False)
    ws["A1"].comment = Comment("why this?", "Ada")
    ws["A5"].hyperlink = "https://example.com/a?b=c"
    ws.column_dimensions["A"].width = 31.5
    ws.row_dimensions[3].height = 40
    ws.freeze_panes = "B2"
    ws.merge_cells("F1:H2")
    ws.conditional_formatting.add("B2:B39", CellIsRule(operator="greaterThan", formula=["20"], font=Font(bold=True)))
    ws.conditional_formatting.add("C2:C39", ColorScaleRule(start_type="min", start_color="FFAA0000", end_type="max", end_color="FF00AA00"))
    dv = DataValidation(type="list", formula1='"a,b,c"', allow_blank=True)
    ws.add_data_validation(dv); dv.add("G4:G9")
    ws.print_title_rows = "1:1"
    ws.oddFooter.center.text = "Page &P"
    t = Table(displayName="Items", ref="A1:D39"); t.tableStyleInfo = TableStyleInfo(name="TableStyleMedium9", showRowStripes=True)
    ws.add_table(t)
    other = wb.create_sheet("Notes")
    other["A1"] = "text"; other.sheet_state = "hidden"
    wb.defined_names["Rate"] = DefinedName("Rate", attr_text="'Budget 2026'!$B$2")
    return wb

def cell(path):
    wb = openpyxl.load_workbook(path)
    wb["Budget 2026"]["A7"] = "changed here"
    return wb

save("openpyxl.xlsx", book, cell)

import docx
from docx.shared import Pt, RGBColor, Cm
from docx.enum.text import WD_ALIGN_PARAGRAPH

def document():
    d = docx.Document()
    d.add_heading("Report", 0)
    for number in range(12):
        d.add_heading(f"Part {number}", 1)
        p = d.add_paragraph("Plain words and ")
        r = p.add_run("bold ones"); r.bold = True; r.font.size = Pt(13); r.font.color.rgb = RGBColor(1, 2, 200)
        p.alignment = WD_ALIGN_PARAGRAPH.CENTER
        d.add_paragraph("one", style="List Bullet"); d.add_paragraph("two", style="List Number")
    t = d.add_table(rows=3, cols=3, style="Table Grid")
    t.cell(1, 1).text = "cell"
    d.sections[0].header.paragraphs[0].text = "Head"
    d.sections[0].left_margin = Cm(3)
    return d

def paragraph(path):
    d = docx.Document(path)
    d.paragraphs[7].runs[0].text = "changed here"
    return d

save("python-docx.docx", document, paragraph)

import pptx
from pptx.util import Inches

def deck():
    p = pptx.Presentation()
    for number in range(5):
        s = p.slides.add_slide(p.slide_layouts[1])
        s.shapes.title.text = f"Slide {number}"
        s.placeholders[1].text = "One\nTwo"
        s.notes_slide.notes_text_frame.text = f"Say {number}"
    t = p.slides[2].shapes.add_table(2, 2, Inches(1), Inches(5), Inches(4), Inches(1)).table
    t.cell(0, 0).text = "a"
    return p

def run(path):
    p = pptx.Presentation(path)
    p.slides[3].placeholders[1].text_frame.paragraphs[0].runs[0].text = "changed here"
    return p

save("python-pptx.pptx", deck, run)
print(json.dumps(cases))
"##;

#[test]
fn one_change_saved_by_another_library_is_one_change() {
    let Some(python) = judge::find("JIG_TEST_PYTHON") else { return };
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(python).args(["-c", ROUND_TRIPS]).arg(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let cases: Vec<String> = serde_json::from_slice::<Value>(&output.stdout)
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect();
    assert_eq!(cases.len(), 3);
    let read = |path: &Path| std::fs::read(path).unwrap();
    let engine = FileApi::default();
    for name in cases {
        let (old, new) =
            (read(&folder.path().join(format!("old-{name}"))), read(&folder.path().join(format!("new-{name}"))));
        // The original as another program would have written it: then the library's save is not the only difference.
        for original in [old.clone(), rewritten(&old)] {
            let told = rendered(&engine, &versions(&name, &original, &new));
            assert!(told.contains("changes: 1\n") && told.contains("changed here"), "{name}:\n{told}");
        }
    }
}
