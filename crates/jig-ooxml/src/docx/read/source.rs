//! The parts of a document as they are read.

use std::sync::Arc;

use crate::docx::numbering::Numbering;
use crate::docx::parts::{PartNames, RelatedPart};
use crate::docx::styles::Styles;
use crate::error::{Error, PackageError};
use crate::limits::Limits;
use crate::package::Package;
use crate::threads::Later;
use crate::xml::XmlPart;

/// The texts and tables of a document.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) bytes: Arc<[u8]>,
    pub(super) limits: Limits,
    pub(super) names: PartNames,
    pub(super) document: XmlPart,
    beside: Later<Beside>,
}

/// From so many bytes on, a document is read at the same time as what stands beside it.
const LARGE: u64 = 256 << 10;

/// What a document can do without.
#[derive(Debug)]
pub(super) struct Beside {
    pub(super) styles: Styles,
    pub(super) numbering: Numbering,
    pub(super) footnotes: Option<XmlPart>,
    pub(super) endnotes: Option<XmlPart>,
    pub(super) comments: Option<XmlPart>,
    pub(super) headers: Vec<(RelatedPart, XmlPart)>,
    pub(super) footers: Vec<(RelatedPart, XmlPart)>,
    pub(super) warnings: Vec<String>,
}

impl Source {
    pub(super) fn open(bytes: Arc<[u8]>, limits: Limits) -> Result<Self, Error> {
        let package = Arc::new(Package::open(Arc::clone(&bytes), limits)?);
        let names = PartNames::find(&package)?;
        let large = package.declared_bytes(&names.document).is_some_and(|bytes| bytes >= LARGE);
        let read = {
            let (package, names) = (Arc::clone(&package), names.clone());
            move || Beside::read(&package, &names)
        };
        let beside = if large { Later::begin(read) } else { Later::when_asked(read) };
        let document = package.xml(&names.document)?;
        Ok(Self { bytes, limits, names, document, beside })
    }

    /// What stands beside the document. Ask for it after the document's tree: it is read at the same time.
    pub(super) fn beside(&self) -> &Beside {
        self.beside.get()
    }
}

impl Beside {
    fn read(package: &Package, names: &PartNames) -> Self {
        let mut reader = Reader { package, warnings: Vec::new() };
        let styles = reader.styles(names);
        let numbering = reader.unparsed(names.numbering.as_deref());
        let numbering = Numbering::read(numbering.as_ref(), package.limits());
        let numbering = reader.kept(numbering).unwrap_or_default();
        let [footnotes, endnotes, comments] =
            [&names.footnotes, &names.endnotes, &names.comments].map(|name| reader.part(name.as_deref()));
        let headers = reader.related(&names.headers);
        let footers = reader.related(&names.footers);
        Self { styles, numbering, footnotes, endnotes, comments, headers, footers, warnings: reader.warnings }
    }
}

/// Reads parts that a document can do without; what is damaged is left out with a warning.
struct Reader<'p> {
    package: &'p Package,
    warnings: Vec<String>,
}

impl Reader<'_> {
    /// The styles. A damaged theme must not cost them.
    fn styles(&mut self, names: &PartNames) -> Styles {
        let limits = self.package.limits();
        let theme = self.part(names.theme.as_deref());
        let part = self.unparsed(names.styles.as_deref());
        let styles = Styles::read(part.as_ref(), theme.as_ref(), limits);
        self.kept(styles).unwrap_or_default()
    }

    /// A part that is known to be well-formed, so that later readers need not tell damage from absence.
    fn part(&mut self, name: Option<&str>) -> Option<XmlPart> {
        let part = self.unparsed(name)?;
        let checked = part.tree(self.package.limits()).map(|_| ());
        self.kept(checked)?;
        Some(part)
    }

    fn unparsed(&mut self, name: Option<&str>) -> Option<XmlPart> {
        let part = self.package.xml(name?);
        self.kept(part)
    }

    fn related(&mut self, parts: &[RelatedPart]) -> Vec<(RelatedPart, XmlPart)> {
        parts.iter().filter_map(|part| Some((part.clone(), self.part(Some(&part.name))?))).collect()
    }

    fn kept<T>(&mut self, result: Result<T, PackageError>) -> Option<T> {
        result.map_err(|error| self.warnings.push(format!("left out: {error}"))).ok()
    }
}
