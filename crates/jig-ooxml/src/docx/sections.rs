//! A document divided by its headings.
//!
//! A heading is a paragraph of the body, outside of tables, that has text and an outline level of its own or by its style. A
//! title is not a heading: it names the document, so it belongs to the section before the first heading, whose heading is
//! empty and whose level is 0.

use std::ops::Range;

use jig_file_api::read::docx::SectionRef;

use super::blocks::{Block, Paragraph};
use super::inline::{self, View};
use super::styles::{Styles, outline};
use crate::edit::{EditError, nearest};
use crate::error::DocumentIssue;

/// A heading with everything up to the next one, or what precedes the first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    /// The text of the heading with single spaces; empty for what precedes the first heading.
    pub heading: String,
    /// 1 to 9, or 0 without a heading.
    pub level: u8,
    /// The positions of its blocks. The heading is the first of them.
    pub blocks: Range<usize>,
}

impl Section {
    /// Its blocks without the heading.
    pub fn content(&self) -> Range<usize> {
        let skip = usize::from(self.level > 0);
        (self.blocks.start + skip).min(self.blocks.end)..self.blocks.end
    }
}

/// The level of a paragraph that is a heading, 0 for any other.
pub fn heading_level(paragraph: Paragraph<'_>, styles: &Styles) -> u8 {
    let direct = paragraph.properties().and_then(outline);
    direct.unwrap_or_else(|| styles.heading_level(paragraph.style_id().as_deref()))
}

/// Divides blocks into sections, in order and at least one. Only empty paragraphs before the first
/// heading are in none.
pub fn sections(blocks: &[Block<'_>], styles: &Styles) -> Vec<Section> {
    sections_in(blocks, styles, View::Final)
}

/// Divides blocks into the sections of a view. The view with marks has those of the final view, so
/// that a section has one name.
pub fn sections_in(blocks: &[Block<'_>], styles: &Styles, view: View) -> Vec<Section> {
    let view = if view == View::Markup { View::Final } else { view };
    let mut found: Vec<Section> = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        let Some((heading, level)) = heading(*block, styles, view) else { continue };
        close(&mut found, at);
        found.push(Section { heading, level, blocks: at..blocks.len() });
    }
    let first = found.first().map_or(blocks.len(), |section| section.blocks.start);
    let opening = blocks.get(..first).unwrap_or_default();
    if found.is_empty() || opening.iter().any(|block| has_content(*block)) {
        found.insert(0, Section { heading: String::new(), level: 0, blocks: 0..first });
    }
    found
}

fn close(found: &mut [Section], at: usize) {
    if let Some(last) = found.last_mut() {
        last.blocks.end = at;
    }
}

fn heading(block: Block<'_>, styles: &Styles, view: View) -> Option<(String, u8)> {
    let paragraph = block.paragraph()?;
    let level = heading_level(paragraph, styles);
    if level == 0 || !paragraph.mark.is_in(view) {
        return None;
    }
    let text = single_blanks(&inline::text(&inline::pieces(paragraph.node), view));
    (!text.is_empty()).then_some((text, level))
}

fn has_content(block: Block<'_>) -> bool {
    match block {
        Block::Paragraph(paragraph) => inline::pieces(paragraph.node).iter().any(|piece| {
            piece.text().chars().any(|c| !c.is_whitespace()) || !matches!(piece.kind, inline::PieceKind::Text(_))
        }),
        Block::Table(_) => true,
    }
}

/// The index of a section. The case of a heading does not matter, and of equal headings the first is used. Digits are a
/// heading if one has that text, otherwise an index.
pub fn find_section(sections: &[Section], given: &SectionRef, at: &str) -> Result<usize, EditError> {
    match given {
        SectionRef::Index(number) => {
            let index = number.as_u64().and_then(|index| usize::try_from(index).ok());
            index.filter(|index| *index < sections.len()).ok_or_else(|| out_of_range(sections, number, at))
        }
        SectionRef::Heading(text) => by_text(sections, text, at),
        SectionRef::Invalid => Err(EditError::new(at, DocumentIssue::InvalidSection)),
    }
}

/// A warning if several sections have the given heading.
pub fn ambiguity(sections: &[Section], given: &SectionRef, found: usize) -> Option<String> {
    let SectionRef::Heading(given) = given else { return None };
    let heading = sections.get(found)?.heading.to_lowercase();
    let named = |wanted: &str| single_blanks(wanted).to_lowercase() == heading;
    if heading.is_empty() || !(named(given) || named(without_number(given))) {
        // Digits were read as an index.
        return None;
    }
    let same = sections.iter().filter(|section| section.heading.to_lowercase() == heading).count();
    (same > 1).then(|| format!("{same} sections have this heading; the first, section {found}, is used"))
}

fn by_text(sections: &[Section], given: &str, at: &str) -> Result<usize, EditError> {
    let named = |wanted: &str| {
        let wanted = single_blanks(wanted).to_lowercase();
        sections.iter().position(|section| section.heading.to_lowercase() == wanted)
    };
    if let Some(found) = named(given).or_else(|| named(without_number(given))) {
        return Ok(found);
    }
    if let Ok(index) = given.trim().parse::<usize>() {
        return if index < sections.len() { Ok(index) } else { Err(out_of_range(sections, index, at)) };
    }
    let near = nearest(given, sections.iter().map(|section| section.heading.as_str()));
    Err(EditError::new(at, DocumentIssue::NoHeading { heading: shortened(given) }).suggest(near))
}

fn out_of_range(sections: &[Section], index: impl std::fmt::Display, at: &str) -> EditError {
    let last = sections.len().saturating_sub(1);
    EditError::new(at, DocumentIssue::NoSection { index: index.to_string(), last })
}

/// A heading without the signs and numbers that reads show before it: `## 2.1 Costs` is `Costs`.
fn without_number(given: &str) -> &str {
    let given = given.trim_start_matches('#').trim_start();
    match given.split_once(char::is_whitespace) {
        Some((label, rest)) if label.chars().any(|c| c.is_ascii_digit()) || label.ends_with(['.', ')']) => rest,
        _ => given,
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= 80 { text.to_owned() } else { text.chars().take(79).chain(['…']).collect() }
}

fn single_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
