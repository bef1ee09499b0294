//! Removing blocks without leaving half of a range after, and replacing the text of a paragraph that stays.
//!
//! When blocks are removed, the ends of ranges whose other end stays are preserved, and so are section breaks and the
//! marks of fields that extend beyond them. A paragraph with a new text keeps its properties and the format of its
//! first run.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::Body;
use super::markup::{Dialect, Markup};
use super::new_paragraph::NewParagraph;
use super::revisions::{Revisions, Striker, base_properties, history_of, kept_properties};
use crate::docx::word;
use crate::xml::{Node, NodeId, Ns, Splice};

/// What happens to section breaks inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breaks {
    /// They stay, in empty paragraphs.
    Keep,
    /// They are removed.
    Drop,
}

/// What a removal preserved or lost, for warnings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Removed {
    pub(super) section_breaks: usize,
    pub(super) comments: usize,
    pub(super) field_marks: usize,
}

impl Removed {
    /// The warnings.
    pub(super) fn warnings(&self, at: &str, breaks: Breaks) -> Vec<String> {
        let mut warnings = Vec::new();
        match (self.section_breaks, breaks) {
            (0, _) => {}
            (count, Breaks::Keep) => warnings.push(format!(
                "{at}: {count} section break(s) in the removed text were kept, each in an empty paragraph"
            )),
            (count, Breaks::Drop) => warnings
                .push(format!("{at}: {count} section break(s) were removed; the layout of the last section holds now")),
        }
        if self.comments > 0 {
            warnings.push(format!("{at}: {} comment(s) lost the text they hang on", self.comments));
        }
        if self.field_marks > 0 {
            warnings.push(format!("{at}: a field reaches beyond the removed text; its marks were kept"));
        }
        warnings
    }
}

impl<'t> Body<'t> {
    /// The outermost elements that contain blocks of a range and no other blocks.
    pub(super) fn units(&self, range: &Range<usize>) -> Vec<Node<'t>> {
        let mut units: Vec<Node<'t>> = Vec::new();
        for block in self.blocks.get(range.clone()).unwrap_or_default() {
            let inside = |blocks: Range<usize>| blocks.start >= range.start && blocks.end <= range.end;
            let unit = self.wrapper(block.node(), inside);
            if units.last() != Some(&unit) {
                units.push(unit);
            }
        }
        units
    }
}

/// Removes elements that contain blocks.
pub(super) fn remove_blocks(splice: &mut Splice<'_>, units: &[Node<'_>], breaks: Breaks) -> Removed {
    let leftovers = Leftovers::find(units);
    let mut removed = Removed { comments: leftovers.comments, ..Removed::default() };
    for unit in units {
        let mut kept = String::new();
        let mut runs = String::new();
        let around = std::iter::once(*unit).chain(unit.descendants());
        for node in around.filter(|node| node.is_element()) {
            if leftovers.markers.contains(&node.id()) {
                kept.push_str(node.source());
            } else if leftovers.field_marks.contains(&node.id()) {
                removed.field_marks += 1;
                let w = node.prefix();
                runs.push_str(&format!("<{w}r>{}</{w}r>", node.source()));
            } else if node.is(Ns::W, "sectPr") && node.parent().is_some_and(|parent| parent.is(Ns::W, "pPr")) {
                removed.section_breaks += 1;
                if breaks == Breaks::Keep {
                    let w = node.prefix();
                    kept.push_str(&format!("<{w}p><{w}pPr>{}</{w}pPr></{w}p>", node.source()));
                }
            }
        }
        if !runs.is_empty() {
            let w = unit.tree().root().prefix();
            kept.push_str(&format!("<{w}p>{runs}</{w}p>"));
        }
        splice.replace(unit.range(), kept);
    }
    removed
}

