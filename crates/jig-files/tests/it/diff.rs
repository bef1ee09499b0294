//! Differences: truthful, complete, and enough to make the new version from the old.

use std::num::NonZeroUsize;

use jig_files::{
    Alignment, BinarySide, Diff, DiffLine, FileKind, Hunk, LineEnding, LineTag, Presence, Text, TextDiff, diff, summary,
};
use proptest::prelude::*;

#[track_caller]
fn text_diff(old: impl AsRef<[u8]>, new: impl AsRef<[u8]>) -> TextDiff {
    let (old, new) = (Some(old.as_ref()), Some(new.as_ref()));
    match diff(FileKind::Text, FileKind::Text, old, new) {
        Diff::Text(diff) => diff,
        other => unreachable!("{other:?}"),
    }
}

fn line(tag: LineTag, text: &str) -> DiffLine {
    DiffLine { tag, text: text.to_owned(), no_newline: false }
}

#[test]
fn a_change_with_its_context() {
    let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let diff = text_diff(old, old.replace("5\n", "five\nfive and a half\n"));
    let expected = Hunk {
        old_start: 2,
        old_count: 7,
        new_start: 2,
        new_count: 8,
        lines: vec![
            line(LineTag::Context, "2"),
            line(LineTag::Context, "3"),
            line(LineTag::Context, "4"),
            line(LineTag::Removed, "5"),
            line(LineTag::Added, "five"),
            line(LineTag::Added, "five and a half"),
            line(LineTag::Context, "6"),
            line(LineTag::Context, "7"),
            line(LineTag::Context, "8"),
        ],
    };
    assert_eq!(diff.hunks, [expected]);
    assert_eq!((diff.added, diff.removed, diff.alignment), (2, 1, Alignment::Fine));
    assert_eq!(diff.summary(), "2 lines added, 1 removed");
    let unified = "--- a.txt\n+++ a.txt\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+five and a half\n 6\n 7\n 8\n";
    assert_eq!(diff.to_unified("a.txt"), unified);
}

#[test]
fn every_difference_is_told() {
    let legacy = b"K\xe4se f\xfcr J\xfcrgen\n";
    let cases: &[(&[u8], &[u8], &str, usize)] = &[
        (b"a\n", b"a\n", "no changes", 0),
        (b"", b"", "no changes", 0),
        (b"", b"a\n", "1 line added", 1),
        (b"a\n", b"", "1 line removed", 1),
        (b"a\nb\n", b"a\r\nb\r\n", "line endings changed from LF to CRLF", 0),
        (b"a\rb\r", b"a\nb\n", "line endings changed from CR to LF", 0),
        (b"a\nb\n", b"a\r\nc\r\n", "1 line added, 1 removed, line endings changed from LF to CRLF", 1),
        (b"a\nb\n", b"a\r\nb\n", "1 line added, 1 removed", 1),
        (b"a\r\nb\nc\n", b"a\nb\r\nc\n", "2 lines added, 2 removed", 1),
        (b"a\n", b"a", "1 line added, 1 removed", 1),
        (b"a", b"a\n", "1 line added, 1 removed", 1),
        (b"a\n", b"\xef\xbb\xbfa\n", "encoding changed from UTF-8 to UTF-8 with BOM", 0),
        (b"a\n", b"\xff\xfea\0\n\0", "encoding changed from UTF-8 to UTF-16LE with BOM", 0),
        (legacy, "Käse für Jürgen\n".as_bytes(), "encoding changed from windows-1252 to UTF-8", 0),
        (b"\xff\xfea\0\x00\xd8", b"\xff\xfea\0\x01\xd8", "some bytes that are not text may differ", 0),
    ];
    for (old, new, words, hunks) in cases {
        let diff = text_diff(old, new);
        assert_eq!((diff.summary().as_str(), diff.hunks.len()), (*words, *hunks), "{old:?} {new:?}");
        assert_eq!(diff.is_unchanged(), old == new);
    }
}

#[test]
fn a_final_newline_is_marked() {
    let diff = text_diff("a\nb", "a\nb\n");
    let unified = "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n";
    assert_eq!(diff.to_unified("f"), unified);
    let marked: Vec<_> = diff.hunks[0].lines.iter().map(|line| line.no_newline).collect();
    assert_eq!(marked, [false, true, false]);
}

