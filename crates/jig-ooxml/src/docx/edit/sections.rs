//! Ops on sections.

use std::ops::Range;

use jig_file_api::ops::docx::{DeleteSection, ReplaceSection};
use jig_file_api::read::docx::SectionRef;

use super::blocks::{Breaks, refill};
use super::markup::Dialect;
use super::new_paragraph::NewParagraph;
use super::paragraphs::Exchange;
use super::{Body, DocumentEdit};
use crate::edit::{OpInput, OpReport};
use crate::error::{DocumentIssue, Error, counted};
use crate::xml::Splice;

impl DocumentEdit<'_> {
    /// Applies `replace_section`.
    pub(super) fn replace_section(&mut self, input: &OpInput, fields: ReplaceSection) -> Result<(), Error> {
        let section = fields.section;
        // Clients that send every field send an empty list for unused ones.
        let paragraphs = fields.paragraphs.filter(|list| !list.is_empty() || fields.heading.is_none());
        if paragraphs.is_none() && fields.heading.is_none() {
            return Err(input
                .error("paragraphs", DocumentIssue::Missing { what: "the new paragraphs of the section" })
                .into());
        }
        let heading = fields.heading.map(|heading| self.clean(&heading, &input.at("heading")));
        // Resolved before the heading changes, since the section may be named by it.
        let index = self.section_index(&section, input)?;
        if let Some(heading) = &heading {
            self.set_heading(input, index, heading, fields.track_changes)?;
        }
        let mut change = OpReport::new(input, String::new()).with("section", index);
        if let Some(paragraphs) = paragraphs {
            let new = self.paragraphs(paragraphs, &input.at("paragraphs"))?;
            if new.iter().all(NewParagraph::is_empty) {
                return Err(input
                    .error("paragraphs", DocumentIssue::EmptiesSection)
                    .suggest(["delete_section"])
                    .into());
            }
            change = change.with("paragraphs", new.len());
            let deep = fields.include_subsections;
            self.exchange(input, fields.track_changes, |body| {
                let blocks = section_blocks(body, index, deep);
                Ok(Exchange { blocks, new: &new, breaks: Breaks::Keep })
            })?;
            change.summary = format!("Replaced the text of section {index} ({}).", counted(new.len(), "paragraph"));
        } else {
            change.summary = format!("Changed the heading of section {index}.");
        }
        self.report(change);
        Ok(())
    }

    /// Applies `delete_section`.
    pub(super) fn delete_section(&mut self, input: &OpInput, fields: &DeleteSection) -> Result<(), Error> {
        let index = self.section_index(&fields.section, input)?;
        let mut heading = String::new();
        let mut count = 0;
        let mut below = 0;
        self.exchange(input, fields.track_changes, |body| {
            let section = body.sections().get(index);
            heading = section.map(|section| section.heading.clone()).unwrap_or_default();
            let start = section.map_or(0, |section| section.blocks.start);
            let blocks = start..section_blocks(body, index, fields.include_subsections).end;
            count = blocks.len();
            below = if fields.include_subsections { 0 } else { subsections(body, index) };
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
        self.report(OpReport::new(input, summary).with("section", index).with("blocks", count));
        Ok(())
    }

    /// The number of a section that was named.
    fn section_index(&mut self, given: &SectionRef, input: &OpInput) -> Result<usize, Error> {
        let styles = self.styles()?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        Ok(self.find_section(&body, given, &input.at("section"))?)
    }

    /// Replaces the heading of a section: the paragraph stays, with its format.
    fn set_heading(
        &mut self,
        input: &OpInput,
        section: usize,
        heading: &str,
        track: Option<bool>,
    ) -> Result<(), Error> {
        if heading.trim().is_empty() {
            return Err(input.error("heading", DocumentIssue::EmptyHeading).into());
        }
        let styles = self.styles()?;
        let mut revisions = self.revisions(track)?;
        let (main, limits) = (self.main(), self.limits());
        let tree = main.tree(&limits)?;
        let body = Body::read(&tree, main.name(), &styles)?;
        let found = body.sections().get(section).filter(|section| section.level > 0);
        let block = found.and_then(|section| body.blocks.get(section.blocks.start));
        let Some(block) = block else {
            return Err(input.error("heading", DocumentIssue::NoHeadingToChange).into());
        };
        let dialect = Dialect::of(&tree);
        let mut splice = Splice::new(main.text());
        let new = NewParagraph::plain(heading, None);
        refill(&mut splice, block.node(), &new, &dialect, revisions.as_mut());
        self.keep_revisions(revisions);
        self.splice_main(splice)
    }
}

/// The blocks of a section without its heading; with `deep`, also those of its subsections.
fn section_blocks(body: &Body<'_>, index: usize, deep: bool) -> Range<usize> {
    let content = body.sections().get(index).map(|section| section.content()).unwrap_or_default();
    let below = if deep { subsections(body, index) } else { 0 };
    let last = body.sections().get(index + below).map_or(content.end, |section| section.blocks.end);
    content.start..last
}

/// How many subsections a section has.
fn subsections(body: &Body<'_>, index: usize) -> usize {
    let level = body.sections().get(index).map_or(0, |section| section.level);
    let behind = body.sections().iter().skip(index + 1);
    if level == 0 { 0 } else { behind.take_while(|section| section.level > level).count() }
}
