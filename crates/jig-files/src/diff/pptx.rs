//! Compares two presentations, slide by slide and shape by shape.

use std::collections::HashSet;

use jig_ooxml::xml::{Node, Ns, XmlPart};
use jig_ooxml::{Package, PackageError, Relationships};
use serde_json::json;

use super::align::{Step, pair};
use super::change::{Change, ChangeKind, Detail, MarkupSplice, RevertPlan, StructuredDiff, StructuredFormat};
use super::package_parts;
use super::package_parts::{Links, misfit, same, spelled};
use super::words::likeness;

/// One of two presentations.
struct DeckSide<'p> {
    package: &'p Package,
    part: String,
    slides: Vec<Slide>,
}

/// A slide with what is compared of it.
struct Slide {
    id: String,
    part: XmlPart,
    rels: Relationships,
    /// The part with its notes.
    notes: Option<XmlPart>,
    title: String,
    text: String,
}

impl Slide {
    fn read(package: &Package, id: String, part: &str) -> Result<Self, PackageError> {
        let content = package.xml(part)?;
        let rels = Relationships::read(package, part)?;
        let notes =
            rels.first("notesSlide").filter(|name| package.has(name)).map(|name| package.xml(name)).transpose()?;
        let (title, text) = {
            let tree = content.tree(package.limits())?;
            let found = shapes(tree.root());
            let text: Vec<String> = found.iter().map(|shape| shape.text.clone()).collect();
            (title(&found), text.join("\n"))
        };
        Ok(Self { id, part: content, rels, notes, title, text })
    }

    fn notes_text(&self, package: &Package) -> String {
        let Some(notes) = &self.notes else { return String::new() };
        let Ok(tree) = notes.tree(package.limits()) else { return String::new() };
        let body = shapes(tree.root()).into_iter().filter(|shape| shape.is_body);
        body.map(|shape| shape.text).collect::<Vec<_>>().join("\n")
    }
}

impl<'p> DeckSide<'p> {
    fn read(package: &'p Package) -> Result<Self, PackageError> {
        let root = Relationships::read(package, "")?;
        let part = root.first("officeDocument").unwrap_or("ppt/presentation.xml").to_owned();
        let content = package.xml(&part)?;
        let tree = content.tree(package.limits())?;
        let rels = Relationships::read(package, &part)?;
        let mut slides = Vec::new();
        for node in tree.root().child(Ns::P, "sldIdLst").into_iter().flat_map(Node::elements) {
            let id = node.attr("id").map(std::borrow::Cow::into_owned).unwrap_or_default();
            let target = node.attr_ns(Ns::R, "id").and_then(|rel| rels.part(&rel).map(str::to_owned));
            if let Some(target) = target.filter(|target| package.has(target)) {
                slides.push(Slide::read(package, id, &target)?);
            }
        }
        Ok(Self { package, part, slides })
    }
}

