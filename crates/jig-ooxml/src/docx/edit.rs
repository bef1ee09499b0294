//! Editing Word documents by a list of ops. Nothing else in the file changes.
//!
//! A [`DocumentEdit`] holds the package and the main part while the ops are applied. Each op reads the parsed main part,
//! collects its changes in a [`Splice`] and returns it; the part is parsed again only after it has changed.

mod anchor;
mod blocks;
mod children;
mod comments;
mod content_controls;
mod copy_assets;
mod define_styles;
mod fields;
mod images;
mod links;
mod lists;
mod markup;
mod new;
mod new_paragraph;
mod new_part;
mod pages;
mod paragraphs;
mod position;
mod replace_text;
mod resolve_changes;
mod revisions;
mod sections;
mod styles;
mod table_structure;
mod tables;
mod templates;

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use jig_file_api::ops::docx::DocxOp;
use jig_file_api::read::docx::SectionRef;
use serde_json::Value;

use self::links::Note;
use self::pages::Margin;
use self::revisions::Revisions;
use super::blocks::{Block, blocks as blocks_in, body};
use super::parts::PartNames;
use super::sections::{Section, ambiguity, find_section, sections as sections_in};
use super::styles::Styles;
use crate::edit::{Applied, ApplyOptions, CellChanges, EditError, OpInput, OpReport, read_ops, with_signature};
use crate::error::{DocumentIssue, Error, InternalError};
use crate::limits::Limits;
use crate::package::Package;
use crate::parsed_parts::ParsedParts;
use crate::xml::{Node, ParsedPart, Splice, Tree};

pub(super) use comments::extension_attr;
pub use copy_assets::copy_assets;

/// Applies a list of ops to a document, or, without a source, to a new one. The list is applied completely or not at all.
///
/// `ops` is the list, or an object `{ops, track_changes}` whose `track_changes` applies to each op that does not specify it
/// itself.
pub fn apply(source: Option<Arc<[u8]>>, ops: &Value, options: &ApplyOptions<'_>) -> Result<Applied, Error> {
    let (ops, track) = list_options(ops)?;
    let mut warnings = Vec::new();
    let ops = read_ops::<DocxOp>(ops, options.strictness, &mut warnings)?;
    let mut edit = DocumentEdit::open(source, options)?;
    edit.track_by_default = track;
    warnings.into_iter().for_each(|warning| edit.warn(warning));
    for (input, op) in ops {
        edit.op(&input, op).map_err(|error| with_signature::<DocxOp>(error, &input))?;
    }
    edit.finish()
}

/// A new document without text.
pub fn blank(options: &ApplyOptions<'_>) -> Result<Vec<u8>, Error> {
    Ok(new::package(options.limits, options.now)?.save()?)
}

fn list_options(ops: &Value) -> Result<(&Value, bool), EditError> {
    let Some(object) = ops.as_object() else { return Ok((ops, false)) };
    let track = match object.get("track_changes") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(track)) => *track,
        Some(_) => return Err(EditError::new("track_changes", DocumentIssue::NotASwitch)),
    };
    Ok((object.get("ops").unwrap_or(&Value::Null), track))
}

/// A document while a list of ops is applied to it.
struct DocumentEdit<'a> {
    package: Package,
    names: PartNames,
    /// The main part. It is written to the package when all ops are applied.
    main: Rc<ParsedPart>,
    main_changed: bool,
    /// The other parts, which are written to the package with each op.
    parts: ParsedParts,
    styles: Option<Rc<Styles>>,
    revisions: Option<Revisions>,
    options: &'a ApplyOptions<'a>,
    /// Whether ops are tracked that do not specify it.
    track_by_default: bool,
    changes: Vec<OpReport>,
    warnings: Vec<String>,
}

impl<'a> DocumentEdit<'a> {
    /// Opens a document, or starts a new one.
    fn open(source: Option<Arc<[u8]>>, options: &'a ApplyOptions<'a>) -> Result<Self, Error> {
        let package = match source {
            Some(bytes) => Package::open(bytes, options.limits)?,
            None => new::package(options.limits, options.now)?,
        };
        let names = PartNames::find(&package)?;
        let main = Rc::new(ParsedPart::new(package.xml(&names.document)?));
        let mut edit = Self {
            package,
            names,
            main,
            main_changed: false,
            parts: ParsedParts::default(),
            styles: None,
            revisions: None,
            options,
            track_by_default: false,
            changes: Vec::new(),
            warnings: Vec::new(),
        };
        if edit.package.is_signed() {
            edit.warn("the document is signed; the edit makes its signature invalid".to_owned());
        }
        Ok(edit)
    }

