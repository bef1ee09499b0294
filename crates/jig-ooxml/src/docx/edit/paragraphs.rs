//! Ops on the paragraphs of the body: changing one, adding, deleting, and replacing all; and replacing blocks of the body
//! by new paragraphs, tracked or not, which the ops on sections use too.

use std::ops::Range;

use jig_file_api::ops::docx::{
    AppendParagraph, DeleteParagraphs, InsertParagraphs, Paragraph, Position, SetParagraph, SetParagraphs,
};

use super::blocks::{Breaks, refill, reformat, remove_blocks, rewrite_tracked};
use super::markup::{Dialect, Markup};
use super::new_paragraph::NewParagraph;
use super::position::Gap;
use super::revisions::{Revisions, Striker, base_properties, history_of};
use super::{Body, DocumentEdit};
use crate::docx::blocks::Block;
use crate::edit::{MOST_LISTED, OpInput, OpReport, excerpt};
use crate::error::{DocumentIssue, Error, counted};
use crate::xml::{Node, Ns, Splice};

impl DocumentEdit<'_> {
    /// Applies `set_paragraph`: the paragraph keeps its position and every property that is not given.
    pub(super) fn set_paragraph(&mut self, input: &OpInput, op: SetParagraph) -> Result<(), Error> {
        let mut fields = op.paragraph;
        let is_empty = fields.text.as_deref().is_some_and(|text| text.trim().is_empty())
            || fields.runs.as_ref().is_some_and(|runs| runs.is_empty());
        if op.clear == Some(true) {
            if fields.text.as_deref().is_some_and(|text| !text.is_empty()) {
                return Err(input.error("clear", DocumentIssue::ClearAndText).into());
            }
            (fields.text, fields.runs) = (Some(String::new()), None);
        } else if is_empty {
            // Clients send an empty text for a field that they do not use.
            (fields.text, fields.runs) = (None, fields.runs.filter(|runs| !runs.is_empty()));
            let issue = DocumentIssue::EmptyText;
            if fields == Paragraph::default() {
                return Err(input.error("text", issue).into());
            }
            self.warn(format!("{}: {issue}", input.at("text")));
        }
        let has_text = fields.text.is_some() || fields.runs.is_some();
        let (track, index) = (fields.track_changes, op.index);
        let new = self.paragraph(fields, &input.at(""))?;
        if !has_text && !new.is_formatted() {
            return Err(input
                .error("text", DocumentIssue::Missing { what: "the new text or format of the paragraph" })
                .into());
        }
        let styles = self.styles()?;
        let mut revisions = self.revisions(track)?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let position = body.paragraph(index, input, "index")?;
        let Some(node) = body.blocks.get(position).map(|block| block.node()) else {
            return Err(input.error("index", DocumentIssue::NoParagraphFrom { index }).into());
        };
        let old = text_of(node);
        let dialect = Dialect::at(node);
        let mut splice = Splice::new(main.text());
        if has_text {
            if node.descendants().any(|inner| inner.is(Ns::W, "drawing") || inner.is(Ns::W, "pict")) {
                self.warn(format!("{}: an image in the paragraph was removed with its text", input.at("")));
            }
            refill(&mut splice, node, &new, &dialect, revisions.as_mut());
        } else {
            reformat(&mut splice, node, &new, &dialect, revisions.as_mut());
        }
        self.keep_revisions(revisions);
        self.splice_main(splice)?;
        let summary = match has_text {
            true => format!("Set paragraph {}.", index + 1),
            false => format!("Set the format of paragraph {}.", index + 1),
        };
        let change = OpReport::new(input, summary).with("paragraphs", 1).with("paragraph_index", index);
        let change = change.with("old", excerpt(&old));
        self.report(if has_text { change.with("new", excerpt(&new.text())) } else { change });
        Ok(())
    }

    /// Applies `delete_paragraphs`.
    pub(super) fn delete_paragraphs(&mut self, input: &OpInput, op: &DeleteParagraphs) -> Result<(), Error> {
        let count = op.count.unwrap_or(1);
        let mut old = Vec::new();
        self.exchange(input, op.track_changes, |body| {
            let first = body.paragraph(op.index, input, "index")?;
            let last = body.paragraph(op.index.saturating_add(count).saturating_sub(1), input, "count")?;
            let blocks = body.blocks.get(first..=last).unwrap_or_default();
            if blocks.iter().any(|block| block.table().is_some()) {
                return Err(input.error("count", DocumentIssue::TableBetween).into());
            }
            old = blocks.iter().map(|block| text_of(Block::node(*block))).collect();
            Ok(Exchange { blocks: first..last + 1, new: &[], breaks: Breaks::Keep })
        })?;
        let summary = format!("Deleted {} from paragraph {} on.", counted(count, "paragraph"), op.index + 1);
        let old: Vec<String> = old.iter().take(MOST_LISTED).map(|text| excerpt(text)).collect();
        self.report(
            OpReport::new(input, summary).with("paragraphs", count).with("paragraph_index", op.index).with("old", old),
        );
        Ok(())
    }

    /// Refuses to empty a document with content, and reports how much is replaced.
    pub(super) fn check_replaced(&mut self, input: &OpInput, new: &[NewParagraph], whole: bool) -> Result<(), Error> {
        let styles = self.styles()?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let tables = body.blocks.iter().filter(|block| block.table().is_some()).count();
        let texts = body.blocks.iter().filter(|block| block.paragraph().is_some());
        let paragraphs = texts.filter(|block| has_content(block.node())).count();
        if tables == 0 && paragraphs == 0 {
            return Ok(());
        }
        if new.iter().all(NewParagraph::is_empty) && !whole {
            let issue = DocumentIssue::EmptiesDocument { paragraphs, tables };
            return Err(input.error("paragraphs", issue).suggest(["set_paragraph", "replace_document"]).into());
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

/// Whether a paragraph has visible content.
fn has_content(node: Node<'_>) -> bool {
    let shows = |inner: Node<'_>| matches!(inner.local(), "drawing" | "pict" | "object" | "oMath");
    !text_of(node).trim().is_empty() || node.descendants().any(shows)
}

/// The text of a paragraph, without what was deleted under tracking.
pub(super) fn text_of(node: Node<'_>) -> String {
    node.descendants().filter(|inner| inner.is(Ns::W, "t")).map(|inner| inner.text()).collect()
}

impl DocumentEdit<'_> {
    /// Applies `set_paragraphs`.
    ///
    /// Without `whole` (`replace_document`), a list that would leave the document empty is refused.
    pub(super) fn set_paragraphs(&mut self, input: &OpInput, fields: SetParagraphs, whole: bool) -> Result<(), Error> {
        let new = self.paragraphs(fields.paragraphs, &input.at("paragraphs"))?;
        self.check_replaced(input, &new, whole)?;
        let summary = format!("Set the text of the document ({}).", counted(new.len(), "paragraph"));
        let change = OpReport::new(input, summary).with("paragraphs", new.len());
        self.exchange(input, fields.track_changes, |body| {
            Ok(Exchange { blocks: 0..body.blocks.len(), new: &new, breaks: Breaks::Drop })
        })?;
        self.report(change);
        Ok(())
    }

    /// Applies `append_paragraph`.
    pub(super) fn append_paragraph(&mut self, input: &OpInput, op: AppendParagraph) -> Result<(), Error> {
        let fields = op.paragraph;
        let track = fields.track_changes;
        if fields.text.is_none() && fields.runs.is_none() {
            self.warn(format!("{}: neither `text` nor `runs` is given, the paragraph is empty", input.at("")));
        }
        let new = vec![self.paragraph(fields, &input.at(""))?];
        let index = self.insert_new(input, &Position::default(), &new, track)?.0;
        self.report(
            OpReport::new(input, "Added a paragraph at the end.").with("paragraphs", 1).with("paragraph_index", index),
        );
        Ok(())
    }

    /// Applies `insert_paragraphs`.
    pub(super) fn insert_paragraphs(&mut self, input: &OpInput, fields: InsertParagraphs) -> Result<(), Error> {
        let new = self.paragraphs(fields.paragraphs, &input.at("paragraphs"))?;
        if new.is_empty() {
            return Err(input.error("paragraphs", DocumentIssue::Empty { item: "paragraph" }).into());
        }
        let (index, words) = self.insert_new(input, &fields.position, &new, fields.track_changes)?;
        let summary = format!("Inserted {} {words}.", counted(new.len(), "paragraph"));
        self.report(OpReport::new(input, summary).with("paragraphs", new.len()).with("paragraph_index", index));
        Ok(())
    }
}

/// Blocks that are removed, and the paragraphs that replace them.
pub(super) struct Exchange<'n> {
    pub(super) blocks: Range<usize>,
    pub(super) new: &'n [NewParagraph],
    pub(super) breaks: Breaks,
}

