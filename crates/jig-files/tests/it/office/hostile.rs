//! Files made to do harm: each is refused or read, and nothing else happens.

use serde_json::{Value, json};

use super::samples::{call, small_edit};
use crate::support::archive::{Archive, Entry};
use crate::support::case::{Format, sample};
use crate::support::engine::Refusal;

/// What must become of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// Every method refuses it, with one of these words in the message.
    Refused(&'static [&'static str]),
    /// Reading and editing may go well or not: what counts is that they end.
    Any,
}

struct Hostile {
    what: String,
    format: Format,
    bytes: Vec<u8>,
    fate: Fate,
}

#[test]
fn hostile_files_are_refused_or_read_and_never_harm() {
    let wrong: Vec<String> = all().iter().flat_map(misdeeds).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Calls the methods on one file and says what went otherwise than it must.
fn misdeeds(hostile: &Hostile) -> Vec<String> {
    let ops = json!({"ops": small_edit(hostile.format)});
    let calls = [("GetMap", json!({})), ("ExtractText", json!({})), ("ApplyOps", ops)];
    let misdeeds = calls.iter().filter_map(|(verb, more)| {
        let (answer, after) = call(hostile.format, verb, &hostile.bytes, more);
        let why = misdeed(hostile, answer, &after)?;
        Some(format!("{}: {verb} {why}", hostile.what))
    });
    misdeeds.collect()
}

fn misdeed(hostile: &Hostile, answer: Result<Value, Refusal>, after: &[u8]) -> Option<String> {
    let Err(refusal) = answer else {
        return (hostile.fate != Fate::Any).then(|| "went well".to_owned());
    };
    if after != hostile.bytes {
        return Some("changed the file that it refused".to_owned());
    }
    let message = refusal.message.to_lowercase();
    let Fate::Refused(words) = hostile.fate else { return None };
    let says_it = words.is_empty() || words.iter().any(|word| message.contains(word));
    (!says_it).then(|| format!("does not say what is wrong: {message}"))
}

fn all() -> Vec<Hostile> {
    Format::ALL
        .into_iter()
        .flat_map(|format| [containers(format), packages(format), contents(format)])
        .flatten()
        .collect()
}

fn hostile(format: Format, what: &str, bytes: Vec<u8>, fate: Fate) -> Hostile {
    Hostile { what: format!("{}, {what}", format.ending()), format, bytes, fate }
}

/// Files that are no package at all, or damaged ones.
fn containers(format: Format) -> Vec<Hostile> {
    let good = good(format);
    let (encrypted, legacy) = (sample(&format!("encrypted.{}", format.ending())), sample(legacy(format)));
    let cut = |length: usize| good[..length].to_vec();
    let mut list = vec![
        hostile(format, "encrypted", encrypted, Fate::Refused(&["encrypted", "password"])),
        hostile(format, "legacy", legacy, Fate::Refused(&["legacy", "older", "97", "old"])),
        hostile(format, "empty", Vec::new(), Fate::Refused(&[])),
        hostile(format, "not a zip", b"just words\n".to_vec(), Fate::Refused(&[])),
        hostile(format, "no directory", cut(good.len() / 2), Fate::Refused(&[])),
        hostile(format, "no end", cut(good.len() - 10), Fate::Refused(&[])),
        hostile(format, "only the end", good[good.len() - 22..].to_vec(), Fate::Refused(&[])),
    ];
    let mut shifted = good.clone();
    // The directory's place, beyond the file.
    let place = shifted.len() - 6;
    shifted[place..place + 4].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f]);
    list.push(hostile(format, "directory beyond the end", shifted, Fate::Refused(&[])));
    list
}

