//! Text laid out on pages, for files that no renderer can draw.

use std::sync::Arc;

use serde_json::{Value, json};

use super::sheet::{Line, Sheet, write};
use crate::pdf::{Document, PdfError};

/// Which paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A4, 36 lines.
    Page,
    /// 16 to 9, 16 lines.
    Slide,
}

/// The measures of a paper, in points.
struct Paper {
    width: f32,
    height: f32,
    margin: f32,
    lines: usize,
    size: f32,
}

impl Kind {
    const fn paper(self) -> Paper {
        match self {
            // 1,240 by 1,754 and 1,280 by 720 pixels at scale 1.
            Self::Page => Paper { width: 595.2, height: 841.92, margin: 54.0, lines: 36, size: 11.0 },
            Self::Slide => Paper { width: 614.4, height: 345.6, margin: 32.0, lines: 16, size: 11.0 },
        }
    }
}

/// A plain rendering.
pub(crate) struct Plain {
    sheets: Vec<Sheet>,
    notices: Vec<String>,
}

impl Plain {
    /// One text over as many pages as it takes.
    pub(crate) fn flowing(text: &str, kind: Kind) -> Self {
        let mut plain = Self { sheets: Vec::new(), notices: Vec::new() };
        let lines = plain.lines(text, kind);
        let paper = kind.paper();
        plain.sheets = lines.chunks(paper.lines).map(|lines| sheet(&paper, lines)).collect();
        if plain.sheets.is_empty() {
            plain.sheets.push(sheet(&paper, &[]));
        }
        plain
    }

    /// Each text on a page of its own; what is too long for its page is left out, with a notice.
    pub(crate) fn one_each(texts: &[String], kind: Kind) -> Self {
        let mut plain = Self { sheets: Vec::new(), notices: Vec::new() };
        let paper = kind.paper();
        for (at, text) in texts.iter().enumerate() {
            let lines = plain.lines(text, kind);
            if lines.len() > paper.lines {
                plain.notices.push(format!("the text of slide {} does not fit and is cut", at + 1));
            }
            let fitting = lines.get(..paper.lines).unwrap_or(&lines);
            plain.sheets.push(sheet(&paper, fitting));
        }
        plain
    }

    /// A page of it, in the protocol's words.
    pub(crate) fn answer(self, params: &Value) -> Result<Value, PdfError> {
        let bytes: Arc<[u8]> = write(&self.sheets).into();
        let mut answer = super::answer(&Document::open(&bytes)?, params)?;
        let mut notice = "a plain rendering of the text: the layout is not that of the file".to_owned();
        for more in self.notices {
            notice.push_str("; ");
            notice.push_str(&more);
        }
        answer["notice"] = json!(notice);
        answer["renderer"] = json!("plain");
        Ok(answer)
    }

