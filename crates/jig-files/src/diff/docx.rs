//! Compares two Word documents: the paragraphs and tables of a run of blocks (the body, a header, a footer: [`Story`]), then
//! notes, comments, styles and page setup.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use jig_ooxml::docx::blocks::{Block, blocks, body as body_of};
use jig_ooxml::docx::inline::{PieceKind, View, pieces};
use jig_ooxml::docx::parts::PartNames;
use jig_ooxml::docx::sections::{Section, sections};
use jig_ooxml::docx::styles::Styles;
use jig_ooxml::docx::tables;
use jig_ooxml::xml::{Node, Ns, XmlPart};
use jig_ooxml::{Package, PackageError, Relationships};
use similar::DiffTag;

use super::align::{Step, align, intern, pair};
use super::change::{Change, ChangeKind, Detail, MarkupSplice, RevertPlan, StructuredDiff, StructuredFormat};
use super::package_parts::{Links, misfit, same, spelled};
use super::words::likeness;
use super::{docx_tables, package_parts};

/// One of two documents.
pub(super) struct DocumentSide<'p> {
    package: &'p Package,
    names: PartNames,
    styles: Styles,
    /// The lists, as they are written.
    numbering: String,
    /// Notes and comments by kind and number, read when a change hangs on one.
    notes: OnceCell<HashMap<(&'static str, String), String>>,
}

impl<'p> DocumentSide<'p> {
    fn read(package: &'p Package) -> Result<Self, PackageError> {
        let names = PartNames::find(package)?;
        let part = |name: &Option<String>| name.as_deref().map(|name| package.xml(name)).transpose();
        let styles = Styles::read(part(&names.styles)?.as_ref(), part(&names.theme)?.as_ref(), package.limits())?;
        let numbering = part(&names.numbering)?.map(|part| part.text).unwrap_or_default();
        Ok(Self { package, names, styles, numbering, notes: OnceCell::new() })
    }

    fn relationships(&self, part: &str) -> Relationships {
        Relationships::read(self.package, part).unwrap_or_default()
    }
}

/// Compares two documents.
pub(super) fn compare(old: &Package, new: &Package) -> Result<StructuredDiff, PackageError> {
    let (before, after) = (DocumentSide::read(old)?, DocumentSide::read(new)?);
    let mut diff = StructuredDiff::new(StructuredFormat::Docx);
    body(&before, &after, &mut diff)?;
    compare_headers_and_footers(&before, &after, &mut diff)?;
    compare_notes(&before, &after, &mut diff)?;
    compare_styles(&before, &after, &mut diff)?;
    let covered = covered(&before, &after);
    package_parts::compare(old, new, &|name| covered(name), &|_| false, &mut diff)?;
    Ok(diff.finish())
}

fn body(before: &DocumentSide<'_>, after: &DocumentSide<'_>, diff: &mut StructuredDiff) -> Result<(), PackageError> {
    let parts = (before.package.xml(&before.names.document)?, after.package.xml(&after.names.document)?);
    let trees = (parts.0.tree(before.package.limits())?, parts.1.tree(after.package.limits())?);
    let bodies = (body_of(&trees.0, &parts.0.name)?, body_of(&trees.1, &parts.1.name)?);
    let lists = (blocks(bodies.0), blocks(bodies.1));
    let found = sections(&lists.1, &after.styles);
    let titles = titles(&found, lists.1.len());
    let links = (
        Links::resolved(before.package, &before.names.relationships),
        Links::resolved(after.package, &after.names.relationships),
    );
    let story = Story {
        sides: (before, after),
        old: StorySide { part: &parts.0.name, container: bodies.0, blocks: &lists.0 },
        new: StorySide { part: &parts.1.name, container: bodies.1, blocks: &lists.1 },
        titles: &titles,
        rels: (&before.names.relationships, &after.names.relationships),
        links: (&links.0, &links.1),
    };
    story.compare(diff);
    page_setup(bodies, (&links.0, &links.1), &parts.1, diff);
    Ok(())
}

