//! The map of a presentation: what is where, without the text.

use std::collections::HashMap;

use jig_file_api::read::pptx::{DeckMap, DeckSection, LayoutEntry, SlideEntry, SlideSize, SlideSummary};

use super::deck::DeckReader;
use super::presentation::{Layout, Presentation};
use super::read::table_texts;
use super::shape::{Shape, ShapeKind, flat};
use super::slide::{Inherited, Slide, is_hidden, title};
use super::text::body_text;
use crate::error::Error;

pub(super) fn map(deck: &DeckReader<'_>) -> Result<DeckMap, Error> {
    let mut presentation = deck.presentation.clone();
    let layouts = presentation.layouts(&deck.package);
    let names = SlideNames::new(&layouts, deck.presentation);
    let mut slides = Vec::with_capacity(presentation.slides.len());
    for index in 0..presentation.slides.len() {
        slides.push(match summary(deck, index, &names) {
            Ok(summary) => SlideEntry::Read(summary),
            // The other slides can be read all the same.
            Err(error) => {
                presentation.warnings.push(format!("slide {} cannot be read: {error}", index + 1));
                SlideEntry::Unreadable { index, title: (), layout: (), error: error.to_string() }
            }
        });
    }
    let layouts = layouts.into_iter().enumerate();
    let layouts = layouts.map(|(index, Layout { name, kind, master, .. })| LayoutEntry { index, name, kind, master });
    Ok(DeckMap {
        slide_count: slides.len(),
        slides,
        slide_size: slide_size(&presentation),
        sections: sections(deck.presentation),
        layouts: layouts.collect(),
        has_notes_master: presentation.notes_master.is_some(),
        warnings: presentation.warnings,
    })
}

/// The size of the slides.
pub(super) fn slide_size(presentation: &Presentation) -> SlideSize {
    let (width, height) = presentation.size;
    SlideSize { width, height, unit: "emu" }
}

fn sections(presentation: &Presentation) -> Vec<DeckSection> {
    let slides = presentation.slides.iter().enumerate();
    let indexes: HashMap<&str, usize> = slides.map(|(index, slide)| (slide.id.as_str(), index)).collect();
    let sections = presentation.sections.iter().map(|section| DeckSection {
        name: section.name.clone(),
        slides: section.slides.iter().filter_map(|id| indexes.get(id.as_str()).copied()).collect(),
    });
    sections.collect()
}

/// Names that slides are looked up by.
struct SlideNames<'a> {
    /// The names of layouts by their parts.
    layouts: HashMap<String, String>,
    /// The names of sections by the ids of their slides.
    sections: HashMap<&'a str, &'a str>,
}

impl<'a> SlideNames<'a> {
    fn new(layouts: &[Layout], presentation: &'a Presentation) -> Self {
        let sections = presentation.sections.iter();
        Self {
            layouts: layouts.iter().map(|layout| (layout.part.clone(), layout.name.clone())).collect(),
            sections: sections
                .flat_map(|section| section.slides.iter().map(|id| (id.as_str(), section.name.as_str())))
                .collect(),
        }
    }
}

fn summary(deck: &DeckReader<'_>, index: usize, names: &SlideNames<'_>) -> Result<SlideSummary, Error> {
    let slide = deck.slide(index, Inherited::Skip)?;
    let notes = deck.notes(&slide)?;
    let layout = slide.relationships.first("slideLayout").and_then(|part| names.layouts.get(part));
    let section = deck.presentation.slides.get(index).and_then(|slide| names.sections.get(slide.id.as_str()));
    slide.view(deck.package.limits(), |root, shapes| {
        let all = flat(shapes);
        let has = |kind: ShapeKind| all.iter().any(|shape| shape.kind == kind);
        let image_count = all.iter().filter(|shape| shape.kind == ShapeKind::Picture || has_fill(shape)).count();
        Ok(SlideSummary {
            index,
            title: title(shapes),
            layout: layout.cloned(),
            has_images: image_count > 0,
            has_charts: has(ShapeKind::Chart),
            has_notes: notes.is_some(),
            has_tables: has(ShapeKind::Table),
            has_smart_art: has(ShapeKind::SmartArt),
            has_media: has(ShapeKind::Media),
            has_comments: has_comments(&slide),
            hidden: is_hidden(root),
            section: section.map(|name| (*name).to_owned()),
            shape_count: all.len(),
            image_count,
            char_count: all.iter().map(|shape| characters(shape)).sum(),
        })
    })
}

fn has_fill(shape: &Shape<'_>) -> bool {
    shape.kind != ShapeKind::Media && shape.picture().is_some()
}

fn has_comments(slide: &Slide) -> bool {
    slide.relationships.list.iter().any(|relationship| relationship.kind == "comments")
}

fn characters(shape: &Shape<'_>) -> usize {
    let cells = shape.table().into_iter().flat_map(table_texts).flatten();
    let own = shape.body().map_or(0, |body| body_text(body).chars().count());
    own + cells.map(|cell| cell.chars().count()).sum::<usize>()
}
