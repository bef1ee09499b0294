//! The text of a document, block by block. All reads but that of runs use it.
//!
//! The text is plain except for Markdown signs: `#` before headings, tables, `-` or its number before an
//! item of a list, `[^1]` for notes. What is not text is in brackets: `[image: …]`, `[chart: …]`, `[diagram: …]`,
//! `[text box] …`. Tracked changes are written `[+inserted+]{author}` and `[-deleted-]{author}` where a view shows
//! them.

pub(super) mod notes;

use std::collections::HashMap;

use jig_file_api::read::docx::{HeaderFooter, NoteText, View};

use self::notes::{Comments, NoteCounter, NoteKind, RelatedTexts};
use super::blocks::{self, Block, Paragraph, Table};
use super::document::Document;
use super::inline::{self, Mark, Piece, PieceKind};
use super::numbering::{Counters, Label, ListState};
use super::sections::{self, Section};
use super::styles::ListRef;
use super::tables::{self, Row, is_plausible};
use super::word;
use crate::error::Error;
use crate::xml::{Node, ParsedPart};

/// How tracked changes are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RenderOptions {
    pub(super) view: View,
    /// Whether the final view shows deleted text with its marks.
    pub(super) deleted: bool,
}

impl RenderOptions {
    /// Whether content with these tracked changes is shown.
    pub(super) fn shows(self, mark: Mark<'_>) -> bool {
        mark.is_in(self.view) || (self.deleted && self.view == View::Final)
    }
}

/// A document's text.
#[derive(Debug)]
pub(super) struct Rendered {
    pub(super) blocks: Vec<RenderedBlock>,
    pub(super) sections: Vec<Section>,
    /// Footnotes and endnotes in the order of their references.
    pub(super) notes: Vec<NoteText>,
    /// Headers and footers that pages show.
    pub(super) headers_footers: Vec<HeaderFooter>,
    pub(super) warnings: Vec<String>,
}

/// The text of a block with its images and notes.
#[derive(Debug, Default)]
pub(super) struct RenderedBlock {
    pub(super) text: String,
    pub(super) kind: BlockKind,
    pub(super) pictures: Vec<PictureRef>,
    /// The positions of its notes in the list of notes, one for each reference.
    pub(super) notes: Vec<usize>,
    /// Whether a tracked change removes its end in this view, so that the next paragraph continues its line.
    pub(super) runs_on: bool,
}

/// What a block is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum BlockKind {
    #[default]
    Empty,
    Paragraph {
        index: usize,
        heading: bool,
    },
    Table {
        index: usize,
        rows: usize,
        columns: usize,
    },
}

/// The prefix of a paragraph's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lead {
    /// The signs of a heading of this level, 0 for none, and the label of a list.
    Heading(u8),
    /// Nothing: the paragraph continues the line of the one before.
    None,
}

/// An image in a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PictureRef {
    pub(super) rel_id: String,
    pub(super) alt_text: Option<String>,
}

/// Renders the text of a document.
pub(super) fn render(document: &Document, options: RenderOptions) -> Result<Rendered, Error> {
    let tree = document.main.tree(&document.limits)?;
    let body = blocks::body(&tree, document.main.name())?;
    let found = blocks::blocks(body);
    let sections = sections::sections_in(&found, &document.supporting().styles, options.view);
    let headings: HashMap<usize, u8> =
        sections.iter().filter(|section| section.level > 0).map(|s| (s.blocks.start, s.level)).collect();
    let comments = Comments::read(document)?;
    let mut renderer = Renderer::new(document, options, &comments);
    let mut rendered = Vec::with_capacity(found.len());
    for (at, block) in found.iter().enumerate() {
        let heading = headings.get(&at).copied().unwrap_or(0);
        let block = renderer.block(*block, heading, rendered.last());
        rendered.push(block);
    }
    let notes = renderer.finish_notes()?;
    let headers_footers = notes::headers_footers(document, &found, body, options, &comments)?;
    let warnings = notes::embedded(body, &document.names.relationships);
    Ok(Rendered { blocks: rendered, sections, notes, headers_footers, warnings })
}

/// The state of rendering, from block to block.
pub(super) struct Renderer<'s> {
    document: &'s Document,
    options: RenderOptions,
    counters: Counters<'s>,
    notes: NoteCounter,
    comments: &'s Comments,
    related: RelatedTexts,
    /// Collects the content of the current block.
    current: RenderedBlock,
}

