//! The part of the sequence for context items, prompts, models and consent.

use serde_json::{Value, json};

use crate::script::{Step, deck, fails, ok};

const MODEL: &str = "openai:gpt-5.2";

fn item(category: &str, mut more: Value) -> Value {
    more["category"] = json!(category);
    deck(more)
}

fn offline(category: &str, input: Value) -> Value {
    item(category, json!({ "input": input, "model": "offline:extract" }))
}

pub(crate) fn steps() -> Vec<Step> {
    let mut steps = items();
    steps.extend(prompts());
    steps.extend(consents());
    steps.extend(end());
    steps
}

fn items() -> Vec<Step> {
    let notes = json!({ "mode": "file", "source_path": "{work}/notes.txt", "note": "everything" });
    let sign = json!({ "source_path": "{work}/sign.svg" });
    let edited = json!([{ "path": "context.md", "content": "## Now\n\n- mine\n" }]);
    let outside = json!([{ "path": "../context.md", "content": "x" }]);
    let out = json!({ "out": "{work}/skills" });
    let skill = json!({ "folder": "{work}/skills/company-context" });
    vec![
        ok("ContextList", deck(json!({}))),
        ok("ContextGet", item("situation", json!({}))),
        fails("ContextGet", json!({ "workbench_id": "none", "category": "situation" }), "WORKBENCH_NOT_FOUND"),
        fails("ContextProcess", item("situation", json!({ "input": { "text": "Board" } })), "PROVIDER_NOT_CONFIGURED"),
        ok(
            "ContextProcess",
            offline("situation", json!({ "mode": "text", "text": "Deadline: Friday\nAudience: board" })),
        ),
        ok("ContextProcess", offline("company-context", notes)),
        fails("ContextProcess", offline("document-style", sign), "VALIDATION_FAILED"),
        ok("ContextGet", item("company-context", json!({}))),
        ok("ContextGetArtifact", item("situation", json!({}))),
        ok("ContextUpdateDirect", item("situation", json!({ "files": edited }))),
        fails("ContextUpdateDirect", item("situation", json!({ "files": outside })), "SANDBOX_VIOLATION"),
        fails("ContextReprocess", item("situation", json!({ "model": "offline:extract" })), "CONFLICT"),
        ok(
            "ContextReprocess",
            item("situation", json!({ "model": "offline:extract", "overwrite_direct_edits": true })),
        ),
        ok("ContextExport", item("company-context", out.clone())),
        fails("ContextExport", item("company-context", out), "FILE_EXISTS"),
        ok("ContextImport", item("department-context", skill)),
        fails("ContextImport", item("department-context", json!({ "folder": "{work}/none" })), "FILE_NOT_FOUND"),
        ok("ContextList", deck(json!({}))),
    ]
}

fn prompts() -> Vec<Step> {
    vec![
        ok("PromptAssemble", deck(json!({ "message": "Summarise notes.txt as slides", "model": MODEL }))),
        fails("PromptAssemble", deck(json!({ "model": "openai:gpt-5.9" })), "PROVIDER_NOT_CONFIGURED"),
        ok("ClutterGet", deck(json!({}))),
        fails("ClutterGet", deck(json!({ "model": "gpt" })), "VALIDATION_FAILED"),
    ]
}

fn consents() -> Vec<Step> {
    vec![
        ok("ModelList", json!({})),
        ok("ModelSetDefault", deck(json!({ "model": MODEL }))),
        ok("ModelList", deck(json!({}))),
        fails("ModelSetDefault", deck(json!({ "model": "nobody:x" })), "PROVIDER_NOT_CONFIGURED"),
        fails("ContextProcess", item("situation", json!({ "input": { "text": "Board" } })), "PROVIDER_NOT_CONFIGURED"),
        ok("ConsentGrant", deck(json!({ "model": MODEL, "reach": "kept" }))),
        fails("ConsentGrant", deck(json!({ "model": "offline:extract" })), "VALIDATION_FAILED"),
        ok("ConsentList", deck(json!({}))),
        ok("ConsentRevoke", deck(json!({ "consent": MODEL }))),
        fails("ConsentRevoke", deck(json!({ "consent": MODEL })), "VALIDATION_FAILED"),
        ok("EgressList", deck(json!({ "limit": 5 }))),
        fails("EgressList", deck(json!({ "limit": 0 })), "VALIDATION_FAILED"),
        ok("StatsGet", json!({})),
        ok("StatsGet", deck(json!({}))),
    ]
}

fn end() -> Vec<Step> {
    vec![
        ok("EventList", deck(json!({ "after": 15 }))),
        ok("ContextDelete", item("situation", json!({}))),
        fails("ContextDelete", item("situation", json!({})), "FILE_NOT_FOUND"),
        ok("ModelSetDefault", deck(json!({}))),
    ]
}
