//! A slide with what stands behind it: relationships, layout, master, notes.

use crate::error::{Error, PackageError};
use crate::limits::Limits;
use crate::package::Package;
use crate::relationships::Relationships;
use crate::xml::{Node, XmlPart};

use super::shape::{Holders, Shape, shapes};

/// How much of what a slide inherits from is read along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// The slide alone: shapes have the frames they give themselves.
    Slide,
    /// Layout and master too: placeholders have the frames they inherit.
    Behind,
}

/// A slide's parts.
#[derive(Debug, Clone)]
pub(super) struct Page {
    pub(super) slide: XmlPart,
    pub(super) relationships: Relationships,
    behind: Vec<XmlPart>,
}

impl Page {
    /// Reads a slide. A layout or master that cannot be read is left out: the slide has its own text.
    pub(super) fn load(package: &Package, part: &str, depth: Depth) -> Result<Self, PackageError> {
        let slide = package.xml(part)?;
        let relationships = Relationships::read(package, part)?;
        let mut behind = Vec::new();
        if depth == Depth::Behind
            && let Some(layout) = relationships.first("slideLayout")
        {
            behind.extend(package.xml(layout).ok());
            let master = Relationships::read(package, layout).ok();
            behind.extend(master.and_then(|found| package.xml(found.first("slideMaster")?).ok()));
        }
        Ok(Self { slide, relationships, behind })
    }

    /// Gives the root of the slide and its shapes to a function.
    pub(super) fn view<T>(
        &self,
        limits: &Limits,
        look: impl FnOnce(Node<'_>, &[Shape<'_>]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let tree = self.slide.tree(limits)?;
        let behind: Vec<_> = self.behind.iter().filter_map(|part| part.tree(limits).ok()).collect();
        let holders: Vec<Holders<'_>> = behind.iter().map(|tree| Holders::of(tree.root())).collect();
        let shapes = shapes(tree.root(), &holders)?;
        look(tree.root(), &shapes)
    }

    /// The part with the speaker's notes.
    pub(super) fn notes(&self) -> Option<&str> {
        self.relationships.first("notesSlide")
    }
}