/// Packages whose entries are wrong.
fn packages(format: Format) -> Vec<Hostile> {
    let with = |change: &dyn Fn(&mut Archive)| {
        let mut archive = Archive::read(&good(format));
        change(&mut archive);
        archive.write()
    };
    let main = main_part(format);
    let entry = |archive: &mut Archive, change: &dyn Fn(&mut Entry)| {
        change(archive.0.iter_mut().find(|entry| entry.name == main).unwrap());
    };
    let mut list = vec![
        hostile(format, "wrong checksum", with(&|archive| entry(archive, &|e| e.crc ^= 1)), Fate::Refused(&[])),
        hostile(format, "size too small", with(&|archive| entry(archive, &|e| e.size = 3)), Fate::Refused(&[])),
        hostile(
            format,
            "size too large",
            with(&|archive| entry(archive, &|e| e.size = u32::MAX - 1)),
            Fate::Refused(&[]),
        ),
        hostile(format, "unknown compression", with(&|archive| entry(archive, &|e| e.method = 99)), Fate::Refused(&[])),
        hostile(format, "encrypted entry", with(&|archive| entry(archive, &|e| e.flags |= 1)), Fate::Refused(&[])),
        hostile(
            format,
            "damaged data",
            with(&|archive| entry(archive, &|e| e.compressed.fill(0x55))),
            Fate::Refused(&[]),
        ),
        hostile(
            format,
            "main part twice",
            with(&|archive| archive.0.push(archive.get(main).unwrap().clone())),
            Fate::Any,
        ),
        hostile(
            format,
            "two different main parts",
            with(&|archive| {
                let other = archive.get("[Content_Types].xml").unwrap().clone();
                archive.0.push(Entry { name: main.to_owned(), ..other });
            }),
            Fate::Refused(&["more than once"]),
        ),
        hostile(format, "no content types", with(&|archive| archive.remove("[Content_Types].xml")), Fate::Any),
        hostile(format, "no relationships", with(&|archive| archive.remove("_rels/.rels")), Fate::Any),
        hostile(format, "no main part", with(&|archive| archive.remove(main)), Fate::Refused(&[])),
        hostile(format, "bomb", with(&|archive| archive.put(main, &vec![b' '; 64 << 20])), Fate::Refused(&[])),
    ];
    for name in ["../evil.xml", "/evil.xml", "..\\evil.xml", "C:\\evil.xml", "a/../../evil.xml", "a\0.xml", ""] {
        let bytes = with(&|archive| archive.0.push(Entry::new(name, b"<a/>")));
        list.push(hostile(format, &format!("entry named {name:?}"), bytes, Fate::Any));
    }
    let many =
        with(&|archive| archive.0.extend((0..30_000).map(|n| Entry { name: format!("{n}"), ..Entry::new("", b"") })));
    list.push(hostile(format, "many entries", many, Fate::Any));
    list
}

/// Packages whose main part is wrong inside.
fn contents(format: Format) -> Vec<Hostile> {
    let with_main = |xml: &str| {
        let mut archive = Archive::read(&good(format));
        archive.put(main_part(format), xml.as_bytes());
        archive.write()
    };
    let good = String::from_utf8(Archive::read(&good(format)).get(main_part(format)).unwrap().content()).unwrap();
    let root = good.find("?>").map_or(0, |at| at + 2);
    let laughs = "<!DOCTYPE z [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]>";
    let outside = "<!DOCTYPE z [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>";
    let attributes: String = (0..50_000).map(|n| format!(" a{n}=\"\"")).collect();
    let refused = [
        ("entities", format!("{laughs}{}", &good[root..])),
        ("an outside entity", format!("{outside}{}", &good[root..])),
        ("deep", "<a>".repeat(200_000)),
        ("deep and closed", "<a>".repeat(100_000) + &"</a>".repeat(100_000)),
        ("unclosed", good[..good.len() - 20].to_owned()),
        ("wrong end", good.replacen("</", "</x", 1)),
        ("no element", "words".to_owned()),
        ("nothing", String::new()),
        ("another root", "<html xmlns=\"http://www.w3.org/1999/xhtml\"/>".to_owned()),
        ("many attributes", format!("<a{attributes}/>")),
    ];
    let mut list: Vec<_> =
        refused.iter().map(|(what, xml)| hostile(format, what, with_main(xml), Fate::Refused(&[]))).collect();
    list.extend(numbers(format));
    list
}

