//! Walks through the operations of a page and notes each shown character with its place.

use std::rc::Rc;

use hayro::hayro_syntax::content::TypedIter;
use hayro::hayro_syntax::content::ops::TypedInstruction;
use hayro::hayro_syntax::object::{
    Array, Dict, Name, Number, Object, ObjectIdentifier, Rect, Stream, String as PdfString,
};
use hayro::hayro_syntax::page::{Page, Resources};
use hayro::kurbo::{Affine, Point, Size, Vec2};

use super::face::{Face, Faces};
use super::glyph::{Glyph, Run, Text};
use super::layer::Layers;
use super::{is_form, stream};
use crate::pdf::{form, words};

/// How deep forms may be nested.
const DEEPEST: usize = 24;
/// How many saved states there are.
const STATES: usize = 512;
/// The most operations of one page, with those of its forms: forms that draw forms would never end.
const OPERATIONS: u64 = 10_000_000;
/// The most glyphs of one page.
const GLYPHS: usize = 2_000_000;

/// What a page shows.
#[derive(Debug, Default)]
pub(super) struct PageGlyphs {
    pub(super) glyphs: Vec<Glyph>,
    /// How many glyphs have no known character.
    pub(super) unknown: usize,
    /// Whether a bound ended the walk.
    pub(super) cut: bool,
}

#[derive(Clone)]
struct State<'a> {
    transform: Affine,
    face: Option<Rc<Face<'a>>>,
    size: f64,
    char_space: f64,
    word_space: f64,
    stretch: f64,
    leading: f64,
    rise: f64,
}

/// A marked piece of content that is not yet closed.
struct Mark {
    hidden: bool,
    /// What it says instead of its glyphs, which begin here.
    instead: Option<(usize, String)>,
}

pub(super) struct Walk<'a, 'w> {
    faces: &'w mut Faces<'a>,
    layers: &'w Layers,
    state: State<'a>,
    saved: Vec<State<'a>>,
    text: Affine,
    line: Affine,
    marks: Vec<Mark>,
    hidden: usize,
    within: Vec<ObjectIdentifier>,
    operations: u64,
    page: Size,
    found: PageGlyphs,
}

impl<'a, 'w> Walk<'a, 'w> {
    /// The characters of a page, as its operations show them.
    /// With `redraw_fields` fields show their values and not the appearance that was stored for them.
    pub(super) fn page(
        page: &Page<'a>,
        faces: &'w mut Faces<'a>,
        layers: &'w Layers,
        redraw_fields: bool,
    ) -> PageGlyphs {
        let transform = Affine::new(page.initial_transform(true).as_coeffs());
        let (width, height) = page.render_dimensions();
        let mut walk = Self {
            faces,
            layers,
            state: State {
                transform,
                face: None,
                size: 1.0,
                char_space: 0.0,
                word_space: 0.0,
                stretch: 1.0,
                leading: 0.0,
                rise: 0.0,
            },
            saved: Vec::new(),
            text: Affine::IDENTITY,
            line: Affine::IDENTITY,
            marks: Vec::new(),
            hidden: 0,
            within: Vec::new(),
            operations: 0,
            page: Size::new(width.into(), height.into()),
            found: PageGlyphs::default(),
        };
        let start = walk.state.clone();
        match stream::contents(page) {
            Some(content) => walk.content(&content, page.resources()),
            None => walk.found.cut = page.raw().contains_key(b"Contents"),
        }
        let annotations = page.raw().get::<Array<'a>>(b"Annots");
        for annotation in annotations.iter().flat_map(|list| list.iter::<Dict<'a>>()) {
            walk.state = start.clone();
            walk.annotation(&annotation, page.resources(), redraw_fields);
        }
        walk.found
    }

    fn over(&mut self) -> bool {
        if self.operations > OPERATIONS || self.found.glyphs.len() > GLYPHS {
            self.found.cut = true;
        }
        self.found.cut
    }

    fn content(&mut self, content: &[u8], resources: &Resources<'a>) {
        let (states, marks) = (self.saved.len(), self.marks.len());
        let mut operations = TypedIter::new(content);
        while let Some(operation) = operations.next() {
            self.operations += 1;
            if self.over() {
                break;
            }
            self.operation(&operation, resources, states);
        }
        // What a form opens and does not close ends with it.
        while self.marks.len() > marks {
            self.close_mark();
        }
        if let Some(state) = self.saved.drain(states..).next() {
            self.state = state;
        }
    }