#[test]
fn a_patch_carries_the_endings_of_the_old_text() {
    let unified = |old: &str, new: &str| text_diff(old, new).to_unified("f");
    let expected = "--- f\n+++ f\n@@ -1 +1,2 @@\n a\r\n+b\r\n";
    assert_eq!(unified("a\r\n", "a\r\nb\r\n"), expected);
    let expected = "--- f\n+++ f\n@@ -1 +1,2 @@\n a\r\n+b\n";
    assert_eq!(unified("a\r\n", "a\r\nb\n"), expected);
    let remark = "Line endings changed from LF to CRLF.\n";
    assert_eq!(unified("a\n", "a\r\n"), remark);
    let expected = format!("{remark}--- f\n+++ f\n@@ -1 +1,2 @@\n a\n+b\n");
    assert_eq!(unified("a\n", "a\r\nb\r\n"), expected);
}

#[test]
fn files_that_come_and_go() {
    let side = |old, new| match diff(FileKind::Text, FileKind::Text, old, new) {
        Diff::Text(diff) => (diff.presence, diff.summary(), diff.to_unified("a b")),
        other => unreachable!("{other:?}"),
    };
    let created = "--- /dev/null\n+++ a b\t\n@@ -0,0 +1 @@\n+x\r\n".to_owned();
    let expected = (Presence::Created, "file created, 1 line added".to_owned(), created);
    assert_eq!(side(None, Some(b"x\r\n")), expected);
    let deleted = "--- a b\t\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n".to_owned();
    let expected = (Presence::Deleted, "file deleted, 1 line removed".to_owned(), deleted);
    assert_eq!(side(Some(b"x\n"), None), expected);
    let expected = (Presence::Created, "file created".to_owned(), String::new());
    assert_eq!(side(None, Some(b"")), expected);
}

#[test]
fn a_guess_about_legacy_encodings_holds_for_both_versions() {
    let old = b"Stra\xdfe, K\xe4se, f\xfcr J\xfcrgen, na\xefve fa\xe7ade\nsecond\n";
    let new = b"\xe6\xf8\nsecond\n";
    let diff = text_diff(old, new);
    assert_eq!(diff.encoding_changed, None);
    assert_eq!(diff.summary(), "1 line added, 1 removed");
}

#[test]
fn other_files_are_opaque() {
    let diff_of = |old, new| diff(FileKind::Png, FileKind::Pdf, old, new);
    let (old, new): (&[u8], &[u8]) = (b"1234", b"12");
    let Diff::Binary(found) = diff_of(Some(old), Some(new)) else { unreachable!() };
    let side = |kind, size| Some(BinarySide { kind, size });
    assert_eq!((found.old, found.new, found.same_bytes), (side(FileKind::Png, 4), side(FileKind::Pdf, 2), false));
    let sums = format!("BLAKE3 {}… before, {}… after", short(old), short(new));
    assert_eq!(found.notes, [sums.as_str(), "a preview of both sides shows what changed"]);
    let words = |old, new| summary(&diff_of(old, new));
    let replaced = "a PNG image replaced by a PDF document, 4 bytes before, 2 bytes after";
    assert_eq!(words(Some(old), Some(new)), replaced);
    assert_eq!(words(None, Some(new)), "file created: a PDF document, 2 bytes");
    assert_eq!(words(Some(old), None), "file deleted: a PNG image, 4 bytes");
    let text_to_image = diff(FileKind::Text, FileKind::Png, Some(b"a"), Some(b"b"));
    assert_eq!(summary(&text_to_image), "plain text replaced by a PNG image, size still 1 byte");
}

#[test]
fn an_empty_file_compares_with_text() {
    let difference = diff(FileKind::Empty, FileKind::Csv, Some(b""), Some(b"a,b\n"));
    assert_eq!(summary(&difference), "1 line added");
}

#[test]
fn a_hundred_thousand_lines_all_changed() {
    let text = |word: &str| -> String { (0..100_000).map(|n| format!("{word} {n}\n")).collect() };
    let diff = text_diff(text("old"), text("new"));
    assert_eq!((diff.added, diff.removed), (100_000, 100_000));
    assert_eq!((diff.hunks.len(), diff.alignment), (1, Alignment::Fine));
    let size = NonZeroUsize::new(1_000).unwrap();
    let last = diff.page(199, size).unwrap();
    assert_eq!((last.total_pages, last.has_more, last.continued), (200, false, true));
    let hunk = &last.hunks[0];
    let place = (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count);
    assert_eq!(place, (100_000, 0, 99_001, 1_000));
    assert_eq!(diff.page(200, size), None);
}