impl DocumentEdit<'_> {
    /// Inserts new paragraphs into a gap; returns the index of the first one and the position in words.
    pub(super) fn insert_new(
        &mut self,
        input: &OpInput,
        position: &Position,
        new: &[NewParagraph],
        track: Option<bool>,
    ) -> Result<(usize, &'static str), Error> {
        let styles = self.styles()?;
        let mut revisions = self.revisions(track)?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let gap = self.find_gap(position, &body, input)?;
        let index = body.blocks.iter().take(gap.position).filter(|block| block.paragraph().is_some()).count();
        let dialect = Dialect::at(body.node);
        let mut splice = Splice::new(main.text());
        match (revisions.as_mut(), tail(&body, &gap)) {
            (Some(revisions), Some(last)) => {
                append_tracked(&mut splice, last, gap.at, new, &dialect, revisions);
            }
            (revisions, _) => insert_into_body(&mut splice, body.node, gap.at, &written(new, &dialect, revisions)),
        }
        let words = gap.words;
        self.keep_revisions(revisions);
        self.splice_main(splice)?;
        Ok((index, words))
    }

    /// Replaces blocks by new paragraphs.
    pub(super) fn exchange<'n>(
        &mut self,
        input: &OpInput,
        track: Option<bool>,
        choose: impl FnOnce(&Body<'_>) -> Result<Exchange<'n>, Error>,
    ) -> Result<(), Error> {
        let styles = self.styles()?;
        let mut revisions = self.revisions(track)?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let exchange = choose(&body)?;
        let dialect = Dialect::at(body.node);
        let mut splice = Splice::new(main.text());
        if let Some(revisions) = revisions.as_mut() {
            exchange_tracked(&mut splice, &body, &exchange, &dialect, revisions);
        } else {
            let gap = match exchange.blocks.start.checked_sub(1) {
                Some(before) if exchange.blocks.is_empty() => body.behind(before, "").at,
                _ => body.before(exchange.blocks.start, "").at,
            };
            insert_into_body(&mut splice, body.node, gap, &written(exchange.new, &dialect, None));
            let removed = remove_blocks(&mut splice, &body.units(&exchange.blocks), exchange.breaks);
            for warning in removed.warnings(&input.at(""), exchange.breaks) {
                self.warn(warning);
            }
        }
        self.keep_revisions(revisions);
        self.splice_main(splice)
    }
}

