//! Mutates an input slightly, by bytes and by structure.

use super::archive::{Archive, Entry};
use super::rng::Rng;
use super::{Shape, json, markup};

/// The maximum size of a mutated input: larger ones are only slower.
const MOST: usize = 1 << 20;

/// A mutation of `input`, sometimes with parts of `donor`.
pub fn mutate(shape: Shape, input: &[u8], donor: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut out = input.to_vec();
    for _ in 0..1 + rng.below(3) {
        out = once(shape, &out, donor, rng);
    }
    out.truncate(MOST);
    out
}

fn once(shape: Shape, input: &[u8], donor: &[u8], rng: &mut Rng) -> Vec<u8> {
    match shape {
        // Mostly by structure, because byte mutations rarely get past the first check.
        _ if rng.one_in(16) => bytes(input, donor, rng),
        Shape::Bytes => bytes(input, donor, rng),
        Shape::Text => text(input, donor, rng),
        Shape::Xml => markup::mutate(input, donor, rng),
        Shape::Package => package(input, donor, rng),
        Shape::Call => call(input, donor, rng),
        Shape::Lines => lines(input, donor, rng),
    }
}

/// Flips, cuts, copies and joins bytes.
fn bytes(input: &[u8], donor: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut out = input.to_vec();
    let (at, range) = (rng.below(out.len()), rng.range(input.len()));
    match rng.below(7) {
        0 => flip(&mut out, at, 1 << rng.below(8)),
        1 => flip(&mut out, at, rng.below(256) as u8),
        2 => out.truncate(at),
        3 => drop(out.drain(range)),
        4 => splice(&mut out, at..at, input.get(range).unwrap_or_default()),
        5 => splice(&mut out, range, &[rng.below(256) as u8; 4]),
        _ => {
            let piece = rng.range(donor.len());
            splice(&mut out, range, donor.get(piece).unwrap_or_default());
        }
    }
    out
}

fn flip(bytes: &mut [u8], at: usize, mask: u8) {
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= mask;
    }
}

fn splice(bytes: &mut Vec<u8>, range: std::ops::Range<usize>, piece: &[u8]) {
    bytes.splice(range, piece.iter().copied());
}

/// Fragments of formulas and number formats.
const WORDS: &[&str] = &[
    "A1",
    "$B$2",
    "C:D",
    "3:$4",
    ":",
    "!",
    "'",
    "\"",
    "[",
    "]",
    "[1]",
    "Sheet1",
    "'a b'!",
    "#REF!",
    "#",
    "(",
    ")",
    "SUM(",
    "{",
    "}",
    ",",
    ";",
    "1.5E+3",
    "E",
    "@",
    "T[",
    "[#This Row]",
    "é",
    " ",
    "|",
    "<>",
    "$",
    ".",
    "=",
    "XFD1048576",
    "_xlfn.",
    "''",
    "\"\"",
    "😀",
    "0",
    "?",
    "/",
    "%",
    "yyyy",
    "mmmmm",
    "[h]",
    "ss.000",
    "AM/PM",
    "[Red]",
    "[>=100]",
    "General",
    "\\",
    "_)",
    "*-",
    "E+00",
    "[$-409]",
    "[$€-2]",
    "# ?/?",
    "0.00",
    "\n",
    "\t",
    "-",
    "+",
    "&",
    "99999999999999999999",
];

fn text(input: &[u8], donor: &[u8], rng: &mut Rng) -> Vec<u8> {
    if rng.one_in(4) {
        return bytes(input, donor, rng);
    }
    let mut out = input.to_vec();
    let at = rng.below(out.len() + 1);
    let range = if rng.one_in(2) { at..at } else { rng.range(out.len()) };
    let word = rng.pick(WORDS).copied().unwrap_or_default();
    splice(&mut out, range, word.repeat(if rng.one_in(64) { 3000 } else { 1 }).as_bytes());
    out
}

fn package(input: &[u8], donor: &[u8], rng: &mut Rng) -> Vec<u8> {
    let Some(mut archive) = Archive::read(input).filter(|archive| !archive.0.is_empty()) else {
        return bytes(input, donor, rng);
    };
    let other = Archive::read(donor).unwrap_or(Archive(Vec::new()));
    let at = rng.below(archive.0.len());
    match rng.below(24) {
        0 => drop(archive.0.remove(at)),
        1 => {
            let copy = archive.0.get(at).cloned();
            archive.0.extend(copy);
        }
        2 => rename(&mut archive, at, rng),
        3 => archive.0.extend(rng.pick(&other.0).cloned()),
        4 => lie(&mut archive, at, rng),
        _ => part(&mut archive, &other, rng),
    }
    archive.write()
}

fn rename(archive: &mut Archive, at: usize, rng: &mut Rng) {
    let names: Vec<Vec<u8>> = archive.0.iter().map(|entry| entry.name.clone()).collect();
    let other = rng.pick(&names).cloned().unwrap_or_default();
    if let Some(entry) = archive.0.get_mut(at) {
        entry.name = match rng.below(4) {
            0 => entry.name.to_ascii_uppercase(),
            1 => [&b"/"[..], &entry.name].concat(),
            2 => other,
            _ => bytes(&entry.name, &other, rng),
        };
    }
}

/// Makes an entry's header wrong.
fn lie(archive: &mut Archive, at: usize, rng: &mut Rng) {
    let Some(entry) = archive.0.get_mut(at) else { return };
    match rng.below(4) {
        0 => entry.method = rng.below(12) as u16,
        1 => entry.crc ^= 1,
        2 => entry.size = rng.number() as u32,
        _ => entry.packed = bytes(&entry.packed, &[], rng),
    }
}

/// Mutates the markup of a part, with a donor of the same name if there is one.
fn part(archive: &mut Archive, other: &Archive, rng: &mut Rng) {
    let mut places: Vec<usize> = Vec::new();
    for (at, entry) in archive.0.iter().enumerate().filter(|(_, entry)| entry.is_xml()) {
        // Themes are large, and little is read from them.
        let heavy = entry.name.windows(6).any(|window| window == b"theme/");
        places.extend(std::iter::repeat_n(at, if heavy { 1 } else { 4 }));
    }
    let Some(entry) = rng.pick(&places).and_then(|at| archive.0.get_mut(*at)) else { return };
    let same = other.0.iter().find(|donor| donor.name == entry.name);
    let donor = same.or_else(|| other.0.iter().find(|donor| donor.is_xml())).map(Entry::content);
    let content = markup::mutate(&entry.content(), &donor.unwrap_or_default(), rng);
    *entry = Entry::new(&entry.name, &content);
}

fn call(input: &[u8], donor: &[u8], rng: &mut Rng) -> Vec<u8> {
    let ((ops, file), (other_ops, other_file)) = (super::ops::split(input), super::ops::split(donor));
    match rng.below(8) {
        // Operations of one with the file of another.
        0 => super::ops::join(other_ops, file),
        1..=3 => super::ops::join(ops, &package(file, other_file, rng)),
        _ => super::ops::join(&json::mutate(ops, other_ops, rng), file),
    }
}

fn lines(input: &[u8], donor: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut all: Vec<Vec<u8>> = input.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let others: Vec<&[u8]> = donor.split(|byte| *byte == b'\n').collect();
    let other = rng.pick(&others).copied().unwrap_or_default();
    let at = rng.below(all.len());
    match rng.below(6) {
        0 => all.insert(at, other.to_vec()),
        1 => drop(all.remove(at)),
        _ => {
            if let Some(line) = all.get_mut(at) {
                *line = json::mutate(line, other, rng);
            }
        }
    }
    all.join(&b'\n')
}
