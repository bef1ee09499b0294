//! Pages as images, and the plain rendering of other formats.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::{call, pdf, read};
use crate::sample;

/// The pixels of an image: width, height, and red, green and blue of each.
fn pixels(answer: &Value) -> image::RgbImage {
    assert_eq!(answer["mime_type"], "image/png");
    let bytes = BASE64_STANDARD.decode(answer["bytes_base64"].as_str().unwrap()).unwrap();
    let picture = image::load_from_memory(&bytes).unwrap().to_rgb8();
    assert_eq!((u64::from(picture.width()), u64::from(picture.height())), size(answer));
    picture
}

fn size(answer: &Value) -> (u64, u64) {
    (answer["width"].as_u64().unwrap(), answer["height"].as_u64().unwrap())
}

fn dark(picture: &image::RgbImage) -> usize {
    picture.pixels().filter(|pixel| pixel.0.iter().all(|part| *part < 100)).count()
}

#[test]
fn a_page_is_drawn_on_white_at_150_pixels_to_the_inch() {
    let answer = read("PdfRenderPage", "no-text.pdf", &json!({ "page_index": 0 }));
    assert_eq!(
        (size(&answer), &answer["page_count"], &answer["scaled_down"]),
        ((1240, 1754), &json!(3), &json!(false))
    );
    let picture = pixels(&answer);
    assert_eq!(picture.get_pixel(5, 5).0, [255, 255, 255]);
    // The black square is ten centimetres wide, from three to thirteen, counted from below.
    let at = |x: f64, y: f64| picture.get_pixel((x / 2.54 * 150.0) as u32, (1753.0 - y / 2.54 * 150.0) as u32).0;
    assert_eq!((at(3.2, 3.2), at(12.8, 12.8), at(2.8, 8.0), at(8.0, 13.2)), ([0; 3], [0; 3], [255; 3], [255; 3]));
}

#[test]
fn scale_and_thumbnail_are_kept_within_bounds() {
    let half = read("PdfRenderPage", "outline.pdf", &json!({ "page_index": 1, "scale": 0.5 }));
    assert_eq!((size(&half), &half["scaled_down"], &half["page_index"]), ((620, 877), &json!(false), &json!(1)));
    let double = read("PdfRenderPage", "outline.pdf", &json!({ "scale": 2.0 }));
    let (width, height) = size(&double);
    assert!(width < 1449 && (2046..=2048).contains(&height), "{width} {height}");
    assert_eq!(double["scaled_down"], true);
    let small = read("PdfRenderPage", "outline.pdf", &json!({ "thumbnail": true }));
    assert!(size(&small).1 <= 256 && size(&small).1 > 250);
    assert_eq!(small["scaled_down"], false);
    let clamped = read("PdfRenderPage", "outline.pdf", &json!({ "scale": 3 }));
    assert_eq!((size(&clamped), clamped["warnings"].as_array().map(Vec::len)), (size(&double), Some(1)));
    assert_eq!(size(&read("PdfRenderPage", "outline.pdf", &json!({ "thumbnail": 1 }))), size(&small));
    for wrong in [json!({ "scale": "large" }), json!({ "thumbnail": "maybe" })] {
        let error = call("PdfRenderPage", &pdf("outline.pdf"), &wrong).unwrap_err();
        assert_eq!(error.reason.word(), "invalid", "{wrong}");
    }
    let none = call("PdfRenderPage", &pdf("outline.pdf"), &json!({ "page_index": 5 })).unwrap_err();
    assert_eq!(none.message, "page 6 does not exist: the file has 5 pages");
}

#[test]
fn a_turned_page_is_drawn_as_it_is_shown() {
    let quarter = read("PdfRenderPage", "rotated-pages.pdf", &json!({ "page_index": 1, "scale": 0.5 }));
    // It is rotated in the file, and rendered upright.
    assert_eq!(size(&quarter), (620, 877));
    assert!(dark(&pixels(&quarter)) > 300);
}

#[test]
fn fonts_of_every_sort_leave_ink() {
    for name in
        ["embedded.pdf", "type3.pdf", "spaced.pdf", "pypdf-pdflatex-outline.pdf", "office-hebrew.pdf", "form.pdf"]
    {
        let ink = dark(&pixels(&read("PdfRenderPage", name, &json!({ "scale": 0.5 }))));
        assert!(ink > 200, "{name}: {ink}");
    }
}

#[test]
fn other_formats_have_a_plain_rendering_that_says_so() {
    let file = |name: &str| -> Arc<[u8]> { sample(name).into() };
    let table = [
        ("DocxRenderPage", "word.docx", (1240, 1754)),
        ("XlsxRenderPage", "openpyxl.xlsx", (1240, 1754)),
        ("OdtRenderPage", "text.odt", (1240, 1754)),
        ("PptxRenderSlide", "office/deck.pptx", (1280, 720)),
    ];
    for (method, name, expected) in table {
        let answer = call(method, &file(name), &json!({})).unwrap();
        assert_eq!(size(&answer), expected, "{method}");
        assert_eq!((&answer["renderer"], &answer["scaled_down"]), (&json!("plain"), &json!(false)));
        assert!(answer["notice"].as_str().unwrap().starts_with("a plain rendering"), "{answer}");
        assert!(dark(&pixels(&answer)) > 50, "{method}");
    }
    let slides = call("PptxRenderSlide", &file("office/deck.pptx"), &json!({ "slide_index": 0 })).unwrap();
    assert_eq!(slides["slide_count"], slides["page_count"]);
    assert!(call("PptxRenderSlide", &file("office/deck.pptx"), &json!({ "slide_index": 99 })).is_err());
}

#[test]
fn a_font_that_cannot_be_drawn_is_said() {
    let answer = read("PdfRenderPage", "east-asian.pdf", &json!({ "scale": 0.25 }));
    let notice = answer["notice"].as_str().unwrap();
    assert!(notice.starts_with("text in fonts that are not in the file may be missing from the image: "), "{notice}");
    assert!(notice.contains("HeiseiMin-W3"), "{notice}");
    assert_eq!(read("PdfRenderPage", "embedded.pdf", &json!({ "scale": 0.25 }))["notice"], Value::Null);
}
