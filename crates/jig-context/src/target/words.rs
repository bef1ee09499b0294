//! Splits a message into words with position, classes, clause and sentence.

use super::fold::{Script, exact, script, stem};
use super::lexicon::{Class, class_of, is_skipped};
use super::spans::{Spans, within};

/// A word of a message or of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// The word in lower case.
    pub(super) exact: String,
    /// The word without diacritics and endings.
    pub(super) stem: String,
    /// The byte offset of its start.
    pub(super) start: usize,
    /// The byte offset of its end.
    pub(super) end: usize,
    /// The clause number, increased at commas and similar.
    pub(super) clause: usize,
    /// The sentence number, increased at full stops and line breaks.
    pub(super) sentence: usize,
    /// Its possible classes.
    pub(super) class: Class,
    /// Whether it is a character of a script without spaces.
    pub(super) unspaced: bool,
    /// The index of the quotation that contains it.
    pub(super) quoted: Option<usize>,
    /// The index of the backtick span that contains it.
    pub(super) ticked: Option<usize>,
    /// Whether a colon follows it.
    pub(super) colon: bool,
}

/// The words of a message, without those in ignored spans.
pub(super) fn words(text: &str, spans: &Spans) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let (mut clause, mut sentence, mut last) = (0, 0, 0);
    for (start, end) in pieces(text) {
        if spans.is_hidden(start) {
            continue;
        }
        let between = text.get(last..start).unwrap_or_default();
        match seam(outside_quotes(text, spans, last, start)) {
            Seam::Sentence => (clause, sentence) = (clause + 1, sentence + 1),
            Seam::Clause => clause += 1,
            Seam::Space => {}
        }
        if let Some(word) = found.last_mut() {
            word.colon = between.trim_start_matches(['"', '”', '“', '»', '\'', '`', '*']).starts_with([':', '：']);
        }
        let mut word = word(text, start, end);
        if !word.unspaced {
            word.class = class_of(&word.exact);
        }
        let before = found.last().map_or("", |word| word.exact.as_str());
        if word.class.has(Class::VERB)
            && matches!(before, "is" | "are" | "was" | "were" | "be" | "been" | "very" | "so")
        {
            // In "our goals are clear", the verb is part of a statement, not a request.
            word.class = Class::AFTER;
        }
        if word.class.has(Class::BUT) {
            clause += 1;
        }
        (word.clause, word.sentence) = (clause, sentence);
        (word.quoted, word.ticked) = (within(&spans.quoted, start), within(&spans.ticked, start));
        found.push(word);
        last = end;
    }
    if let Some(word) = found.last_mut() {
        word.colon = text.get(last..).unwrap_or_default().starts_with(':');
    }
    found
}

/// The words of a name, without ignored words unless there are no others.
pub(super) fn name_words(name: &str) -> Vec<Word> {
    let all: Vec<Word> = pieces(name).map(|(start, end)| word(name, start, end)).collect();
    let counting: Vec<Word> = all.iter().filter(|word| !is_skipped(&word.exact)).cloned().collect();
    if counting.is_empty() { all } else { counting }
}

/// A word without classes. Names do not need them, and there are many names.
fn word(text: &str, start: usize, end: usize) -> Word {
    let raw = text.get(start..end).unwrap_or_default();
    // The apostrophe in don't and d'accord is not a letter.
    let spelled: String = raw.chars().filter(|c| !matches!(c, '\'' | '’')).collect();
    let exact = exact(&spelled);
    let stem = stem(&exact);
    let unspaced = raw.chars().next().is_some_and(|c| script(c) == Script::Unspaced);
    Word {
        exact,
        stem,
        start,
        end,
        clause: 0,
        sentence: 0,
        class: Class::default(),
        unspaced,
        quoted: None,
        ticked: None,
        colon: false,
    }
}

/// The positions of words: runs of letters and digits, and single characters in scripts without spaces.
fn pieces(text: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.find(is_letter)?;
        let end = start + length(text.get(start..)?);
        let (kept, next) = possessive(text, start, end);
        at = next;
        Some((start, kept))
    })
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c)
}

