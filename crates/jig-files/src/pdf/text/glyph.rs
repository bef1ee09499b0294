//! A shown character with its place on the page.

use hayro::kurbo::{Affine, Point, Size, Vec2};

/// A way that text runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    Right,
    Down,
    Left,
    Up,
}

/// A character on the page, or the several characters of a ligature. Positions are as if the text ran to the right, y down.
#[derive(Debug, Clone)]
pub(super) struct Glyph {
    pub(super) text: Text,
    pub(super) way: Way,
    pub(super) x0: f32,
    pub(super) x1: f32,
    pub(super) base: f32,
    pub(super) size: f32,
}

/// The text of a glyph: mostly one character.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Text {
    Char(char),
    Chars(std::rc::Rc<str>),
}

impl Text {
    pub(super) fn push_to(&self, text: &mut String) {
        match self {
            Self::Char(char) => text.push(*char),
            Self::Chars(chars) => text.push_str(chars),
        }
    }

    /// Whether it is a mark that is set over or below a letter.
    pub(super) fn is_mark(&self) -> bool {
        let Self::Char(char) = self else { return false };
        matches!(char,
            '\u{300}'..='\u{36F}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5C7}' | '\u{610}'..='\u{61A}'
            | '\u{64B}'..='\u{65F}' | '\u{6D6}'..='\u{6ED}' | '\u{93A}'..='\u{94F}' | '\u{E31}'
            | '\u{E34}'..='\u{E3A}' | '\u{E47}'..='\u{E4E}' | '\u{EB1}' | '\u{EB4}'..='\u{EBC}'
            | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}')
    }

    pub(super) fn is_space(&self) -> bool {
        match self {
            Self::Char(char) => char.is_whitespace(),
            Self::Chars(chars) => chars.chars().all(char::is_whitespace),
        }
    }
}

/// What the glyphs of one shown string have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    /// From text space to the page.
    place: Affine,
    way: Way,
    size: f32,
}

impl Run {
    /// A run by its transform, its base line's direction in text space, and its font size there.
    pub(super) fn new(place: Affine, along: Vec2, size: f64) -> Self {
        let [a, b, c, d, ..] = place.as_coeffs();
        let (x, y) = (a * along.x + c * along.y, b * along.x + d * along.y);
        let way = match (x.abs() >= y.abs(), x >= 0.0, y >= 0.0) {
            (true, true, _) => Way::Right,
            (true, false, _) => Way::Left,
            (false, _, true) => Way::Down,
            (false, _, false) => Way::Up,
        };
        Self { place, way, size: ((c.hypot(d) * size.abs()).max(0.01)) as f32 }
    }

    /// A glyph by where it begins and where the next would, in text space; none when that is outside of the page.
    pub(super) fn glyph(&self, text: Text, start: Point, end: Point, page: Size) -> Option<Glyph> {
        let (start, end) = (self.place * start, self.place * end);
        let (low, high) = ((start.x.min(end.x), start.y.min(end.y)), (start.x.max(end.x), start.y.max(end.y)));
        if high.0 < 0.0 || high.1 < 0.0 || low.0 > page.width || low.1 > page.height {
            return None;
        }
        let turn = |point: Point| match self.way {
            Way::Right => (point.x, point.y),
            Way::Down => (point.y, -point.x),
            Way::Left => (-point.x, -point.y),
            Way::Up => (-point.y, point.x),
        };
        let ((x0, base), (x1, _)) = (turn(start), turn(end));
        let (x0, x1) = (x0 as f32, x1 as f32);
        Some(Glyph { text, way: self.way, x0: x0.min(x1), x1: x1.max(x0), base: base as f32, size: self.size })
    }
}
