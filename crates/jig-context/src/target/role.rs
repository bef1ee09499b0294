//! Determines the role of each mention in a message.

use super::fold::{Script, script};
use super::lexicon::{Class, UNSPACED_AFTER, UNSPACED_BEFORE, UNSPACED_NOT, UNSPACED_NOT_AFTER, UNSPACED_VERBS};
use super::mention::{Mention, Reading, Sort};
use super::words::Word;

/// The role of a mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The object of the work.
    Target,
    /// Unclear.
    Unclear,
    /// Something that does not exist yet: "an overview".
    New,
    /// A source or a topic.
    Source,
    /// Explicitly excluded.
    Not,
}

/// The role of each mention, in order.
pub(super) fn roles(reading: &Reading<'_>) -> Vec<Role> {
    let mut roles: Vec<Role> = Vec::new();
    for (number, mention) in reading.mentions.iter().enumerate() {
        let before = number.checked_sub(1).and_then(|at| reading.mentions.get(at).zip(roles.get(at).copied()));
        let role = before
            .and_then(|(before, role)| inherited(reading, before, role, mention))
            .unwrap_or_else(|| Look::new(reading, mention).role());
        roles.push(role);
    }
    roles
}

/// Items of a list inherit the role of the first one.
fn inherited(reading: &Reading<'_>, before: &Mention, role: Role, mention: &Mention) -> Option<Role> {
    let between = reading.words.get(before.words.end..mention.words.start)?;
    let (last, first) = (reading.words.get(before.words.end - 1)?, reading.words.get(mention.words.start)?);
    let listed = between.iter().all(|word| word.class.has(Class::AND) || is_article(word));
    let joined = between.iter().any(|word| word.class.has(Class::AND)) || last.clause != first.clause;
    if !listed || !joined || last.sentence != first.sentence {
        return None;
    }
    // "Not the one, the other": the second one is the target.
    let contrast = role == Role::Not && !between.iter().any(|word| word.class.has(Class::AND));
    let bare_not = reading.words.get(..before.words.start)?.iter().rev().find(|word| !is_article(word));
    if contrast && bare_not.is_some_and(|word| word.class.has(Class::NOT)) {
        return None;
    }
    // The words after the last item must not change its meaning either.
    let look = Look::new(reading, mention);
    Some(if role == Role::Target && !look.is_bounded() { Role::Unclear } else { role })
}

fn is_article(word: &Word) -> bool {
    word.class.has(Class::THE) && !word.class.has(Class::NOT)
}

/// A mention and its surroundings.
struct Look<'a> {
    reading: &'a Reading<'a>,
    mention: &'a Mention,
    /// The words of its clause before and after it.
    before: &'a [Word],
    after: &'a [Word],
    sentence: Vec<&'a Word>,
}

/// What governs a mention from before it.
enum Governor {
    Verb(String),
    Adder,
    Place,
    Source,
    Called,
    /// The start of the clause.
    Start,
    /// A word that gives it another meaning.
    Other,
    /// A word that makes it something new.
    New,
    /// A word that places it outside the catalog.
    Elsewhere,
}

/// Words that may occur between a verb and its object.
const PASSED: &[&str] = &["please", "up", "out", "off", "me", "us", "jour", "à", "bitte", "mal", "doch", "mir", "uns"];
/// English negations.
const ENGLISH_NOT: &[&str] = &[
    "not",
    "no",
    "never",
    "without",
    "except",
    "dont",
    "doesnt",
    "didnt",
    "shouldnt",
    "wont",
    "cannot",
    "cant",
    "mustnt",
    "neither",
    "nor",
    "excluding",
    "avoid",
    "skip",
    "ignore",
    "leave",
    "keep",
    "preserve",
    "exclude",
    "omit",
    "spare",
    "instead",
    "rather",
    "besides",
    "apart",
    "stop",
    "isnt",
    "arent",
    "wasnt",
];
/// Participles for things that are left alone, in addition to the verbs of the lexicon.
const DONE_TO: &[&str] =
    &["touch", "touched", "changed", "edited", "modified", "updated", "rewritten", "deleted", "removed"];

