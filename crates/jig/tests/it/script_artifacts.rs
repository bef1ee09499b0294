//! The part of the sequence for artifacts, suggestions, stages and the conversation.

use serde_json::{Value, json};

use crate::script::{Step, deck, fails, ok};

const NOBODY: &str = "0190b6c2-7d3e-7000-8000-000000000001";

fn artifact(slug: &str, mut more: Value) -> Value {
    more["slug"] = json!(slug);
    deck(more)
}

pub(crate) fn steps() -> Vec<Step> {
    let mut steps = stages();
    steps.extend(artifacts());
    steps.extend(operations());
    steps.extend(exchange());
    steps
}

fn stages() -> Vec<Step> {
    let launch = json!({ "stage": "launch", "title": "Launch", "artifacts": [{ "slug": "press", "title": "Press" }] });
    vec![
        ok("StageList", deck(json!({}))),
        ok("StagePut", deck(json!({ "definition": launch.to_string() }))),
        fails("StagePut", deck(json!({ "definition": "stage: X\n" })), "VALIDATION_FAILED"),
        ok("StageSet", deck(json!({ "stage": "launch" }))),
        fails("StageSet", deck(json!({ "stage": "lunch" })), "STAGE_NOT_FOUND"),
        ok("StageDelete", deck(json!({ "stage": "launch" }))),
        ok("ProjectDescribe", deck(json!({ "description": "A plan for ropes" }))),
        ok("ProjectGet", deck(json!({}))),
    ]
}

fn artifacts() -> Vec<Step> {
    vec![
        ok("ArtifactCreate", deck(json!({ "title": "Concept", "reason": "begin" }))),
        ok(
            "ArtifactCreate",
            deck(json!({ "title": "Notes", "content": "# Notes\n\n## Idea\n\nOne.\n", "stage": "design" })),
        ),
        fails("ArtifactCreate", deck(json!({ "title": "X", "slug": "concept" })), "ARTIFACT_EXISTS"),
        ok("ArtifactList", deck(json!({ "limit": 1 }))),
        ok("ArtifactList", deck(json!({ "stage": "design", "status": "draft" }))),
        ok("ArtifactGet", artifact("concept", json!({ "outline": true }))),
        ok("ArtifactGet", artifact("notes.md", json!({ "sections": ["idea"], "seen_revision": 1 }))),
        fails("ArtifactGet", artifact("notse", json!({})), "ARTIFACT_NOT_FOUND"),
        fails("ArtifactGet", artifact("notes", json!({ "sections": ["idee"] })), "SECTION_NOT_FOUND"),
        ok(
            "ArtifactPut",
            artifact("notes", json!({ "content": "# Notes\n\n## The Idea\n\nTwo.\n", "base_revision": 1 })),
        ),
        fails("ArtifactPut", artifact("notes", json!({ "content": "x", "base_revision": 1 })), "CONFLICT"),
        ok("ArtifactSnapshot", artifact("notes", json!({ "name": "second" }))),
        ok("ArtifactHistory", artifact("notes", json!({ "limit": 1 }))),
        ok("ArtifactRestore", artifact("notes", json!({ "revision": 1 }))),
        ok("ArtifactRestore", artifact("notes", json!({ "snapshot": "second" }))),
        fails("ArtifactRestore", artifact("notes", json!({ "revision": 99 })), "REVISION_NOT_FOUND"),
        ok("ArtifactFinalize", artifact("notes", json!({}))),
        fails("ArtifactPut", artifact("notes", json!({ "content": "x" })), "ARTIFACT_FINALIZED"),
        ok("ArtifactPut", artifact("notes", json!({ "content": "# Notes\n\n## The Idea\n", "override": true }))),
        ok("ArtifactUnfinalize", artifact("notes", json!({}))),
    ]
}

fn operations() -> Vec<Step> {
    let op = |name: &str, mut more: Value| {
        more["operation"] = json!(name);
        more["artifact_slug"] = json!("concept");
        more
    };
    let ops = |ops: Value| deck(json!({ "ops": ops }));
    let suggest =
        || op("suggest_edit", json!({ "section_slug": "what-is-it", "suggestion": "Say more", "content": "More." }));
    vec![
        ok(
            "ArtifactApplyOps",
            ops(json!([
                op("update_section", json!({ "section_slug": "what-is-it", "content": "Ropes.", "reason": "begin" })),
                op("mark_section_done", json!({ "section_slug": "what-is-it", "is_done": true })),
                op(
                    "create_section",
                    json!({ "title": "Costs", "content": "Few.", "after_section": "core-features", "order": 4 })
                ),
                op("rename_section", json!({ "section_slug": "non-goals", "title": "What It Is Not" })),
                op("move_section", json!({ "section_slug": "costs", "order": 1 })),
                op("delete_section", json!({ "section_slug": "value-proposition" })),
                op("collapse_section", json!({ "section_slug": "costs", "is_collapsed": true })),
            ])),
        ),
        fails(
            "ArtifactApplyOps",
            ops(json!([op("update_section", json!({ "section_slug": "xyz", "content": "" }))])),
            "SECTION_NOT_FOUND",
        ),
        fails(
            "ArtifactApplyOps",
            ops(json!([op("create_section", json!({ "title": "A", "content": "## B" }))])),
            "VALIDATION_FAILED",
        ),
        ok("ArtifactApplyOps", ops(json!([suggest()]))).keep("advice", "/applied/0/suggestion_id"),
        ok("ArtifactApplyOps", ops(json!([suggest()]))).keep("more_advice", "/applied/0/suggestion_id"),
        ok("SuggestionList", deck(json!({ "artifact_slug": "concept", "section_slug": "what-is-it" }))),
        ok("SuggestionAccept", deck(json!({ "suggestion_id": "{advice}", "reason": "yes" }))),
        fails("SuggestionAccept", deck(json!({ "suggestion_id": "{more_advice}" })), "CONFLICT"),
        ok("SuggestionReject", deck(json!({ "suggestion_id": "{more_advice}" }))),
        fails("SuggestionReject", deck(json!({ "suggestion_id": NOBODY })), "SUGGESTION_NOT_FOUND"),
        ok("ConversationAdd", deck(json!({ "text": "Let us begin.", "artifact": "concept" }))),
        fails("ConversationAdd", deck(json!({ "text": " " })), "VALIDATION_FAILED"),
        ok("ConversationList", deck(json!({ "artifact": "concept", "limit": 2 }))),
        ok("ConversationList", deck(json!({ "after": 3, "limit": 2 }))),
    ]
}

fn exchange() -> Vec<Step> {
    vec![
        ok("ArtifactImport", deck(json!({ "source_path": "{work}/plan.md" }))),
        ok("ArtifactExport", artifact("plan", json!({ "format": "tiptap" }))),
        ok("ArtifactExport", artifact("plan", json!({}))),
        fails("ArtifactExport", artifact("plane", json!({})), "ARTIFACT_NOT_FOUND"),
        fails("ArtifactImport", deck(json!({ "content": "{}", "format": "tiptap" })), "VALIDATION_FAILED"),
        ok("ArtifactDelete", artifact("plan", json!({ "base_revision": 1 }))),
        fails("ArtifactDelete", artifact("plan", json!({})), "ARTIFACT_NOT_FOUND"),
    ]
}
