//! Finds the mentions in a message.

use std::ops::Range;

use super::catalog::{Catalog, Name, Owned, Owner, WORDS_MAX};
use super::lexicon::Class;
use super::outcome::Match;
use super::reference::{Meaning, read, reference_in};
use super::spans::{Spans, chunks};
use super::vary::{Eye, Vary};
use super::words::{Word, words};

/// A message and its mentions.
pub(super) struct Reading<'a> {
    pub(super) text: &'a str,
    pub(super) words: Vec<Word>,
    /// In message order, without overlaps.
    pub(super) mentions: Vec<Mention>,
}

/// A span of a message that names something.
#[derive(Debug, Clone)]
pub(super) struct Mention {
    /// The range of its words.
    pub(super) words: Range<usize>,
    /// What it may refer to.
    pub(super) candidates: Vec<Owned>,
    /// Its type.
    pub(super) sort: Sort,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sort {
    /// Plain words.
    Name,
    /// A reference or file name that exists.
    Explicit,
    /// A file name that does not exist; the candidates are similar.
    NoFile(String),
    /// A reference to something that does not exist.
    Stranger,
}

impl Mention {
    pub(super) fn has_part(&self) -> bool {
        self.candidates.iter().any(|one| one.owner.part.is_some())
    }

    /// The documents that it may refer to as a whole document.
    pub(super) fn documents(&self) -> impl Iterator<Item = usize> + '_ {
        self.candidates.iter().filter(|one| one.owner.part.is_none()).map(|one| one.owner.document)
    }
}

pub(super) fn reading<'a>(text: &'a str, catalog: &Catalog, current: Option<usize>) -> Reading<'a> {
    let spans = Spans::of(text);
    let mut words = words(text, &spans);
    let mut mentions = Vec::new();
    for (range, candidates, sort) in special(text, &spans, catalog, current) {
        if let Some(place) = collapse(&mut words, &range) {
            mentions.push(Mention { words: place..place + 1, candidates, sort });
        }
    }
    let taken: Vec<usize> = mentions.iter().map(|mention| mention.words.start).collect();
    let named = named(&words, catalog, &taken);
    mentions.extend(chosen(&words, named));
    mentions.sort_by_key(|mention| mention.words.start);
    Reading { text, words, mentions }
}

/// Replaces the words of a file name or a reference by a single word, and returns its index.
fn collapse(words: &mut Vec<Word>, range: &Range<usize>) -> Option<usize> {
    let first = words.iter().position(|word| word.start >= range.start && word.start < range.end)?;
    let last = words.iter().rposition(|word| word.start >= range.start && word.start < range.end)?;
    let colon = words.get(last)?.colon;
    words.drain(first + 1..=last);
    let word = words.get_mut(first)?;
    word.exact.clear();
    word.stem.clear();
    (word.class, word.unspaced, word.colon) = (Class::default(), false, colon);
    (word.start, word.end) = (range.start, range.end);
    Some(first)
}

type Special = (Range<usize>, Vec<Owned>, Sort);

/// References inside a message, and file names.
fn special(text: &str, spans: &Spans, catalog: &Catalog, current: Option<usize>) -> Vec<Special> {
    let mut found: Vec<Special> = Vec::new();
    for chunk in chunks(text).filter(|chunk| !spans.is_hidden(chunk.start)) {
        let opening =
            text[chunk.clone()].len() - text[chunk.clone()].trim_start_matches(['(', '[', '"', '“', '「']).len();
        let chunk = chunk.start + opening..chunk.end;
        let name = reference_in(text, &chunk);
        if name.len() > 1 && name.starts_with(['@', '#']) {
            let range = chunk.start..chunk.start + name.len();
            match read(name, catalog, current) {
                Some(Meaning::Owners(owners)) => {
                    found.push((range, owned(owners, Match::Reference), Sort::Explicit));
                }
                // A person, a colour, a ticket, or a section without an open artifact: none of its words is a name.
                _ => found.push((range, Vec::new(), Sort::Stranger)),
            }
        } else {
            found.extend(files(text, &chunk, catalog));
        }
    }
    found
}

fn owned(owners: Vec<Owner>, by: Match) -> Vec<Owned> {
    owners.into_iter().map(|owner| Owned { owner, by, whole: true }).collect()
}

