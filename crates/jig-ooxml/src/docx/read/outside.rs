//! What a document shows beside its text, or holds in parts of its own.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::notes::Comments;
use super::render::{Margin, Options, Renderer};
use super::source::Source;
use crate::docx::blocks::Block;
use crate::docx::parts::RelatedPart;
use crate::docx::word;
use crate::error::Error;
use crate::package::Package;
use crate::relationships::Relationships;
use crate::xml::{Node, Ns, XmlPart};

/// The headers and footers that some page shows, each part once for its kind of pages.
pub(super) fn margins(
    source: &Source,
    found: &[Block<'_>],
    body: Node<'_>,
    options: Options,
    comments: &Comments,
) -> Result<Vec<Margin>, Error> {
    let mut margins: Vec<Margin> = Vec::new();
    let mut seen = HashSet::new();
    for section in page_sections(found, body) {
        for (local, kind, parts) in [
            ("headerReference", "header", &source.beside().headers),
            ("footerReference", "footer", &source.beside().footers),
        ] {
            for reference in section.children_named(Ns::W, local) {
                let Some(part) = referred(reference, parts) else { continue };
                if !seen.insert(part.name.as_str()) {
                    continue;
                }
                let tree = part.tree(&source.limits)?;
                let lines = Renderer::new(source, options, comments).inner_blocks(tree.root());
                let pages = word::attr(reference, "type").unwrap_or_else(|| "default".into()).into_owned();
                margins.push(Margin { kind, pages, part: part.name.clone(), text: lines.join("\n") });
            }
        }
    }
    Ok(margins)
}

/// The `w:sectPr` of a document in order: those that end in a paragraph, then that of the body.
fn page_sections<'t>(found: &[Block<'t>], body: Node<'t>) -> Vec<Node<'t>> {
    let paragraphs = found.iter().filter_map(|block| block.paragraph());
    let inner = paragraphs.filter_map(|paragraph| paragraph.properties()?.child(Ns::W, "sectPr"));
    inner.chain(body.children_named(Ns::W, "sectPr")).collect()
}

fn referred<'s>(reference: Node<'_>, parts: &'s [(RelatedPart, XmlPart)]) -> Option<&'s XmlPart> {
    let id = reference.attr_ns(Ns::R, "id")?;
    parts.iter().find(|(related, _)| related.rel_id == id).map(|(_, part)| part)
}

/// A warning for each file that is embedded as a piece of text: it has a format of its own.
pub(super) fn embedded(body: Node<'_>, relationships: &Relationships) -> Vec<String> {
    let chunks = body.children_named(Ns::W, "altChunk").filter_map(|node| node.attr_ns(Ns::R, "id"));
    let parts = chunks.filter_map(|id| relationships.part(&id).map(str::to_owned));
    parts.map(|part| format!("the embedded file {part} is not read")).collect()
}

/// Texts of charts and SmartArt, which have parts of their own. Each is read once.
#[derive(Debug, Default)]
pub(super) struct Related {
    package: Option<Package>,
    known: HashMap<String, String>,
}

impl Related {
    /// The title of a chart, or nothing.
    pub(super) fn chart_title(&mut self, source: &Source, rel_id: &str) -> String {
        self.text(source, rel_id, |root| {
            let is_title = |node: &Node<'_>| matches!(node.ns(), Ns::C | Ns::Cx) && node.local() == "title";
            root.descendants().find(is_title).map(drawn_text).unwrap_or_default()
        })
    }

    /// The texts of SmartArt.
    pub(super) fn diagram_text(&mut self, source: &Source, rel_id: &str) -> String {
        self.text(source, rel_id, |root| {
            let points = root.descendants().filter(|node| node.is(Ns::Dgm, "t"));
            points.map(drawn_text).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
        })
    }

    fn text(&mut self, source: &Source, rel_id: &str, read: impl Fn(Node<'_>) -> String) -> String {
        if let Some(known) = self.known.get(rel_id) {
            return known.clone();
        }
        let text = self.part(source, rel_id).and_then(|part| Some(read(part.tree(&source.limits).ok()?.root())));
        let text = text.unwrap_or_default();
        self.known.insert(rel_id.to_owned(), text.clone());
        text
    }

    fn part(&mut self, source: &Source, rel_id: &str) -> Option<XmlPart> {
        let name = source.names.relationships.part(rel_id)?;
        if self.package.is_none() {
            self.package = Package::open(Arc::clone(&source.bytes), source.limits).ok();
        }
        self.package.as_ref()?.xml(name).ok()
    }
}

fn drawn_text(node: Node<'_>) -> String {
    node.descendants().filter(|node| node.is(Ns::A, "t")).map(|node| node.text()).collect::<String>().trim().to_owned()
}