/// Compares two presentations.
pub(super) fn compare(old: &Package, new: &Package) -> Result<StructuredDiff, PackageError> {
    let (before, after) = (DeckSide::read(old)?, DeckSide::read(new)?);
    let mut diff = StructuredDiff::new(StructuredFormat::Pptx);
    let matched = matched(&before, &after);
    let moved = moved(&matched);
    for (at, slide) in after.slides.iter().enumerate() {
        let group = titled(at, &slide.title);
        match matched.iter().find(|(_, b)| *b == at) {
            None => {
                let change = Change::new(format!("slide {}", at + 1), ChangeKind::Added, "slide");
                let ops = vec![json!({ "op": "delete_slide", "index": at })];
                let plan = RevertPlan::Ops { rank: 100 + at as u64, ops };
                diff.add(&group, change.texts(None, Some(&slide.text)).revertible(plan));
            }
            Some((a, _)) => {
                if moved.contains(a) {
                    let change = Change::new(format!("slide {} (moved)", at + 1), ChangeKind::Moved, "slide");
                    let place = Detail::new("place", format!("slide {}", a + 1), format!("slide {}", at + 1));
                    let plan = put_behind(&before, &after, &matched, *a, slide.part.name.clone());
                    diff.add(&group, change.detail(place).revertible(plan));
                }
                if let Some(was) = before.slides.get(*a) {
                    slide_pair((&before, was), (&after, slide), at, &group, &mut diff)?;
                }
            }
        }
    }
    for (at, slide) in before.slides.iter().enumerate() {
        if matched.iter().any(|(a, _)| *a == at) {
            continue;
        }
        let change = Change::new(format!("slide {} (removed)", at + 1), ChangeKind::Removed, "slide");
        let plan = put_behind(&before, &after, &matched, at, slide.part.name.clone());
        diff.add(&titled(at, &slide.title), change.texts(Some(&slide.text), None).revertible(plan));
    }
    settings(&before, &after, &mut diff)?;
    let covered = covered(&before, &after);
    package_parts::compare(old, new, &|name| covered(name), &|_| false, &mut diff)?;
    Ok(diff.finish())
}

/// Puts a slide behind the one that it stood behind before.
fn put_behind(
    old: &DeckSide<'_>,
    new: &DeckSide<'_>,
    matched: &[(usize, usize)],
    at: usize,
    part: String,
) -> RevertPlan {
    let known = |place: usize| {
        let same = matched.iter().find(|(a, _)| *a == place).and_then(|(_, b)| new.slides.get(*b));
        // One that is gone too is put back before, under the name it had.
        same.or(old.slides.get(place)).map(|slide| slide.part.name.clone())
    };
    RevertPlan::Slide { part, behind: at.checked_sub(1).and_then(known) }
}

fn titled(at: usize, title: &str) -> String {
    let title: String = title.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(60).collect();
    if title.is_empty() { format!("slide {}", at + 1) } else { format!("slide {} “{title}”", at + 1) }
}

/// Less alike than this, two slides with the same id may be different slides.
const SAME_SLIDE: f64 = 0.4;

/// Slides that are the same: by id, else by what they say. A program that renumbers slides gives the id of one
/// slide to its neighbour, so an id does not count where the texts disagree and the old text stands on another slide.
fn matched(old: &DeckSide<'_>, new: &DeckSide<'_>) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let keeps_id = |slide: &Slide, other: &Slide| {
        let elsewhere = || new.slides.iter().any(|one| one.text == slide.text && one.id != other.id);
        slide.text == other.text || likeness(&slide.text, &other.text) >= SAME_SLIDE || !elsewhere()
    };
    for same_part in [true, false] {
        for (a, slide) in old.slides.iter().enumerate() {
            if found.iter().any(|(known, _)| *known == a) {
                continue;
            }
            let same_id = |other: &Slide| other.id == slide.id && (!same_part || other.part.name == slide.part.name);
            let place = new.slides.iter().position(same_id).filter(|b| !found.iter().any(|(_, known)| known == b));
            if let Some((b, other)) = place.and_then(|b| Some((b, new.slides.get(b)?)))
                && keeps_id(slide, other)
            {
                found.push((a, b));
            }
        }
    }
    let left = |slides: usize, taken: &dyn Fn(usize) -> bool| (0..slides).filter(|at| !taken(*at)).collect::<Vec<_>>();
    let olds = left(old.slides.len(), &|at| found.iter().any(|(a, _)| *a == at));
    let news = left(new.slides.len(), &|at| found.iter().any(|(_, b)| *b == at));
    let text = |side: &DeckSide<'_>, list: &[usize], at: usize| {
        list.get(at).and_then(|at| side.slides.get(*at)).map(|slide| slide.text.clone()).unwrap_or_default()
    };
    // Two slides without words are not the same for that.
    let alike = |i: usize, j: usize| {
        let (a, b) = (text(old, &olds, i), text(new, &news, j));
        if a.trim().is_empty() { 0.0 } else { likeness(&a, &b) - 0.1 }
    };
    for step in pair(olds.len(), news.len(), alike) {
        if let Step::Both(i, j) = step
            && let (Some(a), Some(b)) = (olds.get(i), news.get(j))
        {
            found.push((*a, *b));
        }
    }
    found.sort_unstable_by_key(|(_, b)| *b);
    found
}

