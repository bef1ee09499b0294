//! Heading styles by name. Word keeps the English name in every language; other programs and older
//! templates write the local one.

/// What programs call headings, in lower case, without the number.
const WORDS: &[&str] = &[
    "heading",
    "überschrift",
    "titre",
    "título",
    "titulo",
    "titolo",
    "encabezado",
    "cabeçalho",
    "kop",
    "rubrik",
    "overskrift",
    "otsikko",
    "nagłówek",
    "nadpis",
    "naslov",
    "címsor",
    "titlu",
    "başlık",
    "заголовок",
    "заглавие",
    "επικεφαλίδα",
    "pealkiri",
    "virsraksts",
    "antraštė",
    "fyrirsögn",
    "títol",
    "כותרת",
    "عنوان",
    "标题",
    "標題",
    "見出し",
    "제목",
    "หัวเรื่อง",
    "शीर्षक",
    "judul",
];

/// The level that a style's name or id says: `heading 2`, `Heading2` and `Überschrift 2` say 2.
pub fn heading_number(name: &str) -> Option<u8> {
    let name = name.trim();
    let digit = name.chars().next_back().and_then(|c| c.to_digit(10)).filter(|digit| (1..=9).contains(digit))?;
    let word = name.get(..name.len() - 1)?.trim_end_matches([' ', '_', '-', '\u{A0}', '\u{3000}']).to_lowercase();
    WORDS.contains(&word.as_str()).then_some(u8::try_from(digit).unwrap_or(0))
}
