//! The XML of a document, out of its package or as the whole file.

use std::collections::HashMap;
use std::sync::Arc;

use jig_ooxml::xml::{Node, Tree, XmlPart};
use jig_ooxml::{Limits, Package, PackageError};

use super::namespaces::{MANIFEST, OFFICE, vocabulary};
use crate::engine::{FileError, Reason};

/// The parts that are read.
pub(super) struct Source {
    /// What holds the body; of a flat file everything.
    pub(super) content: XmlPart,
    /// Styles, headers and footers; none in a flat file, which has them in the same part as the body.
    pub(super) styles: Option<XmlPart>,
    /// What sort of object a path is, such as a chart.
    pub(super) objects: HashMap<String, String>,
    pub(super) limits: Limits,
}

const MANIFEST_PART: &str = "META-INF/manifest.xml";

impl Source {
    pub(super) fn open(bytes: Arc<[u8]>, limits: Limits) -> Result<Self, FileError> {
        if is_xml(&bytes) {
            let content = XmlPart::decode("the file", bytes.to_vec())?;
            return Ok(Self { content, styles: None, objects: HashMap::new(), limits });
        }
        let package = Package::open(bytes, limits)?;
        check_kind(&package)?;
        let objects = manifest(&package)?;
        let content = package.xml("content.xml")?;
        let styles = if package.has("styles.xml") { Some(package.xml("styles.xml")?) } else { None };
        Ok(Self { content, styles, objects, limits })
    }

    /// The content as a tree.
    pub(super) fn tree(&self) -> Result<Tree<'_>, FileError> {
        Ok(self.content.tree_with(&self.limits, vocabulary)?)
    }

    /// The styles as a tree, where they are a part of their own.
    pub(super) fn styles_tree(&self) -> Result<Option<Tree<'_>>, FileError> {
        Ok(self.styles.as_ref().map(|part| part.tree_with(&self.limits, vocabulary)).transpose()?)
    }
}

fn is_xml(bytes: &[u8]) -> bool {
    let head = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    head.trim_ascii_start().starts_with(b"<") || head.starts_with(b"\xff\xfe<\0") || head.starts_with(b"\xfe\xff\0<")
}

/// The package must say that it is a text, or at least not say otherwise.
fn check_kind(package: &Package) -> Result<(), FileError> {
    const TEXT: &str = "application/vnd.oasis.opendocument.text";
    if !package.has("mimetype") {
        let other = package.has("[Content_Types].xml") || !package.has("content.xml");
        return if other { Err(wrong("it has no `mimetype` of one")) } else { Ok(()) };
    }
    let kind = package.read("mimetype")?;
    let kind = String::from_utf8_lossy(&kind);
    let kind = kind.trim();
    if kind == TEXT || kind.strip_prefix(TEXT).is_some_and(|rest| rest.starts_with('-')) {
        return Ok(());
    }
    Err(wrong(&format!("it says it is {}", kind.chars().take(100).collect::<String>())))
}

fn wrong(why: &str) -> FileError {
    FileError::new(Reason::WrongKind, format!("the file is not an OpenDocument text: {why}"))
}

/// What sort each object is. A content that is encrypted is refused.
fn manifest(package: &Package) -> Result<HashMap<String, String>, FileError> {
    if !package.has(MANIFEST_PART) {
        return Ok(HashMap::new());
    }
    let part = package.xml(MANIFEST_PART)?;
    // Some programs write a document type here. The list is of use but not needed, so one that cannot be read is
    // passed over; an encrypted content would then not be XML.
    let Ok(tree) = part.tree_with(package.limits(), vocabulary) else { return Ok(HashMap::new()) };
    let mut objects = HashMap::new();
    for entry in tree.root().children_named(MANIFEST, "file-entry") {
        let attr = |local| entry.attr_ns(MANIFEST, local).unwrap_or_default();
        let path = attr("full-path");
        if entry.child(MANIFEST, "encryption-data").is_some() || path == "encrypted-package" {
            return Err(PackageError::Encrypted.into());
        }
        objects.insert(path.trim_end_matches('/').to_owned(), attr("media-type").into_owned());
    }
    Ok(objects)
}

/// `office:body/office:text` of a document.
pub(super) fn body<'t>(tree: &'t Tree<'t>) -> Result<Node<'t>, FileError> {
    let root = tree.root();
    let document = root.is(OFFICE, "document-content") || root.is(OFFICE, "document");
    if !document {
        return Err(wrong(&format!(
            "its XML begins with <{}>",
            root.qualified().chars().take(100).collect::<String>()
        )));
    }
    let text = root.path(OFFICE, &["body", "text"]);
    text.ok_or_else(|| wrong("it has no body of text"))
}
