//! Projection: only these parts of a document, so that a prompt carries what a task needs and no more.

use super::Document;
use super::error::{DocumentError, UnknownPart};
use super::kind::{Kind, PartRule};
use super::part::Part;
use super::resolve::{FoundPart, find_part, unknown};

/// Some parts of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection<'a> {
    /// The document they are of, in the revision they are of.
    pub document: &'a Document,
    /// Those that were asked for, in the document's order, each once.
    pub parts: Vec<&'a Part>,
    /// Those that were asked for, and that the document does not have yet.
    pub unwritten: Vec<&'a PartRule>,
    /// Those that were not asked for.
    pub left_out: Vec<&'a Part>,
}

/// Gives the parts with these names. One that the document cannot have is an error that names all such, each with the
/// nearest names there are.
pub fn project<'a>(
    kind: &'a Kind,
    document: &'a Document,
    names: &[impl AsRef<str>],
) -> Result<Projection<'a>, DocumentError> {
    let mut wanted = Vec::new();
    let mut unwritten: Vec<&PartRule> = Vec::new();
    let mut missing: Vec<UnknownPart> = Vec::new();
    for name in names {
        match find_part(kind, document, name.as_ref()) {
            Ok(FoundPart::Part(part)) => wanted.push(part.id),
            Ok(FoundPart::Unwritten(rule)) if !unwritten.contains(&rule) => unwritten.push(rule),
            Ok(FoundPart::Whole | FoundPart::Unwritten(_)) => {}
            Err(DocumentError::NoSuchPart { .. }) => missing.push(unknown(kind, document, name.as_ref())),
            Err(other) => return Err(other),
        }
    }
    if !missing.is_empty() {
        return Err(DocumentError::NoSuchPart { document: document.address().to_string(), unknown: missing });
    }
    let (parts, left_out) = document.parts.iter().partition(|part| wanted.contains(&part.id));
    Ok(Projection { document, parts, unwritten, left_out })
}
