//! The map of a document: what is where, without the text.

use std::collections::BTreeSet;

use jig_file_api::read::docx::{
    ChunkEntry, ControlEntry, DocumentMap, HeaderFooter, ImageEntry, SectionEntry, TableEntry, TrackedChanges,
};

use super::document::Document;
use super::read::chunks::{self, CHUNK_CHARS, ChunkContent};
use super::read::listed;
use super::render::notes::{self, Comments};
use super::render::{BlockKind, RenderOptions, Rendered, RenderedBlock, author};
use super::sections::Section;
use super::word;
use crate::error::{Error, PackageError};
use crate::xml::{Node, Ns, ParsedPart};

pub(super) fn map(document: &Document) -> Result<DocumentMap, Error> {
    let rendered = document.rendered(RenderOptions::default())?;
    let mut warnings = document.warnings(&rendered);
    let mut counts = Counts::of(document)?;
    let controls = std::mem::take(&mut counts.controls);
    let total_char_count =
        rendered.sections.iter().map(|section| chunks::count(&rendered, section.blocks.clone())).sum();
    let entries = rendered.sections.iter().enumerate().map(|(at, section)| section_entry(&rendered, at, section));
    let sections = listed(entries, "sections", &mut warnings);
    let (tables, images) = tables_and_images(&rendered, document, &mut warnings);
    let headers_footers: Vec<HeaderFooter> = rendered.headers_footers.clone();
    let supporting = document.supporting();
    Ok(DocumentMap {
        sections,
        tables,
        images,
        has_headers_footers: headers_footers.iter().any(|shown| !shown.text.is_empty()),
        headers_footers,
        total_char_count,
        paragraph_count: paragraph_count(&rendered),
        comments: Comments::read(document)?.len(),
        footnotes: note_count(supporting.footnotes.as_ref(), document)?,
        endnotes: note_count(supporting.endnotes.as_ref(), document)?,
        fields: counts.fields,
        content_controls: counts.content_controls,
        controls: listed(controls.into_iter(), "content controls", &mut warnings),
        text_boxes: counts.text_boxes,
        equations: counts.equations,
        charts: counts.charts,
        has_tracked_changes: counts.has_tracked_changes(),
        tracked_changes: counts.tracked,
        warnings,
    })
}

fn section_entry(rendered: &Rendered, index: usize, section: &Section) -> SectionEntry {
    let blocks = rendered.blocks.get(section.blocks.clone()).unwrap_or_default();
    let char_count = chunks::count(rendered, section.blocks.clone());
    SectionEntry {
        index,
        heading: section.heading.clone(),
        level: section.level,
        char_count,
        has_tables: blocks.iter().any(|block| matches!(block.kind, BlockKind::Table { .. })),
        has_images: blocks.iter().any(|block| !block.pictures.is_empty()),
        paragraphs: paragraph_range(blocks),
        chunks: (char_count > CHUNK_CHARS).then(|| chunk_entries(rendered, section)),
    }
}

fn chunk_entries(rendered: &Rendered, section: &Section) -> Vec<ChunkEntry> {
    let chunks = chunks::chunks(rendered, section.blocks.clone(), ChunkContent::Counts);
    let entries = chunks.into_iter().enumerate().map(|(index, chunk)| ChunkEntry {
        index,
        paragraphs: chunk.paragraphs.map(chunks::range_text),
        tables: chunk.tables.map(chunks::range_text),
        char_count: chunk.chars,
    });
    entries.collect()
}

/// The paragraphs of blocks as a range of indexes.
fn paragraph_range(blocks: &[RenderedBlock]) -> Option<String> {
    let index = |block: &RenderedBlock| match block.kind {
        BlockKind::Paragraph { index, .. } => Some(index),
        _ => None,
    };
    let first = blocks.iter().find_map(index)?;
    let last = blocks.iter().rev().find_map(index)?;
    Some(chunks::range_text((first, last)))
}

fn paragraph_count(rendered: &Rendered) -> usize {
    rendered.blocks.iter().filter(|block| matches!(block.kind, BlockKind::Paragraph { .. })).count()
}

/// Tables and images with the sections they are in.
fn tables_and_images(
    rendered: &Rendered,
    document: &Document,
    warnings: &mut Vec<String>,
) -> (Vec<TableEntry>, Vec<ImageEntry>) {
    let blocks = || {
        rendered.sections.iter().enumerate().flat_map(|(at, section)| {
            let blocks = rendered.blocks.get(section.blocks.clone()).unwrap_or_default();
            blocks.iter().map(move |block| (at, section, block))
        })
    };
    let tables = blocks().filter_map(|(section_index, section, block)| {
        let BlockKind::Table { index, rows, columns: cols } = block.kind else { return None };
        Some(TableEntry { index, section: section.heading.clone(), section_index, rows, cols })
    });
    let pictures = blocks().flat_map(|(at, section, block)| block.pictures.iter().map(move |one| (at, section, one)));
    let images = pictures.enumerate().map(|(index, (section_index, section, picture))| ImageEntry {
        index,
        section: section.heading.clone(),
        section_index,
        alt_text: picture.alt_text.clone(),
        rel_id: picture.rel_id.clone(),
        target: document.names.relationships.by_id(&picture.rel_id).map(|found| found.target.clone()),
    });
    (listed(tables, "tables", warnings), listed(images, "images", warnings))
}