/// The title of the section that each block is in, and the words that addresses begin with.
fn titles(sections: &[Section], blocks: usize) -> Vec<(String, String)> {
    let mut titles = vec![("section 0".to_owned(), "section 0".to_owned()); blocks + 1];
    for (index, section) in sections.iter().enumerate() {
        let plain = format!("section {index}");
        let heading: String = section.heading.chars().take(60).collect();
        let title = if heading.is_empty() { plain.clone() } else { format!("{plain} “{heading}”") };
        let end = if section.blocks.end == blocks { blocks + 1 } else { section.blocks.end };
        for slot in titles.get_mut(section.blocks.start..end).unwrap_or_default() {
            *slot = (title.clone(), plain.clone());
        }
    }
    titles
}

fn page_setup(bodies: (Node<'_>, Node<'_>), links: (&Links, &Links), new: &XmlPart, diff: &mut StructuredDiff) {
    let last = |body: Node<'_>, links| body_setup(body).map(|node| spelled(node, links)).unwrap_or_default();
    if last(bodies.0, links.0) == last(bodies.1, links.1) {
        return;
    }
    let change = Change::new("page setup", ChangeKind::Formatted, "page setup");
    let (Some(from), Some(to)) = (body_setup(bodies.0), body_setup(bodies.1)) else {
        return diff.add("page setup", change.not_revertible("one side has none"));
    };
    let leads = from.source().contains("r:id") || to.source().contains("r:id");
    let splice = MarkupSplice { part: new.name.clone(), range: to.range(), markup: from.source().to_owned() };
    diff.add(
        "page setup",
        if leads {
            change.not_revertible("it names headers and footers")
        } else {
            change.revertible(RevertPlan::Splices(vec![splice]))
        },
    );
}

fn body_setup(body: Node<'_>) -> Option<Node<'_>> {
    body.elements().filter(|node| node.is(Ns::W, "sectPr")).last()
}

/// Headers and footers, by the names of their parts.
fn compare_headers_and_footers(
    before: &DocumentSide<'_>,
    after: &DocumentSide<'_>,
    diff: &mut StructuredDiff,
) -> Result<(), PackageError> {
    let names = |side: &DocumentSide<'_>| -> Vec<String> {
        let mut names: Vec<String> =
            side.names.headers.iter().chain(&side.names.footers).map(|part| part.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    };
    let (old, new) = (names(before), names(after));
    for name in new.iter().chain(old.iter().filter(|name| !new.contains(name))) {
        let title = stem(name).to_owned();
        match (old.contains(name), new.contains(name)) {
            (true, true) if package_parts::differ(before.package, after.package, name)? => {
                let parts = (before.package.xml(name)?, after.package.xml(name)?);
                let trees = (parts.0.tree(before.package.limits())?, parts.1.tree(after.package.limits())?);
                let lists = (blocks(trees.0.root()), blocks(trees.1.root()));
                let titles = vec![(title.clone(), title.clone()); lists.1.len() + 1];
                let rels = (before.relationships(name), after.relationships(name));
                let links = (Links::resolved(before.package, &rels.0), Links::resolved(after.package, &rels.1));
                let story = Story {
                    sides: (before, after),
                    old: StorySide { part: name, container: trees.0.root(), blocks: &lists.0 },
                    new: StorySide { part: name, container: trees.1.root(), blocks: &lists.1 },
                    titles: &titles,
                    rels: (&rels.0, &rels.1),
                    links: (&links.0, &links.1),
                };
                story.compare(diff);
            }
            (true, true) | (false, false) => {}
            (only_old, _) => {
                let side = if only_old { before } else { after };
                let text = text_of(side, name)?;
                let kind = if only_old { ChangeKind::Removed } else { ChangeKind::Added };
                let noun = if title.starts_with("footer") { "footer" } else { "header" };
                let id = if only_old { format!("{title} (removed)") } else { title.clone() };
                let change = Change::new(id, kind, noun);
                let texts = if only_old { change.texts(Some(&text), None) } else { change.texts(None, Some(&text)) };
                diff.add(&title, texts.not_revertible("the page setup refers to it"));
            }
        }
    }
    Ok(())
}

fn text_of(side: &DocumentSide<'_>, part: &str) -> Result<String, PackageError> {
    let content = side.package.xml(part)?;
    let tree = content.tree(side.package.limits())?;
    Ok(block_texts(&blocks(tree.root())))
}

fn stem(part: &str) -> &str {
    let name = part.rsplit('/').next().unwrap_or(part);
    name.split('.').next().unwrap_or(name)
}

/// Styles by their ids.
fn compare_styles(
    before: &DocumentSide<'_>,
    after: &DocumentSide<'_>,
    diff: &mut StructuredDiff,
) -> Result<(), PackageError> {
    let part = |side: &DocumentSide<'_>| side.names.styles.as_deref().map(|name| side.package.xml(name)).transpose();
    let (Some(old), Some(new)) = (part(before)?, part(after)?) else { return Ok(()) };
    if old.text == new.text {
        return Ok(());
    }
    let trees = (old.tree(before.package.limits())?, new.tree(after.package.limits())?);
    let list = |root: Node<'_>| -> Vec<(String, String)> {
        let id = |node: Node<'_>| node.attr("styleId").map(std::borrow::Cow::into_owned).unwrap_or_default();
        root.children_named(Ns::W, "style").map(|node| (id(node), spelled(node, &Links::default()))).collect()
    };
    let (old, new) = (list(trees.0.root()), list(trees.1.root()));
    let find = |list: &[(String, String)], id: &str| list.iter().find(|(known, _)| known == id).map(|(_, s)| s.clone());
    for (id, said) in &new {
        let kind = match find(&old, id) {
            None => ChangeKind::Added,
            Some(before) if before != *said => ChangeKind::Changed,
            Some(_) => continue,
        };
        let name = after.styles.get(id).map_or(id.as_str(), |style| style.name.as_str());
        diff.add(
            "styles",
            Change::new(format!("style {name}"), kind, "style").not_revertible("text may use the style"),
        );
    }
    for (id, _) in old.iter().filter(|(id, _)| find(&new, id).is_none()) {
        let name = before.styles.get(id).map_or(id.as_str(), |style| style.name.as_str());
        let change = Change::new(format!("style {name} (removed)"), ChangeKind::Removed, "style");
        diff.add("styles", change.not_revertible("text may use the style"));
    }
    Ok(())
}

