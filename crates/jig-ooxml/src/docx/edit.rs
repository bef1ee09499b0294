//! Editing Word documents: a list of ops in, a file out in which nothing else has changed.

mod body;
mod builtin;
mod colors;
mod copy;
mod exchange;
mod fields;
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
mod strike;
mod style_use;
mod table;
mod track;

use std::sync::Arc;

use serde_json::Value;

use crate::edit::{Applied, ApplyOptions, EditError, OpInput, op_inputs};
use crate::error::Error;

use self::session::Session;

pub use copy::copy_assets;

/// The ops that [`apply`] knows.
pub const OPS: &[&str] = &[
    "set_paragraphs",
    "append_paragraph",
    "replace_text",
    "insert_paragraphs",
    "replace_section",
    "delete_section",
    "set_table_cells",
    "append_table_rows",
    "insert_table",
    "insert_image",
];

/// Applies a list of ops to a document, or to a new one when there is none. All or nothing.
///
/// `ops` is the list, or an object `{ops, track_changes}` whose `track_changes` holds for each op that
/// does not say it itself.
pub fn apply(source: Option<Arc<[u8]>>, ops: &Value, options: &ApplyOptions<'_>) -> Result<Applied, Error> {
    let (ops, track) = list_options(ops)?;
    let inputs = op_inputs(ops, OPS)?;
    let mut session = Session::open(source, options)?;
    session.track_by_default = track;
    for input in &inputs {
        session.op(input)?;
    }
    session.finish()
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
    fn op(&mut self, input: &OpInput) -> Result<(), Error> {
        match input.name.as_str() {
            "set_paragraphs" => self.set_paragraphs(input),
            "append_paragraph" => self.append_paragraph(input),
            "replace_text" => self.replace_text(input),
            "insert_paragraphs" => self.insert_paragraphs(input),
            "replace_section" => self.replace_section(input),
            "delete_section" => self.delete_section(input),
            "set_table_cells" => self.set_table_cells(input),
            "append_table_rows" => self.append_table_rows(input),
            "insert_table" => self.insert_table(input),
            "insert_image" => self.insert_image(input),
            _ => Err(EditError::new(input.at("op"), "this op is not known here").into()),
        }
    }
}

#[cfg(test)]
mod tests;
