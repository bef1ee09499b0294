//! Formats that are read and not written: OpenDocument texts, PDF files, images. Changes are reported, and a change
//! says that it goes with the whole file only.

use std::fmt::Write as _;

use jig_files::engine::{Reason, Versions};
use jig_worker::FileApi;
use serde_json::json;

use crate::sample;
use crate::support::archive::Archive;
use crate::support::versions::{ids, rendered};

fn versions(name: &str, old: Vec<u8>, new: Vec<u8>) -> Versions {
    Versions { name: name.to_owned(), old: Some(old.into()), new: Some(new.into()) }
}

/// The sample with pieces of its content replaced.
fn odt(changes: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = Archive::read(&sample("odt/page.odt"));
    let mut content = String::from_utf8(archive.get("content.xml").unwrap().content()).unwrap();
    for (from, to) in changes {
        assert!(content.contains(from), "{from} is not in the sample");
        content = content.replacen(from, to, 1);
    }
    archive.put("content.xml", content.as_bytes());
    archive.write()
}

#[test]
fn an_opendocument_text_is_told_by_section_with_its_words() {
    let new = odt(&[("Costs &amp; ", "Prices &amp; "), ("420", "425"), ("Milk", "Oat milk and butter")]);
    let both = versions("a.odt", sample("odt/page.odt"), new);
    let expected = "\
summary: 2 paragraphs changed in section 1 “Plan”, 1 table row changed in section 2 “Budget”
focus: section 1 “Plan”
changes: 3
page 1: odt
@ section 1 “Plan”
section 1, paragraph 2 [paragraph changed] [-Costs-]{+Prices+} & dates, with two blanks and a line⏎break.; whole file only: OpenDocument texts are read and not written
section 1, paragraph 8 [paragraph changed] - [-Milk-]{+Oat milk and butter+}; whole file only: OpenDocument texts are read and not written
@ section 2 “Budget”
section 2, table 0, row 2 [table row changed] Desk \\| lamp | [-420-]{+425+}; whole file only: OpenDocument texts are read and not written
";
    let engine = FileApi::default();
    assert_eq!(rendered(&engine, &both), expected);
    let error = engine.revert(&both, &json!({ "changes": ["section 1, paragraph 2"] })).unwrap_err();
    assert_eq!(error.reason, Reason::Invalid);
    assert!(error.message.contains("read and not written"), "{}", error.message);
}

#[test]
fn paragraphs_that_move_are_not_new() {
    let body = String::from_utf8(Archive::read(&sample("odt/page.odt")).get("content.xml").unwrap().content()).unwrap();
    let find = |text: &str| {
        let at = body.find(text).unwrap();
        let start = body[..at].rfind("<text:p").unwrap();
        let end = at + body[at..].find("</text:p>").unwrap() + "</text:p>".len();
        body[start..end].to_owned()
    };
    let (first, last) = (find("Before any heading"), find("Straße"));
    let both = versions("a.odt", sample("odt/page.odt"), odt(&[(&first, ""), (&last, &format!("{last}{first}"))]));
    let told = rendered(&FileApi::default(), &both);
    assert!(told.contains("[paragraph moved] – → Before any heading.; place: section 0, paragraph 0 → "), "{told}");
    assert_eq!(ids(&FileApi::default(), &both).len(), 1, "{told}");
}

#[test]
fn a_text_that_only_looks_different_says_so() {
    let mut archive = Archive::read(&sample("odt/page.odt"));
    archive.put("meta.xml", b"<x/>");
    let told = rendered(&FileApi::default(), &versions("a.odt", sample("odt/page.odt"), archive.write()));
    let expected = "summary: no changes inside\nfocus: none\nchanges: 0\npage 1: odt\n\
                    note: the text is the same; formats, styles and images are not compared\n";
    assert_eq!(told, expected);
}

/// A file with these lines on its pages, and a title.
fn pdf(title: &str, pages: &[&[&str]]) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len()).map(|at| format!("{} 0 R", 5 + 2 * at)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Count {} /Kids [{}] >>", pages.len(), kids.join(" ")),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        format!("<< /Title ({title}) >>"),
    ];
    for lines in pages {
        let number = objects.len() + 2;
        let font = "/Resources << /Font << /F1 3 0 R >> >>";
        objects.push(format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] {font} /Contents {number} 0 R >>"));
        let shows: String = lines.iter().fold(String::new(), |mut all, line| {
            write!(all, "({line}) Tj T* ").unwrap();
            all
        });
        let content = format!("BT /F1 12 Tf 14 TL 20 360 Td {shows}ET");
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    let mut file = "%PDF-1.7\n".to_owned();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (at, object) in objects.iter().enumerate() {
        writeln!(table, "{:010} 00000 n ", file.len()).unwrap();
        write!(file, "{} 0 obj\n{object}\nendobj\n", at + 1).unwrap();
    }
    let (start, size) = (file.len(), objects.len() + 1);
    let end = format!("trailer\n<< /Size {size} /Root 1 0 R /Info 4 0 R >>\nstartxref\n{start}\n%%EOF\n");
    (file + &table + &end).into_bytes()
}

const FIRST: &[&str] = &["Policy of the house", "Guests leave at ten in the evening.", "Dogs stay outside."];
const SECOND: &[&str] = &["Prices", "A room costs one hundred a night.", "Breakfast is free for all guests."];

