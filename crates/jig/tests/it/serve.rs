//! `jig serve` and `jig token` from the user's perspective.

use std::path::Path;

use serde_json::{Value, json};

use crate::environment::TestEnvironment;
use crate::http_process::Http;

const JSON: &str = "Content-Type: application/json\r\n";

#[test]
fn the_server_says_where_it_listens_and_ends_well_when_asked() {
    let environment = TestEnvironment::with_notes();
    let http = Http::start(&environment);
    assert!(http.address.starts_with("127.0.0.1:"), "{}", http.address);
    let listed = http.call("WorkbenchList", &json!({})).unwrap();
    assert_eq!(listed["workbenches"][0]["id"], "deck");
    let read = http.request("GET", "/api/workbenches/deck/files/notes.txt", "", "");
    assert_eq!((read.status, read.body.as_str()), (200, "one\ntwo\n"));
    assert_eq!(http.finish(), 0);
}

#[test]
fn tokens_are_shown_once_and_asked_for_from_then_on() {
    let environment = TestEnvironment::with_notes();
    let http = Http::start(&environment);
    let refused = environment.jig(&["serve", "--bind", "0.0.0.0:0", "--json"]);
    assert_eq!(refused.failure(), (5, "NOT_PERMITTED".to_owned()));
    let early = environment.jig(&["token", "create", "Ada", "--role", "reader", "--json"]);
    assert_eq!(early.failure(), (2, "VALIDATION_FAILED".to_owned()), "the first one is the owner's");
    environment.jig(&["token", "create", "Me", "--role", "owner"]).success();
    let made = environment.jig(&["token", "create", "Ada", "--role", "reader", "--only", "deck"]).success();
    let token = made.split_whitespace().find(|word| word.starts_with("jig_")).expect("the secret").to_owned();
    let list = environment.jig(&["token", "list"]).success();
    assert!(list.contains("Ada") && list.contains("reader") && !list.contains(&token), "{list}");
    assert_eq!(http.request("GET", "/api/workbenches", "", "").status, 200, "whoever started it stays signed in");
    assert_eq!(http.request("GET", "/api/workbenches", "Authorization: Bearer jig_x\r\n", "").status, 401);
    let bearer = format!("Authorization: Bearer {token}\r\n");
    let mine = http.request("GET", "/api/workbenches", &bearer, "");
    assert_eq!(mine.status, 200, "{mine:?}");
    let write = http.request("POST", "/api/workbenches", &format!("{bearer}{JSON}"), r#"{"name":"No"}"#);
    assert_eq!(write.status, 403, "{write:?}");
    let all = environment.jig(&["token", "list", "--json"]).json();
    let tokens = all["tokens"].as_array().unwrap();
    let id = tokens.iter().find(|token| token["name"] == "Ada").unwrap()["id"].as_str().unwrap();
    let _ = environment.jig(&["token", "revoke", id]).success();
    while http.request("GET", "/api/workbenches", &bearer, "").status != 401 {
        std::thread::yield_now();
    }
    assert_eq!(environment.jig(&["token", "revoke", id]).code, 0, "again changes nothing");
    assert_eq!(http.finish(), 0);
}

#[test]
fn the_settings_of_the_server_are_settings_like_others() {
    let mut environment = TestEnvironment::with_notes();
    environment.set("JIG_SERVE_BIND", "nowhere");
    assert_eq!(environment.jig(&["settings", "--json"]).failure(), (2, "SETTINGS_INVALID".to_owned()));
    environment.set("JIG_SERVE_BIND", "");
    let owner = environment.jig(&["token", "create", "Me", "--role", "owner", "--json"]).json();
    let bearer = format!("Authorization: Bearer {}\r\n", owner["token"].as_str().unwrap());
    environment.write("../data/jig.toml", "[serve]\nmax_body_bytes = 20\nhosts = \"jig.example, other.example\"\n");
    let all = environment.jig(&["settings", "--json"]).json();
    let shown = |key: &str| all["settings"].as_array().unwrap().iter().find(|one| one["key"] == key).unwrap().clone();
    assert_eq!(shown("serve.bind")["value"], "127.0.0.1:7357");
    assert_eq!(shown("serve.max_body_bytes")["value"], "20");
    let http = Http::start(&environment);
    assert_eq!(http.start, None, "with further names, everybody needs a token");
    assert_eq!(http.request("GET", "/api/workbenches", "", "").status, 401);
    let both = format!("{bearer}{JSON}");
    let large = http.request("POST", "/api/op/WorkbenchList", &both, &format!("{{{}}}", " ".repeat(30)));
    assert_eq!(large.status, 413, "{large:?}");
    let named = http.request("GET", "http://jig.example/api/workbenches", &bearer, "");
    assert_eq!(named.status, 200, "{named:?}");
    assert_eq!(http.finish(), 0);
}

#[cfg(unix)]
#[test]
fn the_start_token_is_in_a_file_that_only_its_owner_reads() {
    use std::os::unix::fs::PermissionsExt as _;
    let environment = TestEnvironment::with_notes();
    let http = Http::start(&environment);
    let port = http.address.rsplit(':').next().unwrap();
    let path = environment.home().join("serve").join(format!("{port}.token"));
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    assert_eq!(http.request("GET", "/api/workbenches", "Authorization: Bearer none\r\n", "").status, 401);
    assert_eq!(http.request("GET", "/api/workbenches", "", "").status, 200);
    assert_eq!(http.finish(), 0);
    assert!(!path.exists(), "it goes with the server");
}

#[test]
fn each_request_is_a_line_on_standard_error() {
    let environment = TestEnvironment::with_notes();
    let lines = Http::start_with(&environment, &[("JIG_SERVE_LOG", "json")]).logged(|http| {
        assert_eq!(http.request("GET", "/api/workbenches", "X-Request-Id: first\r\n", "").status, 200);
    });
    let line: Value = serde_json::from_str(lines.lines().next().expect("a line")).unwrap();
    assert_eq!(
        (&line["id"], &line["operation"], &line["status"]),
        (&json!("first"), &json!("WorkbenchList"), &json!(200))
    );
}

#[test]
fn the_guide_works_as_written() {
    if std::process::Command::new("curl").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "curl is missing");
        println!("skipped: curl is not installed");
        return;
    }
    let guide =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/http.md")).unwrap();
    let script = guide.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of shell");
    let environment = TestEnvironment::new();
    let http = Http::start(&environment);
    let token = environment.home().join("serve").join(format!("{}.token", http.address.rsplit(':').next().unwrap()));
    let script = script.replace("127.0.0.1:7357", &http.address);
    let script = script.replace("~/.local/share/jig/serve/7357.token", token.to_str().unwrap());
    assert!(script.matches("curl ").count() >= 9, "the guide lost its examples: {script}");
    let ran = std::process::Command::new("sh").args(["-eu", "-c", &script]).current_dir(environment.work()).output();
    let ran = ran.unwrap();
    let seen = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{seen}");
    let stale = std::fs::read_to_string(environment.work().join("stale.json")).unwrap();
    assert!(seen.contains("412\n") && stale.contains("\"error_code\":\"CONFLICT\""), "{seen}\n{stale}");
    assert!(seen.to_lowercase().contains("rel=\"next\"") && seen.contains("event: changed"), "{seen}");
    assert_eq!(http.finish(), 0);
}
