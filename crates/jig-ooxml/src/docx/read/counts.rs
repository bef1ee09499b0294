//! What a document holds beside text, counted in one pass.

use std::collections::BTreeSet;

use crate::docx::read::marked::author;
use crate::docx::read::source::Source;
use crate::docx::word;
use crate::error::PackageError;
use crate::xml::{Node, Ns};

/// Counts of the main part, its headers, footers and notes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) fields: usize,
    pub(super) content_controls: usize,
    pub(super) text_boxes: usize,
    pub(super) equations: usize,
    pub(super) charts: usize,
    pub(super) insertions: usize,
    pub(super) deletions: usize,
    pub(super) moves: usize,
    pub(super) formatting: usize,
    pub(super) authors: BTreeSet<String>,
}

impl Counts {
    /// What a document holds. Only the map asks for it, and texts are asked for more often: so it is no part of them.
    pub(super) fn of(source: &Source) -> Result<Self, PackageError> {
        let mut counts = Self::default();
        let beside = source.beside();
        let around = beside.headers.iter().chain(&beside.footers).map(|(_, part)| part);
        let notes = beside.footnotes.iter().chain(&beside.endnotes);
        for part in std::iter::once(&source.document).chain(around).chain(notes) {
            counts.add(part.tree(&source.limits)?.root());
        }
        Ok(counts)
    }

    /// Adds everything in an element. Of alternatives only one is counted, as only one is shown.
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

    pub(super) fn is_tracked(&self) -> bool {
        self.insertions + self.deletions + self.moves + self.formatting > 0
    }

    fn count(&mut self, node: Node<'_>) {
        match (node.ns(), node.local()) {
            (Ns::W, "fldSimple") => self.fields += 1,
            (Ns::W, "fldChar") if word::attr(node, "fldCharType").is_some_and(|kind| kind == "begin") => {
                self.fields += 1;
            }
            (Ns::W, "sdt") => self.content_controls += 1,
            (Ns::W, "txbxContent") => self.text_boxes += 1,
            (Ns::M, "oMath") => self.equations += 1,
            (Ns::C | Ns::Cx, "chart") => self.charts += 1,
            (Ns::W, "ins" | "cellIns") => self.insertions += self.change(node),
            (Ns::W, "del" | "cellDel") => self.deletions += self.change(node),
            // Each move is written twice: where it came from and where it went.
            (Ns::W, "moveTo") => self.moves += self.change(node),
            (Ns::W, name) if name.ends_with("PrChange") => self.formatting += self.change(node),
            _ => {}
        }
    }

    fn change(&mut self, node: Node<'_>) -> usize {
        let author = author(node);
        if !author.is_empty() {
            self.authors.insert(author);
        }
        1
    }
}

fn is_unread_branch(node: Node<'_>) -> bool {
    let is_branch = node.ns() == Ns::Mc && matches!(node.local(), "Choice" | "Fallback");
    is_branch && node.parent().and_then(word::branch).is_some_and(|read| read != node)
}
