//! Projection: selecting parts of a document, so that a prompt contains only what a task needs.

use super::Document;
use super::error::{DocumentError, UnknownPart};
use super::kind::{Kind, PartRule};
use super::part::Part;
use super::resolve::{FoundPart, find_part, unknown};

/// Selected parts of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection<'a> {
    /// The document.
    pub document: &'a Document,
    /// The requested parts, in document order, without duplicates.
    pub parts: Vec<&'a Part>,
    /// Requested parts that the document does not have yet.
    pub unwritten: Vec<&'a PartRule>,
    /// Parts that were not requested.
    pub left_out: Vec<&'a Part>,
}

/// Selects the parts with these names. Names that the document cannot have are reported in one error, with suggestions
/// for each.
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