/// Numbers far beyond what the format allows, where a reader would count, allocate or index by them.
fn numbers(format: Format) -> Vec<Hostile> {
    let replaced = |name: &str, part: &str, old: &str, new: &str| {
        let mut archive = Archive::read(&sample(name));
        let text = String::from_utf8(archive.get(part).unwrap().content()).unwrap();
        assert!(text.contains(old), "{name}: {part} has no {old}");
        archive.put(part, text.replace(old, new).as_bytes());
        archive.write()
    };
    let list = match format {
        Format::Xlsx => {
            let sheet = "xl/worksheets/sheet1.xml";
            vec![
                ("far cell", replaced("formulas.xlsx", sheet, "r=\"A4\"", "r=\"XFD1048576\"")),
                ("cell beyond", replaced("formulas.xlsx", sheet, "r=\"A4\"", "r=\"ZZZZ99999999999\"")),
                ("row beyond", replaced("formulas.xlsx", sheet, "<row r=\"4\"", "<row r=\"99999999999999999999\"")),
                ("row zero", replaced("formulas.xlsx", sheet, "<row r=\"4\"", "<row r=\"0\"")),
                ("shared range", replaced("formulas.xlsx", sheet, "B1:B4", "A1:XFD1048576")),
                ("unknown string", replaced("google-like.xlsx", sheet, "<v>2</v>", "<v>4294967295</v>")),
                ("unknown style", replaced("google-like.xlsx", sheet, "s=\"2\"", "s=\"4294967295\"")),
                ("huge number", replaced("google-like.xlsx", sheet, "12.5", &"9".repeat(100_000))),
            ]
        }
        Format::Docx => vec![
            (
                "wide cell",
                replaced(
                    "drawings.docx",
                    "word/document.xml",
                    "<w:gridSpan w:val=\"2\"/>",
                    "<w:gridSpan w:val=\"2147483647\"/>",
                ),
            ),
            (
                "deep list",
                replaced(
                    "google-like.docx",
                    "word/document.xml",
                    "<w:ilvl w:val=\"0\"/>",
                    "<w:ilvl w:val=\"2147483647\"/>",
                ),
            ),
            (
                "style of itself",
                replaced(
                    "languages.docx",
                    "word/styles.xml",
                    "<w:basedOn w:val=\"berschrift1\"/>",
                    "<w:basedOn w:val=\"Kapitel\"/>",
                ),
            ),
            (
                "outline level",
                replaced(
                    "fields.docx",
                    "word/document.xml",
                    "<w:outlineLvl w:val=\"0\"/>",
                    "<w:outlineLvl w:val=\"-9999999999\"/>",
                ),
            ),
        ],
        Format::Pptx => vec![
            ("slide id", replaced("minimal.pptx", "ppt/presentation.xml", "id=\"256\"", "id=\"4294967295\"")),
            ("slide gone", replaced("minimal.pptx", "ppt/presentation.xml", "r:id=\"rId2\"", "r:id=\"rId99\"")),
            ("level", replaced("google-like.pptx", "ppt/slides/slide1.xml", "lvl=\"0\"", "lvl=\"2147483648\"")),
            ("shape id", replaced("minimal.pptx", "ppt/slides/slide1.xml", "id=\"3\"", "id=\"4294967295\"")),
        ],
    };
    list.into_iter().map(|(what, bytes)| hostile(format, what, bytes, Fate::Any)).collect()
}

/// A small package without anything wrong.
fn good(format: Format) -> Vec<u8> {
    sample(match format {
        Format::Xlsx => "formulas.xlsx",
        Format::Docx => "minimal.docx",
        Format::Pptx => "minimal.pptx",
    })
}

fn main_part(format: Format) -> &'static str {
    match format {
        Format::Xlsx => "xl/workbook.xml",
        Format::Docx => "word/document.xml",
        Format::Pptx => "ppt/presentation.xml",
    }
}

fn legacy(format: Format) -> &'static str {
    match format {
        Format::Xlsx => "legacy.xls",
        Format::Docx => "legacy.doc",
        Format::Pptx => "legacy.ppt",
    }
}

#[test]
fn the_hostile_files_can_be_made() {
    let without_bombs = Format::ALL.map(|format| containers(format).len() + contents(format).len());
    assert_eq!(without_bombs, [26, 22, 22]);
}
