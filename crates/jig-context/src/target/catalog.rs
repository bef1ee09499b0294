//! Everything that can be named, and an index of the names.

use std::collections::BTreeMap;

use jig_contract::fold_case;
use serde::Serialize;

use super::lexicon::OTHER_WORDS;
use super::outcome::Match;
use super::vary::Vocabulary;
use super::words::{Word, name_words};

/// What sort of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// A planning document made of sections.
    Artifact,
    /// Typed fields.
    Entry,
    /// A context item made of files.
    Item,
}

/// A document that can be named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogDocument {
    /// What sort.
    pub class: Class,
    /// Its address, without `@`: `concept`, `competitor:acme`.
    pub address: String,
    /// What people call it: `concept.md`.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Its parts, in order.
    pub parts: Vec<CatalogPart>,
}

/// A part that can be named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogPart {
    /// Its slug.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// Slugs that it had before, and other names.
    pub aliases: Vec<String>,
}

/// Documents with an index of all their names. Made once, asked often.
#[derive(Debug, Default)]
pub struct Catalog {
    documents: Vec<CatalogDocument>,
    by_key: BTreeMap<String, Vec<usize>>,
    pub(super) names: Vec<Name>,
    pub(super) vocabulary: Vocabulary,
    /// Names by their first word.
    pub(super) by_first: BTreeMap<u32, Vec<u32>>,
    /// Names by each of their words.
    pub(super) by_word: BTreeMap<u32, Vec<u32>>,
    /// Names by their words in order of number.
    pub(super) by_set: BTreeMap<Vec<u32>, Vec<u32>>,
}

/// A document, or a part of it, by place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Owner {
    pub(super) document: usize,
    pub(super) part: Option<usize>,
}

/// A name, and all that have it.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) words: Vec<u32>,
    pub(super) exact: Vec<String>,
    pub(super) owners: Vec<Owned>,
}

/// One of those that have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Owned {
    pub(super) owner: Owner,
    /// What the name is to it.
    pub(super) by: Match,
    /// The name says which document: `brand voice`.
    pub(super) whole: bool,
}

/// The numbers of names by their words.
type Known = BTreeMap<Vec<String>, u32>;

impl Catalog {
    /// An index of these documents.
    pub fn new(documents: Vec<CatalogDocument>) -> Self {
        let mut catalog = Self::default();
        let mut known = BTreeMap::new();
        for (number, document) in documents.iter().enumerate() {
            catalog.add_keys(number, document);
            let owner = Owner { document: number, part: None };
            let key = document.address.split_once(':').map(|(_, key)| key);
            let named = [document.address.as_str(), stem_of_file(&document.name), &document.title];
            for name in named.into_iter().chain(key).chain(document.aliases.iter().map(String::as_str)) {
                catalog.add(&mut known, name, owner, Match::Title);
            }
            for (place, part) in document.parts.iter().enumerate() {
                let owner = Owner { document: number, part: Some(place) };
                catalog.add_part(&mut known, part, owner);
                // Fields are called by their document's name: brand voice, Acme's pricing.
                if document.class != Class::Artifact {
                    for name in named.into_iter().chain(key).chain(document.aliases.iter().map(String::as_str)) {
                        catalog.add_whole(&mut known, name, part, owner);
                    }
                }
            }
        }
        catalog.documents = documents;
        catalog.index();
        catalog
    }

    fn add_whole(&mut self, known: &mut Known, document: &str, part: &CatalogPart, owner: Owner) {
        for name in [&part.title, &part.slug] {
            self.add_owned(known, &format!("{document} {name}"), Owned { owner, by: Match::Title, whole: true });
        }
    }

    fn add_part(&mut self, known: &mut Known, part: &CatalogPart, owner: Owner) {
        let title = self.add(known, &part.title, owner, Match::Title);
        self.add(known, &part.slug, owner, Match::Title);
        for alias in &part.aliases {
            self.add(known, alias, owner, Match::Alias);
        }
        // nongoals, Nichtziele: two words that some write as one.
        if let [one, other] = title.as_slice() {
            self.add(known, &format!("{one}{other}"), owner, Match::Near);
        }
        let spoken = title.join(" ");
        for (_, others) in OTHER_WORDS.iter().filter(|(title, _)| *title == spoken) {
            for other in *others {
                self.add(known, other, owner, Match::OtherWords);
            }
        }
    }

    fn add(&mut self, known: &mut Known, name: &str, owner: Owner, by: Match) -> Vec<String> {
        self.add_owned(known, name, Owned { owner, by, whole: owner.part.is_none() })
    }

