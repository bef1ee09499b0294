//! The part of the sequence for agent workspaces and sessions.

use serde_json::{Value, json};

use crate::script::{Step, deck, fails, ok};

const NOBODY: &str = "0190b6c2-7d3e-7000-8000-000000000001";

fn session(mut more: Value) -> Value {
    more["session_id"] = json!("{session}");
    deck(more)
}

pub(crate) fn steps() -> Vec<Step> {
    let tool = json!({ "name": "look", "description": "Look", "input_schema": { "type": "object" } }).to_string();
    let files = json!([{ "path": "tools/look.json", "text": tool }]);
    let nobody = || deck(json!({ "session_id": NOBODY }));
    vec![
        ok("AgentWorkspaceList", deck(json!({}))),
        ok("AgentWorkspaceResolve", deck(json!({ "reference": "jig" }))),
        fails("AgentWorkspaceResolve", deck(json!({ "reference": "own" })), "AGENT_WORKSPACE_NOT_FOUND"),
        ok("AgentWorkspaceCommit", deck(json!({ "name": "house", "files": files, "message": "first" }))),
        fails("AgentWorkspaceCommit", deck(json!({ "name": "jig", "files": files })), "VALIDATION_FAILED"),
        fails(
            "AgentWorkspaceCommit",
            deck(json!({ "name": "house", "files": files, "expected_head": "none" })),
            "CONFLICT",
        ),
        ok("AgentWorkspaceRead", deck(json!({ "reference": "house@1/tools/look.json" }))),
        fails("AgentWorkspaceRead", deck(json!({ "reference": "jig/none.md" })), "FILE_NOT_FOUND"),
        ok("AgentWorkspaceDiff", deck(json!({ "from": "house@1", "to": "house" }))),
        fails("AgentWorkspaceDiff", deck(json!({ "from": "nobody", "to": "jig" })), "AGENT_WORKSPACE_NOT_FOUND"),
        ok("AgentWorkspaceHistory", deck(json!({ "name": "house" }))),
        fails("AgentWorkspaceHistory", deck(json!({ "name": "nobody" })), "AGENT_WORKSPACE_NOT_FOUND"),
        ok("AgentWorkspaceUpgrade", deck(json!({ "dry_run": true }))),
        fails("AgentWorkspaceUpgrade", json!({ "workbench_id": "none" }), "WORKBENCH_NOT_FOUND"),
        ok("SessionCreate", deck(json!({ "workspace": "jig", "title": "Sums" }))).keep("session", "/session/id"),
        fails("SessionCreate", deck(json!({ "workspace": "No Name" })), "VALIDATION_FAILED"),
        ok("SessionList", deck(json!({}))),
        fails("SessionList", deck(json!({ "limit": 0 })), "VALIDATION_FAILED"),
        ok("SessionGet", session(json!({}))),
        fails("SessionGet", nobody(), "SESSION_NOT_FOUND"),
        ok("SessionConfigure", session(json!({ "title": "Sums of March", "max_tokens": 50_000 }))),
        fails("SessionConfigure", session(json!({ "max_tokens": 0 })), "VALIDATION_FAILED"),
        fails("SessionConfigure", session(json!({ "workspace": "nobody" })), "AGENT_WORKSPACE_INVALID"),
        fails("SessionShow", session(json!({ "step": 1 })), "VALIDATION_FAILED"),
        ok("SessionSync", session(json!({}))),
        fails("SessionSync", nobody(), "SESSION_NOT_FOUND"),
        fails("SessionApply", session(json!({ "snapshot": "0".repeat(64) })), "CONFLICT"),
        fails("SessionPermit", session(json!({ "question": 99, "answer": "allow" })), "CONFLICT"),
        ok("SessionPermissions", session(json!({}))),
        fails("SessionPermissions", nobody(), "SESSION_NOT_FOUND"),
        fails("SessionRevoke", session(json!({ "capability": "context.write" })), "VALIDATION_FAILED"),
        fails("SessionSync", session(json!({ "reference": "nobody" })), "AGENT_WORKSPACE_INVALID"),
        ok("SessionReplay", session(json!({}))),
        fails("SessionReplay", nobody(), "SESSION_NOT_FOUND"),
        ok("SessionEvents", session(json!({ "after": 1, "limit": 2 }))),
        fails("SessionEvents", nobody(), "SESSION_NOT_FOUND"),
        fails("WorkshopSend", session(json!({ "message": "go" })), "PROVIDER_NOT_CONFIGURED"),
        fails("WorkshopSend", session(json!({ "message": " \n" })), "VALIDATION_FAILED"),
        fails("WorkshopBegin", deck(json!({ "message": "go" })), "PROVIDER_NOT_CONFIGURED"),
        fails("WorkshopBegin", deck(json!({ "message": "" })), "VALIDATION_FAILED"),
        ok("SessionList", deck(json!({}))),
        ok("WorkshopResume", session(json!({}))),
        fails("WorkshopCancel", session(json!({})), "VALIDATION_FAILED"),
        fails("WorkshopUndoToMessage", session(json!({ "message": 4 })), "VALIDATION_FAILED"),
        fails("WorkshopRegenerate", session(json!({})), "PROVIDER_NOT_CONFIGURED"),
    ]
}