    /// Lines that fit the width of the paper.
    fn lines(&mut self, text: &str, kind: Kind) -> Vec<Row> {
        let paper = kind.paper();
        let room = (paper.width - 2.0 * paper.margin) / paper.size * 1_000.0;
        let mut rows = Vec::new();
        let mut lost = 0;
        for line in text.lines() {
            let heading = line.starts_with('#');
            let line = line.trim_start_matches('#').replace('\t', "   ");
            let line = if heading { line.trim() } else { line.trim_end() };
            let (bytes, missing) = windows(line);
            lost += missing;
            rows.extend(wrapped(&bytes, room).into_iter().map(|bytes| Row { bytes, heading }));
        }
        if lost > 0 {
            let words = format!("{lost} characters have no glyph in the plain font and are shown as ?");
            if !self.notices.contains(&words) {
                self.notices.push(words);
            }
        }
        rows
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    bytes: Vec<u8>,
    heading: bool,
}

/// A text in Windows-1252, and how many characters it does not have.
fn windows(text: &str) -> (Vec<u8>, usize) {
    let mut bytes = Vec::with_capacity(text.len());
    let mut missing = 0;
    let mut buffer = [0; 4];
    for char in text.chars() {
        let (encoded, _, unmapped) = encoding_rs::WINDOWS_1252.encode(char.encode_utf8(&mut buffer));
        if unmapped || char.is_control() {
            missing += 1;
            bytes.push(b'?');
        } else {
            bytes.extend_from_slice(&encoded);
        }
    }
    (bytes, missing)
}

/// Breaks a line between words, or inside of one that is longer than a line.
fn wrapped(line: &[u8], room: f32) -> Vec<Vec<u8>> {
    let mut rows = vec![Vec::new()];
    let mut used = 0.0;
    for word in line.split_inclusive(|byte| *byte == b' ') {
        let length: f32 = word.iter().copied().map(width).sum();
        if used > 0.0 && used + length > room {
            rows.push(Vec::new());
            used = 0.0;
        }
        for &byte in word {
            if used + width(byte) > room && used > 0.0 {
                rows.push(Vec::new());
                used = 0.0;
            }
            if let Some(row) = rows.last_mut() {
                row.push(byte);
            }
            used += width(byte);
        }
    }
    rows
}

/// About how wide a character of a sans serif is, in thousandths of its size, on the wide side.
const fn width(byte: u8) -> f32 {
    match byte {
        b'i' | b'j' | b'l' | b'\'' | b'|' => 240.0,
        b' ' | b'.' | b',' | b':' | b';' | b'!' | b'f' | b't' | b'I' | b'/' | b'(' | b')' | b'[' | b']' => 290.0,
        b'r' | b'-' => 340.0,
        b'm' | b'M' => 850.0,
        b'W' | b'w' | b'%' | b'@' => 960.0,
        b'A'..=b'Z' | 0xC0..=0xDE => 760.0,
        0x80..=0x9F => 800.0,
        _ => 560.0,
    }
}

fn sheet(paper: &Paper, rows: &[Row]) -> Sheet {
    let step = (paper.height - 2.0 * paper.margin) / paper.lines as f32;
    let line = |(at, row): (usize, &Row)| Line {
        x: paper.margin,
        y: paper.margin + step * (at as f32 + 0.75),
        size: paper.size,
        bold: row.heading,
        bytes: row.bytes.clone(),
    };
    Sheet { width: paper.width, height: paper.height, lines: rows.iter().enumerate().map(line).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_flows_over_pages_of_36_lines_and_slides_have_16() {
        let text = "line\n".repeat(80);
        assert_eq!(Plain::flowing(&text, Kind::Page).sheets.len(), 3);
        assert_eq!(Plain::flowing("", Kind::Page).sheets.len(), 1);
        let slides = Plain::one_each(&["a\n".repeat(17), "b".to_owned()], Kind::Slide);
        assert_eq!(slides.sheets.iter().map(|sheet| sheet.lines.len()).collect::<Vec<_>>(), [16, 1]);
        assert_eq!(slides.notices, ["the text of slide 1 does not fit and is cut"]);
    }

    #[test]
    fn long_lines_are_broken_and_lose_nothing() {
        let line = "word ".repeat(60) + &"x".repeat(300);
        let rows = wrapped(line.as_bytes(), 40_000.0);
        assert!(rows.len() > 3 && rows.iter().all(|row| row.len() < 200));
        assert_eq!(rows.concat(), line.as_bytes());
    }

    #[test]
    fn what_the_font_lacks_is_counted() {
        assert_eq!(windows("Größe 日本 €"), (b"Gr\xF6\xDFe ?? \x80".to_vec(), 2));
    }

    #[test]
    fn the_rendering_has_the_protocols_sizes() {
        let page = Plain::flowing("# Title\nText", Kind::Page).answer(&json!({})).unwrap();
        assert_eq!((&page["width"], &page["height"], &page["page_count"]), (&json!(1240), &json!(1754), &json!(1)));
        let slide = Plain::one_each(&["Text".to_owned()], Kind::Slide).answer(&json!({})).unwrap();
        assert_eq!(
            (&slide["width"], &slide["height"], &slide["scaled_down"]),
            (&json!(1280), &json!(720), &json!(false))
        );
    }
}