fn length(rest: &str) -> usize {
    let mut before = None;
    for (at, c) in rest.char_indices() {
        let unspaced = script(c) == Script::Unspaced && c.is_alphanumeric();
        let apostrophe = matches!(c, '\'' | '’');
        let next = rest.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
        match before {
            None if unspaced => {
                // A combining mark belongs to the preceding character.
                let marks = rest.get(c.len_utf8()..).unwrap_or_default();
                let marks = marks.chars().take_while(|c| unicode_normalization::char::is_combining_mark(*c));
                return c.len_utf8() + marks.map(char::len_utf8).sum::<usize>();
            }
            None => {}
            Some(_) if unspaced => return at,
            // In l'analyse and qu'il, an elided article of one or two letters is a separate word.
            Some(_) if apostrophe => {
                let elided = at <= 2 && next.is_some_and(|c| c.is_alphabetic() && !matches!(c, 's' | 't' | 'S' | 'T'));
                if elided || !next.is_some_and(char::is_alphanumeric) {
                    return at;
                }
            }
            Some(_) if !is_letter(c) => return at,
            Some(_) => {}
        }
        before = Some(c);
    }
    rest.len()
}

/// Strips an English genitive: `brand's` becomes `brand`.
fn possessive(text: &str, start: usize, end: usize) -> (usize, usize) {
    let raw = text.get(start..end).unwrap_or_default();
    let ends = ["'s", "’s", "'S", "’S"];
    match ends.iter().find_map(|suffix| raw.strip_suffix(suffix)) {
        Some(kept) if !kept.is_empty() => (start + kept.len(), end),
        _ => (end, end),
    }
}

/// The text between two words, without the inside of quotations: a full stop in there does not end the outer sentence.
fn outside_quotes<'a>(text: &'a str, spans: &Spans, last: usize, start: usize) -> &'a str {
    let before = last.checked_sub(1).and_then(|at| within(&spans.quoted, at));
    let after = within(&spans.quoted, start);
    let range = match (before, after) {
        (Some(one), Some(other)) if one == other => return "",
        (Some(quote), _) => spans.quoted.get(quote).map_or(last, |range| range.end.max(last))..start,
        (None, Some(quote)) => last..spans.quoted.get(quote).map_or(start, |range| range.start.min(start)),
        (None, None) => last..start,
    };
    text.get(range).unwrap_or_default()
}

enum Seam {
    Space,
    Clause,
    Sentence,
}

/// What the text between two words separates. A dot inside a name, as in `v1.0`, separates nothing.
fn seam(between: &str) -> Seam {
    let inner = !between.contains(char::is_whitespace) && between.chars().count() == 1;
    if between.contains(['\n', '!', '?', '。', '！', '？', '؟', '…']) || (!inner && between.contains(['.'])) {
        Seam::Sentence
    } else if between.contains([';', '；', '、', '，', '،', '—', '–', '：']) || (!inner && between.contains([',', ':']))
    {
        Seam::Clause
    } else {
        Seam::Space
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact_words(text: &str) -> Vec<String> {
        words(text, &Spans::of(text)).into_iter().map(|word| word.exact).collect()
    }

    #[test]
    fn words_are_found_in_any_script() {
        assert_eq!(
            exact_words("Don't fix the brand's voice (v1.0)"),
            ["dont", "fix", "the", "brand", "voice", "v1", "0"]
        );
        assert_eq!(exact_words("Corrige l'analyse"), ["corrige", "l", "analyse"]);
        assert_eq!(exact_words("概要を"), ["概", "要", "を"]);
        assert_eq!(exact_words("更新foo概要"), ["更", "新", "foo", "概", "要"]);
        assert_eq!(exact_words("Обнови «Обзор»"), ["обнови", "обзор"]);
        assert_eq!(exact_words("'' ' ’s ---"), ["s"]);
    }

    #[test]
    fn clauses_and_sentences_are_counted() {
        let text = "Fix a, not b. Then c but d v1.0";
        let found: Vec<(usize, usize)> =
            words(text, &Spans::of(text)).iter().map(|word| (word.clause, word.sentence)).collect();
        let clauses: Vec<usize> = found.iter().map(|(clause, _)| *clause).collect();
        assert_eq!(clauses, [0, 0, 1, 1, 3, 3, 4, 4, 4, 4]);
        assert_eq!(found.last().map(|(_, sentence)| *sentence), Some(1));
    }

    #[test]
    fn small_words_do_not_count_in_names_unless_there_are_no_others() {
        let stems = |name: &str| name_words(name).into_iter().map(|word| word.stem).collect::<Vec<_>>();
        assert_eq!(stems("Risks & Mitigations"), stems("risks and mitigation"));
        assert_eq!(stems("The A"), ["the", "a"]);
        assert_eq!(stems("What Is It?"), ["what", "is", "it"]);
    }
}
