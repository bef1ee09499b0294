//! Parses tags and attributes as bytes: enough to walk the rows and cells of a sheet without building a tree.

use std::ops::Range;

use memchr::{memchr, memmem};

pub(crate) use crate::xml::scan::{Attributes, RawAttribute as Attr, local, markup_end};

/// The qualified name of a start or end tag.
pub(crate) fn tag_name(tag: &[u8]) -> &[u8] {
    let start = if tag.get(1) == Some(&b'/') { 2 } else { 1 };
    let rest = tag.get(start..).unwrap_or_default();
    let end = rest.iter().position(|b| b.is_ascii_whitespace() || matches!(b, b'/' | b'>')).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

/// Whether a tag is written as `<a/>`.
pub(crate) fn is_single(tag: &[u8]) -> bool {
    tag.ends_with(b"/>")
}

/// The attributes of a start tag in order.
pub(crate) fn attrs(tag: &[u8]) -> Attributes<'_> {
    Attributes::new(tag, 1 + tag_name(tag).len())
}

/// The value of an attribute without a prefix.
pub(crate) fn attr<'a>(tag: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    attrs(tag).find(|attr| attr.name == name).map(|attr| attr.value)
}

/// A number in an attribute.
pub(crate) fn number_attr(tag: &[u8], name: &[u8]) -> Option<u32> {
    number(attr(tag, name)?)
}

/// Decimal digits as a number.
pub(crate) fn number(digits: &[u8]) -> Option<u32> {
    let digits = digits.trim_ascii();
    if digits.is_empty() || digits.len() > 10 {
        return None;
    }
    digits.iter().try_fold(0_u32, |sum, digit| {
        let digit = digit.is_ascii_digit().then(|| u32::from(digit - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    })
}

/// Bytes as text. Invalid UTF-8 is replaced: unchanged bytes are copied from the part and never pass through here.
pub(crate) fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The byte ranges of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ElementRange {
    /// The whole element.
    pub(crate) range: Range<usize>,
    /// Its start tag.
    pub(crate) tag: Range<usize>,
    /// Between the tags; empty for `<a/>`.
    pub(crate) inner: Range<usize>,
}

/// The next element at or behind `from`, on the same level. Comments and the like are skipped.
pub(crate) fn next_element(bytes: &[u8], from: usize) -> Option<ElementRange> {
    let mut at = from;
    loop {
        let start = at + memchr(b'<', bytes.get(at..)?)?;
        let end = markup_end(bytes, start)?;
        match bytes.get(start + 1)? {
            b'!' | b'?' => at = end,
            b'/' => return None,
            _ => return element_at(bytes, start, end),
        }
    }
}

/// The element whose start tag is at `start..tag_end`. None when the bytes end before it does.
pub(crate) fn element_at(bytes: &[u8], start: usize, tag_end: usize) -> Option<ElementRange> {
    let tag = bytes.get(start..tag_end)?;
    if is_single(tag) {
        return Some(ElementRange { range: start..tag_end, tag: start..tag_end, inner: tag_end..tag_end });
    }
    let name = tag_name(tag);
    let close = close_of(bytes, name, tag_end)?;
    let end = markup_end(bytes, close)?;
    // An end tag inside a comment or CDATA section does not count; these are rare, so only then search tag by tag.
    if memmem::find(bytes.get(tag_end..close)?, b"<!").is_some() {
        return slow_element(bytes, start, tag_end);
    }
    Some(ElementRange { range: start..end, tag: start..tag_end, inner: tag_end..close })
}

/// Where `</name` begins, at or behind `from`.
fn close_of(bytes: &[u8], name: &[u8], from: usize) -> Option<usize> {
    let needle = [b"</", name].concat();
    let mut at = from;
    loop {
        let start = at + memmem::find(bytes.get(at..)?, &needle)?;
        if bytes.get(start + needle.len()).is_none_or(|b| *b == b'>' || b.is_ascii_whitespace()) {
            return Some(start);
        }
        at = start + needle.len();
    }
}

fn slow_element(bytes: &[u8], start: usize, tag_end: usize) -> Option<ElementRange> {
    let name = tag_name(bytes.get(start..tag_end)?);
    let mut at = tag_end;
    loop {
        let open = at + memchr(b'<', bytes.get(at..)?)?;
        let end = markup_end(bytes, open)?;
        if bytes.get(open + 1) == Some(&b'/') && tag_name(bytes.get(open..end)?) == name {
            return Some(ElementRange { range: start..end, tag: start..tag_end, inner: tag_end..open });
        }
        at = end;
    }
}

/// The elements directly inside a piece of markup.
pub(crate) fn elements(bytes: &[u8]) -> impl Iterator<Item = ElementRange> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let found = next_element(bytes, at)?;
        at = found.range.end;
        Some(found)
    })
}
