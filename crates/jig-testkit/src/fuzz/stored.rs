//! Stored or external data: workbench archives, session logs, model answers, and text on its way to a model.

use jig_contract::{Actor, Env};
use jig_prompt::escape::{Names, escape, escape_attribute, unescape, unescape_answer};
use jig_providers::{Format, fuzzing};
use jig_session::{Record, check};
use jig_store::{ASSET_TTL_MS, Blobs, Database, GC_GRACE_MS, Repair, Store, StoreConfig};

/// Imports an archive: it is either refused without a trace, or imported completely and consistently.
pub(super) fn archive(input: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let home = tempfile::tempdir().expect("a temporary folder");
        let file = home.path().join("input.jig");
        std::fs::write(&file, input).expect("a file in it");
        let config = StoreConfig {
            database: Database::Sqlite(home.path().join("jig.db")),
            blobs: Blobs::folder(home.path().join("blobs")).expect("a folder in it"),
            gc_grace_ms: GC_GRACE_MS,
            asset_ttl_ms: ASSET_TTL_MS,
        };
        let store = Store::open(config, Env::system()).await.expect("a store");
        match store.import(&file, None, None, Actor::person()).await {
            Ok((head, entry)) => {
                assert_eq!(head.seq, entry.seq, "the import is the newest change");
                let report = store.check(None, Repair::No).await.expect("a check");
                assert!(report.problems.is_empty(), "an imported workbench is damaged: {:?}", report.problems);
            }
            Err(error) => {
                assert!(!error.to_string().is_empty(), "a refusal without a reason");
                assert!(store.heads().await.expect("the heads").is_empty(), "a refused archive left a workbench");
            }
        }
        store.close().await;
    });
}

/// Replays a log with a record per line: to its end or to the first record that does not follow, deterministically.
pub(super) fn session_log(input: &[u8]) {
    let records: Vec<Record> =
        input.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let (first, again) = (check(&records), check(&records));
    match (first, again) {
        (Ok(_), Ok(_)) => {}
        (Err(first), Err(again)) => assert_eq!(format!("{first:?}"), format!("{again:?}"), "two replays differ"),
        _ => panic!("a log replays once and not again"),
    }
}

/// Parses bytes as an answer of every provider, streamed and in one piece: the same message each time, or none.
pub(super) fn provider_answer(input: &[u8]) {
    for format in [Format::OpenAiChat, Format::OpenAiResponses, Format::Anthropic, Format::Gemini, Format::Compatible] {
        let streamed = fuzzing::streamed(format, input);
        assert_eq!(format!("{streamed:?}"), format!("{:?}", fuzzing::streamed(format, input)));
        let _ = fuzzing::whole(format, input);
    }
}

/// Escapes a text as data of a prompt: unescaped it is the same, and escaped it has no control token, tag or hidden
/// character.
pub(super) fn prompt_data(input: &[u8]) {
    let text = String::from_utf8_lossy(input).into_owned();
    for names in [Names::Sections, Names::Any, Names::None] {
        let sent = escape(&text, names);
        assert_eq!(unescape(&sent), text, "{names:?}");
        for token in ["<|im_end|>", "<|eot_id|>", "[INST]", "<start_of_turn>", "</s>", "\u{202e}"] {
            assert!(!sent.contains(token), "{token:?} in {sent:?}");
        }
        let tag = ["<workbench-", "</workbench-"].into_iter().find(|tag| names != Names::None && sent.contains(tag));
        assert_eq!(tag, None, "{sent:?}");
    }
    let value = escape_attribute(&text);
    // Control tokens are written with their first character in brackets, which closes no attribute.
    let outside = value.replace("⟦<⟧", "");
    assert!(!outside.contains(['"', '<', '>', '\n']), "{value:?}");
    assert_eq!(unescape(&value), text);
    let _ = unescape_answer(&text);
}
