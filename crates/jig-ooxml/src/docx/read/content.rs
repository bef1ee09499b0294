//! `DocxGetSectionContent`: a section with its runs, tables and images.

use serde::Deserialize;
use serde_json::{Value, json};

use super::notes::Comments;
use super::render::{Options, Renderer};
use super::source::Source;
use super::{Document, params, runs};
use crate::docx::blocks::{self, Block, Paragraph, Table};
use crate::docx::inline::{self, View, What};
use crate::docx::numbering::Label;
use crate::docx::sections::{self, Section, ambiguity, find_section};
use crate::docx::tables;
use crate::error::Error;

#[derive(Deserialize)]
struct Params {
    /// An index from 0, or a heading's text; the first section when not given.
    #[serde(alias = "section")]
    section_index: Option<Value>,
}

/// One section. The heading is its first paragraph.
pub(super) fn section(document: &Document, given: &Value, warnings: &mut Vec<String>) -> Result<Value, Error> {
    let params: Params = params::parse(given, warnings)?;
    let source = &document.source;
    let tree = source.document.tree(&source.limits)?;
    let found = blocks::blocks(blocks::body(&tree, &source.document.name)?);
    let all = sections::sections(&found, &source.styles);
    let index = match &params.section_index {
        Some(given) => {
            let index = find_section(&all, given, "section_index")?;
            warnings.extend(ambiguity(&all, given, index));
            index
        }
        None => 0,
    };
    let Some(section) = all.get(index) else { return Ok(Value::Null) };
    let comments = Comments::default();
    let mut content = Content {
        source,
        renderer: Renderer::new(source, Options::default(), &comments),
        tables: Vec::new(),
        images: Vec::new(),
    };
    let paragraphs = content.read(&found, section);
    Ok(json!({
        "section_index": index,
        "section_count": all.len(),
        "section": {
            "heading": section.heading,
            "level": section.level,
            "paragraphs": paragraphs,
            "tables": content.tables,
            "images": content.images,
        },
    }))
}

struct Content<'s> {
    source: &'s Source,
    /// Counts lists and makes the text of cells.
    renderer: Renderer<'s>,
    tables: Vec<Value>,
    images: Vec<Value>,
}

impl Content<'_> {
    fn read(&mut self, found: &[Block<'_>], section: &Section) -> Vec<Value> {
        // Lists count from the start of the document.
        for block in found.get(..section.blocks.start).unwrap_or_default() {
            self.count(*block);
        }
        let mut paragraphs = Vec::new();
        for block in found.get(section.blocks.clone()).unwrap_or_default() {
            match block {
                Block::Paragraph(paragraph) => paragraphs.push(self.paragraph(*paragraph)),
                Block::Table(table) => self.table(*table),
            }
        }
        paragraphs
    }

    fn count(&mut self, block: Block<'_>) {
        match block {
            Block::Paragraph(paragraph) => {
                self.renderer.label(paragraph);
            }
            Block::Table(table) => {
                for row in tables::rows(table.node) {
                    let blocks = row.cells.iter().flat_map(|cell| blocks::blocks(cell.node));
                    blocks.for_each(|block| self.count(block));
                }
            }
        }
    }

    fn paragraph(&mut self, paragraph: Paragraph<'_>) -> Value {
        let is_shown = paragraph.mark.is_in(View::Final);
        let pieces = if is_shown { inline::pieces(paragraph.node) } else { Vec::new() };
        self.add_images(&pieces);
        let style_id = paragraph.style_id();
        let style = match &style_id {
            Some(id) => self.source.styles.get(id),
            None => self.source.styles.default_paragraph(),
        };
        let mut entry = json!({
            "index": paragraph.index,
            "text": inline::text(&pieces, View::Final),
            "style": style.map(|style| style.name.as_str()).or(style_id.as_deref()),
            "runs": runs::runs(self.source, style_id.as_deref(), &pieces),
        });
        if let (Some(object), Some(label)) = (entry.as_object_mut(), self.renderer.label(paragraph)) {
            object.insert("list".to_owned(), list_entry(&label));
        }
        entry
    }

    fn table(&mut self, table: Table<'_>) {
        let rows = tables::rows(table.node);
        let mut texts: Vec<Vec<String>> = Vec::with_capacity(rows.len());
        for row in &rows {
            texts.push(self.renderer.row(row).into_iter().map(|lines| lines.join("\n")).collect());
        }
        for row in &rows {
            for cell in &row.cells {
                let inner = blocks::blocks(cell.node).into_iter().filter_map(Block::paragraph);
                inner.for_each(|paragraph| self.add_images(&inline::pieces(paragraph.node)));
            }
        }
        self.tables.push(json!({
            "index": table.index,
            "row_count": rows.len(),
            "col_count": tables::columns(&rows),
            "rows": texts,
        }));
    }

    fn add_images(&mut self, pieces: &[inline::Piece<'_>]) {
        for piece in pieces.iter().filter(|piece| piece.mark.is_in(View::Final)) {
            let What::Picture(picture) = &piece.what else { continue };
            let target = self.source.names.relationships.by_id(&picture.rel_id).map(|found| found.target.as_str());
            self.images.push(json!({ "rel_id": picture.rel_id, "target": target, "alt_text": picture.alt_text }));
        }
    }
}

fn list_entry(label: &Label) -> Value {
    json!({ "label": label.text, "level": label.level, "bullet": label.bullet })
}
