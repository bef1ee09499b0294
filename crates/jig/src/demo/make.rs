//! Creates the demo: files, context, plans, agent rules, and a task that an agent works on.

use std::fs;
use std::path::Path;

use jig_contract::{Actor, Code, OpError};
use jig_workbench::{CallContext, Workbench};
use serde_json::{Value, json};

use crate::app::person;

/// The sample files.
static FILES: &[(&str, &[u8])] = &[
    ("bank.csv", include_bytes!("../../../../demo/files/bank.csv")),
    ("budget.xlsx", include_bytes!("../../../../demo/files/budget.xlsx")),
    ("deck.pptx", include_bytes!("../../../../demo/files/deck.pptx")),
    ("notes.txt", include_bytes!("../../../../demo/files/notes.txt")),
    ("policy.pdf", include_bytes!("../../../../demo/files/policy.pdf")),
    ("report.docx", include_bytes!("../../../../demo/files/report.docx")),
];

/// The texts of its context items.
const CONTEXT: &str = include_str!("../../../../demo/context.json");

/// Its entries.
const ENTRIES: &str = include_str!("../../../../demo/entries.json");

/// Its plans, with completed sections and an agent's suggestion.
const ARTIFACTS: &str = include_str!("../../../../demo/artifacts.json");

/// Instructions for agents, in addition to Jig's own.
const RULES: &str = include_str!("../../../../demo/agent/house-rules.md");

const RULES_PATH: &str = "context/docs/house-rules.md";

/// The prompt packs that a task uses, one per phase.
const PACKS: [&str; 5] = ["direct", "research", "plan", "implement", "summary"];

/// The task.
pub(super) const TASK: &str =
    "Add up the bank export by category, and note the largest sums in the notes and the report.";

/// A scripted model that needs no key and no network.
const MODEL: &str = "offline:demo";

/// A demo that was created.
pub(crate) struct DemoWorkbench {
    /// The workbench.
    pub(crate) id: String,
    /// The agent's session.
    pub(crate) session: String,
}

/// Creates the workbench and runs an agent in it. Its Draft is then ready for review.
pub(crate) async fn make(workbench: &Workbench, home: &Path) -> Result<DemoWorkbench, OpError> {
    let info = workbench.call("WorkbenchCreate", person(), json!({ "name": "Demo" })).await?;
    let id = info["id"].as_str().unwrap_or_default().to_owned();
    let demo = Demo { workbench, id: &id };
    demo.add_files(home).await?;
    demo.add_context().await?;
    demo.add_entries().await?;
    demo.add_artifacts().await?;
    demo.add_rules().await?;
    let session = demo.ask().await?;
    Ok(DemoWorkbench { id, session })
}

struct Demo<'a> {
    workbench: &'a Workbench,
    id: &'a str,
}