impl<'a> Look<'a> {
    fn new(reading: &'a Reading<'a>, mention: &'a Mention) -> Self {
        let words = &reading.words;
        let range = &mention.words;
        let clause = words.get(range.start).map(|word| word.clause);
        let same = |word: &&Word| Some(word.clause) == clause;
        let start = range.start - words.get(..range.start).unwrap_or_default().iter().rev().take_while(same).count();
        let end = range.end + words.get(range.end..).unwrap_or_default().iter().take_while(same).count();
        let sentence = words.get(range.start).map(|word| word.sentence);
        Self {
            reading,
            mention,
            before: words.get(start..range.start).unwrap_or_default(),
            after: words.get(range.end..end).unwrap_or_default(),
            sentence: words.iter().filter(|word| Some(word.sentence) == sentence).collect(),
        }
    }

    fn role(&self) -> Role {
        let unspaced = self.reading.words.get(self.mention.words.start).is_some_and(|word| word.unspaced);
        if self.is_negated() {
            return Role::Not;
        }
        if unspaced {
            return self.unspaced();
        }
        let compares = self.in_sentence(Class::COMPARE);
        let explicit = self.mention.sort != Sort::Name;
        match self.governor() {
            Governor::Elsewhere => Role::Not,
            Governor::Source if compares || (self.in_sentence(Class::MOVE) && self.governed_by("from")) => Role::Target,
            Governor::Source => Role::Source,
            Governor::New if !compares => Role::New,
            _ if !explicit && (!self.is_bounded() || self.is_elsewhere()) => Role::Unclear,
            _ if self.is_ticked() => Role::Unclear,
            Governor::Verb(verb) if verb == "replace" && self.is_quoted() => Role::Unclear,
            Governor::Verb(_) | Governor::Called => Role::Target,
            Governor::Place if self.in_sentence(Class::VERB) || self.in_sentence(Class::SECTION) => Role::Target,
            Governor::Start if self.stands_alone() => Role::Target,
            _ if compares || self.is_reference() => Role::Target,
            _ => Role::Unclear,
        }
    }

    /// An explicit reference such as `@concept#overview` is always intended.
    fn is_reference(&self) -> bool {
        self.mention.candidates.iter().any(|one| one.by == super::Match::Reference)
    }

    fn in_sentence(&self, class: Class) -> bool {
        self.sentence.iter().any(|word| word.class.has(class))
    }

    fn is_quoted(&self) -> bool {
        self.reading.words.get(self.mention.words.start).is_some_and(|word| word.quoted.is_some())
    }

    fn is_ticked(&self) -> bool {
        self.reading.words.get(self.mention.words.start).is_some_and(|word| word.ticked.is_some())
    }

    fn governed_by(&self, exact: &str) -> bool {
        self.before.iter().rev().find(|word| !is_article(word)).is_some_and(|word| word.exact == exact)
    }

    /// Whether something before it negates it, or something after it says to leave it alone.
    fn is_negated(&self) -> bool {
        let nots = self.before.iter().enumerate().filter(|(_, word)| word.class.has(Class::NOT));
        let taken_back = |at: usize| self.before.iter().skip(at + 1).take(2).any(|word| word.class.has(Class::UNLESS));
        let but = self.before.windows(2).any(|pair| {
            matches!(pair, [all, but] if but.exact == "but" && matches!(all.exact.as_str(), "everything" | "anything" | "all" | "nothing"))
        });
        // In "everything but X", the "but" starts a clause, and the words before it decide.
        let all_but = self.before.first().is_some_and(|word| word.exact == "but")
            && !self.before.iter().any(|word| word.class.has(Class::VERB))
            && self.previous_clause_ends_in(&["everything", "anything", "all", "nothing", "every"]);
        let left = |word: &Word| matches!(word.exact.as_str(), "alone" | "unchanged" | "untouched" | "intact");
        nots.into_iter().any(|(at, _)| !taken_back(at))
            || but
            || all_but
            || self.after.iter().any(left)
            || self.is_negated_behind()
            || self.unspaced_not()
    }

