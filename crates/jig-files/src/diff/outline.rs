//! What is in a file that stands on one side only: its sheets, sections, slides or pages.

use serde_json::{Value, json};

use super::change::count;
use crate::engine::{Engine, Method};
use crate::kind::FileKind;

/// Entries that are named; the rest are counted.
const MOST: usize = 30;

/// Lines that say what is in a file; none for a kind without a map, or when it cannot be read.
pub(super) fn of(kind: FileKind, bytes: &[u8]) -> Vec<String> {
    let entries: (&str, &str, fn(&Value, usize) -> String) = match kind {
        FileKind::Xlsx => ("XlsxGetInfo", "sheets", sheet),
        FileKind::Docx => ("DocxGetMap", "sections", section),
        FileKind::Odt => ("OdtGetMap", "sections", section),
        FileKind::Pptx => ("PptxGetMap", "slides", slide),
        FileKind::Pdf => ("PdfGetInfo", "metadata", |_, _| String::new()),
        _ => return Vec::new(),
    };
    let (method, list, line) = entries;
    let Some(method) = Method::find(method) else { return Vec::new() };
    let Ok(map) = Engine::default().read(method, bytes, &json!({})) else { return Vec::new() };
    if kind == FileKind::Pdf {
        return pages(&map);
    }
    let all = map[list].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut lines: Vec<String> = all.iter().enumerate().take(MOST).map(|(at, one)| line(one, at)).collect();
    if all.len() > MOST {
        lines.push(format!("and {} more {list}", all.len() - MOST));
    }
    lines
}

fn number(value: &Value) -> usize {
    value.as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(0)
}

fn sheet(sheet: &Value, _: usize) -> String {
    let name = sheet["name"].as_str().unwrap_or_default();
    let (rows, columns) = (number(&sheet["row_count"]), number(&sheet["col_count"]));
    format!("sheet {name}: {}, {}", count(rows, "row"), count(columns, "column"))
}

fn section(section: &Value, at: usize) -> String {
    let size = count(number(&section["char_count"]), "character");
    match section["heading"].as_str().filter(|heading| !heading.is_empty()) {
        Some(heading) => format!("section {at} “{heading}”: {size}"),
        None => format!("section {at}: {size}"),
    }
}

fn slide(slide: &Value, at: usize) -> String {
    match slide["title"].as_str().filter(|title| !title.is_empty()) {
        Some(title) => format!("slide {} “{title}”", at + 1),
        None => format!("slide {}", at + 1),
    }
}

fn pages(info: &Value) -> Vec<String> {
    let title = info["metadata"]["title"].as_str().map(|title| format!("title: {title}"));
    std::iter::once(count(number(&info["page_count"]), "page")).chain(title).collect()
}