impl Demo<'_> {
    async fn call(&self, operation: &str, params: Value) -> Result<Value, OpError> {
        self.call_as(person(), operation, params).await
    }

    async fn call_as(&self, who: CallContext, operation: &str, mut params: Value) -> Result<Value, OpError> {
        params["workbench_id"] = self.id.into();
        self.workbench.call(operation, who, params).await
    }

    async fn add_files(&self, home: &Path) -> Result<(), OpError> {
        let folder = home.join(format!(".demo-{}", self.id));
        let failed = |e: std::io::Error| {
            OpError::new(Code::FileWriteFailed, format!("the demo's files could not be written: {e}"))
        };
        fs::create_dir_all(&folder).map_err(failed)?;
        let mut paths = Vec::new();
        for (name, bytes) in FILES {
            let path = folder.join(name);
            fs::write(&path, bytes).map_err(failed)?;
            paths.push(path);
        }
        let added = self.call("FileAdd", json!({ "paths": paths })).await;
        // Removes only the temporary copies written above, whether or not adding them succeeded.
        fs::remove_dir_all(&folder).map_err(failed)?;
        added.map(|_| ())
    }

    /// Adds context about the company, its situation and the style of its documents, without a model.
    async fn add_context(&self) -> Result<(), OpError> {
        for item in carried(CONTEXT)? {
            let input = json!({ "mode": "text", "text": item["text"] });
            let params = json!({ "category": item["category"], "input": input, "model": "offline:extract" });
            self.call("ContextProcess", params).await?;
        }
        Ok(())
    }

    /// Adds brand, customer, problem and two competitors, as a person would enter them.
    async fn add_entries(&self) -> Result<(), OpError> {
        for entry in carried(ENTRIES)? {
            self.call("EntryPut", entry).await?;
        }
        Ok(())
    }

    /// Adds two plans, with completed sections and a pending suggestion.
    async fn add_artifacts(&self) -> Result<(), OpError> {
        for artifact in carried(ARTIFACTS)? {
            let params = json!({ "title": artifact["title"], "content": artifact["content"] });
            let made = self.call("ArtifactCreate", params).await?;
            let slug = &made["artifact"]["slug"];
            for section in artifact["done"].as_array().into_iter().flatten() {
                let op = json!({ "operation": "mark_section_done", "artifact_slug": slug, "section_slug": section, "is_done": true });
                self.call("ArtifactApplyOps", json!({ "ops": [op] })).await?;
            }
            let mut op = artifact["suggestion"].clone();
            if op.is_object() {
                op["operation"] = "suggest_edit".into();
                op["artifact_slug"] = slug.clone();
                let agent = CallContext::new(Actor::agent("demo"));
                self.call_as(agent, "ArtifactApplyOps", json!({ "ops": [op] })).await?;
            }
        }
        Ok(())
    }

    /// Adds an agent workspace: the built-in one, with house rules in each prompt.
    async fn add_rules(&self) -> Result<(), OpError> {
        self.call("AgentWorkspaceUpgrade", json!({})).await?;
        let mut files = vec![json!({ "path": RULES_PATH, "text": RULES })];
        for pack in PACKS {
            let path = format!("prompts/packs/{pack}.json");
            let read = self.call("AgentWorkspaceRead", json!({ "reference": format!("own/{path}") })).await?;
            let mut pack: Value = parsed(read["file"]["text"].as_str().unwrap_or_default())?;
            if let Some(parts) = pack["parts"].as_array_mut() {
                parts.push(json!({ "type": "context", "path": RULES_PATH }));
            }
            files.push(json!({ "path": path, "text": format!("{pack:#}\n") }));
        }
        let params = json!({ "files": files, "message": "house rules in every prompt" });
        self.call("AgentWorkspaceCommit", params).await.map(|_| ())
    }

    /// Runs one task through the regular agent loop and returns the session.
    async fn ask(&self) -> Result<String, OpError> {
        let params = json!({ "message": TASK, "title": "Add up the bank export", "options": { "model": MODEL } });
        let done = self.call("WorkshopBegin", params).await?;
        if done["run"].is_object() {
            let words = format!("the demo's task is paused: {}", done["run"]["suspended"]);
            return Err(OpError::new(Code::Internal, words));
        }
        let draft = self.call("DraftGetState", json!({})).await?;
        if draft["exists"] != true {
            let last = done["messages"].as_array().and_then(|all| all.last()).map(|said| said["text"].clone());
            let words = format!("the demo's agent changed nothing: {}", last.unwrap_or_default());
            return Err(OpError::new(Code::Internal, words).hint("on a busy machine, try again in a moment"));
        }
        Ok(done["session"]["id"].as_str().unwrap_or_default().to_owned())
    }
}

/// Parses a built-in JSON list.
fn carried(text: &str) -> Result<Vec<Value>, OpError> {
    parsed(text)
}

fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, OpError> {
    serde_json::from_str(text).map_err(|e| OpError::new(Code::Internal, format!("the demo cannot be read: {e}")))
}
