//! Telling a style rule's sense: for every format or for some, a command or a prohibition.

use super::scan::Material;
use crate::style::names::{OTHER_DOCUMENT, plain_words};

/// What a style rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    /// Any file.
    EveryFormat,
    /// Spreadsheets.
    Xlsx,
    /// Text documents.
    Docx,
    /// Slides.
    Pptx,
}

impl Scope {
    pub(super) const ALL: [Self; 4] = [Self::EveryFormat, Self::Xlsx, Self::Docx, Self::Pptx];

    /// The heading of its rules.
    pub(super) const fn heading(self) -> &'static str {
        match self {
            Self::EveryFormat => "Every format",
            Self::Xlsx => "xlsx",
            Self::Docx => "docx",
            Self::Pptx => "pptx",
        }
    }
}

const FORMATS: [Scope; 3] = [Scope::Xlsx, Scope::Docx, Scope::Pptx];

/// Names of a format.
const XLSX: &[&str] = &[
    "xlsx",
    "excel",
    "spreadsheet",
    "spreadsheets",
    "worksheet",
    "worksheets",
    "workbook",
    "workbooks",
    "sheet",
    "sheets",
];
const DOCX: &[&str] = &["docx", "microsoft word", "word document", "word documents", "word file", "word files"];
const PPTX: &[&str] = &["pptx", "powerpoint", "slide", "slides", "presentation", "presentations", "deck", "decks"];
/// Things that are found in files of one format more than in others.
const XLSX_PARTS: &[&str] = &["cell", "cells", "column", "columns"];
const DOCX_PARTS: &[&str] = &["paragraph", "paragraphs", "page", "pages", "margin", "margins"];
/// Text documents, when they stand beside another format.
const DOCUMENT: &[&str] = &["document", "documents"];
/// Words for files of any format.
const EVERY: &[&str] =
    &["all files", "all formats", "any file", "any format", "each file", "every file", "every format", "other files"];
/// The same, but only beside a format: other formats may be those of dates and numbers.
const OTHERS: &[&str] = &["other documents", "other formats"];
const NEVER: &[&str] = &["never", "avoid", "don't", "don’t", "cannot", "forbidden", "prohibited"];
const NEVER_PAIRS: &[&str] = &["do not", "must not", "should not", "may not", "shall not", "not allowed"];

/// A rule found in a style guide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) scope: Scope,
    pub(super) never: bool,
    pub(super) text: String,
}

/// Every list entry, fact and sentence as a rule, once for each format that it is for. A label is as good as a heading.
pub(super) fn rules(material: &Material) -> Vec<Rule> {
    let facts = material.facts.iter().map(|fact| (fact.label.as_str(), format!("{}: {}", fact.label, fact.value)));
    let points = material
        .groups
        .iter()
        .flat_map(|group| group.points.iter().map(|point| (group.heading.as_str(), point.clone())));
    let figures = material.figures.iter().map(|sentence| ("", sentence.clone()));
    facts.chain(points).chain(figures).flat_map(|(heading, text)| rules_of(heading, &text)).collect()
}

fn rules_of(heading: &str, text: &str) -> Vec<Rule> {
    let lower = text.to_lowercase();
    let never =
        has_word(&lower, NEVER) || NEVER_PAIRS.iter().any(|pair| lower.contains(pair)) || lower.starts_with("no ");
    scopes(heading, text).into_iter().map(|scope| Rule { scope, never, text: text.to_owned() }).collect()
}

/// What a rule is for. A heading's formats go before those that the rule names, which may only choose among them. Parts
/// of files come last: slides have pages and documents have columns too.
fn scopes(heading: &str, text: &str) -> Vec<Scope> {
    let (above, own) = (named(heading), named(text));
    let both: Vec<Scope> = own.iter().copied().filter(|scope| above.contains(scope)).collect();
    let found = [both, above, own, parts(heading), parts(text)].into_iter().find(|scopes| !scopes.is_empty());
    found.filter(|scopes| scopes.len() < FORMATS.len()).unwrap_or_else(|| vec![Scope::EveryFormat])
}

/// The formats that a text names. `Word` is mostly no format, and a document may be of any.
fn named(text: &str) -> Vec<Scope> {
    let said = plain_words(text);
    let has = |names: &[&str]| has_name(&said, names);
    let (xlsx, pptx) = (has(XLSX), has(PPTX));
    let program = has(&["word"]) && has_word(text, &["Word", "WORD"]);
    let beside = program || has(DOCUMENT) && !has(OTHER_DOCUMENT);
    let docx = has(DOCX) || said.trim() == "word" || beside && (xlsx || pptx);
    if has(EVERY) || has(OTHERS) && (xlsx || docx || pptx) {
        return FORMATS.to_vec();
    }
    FORMATS.into_iter().zip([xlsx, docx, pptx]).filter(|(_, is)| *is).map(|(scope, _)| scope).collect()
}

