//! Small components: markup, splices, formulas, number formats, file kinds, text.

use std::num::NonZeroUsize;

use jig_files::{Complete, Diff, FileKind, LineRange, Text, count_tokens, cut_by_tokens, diff, sniff, summary};
use jig_ooxml::xlsx::address::CellRef;
use jig_ooxml::xlsx::formula::{
    Axis, Dependencies, Edit, EditKind, StructuredRef, delete_sheet, rename_sheet, shift, shift_sqref, tokens,
    translate,
};
use jig_ooxml::xlsx::number_format::{NumberFormat, general};
use jig_ooxml::xlsx::serial_date::DateSystem;
use jig_ooxml::xml::{Node, Splice, XmlPart, escape_attribute, escape_text, strip_illegal, unescape};

use super::office::LIMITS;

/// Any bytes as a part.
pub(super) fn xml(bytes: &[u8]) {
    let Ok(part) = XmlPart::decode("part.xml", bytes.to_vec()) else { return };
    let Ok(tree) = part.tree(&LIMITS) else { return };
    let root = tree.root();
    let mut splice = Splice::new(&part.text);
    for node in root.descendants() {
        nested(node);
        if let Some(range) = node.attr_value_range("val") {
            splice.replace(range, escape_attribute("<&\"'"));
        }
    }
    splice.append(root, "<new/>");
    let text = splice.finish().expect("changes of different attributes do not meet");
    let mut edited = part.clone();
    edited.text = text;
    let again = edited.tree(&LIMITS);
    assert!(again.is_ok(), "well-formed before the edit and not after: {again:?}");
    let decoded = XmlPart::decode("part.xml", edited.encode());
    assert_eq!(decoded.map(|part| part.text), Ok(edited.text.clone()), "not the same text when read again");
}

/// A node is within its parent and after its previous sibling.
fn nested(node: Node<'_>) {
    let range = node.range();
    let outer = node.parent().map_or(0..usize::MAX, Node::inner_range);
    let before = node.previous().map_or(outer.start, |before| before.range().end);
    assert!(outer.start <= range.start && range.end <= outer.end && before <= range.start, "{range:?} in {outer:?}");
    assert!(!node.source().is_empty());
    let _ = (node.text(), node.attributes().count(), node.local());
}

/// Edits by position, compared with a simple slow editor. Three bytes per edit, then the text.
pub(super) fn splice(bytes: &[u8]) {
    let (count, rest) = bytes.split_first().map_or((0, bytes), |(first, rest)| (usize::from(*first % 8), rest));
    let (head, text) = rest.split_at((count * 3).min(rest.len()));
    let text = String::from_utf8_lossy(text.get(..text.len().min(600)).unwrap_or_default()).into_owned();
    let mut splice = Splice::new(&text);
    let mut changes: Vec<(usize, usize, String)> = Vec::new();
    for (number, change) in head.chunks_exact(3).enumerate() {
        let [start, length, with] = change else { continue };
        let (start, end) = (usize::from(*start), usize::from(*start) + usize::from(*length % 16));
        let with = "+".repeat(usize::from(*with % 3)) + &number.to_string();
        splice.replace(start..end, with.clone());
        changes.push((start, end, with));
    }
    assert_eq!(splice.finish().ok(), plainly(&text, changes));
    assert_eq!(unescape(&escape_text(&text)), strip_illegal(&text).0);
}

fn plainly(text: &str, mut changes: Vec<(usize, usize, String)>) -> Option<String> {
    changes.sort_by_key(|(start, end, _)| (*start, start != end));
    let overlap = changes.windows(2).any(|pair| matches!(pair, [one, other] if one.1 > other.0));
    let whole = changes.iter().all(|(start, end, _)| text.get(*start..*end).is_some());
    if overlap || !whole {
        return None;
    }
    let mut out = text.to_owned();
    for (start, end, with) in changes.iter().rev() {
        out.replace_range(*start..*end, with);
    }
    Some(out)
}

/// Any text as a formula.
pub(super) fn formula(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    covered(&text);
    let _ = (Dependencies::of(&text), StructuredRef::parse(&text));
    let (Some(near), Some(far)) = (CellRef::new(1, 1), CellRef::new(9, 9)) else { return };
    for kind in [EditKind::Insert, EditKind::Delete] {
        for (axis, at, count) in [(Axis::Rows, 2, 3), (Axis::Columns, 1, u32::MAX), (Axis::Rows, 0, 0)] {
            let edit = Edit { sheet: "Sheet1".to_owned(), axis, kind, at, count };
            covered(&shift(&text, "Sheet1", &edit).text);
            let _ = shift_sqref(&text, &edit);
        }
    }
    covered(&rename_sheet(&text, "Sheet1", "It's").text);
    covered(&delete_sheet(&text, "Sheet1", &["Sheet1"]).text);
    covered(&translate(&text, far, near).text);
    assert_eq!(translate(&text, near, near).text, text, "moved by nothing");
}

/// The tokens add up to the text.
fn covered(text: &str) {
    let mut position = 0;
    for token in tokens(text) {
        assert!(token.start == position && !token.text.is_empty(), "{text:?} at {position}");
        position += token.text.len();
    }
    assert_eq!(position, text.len(), "{text:?}");
}

/// A format code on the first line, values on the others.
pub(super) fn number_format(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines();
    let code = lines.next().unwrap_or_default();
    let format = NumberFormat::parse(code);
    let given = lines.clone().filter_map(|line| line.parse().ok());
    let values = [0.0, -0.0, 1.0, -1.5, 0.1, 45_678.9, 1e15, -1e-7, 1e308, f64::MIN_POSITIVE, f64::NAN, f64::INFINITY];
    for value in values.into_iter().chain(given) {
        for dates in [DateSystem::From1900, DateSystem::From1904] {
            let shown = format.number(value, dates);
            assert!(shown.len() <= 1000 + 700 * code.len(), "{} bytes for {value} by {code:?}", shown.len());
        }
        let _ = general(value);
    }
    let shown = format.text("text");
    assert!(shown.len() <= 8 * (code.len() + 1), "{} bytes of text by {code:?}", shown.len());
    let _ = (format.is_date(), format.has_day(), format.shows_letters(), format.is_general());
}

/// Any bytes as a file with various names.
pub(super) fn sniffed(bytes: &[u8]) {
    for complete in [Complete::Whole, Complete::Head] {
        for name in ["file", "file.docx", "file.doc", "file.csv", "file.svg", "file.json"] {
            let one = sniff(name, bytes, complete);
            assert_eq!(one, sniff(name, bytes, complete));
        }
    }
}

/// Any bytes as text, and as another version of a text.
pub(super) fn text(bytes: &[u8]) {
    let bytes = bytes.get(..bytes.len().min(20_000)).unwrap_or_default();
    let text = Text::decode(bytes);
    let map = text.map();
    assert!(map.line_count <= text.content().len() + 1, "{map:?}");
    let _ = (text.final_newline(), text.lines(LineRange { start: 2, count: 3 }));
    let written = text.format().encode(text.content());
    assert!(!text.round_trips() || written.as_deref() == Ok(bytes), "not written as it was");
    let cut = cut_by_tokens(text.content(), 20);
    assert!(text.content().starts_with(cut) && count_tokens(cut) <= 20);
    let difference = diff(FileKind::Text, FileKind::Text, Some(bytes), Some(b"a\nb\n"));
    assert!(!summary(&difference).is_empty());
    if let Diff::Text(difference) = difference {
        let _ = (difference.to_unified("a"), difference.page(0, NonZeroUsize::MIN));
    }
}
