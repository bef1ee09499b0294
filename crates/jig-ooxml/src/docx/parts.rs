//! The parts of a Word document. They are found by relationships, since their names can differ.

use crate::error::{ActualKind, OfficeKind, PackageError};
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
    /// Headers with the ids of their relationships, in the order of the relationships.
    pub headers: Vec<RelatedPart>,
    /// Footers in the same form.
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

    /// The main part and all others with text that readers of the document see: headers, footers,
    /// footnotes and endnotes, each once.
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

/// The main part, which must be that of a Word document.
fn main_part(package: &Package) -> Result<String, PackageError> {
    let root = Relationships::read(package, "")?;
    let named = root.first("officeDocument").map(str::to_owned);
    // Some programs write wrong package relationships; then the usual name is tried.
    let name = named.filter(|name| package.has(name)).unwrap_or_else(|| "word/document.xml".to_owned());
    if package.has(&name) && !is_other_kind(&name) {
        return Ok(name);
    }
    let found = if package.has("xl/workbook.xml") || name.starts_with("xl/") {
        ActualKind::Office(OfficeKind::Workbook)
    } else if package.has("ppt/presentation.xml") || name.starts_with("ppt/") {
        ActualKind::Office(OfficeKind::Presentation)
    } else {
        ActualKind::NoMainPart(OfficeKind::Document)
    };
    Err(PackageError::WrongKind { expected: OfficeKind::Document, found })
}

fn is_other_kind(name: &str) -> bool {
    name.starts_with("xl/") || name.starts_with("ppt/")
}
