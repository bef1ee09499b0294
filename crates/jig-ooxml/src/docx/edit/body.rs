//! Ops on the paragraphs of the body: writing them anew, and adding to them.

use jig_file_api::ops::docx::{AppendParagraph, InsertParagraphs, SetParagraphs};

use crate::edit::{Change, OpInput};
use crate::error::Error;

use super::exchange::Exchange;
use super::place::Place;
use super::remove::Breaks;
use super::session::Session;

impl Session<'_> {
    /// Carries out `set_paragraphs`.
    ///
    /// Without `whole` (`replace_document`), a list that would leave the document empty is refused.
    pub(super) fn set_paragraphs(&mut self, input: &OpInput, fields: SetParagraphs, whole: bool) -> Result<(), Error> {
        let new = self.paragraphs(fields.paragraphs, &input.at("paragraphs"))?;
        self.check_replaced(input, &new, whole)?;
        let summary = format!("Set the text of the document ({}).", counted(new.len(), "paragraph"));
        let change = Change::new(input, summary).with("paragraphs", new.len());
        self.exchange(input, fields.track_changes, |body| {
            Ok(Exchange { blocks: 0..body.blocks.len(), new: &new, breaks: Breaks::Drop })
        })?;
        self.report(change);
        Ok(())
    }

    /// Carries out `append_paragraph`.
    pub(super) fn append_paragraph(&mut self, input: &OpInput, op: AppendParagraph) -> Result<(), Error> {
        let fields = op.paragraph;
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
    pub(super) fn insert_paragraphs(&mut self, input: &OpInput, fields: InsertParagraphs) -> Result<(), Error> {
        let new = self.paragraphs(fields.paragraphs, &input.at("paragraphs"))?;
        if new.is_empty() {
            return Err(input.error("paragraphs", "missing or empty: give at least one paragraph").into());
        }
        let place = Place::from(fields.position);
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
