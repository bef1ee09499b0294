//! `jig mcp --install`: shows the change, writes it on request, and touches nothing else.

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
        ("gemini", ".gemini/settings.json", "mcpServers"),
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
        let written = read(&environment, path);
        let again = environment.jig(&["mcp", "--install", client, "--yes", "--json"]).success();
        let again: Value = serde_json::from_str(&again).unwrap();
        assert_eq!((&again["written"], &again["unchanged"]), (&json!(false), &json!(true)), "{again}");
        assert_eq!(read(&environment, path), written, "a second time changes nothing");
        let _ = environment.jig(&["mcp", "--install", client, "--print"]).success();
    }
    let left: Vec<_> = std::fs::read_dir(environment.work()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("jig-part")), "{left:?}");
}

#[test]
fn a_linked_configuration_stays_a_link_with_its_rights() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let environment = TestEnvironment::with_notes();
    environment.write("dotfiles/claude.json", "{}");
    let (target, link) = (environment.work().join("dotfiles/claude.json"), environment.work().join(".mcp.json"));
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&target, &link).unwrap();
    let _ = environment.jig(&["mcp", "--install", "claude", "--yes"]).success();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(read(&environment, "dotfiles/claude.json").contains("mcpServers"));
    assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn codex_gets_a_table_once_and_another_entry_is_refused() {
    let mut environment = TestEnvironment::with_notes();
    environment.set("CODEX_HOME", environment.work().join("codex").to_str().unwrap());
    environment.write("codex/config.toml", "model = \"x\"\n");
    let _ = environment.jig(&["mcp", "--install", "codex", "--yes"]).success();
    let text = read(&environment, "codex/config.toml");
    assert!(text.starts_with("model = \"x\"\n\n[mcp_servers.jig]\ncommand = "), "{text}");
    let _ = environment.jig(&["mcp", "--install", "codex", "--yes"]).success();
    assert_eq!(read(&environment, "codex/config.toml"), text, "a second time changes nothing");
    environment.write("codex/config.toml", "[mcp_servers.jig]\ncommand = \"other\"\n");
    assert_eq!(environment.jig(&["mcp", "--install", "codex", "--json"]).failure(), (4, "CONFLICT".to_owned()));
}

#[test]
fn comments_and_other_fields_of_the_entry_stay() {
    let environment = TestEnvironment::with_notes();
    let before = "{\n  // tools of the team\n  \"servers\": {\n    \"jig\": { \"command\": \"old\", \"env\": { \"JIG_MODEL\": \"x\" } }, // mine\n  },\n}\n";
    environment.write(".vscode/mcp.json", before);
    let _ = environment.jig(&["mcp", "--install", "vscode", "--yes"]).success();
    let after = read(&environment, ".vscode/mcp.json");
    for kept in ["// tools of the team", "// mine", "\"env\": { \"JIG_MODEL\": \"x\" }", env!("CARGO_BIN_EXE_jig")] {
        assert!(after.contains(kept), "{kept} in {after}");
    }
    assert!(!after.contains("\"old\""), "{after}");
    let again = environment.jig(&["mcp", "--install", "vscode", "--yes", "--json"]).success();
    assert!(again.contains("\"unchanged\": true") || again.contains("\"unchanged\":true"), "{again}");
    assert_eq!(read(&environment, ".vscode/mcp.json"), after, "a second time changes nothing");
}

#[test]
fn opencode_and_desktop_programs_get_their_own_shape() {
    let mut environment = TestEnvironment::with_notes();
    environment.write("opencode.jsonc", "// mine\n{ \"theme\": \"x\" }\n");
    let _ = environment.jig(&["mcp", "--install", "opencode", "--yes"]).success();
    let text = read(&environment, "opencode.jsonc");
    assert!(text.starts_with("// mine\n") && text.contains("\"theme\": \"x\""), "{text}");
    assert!(text.contains("\"type\": \"local\"") && text.contains("\"mcp\""), "{text}");
    let home = environment.work().join("person");
    environment.set("HOME", home.to_str().unwrap());
    for (client, table) in [("claude-desktop", "mcpServers"), ("zed", "context_servers")] {
        let shown = environment.jig(&["mcp", "--install", client, "--json"]).success();
        let shown: Value = serde_json::from_str(&shown).unwrap();
        let path = shown["path"].as_str().unwrap();
        assert!(path.starts_with(home.to_str().unwrap()), "{client}: {path}");
        let text: Value = serde_json::from_str(shown["text"].as_str().unwrap()).unwrap();
        assert_eq!(text[table]["jig"]["command"], env!("CARGO_BIN_EXE_jig"), "{client}: {text}");
        assert!(!std::path::Path::new(path).exists(), "only shown");
    }
}

#[test]
fn a_file_that_is_not_understood_is_left_alone() {
    let environment = TestEnvironment::with_notes();
    environment.write(".mcp.json", "{ broken");
    assert_eq!(environment.jig(&["mcp", "--install", "claude", "--yes", "--json"]).failure().1, "CONFLICT");
    assert_eq!(read(&environment, ".mcp.json"), "{ broken");
}