    /// Handles "Ändere das nicht" and "core features: don't touch them". An English "not" after a name often only says
    /// that something is not done yet.
    fn is_negated_behind(&self) -> bool {
        let next = self
            .reading
            .mentions
            .iter()
            .map(|mention| mention.words.start)
            .find(|start| *start >= self.mention.words.end);
        let end = self.mention_words().last().map_or(0, |word| word.end);
        let limit = next.and_then(|at| self.reading.words.get(at)).map_or(usize::MAX, |word| word.start);
        let behind: Vec<&&Word> = self.sentence.iter().filter(|word| word.start >= end && word.start < limit).collect();
        behind.iter().enumerate().any(|(at, word)| {
            let done = behind.iter().skip(at + 1).take(4);
            let done =
                done.into_iter().any(|word| word.class.has(Class::VERB) || DONE_TO.contains(&word.exact.as_str()));
            let foreign = !ENGLISH_NOT.contains(&word.exact.as_str());
            let clause = self.mention_words().first().map(|word| word.clause) == Some(word.clause);
            word.class.has(Class::NOT) && (done || (foreign && clause))
        })
    }

    /// Whether the following words place it outside the catalog: "the overview in the deck", "… of Initech".
    fn is_elsewhere(&self) -> bool {
        let mut behind = self.after.iter().skip_while(|word| word.class.has(Class::SECTION)).peekable();
        let Some(first) = behind.next() else { return false };
        let at = self.reading.words.iter().position(|word| word.start == first.start).unwrap_or(usize::MAX);
        let articles = self
            .after
            .iter()
            .skip_while(|word| word.start <= first.start)
            .take_while(|word| word.class.has(Class::THE))
            .count();
        let named = self.reading.mentions.iter().find(|mention| mention.words.start == at.saturating_add(1 + articles));
        let owns = named.is_some_and(|named| {
            named.documents().any(|document| self.mention.candidates.iter().any(|one| one.owner.document == document))
        });
        let this = self.after.windows(2).any(|pair| matches!(pair, [this, document] if this.class.has(Class::THIS) && document.class.has(Class::DOCUMENT)));
        let file = named.is_some_and(|named| named.sort != Sort::Name);
        let on = matches!(first.exact.as_str(), "of" | "on" | "von");
        let within =
            matches!(first.exact.as_str(), "in" | "inside" | "within" | "im") && (articles > 0 || named.is_some());
        (on || within) && !owns && !file && !this
    }

    fn previous_clause_ends_in(&self, words: &[&str]) -> bool {
        let at = self.mention.words.start - self.before.len();
        let last = at.checked_sub(1).and_then(|at| self.reading.words.get(at));
        last.is_some_and(|word| words.contains(&word.exact.as_str()))
    }

    fn governor(&self) -> Governor {
        let source = self.before.iter().any(|word| word.class.has(Class::SOURCE));
        let verb = self.before.iter().any(|word| word.class.has(Class::VERB));
        let mut called = false;
        let mut words = self.before.iter().rev().peekable();
        while let Some(word) = words.next() {
            let class = word.class;
            let next = words.peek().map(|word| word.class).unwrap_or_default();
            let fixed = class.has(Class::CALLED) || class.has(Class::SECTION) || class.has(Class::DOCUMENT);
            return match () {
                () if PASSED.contains(&word.exact.as_str()) => continue,
                // "an artifact called X": X is not the name of a section.
                () if called && class.has(Class::DOCUMENT) && self.mention.documents().next().is_none() => {
                    Governor::Elsewhere
                }
                () if fixed => {
                    called = true;
                    continue;
                }
                () if class.has(Class::NEW) && !class.has(Class::VERB) => Governor::New,
                () if class.has(Class::VERB) && class.has(Class::MAKER) => Governor::Adder,
                () if class.has(Class::VERB) => Governor::Verb(word.exact.clone()),
                // "work on", "the section on".
                () if class.has(Class::SOURCE) && word.exact == "on" && next.has(Class::ON) => {
                    called |= next.has(Class::SECTION);
                    if called { continue } else { Governor::Verb(String::new()) }
                }
                () if class.has(Class::SOURCE) => Governor::Source,
                // "as described in", "according to".
                () if class.has(Class::PLACE) && source && !verb => Governor::Source,
                () if class.has(Class::PLACE) => Governor::Place,
                () if class.has(Class::COMPARE) => Governor::Place,
                () if class.has(Class::AND) && verb => Governor::Verb(String::new()),
                () if class.has(Class::THE) || class.has(Class::KIND_OF) => continue,
                () => Governor::Other,
            };
        }
        if called { Governor::Called } else { Governor::Start }
    }

