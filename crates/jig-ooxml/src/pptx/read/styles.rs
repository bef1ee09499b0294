//! `PptxGetStyles`: layouts, fonts, and what can be copied to another deck.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Reading, picture, runs};
use crate::content_types::ContentTypes;
use crate::error::Error;
use crate::pptx::page::{Depth, Page};
use crate::pptx::shape::{Shape, flat};
use crate::pptx::text::paragraphs;
use crate::xml::Ns;

pub(super) fn styles(reading: &Reading<'_>, _params: &Value) -> Result<Value, Error> {
    let mut presentation = reading.presentation.clone();
    let layouts = presentation.layouts(&reading.package);
    let layouts: Vec<Value> = layouts.iter().enumerate().map(|(index, layout)| {
        json!({"asset_id": format!("layout:{}", layout.name), "type": "layout", "name": layout.name, "index": index, "layout_type": layout.kind, "master": layout.master})
    }).collect();
    let mut found = Found { types: ContentTypes::read(&reading.package)?, ..Found::default() };
    for number in 0..presentation.slides.len() {
        if let Err(error) = found.slide(reading, number) {
            presentation.warnings.push(format!("slide {number} cannot be read: {error}"));
        }
    }
    let mut fonts: Vec<(String, usize)> = found.fonts.into_iter().collect();
    fonts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let fonts: Vec<Value> =
        fonts.into_iter().map(|(family, count)| json!({"family": family, "count": count})).collect();
    let assets: Vec<&Value> = layouts.iter().chain(&found.texts).chain(&found.images).collect();
    Ok(json!({
        "format": "pptx",
        "slide_count": presentation.slides.len(),
        "assets": assets,
        "layouts": layouts,
        "fonts": fonts,
        "text_style_assets": found.texts,
        "image_assets": found.images,
        "supported_copy_asset_types": ["text_style", "image", "layout"],
        "warnings": presentation.warnings,
    }))
}

#[derive(Default)]
struct Found {
    types: ContentTypes,
    fonts: BTreeMap<String, usize>,
    texts: Vec<Value>,
    images: Vec<Value>,
}

impl Found {
    fn slide(&mut self, reading: &Reading<'_>, number: usize) -> Result<(), Error> {
        let page = reading.page(number, Depth::Slide)?;
        page.view(reading.package.limits(), |_, shapes| {
            for shape in flat(shapes) {
                self.count_fonts(shape);
                self.texts.extend(text_style(number, shape));
                self.image(reading, &page, number, shape);
            }
            Ok(())
        })
    }

    fn count_fonts(&mut self, shape: &Shape<'_>) {
        let inside = shape.body().into_iter().chain(shape.table()).flat_map(|node| node.descendants());
        for family in inside.filter(|node| node.is(Ns::A, "rPr")).filter_map(runs::font) {
            *self.fonts.entry(family).or_default() += 1;
        }
    }

    fn image(&mut self, reading: &Reading<'_>, page: &Page, number: usize, shape: &Shape<'_>) {
        let image = picture::image_ref(&reading.package, &self.types, &page.relationships, shape);
        let Some(Value::Object(image)) = image else { return };
        let mut asset = json!({
            "asset_id": format!("image:{number}:{}", shape.address()),
            "type": "image",
            "slide_index": number,
            "shape_index": shape.address.first(),
            "shape_address": shape.address(),
            "shape_name": shape.name(),
        });
        if let Some(asset) = asset.as_object_mut() {
            asset.extend(image);
        }
        self.images.push(asset);
    }
}

/// Runs of one text that are listed; `run_count` tells all.
const MAX_RUNS: usize = 50;

fn text_style(number: usize, shape: &Shape<'_>) -> Option<Value> {
    let count: usize = paragraphs(shape.body()?).map(runs::count).sum();
    let all: Vec<Value> = paragraphs(shape.body()?).flat_map(runs::runs).take(MAX_RUNS).collect();
    (count > 0).then(|| {
        json!({
            "asset_id": format!("text_style:{number}:{}", shape.address()),
            "type": "text_style",
            "slide_index": number,
            "shape_index": shape.address.first(),
            "shape_address": shape.address(),
            "shape_name": shape.name(),
            "run_count": count,
            "runs": all,
        })
    })
}
