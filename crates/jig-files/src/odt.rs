//! OpenDocument texts, for reading: a package (`.odt`, `.ott`) or one flat XML file (`.fodt`).
//!
//! The text is written as that of Word documents: `#` before headings, Markdown tables, lists with their numbers,
//! `[^1]` for notes, `[image: …]`, `[text box] …`; headers and footers at the end of a whole document. Text that a
//! tracked change deleted is left out.

mod answer;
mod body;
mod inline;
mod lists;
mod margins;
mod namespaces;
mod pieces;
mod source;
mod styles;
mod tables;

use std::sync::Arc;

use jig_ooxml::Limits;
use jig_ooxml::docx::sections::Section;
use serde_json::Value;

use self::source::Source;
use crate::engine::FileError;
use crate::params::with_warnings;

/// An OpenDocument text, read completely when it is opened: its parts are small.
pub(crate) struct Document {
    blocks: Vec<Block>,
    sections: Vec<Section>,
    notes: Vec<Note>,
    margins: Vec<Margin>,
    counts: Counts,
    warnings: Vec<String>,
}

/// A paragraph, a heading or a table of the body.
#[derive(Debug, Default, PartialEq, Eq)]
struct Block {
    text: String,
    what: What,
    /// The descriptions of the images in it.
    images: Vec<String>,
    /// Positions of the notes it refers to.
    notes: Vec<usize>,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum What {
    #[default]
    Paragraph,
    /// With its words alone, without its number.
    Heading {
        level: u8,
        words: String,
    },
    Table {
        rows: usize,
        columns: usize,
    },
}

/// A footnote or endnote.
#[derive(Debug, PartialEq, Eq)]
struct Note {
    label: String,
    text: String,
    endnote: bool,
}

/// A header or footer.
#[derive(Debug, PartialEq, Eq)]
struct Margin {
    kind: &'static str,
    pages: &'static str,
    text: String,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    comments: usize,
    text_boxes: usize,
    objects: usize,
    insertions: usize,
    deletions: usize,
    formatting: usize,
}

impl Document {
    pub(crate) fn open(bytes: Arc<[u8]>, limits: Limits) -> Result<Self, FileError> {
        let source = Source::open(bytes, limits)?;
        body::read(&source)
    }

    pub(crate) fn read(&self, method: &str, params: &Value) -> Result<Value, FileError> {
        let mut warnings = Vec::new();
        let answer = match method {
            "OdtGetMap" => answer::map(self, params, &mut warnings)?,
            "OdtExtractText" => answer::text(self, params, &mut warnings)?,
            "OdtFind" => answer::find(self, params, &mut warnings)?,
            _ => return Err(FileError::invalid(format!("unknown method: {method}"))),
        };
        warnings.extend(self.warnings.iter().cloned());
        Ok(with_warnings(answer, warnings))
    }
}
