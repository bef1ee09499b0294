//! Places in the text that an op names: from a search text or a paragraph to positions in the markup, and inserting markup
//! there. A run is split only if a position is inside it.

use std::ops::Range;

use jig_file_api::ops::docx_structure::Target;

use super::replace_text::{Atom, Sequence, sequences};
use super::{Body, DocumentEdit};
use crate::docx::blocks::Block;
use crate::docx::word;
use crate::edit::{EditError, OpInput};
use crate::error::{DocumentIssue, counted};
use crate::search::SearchPattern;
use crate::xml::{Node, Ns, Splice, Tree, escape_text};

/// A position in the runs of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Spot<'t> {
    /// A byte between elements.
    At(usize),
    /// Inside a run: the child with the text, and the offset in its text.
    Inside { run: Node<'t>, child: Node<'t>, offset: usize },
    /// The start of the content of a paragraph.
    Start(Node<'t>),
    /// The end of the content of a paragraph.
    End(Node<'t>),
}

/// A text in the document.
#[derive(Debug, Clone)]
pub(super) struct Anchor<'t> {
    pub(super) paragraph: Node<'t>,
    pub(super) text: String,
    pub(super) start: Spot<'t>,
    pub(super) end: Spot<'t>,
    /// The runs with its first and last character; none for a complete paragraph.
    pub(super) runs: Option<(Node<'t>, Node<'t>)>,
}

impl<'t> Anchor<'t> {
    /// A complete paragraph.
    pub(super) fn paragraph(node: Node<'t>) -> Self {
        let text = crate::docx::inline::paragraph_text(node);
        Self { paragraph: node, text, start: Spot::Start(node), end: Spot::End(node), runs: None }
    }

    fn of(sequence: &Sequence<'t>, range: &Range<usize>) -> Option<Self> {
        let from = sequence.atoms.partition_point(|atom| atom.end <= range.start);
        let to = sequence.atoms.partition_point(|atom| atom.start < range.end);
        let (first, last) = (sequence.atoms.get(from)?, sequence.atoms.get(to.checked_sub(1)?)?);
        let paragraph = std::iter::once(sequence.node).chain(sequence.node.ancestors()).find(|n| n.is(Ns::W, "p"))?;
        Some(Self {
            paragraph,
            text: sequence.text.get(range.clone())?.to_owned(),
            start: spot_before(first, range.start)?,
            end: spot_behind(last, range.end)?,
            runs: Some((first.node.parent()?, last.node.parent()?)),
        })
    }
}

fn content<'t>(run: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    run.elements().filter(|child| !child.is(Ns::W, "rPr"))
}

fn spot_before<'t>(atom: &Atom<'t>, at: usize) -> Option<Spot<'t>> {
    let (run, offset) = (atom.node.parent()?, at - atom.start);
    let is_first = offset == 0 && content(run).next() == Some(atom.node);
    Some(if is_first { Spot::At(run.range().start) } else { Spot::Inside { run, child: atom.node, offset } })
}

fn spot_behind<'t>(atom: &Atom<'t>, at: usize) -> Option<Spot<'t>> {
    let (run, offset) = (atom.node.parent()?, at - atom.start);
    let is_last = at == atom.end && content(run).last() == Some(atom.node);
    Some(if is_last { Spot::At(run.range().end) } else { Spot::Inside { run, child: atom.node, offset } })
}

/// Inserts markup at spots. Those at one position stay in the order of the list.
pub(super) fn insert_at(splice: &mut Splice<'_>, inserts: &[(Spot<'_>, String)]) {
    let mut split: Vec<Node<'_>> = Vec::new();
    for (spot, markup) in inserts {
        match *spot {
            Spot::At(at) => splice.insert(at, markup.as_str()),
            Spot::Start(paragraph) => match paragraph.child(Ns::W, "pPr") {
                Some(properties) => splice.after(properties, markup.as_str()),
                None => splice.prepend(paragraph, markup),
            },
            Spot::End(paragraph) => splice.append(paragraph, markup),
            Spot::Inside { run, .. } if !split.contains(&run) => {
                split.push(run);
                splice.replace(run.range(), split_run(run, inserts));
            }
            Spot::Inside { .. } => {}
        }
    }
}

/// A run taken apart at the spots inside it, with the markup between its parts.
fn split_run(run: Node<'_>, inserts: &[(Spot<'_>, String)]) -> String {
    let tag = run.tree().source().get(run.open_range()).unwrap_or_default();
    let properties = run.child(Ns::W, "rPr").map_or("", Node::source);
    let (name, mut out, mut part) = (run.qualified(), String::new(), String::new());
    let flush = |part: &mut String, out: &mut String| {
        if !part.is_empty() {
            out.push_str(&format!("{tag}{properties}{part}</{name}>"));
            part.clear();
        }
    };
    for child in run.children().filter(|child| !child.is(Ns::W, "rPr")) {
        let mut cuts: Vec<(usize, &str)> =
            inserts.iter().filter_map(|(spot, markup)| cut_in(spot, child, markup)).collect();
        cuts.sort_by_key(|(offset, _)| *offset);
        if cuts.is_empty() {
            part.push_str(child.source());
            continue;
        }
        let text = child.text();
        let is_text = child.is(Ns::W, "t");
        let mut at = 0;
        for (offset, markup) in cuts {
            if is_text {
                part.push_str(&text_element(child, text.get(at..offset).unwrap_or_default()));
            } else if at == 0 && offset > 0 {
                part.push_str(child.source());
            }
            at = offset;
            flush(&mut part, &mut out);
            out.push_str(markup);
        }
        if is_text {
            part.push_str(&text_element(child, text.get(at..).unwrap_or_default()));
        } else if at == 0 {
            part.push_str(child.source());
        }
    }
    flush(&mut part, &mut out);
    out
}