/// The fewest old slides that must have moved for the order to be as it is.
fn moved(matched: &[(usize, usize)]) -> HashSet<usize> {
    let order: Vec<(usize, usize)> = matched.iter().enumerate().map(|(at, (a, _))| (at, *a)).collect();
    let kept: HashSet<usize> = super::align::longest_ascending(&order).into_iter().map(|(_, a)| a).collect();
    matched.iter().map(|(a, _)| *a).filter(|a| !kept.contains(a)).collect()
}

fn slide_pair(
    old: (&DeckSide<'_>, &Slide),
    new: (&DeckSide<'_>, &Slide),
    at: usize,
    group: &str,
    diff: &mut StructuredDiff,
) -> Result<(), PackageError> {
    let number = format!("slide {}", at + 1);
    let links = (Links::resolved(old.0.package, &old.1.rels), Links::resolved(new.0.package, &new.1.rels));
    if old.1.part.text != new.1.part.text || links.0 != links.1 {
        let trees = (old.1.part.tree(old.0.package.limits())?, new.1.part.tree(new.0.package.limits())?);
        let context = SlideComparer {
            part: &new.1.part.name,
            rels: (&old.1.rels, &new.1.rels),
            links: (&links.0, &links.1),
            number: &number,
            group,
            into: new_tree(trees.1.root()),
        };
        context.compare(&shapes(trees.0.root()), &shapes(trees.1.root()), diff);
        rest((trees.0.root(), &links.0), (trees.1.root(), &links.1), &number, group, diff);
    }
    let (before, after) = (layout(old.0, &old.1.rels), layout(new.0, &new.1.rels));
    if before != after {
        let change = Change::new(format!("{number}, layout"), ChangeKind::Formatted, "slide layout");
        diff.add(
            group,
            change.detail(Detail::new("layout", before, after)).not_revertible("its placeholders go with it"),
        );
    }
    let (before, after) = (old.1.notes_text(old.0.package), new.1.notes_text(new.0.package));
    if before != after {
        let kind = match (before.is_empty(), after.is_empty()) {
            (true, _) => ChangeKind::Added,
            (_, true) => ChangeKind::Removed,
            _ => ChangeKind::Changed,
        };
        let some = |text: &'_ str| if text.is_empty() { None } else { Some(text.to_owned()) };
        let change = Change::new(format!("{number}, notes"), kind, "notes");
        let change = change.texts(some(&before).as_deref(), some(&after).as_deref()).with_words(&before, &after);
        let op = if before.is_empty() {
            json!({ "op": "set_notes", "index": at, "clear": true })
        } else {
            json!({ "op": "set_notes", "index": at, "text": before })
        };
        let ops = vec![op];
        diff.add(group, change.revertible(RevertPlan::Ops { rank: u64::MAX, ops }));
    }
    Ok(())
}

/// The name of a slide's layout; its part where it has no name.
fn layout(side: &DeckSide<'_>, rels: &Relationships) -> String {
    let Some(part) = rels.first("slideLayout") else { return String::new() };
    let name = || {
        let content = side.package.xml(part).ok()?;
        let tree = content.tree(side.package.limits()).ok()?;
        let name = tree.root().child(Ns::P, "cSld")?.attr("name")?.into_owned();
        (!name.is_empty()).then_some(name)
    };
    name().unwrap_or_else(|| part.to_owned())
}

fn new_tree(root: Node<'_>) -> Node<'_> {
    root.path(Ns::P, &["cSld", "spTree"]).unwrap_or(root)
}

/// Where shapes of a slide are compared.
struct SlideComparer<'c> {
    part: &'c str,
    rels: (&'c Relationships, &'c Relationships),
    links: (&'c Links, &'c Links),
    number: &'c str,
    group: &'c str,
    into: Node<'c>,
}

impl SlideComparer<'_> {
    fn compare(&self, old: &[Shape<'_>], new: &[Shape<'_>], diff: &mut StructuredDiff) {
        let mut behind: Option<usize> = None;
        for shape in new {
            match old.iter().find(|was| was.key == shape.key) {
                Some(was) => self.both(was, shape, diff),
                None => {
                    let change = Change::new(self.id(shape), ChangeKind::Added, shape.noun);
                    let splice = self.splice(shape.node.range(), String::new());
                    let change = change.texts(None, Some(&shape.text)).revertible(RevertPlan::Splices(vec![splice]));
                    diff.add(self.group, change);
                }
            }
        }
        for was in old {
            if let Some(shape) = new.iter().find(|shape| shape.key == was.key) {
                behind = (!shape.inside).then(|| shape.node.range().end).or(behind);
                continue;
            }
            let id = format!("{} (removed)", self.id(was));
            let change = Change::new(id, ChangeKind::Removed, was.noun).texts(Some(&was.text), None);
            let at = behind.unwrap_or(self.into.inner_range().end);
            diff.add(
                self.group,
                if was.inside {
                    change.not_revertible("it stood in a group of shapes")
                } else {
                    self.fitting(change, was, at..at)
                },
            );
        }
    }

    fn both(&self, was: &Shape<'_>, is: &Shape<'_>, diff: &mut StructuredDiff) {
        if same((was.node, self.links.0), (is.node, self.links.1)) {
            return;
        }
        let mut change = if was.text == is.text {
            Change::new(self.id(is), ChangeKind::Formatted, is.noun).texts(None, Some(&is.text))
        } else {
            let change =
                Change::new(self.id(is), ChangeKind::Changed, if is.noun == "shape" { "text" } else { is.noun });
            change.texts(Some(&was.text), Some(&is.text)).with_words(&was.text, &is.text)
        };
        if was.place != is.place {
            change = change.detail(Detail::new("place and size", was.place.as_str(), is.place.as_str()));
        }
        change.details.extend(cell_details(was, is));
        diff.add(self.group, self.fitting(change, was, is.node.range()));
    }

    fn fitting(&self, change: Change, was: &Shape<'_>, range: std::ops::Range<usize>) -> Change {
        match misfit(was.node, self.into, self.rels) {
            Some(why) => change.not_revertible(why),
            None => change.revertible(RevertPlan::Splices(vec![self.splice(range, was.node.source().to_owned())])),
        }
    }

    fn id(&self, shape: &Shape<'_>) -> String {
        format!("{}, {}", self.number, shape.name)
    }

    fn splice(&self, range: std::ops::Range<usize>, markup: String) -> MarkupSplice {
        MarkupSplice { part: self.part.to_owned(), range, markup }
    }
}

/// What is on a slide besides shapes: background, transition, animation, whether it is shown.
fn rest(old: (Node<'_>, &Links), new: (Node<'_>, &Links), number: &str, group: &str, diff: &mut StructuredDiff) {
    let said = |(root, links): (Node<'_>, &Links)| -> Vec<(String, String)> {
        let beside = root.elements().filter(|node| node.local() != "cSld");
        let inside =
            root.child(Ns::P, "cSld").into_iter().flat_map(Node::elements).filter(|node| node.local() != "spTree");
        let shown = root.attr("show").is_some_and(|show| matches!(&*show, "0" | "false"));
        let mut all: Vec<(String, String)> = beside
            .chain(inside)
            .filter(|n| n.local() != "extLst")
            .map(|n| (n.local().to_owned(), spelled(n, links)))
            .filter(|(_, said)| !said.is_empty())
            .collect();
        all.push(("hidden".to_owned(), shown.to_string()));
        all
    };
    let (before, after) = (said(old), said(new));
    if before == after {
        return;
    }
    let find =
        |list: &[(String, String)], name: &str| list.iter().find(|(known, _)| known == name).map(|(_, s)| s.clone());
    let mut names: Vec<&String> = before.iter().chain(&after).map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    let mut change = Change::new(format!("{number}, settings"), ChangeKind::Formatted, "slide");
    for name in names.into_iter().filter(|name| find(&before, name) != find(&after, name)) {
        let word = |side: Option<String>| match side {
            Some(text) if text.starts_with('<') => "as it was set".to_owned(),
            other => other.unwrap_or_else(|| "none".to_owned()),
        };
        change = change.detail(Detail::new(name.as_str(), word(find(&before, name)), "changed"));
    }
    diff.add(group, change.not_revertible("it holds for the whole slide"));
}

/// What holds for the whole presentation.
fn settings(before: &DeckSide<'_>, after: &DeckSide<'_>, diff: &mut StructuredDiff) -> Result<(), PackageError> {
    let size = |side: &DeckSide<'_>| -> Result<String, PackageError> {
        let content = side.package.xml(&side.part)?;
        let tree = content.tree(side.package.limits())?;
        let size = tree.root().child(Ns::P, "sldSz");
        let attr = |name: &str| size.and_then(|node| node.attr(name)).unwrap_or_default().into_owned();
        Ok(format!("{} by {}", attr("cx"), attr("cy")))
    };
    let (old, new) = (size(before)?, size(after)?);
    if old != new {
        let change = Change::new("slide size", ChangeKind::Changed, "slide size").detail(Detail::new("size", old, new));
        diff.add("presentation", change.not_revertible("every slide goes by it"));
    }
    Ok(())
}

