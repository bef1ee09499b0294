//! A section with its runs, tables and images.

use jig_file_api::read::docx::{
    ImageContent, ListLabel, ParagraphContent, RunContent, SectionBody, SectionContent, SectionQuery, SectionRef,
    TableContent, View,
};

use super::review;
use crate::docx::blocks::{self, Block, Paragraph, Table};
use crate::docx::document::Document;
use crate::docx::inline::{self, Piece, PieceKind};
use crate::docx::outline::Outline;
use crate::docx::render::notes::Comments;
use crate::docx::render::{RenderOptions, Renderer};
use crate::docx::sections::{Section, ambiguity, find_section};
use crate::docx::styles::RunFormat;
use crate::docx::tables;
use crate::docx::word;
use crate::error::Error;
use crate::xml::{Node, Ns, Tree};

/// The most paragraphs, runs, cells, tables and images in one reply.
const MOST_ITEMS: usize = 20_000;

/// One section. Its heading is its first paragraph.
pub(in crate::docx) fn section(document: &Document, query: &SectionQuery) -> Result<SectionContent, Error> {
    let tree = document.main.tree(&document.limits)?;
    let outline = document.outline()?;
    let all = &outline.sections;
    let mut warnings = document.supporting().warnings.clone();
    let first = SectionRef::from(0);
    let wanted = query.section_index.as_ref().unwrap_or(&first);
    let section_index = find_section(all, wanted, "section_index")?;
    warnings.extend(ambiguity(all, wanted, section_index));
    let section = all.get(section_index).cloned().unwrap_or_default();
    let comments = Comments::default();
    let mut reader = SectionReader {
        document,
        renderer: Renderer::new(document, RenderOptions::default(), &comments),
        from: query.from_paragraph,
        left: MOST_ITEMS,
        tables: Vec::new(),
        images: Vec::new(),
        tables_left_out: 0,
        images_left_out: 0,
        warnings,
    };
    let (paragraphs, next_paragraph) = reader.read(&outline, &tree, &section);
    let SectionReader { tables, images, tables_left_out, images_left_out, mut warnings, .. } = reader;
    for (count, what) in [(tables_left_out, "tables"), (images_left_out, "images")] {
        if count > 0 {
            warnings.push(format!("{count} {what} of the section are left out"));
        }
    }
    if let Some(next) = next_paragraph {
        warnings.push(format!("the section continues: call again with from_paragraph {next}"));
    }
    let shown = outline.blocks(&tree, section.blocks.clone());
    let from = shown.iter().position(|block| block.paragraph().is_some_and(|one| one.index >= query.from_paragraph));
    let to = next_paragraph
        .and_then(|next| shown.iter().position(|block| block.paragraph().is_some_and(|one| one.index >= next)));
    let shown = shown.get(from.unwrap_or(0)..to.unwrap_or(shown.len())).unwrap_or_default();
    let comments = review::comments(document, shown, &mut warnings)?;
    let tracked_changes = review::changes(shown, &mut warnings);
    let body = SectionBody { heading: section.heading, level: section.level, paragraphs, tables, images };
    Ok(SectionContent {
        section_index,
        section_count: all.len(),
        section: body,
        comments,
        tracked_changes,
        next_paragraph,
        warnings,
    })
}

struct SectionReader<'s> {
    document: &'s Document,
    /// Counts lists and renders cells.
    renderer: Renderer<'s>,
    /// The paragraph to begin with.
    from: usize,
    /// How many more items the reply may hold.
    left: usize,
    tables: Vec<TableContent>,
    images: Vec<ImageContent>,
    tables_left_out: usize,
    images_left_out: usize,
    warnings: Vec<String>,
}

