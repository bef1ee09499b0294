//! `replace_text`: across runs, in shapes, groups, tables, notes, SmartArt and chart titles.

use std::collections::BTreeSet;

use jig_file_api::ops::pptx::ReplaceText;
use serde_json::json;

use super::DeckEdit;
use crate::edit::{OpInput, OpReport, without_table_escapes};
use crate::error::{DeckIssue, Error, counted};
use crate::pptx::markup::Prefixes;
use crate::pptx::text::{PieceKind, pieces};
use crate::relationships::Relationships;
use crate::search::SearchPattern;
use crate::xml::{Node, Ns, Splice, escape_text};

/// Replaces what is not a run. XML cannot contain this character, so no match spans it.
const WALL: char = '\u{FFFF}';

pub(super) fn replace_text(edit: &mut DeckEdit<'_>, input: &OpInput, fields: &ReplaceText) -> Result<OpReport, Error> {
    if fields.search.is_empty() {
        return Err(input.error("search", DeckIssue::EmptySearch).into());
    }
    let replace = edit.clean(&input.at("replace"), &fields.replace);
    let pattern = |search: &str| SearchPattern::new(search, fields.match_case);
    let slides: Vec<(usize, String)> = match fields.index {
        Some(index) => {
            let (index, slide) = edit.slide(input, "index", index)?;
            vec![(index, slide.part)]
        }
        None => edit.presentation.slides.iter().map(|slide| slide.part.clone()).enumerate().collect(),
    };
    let pages = if fields.layouts { layout_pages(edit) } else { Vec::new() };
    let found = Replacement { pattern: pattern(&fields.search), text: &replace };
    let mut counts = in_slides(edit, &slides, &found)?;
    let in_layouts = in_pages(edit, &pages, &found)?;
    // Tables are read as Markdown, where a pipe inside a cell has a backslash.
    if counts.is_empty()
        && in_layouts == 0
        && let Some(search) = without_table_escapes(&fields.search)
    {
        let replace = without_table_escapes(&replace).unwrap_or(replace);
        counts = in_slides(edit, &slides, &Replacement { pattern: pattern(&search), text: &replace })?;
        if !counts.is_empty() {
            edit.warn(&input.at("search"), "`\\|` read as `|`, as it is on the slide");
        }
    }
    let total: usize = counts.iter().map(|(_, count)| count).sum::<usize>() + in_layouts;
    if total == 0 {
        edit.warn(&input.at("search"), &format!("`{}` was not found", fields.search));
    }
    let slides: Vec<_> =
        counts.iter().map(|(index, count)| json!({"slide_index": index, "replacements": count})).collect();
    let on_layouts = if in_layouts > 0 { " and in layouts" } else { "" };
    let on_slides = counted(counts.len(), "slide");
    let summary = format!("Replaced {} on {on_slides}{on_layouts}.", counted(total, "occurrence"));
    let report = OpReport::new(input, summary).with("replacements", total).with("slides", slides);
    Ok(if fields.layouts { report.with("layout_replacements", in_layouts) } else { report })
}

/// The masters and layouts of the deck.
fn layout_pages(edit: &mut DeckEdit<'_>) -> Vec<String> {
    let mut pages = edit.presentation.masters.clone();
    pages.extend(edit.presentation.layouts(&edit.package).into_iter().map(|layout| layout.part));
    pages
}

fn in_pages(edit: &mut DeckEdit<'_>, pages: &[String], replacement: &Replacement<'_>) -> Result<usize, Error> {
    let mut done = BTreeSet::new();
    pages.iter().map(|part| in_part(edit, part, replacement, &mut done)).sum()
}

/// The search and its replacement.
struct Replacement<'a> {
    pattern: SearchPattern,
    text: &'a str,
}

/// How often the text was replaced on each slide that has it.
fn in_slides(
    edit: &mut DeckEdit<'_>,
    slides: &[(usize, String)],
    replacement: &Replacement<'_>,
) -> Result<Vec<(usize, usize)>, Error> {
    let mut done = BTreeSet::new();
    let mut counts = Vec::new();
    for (index, part) in slides {
        let count = in_slide(edit, part, replacement, &mut done)?;
        if count > 0 {
            counts.push((*index, count));
        }
    }
    Ok(counts)
}

