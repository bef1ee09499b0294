//! The index of a deck: which slides there are, in which order, and the masters and layouts after them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::error::{ActualKind, Error, OfficeKind, PackageError};
use crate::package::Package;
use crate::relationships::Relationships;
use crate::xml::{Node, Ns};

use super::markup::Dialect;

/// What PowerPoint takes when a deck gives no size: 4:3.
const DEFAULT_SIZE: (i64, i64) = (9_144_000, 6_858_000);

/// The presentation part, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Presentation {
    /// The name of the part.
    pub(super) part: String,
    /// The slides in their order.
    pub(super) slides: Vec<SlideRef>,
    /// Width and height in EMU.
    pub(super) size: (i64, i64),
    /// Named sections of the deck.
    pub(super) sections: Vec<Section>,
    /// The parts of the slide masters.
    pub(super) masters: Vec<String>,
    /// The part of the notes master.
    pub(super) notes_master: Option<String>,
    /// Whether the deck is written in the strict form.
    pub(super) strict: bool,
    /// What is wrong with the index, in words.
    pub(super) warnings: Vec<String>,
}

/// A slide as the presentation names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SlideRef {
    /// Its id in the list of slides.
    pub(super) id: String,
    /// The id of the relationship that leads to it.
    pub(super) relationship: String,
    /// Its part.
    pub(super) part: String,
}

/// A section with the ids of its slides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) slides: Vec<String>,
}

/// A slide layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// Its part.
    pub(super) part: String,
    /// Its name, as people see it.
    pub(super) name: String,
    /// The kind it says it is, such as `obj` or `titleOnly`.
    pub(super) kind: String,
    /// The number of its master.
    pub(super) master: usize,
}

impl Presentation {
    /// Reads the index.
    pub(super) fn read(package: &Package) -> Result<Self, Error> {
        let part = main_part(package)?;
        let content = package.xml(&part)?;
        let tree = content.tree(package.limits())?;
        let root = tree.root();
        if !root.is(Ns::P, "presentation") {
            let found = root.unexpected_root("presentation");
            return Err(PackageError::WrongKind { expected: OfficeKind::Presentation, found }.into());
        }
        let relationships = Relationships::read(package, &part)?;
        let mut presentation = Self {
            slides: Vec::new(),
            size: size(root),
            sections: sections(root),
            masters: targets(root, "sldMasterIdLst", &relationships),
            notes_master: relationships.first("notesMaster").filter(|part| package.has(part)).map(str::to_owned),
            strict: Dialect::of(root).strict,
            warnings: package.warnings(),
            part,
        };
        presentation.masters.retain(|master| package.has(master));
        presentation.list_slides(package, root, &relationships);
        Ok(presentation)
    }

    fn list_slides(&mut self, package: &Package, root: Node<'_>, relationships: &Relationships) {
        let parts: HashMap<&str, &str> = relationships
            .list
            .iter()
            .filter_map(|found| Some((found.id.as_str(), package.spelled(found.part.as_deref()?)?)))
            .collect();
        let mut seen = HashSet::new();
        let (mut lost, mut twice) = (0_usize, 0_usize);
        let list = root.child(Ns::P, "sldIdLst");
        for entry in list.into_iter().flat_map(|list| list.children_named(Ns::P, "sldId")) {
            let relationship = entry.attr_ns(Ns::R, "id").map(Cow::into_owned).unwrap_or_default();
            match parts.get(relationship.as_str()) {
                None => lost += 1,
                // A slide can be shown once; a list that names it again and again is damaged, or hostile.
                Some(part) if !seen.insert(*part) => twice += 1,
                Some(part) => self.slides.push(SlideRef {
                    id: entry.attr("id").map(Cow::into_owned).unwrap_or_default(),
                    part: (*part).to_owned(),
                    relationship,
                }),
            }
        }
        for (count, what) in [(lost, "lead to no slide"), (twice, "name a slide a second time")] {
            if count > 0 {
                self.warnings.push(format!("entries of the list of slides that {what}: {count}"));
            }
        }
    }

