//! The model of a style rule, used from extraction through merging to the prompt.
//!
//! A rule keeps the wording of its author, and every line in a prompt includes the headings above the rule. Nothing is
//! rephrased, so no rule can turn into its opposite: if Jig does not understand a heading (`Vältä`, `Anti-patterns`),
//! the model still reads `**Vältä:** Passiivi`. The derived polarity only decides whether the heading or the rule comes
//! first in the line.

use super::Format;
use super::names::is_only_formats;
use super::terms::{Term, terms};

/// A style rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StyleRule {
    /// The text, verbatim.
    pub text: String,
    /// Whether the rule asks for something or forbids it, if that is certain.
    pub polarity: Polarity,
    /// The terms it names, if it is certainly about terms.
    pub terms: Vec<Term>,
    /// The formats it applies to.
    pub scope: Scope,
    /// Its origin.
    pub source: RuleSource,
}

/// What a rule asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Polarity {
    /// Do something.
    Do,
    /// Do not do something.
    Dont,
    /// Prefer one thing to another; the text names both.
    Prefer,
    /// Words to use or avoid; see `terms`.
    Terms,
    /// Uncertain. The text and its headings are passed on without interpretation.
    Unclear,
}

/// The formats a rule applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Files of every format.
    AllFormats,
    /// Files of these formats only.
    Formats(Vec<Format>),
}

/// The origin of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSource {
    /// The file in the item.
    pub file: String,
    /// The headings and lead-in lines above it, outermost first, verbatim.
    pub headings: Vec<String>,
}

impl Scope {
    /// Whether a rule applies to this format specifically, rather than to all formats.
    pub fn names(&self, format: Format) -> bool {
        matches!(self, Self::Formats(formats) if formats.contains(&format))
    }
}

impl StyleRule {
    /// Creates a rule. Its polarity is derived from its text and headings.
    pub(crate) fn new(text: &str, scope: Scope, source: RuleSource) -> Self {
        let terms = terms(text, &source.headings);
        Self::with_terms(text, scope, source, terms)
    }

    /// Creates a rule whose terms are known from its position.
    pub(super) fn with_terms(text: &str, scope: Scope, source: RuleSource, terms: Vec<Term>) -> Self {
        let above = || source.headings.iter().rev().map(|heading| polarity_of_heading(heading));
        let own = polarity_of_text(text);
        let polarity = match own {
            _ if !terms.is_empty() => Polarity::Terms,
            Polarity::Unclear => above().find(|known| *known != Polarity::Unclear).unwrap_or(own),
            own => own,
        };
        Self { text: text.to_owned(), polarity, terms, scope, source }
    }

    /// The headings that a reader needs, without generic titles such as `Style rules` and without format names, which
    /// are redundant at the rule's position.
    pub(crate) fn label(&self) -> String {
        let needed = self.source.headings.iter().filter(|heading| !is_title(heading) && !is_only_formats(heading));
        needed.map(|heading| heading.trim().trim_end_matches([':', '：']).trim_end()).collect::<Vec<_>>().join(" › ")
    }

    /// The rule as an item of a Markdown list. `clean` escapes its text for the target document.
    pub(super) fn line(&self, clean: impl Fn(&str) -> String) -> String {
        let (label, text) = (label_markdown(&self.label()), clean(&self.text));
        let lines: Vec<&str> = text.trim().lines().collect();
        let first = lines.first().copied().unwrap_or_default();
        // A table, a quote or a code block must start on its own line.
        let inline = !first.starts_with(['|', '>', '`', '~', '#', ' ', '\t']);
        let states_itself = lines.len() == 1 && inline && polarity_of_text(&self.text) != Polarity::Unclear;
        let text = lines.join("\n  ");
        match (label.is_empty(), inline) {
            (true, true) => format!("- {text}"),
            (true, false) => format!("- The following:\n\n  {text}"),
            (false, _) if states_itself => format!("- {text} (listed under “{label}”)"),
            (false, true) => format!("- **{label}:** {text}"),
            (false, false) => format!("- **{label}:**\n\n  {text}"),
        }
    }
}

/// A heading as inline Markdown, escaped.
pub(super) fn label_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '[' | ']' | '<' | '*' | '_') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Words of generic titles, which say nothing about a rule below them.
const TITLE: &[&str] = &[
    "document",
    "documents",
    "format",
    "formatting",
    "general",
    "guide",
    "guidelines",
    "house",
    "our",
    "rules",
    "style",
    "the",
    "and",
    "for",
    "of",
    "all",
    "every",
    "formats",
    "files",
    "a",
];

fn is_title(heading: &str) -> bool {
    let mut words = words(heading).peekable();
    words.peek().is_some() && words.all(|word| TITLE.contains(&word.as_str()))
}

