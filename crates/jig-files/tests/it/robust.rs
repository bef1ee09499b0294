//! Nothing given to this crate makes it panic.

use std::num::NonZeroUsize;

use jig_files::{Complete, FileKind, LineRange, Text, diff, sniff, summary};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::sample;

const SAMPLES: &[&str] = &[
    "word.docx",
    "streamed.xlsx",
    "deck.pptx",
    "text.odt",
    "archive.zip",
    "legacy.xls",
    "legacy.doc",
    "encrypted.xlsx",
    "policy.pdf",
    "dot.ico",
    "dot.avif",
    "hello.tar",
];

/// Calls everything that takes bytes.
fn exercise(bytes: &[u8]) {
    for complete in [Complete::Whole, Complete::Head] {
        for name in ["file", "file.docx", "file.doc", "file.csv"] {
            let _ = sniff(name, bytes, complete);
        }
    }
    let text = Text::decode(bytes);
    let _ = (text.map(), text.final_newline());
    let _ = text.lines(LineRange { start: 2, count: 3 });
    let written = text.format().encode(text.content());
    assert!(!text.round_trips() || written.as_deref() == Ok(bytes));
    let difference = diff(FileKind::Text, FileKind::Text, Some(bytes), Some(b"a\nb\n"));
    assert!(!summary(&difference).is_empty());
    if let jig_files::Diff::Text(difference) = difference {
        let _ = (difference.to_unified("a"), difference.page(0, NonZeroUsize::MIN));
    }
}

#[test]
fn every_cut_of_a_small_sample() {
    for name in ["text.odt", "hello.gz", "dot.webp", "dot.ico", "policy.pdf"] {
        let bytes = sample(name);
        for length in 0..bytes.len() {
            let _ = sniff(name, &bytes[..length], Complete::Head);
            let _ = sniff(name, &bytes[..length], Complete::Whole);
        }
    }
}

proptest! {
    #[test]
    fn random_bytes(bytes in vec(any::<u8>(), 0..600)) {
        exercise(&bytes);
    }

    #[test]
    fn random_bytes_after_a_known_start(
        start in prop::sample::select(vec![
            &b"PK\x03\x04"[..], b"PK\x05\x06", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"\xff\xfe", b"\xfe\xff",
            b"\xef\xbb\xbf", b"%PDF-1.", b"<?xml", b"<!-", b"{\"", b"RIFF", b"\0\0\x01\0", b"GIF89a",
        ]),
        rest in vec(any::<u8>(), 0..600),
    ) {
        exercise(&[start, &rest].concat());
    }

    #[test]
    fn damaged_samples(
        name in prop::sample::select(SAMPLES),
        cut in any::<prop::sample::Index>(),
        hits in vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
    ) {
        let mut bytes = sample(name);
        for (place, value) in hits {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        for complete in [Complete::Whole, Complete::Head] {
            let _ = sniff(name, &bytes, complete);
        }
    }
}