const ENDINGS: &[&str] = &[
    "md", "markdown", "txt", "docx", "doc", "xlsx", "xls", "pptx", "ppt", "pdf", "csv", "tsv", "json", "yaml", "yml",
    "html", "odt", "ods", "odp", "rtf", "png", "jpg", "jpeg", "svg", "toml", "xml",
];

/// The file names in a span without whitespace.
fn files(text: &str, chunk: &Range<usize>, catalog: &Catalog) -> Vec<Special> {
    let mut found = Vec::new();
    let mut from = chunk.start;
    while let Some(dot) = text.get(from..chunk.end).and_then(|rest| rest.find('.')).map(|at| from + at) {
        from = dot + 1;
        let rest = text.get(dot + 1..chunk.end).unwrap_or_default();
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let ending = rest.get(..length).unwrap_or_default().to_ascii_lowercase();
        let before = text.get(chunk.start..dot).unwrap_or_default();
        let start = before
            .char_indices()
            .rev()
            .find(|(_, c)| {
                !(c.is_alphanumeric() || "-_./".contains(*c) || unicode_normalization::char::is_combining_mark(*c))
            })
            .map_or(chunk.start, |(at, c)| chunk.start + at + c.len_utf8());
        if !ENDINGS.contains(&ending.as_str()) || start == dot {
            continue;
        }
        found.push(file(text, start..dot + 1 + length, catalog));
    }
    found
}

fn file(text: &str, range: Range<usize>, catalog: &Catalog) -> Special {
    let name = text.get(range.clone()).unwrap_or_default();
    // In scripts without spaces, as in 在方案.md, the name may start inside the span.
    let starts =
        name.char_indices().take_while(|(at, c)| *at == 0 || super::fold::script(*c) == super::fold::Script::Unspaced);
    for (at, _) in starts {
        let documents = catalog.by_name(name.get(at..).unwrap_or_default());
        if !documents.is_empty() {
            let owners = documents.into_iter().map(|document| Owner { document, part: None }).collect();
            return (range.start + at..range.end, owned(owners, Match::Title), Sort::Explicit);
        }
    }
    let near = |document: &super::CatalogDocument| {
        document.name.ends_with(".md")
            && strsim::osa_distance(&jig_contract::fold_case(name), &jig_contract::fold_case(&document.name)) <= 2
    };
    let documents = catalog.documents().iter().enumerate().filter(|(_, document)| near(document));
    let owners = documents.map(|(document, _)| Owner { document, part: None }).take(3).collect();
    (range, owned(owners, Match::Fuzzy), Sort::NoFile(name.to_owned()))
}

/// A message with more words counts as a long text.
const LONG: usize = 300;

/// All spans of words that are a name, including overlapping ones.
fn named(words: &[Word], catalog: &Catalog, taken: &[usize]) -> Vec<(Range<usize>, Vec<Owned>)> {
    let mut found: Vec<(Range<usize>, Vec<Owned>)> = Vec::new();
    let mut add = |range: Range<usize>, owners: Vec<Owned>| match found
        .iter_mut()
        .rev()
        .take(16)
        .find(|(known, _)| *known == range)
    {
        Some((_, known)) => known.extend(owners),
        None => found.push((range, owners)),
    };
    let eye = if words.len() > LONG { Eye::Strict } else { Eye::Kind };
    let variants: Vec<Vec<(u32, Vary)>> = words
        .iter()
        .map(|word| if word.exact.is_empty() { Vec::new() } else { catalog.vocabulary.variants(word, eye) })
        .collect();
    for start in (0..words.len()).filter(|start| taken.binary_search(start).is_err()) {
        for (first, _) in variants.get(start).into_iter().flatten() {
            for name in catalog.by_first.get(first).into_iter().flatten().filter_map(|name| catalog.name(*name)) {
                if let Some((end, grade)) = follows(words, &variants, start, name) {
                    add(start..end, name.owners.iter().map(|one| Owned { by: one.by.max(grade), ..*one }).collect());
                }
            }
        }
        for (range, set) in sets(words, &variants, start) {
            for name in catalog.by_set.get(&set).into_iter().flatten().filter_map(|name| catalog.name(*name)) {
                if name.words.len() > 1 && follows(words, &variants, start, name).is_none() {
                    let by = |one: &Owned| Owned { by: one.by.max(Match::Words), ..*one };
                    add(range.clone(), name.owners.iter().map(by).collect());
                }
            }
        }
    }
    found
}

