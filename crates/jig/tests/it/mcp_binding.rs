//! Tools of an external MCP server, from settings to result. The server is `jig mcp` with another home.

use jig_fake_model::{Answer, FakeModel, Reply};
use serde_json::{Value, json};

use crate::environment::TestEnvironment;

/// A model server with its own runtime, and an environment that uses it as OpenAI.
fn with_model() -> (tokio::runtime::Runtime, FakeModel, TestEnvironment) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let model = runtime.block_on(FakeModel::start()).unwrap();
    let mut environment = TestEnvironment::with_notes();
    environment.set("JIG_PROVIDERS", &format!("openai={}/v1", model.url()));
    environment.set("OPENAI_API_KEY", "sk-planted-4711");
    environment.set("JIG_MODEL", "openai:gpt-5.2");
    let _ = environment.jig(&["consent", "grant", "openai:gpt-5.2", "--reach", "all"]).success();
    (runtime, model, environment)
}

/// Settings that define the other home's `jig mcp` as the server `far`.
fn settings(environment: &TestEnvironment, far: &TestEnvironment, more: &str) {
    let text = format!(
        "[mcp_servers.far]\ncommand = {:?}\nargs = [\"mcp\", \"--home\", {:?}]\n{more}\n",
        env!("CARGO_BIN_EXE_jig"),
        far.home().to_str().unwrap(),
    );
    std::fs::write(environment.home().join("jig.toml"), text).unwrap();
}

/// A workspace whose only tool lists the files of the other home.
fn workspace(environment: &TestEnvironment) {
    let index = json!({
        "schema": "jig.agent-workspace/1",
        "prompt_packs": { "main": "prompts/packs/main.json" },
        "tool_catalogs": { "default": "tools/catalogs/default.json" },
        "defaults": { "prompt_pack": "main", "tool_catalog": "default" },
    });
    let part = json!({ "type": "template", "role": "system", "path": "prompts/templates/system.md" });
    let tool = json!({ "name": "far__files", "description": "Files far away", "input_schema": { "type": "object" } });
    for (path, value) in [
        ("agent/agent.workspace.json", index),
        ("agent/prompts/packs/main.json", json!({ "id": "main", "parts": [part] })),
        (
            "agent/tools/catalogs/default.json",
            json!({ "id": "default", "tools": ["tools/descriptors/far__files.json"] }),
        ),
        ("agent/tools/descriptors/far__files.json", tool),
    ] {
        environment.write(path, value.to_string());
    }
    environment.write("agent/prompts/templates/system.md", "Look far away.");
    let _ = environment.jig(&["agent", "push", "agent"]).success();
}

#[test]
fn an_agent_calls_a_tool_of_another_jig_once_a_person_says_so() {
    let (_runtime, model, environment) = with_model();
    let far = TestEnvironment::with_notes();
    far.write("plan.md", "# Plan");
    let _ = far.jig(&["add", "plan.md"]).success();
    settings(&environment, &far, "tools = [\"files=list_files\"]");
    let shown = environment.jig(&["settings"]).success();
    assert!(shown.contains("mcp_servers.far") && shown.contains("(files)"), "{shown}");
    workspace(&environment);
    let made = environment.jig(&["session", "create", "--json"]).json();
    let session = made["session"]["id"].as_str().unwrap().to_owned();
    assert!(made["workspace"]["active"]["unbound"].is_null(), "{made:#}");
    let input = json!({ "workbench_id": "deck" });
    model.reply(Reply::answer(Answer::call("a", "far__files", &input)));
    model.reply(Reply::text("There is a plan."));
    let asked = environment.jig(&["workshop", "send", &session, "What is there?", "--mode", "direct", "--json"]).json();
    assert_eq!(asked["questions"][0]["capability"], "mcp.far.write.files", "{asked:#}");
    let number = asked["questions"][0]["question"].to_string();
    // The call is permitted, but nothing is sent yet: the run pauses until a person consents to that.
    let paused = environment.jig(&["session", "permit", &session, &number, "allow", "--json"]).json();
    assert_eq!(paused["run"]["suspended"]["code"], "EGRESS_CONSENT_REQUIRED", "{paused:#}");
    let refused = environment.jig(&["workshop", "resume", &session, "--json"]);
    assert_eq!(refused.failure().1, "EGRESS_CONSENT_REQUIRED", "{refused:?}");
    let scope = serde_json::from_str::<Value>(&refused.stderr).unwrap()["detail"]["scope"].clone();
    let hash = scope["hash"].as_str().unwrap();
    let _ = environment.jig(&["consent", "grant", "mcp:far", "--scope-hash", hash]).success();
    let done = environment.jig(&["workshop", "resume", &session, "--json"]).json();
    let finished = done["events"].as_array().unwrap().iter().find(|record| record["event"]["type"] == "tool_finished");
    let outcome = &finished.unwrap()["event"]["outcome"];
    assert!(outcome["failed"].is_null() && outcome["text"].as_str().unwrap().contains("plan.md"), "{outcome:#}");
    assert_eq!(done["messages"][1]["text"], "There is a plan.");
    // A replay needs neither the server nor the setting.
    std::fs::remove_file(environment.home().join("jig.toml")).unwrap();
    let replayed = environment.jig(&["session", "replay", &session, "--json"]).json();
    assert_eq!(replayed["same"], true, "{replayed:#}");
}

