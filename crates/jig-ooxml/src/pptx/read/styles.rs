//! Layouts, fonts, and what can be copied into another presentation.

use std::collections::BTreeMap;

use jig_file_api::read::pptx::{
    DeckAsset, DeckStyles, FontUse, LayoutAsset, SlideImageAsset, SlideRunContent, TextStyleAsset,
};

use super::find::shape_place;
use super::shapes::{font, image_ref, run_count, runs};
use crate::content_types::ContentTypes;
use crate::error::Error;
use crate::pptx::deck::DeckReader;
use crate::pptx::presentation::Layout;
use crate::pptx::shape::{Shape, flat};
use crate::pptx::slide::{Inherited, Slide};
use crate::pptx::text::paragraphs;
use crate::xml::Ns;

pub(in crate::pptx) fn styles(deck: &DeckReader<'_>) -> Result<DeckStyles, Error> {
    let mut presentation = deck.presentation.clone();
    let layouts = presentation.layouts(&deck.package).into_iter().enumerate();
    let layouts: Vec<LayoutAsset> = layouts.map(|(index, layout)| layout_asset(index, layout)).collect();
    let types = ContentTypes::read(&deck.package)?;
    let mut assets =
        AssetCollector { deck, types, fonts: BTreeMap::new(), text_styles: Vec::new(), images: Vec::new() };
    for index in 0..presentation.slides.len() {
        if let Err(error) = assets.add_slide(index) {
            presentation.warnings.push(format!("slide {index} cannot be read: {error}"));
        }
    }
    let AssetCollector { fonts, text_styles, images, .. } = assets;
    let mut fonts: Vec<FontUse> = fonts.into_iter().map(|(family, count)| FontUse { family, count }).collect();
    // Stable: fonts of equal frequency stay in the order of their names.
    fonts.sort_by_key(|font| std::cmp::Reverse(font.count));
    let all = layouts.iter().cloned().map(DeckAsset::Layout);
    let all = all.chain(text_styles.iter().cloned().map(DeckAsset::TextStyle));
    Ok(DeckStyles {
        format: "pptx",
        slide_count: presentation.slides.len(),
        assets: all.chain(images.iter().cloned().map(DeckAsset::Image)).collect(),
        layouts,
        fonts,
        text_style_assets: text_styles,
        image_assets: images,
        supported_copy_asset_types: vec!["text_style", "image", "media", "layout"],
        warnings: presentation.warnings,
    })
}

fn layout_asset(index: usize, layout: Layout) -> LayoutAsset {
    let Layout { name, kind: layout_type, master, .. } = layout;
    LayoutAsset { asset_id: format!("layout:{name}"), kind: "layout", name, index, layout_type, master }
}

/// Collects fonts, text styles and images from the slides.
struct AssetCollector<'a> {
    deck: &'a DeckReader<'a>,
    types: ContentTypes,
    /// How many runs name a font.
    fonts: BTreeMap<String, usize>,
    text_styles: Vec<TextStyleAsset>,
    images: Vec<SlideImageAsset>,
}

impl AssetCollector<'_> {
    fn add_slide(&mut self, slide_index: usize) -> Result<(), Error> {
        let slide = self.deck.slide(slide_index, Inherited::Skip)?;
        slide.view(self.deck.package.limits(), |_, shapes| {
            for shape in flat(shapes) {
                self.count_fonts(shape);
                self.text_styles.extend(text_style(slide_index, shape));
                self.images.extend(self.image(&slide, slide_index, shape));
            }
            Ok(())
        })
    }

    fn count_fonts(&mut self, shape: &Shape<'_>) {
        let inside = shape.body().into_iter().chain(shape.table()).flat_map(|node| node.descendants());
        for family in inside.filter(|node| node.is(Ns::A, "rPr")).filter_map(font) {
            *self.fonts.entry(family).or_default() += 1;
        }
    }

    fn image(&self, slide: &Slide, slide_index: usize, shape: &Shape<'_>) -> Option<SlideImageAsset> {
        let image = image_ref(&self.deck.package, &self.types, &slide.relationships, shape)?;
        let asset_id = format!("image:{slide_index}:{}", shape.address());
        Some(SlideImageAsset { asset_id, kind: "image", slide_index, shape: shape_place(shape), image })
    }
}

/// The most runs of one text that are listed; `run_count` has the number of all.
const MAX_RUNS: usize = 50;

fn text_style(slide_index: usize, shape: &Shape<'_>) -> Option<TextStyleAsset> {
    let body = shape.body()?;
    let run_count: usize = paragraphs(body).map(run_count).sum();
    let first: Vec<SlideRunContent> = paragraphs(body).flat_map(runs).take(MAX_RUNS).collect();
    (run_count > 0).then(|| TextStyleAsset {
        asset_id: format!("text_style:{slide_index}:{}", shape.address()),
        kind: "text_style",
        slide_index,
        shape: shape_place(shape),
        run_count,
        runs: first,
    })
}
