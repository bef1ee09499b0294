//! Recognises names of formats in text, and phrases that only look like one.

use std::collections::BTreeSet;

use super::{Format, Scope};

/// Unambiguous names of each format, in the languages that style guides are often written in.
const XLSX: &[&str] = &[
    "xlsx",
    "xls",
    "excel",
    "spreadsheet",
    "spreadsheets",
    "workbook",
    "workbooks",
    "worksheet",
    "worksheets",
    "tabellenkalkulation",
    "tabellenkalkulationen",
    "arbeitsmappe",
    "arbeitsmappen",
    "feuille de calcul",
    "feuilles de calcul",
    "tableur",
    "tableurs",
    "hoja de cálculo",
    "hojas de cálculo",
    "foglio di calcolo",
    "fogli di calcolo",
    "folha de cálculo",
    "folhas de cálculo",
    "planilha",
    "planilhas",
];
const DOCX: &[&str] = &[
    "docx",
    "microsoft word",
    "ms word",
    "word document",
    "word documents",
    "word doc",
    "word docs",
    "word file",
    "word files",
    "word dokument",
    "word dokumente",
];
const PPTX: &[&str] = &[
    "pptx",
    "ppt",
    "powerpoint",
    "slide",
    "slides",
    "slide deck",
    "slide decks",
    "presentations",
    "deck",
    "decks",
    "folie",
    "folien",
    "präsentation",
    "präsentationen",
    "diapositive",
    "diapositives",
    "présentations",
    "diapositiva",
    "diapositivas",
    "presentaciones",
    "presentazioni",
    "apresentações",
];
/// Words that refer to a format only next to the name of another format.
const SHEET: &[&str] = &["sheet", "sheets"];
const DOCUMENT: &[&str] = &["document", "documents", "doc", "docs"];
/// Spreadsheets and presentations that are called documents.
const OTHER_DOCUMENT: &[&str] = &["excel document", "excel documents", "powerpoint document", "powerpoint documents"];
/// Words that make a heading apply to every format.
const EVERY: &[&str] = &[
    "all file",
    "all files",
    "all formats",
    "any file",
    "any files",
    "any format",
    "each file",
    "each format",
    "every file",
    "every format",
    "other file",
    "other files",
];
/// Words that make a heading apply to every format, but only next to a format: "other formats" may refer to dates and
/// numbers.
const OTHERS: &[&str] = &["other document", "other documents", "other format", "other formats", "others"];
/// Words without meaning of their own next to the name of a format.
const LITTLE: &[&str] = &[
    "a", "an", "and", "all", "any", "auf", "bei", "dans", "de", "den", "der", "die", "el", "en", "et", "every", "e",
    "file", "files", "for", "für", "i", "in", "la", "las", "le", "les", "los", "nei", "nelle", "of", "on", "only",
    "or", "our", "para", "pour", "sur", "the", "to", "und", "using", "when", "with", "y", "your",
];
/// Prepositions that introduce a phrase of place.
const PLACE: &[&str] = &["in", "on", "for", "auf", "bei", "für", "dans", "sur", "pour", "en", "para", "nei", "nelle"];
/// Word pairs that look like a format but are not.
const NO_FORMAT: &[&str] = &[
    "data presentation",
    "document presentation",
    "presentation of",
    "style sheet",
    "fact sheet",
    "cheat sheet",
    "word choice",
    "word choices",
    "word count",
    "word limit",
    "word limits",
    "word list",
    "word lists",
    "word order",
    "word usage",
    "word use",
];

