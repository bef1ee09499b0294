//! The size of an SVG, from its first element.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::header::{Header, HeaderError};
use crate::text::Text;

/// The width and height of a drawing that gives none, in pixels.
pub(super) const UNSIZED: f32 = 100.0;

pub(super) fn header(bytes: &[u8]) -> Result<Header, HeaderError> {
    let text = Text::decode(bytes);
    let root = root(text.content()).ok_or(HeaderError::SvgRoot)?;
    let length = |name: &str| attribute(&root, name).and_then(|value| pixels(&value));
    let view = attribute(&root, "viewBox").and_then(|value| view_box(&value));
    let (width, height) = match (length("width"), length("height"), view) {
        (Some(width), Some(height), _) => (width, height),
        // One side alone keeps the proportions.
        (Some(width), None, Some((w, h))) => (width, width * h / w),
        (None, Some(height), Some((w, h))) => (height * w / h, height),
        (None, None, Some(view)) => view,
        (width, height, None) => (width.unwrap_or(f64::from(UNSIZED)), height.unwrap_or(f64::from(UNSIZED))),
    };
    let side = |number: f64| if number.is_finite() { number.ceil().clamp(0.0, f64::from(u32::MAX)) as u32 } else { 0 };
    let mut header =
        Header { format: "svg", width: side(width), height: side(height), alpha: Some(true), ..Header::default() };
    if view.is_none() && length("width").is_none() && length("height").is_none() {
        header.warnings.push(format!("the drawing names no size; {UNSIZED} pixels are taken"));
    }
    Ok(header)
}

/// The first start tag.
fn root(text: &str) -> Option<BytesStart<'_>> {
    let mut reader = Reader::from_str(text);
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) | Event::Empty(start) => return Some(start),
            Event::Eof => return None,
            _ => {}
        }
    }
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.attributes().flatten().find(|attribute| attribute.key.0 == name)?;
    Some(found.value.trim().to_owned())
}

/// A length in pixels, 96 to the inch. Percentages have no meaning here: nothing is around the drawing.
fn pixels(value: &str) -> Option<f64> {
    let number_end = value.find(|c: char| c.is_ascii_alphabetic() && c != 'e' && c != 'E' || c == '%');
    // An `e` may begin a unit as well as an exponent.
    let number_end = match value.find("em").or_else(|| value.find("ex")) {
        Some(at) => at,
        None => number_end.unwrap_or(value.len()),
    };
    let (number, unit) = value.split_at_checked(number_end)?;
    let factor = match unit.trim() {
        "" | "px" => 1.0,
        "pt" => 96.0 / 72.0,
        "pc" => 16.0,
        "in" => 96.0,
        "cm" => 96.0 / 2.54,
        "mm" => 96.0 / 25.4,
        "em" => 12.0,
        "ex" => 6.0,
        _ => return None,
    };
    number.trim().parse::<f64>().ok().map(|number| number * factor).filter(|number| *number > 0.0)
}

fn view_box(value: &str) -> Option<(f64, f64)> {
    let numbers: Vec<f64> = value
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|piece| !piece.is_empty())
        .map(|piece| piece.parse::<f64>())
        .collect::<Result<_, _>>()
        .ok()?;
    let [_, _, width, height] = numbers.as_slice() else { return None };
    (*width > 0.0 && *height > 0.0).then_some((*width, *height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_units() {
        let cases = [
            ("10", Some(10.0)),
            ("10px", Some(10.0)),
            ("1in", Some(96.0)),
            ("72pt", Some(96.0)),
            ("2.54cm", Some(96.0)),
            ("25.4 mm", Some(96.0)),
            ("1e2", Some(100.0)),
            ("2em", Some(24.0)),
            ("50%", None),
            ("-3", None),
            ("wide", None),
        ];
        for (text, expected) in cases {
            assert_eq!(pixels(text).map(|n| (n * 1000.0).round() / 1000.0), expected, "{text}");
        }
    }
}
