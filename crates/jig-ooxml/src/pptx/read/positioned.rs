//! A slide as a drawing would place it: every shape with its bounds as parts of the slide.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::content::Looking;
use super::runs;
use crate::pptx::shape::{Shape, ShapeKind, flat};
use crate::pptx::text::{body_text, paragraphs};
use crate::xml::Ns;

pub(super) fn positioned(looking: &Looking<'_>, shapes: &[Shape<'_>]) -> Value {
    let (width, height) = looking.reading.presentation.size;
    let all = flat(shapes);
    let mut missing: BTreeSet<&str> = BTreeSet::new();
    let mut families: BTreeSet<String> = BTreeSet::new();
    let mut placed = Vec::new();
    for shape in &all {
        missing.extend(missing_feature(shape));
        families.extend(fonts(shape));
        if shape.kind != ShapeKind::Group {
            placed.push(place(looking, shape, placed.len(), (width as f64, height as f64)));
        }
    }
    json!({
        "coordinate_space": "slide_ratio",
        "slide_size": {"width": width, "height": height, "unit": "emu"},
        "positioned_shapes": placed,
        "font_families": families,
        "missing_features": missing,
    })
}

fn place(looking: &Looking<'_>, shape: &Shape<'_>, order: usize, (width, height): (f64, f64)) -> Value {
    let mut fields = looking.shape(shape);
    let frame = shape.frame;
    let ratio = |value: Option<f64>, whole: f64| value.map(|value| (value / whole * 1e6).round() / 1e6);
    let x = ratio(frame.map(|frame| frame.x), width);
    let y = ratio(frame.map(|frame| frame.y), height);
    let w = ratio(frame.map(|frame| frame.width), width);
    let h = ratio(frame.map(|frame| frame.height), height);
    // Where the answer had no room for the blocks it has none for the runs either.
    let body = shape.body().filter(|_| fields.get("text_left_out").is_none());
    let runs: Vec<Value> = body.into_iter().flat_map(paragraphs).flat_map(runs::runs).collect();
    let Some(object) = fields.as_object_mut() else { return fields };
    let in_emu = json!({
        "left": object.get("left"), "top": object.get("top"), "x": object.get("left"), "y": object.get("top"),
        "width": object.get("width"), "height": object.get("height"), "unit": "emu",
    });
    let more = json!({
        "z_index": order,
        "bounds": {"x": x, "y": y, "width": w, "height": h, "unit": "ratio"},
        "frame_emu": in_emu,
        "x": x, "y": y, "w": w, "h": h,
        "text": shape.body().map(body_text).unwrap_or_default(),
        "text_runs": runs,
    });
    if let Value::Object(more) = more {
        object.extend(more);
    }
    fields
}

/// What a drawing made from these fields alone would lack.
fn missing_feature(shape: &Shape<'_>) -> Option<&'static str> {
    match shape.kind {
        ShapeKind::Chart => Some("charts"),
        ShapeKind::SmartArt => Some("smart_art"),
        ShapeKind::OleObject => Some("ole_objects"),
        ShapeKind::Media => Some("media"),
        ShapeKind::Connector => Some("connectors"),
        ShapeKind::Other => Some("other_content"),
        _ => None,
    }
}

fn fonts(shape: &Shape<'_>) -> Vec<String> {
    let inside = shape.body().into_iter().chain(shape.table()).flat_map(|node| node.descendants());
    inside.filter(|node| node.is(Ns::A, "rPr")).filter_map(runs::font).collect()
}
