//! A home with a session whose model is the fake server.

use jig_fake_model::{Answer, Reply};
use jig_testkit::ID;
use serde_json::{Value, json};

use crate::model_home::{MODEL, ModelHome};

/// A small custom workspace: one pack with this system text, one catalog with these built-in tools.
pub(crate) fn workspace(system: &str, tools: &[&str]) -> Value {
    let text = |path: &str, text: String| json!({ "path": path, "text": text });
    let mut files = vec![
        text(
            "prompts/packs/main.json",
            json!({ "id": "main", "parts": [
            { "type": "template", "role": "system", "path": "prompts/templates/system.md" }] })
            .to_string(),
        ),
        text("prompts/templates/system.md", system.to_owned()),
        text(
            "agent.workspace.json",
            json!({
                "schema": "jig.agent-workspace/1",
                "prompt_packs": { "main": "prompts/packs/main.json" },
                "tool_catalogs": { "default": "tools/catalogs/default.json" },
                "defaults": { "prompt_pack": "main", "tool_catalog": "default" },
            })
            .to_string(),
        ),
    ];
    let paths: Vec<String> = tools.iter().map(|tool| format!("tools/descriptors/{tool}.json")).collect();
    files.push(text("tools/catalogs/default.json", json!({ "id": "default", "tools": paths }).to_string()));
    for (tool, path) in tools.iter().zip(&paths) {
        let known = jig_context::agent::TOOLS.iter().find(|known| known.name == *tool);
        let descriptor = known.and_then(jig_context::agent::descriptor).map_or_else(
            || json!({ "name": tool, "description": "Nobody knows", "input_schema": { "type": "object" } }),
            |descriptor| serde_json::to_value(descriptor).unwrap(),
        );
        files.push(text(path, descriptor.to_string()));
    }
    Value::Array(files)
}

impl ModelHome {
    /// Pushes a version of the workbench's own workspace.
    pub(crate) async fn push(&self, system: &str, tools: &[&str]) -> Value {
        let files = workspace(system, tools);
        self.home.ok("AgentWorkspaceCommit", json!({ "workbench_id": ID, "files": files, "delete": true })).await
    }

    /// Creates a session and returns its id.
    pub(crate) async fn session(&self, mut more: Value) -> String {
        more["workbench_id"] = ID.into();
        more["model"] = MODEL.into();
        let made = self.home.ok("SessionCreate", more).await;
        assert!(made["workspace"]["active"].is_object(), "{made:#}");
        made["session"]["id"].as_str().unwrap().to_owned()
    }

    /// Calls an operation on a session.
    pub(crate) async fn on(&self, operation: &str, session: &str, more: Value) -> Value {
        self.home.ok(operation, of_session(session, more)).await
    }

    /// Runs a task in direct mode.
    pub(crate) async fn direct(&self, session: &str, message: &str) -> Value {
        self.on("WorkshopSend", session, json!({ "message": message, "options": { "mode": "direct" } })).await
    }

    /// Checks that the session replays identically.
    pub(crate) async fn replays(&self, session: &str) -> Value {
        let replayed = self.on("SessionReplay", session, json!({})).await;
        assert_eq!(replayed["same"], true, "{replayed:#}");
        replayed
    }

    pub(crate) fn says(&self, text: &str) -> &Self {
        self.server.reply(Reply::text(text));
        self
    }

    pub(crate) fn calls(&self, id: &str, tool: &str, input: &Value) -> &Self {
        self.server.reply(Reply::answer(Answer::call(id, tool, input)));
        self
    }
}

pub(crate) fn of_session(session: &str, mut more: Value) -> Value {
    more["workbench_id"] = ID.into();
    more["session_id"] = session.into();
    more
}

/// The names of the events in a result.
pub(crate) fn events(output: &Value) -> Vec<String> {
    let all = output["events"].as_array().unwrap();
    all.iter().map(|record| record["event"]["type"].as_str().unwrap().to_owned()).collect()
}
