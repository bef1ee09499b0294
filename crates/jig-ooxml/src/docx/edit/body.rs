//! Ops on the paragraphs of the body: writing them anew, adding to them, and replacing or deleting
//! what stands under a heading.

use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;

use crate::docx::blocks::Block;
use crate::docx::sections::find_section;
use crate::edit::{Change, OpInput};
use crate::error::Error;
use crate::xml::{Node, Ns, Splice};

use super::fields::{OneOf, ParagraphFields};
use super::markup::{Dialect, Markup};
use super::paragraph::NewParagraph;
use super::place::{Gap, Place};
use super::refill;
use super::remove::{Breaks, remove_blocks};
use super::session::{Body, Session};
use super::strike::Striker;
use super::track::Revisions;

#[derive(Deserialize)]
struct SetFields {
    paragraphs: Vec<OneOf<ParagraphFields>>,
    track_changes: Option<bool>,
}

#[derive(Deserialize)]
struct InsertFields {
    paragraphs: Vec<OneOf<ParagraphFields>>,
    after_heading: Option<Value>,
    after_index: Option<usize>,
    before_index: Option<usize>,
    section: Option<Value>,
    track_changes: Option<bool>,
}

#[derive(Deserialize)]
struct SectionFields {
    section: Option<Value>,
    /// Another word for `section`.
    section_index: Option<usize>,
    heading: Option<String>,
    paragraphs: Option<Vec<OneOf<ParagraphFields>>>,
    #[serde(default)]
    include_subsections: bool,
    track_changes: Option<bool>,
}

#[derive(Deserialize)]
struct DeleteFields {
    section: Option<Value>,
    /// Another word for `section`.
    section_index: Option<usize>,
    #[serde(default)]
    include_subsections: bool,
    track_changes: Option<bool>,
}

/// Blocks that go, and what comes in their place.
struct Exchange<'n> {
    blocks: Range<usize>,
    new: &'n [NewParagraph],
    breaks: Breaks,
}

