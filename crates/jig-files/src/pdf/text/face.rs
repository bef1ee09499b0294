//! Fonts as text extraction needs them: the character of a code, and its advance width.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_interpret::hayro_cmap::{BfString, CMap, CMapName, CidFamily, load_embedded};
use hayro::hayro_syntax::object::{Array, Dict, Name, String as PdfString};
use hayro::kurbo::Point;
use hayro_font::{Font, FontCache, FontGlyph, StandardFont};

use super::glyph::Text;
use super::guess::Guess;

/// The most codes of one font that are remembered.
const KNOWN: usize = 100_000;

/// The fonts of a document that were met so far.
pub(super) struct Faces<'a> {
    cache: FontCache<'a>,
    settings: InterpreterSettings,
    faces: HashMap<usize, Option<Rc<Face<'a>>>>,
    plain: Option<Rc<Face<'a>>>,
}

impl Default for Faces<'_> {
    fn default() -> Self {
        Self { cache: FontCache::new(), settings: InterpreterSettings::default(), faces: HashMap::new(), plain: None }
    }
}

impl<'a> Faces<'a> {
    /// The font of a dictionary; none when it cannot be loaded.
    pub(super) fn get(&mut self, dict: &Dict<'a>) -> Option<Rc<Face<'a>>> {
        // The bytes of a dictionary stay where they are while the document is open.
        let key = dict.data().as_ptr() as usize;
        if let Some(face) = self.faces.get(&key) {
            return face.clone();
        }
        let font = self.cache.font(dict, &self.settings.font_resolver, &self.settings.cmap_resolver);
        let face = font.map(|font| Rc::new(Face::new(font, dict)));
        self.faces.insert(key, face.clone());
        face
    }

    /// The font for text that names none.
    pub(super) fn plain(&mut self) -> Option<Rc<Face<'a>>> {
        if self.plain.is_none() {
            let font = self.cache.standard_font(StandardFont::Helvetica, &self.settings.font_resolver)?;
            self.plain = Some(Rc::new(Face::new(font, &Dict::default())));
        }
        self.plain.clone()
    }
}

/// A font.
pub(super) struct Face<'a> {
    font: Font<'a>,
    collection: Option<Collection>,
    guess: Guess,
    /// What codes of one byte show, and all others.
    small: RefCell<Vec<Option<DecodedGlyph>>>,
    known: RefCell<HashMap<u32, DecodedGlyph>>,
}

/// What a code shows.
#[derive(Debug, Clone)]
pub(super) struct DecodedGlyph {
    /// None when the font does not say.
    pub(super) text: Option<Text>,
    /// In units of the font size.
    pub(super) advance: Point,
}

impl<'a> Face<'a> {
    fn new(font: Font<'a>, dict: &Dict<'_>) -> Self {
        let (collection, guess) = (Collection::of(dict), Guess::of(dict));
        Self { font, collection, guess, small: RefCell::new(vec![None; 256]), known: RefCell::default() }
    }

    /// The next code of a string and how many bytes it takes, at least one.
    pub(super) fn code(&self, bytes: &[u8], at: usize) -> (u32, usize) {
        let (code, length) = self.font.read_code(bytes, at);
        (code, length.max(1))
    }

    pub(super) fn is_horizontal(&self) -> bool {
        self.font.is_horizontal()
    }

    pub(super) fn decode(&self, code: u32, length: usize) -> DecodedGlyph {
        let small = usize::try_from(code).ok().filter(|code| *code < 256);
        let known = match small {
            Some(code) => self.small.borrow().get(code).cloned().flatten(),
            None => self.known.borrow().get(&code).cloned(),
        };
        if let Some(shown) = known {
            return shown;
        }
        let shown = self.look_up(code, length);
        self.keep(code, small, &shown);
        shown
    }

    fn keep(&self, code: u32, small: Option<usize>, shown: &DecodedGlyph) {
        match small {
            Some(small) => {
                if let Some(slot) = self.small.borrow_mut().get_mut(small) {
                    *slot = Some(shown.clone());
                }
            }
            None => {
                let mut known = self.known.borrow_mut();
                if known.len() < KNOWN {
                    known.insert(code, shown.clone());
                }
            }
        }
    }