#[test]
fn a_pdf_is_told_by_page_and_by_what_it_says_of_itself() {
    let first: &[&str] = &["Policy of the house", "Guests leave at nine in the evening.", "Dogs stay outside."];
    let third: &[&str] = &["Added later", "A whole page of it."];
    let both = versions("a.pdf", pdf("Rules", &[FIRST, SECOND]), pdf("House rules", &[first, third, SECOND]));
    let expected = "\
summary: 1 text changed on page 1, 1 page added, 2 properties changed
focus: page 1
changes: 4
page 1: pdf
note: images, drawings and fonts are not compared; a preview of both sides shows them
@ page 1
page 1, line 2 [text changed] Guests leave at [-ten-]{+nine+} in the evening.; whole file only: PDF files are read and not written
@ page 2
page 2 [page added] – → Added later A whole page of it.; whole file only: PDF files are read and not written
@ document
pages [property changed] 2 → 3; whole file only: PDF files are read and not written
title [property changed] Rules → House rules; whole file only: PDF files are read and not written
";
    assert_eq!(rendered(&FileApi::default(), &both), expected);
}

#[test]
fn text_that_flows_on_to_the_next_page_is_no_change() {
    let (first, second): (&[&str], &[&str]) = (&FIRST[..2], &["Dogs stay outside.", "Prices", SECOND[1], SECOND[2]]);
    let wrapped: &[&str] = &["Prices", "A room costs one", "hundred a night.", SECOND[2]];
    let engine = FileApi::default();
    for new in [[first, second], [FIRST, wrapped]] {
        let told = rendered(&engine, &versions("a.pdf", pdf("Rules", &[FIRST, SECOND]), pdf("Rules", &new)));
        assert!(told.contains("changes: 0\n"), "{told}");
    }
    let wrapped =
        rendered(&engine, &versions("a.pdf", pdf("Rules", &[FIRST, SECOND]), pdf("Rules", &[FIRST, wrapped])));
    assert!(wrapped.contains("note: some lines wrap at other places; their text is the same\n"), "{wrapped}");
}

#[test]
fn a_page_that_went_and_lines_that_went() {
    let engine = FileApi::default();
    let told = rendered(&engine, &versions("a.pdf", pdf("R", &[FIRST, SECOND]), pdf("R", &[SECOND])));
    assert!(told.contains("page 1 (removed) [page removed] Policy of the house Guests leave"), "{told}");
    assert!(told.contains("pages [property changed] 2 → 1"), "{told}");
    let told = rendered(&engine, &versions("a.pdf", pdf("R", &[FIRST, SECOND]), pdf("R", &[&FIRST[..1], SECOND])));
    assert!(told.contains("page 1, lines 2-3 (removed) [text removed] Guests leave"), "{told}");
}

#[test]
fn a_pdf_that_cannot_be_read_is_told_by_what_is_known() {
    let told = rendered(&FileApi::default(), &versions("a.pdf", pdf("R", &[FIRST]), b"%PDF-1.7\nnothing".to_vec()));
    assert!(told.starts_with("summary: a PDF document changed, "), "{told}");
    assert!(told.contains("note: nothing inside is compared: "), "{told}");
    assert!(told.contains("note: a preview of both sides shows what changed\n"), "{told}");
}

#[test]
fn pictures_are_told_by_what_their_headers_say() {
    let both = versions("a.png", sample("images/alpha.png"), sample("images/gray16.png"));
    let answer = FileApi::default().diff(&both, &json!({})).unwrap();
    let details = json!([
        { "name": "bits a pixel", "before": "32", "after": "16" },
        { "name": "transparency", "before": "yes", "after": "no" },
    ]);
    assert_eq!(answer["diff"]["details"], details);
    let notes = answer["diff"]["notes"].as_array().unwrap();
    assert!(notes.contains(&json!("8 × 6 pixels on both sides")), "{notes:?}");
    assert!(notes.contains(&json!("a preview of both sides shows what changed")), "{notes:?}");

    let both = versions("a.png", sample("images/alpha.png"), sample("dot.jpg"));
    let answer = FileApi::default().diff(&both, &json!({})).unwrap();
    assert_eq!(answer["diff"]["details"][0], json!({ "name": "format", "before": "png", "after": "jpeg" }));
    assert_eq!(answer["diff"]["details"][1]["name"], "pixels");

    let added = Versions { name: "a.png".to_owned(), old: None, new: Some(sample("images/alpha.png").into()) };
    let answer = FileApi::default().diff(&added, &json!({})).unwrap();
    let notes = answer["diff"]["notes"].as_array().unwrap();
    assert!(notes.contains(&json!("pixels: 8 × 6")) && notes.contains(&json!("a preview shows it")), "{notes:?}");
    assert_eq!(answer["diff"].get("details"), None);
}

#[test]
fn a_file_that_came_is_told_by_what_is_in_it() {
    let notes = |name: &str, bytes: Vec<u8>| {
        let came = Versions { name: name.to_owned(), old: None, new: Some(bytes.into()) };
        let answer = FileApi::default().diff(&came, &json!({})).unwrap();
        let notes = answer["diff"]["notes"].as_array().unwrap().clone();
        notes.iter().skip(1).map(|note| note.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(notes("a.pdf", pdf("Rules", &[FIRST, SECOND])), ["2 pages", "title: Rules", "a preview shows it"]);
    let odt = notes("a.odt", sample("odt/page.odt"));
    assert!(odt[1].starts_with("section 1 “Plan”: "), "{odt:?}");
    let xlsx = notes("a.xlsx", sample("office/islands.xlsx"));
    assert!(xlsx[0].starts_with("sheet ") && xlsx[0].contains(" rows, "), "{xlsx:?}");
    let pptx = notes("a.pptx", sample("office/deck.pptx"));
    assert!(pptx[0].starts_with("slide 1"), "{pptx:?}");
    let docx = notes("a.docx", sample("office/report.docx"));
    assert!(docx.iter().any(|note| note.contains("section 1 “")), "{docx:?}");
}
