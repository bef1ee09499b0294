//! `jig mcp --install`: shown first, written when told to, and nothing else is touched.

use serde_json::{Value, json};

use crate::environment::TestEnvironment;

fn read(environment: &TestEnvironment, path: &str) -> String {
    std::fs::read_to_string(environment.work().join(path)).unwrap_or_default()
}

#[test]
fn json_clients_keep_their_other_entries() {
    let environment = TestEnvironment::with_notes();
    for (client, path, table) in [
        ("claude", ".mcp.json", "mcpServers"),
        ("cursor", ".cursor/mcp.json", "mcpServers"),
        ("vscode", ".vscode/mcp.json", "servers"),
    ] {
        environment.write(path, json!({ "keep": 1, table: { "other": {} } }).to_string());
        let before = read(&environment, path);
        let shown = environment.jig(&["mcp", "--install", client]).success();
        assert_eq!(read(&environment, path), before, "only shown");
        let _ = environment.jig(&["mcp", "--install", client, "--yes"]).success();
        let after = read(&environment, path);
        assert!(shown.contains(after.trim()), "{shown}");
        let after: Value = serde_json::from_str(&after).unwrap();
        assert_eq!((&after["keep"], &after[table]["other"]), (&json!(1), &json!({})));
        let home = environment.home();
        assert_eq!(after[table]["jig"]["args"], json!(["mcp", "--home", home, "--workbench", "deck"]));
        assert_eq!(after[table]["jig"]["command"], env!("CARGO_BIN_EXE_jig"));
    }
}

#[test]
fn codex_gets_a_table_and_a_second_one_is_refused() {
    let mut environment = TestEnvironment::with_notes();
    environment.set("CODEX_HOME", environment.work().join("codex").to_str().unwrap());
    environment.write("codex/config.toml", "model = \"x\"\n");
    let _ = environment.jig(&["mcp", "--install", "codex", "--yes"]).success();
    let text = read(&environment, "codex/config.toml");
    assert!(text.starts_with("model = \"x\"\n\n[mcp_servers.jig]\ncommand = "), "{text}");
    assert_eq!(environment.jig(&["mcp", "--install", "codex", "--json"]).failure(), (4, "CONFLICT".to_owned()));
}

#[test]
fn a_file_that_is_not_understood_is_left_alone() {
    let environment = TestEnvironment::with_notes();
    environment.write(".mcp.json", "// a comment\n{}");
    assert_eq!(environment.jig(&["mcp", "--install", "claude", "--yes", "--json"]).failure().1, "CONFLICT");
    assert_eq!(read(&environment, ".mcp.json"), "// a comment\n{}");
}
