//! Copies a part from one deck into another with everything it refers to. The same image is stored once.

use std::collections::HashMap;

use crate::content_types::ContentTypes;
use crate::edit::EditError;
use crate::error::{DeckIssue, Error};
use crate::package::Package;
use crate::pptx::edit::images::store;
use crate::pptx::edit::slides::{name_pattern, retargeted};
use crate::pptx::template::free_part;
use crate::relationships::{Relationship, Relationships, relative, rels_name};

/// A transfer between two packages. Each part is copied only once.
pub(super) struct Transfer<'s> {
    source: &'s Package,
    /// The folder of the target's presentation part, with its slash.
    folder: String,
    /// The path for messages.
    at: String,
    copies: HashMap<String, String>,
    /// Parts whose relationships are still to be written.
    open: Vec<String>,
    /// New parts.
    pub(super) added: Vec<String>,
}

impl<'s> Transfer<'s> {
    pub(super) fn new(source: &'s Package, folder: &str, at: String) -> Self {
        let (copies, open, added) = (HashMap::new(), Vec::new(), Vec::new());
        Self { source, folder: folder.to_owned(), at, copies, open, added }
    }

    /// References to a part of the source lead to this part of the target.
    pub(super) fn map(&mut self, part: &str, target: &str) {
        self.copies.insert(part.to_owned(), target.to_owned());
    }

    /// Copies a part. Relationships of the kind `without` are left out in it.
    pub(super) fn copy(&mut self, to: &mut Package, part: &str, without: Option<&str>) -> Result<String, Error> {
        let copy = self.name(to, part)?;
        while let Some(old) = self.open.pop() {
            self.relationships(to, &old, without)?;
        }
        Ok(copy)
    }

    fn name(&mut self, to: &mut Package, part: &str) -> Result<String, Error> {
        if let Some(copy) = self.copies.get(part) {
            return Ok(copy.clone());
        }
        let copy = free_part(to, &name_pattern(part));
        to.set(&copy, &self.source.read(part)?);
        if let Some(kind) = ContentTypes::read(self.source)?.of(part) {
            ContentTypes::add(to, &copy, kind)?;
        }
        self.copies.insert(part.to_owned(), copy.clone());
        self.added.push(copy.clone());
        self.open.push(part.to_owned());
        Ok(copy)
    }

    fn relationships(&mut self, to: &mut Package, old: &str, without: Option<&str>) -> Result<(), Error> {
        let Some(new) = self.copies.get(old).cloned() else { return Ok(()) };
        if !self.source.has(&rels_name(old)) {
            return Ok(());
        }
        let mut targets = HashMap::new();
        for relationship in Relationships::read(self.source, old)?.list {
            if without == Some(relationship.kind.as_str()) {
                targets.insert(relationship.id, None);
                continue;
            }
            let part = relationship.part.as_deref().and_then(|part| self.source.spelled(part)).map(str::to_owned);
            if let Some(part) = part {
                let copy = self.target(to, &relationship, &part)?;
                targets.insert(relationship.id, Some(relative(&new, &copy)));
            }
        }
        let mut content = self.source.xml(&rels_name(old))?;
        content.text = retargeted(self.source, &content, &targets)?;
        content.name = rels_name(&new);
        to.set_xml(&content);
        Ok(())
    }

    fn target(&mut self, to: &mut Package, relationship: &Relationship, part: &str) -> Result<String, Error> {
        match relationship.kind.as_str() {
            "image" if !self.copies.contains_key(part) => {
                let bytes = self.source.read(part)?;
                let extension = part.rsplit_once('.').map_or("bin", |(_, extension)| extension).to_ascii_lowercase();
                let types = ContentTypes::read(self.source)?;
                let kind = types.of(part).unwrap_or("application/octet-stream");
                let known = to.names().count();
                let copy = store(to, &self.folder, &bytes, &extension, kind)?;
                if to.names().count() > known {
                    self.added.push(copy.clone());
                }
                self.map(part, &copy);
                Ok(copy)
            }
            "slide" | "notesSlide" => {
                let issue = DeckIssue::LinksToSlide { part: part.to_owned() };
                Err(EditError::new(self.at.as_str(), issue).into())
            }
            _ => self.name(to, part),
        }
    }
}