impl Session<'_> {
    /// Carries out `set_paragraphs`.
    pub(super) fn set_paragraphs(&mut self, input: &OpInput) -> Result<(), Error> {
        let fields: SetFields = self.parse(input)?;
        let new = self.paragraphs(fields.paragraphs, &input.at("paragraphs"))?;
        let summary = format!("Set the text of the document ({}).", counted(new.len(), "paragraph"));
        let change = Change::new(input, summary).with("paragraphs", new.len());
        self.exchange(input, fields.track_changes, |body| {
            Ok(Exchange { blocks: 0..body.blocks.len(), new: &new, breaks: Breaks::Drop })
        })?;
        self.report(change);
        Ok(())
    }

    /// Carries out `append_paragraph`.
    pub(super) fn append_paragraph(&mut self, input: &OpInput) -> Result<(), Error> {
        let fields: ParagraphFields = self.parse(input)?;
        let track = fields.track_changes;
        if fields.text.is_none() && fields.runs.is_none() {
            self.warn(format!("{}: neither `text` nor `runs` is given, the paragraph is empty", input.at("")));
        }
        let new = vec![self.paragraph(fields, &input.at(""))?];
        let index = self.insert_new(input, &Place::default(), &new, track)?.0;
        self.report(
            Change::new(input, "Added a paragraph at the end.").with("paragraphs", 1).with("paragraph_index", index),
        );
        Ok(())
    }

    /// Carries out `insert_paragraphs`.
    pub(super) fn insert_paragraphs(&mut self, input: &OpInput) -> Result<(), Error> {
        let fields: InsertFields = self.parse(input)?;
        let new = self.paragraphs(fields.paragraphs, &input.at("paragraphs"))?;
        let place = Place {
            after_heading: fields.after_heading,
            after_index: fields.after_index,
            before_index: fields.before_index,
            section: fields.section,
        };
        let (index, words) = self.insert_new(input, &place, &new, fields.track_changes)?;
        let summary = format!("Inserted {} {words}.", counted(new.len(), "paragraph"));
        self.report(Change::new(input, summary).with("paragraphs", new.len()).with("paragraph_index", index));
        Ok(())
    }

    /// Carries out `replace_section`.
    pub(super) fn replace_section(&mut self, input: &OpInput) -> Result<(), Error> {
        let fields: SectionFields = self.parse(input)?;
        let section = section_value(fields.section, fields.section_index, input)?;
        if fields.paragraphs.is_none() && fields.heading.is_none() {
            return Err(input.error("paragraphs", "missing: the new paragraphs of the section").into());
        }
        let heading = fields.heading.map(|heading| self.clean(&heading, &input.at("heading")));
        if let Some(heading) = &heading {
            self.set_heading(input, &section, heading, fields.track_changes)?;
        }
        // A new heading may have changed what the section is called, not where it is.
        let index = Value::from(self.section_index(&section, heading.as_deref(), input)?);
        let mut change = Change::new(input, String::new()).with("section", index.clone());
        if let Some(paragraphs) = fields.paragraphs {
            let new = self.paragraphs(paragraphs, &input.at("paragraphs"))?;
            change = change.with("paragraphs", new.len());
            let deep = fields.include_subsections;
            self.exchange(input, fields.track_changes, |body| {
                let blocks = section_blocks(body, &index, deep, input)?;
                Ok(Exchange { blocks, new: &new, breaks: Breaks::Keep })
            })?;
            change.summary = format!("Replaced the text of section {index} ({}).", counted(new.len(), "paragraph"));
        } else {
            change.summary = format!("Changed the heading of section {index}.");
        }
        self.report(change);
        Ok(())
    }

    /// Carries out `delete_section`.
    pub(super) fn delete_section(&mut self, input: &OpInput) -> Result<(), Error> {
        let fields: DeleteFields = self.parse(input)?;
        let section = section_value(fields.section, fields.section_index, input)?;
        let index = Value::from(self.section_index(&section, None, input)?);
        let mut heading = String::new();
        let mut count = 0;
        let mut below = 0;
        self.exchange(input, fields.track_changes, |body| {
            let found = find_section(body.sections(), &index, &input.at("section"))?;
            let section = body.sections().get(found);
            heading = section.map(|section| section.heading.clone()).unwrap_or_default();
            let start = section.map_or(0, |section| section.blocks.start);
            let blocks = start..section_blocks(body, &index, fields.include_subsections, input)?.end;
            count = blocks.len();
            below = if fields.include_subsections { 0 } else { subsections(body, found) };
            Ok(Exchange { blocks, new: &[], breaks: Breaks::Keep })
        })?;
        if below > 0 {
            self.warn(format!(
                "{}: {} under the deleted heading stay; set include_subsections to delete them too",
                input.at("section"),
                counted(below, "section")
            ));
        }
        let summary = format!("Deleted section {index} “{heading}” ({}).", counted(count, "block"));
        self.report(Change::new(input, summary).with("section", index).with("blocks", count));
        Ok(())
    }

    /// The number of a section that was named, or that has just been given another heading.
    fn section_index(&mut self, given: &Value, renamed: Option<&str>, input: &OpInput) -> Result<usize, Error> {
        let styles = self.styles()?;
        let (document, limits) = (self.document(), self.limits());
        let tree = document.tree(&limits)?;
        let body = Body::read(&tree, &document.name, &styles)?;
        let renamed = renamed.filter(|_| given.is_string()).map(Value::from);
        Ok(find_section(body.sections(), renamed.as_ref().unwrap_or(given), &input.at("section"))?)
    }

    /// Gives a section another heading: the paragraph stays, with its format.
    fn set_heading(
        &mut self,
        input: &OpInput,
        section: &Value,
        heading: &str,
        track: Option<bool>,
    ) -> Result<(), Error> {
        if heading.trim().is_empty() {
            return Err(input.error("heading", "the heading is empty").into());
        }
        let styles = self.styles()?;
        let mut revisions = self.revisions(track)?;
        let (document, limits) = (self.document(), self.limits());
        let tree = document.tree(&limits)?;
        let body = Body::read(&tree, &document.name, &styles)?;
        let found = find_section(body.sections(), section, &input.at("section"))?;
        let found = body.sections().get(found).filter(|section| section.level > 0);
        let block = found.and_then(|section| body.blocks.get(section.blocks.start));
        let Some(block) = block else {
            return Err(input.error("heading", "the section has no heading that could be changed").into());
        };
        let dialect = Dialect::of(&tree);
        let mut splice = Splice::new(&document.text);
        let new = NewParagraph::plain(heading, None);
        refill::paragraph(&mut splice, block.node(), &new, &dialect, revisions.as_mut());
        self.keep(revisions);
        self.set_document(splice)
    }

    /// Puts new paragraphs into a gap. Gives the index of the first of them and the place in words.
    fn insert_new(
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
        let gap = place.find(&body, input)?;
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
    fn exchange<'n>(
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
fn tail<'t>(body: &Body<'t>, gap: &Gap<'t>) -> Option<Node<'t>> {
    if gap.behind.is_some() { None } else { last_paragraph(body) }
}

fn last_paragraph<'t>(body: &Body<'t>) -> Option<Node<'t>> {
    let last = body.blocks.last()?.paragraph().filter(|last| last.node.parent() == Some(body.node))?;
    let breaks = last.properties().is_some_and(|properties| properties.child(Ns::W, "sectPr").is_some());
    (!breaks).then_some(last.node)
}