fn covered(before: &DocumentSide<'_>, after: &DocumentSide<'_>) -> impl Fn(&str) -> bool {
    let mut names: Vec<String> = Vec::new();
    for side in [before, after] {
        names.extend(side.names.texts().into_iter().map(str::to_owned));
        names.extend([&side.names.styles, &side.names.comments].into_iter().flatten().cloned());
    }
    let names: Vec<String> = names.into_iter().map(|name| name.to_ascii_lowercase()).collect();
    move |name: &str| names.contains(&name.trim_start_matches('/').to_ascii_lowercase())
}

/// Why a block of the old document cannot be inserted into the new one; `None` if it can.
pub(super) fn block_misfit(
    sides: (&DocumentSide<'_>, &DocumentSide<'_>),
    old: Node<'_>,
    into: Node<'_>,
    rels: (&Relationships, &Relationships),
) -> Option<String> {
    if let Some(why) = misfit(old, into, rels) {
        return Some(why);
    }
    for node in old.descendants().filter(|node| node.is_element() && node.ns() == Ns::W) {
        let value = node.attr("val").unwrap_or_default();
        match node.local() {
            "pStyle" | "rStyle" | "tblStyle" if sides.1.styles.get(&value).is_none() => {
                return Some(format!("its style {value} is not in the file any more"));
            }
            "numId" if value != "0" && !has_list(sides.1, &value) => {
                return Some("its list is not in the file any more".to_owned());
            }
            "footnoteReference" | "endnoteReference" | "commentReference" if !has_same_note(sides, node) => {
                return Some("a note or comment that hangs on it changed too".to_owned());
            }
            _ => {}
        }
    }
    None
}

fn has_list(side: &DocumentSide<'_>, number: &str) -> bool {
    side.numbering.contains(&format!("numId=\"{number}\""))
}

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
    pub(super) sides: (&'s DocumentSide<'s>, &'s DocumentSide<'s>),
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
enum BlockMatch {
    Both(usize, usize),
    Added(usize),
    /// An old block, and behind which new one it stood.
    Removed(usize, Option<usize>),
    /// An old block that stands elsewhere, and behind which new one it stood.
    Moved(usize, usize, Option<usize>),
}

