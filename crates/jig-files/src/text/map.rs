//! The map of a text: its size, its chunks, and what its kind says at a glance: the shape of JSON, the columns of a
//! table, the headings of Markdown.

use std::io::Cursor;

use jig_file_api::read::text::{LineChunk, TextFileMap, TextHeading, TextTable};
use jig_text::csv::{CsvError, CsvFile, CsvOptions, TableLayout, has_extra_fields};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{Text, json};
use crate::kind::FileKind;

/// The most chunks and headings that are listed; the number of all is reported beside them.
const MOST: usize = 2_000;
/// The most columns that are named.
const MOST_COLUMNS: usize = 500;
/// The largest Markdown text whose headings are listed. The parser needs many times the size of a text with short lines.
const MOST_MARKDOWN_BYTES: usize = 32 << 20;

pub(super) fn map(text: &Text, bytes: &[u8], kind: FileKind) -> TextFileMap {
    let lines = text.map();
    let chunk_count = Some(lines.chunks.len()).filter(|count| *count > MOST);
    let mut map = TextFileMap {
        line_count: lines.line_count,
        char_count: lines.char_count,
        encoding: text.encoding().name(),
        bom: text.encoding().has_bom(),
        line_ending: text.line_ending().as_str(),
        final_newline: text.final_newline(),
        chunks: lines
            .chunks
            .iter()
            .take(MOST)
            .map(|chunk| LineChunk { index: chunk.index, lines: chunk.lines.to_string() })
            .collect(),
        chunk_count,
        json: None,
        table: None,
        headings: None,
        warnings: Vec::new(),
    };
    if let Some(count) = chunk_count {
        map.warnings.push(format!("chunks: the first {MOST} of {count} are listed"));
    }
    match kind {
        FileKind::Json => map.json = Some(json::shape(text.content())),
        FileKind::Csv | FileKind::Tsv => match table(text, bytes) {
            Ok(table) => map.table = Some(table),
            Err(error) => map.warnings.push(format!("table: {error}")),
        },
        FileKind::Markdown if text.content().len() > MOST_MARKDOWN_BYTES => {
            map.warnings.push(format!("headings: not listed for a text of more than {MOST_MARKDOWN_BYTES} bytes"));
        }
        FileKind::Markdown => {
            let mut headings = headings(text);
            if headings.len() > MOST {
                map.warnings.push(format!("headings: the first {MOST} of {} are listed", headings.len()));
                headings.truncate(MOST);
            }
            map.headings = Some(headings);
        }
        _ => {}
    }
    map
}

/// The columns of a delimited text, as the table methods read them.
fn table(text: &Text, bytes: &[u8]) -> Result<TextTable, CsvError> {
    let options = CsvOptions { charset: Some(text.encoding().charset()), ..CsvOptions::default() };
    let mut file = CsvFile::open(Cursor::new(bytes), &options)?;
    let delimiter = char::from(file.format().dialect.delimiter).to_string();
    let mut reader = file.records()?;
    let mut records = reader.next_batch()?.unwrap_or_default();
    let layout = TableLayout::detect(&records, None);
    let width = layout.names.len();
    // A record with more fields than there are names adds a column, wherever in the file it is.
    let mut extra = false;
    loop {
        extra = extra || layout.rows(&records).any(|row| has_extra_fields(&records, row, width));
        if extra || !reader.read_batch(&mut records)? {
            break;
        }
    }
    Ok(TextTable {
        delimiter,
        has_header: layout.has_header,
        column_count: width + usize::from(extra),
        more: "TabularGetMap tells types and rows; the table tools read, filter and query them",
        columns: layout.has_header.then(|| layout.names.iter().take(MOST_COLUMNS).map(ToString::to_string).collect()),
    })
}

/// The level of a heading, where it begins, and the range of what is in it.
type OpenHeading = (usize, usize, Option<(usize, usize)>);

/// The headings that divide a Markdown text: not those in quotes and lists, nor what looks like one in code or in the
/// metadata at the start.
fn headings(text: &Text) -> Vec<TextHeading> {
    let content = text.content();
    let mut found = Vec::new();
    // Quotes and list items that are open.
    let mut containers = 0;
    // The heading that is open, and the range of what is in it.
    let mut open: Option<OpenHeading> = None;
    for (event, range) in Parser::new_ext(content, Options::ENABLE_YAML_STYLE_METADATA_BLOCKS).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_) | Tag::Item) => containers += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::Item) => containers -= 1,
            Event::Start(Tag::Heading { level, .. }) => open = Some((level as usize, range.start, None)),
            Event::End(TagEnd::Heading(_)) => {
                let Some((level, start, inside)) = open.take().filter(|_| containers == 0) else { continue };
                // The source between the markers, so that a search for the heading finds it.
                let source = inside.and_then(|(start, end)| content.get(start..end)).unwrap_or_default();
                let words: Vec<&str> = source.lines().map(str::trim).collect();
                found.push(TextHeading { level, text: words.join(" "), line: text.line_at(start) + 1 });
            }
            _ => {
                if let Some((_, _, inside)) = &mut open {
                    let (start, end) = inside.unwrap_or((range.start, range.end));
                    *inside = Some((start.min(range.start), end.max(range.end)));
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, String, usize)> {
        headings(&Text::decode(text.as_bytes())).into_iter().map(|one| (one.level, one.text, one.line)).collect()
    }

    #[test]
    fn headings_are_found_and_code_is_not_taken_for_one() {
        let text = "---\n# not this: 1\n---\n# One #\ntext\n```sh\n# comment\n```\nTwo\n---\n\n    # code\n### Three#\n#no\n~~~\n# in\n```\n~~~\nEnd\n===\n- list\n---\n";
        let expected = [(1, "One", 4), (2, "Two", 9), (3, "Three#", 13), (1, "End", 19)];
        assert_eq!(found(text), expected.map(|(level, text, line)| (level, text.to_owned(), line)));
    }

    #[test]
    fn markup_in_a_heading_stays_and_quoted_headings_are_not_listed() {
        let text = "> # quoted\n\n- # item\n\n# The *first* `part` [x](y)\r\n\r\ntwo\r\nlines\r\n===\n\n#\n";
        let expected = [(1, "The *first* `part` [x](y)", 5), (1, "two lines", 7), (1, "", 11)];
        assert_eq!(found(text), expected.map(|(level, text, line)| (level, text.to_owned(), line)));
    }
}
