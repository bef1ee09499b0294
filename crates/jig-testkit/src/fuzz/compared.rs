//! Two versions of a file.

use std::sync::Arc;

use jig_files::engine::{Engine, Versions};
use jig_worker::FileApi;
use serde_json::{Value, json};

use super::office::LIMITS;
use super::seeds;

/// The maximum size of a diff, which may quote both sides with context.
const ANSWER_BASE: usize = 1 << 20;
const ANSWER_TIMES: usize = 64;

/// The first byte selects the format, the rest is the new version, which is compared with a sample, with nothing and
/// with itself.
pub(super) fn diff(input: &[u8]) {
    let Some((first, new)) = input.split_first() else { return };
    let names = ["a.txt", "a.csv", "a.md", "a.json", "a.xlsx", "a.docx", "a.pptx", "a.pdf", "a.png", "a"];
    let name = names.get(usize::from(*first) % names.len()).copied().unwrap_or("a");
    let old: Arc<[u8]> = match name.rsplit('.').next() {
        Some("xlsx") => seeds::sample("google-like.xlsx").into(),
        Some("docx") => seeds::sample("google-like.docx").into(),
        Some("pptx") => seeds::sample("minimal.pptx").into(),
        _ => b"id,name\n1,one\n2,two\n3,three\n".as_slice().into(),
    };
    let new: Arc<[u8]> = new.into();
    let engine = FileApi::from(Engine::new(LIMITS));
    let most = ANSWER_BASE + ANSWER_TIMES * (old.len() + new.len());
    for (old, new) in [(Some(&old), Some(&new)), (Some(&new), Some(&old)), (None, Some(&new)), (Some(&new), None)] {
        let versions = Versions { name: name.to_owned(), old: old.map(Into::into), new: new.map(Into::into) };
        let compared = || engine.diff(&versions, &json!({}));
        let (one, other) = (compared(), compared());
        match (&one, &other) {
            (Ok(one), Ok(other)) => {
                assert_eq!(one, other, "{name}: two comparisons differ");
                assert!(one.to_string().len() <= most, "{name}: an answer out of proportion");
            }
            (Err(one), Err(other)) => {
                assert_eq!(one.message, other.message);
                assert!(!one.message.is_empty(), "{name}: a refusal without a reason");
            }
            _ => panic!("{name}: compared once and not again"),
        }
    }
    let same = Versions { name: name.to_owned(), old: Some((&new).into()), new: Some(new.into()) };
    if let Ok(answer) = engine.diff(&same, &json!({})) {
        assert!(is_empty(&answer), "{name}: a file differs from itself: {answer}");
    }
}

/// Whether a comparison reports no change.
fn is_empty(answer: &Value) -> bool {
    let lists = ["changes", "groups", "hunks"].iter().filter_map(|key| answer.get(key)?.as_array());
    lists.map(Vec::len).sum::<usize>() == 0
}