impl SectionReader<'_> {
    /// The paragraphs, and the first one that did not fit.
    fn read(
        &mut self,
        outline: &Outline,
        tree: &Tree<'_>,
        section: &Section,
    ) -> (Vec<ParagraphContent>, Option<usize>) {
        let is_before = |block: &Block<'_>| block.paragraph().is_none_or(|paragraph| paragraph.index < self.from);
        let own = outline.blocks(tree, section.blocks.clone());
        let skipped = if self.from == 0 { 0 } else { own.iter().take_while(|block| is_before(block)).count() };
        outline.count_lists_before(section.blocks.start + skipped, tree, &mut self.renderer);
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

    fn paragraph(&mut self, paragraph: Paragraph<'_>) -> ParagraphContent {
        let is_shown = paragraph.mark.is_in(View::Final);
        let pieces = if is_shown { inline::pieces(paragraph.node) } else { Vec::new() };
        self.add_images(&pieces);
        let style_id = paragraph.style_id();
        let styles = &self.document.supporting().styles;
        let style = match &style_id {
            Some(id) => styles.get(id),
            None => styles.default_paragraph(),
        };
        let mut all = runs(self.document, style_id.as_deref(), &pieces);
        let runs: Vec<RunContent> = all.by_ref().take(self.left).collect();
        if all.next().is_some() {
            self.warnings.push(format!("only {} runs of paragraph {} are given", runs.len(), paragraph.index));
        }
        self.left = self.left.saturating_sub(runs.len() + 1);
        let label = self.renderer.label(paragraph);
        ParagraphContent {
            index: paragraph.index,
            text: inline::text(&pieces, View::Final),
            style: style.map(|style| style.name.clone()).or(style_id),
            runs,
            list: label.map(|label| ListLabel { label: label.text, level: label.level, bullet: label.bullet }),
        }
    }

    fn table(&mut self, table: Table<'_>) {
        if self.left == 0 {
            self.tables_left_out += 1;
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
        let col_count = tables::columns(&rows);
        self.tables.push(TableContent { index: table.index, row_count: rows.len(), col_count, rows: texts });
    }

    fn add_images(&mut self, pieces: &[Piece<'_>]) {
        for piece in pieces.iter().filter(|piece| piece.mark.is_in(View::Final)) {
            let PieceKind::Picture(picture) = &piece.kind else { continue };
            if self.left == 0 {
                self.images_left_out += 1;
                continue;
            }
            self.left -= 1;
            let relationship = self.document.names.relationships.by_id(&picture.rel_id);
            self.images.push(ImageContent {
                rel_id: picture.rel_id.clone(),
                target: relationship.map(|found| found.target.clone()),
                alt_text: picture.alt_text.clone(),
            });
        }
    }
}

/// The runs with text, with tracked changes accepted. A format that neither run nor styles specify is none.
fn runs<'a>(
    document: &'a Document,
    style_id: Option<&str>,
    pieces: &'a [Piece<'_>],
) -> impl Iterator<Item = RunContent> + use<'a> {
    let mut grouped: Vec<(Option<Node<'_>>, String)> = Vec::new();
    for piece in pieces.iter().filter(|piece| piece.mark.is_in(View::Final)) {
        let PieceKind::Text(text) = &piece.kind else { continue };
        match grouped.last_mut() {
            Some((run, before)) if *run == piece.run && run.is_some() => before.push_str(text),
            _ => grouped.push((piece.run, text.clone().into_owned())),
        }
    }
    let styles = &document.supporting().styles;
    let base = styles.resolved(style_id).map(|style| style.run.clone()).unwrap_or_default();
    let runs = grouped.into_iter().filter(|(_, text)| !text.is_empty()).enumerate();
    runs.map(move |(index, (run, text))| {
        let format = effective_format(document, &base, run);
        RunContent {
            index,
            text,
            bold: format.bold,
            italic: format.italic,
            underline: format.underline,
            size_pt: format.size_pt,
            font_name: format.font_name(styles.theme()).map(str::to_owned),
            color: format.color.as_ref().map(|color| format!("#{color}")),
        }
    })
}

/// The format of a run: its own, over that of its character style, over that of the paragraph style.
fn effective_format(document: &Document, base: &RunFormat, run: Option<Node<'_>>) -> RunFormat {
    let styles = &document.supporting().styles;
    let properties = run.and_then(|run| run.child(Ns::W, "rPr"));
    let direct = properties.map(RunFormat::read).unwrap_or_default();
    let style = properties.and_then(|properties| word::child_val(properties, "rStyle"));
    let style = style.and_then(|id| styles.resolved(Some(&id)));
    let styled = match style {
        Some(style) => style.run.clone().style_over(base),
        None => base.clone(),
    };
    direct.over(&styled).over(styles.defaults())
}
