//! A document as a list of pieces with addresses, for a comparison with another version.

use super::{Block, Document, What};
use crate::diff::odt::TextUnit;

impl Document {
    /// What could not be read.
    pub(crate) fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Paragraphs, headings and rows of tables in reading order; behind them notes, headers and footers.
    pub(crate) fn pieces(&self) -> Vec<TextUnit> {
        let mut pieces = Vec::new();
        let (mut paragraph, mut table) = (0, 0);
        for (index, section) in self.sections.iter().enumerate() {
            let plain = format!("section {index}");
            let heading: String = section.heading.chars().take(60).collect();
            let group = if heading.is_empty() { plain.clone() } else { format!("{plain} “{heading}”") };
            for block in self.blocks.get(section.blocks.clone()).unwrap_or_default() {
                if matches!(block.what, What::Table { .. }) {
                    pieces.extend(rows(block, &group, &format!("{plain}, table {table}")));
                    table += 1;
                } else {
                    if !block.text.is_empty() {
                        let id = format!("{plain}, paragraph {paragraph}");
                        pieces.push(TextUnit { group: group.clone(), id, what: "paragraph", text: block.text.clone() });
                    }
                    paragraph += 1;
                }
            }
        }
        pieces.extend(self.notes.iter().map(|note| {
            let what = if note.endnote { "endnote" } else { "footnote" };
            let id = format!("{what} {}", note.label);
            TextUnit { group: "notes".to_owned(), id, what, text: note.text.clone() }
        }));
        pieces.extend(self.margins.iter().map(|margin| {
            let id = format!("{}, {} pages", margin.kind, margin.pages);
            TextUnit { group: "headers and footers".to_owned(), id, what: margin.kind, text: margin.text.clone() }
        }));
        pieces
    }
}

/// The rows of a table; the line below its header says nothing.
fn rows<'b>(block: &'b Block, group: &'b str, table: &'b str) -> impl Iterator<Item = TextUnit> + 'b {
    let lines = block.text.lines().enumerate().filter(|(at, _)| *at != 1);
    lines.map(|(_, line)| line).enumerate().map(move |(at, line)| TextUnit {
        group: group.to_owned(),
        id: format!("{table}, row {}", at + 1),
        what: "table row",
        text: line.trim_matches('|').trim().to_owned(),
    })
}