fn note_count(part: Option<&ParsedPart>, document: &Document) -> Result<usize, Error> {
    let tree = part.map(|part| part.tree(&document.limits)).transpose()?;
    Ok(notes::by_id(tree.as_ref()).len())
}

/// Counts of what the main part, headers, footers and notes contain besides text.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    fields: usize,
    content_controls: usize,
    controls: Vec<ControlEntry>,
    text_boxes: usize,
    equations: usize,
    charts: usize,
    tracked: TrackedChanges,
}

impl Counts {
    /// Counts in one pass. Only the map needs these numbers, so rendering the text does not count along.
    fn of(document: &Document) -> Result<Self, PackageError> {
        let mut counts = Self::default();
        let supporting = document.supporting();
        let around = supporting.headers.iter().chain(&supporting.footers).map(|(_, part)| part);
        let notes = supporting.footnotes.iter().chain(&supporting.endnotes);
        for part in std::iter::once(&document.main).chain(around).chain(notes) {
            counts.add(part.tree(&document.limits)?.root());
        }
        Ok(counts)
    }

    /// Counts everything in an element. Of alternatives only the visible one is counted.
    fn add(&mut self, root: Node<'_>) {
        let mut skipped_to = 0;
        for node in root.descendants().filter(|node| node.is_element()) {
            if node.range().start < skipped_to {
                continue;
            }
            if is_unread_branch(node) {
                skipped_to = node.range().end;
                continue;
            }
            self.count(node);
        }
    }

    fn has_tracked_changes(&self) -> bool {
        let TrackedChanges { insertions, deletions, moves, formatting, .. } = &self.tracked;
        insertions + deletions + moves + formatting > 0
    }

    fn count(&mut self, node: Node<'_>) {
        let tracked = &mut self.tracked;
        match (node.ns(), node.local()) {
            (Ns::W, "fldSimple") => self.fields += 1,
            (Ns::W, "fldChar") if word::attr(node, "fldCharType").is_some_and(|kind| kind == "begin") => {
                self.fields += 1;
            }
            (Ns::W, "sdt") => {
                self.content_controls += 1;
                self.controls.extend(control(node));
            }
            (Ns::W, "txbxContent") => self.text_boxes += 1,
            (Ns::M, "oMath") => self.equations += 1,
            (Ns::C | Ns::Cx, "chart") => self.charts += 1,
            (Ns::W, "ins" | "cellIns") => count_change(&mut tracked.insertions, &mut tracked.authors, node),
            (Ns::W, "del" | "cellDel") => count_change(&mut tracked.deletions, &mut tracked.authors, node),
            // Each move is written twice, at its origin and at its destination; only the latter counts.
            (Ns::W, "moveTo") => count_change(&mut tracked.moves, &mut tracked.authors, node),
            (Ns::W, name) if name.ends_with("PrChange") => {
                count_change(&mut tracked.formatting, &mut tracked.authors, node);
            }
            _ => {}
        }
    }
}

/// A content control that a tag or title names.
fn control(node: Node<'_>) -> Option<ControlEntry> {
    let properties = node.child(Ns::W, "sdtPr")?;
    let named =
        |name| word::child_val(properties, name).filter(|name| !name.is_empty()).map(std::borrow::Cow::into_owned);
    let (tag, title) = (named("tag"), named("alias"));
    if tag.is_none() && title.is_none() {
        return None;
    }
    let kind = properties.elements().find_map(|child| {
        Some(match child.local() {
            "date" => "date",
            "dropDownList" | "comboBox" => "list",
            "checkbox" => "check_box",
            "picture" => "image",
            "docPartObj" | "docPartList" | "repeatingSection" | "group" | "equation" | "citation" | "bibliography" => {
                "other"
            }
            _ => return None,
        })
    });
    Some(ControlEntry { tag, title, kind: kind.unwrap_or("text") })
}

fn count_change(count: &mut usize, authors: &mut BTreeSet<String>, node: Node<'_>) {
    *count += 1;
    let author = author(node);
    if !author.is_empty() {
        authors.insert(author);
    }
}

fn is_unread_branch(node: Node<'_>) -> bool {
    let is_branch = node.ns() == Ns::Mc && matches!(node.local(), "Choice" | "Fallback");
    is_branch && node.parent().and_then(word::branch).is_some_and(|read| read != node)
}
