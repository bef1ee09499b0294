//! Mutates markup by its tags, attributes and texts, whether or not it stays well-formed.

use std::ops::Range;

use super::rng::Rng;

/// Valid and invalid values of attributes and texts in Office files.
const VALUES: &[&str] = &[
    "",
    "0",
    "1",
    "-1",
    "2",
    "255",
    "256",
    "65536",
    "1048576",
    "1048577",
    "16384",
    "16385",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "-2147483649",
    "1e308",
    "1e999",
    "-0",
    "NaN",
    "0.5",
    "1.7976931348623157E308",
    "true",
    "false",
    "on",
    "A1",
    "A1:B2",
    "B2:A1",
    "XFD1048576",
    "A1:XFD1048576",
    "A0",
    "XFE1",
    "$A$1:$C$9",
    "A1 C3:D4",
    "s",
    "str",
    "inlineStr",
    "shared",
    "array",
    "dataTable",
    "b",
    "e",
    "d",
    "n",
    "rId1",
    "rId2",
    "rId999",
    "Heading1",
    "Normal",
    "../../../x.xml",
    "/",
    "xl",
    "styles.xml",
    "External",
    "&amp;",
    "&#0;",
    "&#x10FFFF;",
    "&#xD800;",
    "&lt;",
    "&bogus;",
    "&",
    "]]>",
    "é",
    "\u{FFFE}",
    "\u{0}",
    "😀",
    "=A1",
    "A1+B2",
    "SUM(A:A)",
    "Sheet1!A1",
    "#REF!",
    "yyyy",
    "[h]:mm",
    "General",
    "decimal",
    "bullet",
    "upperRoman",
    "begin",
    "end",
    "separate",
    "restart",
    "continue",
    "body",
    "title",
    "dxa",
    "9",
    "10",
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
    "x",
];

/// Markup that is inserted anywhere.
const PIECES: &[&str] = &[
    "<!-- c -->",
    "<![CDATA[x]]>",
    "<?pi x?>",
    "<x/>",
    "<x>",
    "</x>",
    "<w:p/>",
    "<w:r><w:t>e</w:t></w:r>",
    "<w:tbl/>",
    "<w:tr/>",
    "<w:sectPr/>",
    "<w:ins w:id=\"1\" w:author=\"a\">",
    "</w:ins>",
    "<w:del>",
    "<w:bookmarkStart w:id=\"0\" w:name=\"n\"/>",
    "<w:fldChar w:fldCharType=\"begin\"/>",
    "<w:sdt><w:sdtContent>",
    "</w:sdtContent></w:sdt>",
    "<row/>",
    "<row r=\"3\">",
    "</row>",
    "<c/>",
    "<c r=\"B2\"><v>1</v></c>",
    "<c t=\"s\"><v>99</v></c>",
    "<f>A1</f>",
    "<f t=\"shared\" si=\"0\"/>",
    "<f t=\"shared\" ref=\"A1:B9\" si=\"0\">A2</f>",
    "<f t=\"array\" ref=\"A1:B2\">C1</f>",
    "<si/>",
    "<si><r><t>a</t></r></si>",
    "<mergeCells><mergeCell ref=\"A1:B2\"/></mergeCells>",
    "<xf numFmtId=\"14\"/>",
    "<numFmt numFmtId=\"164\" formatCode=\"0\"/>",
    "<sheetData/>",
    "<sheetData>",
    "</sheetData>",
    "<extLst/>",
    "<cols><col min=\"1\" max=\"16384\"/></cols>",
    "<a:p/>",
    "<a:r><a:t>e</a:t></a:r>",
    "<p:sp/>",
    "<a:br/>",
    "<a:tbl/>",
    "<a:tr h=\"1\"/>",
    "<mc:AlternateContent xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\"><mc:Fallback/></mc:AlternateContent>",
    " ",
    "\n",
    "text",
    "&#x1F600;",
    "<!DOCTYPE a>",
];

struct Tag {
    range: Range<usize>,
    name: Range<usize>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Open,
    Close,
    Single,
    Other,
}

/// A mutation of the input, sometimes with elements of a donor.
pub(super) fn mutate(input: &[u8], donor: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut out = input.to_vec();
    let tags = tags(input);
    let (at, other) = (rng.below(tags.len()), rng.below(tags.len()));
    let (Some(tag), Some(second)) = (tags.get(at), tags.get(other)) else {
        return [input, rng.pick(PIECES).copied().unwrap_or_default().as_bytes()].concat();
    };
    let (one, two) = (element(input, &tags, at), element(input, &tags, other));
    match rng.below(16) {
        0 => put(&mut out, one, b""),
        1 => put(&mut out, one.end..one.end, input.get(one.clone()).unwrap_or_default()),
        2 => put(&mut out, second.range.end..second.range.end, input.get(one).unwrap_or_default()),
        3 => swap(&mut out, input, one, two),
        4 => put(&mut out, tag.range.clone(), b""),
        5 => put(&mut out, tag.range.end..tag.range.end, piece(rng)),
        6 => put(&mut out, tag.range.start..tag.range.start, piece(rng)),
        7 => rename(&mut out, input, tag, second),
        8 => put(&mut out, one, &taken(donor, rng)),
        9 => put(&mut out, text_after(input, tag.range.end), value(rng).as_bytes()),
        10 => nest(&mut out, input, one, tag, rng),
        11 if rng.one_in(4) => out = encode(input, rng),
        _ => attribute(&mut out, input, tag.range.clone(), second.range.clone(), rng),
    }
    out
}

fn value(rng: &mut Rng) -> &'static str {
    rng.pick(VALUES).copied().unwrap_or_default()
}

fn piece(rng: &mut Rng) -> &'static [u8] {
    rng.pick(PIECES).copied().unwrap_or_default().as_bytes()
}