/// Adds paragraphs behind the last one so that rejecting gives back what was: the end of the old last
/// paragraph counts as inserted, and the last new one holds the end that was there, with the properties
/// it had.
fn append_tracked(
    splice: &mut Splice<'_>,
    last: Node<'_>,
    at: usize,
    new: &[NewParagraph],
    dialect: &Dialect,
    revisions: &mut Revisions,
) {
    let Some((final_one, others)) = new.split_last() else { return };
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
    for paragraph in others {
        paragraph.write(&mut markup, Some(revisions));
    }
    markup.open("p", &[]);
    let tail = history_of(&old, dialect, revisions);
    final_one.write_properties(&mut markup, None, &tail);
    final_one.write_runs(&mut markup, Some(revisions));
    markup.close("p");
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

/// Whether all text of a paragraph is a tracked insertion.
fn is_inserted(paragraph: Node<'_>) -> bool {
    let mut children = paragraph.elements().filter(|node| node.local() != "pPr").peekable();
    children.peek().is_some() && children.all(|node| node.is(Ns::W, "ins"))
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

fn section_value(section: Option<Value>, index: Option<usize>, input: &OpInput) -> Result<Value, Error> {
    let given = section.or(index.map(Value::from));
    given.ok_or_else(|| input.error("section", "missing: the heading or index of the section").into())
}

/// The blocks of a section without its heading, with those of the sections under it if so wanted.
fn section_blocks(body: &Body<'_>, index: &Value, deep: bool, input: &OpInput) -> Result<Range<usize>, Error> {
    let found = find_section(body.sections(), index, &input.at("section"))?;
    let content = body.sections().get(found).map(|section| section.content()).unwrap_or_default();
    let below = if deep { subsections(body, found) } else { 0 };
    let last = body.sections().get(found + below).map_or(content.end, |section| section.blocks.end);
    Ok(content.start..last)
}

/// How many sections stand under the heading of one.
fn subsections(body: &Body<'_>, found: usize) -> usize {
    let level = body.sections().get(found).map_or(0, |section| section.level);
    let behind = body.sections().iter().skip(found + 1);
    if level == 0 { 0 } else { behind.take_while(|section| section.level > level).count() }
}

/// A number with its noun.
pub(super) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
