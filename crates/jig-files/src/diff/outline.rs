//! What is in a file that exists on one side only: its sheets, sections, slides or pages.

use jig_file_api::read::pptx::{SlideEntry, SlideSummary};
use jig_file_api::read::xlsx::SheetInfo;
use jig_ooxml::Limits;
use serde_json::{Value, json};

use super::change::count;
use crate::file::{File, FileBytes};
use crate::kind::{FileKind, Format};

/// Entries that are named; the rest are counted.
const MOST: usize = 30;

/// Lines that list what is in a file; none for a kind without a map, or if it cannot be read.
pub(super) fn of(kind: FileKind, bytes: &[u8]) -> Vec<String> {
    let format = match kind {
        FileKind::Xlsx => Format::Xlsx,
        FileKind::Docx => Format::Docx,
        FileKind::Odt => Format::Odt,
        FileKind::Pptx => Format::Pptx,
        FileKind::Pdf => Format::Pdf,
        _ => return Vec::new(),
    };
    let Ok(file) = File::open(format, &FileBytes::from(bytes), Limits::default()) else { return Vec::new() };
    entries(&file).unwrap_or_default()
}

fn entries(file: &File) -> Option<Vec<String>> {
    Some(match file {
        File::Xlsx(book) => {
            let sheet = |sheet: &SheetInfo| {
                let (rows, columns) = (sheet.row_count as usize, sheet.col_count as usize);
                format!("sheet {}: {}, {}", sheet.name, count(rows, "row"), count(columns, "column"))
            };
            listed("sheets", book.info().ok()?.sheets.iter().map(sheet))
        }
        File::Docx(document) => {
            let sections = document.map().ok()?.sections;
            let lines = sections.iter().enumerate().map(|(at, one)| section(at, Some(&one.heading), one.char_count));
            listed("sections", lines)
        }
        File::Odt(document) => {
            let map = document.read("OdtGetMap", &json!({})).ok()?;
            let sections = map["sections"].as_array()?;
            let size =
                |one: &Value| one["char_count"].as_u64().and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
            let lines = sections.iter().enumerate().map(|(at, one)| section(at, one["heading"].as_str(), size(one)));
            listed("sections", lines)
        }
        File::Pptx(deck) => {
            let slides = deck.map().ok()?.slides;
            let slide = |(at, one): (usize, &SlideEntry)| match one {
                SlideEntry::Read(SlideSummary { title: Some(title), .. }) if !title.is_empty() => {
                    format!("slide {} “{title}”", at + 1)
                }
                _ => format!("slide {}", at + 1),
            };
            listed("slides", slides.iter().enumerate().map(slide))
        }
        File::Pdf(document) => {
            let info = document.read("PdfGetInfo", &json!({}))?.ok()?;
            let pages = info["page_count"].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
            let title = info["metadata"]["title"].as_str().map(|title| format!("title: {title}"));
            std::iter::once(count(pages, "page")).chain(title).collect()
        }
        File::Image(_) | File::Text(_) => return None,
    })
}

fn section(at: usize, heading: Option<&str>, size: usize) -> String {
    let size = count(size, "character");
    match heading.filter(|heading| !heading.is_empty()) {
        Some(heading) => format!("section {at} “{heading}”: {size}"),
        None => format!("section {at}: {size}"),
    }
}

fn listed(what: &str, lines: impl ExactSizeIterator<Item = String>) -> Vec<String> {
    let all = lines.len();
    let mut lines: Vec<String> = lines.take(MOST).collect();
    if all > MOST {
        lines.push(format!("and {} more {what}", all - MOST));
    }
    lines
}