/// The ends of ranges inside removed elements of a paragraph, as markup to preserve.
pub(super) fn kept_markers(nodes: &[Node<'_>]) -> String {
    let leftovers = Leftovers::find(nodes);
    let all = nodes.iter().flat_map(|node| std::iter::once(*node).chain(node.descendants()));
    all.filter(|node| leftovers.markers.contains(&node.id())).map(Node::source).collect()
}

/// Marks that would remain without their other half.
#[derive(Debug, Default)]
struct Leftovers {
    markers: HashSet<NodeId>,
    field_marks: HashSet<NodeId>,
    /// References to comments that are removed.
    comments: usize,
}

impl Leftovers {
    fn find(units: &[Node<'_>]) -> Self {
        let mut found = Self::default();
        let mut ranges: BTreeMap<(String, String), Vec<NodeId>> = BTreeMap::new();
        let mut open_fields: Vec<Vec<NodeId>> = Vec::new();
        let all = units.iter().flat_map(|unit| std::iter::once(*unit).chain(unit.descendants()));
        for node in all.filter(|node| node.is_element() && node.ns() == Ns::W) {
            match node.local() {
                "fldChar" => found.field(node, &mut open_fields),
                "instrText" => {
                    if let Some(field) = open_fields.last_mut() {
                        field.push(node.id());
                    }
                }
                "commentReference" => found.comments += 1,
                local => {
                    if let (Some(family), Some(id)) = (family(local), word::attr(node, "id")) {
                        ranges.entry((family.to_owned(), id.into_owned())).or_default().push(node.id());
                    }
                }
            }
        }
        found.field_marks.extend(open_fields.into_iter().flatten());
        found.markers.extend(ranges.into_values().filter(|ends| ends.len() % 2 == 1).flatten());
        found
    }

    fn field(&mut self, node: Node<'_>, open: &mut Vec<Vec<NodeId>>) {
        match word::attr(node, "fldCharType").as_deref() {
            Some("begin") => open.push(vec![node.id()]),
            Some("end") => {
                if open.pop().is_none() {
                    self.field_marks.insert(node.id());
                }
            }
            _ => match open.last_mut() {
                Some(field) => field.push(node.id()),
                None => {
                    self.field_marks.insert(node.id());
                }
            },
        }
    }
}

/// The kind of range that an element begins or ends.
fn family(local: &str) -> Option<&str> {
    match local {
        "bookmarkStart" | "bookmarkEnd" => Some("bookmark"),
        "permStart" | "permEnd" => Some("perm"),
        _ => local.strip_suffix("RangeStart").or_else(|| local.strip_suffix("RangeEnd")),
    }
}

/// Whether an element marks the end of a range.
fn is_marker(node: Node<'_>) -> bool {
    node.ns() == Ns::W && family(node.local()).is_some()
}

/// Replaces the text of a paragraph. The properties of the new one override the old ones.
pub(super) fn refill(
    splice: &mut Splice<'_>,
    node: Node<'_>,
    new: &NewParagraph,
    dialect: &Dialect,
    revisions: Option<&mut Revisions>,
) {
    let like = first_run_properties(node);
    match revisions {
        Some(revisions) => {
            merge_properties(splice, node, new, dialect, Some(revisions));
            Striker { splice, dialect, revisions }.paragraph(node, false);
            let mut markup = Markup::new(dialect);
            new.write_runs_like(&mut markup, &like, Some(revisions));
            splice.append(node, markup.finish());
        }
        None => {
            merge_properties(splice, node, new, dialect, None);
            let mut markup = Markup::new(dialect);
            new.write_runs_like(&mut markup, &like, None);
            replace_content(splice, node, &markup.finish());
        }
    }
}

/// Changes the format of a paragraph that keeps its text.
pub(super) fn reformat(
    splice: &mut Splice<'_>,
    node: Node<'_>,
    new: &NewParagraph,
    dialect: &Dialect,
    revisions: Option<&mut Revisions>,
) {
    merge_properties(splice, node, new, dialect, revisions);
}

/// Overrides the properties of a paragraph by those of a new one.
fn merge_properties(
    splice: &mut Splice<'_>,
    node: Node<'_>,
    new: &NewParagraph,
    dialect: &Dialect,
    revisions: Option<&mut Revisions>,
) {
    if !new.is_formatted() {
        return;
    }
    let old = node.child(Ns::W, "pPr");
    let child = |name| old.and_then(|old| old.child(Ns::W, name)).map_or("", Node::source);
    let history = match revisions {
        Some(revisions) => history_of(&base_properties(node), dialect, revisions),
        None => child("pPrChange").to_owned(),
    };
    let (w, merged) = (&dialect.w, new.merged_properties(old, dialect));
    let inner = format!("{merged}{}{}{history}", child("rPr"), child("sectPr"));
    match old {
        Some(old) => splice.set_inner(old, inner),
        None => splice.prepend(node, format!("<{w}pPr{}>{inner}</{w}pPr>", dialect.declare)),
    }
}

/// Replaces a paragraph as a tracked change: its text is marked as deleted and its properties are stored.
pub(super) fn rewrite_tracked(
    splice: &mut Splice<'_>,
    node: Node<'_>,
    new: &NewParagraph,
    dialect: &Dialect,
    revisions: &mut Revisions,
) {
    replace_properties(splice, node, new, dialect, revisions);
    Striker { splice, dialect, revisions }.paragraph(node, false);
    let mut markup = Markup::new(dialect);
    new.write_runs(&mut markup, Some(revisions));
    splice.append(node, markup.finish());
}

/// Replaces the properties. The format of the paragraph's end and a section break stay.
fn replace_properties(
    splice: &mut Splice<'_>,
    node: Node<'_>,
    new: &NewParagraph,
    dialect: &Dialect,
    revisions: &mut Revisions,
) {
    let old = node.child(Ns::W, "pPr");
    let child = |name| old.and_then(|old| old.child(Ns::W, name)).map_or("", Node::source);
    let history = history_of(&base_properties(node), dialect, revisions);
    let tail = format!("{}{}{history}", child("rPr"), child("sectPr"));
    let mut markup = Markup::new(dialect);
    new.write_properties(&mut markup, None, &tail);
    match old {
        Some(old) => splice.replace(old.range(), markup.finish()),
        None => splice.prepend(node, markup.finish()),
    }
}

/// Removes everything from a paragraph but its properties and the ends of ranges, and adds runs.
fn replace_content(splice: &mut Splice<'_>, node: Node<'_>, runs: &str) {
    let content = node.elements().filter(|child| !child.is(Ns::W, "pPr"));
    let (kept, gone): (Vec<Node<'_>>, Vec<Node<'_>>) = content.partition(|child| is_marker(*child));
    // A comment is anchored in a run, which stays, or the comment would be lost with the text.
    let (hooks, gone): (Vec<Node<'_>>, Vec<Node<'_>>) =
        gone.into_iter().partition(|child| child.descendants().any(|inner| inner.is(Ns::W, "commentReference")));
    let Some(first) = gone.first() else {
        match kept.iter().chain(&hooks).map(|kept| kept.range().start).min() {
            Some(at) => splice.insert(at, runs),
            None => splice.append(node, runs),
        }
        return;
    };
    let markers = kept_markers(&gone);
    splice.replace(first.range(), format!("{runs}{markers}"));
    for other in gone.iter().skip(1) {
        splice.remove(*other);
    }
}

/// The properties of the first run with text, in a form that another run can have.
pub(super) fn first_run_properties(paragraph: Node<'_>) -> String {
    let runs = paragraph.descendants().filter(|node| node.is(Ns::W, "r"));
    // The text of a box that is anchored here is not text of the paragraph.
    let own = runs.filter(|run| run.ancestors().find(|around| around.is(Ns::W, "p")) == Some(paragraph));
    let mut with_text = own.filter(|run| run.child(Ns::W, "t").is_some());
    let own = with_text.next().and_then(|run| run.child(Ns::W, "rPr"));
    // The end of an empty paragraph has its format.
    let end = || paragraph.path(Ns::W, &["pPr", "rPr"]);
    let empty = !paragraph.descendants().any(|node| node.is(Ns::W, "t"));
    own.or_else(|| if empty { end() } else { None }).map(kept_properties).unwrap_or_default()
}
