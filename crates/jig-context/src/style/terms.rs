//! Terms in style rules: words to use, words to avoid, and one word instead of another.
//!
//! Terms are derived only if the wording is unambiguous, and they never replace the rule's own text: a list that is not
//! understood still reaches the prompt verbatim, below its heading.

use super::rule::{CROSSES, NEGATIVE, POSITIVE, TICKS, words};

/// The maximum length of a term, in words and in characters.
const TERM_WORDS: usize = 5;
const TERM_CHARS: usize = 48;

/// A word or phrase, and whether to use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term {
    /// Use it.
    Use(String),
    /// Do not use it.
    Avoid(String),
    /// Use one instead of the other.
    Replace {
        /// The one to avoid.
        avoid: String,
        /// The one to use.
        by: String,
    },
}

/// What a label says about the terms below or next to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Use,
    Avoid,
}

/// The terms of a rule, from its text and the headings above it. Empty unless the rule is certainly about terms.
pub(super) fn terms(text: &str, headings: &[String]) -> Vec<Term> {
    if let Some(pair) = quoted_pair(text) {
        return vec![pair];
    }
    // `Words to avoid: leverage, synergy`
    if let Some((label, list)) = text.split_once([':', '：'])
        && is_about_words(label)
        && let Some(side) = side_of(label)
    {
        return listed(list, side);
    }
    let heading = headings.iter().rev().find(|heading| is_about_words(heading));
    match heading.and_then(|heading| side_of(heading)) {
        Some(side) => listed(text, side),
        None => Vec::new(),
    }
}

/// The terms of a table row, if one of two columns has words to avoid and the other words to use.
pub(super) fn row_terms(header: &[String], row: &[String]) -> Vec<Term> {
    let (Some([left, right]), Some([first, second])) = (header.first_chunk(), row.first_chunk()) else {
        return Vec::new();
    };
    if header.len() != 2 || row.len() != 2 {
        return Vec::new();
    }
    let (avoid, by) = match (side_of(left), side_of(right)) {
        (Some(Side::Avoid), Some(Side::Use)) => (first, second),
        (Some(Side::Use), Some(Side::Avoid)) => (second, first),
        _ => return Vec::new(),
    };
    match (term(avoid), term(by)) {
        (Some(avoid), Some(by)) => vec![Term::Replace { avoid, by }],
        _ => Vec::new(),
    }
}

/// All entries of a list; empty if one of them is longer than a term.
fn listed(list: &str, side: Side) -> Vec<Term> {
    let list = list.trim().trim_end_matches(['.', '。']);
    let entries =
        list.split([',', ';', '/', '|', '、', '，', '；', '·', '\n']).filter(|entry| !entry.trim().is_empty());
    let named = |entry: &str| {
        term(entry).map(|term| match side {
            Side::Use => Term::Use(term),
            Side::Avoid => Term::Avoid(term),
        })
    };
    entries.map(named).collect::<Option<Vec<Term>>>().unwrap_or_default()
}

/// A short text without quotes and markup, if it can be a term.
fn term(text: &str) -> Option<String> {
    let is_quote = |c: char| QUOTES.iter().any(|(open, close)| c == *open || c == *close);
    let bare = text.trim_matches(|c: char| c.is_whitespace() || is_quote(c) || matches!(c, '*' | '_' | '-' | '•'));
    let fits = bare.split_whitespace().count() <= TERM_WORDS && bare.chars().count() <= TERM_CHARS;
    let sentence = bare.contains(['.', '!', '?', ':']) && !bare.trim_end_matches('.').contains('.');
    (fits && !sentence && bare.contains(char::is_alphanumeric)).then(|| bare.to_owned())
}