    fn operation(&mut self, operation: &TypedInstruction<'_, '_>, resources: &Resources<'a>, states: usize) {
        match operation {
            TypedInstruction::SaveState(_) if self.saved.len() < STATES => self.saved.push(self.state.clone()),
            TypedInstruction::RestoreState(_) if self.saved.len() > states => {
                if let Some(state) = self.saved.pop() {
                    self.state = state;
                }
            }
            TypedInstruction::Transform(t) => self.state.transform *= matrix([&t.0, &t.1, &t.2, &t.3, &t.4, &t.5]),
            TypedInstruction::BeginText(_) => (self.text, self.line) = (Affine::IDENTITY, Affine::IDENTITY),
            TypedInstruction::SetTextMatrix(t) => {
                self.line = matrix([&t.0, &t.1, &t.2, &t.3, &t.4, &t.5]);
                self.text = self.line;
            }
            TypedInstruction::TextFont(font) => self.font(font.0, font.1.as_f64(), resources),
            TypedInstruction::SetGraphicsState(name) => self.graphics_state(name.0, resources),
            TypedInstruction::CharacterSpacing(number) => self.state.char_space = number.0.as_f64(),
            TypedInstruction::WordSpacing(number) => self.state.word_space = number.0.as_f64(),
            TypedInstruction::HorizontalScaling(number) => self.state.stretch = number.0.as_f64() / 100.0,
            TypedInstruction::TextLeading(number) => self.state.leading = number.0.as_f64(),
            TypedInstruction::TextRise(number) => self.state.rise = number.0.as_f64(),
            TypedInstruction::NextLine(to) => self.next_line(to.0.as_f64(), to.1.as_f64()),
            TypedInstruction::NextLineAndSetLeading(to) => {
                self.state.leading = -to.1.as_f64();
                self.next_line(to.0.as_f64(), to.1.as_f64());
            }
            TypedInstruction::NextLineUsingLeading(_) => self.next_line(0.0, -self.state.leading),
            TypedInstruction::ShowText(text) => self.show(text.0),
            TypedInstruction::NextLineAndShowText(text) => {
                self.next_line(0.0, -self.state.leading);
                self.show(text.0);
            }
            TypedInstruction::ShowTextWithParameters(text) => {
                self.state.word_space = text.0.as_f64();
                self.state.char_space = text.1.as_f64();
                self.next_line(0.0, -self.state.leading);
                self.show(text.2);
            }
            TypedInstruction::ShowTexts(texts) => self.show_all(texts.0),
            TypedInstruction::XObject(name) => {
                if let Some(form) = resources.get_x_object(name.0).filter(is_form) {
                    self.form(&form, resources);
                }
            }
            TypedInstruction::BeginMarkedContent(_) => self.marks.push(Mark { hidden: false, instead: None }),
            TypedInstruction::BeginMarkedContentWithProperties(mark) => self.open_mark(mark.0, mark.1, resources),
            TypedInstruction::EndMarkedContent(_) => self.close_mark(),
            _ => {}
        }
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.line *= Affine::translate((x, y));
        self.text = self.line;
    }

    fn font(&mut self, name: &Name<'_>, size: f64, resources: &Resources<'a>) {
        self.state.size = size;
        self.state.face = match resources.get_font(name) {
            Some(dict) => self.faces.get(&dict),
            None => self.faces.plain(),
        };
    }

    /// A named graphics state can set the font too.
    fn graphics_state(&mut self, name: &Name<'_>, resources: &Resources<'a>) {
        let Some(font) = resources.get_ext_g_state(name).and_then(|state| state.get::<Array<'a>>(b"Font")) else {
            return;
        };
        let mut parts = font.flex_iter();
        if let (Some(dict), Some(size)) = (parts.next::<Dict<'a>>(), parts.next::<f64>()) {
            self.state.face = self.faces.get(&dict);
            self.state.size = size;
        }
    }

