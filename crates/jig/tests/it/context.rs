//! Context items, prompts and models at the command line.

use jig_fake_model::{FakeModel, Reply};
use serde_json::{Value, json};

use crate::environment::TestEnvironment;
use crate::terminal::typed;

const PLANTED: &str = "sk-planted-0815-do-not-show";

/// A model server with its own runtime, and an environment that uses it as OpenAI.
fn with_server() -> (tokio::runtime::Runtime, FakeModel, TestEnvironment) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = runtime.block_on(FakeModel::start()).unwrap();
    let mut environment = TestEnvironment::with_notes();
    environment.set("JIG_PROVIDERS", &format!("openai={}/v1", server.url()));
    environment.set("OPENAI_API_KEY", PLANTED);
    environment.set("JIG_MODEL", "openai:gpt-5.2");
    (runtime, server, environment)
}

fn situation() -> Reply {
    let files = json!({ "files": [{ "path": "context.md", "content": "- **Deadline**: Friday\n" }] });
    Reply::text(files.to_string())
}

const PROCESS: [&str; 5] = ["context", "process", "situation", "--text", "Board on Friday"];

#[test]
fn items_are_made_shown_and_counted_without_a_network() {
    let environment = TestEnvironment::with_notes();
    let empty = environment.jig(&["context"]).success();
    assert_eq!(empty.matches("empty").count(), 4, "{empty}");
    assert!(empty.contains("Who the company is: what it sells") && empty.contains("What is going on now"), "{empty}");
    let refused = environment.jig(&PROCESS);
    assert_eq!(refused.code, 4);
    assert!(refused.stderr.contains("PROVIDER_NOT_CONFIGURED") && refused.stderr.contains("offline:extract"));
    let made = environment.jig(&[&PROCESS[..], &["--model", "offline:extract"]].concat());
    assert!(made.stderr.contains("`jig context get situation`"), "{made:?}");
    let list = environment.jig(&["context", "list"]).success();
    assert!(list.contains("situation") && list.contains("active") && list.contains("Board on Friday"), "{list}");
    let item = environment.jig(&["context", "get", "situation"]).success();
    assert!(item.contains("context.md") && item.contains("by offline:extract"), "{item}");
    let stats = environment.jig(&["stats"]).success();
    assert!(stats.contains("context.process.success"), "{stats}");
    assert_eq!(environment.jig(&["egress"]).success(), "Nothing has been sent from this machine.\n");
    assert!(environment.jig(&["consent"]).success().starts_with("No consents"));
}

#[test]
fn the_bill_is_drawn_as_bars() {
    let mut environment = TestEnvironment::with_notes();
    environment.set("COLUMNS", "70");
    let drawn = environment.jig(&["prompt", "Make slides", "--model", "openai:gpt-5.2"]).success();
    for part in
        ["openai:gpt-5.2", "of 400,000 tokens", "fine", "instructions", "files", "notes.txt", "pptx-style-skill", "█"]
    {
        assert!(drawn.contains(part), "{part}: {drawn}");
    }
    assert!(drawn.lines().all(|line| line.chars().count() <= 70), "{drawn}");
    let text = environment.jig(&["prompt", "Make slides", "--text"]).success();
    assert!(text.contains("## files") && text.contains("one\ntwo") && text.contains("Make slides"), "{text}");
    let clutter = environment.jig(&["clutter"]);
    assert!(clutter.stderr.contains("No model is chosen"), "{clutter:?}");
    let of_model = environment.jig(&["clutter", "--model", "mistral:mistral-large-4-0"]).success();
    assert!(of_model.contains("mistral:mistral-large-4-0") && of_model.contains("about "), "{of_model}");
    let json = environment.jig(&["prompt", "--json"]).json();
    assert!(json["bill"]["total"].as_u64().unwrap() > 100);
}

