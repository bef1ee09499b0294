//! The walk through the body: headings, paragraphs, lists, tables and what holds them.

use std::collections::HashMap;

use jig_ooxml::docx::sections::Section;
use jig_ooxml::xml::Node;

use super::lists::Counting;
use super::namespaces::{DRAW, OFFICE, TABLE, TEXT};
use super::source::{self, Source};
use super::styles::Styles;
use super::{Block, Counts, Document, Note, What, margins};
use crate::engine::FileError;

/// What has been read so far.
pub(super) struct Walk<'a> {
    pub(super) styles: &'a Styles,
    pub(super) objects: &'a HashMap<String, String>,
    pub(super) counting: Counting,
    pub(super) out: Vec<Block>,
    pub(super) notes: Vec<Note>,
    pub(super) counts: Counts,
    /// Images and notes of the block that is being read.
    pub(super) images: Vec<String>,
    pub(super) cited: Vec<usize>,
    /// Cells of tables so far, and how many of them are around what is being read.
    pub(super) cells: usize,
    pub(super) inside: usize,
    warnings: Vec<String>,
}

pub(super) fn read(source: &Source) -> Result<Document, FileError> {
    let tree = source.tree()?;
    let styles_tree = source.styles_tree()?;
    let trees: Vec<_> = styles_tree.iter().chain([&tree]).collect();
    let styles = Styles::read(&trees);
    let mut walk = Walk::new(&styles, &source.objects);
    walk.blocks(source::body(&tree)?);
    let margins = margins::read(&styles, &source.objects, styles_tree.as_ref().unwrap_or(&tree));
    let Walk { out, notes, counts, warnings, .. } = walk;
    let sections = sections(&out);
    Ok(Document { blocks: out, sections, notes, margins, counts, warnings })
}

impl<'a> Walk<'a> {
    pub(super) fn new(styles: &'a Styles, objects: &'a HashMap<String, String>) -> Self {
        Self {
            styles,
            objects,
            counting: Counting::default(),
            out: Vec::new(),
            notes: Vec::new(),
            counts: Counts::default(),
            images: Vec::new(),
            cited: Vec::new(),
            cells: 0,
            inside: 0,
            warnings: Vec::new(),
        }
    }

    pub(super) fn warn(&mut self, words: &str) {
        if !self.warnings.iter().any(|known| known == words) {
            self.warnings.push(words.to_owned());
        }
    }

    /// Everything in a body, a section, a cell or the like.
    pub(super) fn blocks(&mut self, node: Node<'_>) {
        for child in node.elements() {
            self.block(child);
        }
    }

    pub(super) fn block(&mut self, node: Node<'_>) {
        match (node.ns(), node.local()) {
            (TEXT, "p") => {
                let block = self.paragraph(node);
                self.out.push(block);
            }
            (TEXT, "h") => self.heading(node, ""),
            (TEXT, "list") => self.list(node, None, 0),
            (TABLE, "table") => self.table(node),
            (TEXT, "tracked-changes") => self.tracked(node),
            (OFFICE, "annotation") => self.counts.comments += 1,
            (DRAW, _) => self.drawing_block(node),
            // Declarations, and what an index was made from.
            (OFFICE, "forms" | "event-listeners") => {}
            (TEXT, name) if name.ends_with("-decls") || name.ends_with("-source") => {}
            // Sections, indexes, numbered paragraphs: what is in them counts.
            (TEXT | OFFICE, _) => self.blocks(node),
            _ => {}
        }
    }

    /// A heading. `mark` is the label of the list item that it is, which counts where headings have no numbers.
    pub(super) fn heading(&mut self, node: Node<'_>, mark: &str) {
        let number = |name| node.attr_ns(TEXT, name).and_then(|text| text.trim().parse::<i64>().ok());
        let level = number("outline-level").and_then(|level| u8::try_from(level).ok()).unwrap_or(1).clamp(1, 9);
        let mut block = self.paragraph(node);
        let words = block.text.split_whitespace().collect::<Vec<_>>().join(" ");
        if words.is_empty() {
            self.out.push(block);
            return;
        }
        let unnumbered = node.attr_ns(TEXT, "is-list-header").as_deref() == Some("true");
        let label = if unnumbered { None } else { self.counting.heading(self.styles, level, number("start-value")) };
        let in_list = Some(mark.to_owned()).filter(|mark| !unnumbered && mark.chars().any(char::is_alphanumeric));
        let label = label.or(in_list).map(|label| format!("{label} ")).unwrap_or_default();
        block.text = format!("{} {label}{words}", "#".repeat(usize::from(level).min(6)));
        block.what = What::Heading { level, words };
        self.out.push(block);
    }

    /// Changes that were tracked. What was deleted is kept here and nowhere else.
    fn tracked(&mut self, node: Node<'_>) {
        for change in node.elements().flat_map(|region| region.elements().collect::<Vec<_>>()) {
            match change.local() {
                "insertion" => self.counts.insertions += 1,
                "deletion" => self.counts.deletions += 1,
                "format-change" => self.counts.formatting += 1,
                _ => {}
            }
        }
    }
}

/// A heading with what follows it; what stands before the first is section 0.
fn sections(blocks: &[Block]) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        let What::Heading { level, words } = &block.what else { continue };
        if let Some(last) = found.last_mut() {
            last.blocks.end = at;
        }
        found.push(Section { heading: words.clone(), level: *level, blocks: at..blocks.len() });
    }
    let first = found.first().map_or(blocks.len(), |section| section.blocks.start);
    let opening = blocks.get(..first).unwrap_or_default();
    if found.is_empty() || opening.iter().any(|block| !block.text.is_empty()) {
        found.insert(0, Section { heading: String::new(), level: 0, blocks: 0..first });
    }
    found
}
