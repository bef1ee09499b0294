//! Editing a deck by a list of ops. Parts are changed only by splicing, and a list is applied completely or not at all.

mod add_slide;
mod charts;
mod copy_assets;
mod find_shape;
mod images;
mod new_table;
mod notes;
mod place;
mod replace_text;
mod sections;
mod shapes;
mod slide_layout;
mod slide_look;
mod slides;
mod table_grid;
mod tables;
mod text;

use std::sync::Arc;

use jig_file_api::ops::pptx::PptxOp;
use serde_json::Value;

use super::presentation::{Presentation, SlideRef};
use super::shape::Shape;
use super::template;
use crate::edit::{Applied, ApplyOptions, CellChanges, EditError, OpInput, OpReport, read_ops, with_signature};
use crate::error::{DeckIssue, Error};
use crate::package::Package;
use crate::parsed_parts::ParsedParts;
use crate::xml::{Node, Splice, is_xml_char};

pub use copy_assets::copy_assets;

/// Applies a list of ops to a deck, or, without a source, to a new one without slides.
pub fn apply(source: Option<Arc<[u8]>>, ops: &Value, options: &ApplyOptions<'_>) -> Result<Applied, Error> {
    let mut warnings = Vec::new();
    let ops = read_ops::<PptxOp>(ops, options.strictness, &mut warnings)?;
    let package = match source {
        Some(bytes) => Package::open(bytes, options.limits)?,
        None => template::deck(options.limits)?,
    };
    let mut edit = DeckEdit::new(package, options)?;
    edit.warnings.append(&mut warnings);
    let mut changes = Vec::with_capacity(ops.len());
    for (input, op) in ops {
        changes.push(edit.op(&input, op).map_err(|error| with_signature::<PptxOp>(error, &input))?);
    }
    edit.finish(changes)
}

/// A new deck without slides.
pub fn blank(options: &ApplyOptions<'_>) -> Result<Vec<u8>, Error> {
    Ok(template::deck(options.limits)?.save()?)
}

/// A deck while a list of ops is applied to it.
struct DeckEdit<'a> {
    package: Package,
    presentation: Presentation,
    parts: ParsedParts,
    options: &'a ApplyOptions<'a>,
    warnings: Vec<String>,
}

impl<'a> DeckEdit<'a> {
    fn new(package: Package, options: &'a ApplyOptions<'a>) -> Result<Self, Error> {
        let presentation = Presentation::read(&package)?;
        let warnings = presentation.warnings.clone();
        Ok(Self { package, presentation, parts: ParsedParts::default(), options, warnings })
    }

    fn op(&mut self, input: &OpInput, op: PptxOp) -> Result<OpReport, Error> {
        match op {
            PptxOp::AddSlide(op) => add_slide::add_slide(self, input, op),
            PptxOp::SetSlideText(op) => text::set_slide_text(self, input, op),
            PptxOp::AppendBullets(op) => text::append_bullets(self, input, op),
            PptxOp::DeleteSlide(op) => slides::delete_slide(self, input, &op),
            PptxOp::MoveSlide(op) => slides::move_slide(self, input, &op),
            PptxOp::DuplicateSlide(op) => slides::duplicate_slide(self, input, &op),
            PptxOp::SetNotes(op) => notes::set_notes(self, input, op),
            PptxOp::ReplaceText(op) => replace_text::replace_text(self, input, &op),
            PptxOp::SetTableCells(op) => tables::set_table_cells(self, input, op),
            PptxOp::InsertImage(op) => images::insert_image(self, input, &op),
            PptxOp::SetShapeText(op) => shapes::set_shape_text(self, input, op),
            PptxOp::AddTextBox(op) => shapes::add_text_box(self, input, op),
            PptxOp::DeleteShape(op) => shapes::delete_shape(self, input, &op),
            PptxOp::MoveShape(op) => shapes::move_shape(self, input, &op),
            PptxOp::InsertTable(op) => new_table::insert_table(self, input, &op),
            PptxOp::InsertTableRows(op) => table_grid::insert_rows(self, input, &op),
            PptxOp::DeleteTableRows(op) => table_grid::delete_rows(self, input, &op),
            PptxOp::InsertTableColumns(op) => table_grid::insert_columns(self, input, &op),
            PptxOp::DeleteTableColumns(op) => table_grid::delete_columns(self, input, &op),
            PptxOp::HideSlide(op) => slide_look::hide_slide(self, input, &op),
            PptxOp::ShowSlide(op) => slide_look::show_slide(self, input, &op),
            PptxOp::AddSection(op) => sections::add_section(self, input, &op),
            PptxOp::RenameSection(op) => sections::rename_section(self, input, &op),
            PptxOp::DeleteSection(op) => sections::delete_section(self, input, &op),
            PptxOp::SetBackground(op) => slide_look::set_background(self, input, &op),
            PptxOp::AddChart(op) => charts::add_chart(self, input, &op),
            PptxOp::EditChart(op) => charts::edit_chart(self, input, &op),
            PptxOp::DeleteChart(op) => charts::delete_chart(self, input, &op),
            PptxOp::SetSlideLayout(op) => slide_layout::set_slide_layout(self, input, &op),
        }
    }

