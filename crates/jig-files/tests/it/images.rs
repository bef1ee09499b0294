//! Images: what their headers say, and how they are rendered.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, GenericImageView as _};
use jig_files::engine::{FileError, Reason};
use jig_worker::{FileApi, Method};
use serde_json::{Value, json};

use crate::sample;

fn call(method: &str, bytes: &[u8], params: &Value) -> Result<Value, FileError> {
    let bytes: Arc<[u8]> = bytes.into();
    FileApi::default().read(Method::find(method).unwrap(), &bytes, params)
}

fn metadata(name: &str) -> Value {
    call("ImageGetMetadata", &sample(name), &json!({})).unwrap()
}

#[test]
fn headers_tell_format_size_and_colours() {
    let cases = [
        (
            "images/alpha.png",
            json!({ "format": "png", "width": 8, "height": 6, "color_depth": 32, "has_alpha": true, "frames": 1, "dpi": { "x": 144.0, "y": 144.0 } }),
        ),
        (
            "images/palette.png",
            json!({ "format": "png", "width": 8, "height": 6, "color_depth": 1, "has_alpha": true, "frames": 1 }),
        ),
        (
            "images/gray16.png",
            json!({ "format": "png", "width": 8, "height": 6, "color_depth": 16, "has_alpha": false, "frames": 1 }),
        ),
        (
            "images/moving.png",
            json!({ "format": "png", "width": 8, "height": 6, "color_depth": 24, "has_alpha": false, "frames": 3 }),
        ),
        (
            "images/bomb.png",
            json!({ "format": "png", "width": 30000, "height": 30000, "color_depth": 1, "has_alpha": false, "frames": 1 }),
        ),
        (
            "images/cmyk.jpg",
            json!({ "format": "jpeg", "width": 8, "height": 6, "color_depth": 32, "has_alpha": false, "frames": 1 }),
        ),
        (
            "images/gray.jpg",
            json!({ "format": "jpeg", "width": 8, "height": 6, "color_depth": 8, "has_alpha": false, "frames": 1 }),
        ),
        (
            "images/moving.gif",
            json!({ "format": "gif", "width": 8, "height": 6, "color_depth": 2, "has_alpha": true, "frames": 3 }),
        ),
        (
            "images/moving.webp",
            json!({ "format": "webp", "width": 8, "height": 6, "color_depth": 24, "has_alpha": false, "frames": 3 }),
        ),
        (
            "images/lossless.webp",
            json!({ "format": "webp", "width": 8, "height": 6, "color_depth": 32, "has_alpha": true, "frames": 1 }),
        ),
        (
            "images/lossy.webp",
            json!({ "format": "webp", "width": 8, "height": 6, "color_depth": 24, "has_alpha": false, "frames": 1 }),
        ),
        ("dot.bmp", json!({ "format": "bmp", "width": 4, "height": 3, "color_depth": 24 })),
        ("dot.avif", json!({ "format": "avif", "width": 4, "height": 3, "color_depth": null })),
    ];
    for (name, mut expected) in cases {
        expected["size_bytes"] = sample(name).len().into();
        expected["orientation"] = 1.into();
        assert_eq!(metadata(name), expected, "{name}");
    }
    let tiff = metadata("dot.tiff");
    assert_eq!((&tiff["format"], &tiff["width"], &tiff["height"]), (&json!("tiff"), &json!(4), &json!(3)));
}

#[test]
fn exif_is_told_in_short_and_the_place_is_not() {
    let expected = json!({
        "format": "jpeg", "width": 60, "height": 40, "size_bytes": sample("images/photo.jpg").len(), "color_depth": 24,
        "orientation": 6, "shown_width": 40, "shown_height": 60, "has_alpha": false, "frames": 1,
        "dpi": { "x": 300.0, "y": 300.0 },
        "exif": {
            "camera": "Acme One", "lens": "Glass 50mm", "taken_at": "2024-05-01T10:30:00+02:00",
            "software": "Darkroom 2", "has_gps": true,
        },
    });
    assert_eq!(metadata("images/photo.jpg"), expected);
}

