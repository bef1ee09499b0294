//! An index of all names that a message can refer to.

use std::collections::BTreeMap;

use jig_contract::fold_case;
use serde::Serialize;

use super::lexicon::OTHER_WORDS;
use super::outcome::Match;
use super::vary::Vocabulary;
use super::words::{Word, name_words};

/// The class of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// A planning document made of sections.
    Artifact,
    /// A document with typed fields.
    Entry,
    /// A context item made of files.
    Item,
}

/// A document that can be named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogDocument {
    /// Its class.
    pub class: Class,
    /// Its address, without `@`: `concept`, `competitor:acme`.
    pub address: String,
    /// The display name: `concept.md`.
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
    /// Former slugs and other names.
    pub aliases: Vec<String>,
}

/// Documents with an index of their names. Built once, queried often.
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
    /// Names by the sorted ids of their words.
    pub(super) by_set: BTreeMap<Vec<u32>, Vec<u32>>,
}

/// A document or one of its parts, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Owner {
    pub(super) document: usize,
    pub(super) part: Option<usize>,
}

/// A name and everything it can refer to.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) words: Vec<u32>,
    pub(super) exact: Vec<String>,
    pub(super) owners: Vec<Owned>,
}

/// One owner of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Owned {
    pub(super) owner: Owner,
    /// How the name relates to the owner.
    pub(super) by: Match,
    /// Whether the name includes the document: `brand voice`.
    pub(super) whole: bool,
}

/// Name ids by their words.
type Known = BTreeMap<Vec<String>, u32>;

impl Catalog {
    /// Builds the index.
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
                // Fields are combined with their document's name: brand voice, Acme's pricing.
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
        // Compounds such as nongoals or Nichtziele: two words that some people write as one.
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
            // Names of one document are added consecutively, so the same owner is near the end.
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
        // Without a key, the kind refers to all of its documents.
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

    /// The documents that a name in a reference can mean: the one with this address, or all with this name or kind.
    pub(super) fn by_name(&self, name: &str) -> Vec<usize> {
        let name = fold_case(name);
        let all = self.by_key.get(&name).cloned().unwrap_or_default();
        let is_address = |number: &&usize| self.document(**number).is_some_and(|one| fold_case(&one.address) == name);
        match all.iter().find(is_address) {
            // Two classes may have documents with the same address; then neither is certain.
            Some(_) if all.iter().filter(|number| is_address(number)).count() == 1 => {
                all.iter().filter(|number| is_address(number)).copied().collect()
            }
            _ => all,
        }
    }

    /// The parts of a document with this name, matched in the rounds of [`crate::document::find_part`], then by title.
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

    /// All names that references to documents can use.
    pub(super) fn addresses(&self) -> impl Iterator<Item = &str> {
        self.documents.iter().map(|document| document.address.as_str())
    }
}

/// The maximum number of words of a name in a sentence. People do not write longer ones.
pub(super) const WORDS_MAX: usize = 12;

/// A file name without its extension.
fn stem_of_file(name: &str) -> &str {
    name.strip_suffix(".md").unwrap_or(name)
}
