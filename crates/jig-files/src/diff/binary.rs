//! The difference of files that are compared as bytes: sizes, hashes, image metadata, and an outline of
//! a file that was created or deleted.

use std::sync::Arc;

use serde_json::{Value, json};

use super::change::{Detail, count};
use crate::engine::{Engine, Method};
use crate::image::ImageFile;
use crate::kind::FileKind;

/// Two versions of a file that are compared as bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinaryDiff {
    /// The old version; `None` if the file is new.
    pub old: Option<BinarySide>,
    /// The new version; `None` if the file is gone.
    pub new: Option<BinarySide>,
    /// Whether both versions have the same bytes.
    pub same_bytes: bool,
    /// Why the content is not compared, metadata, and an outline of a file that is new or deleted.
    pub notes: Vec<String>,
    /// Image metadata that differs.
    pub details: Vec<Detail>,
}

/// One version of a file that is not compared inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BinarySide {
    /// What the content is.
    pub kind: FileKind,
    /// Bytes in the file.
    pub size: usize,
}

impl BinaryDiff {
    /// A one-line summary.
    #[must_use]
    pub fn summary(&self) -> String {
        match (self.old, self.new) {
            (None, None) => "no file before or after".to_owned(),
            (None, Some(new)) => format!("file created: {}, {}", new.kind.words(), size(new.size)),
            (Some(old), None) => format!("file deleted: {}, {}", old.kind.words(), size(old.size)),
            _ if self.same_bytes => "no changes".to_owned(),
            (Some(old), Some(new)) => changed(old, new),
        }
    }
}

fn changed(old: BinarySide, new: BinarySide) -> String {
    let what = if old.kind == new.kind {
        format!("{} changed", new.kind.words())
    } else {
        format!("{} replaced by {}", old.kind.words(), new.kind.words())
    };
    if old.size == new.size {
        return format!("{what}, size still {}", size(new.size));
    }
    format!("{what}, {} before, {} after", size(old.size), size(new.size))
}

fn size(bytes: usize) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        bytes => format!("{bytes} bytes"),
    }
}

/// A side: what it is, and its bytes where there is a file.
type SideBytes<'b> = (FileKind, Option<&'b [u8]>);

/// What is known of two versions besides their sizes.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) notes: Vec<String>,
    pub(super) details: Vec<Detail>,
}

pub(super) fn facts(old: SideBytes<'_>, new: SideBytes<'_>) -> Facts {
    let mut facts = Facts::default();
    facts.images(image_facts(old), image_facts(new));
    match (old, new) {
        ((kind, Some(bytes)), (_, None)) | ((_, None), (kind, Some(bytes))) => {
            facts.notes.extend(outline(kind, bytes));
        }
        _ => {}
    }
    let sum =
        |bytes: Option<&[u8]>| bytes.map(|bytes| blake3::hash(bytes).to_hex().chars().take(16).collect::<String>());
    if let (Some(before), Some(after)) = (sum(old.1), sum(new.1))
        && before != after
    {
        facts.notes.push(format!("BLAKE3 {before}… before, {after}… after"));
    }
    let has_preview = |(kind, bytes): SideBytes<'_>| bytes.is_some() && (kind.is_image() || kind == FileKind::Pdf);
    match (has_preview(old), has_preview(new)) {
        (true, true) => facts.notes.push("a preview of both sides shows what changed".to_owned()),
        (true, false) | (false, true) => facts.notes.push("a preview shows it".to_owned()),
        (false, false) => {}
    }
    facts
}

/// The metadata of an image; `None` for another kind and for an image that cannot be read.
fn image_facts((kind, bytes): SideBytes<'_>) -> Option<Vec<(&'static str, String)>> {
    let bytes = bytes.filter(|_| kind.is_image())?;
    Some(ImageFile::open(Arc::from(bytes)).ok()?.facts())
}

impl Facts {
    /// Compares the metadata of two images; lists it where there is only one.
    fn images(&mut self, old: Option<Vec<(&'static str, String)>>, new: Option<Vec<(&'static str, String)>>) {
        let (Some(old), Some(new)) = (&old, &new) else {
            let only = old.or(new).unwrap_or_default();
            self.notes.extend(only.iter().map(|(name, value)| format!("{name}: {value}")));
            return;
        };
        let find = |list: &[(&str, String)], name: &str| {
            list.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let names = old.iter().chain(new).map(|(name, _)| *name);
        let mut seen: Vec<&str> = Vec::new();
        for name in names {
            if seen.contains(&name) {
                continue;
            }
            seen.push(name);
            let (before, after) = (find(old, name), find(new, name));
            if before != after {
                self.details.push(Detail::new(name, before, after));
            } else if name == "pixels" {
                self.notes.push(format!("{after} pixels on both sides"));
            }
        }
    }
}

/// Entries that are named; the rest are counted.
const MOST: usize = 30;

/// An outline of a file, one line each; empty for a kind without a map and for a file that cannot be read.
fn outline(kind: FileKind, bytes: &[u8]) -> Vec<String> {
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
