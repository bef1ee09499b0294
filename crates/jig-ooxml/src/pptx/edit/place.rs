//! Places on a slide: reading them from ops, and writing them into the markup of shapes.

use jig_file_api::ops::pptx::PlaceFields;

use crate::edit::{EditError, OpInput};
use crate::error::{DeckIssue, Error};
use crate::pptx::markup::Prefixes;
use crate::pptx::shape::{Frame, transform};
use crate::xml::{Node, Ns, Splice};

/// EMU in an inch.
pub(super) const INCH: f64 = 914_400.0;

/// Refuses sizes and places that no slide has.
pub(super) fn check(input: &OpInput, place: &PlaceFields) -> Result<(), EditError> {
    for (name, value) in [("width", place.width), ("height", place.height)] {
        if value.is_some_and(|value| !(0.01..=100.0).contains(&value)) {
            return Err(input.error(name, DeckIssue::ImageSize));
        }
    }
    for (name, value) in [("left", place.left), ("top", place.top)] {
        if value.is_some_and(|value| !(-100.0..=100.0).contains(&value)) {
            return Err(input.error(name, DeckIssue::ImagePlace));
        }
    }
    Ok(())
}

/// A frame with the sides that an op gives; the others are those of another frame.
pub(super) fn frame(place: &PlaceFields, other: Frame) -> Frame {
    let side = |given: Option<f64>, other: f64| given.map_or(other, |given| given * INCH);
    Frame {
        x: side(place.left, other.x),
        y: side(place.top, other.y),
        width: side(place.width, other.width),
        height: side(place.height, other.height),
        rotation: other.rotation,
    }
}

/// Whether an op gives no place.
pub(super) fn is_empty(place: &PlaceFields) -> bool {
    *place == PlaceFields::default()
}

/// Whether a frame leaves the slide by more than rounding.
pub(super) fn leaves_slide(frame: Frame, (width, height): (i64, i64)) -> bool {
    let slack = INCH / 20.0;
    frame.x < -slack
        || frame.y < -slack
        || frame.x + frame.width > width as f64 + slack
        || frame.y + frame.height > height as f64 + slack
}

/// The size of the slide in inches, for messages.
pub(super) fn slide_inches((width, height): (i64, i64)) -> String {
    let inches = |emu: i64| (emu as f64 / INCH * 100.0).round() / 100.0;
    format!("the slide is {} by {} inches", inches(width), inches(height))
}

/// A length as it is written: whole, and not below zero for sizes.
pub(super) fn emu(value: f64) -> i64 {
    value.round() as i64
}

/// The content of a transform.
pub(super) fn off_ext(a: &str, frame: Frame) -> String {
    format!(
        r#"<{a}off x="{}" y="{}"/><{a}ext cx="{}" cy="{}"/>"#,
        emu(frame.x),
        emu(frame.y),
        emu(frame.width).max(0),
        emu(frame.height).max(0)
    )
}

/// The turn of a frame as it is written.
pub(super) fn turn(frame: Frame) -> i64 {
    (frame.rotation * 60_000.0).round() as i64 % 21_600_000
}

/// Writes the place of a shape, in the measure of the group it is in. False when its markup has no room for one.
pub(super) fn write(splice: &mut Splice<'_>, node: Node<'_>, frame: Frame, turned: bool) -> Result<bool, Error> {
    let prefixes = Prefixes::at(node);
    let a = &prefixes.a;
    let Some(known) = transform(node) else {
        let properties = match node.local() {
            "sp" | "pic" | "cxnSp" => node.child(Ns::P, "spPr"),
            _ => None,
        };
        let Some(properties) = properties else { return Ok(false) };
        let turn = if turned && turn(frame) != 0 { format!(r#" rot="{}""#, turn(frame)) } else { String::new() };
        let declared = &prefixes.declared;
        splice.prepend(properties, format!("<{a}xfrm{declared}{turn}>{}</{a}xfrm>", off_ext(a, frame)));
        return Ok(true);
    };
    match (known.child(Ns::A, "off"), known.child(Ns::A, "ext")) {
        (Some(off), Some(ext)) => {
            splice.set_attr(off, "x", &emu(frame.x).to_string());
            splice.set_attr(off, "y", &emu(frame.y).to_string());
            splice.set_attr(ext, "cx", &emu(frame.width).max(0).to_string());
            splice.set_attr(ext, "cy", &emu(frame.height).max(0).to_string());
        }
        (None, None) => splice.prepend(known, off_ext(a, frame)),
        (Some(half), None) | (None, Some(half)) => splice.replace(half.range(), off_ext(a, frame)),
    }
    if turned {
        match turn(frame) {
            0 => splice.remove_attr(known, "rot"),
            turn => splice.set_attr(known, "rot", &turn.to_string()),
        }
    }
    Ok(true)
}
