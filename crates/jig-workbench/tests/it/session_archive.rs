//! Sessions in archives: exported, imported into another store, and continued there; and stored archives of every
//! version.

use jig_contract::Code;
use jig_testkit::ID;
use serde_json::{Value, json};

use crate::model_home::{MODEL, ModelHome};
use crate::session_home::of_session;

fn at(workbench: &str, session: &str, mut more: Value) -> Value {
    more["workbench_id"] = workbench.into();
    more["session_id"] = session.into();
    more
}

/// A session that uses most features: its own workspace with an image, phases, tools, a refusal, a retry, a question, a
/// workspace update, a rewind.
async fn worked(home: &ModelHome) -> String {
    home.home.add("bank.csv", "day,amount\n1,10\n2,32\n").await;
    home.push(
        "Today is {{today}}, in {{project.name}} ({{project.id}}).",
        &["list_files", "read_file", "entry_propose"],
    )
    .await;
    let session = home.session(json!({ "title": "Sums" })).await;
    home.calls("a", "read_file", &json!({ "path": "bank.csv" }))
        .calls("b", "write_text_file", &json!({ "path": "no.txt", "text": "x" }))
        .says("The amounts are 10 and 32.");
    home.direct(&session, "What is in it?").await;
    home.push("SECOND WORDS for {{userMessage}}", &["list_files", "write_text_file"]).await;
    let synced = home.on("SessionSync", &session, json!({})).await;
    let snapshot = synced["workspace"]["pending"]["snapshot"].clone();
    home.on("SessionApply", &session, json!({ "snapshot": snapshot })).await;
    home.says("Nothing to look at.")
        .says("- [ ] Write total.md\n- [ ] Tell everybody")
        .calls("c", "write_text_file", &json!({ "path": "total.md", "text": "42\n" }))
        .says("Written.")
        .says("FAILED: nobody is there")
        .says("FAILED: still nobody")
        .says("One of two is done.");
    home.on("WorkshopSend", &session, json!({ "message": "Add it up" })).await;
    session
}

#[tokio::test]
async fn a_session_goes_with_its_workbench_and_goes_on_elsewhere() {
    let home = ModelHome::agreed().await;
    let session = worked(&home).await;
    let before = home.replays(&session).await;
    let archive = home.home.path().join("out.jig");
    home.home.ok("WorkbenchExport", json!({ "workbench_id": ID, "to": archive })).await;

    let other = ModelHome::new().await;
    let made =
        other.home.ok("WorkbenchImport", json!({ "from": archive, "id": "elsewhere", "name": "Elsewhere" })).await;
    assert_eq!(made["id"], "elsewhere", "{made:#}");
    let replayed = other.home.ok("SessionReplay", at("elsewhere", &session, json!({}))).await;
    assert_eq!(replayed, before, "under another name and id, where neither workspace nor model was ever called");
    let step = json!({ "step": 2 });
    let shown = other.home.ok("SessionShow", at("elsewhere", &session, step.clone())).await;
    assert_eq!(shown, home.on("SessionShow", &session, step).await);
    let list = other.home.ok("SessionList", json!({ "workbench_id": "elsewhere" })).await;
    assert_eq!((&list["sessions"][0]["title"], &list["sessions"][0]["status"]), (&json!("Sums"), &json!("idle")));

    // The session continues, and the continuation replays too.
    other.home.ok("ConsentGrant", json!({ "workbench_id": "elsewhere", "model": MODEL, "reach": "all" })).await;
    other.says("Still here.");
    let options = json!({ "message": "And now?", "options": { "mode": "direct" } });
    other.home.ok("WorkshopSend", at("elsewhere", &session, options)).await;
    let sent = other.server.requests().last().unwrap().json().to_string();
    assert!(sent.contains("SECOND WORDS") && sent.contains("What is in it?"), "{sent}");
    let replayed = other.home.ok("SessionReplay", at("elsewhere", &session, json!({}))).await;
    assert_eq!(replayed["same"], true, "{replayed:#}");

    // A second copy in the same store has its own sessions.
    other.home.ok("WorkbenchImport", json!({ "from": archive, "id": "again" })).await;
    let list = other.home.ok("SessionList", json!({ "workbench_id": "again" })).await;
    let copy = list["sessions"][0]["id"].as_str().unwrap();
    assert_ne!(copy, session);
    assert_eq!(other.home.ok("SessionReplay", at("again", copy, json!({}))).await, before);
    let wrong = at("again", &session, json!({}));
    other.home.fails_with(Code::SessionNotFound, "SessionGet", wrong).await;
    let doctor = other.home.ok("StoreDoctor", json!({})).await;
    assert_eq!(doctor["ok"], true, "{doctor:#}");
}