    fn show_all(&mut self, texts: &Array<'_>) {
        for one in texts.iter::<Object<'_>>() {
            match one {
                Object::String(text) => self.show(&text),
                Object::Number(number) => {
                    let back = -number.as_f64() / 1_000.0 * self.state.size;
                    let horizontal = self.state.face.as_ref().is_none_or(|face| face.is_horizontal());
                    let step = if horizontal { (back * self.state.stretch, 0.0) } else { (0.0, back) };
                    self.text *= Affine::translate(step);
                }
                _ => {}
            }
        }
    }

    fn show(&mut self, text: &PdfString<'_>) {
        if self.state.face.is_none() {
            self.state.face = self.faces.plain();
        }
        let Some(face) = self.state.face.clone() else { return };
        let State { size, stretch, rise, char_space, word_space, transform, .. } = self.state;
        let horizontal = face.is_horizontal();
        let along = if horizontal { Vec2::new(size * stretch, 0.0) } else { Vec2::new(0.0, -size) };
        let place = transform * self.text;
        let run = Run::new(place, along, size);
        let visible = self.hidden == 0 && place.is_finite();
        let bytes = text.as_bytes();
        let mut pen = Vec2::ZERO;
        let mut at = 0;
        while at < bytes.len() {
            let (code, length) = face.code(bytes, at);
            at += length;
            self.operations += 1;
            if self.over() {
                break;
            }
            let shown = face.decode(code, length);
            let step = Vec2::new(shown.advance.x * size * stretch, shown.advance.y * size);
            match shown.text {
                Some(text) if visible => {
                    let start = Point::new(pen.x, pen.y + rise);
                    self.found.glyphs.extend(run.glyph(text, start, start + step, self.page));
                }
                None if visible => self.found.unknown += 1,
                _ => {}
            }
            let space = char_space + if length == 1 && code == 32 { word_space } else { 0.0 };
            pen += if horizontal { Vec2::new(step.x + space * stretch, 0.0) } else { Vec2::new(0.0, step.y + space) };
        }
        self.text *= Affine::translate(pen);
    }

    fn open_mark(&mut self, tag: &Name<'_>, given: &Object<'_>, resources: &Resources<'a>) {
        let mut mark = Mark { hidden: false, instead: None };
        match given {
            Object::Name(name) => {
                mark.hidden = tag.as_ref() == b"OC" && self.layers.hide(&resources.properties, name.as_ref());
                let dict = resources.properties.get::<Dict<'a>>(name.as_ref());
                mark.instead = dict.as_ref().and_then(instead).map(|text| (self.found.glyphs.len(), text));
            }
            Object::Dict(dict) => mark.instead = instead(dict).map(|text| (self.found.glyphs.len(), text)),
            _ => {}
        }
        self.hidden += usize::from(mark.hidden);
        self.marks.push(mark);
    }

    fn close_mark(&mut self) {
        let Some(mark) = self.marks.pop() else { return };
        self.hidden -= usize::from(mark.hidden);
        // The outermost text counts where they are nested.
        let inner = self.marks.iter().any(|mark| mark.instead.is_some());
        let Some((start, text)) = mark.instead.filter(|_| !inner) else { return };
        let Some(first) = self.found.glyphs.get(start).cloned() else { return };
        let same = self.found.glyphs.get(start..).unwrap_or_default().iter().filter(|glyph| glyph.way == first.way);
        let end = same.filter(|glyph| (glyph.base - first.base).abs() < first.size).map(|glyph| glyph.x1);
        let x1 = end.fold(first.x1, f32::max);
        self.found.glyphs.truncate(start);
        if !text.is_empty() {
            self.found.glyphs.push(Glyph { text: Text::Chars(text.into()), x1, ..first });
        }
    }

    fn form(&mut self, form: &Stream<'a>, resources: &Resources<'a>) {
        let id = form.obj_id();
        if self.within.len() >= DEEPEST || self.within.contains(&id) || self.layers.hide(form.dict(), b"OC") {
            return;
        }
        let Some(content) = stream::decoded(form) else {
            self.found.cut = true;
            return;
        };
        let own = form.dict().get::<Dict<'a>>(b"Resources").map(Resources::new);
        let before = (self.state.clone(), self.text, self.line);
        if let Some(matrix) = form.dict().get::<[f64; 6]>(b"Matrix") {
            self.state.transform *= Affine::new(matrix);
        }
        self.within.push(id);
        self.content(&content, own.as_ref().unwrap_or(resources));
        self.within.pop();
        (self.state, self.text, self.line) = before;
    }

    /// What an annotation shows on the page, such as the value of a field.
    fn annotation(&mut self, annotation: &Dict<'a>, resources: &Resources<'a>, redraw: bool) {
        const HIDDEN: u32 = 1 << 1 | 1 << 5;
        let flags = annotation.get::<u32>(b"F").unwrap_or(0);
        let popup = annotation.get::<Name<'_>>(b"Subtype").is_some_and(|kind| kind.as_ref() == b"Popup");
        if flags & HIDDEN != 0 || popup || self.layers.hide(annotation, b"OC") {
            return;
        }
        let (page, shown) = (self.state.transform, self.found.glyphs.len());
        let value = if redraw { field_value(annotation, page) } else { Vec::new() };
        if !value.is_empty() {
            self.found.glyphs.extend(value);
            return;
        }
        if let Some(form) = appearance(annotation) {
            if let Some(rect) = annotation.get::<Rect>(b"Rect") {
                self.state.transform *= placed(&form, rect);
            }
            self.form(&form, resources);
        }
        // Some writers leave it to the reader to draw what was filled in.
        if self.found.glyphs.len() == shown {
            self.found.glyphs.extend(field_value(annotation, page));
        }
    }
}

