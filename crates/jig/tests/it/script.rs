//! One sequence of calls that uses every operation, with successes and failures.

use serde_json::{Value, json};

/// One call. `{work}` in a text stands for the folder to work in.
pub(crate) struct Step {
    pub(crate) operation: &'static str,
    pub(crate) params: Value,
    /// The error that is expected, where one is.
    pub(crate) fails: Option<&'static str>,
}

fn ok(operation: &'static str, params: Value) -> Step {
    Step { operation, params, fails: None }
}

fn fails(operation: &'static str, params: Value, code: &'static str) -> Step {
    Step { operation, params, fails: Some(code) }
}

/// With `deck` as the workbench.
fn deck(mut params: Value) -> Value {
    params["workbench_id"] = json!("deck");
    params
}

/// The whole sequence.
pub(crate) fn steps() -> Vec<Step> {
    let mut steps = begin();
    steps.extend(draft());
    steps.extend(history());
    steps.extend(end());
    steps
}

fn begin() -> Vec<Step> {
    vec![
        ok("WorkbenchList", json!({})),
        fails("WorkbenchGet", json!({ "workbench_id": "deck" }), "WORKBENCH_NOT_FOUND"),
        ok("WorkbenchCreate", json!({ "name": "Deck" })),
        fails("WorkbenchCreate", json!({ "name": "Again", "id": "deck" }), "WORKBENCH_EXISTS"),
        fails("WorkbenchCreate", json!({ "name": " " }), "VALIDATION_FAILED"),
        ok("WorkbenchGet", deck(json!({}))),
        ok("WorkbenchRename", deck(json!({ "name": "The deck" }))),
        ok("FileAdd", deck(json!({ "paths": ["{work}/notes.txt", "{work}/bank.csv"] }))),
        ok("FileAdd", deck(json!({ "paths": ["{work}/notes.txt"], "folder": "sub" }))),
        fails("FileAdd", deck(json!({ "paths": ["{work}/none.txt"] })), "FILE_NOT_FOUND"),
        ok("FileList", deck(json!({}))),
        ok("FileList", deck(json!({ "folder": "sub", "limit": 1, "root": "published" }))),
        ok("FileGetInfo", deck(json!({ "path": "bank.csv" }))),
        fails("FileGetInfo", deck(json!({ "path": "bank.cvs" })), "FILE_NOT_FOUND"),
        ok("FileRead", deck(json!({ "path": "notes.txt", "line_start": 2, "line_count": 1 }))),
        fails("FileRead", deck(json!({ "path": "../notes.txt" })), "SANDBOX_VIOLATION"),
        ok("FileRemove", deck(json!({ "paths": ["sub/notes.txt"] }))),
        fails("FileRemove", deck(json!({ "paths": ["sub/notes.txt"] })), "FILE_NOT_FOUND"),
        ok("FileExtract", deck(json!({ "to": "{work}/out" }))),
    ]
}

fn draft() -> Vec<Step> {
    vec![
        ok("DraftGetState", deck(json!({}))),
        fails("DraftPublish", deck(json!({})), "DRAFT_NOT_FOUND"),
        fails("ReviewGetChangeSet", deck(json!({})), "DRAFT_NOT_FOUND"),
        ok("DraftCreate", deck(json!({}))),
        fails("DraftCreate", deck(json!({})), "DRAFT_EXISTS"),
        ok("DraftWriteText", deck(json!({ "path": "notes.txt", "text": "one\n2\n", "dry_run": true }))),
        ok("DraftWriteText", deck(json!({ "path": "notes.txt", "text": "one\n2\n" }))),
        fails(
            "DraftWriteText",
            deck(json!({ "path": "notes.txt", "text": "x", "base_hash": "0".repeat(64) })),
            "CONFLICT",
        ),
        ok("DraftRemoveFile", deck(json!({ "path": "bank.csv" }))),
        fails("FileRemove", deck(json!({ "paths": ["notes.txt"] })), "DRAFT_EXISTS"),
        ok("DraftGetState", deck(json!({}))),
        ok("ReviewGetChangeSet", deck(json!({}))),
        ok("ReviewGetDiff", deck(json!({ "path": "notes.txt" }))),
        fails("ReviewGetDiff", deck(json!({ "path": "none.txt" })), "FILE_NOT_FOUND"),
        fails("DraftPublish", deck(json!({})), "DELETION_NOT_CONFIRMED"),
        ok("DraftPublish", deck(json!({ "confirm_deletions": ["bank.csv"] }))),
        ok("DraftWriteText", deck(json!({ "path": "more.txt", "text": "more" }))),
        ok("DraftDiscard", deck(json!({}))),
        fails("DraftDiscard", deck(json!({})), "DRAFT_NOT_FOUND"),
    ]
}

fn history() -> Vec<Step> {
    vec![
        ok("CheckpointCreate", deck(json!({ "name": "good" }))),
        ok("CheckpointList", deck(json!({}))),
        ok("JournalUndo", deck(json!({}))),
        ok("JournalRedo", deck(json!({}))),
        fails("JournalRedo", deck(json!({})), "NOTHING_TO_UNDO"),
        ok("CheckpointRestore", deck(json!({ "checkpoint": "good" }))),
        fails("CheckpointRestore", deck(json!({ "checkpoint": "none" })), "CHECKPOINT_NOT_FOUND"),
        ok("JournalList", deck(json!({ "limit": 5 }))),
        ok("EventList", deck(json!({ "after": 3, "limit": 4 }))),
    ]
}

fn end() -> Vec<Step> {
    vec![
        ok("WorkbenchExport", deck(json!({ "to": "{work}/deck.jig" }))),
        fails("WorkbenchExport", deck(json!({ "to": "{work}/deck.jig" })), "FILE_EXISTS"),
        ok("WorkbenchImport", json!({ "from": "{work}/deck.jig", "name": "Read in" })),
        fails("WorkbenchImport", json!({ "from": "{work}/notes.txt" }), "ARCHIVE_INVALID"),
        ok("WorkbenchClone", deck(json!({ "name": "Copy", "id": "copy" }))),
        ok("WorkbenchDelete", json!({ "workbench_id": "copy", "confirm": "copy" })),
        fails("WorkbenchDelete", deck(json!({ "confirm": "dekc" })), "VALIDATION_FAILED"),
        ok("StoreDoctor", json!({})),
        ok("StoreCollect", json!({})),
        ok("WorkbenchList", json!({})),
    ]
}
