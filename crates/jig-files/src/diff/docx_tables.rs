//! Two versions of a table, row by row.

use jig_ooxml::docx::tables::{Row, rows};
use jig_ooxml::xml::{Node, Ns};
use similar::DiffTag;

use super::align::{Step, align, intern, pair};
use super::change::{Change, ChangeKind, Detail, RevertPlan, StructuredDiff};
use super::docx::{Story, row_cells};
use super::package_parts::{same, spelled};

/// Compares two tables. `id` is the table's address.
pub(super) fn compare(
    story: &Story<'_, '_>,
    nodes: (Node<'_>, Node<'_>),
    group: &str,
    id: &str,
    diff: &mut StructuredDiff,
) {
    let lists = (rows(nodes.0), rows(nodes.1));
    let texts = |rows: &[Row<'_>]| -> Vec<Vec<String>> { rows.iter().map(row_cells).collect() };
    let comparer =
        Comparer { story, group, id, old: &lists.0, new: &lists.1, texts: (texts(&lists.0), texts(&lists.1)) };
    let before = diff.total();
    comparer.rows(nodes.1, diff);
    comparer.frame(nodes, diff);
    if diff.total() == before {
        let change = Change::new(id, ChangeKind::Formatted, "table");
        let splice = story.splice(nodes.1.range(), nodes.0.source().to_owned());
        diff.add(group, story.fitting(change.revertible(RevertPlan::Splices(vec![splice])), nodes.0));
    }
}

struct Comparer<'c, 's, 't> {
    story: &'c Story<'s, 't>,
    group: &'c str,
    id: &'c str,
    old: &'c [Row<'c>],
    new: &'c [Row<'c>],
    texts: (Vec<Vec<String>>, Vec<Vec<String>>),
}

impl Comparer<'_, '_, '_> {
    fn rows(&self, table: Node<'_>, diff: &mut StructuredDiff) {
        let (old_ids, new_ids) = intern(self.texts.0.iter(), self.texts.1.iter());
        let (ops, _) = align(&old_ids, &new_ids);
        for op in ops {
            let (old, new) = (op.old_range(), op.new_range());
            if op.tag() == DiffTag::Equal {
                old.zip(new).for_each(|(a, b)| self.both(a, b, diff));
                continue;
            }
            let alike = |i: usize, j: usize| {
                let get = |texts: &[Vec<String>], at: usize| texts.get(at).cloned().unwrap_or_default();
                let (a, b) = (get(&self.texts.0, old.start + i), get(&self.texts.1, new.start + j));
                let equal = a.iter().zip(&b).filter(|(a, b)| a == b).count();
                equal as f64 / a.len().max(b.len()).max(1) as f64
            };
            let same_count = old.len() == new.len();
            let steps = match same_count {
                true => (0..old.len()).map(|at| Step::Both(at, at)).collect(),
                false => pair(old.len(), new.len(), alike),
            };
            let mut behind = new.start.checked_sub(1);
            for step in steps {
                match step {
                    Step::Both(i, j) => {
                        self.both(old.start + i, new.start + j, diff);
                        behind = Some(new.start + j);
                    }
                    Step::New(j) => {
                        self.came(new.start + j, diff);
                        behind = Some(new.start + j);
                    }
                    Step::Old(i) => self.gone(old.start + i, behind, table, diff),
                }
            }
        }
    }

    fn address(&self, row: usize) -> String {
        format!("{}, row {}", self.id, row + 1)
    }

    fn line(cells: Option<&Vec<String>>) -> String {
        cells.map(|cells| cells.join(" | ")).unwrap_or_default()
    }

    fn both(&self, a: usize, b: usize, diff: &mut StructuredDiff) {
        let (Some(old), Some(new)) = (self.old.get(a), self.new.get(b)) else { return };
        if same((old.node, self.story.links.0), (new.node, self.story.links.1)) {
            return;
        }
        let (before, after) = (self.texts.0.get(a), self.texts.1.get(b));
        let kind = if before == after { ChangeKind::Formatted } else { ChangeKind::Changed };
        let mut change = Change::new(self.address(b), kind, "table row");
        let (before_line, after_line) = (Self::line(before), Self::line(after));
        change = if kind == ChangeKind::Changed {
            let columns = before.into_iter().flatten().zip(after.into_iter().flatten());
            let differ = columns.enumerate().filter(|(_, (a, b))| a != b);
            let details: Vec<Detail> =
                differ.map(|(at, (a, b))| Detail::new(format!("column {}", at + 1), a.as_str(), b.as_str())).collect();
            let mut change = change.texts(Some(&before_line), Some(&after_line)).with_words(&before_line, &after_line);
            change.details = details;
            change
        } else {
            change.texts(None, Some(&after_line))
        };
        let splice = self.story.splice(new.node.range(), old.node.source().to_owned());
        diff.add(self.group, self.story.fitting(change.revertible(RevertPlan::Splices(vec![splice])), old.node));
    }

    fn came(&self, b: usize, diff: &mut StructuredDiff) {
        let Some(new) = self.new.get(b) else { return };
        let change = Change::new(self.address(b), ChangeKind::Added, "table row");
        let change = change.texts(None, Some(&Self::line(self.texts.1.get(b))));
        diff.add(
            self.group,
            change.revertible(RevertPlan::Splices(vec![self.story.splice(new.node.range(), String::new())])),
        );
    }

    fn gone(&self, a: usize, behind: Option<usize>, table: Node<'_>, diff: &mut StructuredDiff) {
        let Some(old) = self.old.get(a) else { return };
        let at = match behind.and_then(|at| self.new.get(at)) {
            Some(row) => row.node.range().end,
            None => self.new.first().map_or(table.inner_range().end, |row| row.node.range().start),
        };
        let change = Change::new(format!("{} (removed)", self.address(a)), ChangeKind::Removed, "table row");
        let change = change.texts(Some(&Self::line(self.texts.0.get(a))), None);
        let splice = self.story.splice(at..at, old.node.source().to_owned());
        diff.add(self.group, self.story.fitting(change.revertible(RevertPlan::Splices(vec![splice])), old.node));
    }

    /// What holds for the whole table: its style, its widths.
    fn frame(&self, nodes: (Node<'_>, Node<'_>), diff: &mut StructuredDiff) {
        let parts = ["tblPr", "tblGrid"];
        let differs = |name: &str| {
            let side =
                |node: Node<'_>, links| node.child(Ns::W, name).map(|node| spelled(node, links)).unwrap_or_default();
            side(nodes.0, self.story.links.0) != side(nodes.1, self.story.links.1)
        };
        if !parts.iter().any(|name| differs(name)) {
            return;
        }
        let head = |node: Node<'_>| {
            let first = node.elements().find(|child| !parts.contains(&child.local()));
            node.open_range().end..first.map_or(node.inner_range().end, |child| child.range().start)
        };
        let markup = nodes.0.tree().source().get(head(nodes.0)).unwrap_or_default().to_owned();
        let change = Change::new(format!("{}, format", self.id), ChangeKind::Formatted, "table");
        let splice = self.story.splice(head(nodes.1), markup);
        diff.add(self.group, self.story.fitting(change.revertible(RevertPlan::Splices(vec![splice])), nodes.0));
    }
}
