//! Finding the style that an op names, and adding a built-in one that the document lacks.

use crate::content_types::ContentTypes;
use crate::docx::styles::{StyleKind, Styles};
use crate::error::Error;
use crate::relationships::Relationships;
use crate::xml::{Ns, Splice, XmlPart};

use super::builtin::{Builtin, List};
use super::markup::Dialect;
use super::session::Session;

const STYLES_TYPE: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml";
const NUMBERING_TYPE: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml";

impl Session<'_> {
    /// The id of a paragraph style; none for the default style, which needs no mention.
    pub(super) fn paragraph_style(&mut self, given: &str, at: &str) -> Result<Option<String>, Error> {
        let id = self.style(StyleKind::Paragraph, given, at)?;
        let styles = self.styles()?;
        Ok(id.filter(|id| styles.default_paragraph().is_none_or(|default| default.id != *id)))
    }

    /// The id of a style. One that Word has built in is added when the document lacks it; any other
    /// that is not there is skipped with a warning.
    pub(super) fn style(&mut self, kind: StyleKind, given: &str, at: &str) -> Result<Option<String>, Error> {
        let styles = self.styles()?;
        if let Some(style) = styles.find(kind, given) {
            return Ok(Some(style.id.clone()));
        }
        // The default style of a document that calls it otherwise, or has no styles at all.
        let plain = given.trim().to_lowercase();
        if matches!((kind, plain.as_str()), (StyleKind::Paragraph, "normal" | "standard" | "default") | (_, "")) {
            return Ok(None);
        }
        if let Some(builtin) = Builtin::find(kind, given) {
            return self.add_builtin(builtin, &styles).map(Some);
        }
        let near = styles.near(kind, given);
        let near = if near.is_empty() { String::new() } else { format!("; near are {}", near.join(", ")) };
        self.warn(format!("{at}: there is no style `{given}`, the default style was used{near}"));
        Ok(None)
    }

    fn add_builtin(&mut self, builtin: &Builtin, styles: &Styles) -> Result<String, Error> {
        let list = builtin.list.map(|list| self.add_list(list)).transpose()?;
        let part = self.styles_part()?;
        let limits = self.limits();
        let tree = part.tree(&limits)?;
        let dialect = Dialect::of(&tree);
        let id = free_style_id(styles, builtin.id);
        let normal = styles.default_paragraph().map(|style| style.id.as_str());
        let mut splice = Splice::new(&part.text);
        splice.append(tree.root(), builtin.markup(&id, normal, list, &dialect));
        self.set_part(&part, splice)?;
        self.forget_styles();
        Ok(id)
    }

    /// The styles part; an empty one is added when there is none.
    pub(super) fn styles_part(&mut self) -> Result<XmlPart, Error> {
        if let Some(name) = self.names.styles.clone() {
            return Ok(self.package.xml(&name)?);
        }
        self.add_part("styles", STYLES_TYPE)
    }

    /// The part with the lists; an empty one is added when there is none.
    pub(super) fn numbering_part(&mut self) -> Result<XmlPart, Error> {
        if let Some(name) = self.names.numbering.clone() {
            return Ok(self.package.xml(&name)?);
        }
        self.add_part("numbering", NUMBERING_TYPE)
    }

    fn add_part(&mut self, kind: &str, content_type: &str) -> Result<XmlPart, Error> {
        let document = self.document();
        let strict = Dialect::of(&document.tree(&self.limits())?).strict;
        let uri = if strict { "http://purl.oclc.org/ooxml/wordprocessingml/main" } else { Ns::W.uri() };
        let folder = self.names.document.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let usual = format!("{folder}{kind}.xml");
        let name =
            if self.package.has(&usual) { self.package.free_name(&format!("{folder}{kind}{{}}.xml")) } else { usual };
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
        let part = XmlPart::new(name.as_str(), format!("{head}<w:{kind} xmlns:w=\"{uri}\"></w:{kind}>"));
        self.package.set_xml(&part);
        ContentTypes::add(&mut self.package, &name, content_type)?;
        let document = self.names.document.clone();
        Relationships::add(&mut self.package, &document, kind, &name)?;
        self.find_parts()?;
        Ok(part)
    }

    /// Adds a list and gives its number.
    fn add_list(&mut self, list: List) -> Result<u32, Error> {
        let part = self.numbering_part()?;
        let limits = self.limits();
        let tree = part.tree(&limits)?;
        let dialect = Dialect::of(&tree);
        let root = tree.root();
        let definition = next_number(root.children_named(Ns::W, "abstractNum"), "abstractNumId", 0);
        let number = next_number(root.children_named(Ns::W, "num"), "numId", 1);
        let mut splice = Splice::new(&part.text);
        insert_list(
            &mut splice,
            root,
            &list.definition(definition, &dialect),
            &List::instance(number, definition, &dialect),
        );
        self.set_part(&part, splice)?;
        Ok(number)
    }
}

/// Puts a definition behind the other definitions and a list behind the other lists.
pub(super) fn insert_list(splice: &mut Splice<'_>, root: crate::xml::Node<'_>, definition: &str, list: &str) {
    let last = |names: &[&str]| root.elements().filter(|node| names.contains(&node.local())).last();
    match last(&["abstractNum", "numPicBullet"]) {
        Some(node) => splice.after(node, definition),
        None => splice.prepend(root, definition),
    }
    match last(&["num"]) {
        Some(node) => splice.after(node, list),
        None => match last(&["abstractNum", "numPicBullet"]) {
            Some(node) => splice.after(node, list),
            None => splice.prepend(root, list),
        },
    }
}

/// The number after the largest that is used.
pub(super) fn next_number<'t>(nodes: impl Iterator<Item = crate::xml::Node<'t>>, attribute: &str, least: u32) -> u32 {
    let used = nodes.filter_map(|node| node.attr(attribute)?.parse::<u32>().ok()).max();
    used.map_or(least, |used| used.saturating_add(1)).max(least)
}

/// An id like the wanted one that no style has.
pub(super) fn free_style_id(styles: &Styles, wanted: &str) -> String {
    let taken = |id: &str| styles.iter().any(|style| style.id.eq_ignore_ascii_case(id));
    if !taken(wanted) {
        return wanted.to_owned();
    }
    let numbers = (1_u32..).map(|number| format!("{wanted}{number}"));
    numbers.into_iter().find(|id| !taken(id)).unwrap_or_else(|| wanted.to_owned())
}