    /// All layouts, master by master. One that cannot be read is left out with a warning.
    pub(super) fn layouts(&mut self, package: &Package) -> Vec<Layout> {
        let mut layouts = Vec::new();
        for (number, master) in self.masters.iter().enumerate() {
            let parts = layout_parts(package, master).unwrap_or_else(|error| {
                self.warnings.push(format!("a master cannot be read: {error}"));
                Vec::new()
            });
            for part in parts {
                match Layout::read(package, &part, number) {
                    Ok(layout) => layouts.push(layout),
                    Err(error) => self.warnings.push(format!("a layout cannot be read: {error}")),
                }
            }
        }
        layouts
    }

    /// The folder of the presentation part, with its slash.
    pub(super) fn folder(&self) -> &str {
        self.part.rfind('/').and_then(|at| self.part.get(..=at)).unwrap_or_default()
    }
}

/// The layouts of a master in its order; in that of its relationships when its list is empty.
fn layout_parts(package: &Package, master: &str) -> Result<Vec<String>, PackageError> {
    let relationships = Relationships::read(package, master)?;
    let content = package.xml(master)?;
    let tree = content.tree(package.limits())?;
    let mut parts = targets(tree.root(), "sldLayoutIdLst", &relationships);
    if parts.is_empty() {
        parts = relationships.of_kind("slideLayout").filter_map(|found| found.part.clone()).collect();
    }
    Ok(parts)
}

impl Layout {
    fn read(package: &Package, part: &str, master: usize) -> Result<Self, PackageError> {
        let content = package.xml(part)?;
        let tree = content.tree(package.limits())?;
        let root = tree.root();
        let name = root.child(Ns::P, "cSld").and_then(|slide| slide.attr("name"));
        let kind = root.attr("type").map_or_else(|| "cust".to_owned(), Cow::into_owned);
        let name = name.filter(|name| !name.is_empty()).map_or_else(|| kind.clone(), Cow::into_owned);
        Ok(Self { part: part.to_owned(), name, kind, master })
    }
}

/// The name of the presentation part.
fn main_part(package: &Package) -> Result<String, PackageError> {
    let root = Relationships::read(package, "")?;
    let named = root.first("officeDocument").filter(|part| package.has(part));
    let part = named.or_else(|| package.spelled("ppt/presentation.xml"));
    part.map(str::to_owned).ok_or(PackageError::WrongKind {
        expected: OfficeKind::Presentation,
        found: ActualKind::NoMainPart(OfficeKind::Presentation),
    })
}

/// The parts that a list of ids leads to, in the order of the list.
fn targets(root: Node<'_>, list: &str, relationships: &Relationships) -> Vec<String> {
    let entries = root.child(Ns::P, list).into_iter().flat_map(Node::elements);
    entries.filter_map(|entry| relationships.part(&entry.attr_ns(Ns::R, "id")?).map(str::to_owned)).collect()
}

fn size(root: Node<'_>) -> (i64, i64) {
    let size = root.child(Ns::P, "sldSz");
    let side = |name| size?.attr(name)?.parse().ok().filter(|side: &i64| (1..=100_000_000).contains(side));
    (side("cx").unwrap_or(DEFAULT_SIZE.0), side("cy").unwrap_or(DEFAULT_SIZE.1))
}

fn sections(root: Node<'_>) -> Vec<Section> {
    let list = root.child(Ns::P, "extLst").into_iter().flat_map(Node::descendants);
    list.filter(|node| node.is(Ns::P14, "section"))
        .map(|section| Section {
            name: section.attr("name").map(Cow::into_owned).unwrap_or_default(),
            slides: section
                .descendants()
                .filter(|node| node.is(Ns::P14, "sldId"))
                .filter_map(|node| node.attr("id").map(Cow::into_owned))
                .collect(),
        })
        .collect()
}
