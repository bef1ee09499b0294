//! A workbench in a temporary home.

use jig_contract::{Actor, Env};
use jig_workbench::{CallContext, Config, Workbench};
use serde_json::{Value, json};
use tempfile::TempDir;

/// An open workbench, whose home is removed on drop.
pub(crate) struct Bench {
    pub(crate) workbench: Workbench,
    home: TempDir,
}

impl Bench {
    pub(crate) async fn new() -> Self {
        Self::with_config(|_| {}).await
    }

    pub(crate) async fn with_config(change: impl FnOnce(&mut Config)) -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut config = Config::new(home.path());
        change(&mut config);
        let workbench = Workbench::open(config, Env::system()).await.unwrap();
        Self { workbench, home }
    }

    /// A workbench `deck` where the model `scripted:play` gives these answers in turn.
    pub(crate) async fn with_script(answers: &[Value]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let scripts = home.path().join("scripts");
        std::fs::create_dir_all(&scripts).unwrap();
        let steps: Vec<Value> = answers.iter().map(|answer| json!({ "answer": answer })).collect();
        std::fs::write(scripts.join("play.json"), json!({ "steps": steps }).to_string()).unwrap();
        let mut config = Config::new(home.path());
        config.models.scripts = Some(scripts);
        let workbench = Workbench::open(config, Env::system()).await.unwrap();
        let bench = Self { workbench, home };
        bench.call("WorkbenchCreate", json!({ "name": "Deck" })).await;
        bench
    }

    /// A workbench `deck` with the published file `notes.txt`.
    pub(crate) async fn with_notes() -> Self {
        let bench = Self::new().await;
        bench.call("WorkbenchCreate", json!({ "name": "Deck" })).await;
        bench.add("notes.txt", b"one\ntwo\n").await;
        bench
    }

    pub(crate) async fn call(&self, name: &str, params: Value) -> Value {
        let context = CallContext::new(Actor::person());
        self.workbench.call(name, context, params).await.unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// The home folder.
    pub(crate) fn home(&self) -> &std::path::Path {
        self.home.path()
    }

    /// Creates a token and returns its id and secret.
    pub(crate) async fn token(&self, role: &str, workbench: Option<&str>) -> (String, String) {
        self.token_for("person", role, workbench).await
    }

    /// Creates a token for a person or an agent. The first one must be the owner's.
    pub(crate) async fn token_for(&self, kind: &str, role: &str, workbench: Option<&str>) -> (String, String) {
        let own = kind == "person" && role == "owner" && workbench.is_none();
        if !own && self.call("TokenList", json!({})).await["tokens"].as_array().unwrap().is_empty() {
            self.call("TokenCreate", json!({ "name": "the owner", "role": "owner" })).await;
        }
        let params = json!({ "name": format!("a {role}"), "role": role, "kind": kind, "workbench_id": workbench });
        let made = self.call("TokenCreate", params).await;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&made["info"]["id"]), text(&made["token"]))
    }

    /// Publishes a file in `deck`.
    pub(crate) async fn add(&self, path: &str, bytes: &[u8]) {
        let (folder, name) = path.rsplit_once('/').map_or((None, path), |(folder, name)| (Some(folder), name));
        let file = self.home.path().join("incoming").join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, bytes).unwrap();
        let params = json!({ "workbench_id": "deck", "paths": [file], "folder": folder, "replace": true });
        self.call("FileAdd", params).await;
    }

    /// Publishes many small files in `deck`.
    pub(crate) async fn add_many(&self, count: usize) {
        let folder = self.home.path().join("many");
        std::fs::create_dir_all(&folder).unwrap();
        for n in 0..count {
            std::fs::write(folder.join(format!("{n}.txt")), n.to_string()).unwrap();
        }
        self.call("FileAdd", json!({ "workbench_id": "deck", "paths": [folder] })).await;
    }
}
