//! Taking blocks out without leaving halves behind: ends of ranges whose other end stays are kept,
//! and so are section breaks and the marks of fields that reach beyond.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use crate::docx::word;
use crate::xml::{Node, NodeId, Ns, Splice};

use super::session::Body;

/// What became of section breaks inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breaks {
    /// They stay, in empty paragraphs.
    Keep,
    /// They go.
    Drop,
}

/// What was kept or lost in a removal, for warnings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Removed {
    pub(super) section_breaks: usize,
    pub(super) comments: usize,
    pub(super) field_marks: usize,
}

impl Removed {
    /// What a person should know.
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
    /// The outermost elements that hold blocks of a range and no other blocks.
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

/// Takes elements that hold blocks out.
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

/// The ends of ranges inside elements that are taken out of a paragraph, as markup to keep.
pub(super) fn kept_markers(nodes: &[Node<'_>]) -> String {
    let leftovers = Leftovers::find(nodes);
    let all = nodes.iter().flat_map(|node| std::iter::once(*node).chain(node.descendants()));
    all.filter(|node| leftovers.markers.contains(&node.id())).map(Node::source).collect()
}

/// What would be left without its other half.
#[derive(Debug, Default)]
struct Leftovers {
    markers: HashSet<NodeId>,
    field_marks: HashSet<NodeId>,
    /// References to comments that go.
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

/// Whether an element marks the end of a range, which paragraphs and bodies hold beside their text.
pub(super) fn is_marker(node: Node<'_>) -> bool {
    node.ns() == Ns::W && family(node.local()).is_some()
}
