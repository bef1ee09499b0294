//! `duplicate_slide`: a slide with charts, notes and embedded files of its own; pictures and media are shared.

use std::collections::HashMap;

use jig_file_api::ops::pptx::DuplicateSlide;

use super::{Editor, order};
use crate::content_types::ContentTypes;
use crate::edit::{Change, OpInput};
use crate::error::Error;
use crate::package::Package;
use crate::pptx::template::free_part;
use crate::relationships::{Relationship, Relationships, relative, rels_name};
use crate::xml::{Node, Ns, Splice, XmlPart};

pub(super) fn duplicate_slide(
    editor: &mut Editor<'_>,
    input: &OpInput,
    fields: &DuplicateSlide,
) -> Result<Change, Error> {
    let (index, slide) = editor.slide(input, "index", fields.index)?;
    let count = editor.presentation.slides.len();
    let to = fields.to.unwrap_or(index + 1);
    if to > count {
        let why = format!("the copy can be put at 0 to {count}, not at {to}");
        return Err(input.error("to", why).suggest([count.to_string()]).into());
    }
    let mut copying = Copying::default();
    let part = copying.copy(&mut editor.package, &slide.part)?;
    if !copying.dropped.is_empty() {
        editor.warn(&input.at(""), "comments were not copied");
    }
    make_its_own(editor, &part, &copying.dropped)?;
    order::insert(editor, to, &part)?;
    let summary = format!("Duplicated slide {index} as slide {to}.");
    Ok(Change::new(input, summary).with("from", index).with("slide_index", to))
}

/// What happens to the target of a relationship of a copied part.
enum Fate {
    Shared,
    Copied,
    Dropped,
}

fn fate(relationship: &Relationship) -> Fate {
    match relationship.kind.as_str() {
        "comments" => Fate::Dropped,
        "image" | "media" | "video" | "audio" | "font" | "hyperlink" | "slide" | "slideLayout" | "slideMaster"
        | "notesMaster" | "theme" | "customXml" => Fate::Shared,
        _ => Fate::Copied,
    }
}

#[derive(Default)]
struct Copying {
    /// The copy of each part.
    copies: HashMap<String, String>,
    /// Parts whose relationships are still to be written.
    open: Vec<String>,
    /// The ids of relationships to comments, which are not copied.
    dropped: Vec<String>,
}

impl Copying {
    /// Copies a part and whatever belongs to it alone.
    fn copy(&mut self, package: &mut Package, part: &str) -> Result<String, Error> {
        let copy = self.name(package, part)?;
        while let Some(old) = self.open.pop() {
            self.relationships(package, &old)?;
        }
        Ok(copy)
    }

    /// The name of a part's copy; the part is copied when it was not yet.
    fn name(&mut self, package: &mut Package, part: &str) -> Result<String, Error> {
        if let Some(copy) = self.copies.get(part) {
            return Ok(copy.clone());
        }
        let copy = free_part(package, &pattern(part));
        let bytes = package.read(part)?;
        package.set(&copy, &bytes);
        let types = ContentTypes::read(package)?;
        if let Some(kind) = types.of(part) {
            ContentTypes::add(package, &copy, kind)?;
        }
        self.copies.insert(part.to_owned(), copy.clone());
        self.open.push(part.to_owned());
        Ok(copy)
    }

    fn relationships(&mut self, package: &mut Package, old: &str) -> Result<(), Error> {
        let Some(new) = self.copies.get(old).cloned() else { return Ok(()) };
        if !package.has(&rels_name(old)) {
            return Ok(());
        }
        let mut targets = HashMap::new();
        for relationship in Relationships::read(package, old)?.list {
            let part = relationship.part.as_deref().and_then(|part| package.spelled(part)).map(str::to_owned);
            match (fate(&relationship), part) {
                (Fate::Dropped, _) => {
                    self.dropped.push(relationship.id.clone());
                    targets.insert(relationship.id, None);
                }
                (Fate::Shared, Some(part)) => {
                    // A slide that links to itself, and notes that lead back to their slide.
                    if let Some(copy) = self.copies.get(&part) {
                        targets.insert(relationship.id, Some(relative(&new, copy)));
                    }
                }
                (Fate::Copied, Some(part)) => {
                    let copy = self.name(package, &part)?;
                    targets.insert(relationship.id, Some(relative(&new, &copy)));
                }
                (_, None) => {}
            }
        }
        let mut content = package.xml(&rels_name(old))?;
        content.text = retargeted(package, &content, &targets)?;
        content.name = rels_name(&new);
        package.set_xml(&content);
        Ok(())
    }
}

/// Relationships with other targets; those without a new one go.
pub(super) fn retargeted(
    package: &Package,
    content: &XmlPart,
    targets: &HashMap<String, Option<String>>,
) -> Result<String, Error> {
    let tree = content.tree(package.limits())?;
    let mut splice = Splice::new(&content.text);
    for node in tree.root().elements() {
        match node.attr("Id").and_then(|id| targets.get(&*id)) {
            Some(Some(target)) => splice.set_attr(node, "Target", target),
            Some(None) => splice.remove(node),
            None => {}
        }
    }
    splice.finish().map_err(|error| crate::edit::overlap(&content.name, &error))
}

/// The pattern of a part's name: its number is free.
pub(super) fn pattern(part: &str) -> String {
    let (stem, extension) = match part.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains('/') => (stem, format!(".{extension}")),
        _ => (part, String::new()),
    };
    let base = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    format!("{}{{}}{extension}", base.replace(['{', '}'], "_"))
}

/// A slide carries a number by which programs know it again: the copy needs one of its own. And it may
/// name comments that it does not have.
fn make_its_own(editor: &mut Editor<'_>, part: &str, dropped: &[String]) -> Result<(), Error> {
    let salt = (editor.presentation.slides.len() as u32).wrapping_add(1).wrapping_mul(0x9E37_79B1);
    editor.edit_part(part, |root, splice| {
        let slide = root.child(Ns::P, "cSld").and_then(|slide| slide.child(Ns::P, "extLst"));
        let extensions = slide.into_iter().chain(root.child(Ns::P, "extLst")).flat_map(Node::elements);
        for extension in extensions {
            let names_comments = |node: Node<'_>| {
                node.is_element()
                    && node.attr_ns(Ns::R, "id").is_some_and(|id| dropped.iter().any(|known| *known == id))
            };
            if extension.descendants().any(names_comments) {
                splice.remove(extension);
                continue;
            }
            for id in extension.descendants().filter(|node| node.is(Ns::P14, "creationId")) {
                let old: u32 = id.attr("val").and_then(|value| value.parse().ok()).unwrap_or(0);
                splice.set_attr(id, "val", &(old ^ salt).max(1).to_string());
            }
        }
        Ok(())
    })
}