fn written(new: &[NewParagraph], dialect: &Dialect, mut revisions: Option<&mut Revisions>) -> String {
    let write = |paragraph: &NewParagraph| {
        let mut markup = Markup::new(dialect);
        paragraph.write(&mut markup, revisions.as_deref_mut());
        markup.finish()
    };
    new.iter().map(write).collect()
}

/// Inserts markup into the body, which may be written as one tag.
pub(super) fn insert_into_body(splice: &mut Splice<'_>, body: Node<'_>, at: usize, markup: &str) {
    if body.is_single_tag() { splice.append(body, markup) } else { splice.insert(at, markup) }
}

/// The last paragraph of the document, if the gap follows it: its end is the end of the text, which no tracked change can
/// remove.
pub(super) fn tail<'t>(body: &Body<'t>, gap: &Gap<'t>) -> Option<Node<'t>> {
    if gap.behind.is_some() { None } else { last_paragraph(body) }
}

fn last_paragraph<'t>(body: &Body<'t>) -> Option<Node<'t>> {
    let last = body.blocks.last()?.paragraph().filter(|last| last.node.parent() == Some(body.node))?;
    let breaks = last.properties().is_some_and(|properties| properties.child(Ns::W, "sectPr").is_some());
    (!breaks).then_some(last.node)
}

