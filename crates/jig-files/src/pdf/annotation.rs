//! Notes, highlights, links and other marks on pages.

use hayro::hayro_syntax::object::{Array, Dict, Name};
use serde::Serialize;

use super::{Document, words};

/// The most annotations that are given.
const MOST: usize = 1_000;

/// One annotation. Form fields are separate, and a pop-up belongs to the annotation that opens it.
#[derive(Debug, Serialize)]
pub(super) struct Annotation {
    /// From 1.
    page: usize,
    r#type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    /// Where a link leads outside of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

pub(super) fn read(document: &Document, warnings: &mut Vec<String>) -> Vec<Annotation> {
    let pages = document.pdf.pages().iter().enumerate();
    let all = pages.flat_map(|(index, page)| {
        let list = page.raw().get::<Array<'_>>(b"Annots");
        let list: Vec<Dict<'_>> = list.iter().flat_map(|list| list.iter::<Dict<'_>>()).collect();
        list.into_iter().filter_map(move |dict| annotation(index + 1, &dict))
    });
    let mut given: Vec<Annotation> = all.take(MOST + 1).collect();
    if given.len() > MOST {
        given.truncate(MOST);
        warnings.push(format!("the file has more annotations than the {MOST} that are given"));
    }
    given
}

fn annotation(page: usize, dict: &Dict<'_>) -> Option<Annotation> {
    let kind = dict.get::<Name<'_>>(b"Subtype")?;
    if matches!(kind.as_ref(), b"Widget" | b"Popup") {
        return None;
    }
    let action = dict.get::<Dict<'_>>(b"A");
    Some(Annotation {
        page,
        r#type: words::decode(kind.as_ref()).to_lowercase(),
        text: words::entry(dict, b"Contents"),
        author: words::entry(dict, b"T"),
        url: action.and_then(|action| words::entry(&action, b"URI")),
    })
}
