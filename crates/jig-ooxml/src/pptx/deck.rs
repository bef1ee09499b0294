//! An opened presentation.

use std::sync::Arc;

use jig_file_api::read::FindQuery;
use jig_file_api::read::pptx::{DeckMap, DeckMatches, DeckStyles, DeckText, SlideContent, SlideQuery, TextQuery};

use super::presentation::Presentation;
use super::shape::shapes;
use super::slide::{Inherited, Slide, notes_text};
use super::{map, read};
use crate::edit::EditError;
use crate::error::{DeckIssue, Error};
use crate::limits::Limits;
use crate::package::Package;

/// A presentation opened for reading. It can be read from several threads.
#[derive(Debug, Clone)]
pub struct Deck {
    bytes: Arc<[u8]>,
    limits: Limits,
    presentation: Presentation,
}

impl Deck {
    /// Opens a presentation and reads its list of slides.
    pub fn open(bytes: impl Into<Arc<[u8]>>, limits: Limits) -> Result<Self, Error> {
        let bytes = bytes.into();
        let package = Package::open(Arc::clone(&bytes), limits)?;
        let presentation = Presentation::read(&package)?;
        Ok(Self { bytes, limits, presentation })
    }

    /// The structure: sections, tables, images and counts, without the text. A slide that cannot be read is listed with
    /// its error.
    pub fn map(&self) -> Result<DeckMap, Error> {
        map::map(&self.reader()?)
    }

    /// The text of all slides or of one: in reading order, tables as Markdown, with the notes.
    pub fn text(&self, query: &TextQuery) -> Result<DeckText, Error> {
        read::text(&self.reader()?, query)
    }

    /// Every shape of a slide.
    pub fn slide(&self, query: &SlideQuery) -> Result<SlideContent, Error> {
        read::slide(&self.reader()?, query)
    }

    /// Layouts, fonts, and what can be copied into another presentation.
    pub fn styles(&self) -> Result<DeckStyles, Error> {
        read::styles(&self.reader()?)
    }

    /// Where a text occurs.
    pub fn find(&self, query: &FindQuery) -> Result<DeckMatches, Error> {
        read::find(&self.reader()?, query)
    }

    /// Opens the package for one call, so that its limits apply to each call alone.
    fn reader(&self) -> Result<DeckReader<'_>, Error> {
        let package = Package::open(Arc::clone(&self.bytes), self.limits)?;
        Ok(DeckReader { package, presentation: &self.presentation })
    }
}

/// What one call reads from.
pub(super) struct DeckReader<'a> {
    pub(super) package: Package,
    pub(super) presentation: &'a Presentation,
}

impl DeckReader<'_> {
    /// The parts of a slide.
    pub(super) fn slide(&self, index: usize, inherited: Inherited) -> Result<Slide, Error> {
        let count = self.presentation.slides.len();
        let Some(slide) = self.presentation.slides.get(index) else {
            return Err(EditError::new("slide_index", DeckIssue::NoSlide { index, count }).into());
        };
        Ok(Slide::load(&self.package, &slide.part, inherited)?)
    }

    /// The speaker's notes of a slide; none when it has none.
    pub(super) fn notes(&self, slide: &Slide) -> Result<Option<String>, Error> {
        let Some(part) = slide.notes().filter(|part| self.package.has(part)) else { return Ok(None) };
        let notes = self.package.xml(part)?;
        let tree = notes.tree(self.package.limits())?;
        Ok(notes_text(&shapes(tree.root(), &[])?))
    }
}
