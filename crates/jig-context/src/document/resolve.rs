//! Resolves addresses to documents and parts. Ambiguity is an error that lists the choices; nothing is guessed.

use jig_contract::fold_case;

use super::Document;
use super::address::Address;
use super::error::{DocumentError, UnknownPart};
use super::kind::{Kind, PartRule};
use super::name::{KindName, PartName, shown};
use super::nearest::nearest;
use super::part::Part;

/// A resolved address.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found<'a> {
    /// The document.
    pub document: &'a Document,
    /// The part, or the entire document.
    pub part: FoundPart<'a>,
}

/// The part of a resolved address.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FoundPart<'a> {
    /// The entire document.
    Whole,
    /// An existing part.
    Part(&'a Part),
    /// A part that the kind defines and the document does not have yet.
    Unwritten(&'a PartRule),
}

/// Resolves an address among these documents.
///
/// An address without a key refers to the singleton, or to the only document of its kind. A part is matched by its
/// name, then by its former names, then by either ignoring case.
pub fn resolve<'a>(
    address: &Address,
    kinds: &'a [Kind],
    documents: &'a [Document],
) -> Result<Found<'a>, DocumentError> {
    let kind = kinds.iter().find(|kind| kind.name == address.kind).ok_or_else(|| no_kind(&address.kind, kinds))?;
    let document = find_document(address, documents)?;
    let part = match &address.part {
        None => FoundPart::Whole,
        Some(name) => find_part(kind, document, name.as_str())?,
    };
    Ok(Found { document, part })
}

/// Resolves a name to a part of a document.
pub fn find_part<'a>(kind: &'a Kind, document: &'a Document, name: &str) -> Result<FoundPart<'a>, DocumentError> {
    let rounds: [fn(&Part, &str) -> bool; 4] = [
        |part, name| part.name.as_str() == name,
        |part, name| part.aliases.iter().any(|alias| alias.as_str() == name),
        |part, name| fold_case(part.name.as_str()) == fold_case(name),
        |part, name| part.aliases.iter().any(|alias| fold_case(alias.as_str()) == fold_case(name)),
    ];
    for (round, fits) in rounds.iter().enumerate() {
        let fitting: Vec<&Part> = document.parts.iter().filter(|part| fits(part, name)).collect();
        match fitting.as_slice() {
            [part] => return Ok(FoundPart::Part(part)),
            [] if round == 0 => {
                if let Some(rule) = kind.rule(name) {
                    return Ok(FoundPart::Unwritten(rule));
                }
            }
            [] => {}
            several => {
                let choices = several.iter().map(|part| document.address_of(&part.name).to_string()).collect();
                return Err(DocumentError::Ambiguous { wanted: format!("{}#{name}", document.address()), choices });
            }
        }
    }
    let folded = |rule: &&PartRule| fold_case(rule.name.as_str()) == fold_case(name);
    kind.parts.iter().find(folded).map(FoundPart::Unwritten).ok_or_else(|| DocumentError::NoSuchPart {
        document: document.address().to_string(),
        unknown: vec![unknown(kind, document, name)],
    })
}

/// The error for an unknown part name, with suggestions.
pub(crate) fn unknown(kind: &Kind, document: &Document, name: &str) -> UnknownPart {
    let of_document = document.parts.iter().flat_map(|part| std::iter::once(&part.name).chain(&part.aliases));
    let names = of_document.chain(kind.parts.iter().map(|rule| &rule.name)).map(PartName::as_str);
    UnknownPart { name: shown(name), suggestions: nearest(name, names) }
}

fn find_document<'a>(address: &Address, documents: &'a [Document]) -> Result<&'a Document, DocumentError> {
    let of_kind: Vec<&Document> = documents.iter().filter(|document| document.kind == address.kind).collect();
    if let Some(document) = of_kind.iter().find(|document| document.key == address.key) {
        return Ok(document);
    }
    let wanted = Address { part: None, ..address.clone() }.to_string();
    let addresses: Vec<String> = of_kind.iter().map(|document| document.address().to_string()).collect();
    match of_kind.as_slice() {
        [only] if address.key.is_singleton() => Ok(only),
        [_, ..] if address.key.is_singleton() => Err(DocumentError::Ambiguous { wanted, choices: addresses }),
        _ => {
            let suggestions = nearest(&wanted, addresses.iter().map(String::as_str));
            Err(DocumentError::NoSuchDocument { wanted, suggestions })
        }
    }
}

fn no_kind(wanted: &KindName, kinds: &[Kind]) -> DocumentError {
    let suggestions = nearest(wanted.as_str(), kinds.iter().map(|kind| kind.name.as_str()));
    DocumentError::NoSuchKind { wanted: wanted.to_string(), suggestions }
}