    fn finish(mut self, changes: Vec<OpReport>) -> Result<Applied, Error> {
        if self.package.is_touched() && self.package.is_signed() {
            self.warnings.push("the file carries a digital signature, which this edit makes invalid".to_owned());
        }
        let parts = self.package.changes();
        let (created_sheets, stale, cells) = (Vec::new(), Vec::new(), CellChanges::default());
        let bytes = self.package.save()?;
        Ok(Applied { bytes, changes, warnings: self.warnings, parts, created_sheets, stale, cells })
    }

    /// Reads the list of slides again after a change.
    fn refresh(&mut self) -> Result<(), Error> {
        self.presentation = Presentation::read(&self.package)?;
        Ok(())
    }

    fn warn(&mut self, at: &str, what: &str) {
        self.warnings.push(format!("{at}: {what}"));
    }

    /// A text without the characters that XML cannot contain, with line ends as `\n`. A vertical tab stays: it is a
    /// line break.
    fn clean(&mut self, at: &str, text: &str) -> String {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let legal = |c: char| is_xml_char(c) || c == '\u{b}';
        let illegal = text.chars().filter(|c| !legal(*c)).count();
        if illegal == 0 {
            return text;
        }
        self.warn(at, &format!("{illegal} control characters were left out"));
        text.chars().filter(|c| legal(*c)).collect()
    }

    /// A slide by its number.
    fn slide(&self, input: &OpInput, field: &str, index: usize) -> Result<(usize, SlideRef), EditError> {
        let count = self.presentation.slides.len();
        let slide = self.presentation.slides.get(index).cloned().ok_or_else(|| {
            let last = count.checked_sub(1).map(|last| last.to_string());
            input.error(field, DeckIssue::NoSlide { index, count }).suggest(last)
        })?;
        Ok((index, slide))
    }

    /// Changes an XML part: the function collects the changes, which are applied if it succeeds. A part that several ops
    /// change one after the other is parsed once for each change.
    fn edit_part<T>(
        &mut self,
        part: &str,
        change: impl FnOnce(Node<'_>, &mut Splice<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let content = self.parts.get(&self.package, part)?;
        let tree = content.tree(self.package.limits())?;
        let mut splice = Splice::new(content.text());
        let outcome = change(tree.root(), &mut splice)?;
        self.parts.splice(&mut self.package, &content, splice)?;
        Ok(outcome)
    }
}

/// The placeholders of a slide for content, for messages: as a phrase, and their names.
fn placeholder_names(shapes: &[Shape<'_>]) -> (String, Vec<String>) {
    let all = super::shape::flat(shapes);
    let named: Vec<(String, String)> = all
        .iter()
        .filter_map(|shape| Some((shape.placeholder()?, shape.name())))
        .filter(|(found, _)| !found.is_furniture())
        .map(|(found, name)| (format!("{name} ({})", found.kind), name))
        .collect();
    let (listed, names): (Vec<String>, Vec<String>) = named.into_iter().unzip();
    let listed =
        if listed.is_empty() { "it has no placeholders".to_owned() } else { format!("it has {}", listed.join(", ")) };
    (listed, names)
}
