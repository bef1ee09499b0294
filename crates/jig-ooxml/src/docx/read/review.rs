//! Comments and tracked changes of a section, with the ids by which ops name them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jig_file_api::read::docx::{ChangeKind, CommentContent, TrackedChange};

use crate::docx::blocks::Block;
use crate::docx::document::Document;
use crate::docx::edit::extension_attr;
use crate::docx::inline;
use crate::docx::render::author;
use crate::docx::render::notes::by_id;
use crate::docx::word;
use crate::edit::excerpt;
use crate::error::Error;
use crate::package::Package;
use crate::xml::{Node, Ns};

/// The most comments and the most changes in one reply.
const MOST: usize = 500;
/// Bytes of a commented text that are collected; a reply has fewer.
const ANCHOR_BYTES: usize = 1000;

/// The paragraph or table that something is in.
#[derive(Clone, Copy)]
struct Place {
    paragraph: Option<usize>,
    table: Option<usize>,
}

impl Place {
    fn of(block: &Block<'_>) -> Self {
        let (paragraph, table) = (block.paragraph().map(|one| one.index), block.table().map(|one| one.index));
        Self { paragraph, table }
    }
}

/// The comments whose text begins in these blocks.
pub(super) fn comments(
    document: &Document,
    blocks: &[Block<'_>],
    warnings: &mut Vec<String>,
) -> Result<Vec<CommentContent>, Error> {
    let Some(part) = &document.supporting().comments else { return Ok(Vec::new()) };
    let tree = part.tree(&document.limits)?;
    let mut reader = CommentReader { known: by_id(Some(&tree)), ..CommentReader::default() };
    for block in blocks {
        let place = Place::of(block);
        let all = std::iter::once(block.node()).chain(block.node().descendants());
        all.filter(|node| node.is_element() && node.ns() == Ns::W).for_each(|node| reader.node(node, place));
    }
    let CommentReader { known, mut found, left_out, .. } = reader;
    if left_out > 0 {
        warnings.push(format!("{left_out} more comments of the section are not listed; the first {MOST} are"));
    }
    if !found.is_empty() {
        add_threads(document, &known, &mut found);
    }
    for comment in &mut found {
        comment.anchor = excerpt(&comment.anchor);
    }
    Ok(found)
}

/// Collects comments and the texts they are about in one pass.
#[derive(Default)]
struct CommentReader<'t> {
    known: HashMap<String, Node<'t>>,
    found: Vec<CommentContent>,
    /// Positions in `found` of those whose text goes on.
    open: Vec<usize>,
    seen: HashSet<String>,
    ended: HashSet<String>,
    left_out: usize,
}

impl CommentReader<'_> {
    fn node(&mut self, node: Node<'_>, place: Place) {
        match node.local() {
            "t" if !self.open.is_empty() => {
                let text = node.text();
                for at in &self.open {
                    if let Some(one) = self.found.get_mut(*at).filter(|one| one.anchor.len() < ANCHOR_BYTES) {
                        one.anchor.push_str(&text);
                    }
                }
            }
            "commentRangeStart" | "commentReference" => {
                let Some(id) = word::attr(node, "id") else { return };
                let starts = node.local() == "commentRangeStart";
                // The reference follows the end; of a comment that began in another section, only these are here.
                if (!starts && self.ended.contains(id.as_ref())) || self.seen.contains(id.as_ref()) {
                    return;
                }
                let Some(comment) = self.known.get(id.as_ref()) else { return };
                if self.found.len() == MOST {
                    self.left_out += 1;
                    return;
                }
                self.seen.insert(id.clone().into_owned());
                if starts {
                    self.open.push(self.found.len());
                }
                self.found.push(comment_content(&id, *comment, place));
            }
            "commentRangeEnd" => {
                let Some(id) = word::attr(node, "id") else { return };
                let found = &self.found;
                self.open.retain(|at| found.get(*at).is_some_and(|one| one.id != id));
                self.ended.insert(id.into_owned());
            }
            _ => {}
        }
    }
}

fn comment_content(id: &str, node: Node<'_>, place: Place) -> CommentContent {
    let lines = node.descendants().filter(|inner| inner.is(Ns::W, "p")).map(inline::paragraph_text);
    CommentContent {
        id: id.to_owned(),
        author: author(node),
        date: word::attr(node, "date").map(std::borrow::Cow::into_owned),
        text: lines.collect::<Vec<_>>().join("\n").trim().to_owned(),
        anchor: String::new(),
        paragraph: place.paragraph,
        table: place.table,
        resolved: false,
        parent: None,
    }
}

