//! Editing Word documents: a list of ops in, a file out in which nothing else has changed.

mod body;
mod builtin;
mod copy;
mod exchange;
mod insert_image;
mod insert_table;
mod markup;
mod new;
mod paragraph;
mod picture;
mod place;
mod refill;
mod remove;
mod replace;
mod section;
mod session;
mod single;
mod strike;
mod style_use;
mod table;
mod track;

use std::sync::Arc;

use jig_file_api::ops::docx::DocxOp;
use serde_json::Value;

use crate::edit::{Applied, ApplyOptions, EditError, OpInput, read_ops, with_signature};
use crate::error::Error;

use self::session::Session;

pub use copy::copy_assets;

/// Applies a list of ops to a document, or to a new one when there is none. All or nothing.
///
/// `ops` is the list, or an object `{ops, track_changes}` whose `track_changes` holds for each op that
/// does not say it itself.
pub fn apply(source: Option<Arc<[u8]>>, ops: &Value, options: &ApplyOptions<'_>) -> Result<Applied, Error> {
    let (ops, track) = list_options(ops)?;
    let mut warnings = Vec::new();
    let ops = read_ops::<DocxOp>(ops, options.strictness, &mut warnings)?;
    let mut session = Session::open(source, options)?;
    session.track_by_default = track;
    warnings.into_iter().for_each(|warning| session.warn(warning));
    for (input, op) in ops {
        session.op(&input, op).map_err(|error| with_signature::<DocxOp>(error, &input))?;
    }
    session.finish()
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
        Some(_) => return Err(EditError::new("track_changes", "true or false is needed")),
    };
    Ok((object.get("ops").unwrap_or(&Value::Null), track))
}

impl Session<'_> {
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
        }
    }
}

#[cfg(test)]
mod tests;
