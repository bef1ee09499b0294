//! The part of the sequence for targeting and the agent's context.

use serde_json::json;

use crate::script::{Step, deck, fails, ok};

pub(crate) fn steps() -> Vec<Step> {
    let about = |text: &str| deck(json!({ "text": text, "current_artifact": "concept" }));
    vec![
        ok("TargetResolve", about("Update the problem statement")),
        ok("TargetResolve", about("Update the problem section")),
        ok("TargetResolve", about("@concept#xyz fix")),
        ok("TargetResolve", deck(json!({ "text": "/export all", "commands": ["export"] }))),
        ok("TargetResolve", deck(json!({ "text": "Compare concept and notes" }))),
        fails("TargetResolve", deck(json!({ "text": "x", "current_artifact": "nowhere" })), "ARTIFACT_NOT_FOUND"),
        ok("AgentContextBuild", deck(json!({ "artifact": "concept", "level": "full" }))),
        ok("AgentContextBuild", deck(json!({ "artifact": "concept", "message": "Update the problem statement" })))
            .keep("view", "/context_version"),
        fails("AgentContextBuild", deck(json!({ "artifact": "nowhere" })), "ARTIFACT_NOT_FOUND"),
        ok("AgentContextRefresh", deck(json!({ "since": "{view}" }))),
        ok("AgentContextRefresh", deck(json!({ "since": "{view}", "full": true }))),
        fails("AgentContextRefresh", deck(json!({ "since": "nothing" })), "VALIDATION_FAILED"),
        ok("AgentContextCheck", deck(json!({ "context_version": "{view}", "sections_total": 99 }))),
        fails("AgentContextCheck", deck(json!({ "context_version": "nothing" })), "VALIDATION_FAILED"),
    ]
}
