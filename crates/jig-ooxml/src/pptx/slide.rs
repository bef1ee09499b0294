//! A slide with the parts it depends on: relationships, layout, master, notes.

use crate::error::{Error, PackageError};
use crate::limits::Limits;
use crate::package::Package;
use crate::relationships::Relationships;
use crate::xml::{Node, XmlPart};

use super::shape::{Holders, Shape, flat, shapes};
use super::text::{body_text, one_line};

/// Whether the pages that a slide inherits from are read, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inherited {
    /// No: shapes have only the frames they give themselves.
    Skip,
    /// Layout and master are read: placeholders have the frames they inherit.
    Read,
}

/// A slide's parts.
#[derive(Debug, Clone)]
pub(super) struct Slide {
    pub(super) part: XmlPart,
    pub(super) relationships: Relationships,
    /// Layout and master, the nearer one first.
    behind: Vec<XmlPart>,
}

impl Slide {
    /// Reads a slide. A layout or master that cannot be read is left out: the slide has its own text.
    pub(super) fn load(package: &Package, part: &str, inherited: Inherited) -> Result<Self, PackageError> {
        let content = package.xml(part)?;
        let relationships = Relationships::read(package, part)?;
        let mut behind = Vec::new();
        if inherited == Inherited::Read
            && let Some(layout) = relationships.first("slideLayout")
        {
            behind.extend(package.xml(layout).ok());
            let master = Relationships::read(package, layout).ok();
            behind.extend(master.and_then(|found| package.xml(found.first("slideMaster")?).ok()));
        }
        Ok(Self { part: content, relationships, behind })
    }

    /// Gives the root of the slide and its shapes to a function.
    pub(super) fn view<T>(
        &self,
        limits: &Limits,
        look: impl FnOnce(Node<'_>, &[Shape<'_>]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let tree = self.part.tree(limits)?;
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

/// What a person wrote on a notes page.
pub(super) fn notes_text(shapes: &[Shape<'_>]) -> Option<String> {
    let written = flat(shapes)
        .into_iter()
        .filter(|shape| shape.placeholder().is_none_or(|found| !found.is_furniture() && found.kind != "sldImg"));
    let lines: Vec<String> = written.filter_map(|shape| shape.body()).map(body_text).collect();
    let text = lines.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// The title of a slide on one line.
pub(super) fn title(shapes: &[Shape<'_>]) -> Option<String> {
    let titles = flat(shapes).into_iter().filter(|shape| shape.placeholder().is_some_and(|found| found.is_title()));
    let texts = titles.filter_map(|shape| shape.body()).map(|body| one_line(&body_text(body)));
    texts.into_iter().find(|title| !title.is_empty())
}

/// Whether the slide is left out of the show.
pub(super) fn is_hidden(root: Node<'_>) -> bool {
    root.attr("show").is_some_and(|show| matches!(&*show, "0" | "false"))
}
