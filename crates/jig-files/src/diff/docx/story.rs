//! One run of blocks: the body, a header, a footer.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use jig_ooxml::Relationships;
use jig_ooxml::docx::blocks::Block;
use jig_ooxml::xml::Node;
use similar::DiffTag;

use super::super::align::align;
use super::super::change::{Change, ChangeKind, Detail, Splice, Undo};
use super::super::inside::InsideDiff;
use super::super::markup::{Links, same};
use super::super::pair::{Step, pair};
use super::super::words::likeness;
use super::{Side, block, block_misfit, look, tables};

/// Texts shorter than this stand too often in a document to say that one moved.
const MOVES_FROM: usize = 12;

/// The blocks of one side.
pub(super) struct StorySide<'s, 't> {
    pub(super) part: &'s str,
    pub(super) container: Node<'t>,
    pub(super) blocks: &'s [Block<'t>],
}

/// Two versions of a run of blocks.
pub(super) struct Story<'s, 't> {
    pub(super) sides: (&'s Side<'s>, &'s Side<'s>),
    pub(super) old: StorySide<'s, 't>,
    pub(super) new: StorySide<'s, 't>,
    /// For each new block, and for the end: the title of its group, and how its address begins.
    pub(super) titles: &'s [(String, String)],
    pub(super) rels: (&'s Relationships, &'s Relationships),
    /// The targets of both parts' relationship ids.
    pub(super) links: (&'s Links, &'s Links),
}

/// What became of a block.
#[derive(Clone, Copy)]
enum Fate {
    Both(usize, usize),
    Came(usize),
    /// An old block, and behind which new one it stood.
    Gone(usize, Option<usize>),
    /// An old block that stands elsewhere, and behind which new one it stood.
    Moved(usize, usize, Option<usize>),
}