impl<'s> Renderer<'s> {
    pub(super) fn new(document: &'s Document, options: RenderOptions, comments: &'s Comments) -> Self {
        Self {
            document,
            options,
            counters: Counters::new(&document.supporting().numbering),
            notes: NoteCounter::default(),
            comments,
            related: RelatedTexts::default(),
            current: RenderedBlock::default(),
        }
    }

    /// A block of the body, after the one before it.
    fn block(&mut self, block: Block<'_>, heading: u8, before: Option<&RenderedBlock>) -> RenderedBlock {
        self.current = RenderedBlock::default();
        let (text, kind, runs_on) = match block {
            Block::Paragraph(paragraph) => {
                let kind = BlockKind::Paragraph { index: paragraph.index, heading: heading > 0 };
                let follows = heading == 0 && before.is_some_and(|before| before.runs_on);
                let text = self.paragraph(paragraph, if follows { Lead::None } else { Lead::Heading(heading) });
                let runs_on = !text.is_empty() && !paragraph.end_mark().is_in(self.options.view);
                (text, kind, runs_on)
            }
            Block::Table(table) => {
                let (text, kind) = self.table(table);
                (text, kind, false)
            }
        };
        RenderedBlock { text, kind, runs_on, ..std::mem::take(&mut self.current) }
    }

    /// Blocks outside of the body, one on each line; empty ones are omitted.
    pub(super) fn inner_blocks(&mut self, container: Node<'_>) -> Vec<String> {
        let mut lines = Vec::new();
        for block in blocks::blocks(container) {
            let line = match block {
                Block::Paragraph(paragraph) => self.paragraph(paragraph, Lead::Heading(0)),
                Block::Table(table) if self.options.shows(table.mark) => self.flat_table(table.node),
                Block::Table(_) => continue,
            };
            if !line.trim().is_empty() {
                lines.push(line);
            }
        }
        lines
    }

    /// The texts of all referenced notes. Notes may refer to further ones.
    fn finish_notes(&mut self) -> Result<Vec<NoteText>, Error> {
        let document = self.document;
        let tree = |part: &'s Option<ParsedPart>| part.as_ref().map(|part| part.tree(&document.limits)).transpose();
        let (foot, end) = (tree(&document.supporting().footnotes)?, tree(&document.supporting().endnotes)?);
        let (footnotes, endnotes) = (notes::by_id(foot.as_ref()), notes::by_id(end.as_ref()));
        let mut texts = Vec::new();
        // Rendering a note can find a reference to another one, which extends the list.
        while let Some(note) = self.notes.get(texts.len()) {
            let node = match note.kind {
                NoteKind::Footnote => footnotes.get(&note.id),
                NoteKind::Endnote => endnotes.get(&note.id),
            };
            let text = node.map(|node| self.inner_blocks(*node).join(" ")).unwrap_or_default();
            texts.push(NoteText { label: note.label, text: text.trim().to_owned() });
        }
        Ok(texts)
    }
}