/// Nouns for words, in the languages that style guides are often written in.
pub(super) const WORDS: &[&str] = &[
    "word",
    "words",
    "wording",
    "term",
    "terms",
    "terminology",
    "phrase",
    "phrases",
    "vocabulary",
    "expressions",
    "jargon",
    "buzzwords",
    "spelling", // English
    "wort",
    "wörter",
    "worte",
    "begriff",
    "begriffe",
    "ausdrücke",
    "bezeichnungen",
    "terminologie",
    "wortwahl", // German
    "mot",
    "mots",
    "terme",
    "termes",
    "vocabulaire",
    "terminologie", // French
    "palabra",
    "palabras",
    "término",
    "términos",
    "vocabulario",
    "terminología", // Spanish
    "parola",
    "parole",
    "termine",
    "termini",
    "terminologia", // Italian
    "palavra",
    "palavras",
    "termo",
    "termos",
    "vocabulário", // Portuguese
    "woord",
    "woorden",
    "termen",
    "woordkeuze", // Dutch
    "słowo",
    "słowa",
    "termin",
    "terminy",
    "słownictwo", // Polish
    "слово",
    "слова",
    "термин",
    "термины", // Russian
    "ord",
    "termer",
    "begrepp",
    "begreper",
    "begreber", // Scandinavian
    "sanat",
    "sanasto",
    "termit", // Finnish
];
/// Phrases that precede a term to be replaced.
const INSTEAD_OF: &[&str] = &[
    "instead of",
    "rather than",
    "in place of",
    "statt",
    "anstatt",
    "anstelle",
    "an stelle",
    "au lieu de",
    "plutôt que",
    "en vez de",
    "en lugar de",
    "invece di",
    "al posto di",
    "em vez de",
    "ao invés de",
    "in plaats van",
    "zamiast",
    "вместо",
    "istället för",
    "i stället för",
    "i stedet for",
];
/// Words for "wrong" or "old", as used in column headers.
const WRONG: &[&str] = &[
    "wrong",
    "bad",
    "incorrect",
    "falsch",
    "schlecht",
    "faux",
    "incorrecto",
    "mal",
    "sbagliato",
    "errado",
    "fout",
    "źle",
    "неправильно",
    "fel",
    "feil",
    "forkert",
    "väärin",
    "вредно",
];
/// Verbs and adjectives for what is wanted.
const WANTED: &[&str] = &[
    "use",
    "write",
    "say",
    "prefer",
    "preferred",
    "right",
    "good",
    "correct",
    "better",
    "instead",
    "approved",
    "but",
    "verwende",
    "verwenden",
    "schreibe",
    "schreiben",
    "sage",
    "sagen",
    "richtig",
    "gut",
    "besser",
    "bevorzugt",
    "bevorzugte",
    "sondern",
    "stattdessen",
    "écrire",
    "écrivez",
    "dire",
    "dites",
    "utiliser",
    "utilisez",
    "juste",
    "mieux",
    "mais",
    "usar",
    "usa",
    "use",
    "decir",
    "di",
    "escribir",
    "escribe",
    "correcto",
    "mejor",
    "sino",
    "scrivere",
    "scrivi",
    "usare",
    "giusto",
    "meglio",
    "bensì",
    "escrever",
    "escreva",
    "correto",
    "melhor",
    "schrijf",
    "gebruik",
    "zeg",
    "goed",
    "beter",
    "maar",
    "pisz",
    "używaj",
    "dobrze",
    "lecz",
    "пишите",
    "пиши",
    "используйте",
    "правильно",
    "skriv",
    "rätt",
    "använd",
    "bruk",
    "brug",
    "riktig",
    "rigtigt",
    "utan",
    "käytä",
    "oikein",
];

fn is_about_words(label: &str) -> bool {
    words(label).any(|word| WORDS.contains(&word.as_str()))
}

/// Whether a label introduces what is wanted or what is not.
fn side_of(label: &str) -> Option<Side> {
    let all: Vec<String> = words(label).collect();
    let has = |list: &[&str]| all.iter().any(|word| list.contains(&word.as_str()));
    if says_instead_of(&all) || has(NEGATIVE) || has(WRONG) || label.contains(CROSSES) {
        Some(Side::Avoid)
    } else if has(WANTED) || has(POSITIVE) || label.contains(TICKS) {
        Some(Side::Use)
    } else {
        None
    }
}

