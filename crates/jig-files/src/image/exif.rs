//! EXIF in short: camera and date, how to turn the image, and whether it has a position.

use exif::{In, Reader, Tag, Value};
use jig_file_api::read::image::ExifSummary;

/// What is taken from the EXIF of an image.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Exif {
    pub(super) orientation: Option<u8>,
    pub(super) per_inch: Option<(f64, f64)>,
    pub(super) summary: ExifSummary,
}

/// The most characters of a text.
const LONGEST: usize = 100;

impl Exif {
    /// The EXIF of an image, if it has some that can be read.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new();
        reader.continue_on_error(true);
        let exif = match reader.read_from_container(&mut std::io::Cursor::new(bytes)) {
            Ok(exif) => exif,
            Err(exif::Error::PartialResult(partial)) => partial.into_inner().0,
            Err(_) => return None,
        };
        let found = Self {
            orientation: number(&exif, Tag::Orientation)
                .and_then(|n| u8::try_from(n).ok())
                .filter(|n| (1..=8).contains(n)),
            per_inch: resolution(&exif),
            summary: ExifSummary {
                camera: camera(&exif),
                lens: text(&exif, Tag::LensModel),
                taken_at: taken_at(&exif),
                software: text(&exif, Tag::Software),
                has_gps: [Tag::GPSLatitude, Tag::GPSLongitude, Tag::GPSDestLatitude]
                    .into_iter()
                    .any(|tag| exif.get_field(tag, In::PRIMARY).is_some()),
            },
        };
        (found != Self::default()).then_some(found)
    }
}

fn number(exif: &exif::Exif, tag: Tag) -> Option<u32> {
    exif.get_field(tag, In::PRIMARY)?.value.get_uint(0)
}

fn text(exif: &exif::Exif, tag: Tag) -> Option<String> {
    let Value::Ascii(lines) = &exif.get_field(tag, In::PRIMARY)?.value else { return None };
    let text = String::from_utf8_lossy(lines.first()?);
    let text: String = text.trim_matches(['\0', ' ']).chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    (!text.is_empty()).then_some(text)
}

/// Maker and model; the names of many models begin with the maker.
fn camera(exif: &exif::Exif) -> Option<String> {
    let (maker, model) = (text(exif, Tag::Make), text(exif, Tag::Model));
    match (maker, model) {
        (Some(maker), Some(model)) => {
            let named = model.to_lowercase().starts_with(&maker.to_lowercase());
            Some(if named { model } else { format!("{maker} {model}") })
        }
        (maker, model) => model.or(maker),
    }
}

/// `2024:05:01 10:30:00` as `2024-05-01T10:30:00`, with the offset where the camera knew it.
fn taken_at(exif: &exif::Exif) -> Option<String> {
    let text = text(exif, Tag::DateTimeOriginal).or_else(|| self::text(exif, Tag::DateTime))?;
    let (date, time) = text.split_once(' ')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    if date.len() != 10 || time.len() != 8 || !digits(date) || !digits(time) {
        return None;
    }
    let offset = self::text(exif, Tag::OffsetTimeOriginal).filter(|offset| offset.len() == 6).unwrap_or_default();
    Some(format!("{}T{time}{offset}", date.replace(':', "-")))
}

fn resolution(exif: &exif::Exif) -> Option<(f64, f64)> {
    let unit = match number(exif, Tag::ResolutionUnit) {
        Some(3) => 2.54,
        _ => 1.0,
    };
    let of = |tag| match &exif.get_field(tag, In::PRIMARY)?.value {
        Value::Rational(list) => list.first().map(|number| number.to_f64() * unit),
        _ => None,
    };
    let sane = |dpi: &f64| dpi.is_finite() && *dpi > 0.0;
    of(Tag::XResolution).filter(sane).zip(of(Tag::YResolution).filter(sane))
}