/// The most choices of a list that are read as text of the page; the map has all.
const CHOICES: usize = 200;

/// What a marked piece says instead of its glyphs.
fn instead(dict: &Dict<'_>) -> Option<String> {
    dict.get::<PdfString<'_>>(b"ActualText").map(|text| words::decode(text.as_bytes()))
}

fn matrix(numbers: [&Number; 6]) -> Affine {
    Affine::new(numbers.map(Number::as_f64))
}

/// The appearance stream of an annotation in its current state.
fn appearance<'a>(annotation: &Dict<'a>) -> Option<Stream<'a>> {
    match annotation.get::<Dict<'a>>(b"AP")?.get::<Object<'a>>(b"N")? {
        Object::Stream(stream) => Some(stream),
        Object::Dict(states) => states.get::<Stream<'a>>(annotation.get::<Name<'a>>(b"AS")?.as_ref()),
        _ => None,
    }
}

/// What a field shows that leaves it to the reader to draw it: its value in the middle of its box, or the choices of a
/// list below each other.
fn field_value(field: &Dict<'_>, page: Affine) -> Vec<Glyph> {
    const COMBO: i64 = 1 << 17;
    let own = |key: &[u8]| field.get::<Object<'_>>(key).or_else(|| field.get::<Dict<'_>>(b"Parent")?.get(key));
    let flags = match own(b"Ff") {
        Some(Object::Number(flags)) => flags.as_i64(),
        _ => 0,
    };
    let lines = match own(b"FT") {
        Some(Object::Name(kind)) if kind.as_ref() == b"Ch" && flags & COMBO == 0 => match own(b"Opt") {
            Some(Object::Array(list)) => form::choices(&list)
                .iter()
                .take(CHOICES)
                .map(|choice| choice.as_str().unwrap_or_default().to_owned())
                .collect(),
            _ => Vec::new(),
        },
        Some(Object::Name(kind)) if matches!(kind.as_ref(), b"Tx" | b"Ch") => match own(b"V") {
            Some(Object::String(value)) => vec![words::decode(value.as_bytes())],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let Some(rect) = field.get::<Rect>(b"Rect") else { return Vec::new() };
    let (width, height) = (rect.x1 - rect.x0, rect.y1 - rect.y0);
    let line = height / lines.len().max(1) as f64;
    let size = (line * 0.7).min(12.0);
    let run = Run::new(page, Vec2::new(size, 0.0), size);
    let everywhere = Size::new(f64::MAX, f64::MAX);
    let glyph = |(at, text): (usize, String)| {
        let base = rect.y1 - line * at as f64 - (line + size * 0.7) / 2.0;
        let start = Point::new(rect.x0, base);
        run.glyph(Text::Chars(text.as_str().into()), start, start + Vec2::new(width, 0.0), everywhere)
    };
    lines.into_iter().enumerate().filter(|(_, text)| !text.is_empty()).filter_map(glyph).collect()
}

/// Moves a form's box into the rectangle of its annotation.
fn placed(form: &Stream<'_>, rect: Rect) -> Affine {
    let Some(own) = form.dict().get::<Rect>(b"BBox") else { return Affine::IDENTITY };
    let matrix = form.dict().get::<[f64; 6]>(b"Matrix").map_or(Affine::IDENTITY, Affine::new);
    let corners = [(own.x0, own.y0), (own.x1, own.y0), (own.x0, own.y1), (own.x1, own.y1)];
    let corners = corners.map(|(x, y)| matrix * Point::new(x, y));
    let low = corners.iter().fold(corners[0], |low, point| Point::new(low.x.min(point.x), low.y.min(point.y)));
    let high = corners.iter().fold(corners[0], |high, point| Point::new(high.x.max(point.x), high.y.max(point.y)));
    let ratio = |length: f64, of: f64| if of.abs() > 1e-6 { length / of } else { 1.0 };
    let (x, y) = (ratio(rect.x1 - rect.x0, high.x - low.x), ratio(rect.y1 - rect.y0, high.y - low.y));
    Affine::new([x, 0.0, 0.0, y, rect.x0 - x * low.x, rect.y0 - y * low.y])
}