fn cut_in<'m>(spot: &Spot<'_>, node: Node<'_>, markup: &'m str) -> Option<(usize, &'m str)> {
    match spot {
        Spot::Inside { child, offset, .. } if *child == node => Some((*offset, markup)),
        _ => None,
    }
}

fn text_element(node: Node<'_>, text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let name = node.qualified();
    format!("<{name} xml:space=\"preserve\">{}</{name}>", escape_text(text))
}

impl DocumentEdit<'_> {
    /// The place in the body that an op names.
    pub(super) fn find_anchor<'t>(
        &mut self,
        tree: &'t Tree<'t>,
        body: &Body<'t>,
        target: &Target,
        input: &OpInput,
    ) -> Result<Anchor<'t>, EditError> {
        let within = match target.index {
            Some(index) => {
                let position = body.paragraph(index, input, "index")?;
                body.blocks.get(position).copied().map(Block::node)
            }
            None => None,
        };
        let search = target.search.as_deref().filter(|text| !text.is_empty());
        match (search, within) {
            (None, Some(paragraph)) => Ok(Anchor::paragraph(paragraph)),
            (None, None) => Err(input.error("search", DocumentIssue::NoTarget)),
            (Some(search), within) => self.find_text(tree, search, target, within, input),
        }
    }

    fn find_text<'t>(
        &mut self,
        tree: &'t Tree<'t>,
        search: &str,
        target: &Target,
        within: Option<Node<'t>>,
        input: &OpInput,
    ) -> Result<Anchor<'t>, EditError> {
        let sequences: Vec<Sequence<'t>> = sequences(tree, true)
            .into_iter()
            .filter(|sequence| sequence.counted && within.is_none_or(|node| node == sequence.node))
            .collect();
        let matches = |match_case: bool| {
            let pattern = SearchPattern::new(search, match_case);
            let all = sequences
                .iter()
                .flat_map(|sequence| pattern.find_all(&sequence.text).into_iter().map(move |range| (sequence, range)));
            all.collect::<Vec<_>>()
        };
        let mut found = matches(true);
        if found.is_empty() && !target.match_case {
            found = matches(false);
        }
        let in_box = |node: Node<'_>| node.ancestors().any(|around| around.is(Ns::W, "txbxContent"));
        let boxed = found.len();
        found.retain(|(sequence, _)| !in_box(sequence.node));
        let count = found.len();
        let number = target.occurrence.unwrap_or(1);
        let Some((sequence, range)) = number.checked_sub(1).and_then(|at| found.get(at)) else {
            let text = crate::edit::excerpt(search);
            return Err(match (count, boxed) {
                (0, 0) => input.error("search", DocumentIssue::TextNotFound { text }),
                (0, _) => input.error("search", DocumentIssue::OnlyInTextBox { text }),
                _ => input.error("occurrence", DocumentIssue::NoOccurrence { number, count }),
            });
        };
        if count > 1 && target.occurrence.is_none() {
            self.warn(format!(
                "{}: {} have this text; the first is used, `occurrence` selects another",
                input.at("search"),
                counted(count, "place")
            ));
        }
        Anchor::of(sequence, range)
            .ok_or_else(|| input.error("search", DocumentIssue::TextNotFound { text: search.to_owned() }))
    }
}

/// Whether the markup between two runs of a paragraph can be put into one element: both have the same parent, and fields
/// that begin between them end there.
pub(super) fn can_wrap(anchor: &Anchor<'_>) -> bool {
    let Some((first, last)) = anchor.runs else {
        return balanced(anchor.paragraph.elements());
    };
    if first.parent() != last.parent() {
        return false;
    }
    let between = first.parent().into_iter().flat_map(Node::elements);
    balanced(between.filter(|node| node.range().start >= first.range().start && node.range().end <= last.range().end))
}

fn balanced<'t>(nodes: impl Iterator<Item = Node<'t>>) -> bool {
    let mut open = 0_i32;
    for node in nodes.flat_map(|node| std::iter::once(node).chain(node.descendants())) {
        if node.is(Ns::W, "fldChar") {
            match word::attr(node, "fldCharType").as_deref() {
                Some("begin") => open += 1,
                Some("end") => open -= 1,
                _ => {}
            }
            if open < 0 {
                return false;
            }
        }
    }
    open == 0
}
