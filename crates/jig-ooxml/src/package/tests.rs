//! The package on valid, unusual and hostile zips.

use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::*;

fn zipped(parts: &[(&str, &[u8], CompressionMethod)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes, method) in parts {
        zip.start_file(*name, SimpleFileOptions::default().compression_method(*method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.set_comment("kept").unwrap();
    zip.finish().unwrap().into_inner()
}

fn three() -> Vec<u8> {
    let (stored, deflated) = (CompressionMethod::Stored, CompressionMethod::Deflated);
    zipped(&[("[Content_Types].xml", b"<a/>", stored), ("xl/B.xml", &[b'b'; 5000], deflated), ("c", b"c", deflated)])
}

fn open(bytes: Vec<u8>) -> Result<Package, PackageError> {
    Package::open(bytes, Limits::default())
}

/// Name, method, checksum and raw bytes of every entry, by another reader.
fn raw(bytes: &[u8]) -> Vec<(String, u32, Vec<u8>)> {
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    (0..zip.len())
        .map(|at| {
            let mut entry = zip.by_index_raw(at).unwrap();
            let mut data = Vec::new();
            entry.read_to_end(&mut data).unwrap();
            (entry.name().unwrap().into_owned(), entry.crc32(), data)
        })
        .collect()
}

#[test]
fn without_a_change_the_bytes_are_the_same() {
    let bytes = three();
    assert_eq!(open(bytes.clone()).unwrap().save().unwrap(), bytes);
}

#[test]
fn only_what_is_set_differs() {
    let bytes = three();
    let mut package = open(bytes.clone()).unwrap();
    package.set("/XL/b.xml", b"new");
    package.set("d.xml", b"added");
    let saved = package.save().unwrap();
    let (before, after) = (raw(&bytes), raw(&saved));
    assert_eq!(after[0], before[0]);
    assert_eq!(after[2], before[2]);
    let names: Vec<&str> = after.iter().map(|entry| entry.0.as_str()).collect();
    assert_eq!(names, ["[Content_Types].xml", "xl/B.xml", "c", "d.xml"]);
    let again = open(saved).unwrap();
    assert_eq!(again.read("xl/B.xml").unwrap(), b"new");
    assert_eq!(again.read("d.xml").unwrap(), b"added");
    assert_eq!(again.directory.comment, b"kept");
    let digest = |bytes: &[u8]| {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        Some(PartDigest { bytes: bytes.len() as u64, crc32: crc.sum() })
    };
    let change = |name: &str, before, after| PartChange { name: name.to_owned(), before, after };
    assert_eq!(
        package.changes(),
        [change("xl/B.xml", digest(&[b'b'; 5000]), digest(b"new")), change("d.xml", None, digest(b"added"))]
    );
}

#[test]
fn a_removed_part_is_gone() {
    let mut package = open(three()).unwrap();
    package.remove("c");
    assert!(!package.has("c"));
    let saved = open(package.save().unwrap()).unwrap();
    assert_eq!(saved.names().collect::<Vec<_>>(), ["[Content_Types].xml", "xl/B.xml"]);
}

#[test]
fn bytes_before_the_zip_stay() {
    let mut bytes = b"#!/bin/sh\n".to_vec();
    bytes.extend(three());
    let mut package = open(bytes).unwrap();
    package.set("c", b"changed");
    let saved = package.save().unwrap();
    assert!(saved.starts_with(b"#!/bin/sh\nPK"));
    assert_eq!(open(saved).unwrap().read("c").unwrap(), b"changed");
}

#[test]
fn a_cut_file_says_so_wherever_it_is_cut() {
    let bytes = three();
    for len in 0..bytes.len() {
        let cut = bytes[..len].to_vec();
        let error = match open(cut) {
            Err(error) => Some(error),
            Ok(package) => package.names().map(|name| package.read(name)).find_map(Result::err),
        };
        // A cut within the comment at the end loses nothing.
        assert!(error.is_some() || len >= bytes.len() - 4, "cut at {len}");
    }
}

/// Whatever bit is flipped, a part has its content or an error, also after it was saved: never other content.
#[test]
fn flipped_bits_are_noticed_or_harmless() {
    let bytes = three();
    let originals = contents(&open(bytes.clone()).unwrap());
    let is_original = |content: &Vec<u8>| originals.iter().any(|(_, original)| original.as_ref() == Ok(content));
    let mut noticed = 0;
    for at in 0..bytes.len() * 8 {
        let mut bad = bytes.clone();
        bad[at / 8] ^= 1 << (at % 8);
        let Ok(package) = open(bad) else {
            noticed += 1;
            continue;
        };
        let read = contents(&package);
        for (name, content) in &read {
            assert!(content.as_ref().map_or(true, is_original), "bit {at}: other content of {name}");
            // A name may be another one; under its own, a part has its own content.
            if let (Ok(content), Some((_, Ok(original)))) = (content, originals.iter().find(|(own, _)| own == name)) {
                assert_eq!(content, original, "bit {at}: {name}");
            }
        }
        noticed += usize::from(read != originals);
        if let Ok(saved) = package.save() {
            let again = open(saved).map(|package| contents(&package)).unwrap_or_default();
            let kept = again.iter().all(|(_, content)| content.as_ref().map_or(true, is_original));
            assert!(kept, "bit {at}: other content after saving");
        }
    }
    // Dates, versions and attributes are about a third of such small parts, and nothing is lost with them.
    assert!(noticed * 2 > bytes.len() * 8, "only {noticed} of {} flips are noticed", bytes.len() * 8);
}

fn contents(package: &Package) -> Vec<(String, Result<Vec<u8>, PackageError>)> {
    package.names().map(|name| (name.to_owned(), package.read(name))).collect()
}

#[test]
fn a_bomb_is_refused_by_what_it_inflates_to() {
    let zeros = vec![b' '; 4 << 20];
    let bytes = zipped(&[("a", &zeros, CompressionMethod::Deflated)]);
    let small = Limits { part_bytes: 1 << 20, ..Limits::default() };
    let error = Package::open(bytes.clone(), small).unwrap().read("a").unwrap_err();
    assert_eq!(error, PackageError::TooLarge { what: Quantity::Part { part: "a".to_owned() }, limit: 1 << 20 });
    let steep = Limits { ratio_from: 1 << 20, ratio: 100, ..Limits::default() };
    let error = Package::open(bytes.clone(), steep).unwrap().read("a").unwrap_err();
    assert_eq!(error, PackageError::TooLarge { what: Quantity::Ratio { part: "a".to_owned() }, limit: 100 });
    let total = Limits { total_bytes: 6 << 20, ..Limits::default() };
    let package = Package::open(bytes, total).unwrap();
    package.read("a").unwrap();
    assert!(matches!(package.read("a"), Err(PackageError::TooLarge { .. })));
}

/// A package whose parts `n-1` to `n-3` have one name.
fn with_repeated_part(contents: [&[u8]; 3]) -> Vec<u8> {
    let stored = CompressionMethod::Stored;
    let [first, second, third] = contents;
    let bytes =
        zipped(&[("n-1", first, stored), ("other", b"other", stored), ("n-2", second, stored), ("n-3", third, stored)]);
    let mut bytes = bytes;
    for at in 0..bytes.len() - 2 {
        if matches!(&bytes[at..at + 3], b"n-2" | b"n-3") {
            bytes[at + 2] = b'1';
        }
    }
    bytes
}

#[test]
fn a_part_that_is_repeated_with_the_same_content_is_one_part() {
    let bytes = with_repeated_part([b"same", b"same", b"same"]);
    let package = open(bytes.clone()).unwrap();
    assert_eq!(package.names().collect::<Vec<_>>(), ["other", "n-1"]);
    assert_eq!(package.read("n-1").unwrap(), b"same");
    assert_eq!(package.warnings(), ["the file contains the part n-1 more than once, with the same content"]);
    // Another edit copies all entries, as they are.
    let mut other = package.clone();
    other.set("other", b"changed");
    assert_eq!(raw_entries(&other.save().unwrap()), 4);
    // An edit of the part leaves one of them.
    let mut edited = package.clone();
    edited.set("n-1", b"new");
    let change = PartChange { name: "n-1".to_owned(), before: package.digest("n-1"), after: edited.digest("n-1") };
    assert_eq!(edited.changes(), [change]);
    let saved = open(edited.save().unwrap()).unwrap();
    assert_eq!(
        (saved.names().collect::<Vec<_>>(), saved.read("n-1").unwrap()),
        (vec!["other", "n-1"], b"new".to_vec())
    );
    assert_eq!(saved.warnings(), Vec::<String>::new());
    // Removing it removes all.
    let mut removed = package.clone();
    removed.remove("n-1");
    assert_eq!(open(removed.save().unwrap()).unwrap().names().collect::<Vec<_>>(), ["other"]);
}

/// How many entries the directory of a zip has, repeated names included.
fn raw_entries(bytes: &[u8]) -> usize {
    memchr::memmem::find_iter(bytes, b"PK\x01\x02").count()
}

#[test]
fn a_part_that_is_repeated_with_other_content_cannot_be_read() {
    for contents in [[&b"same"[..], b"same", b"else"], [b"else", b"same", b"same"], [b"1", b"22", b"333"]] {
        let package = open(with_repeated_part(contents)).unwrap();
        let error = package.read("n-1").unwrap_err();
        assert_eq!(error, ZipFault::DuplicatePart { part: "n-1".to_owned() }.into());
        assert_eq!(package.read("other").unwrap(), b"other");
    }
}

#[test]
fn a_wrong_checksum_is_damage() {
    let mut package = open(three()).unwrap();
    package.directory.entries[1].crc ^= 1;
    let error = package.read("xl/B.xml").unwrap_err();
    assert_eq!(error, ZipFault::Checksum { entry: "xl/B.xml".to_owned() }.into());
}

#[test]
fn other_files_are_distinguished() {
    let container = |name: &str| {
        let mut bytes = vec![0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];
        bytes.extend(name.encode_utf16().flat_map(u16::to_le_bytes));
        open(bytes).unwrap_err()
    };
    assert_eq!(container("EncryptedPackage"), PackageError::Encrypted);
    assert_eq!(container("WordDocument"), PackageError::Legacy { format: ".doc", instead: ".docx" });
    assert_eq!(container("Workbook"), PackageError::Legacy { format: ".xls", instead: ".xlsx" });
    assert_eq!(container("PowerPoint Document"), PackageError::Legacy { format: ".ppt", instead: ".pptx" });
    assert_eq!(open(b"hello".to_vec()).unwrap_err(), PackageError::NotAPackage);
    assert_eq!(open(Vec::new()).unwrap_err(), PackageError::NotAPackage);
    assert_eq!(open(b"PK\x03\x04".to_vec()).unwrap_err(), PackageError::Truncated);
}
