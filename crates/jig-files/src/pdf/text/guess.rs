//! Characters that a font does not say: what its own program or the names of its glyphs tell all the same.

use std::cell::OnceCell;
use std::collections::HashMap;

use hayro::hayro_syntax::object::{Array, Dict, Name, Object};
use hayro_font::FontGlyph;
use skrifa::{FontRef, MetadataProvider as _};

/// How many letters stand before the number in the name of a glyph, as in `a65` or `cid65`.
const LETTERS: usize = 3;

/// What is known beside the font's own words.
pub(super) struct Guess {
    /// By code, where a glyph is called by its number.
    numbered: HashMap<u32, char>,
    /// By glyph, from the font program, looked up when it is first needed.
    program: OnceCell<HashMap<u32, char>>,
}

impl Guess {
    pub(super) fn of(dict: &Dict<'_>) -> Self {
        Self { numbered: numbered(dict), program: OnceCell::new() }
    }

    pub(super) fn char(&self, glyph: &FontGlyph<'_>, code: u32) -> Option<char> {
        if let Some(char) = self.numbered.get(&code) {
            return Some(*char);
        }
        let FontGlyph::Outline(outline) = glyph else { return None };
        let program = self.program.get_or_init(|| {
            let bytes = outline.font_data().map(|font| font.data);
            bytes.as_ref().map(|bytes| by_glyph(bytes.as_ref().as_ref())).unwrap_or_default()
        });
        program.get(&outline.glyph_id().to_u32()).copied()
    }
}

/// Glyphs that are called by a number which is their code: the code is then that of the character.
fn numbered(dict: &Dict<'_>) -> HashMap<u32, char> {
    let mut chars = HashMap::new();
    let differences = dict.get::<Dict<'_>>(b"Encoding").and_then(|encoding| encoding.get::<Array<'_>>(b"Differences"));
    let mut code = 0_u32;
    for one in differences.iter().flat_map(|list| list.iter::<Object<'_>>()) {
        match one {
            Object::Number(number) => code = u32::try_from(number.as_i64()).unwrap_or(u32::MAX - 1),
            Object::Name(name) => {
                if number_of(&name) == Some(code)
                    && let Some(char) = char::from_u32(code).filter(|char| code < 256 && !char.is_control())
                {
                    chars.insert(code, char);
                }
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    chars
}

fn number_of(name: &Name<'_>) -> Option<u32> {
    let name = std::str::from_utf8(name.as_ref()).ok()?;
    let digits = name.trim_start_matches(|char: char| char.is_ascii_alphabetic());
    if name.len() - digits.len() > LETTERS {
        return None;
    }
    digits.parse().ok()
}

/// The characters of a font program, by glyph. The first of several counts.
fn by_glyph(program: &[u8]) -> HashMap<u32, char> {
    let mut chars = HashMap::new();
    let Ok(font) = FontRef::new(program) else { return chars };
    for (char, glyph) in font.charmap().mappings() {
        // Places for private use say nothing outside of the font.
        let own = |char: &char| !matches!(char, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..);
        if let Some(char) = char::from_u32(char).filter(own) {
            chars.entry(glyph.to_u32()).or_insert(char);
        }
    }
    chars
}
