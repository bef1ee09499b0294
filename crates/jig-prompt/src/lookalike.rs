//! Characters that look like those of tags, and invisible characters.
//!
//! The lists err on the side of more: a character that is escaped without need is still readable.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The less-than sign, and characters that look or normalise like it.
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

/// Characters that are invisible or change how their surroundings are displayed: controls except tab and line feed,
/// bidi controls, zero-width characters, tag characters, fillers. A carriage return is one of them, but permitted
/// before a line feed.
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

/// Whether a writing system needs this invisible character at this position: joiners within letters and emoji, one
/// variation selector after its character, direction marks in a line with a right-to-left script, and the tag
/// characters of the three flags that consist of them.
pub(crate) fn is_needed(before: &str, c: char, rest: &str) -> bool {
    let last = before.chars().next_back();
    match c {
        '\u{200C}' | '\u{200D}' => {
            let is_joiner = |c: char| matches!(c, '\u{200C}' | '\u{200D}');
            last.is_some_and(|c| !c.is_ascii() && !is_hidden(c) && !is_joiner(c)) && !rest.starts_with(is_joiner)
        }
        '\u{180B}'..='\u{180F}' => last.is_some_and(|c| matches!(c, '\u{1820}'..='\u{18AA}')),
        '\u{FE00}'..='\u{FE0F}' => last.is_some_and(|c| {
            c.is_ascii_digit() || matches!(c, '#' | '*') || !c.is_ascii() && !is_hidden(c) && !is_selector(c)
        }),
        '\u{E0100}'..='\u{E01EF}' => last.is_some_and(
            |c| matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}'),
        ),
        '\u{200E}' | '\u{200F}' | '\u{61C}' => {
            let near = |c: &char| *c != '\n';
            let behind = before.chars().rev().take(LINE_MAX).take_while(near).any(is_written_to_the_left);
            behind || rest.chars().take(LINE_MAX).take_while(near).any(is_written_to_the_left)
        }
        '\u{E0000}'..='\u{E007F}' => {
            // The tag characters after the nearest flag, before and after this position.
            let mut tags: Vec<char> = before.chars().rev().take(6).take_while(|c| *c != '\u{1F3F4}').collect();
            if before.chars().rev().nth(tags.len()) != Some('\u{1F3F4}') {
                return false;
            }
            tags.reverse();
            let at = tags.len();
            let tags: String = tags.into_iter().chain([c]).chain(rest.chars().take(5 - at.min(5))).collect();
            FLAGS.contains(&tags.as_str())
        }
        _ => false,
    }
}

/// How far a line is searched for a right-to-left script, in characters.
const LINE_MAX: usize = 400;
/// The tags of England, Scotland and Wales, after the black flag.
const FLAGS: [&str; 3] = [
    "\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];

fn is_selector(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

fn is_written_to_the_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{608}' | '\u{60B}'..='\u{61B}' | '\u{61D}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}'
        | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}')
}

/// The greater-than sign, and characters that look or normalise like it.
pub(crate) fn is_closer(c: char) -> bool {
    matches!(
        c,
        '>' | '\u{FF1E}'
            | '\u{FE65}'
            | '\u{203A}'
            | '\u{232A}'
            | '\u{3009}'
            | '\u{27E9}'
            | '\u{276D}'
            | '\u{276F}'
            | '\u{2771}'
    )
}

/// A name in plain letters: compatibility forms resolved, diacritics and invisible characters removed, as well as the
/// lower block `▁`.
pub(crate) fn folded(name: &str) -> String {
    let plain = name.nfkd().filter(|c| !is_passed_over(*c));
    plain.map(|c| if c == '\u{2581}' { '_' } else { c }).collect()
}

/// Characters that a reader does not notice: invisible ones, and those that only join or vary their neighbours. Joiners
/// and the two common variation selectors stay in data, because writing systems and emoji need them.
pub(crate) fn is_passed_over(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_whitespace() || c.is_ascii_control();
    }
    is_hidden(c)
        || c.is_whitespace()
        || is_combining_mark(c)
        || matches!(c, '\u{200C}' | '\u{200D}' | '\u{FE0E}' | '\u{FE0F}' | '\u{2800}')
}

/// The plain lower-case letters that a character may be read as; none for diacritics and invisible characters.
pub(crate) fn letters(c: char) -> impl Iterator<Item = char> {
    std::iter::once(c).nfkd().filter(|c| !is_passed_over(*c)).flat_map(char::to_lowercase).map(plain)
}

/// The Latin letter that a lower-case letter of another alphabet looks like, for the letters of Jig's tag names.
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
        // Letter symbols without a decomposition: regional indicators, negative circled and squared.
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
