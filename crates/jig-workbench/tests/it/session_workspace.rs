//! Workspaces of sessions over real HTTP: all ways to adopt one, all overrides, coverage, the legacy format, images.

use base64::Engine as _;
use jig_contract::Code;
use jig_testkit::ID;
use serde_json::{Value, json};

use crate::model_home::{MODEL, ModelHome};
use crate::session_home::{events, of_session, workspace};

fn last_request(home: &ModelHome) -> String {
    home.server.requests().last().unwrap().json().to_string()
}

fn file(path: &str, text: &impl ToString) -> Value {
    json!({ "path": path, "text": text.to_string() })
}

/// Two packs and two catalogs, one of each as default.
fn two_of_each() -> Value {
    let mut files = workspace("MAIN WORDS", &["list_files", "read_file"]);
    let part = json!({ "type": "template", "role": "system", "path": "prompts/templates/other.md" });
    let index = json!({
        "schema": "jig.agent-workspace/1",
        "prompt_packs": { "main": "prompts/packs/main.json", "other": "prompts/packs/other.json" },
        "tool_catalogs": { "default": "tools/catalogs/default.json", "small": "tools/catalogs/small.json" },
        "defaults": { "prompt_pack": "main", "tool_catalog": "default" },
    });
    let list = files.as_array_mut().unwrap();
    list.retain(|file| file["path"] != "agent.workspace.json");
    list.extend([
        file("agent.workspace.json", &index),
        file("prompts/templates/other.md", &"OTHER WORDS"),
        file("prompts/packs/other.json", &json!({ "id": "other", "parts": [part] })),
        file("tools/catalogs/small.json", &json!({ "id": "small", "tools": ["tools/descriptors/read_file.json"] })),
    ]);
    files
}

async fn commit(home: &ModelHome, files: &Value) -> Value {
    home.home.ok("AgentWorkspaceCommit", json!({ "workbench_id": ID, "files": files, "delete": true })).await
}

#[tokio::test]
async fn pack_and_catalog_of_one_run_reach_the_model_each_by_itself() {
    let home = ModelHome::agreed().await;
    commit(&home, &two_of_each()).await;
    let session = home.session(json!({})).await;
    let tools = |home: &ModelHome| {
        let request = home.server.requests().last().unwrap().json();
        let mut names: Vec<String> = ["list_files", "read_file"]
            .into_iter()
            .filter(|name| request["tools"].to_string().contains(*name))
            .map(str::to_owned)
            .collect();
        names.sort_unstable();
        names
    };
    for (options, words, offered) in [
        (json!({}), "MAIN WORDS", &["list_files", "read_file"][..]),
        (json!({ "pack": "other" }), "OTHER WORDS", &["list_files", "read_file"]),
        (json!({ "catalog": "small" }), "MAIN WORDS", &["read_file"]),
        (json!({}), "MAIN WORDS", &["list_files", "read_file"]),
    ] {
        let mut options = options;
        options["mode"] = "direct".into();
        home.says("x").on("WorkshopSend", &session, json!({ "message": "go", "options": options })).await;
        assert!(last_request(&home).contains(words), "{options}");
        assert_eq!(tools(&home), offered, "{options}");
    }
    home.replays(&session).await;
}

#[tokio::test]
async fn a_boundary_apply_changes_the_next_request_of_the_run_under_way() {
    let home = ModelHome::agreed().await;
    home.push("FIRST WORDS", &["list_files", "entry_propose"]).await;
    let session = home.session(json!({})).await;
    let propose = json!({ "role": "brand", "data": { "name": "Acme" } });
    home.calls("a", "entry_propose", &propose);
    let asked = home.direct(&session, "go").await;
    let question = asked["questions"][0]["question"].clone();
    home.push("SECOND WORDS", &["list_files", "entry_propose"]).await;
    let synced = home.on("SessionSync", &session, json!({})).await;
    let snapshot = synced["workspace"]["pending"]["snapshot"].clone();
    // During a run, an immediate apply is not possible.
    let at_once = of_session(&session, json!({ "snapshot": snapshot, "mode": "immediate_if_idle" }));
    let refused = home.home.fails_with(Code::Conflict, "SessionApply", at_once).await;
    assert_eq!(refused.info.detail.unwrap()["reason"], "run_active");
    let boundary = json!({ "snapshot": snapshot, "mode": "next_step_boundary" });
    let staged = home.on("SessionApply", &session, boundary).await;
    assert_eq!(staged["workspace"]["staged"]["snapshot"], snapshot);
    home.says("done");
    let done = home.on("SessionPermit", &session, json!({ "question": question, "answer": "deny" })).await;
    assert_eq!(
        events(&done),
        [
            "permission_answered",
            "tool_refused",
            "workspace_applied",
            "step_started",
            "model_requested",
            "model_answered",
            "run_ended"
        ]
    );
    assert!(last_request(&home).contains("SECOND WORDS"));
    let (first, second) = (
        home.on("SessionShow", &session, json!({ "step": 1 })).await,
        home.on("SessionShow", &session, json!({ "step": 2 })).await,
    );
    assert_eq!(second["snapshot"], snapshot);
    assert_ne!(first["snapshot"], second["snapshot"], "each step says which one it used");
    // Back to the first snapshot immediately.
    let back = json!({ "snapshot": first["snapshot"], "mode": "immediate_if_idle" });
    assert_eq!(home.on("SessionApply", &session, back).await["workspace"]["active"]["snapshot"], first["snapshot"]);
    home.says("x").direct(&session, "again").await;
    assert!(last_request(&home).contains("FIRST WORDS"));
    home.replays(&session).await;
}