fn svg(attributes: &str, body: &str) -> Vec<u8> {
    format!("<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" {attributes}>{body}</svg>")
        .into_bytes()
}

#[test]
fn drawings_tell_their_size() {
    let size = |attributes: &str| {
        let told = call("ImageGetMetadata", &svg(attributes, ""), &json!({})).unwrap();
        (told["width"].as_u64().unwrap(), told["height"].as_u64().unwrap(), told["warnings"].is_array())
    };
    assert_eq!(size("width=\"20\" height=\"10\""), (20, 10, false));
    assert_eq!(size("width=\"1in\" viewBox=\"0 0 10 20\""), (96, 192, false));
    assert_eq!(size("viewBox=\"0,0,33.5,7\""), (34, 7, false));
    assert_eq!(size("width=\"100%\" height=\"100%\" viewBox=\"0 0 30 40\""), (30, 40, false));
    assert_eq!(size(""), (100, 100, true));
    assert_eq!(call("ImageGetMetadata", &svg("width=\"5\" height=\"6\"", ""), &json!({})).unwrap()["format"], "svg");
}

#[test]
fn what_is_damaged_or_no_picture_is_said() {
    let refused = |bytes: &[u8]| call("ImageGetMetadata", bytes, &json!({})).unwrap_err();
    for name in ["alpha.png", "photo.jpg", "moving.gif", "lossy.webp"] {
        let bytes = sample(&format!("images/{name}"));
        for length in 0..bytes.len() {
            // Whatever is left of a file, there is an answer.
            let told = call("ImageGetMetadata", &bytes[..length], &json!({}));
            if let Err(error) = told {
                assert!(matches!(error.reason, Reason::Damaged | Reason::WrongKind), "{name} {length}: {error}");
            }
        }
    }
    let cut = refused(&sample("images/alpha.png")[..20]);
    assert_eq!(
        (cut.reason, cut.message.as_str()),
        (Reason::Damaged, "the image is damaged (a PNG image): its header is cut off")
    );
    let text = refused(b"hello");
    assert_eq!(
        (text.reason, text.message.as_str()),
        (Reason::WrongKind, "this is not an image: the content is plain text")
    );
    let bytes = sample("images/alpha.png");
    let short = call("ImageGetMetadata", &bytes[..bytes.len() - 12], &json!({})).unwrap();
    assert_eq!(short["warnings"], json!(["the image is cut off: its end is missing"]));
}

fn rendered(bytes: &[u8], params: &Value) -> (Value, DynamicImage) {
    let mut answer = call("ImageRender", bytes, params).unwrap();
    let picture = STANDARD.decode(answer["bytes_base64"].as_str().unwrap()).unwrap();
    answer.as_object_mut().unwrap().remove("bytes_base64");
    (answer, image::load_from_memory(&picture).unwrap())
}

#[test]
fn small_pictures_are_given_as_they_are() {
    let bytes = sample("images/alpha.png");
    let answer = call("ImageRender", &bytes, &json!({})).unwrap();
    let expected = json!({
        "bytes_base64": STANDARD.encode(&bytes), "mime_type": "image/png", "scaled_down": false,
        "width": 8, "height": 6, "original_width": 8, "original_height": 6,
    });
    assert_eq!(answer, expected);
    let photo = call("ImageRender", &sample("images/photo.jpg"), &json!({})).unwrap();
    assert_eq!(photo["warnings"], json!(["the image is given as it is, with the position where it was taken"]));
}

#[test]
fn large_pictures_are_made_smaller_and_stand_upright() {
    let (answer, picture) = rendered(&sample("images/wide.jpg"), &json!({}));
    let expected = json!({
        "mime_type": "image/jpeg", "scaled_down": true, "width": 1024, "height": 2048,
        "original_width": 2600, "original_height": 1300,
    });
    assert_eq!(answer, expected);
    // Red was on the left; turned by a quarter it is on top.
    let (top, bottom) = (picture.get_pixel(512, 100), picture.get_pixel(512, 1_900));
    assert!(top[0] > 200 && top[2] < 60 && bottom[2] > 200 && bottom[0] < 60, "{top:?} {bottom:?}");
    let (answer, picture) = rendered(&sample("images/wide.png"), &json!({ "max_px": 260 }));
    assert_eq!((&answer["mime_type"], picture.width(), picture.height()), (&json!("image/png"), 260, 10));
    assert_eq!(picture.get_pixel(10, 5)[3], 128);
    let (answer, _) = rendered(&sample("images/moving.gif"), &json!({ "max_px": 16 }));
    assert_eq!(answer.get("warnings"), None);
    for (wrong, used) in [(0, 16), (15, 16), (2_049, 2_048)] {
        let answer = call("ImageRender", &sample("images/alpha.png"), &json!({ "max_px": wrong })).unwrap();
        let told = format!("max_px: {wrong} is out of range; read as {used}");
        assert_eq!(answer["warnings"][0], told);
    }
}

#[test]
fn bombs_and_other_formats_are_refused() {
    let bomb = call("ImageRender", &sample("images/bomb.png"), &json!({})).unwrap_err();
    assert_eq!(bomb.reason, Reason::TooLarge);
    assert!(bomb.message.contains("30000 by 30000"), "{}", bomb.message);
    let other = call("ImageRender", &sample("dot.avif"), &json!({})).unwrap_err();
    assert_eq!(other.reason, Reason::WrongKind);
    let mut damaged = sample("images/wide.png");
    damaged.truncate(500);
    assert_eq!(call("ImageRender", &damaged, &json!({})).unwrap_err().reason, Reason::Damaged);
}

#[test]
fn drawings_are_drawn_from_themselves_alone() {
    let outside = "<image xlink:href=\"/etc/hostname\" width=\"5\" height=\"5\"/><image xlink:href=\"http://127.0.0.1/x.png\" width=\"5\" height=\"5\"/>";
    let body = format!(
        "<rect width=\"20\" height=\"10\" fill=\"#f00\"/><rect x=\"10\" width=\"10\" height=\"10\" fill=\"blue\"/>{outside}"
    );
    let (answer, picture) = rendered(&svg("width=\"20\" height=\"10\"", &body), &json!({}));
    let expected = json!({
        "mime_type": "image/png", "scaled_down": false, "width": 20, "height": 10, "original_width": 20,
        "original_height": 10, "warnings": ["an image outside the file is left out"],
    });
    assert_eq!(answer, expected);
    assert_eq!((picture.get_pixel(4, 8).0, picture.get_pixel(15, 5).0), ([255, 0, 0, 255], [0, 0, 255, 255]));
    let inside = STANDARD.encode(sample("images/wide.png"));
    let body = format!(
        "<image href=\"data:image/png;base64,{inside}\" width=\"20\" height=\"10\" preserveAspectRatio=\"none\"/>"
    );
    let (answer, picture) = rendered(&svg("width=\"20\" height=\"10\"", &body), &json!({}));
    assert_eq!(answer.get("warnings"), None);
    assert!(picture.get_pixel(15, 5)[2] > 240);
    let (answer, picture) = rendered(
        &svg("width=\"4000\" height=\"1000\"", "<rect width=\"4000\" height=\"1000\"/>"),
        &json!({ "max_px": 64 }),
    );
    assert_eq!((&answer["scaled_down"], picture.width(), picture.height()), (&json!(true), 64, 16));
}

#[test]
fn text_in_drawings_is_drawn() {
    let body = "<text x=\"2\" y=\"30\" font-size=\"30\" font-family=\"Nowhere\">Jig</text>";
    let (answer, picture) = rendered(&svg("width=\"60\" height=\"40\"", body), &json!({}));
    assert_eq!(
        answer["warnings"],
        json!(["text in the drawing is shown in a font of Jig's own, without characters that it lacks"])
    );
    let inked = picture.pixels().filter(|(_, _, pixel)| pixel[3] > 128).count();
    assert!(inked > 50, "{inked}");
}

#[test]
fn drawings_that_ask_for_too_much_are_refused() {
    let refused =
        |body: &str| call("ImageRender", &svg("width=\"2000\" height=\"2000\"", body), &json!({})).unwrap_err();
    let deep = format!("{}{}", "<g>".repeat(50_000), "</g>".repeat(50_000));
    assert_eq!(refused(&deep).reason, Reason::TooLarge);
    let mut laughs = "<defs><rect id=\"a0\" width=\"1\" height=\"1\"/>".to_owned();
    for level in 1..12 {
        let uses = format!("<use xlink:href=\"#a{}\"/>", level - 1).repeat(10);
        laughs.push_str(&format!("<g id=\"a{level}\">{uses}</g>"));
    }
    assert_eq!(refused(&format!("{laughs}</defs><use xlink:href=\"#a11\"/>")).reason, Reason::TooLarge);
    let filters = "<filter id=\"f\"><feGaussianBlur stdDeviation=\"9\"/></filter>".to_owned()
        + &"<rect width=\"9\" height=\"9\" filter=\"url(#f)\"/>".repeat(5_000);
    assert_eq!(refused(&filters).reason, Reason::TooLarge);
    for filter in [
        "<feTurbulence numOctaves=\"1000000000\"/>",
        "<feMorphology radius=\"99999\"/>",
        "<feConvolveMatrix order=\"1000\"/>",
    ] {
        let body = format!("<filter id=\"f\">{filter}</filter><rect width=\"9\" height=\"9\" filter=\"url(#f)\"/>");
        assert_eq!(refused(&body).reason, Reason::TooLarge, "{filter}");
    }
    let looped =
        call("ImageRender", &svg("width=\"9\" height=\"9\"", "<g id=\"a\"><use xlink:href=\"#a\"/></g>"), &json!({}));
    assert!(looped.is_ok() || looped.is_err_and(|error| error.reason == Reason::Damaged));
    let broken =
        call("ImageRender", b"<svg xmlns='http://www.w3.org/2000/svg' width='5' height='5'><g></svg>", &json!({}));
    assert_eq!(broken.unwrap_err().reason, Reason::Damaged);
}

#[test]
fn the_deepest_drawing_that_is_allowed_is_drawn() {
    let body = format!("{}<rect width=\"9\" height=\"9\"/>{}", "<g opacity=\"0.99\">".repeat(95), "</g>".repeat(95));
    let (_, picture) = rendered(&svg("width=\"9\" height=\"9\"", &body), &json!({}));
    assert!(picture.get_pixel(4, 4)[3] > 50);
}