#[test]
fn wrong_settings_of_servers_are_told_with_their_place() {
    let (environment, far) = (TestEnvironment::with_notes(), TestEnvironment::new());
    let fails = |more: &str| {
        settings(&environment, &far, more);
        let refused = environment.jig(&["settings", "--json"]);
        assert_eq!(refused.failure().1, "SETTINGS_INVALID", "{refused:?}");
        let info: Value = serde_json::from_str(&refused.stderr).unwrap();
        info["message"].as_str().unwrap().split_once(": ").unwrap().1.to_owned()
    };
    for (more, told) in [
        ("", "`mcp_servers.far.tools` must list the tools that agents may use"),
        ("tools = \"a\"", "`mcp_servers.far.tools` must be a list of texts"),
        ("tools = [\"a\", \"a\"]", "`mcp_servers.far.tools` has `a` twice"),
        ("tools = [\"a.b\"]", "`mcp_servers.far.tools` has `a.b`, but `far__a.b` is not a valid tool name for models"),
        ("tools = [\"a\"]\nread_only = [\"b\"]", "`mcp_servers.far.read_only` has `b`, which is not in `tools`"),
        ("tools = [\"a\"]\nurl = \"https://x\"", "`mcp_servers.far` must have either `command` or `url`"),
        ("tools = [\"a\"]\ntool = 1", "`mcp_servers.far.tool` is not known"),
        ("tools = [\"a\"]\ntimeout_seconds = 0", "`mcp_servers.far.timeout_seconds` must be a number from 1 to 3600"),
        ("tools = [\"a\"]\nresult_bytes = \"1GiB\"", "`mcp_servers.far.result_bytes` must be a size up to 64MiB"),
        ("tools = [\"a\"]\nbearer_env = \"X\"", "`mcp_servers.far.bearer_env` is for servers with a `url`"),
        ("tools = [\"a\"]\nenv = { A = 1 }", "`mcp_servers.far.env` has `A`, which is not a text"),
    ] {
        assert_eq!(fails(more), told);
    }
    let url = |url: &str| {
        let text = format!("[mcp_servers.far]\nurl = {url:?}\ntools = [\"a\"]\n");
        std::fs::write(environment.home().join("jig.toml"), text).unwrap();
        environment.jig(&["settings"])
    };
    for wrong in ["http://example.com/mcp", "ftp://x", "https://me:secret@x/", "http://localhost.example.com/"] {
        assert_eq!(url(wrong).code, 2, "{wrong}");
    }
    for right in ["https://example.com/mcp", "http://127.0.0.1:8000/mcp", "http://localhost/mcp"] {
        let _ = url(right).success();
    }
    // A missing variable is reported when the server is needed, and affects nothing else.
    settings(&environment, &far, "tools = [\"a\"]\npass_env = [\"NOT_SET_ANYWHERE\"]");
    let _ = environment.jig(&["settings"]).success();
    // The `jig.toml` of the current folder cannot start programs.
    std::fs::remove_file(environment.home().join("jig.toml")).unwrap();
    environment.write("jig.toml", "[mcp_servers.far]\ncommand = \"sh\"\ntools = [\"a\"]\n");
    let refused = environment.jig(&["settings"]);
    assert!(refused.code != 0 && refused.stderr.contains("mcp_servers"), "{refused:?}");
}