/// The formats whose parts a text speaks of.
fn parts(text: &str) -> Vec<Scope> {
    let said = plain_words(text);
    let known = [(Scope::Xlsx, XLSX_PARTS), (Scope::Docx, DOCX_PARTS)];
    known.into_iter().filter(|(_, names)| has_name(&said, names)).map(|(scope, _)| scope).collect()
}

fn has_name(said: &str, names: &[&str]) -> bool {
    names.iter().any(|name| said.contains(&format!(" {name} ")))
}

fn has_word(text: &str, words: &[&str]) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’')).any(|word| words.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::super::scan::scan;
    use super::*;

    fn sorted(text: &str) -> Vec<(Scope, bool, String)> {
        rules(&scan(text)).into_iter().map(|rule| (rule.scope, rule.never, rule.text)).collect()
    }

    #[test]
    fn rules_are_told_apart_by_format_and_sense() {
        let text = "- Use Title Case\n- Never use Oxford commas\n- Right-align numbers in cells\n- One idea on each slide\n\
                    - Indent no paragraph\nFont: Arial\n";
        let expected = [
            (Scope::EveryFormat, false, "Font: Arial"),
            (Scope::EveryFormat, false, "Use Title Case"),
            (Scope::EveryFormat, true, "Never use Oxford commas"),
            (Scope::Xlsx, false, "Right-align numbers in cells"),
            (Scope::Pptx, false, "One idea on each slide"),
            (Scope::Docx, false, "Indent no paragraph"),
        ];
        assert_eq!(sorted(text), expected.map(|(scope, never, text)| (scope, never, text.to_owned())));
    }

    #[test]
    fn a_heading_names_the_format_of_its_rules() {
        let found = sorted("# Slides\n- Do not fill them\n# General\n- No jargon\n");
        assert_eq!(found[0], (Scope::Pptx, true, "Do not fill them".to_owned()));
        assert_eq!(found[1], (Scope::EveryFormat, true, "No jargon".to_owned()));
    }

    fn scopes_of(text: &str) -> Vec<Scope> {
        rules(&scan(text)).into_iter().map(|rule| rule.scope).collect()
    }

    #[test]
    fn a_rule_that_names_several_formats_is_for_each_of_them() {
        let cases: &[(&str, &[Scope])] = &[
            ("- Use Arial in Word, Excel and PowerPoint files.", &[Scope::EveryFormat]),
            ("- Use Arial in documents, spreadsheets and presentations", &[Scope::EveryFormat]),
            ("- Use Arial in Excel and all other files", &[Scope::EveryFormat]),
            ("- Use Arial in spreadsheets and decks", &[Scope::Xlsx, Scope::Pptx]),
            ("- Use Arial in Word and on slides", &[Scope::Docx, Scope::Pptx]),
            ("- Use Arial in Word documents", &[Scope::Docx]),
            ("- Use Arial in Excel documents", &[Scope::Xlsx]),
            ("- Two columns on each slide", &[Scope::Pptx]),
        ];
        for (text, scopes) in cases {
            assert_eq!(scopes_of(text), *scopes, "{text}");
        }
    }

    #[test]
    fn a_heading_goes_before_the_words_of_a_rule() {
        let cases: &[(&str, &[Scope])] = &[
            ("# Excel\n- Always freeze the header row.", &[Scope::Xlsx]),
            ("# Slides\n- Paste tables from Excel as pictures", &[Scope::Pptx]),
            ("# Word\n- No empty columns", &[Scope::Docx]),
            ("Word: Georgia in every column", &[Scope::Docx]),
            ("# Documents and slides\n- No jargon", &[Scope::Docx, Scope::Pptx]),
            ("# Documents and slides\n- A title on each slide", &[Scope::Pptx]),
            ("# Excel and other files\n- Use Arial", &[Scope::EveryFormat]),
            ("# Page numbers\n- On slides at the right", &[Scope::Pptx]),
        ];
        for (text, scopes) in cases {
            assert_eq!(scopes_of(text), *scopes, "{text}");
        }
    }

    #[test]
    fn words_that_only_sound_like_a_format_are_none() {
        for text in [
            "- Never use the word “synergy”.",
            "- Bold headers, grey footers; header and footer in Arial",
            "# Data presentation\n- Round to thousands",
            "# Presentation of numbers\n- Round to thousands",
            "# Style sheet\n- No jargon",
            "# Word choice\n- Say client",
        ] {
            assert_eq!(scopes_of(text), [Scope::EveryFormat], "{text}");
        }
        assert_eq!(scopes_of("- Word limit on slides: none"), [Scope::Pptx]);
    }

    #[test]
    fn plurals_are_known() {
        for thing in ["sheets", "worksheets", "spreadsheets", "workbooks"] {
            assert_eq!(scopes_of(&format!("- Bold header rows in all {thing}")), [Scope::Xlsx], "{thing}");
        }
    }
}
