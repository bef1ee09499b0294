//! Text: what is reported about it, reading in pieces, and writing back.

use jig_files::{
    ChunkInfo, ChunkLines, LineEnding, LineRange, LineSpan, PastEnd, Text, TextChunk, TextFormat, TextMap,
};
use proptest::prelude::*;

fn numbered(count: usize) -> String {
    (1..=count).map(|line| format!("line {line}\n")).collect()
}

fn span(first: usize, last: usize) -> LineSpan {
    LineSpan { first, last }
}

/// Bytes; encoding, line ending, final newline, errors, number of lines.
type Properties = (&'static [u8], &'static str, LineEnding, bool, bool, usize);

#[test]
fn properties_of_a_text() {
    let cases: &[Properties] = &[
        (b"", "UTF-8", LineEnding::None, false, false, 0),
        (b"one", "UTF-8", LineEnding::None, false, false, 1),
        (b"one\n", "UTF-8", LineEnding::Lf, true, false, 1),
        (b"\n\n", "UTF-8", LineEnding::Lf, true, false, 2),
        (b"one\r\ntwo", "UTF-8", LineEnding::Crlf, false, false, 2),
        (b"one\r\ntwo\n", "UTF-8", LineEnding::Mixed, true, false, 2),
        (b"one\rtwo\r", "UTF-8", LineEnding::Cr, true, false, 2),
        (b"one\ntwo\r", "UTF-8", LineEnding::Lf, false, false, 2),
        (b"\xef\xbb\xbfone\n", "UTF-8 with BOM", LineEnding::Lf, true, false, 1),
        (b"\xff\xfea\0\n\0", "UTF-16LE with BOM", LineEnding::Lf, true, false, 1),
        (b"\xfe\xff\0a\0\r\0\n", "UTF-16BE with BOM", LineEnding::Crlf, true, false, 1),
        (b"\xff\xfea\0\n", "UTF-16LE with BOM", LineEnding::None, false, true, 1),
        (b"K\xe4se f\xfcr J\xfcrgen\n", "windows-1252", LineEnding::Lf, true, false, 1),
    ];
    for &(bytes, encoding, ending, final_newline, had_errors, lines) in cases {
        let text = Text::decode(bytes);
        let found = (
            text.encoding().to_string(),
            text.line_ending(),
            text.final_newline(),
            text.had_errors(),
            text.line_count(),
        );
        let expected = (encoding.to_owned(), ending, final_newline, had_errors, lines);
        assert_eq!(found, expected, "{bytes:?}");
    }
}

#[test]
fn the_map_cuts_at_200_lines() {
    let expected = TextMap {
        line_count: 350,
        char_count: numbered(350).len(),
        chunks: vec![ChunkLines { index: 0, lines: span(1, 200) }, ChunkLines { index: 1, lines: span(201, 350) }],
    };
    assert_eq!(Text::decode(numbered(350).as_bytes()).map(), expected);
}

#[test]
fn a_chunk_says_where_it_is() {
    let content = numbered(450);
    let text = Text::decode(content.as_bytes());
    let middle = text.lines(LineRange::chunk(1)).unwrap();
    let expected = ChunkInfo { chunk_index: 1, total_chunks: 3, has_more: true, range: span(201, 400) };
    assert_eq!(middle.chunk_info, expected);
    assert_eq!(middle.chunk_info.range.to_string(), "201-400");
    assert!(middle.text.starts_with("line 201\n") && middle.text.ends_with("line 400\n"));

    let all: String = (0..3).map(|index| text.lines(LineRange::chunk(index)).unwrap().text).collect();
    assert_eq!(all, content);
}

#[test]
fn ranges_are_clamped_or_refused() {
    let text = Text::decode(b"one\ntwo\nthree");
    let chunk = |text, range, has_more| TextChunk {
        text,
        chunk_info: ChunkInfo { chunk_index: 0, total_chunks: 1, has_more, range },
    };
    let read = |start, count| text.lines(LineRange { start, count });
    assert_eq!(read(2, 1), Ok(chunk("two\n", span(2, 2), true)));
    assert_eq!(read(3, usize::MAX), Ok(chunk("three", span(3, 3), false)));
    assert_eq!(read(0, 1), Ok(chunk("one\n", span(1, 1), true)));
    assert_eq!(read(2, 0), Ok(chunk("", span(0, 0), true)));
    assert_eq!(read(4, 1), Err(PastEnd { start: 4, line_count: 3 }));
    let empty = Text::decode(b"");
    assert_eq!(empty.lines(LineRange::chunk(0)), Ok(chunk("", span(0, 0), false)));
    assert_eq!(empty.lines(LineRange::chunk(1)), Err(PastEnd { start: 201, line_count: 0 }));
}

#[test]
fn an_edit_keeps_encoding_mark_and_line_ending() {
    let old = Text::decode(b"\xff\xfea\0\r\0\n\0");
    let new = old.format().encode("b\nc\n").unwrap();
    assert_eq!(new, b"\xff\xfeb\0\r\0\n\0c\0\r\0\n\0");
    assert_eq!(TextFormat::default().encode("ä\r\n").unwrap(), "ä\n".as_bytes());
}

#[test]
fn a_text_that_would_not_be_written_back_as_it_was_says_so() {
    // Big5 can read this character and not write it.
    let unwritable = Text::decode(b"\x87\x40\x87\x40{\x01");
    assert_eq!((unwritable.had_errors(), unwritable.round_trips()), (false, false));
    let damaged = Text::decode(b"\xff\xfea\0b");
    assert_eq!((damaged.had_errors(), damaged.round_trips()), (true, false));
    let legacy = Text::decode(b"K\xe4se f\xfcr J\xfcrgen\n");
    assert_eq!((legacy.had_errors(), legacy.round_trips()), (false, true));
}

proptest! {
    #[test]
    fn utf8_comes_back_as_it_was(content in "[a-zäß猫 \t\r\n]{0,80}", bom in any::<bool>()) {
        let mark = if bom { "\u{feff}" } else { "" };
        let bytes = format!("{mark}{content}").into_bytes();
        let text = Text::decode(&bytes);
        prop_assert_eq!(text.content(), content.as_str());
        prop_assert_eq!(text.format().encode(text.content()).unwrap(), bytes);
    }

    #[test]
    fn utf16_comes_back_as_it_was(content in "[a-zäß猫𝄞 \t\r\n]{0,80}", big in any::<bool>()) {
        let units = ['\u{feff}'].into_iter().chain(content.chars()).collect::<String>();
        let order = if big { u16::to_be_bytes } else { u16::to_le_bytes };
        let bytes: Vec<u8> = units.encode_utf16().flat_map(order).collect();
        let text = Text::decode(&bytes);
        prop_assert_eq!(text.content(), content.as_str());
        prop_assert_eq!(text.format().encode(text.content()).unwrap(), bytes);
    }

    #[test]
    fn lines_put_together_are_the_text(content in "[ab\r\n]{0,60}", count in 1_usize..5) {
        let text = Text::decode(content.as_bytes());
        let pieces: String = (0..text.line_count().div_ceil(count))
            .map(|piece| text.lines(LineRange { start: piece * count + 1, count }).unwrap().text)
            .collect();
        prop_assert_eq!(pieces, content);
    }
}
