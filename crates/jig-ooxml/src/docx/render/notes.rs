//! What a document shows around its text or stores in separate parts: footnotes, endnotes and comments, headers and
//! footers, charts and SmartArt.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jig_file_api::read::docx::{HeaderFooter, HeaderFooterKind};

use super::{RenderOptions, Renderer, author};
use crate::docx::blocks::{self, Block};
use crate::docx::document::Document;
use crate::docx::inline;
use crate::docx::parts::RelatedPart;
use crate::docx::word;
use crate::error::Error;
use crate::package::Package;
use crate::relationships::Relationships;
use crate::xml::{Node, Ns, ParsedPart, Tree, XmlPart};

/// The two kinds of notes. Their ids are independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::docx) enum NoteKind {
    Footnote,
    Endnote,
}

/// A note that the text refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) id: String,
    pub(super) kind: NoteKind,
    /// Its label in the text: `3` for the third footnote, `e3` for the third endnote.
    pub(super) label: String,
}

/// Labels notes in the order in which the text refers to them.
#[derive(Debug, Default)]
pub(super) struct NoteCounter {
    list: Vec<Note>,
    positions: HashMap<(NoteKind, String), usize>,
    footnotes: usize,
    endnotes: usize,
}

impl NoteCounter {
    /// The position and label of a note at a reference to it.
    pub(super) fn label(&mut self, id: &str, kind: NoteKind) -> (usize, String) {
        let at = *self.positions.entry((kind, id.to_owned())).or_insert(self.list.len());
        if let Some(known) = self.list.get(at) {
            return (at, known.label.clone());
        }
        let label = match kind {
            NoteKind::Footnote => {
                self.footnotes += 1;
                self.footnotes.to_string()
            }
            NoteKind::Endnote => {
                self.endnotes += 1;
                format!("e{}", self.endnotes)
            }
        };
        self.list.push(Note { id: id.to_owned(), kind, label: label.clone() });
        (at, label)
    }

    /// The note at a position.
    pub(super) fn get(&self, at: usize) -> Option<Note> {
        self.list.get(at).cloned()
    }
}

/// The notes or comments of a part by their ids. Separators, which Word keeps among them, are left out.
pub(in crate::docx) fn by_id<'t>(tree: Option<&'t Tree<'t>>) -> HashMap<String, Node<'t>> {
    let nodes = tree.into_iter().flat_map(|tree| tree.root().elements());
    let nodes = nodes.filter(|node| node.ns() == Ns::W && is_shown(*node));
    nodes.filter_map(|node| Some((word::attr(node, "id")?.into_owned(), node))).collect()
}

fn is_shown(note: Node<'_>) -> bool {
    word::attr(note, "type").is_none_or(|kind| kind == "normal")
}

/// A comment with its author.
#[derive(Debug)]
pub(in crate::docx) struct Comment {
    pub(in crate::docx) author: String,
    pub(in crate::docx) text: String,
}

/// The comments of a document by their ids.
#[derive(Debug, Default)]
pub(in crate::docx) struct Comments {
    by_id: HashMap<String, Comment>,
}

impl Comments {
    pub(in crate::docx) fn read(document: &Document) -> Result<Self, Error> {
        let Some(part) = &document.supporting().comments else { return Ok(Self::default()) };
        let tree = part.tree(&document.limits)?;
        let comments = by_id(Some(&tree)).into_iter().map(|(id, node)| {
            let lines = blocks::blocks(node).into_iter().filter_map(Block::paragraph);
            let text: Vec<String> = lines.map(|paragraph| inline::paragraph_text(paragraph.node)).collect();
            (id, Comment { author: author(node), text: text.join(" ").trim().to_owned() })
        });
        Ok(Self { by_id: comments.collect() })
    }

    pub(in crate::docx) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// The comments with their ids, in the order of the ids.
    pub(in crate::docx) fn in_order(&self) -> Vec<(&str, &Comment)> {
        let mut all: Vec<_> = self.by_id.iter().map(|(id, comment)| (id.as_str(), comment)).collect();
        all.sort_by_key(|(id, _)| (id.parse::<u64>().unwrap_or(u64::MAX), *id));
        all
    }

    /// A comment as the text shows it.
    pub(super) fn text(&self, id: &str) -> String {
        match self.by_id.get(id) {
            Some(Comment { author, text }) => format!("[comment by {author}: {text}]"),
            None => String::new(),
        }
    }
}

