//! What a file says of itself.

use hayro::hayro_syntax::object::DateTime;
use hayro::hayro_syntax::{Pdf, PdfVersion};
use serde_json::{Map, Value};

use super::words;

/// The document's metadata; what is not there has no field.
pub(super) fn metadata(pdf: &Pdf) -> Map<String, Value> {
    let given = pdf.metadata();
    let texts = [
        ("title", &given.title),
        ("author", &given.author),
        ("subject", &given.subject),
        ("keywords", &given.keywords),
        ("creator", &given.creator),
        ("producer", &given.producer),
    ];
    let texts = texts.into_iter().filter_map(|(name, bytes)| {
        let text = words::decode(bytes.as_deref()?);
        (!text.is_empty()).then(|| (name.to_owned(), Value::from(text)))
    });
    let dates = [("created_at", given.creation_date), ("modified_at", given.modification_date)];
    let dates = dates.into_iter().filter_map(|(name, date)| Some((name.to_owned(), Value::from(stamp(date?)))));
    texts.chain(dates).collect()
}

/// RFC 3339.
fn stamp(date: DateTime) -> String {
    let DateTime { year, month, day, hour, minute, second, utc_offset_hour, utc_offset_minute } = date;
    let zone = match (utc_offset_hour, utc_offset_minute) {
        (0, 0) => "Z".to_owned(),
        (hours, minutes) => {
            format!("{}{:02}:{minutes:02}", if hours < 0 { '-' } else { '+' }, hours.unsigned_abs())
        }
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}")
}

pub(super) fn version(pdf: &Pdf) -> &'static str {
    match pdf.version() {
        PdfVersion::Pdf10 => "1.0",
        PdfVersion::Pdf11 => "1.1",
        PdfVersion::Pdf12 => "1.2",
        PdfVersion::Pdf13 => "1.3",
        PdfVersion::Pdf14 => "1.4",
        PdfVersion::Pdf15 => "1.5",
        PdfVersion::Pdf16 => "1.6",
        PdfVersion::Pdf17 => "1.7",
        PdfVersion::Pdf20 => "2.0",
    }
}