/// If the name starts here: the end of its words, and the quality of the match.
fn follows(words: &[Word], variants: &[Vec<(u32, Vary)>], start: usize, name: &Name) -> Option<(usize, Match)> {
    let first = words.get(start)?;
    let (mut at, mut grade, mut same) = (start, Match::Title, true);
    for (wanted, exact) in name.words.iter().zip(&name.exact) {
        loop {
            let word = words.get(at).filter(|word| together(first, word))?;
            if let Some((_, vary)) = variants.get(at)?.iter().find(|(number, _)| number == wanted) {
                grade = grade.max(match vary {
                    Vary::Same => Match::Title,
                    Vary::Prefix => Match::Prefix,
                    Vary::Typo => Match::Fuzzy,
                });
                same &= word.exact == *exact;
                break;
            }
            if at == start || !word.class.has(Class::SKIP) {
                return None;
            }
            at += 1;
        }
        at += 1;
    }
    // A prefix of a single word is not enough to name something.
    if grade == Match::Prefix && name.words.len() == 1 {
        return None;
    }
    Some((at, if same { grade } else { grade.max(Match::Near) }))
}

fn together(one: &Word, other: &Word) -> bool {
    one.clause == other.clause && one.quoted == other.quoted && one.ticked == other.ticked
}

/// The significant words from here on, as sorted sets of two, three and more.
fn sets(words: &[Word], variants: &[Vec<(u32, Vary)>], start: usize) -> Vec<(Range<usize>, Vec<u32>)> {
    let mut found = Vec::new();
    let mut set: Vec<u32> = Vec::new();
    let Some(first) = words.get(start) else { return found };
    for (at, word) in words.iter().enumerate().skip(start).take(2 * WORDS_MAX) {
        let known = variants.get(at).and_then(|variants| variants.first()).filter(|(_, vary)| *vary == Vary::Same);
        match known {
            _ if !together(first, word) => break,
            Some((number, _)) => {
                let place = set.partition_point(|known| known < number);
                set.insert(place, *number);
                if set.len() > 1 {
                    found.push((start..at + 1, set.clone()));
                }
            }
            None if word.class.has(Class::SKIP) && at > start => {}
            None => break,
        }
        if set.len() >= 6 {
            break;
        }
    }
    found
}

/// Of overlapping names, the longest and then the most certain.
fn chosen(words: &[Word], mut found: Vec<(Range<usize>, Vec<Owned>)>) -> Vec<Mention> {
    let sure = |owners: &[Owned]| owners.iter().map(|one| one.by).min();
    let counting = |range: &Range<usize>| {
        words.get(range.clone()).unwrap_or_default().iter().filter(|word| !word.class.has(Class::SKIP)).count()
    };
    found.sort_by_key(|(range, owners)| (std::cmp::Reverse(counting(range)), sure(owners), range.start));
    let mut taken = vec![false; words.len()];
    let mut mentions = Vec::new();
    for (range, owners) in found {
        let Some(places) = taken.get_mut(range.clone()) else { continue };
        if places.iter().any(|place| *place) || !in_whole_quote(words, &range) {
            continue;
        }
        places.fill(true);
        mentions.push(Mention { words: range, candidates: owners, sort: Sort::Name });
    }
    mentions
}

/// Inside quotation marks, a name counts only if it is the entire quotation.
fn in_whole_quote(words: &[Word], range: &Range<usize>) -> bool {
    let Some(inside) = words.get(range.clone()) else { return false };
    let Some(first) = inside.first() else { return false };
    let alike = |word: &&Word| (word.quoted, word.ticked) == (first.quoted, first.ticked);
    if first.quoted.is_none() && first.ticked.is_none() {
        return true;
    }
    let before = range.start.checked_sub(1).and_then(|at| words.get(at));
    !before.iter().any(alike) && !words.get(range.end).iter().any(alike)
}