/// The headers and footers of all pages. A part that several sections use is listed once.
pub(super) fn headers_footers(
    document: &Document,
    found: &[Block<'_>],
    body: Node<'_>,
    options: RenderOptions,
    comments: &Comments,
) -> Result<Vec<HeaderFooter>, Error> {
    let mut shown: Vec<HeaderFooter> = Vec::new();
    let mut seen = HashSet::new();
    for section in page_sections(found, body) {
        for (local, kind, parts) in [
            ("headerReference", HeaderFooterKind::Header, &document.supporting().headers),
            ("footerReference", HeaderFooterKind::Footer, &document.supporting().footers),
        ] {
            for reference in section.children_named(Ns::W, local) {
                let Some(part) = referred(reference, parts) else { continue };
                if !seen.insert(part.name()) {
                    continue;
                }
                let tree = part.tree(&document.limits)?;
                let lines = Renderer::new(document, options, comments).inner_blocks(tree.root());
                let pages = word::attr(reference, "type").unwrap_or_else(|| "default".into()).into_owned();
                shown.push(HeaderFooter { kind, pages, part: part.name().to_owned(), text: lines.join("\n") });
            }
        }
    }
    Ok(shown)
}

/// The `w:sectPr` of a document in order: those that end in a paragraph, then that of the body.
fn page_sections<'t>(found: &[Block<'t>], body: Node<'t>) -> Vec<Node<'t>> {
    let paragraphs = found.iter().filter_map(|block| block.paragraph());
    let inner = paragraphs.filter_map(|paragraph| paragraph.properties()?.child(Ns::W, "sectPr"));
    inner.chain(body.children_named(Ns::W, "sectPr")).collect()
}

fn referred<'s>(reference: Node<'_>, parts: &'s [(RelatedPart, ParsedPart)]) -> Option<&'s ParsedPart> {
    let id = reference.attr_ns(Ns::R, "id")?;
    parts.iter().find(|(related, _)| related.rel_id == id).map(|(_, part)| part)
}

/// A warning for each file that is embedded as a piece of text: it has another format.
pub(super) fn embedded(body: Node<'_>, relationships: &Relationships) -> Vec<String> {
    let chunks = body.children_named(Ns::W, "altChunk").filter_map(|node| node.attr_ns(Ns::R, "id"));
    let parts = chunks.filter_map(|id| relationships.part(&id).map(str::to_owned));
    parts.map(|part| format!("the embedded file {part} is not read")).collect()
}

/// The texts of charts and SmartArt, which are in separate parts. Each part is read once.
#[derive(Debug, Default)]
pub(super) struct RelatedTexts {
    package: Option<Package>,
    known: HashMap<String, String>,
}

impl RelatedTexts {
    /// The title of a chart; empty without one.
    pub(super) fn chart_title(&mut self, document: &Document, rel_id: &str) -> String {
        self.text(document, rel_id, |root| {
            let is_title = |node: &Node<'_>| matches!(node.ns(), Ns::C | Ns::Cx) && node.local() == "title";
            root.descendants().find(is_title).map(drawn_text).unwrap_or_default()
        })
    }

    /// The texts of SmartArt.
    pub(super) fn diagram_text(&mut self, document: &Document, rel_id: &str) -> String {
        self.text(document, rel_id, |root| {
            let points = root.descendants().filter(|node| node.is(Ns::Dgm, "t"));
            points.map(drawn_text).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
        })
    }

    fn text(&mut self, document: &Document, rel_id: &str, read: impl Fn(Node<'_>) -> String) -> String {
        if let Some(known) = self.known.get(rel_id) {
            return known.clone();
        }
        // A part that cannot be read has no text: its placeholder in brackets is shown all the same.
        let text = self.part(document, rel_id).and_then(|part| Some(read(part.tree(&document.limits).ok()?.root())));
        let text = text.unwrap_or_default();
        self.known.insert(rel_id.to_owned(), text.clone());
        text
    }

    fn part(&mut self, document: &Document, rel_id: &str) -> Option<XmlPart> {
        let name = document.names.relationships.part(rel_id)?;
        if self.package.is_none() {
            self.package = Package::open(Arc::clone(&document.bytes), document.limits).ok();
        }
        self.package.as_ref()?.xml(name).ok()
    }
}

fn drawn_text(node: Node<'_>) -> String {
    node.descendants().filter(|node| node.is(Ns::A, "t")).map(|node| node.text()).collect::<String>().trim().to_owned()
}