/// Negations and verbs of prohibition. They only affect the order within a line, so a missing word is harmless.
pub(super) const NEGATIVE: &[&str] = &[
    "anti",
    "avoid",
    "avoided",
    "banned",
    "can't",
    "cannot",
    "don't",
    "don'ts",
    "dont",
    "donts",
    "forbidden",
    "must'nt",
    "mustn't",
    "never",
    "no",
    "nogo",
    "nogos",
    "not",
    "prohibited",
    "shouldn't",
    "unwanted", // English
    "kein",
    "keine",
    "keinen",
    "keiner",
    "nicht",
    "nie",
    "niemals",
    "tabu",
    "verboten",
    "vermeide",
    "vermeiden", // German
    "aucun",
    "aucune",
    "interdit",
    "interdite",
    "interdits",
    "jamais",
    "ne",
    "pas",
    "éviter",
    "évitez", // French
    "evitar",
    "evite",
    "ninguna",
    "ningún",
    "nunca",
    "prohibida",
    "prohibidas",
    "prohibido",
    "prohibidos", // Spanish
    "evitare",
    "mai",
    "non",
    "vietato", // Italian
    "não",
    "proibido", // Portuguese
    "geen",
    "niet",
    "nooit",
    "verboden",
    "vermijd",
    "vermijden", // Dutch
    "nigdy",
    "unikaj",
    "zabronione", // Polish
    "запрещено",
    "избегать",
    "не",
    "нельзя",
    "никогда", // Russian
    "aldrig",
    "inte",
    "undvik",
    "ikke",
    "unngå",
    "undgå", // Scandinavian
];
/// Words that start a rule which certainly asks for something.
pub(super) const POSITIVE: &[&str] = &[
    "always",
    "must",
    "do",
    "dos",
    "do's",
    "required",
    "immer",
    "stets",
    "toujours",
    "siempre",
    "sempre",
    "altijd",
    "zawsze",
    "всегда",
    "alltid",
    "altid",
];
/// Words that express a preference.
const CHOICE: &[&str] =
    &["instead", "rather", "prefer", "statt", "anstatt", "stattdessen", "lieber", "plutôt", "préférer", "preferir"];

/// Words that a label may have beside those that say what it means.
const BESIDE: &[&str] = &[
    "a",
    "any",
    "are",
    "be",
    "below",
    "following",
    "here",
    "in",
    "is",
    "it",
    "list",
    "of",
    "on",
    "our",
    "please",
    "say",
    "that",
    "the",
    "these",
    "things",
    "this",
    "to",
    "us",
    "use",
    "using",
    "we",
    "what",
    "which",
    "with",
    "write",
    "you",
];

/// Whether a short text says only whether something is wanted, and not what: `Never`, `Words to avoid`, `What we don't do`.
pub(super) fn is_label(text: &str) -> bool {
    let known = |word: &str| [NEGATIVE, POSITIVE, BESIDE, super::terms::WORDS].iter().any(|list| list.contains(&word));
    polarity_of_heading(text) != Polarity::Unclear && words(text).count() <= 6 && words(text).all(|word| known(&word))
}

fn polarity_of_heading(heading: &str) -> Polarity {
    let has = |list: &[&str]| words(heading).any(|word| list.contains(&word.as_str()));
    if has(CHOICE) {
        Polarity::Prefer
    } else if has(NEGATIVE) || heading.contains(CROSSES) {
        Polarity::Dont
    } else if has(POSITIVE) || heading.contains(TICKS) {
        Polarity::Do
    } else {
        Polarity::Unclear
    }
}

pub(crate) fn polarity_of_text(text: &str) -> Polarity {
    let has = |list: &[&str]| words(text).any(|word| list.contains(&word.as_str()));
    if has(CHOICE) {
        Polarity::Prefer
    } else if text.trim_start().starts_with(CROSSES) || has(NEGATIVE) {
        Polarity::Dont
    } else if text.trim_start().starts_with(TICKS) || words(text).next().is_some_and(|word| POSITIVE.contains(&&*word))
    {
        Polarity::Do
    } else {
        Polarity::Unclear
    }
}

/// Symbols for what is forbidden, and for what is wanted.
pub(super) const CROSSES: [char; 8] = ['❌', '✗', '✘', '✖', '☒', '⛔', '🚫', '👎'];
pub(super) const TICKS: [char; 5] = ['✅', '✔', '✓', '☑', '👍'];

pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’'));
    words.filter(|word| !word.is_empty()).map(|word| word.to_lowercase().replace('’', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(headings: &[&str], text: &str) -> StyleRule {
        let headings = headings.iter().map(|heading| (*heading).to_owned()).collect();
        StyleRule::new(text, Scope::AllFormats, RuleSource { file: "SKILL.md".to_owned(), headings })
    }

    #[test]
    fn polarity_is_derived_where_it_is_certain() {
        assert_eq!(rule(&["Tables", "Don’ts"], "Merged cells").polarity, Polarity::Dont);
        assert_eq!(rule(&["Don'ts", "Tables"], "Merged cells").polarity, Polarity::Dont);
        assert_eq!(rule(&["Don'ts"], "Always use sentence case").polarity, Polarity::Do);
        assert_eq!(rule(&["Dos"], "Avoid jargon").polarity, Polarity::Dont);
        assert_eq!(rule(&[], "Say client instead of customer").polarity, Polarity::Prefer);
        assert_eq!(rule(&["Vältä"], "Passiivi").polarity, Polarity::Unclear);
    }

    #[test]
    fn every_line_carries_the_headings() {
        let line = |headings: &[&str], text: &str| rule(headings, text).line(str::to_owned);
        assert_eq!(line(&["Style rules", "Tables", "Don'ts"], "Merged cells"), "- **Tables › Don'ts:** Merged cells");
        assert_eq!(line(&["Excel", "Vältä"], "Passiivi"), "- **Vältä:** Passiivi");
        assert_eq!(line(&["Don'ts"], "Always use A4"), "- Always use A4 (listed under “Don'ts”)");
        assert_eq!(line(&[], "Be brief"), "- Be brief");
        assert_eq!(line(&["Never"], "| a |\n|---|"), "- **Never:**\n\n  | a |\n  |---|");
    }
}
