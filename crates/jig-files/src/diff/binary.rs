//! The difference of files that are compared as bytes: sizes, hashes, image metadata, and an outline of
//! a file that was created or deleted.

use std::sync::Arc;

use jig_file_api::read::pptx::{SlideEntry, SlideSummary};
use jig_file_api::read::xlsx::SheetInfo;
use jig_ooxml::Limits;
use serde_json::{Value, json};

use super::change::{Detail, count};
use crate::file::{File, FileBytes};
use crate::image::ImageFile;
use crate::kind::{FileKind, Format};

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
