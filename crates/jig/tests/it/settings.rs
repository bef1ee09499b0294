//! Settings: the source of each value, and that none is ignored.

use serde_json::{Value, json};

use crate::environment::{TestEnvironment, snapshot};
use crate::mcp_process::Mcp;
use crate::rpc_process::Rpc;

fn setting(environment: &TestEnvironment, arguments: &[&str], key: &str) -> (Value, String) {
    let all = environment.jig(&[&["settings", "--json"], arguments].concat()).json();
    let one = all["settings"].as_array().unwrap().iter().find(|one| one["key"] == key).unwrap().clone();
    (one["value"].clone(), environment.redacted(one["source"].as_str().unwrap()))
}

#[test]
fn flags_come_before_variables_before_files_before_defaults() {
    let mut environment = TestEnvironment::new();
    let color = |environment: &TestEnvironment, arguments: &[&str]| setting(environment, arguments, "color");
    assert_eq!(color(&environment, &[]), (json!("auto"), "default".to_owned()));
    environment.write("../data/jig.toml", "color = \"never\"");
    assert_eq!(color(&environment, &[]), (json!("never"), "[root]/data/jig.toml".to_owned()));
    environment.write("jig.toml", "color = \"always\"");
    assert_eq!(color(&environment, &[]), (json!("always"), "[root]/desk/jig.toml".to_owned()));
    environment.set("JIG_COLOR", "auto");
    assert_eq!(color(&environment, &[]), (json!("auto"), "JIG_COLOR".to_owned()));
    assert_eq!(color(&environment, &["--color", "never"]), (json!("never"), "--color".to_owned()));
    environment.set("JIG_COLOR", "");
    environment.write("other.toml", "");
    assert_eq!(color(&environment, &["--config", "other.toml"]), (json!("auto"), "default".to_owned()));
}

#[test]
fn all_settings_are_shown_with_their_source_and_without_secrets() {
    let mut environment = TestEnvironment::with_notes();
    environment.set("JIG_DATABASE", "postgres://me:secret-word@db.example/jig");
    environment.write(
        "../data/jig.toml",
        "view = false\n[limits]\nfiles = 5\n[blobs_options]\nregion = \"x\"\nsecret_access_key = \"secret-word\"\n",
    );
    let seen = environment.jig(&["settings"]).success();
    assert!(!seen.contains("secret-word"), "{seen}");
    // The column width depends on the path of the temporary folder.
    let seen = regex::Regex::new(" {2,}").unwrap().replace_all(&seen, "  ").into_owned();
    snapshot("settings.txt", &environment.redacted(&seen));
}

#[test]
fn wrong_settings_are_errors_that_name_their_place() {
    let environment = TestEnvironment::new();
    let failure = |environment: &TestEnvironment| {
        let ran = environment.jig(&["files", "--json"]);
        assert_eq!(ran.failure(), (2, "SETTINGS_INVALID".to_owned()));
        serde_json::from_str::<Value>(&ran.stderr).unwrap()
    };
    environment.write("jig.toml", "colour = \"always\"");
    assert_eq!(failure(&environment)["suggestions"][0], "color");
    environment.write("jig.toml", "[limits]\nfile_byte = 1");
    assert_eq!(failure(&environment)["suggestions"][0], "limits.file_bytes");
    for wrong in
        ["color = \"pink\"", "color = 3", "limits.files = -1", "limits.file_bytes = \"many\"", "color = [1]", "x"]
    {
        environment.write("jig.toml", wrong);
        assert!(failure(&environment)["message"].as_str().unwrap().contains("jig.toml"), "{wrong}");
    }
    std::fs::remove_file(environment.work().join("jig.toml")).unwrap();
    let missing = environment.jig(&["files", "--json", "--config", "none.toml"]);
    assert_eq!(missing.failure(), (2, "SETTINGS_INVALID".to_owned()));
    environment.write("../data/jig.toml", "home = \"elsewhere\"");
    failure(&environment);
}