fn says_instead_of(all: &[String]) -> bool {
    let text = format!(" {} ", all.join(" "));
    INSTEAD_OF.iter().any(|phrase| text.contains(&format!(" {phrase} ")))
}

/// Quotation marks. The apostrophe only counts at the edge of a word.
const QUOTES: [(char, char); 8] =
    [('"', '"'), ('“', '”'), ('„', '“'), ('‘', '’'), ('‚', '‘'), ('«', '»'), ('`', '`'), ('\'', '\'')];

/// A quoted term and the clause before it.
struct Quoted<'a> {
    before: &'a str,
    term: &'a str,
}

/// Parses `Say 'client', not 'customer'`: two quoted terms, of which certainly one is wanted and the other is not.
fn quoted_pair(text: &str) -> Option<Term> {
    let [first, second] = quoted(text).try_into().ok()?;
    let sides = [clause_side(&first), clause_side(&second)];
    let (Some(one), Some(two)) = (term(first.term), term(second.term)) else { return None };
    match sides {
        [Some(Side::Avoid), Some(Side::Use)] => Some(Term::Replace { avoid: one, by: two }),
        [Some(Side::Use), Some(Side::Avoid)] => Some(Term::Replace { avoid: two, by: one }),
        // `'client' instead of 'customer'`
        [None, Some(Side::Avoid)] if words(first.before).next().is_none() => {
            Some(Term::Replace { avoid: two, by: one })
        }
        _ => None,
    }
}

/// What the words directly before a term say about it. Only the last clause counts.
fn clause_side(quoted: &Quoted<'_>) -> Option<Side> {
    let clause = quoted.before.rsplit([',', ';', '.', '(']).next()?;
    let all: Vec<String> = words(clause).collect();
    let has = |list: &[&str]| all.iter().any(|word| list.contains(&word.as_str()));
    let contrast = all.last().is_some_and(|word| WANTED.contains(&word.as_str()));
    match (says_instead_of(&all), has(NEGATIVE), has(WANTED)) {
        (true, _, _) => Some(Side::Avoid),
        // In `do not write` the negation applies to the verb; in `not …, but` the contrast comes last.
        (_, true, _) if contrast && all.iter().rposition(|word| NEGATIVE.contains(&word.as_str())) == Some(0) => {
            Some(Side::Avoid)
        }
        (_, true, false) => Some(Side::Avoid),
        (_, true, true) => None,
        (_, false, true) => Some(Side::Use),
        _ => None,
    }
}

