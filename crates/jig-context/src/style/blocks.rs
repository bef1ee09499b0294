//! Splits a style document into blocks. Accepts Markdown and the plain text that people type or word processors export.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, OffsetIter, Options, Parser, Tag, TagEnd};

use super::plain;

/// Blocks nested deeper are treated as text.
const DEPTH_MAX: usize = 24;

/// A block of a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Block {
    Heading {
        level: usize,
        text: String,
    },
    /// Its lines, without quote and list markers.
    Paragraph(Vec<String>),
    List {
        items: Vec<Vec<Block>>,
        /// The source text.
        raw: String,
    },
    Table {
        header: Vec<String>,
        rows: Vec<Vec<String>>,
    },
    Code(String),
    Quote(Vec<Block>),
    /// Anything else, as source text.
    Verbatim(String),
}

/// Parses a document into blocks.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let text = plain::as_markdown(text);
    let mut events = Parser::new_ext(&text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).into_offset_iter();
    read(&mut events, &text, 0)
}

/// Parses blocks up to the end of the enclosing element.
fn read(events: &mut OffsetIter<'_>, text: &str, depth: usize) -> Vec<Block> {
    let mut found = Vec::new();
    // Items of tight lists contain inline content without a paragraph.
    let mut inline: Option<Range<usize>> = None;
    while let Some((event, range)) = events.next() {
        let tag = match event {
            Event::End(_) => break,
            Event::Start(tag) => tag,
            Event::Rule => {
                flush(&mut inline, text, &mut found);
                continue;
            }
            _ => {
                extend(&mut inline, range);
                continue;
            }
        };
        if !is_block(&tag) {
            skip(events);
            extend(&mut inline, range);
            continue;
        }
        flush(&mut inline, text, &mut found);
        let raw = text.get(range.clone()).unwrap_or_default();
        found.push(match tag {
            Tag::Heading { level, .. } => Block::Heading { level: level as usize, text: inner_text(events) },
            Tag::Paragraph => {
                skip(events);
                Block::Paragraph(lines(raw))
            }
            Tag::CodeBlock(kind) => {
                let code = inner_text(events);
                // Indented lines in plain text are usually nested lists, not code.
                if matches!(kind, CodeBlockKind::Indented) { Block::Paragraph(lines(&code)) } else { Block::Code(code) }
            }
            Tag::List(_) if depth < DEPTH_MAX => Block::List { items: items(events, text, depth), raw: raw.to_owned() },
            Tag::BlockQuote(_) if depth < DEPTH_MAX => Block::Quote(read(events, text, depth + 1)),
            Tag::Table(_) => table(events, text),
            Tag::HtmlBlock => {
                skip(events);
                Block::Verbatim(raw.replace('<', "\\<"))
            }
            _ => {
                skip(events);
                Block::Verbatim(raw.to_owned())
            }
        });
    }
    flush(&mut inline, text, &mut found);
    found
}

fn is_block(tag: &Tag<'_>) -> bool {
    !matches!(
        tag,
        Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Link { .. }
            | Tag::Image { .. }
            | Tag::Superscript
            | Tag::Subscript
    )
}

fn extend(inline: &mut Option<Range<usize>>, range: Range<usize>) {
    let start = inline.as_ref().map_or(range.start, |inline| inline.start);
    *inline = Some(start..range.end);
}

fn flush(inline: &mut Option<Range<usize>>, text: &str, found: &mut Vec<Block>) {
    if let Some(range) = inline.take() {
        found.push(Block::Paragraph(lines(text.get(range).unwrap_or_default())));
    }
}

fn items(events: &mut OffsetIter<'_>, text: &str, depth: usize) -> Vec<Vec<Block>> {
    let mut items = Vec::new();
    while let Some((event, _)) = events.next() {
        match event {
            Event::Start(Tag::Item) => items.push(read(events, text, depth + 1)),
            Event::End(TagEnd::List(_)) => break,
            _ => {}
        }
    }
    items
}

fn table(events: &mut OffsetIter<'_>, text: &str) -> Block {
    let (mut header, mut rows) = (Vec::new(), Vec::new());
    let mut row = Vec::new();
    while let Some((event, range)) = events.next() {
        match event {
            Event::Start(Tag::TableCell) => {
                skip(events);
                let cell = text.get(range).unwrap_or_default();
                row.push(lines(cell.trim().trim_matches('|')).join(" "));
            }
            Event::End(TagEnd::TableHead) => header = std::mem::take(&mut row),
            Event::End(TagEnd::TableRow) => rows.push(std::mem::take(&mut row)),
            Event::End(TagEnd::Table) => break,
            _ => {}
        }
    }
    Block::Table { header, rows }
}

/// Skips the content of the element that was just opened.
fn skip(events: &mut OffsetIter<'_>) {
    inner_text(events);
}

/// Skips the content of the element that was just opened, and returns its text.
fn inner_text(events: &mut OffsetIter<'_>) -> String {
    let (mut text, mut depth) = (String::new(), 0_usize);
    for (event, _) in events {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) if depth == 0 => break,
            Event::End(_) => depth -= 1,
            Event::Text(part) | Event::Code(part) => text += &part,
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            _ => {}
        }
    }
    text
}

/// The lines of a paragraph, without indentation and quote markers.
fn lines(raw: &str) -> Vec<String> {
    let line = |(at, line): (usize, &str)| {
        let line = if at == 0 { line.trim() } else { line.trim_start_matches([' ', '\t', '>']).trim_end() };
        line.trim_end_matches('\\').trim_end().to_owned()
    };
    raw.lines().enumerate().map(line).filter(|line| !line.is_empty()).collect()
}
