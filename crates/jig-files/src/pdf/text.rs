//! The text of pages.

mod bidi;
mod face;
mod glyph;
mod guess;
mod layer;
mod layout;
mod order;
mod stream;
mod table;
mod walk;

use hayro::hayro_syntax::content::TypedIter;
use hayro::hayro_syntax::content::ops::TypedInstruction;
use hayro::hayro_syntax::object::{Dict, Name, Stream};
use hayro::hayro_syntax::page::{Page, Resources};

use super::Document;
use face::Faces;
use layer::Layers;
use walk::Walk;

/// Reads pages one after another; fonts stay loaded in between.
pub(super) struct Reader<'d> {
    document: &'d Document,
    faces: Faces<'d>,
    layers: Layers,
    redraw_fields: bool,
    warnings: Vec<String>,
}

impl<'d> Reader<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        let layers = Layers::of(&document.root());
        let redraw_fields = needs_appearances(document);
        Self { document, faces: Faces::default(), layers, redraw_fields, warnings: Vec::new() }
    }

    /// The text of a page, by its index, in reading order.
    pub(super) fn page(&mut self, index: usize) -> String {
        let Some(page) = self.document.pdf.pages().get(index) else { return String::new() };
        let found = Walk::page(page, &mut self.faces, &self.layers, self.redraw_fields);
        if found.cut {
            self.warnings
                .push(format!("page {}: only its first part was read; it is larger than the bound", index + 1));
        }
        if found.unknown > 0 {
            let words =
                format!("page {}: {} glyphs have no known character and are left out", index + 1, found.unknown);
            self.warnings.push(words);
        }
        layout::text(&found.glyphs)
    }

    /// The same below a line that says which page it is.
    pub(super) fn headed_page(&mut self, index: usize) -> String {
        let text = self.page(index);
        let number = index + 1;
        if text.is_empty() {
            let page = self.document.pdf.pages().get(index);
            if !page.is_some_and(has_text) {
                self.warnings.push(format!("page {number} has no text layer"));
            }
            return format!("# Page {number}\n\n");
        }
        format!("# Page {number}\n\n{text}\n\n")
    }

    pub(super) fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// Whether the stored appearances of fields are out of date: the reader is to draw the values instead.
fn needs_appearances(document: &Document) -> bool {
    let form = document.root().get::<Dict<'_>>(b"AcroForm");
    form.is_some_and(|form| form.get::<bool>(b"NeedAppearances").unwrap_or(false))
}

/// Whether a page has more operations than anyone would wait for.
pub(super) fn is_endless(document: &Document, index: usize) -> bool {
    let layers = Layers::of(&document.root());
    let page = document.pdf.pages().get(index);
    page.is_some_and(|page| Walk::page(page, &mut Faces::default(), &layers, false).cut)
}

/// The pages, from 1, on which no text is shown.
pub(super) fn pages_without_text(document: &Document) -> Vec<usize> {
    let pages = document.pdf.pages().iter().enumerate();
    pages.filter(|(_, page)| !has_text(page)).map(|(index, _)| index + 1).collect()
}

/// How deep forms are looked into.
const DEEPEST: usize = 8;
/// How many forms are looked into for one page.
const FORMS: usize = 200;

fn has_text(page: &Page<'_>) -> bool {
    let mut forms = FORMS;
    stream::contents(page).is_some_and(|content| shows_text(&content, page.resources(), 0, &mut forms))
}

/// Whether a content shows any text, itself or in a form that it draws.
fn shows_text(content: &[u8], resources: &Resources<'_>, depth: usize, forms: &mut usize) -> bool {
    if resources.fonts.is_empty() && resources.x_objects.is_empty() {
        return false;
    }
    let mut operations = TypedIter::new(content);
    while let Some(operation) = operations.next() {
        match operation {
            TypedInstruction::ShowText(text) if !text.0.is_empty() => return true,
            TypedInstruction::NextLineAndShowText(text) if !text.0.is_empty() => return true,
            TypedInstruction::ShowTextWithParameters(text) if !text.2.is_empty() => return true,
            TypedInstruction::ShowTexts(_) => return true,
            TypedInstruction::XObject(name) if depth < DEEPEST && *forms > 0 => {
                let Some(form) = resources.get_x_object(name.0).filter(is_form) else { continue };
                *forms -= 1;
                let own = form.dict().get::<Dict<'_>>(b"Resources").map(Resources::new);
                let Some(inside) = stream::decoded(&form) else { continue };
                if shows_text(&inside, own.as_ref().unwrap_or(resources), depth + 1, forms) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

fn is_form(stream: &Stream<'_>) -> bool {
    stream.dict().get::<Name<'_>>(b"Subtype").is_some_and(|kind| kind.as_ref() == b"Form")
}