impl<'t> Story<'_, 't> {
    pub(super) fn compare(&self, diff: &mut StructuredDiff) {
        let texts = |blocks: &[Block<'_>]| -> Vec<String> { blocks.iter().map(|one| block_text(*one)).collect() };
        let (old, new) = (texts(self.old.blocks), texts(self.new.blocks));
        let matches = moved(self.matches(&old, &new), &old, &new, self);
        for matched in matches {
            self.tell(matched, &old, &new, diff);
        }
    }

    fn matches(&self, old: &[String], new: &[String]) -> Vec<BlockMatch> {
        // Blocks are equal when kind and text are; formats are compared later.
        let key = |(block, text): (&Block<'_>, &String)| (block.table().is_some(), text.clone());
        let (old_ids, new_ids) =
            intern(self.old.blocks.iter().zip(old).map(key), self.new.blocks.iter().zip(new).map(key));
        let (ops, _) = align(&old_ids, &new_ids);
        let mut matches = Vec::new();
        for op in ops {
            if op.tag() == DiffTag::Equal {
                matches.extend(op.old_range().zip(op.new_range()).map(|(a, b)| BlockMatch::Both(a, b)));
            } else {
                self.replaced(op.old_range(), op.new_range(), old, new, &mut matches);
            }
        }
        matches
    }

    fn replaced(
        &self,
        old: Range<usize>,
        new: Range<usize>,
        old_texts: &[String],
        new_texts: &[String],
        matches: &mut Vec<BlockMatch>,
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
                    matches.push(BlockMatch::Both(old.start + i, new.start + j));
                    behind = Some(new.start + j);
                }
                Step::New(j) => {
                    matches.push(BlockMatch::Added(new.start + j));
                    behind = Some(new.start + j);
                }
                Step::Old(i) => matches.push(BlockMatch::Removed(old.start + i, behind)),
            }
        }
    }

    fn tell(&self, matched: BlockMatch, old: &[String], new: &[String], diff: &mut StructuredDiff) {
        let text = |texts: &'_ [String], at: usize| texts.get(at).cloned().unwrap_or_default();
        match matched {
            BlockMatch::Both(a, b) => self.both(a, b, &text(old, a), &text(new, b), diff),
            BlockMatch::Added(b) => {
                let Some(block) = self.new.blocks.get(b) else { return };
                let (group, id) = self.address(b, *block);
                let splice = self.splice(block.node().range(), String::new());
                let change = Change::new(id, ChangeKind::Added, noun(*block)).texts(None, Some(&text(new, b)));
                diff.add(&group, change.revertible(RevertPlan::Splices(vec![splice])));
            }
            BlockMatch::Removed(a, behind) => {
                let Some(block) = self.old.blocks.get(a) else { return };
                let (group, start) = self.title(behind.unwrap_or(0));
                let id = format!("{start}, {} (removed)", indexed(*block));
                let change = Change::new(id, ChangeKind::Removed, noun(*block)).texts(Some(&text(old, a)), None);
                let splice = self.splice(self.place_behind(behind), block.node().source().to_owned());
                let change = change.revertible(RevertPlan::Splices(vec![splice]));
                diff.add(&group, self.fitting(change, block.node()));
            }
            BlockMatch::Moved(a, b, behind) => {
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
                diff.add(&group, self.fitting(change.revertible(RevertPlan::Splices(splices)), from.node()));
            }
        }
    }

    /// A block that stands on both sides: other words, another look, or nothing.
    fn both(&self, a: usize, b: usize, before: &str, after: &str, diff: &mut StructuredDiff) {
        let (Some(old), Some(new)) = (self.old.blocks.get(a), self.new.blocks.get(b)) else { return };
        if same((old.node(), self.links.0), (new.node(), self.links.1)) {
            return;
        }
        let (group, id) = self.address(b, *new);
        if let (Block::Table(old), Block::Table(new)) = (old, new) {
            docx_tables::compare(self, (old.node, new.node), &group, &id, diff);
            return;
        }
        let details = format_details(*old, *new, (&self.sides.0.styles, &self.sides.1.styles));
        let kind = if before == after { ChangeKind::Formatted } else { ChangeKind::Changed };
        let mut change = Change::new(id, kind, noun(*new));
        change = if kind == ChangeKind::Changed {
            change.texts(Some(before), Some(after)).with_words(before, after)
        } else {
            change.texts(None, Some(after))
        };
        change.details = details;
        let splice = self.splice(new.node().range(), old.node().source().to_owned());
        diff.add(&group, self.fitting(change.revertible(RevertPlan::Splices(vec![splice])), old.node()));
    }

    /// The change as it is when old markup fits into the new file, else with the reason.
    pub(super) fn fitting(&self, change: Change, old: Node<'_>) -> Change {
        match block_misfit(self.sides, old, self.new.container, self.rels) {
            Some(why) => change.not_revertible(why),
            None => change,
        }
    }

    pub(super) fn splice(&self, range: Range<usize>, markup: String) -> MarkupSplice {
        MarkupSplice { part: self.new.part.to_owned(), range, markup }
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
fn moved(matches: Vec<BlockMatch>, old: &[String], new: &[String], story: &Story<'_, '_>) -> Vec<BlockMatch> {
    let text = |texts: &'_ [String], at: usize| texts.get(at).filter(|text| text.trim().len() >= MOVES_FROM).cloned();
    let table = |blocks: &[Block<'_>], at: usize| blocks.get(at).is_some_and(|block| block.table().is_some());
    let mut gone: HashMap<(bool, String), (usize, Option<usize>)> = HashMap::new();
    for matched in &matches {
        if let BlockMatch::Removed(a, behind) = matched
            && let Some(said) = text(old, *a)
        {
            gone.entry((table(story.old.blocks, *a), said)).or_insert((*a, *behind));
        }
    }
    let mut used: HashSet<usize> = HashSet::new();
    let mut out: Vec<BlockMatch> = Vec::with_capacity(matches.len());
    for matched in matches {
        let found = match matched {
            BlockMatch::Added(b) => {
                text(new, b).and_then(|said| gone.remove(&(table(story.new.blocks, b), said))).map(|f| (b, f))
            }
            _ => None,
        };
        match found {
            Some((b, (a, behind))) => {
                used.insert(a);
                out.push(BlockMatch::Moved(a, b, behind));
            }
            None => out.push(matched),
        }
    }
    out.retain(|matched| !matches!(matched, BlockMatch::Removed(a, _) if used.contains(a)));
    out
}

/// How deep tables in tables and text boxes are read.
const DEEPEST: usize = 8;

/// The text of a block.
pub(super) fn block_text(block: Block<'_>) -> String {
    text_at(block, 0)
}

fn text_at(block: Block<'_>, depth: usize) -> String {
    match block {
        Block::Paragraph(found) if found.mark.deleted.is_some() => String::new(),
        Block::Paragraph(found) => paragraph_text(found.node, depth),
        Block::Table(found) => {
            let rows = tables::rows(found.node);
            let lines: Vec<String> = rows.iter().map(|row| cells(row, depth).join(" | ")).collect();
            lines.join("\n")
        }
    }
}

/// The texts of a row's cells.
pub(super) fn row_cells(row: &tables::Row<'_>) -> Vec<String> {
    cells(row, 0)
}

fn cells(row: &tables::Row<'_>, depth: usize) -> Vec<String> {
    if depth >= DEEPEST {
        return Vec::new();
    }
    let text = |node: Node<'_>| {
        let inside = blocks(node);
        inside.iter().map(|block| text_at(*block, depth + 1)).collect::<Vec<_>>().join("\n")
    };
    row.cells.iter().map(|cell| text(cell.node)).collect()
}

fn paragraph_text(node: Node<'_>, depth: usize) -> String {
    let mut text = String::new();
    for piece in pieces(node) {
        if !piece.mark.is_in(View::Final) {
            continue;
        }
        match &piece.kind {
            PieceKind::Text(said) => text.push_str(said),
            PieceKind::Footnote(_) | PieceKind::Endnote(_) => text.push_str("[note]"),
            PieceKind::Comment(_) => {}
            PieceKind::TextBox(inside) if depth < DEEPEST => {
                let inside = blocks(*inside);
                let lines: Vec<String> = inside.iter().map(|block| text_at(*block, depth + 1)).collect();
                text.push_str(&format!("[box: {}]", lines.join("\n")));
            }
            PieceKind::TextBox(_) => text.push_str("[box]"),
            PieceKind::Picture(_) => text.push_str("[image]"),
            PieceKind::Chart(_) => text.push_str("[chart]"),
            PieceKind::Diagram(_) => text.push_str("[diagram]"),
        }
    }
    text
}

/// The texts of blocks, each on a line.
pub(super) fn block_texts(blocks: &[Block<'_>]) -> String {
    blocks.iter().map(|block| block_text(*block)).collect::<Vec<_>>().join("\n")
}

/// How many tracked changes are in a node.
pub(super) fn tracked(node: Node<'_>) -> usize {
    let marks = ["ins", "del", "moveFrom", "moveTo", "rPrChange", "pPrChange"];
    node.descendants().filter(|node| node.is_element() && marks.contains(&node.local())).count()
}

/// What differs between two blocks besides their texts.
pub(super) fn format_details(old: Block<'_>, new: Block<'_>, styles: (&Styles, &Styles)) -> Vec<Detail> {
    let mut found = Vec::new();
    let mut add = |name: &str, before: String, after: String| {
        if before != after {
            let none = |text: String| if text.is_empty() { "none".to_owned() } else { text };
            found.push(Detail::new(name, none(before), none(after)));
        }
    };
    add("style", style_name(old, styles.0), style_name(new, styles.1));
    add("paragraph format", paragraph_format(old), paragraph_format(new));
    add("text format", run_formats(old.node()), run_formats(new.node()));
    let marks = (tracked(old.node()), tracked(new.node()));
    add("tracked changes", marks.0.to_string(), marks.1.to_string());
    found
}

fn style_name(block: Block<'_>, styles: &Styles) -> String {
    let Some(paragraph) = block.paragraph() else { return String::new() };
    let id = paragraph.style_id();
    let known = id.as_deref().and_then(|id| styles.get(id)).or_else(|| styles.default_paragraph());
    known.map(|style| style.name.clone()).or(id).unwrap_or_default()
}

fn paragraph_format(block: Block<'_>) -> String {
    let Some(properties) = block.paragraph().and_then(|paragraph| paragraph.properties()) else { return String::new() };
    let skip = ["pStyle", "rPr", "sectPr", "pPrChange"];
    properties
        .elements()
        .filter(|node| !skip.contains(&node.local()))
        .map(property_words)
        .collect::<Vec<_>>()
        .join(", ")
}

/// All formats that runs have, each once.
fn run_formats(node: Node<'_>) -> String {
    let formats = node.descendants().filter(|node| node.is(Ns::W, "rPr"));
    let words: BTreeSet<String> =
        formats.flat_map(Node::elements).filter(|node| is_visible_property(*node)).map(property_words).collect();
    words.into_iter().collect::<Vec<_>>().join(", ")
}

fn is_visible_property(node: Node<'_>) -> bool {
    !matches!(node.local(), "rPrChange" | "ins" | "del" | "lang" | "noProof" | "bCs" | "iCs" | "szCs")
}

fn property_words(node: Node<'_>) -> String {
    let values: Vec<String> = node.attributes().take(4).map(|one| one.raw.to_owned()).collect();
    let name = match node.local() {
        "b" => "bold",
        "i" => "italic",
        "u" => "underline",
        "sz" => "half-points",
        "jc" => "alignment",
        "ind" => "indent",
        "color" => "colour",
        "rFonts" => "font",
        other => other,
    };
    if values.is_empty() { name.to_owned() } else { format!("{name} {}", values.join(" ")) }
}

/// The three kinds: where they are, their element, and their names.
type Kind = (for<'s> fn(&'s DocumentSide<'_>) -> Option<&'s str>, &'static str, &'static str, &'static str);

const KINDS: [Kind; 3] = [
    (|side| side.names.footnotes.as_deref(), "footnote", "footnotes", "footnote"),
    (|side| side.names.endnotes.as_deref(), "endnote", "endnotes", "endnote"),
    (|side| side.names.comments.as_deref(), "comment", "comments", "comment"),
];

pub(super) fn compare_notes(
    before: &DocumentSide<'_>,
    after: &DocumentSide<'_>,
    diff: &mut StructuredDiff,
) -> Result<(), PackageError> {
    for (part, element, group, noun) in KINDS {
        let read = |side: &DocumentSide<'_>| part(side).map(|name| side.package.xml(name)).transpose();
        let empty = || XmlPart::new(part(after).or(part(before)).unwrap_or_default(), "<none/>");
        let (old, new) = (read(before)?.unwrap_or_else(empty), read(after)?.unwrap_or_else(empty));
        if old.text == new.text {
            continue;
        }
        let trees = (old.tree(before.package.limits())?, new.tree(after.package.limits())?);
        let rels = (before.relationships(&old.name), after.relationships(&new.name));
        let links = (Links::resolved(before.package, &rels.0), Links::resolved(after.package, &rels.1));
        let (olds, news) = (note_list(trees.0.root(), element), note_list(trees.1.root(), element));
        for (id, node) in &news {
            match olds.iter().find(|(other, _)| other == id) {
                Some((_, was)) if !same((*was, &links.0), (*node, &links.1)) => {
                    let change = changed_note(&format!("{noun} {id}"), noun, *was, *node);
                    let splice =
                        MarkupSplice { part: new.name.clone(), range: node.range(), markup: was.source().to_owned() };
                    let rels: (&Relationships, &Relationships) = (&rels.0, &rels.1);
                    let why = block_misfit((before, after), *was, trees.1.root(), rels);
                    diff.add(
                        group,
                        match why {
                            Some(why) => change.not_revertible(why),
                            None => change.revertible(RevertPlan::Splices(vec![splice])),
                        },
                    );
                }
                Some(_) => {}
                None => {
                    let change = Change::new(format!("{noun} {id}"), ChangeKind::Added, noun);
                    let text = note_text(*node);
                    diff.add(group, change.texts(None, Some(&text)).not_revertible("its mark stands in the text"));
                }
            }
        }
        for (id, node) in olds.iter().filter(|(id, _)| !news.iter().any(|(other, _)| other == id)) {
            let change = Change::new(format!("{noun} {id} (removed)"), ChangeKind::Removed, noun);
            let text = note_text(*node);
            diff.add(group, change.texts(Some(&text), None).not_revertible("its mark stood in the text"));
        }
    }
    Ok(())
}

fn changed_note(id: &str, noun: &'static str, old: Node<'_>, new: Node<'_>) -> Change {
    let (before, after) = (note_text(old), note_text(new));
    if before == after {
        return Change::new(id, ChangeKind::Formatted, noun).texts(None, Some(&after));
    }
    Change::new(id, ChangeKind::Changed, noun).texts(Some(&before), Some(&after)).with_words(&before, &after)
}

fn note_text(node: Node<'_>) -> String {
    block_texts(&blocks(node))
}

/// Notes by their numbers; those that only draw lines are left out.
fn note_list<'t>(root: Node<'t>, element: &str) -> Vec<(String, Node<'t>)> {
    let notes = root.elements().filter(|node| node.is(Ns::W, element));
    let own = notes.filter(|node| node.attr("type").is_none_or(|kind| kind == "normal"));
    own.map(|node| (node.attr("id").map(std::borrow::Cow::into_owned).unwrap_or_default(), node)).collect()
}

/// Whether the note that a mark leads to is the same on both sides.
pub(super) fn has_same_note(sides: (&DocumentSide<'_>, &DocumentSide<'_>), mark: Node<'_>) -> bool {
    let wanted = mark.local().trim_end_matches("Reference");
    let Some((_, element, ..)) = KINDS.iter().find(|(_, element, ..)| *element == wanted) else { return false };
    let key = (*element, mark.attr("id").unwrap_or_default().into_owned());
    let before = all_notes(sides.0).get(&key);
    before.is_some() && before == all_notes(sides.1).get(&key)
}

/// All notes of a side in one spelling. Parts that cannot be read have none.
fn all_notes<'s>(side: &'s DocumentSide<'_>) -> &'s HashMap<(&'static str, String), String> {
    side.notes.get_or_init(|| {
        let mut found = HashMap::new();
        for (part, element, ..) in KINDS {
            let Some(Ok(content)) = part(side).map(|name| side.package.xml(name)) else { continue };
            let Ok(tree) = content.tree(side.package.limits()) else { continue };
            let links = Links::of(side.package, &content.name);
            let notes = note_list(tree.root(), element).into_iter();
            found.extend(notes.map(|(id, node)| ((element, id), spelled(node, &links))));
        }
        found
    })
}