#[tokio::test]
async fn a_sync_says_what_is_bound_unbound_and_not_permitted() {
    let home = ModelHome::agreed().await;
    home.push("WORDS", &["list_files", "read_file", "write_text_file", "nobody_knows"]).await;
    let session = home.session(json!({ "policy": [{ "capability": "files.write", "decision": "deny" }] })).await;
    home.push("OTHER WORDS", &["list_files", "read_file", "write_text_file", "nobody_knows"]).await;
    let synced = home.on("SessionSync", &session, json!({})).await;
    let coverage = &synced["events"][1]["event"]["snapshot"]["coverage"];
    let expected = json!({ "bound": ["list_files", "read_file"], "unbound": ["nobody_knows"],
        "not_permitted": ["write_text_file"] });
    assert_eq!(*coverage, expected, "{synced:#}");
    assert_eq!(synced["workspace"]["pending"]["unbound"], json!(["nobody_knows"]));
}

#[tokio::test]
async fn the_older_form_is_taken_with_a_word_and_refused_where_it_is_switched_off() {
    let tool = json!({ "name": "list_files", "description": "List", "input_schema": { "type": "object" } });
    let files = json!([file("tools/list_files.json", &tool)]);
    let home = ModelHome::agreed().await;
    commit(&home, &files).await;
    let session = home.session(json!({})).await;
    let shown = home.on("SessionGet", &session, json!({})).await;
    assert!(shown["workspace"]["active"]["warnings"].to_string().contains("deprecated"), "{shown:#}");
    home.calls("a", "list_files", &json!({})).says("none").direct(&session, "go").await;
    home.replays(&session).await;

    let strict = ModelHome::with(|config| config.legacy_tools = false).await;
    strict.agree(MODEL).await;
    let made = commit(&strict, &files).await;
    assert_eq!(made["problems"][0]["file"], "agent.workspace.json", "{made:#}");
    let params = json!({ "workbench_id": ID, "model": MODEL });
    strict.home.fails_with(Code::AgentWorkspaceInvalid, "SessionCreate", params).await;
    assert_eq!(strict.home.plain("SessionList").await["sessions"], json!([]));
}

#[tokio::test]
async fn pictures_of_a_workspace_are_kept_carried_and_replayed() {
    let home = ModelHome::with(|config| config.gc_grace_ms = 0).await;
    home.agree(MODEL).await;
    let mut png = vec![0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a];
    png.extend_from_slice(&[
        0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0, 0x90, 0x77, 0x53, 0xde,
    ]);
    let base64 = base64::engine::general_purpose::STANDARD.encode(&png);
    let mut files = workspace("WORDS", &["list_files"]);
    let parts = json!([{ "type": "template", "role": "system", "path": "prompts/templates/system.md" },
        { "type": "context", "path": "context/images/logo.png" }]);
    let list = files.as_array_mut().unwrap();
    list.retain(|file| file["path"] != "prompts/packs/main.json");
    list.push(file("prompts/packs/main.json", &json!({ "id": "main", "parts": parts })));
    list.push(json!({ "path": "context/images/logo.png", "base64": base64 }));
    let shared = json!({ "workbench_id": ID, "name": "house", "files": files });
    let made = home.home.ok("AgentWorkspaceCommit", shared).await;
    assert_eq!(made["problems"], json!([]), "{made:#}");
    let session = home.session(json!({ "workspace": "house" })).await;
    home.says("I see.").direct(&session, "look").await;
    assert!(last_request(&home).contains(&base64));
    home.home.ok("StoreCollect", json!({ "yes": true })).await;
    home.replays(&session).await;
    let archive = home.home.path().join("out.jig");
    home.home.ok("WorkbenchExport", json!({ "workbench_id": ID, "to": archive })).await;
    // A store in which the shared workspace never existed.
    let other = ModelHome::new().await;
    other.home.ok("WorkbenchImport", json!({ "from": archive, "id": "elsewhere" })).await;
    let params = json!({ "workbench_id": "elsewhere", "session_id": session });
    let replayed = other.home.ok("SessionReplay", params).await;
    assert_eq!(replayed["same"], true, "{replayed:#}");
}