    fn op(&mut self, input: &OpInput, op: DocxOp) -> Result<(), Error> {
        match op {
            DocxOp::SetParagraph(op) => self.set_paragraph(input, op),
            DocxOp::DeleteParagraphs(op) => self.delete_paragraphs(input, &op),
            DocxOp::SetParagraphs(op) => self.set_paragraphs(input, op, false),
            DocxOp::ReplaceDocument(op) => self.set_paragraphs(input, op, true),
            DocxOp::AppendParagraph(op) => self.append_paragraph(input, op),
            DocxOp::ReplaceText(op) => self.replace_text(input, op),
            DocxOp::InsertParagraphs(op) => self.insert_paragraphs(input, op),
            DocxOp::ReplaceSection(op) => self.replace_section(input, op),
            DocxOp::DeleteSection(op) => self.delete_section(input, &op),
            DocxOp::SetTableCells(op) => self.set_table_cells(input, op),
            DocxOp::AppendTableRows(op) => self.append_table_rows(input, op),
            DocxOp::InsertTable(op) => self.insert_table(input, op),
            DocxOp::InsertImage(op) => self.insert_image(input, op),
            DocxOp::AddComment(op) => self.add_comment(input, op),
            DocxOp::ReplyComment(op) => self.reply_comment(input, op),
            DocxOp::ResolveComment(op) => self.resolve_comment(input, &op),
            DocxOp::DeleteComment(op) => self.delete_comment(input, &op),
            DocxOp::SetHeader(op) => self.set_margin(input, op, Margin::Header),
            DocxOp::SetFooter(op) => self.set_margin(input, op, Margin::Footer),
            DocxOp::PageSetup(op) => self.page_setup(input, &op),
            DocxOp::InsertBreak(op) => self.insert_break(input, &op),
            DocxOp::AddFootnote(op) => self.add_note(input, &op, Note::Footnote),
            DocxOp::AddEndnote(op) => self.add_note(input, &op, Note::Endnote),
            DocxOp::SetHyperlink(op) => self.set_hyperlink(input, &op),
            DocxOp::RemoveHyperlink(op) => self.remove_hyperlink(input, &op),
            DocxOp::AddBookmark(op) => self.add_bookmark(input, &op),
            DocxOp::InsertTableOfContents(op) => self.insert_table_of_contents(input, &op),
            DocxOp::InsertField(op) => self.insert_field(input, &op),
            DocxOp::InsertList(op) => self.insert_list_op(input, op),
            DocxOp::InsertTableRows(op) => self.insert_table_rows(input, op),
            DocxOp::DeleteTableRows(op) => self.delete_table_rows(input, &op),
            DocxOp::InsertTableColumns(op) => self.insert_table_columns(input, op),
            DocxOp::DeleteTableColumns(op) => self.delete_table_columns(input, &op),
            DocxOp::MergeTableCells(op) => self.merge_table_cells(input, &op),
            DocxOp::SetTableStyle(op) => self.set_table_style(input, &op),
            DocxOp::DeleteTable(op) => self.delete_table(input, &op),
            DocxOp::FillTemplate(op) => self.fill_template(input, op),
            DocxOp::SetContentControl(op) => self.set_content_control(input, &op),
            DocxOp::ApplyStyle(op) => self.apply_style(input, &op),
            DocxOp::DefineStyle(op) => self.define_style(input, op),
            DocxOp::ReplaceImage(op) => self.replace_image(input, &op),
            DocxOp::DeleteImage(op) => self.delete_image(input, &op),
            DocxOp::AcceptChanges(op) => self.resolve_changes(input, &op, true),
            DocxOp::RejectChanges(op) => self.resolve_changes(input, &op, false),
        }
    }

    /// The limits of the package.
    fn limits(&self) -> Limits {
        *self.package.limits()
    }

    /// Adds a warning, each only once.
    fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Reports what an op did.
    fn report(&mut self, change: OpReport) {
        self.changes.push(change);
    }

    /// The current main part. It is shared, so holding it while the edit changes copies nothing.
    fn main(&self) -> Rc<ParsedPart> {
        Rc::clone(&self.main)
    }