    fn look_up(&self, code: u32, length: usize) -> DecodedGlyph {
        let advance = self.font.code_advance(code) / 1_000.0;
        let text = self.text(code).or_else(|| {
            let length = u8::try_from(length).unwrap_or(2);
            self.collection.as_ref().and_then(|collection| collection.text(code, length))
        });
        let text = text.or_else(|| self.guessed(code));
        DecodedGlyph { text, advance: advance.to_point() }
    }

    fn guessed(&self, code: u32) -> Option<Text> {
        let glyph = self.font.glyph(self.font.map_code(code), code);
        as_text(&BfString::Char(self.guess.char(&glyph, code)?))
    }

    fn text(&self, code: u32) -> Option<Text> {
        let glyph = self.font.glyph(self.font.map_code(code), code);
        let text = match &glyph {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        as_text(&text?)
    }
}

/// Ligatures are spelled out, and what cannot be seen is left out.
fn as_text(text: &BfString) -> Option<Text> {
    match text {
        BfString::Char(char) => match spelled(*char) {
            Some(letters) => Some(Text::Chars(letters.into())),
            None => Some(Text::Char(*char)).filter(|_| !is_noise(*char)),
        },
        BfString::String(chars) => {
            let mut text = String::new();
            for char in chars.chars().filter(|char| !is_noise(*char)) {
                match spelled(char) {
                    Some(letters) => text.push_str(letters),
                    None => text.push(char),
                }
            }
            (!text.is_empty()).then(|| Text::Chars(text.into()))
        }
    }
}

fn spelled(char: char) -> Option<&'static str> {
    Some(match char {
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        'ﬃ' => "ffi",
        'ﬄ' => "ffl",
        'ﬅ' | 'ﬆ' => "st",
        _ => return None,
    })
}

fn is_noise(char: char) -> bool {
    (char.is_control() && !char.is_whitespace())
        || matches!(char, '\u{AD}' | '\u{FEFF}' | '\u{200B}' | '\u{FFFE}' | '\u{FFFF}')
}

/// The characters of a font that names a known collection instead of saying them itself: East Asian ones.
struct Collection {
    /// From codes to numbers of characters; none where they are the same.
    encoding: Option<CMap>,
    /// From numbers of characters to Unicode; none where codes are Unicode already.
    unicode: Option<CMap>,
}

impl Collection {
    fn of(dict: &Dict<'_>) -> Option<Self> {
        let encoding = dict.get::<Name<'_>>(b"Encoding")?;
        let name = encoding.as_ref();
        let unicode = name.starts_with(b"Uni") && (contains(name, b"UCS2") || contains(name, b"UTF16"));
        if unicode {
            return Some(Self { encoding: None, unicode: None });
        }
        let below = dict.get::<Array<'_>>(b"DescendantFonts")?.iter::<Dict<'_>>().next()?;
        let system = below.get::<Dict<'_>>(b"CIDSystemInfo")?;
        let part = |key: &[u8]| system.get::<PdfString<'_>>(key).map(|text| text.as_bytes().to_vec());
        let family = CidFamily::from_registry_ordering(&part(b"Registry")?, &part(b"Ordering")?);
        let unicode = CMap::parse(load_embedded(family.ucs2_cmap()?)?, load_embedded)?;
        let encoding = match name {
            b"Identity-H" | b"Identity-V" => None,
            name => Some(CMap::parse(load_embedded(CMapName::from_bytes(name))?, load_embedded)?),
        };
        Some(Self { encoding, unicode: Some(unicode) })
    }

    fn text(&self, code: u32, length: u8) -> Option<Text> {
        let Some(unicode) = &self.unicode else { return char::from_u32(code).map(Text::Char) };
        let number = match &self.encoding {
            Some(encoding) => encoding.lookup_cid_code(code, length)?,
            None => code,
        };
        as_text(&unicode.lookup_bf_string(number)?)
    }
}

fn contains(name: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(name, part).is_some()
}
