//! Where the parts of a Word document are: always by relationships, never by usual names.

use crate::error::PackageError;
use crate::package::Package;
use crate::relationships::{Relationship, Relationships};

/// The names of a document's parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartNames {
    /// The main part, mostly `word/document.xml`.
    pub document: String,
    /// Styles.
    pub styles: Option<String>,
    /// Lists.
    pub numbering: Option<String>,
    /// Settings.
    pub settings: Option<String>,
    /// The theme, which names fonts.
    pub theme: Option<String>,
    /// Footnotes.
    pub footnotes: Option<String>,
    /// Endnotes.
    pub endnotes: Option<String>,
    /// Comments.
    pub comments: Option<String>,
    /// Headers with the ids of their relationships, in the order these are written.
    pub headers: Vec<RelatedPart>,
    /// Footers likewise.
    pub footers: Vec<RelatedPart>,
    /// All relationships of the main part.
    pub relationships: Relationships,
}

/// A part that the main part refers to by an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedPart {
    /// The id of the relationship.
    pub rel_id: String,
    /// The part's name.
    pub name: String,
}

impl PartNames {
    /// Finds the parts. Those that a relationship names but the package lacks are left out.
    pub fn find(package: &Package) -> Result<Self, PackageError> {
        let document = main_part(package)?;
        let relationships = Relationships::read(package, &document)?;
        let first = |kind: &str| relationships.first(kind).filter(|name| package.has(name)).map(str::to_owned);
        let all = |kind: &str| relationships.of_kind(kind).filter_map(|found| related(package, found)).collect();
        Ok(Self {
            styles: first("styles"),
            numbering: first("numbering"),
            settings: first("settings"),
            theme: first("theme"),
            footnotes: first("footnotes"),
            endnotes: first("endnotes"),
            comments: first("comments"),
            headers: all("header"),
            footers: all("footer"),
            document,
            relationships,
        })
    }

    /// The main part and all others that hold text a person reads in the document: headers, footers,
    /// footnotes, endnotes. Each once.
    pub fn texts(&self) -> Vec<&str> {
        let mut names = vec![self.document.as_str()];
        let related = self.headers.iter().chain(&self.footers).map(|part| part.name.as_str());
        let notes = [self.footnotes.as_deref(), self.endnotes.as_deref()];
        for name in related.chain(notes.into_iter().flatten()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

fn related(package: &Package, found: &Relationship) -> Option<RelatedPart> {
    let name = found.part.as_deref().filter(|name| package.has(name))?;
    Some(RelatedPart { rel_id: found.id.clone(), name: name.to_owned() })
}

/// The main part of a document, which must be one of Word's.
fn main_part(package: &Package) -> Result<String, PackageError> {
    let root = Relationships::read(package, "")?;
    let named = root.first("officeDocument").map(str::to_owned);
    // Some writers get the relationships of the package wrong; the usual name is tried then.
    let name = named.filter(|name| package.has(name)).unwrap_or_else(|| "word/document.xml".to_owned());
    if package.has(&name) && !is_other_kind(&name) {
        return Ok(name);
    }
    let why = if package.has("xl/workbook.xml") || name.starts_with("xl/") {
        "it is an Excel workbook"
    } else if package.has("ppt/presentation.xml") || name.starts_with("ppt/") {
        "it is a PowerPoint presentation"
    } else {
        "it has no main document part"
    };
    Err(PackageError::WrongKind { wanted: "a Word document", why: why.to_owned() })
}

fn is_other_kind(name: &str) -> bool {
    name.starts_with("xl/") || name.starts_with("ppt/")
}