fn quoted(text: &str) -> Vec<Quoted<'_>> {
    let mut found = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some((start, open)) = text.get(at..).and_then(|rest| rest.char_indices().next()).map(|(_, c)| (at, c)) {
        at = start + open.len_utf8();
        let before = text.get(..start).and_then(|before| before.chars().next_back());
        let opens = !before.is_some_and(char::is_alphanumeric);
        let Some((_, close)) = QUOTES.iter().find(|(mark, _)| *mark == open && opens) else { continue };
        let closes = |(offset, c): &(usize, char)| {
            let after = text.get(at + offset + c.len_utf8()..).and_then(|rest| rest.chars().next());
            c == close && !after.is_some_and(char::is_alphanumeric)
        };
        let inside = text.get(at..).unwrap_or_default();
        if let Some((end, c)) = inside.char_indices().find(closes).filter(|(end, _)| *end > 0) {
            found.push(Quoted {
                before: text.get(from..start).unwrap_or_default(),
                term: inside.get(..end).unwrap_or_default(),
            });
            at += end + c.len_utf8();
            from = at;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, heading: &str) -> Vec<Term> {
        terms(text, &[heading.to_owned()])
    }

    fn replace(avoid: &str, by: &str) -> Vec<Term> {
        vec![Term::Replace { avoid: avoid.to_owned(), by: by.to_owned() }]
    }

    #[test]
    fn lists_of_words_have_the_side_of_their_label_in_several_languages() {
        let avoid = |list: &[&str]| list.iter().map(|term| Term::Avoid((*term).to_owned())).collect::<Vec<_>>();
        for text in [
            "Words to avoid: leverage, synergy",
            "Avoid these terms: leverage; synergy.",
            "Wörter, die wir vermeiden: leverage, synergy",
            "Verbotene Begriffe – nie: leverage / synergy",
            "Mots à éviter : leverage, synergy",
            "Palabras prohibidas: “leverage”, “synergy”",
            "Parole da evitare: leverage, synergy",
            "Palavras a evitar: leverage, synergy",
            "Woorden die we vermijden: leverage, synergy",
            "Слова, которые нельзя: leverage, synergy",
        ] {
            assert_eq!(of(text, ""), avoid(&["leverage", "synergy"]), "{text}");
        }
        assert_eq!(of("leverage", "Words to avoid"), avoid(&["leverage"]));
        assert_eq!(of("leverage, synergy", "Unerwünschte Wörter: vermeiden"), avoid(&["leverage", "synergy"]));
        assert_eq!(of("client, board", "Preferred terms"), [Term::Use("client".into()), Term::Use("board".into())]);
    }

    #[test]
    fn pairs_in_quotes_are_read_in_both_orders() {
        for text in [
            "Say 'client', not 'customer'",
            "Write “client” instead of “customer”.",
            "Don't say \"customer\", say \"client\".",
            "Never write ‘customer’; write ‘client’",
            "not 'customer' but 'client'",
            "'client' rather than 'customer'",
            "Schreibe „client“ statt „customer“",
            "Nicht „customer“, sondern „client“",
            "Écrivez « client » au lieu de « customer »",
            "Usa «client» en vez de «customer»",
            "Scrivi «client» invece di «customer»",
            "Gebruik 'client' in plaats van 'customer'",
            "Pisz „client“ zamiast „customer“",
            "Пишите «client» вместо «customer»",
        ] {
            assert_eq!(of(text, ""), replace("customer", "client"), "{text}");
        }
    }

    #[test]
    fn what_is_not_certain_is_no_term() {
        for text in [
            "Use 'client' and 'customer' as the contract does",
            "Don't write 'client' without 'the'",
            "'customer' is not allowed; 'client' is",
            "It's the client's choice, isn't it?",
            "Say 'client'",
            "「顧客」ではなく「クライアント」",
            "Words to avoid: anything that sounds like a sales pitch to the reader of it.",
            "Header row: bold, grey",
        ] {
            assert_eq!(of(text, ""), [], "{text}");
        }
        assert_eq!(of("Spell them as the dictionary does.", "Words"), []);
    }

    #[test]
    fn tables_of_two_columns_replace_one_term_by_the_other() {
        let row = |left: &str, right: &str, a: &str, b: &str| {
            row_terms(&[left.to_owned(), right.to_owned()], &[a.to_owned(), b.to_owned()])
        };
        for (left, right) in [
            ("Instead of", "Write"),
            ("Avoid", "Use instead"),
            ("Don't say", "Say"),
            ("Wrong", "Right"),
            ("Statt", "Besser"),
            ("Nicht", "Sondern"),
            ("Au lieu de", "Écrire"),
            ("En vez de", "Usar"),
            ("❌", "✅"),
        ] {
            assert_eq!(row(left, right, "utilise", "use"), replace("utilise", "use"), "{left} | {right}");
            assert_eq!(row(right, left, "use", "utilise"), replace("utilise", "use"), "{right} | {left}");
        }
        assert_eq!(row("Term", "Meaning", "ARR", "annual revenue"), []);
    }
}