fn covered(before: &DeckSide<'_>, after: &DeckSide<'_>) -> impl Fn(&str) -> bool {
    let mut names: Vec<String> = Vec::new();
    for side in [before, after] {
        names.push(side.part.clone());
        for slide in &side.slides {
            names.push(slide.part.name.clone());
            names.extend(slide.notes.as_ref().map(|notes| notes.name.clone()));
        }
    }
    let names: Vec<String> = names.into_iter().map(|name| name.to_ascii_lowercase()).collect();
    // A notes master comes with the first notes.
    move |name: &str| {
        let name = name.trim_start_matches('/').to_ascii_lowercase();
        names.contains(&name) || name.contains("notesmaster") || name.contains("/theme/")
    }
}

/// How deep groups of shapes are read.
const DEEPEST: usize = 16;

/// A shape.
struct Shape<'t> {
    node: Node<'t>,
    /// Its number on the slide with what it is.
    key: (String, String),
    name: String,
    noun: &'static str,
    text: String,
    /// Where it is and how large.
    place: String,
    is_body: bool,
    /// Whether it is in a group of shapes.
    inside: bool,
    is_title: bool,
    cells: Vec<Vec<String>>,
}

/// All shapes in the order they are drawn; those in groups one by one.
fn shapes<'t>(root: Node<'t>) -> Vec<Shape<'t>> {
    let mut found = Vec::new();
    if let Some(tree) = root.path(Ns::P, &["cSld", "spTree"]) {
        walk(tree, 0, &mut found);
    }
    found
}