#[test]
fn models_tell_what_is_missing_and_which_one_is_used() {
    let mut environment = TestEnvironment::with_notes();
    let none = environment.jig(&["model"]);
    assert!(none.stdout.contains("offline:extract") && none.stdout.contains("not set up"), "{none:?}");
    assert!(none.stderr.contains("no default model"), "{none:?}");
    environment.set("MISTRAL_API_KEY", PLANTED);
    let _ = environment.jig(&["model", "set-default", "mistral:mistral-large-4-0"]).success();
    let list = environment.jig(&["model", "list", "-w", "deck", "--json"]).json();
    assert_eq!(list["default"], "mistral:mistral-large-4-0");
    let find = |id: &str| list["models"].as_array().unwrap().iter().find(|model| model["id"] == id).unwrap().clone();
    assert_eq!(find("mistral:mistral-large-4-0")["configured"], true);
    assert!(find("openai:gpt-5.2")["missing"].as_str().unwrap().contains("no API key"), "{}", find("openai:gpt-5.2"));
    assert!(!list.to_string().contains(PLANTED));
}

#[test]
fn a_person_is_asked_before_anything_is_sent_and_a_pipe_is_not() {
    let (_runtime, server, environment) = with_server();
    let piped = environment.jig(&[&PROCESS[..], &["--json"]].concat());
    assert_eq!(piped.failure(), (5, "EGRESS_CONSENT_REQUIRED".to_owned()));
    let (code, shown) = typed(&environment, &PROCESS, "n\n");
    assert!(shown.contains("Send this to openai:gpt-5.2 once? [y/N]"), "{shown:?}");
    assert!(
        shown.contains(&server.host()) && shown.contains("the text of this call") && !shown.contains("notes.txt"),
        "{shown:?}"
    );
    assert!(shown.contains("nothing was sent") && code != Some(0), "{shown:?}");
    assert_eq!((server.requests().len(), server.connections()), (0, 0));
    server.reply(situation());
    let (code, shown) = typed(&environment, &PROCESS, "y\n");
    assert_eq!(code, Some(0), "{shown:?}");
    assert_eq!(server.requests().len(), 1);
    let egress = environment.jig(&["egress"]).success();
    assert!(egress.contains("context.process") && egress.contains("sent"), "{egress}");
    assert!(environment.jig(&["consent"]).success().starts_with("No consents"), "it was for one call");
}

#[test]
fn a_person_is_asked_before_edits_by_hand_are_lost_and_a_pipe_is_not() {
    let environment = TestEnvironment::with_notes();
    let _ = environment.jig(&[&PROCESS[..], &["--model", "offline:extract"]].concat()).success();
    let mine = r#"{"path": "context.md", "content": "- mine"}"#;
    let _ = environment.jig(&["context", "update-direct", "situation", "--file", mine]).success();
    let again = ["context", "reprocess", "situation", "--model", "offline:extract"];
    let piped = environment.jig(&again);
    assert!(piped.stderr.contains("CONFLICT") && piped.stderr.contains("--overwrite-direct-edits"), "{piped:?}");
    let question = "This context item was manually edited. Reprocessing will overwrite your manual changes. \
                    Proceed? [y/N]";
    let (code, shown) = typed(&environment, &again, "n\n");
    assert!(shown.contains(question) && shown.contains("your changes are kept"), "{shown:?}");
    assert!(code != Some(0) && environment.jig(&["context"]).success().contains("manually edited"));
    let (code, shown) = typed(&environment, &again, "y\n");
    assert_eq!(code, Some(0), "{shown:?}");
    let list = environment.jig(&["context"]).success();
    assert!(!list.contains("manually edited") && list.contains("Board on Friday"), "{list}");
}