    /// Applies a splice to the main part.
    fn splice_main(&mut self, splice: Splice<'_>) -> Result<(), Error> {
        if !splice.is_empty() {
            let text = splice.finish().map_err(|error| InternalError::overlap(self.main.name(), &error))?;
            self.main = Rc::new(ParsedPart::new(self.main.with_text(text)));
            self.main_changed = true;
        }
        Ok(())
    }

    /// The current version of a part.
    fn part(&mut self, name: &str) -> Result<Rc<ParsedPart>, Error> {
        if name == self.main.name() || name == self.names.document {
            return Ok(self.main());
        }
        Ok(self.parts.get(&self.package, name)?)
    }

    /// Applies a splice to a part.
    fn splice_part(&mut self, part: &ParsedPart, splice: Splice<'_>) -> Result<(), Error> {
        if part.name() == self.main.name() {
            return self.splice_main(splice);
        }
        self.parts.splice(&mut self.package, part, splice)
    }

    /// The current styles of the document.
    fn styles(&mut self) -> Result<Rc<Styles>, Error> {
        if let Some(styles) = &self.styles {
            return Ok(Rc::clone(styles));
        }
        // The parsed part stays in the cache for an op that adds a style.
        let part = self.names.styles.as_deref().map(|name| self.parts.get(&self.package, name)).transpose()?;
        let tree = part.as_ref().map(|part| part.tree(self.package.limits())).transpose()?;
        let styles = Rc::new(Styles::of_trees(tree.as_ref(), None));
        self.styles = Some(Rc::clone(&styles));
        Ok(styles)
    }

    /// Makes [`styles`](Self::styles) read the styles again after their part has changed.
    fn forget_styles(&mut self) {
        self.styles = None;
    }

    /// Finds the parts again after one was added.
    fn find_parts(&mut self) -> Result<(), Error> {
        self.names = PartNames::find(&self.package)?;
        Ok(())
    }

    /// The marks of tracked changes if an op is tracked, otherwise none. An op returns them by
    /// [`keep_revisions`](Self::keep_revisions), so that no number is given twice.
    fn revisions(&mut self, track: Option<bool>) -> Result<Option<Revisions>, Error> {
        if !track.unwrap_or(self.track_by_default) {
            return Ok(None);
        }
        if self.revisions.is_none() {
            let mut revisions = Revisions::new(self.options.author, self.options.now);
            let names: Vec<String> = self.names.texts().into_iter().map(str::to_owned).collect();
            for name in names {
                let part = self.part(&name)?;
                revisions.avoid(&part.tree(self.package.limits())?);
            }
            self.revisions = Some(revisions);
        }
        Ok(self.revisions.clone())
    }

    fn keep_revisions(&mut self, revisions: Option<Revisions>) {
        if revisions.is_some() {
            self.revisions = revisions;
        }
    }

    /// The index of a section, with a warning if others have the same heading.
    fn find_section(&mut self, body: &Body<'_>, given: &SectionRef, at: &str) -> Result<usize, EditError> {
        let found = find_section(body.sections(), given, at)?;
        if let Some(warning) = ambiguity(body.sections(), given, found) {
            self.warn(format!("{at}: {warning}"));
        }
        Ok(found)
    }

    /// The file with all changes.
    fn finish(mut self) -> Result<Applied, Error> {
        if self.main_changed {
            self.package.set_xml(self.main.part());
        }
        self.package.warnings().into_iter().for_each(|warning| self.warn(warning));
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

/// The body of the parsed main part: its blocks and sections.
struct Body<'t> {
    node: Node<'t>,
    blocks: Vec<Block<'t>>,
    styles: Rc<Styles>,
    sections: OnceCell<Vec<Section>>,
}

impl<'t> Body<'t> {
    fn read(tree: &'t Tree<'t>, part: &str, styles: &Rc<Styles>) -> Result<Self, Error> {
        let node = body(tree, part)?;
        let blocks = blocks_in(node);
        Ok(Self { node, blocks, styles: Rc::clone(styles), sections: OnceCell::new() })
    }

    /// The sections. They are found when an op asks for them, since most ops need none.
    fn sections(&self) -> &[Section] {
        self.sections.get_or_init(|| sections_in(&self.blocks, &self.styles))
    }
}

#[cfg(test)]
mod tests;
