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
    /// Where to go on in a section that is too long for one answer: the index of a paragraph.
    #[serde(default)]
    from_paragraph: usize,
}

/// Paragraphs, runs and cells in one answer.
const MOST: usize = 20_000;

/// One section. The heading is its first paragraph.
pub(super) fn section(document: &Document, given: &Value, warnings: &mut Vec<String>) -> Result<Value, Error> {
    let params: Params = params::parse(given, warnings)?;
    let source = &document.source;
    let tree = source.document.tree(&source.limits)?;
    let found = blocks::blocks(blocks::body(&tree, &source.document.name)?);
    let all = sections::sections(&found, &source.beside().styles);
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
        from: params.from_paragraph,
        left: MOST,
        tables: Vec::new(),
        images: Vec::new(),
        left_out: LeftOut::default(),
        warnings,
    };
    let (paragraphs, next) = content.read(&found, section);
    let mut result = json!({
        "section_index": index,
        "section_count": all.len(),
        "section": {
            "heading": section.heading,
            "level": section.level,
            "paragraphs": paragraphs,
            "tables": content.tables,
            "images": content.images,
        },
    });
    let LeftOut { tables, images } = content.left_out;
    for (count, what) in [(tables, "tables"), (images, "images")].into_iter().filter(|(count, _)| *count > 0) {
        warnings.push(format!("{count} {what} of the section are left out"));
    }
    if let (Some(object), Some(next)) = (result.as_object_mut(), next) {
        object.insert("next_paragraph".to_owned(), next.into());
        warnings.push(format!("the section goes on: call again with from_paragraph {next}"));
    }
    Ok(result)
}

struct Content<'s, 'w> {
    source: &'s Source,
    /// Counts lists and makes the text of cells.
    renderer: Renderer<'s>,
    from: usize,
    /// How much more the answer may hold.
    left: usize,
    tables: Vec<Value>,
    images: Vec<Value>,
    left_out: LeftOut,
    warnings: &'w mut Vec<String>,
}

/// What an answer had no room for.
#[derive(Default)]
struct LeftOut {
    tables: usize,
    images: usize,
}

impl Content<'_, '_> {
    /// The paragraphs, and the first that had no more room.
    fn read(&mut self, found: &[Block<'_>], section: &Section) -> (Vec<Value>, Option<usize>) {
        let is_before = |block: &Block<'_>| block.paragraph().is_none_or(|paragraph| paragraph.index < self.from);
        let own = found.get(section.blocks.clone()).unwrap_or_default();
        let skipped = if self.from == 0 { 0 } else { own.iter().take_while(|block| is_before(block)).count() };
        // Lists count from the start of the document.
        for block in found.get(..section.blocks.start + skipped).unwrap_or_default() {
            self.count(*block);
        }
        let mut paragraphs = Vec::new();
        for block in own.iter().skip(skipped) {
            match block {
                Block::Paragraph(paragraph) if self.left == 0 => return (paragraphs, Some(paragraph.index)),
                Block::Paragraph(paragraph) => paragraphs.push(self.paragraph(*paragraph)),
                Block::Table(table) => self.table(*table),
            }
        }
        (paragraphs, None)
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
            Some(id) => self.source.beside().styles.get(id),
            None => self.source.beside().styles.default_paragraph(),
        };
        let mut all = runs::runs(self.source, style_id.as_deref(), &pieces);
        let runs: Vec<Value> = all.by_ref().take(self.left).collect();
        if all.next().is_some() {
            self.warnings.push(format!("only {} runs of paragraph {} are given", runs.len(), paragraph.index));
        }
        self.left = self.left.saturating_sub(runs.len() + 1);
        let mut entry = json!({
            "index": paragraph.index,
            "text": inline::text(&pieces, View::Final),
            "style": style.map(|style| style.name.as_str()).or(style_id.as_deref()),
            "runs": runs,
        });
        if let (Some(object), Some(label)) = (entry.as_object_mut(), self.renderer.label(paragraph)) {
            object.insert("list".to_owned(), list_entry(&label));
        }
        entry
    }

    fn table(&mut self, table: Table<'_>) {
        if self.left == 0 {
            self.left_out.tables += 1;
            return;
        }
        self.left -= 1;
        let rows = tables::rows(table.node);
        let mut texts: Vec<Vec<String>> = Vec::with_capacity(rows.len());
        for row in &rows {
            if self.left == 0 {
                let (given, all) = (texts.len(), rows.len());
                self.warnings.push(format!("only {given} of {all} rows of table {} are given", table.index));
                break;
            }
            texts.push(self.renderer.row(row).into_iter().map(|lines| lines.join("\n")).collect());
            self.left = self.left.saturating_sub(row.columns + 1);
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
            if self.left == 0 {
                self.left_out.images += 1;
                continue;
            }
            self.left -= 1;
            let target = self.source.names.relationships.by_id(&picture.rel_id).map(|found| found.target.as_str());
            self.images.push(json!({ "rel_id": picture.rel_id, "target": target, "alt_text": picture.alt_text }));
        }
    }
}

fn list_entry(label: &Label) -> Value {
    json!({ "label": label.text, "level": label.level, "bullet": label.bullet })
}