impl Renderer<'_> {
    /// The text of a paragraph; empty when the view shows nothing of it.
    fn paragraph(&mut self, paragraph: Paragraph<'_>, lead: Lead) -> String {
        let pieces = inline::pieces(paragraph.node);
        let mut boxes = Vec::new();
        let text = self.pieces(&pieces, paragraph.mark, &mut boxes);
        // A list does not count a paragraph of which this view shows neither text nor end.
        let gone = text.is_empty() && !paragraph.end_mark().is_in(self.options.view);
        let label = if gone { None } else { self.label(paragraph) };
        let mut lines = Vec::new();
        if !text.trim().is_empty() {
            lines.push(match lead {
                Lead::Heading(level) => prefixed(&text, label.as_ref(), level),
                Lead::None => text,
            });
        }
        for content in boxes {
            lines.extend(self.inner_blocks(content).into_iter().map(|line| format!("[text box] {line}")));
        }
        lines.join("\n")
    }

    /// The label of a paragraph that is in a list. Each call counts: call it once for each paragraph, in order.
    pub(super) fn label(&mut self, paragraph: Paragraph<'_>) -> Option<Label> {
        let style_id = paragraph.style_id();
        let direct = paragraph.properties().map(ListRef::read).unwrap_or_default();
        let style =
            self.document.supporting().styles.resolved(style_id.as_deref()).map(|style| style.list).unwrap_or_default();
        let num_id = direct.num_id.or(style.num_id).filter(|id| *id != 0)?;
        let by_style = || self.document.supporting().numbering.level_of_style(num_id, style_id.as_deref()?);
        let given = |level: Option<i64>| level.and_then(|level| usize::try_from(level).ok());
        let level = given(direct.level).or_else(by_style).or_else(|| given(style.level)).unwrap_or(0);
        self.counters.next(num_id, level)
    }

    /// How far the lists have been counted.
    pub(super) fn list_state(&self) -> ListState {
        self.counters.state().clone()
    }

    /// Continues counting lists from a state.
    pub(super) fn set_list_state(&mut self, state: ListState) {
        self.counters.set_state(state);
    }

    fn pieces<'t>(&mut self, pieces: &[Piece<'t>], outer: Mark<'t>, boxes: &mut Vec<Node<'t>>) -> String {
        let mut out = MarkedText::default();
        for piece in pieces {
            let mark = Mark {
                inserted: piece.mark.inserted.or(outer.inserted),
                deleted: piece.mark.deleted.or(outer.deleted),
            };
            if !self.options.shows(mark) {
                continue;
            }
            let mark = self.written(mark);
            match &piece.kind {
                PieceKind::Text(text) => out.push(text, mark),
                PieceKind::TextBox(content) => boxes.push(*content),
                other => {
                    let text = self.reference(other);
                    out.push(&text, mark);
                }
            }
        }
        out.finish()
    }

    /// The marks that this view shows.
    fn written<'t>(&self, mark: Mark<'t>) -> Mark<'t> {
        match self.options.view {
            View::Markup => mark,
            View::Final if self.options.deleted => Mark { inserted: None, ..mark },
            View::Final | View::Original => Mark::default(),
        }
    }

    /// The placeholder of a piece that is not text.
    fn reference(&mut self, kind: &PieceKind<'_>) -> String {
        match kind {
            PieceKind::Footnote(id) => self.note(id, NoteKind::Footnote),
            PieceKind::Endnote(id) => self.note(id, NoteKind::Endnote),
            PieceKind::Comment(id) if self.options.view == View::Markup => self.comments.text(id),
            PieceKind::Picture(picture) => {
                let alt_text = picture.alt_text.clone();
                let shown = bracketed("image", alt_text.as_deref().unwrap_or_default());
                self.current.pictures.push(PictureRef { rel_id: picture.rel_id.clone(), alt_text });
                shown
            }
            PieceKind::Chart(id) => bracketed("chart", &self.related.chart_title(self.document, id)),
            PieceKind::Diagram(id) => bracketed("diagram", &self.related.diagram_text(self.document, id)),
            PieceKind::Text(_) | PieceKind::TextBox(_) | PieceKind::Comment(_) => String::new(),
        }
    }

    fn note(&mut self, id: &str, kind: NoteKind) -> String {
        let (at, label) = self.notes.label(id, kind);
        self.current.notes.push(at);
        format!("[^{label}]")
    }
}

fn bracketed(kind: &str, text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() { format!("[{kind}]") } else { format!("[{kind}: {text}]") }
}

/// The text of a paragraph with the signs of its level and its label.
fn prefixed(text: &str, label: Option<&Label>, heading: u8) -> String {
    let shown = label.map(|label| label.text.as_str()).filter(|label| !label.is_empty());
    if heading > 0 {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let signs = "#".repeat(usize::from(heading.min(6)));
        return match shown.filter(|_| label.is_some_and(|label| !label.bullet)) {
            Some(label) => format!("{signs} {label} {text}"),
            None => format!("{signs} {text}"),
        };
    }
    match (label, shown) {
        (Some(label), Some(shown)) => format!("{}{shown} {text}", "  ".repeat(label.level)),
        _ => text.to_owned(),
    }
}