#[test]
fn a_key_is_on_no_disk_and_in_no_output() {
    let (_runtime, server, environment) = with_server();
    server.reply(situation()).reply(Reply::refuse(jig_fake_model::Refusal::Key));
    let mut said = String::new();
    for arguments in [
        vec!["consent", "grant", "openai:gpt-5.2", "--reach", "all"],
        PROCESS.to_vec(),
        PROCESS.to_vec(),
        vec!["settings"],
        vec!["model"],
        vec!["log"],
        vec!["events", "--json"],
        vec!["prompt", "--text"],
        vec!["doctor"],
    ] {
        let ran = environment.jig(&arguments);
        said += &format!("{}{}", ran.stdout, ran.stderr);
    }
    assert!(said.contains("PROVIDER_AUTH_FAILED"), "{said}");
    assert!(!said.contains(PLANTED), "{said}");
    assert!(server.requests().iter().all(|request| request.header("authorization").unwrap().contains(PLANTED)));
    let mut waiting = vec![environment.home()];
    let mut read = 0;
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if let Ok(bytes) = std::fs::read(&path) {
                read += 1;
                assert!(!String::from_utf8_lossy(&bytes).contains(PLANTED), "{}", path.display());
            }
        }
    }
    assert!(read > 5);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_call_and_the_egress_log_says_so() {
    let (_runtime, server, environment) = with_server();
    let _ = environment.jig(&["consent", "grant", "openai:gpt-5.2", "--reach", "all"]).success();
    server.reply(situation().after(std::time::Duration::from_secs(600)));
    let mut command = environment.command();
    let child = command.args(PROCESS).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = child.spawn().unwrap();
    while server.requests().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert!(!ended.status.success());
    assert!(String::from_utf8_lossy(&ended.stderr).contains("USER_CANCELED"), "{ended:?}");
    let events = environment.jig(&["egress", "--json"]).json()["events"].clone();
    assert_eq!((events[0]["outcome"].as_str(), events.as_array().unwrap().len()), (Some("USER_CANCELED"), 1));
}