fn walk<'t>(parent: Node<'t>, depth: usize, found: &mut Vec<Shape<'t>>) {
    for node in parent.elements() {
        let noun = match node.local() {
            "grpSp" if depth < DEEPEST => {
                walk(node, depth + 1, found);
                continue;
            }
            "sp" => "shape",
            "graphicFrame" => {
                let table = node.descendants().any(|inside| inside.is(Ns::A, "tbl"));
                if table { "table" } else { "graphic" }
            }
            "pic" => "picture",
            "cxnSp" => "line",
            _ => continue,
        };
        found.push(shape(node, noun, depth > 0));
    }
}

fn shape<'t>(node: Node<'t>, noun: &'static str, inside: bool) -> Shape<'t> {
    let own = node.elements().next();
    let properties = own.and_then(|own| own.elements().find(|inside| inside.local() == "cNvPr"));
    let attr = |name: &str| properties.and_then(|node| node.attr(name)).unwrap_or_default().into_owned();
    let placeholder = own.and_then(|own| own.descendants().find(|inside| inside.is(Ns::P, "ph")));
    let kind = placeholder.map(|node| node.attr("type").unwrap_or("body".into()).into_owned());
    let cells = cells_of(node);
    let text = if noun == "table" {
        cells.iter().map(|row| row.join(" | ")).collect::<Vec<_>>().join("\n")
    } else {
        text_of(node)
    };
    let name = attr("name");
    Shape {
        node,
        key: (attr("id"), node.local().to_owned()),
        name: if name.is_empty() { format!("shape {}", attr("id")) } else { name },
        noun,
        text,
        place: place(node),
        is_body: kind.as_deref() == Some("body"),
        is_title: matches!(kind.as_deref(), Some("title" | "ctrTitle")),
        inside,
        cells,
    }
}

