//! Telling a style rule's sense: for every format or for one, a command or a prohibition.

use super::scan::Material;

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

const XLSX: &[&str] =
    &["xlsx", "excel", "spreadsheet", "worksheet", "workbook", "cell", "cells", "column", "columns", "sheet"];
const DOCX: &[&str] =
    &["docx", "word", "paragraph", "paragraphs", "page", "pages", "margin", "margins", "footer", "header"];
const PPTX: &[&str] = &["pptx", "powerpoint", "slide", "slides", "presentation", "presentations", "deck", "decks"];
const NEVER: &[&str] = &["never", "avoid", "don't", "don’t", "cannot", "forbidden", "prohibited"];
const NEVER_PAIRS: &[&str] = &["do not", "must not", "should not", "may not", "shall not", "not allowed"];

/// A rule found in a style guide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) scope: Scope,
    pub(super) never: bool,
    pub(super) text: String,
}

/// Every list entry, fact and sentence as a rule. One that names no format takes that of its heading.
pub(super) fn rules(material: &Material) -> Vec<Rule> {
    let facts = material.facts.iter().map(|fact| ("", format!("{}: {}", fact.label, fact.value)));
    let points = material
        .groups
        .iter()
        .flat_map(|group| group.points.iter().map(|point| (group.heading.as_str(), point.clone())));
    let figures = material.figures.iter().map(|sentence| ("", sentence.clone()));
    facts.chain(points).chain(figures).map(|(heading, text)| rule(heading, text)).collect()
}

fn rule(heading: &str, text: String) -> Rule {
    let scope = match scope(&text) {
        Scope::EveryFormat => scope(heading),
        named => named,
    };
    let lower = text.to_lowercase();
    let never =
        has_word(&lower, NEVER) || NEVER_PAIRS.iter().any(|pair| lower.contains(pair)) || lower.starts_with("no ");
    Rule { scope, never, text }
}

fn scope(text: &str) -> Scope {
    let lower = text.to_lowercase();
    match () {
        () if has_word(&lower, XLSX) => Scope::Xlsx,
        () if has_word(&lower, PPTX) => Scope::Pptx,
        () if has_word(&lower, DOCX) => Scope::Docx,
        () => Scope::EveryFormat,
    }
}

fn has_word(lower: &str, words: &[&str]) -> bool {
    lower.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’')).any(|word| words.contains(&word))
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
}
