//! Decides between one answer, a question, or nothing.

use super::catalog::{Catalog, Class as Sort, Owned, Owner};
use super::lexicon::Class;
use super::mention::{self, Mention, Reading};
use super::outcome::{DocumentHow, How, Match, Resolution};
use super::partial;
use super::role::{Role, roles};
use super::say;

/// A message with more mentions than this is a text rather than a request, so it never gets a confident answer.
const MENTIONS_MAX: usize = 60;

/// In a sentence with at most this many words, the title of a section is likely used as a title.
const SHORT: usize = 5;

/// Resolves a message in plain language.
pub(super) fn plain(text: &str, catalog: &Catalog, current: Option<usize>) -> Resolution {
    let reading = mention::reading(text, catalog, current);
    if reading.mentions.len() > MENTIONS_MAX {
        let all = reading.mentions.iter().flat_map(|mention| mention.candidates.iter().map(|one| one.owner));
        let mut owners: Vec<Owner> = Vec::new();
        for owner in all {
            if owners.len() < 3 && !owners.contains(&owner) {
                owners.push(owner);
            }
        }
        return say::did_you_mean(catalog, &owners);
    }
    let roles = roles(&reading);
    Decision::new(&reading, &roles, catalog, current).answer()
}

struct Decision<'a> {
    reading: &'a Reading<'a>,
    mentions: Vec<(&'a Mention, Role)>,
    catalog: &'a Catalog,
    current: Option<usize>,
    /// The documents that the message names as the place of the work.
    scope: Vec<usize>,
    /// The documents that the message excludes.
    not: Vec<usize>,
}

/// The possible meanings of a mention.
enum Choice {
    One(Owned, Vec<Owner>),
    Tie(Vec<Owner>),
    Weak(Vec<Owner>),
    /// Only things outside the documents that the message names.
    Elsewhere(Vec<Owner>),
}

impl<'a> Decision<'a> {
    fn new(reading: &'a Reading<'a>, roles: &[Role], catalog: &'a Catalog, current: Option<usize>) -> Self {
        let mentions: Vec<(&Mention, Role)> = reading.mentions.iter().zip(roles.iter().copied()).collect();
        let mut decision = Self { reading, mentions, catalog, current, scope: Vec::new(), not: Vec::new() };
        decision.scope = decision.documents(&[Role::Target, Role::Unclear, Role::New]);
        decision.not = decision.documents(&[Role::Not]);
        decision.not.retain(|document| !decision.scope.contains(document));
        decision
    }