impl Renderer<'_> {
    /// A table of the body as a Markdown table.
    fn table(&mut self, table: Table<'_>) -> (String, BlockKind) {
        let rows = tables::rows(table.node);
        let columns = tables::columns(&rows);
        let kind = BlockKind::Table { index: table.index, rows: rows.len(), columns };
        if !self.options.shows(table.mark) {
            return (String::new(), kind);
        }
        let mut cells: Vec<Vec<String>> = Vec::with_capacity(rows.len());
        let options = self.options;
        for row in rows.iter().filter(|row| options.shows(row.mark)) {
            cells.push(self.row(row).iter().map(|lines| table_cell(lines)).collect());
        }
        (markdown_table(&cells, columns), kind)
    }

    /// A table inside a cell, a note or a text box: cells on one line, rows on lines of their own.
    fn flat_table(&mut self, table: Node<'_>) -> String {
        let mut lines = Vec::new();
        let options = self.options;
        for row in tables::rows(table).iter().filter(|row| options.shows(row.mark)) {
            let cells = self.row(row).into_iter().map(|lines| lines.join(" "));
            lines.push(cells.filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join("; "));
        }
        lines.join("\n")
    }

    /// The lines of each cell, at its position in the grid; positions that merged cells cover stay empty.
    pub(super) fn row(&mut self, row: &Row<'_>) -> Vec<Vec<String>> {
        let mut cells: Vec<Vec<String>> = vec![Vec::new(); row.columns];
        for cell in row.cells.iter().filter(|cell| !cell.continues) {
            let lines = self.inner_blocks(cell.node);
            if let Some(place) = cells.get_mut(cell.column) {
                *place = lines;
            }
        }
        cells
    }
}

/// Text with its tracked changes marked. What one author inserted and another deleted is shown as deleted.
/// Adjacent changes of the same kind and author become one.
#[derive(Default)]
struct MarkedText<'t> {
    out: String,
    open: Mark<'t>,
}

impl<'t> MarkedText<'t> {
    fn push(&mut self, text: &str, mark: Mark<'t>) {
        if text.is_empty() {
            return;
        }
        if !same(mark, self.open) {
            self.close();
            self.open = mark;
            self.out.push_str(match (mark.deleted, mark.inserted) {
                (Some(_), _) => "[-",
                (None, Some(_)) => "[+",
                (None, None) => "",
            });
        }
        self.out.push_str(text);
    }

    fn finish(mut self) -> String {
        self.close();
        self.out
    }

    fn close(&mut self) {
        let (sign, node) = match (self.open.deleted, self.open.inserted) {
            (Some(node), _) => ("-]", node),
            (None, Some(node)) => ("+]", node),
            (None, None) => return,
        };
        self.out.push_str(sign);
        self.out.push('{');
        self.out.push_str(&author(node));
        self.out.push('}');
        self.open = Mark::default();
    }
}

fn same(a: Mark<'_>, b: Mark<'_>) -> bool {
    let kind = |mark: Mark<'_>| (mark.deleted.is_some(), mark.inserted.is_some());
    let person = |mark: Mark<'_>| mark.deleted.or(mark.inserted).map(author);
    kind(a) == kind(b) && person(a) == person(b)
}

/// The author of a tracked change.
pub(super) fn author(node: Node<'_>) -> String {
    word::attr(node, "author").map(std::borrow::Cow::into_owned).unwrap_or_default()
}

/// The lines of a cell on one line of a table. A bar inside it is written `\|`.
fn table_cell(lines: &[String]) -> String {
    lines.join("\n").trim().replace('|', "\\|").replace(['\n', '\r'], "<br>").replace('\t', " ")
}

/// A table whose first row is its header. Short rows are filled with empty cells, unless a damaged grid would make
/// nearly all of the table empty cells.
fn markdown_table(rows: &[Vec<String>], columns: usize) -> String {
    let Some((first, rest)) = rows.split_first() else { return String::new() };
    let plausible = is_plausible(rows.len().saturating_mul(columns), rows.iter().map(Vec::len).sum());
    let width = if plausible { columns } else { 0 };
    let mut out = table_line(first, width);
    out.push('\n');
    out.push('|');
    out.push_str(&" --- |".repeat(first.len().max(width).max(1)));
    for row in rest {
        out.push('\n');
        out.push_str(&table_line(row, width));
    }
    out
}

fn table_line(cells: &[String], width: usize) -> String {
    let mut out = String::from("|");
    for at in 0..cells.len().max(width).max(1) {
        let text = cells.get(at).map_or("", String::as_str);
        if !text.is_empty() {
            out.push(' ');
            out.push_str(text);
        }
        out.push_str(" |");
    }
    out
}