fn put(out: &mut Vec<u8>, range: Range<usize>, with: &[u8]) {
    if range.start <= range.end && range.end <= out.len() {
        out.splice(range, with.iter().copied());
    }
}

fn tags(input: &[u8]) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut at = 0;
    while let Some(start) = find(input, b'<', at) {
        let Some(end) = find(input, b'>', start).map(|end| end + 1) else { break };
        let inner = input.get(start + 1..end - 1).unwrap_or_default();
        let kind = match inner {
            [b'!' | b'?', ..] | [] => Kind::Other,
            [b'/', ..] => Kind::Close,
            [.., b'/'] => Kind::Single,
            _ => Kind::Open,
        };
        let name_at = start + 1 + usize::from(kind == Kind::Close);
        let name = input.get(name_at..end).unwrap_or_default();
        let len = name.iter().position(|b| b.is_ascii_whitespace() || matches!(b, b'/' | b'>')).unwrap_or(0);
        tags.push(Tag { range: start..end, name: name_at..name_at + len, kind });
        at = end;
    }
    tags
}

fn find(input: &[u8], byte: u8, from: usize) -> Option<usize> {
    input.get(from..)?.iter().position(|found| *found == byte).map(|at| at + from)
}

/// The range from a start tag to its end tag; other tags by themselves.
fn element(input: &[u8], tags: &[Tag], at: usize) -> Range<usize> {
    let Some(first) = tags.get(at) else { return 0..0 };
    if first.kind != Kind::Open {
        return first.range.clone();
    }
    let name = input.get(first.name.clone());
    let mut depth = 0_usize;
    for tag in tags.iter().skip(at).filter(|tag| input.get(tag.name.clone()) == name) {
        match tag.kind {
            Kind::Open => depth += 1,
            Kind::Close => depth = depth.saturating_sub(1),
            Kind::Single | Kind::Other => continue,
        }
        if depth == 0 {
            return first.range.start..tag.range.end;
        }
    }
    first.range.clone()
}

fn swap(out: &mut Vec<u8>, input: &[u8], one: Range<usize>, two: Range<usize>) {
    let (first, second) = if one.start <= two.start { (one, two) } else { (two, one) };
    if first.end <= second.start {
        put(out, second.clone(), input.get(first.clone()).unwrap_or_default());
        put(out, first, input.get(second).unwrap_or_default());
    }
}

fn rename(out: &mut Vec<u8>, input: &[u8], tag: &Tag, second: &Tag) {
    put(out, tag.name.clone(), input.get(second.name.clone()).unwrap_or_default());
}

/// An element of the donor.
fn taken(donor: &[u8], rng: &mut Rng) -> Vec<u8> {
    let tags = tags(donor);
    let at = rng.below(tags.len());
    donor.get(element(donor, &tags, at)).unwrap_or_default().to_vec()
}

fn text_after(input: &[u8], at: usize) -> Range<usize> {
    at..find(input, b'<', at).unwrap_or(input.len())
}

/// Nests an element in itself many times.
fn nest(out: &mut Vec<u8>, input: &[u8], one: Range<usize>, tag: &Tag, rng: &mut Rng) {
    if tag.kind != Kind::Open {
        return;
    }
    let times = if rng.one_in(8) { 300 } else { 1 + rng.below(4) };
    let (open, name) =
        (input.get(tag.range.clone()).unwrap_or_default(), input.get(tag.name.clone()).unwrap_or_default());
    let close = [&b"</"[..], name, b">"].concat();
    put(out, one.end..one.end, &close.repeat(times));
    put(out, one.start..one.start, &open.repeat(times));
}

/// Encodes as UTF-16, or adds a byte order mark.
fn encode(input: &[u8], rng: &mut Rng) -> Vec<u8> {
    let text = String::from_utf8_lossy(input);
    let wide = std::iter::once(0xFEFF).chain(text.encode_utf16());
    match rng.below(3) {
        0 => wide.flat_map(u16::to_le_bytes).collect(),
        1 => wide.flat_map(u16::to_be_bytes).collect(),
        _ => [&b"\xEF\xBB\xBF"[..], input].concat(),
    }
}

/// Changes, removes or duplicates an attribute of a tag.
fn attribute(out: &mut Vec<u8>, input: &[u8], tag: Range<usize>, second: Range<usize>, rng: &mut Rng) {
    let (here, there) = (attributes(input, tag.clone()), attributes(input, second));
    let from_there = rng.pick(&there).and_then(|(all, _)| input.get(all.clone())).unwrap_or(b" x=\"\"").to_vec();
    let Some((all, inner)) = rng.pick(&here).cloned() else {
        let end = tag.end.saturating_sub(if input.get(tag.end.saturating_sub(2)) == Some(&b'/') { 2 } else { 1 });
        return put(out, end..end, &from_there);
    };
    match rng.below(6) {
        0 => put(out, all, b""),
        1 => put(out, all.end..all.end, &from_there),
        2 => put(out, all, &from_there),
        _ => put(out, inner, value(rng).as_bytes()),
    }
}

/// Each attribute with its leading space, and its value.
fn attributes(input: &[u8], tag: Range<usize>) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = tag.start;
    while let Some(equals) = find(input, b'=', at).filter(|equals| *equals + 1 < tag.end) {
        let quote = input.get(equals + 1).copied().unwrap_or(b'"');
        let Some(end) = find(input, quote, equals + 2).filter(|end| *end < tag.end) else { break };
        let name = input.get(at..equals).unwrap_or_default();
        let start = at + name.iter().rposition(u8::is_ascii_whitespace).unwrap_or(0);
        found.push((start..end + 1, equals + 2..end));
        at = end + 1;
    }
    found
}