/// Replaces in a slide and the parts that hold text of it. A part of several slides is changed once.
fn in_slide(
    edit: &mut DeckEdit<'_>,
    part: &str,
    replacement: &Replacement<'_>,
    done: &mut BTreeSet<String>,
) -> Result<usize, Error> {
    let mut count = in_part(edit, part, replacement, done)?;
    for relationship in Relationships::read(&edit.package, part)?.list {
        let Some(target) = relationship.part.filter(|target| edit.package.has(target)) else { continue };
        match relationship.kind.as_str() {
            "notesSlide" | "chart" | "chartEx" | "diagramData" => count += in_part(edit, &target, replacement, done)?,
            // The drawing of SmartArt repeats the text of its data.
            "diagramDrawing" => {
                in_part(edit, &target, replacement, done)?;
            }
            _ => {}
        }
    }
    Ok(count)
}

fn in_part(
    edit: &mut DeckEdit<'_>,
    part: &str,
    replacement: &Replacement<'_>,
    done: &mut BTreeSet<String>,
) -> Result<usize, Error> {
    if !done.insert(part.to_ascii_lowercase()) {
        return Ok(0);
    }
    edit.edit_part(part, |root, splice| {
        // A fallback repeats what its choice says: both are changed, one is counted.
        let (mut count, mut fallback) = (0, 0);
        for paragraph in root.descendants().filter(|node| node.is(Ns::A, "p")) {
            let found = in_paragraph(splice, paragraph, replacement);
            let repeats = paragraph.ancestors().any(|node| node.is(Ns::Mc, "Fallback"));
            *(if repeats { &mut fallback } else { &mut count }) += found;
        }
        Ok(if count == 0 { fallback } else { count })
    })
}

/// Replaces in a paragraph. The new text takes the format of the run in which the old one began.
fn in_paragraph(splice: &mut Splice<'_>, paragraph: Node<'_>, replacement: &Replacement<'_>) -> usize {
    let mut text = String::new();
    let mut runs = Vec::new();
    for piece in pieces(paragraph) {
        if piece.kind == PieceKind::Run {
            let start = text.len();
            text.push_str(&piece.text);
            runs.push((piece.node, start..text.len()));
        } else {
            text.push(WALL);
        }
    }
    let matches = replacement.pattern.find_all(&text);
    if matches.is_empty() {
        return 0;
    }
    for (node, range) in runs {
        // Both are in text order, so that each run need not search all matches.
        let first = matches.partition_point(|found| found.end <= range.start);
        let touching = matches.get(first..).unwrap_or_default().iter().take_while(|found| found.start < range.end);
        let touching: Vec<_> = touching.collect();
        let Some(holder) = node.child(Ns::A, "t").filter(|_| !touching.is_empty()) else { continue };
        let mut markup = String::new();
        let mut at = range.start;
        for found in touching {
            markup.push_str(&escape_text(text.get(at..found.start.max(at)).unwrap_or_default()));
            if found.start >= range.start {
                markup.push_str(&replaced_markup(node, replacement.text));
            }
            at = found.end.min(range.end);
        }
        markup.push_str(&escape_text(text.get(at..range.end).unwrap_or_default()));
        splice.set_inner(holder, markup);
    }
    matches.len()
}

/// The new text inside a run; its line ends become breaks between runs of the same format.
fn replaced_markup(run: Node<'_>, text: &str) -> String {
    let lines: Vec<_> = text.split(['\n', '\u{b}']).map(escape_text).collect();
    if lines.len() == 1 {
        return lines.concat();
    }
    let prefixes = Prefixes::text_at(run);
    let a = &prefixes.a;
    let properties = run.child(Ns::A, "rPr").map(Node::source).unwrap_or_default();
    lines.join(&format!("</{a}t></{a}r><{a}br>{properties}</{a}br><{a}r>{properties}<{a}t>"))
}
