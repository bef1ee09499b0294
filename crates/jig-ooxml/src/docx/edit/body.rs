//! Ops on the paragraphs of the body: writing them anew, and adding to them.

use serde::Deserialize;
use serde_json::Value;

use crate::edit::{Change, OpInput};
use crate::error::Error;

use super::exchange::Exchange;
use super::fields::{OneOf, ParagraphFields};
use super::place::Place;
use super::remove::Breaks;
use super::session::Session;

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
}

/// A number with its noun.
pub(super) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
