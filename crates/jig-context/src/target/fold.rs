//! Two normal forms of words: the exact form ignores case; the stem also ignores diacritics and endings.

use jig_contract::fold_case;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The word in lower case, without the vowel signs of Arabic and Hebrew, which people mostly omit.
pub(super) fn exact(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    fold_case(&word.chars().filter(|c| !is_vowel_sign(*c)).collect::<String>())
}

/// An [`exact`] word without diacritics; `ä` and `ae` are equal.
pub(super) fn plain(exact: &str) -> String {
    let unmarked = if exact.is_ascii() { exact.to_owned() } else { without_marks(exact) };
    match unmarked.chars().next().map(script) {
        Some(Script::Latin) => unmarked.replace('ß', "ss").replace("ae", "a").replace("oe", "o").replace("ue", "u"),
        Some(Script::Arabic) => unmarked.chars().filter(|c| *c != '\u{640}').map(one_alef).collect(),
        _ => unmarked,
    }
}

/// An [`exact`] word without diacritics and common endings.
pub(super) fn stem(exact: &str) -> String {
    let plain = plain(exact);
    match plain.chars().next().map(script) {
        Some(Script::Latin) => without_plural(&plain),
        Some(Script::Cyrillic) => without_ending(&plain, "аеёиоуыэюяйь"),
        Some(Script::Greek) => without_ending(&plain, "αεηιουωςσν"),
        _ => plain,
    }
}

/// The scripts with rules of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    /// Also digits and characters without a script.
    Latin,
    Cyrillic,
    Greek,
    Arabic,
    /// Written without spaces between words: each character counts as a word.
    Unspaced,
    Other,
}

pub(super) fn script(c: char) -> Script {
    match u32::from(c) {
        0..=0x24f | 0x1e00..=0x1eff => Script::Latin,
        0x370..=0x3ff | 0x1f00..=0x1fff => Script::Greek,
        0x400..=0x52f => Script::Cyrillic,
        0x600..=0x6ff | 0x750..=0x77f => Script::Arabic,
        // Thai, Lao, Burmese and Khmer; Hangul letters; kana and Han.
        0xe00..=0xeff
        | 0x1000..=0x109f
        | 0x1780..=0x17ff
        | 0x1100..=0x11ff
        | 0x3005..=0x3007
        | 0x3040..=0x318f
        | 0x31f0..=0x31ff
        | 0x3400..=0x9fff
        | 0xac00..=0xd7ff
        | 0xf900..=0xfaff
        | 0xff66..=0xff9d
        | 0x20000..=0x3ffff => Script::Unspaced,
        _ => Script::Other,
    }
}

fn is_vowel_sign(c: char) -> bool {
    matches!(c, '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{591}'..='\u{5c7}')
}

/// Drops diacritics where people omit them when typing; in kana and Indic scripts they distinguish letters.
fn without_marks(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    let mut base = ' ';
    for c in word.nfd() {
        if !is_combining_mark(c) {
            base = c;
            plain.push(c);
        } else if matches!(script(base), Script::Other | Script::Unspaced) {
            plain.push(c);
        }
    }
    plain.nfc().collect()
}

fn without_plural(word: &str) -> String {
    let one = ["ss", "us", "is"].iter().any(|end| word.ends_with(end)) || word.chars().count() <= 3;
    match (one, word.strip_suffix("ies"), word.strip_suffix('s')) {
        (true, ..) | (false, None, None) => word.to_owned(),
        (false, Some(stem), _) => format!("{stem}y"),
        (false, None, Some(stem)) => stem.to_owned(),
    }
}

/// Removes up to three of these letters from the end, if at least four letters remain.
fn without_ending(word: &str, endings: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    for _ in 0..3 {
        match letters.last() {
            Some(last) if letters.len() > 4 && endings.contains(*last) => letters.pop(),
            _ => break,
        };
    }
    letters.into_iter().collect()
}

fn one_alef(c: char) -> char {
    match c {
        'أ' | 'إ' | 'آ' => 'ا',
        'ى' => 'ي',
        'ة' => 'ه',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::{exact, stem};

    #[test]
    fn words_that_people_take_for_the_same_have_one_stem() {
        let same = |one: &str, other: &str| assert_eq!(stem(&exact(one)), stem(&exact(other)), "{one} {other}");
        same("Features", "feature");
        same("entities", "Entity");
        same("Übersicht", "Uebersicht");
        same("Übersicht", "Ubersicht");
        same("Größe", "Groesse");
        same("Résumé", "resume");
        same("целевую", "целевая");
        same("ανταγωνισμού", "ανταγωνισμου");
        same("حدّث", "حدث");
        same("E\u{301}tude", "étude");
    }

    #[test]
    fn words_that_differ_stay_apart() {
        let apart = |one: &str, other: &str| assert_ne!(stem(&exact(one)), stem(&exact(other)), "{one} {other}");
        apart("goal", "gaol");
        apart("か", "が");
        apart("status", "statu");
        apart("scope", "score");
        apart("план", "плановик");
    }
}