/// The archive of the current version's sessions. `UPDATE=1` writes it; once released, a file never changes.
fn stored(version: u32) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/sessions/v{version}.jig"))
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the switch comes from the environment")]
async fn stored_sessions_of_every_version_replay_to_the_byte() {
    if std::env::var("UPDATE").as_deref() == Ok("1") {
        let home = ModelHome::agreed().await;
        worked(&home).await;
        std::fs::create_dir_all(stored(0).parent().unwrap()).unwrap();
        let path = stored(jig_session::LOG_VERSION);
        home.home.ok("WorkbenchExport", json!({ "workbench_id": ID, "to": path, "overwrite": true })).await;
    }
    for version in 1..=jig_session::LOG_VERSION {
        let home = ModelHome::new().await;
        home.home.ok("WorkbenchImport", json!({ "from": stored(version), "id": "stored" })).await;
        let list = home.home.ok("SessionList", json!({ "workbench_id": "stored" })).await;
        let session = list["sessions"][0]["id"].as_str().unwrap().to_owned();
        let replay = async || home.home.ok("SessionReplay", at("stored", &session, json!({}))).await;
        let replayed = replay().await;
        if version < jig_session::LOG_VERSION {
            // Requests are rebuilt with the current prompts. If those have changed, the first request differs.
            let found = (&replayed["same"], &replayed["difference"]["step"], &replayed["difference"]["what"]);
            assert_eq!(
                found,
                (&json!(false), &json!(1), &json!("the request to the model")),
                "v{version}: {replayed:#}"
            );
            continue;
        }
        assert_eq!((&replayed["same"], &replayed["requests"]), (&json!(true), &json!(10)), "v{version}: {replayed:#}");

        // A single changed letter of a prompt is found at its step, with the line.
        crate::sessions::tamper(&home, "UPDATE session_events SET event = replace(event, 'Add it up', 'Add it us')")
            .await;
        let replayed = replay().await;
        assert_eq!(replayed["same"], false);
        assert_eq!(replayed["difference"]["step"], 4, "{replayed:#}");
        let diff = replayed["difference"]["diff"].as_str().unwrap();
        assert!(diff.lines().any(|line| line.starts_with('+') && line.contains("Add it us")), "{diff}");
        let doctor = home.home.ok("StoreDoctor", json!({})).await;
        assert_eq!(doctor["ok"], true, "every record still follows; only the request does not: {doctor:#}");
    }
}

#[tokio::test]
async fn the_doctor_finds_records_that_are_gone_or_do_not_follow() {
    let home = ModelHome::agreed().await;
    let session = worked(&home).await;
    let problems = async || {
        let doctor = home.home.ok("StoreDoctor", json!({})).await;
        let all = doctor["problems"].as_array().unwrap().iter();
        all.map(|problem| format!("{}: {}", problem["kind"].as_str().unwrap(), problem["message"].as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(problems().await, Vec::<String>::new());
    crate::sessions::tamper(
        &home,
        "UPDATE session_events SET event = replace(event, '\"tools\":[', '\"tools\":[\"more\",')",
    )
    .await;
    let found = problems().await;
    assert!(found[0].starts_with("session: record") && found[0].contains(&session), "{found:?}");
    crate::sessions::tamper(&home, "UPDATE session_events SET event = 'no JSON' WHERE seq = 3").await;
    let found = problems().await;
    assert!(found[0].contains("cannot be read"), "{found:?}");
    crate::sessions::tamper(
        &home,
        "DROP TRIGGER IF EXISTS session_events_are_not_deleted; DELETE FROM session_events WHERE seq = 5",
    )
    .await;
    let found = problems().await;
    assert!(found.iter().any(|problem| problem.contains("lacks 1 of its records")), "{found:?}");
    let refused = home.home.fails("SessionReplay", of_session(&session, json!({}))).await;
    assert_eq!(refused.code(), Code::BlobCorrupt, "{refused}");
}
