//! New parts of a document with their content type and relationship, and declarations that new markup needs in a part.

use std::rc::Rc;

use super::DocumentEdit;
use super::markup::Dialect;
use crate::content_types::ContentTypes;
use crate::error::Error;
use crate::relationships::{Mode, Relationships, relative};
use crate::xml::{Node, Ns, ParsedPart, Splice, XmlPart};

/// The start of every new part.
const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const MC: &str = "http://schemas.openxmlformats.org/markup-compatibility/2006";
pub(super) const W14: &str = "http://schemas.microsoft.com/office/word/2010/wordml";
pub(super) const W15: &str = "http://schemas.microsoft.com/office/word/2012/wordml";

/// The type of a relationship.
#[derive(Debug, Clone, Copy)]
pub(super) enum RelationshipType {
    /// The last segment of a type of the standard.
    Standard(&'static str),
    /// A complete address.
    Extension(&'static str),
}

impl DocumentEdit<'_> {
    /// Whether the document uses the strict namespaces.
    pub(super) fn is_strict(&self) -> Result<bool, Error> {
        Ok(Dialect::of(&self.main.tree(&self.limits())?).strict)
    }

    /// The namespace of Word in this document.
    pub(super) fn word_namespace(&self) -> Result<&'static str, Error> {
        Ok(if self.is_strict()? { "http://purl.oclc.org/ooxml/wordprocessingml/main" } else { Ns::W.uri() })
    }

    /// The namespace of references to relationships in this document.
    pub(super) fn relationship_namespace(&self) -> Result<&'static str, Error> {
        let strict = "http://purl.oclc.org/ooxml/officeDocument/relationships";
        Ok(if self.is_strict()? { strict } else { Ns::R.uri() })
    }

    /// Adds a part next to the main one; returns its name and the id of its relationship. `base` is its file name without
    /// extension; with `{}` it is always numbered.
    pub(super) fn create_part(
        &mut self,
        relationship: RelationshipType,
        base: &str,
        content_type: &str,
        content: &str,
    ) -> Result<(String, String), Error> {
        let document = self.names.document.clone();
        let folder = document.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let usual = format!("{folder}{base}.xml");
        let name = match base.contains("{}") || self.package.has(&usual) {
            true if base.contains("{}") => self.package.free_name(&usual),
            true => self.package.free_name(&format!("{folder}{base}{{}}.xml")),
            false => usual,
        };
        self.package.set_xml(&XmlPart::new(name.as_str(), format!("{HEAD}{content}")));
        ContentTypes::add(&mut self.package, &name, content_type)?;
        let id = match relationship {
            RelationshipType::Standard(kind) => Relationships::add(&mut self.package, &document, kind, &name)?,
            RelationshipType::Extension(uri) => {
                let target = relative(&document, &name);
                Relationships::add_raw(&mut self.package, &document, uri, &target, Mode::Internal)?
            }
        };
        self.find_parts()?;
        Ok((name, id))
    }

    /// A part that the main one refers to by the last segment of a relationship's type.
    pub(super) fn related_part(&self, kind: &str) -> Option<String> {
        self.names.relationships.first(kind).filter(|name| self.package.has(name)).map(str::to_owned)
    }

    /// The settings part; a document without one gets an empty one.
    pub(super) fn settings_part(&mut self) -> Result<Rc<ParsedPart>, Error> {
        let name = match self.names.settings.clone() {
            Some(name) => name,
            None => {
                let content = format!("<w:settings xmlns:w=\"{}\"></w:settings>", self.word_namespace()?);
                let kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.settings+xml";
                self.create_part(RelationshipType::Standard("settings"), "settings", kind, &content)?.0
            }
        };
        self.part(&name)
    }
}

/// The prefix (with its colon) of an extension namespace at the root of a part. One that is not declared is declared and
/// marked as ignorable, so that programs without it skip its attributes.
pub(super) fn extension_prefix(splice: &mut Splice<'_>, root: Node<'_>, wanted: &str, uri: &str) -> String {
    let ns = Ns::of(uri);
    if ns != Ns::Other
        && let Some(known) = root.attr_prefix_for(ns)
    {
        return known;
    }
    let numbered = (1_u32..).map(|number| format!("{wanted}x{number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    let prefix = names.find(|name| root.namespace_of(name).is_none()).unwrap_or_else(|| wanted.to_owned());
    splice.set_attr(root, &format!("xmlns:{prefix}"), uri);
    let mc = root.attr_prefix_for(Ns::Mc).unwrap_or_else(|| {
        splice.set_attr(root, "xmlns:mc", MC);
        "mc:".to_owned()
    });
    let known = root.attr_ns(Ns::Mc, "Ignorable").unwrap_or_default();
    let all = format!("{known} {prefix}");
    splice.set_attr(root, &format!("{mc}Ignorable"), all.trim());
    format!("{prefix}:")
}
