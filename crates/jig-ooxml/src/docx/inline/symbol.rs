//! Characters of symbol fonts as Unicode.

use crate::docx::word;
use crate::xml::Node;

/// The text of a `w:sym`.
pub(super) fn read(node: Node<'_>) -> String {
    let font = word::attr(node, "font").unwrap_or_default();
    let code = word::attr(node, "char").and_then(|code| u32::from_str_radix(code.trim(), 16).ok());
    code.and_then(|code| show(&font, code)).map(String::from).unwrap_or_default()
}

/// The Unicode character of a symbol font's character. Symbol fonts have their glyphs at U+F000 and above.
pub(in crate::docx) fn show(font: &str, code: u32) -> Option<char> {
    let low = if (0xF000..=0xF0FF).contains(&code) { code - 0xF000 } else { code };
    let known = match font.to_ascii_lowercase().as_str() {
        "symbol" => symbol(low),
        "wingdings" => wingdings(low),
        "wingdings 2" => wingdings_2(low),
        _ => None,
    };
    known.or_else(|| char::from_u32(code))
}

fn symbol(low: u32) -> Option<char> {
    const GREEK: &str = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ";
    const SMALL: &str = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ";
    match low {
        0x41..=0x5A => GREEK.chars().nth((low - 0x41) as usize),
        0x61..=0x7A => SMALL.chars().nth((low - 0x61) as usize),
        0x20..=0x3F => char::from_u32(low),
        0xA2 => Some('′'),
        0xA3 => Some('≤'),
        0xA5 => Some('∞'),
        0xAB => Some('↔'),
        0xAC => Some('←'),
        0xAD => Some('↑'),
        0xAE => Some('→'),
        0xAF => Some('↓'),
        0xB0 => Some('°'),
        0xB1 => Some('±'),
        0xB2 => Some('″'),
        0xB3 => Some('≥'),
        0xB4 => Some('×'),
        0xB6 => Some('∂'),
        0xB7 => Some('•'),
        0xB8 => Some('÷'),
        0xB9 => Some('≠'),
        0xBA => Some('≡'),
        0xBB => Some('≈'),
        0xBC => Some('…'),
        0xC5 => Some('⊕'),
        0xC6 => Some('∅'),
        0xC7 => Some('∩'),
        0xC8 => Some('∪'),
        0xCE => Some('∈'),
        0xD0 => Some('∠'),
        0xD1 => Some('∇'),
        0xD2 => Some('®'),
        0xD3 => Some('©'),
        0xD4 => Some('™'),
        0xD5 => Some('∏'),
        0xD6 => Some('√'),
        0xD7 => Some('⋅'),
        0xDB => Some('⇔'),
        0xDE => Some('⇒'),
        0xE5 => Some('∑'),
        0xF2 => Some('∫'),
        _ => None,
    }
}

fn wingdings(low: u32) -> Option<char> {
    match low {
        0x28 => Some('☎'),
        0x2A => Some('✉'),
        0x4A => Some('☺'),
        0x6C => Some('●'),
        0x6E => Some('■'),
        0x6F | 0xA8 => Some('☐'),
        0x71 => Some('❑'),
        0x75 => Some('◆'),
        0x76 => Some('❖'),
        0x9F => Some('•'),
        0xA7 => Some('▪'),
        0xD8 => Some('➢'),
        0xDF => Some('←'),
        0xE0 => Some('→'),
        0xE1 => Some('↑'),
        0xE2 => Some('↓'),
        0xE8 => Some('➔'),
        0xFB => Some('✗'),
        0xFC => Some('✓'),
        0xFD => Some('☒'),
        0xFE => Some('☑'),
        _ => None,
    }
}

fn wingdings_2(low: u32) -> Option<char> {
    match low {
        0x4F => Some('✗'),
        0x50 => Some('✓'),
        0x51 | 0x53 => Some('☒'),
        0x52 => Some('☑'),
        0xA3 => Some('☐'),
        _ => None,
    }
}
