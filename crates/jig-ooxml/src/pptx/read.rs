//! Reading a deck: the methods of the protocol by name.

mod content;
mod extract;
mod find;
mod graphic;
mod map;
mod picture;
mod positioned;
mod runs;
mod styles;

use std::sync::Arc;

use serde_json::Value;

pub(super) use picture::hex;

use super::page::{Depth, Page};
use super::presentation::Presentation;
use super::shape::{Shape, flat, shapes};
use super::text;
use crate::edit::EditError;
use crate::error::Error;
use crate::limits::Limits;
use crate::package::Package;

/// A presentation opened for reading.
#[derive(Debug, Clone)]
pub struct Deck {
    bytes: Arc<[u8]>,
    limits: Limits,
    presentation: Presentation,
}

/// What one call reads from. The package is opened anew for each, so that its bounds count per call.
struct Reading<'a> {
    package: Package,
    presentation: &'a Presentation,
}

impl Deck {
    /// Opens a deck and reads its list of slides.
    pub fn open(bytes: Arc<[u8]>, limits: Limits) -> Result<Self, Error> {
        let package = Package::open(Arc::clone(&bytes), limits)?;
        let presentation = Presentation::read(&package)?;
        Ok(Self { bytes, limits, presentation })
    }

    /// Answers a read method of the protocol; none when there is no such method.
    pub fn read(&self, method: &str, params: &Value) -> Option<Result<Value, Error>> {
        let method = match method {
            "PptxGetMap" => map::map,
            "PptxExtractText" => extract::extract,
            "PptxGetSlideContent" => content::content,
            "PptxGetStyles" => styles::styles,
            "PptxFind" => find::find,
            _ => return None,
        };
        Some(self.reading().and_then(|reading| method(&reading, params)))
    }

    fn reading(&self) -> Result<Reading<'_>, Error> {
        let package = Package::open(Arc::clone(&self.bytes), self.limits)?;
        Ok(Reading { package, presentation: &self.presentation })
    }
}

impl Reading<'_> {
    /// A slide by its number.
    fn page(&self, slide: usize, depth: Depth) -> Result<Page, Error> {
        let count = self.presentation.slides.len();
        let Some(slide) = self.presentation.slides.get(slide) else {
            let why = match count {
                0 => "the deck has no slides".to_owned(),
                _ => format!("there is no slide {slide}; slides are counted from 0 to {}", count - 1),
            };
            return Err(EditError::new("slide_index", why).into());
        };
        Ok(Page::load(&self.package, &slide.part, depth)?)
    }

    /// The speaker's notes of a slide; none when it has none.
    fn notes(&self, page: &Page) -> Result<Option<String>, Error> {
        let Some(part) = page.notes().filter(|part| self.package.has(part)) else { return Ok(None) };
        let notes = self.package.xml(part)?;
        let tree = notes.tree(self.package.limits())?;
        Ok(notes_text(&shapes(tree.root(), &[])?))
    }
}

/// What a person wrote on a notes page.
fn notes_text(shapes: &[Shape<'_>]) -> Option<String> {
    let written = flat(shapes)
        .into_iter()
        .filter(|shape| shape.placeholder().is_none_or(|found| !found.is_furniture() && found.kind != "sldImg"));
    let lines: Vec<String> = written.filter_map(|shape| shape.body()).map(text::body_text).collect();
    let text = lines.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// The title of a slide on one line.
fn title(shapes: &[Shape<'_>]) -> Option<String> {
    let titles = flat(shapes).into_iter().filter(|shape| shape.placeholder().is_some_and(|found| found.is_title()));
    let texts = titles.filter_map(|shape| shape.body()).map(|body| text::one_line(&text::body_text(body)));
    texts.into_iter().find(|title| !title.is_empty())
}

/// Whether the slide is left out of the show.
fn is_hidden(root: crate::xml::Node<'_>) -> bool {
    root.attr("show").is_some_and(|show| matches!(&*show, "0" | "false"))
}

/// A whole number among the parameters, under any of its names.
fn index_param(params: &Value, names: &[&str]) -> Result<Option<usize>, Error> {
    for name in names {
        let value = match params.get(name) {
            None | Some(Value::Null) => continue,
            Some(value) => value,
        };
        let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
        let number = number.and_then(|number| usize::try_from(number).ok());
        return number.map(Some).ok_or_else(|| EditError::new(*name, "a whole number from 0 on is needed").into());
    }
    Ok(None)
}
