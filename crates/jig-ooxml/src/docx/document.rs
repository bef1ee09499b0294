//! An opened Word document, and the parts it reads from.

use std::sync::{Arc, OnceLock};

use jig_file_api::read::FindQuery;
use jig_file_api::read::docx::{
    DocumentMap, DocumentMatches, DocumentStyles, DocumentText, SectionContent, SectionQuery, TextQuery,
};

use super::numbering::Numbering;
use super::outline::Outline;
use super::parts::{PartNames, RelatedPart};
use super::render::{self, RenderOptions, Rendered};
use super::styles::Styles;
use super::{map, read};
use crate::error::{Error, PackageError};
use crate::limits::Limits;
use crate::package::Package;
use crate::threads::Later;
use crate::xml::{ParsedPart, XmlPart};

/// A Word document opened for reading. It can be read from several threads.
///
/// The main part is parsed once, and its text rendered once, by the first read that needs it.
#[derive(Debug)]
pub struct Document {
    pub(super) bytes: Arc<[u8]>,
    pub(super) limits: Limits,
    pub(super) names: PartNames,
    /// The main part.
    pub(super) main: ParsedPart,
    supporting: Later<SupportingParts>,
    /// The text with all tracked changes accepted.
    rendered: OnceLock<Arc<Rendered>>,
    outline: OnceLock<Arc<Outline>>,
}

/// From this size on, the main part is parsed while another thread reads the supporting parts.
const LARGE: u64 = 256 << 10;

impl Document {
    /// Opens a document. Parts that are damaged but not needed for the text are left out; replies name them in their
    /// warnings.
    pub fn open(bytes: impl Into<Arc<[u8]>>, limits: Limits) -> Result<Self, Error> {
        let bytes = bytes.into();
        let package = Arc::new(Package::open(Arc::clone(&bytes), limits)?);
        let names = PartNames::find(&package)?;
        let large = package.declared_bytes(&names.document).is_some_and(|bytes| bytes >= LARGE);
        let read = {
            let (package, names) = (Arc::clone(&package), names.clone());
            move || SupportingParts::read(&package, &names)
        };
        let supporting = if large { Later::begin(read) } else { Later::when_asked(read) };
        let main = ParsedPart::new(package.xml(&names.document)?);
        let (rendered, outline) = (OnceLock::new(), OnceLock::new());
        Ok(Self { bytes, limits, names, main, supporting, rendered, outline })
    }

    /// The structure: sections, tables, images and counts, without the text.
    pub fn map(&self) -> Result<DocumentMap, Error> {
        map::map(self)
    }

    /// The text of the document, of a section, of some paragraphs, or one chunk of these.
    pub fn text(&self, query: &TextQuery) -> Result<DocumentText, Error> {
        read::text(self, query)
    }

    /// A section with its runs, tables and images.
    pub fn section(&self, query: &SectionQuery) -> Result<SectionContent, Error> {
        read::section(self, query)
    }

    /// The styles and images, which can be copied into another document.
    pub fn styles(&self) -> Result<DocumentStyles, Error> {
        read::styles(self)
    }

    /// Where a text occurs.
    pub fn find(&self, query: &FindQuery) -> Result<DocumentMatches, Error> {
        read::find(self, query)
    }

    /// The parts besides the main one. Parse the main part first: another thread may still be reading these.
    pub(super) fn supporting(&self) -> &SupportingParts {
        self.supporting.get()
    }

    /// The warnings of a reply, which begin with the supporting parts that could not be read.
    pub(super) fn warnings(&self, rendered: &Rendered) -> Vec<String> {
        self.supporting().warnings.iter().chain(&rendered.warnings).cloned().collect()
    }

    /// The text as one view shows it.
    pub(super) fn rendered(&self, options: RenderOptions) -> Result<Arc<Rendered>, Error> {
        if options != RenderOptions::default() {
            return Ok(Arc::new(render::render(self, options)?));
        }
        if let Some(rendered) = self.rendered.get() {
            return Ok(Arc::clone(rendered));
        }
        // Two threads may render at once; the first result is kept for both.
        let rendered = Arc::new(render::render(self, options)?);
        Ok(Arc::clone(self.rendered.get_or_init(|| rendered)))
    }

    /// The blocks and sections of the body.
    pub(super) fn outline(&self) -> Result<Arc<Outline>, Error> {
        if let Some(outline) = self.outline.get() {
            return Ok(Arc::clone(outline));
        }
        let outline = Arc::new(Outline::read(self)?);
        Ok(Arc::clone(self.outline.get_or_init(|| outline)))
    }
}

/// The parts without which a document can still be read.
#[derive(Debug)]
pub(super) struct SupportingParts {
    pub(super) styles: Styles,
    pub(super) numbering: Numbering,
    pub(super) footnotes: Option<ParsedPart>,
    pub(super) endnotes: Option<ParsedPart>,
    pub(super) comments: Option<ParsedPart>,
    pub(super) headers: Vec<(RelatedPart, ParsedPart)>,
    pub(super) footers: Vec<(RelatedPart, ParsedPart)>,
    pub(super) warnings: Vec<String>,
}

impl SupportingParts {
    fn read(package: &Package, names: &PartNames) -> Self {
        let mut reader = PartReader { package, warnings: Vec::new() };
        let styles = reader.styles(names);
        let numbering = reader.unparsed(names.numbering.as_deref());
        let numbering = Numbering::read(numbering.as_ref(), package.limits());
        let numbering = reader.or_warn(numbering).unwrap_or_default();
        let [footnotes, endnotes, comments] =
            [&names.footnotes, &names.endnotes, &names.comments].map(|name| reader.part(name.as_deref()));
        let headers = reader.related(&names.headers);
        let footers = reader.related(&names.footers);
        reader.warnings.extend(package.warnings());
        Self { styles, numbering, footnotes, endnotes, comments, headers, footers, warnings: reader.warnings }
    }
}

/// Reads supporting parts. A damaged one is left out with a warning.
struct PartReader<'p> {
    package: &'p Package,
    warnings: Vec<String>,
}

impl PartReader<'_> {
    /// The styles, even if the theme that names their fonts is damaged.
    fn styles(&mut self, names: &PartNames) -> Styles {
        let limits = self.package.limits();
        let theme = self.part(names.theme.as_deref());
        let part = self.unparsed(names.styles.as_deref());
        // The theme is known to be well-formed.
        let theme = theme.as_ref().and_then(|part| part.tree(limits).ok());
        let tree = part.as_ref().map(|part| part.tree(limits)).transpose();
        let tree = self.or_warn(tree).flatten();
        Styles::of_trees(tree.as_ref(), theme.as_ref())
    }

    /// A part that is known to be well-formed, so that its errors are reported here and not by a later read.
    fn part(&mut self, name: Option<&str>) -> Option<ParsedPart> {
        let part = ParsedPart::new(self.unparsed(name)?);
        let checked = part.tree(self.package.limits()).map(|_| ());
        self.or_warn(checked)?;
        Some(part)
    }

    fn unparsed(&mut self, name: Option<&str>) -> Option<XmlPart> {
        let part = self.package.xml(name?);
        self.or_warn(part)
    }

    fn related(&mut self, parts: &[RelatedPart]) -> Vec<(RelatedPart, ParsedPart)> {
        parts.iter().filter_map(|part| Some((part.clone(), self.part(Some(&part.name))?))).collect()
    }

    fn or_warn<T>(&mut self, result: Result<T, PackageError>) -> Option<T> {
        result.map_err(|error| self.warnings.push(format!("left out: {error}"))).ok()
    }
}
