//! Blocks of the body for others: put in, taken out, or both, tracked or not.

use std::ops::Range;

use crate::docx::blocks::Block;
use crate::edit::OpInput;
use crate::error::Error;
use crate::xml::{Node, Ns, Splice};

use super::markup::{Dialect, Markup};
use super::paragraph::NewParagraph;
use super::place::{Gap, Place};
use super::refill;
use super::remove::{Breaks, remove_blocks};
use super::session::{Body, Session};
use super::strike::Striker;
use super::track::Revisions;

/// Blocks that go, and what comes in their place.
pub(super) struct Exchange<'n> {
    pub(super) blocks: Range<usize>,
    pub(super) new: &'n [NewParagraph],
    pub(super) breaks: Breaks,
}

impl Session<'_> {
    /// Puts new paragraphs into a gap. Gives the index of the first of them and the place in words.
    pub(super) fn insert_new(
        &mut self,
        input: &OpInput,
        place: &Place,
        new: &[NewParagraph],
        track: Option<bool>,
    ) -> Result<(usize, &'static str), Error> {
        let styles = self.styles()?;
        let mut revisions = self.revisions(track)?;
        let (document, limits) = (self.document(), self.limits());
        let tree = document.tree(&limits)?;
        let body = Body::read(&tree, &document.name, &styles)?;
        let gap = place.find(self, &body, input)?;
        let index = body.blocks.iter().take(gap.position).filter(|block| block.paragraph().is_some()).count();
        let dialect = Dialect::at(body.node);
        let mut splice = Splice::new(&document.text);
        match (revisions.as_mut(), tail(&body, &gap)) {
            (Some(revisions), Some(last)) => {
                append_tracked(&mut splice, last, gap.at, new, &dialect, revisions);
            }
            (revisions, _) => insert_into_body(&mut splice, body.node, gap.at, &written(new, &dialect, revisions)),
        }
        let words = gap.words;
        self.keep(revisions);
        self.set_document(splice)?;
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
        let (document, limits) = (self.document(), self.limits());
        let tree = document.tree(&limits)?;
        let body = Body::read(&tree, &document.name, &styles)?;
        let exchange = choose(&body)?;
        let dialect = Dialect::at(body.node);
        let mut splice = Splice::new(&document.text);
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
        self.keep(revisions);
        self.set_document(splice)
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

/// Puts markup at a place of the body, which may be written as a single tag.
pub(super) fn insert_into_body(splice: &mut Splice<'_>, body: Node<'_>, at: usize, markup: &str) {
    if body.is_single_tag() { splice.append(body, markup) } else { splice.insert(at, markup) }
}

/// The last paragraph of the document, when a gap lies behind it: its end is the end of the text, which
/// no tracked change can take away.
pub(super) fn tail<'t>(body: &Body<'t>, gap: &Gap<'t>) -> Option<Node<'t>> {
    if gap.behind.is_some() { None } else { last_paragraph(body) }
}

fn last_paragraph<'t>(body: &Body<'t>) -> Option<Node<'t>> {
    let last = body.blocks.last()?.paragraph().filter(|last| last.node.parent() == Some(body.node))?;
    let breaks = last.properties().is_some_and(|properties| properties.child(Ns::W, "sectPr").is_some());
    (!breaks).then_some(last.node)
}

/// Adds paragraphs behind the last one so that rejecting gives back what was.
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

/// Puts tracked blocks behind the last paragraph: its end counts as inserted, and the last new paragraph holds
/// the end that was there, with the properties it had. `write` is given those and must write them as the history
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
    // An earlier paragraph that was added so passes on what it remembers.
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

/// Strikes blocks and inserts new paragraphs behind them, or, at the end of the document, around the
/// last end, which stays.
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
            refill::paragraph_whole(splice, last, final_one, dialect, revisions);
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

/// Whether all text of a paragraph is a tracked insertion, or it is the empty one behind an inserted table.
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

/// The properties of a paragraph as a history holds them.
pub(super) fn base_properties(paragraph: Node<'_>) -> String {
    let Some(properties) = paragraph.child(Ns::W, "pPr") else { return String::new() };
    let base = properties.elements().filter(|node| !matches!(node.local(), "rPr" | "sectPr" | "pPrChange"));
    base.map(Node::source).collect()
}

/// A mark that says which properties a paragraph had.
pub(super) fn history_of(old: &str, dialect: &Dialect, revisions: &mut Revisions) -> String {
    let w = &dialect.w;
    format!("{}<{w}pPr>{old}</{w}pPr></{w}pPrChange>", revisions.open("pPrChange", dialect))
}