/// Adds which comments are resolved and which reply to others. A damaged part leaves both out.
fn add_threads(document: &Document, known: &HashMap<String, Node<'_>>, found: &mut [CommentContent]) {
    let Some(name) = document.names.relationships.first("commentsExtended") else { return };
    let Ok(package) = Package::open(Arc::clone(&document.bytes), document.limits) else { return };
    let Ok(part) = package.xml(name) else { return };
    let Ok(tree) = part.tree(&document.limits) else { return };
    let para_id = |node: &Node<'_>| {
        let last = node.descendants().filter(|inner| inner.is(Ns::W, "p")).last()?;
        Some(last.attr_ns(Ns::W14, "paraId")?.into_owned())
    };
    let ids: HashMap<String, &str> =
        known.iter().filter_map(|(id, node)| Some((para_id(node)?, id.as_str()))).collect();
    let entries: HashMap<String, Node<'_>> =
        tree.root().elements().filter_map(|node| Some((extension_attr(node, "paraId")?, node))).collect();
    for comment in found {
        let entry = known.get(&comment.id).and_then(para_id).and_then(|id| entries.get(&id));
        let Some(entry) = entry else { continue };
        comment.resolved = matches!(extension_attr(*entry, "done").as_deref(), Some("1" | "true" | "on"));
        let parent = extension_attr(*entry, "paraIdParent").and_then(|id| ids.get(&id).copied());
        comment.parent = parent.map(str::to_owned);
    }
}

/// The tracked changes in these blocks.
pub(super) fn changes(blocks: &[Block<'_>], warnings: &mut Vec<String>) -> Vec<TrackedChange> {
    let mut found = Vec::new();
    let mut left_out = 0;
    let mut around_last = None;
    for block in blocks {
        let place = Place::of(block);
        let mark = match block {
            Block::Paragraph(paragraph) => paragraph.mark,
            Block::Table(table) => table.mark,
        };
        // A mark around several blocks is listed with the first.
        let around = [mark.inserted, mark.deleted].into_iter().flatten().filter(|node| around_last != Some(*node));
        let around: Vec<Node<'_>> = around.collect();
        around_last = around.last().copied().or(around_last);
        let inside = std::iter::once(block.node()).chain(block.node().descendants());
        for node in around.into_iter().chain(inside).filter(|node| node.is_element() && node.ns() == Ns::W) {
            let Some(kind) = change_kind(node) else { continue };
            if found.len() == MOST {
                left_out += 1;
                continue;
            }
            found.push(TrackedChange {
                id: word::attr(node, "id").unwrap_or_default().into_owned(),
                kind,
                author: author(node),
                date: word::attr(node, "date").map(std::borrow::Cow::into_owned),
                text: excerpt(&text_of(node)),
                paragraph: place.paragraph,
                table: place.table,
            });
        }
    }
    if left_out > 0 {
        warnings.push(format!("{left_out} more tracked changes of the section are not listed; the first {MOST} are"));
    }
    found
}

fn text_of(node: Node<'_>) -> String {
    let texts = node.descendants().filter(|inner| inner.is(Ns::W, "t") || inner.is(Ns::W, "delText"));
    // More texts than a reply shows need not be read.
    texts.take(200).map(Node::text).collect()
}

/// What a mark of a tracked change says.
fn change_kind(node: Node<'_>) -> Option<ChangeKind> {
    let parent = node.parent().map_or("", Node::local);
    let is_end = parent == "rPr" && node.parent().and_then(Node::parent).is_some_and(|around| around.is(Ns::W, "pPr"));
    Some(match (node.local(), parent) {
        ("ins" | "moveTo", _) if is_end => ChangeKind::ParagraphInsertion,
        ("del" | "moveFrom", _) if is_end => ChangeKind::ParagraphDeletion,
        ("ins", "trPr") => ChangeKind::RowInsertion,
        ("del", "trPr") => ChangeKind::RowDeletion,
        ("ins", _) => ChangeKind::Insertion,
        ("del", _) => ChangeKind::Deletion,
        ("moveFrom", _) => ChangeKind::MoveFrom,
        ("moveTo", _) => ChangeKind::MoveTo,
        ("cellIns", _) => ChangeKind::CellInsertion,
        ("cellDel", _) => ChangeKind::CellDeletion,
        ("cellMerge", _) => ChangeKind::CellMerge,
        ("numberingChange" | "tblGridChange" | "tblPrExChange", _) => ChangeKind::Format,
        (local, _) if local.ends_with("PrChange") => ChangeKind::Format,
        _ => return None,
    })
}
