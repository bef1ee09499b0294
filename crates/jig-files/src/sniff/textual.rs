//! Whether bytes are text, and which kind of text they are.

use std::borrow::Cow;

use jig_text::TextEncoding;
use serde::de::IgnoredAny;

use super::{Complete, Format};
use crate::kind::FileKind::*;

const PLAIN: Format = Format::plain(Text, "text/plain");
const SVG: Format = Format::plain(Svg, "image/svg+xml");
const XML: Format = Format::plain(Xml, "application/xml");
const HTML: Format = Format::plain(Html, "text/html");
const JSON: Format = Format::plain(Json, "application/json");
const CODE: Format = Format::plain(Code, "text/plain");
const RTF: Format = Format::new(Text, "application/rtf", "rich text (RTF)");

/// The kind of text that the bytes are; `None` if they are not text.
pub(super) fn text(named: Option<Format>, bytes: &[u8], complete: Complete) -> Option<Format> {
    let text = decode(bytes, complete)?;
    let text = text.trim_start();
    Some(match named.filter(|format| format.kind.is_text()) {
        // Only an SVG can be one; an XML file may be one as well.
        Some(format) if matches!(format.kind, Svg | Xml) => by_content(text, complete, format),
        Some(format) => format,
        None => by_content(text, complete, PLAIN),
    })
}

fn by_content(text: &str, complete: Complete, named: Format) -> Format {
    match root_element(text) {
        Some("svg") => SVG,
        _ if named.kind == Xml => named,
        Some(root) if root.eq_ignore_ascii_case("html") => HTML,
        _ if text.starts_with("<?xml") => XML,
        _ if text.starts_with("{\\rtf") => RTF,
        _ if is_json(text, complete) => JSON,
        _ if text.starts_with("#!") => CODE,
        _ => PLAIN,
    }
}

/// The name of the first element, after declaration, comments and document type.
fn root_element(mut text: &str) -> Option<&str> {
    loop {
        text = text.trim_start().strip_prefix('<')?;
        let end = match text {
            comment if comment.starts_with("!--") => "-->",
            declaration if declaration.starts_with('?') => "?>",
            doctype if doctype.get(..13).is_some_and(is_html_doctype) => return Some("html"),
            doctype if doctype.starts_with('!') => ">",
            _ => break,
        };
        (_, text) = text.split_once(end)?;
    }
    let name = text.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).next()?;
    // Some programs write SVG with a namespace prefix.
    name.rsplit(':').next()
}

fn is_html_doctype(start: &str) -> bool {
    start.eq_ignore_ascii_case("!doctype html")
}

/// Only objects and arrays: a text of one number or word is valid JSON, but rarely intended as such.
fn is_json(text: &str, complete: Complete) -> bool {
    complete == Complete::Whole && text.starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

fn decode(bytes: &[u8], complete: Complete) -> Option<Cow<'_, str>> {
    let encoding = match complete {
        Complete::Whole => TextEncoding::detect(bytes),
        Complete::Head => TextEncoding::detect_head(bytes),
    };
    let (text, had_errors) = encoding.decode(bytes);
    // A few bytes that are not UTF-8 among many characters that are make no binary file of it.
    let mostly_text = encoding == TextEncoding::UTF_8;
    let damaged = had_errors && !only_cut_off(&text, complete) && !mostly_text;
    if damaged || text.contains('\0') {
        return None;
    }
    // A wrong guess among legacy encodings turns binary data into control characters.
    let tolerated = if encoding.is_legacy() { 500 } else { 100 };
    let characters = text.chars().count();
    let controls = text.chars().filter(|&c| is_odd(c)).count();
    (controls * tolerated <= characters).then_some(text)
}

/// Whether the only undecodable place is the end, where the head of a file may cut a character.
fn only_cut_off(text: &str, complete: Complete) -> bool {
    let body = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
    complete == Complete::Head && !body.contains(char::REPLACEMENT_CHARACTER)
}

/// Control characters that text has no use for. Tabs, page breaks, escape sequences, backspaces and
/// the DOS end mark do occur.
fn is_odd(c: char) -> bool {
    // U+0001 and U+001F are delimiters of database exports.
    let usual = ['\t', '\n', '\r', '\x0b', '\x0c', '\x1b', '\x08', '\x1a', '\u{85}', '\x01', '\x1f'];
    c.is_control() && !usual.contains(&c)
}