/// The paragraphs in a node, each on a line.
fn text_of(node: Node<'_>) -> String {
    let paragraphs = node.descendants().filter(|inside| inside.is(Ns::A, "p"));
    let line = |paragraph: Node<'_>| -> String {
        paragraph
            .descendants()
            .filter(|inside| inside.is_element())
            .map(|inside| match inside.local() {
                "t" if inside.ns() == Ns::A => inside.text().into_owned(),
                "br" => "\n".to_owned(),
                _ => String::new(),
            })
            .collect()
    };
    paragraphs.map(line).collect::<Vec<_>>().join("\n")
}

fn cells_of(node: Node<'_>) -> Vec<Vec<String>> {
    let rows = node.descendants().filter(|inside| inside.is(Ns::A, "tr"));
    rows.map(|row| row.children_named(Ns::A, "tc").map(text_of).collect()).collect()
}

fn place(node: Node<'_>) -> String {
    let Some(frame) = node.descendants().find(|inside| inside.is_element() && inside.local() == "xfrm") else {
        return String::new();
    };
    let child = |name: &str| frame.elements().find(|inside| inside.local() == name);
    // In hundredths of a centimetre a place says something to a person.
    let attr = |node: Option<Node<'_>>, name: &str| {
        let value = node.and_then(|node| node.attr(name)?.parse::<f64>().ok()).unwrap_or(0.0);
        format!("{:.2}", value / 360_000.0)
    };
    let (off, ext) = (child("off"), child("ext"));
    format!("{} × {} cm at {}, {}", attr(ext, "cx"), attr(ext, "cy"), attr(off, "x"), attr(off, "y"))
}

/// The words in the title of a slide.
fn title(shapes: &[Shape<'_>]) -> String {
    shapes.iter().find(|shape| shape.is_title).map(|shape| shape.text.clone()).unwrap_or_default()
}

/// Cells of a table that differ, where both have the same rows and columns.
fn cell_details(old: &Shape<'_>, new: &Shape<'_>) -> Vec<Detail> {
    let shape = |shape: &Shape<'_>| shape.cells.iter().map(Vec::len).collect::<Vec<_>>();
    if old.cells.is_empty() || shape(old) != shape(new) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (row, (a, b)) in old.cells.iter().zip(&new.cells).enumerate() {
        for (column, (a, b)) in a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b) {
            found.push(Detail::new(format!("row {}, column {}", row + 1, column + 1), a.as_str(), b.as_str()));
        }
    }
    found
}
