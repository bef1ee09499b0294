//! Ops on single paragraphs: changing one, deleting some, and refusing to lose them all by mistake.

use jig_file_api::ops::docx::{DeleteParagraphs, Paragraph, SetParagraph};

use crate::docx::blocks::Block;
use crate::edit::{Change, MOST_LISTED, OpInput, shown};
use crate::error::Error;
use crate::xml::{Node, Ns, Splice};

use super::body::counted;
use super::exchange::Exchange;
use super::markup::Dialect;
use super::paragraph::NewParagraph;
use super::refill;
use super::remove::Breaks;
use super::session::{Body, Session};

impl Session<'_> {
    /// Carries out `set_paragraph`: the paragraph keeps its place and every property that is not given.
    pub(super) fn set_paragraph(&mut self, input: &OpInput, op: SetParagraph) -> Result<(), Error> {
        let mut fields = op.paragraph;
        let is_empty = fields.text.as_deref().is_some_and(|text| text.trim().is_empty())
            || fields.runs.as_ref().is_some_and(|runs| runs.is_empty());
        if op.clear == Some(true) {
            if fields.text.as_deref().is_some_and(|text| !text.is_empty()) {
                return Err(input.error("clear", "`clear` and a text exclude each other; give one").into());
            }
            (fields.text, fields.runs) = (Some(String::new()), None);
        } else if is_empty {
            // An empty text is what clients send for a field that they do not use.
            (fields.text, fields.runs) = (None, fields.runs.filter(|runs| !runs.is_empty()));
            let why = "is empty, so the text of the paragraph stays; to remove it, set `clear` to true";
            if fields == Paragraph::default() {
                return Err(input.error("text", why).into());
            }
            self.warn(format!("{}: {why}", input.at("text")));
        }
        let has_text = fields.text.is_some() || fields.runs.is_some();
        let (track, index) = (fields.track_changes, op.index);
        let new = self.paragraph(fields, &input.at(""))?;
        if !has_text && !new.is_formatted() {
            return Err(input.error("text", "missing: the new text or format of the paragraph").into());
        }
        let styles = self.styles()?;
        let mut revisions = self.revisions(track)?;
        let (document, limits) = (self.document(), self.limits());
        let tree = document.tree(&limits)?;
        let body = Body::read(&tree, &document.name, &styles)?;
        let position = body.paragraph(index, input, "index")?;
        let Some(node) = body.blocks.get(position).map(|block| block.node()) else {
            return Err(input.error("index", "there is no such paragraph").into());
        };
        let old = text_of(node);
        let dialect = Dialect::at(node);
        let mut splice = Splice::new(&document.text);
        if has_text {
            if node.descendants().any(|inner| inner.is(Ns::W, "drawing") || inner.is(Ns::W, "pict")) {
                self.warn(format!("{}: an image in the paragraph was removed with its text", input.at("")));
            }
            refill::paragraph(&mut splice, node, &new, &dialect, revisions.as_mut());
        } else {
            refill::format(&mut splice, node, &new, &dialect, revisions.as_mut());
        }
        self.keep(revisions);
        self.set_document(splice)?;
        let summary = match has_text {
            true => format!("Set paragraph {}.", index + 1),
            false => format!("Set the format of paragraph {}.", index + 1),
        };
        let change = Change::new(input, summary).with("paragraphs", 1).with("paragraph_index", index);
        let change = change.with("old", shown(&old));
        self.report(if has_text { change.with("new", shown(&new.text())) } else { change });
        Ok(())
    }

    /// Carries out `delete_paragraphs`.
    pub(super) fn delete_paragraphs(&mut self, input: &OpInput, op: &DeleteParagraphs) -> Result<(), Error> {
        let count = op.count.unwrap_or(1);
        let mut old = Vec::new();
        self.exchange(input, op.track_changes, |body| {
            let first = body.paragraph(op.index, input, "index")?;
            let last = body.paragraph(op.index.saturating_add(count).saturating_sub(1), input, "count")?;
            let blocks = body.blocks.get(first..=last).unwrap_or_default();
            if blocks.iter().any(|block| block.table().is_some()) {
                let why =
                    "a table lies between these paragraphs; delete the paragraphs before and behind it by themselves";
                return Err(input.error("count", why).into());
            }
            old = blocks.iter().map(|block| text_of(Block::node(*block))).collect();
            Ok(Exchange { blocks: first..last + 1, new: &[], breaks: Breaks::Keep })
        })?;
        let summary = format!("Deleted {} from paragraph {} on.", counted(count, "paragraph"), op.index + 1);
        let old: Vec<String> = old.iter().take(MOST_LISTED).map(|text| shown(text)).collect();
        self.report(
            Change::new(input, summary).with("paragraphs", count).with("paragraph_index", op.index).with("old", old),
        );
        Ok(())
    }

    /// Refuses to leave a document with content empty, and says how much is replaced.
    pub(super) fn check_replaced(&mut self, input: &OpInput, new: &[NewParagraph], whole: bool) -> Result<(), Error> {
        let styles = self.styles()?;
        let (document, limits) = (self.document(), self.limits());
        let tree = document.tree(&limits)?;
        let body = Body::read(&tree, &document.name, &styles)?;
        let tables = body.blocks.iter().filter(|block| block.table().is_some()).count();
        let texts = body.blocks.iter().filter(|block| block.paragraph().is_some());
        let paragraphs = texts.filter(|block| has_content(block.node())).count();
        if tables == 0 && paragraphs == 0 {
            return Ok(());
        }
        if new.iter().all(NewParagraph::is_empty) && !whole {
            let why = format!(
                "this would leave the document without its {} and {}; use `set_paragraph` or `delete_paragraphs` for \
                 single paragraphs, or `replace_document` to empty it",
                counted(paragraphs, "paragraph"),
                counted(tables, "table")
            );
            return Err(input.error("paragraphs", why).suggest(["set_paragraph", "replace_document"]).into());
        }
        if !whole {
            self.warn(format!(
                "{}: replaced the whole document, {} and {}; `set_paragraph` changes single paragraphs",
                input.at("paragraphs"),
                counted(paragraphs, "paragraph"),
                counted(tables, "table")
            ));
        }
        Ok(())
    }
}

/// Whether a paragraph shows anything.
fn has_content(node: Node<'_>) -> bool {
    let shows = |inner: Node<'_>| matches!(inner.local(), "drawing" | "pict" | "object" | "oMath");
    !text_of(node).trim().is_empty() || node.descendants().any(shows)
}

/// The text of a paragraph, without what was deleted under tracking.
pub(super) fn text_of(node: Node<'_>) -> String {
    node.descendants().filter(|inner| inner.is(Ns::W, "t")).map(|inner| inner.text()).collect()
}