    /// The documents that are explicitly named as documents, in one of these roles.
    fn documents(&self, roles: &[Role]) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for (mention, role) in &self.mentions {
            if !roles.contains(role) || !self.names_document(mention) {
                continue;
            }
            for document in mention.documents() {
                if !found.contains(&document) {
                    found.push(document);
                }
            }
        }
        let this = self.this_document().filter(|_| roles.contains(&Role::Target));
        found.extend(this.filter(|current| !found.contains(current)));
        found
    }

    /// A file name, a reference, "the X document", or the location of a part that the document has.
    fn names_document(&self, mention: &Mention) -> bool {
        let words = &self.reading.words;
        let next = words.get(mention.words.end).is_some_and(|word| word.class.has(Class::DOCUMENT));
        let before = mention.words.start.checked_sub(1).and_then(|at| words.get(at));
        let called = before.is_some_and(|word| word.class.has(Class::DOCUMENT) && !word.class.has(Class::SECTION));
        match mention.sort {
            mention::Sort::Explicit => mention.documents().next().is_some(),
            mention::Sort::NoFile(_) | mention::Sort::Stranger => false,
            mention::Sort::Name => {
                mention.documents().next().is_some() && (next || called || self.is_place_of_part(mention))
            }
        }
    }

    /// "the overview of research", "research overview": a bare name next to a part that this document has.
    fn is_place_of_part(&self, mention: &Mention) -> bool {
        let words = &self.reading.words;
        let has = |part: &Mention| {
            part.candidates.iter().any(|one| {
                one.owner.part.is_some() && mention.documents().any(|document| document == one.owner.document)
            })
        };
        let between = |start: usize, end: usize, fits: &dyn Fn(Class) -> bool| {
            words.get(start..end).is_some_and(|words| words.iter().all(|word| fits(word.class)))
        };
        let others = self.mentions.iter().map(|(other, _)| *other).filter(|other| other.has_part() && has(other));
        others.into_iter().any(|part| {
            let (doc, part) = (&mention.words, &part.words);
            let behind = part.end < doc.start
                && words.get(part.end).is_some_and(|word| word.class.has(Class::PLACE) || word.exact == "from")
                && between(part.end + 1, doc.start, &|class| class.has(Class::THE));
            behind || doc.end == part.start
        })
    }

    /// "this document", if a document is open.
    fn this_document(&self) -> Option<usize> {
        let words = &self.reading.words;
        let said = words.windows(2).any(|pair| {
            matches!(pair, [this, document] if this.class.has(Class::THIS) && document.class.has(Class::DOCUMENT))
        });
        self.current.filter(|_| said)
    }

    fn answer(&self) -> Resolution {
        if let Some(missing) = self.missing_file() {
            return missing;
        }
        let parts: Vec<(&Mention, Role)> =
            self.mentions.iter().copied().filter(|(mention, _)| mention.has_part()).collect();
        let targets: Vec<&Mention> = parts
            .iter()
            .filter(|(mention, role)| self.is_target(mention, *role))
            .map(|(mention, _)| *mention)
            .collect();
        if !targets.is_empty() {
            return self.parts(&targets);
        }
        let phrase = self.phrase();
        if !self.scope.is_empty() {
            return self.whole(&parts, phrase);
        }
        if let Some(found) = self.bare(&parts) {
            return found;
        }
        phrase.or_else(|| self.unclear(&parts)).unwrap_or_else(say::nothing)
    }

    /// A part is the target if it is the object of the work, or if it is named together with its document.
    fn is_target(&self, mention: &Mention, role: Role) -> bool {
        let in_scope =
            mention.candidates.iter().any(|one| one.owner.part.is_some() && self.scope.contains(&one.owner.document));
        match role {
            Role::Target => true,
            Role::Unclear => in_scope && self.scope.len() == 1,
            Role::New | Role::Source | Role::Not => false,
        }
    }

    /// If the message names a nonexistent file as the location, nothing else it names can be the target.
    fn missing_file(&self) -> Option<Resolution> {
        let (mention, name) = self.mentions.iter().find_map(|(mention, role)| match &mention.sort {
            mention::Sort::NoFile(name) if matches!(role, Role::Target | Role::Unclear | Role::New) => {
                Some((*mention, name))
            }
            _ => None,
        })?;
        let near: Vec<Owner> = mention.candidates.iter().map(|one| one.owner).collect();
        if near.is_empty() {
            return Some(say::no_document(self.catalog, name));
        }
        // A part that only the similar document has confirms that document.
        let parts = self.mentions.iter().filter(|(other, role)| other.has_part() && *role == Role::Target);
        let there: Vec<Owner> = parts
            .flat_map(|(other, _)| other.candidates.iter().map(|one| one.owner))
            .filter(|owner| owner.part.is_some() && near.iter().any(|near| near.document == owner.document))
            .collect();
        Some(say::did_you_mean(self.catalog, if there.is_empty() { &near } else { &there }))
    }

    fn parts(&self, targets: &[&Mention]) -> Resolution {
        let mut found: Vec<(Owned, Vec<Owner>)> = Vec::new();
        for mention in targets {
            match self.choose(mention) {
                Choice::One(owned, others) => {
                    if !found.iter().any(|(known, _)| known.owner == owned.owner) {
                        found.push((owned, others));
                    }
                }
                Choice::Tie(owners) => return say::ambiguous(self.catalog, &owners),
                Choice::Weak(owners) | Choice::Elsewhere(owners) => return say::did_you_mean(self.catalog, &owners),
            }
        }
        match found.as_slice() {
            [(owned, others)] => self.found(*owned, others),
            several => {
                let owners: Vec<Owner> = several.iter().map(|(owned, _)| owned.owner).collect();
                say::many(self.catalog, &owners)
            }
        }
    }

    fn found(&self, owned: Owned, others: &[Owner]) -> Resolution {
        let document = match owned.owner.document {
            document if self.scope.contains(&document) || owned.whole => DocumentHow::Explicit,
            document if Some(document) == self.current => DocumentHow::Current,
            _ => DocumentHow::Inferred,
        };
        let how = How { document, matched: owned.by, score: owned.by.score() };
        say::found(self.catalog, owned.owner, how, self.reading.text.trim(), others)
    }

    fn class(&self, owner: Owner) -> Sort {
        self.catalog.document(owner.document).map_or(Sort::Item, |document| document.class)
    }

    /// Selects the meaning of a mention among its candidates.
    fn choose(&self, mention: &Mention) -> Choice {
        let all = best_of_each(mention, &self.not);
        // "Not the one in concept.md": the remaining candidate is likely, but not certain.
        if all.len() < best_of_each(mention, &[]).len() && self.scope.is_empty() {
            return Choice::Weak(all.iter().map(|one| one.owner).collect());
        }
        let there = |owned: &&Owned| self.scope.is_empty() || self.scope.contains(&owned.owner.document);
        let fitting: Vec<Owned> = all.iter().filter(there).copied().collect();
        let owners = |some: &[Owned]| some.iter().map(|one| one.owner).collect::<Vec<_>>();
        if fitting.is_empty() {
            return Choice::Elsewhere(owners(&all));
        }
        // A field without its document's name, such as "name" or "summary", is not enough.
        let is_sure = |one: &&Owned| {
            one.whole
                || self.class(one.owner) == Sort::Artifact
                || self.scope.contains(&one.owner.document)
                || Some(one.owner.document) == self.current
        };
        let sure: Vec<Owned> = fitting.iter().filter(is_sure).copied().collect();
        let Some(best) = sure.iter().map(|one| one.by).min() else {
            return if fitting.len() == 1 { Choice::Weak(owners(&fitting)) } else { Choice::Tie(owners(&fitting)) };
        };
        let here: Vec<Owned> = sure.iter().filter(|one| Some(one.owner.document) == self.current).copied().collect();
        let here_best = here.iter().map(|one| one.by).min();
        let rivals: Vec<Owned> = match here_best {
            Some(by) if by == best || by <= Match::OtherWords => {
                here.iter().filter(|one| one.by == by).copied().collect()
            }
            _ => {
                let near = |one: &&Owned| {
                    one.by == best || (best == Match::Title && one.by == Match::OtherWords) || Some(one.by) == here_best
                };
                let sure = sure.iter().filter(near).copied();
                sure.chain(fitting.iter().filter(|one| !is_sure(one) && one.by <= best).copied()).collect()
            }
        };
        let others = |chosen: Owner| owners(&fitting).into_iter().filter(|owner| *owner != chosen).collect::<Vec<_>>();
        match rivals.as_slice() {
            [one] if one.by <= Match::Words => Choice::One(*one, others(one.owner)),
            // Typos and prefixes are certain only if nothing else is similar.
            [one] if sure.len() == 1 && (self.counts(mention) > 1 || self.is_long_in_scope(mention)) => {
                Choice::One(*one, others(one.owner))
            }
            [one] => Choice::Weak(vec![one.owner]),
            several => Choice::Tie(owners(several)),
        }
    }

    /// The number of significant words in a mention.
    fn counts(&self, mention: &Mention) -> usize {
        let words = self.reading.words.get(mention.words.clone()).unwrap_or_default();
        words.iter().filter(|word| !word.class.has(Class::SKIP)).count()
    }

    /// A single long word with a typo, next to the name of its document.
    fn is_long_in_scope(&self, mention: &Mention) -> bool {
        let words = self.reading.words.get(mention.words.clone()).unwrap_or_default();
        self.scope.len() == 1 && words.iter().any(|word| word.stem.chars().count() >= 7)
    }

    /// Documents are named, without a part.
    fn whole(&self, parts: &[(&Mention, Role)], phrase: Option<Resolution>) -> Resolution {
        if let Some(phrase) = phrase {
            return phrase;
        }
        for (mention, role) in parts {
            let owners = match (role, self.choose(mention)) {
                // Something new that already exists: ask whether the message refers to the existing one.
                (Role::New, Choice::One(one, _)) => vec![one.owner],
                (Role::New, Choice::Weak(owners) | Choice::Tie(owners)) => owners,
                (Role::Unclear, Choice::Elsewhere(owners)) => {
                    owners.into_iter().filter(|owner| self.class(*owner) == Sort::Artifact).collect()
                }
                _ => Vec::new(),
            };
            if !owners.is_empty() {
                return say::did_you_mean(self.catalog, &owners);
            }
        }
        let owners: Vec<Owner> = self.scope.iter().map(|document| Owner { document: *document, part: None }).collect();
        match owners.as_slice() {
            [owner] => self.found(Owned { owner: *owner, by: Match::Title, whole: true }, &[]),
            several => say::many(self.catalog, several),
        }
    }

    /// Bare names of documents, which are mostly everyday words: "research", "scope", "customer".
    fn bare(&self, parts: &[(&Mention, Role)]) -> Option<Resolution> {
        let docs: Vec<&Mention> = self
            .mentions
            .iter()
            .filter(|(mention, role)| *role == Role::Target && mention.documents().next().is_some())
            .map(|(mention, _)| *mention)
            .collect();
        let mut owners: Vec<Owner> = Vec::new();
        for owner in docs.iter().flat_map(|mention| mention.documents()).map(|document| Owner { document, part: None })
        {
            if !owners.contains(&owner) {
                owners.push(owner);
            }
        }
        let [first, ..] = docs.as_slice() else { return None };
        if owners.len() > 1 {
            let all_clear = docs.iter().all(|mention| mention.documents().count() == 1);
            let compares = self.reading.words.iter().any(|word| word.class.has(Class::COMPARE));
            return Some(if all_clear && compares {
                say::many(self.catalog, &owners)
            } else {
                say::did_you_mean(self.catalog, &owners)
            });
        }
        let clear = self.is_whole_object(first)
            && parts.is_empty()
            && first.candidates.iter().all(|one| one.by == Match::Title);
        let rivals = self.reading.mentions.iter().filter(|mention| !mention.candidates.is_empty()).count() > 1;
        match owners.as_slice() {
            [owner] if clear && !rivals => {
                Some(self.found(Owned { owner: *owner, by: Match::Title, whole: true }, &[]))
            }
            some => Some(say::did_you_mean(self.catalog, some)),
        }
    }

    /// "Update the concept": a verb, the name, and nothing after it.
    fn is_whole_object(&self, mention: &Mention) -> bool {
        let words = &self.reading.words;
        let ends = words.get(mention.words.end).is_none_or(|word| {
            let last = mention.words.end.checked_sub(1).and_then(|at| words.get(at));
            last.is_some_and(|last| last.sentence != word.sentence)
                || matches!(word.exact.as_str(), "please" | "now" | "bitte")
        });
        let before =
            words.get(..mention.words.start).unwrap_or_default().iter().rev().find(|word| !word.class.has(Class::THE));
        let object = before.is_some_and(|word| {
            let class = word.class;
            class.has(Class::VERB) && !class.has(Class::MAKER) && !class.has(Class::WRITER)
        });
        ends && object
    }

    /// Some words of a title: "the problem section".
    fn phrase(&self) -> Option<Resolution> {
        for phrase in partial::phrases(self.reading) {
            let is_document = self.mentions.iter().any(|(mention, _)| {
                let words = self.reading.words.get(mention.words.clone()).unwrap_or_default();
                mention.documents().next().is_some()
                    && words.first().map(|word| word.start) == phrase.words.first().map(|word| word.start)
            });
            if is_document && !phrase.section {
                continue;
            }
            let mut owners = partial::parts(self.catalog, &phrase);
            owners.retain(|owner| !self.not.contains(&owner.document));
            if !self.scope.is_empty() {
                owners.retain(|owner| self.scope.contains(&owner.document));
            } else if owners.iter().any(|owner| Some(owner.document) == self.current) {
                owners.retain(|owner| Some(owner.document) == self.current);
            }
            if !owners.is_empty() {
                return Some(say::did_you_mean(self.catalog, &owners));
            }
            if let ([document], true) = (self.scope.as_slice(), phrase.section) {
                return Some(say::no_part(self.catalog, *document, phrase.text(self.reading.text)));
            }
        }
        None
    }

    /// Parts are named in an unclear role.
    fn unclear(&self, parts: &[(&Mention, Role)]) -> Option<Resolution> {
        let asked = |mention: &Mention| {
            let sentence = self.reading.words.get(mention.words.start).map(|word| word.sentence);
            let said = |word: &&super::words::Word| Some(word.sentence) == sentence;
            let verb = self
                .reading
                .words
                .iter()
                .filter(said)
                .any(|word| word.class.has(Class::VERB) || word.class.has(Class::SECTION));
            let words = self.reading.words.iter().filter(said).count();
            let artifact = mention.candidates.iter().any(|one| self.class(one.owner) == Sort::Artifact);
            verb || self.counts(mention) > 1 || (artifact && words <= SHORT)
        };
        let mut owners: Vec<Owner> = Vec::new();
        for (mention, _) in parts.iter().filter(|(mention, role)| *role != Role::Not && asked(mention)) {
            let here = best_of_each(mention, &self.not);
            owners.extend(here.iter().map(|one| one.owner).filter(|owner| owner.part.is_some()));
        }
        (!owners.is_empty()).then(|| say::did_you_mean(self.catalog, &owners))
    }
}

/// Each thing that a mention can refer to, once, with its most certain name.
fn best_of_each(mention: &Mention, not: &[usize]) -> Vec<Owned> {
    let mut sorted: Vec<Owned> =
        mention.candidates.iter().filter(|one| !not.contains(&one.owner.document)).copied().collect();
    sorted.sort_by_key(|one| (one.owner, one.by, !one.whole));
    sorted.dedup_by_key(|one| one.owner);
    sorted
}
