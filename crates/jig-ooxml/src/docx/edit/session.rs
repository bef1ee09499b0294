//! A list of ops in progress: the package, the main part as it is now, and what there is to report.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use jig_file_api::read::docx::SectionRef;

use crate::docx::blocks::{self, Block};
use crate::docx::parts::PartNames;
use crate::docx::sections::{self, Section, ambiguity};
use crate::docx::styles::Styles;
use crate::edit::{Applied, ApplyOptions, CellChanges, Change, EditError, overlap};
use crate::error::Error;
use crate::limits::Limits;
use crate::package::Package;
use crate::xml::{Node, Splice, Tree, XmlPart};

use super::new;
use super::track::Revisions;

/// What the ops work on.
pub(super) struct Session<'a> {
    pub(super) package: Package,
    pub(super) names: PartNames,
    /// The main part; put into the package at the end.
    document: XmlPart,
    touched: bool,
    styles: Option<Rc<Styles>>,
    revisions: Option<Revisions>,
    pub(super) options: &'a ApplyOptions<'a>,
    /// Whether ops are tracked that do not say it themselves.
    pub(super) track_by_default: bool,
    changes: Vec<Change>,
    warnings: Vec<String>,
}

impl<'a> Session<'a> {
    /// Opens a document, or starts a new one.
    pub(super) fn open(source: Option<Arc<[u8]>>, options: &'a ApplyOptions<'a>) -> Result<Self, Error> {
        let package = match source {
            Some(bytes) => Package::open(bytes, options.limits)?,
            None => new::package(options.limits, options.now)?,
        };
        let names = PartNames::find(&package)?;
        let document = package.xml(&names.document)?;
        let mut session = Self {
            package,
            names,
            document,
            touched: false,
            styles: None,
            revisions: None,
            options,
            track_by_default: false,
            changes: Vec::new(),
            warnings: Vec::new(),
        };
        if session.package.is_signed() {
            session.warn("the document is signed; the edit makes its signature invalid".to_owned());
        }
        Ok(session)
    }

    /// The bounds of the package.
    pub(super) fn limits(&self) -> Limits {
        *self.package.limits()
    }

    /// Adds a warning, each only once.
    pub(super) fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// The section that is meant, with a warning when others have its heading too.
    pub(super) fn find_section(&mut self, body: &Body<'_>, given: &SectionRef, at: &str) -> Result<usize, EditError> {
        let found = sections::find_section(body.sections(), given, at)?;
        if let Some(warning) = ambiguity(body.sections(), given, found) {
            self.warn(format!("{at}: {warning}"));
        }
        Ok(found)
    }

    /// Reports what an op did.
    pub(super) fn report(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// The main part as it is now. Cheap to hold on to while the session is used otherwise.
    pub(super) fn document(&self) -> XmlPart {
        self.document.clone()
    }

    /// Takes over what a splice made of the main part.
    pub(super) fn set_document(&mut self, splice: Splice<'_>) -> Result<(), Error> {
        if !splice.is_empty() {
            self.document.text = splice.finish().map_err(|e| overlap(&self.names.document, &e))?;
            self.touched = true;
        }
        Ok(())
    }

    /// Takes over what a splice made of any part.
    pub(super) fn set_part(&mut self, part: &XmlPart, splice: Splice<'_>) -> Result<(), Error> {
        if part.name == self.document.name {
            return self.set_document(splice);
        }
        if !splice.is_empty() {
            let text = splice.finish().map_err(|e| overlap(&part.name, &e))?;
            let mut changed = part.clone();
            changed.text = text;
            self.package.set_xml(&changed);
        }
        Ok(())
    }

    /// A part that holds text, as it is now.
    pub(super) fn part(&self, name: &str) -> Result<XmlPart, Error> {
        if name == self.document.name || name == self.names.document {
            return Ok(self.document());
        }
        Ok(self.package.xml(name)?)
    }

    /// The document's styles as they are now.
    pub(super) fn styles(&mut self) -> Result<Rc<Styles>, Error> {
        if let Some(styles) = &self.styles {
            return Ok(Rc::clone(styles));
        }
        let part = self.names.styles.as_deref().map(|name| self.package.xml(name)).transpose()?;
        let styles = Rc::new(Styles::read(part.as_ref(), None, self.package.limits())?);
        self.styles = Some(Rc::clone(&styles));
        Ok(styles)
    }

    /// Says that the styles part was changed.
    pub(super) fn forget_styles(&mut self) {
        self.styles = None;
    }

    /// Finds the parts again after one was added.
    pub(super) fn find_parts(&mut self) -> Result<(), Error> {
        self.names = PartNames::find(&self.package)?;
        Ok(())
    }

    /// What gives marks of revisions when an op is tracked, else nothing. Give it back by [`keep`](Self::keep).
    pub(super) fn revisions(&mut self, track: Option<bool>) -> Result<Option<Revisions>, Error> {
        if !track.unwrap_or(self.track_by_default) {
            return Ok(None);
        }
        if self.revisions.is_none() {
            let mut revisions = Revisions::new(self.options.author, self.options.now);
            for name in self.names.texts() {
                let part = self.part(name)?;
                revisions.avoid(&part.tree(self.package.limits())?);
            }
            self.revisions = Some(revisions);
        }
        Ok(self.revisions.clone())
    }

    /// Remembers which numbers of revisions are used up.
    pub(super) fn keep(&mut self, revisions: Option<Revisions>) {
        if revisions.is_some() {
            self.revisions = revisions;
        }
    }

    /// The file with everything in it.
    pub(super) fn finish(mut self) -> Result<Applied, Error> {
        if self.touched {
            self.package.set_xml(&self.document);
        }
        Ok(Applied {
            bytes: self.package.save()?,
            changes: self.changes,
            warnings: self.warnings,
            parts: self.package.changes(),
            stale: Vec::new(),
            created_sheets: Vec::new(),
            cells: CellChanges::default(),
        })
    }
}

/// The body of a parsed main part: its blocks, and the sections they make.
pub(super) struct Body<'t> {
    pub(super) node: Node<'t>,
    pub(super) blocks: Vec<Block<'t>>,
    styles: Rc<Styles>,
    sections: OnceCell<Vec<Section>>,
}

impl<'t> Body<'t> {
    pub(super) fn read(tree: &'t Tree<'t>, part: &str, styles: &Rc<Styles>) -> Result<Self, Error> {
        let node = blocks::body(tree, part)?;
        let blocks = blocks::blocks(node);
        Ok(Self { node, blocks, styles: Rc::clone(styles), sections: OnceCell::new() })
    }

    /// The sections; found when they are asked for, since most ops need none.
    pub(super) fn sections(&self) -> &[Section] {
        self.sections.get_or_init(|| sections::sections(&self.blocks, &self.styles))
    }
}