/// The formats that a heading or label names. When in doubt, none: an additional rule does less harm than a missing
/// one.
pub(super) fn formats_in(heading: &str) -> Vec<Format> {
    let said = plain_words(heading);
    let has = |names: &[&str]| names.iter().any(|name| said.contains(&format!(" {name} ")));
    let only = |name: &str| has(&[name]) && said.split_whitespace().all(|word| word == name || LITTLE.contains(&word));
    let document = has(DOCUMENT) && !has(OTHER_DOCUMENT);
    let word = has(&["word"]);
    // For each format: whether it is named unambiguously, and whether by a word that needs another format next to it.
    let named = [
        (Format::Xlsx, has(XLSX), has(SHEET)),
        (Format::Docx, has(DOCX) || only("word") || word && document, word || document),
        (Format::Pptx, has(PPTX) || only("presentation"), has(&["presentation"])),
    ];
    if has(EVERY) || has(OTHERS) && named.iter().any(|(_, surely, _)| *surely) {
        return Format::ALL.to_vec();
    }
    let several = named.iter().filter(|(_, surely, maybe)| *surely || *maybe).count() > 1;
    let meant = named.into_iter().filter(|(_, surely, maybe)| *surely || several && *maybe);
    meant.map(|(format, ..)| format).collect()
}

/// Whether a heading consists only of format names, so that it is redundant once the formats are known.
pub(super) fn is_only_formats(heading: &str) -> bool {
    let said = plain_words(heading);
    let names: BTreeSet<&str> = [XLSX, DOCX, PPTX, SHEET, DOCUMENT, EVERY, OTHERS, LITTLE]
        .into_iter()
        .flatten()
        .flat_map(|name| name.split(' '))
        .chain(["word", "presentation", ","])
        .collect();
    !formats_in(heading).is_empty() && said.split_whitespace().all(|word| names.contains(word))
}

/// The scope of a rule: the innermost heading that names formats. The rule itself can only narrow it, by a phrase at
/// its start (`Excel: …`, `In slides, …`) or end (`… in spreadsheets`). A format named elsewhere may be the subject of
/// the rule, as in `Paste tables from Excel as images`.
pub(super) fn scope_of(headings: &[String], text: &str) -> Scope {
    let above = headings.iter().rev().map(|heading| formats_in(heading)).find(|formats| !formats.is_empty());
    let own = formats_of_phrase(text);
    let formats = match (above, own.is_empty()) {
        (None, true) => return Scope::AllFormats,
        (None, false) => own,
        (Some(above), true) => above,
        (Some(above), false) => {
            let both: Vec<Format> = own.into_iter().filter(|format| above.contains(format)).collect();
            if both.is_empty() { above } else { both }
        }
    };
    if Format::ALL.iter().all(|format| formats.contains(format)) { Scope::AllFormats } else { Scope::Formats(formats) }
}

fn formats_of_phrase(text: &str) -> Vec<Format> {
    let text = text.trim().trim_end_matches(['.', '!', ';']);
    let before = text.split([':', ',', '：', '\n']).next().unwrap_or_default();
    if before.len() < text.len() && is_only_formats(before) {
        return formats_in(before);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let place = words.iter().rposition(|word| PLACE.contains(&word.to_lowercase().as_str()));
    let phrase = place.filter(|at| *at > 0).and_then(|at| words.get(at..)).map(|words| words.join(" "));
    phrase.filter(|phrase| is_only_formats(phrase)).map(|phrase| formats_in(&phrase)).unwrap_or_default()
}

/// The words of a text in lower case, each between spaces, so that ` some words ` can be searched. Commas and their
/// equivalents are kept, because `Excel, documents` differs from `Excel documents`. Pairs that only look like a format
/// are removed.
fn plain_words(text: &str) -> String {
    let mut parted = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    for c in text.chars().flat_map(char::to_lowercase) {
        // Scripts without spaces write the name of a format directly next to other words.
        if before.is_ascii_alphanumeric() && is_unspaced(c) || is_unspaced(before) && c.is_ascii_alphanumeric() {
            parted.push(' ');
        }
        match c {
            ',' | ';' | '/' | '&' | '+' | '、' => parted.push_str(" , "),
            c if c.is_alphanumeric() => parted.push(c),
            _ => parted.push(' '),
        }
        before = c;
    }
    let said = format!(" {} ", parted.split_whitespace().collect::<Vec<_>>().join(" "));
    NO_FORMAT.iter().fold(said, |said, pair| said.replace(&format!(" {pair} "), " "))
}

/// Whether a character belongs to a script without spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{20000}'..='\u{3FFFF}')
}