impl<'t> Story<'_, 't> {
    pub(super) fn compare(&self, diff: &mut InsideDiff) {
        let texts = |blocks: &[Block<'_>]| -> Vec<String> { blocks.iter().map(|one| block::text(*one)).collect() };
        let (old, new) = (texts(self.old.blocks), texts(self.new.blocks));
        let fates = moved(self.fates(&old, &new), &old, &new, self);
        for fate in fates {
            self.tell(fate, &old, &new, diff);
        }
    }

    fn fates(&self, old: &[String], new: &[String]) -> Vec<Fate> {
        let (old_ids, new_ids) = self.intern(old, new);
        let (ops, _) = align(&old_ids, &new_ids);
        let mut fates = Vec::new();
        for op in ops {
            if op.tag() == DiffTag::Equal {
                fates.extend(op.old_range().zip(op.new_range()).map(|(a, b)| Fate::Both(a, b)));
            } else {
                self.replaced(op.old_range(), op.new_range(), old, new, &mut fates);
            }
        }
        fates
    }

    /// Numbers for blocks, the same for those of the same kind and text.
    fn intern(&self, old: &[String], new: &[String]) -> (Vec<usize>, Vec<usize>) {
        let mut ids: HashMap<(bool, String), usize> = HashMap::new();
        let mut number = |texts: &[String], blocks: &[Block<'_>]| -> Vec<usize> {
            let mut id = |(text, block): (&String, &Block<'_>)| {
                let next = ids.len();
                *ids.entry((block.table().is_some(), text.clone())).or_insert(next)
            };
            texts.iter().zip(blocks).map(&mut id).collect()
        };
        (number(old, self.old.blocks), number(new, self.new.blocks))
    }

    fn replaced(
        &self,
        old: Range<usize>,
        new: Range<usize>,
        old_texts: &[String],
        new_texts: &[String],
        fates: &mut Vec<Fate>,
    ) {
        let get = |texts: &[String], at: usize| texts.get(at).cloned().unwrap_or_default();
        let is_table = |blocks: &[Block<'_>], at: usize| blocks.get(at).is_some_and(|block| block.table().is_some());
        let alike = |i: usize, j: usize| {
            let (a, b) = (old.start + i, new.start + j);
            if is_table(self.old.blocks, a) != is_table(self.new.blocks, b) {
                return 0.0;
            }
            likeness(&get(old_texts, a), &get(new_texts, b))
        };
        // A single paragraph for a single other one is a change, however much of it is new.
        let single = old.len() == 1 && new.len() == 1;
        let single = single && is_table(self.old.blocks, old.start) == is_table(self.new.blocks, new.start);
        let steps = if single { vec![Step::Both(0, 0)] } else { pair(old.len(), new.len(), alike) };
        let mut behind = new.start.checked_sub(1);
        for step in steps {
            match step {
                Step::Both(i, j) => {
                    fates.push(Fate::Both(old.start + i, new.start + j));
                    behind = Some(new.start + j);
                }
                Step::New(j) => {
                    fates.push(Fate::Came(new.start + j));
                    behind = Some(new.start + j);
                }
                Step::Old(i) => fates.push(Fate::Gone(old.start + i, behind)),
            }
        }
    }

    fn tell(&self, fate: Fate, old: &[String], new: &[String], diff: &mut InsideDiff) {
        let text = |texts: &'_ [String], at: usize| texts.get(at).cloned().unwrap_or_default();
        match fate {
            Fate::Both(a, b) => self.both(a, b, &text(old, a), &text(new, b), diff),
            Fate::Came(b) => {
                let Some(block) = self.new.blocks.get(b) else { return };
                let (group, id) = self.address(b, *block);
                let splice = self.splice(block.node().range(), String::new());
                let change = Change::new(id, ChangeKind::Added, noun(*block)).texts(None, Some(&text(new, b)));
                diff.add(&group, change.undone_by(Undo::Splices(vec![splice])));
            }
            Fate::Gone(a, behind) => {
                let Some(block) = self.old.blocks.get(a) else { return };
                let (group, start) = self.title(behind.unwrap_or(0));
                let id = format!("{start}, {} (removed)", indexed(*block));
                let change = Change::new(id, ChangeKind::Removed, noun(*block)).texts(Some(&text(old, a)), None);
                let splice = self.splice(self.place_behind(behind), block.node().source().to_owned());
                let change = change.undone_by(Undo::Splices(vec![splice]));
                diff.add(&group, self.fitting(change, block.node()));
            }
            Fate::Moved(a, b, behind) => {
                let (Some(from), Some(to)) = (self.old.blocks.get(a), self.new.blocks.get(b)) else { return };
                let (group, id) = self.address(b, *to);
                let before = self.title(behind.unwrap_or(0)).1;
                let detail = Detail::new("place", format!("{before}, {}", indexed(*from)), id.clone());
                let change =
                    Change::new(id, ChangeKind::Moved, noun(*to)).texts(None, Some(&text(new, b))).detail(detail);
                let splices = vec![
                    self.splice(to.node().range(), String::new()),
                    self.splice(self.place_behind(behind), from.node().source().to_owned()),
                ];
                diff.add(&group, self.fitting(change.undone_by(Undo::Splices(splices)), from.node()));
            }
        }
    }

    /// A block that stands on both sides: other words, another look, or nothing.
    fn both(&self, a: usize, b: usize, before: &str, after: &str, diff: &mut InsideDiff) {
        let (Some(old), Some(new)) = (self.old.blocks.get(a), self.new.blocks.get(b)) else { return };
        if same((old.node(), self.links.0), (new.node(), self.links.1)) {
            return;
        }
        let (group, id) = self.address(b, *new);
        if let (Block::Table(old), Block::Table(new)) = (old, new) {
            tables::compare(self, (old.node, new.node), &group, &id, diff);
            return;
        }
        let details = look::details(*old, *new, (&self.sides.0.styles, &self.sides.1.styles));
        let kind = if before == after { ChangeKind::Formatted } else { ChangeKind::Changed };
        let mut change = Change::new(id, kind, noun(*new));
        change = if kind == ChangeKind::Changed {
            change.texts(Some(before), Some(after)).words(before, after)
        } else {
            change.texts(None, Some(after))
        };
        change.details = details;
        let splice = self.splice(new.node().range(), old.node().source().to_owned());
        diff.add(&group, self.fitting(change.undone_by(Undo::Splices(vec![splice])), old.node()));
    }

    /// The change as it is when old markup fits into the new file, else with the reason.
    pub(super) fn fitting(&self, change: Change, old: Node<'_>) -> Change {
        match block_misfit(self.sides, old, self.new.container, self.rels) {
            Some(why) => change.fixed(why),
            None => change,
        }
    }

    pub(super) fn splice(&self, range: Range<usize>, markup: String) -> Splice {
        Splice { part: self.new.part.to_owned(), range, markup }
    }

    /// Where a block is put that stood behind another one.
    fn place_behind(&self, behind: Option<usize>) -> Range<usize> {
        let at = match behind.and_then(|at| self.new.blocks.get(at)) {
            Some(block) => block.node().range().end,
            None => self.new.container.open_range().end,
        };
        at..at
    }

    fn title(&self, at: usize) -> (String, String) {
        self.titles.get(at).or(self.titles.last()).cloned().unwrap_or_default()
    }

    fn address(&self, at: usize, block: Block<'t>) -> (String, String) {
        let (group, start) = self.title(at);
        (group, format!("{start}, {}", indexed(block)))
    }
}

fn indexed(block: Block<'_>) -> String {
    match block {
        Block::Paragraph(paragraph) => format!("paragraph {}", paragraph.index),
        Block::Table(table) => format!("table {}", table.index),
    }
}

fn noun(block: Block<'_>) -> &'static str {
    if block.table().is_some() { "table" } else { "paragraph" }
}

/// A block that went at one place and came at another has moved.
fn moved(fates: Vec<Fate>, old: &[String], new: &[String], story: &Story<'_, '_>) -> Vec<Fate> {
    let text = |texts: &'_ [String], at: usize| texts.get(at).filter(|text| text.trim().len() >= MOVES_FROM).cloned();
    let table = |blocks: &[Block<'_>], at: usize| blocks.get(at).is_some_and(|block| block.table().is_some());
    let mut gone: HashMap<(bool, String), (usize, Option<usize>)> = HashMap::new();
    for fate in &fates {
        if let Fate::Gone(a, behind) = fate
            && let Some(said) = text(old, *a)
        {
            gone.entry((table(story.old.blocks, *a), said)).or_insert((*a, *behind));
        }
    }
    let mut used: HashSet<usize> = HashSet::new();
    let mut out: Vec<Fate> = Vec::with_capacity(fates.len());
    for fate in fates {
        let found = match fate {
            Fate::Came(b) => {
                text(new, b).and_then(|said| gone.remove(&(table(story.new.blocks, b), said))).map(|f| (b, f))
            }
            _ => None,
        };
        match found {
            Some((b, (a, behind))) => {
                used.insert(a);
                out.push(Fate::Moved(a, b, behind));
            }
            None => out.push(fate),
        }
    }
    out.retain(|fate| !matches!(fate, Fate::Gone(a, _) if used.contains(a)));
    out
}
