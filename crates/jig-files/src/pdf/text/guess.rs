//! Characters of a font without a mapping to Unicode: from the names of its glyphs, the tables of the font program, or
//! codes that are Unicode themselves. A page whose fonts have no mapping would be empty otherwise.

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
    /// Whether `ToUnicode` names an identity mapping instead of holding a table: codes are Unicode then. The standard
    /// does not provide for that, but writers do it and readers follow.
    codes_are_unicode: bool,
}

impl Guess {
    pub(super) fn of(dict: &Dict<'_>) -> Self {
        let mapping = dict.get::<Name<'_>>(b"ToUnicode");
        let codes_are_unicode = mapping.is_some_and(|name| name.as_ref().starts_with(b"Identity"));
        Self { numbered: numbered(dict), program: OnceCell::new(), codes_are_unicode }
    }

    pub(super) fn char(&self, glyph: &FontGlyph<'_>, code: u32) -> Option<char> {
        if let Some(char) = self.numbered.get(&code) {
            return Some(*char);
        }
        self.of_program(glyph).or_else(|| {
            let char = char::from_u32(code).filter(|char| self.codes_are_unicode && !char.is_control());
            char.filter(is_public)
        })
    }

    fn of_program(&self, glyph: &FontGlyph<'_>) -> Option<char> {
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
        if let Some(char) = char::from_u32(char).filter(is_public) {
            chars.entry(glyph.to_u32()).or_insert(char);
        }
    }
    // A subset often has no character map but keeps the names. Names that are made up from glyph numbers say nothing.
    for (glyph, name) in font.glyph_names().iter().filter(|(_, name)| !name.is_synthesized()) {
        if let Some(char) = of_name(name.as_str()).filter(is_public) {
            chars.entry(glyph.to_u32()).or_insert(char);
        }
    }
    chars
}

/// Characters for private use have a meaning only inside of their font.
fn is_public(char: &char) -> bool {
    !matches!(char, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..)
}

/// Names of characters that are not letters, in the order of their codes from `space` to `tilde`.
const NAMES: [(&str, char); 44] = [
    ("space", ' '),
    ("exclam", '!'),
    ("quotedbl", '"'),
    ("numbersign", '#'),
    ("dollar", '$'),
    ("percent", '%'),
    ("ampersand", '&'),
    ("quotesingle", '\''),
    ("parenleft", '('),
    ("parenright", ')'),
    ("asterisk", '*'),
    ("plus", '+'),
    ("comma", ','),
    ("hyphen", '-'),
    ("period", '.'),
    ("slash", '/'),
    ("zero", '0'),
    ("one", '1'),
    ("two", '2'),
    ("three", '3'),
    ("four", '4'),
    ("five", '5'),
    ("six", '6'),
    ("seven", '7'),
    ("eight", '8'),
    ("nine", '9'),
    ("colon", ':'),
    ("semicolon", ';'),
    ("less", '<'),
    ("equal", '='),
    ("greater", '>'),
    ("question", '?'),
    ("at", '@'),
    ("bracketleft", '['),
    ("backslash", '\\'),
    ("bracketright", ']'),
    ("asciicircum", '^'),
    ("underscore", '_'),
    ("grave", '`'),
    ("braceleft", '{'),
    ("bar", '|'),
    ("braceright", '}'),
    ("asciitilde", '~'),
    ("germandbls", 'ß'),
];

/// The character of a glyph name: `A`, `comma`, `uni20AC`, `u1F600`, each with or without a suffix such as `.alt`.
fn of_name(name: &str) -> Option<char> {
    let base = name.split('.').next().filter(|base| !base.is_empty())?;
    let mut letters = base.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return letter.is_ascii_alphabetic().then_some(letter);
    }
    if let Some((_, char)) = NAMES.iter().find(|(known, _)| *known == base) {
        return Some(*char);
    }
    let digits = base.strip_prefix("uni").filter(|digits| digits.len() == 4);
    let digits = digits.or_else(|| base.strip_prefix('u').filter(|digits| (4..=6).contains(&digits.len())))?;
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_glyphs_are_characters() {
        for (name, char) in [("A", 'A'), ("comma", ','), ("uni20AC", '€'), ("u1F600", '😀'), ("b.alt", 'b')] {
            assert_eq!(of_name(name), Some(char), "{name}");
        }
        for name in [".notdef", "", "gid12", "unity", "uni20", "glyph7"] {
            assert_eq!(of_name(name), None, "{name}");
        }
    }
}