    /// Whether the following words leave its meaning unchanged: in "core features page" they do not.
    fn is_bounded(&self) -> bool {
        let Some(next) = self.after.first() else { return true };
        let made = self.before.iter().any(|word| matches!(word.exact.as_str(), "make" | "making"));
        let adverb = next.exact.ends_with("ly") || (made && next.exact.ends_with("er"));
        let last = self.mention.words.end.checked_sub(1).and_then(|at| self.reading.words.get(at));
        let quoted = self.is_quoted() || last.is_some_and(|word| word.colon);
        // "overview update" is about an update, not about the overview.
        let verb = next.class.has(Class::VERB) && !next.class.has(Class::AFTER) && !next.class.has(Class::PLACE);
        quoted || adverb || next.exact.is_empty() || (next.class.is_known() && !verb)
    }

    /// Whether the clause consists of the name, or uses it as a heading or subject: "Core features: add X", "the X
    /// section needs Y".
    fn stands_alone(&self) -> bool {
        let small = self.mention_words().iter().all(|word| word.class.is_known());
        let last = self.mention.words.end.checked_sub(1).and_then(|at| self.reading.words.get(at));
        let section = self.after.first().is_some_and(|word| word.class.has(Class::SECTION));
        let polite = |word: &Word| matches!(word.exact.as_str(), "please" | "bitte" | "now");
        let alone = self.after.iter().all(polite)
            && self.sentence.len() <= self.mention.words.len() + self.before.len() + self.after.len();
        let headed =
            last.is_some_and(|word| word.colon) || (section && self.after.first().is_some_and(|word| word.colon));
        !small && (headed || section || alone)
    }

    fn mention_words(&self) -> &[Word] {
        self.reading.words.get(self.mention.words.clone()).unwrap_or_default()
    }

    fn text_before(&self) -> &str {
        let end = self.mention_words().first().map_or(0, |word| word.start);
        let start = self.before.first().map_or(end, |word| word.start);
        self.reading.text.get(start..end).unwrap_or_default()
    }

    fn text_after(&self) -> &str {
        let start = self.mention_words().last().map_or(0, |word| word.end);
        let end = self.after.last().map_or(start, |word| word.end);
        self.reading.text.get(start..end).unwrap_or_default()
    }

    fn unspaced_not(&self) -> bool {
        let (before, after) = (self.text_before(), self.text_after());
        let said = |not: &str| before.contains(not) || after.contains(not);
        let particles = after.trim_start_matches(['」', '』', '"', 'は', 'を', 'が', '을', '를', '은', '는', ' ']);
        UNSPACED_NOT.iter().any(|not| said(not)) || UNSPACED_NOT_AFTER.iter().any(|not| particles.starts_with(not))
    }

    /// The role of a name in a script without spaces, where nothing separates it from the surrounding words.
    fn unspaced(&self) -> Role {
        let (before, after) = (self.text_before(), self.text_after());
        let verb = |text: &str| UNSPACED_VERBS.iter().any(|verb| text.contains(verb));
        let asks = verb(before) || verb(after) || self.in_sentence(Class::VERB);
        let alone = before.trim().is_empty() && after.trim().is_empty();
        let long = self.mention_words().len() > 1;
        if long && (asks || alone) && self.begins(before) && self.ends(after) { Role::Target } else { Role::Unclear }
    }

    fn begins(&self, before: &str) -> bool {
        let Some(last) = before.chars().next_back() else { return true };
        let kana = ('\u{3040}'..='\u{309f}').contains(&last);
        let free = script(last) != Script::Unspaced || !last.is_alphanumeric();
        free || kana || UNSPACED_BEFORE.contains(last) || UNSPACED_VERBS.iter().any(|verb| before.ends_with(verb))
    }

    fn ends(&self, after: &str) -> bool {
        let Some(first) = after.chars().next() else { return true };
        let free = script(first) != Script::Unspaced || !first.is_alphanumeric();
        let follows = |words: &[&str]| words.iter().any(|word| after.starts_with(word));
        free || follows(UNSPACED_AFTER) || follows(UNSPACED_VERBS)
    }
}
