//! `PptxGetMap`: what is where in the deck.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{Reading, is_hidden, title};
use crate::error::Error;
use crate::pptx::page::{Depth, Page};
use crate::pptx::presentation::{Layout, Presentation, Section};
use crate::pptx::shape::{Shape, ShapeKind, flat};
use crate::pptx::text::body_text;

pub(super) fn map(reading: &Reading<'_>, _params: &Value) -> Result<Value, Error> {
    let mut presentation = reading.presentation.clone();
    let layouts = presentation.layouts(&reading.package);
    let known = Known::new(&layouts, reading.presentation);
    let mut slides = Vec::with_capacity(presentation.slides.len());
    for number in 0..presentation.slides.len() {
        slides.push(match slide(reading, number, &known) {
            Ok(slide) => slide,
            // The other slides can be read all the same.
            Err(error) => {
                presentation.warnings.push(format!("slide {number} cannot be read: {error}"));
                json!({"index": number, "title": null, "layout": null, "error": error.to_string()})
            }
        });
    }
    let (width, height) = presentation.size;
    let count = slides.len();
    Ok(json!({
        "slides": slides,
        "slide_count": count,
        "slide_size": {"width": width, "height": height, "unit": "emu"},
        "sections": sections(reading.presentation),
        "layouts": layouts.iter().enumerate().map(layout).collect::<Vec<_>>(),
        "has_notes_master": presentation.notes_master.is_some(),
        "warnings": presentation.warnings,
    }))
}

fn sections(presentation: &Presentation) -> Vec<Value> {
    let slides = presentation.slides.iter().enumerate();
    let numbers: HashMap<&str, usize> = slides.map(|(number, slide)| (slide.id.as_str(), number)).collect();
    let section = |section: &Section| {
        let inside: Vec<usize> = section.slides.iter().filter_map(|id| numbers.get(id.as_str()).copied()).collect();
        json!({"name": section.name, "slides": inside})
    };
    presentation.sections.iter().map(section).collect()
}

/// What slides are looked up in.
struct Known<'a> {
    /// The names of layouts by their parts.
    layouts: HashMap<&'a str, &'a str>,
    /// The names of sections by the ids of their slides.
    sections: HashMap<&'a str, &'a str>,
}

impl<'a> Known<'a> {
    fn new(layouts: &'a [Layout], presentation: &'a Presentation) -> Self {
        let sections = presentation.sections.iter();
        Self {
            layouts: layouts.iter().map(|layout| (layout.part.as_str(), layout.name.as_str())).collect(),
            sections: sections
                .flat_map(|section| section.slides.iter().map(|id| (id.as_str(), section.name.as_str())))
                .collect(),
        }
    }
}

fn layout((index, layout): (usize, &Layout)) -> Value {
    json!({"index": index, "name": layout.name, "type": layout.kind, "master": layout.master})
}

fn slide(reading: &Reading<'_>, number: usize, known: &Known<'_>) -> Result<Value, Error> {
    let page = reading.page(number, Depth::Slide)?;
    let notes = reading.notes(&page)?;
    let layout = page.relationships.first("slideLayout").and_then(|part| known.layouts.get(part).copied());
    let section = reading.presentation.slides.get(number).and_then(|slide| known.sections.get(slide.id.as_str()));
    page.view(reading.package.limits(), |root, shapes| {
        let all = flat(shapes);
        let count = |kind: ShapeKind| all.iter().filter(|shape| shape.kind == kind).count();
        let images = all.iter().filter(|shape| shape.kind == ShapeKind::Picture || has_fill(shape)).count();
        let characters: usize = all.iter().map(|shape| characters(shape)).sum();
        Ok(json!({
            "index": number,
            "title": title(shapes),
            "layout": layout,
            "has_images": images > 0,
            "has_charts": count(ShapeKind::Chart) > 0,
            "has_notes": notes.is_some(),
            "has_tables": count(ShapeKind::Table) > 0,
            "has_smart_art": count(ShapeKind::SmartArt) > 0,
            "has_media": count(ShapeKind::Media) > 0,
            "has_comments": has_comments(&page),
            "hidden": is_hidden(root),
            "section": section,
            "shape_count": all.len(),
            "image_count": images,
            "char_count": characters,
        }))
    })
}

fn has_fill(shape: &Shape<'_>) -> bool {
    shape.kind != ShapeKind::Media && shape.picture().is_some()
}

fn has_comments(page: &Page) -> bool {
    page.relationships.list.iter().any(|relationship| relationship.kind == "comments")
}

fn characters(shape: &Shape<'_>) -> usize {
    let cells = shape.table().into_iter().flat_map(super::extract::cells).flatten();
    let own = shape.body().map_or(0, |body| body_text(body).chars().count());
    own + cells.map(|cell| cell.chars().count()).sum::<usize>()
}