/// Adds paragraphs after the last one in such a way that rejecting them restores the original.
fn append_tracked(
    splice: &mut Splice<'_>,
    last: Node<'_>,
    at: usize,
    new: &[NewParagraph],
    dialect: &Dialect,
    revisions: &mut Revisions,
) {
    let Some((final_one, others)) = new.split_last() else { return };
    behind_last(splice, last, at, dialect, revisions, |markup, revisions, old| {
        for paragraph in others {
            paragraph.write(markup, Some(revisions));
        }
        markup.open("p", &[]);
        let tail = history_of(old, dialect, revisions);
        final_one.write_properties(markup, None, &tail);
        final_one.write_runs(markup, Some(revisions));
        markup.close("p");
    });
}

/// Adds tracked blocks after the last paragraph: its end is marked as inserted, and the last new paragraph gets
/// the original end with its properties. `write` gets these and must write them as the history
/// of that paragraph.
pub(super) fn behind_last(
    splice: &mut Splice<'_>,
    last: Node<'_>,
    at: usize,
    dialect: &Dialect,
    revisions: &mut Revisions,
    write: impl FnOnce(&mut Markup<'_>, &mut Revisions, &str),
) {
    let history = last.child(Ns::W, "pPr").and_then(|properties| properties.child(Ns::W, "pPrChange"));
    // A paragraph that was added in this way passes on the properties that it stores.
    let passed_on = history.filter(|_| is_inserted(last)).and_then(|history| history.child(Ns::W, "pPr"));
    let old = match (history, passed_on) {
        (Some(history), Some(passed_on)) => {
            splice.remove(history);
            passed_on.inner().to_owned()
        }
        _ => base_properties(last),
    };
    Striker { splice, dialect, revisions }.mark_end(last, "ins");
    let mut markup = Markup::new(dialect);
    write(&mut markup, revisions, &old);
    splice.insert(at, markup.finish());
}

/// Marks blocks as deleted and inserts new paragraphs after them, or, at the end of the document, around the last end,
/// which stays.
fn exchange_tracked(
    splice: &mut Splice<'_>,
    body: &Body<'_>,
    exchange: &Exchange<'_>,
    dialect: &Dialect,
    revisions: &mut Revisions,
) {
    let blocks = body.blocks.get(exchange.blocks.clone()).unwrap_or_default();
    let at_end = exchange.blocks.end == body.blocks.len();
    let last = if at_end && !blocks.is_empty() { last_paragraph(body) } else { None };
    for block in blocks.iter().map(|block| Block::node(*block)).filter(|node| Some(*node) != last) {
        Striker { splice, dialect, revisions }.block(block);
    }
    match (last, exchange.new.split_last()) {
        (Some(last), Some((final_one, others))) => {
            let before = written(others, dialect, Some(revisions));
            splice.insert(last.range().start, before);
            rewrite_tracked(splice, last, final_one, dialect, revisions);
        }
        (Some(last), None) => Striker { splice, dialect, revisions }.paragraph(last, false),
        (None, _) => {
            let gap = match exchange.blocks.end.checked_sub(1) {
                Some(before) => body.behind(before, ""),
                None => body.before(0, ""),
            };
            if let (Some(last), true) = (tail(body, &gap), blocks.is_empty()) {
                append_tracked(splice, last, gap.at, exchange.new, dialect, revisions);
            } else {
                insert_into_body(splice, body.node, gap.at, &written(exchange.new, dialect, Some(revisions)));
            }
        }
    }
}

/// Whether all text of a paragraph is a tracked insertion, or it is the empty one after an inserted table.
fn is_inserted(paragraph: Node<'_>) -> bool {
    let mut children = paragraph.elements().filter(|node| node.local() != "pPr").peekable();
    if children.peek().is_some() {
        return children.all(|node| node.is(Ns::W, "ins"));
    }
    let around = paragraph.parent().into_iter().flat_map(Node::elements);
    let before = around.take_while(|node| *node != paragraph).last();
    let row = before.filter(|node| node.is(Ns::W, "tbl")).and_then(|table| table.children_named(Ns::W, "tr").last());
    row.is_some_and(|row| row.path(Ns::W, &["trPr", "ins"]).is_some())
}