    fn add_owned(&mut self, known: &mut Known, name: &str, owned: Owned) -> Vec<String> {
        let words: Vec<Word> = name_words(name);
        let exact: Vec<String> = words.iter().map(|word| word.exact.clone()).collect();
        if words.is_empty() || words.len() > WORDS_MAX {
            return exact;
        }
        let number = *known.entry(exact.clone()).or_insert_with(|| {
            let words = words.iter().map(|word| self.vocabulary.add(&word.stem)).collect();
            self.names.push(Name { words, exact: exact.clone(), owners: Vec::new() });
            u32::try_from(self.names.len() - 1).unwrap_or(u32::MAX)
        });
        if let Some(name) = usize::try_from(number).ok().and_then(|number| self.names.get_mut(number)) {
            // Names of one document come one after the other, so that the same owner is near the end.
            match name.owners.iter_mut().rev().take(8).find(|known| known.owner == owned.owner) {
                Some(known) => {
                    known.by = owned.by.min(known.by);
                    known.whole |= owned.whole;
                }
                None => name.owners.push(owned),
            }
        }
        exact
    }

    fn add_keys(&mut self, number: usize, document: &CatalogDocument) {
        let mut keys = vec![fold_case(&document.address), fold_case(&document.name)];
        keys.push(fold_case(stem_of_file(&document.name)));
        keys.extend(document.aliases.iter().map(|alias| fold_case(alias)));
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            self.by_key.entry(key).or_default().push(number);
        }
        // All of a kind, when the key is left out.
        if let Some((kind, _)) = document.address.split_once(':') {
            self.by_key.entry(fold_case(kind)).or_default().push(number);
        }
    }

    fn index(&mut self) {
        for (number, name) in self.names.iter().enumerate() {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let mut set = name.words.clone();
            set.sort_unstable();
            if let Some(first) = name.words.first() {
                self.by_first.entry(*first).or_default().push(number);
            }
            self.by_set.entry(set.clone()).or_default().push(number);
            set.dedup();
            for word in set {
                self.by_word.entry(word).or_default().push(number);
            }
        }
    }

    /// All documents.
    pub fn documents(&self) -> &[CatalogDocument] {
        &self.documents
    }

    pub(super) fn document(&self, number: usize) -> Option<&CatalogDocument> {
        self.documents.get(number)
    }

    pub(super) fn name(&self, number: u32) -> Option<&Name> {
        self.names.get(usize::try_from(number).ok()?)
    }

    /// The document with this address, without `@`.
    pub(super) fn at_address(&self, address: &str) -> Option<usize> {
        let address = address.strip_prefix('@').unwrap_or(address);
        self.by_name(address).iter().copied().find(|number| {
            self.document(*number).is_some_and(|document| fold_case(&document.address) == fold_case(address))
        })
    }

    /// The documents that somebody calls so in a reference: those with this address, or all with this name or kind.
    pub(super) fn by_name(&self, name: &str) -> Vec<usize> {
        let name = fold_case(name);
        let all = self.by_key.get(&name).cloned().unwrap_or_default();
        let is_address = |number: &&usize| self.document(**number).is_some_and(|one| fold_case(&one.address) == name);
        match all.iter().find(is_address) {
            // Two classes may have a document of the same address; then neither is clear.
            Some(_) if all.iter().filter(|number| is_address(number)).count() == 1 => {
                all.iter().filter(|number| is_address(number)).copied().collect()
            }
            _ => all,
        }
    }

    /// The parts of a document with this name, in the rounds of [`crate::document::find_part`], then by title.
    pub(super) fn parts_by_name(&self, document: usize, name: &str) -> Vec<Owner> {
        let Some(parts) = self.document(document).map(|document| &document.parts) else { return Vec::new() };
        let folded = fold_case(name);
        let rounds: [&dyn Fn(&CatalogPart) -> bool; 4] = [
            &|part| part.slug == name,
            &|part| part.aliases.iter().any(|alias| alias == name),
            &|part| fold_case(&part.slug) == folded || part.aliases.iter().any(|alias| fold_case(alias) == folded),
            &|part| fold_case(&part.title) == folded,
        ];
        let fitting = |round: &&dyn Fn(&CatalogPart) -> bool| {
            let places = parts.iter().enumerate().filter(|(_, part)| round(part));
            places.map(|(place, _)| Owner { document, part: Some(place) }).collect::<Vec<_>>()
        };
        rounds.iter().map(fitting).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// All names that references to documents may use.
    pub(super) fn addresses(&self) -> impl Iterator<Item = &str> {
        self.documents.iter().map(|document| document.address.as_str())
    }
}

/// Longer names are not looked for in sentences; nobody says them.
pub(super) const WORDS_MAX: usize = 12;

/// A file name without its ending.
fn stem_of_file(name: &str) -> &str {
    name.strip_suffix(".md").unwrap_or(name)
}