#[test]
fn home() {
    let environment = TestEnvironment::new();
    let other = environment.work().join("other");
    let _ = environment.jig(&["new", "Deck", "--home", other.to_str().unwrap()]).success();
    assert!(other.join("jig.db").exists() && !environment.home().join("jig.db").exists());
    let _ = environment.jig(&["new", "Deck"]).success();
    assert!(environment.home().join("jig.db").exists());
}

#[test]
fn home_by_default_and_never_from_the_current_folder() {
    let environment = TestEnvironment::new();
    let run = |arguments: &[&str]| {
        let mut command = environment.command();
        let status = command.env_remove("JIG_HOME").args(arguments).output().unwrap();
        assert!(status.status.success(), "{status:?}");
    };
    run(&["new", "Deck"]);
    assert!(environment.work().join("../.local/share/jig/jig.db").exists());
    environment.write("jig.toml", "home = \"near\"");
    let mut command = environment.command();
    let refused = command.env_remove("JIG_HOME").args(["new", "Deck"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(!environment.work().join("near").exists(), "nothing is written there");
    run(&["new", "Deck", "--config", "jig.toml"]);
    assert!(environment.work().join("near/jig.db").exists(), "a file that is named is trusted");
}

#[test]
fn workbench() {
    let mut environment = TestEnvironment::with_notes();
    let _ = environment.jig(&["workbench", "create", "Other"]).success();
    let total = |environment: &TestEnvironment, arguments: &[&str]| {
        environment.jig(&[&["files", "--json"], arguments].concat()).json()["total"].clone()
    };
    assert_eq!(total(&environment, &[]), 1, "the current one");
    environment.set("JIG_WORKBENCH", "other");
    assert_eq!(total(&environment, &[]), 0);
    assert_eq!(total(&environment, &["-w", "deck"]), 1);
}

#[test]
fn database() {
    let mut environment = TestEnvironment::new();
    environment.set("JIG_DATABASE", "nonsense://somewhere");
    assert_ne!(environment.jig(&["new", "Deck"]).code, 0);
}

#[test]
fn blobs_and_their_options() {
    let mut environment = TestEnvironment::new();
    environment.set("JIG_BLOBS", "nonsense://somewhere");
    assert_ne!(environment.jig(&["new", "Deck"]).code, 0);
    environment.set("JIG_BLOBS", "s3://bucket/prefix");
    environment.set("JIG_BLOBS_OPTIONS", "no_such_option=1");
    assert_eq!(environment.jig(&["new", "Deck", "--json"]).failure(), (2, "SETTINGS_INVALID".to_owned()));
    environment.set("JIG_BLOBS_OPTIONS", "nonsense");
    assert_eq!(environment.jig(&["settings", "--json"]).failure(), (2, "SETTINGS_INVALID".to_owned()));
}

#[test]
fn view() {
    let mut environment = TestEnvironment::with_notes();
    assert!(environment.home().join("workbenches/deck/published/notes.txt").exists());
    environment.set("JIG_VIEW", "off");
    let made = environment.jig(&["new", "Other", "--json"]).json();
    assert_eq!(made.get("folder"), None);
    assert!(!environment.home().join("workbenches/other").exists());
}

#[test]
fn view_is_off_with_a_database_unless_it_is_set() {
    let mut environment = TestEnvironment::new();
    assert_eq!(setting(&environment, &[], "view"), (json!("on"), "default".to_owned()));
    environment.set("JIG_DATABASE", "postgres://db.example/jig");
    assert_eq!(setting(&environment, &[], "view"), (json!("off"), "default with a database".to_owned()));
    environment.set("JIG_VIEW", "on");
    assert_eq!(setting(&environment, &[], "view"), (json!("on"), "JIG_VIEW".to_owned()));
}

#[test]
fn limits() {
    for (variable, file) in
        [("JIG_LIMITS_FILE_BYTES", "a.txt"), ("JIG_LIMITS_TABLE_BYTES", "a.csv"), ("JIG_LIMITS_FILES", "a.txt")]
    {
        let mut environment = TestEnvironment::with_notes();
        environment.write(file, "1,2,3\n");
        environment.set(variable, "1");
        assert_eq!(environment.jig(&["add", file, "--json"]).failure(), (2, "LIMIT_EXCEEDED".to_owned()), "{variable}");
        environment.set(variable, "1MiB");
        if variable == "JIG_LIMITS_FILES" {
            environment.set(variable, "2");
        }
        let _ = environment.jig(&["add", file]).success();
    }
}

#[test]
fn gc_grace_minutes() {
    let mut environment = TestEnvironment::with_notes();
    let _ = environment.jig(&["workbench", "delete", "--confirm", "deck", "-w", "deck"]).success();
    let report = environment.jig(&["gc", "--json"]).json();
    assert_eq!(report["unneeded"], 0, "{report}");
    // Too short to be safe next to a running change: blobs of the last minutes are retained whatever is set.
    environment.set("JIG_GC_GRACE_MINUTES", "0");
    let report = environment.jig(&["gc", "--json"]).json();
    assert_eq!(report["unneeded"], 0, "{report}");
    assert_ne!(report["too_new"], 0, "{report}");
    for folder in std::fs::read_dir(environment.home().join("blobs")).unwrap().map(Result::unwrap) {
        for blob in std::fs::read_dir(folder.path()).into_iter().flatten().map(Result::unwrap) {
            let then = blob.metadata().unwrap().modified().unwrap() - std::time::Duration::from_secs(20 * 60);
            std::fs::File::options().write(true).open(blob.path()).unwrap().set_modified(then).unwrap();
        }
    }
    let report = environment.jig(&["gc", "--json"]).json();
    assert_ne!(report["unneeded"], 0, "{report}");
}

#[test]
fn rpc_max_message_bytes() {
    let mut environment = TestEnvironment::new();
    environment.set("JIG_RPC_MAX_MESSAGE_BYTES", "50");
    let mut rpc = Rpc::start(&environment);
    let answer = rpc.exchange(&"x".repeat(60));
    assert_eq!(answer["error"]["data"]["error_code"], "MESSAGE_TOO_LARGE");
}

#[test]
fn mcp_publish_never_means_without_a_person() {
    let mut environment = TestEnvironment::with_notes();
    let publish = |environment: &TestEnvironment| {
        let _ = environment.jig(&["write", "notes.txt", "--text", "new"]).success();
        // The client does not support asking a person.
        Mcp::start(environment, &[]).call("publish_draft", json!({}))
    };
    assert_eq!(publish(&environment).unwrap_err()["error_code"], "NOT_PERMITTED");
    environment.set("JIG_MCP_PUBLISH", "ask");
    assert_eq!(publish(&environment).unwrap_err()["error_code"], "NOT_PERMITTED");
    environment.set("JIG_MCP_PUBLISH", "always");
    assert_eq!(environment.jig(&["settings", "--json"]).failure(), (2, "SETTINGS_INVALID".to_owned()));
    environment.set("JIG_MCP_PUBLISH", "");
    // The former name of the setting means "ask".
    environment.set("JIG_MCP_ALLOW_PUBLISH", "on");
    assert_eq!(publish(&environment).unwrap_err()["error_code"], "NOT_PERMITTED");
}

#[test]
fn color() {
    let mut environment = TestEnvironment::with_notes();
    environment.set("JIG_COLOR", "always");
    assert!(environment.jig(&["log"]).success().contains('\u{1b}'));
    environment.set("JIG_COLOR", "never");
    assert!(!environment.jig(&["log"]).success().contains('\u{1b}'));
}

/// Someone else may have written the file: it must not decide where content is sent, what is started or what agents may
/// do.
#[test]
fn the_file_of_the_current_folder_sets_only_what_is_harmless() {
    let environment = TestEnvironment::new();
    for (text, name) in [
        ("home = \"h\"\n", "home"),
        ("database = \"postgres://their.example/jig\"\n", "database"),
        ("blobs = \"s3://their-bucket/x\"\n", "blobs"),
        ("[blobs_options]\nendpoint = \"https://their.example\"\n", "blobs_options"),
        ("view = false\n", "view"),
        ("model = \"openai:gpt-5.2\"\n", "model"),
        ("models_file = \"m.toml\"\n", "models_file"),
        ("secrets_file = \"s.toml\"\n", "secrets_file"),
        ("scripts = \"scripts\"\n", "scripts"),
        ("[providers.openai]\nbase_url = \"https://their.example\"\n", "providers"),
        ("[mcp_servers.x]\ncommand = \"./x.sh\"\ntools = [\"a\"]\n", "mcp_servers"),
        ("[mcp]\nallow_publish = true\n", "mcp.allow_publish"),
        ("[mcp]\npublish = \"ask\"\n", "mcp.publish"),
        ("[serve]\nopen_loopback = true\n", "serve.open_loopback"),
        ("[serve]\ntrusted_proxies = \"192.0.2.1\"\n", "serve.trusted_proxies"),
        ("[preview]\nrenderer = \"./x.sh\"\n", "preview.renderer"),
        ("[tables]\nengine = \"./x.sh\"\n", "tables.engine"),
        ("[tables]\nmemory_mb = 65536\n", "tables.memory_mb"),
        ("[worker]\nmemory = \"900GiB\"\n", "worker.memory"),
        ("[formulas]\nallow_outside = true\n", "formulas.allow_outside"),
        ("isolation = \"in-process\"\n", "isolation"),
        ("[gc]\ngrace_minutes = 0\n", "gc.grace_minutes"),
        ("[serve]\nbind = \"0.0.0.0:80\"\n", "serve.bind"),
        ("[serve]\nhosts = \"their.example\"\n", "serve.hosts"),
        ("[serve]\nlog = \"off\"\n", "serve.log"),
    ] {
        environment.write("jig.toml", text);
        for command in ["settings", "files"] {
            let ran = environment.jig(&[command]);
            assert_eq!(ran.code, 2, "{text}: {ran:?}");
            assert!(ran.stderr.contains(&format!("sets `{name}`")), "{text}: {ran:?}");
            assert!(ran.stderr.contains("data/jig.toml") || name == "home", "it names the right place: {ran:?}");
        }
    }
    environment.write("jig.toml", "workbench = \"deck\"\ncolor = \"never\"\n[limits]\nfiles = 7\n");
    let place = || "[root]/desk/jig.toml".to_owned();
    assert_eq!(setting(&environment, &[], "workbench"), (json!("deck"), place()));
    assert_eq!(setting(&environment, &[], "limits.files"), (json!("7"), place()));
    // A file that the user names may set everything.
    environment.write("own.toml", "[mcp]\nallow_publish = true\n");
    environment.jig(&["settings", "--config", "own.toml"]).success();
    environment.write("../data/jig.toml", "[mcp]\nallow_publish = true\n");
    environment.jig(&["settings"]).success();
}

/// A command ends with the reason, whatever the current folder contains under that name.
#[cfg(unix)]
#[test]
fn a_file_of_the_current_folder_that_is_none_or_too_large_stops_no_command_for_long() {
    let environment = TestEnvironment::new();
    let path = environment.work().join("jig.toml");
    let stopped = |reason: &str| {
        let ran = environment.jig(&["files"]);
        assert!(ran.code == 2 && ran.stderr.contains(reason), "{reason}: {ran:?}");
    };
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    stopped("is not a file");
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    stopped("is not a file");
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    stopped("is not a file");
    std::fs::remove_dir(&path).unwrap();
    std::fs::write(&path, vec![b'#'; 3 << 20]).unwrap();
    stopped("is larger than 1 MiB");
    std::fs::write(&path, [0xff, 0xfe, b'a']).unwrap();
    stopped("is not UTF-8");
    std::fs::remove_file(&path).unwrap();
    environment.jig(&["workbench", "list"]).success();
}

/// The home's own file is trusted even if the home is the current folder, however its path is written.
#[test]
fn the_file_of_the_home_is_trusted_inside_the_home_too() {
    let mut environment = TestEnvironment::new();
    environment.write("jig.toml", "[serve]\nmax_body_bytes = 20\n");
    for home in [".", "../desk", "./sub/.."] {
        std::fs::create_dir_all(environment.work().join("sub")).unwrap();
        environment.set("JIG_HOME", home);
        assert_eq!(setting(&environment, &[], "serve.max_body_bytes").0, json!("20"), "{home}");
    }
}

#[test]
fn a_number_out_of_its_range_is_told_the_range() {
    let mut environment = TestEnvironment::new();
    for (name, value, range) in [
        ("JIG_TABLES_THREADS", "999", "from 1 to 64"),
        ("JIG_SERVE_AT_ONCE", "0", "from 1 to 100000"),
        ("JIG_WORKER_COUNT", "9223372036854775807", "from 1 to 1024"),
        ("JIG_WORKER_COUNT", "0", "from 1 to 1024"),
        ("JIG_JOBS_AT_ONCE", "0", "from 1 to 1024"),
    ] {
        environment.set(name, value);
        let ran = environment.jig(&["files"]);
        assert!(ran.code == 2 && ran.stderr.contains(&format!("a whole number {range}")), "{name}: {ran:?}");
        environment.set(name, "");
    }
}

#[test]
fn a_token_is_alone_on_its_line() {
    let environment = TestEnvironment::new();
    let ran = environment.jig(&["token", "create", "bot", "--role", "owner"]);
    assert_eq!((ran.stdout.lines().count(), ran.stdout.starts_with("jig_")), (1, true), "{ran:?}");
    assert!(ran.stderr.contains("bot can use it, as owner"), "{ran:?}");
}

#[test]
fn a_file_that_is_no_database_is_told_as_damage() {
    let environment = TestEnvironment::new();
    environment.write("../data/jig.db", "garbage ".repeat(40));
    let ran = environment.jig(&["new", "Deck"]);
    assert_eq!(ran.code, 70, "{ran:?}");
    assert!(ran.stderr.contains("its file is damaged or not a database"), "{ran:?}");
}

#[test]
fn proxies_are_addresses_and_ranges_and_anything_else_is_refused_at_start() {
    let mut environment = TestEnvironment::new();
    for good in ["10.0.0.2", "10.0.0.0/8, 192.0.2.7", "2001:db8::/32,fd00::/8", "::1"] {
        environment.set("JIG_SERVE_TRUSTED_PROXIES", good);
        assert_eq!(setting(&environment, &[], "serve.trusted_proxies").0, json!(good));
    }
    for bad in ["10.0.0.0/33", "10.0.0.5/8", "proxy.example", "10.0.0.0/8, x", "2001:db8::/129", "10.0.0.1-9"] {
        environment.set("JIG_SERVE_TRUSTED_PROXIES", bad);
        let ran = environment.jig(&["serve", "--bind", "127.0.0.1:0", "--json"]);
        assert_eq!(ran.failure(), (2, "SETTINGS_INVALID".to_owned()), "{bad}");
        assert!(ran.stderr.contains("serve.trusted_proxies") && ran.stderr.contains("CIDR"), "{bad}: {ran:?}");
    }
}

/// Notices about the home are printed once by `rpc`, `mcp` and `serve` too, and never on the protocol stream.
#[cfg(unix)]
#[test]
fn interfaces_for_programs_print_notices_once_on_standard_error() {
    use std::os::unix::fs::PermissionsExt as _;
    let environment = TestEnvironment::with_notes();
    let ask = |id: u32| json!({ "jsonrpc": "2.0", "id": id, "method": "WorkbenchList", "params": {} });
    let tool = |id: u32| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "workbench", "arguments": { "action": "list" } } });
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    for (command, messages) in [("rpc", vec![ask(1), ask(2)]), ("mcp", vec![hello, ready, tool(1), tool(2)])] {
        let input: String = messages.iter().map(|message| format!("{message}\n")).collect();
        std::fs::set_permissions(environment.home(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let ran = environment.jig_with(&[command], input.as_bytes());
        assert_eq!(ran.stderr.matches("notice: other users had access to the home folder").count(), 1, "{ran:?}");
        assert!(ran.stdout.lines().all(|line| line.starts_with('{')), "{ran:?}");
        let quiet = environment.jig_with(&[command], input.as_bytes());
        assert!(!quiet.stderr.contains("notice:"), "nothing to say: {quiet:?}");
    }
}
