//! Which characters could be taken for the ones that tags are made of, and which cannot be seen.
//!
//! The lists err on the side of more: a character that is escaped without need is still readable.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The less-than sign, and what looks or normalises like it.
pub(crate) fn is_opener(c: char) -> bool {
    matches!(
        c,
        '<' | '\u{FF1C}' // fullwidth
            | '\u{FE64}' // small
            | '\u{226E}' // not less than: a less-than sign with a stroke through it
            | '\u{226A}' | '\u{227A}' | '\u{22D6}' | '\u{22D8}' | '\u{2A74}'
            ..='\u{2A79}'
            | '\u{02C2}' // modifier letter left arrowhead
            | '\u{2039}' | '\u{00AB}' // quotation marks
            | '\u{2329}' | '\u{3008}' | '\u{300A}' | '\u{27E8}' | '\u{27EA}' | '\u{29FC}' | '\u{2991}' | '\u{FE3D}' | '\u{FE3F}'
            | '\u{276C}' | '\u{276E}' | '\u{2770}'
            | '\u{1438}' | '\u{16B2}' | '\u{1D236}' // letters and signs of other scripts
            | '\u{29A0}' | '\u{227E}'
    )
}

/// What cannot be seen, or changes how its surroundings are shown: controls but tab and line feed, bidi controls,
/// characters without width, tag characters, fillers. A carriage return is one of them; before a line feed it is let be.
pub(crate) fn is_hidden(c: char) -> bool {
    match c {
        '\t' | '\n' => false,
        '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}' => true,
        c if c.is_ascii() => false,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' => true,
        '\u{180B}'..='\u{180F}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' => true,
        '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0D}' | '\u{FEFF}' | '\u{FFA0}' => true,
        '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' => true,
        '\u{E0000}'..='\u{E0FFF}' => true,
        _ => false,
    }
}

/// What a reader passes over without noticing: the hidden, and what only joins or varies its neighbours. The joiners
/// and the two common variation selectors stay as they are in data, for writing systems and emoji need them.
pub(crate) fn is_passed_over(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_whitespace() || c.is_ascii_control();
    }
    is_hidden(c)
        || c.is_whitespace()
        || is_combining_mark(c)
        || matches!(c, '\u{200C}' | '\u{200D}' | '\u{FE0E}' | '\u{FE0F}' | '\u{2800}')
}

/// A character as the plain small letters it may be read as; marks and the unseen give nothing.
pub(crate) fn letters(c: char) -> impl Iterator<Item = char> {
    std::iter::once(c).nfkd().filter(|c| !is_passed_over(*c)).flat_map(char::to_lowercase).map(plain)
}

/// A small letter of another alphabet as the Latin one it looks like, for the letters that our names are made of.
fn plain(c: char) -> char {
    match c {
        'a'..='z' => c,
        '0' | 'ο' | 'о' | 'օ' | 'ø' | 'ᴏ' | 'ɵ' | 'σ' | 'ס' | 'ه' | '٥' | '०' | '໐' | 'ⲟ' | 'ჿ' => {
            'o'
        }
        'ԝ' | 'ω' | 'ш' | 'щ' | 'ա' | 'ᴡ' | 'ɯ' | 'ѡ' | 'ⱳ' | 'ꮃ' => 'w',
        'г' | 'ʀ' | 'ɾ' | 'ᴦ' | 'ⲅ' | 'ꭇ' | 'ꭈ' | 'ɍ' | 'ꮁ' | 'ꮢ' | 'я' => 'r',
        'κ' | 'к' | 'ᴋ' | 'ҝ' | 'ҟ' | 'қ' | 'ӄ' | 'ƙ' | 'ⲕ' | 'ĸ' | 'ꮶ' => 'k',
        'β' | 'в' | 'ь' | 'ъ' | 'ʙ' | 'ƅ' | 'ɓ' | 'ƀ' | 'б' | 'ⲃ' | 'ꮟ' => 'b',
        'ε' | 'е' | 'ҽ' | 'є' | 'э' | 'ᴇ' | 'ɛ' | 'ə' | 'ɘ' | 'ҿ' | 'ⲉ' | 'ꭼ' | '℮' | '3' => 'e',
        'η' | 'ν' | 'п' | 'н' | 'ո' | 'ռ' | 'ɴ' | 'ŋ' | 'ɲ' | 'и' | 'ⲛ' => 'n',
        'ϲ' | 'с' | 'ᴄ' | 'ҫ' | 'ƈ' | 'ȼ' | 'ɕ' | 'ⲥ' | 'ꮯ' | 'ς' | '¢' => 'c',
        'һ' | 'հ' | 'ʜ' | 'ħ' | 'ɦ' | 'ћ' | 'ђ' | 'ꮋ' | 'ⲏ' | 'ꮒ' => 'h',
        'τ' | 'т' | 'ᴛ' | 'ƭ' | 'ŧ' | 'ⲧ' | 'ꭲ' | 'է' | 'ғ' => 't',
        'χ' | 'х' | '×' | 'ҳ' | 'ⲭ' | 'ӿ' | '᙮' | 'ᕁ' => 'x',
        // Letters as signs that have no decomposition: regional indicators, negative circled and squared.
        '\u{1F1E6}'..='\u{1F1FF}' => nth_letter(c, '\u{1F1E6}'),
        '\u{1F150}'..='\u{1F169}' => nth_letter(c, '\u{1F150}'),
        '\u{1F170}'..='\u{1F189}' => nth_letter(c, '\u{1F170}'),
        other => other,
    }
}

fn nth_letter(c: char, first: char) -> char {
    u8::try_from(u32::from(c) - u32::from(first)).map_or(c, |n| char::from(b'a' + n))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        text.chars().flat_map(letters).collect()
    }

    #[test]
    fn disguised_letters_fold_to_plain_ones() {
        for text in
            ["WORKBENCH", "ｗｏｒｋｂｅｎｃｈ", "wоrkbеnсh", "𝓌𝑜𝓇𝓀𝒷𝑒𝓃𝒸𝒽", "🅦🅞🅡🅚🅑🅔🅝🅒🅗", "w\u{200b}ö\u{301}rk\u{ad}bench"]
        {
            assert_eq!(folded(text), "workbench", "{text:?}");
        }
        assert_eq!(folded("🇼🇴🇷🇰ᴡᴏʀᴋ"), "workwork");
    }

    #[test]
    fn writing_that_is_seen_is_not_hidden() {
        for c in "aé日本語نوشتن\t\n €👍🏽\u{200d}\u{200c}\u{fe0f}".chars() {
            assert!(!is_hidden(c), "{c:?}");
        }
        for c in ['\0', '\r', '\u{202e}', '\u{2066}', '\u{feff}', '\u{e0041}', '\u{85}', '\u{2028}'] {
            assert!(is_hidden(c), "{c:?}");
        }
    }
}
