//! Edits of any text: taking an edit back gives the same bytes, and what was not named keeps its bytes.

use jig_files::Text;
use jig_files::engine::{EditOptions, Format};
use jig_worker::FileApi;
use proptest::prelude::*;
use serde_json::{Value, json};

fn edit(source: &[u8], ops: &Value) -> Vec<u8> {
    let engine = FileApi::default();
    engine.engine.apply(Format::Text, Some(source.into()), ops, &EditOptions::default()).unwrap().bytes
}

/// Lines with their ends, of which the last may have none.
fn lines() -> impl Strategy<Value = Vec<(String, String)>> {
    let line = "[a-zäß東 ]{0,8}";
    let end = prop_oneof![Just("\n".to_owned()), Just("\r\n".to_owned())];
    (prop::collection::vec((line, end), 1..12), any::<bool>()).prop_map(|(mut lines, ended)| {
        let uniform = lines.iter().map(|(_, end)| end.clone()).next().unwrap_or_default();
        if let Some(last) = lines.last_mut().filter(|last| !ended && !last.0.is_empty()) {
            last.1.clear();
        }
        // Half of the texts have the same end everywhere.
        if lines.len() % 2 == 0 {
            lines.iter_mut().filter(|line| !line.1.is_empty()).for_each(|line| line.1.clone_from(&uniform));
        }
        lines
    })
}

fn joined(lines: &[(String, String)]) -> String {
    lines.iter().map(|(text, end)| format!("{text}{end}")).collect()
}

proptest! {
    #[test]
    fn inserted_lines_can_be_deleted_again(lines in lines(), at in 0..12_usize, new in "[a-z]{1,5}") {
        let source = joined(&lines);
        let at = at.min(lines.len()) + 1;
        let inserted = edit(source.as_bytes(), &json!([{ "op": "insert_lines", "lines": [new], "line": at }]));
        let text = String::from_utf8(inserted.clone()).unwrap();
        prop_assert_eq!(Text::decode(&inserted).line_count(), Text::decode(source.as_bytes()).line_count() + 1);
        // All lines in front of the place, and behind it, have the bytes that they had.
        let before = joined(&lines[..at - 1]);
        let after = joined(&lines[at - 1..]);
        if at <= lines.len() {
            prop_assert!(text.starts_with(&before));
            prop_assert!(text.ends_with(&after));
        }
        let back = edit(&inserted, &json!([{ "op": "delete_lines", "line_start": at }]));
        prop_assert_eq!(String::from_utf8(back).unwrap(), source);
    }

    #[test]
    fn a_replacement_can_be_taken_back(lines in lines(), at in 0..12_usize, mark in "[A-Z]{3,6}", new in "[0-9]{1,9}(\n[0-9]{1,5})?") {
        let mut lines = lines;
        let at = at.min(lines.len() - 1);
        lines[at].0.insert_str(0, &mark);
        let source = joined(&lines);
        let replaced = edit(source.as_bytes(), &json!([{ "op": "replace_text", "search": mark, "replace": new }]));
        let text = String::from_utf8(replaced.clone()).unwrap();
        let start = joined(&lines[..at]);
        prop_assert!(text.starts_with(&start));
        prop_assert!(text.ends_with(&source[start.len() + mark.len()..]));
        let back = edit(&replaced, &json!([{ "op": "replace_text", "search": new, "replace": mark }]));
        prop_assert_eq!(String::from_utf8(back).unwrap(), source);
    }

    #[test]
    fn bytes_in_other_lines_stay_whatever_they_are(bytes in prop::collection::vec(0x09_u8..=0xff, 0..200)) {
        let mut source = b"first line\n".to_vec();
        source.extend(bytes.iter().copied().filter(|byte| !(0x0b..0x20).contains(byte) && *byte != 0x7f));
        source.extend(b"\nlast line\n");
        let engine = FileApi::default();
        let ops = json!([{ "op": "replace_text", "search": "first line", "replace": "1" }, { "op": "insert_lines", "lines": "new" }]);
        // What is taken for a stateful encoding, or for no text at all, may be refused.
        if let Ok(edited) = engine.engine.apply(Format::Text, Some(source.clone().into()), &ops, &EditOptions::default()) {
            let mut expected = b"1".to_vec();
            expected.extend(&source["first line".len()..]);
            expected.extend(b"new\n");
            prop_assert_eq!(edited.bytes, expected);
        }
    }
}