#[test]
fn a_difference_too_hard_to_align_says_so() {
    let noise = |seed: u64| -> String {
        let step = |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        let states = std::iter::successors(Some(seed), step).skip(1).take(60_000);
        states.map(|state| format!("{}\n", (state >> 33) % 40)).collect()
    };
    let (old, new) = (noise(1), noise(2));
    let diff = text_diff(&old, &new);
    assert_eq!(diff.alignment, Alignment::Coarse);
    assert_eq!(rebuild(&old, &diff.hunks, LineEnding::Lf), new);
}

/// Makes the new text from the old one and the hunks, as a patch program would. Where both texts end
/// their lines uniformly, endings are not in the hunks and come from the new text as a whole.
fn rebuild(old: &str, hunks: &[Hunk], new_ending: LineEnding) -> String {
    let (old, ending) = match (Text::decode(old.as_bytes()).line_ending(), new_ending) {
        (LineEnding::Mixed, _) | (_, LineEnding::Mixed) => (old.to_owned(), "\n"),
        (_, LineEnding::Crlf) => (old.replace("\r\n", "\n").replace('\n', "\r\n"), "\r\n"),
        _ => (old.replace("\r\n", "\n"), "\n"),
    };
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let (mut new, mut at) = (Vec::new(), 0);
    for hunk in hunks {
        let start = hunk.old_start - usize::from(hunk.old_count > 0);
        new.extend(old_lines[at..start].iter().map(|line| (*line).to_owned()));
        assert_eq!(new.len(), hunk.new_start - usize::from(hunk.new_count > 0));
        at = start;
        for line in &hunk.lines {
            let shown = format!("{}{}", line.text, if line.no_newline { "" } else { ending });
            if line.tag != LineTag::Removed {
                new.push(shown.clone());
            }
            if line.tag != LineTag::Added {
                assert_eq!(old_lines[at], shown);
                at += 1;
            }
        }
        assert_eq!(at, start + hunk.old_count);
    }
    new.extend(old_lines[at..].iter().map(|line| (*line).to_owned()));
    new.concat()
}

/// Lines drawn from few words, so that many are equal, with or without an end.
fn some_text() -> impl Strategy<Value = String> {
    let lines = prop::collection::vec("[abc]{0,2}", 0..40);
    (lines, any::<bool>()).prop_map(|(lines, ended)| {
        let end = if ended && !lines.is_empty() { "\n" } else { "" };
        lines.join("\n") + end
    })
}

/// Lines that end in different ways, all of them ended.
fn mixed_text() -> impl Strategy<Value = String> {
    "([ab]{0,1}\n){0,12}|([ab]{0,1}\r\n){0,12}|([ab]{0,1}\r?\n){0,12}"
}

fn ending(text: &str) -> LineEnding {
    Text::decode(text.as_bytes()).line_ending()
}

proptest! {
    #[test]
    fn hunks_make_the_new_text(old in some_text(), new in some_text()) {
        let diff = text_diff(&old, &new);
        prop_assert_eq!(rebuild(&old, &diff.hunks, ending(&new)), new.clone());
        prop_assert_eq!(diff.is_unchanged(), old == new);
    }

    #[test]
    fn hunks_make_the_new_text_whatever_the_endings(old in mixed_text(), new in mixed_text()) {
        let diff = text_diff(&old, &new);
        prop_assert_eq!(rebuild(&old, &diff.hunks, ending(&new)), new.clone());
        prop_assert_eq!(diff.is_unchanged(), old == new);
    }

    #[test]
    fn pages_hold_everything_once(old in some_text(), new in some_text(), size in 1_usize..7) {
        let diff = text_diff(&old, &new);
        let size = NonZeroUsize::new(size).unwrap();
        let total = diff.page(0, size).unwrap().total_pages;
        let mut pieces = Vec::new();
        for number in 0..total {
            let page = diff.page(number, size).unwrap();
            prop_assert_eq!((page.page, page.total_pages), (number, total));
            prop_assert_eq!(page.has_more, number + 1 < total);
            prop_assert!(page.hunks.iter().map(|hunk| hunk.lines.len()).sum::<usize>() <= size.get());
            pieces.extend(page.hunks);
        }
        prop_assert_eq!(diff.page(total, size), None);
        prop_assert_eq!(rebuild(&old, &pieces, ending(&new)), new);
    }
}

fn short(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().chars().take(16).collect()
}