#[test]
fn a_folder_is_added_without_ignored_files_and_keys_are_reported() {
    let environment = TestEnvironment::with_notes();
    let key = format!("ghp_{}", "9fK2xQ7LmZ4TbW8cVnR1sYdH6uJpGe3aXo5i");
    environment.write("proj/.gitignore", ".env\n*.log\n");
    environment.write("proj/.env", format!("TOKEN={key}"));
    environment.write("proj/a.log", "x");
    environment.write("proj/readme.md", format!("# Readme\n\ntoken: {key}\n"));
    environment.write("proj/.git/config", format!("url = https://{key}@github.com/a/b"));
    environment.write("proj/node_modules/x/index.js", "x");
    let shown = environment.jig(&["add", "proj"]).success();
    assert!(shown.contains("proj/readme.md") && shown.contains("github-pat in proj/readme.md:3"), "{shown}");
    for word in ["skipped 2, ignored by .gitignore", "version control", "dependencies or build output", "node_modules"]
    {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    assert!(!shown.contains(&key), "{shown}");
    let prompt = environment.jig(&["prompt", "hello", "--json"]).json();
    assert!(prompt["notices"].to_string().contains("SECRET_DETECTED"), "{:#}", prompt["notices"]);
    assert!(!environment.jig(&["files"]).success().contains(".env"));
    let _ = environment.jig(&["add", "proj", "--no-ignore", "--replace", "--exclude", "node_modules"]).success();
    let files = environment.jig(&["files"]).success();
    assert!(files.contains("a.log") && !files.contains("node_modules") && !files.contains(".env"), "{files}");
}

#[test]
fn keys_come_from_a_private_file_too() {
    use std::os::unix::fs::PermissionsExt;
    let (_runtime, server, mut environment) = with_server();
    environment.set("OPENAI_API_KEY", "");
    let _ = environment.jig(&["consent", "grant", "openai:gpt-5.2", "--reach", "all"]).success();
    assert_eq!(
        environment.jig(&[&PROCESS[..], &["--json"]].concat()).failure(),
        (4, "PROVIDER_NOT_CONFIGURED".to_owned())
    );
    let file = environment.write("../data/secrets.toml", format!("openai = \"{PLANTED}\"\n"));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let open = environment.jig(&[&PROCESS[..], &["--json"]].concat());
    assert_eq!(open.failure(), (2, "SETTINGS_INVALID".to_owned()));
    assert!(open.stderr.contains("chmod 600") && !open.stderr.contains(PLANTED), "{open:?}");
    let _ = environment.jig(&["files"]).success();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    server.reply(situation());
    let _ = environment.jig(&PROCESS).success();
    assert!(server.requests()[0].header("authorization").unwrap().contains(PLANTED));
}

#[test]
fn without_certificates_all_works_that_needs_none() {
    let (_runtime, server, mut environment) = with_server();
    environment.set("SSL_CERT_FILE", "/dev/null");
    environment.set("SSL_CERT_DIR", "/dev/null");
    environment.set("MISTRAL_API_KEY", PLANTED);
    let _ = environment.jig(&[&PROCESS[..], &["--model", "offline:extract"]].concat()).success();
    let _ = environment.jig(&["prompt", "Make slides"]).success();
    let _ = environment.jig(&["model"]).success();
    let _ = environment.jig(&["consent", "grant", "openai:gpt-5.2", "--reach", "all"]).success();
    server.reply(situation());
    let _ = environment.jig(&PROCESS).success();
    let far = environment.jig(&[&PROCESS[..], &["--json", "--model", "mistral:mistral-large-4-0"]].concat());
    assert_eq!(far.failure(), (6, "NETWORK_UNAVAILABLE".to_owned()));
    assert!(far.stderr.contains("ca-certificates"), "{far:?}");
}

#[test]
fn a_foreign_folder_does_not_say_where_keys_go() {
    let environment = TestEnvironment::with_notes();
    for foreign in [
        "[providers.openai]\nbase_url = \"http://127.0.0.1:9\"\n",
        "models_file = \"m.toml\"\n",
        "secrets_file = \"s.toml\"\n",
        "scripts = \"scripts\"\n",
    ] {
        environment.write("jig.toml", foreign);
        let refused = environment.jig(&["files", "--json"]);
        assert_eq!(refused.failure(), (2, "SETTINGS_INVALID".to_owned()), "{foreign}");
    }
    environment.write("jig.toml", "[providers.openai]\nbase_url = \"https://proxy.example/v1\"\n");
    let named = environment.jig(&["settings", "--json", "--config", "jig.toml"]).json();
    let shown = |key: &str| -> Value {
        named["settings"].as_array().unwrap().iter().find(|one| one["key"] == key).unwrap()["value"].clone()
    };
    assert_eq!(shown("providers.openai.base_url"), "https://proxy.example/v1");
    std::fs::remove_file(environment.work().join("jig.toml")).unwrap();
    environment
        .write("../data/jig.toml", "model = \"own:big\"\n[providers.own]\nbase_url = \"https://own.example/v1\"\n");
    environment.write("../data/models.toml", "[[model]]\nid = \"own:big\"\nwindow = 32_000\n");
    let bill = environment.jig(&["clutter", "--json"]).json()["bill"].clone();
    assert_eq!((&bill["model_id"], &bill["window"]), (&json!("own:big"), &json!(32_000)));
    environment.write("../data/jig.toml", "[providers.own]\nkey = \"x\"\n");
    assert_eq!(environment.jig(&["files", "--json"]).failure(), (2, "SETTINGS_INVALID".to_owned()));
}

#[test]
fn a_script_plays_a_model_and_checks_what_it_is_asked() {
    let mut environment = TestEnvironment::with_notes();
    let folder = environment.work().join("../scripts").display().to_string();
    environment.set("JIG_SCRIPTS", &folder);
    let script = |name: &str, text: &str| environment.write(&format!("../scripts/{name}.json"), text);
    script(
        "good",
        r#"{"steps":[{"expect":{"last":["Board"]},"answer":{"json":{"files":[{"path":"context.md","content":"- Friday"}]}}}]}"#,
    );
    script("other", r#"{"steps":[{"expect":{"last":["nobody says this"]},"answer":{"text":"no"}}]}"#);
    let process = |model: &str| {
        let arguments = ["context", "process", "situation", "--text", "Board", "--json", "--model", model];
        environment.jig(&arguments)
    };
    let other = process("scripted:other");
    assert!(other.stderr.contains("`nobody says this` is missing from the last turn"), "{other:?}");
    assert_eq!(process("scripted:none").failure().1, "PROVIDER_NOT_CONFIGURED");
    assert_eq!(process("scripted:good").json()["item"]["model_id"], "scripted:good");
    let shown = environment.jig(&["context", "get", "situation", "--json"]).json();
    assert_eq!(shown["item"]["files"][0]["content"], "- Friday\n");
    script("broken", "{");
    let broken = process("scripted:good");
    assert_eq!(broken.failure().1, "SETTINGS_INVALID");
    assert!(broken.stderr.contains("scripted:broken"), "{broken:?}");
}
